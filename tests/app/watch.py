#!/usr/bin/env python3
"""headlight.watch() records of running models what they compute. python3 watch.py HEADLIGHT. Skipped (77) without PyTorch."""
import math, os, stat, subprocess, sys, tempfile, types

try:
    import numpy as np
    import torch
    import torch.nn as nn
    import torch.nn.functional as F
except ImportError:
    sys.exit(77)

folder = tempfile.mkdtemp()
os.environ["XDG_STATE_HOME"] = folder
from python_checks import expect, faults, headlight


def near(a, b):
    a, b = (np.asarray(x.detach() if hasattr(x, "detach") else x) for x in (a, b))
    return a.shape == b.shape and np.abs(a - b).max() <= 1e-5


def recorded(watch, what="", step=None):
    return dict(np.load(watch.folder / f"step-{step or watch.step:09}{what}.npz"))


def scaled_dot_product_attention(q, k, v, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None):
    """A stand-in for PyTorch versions that do not have this function."""
    scores = q @ k.transpose(-2, -1) * (q.size(-1) ** -0.5 if scale is None else scale)
    if is_causal:
        attn_mask = torch.ones(q.size(-2), k.size(-2), dtype=torch.bool).tril()
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, -math.inf) if attn_mask.dtype == torch.bool else scores + attn_mask
    return torch._softmax(scores, -1, False) @ v


if not hasattr(F, "scaled_dot_product_attention"):
    F.scaled_dot_product_attention = scaled_dot_product_attention
functions = {F: ("softmax", "scaled_dot_product_attention"), torch: ("softmax", "_transformer_encoder_layer_fwd"), nn.Module: ("__call__",)}
before = {(home, name): getattr(home, name) for home, names in functions.items() for name in names}
torch.manual_seed(1)


class Fused(nn.Module):
    """nanoGPT's attention, with the fused function."""

    def __init__(self, width=8, n_head=2):
        super().__init__()
        self.c_attn, self.n_head = nn.Linear(width, 3 * width), n_head

    def forward(self, x):
        self.q, self.k, self.v = (t.view(*x.shape[:2], self.n_head, -1).transpose(1, 2) for t in self.c_attn(x).chunk(3, -1))
        return F.scaled_dot_product_attention(self.q, self.k, self.v, is_causal=True).transpose(1, 2).reshape(x.shape)


class SelfAttention(nn.Module):
    """An attention like Hugging Face's eager ones: it computes weights, then dropout."""

    def __init__(self):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(8, 8) for _ in range(3))
        self.dropout = nn.Dropout(0.5)

    def forward(self, x, bias=None):
        q, k, v = (p(x).view(*x.shape[:2], 2, 4).transpose(1, 2) for p in (self.query, self.key, self.value))
        self.weights = nn.functional.softmax(q @ k.transpose(-1, -2) / 2 + (0 if bias is None else bias), dim=-1)
        return (self.dropout(self.weights) @ v).transpose(1, 2).reshape(x.shape)


class Head(nn.Module):
    """A single head as a module of its own, as in lectures."""

    def __init__(self):
        super().__init__()
        self.key, self.query, self.value = (nn.Linear(8, 4, bias=False) for _ in range(3))

    def forward(self, x):
        scores = self.query(x) @ self.key(x).transpose(-2, -1) / 2
        return scores.masked_fill(torch.ones(x.size(1), x.size(1)).tril() == 0, -math.inf).softmax(-1) @ self.value(x)


class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleList(Head() for _ in range(2))

    def forward(self, x):
        return torch.cat([head(x) for head in self.heads], -1)


x = torch.randn(3, 5, 8)

model = nn.Sequential(Fused(), Fused())
with headlight.watch(model, "fused", tokens=list("abcde"), batch=2) as watch:
    model(x).pow(2).sum().backward()
    found, gradients = recorded(watch), recorded(watch, ".gradients")
    expect("headlight --watch fused" in repr(watch), f"repr does not say how to look: {watch!r}")
for i, layer in enumerate(model):
    scores = (layer.q @ layer.k.transpose(-2, -1) / 2).detach().masked_fill(torch.ones(5, 5).tril() == 0, -math.inf)
    weights = scores.softmax(-1).requires_grad_()
    expect(near(found[f"attentions.{i}"], weights[:2]), f"fused layer {i}: other weights than its q, k and mask give")
(weights @ layer.v.detach()).pow(2).sum().backward()
expect(near(gradients["gradients.1"], weights.grad[:2]), "the gradient of a fused function's weights")
expect(list(found["tokens"]) == list("abcde") and list(found["layer_names"]) == ["0", "1"], "words or names are missing")

model = nn.Sequential(SelfAttention(), SelfAttention())
with headlight.watch(model, "eager", batch=3) as watch:
    states = []
    for watched in (True, False):
        torch.manual_seed(2)
        states.append(model(x))
        if watched:
            found = recorded(watch)
            expect(near(found["attentions.1"], model[1].weights), "eager weights are taken after dropout, or not at all")
            model[1].weights.retain_grad()
            states[0].pow(2).sum().backward()
            expect(near(recorded(watch, ".gradients")["gradients.1"], model[1].weights.grad), "the gradient of eager weights")
expect(near(*states), "a model that is watched computes something else")

model = Heads()
with headlight.watch(model, "heads") as watch:
    model(x)
    found = recorded(watch)
expect(found["attentions.0"].shape == (1, 2, 5, 5) and list(found["layer_names"]) == ["heads"], "modules of one head each are no layer")

for norm_first in (False, True):
    model = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, norm_first=norm_first), 2).eval()
    hidden, wanted = x, []
    for layer in model.layers:
        into = layer.norm1(hidden) if norm_first else hidden
        wanted.append(layer.self_attn(into, into, into, average_attn_weights=False)[1])
        hidden = layer(hidden)
    with torch.no_grad(), headlight.watch(model, "encoder", batch=3) as watch:
        model(x)
        found = recorded(watch)
    for i, weights in enumerate(wanted):
        expect(near(found[f"attentions.{i}"], weights), f"nn.TransformerEncoderLayer's fast path, norm_first={norm_first}, layer {i}")

def flex_attention(q, k, v, score_mod=None, block_mask=None):
    """A stand-in with FlexAttention's arguments, because its kernel is not tested here."""
    scores = q @ k.transpose(-2, -1) / 2
    for b, h, i, j in np.ndindex(*scores.shape):
        at = [torch.tensor(n) for n in (b, h, i, j)]
        scores[b, h, i, j] = score_mod(scores[b, h, i, j].clone(), *at) if block_mask.mask_mod(*at) else -math.inf
    kept.append(torch._softmax(scores, -1, False))
    return kept[-1] @ v


name, kept = "torch.nn.attention.flex_attention", []
real, sys.modules[name] = sys.modules.get(name), types.SimpleNamespace(flex_attention=flex_attention)


class Flex(nn.Module):
    def forward(self, x):
        slopes = torch.tensor([0.5, 0.25])
        q = x.view(3, 5, 2, 4).transpose(1, 2)
        block_mask = types.SimpleNamespace(mask_mod=lambda b, h, i, j: (i >= j) & (i - j < 3))
        return sys.modules[name].flex_attention(q, q, q, lambda s, b, h, i, j: s + slopes[h] * (j - i), block_mask)


model = nn.Sequential(Flex())
with torch.no_grad(), headlight.watch(model, "flex", batch=3) as watch:
    model(x)
    expect(near(recorded(watch)["attentions.0"], kept[-1]), "FlexAttention's score_mod and block_mask")
sys.modules.pop(name) if real is None else sys.modules.update({name: real})

model = nn.MultiheadAttention(8, 2, dropout=0.5)  # sequence first, [B*H] inside
with headlight.watch(model, "mha", batch=2) as watch:
    model(x, x, x, key_padding_mask=torch.tensor([[0, 0, 1]] * 5, dtype=torch.bool))
    found = recorded(watch)
    model.dropout = 0.0
    weights = model(x, x, x, key_padding_mask=torch.tensor([[0, 0, 1]] * 5, dtype=torch.bool), average_attn_weights=False)[1]
expect(near(found["attentions.0"], weights[:2]), "nn.MultiheadAttention's weights before dropout")

model = Fused()
with headlight.watch(model, "quiet", most_per_second=1000) as watch:
    model(x)
    expect(stat.S_IMODE(watch.folder.stat().st_mode) == 0o700, "others may open the folder")
    expect(all(stat.S_IMODE(file.stat().st_mode) == 0o600 for file in watch.folder.iterdir()), "others may read the records")
    for _ in range(50):
        watch._next = watch._next_look = 0
        model(x)
    expect(watch.recorded == 1, f"nobody looks, and {watch.recorded} calls are recorded")
    (watch.folder / "looking").touch()
    watch._next = watch._next_look = 0
    model(x)
    expect(watch.recorded == 2, "somebody looks, and nothing is recorded")
    try:
        model(torch.randn(3, 5, 7))
    except RuntimeError:
        pass
for (home, name), was in before.items():
    expect(getattr(home, name) is was, f"{name} stays wrapped")

model = Fused(64, 8)
with headlight.watch(model, "small", most_per_second=1e6, most_megabytes=0.3) as watch:
    for _ in range(8):
        watch._next = watch._next_look = 0
        (watch.folder / "looking").touch()
        model(torch.randn(1, 32, 64))
    size = sum(file.stat().st_size for file in watch.folder.glob("step-*"))
    expect(watch.recorded == 8 and size <= 0.3e6, f"{watch.recorded} records take {size} bytes")

model = nn.Sequential(Fused(), Fused(64, 8))
model[1].forward = lambda x: F.scaled_dot_product_attention(*[torch.zeros(1, 8, 300, 8)] * 3)[0, 0, :5, :8] + x
with headlight.watch(model, "part", most_megabytes=2) as watch:
    model(x[:1])
    found = recorded(watch)
    expect(list(found["layer_names"]) == ["0"] and found["not_recorded"][0].startswith("1: 2.9 MB"), "what is too large is left out without a word")
    expect("1 is not recorded" in repr(watch), f"repr does not say what is left out: {watch!r}")

with headlight.watch(nn.Linear(8, 8), "none", tokens=lambda ids: ids.nothing) as watch:
    expect(watch._modules[0](x).shape == x.shape, "a function for tokens that fails stops the model")
    for _ in range(3):
        watch._next = watch._next_look = 0
        watch._modules[0](x)
    expect("tokens is not recorded: AttributeError" in repr(watch) and not watch._on, f"what went wrong is not said: {watch!r}")

for name, error in (("../up", "no name"), ("a/b", "no name")):
    try:
        headlight.watch(Fused(), name)
        expect(False, f"{name} is taken for a name")
    except headlight.HeadlightError as refused:
        expect(error in str(refused), f"{name}: {refused}")

out = os.path.join(folder, "window.png")
done = subprocess.run([os.environ["HEADLIGHT"], "--watch", "fused", "--screenshot", out, "--size", "1024x768"], capture_output=True, text=True)
expect(done.returncode == 0 and os.path.exists(out), f"the window does not show it: {done.stderr}")
done = subprocess.run([os.environ["HEADLIGHT"], "--watch", "nothing", "--screenshot", out], capture_output=True, text=True)
expect(done.returncode == 2 and "expected one of" in done.stderr, f"an unknown name: {done.stderr}")
shown = headlight.trace(os.path.join(folder, "headlight", "watch", "fused", "latest.npz"), layer=1)
stored = np.load(os.path.join(folder, "headlight", "watch", "fused", "latest.npz"))["attentions.1"]
expect(near(shown["weights"], stored), "the program reads other weights than were recorded")

class AnyAxis(nn.Module):
    """An attention whose scores lie [B, n_k, n_q, H], with a softmax over their axis of the keys."""

    def __init__(self, softmax):
        super().__init__()
        self.num_heads, self.softmax = 2, softmax
        self.query, self.key, self.value = (nn.Linear(8, 8) for _ in range(3))

    def forward(self, x):
        q, k, v = (p(x).view(*x.shape[:2], 2, 4) for p in (self.query, self.key, self.value))
        self.weights = self.softmax(torch.einsum("bqhd,bkhd->bkqh", q, k) / 2)
        self.weights.retain_grad()
        return torch.einsum("bkqh,bkhd->bqhd", self.weights, v).reshape(x.shape)


model = AnyAxis(nn.Softmax(1))
with headlight.watch(model, "axis", batch=3) as watch:
    model(x).pow(2).sum().backward()
    found, gradients = recorded(watch), recorded(watch, ".gradients")
expect(near(found["attentions.0"], model.weights.permute(0, 3, 2, 1)), "a softmax over another axis is not shown with its keys last")
expect(near(gradients["gradients.0"], model.weights.grad.permute(0, 3, 2, 1)), "the gradient of a softmax over another axis")
expect("axis 1" in repr(watch), f"what was assumed of the axes is not said: {watch!r}")

for softmax, seen in ((lambda s: s.log_softmax(1).exp(), True), (lambda s: (s - s.amax(1, True)).exp() / (s - s.amax(1, True)).exp().sum(1, True), False)):
    model = nn.Sequential(AnyAxis(softmax), AnyAxis(nn.Softmax(1)))
    with headlight.watch(model, "hand") as watch:
        model(x)
    expect(len([name for name in recorded(watch) if name.startswith("attentions")]) == 1 + seen, f"a hand-written softmax: {sorted(recorded(watch))}")
    expect(("0 is not recorded" in repr(watch) and "exp" in repr(watch)) == (not seen), f"what is not seen is not said: {watch!r}")

victim = os.path.join(folder, "victim")
with open(victim, "w") as file:
    file.write("precious")
run = os.path.join(folder, "headlight", "watch", "linked")
os.makedirs(os.path.dirname(run), exist_ok=True)
os.symlink(folder, run)
try:
    headlight.watch(nn.Linear(2, 2), "linked")
    expect(False, "a link is taken for the folder of a run")
except headlight.HeadlightError as error:
    expect("link" in str(error), f"a link: {error}")
os.remove(run)
before_mask = os.umask(0)
with headlight.watch(AnyAxis(nn.Softmax(1)), "private") as watch:
    for made in (watch.folder, watch.folder.parent, watch.folder.parent.parent):
        expect(stat.S_IMODE(os.stat(made).st_mode) == 0o700, f"{made} is not private")
    os.symlink(victim, watch.folder / "step-000000001.part")
    watch._modules[0](x)
os.umask(before_mask)
with open(victim) as file:
    expect(file.read() == "precious", "a record is written through a link")
for wrong in ({"batch": math.inf}, {"most_per_second": 0}, {"most_megabytes": "many"}, {"name": 3}, {"name": "../up"}):
    try:
        headlight.watch(nn.Linear(2, 2), **{"name": "wrong", **wrong})
        expect(False, f"watch() takes {wrong}")
    except headlight.HeadlightError:
        pass
# The id of a process that ended may be that of another one: only the lock counts.
ended = os.path.join(folder, "headlight", "watch", "ended")
os.makedirs(ended)
with open(os.path.join(ended, "run.json"), "w") as file:
    file.write('{"pid": 1}')
headlight.watch(nn.Linear(2, 2), "ended").close()

print("faults:", len(faults))
sys.exit(bool(faults))
