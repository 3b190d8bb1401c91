"""Writes the example files beside this script: what a PyTorch user saves, made with NumPy alone.

    python3 make_examples.py
"""

from pathlib import Path

import numpy as np

HERE = Path(__file__).parent


def linear(rng, n_out, n_in, gain=2.5):
    """A weight as nn.Linear stores it, [out, in], drawn a little wider so that heads differ at first sight."""
    bound = gain / np.sqrt(n_in)
    return rng.uniform(-bound, bound, (n_out, n_in)).astype(np.float32)


def save(name, **arrays):
    np.savez_compressed(HERE / name, **arrays)


def torch_multihead_attention():
    """The state dict of nn.MultiheadAttention(32, 4, batch_first=True), and a padded, causal batch."""
    rng = np.random.default_rng(1)
    d, n = 32, 7
    save(
        "torch_multihead_attention.npz",
        in_proj_weight=np.concatenate([linear(rng, d, d) for _ in range(3)]),
        in_proj_bias=np.zeros(3 * d, np.float32),
        **{"out_proj.weight": linear(rng, d, d), "out_proj.bias": np.zeros(d, np.float32)},
        x=rng.standard_normal((2, n, d)).astype(np.float32),
        key_padding_mask=np.arange(n) >= np.array([[n], [4]]),  # True: may not be attended to
        attn_mask=np.triu(np.ones((n, n), bool), 1),
        num_heads=4,
    )


def d2l_valid_lens():
    """"Dive into Deep Learning": queries, keys and values of different widths, no biases, valid lengths."""
    rng = np.random.default_rng(2)
    save(
        "d2l_valid_lens.npz",
        **{
            "W_q.weight": linear(rng, 40, 24),
            "W_k.weight": linear(rng, 40, 30),
            "W_v.weight": linear(rng, 40, 36),
            "W_o.weight": linear(rng, 40, 40),
        },
        queries=rng.standard_normal((2, 4, 24)).astype(np.float32),
        keys=rng.standard_normal((2, 6, 30)).astype(np.float32),
        values=rng.standard_normal((2, 6, 36)).astype(np.float32),
        valid_lens=np.array([3, 2]),
        mask_fill=-1e6,
        num_heads=5,
    )


def grouped_query():
    """LLaMA's names: 8 query heads share 2 key/value heads; 3 new queries after 6 cached keys."""
    rng = np.random.default_rng(3)
    d, d_head, n_q, n_k = 64, 8, 3, 9
    save(
        "grouped_query.npz",
        **{
            "q_proj.weight": linear(rng, d, d),
            "k_proj.weight": linear(rng, 2 * d_head, d),
            "v_proj.weight": linear(rng, 2 * d_head, d),
            "o_proj.weight": linear(rng, d, d),
        },
        query=rng.standard_normal((1, n_q, d)).astype(np.float32),
        key=rng.standard_normal((1, n_k, d)).astype(np.float32),
        value=rng.standard_normal((1, n_k, d)).astype(np.float32),
        mask=np.tril(np.ones((n_q, n_k), bool), n_k - n_q),  # True: may be attended to
        num_heads=8,
        num_kv_heads=2,
    )


def gpt2_layers():
    """Two layers under GPT-2's names (Conv1D, stored [in, out]) and no input: --layer h.0.attn opens one."""
    rng = np.random.default_rng(4)
    d = 24
    layers = {}
    for i in range(2):
        layers |= {
            f"h.{i}.attn.c_attn.weight": np.ascontiguousarray(linear(rng, 3 * d, d).T),
            f"h.{i}.attn.c_attn.bias": np.zeros(3 * d, np.float32),
            f"h.{i}.attn.c_proj.weight": np.ascontiguousarray(linear(rng, d, d).T),
            f"h.{i}.attn.c_proj.bias": np.zeros(d, np.float32),
        }
    save("gpt2_layers.npz", **layers, n_head=3)


if __name__ == "__main__":
    torch_multihead_attention()
    d2l_valid_lens()
    grouped_query()
    gpt2_layers()
