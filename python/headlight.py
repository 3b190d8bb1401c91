"""Headlight from Python: figures of attention, every stage as an array, and where an implementation goes wrong.

Copy this file beside your own, or `pip install ./python`. It needs NumPy and the program `headlight`: on PATH, in the
environment variable HEADLIGHT, or built in the repository that this file is in.

    import headlight
    headlight.figure(weights, tokens)                         # shows in a notebook
    headlight.figure(weights, tokens, head="all", size="column").save("figure.pdf")
    stages = headlight.trace("net.npz", mask="causal()")      # {"Q": array, ..., "weights": array, "output": array}
    headlight.compare("net.npz", {"weights": mine})           # {"match": False, "diagnosis": [...], ...}

Keyword arguments are the words of the command line: `font_size=8` is --font-size 8, `values=True` is --values, a list
is the option once for each: highlight=["2:4,0:3", "5:6,0:1"].
"""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

import numpy as np

__all__ = ["HeadlightError", "Figure", "figure", "render", "trace", "compare", "program"]
__version__ = "0.1.0"


class HeadlightError(ValueError):
    """What the program says is wrong, in its own sentence."""


def program():
    """The path of the program. Raises HeadlightError where there is none."""
    if os.environ.get("HEADLIGHT"):
        return os.environ["HEADLIGHT"]
    found = shutil.which("headlight")
    if found:
        return found
    for folder in pathlib.Path(__file__).resolve().parents:
        for preset in ("release", "dev"):
            built = folder / "build" / preset / "bin" / "headlight"
            if built.is_file():
                return str(built)
    raise HeadlightError("the program headlight is not on PATH; expected it there, or its path in HEADLIGHT")


def _words(options):
    words = []
    for name, value in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        for each in value if isinstance(value, (list, tuple)) else [value]:
            if each is None or each is False:
                continue
            words += [option] if each is True else [option, str(each)]
    return words


def _run(words, statuses=(0,)):
    done = subprocess.run([program(), *words], capture_output=True, text=True, encoding="utf-8")
    if done.returncode not in statuses:
        raise HeadlightError(done.stderr.strip().removeprefix("headlight: "))
    return done


def _array(value):
    """NumPy's, from NumPy's, PyTorch's (wherever it lies) or nested lists."""
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        value = value.float().numpy() if value.is_floating_point() else value.numpy()
    return np.asarray(value)


def _source(source, folder):
    """A FILE for the command line: one that is named, or arrays that are written into `folder`."""
    if source is None:
        return []
    if isinstance(source, dict):
        path = os.path.join(folder, "source.npz")
        np.savez(path, **{name: _array(value) for name, value in source.items()})
        return [path]
    return [os.fspath(source)]


class Figure:
    """A figure as the bytes of a file. A notebook shows it; save() writes it in any format that render knows."""

    def __init__(self, source, options):
        self._source, self._options, self._made = source, options, {}
        self.notes = ""  # what there was no room for
        self._bytes("svg")  # what is wrong is said now

    def _bytes(self, ending):
        if ending not in self._made:
            with tempfile.TemporaryDirectory() as folder:
                out = os.path.join(folder, "figure." + ending)
                done = _run(["render", *_source(self._source, folder), *_words(self._options), "-o", out])
                self.notes = done.stderr.strip()
                self._made[ending] = pathlib.Path(out).read_bytes()
        return self._made[ending]

    @property
    def svg(self):
        return self._bytes("svg").decode()

    @property
    def png(self):
        return self._bytes("png")

    @property
    def pdf(self):
        return self._bytes("pdf")

    def save(self, path):
        """As .png, .svg or .pdf, by the name's ending. Returns the path."""
        path = pathlib.Path(path)
        ending = path.suffix.lstrip(".").lower()
        if ending not in ("png", "svg", "pdf"):
            raise HeadlightError(f"{path}: a figure is no such file; expected a name that ends in .png, .svg or .pdf")
        path.write_bytes(self._bytes(ending))
        return path

    def _repr_svg_(self):
        return self.svg

    def _repr_png_(self):
        return self.png


def figure(weights, tokens=None, key_tokens=None, **options):
    """Attention weights as a figure: [n_q, n_k], [H, n_q, n_k], [B, H, n_q, n_k] or [L, B, H, n_q, n_k].

    `tokens` are the queries' words and, without `key_tokens`, the keys' as well. All heads are shown unless `head` says
    otherwise; every other option is one of `headlight render`.
    """
    weights = _array(weights)
    if weights.ndim < 2:
        raise HeadlightError(f"weights of shape {list(weights.shape)} are no matrix; expected [n_q, n_k] or more axes before these")
    source = {"weights": weights}
    if tokens is not None and key_tokens is None and weights.shape[-1] == weights.shape[-2]:
        source["tokens"] = np.array([str(t) for t in tokens])
    else:
        if tokens is not None:
            source["query_tokens"] = np.array([str(t) for t in tokens])
        if key_tokens is not None:
            source["key_tokens"] = np.array([str(t) for t in key_tokens])
    options.setdefault("stage", "weights")
    if weights.ndim > 2 and weights.shape[-3] > 1:
        options.setdefault("head", "all")
    return Figure(source, options)


def render(source=None, stage="weights", **options):
    """A stage of FILE, `lesson:ID`, a dict of arrays or, with text=..., of a sentence, as a figure."""
    return Figure(source, {"stage": stage, **options})


def trace(source=None, **settings):
    """Every stage of the computation, {"Q": array, ...}. `source` as in render(); settings are the command line's."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "stages.npz")
        _run(["trace", *_source(source, folder), *_words(settings), "-o", out])
        with np.load(out) as stages:
            return {name: stages[name] for name in stages.files}


def compare(source, mine, **settings):
    """Your own stages, {"weights": array, ...}, beside the right ones: what `headlight compare --json` says, as a dict."""
    with tempfile.TemporaryDirectory() as folder:
        theirs = os.path.join(folder, "mine.npz")
        np.savez(theirs, **{name: _array(value) for name, value in mine.items()})
        done = _run(["compare", *_source(source, folder), theirs, "--json", *_words(settings)], statuses=(0, 1))
        return json.loads(done.stdout)
