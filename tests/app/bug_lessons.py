#!/usr/bin/env python3
"""Runs the code of lessons with a mistake in PyTorch: it must make that mistake, and the corrected code must be right.

    bug_lessons.py PROGRAM LESSONS

Each lesson's code runs on the parameters and inputs of its own scenario. `headlight compare` must name the lesson's mistake
first, and agree once the wrong line is the mended one. Without PyTorch only what needs none is checked: the code is Python
before and after, the mended line changes it, and the lesson's scenario and claims hold.
"""
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
except ImportError:
    print("skipped: it needs NumPy (apt-get install python3-numpy)")
    sys.exit(77)
try:
    import torch
    torch.set_num_threads(1)
except ImportError:
    torch = None

PROGRAM, LESSONS = sys.argv[1], Path(sys.argv[2])
STAGES = ["Q", "K", "V", "Q_heads", "K_heads", "V_heads", "Q_rotated", "K_rotated", "scores", "scaled_scores", "masked_scores", "weights",
          "head_outputs", "concat", "output"]


def run(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)


def names_of(arrays, scenario):
    """The names that the code may use: x, mask, H, G, d_head, the projections and their weights, cos and sin."""
    tensors = {name: torch.from_numpy(np.array(arrays[name])) for name in arrays.files}
    heads = scenario.get("heads", 1)
    names = {"torch": torch, "math": math, "x": tensors["query"], "H": heads, "G": scenario.get("kv_heads") or heads}
    for letter in "qkvo":
        weight, bias = tensors["W_" + letter], tensors.get("b_" + letter)
        names[f"W_{letter}"], names[f"b_{letter}"] = weight, bias
        names[f"{letter}_proj"] = lambda t, weight=weight, bias=bias: torch.nn.functional.linear(t, weight, bias)
    if "mask" in tensors:
        names["mask"] = tensors["mask"] != 0
    n, d_head = names["x"].shape[1], tensors["W_q"].shape[0] // heads
    names["d_head"] = d_head
    half = d_head // 2
    names["angles"] = torch.arange(n)[:, None] / 10000 ** (torch.arange(half) * 2 / d_head)
    return names


def stages_of(code, names, pairs_halves):
    names = dict(names)
    angles = names.pop("angles")
    spread = torch.cat((angles, angles), -1) if pairs_halves else angles.repeat_interleave(2, -1)
    names["cos"], names["sin"] = spread.cos(), spread.sin()
    exec("\n".join(code), names)
    return {stage: names[stage].numpy().astype(np.float32) for stage in STAGES if stage in names}


def check(file, folder):
    lesson = json.loads(file.read_text())
    bug, scenario = lesson["bug"], lesson["scenario"]
    (folder / "scenario.json").write_text(json.dumps(scenario))
    for words in (("lesson", file, "--check"), ("trace", folder / "scenario.json", "--parameters", "-o", folder / "trace.npz")):
        done = run(*words)
        if done.returncode:
            return [done.stderr]
    line = bug["line"] - 1
    mended = bug["code"][:line] + bug["mended"] + bug["code"][line + 1:]
    for code in (bug["code"], mended):
        compile("\n".join(code), file.name, "exec")
    if mended == bug["code"]:
        return ["the mended line is the wrong one"]
    return compare(bug, mended, scenario, folder) if torch else []


def compare(bug, mended, scenario, folder):
    names = names_of(np.load(folder / "trace.npz"), scenario)
    wrong = []
    for code, expected in ((bug["code"], bug["mistake"]), (mended, None)):
        # The order of the angles depends on the pairing that the code uses.
        stages = stages_of(code, names, not any("1::2" in each for each in code))
        np.savez(folder / "mine.npz", **stages)
        report = json.loads(run("compare", folder / "scenario.json", folder / "mine.npz", "--json").stdout)
        found = [each["id"] for each in report["diagnosis"]]
        if expected is None and not report["match"]:
            wrong.append(f"mended, it differs first at {report['first_difference']}: {found}")
        if expected is not None and found[:1] != [expected]:
            wrong.append(f"compare says {found} of the code, not {expected}")
    return wrong


def main():
    failures = 0
    files = sorted(LESSONS.glob("*.json"))
    for file in files:
        with tempfile.TemporaryDirectory() as folder:
            for each in check(file, Path(folder)):
                failures += 1
                print(f"{file.name}: {each}")
    print(f"{len(files)} lessons, {failures} failures")
    if not torch:
        print("their code was not run: it needs PyTorch (apt-get install python3-torch)")
    return failures > 0 or len(files) < 12


sys.exit(main())
