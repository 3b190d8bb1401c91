#!/usr/bin/env python3
"""Every fixture in every format gives the same trace, bit by bit: npz stored, deflated and in Fortran order, safetensors,
and, where PyTorch is installed, torch.save.

    formats.py PROGRAM
"""
import json
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
except ImportError:
    torch = None

FIXTURES = Path(__file__).parent.parent / "fixtures"
DTYPES = {"f2": "F16", "f4": "F32", "f8": "F64", "i4": "I32", "i8": "I64", "b1": "BOOL"}


def save_safetensors(path, arrays):
    """Writes a .safetensors file with scalars as strings in the metadata."""
    header, data = {"__metadata__": {}}, b""
    for name, array in arrays.items():
        if array.ndim == 0:
            header["__metadata__"][name] = str(array.item())
            continue
        block = np.ascontiguousarray(array).tobytes()
        span = [len(data), len(data) + len(block)]
        header[name] = {"dtype": DTYPES[array.dtype.str[1:]], "shape": list(array.shape), "data_offsets": span}
        data += block
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def save_torch(path, arrays):
    torch.save({name: torch.from_numpy(a.copy()) if a.ndim else a.item() for name, a in arrays.items()}, path)


def trace(program, path, out):
    subprocess.run([program, "trace", path, "-o", out], check=True, capture_output=True)
    with np.load(out) as stages:
        return dict(stages)


def same(a, b):
    return a.keys() == b.keys() and all(np.array_equal(a[k], b[k], equal_nan=a[k].dtype.kind == "f") for k in a)


def main():
    writers = {
        "deflated.npz": lambda path, arrays: np.savez_compressed(path, **arrays),
        "fortran.npz": lambda path, arrays: np.savez(path, **{k: np.asfortranarray(v) for k, v in arrays.items()}),
        "t.safetensors": save_safetensors,
    }
    if torch:
        writers["t.pt"] = save_torch
    wrong = compared = 0
    with tempfile.TemporaryDirectory() as folder:
        for fixture in sorted(FIXTURES.glob("*.input.npz")):
            with np.load(fixture) as file:
                arrays = dict(file)
            expected = trace(sys.argv[1], fixture, Path(folder, "expected.npz"))
            for name, write in writers.items():
                path = Path(folder, name)
                write(path, arrays)
                compared += 1
                if not same(expected, trace(sys.argv[1], path, Path(folder, "trace.npz"))):
                    print(f"{fixture.name} as {name} gives another trace")
                    wrong += 1
    print(f"{compared - wrong} passed, {wrong} failed")
    return 1 if wrong or not compared else 0


sys.exit(main())
