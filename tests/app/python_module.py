#!/usr/bin/env python3
"""python/headlight: pages for notebooks, and modules that are checked. python3 python_module.py HEADLIGHT. Skipped (77) without NumPy."""
import base64, html, json, os, re, shutil, subprocess, sys, tempfile

try:
    import numpy as np
except ImportError:
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


# What generate() returns: a step each, of it a layer each. The keys of cross-attention are all there from the start.
whole = np.tril(random.dirichlet(np.ones(4), size=(2, 1, 3, 4)).astype(np.float32))
steps = tuple(tuple(layer[:, :, s:s + 1, :s + 1] for layer in whole) for s in range(4))
across = random.dirichlet(np.ones(5), size=(2, 1, 3, 4)).astype(np.float32)
across[..., 3:] = 0  # the last two keys are padding
crossed = tuple(tuple(layer[:, :, s:s + 1] for layer in across) for s in range(4))


class Generated:
    def __init__(self, **held):
        self.__dict__.update(held)


for what, given, expected in (("steps", (steps, words[:4]), whole), ("steps of cross-attention", (crossed, words[:4], words), across),
                              ("what generate() returns", (Generated(attentions=steps, cross_attentions=None), words[:4]), whole)):
    data, shown = numbers(headlight.show(*given).html)
    expect(data["heads"] == 6 and data["tokens"] == words[:4] and data["key_tokens"] == list(given[-1])[:expected.shape[-1]], f"{what}: {data['tokens']}")
    expect(shown.shape == (6, *expected.shape[-2:]) and np.abs(shown - expected.reshape(shown.shape)).max() <= 0.51 * data["scale"], f"{what} are not the arrays")
try:
    headlight.show(Generated(decoder_attentions=steps, cross_attentions=crossed), words[:4])
    expect(False, "one of two attentions is chosen silently")
except headlight.HeadlightError as error:
    expect("cross_attentions" in str(error) and "expected" in str(error), str(error))


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
    cells = ["import sys; sys.path.insert(0, %r)\nimport headlight, numpy as np" % os.path.dirname(os.path.dirname(headlight.__file__)),
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
    shutil.copytree(os.path.dirname(headlight.__file__), os.path.join(folder, "headlight"))
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

def refused(what, call, *parts):
    try:
        call()
        expect(False, f"{what} is not refused")
    except headlight.HeadlightError as error:
        said = str(error)
        expect(said and "\n" not in said and "/tmp" not in said and all(part in said for part in parts), f"{what}: {said!r}")


nested = []
nested.append(nested)
refused("a lambda", lambda: headlight.figure(lambda: 0), "function")
refused("a list within itself", lambda: headlight.figure(nested))
refused("rows of two lengths", lambda: headlight.figure([[1.0], [1.0, 2.0]]))
refused("a number for words", lambda: headlight.figure([[1.0]], 3), "tokens")
refused("a function as an option", lambda: headlight.figure([[1.0]], title=print), "title")
refused("a NUL", lambda: headlight.figure([[1.0]], title="a\0b"))
refused("a file that is not there", lambda: headlight.trace("not-there.npz"))
refused("arrays that are no attention", lambda: headlight.trace({"a": [1.0]}), "the arrays")
refused("no stages", lambda: headlight.compare("not-there.npz", None))
refused("a folder that is not there", lambda: one.save("not/there/a.png"), "not/there/a.png")
refused("another ending", lambda: one.save("a.docx"))
refused("a function that is checked", lambda: headlight.check(lambda x: x, weights), "function")
for path in ("/not/there", shutil.which("true") or "/not/there", os.path.dirname(os.path.abspath(__file__)), os.path.abspath(__file__)):
    right_program = os.environ["HEADLIGHT"]
    os.environ["HEADLIGHT"] = path
    refused(f"HEADLIGHT={path}", lambda: headlight.figure([[1.0]]), "HEADLIGHT")
    os.environ["HEADLIGHT"] = right_program
expect(len(repr(one)) < 150 and repr(one).startswith("<headlight.Page"), f"a page is printed as {one!r}")
noted = headlight.figure(random.random((1, 40, 40)), ["word" * 9] * 40, size="4x4cm")
expect("/tmp" not in noted.notes, f"a note names a temporary file: {noted.notes}")

if torch:
    expect(repr(wrong).count("\n") == 0 and "no_scale" in repr(wrong), f"a check is printed as {wrong!r}")
    expect("no_scale" in str(wrong) and "<table>" in wrong._repr_html_(), "a check is not shown in a notebook")

    class OwnNames(Attention):
        def __init__(self):
            super().__init__()
            self.ask, self.hint, self.payload = self.q_proj, self.k_proj, self.v_proj
            del self.q_proj, self.k_proj, self.v_proj

        def forward(self, x, bias, flag=False):
            q, k, v = (p(x).view(*x.shape[:2], 2, 4).transpose(1, 2) for p in (self.ask, self.hint, self.payload))
            return self.out_proj(((q @ k.transpose(-1, -2) / 2).softmax(-1) @ v).transpose(1, 2).reshape(x.shape) + bias)

    own = {"q_proj": "ask", "k": "hint", "v_proj": "payload"}
    said = headlight.check(OwnNames(), x, names=own, arguments={"bias": 0.0})
    expect(said["match"] and all(s["present"] for s in said["stages"] if s["stage"] in ("Q", "K", "V")), f"names of one's own: {said}")
    refused("an argument that is not given", lambda: headlight.check(OwnNames(), x, names=own), "bias")
    refused("an argument that forward() does not have", lambda: headlight.check(OwnNames(), x, names=own, arguments={"bias": 0.0, "mask": x}), "mask")
    refused("a name that is not there", lambda: headlight.check(OwnNames(), x, names={"q_proj": "asks"}), "asks")
    refused("no input", lambda: headlight.check(Attention(), None), "x is a NoneType")

    class Other(OwnNames):
        def forward(self, x, bias=0.0):
            return 3 * super().forward(x, bias).sin()

    said = str(headlight.check(Other(), x, names=own))
    expect("projections: " in said, f"what was assumed is not said where no mistake is found: {said}")
    said = str(headlight.check(OwnNames(), torch.full_like(x, float("nan")), names=own, arguments={"bias": 0.0}))
    expect("output: no number of it is finite" in said, f"nothing finite agrees: {said}")
    refused("a class in place of a module", lambda: headlight.check(Attention, x), "Attention is a class")

# What is JSON on the command line is lists, dicts and arrays here; an empty text is a value.
layer = {"x": random.normal(size=(1, 3, 4)).astype(np.float32), "num_heads": 2, **{f"{p}_proj.weight": random.normal(size=(4, 4)).astype(np.float32) for p in "qkvo"}}
causal = headlight.trace(layer, mask="causal()")["weights"]
bias = np.triu(np.full((3, 3), -np.inf), 1)
for what, given in (("an array", bias), ("lists", bias.tolist())):
    expect(np.abs(headlight.trace(layer, attn_bias=given)["weights"] - causal).max() < 1e-6, f"attn_bias of {what}")
expect(headlight.trace(layer, x=[[1, 2, 3, 4]] * 2)["weights"].shape == (1, 2, 2, 2), "x of lists")
expect(headlight.trace(layer, edits=[{"stage": "W_q", "row": 0, "col": 0, "value": 9.0}])["Q"][0, 0, 0] != headlight.trace(layer)["Q"][0, 0, 0], "edits of dicts")
expect((headlight.trace(layer, mask="padding()", valid_lens=np.array([2]))["weights"][..., 2] == 0).all(), "valid_lens of an array")
headlight.trace(layer, tokens=["a", "b", "c"])
refused("a token with a blank", lambda: headlight.trace(layer, tokens=["a", "b c", "d"]), "has a blank")
refused("what is no JSON", lambda: headlight.trace(layer, edits=[{"stage": {1}}]), "edits: ")
expect(">weights" not in headlight.figure(weights[0], words, title="").svg, "an empty title is not taken")

with tempfile.TemporaryDirectory() as folder:  # pip install -e, without a network
    here = os.path.dirname(os.path.dirname(os.path.realpath(headlight.__file__)))
    done = subprocess.run([sys.executable, "-c", "import wheel_backend, sys; print(wheel_backend.build_editable(sys.argv[1])); print(wheel_backend.build_wheel(sys.argv[1]))", folder],
                          cwd=here, capture_output=True, text=True)
    expect(done.returncode == 0, f"no wheel: {done.stderr}")
    if subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True).returncode == 0:
        for how in (["-e", here], [here]):
            target = os.path.join(folder, "env" + str(len(how)))
            subprocess.run([sys.executable, "-m", "venv", "--without-pip", "--system-site-packages", target], check=True)
            python = os.path.join(target, "bin", "python")
            done = subprocess.run([python, "-m", "pip", "install", "--no-deps", "--no-index", *how], capture_output=True, text=True, cwd=folder)
            expect(done.returncode == 0, f"pip install {how}: {done.stderr[-400:]}")
            done = subprocess.run([python, "-c", "import headlight; print(headlight.__file__)"], capture_output=True, text=True, cwd=folder)
            expect(done.stdout.startswith(here) == (len(how) == 2) and "headlight" in done.stdout, f"imported from {done.stdout}{done.stderr[-300:]}")

if shutil.which("mypy"):
    with tempfile.TemporaryDirectory() as folder:
        user = os.path.join(folder, "user.py")
        with open(user, "w") as file:
            file.write("import headlight\nfrom typing import Dict\n\ndef f() -> Dict[str, object]:\n    page: headlight.Page = headlight.show([[1.0]], ['a'])\n"
                       "    path = page.save('a.html')\n    print(path.name, headlight.trace('a.npz')['Q'].shape)\n    return headlight.check(None, None)\n")
        for what in (["headlight"], ["--strict", user]):
            done = subprocess.run(["mypy", "--cache-dir", folder, "--config-file", os.path.join(here, "pyproject.toml"), *what], cwd=here, capture_output=True, text=True)
            expect(done.returncode == 0, f"mypy: {done.stdout}{done.stderr}")

print("faults:", len(faults))
sys.exit(bool(faults))
