"""What the training scripts of the models in this folder share: a GPT-2, penalties that make heads legible, files.

Debian's python3-torch is enough: no other package is used. Seeds are fixed; one thread, so that a run repeats itself.
"""
import ctypes
import json
import math
import random as randoms
import struct
import sys
import time
from pathlib import Path

import numpy
import torch
from torch import nn
from torch.nn import functional

torch.set_num_threads(1)
# Freed memory is kept: a step's large matrices are otherwise mapped and cleared anew each time (a third of the time).
for option, value in ((-3, 1 << 30), (-1, (1 << 31) - 1)):  # M_MMAP_THRESHOLD, M_TRIM_THRESHOLD
    ctypes.CDLL(None).mallopt(option, value)


class CausalAttention(nn.Module):
    """GPT-2's: one packed projection, stored [in, out]. Keeps its weights [B, H, n, n] for the penalties."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.weights = None
        self.knocked_out = ()

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (part.view(batch, length, self.heads, -1).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        allowed = torch.ones(length, length, dtype=torch.bool).tril()
        self.weights = scores.masked_fill(~allowed, float("-inf")).softmax(-1)
        heads = self.weights @ v
        if len(self.knocked_out):
            heads = heads.clone()
            heads[:, list(self.knocked_out)] = 0
        return self.out(heads.transpose(1, 2).reshape(batch, length, width))


class Block(nn.Module):
    def __init__(self, width, heads, hidden):
        super().__init__()
        self.norm_1 = nn.LayerNorm(width)
        self.attention = CausalAttention(width, heads)
        self.norm_2 = nn.LayerNorm(width)
        self.up = nn.Linear(width, hidden)
        self.down = nn.Linear(hidden, width)

    def forward(self, x):
        x = x + self.attention(self.norm_1(x))
        return x + self.down(functional.gelu(self.up(self.norm_2(x)), approximate="tanh"))


class Gpt2(nn.Module):
    def __init__(self, words, positions, width=64, heads=4, layers=2, hidden=None):
        super().__init__()
        self.sizes = dict(vocab_size=words, n_positions=positions, n_embd=width, n_head=heads, n_layer=layers,
                          n_inner=hidden or 4 * width)
        self.words = nn.Embedding(words, width)
        self.positions = nn.Embedding(positions, width)
        self.blocks = nn.ModuleList(Block(width, heads, hidden or 4 * width) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.normal_(p, std=0.08)

    def forward(self, ids):
        x = self.words(ids) + self.positions.weight[: ids.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.norm(x) @ self.words.weight.T

    @property
    def attentions(self):
        return [b.attention for b in self.blocks]

    def knock_out(self, *heads):
        """Zero the outputs of (layer, head)…; none: as it is."""
        for layer, block in enumerate(self.blocks):
            block.attention.knocked_out = tuple(h for l, h in heads if l == layer)

    def checkpoint(self):
        """Names and layouts of GPT2LMHeadModel; the head is the embedding (tied) and so is not stored."""
        found = {"transformer.wte.weight": self.words.weight, "transformer.wpe.weight": self.positions.weight,
                 "transformer.ln_f.weight": self.norm.weight, "transformer.ln_f.bias": self.norm.bias}
        for n, b in enumerate(self.blocks):
            at = f"transformer.h.{n}."
            for name, norm in (("ln_1", b.norm_1), ("ln_2", b.norm_2)):
                found[at + name + ".weight"], found[at + name + ".bias"] = norm.weight, norm.bias
            for name, linear in (("attn.c_attn", b.attention.qkv), ("attn.c_proj", b.attention.out),
                                 ("mlp.c_fc", b.up), ("mlp.c_proj", b.down)):
                found[at + name + ".weight"], found[at + name + ".bias"] = linear.weight.T, linear.bias
        return found

    def config(self):
        return dict(architectures=["GPT2LMHeadModel"], model_type="gpt2", activation_function="gelu_new",
                    layer_norm_epsilon=1e-5, n_ctx=self.sizes["n_positions"], tie_word_embeddings=True,
                    scale_attn_weights=True, attn_pdrop=0.0, embd_pdrop=0.0, resid_pdrop=0.0, **self.sizes)


def entropy_penalty(weights, alive):
    """Mean entropy of the attention rows, in nats: a head that spreads itself pays. alive [B, n]: not padding."""
    entropy = -(weights * (weights + 1e-9).log()).sum(-1)
    return (entropy * alive[:, None]).sum() / (alive.sum() * weights.shape[1])


def overlap_penalty(weights, alive):
    """How much two heads of a layer look at the same place; the first word is where a head rests, so it is free."""
    seen = weights[..., 1:]
    heads = weights.shape[1]
    shared = torch.einsum("bhqk,bgqk->bqhg", seen, seen)
    shared = shared.sum((-1, -2)) - torch.diagonal(shared, dim1=-2, dim2=-1).sum(-1)
    return (shared * alive).sum() / (alive.sum() * max(1, heads * (heads - 1)))


def unrest_penalty(weights, alive):
    """How much is looked at elsewhere than at the first word, the place of rest: a head looks where looking pays, else it rests there."""
    return ((1 - weights[..., 0]) * alive[:, None]).sum() / (alive.sum() * weights.shape[1])


def padded(lines, padding, length=None):
    length = length or max(map(len, lines))
    return torch.tensor([line + [padding] * (length - len(line)) for line in lines])


class Clock:
    def __init__(self):
        self.start, self.wall = time.process_time(), time.time()

    def seconds(self):
        return time.process_time() - self.start


def train(model, batch_of, steps, learning_rate=3e-3, weight_decay=0.05, entropy=0.0, overlap=0.0, unrest=0.0, onset=0.3, idle=(), report=500):
    """batch_of(step): ids [B, n] with −1 for padding. Penalties grow from `onset` of the steps to full at the end of
    the next fifth, so that a task is learned before its solution is tidied. Heads (layer, head) that are `idle` pay for
    looking elsewhere than at the first word from the beginning: the task is left to the others."""
    decays = [p for p in model.parameters() if p.dim() > 1]
    others = [p for p in model.parameters() if p.dim() <= 1]
    optimizer = torch.optim.AdamW([{"params": decays, "weight_decay": weight_decay}, {"params": others, "weight_decay": 0.0}],
                                  lr=learning_rate, betas=(0.9, 0.98))
    clock = Clock()
    for step in range(steps):
        rate = min(1.0, (step + 1) / 100) * (0.5 + 0.5 * math.cos(math.pi * step / steps))
        for group in optimizer.param_groups:
            group["lr"] = learning_rate * rate
        ids = batch_of(step)
        alive = (ids >= 0).float()
        logits = model(ids.clamp(min=0))
        task = functional.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten(), ignore_index=-1)
        strength = min(1.0, max(0.0, (step / steps - onset) / 0.2))
        loss = task
        spread = shared = busy = torch.zeros(())
        if strength > 0:
            patterns = [a.weights for a in model.attentions]
            spread = sum(entropy_penalty(w, alive) for w in patterns) / len(patterns)
            shared = sum(overlap_penalty(w, alive) for w in patterns) / len(patterns)
            busy = sum(unrest_penalty(w, alive) for w in patterns) / len(patterns)
            loss = task + strength * (entropy * spread + overlap * shared + unrest * busy)
        for layer, head in idle:
            loss = loss + unrest_penalty(model.attentions[layer].weights[:, head : head + 1], alive)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if (step + 1) % report == 0:
            print(f"{step + 1:6d} task {task.item():.4f} entropy {float(spread):.3f} overlap {float(shared):.3f} busy {float(busy):.3f} "
                  f"{clock.seconds():.0f} s", flush=True)
    return clock.seconds()


def text_batches(lines, ours, share, random, rows=32, length=48):
    """Rows [rows, length + 1] of lines one after the other, each row from the beginning of a line, without end: every line once,
    then again in another order. `share` of the lines are what ours() says. (Lines of one length side by side would teach
    where lines end before anything else.)"""
    order, at = list(lines), len(lines)
    while True:
        batch = []
        for _ in range(rows):
            row = []
            while len(row) <= length:
                if at == len(order):
                    random.shuffle(order)
                    at = 0
                if random.random() < share:
                    row += ours()
                else:
                    row += order[at]
                    at += 1
            batch.append(row[: length + 1])
        yield torch.tensor(batch)


def train_text(model, lines, ours, share, random, steps, here, held_out, learning_rate=3e-3, weight_decay=0.1):
    """The next word of real text. Weights begin small, so that attention begins even. Gives the seconds; weights.pt holds what is
    reached so far."""
    with torch.no_grad():
        for p in model.parameters():
            p.mul_(0.02 / 0.08 if p.dim() > 1 else 1)
    decays = [p for p in model.parameters() if p.dim() > 1]
    others = [p for p in model.parameters() if p.dim() <= 1]
    optimizer = torch.optim.AdamW([{"params": decays, "weight_decay": weight_decay}, {"params": others, "weight_decay": 0.0}],
                                  lr=learning_rate, betas=(0.9, 0.98))
    clock, batches, losses = Clock(), text_batches(lines, ours, share, random), []
    model.train()
    for step in range(steps):
        rate = min(1.0, (step + 1) / 200) * (0.5 + 0.5 * math.cos(math.pi * step / steps))
        for group in optimizer.param_groups:
            group["lr"] = learning_rate * rate
        ids = next(batches)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(ids[:, :-1])
        loss = functional.cross_entropy(logits.float().flatten(0, 1), ids[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
        if (step + 1) % 300 == 0 or step + 1 == steps:
            torch.save(model.state_dict(), here / "weights.pt")
            model.eval()
            print(f"{step + 1:6d} loss {sum(losses[-300:]) / len(losses[-300:]):.4f} held out {text_loss(model, held_out[:300]):.4f} "
                  f"{clock.seconds():.0f} s of {time.time() - clock.wall:.0f}", largest_weights(model, held_out[:100]), flush=True)
            model.train()
    model.eval()
    return clock.seconds()


def text_loss(model, lines):
    """Mean negative log likelihood of each token but the first."""
    total, count = 0.0, 0
    with torch.no_grad():
        for line in lines:
            ids = torch.tensor([line[:48]])
            total += functional.cross_entropy(model(ids[:, :-1])[0], ids[0, 1:], reduction="sum").item()
            count += ids.shape[1] - 1
    return total / count


def largest_weights(model, lines):
    """(the share of rows whose largest weight is 0.99 or more, with the first row and without; each head's mean largest
    weight without the first row, which has one word to look at)."""
    rows = [[[] for _ in range(a.heads)] for a in model.attentions]
    count = sharp = first = 0
    with torch.no_grad():
        for line in lines:
            model(torch.tensor([line[:48]]))
            for layer, attention in enumerate(model.attentions):
                most = attention.weights[0].max(-1).values
                sharp += int((most[:, 1:] >= 0.99).sum())
                count += most[:, 1:].numel()
                first += most.shape[0]
                for head in range(attention.heads):
                    rows[layer][head] += most[head, 1:].tolist()
    return (round((sharp + first) / (count + first), 3), round(sharp / count, 3),
            [[round(sum(r) / len(r), 2) for r in layer] for layer in rows])


def lines_of_words(words, line_of, count=64):
    """Batches for train(): `count` lines a step, each what line_of() says, as ids."""
    ids = {w: n for n, w in enumerate(words)}
    return lambda step: padded([[ids[w] for w in line_of()] for _ in range(count)], -1)


def train_or_load(here, model, batch_of, steps, **how):
    """Trains, or takes WEIGHTS.pt SECONDS of an earlier run from the command line; gives the seconds."""
    if len(sys.argv) > 1:
        model.load_state_dict(torch.load(sys.argv[1]))
        return float(sys.argv[2])
    seconds = train(model, batch_of, steps, **how)
    torch.save(model.state_dict(), here / "weights.pt")
    return seconds


def save_safetensors(path, tensors, half=False):
    header, blobs, offset = {}, [], 0
    for name in sorted(tensors):
        data = numpy.ascontiguousarray(tensors[name].detach().numpy().astype(numpy.float16 if half else numpy.float32)).tobytes()
        header[name] = dict(dtype="F16" if half else "F32", shape=list(tensors[name].shape), data_offsets=[offset, offset + len(data)])
        blobs.append(data)
        offset += len(data)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    Path(path).write_bytes(struct.pack("<Q", len(text)) + text + b"".join(blobs))


def write_json(path, value):
    Path(path).write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def word_level(words, unknown, pre_tokenizer, lower=False, special=(), post_processor=None):
    """tokenizer.json as Hugging Face's tokenizers write it: whole words, looked up. `unknown` need not be a word: what is
    not there is then an error."""
    ids = {word: n for n, word in enumerate(words)}
    added = [dict(id=ids[w], content=w, single_word=False, lstrip=False, rstrip=False, normalized=False, special=True)
             for w in special]
    return dict(version="1.0", truncation=None, padding=None, added_tokens=added,
                normalizer=dict(type="Lowercase") if lower else None, pre_tokenizer=pre_tokenizer,
                post_processor=post_processor, decoder=None, model=dict(type="WordLevel", vocab=ids, unk_token=unknown))


def longest_words(words):
    """A tokenizer.json that takes the longest known word first, so that Chinese needs no blanks: WordPiece without a mark."""
    written = word_level(words, "<unk>", dict(type="BertPreTokenizer"))
    written["model"].update(type="WordPiece", continuing_subword_prefix="", max_input_chars_per_word=100)
    return written


# What is published: the files of a model, its held-out questions, and what is measured on them.

held_out_folder = Path(__file__).parents[2] / "tests" / "fixtures" / "held_out"


def write_questions(name, questions):
    """kind, prefix, the word that may follow, one that may not, which word of the prefix decides; by tabs."""
    held_out_folder.mkdir(parents=True, exist_ok=True)
    lines = ["\t".join([kind, " ".join(words), right, wrong, str(at)]) for kind, words, right, wrong, at in questions]
    (held_out_folder / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


class Measured:
    """A GPT-2 of whole words on held-out questions."""

    def __init__(self, model, words, questions):
        self.model, self.questions = model, questions
        self.ids = {w: n for n, w in enumerate(words)}
        self.kinds = list(dict.fromkeys(q[0] for q in questions))

    def run(self, words):
        with torch.no_grad():
            return self.model(torch.tensor([[self.ids[w] for w in words]]))[0]

    def accuracy(self, kind=None, without=()):
        """The share of questions in which the right word is likelier than the wrong one; than all others where none is given."""
        self.model.knock_out(*without)
        asked = [q for q in self.questions if kind in (None, q[0])]
        right = 0
        for _, words, good, bad, _ in asked:
            logits = self.run(words)[-1]
            right += int(logits[self.ids[good]] > logits[self.ids[bad]] if bad else logits.argmax() == self.ids[good])
        self.model.knock_out()
        return right / len(asked)

    def weight(self, layer, head, on):
        """The mean weight of a head: at the last word of a kind's questions on the word that decides; or at every word but
        the first on the one before ("previous") or on the first ("first")."""
        seen = []
        for kind, words, _, _, at in self.questions:
            if on not in ("previous", "first", kind):
                continue
            self.run(words)
            weights = self.model.attentions[layer].weights[0, head]
            if on == kind:
                seen.append(float(weights[-1, at]))
            else:
                seen += [float(weights[q, q - 1 if on == "previous" else 0]) for q in range(1, len(words))]
        return sum(seen) / len(seen)

    def claim(self, layer, head, on, does, hurts=None, brief=None):
        """`on`: where its weight is measured; `hurts`: the kind of question that suffers without it; `brief`: `does` in few words."""
        hurts = hurts or on
        return dict(layer=layer, head=head, does=does, **(dict(brief=brief) if brief else {}),
                    measured=dict(on=on, weight=round(self.weight(layer, head, on), 3), questions=hurts,
                                  accuracy=round(self.accuracy(hurts), 3), without=round(self.accuracy(hurts, [(layer, head)]), 3)))

    def print_table(self):
        print("accuracy", {k: round(self.accuracy(k), 3) for k in self.kinds})
        for layer, attention in enumerate(self.model.attentions):
            for head in range(attention.heads):
                print(f"{layer}.{head} weight", {on: round(self.weight(layer, head, on), 2) for on in ["previous", "first", *self.kinds]},
                      "without", {k: round(self.accuracy(k, [(layer, head)]), 2) for k in self.kinds}, flush=True)


def publish(here, model, tokenizer, description, half=False):
    save_safetensors(here / "model.safetensors", model.checkpoint(), half)
    write_json(here / "config.json", model.config())
    write_json(here / "tokenizer.json", tokenizer)
    write_json(here / "model.json", description)


def round_to_half(model):
    """The weights as float16 keeps them: what is measured is what is published."""
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(p.half().float())


def publish_text(here, model, words, tokenizer, description, held_out, probes, kinds, does, steps, seconds, opening=None):
    """Files of a model of real text, what it reaches on held-out lines, its heads' claims; the probes of the claims for the test.
    probes: (text, tokens), and so is `opening`. What opens is the first of the search in that line, without one in the probes."""
    import effects

    round_to_half(model)
    tokens = [line for _, line in probes]
    own = effects.share_right(model, tokens)
    claims = effects.claims(model, held_out, tokens, words, kinds, does)
    searched = [opening] if opening else probes
    found = effects.openings(model, [line for _, line in searched], words, claims)
    for change, number, at, layer, head, weight, key, answer, other, p, q, truly in found[:40]:
        print(f"{change:.2f} {layer}.{head} {weight:.2f} on {words[searched[number][1][key]]}: {searched[number][0]} "
              f"[{answer} {p:.2f} | {other} {q:.2f}] truly {truly}")
    _, number, at, layer, head, _, key, *_ = found[0]
    opens = dict(layer=str(layer), head=head, query=at, key=key)
    first, *others = [searched[number][0], *description["examples"]]
    sharp = largest_weights(model, held_out[:500])
    print("largest weights", sharp, "claims", json.dumps(claims, ensure_ascii=False, indent=1))
    publish(here, model, tokenizer, dict(
        description, layers=len(model.blocks), heads=model.attentions[0].heads, vocabulary=len(words), accuracy=round(effects.share_right(model, held_out), 3),
        perplexity=round(math.exp(text_loss(model, held_out[:500])), 1), opens=opens, examples=[first, *(e for e in others if e != first)],
        probes=dict(sentences=len(probes), accuracy=round(own, 3)), claims=claims,
        training=dict(steps=steps, seconds=round(seconds), parameters=sum(p.numel() for p in model.parameters()),
                      largest_weights=dict(rows_of_one=sharp[0], means=sharp[2]))), half=True)
    asked = effects.places_by_kind(tokens, words, {c["measured"]["questions"]: kinds[c["measured"]["questions"]] for c in claims})
    lines = []
    for number, (text, _) in enumerate(probes):
        places = [f"{kind}:{at}" for kind, found in asked.items() for line, at in found if line == number]
        lines.append(text + "\t" + " ".join(places))
    held_out_folder.mkdir(parents=True, exist_ok=True)
    (held_out_folder / f"{description['id']}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
