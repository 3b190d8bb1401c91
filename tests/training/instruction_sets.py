#!/usr/bin/env python3
"""One seed under every instruction set and number of threads: instruction_sets.py HEADLIGHT. The threads must not change a bit; between the
instruction sets the first losses agree within float32's sums, and what learning makes of the difference is printed."""
import json
import os
import subprocess
import sys

program = sys.argv[1]
runs = [("reverse", 100), ("recall", 100), ("sort --mlp", 50)]


def losses(words, steps, kernels, threads):
    line = [program, "train", *words.split(), "--steps", str(steps), "--threads", str(threads), "--json"]
    done = subprocess.run(line, check=True, capture_output=True, text=True, env=os.environ | {"HEADLIGHT_KERNELS": kernels})
    return json.loads(done.stdout)["losses"]


for words, steps in runs:
    first = {kernels: losses(words, steps, kernels, 1) for kernels in ("sse2", "avx2", "avx512")}
    for kernels, alone in first.items():
        if losses(words, steps, kernels, 2) != alone:
            raise SystemExit(f"FAIL {words}, {kernels}: two threads give other numbers than one")
        apart = [abs(a - b) for a, b in zip(alone, first["sse2"])]
        if max(apart[:5]) > 1e-4:
            raise SystemExit(f"FAIL {words}, {kernels}: the first losses differ from sse2's by {max(apart[:5]):.2g}")
        print(f"{words}, {steps} steps, {kernels}: 1 and 2 threads equal; from sse2 at most {max(apart[:5]):.1g} in five steps, {max(apart):.1g} in all")
