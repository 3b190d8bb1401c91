#!/usr/bin/env python3
"""Every command line and every piece of Python in README.md and RECIPES.md, run as they stand there, in a folder that holds what
they name: documented.py PROGRAM. Windows are opened for their picture, since a test has no display. Without PyTorch the Python that uses it
is left out, and so are the command lines that read what it writes; how many is said.
"""
import json
import os
import re
import shlex
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
try:
    import torch
    from torch import nn
    torch.manual_seed(3)
    torch.set_num_threads(1)
except ImportError:
    torch = nn = None

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.path.abspath(sys.argv[1])
COMMANDS = {"trace", "render", "explain", "compare", "bundle", "predict", "lesson", "handout", "page", "list", "mask-code", "heads", "patch"}
Module = nn.Module if torch else object
failures, left_out = [], []
random = np.random.default_rng(3)


def blocks(path):
    """(heading, language, text) of each fenced block."""
    heading, language, lines = "", None, []
    for line in path.read_text().splitlines():
        fence = re.match(r"```(\w*)$", line)
        if fence and language is None:
            language, lines = fence[1], []
        elif fence:
            yield heading, language, "\n".join(lines)
            language = None
        elif language is not None:
            lines.append(line)
        elif line.startswith("#"):
            heading = line.lstrip("# ")


def run(command, where):
    """As a reader would type it, but for the window, which is asked for its picture."""
    words = shlex.split(command, comments=True)
    if words[:2] == ["./run", "--install"]:
        return ""  # builds and installs: installed.sh tries it
    if "--watch" in words:
        return ""  # needs a model that runs: watch.py tries it
    into = words[words.index(">") + 1] if ">" in words else None
    if into:
        words = words[:words.index(">")]
    if words[0] == "headlight" or words[0] == "./run":
        words[0] = PROGRAM
    if len(words) == 1 or (words[1] not in COMMANDS and not {"--screenshot", "--animation", "--help", "--version"} & set(words)):
        words += ["--screenshot", "the-window.png", "--size", "800x600"]
    done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    expected = 1 if words[1] == "compare" else 0
    if not torch and done.returncode == 2 and "no such file" in done.stderr:
        left_out.append(command)
    elif done.returncode != expected:
        failures.append(command)
        print(f"{where}: {command}\n    status {done.returncode}: {done.stderr.strip()[-400:]}")
    if into:
        Path(into).write_text(done.stdout)
    return done.stdout


def save_safetensors(path, tensors):
    header, data = {}, b""
    for name, value in tensors.items():
        raw = np.ascontiguousarray(value, np.float32).tobytes()
        header[name] = {"dtype": "F32", "shape": list(value.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def drawn(*shape):
    return random.standard_normal(shape, np.float32) * np.float32(0.2)


def make_gpt2(folder, layers=8, d=16, heads=4):
    folder.mkdir()
    tensors = {"wte.weight": drawn(265, d), "wpe.weight": drawn(64, d), "ln_f.weight": np.ones(d, np.float32), "ln_f.bias": drawn(d)}
    for i in range(layers):
        h = f"h.{i}."
        tensors |= {h + "ln_1.weight": np.ones(d, np.float32), h + "ln_1.bias": drawn(d), h + "ln_2.weight": np.ones(d, np.float32), h + "ln_2.bias": drawn(d),
                    h + "attn.c_attn.weight": drawn(d, 3 * d), h + "attn.c_attn.bias": drawn(3 * d), h + "attn.c_proj.weight": drawn(d, d),
                    h + "attn.c_proj.bias": drawn(d), h + "mlp.c_fc.weight": drawn(d, 4 * d), h + "mlp.c_fc.bias": drawn(4 * d),
                    h + "mlp.c_proj.weight": drawn(4 * d, d), h + "mlp.c_proj.bias": drawn(d)}
    if torch:
        torch.save({name: torch.from_numpy(value) for name, value in tensors.items()}, folder / "pytorch_model.bin")
    else:
        save_safetensors(folder / "model.safetensors", tensors)
    config = {"model_type": "gpt2", "n_layer": layers, "n_head": heads, "n_embd": d, "n_positions": 64, "vocab_size": 265,
              "activation_function": "gelu_new", "layer_norm_epsilon": 1e-5}
    (folder / "config.json").write_text(json.dumps(config))
    # The bytes as GPT-2's tokenizer writes them, and three words.
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [b for b in range(256) if b not in printable]
    letters = {**{b: chr(b) for b in printable}, **{b: chr(256 + i) for i, b in enumerate(others)}}
    blank = letters[ord(" ")]
    merged = [(blank + word[:i], word[i]) for word in ("are", "is", "keys") for i in range(len(word))]
    (folder / "vocab.json").write_text(json.dumps({letters[b]: b for b in range(256)} | {a + b: 256 + i for i, (a, b) in enumerate(merged)}))
    (folder / "merges.txt").write_text("#version: 0.2\n" + "".join(f"{a} {b}\n" for a, b in merged))


def make_gguf(path, d=16):
    """GPT-2 of one layer with its bytes as tokens."""
    sys.path.insert(0, str(ROOT / "tests" / "fixtures"))
    from make_gguf import plain, write
    letters = {i: letter for letter, i in json.loads(Path("gpt2/vocab.json").read_text()).items()}
    pairs = {"general.architecture": "gpt2", "gpt2.block_count": 1, "gpt2.embedding_length": d, "gpt2.feed_forward_length": 4 * d,
             "gpt2.context_length": 64, "gpt2.attention.head_count": 4, "gpt2.attention.layer_norm_epsilon": 1e-5, "tokenizer.ggml.model": "gpt2",
             "tokenizer.ggml.pre": "gpt-2", "tokenizer.ggml.tokens": [letters[i] for i in range(256)] + ["ab"], "tokenizer.ggml.merges": ["a b"]}
    shapes = {"token_embd": (257, d), "position_embd": (64, d), "blk.0.attn_qkv": (3 * d, d), "blk.0.attn_output": (d, d), "blk.0.ffn_up": (4 * d, d),
              "blk.0.ffn_down": (d, 4 * d), "blk.0.attn_norm": (d,), "blk.0.ffn_norm": (d,), "output_norm": (d,)}
    tensors = {name + ".weight": plain(drawn(*shape)) for name, shape in shapes.items()}
    tensors |= {name + ".bias": plain(drawn(shapes[name][0])) for name in shapes if name.startswith(("blk", "output_norm"))}
    write(path, pairs, tensors)


def make_layers(folder, prefix, names, config, layers=4, d=16):
    """Only what the attention of each layer needs."""
    folder.mkdir()
    tensors = {f"{prefix}.{i}.{name}.{what}": drawn(d, d) if what == "weight" else drawn(d)
               for i in range(layers) for name in names for what in ("weight", "bias")}
    save_safetensors(folder / "model.safetensors", tensors)
    (folder / "config.json").write_text(json.dumps(config))


def fill_folder():
    make_gpt2(Path("gpt2"))
    Path("sentences.txt").write_text("the girl looked at herself in the mirror\nthe boy put on his coat\n")
    make_gguf(Path("llama-3.2-1b-q4_k_m.gguf"))
    make_layers(Path("bert"), "encoder.layer", ["attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"],
                {"num_attention_heads": 4})
    make_layers(Path("llama"), "model.layers", [f"self_attn.{p}_proj" for p in "qkvo"], {"num_attention_heads": 4})


class Attention(Module):
    """A layer of somebody's own, called with hidden_states."""

    def __init__(self):
        super().__init__()
        self.q_proj, self.k_proj, self.v_proj, self.o_proj = (nn.Linear(16, 16) for _ in range(4))

    def forward(self, hidden_states):
        return hidden_states


class Model(Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList()
        self.layers = nn.ModuleList()
        for _ in range(4):
            block, layer = nn.Module(), nn.Module()
            block.attention, layer.self_attn = nn.MultiheadAttention(16, 8, batch_first=True), Attention()
            self.blocks.append(block)
            self.layers.append(layer)

    def forward(self, x):
        for block, layer in zip(self.blocks, self.layers):
            x = layer.self_attn(hidden_states=block.attention(x, x, x)[0])
        return x


def own_stages(net, x, heads):
    """As somebody would who forgot to scale."""
    batch, n, d = x.shape
    q, k, v = (t.view(batch, n, heads, d // heads).transpose(1, 2) for t in nn.functional.linear(x, net.in_proj_weight, net.in_proj_bias).chunk(3, -1))
    scores = q @ k.transpose(-2, -1)
    weights = scores.masked_fill(torch.ones(n, n).triu(1).bool(), -torch.inf).softmax(-1)
    return q, scores, weights, net.out_proj((weights @ v).transpose(1, 2).reshape(batch, n, d))


def world():
    """What a reader of the Python has at hand."""
    mine = {f"W_{p}": drawn(32, 32) for p in "qkvo"}
    if not torch:
        return {"np": np, "x": drawn(2, 5, 32), **mine}
    net, x = nn.MultiheadAttention(32, 8, batch_first=True), torch.randn(2, 5, 32)
    q, scores, weights, output = own_stages(net, x, 8)  # with their gradients, as they are in a forward pass
    return {"np": np, "nn": nn, "torch": torch, "net": net, "x": x, "q": q, "scores": scores, "weights": weights, "output": output, **mine}


class Gives:
    """What transformers return: attentions, a list of [B, H, n, n]."""

    def __init__(self, layers=3, n=5):
        self.attentions = tuple(torch.randn(1, 4, n, n).softmax(-1) for _ in range(layers))


def python(text, heading, space):
    if "headlight." in text or "stages[" in text and "np.load" in text:
        return  # the Python package has a test of its own; a file that a command above writes is read
    if not torch and heading != "NumPy":
        left_out.append(text)
        return
    if heading == "NumPy":
        space = space | {"x": np.asarray(space["x"])}
    if "capture(" in text or "save_calls(" in text:
        space = space | {"model": Model(), "batch": torch.randn(2, 5, 16)}
    if "output_attentions" in text:
        space = space | {"model": lambda ids, output_attentions: Gives(), "ids": torch.arange(5)[None], "tokens": "the cat sat down .".split()}
    try:
        exec(text, space)
        if "save_calls(" in text:
            space["model"](space["batch"])
    except Exception as error:  # noqa: BLE001: whatever it is, the recipe does not run
        failures.append(text)
        print(f"{heading}: {type(error).__name__}: {error}\n{text}")


counted = 0
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for name in ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        os.environ[name] = folder
    fill_folder()
    space = world()
    np.save("mask.npy", np.tril(np.ones((5, 5), bool)))
    for document in ("README.md", "RECIPES.md"):
        for heading, language, text in blocks(ROOT / document):
            if language == "python":
                python(text, heading, space)
                counted += 1
            elif language == "json" and '"steps"' in text:
                Path("first-word.json").write_text(text)
            elif language in ("sh", ""):
                for line in text.splitlines():
                    if re.match(r"(\./run|headlight)( |$)", line) and "run-tests" not in line:
                        run(line, f"{document}, {heading}")
                        counted += 1
        # In the text, whole command lines between backquotes.
        for line in re.findall(r"`((?:\./run|headlight) [^`]*)`", (ROOT / document).read_text()):
            if not any(word in line for word in ("…", "OUT", "FILE", "ID")):
                run(line, document)
                counted += 1
    if left_out:
        print(f"{len(left_out)} of them were left out: they need PyTorch (apt-get install python3-torch)")
    if counted < 50 or len(left_out) > 30:
        failures.append(f"only {counted} were found")
print(f"{counted} pieces of the documents, {len(failures)} failures")
sys.exit(1 if failures else 0)
