"""Headlight from Python: figures of attention, every stage as an array, and where an implementation goes wrong.

Copy this file (for watch() also headlight_watch.py and headlight_record.py) beside your own, or `pip install ./python`. It needs NumPy and the program `headlight`: on PATH, in the
environment variable HEADLIGHT, or built in the repository that this file is in.

    import headlight
    headlight.figure(weights, tokens)                         # shows in a notebook
    headlight.figure(weights, tokens, head="all", size="column").save("figure.pdf")
    headlight.show(weights, tokens)                           # the same, answering to the pointer
    headlight.show(model, tokenizer, "the cat sat")           # every layer and head of a Hugging Face model
    headlight.check(module, x)                                # which known mistake does a module make?
    headlight.watch(model)                                    # the window shows its attention while it runs
    stages = headlight.trace("net.npz", mask="causal()")      # {"Q": array, ..., "weights": array, "output": array}
    headlight.compare("net.npz", {"weights": mine})           # {"match": False, "diagnosis": [...], ...}

Keyword arguments are the words of the command line: `font_size=8` is --font-size 8, `values=True` is --values, a list
is the option once for each: highlight=["2:4,0:3", "5:6,0:1"].
"""
import contextlib
import html
import inspect
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np

__all__ = ["HeadlightError", "Figure", "Page", "Check", "figure", "show", "render", "trace", "compare", "check", "watch", "program"]
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
    raise HeadlightError("the program headlight is not on PATH; expected it there (./run --install in its repository), or its path in HEADLIGHT")


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

    @property
    def html(self):
        """One self-contained page that answers to the pointer."""
        return self._bytes("html").decode()

    def save(self, path):
        """As .png, .svg, .pdf or .html, by the name's ending. Returns the path."""
        path = pathlib.Path(path)
        ending = path.suffix.lstrip(".").lower()
        if ending not in ("png", "svg", "pdf", "html"):
            raise HeadlightError(f"{path}: a figure is no such file; expected a name that ends in .png, .svg, .pdf or .html")
        path.write_bytes(self._bytes(ending))
        return path

    def _repr_svg_(self):
        return self.svg

    def _repr_png_(self):
        return self.png


class Page(Figure):
    """A figure that a notebook shows as a page that answers to the pointer, with a PNG for viewers without scripts."""

    height = 640  # pixels in the notebook

    def _repr_html_(self):
        # A viewer that takes frames out, as JupyterLab does of a notebook that is not trusted, leaves the sentence within.
        return (f'<iframe srcdoc="{html.escape(self.html)}" sandbox="allow-scripts" title="attention" '
                f'style="width: 100%; height: {self.height}px; border: 0">The picture is here once this notebook is trusted: '
                'File, Trust Notebook.</iframe>')

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/html": self._repr_html_(), "image/png": self.png}


def _weights_source(weights, tokens, key_tokens, options):
    """The arrays of a file that holds attention alone; adds to `options` what shows all that is there."""
    if isinstance(weights, (list, tuple)) and len(weights) > 0 and isinstance(weights[0], (list, tuple)) and hasattr(weights[0][0], "shape"):
        return _generated_source(weights, tokens, key_tokens, options)
    in_layers = isinstance(weights, (list, tuple)) and len(weights) > 0 and hasattr(weights[0], "shape")
    if in_layers:
        layers = [_array(each) for each in weights]
        if len({each.shape for each in layers}) > 1:
            raise HeadlightError(f"layers of shapes {sorted({each.shape for each in layers})} cannot be shown together; expected one shape")
        weights = np.stack(layers)
    weights = _array(weights)
    if weights.ndim < 2:
        raise HeadlightError(f"weights of shape {list(weights.shape)} are no matrix; expected [n_q, n_k] or more axes before these")
    if "axes" not in options and weights.ndim <= 5:
        options["axes"] = _documented_axes(weights, in_layers, tokens)
    source = {"weights": weights}
    if tokens is not None and key_tokens is None and weights.shape[-1] == weights.shape[-2]:
        source["tokens"] = np.array([str(t) for t in tokens])
    else:
        if tokens is not None:
            source["query_tokens"] = np.array([str(t) for t in tokens])
        if key_tokens is not None:
            source["key_tokens"] = np.array([str(t) for t in key_tokens])
    options.setdefault("stage", "weights")
    if weights.ndim == 5 and weights.shape[0] > 1 and "layer" not in options:
        options.setdefault("layers", "all")
    elif weights.ndim > 2 and weights.shape[-3] > 1:
        options.setdefault("head", "all")
    return source


def _generated_source(steps, tokens, key_tokens, options):
    """What generate(output_attentions=True) returns: a tuple of steps, each a tuple of layers."""
    if len({len(step) for step in steps}) > 1:
        raise HeadlightError("the steps of generate() have different numbers of layers; expected as many in each")
    source = {f"attentions.{s}.{l}": _array(layer) for s, step in enumerate(steps) for l, layer in enumerate(step)}
    if tokens is not None:
        source["tokens" if key_tokens is None else "query_tokens"] = np.array([str(t) for t in tokens])
    if key_tokens is not None:
        source["key_tokens"] = np.array([str(t) for t in key_tokens])
    options.setdefault("stage", "weights")
    if len(steps[0]) > 1 and "layer" not in options:
        options.setdefault("layers", "all")
    else:
        options.setdefault("head", "all")
    return source


def _documented_axes(weights, in_layers, tokens):
    """The axes as figure() documents them; an error where the numbers or the words say that they are others."""
    names = ("q,k", "H,q,k", "B,H,q,k", "L,B,H,q,k")[weights.ndim - 2]
    if in_layers and weights.ndim < 5:
        names = "L," + names.split(",", 1)[1] if weights.ndim == 4 else "L,q,k" if weights.ndim == 3 else names
    shape, sums = list(weights.shape), []
    for axis in range(weights.ndim):
        total = np.asarray(weights, dtype=np.float64).sum(axis)
        total = total[np.isfinite(total) & (total != 0)]
        sums.append(total.size > 0 and bool((abs(total - 1) < 0.02).all()))
    if any(sums) and not sums[-1]:
        raise HeadlightError(f"weights of shape {shape} sum to 1 along axis {sums.index(True)}, and keys are the last axis in {names}; "
                             'expected axes="...", such as axes="B,q,k,H"')
    if "B" in names and shape[names.split(",").index("B")] > 1 and tokens is not None and len(tokens) and isinstance(tokens[0], str):
        raise HeadlightError(f"weights of shape {shape} are of {shape[names.split(',').index('B')]} batch entries as {names}, and there is one line of "
                             f'words; expected axes="{names.replace("B", "L") if "L" not in names else "B,L,H,q,k"}" or another order, or axes="{names}"')
    return names


def figure(weights, tokens=None, key_tokens=None, **options):
    """Attention weights as a figure: [n_q, n_k], [H, n_q, n_k], [B, H, n_q, n_k] or [L, B, H, n_q, n_k].

    A list or tuple of arrays is one layer each; a tuple of tuples is what generate() returns, a step each. Other axes are
    said by axes="B,q,k,H". `tokens` are the queries' words and, without `key_tokens`, the keys' as
    well. All layers and heads are shown unless `layer` or `head` says otherwise; every other option is one of `headlight render`.
    """
    return Figure(_weights_source(weights, tokens, key_tokens, options), options)


def _attention_of(model, tokenizer, text):
    """A Hugging Face model's attention for a text, a layer each, and the text's tokens."""
    encoded = tokenizer(text, return_tensors="pt")
    device = next((p.device for p in model.parameters()), None) if hasattr(model, "parameters") else None
    if device is not None:
        encoded = {name: value.to(device) for name, value in encoded.items()}
    out = model(**encoded, output_attentions=True)
    layers = getattr(out, "attentions", None)
    if not layers or layers[0] is None:
        raise HeadlightError('the model gives no attention weights; expected one that is loaded with attn_implementation="eager"')
    return layers, tokenizer.convert_ids_to_tokens(encoded["input_ids"][0].tolist())


def show(what, *more, height=Page.height, **options):
    """Attention as a page that answers to the pointer; a notebook shows it, save("a.html") writes it.

    show(model, tokenizer, "text") of a Hugging Face model; show(weights, tokens) and show(weights, tokens, key_tokens)
    of arrays or a tuple of layers; show("net.npz", mask="causal()") of what the program reads.
    """
    if hasattr(what, "parameters") or (callable(what) and len(more) == 2 and isinstance(more[1], str)):
        if len(more) != 2:
            raise HeadlightError("show() of a model needs its tokenizer and a text; expected show(model, tokenizer, text)")
        layers, tokens = _attention_of(what, *more)
        source = _weights_source(layers, tokens, None, options)
    elif isinstance(what, (str, os.PathLike)):
        source = what
        options = {"stage": "weights", "head": "all", **options}
    else:
        tokens, key_tokens = (*more, None, None)[:2]
        source = _weights_source(what, tokens, key_tokens, options)
    page = Page(source, options)
    page.height = height
    return page


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


class Check(dict):
    """What compare() says of a module, printed as a sentence."""

    def __repr__(self):
        if self["match"]:
            said = "every stage agrees: " + ", ".join(stage["stage"] for stage in self["stages"] if stage["present"])
        else:
            said = f"{self['first_difference']} differs first"
            if not self["diagnosis"]:
                said += '; no known mistake gives these numbers. A mask that the module makes itself must be named: mask="causal()"'
        for mistake in self["diagnosis"]:
            said += f"\n{mistake['id']}: {mistake['explanation']}"
        return said + (f"\nattn_mask: {self['attn_mask']}" if "attn_mask" in self else "")


_OWN_NAMES = {  # of the layers of teaching code whose output is a stage
    "Q": ("q_proj", "w_q", "W_q", "linear_q", "query", "to_q", "wq", "W_query", "q_lin", "query_proj"),
    "K": ("k_proj", "w_k", "W_k", "linear_k", "key", "to_k", "wk", "W_key", "k_lin", "key_proj"),
    "V": ("v_proj", "w_v", "W_v", "linear_v", "value", "to_v", "wv", "W_value", "v_lin", "value_proj"),
}
_HEADS = ("num_heads", "n_heads", "n_head", "heads", "num_attention_heads", "nhead", "h", "head_num")


@contextlib.contextmanager
def _masks_of_sdpa():
    """What scaled_dot_product_attention is given as its mask meanwhile, a list."""
    home, name, masks = sys.modules.get("torch.nn.functional"), "scaled_dot_product_attention", []
    original = getattr(home, name, None)

    def call(*args, **named):
        masks.append(args[3] if len(args) > 3 else named.get("attn_mask"))
        return original(*args, **named)

    try:
        if original is not None:
            setattr(home, name, call)
        yield masks
    finally:
        if original is not None:
            setattr(home, name, original)


def _polarity(arguments, masks):
    """Whether true lets a key be seen in a boolean attn_mask, "attend" or "ignore", by how the module hands it on; else None."""
    given = {name: array for name, array in ((name, _array(v)) for name, v in arguments.items() if hasattr(v, "shape")) if array.dtype == bool}
    for mask in masks if list(given) == ["attn_mask"] else []:
        taken, own = (None if each is None else _array(each).squeeze() for each in (mask, given["attn_mask"]))
        if taken is not None and taken.dtype == bool and taken.shape == own.shape:
            return "attend" if (taken == own).all() else "ignore" if (taken != own).all() else None
    return None


def _call(module, x, arguments):
    """The module's outputs for x, and what its layers gave on the way, by stage."""
    seen, hooks = {}, []
    for stage, names in _OWN_NAMES.items():
        for name, child in module.named_children():
            if name in names:
                hooks.append(child.register_forward_hook(lambda _, __, out, stage=stage: seen.setdefault(stage, out)))
    needed = [p for p in inspect.signature(module.forward).parameters.values()
              if p.kind == p.POSITIONAL_OR_KEYWORD and p.default is p.empty and p.name not in arguments]
    try:
        out = module(*[x] * min(3, max(1, len(needed))), **arguments)
    finally:
        for hook in hooks:
            hook.remove()
    parts = list(out) if isinstance(out, (tuple, list)) else [out]
    seen["output"] = parts[0]
    if len(parts) > 1 and hasattr(parts[1], "shape") and len(parts[1].shape) in (3, 4):
        seen["weights"] = parts[1]
    return seen


def check(module, x, num_heads=None, arguments=None, **settings):
    """Is this attention module right? Runs it on x, computes the same from its weights, and names the mistake it makes.

    `arguments` are passed to the module's forward() too, {"attn_mask": mask}, and arrays among them to the program;
    `settings` are the command line's: mask="causal()". `num_heads` where the module has no attribute that says it.
    """
    arguments = dict(arguments or {})
    for name in _HEADS:
        if num_heads is None and isinstance(getattr(module, name, None), int):
            num_heads = getattr(module, name)
    if num_heads is None:
        raise HeadlightError("the module does not say how many heads it has; expected check(module, x, num_heads=N)")
    with _masks_of_sdpa() as masks:
        mine = _call(module, x, arguments)
    polarity = None if "mask_polarity" in settings else _polarity(arguments, masks)
    source = {**module.state_dict(), "x": x, "num_heads": num_heads}
    source.update({name: value for name, value in arguments.items() if hasattr(value, "shape")})
    if isinstance(getattr(module, "batch_first", None), bool):
        source["batch_first"] = module.batch_first
        if not module.batch_first:
            mine["output"] = mine["output"].transpose(0, 1)
    if "weights" in mine and len(mine["weights"].shape) == 3 and num_heads > 1:
        del mine["weights"]  # the heads' average, which is no stage
    if polarity is None:
        return Check(compare(source, mine, **settings))
    attends, other = ("may attend", "ignore") if polarity == "attend" else ("may not attend", "attend")
    said = f'true = {attends}, by what the module hands to scaled_dot_product_attention; where that is not meant: mask_polarity="{other}"'
    return Check(compare(source, mine, mask_polarity=polarity, **settings), attn_mask=said)


def watch(module, name="model", tokens=None, most_per_second=2, most_megabytes=64, batch=1):
    """Shows the attention of a running PyTorch model: start the window with `headlight --watch NAME` while it runs.

    What is shown is of the first `batch` sequences of a call, at most `most_per_second` calls a second and at most
    every twentieth second of the time; `most_megabytes` of calls are kept. `tokens` are their words, or a function that
    gives them for the first argument of the call. Returns what has close(), and serves as a context manager.
    """
    from headlight_watch import Watch
    return Watch(module, name, tokens, most_per_second, most_megabytes, batch, HeadlightError)
