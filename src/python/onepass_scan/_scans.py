"""Scans along an axis."""
from __future__ import annotations

from typing import Any

from . import _library
from ._adapters import ADAPTERS, adapter_of
from ._layout import LayoutError, axis_number
from ._library import OPERANDS_SIZE, pack_operands, raise_for
from ._plans import (Plan, Plans, Sides, check_flag, check_held, held_operator, operator_code, order_without,
                     output_type, without)
from ._types import CODES, default_output

_plans = Plans()


def inclusive(x: Any, axis: int = -1, op: str = "sum", exclusive: bool = False, reverse: bool = False,
              init: Any = None, out: Any = None, stream: Any = None, *, dtype: Any = None,
              complete: bool = False, total: Any = None, copy: bool = False, threads: int = 0,
              workspace: _library.Workspace | None = None, algorithm: str = "automatic") -> Any:
    """Scans every sequence of x along an axis: ``out[i] = x[0] op ... op x[i]``.

    Args:
        x: an array on the CPU, which CPU threads scan before the call returns, or on a CUDA device, where
            it is enqueued. Of any shape with at least one axis.
        axis: along which to scan.
        op: "sum", "prod", "min", "max", or of integers "and", "or", "xor".
        exclusive: ``out[i] = x[0] op ... op x[i - 1]``; out[0] is the init, or the operator's identity.
        reverse: from the end: ``out[i] = x[i] op ... op x[n - 1]``.
        init: folded in before the first element: a number, or an array of out's type with one value a
            sequence (x's shape without the axis).
        out: where to write, of x's shape; x itself scans in place. None: a new array of x's framework,
            which lies in memory as x does.
        stream: of CUDA: a number or a stream object. None: the current one of torch or CuPy, else the
            legacy default stream.
        dtype: of the output. None: out's, else x's, but int64 for sums and products of bools.
        complete: of exclusive scans: n + 1 outputs along the axis, of which the last is the fold of all.
        total: True, or an array with one value of out's type a sequence: gets the fold of everything.
        copy: copies an x whose strides are no axis of a tensor, rather than refusing it.
        threads: on the CPU; 0: one a processor.
        workspace, algorithm: on a device.

    Returns:
        out, or where ``total`` is given (out, total).

    Raises:
        ScanValueError, ScanTypeError (a ValueError, a TypeError): an argument, which the message names.
        ScanError: what CUDA returned.
    """
    adapter = ADAPTERS.get(type(x)) or adapter_of(x)
    x_key, x_at, stream, owner = adapter.open(x, stream)
    if out is None:
        out_key = out_adapter = None
    else:
        out_adapter = ADAPTERS.get(type(out)) or adapter_of(out)
        out_key, out_at, _, out_owner = out_adapter.open(out, stream, True)
    if type(axis) is not int:
        axis = axis_number(axis)
    key = (x_key, axis, op, exclusive, reverse, out_key, stream, dtype, complete, threads, algorithm)
    plan = _plans.get(key)
    if plan is None:
        try:
            plan = _plans.keep(key, _plan(adapter, x, x_key, out_adapter, out_key, axis, op, exclusive,
                                          reverse, stream, dtype, complete, threads, algorithm))
        except LayoutError:
            if not copy:
                raise
            return inclusive(adapter.dense(x, stream), axis, op, exclusive, reverse, init, out, stream, dtype=dtype,
                             complete=complete, total=total, threads=threads, workspace=workspace,
                             algorithm=algorithm)
    if out is None:
        out = plan.allocate(x)
        out_at = adapter.address(out)
    input_type, result_type, code, begins = plan.codes
    operands = pack_operands(OPERANDS_SIZE, x_at, out_at, input_type, result_type, code, begins)
    if init is None and total is None and workspace is None:
        options, totals = plan.options, None
    else:
        options, totals, owners = plan.options_with(x, init, total, workspace)
    if plan.guarded:
        plan.call(operands, plan.shape, options)
    else:  # (as plan.call, a Python call less)
        status = plan.function(operands, plan.shape, options)
        if status.code:
            raise_for(status)
    return out if totals is None else (out, totals)


def _plan(adapter: type, x: Any, x_key: Any, out_adapter: type | None, out_key: Any, axis: Any, op: Any,
          exclusive: bool, reverse: bool, stream: int, dtype: Any, complete: bool, threads: int,
          algorithm: str) -> Plan:
    given = adapter.describe(x_key)
    out = None if out_adapter is None else out_adapter.describe(out_key)
    code = operator_code(op)
    result = output_type(dtype, out, default_output(given.dtype, code))
    code = held_operator(code, given.dtype, result)
    sides = Sides(given, axis, complete)
    outer, length, inner, in_pitch = sides.read
    written = sides.of_output(out)
    plan = Plan()
    check_flag("exclusive", exclusive)
    plan.choose_place(given.device, stream, threads, reverse, complete, algorithm)
    is_one = outer == 1 and inner == 1  # of which the library holds more types than of tensors
    kind = _library.SEQUENCE if is_one else _library.TENSOR
    check_held(plan.place, kind, given.dtype, result, code, "one sequence" if is_one else "tensors")
    plan.codes = CODES[given.dtype], CODES[result], code, int(bool(exclusive))
    if is_one:
        plan.function, plan.shape = _library.scan_sequence, length
    else:
        plan.function = _library.scan_tensor
        plan.shape = _library.pack_extents(outer, length, inner, in_pitch, written.pitch)
    if out is None:
        plan.allocate = adapter.allocator(x, x_key, sides.out_shape, sides.order, result, stream)
    plan.choose_values(result, without(given.shape, sides.axis), order_without(sides.order, sides.axis),
                       adapter, x_key)
    return plan


def exclusive(x: Any, axis: int = -1, op: str = "sum", **options: Any) -> Any:
    """``inclusive`` with ``exclusive=True``: out[0] is the init, or the operator's identity."""
    return inclusive(x, axis, op, True, **options)


def cumsum(x: Any, axis: int = -1, **options: Any) -> Any:
    """Running sums along an axis; options as of ``inclusive``. (NumPy's widens small integers; here the
    output's type is x's unless ``dtype`` or ``out`` says otherwise.)"""
    return inclusive(x, axis, "sum", **options)


def cumprod(x: Any, axis: int = -1, **options: Any) -> Any:
    """Running products along an axis; options as of ``inclusive``. (A build with -Dprebuilt=full.)"""
    return inclusive(x, axis, "prod", **options)


def cummax(x: Any, axis: int = -1, **options: Any) -> Any:
    """Running maxima along an axis, without indices; they keep the first NaN. Options as of ``inclusive``."""
    return inclusive(x, axis, "max", **options)


def cummin(x: Any, axis: int = -1, **options: Any) -> Any:
    """Running minima along an axis, without indices; they keep the first NaN. Options as of ``inclusive``."""
    return inclusive(x, axis, "min", **options)
