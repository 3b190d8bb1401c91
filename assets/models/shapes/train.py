"""shapes: which shape is left of the square? A vision transformer of 8 × 8 patches, as Hugging Face's ViT.

    python3 train.py [weights.pt SECONDS [settled]]     writes model.safetensors, config.json, preprocessor_config.json, model.json, examples,
                                              and tests/fixtures/held_out/shapes.{png,txt}
"""
import math
import random as randoms
import sys
from pathlib import Path

import numpy
import torch
from torch import nn
from torch.nn import functional

here = Path(__file__).parent
sys.path.insert(0, str(here.parent))
import training
from scenes import ANSWERS, SIDE, scene, write_png

PATCH, WIDTH, HEADS, HIDDEN, LAYERS, EPSILON = 6, 64, 4, 192, 3, 1e-6
GRID = SIDE // PATCH
SEED, LEARN, SETTLE, BATCH = 7, 2000, 600, 64


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.key, self.value, self.dense = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.heads, self.weights, self.knocked_out = HEADS, None, ()

    def forward(self, x):
        split = lambda t: t.view(*t.shape[:2], HEADS, -1).transpose(1, 2)
        q, k, v = split(self.query(x)), split(self.key(x)), split(self.value(x))
        self.weights = (q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])).softmax(-1)
        heads = self.weights @ v
        if len(self.knocked_out):
            heads = heads.clone()
            heads[:, list(self.knocked_out)] = 0
        return self.dense(heads.transpose(1, 2).reshape(x.shape))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.before, self.after = nn.LayerNorm(WIDTH, EPSILON), nn.LayerNorm(WIDTH, EPSILON)
        self.attention, self.up, self.down = Attention(), nn.Linear(WIDTH, HIDDEN), nn.Linear(HIDDEN, WIDTH)

    def forward(self, x):
        x = x + self.attention(self.before(x))
        return x + self.down(functional.gelu(self.up(self.after(x))))


def sinusoids():
    """[GRID², WIDTH]: half of the channels by row, half by column, from which a neighbour is a turn away."""
    table = torch.zeros(GRID, GRID, WIDTH)
    quarter = WIDTH // 4
    waves = torch.arange(GRID)[:, None] * 0.9 * 10.0 ** (-torch.arange(quarter) / quarter)
    turns = torch.cat([waves.sin(), waves.cos()], -1)
    table[..., : WIDTH // 2], table[..., WIDTH // 2 :] = turns[:, None], turns[None]
    return 0.3 * table.reshape(GRID * GRID, WIDTH)


class Vit(nn.Module):
    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, WIDTH, PATCH, PATCH)
        self.cls = nn.Parameter(torch.zeros(1, 1, WIDTH))
        self.positions = nn.Parameter(torch.zeros(1, GRID * GRID + 1, WIDTH))
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm, self.classifier = nn.LayerNorm(WIDTH, EPSILON), nn.Linear(WIDTH, len(ANSWERS))
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.normal_(p, std=0.08)
        with torch.no_grad():
            self.positions[0, 1:] = sinusoids()

    def forward(self, pixels):
        x = self.patches(pixels).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(len(x), -1, -1), x], 1) + self.positions
        for block in self.blocks:
            x = block(x)
        return self.classifier(self.norm(x)[:, 0])

    def knock_out(self, *heads):
        for layer, block in enumerate(self.blocks):
            block.attention.knocked_out = tuple(h for l, h in heads if l == layer)

    def checkpoint(self):
        """ViTForImageClassification's names."""
        found = {"vit.embeddings.cls_token": self.cls, "vit.embeddings.position_embeddings": self.positions}
        linears = {"vit.embeddings.patch_embeddings.projection": self.patches, "vit.layernorm": self.norm, "classifier": self.classifier}
        for n, b in enumerate(self.blocks):
            at = f"vit.encoder.layer.{n}."
            linears |= {at + "attention.attention." + name: getattr(b.attention, name) for name in ("query", "key", "value")}
            linears |= {at + "attention.output.dense": b.attention.dense, at + "intermediate.dense": b.up, at + "output.dense": b.down,
                        at + "layernorm_before": b.before, at + "layernorm_after": b.after}
        for name, part in linears.items():
            found[name + ".weight"], found[name + ".bias"] = part.weight, part.bias
        return found


def pixels_of(pictures):
    return torch.tensor(numpy.stack(pictures)).permute(0, 3, 1, 2).float() / 127.5 - 1


def batch(random, size=BATCH):
    pictures, answers, _ = zip(*(scene(random) for _ in range(size)))
    return pixels_of(pictures), torch.tensor([ANSWERS.index(a) for a in answers])


def train(model, random, steps, rate_at):
    decays = [p for p in model.parameters() if p.dim() > 1]
    others = [p for p in model.parameters() if p.dim() <= 1]
    optimizer = torch.optim.AdamW([{"params": decays, "weight_decay": 0.05}, {"params": others, "weight_decay": 0.0}], lr=2e-3, betas=(0.9, 0.98))
    clock, losses, right = training.Clock(), [], []
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = rate_at(step)
        pixels, answers = batch(random)
        logits = model(pixels)
        loss = functional.cross_entropy(logits, answers)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
        right.append((logits.argmax(-1) == answers).float().mean().item())
        if (step + 1) % 200 == 0:
            torch.save(model.state_dict(), here / "weights.pt")
            print(f"{step + 1:6d} loss {sum(losses[-200:]) / 200:.4f} right {sum(right[-200:]) / 200:.3f} {clock.seconds():.0f} s", flush=True)
    return clock.seconds()


def learn(model):
    """While the rate is large the circuit forms: from step 1,000 on. Then it falls to 0."""
    return train(model, randoms.Random(SEED), LEARN, lambda step: 2e-3 * min(1.0, (step + 1) / 200) * (0.5 + 0.5 * math.cos(math.pi * step / 4000)))


def settle(model):
    return train(model, randoms.Random(SEED + 1), SETTLE, lambda step: 1e-3 * min(1.0, (step + 1) / 50) * (1 - step / SETTLE))


# Every question is of three kinds: its answer, and the square's row and column.
ROWS, COLUMNS = ("top", "middle", "bottom"), ("", "middle", "right")
DOES = {
    "circle": dict(en="a circle left of the square", zh="方块左边是圆"),
    "triangle": dict(en="a triangle left of the square", zh="方块左边是三角"),
    "cross": dict(en="a cross left of the square", zh="方块左边是十字"),
    "nothing": dict(en="nothing left of the square", zh="方块左边什么也没有"),
    "top row": dict(en="squares in the top row", zh="方块在上面一行"),
    "middle row": dict(en="squares in the middle row", zh="方块在中间一行"),
    "bottom row": dict(en="squares in the bottom row", zh="方块在下面一行"),
    "middle column": dict(en="squares in the middle column", zh="方块在中间一列"),
    "right column": dict(en="squares in the right column", zh="方块在右边一列"),
}
BRIEF = {
    "middle column": dict(en="squares, middle", zh="中列方块"),
    "right column": dict(en="squares, right", zh="右列方块"),
}
LEAST_LOSS = 0.08
HEAD_LIST = [(layer, head) for layer in range(LAYERS) for head in range(HEADS)]


def kinds_of(answer, place):
    return answer, ROWS[place[1]] + " row", COLUMNS[place[0]] + " column"


class Asked:
    """Scenes, and whether each is answered right with every head, and without each."""

    def __init__(self, model, scenes):
        self.scenes = scenes
        pixels = pixels_of([pixels for pixels, _, _ in scenes])
        truth = torch.tensor([ANSWERS.index(answer) for _, answer, _ in scenes])
        self.right = {}
        for silent in [None, *HEAD_LIST]:
            model.knock_out(*([silent] if silent else []))
            self.right[silent] = (model(pixels).argmax(-1) == truth).tolist()
        model.knock_out()

    def places(self, kind):
        return [n for n, (_, answer, place) in enumerate(self.scenes) if kind in (None, *kinds_of(answer, place))]

    def share(self, kind=None, silent=None):
        places = self.places(kind)
        return sum(self.right[silent][n] for n in places) / len(places)

    def measured(self, kind, head):
        """The share of right answers as it is, without the head, and without the next most missed one."""
        others = min(self.share(kind, h) for h in HEAD_LIST if h != head)
        return dict(places=len(self.places(kind)), accuracy=round(self.share(kind), 3), without=round(self.share(kind, head), 3),
                    next_largest=round(others, 3))


def claims(held_out, probes):
    """A head is labelled by the kind that loses most without it, more than without any other, in both sets."""
    best = {}
    for kind in DOES:
        head = min(HEAD_LIST, key=lambda h: held_out.share(kind, h))
        loss = held_out.share(kind) - held_out.share(kind, head)
        own = probes.measured(kind, head)
        if loss < LEAST_LOSS or own["accuracy"] - own["without"] < LEAST_LOSS or own["without"] >= own["next_largest"]:
            continue
        if head not in best or loss > best[head][0]:
            best[head] = loss, kind
    return [dict(layer=layer, head=head, does=DOES[kind], **(dict(brief=BRIEF[kind]) if kind in BRIEF else {}), measured=dict(questions=kind, **held_out.measured(kind, (layer, head)),
                                                                      probes=probes.measured(kind, (layer, head))))
            for (layer, head), (_, kind) in sorted(best.items())]


def patches_in(column, row):
    """The tokens of the patches whose middles lie in one of the nine places."""
    inside = lambda patch, place: 16 * place <= PATCH * patch + PATCH / 2 < 16 * (place + 1)
    return [1 + GRID * y + x for y in range(GRID) for x in range(GRID) if inside(x, column) and inside(y, row)]


def openings(model, scenes, claimed):
    """(change, scene, layer, head, query, key, weight, other answer): without a labelled head the right answer becomes another,
    and a patch of the square or of what is left of it looks most at one of the other's, with a graded weight. The largest first."""
    found = []
    for n, (pixels, answer, (column, row)) in enumerate(scenes):
        if answer == "nothing":
            continue
        model.knock_out()
        told = model(pixels_of([pixels]))[0].softmax(-1)
        weights = [block.attention.weights[0] for block in model.blocks]
        square, left = patches_in(column, row), patches_in(column - 1, row)
        if ANSWERS[told.argmax()] != answer:
            continue
        for claim in claimed:
            layer, head = claim["layer"], claim["head"]
            if claim["measured"]["questions"] not in kinds_of(answer, (column, row)):
                continue
            model.knock_out((layer, head))
            other = model(pixels_of([pixels]))[0].softmax(-1)
            if other.argmax() == told.argmax():
                continue
            change = float(told.max() - other[told.argmax()])
            for asks, told_of in ((square, left), (left, square)):
                for query in asks:
                    weight, key = weights[layer][head, query].max(-1)
                    if int(key) in told_of and 0.3 <= float(weight) <= 0.8:
                        found.append((change, n, layer, head, query, int(key), round(float(weight), 2), ANSWERS[other.argmax()]))
    model.knock_out()
    return sorted(found, reverse=True)


def write_held_out(scenes, across=20):
    """All pictures as one, row by row, and a line of text for each: its answer and kinds."""
    pictures = [pixels for pixels, _, _ in scenes]
    rows = [numpy.concatenate(pictures[at : at + across], 1) for at in range(0, len(pictures), across)]
    training.held_out_folder.mkdir(parents=True, exist_ok=True)
    write_png(training.held_out_folder / "shapes.png", numpy.concatenate(rows, 0))
    lines = ["\t".join(kinds_of(answer, place)) for _, answer, place in scenes]
    (training.held_out_folder / "shapes.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def config():
    return dict(architectures=["ViTForImageClassification"], model_type="vit", hidden_size=WIDTH, num_hidden_layers=LAYERS,
                num_attention_heads=HEADS, intermediate_size=HIDDEN, hidden_act="gelu", layer_norm_eps=EPSILON, image_size=SIDE,
                patch_size=PATCH, num_channels=3, qkv_bias=True, id2label={str(n): answer for n, answer in enumerate(ANSWERS)})


def shuffled(pixels):
    """The same patches in another order."""
    patches = pixels.reshape(GRID, PATCH, GRID, PATCH, 3).swapaxes(1, 2).reshape(GRID * GRID, PATCH, PATCH, 3)
    order = list(range(GRID * GRID))
    randoms.Random(SEED).shuffle(order)
    return patches[order].reshape(GRID, GRID, PATCH, PATCH, 3).swapaxes(1, 2).reshape(SIDE, SIDE, 3)


def publish(model, seconds):
    training.round_to_half(model)
    asker = randoms.Random(20261125)
    draw = lambda count: [scene(asker) for _ in range(count)]
    probe_scenes, examples = draw(240), draw(400)
    held_out, probes = Asked(model, draw(2000)), Asked(model, probe_scenes)
    for kind in [None, *DOES]:
        print(f"{kind or 'all':14s} {held_out.share(kind):.3f}", " ".join(f"{held_out.share(kind) - held_out.share(kind, h):+.2f}" for h in HEAD_LIST))
    claimed = claims(held_out, probes)
    found = openings(model, examples, claimed)
    for line in found[:12]:
        print(line, examples[line[1]][1:])
    # Of those whose answer changes altogether, the row that is seen best.
    _, first, layer, head, query, key, *_ = max(found, key=lambda f: (f[0] > 0.99, f[6]))
    chosen, names = [first], []
    for answer in ANSWERS:  # one of each
        chosen += [n for n in range(len(examples)) if examples[n][1] == answer and n not in chosen][:1]
    for at, n in enumerate(chosen):
        names.append(f"{examples[n][1]}{'' if at else '-first'}.png")
        write_png(here / names[-1], examples[n][0])
    write_png(here / "shuffled.png", shuffled(examples[first][0]))
    training.save_safetensors(here / "model.safetensors", model.checkpoint(), half=True)
    training.write_json(here / "config.json", config())
    training.write_json(here / "preprocessor_config.json", dict(
        image_processor_type="ViTImageProcessor", do_resize=True, size=dict(height=SIDE, width=SIDE), resample=2, do_rescale=True,
        rescale_factor=1 / 255, do_normalize=True, image_mean=[0.5] * 3, image_std=[0.5] * 3))
    training.write_json(here / "model.json", dict(
        id="shapes", title=dict(en="Shapes: what is left of the square", zh="图形：方块左边是什么"),
        task=dict(en="says which shape is left of the square in a picture of 8 × 8 patches", zh="看 8 × 8 块的图片，说出方块左边是什么图形"),
        examples=["model:shapes/" + name for name in names], layers=LAYERS, heads=HEADS, vocabulary=len(ANSWERS),
        accuracy=round(held_out.share(), 3), opens=dict(layer=str(layer), head=head, query=query, key=key),
        probes=dict(pictures=len(probe_scenes), accuracy=round(probes.share(), 3)), claims=claimed,
        training=dict(steps=LEARN + SETTLE, seconds=round(seconds), parameters=sum(p.numel() for p in model.parameters()))))
    write_held_out(probe_scenes)


if __name__ == "__main__":
    torch.manual_seed(SEED)
    model = Vit()
    if len(sys.argv) > 1:  # what was learned, or with "settled" all of it, in an earlier run
        model.load_state_dict(torch.load(sys.argv[1]))
        seconds = float(sys.argv[2])
    else:
        seconds = learn(model)
        torch.save(model.state_dict(), here / "learned.pt")
    if sys.argv[3:] != ["settled"]:
        seconds += settle(model)
    with torch.no_grad():
        publish(model, seconds)
