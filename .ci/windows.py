#!/usr/bin/env python3
"""The Windows program under Wine beside the Linux one: windows.py EXE PROGRAM FIXTURES

Traces agree within 1e-6 + 1e-3|b|, words are the same, pictures of the window are the same to the byte; files with names of any
language, with CRLF and broken ones. Prints what differs; exit status 1 if anything does.
"""
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

EXE, PROGRAM, FIXTURES = sys.argv[1:4]
differences = []


def run(command, *arguments):
    done = subprocess.run([*command, *map(str, arguments)], capture_output=True, timeout=300)
    words = (done.stdout + done.stderr).decode("utf-8").replace("\r\n", "\n")
    return done.returncode, words


def windows(*arguments):
    return run(["wine", EXE], *arguments)


def linux(*arguments):
    return run([PROGRAM], *arguments)


def expect(holds, what):
    if not holds:
        differences.append(what)
        print("DIFFERS:", what)


def same_words(what, *arguments, status=None):
    here, there = windows(*arguments), linux(*arguments)
    expect(here == there, f"{what}: {here} where Linux has {there}")
    if status is not None:
        expect(here[0] == status, f"{what}: exit status {here[0]}")


def same_trace(file, folder):
    out = [Path(folder, f"{system}.npz") for system in ("windows", "linux")]
    words = windows("trace", file, "-o", out[0]), linux("trace", file, "-o", out[1])
    expect(words[0] == words[1], f"trace {file}: {words[0]} where Linux has {words[1]}")
    if not all(each.exists() for each in out):
        return
    here, there = (np.load(each) for each in out)
    expect(here.files == there.files, f"trace {file}: stages")
    for name in there.files:
        close = there[name].dtype.kind != "f" or np.allclose(here[name], there[name], rtol=1e-3, atol=1e-6, equal_nan=True)
        expect(close, f"trace {file}: {name}")
    for each in out:
        each.unlink()


def page_of_a_lesson(in_folder):
    """The same file as from Linux's program, where the zip brings a page along."""
    assets = Path(EXE).parent / "assets"
    if not (assets / "headlight.html").exists():
        print("no page is in the zip: ./run-web --one-file had not run before it was made")
        return
    expect(windows("page", in_folder("lesson.json"), "-o", in_folder("windows.html"))[0] == 0, "page")
    run(["env", f"HEADLIGHT_ASSETS={assets.resolve()}", PROGRAM], "page", in_folder("lesson.json"), "-o", in_folder("linux.html"))
    expect(in_folder("windows.html").read_bytes() == in_folder("linux.html").read_bytes(), "page: what is in it")


def main():
    text = ["model:english", "--text", "the dog ate its food because it was hungry"]
    with tempfile.TemporaryDirectory(prefix="Größe 大小 ") as folder:
        in_folder = lambda name: Path(folder, name)
        expect(windows("--version")[1].split()[:2] == linux("--version")[1].split()[:2], "version")
        traced = sorted(Path(FIXTURES).glob("*.input.*"))
        for file in traced:
            same_trace(file, folder)
        same_words("predict", "predict", *text, status=0)
        mha = Path(FIXTURES, "torch_mha")
        same_words("compare", "compare", f"{mha}.input.npz", f"{mha}.expected.npz", status=0)
        in_folder("not.npz").write_bytes(b"PK nothing")
        same_words("a broken file", "trace", in_folder("not.npz"), "-o", in_folder("x.npz"))
        lesson = Path("assets/lessons/course/13-dropout.json").read_bytes()
        in_folder("lesson.json").write_bytes(lesson.replace(b"\n", b"\r\n"))
        same_words("a lesson with CRLF", "lesson", "--check", in_folder("lesson.json"), status=0)
        for kind in ("html", "svg", "png"):
            figure = in_folder(f"ü.{kind}")
            status, words = windows("render", *text, "--stage", "weights", "-o", figure)
            expect(status == 0 and figure.stat().st_size > 1000, f"render {kind}: {words}")
        page_of_a_lesson(in_folder)
        shots = in_folder("windows.png"), in_folder("linux.png")
        expect(windows("--screenshot", shots[0], "--size", "1366x768")[0] == 0, "screenshot")
        linux("--screenshot", shots[1], "--size", "1366x768")
        expect(shots[0].exists() and shots[0].read_bytes() == shots[1].read_bytes(), "screenshot: pixels")
        # Another FreeType draws Chinese letters a little otherwise: this is looked at, not compared.
        chinese = windows("--screenshot", in_folder("中文.png"), "--size", "1920x1080", "--theme", "dark", "--language", "zh")
        expect(chinese[0] == 0 and in_folder("中文.png").exists(), f"screenshot in Chinese: {chinese[1]}")
    print(f"{len(traced)} traces, words, figures and pictures of the window: {len(differences)} differences")
    sys.exit(1 if differences else 0)


main()
