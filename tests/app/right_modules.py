#!/usr/bin/env python3
"""headlight.check() of right modules in the styles that people write: none is accused.

    right_modules.py PROGRAM
"""
import math, sys

try:
    import torch
    from torch import nn
except ImportError:
    print("skipped: it needs PyTorch (apt-get install python3-torch)")
    sys.exit(77)
from python_checks import expect, faults, headlight

D, H = 16, 4
HEAD = D // H


class Attention(nn.Module):
    """Projections and heads; a style gives the heads' outputs [B, H, n, d_head]."""

    def __init__(self, style):
        super().__init__()
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(D, D) for _ in range(4))
        self.num_heads, self.style = H, style

    def forward(self, x):
        q, k, v = (p(x).view(*x.shape[:2], H, HEAD).transpose(1, 2) for p in (self.q_proj, self.k_proj, self.v_proj))
        return self.out_proj(self.style(q, k, v).transpose(1, 2).reshape(*x.shape[:2], D))


def scores(q, k):
    return q @ k.transpose(-1, -2) / math.sqrt(HEAD)


def einsum(q, k, v):
    return torch.einsum("bhij,bhjd->bhid", torch.einsum("bhid,bhjd->bhij", q * HEAD**-0.5, k).softmax(-1), v)


def flattened(q, k, v):
    q, k, v = (t.reshape(-1, t.shape[2], HEAD) for t in (q, k, v))
    return torch.bmm((torch.bmm(q, k.transpose(1, 2)) * HEAD**-0.5).softmax(-1), v).view(-1, H, q.shape[1], HEAD)


def online(q, k, v):
    all_scores = scores(q, k)
    top = torch.full((*all_scores.shape[:-1], 1), -math.inf)
    total, out = torch.zeros_like(top), torch.zeros_like(q)
    for i in range(0, k.shape[2], 2):
        part = all_scores[..., i:i + 2]
        now = torch.maximum(top, part.max(-1, keepdim=True).values)
        p, kept = (part - now).exp(), (top - now).exp()
        total, out, top = total * kept + p.sum(-1, keepdim=True), out * kept + p @ v[..., i:i + 2, :], now
    return out / total


def by_hand(q, k, v):
    e = (scores(q, k) - scores(q, k).amax(-1, keepdim=True)).exp()
    return e / e.sum(-1, keepdim=True) @ v


def head_by_head(q, k, v):
    return torch.stack([scores(q[:, h], k[:, h]).softmax(-1) @ v[:, h] for h in range(H)], 1)


def in_chunks(q, k, v):
    return torch.cat([scores(q[:, :, i:i + 3], k).softmax(-1) @ v for i in range(0, q.shape[2], 3)], 2)


def half(t):
    return t.half().float()


STYLES = {
    "einsum": einsum,
    "batch and heads in one axis": flattened,
    "online softmax": online,
    "exponentials by hand": by_hand,
    "head by head": head_by_head,
    "in chunks of queries": in_chunks,
    "queries and keys both scaled": lambda q, k, v: (q * HEAD**-0.25 @ (k * HEAD**-0.25).transpose(-1, -2)).softmax(-1) @ v,
    "in float64": lambda q, k, v: (scores(q.double(), k.double()).softmax(-1) @ v.double()).float(),
    "the exponential of log_softmax": lambda q, k, v: scores(q, k).log_softmax(-1).exp() @ v,
    "nn.Softmax": lambda q, k, v: nn.Softmax(dim=-1)(scores(q, k)) @ v,
    "scores in float16": lambda q, k, v: half(half(half(q) @ half(k).transpose(-1, -2)) * HEAD**-0.5).softmax(-1) @ v,
    "all in float16 but the sums": lambda q, k, v: half(half(half(half(half(q) @ half(k).transpose(-1, -2)) * HEAD**-0.5).softmax(-1)) @ half(v)),
}


def hidden_above(n):
    return torch.ones(n, n, dtype=torch.bool).triu(1)


CAUSAL = {
    "−inf added": lambda q, k, v: (scores(q, k) + torch.zeros(q.shape[2], q.shape[2]).masked_fill(hidden_above(q.shape[2]), -math.inf)).softmax(-1) @ v,
    "−1e4 filled in": lambda q, k, v: scores(q, k).masked_fill(hidden_above(q.shape[2]), -1e4).softmax(-1) @ v,
    "the least number filled in": lambda q, k, v: scores(q, k).masked_fill(hidden_above(q.shape[2]), torch.finfo(q.dtype).min).softmax(-1) @ v,
    "where": lambda q, k, v: torch.where(hidden_above(q.shape[2]), torch.tensor(-1e9), scores(q, k)).softmax(-1) @ v,
    "exponentials times the mask": lambda q, k, v: (lambda e: e / e.sum(-1, keepdim=True) @ v)(scores(q, k).exp() * ~hidden_above(q.shape[2])),
}


class Fused(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.proj, self.num_heads = nn.Linear(D, 3 * D), nn.Linear(D, D), H

    def forward(self, x):
        q, k, v = self.qkv(x).reshape(*x.shape[:2], 3, H, HEAD).permute(2, 0, 3, 1, 4)
        return self.proj((scores(q, k).softmax(-1) @ v).transpose(1, 2).reshape(x.shape))


class OneKeyHead(nn.Module):
    def __init__(self):
        super().__init__()
        self.q_proj, self.k_proj, self.v_proj, self.o_proj = (nn.Linear(D, n, bias=False) for n in (D, HEAD, HEAD, D))
        self.num_heads = H

    def forward(self, x):
        q = self.q_proj(x).view(*x.shape[:2], H, HEAD).transpose(1, 2)
        weights = scores(q, self.k_proj(x).unsqueeze(1)).softmax(-1)
        return self.o_proj((weights @ self.v_proj(x).unsqueeze(1)).transpose(1, 2).reshape(x.shape))


class WordByWord(Attention):
    """Each word by itself, with a cache of the keys and values before it."""

    def __init__(self):
        super().__init__(None)

    def forward(self, x):
        past_k = past_v = torch.zeros(len(x), H, 0, HEAD)
        outputs = []
        for word in x.split(1, 1):
            q, k, v = (p(word).view(-1, 1, H, HEAD).transpose(1, 2) for p in (self.q_proj, self.k_proj, self.v_proj))
            past_k, past_v = torch.cat((past_k, k), 2), torch.cat((past_v, v), 2)
            outputs.append((scores(q, past_k).softmax(-1) @ past_v).transpose(1, 2).reshape(-1, 1, D))
        return self.out_proj(torch.cat(outputs, 1))


def is_right(module, x, what, **settings):
    said = headlight.check(module.eval(), x, **settings)
    accused = [each["id"] for each in said["diagnosis"] if not each.get("harmless")]
    expect(said["match"] is True and not accused, f"{what}: {said}")


def main():
    torch.manual_seed(0)
    x = torch.randn(2, 7, D)
    for name, style in STYLES.items():
        is_right(Attention(style), x, name)
    for name, style in CAUSAL.items():
        is_right(Attention(style), x, f"causal, {name}", mask="causal()")
    is_right(Fused(), x, "one projection for Q, K and V")
    is_right(OneKeyHead(), x, "one head of keys")
    is_right(nn.MultiheadAttention(D, H), x.transpose(0, 1), "the sequence first")
    for options in (dict(add_zero_attn=True), dict(add_bias_kv=True), dict(add_zero_attn=True, add_bias_kv=True)):
        is_right(nn.MultiheadAttention(D, H, batch_first=True, **options), x, f"keys that no input has, {options}")
    is_right(WordByWord(), x, "a cache, word by word", mask="causal()")
    with torch.autocast("cpu", dtype=torch.bfloat16):
        is_right(Attention(by_hand), x, "autocast")
    is_right(Attention(einsum).bfloat16(), x.bfloat16(), "a module in bfloat16")
    print(f"{len(STYLES) + len(CAUSAL) + 9} right modules, {len(faults)} accused")
    return bool(faults)


sys.exit(main())
