"""The files of headlight.watch(): a folder a model, which only its user can open.

FOLDER/step-N.npz is a call, the newest also FOLDER/latest.npz, and FOLDER/step-N.gradients.npz follows once the backward
pass has run; each is whole or not there at all.
"""
import json
import os
import pathlib
import re
import shutil
import sys

import numpy as np

_STEPS = 300  # of which records are kept


def watch_folder():
    """Where the window looks for what is watched, beside what else it remembers of this person."""
    home = pathlib.Path.home()
    if os.name == "nt":
        state = pathlib.Path(os.environ.get("APPDATA", home))
    elif sys.platform == "darwin":
        state = home / "Library" / "Application Support"
    else:
        said = os.environ.get("XDG_STATE_HOME", "")
        state = pathlib.Path(said) if os.path.isabs(said) else home / ".local" / "state"
    return state / "headlight" / "watch"


def write_whole(path, write):
    """Whole or not at all, for this user alone."""
    part = path.with_suffix(".part")
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        write(file)
    os.replace(part, path)


def _runs_elsewhere(folder):
    try:
        pid = json.loads((folder / "run.json").read_text())["pid"]
        os.kill(pid, 0) if os.name == "posix" else None
        return os.name == "posix" and pid != os.getpid()
    except (OSError, ValueError, KeyError, TypeError):
        return False


def own_folder(name, error):
    if not re.fullmatch(r"[\w.-]{1,64}", name) or name.startswith("."):
        raise error(f"{name!r} is no name to watch by; expected letters, digits, - and _")
    folder = watch_folder() / name
    folder.parent.mkdir(parents=True, exist_ok=True)
    if _runs_elsewhere(folder):
        raise error(f"another process is watched as {name!r}; expected another name")
    if folder.is_symlink() or (folder.exists() and hasattr(os, "getuid") and folder.stat().st_uid != os.getuid()):
        raise error(f"{folder}: belongs to somebody else; expected a folder of one's own")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    return folder


def save(folder, record, most_bytes):
    layers = _heads_joined(record["layers"])
    arrays = {f"attentions.{i}": layer["weights"] for i, layer in enumerate(layers)}
    lengths = {n for layer in layers for n in layer["weights"].shape[2:]}
    if record["words"] is not None and lengths == {len(record["words"])}:
        arrays["tokens"] = np.array([str(word) for word in record["words"]])
    if record["missing"]:
        arrays["not_recorded"] = np.array([f"{name}: {why}" for name, why in record["missing"].items()])
    if layers:
        arrays["axes"] = np.array(["B,H,q,k"])
        arrays["layer_names"] = np.array([layer["name"] for layer in layers])
        step = _file(folder, record)
        write_whole(step, lambda file: np.savez(file, **arrays))
        latest = folder / "latest.part"
        latest.unlink(missing_ok=True)
        try:
            os.link(step, latest)
        except OSError:  # a file system without links
            shutil.copy2(step, latest)
        os.replace(latest, folder / "latest.npz")
    _drop_old(folder, most_bytes)


def save_gradients(folder, record):
    layers = _heads_joined(record["layers"])
    arrays = {f"gradients.{i}": layer["gradient"] for i, layer in enumerate(layers) if layer["gradient"] is not None}
    if _file(folder, record).exists():
        write_whole(_file(folder, record, ".gradients"), lambda file: np.savez(file, **arrays))


def _file(folder, record, what=""):
    return folder / f"step-{record['step']:09}{what}.npz"


def _drop_old(folder, most_bytes):
    size = sum(file.stat().st_size for file in folder.glob("step-*"))
    steps = sorted(file for file in folder.glob("step-*.npz") if "gradients" not in file.name)
    while len(steps) > 1 and (size > most_bytes or len(steps) > _STEPS):
        for file in folder.glob(steps.pop(0).stem + "*"):
            size -= file.stat().st_size
            file.unlink()


def _heads_joined(layers):
    """Heads that are modules of their own ("sa.heads.0", "sa.heads.1") are one layer."""
    joined = []
    for layer in layers:
        parent, _, number = layer["name"].rpartition(".")
        alone = number.isdigit() and layer["weights"].shape[1] == 1
        last = joined[-1] if joined else {}
        if alone and int(number) > 0 and last.get("parent") == parent and last["weights"].shape[2:] == layer["weights"].shape[2:]:
            last["weights"] = np.concatenate([last["weights"], layer["weights"]], 1)
            both = last["gradient"] is not None and layer["gradient"] is not None
            last["gradient"] = np.concatenate([last["gradient"], layer["gradient"]], 1) if both else None
        else:
            joined.append({**layer, "parent": parent if alone else None, "name": parent if alone else layer["name"]})
    return joined
