#!/usr/bin/env python3
"""python/headlight.py: pages for notebooks, and modules that are checked. python3 python_module.py HEADLIGHT. Skipped (77) without NumPy."""
import base64, html, json, os, re, shutil, subprocess, sys, tempfile

try:
    import numpy as np
except ImportError:
    print("skipped: it needs NumPy (apt-get install python3-numpy)")
    sys.exit(77)
try:
    import torch
except ImportError:
    torch = None

from python_checks import expect, faults, headlight


def numbers(page):
    data = json.loads(re.search(r'id="headlight-data">(.*?)</script>', page, re.S).group(1))
    values = np.frombuffer(base64.b64decode(data["values"]), "<i2") * data["scale"]
    return data, values.reshape(data["heads"], data["rows"], data["cols"])


random = np.random.default_rng(7)
weights = random.dirichlet(np.ones(5), size=(2, 3, 5)).astype(np.float32)  # layers, heads, queries, keys
words = ["<the>", "cat", '"sat"', "on", "it"]

one = headlight.show(weights[0], words)
data, shown = numbers(one.html)
expect(data["tokens"] == words, f"tokens {data['tokens']}")
expect(np.abs(shown - weights[0]).max() <= 0.51 * data["scale"], "the page's numbers are not the array's")
bundle = one._repr_mimebundle_()
expect(bundle["image/png"].startswith(b"\x89PNG"), "no PNG beside the page")
frame = re.fullmatch(r'<iframe srcdoc="([^"]*)"[^>]*>[^<]*trusted[^<]*</iframe>', bundle["text/html"])
expect(frame and html.unescape(frame.group(1)) == one.html, "the frame does not hold the page")

layers = headlight.show(tuple(weights[:, None]), words)
data, shown = numbers(layers.html)
expect(data["heads"] == 6, f"two layers of three heads are {data['heads']} panels")
expect(np.abs(shown - weights.reshape(6, 5, 5)).max() <= 0.51 * data["scale"], "the layers' numbers are not the arrays'")


class Tokenizer:
    def __call__(self, text, return_tensors):
        return {"input_ids": np.array([range(len(text.split()))])}

    def convert_ids_to_tokens(self, ids):
        return [words[i] for i in ids]


class Output:
    attentions = tuple(weights[:, None])


def model(input_ids, output_attentions):
    return Output


data, shown = numbers(headlight.show(model, Tokenizer(), "a b c d e").html)
expect(data["heads"] == 6 and data["tokens"] == words, "a model's layers are not shown with its tokens")

Output.attentions = None
try:
    headlight.show(model, Tokenizer(), "a b c d e")
    expect(False, "a model without weights is not refused")
except headlight.HeadlightError as error:
    expect("eager" in str(error), f"the refusal does not say what to do: {error}")

with tempfile.TemporaryDirectory() as folder:
    path = one.save(os.path.join(folder, "a.html"))
    expect(path.read_text(encoding="utf-8") == one.html, "save() does not write the page")

if shutil.which("chromium"):
    keys = """<script>
      const press = (key) => document.getElementById("marks").dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
      const said = [];
      const read = () => said.push(document.getElementById("reading").textContent);
      press("ArrowRight"), press("ArrowDown"), press("ArrowRight"), read();
      press("Enter"), press("]"), read();
      document.querySelector("#views button[value=arcs]").click(), read();
      document.querySelector("#views button[value=sentence]").click(), read();
      document.body.replaceChildren(JSON.stringify(said));
    </script>"""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "page.html")
        with open(path, "w", encoding="utf-8") as page:
            page.write(one.html.replace("</body>", keys + "</body>"))
        dom = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}", "--dump-dom", "file://" + path],
                             capture_output=True, text=True, timeout=120).stdout
        if shutil.which("pdftoppm"):
            subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}", "--no-pdf-header-footer",
                            f"--print-to-pdf={folder}/page.pdf", "file://" + str(one.save(os.path.join(folder, "one.html")))], capture_output=True, timeout=120)
            pixels = subprocess.run(["pdftoppm", "-r", "24", "-gray", "-singlefile", f"{folder}/page.pdf"], capture_output=True).stdout
            width, height = (int(n) for n in pixels.split(None, 3)[1:3])
            paper = np.frombuffer(pixels[-width * height:], np.uint8).reshape(height, width)
            expect((paper[height // 3:] < 200).mean() > 0.01, "the large picture is not on paper")
    said = json.loads(html.unescape(re.search(r"<body>(.*?)</body>", dom, re.S).group(1)))
    wanted = [f"{weights[0][head][1][1]:.4f}" for head in (0, 1, 1)]
    for text, number in zip(said, wanted):
        expect(text.startswith(number) and "\u201ccat\u201d (1)" in text, f"the page reads {text!r}, expected {number}")
    most = int(weights[0][1][1].argmax())  # of the word whose row was kept
    expect(said[3].startswith(f"\u201ccat\u201d looks mostly at \u201c{words[most]}\u201d {weights[0][1][1][most]:.3g}"), f"the sentence: {said[3]!r}")
    expect("kept" in said[1], f"Enter does not keep the cell: {said[1]!r}")

if shutil.which("jupyter-nbconvert") and subprocess.run([sys.executable, "-c", "import ipykernel"], capture_output=True).returncode == 0:
    cells = ["import sys; sys.path.insert(0, %r)\nimport headlight, numpy as np" % os.path.dirname(headlight.__file__),
             "headlight.show(np.full((2, 3, 3), 1 / 3), ['a', 'b', 'c'])"]
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": {"name": "python3", "display_name": "", "language": "python"}},
                "cells": [{"cell_type": "code", "id": str(i), "metadata": {}, "outputs": [], "execution_count": None, "source": source}
                          for i, source in enumerate(cells)]}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "one.ipynb")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(notebook, file)
        run = lambda *to: subprocess.run(["jupyter-nbconvert", "--execute", "--to", *to, path], capture_output=True, text=True,
                                         env={**os.environ, "HOME": folder})
        done = run("notebook", "--output", "done.ipynb")
        expect(done.returncode == 0, f"a notebook does not run: {done.stderr[-600:]}")
        if done.returncode == 0:
            with open(os.path.join(folder, "done.ipynb"), encoding="utf-8") as file:
                data = json.load(file)["cells"][1]["outputs"][0]["data"]
            expect("srcdoc" in "".join(data["text/html"]) and data["image/png"].startswith("iVBOR"), "a cell shows no page with a PNG beside it")
            exported = run("html", "--output", "done.html")
            with open(os.path.join(folder, "done.html"), encoding="utf-8") as file:
                expect("headlight-data" in file.read(), f"the exported notebook has no page: {exported.stderr[-300:]}")

with tempfile.TemporaryDirectory() as folder:  # no program built beside it
    shutil.copy(headlight.__file__, folder)
    done = subprocess.run([sys.executable, "-c", "import headlight; headlight.show([[1.0]])"], cwd=folder, capture_output=True, text=True,
                          env={**os.environ, "HEADLIGHT": "", "PATH": ""})
    said = done.stderr.strip().splitlines()[-1:]
    expect(done.returncode != 0 and "not on PATH" in said[0] and "./run --install" in said[0], f"without the program: {done.stderr}")

if torch:
    class Attention(torch.nn.Module):
        def __init__(self, scale=True):
            super().__init__()
            self.num_heads, self.scale = 2, scale
            self.q_proj, self.k_proj, self.v_proj, self.out_proj = (torch.nn.Linear(8, 8) for _ in range(4))

        def forward(self, x):
            q, k, v = (p(x).view(*x.shape[:2], 2, 4).transpose(1, 2) for p in (self.q_proj, self.k_proj, self.v_proj))
            scores = q @ k.transpose(-1, -2) / (2 if self.scale else 1)
            return self.out_proj((scores.softmax(-1) @ v).transpose(1, 2).reshape(x.shape))

    torch.manual_seed(3)
    x = torch.randn(2, 5, 8)
    right = headlight.check(Attention(), x)
    expect(right["match"] and "agrees" in repr(right), f"a right module: {right!r}")
    wrong = headlight.check(Attention(scale=False), 3 * x)
    expect(wrong["diagnosis"] and wrong["diagnosis"][0]["id"] == "no_scale", f"a module without scale: {wrong!r}")
    for batch_first in (True, False):
        module = torch.nn.MultiheadAttention(8, 2, batch_first=batch_first)
        said = headlight.check(module, x, arguments={"average_attn_weights": False})
        expect(said["match"], f"nn.MultiheadAttention, batch_first={batch_first}: {said!r}")
        expect(any(stage["stage"] == "weights" and stage["present"] for stage in said["stages"]), "its weights are not compared")
    mask = torch.triu(torch.ones(5, 5, dtype=torch.bool), 1)
    said = headlight.check(torch.nn.MultiheadAttention(8, 2, batch_first=True), x, arguments={"attn_mask": mask})
    expect(said["match"], f"nn.MultiheadAttention with attn_mask: {said!r}")

print("faults:", len(faults))
sys.exit(bool(faults))
