#!/usr/bin/env python3
"""The command `headlight train` as a person runs it: training.py PROGRAM. What it writes opens again, and bad input gets one sentence."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = sys.argv[1]
failures = []


def run(*words, folder=None):
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, encoding="utf-8", cwd=folder)


def check(ok, sentence):
    if not ok:
        failures.append(sentence)
        print("FAIL", sentence)


def refused(folder, sentence, *words):
    """Exit status 2, one line that has the sentence, nothing on standard output, nothing written."""
    before = sorted(os.listdir(folder))
    done = run("train", *words, folder=folder)
    check(done.returncode == 2 and sentence in done.stderr and done.stderr.count("\n") == 1 and not done.stdout,
          f"{words}: {done.returncode} {done.stderr!r}; expected {sentence!r}")
    check(sorted(os.listdir(folder)) == before, f"{words}: leaves something behind")


def check_json(folder):
    first = json.loads(run("train", "reverse", "--steps", 100, "--json", folder=folder).stdout)
    again = json.loads(run("train", "reverse", "--steps", 100, "--json", "--threads", 2, folder=folder).stdout)
    check({k: v for k, v in first.items() if k != "seconds"} == {k: v for k, v in again.items() if k != "seconds"}, "the same run, other numbers")
    check([row["step"] for row in first["history"]] == [0, 25, 50, 75, 100] and len(first["losses"]) == 100, "history has other steps")
    check(first["chance"] == 1 / 16 and first["ceiling"] == 1 and first["parameters"] > 4000, "chance, ceiling or parameters")
    causal = json.loads(run("train", "reverse", "--mask", "causal()", "--steps", 0, "--json", folder=folder).stdout)
    check(abs(causal["ceiling"] - (0.5 + 0.5 / 16)) < 1e-9 and "53 % at most" in causal["ceiling_reason"], f"ceiling {causal['ceiling']}")
    tasks = [task["id"] for task in json.loads(run("list", "tasks", "--json").stdout)]
    check({"reverse", "previous", "recall", "repeat", "sort"} <= set(tasks), f"list tasks: {tasks}")


def check_folder(folder):
    done = run("train", "reverse", "--steps", 300, "--seed", 1, "-o", "model", folder=folder)
    check(done.returncode == 0 and "→" in done.stdout, done.stderr)
    check(sorted(os.listdir(folder / "model")) == ["config.json", "model.safetensors", "tokenizer.json", "train.json"], "the folder's files")
    text = "a b c d e f g h"
    for source in ("model", "train:reverse;seed=1@300"):  # from files and from the run's name
        said = json.loads(run("predict", source, "--text", text, "--json", folder=folder).stdout)
        check(said["next"][0]["token"] == "a" and said["next"][0]["probability"] > 0.9, f"{source} says {said['next'][:1]} last")
        cell = json.loads(run("explain", source, "--text", text, "--cell", "d_scores:0,0,7,0", "--json", folder=folder).stdout)
        total = sum(term["factor"] * term["value"] for term in cell["terms"])
        check(abs(total - cell["value"]) <= 1e-7 + 1e-4 * abs(cell["value"]) and cell["stage"] == "d_scores", f"{source}: {cell}")
    picture = run("render", "model", "--text", text, "--stage", "d_weights", "--head", "all", "-o", "d.png", folder=folder)
    check(picture.returncode == 0 and (folder / "d.png").stat().st_size > 1000, picture.stderr)
    refused(folder, "model: cannot be written: it is there already", "reverse", "-o", "model")


def check_text(folder):
    (folder / "own.txt").write_text("the cat sat on the mat. the dog sat on the rug.\n" * 30, encoding="utf-8")
    done = json.loads(run("train", "own.txt", "--steps", 100, "--mlp", "-o", "own", "--json", folder=folder).stdout)
    check(done["ceiling"] is None and done["history"][-1]["loss"] < done["history"][0]["loss"] / 4, f"{done['history']}")
    said = json.loads(run("predict", "own", "--text", "the cat sat on the mat", "--json", folder=folder).stdout)
    check(said["next"][0]["token"] == ".", f"after the mat: {said['next'][:2]}")
    letters = run("train", "own.txt", "--steps", 5, "--unit", "letters", "-o", "letters", folder=folder)
    check(letters.returncode == 0 and run("predict", "letters", "--text", "the c", folder=folder).returncode == 0, letters.stderr)
    for name, text, sentence in (("one.txt", "a " * 100, 'says nothing but "a"'), ("none.txt", "", "has 0 tokens"),
                                 ("short.txt", "the cat sat", "has 3 tokens")):
        (folder / name).write_text(text)
        refused(folder, sentence, name)
    (folder / "bytes.txt").write_bytes(bytes(range(256)) * 10)
    refused(folder, "is no text", "bytes.txt")
    (folder / "large.txt").write_text("word number " * 500_000)  # a million words
    many = run("train", "large.txt", "--steps", 2, "--json", folder=folder)
    check(many.returncode == 0, many.stderr)


def check_refusals(folder):
    refused(folder, "\"revers\" is neither a task nor a text file", "revers")
    refused(folder, "--heads: 3 does not divide d_model 32; expected one of 1, 2, 4, 8, 16, 32", "reverse", "--heads", 3)
    refused(folder, "--mask: false allows no key to any query", "reverse", "--mask", "false")
    refused(folder, "the loss is no number in step", "reverse", "--rate", "1e9", "--scale", "1e30", "-o", "never")
    refused(folder, "one step needs", "repeat", "--length", 512, "--d-model", 1024, "--layers", 16, "--batch-size", 4096)
    refused(folder, "--dropout: is \"1.5\"; expected 0 to 0.95", "reverse", "--dropout", 1.5)
    refused(folder, "is not an option here", "reverse", "--softcapp", 1)
    llama = Path(__file__).resolve().parents[1] / "fixtures" / "networks" / "llama"
    done = run("explain", llama, "--text", "3 17 5", "--cell", "d_weights:0,0,1,0", "--loss", "7")
    check(done.returncode == 2 and "whose gradients are not known here" in done.stderr, done.stderr)


with tempfile.TemporaryDirectory() as name:
    for part in (check_json, check_folder, check_text, check_refusals):
        own = Path(name) / part.__name__
        own.mkdir()
        part(own)
sys.exit(1 if failures else 0)
