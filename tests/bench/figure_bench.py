"""headlight render beside Python with torch and matplotlib, making the same figure, whole processes in turn.

    figure_bench.py PROGRAM [--runs N]

Prints the medians and their ratio, and how long a PDF of 16 heads of 64 tokens takes; exits with 1 where Headlight is less than
30 times faster or the PDF takes 0.3 s, 77 where torch or matplotlib is missing. On a quiet machine.
"""
import argparse
import importlib.util
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MATPLOTLIB = """
import sys
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
import torch
torch.manual_seed(0)
x = torch.randn(1, 16, 64)
net = torch.nn.MultiheadAttention(64, 8, batch_first=True)
mask = torch.ones(16, 16, dtype=torch.bool).triu(1)
with torch.no_grad():
    weights = net(x, x, x, attn_mask=mask, average_attn_weights=False)[1][0]
figure, axes = plt.subplots(2, 4, figsize=(12, 6))
for head, axis in enumerate(axes.flat):
    image = axis.imshow(weights[head].masked_fill(mask, float("nan")), vmin=0, vmax=1)
    axis.set(title=f"head {head}", xlabel="key", ylabel="query")
figure.colorbar(image, ax=axes)
figure.savefig(sys.argv[1], dpi=100)
"""


def seconds(command):
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    missing = [name for name in ("torch", "matplotlib") if importlib.util.find_spec(name) is None]
    if missing:
        print("skipped: no " + " or ".join(missing))
        return 77
    with tempfile.TemporaryDirectory() as folder:
        theirs = [sys.executable, "-c", MATPLOTLIB, str(Path(folder) / "theirs.png")]
        ours = [arguments.program, "render", "--random", "--queries", "16", "--d-model", "64", "--heads", "8", "--mask",
                "causal()", "--stage", "weights", "--head", "all", "--range", "0:1", "--size", "1200x600", "-o",
                str(Path(folder) / "ours.png")]
        seconds(theirs), seconds(ours)  # both from a warm disk
        pdf = [arguments.program, "render", "--random", "--queries", "64", "--d-model", "128", "--heads", "16", "--stage", "weights",
               "--head", "all", "-o", str(Path(folder) / "ours.pdf")]
        pdf_seconds = min(seconds(pdf) for _ in range(max(3, arguments.runs)))
        pairs = [(seconds(ours), seconds(theirs)) for _ in range(arguments.runs)]
    headlight, python = (statistics.median(times) for times in zip(*pairs))
    print(json.dumps({"headlight_ms": round(headlight * 1e3, 1), "python_ms": round(python * 1e3, 1), "pdf_ms": round(pdf_seconds * 1e3, 1),
                      "ratio": round(python / headlight, 1)}))
    return 0 if python / headlight >= 30 and pdf_seconds < 0.3 else 1


if __name__ == "__main__":
    sys.exit(main())
