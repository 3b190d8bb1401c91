"""A trained layer cut into another number of heads, compared with PyTorch: the attention and the prediction.

    tests/parity/cut_heads.py build/release/bin/headlight
"""
import json, os, struct, subprocess, sys, tempfile

try:
    import numpy as np, torch
except ImportError:
    sys.exit(77)

program = os.path.abspath(sys.argv[1])
root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
model = os.path.join(root, "assets", "models", "english")
text = "the dog ate its food because it was hungry"


def arrays(path):
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    types = {"F16": np.float16, "F32": np.float32}
    return {
        name: torch.tensor(
            np.frombuffer(data[slice(*one["data_offsets"])], types[one["dtype"]]).astype(np.float32).reshape(one["shape"])
        )
        for name, one in header.items()
        if name != "__metadata__"
    }


def run(*arguments):
    return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout


def forward(weights, config, ids, heads_of):
    """GPT-2: for each layer the attention's weights and output, and the logits."""
    norm = lambda x, name: torch.nn.functional.layer_norm(
        x, x.shape[-1:], weights[name + ".weight"], weights[name + ".bias"], config["layer_norm_epsilon"]
    )
    linear = lambda x, name: x @ weights[name + ".weight"] + weights[name + ".bias"]
    n, width = len(ids), config["n_embd"]
    x = weights["transformer.wte.weight"][ids] + weights["transformer.wpe.weight"][:n]
    layers = []
    for i in range(config["n_layer"]):
        at, H = f"transformer.h.{i}.", heads_of(i)
        q, k, v = (
            part.view(n, H, width // H).transpose(0, 1)
            for part in linear(norm(x, at + "ln_1"), at + "attn.c_attn").split(width, -1)
        )
        scores = q @ k.transpose(-1, -2) / (width // H) ** 0.5
        A = scores.masked_fill(torch.ones(n, n).tril() == 0, float("-inf")).softmax(-1)
        output = linear((A @ v).transpose(0, 1).reshape(n, width), at + "attn.c_proj")
        layers.append((A, output))
        x = x + output
        hidden = torch.nn.functional.gelu(linear(norm(x, at + "ln_2"), at + "mlp.c_fc"), approximate="tanh")
        x = x + linear(hidden, at + "mlp.c_proj")
    return layers, norm(x, "transformer.ln_f") @ weights["transformer.wte.weight"].T


def main():
    weights = arrays(os.path.join(model, "model.safetensors"))
    with open(os.path.join(model, "config.json")) as file:
        config = json.load(file)
    faults = 0
    for layer in range(config["n_layer"]):
        for heads in (1, 2, 8, 32):
            settings = ["model:english", "--text", text, "--layer", str(layer), "--heads", str(heads)]
            with tempfile.TemporaryDirectory() as folder:
                out = os.path.join(folder, "layer.npz")
                run("trace", *settings, "-o", out)
                traced = dict(np.load(out))
            said = json.loads(run("predict", *settings, "--top", "5", "--json"))
            with open(os.path.join(model, "tokenizer.json")) as file:
                vocabulary = json.load(file)["model"]["vocab"]
            ids = [vocabulary[word] for word in said["tokens"]]
            layers, logits = forward(weights, config, ids, lambda i: heads if i == layer else config["n_head"])
            shares = logits[-1].softmax(-1)
            pairs = [("weights", layers[layer][0], traced["weights"][0]), ("output", layers[layer][1], traced["output"][0])]
            for name, want, got in pairs:
                over = (np.abs(got - want.numpy()) - 1e-5 - 1e-4 * np.abs(want.numpy())).max()
                if over > 0:
                    faults += 1
                    print(f"layer {layer}, {heads} heads: {name} differs by {over:.2g} more than allowed")
            for each in said["next"]:
                want = shares[vocabulary[each["token"]]].item()
                if abs(each["probability"] - want) > 1e-4:
                    faults += 1
                    print(f"layer {layer}, {heads} heads: {each['token']} {each['probability']}, PyTorch {want}")
    print(f"{faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
