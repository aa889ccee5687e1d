"""Operators of torch, for autograd and ``torch.compile``: ``torch.ops.onepass_scan``.

The calls below are these operators; results have the bits of ``onepass_scan.inclusive`` and ``recurrence``,
gradients those of the scans that they are. Tensors with strides that are no tensor axis are copied.
"""
from __future__ import annotations

from typing import Optional

import torch
from torch import Tensor

from . import _gradient, _recurrence, _scans
from ._errors import ScanTypeError
from ._layout import LayoutError
from ._library import OPERATORS
from ._torch_compaction import indices, select
from ._torch_operators import operator

__all__ = ["cumprod", "cumsum", "indices", "recurrence", "scan", "select"]


def _out(x: Tensor, dtype: torch.dtype | None = None) -> Tensor:
    # What a fake tensor and a real one agree on is what torch itself makes of the strides.
    return torch.empty_like(x, dtype=dtype or x.dtype)


def _scan_into(out: Tensor, x: Tensor, axis: int, op: str, exclusive: bool, reverse: bool) -> Tensor:
    try:
        return _scans.inclusive(x, axis, op, exclusive, reverse, out=out)
    except LayoutError:
        return out.copy_(_scans.inclusive(x.contiguous(), axis, op, exclusive, reverse, dtype=out.dtype))


def _recurrence_into(out: Tensor, a: Tensor | float, b: Tensor, axis: int, init: Optional[Tensor],
                     reverse: bool) -> Tensor:
    if init is not None:
        init = init.contiguous()
    try:
        return _recurrence.recurrence(a, b, axis, init, reverse, out)
    except ValueError:  # strides of init are those of the sequences, too
        a = a.contiguous() if isinstance(a, Tensor) else a
        return out.copy_(_recurrence.recurrence(a, b.contiguous(), axis, init, reverse))


# ---- any operator, without a gradient; sums ----
def _scan_plain(x: Tensor, axis: int, op: str, exclusive: bool, reverse: bool) -> Tensor:
    try:
        return _scans.inclusive(x, axis, op, exclusive, reverse)  # (which allocates in one go)
    except LayoutError:
        return _scans.inclusive(x.contiguous(), axis, op, exclusive, reverse)


def _scan_type(x: Tensor, op: str) -> torch.dtype:
    return torch.int64 if x.dtype == torch.bool and OPERATORS.get(op) in (0, 1) else x.dtype


def _remember_scan(ctx, inputs, output):
    _, ctx.axis, ctx.op, ctx.exclusive, ctx.reverse = inputs


def _scan_gradient(ctx, gradient):
    if OPERATORS[ctx.op] != 0:
        raise NotImplementedError(f"onepass_scan.torch.scan has a gradient for sums, not for {ctx.op!r}")
    return _scan(gradient, ctx.axis, "sum", ctx.exclusive, not ctx.reverse), None, None, None, None


@operator("scan(Tensor x, int axis, str op, bool exclusive, bool reverse) -> Tensor", _scan_gradient,
          _remember_scan, _scan_plain)
def _scan(x: Tensor, axis: int, op: str, exclusive: bool, reverse: bool) -> Tensor:
    return _scan_into(_out(x, _scan_type(x, op)), x, axis, op, exclusive, reverse)


@torch.library.register_fake("onepass_scan::scan")
def _(x, axis, op, exclusive, reverse):
    _check_axis(x, axis)
    return _out(x, _scan_type(x, op))


def _check_axis(x: Tensor, axis: int) -> None:
    if not -x.dim() <= axis < x.dim():
        raise IndexError(f"dim is {axis}, but the tensor has {x.dim()} dimensions")


# ---- recurrences ----
def _remember_recurrence(ctx, inputs, output):
    a, _, ctx.axis, init, ctx.reverse = inputs
    ctx.factor = None if isinstance(a, Tensor) else a
    ctx.save_for_backward(None if ctx.factor is not None else a, init, output)


def _before(h: Tensor, axis: int, first: Tensor, reverse: bool) -> Tensor:
    """h one step later, and what is before the first."""
    length, first = h.shape[axis], first.to(h.dtype).unsqueeze(axis)
    if reverse:
        return torch.cat([h.narrow(axis, 1, length - 1), first], axis)
    return torch.cat([first, h.narrow(axis, 0, length - 1)], axis)


def _carried(a: Tensor, gradient: Tensor, axis: int, reverse: bool) -> Tensor:
    """G[i] = g[i] + a[i + 1] G[i + 1], a recurrence from the other end."""
    factors = torch.roll(a, 1 if reverse else -1, axis) if a.dim() == gradient.dim() else a
    return _recur(factors, gradient, axis, None, not reverse)


def _recurrence_gradient(ctx, gradient):
    a, init, h = ctx.saved_tensors
    axis = ctx.axis % h.dim()
    if h.shape[axis] == 0:
        return (None if a is None else torch.zeros_like(a), torch.zeros_like(h), None,
                None if init is None else torch.zeros_like(init), None)
    if a is not None and a.dim() == h.dim() and not torch.is_grad_enabled():
        of_a, of_b, of_init = _differentiate(a, h, gradient, axis, init, ctx.reverse)
        return of_a, of_b, None, None if init is None else of_init.to(init.dtype), None
    # With a gradient of its own, or one factor of many steps: of operators that have gradients.
    if a is None:
        carried = _recur_by(ctx.factor, gradient, axis, None, not ctx.reverse)
    else:
        carried = _carried(a, gradient, axis, ctx.reverse)
    end = h.shape[axis] - 1 if ctx.reverse else 0
    of_a = of_init = None
    if a is not None and ctx.needs_input_grad[0]:
        first = torch.zeros_like(h.select(axis, 0)) if init is None else init
        of_a = carried * _before(h, axis, first, ctx.reverse)
        of_a = of_a if a.dim() == h.dim() else of_a.sum(axis, dtype=a.dtype)
    if init is not None and ctx.needs_input_grad[3]:
        factor = ctx.factor if a is None else a.select(axis, end) if a.dim() == h.dim() else a
        of_init = (carried.select(axis, end) * factor).to(init.dtype)
    return of_a, carried, None, of_init, None


@operator("recurrence(Tensor a, Tensor b, int axis, Tensor? init, bool reverse) -> Tensor", _recurrence_gradient,
          _remember_recurrence)
def _recur(a: Tensor, b: Tensor, axis: int, init: Optional[Tensor], reverse: bool) -> Tensor:
    return _recurrence_into(_out(b), a, b, axis, init, reverse)


@operator("recurrence_by(float a, Tensor b, int axis, Tensor? init, bool reverse) -> Tensor", _recurrence_gradient,
          _remember_recurrence)
def _recur_by(a: float, b: Tensor, axis: int, init: Optional[Tensor], reverse: bool) -> Tensor:
    return _recurrence_into(_out(b), a, b, axis, init, reverse)


@operator("recurrence_gradient(Tensor a, Tensor h, Tensor grad_h, int axis, Tensor? init, bool reverse) "
           "-> (Tensor, Tensor, Tensor)")
def _differentiate(a: Tensor, h: Tensor, grad_h: Tensor, axis: int, init: Optional[Tensor],
                   reverse: bool) -> tuple[Tensor, Tensor, Tensor]:
    of_a, of_b, of_init = _gradients_of(h, axis)
    if init is not None:
        init = init.contiguous()
    try:
        return _gradient.recurrence_gradient(a, h, grad_h, axis, init, reverse, None, of_init, (of_a, of_b))
    except ValueError:  # strides that are not alike
        found = _gradient.recurrence_gradient(a.contiguous(), h.contiguous(), grad_h.contiguous(), axis, init,
                                              reverse, None, of_init)
        return of_a.copy_(found[0]), of_b.copy_(found[1]), of_init


def _gradients_of(h: Tensor, axis: int) -> tuple[Tensor, Tensor, Tensor]:
    state = torch.float64 if h.dtype == torch.float64 else torch.float32
    return _out(h), _out(h), h.new_empty(_without(h, axis), dtype=state)


def _without(x: Tensor, axis: int) -> list[int]:
    return [n for dim, n in enumerate(x.shape) if dim != axis % x.dim()]


@torch.library.register_fake("onepass_scan::recurrence")
def _(a, b, axis, init, reverse):
    _check_axis(b, axis)
    if a.shape != b.shape and list(a.shape) != _without(b, axis):
        raise ScanTypeError(f"a is {a.dtype} of shape {tuple(a.shape)}, and b {b.dtype} of {tuple(b.shape)}")
    return _out(b)


@torch.library.register_fake("onepass_scan::recurrence_by")
def _(a, b, axis, init, reverse):
    _check_axis(b, axis)
    return _out(b)


@torch.library.register_fake("onepass_scan::recurrence_gradient")
def _(a, h, grad_h, axis, init, reverse):
    _check_axis(h, axis)
    return _gradients_of(h, axis)


# ---- products ----
def _remember_products(ctx, inputs, output):
    x, ctx.axis, ctx.reverse = inputs
    ctx.save_for_backward(x, output)


def _products_gradient(ctx, gradient):
    # With S[i] = g[i] + x[i + 1] S[i + 1], the sum over outputs without x[i] and what is before it,
    # dx[i] = y[i - 1] S[i]: no division, so factors of 0 are no exception.
    x, y = ctx.saved_tensors
    axis = ctx.axis % x.dim()
    if x.shape[axis] == 0:
        return torch.zeros_like(x), None, None
    ones = torch.ones_like(y.select(axis, 0), memory_format=torch.contiguous_format,
                           dtype=torch.promote_types(y.dtype, torch.float32))
    if not torch.is_grad_enabled():
        return _differentiate(x, y, gradient, axis, ones, ctx.reverse)[0], None, None
    return _carried(x, gradient, axis, ctx.reverse) * _before(y, axis, ones, ctx.reverse), None, None


@operator("cumprod(Tensor x, int axis, bool reverse) -> Tensor", _products_gradient, _remember_products)
def _products(x: Tensor, axis: int, reverse: bool) -> Tensor:
    out = _out(x)
    try:
        return _scan_into(out, x, axis, "prod", False, reverse)
    except ScanTypeError:
        if not x.is_floating_point():
            raise
        if x.numel() == 0:
            return out
        # This build of the library holds no products; h[i] = x[i] h[i - 1] from 1 on are the same.
        ones = torch.ones_like(x.select(axis, 0), memory_format=torch.contiguous_format,
                               dtype=torch.promote_types(x.dtype, torch.float32))
        return _recurrence_into(out, x, torch.zeros_like(x), axis, ones, reverse)


@torch.library.register_fake("onepass_scan::cumprod")
def _(x, axis, reverse):
    _check_axis(x, axis)
    return _out(x)


# ---- what is called ----
def scan(x: Tensor, dim: int = -1, op: str = "sum", exclusive: bool = False, reverse: bool = False) -> Tensor:
    """``onepass_scan.inclusive`` as an operator of torch; with a gradient where op is "sum"."""
    return _scan(x, dim, op, exclusive, reverse)


def cumsum(x: Tensor, dim: int = -1, exclusive: bool = False, reverse: bool = False) -> Tensor:
    """Running sums along dim, of x's type (of bools int64), with a gradient."""
    return _scan(x, dim, "sum", exclusive, reverse)


def cumprod(x: Tensor, dim: int = -1, reverse: bool = False) -> Tensor:
    """Running products along dim, with a gradient that takes factors of 0."""
    return _products(x, dim, reverse)


def recurrence(a: Tensor | float, b: Tensor, dim: int = -1, init: Tensor | None = None,
               reverse: bool = False) -> Tensor:
    """h[i] = a[i] h[i - 1] + b[i] along dim, with gradients of a, b and init.

    a and b are of one shape and floating-point type; init has the shape without dim, and is float32 where
    these are of 16 bits. a may be one number, or have one a sequence: the shape and the type of init.
    """
    if not isinstance(a, Tensor):
        return _recur_by(a, b, dim, init, reverse)
    return _recur(a, b, dim, init, reverse)
