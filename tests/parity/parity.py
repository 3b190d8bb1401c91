#!/usr/bin/env python3
"""Every stage of `headlight trace` against PyTorch, over random scenarios of all variants.

    parity.py PROGRAM [--count N] [--seed N] [--keep FOLDER]

PyTorch starts from the traced inputs and parameters alone and computes in float64; the tolerance is that of every test,
|a - b| <= 1e-5 + 1e-4 |b|, NaN and infinities in the same places. Prints the largest error of each stage.
Exit status: 0 agreement, 1 a difference, 77 where PyTorch is not installed.
"""
import argparse
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import torch
    import torch.nn.functional as F
except ImportError:
    print("skipped: it needs PyTorch (apt-get install python3-torch)")
    sys.exit(77)

from scenarios import draw, not_drawn

SCHEMA = pathlib.Path(__file__).parents[2] / "assets/scenario.schema.json"
STAGES = """query key value Q K V Q_heads K_heads V_heads Q_normed K_normed Q_rotated K_rotated Q_scaled scores scaled_scores capped_scores
biased_scores mask masked_scores weights dropped_weights head_outputs concat output contribution_norms""".split()


def split(x, heads):
    return x.view(x.shape[0], x.shape[1], heads, -1).transpose(1, 2)


def query_offset(settings, n_q, n_k):
    """The position of the first query: as set; if a mask is aligned at the end, fewer queries than keys are the last ones."""
    if "query_offset" in settings:
        return settings["query_offset"]
    return n_k - n_q if n_q < n_k and "causal_bottom_right" in settings.get("mask", "") else 0


def rope(x, pairing, base, first=0, turned=None):
    """Su et al. 2021; `half` as transformers' LLaMA, `interleaved` as complex numbers. Of the first channels only if `turned` says so."""
    n, d = x.shape[-2:]
    if turned is not None and turned < d:
        return torch.cat([rope(x[..., :turned], pairing, base, first), x[..., turned:]], -1)
    angle = torch.outer(torch.arange(first, first + n, dtype=x.dtype), base ** (-torch.arange(0, d, 2, dtype=x.dtype) / d))
    if pairing == "half":
        angle = torch.cat([angle, angle], -1)
        other = torch.cat([-x[..., d // 2:], x[..., : d // 2]], -1)
        return x * angle.cos() + other * angle.sin()
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], d // 2, 2).contiguous())
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angle), angle)).flatten(-2)


def qk_norm(x, kind):
    if kind == "l2":
        return F.normalize(x, dim=-1)
    if kind == "layer":
        return F.layer_norm(x, x.shape[-1:])
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)


def alibi_slopes(heads):
    """The slopes of ALiBi, as in the authors' fairseq code."""
    def power_of_2(n):
        start = 2 ** (-(2 ** -(math.log2(n) - 3)))
        return [start ** (i + 1) for i in range(n)]
    if math.log2(heads).is_integer():
        return power_of_2(heads)
    closest = 2 ** math.floor(math.log2(heads))
    return power_of_2(closest) + alibi_slopes(2 * closest)[0::2][: heads - closest]


def t5_bucket(distance, bidirectional, buckets=32, farthest=128):
    """The buckets of relative positions, as in transformers' T5Attention."""
    bucket = torch.zeros_like(distance)
    if bidirectional:
        buckets //= 2
        bucket = bucket + (distance > 0).long() * buckets
        distance = distance.abs()
    else:
        distance = -torch.min(distance, torch.zeros_like(distance))
    exact = buckets // 2
    far = exact + (torch.log(distance.float() / exact) / math.log(farthest / exact) * (buckets - exact)).long()
    return bucket + torch.where(distance < exact, distance, far.clamp(max=buckets - 1))


def bias_of(case, traced, heads, n_q, n_k):
    settings, total = case.settings, 0
    distance = torch.arange(n_k)[None, :] - torch.arange(n_q)[:, None] - query_offset(settings, n_q, n_k)
    if settings.get("alibi_symmetric"):
        total = total + torch.tensor(alibi_slopes(heads), dtype=torch.float64)[:, None, None] * -distance.abs()
    elif settings.get("alibi"):
        total = total + torch.tensor(alibi_slopes(heads), dtype=torch.float64)[:, None, None] * distance
    if settings.get("t5_bias"):
        bucket = t5_bucket(distance, settings.get("t5_bidirectional", True))
        total = total + traced["t5_table"][:, bucket]
    if case.bias is not None:
        total = total + torch.from_numpy(case.bias).double()
    return total


def softmax(case, scores, traced):
    if case.settings.get("sink_logit"):
        sink = traced["sink_logits"][None, :, None, None].expand(*scores.shape[:3], 1)
        return torch.cat([scores, sink], -1).softmax(-1)[..., :-1]
    return scores.softmax(-1)


def dead_rows(case, weights, mask):
    policy = case.settings.get("dead_row")
    if policy is None or mask is None:
        return weights
    value = {"nan": math.nan, "uniform": 1 / weights.shape[-1], "zero": 0.0}[policy]
    return weights.masked_fill(~mask.any(-1, keepdim=True), value)


def linear(x, traced, name):
    if f"W_{name}" not in traced:
        return x
    return F.linear(x, traced[f"W_{name}"], traced.get(f"b_{name}"))


def expected_stages(case, traced):
    s = case.settings
    want = {name: traced[name] for name in ("query", "key", "value")}
    heads, kv_heads = case.heads, case.kv_heads
    want["Q"], want["K"], want["V"] = (linear(traced[x], traced, x[0]) for x in ("query", "key", "value"))
    q, k, v = split(want["Q"], heads), split(want["K"], kv_heads), split(want["V"], kv_heads)
    want["Q_heads"], want["K_heads"], want["V_heads"] = q, k, v
    if s.get("qk_norm"):
        q, k = want["Q_normed"], want["K_normed"] = [qk_norm(x, s["qk_norm"]) for x in (q, k)]
    if s.get("rope"):
        q, k = want["Q_rotated"], want["K_rotated"] = [
            rope(x, s["rope"], s.get("rope_base", 10000.0), first, s.get("rotary_dim"))
            for x, first in ((q, query_offset(s, q.shape[-2], k.shape[-2])), (k, 0))]
    k, v = (x.repeat_interleave(heads // kv_heads, 1) for x in (k, v))

    scale = s.get("scale", q.shape[-1] ** -0.5)
    if s.get("scale_first"):  # as nn.MultiheadAttention does
        q = want["Q_scaled"] = q * scale
        scores = want["scores"] = q @ k.transpose(-1, -2)
    else:
        scores = want["scores"] = q @ k.transpose(-1, -2)
        scores = want["scaled_scores"] = scores * scale
    if "softcap" in s:
        scores = want["capped_scores"] = s["softcap"] * torch.tanh(scores / s["softcap"])
    if s.get("alibi") or s.get("alibi_symmetric") or s.get("t5_bias") or case.bias is not None:
        scores = want["biased_scores"] = scores + bias_of(case, traced, heads, scores.shape[-2], scores.shape[-1])
    mask = None
    if case.mask is not None:
        mask = torch.from_numpy(np.array(np.broadcast_to(case.mask, scores.shape)))
        want["mask"] = mask.double()
        added = torch.zeros_like(scores).masked_fill(~mask, case.fill)
        if s.get("mask_mode") == "add":  # in float32, as the fill's size rounds the scores that it is added to
            scores = (scores.float() + added.float()).to(scores.dtype)
        else:
            scores = scores.masked_fill(~mask, case.fill)
    want["masked_scores"] = scores
    weights = want["weights"] = dead_rows(case, softmax(case, scores, traced), mask)
    if s.get("training") and s.get("dropout", 0) > 0:
        weights = want["dropped_weights"] = weights * traced["dropout_keep"] / (1 - s["dropout"])
    want["head_outputs"] = weights @ v
    want["concat"] = want["head_outputs"].transpose(1, 2).flatten(2)
    want["output"] = linear(want["concat"], traced, "o")
    if "W_o" in traced:
        v = v @ traced["W_o"].view(traced["W_o"].shape[0], heads, -1).permute(1, 2, 0)
    want["contribution_norms"] = (weights[..., None] * v[:, :, None]).norm(dim=-1)
    return want


def difference(got, want):
    """The largest |got - want|, and whether every number is within the tolerance."""
    if got.shape != want.shape:
        return math.inf, False
    special = ~torch.isfinite(got) | ~torch.isfinite(want)
    same = torch.equal(torch.nan_to_num(got[special], 1e30, 2e30, 3e30), torch.nan_to_num(want[special], 1e30, 2e30, 3e30))
    error = (got - want).abs().masked_fill(special, 0)
    close = bool((error <= 1e-5 + 1e-4 * want.abs().masked_fill(special, 0)).all())
    return float(error.max()) if error.numel() else 0.0, same and close


def run(program, case, folder):
    case.write(folder)
    out = folder / "trace.npz"
    command = [program, "trace", str(folder / "scenario.json"), "-o", str(out), "--parameters", "--contributions"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip() or f"exit status {done.returncode}")
    with np.load(out) as arrays:
        return {name: torch.from_numpy(arrays[name].astype(np.float64)) for name in arrays.files}


def compare(case, traced):
    """Returns the problems, and the largest error of each stage."""
    want = expected_stages(case, traced)
    present = [name for name in STAGES if name in traced]
    problems = [f"{name} is {'missing' if name in want else 'there'}"
                for name in STAGES if (name in want) != (name in traced)]
    errors = {}
    for name in present:
        if name in want:
            errors[name], fine = difference(traced[name], want[name])
            if not fine:
                problems.append(f"{name} differs by up to {errors[name]:.3g}")
    return problems, errors


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the scenarios that differ")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    worst, seen, failures = {}, {}, 0
    undrawn = not_drawn(json.loads(SCHEMA.read_text(encoding="utf-8"))["properties"])
    for line in undrawn:
        print(line, file=sys.stderr)
    with tempfile.TemporaryDirectory() as scratch:
        for number in range(options.count):
            case = draw(rng)
            folder = (options.keep or pathlib.Path(scratch)) / str(number)
            folder.mkdir(parents=True, exist_ok=True)
            try:
                problems, errors = compare(case, run(options.program, case, folder))
            except RuntimeError as error:
                problems, errors = [str(error)], {}
            except KeyError as error:
                problems, errors = [f"the trace has no {error}"], {}
            for name, error in errors.items():
                worst[name] = max(worst.get(name, 0), error)
                seen[name] = seen.get(name, 0) + 1
            if problems:
                failures += 1
                print(f"scenario {number}: {'; '.join(problems)}\n  {json.dumps(case.settings)}", file=sys.stderr)
    print(f"{'stage':<16} {'scenarios':>9} {'largest error':>14}")
    for name in STAGES:
        if name in worst:
            print(f"{name:<16} {seen[name]:>9} {worst[name]:>14.3g}")
    print(f"{options.count - failures} of {options.count} scenarios agree with PyTorch {torch.__version__}")
    return 1 if failures or undrawn else 0


if __name__ == "__main__":
    sys.exit(main())
