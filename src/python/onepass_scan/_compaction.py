"""Compaction: elements that flags keep or tell apart, where flags are set, runs of equal elements.

Calls without a size, out or count return just what is kept; on a device that waits for the host to know
how much it is. The others return arrays of a size that the caller said, and the count as an array: nobody
waits.
"""
from __future__ import annotations

import ctypes
import threading
from typing import Any

from . import _cuda, _library
from ._adapters import ADAPTERS, Described, adapter_of
from ._errors import ScanError, ScanTypeError, ScanValueError
from ._layout import is_dense, product
from ._plans import Plan, Plans, check_device
from ._segments import check_heads
from ._types import BYTES, CODES, is_scalar, name_of

_plans = Plans()
_kept = threading.local()  # workspaces of calls that wait, by device
_PLACES = ("int32", "int64", "uint32", "uint64")
_ELEMENT_BYTES = (1, 2, 4, 8, 16)


def select(x: Any, flags: Any, out: Any = None, stream: Any = None, *, size: int | None = None,
           count: Any = None, n: Any = None, threads: int = 0,
           workspace: _library.Workspace | None = None) -> Any:
    """The elements of x whose flag is set, in their order: ``x[flags]``.

    Args:
        x: n elements without gaps; or rows of them, together of 1, 2, 4, 8 or 16 bytes, which are at a multiple
            of these bytes (of 8 and 16: of 4).
        flags: n bytes or bools; or bits in uint32, where bit i % 32 of element i // 32 is x[i]'s.
        out: where to write, of any length; may be x.
        size: the length of a new output. What is kept beyond it, or beyond out, is counted and not written.
        count: an int64 array of one element, where x is: gets how many are kept.
        n: how many of the elements there are: a number, or an int64 array of one element where x is, such as
            the count of an earlier call, which is read when this one runs.
        stream, threads, workspace: as of ``inclusive``.

    Returns:
        The kept elements, a view of an array as long as x: on a device the host waits for their number. With
        out, size or count given (out, count) without a wait: count is an int64 array of no dimensions, and
        what is behind the first ``count`` elements of out is as it was.
    """
    return _compact("select", x, flags, out, stream, size, count, n, None, threads, workspace)


def partition(x: Any, flags: Any, out: tuple | None = None, stream: Any = None, *, size: int | None = None,
              count: Any = None, n: Any = None, threads: int = 0,
              workspace: _library.Workspace | None = None) -> tuple:
    """(kept, rejected): the elements of x whose flag is set, and the others, both in their order.

    ``out`` is two arrays of one length, of which the first may be x. With out, size or count given it
    returns (kept, rejected, count), where count is how many are kept. What is not said here is as of
    ``select``.
    """
    return _compact("partition", x, flags, out, stream, size, count, n, None, threads, workspace)


def indices(flags: Any, out: Any = None, stream: Any = None, *, size: int | None = None, count: Any = None,
            n: Any = None, dtype: Any = None, threads: int = 0,
            workspace: _library.Workspace | None = None) -> Any:
    """Where flags are set, rising, as int64 or the integer of 4 or 8 bytes that dtype or out says.

    Of bits in uint32 there are 32 an element, or ``n``. What is not said here is as of ``select``.
    """
    return _compact("indices", flags, None, out, stream, size, count, n, dtype, threads, workspace)


def unique(x: Any, out: Any = None, stream: Any = None, *, size: int | None = None, count: Any = None,
           n: Any = None, threads: int = 0, workspace: _library.Workspace | None = None) -> Any:
    """The first of each run of equal elements, as ``torch.unique_consecutive``: of integers, bools, float32
    and float64, of one dimension. What is not said here is as of ``select``."""
    return _compact("unique", x, None, out, stream, size, count, n, None, threads, workspace)


def runs(x: Any, out: tuple | None = None, stream: Any = None, *, size: int | None = None, count: Any = None,
         n: Any = None, dtype: Any = None, threads: int = 0,
         workspace: _library.Workspace | None = None) -> tuple:
    """(values, lengths): run-length encoding of integers and bools; lengths as dtype says, or int64.

    ``out`` is two arrays of one length, of which the first may be x. With out, size or count given it
    returns (values, lengths, count). What is not said here is as of ``select``.
    """
    return _compact("runs", x, None, out, stream, size, count, n, dtype, threads, workspace)


def _compact(kind: str, x: Any, flags: Any, out: Any, stream: Any, size: Any, count: Any, n: Any, dtype: Any,
             threads: int, workspace: Any) -> Any:
    if size is not None:
        size = _whole("size", size)  # (of an array its value, not the array, is part of a plan)
    adapter = ADAPTERS.get(type(x)) or adapter_of(x)
    x_key, x_at, stream, owner = adapter.open(x, stream)
    if flags is None:
        flags_key, flags_at, flags_adapter = None, 0, None
    else:
        flags_adapter = ADAPTERS.get(type(flags)) or adapter_of(flags)
        flags_key, flags_at, _, flags_owner = flags_adapter.open(flags, stream)
    if out is None:
        outs = opened = out_keys = ()
    else:
        outs = tuple(out) if kind in _PAIRS else (out,)
        opened = [(ADAPTERS.get(type(each)) or adapter_of(each)).open(each, stream, True) for each in outs]
        out_keys = tuple([each[0] for each in opened])
    number = None if n is None else _whole("n", n) if is_scalar(n) else "array"  # (its value is no part of a plan)
    if count is False:
        count = None
    key = (kind, x_key, flags_key, out_keys, stream, size, number, dtype, threads)
    plan = _plans.get(key)
    if plan is None:
        written = [adapter_of(each).describe(of) for each, of in zip(outs, out_keys)]
        heads = None if flags is None else flags_adapter.describe(flags_key)
        plan = _plans.keep(key, _plan(kind, adapter, x, x_key, heads, out, written, stream, size, n, dtype,
                                      threads))
    known_at, known_owner = (0, None) if number != "array" else plan.values("n", n, False)
    is_exact = out is None and size is None and count is None
    own = None
    if is_exact and plan.device < 0:
        counted = ctypes.c_int64()
        count_at = ctypes.addressof(counted)
    else:
        if is_exact and adapter.number is None:
            raise ScanTypeError("size, out or count is missing: of these arrays nothing is known that waits "
                                "for how many are kept")
        count_at, counted, count_owner = plan.values_wanted("count", True if count is None else count, x)
    if out is None:
        outs = [allocate(x) for allocate in plan.allocate]
        addresses = [adapter.address(each) for each in outs]
    else:
        addresses = [each[1] for each in opened]
    if not plan.capacity:  # (of outputs without room the library wants to know nothing)
        addresses = [0] * len(outs)
    waits = is_exact and plan.device >= 0
    if waits and workspace is None:
        workspace = own = _take_workspace(plan)
    options = _library.pack_compaction_options(*plan.option_values, 0 if workspace is None else workspace.handle,
                                               0, 0, 0, 0, 0, 0, count_at, known_at, plan.capacity)
    plan.call(plan.shape(x_at, flags_at, *addresses), plan.num_items, options)
    if not is_exact:
        return (*outs, counted)
    kept = adapter.number(counted, stream) if waits else counted.value
    if waits and own is not None:
        _kept.by_device[plan.device] = own  # (not after an interrupt: the call may be under way)
    if kind == "partition":
        there = plan.num_items
        if number == "array":
            there = min(max(_number_of(n, stream), 0), there)
        return outs[0][:kept], outs[1][:there - kept]
    views = tuple(each[:kept] for each in outs)
    return views if kind in _PAIRS else views[0]


def _take_workspace(plan: Plan) -> _library.Workspace | None:
    """Of a call that waits the tile states are free again when it returns, so each thread keeps some. (From
    cudaMallocAsync they would go back to the system in each wait, and take longer to come than a scan.)"""
    held = _kept.__dict__.setdefault("by_device", {})
    workspace = held.pop(plan.device, None)
    if workspace is None or workspace.max_items < plan.num_items:
        try:
            with _cuda.on_device(plan.device):
                workspace = _library.Workspace(max(2 * plan.num_items, 1 << 20))
        except ScanError:
            return None  # the call allocates, or says what is wrong
    return workspace


def _number_of(n: Any, stream: int) -> int:
    return adapter_of(n).number(n, stream)


_PAIRS = ("partition", "runs")


def _plan(kind: str, adapter: type, x: Any, x_key: Any, flags: Described | None, out: Any,
          written: list[Described], stream: int, size: Any, n: Any, dtype: Any, threads: int) -> Plan:
    given = adapter.describe(x_key)
    rest = _rest("flags" if kind == "indices" else "x", given, kind in ("select", "partition"))
    num_items = given.shape[0]
    if kind == "indices":
        check_heads("flags", given, None, 32 * num_items if given.dtype == "uint32" else num_items)
        flags, num_items = given, num_items * (32 if given.dtype == "uint32" else 1)
    elif flags is not None:
        check_heads("flags", flags, given, num_items)
    if is_scalar(n):
        num_items = _whole("n", n, num_items)
    if out is not None and size is not None:
        raise ScanTypeError("size and out are both given: out has a length of its own")
    if kind in _PAIRS and out is not None and len(written) != 2:
        raise ScanValueError(f"out has {len(written)} arrays; two are written")
    places = "int64" if dtype is None else name_of(dtype)
    types = {"indices": [places], "runs": [given.dtype, places],
             "partition": [given.dtype] * 2}.get(kind, [given.dtype])
    if out is not None and dtype is None and kind in ("indices", "runs"):
        types[-1] = written[-1].dtype
    if kind in ("indices", "runs") and types[-1] not in _PLACES:
        raise ScanTypeError(f"{kind} are of {types[-1]}; {', '.join(_PLACES)} are written")
    for each, wanted in zip(written, types):
        _check_out(each, wanted, rest, written[0], given.device)
    plan = Plan()
    plan.choose_place(given.device, stream, threads, False, False, "automatic")
    plan.option_values = (_library.COMPACTION_OPTIONS_SIZE, *plan.option_values[1:])
    plan.num_items = num_items
    length = written[0].shape[0] if written else num_items if size is None else size
    plan.capacity = length
    plan.choose_values("int64", (), (), adapter, x_key)
    if out is None:
        shape = (length, *rest)
        order = tuple(range(len(shape)))
        plan.allocate = [adapter.allocator(x, x_key, shape, order, each, stream) for each in types]
    _choose_call(plan, kind, given, flags, types[-1], BYTES[given.dtype] * product(rest))
    return plan


def _choose_call(plan: Plan, kind: str, x: Described, flags: Described | None, places: str,
                 element_bytes: int) -> None:
    """The library's function, and what packs its operands."""
    flag_kind = flags and (_library.FLAG_BITS if flags.dtype == "uint32" else _library.FLAG_BYTES)
    code, place_code = CODES[x.dtype], CODES[places]
    if kind in ("unique", "runs"):
        number = _library.UNIQUE if kind == "unique" else _library.RUNS
        if not _library.scan_is_held(plan.place, number, code, place_code, 0):
            raise ScanTypeError(f"this build of the library holds no {kind} of {x.dtype}")
        length_type = place_code if kind == "runs" else 0
        plan.function = _library.scan_unique if kind == "unique" else _library.scan_runs
        plan.shape = lambda at, _, out, lengths=0: _library.pack_runs(_library.RUNS_SIZE, at, out, lengths, code,
                                                                      length_type)
    elif kind == "indices":
        plan.function = _library.scan_indices
        plan.shape = lambda at, _, out: _library.pack_indices(_library.INDICES_SIZE, at, out, flag_kind,
                                                              place_code)
    else:
        if element_bytes not in _ELEMENT_BYTES:
            raise ScanTypeError(f"elements of x have {element_bytes} bytes; those of "
                                f"{', '.join(map(str, _ELEMENT_BYTES))} are moved")
        plan.function = _library.scan_select if kind == "select" else _library.scan_partition
        plan.shape = lambda at, flags_at, out, rejected=0: _library.pack_select(
            _library.SELECT_SIZE, at, flags_at, out, rejected, flag_kind, element_bytes)


def _rest(name: str, given: Described, may_be_rows: bool) -> tuple[int, ...]:
    """What of a shape is behind the first dimension. Raises for what is no line of elements."""
    if not given.shape or (len(given.shape) > 1 and not may_be_rows):
        raise ScanValueError(f"{name} has {len(given.shape)} dimensions, and one is wanted")
    if not is_dense(given.shape, given.strides, range(len(given.shape))):
        raise ScanValueError(f"{name} has strides {tuple(given.strides)}; elements without gaps are wanted")
    return tuple(given.shape[1:])


def _check_out(out: Described, dtype: str, rest: tuple[int, ...], first: Described, device: int) -> None:
    if out.dtype != dtype:
        raise ScanTypeError(f"out is of {out.dtype}, and {dtype} is written")
    if not out.shape or tuple(out.shape[1:]) != rest or out.shape[0] != first.shape[0]:
        raise ScanValueError(f"out has shape {tuple(out.shape)}, and {(first.shape or (0,))[0], *rest} is wanted")
    _rest("out", out, True)
    check_device("out", out, device)


def _whole(name: str, number: Any, most: int = (1 << 63) - 1) -> int:
    if not hasattr(number, "__index__") or type(number).__name__ in ("bool", "bool_"):
        raise ScanTypeError(f"{name} is {number!r}; a whole number is wanted")
    if not 0 <= number.__index__() <= most:
        raise ScanValueError(f"{name} is {number}, which is not from 0 to {most}")
    return number.__index__()
