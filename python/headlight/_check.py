"""Every stage as an array, one's own stages beside the right ones, and modules that are checked."""
from __future__ import annotations

import contextlib
import html
import inspect
import json
import sys
import tempfile
from typing import Any, Dict, Iterator, List, Mapping, Optional

import numpy as np

from ._program import Array, HeadlightError, Source, Sources, array_of, run, save_arrays, words_of


def trace(source: Source = None, **settings: Any) -> Dict[str, np.ndarray[Any, Any]]:
    """Every stage of the computation, {"Q": array, ...}.

    `source` is the name of a file, `lesson:ID`, a dict of arrays, or None with text=...; settings are the command line's.
    """
    with tempfile.TemporaryDirectory() as folder:
        sources = Sources(folder)
        out = sources.place("stages.npz", "the stages")
        run(["trace", *sources.words(source), *words_of(settings), "-o", out], sources.names)
        with np.load(out) as stages:
            return {name: stages[name] for name in stages.files}


def compare(source: Source, mine: Mapping[str, Array], **settings: Any) -> Dict[str, Any]:
    """Your own stages, {"weights": array, ...}, beside the right ones: what `headlight compare --json` says, as a dict."""
    if not isinstance(mine, Mapping):
        raise HeadlightError(f"your own stages are a {type(mine).__name__}; expected a dict of arrays, {{\"weights\": array}}")
    with tempfile.TemporaryDirectory() as folder:
        sources = Sources(folder)
        theirs = sources.place("mine.npz", "your stages")
        save_arrays(theirs, mine)
        done = run(["compare", *sources.words(source), theirs, "--json", *words_of(settings)], sources.names, statuses=(0, 1))
        said: Dict[str, Any] = json.loads(done.stdout)
        return said


class Check(Dict[str, Any]):
    """What compare() says of a module. print() gives it as sentences; a notebook shows them with the stages' differences."""

    def __str__(self) -> str:
        mask = self.get("assumed_mask")
        meant = "the one that the numbers show" if mask is True else str(mask)
        if self["match"] is None:
            said = f"right if this mask is meant: {meant}; the module's own numbers have it, and none was given. Every stage agrees under it"
        elif self["match"]:
            said = "every stage agrees: " + ", ".join(stage["stage"] for stage in self["stages"] if stage["present"])
        else:
            said = f"{self['first_difference']} differs first" + (f", under a mask that the module's own numbers have: {meant}" if mask else "")
            if not self["diagnosis"]:
                said += "; no known mistake gives these numbers. "
                rounding = self.get("rounding")
                said += (f"They differ by no more than rounding to {rounding} may cause; compute in float32 to tell rounding from a mistake"
                         if rounding else 'A mask that the module makes itself must be named: mask="causal()"')
        for mistake in self["diagnosis"]:
            said += f"\n{mistake['id']}{' (harmless)' if mistake.get('harmless') else ''}: {mistake['explanation']}"
        for stage in self["stages"]:
            if stage.get("tells_nothing"):
                said += f"\n{stage['stage']}: no number of it is finite, in the module or here, so that agreement tells nothing"
        if self["match"] is False and not self["diagnosis"]:
            said += "".join(f"\n{assumption}" for assumption in self.get("assumptions", []))
        if self.get("complete") is False:
            said += "\nThe search ended before every known mistake was tried."
        return said + (f"\nattn_mask: {self['attn_mask']}" if "attn_mask" in self else "")

    def __repr__(self) -> str:
        lines = str(self).split("\n")
        shown = "; ".join(lines[:2])
        return f"<headlight.Check {shown if len(shown) <= 200 else shown[:199] + '…'}>"

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td style='text-align: left'>{html.escape(str(stage['stage']))}</td><td>{stage['max_abs_error']}</td>"
                       f"<td>{html.escape(str(stage.get('at')))}</td></tr>" for stage in self["stages"] if stage["present"])
        said = "".join(f"<p>{html.escape(line)}</p>" for line in str(self).split("\n"))
        return f"{said}<table><tr><th>stage</th><th>largest difference</th><th>at</th></tr>{rows}</table>"


_OWN_NAMES = {  # of the layers of teaching code whose output is a stage
    "Q": ("q_proj", "w_q", "W_q", "linear_q", "query", "to_q", "wq", "W_query", "q_lin", "query_proj"),
    "K": ("k_proj", "w_k", "W_k", "linear_k", "key", "to_k", "wk", "W_key", "k_lin", "key_proj"),
    "V": ("v_proj", "w_v", "W_v", "linear_v", "value", "to_v", "wv", "W_value", "v_lin", "value_proj"),
}
_HEADS = ("num_heads", "n_heads", "n_head", "heads", "num_attention_heads", "nhead", "h", "head_num")
_INPUTS = ("query", "key", "value", "queries", "keys", "values", "q", "k", "v", "kv", "x_q", "x_k", "x_v")


@contextlib.contextmanager
def _masks_of_sdpa() -> Iterator[List[Any]]:
    """What scaled_dot_product_attention is given as its mask meanwhile, a list."""
    home: Any = sys.modules.get("torch.nn.functional")
    name = "scaled_dot_product_attention"
    masks: List[Any] = []
    original = getattr(home, name, None)

    def call(*args: Any, **named: Any) -> Any:
        masks.append(args[3] if len(args) > 3 else named.get("attn_mask"))
        return original(*args, **named)  # type: ignore[misc]

    try:
        if original is not None:
            setattr(home, name, call)
        yield masks
    finally:
        if original is not None:
            setattr(home, name, original)


def _polarity(arguments: Mapping[str, Any], masks: List[Any]) -> Optional[str]:
    """Whether true lets a key be seen in a boolean attn_mask, "attend" or "ignore", by how the module hands it on; else None."""
    arrays = ((name, array_of(v, name)) for name, v in arguments.items() if hasattr(v, "shape"))
    given = {name: array for name, array in arrays if array.dtype == bool}
    for mask in masks if list(given) == ["attn_mask"] else []:
        taken = None if mask is None else array_of(mask, "attn_mask").squeeze()
        own = given["attn_mask"].squeeze()
        if taken is not None and taken.dtype == bool and taken.shape == own.shape:
            return "attend" if (taken == own).all() else "ignore" if (taken != own).all() else None
    return None


def _input_names(module: Any, arguments: Mapping[str, Any]) -> Optional[List[str]]:
    """The parameters of forward() that x is given for; None: it takes what comes. Other required ones must be in `arguments`."""
    try:
        parameters = inspect.signature(module.forward).parameters.values()
    except (TypeError, ValueError):  # of a compiled or built-in function
        return None
    named = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    takes_all = any(p.kind == p.VAR_KEYWORD for p in parameters)
    unknown = [name for name in arguments if name not in {p.name for p in named}]
    if unknown and not takes_all:
        raise HeadlightError(f"forward() has no argument {unknown[0]}; expected " + (", ".join(p.name for p in named) or "none"))
    if any(p.kind in (p.POSITIONAL_ONLY, p.VAR_POSITIONAL) for p in parameters):
        return None
    open_ones = [p.name for p in named if p.name not in arguments]
    inputs = open_ones[:1]
    required = [p.name for p in named if p.default is p.empty and p.name in open_ones[1:]]
    lacking = [name for name in required if name not in _INPUTS]
    if lacking:
        raise HeadlightError(f"forward() also needs {', '.join(lacking)}; expected arguments={{\"{lacking[0]}\": ...}}")
    return inputs + required


def _call(module: Any, x: Any, arguments: Mapping[str, Any], own_names: Mapping[str, str]) -> Dict[str, Any]:
    """The module's outputs for x, and what its layers gave on the way, by stage."""
    inputs = _input_names(module, arguments)
    given: Dict[str, List[Any]] = {}
    hooks = []
    children = dict(module.named_modules())
    for stage, names in _OWN_NAMES.items():
        own = [own_names[name] for name in names if name in own_names]
        for name in own or [each for each in names if "." not in each and each in children]:
            hooks.append(children[name].register_forward_hook(lambda _, __, out, stage=stage: given.setdefault(stage, []).append(out)))
    try:
        out = module(x, **arguments) if inputs is None else module(**dict.fromkeys(inputs, x), **arguments)
    finally:
        for hook in hooks:
            hook.remove()
    seen = {stage: outs[0] for stage, outs in given.items() if len(outs) == 1}  # of a layer that runs word by word, none is the stage
    parts = list(out) if isinstance(out, (tuple, list)) else [out]
    seen["output"] = parts[0]
    if len(parts) > 1 and hasattr(parts[1], "shape") and len(parts[1].shape) in (3, 4):
        seen["weights"] = parts[1]
    return seen


_SHORT_NAMES = {"q": "q_proj", "k": "k_proj", "v": "v_proj", "o": "out_proj", "Q": "q_proj", "K": "k_proj", "V": "v_proj", "O": "out_proj"}


def _known_names(module: Any, names: Mapping[str, str]) -> Dict[str, str]:
    """`names` with the usual ones as keys. Raises HeadlightError for a module or parameter that is not there."""
    there = [name for name, _ in module.named_modules() if name] + [name for name, _ in module.named_parameters()]
    for usual, own in names.items():
        if own not in there:
            raise HeadlightError(f"names: {usual} is {own!r}, which the module does not have; expected one of {', '.join(there[:20])}")
    return {_SHORT_NAMES.get(usual, usual): own for usual, own in names.items()}


def _state_of(module: Any, names: Mapping[str, str]) -> Dict[str, Any]:
    """The module's weights, by the usual names where `names` says which they are."""
    state: Dict[str, Any] = {}
    for name, value in module.state_dict().items():
        for usual, own in names.items():
            if name == own or name.startswith(own + "."):
                name = usual + name[len(own):]
                break
        state[name] = value
    return state


def _head_count(module: Any) -> int:
    for name in _HEADS:
        count = getattr(module, name, None)
        if isinstance(count, int) and not isinstance(count, bool):
            return count
    raise HeadlightError("the module does not say how many heads it has; expected check(module, x, num_heads=N)")


def check(module: Any, x: Any, num_heads: Optional[int] = None, arguments: Optional[Mapping[str, Any]] = None,
          names: Optional[Mapping[str, str]] = None, **settings: Any) -> Check:
    """Is this attention module right? Runs it on x, computes the same from its weights, and names the mistake it makes.

    `arguments` are passed to the module's forward() too, {"attn_mask": mask}, and arrays among them to the program;
    `names` says which of its layers are which, {"q_proj": "ask", "k_proj": "hint"}, where they have names of their own;
    `settings` are the command line's: mask="causal()". `num_heads` where the module has no attribute that says it.
    """
    if isinstance(module, type):
        raise HeadlightError(f"{module.__name__} is a class; expected a module that is made from it, {module.__name__}(...)")
    if not hasattr(module, "state_dict") or not hasattr(module, "forward"):
        raise HeadlightError(f"a {type(module).__name__} cannot be checked; expected a torch.nn.Module")
    if not hasattr(x, "shape"):
        raise HeadlightError(f"x is a {type(x).__name__}; expected the module's input, a tensor [B, n, d]")
    arguments = dict(arguments or {})
    own_names = _known_names(module, names or {})
    heads = _head_count(module) if num_heads is None else num_heads
    with _masks_of_sdpa() as masks:
        mine = _call(module, x, arguments, own_names)
    polarity = None if "mask_polarity" in settings else _polarity(arguments, masks)
    source = {**_state_of(module, own_names), "x": x, "num_heads": heads}
    source.update({name: value for name, value in arguments.items() if hasattr(value, "shape")})
    if isinstance(getattr(module, "batch_first", None), bool):
        source["batch_first"] = module.batch_first
        if not module.batch_first:
            mine["output"] = mine["output"].transpose(0, 1)
    if getattr(module, "add_zero_attn", None) is True:  # no tensor of the module says so
        source["add_zero_attn"] = True
    if "weights" in mine and len(mine["weights"].shape) == 3 and heads > 1:
        del mine["weights"]  # the heads' average, which is no stage
    if polarity is None:
        return Check(compare(source, mine, **settings))
    attends, other = ("may attend", "ignore") if polarity == "attend" else ("may not attend", "attend")
    said = f'true = {attends}, by what the module hands to scaled_dot_product_attention; where that is not meant: mask_polarity="{other}"'
    return Check(compare(source, mine, mask_polarity=polarity, **settings), attn_mask=said)
