"""numbers: "two hundred forty one" into 2 4 1 or 二 百 四 十 一, by an encoder and a decoder as BART has them.

    python3 train.py          writes model.safetensors, config.json, tokenizer.json, model.json and held_out.txt here

The first word of the source says what is wanted: "digits" or "chinese".
"""
import math
import random as randoms
import sys
import zlib
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional

here = Path(__file__).parent
sys.path.insert(0, str(here.parent))
import training

ONES = ("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
        "eighteen nineteen").split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
NUMERALS = "零一二三四五六七八九"
WORDS = ["<s>", "<pad>", "</s>", "digits", "chinese", *ONES, *TENS, "hundred", "thousand", *"0123456789", *NUMERALS, *"十百千万"]
IDS = {w: n for n, w in enumerate(WORDS)}
START, PADDING, END = 0, 1, 2
POSITIONS, WIDTH, HEADS, HIDDEN = 16, 64, 4, 192
ENCODERS, DECODERS = 1, 1
SEED, STEPS = 5, 3000


def english(n):
    if n < 20:
        return [ONES[n]]
    if n < 100:
        return [TENS[n // 10 - 2]] + ([ONES[n % 10]] if n % 10 else [])
    if n < 1000:
        return [ONES[n // 100], "hundred"] + (english(n % 100) if n % 100 else [])
    return english(n // 1000) + ["thousand"] + (english(n % 1000) if n % 1000 else [])


def chinese(n):
    """三百二十; 零 once where places are skipped; 十二, but 一百一十二."""
    if n == 0:
        return ["零"]
    found, skipped = [], False
    for unit, name in ((10000, "万"), (1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, n = divmod(n, unit)
        if digit == 0:
            skipped = bool(found)
            continue
        if skipped:
            found.append("零")
            skipped = False
        if not (unit == 10 and digit == 1 and not found):
            found.append(NUMERALS[digit])
        if name:
            found.append(name)
    return found


def held_out(n):
    """One number in ten is never seen in training."""
    return n > 20 and zlib.crc32(str(n).encode()) % 10 == 0


def pair(random, test=False):
    while True:
        n = random.randrange(10 ** random.choice([2, 3, 3, 4, 4, 5, 5]))
        if held_out(n) == test:
            break
    if random.random() < 0.5:
        return ["digits", *english(n)], list(str(n))
    return ["chinese", *english(n)], chinese(n)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.weights, self.knocked_out = None, ()

    def forward(self, x, memory, allowed):
        split = lambda t: t.view(*t.shape[:2], HEADS, -1).transpose(1, 2)
        q, k, v = split(self.q_proj(x)), split(self.k_proj(memory)), split(self.v_proj(memory))
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        self.weights = scores.masked_fill(~allowed, float("-inf")).softmax(-1)
        heads = self.weights @ v
        if len(self.knocked_out):
            heads = heads.clone()
            heads[:, list(self.knocked_out)] = 0
        return self.out_proj(heads.transpose(1, 2).reshape(x.shape))


class Layer(nn.Module):
    def __init__(self, crosses):
        super().__init__()
        self.self_attn, self.self_attn_layer_norm = Attention(), nn.LayerNorm(WIDTH)
        if crosses:
            self.encoder_attn, self.encoder_attn_layer_norm = Attention(), nn.LayerNorm(WIDTH)
        self.fc1, self.fc2, self.final_layer_norm = nn.Linear(WIDTH, HIDDEN), nn.Linear(HIDDEN, WIDTH), nn.LayerNorm(WIDTH)

    def forward(self, x, own, memory=None, others=None):
        x = self.self_attn_layer_norm(x + self.self_attn(x, x, own))
        if memory is not None:
            x = self.encoder_attn_layer_norm(x + self.encoder_attn(x, memory, others))
        return self.final_layer_norm(x + self.fc2(functional.gelu(self.fc1(x))))


class Stack(nn.Module):
    def __init__(self, layers, crosses):
        super().__init__()
        self.embed_positions = nn.Embedding(POSITIONS + 2, WIDTH)  # BART's rows 0 and 1 are never used
        self.layernorm_embedding = nn.LayerNorm(WIDTH)
        self.layers = nn.ModuleList(Layer(crosses) for _ in range(layers))

    def start(self, words):
        return self.layernorm_embedding(words + self.embed_positions.weight[2 : 2 + words.shape[1]])


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.shared = nn.Embedding(len(WORDS), WIDTH)
        self.encoder, self.decoder = Stack(ENCODERS, False), Stack(DECODERS, True)
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.normal_(p, std=0.1)

    @property
    def cross(self):
        return [layer.encoder_attn for layer in self.decoder.layers]

    def forward(self, source, target):
        there = (source != PADDING)[:, None, None, :]
        x = self.encoder.start(self.shared(source))
        for layer in self.encoder.layers:
            x = layer(x, there)
        n = target.shape[1]
        causal = torch.ones(n, n, dtype=torch.bool).tril()
        y = self.decoder.start(self.shared(target))
        for layer in self.decoder.layers:
            y = layer(y, causal, x, there)
        return y @ self.shared.weight.T

    def answer(self, source):
        """Greedily, one symbol after another."""
        words = [START]
        while len(words) < POSITIONS:
            last = self(torch.tensor([source]), torch.tensor([words]))[0, -1].argmax().item()
            if last == END:
                break
            words.append(last)
        return [WORDS[i] for i in words[1:]]


def batch(random, size=64):
    pairs = [pair(random) for _ in range(size)]
    # The end of the source is a word of its own, as in BART.
    sources = [[IDS[w] for w in source] + [END] for source, _ in pairs]
    targets = [[START] + [IDS[w] for w in target] + [END] for _, target in pairs]
    return training.padded(sources, PADDING), training.padded(targets, PADDING)


def train(model, random):
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.01, betas=(0.9, 0.98))
    clock = training.Clock()
    for step in range(STEPS):
        for group in optimizer.param_groups:
            group["lr"] = 3e-3 * min(1.0, (step + 1) / 200) * (0.5 + 0.5 * math.cos(math.pi * step / STEPS))
        source, target = batch(random)
        logits = model(source, target[:, :-1])
        task = functional.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=PADDING)
        strength = min(1.0, max(0.0, (step / STEPS - 0.3) / 0.2))
        alive = (target[:, :-1] != PADDING).float()
        spread = sum(training.entropy_penalty(a.weights, alive) for a in model.cross) / DECODERS
        shared = sum(training.overlap_penalty(a.weights, alive) for a in model.cross) / DECODERS
        loss = task + strength * (0.05 * spread + 0.05 * shared)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if (step + 1) % 500 == 0:
            print(f"{step + 1:6d} task {task.item():.4f} entropy {float(spread):.3f} overlap {float(shared):.3f} {clock.seconds():.0f} s", flush=True)
    return clock.seconds()


def show(model, text):
    source = text.split()
    ids = [IDS[w] for w in source] + [END]
    answer = model.answer(ids)
    model(torch.tensor([ids]), torch.tensor([[START] + [IDS[w] for w in answer]]))
    names = source + ["</s>"]
    print(text, "→", " ".join(answer))
    for d, layer in enumerate(model.decoder.layers):
        for h in range(HEADS):
            w = layer.encoder_attn.weights[0, h]
            print("  cross", d, h, " ".join(f"{o}←{names[int(r.argmax())]}{'' if r.max() > 0.9 else '%.1f' % float(r.max())}" for o, r in zip(answer + ["end"], w)))


def tensors(model):
    """BartForConditionalGeneration's names. The head is the embedding (tied) and so is not stored."""
    found = {"model." + name: p for name, p in model.named_parameters()}
    found["final_logits_bias"] = torch.zeros(1, len(WORDS))
    return found


def config():
    return dict(architectures=["BartForConditionalGeneration"], model_type="bart", activation_function="gelu", vocab_size=len(WORDS),
                d_model=WIDTH, max_position_embeddings=POSITIONS, encoder_layers=ENCODERS, decoder_layers=DECODERS,
                encoder_attention_heads=HEADS, decoder_attention_heads=HEADS, encoder_ffn_dim=HIDDEN, decoder_ffn_dim=HIDDEN,
                scale_embedding=False, tie_word_embeddings=True, bos_token_id=START, pad_token_id=PADDING, eos_token_id=END,
                decoder_start_token_id=START, is_encoder_decoder=True, dropout=0.0, attention_dropout=0.0, activation_dropout=0.0)


def tokenizer():
    template = dict(type="TemplateProcessing", single=[dict(Sequence=dict(id="A", type_id=0)), dict(SpecialToken=dict(id="</s>", type_id=0))],
                    pair=[], special_tokens={"</s>": dict(id="</s>", ids=[END], tokens=["</s>"])})
    return training.word_level(WORDS, "<unk>", dict(type="BertPreTokenizer"), lower=True, special=["<s>", "<pad>", "</s>"], post_processor=template)


def source_of(number, at):
    """The word of "digits …" that the digit at this place of `number` was made from, or None for a zero."""
    text = str(number)
    if text[at] == "0":
        return None
    place, words = len(text) - 1 - at, 1
    # Words before the one asked for: those of the thousands, then of the hundreds, then of the rest.
    thousands, below = divmod(number, 1000)
    if place >= 3:
        part, place = thousands, place - 3
    else:
        part, words = below, words + (len(english(thousands)) + 1 if thousands else 0)
    if place == 2:
        return words
    words += 2 if part >= 100 else 0
    return words + (1 if place == 0 and part % 100 >= 20 else 0)


class Measured:
    def __init__(self, model, asked):
        self.model, self.asked = model, asked

    def knock_out(self, head=None):
        for attention in self.model.cross:
            attention.knocked_out = () if head is None else (head,)

    def accuracy(self, head=None, kind=None):
        """Of whole answers, with a head of the cross-attention knocked out."""
        self.knock_out(head)
        chosen = [(s, t) for s, t in self.asked if kind in (None, s[0])]
        right = sum(self.model.answer([IDS[w] for w in s] + [END]) == t for s, t in chosen)
        self.knock_out()
        return right / len(chosen)

    def walk(self, head):
        """Its mean weight, while a digit is written that is no zero, on the word that the digit comes from."""
        seen = []
        for source, target in self.asked:
            if source[0] != "digits":
                continue
            self.model(torch.tensor([[IDS[w] for w in source] + [END]]), torch.tensor([[START] + [IDS[w] for w in target]]))
            for at in range(len(target)):
                word = source_of(int("".join(target)), at)
                if word is not None:
                    seen.append(float(self.model.cross[0].weights[0, head, at, word]))
        return sum(seen) / len(seen)


if __name__ == "__main__":
    random = randoms.Random(SEED)
    torch.manual_seed(SEED)
    model = Model()
    if len(sys.argv) > 1:  # weights of an earlier run
        model.load_state_dict(torch.load(sys.argv[1]))
        seconds = float(sys.argv[2])
    else:
        seconds = train(model, random)
        torch.save(model.state_dict(), here / "weights.pt")
    asker = randoms.Random(20261121)
    with torch.no_grad():
        measured = Measured(model, [pair(asker, test=True) for _ in range(120)])
        accuracy = measured.accuracy()
        for head in range(HEADS):
            print(f"cross.0.{head} walks {measured.walk(head):.3f}; without it {measured.accuracy(head):.3f}")
        walker = max(range(HEADS), key=measured.walk)
        for text in ("digits two hundred forty one", "chinese two hundred forty one", "chinese twelve thousand three hundred seven"):
            show(model, text)
        claims = [dict(layer="cross.0", head=walker, does=dict(en="the word being written down", zh="正在写出的那个词"),
                       measured=dict(on="digits", weight=round(measured.walk(walker), 3), questions="", accuracy=round(accuracy, 3),
                                     without=round(measured.accuracy(walker), 3)))]
    training.save_safetensors(here / "model.safetensors", tensors(model))
    training.write_json(here / "config.json", config())
    training.write_json(here / "tokenizer.json", tokenizer())
    training.write_json(here / "model.json", dict(
        id="numbers", title=dict(en="Numbers: from words to digits and to Chinese", zh="数：从英文到数字与汉字"),
        task=dict(en="writes a number given in English words in digits or in Chinese numerals", zh="把英文数词写成阿拉伯数字或汉字数字"),
        layers=ENCODERS + DECODERS, heads=HEADS, vocabulary=len(WORDS), accuracy=round(accuracy, 3),
        opens=dict(layer="cross.0", head=2, query=0, key=1),
        examples=["digits two hundred forty one", "chinese two hundred forty one", "chinese twelve thousand three hundred seven",
                  "digits seventeen thousand thirty", "chinese ninety nine thousand eleven"],
        claims=claims, training=dict(steps=STEPS, seconds=round(seconds), parameters=sum(p.numel() for p in model.parameters()))))
    training.write_questions("numbers", [(s[0], s, " ".join(t), "", 0) for s, t in measured.asked])
