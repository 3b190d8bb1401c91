"""Settings drawn at random, and every kind of mistake with what it needs and the ids that name it."""
import numpy as np

from drawn_attention import mask_of, need, softmax


def settings(rng, **wanted):
    """Sizes, rules and parameters. `wanted` has what a mistake needs."""
    H = wanted.get("H") or int(rng.choice([1, 2, 3, 4, 6]))
    G = H if rng.random() < 0.75 else int(rng.choice([g for g in range(1, H + 1) if H % g == 0]))
    c = dict(B=int(rng.integers(1, 4)), H=H, G=G, d=int(rng.choice([4, 6, 8])), n_q=int(rng.integers(4, 10)), causal="", window=0,
             lengths=None, file_mask=None, alibi=False, attn_bias=None, cap=0, norm="", rope="", base=10000.0, offset=0, scale=0, fill=-np.inf,
             t5=0, t5_both=True, learned=False, norm_whole=False, before=None)
    c["n_k"] = c["n_q"]
    if rng.random() < 0.15:
        c["n_k"] += int(rng.integers(1, 5))
    if rng.random() < 0.1:
        c["B"] = c["n_q"]
    c.update({name: wanted[name] for name in ("B", "n_q", "n_k") if name in wanted})
    if "n_q" in wanted and "n_k" not in wanted:
        c["n_k"] = c["n_q"]
    if rng.random() < 0.35:
        c["rope"] = str(rng.choice(["half", "interleaved"]))
        c["base"] = float(rng.choice([10000, 10000, 500000, 1000]))
    elif rng.random() < 0.35:
        c["alibi"] = True
    elif rng.random() < 0.2:
        c["attn_bias"] = rng.normal(size=(1, H, c["n_q"], c["n_k"]))
    elif rng.random() < 0.25:
        c["t5"], c["t5_both"] = int(rng.choice([8, 32])), bool(rng.integers(2))
    if rng.random() < 0.15:
        c["cap"] = float(rng.choice([2, 5, 30]))
    if rng.random() < 0.15:
        c["norm"] = str(rng.choice(["rms", "layer", "l2"]))
        c["learned"], c["norm_whole"] = c["norm"] != "l2" and rng.random() < 0.5, rng.random() < 0.2
    if rng.random() < 0.1:
        c["scale"] = float(rng.choice([0.25, 1.5]))
    draw = rng.random()
    if draw < 0.35:
        c["causal"] = "top" if c["n_q"] == c["n_k"] else str(rng.choice(["top", "bottom"]))
    elif draw < 0.5:
        c["causal"], c["window"] = "top" if c["n_q"] == c["n_k"] else "", int(rng.integers(2, 4))
    elif draw < 0.65:
        c["lengths"] = [int(i) for i in rng.integers(2, c["n_k"] + 1, c["B"])]
    elif draw < 0.72:
        c["causal"], c["lengths"] = "top", [int(i) for i in rng.integers(2, c["n_k"] + 1, c["B"])]
    elif draw < 0.8:
        mask = rng.random((c["B"], int(rng.choice([1, H])), c["n_q"], c["n_k"])) < 0.6
        mask[..., 0] = True
        c["file_mask"] = mask
    c.update({name: value for name, value in wanted.items() if name != "H"})
    if c["n_q"] != c["n_k"] and c["causal"] == "":
        c["window"] = 0 if "window" not in wanted else c["window"]
    if c["alibi"] or wanted.get("t5"):
        c["attn_bias"] = None
    if c["alibi"] or c["attn_bias"] is not None or (c["rope"] and not wanted.get("t5")):
        c["t5"] = 0
    c["learned"] = c["learned"] and c["norm"] in ("rms", "layer")
    c["norm_whole"] = c["norm_whole"] and c["learned"] and c["G"] > 1
    c["turned"] = c["d"] if rng.random() < 0.8 or c["d"] < 6 else c["d"] - 2
    if rng.random() < 0.1 and c["rope"]:
        c["offset"] = int(rng.integers(1, 4))
    if mask_of(c) is not None and rng.random() < 0.25:
        c["fill"] = float(rng.choice([-1e9, -1e4]))
    D, d_in, kv = c["H"] * c["d"], int(rng.choice([c["H"] * c["d"], c["H"] * c["d"] + 5])), c["G"] * c["d"]
    if wanted.get("square"):
        d_in = D
    p = {"query": rng.normal(size=(c["B"], c["n_q"], d_in))}
    p["key"] = p["query"] if c["n_q"] == c["n_k"] and rng.random() < 0.8 and not wanted.get("cross") else rng.normal(size=(c["B"], c["n_k"], d_in))
    gain = float(rng.choice([1.0, 1.8]))
    for i, shape in {"q": (D, d_in), "k": (kv, d_in), "v": (kv, d_in), "o": (D, D)}.items():
        p["W" + i] = rng.uniform(-1, 1, shape) * gain * 1.7 / shape[1] ** 0.5
    if rng.random() < 0.7 or wanted.get("bias"):
        for i, size in {"q": D, "k": kv, "v": kv, "o": D}.items():
            p["b" + i] = rng.normal(size=size) * 0.5
    if rng.random() < 0.1 and not wanted.get("bias") and not wanted.get("W_o"):
        p["Wo"], p["bo"] = None, None
    p |= parameters_of_norms(rng, c)
    if c["t5"]:
        p["t5"] = rng.normal(size=(c["t5"], c["H"]))
    same = p["key"] is p["query"]
    c["parameters"] = {name: None if v is None else np.asarray(v, np.float32).astype(float) for name, v in p.items()}
    if same:
        c["parameters"]["key"] = c["parameters"]["query"]
    if c["attn_bias"] is not None:
        c["attn_bias"] = np.asarray(c["attn_bias"], np.float32).astype(float)
    return c


def parameters_of_norms(rng, c):
    p = {}
    for which, heads in (("q", c["H"]), ("k", c["G"])) if c["learned"] else ():
        width = heads * c["d"] if c["norm_whole"] else c["d"]
        p[which + "_norm"] = rng.uniform(0.4, 1.8, width)
        if c["norm"] == "layer":
            p[which + "_norm_bias"] = rng.normal(size=width) * 0.4
    return p


def square(c):
    return c["n_q"] == c["n_k"]


def no_mask(rng):
    return dict(causal="", window=0, lengths=None, file_mask=None)


def padded(rng, **more):
    return dict(causal=str(rng.choice(["", "top"])), window=0, file_mask=None, B=int(rng.integers(2, 4)), **more)


def lengths_for(rng, c):
    c["lengths"] = [int(i) for i in rng.choice(np.arange(2, c["n_k"] + 1), c["B"], replace=c["B"] > c["n_k"] - 1)]


WINDOW = dict(causal="top", window=3, lengths=None, file_mask=None)
ROPE = lambda rng: dict(rope=str(rng.choice(["half", "interleaved"])), alibi=False, attn_bias=None)
T5 = lambda rng: dict(t5=int(rng.choice([8, 8, 32])), t5_both=bool(rng.integers(2)), alibi=False, rope="", attn_bias=None)
LEARNED = lambda rng: dict(norm=str(rng.choice(["rms", "layer"])), learned=True, norm_whole=False)
PLAIN = dict(file_mask=None, attn_bias=None, alibi=False, t5=0, learned=False, norm_whole=False)


def powers(x):
    return np.exp(x - x.max(-1, keepdims=True))


SOFTMAXES = [lambda x: np.log(softmax(x)), powers, lambda x: powers(x) / (1 + powers(x).sum(-1, keepdims=True)),
             lambda x: np.exp(x) / (1 + np.exp(x).sum(-1, keepdims=True)), lambda x: (x == x.max(-1, keepdims=True)) * 1.0,
             lambda x: softmax(x) / softmax(x).sum(2, keepdims=True)]


def in_chunks(x, size, each):
    """Exponentials less the highest score of each chunk of keys, divided by the chunk's sum or by the row's."""
    parts = [powers(x[..., i:i + size]) for i in range(0, x.shape[-1], size)]
    if each:
        return np.concatenate([part / part.sum(-1, keepdims=True) for part in parts], -1)
    return np.concatenate(parts, -1) / sum(part.sum(-1, keepdims=True) for part in parts)


CHANGES = [np.negative, np.abs, np.tanh, np.square, lambda x: 1 / (1 + np.exp(-x)), np.zeros_like]
QUERIES = [lambda q: np.repeat(q[:, :, -1:], q.shape[2], 2), lambda q: np.repeat(q[:, :, :1], q.shape[2], 2), lambda q: np.roll(q, 1, 2),
           lambda q: np.roll(q, -1, 2), lambda q: q[:, :, ::-1], lambda q: np.repeat(q.mean(2, keepdims=True), q.shape[2], 2)]
SEQUENCES = [lambda x: np.repeat(x[:1], len(x), 0), lambda x: np.repeat(x[-1:], len(x), 0), lambda x: np.roll(x, 1, 0), lambda x: np.roll(x, -1, 0),
             lambda x: x[::-1]]


def other_heads(rng, c):
    """A number of heads that the width can have, with an even number of channels for RoPE."""
    need(c["G"] == c["H"] and c["turned"] == c["d"])
    width = c["H"] * c["d"]
    others = [h for h in range(1, width // 2 + 1) if width % (h * (2 if c["rope"] else 1)) == 0 and h != c["H"]]
    return dict(kind="heads_off", H=int(rng.choice(others)))


CACHE = dict(n_k=9, causal="", window=0, lengths=None, file_mask=None)
BIASES = [lambda b: b.swapaxes(2, 3), lambda b: -b, lambda b: 2 * b, lambda b: np.roll(b, 1, 1), lambda b: b[:, ::-1], lambda b: np.repeat(b[:, :1], b.shape[1], 1), lambda b: np.repeat(b.mean(1, keepdims=True), b.shape[1], 1),
          lambda b: b.transpose(0, 2, 3, 1).reshape(b.shape)]
def online(x, size, sums, outputs):
    """An online softmax over chunks of keys in which the sums or the outputs are not rescaled when the highest score changes."""
    tops = np.maximum.accumulate(x, -1)[..., [min(i + size, x.shape[-1]) - 1 for i in range(0, x.shape[-1], size) for _ in range(min(size, x.shape[-1] - i))]]
    last = x.max(-1, keepdims=True)
    return np.exp(x - (last if outputs else tops)) / np.exp(x - (last if sums else tops)).sum(-1, keepdims=True)


def by_length(e):
    return e / np.sqrt((e * e).sum(-1, keepdims=True))


OTHER_FORMULAS = [lambda x: by_length(np.exp(x)), lambda x: (x - x.min(-1, keepdims=True)) / (x.max(-1, keepdims=True) - x.min(-1, keepdims=True)),
                  lambda x: np.maximum(x, 0) ** 2, lambda x: np.exp(x) / (np.exp(x).sum(-1, keepdims=True) + 0.1),
                  lambda x: np.exp(x) / np.exp(x).sum((1, 3), keepdims=True)]


def zeroed(x, head):
    y = x.copy()
    y[:, head] = 0
    return y


def first_columns(x, p, c):
    heads, W, b = p["stages"]["head_outputs"], p["W"]["o"], p["b"]["o"]
    return heads.sum(1) @ W[:, :c["d"]].T + (0 if b is None else b)


def shifted(x):
    return np.concatenate([np.zeros_like(x[:, :1]), x[:, :-1]], 1)


SHIFTS = [shifted, lambda x: np.roll(x, 1, 1), lambda x: np.roll(x, -1, 1), lambda x: x[:, ::-1]]
AROUND_W_O = [lambda y, p: y + p["stages"]["concat"], lambda y, p: p["stages"]["concat"] + np.maximum(y, 0),
              lambda y, p: y + p["x_q"] @ p["W"]["o"].T, lambda y, p: p["x_q"] - y, lambda y, p: (y + p["x_q"]) / 2 ** 0.5]


def change(stages, how, **more):
    return dict(kind="changed", stages=stages, how=how, **more)


FORMULAS = [lambda x: x / (x**2).mean(-1, keepdims=True), lambda x: x / np.abs(x).mean(-1, keepdims=True), lambda x: x / (x**2).sum(-1, keepdims=True),
            lambda x: (x - x.mean(-1, keepdims=True)) / x.std(-1, ddof=1, keepdims=True)]


def zeros_like(x, count):
    return np.zeros((*x.shape[:2], count, x.shape[3]))


def unwritten(rng, c):
    """Places of a cache that hold zeros: of the new keys, or the first or last one, where all others moved by one."""
    n = c["n_q"]
    return [lambda x: np.concatenate([x[:, :, :-n], zeros_like(x, n)], 2), lambda x: np.concatenate([zeros_like(x, 1), x[:, :, :-1]], 2),
            lambda x: np.concatenate([x[:, :, 1:], zeros_like(x, 1)], 2)][rng.integers(3)]


DISTANCES = [lambda x: -(x**2).sum(-1), lambda x: -np.sqrt((x**2).sum(-1)), lambda x: -(x**2).sum(-1) / 2, lambda x: -np.abs(x).sum(-1)]
FEATURES = [lambda x: np.where(x > 0, x + 1, np.exp(x)), lambda x: np.maximum(x, 0)]
BLOCK = lambda rng: dict(architecture=str(rng.choice(["gpt2", "llama"])))
# kind: (settings that it needs, the mistake, ids that name it)
KINDS = {
    "rope missing": (ROPE, lambda r, c: dict(kind="rope_missing", which=r.choice(["qk", "q", "k"])), ["step_missing"]),
    "alibi missing": (lambda r: dict(alibi=True, rope=""), lambda r, c: dict(kind="step_missing", step="biased"), ["step_missing"]),
    "bias missing from scores": (lambda r: dict(alibi=False, attn_bias=r.normal(size=(1, 1, 6, 6)), n_q=6, n_k=6), lambda r, c: dict(kind="step_missing", step="biased"), ["step_missing"]),
    "t5 missing": (T5, lambda r, c: dict(kind="step_missing", step="biased"), ["step_missing"]),
    "cap missing": (lambda r: dict(cap=float(r.choice([1, 2, 3]))), lambda r, c: dict(kind="step_missing", step="capped"), ["step_missing"]),
    "norm missing": (lambda r: dict(norm=str(r.choice(["rms", "layer", "l2"]))), lambda r, c: dict(kind="norm_missing", which=r.choice(["qk", "q", "k"])), ["step_missing"]),
    "window missing": (lambda r: WINDOW, lambda r, c: dict(kind="mask", mask=dict(window=0)), ["step_missing"]),
    "rope base": (ROPE, lambda r, c: dict(kind="rope_base", base=float(r.choice([100, 1000, 50000, 500000, 1e6, 10000]))), ["wrong_parameter"]),
    "rope base of one": (ROPE, lambda r, c: dict(kind="rope_base", which=r.choice(["q", "k"]), base=float(r.choice([100, 1000, 50000, 500000, 1e6, 10000]))), ["wrong_parameter"]),
    "rope position": (ROPE, lambda r, c: dict(kind="rope_position", which=r.choice(["q", "k"]), by=int(r.choice([1, 2, -1, 5]))), ["wrong_parameter"]),
    "rope at one position": (ROPE, lambda r, c: dict(kind="rope_one_position", which=r.choice(["q", "k"])), ["wrong_parameter"]),
    "rope pairing": (ROPE, lambda r, c: dict(kind="rope_pairing"), ["rope_pairing"]),
    "rope share": (lambda r: dict(ROPE(r), d=8), lambda r, c: dict(kind="rope_share", turned=int(r.choice([2, 4, 6, 8]))), ["wrong_parameter"]),
    "rope sign": (ROPE, lambda r, c: dict(kind="rope_sign", which=r.choice(["qk", "q", "k"])), ["wrong_parameter"]),
    "alibi slopes": (lambda r: dict(alibi=True, rope="", H=int(r.choice([3, 6]))), lambda r, c: dict(kind="alibi_slopes", slopes=2 ** (-8 * np.arange(1, c["H"] + 1) / c["H"])), ["wrong_parameter"]),
    "alibi slopes from 0": (lambda r: dict(alibi=True, rope="", H=int(r.choice([2, 4, 8]))), lambda r, c: dict(kind="alibi_slopes", slopes=2 ** (-8 * np.arange(c["H"]) / c["H"])), ["wrong_parameter"]),
    "alibi sign": (lambda r: dict(alibi=True, rope=""), lambda r, c: dict(kind="alibi_sign"), ["wrong_parameter"]),
    "alibi symmetric": (lambda r: dict(alibi=True, rope="", **no_mask(r)), lambda r, c: dict(kind="alibi_symmetric"), ["wrong_parameter"]),
    "t5 one way": (T5, lambda r, c: dict(kind="t5", rule=dict(both=not c["t5_both"])), ["wrong_parameter"]),
    "t5 symmetric": (lambda r: dict(T5(r), t5_both=True), lambda r, c: dict(kind="t5", rule=dict(symmetric=True)), ["wrong_parameter"]),
    "t5 sign": (T5, lambda r, c: dict(kind="t5", rule=dict(sign=-1)), ["wrong_parameter"]),
    "t5 distance": (lambda r: dict(T5(r), t5=8), lambda r, c: dict(kind="t5", rule=dict(furthest=int(r.choice([16, 20, 32])))), ["wrong_parameter"]),
    "t5 laid out": (T5, lambda r, c: (need(c["H"] > 1), dict(kind="t5", rule=dict(laid_out=True)))[1], ["wrong_parameter"]),
    "cap value": (lambda r: dict(cap=float(r.choice([1, 2, 3]))), lambda r, c: dict(kind="cap", cap=float(r.choice([1.5, 5, 30, 50]))), ["wrong_parameter"]),
    "scale twice": (lambda r: dict(scale=0), lambda r, c: dict(kind="scale_twice"), ["wrong_parameter"]),
    "scale of some number": (lambda r: {}, lambda r, c: dict(kind="scale_factor", factor=float(r.choice([0.5, 2, 1.3]))), ["constant_factor", "wrong_parameter", "no_scale", "scale_multiplied", "scale_by_d_model", "scale_without_root"]),
    "scale of another width": (lambda r: dict(scale=0), lambda r, c: (lambda width: (need(width > 1), dict(kind="scale_factor", factor=(c["d"] / width) ** 0.5))[1])(int(r.choice([c["n_k"], c["H"], c["d"] // 2, 2 * c["d"]]))), ["wrong_parameter", "scale_by_d_model", "constant_factor", "no_scale"]),
    "heads off": (lambda r: dict(PLAIN, scale=0, H=int(r.choice([2, 3, 4, 6]))), other_heads, ["wrong_parameter"]),
    "window width": (lambda r: WINDOW, lambda r, c: dict(kind="mask", mask=dict(window=int(r.choice([2, 4, 5])))), ["wrong_parameter"]),
    "window's other end": (lambda r: dict(WINDOW, causal="", n_q=7, n_k=7), lambda r, c: dict(kind="mask", mask=dict(one_end=True)), ["wrong_parameter", "mask_wrong", "step_missing"]),
    "first group for all": (lambda r: dict(H=4, G=2), lambda r, c: dict(kind="first_group"), ["wrong_parameter"]),
    "group tiled": (lambda r: dict(H=4, G=2), lambda r, c: dict(kind="gqa_tiled"), ["gqa_tiled"]),
    "norm epsilon": (lambda r: dict(norm="rms"), lambda r, c: dict(kind="epsilon", epsilon=float(r.choice([1e-2, 1e-3]))), ["wrong_parameter"]),
    "norm kind": (lambda r: dict(norm="rms"), lambda r, c: dict(kind="norm_kind", norm=r.choice(["layer", "l2"])), ["wrong_parameter"]),
    "learned norm missing": (LEARNED, lambda r, c: dict(kind="norm_missing", which=r.choice(["qk", "q", "k"])), ["step_missing"]),
    "learned norm's weights missing": (LEARNED, lambda r, c: dict(kind="norm_weights", how="missing", which=r.choice(["qk", "q", "k"])), ["wrong_parameter"]),
    "learned norm of the other": (LEARNED, lambda r, c: (lambda one: dict(kind="norm_weights", how="other", **{"from": one}))(str(r.choice(["q", "k"]))), ["wrong_parameter"]),
    "learned norm plus one": (LEARNED, lambda r, c: dict(kind="norm_weights", how="plus one"), ["wrong_parameter"]),
    "learned norm's kind": (LEARNED, lambda r, c: dict(kind="norm_kind", norm="layer" if c["norm"] == "rms" else "rms"), ["wrong_parameter"]),
    "learned norm's epsilon": (LEARNED, lambda r, c: dict(kind="epsilon", epsilon=float(r.choice([1e-2, 1e-3, 0.1]))), ["wrong_parameter"]),
    "learned norm's axis": (LEARNED, lambda r, c: dict(kind="norm_axis", axis=int(r.choice([1, 2]))), ["wrong_parameter"]),
    "norm over the whole width": (lambda r: dict(norm=str(r.choice(["rms", "layer"])), learned=False, H=int(r.choice([2, 3, 4]))), lambda r, c: dict(kind="norm_whole"), ["wrong_parameter"]),
    "learned norm over each head": (lambda r: dict(LEARNED(r), norm_whole=True, H=int(r.choice([2, 3, 4]))), lambda r, c: (need(c["norm_whole"]), dict(kind="norm_whole"))[1], ["wrong_parameter"]),
    "norm axis": (lambda r: dict(norm="rms"), lambda r, c: dict(kind="norm_axis", axis=int(r.choice([1, 2]))), ["wrong_parameter"]),
    "cap after mask": (lambda r: dict(cap=2.0, causal="top"), lambda r, c: dict(kind="wrong_order", steps=("scaled", "biased", "masked", "capped") if not (c["alibi"] or c["attn_bias"] is not None) else need(False)), ["wrong_order"]),
    "cap before scale": (lambda r: dict(cap=2.0), lambda r, c: dict(kind="wrong_order", steps=("capped", "scaled", "biased", "masked")), ["wrong_order"]),
    "bias before scale": (lambda r: dict(alibi=True, rope="", cap=0), lambda r, c: dict(kind="wrong_order", steps=("biased", "scaled", "capped", "masked")), ["wrong_order"]),
    "bias before cap": (lambda r: dict(alibi=True, rope="", cap=2.0), lambda r, c: dict(kind="wrong_order", steps=("scaled", "biased", "capped", "masked")), ["wrong_order"]),
    "norm after rope": (lambda r: dict(ROPE(r), norm="layer"), lambda r, c: dict(kind="norm_after_rope"), ["wrong_order"]),
    "mask of some cells": (lambda r: dict(causal="top"), lambda r, c: dict(kind="mask", cells=r.random((c["n_q"], c["n_k"])) < 0.15), ["mask_wrong"]),
    "mask two too far": (lambda r: dict(no_mask(r), causal="top", n_q=7, n_k=7), lambda r, c: dict(kind="mask", mask=dict(shift=int(r.choice([2, 3])))), ["mask_wrong"]),
    "padding of another": (padded, lambda r, c: (lengths_for(r, c), dict(kind="mask_rearranged", how=lambda m: np.roll(m, 1, 0)))[1], ["mask_of_other_sequence"]),
    "padding tiled": (lambda r: padded(r, H=int(r.choice([3, 4]))), lambda r, c: (lengths_for(r, c), dict(kind="mask_rearranged", how=lambda m: np.tile(m[:, 0], (c["H"], 1, 1)).reshape(m.shape)))[1], ["mask_of_other_sequence"]),
    "padding one off": (padded, lambda r, c: (lengths_for(r, c), dict(kind="mask", mask=dict(lengths=[max(1, i - 1) for i in c["lengths"]])))[1], ["mask_wrong"]),
    "padding on the left": (lambda r: padded(r), lambda r, c: (lengths_for(r, c), need(not c["causal"]), dict(kind="mask_rearranged", how=lambda m: m[..., ::-1]))[2], ["mask_wrong"]),
    "padding on queries": (lambda r: padded(r, n_q=6, n_k=6), lambda r, c: (lengths_for(r, c), need(not c["causal"]), dict(kind="mask_rearranged", how=lambda m: m.swapaxes(2, 3)))[2], ["padding_on_queries", "mask_transposed"]),
    "padding forgotten": (lambda r: dict(padded(r), causal="top"), lambda r, c: (lengths_for(r, c), dict(kind="mask", mask=dict(lengths=None)))[1], ["mask_wrong"]),
    "causal forgotten": (lambda r: dict(padded(r), causal="top"), lambda r, c: (lengths_for(r, c), dict(kind="mask", mask=dict(causal="")))[1], ["mask_wrong"]),
    "mask of another head": (lambda r: dict(no_mask(r), H=3, B=2, n_q=6, n_k=6, file_mask=r.random((2, 3, 6, 6)) < 0.7), lambda r, c: dict(kind="mask_rearranged", how=lambda m: np.roll(m, 1, 1)), ["mask_wrong", "mask_of_other_sequence"]),
    "mask added": (lambda r: dict(causal="top"), lambda r, c: dict(kind="mask_added", what=r.choice(["true", "false"])), ["mask_added"]),
    "mask multiplied": (lambda r: dict(causal="top"), lambda r, c: dict(kind="mask_multiplied", fill=float(r.choice([-1e9, -np.inf]))), ["mask_added"]),
    "mask transposed": (lambda r: dict(no_mask(r), causal="top", n_q=6, n_k=6), lambda r, c: dict(kind="mask_rearranged", how=lambda m: m.swapaxes(2, 3)), ["mask_transposed"]),
    "sees next": (lambda r: dict(no_mask(r), causal="top"), lambda r, c: dict(kind="mask", mask=dict(shift=1)), ["causal_sees_next"]),
    "excludes self": (lambda r: dict(no_mask(r), causal="top"), lambda r, c: dict(kind="mask", mask=dict(shift=-1)), ["causal_excludes_self"]),
    "wrong corner": (lambda r: dict(no_mask(r), causal="bottom", n_q=5, n_k=8), lambda r, c: dict(kind="mask", mask=dict(causal="top")), ["causal_wrong_corner"]),
    "mask inverted": (lambda r: dict(causal="top"), lambda r, c: dict(kind="mask_rearranged", how=np.logical_not), ["mask_inverted"]),
    "mask ignored": (lambda r: dict(causal="top"), lambda r, c: dict(kind="mask_ignored"), ["mask_ignored"]),
    "mask after softmax": (lambda r: dict(causal="top"), lambda r, c: dict(kind="mask_after_softmax"), ["mask_after_softmax"]),
    "finite fill": (lambda r: dict(causal="top"), lambda r, c: dict(kind="mask_finite_fill", fill=float(r.choice([1e-9, -9, 0, -3]))), ["mask_finite_fill"]),
    "batch attended": (lambda r: dict(B=int(r.choice([2, 3, 6])), n_q=6, n_k=6, **no_mask(r)), lambda r, c: (need(not c["alibi"] and c["attn_bias"] is None and not c["t5"]), dict(kind="attention_over_batch"))[1], ["attention_over_batch"]),
    "heads attended": (lambda r: dict(no_mask(r), alibi=False, attn_bias=None, t5=0, H=int(r.choice([2, 4, 6]))), lambda r, c: (need(square(c)), dict(kind="attention_over_heads"))[1], ["attention_over_batch"]),
    "batch and heads swapped": (lambda r: dict(B=2, H=4), lambda r, c: (need(c["G"] == 4), dict(kind="batch_heads_swapped"))[1], ["attention_over_batch"]),
    "split interleaved": (lambda r: dict(H=int(r.choice([2, 4]))), lambda r, c: dict(kind="split_interleaved", which=r.choice(["qkv", "qkv", "qk", "v"]), merge=bool(r.integers(2))), ["split_interleaved"]),
    "packed order": (lambda r: dict(H=4, G=4), lambda r, c: (need(c["G"] == c["H"] and c["parameters"]["key"] is c["parameters"]["query"]), dict(kind="packed_order"))[1], ["split_interleaved"]),
    "softmax twice": (lambda r: {}, lambda r, c: dict(kind="softmax_twice"), ["softmax_twice"]),
    "softmax over queries": (lambda r: no_mask(r), lambda r, c: dict(kind="softmax_over_queries"), ["softmax_over_queries"]),
    "softmax over heads": (lambda r: dict(H=4, **no_mask(r)), lambda r, c: dict(kind="softmax_over_heads"), ["softmax_over_heads"]),
    "split without transpose": (lambda r: dict(H=4), lambda r, c: dict(kind="split_without_transpose"), ["split_without_transpose"]),
    "merge without transpose": (lambda r: dict(H=4), lambda r, c: dict(kind="merge_without_transpose"), ["merge_without_transpose"]),
    "merge interleaved": (lambda r: dict(H=4), lambda r, c: dict(kind="merge_interleaved"), ["merge_permuted"]),
    "merge rolled": (lambda r: dict(H=4), lambda r, c: dict(kind="merge_rolled"), ["merge_permuted"]),
    "no scale": (lambda r: dict(scale=0), lambda r, c: dict(kind="no_scale"), ["no_scale"]),
    "scale by d_model": (lambda r: dict(scale=0, H=4), lambda r, c: dict(kind="scale_by_d_model"), ["scale_by_d_model"]),
    "scale multiplied": (lambda r: dict(scale=0), lambda r, c: dict(kind="scale_multiplied"), ["scale_multiplied"]),
    "sigmoid": (lambda r: {}, lambda r, c: dict(kind="sigmoid_weights"), ["sigmoid_weights"]),
    "dropout": (lambda r: {}, lambda r, c: (lambda p: dict(kind="dropout_active", p=p, keep=r.random((c["B"], c["H"], c["n_q"], c["n_k"])) >= p))(float(r.choice([0.1, 0.3]))), ["dropout_active"]),
    "dropout without its factor": (lambda r: dict(H=4), lambda r, c: (lambda keep: change(["weights"], lambda w, p: w * keep))(r.random((c["B"], c["H"], c["n_q"], c["n_k"])) >= 0.2), ["dropout_active", "mask_wrong"]),
    "bias of a projection missing": (lambda r: dict(bias=True), lambda r, c: dict(kind="bias_missing", which=r.choice(list("qvo"))), ["bias_missing"]),
    "weight not transposed": (lambda r: dict(square=True, W_o=True), lambda r, c: (need(c["G"] == c["H"]), dict(kind="weight_not_transposed", which=r.choice(list("qkvo"))))[1], ["weight_not_transposed"]),
    "no output projection": (lambda r: dict(W_o=True), lambda r, c: dict(kind="no_output_projection"), ["no_output_projection"]),
    "residual included": (lambda r: dict(square=True), lambda r, c: dict(kind="residual_included"), ["residual_included"]),
    "value is key": (lambda r: {}, lambda r, c: dict(kind="value_is_key"), ["value_is_key"]),
    "q, k, v in a ring": (lambda r: {}, lambda r, c: (need(c["G"] == c["H"]), dict(kind="exchanged", order=r.choice(["kvq", "vqk"])))[1], ["query_key_swapped"]),
    "q and v exchanged": (lambda r: {}, lambda r, c: (need(c["G"] == c["H"]), dict(kind="exchanged", order="vkq"))[1], ["query_key_swapped", "key_value_swapped"]),
    "k and v exchanged": (lambda r: {}, lambda r, c: dict(kind="exchanged", order="qvk"), ["key_value_swapped"]),
    "input normalised": (lambda r: {}, lambda r, c: (need(c["parameters"]["key"] is c["parameters"]["query"]), dict(kind="norm_before", how="added", norm=r.choice(["layer", "rms"]), which=r.choice(["qk", "qk", "q", "k"])))[1], ["input_normalised"]),
    "norm before missing": (BLOCK, lambda r, c: dict(kind="norm_before", how="missing", which=r.choice(["qk", "qk", "q", "k"])), ["step_missing"]),
    "norm before twice": (BLOCK, lambda r, c: dict(kind="norm_before", how="twice"), ["input_normalised"]),
    "norm before, axis": (BLOCK, lambda r, c: dict(kind="norm_before", how="axis", axis=[1, (1, 2), 0][r.integers(3 if c["B"] > 1 else 2)]), ["wrong_parameter"]),
    "norm before, kind": (BLOCK, lambda r, c: dict(kind="norm_before", how="kind", norm="rms" if c["before"]["kind"] == "layer" else "layer"), ["wrong_parameter"]),
    "norm before, epsilon": (BLOCK, lambda r, c: dict(kind="norm_before", how="epsilon", epsilon=float(r.choice([1e-2, 0.1, 1e-3]))), ["wrong_parameter"]),
    "norm before, weights": (BLOCK, lambda r, c: dict(kind="norm_before", how="weights"), ["wrong_parameter"]),
    "residual before the norm included": (BLOCK, lambda r, c: dict(kind="residual_included"), ["residual_included"]),
    "no softmax": (lambda r: {}, lambda r, c: dict(kind="softmax_other", function=[lambda x: np.where(x < -1e3, 0, x), lambda x: np.maximum(x, 0)][r.integers(2)]), ["step_missing"]),
    "another softmax": (lambda r: {}, lambda r, c: dict(kind="softmax_other", function=SOFTMAXES[r.integers(len(SOFTMAXES))]), ["softmax_wrong"]),
    "queries of other words": (lambda r: {}, lambda r, c: dict(kind="keys_reordered", which="q", how=QUERIES[r.integers(len(QUERIES))]), ["keys_reordered"]),
    "keys or values of another sequence": (lambda r: dict(B=3), lambda r, c: dict(kind="keys_reordered", which=r.choice(["kv", "k", "v"]), how=SEQUENCES[r.integers(len(SEQUENCES))]), ["wrong_input"]),
    "softmax of changed scores": (no_mask, lambda r, c: (lambda f: dict(kind="softmax_other", function=lambda x: softmax(f(x))))(CHANGES[r.integers(len(CHANGES))]), ["softmax_wrong"]),
    "softmax in chunks": (lambda r: dict(no_mask(r), n_k=9), lambda r, c: (lambda size, each: dict(kind="softmax_other", function=lambda x: in_chunks(x, size, each)))(int(r.integers(2, 6)), bool(r.integers(2))), ["softmax_wrong"]),
    "sums without keepdim": (lambda r: dict(no_mask(r), n_q=6, n_k=6), lambda r, c: dict(kind="softmax_other", function=lambda x: np.exp(x) / np.exp(x).sum(-1)[:, :, None, :]), ["softmax_wrong"]),
    "half of the channels": (lambda r: dict(d=8), lambda r, c: dict(kind="half_of_channels"), ["wrong_parameter"]),
    "values added": (lambda r: {}, lambda r, c: dict(kind="values_added"), ["residual_included"]),
    "softmax over all cells": (no_mask, lambda r, c: dict(kind="softmax_other", function=lambda x: softmax(x.reshape(*x.shape[:2], -1)).reshape(x.shape)), ["softmax_wrong"]),
    "another cap": (lambda r: dict(cap=float(r.choice([1, 2, 3]))), lambda r, c: dict(kind="cap_other", function=[lambda x, cap: np.clip(x, -cap, cap), lambda x, cap: cap * np.tanh(x), lambda x, cap: np.tanh(x / cap)][r.integers(3)]), ["wrong_parameter"]),
    "rope's angles of the other pairing": (lambda r: dict(ROPE(r), d=int(r.choice([6, 8]))), lambda r, c: dict(kind="rope_angles"), ["wrong_parameter"]),
    "rope before the split": (lambda r: dict(ROPE(r), H=int(r.choice([2, 4]))), lambda r, c: (need(c["turned"] == c["d"]), dict(kind="rope_before_split"))[1], ["wrong_parameter"]),
    "keys of a cache after the new ones": (lambda r: dict(n_q=int(r.integers(2, 5)), n_k=9), lambda r, c: dict(kind="keys_reordered", which=r.choice(["kv", "k", "v"]), how=lambda x: np.roll(x, c["n_q"], 2)), ["keys_reordered"]),
    "keys or values reversed": (lambda r: {}, lambda r, c: dict(kind="keys_reordered", which=r.choice(["kv", "k", "v"]), how=lambda x: x[:, :, ::-1]), ["keys_reordered"]),
    "values moved by one": (lambda r: {}, lambda r, c: (lambda by: dict(kind="keys_reordered", which="v", how=lambda x: np.roll(x, by, 2)))(int(r.choice([1, -1]))), ["keys_reordered"]),
    "keys gathered": (lambda r: {}, lambda r, c: dict(kind="keys_gathered"), ["value_is_key"]),
    "values normalised": (lambda r: dict(norm=str(r.choice(["rms", "layer", "l2"]))), lambda r, c: dict(kind="values_normed"), ["wrong_parameter"]),
    "wrong input": (lambda r: dict(cross=True), lambda r, c: (need(square(c)), dict(kind="wrong_input", which=r.choice(["kv", "v"])))[1], ["wrong_input"]),
    "self-attention for cross": (lambda r: dict(no_mask(r), cross=True, n_q=5, n_k=8, alibi=False, attn_bias=None), lambda r, c: (need(not c["t5"]), dict(kind="wrong_input", which="kv"))[1], ["wrong_input"]),
    "bias of another projection": (lambda r: dict(bias=True), lambda r, c: (need(c["G"] == c["H"]), dict(kind="bias_exchanged", order=r.choice(["kqv", "qvk", "vkq", "qqq", "kkk", "vvv"])))[1], ["bias_exchanged"]),
    "output's bias for each head": (lambda r: dict(bias=True, W_o=True, H=int(r.choice([3, 4]))), lambda r, c: dict(kind="bias_for_each_head"), ["bias_twice"]),
    "groups along the batch": (lambda r: dict(H=4, G=2, B=int(r.choice([2, 3]))), lambda r, c: dict(kind="group_along_batch"), ["gqa_tiled"]),
    "key/value heads reversed": (lambda r: dict(H=4, G=int(r.choice([2, 4]))), lambda r, c: dict(kind="kv_heads_reversed"), ["wrong_parameter"]),
    "norm after attention included": (lambda r: dict(square=True), lambda r, c: dict(kind="residual_included", normed=True), ["residual_included"]),
    "one projection used twice": (lambda r: dict(W_o=True), lambda r, c: dict(kind="projection_repeated", pair=[("K", "q"), ("Q", "k"), ("V", "q")][r.integers(3)]), ["projection_repeated"]),
    "scores of distances": (lambda r: {}, lambda r, c: dict(kind="scores_of", function=DISTANCES[r.integers(len(DISTANCES))]), ["wrong_parameter"]),
    "linear attention": (lambda r: {}, lambda r, c: (need(not c["alibi"] and not c["t5"] and c["attn_bias"] is None), dict(kind="linear", feature=FEATURES[r.integers(2)]))[1], ["softmax_wrong"]),
    "the highest scores alone": (lambda r: dict(no_mask(r), n_k=9), lambda r, c: (lambda count: dict(kind="softmax_other", function=lambda x: softmax(np.where(x < np.sort(x, -1)[..., -count, None], -np.inf, x))))(int(r.integers(2, 7))), ["softmax_wrong"]),
    "weights changed after the softmax": (lambda r: {}, lambda r, c: (lambda f: dict(kind="softmax_other", function=lambda x: f(softmax(x))))([np.square, np.sqrt, lambda w: 1 - w][r.integers(3)]), ["softmax_wrong"]),
    "keys turned by a view": (lambda r: {}, lambda r, c: dict(kind="keys_by_view"), ["split_without_transpose"]),
    "softmax over the batch": (lambda r: dict(no_mask(r), B=3), lambda r, c: dict(kind="softmax_over_batch"), ["softmax_wrong"]),
    "relu before the softmax": (no_mask, lambda r, c: dict(kind="softmax_other", function=lambda x: softmax(np.maximum(x, 0))), ["softmax_wrong"]),
    "scale after the softmax": (no_mask, lambda r, c: (need(not c["cap"] and not c["alibi"] and not c["t5"] and c["attn_bias"] is None), dict(kind="scale_after"))[1], ["wrong_order"]),
    "weights of one head": (lambda r: dict(H=4), lambda r, c: dict(kind="one_head"), ["heads_averaged"]),
    "values not gathered": (lambda r: dict(n_q=6, n_k=6), lambda r, c: dict(kind="values_kept"), ["step_missing"]),
    "dropout of the output": (lambda r: {}, lambda r, c: dict(kind="output_dropped", random=r.random, p=float(r.choice([0.1, 0.3]))), ["dropout_active"]),
    "an activation": (lambda r: {}, lambda r, c: dict(kind="activation", where=[["Q", "K", "V"], ["Q", "K"], "output"][r.integers(3)], function=[lambda x: np.maximum(x, 0), np.tanh][r.integers(2)]), ["step_added"]),
    "rope pairing of one": (ROPE, lambda r, c: dict(kind="rope_pairing", which=r.choice(["q", "k"])), ["rope_pairing"]),
    "rope positions scaled": (ROPE, lambda r, c: dict(kind="rope_scaled", by=float(r.choice([0.25, 0.5, 2, 0.3]))), ["wrong_parameter"]),
    "rope on the last channels": (lambda r: dict(ROPE(r), d=8), lambda r, c: dict(kind="rope_last"), ["wrong_parameter"]),
    "cached keys rotated otherwise": (lambda r: dict(ROPE(r), **CACHE, n_q=int(r.integers(2, 5)), offset=0), lambda r, c: (need(c["offset"] == 0), dict(kind="cache_rotated", **[dict(old="none", new="usual"), dict(old="usual", new="none"), dict(old="twice", new="usual"), dict(old="usual", new="zero")][r.integers(4)]))[1], ["wrong_parameter"]),
    "cache not written": (lambda r: dict(CACHE, n_q=int(r.integers(2, 5))), lambda r, c: dict(kind="keys_reordered", which=r.choice(["kv", "k", "v"]), how=unwritten(r, c)), ["keys_reordered", "mask_wrong"]),
    "cache of another sequence": (lambda r: dict(CACHE, B=3, n_q=int(r.integers(2, 5))), lambda r, c: dict(kind="keys_reordered", which=r.choice(["kv", "k", "v"]), how=lambda x: np.concatenate([np.roll(x[:, :, :-c["n_q"]], 1, 0), x[:, :, -c["n_q"]:]], 2)), ["wrong_input"]),
    "projections chained": (lambda r: dict(square=True), lambda r, c: (need(c["G"] == c["H"]), dict(kind="chained", links=[[("V", "K")], [("K", "Q")], [("K", "Q"), ("V", "Q")], [("K", "Q"), ("V", "K")]][r.integers(4)]))[1], ["wrong_input"]),
    "norm of another formula": (lambda r: dict(norm="rms", learned=False), lambda r, c: (need(not c["learned"]), dict(kind="norm_formula", function=FORMULAS[r.integers(4)]))[1], ["wrong_parameter"]),
    "bias of the scores otherwise": (lambda r: dict(alibi=False, rope="", H=4, attn_bias=r.normal(size=(1, 4, 6, 6)), n_q=6, n_k=6), lambda r, c: dict(kind="bias_other", how=BIASES[r.integers(len(BIASES))]), ["wrong_parameter", "constant_factor"]),
    "alibi distance": (lambda r: dict(alibi=True, rope="", causal="top"), lambda r, c: dict(kind="alibi_distance", function=[np.square, np.log1p, np.sqrt][r.integers(3)]), ["wrong_parameter"]),
    "a small number added to masked scores": (lambda r: dict(causal="top"), lambda r, c: dict(kind="mask_added_weakly", number=float(r.choice([-2, -5, -0.5, 1e4]))), ["mask_finite_fill", "mask_inverted"]),
    "padding or causal": (lambda r: padded(r), lambda r, c: (lengths_for(r, c), need(c["causal"] == "top"), dict(kind="mask_rearranged", how=lambda m: (lambda k, top: [k | top, k ^ top][r.integers(2)])(np.arange(c["n_k"]) < np.array(c["lengths"])[:, None, None, None], mask_of(c, lengths=None))))[2], ["mask_wrong"]),
    "a projection left out": (lambda r: dict(square=True), lambda r, c: (need(c["G"] == c["H"]), (lambda which: change(which, lambda y, p: p["x_q"] if y is p["stages"]["Q"] else p["x_k"]))(r.choice(["Q", "K", "V", "QK"])))[1], ["step_missing"]),
    "a projection twice": (lambda r: dict(square=True), lambda r, c: (need(c["G"] == c["H"]), (lambda which: change(which, lambda y, p: y @ p["W"][which.lower()].T + (0 if p["b"][which.lower()] is None else p["b"][which.lower()])))(str(r.choice(["Q", "K", "V"]))))[1], ["wrong_input"]),
    "an online softmax not rescaled": (lambda r: dict(no_mask(r), n_k=9), lambda r, c: (lambda size, which: dict(kind="softmax_other", function=lambda x: online(x, size, *which)))(int(r.integers(2, 6)), [(True, False), (False, True), (False, False)][r.integers(3)]), ["softmax_wrong"]),
    "another formula for the weights": (no_mask, lambda r, c: (need(c["H"] > 1), dict(kind="softmax_other", function=OTHER_FORMULAS[r.integers(len(OTHER_FORMULAS))]))[1], ["softmax_wrong"]),
    "a mask between two softmaxes": (lambda r: dict(no_mask(r), causal="top", n_q=6, n_k=6), lambda r, c: change(["weights"], lambda w, p: softmax(np.where(p["mask"], softmax([p["stages"][k] for k in ("biased_scores", "capped_scores", "scaled_scores") if k in p["stages"]][0]), -np.inf))), ["softmax_twice"]),
    "values by what each key gets": (lambda r: dict(n_q=6, n_k=6), lambda r, c: change(["head_outputs"], lambda out, p: p["stages"]["weights"].sum(2)[..., None] * p["v"]), ["step_missing"]),
    "a head left out": (lambda r: dict(H=4), lambda r, c: (lambda head: change(["head_outputs"], lambda out, p: zeroed(out, head)))(int(r.choice([0, 3]))), ["wrong_parameter"]),
    "heads summed": (lambda r: dict(H=4), lambda r, c: change(["head_outputs"], lambda out, p: np.repeat(out.sum(1, keepdims=True), 4, 1)), ["heads_averaged"]),
    "head 0's columns for all": (lambda r: dict(H=4, W_o=True), lambda r, c: change(["output"], lambda y, p: first_columns(y, p, c)), ["heads_averaged"]),
    "sums around the output projection": (lambda r: dict(square=True, W_o=True), lambda r, c: change(["output"], AROUND_W_O[r.integers(len(AROUND_W_O))]), ["residual_included"]),
    "heads' slices that overlap": (lambda r: dict(H=4), lambda r, c: dict(kind="split_overlapping"), ["split_without_transpose"]),
    "channels repeated for groups": (lambda r: dict(H=4, G=2), lambda r, c: dict(kind="channels_repeated"), ["gqa_tiled"]),
    "queries and keys summed apart": (lambda r: {}, lambda r, c: change(["scores"], lambda x, p: p["q"].sum(-1)[..., :, None] * p["k"].sum(-1)[..., None, :]), ["wrong_parameter"]),
    "scores without a sign": (lambda r: dict(no_mask(r), cap=0), lambda r, c: change(["scores"], lambda x, p: np.abs(x)), ["step_added", "softmax_wrong"]),
    "scores clamped": (lambda r: dict(cap=0), lambda r, c: change(["scaled_scores"], lambda x, p: np.clip(x, -1, 1)), ["step_added"]),
    "the output averaged over the words": (lambda r: {}, lambda r, c: change(["output"], lambda y, p: np.repeat(y.mean(1, keepdims=True), y.shape[1], 1)), ["step_added"]),
    "sequences in another order": (lambda r: dict(B=3), lambda r, c: (lambda order: change(["output"], lambda y, p: y[order]))([[1, 2, 0], [2, 1, 0], [0, 2, 1]][r.integers(3)]), ["wrong_input"]),
    "the input shifted": (lambda r: {}, lambda r, c: (lambda how: dict(kind="input_changed", how=how))(SHIFTS[r.integers(len(SHIFTS))]), ["wrong_input"]),
    "a cache's first place overwritten": (lambda r: dict(CACHE, n_q=int(r.integers(2, 5))), lambda r, c: dict(kind="keys_reordered", which=r.choice(["k", "v"]), how=lambda x: np.concatenate([x[:, :, -1:], x[:, :, 1:-1], zeros_like(x, 1)], 2)), ["keys_reordered", "mask_wrong"]),
    "softmax over batch and heads": (lambda r: dict(no_mask(r), B=3, H=4), lambda r, c: dict(kind="softmax_other", function=lambda x: softmax(x.reshape(-1, *x.shape[2:]), 0).reshape(x.shape)), ["softmax_wrong"]),
    "key/value heads averaged": (lambda r: dict(H=4, G=2), lambda r, c: dict(kind="groups_averaged"), ["heads_averaged"]),
    "merged words first": (lambda r: dict(B=3, n_q=6), lambda r, c: dict(kind="merge_words_first"), ["merge_without_transpose"]),
    "dropout before the weights": (lambda r: {}, lambda r, c: dict(kind="channels_dropped", stage=str(r.choice(["Q", "K", "V"])), random=r.random, p=float(r.choice([0.1, 0.3]))), ["dropout_active"]),
    "rope on values": (ROPE, lambda r, c: dict(kind="rope_on_values"), ["rope_on_values"]),
    "weights transposed": (lambda r: {}, lambda r, c: dict(kind="weights_transposed", where=r.choice(["saved", "used", "both"])), ["weights_transposed"]),
}
WITH_MASK = {"rope missing": dict(causal="top"), "alibi missing": dict(causal="top"), "cap missing": dict(causal="top"), "norm missing": dict(causal="top"),
             "rope base": dict(causal="top"), "no scale": dict(causal="top"), "t5 missing": dict(causal="top"), "bias missing from scores": dict(causal="top"),
             "bias of a projection missing": dict(causal="top"), "no output projection": dict(causal="top"), "learned norm missing": dict(causal="top"),
             "norm before missing": dict(causal="top")}
PAIRED_MASKS = {"causal_sees_next": dict(shift=1), "causal_excludes_self": dict(shift=-1), "mask_ignored": None}
