#!/usr/bin/env python3
"""A real window under Xvfb with random input: clicks, drags, scrolling, typing, keys, resizing, and files dropped on
it where there is python3-xlib: real_monkey.py PROGRAM [--minutes 60] [--seed 1]. Needs Xvfb and xdotool. It fails when
the program ends, writes to standard error, does not answer within ten seconds, or holds more memory over its second
half than five percent above the first."""
import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

try:
    import xdnd
except ImportError:
    xdnd = None

parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("--minutes", type=float, default=60)
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()
if not shutil.which("Xvfb") or not shutil.which("xdotool"):
    print("no Xvfb or xdotool: skipped")
    sys.exit(77)
rng = random.Random(args.seed)
root = Path(__file__).resolve().parent.parent.parent
fixtures = root / "tests/fixtures"
WORDS = ["the cat sat", "one two three four five", "causal()", "window(3) || sink(1)", "8", "0.5", "-1e9", "你好", "((", "q % 2 == k % 2"]
KEYS = ["space", "Return", "Escape", "Tab", "shift+Tab", "Left", "Right", "Up", "Down", "Page_Up", "Page_Down", "Home", "End", "ctrl+z", "ctrl+y",
        "ctrl+shift+z", "p", "F5", "F11", "b", "a", "k", "plus", "minus", "0", "question", "Delete", "BackSpace", "shift+Right", "ctrl+c", "ctrl+v",
        "1", "2", "3", "4", "5", "ctrl+s", "ctrl+e", "ctrl+o", "h", "t", "m", "slash"]
width, height = 1280, 800


def resident(pid):
    """The memory of the process in megabytes."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


def processor_ticks(pid):
    """The processor time of the program, in the program and in the system."""
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]


def xdotool(*words):
    return subprocess.run(["xdotool", *map(str, words)], capture_output=True, text=True, timeout=30).stdout.strip()


def point():
    return rng.randrange(1, width - 1), rng.randrange(1, height - 1)


def act(window):
    global width, height, drops
    x, y = point()
    kind = rng.random()
    if source and window and rng.random() < 0.02:
        drops += source.drop(window, x, y, rng.choices(DROPS, k=rng.choice([1, 1, 1, 2])))
    elif kind < 0.35:
        xdotool("mousemove", x, y, "sleep", 0.03, "click", rng.choice([1, 1, 1, 1, 3]))
    elif kind < 0.45:
        to = point()
        xdotool("mousemove", x, y, "mousedown", 1, "sleep", 0.03, "mousemove", (x + to[0]) // 2, (y + to[1]) // 2, "sleep", 0.03, "mousemove", *to,
                "sleep", 0.03, "mouseup", 1)
    elif kind < 0.55:
        xdotool("mousemove", x, y, "click", "--repeat", rng.randrange(1, 6), "--delay", 10, rng.choice([4, 5]))
    elif kind < 0.60:
        xdotool("mousemove", x, y, "click", "--repeat", 2, "--delay", 40, 1)
    elif kind < 0.85:
        xdotool("key", "--delay", 20, *rng.choices(KEYS, k=rng.randrange(1, 5)))
    elif kind < 0.95:
        xdotool("type", "--delay", 5, rng.choice(WORDS))
    elif kind < 0.98:
        width, height = rng.choice([(640, 400), (1024, 768), (1280, 800), (1500, 900)])
        xdotool("windowsize", window, width, height)
    else:
        xdotool("mousemove", x, y, "sleep", 0.7)


def fail(text):
    print(f"seed {args.seed}, step {steps}: {text}")
    print(error_log.read_text()[-3000:])
    sys.exit(1)


scratch = tempfile.TemporaryDirectory()
home = Path(scratch.name)
work = home / "work"
work.mkdir()
for name in ("s002_v1.input.npz", "s003_valid_lens.input.npz", "s000_masked_mha.input.npz"):
    shutil.copy(fixtures / name, work / name)
# The files that are dropped: arrays, checkpoints, pictures, models, lessons, a course, and other files. They are copies,
# because the window may write to them.
DROPS = []
for name in ("tests/fixtures", "assets/lessons", "assets/models", "assets/examples", "README.md"):
    copy = home / "dropped" / name
    copy.parent.mkdir(parents=True, exist_ok=True)
    (shutil.copytree if (root / name).is_dir() else shutil.copy)(root / name, copy)
    DROPS += [*copy.glob("*"), *copy.glob("*/*")] if copy.is_dir() else [copy]
error_log = home / "error"
display_file = home / "display"
steps = drops = 0
source = None
with open(display_file, "w") as display:
    server = subprocess.Popen(["Xvfb", "-displayfd", "1", "-screen", "0", "1600x1000x24", "-nolisten", "tcp", "-noreset"], stdout=display, stderr=subprocess.DEVNULL)
try:
    while not display_file.read_text().strip():
        time.sleep(0.1)
    os.environ.update(DISPLAY=":" + display_file.read_text().strip(), HOME=str(home), XDG_STATE_HOME=str(home / "state"), XDG_CONFIG_HOME=str(home / "config"),
                      XDG_DATA_HOME=str(home / "data"), LIBGL_ALWAYS_SOFTWARE="1")
    os.environ.pop("WAYLAND_DISPLAY", None)
    source = xdnd.Source() if xdnd else None
    if not source:
        print("no python3-xlib: nothing is dropped", flush=True)
    start = time.monotonic()
    memory, slowest, restarts = [], 0.0, -1
    program = None
    while time.monotonic() - start < 60 * args.minutes:
        if program is None or program.poll() is not None:
            # A click may close the window, but it must not crash.
            if program is not None and program.returncode != 0:
                fail(f"the program ended with status {program.returncode}")
            restarts += 1
            with open(error_log, "w") as log:
                program = subprocess.Popen([os.path.abspath(args.program), "--size", "1280x800"], cwd=work, stdout=log, stderr=log)
            width, height = 1280, 800
            window = ""
            for _ in range(150):
                window = xdotool("search", "--onlyvisible", "--pid", program.pid, "--name", "Headlight").split("\n")[0]
                if window:
                    break
                time.sleep(0.1)
            memory = []
        act(window)
        steps += 1
        if steps % 25 == 0 and program.poll() is None:
            memory.append(resident(program.pid))
            # It takes keys and asks for nothing else: a hung loop would not read its signals' flags either, so a frame is asked for.
            before = time.monotonic()
            ticks = processor_ticks(program.pid)
            # Not smaller than the smallest size, also after F11.
            xdotool("mousemove", "--window", window, rng.randrange(20, 620), rng.randrange(20, 380))
            while processor_ticks(program.pid) == ticks:
                xdotool("mousemove_relative", "--", rng.choice([-3, 3]), rng.choice([-3, 3]))
                if time.monotonic() - before > 10:
                    fail("no frame in ten seconds")
            slowest = max(slowest, time.monotonic() - before)
            if error_log.read_text().strip():
                fail("it wrote to standard error")
    if program.poll() is None:
        program.send_signal(signal.SIGTERM)
        program.wait(20)
finally:
    server.terminate()
half = len(memory) // 2
growth = max(memory[half:]) / max(memory[: half or 1]) - 1 if half else 0.0
print(f"{steps} acts, {drops} drops, {restarts} restarts; {max(memory or [0]):.0f} MB at most, over the second half "
      f"{100 * growth:+.1f} % of the first's peak; an answer took {slowest:.1f} s at most")
sys.exit(1 if growth > 0.05 and args.minutes >= 10 else 0)  # in less, caches are still filling
