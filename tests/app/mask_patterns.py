#!/usr/bin/env python3
"""Every mask pattern against its definition written out once more in plain Python, cell by cell, with parameters drawn
from a seed; painted cells, masks from files, and what is said about malformed expressions.

    mask_patterns.py PROGRAM [--seed N] [--rounds N] [--lengths N,N…]

With --lengths every pattern is held against its definition in squares of these sizes too, in the lines where blocks of
the computation may begin and end.
"""
import argparse
import functools
import json
import random
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

try:
    import numpy as np
except ImportError:
    print("skipped: it needs NumPy (apt-get install python3-numpy)")
    sys.exit(77)


def mix(x):
    for _ in range(2):
        x = ((x ^ (x >> 16)) * 0x45D9F3B) % 2**32
    return x ^ (x >> 16)


def word(seed, i, j):
    return mix((mix((mix((seed + 0x9E3779B9) % 2**32) + i) % 2**32) + j) % 2**32)


def run_of(token, lengths):
    run, end = 0, lengths[0]
    while token >= end:
        run += 1
        end += lengths[min(run, len(lengths) - 1)]
    return run


@functools.lru_cache(maxsize=4096)
def ranked(seed, i, blocks, half, g):
    """The blocks that neither the window nor the global ones take, from the lowest hash on."""
    return sorted((t for t in range(blocks) if abs(i - t) > half and t >= g), key=lambda t: word(seed, i, t))


def bigbird(q, k, n_q, n_k, block, w, g, r, seed):
    i, j = q // block, k // block
    return abs(i - j) <= w // 2 or i < g or j < g or j in ranked(seed, i, (n_k + block - 1) // block, w // 2, g)[:r]


def near(token, centre, size, kernel):
    half = kernel // 2
    return abs(token - min(max(centre, half), size - 1 - half)) <= half


def neighborhood(q, k, n_q, n_k, width, height, kernel):
    return near(k % width, q % width, width, kernel) and near(k // width, q // width, height, kernel)


def swin(q, k, n_q, n_k, width, size, shift):
    def window(t):
        return (t // width - shift) // size, (t % width - shift) // size

    return window(q) == window(k)


# name: (definition over q, k, n_q, n_k and the parameters; how parameters are drawn)
whole = lambda lo, hi: lambda r: r.randint(lo, hi)
PATTERNS = {
    "full": (lambda q, k, n_q, n_k: True, []),
    "causal": (lambda q, k, n_q, n_k: k <= q, []),
    "causal_bottom_right": (lambda q, k, n_q, n_k: k <= q + n_k - n_q, []),
    "diagonal": (lambda q, k, n_q, n_k: k == q, []),
    "window": (lambda q, k, n_q, n_k, w: abs(q - k) < w, [whole(0, 40)]),
    "window_inclusive": (lambda q, k, n_q, n_k, w: abs(q - k) <= w, [whole(0, 40)]),
    "dilated": (lambda q, k, n_q, n_k, w, d: abs(q - k) <= w and abs(q - k) % d == 0, [whole(0, 40), whole(1, 9)]),
    "strided": (lambda q, k, n_q, n_k, l: (q - k) % l == 0, [whole(1, 12)]),
    "fixed": (lambda q, k, n_q, n_k, l, c: k // l == q // l or k % l >= l - c, [whole(1, 12), whole(0, 5)]),
    "chunked": (lambda q, k, n_q, n_k, c: q // c == k // c, [whole(1, 12)]),
    "prefix": (lambda q, k, n_q, n_k, p: k < p, [whole(0, 40)]),
    "global": (lambda q, k, n_q, n_k, g: q < g or k < g, [whole(0, 40)]),
    "sink": (lambda q, k, n_q, n_k, s: k < s, [whole(0, 9)]),
    "bigbird": (bigbird, [whole(1, 6), whole(0, 5), whole(0, 3), whole(0, 5), whole(0, 2**32 - 1)]),
    "random": (lambda q, k, n_q, n_k, p, seed: word(seed, q, k) < p * 2**32, [lambda r: round(r.random(), 3), whole(0, 2**32 - 1)]),
    "document": (lambda q, k, n_q, n_k, *n: run_of(q, n) == run_of(k, n), [whole(1, 12)] * 3),
    "valid": (lambda q, k, n_q, n_k, n: k < n, [whole(0, 40)]),
    "neighborhood": (neighborhood, [whole(5, 9), whole(5, 9), lambda r: r.choice([1, 3, 5])]),
    "axial": (lambda q, k, n_q, n_k, width: q // width == k // width or q % width == k % width, [whole(1, 9)]),
    "swin": (swin, [whole(2, 9), whole(1, 5), whole(0, 4)]),
    "not_self": (lambda q, k, n_q, n_k: k != q, []),
}
SIZES = [(37, 37), (5, 37), (37, 5), (1, 19), (24, 31)]
MALFORMED = {
    "causal(": "causal(", "k <": "k <", "windwo(3)": "window", "window()": "window", "window(-1)": "0 or more",
    "q = k": "==", "": "empty", "(" * 100000: "", "q / (n_q - n_q) > 1": "", "x < 3": "x",
}  # fmt: skip


class Program:
    def __init__(self, path, folder):
        self.path, self.folder = path, folder

    def run(self, *arguments):
        return subprocess.run([self.path, *map(str, arguments)], capture_output=True, text=True, timeout=60)

    def mask(self, *arguments):
        out = self.folder / "t.npz"
        done = self.run("trace", *arguments, "-o", out)
        assert done.returncode == 0, done.stderr
        return np.load(out)["mask"]


def sized(n_q, n_k):
    return ["--random", "--d-model", 4, "--heads", 1, "--queries", n_q, "--keys", n_k]


def check_pattern(program, name, draw, n_q, n_k):
    definition, parameters = PATTERNS[name]
    values = [parameter(draw) for parameter in parameters]
    expression = f"{name}({', '.join(map(str, values))})"
    expected = [[bool(definition(q, k, n_q, n_k, *values)) for k in range(n_k)] for q in range(n_q)]
    found = program.mask(*sized(n_q, n_k), "--mask", expression)[0, 0]
    wrong = np.argwhere(found != np.array(expected))
    assert len(wrong) == 0, f"{expression} at {n_q} x {n_k}: {len(wrong)} cells differ, the first {wrong[0]}"


def check_edges(program, name, draw, n):
    """Rows and columns of n tokens beside multiples of 128 and 2048, and the last ones."""
    definition, parameters = PATTERNS[name]
    values = [parameter(draw) for parameter in parameters]
    expression = f"{name}({', '.join(map(str, values))})"
    out = program.folder / "m.npy"
    done = program.run("render", *sized(n, n), "--mask", expression, "--stage", "mask", "-o", out)
    assert done.returncode == 0, done.stderr
    found = np.load(out)
    for line in sorted({t for t in (0, 1, 126, 127, 128, 129, 255, 256, 2047, 2048, n - 2, n - 1) if 0 <= t < n}):
        row = [bool(definition(line, k, n, n, *values)) for k in range(n)]
        column = [bool(definition(q, line, n, n, *values)) for q in range(n)]
        assert (found[line] == row).all(), f"{expression} of {n}: row {line}"
        assert (found[:, line] == column).all(), f"{expression} of {n}: column {line}"


def check_padding(program):
    found = program.mask(*sized(6, 9), "--batch-size", 3, "--valid-lens", "4,9,0", "--mask", "padding()")
    for b, length in enumerate([4, 9, 0]):
        assert (found[b, 0] == (np.arange(9) < length)).all(), "padding()"


def check_grid(program):
    for grid, first in (("4x3", 2), ("3x4@1", 1)):
        rows, columns = map(int, grid.split("@")[0].split("x"))
        inside = lambda t: first <= t < first + rows * columns
        row, col = (lambda t: (t - first) // columns), (lambda t: (t - first) % columns)
        for expression, definition in (
            ("neighborhood(1)", lambda q, k: not inside(q) or not inside(k) or max(abs(row(q) - row(k)), abs(col(q) - col(k))) <= 1),
            ("row(k) == 1 && col(q) >= 0", lambda q, k: inside(k) and row(k) == 1 and inside(q)),
        ):  # fmt: skip
            found = program.mask(*sized(14, 14), "--grid", grid, "--mask", expression)[0, 0]
            assert (found == [[definition(q, k) for k in range(14)] for q in range(14)]).all(), f"{expression} of {grid}"
    done = program.run("trace", *sized(14, 14), "--mask", "neighborhood(1)", "-o", program.folder / "never.npz")
    assert done.returncode == 2 and "--grid" in done.stderr, done.stderr


def check_painted(program):
    scenario = program.folder / "s.json"
    scenario.write_text(json.dumps({
        "source": "random", "queries": 12, "keys": 12, "heads": 2, "mask": "causal()",
        "painted": [{"query": 2, "key": 3, "queries": 4, "keys": 6, "attend": True},
                    {"query": 5, "key": 0, "attend": False, "head": 1}]}))  # fmt: skip
    expected = np.broadcast_to(np.tril(np.ones((12, 12), bool)), (2, 12, 12)).copy()
    expected[:, 2:6, 3:9] = True
    expected[1, 5, 0] = False
    assert (program.mask(scenario)[0] == expected).all(), "painted cells"


def png(mask):
    rows = b"".join(b"\0" + bytes(255 * int(x) for x in row) for row in mask)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", mask.shape[1], mask.shape[0], 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def check_files(program, draw):
    mask = np.array([[draw.random() < 0.6 for _ in range(9)] for _ in range(7)])
    at = program.folder
    np.save(at / "m.npy", mask)
    np.savez(at / "m.npz", mask=mask.astype(np.int64))
    np.savetxt(at / "m.csv", mask, fmt="%d", delimiter=",")
    (at / "m.png").write_bytes(png(mask))
    for name in ("m.npy", "m.npz", "m.csv", "m.png"):
        assert (program.mask(*sized(7, 9), "--mask-file", at / name)[0, 0] == mask).all(), name
        turned = program.mask(*sized(7, 9), "--mask-file", at / name, "--mask-polarity", "ignore")[0, 0]
        assert (turned == ~mask).all(), name + " with --mask-polarity ignore"
        both = program.mask(*sized(7, 9), "--mask-file", at / name, "--mask", "file() && causal()")[0, 0]
        assert (both == (mask & np.tri(7, 9, dtype=bool))).all(), name + " in an expression"
        wrong = program.run("trace", *sized(8, 9), "--mask-file", at / name, "-o", at / "never.npz")
        assert wrong.returncode == 2 and "expected [n_q, n_k] = [8, 9]" in wrong.stderr, wrong.stderr
        assert not (at / "never.npz").exists()


def check_malformed(program):
    for expression, says in MALFORMED.items():
        done = program.run("trace", *sized(4, 4), "--mask", expression, "-o", program.folder / "never.npz")
        shown = repr(expression[:20])
        assert done.returncode == 2, f"{shown}: exit {done.returncode}"
        assert done.stderr.count("\n") == 1 and says in done.stderr and len(done.stderr) < 600, f"{shown}: {done.stderr!r}"
        assert expression == "" or "▸" in done.stderr, f"{shown}: no caret in {done.stderr!r}"


def check_all_are_here(program):
    """By name and number of parameters, as two patterns may have the same name. "document(n1, n2, …)" takes three here."""
    listed = {(name, len(rest[:-1].split(", ")) if rest != ")" else 0)
              for name, rest in (entry["name"].split("(") for entry in json.loads(program.run("list", "masks", "--json").stdout))}  # fmt: skip
    here = {(name, len(parameters)) for name, (_, parameters) in PATTERNS.items()}
    elsewhere = {("padding", 0), ("file", 0), ("painted", 0), ("neighborhood", 1)}  # check_padding(), check_files() …
    assert listed <= here | elsewhere, f"PATTERNS has no definition of {listed - here - elsewhere}"
    assert here | elsewhere <= listed, f"the program has no {(here | elsewhere) - listed}"


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("program")
    options.add_argument("--seed", type=int, default=6)
    options.add_argument("--rounds", type=int, default=1)
    options.add_argument("--lengths", type=lambda text: [int(n) for n in text.split(",")], default=[])
    wanted = options.parse_args()
    draw = random.Random(wanted.seed)
    with tempfile.TemporaryDirectory() as folder:
        program = Program(wanted.program, Path(folder))
        check_all_are_here(program)
        for _ in range(wanted.rounds):
            for name in PATTERNS:
                for n_q, n_k in SIZES:
                    check_pattern(program, name, draw, n_q, n_k)
            for name in PATTERNS:
                for n in wanted.lengths:
                    check_edges(program, name, draw, n)
        check_padding(program)
        check_grid(program)
        check_painted(program)
        check_files(program, draw)
        check_malformed(program)
    sizes = len(SIZES) + len(wanted.lengths)
    print(f"{len(PATTERNS)} patterns at {sizes} sizes, {wanted.rounds} times: as defined")


if __name__ == "__main__":
    main()
