"""Linear recurrences along an axis."""
from __future__ import annotations

from typing import Any

from . import _library
from ._adapters import ADAPTERS, adapter_of
from ._errors import ScanTypeError, ScanValueError
from ._layout import LayoutError, axis_number, extents_of, is_dense
from ._library import FACTOR_A_SEQUENCE, FACTOR_A_STEP, ONE_FACTOR, RECURRENCE_SIZE, pack_recurrence
from ._plans import Plan, Plans, Sides, check_device, order_without, output_type, without
from ._types import CODES, FLOATS, is_scalar, value_in_memory

_plans = Plans()
_NARROW = ("float16", "bfloat16")


def recurrence(a: Any, b: Any, axis: int = -1, init: Any = None, reverse: bool = False, out: Any = None,
               return_state: Any = False, stream: Any = None, *, dtype: Any = None, copy: bool = False,
               threads: int = 0, workspace: _library.Workspace | None = None) -> Any:
    """h[i] = a[i] * h[i - 1] + b[i] along an axis; with ``reverse`` h[i] = a[i] * h[i + 1] + b[i].

    Args:
        a, b: arrays of one shape, one of float16, bfloat16, float32 and float64, and strides that are alike.
            A factor of exactly 0 begins the sequence anew. Or a is one number, or has one a sequence (the shape
            without the axis), of the type of init.
        init: h before the first step: a number, or an array with one value a sequence (the shape without
            the axis), of float32 where a and b are of 16 bits, else of their type. Without one h[0] = b[0].
        out: where to write; may be b.
        return_state: True, or an array as of init: gets each sequence's last state, unrounded.
        dtype: "float32", of a and b of 16 bits: states that are not rounded.
        copy: copies an a or b whose strides are no axis of a tensor, rather than refusing it.

    Returns:
        out, or where ``return_state`` is given (out, states).

    What is not said here is as of ``inclusive``. The gradient is ``recurrence_gradient``.
    """
    adapter = ADAPTERS.get(type(b)) or adapter_of(b)
    b_key, b_at, stream, b_owner = adapter.open(b, stream)
    is_number = is_scalar(a)
    if is_number:
        a_key, a_adapter = float, None
    else:
        a_adapter = ADAPTERS.get(type(a)) or adapter_of(a)
        a_key, a_at, _, a_owner = a_adapter.open(a, stream)
    if out is None:
        out_key = out_adapter = None
    else:
        out_adapter = ADAPTERS.get(type(out)) or adapter_of(out)
        out_key, out_at, _, out_owner = out_adapter.open(out, stream, True)
    if type(axis) is not int:
        axis = axis_number(axis)
    key = (a_key, b_key, axis, reverse, out_key, stream, threads, dtype)
    plan = _plans.get(key)
    if plan is None:
        try:
            plan = _plans.keep(key, _plan(adapter, b, b_key, None if is_number else a_adapter.describe(a_key),
                                          None if out is None else out_adapter.describe(out_key), axis,
                                          reverse, stream, threads, dtype))
        except LayoutError:
            if not copy:
                raise
            return recurrence(a if is_number else a_adapter.dense(a, stream), adapter.dense(b, stream), axis, init,
                              reverse, out, return_state, stream, dtype=dtype, threads=threads,
                              workspace=workspace)
    if out is None:
        out = plan.allocate(b)
        out_at = adapter.address(out)
    if is_number:
        a_owner = value_in_memory(a, plan.value_type)
        a_at = _library.ctypes.addressof(a_owner)
    operands = pack_recurrence(RECURRENCE_SIZE, a_at, b_at, out_at, *plan.codes)
    if init is None and return_state is False and workspace is None:
        plan.call(operands, plan.shape, plan.options)
        return out
    options, states, owners = plan.options_with(b, init, return_state, workspace)
    plan.call(operands, plan.shape, options)
    return out if states is None else (out, states)


def _plan(adapter: type, b: Any, b_key: Any, a: Any, out: Any, axis: Any, reverse: bool, stream: int,
          threads: int, dtype: Any) -> Plan:
    given = adapter.describe(b_key)
    state = "float64" if given.dtype == "float64" else "float32"
    written = output_type(dtype, out, given.dtype)
    sides = Sides(given, axis, False, "b")
    outer, length, inner, pitch = sides.read
    rest, order = without(given.shape, sides.axis), order_without(sides.order, sides.axis)
    if a is None:
        factors = ONE_FACTOR
    elif tuple(a.shape) == tuple(given.shape):
        factors = FACTOR_A_STEP
    elif tuple(a.shape) == rest:
        factors = FACTOR_A_SEQUENCE
    else:
        raise ScanValueError(f"a has shape {tuple(a.shape)}, and b {tuple(given.shape)}")
    if (given.dtype not in FLOATS or (factors == FACTOR_A_STEP and a.dtype != given.dtype)
            or not (written == given.dtype or (given.dtype in _NARROW and written == "float32"))):
        types = [given.dtype if a is None else a.dtype, given.dtype] + ([] if out is None else [out.dtype])
        raise ScanTypeError(f"a recurrence is of one floating-point type; given are {', '.join(types)}")
    if factors == FACTOR_A_SEQUENCE and a.dtype != state:
        raise ScanTypeError(f"a is of {a.dtype}, and of one factor a sequence {state} is wanted")
    if a is not None:
        check_device("a", a, given.device)
    if factors == FACTOR_A_SEQUENCE and rest and not is_dense(rest, a.strides, order):
        raise LayoutError(f"a has strides {a.strides}, of which the sequences of b lie otherwise; copy=True "
                          "copies them first")
    if factors == FACTOR_A_STEP:
        of_a = extents_of("a", a.shape, a.strides, sides.axis, sides.order)
        if outer > 1 and of_a.pitch != pitch:
            raise LayoutError(f"a has strides {a.strides}, and b {given.strides}: both have one pitch; copy=True "
                              "copies them first")
    plan = Plan()
    plan.choose_place(given.device, stream, threads, reverse, False, "automatic")
    plan.codes = (CODES[given.dtype], 0, factors, CODES[written])
    plan.function = _library.scan_recurrence
    plan.shape = _library.pack_extents(outer, length, inner, pitch, sides.of_output(out).pitch)
    if out is None:
        plan.allocate = adapter.allocator(b, b_key, sides.out_shape, sides.order, written, stream)
    plan.choose_values(state, rest, order, adapter, b_key)
    return plan
