#!/usr/bin/env python3
"""headlight page: what is in the page, what is refused, and that nothing is half written.

    page.py PROGRAM FIXTURES

The page without a document, which takes emscripten to build, is a few lines here; a browser tries the real one (.ci/one-file).
"""
import base64
import json
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PROGRAM, FIXTURES = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
TEMPLATE = "<!doctype html><title>Headlight</title><body><!-- document --><script>'use strict'</script></body>"
failures = []


def check(ok, sentence):
    if not ok:
        failures.append(sentence)
        print("FAILED:", sentence)


scratch = Path(tempfile.mkdtemp())
assets, home = scratch / "assets", scratch / "home of mine"
assets.mkdir()
home.mkdir()
(assets / "headlight.html").write_text(TEMPLATE)


def run(*words, assets_folder=assets):
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, cwd=home,
                          env={**os.environ, "HEADLIGHT_ASSETS": str(assets_folder), "HOME": str(home)})


def document(path):
    """What a browser finds: the JSON in the element that the page looks for."""
    page = path.read_text()
    found = re.findall(r'<script type="application/json" id="document">(.*?)</script>', page)
    check(len(found) == 1, f"{path.name}: {len(found)} documents in the page; expected one")
    check("<!-- document -->" not in page and page.endswith("</body>"), f"{path.name}: the page around the document is changed")
    read = json.loads(found[0])
    read["files"] = {each["name"]: base64.b64decode(each["data"]) for each in read["files"]}
    return read


def makes(*words):
    out = home / "made.html"
    out.unlink(missing_ok=True)
    done = run("page", *words, "-o", out)
    check(done.returncode == 0, f"page {words}: {done.stderr.strip()}")
    check("MB: Headlight" in done.stderr, f"page {words} does not say what it made: {done.stderr.strip()}")
    return document(out), out.read_text(), done.stderr


def refuses(part, *words, **options):
    out = home / "kept.html"
    out.write_text("kept")
    done = run("page", *words, "-o", out, **options)
    check(done.returncode == 2 and done.stderr.count("\n") == 1 and part in done.stderr,
          f"page {words}: status {done.returncode}, {done.stderr.strip()!r}; expected one sentence with {part!r}")
    check(out.read_text() == "kept" and not list(home.glob(".headlight-*")), f"page {words} left something behind")


# A lesson, with a file beside it, opened at a step.
(home / "data").mkdir()
(home / "data" / "net.npz").write_bytes((FIXTURES / "torch_mha.input.npz").read_bytes())
lesson = {"id": "handed-out", "title": {"en": "</script> & <b>"}, "description": {"en": "A test."}, "scenario": {"file": "data/net.npz"},
          "steps": [{"text": {"en": "One."}}, {"text": {"en": "Two."}}]}
(home / "lesson.json").write_text(json.dumps(lesson))
read, page, said = makes("lesson.json", "--lesson-step", "2", "--language", "zh")
check(read["open"] == "lesson.json" and set(read["files"]) == {"lesson.json", "data/net.npz"}, f"a lesson's page holds {list(read['files'])}")
check(read["files"]["data/net.npz"] == (home / "data/net.npz").read_bytes(), "the lesson's tensors are changed")
check(read["words"] == ["--language", "zh", "--lesson-step", "2"], f"the lesson opens with {read['words']}")
check("lesson.json" in said and "net.npz" in said, f"what is inside is not said: {said}")

# Tensors with settings become a scenario that has them; no folder of this machine is in it.
read, page, said = makes(home / "data/net.npz", "--mask", "causal()", "--view", "heads")
scenario = json.loads(read["files"]["scenario.json"])
check(scenario["file"] == "net.npz" and scenario["mask"] == "causal()" and read["open"] == "scenario.json", f"tensors: {scenario}")
check(read["words"] == ["--view", "heads"], f"the view is {read['words']}")
everything = json.dumps(read["words"]) + read["files"]["scenario.json"].decode() + page
check(str(home) not in everything, "the page tells of a folder of this machine")

# What comes with the program is named, not packed; a switch has no value.
read, _, _ = makes("model:english", "--text", "the girl looked at", "--alibi", "--theme", "dark")
check(read["open"] == "model:english" and not read["files"], f"a model that ships: {read['open']}, {list(read['files'])}")
check(set(read["words"]) == {"--text", "the girl looked at", "--alibi", "--theme", "dark"}, f"its words are {read['words']}")
read, _, _ = makes("lesson:weighted-average")
check(read["open"] == "lesson:weighted-average" and not read["files"], "a lesson that ships is packed")
read, page, _ = makes()
check(read["open"] == "" and "<title>Headlight · Headlight</title>" in page, "the page without a document")

# A small model of one's own, whole.
read, _, _ = makes(FIXTURES / "networks" / "llama")
check(any(name.startswith("model/config") for name in read["files"]) and json.loads(read["files"]["scenario.json"])["file"] == "model",
      f"a model's folder: {list(read['files'])}")

# Refused.
(home / "other.json").write_text(json.dumps({**lesson, "scenario": {"file": str(FIXTURES / "torch_mha.input.npz")}}))
refuses("not below its own folder", "other.json")
(home / "tells.json").write_text(json.dumps({**lesson, "description": f"See {home}/notes.txt"}))
refuses("a place on this machine", "tells.json")
header = b"{'descr': '|u1', 'fortran_order': False, 'shape': (20000000,), }".ljust(117) + b"\n"
with zipfile.ZipFile(home / "data" / "net.npz", "a") as archive:
    archive.writestr("more.npy", b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(20_000_000))
refuses("MB are too many for a page", "lesson.json")
refuses("no such file", "nothing.npz")
(home / "other.json").write_text(json.dumps({**lesson, "scenario": {}}))
refuses("--lesson-step", "other.json", "--lesson-step", "3")
refuses("--mask", "lesson:first-light", "--mask", "cau(")
done = run("page", "lesson:first-light", "-o", home / "no/such/place.html")
check(done.returncode == 2 and done.stderr.count("\n") == 1, f"a folder that is not there: {done.stderr.strip()}")
done = run("page", "lesson:first-light", "-o", "page.pdf")
check(done.returncode == 2 and "-o OUT.html" in done.stderr, f"another ending: {done.stderr.strip()}")
(assets / "headlight.html").write_text("<html></html>")
refuses("is not the page of this program", "lesson:first-light")
(assets / "headlight.html").unlink()
refuses("./run-web --one-file", "lesson:first-light")

print(f"{len(failures)} failed" if failures else "page: all as expected")
sys.exit(1 if failures else 0)
