"""Scans of one sequence in segments."""
from __future__ import annotations

import numbers
from typing import Any

from . import _library
from ._adapters import ADAPTERS, Described, adapter_of
from ._errors import ScanTypeError, ScanValueError
from ._library import OPERANDS_SIZE, pack_operands
from ._plans import Plan, Plans, check_device, check_flag, check_held, held_operator, operator_code, output_type
from ._types import BYTES, CODES, default_output, is_scalar

_plans = Plans()
_OFFSETS = ("int32", "int64", "uint32", "uint64")


def segmented(x: Any, offsets: Any, op: str = "sum", exclusive: bool = False, reverse: bool = False,
              init: Any = None, out: Any = None, stream: Any = None, *, dtype: Any = None, total: Any = None,
              threads: int = 0, workspace: _library.Workspace | None = None) -> Any:
    """Scans ragged segments of x, each by itself: segment s is ``x[offsets[s]:offsets[s + 1]]``.

    Args:
        x: of one dimension, n elements without gaps.
        offsets: of one dimension, one more than there are segments; int32, int64, uint32 or uint64, where x
            is. None is less than the one before, and none exceeds n; on a device one that is or does makes
            wrong results and no harm (``check_segments`` looks). Elements in no segment are left alone: of
            a new out they are what memory held.
        init: a number, or an array with one value a segment.
        total: True, or an array with one value a segment: gets the fold of each.

    What is not said here is as of ``inclusive``.
    """
    return _scan("segments", x, offsets, op, exclusive, reverse, init, out, stream, dtype, total, threads,
                 workspace)


def by_key(x: Any, keys: Any = None, op: str = "sum", exclusive: bool = False, reverse: bool = False,
           init: Any = None, out: Any = None, stream: Any = None, *, flags: Any = None, dtype: Any = None,
           threads: int = 0, workspace: _library.Workspace | None = None) -> Any:
    """Scans runs of equal keys, each by itself.

    Args:
        x: of one dimension, n elements without gaps.
        keys: n of 1, 2, 4 or 8 bytes, of any type that the library knows; equal where their bits are.
        flags: in place of keys: n bytes or bools, where one that is not 0 begins a segment; or uint32, of
            which bit i % 32 of element i // 32 does.
        init: a number, folded in before each run.

    What is not said here is as of ``inclusive``.
    """
    if (keys is None) == (flags is None):
        raise ScanTypeError("by_key wants either keys or flags")
    by, kind = (keys, "keys") if flags is None else (flags, "flags")
    if init is not None and not is_scalar(init):
        raise ScanTypeError("init is an array, and nobody knows how many runs there are: a number is wanted")
    return _scan(kind, x, by, op, exclusive, reverse, init, out, stream, dtype, None, threads, workspace)


def check_segments(offsets: Any, num_items: int, stream: Any = None) -> None:
    """Raises ScanValueError naming the first of the offsets that is less than the one before it or exceeds
    num_items. Waits for the stream, of offsets on a device."""
    adapter = ADAPTERS.get(type(offsets)) or adapter_of(offsets)
    key, pointer, stream, owner = adapter.open(offsets, stream)
    given = adapter.describe(key)
    check_heads("segments", given, None, num_items)
    if not isinstance(num_items, numbers.Integral) or not 0 <= num_items < 1 << 63:
        raise ScanValueError(f"num_items is {num_items!r}; a number of elements is wanted")
    packed = _library.pack_segments(pointer, given.shape[0] - 1, num_items, CODES[given.dtype])
    plan = Plan()
    plan.choose_place(given.device, stream, 0, False, False, "automatic")
    plan.function = _library.scan_check_segments
    plan.call(packed, plan.place, stream)


def _scan(kind: str, x: Any, by: Any, op: Any, exclusive: bool, reverse: bool, init: Any, out: Any,
          stream: Any, dtype: Any, total: Any, threads: int, workspace: Any) -> Any:
    adapter = ADAPTERS.get(type(x)) or adapter_of(x)
    x_key, x_at, stream, owner = adapter.open(x, stream)
    by_adapter = ADAPTERS.get(type(by)) or adapter_of(by)
    by_key_, by_at, _, by_owner = by_adapter.open(by, stream)
    if out is None:
        out_key = out_adapter = None
    else:
        out_adapter = ADAPTERS.get(type(out)) or adapter_of(out)
        out_key, out_at, _, out_owner = out_adapter.open(out, stream, True)
    key = (kind, x_key, by_key_, op, exclusive, reverse, out_key, stream, dtype, threads)
    plan = _plans.get(key)
    if plan is None:
        plan = _plans.keep(key, _plan(kind, adapter, x, x_key, by_adapter.describe(by_key_),
                                      None if out is None else out_adapter.describe(out_key), op, exclusive,
                                      reverse, stream, dtype, threads))
    if out is None:
        out = plan.allocate(x)
        out_at = adapter.address(out)
    input_type, result_type, code, begins = plan.codes
    operands = pack_operands(OPERANDS_SIZE, x_at, out_at, input_type, result_type, code, begins)
    options, totals, owners = plan.options, None, None
    if init is not None or total is not None or workspace is not None:
        options, totals, owners = plan.options_with(x, init, total, workspace)
    plan.call(operands, *plan.shape(by_at), options)
    return out if totals is None else (out, totals)


def _plan(kind: str, adapter: type, x: Any, x_key: Any, heads: Described, out: Described | None, op: Any,
          exclusive: bool, reverse: bool, stream: int, dtype: Any, threads: int) -> Plan:
    given = adapter.describe(x_key)
    _check_line("x", given)
    n = given.shape[0]
    code = operator_code(op)
    result = output_type(dtype, out, default_output(given.dtype, code))
    code = held_operator(code, given.dtype, result)
    if out is not None:
        _check_line("out", out)
        check_device("out", out, given.device)
        if out.shape != given.shape:
            raise ScanValueError(f"out has shape {tuple(out.shape)}, and {tuple(given.shape)} are written")
    check_heads(kind, heads, given, n)
    check_flag("exclusive", exclusive)
    plan = Plan()
    plan.choose_place(given.device, stream, threads, reverse, False, "automatic")
    call = _library.SEGMENTS if kind == "segments" else _library.KEYS
    check_held(plan.place, call, given.dtype, result, code, kind)
    plan.codes = CODES[given.dtype], CODES[result], code, int(bool(exclusive))
    num_values = 0
    if kind == "segments":
        num_values = num_segments = heads.shape[0] - 1
        offset_type = CODES[heads.dtype]
        plan.function = _library.scan_segmented
        plan.shape = lambda at: (_library.pack_segments(at, num_segments, n, offset_type),)
    else:
        size = BYTES[heads.dtype]
        key_kind = (_library.KEY_KINDS[size] if kind == "keys" else
                    _library.FLAG_BITS if size == 4 else _library.FLAG_BYTES)
        plan.function = _library.scan_by_key
        plan.shape = lambda at: (_library.pack_keys(at, key_kind), n)
    if out is None:
        plan.allocate = adapter.allocator(x, x_key, given.shape, (0,), result, stream)
    plan.choose_values(result, (num_values,), (0,), adapter, x_key)
    return plan


def _check_line(name: str, given: Described) -> None:
    """Raises for what is not one sequence without gaps."""
    if len(given.shape) != 1:
        raise ScanValueError(f"{name} has {len(given.shape)} dimensions; segments are of one")
    if given.shape[0] > 1 and given.strides[0] != 1:
        raise ScanValueError(f"{name} has a stride of {given.strides[0]}; segments are of elements without "
                             "gaps")


def check_heads(kind: str, heads: Described, x: Described | None, n: int) -> None:
    """Raises where offsets, keys or flags are of another type, length or place than they have to be."""
    name = "offsets" if kind == "segments" else kind
    _check_line(name, heads)
    count = heads.shape[0]
    if kind == "segments":
        if heads.dtype not in _OFFSETS:
            raise ScanTypeError(f"offsets are of {heads.dtype}; {', '.join(_OFFSETS)} are taken")
        if count == 0:
            raise ScanValueError("offsets are empty; there is one more than there are segments")
    else:
        wanted = n
        if kind == "flags" and heads.dtype == "uint32":
            wanted = (n + 31) // 32
        elif kind == "flags" and BYTES[heads.dtype] != 1:
            raise ScanTypeError(f"flags are of {heads.dtype}; bytes, bools or bits in uint32 are taken")
        if count != wanted:
            raise ScanValueError(f"{name} have {count} elements; of {n} in x {wanted} are wanted")
    if x is not None:
        check_device(name, heads, x.device)
