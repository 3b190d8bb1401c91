"""Random scenarios of all variants, as files like those that users write."""
import dataclasses
import json
import math
import random
from typing import Any, Dict, Optional

import numpy as np

# Settings that no scenario here has, and where their numbers are tested. Every other one is drawn.
NOT_DRAWN = {
    "names what is read, and changes no step": "file layer names axes weight_order image text text_as_input tokenizer x $schema version view",
    "of the tokens' names, or of a network": "tokens key_tokens merge knock_out",
    "no number depends on it": "threads",
    "changes the input, from which PyTorch starts": "positions weight_gain edits",
    "of masks: tests/app/mask_patterns.py": "mask_file mask_polarity grid painted",
    "tests/core/mask/documents_test.cpp": "doc_ids",
    "drawn as the file's bias": "attn_bias",
}


@dataclasses.dataclass
class Case:
    settings: Dict[str, Any]  # the scenario file
    heads: int
    kv_heads: int
    arrays: Dict[str, Any]  # the tensor file, empty where the inputs are seeded
    mask: Optional[Any] = None  # boolean, true = may attend, broadcastable to [B, H, n_q, n_k]
    fill: float = -math.inf
    bias: Optional[Any] = None  # additive, broadcastable to [B, H, n_q, n_k]

    def write(self, folder):
        if self.arrays:
            np.savez(folder / "tensors.npz", **self.arrays)
            self.settings["file"] = str(folder / "tensors.npz")
        (folder / "scenario.json").write_text(json.dumps(self.settings))


@dataclasses.dataclass
class Sizes:
    batch: int
    heads: int
    kv_heads: int
    n_q: int
    n_k: int
    d_head: int
    cross: bool


def draw_sizes(rng):
    heads = rng.choice([1, 2, 3, 4, 6, 8])
    kv_heads = rng.choice([g for g in range(1, heads + 1) if heads % g == 0])
    n_q = rng.randint(1, 12)
    cross = rng.random() < 0.5
    n_k = rng.randint(1, 12) if cross else n_q
    return Sizes(rng.randint(1, 3), heads, kv_heads, n_q, n_k, 2 * rng.randint(1, 8), cross)


def masks(rng, z, lengths):
    """A random mask expression, and its mask [B, H, n_q, n_k]."""
    b, h, q, k = np.ogrid[: z.batch, : z.heads, : z.n_q, : z.n_k]
    w, n = rng.randint(1, 5), rng.randint(0, z.n_k)
    causal = k <= q
    table = [
        ("causal()", causal),
        ("causal_bottom_right()", k <= q + z.n_k - z.n_q),
        (f"causal() && window({w})", causal & (abs(q - k) < w)),
        (f"window_inclusive({w}) || global(1)", (abs(q - k) <= w) | (q < 1) | (k < 1)),
        (f"causal() && (window({w}) || sink(1))", causal & ((abs(q - k) < w) | (k < 1))),
        (f"k < {n}", (k < n) & (q >= 0)),
        ("not_self()", k != q),
        ("h < 1 ? causal() : full()", np.where(h < 1, causal, q + k >= 0)),
        (f"chunked({w})", q // w == k // w),
        ("b == 0 || (q + k) % 2 == 0", (b == 0) | ((q + k) % 2 == 0)),
    ]
    if lengths is not None:
        per_query = lengths if len(lengths[0]) == z.n_q else [row * z.n_q for row in lengths]
        padding = k < np.array(per_query)[:, None, :, None]
        table += [("padding()", padding), ("causal() && padding()", causal & padding)] * 3
    return rng.choice(table)


def draw_mask(rng, z, case, file_source):
    s, kind = case.settings, rng.choice(["none", "expression", "expression", "lengths", "file"])
    lengths = None
    if kind == "lengths" or rng.random() < 0.3:
        width = rng.choice([1, z.n_q])
        lengths = [[rng.randint(0, z.n_k) for _ in range(width)] for _ in range(z.batch)]
        s["valid_lens"] = lengths
        per_query = [row * z.n_q if width == 1 else row for row in lengths]
        case.mask = np.arange(z.n_k) < np.array(per_query)[:, None, :, None]
    if kind == "file" and file_source:
        mask = np.random.default_rng(rng.getrandbits(32)).random((z.batch, z.heads, z.n_q, z.n_k)) < 0.7
        if rng.random() < 0.5:
            mask = mask[:, :1]
        case.arrays["mask"] = mask
        case.mask = mask if case.mask is None else mask & case.mask
    if kind == "expression":
        s["mask"], case.mask = masks(rng, z, lengths)
    if rng.random() < 0.5:
        s["fill"] = case.fill = rng.choice([-1e9, -1e6, -100.0])
    if rng.random() < 0.3:
        s["mask_mode"] = "add"
    if rng.random() < 0.4:
        s["dead_row"] = rng.choice(["nan", "uniform", "zero"])


def draw_scores(rng, z, s):
    maybe = {
        "scale": lambda: rng.uniform(0.05, 1), "softcap": lambda: rng.uniform(0.5, 5),
        "qk_norm": lambda: rng.choice(["rms", "l2", "layer"]), "rope": lambda: rng.choice(["half", "interleaved"]),
        "alibi": lambda: True, "alibi_symmetric": lambda: True, "t5_bias": lambda: True, "sink_logit": lambda: True,
    }
    for name, value in maybe.items():
        if rng.random() < 0.3:
            s[name] = value()
    if "rope" in s and rng.random() < 0.5:
        s["rope_base"] = rng.choice([100.0, 500000.0])
    if "rope" in s and rng.random() < 0.3:
        s["rotary_dim"] = 2 * rng.randint(1, z.d_head // 2)
    if rng.random() < 0.2:
        s["query_offset"] = rng.randint(0, 9)
    if "t5_bias" in s:
        s["t5_bidirectional"] = rng.random() < 0.5
    if rng.random() < 0.4:
        s.update(dropout=rng.choice([0.1, 0.5, 0.9]), training=rng.random() < 0.8, dropout_seed=rng.randint(0, 1000))
    if rng.random() < 0.3:
        s["scale_first"] = True


def draw_file(rng, z, case):
    """Tensors under the names of a state dict. In cross-attention all widths differ."""
    g = np.random.default_rng(rng.getrandbits(32))
    d = z.heads * z.d_head
    widths = [rng.randint(1, 24) for _ in range(3)] if z.cross else [rng.randint(1, 24)] * 3
    case.settings["source"] = "file"
    inputs = dict(zip(["query", "key", "value"], widths)) if z.cross else {"x": widths[0]}
    for name, width in inputs.items():
        n = z.n_k if name in ("key", "value") else z.n_q
        case.arrays[name] = g.standard_normal((z.batch, n, width)).astype(np.float32)
    linears = dict(zip("qkv", widths))
    outs = dict(q=d, k=z.kv_heads * z.d_head, v=z.kv_heads * z.d_head, o=rng.choice([d, rng.randint(1, 24)]))
    if rng.random() < 0.7:
        linears["o"] = d
    has_bias = rng.random() < 0.6
    for letter, width in linears.items():
        bound = width ** -0.5
        case.arrays[f"{letter}_proj.weight"] = g.uniform(-bound, bound, (outs[letter], width)).astype(np.float32)
        if has_bias:
            case.arrays[f"{letter}_proj.bias"] = g.uniform(-bound, bound, outs[letter]).astype(np.float32)
    case.arrays["num_heads"] = z.heads
    if z.kv_heads != z.heads:
        case.arrays["num_kv_heads"] = z.kv_heads
    if rng.random() < 0.4:
        shape = (z.batch if rng.random() < 0.5 else 1, z.heads, z.n_q, z.n_k)
        case.bias = case.arrays["attn_bias"] = g.standard_normal(shape).astype(np.float32)


def draw_random(rng, z, case):
    d = z.heads * z.d_head
    case.settings.update(source="random", seed=rng.getrandbits(32), batch_size=z.batch, queries=z.n_q, keys=z.n_k,
                         d_model=d, heads=z.heads, kv_heads=z.kv_heads)
    if z.cross:
        case.settings.update(d_query=rng.randint(1, 24), d_key=rng.randint(1, 24), d_value=rng.randint(1, 24))
    elif rng.random() < 0.3:
        case.settings["packed"] = True
    for name in ("bias", "output_projection"):
        if rng.random() < 0.5:
            case.settings[name] = rng.random() < 0.5
    if case.settings.get("output_projection", True) and rng.random() < 0.5:
        case.settings["d_out"] = rng.randint(1, 24)


def draw(rng):
    z = draw_sizes(rng)
    case = Case({}, z.heads, z.kv_heads, {})
    file_source = rng.random() < 0.5
    (draw_file if file_source else draw_random)(rng, z, case)
    draw_scores(rng, z, case.settings)
    draw_mask(rng, z, case, file_source)
    return case


def not_drawn(schema):
    """What is wrong with the settings that are drawn, or said not to be."""
    rng, drawn = random.Random(0), set()
    for _ in range(1000):
        drawn |= draw(rng).settings.keys()
    named = {name for names in NOT_DRAWN.values() for name in names.split()}
    return [f"{name}: no scenario has it; draw it in scenarios.py or name it in NOT_DRAWN there" for name in schema if name not in drawn | named] + [
        f"{name} of NOT_DRAWN in scenarios.py is {'drawn' if name in drawn else 'no setting'}" for name in sorted(named) if name in drawn or name not in schema]  # fmt: skip
