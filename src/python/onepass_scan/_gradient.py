"""The gradient of a linear recurrence."""
from __future__ import annotations

from typing import Any

from . import _library
from ._adapters import ADAPTERS, adapter_of
from ._errors import ScanTypeError, ScanValueError
from ._layout import LayoutError, axis_number, extents_of
from ._library import pack_gradient
from ._plans import Plan, Plans, Sides, check_device, order_without, without
from ._types import CODES, FLOATS

_plans = Plans()


def recurrence_gradient(a: Any, h: Any, grad_h: Any, axis: int = -1, init: Any = None, reverse: bool = False,
                        grad_state: Any = None, return_grad_init: Any = False, out: tuple | None = None,
                        stream: Any = None, *, copy: bool = False, threads: int = 0,
                        workspace: _library.Workspace | None = None) -> tuple:
    """The gradients of a and b of ``h = recurrence(a, b, axis, init, reverse)``, in one pass over memory.

    Args:
        a, h, grad_h: what it read and wrote, and the gradient of that: arrays of one shape and type, and strides
            that are alike.
        axis, init, reverse: as they were there.
        grad_state: the gradient of the last states, an array as of init; or None.
        return_grad_init: True, or an array as of init: gets the gradient of init. The grad_state of the chunk
            before it, where chunks chain.
        out: where to write, two arrays; the second may be grad_h.

    Returns:
        (grad_a, grad_b), or (grad_a, grad_b, grad_init).

    Past a factor of exactly 0 nothing flows back. What is not said here is as of ``recurrence``.
    """
    adapter = ADAPTERS.get(type(h)) or adapter_of(h)
    h_key, h_at, stream, h_owner = adapter.open(h, stream)
    a_adapter = ADAPTERS.get(type(a)) or adapter_of(a)
    a_key, a_at, _, a_owner = a_adapter.open(a, stream)
    g_adapter = ADAPTERS.get(type(grad_h)) or adapter_of(grad_h)
    g_key, g_at, _, g_owner = g_adapter.open(grad_h, stream)
    if type(axis) is not int:
        axis = axis_number(axis)
    outs = [(ADAPTERS.get(type(each)) or adapter_of(each)).open(each, stream, True) for each in out or ()]
    key = (a_key, h_key, g_key, axis, reverse, stream, threads, *(each[0] for each in outs))
    plan = _plans.get(key)
    if plan is None:
        try:
            written = [adapter_of(each).describe(opened[0]) for each, opened in zip(out or (), outs)]
            plan = _plans.keep(key, _plan(adapter, h, h_key, a_adapter.describe(a_key), g_adapter.describe(g_key),
                                          written, axis, reverse, stream, threads))
        except LayoutError:
            if not copy:
                raise
            return recurrence_gradient(a_adapter.dense(a, stream), adapter.dense(h, stream),
                                       g_adapter.dense(grad_h, stream), axis, init, reverse, grad_state,
                                       return_grad_init, out, stream, threads=threads, workspace=workspace)
    if out is None:
        grad_a, grad_b = plan.allocate(h), plan.allocate(h)
        addresses = adapter.address(grad_a), adapter.address(grad_b)
    else:
        grad_a, grad_b = out
        addresses = [each[1] for each in outs]
    state_at, state_owner = (0, None) if grad_state is None else plan.values("grad_state", grad_state, False)
    init_at, of_init, init_owner = plan.values_wanted("grad_init", return_grad_init, h)
    operands = pack_gradient(a_at, h_at, g_at, *addresses, state_at, init_at, plan.codes)
    if init is None and workspace is None:
        plan.call(operands, plan.shape, plan.options)
    else:
        options, _, owners = plan.options_with(h, init, None, workspace)
        plan.call(operands, plan.shape, options)
    return (grad_a, grad_b) if of_init is None else (grad_a, grad_b, of_init)


def _plan(adapter: type, h: Any, h_key: Any, a: Any, grad_h: Any, outs: list, axis: Any, reverse: bool,
          stream: int, threads: int) -> Plan:
    given = adapter.describe(h_key)
    types = [each.dtype for each in (a, given, grad_h, *outs)]
    if given.dtype not in FLOATS or len(set(types)) > 1:
        raise ScanTypeError(f"a recurrence's gradient is of one floating-point type; given are {', '.join(types)}")
    sides = Sides(given, axis, False, "h")
    outer, length, inner, pitch = sides.read
    for name, each in (("a", a), ("grad_h", grad_h)):
        if tuple(each.shape) != tuple(given.shape):
            raise ScanValueError(f"{name} has shape {tuple(each.shape)}, and h {tuple(given.shape)}")
        check_device(name, each, given.device)
        lies = extents_of(name, each.shape, each.strides, sides.axis, sides.order)
        if outer > 1 and lies.pitch != pitch:
            raise LayoutError(f"{name} has strides {each.strides}, and h {given.strides}: all have one pitch; "
                              "copy=True copies them first")
    pitches = [sides.of_output(each).pitch for each in outs] or [0]
    if outer > 1 and len(set(pitches)) > 1:
        raise LayoutError("out: both have one pitch")
    plan = Plan()
    plan.choose_place(given.device, stream, threads, reverse, False, "automatic")
    plan.codes = CODES[given.dtype]
    plan.function = _library.scan_recurrence_gradient
    plan.shape = _library.pack_extents(outer, length, inner, pitch, pitches[0])
    plan.allocate = adapter.allocator(h, h_key, sides.out_shape, sides.order, given.dtype, stream)
    plan.choose_values("float64" if given.dtype == "float64" else "float32", without(given.shape, sides.axis),
                       order_without(sides.order, sides.axis), adapter, h_key)
    return plan
