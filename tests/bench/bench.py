#!/usr/bin/env python3
"""Headlight beside PyTorch, every stage kept, causal; and how time and memory grow with the number of tokens.

    bench.py PROGRAM [--runs N]                the table
    bench.py PROGRAM --growth OUT.csv [--to N] tokens, milliseconds (the least of 3), megabytes, from 2^7 to 2^17 tokens; beside
                                               it OUT.svg where headlight_growth_figure is built (cmake --build --preset release --target …)

PyTorch runs in the same run, with one thread and with all, and the better counts. It must multiply with OpenBLAS: with the
reference BLAS, which is what Debian's package has without libopenblas0-pthread, it is fifteen times slower, and a comparison
with that would be flattery. Then this refuses. OPENBLAS_CORETYPE and the like, which hold it back, are taken out of its way; and where
OpenBLAS is older than the processor and takes it for one without AVX, which costs it two thirds, it is told the nearest that it knows.
"""
import argparse
import csv
import ctypes
import json
import math
import os
import subprocess
import sys
import tempfile
import time

SIZES = [(2, 5, 512, 8), (1, 512, 512, 8), (1, 2048, 1024, 16)]


def loaded(name):
    with open("/proc/self/maps") as maps:
        return next((line.split()[-1] for line in maps if name in line), None)


def start_again(environment):
    os.execve(sys.executable, [sys.executable, *sys.argv], environment)


def without_openblas_settings():
    told = os.environ.get("BENCH_TOLD")  # by us, below
    held_back = [name for name in os.environ if name.startswith("OPENBLAS_") and os.environ[name] != told]
    if held_back:
        start_again({name: value for name, value in os.environ.items() if name not in held_back})


def nearest_core():
    """What OpenBLAS would do best to take this processor for, where it does not know it."""
    library = ctypes.CDLL(loaded("openblas"))
    library.openblas_get_corename.restype = ctypes.c_char_p
    core = library.openblas_get_corename().decode()
    with open("/proc/cpuinfo") as cpu:
        flags = next((line.split() for line in cpu if line.startswith("flags")), [])
    if core not in ("Prescott", "Core2", "Nehalem", "Generic", "generic"):
        return core, None
    return core, "SkylakeX" if "avx512f" in flags else "Haswell" if "avx2" in flags else None


def pytorch():
    try:
        import torch
    except ImportError:
        sys.exit("bench: PyTorch is not installed; expected python3-torch and libopenblas0-pthread")
    torch.ones(64, 64) @ torch.ones(64, 64)
    if not loaded("openblas") and not loaded("mkl"):
        sys.exit("bench: this PyTorch multiplies with the reference BLAS; expected OpenBLAS (apt-get install libopenblas0-pthread)")
    if not loaded("openblas"):
        return torch, "MKL"
    core, nearest = nearest_core()
    if nearest and "BENCH_TOLD" not in os.environ:
        start_again(dict(os.environ, OPENBLAS_CORETYPE=nearest, BENCH_TOLD=nearest))
    return torch, f"OpenBLAS for {core}" + (", as it was told: it does not know this processor" if "BENCH_TOLD" in os.environ else "")


def time_pytorch(torch, batch, n, d, heads, runs):
    x = torch.randn(batch, n, d)
    weights = [(torch.rand(d, d) - 0.5) / math.sqrt(d) for _ in range(4)]
    bias = torch.rand(d)
    may = torch.ones(n, n, dtype=torch.bool).tril()

    def attention():
        q, k, v = (torch.nn.functional.linear(x, w, bias).view(batch, n, heads, d // heads).transpose(1, 2) for w in weights[:3])
        scores = q @ k.transpose(2, 3)
        scaled = scores / math.sqrt(d // heads)
        masked = scaled.masked_fill(~may, -math.inf)
        attending = masked.softmax(-1)
        head_outputs = attending @ v
        concat = head_outputs.transpose(1, 2).reshape(batch, n, d)
        return q, k, v, scores, scaled, masked, attending, head_outputs, concat, torch.nn.functional.linear(concat, weights[3], bias)

    best = math.inf
    for threads in {1, os.cpu_count() or 1}:
        torch.set_num_threads(threads)
        attention()
        for _ in range(runs):
            start = time.perf_counter()
            kept = attention()
            best = min(best, time.perf_counter() - start)
            del kept
    return best * 1e3


def time_headlight(program, batch, n, d, heads, runs, kernels=None):
    environment = dict(os.environ, **({"HEADLIGHT_KERNELS": kernels} if kernels else {}))
    command = [program, "trace", "--random", "--batch-size", batch, "--queries", n, "--d-model", d, "--heads", heads,
               "--mask", "causal()", "--time", runs]
    done = subprocess.run([str(word) for word in command], env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        return None
    return json.loads(done.stdout)["whole"]["min_ms"]


def table(program, runs):
    torch, blas = pytorch()
    with open("/proc/cpuinfo") as cpu:
        model = next((line.split(":")[1].strip() for line in cpu if line.startswith("model name")), "unknown processor")
    print(f"{os.cpu_count()} × {model}; PyTorch {torch.__version__} with {blas}; the least of each\n")
    print("| all stages kept, causal | PyTorch | Headlight | times PyTorch's speed | AVX2 alone | SSE2 alone |")
    print("|---|---|---|---|---|---|")
    for batch, n, d, heads in SIZES:
        many = max(3, min(2000, runs * 3_000_000_000 // (batch * n * d * (d + n))))
        # By turns, so that whatever else the machine does meets both.
        theirs = time_pytorch(torch, batch, n, d, heads, many)
        ours = time_headlight(program, batch, n, d, heads, many)
        theirs = min(theirs, time_pytorch(torch, batch, n, d, heads, many))
        ours = min(ours, time_headlight(program, batch, n, d, heads, many))
        lower = [time_headlight(program, batch, n, d, heads, many, kernels) for kernels in ("avx2", "sse2")]
        ratios = " | ".join("–" if time is None else f"{theirs / time:.1f}" for time in lower)
        print(f"| [{batch}, {n}, {d}, {heads} heads] | {theirs:.2f} ms | {ours:.2f} ms | **{theirs / ours:.1f}** | {ratios} |", flush=True)


def growth(program, out, last):
    with open(out, "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["tokens", "milliseconds", "megabytes"])
        n = 128
        while n <= last:
            with tempfile.TemporaryDirectory() as folder:
                picture = os.path.join(folder, "weights.png")
                command = [program, "render", "--random", "--queries", str(n), "--d-model", "512", "--heads", "8", "--mask",
                           "causal() && (window(4096) || sink(4))", "--stage", "weights", "--head", "0", "--size", "800x800", "-o", picture]
                fastest, most = math.inf, 0
                for _ in range(3):
                    start = time.perf_counter()
                    child = subprocess.Popen(command, stderr=subprocess.DEVNULL)
                    _, status, usage = os.wait4(child.pid, 0)
                    if status != 0:
                        sys.exit(f"bench: {' '.join(command)} ended with {status}")
                    fastest, most = min(fastest, time.perf_counter() - start), max(most, usage.ru_maxrss)
                row = [n, round(fastest * 1e3, 1), round(most / 1e3, 1)]
            rows.writerow(row)
            print(*row, flush=True)
            n *= 2
    drawn_by = os.path.join(os.path.dirname(program), "headlight_growth_figure")
    if os.path.exists(drawn_by):
        subprocess.run([drawn_by, out, os.path.splitext(out)[0] + ".svg"], check=True)


if __name__ == "__main__":
    without_openblas_settings()
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("program")
    words.add_argument("--runs", type=int, default=10)
    words.add_argument("--growth")
    words.add_argument("--to", type=int, default=2 ** 17)
    given = words.parse_args()
    if given.growth:
        growth(given.program, given.growth, given.to)
    else:
        table(given.program, given.runs)
