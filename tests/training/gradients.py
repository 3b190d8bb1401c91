#!/usr/bin/env python3
"""Gradients and AdamW of `headlight train` against PyTorch's autograd: gradients.py HEADLIGHT [COUNT] [--curves].

COUNT random configurations (40 unless given): every parameter's gradient and every stage's, from `--gradients`. PyTorch
computes in float64, since its own float32 differs by more than what is asked where gradients are large. With --curves
also 200 steps of AdamW from the same weights and batches. Needs torch and numpy.
"""
import json
import math
import random
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy
    import torch
    from torch.nn import functional
except ImportError:
    print("skipped: needs torch and numpy")
    sys.exit(77)

relative, absolute = 1e-3, 1e-6


class Network:
    """The network of core/compute/training/shape.h, from the parameters of the file, with every stage kept."""

    def __init__(self, arrays, options):
        self.p = {k[len("param."):]: torch.tensor(v, dtype=torch.float64, requires_grad=True) for k, v in arrays.items() if k.startswith("param.")}
        self.o = options
        self.layers = 1 + max(int(k.split(".")[2]) for k in self.p if k.startswith("transformer.h."))

    def keep(self, layer, name, value):
        if value.requires_grad:
            value.retain_grad()
        self.stages[f"layers.{layer}.{name}"] = value
        return value

    def rotate(self, x):
        pairing, (n, d) = self.o["rope"], x.shape[-2:]
        angle = torch.arange(n)[:, None] * 10000.0 ** (-2 * torch.arange(d // 2, dtype=torch.float64) / d)
        cos, sin = angle.cos(), angle.sin()
        a, b = (x[..., : d // 2], x[..., d // 2:]) if pairing == "half" else (x[..., ::2], x[..., 1::2])
        turned = a * cos - b * sin, a * sin + b * cos
        return torch.cat(turned, -1) if pairing == "half" else torch.stack(turned, -1).flatten(-2)

    def attention(self, layer, x, given):
        o, at = self.o, f"transformer.h.{layer}.attn."
        H, G = o["heads"], o["kv_heads"]
        d = o["d_model"] // H
        packed = x @ self.p[at + "c_attn.weight"] + self.p[at + "c_attn.bias"]
        q, k, v = packed.split([H * d, G * d, G * d], -1)
        heads = {}
        for name, value, count in (("Q", q, H), ("K", k, G), ("V", v, G)):
            whole = self.keep(layer, name, value)
            heads[name] = self.keep(layer, name + "_heads", whole.view(*whole.shape[:2], count, d).transpose(1, 2))
        q, k, v = heads["Q"], heads["K"], heads["V"]
        if o["rope"] != "none":
            q, k = self.keep(layer, "Q_rotated", self.rotate(q)), self.keep(layer, "K_rotated", self.rotate(k))
        scores = self.keep(layer, "scores", q @ k.repeat_interleave(H // G, 1).transpose(-1, -2))
        scores = self.keep(layer, "scaled_scores", scores * (o["scale"] or 1 / math.sqrt(d)))
        if o["softcap"]:
            scores = self.keep(layer, "capped_scores", o["softcap"] * torch.tanh(scores / o["softcap"]))
        n = scores.shape[-1]
        if o["alibi"]:
            slopes = torch.tensor(alibi_slopes(H))[:, None, None]
            scores = self.keep(layer, "biased_scores", scores + slopes * (torch.arange(n) - torch.arange(n)[:, None]))
        mask = given.get(f"layers.{layer}.mask")
        if mask is None:
            weights = scores.softmax(-1)
        else:
            mask = torch.tensor(mask)
            scores = self.keep(layer, "masked_scores", scores.masked_fill(~mask, -math.inf))
            dead = ~mask.any(-1, keepdim=True)
            empty = torch.full_like(scores, 0 if o["dead_row"] == "zero" else 1 / n)
            weights = torch.where(dead, empty, scores.masked_fill(dead, 0).softmax(-1))
        weights = self.keep(layer, "weights", weights)
        if o["dropout"]:
            kept = torch.tensor(given[f"layers.{layer}.dropout_keep"])
            weights = self.keep(layer, "dropped_weights", weights * kept / (1 - o["dropout"]))
        out = self.keep(layer, "head_outputs", weights @ v.repeat_interleave(H // G, 1))
        concat = self.keep(layer, "concat", out.transpose(1, 2).flatten(2))
        return self.keep(layer, "output", concat @ self.p[at + "c_proj.weight"] + self.p[at + "c_proj.bias"])

    def norm(self, x, name):
        if name + ".weight" not in self.p:
            return x * 1
        return functional.layer_norm(x, x.shape[-1:], self.p[name + ".weight"], self.p[name + ".bias"], 1e-5)

    def loss(self, given, tokens, targets):
        self.stages = {}
        words = self.p["transformer.wte.weight"]
        x = words[tokens]
        if self.o["positions"] == "learned":
            x = x + self.p["transformer.wpe.weight"][: tokens.shape[1]]
        if self.o["positions"] == "sinusoidal":
            x = x + sinusoids(*x.shape[1:])
        for layer in range(self.layers):
            at = f"transformer.h.{layer}."
            x = self.keep(layer, "residual", x)
            y = self.keep(layer, "query", self.norm(x, at + "ln_1"))
            x = x + self.attention(layer, y, given)
            if self.o["mlp"]:
                up = self.norm(x, at + "ln_2") @ self.p[at + "mlp.c_fc.weight"] + self.p[at + "mlp.c_fc.bias"]
                x = x + functional.gelu(up, approximate="tanh") @ self.p[at + "mlp.c_proj.weight"] + self.p[at + "mlp.c_proj.bias"]
        logits = self.norm(x, "transformer.ln_f") @ words.T
        return functional.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-1)


def alibi_slopes(heads):
    whole = 2 ** math.floor(math.log2(heads))
    slopes = [2 ** (-8 * (h + 1) / whole) for h in range(whole)]
    return slopes + [2 ** (-4 * (2 * i + 1) / whole) for i in range(heads - whole)]


def sinusoids(n, d):
    angle = torch.arange(n, dtype=torch.float64)[:, None] * 10000.0 ** (-(torch.arange(d) // 2 * 2) / d)
    return torch.where(torch.arange(d) % 2 == 0, angle.sin(), angle.cos())


def drawn(pick):
    d_head, heads = pick.choice([4, 6, 8, 16]), pick.choice([1, 2, 3, 4])
    options = dict(task=pick.choice(["reverse", "previous", "recall", "repeat", "sort", "count"]), layers=pick.choice([1, 1, 2, 3]),
                   heads=heads, kv_heads=pick.choice([g for g in range(1, heads + 1) if heads % g == 0]), d_model=heads * d_head,
                   mlp=pick.random() < 0.5, norm=pick.choice(["true", "false"]), positions=pick.choice(["none", "sinusoidal", "learned", "learned"]),
                   rope=pick.choice(["none", "none", "half", "interleaved"]), alibi=pick.random() < 0.3,
                   mask=pick.choice(["full()", "causal()", "window(3)", "k < q", "h == 0 ? k < q : k <= q", "q != 2 && k != 5", "strided(3) && k > q - 5"]),
                   dead_row=pick.choice(["zero", "uniform"]), scale=pick.choice([None, None, 0.5, 1.5]), softcap=pick.choice([None, None, 2.0]),
                   dropout=pick.choice([0, 0, 0.3]), batch_size=pick.choice([1, 5, 16]), seed=pick.randrange(1000))
    if options["task"] != "recall":
        options["length"] = pick.choice([5, 8, 13, 20])
    return options


def command(program, options, steps, *more):
    words = [program, "train", options["task"], "--steps", str(steps)]
    for key, value in options.items():
        option = "--" + key.replace("_", "-")
        if key == "task" or value is None or value is False:
            continue
        if key == "rope" and value == "none":
            continue
        if key == "norm":
            words.append(f"--norm={value}")
            continue
        words += [option] if value is True else [option, str(value)]
    return words + list(more)


def close(ours, theirs, what):
    ours, theirs = numpy.asarray(ours), numpy.asarray(theirs)
    if ours.shape != theirs.shape:
        raise SystemExit(f"FAIL {what}: {ours.shape} for {theirs.shape}")
    infinite = numpy.isneginf(theirs)  # masked scores
    if not numpy.array_equal(infinite, numpy.isneginf(ours)):
        raise SystemExit(f"FAIL {what}: other cells are masked")
    ours, theirs = ours[~infinite], theirs[~infinite]
    worst = numpy.max(numpy.abs(ours - theirs) - relative * numpy.abs(theirs), initial=0)
    if not worst <= absolute:
        raise SystemExit(f"FAIL {what}: differs by {numpy.max(numpy.abs(ours - theirs)):.3g}")


def check_gradients(program, options, steps, file):
    subprocess.run(command(program, options, steps, "--gradients", str(file)), check=True, capture_output=True)
    arrays = dict(numpy.load(file))
    network = Network(arrays, options)
    tokens, targets = (torch.tensor(arrays[k]).long() for k in ("tokens", "targets"))
    loss = network.loss(arrays, tokens, targets)
    loss.backward()
    compared = 0
    close(arrays["loss"], loss.item(), f"{options} loss")
    for key, value in arrays.items():
        theirs = None
        if key.startswith("grad."):
            theirs = network.p[key[5:]].grad
        elif key.startswith("layers."):
            name = key.split(".")[2]
            stage = "query" if name.removeprefix("d_") in ("key", "value") else name.removeprefix("d_")
            kept = network.stages.get(".".join(key.split(".")[:2] + [stage]))
            if kept is not None:
                theirs = kept.grad if name.startswith("d_") else kept.detach()
        if theirs is not None:
            close(value, theirs.numpy(), f"{options} {key}")
            compared += 1
        elif not key.startswith(("param.", "tokens", "targets", "loss")) and not key.endswith((".mask", ".dropout_keep")):
            raise SystemExit(f"FAIL {options}: nothing to compare {key} with")
    missing = [k for k, v in network.stages.items() if v.requires_grad and k.replace(".", ".", 1).rsplit(".", 1)[0] + ".d_" + k.rsplit(".", 1)[1] not in arrays]
    if missing:
        raise SystemExit(f"FAIL {options}: no gradient of {missing}")
    return compared


def read_safetensors(path):
    data = path.read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    kinds = {"F16": "<f2", "F32": "<f4"}
    return {name: numpy.frombuffer(data, kinds[about["dtype"]], offset=8 + length + about["data_offsets"][0],
                                   count=math.prod(about["shape"])).reshape(about["shape"]).astype("float32")
            for name, about in json.loads(data[8: 8 + length]).items() if name != "__metadata__"}


def check_network(program, folder):
    """`trace model:english --loss WORD`: every stage's gradient of −log p(WORD) at the last position."""
    model = Path(__file__).parents[2] / "assets" / "models" / "english"
    config = json.loads((model / "config.json").read_text())
    said = json.loads(subprocess.run([program, "predict", "model:english", "--text", "the cat sat on the", "--json"], check=True, capture_output=True, text=True).stdout)
    word = said["next"][1]["token"]
    file = folder / "english.npz"
    subprocess.run([program, "trace", "model:english", "--text", "the cat sat on the", "--layer", "all", "--loss", word, "-o", str(file)], check=True,
                   capture_output=True)
    arrays = dict(numpy.load(file))
    vocabulary = json.loads((model / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    tokens = torch.tensor([[vocabulary[t] for t in said["tokens"]]])
    targets = torch.full_like(tokens, -1)
    targets[0, -1] = vocabulary[word]
    network = Network({"param." + k: v for k, v in read_safetensors(model / "model.safetensors").items()},
                      dict(heads=config["n_head"], kv_heads=config["n_head"], d_model=config["n_embd"], mlp=True, positions="learned", rope="none",
                           alibi=False, scale=None, softcap=None, dropout=0, dead_row="zero"))
    n = tokens.shape[1]
    causal = numpy.tril(numpy.ones((n, n), bool))[None, None]
    network.loss({f"layers.{i}.mask": causal for i in range(config["n_layer"])}, tokens, targets).backward()
    compared = 0
    for key, value in arrays.items():
        at, _, name = key.rpartition(".")
        if name.startswith("d_"):
            stage = "query" if name in ("d_key", "d_value") else name[2:]
            close(value, network.stages[f"{at}.{stage}"].grad.numpy(), f"model:english {key}")
            compared += 1
    if compared < 15 * config["n_layer"]:
        raise SystemExit(f"FAIL model:english: only {compared} gradients")
    return compared


def check_curve(program, options, steps, folder):
    """The loss of each step; the batches are those that `--gradients` writes of each step, the weights those of the first."""
    losses = json.loads(subprocess.run(command(program, options, steps, "--json"), check=True, capture_output=True, text=True).stdout)["losses"]
    network = optimizer = None
    worst = 0
    for step in range(1, steps + 1):
        file = folder / "step.npz"
        subprocess.run(command(program, options, step, "--gradients", str(file)), check=True, capture_output=True)
        arrays = dict(numpy.load(file))
        if network is None:
            network = Network(arrays, options)
            optimizer = torch.optim.AdamW(network.p.values(), lr=3e-3, betas=(0.9, 0.98), weight_decay=0.01)
        tokens, targets = (torch.tensor(arrays[k]).long() for k in ("tokens", "targets"))
        loss = network.loss(arrays, tokens, targets)
        worst = max(worst, abs(loss.item() - losses[step - 1]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if not worst <= 1e-3:
        raise SystemExit(f"FAIL {options}: the loss differs by {worst:.3g} within {steps} steps")
    return worst


def main():
    program = sys.argv[1]
    count = next((int(a) for a in sys.argv[2:] if a.isdigit()), 40)  # none: only the networks
    torch.set_num_threads(1)
    pick = random.Random(7)
    compared = 0
    with tempfile.TemporaryDirectory() as name:
        for _ in range(count):
            compared += check_gradients(program, drawn(pick), pick.choice([1, 3]), Path(name) / "g.npz")
        print(f"{count} configurations, {compared} arrays within {absolute} + {relative}·|b|")
        print(f"model:english, {check_network(program, Path(name))} gradients")
        if "--curves" in sys.argv:
            plain = dict(task="reverse", layers=1, heads=2, kv_heads=2, d_model=32, mlp=False, positions="learned", rope="none", alibi=False,
                         dead_row="zero", scale=None, softcap=None, dropout=0, batch_size=32, seed=0)
            for change in ({}, dict(task="repeat", layers=2, mlp=True, mask="causal()")):
                print(f"200 steps of AdamW, {change or 'reverse'}: the loss differs by at most {check_curve(program, plain | change, 200, Path(name)):.2g}")


if __name__ == "__main__":
    main()
