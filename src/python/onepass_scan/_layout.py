"""A tensor's axis as the library knows it: outer x length x inner elements, slabs one pitch apart."""
from __future__ import annotations

from typing import NamedTuple, Sequence

from ._errors import ScanTypeError, ScanValueError


class LayoutError(ScanValueError):
    """Strides that are no axis of outer x length x inner elements: ``copy=True`` copies first."""


class Extents(NamedTuple):
    """``scan::extents`` of one array; a pitch of 0 is dense."""

    outer: int
    length: int
    inner: int
    pitch: int


def product(numbers: Sequence[int]) -> int:
    result = 1
    for number in numbers:
        result *= number
    return result


def axis_number(axis: object) -> int:
    """An axis as an integer that does not change: a tensor of one may, and would be looked up by its
    address."""
    try:
        return axis.__index__()
    except AttributeError:
        raise ScanTypeError(f"axis is {axis!r}; one integer is wanted (flatten x first to scan all of it)"
                            ) from None


def normal_axis(axis: int, ndim: int) -> int:
    """An axis counted from the front. Raises where there is none, or no axis at all."""
    if ndim == 0:
        raise ScanValueError("x has no axis to scan along: it is 0-dimensional")
    index = axis_number(axis)
    if not -ndim <= index < ndim:
        raise ScanValueError(f"axis is {index}, but the array has {ndim} dimensions")
    return index % ndim


def contiguous_strides(shape: Sequence[int], order: Sequence[int]) -> tuple[int, ...]:
    """Strides in elements of a dense array whose dimensions lie in memory in this order, the last
    without gaps."""
    strides = [0] * len(shape)
    step = 1
    for dim in reversed(order):
        strides[dim] = step
        step *= max(shape[dim], 1)
    return tuple(strides)


def order_of(shape: Sequence[int], strides: Sequence[int], axis: int) -> tuple[int, ...]:
    """All dimensions, those with the largest strides first. Where lengths of 1 leave it open the order
    is that of the dimensions."""
    if 0 in shape:
        return tuple(range(len(shape)))
    real = [dim for dim in range(len(shape)) if shape[dim] > 1]
    real.sort(key=lambda dim: -strides[dim])  # (stable)
    for dim in range(len(shape)):
        if shape[dim] == 1:  # before the first that comes after it in the shape
            place = next((i for i, other in enumerate(real) if other > dim), len(real))
            real.insert(place, dim)
    return tuple(real)


def extents_of(name: str, shape: Sequence[int], strides: Sequence[int], axis: int,
               order: Sequence[int]) -> Extents:
    """What the library is told of an array whose dimensions lie in this order.

    Raises LayoutError naming the axis and the stride that does not fit.
    """
    place = order.index(axis)
    before, after = order[:place], order[place + 1:]
    outer, inner = product([shape[d] for d in before]), product([shape[d] for d in after])
    length = shape[axis]
    if outer == 0 or length == 0 or inner == 0:
        return Extents(outer, length, inner, 0)

    def refuse(dim: int, wanted: str) -> LayoutError:
        remedy = "" if name == "out" else "; copy=True copies such an input first"
        return LayoutError(f"{name}: dimension {dim} of shape {tuple(shape)} has stride {strides[dim]} where "
                           f"a scan along axis {axis} wants {wanted}{remedy}")

    for dim, (size, stride) in enumerate(zip(shape, strides)):
        if size > 1 and stride <= 0:
            raise refuse(dim, "a positive one" + (" (reverse=True scans from the end)" if stride < 0 else ""))
    step = 1
    for dim in reversed(after):
        if shape[dim] > 1 and strides[dim] != step:
            raise refuse(dim, str(step))
        step *= shape[dim]
    if length > 1 and strides[axis] != inner:
        raise refuse(axis, str(inner))
    pitch = 0
    for dim in reversed(before):
        if shape[dim] == 1:
            continue
        if pitch == 0:
            pitch = step = strides[dim]
            if pitch < length * inner:
                raise refuse(dim, f"at least {length * inner}")
        if strides[dim] != step:
            raise refuse(dim, str(step))
        step *= shape[dim]
    return Extents(outer, length, inner, pitch)


def is_dense(shape: Sequence[int], strides: Sequence[int], order: Sequence[int]) -> bool:
    """Whether the dimensions lie in this order without gaps."""
    wanted = contiguous_strides(shape, order)
    return 0 in shape or all(size == 1 or stride == step
                             for size, stride, step in zip(shape, strides, wanted))
