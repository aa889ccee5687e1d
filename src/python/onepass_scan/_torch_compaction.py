"""Operators of torch for compaction: of outputs whose size is said, so that nobody waits for a count."""
from __future__ import annotations

import torch
from torch import Tensor

from . import _compaction
from ._errors import ScanTypeError
from ._torch_operators import operator

_FLAGS = (torch.bool, torch.uint8, torch.int8)


def _remember_selection(ctx, inputs, output):
    _, flags, ctx.size = inputs
    ctx.save_for_backward(flags)


def _selection_gradient(ctx, gradient, _):
    # Element i has gone to place i, a running count of flags, where there was room.
    flags, = ctx.saved_tensors
    flags = flags != 0
    if ctx.size == 0:
        return gradient.new_zeros((flags.shape[0], *gradient.shape[1:])), None, None
    place = torch.cumsum(flags, 0) - 1
    kept = flags & (place < ctx.size)
    taken = gradient.index_select(0, place.clamp(0, ctx.size - 1))
    return torch.where(kept.reshape(-1, *[1] * (gradient.dim() - 1)), taken, 0), None, None


@operator("select(Tensor x, Tensor flags, SymInt size) -> (Tensor, Tensor)", _selection_gradient,
          _remember_selection)
def _select(x: Tensor, flags: Tensor, size: int) -> tuple[Tensor, Tensor]:
    kept, count = _room_for(x, flags, size)
    _compaction.select(x.contiguous(), flags.contiguous(), kept, count=count)
    return kept, count


def _check_flags(flags: Tensor) -> None:
    if flags.dtype not in _FLAGS:  # (bits have no gradient here)
        raise ScanTypeError(f"flags are of {flags.dtype}; bools or bytes are taken")


def _room_for(x: Tensor, flags: Tensor, size: int) -> tuple[Tensor, Tensor]:
    _check_flags(flags)
    return x.new_zeros((size, *x.shape[1:])), x.new_empty((), dtype=torch.int64)


@torch.library.register_fake("onepass_scan::select")
def _(x, flags, size):
    return _room_for(x, flags, size)


@operator("indices(Tensor flags, SymInt size) -> (Tensor, Tensor)")
def _indices(flags: Tensor, size: int) -> tuple[Tensor, Tensor]:
    places, count = _room_for_indices(flags, size)
    _compaction.indices(flags.contiguous(), places, count=count)
    return places, count


def _room_for_indices(flags: Tensor, size: int) -> tuple[Tensor, Tensor]:
    _check_flags(flags)
    return flags.new_zeros(size, dtype=torch.int64), flags.new_empty((), dtype=torch.int64)


@torch.library.register_fake("onepass_scan::indices")
def _(flags, size):
    return _room_for_indices(flags, size)


# ---- what is called ----
def select(x: Tensor, flags: Tensor, size: int) -> tuple[Tensor, Tensor]:
    """(kept, count): the elements or rows of x whose flag is set, behind them zeros up to size; and how many are
    kept, an int64 tensor of no dimensions, which nobody waits for. flags are bools or bytes. With a gradient of x."""
    return _select(x, flags, size)


def indices(flags: Tensor, size: int) -> tuple[Tensor, Tensor]:
    """(places, count): where flags are set, int64, behind them zeros up to size; and how many there are."""
    return _indices(flags, size)
