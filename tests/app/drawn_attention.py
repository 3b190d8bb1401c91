"""Attention in NumPy with settings drawn at random and, if asked for, one mistake in it. Knows nothing of Headlight's code."""
import math

import numpy as np


class NotHere(Exception):
    """The mistake cannot be made with these settings."""


def need(holds):
    if not holds:
        raise NotHere


def softmax(x, axis=-1):
    with np.errstate(all="ignore"):
        e = np.exp(x - x.max(axis, keepdims=True))
        return e / e.sum(axis, keepdims=True)


def rotate(x, pairing, base, turned, positions, sign=1, width=None):
    angle = sign * np.asarray(positions, float)[:, None] * float(base) ** (-np.arange(0, turned, 2) / (width or turned))
    cos, sin, out = np.cos(angle), np.sin(angle), x.copy()
    half = turned // 2
    first, second = (slice(0, half), slice(half, turned)) if pairing == "half" else (slice(0, turned, 2), slice(1, turned, 2))
    a, b = x[..., first], x[..., second]
    out[..., first], out[..., second] = a * cos - b * sin, a * sin + b * cos
    return out


def rotate_mixed(x, pairing, base, turned, positions):
    """The angles of one pairing in the rotation of the other: torch.cat((freqs, freqs)) beside rotate_every_two, or the other way round."""
    angle = np.asarray(positions, float)[:, None] * float(base) ** (-np.arange(0, turned, 2) / turned)
    part, out = x[..., :turned], x.copy()
    if pairing == "half":
        angle, other = np.repeat(angle, 2, -1), np.concatenate([-part[..., turned // 2:], part[..., :turned // 2]], -1)
    else:
        angle, other = np.concatenate([angle, angle], -1), np.stack([-part[..., 1::2], part[..., 0::2]], -1).reshape(part.shape)
    out[..., :turned] = part * np.cos(angle) + other * np.sin(angle)
    return out


def normed(x, kind, epsilon, axis=-1):
    if kind == "l2":
        return x / np.maximum(np.sqrt((x * x).sum(axis, keepdims=True)), 1e-12)
    if kind == "layer":
        x = x - x.mean(axis, keepdims=True)
    return x / np.sqrt((x * x).mean(axis, keepdims=True) + epsilon)


def slopes(heads):
    """Press et al.'s code: powers of two, and every other slope of twice as many for the rest."""
    def powers(n):
        return [2 ** (-8 * (i + 1) / n) for i in range(n)]
    if math.log2(heads).is_integer():
        return np.array(powers(heads))
    near = 2 ** int(math.log2(heads))
    return np.array(powers(near) + powers(2 * near)[0::2][:heads - near])


def t5_buckets(distance, count, both, furthest=128):
    """Raffel et al.'s code: half of a direction's buckets are for a distance each, the others grow with its logarithm."""
    first = np.zeros(distance.shape, int)
    if both:
        count //= 2
        first, distance = np.where(distance > 0, count, 0), np.abs(distance)
    else:
        distance = np.maximum(-distance, 0)
    exact = count // 2
    with np.errstate(all="ignore"):
        far = exact + (np.log(distance / exact) / math.log(furthest / exact) * (count - exact)).astype(int)
    return first + np.where(distance < exact, distance, np.minimum(far, count - 1))


def t5_bias(c, table, both=None, furthest=128, sign=1, symmetric=False, laid_out=False):
    """[H, n_q, n_k] of a table [buckets, H]."""
    distance = sign * (np.arange(c["n_k"])[None, :] - np.arange(c["n_q"])[:, None] - c["offset"])
    both = c["t5_both"] if both is None else both
    values = table[t5_buckets(-np.abs(distance) if symmetric else distance, len(table), both, furthest)]
    return values.reshape(c["H"], *distance.shape) if laid_out else values.transpose(2, 0, 1)


def mask_of(c, **changes):
    """[B, H, n_q, n_k], true = may attend; None without a mask."""
    g = {**c, **changes}
    B, H, n_q, n_k = c["B"], c["H"], c["n_q"], c["n_k"]
    if not g["causal"] and not g["window"] and g["lengths"] is None and g["file_mask"] is None:
        return None
    q, k = np.arange(n_q)[:, None], np.arange(n_k)[None, :]
    d = k - q - g.get("shift", 0)
    mask = np.ones((B, H, n_q, n_k), bool)
    if g["causal"] == "top":
        mask = mask & (d <= 0)
    if g["causal"] == "bottom":
        mask = mask & (d <= n_k - n_q)
    if g["window"]:
        mask = mask & ((np.abs(d) < g["window"]) if not g.get("one_end") else (d < g["window"]))
    if g["lengths"] is not None:
        mask = mask & (k < np.array(g["lengths"])[:, None, None, None])
    if g["file_mask"] is not None:
        mask = mask & g["file_mask"]
    return mask


def linear(x, W, b):
    return x @ W.T + (0 if b is None else b)


def before(c, m, x):
    """What the projections of queries and of keys and values are given: x, normalised where the block does that."""
    how, norm = m.get("how") if m.get("kind") == "norm_before" else "", c["before"]
    if how == "added":  # x is the input as it is
        y = normed(x, m["norm"], 1e-5)
        return (y if "q" in m["which"] else x), (y if "k" in m["which"] else x)
    if not norm:
        return x, x

    def once(x, kind=norm["kind"], epsilon=norm["epsilon"], axis=-1, learned=True):
        return normed(x, kind, epsilon, axis) * (norm["weight"] if learned else 1) + (norm["bias"] if learned else 0)
    usual = once(x)
    if how == "missing":
        return (x if "q" in m["which"] else usual), (x if "k" in m["which"] else usual)
    wrong = {"twice": lambda: once(usual), "axis": lambda: once(x, axis=m["axis"]), "kind": lambda: once(x, m["norm"]),
             "epsilon": lambda: once(x, epsilon=m["epsilon"]), "weights": lambda: once(x, learned=False)}
    return 2 * (wrong[how]() if how in wrong else usual,)


def attention(c, m=None):
    """Every stage for the settings c with the mistake m, {"kind": …}; raises NotHere."""
    m = m or {}
    kind, p = m.get("kind", ""), c["parameters"]
    if kind == "heads_off":
        c = dict(c, H=m["H"], G=m["H"], d=c["H"] * c["d"] // m["H"])
        c["turned"] = c["d"]
    B, H, G, n_q, n_k, d = (c[name] for name in ("B", "H", "G", "n_q", "n_k", "d"))
    s = {}
    W, b = {i: p["W" + i] for i in "qkvo"}, {i: p.get("b" + i) for i in "qkvo"}
    if kind == "bias_missing":
        b[m["which"]] = None
    if kind == "weight_not_transposed":
        W[m["which"]] = W[m["which"]].T
    if kind == "packed_order":
        rows = np.concatenate([W["q"], W["k"], W["v"]]).reshape(H, 3, d, -1)
        W["q"], W["k"], W["v"] = (rows[:, i].reshape(H * d, -1) for i in range(3))
        if b["q"] is not None:
            rows = np.concatenate([b["q"], b["k"], b["v"]]).reshape(H, 3, d)
            b["q"], b["k"], b["v"] = (rows[:, i].ravel() for i in range(3))
    order = m.get("order", "qkv") if kind == "exchanged" else "qkv"
    if kind == "bias_exchanged":
        need(len({np.shape(b[i]) for i in m["order"]} | {np.shape(b[i]) for i in "qkv"}) == 1)
        b.update(dict(zip("qkv", [b[i] for i in m["order"]])))
    x_q, x_k = before(c, m, p["query"]) if p["key"] is p["query"] else (p["query"], p["key"])
    x_v = x_k
    if kind == "wrong_input":
        x_k, x_v = (x_q if "k" in m["which"] else x_k), x_q
        n_k = x_k.shape[1]
    parts = dict(W=W, b=b, x_q=x_q, x_k=x_k, stages=s)

    def changed(stage, x):
        """The stage, or what the mistake "changed" makes of it and of the parts that it was made of."""
        return m["how"](x, parts) if kind == "changed" and stage in m["stages"] else x

    if kind == "input_changed":
        need(p["key"] is p["query"])
        x_q = x_k = x_v = m["how"](x_q)
    over_batch = kind == "attention_over_batch"
    if over_batch:
        x_q, x_k, x_v = x_q.swapaxes(0, 1), x_k.swapaxes(0, 1), x_v.swapaxes(0, 1)
    s["Q"], s["K"], s["V"] = linear(x_q, W[order[0]], b[order[0]]), linear(x_k, W[order[1]], b[order[1]]), linear(x_v, W[order[2]], b[order[2]])
    parts["x_v"] = x_v
    for stage in "QKV":
        s[stage] = changed(stage, s[stage])
    if kind == "value_is_key":
        s["V"] = s["K"]
    if kind == "chained":  # a projection of what another one gave
        for made, of in m["links"]:
            need(s[of].shape[-1] == W[made.lower()].shape[1] and s[of].shape[1] == s[made].shape[1])
            s[made] = linear(s[of], W[made.lower()], b[made.lower()])
    if kind == "channels_dropped":
        s[m["stage"]] = s[m["stage"]] * (m["random"](s[m["stage"]].shape) >= m["p"]) / (1 - m["p"])
    if kind == "projection_repeated":
        need(W["q"].shape == W["k"].shape)
        made, used = m["pair"]
        s[made] = linear(x_q if made == "Q" else x_k, W[used], b[used])
    if kind == "activation" and m["where"] != "output":
        for each in m["where"]:
            s[each] = m["function"](s[each])

    def split(x, heads, which):
        if kind == "split_without_transpose":
            return x.reshape(x.shape[0], heads, x.shape[1], -1)
        if kind == "split_overlapping":
            return np.stack([x[..., h:h + x.shape[2] // heads] for h in range(heads)], 1)
        if kind == "split_interleaved" and which in m["which"]:
            return x.reshape(*x.shape[:2], -1, heads).transpose(0, 3, 1, 2)
        return x.reshape(*x.shape[:2], heads, -1).transpose(0, 2, 1, 3)

    def swapped(x):  # batch and heads changed places in a view
        return x.transpose(0, 1, 2, 3).reshape(x.shape[1], x.shape[0], *x.shape[2:]).swapaxes(0, 1)

    need(kind != "split_interleaved" or G > 1 or "q" in m["which"])
    q, k, v = s["Q_heads"], s["K_heads"], s["V_heads"] = split(s["Q"], H, "q"), split(s["K"], G, "k"), split(s["V"], G, "v")
    over_heads = kind == "attention_over_heads"
    positions = {"q": np.arange(q.shape[2]) + c["offset"], "k": np.arange(k.shape[2])}

    def norm(x, which):
        how, epsilon, axis = c["norm"], 1e-5 if c["norm"] == "layer" else 1e-6, -1
        if kind == "norm_kind":
            how = m["norm"]
        if kind == "epsilon":
            epsilon = m["epsilon"]
        if kind == "norm_axis":
            axis = m["axis"]
        if kind == "norm_missing" and which in m["which"]:
            return x
        if kind == "norm_formula":
            return m["function"](x)
        whole = c["norm_whole"] != (kind == "norm_whole")
        heads, weight, add = x.shape[1], p.get(which + "_norm"), p.get(which + "_norm_bias", 0)
        if kind == "norm_weights" and m["how"] == "other":
            weight, add = p[m["from"] + "_norm"], p.get(m["from"] + "_norm_bias", 0)
        if weight is None or (kind == "norm_weights" and m["how"] == "missing" and which in m["which"]):
            weight, add = 1, 0
        if kind == "norm_weights" and m["how"] == "plus one":
            weight = 1 + weight

        def each(x, given):  # a number for each channel of the whole width, or of a head
            return given if np.ndim(given) == 0 or whole or len(given) == x.shape[-1] else given.reshape(heads, 1, -1)
        if whole:
            x = x.transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1)
        x = normed(x, how, epsilon, axis) * each(x, weight) + each(x, add)
        return x.reshape(*x.shape[:2], heads, -1).transpose(0, 2, 1, 3) if whole else x

    def rope(x, which):
        how, base, turned, place, sign, width = c["rope"], c["base"], c["turned"], positions[which], 1, None
        if kind == "rope_missing" and which in m["which"]:
            return x
        if kind == "rope_pairing" and which in m.get("which", "qk"):
            how = "half" if how == "interleaved" else "interleaved"
        if kind == "rope_base" and which in m.get("which", "qk"):
            base = m["base"]
        if kind == "rope_position" and which in m["which"]:
            place = place + m["by"]
        if kind == "rope_scaled":
            place = place * m["by"]
        if kind == "rope_last":
            need(turned < x.shape[-1])
            return np.concatenate([x[..., :-turned], rotate(x[..., -turned:], how, base, turned, place)], -1)
        if kind == "cache_rotated" and which == "k":
            old, new = x[:, :, :-q.shape[2]], x[:, :, -q.shape[2]:]

            def turns(y, at):
                return rotate(y, how, base, turned, at)
            first, rest = positions["k"][:old.shape[2]], positions["k"][old.shape[2]:]
            old = {"none": lambda: old, "twice": lambda: turns(turns(old, first), first), "usual": lambda: turns(old, first)}[m["old"]]()
            new = {"none": lambda: new, "usual": lambda: turns(new, rest), "zero": lambda: turns(new, np.arange(new.shape[2]))}[m["new"]]()
            return np.concatenate([old, new], 2)
        if kind == "rope_one_position" and which in m["which"]:
            place = np.full_like(place, positions["q"][-1])
        if kind == "rope_share":
            turned = m["turned"]
        if kind == "rope_sign" and which in m["which"]:
            sign = -1
        if kind == "rope_angles":
            return rotate_mixed(x, how, base, turned, place)
        if kind == "rope_before_split":
            whole = x.transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1)
            return rotate(whole, how, base, whole.shape[-1], place).reshape(x.shape[0], x.shape[2], x.shape[1], -1).transpose(0, 2, 1, 3)
        return rotate(x, how, base, turned, place, sign, width)

    for step in ("rope", "norm") if kind == "norm_after_rope" else ("norm", "rope"):
        if step == "norm" and c["norm"]:
            q, k = s["Q_normed"], s["K_normed"] = norm(q, "q"), norm(k, "k")
        if step == "rope" and c["rope"]:
            q, k = s["Q_rotated"], s["K_rotated"] = rope(q, "q"), rope(k, "k")
            if kind == "rope_on_values":
                v = rope(v, "k")
    if kind == "values_normed":
        v = normed(v, c["norm"], 1e-5 if c["norm"] == "layer" else 1e-6)
    if kind == "keys_reordered":
        q, k, v = (m["how"](x) if which in m["which"] else x for x, which in ((q, "q"), (k, "k"), (v, "v")))
    if kind == "keys_gathered":
        v = k

    def grouped(x):
        if kind == "gqa_tiled":
            return np.tile(x, (1, H // G, 1, 1))
        if kind == "group_along_batch":
            return np.concatenate([x] * (H // G)).reshape(x.shape[0], H, *x.shape[2:])
        if kind == "channels_repeated":
            words = x.transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1)
            return np.repeat(words, H // G, 2).reshape(*words.shape[:2], H, -1).transpose(0, 2, 1, 3)
        if kind == "kv_heads_reversed":
            x = x[:, ::-1]
        if kind == "groups_averaged":
            return np.repeat(x.mean(1, keepdims=True), H, 1)
        if kind == "first_group":
            return np.repeat(x[:, :1], H, 1)
        return np.repeat(x, H // G, 1)

    if kind == "batch_heads_swapped":
        v = swapped(v)
    if over_heads:
        q, k, v = (each.swapaxes(1, 2) for each in (q, grouped(k), grouped(v)))
        x = s["scores"] = q @ k.swapaxes(-1, -2)
    else:
        part = slice(d // 2) if kind == "half_of_channels" else slice(None)
        x = s["scores"] = q[..., part] @ grouped(k)[..., part].swapaxes(-1, -2)
    parts.update(q=q, k=None if over_heads else grouped(k), v=None if over_heads else grouped(v))
    x = s["scores"] = changed("scores", x)
    if kind == "keys_by_view":
        mixed = grouped(k)
        x = s["scores"] = q @ mixed.reshape(*mixed.shape[:2], mixed.shape[3], mixed.shape[2])
    if kind == "scores_of":
        x = s["scores"] = m["function"](q[:, :, :, None] - grouped(k)[:, :, None])
    if kind == "query_key_swapped":
        x = s["scores"] = x.swapaxes(-1, -2)
    scale = c["scale"] or d ** -0.5
    scale *= {"scale_twice": scale, "scale_factor": m.get("factor", 1)}.get(kind, 1)
    if kind == "no_scale":
        scale = 1
    if kind == "scale_by_d_model":
        scale = (H * d) ** -0.5
    if kind == "scale_multiplied":
        scale = d ** 0.5
    cap = m["cap"] if kind == "cap" else c["cap"]
    mask = None if over_batch or over_heads else mask_of(c, **m.get("mask", {}))
    if "cells" in m:
        mask = np.logical_xor(mask, m["cells"])
    if kind == "mask_rearranged":
        mask = m["how"](mask)
    fill = c["fill"]
    if kind == "mask_finite_fill":
        fill = m["fill"]
    slope = m["slopes"] if kind == "alibi_slopes" else slopes(H)
    if c["alibi"]:
        distance = np.arange(n_k)[None, :] - np.arange(n_q)[:, None] - c["offset"]
        if kind == "alibi_symmetric":
            distance = -np.abs(distance)
        if kind == "alibi_sign":
            distance = -distance
        if kind == "alibi_distance":
            distance = np.sign(distance) * m["function"](np.abs(distance))
        bias = slope[:, None, None] * distance
    elif p.get("t5") is not None:
        bias = t5_bias(c, p["t5"], **(m["rule"] if kind == "t5" else {}))
    elif c["attn_bias"] is not None:
        bias = c["attn_bias"]
        if kind == "bias_other":
            bias = m["how"](bias)

    def masked(x):
        if kind == "mask_ignored":
            return x
        if kind == "mask_added":
            return x + {"true": mask, "false": ~mask}[m["what"]]
        if kind == "mask_added_weakly":
            return (x.astype(np.float32) + np.where(mask, 0, m["number"]).astype(np.float32)).astype(float)
        if kind == "mask_multiplied":
            return x * np.where(mask, 0, m.get("fill", -1e9))
        return np.where(mask, x, fill)

    has = {"scaled": True, "capped": bool(c["cap"]), "biased": c["alibi"] or p.get("t5") is not None or c["attn_bias"] is not None, "masked": mask is not None}
    does = {"scaled": lambda x: x * scale, "capped": (lambda x: m["function"](x, cap)) if kind == "cap_other" else lambda x: cap * np.tanh(x / cap), "biased": lambda x: x + bias, "masked": masked}
    for step in m.get("steps", ("scaled", "capped", "biased", "masked")):
        if step == "masked" and mask is not None:
            s["mask"] = mask
        if has[step] and not (kind == "step_missing" and step == m["step"]):
            with np.errstate(all="ignore"):
                x = does[step](x)
            if step == "scaled":
                x = changed("scaled_scores", x)
            if step == "scaled" and kind == "scores_dropped":
                x = x * (m["random"](x.shape) >= m["p"]) / (1 - m["p"])
        if has[step]:
            s[step + "_scores"] = x
    s["masked_scores"] = x
    weights = softmax(x, {"softmax_over_queries": 2, "softmax_over_heads": 1, "softmax_over_batch": 0}.get(kind, 3))
    if kind == "softmax_other":
        with np.errstate(all="ignore"):
            weights = m["function"](x)
    if kind == "linear":
        with np.errstate(all="ignore"):
            weights = m["feature"](q) @ m["feature"](grouped(k)).swapaxes(-1, -2) * (x > -1e3)
            weights = weights / weights.sum(-1, keepdims=True)
    if kind == "softmax_twice":
        weights = softmax(weights)
    if kind == "sigmoid_weights":
        with np.errstate(all="ignore"):
            weights = 1 / (1 + np.exp(-x))
    if kind == "mask_after_softmax":
        weights = softmax(s.get("biased_scores", s.get("capped_scores", s["scaled_scores"]))) * mask
    if kind == "one_head":
        weights = np.repeat(weights[:, :1], H, 1)
    if kind == "scale_after":
        weights = softmax(x / scale) * scale
    if kind == "dropout_active":
        weights = weights * m["keep"] / (1 - m["p"])
    parts["mask"] = mask
    s["weights"] = weights = changed("weights", weights)
    if kind == "weights_transposed":
        need(n_q == n_k or m["where"] == "saved")
        s["weights"] = weights if m["where"] == "used" else weights.swapaxes(2, 3)
        weights = weights if m["where"] == "saved" else weights.swapaxes(2, 3)
    out = weights @ (v if over_heads else grouped(v))
    if over_heads:
        out = out.swapaxes(1, 2)
    if kind == "values_added":
        need(n_q == n_k)
        out = out + grouped(v)
    if kind == "values_kept":
        need(n_q == n_k)
        out = grouped(v)
    s["head_outputs"] = out = changed("head_outputs", out)
    if kind == "merge_without_transpose":
        merged = out.reshape(out.shape[0], out.shape[2], -1)
    elif kind in ("merge_interleaved", "split_interleaved") and m.get("merge", True):
        merged = out.transpose(0, 2, 3, 1).reshape(out.shape[0], out.shape[2], -1)
    elif kind == "merge_words_first":
        merged = out.transpose(2, 0, 1, 3).reshape(out.shape[0], out.shape[2], -1)
    elif kind == "merge_rolled":
        merged = np.roll(out.transpose(0, 2, 1, 3), 1, 2).reshape(out.shape[0], out.shape[2], -1)
    else:
        merged = out.transpose(0, 2, 1, 3).reshape(out.shape[0], out.shape[2], -1)
    s["concat"] = merged
    s["output"] = merged if kind == "no_output_projection" or W["o"] is None else linear(merged, W["o"], b["o"])
    s["output"] = changed("output", s["output"])
    if kind == "activation" and m["where"] == "output":
        s["output"] = m["function"](s["output"])
    if kind == "output_dropped":
        s["output"] = s["output"] * (m["random"](s["output"].shape) >= m["p"]) / (1 - m["p"])
    if kind == "residual_included":
        s["output"] = s["output"] + p["query"]
        if m.get("normed"):
            s["output"] = normed(s["output"], "layer", 1e-5)
    if kind == "bias_for_each_head":
        s["output"] = s["output"] + (H - 1) * b["o"]
    if over_batch:
        s["output"] = s["output"].swapaxes(0, 1)
    return s
