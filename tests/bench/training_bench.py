#!/usr/bin/env python3
"""Steps of training a second, Headlight's beside PyTorch's, on one thread and two, in turns within one run.

    tests/bench/training_bench.py build/release/bin/headlight

Both train the same network on batches of the same shape: a layer or two of attention with LayerNorms, with or without an
MLP, cross-entropy at every position, AdamW. PyTorch's is written as its users write it: nn.Linear,
scaled products and softmax by torch functions, torch.optim.AdamW. Only the ratio is to be believed on a busy machine.
As in bench.py, PyTorch must multiply with OpenBLAS, which is told the nearest processor that it knows.
"""
import json
import math
import statistics
import subprocess
import sys
import time

import torch
from torch import nn

from bench import pytorch, without_openblas_settings

rounds = 5


class Block(nn.Module):
    def __init__(self, d, heads, mlp):
        super().__init__()
        self.heads, self.d = heads, d
        self.norm1, self.qkv, self.out = nn.LayerNorm(d), nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.mlp = nn.Sequential(nn.LayerNorm(d), nn.Linear(d, 4 * d), nn.GELU("tanh" if tuple(map(int, torch.__version__.split(".")[:2])) >= (1, 12) else "none"),
                                 nn.Linear(4 * d, d)) if mlp else None

    def forward(self, x, hidden):
        b, n, d = x.shape
        q, k, v = (t.view(b, n, self.heads, d // self.heads).transpose(1, 2) for t in self.qkv(self.norm1(x)).split(d, -1))
        scores = q @ k.transpose(-2, -1) / math.sqrt(d // self.heads)
        if hidden is not None:
            scores = scores.masked_fill(hidden, -math.inf)
        x = x + self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, n, d))
        return x if self.mlp is None else x + self.mlp(x)


class Network(nn.Module):
    def __init__(self, words, n, d, heads, layers, mlp, causal):
        super().__init__()
        self.words, self.places = nn.Embedding(words, d), nn.Embedding(n, d)
        self.blocks = nn.ModuleList(Block(d, heads, mlp) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(d), nn.Linear(d, words, bias=False)
        self.hidden = torch.ones(n, n).triu(1).bool() if causal else None

    def forward(self, tokens):
        x = self.words(tokens) + self.places.weight[:tokens.shape[1]]
        for block in self.blocks:
            x = block(x, self.hidden)
        return self.head(self.norm(x))


def of_torch(batch, n, d, layers, mlp, threads, steps):
    """Seconds a step, batches included, as Headlight's are."""
    torch.set_num_threads(threads)
    network = Network(16, n, d, 2, layers, mlp, causal=layers > 1)
    optimizer = torch.optim.AdamW(network.parameters(), lr=3e-3, betas=(0.9, 0.98), weight_decay=0.01)
    for step in range(-5, steps):
        if step == 0:
            begun = time.perf_counter()
        tokens = torch.randint(16, (batch, n))
        loss = nn.functional.cross_entropy(network(tokens).view(-1, 16), tokens.flip(1).reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return (time.perf_counter() - begun) / steps


def of_headlight(program, batch, n, d, layers, mlp, threads, steps):
    """Seconds a step: the difference of a long run and a short one, so that what is measured at both ends does not count."""
    def run(count):
        line = [program, "train", "reverse", "--batch-size", str(batch), "--length", str(n), "--d-model", str(d), "--layers", str(layers),
                "--steps", str(count), "--threads", str(threads), "--json"] + (["--mlp"] if mlp else []) + (["--mask", "causal()"] if layers > 1 else [])
        return json.loads(subprocess.run(line, check=True, capture_output=True, text=True).stdout)["seconds"]
    return (run(steps + 25) - run(25)) / steps


def main():
    program = sys.argv[1]
    without_openblas_settings()
    multiplies_with = pytorch()[1]
    sizes = [("[32, 8, 32], 1 layer", (32, 8, 32, 1, False), 400, 1000), ("[32, 64, 128], 2 layers and MLP", (32, 64, 128, 2, True), 12, 50)]
    print(f"steps a second, median of {rounds} rounds in turns (torch {torch.__version__} with {multiplies_with})")
    for name, shape, torch_steps, steps in sizes:
        best = {}
        for threads in (1, 2):
            times = [(of_torch(*shape, threads, torch_steps), of_headlight(program, *shape, threads, steps)) for _ in range(rounds)]
            theirs, ours = (1 / statistics.median(t[i] for t in times) for i in (0, 1))
            ratio = statistics.median(t[0] / t[1] for t in times)
            best["torch"], best["headlight"] = max(best.get("torch", 0), theirs), max(best.get("headlight", 0), ours)
            print(f"{name}, {threads} thread(s): torch {theirs:.0f}, headlight {ours:.0f}, ratio {ratio:.1f}")
        print(f"{name}, the better of both: {best['headlight'] / best['torch']:.1f} times")


if __name__ == "__main__":
    main()
