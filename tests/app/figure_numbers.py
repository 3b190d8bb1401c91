#!/usr/bin/env python3
"""The numbers of each kind of figure in every format, against NumPy and against the cells of the picture; and files of
weights that the program wrote itself, which it reads again without a question.

    figure_numbers.py PROGRAM
"""
import base64
import json
import subprocess
import sys
import tempfile
import zipfile
import zlib
from pathlib import Path

try:
    import numpy as np
except ImportError:
    print("skipped: no NumPy")
    sys.exit(77)

PROGRAM = sys.argv[1]
N, HEADS = 7, 3
failures = []


def run(*words):
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, words))}: {done.stderr.strip()}")
    return done.stderr


def softmax(scores):
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return (e / e.sum(-1, keepdims=True)).astype(np.float32)


def pixels(path):
    """The grey levels of a PNG without interlacing: [height, width]."""
    data, at, packed = Path(path).read_bytes(), 8, b""
    while at < len(data):
        size, kind = int.from_bytes(data[at:at + 4], "big"), data[at + 4:at + 8]
        body = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, channels = int.from_bytes(body[:4], "big"), int.from_bytes(body[4:8], "big"), {2: 3, 6: 4}[body[9]]
        if kind == b"IDAT":
            packed += body
        at += 12 + size
    raw, line = zlib.decompress(packed), channels * width
    out, before = np.zeros((height, line), int), np.zeros(line, int)
    for y in range(height):
        filter_, row = raw[y * (line + 1)], np.frombuffer(raw[y * (line + 1) + 1:(y + 1) * (line + 1)], np.uint8).astype(int)
        for x in range(line):
            a, b = (row[x - channels] if x >= channels else 0), before[x]
            c = before[x - channels] if x >= channels else 0
            if filter_ == 1: row[x] += a
            elif filter_ == 2: row[x] += b
            elif filter_ == 3: row[x] += (a + b) // 2
            elif filter_ == 4:
                p = a + b - c
                row[x] += a if abs(p - a) <= abs(p - b) and abs(p - a) <= abs(p - c) else b if abs(p - b) <= abs(p - c) else c
            row[x] %= 256
        out[y], before = row, row
    return out.reshape(height, width, channels)[:, :, 0]


def page_numbers(path):
    text = Path(path).read_text()
    data = json.loads(text.split('id="headlight-data">')[1].split("</script>")[0])
    cells = data["rows"] * data["cols"]
    values = np.frombuffer(base64.b64decode(data["values"]), "<i2").astype(float) * data["scale"]
    values = values.reshape(data["heads"], data["rows"], data["cols"])
    for panel, about in enumerate(data["panels"]):
        if about["kinds"] >= 0:
            kinds = np.frombuffer(base64.b64decode(data["kinds"][about["kinds"]]), np.uint8)[:cells]
            values[panel][kinds.reshape(data["rows"], data["cols"]) != 0] = np.nan
    return values, data["scale"]


def rows_of(path):
    return np.array([[float(x) for x in line.split(",")] for line in Path(path).read_text().split()])


def check(what, said, wanted, margin=1e-6):
    said, wanted = np.asarray(said, float), np.asarray(wanted, float)
    good = said.shape == wanted.shape and np.array_equal(np.isnan(said), np.isnan(wanted))
    if good and np.nanmax(np.abs(np.where(np.isnan(wanted), 0, said - wanted)), initial=0) > margin:
        good = False
    if not good:
        failures.append(f"{what}: {said.shape} for {wanted.shape}\n{said}\n{wanted}")


def main():
    random = np.random.default_rng(7)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        causal = np.tril(np.ones((N, N), bool))
        first = softmax(np.where(causal, random.normal(size=(1, HEADS, N, N)), -np.inf))
        second = softmax(np.where(causal, random.normal(size=(1, HEADS, N, N)), -np.inf))
        np.savez(folder / "a.npz", weights=first)
        np.savez(folder / "b.npz", weights=second)
        layers = softmax(np.where(causal, random.normal(size=(3, 1, HEADS, N, N)), -np.inf))
        np.savez(folder / "layers.npz", **{f"attentions_{i}": layers[i] for i in range(3)})
        source = ["--random", "--queries", N, "--d-model", 12, "--heads", HEADS, "--mask", "causal() && window(3)"]
        window = causal & ~np.tril(np.ones((N, N), bool), -3)

        reached, power = np.full((N, N), np.nan), np.eye(N, dtype=bool)
        for layer in range(1, N):
            power = (window | np.eye(N, dtype=bool)).astype(int) @ power.astype(int) > 0
            reached[np.isnan(reached) & power] = layer
        blocks = np.zeros((N, N))
        for i in range(0, N, 2):
            for j in range(0, N, 2):
                part = window[i:i + 2, j:j + 2]
                if part.any():
                    blocks[i:i + 2, j:j + 2] = np.where(part, 3 if part.all() else 2, 1)
        other = np.abs(np.subtract.outer(np.arange(N), np.arange(N))) < 2
        change = other.astype(float) - window
        sides = np.stack([np.where(window, change, np.nan), np.where(other, change, np.nan), np.where(window | other, change, np.nan)])
        rolled = np.eye(N)
        for layer in layers:
            fused = 0.5 * layer[0].max(0) + 0.5 * np.eye(N)
            rolled = (fused / fused.sum(-1, keepdims=True)) @ rolled
        a, b, stages = folder / "a.npz", folder / "b.npz", ["--stage", "weights"]
        kinds = {
            "heatmap": ([a, *stages, "--head", 1], first[0, 1]),
            "heads": ([a, *stages, "--head", "all"], first[0]),
            "mean": ([a, *stages, "--head", "mean"], first[0].mean(0)),
            "part": ([a, *stages, "--head", 2, "--rows", "2:5", "--cols", ":4"], first[0, 2, 2:5, :4]),
            "arcs": ([a, *stages, "--kind", "arcs", "--head", 1], first[0, 1]),
            "difference of heads": ([a, *stages, "--kind", "difference", "--head", "0,2"], first[0, 2] - first[0, 0]),
            "difference of files": ([a, *stages, "--kind", "difference", "--head", 1, "--other-file", b], second[0, 1] - first[0, 1]),
            "differences of files": ([a, *stages, "--kind", "difference", "--head", "all", "--other-file", b], second[0] - first[0]),
            "part of a difference": ([a, *stages, "--kind", "difference", "--head", "0,1", "--rows", "1:3"], (first[0, 1] - first[0, 0])[1:3]),
            "reach": ([*source, "--kind", "reach"], reached),
            "blocks": ([*source, "--kind", "blocks", "--block", 2], blocks),
            "side-by-side": ([*source, "--kind", "side-by-side", "--other-mask", "window(2)"], sides),
            "layers": ([folder / "layers.npz", *stages, "--layers", "all"], layers[:, 0]),
            "mean of heads by layer": ([folder / "layers.npz", *stages, "--layers", "all", "--head", "mean"], layers[:, 0].mean(1)),
            "rollout": ([folder / "layers.npz", *stages, "--layers", "rollout", "--fuse", "max"], rolled),
            "sum over rows": ([a, *stages, "--head", 1, "--rows", "-3:", "--over", "rows", "--by", "sum"], first[0, 1, -3:].sum(0)),
            "mean over heads and layers": ([folder / "layers.npz", *stages, "--layers", "all", "--over", "heads,layers"], layers[:, 0].mean((0, 1))),
            "one number": ([folder / "layers.npz", *stages, "--layers", "all", "--over", "heads,layers,rows,cols", "--by", "max"], [layers.max()]),
        }
        for kind, (words, wanted) in kinds.items():
            wanted = np.asarray(wanted, float)
            run("render", *words, "-o", folder / "n.npy")
            check(f"{kind}, npy", np.load(folder / "n.npy"), wanted)
            run("render", *words, "-o", folder / "n.npz")
            with np.load(folder / "n.npz") as arrays:
                check(f"{kind}, npz", arrays[arrays.files[0]], wanted)
                axes, name = str(arrays.get("axes", "")), arrays.files[0]
            if name in ("weights", "rollout"):
                read_back(kind, folder, axes, wanted)
            grid = wanted.reshape(-1, wanted.shape[-1]) if wanted.ndim == 1 else wanted
            if grid.ndim == 2:
                run("render", *words, "-o", folder / "n.csv")
                check(f"{kind}, csv", rows_of(folder / "n.csv").reshape(grid.shape), grid, 1e-5)
            run("render", *words, "-o", folder / "n.html")
            values, scale = page_numbers(folder / "n.html")
            panels = wanted.reshape(values.shape)
            hidden = np.isnan(values)  # masked cells have no number there
            check(f"{kind}, html", values, np.where(hidden, np.nan, panels), scale)
            if (np.isnan(panels) & ~hidden).any():
                failures.append(f"{kind}, html: a cell without a number has one")
            run("bundle", *words, "-o", folder / f"{kind}.zip")
            with zipfile.ZipFile(folder / f"{kind}.zip") as files:
                inside = [name for name in files.namelist() if name.endswith("data.npy")][0]
                with files.open(inside) as data:
                    check(f"{kind}, bundle", np.lib.format.read_array(data), wanted)
            if panels.shape[0] == 1 and kind not in ("blocks", "arcs"):
                picture_of(kind, words, panels[0], hidden[0], folder)
        traced_again(folder, random)
        merged_words(folder, random)
    for failure in failures:
        print(failure)
    print(f"{len(kinds)} kinds of figures, {len(failures)} wrong")
    return 1 if failures else 0


def weights_in(path, folder, *settings):
    run("trace", path, *settings, "-o", folder / "again.npz")
    return np.load(folder / "again.npz")["weights"]


def read_back(kind, folder, axes, wanted):
    """Attention that was written is read as what it is; what has no axis of queries or of keys is no attention."""
    path = folder / "n.npz"
    if axes.split(",")[-2:] != ["q", "k"]:
        done = subprocess.run([PROGRAM, "trace", path, "-o", folder / "again.npz"], capture_output=True, text=True)
        if done.returncode != 2 or "axes" not in done.stderr:
            failures.append(f"{kind} with axes {axes} is read as attention: {done.stderr}")
        return
    for i, layer in enumerate(wanted if axes[0] == "L" else [wanted]):
        whole = np.asarray(layer)
        whole = whole.reshape((1,) * (4 - whole.ndim) + whole.shape)
        check(f"{kind}, read again", weights_in(path, folder, *(["--layer", i] if i else [])), whole)


def traced_again(folder, random):
    """What trace writes of weights alone: of several sentences, of other keys than queries, of all layers."""
    crossed = softmax(random.normal(size=(2, 3, 4, 5)))
    np.savez(folder / "c.npz", attn=crossed, axes="B,H,q,k")
    run("trace", folder / "c.npz", "-o", folder / "traced.npz")
    check("weights of two sentences, traced twice", weights_in(folder / "traced.npz", folder), crossed)
    words = ["model:induction", "--text", "the cat sat on the cat"]
    run("trace", *words, "--layer", "all", "--stages", "weights", "-o", folder / "all.npz")
    with np.load(folder / "all.npz") as arrays:
        layers = [arrays[f"layers.{i}.weights"] for i in range(2)]
    for name in ("1", "layers.1", "layers.1.weights"):
        check(f"layer {name} of all layers", weights_in(folder / "all.npz", folder, "--layer", name), layers[1])
    check("all layers, traced again", weights_in(folder / "all.npz", folder), layers[0])


def merged_words(folder, random):
    """Pieces of a word as one: the mean of their rows, the sum of their columns, and the names of the words."""
    pieces, words = ["ĠThe", "Ġun", "pub", "lished", "ĠÃ¡", "n", ","], [[0], [1, 2, 3], [4, 5], [6]]
    weights = softmax(np.where(np.tril(np.ones((7, 7), bool)), random.normal(size=(1, 2, 7, 7)), -np.inf))
    np.savez(folder / "w.npz", attentions=weights, tokens=np.array(pieces))
    wanted = np.array([[[weights[0, h][np.ix_(rows, cols)].sum() / len(rows) for cols in words] for rows in words] for h in range(2)])
    render = [folder / "w.npz", "--merge", "words", "--stage", "weights", "--head", "all"]
    said = run("render", *render, "-o", folder / "w.npy")
    check("words of pieces", np.load(folder / "w.npy"), wanted)
    if "7 tokens are 4 words" not in said:
        failures.append(f"nothing says that pieces were merged: {said}")
    run("render", *render, "-o", folder / "w.html")
    page = (folder / "w.html").read_text()
    data = json.loads(page.split('id="headlight-data">')[1].split("</script>")[0])
    if data["tokens"] != ["The", "unpublished", "án", ","] or data["key_tokens"] != data["tokens"]:
        failures.append(f"the words of the pieces are {data['tokens']}")
    if "pieces of words as one" not in page:
        failures.append("the figure's title does not say that pieces are merged")


def picture_of(kind, words, cells, hidden, folder):
    """Larger numbers are darker in the picture, equal ones equal."""
    lo, hi = np.nanmin(cells), np.nanmax(cells)
    if lo == hi:
        return
    run("render", *words, "--bare", "--cell", 1, "--colormap", "greys", "--norm", "linear", "--range", f"{lo}:{hi}", "-o", folder / "n.png")
    grey = pixels(folder / "n.png")
    if grey.shape != cells.shape:
        failures.append(f"{kind}, png: {grey.shape} pixels for {cells.shape} cells")
        return
    shown = ~hidden & ~np.isnan(cells)
    order = np.argsort(cells[shown], kind="stable")
    levels = grey[shown][order]
    if (np.diff(levels) > 1).any():
        failures.append(f"{kind}, png: {levels} is not the order of {cells[shown][order]}")


if __name__ == "__main__":
    sys.exit(main())
