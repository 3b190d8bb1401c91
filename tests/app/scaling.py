#!/usr/bin/env python3
"""Every command at 10 to 100,000 words and letters: it is done, or refuses, within 10 s of processor time and 2 GB.

    scaling.py PROGRAM [--whole] [--only PART] [--jobs N]

A command estimates from counts what it will need before it works. Done is exit 0; a refusal is exit 2 with one line on
standard error. Without --whole only some sizes of each command are run, in seconds altogether; --only takes the
commands whose name contains PART.
"""
import argparse
import concurrent.futures
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

MOST_SECONDS, MOST_BYTES = 10, 2_000_000_000
LONG_HEATMAP_SECONDS = 25  # of 10 billion cells that are computed for one picture: sequences of 131,072 tokens are drawn
SIZES = (10, 100, 1_000, 10_000, 100_000)
LESSON = Path(__file__).resolve().parents[2] / "assets" / "lessons" / "course" / "01-weighted-average.json"

FIGURES = {
    "heatmap": [],
    "all-heads": ["--head", "all"],
    "values": ["--values"],
    "arcs": ["--kind", "arcs"],
    "arcs-all": ["--kind", "arcs", "--head", "all"],
    "difference": ["--kind", "difference", "--head", "0,1"],
    "reach": ["--kind", "reach", "--stage", "mask"],
    "blocks": ["--kind", "blocks", "--stage", "mask"],
    "side-by-side": ["--kind", "side-by-side", "--stage", "mask", "--other-mask", "window(3)"],
    "cells": ["--cell", "12"],
    "arrives": ["--measure", "arrives"],
    "Q": ["--stage", "Q"],
    "paper": ["--size", "column"],
}


def text_of(kind, size):
    return " ".join(f"w{i % 997}" for i in range(size)) if kind == "words" else "ab c" * (size // 4) + "d" * (size % 4)


def document(folder, kind, size, model=None):
    """A scenario file with a text of that many words, or that many letters that are a token each."""
    path = Path(folder, f"{kind}-{size}{'-' + model if model else ''}.json")
    if not path.exists():
        scenario = {"text": text_of(kind, size)}
        if model:
            scenario.update(source="file", file="model:" + model)
        else:
            scenario.update(source="text", mask="causal()", **({"tokenizer": "characters"} if kind == "letters" else {}))
        path.write_text(json.dumps(scenario))
    return path


def lesson(folder, kind, size):
    path = Path(folder, f"lesson-{kind}-{size}.json")
    course = json.loads(LESSON.read_text())
    if kind == "steps":
        course["steps"] = [course["steps"][i % len(course["steps"])] for i in range(size)]
    else:
        text = {"braces": "$" + "\\frac{" * size + "$", "lists": "\n".join("  " * (i % 40) + "- a" for i in range(size)),
                "words": "word " * size, "nested": "\n".join("  " * i + "- a" for i in range(min(size, 3000))),
                "formulas": "$x_1$ " * size}[kind]
        for step in course["steps"]:
            step["text"] = {"en": text, "zh": text}
    path.write_text(json.dumps(course))
    return path


def commands(folder):
    """Name, size, command."""
    out = 0

    def written(ending):
        nonlocal out
        out += 1
        return ["-o", str(Path(folder, f"out-{out}{ending}"))]

    for kind in ("words", "letters"):
        for size in SIZES:
            file = str(document(folder, kind, size))
            yield f"trace-{kind}", size, ["trace", file, *written(".npz")]
            yield f"trace-json-{kind}", size, ["trace", file, *written(".json")]
            yield f"contributions-{kind}", size, ["trace", file, "--contributions", *written(".npz")]
            yield f"trace-time-{kind}", size, ["trace", file, "--time", "1"]
            yield f"explain-{kind}", size, ["explain", file, "--cell", f"weights:0,0,{size - 1},0", "--json"]
            yield f"explain-output-{kind}", size, ["explain", file, "--cell", f"output:0,{size - 1},0"]
            yield f"bundle-{kind}", size, ["bundle", file, *written("")]
            yield f"handout-{kind}", size, ["handout", file, *written(".pdf")]
            yield f"mask-code-{kind}", size, ["mask-code", file]
            for name, options in FIGURES.items():
                for ending in (".png", ".svg", ".pdf", ".html", ".csv", ".npy"):
                    if kind == "letters" and ending in (".svg", ".npy"):
                        continue  # the same as of words
                    stage = [] if "--stage" in options else ["--stage", "weights"]
                    yield f"render-{name}{ending}-{kind}", size, ["render", file, *stage, *options, *written(ending)]
    for size in SIZES:
        file = str(document(folder, "words", size, "english"))
        yield "predict", size, ["predict", file]
        yield "predict-write", size, ["predict", str(document(folder, "words", 10, "english")), "--write", str(size)]
        yield "predict-lens", size, ["predict", file, "--lens"]
        yield "trace-model", size, ["trace", file, *written(".npz")]
        yield "render-model", size, ["render", file, "--stage", "weights", "--layers", "all", *written(".png")]
        for kind in ("steps", "braces", "lists", "nested", "words", "formulas"):
            made = str(lesson(folder, kind, size))
            yield f"check-{kind}", size, ["lesson", made, "--check"]
            yield f"worksheet-{kind}", size, ["lesson", made, "--worksheet", str(Path(folder, f"sheet-{kind}-{size}.pdf"))]
        for view in ("pipeline", "heads", "mask"):
            yield f"screenshot-{view}", size, [str(document(folder, "words", size)), "--view", view, "--size", "640x400", "--screenshot", str(Path(folder, f"{view}-{size}.png"))]


def run(program, command, folder):
    """What is wrong, or None; and the seconds and bytes used."""
    limits = lambda: (resource.setrlimit(resource.RLIMIT_CPU, (3 * MOST_SECONDS, 3 * MOST_SECONDS)),
                      resource.setrlimit(resource.RLIMIT_AS, (12 * 10 ** 9, 12 * 10 ** 9)))
    # Stages may take what this says, a quarter of the machine unless it is set; the rest is for copies.
    environment = {**os.environ, "HEADLIGHT_MEMORY": "1000"}
    with tempfile.TemporaryFile(dir=folder) as errors:
        child = subprocess.Popen([program, *command], stdout=subprocess.DEVNULL, stderr=errors, preexec_fn=limits, cwd=folder, env=environment)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = status
        errors.seek(0)
        said = errors.read().decode("utf-8", "replace")
    code = os.waitstatus_to_exitcode(status)
    seconds, used = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024
    wrong = []
    if code not in (0, 1, 2) or (code == 2 and (not said.startswith("headlight: ") or said.count("\n") != 1)):
        wrong.append(f"exit {code}: {said[:200]!r}")
    long_heatmap = command[0] == "render" and "100000" in command[1] and "-o" in command
    if seconds > (LONG_HEATMAP_SECONDS if long_heatmap else MOST_SECONDS):
        wrong.append(f"{seconds:.1f} s")
    if used > MOST_BYTES:
        wrong.append(f"{used / 1e9:.1f} GB")
    for place, flag in (("-o", 1), ("--worksheet", 1), ("--screenshot", 1)):
        if place in command:
            made = Path(command[command.index(place) + flag])
            if made.is_file():
                made.unlink()
    return "; ".join(wrong), code, seconds, used, said


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    program = str(Path(options.program).resolve())
    failures = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        started = {}
        for number, (name, size, command) in enumerate(commands(folder)):
            # A slice: the largest size of one command in seven, and small ones of others.
            if not options.whole and not (number % 23 == 0):
                continue
            if options.only in name:
                started[pool.submit(run, program, command, folder)] = (name, size)
        for done in concurrent.futures.as_completed(started):
            wrong, code, seconds, used, said = done.result()
            failures += bool(wrong)
            if wrong or options.verbose:
                print("FAILED:" if wrong else "", *started[done], wrong or f"exit {code} {seconds:.1f} s {used / 1e6:.0f} MB {said[:100]!r}", flush=True)
    print(f"{len(started)} commands, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
