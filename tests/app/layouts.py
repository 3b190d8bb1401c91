#!/usr/bin/env python3
"""Weights in every layout that libraries and teaching code store them in, masks and numbers of every kind, heads without
projections, attention alone: written by NumPy, traced, and compared with the attention that NumPy computes.

    layouts.py PROGRAM
"""
import json
import os
import pickle
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
except ImportError:
    print("skipped: it needs NumPy (apt-get install python3-numpy)")
    sys.exit(77)

PROGRAM = sys.argv[1]
FOLDER = tempfile.TemporaryDirectory()
rng = np.random.default_rng(7)
B, H, N, D_HEAD, D = 2, 4, 5, 6, 24
failures = checks = 0


def drawn(*shape):
    return rng.standard_normal(shape).astype(np.float32)


X = drawn(B, N, D)
W = {p: drawn(D, D) / 4 for p in "qkvo"}  # [out, in]
b = {p: drawn(D) for p in "qkvo"}


def attention(x=X, heads=H, kv_heads=None, weights=None, biases=None, mask=None, scale=None, softcap=None, bias=None, output=True):
    """[B, n, d] through PyTorch's definition, in float64; mask true = may attend, broadcast to [B, H, n, n]."""
    weights, biases, kv_heads = weights or W, b if biases is None else biases, kv_heads or heads

    def project(p, t):
        return t.astype(np.float64) @ weights[p].T.astype(np.float64) + (biases[p] if biases.get(p) is not None else 0)

    def split(t, count):
        return t.reshape(t.shape[0], t.shape[1], count, -1).transpose(0, 2, 1, 3)

    q, k, v = (split(project(p, x), heads if p == "q" else kv_heads) for p in "qkv")
    return from_heads(q, k, v, mask, scale, softcap, bias, (lambda c: project("o", c)) if output else None)


def from_heads(q, k, v, mask=None, scale=None, softcap=None, bias=None, project=None):
    q, k, v = (t.astype(np.float64) for t in (q, k, v))
    k, v = (np.repeat(t, q.shape[1] // t.shape[1], axis=1) for t in (k, v))
    s = q @ k.swapaxes(-1, -2) * (scale if scale else q.shape[-1] ** -0.5)
    if softcap:
        s = softcap * np.tanh(s / softcap)
    if bias is not None:
        s = s + bias
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    with np.errstate(invalid="ignore"):
        e = np.exp(s - s.max(-1, keepdims=True))
    w = e / e.sum(-1, keepdims=True)
    o = w @ v
    concat = o.transpose(0, 2, 1, 3).reshape(o.shape[0], o.shape[2], -1)
    return {"weights": w, "concat": concat, "output": project(concat) if project else concat}


def run(path, *settings):
    out = Path(FOLDER.name, "out.npz")
    out.unlink(missing_ok=True)
    done = subprocess.run([PROGRAM, "trace", path, "-o", out, *settings], capture_output=True, text=True)
    stages = dict(np.load(out)) if out.exists() else None
    return done.returncode, done.stderr, stages


def complain(name, text):
    global failures
    failures += 1
    print(f"{name}: {text}")


def save(arrays, name="a.npz"):
    path = Path(FOLDER.name, name)
    np.savez(path, **arrays)
    return path


def check(name, arrays, expected, *settings, says="", path=None):
    global checks
    checks += 1
    status, said, stages = run(path or save(arrays), *settings)
    if status != 0:
        return complain(name, said.strip())
    for word in [says] if isinstance(says, str) else says:
        if word not in said:
            complain(name, f"does not say {word!r}:\n{said}")
    for stage, wanted in expected.items():
        if stage not in stages:
            complain(name, f"has no {stage}")
        elif not np.allclose(stages[stage], wanted, rtol=1e-4, atol=1e-5, equal_nan=True):
            complain(name, f"{stage} differs by {np.nanmax(np.abs(stages[stage] - wanted))}")


def refused(name, arrays, says, *settings, path=None):
    global checks
    checks += 1
    status, said, stages = run(path or save(arrays), *settings)
    if status != 2 or stages is not None or says not in said or said.count("\n") != 1:
        complain(name, f"not refused with {says!r}: {status} {said}")


def linear(names, suffix=(".weight", ".bias"), prefix="", parts=W, biases=b, turn=False):
    arrays = {}
    for p, name in zip("qkvo", names):
        if name is None:
            continue
        arrays[prefix + name + suffix[0]] = parts[p].T if turn else parts[p]
        if biases:
            arrays[prefix + name + suffix[1]] = biases[p]
    return arrays


def with_x(arrays, heads=True, **more):
    return {**arrays, "x": X, **({"num_heads": H} if heads else {}), **more}


def names_of_projections():
    usual = attention()
    for names in [("q_proj", "k_proj", "v_proj", "o_proj"), ("W_query", "W_key", "W_value", "out_proj"), ("Wq", "Wk", "Wv", "Wo"),
                  ("linears.0", "linears.1", "linears.2", "linears.3"), ("to_q", "to_k", "to_v", "to_out.0"), ("query", "key", "value", "dense"),
                  ("fc_q", "fc_k", "fc_v", "fc_o"), ("w_qs", "w_ks", "w_vs", "fc"), ("q_linear", "k_linear", "v_linear", "out"),
                  ("toqueries", "tokeys", "tovalues", "unifyheads"), ("queries", "keys", "values", "fc_out"), ("wq", "wk", "wv", "wo"),
                  ("Q", "K", "V", "O"), ("lin_q", "lin_k", "lin_v", "lin_out"), ("linear_query", "linear_key", "linear_value", "linear_output"), ("q_fc", "k_fc", "v_fc", "o_fc"),
                  ("self.query", "self.key", "self.value", "output.dense"), ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"),
                  ("attention.attention.query", "attention.attention.key", "attention.attention.value", "attention.output.dense"),
                  ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj")]:
        check(names[0] + " … " + names[3], with_x(linear(names)), usual, says="output projection: " + names[3])
        check("block 3's " + names[0], with_x(linear(names, prefix="blocks.3.")), usual)
    llama = ("q_proj", "k_proj", "v_proj", "o_proj")
    for wrapper in ("_fsdp_wrapped_module.", "_checkpoint_wrapped_module.", "module.", "_orig_mod.", "_forward_module.", "module.module.", "_fsdp_wrapped_module._checkpoint_wrapped_module."):
        wrapped = with_x(linear(llama, prefix=f"{wrapper}layers.0.{wrapper}self_attn."))
        check("wrapped by " + wrapper, wrapped, usual, "--layer", "layers.0.self_attn")
        check("wrapped by " + wrapper + ", as stored", wrapped, usual, "--layer", f"{wrapper}layers.0.{wrapper}self_attn")
        check("each projection wrapped by " + wrapper, with_x(linear(tuple(f"{name}.{wrapper[:-1]}" for name in llama))), usual)
    two_models = {**linear(llama, prefix="student.attn."), **linear(llama, prefix="teacher.attn."), "x": X, "num_heads": H}
    refused("two models in one file", two_models, '"student.attn", "teacher.attn"')
    check("one of two models", two_models, usual, "--layer", "student.attn")
    own = linear(("ask", "hint", "payload", "tell"))
    refused("names of one's own", with_x(own), "--names")
    check("names of one's own, said", with_x(own), usual, "--names", "q=ask,k=hint,v=payload,o=tell")
    refused("a name that is not there", with_x(own), "ask.weight [24, 24]", "--names", "q=asks,k=hint,v=payload")
    refused("no names", with_x(own), "expected q=", "--names", "q=ask")
    plain_arrays = {"ask": W["q"], "hint": W["k"], "payload": W["v"], "tell": W["o"], "B1": b["q"], "B2": b["k"], "B3": b["v"], "B4": b["o"], "num_heads": H, "inp1": X}
    check("arrays and biases of one's own names", plain_arrays, usual, "--names", "q=ask,k=hint,v=payload,o=tell,bq=B1,bk=B2,bv=B3,bo=B4,x=inp1")
    packed_own = {"all.weight": np.concatenate([W[p] for p in "qkv"]), "all.bias": np.concatenate([b[p] for p in "qkv"]), "tell.weight": W["o"], "tell.bias": b["o"]}
    check("one matrix of one's own name", with_x(packed_own), usual, "--names", "qkv=all,o=tell")
    tensorflow = with_x(linear(llama, prefix="model/layer_3/self_attn/"))
    check("a layer by TensorFlow's slashes", {key.replace("_proj.", "_proj/"): value for key, value in tensorflow.items()}, usual, "--layer", "model/layer_3/self_attn")
    check("no output projection", with_x(linear(("q_proj", "k_proj", "v_proj", None))), attention(output=False), says="missing")
    check("an MLP's output.dense is no output projection", with_x({**linear(("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"), prefix="l.0."), "l.0.output.dense.weight": drawn(D, D)}), usual, says="l.0.attention.output.dense")
    refused("unknown names", {"alpha.weight": W["q"], "beta.weight": W["k"], "x": X}, '"alpha.weight", "beta.weight"')


def heads_of_their_own():
    usual = attention()
    per_head = {}
    for h in range(H):
        rows = slice(h * D_HEAD, (h + 1) * D_HEAD)
        for p, name in zip("qkv", ("query", "key", "value")):
            per_head[f"sa.heads.{h}.{name}.weight"] = W[p][rows]
            per_head[f"sa.heads.{h}.{name}.bias"] = b[p][rows]
        per_head[f"sa.heads.{h}.tril"] = np.tril(np.ones((8, 8), np.float32))
    per_head |= {"sa.proj.weight": W["o"], "sa.proj.bias": b["o"]}
    causal = np.tril(np.ones((N, N), bool))
    check("a module a head, with its tril", with_x(per_head, heads=False), attention(mask=causal), says="module a head")
    check("the same, without its mask", with_x({k: v for k, v in per_head.items() if "tril" not in k}, heads=False), usual)
    modules = {}
    for p, name in zip("qkv", ("q_proj", "k_proj", "v_proj")):
        for h in range(H):
            modules[f"attn.{name}.{h}.weight"] = W[p][h * D_HEAD:(h + 1) * D_HEAD]
            modules[f"attn.{name}.{h}.bias"] = b[p][h * D_HEAD:(h + 1) * D_HEAD]
    modules |= {"attn.out_proj.weight": W["o"], "attn.out_proj.bias": b["o"]}
    check("a list of modules for each projection", with_x(modules, heads=False), usual)
    broken = {k: v for k, v in per_head.items() if "heads.2." not in k}
    refused("a head that is missing", with_x(broken), "no head 2")


def three_axes():
    usual = attention()
    lens = {"blocks.0.attn." + n: v for n, v in {
        **{f"W_{p.upper()}": W[p].reshape(H, D_HEAD, D).transpose(0, 2, 1) for p in "qkv"}, **{f"b_{p.upper()}": b[p].reshape(H, D_HEAD) for p in "qkv"},
        "W_O": W["o"].T.reshape(H, D_HEAD, D), "b_O": b["o"]}.items()}
    check("TransformerLens", with_x(lens, heads=False), usual, says="TransformerLens")
    mask = np.tril(np.ones((16, 16), bool))
    check("TransformerLens' mask", with_x({**lens, "blocks.0.attn.mask": mask, "blocks.0.attn.IGNORE": np.float32(-np.inf)}, heads=False), attention(mask=mask[:N, :N]))
    for slash, end in (("/", ""), ("/", ":0"), (".", "")):
        keras = {f"mha{slash}{n}{slash}kernel{end}": W[p].T.reshape(D, H, D_HEAD) for p, n in zip("qkv", ("query", "key", "value"))}
        keras |= {f"mha{slash}{n}{slash}bias{end}": b[p].reshape(H, D_HEAD) for p, n in zip("qkv", ("query", "key", "value"))}
        keras |= {f"mha{slash}attention_output{slash}kernel{end}": W["o"].T.reshape(H, D_HEAD, D), f"mha{slash}attention_output{slash}bias{end}": b["o"]}
        check("Keras by " + slash + end, with_x(keras, heads=False), usual, says="Keras")
    for name in ("multi_head_attention_1", "params/MultiHeadDotProductAttention_0"):  # a whole attention's number, not a head's
        keras = {f"{name}/{n}/kernel": W[p].T.reshape(D, H, D_HEAD) for p, n in zip("qkv", ("query", "key", "value"))} | {f"{name}/{n}/bias": b[p].reshape(H, D_HEAD) for p, n in zip("qkv", ("query", "key", "value"))}
        check(name, with_x({**keras, f"{name}/out/kernel": W["o"].T.reshape(H, D_HEAD, D), f"{name}/out/bias": b["o"]}, heads=False), usual)
    flat = linear(("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"), (".kernel", ".bias"), turn=True)
    check("Flax's BERT", with_x({k.replace(".", "/"): v for k, v in flat.items()}), usual)


def packed():
    usual = attention()
    thirds = {"weight": np.concatenate([W[p] for p in "qkv"]), "bias": np.concatenate([b[p] for p in "qkv"])}
    by_head = {"weight": np.concatenate([W[p].reshape(H, 1, D_HEAD, D) for p in "qkv"], 1).reshape(-1, D), "bias": np.concatenate([b[p].reshape(H, 1, D_HEAD) for p in "qkv"], 1).ravel()}
    for name, out in (("qkv", "proj"), ("to_qkv", "to_out.0"), ("Wqkv", "out_proj"), ("qkv_proj", "o_proj"), ("in_proj", "out_proj"), ("w_qkv", "w_o"), ("qkv_projection", "output_projection"), ("attn_qkv", "attn_out")):
        check(name, with_x({f"{name}.{k}": v for k, v in thirds.items()} | {f"{out}.weight": W["o"], f"{out}.bias": b["o"]}), usual, says="all queries")
    conv = {"h.0.attn.c_attn.weight": thirds["weight"].T, "h.0.attn.c_attn.bias": thirds["bias"], "h.0.attn.c_proj.weight": W["o"].T, "h.0.attn.c_proj.bias": b["o"]}
    check("GPT-2", with_x(conv), usual)
    mask = np.tril(np.ones((32, 32), np.uint8))
    check("BEiT, whose keys have no bias", with_x({"attn.qkv.weight": thirds["weight"], "attn.q_bias": b["q"], "attn.v_bias": b["v"], "attn.proj.weight": W["o"], "attn.proj.bias": b["o"]}),
          attention(biases={**b, "k": None}), says="keys have none")
    check("GPT-2 with its buffers", with_x({**conv, "h.0.attn.bias": mask[None, None], "h.0.attn.masked_bias": np.float32(-1e4)}), attention(mask=mask[:N, :N] != 0), says="causal")
    check("nanoGPT with a mask of float", with_x({"attn.c_attn.weight": thirds["weight"], "attn.c_attn.bias": thirds["bias"], "attn.c_proj.weight": W["o"], "attn.c_proj.bias": b["o"], "attn.bias": mask[None, None].astype(np.float32)}), attention(mask=mask[:N, :N] != 0))
    neox = {f"layers.0.attention.query_key_value.{k}": v for k, v in by_head.items()} | {"layers.0.attention.dense.weight": W["o"], "layers.0.attention.dense.bias": b["o"]}
    check("GPT-NeoX and BLOOM", with_x(neox), usual, says="each head in turn")
    for kv in (1, 2):
        groups = H // kv
        w = {"q": W["q"], "k": drawn(kv * D_HEAD, D), "v": drawn(kv * D_HEAD, D), "o": W["o"]}
        rows = np.concatenate([np.concatenate([w["q"].reshape(kv, groups * D_HEAD, D)[g], w["k"].reshape(kv, D_HEAD, D)[g], w["v"].reshape(kv, D_HEAD, D)[g]]) for g in range(kv)])
        falcon = {"self_attention.query_key_value.weight": rows, "self_attention.dense.weight": W["o"]}
        check(f"Falcon, {kv} groups", with_x(falcon), attention(weights=w, biases={}, kv_heads=kv))
        check(f"Falcon, {kv} groups, said", with_x(falcon, num_kv_heads=kv), attention(weights=w, biases={}, kv_heads=kv))
        plain = {"qkv_proj.weight": np.concatenate([w[p] for p in "qkv"]), "o_proj.weight": W["o"]}
        check(f"Phi-3, {kv} groups", with_x(plain, num_kv_heads=kv), attention(weights=w, biases={}, kv_heads=kv))
        glm = {"self_attention.query_key_value.weight": plain["qkv_proj.weight"], "self_attention.dense.weight": W["o"], "multi_query_group_num": kv}
        check(f"ChatGLM, {kv} groups", with_x(glm, multi_query_attention=True), attention(weights=w, biases={}, kv_heads=kv), says="all queries, then all keys")
    check("ChatGLM without groups", with_x(neox, multi_query_attention=False, multi_query_group_num=1), usual, says="each head in turn")


def plain_matrices():
    wide = {p: drawn(D, 10) for p in "qkv"}
    x = drawn(B, N, 10)
    expected = attention(x, weights={**wide, "o": W["o"]}, biases={})
    arrays = {f"W_{p}": wide[p].T for p in "qkv"} | {"W_o": W["o"]}
    # W_o is square, so that only the setting tells its side; the others follow the width of x.
    check("x @ W", {**{k: v for k, v in arrays.items() if k != "W_o"}, "x": x, "num_heads": H}, attention(x, weights=wide, biases={}, output=False), says="as x's width tells")
    check("x Wᵀ", {**{f"W_{p}": wide[p] for p in "qkv"}, "W_o": W["o"], "x": x, "num_heads": H}, expected)
    check("the side as set", {**{f"W_{p}": W[p].T for p in "qkvo"}, "x": X, "num_heads": H}, attention(biases={}), "--weight-order", "in_out")


def masks():
    base = with_x(linear(("q_proj", "k_proj", "v_proj", "o_proj")))
    causal = np.tril(np.ones((N, N), bool))
    padding = np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]])
    low = np.where(causal, 0, -np.inf).astype(np.float32)
    everything = attention()
    check("an attention_mask of zeros to be added", {**base, "attention_mask": np.zeros((B, 1, 1, N), np.float32)}, everything, says="nothing is masked")
    check("… of four axes", {**base, "attention_mask": np.zeros((B, 1, N, N), np.float32)}, everything)
    check("an attn_mask of zeros", {**base, "attn_mask": np.zeros((N, N), np.float32)}, everything)
    for lowest in (-np.inf, -1e4, -1e9, np.finfo(np.float32).min):
        added = np.where(padding[:, None, None, :] != 0, 0, lowest).astype(np.float32)
        may = np.broadcast_to(padding[:, None, None, :] != 0, (B, 1, N, N))
        check(f"an attention_mask of 0 and {lowest}", {**base, "attention_mask": added}, {**attention(mask=may), "mask": np.broadcast_to(may, (B, H, N, N))}, says="may not attend")
        square = np.where(causal, 0, lowest).astype(np.float32)
        for name in ("attn_mask", "mask", "attn_bias"):
            check(f"an {name} of 0 and {lowest}", {**base, name: square}, {**attention(mask=causal), "mask": np.broadcast_to(causal, (B, H, N, N))})
    real = drawn(H, N, N)
    check("a bias", {**base, "attn_bias": real}, attention(bias=real), says="added")
    check("T5's name for it", {**base, "position_bias": real[None]}, attention(bias=real), says="added")
    windows = drawn(B, 9, D)  # 3 × 3 places
    table, place = drawn(25, H), np.arange(9)
    rows, cols = (np.subtract.outer(t, t) + 2 for t in (place // 3, place % 3))
    by_window = table[rows * 5 + cols].transpose(2, 0, 1)
    swin = {f"layers.0.blocks.0.attn.{k}": v for k, v in {"qkv.weight": np.concatenate([W[p] for p in "qkv"]), "proj.weight": W["o"], "relative_position_bias_table": table}.items()}
    check("Swin's table", {**swin, "x": windows, "num_heads": H}, attention(windows, biases={}, bias=by_window), says="window of 3 x 3")
    shifted = np.where(rng.random((9, 9)) < 0.3, -100, 0).astype(np.float32)
    check("the mask of Swin's shifted windows is added to its table", {**swin, "x": windows, "mask": shifted, "num_heads": H}, attention(windows, biases={}, bias=by_window + shifted))
    four, each = drawn(8, 9, D), np.where(rng.random((4, 9, 9)) < 0.3, -100, 0).astype(np.float32)
    check("masks of Swin's windows, as many as there are heads", {**swin, "x": four, "mask": each, "num_heads": H},
          attention(four, biases={}, bias=by_window + np.tile(each, (2, 1, 1))[:, None]), says="[windows, n_q, n_k]")
    check("the masks of a whole block of Swin", {**swin, **{k.replace("blocks.0", "blocks.1"): v for k, v in swin.items()}, "layers.0.blocks.0.attn_mask": each, "x": four, "num_heads": H},
          attention(four, biases={}, bias=by_window + np.tile(each, (2, 1, 1))[:, None]), "--layer", "layers.0.blocks.0.attn", says="[windows, n_q, n_k]")
    check("a bias of the file takes the place of Swin's table", {**swin, "x": windows, "attn_bias": by_window[None] * 2, "num_heads": H}, attention(windows, biases={}, bias=by_window * 2), says="without layers.0")
    refused("Swin's table on other places", {**swin, "x": X, "num_heads": H}, "a window of 9 tokens, 3 x 3")
    check("a floating attn_mask", {**base, "attn_mask": real[0]}, attention(bias=real[0]))
    check("key_padding_mask", {**base, "key_padding_mask": padding == 0}, attention(mask=padding[:, None, None, :] != 0))
    check("a floating key_padding_mask", {**base, "key_padding_mask": np.where(padding, 0, -np.inf).astype(np.float32)}, attention(mask=padding[:, None, None, :] != 0))
    module = with_x(linear(("q_proj", "k_proj", "v_proj", "out_proj")))
    check("a boolean attn_mask of nn.MultiheadAttention", {**module, "attn_mask": ~causal}, attention(mask=causal), says="true = may not attend")
    refused("a boolean attn_mask of neither", {**base, "attn_mask": ~causal}, "--mask-polarity")
    check("… as set", {**base, "attn_mask": causal}, attention(mask=causal), "--mask-polarity", "attend")
    check("… the other way", {**base, "attn_mask": ~causal}, attention(mask=causal), "--mask-polarity", "ignore")
    heads = {name: drawn(B, H, N, D_HEAD) for name in "qkv"}
    scores = np.where(causal, heads["q"] @ heads["k"].transpose(0, 1, 3, 2) / np.sqrt(D_HEAD), -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    check("a boolean attn_mask of scaled_dot_product_attention", {**heads, "attn_mask": causal}, {"weights": weights / weights.sum(-1, keepdims=True)}, says="true = may attend")
    check("attention_mask of a tokenizer", {**base, "attention_mask": padding}, attention(mask=padding[:, None, None, :] != 0))
    check("valid_lens", {**base, "valid_lens": np.array([3, 5])}, attention(mask=padding[:, None, None, :] != 0))
    check("valid_lens a query", {**base, "valid_lens": np.array([[1, 2, 3, 4, 5]] * B)}, attention(mask=causal))
    check("a mask of a column", {**base, "mask": np.array([[1], [1], [1], [1], [1]])}, everything)
    check("--mask in place of the file's", {**base, "mask": padding}, attention(mask=causal), "--mask", "causal()", says="replaces")
    check("--mask beside the file's", {**base, "mask": padding}, attention(mask=causal & (padding[:, None, None, :] != 0)), "--mask", "causal() && file()")
    check("an additive mask through file()", {**base, "attn_mask": low}, attention(mask=causal), "--mask", "file()")
    check("is_causal", {**base, "is_causal": True}, attention(mask=causal), says="causal")
    check("is_causal beside padding", {**base, "is_causal": True, "mask": padding}, attention(mask=causal & (padding[:, None, None, :] != 0)))
    check("is_causal that is false", {**base, "is_causal": False}, everything)
    raschka = {**linear(("W_query", "W_key", "W_value", "out_proj"), prefix="att."), "att.mask": np.triu(np.ones((9, 9), np.float32), 1)}
    check("a buffer of what is forbidden", with_x(raschka), attention(mask=causal), says="may not be attended")
    lone = {**linear(("W_query", "W_key", "W_value", "out_proj")), "mask": np.triu(np.ones((N, N), np.float32), 1)}
    check("the same of a module saved alone", with_x(lone), attention(mask=causal))


def numbers():
    base = with_x(linear(("q_proj", "k_proj", "v_proj", "o_proj")))
    check("scale", {**base, "scale": np.float32(0.5)}, attention(scale=0.5), says="scale: 0.5")
    check("scale as set", {**base, "scale": 0.5}, attention(scale=0.25), "--scale", "0.25", says="as set")
    check("softcap", {**base, "softcap": 2.0}, attention(softcap=2), says="soft-cap")
    check("batch_first that is false", {**base, "x": X.transpose(1, 0, 2), "batch_first": False}, attention(), says="[n, B, d]")
    check("batch_first", {**base, "batch_first": True}, attention())
    check("a dropout", {**base, "dropout_p": 0.1}, attention(), says="not taken")
    check("a number that nobody knows", {**base, "temperature": 3.0}, attention(), says='numbers not taken: "temperature"')
    check("sizes that fit", {**base, "embed_dim": D, "head_dim": D_HEAD}, attention())
    refused("sizes that do not", {**base, "head_dim": 5}, "head_dim")
    own_keys(base)
    for dtype in (np.int8, np.uint8):
        refused(f"{dtype.__name__} weights", {**base, "q_proj.weight": (W["q"] * 50).astype(dtype)}, "quantised")
    refused("int8 biases", {**base, "q_proj.bias": (b["q"] * 5).astype(np.int8)}, "quantised")
    packed = {"in_proj_weight": np.concatenate([W[p] for p in "qkv"]), "out_proj.weight": W["o"], "x": X, "num_heads": H}
    check("nn.MultiheadAttention's layout is said", packed, attention(biases={}), says="[B, n, d] = [2, 5, 24], there being no batch_first")
    refused("a learned key without its value", {**packed, "bias_k": drawn(1, 1, D)}, "bias_v")
    refused("a gate on the output", {**base, "g_proj.weight": drawn(D, D)}, "g_proj.weight")
    refused("queries and their gate in one matrix", {**base, "q_proj.weight": drawn(2 * D, D), "q_proj.bias": drawn(2 * D)}, "gate")
    memory = drawn(B, 7, D)
    cross = {k: v for k, v in base.items() if k != "x"} | {"hidden_states": X}
    plain = from_heads(*((t.astype(np.float64) @ W[p].T + b[p]).reshape(B, -1, H, D_HEAD).transpose(0, 2, 1, 3) for p, t in zip("qkv", (X, memory, memory))), project=lambda c: c @ W["o"].T.astype(np.float64) + b["o"])
    check("encoder_hidden_states", {**cross, "encoder_hidden_states": memory}, plain)
    latents = drawn(3, D)
    learned = from_heads(*((t.astype(np.float64) @ W[p].T + b[p]).reshape(B, -1, H, D_HEAD).transpose(0, 2, 1, 3) for p, t in zip("qkv", (np.stack([latents] * B), memory, memory))), project=lambda c: c @ W["o"].T.astype(np.float64) + b["o"])
    plain_cross = {k: v for k, v in base.items() if k != "x"} | {"context": memory}
    check("Perceiver's latents", {**plain_cross, "latents": latents}, learned, says="the same for each of the 2")
    check("a query of one entry", {**plain_cross, "query": latents[None]}, learned, says="the same for each of the 2")
    decoder = {"decoder.self_attn." + k if "_proj" in k else k: v for k, v in base.items()}
    check("encoder_hidden_states beside self-attention", {**decoder, "encoder_hidden_states": memory}, attention(), says='not used: "encoder_hidden_states"')
    refused("GPTQ", {"q_proj.qweight": np.ones((3, 24), np.int32), "q_proj.qzeros": np.ones((1, 3), np.int32), "q_proj.scales": np.ones((1, 24), np.float16), "x": X}, "quantised")
    refused("bitsandbytes", {**base, "q_proj.SCB": np.ones(24, np.float32)}, "quantised")
    refused("fp8's scale", {**base, "q_proj.weight_scale_inv": np.ones((1, 1), np.float32)}, "quantised")
    refused("an adapter", {**base, "q_proj.lora_A.weight": np.ones((2, 24), np.float32)}, "adapter")
    check("a float16 file", {k: v.astype(np.float16) if isinstance(v, np.ndarray) and v.dtype == np.float32 else v for k, v in base.items()},
          attention(X.astype(np.float16), weights={p: W[p].astype(np.float16).astype(np.float32) for p in W}, biases={p: b[p].astype(np.float16).astype(np.float32) for p in b}))


def own_keys(base):
    """Keys that no input has, appended as nn.MultiheadAttention appends them: bias_k and bias_v, then zeros."""
    k_own, v_own = drawn(1, 1, D), drawn(1, 1, D)
    causal = np.tril(np.ones((N, N), bool))
    for learned in (False, True):
        for zero in (False, True):
            for mask in (None, causal):
                more = {"bias_k": k_own, "bias_v": v_own} if learned else {}
                more |= {"add_zero_attn": True} if zero else {}
                rows = [(k_own, v_own)] * learned + [(np.zeros((1, 1, D)),) * 2] * zero
                project = {p: X.astype(np.float64) @ W[p].T + b[p] for p in "qkv"}
                for at, p in enumerate("kv"):
                    project[p] = np.concatenate([project[p]] + [np.broadcast_to(row[at], (B, 1, D)) for row in rows], 1)
                q, k, v = (project[p].reshape(B, -1, H, D_HEAD).transpose(0, 2, 1, 3) for p in "qkv")
                whole = None if mask is None else np.concatenate([mask, np.ones((N, len(rows)), bool)], 1)
                expected = from_heads(q, k, v, mask=whole, project=lambda c: c @ W["o"].T.astype(np.float64) + b["o"])
                given = {**base, **more} | ({} if mask is None else {"mask": mask})
                check(f"own keys: learned {learned}, zero {zero}, mask {mask is not None}", given, expected, says="no input has" if rows else "")
                if mask is not None:
                    check(f"own keys under --mask: learned {learned}, zero {zero}", {**base, **more}, expected, "--mask", "causal()")


def late_beginnings():
    q, k, v = drawn(B, H, N, 4), drawn(B, 2, 7, 4), drawn(B, 2, 7, 3)
    expected = from_heads(q, k, v)
    check("heads", {"Q_heads": q, "K_heads": k, "V_heads": v}, expected | {"Q_heads": q, "K_heads": k, "V_heads": v})
    check("q, k and v of four axes", {"q": q, "k": k, "v": v}, expected)
    check("query, key and value of four axes", {"query": q, "key": k, "value": v}, expected)
    mask = rng.random((N, 7)) < 0.7
    mask[:, 0] = True
    check("heads, a mask and a scale", {"q": q, "k": k, "v": v, "mask": mask, "scale": 0.3}, from_heads(q, k, v, mask=mask, scale=0.3))
    check("heads without values", {"Q_heads": q, "K_heads": k}, {"weights": expected["weights"]}, says="no")
    refused("heads that do not fit", {"Q_heads": q, "K_heads": drawn(B, 2, 7, 5), "V_heads": v}, "K_heads")
    weights = from_heads(q, q, q)["weights"].astype(np.float32)
    stated = ("--axes", "B,H,q,k")
    check("attention alone", {"attentions": weights}, {"weights": weights}, *stated, says="attention alone")
    refused("attention alone, and nothing tells its axes", {"attentions": weights}, "--axes")
    two = np.array([[f"{i}{n}" for n in range(N)] for i in range(B)])
    check("attention alone, its axes told by words and num_heads", {"attentions": weights, "tokens": two, "num_heads": H}, {"weights": weights})
    check("the axes in the file", {"attentions": weights, "axes": np.array(["B,H,q,k"])}, {"weights": weights})
    check("of one head", {"attention": weights[0, 0]}, {"weights": weights[:1, :1]})
    check("of some heads", {"attn": weights[0], "num_heads": H}, {"weights": weights[:1]})
    refused("of some heads, or layers, or batch entries", {"attn": weights[0]}, "in 6 ways; expected --axes H,q,k or B,q,k or L,q,k or ")
    refused("of four axes, of which the usual come first", {"attn": weights}, "in 18 ways; expected --axes B,H,q,k or L,H,q,k or L,B,q,k or ")
    crossed = from_heads(drawn(1, H, 3, 5), drawn(1, H, 7, 5), drawn(1, H, 7, 5))["weights"].astype(np.float32)
    words = {"query_tokens": np.array(list("abc")), "key_tokens": np.array(list("tuvwxyz"))}
    refused("of one sentence and another, whose heads may be layers", {"cross_attentions": crossed, **words}, "expected --axes B,H,q,k or ")
    check("of one sentence and another, as num_heads tells", {"cross_attentions": crossed, "num_heads": H, **words}, {"weights": crossed})
    layers = np.stack([weights, weights[:, ::-1]])
    order = ("--axes", "L,B,H,q,k")
    check("of layers", {"attentions": layers}, {"weights": weights}, *order, says="layer: 0 of 2")
    check("of layer 1", {"attentions": layers}, {"weights": layers[1]}, *order, "--layer", "1")
    refused("a layer that there is not", {"attentions": layers}, "0 to 1", *order, "--layer", "2")
    refused("a layer of one layer", {"attentions": weights}, "no layer", *stated, "--layer", "2")
    check("of layer 1 of one sentence", {"attentions": layers[:, 0]}, {"weights": layers[1, :1]}, "--axes", "L,H,q,k", "--layer", "1")
    batched = layers.transpose(1, 0, 2, 3, 4)
    check("batch entries before layers", {"attentions": batched}, {"weights": layers[1]}, "--axes", "B,L,H,q,k", "--layer", "1")
    check("heads last", {"attn": weights.transpose(0, 2, 3, 1)}, {"weights": weights}, "--axes", "B,q,k,H")
    check("batch entries and heads in one axis", {"attn": weights.reshape(B * H, N, N), "num_heads": H}, {"weights": weights}, "--axes", "B*H,q,k")
    check("batch entries and heads in one axis, as the words tell", {"attn": weights.reshape(B * H, N, N), "num_heads": H, "tokens": two}, {"weights": weights})
    check("averaged over heads", {"attn": weights.mean(1), "tokens": two}, {"weights": weights.mean(1)[:, None]})
    band = np.zeros((H, N, 3), np.float32)
    dense = np.zeros((1, H, N, N), np.float32)
    for q_ in range(N):
        for j in range(3):
            if 0 <= q_ + j - 1 < N:
                band[:, q_, j] = dense[0, :, q_, q_ + j - 1] = 1 / sum(0 <= q_ + i - 1 < N for i in range(3))
    check("offsets in place of keys", {"attn": band}, {"weights": dense}, "--axes", "H,q,offset=-1")
    refused("another first offset", {"attn": band}, "offset", "--axes", "H,q,offset=0")
    refused("words beside columns that are offsets", {"attn": band, "num_heads": H, "tokens": two[0]}, "offset")
    named = {f"layers.{i}.weights": layers[i, :1] for i in (0, 1)}
    check("layers whose number is within the name", named, {"weights": layers[0, :1]}, says="layer: 0 of 2")
    for layer in ("1", "layers.1", "layers.1.weights"):
        check(f"--layer {layer} of them", named, {"weights": layers[1, :1]}, "--layer", layer)
    refused("a layer that is not among them", named, "0 to 1", "--layer", "2")
    check("in a list", {"attentions.0": layers[0], "attentions.1": layers[1]}, {"weights": layers[1]}, *stated, "--layer", "1")
    causal = np.tril(np.ones((N, N), bool))
    masked = from_heads(q, q, q, mask=causal)["weights"].astype(np.float32)
    check("of a causal model", {"attentions": masked}, {"weights": masked, "mask": np.broadcast_to(causal, masked.shape)}, *stated, says="taken for masked")
    check("two attentions", {"encoder_attentions": weights, "cross_attentions": layers[1]}, {"weights": weights}, *stated, says="--layer NAME.N shows another")
    check("one of two attentions", {"encoder_attentions": weights, "cross_attentions": layers[1]}, {"weights": layers[1]}, *stated, "--layer", "cross_attentions")
    stacks = {f"{stack}_attentions.{i}": layers[i] for stack in ("encoder", "cross") for i in (0, 1)}
    check("a layer of one stack", stacks, {"weights": layers[1]}, *stated, "--layer", "cross.1")
    refused("a layer that its stack has not", stacks, "0 to 1", *stated, "--layer", "encoder.2")
    np.save(Path(FOLDER.name, "map.npy"), weights)
    check("an .npy", {}, {"weights": weights}, *stated, path=Path(FOLDER.name, "map.npy"))
    try:
        import torch
    except ImportError:
        return
    path = Path(FOLDER.name, "bertviz.pt")
    torch.save({"attentions": tuple(torch.from_numpy(layer[:1].copy()) for layer in layers), "tokens": ["a", "b", "c", "d", "e"]}, path)
    check("what BertViz takes", {}, {"weights": layers[0, :1]}, path=path)
    check("what BertViz takes, layer 1", {}, {"weights": layers[1, :1]}, "--layer", "1", path=path)
    torch.save([torch.from_numpy(X), torch.from_numpy(W["q"])], path)
    refused("a list of other tensors", {}, "no attention weights", path=path)
    base = with_x(linear(("q_proj", "k_proj", "v_proj", "o_proj")))
    tensors = {k: torch.from_numpy(np.asarray(v)) for k, v in base.items()}
    views = {k: v.T.contiguous().T if k.endswith("weight") else v for k, v in tensors.items()}
    for old in (False, True):
        torch.save({"state_dict": {"module." + k: v for k, v in views.items() if k not in ("x", "num_heads")}, "config": {"num_heads": H}, "x": tensors["x"]}, path, _use_new_zipfile_serialization=not old)
        check(f"a checkpoint of {'before' if old else 'after'} PyTorch 1.6", {}, attention(), says="config.num_heads", path=path)
    torch.manual_seed(3)
    encoder = torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(D, H, 20, dropout=0.0, batch_first=True, activation="gelu"), 2)
    x = torch.from_numpy(X)
    with torch.no_grad():
        second = encoder.train().layers[0](x)
        wanted = {"weights": encoder.layers[1].self_attn(second, second, second, average_attn_weights=False)[1].numpy()}
    given = {**{k: v.numpy() for k, v in encoder.state_dict().items()}, "x": X, "num_heads": H}
    check("an activation in words of an .npz", {**given, "activation": "gelu"}, wanted, "--layer", "1", says="norm_first")
    state = {k: v for k, v in tensors.items() if k not in ("x", "num_heads")}
    torch.save({"state_dict": state, "inputs": {"x": tensors["x"], "mask": torch.ones(N, N).tril()}, "num_heads": H}, path)
    check("inputs in a dictionary of their own", {}, attention(mask=np.tril(np.ones((N, N), bool))), path=path)
    torch.save({**tensors, "freqs_cis": torch.polar(torch.ones(4, 3), torch.ones(4, 3))}, path)
    check("a complex tensor beside", {}, attention(), path=path)
    torch.save({**tensors, "x": torch.complex(torch.from_numpy(X), torch.from_numpy(X))}, path)
    refused("a complex input", {}, "ComplexFloatStorage", path=path)
    torch.save([torch.from_numpy(layer[:1].copy()) for layer in layers], path)
    check("the list alone", {}, {"weights": layers[1, :1]}, "--layer", "1", path=path)


def what_is_made_of_late_beginnings():
    """Bundles that compute themselves again and open again; a comparison with somebody's own."""
    global checks
    folder = Path(FOLDER.name)
    q, k, v = drawn(B, H, N, 4), drawn(B, 2, 7, 4), drawn(B, 2, 7, 3)
    right = from_heads(q, k, v)
    unscaled = from_heads(q, k, v, scale=1)
    weights = right["weights"].astype(np.float32)
    for name, arrays, own in (("heads", {"q": q, "k": k, "v": v}, ["weights", "concat", "output"]),
                              ("no values", {"Q_heads": q, "K_heads": k}, ["weights"]), ("attention", {"attentions": weights, "axes": np.array(["B,H,q,k"])}, [])):
        path = save(arrays, f"{name.replace(' ', '_')}.npz")
        bundle = folder / f"bundle-{path.stem}"
        made = subprocess.run([PROGRAM, "bundle", path, "-o", bundle], capture_output=True, text=True)
        checks += 1
        if made.returncode != 0:
            complain(f"bundle of {name}", made.stderr)
            continue
        again = subprocess.run([sys.executable, bundle / "reproduce_numpy.py"], capture_output=True, text=True)
        if again.returncode != 0 or "Every stage agrees." not in again.stdout:
            complain(f"script of {name}", again.stdout + again.stderr)
        status, said, stages = run(bundle / "scenario.json")
        if status != 0 or not np.array_equal(stages["weights"], np.load(bundle / "trace.npz")["weights"]):
            complain(f"scenario of {name}", said)
        refused(f"other heads than those of {name}", {}, "--heads", "--heads", "3", path=path)
        for stage in own:
            checks += 1
            mine = save({stage: unscaled[stage]}, "mine.npz")
            found = subprocess.run([PROGRAM, "compare", path, mine, "--json"], capture_output=True, text=True)
            if found.returncode != 1 or json.loads(found.stdout)["diagnosis"][0]["id"] != "no_scale":
                complain(f"{stage} of {name} unscaled", f"{found.returncode} {found.stdout} {found.stderr}")
    mine = save({"weights": weights[..., ::-1]}, "mine.npz")
    found = subprocess.run([PROGRAM, "compare", folder / "attention.npz", mine, "--json"], capture_output=True, text=True)
    if found.returncode != 1 or json.loads(found.stdout)["diagnosis"]:
        complain("attention that differs", f"{found.returncode} {found.stdout} {found.stderr}")


def tokens():
    base = with_x(linear(("q_proj", "k_proj", "v_proj", "o_proj")))
    check("tokens", {**base, "tokens": np.array(["the", "cat", "猫", "sat", "down"])}, attention())
    check("bytes", {**base, "tokens": np.array([b"a", b"b", b"c", b"d", b"e"])}, attention())
    check("tokens a batch entry", {**base, "query_tokens": np.array([list("abcde"), list("fghij")])}, attention())
    refused("too few tokens", {**base, "tokens": np.array(["the", "cat"])}, "2 words")


def configs():
    folder = Path(FOLDER.name, "model")
    folder.mkdir()

    def beside(fields, arrays=None, layer=0, more={}):
        (folder / "config.json").write_text(json.dumps(fields))
        path, prefix = folder / "model.npz", f"model.layers.{layer}.self_attn."
        np.savez(path, **(arrays or with_x(linear(("q_proj", "k_proj", "v_proj", "o_proj"), prefix=prefix), heads=False)), **{prefix + k: v for k, v in more.items()})
        return path

    def tower(fields):
        beside(fields)
        np.savez(folder / "tower.npz", **with_x(linear(("q_proj", "k_proj", "v_proj", "o_proj"), prefix="vpm.encoder.layers.0.self_attn."), heads=False))
        return folder / "tower.npz"

    def layer_norm(t, weight):
        return (t - t.mean(-1, keepdims=True)) / np.sqrt(t.var(-1, keepdims=True) + 1e-5) * weight[:, None, :]

    def turned(base, dim=D_HEAD, interleaved=False, norms=None, frequencies=None, gain=1.0, normed=lambda t: t):
        angles = np.arange(N)[:, None] * (base ** (-np.arange(0, dim, 2) / dim) if frequencies is None else frequencies)
        cos, sin = gain * np.cos(angles), gain * np.sin(angles)

        def turn(t):
            t = t.astype(np.float64).copy()
            first, second = (slice(0, dim, 2), slice(1, dim, 2)) if interleaved else (slice(0, dim // 2), slice(dim // 2, dim))
            a, c = t[..., first].copy(), t[..., second].copy()
            t[..., first], t[..., second] = a * cos - c * sin, a * sin + c * cos
            return t

        split = lambda p: (X.astype(np.float64) @ W[p].T + b[p]).reshape(B, N, H, D_HEAD).transpose(0, 2, 1, 3)
        q, k = (layer_norm(split(p), norms[p]) if norms else normed(split(p)) for p in "qk")
        return from_heads(turn(q), turn(k), split("v"), project=lambda c: c @ W["o"].T.astype(np.float64) + b["o"])

    heads = {"num_attention_heads": H}
    check("rope_theta", {}, turned(500000.0), path=beside({"model_type": "llama", "rope_theta": 500000.0, **heads}), says="RoPE")
    check("the pairs of Cohere", {}, turned(10000.0, interleaved=True), path=beside({"model_type": "cohere", **heads}))
    norms = {p: drawn(H, D_HEAD) + 1 for p in "qk"}
    check("Command R's norms, a row for each head", {}, turned(10000.0, interleaved=True, norms=norms), says="with weights of its own",
          path=beside({"model_type": "cohere", "use_qk_norm": True, "layer_norm_eps": 1e-5, **heads}, more={"q_norm.weight": norms["q"], "k_norm.weight": norms["k"]}))
    refused("norms of other heads", {}, "a row for each head", path=beside({"model_type": "cohere", **heads}, more={"q_norm.weight": drawn(3, D_HEAD), "k_norm.weight": drawn(3, D_HEAD)}))
    cohere2 = {"model_type": "cohere2", "sliding_window_pattern": 4, **heads}
    check("a layer of Cohere 2 that is rotated", {}, turned(10000.0, interleaved=True), path=beside(cohere2, layer=2))
    check("and one that is not", {}, attention(), path=beside(cohere2, layer=3), says="is not rotated")
    check("SmolLM 3's fourth", {}, attention(), path=beside({"model_type": "smollm3", "no_rope_layers": [1, 1, 1, 0], "rope_theta": 5e6, **heads}, layer=3), says="is not rotated")
    check("Gemma 3's windowed base", {}, turned(100.0), path=beside({"model_type": "gemma3_text", "rope_theta": 1000.0, "rope_local_base_freq": 100.0, "sliding_window_pattern": 2, "query_pre_attn_scalar": D_HEAD, **heads}))
    check("Gemma 3's other base", {}, turned(1000.0), path=beside({"model_type": "gemma3_text", "rope_theta": 1000.0, "rope_local_base_freq": 100.0, "sliding_window_pattern": 2, "query_pre_attn_scalar": D_HEAD, **heads}, layer=1))
    check("a part of the head in rope_parameters", {}, turned(333.0, dim=4), path=beside({"model_type": "llama", "rope_parameters": {"rope_type": "default", "rope_theta": 333.0, "partial_rotary_factor": 0.7}, **heads}))
    check("Mixtral's base where none is said", {}, turned(1e6), path=beside({"model_type": "mixtral", **heads}))
    check("Falcon rotates, said or not", {}, turned(10000.0), path=beside({"model_type": "falcon", "alibi": False, **heads}))
    def bfloat16(x):
        bits = np.asarray(x, np.float32).view(np.uint32)
        return ((bits + 0x7FFF + ((bits >> 16) & 1)) & np.uint32(0xFFFF0000)).astype(np.uint32).view(np.float32)

    falcons = bfloat16(bfloat16(2.0 ** (-2.0 * np.arange(1, H + 1)))[:, None] * np.arange(N, dtype=np.float32)).astype(np.float64)[:, None] * D_HEAD ** -0.5
    check("Falcon's ALiBi, which is scaled", {}, attention(bias=falcons), path=beside({"model_type": "falcon", "alibi": True, **heads}), says="scaled with the scores")
    steep = (2.0 ** (-np.arange(1, H + 1) * 4 / H))[:, None, None] * (np.arange(N)[None, :] - np.arange(N)[:, None])
    check("MPT's steeper ALiBi", {}, attention(bias=steep), path=beside({"model_type": "mpt", "attn_config": {"alibi": True, "alibi_bias_max": 4}, "n_heads": H, **heads}), says="slopes")
    check("MPT's usual ALiBi", {}, attention(bias=(2.0 ** (-np.arange(1, H + 1) * 8 / H))[:, None, None] * (np.arange(N)[None, :] - np.arange(N)[:, None])),
          path=beside({"model_type": "mpt", "attn_config": {"alibi": True}, "n_heads": H, **heads}))
    check("LLaMA 4's norm without weights", {}, turned(500000.0, interleaved=True, normed=lambda t: t / np.sqrt((t * t).mean(-1, keepdims=True) + 1e-5)), path=beside({"model_type": "llama4_text", "rope_theta": 5e5, **heads}), says="RMSNorm without weights")
    refused("disentangled attention", {}, "relative_attention", path=beside({"model_type": "deberta-v2", "relative_attention": True, **heads}))
    phi = with_x(linear(("q_proj", "k_proj", "v_proj", "dense"), prefix="model.layers.0.self_attn."), heads=False)
    check("a part of the head", {}, turned(10000.0, dim=4), path=beside({"model_type": "phi", "partial_rotary_factor": 0.7, **heads}, phi), says="first 4 of 6")
    glm = {"layers.3.self_attention.query_key_value.weight": np.concatenate([W["q"], W["k"][:8], W["v"][:8]]), "layers.3.self_attention.dense.weight": W["o"], "x": X}
    wide = {p: (X.astype(np.float64) @ W[p][:rows].T).reshape(B, N, -1, 8).transpose(0, 2, 1, 3) for p, rows in zip("qkv", (D, 8, 8))}
    angle = np.arange(N)[:, None] * 10000.0 ** (-np.arange(0, 4, 2) / 4)
    for p in "qk":
        even, odd = wide[p][..., 0:4:2].copy(), wide[p][..., 1:4:2].copy()
        wide[p][..., 0:4:2], wide[p][..., 1:4:2] = even * np.cos(angle) - odd * np.sin(angle), even * np.sin(angle) + odd * np.cos(angle)
    chatglm = {"model_type": "chatglm", "multi_query_attention": True, "multi_query_group_num": 1, "num_attention_heads": 3}
    check("ChatGLM 2 rotates half of a head", {}, from_heads(*(wide[p] for p in "qkv"), project=lambda c: c @ W["o"].T.astype(np.float64)), path=beside(chatglm, glm), says="first 4 of 8")
    refused("ChatGLM with a rope_ratio", {}, "rope_ratio", path=beside({**chatglm, "rope_ratio": 50}, glm))
    refused("the first ChatGLM", {}, "packs query_key_value", path=beside({"model_type": "chatglm", "num_attention_heads": 3}, glm))
    check("no positions of its own", {}, attention(), path=beside({"model_type": "opt", **heads}), says='--mask "causal()"')
    check("query_pre_attn_scalar", {}, attention(scale=1 / 4), path=beside({"model_type": "x", "query_pre_attn_scalar": 16, **heads}))
    check("attention_multiplier", {}, attention(scale=0.2), path=beside({"model_type": "x", "attention_multiplier": 0.2, **heads}))
    check("attn_logit_softcapping", {}, attention(softcap=3), path=beside({"model_type": "x", "attn_logit_softcapping": 3.0, **heads}))
    check("T5's scale", {}, attention(scale=1), path=beside({"model_type": "t5", **heads}))
    check("a field that nobody knows", {}, attention(), path=beside({"model_type": "x", "attn_temperature_tuning": True, **heads}), says="attn_temperature_tuning")
    plain = 10000.0 ** (-np.arange(0, D_HEAD, 2) / D_HEAD)

    def scaled(name, frequencies, fields, gain=1.0, *settings, says="rope_scaling"):
        check("rope_scaling: " + name, {}, turned(0, frequencies=np.asarray(frequencies), gain=gain), *settings, path=beside({"model_type": "llama", **fields, **heads}), says=says)

    alone = {**with_x(linear(("q_proj", "k_proj", "v_proj", "o_proj"))), "num_heads": H}

    def scaled_alone(name, result, fields, says="rope_theta"):
        check("RoPE that the file says itself: " + name, {**alone, "config": fields}, result, says=says)

    scaled_alone("a dictionary", turned(0, frequencies=plain / 4), {"rope_theta": 1e4, "rope_scaling": {"type": "linear", "factor": 4.0}}, says='rope_scaling "linear"')
    scaled_alone("rope_parameters", turned(500.0), {"rope_parameters": {"rope_type": "default", "rope_theta": 500.0}})
    scaled_alone("a share of the channels", turned(500.0, dim=4), {"rope_theta": 500.0, "partial_rotary_factor": 0.7}, says="first 4 of 6")
    scaled_alone("a number of channels", turned(500.0, dim=2), {"rope_theta": 500.0, "rotary_dim": 2}, says="first 2 of 6")
    model = {**with_x(linear(("q_proj", "k_proj", "v_proj", "o_proj"), prefix="model.layers.0.self_attn.")), "num_heads": H}
    for name in ("model.layers.0.self_attn.rotary_emb.inv_freq", "model.rotary_emb.inv_freq"):
        check(name, {**model, name: plain / 3}, turned(0, frequencies=plain / 3), says="with the 3 frequencies")
    refused("clip_qkv of the file", {**alone, "config": {"clip_qkv": 8.0}}, "not clipped")
    scaled("linear", plain / 4, {"rope_scaling": {"type": "linear", "factor": 4}})
    scaled("dynamic, within", plain, {"rope_scaling": {"type": "dynamic", "factor": 4}, "max_position_embeddings": 8})
    longer = (4 * N / 4 - 3) ** (D_HEAD / (D_HEAD - 2))
    scaled("dynamic, beyond", (10000.0 * longer) ** (-np.arange(0, D_HEAD, 2) / D_HEAD), {"rope_scaling": {"type": "dynamic", "factor": 4}, "max_position_embeddings": 4}, says="for 5 tokens")
    waves = 2 * np.pi / plain
    smooth = (64 / waves - 1) / (4 - 1)
    scaled("llama3", np.where(waves < 64 / 4, plain, np.where(waves > 64 / 1, plain / 8, (1 - smooth) * plain / 8 + smooth * plain)),
           {"rope_scaling": {"rope_type": "llama3", "factor": 8, "low_freq_factor": 1, "high_freq_factor": 4, "original_max_position_embeddings": 64}})
    turns = lambda r: D_HEAD * np.log(32 / (r * 2 * np.pi)) / (2 * np.log(10000.0))
    low, high = max(np.floor(turns(32)), 0), min(np.ceil(turns(1)), D_HEAD - 1)
    ramp = np.clip((np.arange(D_HEAD // 2) - low) / (high - low), 0, 1)
    scaled("yarn", plain / 4 * ramp + plain * (1 - ramp), {"rope_scaling": {"type": "yarn", "factor": 4, "original_max_position_embeddings": 32}}, 0.1 * np.log(4) + 1)
    scaled("longrope, within", plain / [1, 2, 3], {"rope_scaling": {"type": "longrope", "short_factor": [1, 2, 3], "long_factor": [4, 5, 6]}, "original_max_position_embeddings": 8, "max_position_embeddings": 8})
    scaled("longrope, beyond", plain / [4, 5, 6], {"rope_scaling": {"type": "longrope", "short_factor": [1, 2, 3], "long_factor": [4, 5, 6]}, "original_max_position_embeddings": 4, "max_position_embeddings": 16},
           np.sqrt(1 + np.log(4) / np.log(4)))
    scaled("in rope_parameters", 500.0 ** (-np.arange(0, D_HEAD, 2) / D_HEAD) / 4, {"rope_parameters": {"rope_type": "linear", "factor": 4, "rope_theta": 500.0}}, says="rope_parameters")
    scaled("with a base of one's own", 100.0 ** (-np.arange(0, D_HEAD, 2) / D_HEAD) / 4, {"rope_scaling": {"type": "linear", "factor": 4}}, 1.0, "--rope-base", "100")
    scaled("with --rope, which says the pairs alone", plain / 4, {"rope_scaling": {"type": "linear", "factor": 4}}, 1.0, "--rope", "half", says="paired by --rope")
    check("--rope with the base and the part of config.json", {}, turned(500.0, dim=4), "--rope", "half", path=beside({"model_type": "phi", "rope_theta": 500.0, "partial_rotary_factor": 0.7, **heads}, phi))
    check("--rope interleaved with its base", {}, turned(500.0, interleaved=True), "--rope", "interleaved", path=beside({"model_type": "llama", "rope_theta": 500.0, **heads}))
    refused("a rope_scaling that nobody knows", {}, "rope_scaling", path=beside({"model_type": "llama", "rope_scaling": {"type": "spiral", "factor": 4}, **heads}))
    check("a tower's own heads", {}, attention(), path=tower({"model_type": "minicpmv", "num_attention_heads": 99, "vision_config": {"num_attention_heads": H}}), says="num_attention_heads in config.json")
    refused("a tower that config.json says nothing of", {}, "num_heads", path=tower({"model_type": "minicpmv", "vocab_size": 9, **heads}))
    refused("a tower that turns by rows and columns", {}, "rows and columns", path=tower({"model_type": "qwen2_vl", **heads, "vision_config": {"num_heads": H}}))
    check("the language model beside a tower", {}, turned(500.0), path=beside({"model_type": "llava", "text_config": {"model_type": "llama", "rope_theta": 500.0, **heads}, "vision_config": {"num_attention_heads": 99}}))
    check("a layer that is not causal", {}, attention(), path=beside({"model_type": "x", "is_causal": False, "architectures": ["XForCausalLM"], **heads}))
    refused("clip_qkv", {}, "clip_qkv", path=beside({"model_type": "olmo", "clip_qkv": 8, **heads}))
    refused("relative keys", {}, "position_embedding_type", path=beside({"model_type": "bert", "position_embedding_type": "relative_key", **heads}))


def without(network, *parts):
    """A copy of a network's folder without the tensors whose names hold one of these."""
    folder = Path(FOLDER.name, "lacking")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(Path(__file__).parents[1] / "fixtures" / "networks" / network, folder)
    for path in folder.glob("*.safetensors"):
        data = path.read_bytes()
        size = int.from_bytes(data[:8], "little")
        header, rest = json.loads(data[8:8 + size]), data[8 + size:]
        kept, body = {}, b""
        for name, entry in header.items():
            if name == "__metadata__" or not any(part in name for part in parts):
                kept[name] = entry
            if name in kept and name != "__metadata__":
                first, last = entry["data_offsets"]
                kept[name] = {**entry, "data_offsets": [len(body), len(body) + last - first]}
                body += rest[first:last]
        text = json.dumps(kept).encode()
        text += b" " * (-len(text) % 8)
        path.write_bytes(len(text).to_bytes(8, "little") + text + body)
    return folder


def missing_biases():
    """A bias that the architecture has: without it in one layer the file is refused, without it in all this is said."""
    for network, bias in [("qwen2", "layers.0.self_attn.q_proj.bias"), ("stablelm", "layers.1.input_layernorm.bias"), ("gpt2", "h.0.attn.c_attn.bias"),
                          ("gpt2", "h.1.mlp.c_fc.bias"), ("bert", "layer.0.attention.self.key.bias"), ("phi", "layers.0.mlp.fc1.bias")]:
        refused(f"{network} without {bias}", {}, bias, "--layer", "0", path=without(network, bias))
    refused("qwen2 without biases of queries", {}, "q_proj.bias", "--layer", "0", path=without("qwen2", "q_proj.bias"))
    for network, bias in [("stablelm", "input_layernorm"), ("gpt2", "c_attn"), ("gpt2", "ln_f"), ("bert", "key"), ("bloom", "word_embeddings_layernorm"), ("phi", "lm_head"), ("phi", "dense"),
                          ("gptj", "lm_head"), ("gptj", "fc_in")]:
        check(f"{network} without {bias}.bias", {}, {}, "--layer", "0", path=without(network, bias + ".bias"), says=f"no bias in the file for {bias}")


def files_of_others():
    """What they are, with Python that makes an .npz of them, whatever is in their names."""
    for name in ("net.h5", "it's.h5", "net.keras", "flax_model.msgpack", "it's.onnx", "net.ckpt.index", "net.ckpt.data-00000-of-00001"):
        path = Path(FOLDER.name, name)
        path.write_bytes(b"not an array of NumPy")
        refused(name, {}, "expected an .npz of it", path=path)
        python = run(path)[1].partition("as this Python makes it: ")[2]
        try:
            compile(python, name, "exec")
        except SyntaxError as error:
            complain(name, f"{error}: {python}")
    try:
        import h5py
    except ImportError:
        return
    path, here = Path(FOLDER.name, "it's.h5"), os.getcwd()
    with h5py.File(path, "w") as file:
        for key, value in with_x(linear(("q_proj", "k_proj", "v_proj", "o_proj"), prefix="model/attn/")).items():
            file[key.replace(".", "/")] = value
    os.chdir(FOLDER.name)
    try:
        exec(run(path)[1].partition("as this Python makes it: ")[2], {})
    finally:
        os.chdir(here)
    check("what the Python makes of an HDF5 file", {}, attention(), path=Path(FOLDER.name, "it's.npz"))


def pickled_objects():
    """Dictionaries that numpy.savez, numpy.save and pickle write as pickles."""
    usual = attention()
    state = linear(("q_proj", "k_proj", "v_proj", "o_proj"))
    check("a dictionary of inputs in an .npz", {**state, "num_heads": H, "inputs": {"x": X}}, usual, says="inputs.x")
    check("a state dict in an .npz", {"state_dict": state, "x": X, "num_heads": H}, usual)
    path = Path(FOLDER.name, "dictionary.npy")
    np.save(path, with_x(state), allow_pickle=True)
    check("a dictionary in an .npy", {}, usual, path=path)
    path = Path(FOLDER.name, "arrays.pkl")
    path.write_bytes(pickle.dumps(with_x(state)))
    check("a pickle of arrays", {}, usual, path=path)
    path.write_bytes(pickle.dumps([state, X]))
    check("a state dict and its input in a list", {}, usual, "--heads", str(H), path=path, says="inputs: 1")
    path.write_bytes(pickle.dumps([state, X, X]))
    refused("a state dict and two arrays without names", {}, "expected one, x, or three", "--heads", str(H), path=path)
    path.write_bytes(pickle.dumps(Path))
    refused("a pickle without arrays", {}, "holds no arrays", path=path)
    path.write_bytes(b"\x80\x04cos\nsystem\n.")
    refused("a pickle that names os.system", {}, "os.system", path=path)


for part in (names_of_projections, pickled_objects, heads_of_their_own, three_axes, packed, plain_matrices, masks, numbers, late_beginnings,
             what_is_made_of_late_beginnings, tokens, configs, missing_biases, files_of_others):
    part()
print(f"{checks} files, {failures} failures")
sys.exit(1 if failures or not checks else 0)
