#!/usr/bin/env python3
"""A GPT-2 of full size with random weights: how long it takes to open and show layer 0, to run all of its layers beside PyTorch, and
in how much memory; and a checkpoint of 15 GB whose file is sparse.

    tests/bench/network_bench.py build/release/bin/headlight [FOLDER]     FOLDER keeps the files (0.5 GB) between runs

PyTorch computes the same blocks with the same numbers, written here; both use all cores unless OMP_NUM_THREADS says otherwise.
"""
import json
import math
import os
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import torch
import torch.nn.functional as F

PROGRAM = os.path.abspath(sys.argv[1])
D, HEADS, LAYERS, WORDS, POSITIONS = 768, 12, 12, 50257, 1024


def header_of(shapes):
    header, offset = {}, 0
    for name, shape in shapes.items():
        size = 4 * math.prod(shape)
        header[name] = {"dtype": "F32", "shape": list(shape), "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text, offset


def gpt2_shapes(d=D, layers=LAYERS):
    shapes = {"wte.weight": (WORDS, d), "wpe.weight": (POSITIONS, d), "ln_f.weight": (d,), "ln_f.bias": (d,)}
    for i in range(layers):
        h = f"h.{i}."
        shapes |= {h + "ln_1.weight": (d,), h + "ln_1.bias": (d,), h + "ln_2.weight": (d,), h + "ln_2.bias": (d,),
                   h + "attn.c_attn.weight": (d, 3 * d), h + "attn.c_attn.bias": (3 * d,), h + "attn.c_proj.weight": (d, d), h + "attn.c_proj.bias": (d,),
                   h + "mlp.c_fc.weight": (d, 4 * d), h + "mlp.c_fc.bias": (4 * d,), h + "mlp.c_proj.weight": (4 * d, d), h + "mlp.c_proj.bias": (d,)}
    return shapes


def write_sides(folder, d, layers, heads):
    (folder / "config.json").write_text(json.dumps(dict(model_type="gpt2", n_layer=layers, n_head=heads, n_embd=d, n_positions=POSITIONS,
                                                        vocab_size=WORDS, activation_function="gelu_new", layer_norm_epsilon=1e-5)))
    words = {f"w{i}": i for i in range(WORDS)}
    (folder / "tokenizer.json").write_text(json.dumps(dict(model=dict(type="WordLevel", vocab=words, unk_token="[UNK]"), pre_tokenizer=dict(type="WhitespaceSplit"), added_tokens=[])))


def make_gpt2(folder):
    if (folder / "model.safetensors").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    head, _ = header_of(gpt2_shapes())
    torch.manual_seed(1)
    with open(folder / "model.safetensors", "wb") as file:
        file.write(head)
        for name, shape in gpt2_shapes().items():
            is_gain = name.endswith("weight") and ("ln_" in name)
            file.write((torch.ones(shape) if is_gain else torch.randn(shape) * 0.02).numpy().tobytes())
    write_sides(folder, D, LAYERS, HEADS)


def make_sparse(folder, wanted=15e9):
    """Of zeros that are on no disk: as many layers as make so many bytes."""
    if (folder / "model.safetensors").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    d, heads = 4096, 32
    layers = int((wanted / 4 - WORDS * d) / (12 * d * d))
    head, size = header_of(gpt2_shapes(d, layers))
    with open(folder / "model.safetensors", "wb") as file:
        file.write(head)
        file.truncate(len(head) + size)
    write_sides(folder, d, layers, heads)


def timed(arguments, times=3):
    """Seconds of the fastest of so many runs, of the clock and of processors, and the most memory of one in MB."""
    best, busy, peak = math.inf, math.inf, 0
    for _ in range(times):
        start = time.perf_counter()
        child = subprocess.Popen([PROGRAM, *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        _, status, usage = os.wait4(child.pid, 0)
        best, busy = min(best, time.perf_counter() - start), min(busy, usage.ru_utime + usage.ru_stime)
        if status != 0:
            sys.exit(child.stderr.read().decode())
        peak = max(peak, usage.ru_maxrss / 1024)
    return best, busy, peak


def pytorch_seconds(folder, ids):
    raw = (folder / "model.safetensors").read_bytes()
    length = struct.unpack("<Q", raw[:8])[0]
    header = json.loads(raw[8:8 + length])
    w = {n: torch.frombuffer(bytearray(raw[8 + length + e["data_offsets"][0]:8 + length + e["data_offsets"][1]]), dtype=torch.float32).view(e["shape"]) for n, e in header.items()}
    del raw

    def run():
        n = len(ids)
        x = w["wte.weight"][ids] + w["wpe.weight"][:n]
        mask = torch.ones(n, n, dtype=torch.bool).tril()
        for i in range(LAYERS):
            h = f"h.{i}."
            y = F.layer_norm(x, (D,), w[h + "ln_1.weight"], w[h + "ln_1.bias"])
            q, k, v = (t.view(n, HEADS, -1).transpose(0, 1) for t in (y @ w[h + "attn.c_attn.weight"] + w[h + "attn.c_attn.bias"]).chunk(3, -1))
            a = (q @ k.transpose(-1, -2) / math.sqrt(D // HEADS)).masked_fill(~mask, -math.inf).softmax(-1)
            x = x + (a @ v).transpose(0, 1).reshape(n, D) @ w[h + "attn.c_proj.weight"] + w[h + "attn.c_proj.bias"]
            y = F.layer_norm(x, (D,), w[h + "ln_2.weight"], w[h + "ln_2.bias"])
            x = x + F.gelu(y @ w[h + "mlp.c_fc.weight"] + w[h + "mlp.c_fc.bias"], approximate="tanh") @ w[h + "mlp.c_proj.weight"] + w[h + "mlp.c_proj.bias"]
        return F.layer_norm(x, (D,), w["ln_f.weight"], w["ln_f.bias"])[-1] @ w["wte.weight"].T

    best, busy = math.inf, math.inf
    with torch.no_grad():
        for _ in range(5):
            start, used = time.perf_counter(), time.process_time()
            run()
            best, busy = min(best, time.perf_counter() - start), min(busy, time.process_time() - used)
    return best, busy


def main():
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(scratch)
        gpt2, sparse, out = root / "gpt2", root / "sparse", Path(scratch) / "out.npz"
        make_gpt2(gpt2)
        make_sparse(sparse)
        ids = [(7 * i + 11) % WORDS for i in range(64)]
        text = " ".join(f"w{i}" for i in ids)
        size = (gpt2 / "model.safetensors").stat().st_size / 2**20
        first = timed(["trace", gpt2, "--text", text, "--layer", 0, "--stages", "weights", "-o", out])
        whole = timed(["predict", gpt2, "--text", text])
        last = timed(["trace", gpt2, "--text", text, "--layer", LAYERS - 1, "--stages", "weights", "-o", out])
        large = timed(["trace", sparse, "--text", "w1 w2 w3 w4 w5 w6 w7 w8", "--layer", 0, "--stages", "weights", "-o", out], 2)
        theirs = pytorch_seconds(gpt2, ids)
        print("                        clock  processors  memory   (on a busy machine processors' seconds are the fair ones)")
        for name, (clock, busy, memory) in (("open and layer 0", first), ("layer 11, of 64 tokens", last), ("all and prediction", whole), ("15 GB, layer 0", large)):
            print(f"{name:22} {clock:6.2f} s  {busy:6.2f} s  {memory:6.0f} MB")
        print(f"{'the same in PyTorch':22} {theirs[0]:6.2f} s  {theirs[1]:6.2f} s   its weights in memory; the file has {size:.0f} MB")
        print(f"without opening ours are {(whole[0] - first[0]) / theirs[0]:.2f} times PyTorch's by the clock, {(whole[1] - first[1]) / theirs[1]:.2f} by processors")


main()
