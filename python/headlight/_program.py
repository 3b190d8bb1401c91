"""Runs the program headlight: where it is, its options, its files, and what it says is wrong."""
from __future__ import annotations

import functools
import json
import math
import os
import pathlib
import shutil
import subprocess
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

import numpy as np

Array = Any  # NumPy's, PyTorch's or nested lists
Source = Union[str, "os.PathLike[str]", Mapping[str, Array], None]


class HeadlightError(ValueError):
    """What is wrong, in one sentence; mostly the program's own."""


@functools.lru_cache(maxsize=None)
def _is_headlight(path: str) -> bool:
    """Whether the program calls itself headlight. One that cannot be asked is taken for it: run() says what is wrong."""
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, errors="replace", timeout=20)
    except (OSError, ValueError, subprocess.SubprocessError):
        return True
    return "headlight" in done.stdout.lower()


def program() -> str:
    """The path of the program. Raises HeadlightError where there is none."""
    said = os.environ.get("HEADLIGHT")
    if said:
        if shutil.which(said) is None:
            raise HeadlightError(f"HEADLIGHT: {said} is no program that can be run; expected the path of headlight")
        if not _is_headlight(said):
            raise HeadlightError(f"HEADLIGHT: {said} is another program; expected the path of headlight")
        return said
    found = shutil.which("headlight")
    if found:
        return found
    for folder in pathlib.Path(__file__).resolve().parents:
        for preset in ("release", "dev"):
            built = folder / "build" / preset / "bin" / "headlight"
            if built.is_file():
                return str(built)
    raise HeadlightError("the program headlight is not on PATH; expected it there (./run --install in its repository), or its path in HEADLIGHT")


def _as_json(value: Any) -> Any:
    """With "-inf" for the infinities and "nan", for which JSON has no numbers."""
    if isinstance(value, Mapping):
        return {str(key): _as_json(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_as_json(each) for each in value]
    if hasattr(value, "tolist"):
        return _as_json(value.tolist())
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _json_of(name: str, value: Any) -> str:
    try:
        return json.dumps(_as_json(value), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise HeadlightError(f"{name}: {error}; expected numbers, texts, lists and dicts") from None


def _line_of(name: str, words: Sequence[Any]) -> str:
    """The words as a line, in which blanks separate them."""
    if any(not isinstance(word, str) or not word or word.split() != [word] for word in words):
        raise HeadlightError(f"{name}: a word is no text, is empty or has a blank in it; expected words without blanks, or the array \"{name}\" in the file")
    return " ".join(words)


def words_of(options: Mapping[str, Any]) -> List[str]:
    """Keyword arguments as words of the command line."""
    words: List[str] = []
    for name, value in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if hasattr(value, "ndim") and value.ndim > 0:
            value = array_of(value, name).tolist()
        listed = isinstance(value, (list, tuple))
        if isinstance(value, dict) or (listed and any(isinstance(each, (list, tuple, dict)) or getattr(each, "ndim", 0) > 0 for each in value)):
            value = _json_of(name, value)  # x=[[1, 2]], edits=[{"stage": "W_q", ...}], attn_bias=array
        elif listed and name in ("tokens", "key_tokens"):
            value = _line_of(name, value)
        if isinstance(value, (list, tuple)) and all(isinstance(each, (int, float)) for each in value):
            value = ",".join(map(str, value))  # valid_lens=[5, 3]
        for each in value if isinstance(value, (list, tuple)) else [value]:
            if each is None or each is False:
                continue
            if callable(each):
                raise HeadlightError(f"{name}: a {type(each).__name__} is no value of an option; expected a text or a number")
            words.append(option if each is True else f"{option}={each}")
    return words


def run(words: Sequence[str], names: Optional[Mapping[str, str]] = None, statuses: Sequence[int] = (0,)) -> subprocess.CompletedProcess[str]:
    """Runs the program. In what it says, `names` stand for the paths of temporary files."""
    path_of_program = program()
    try:
        done = subprocess.run([path_of_program, *words], capture_output=True, text=True, encoding="utf-8", errors="replace")
    except (OSError, ValueError) as error:  # too many words, or one with a NUL
        raise HeadlightError(f"the program cannot be run: {getattr(error, 'strerror', None) or error}; expected shorter options, or arrays in a file") from None
    for path, name in (names or {}).items():
        done.stderr = done.stderr.replace(path, name)
    if done.returncode not in statuses:
        said = done.stderr.strip().removeprefix("headlight: ")
        raise HeadlightError(said or f"the program ended with status {done.returncode} and no word; expected a sentence")
    return done


def array_of(value: Array, what: str) -> np.ndarray[Any, Any]:
    """NumPy's, from NumPy's, PyTorch's (wherever it lies) or nested lists."""
    try:
        if hasattr(value, "detach"):
            value = value.detach().cpu()
            value = value.float().numpy() if value.is_floating_point() else value.numpy()
        array = np.asarray(value)
    except (TypeError, ValueError, OverflowError, RecursionError, RuntimeError) as error:
        raise HeadlightError(f"{what} is no array: {error}; expected numbers in rows of one length") from None
    if array.dtype.kind not in "biufUS":
        raise HeadlightError(f"{what} is a {type(value).__name__}, which is no array of numbers")
    return array


def save_arrays(path: str, arrays: Mapping[str, Array]) -> None:
    """Writes an .npz for the program."""
    made: Dict[str, Any] = {str(name): array_of(value, str(name)) for name, value in arrays.items()}
    try:
        np.savez(path, **made)
    except (OSError, TypeError, ValueError) as error:
        raise HeadlightError(f"the arrays cannot be written: {error}; expected names that are texts, and room for them") from None


class Sources:
    """The FILEs of a command line: those that are named, and arrays that are written into a temporary folder."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.names: Dict[str, str] = {}  # by path: what is said in its place

    def place(self, file: str, called: str) -> str:
        path = os.path.join(self.folder, file)
        self.names[path] = called
        return path

    def words(self, source: Source) -> List[str]:
        if source is None:
            return []
        if isinstance(source, Mapping):
            path = self.place("source.npz", "the arrays")
            save_arrays(path, source)
            return [path]
        try:
            return [os.fspath(source)]
        except TypeError:
            raise HeadlightError(f"a {type(source).__name__} is no source; expected the name of a file, or a dict of arrays") from None
