"""The files of headlight.watch(): a folder a model, which only its user can open.

FOLDER/step-N.npz is a call, the newest also FOLDER/latest.npz, and FOLDER/step-N.gradients.npz follows once the backward
pass has run; each is whole or not there at all.
"""
from __future__ import annotations

import contextlib
import json
import os
import pathlib
import re
import shutil
import stat
import sys

from typing import Any, BinaryIO, Callable, Dict, List, Tuple

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

import numpy as np

from ._program import HeadlightError

_STEPS = 300  # of which records are kept


def watch_folder() -> pathlib.Path:
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


def _create(path: pathlib.Path) -> int:
    """A new file for this user alone; never one that somebody laid there, nor through a link."""
    path.unlink(missing_ok=True)
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)


def write_whole(path: pathlib.Path, write: Callable[[BinaryIO], Any]) -> None:
    """Whole or not at all, for this user alone."""
    part = path.with_suffix(".part")
    with os.fdopen(_create(part), "wb") as file:
        write(file)
    os.replace(part, path)


def _private(folder: pathlib.Path) -> None:
    """Makes the folder and its missing parents, for this user alone whatever the umask."""
    for each in reversed([folder, *folder.parents]):
        if not each.exists():
            with contextlib.suppress(FileExistsError):
                each.mkdir(mode=0o700)
                each.chmod(0o700)
    if hasattr(os, "getuid"):
        about = folder.lstat()
        if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.getuid():
            raise HeadlightError(f"{folder}: belongs to somebody else, or is a link; expected a folder of one's own")
        folder.chmod(0o700)


def _lock(file: int) -> bool:
    """Whether nobody else holds the lock of the open file; it is held from here on, until it is closed."""
    try:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except OSError:
        return False


def _runs_elsewhere(folder: pathlib.Path) -> bool:
    try:
        file = os.open(folder / "run.json", os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return False
    try:
        return not _lock(file)
    finally:
        os.close(file)


def own_folder(name: str) -> Tuple[pathlib.Path, int]:
    """The folder for the calls of a model by this name, and the open file whose lock says that it is watched."""
    if not isinstance(name, str) or not re.fullmatch(r"[\w.-]{1,64}", name) or name.startswith("."):
        raise HeadlightError(f"{name!r} is no name to watch by; expected letters, digits, - and _")
    folder = watch_folder() / name
    try:
        for each in (folder.parent.parent, folder.parent, folder):
            _private(each)
        if _runs_elsewhere(folder):
            raise HeadlightError(f"another process is watched as {name!r}; expected another name")
        shutil.rmtree(folder, ignore_errors=True)
        _private(folder)
        lock = _create(folder / "run.json")
        _lock(lock)
        os.write(lock, json.dumps({"pid": os.getpid()}).encode())
    except OSError as failed:
        raise HeadlightError(f"{folder}: cannot be written: {failed.strerror}; expected a place that can be written to") from None
    return folder, lock


def save(folder: pathlib.Path, record: Dict[str, Any], most_bytes: float) -> None:
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


def save_gradients(folder: pathlib.Path, record: Dict[str, Any]) -> None:
    layers = _heads_joined(record["layers"])
    arrays = {f"gradients.{i}": layer["gradient"] for i, layer in enumerate(layers) if layer["gradient"] is not None}
    if _file(folder, record).exists():
        write_whole(_file(folder, record, ".gradients"), lambda file: np.savez(file, **arrays))


def _file(folder: pathlib.Path, record: Dict[str, Any], what: str = "") -> pathlib.Path:
    return folder / f"step-{record['step']:09}{what}.npz"


def _drop_old(folder: pathlib.Path, most_bytes: float) -> None:
    size = sum(file.stat().st_size for file in folder.glob("step-*"))
    steps = sorted(file for file in folder.glob("step-*.npz") if "gradients" not in file.name)
    while len(steps) > 1 and (size > most_bytes or len(steps) > _STEPS):
        for file in folder.glob(steps.pop(0).stem + "*"):
            size -= file.stat().st_size
            file.unlink()


def _heads_joined(layers: List[Dict[str, Any]]) -> List[Dict[str, Any]]:
    """Heads that are modules of their own ("sa.heads.0", "sa.heads.1") are one layer."""
    joined: List[Dict[str, Any]] = []
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
