#!/usr/bin/env python3
"""`headlight compare` on implementations that are wrong in one known way, computed here in NumPy.

    diagnosis.py PROGRAM [--verbose] [--random COUNT] [--seed N]

Every mistake is made in every case where it changes something; it must be among those found when all stages are saved,
when only the weights and the output are, and when only the output is; where all that differs is NaN throughout, none may
be. The right numbers must match. With --random, the cases are drawn until COUNT mistaken implementations were compared:
none that is right may be accused, and at most one in a hundred of the others may go unnamed.
"""
import argparse
import json
import math
import random
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

try:
    import numpy as np
except ImportError:
    print("skipped: it needs NumPy (apt-get install python3-numpy)")
    sys.exit(77)

parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("--verbose", action="store_true")
parser.add_argument("--random", type=int, default=0, metavar="COUNT")
parser.add_argument("--seed", type=int, default=1)
ARGUMENTS = parser.parse_args()
PROGRAM, VERBOSE = ARGUMENTS.program, ARGUMENTS.verbose
FIXTURES = Path(__file__).parent.parent / "fixtures"
SAVED = {"all": None, "weights, output": ("weights", "output"), "output": ("output",)}

# A name, FILE or the scenario in it, settings, fill, RoPE's pairing.
SELF = dict(source="random", batch_size=2, queries=6, d_model=16, heads=4, seed=3)
CROSS = dict(source="random", batch_size=2, queries=4, keys=7, d_model=32, heads=4, seed=5)
CASES = {
    "masked self-attention": ("torch_mha.input.npz", [], {}),
    "masked, batch entry without keys": ("s000_masked_mha.input.npz", [], {}),
    "one head": ("s002_v1.input.npz", [], {}),
    "packed": ("s002_v2.input.npz", [], {}),
    "packed, mask thrown away": ("s002_v3.input.npz", [], {}),
    "one head, masked": ("s002_v4.input.npz", [], {}),
    "cross, lengths a query": ("s003_valid_lens_per_query.input.npz", [], dict(fill=-1e6)),
    "cross, lengths": ("s003_valid_lens.input.npz", [], dict(fill=-1e6)),
    "two heads": ("s004_functional.input.npz", [], {}),
    "grouped heads, causal": ("gqa_causal.input.npz", [], {}),
    "bias a head, causal": ("alibi_causal.input.npz", [], {}),
    "causal words": (dict(SELF, mask="causal()"), ["--fill", "-1e9"], dict(fill=-1e9)),
    "causal top left": (dict(CROSS, mask="causal()"), [], {}),
    "causal bottom right": (dict(CROSS, mask="causal_bottom_right() && q < 9"), [], {}),
    "rotated halves": (dict(SELF, mask="causal()"), ["--rope", "half"], dict(rope="half")),
    "rotated pairs": (SELF, ["--rope", "interleaved"], dict(rope="interleaved")),
    "rotated, grouped": (dict(SELF, heads=4, kv_heads=2, mask="causal()"), ["--rope", "half"], dict(rope="half")),
    "grouped, no mask": (dict(CROSS, heads=8, kv_heads=4), [], {}),
    "padded": (dict(SELF, mask="padding()"), ["--valid-lens", "6,4"], {}),
    "padded, causal": (dict(SELF, mask="causal() && padding()"), ["--valid-lens", "5,3"], {}),
    "padded, finite fill": (dict(SELF, mask="padding()"), ["--valid-lens", "5,4", "--fill", "-1e9"], dict(fill=-1e9)),
}
CHOICES = {"bias_missing": ["q", "v", "o", "qkv", "qkvo"], "weight_not_transposed": ["q", "k", "v", "o", "qkvo"],
           "mask_finite_fill": [1e-9, -9.0, -1e-9, -100.0, 0.0, 1.0, -3.7], "dropout_active": [0.1, 0.5],
           "merge_permuted": ["reversed", "rolled", "channels"], "constant_factor": ["output", "scores"]}


def softmax(x, axis=-1):
    with np.errstate(all="ignore"):
        e = np.exp(x - x.max(axis, keepdims=True))
        return e / e.sum(axis, keepdims=True)


def rotate(x, pairing):
    n, d = x.shape[-2:]
    angle = np.arange(n)[:, None] * 10000.0 ** (-np.arange(0, d, 2) / d)
    cos, sin, out = np.cos(angle), np.sin(angle), np.empty_like(x)
    first, second = (slice(0, d // 2), slice(d // 2, d)) if pairing == "half" else (slice(0, d, 2), slice(1, d, 2))
    a, b = x[..., first], x[..., second]
    out[..., first], out[..., second] = a * cos - b * sin, a * sin + b * cos
    return out


def causal_offset(mask):
    """The offset of a mask that is k <= q + offset wherever a key is used at all."""
    n_q, n_k = mask.shape[-2:]
    ahead = np.arange(n_k)[None, :] - np.arange(n_q)[:, None]
    padding_alone = np.array_equal(mask, np.broadcast_to(mask.any(2, keepdims=True), mask.shape))
    for offset in (0, n_k - n_q):
        if not padding_alone and np.array_equal(mask, (ahead <= offset) & mask.any(2, keepdims=True)):
            return offset
    return None


class NotHere(Exception):
    """The mistake cannot be made in this case."""


def wrong_mask(mask, mistake):
    if mask is None:
        raise NotHere
    if mistake == "mask_inverted":
        return ~mask
    offset = causal_offset(mask)
    if mistake == "mask_transposed":
        if mask.shape[-1] != mask.shape[-2]:
            raise NotHere
        return mask.swapaxes(2, 3)
    if mistake == "padding_on_queries":
        seen, n = mask.any(2), mask.shape[-1]
        rest = np.tri(n, dtype=bool) if offset == 0 else np.ones((n, n), bool)
        if mask.shape[-2] != n or seen.all() or not np.array_equal(mask, rest & seen[:, :, None, :]):
            raise NotHere
        return rest & seen[:, :, :, None]
    if offset is None:
        raise NotHere
    n_q, n_k = mask.shape[-2:]
    ahead = np.arange(n_k)[None, :] - np.arange(n_q)[:, None]
    used = mask.any(2, keepdims=True) | (np.arange(n_k) >= n_q + offset)
    if mistake == "causal_excludes_self":
        return mask & (ahead < offset)
    if mistake == "causal_sees_next":
        return used & (ahead <= offset + 1)
    if n_q == n_k:
        raise NotHere
    return used & (ahead <= (0 if offset else n_k - n_q))


def stages_of(case, mistake=None, choice=None):
    """Every stage of an implementation with this mistake."""
    p, heads, kv_heads = case["arrays"], case["heads"], case["kv_heads"]
    rng = np.random.default_rng(1)

    def linear(x, letter):
        weight, bias = p.get("W_" + letter), p.get("b_" + letter)
        if mistake == "weight_not_transposed" and letter in choice:
            if weight is None or weight.shape[0] != weight.shape[1]:
                raise NotHere
            weight = weight.T
        if mistake == "bias_missing" and letter in choice:
            if bias is None:
                raise NotHere
            bias = None
        if weight is None:
            return x
        return x @ weight.T + (0 if bias is None else bias)

    def split(x, n):
        if mistake == "split_without_transpose":
            return x.reshape(x.shape[0], n, x.shape[1], -1)
        return x.reshape(x.shape[0], x.shape[1], n, -1).transpose(0, 2, 1, 3)

    def grouped(x):
        if mistake == "gqa_tiled":
            if kv_heads in (1, heads):
                raise NotHere
            return np.tile(x, (1, heads // kv_heads, 1, 1))
        return np.repeat(x, heads // kv_heads, 1)

    s = {name: p[name] for name in ("query", "key", "value")}
    s["Q"], s["K"] = linear(p["query"], "q"), linear(p["key"], "k")
    s["V"] = linear(p["value"], "v")
    if mistake == "value_is_key":
        s["V"] = s["K"]
    s["Q_heads"], s["K_heads"], s["V_heads"] = split(s["Q"], heads), split(s["K"], kv_heads), split(s["V"], kv_heads)
    q, k = s["Q_heads"], s["K_heads"]
    if case["rope"]:
        pairing = case["rope"]
        if mistake == "rope_pairing":
            pairing = "interleaved" if pairing == "half" else "half"
        q, k = s["Q_rotated"], s["K_rotated"] = rotate(q, pairing), rotate(k, pairing)
    elif mistake in ("rope_pairing", "rope_on_values"):
        raise NotHere
    s["scores"] = q @ grouped(k).swapaxes(-1, -2)
    if mistake == "query_key_swapped":
        s["scores"] = s["scores"].swapaxes(-1, -2)
        if s["scores"].shape[-1] != s["scores"].shape[-2]:
            raise NotHere
    d_head, d_model = q.shape[-1], q.shape[-1] * heads
    scale = {"no_scale": 1, "scale_by_d_model": d_model ** -0.5, "scale_multiplied": d_head ** 0.5}.get(mistake, d_head ** -0.5)
    if mistake == "constant_factor" and choice == "scores":
        if k.shape[2] in (d_head, d_head ** 2, d_head / heads):  # then it is no_scale, scale_multiplied or 1/√heads
            raise NotHere
        scale *= math.sqrt(k.shape[2])
    x = s["scaled_scores"] = s["scores"] * scale
    if "attn_bias" in p:
        x = s["biased_scores"] = x + p["attn_bias"]
    mask, fill = case["mask"], case["fill"]
    if mistake in ("mask_inverted", "causal_excludes_self", "causal_sees_next", "causal_wrong_corner", "mask_transposed",
                   "padding_on_queries"):
        mask = wrong_mask(mask, mistake)
    if mistake == "mask_finite_fill":
        fill = choice
    if mask is None:
        if mistake in ("mask_ignored", "mask_after_softmax", "mask_finite_fill"):
            raise NotHere
    else:
        s["mask"] = mask
        if mistake not in ("mask_ignored", "mask_after_softmax"):
            x = np.where(mask, x, fill)
    s["masked_scores"] = x
    weights = softmax(x, {"softmax_over_queries": 2, "softmax_over_heads": 1}.get(mistake, 3))
    if mistake == "sigmoid_weights":
        with np.errstate(over="ignore"):
            weights = 1 / (1 + np.exp(-x))
    if mistake == "mask_after_softmax":
        weights = weights * mask
    if mistake == "heads_averaged":
        weights = np.repeat(weights.mean(1, keepdims=True), heads, 1)
    if mistake == "dropout_active":
        weights = weights * (rng.random(weights.shape) >= choice) / (1 - choice)
    s["weights"] = weights
    values = rotate(s["V_heads"], case["rope"]) if mistake == "rope_on_values" else s["V_heads"]
    s["head_outputs"] = out = weights @ grouped(values)
    b, h, n, d = out.shape
    merged = out if mistake == "merge_without_transpose" else out.transpose(0, 2, 1, 3)
    if mistake == "merge_permuted":
        if h == 1:
            raise NotHere
        merged = {"reversed": merged[:, :, ::-1], "rolled": np.roll(merged, 1, 2), "channels": merged.swapaxes(2, 3)}[choice]
    s["concat"] = merged.reshape(b, n, h * d)
    s["output"] = s["concat"]
    if mistake == "no_output_projection":
        if "W_o" not in p:
            raise NotHere
    else:
        s["output"] = linear(s["concat"], "o")
    if mistake == "residual_included":
        if s["output"].shape != p["query"].shape:
            raise NotHere
        s["output"] = s["output"] + p["query"]
    if mistake == "constant_factor" and choice == "output":
        s["output"] = s["output"] * 1.07
    return s


MISTAKES = """no_scale scale_by_d_model scale_multiplied softmax_over_queries softmax_over_heads split_without_transpose
merge_without_transpose mask_inverted mask_ignored mask_after_softmax mask_finite_fill causal_excludes_self causal_sees_next
causal_wrong_corner dropout_active weight_not_transposed bias_missing no_output_projection query_key_swapped value_is_key
rope_pairing gqa_tiled heads_averaged mask_transposed padding_on_queries rope_on_values sigmoid_weights merge_permuted
residual_included constant_factor""".split()


def read_case(name, folder):
    source, settings, extra = CASES[name] if isinstance(name, str) else name
    file = FIXTURES / str(source)
    if isinstance(source, dict):
        file = Path(folder, "scenario.json")
        file.write_text(json.dumps(source))
    out = Path(folder, "trace.npz")
    subprocess.run([PROGRAM, "trace", file, "-o", out, "--parameters", *settings], check=True, capture_output=True)
    with np.load(out) as trace:
        arrays = {k: v.astype(np.float64) if v.dtype.kind == "f" else v for k, v in trace.items()}
    heads, kv_heads = arrays["Q_heads"].shape[1], arrays["K_heads"].shape[1]
    case = dict(arrays={k: v for k, v in arrays.items() if k in ("query", "key", "value") or k[:2] in ("W_", "b_")},
                heads=heads, kv_heads=kv_heads, mask=arrays.get("mask"), fill=extra.get("fill", -math.inf),
                rope=extra.get("rope"), command=[file, *settings])
    if isinstance(source, str):
        with np.load(file) as given:
            if "attn_bias" in given:
                case["arrays"]["attn_bias"] = given["attn_bias"].astype(np.float64)
    return case


def close(a, b):
    if a.shape != b.shape:
        return False
    return bool(np.all(np.isclose(a, b, rtol=1e-4, atol=1e-5, equal_nan=True)))


def compare(case, stages, folder):
    mine = Path(folder, "mine.npz")
    np.savez(mine, **{k: v if v.dtype == bool else v.astype(np.float32) for k, v in stages.items()})
    file, *settings = case["command"]
    run = subprocess.run([PROGRAM, "compare", file, mine, "--json", *settings], capture_output=True, text=True)
    if run.returncode not in (0, 1):
        raise RuntimeError(f"exit {run.returncode}: {run.stderr}")
    report = json.loads(run.stdout)
    assert (report["match"] is True) == (run.returncode == 0) and (report["first_difference"] is None) == (report["match"] is not False)
    return report


class Tally:
    def __init__(self):
        self.found, self.first, self.failures = Counter(), Counter(), []
        self.right = self.wrong = 0
        self.unnamed = []

    def check(self, ok, sentence):
        if not ok:
            self.failures.append(sentence)
            print("FAILED:", sentence)


def try_mistake(case, name, mistake, choice, right, folder, tally):
    try:
        wrong = stages_of(case, mistake, choice)
    except NotHere:
        return
    for saved, names in SAVED.items():
        stages = {k: v for k, v in wrong.items() if names is None or k in names}
        label = f"{name}: {mistake}{'' if choice is None else f' {choice}'} from {saved}"
        differing = [k for k in stages if not close(stages[k], right[k])]
        if mistake == "mask_finite_fill" and choice == -100.0 and names is not None and not right["mask"].any(3).all():
            continue  # it leaks nothing: only rows without any key differ, which is harmless
        report = compare(case, stages, folder)
        ids = [finding["id"] for finding in report["diagnosis"]]
        if not differing:
            tally.right += 1
            tally.check(report["match"] and not ids, f"{label}: changes nothing, but {ids or 'no match'}")
            continue
        tally.check(report["first_difference"] == differing[0], f"{label}: first {report['first_difference']}, not {differing[0]}")
        tally.wrong += 1
        if all(np.isnan(stages[k]).all() for k in differing):
            tally.check(not ids, f"{label}: only NaN differs, which is no evidence, but {ids}")
            continue
        if mistake not in ids and not (mistake == "dropout_active" and saved == "output" and is_undetermined(right)):
            tally.unnamed.append(f"{label}: found {ids}")
        tally.found[mistake, saved] += mistake in ids
        tally.first[mistake, saved] += ids[:1] == [mistake]
        if VERBOSE and ids != [mistake]:
            print(f"{label}: {ids}")


def is_undetermined(right):
    """Whether a row of the output depends on too many weights to find out which were dropped."""
    return (right["weights"] > 0).sum((1, 3)).max() > max(26, right["output"].shape[-1])


def check_pytorch(tally):
    """PyTorch's own stages match in every stage that it has."""
    for expected in sorted(FIXTURES.glob("*.expected.npz")):
        file = expected.with_name(expected.name.replace("expected", "input"))
        if file.exists():
            run = subprocess.run([PROGRAM, "compare", file, expected], capture_output=True, text=True)
            tally.check(run.returncode == 0, f"{expected.name}: exit {run.returncode} {run.stdout}{run.stderr}")


def to_bfloat16(x):
    bits = x.astype(np.float32).view(np.uint32)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)
    return np.where(np.isfinite(x), rounded, x)


def to_float16(x):
    with np.errstate(over="ignore"):  # a fill becomes −inf
        return x.astype(np.float16).astype(np.float32)


def check_harmless(name, case, right, folder, tally):
    """Another fill in masked_scores, and rounded numbers, give a note and are no difference."""
    for cast, known in ((to_bfloat16, "rounded_bf16"), (to_float16, "rounded_f16")):
        report = compare(case, {k: cast(v) if v.dtype != bool else v for k, v in right.items()}, folder)
        tally.right += 1
        ids = [finding["id"] for finding in report["diagnosis"]]
        tally.check(report["match"] and known in ids, f"{name}: {known}: {report['first_difference']} differs, {ids}")
    if case["mask"] is None or not case["mask"].any(3).all() or case["mask"].all():
        return
    for fill in (-1e9, -1e4, -3.4e38, -math.inf):
        stages = dict(right, masked_scores=np.where(case["mask"], right["masked_scores"], fill))
        for names in (None, ("masked_scores",), ("masked_scores", "weights", "output")):
            report = compare(case, {k: v for k, v in stages.items() if names is None or k in names}, folder)
            ids = [finding["id"] for finding in report["diagnosis"]]
            expected = [] if fill == case["fill"] else ["mask_finite_fill"]
            tally.right += 1
            tally.check(report["match"] and ids == expected, f"{name}: fill {fill}: {report['first_difference']} differs, {ids}")


def check_any_fill(tally, folder):
    """A mistake that is found from the output alone is also found from every stage, with every fill."""
    case = read_case("rotated halves", folder)
    right = stages_of(case)
    for fill in (-1e9, -1e4, -math.inf):
        for mistake in ("causal_excludes_self", "causal_sees_next", "mask_transposed", "merge_without_transpose"):
            wrong = stages_of(dict(case, fill=fill), mistake)
            for saved, names in {**SAVED, "no mask": set(wrong) - {"mask"}}.items():
                report = compare(case, {k: v for k, v in wrong.items() if names is None or k in names}, folder)
                ids = [finding["id"] for finding in report["diagnosis"]]
                tally.check(ids[:1] == [mistake], f"fill {fill}: {mistake} from {saved}: found {ids}")


def try_case(label, described, folder, tally):
    case = read_case(described, folder)
    right = stages_of(case)
    for saved, names in SAVED.items():
        report = compare(case, {k: v for k, v in right.items() if names is None or k in names}, folder)
        tally.right += 1
        tally.check(report["match"] and not report["diagnosis"], f"{label}: right, but {report['first_difference']} differs")
    check_harmless(label, case, right, folder, tally)
    for mistake in MISTAKES:
        for choice in CHOICES.get(mistake, [None]):
            try_mistake(case, label, mistake, choice, right, folder, tally)


def drawn_case(rng):
    """A scenario, its settings, and the arguments that stages_of() needs for them."""
    heads, d_head = rng.choice([1, 2, 3, 4, 6, 8]), rng.choice([2, 4, 6, 8])
    scenario = dict(source="random", batch_size=rng.randint(1, 3), queries=rng.randint(3, 12), d_model=heads * d_head, heads=heads,
                    seed=rng.randrange(10 ** 6))
    settings, known, masks = [], {}, [None, "causal()", "causal()", "window(3)", "causal() && window(3)"]
    if rng.random() < 0.3:
        scenario["keys"] = scenario["queries"] + rng.randint(1, 5)
        masks += ["causal_bottom_right()"]
    elif rng.random() < 0.3:
        known["rope"] = rng.choice(["half", "interleaved"])
        settings += ["--rope", known["rope"]]
    if rng.random() < 0.3:
        scenario["kv_heads"] = rng.choice([n for n in range(1, heads + 1) if heads % n == 0])
    if rng.random() < 0.3:
        lengths = [rng.randint(1, scenario.get("keys", scenario["queries"])) for _ in range(scenario["batch_size"])]
        settings += ["--valid-lens", ",".join(map(str, lengths))]
        masks = ["padding()", "causal() && padding()"]
    mask = rng.choice(masks)
    if mask:
        scenario["mask"] = mask
        if rng.random() < 0.3:
            known["fill"] = -1e9
            settings += ["--fill", "-1e9"]
    return scenario, settings, known


def drawn_cases(folder, tally):
    rng = random.Random(ARGUMENTS.seed)
    number = 0
    while tally.wrong < ARGUMENTS.random:
        described = drawn_case(rng)
        number += 1
        try_case(f"case {number} {described}", described, folder, tally)
    for sentence in tally.unnamed:
        print("not named:", sentence)
    print(f"{number} cases; {tally.wrong} mistaken, {len(tally.unnamed)} of them not named; {tally.right} right, {len(tally.failures)} failures")
    return 1 if tally.failures or 100 * len(tally.unnamed) > tally.wrong else 0


def main():
    tally = Tally()
    if ARGUMENTS.random:
        with tempfile.TemporaryDirectory() as folder:
            return drawn_cases(folder, tally)
    check_pytorch(tally)
    with tempfile.TemporaryDirectory() as folder:
        for name in CASES:
            try_case(name, name, folder, tally)
        check_any_fill(tally, folder)
    for sentence in tally.unnamed:
        tally.check(False, sentence)
    for mistake in MISTAKES:
        for saved in SAVED:
            found = tally.found[mistake, saved]
            if VERBOSE:
                print(f"{mistake:26} from {saved:16} found {found:3}, first {tally.first[mistake, saved]:3}")
            tally.check(found >= 3, f"{mistake} from {saved}: found in {found} cases, expected three or more")
    print(f"{sum(tally.found.values())} found, {len(tally.failures)} failed")
    return 1 if tally.failures else 0


sys.exit(main())
