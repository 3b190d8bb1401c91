#!/usr/bin/env python3
"""The table of docs/training.md: experiments.py HEADLIGHT [docs/training.md]. Seeds 0 to 4 of every experiment; prints the rows, and puts
them between the marks of the file, if one is named. Takes about a minute."""
import json
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

seeds = range(5)
begin, end = "<!-- begin of the table: tests/training/experiments.py -->", "<!-- end of the table -->"

# (what is said of it, the command, steps, the accuracy that counts as learned)
experiments = [
    ("`reverse`: one layer of 2 heads, no mask, learned positions", "reverse", 300, 0.99),
    ("〃 `--heads 1`", "reverse --heads 1", 300, 0.99),
    ("〃 `--heads 4`", "reverse --heads 4", 300, 0.99),
    ("〃 `--mask \"causal()\"`", "reverse --mask causal()", 300, None),
    ("〃 `--positions none`", "reverse --positions none", 600, None),
    ("〃 `--norm=false`", "reverse --norm=false", 1000, 0.99),
    ("〃 `--norm=false --scale 8` in place of ¼", "reverse --norm=false --scale 8", 1000, 0.99),
    ("`previous`: `causal()`, learned positions", "previous", 300, 0.99),
    ("〃 `--positions none`", "previous --positions none", 600, None),
    ("`recall`: 2 layers, `causal()`, no LayerNorm", "recall", 600, 0.99),
    ("〃 `--layers 1`", "recall --layers 1", 2000, None),
    ("`repeat`: 2 layers, `causal()`, no LayerNorm", "repeat", 1500, 0.95),
    ("〃 `--layers 1`", "repeat --layers 1", 1500, None),
    ("`sort`: one layer, no MLP", "sort", 2000, 0.95),
    ("〃 `--mlp`", "sort --mlp", 2000, 0.99),
    ("`count`: one layer, `causal()`", "count", 1500, 0.98),
]


def run(program, words, steps, seed):
    # The text of the command is data: masks have brackets but no blanks here.
    done = subprocess.run([program, "train", *words.split(), "--steps", str(steps), "--seed", str(seed), "--threads", "1", "--json"],
                          check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def median_and_range(values, form):
    shown = [form(v) for v in (statistics.median(values), min(values), max(values))]
    return shown[0] if shown[1] == shown[2] else f"{shown[0]} ({shown[1]} – {shown[2]})"


def row(program, said, words, steps, goal):
    runs = [run(program, words, steps, seed) for seed in seeds]
    percent = lambda share: f"{100 * share:.1f} %"
    reached = []
    for each in runs:
        learned = [m["step"] for m in each["history"] if goal and m["accuracy"] >= goal]
        reached.append(learned[0] if learned else None)
    if goal and all(r is not None for r in reached):
        learned = f"{100 * goal:.0f} % after {median_and_range(reached, lambda s: str(round(s)))} steps"
    elif goal:
        learned = f"{100 * goal:.0f} % by {sum(r is not None for r in reached)} of 5 seeds"
    else:
        learned = "–"
    ceiling = runs[0]["ceiling"]
    return (f"| {said} | {percent(runs[0]['chance'])} | {percent(ceiling)} | {learned} | {median_and_range([r['accuracy'] for r in runs], percent)} "
            f"after {steps} steps |")


def main():
    with ThreadPoolExecutor(2) as pool:
        rows = list(pool.map(lambda e: row(sys.argv[1], *e), experiments))
    table = "\n".join(["| task and settings | chance | ceiling | learned | accuracy |", "|---|---|---|---|---|", *rows])
    print(table)
    if len(sys.argv) > 2:
        path = Path(sys.argv[2])
        text = path.read_text(encoding="utf-8")
        path.write_text(text[: text.index(begin)] + begin + "\n" + table + "\n" + text[text.index(end):], encoding="utf-8")


main()
