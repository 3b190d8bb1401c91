#!/usr/bin/env python3
"""Random command lines over every option that `--help` names, with odd values: each ends by itself with status 0, 1 or 2, with
one line on standard error where it is 2, within the given seconds of a processor and memory, and leaves no half-written file.

    command_lines.py PROGRAM [--count 120] [--seed 1] [--seconds 5] [--megabytes 2048] [--fixtures FOLDER]
"""
import argparse
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("--count", type=int, default=120)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--seconds", type=float, default=5)
parser.add_argument("--megabytes", type=int, default=2048)
parser.add_argument("--fixtures", default=str(Path(__file__).parent.parent / "fixtures"))
args = parser.parse_args()
rng = random.Random(args.seed)
program = os.path.abspath(args.program)
fixtures = Path(args.fixtures).absolute()

ODD = ["0", "-1", "1", "2", "3", "7", "1e30", "-1e30", "1e-30", "NaN", "inf", "-inf", "", " ", "\t", "é", "你好", "x", "true",
       "9223372036854775807", "18446744073709551616", "0x10", "1,2,3", "0:0", "1:0", "-3:", "[[1,2],[3,4]]", "[[", "{}", "null",
       "causal()", "causal() && window(4)", "q /", "window(1e30)", "random(0.5, 1)", "all", "mean", "half", "row", "weights",
       "the cat sat", "8x6cm", "0x0", "1e9x1e9", "640x480", "column", "print", "0.5", "weights:0,0,0,0", "Q:0,1,1", "W_q:0,0",
       "weights:9,9,9,9", "operation:scores", "pipeline", "en", "xx", "../..", "/", "/dev/null", "no/such/folder/f.png", "\x01\x1b[31m",
       b"\xff\xfe\x80", "a" * 100_000, "9" * 400, "((((" * 5000, "-" * 30]
FILES = ["lesson:masked-self-attention", "lesson:nothing", "model:english", "model:numbers", "model:nothing", "nothing.npz", "/", "/dev/null"]
GOOD = ["lesson:masked-self-attention", "model:english", "model:numbers", *(str(p) for p in sorted(fixtures.glob("s00*.input.*")))]
FILES += [str(p) for p in sorted(fixtures.glob("*.input.*"))] + ["odd.npz", "odd.json", "odd.pt", "odd.safetensors"]

help_text = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
OPTIONS = sorted(set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", help_text)) - {"--help", "--version", "--threads", "--frames", "--time"})
if len(OPTIONS) < 60:
    sys.exit(f"only {len(OPTIONS)} options were found in --help")
# The operands of options in --help, with values for each.
PLACE = dict(re.findall(r"(?<![\w-])(--[a-z][a-z0-9-]*)(?: |=)(\S+)", help_text))
FITTING = {"N": ["1", "2", "4", "8"], "X": ["0.5", "2", "-1", "0"], "C": ["20"], "I": ["0"], "P": ["0.1", "0.5"], "A:B": ["0:2", "1:"],
           "EXPR": ["causal()", "window(2)", "full()", "q % 2 == 0"], "PT": ["6", "9"], "PIXELS": ["1", "20"], "PREFIX": ["0"]}


def value_for(option, odd):
    if rng.random() < odd:
        return rng.choice(ODD)
    place = PLACE.get(option, "").strip("[]()\"")
    if place in FITTING:
        return rng.choice(FITTING[place])
    if "|" in place:
        return rng.choice(place.split("|"))
    return rng.choice(ODD)


def endings_of(command):
    return re.search(r"headlight %s .*-o OUT\.\{(.*?)\}" % command, help_text)[1].split(",")


# (words of a command, allowed endings of the file for -o)
COMMANDS = [(["trace"], endings_of("trace")), (["render"], endings_of("render")), (["explain"], []),
            (["compare"], []), (["bundle"], ["zip", ""]), (["predict"], []), (["lesson"], []), (["handout"], ["pdf"]),
            (["list"], []), ([], [])]


def command_line():
    likely = rng.random() < 0.5  # to be right, but for a value here and there
    words, endings = rng.choice(COMMANDS if not likely else [c for c in COMMANDS if c[0] not in (["lesson"], ["list"])])
    line = list(words)
    if not words:
        line += ["--screenshot", "shot.png", "--size", rng.choice(["640x480", "320x200", "1024x768"])]
    if words == ["list"]:
        line.append(rng.choice(["stages", "masks", "lessons", "models", "colormaps", "languages", "schema", "layers", "nothing"]))
    if likely:
        line += [rng.choice(GOOD)] * (2 if words == ["compare"] else 1)
        line += ["--text", "the cat"] if words == ["predict"] else []
    else:
        line += rng.choices(FILES, k=rng.choice([0, 1, 1, 1, 1, 2]))
    if endings and (likely or rng.random() < 0.9):
        line += ["-o", "out." + rng.choice(endings)]
    if words == ["render"] and (likely or rng.random() < 0.8):
        line += ["--stage", rng.choice(["weights", "scores", "Q", "mask", "output", "concat"])]
    if words == ["explain"] and (likely or rng.random() < 0.8):
        line += ["--cell", rng.choice(["weights:0,0,0,0", "output:0,0,0", "Q:0,1,1", "masked_scores:0,1,1,0"])]
    for _ in range(rng.choice([0, 1, 1, 2, 3])):
        option = rng.choice(OPTIONS)
        line.append(option)
        if option in PLACE and rng.random() < 0.95:
            line.append(value_for(option, 0.1 if likely else 0.6))
    return line


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def shown(line):
    text = " ".join(repr(w if len(w) < 80 else w[:30] + type(w)("…" if isinstance(w, str) else b"...") + w[-5:]) for w in line)
    return text


failures = []
statuses = {}
slowest = (0.0, "")
with tempfile.TemporaryDirectory() as scratch:
    home = Path(scratch) / "home"
    work = Path(scratch) / "work"
    home.mkdir()
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "XDG_STATE_HOME": str(home), "XDG_CONFIG_HOME": str(home),
                   "XDG_DATA_HOME": str(home), "XDG_CACHE_HOME": str(home), "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", ""),
                   "OMP_NUM_THREADS": "1"}
    for number in range(args.count):
        if work.exists():
            subprocess.run(["rm", "-rf", str(work)], check=True)
        work.mkdir()
        for name in ("odd.npz", "odd.json", "odd.pt", "odd.safetensors"):
            (work / name).write_bytes(rng.randbytes(rng.choice([0, 1, 10, 1000])))
        before = {p.name for p in work.iterdir()}
        line = command_line()
        while any(isinstance(w, str) and "\0" in w for w in line):
            line = command_line()
        start = time.monotonic()
        used = processor_seconds()
        try:
            done = subprocess.run([program, *line], cwd=work, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=20 * args.seconds,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
            status, error = done.returncode, done.stderr
        except subprocess.TimeoutExpired:
            status, error = "no end", b""
        seconds = time.monotonic() - start
        statuses[status] = statuses.get(status, 0) + 1
        used = processor_seconds() - used  # what it takes where nobody else runs
        slowest = max(slowest, (used, shown(line)))
        wrong = []
        if status not in (0, 1, 2):
            wrong.append(f"status {status}: {error[-300:]!r}")
        if status == 2 and (len(error.splitlines()) != 1 or not error.startswith(b"headlight")):
            wrong.append(f"{len(error.splitlines())} lines on standard error: {error[:300]!r}")
        if len(error) > 20_000:
            wrong.append(f"{len(error)} bytes on standard error")
        if any(byte < 32 and byte not in (9, 10) for byte in error):
            wrong.append(f"control characters on standard error: {error[:200]!r}")
        if used > args.seconds or status == "no end":
            wrong.append(f"{used:.1f} s of the processor, {seconds:.1f} s in all")
        after = {p.name for p in work.iterdir()} - before
        if status == 2 and after:
            wrong.append(f"it left {sorted(after)}")
        if any(name.endswith(".tmp") for name in after):
            wrong.append(f"a temporary stayed: {sorted(after)}")
        if wrong:
            failures.append((line, wrong))
            print(f"line {number}: headlight {shown(line)}", *wrong, sep="\n    ", flush=True)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    if peak > args.megabytes:
        failures.append(([], [f"{peak:.0f} MB at the peak"]))
        print(f"{peak:.0f} MB at the peak")
print(f"{args.count} command lines, {len(failures)} failures, by status {statuses}; slowest {slowest[0]:.2f} s ({slowest[1][:200]}), at most {peak:.0f} MB")
sys.exit(1 if failures else 0)
