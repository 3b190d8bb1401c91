"""induction: words said twice, by two layers of attention and nothing else (no MLP): what followed the last time follows again.

    python3 train.py                      trains, and writes the model's files here and its held-out questions
    python3 train.py WEIGHTS.pt SECONDS   the same from the weights of an earlier run

A line is made of a few short stretches of random words, in any order, again and again; no word is in two of them. The only
thing to learn is: find where this word stood before, and say the one after it. It takes two heads in a row: one that
copies each word's predecessor to it, one that looks where the predecessor is this word (Elhage et al. 2021, Olsson et al. 2022).
"""
import math
import random as randoms
import sys
from pathlib import Path

import torch
from torch import nn

here = Path(__file__).parent
sys.path[:0] = [str(here.parent)]
import training

SEED, STEPS, POSITIONS, WIDTH, HEADS, LAYERS = 1, 1600, 48, 64, 2, 2
# One head of each layer does nothing: of four that are free, several share the work, and none of them is missed. What the
# others do is left to them; later they pay for spreading, and for looking elsewhere than at the first word.
PENALTIES = dict(entropy=0.1, unrest=0.1, onset=0.4, idle=[(0, 1), (1, 0)])

WORDS = """apple bear bell bird blue boat bone book bread cake cat chair clock cloud coat corn crow cup deer dog door drum duck
egg fish flag fox frog glass goat gold green hat hen hill horse house jar key king kite lake lamp leaf lion milk moon mouse nest
owl pear pig queen rain red ring river road rose salt sand ship shoe snow star stone sun tea tent tree wolf wood""".split()

EXAMPLES = [
    "fox moon river bread key lamp fox moon river bread key",
    "red star blue cat drum red star blue cat",
    "king horse road snow wolf tea pear king horse road snow wolf",
    "sun egg owl gold ship sun egg owl gold ship sun egg owl",
    "apple rose tent milk bell green lake hat apple rose tent milk bell",
]


class AttentionOnly(nn.Module):
    """x ← x + attention(norm(x)), twice; what training.Measured and training.train ask of a model."""

    class Block(nn.Module):
        def __init__(self, width, heads):
            super().__init__()
            self.norm = nn.LayerNorm(width)
            self.attention = training.CausalAttention(width, heads)

    def __init__(self, words):
        super().__init__()
        self.words = nn.Embedding(words, WIDTH)
        self.positions = nn.Embedding(POSITIONS, WIDTH)
        self.blocks = nn.ModuleList(self.Block(WIDTH, HEADS) for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH)
        self.unembedding = nn.Linear(WIDTH, words, bias=False)
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.normal_(p, std=0.08)
        # Sinusoids to begin with (Vaswani et al. 2017): from them the place before is a turn away, which is learned soon.
        angle = torch.arange(POSITIONS)[:, None] * 10000.0 ** (-torch.arange(0, WIDTH, 2) / WIDTH)
        self.positions.weight.data = torch.cat([angle.sin(), angle.cos()], 1) * 0.5
        nn.init.normal_(self.words.weight, std=0.5)

    def forward(self, ids):
        x = self.words(ids) + self.positions.weight[: ids.shape[1]]
        for block in self.blocks:
            x = x + block.attention(block.norm(x))
        return self.unembedding(self.norm(x))

    @property
    def attentions(self):
        return [b.attention for b in self.blocks]

    knock_out = training.Gpt2.knock_out

    def checkpoint(self):
        found = {"token_embedding.weight": self.words.weight, "position_embedding.weight": self.positions.weight,
                 "norm.weight": self.norm.weight, "norm.bias": self.norm.bias, "unembedding.weight": self.unembedding.weight}
        for n, b in enumerate(self.blocks):
            at = f"layers.{n}."
            found[at + "norm.weight"], found[at + "norm.bias"] = b.norm.weight, b.norm.bias
            for name, weight, bias in zip("qkv", b.attention.qkv.weight.chunk(3), b.attention.qkv.bias.chunk(3)):
                found[f"{at}attn.{name}_proj.weight"], found[f"{at}attn.{name}_proj.bias"] = weight, bias
            found[at + "attn.o_proj.weight"], found[at + "attn.o_proj.bias"] = b.attention.out.weight, b.attention.out.bias
        return found

    def config(self):
        return dict(model_type="attention_only", vocab_size=len(WORDS), n_positions=POSITIONS, d_model=WIDTH, num_heads=HEADS,
                    num_layers=LAYERS, tie_word_embeddings=False)


def stretches_of(random):
    """The stretches of a line, in the order in which they stand in it."""
    words = random.sample(WORDS, 24)
    lengths = [random.randint(2, 6) for _ in range(random.randint(1, 4))]
    stretches = [[words.pop() for _ in range(length)] for length in lengths]
    line = list(stretches)
    while sum(map(len, line)) < 40:
        line.append(random.choice(stretches))
    return line[:-1]


def line_of(random):
    return [word for stretch in stretches_of(random) for word in stretch]


def questions(count, seed):
    """Lines that end within a stretch that stood there once before. Only the right word, as the likeliest, is right."""
    random = randoms.Random(seed)
    asked = []
    while len(asked) < count:
        line = stretches_of(random)
        at = random.randrange(len(line))
        if line[:at].count(line[at]) != 1:
            continue
        said = random.randrange(1, len(line[at]))
        prefix = [word for stretch in line[:at] for word in stretch] + line[at][:said]
        asked.append(("repeated", prefix, line[at][said], "", prefix.index(line[at][said])))
    return asked


if __name__ == "__main__":
    random = randoms.Random(SEED)
    torch.manual_seed(SEED)
    model = AttentionOnly(len(WORDS))
    seconds = training.train_or_load(here, model, training.lines_of_words(WORDS, lambda: line_of(random)), STEPS, **PENALTIES)
    asked = questions(200, "held out")
    measured = training.Measured(model, WORDS, asked)
    measured.print_table()
    training.publish(here, model, training.word_level(WORDS, "<unk>", dict(type="BertPreTokenizer"), lower=True), dict(
        id="induction", title=dict(en="Words said twice", zh="说两遍的词"),
        task=dict(en="random words that come again: what followed the last time follows again; two layers of attention alone",
                  zh="重复出现的随机词：上次跟在后面的，这次还跟在后面；只有两层注意力"),
        layers=LAYERS, heads=HEADS, vocabulary=len(WORDS), accuracy=round(measured.accuracy(), 3),
        opens=dict(layer="1", head=1, query=10, key=5), examples=EXAMPLES,
        claims=[measured.claim(0, 0, "previous", dict(en="the word before", zh="前一个词"), hurts="repeated"),
                measured.claim(1, 1, "repeated", dict(en="what came after this word the last time", zh="上次跟在这个词后面的词"),
                               brief=dict(en="what followed last", zh="上次的后一个词"))],
        training=dict(steps=STEPS, seconds=round(seconds), parameters=sum(p.numel() for p in model.parameters()))))
    training.write_questions("induction", asked)
