#!/usr/bin/env python3
"""`headlight compare` on attention drawn at random: mistakes of every kind, and right code in twelve styles.

    drawn_mistakes.py PROGRAM [--cases N] [--right N] [--seed S] [--only KIND] [--verbose]

Settings, sizes (B = n, n_q ≠ n_k, one head, groups), the mistake with its parameter and the saved stages are drawn, of each kind of
drawn_kinds.py once unless N is given. A mistake must be named first in at least 93 of 100 cases, never another one without it; right
code must never be accused. Every id of the manual has a kind.
"""
import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

try:
    import numpy as np
except ImportError:
    print("skipped: no NumPy")
    sys.exit(77)
from drawn_attention import NotHere, attention, mask_of
from drawn_blocks import block_settings, write_block
from drawn_kinds import KINDS, PAIRED_MASKS, WITH_MASK, no_mask, settings, square
from drawn_styles import STYLES

parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("--cases", type=int, default=len(KINDS))
parser.add_argument("--right", type=int, default=60)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--only", default="")
parser.add_argument("--jobs", type=int, default=1)
parser.add_argument("--keep", default="", help="folder for the files of cases that were not named")
parser.add_argument("--verbose", action="store_true")
ARGUMENTS = parser.parse_args()
MANUAL = Path(__file__).parents[2] / "docs/reference.md"

SAVED = [None, None, ("weights", "output"), ("weights", "output"), ("output",), ("output",), ("scaled_scores", "weights", "output"),
         ("Q", "K", "V", "output"), ("Q_heads", "K_heads", "V_heads", "weights", "output"), ("masked_scores", "weights", "output"),
         ("Q_rotated", "K_rotated", "scaled_scores", "weights", "output"), ("scores", "weights", "head_outputs", "output"), ("concat", "output"),
         ("weights", "head_outputs")]


def close(a, b, times=1):
    return a.shape == b.shape and bool(np.all(np.isclose(a, b, rtol=1e-4 * times, atol=1e-5 * times, equal_nan=True)))


def command_of(c, folder):
    """The network's file and the settings' words."""
    if c["before"]:
        return write_block(c, folder)
    p = c["parameters"]
    net = {f"{i}_proj.weight": p["W" + i] for i in "qkvo" if p["W" + i] is not None}
    net |= {f"{i}_proj.bias": p["b" + i] for i in "qkvo" if p.get("b" + i) is not None}
    net |= dict(x=p["query"]) if p["key"] is p["query"] else dict(query=p["query"], key=p["key"], value=p["key"])
    net = {name: value.astype(np.float32) for name, value in net.items()}
    net |= dict(num_heads=c["H"], num_kv_heads=c["G"])
    for which in ("q", "k") if c["learned"] else ():
        net[which + "_norm.weight"] = p[which + "_norm"].astype(np.float32)
        if c["norm"] == "layer":
            net[which + "_norm.bias"] = p[which + "_norm_bias"].astype(np.float32)
    if c["t5"]:
        net["relative_attention_bias.weight"] = p["t5"].astype(np.float32)
    words = []
    if c["file_mask"] is not None:
        net["mask"] = c["file_mask"]
    if c["attn_bias"] is not None:
        net["attn_bias"] = c["attn_bias"].astype(np.float32)
    mask = ["causal()" if c["causal"] == "top" else "causal_bottom_right()"] if c["causal"] else []
    mask += [f"window({c['window']})"] if c["window"] else []
    mask += ["padding()"] if c["lengths"] is not None and mask else []
    mask += ["file()"] if c["file_mask"] is not None and mask else []
    if mask:
        words += ["--mask", " && ".join(mask)]
    if c["lengths"] is not None:
        net["valid_lens"] = np.array(c["lengths"])
    words += ["--query-offset", str(c["offset"])]
    if c["rope"]:
        words += ["--rope", c["rope"], "--rope-base", f"{c['base']:g}"]
        words += ["--rotary-dim", str(c["turned"])] if c["turned"] != c["d"] else []
    words += [f"--t5-bidirectional={'true' if c['t5_both'] else 'false'}", "--scale", f"{c['scale'] or c['d'] ** -0.5:.9g}"] if c["t5"] else []
    words += ["--alibi"] if c["alibi"] else []
    words += ["--softcap", f"{c['cap']:g}"] if c["cap"] else []
    words += [f"--qk-norm={c['norm']}"] if c["norm"] and not c["learned"] else []
    words += ["--scale", f"{c['scale']:g}"] if c["scale"] and not c["t5"] else []
    words += ["--fill", f"{c['fill']:g}"] if np.isfinite(c["fill"]) else []
    np.savez(Path(folder, "net.npz"), **net)
    return words


def compare(c, stages, folder):
    words = command_of(c, folder)
    np.savez(Path(folder, "mine.npz"), **{k: v if v.dtype in (bool, np.float16) else v.astype(np.float32) for k, v in stages.items()})
    command = ["compare", str(Path(folder, "net" if c["before"] else "net.npz")), str(Path(folder, "mine.npz")), *words, "--json"]
    run = subprocess.run([ARGUMENTS.program, *command], capture_output=True, text=True)
    if run.returncode not in (0, 1):
        raise RuntimeError(f"exit {run.returncode}: {run.stderr} {command}")
    report = json.loads(run.stdout)
    assert (report["match"] is True) == (run.returncode == 0), command
    return report, words


def mistaken_case(rng, kind):
    """Settings, right stages, wrong stages, ids."""
    wanted, make, ids = KINDS[kind]
    needs = wanted(rng)
    c = block_settings(rng, needs["architecture"]) if "architecture" in needs else settings(rng, **needs)
    paired = None
    if kind in WITH_MASK and rng.random() < 0.25 and square(c):
        c.update(no_mask(rng), causal="top")
        paired = str(rng.choice(list(PAIRED_MASKS)))
    m = make(rng, c)
    if m.get("base") == c["base"] or m.get("turned") == c["turned"] or m.get("cap") == c["cap"]:
        raise NotHere
    if m["kind"].startswith("mask") and mask_of(c) is None:
        raise NotHere
    alone = None
    if paired:
        alone = attention(c, m)
        m["mask"] = PAIRED_MASKS[paired] or dict(causal="")
        ids = [*ids, paired]
    right, wrong = attention(c), attention(c, m)
    names = SAVED[rng.integers(len(SAVED))]
    over = m["kind"].startswith("attention_over")
    if over:
        names = ("output",) if rng.random() < 0.5 else ("weights", "output")
    saved = {k: v for k, v in wrong.items() if names is None or k in names}
    if "mask" in saved and rng.random() < 0.5:
        del saved["mask"]
    if m["kind"] == "dropout_active" and "weights" not in saved:
        saved["weights"] = wrong["weights"]
    if m["kind"] == "channels_dropped":
        saved[m["stage"]] = wrong[m["stage"]]
    if alone and all(close(alone[k], right[k], 10) for k in saved):
        raise NotHere
    finite = {k: v for k, v in saved.items() if np.isfinite(v.astype(float)).any()}
    if not finite or all(k in right and close(v.astype(float), right[k].astype(float), 10) for k, v in finite.items()):
        raise NotHere
    return c, saved, ids


def try_mistake(number):
    rng = np.random.default_rng([ARGUMENTS.seed, number])
    kinds = [k for k in KINDS if ARGUMENTS.only in k]
    kind = kinds[number % len(kinds)]
    for _ in range(60):
        try:
            c, saved, ids = mistaken_case(rng, kind)
            break
        except NotHere:
            continue
    else:
        return kind, "not drawn", ""
    with tempfile.TemporaryDirectory() as folder:
        report, words = compare(c, saved, folder)
        found = [each["id"] for each in report["diagnosis"] if not each.get("harmless")]
        how = "first" if found[:1] and found[0] in ids else "later" if set(found) & set(ids) else "wrongly" if found else "unnamed"
        if report["match"]:
            how = "blessed"
        if ARGUMENTS.keep and how != "first":
            target = Path(ARGUMENTS.keep, f"{how}-{kind.replace(' ', '_')}-{number}")
            target.mkdir(parents=True, exist_ok=True)
            shutil.copytree(folder, target, dirs_exist_ok=True)
            (target / "words").write_text(json.dumps(words))
    sizes = {k: c[k] for k in ("B", "H", "G", "n_q", "n_k", "d")}
    return kind, how, f"{number} {kind}: {found} for {ids}, saved {' '.join(saved)}; {sizes} {' '.join(words)}"


def try_right(number):
    rng = np.random.default_rng([ARGUMENTS.seed, 7, number])
    style = list(STYLES)[number % len(STYLES)]
    for _ in range(100):
        c = settings(rng)
        if style in ("rows of zeros", "the lowest fill"):
            c.update(file_mask=rng.random((c["B"], 1, c["n_q"], c["n_k"])) < 0.3)
        try:
            with np.errstate(all="ignore"):
                stages = STYLES[style](c, attention(c))
            break
        except NotHere:
            continue
    names = SAVED[rng.integers(len(SAVED))]
    saved = {k: v for k, v in stages.items() if names is None or k in names} or stages
    with tempfile.TemporaryDirectory() as folder:
        report, words = compare(c, saved, folder)
    accused = [each["id"] for each in report["diagnosis"] if not each.get("harmless")]
    how = "accused" if accused else "agrees" if report["match"] else "differs"
    return "right: " + style, how, f"{number} {style}: {report['first_difference']} differs, {accused}, saved {' '.join(saved)}; {' '.join(words)} {c['B'], c['H'], c['G'], c['n_q'], c['n_k'], c['d']}"


def questions():
    """What agrees only under a mask that was not given is neither right nor wrong; a mask that is a known mistake is named."""
    rng, failures = np.random.default_rng(ARGUMENTS.seed), []
    for shift, ids in ((0, []), (1, ["causal_sees_next"]), (-1, ["causal_excludes_self"]), (2, [])):
        for names in (("weights", "output"), ("output",)):
            if names == ("output",) and shift == 2:
                continue
            c = settings(rng, causal="top", window=0, lengths=None, file_mask=None, n_q=7, n_k=7, alibi=False, attn_bias=None, rope="", fill=-1e9)
            stages = attention(c, dict(mask=dict(shift=shift)))
            with tempfile.TemporaryDirectory() as folder:
                report, _ = compare(dict(c, causal="", fill=-np.inf), {name: stages[name] for name in names}, folder)
            found = [each["id"] for each in report["diagnosis"] if not each.get("harmless")]
            if report["match"] is not None or found != ids:
                failures.append(f"a mask that was not given, k <= q + {shift}, {names}: match {report['match']}, {found}")
    return failures


def not_made():
    """The ids of the manual, which has those of the program, that no kind makes; and those of kinds that it does not have."""
    rows = re.findall(r"^\| `(\w+)` \|", MANUAL.read_text(encoding="utf-8").split("\n| id |")[1].split("\n\n")[0], re.MULTILINE)
    made = {name for _, _, names in KINDS.values() for name in names} | set(PAIRED_MASKS)
    lacking = [f"{name}: compare knows it, and no kind of drawn_kinds.py makes it" for name in rows if name not in made]
    return lacking + [f"{name}: a kind of drawn_kinds.py makes it, and compare does not know it" for name in sorted(made - set(rows))]


def main():
    tally, lines, lacking = {}, questions(), not_made()
    with ThreadPoolExecutor(ARGUMENTS.jobs) as pool:
        results = [*pool.map(try_mistake, range(ARGUMENTS.cases)), *pool.map(try_right, range(ARGUMENTS.right))]
    for kind, how, line in results:
        tally.setdefault(kind, Counter())[how] += 1
        if how not in ("first", "agrees", "not drawn") and (ARGUMENTS.verbose or how in ("wrongly", "accused", "blessed", "differs")):
            lines.append(f"{how}: {line}")
    if not ARGUMENTS.only:
        lacking += [f"{kind}: none of its settings can make this mistake" for kind, counts in tally.items() if set(counts) == {"not drawn"}]
    for line in sorted(lines + lacking):
        print(line)
    for kind, counts in tally.items():
        if ARGUMENTS.verbose or set(counts) - {"first", "agrees"}:
            print(f"{kind:36}", ", ".join(f"{how} {n}" for how, n in counts.most_common()))
    total = sum((counts for kind, counts in tally.items() if not kind.startswith("right")), Counter())
    right = sum((counts for kind, counts in tally.items() if kind.startswith("right")), Counter())
    made = sum(total.values()) - total["not drawn"]
    print(f"{made} mistakes: {dict(total)}; {sum(right.values())} right: {dict(right)}")
    failed = lacking or any(line.startswith("a mask that was not given") for line in lines) or total["wrongly"] + total["blessed"] + right["accused"] + right["differs"] > 0 or total["first"] < 0.93 * made
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
