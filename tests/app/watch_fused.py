#!/usr/bin/env python3
"""headlight.watch() and check() with PyTorch 2's fused attention: recorded weights times V equal the function's result.
python3 watch_fused.py HEADLIGHT. Skipped (77) before PyTorch 2.5, where FlexAttention and grouped heads are missing (watch.py has stand-ins)."""
import os, sys, tempfile

try:
    import numpy as np
    import torch
    import torch.nn as nn
    import torch.nn.functional as F
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention
except ImportError:
    print("skipped: it needs PyTorch 2.5 or later (pip install torch)")
    sys.exit(77)

os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp()
from python_checks import expect, faults, headlight

torch.manual_seed(4)


def random(*shape):
    return torch.randn(*shape)


def near(a, b, most=1e-5):
    a, b = (np.asarray(x.detach() if hasattr(x, "detach") else x) for x in (a, b))
    return a.shape == b.shape and np.abs(a - b).max() <= most


class Attention(nn.Module):
    """An attention module that calls a function of q, k, v and further arguments."""

    def __init__(self, function, num_heads=4, **more):
        super().__init__()
        self.function, self.num_heads, self.more = function, num_heads, more

    def forward(self, *qkv):
        return self.function(*qkv, **self.more)


def recorded(model, *inputs, name="fused", **named):
    """The result of the model, and its recorded weights by layer."""
    with headlight.watch(model, name, batch=99) as watch:
        out = model(*inputs, **named)
        expect(not watch.missing, f"{name}: {watch!r}")
        with np.load(watch.folder / f"step-{watch.step:09}.npz") as found:
            return out, [found[f"attentions.{i}"] for i in range(len(found["layer_names"]))]


def times_v(weights, v):
    """weights [B, H, n, m] times v [B, H or fewer, m, d], as [B, H, n, d]."""
    v = v.detach().numpy()
    return weights @ np.repeat(v, weights.shape[1] // v.shape[1], 1)


# ---- scaled_dot_product_attention
def sdpa(*qkv, **more):  # looked up when it is called, as a model does
    return F.scaled_dot_product_attention(*qkv, **more)


q, k, v = random(2, 4, 5, 8), random(2, 4, 7, 8), random(2, 4, 7, 8)
seen = torch.rand(4, 5, 7) < 0.6
seen[1, 2] = False  # a row of one head that sees nothing
cases = {
    "plain": {}, "scale": {"scale": 0.1}, "causal, more keys than queries": {"is_causal": True},
    "a mask for every head [H, n, m]": {"attn_mask": seen}, "[n, m]": {"attn_mask": seen[0]},
    "[B, 1, n, m]": {"attn_mask": torch.rand(2, 1, 5, 7) < 0.6}, "[B, 1, 1, m]": {"attn_mask": torch.tensor([[1, 1, 1, 1, 1, 0, 0], [1] * 7]).bool()[:, None, None]},
    "a bias": {"attn_mask": random(2, 4, 5, 7)}, "half precision": {"half": True}}
for name, more in cases.items():
    half = more.pop("half", False)
    inputs = [x.bfloat16() if half else x for x in (q, k, v)]
    out, (weights,) = recorded(Attention(sdpa, None, **more), *inputs)  # a module that does not say its heads
    expect(near(times_v(weights, inputs[2].float()), out.float(), 2e-2 if half else 1e-5), f"scaled_dot_product_attention, {name}: the weights do not give its output")
out, (weights,) = recorded(Attention(sdpa, enable_gqa=True, is_causal=True), q, k[:, :2, :5], v[:, :2, :5])
expect(weights.shape == (2, 4, 5, 5) and near(times_v(weights, v[:, :2, :5]), out), "grouped heads: the weights do not give the output")
flat = [x.reshape(8, *x.shape[2:]) for x in (q, k, v)]
out, (weights,) = recorded(Attention(sdpa, attn_mask=seen.repeat(2, 1, 1)), *flat)
expect(weights.shape == (2, 4, 5, 7) and near(times_v(weights, v).reshape(8, 5, 8), out), "heads in the batch [B*H, n, d]: the weights do not give the output")
out, (weights,) = recorded(Attention(sdpa), q[0, 0], k[0, 0], v[0, 0])
expect(weights.shape == (1, 1, 5, 7) and near(times_v(weights, v[:1, :1])[0, 0], out), "[n, d]: the weights do not give the output")

inputs = [x.clone().requires_grad_() for x in (q, k[:, :2], v[:, :2])]
with headlight.watch(Attention(sdpa, enable_gqa=True), "gradients", batch=2) as watch:
    watch._modules[0](*inputs).pow(2).sum().backward()
    gradients = np.load(watch.folder / f"step-{watch.step:09}.gradients.npz")["gradients.0"]
weights = (q @ k[:, :2].repeat_interleave(2, 1).transpose(-1, -2) / 8**0.5).softmax(-1).requires_grad_()
(weights @ v[:, :2].repeat_interleave(2, 1)).pow(2).sum().backward()
expect(near(gradients, weights.grad, 1e-4), "grouped heads: the gradient of the weights")

# ---- nn.MultiheadAttention and nn.TransformerEncoder, in evaluation the kernels that keep the weights
x, padding = random(3, 6, 16), torch.arange(6) >= torch.tensor([[6], [4], [5]])
hidden = torch.ones(6, 6, dtype=torch.bool).triu(1)
for batch_first in (True, False):
    for needed in (True, False):
        for training in (True, False):
            model = nn.MultiheadAttention(16, 4, batch_first=batch_first).train(training)
            for more in ({}, {"key_padding_mask": padding}, {"attn_mask": hidden}, {"key_padding_mask": padding, "attn_mask": hidden}, {"attn_mask": hidden, "is_causal": True}):
                given = x if batch_first else x.transpose(0, 1)
                plain = model(given, given, given, average_attn_weights=False, **more)[1]
                with torch.set_grad_enabled(training):
                    _, (weights,) = recorded(model, given, given, given, need_weights=needed, **more)
                expect(near(weights, plain), f"nn.MultiheadAttention batch_first={batch_first} need_weights={needed} training={training} {list(more)}")
for norm_first in (False, True):
    layer = nn.TransformerEncoderLayer(16, 4, 32, batch_first=True, norm_first=norm_first)
    model = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval()
    for more in ({}, {"src_key_padding_mask": padding}, {"mask": hidden, "is_causal": True}):
        masks = {"key_padding_mask": more.get("src_key_padding_mask"), "attn_mask": more.get("mask")}
        state, plain = x, []
        for layer in model.layers:
            into = layer.norm1(state) if norm_first else state
            plain.append(layer.self_attn(into, into, into, average_attn_weights=False, **masks)[1])
            state = layer(state, src_mask=more.get("mask"), src_key_padding_mask=more.get("src_key_padding_mask"))
        with torch.no_grad():
            _, found = recorded(model, x, **more)
        expect(len(found) == 2 and all(near(a, b) for a, b in zip(found, plain)), f"nn.TransformerEncoder norm_first={norm_first} {list(more)}")

model = nn.Transformer(16, 4, 2, 2, 32, batch_first=True, dropout=0.0)
for training in (True, False):
    with torch.set_grad_enabled(training):
        _, found = recorded(model.train(training), x, random(3, 4, 16), tgt_mask=hidden[:4, :4], tgt_is_causal=True)
    expect(sorted(each.shape[2:] for each in found) == sorted(2 * [(6, 6), (4, 4), (4, 6)]), f"nn.Transformer training={training}: {[each.shape for each in found]}")
    expect(all(np.allclose(each.sum(-1), 1, atol=1e-5) for each in found), "rows of nn.Transformer's weights that do not sum to 1")

# ---- FlexAttention, not compiled
def window(b, h, i, j):
    return (i >= j) & (i - j < 3 + h)


slopes, q, k, v = torch.tensor([1.0, 0.5, 0.25, 0.125]), random(2, 4, 128, 16), random(2, 4, 128, 16), random(2, 4, 128, 16)
block_mask = create_block_mask(window, 2, 4, 128, 128, device="cpu")
flex_cases = {
    "plain": {}, "a score_mod": {"score_mod": lambda s, b, h, i, j: s + slopes[h] * (j - i)}, "a mask": {"block_mask": block_mask},
    "both, and a scale": {"score_mod": lambda s, b, h, i, j: torch.tanh(s / 2) * 2, "block_mask": block_mask, "scale": 0.3}}
for name, more in flex_cases.items():
    with torch.no_grad():
        out, (weights,) = recorded(Attention(lambda *qkv, **more: flex_attention(*qkv, **more), **more), q, k, v)
    expect(near(times_v(weights, v), out, 1e-4), f"flex_attention, {name}: the weights do not give its output")
with torch.no_grad():
    out, (weights,) = recorded(Attention(lambda *qkv, **more: flex_attention(*qkv, **more), enable_gqa=True, return_lse=True), q, k[:, :2], v[:, :2])
expect(near(times_v(weights, v[:, :2]), out[0], 1e-4), "flex_attention of grouped heads with its sums: the weights do not give its output")


# ---- torch.compile: calls inside a compiled function are not recorded and still work
x, plain = random(2, 4, 5, 8), Attention(sdpa)
for name, model in (("whole", torch.compile(plain, backend="eager")), ("a layer", nn.Sequential(plain, torch.compile(Attention(torch.tanh), backend="eager")))):
    before = model(x, x, x) if name == "whole" else torch.tanh(plain(x, x, x))
    graphs = torch._dynamo.utils.counters["stats"]["unique_graphs"]
    if name == "a layer":
        model[0].forward = lambda x: sdpa(x, x, x)
    with headlight.watch(model, "compiled") as watch:
        for _ in range(3):
            watch._next = watch._next_look = 0
            (watch.folder / "looking").touch()
            after = model(x, x, x) if name == "whole" else model(x)
        expect(near(before, after) and "torch.compile is not seen" in repr(watch), f"a compiled model, {name}: {watch!r}")
        expect(watch.recorded == (0 if name == "whole" else 3), f"a compiled model, {name}: {watch.recorded} records")
    expect(torch._dynamo.utils.counters["stats"]["unique_graphs"] <= graphs + 1, f"a compiled model, {name}, is compiled anew while it is watched")
later = Attention(sdpa)
before = later(x, x, x)
with headlight.watch(later, "later") as watch:
    compiled = torch.compile(later, backend="eager", fullgraph=True)
    expect(near(before, compiled(x, x, x)) and watch.step == 0, f"a model that is compiled while it is watched: {watch.step} passes seen")
x = random(3, 6, 16)

# ---- check()
class Grouped(nn.Module):
    """An attention like Llama's without positions: four query heads, two key/value heads."""

    def __init__(self, repeat=False, hides=False):
        super().__init__()
        self.num_heads, self.repeat, self.hides = 4, repeat, hides
        self.q_proj, self.k_proj, self.v_proj, self.o_proj = (nn.Linear(16, n, bias=False) for n in (16, 8, 8, 16))

    def forward(self, x, attn_mask=None):
        q, k, v = (p(x).view(*x.shape[:2], -1, 4).transpose(1, 2) for p in (self.q_proj, self.k_proj, self.v_proj))
        if self.repeat:  # the wrong way round: heads 0 1 0 1 in place of 0 0 1 1
            k, v = k.repeat(1, 2, 1, 1), v.repeat(1, 2, 1, 1)
        mask = ~attn_mask if self.hides else attn_mask
        out = F.scaled_dot_product_attention(q, k, v, mask, is_causal=mask is None, enable_gqa=not self.repeat)
        return self.o_proj(out.transpose(1, 2).reshape(x.shape))


right = headlight.check(Grouped(), x, mask="causal()")
expect(right["match"] and "output" in repr(right), f"grouped heads: {right!r}")
wrong = headlight.check(Grouped(repeat=True), 3 * x, mask="causal()")
expect(not wrong["match"] and wrong["diagnosis"], f"keys' heads in another order: {wrong!r}")
for hides in (False, True):  # which way a mask is meant is what the module makes of it, and is said
    said = headlight.check(Grouped(hides=hides), x, arguments={"attn_mask": hidden if hides else ~hidden})
    expect(said["match"] and f"true = may {'not ' if hides else ''}attend" in repr(said), f"a boolean attn_mask, hides={hides}: {said!r}")
asked = headlight.check(Grouped(), x, arguments={"attn_mask": ~hidden}, mask_polarity="ignore")
expect([each["id"] for each in asked["diagnosis"]] == ["mask_inverted"], f"a mask_polarity that is set: {asked!r}")
expect(not hasattr(F.scaled_dot_product_attention, "__closure__") or F.scaled_dot_product_attention.__closure__ is None, "check() leaves the function wrapped")
for needed in (True, False):
    said = headlight.check(nn.MultiheadAttention(16, 4, batch_first=True).eval(), x, arguments={"need_weights": needed, "attn_mask": hidden})
    expect(said["match"], f"nn.MultiheadAttention's fast path, need_weights={needed}: {said!r}")

page = headlight.show(recorded(Attention(sdpa, is_causal=True), q[:1, :, :8], k[:1, :, :8], v[:1, :, :8])[1][0], list("abcdefgh"))
expect("headlight-data" in page.html, "what is recorded is no page")

print("faults:", len(faults))
sys.exit(bool(faults))
