#!/usr/bin/env python3
"""A real window under Xvfb, killed with SIGKILL at random moments while its text is typed, its mask painted and its scenario saved:
kill_window.py PROGRAM [--times 100] [--seed 1]. Needs Xvfb and xdotool; 77 without them.

After each kill: the scenario's file is whole and opens; what the journal holds is whole; between them nothing is missing that was
done more than two seconds before the kill; no temporary file lies beside the scenario; and the next start offers what was left."""
import argparse, json, os, random, shutil, signal, subprocess, sys, tempfile, time
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("--times", type=int, default=100)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--seconds", type=float, default=2.0, help="that may be lost")
args = parser.parse_args()
if not shutil.which("Xvfb") or not shutil.which("xdotool"):
    print("no Xvfb or xdotool: skipped")
    sys.exit(77)
program = os.path.abspath(args.program)
rng = random.Random(args.seed)
FIELD, BRUSH, ALLOW, FORBID, MASK_TAB = (105, 94), (308, 135), (560, 135), (611, 135), (668, 24)  # of 1280 × 800
MATRIX = (300, 195, 570, 370)
faults, oldest, kills_while_saving, painted_rounds = [], 0.0, 0, 0


def xdotool(*words):
    subprocess.run(["xdotool", *map(str, words)], capture_output=True, text=True, timeout=60)


def start(folder, environment, *more):
    log = open(folder / "log", "w")
    process = subprocess.Popen([program, str(folder / "doc.json"), "--size", "1280x800", *more], env=environment, stdout=log, stderr=log)
    for _ in range(400):
        found = subprocess.run(["xdotool", "search", "--onlyvisible", "--pid", str(process.pid), "--name", "."], capture_output=True, text=True).stdout.split()
        if found:
            break
        time.sleep(0.05)
    # The window is ready when it sleeps: the first results are computed and the first frames are drawn.
    quiet, before = 0, None
    for _ in range(200):
        time.sleep(0.3)
        try:
            now = sum(int(v) for v in Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13])
        except OSError:
            break
        quiet = quiet + 1 if before is not None and now - before <= 2 else 0
        before = now
        if quiet >= 2:
            break
    return process


def journals(state):
    texts = []
    for path in state.rglob("open/*"):
        if path.is_file() and path.suffix == ".json":
            texts.append((path.stat().st_mtime, path.read_text()))
    return texts


def texts_in(value):
    """Every "text" anywhere in the JSON."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "text" and isinstance(inner, str):
                yield inner
            else:
                yield from texts_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts_in(inner)


def one_round(number, environment_of):
    global oldest, kills_while_saving, painted_rounds
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = environment_of(folder)
        (folder / "doc.json").write_text(json.dumps({"source": "text", "text": "w0 the cat sat", "mask": "causal()"}))
        paints = number % 2 == 1
        process = start(folder, environment, "--view", "mask" if paints else "pipeline")
        end = time.time() + rng.uniform(0.3, 5.0)
        done, saved = [], False  # (when it was done, which word)
        word = 0
        allows = True
        if paints:
            painted_rounds += 1
            xdotool("mousemove", *BRUSH, "sleep", 0.05, "click", 1, "sleep", 0.1)
        # The kill is sent from this loop, whatever input is being sent.
        hands = None
        while time.time() < end and process.poll() is None:
            if paints:
                allows = not allows
                x0, y0 = rng.randrange(MATRIX[0], MATRIX[2]), rng.randrange(MATRIX[1], MATRIX[3])
                hands = ["mousemove", *(ALLOW if allows else FORBID), "click", 1, "mousemove", MATRIX[0], y0, "mousedown", 1, "sleep", 0.03, "mousemove", (MATRIX[0] + MATRIX[2]) // 2, y0,
                         "sleep", 0.03, "mousemove", MATRIX[2], y0, "sleep", 0.03, "mouseup", 1]
            else:
                word += 1
                hands = ["mousemove", *FIELD, "click", 1, "key", "ctrl+a", "type", "--delay", "5", f"w{word} the cat sat"]
                hands += ["key", "Return", "sleep", 0.3]
            saves = rng.random() < 0.4
            if saves:
                hands += ["key", "ctrl+s"]
                saved = True
            running = subprocess.Popen(["xdotool", *map(str, hands)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while running.poll() is None and time.time() < end:
                time.sleep(0.005)
            if running.poll() is None:
                kills_while_saving += saves
                break
            done.append((time.time(), word))
        killed = time.time()
        early = process.poll()
        process.send_signal(signal.SIGKILL)
        process.wait()
        if "running" in dir() and running.poll() is None:
            running.wait()
        xdotool("keyup", "ctrl", "mouseup", 1)

        def fault(text):
            faults.append(f"round {number}: {text}")
            print("FAULT", faults[-1], flush=True)

        if early is not None:
            fault(f"the program had ended by itself with status {early}: {(folder / 'log').read_text()[-300:]}")
        # The scenario file is complete and opens.
        doc = (folder / "doc.json").read_text()
        try:
            document = json.loads(doc)
        except ValueError as error:
            document = {}
            fault(f"doc.json is half written: {error}: {doc[:80]!r}")
        opened = subprocess.run([program, "trace", str(folder / "doc.json"), "-o", str(folder / "t.npz")], capture_output=True, text=True)
        if opened.returncode != 0:
            fault(f"doc.json does not open: {opened.stderr}")
        (folder / "t.npz").unlink(missing_ok=True)
        left = [path.name for path in folder.iterdir() if path.name not in ("doc.json", "log", "home")]
        if left:
            fault(f"beside doc.json lies {left}")
        # The journal is readable too.
        kept = journals(folder / "home")
        newest = kept[-1:] and max(kept)
        known = list(texts_in(document))
        if newest:
            try:
                parsed = json.loads(newest[1])
                known += list(texts_in(parsed))
            except ValueError as error:
                fault(f"the journal is half written: {error}")
        # The last word that was typed more than two seconds before, or a newer one, is there.
        due = [(when, which) for when, which in done if killed - when > args.seconds]
        if due and not paints:
            have = max((int(text.split()[0][1:]) for text in known if text.startswith("w") and text.split()[0][1:].isdigit()), default=-1)
            if have < due[-1][1]:
                fault(f"word {due[-1][1]}, typed {killed - due[-1][0]:.2f} s before, is lost: there is {have}")
            lost = [when for when, which in done if which > have]
            if lost and have >= due[-1][1]:
                oldest = max(oldest, killed - lost[0])
        if due and paints:
            written = max([newest[0]] if newest else [0.0])
            written = max(written, (folder / "doc.json").stat().st_mtime)
            if written < due[-1][0] - 0.5:  # a stroke is painted before the hand is up
                fault(f"painted {killed - due[-1][0]:.2f} s before, kept {killed - written:.2f} s before")
        # The next start takes the journal over and offers it: the journal stays, and the program keeps running.
        if number % 10 == 0:
            again = start(folder, environment)
            time.sleep(0.5)
            if again.poll() is not None:
                fault(f"the next start ended with {again.returncode}: {(folder / 'log').read_text()[-300:]}")
            if newest and not journals(folder / "home"):
                fault("the next start let go of what was left before it was answered")
            again.send_signal(signal.SIGKILL)
            again.wait()


scratch = tempfile.TemporaryDirectory()
display_file = Path(scratch.name) / "display"
with open(display_file, "w") as display:
    server = subprocess.Popen(["Xvfb", "-displayfd", "1", "-screen", "0", "1600x1000x24", "-nolisten", "tcp", "-noreset"], stdout=display, stderr=subprocess.DEVNULL)
try:
    while not display_file.read_text().strip():
        time.sleep(0.1)
    os.environ["DISPLAY"] = ":" + display_file.read_text().strip()
    os.environ.pop("WAYLAND_DISPLAY", None)

    def environment_of(folder):
        home = folder / "home"
        home.mkdir(exist_ok=True)
        return {**os.environ, "HOME": str(home), "XDG_STATE_HOME": str(home / "state"), "XDG_CONFIG_HOME": str(home / "config"), "XDG_DATA_HOME": str(home / "data"),
                "LIBGL_ALWAYS_SOFTWARE": "1"}

    began = time.time()
    for number in range(args.times):
        one_round(number, environment_of)
        if number % 10 == 9:
            print(f"{number + 1} kills in {time.time() - began:.0f} s, {len(faults)} faults", flush=True)
finally:
    server.terminate()
print(f"{args.times} kills in {time.time() - began:.0f} s, {painted_rounds} while painting, {kills_while_saving} in the middle of a save; "
      f"the oldest typing that was lost was {oldest:.2f} s old; {len(faults)} faults")
sys.exit(1 if faults else 0)
