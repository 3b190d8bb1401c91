#!/usr/bin/env python3
"""Real windows of the Windows program under Wine beside the Linux program's: windows_window.py EXE PROGRAM FIXTURES [PART…]

Needs a display without a window manager (xvfb-run), xdotool, and import of ImageMagick. Clicks and typed words give the picture that
they give on Linux; a document is saved and opened again; a file that is rewritten, in place or by another program, is read again;
killed while it writes, the program leaves the old file or the new one. Prints what differs; exit status 1 if anything does.
"""
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

EXE, PROGRAM, FIXTURES = sys.argv[1:4]
SYSTEMS = {"Windows": ["wine", EXE], "Linux": [PROGRAM]}
WIDTH, HEIGHT = 1280, 800
TEXT_FIELD, NOTHING = (105, 94), (700, 705)  # of a window of that size
differences = []


def expect(holds, what):
    print("holds  " if holds else "DIFFERS", what, flush=True)
    if not holds:
        differences.append(what)


def xdotool(*words):
    return subprocess.run(["xdotool", *map(str, words)], capture_output=True, text=True, timeout=60).stdout.strip()


def until(holds, seconds=60):
    end = time.time() + seconds
    while time.time() < end:
        if holds():
            return True
        time.sleep(0.2)
    return False


class Window:
    def __init__(self, system, folder, *arguments):
        home = Path(folder, "home")
        places = {"HOME": home, "XDG_STATE_HOME": home / "state", "XDG_CONFIG_HOME": home / "config", "XDG_DATA_HOME": home / "data"}
        own = places if system == "Linux" else {}
        home.mkdir(exist_ok=True)
        for state in Path(os.environ["WINEPREFIX"], "drive_c/users").glob("*/AppData/Roaming/headlight"):
            shutil.rmtree(state)  # what it remembers of windows before
        command = [*SYSTEMS[system], *map(str, arguments), "--size", f"{WIDTH}x{HEIGHT}"]
        environment = {**os.environ, "LIBGL_ALWAYS_SOFTWARE": "1", **{name: str(place) for name, place in own.items()}}
        self.log = open(Path(folder, f"{system}.log"), "w")
        self.process = subprocess.Popen(command, env=environment, stdout=self.log, stderr=self.log)
        self.window = ""
        expect(until(self.is_there) and self.process.poll() is None, f"{system}: a window opens")
        xdotool("mousemove", "--window", self.window, *NOTHING)
        self.settled()

    def is_there(self):
        found = xdotool("search", "--onlyvisible", "--name", "Headlight").split()
        self.window = found[0] if found else ""
        return bool(found)

    def place(self):
        """Where on the screen it is: Wine leaves room for a frame."""
        words = dict(line.split("=") for line in xdotool("getwindowgeometry", "--shell", self.window).splitlines() if "=" in line)
        return int(words.get("X", 0)), int(words.get("Y", 0))

    def picture(self):
        """What is drawn in it, [height, width, 3]."""
        x, y = self.place()
        shot = subprocess.run(["import", "-window", "root", "-crop", f"{WIDTH}x{HEIGHT}+{x}+{y}", "-depth", "8", "rgb:-"], capture_output=True)
        return np.frombuffer(shot.stdout, np.uint8).reshape(HEIGHT, WIDTH, 3).astype(int)

    def settled(self):
        """The picture once it has been the same for a second."""
        last = self.picture()
        for _ in range(30):
            time.sleep(1)
            now = self.picture()
            if np.array_equal(now, last):
                break
            last = now
        return last

    def changes(self, before):
        return until(lambda: not np.array_equal(self.picture(), before), 20)

    def type_words(self, words):
        xdotool("mousemove", "--window", self.window, *TEXT_FIELD, "sleep", 0.3, "click", 1, "sleep", 0.5, "key", "ctrl+a", "sleep", 0.2)
        xdotool("type", "--delay", 30, words)
        xdotool("key", "Return", "sleep", 0.3, "mousemove", "--window", self.window, *NOTHING)

    def close(self):
        xdotool("key", "ctrl+q")
        try:
            return self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.kill()
            return None

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        until(lambda: not self.is_there(), 10)


def text_of(document):
    try:
        return json.loads(document.read_text("utf-8")).get("text")
    except ValueError:
        return None


def same_pixels(here, there, what):
    off = np.abs(here - there).max(axis=2)
    rows, columns = np.nonzero(off)
    place = f", x {columns.min()} to {columns.max()}, y {rows.min()} to {rows.max()}" if off.any() else ""
    # Another FreeType draws digits a little otherwise.
    expect(off.max() <= 24, f"{what}: {rows.size} pixels differ, by at most {off.max()}{place}")


def typed_saved_and_opened_again(folder):
    """Words typed after a click, saved by a key: the same picture and the same document on both systems."""
    typed, again, saved = {}, {}, {}
    for system in SYSTEMS:
        own = Path(folder, system)
        own.mkdir()
        document = own / "Größe.json"
        document.write_text(json.dumps({"source": "text", "text": "the cat sat", "mask": "causal()"}))
        window = Window(system, own, document, "--view", "pipeline")
        window.type_words("one two three four")
        typed[system] = window.settled()
        xdotool("key", "ctrl+s")
        expect(until(lambda: text_of(document) == "one two three four", 20), f"{system}: what was typed is saved ({text_of(document)})")
        expect(window.close() == 0, f"{system}: Ctrl+Q closes the window")
        saved[system] = json.loads(document.read_text("utf-8"))
        shutil.rmtree(own / "home")
        window = Window(system, own, document, "--view", "pipeline")
        again[system] = window.settled()
        window.close()
    same_pixels(typed["Windows"], typed["Linux"], "the window after a click and typing")
    expect(saved["Windows"] == saved["Linux"], "the saved document is Linux's")
    same_pixels(again["Windows"], again["Linux"], "the document opened again")


def rewritten_while_open(folder):
    """A file that the window has open, written anew in place, by another program of Windows, and removed."""
    watched = Path(folder, "watched.npz")
    first, second = (Path(FIXTURES, f"s002_v{number}.input.npz") for number in (1, 2))
    shutil.copyfile(first, watched)
    window = Window("Windows", folder, watched)
    before = window.settled()
    watched.write_bytes(second.read_bytes())
    expect(window.changes(before), "a file that is rewritten in place is read again")
    between = window.settled()
    # The program itself writes over the file that its window holds open, as any other program of Windows may.
    done = subprocess.run([*SYSTEMS["Windows"], "trace", first, "-o", watched], capture_output=True, timeout=120)
    expect(done.returncode == 0, f"a program of Windows writes over the open file: {done.stderr.decode('utf-8', 'replace').strip() if done.returncode else 0}")
    expect(window.changes(between), "a file that another program replaces is read again")
    subprocess.run(["wine", "cmd", "/c", "del", "watched.npz"], cwd=folder, capture_output=True, timeout=60)
    time.sleep(1)
    expect(window.process.poll() is None, "the window outlives its file")
    expect(window.close() == 0, "Ctrl+Q closes the window")


def killed_while_writing(folder, times=12):
    """The file is the old one or the new one; the next write removes what a killed program left."""
    out, old, new = (Path(folder, name) for name in ("out.npz", "old.npz", "new.npz"))
    command = [*SYSTEMS["Windows"], "trace", "model:english", "--layer", "all", "--text", "the dog ate its food", "-o"]
    began = time.time()
    subprocess.run([*command, new], capture_output=True, timeout=120)
    seconds = time.time() - began
    subprocess.run([*SYSTEMS["Windows"], "trace", Path(FIXTURES, "torch_mha.input.npz"), "-o", old], capture_output=True, timeout=120)
    chance, olds, news = random.Random(1), 0, 0
    for _ in range(times):
        shutil.copyfile(old, out)
        process = subprocess.Popen([*command, out], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(seconds * chance.uniform(0.4, 1.1))
        process.send_signal(signal.SIGKILL)
        process.wait()
        here = out.read_bytes()
        olds += here == old.read_bytes()
        news += here == new.read_bytes()
    expect(olds + news == times, f"killed while writing {times} times: {olds} old files, {news} new ones")
    subprocess.run([*command, out], capture_output=True, timeout=120)
    left = sorted(path.name for path in Path(folder).glob(".headlight-*"))
    expect(not left, f"the next write removes what was left: {left}")


def killed_while_saving(folder, times=5):
    """A window whose document is typed and saved; the document is whole, and the next start offers the rest."""
    document = Path(folder, "killed.json")
    chance = random.Random(2)
    whole = 0
    for _ in range(times):
        document.write_text(json.dumps({"source": "text", "text": "w0 the cat", "mask": "causal()"}))
        window = Window("Windows", folder, document, "--view", "pipeline")
        window.type_words("w1 the cat")
        xdotool("key", "ctrl+s")
        time.sleep(chance.uniform(0, 0.3))
        window.kill()
        whole += text_of(document) in ("w0 the cat", "w1 the cat")
    expect(whole == times, f"killed while saving: {whole} of {times} documents are whole")


def main():
    with tempfile.TemporaryDirectory(prefix="Fenster 窗 ", ignore_cleanup_errors=True) as folder:
        for part in (typed_saved_and_opened_again, rewritten_while_open, killed_while_writing, killed_while_saving):
            if len(sys.argv) < 5 or part.__name__ in sys.argv[4:]:
                part(folder)
    print(f"real windows: {len(differences)} differences")
    sys.exit(1 if differences else 0)


main()
