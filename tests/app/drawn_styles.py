"""Ways to write right attention whose saved stages are not all those of the formula, in NumPy."""
import numpy as np

from drawn_attention import mask_of, need, softmax


def to_bfloat16(x):
    bits = np.asarray(x, np.float32).view(np.uint32)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)
    return np.where(np.isfinite(x), rounded, x)


def ended(c, s, weights):
    """The stages after these weights."""
    v = np.repeat(s["V_heads"], c["H"] // c["G"], 1)
    out = weights @ v
    concat = out.transpose(0, 2, 1, 3).reshape(c["B"], c["n_q"], -1)
    p = c["parameters"]
    output = concat if p["Wo"] is None else concat @ p["Wo"].T + (0 if p.get("bo") is None else p["bo"])
    return dict(s, weights=weights, head_outputs=out, concat=concat, output=output)


def half_scores(c, s):
    x = to_bfloat16(s["scaled_scores"])
    s = dict(s, scaled_scores=x)
    if c["cap"]:
        x = s["capped_scores"] = c["cap"] * np.tanh(x / c["cap"])
    if "biased_scores" in s:
        need(False)
    mask = mask_of(c)
    s["masked_scores"] = x if mask is None else np.where(mask, x, c["fill"])
    return ended(c, s, softmax(s["masked_scores"]))


def zero_rows(c, s):
    need("mask" in s and not s["mask"].any(3).all())
    return ended(c, {k: v for k, v in s.items() if k != "masked_scores"}, np.where(s["mask"].any(3, keepdims=True), s["weights"], 0))


def scaled_queries(c, s):
    need(not c["rope"] and not c["norm"])
    scale = c["scale"] or c["d"] ** -0.5
    s = dict(s, Q=s["Q"] * scale, Q_heads=s["Q_heads"] * scale, scores=s["scaled_scores"])
    return s


def row_constant(c, s):
    s = {k: v for k, v in s.items() if k not in ("scores", "scaled_scores", "biased_scores", "capped_scores")}
    with np.errstate(all="ignore"):
        return dict(s, masked_scores=s["masked_scores"] - s["masked_scores"].max(-1, keepdims=True))


def other_fill(c, s):
    need("mask" in s and s["mask"].any(3).all())
    return dict(s, masked_scores=np.where(s["mask"], s["masked_scores"], -1e4))


def changed_in_place(c, s):
    """scores /= …; scores.masked_fill_(…): arrays that were saved before hold the last numbers."""
    return dict(s, scores=s["masked_scores"], scaled_scores=s["masked_scores"])


def words_first(c, s):
    return dict(s, **{name: s[name].swapaxes(1, 2) for name in ("Q_heads", "K_heads", "V_heads")})


def heads_last(c, s):
    need(not c["H"] == c["n_q"] == c["n_k"])
    return dict(s, weights=s["weights"].transpose(0, 2, 3, 1), scaled_scores=s["scaled_scores"].transpose(0, 2, 3, 1))


def mask_hides(c, s):
    need("mask" in s and not s["mask"].all())
    return dict(s, mask=~s["mask"])


def rows_of_padding(c, s):
    p = c["parameters"]
    need(c["lengths"] is not None and not c["causal"] and c["n_q"] == c["n_k"] and p["key"] is p["query"] and min(c["lengths"]) < c["n_k"] and min(c["lengths"]) > 1)
    words = np.arange(c["n_q"])[:, None] < np.array(c["lengths"])[:, None, None]
    return dict(s, output=s["output"] * words, weights=s["weights"] * words[:, None])


def renamed_after_rotation(c, s):
    need(c["rope"] and not c["norm"])
    return dict(s, Q_heads=s["Q_rotated"], K_heads=s["K_rotated"])


def lowest_fill(c, s):
    """masked_fill with torch.finfo.min, where some rows may attend to nothing: these become uniform."""
    need("mask" in s and not c["cap"])
    lowest = float(np.finfo(np.float32).min)
    masked = np.where(s["mask"], s["masked_scores"], lowest)
    return ended(c, dict(s, masked_scores=masked), softmax(masked))


STYLES = {
    "plain": lambda c, s: s,
    "all bf16": lambda c, s: {k: to_bfloat16(v) if v.dtype != bool else v for k, v in s.items()},
    "fp16 outputs": lambda c, s: dict(s, head_outputs=s["head_outputs"].astype(np.float16), concat=s["concat"].astype(np.float16), output=s["output"].astype(np.float16)),
    "bf16 scores, softmax in float32": half_scores,
    "rows of zeros": zero_rows,
    "scaled queries": scaled_queries,
    "a constant per row": row_constant,
    "another fill": other_fill,
    "the lowest fill": lowest_fill,
    "changed in place": changed_in_place,
    "words before heads": words_first,
    "heads last": heads_last,
    "a mask that is true where hidden": mask_hides,
    "rows of padding": rows_of_padding,
    "heads named after RoPE": renamed_after_rotation,
    "summed weights": lambda c, s: dict(output=s["output"], weights=s["weights"].sum(1)),
    "output in one row for each word": lambda c, s: dict(s, output=s["output"].reshape(-1, s["output"].shape[-1])),
    "averaged weights": lambda c, s: dict(output=s["output"], weights=s["weights"].mean(1)),
    "unnormalised until the end": lambda c, s: dict(output=s["output"], head_outputs=s["head_outputs"], weights=np.exp(s["masked_scores"] - s["masked_scores"].max(-1, keepdims=True))),
}
