"""headlight.watch(module): what every attention inside a running PyTorch model looks at, for the window to show.

While a watched module runs and somebody looks, the functions that attention is computed with are wrapped: softmax,
scaled_dot_product_attention, flex_attention, and the fused kernels of nn.TransformerEncoderLayer. Where such a function
keeps the weights to itself they are computed anew from q, k and the mask. _record.py writes them to files. The window
touches FOLDER/looking while it shows them; without that, nothing is wrapped and nothing written.
"""
from __future__ import annotations

import contextlib
import functools
import os
import re
import sys
import threading
import time
from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple, Union

from ._program import HeadlightError
from ._record import own_folder, save, save_gradients

_LOOK_EVERY = 0.25  # seconds between two looks at whether somebody looks
_LOOKS_FOR = 3.0    # seconds that FOLDER/looking holds
_SHARE = 0.05       # of the time, at most, goes into records
_ATTENTION = re.compile(r"atte?n|head", re.IGNORECASE)
_PROJECTIONS = {"query", "key", "value", "q_proj", "k_proj", "v_proj", "qkv", "c_attn", "in_proj", "to_q", "to_qkv", "w_q", "W_q", "wq"}
_HEADS = ("num_heads", "n_heads", "n_head", "num_attention_heads", "heads", "nhead")
_COMPILED = "what runs inside torch.compile is not seen"
_BY_HAND = "it ran, but called no softmax, scaled_dot_product_attention or flex_attention: a softmax of exp and a sum is not seen"
_open: Dict[str, Watch] = {}  # by name


# ---- weights anew, where a function does not give them


def _scores(q, k, scale):
    if k.size(1) != q.size(1):
        k = k.repeat_interleave(q.size(1) // k.size(1), 1)
    return q.float() @ k.float().transpose(-2, -1) * (q.size(-1) ** -0.5 if scale is None else scale)


def _sdpa_weights(torch, q, k, attn_mask=None, is_causal=False, scale=None):
    scores = _scores(q, k, scale)
    if is_causal:  # its corner is the top left one, whatever the lengths
        attn_mask = torch.ones(q.size(-2), k.size(-2), dtype=torch.bool, device=q.device).tril()
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf")) if attn_mask.dtype == torch.bool else scores + attn_mask.float()
    weights = scores.softmax(-1)
    return weights.nan_to_num(0) if hasattr(torch, "_safe_softmax") else weights  # since 2.5 a row without keys is zero


def _flex_weights(torch, q, k, score_mod=None, block_mask=None, scale=None):
    scores = _scores(q, k, scale)
    b, h, i, j = (torch.arange(n, device=q.device).view([-1 if axis == at else 1 for axis in range(4)])
                  for at, n in enumerate(scores.shape))
    if score_mod is not None:
        scores = score_mod(scores, b, h, i, j)
    if block_mask is not None:
        scores = scores.masked_fill(~block_mask.mask_mod(b, h, i, j), float("-inf"))
    return scores.softmax(-1).nan_to_num(0)


def _is_compiled(module):
    return hasattr(module, "_orig_mod") or getattr(module, "_compiled_call_impl", None) is not None


def _heads_of(module):
    return next((getattr(module, name) for name in _HEADS if isinstance(getattr(module, name, None), int)), None)


class Watch:
    """A module that is watched, until close() or the end of a `with`."""

    def __init__(self, module: Any, name: str, tokens: Union[Iterable[Any], Callable[[Any], Iterable[Any]], None],
                 most_per_second: float, most_megabytes: float, batch: int) -> None:
        if not hasattr(module, "register_forward_hook"):
            raise HeadlightError(f"a {type(module).__name__} cannot be watched; expected a torch.nn.Module")
        import torch
        for what, number in (("most_per_second", most_per_second), ("most_megabytes", most_megabytes), ("batch", batch)):
            if not (isinstance(number, (int, float)) and 0 < number < 1e9):
                raise HeadlightError(f"{what} is {number!r}; expected a number above 0")
        if name in _open:
            _open.pop(name).close()
        self.name = name
        self.folder, lock = own_folder(name)
        self._lock: Optional[int] = lock
        self.step = 0
        """Forward passes so far."""
        self.recorded = 0
        """Passes that were recorded."""
        self.seconds = 0.0
        """What the records took."""
        self.missing: Dict[str, str] = {}
        """By the name of an attention: why it is not in the last record."""
        self.notes: Dict[str, str] = {}
        """By the name of an attention: what was assumed of it in the last record."""
        self._torch, self._tokens, self._batch = torch, tokens, int(batch)
        self._pause, self._most = 1 / most_per_second, most_megabytes * 1e6
        self._next, self._next_look, self._looked_at = 0.0, 0.0, True
        self._tried = False  # the first call is recorded, for whoever opens the window
        self._names = {id(each): path for path, each in module.named_modules()}
        self._modules = [each for each in module.modules()]
        self._undo: List[Tuple[Any, str, Any]] = []
        self._stack: List[Any] = []
        self._on, self._inside = False, False
        self._thread: Optional[int] = None
        self._record: Dict[str, Any] = {}
        self._wrapped: Dict[Any, Any] = {}  # by what it stands for, always the same: torch.compile compiles anew for another function
        self._compiling = getattr(getattr(torch, "compiler", None), "is_compiling", lambda: False)
        try:
            before = module.register_forward_pre_hook(self._before, with_kwargs=True)
        except TypeError:  # before PyTorch 2.0
            before = module.register_forward_pre_hook(self._before)
        self._hooks = [before, module.register_forward_hook(self._after)]
        _open[name] = self

    def __repr__(self) -> str:
        missing = "".join(f"\n{name} is not recorded: {why}" for name, why in self.missing.items())
        missing += "".join(f"\n{name}: {what}" for name, what in self.notes.items())
        seen = "" if self.step else "\nno pass has been seen yet; of a model that is compiled later none will be"
        return f"watched as {self.name!r}: headlight --watch {self.name}{missing}{seen}"

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """No more records; those that are there stay for the window."""
        self._unwrap()
        for hook in self._hooks:
            hook.remove()
        self._hooks = []
        _open.pop(self.name, None)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    # ---- when

    def _wanted(self):
        now = time.monotonic()
        if now < self._next:
            return False
        if now >= self._next_look:
            self._next_look = now + _LOOK_EVERY
            try:
                self._looked_at = not self._tried or time.time() - os.stat(self.folder / "looking").st_mtime < _LOOKS_FOR
            except OSError:
                self._looked_at = False
        return self._looked_at

    def _before(self, module, inputs, named=None):
        if self._compiling():  # first: torch.compile traces all else
            return
        self.step += 1
        if self._undo:  # the last pass ended by an exception
            self._unwrap()
        if not self._wanted():
            return
        if _is_compiled(module):
            self.missing = {"the model": _COMPILED}
            return
        began = time.perf_counter()
        self._on, self._stack, self._inside, self._thread = True, [module], False, threading.get_ident()
        self._record = {"step": self.step, "words": None, "layers": [], "missing": {}, "notes": {}, "ran": [], "bytes": 0, "waits": 0}
        self._spent, self._tried = 0.0, True
        with self._harmless("tokens"):
            first = inputs[0] if inputs else (named or {}).get("input_ids")
            self._record["words"] = self._tokens(first) if callable(self._tokens) else self._tokens
        self._wrap()
        self._spent += time.perf_counter() - began

    def _after(self, module, inputs, output):
        if self._compiling() or not self._on or threading.get_ident() != self._thread:
            return
        began = time.perf_counter()
        self._unwrap()
        self._miss_unseen()
        if self._record["layers"]:
            with self._harmless("the file"):
                save(self.folder, self._record, self._most)
                self.recorded += 1
        if not self._record["layers"] and not self._record["missing"]:
            self._miss("no softmax, scaled_dot_product_attention or flex_attention was called", "an attention")
        self.missing, self.notes = self._record["missing"], self._record["notes"]
        self._next = time.monotonic() + self._pause
        self._charge(self._spent + time.perf_counter() - began)

    def _charge(self, seconds):
        """Records may take their share of the time and no more: a dear one makes the next one wait."""
        self.seconds += seconds
        self._next += seconds / _SHARE

    # ---- what is wrapped while a pass is recorded

    def _replace(self, owner, name, make):
        original = getattr(owner, name, None)
        if original is None:
            return
        if (original, make) not in self._wrapped:
            self._wrapped[original, make] = functools.wraps(original)(make(original))
        wrapped = self._wrapped[original, make]
        places = [(owner, name)]
        for each in {type(module).__module__ for module in self._modules}:  # "from torch.nn.functional import softmax"
            home = sys.modules.get(each)
            places += [(home, key) for key, value in vars(home).items() if value is original] if home else []
        for place, key in places:
            self._undo.append((place, key, vars(place).get(key)))
            setattr(place, key, wrapped)

    def _wrap(self):
        torch = self._torch
        functional, tensor = torch.nn.functional, torch.Tensor
        self._replace(torch.nn.Module, "__call__", self._calling)
        for owner in (functional, torch, tensor, getattr(torch, "special", None)):
            self._replace(owner, "softmax", self._softmax)
            self._replace(owner, "log_softmax", self._log_softmax)
        self._replace(functional, "scaled_dot_product_attention", self._sdpa)
        flex = sys.modules.get("torch.nn.attention.flex_attention")
        if flex is not None:
            self._replace(flex, "flex_attention", self._flex)
        self._replace(torch, "_native_multi_head_attention", self._native)
        self._replace(torch, "_transformer_encoder_layer_fwd", self._encoder_layer)

    def _unwrap(self):
        for place, key, was in reversed(self._undo):
            setattr(place, key, was) if was is not None else delattr(place, key)
        self._undo, self._on = [], False

    def _observing(self, original, observe):
        """`original`, and what `observe` makes of its arguments and result, while this watch's pass is on."""
        compiling = self._compiling

        def call(*args, **kwargs):
            if compiling():  # first: torch.compile traces all else
                return original(*args, **kwargs)
            if not self._on or self._inside or threading.get_ident() != self._thread:
                return original(*args, **kwargs)
            self._inside = True
            try:
                out = original(*args, **kwargs)
                began = time.perf_counter()
                with self._harmless(self._name()):
                    observe(out, *args, **kwargs)
                self._spent += time.perf_counter() - began
                return out
            finally:
                self._inside = False
        return call

    def _calling(self, original):
        compiling = self._compiling

        def call(module, *args, **kwargs):
            if compiling() or not self._on or threading.get_ident() != self._thread:
                return original(module, *args, **kwargs)
            self._stack.append(module)
            if self._computes_attention(module):
                self._record["ran"].append(self._path(module))
            compiled = _is_compiled(module)
            if compiled:
                self._miss(_COMPILED)
                self._unwrap()
            try:
                return original(module, *args, **kwargs)
            finally:
                self._stack.pop()
                if compiled and self._hooks:  # else closed meanwhile
                    self._on = True
                    self._wrap()
        return call

    def _softmax(self, original):
        def observe(out, scores, dim=None, *_, **__):
            self._add_softmax(out, dim, lambda weights: weights)
        return self._observing(original, observe)

    def _log_softmax(self, original):
        def observe(out, scores, dim=None, *_, **__):
            if self._attention() is not None:
                self._add_softmax(out, dim, lambda logs: logs.exp())
        return self._observing(original, observe)

    def _add_softmax(self, out, dim, weights_of):
        """`out` is a softmax over any axis; that axis is shown as the keys."""
        rank, attention = out.dim(), self._attention()
        if rank not in (2, 3, 4) or (rank < 4 and attention is None):
            return
        dim = (0 if rank == 3 else 1) if dim is None else dim % rank  # without dim PyTorch takes these
        axes = self._axes(out.shape, dim)
        usual = axes == list(range(rank))
        if not usual and attention is None:
            return
        if not usual:
            self._record["notes"][self._name()] = f"its softmax is over axis {dim} of {list(out.shape)}, which is shown as the keys"
        same = weights_of(out) is out
        with self._torch.no_grad():
            shown = weights_of(out.detach()).permute(axes)
        # The gradient of logarithms is not that of weights.
        self._add(shown, (lambda grad, entries: grad.permute(axes)) if same else None, out)

    def _axes(self, shape, dim):
        """The order of a softmax's axes in which it is [B, H, n_q, n_k], [B·H, n_q, n_k] or [n_q, n_k]."""
        others = [axis for axis in range(len(shape)) if axis != dim]
        module = self._attention()
        heads = _heads_of(module) if module is not None else None
        if len(shape) == 4 and dim != 3:
            at = [axis for axis in others[1:] if shape[axis] == heads]
            if len(at) == 1:  # else the axes have the usual order
                others = [others[0], at[0], *(axis for axis in others[1:] if axis != at[0])]
        return [*others, dim]

    def _computes_attention(self, module):
        """Whether it is an attention itself, and not only a part of one or a stack of layers."""
        children = {name for name, _ in module.named_children()}
        parameters = {name for name, _ in module.named_parameters(recurse=False)}
        return bool(_PROJECTIONS & (children | parameters))

    def _miss_unseen(self):
        """An attention that ran and of which nothing was seen is said to be missing."""
        seen = [layer["name"] for layer in self._record["layers"]] + list(self._record["missing"])
        for path in dict.fromkeys(self._record["ran"]):
            name = path or "attention"
            if not any(name == other or other.startswith(name + ".") or name.startswith(other + ".") for other in seen):
                self._miss(_BY_HAND, name)

    def _sdpa(self, original):
        def observe(out, query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
            if attn_mask is not None:  # its axes are aligned with those of the scores
                attn_mask = self._four_axes(attn_mask.expand(*query.shape[:-1], key.size(-2)))[:self._batch]
            q, k, v = (self._four_axes(each) for each in (query, key, value))
            b = self._batch
            with self._torch.no_grad():
                weights = _sdpa_weights(self._torch, q[:b], k[:b], attn_mask, is_causal, scale)
            self._add(weights, self._by_values(v), out)
        return self._observing(original, observe)

    def _flex(self, original):
        def observe(out, query, key, value, score_mod=None, block_mask=None, scale=None, enable_gqa=False, *_, **__):
            b = self._batch
            with self._torch.no_grad():
                weights = _flex_weights(self._torch, query[:b], key[:b], score_mod, block_mask, scale)
            self._add(weights, self._by_values(value), out[0] if isinstance(out, tuple) else out)
        return self._observing(original, observe)

    def _by_values(self, value):
        """The gradient of softmax's weights from that of weights · V."""
        def gradient(grad, entries):
            v = value.detach()[:entries].float()
            grad = self._four_axes_of(grad, v.shape[:2] + grad.shape[-2:])[:entries].float()
            if v.size(1) != grad.size(1):
                v = v.repeat_interleave(grad.size(1) // v.size(1), 1)
            return grad @ v.transpose(-2, -1)
        return gradient

    def _native(self, original):
        def observe(out, query, key, value, width, heads, w, b, wo, bo, mask=None, need=True, average=True, mask_type=None):
            if query.is_nested:
                return self._miss("its padding is left out of the tensors (nested)")
            part = [each[:self._batch] for each in (query, key, value)]
            mask = mask[:self._batch] if mask is not None and mask_type == 1 else mask
            self._add(original(*part, width, heads, w, b, wo, bo, mask, True, False, mask_type)[1])
        return self._observing(original, observe)

    def _encoder_layer(self, original):
        native = self._torch._native_multi_head_attention

        def observe(out, src, width, heads, w, b, wo, bo, gelu, norm_first, eps, norm_w, norm_b, *rest):
            if src.is_nested:
                return self._miss("its padding is left out of the tensors (nested)")
            x = src[:self._batch]
            if norm_first:
                x = self._torch.nn.functional.layer_norm(x, norm_w.shape, norm_w, norm_b, eps)
            mask, mask_type = rest[6:8] if len(rest) > 7 else (None, None)
            mask = mask[:self._batch] if mask is not None and mask_type == 1 else mask
            self._add(native(x, x, x, width, heads, w, b, wo, bo, mask, True, False, mask_type)[1])
        return self._observing(original, observe)

    # ---- one attention

    def _attention(self):
        """The innermost module that is an attention, by its name or by its projections."""
        for module in reversed(self._stack):
            if self._computes_attention(module) or _ATTENTION.search(type(module).__name__) or _ATTENTION.search(self._path(module).rpartition(".")[2]):
                return module
        return None

    def _path(self, module):
        return self._names.get(id(module), "")

    def _four_axes(self, tensor):
        """[B, H, n, m] of [B, H, n, m], or of [B·H, n, m] with the module's own heads, or of [n, m]."""
        if tensor.dim() == 4:
            return tensor
        if tensor.dim() not in (2, 3):
            raise ValueError(f"a tensor of {tensor.dim()} axes; expected 4 [B, H, n, m], 3 or 2")
        if tensor.dim() == 2:
            return tensor[None, None]
        heads = _heads_of(self._attention()) or 1
        if tensor.size(0) % heads != 0:
            heads = 1
        return tensor.reshape(tensor.size(0) // heads, heads, *tensor.shape[1:])

    def _name(self):
        module = self._attention()
        path = self._path(module) if module is not None else self._path(self._stack[-1]) if self._stack else ""
        return path or "attention"

    def _miss(self, why, what=None):
        self._record["missing"][what or self._name()] = why

    @contextlib.contextmanager
    def _harmless(self, what):
        """The model goes on whatever becomes of the record."""
        try:
            yield
        except Exception as error:
            self._miss(f"{type(error).__name__}: {error}", what)

    def _add(self, weights, gradient=None, result=None):
        """`weights` [B, H, n_q, n_k], or [B·H, n_q, n_k]; `gradient` makes theirs of that of `result` (or of themselves)."""
        record, source = self._record, weights if result is None else result
        shown = self._four_axes(weights.detach())[:self._batch]
        size = 4 * shown.numel()
        if record["bytes"] + size > self._most / 2:
            return self._miss(f"{size / 1e6:.1f} MB are more than most_megabytes leaves")
        record["bytes"] += size
        entries = shown.size(0)
        layer = {"name": self._name(), "weights": shown.float().cpu().numpy(), "gradient": None}
        record["layers"].append(layer)
        if gradient is None or not source.requires_grad:
            return
        record["waits"] += 1

        def keep(grad):
            began = time.perf_counter()
            with self._harmless(layer["name"] + "'s gradient"), self._torch.no_grad():
                found = self._four_axes_of(gradient(grad, entries), layer["weights"].shape)
                layer["gradient"] = found.float().cpu().numpy()
                record["waits"] -= 1
                if record["waits"] == 0 and self._hooks:
                    save_gradients(self.folder, record)
            self._charge(time.perf_counter() - began)
        source.register_hook(keep)

    @staticmethod
    def _four_axes_of(grad, shape):
        if grad.dim() < 4:  # [B·H, n, m] or [n, m]
            grad = grad.reshape(-1, *shape[1:])
        return grad[:shape[0]]


def watch(module: Any, name: str = "model", tokens: Union[Iterable[Any], Callable[[Any], Iterable[Any]], None] = None,
          most_per_second: float = 2, most_megabytes: float = 64, batch: int = 1) -> Watch:
    """Shows the attention of a running PyTorch model: start the window with `headlight --watch NAME` while it runs.

    What is shown is of the first `batch` sequences of a call, at most `most_per_second` calls a second and at most
    every twentieth second of the time; `most_megabytes` of calls are kept. `tokens` are their words, or a function that
    gives them for the first argument of the call. Returns what has close(), and serves as a context manager; its
    `missing` says which attention was not seen, and why.
    """
    return Watch(module, name, tokens, most_per_second, most_megabytes, batch)
