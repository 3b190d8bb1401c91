"""What the training scripts of the models in this folder share: a GPT-2, penalties that make heads legible, files.

Debian's python3-torch is enough: no other package is used. Seeds are fixed; one thread, so that a run repeats itself.
"""
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


def unrest_penalty(weights, alive, at_previous=()):
    """How much is looked at elsewhere than at the place of rest: a head looks where looking pays, else it rests there.
    It is the first word, for the heads `at_previous` the word before."""
    rest = weights[..., 0]
    if at_previous:
        before = torch.cat([weights[..., :1, 0], torch.diagonal(weights, -1, dim1=-2, dim2=-1)], -1)
        chosen = torch.zeros(weights.shape[1], 1)
        chosen[list(at_previous)] = 1
        rest = chosen * before + (1 - chosen) * rest
    return ((1 - rest) * alive[:, None]).sum() / (alive.sum() * weights.shape[1])


def padded(lines, padding, length=None):
    length = length or max(map(len, lines))
    return torch.tensor([line + [padding] * (length - len(line)) for line in lines])


class Clock:
    def __init__(self):
        self.start, self.wall = time.process_time(), time.time()

    def seconds(self):
        return time.process_time() - self.start


def train(model, batch_of, steps, learning_rate=3e-3, weight_decay=0.05, entropy=0.0, overlap=0.0, unrest=0.0, onset=0.3, at_previous=(), idle=(), report=500):
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
            busy = sum(unrest_penalty(w, alive, [h for l, h in at_previous if l == n]) for n, w in enumerate(patterns)) / len(patterns)
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


def train_sentences(here, grammar, questions, description, tokenizer, does, blank=" ", seed=1, steps=2600, onset=0.3, positions=32):
    """A GPT-2 of two layers of four heads on the sentences of a grammar: trains, measures on `questions`, and writes its files.
    Heads pay for spreading, for looking where another of the layer looks, and for looking elsewhere than at their place of
    rest: the first word, and for head 0 of layer 0 the word before. See README.md."""
    random = randoms.Random(seed)
    torch.manual_seed(seed)
    words = grammar.vocabulary()
    model = Gpt2(len(words), positions)
    seconds = train_or_load(here, model, lines_of_words(words, lambda: grammar.sentence(random)), steps,
                            entropy=0.1, overlap=0.5, unrest=0.1, onset=onset, at_previous=[(0, 0)])
    measured = Measured(model, words, questions)
    publish(here, model, tokenizer(words), dict(
        description, layers=2, heads=4, vocabulary=len(words), accuracy=round(measured.accuracy(), 3), claims=measured.claims(does),
        training=dict(steps=steps, seconds=round(seconds), parameters=sum(p.numel() for p in model.parameters()))))
    write_questions(description["id"], questions, blank)


def save_safetensors(path, tensors):
    header, blobs, offset = {}, [], 0
    for name in sorted(tensors):
        data = numpy.ascontiguousarray(tensors[name].detach().numpy().astype(numpy.float32)).tobytes()
        header[name] = dict(dtype="F32", shape=list(tensors[name].shape), data_offsets=[offset, offset + len(data)])
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


def write_questions(name, questions, blank=" "):
    """kind, prefix, the word that may follow, one that may not, which word of the prefix decides; by tabs."""
    held_out_folder.mkdir(parents=True, exist_ok=True)
    lines = ["\t".join([kind, blank.join(words), right, wrong, str(at)]) for kind, words, right, wrong, at in questions]
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
        """The share of questions, of a kind or of several ("time+negation"), in which the right word is likelier than the wrong
        one; than all others where none is given."""
        self.model.knock_out(*without)
        asked = [q for q in self.questions if kind is None or q[0] in kind.split("+")]
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

    def claim(self, layer, head, on, does, hurts=None):
        """`on`: where its weight is measured; `hurts`: the kind of question that suffers without it."""
        hurts = hurts or on
        return dict(layer=layer, head=head, does=does,
                    measured=dict(on=on, weight=round(self.weight(layer, head, on), 3), questions=hurts,
                                  accuracy=round(self.accuracy(hurts), 3), without=round(self.accuracy(hurts, [(layer, head)]), 3)))

    def claims(self, does):
        """A claim for each head that is missed more than any other for a kind of question, and how much: what it does to answers,
        whatever it looks at. `does`: by kind. Of several kinds the two that it is missed most for are named, and measured together."""
        heads = [(layer, head) for layer, attention in enumerate(self.model.attentions) for head in range(attention.heads)]
        missed = {}
        for kind in self.kinds:
            whole, left = self.accuracy(kind), sorted((self.accuracy(kind, [h]), h) for h in heads)
            if whole - left[0][0] >= 0.3 and left[0][0] < left[1][0]:
                missed.setdefault(left[0][1], []).append((whole - left[0][0], kind))
        found = []
        for (layer, head), kinds in sorted(missed.items()):
            named = [kind for _, kind in sorted(kinds, key=lambda k: -k[0])[:2]]
            both = "+".join(named)
            others = [self.accuracy(both, [h]) for h in heads if h != (layer, head)]
            said = {language: mark.join(does[kind][language] for kind in named) for language, mark in (("en", "; "), ("zh", "；"))}
            on, share = self.rests(layer, head)
            found.append(dict(layer=layer, head=head, does=said, rests=dict(on=on, share=round(share, 2)),
                              measured=dict(questions=both, accuracy=round(self.accuracy(both), 3),
                                            without=round(self.accuracy(both, [(layer, head)]), 3), next_largest=round(min(others), 3))))
        return found

    def rests(self, layer, head):
        """Where the largest weight of most rows is, but for the first two rows: the first word, the word before, itself; its share."""
        counts, rows = dict(first=0, previous=0, itself=0), 0
        for _, words, _, _, _ in self.questions:
            self.run(words)
            most = self.model.attentions[layer].weights[0, head].argmax(-1).tolist()
            for query in range(2, len(words)):
                rows += 1
                for on, key in (("first", 0), ("previous", query - 1), ("itself", query)):
                    counts[on] += most[query] == key
        return max(((on, n / rows) for on, n in counts.items()), key=lambda item: item[1])

    def print_table(self):
        print("accuracy", {k: round(self.accuracy(k), 3) for k in self.kinds})
        for layer, attention in enumerate(self.model.attentions):
            for head in range(attention.heads):
                print(f"{layer}.{head} weight", {on: round(self.weight(layer, head, on), 2) for on in ["previous", "first", *self.kinds]},
                      "without", {k: round(self.accuracy(k, [(layer, head)]), 2) for k in self.kinds}, flush=True)


def publish(here, model, tokenizer, description):
    save_safetensors(here / "model.safetensors", model.checkpoint())
    write_json(here / "config.json", model.config())
    write_json(here / "tokenizer.json", tokenizer)
    write_json(here / "model.json", description)
