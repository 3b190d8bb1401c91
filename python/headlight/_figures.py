"""Figures of attention, as files and in notebooks."""
from __future__ import annotations

import html
import os
import pathlib
import tempfile
from typing import Any, Dict, Iterable, List, Mapping, Optional, Tuple, Union

import numpy as np

from ._program import Array, HeadlightError, Source, Sources, array_of, run, words_of

_ENDINGS = ("png", "svg", "pdf", "html")


class Figure:
    """A figure as the bytes of a file. A notebook shows it; save() writes it as .png, .svg, .pdf or .html."""

    def __init__(self, source: Source, options: Mapping[str, Any]) -> None:
        self._source, self._options = source, dict(options)
        self._made: Dict[str, bytes] = {}
        self.notes = ""
        """What the program noted, such as what there was no room for."""
        self._bytes("svg")  # what is wrong is said now

    def _bytes(self, ending: str) -> bytes:
        if ending not in self._made:
            with tempfile.TemporaryDirectory() as folder:
                sources = Sources(folder)
                out = sources.place("figure." + ending, "the figure")
                done = run(["render", *sources.words(self._source), *words_of(self._options), "-o", out], sources.names)
                self.notes = done.stderr.strip()
                self._made[ending] = pathlib.Path(out).read_bytes()
        return self._made[ending]

    @property
    def svg(self) -> str:
        """The figure as SVG."""
        return self._bytes("svg").decode()

    @property
    def png(self) -> bytes:
        """The figure as PNG."""
        return self._bytes("png")

    @property
    def pdf(self) -> bytes:
        """The figure as PDF."""
        return self._bytes("pdf")

    @property
    def html(self) -> str:
        """One self-contained page that answers to the pointer."""
        return self._bytes("html").decode()

    def save(self, path: Union[str, "os.PathLike[str]"]) -> pathlib.Path:
        """Writes it as .png, .svg, .pdf or .html, by the name's ending. Returns the path."""
        path = pathlib.Path(path)
        ending = path.suffix.lstrip(".").lower()
        if ending not in _ENDINGS:
            raise HeadlightError(f"{path}: a figure is no such file; expected a name that ends in .png, .svg, .pdf or .html")
        data = self._bytes(ending)
        try:
            path.write_bytes(data)
        except (OSError, ValueError) as error:
            raise HeadlightError(f"{path}: cannot be written: {getattr(error, 'strerror', None) or error}; expected a place that can be written to") from None
        return path

    def __repr__(self) -> str:
        said = ", ".join(f"{name}={value!r}" for name, value in self._options.items())
        return f"<headlight.{type(self).__name__} {said if len(said) <= 100 else said[:99] + '…'}>"

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_png_(self) -> bytes:
        return self.png


class Page(Figure):
    """A figure that a notebook shows as a page that answers to the pointer, with a PNG for viewers without scripts."""

    height = 640
    """Pixels in the notebook."""

    def _repr_html_(self) -> str:
        # A viewer that takes frames out, as JupyterLab does of a notebook that is not trusted, leaves the sentence within.
        return (f'<iframe srcdoc="{html.escape(self.html)}" sandbox="allow-scripts" title="attention" '
                f'style="width: 100%; height: {self.height}px; border: 0">The picture is here once this notebook is trusted: '
                'File, Trust Notebook.</iframe>')

    def _repr_mimebundle_(self, include: Optional[Iterable[str]] = None, exclude: Optional[Iterable[str]] = None) -> Dict[str, Any]:
        return {"text/html": self._repr_html_(), "image/png": self.png, "text/plain": repr(self)}


def _weights_source(weights: Array, tokens: Optional[Iterable[Any]], key_tokens: Optional[Iterable[Any]], options: Dict[str, Any]) -> Dict[str, Array]:
    """The arrays of a file that holds attention alone; adds to `options` what shows all that is there."""
    weights = _attention_within(weights)
    if isinstance(weights, (list, tuple)) and len(weights) > 0 and isinstance(weights[0], (list, tuple)) and len(weights[0]) > 0 and hasattr(weights[0][0], "shape"):
        return _generated_source(weights, tokens, key_tokens, options)
    in_layers = isinstance(weights, (list, tuple)) and len(weights) > 0 and hasattr(weights[0], "shape")
    if in_layers:
        layers = [array_of(each, "a layer") for each in weights]
        if len({each.shape for each in layers}) > 1:
            raise HeadlightError(f"layers of shapes {sorted({each.shape for each in layers})} cannot be shown together; expected one shape")
        weights = np.stack(layers)
    weights = array_of(weights, "weights")
    if weights.ndim < 2:
        raise HeadlightError(f"weights of shape {list(weights.shape)} are no matrix; expected [n_q, n_k] or more axes before these")
    tokens = list(tokens) if isinstance(tokens, Iterable) and not isinstance(tokens, str) else tokens
    if "axes" not in options and weights.ndim <= 5:
        options["axes"] = _documented_axes(weights, in_layers, tokens)
    source: Dict[str, Array] = {"weights": weights}
    for name, given in (("tokens", tokens), ("key_tokens", key_tokens)):
        if given is not None and not isinstance(given, Iterable):
            raise HeadlightError(f"{name}: a {type(given).__name__} is no list of words; expected one word for each row and column")
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


def _attention_within(what: Any) -> Any:
    """The attention of what a model or generate() returns, where it holds one; other things as they are."""
    names = ("attentions", "encoder_attentions", "decoder_attentions", "cross_attentions")
    held = [name for name in names if not hasattr(what, "shape") and getattr(what, name, None) is not None]
    if len(held) > 1:
        raise HeadlightError(f"a {type(what).__name__} holds {', '.join(held)}; expected one of them, such as its {held[-1]}")
    return getattr(what, held[0]) if held else what


def _generated_source(steps: Any, tokens: Optional[Iterable[Any]], key_tokens: Optional[Iterable[Any]], options: Dict[str, Any]) -> Dict[str, Array]:
    """What generate(output_attentions=True) returns: a tuple of steps, each a tuple of layers."""
    if len({len(step) for step in steps}) > 1:
        raise HeadlightError("the steps of generate() have different numbers of layers; expected as many in each")
    name = "attentions" if key_tokens is None else "cross_attentions"
    source: Dict[str, Array] = {f"{name}.{s}.{i}": array_of(layer, "a layer") for s, step in enumerate(steps) for i, layer in enumerate(step)}
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


def _documented_axes(weights: Array, in_layers: bool, tokens: Any) -> str:
    """The axes as figure() documents them; an error where the numbers or the words say that they are others."""
    names = ("q,k", "H,q,k", "B,H,q,k", "L,B,H,q,k")[weights.ndim - 2]
    if in_layers:
        names = ("q,k", "L,q,k", "L,H,q,k", "L,B,H,q,k")[weights.ndim - 2]
    shape, sums = list(weights.shape), []
    for axis in range(weights.ndim):
        total = np.asarray(weights, dtype=np.float64).sum(axis)
        total = total[np.isfinite(total) & (total != 0)]
        sums.append(total.size > 0 and bool((abs(total - 1) < 0.02).all()))
    if any(sums) and not sums[-1]:
        raise HeadlightError(f"weights of shape {shape} sum to 1 along axis {sums.index(True)}, and keys are the last axis of {names}; "
                             'expected axes="...", such as axes="B,q,k,H"')
    batch = shape[names.split(",").index("B")] if "B" in names else 1
    if batch > 1 and tokens is not None and len(tokens) > 0 and isinstance(tokens[0], str):
        others = names.replace("B", "L") if "L" not in names else "B,L,H,q,k"
        raise HeadlightError(f"weights of shape {shape} are of {batch} batch entries as {names}, and there is one line of words; "
                             f'expected axes="{others}" or another order, or axes="{names}"')
    return names


def figure(weights: Array, tokens: Optional[Iterable[Any]] = None, key_tokens: Optional[Iterable[Any]] = None, **options: Any) -> Figure:
    """Attention weights as a figure: [n_q, n_k], [H, n_q, n_k], [B, H, n_q, n_k] or [L, B, H, n_q, n_k].

    A list or tuple of arrays is one layer each; a tuple of tuples is what generate() returns, a step each. Other axes are
    said by axes="B,q,k,H". `tokens` are the queries' words and, without `key_tokens`, the keys' as
    well. All layers and heads are shown unless `layer` or `head` says otherwise; every other option is one of `headlight render`.
    """
    return Figure(_weights_source(weights, tokens, key_tokens, options), options)


def _attention_of(model: Any, tokenizer: Any, text: str) -> Tuple[Any, List[str]]:
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


def show(what: Any, *more: Any, height: int = Page.height, **options: Any) -> Page:
    """Attention as a page that answers to the pointer; a notebook shows it, save("a.html") writes it.

    show(model, tokenizer, "text") of a Hugging Face model; show(weights, tokens) and show(weights, tokens, key_tokens)
    of arrays or a tuple of layers; show("net.npz", mask="causal()") of what the program reads.
    """
    if hasattr(what, "parameters") or (callable(what) and len(more) == 2 and isinstance(more[1], str)):
        if len(more) != 2:
            raise HeadlightError("show() of a model needs its tokenizer and a text; expected show(model, tokenizer, text)")
        layers, tokens = _attention_of(what, *more)
        source: Source = _weights_source(layers, tokens, None, options)
    elif isinstance(what, (str, os.PathLike)):
        source = what
        options = {"stage": "weights", "head": "all", **options}
    else:
        if len(more) > 2:
            raise HeadlightError(f"show() of weights takes their words, and not {len(more)} things more; expected show(weights, tokens, key_tokens)")
        tokens, key_tokens = (*more, None, None)[:2]
        source = _weights_source(what, tokens, key_tokens, options)
    page = Page(source, options)
    page.height = height
    return page


def render(source: Source = None, stage: str = "weights", **options: Any) -> Figure:
    """A stage of FILE, `lesson:ID`, a dict of arrays or, with text=..., of a sentence, as a figure."""
    return Figure(source, {"stage": stage, **options})
