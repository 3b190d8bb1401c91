#!/usr/bin/env python3
"""Files that would need too much memory or time are refused in one sentence.

    hostile.py PROGRAM

Each is run with at most 6 GB of addresses; it must exit with status 2 and one line on standard error, having used less
than 1 GB. A minute of time stands for "without end".
"""
import json
import os
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = str(Path(sys.argv[1]).resolve())
FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
NETWORKS = FIXTURES / "networks"
BPE = {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}


def run(*arguments, cwd):
    """Returns the exit status, standard error, and the peak memory in bytes."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (6_000_000_000, 6_000_000_000))
    with open(Path(cwd, "stderr"), "w+b") as errors:
        child = subprocess.Popen([PROGRAM, *map(str, arguments)], cwd=cwd, stdout=subprocess.DEVNULL, stderr=errors, preexec_fn=limit)
        pid, status, usage = wait(child)
        errors.seek(0)
        return os.waitstatus_to_exitcode(status), errors.read().decode("utf-8", "replace"), usage.ru_maxrss * 1024


def wait(child):
    import threading
    timer = threading.Timer(60, child.kill)
    timer.start()
    try:
        return os.wait4(child.pid, 0)
    finally:
        timer.cancel()
        child.returncode = 0


def model(folder, name, tokenizer=None, network="gpt2_plain", **changed):
    """A copy of a small network with other fields in its config.json, and a tokenizer."""
    made = Path(folder, name)
    shutil.copytree(NETWORKS / network, made)
    for path in made.iterdir():
        if "token" in path.name or path.name.startswith(("vocab", "merges")):
            path.unlink()
    config = json.loads((made / "config.json").read_text())
    (made / "config.json").write_text(json.dumps(dict(config, **changed)))
    if tokenizer is not None:
        (made / "tokenizer.json").write_text(json.dumps(tokenizer))
    return made


def sparse(path, size):
    with open(path, "wb") as file:
        file.truncate(size)


def text_of_wordpiece():
    vocabulary = {"[UNK]": 0, "a": 1, "##a": 2, "##" + "a" * 100_000 + "x": 3}
    return {"pre_tokenizer": {"type": "WhitespaceSplit"},
            "model": {"type": "WordPiece", "unk_token": "[UNK]", "max_input_chars_per_word": 10 ** 18, "vocab": vocabulary}}


def template_of_many():
    special = {"id": "x", "ids": [0] * 10_000, "tokens": ["a"] * 10_000}
    return {"post_processor": {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "x"}}] * 10_000 + [{"Sequence": {"id": "A"}}],
                               "special_tokens": {"x": special}}, "model": BPE}


def pickle_of_texts(path):
    """An archive of torch.save with a dictionary of many references to one long string."""
    import zipfile
    long = b"a" * 40_000
    body = b"\x80\x02}(" + b"X" + struct.pack("<I", 1) + b"x" + b"X" + struct.pack("<I", len(long)) + long + b"q\x01"
    for i in range(60_000):
        key = str(i).encode()
        body += b"X" + struct.pack("<I", len(key)) + key + b"h\x01"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a/data.pkl", body + b"u.")


def safetensors_of_many(path, first=0, count=1_000_000):
    entry = '"%d":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}'
    header = ("{" + ",".join(entry % i for i in range(first, first + count)) + "}").encode()
    path.write_bytes(struct.pack("<Q", len(header)) + header)


def cases(folder):
    """A name, the command, and a part of the sentence."""
    f = Path(folder)
    ids = ["--text", "0 1 2"]
    yield "references to one string", ["trace", FIXTURES / "hostile/words.pt", "-o", "o.npz"], "million values|text and tables"
    pickle_of_texts(f / "texts.pt")
    yield "names of one string", ["trace", f / "texts.pt", "-o", "o.npz"], "text and tables|strings"
    yield "a billion layers", ["predict", model(f, "layers", network="gemma", num_hidden_layers=10 ** 9), *ids], "num_hidden_layers"
    yield "a head of a billion", ["predict", model(f, "head", network="gemma", head_dim=10 ** 9), *ids], "head_dim"
    yield "a billion turned channels", ["predict", model(f, "rotary", network="gpt_neox", rotary_pct=10 ** 9), *ids], "rotary_pct"
    yield "no layers", ["trace", model(f, "none", n_layer=0), *ids, "-o", "o.npz"], "no layers"
    for name, tokenizer, said in (
            ("metaspace", {"pre_tokenizer": {"type": "Metaspace", "replacement": "", "add_prefix_space": True}, "model": BPE}, "replacement"),
            ("template", template_of_many(), "tokens of a line"),
            ("prepend", {"normalizer": {"type": "Prepend", "prepend": "a" * 10_000_000}, "model": BPE}, "4 MB"),
            ("large prepend", {"normalizer": {"type": "Prepend", "prepend": "a" * 100_000_000}, "model": BPE}, "at most")):
        yield name, ["predict", model(f, name.replace(" ", "-"), tokenizer), "--text", "a b"], said
    empty = model(f, "empty")
    (empty / "tokenizer.json").write_text("[" + "{}," * 15_000_000 + "{}]")
    yield "empty objects", ["predict", empty, "--text", "a b"], "text and tables"
    long_word = model(f, "wordpiece", text_of_wordpiece())
    yield "a long word", ["predict", long_word, "--text", "a" * 20_000 + "b"], "20001 characters"
    for name, other in (("vocab.txt", None), ("merges.txt", "vocab.json")):
        made = model(f, "sparse-" + name)
        sparse(made / name, 12_000_000_000)
        if other:
            (made / other).write_text('{"a": 0}')
        yield "a sparse " + name, ["predict", made, "--text", "a"], "12.0 GB"
    safetensors_of_many(f / "many.safetensors")
    yield "a million arrays", ["trace", f / "many.safetensors", "-o", "o.npz"], "200000 arrays"
    try:
        import numpy
        objects = numpy.array({"x": numpy.zeros(7_500_000, numpy.float32)}, dtype=object)
        numpy.savez_compressed(f / "objects.npz", **{f"n{i}": objects for i in range(40)})
        yield "many pickled arrays", ["trace", f / "objects.npz", "-o", "o.npz"], "n0.x|no query"
    except ImportError:
        pass
    shards = model(f, "shards")
    for path in shards.glob("*.safetensors"):
        path.unlink()
    for i in range(5):
        safetensors_of_many(shards / f"{i}.safetensors", 50_000 * i, 50_000)
    weight_map = {str(50_000 * i): f"{i}.safetensors" for i in range(5)}
    (shards / "model.safetensors.index.json").write_text(json.dumps({"weight_map": weight_map}))
    yield "shards of many arrays each", ["predict", shards, *ids], "200000 arrays"
    for source in ({}, {"source": "file", "file": str(NETWORKS / "gpt2_plain")}):
        lines = f / f"lines{len(source)}.json"
        lines.write_text(json.dumps(dict(source, text="0\n" * 1_000_000)))
        yield f"a million lines {source}", ["trace", lines, "-o", "o.npz"], "65536 lines"
    elsewhere = model(f, "elsewhere")
    for path in elsewhere.glob("*.safetensors"):
        path.rename(f / "away.safetensors")
    (elsewhere / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"wte.weight": "../away.safetensors"}}))
    yield "a shard elsewhere", ["predict", elsewhere, *ids], "not beside it"
    long = "n" * 300
    for name, command in (("bundle", ["bundle", "--text", "a b", "-o", long]), ("film", ["--text", "a b", "--animation", long + "/"]),
                          ("figure", ["render", "--text", "a b", "--stage", "weights", "-o", long + ".png"]),
                          ("trace", ["trace", "--text", "a b", "-o", long + ".npz"]), ("file", [long + ".npz", "--screenshot", "o.png"])):
        yield f"a long name of a {name}", command, "too long"
    course = json.loads((FIXTURES.parent.parent / "assets/lessons/course/01-weighted-average.json").read_text())
    for count, said in ((20_000, "bytes of text"), (2_000, "the first 20")):
        for step in course["steps"]:
            step["text"] = {"en": "$" + "\\frac{" * count + "$"}
        made = f / f"braces{count}.json"
        made.write_text(json.dumps(course))
        yield f"a lesson of {count} braces", ["lesson", made, "--check"], said


def main():
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        for name, command, said in cases(folder):
            status, errors, memory = run(*command, cwd=folder)
            most_lines = 21 if name.startswith("a lesson") else 1
            one_line = 1 <= errors.count("\n") <= most_lines and errors.startswith("headlight: ") and "filesystem error" not in errors
            told = any(part in errors for part in said.split("|"))
            if status != 2 or not one_line or not told or memory > 1_000_000_000:
                failures.append(name)
                print(f"FAILED: {name}: exit {status}, {memory // 1_000_000} MB: {errors[:300]}")
    print(f"{len(failures)} failed")
    return 1 if failures else 0


sys.exit(main())
