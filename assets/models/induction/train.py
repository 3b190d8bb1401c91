"""induction: random letters, a stretch of which comes again; two layers of attention and nothing else.

    python3 train.py          writes model.safetensors, config.json, tokenizer.json, model.json and held_out.txt here
"""
import random as randoms
import sys
from pathlib import Path

import torch
from torch import nn

here = Path(__file__).parent
sys.path.insert(0, str(here.parent))
import training

LETTERS = [chr(ord("A") + n) for n in range(26)]
POSITIONS, WIDTH, HEADS, LAYERS = 32, 64, 4, 2
SEED, STEPS = 3, 2600


class AttentionOnly(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(len(LETTERS), WIDTH)
        self.positions = nn.Embedding(POSITIONS, WIDTH)
        self.layers = nn.ModuleList(training.CausalAttention(WIDTH, HEADS) for _ in range(LAYERS))
        self.unembedding = nn.Linear(WIDTH, len(LETTERS), bias=False)
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.normal_(p, std=0.12)

    @property
    def attentions(self):
        return list(self.layers)

    def forward(self, ids):
        x = self.words(ids) + self.positions.weight[: ids.shape[1]]
        for layer in self.layers:
            x = x + layer(x)
        return self.unembedding(x)

    def knock_out(self, *heads):
        for number, layer in enumerate(self.layers):
            layer.knocked_out = tuple(h for l, h in heads if l == number)

    def tensors(self):
        found = {"token_embedding.weight": self.words.weight, "position_embedding.weight": self.positions.weight,
                 "unembedding.weight": self.unembedding.weight}
        for n, layer in enumerate(self.layers):
            at = f"layers.{n}.attn."
            for name, weight, bias in zip("qkv", layer.qkv.weight.chunk(3), layer.qkv.bias.chunk(3)):
                found[at + name + "_proj.weight"], found[at + name + "_proj.bias"] = weight, bias
            found[at + "o_proj.weight"], found[at + "o_proj.bias"] = layer.out.weight, layer.out.bias
        return found


def line(random, length=None):
    """Letters, of which a stretch without repeats comes twice or three times; something else may stand around it."""
    stretch = random.sample(range(26), length or random.randint(4, 11))
    letters = [random.randrange(26) for _ in range(random.randint(0, 4))]
    for _ in range(3):
        letters += stretch
        if random.random() < 0.3:
            letters += [random.randrange(26) for _ in range(random.randint(1, 3))]
    return letters[:POSITIONS]


def questions(count, seed=20261121):
    """Held out by chance: there are more than 10¹⁴ stretches of 11. → letters, the answer, where it stood before."""
    random = randoms.Random(seed)
    found = []
    for _ in range(count):
        stretch = random.sample(range(26), random.randint(6, 11))
        before = [random.randrange(26) for _ in range(random.randint(0, 5))]
        seen = random.randint(3, len(stretch) - 1)
        letters = before + stretch + stretch[:seen]
        found.append(([LETTERS[i] for i in letters], LETTERS[stretch[seen]], len(before) + seen))
    return found


def measure(model):
    ids = {w: n for n, w in enumerate(LETTERS)}
    right, seen = 0, torch.zeros(LAYERS, HEADS, 3)
    asked = questions(400)
    for letters, answer, at in asked:
        logits = model(torch.tensor([[ids[w] for w in letters]]))[0, -1]
        right += int(logits.argmax()) == ids[answer]
        for l, layer in enumerate(model.layers):
            w = layer.weights[0]
            n = w.shape[-1]
            seen[l] += torch.stack([w[:, range(1, n), range(0, n - 1)].mean(-1), w[:, -1, at], w[:, -1, 0]], -1)
    return right / len(asked), seen / len(asked)


if __name__ == "__main__":
    random = randoms.Random(SEED)
    torch.manual_seed(SEED)
    model = AttentionOnly()
    seconds = training.train(model, lambda step: training.padded([line(random) for _ in range(48)], -1), STEPS,
                             weight_decay=0.02, entropy=0.2, overlap=0.5, unrest=0.1, onset=0.35, at_previous=[(0, 0)])
    torch.save(model.state_dict(), "/tmp/models-induction.pt")
    with torch.no_grad():
        print("accuracy, [previous, what followed, first]:", *measure(model))
        for l in range(LAYERS):
            for h in range(HEADS):
                model.knock_out((l, h))
                print("without", l, h, measure(model)[0])
