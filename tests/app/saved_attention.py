#!/usr/bin/env python3
"""Random saved attentions: axes in every order, left out or joined, with and without words and numbers, as one array, lists,
tuples and dictionaries, and as the steps of generate(). Each is read right, asked for, or refused; never wrong.

    saved_attention.py PROGRAM [COUNT [SEED]]

What is asked for is read with the answer, which must then be right.
"""
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
except ImportError:
    print("skipped: no NumPy")
    sys.exit(77)
try:
    import torch
except ImportError:
    torch = None

PROGRAM = sys.argv[1]
COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 60
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 3
FOLDER = tempfile.TemporaryDirectory()
NAMES = ("attentions", "attn", "weights", "attention_probs", "cross_attentions")


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return (e / e.sum(-1, keepdims=True)).astype(np.float32)


def drawn(rng):
    """[L, B, H, q, k] and the letters of the axes that are kept: the others have one entry, or are averaged away."""
    kept = [letter for letter in "LBH" if rng.random() < 0.7]
    sizes = {letter: int(rng.choice([1, 2, 3, 4])) if letter in kept else 1 for letter in "LBH"}
    q = int(rng.choice([1, 2, 3, 5, 6]))
    k = q if rng.random() < 0.6 else int(rng.choice([2, 3, 5, 7]))
    scores = rng.standard_normal((sizes["L"], sizes["B"], sizes["H"], q, k)) * 2
    if q == k and rng.random() < 0.4:
        scores = np.where(np.tril(np.ones((q, k), bool)), scores, -np.inf)
    return softmax(scores), kept


def stored(rng, weights, kept):
    """The arrays as a file has them, and --axes for them."""
    letters = kept + ["q", "k"]
    order = [letters[i] for i in rng.permutation(len(letters))] if rng.random() < 0.7 else letters
    places = {letter: i for i, letter in enumerate("LBHqk")}
    whole = weights.transpose([places[letter] for letter in order] + [places[letter] for letter in "LBH" if letter not in kept])
    whole = whole.reshape([weights.shape[places[letter]] for letter in order])
    joined = order.index("B") + 1 < len(order) and order[order.index("B") + 1] == "H" if "B" in order and "H" in order else False
    if joined and rng.random() < 0.3:
        at = order.index("B")
        shape = list(whole.shape)
        whole = whole.reshape(shape[:at] + [shape[at] * shape[at + 1]] + shape[at + 2:])
        order = order[:at] + ["B*H"] + order[at + 2:]
    return whole, ",".join(order)


def words(rng, weights):
    """Words for the axes, or none: a line for each batch entry, or one."""
    batch, q, k = weights.shape[1], weights.shape[3], weights.shape[4]
    lines = lambda n, letter: np.array([[f"{letter}{b}{i}" for i in range(n)] for b in range(batch)])
    choice = rng.random()
    if choice < 0.4:
        return {}
    made = {"tokens": lines(k, "t")} if q == k else {"query_tokens": lines(q, "q"), "key_tokens": lines(k, "k")}
    return {name: list_[0] for name, list_ in made.items()} if batch == 1 and rng.random() < 0.5 else made


def write(rng, weights):
    """One file; its path, the answer to its question, and the settings that it needs."""
    whole, axes = stored(rng, *weights)
    beside = words(rng, weights[0])
    if "H" in axes and rng.random() < 0.5:
        beside["num_heads"] = np.array(weights[0].shape[2])
    name = str(rng.choice(NAMES))
    in_list = axes[0] == "L" and whole.ndim > 2 and rng.random() < 0.6
    if torch is not None and rng.random() < 0.4:
        path = str(Path(FOLDER.name, "a.pt"))
        tensors = [torch.from_numpy(layer.copy()) for layer in whole] if in_list else torch.from_numpy(whole.copy())
        if in_list and rng.random() < 0.5:
            tensors = tuple(tensors)
        plain = {key: value.tolist() for key, value in beside.items()}
        torch.save({name: tensors, **plain} if plain or rng.random() < 0.7 or not in_list else tensors, path)
    else:
        path = str(Path(FOLDER.name, "a.npz"))
        arrays = {f"{name}.{i}": layer for i, layer in enumerate(whole)} if in_list else {name: whole}
        np.savez(path, **arrays, **beside)
    return path, axes, whole


def generated(rng):
    """What generate() returns for decoders, and the whole matrices of its layers."""
    layers, heads, prompt, steps = (int(rng.choice(c)) for c in ([1, 2, 3], [1, 2, 4], [1, 3, 4], [2, 3, 4]))
    n, is_static = prompt + steps - 1, rng.random() < 0.4
    width = n + int(rng.choice([1, 4])) if is_static else n
    scores = np.where(np.tril(np.ones((n, n), bool)), rng.standard_normal((layers, 1, heads, n, n)), -np.inf)
    whole = softmax(scores)
    parts = []
    for step in range(steps):
        first, last = (0, prompt) if step == 0 else (prompt + step - 1, prompt + step)
        part = whole[:, :, :, first:last, :last]
        if is_static:
            part = np.concatenate([part, np.zeros(part.shape[:-1] + (width - last,), np.float32)], -1)
        parts.append([layer.copy() for layer in part])
    return parts, whole, prompt


def run(path, *settings):
    out = Path(FOLDER.name, "out.npz")
    out.unlink(missing_ok=True)
    done = subprocess.run([PROGRAM, "trace", path, "-o", str(out), *settings], capture_output=True, text=True)
    if done.returncode not in (0, 2):
        return None, f"exit status {done.returncode}: {done.stderr}"
    return (dict(np.load(out)) if done.returncode == 0 else None), done.stderr


def same(stages, expected):
    return stages is not None and stages["weights"].shape == expected.shape and np.array_equal(stages["weights"], expected)


def check(rng, counts):
    """One random file; the sentence about what is wrong, or nothing."""
    weights, kept = drawn(rng)
    path, axes, whole = write(rng, (weights, kept))
    layer = int(rng.integers(weights.shape[0]))
    settings = ["--layer", str(layer)] if layer > 0 else []
    # [1, X, n, n] alone, or [1, X, m, n] in a list, is documented as transformers' [B, H, n_q, n_k]; another meaning has
    # to be said.
    usual = whole.ndim > 3 and whole.shape[-4] == 1 and (whole.ndim == 5 or whole.shape[-2] == whole.shape[-1])
    if usual and (whole.ndim, axes) not in ((5, "L,B,H,q,k"), (4, "B,H,q,k")):
        settings += ["--axes", axes]
    stages, said = run(path, *settings)
    what = f"{whole.shape} {axes} layer {layer}: {said}"
    if stages is not None:
        counts["right"] += 1
        return None if same(stages, weights[layer]) else "wrong: " + what
    if "--axes" not in said:
        counts["refused"] += 1
        return None if "expected" in said else "no sentence: " + what
    counts["asked"] += 1
    heads = ["--heads", str(weights.shape[2])] if "*" in axes else []
    stages, said = run(path, "--axes", axes, *heads, *settings)
    return None if same(stages, weights[layer]) else f"wrong as answered: {what} {said}"


def check_generated(rng, counts):
    parts, whole, prompt = generated(rng)
    layer = int(rng.integers(whole.shape[0]))
    name = str(rng.choice(["attentions", "decoder_attentions"]))
    if torch is not None and rng.random() < 0.5:
        path = str(Path(FOLDER.name, "g.pt"))
        steps = tuple(tuple(torch.from_numpy(a) for a in step) for step in parts)
        torch.save({name: steps} if rng.random() < 0.6 or len(parts[0]) == 1 else steps, path)
    else:
        path = str(Path(FOLDER.name, "g.npz"))
        np.savez(path, **{f"{name}.{s}.{l}": a for s, step in enumerate(parts) for l, a in enumerate(step)})
    stages, said = run(path, *(["--layer", str(layer)] if layer > 0 else []))
    counts["generated"] += 1
    if not same(stages, whole[layer]):
        return f"generate(), {len(parts)} steps of {[a.shape for a in parts[0]]}: {said}"
    n = whole.shape[-1]
    if prompt > 0 and n > 1 and not np.array_equal(stages["mask"][0, 0], np.tril(np.ones((n, n), bool))):
        return "generate(): the keys that were not computed yet are not masked"
    return None


def main():
    rng = np.random.default_rng(SEED)
    counts = {"right": 0, "asked": 0, "refused": 0, "generated": 0}
    wrong = []
    for i in range(COUNT):
        sentence = check_generated(rng, counts) if i % 10 == 9 else check(rng, counts)
        if sentence:
            wrong.append(sentence)
            print(sentence)
    print(", ".join(f"{count} {what}" for what, count in counts.items()) + f", {len(wrong)} wrong")
    if counts["right"] < COUNT // 10:
        print("fewer than a tenth were read without a question")
    return 1 if wrong or counts["right"] < COUNT // 10 else 0


if __name__ == "__main__":
    sys.exit(main())
