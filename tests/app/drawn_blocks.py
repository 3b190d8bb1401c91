"""A model's first block drawn at random: words, a norm, attention. Its files are written here, without any library's writer."""
import json
from pathlib import Path

import numpy as np

WORDS = 11


def block_settings(rng, architecture):
    """As drawn_kinds.settings, of GPT-2's block (LayerNorm, packed projections, learned positions) or LLaMA's (RMSNorm, RoPE, groups)."""
    gpt2 = architecture == "gpt2"
    H, d, B, n = int(rng.choice([1, 2, 4])), int(rng.choice([4, 6, 8])), int(rng.integers(1, 4)), int(rng.integers(4, 9))
    G = H if gpt2 or rng.random() < 0.5 else int(rng.choice([g for g in range(1, H + 1) if H % g == 0]))
    D, kv = H * d, G * d
    gain = float(rng.choice([1, 1, 0.05]))  # small words make the norm's epsilon felt
    table, places = rng.normal(size=(WORDS, D)) * gain, rng.normal(size=(16, D)) * gain * 0.5
    ids = rng.integers(0, WORDS, (B, n))
    p = dict(query=table[ids] + (places[:n] if gpt2 else 0))
    norm = dict(kind="layer" if gpt2 else "rms", epsilon=1e-5 if gpt2 else 1e-6, weight=rng.uniform(0.4, 1.8, D), bias=rng.normal(size=D) * 0.4 if gpt2 else 0)
    for i, shape in {"q": (D, D), "k": (kv, D), "v": (kv, D), "o": (D, D)}.items():
        p["W" + i] = rng.uniform(-1, 1, shape) * 1.7 / D ** 0.5
        if gpt2:
            p["b" + i] = rng.normal(size=shape[0]) * 0.5
    p = {name: np.asarray(v, np.float32).astype(float) for name, v in p.items()}
    norm.update({name: np.asarray(norm[name], np.float32).astype(float) for name in ("weight", "bias")})
    p["query"] = (np.asarray(table, np.float32)[ids] + (np.asarray(places, np.float32)[:n] if gpt2 else 0)).astype(float)
    p["key"] = p["query"]
    base = float(rng.choice([10000, 500000]))
    return dict(architecture=architecture, B=B, H=H, G=G, d=d, n_q=n, n_k=n, causal="top", window=0, lengths=None, file_mask=None, alibi=False,
                attn_bias=None, cap=0, norm="", rope="" if gpt2 else "half", base=base, offset=0, scale=0, fill=-np.inf, t5=0, t5_both=True,
                learned=False, norm_whole=False, before=norm, turned=d, parameters=p, ids=ids, table=table, places=places)


def write_safetensors(path, tensors):
    header, data = {}, b""
    for name, values in tensors.items():
        raw = np.ascontiguousarray(values, np.float32).tobytes()
        header[name] = dict(dtype="F32", shape=list(np.shape(values)), data_offsets=[len(data), len(data) + len(raw)])
        data += raw
    text = json.dumps(header).encode()
    Path(path).write_bytes(len(text).to_bytes(8, "little") + text + data)


def write_block(c, folder):
    """A model's folder with one block, and the words of its command line."""
    p, D, folder = c["parameters"], c["H"] * c["d"], Path(folder, "net")
    folder.mkdir()
    ones, zeros, wide = np.ones(D), np.zeros(D), np.zeros((D, D))
    if c["architecture"] == "gpt2":
        config = dict(model_type="gpt2", n_embd=D, n_head=c["H"], n_layer=1, n_positions=16, vocab_size=WORDS, n_inner=D, activation_function="gelu_new", layer_norm_epsilon=1e-5)
        a = "h.0."
        tensors = {"wte.weight": c["table"], "wpe.weight": c["places"], a + "ln_1.weight": c["before"]["weight"], a + "ln_1.bias": c["before"]["bias"],
                   a + "attn.c_attn.weight": np.concatenate([p["Wq"], p["Wk"], p["Wv"]]).T, a + "attn.c_attn.bias": np.concatenate([p["bq"], p["bk"], p["bv"]]),
                   a + "attn.c_proj.weight": p["Wo"].T, a + "attn.c_proj.bias": p["bo"], a + "ln_2.weight": ones, a + "ln_2.bias": zeros,
                   a + "mlp.c_fc.weight": wide, a + "mlp.c_fc.bias": zeros, a + "mlp.c_proj.weight": wide, a + "mlp.c_proj.bias": zeros, "ln_f.weight": ones, "ln_f.bias": zeros}
    else:
        config = dict(model_type="llama", hidden_size=D, num_hidden_layers=1, num_attention_heads=c["H"], num_key_value_heads=c["G"], intermediate_size=D, vocab_size=WORDS,
                      max_position_embeddings=64, rms_norm_eps=1e-6, rope_theta=c["base"], hidden_act="silu", tie_word_embeddings=False)
        a = "model.layers.0."
        tensors = {"model.embed_tokens.weight": c["table"], "lm_head.weight": c["table"], a + "input_layernorm.weight": c["before"]["weight"],
                   **{a + f"self_attn.{i}_proj.weight": p["W" + i] for i in "qkvo"}, a + "post_attention_layernorm.weight": ones,
                   **{a + f"mlp.{name}_proj.weight": wide for name in ("gate", "up", "down")}, "model.norm.weight": ones}
    write_safetensors(folder / "model.safetensors", tensors)
    (folder / "config.json").write_text(json.dumps(config))
    words = {f"w{i}": i for i in range(WORDS)}
    (folder / "tokenizer.json").write_text(json.dumps(dict(version="1.0", added_tokens=[], pre_tokenizer=dict(type="Whitespace"), model=dict(type="WordLevel", vocab=words, unk_token="w0"))))
    return ["--text", "\n".join(" ".join(f"w{i}" for i in line) for line in c["ids"]), "--layer", "0"]
