"""Operators of JAX, for ``jit``, ``vmap`` and ``grad``, by XLA's foreign function interface.

The handlers are functions of Python, which XLA calls through its C interface (xla/ffi/api/c_api.h of jaxlib,
version 0.x) and which call the library: some 10 us of the host, and Python's lock, each time they are run.
"""
from __future__ import annotations

import ctypes
import functools
import pathlib
import re
import struct
from typing import Any

import jax
import jax.numpy as jnp

from . import _library
from ._errors import ScanTypeError, ScanValueError
from ._layout import normal_axis, product
from ._plans import check_held, held_operator, operator_code
from ._types import CODES, FLOATS, default_output, name_of

__all__ = ["cumsum", "recurrence", "scan"]

# ---- XLA's structs, of which each begins with its size and a pointer to extensions ----
_FRAME = struct.Struct("@NPPPi4xNPqPPNPqPPNPqPPP")  # api, context, stage; arguments, results, attributes
_BUFFER = struct.Struct("@NPi4xPqP")                # dtype, data, rank, dims
_EXTENSION = struct.Struct("@NiP")                  # type, next; of metadata a pointer to these
_METADATA, _EXECUTE = 1, 3                          # a type of extension, a stage
_MAJOR_AT = 24                                      # the interface's version, in metadata
_ERROR_CREATE_AT, _STREAM_GET_AT = 48, 80           # functions in the api
_INVALID_ARGUMENT, _INTERNAL = 3, 13                # codes of errors
_Handler = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
_Function = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)


def _version() -> tuple[int, int]:
    """What this jaxlib's header says; of version 0 nothing is used that 0.1 had not."""
    header = (pathlib.Path(jax.ffi.include_dir()) / "xla/ffi/api/c_api.h").read_text()
    major, minor = (int(re.search(rf"define XLA_FFI_API_{part} (\d+)", header)[1])
                    for part in ("MAJOR", "MINOR"))
    if major != 0:
        raise ImportError(f"onepass_scan.jax knows version 0 of XLA's interface; jaxlib's is {major}.{minor}")
    return major, minor


_VERSION = _version()


def _pointer_at(address: int) -> int:
    return ctypes.c_void_p.from_address(address).value


def _unpack(layout: struct.Struct, address: int) -> tuple:
    return layout.unpack(ctypes.string_at(address, layout.size))


def _buffers(count: int, addresses: int) -> list[tuple[int, tuple[int, ...]]]:
    """(address, shape) of each."""
    found = []
    for address in (ctypes.c_void_p * count).from_address(addresses) if count else ():
        _, _, _, data, rank, dims = _unpack(_BUFFER, address)
        found.append((data or 0, tuple((ctypes.c_int64 * rank).from_address(dims)) if rank else ()))
    return found


def _error(api: int, message: str, code: int) -> int:
    text = ctypes.create_string_buffer(message.encode())
    arguments = ctypes.create_string_buffer(struct.pack("@NPPi4x", 28, 0, ctypes.addressof(text), code))
    return _Function(_pointer_at(api + _ERROR_CREATE_AT))(ctypes.addressof(arguments))


def _stream(api: int, context: int) -> int:
    arguments = ctypes.create_string_buffer(struct.pack("@NPPP", 32, 0, context, 0))
    if _Function(_pointer_at(api + _STREAM_GET_AT))(ctypes.addressof(arguments)):
        raise RuntimeError("XLA names no stream")
    return struct.unpack_from("@P", arguments.raw, 24)[0]


def _handle(place: int, frame: int) -> int | None:
    """XLA_FFI_Handler: null, or an error that XLA destroys."""
    (_, extension, api, context, stage, _, _, num_inputs, _, inputs, _, _, num_outputs, _, outputs,
     _, _, _, _, _, attributes) = _unpack(_FRAME, frame)
    if extension and _unpack(_EXTENSION, extension)[1] == _METADATA:
        # What it asks for first: the version that the handler speaks.
        metadata = _pointer_at(extension + _EXTENSION.size)
        ctypes.memmove(metadata + _MAJOR_AT, struct.pack("@ii", *_VERSION), 8)
        return None
    if stage != _EXECUTE:
        return None
    try:
        span = _pointer_at(attributes)  # the only one: a string
        call = ctypes.string_at(_pointer_at(span), ctypes.c_size_t.from_address(span + 8).value)
        stream = _stream(api, context) if place == _library.DEVICE else 0
        _run(call, place, stream, _buffers(num_inputs, inputs),
             [address for address, _ in _buffers(num_outputs, outputs)])
    except BaseException as problem:  # (an interrupt, too: what is left to ctypes ends the process)
        is_wrong = isinstance(problem, ValueError)
        message = str(problem) or type(problem).__name__
        return _error(api, f"onepass_scan: {message}", _INVALID_ARGUMENT if is_wrong else _INTERNAL)
    return None


def _run(call: bytes, place: int, stream: int, inputs: list, outputs: list) -> None:
    kind, axis, reverse, *codes = call.decode().split()
    shape = inputs[0][1]
    axis, reverse = int(axis), reverse == "True"  # (from the end: `vmap` adds dimensions in front)
    outer, length, inner = product(shape[:axis]), shape[axis], product(shape[axis:][1:])
    extents = _library.pack_extents(outer, length, inner, 0, 0)
    num_arrays = {"scan": 1, "recurrence": 2, "gradient": 3}[kind]
    init = inputs[num_arrays][0] if len(inputs) > num_arrays else 0
    options = _library.pack_options(place, 0, reverse, False, 0, stream, init_pointer=init)
    if kind == "recurrence":
        operands = _library.pack_recurrence(_library.RECURRENCE_SIZE, inputs[0][0], inputs[1][0], outputs[0],
                                            int(codes[0]), 0, _library.FACTOR_A_STEP, 0)
        status = _library.scan_recurrence(operands, extents, options)
    elif kind == "gradient":
        of_init = outputs[2] if len(outputs) == 3 else 0
        operands = _library.pack_gradient(*(address for address, _ in inputs[:3]), *outputs[:2], 0, of_init,
                                          int(codes[0]))
        status = _library.scan_recurrence_gradient(operands, extents, options)
    else:
        operands = _library.pack_operands(_library.OPERANDS_SIZE, inputs[0][0], outputs[0], *map(int, codes))
        if outer == inner == 1:  # of which the library holds more types
            status = _library.scan_sequence(operands, length, options)
        else:
            status = _library.scan_tensor(operands, extents, options)
    if status.code:
        _library.raise_for(status)


_HANDLERS = {platform: _Handler(functools.partial(_handle, place))
             for platform, place in (("cpu", _library.HOST), ("CUDA", _library.DEVICE))}  # kept alive
for _platform, _handler in _HANDLERS.items():
    jax.ffi.register_ffi_target("onepass_scan", jax.ffi.pycapsule(_handler), platform=_platform)


def _from_end(x: Any, axis: int) -> int:
    return normal_axis(axis, x.ndim) - x.ndim


def _call(call: str, results: Any, *operands: Any) -> Any:
    """`results`: what has the shape and type of the one there is, or a tuple of such."""
    wanted = jax.tree.map(lambda of: jax.ShapeDtypeStruct(of.shape, of.dtype), results)
    return jax.ffi.ffi_call("onepass_scan", wanted, vmap_method="broadcast_all")(*operands, call=call)


# ---- what is called ----
def scan(x: Any, axis: int = -1, op: str = "sum", exclusive: bool = False, reverse: bool = False) -> Any:
    """``onepass_scan.inclusive`` of a JAX array; without a gradient, which ``cumsum`` has."""
    given, code = name_of(x.dtype), operator_code(op)
    result = default_output(given, code)
    if result == "int64" != given:
        result = jax.dtypes.canonicalize_dtype("int64").name  # as jax.numpy counts bools
    code = held_operator(code, given, result)
    axis = _from_end(x, axis)
    is_one = product(x.shape) == x.shape[axis]
    check_held(_library.HOST, _library.SEQUENCE if is_one else _library.TENSOR, given, result, code,
               "one sequence" if is_one else "tensors")
    call = f"scan {axis} {bool(reverse)} {CODES[given]} {CODES[result]} {code} {int(bool(exclusive))}"
    return _call(call, jax.ShapeDtypeStruct(x.shape, getattr(jnp, "bool_" if result == "bool" else result)), x)


@functools.partial(jax.custom_vjp, nondiff_argnums=(1, 2, 3))
def _sums(x, axis, exclusive, reverse):
    return scan(x, axis, "sum", exclusive, reverse)


_sums.defvjp(lambda x, axis, exclusive, reverse: (_sums(x, axis, exclusive, reverse), None),
             lambda axis, exclusive, reverse, _, gradient: (_sums(gradient, axis, exclusive, not reverse),))


def cumsum(x: Any, axis: int = -1, exclusive: bool = False, reverse: bool = False) -> Any:
    """Running sums along an axis, of x's type (of bools int32, or int64 with x64), with a gradient."""
    return _sums(jnp.asarray(x), axis, exclusive, reverse)


@functools.partial(jax.custom_vjp, nondiff_argnums=(3, 4))
def _recur(a, b, init, axis, reverse):
    operands = (a, b) if init is None else (a, b, init)
    return _call(f"recurrence {axis} {bool(reverse)} {CODES[name_of(b.dtype)]}", b, *operands)


def _recur_forward(a, b, init, axis, reverse):
    h = _recur(a, b, init, axis, reverse)
    return h, (a, init, h)


def _recur_backward(axis, reverse, kept, gradient):
    a, init, h = kept
    if h.shape[axis] == 0:
        return jnp.zeros_like(a), jnp.zeros_like(h), None if init is None else jnp.zeros_like(init)
    inits = () if init is None else (init,)
    found = _call(f"gradient {axis} {bool(reverse)} {CODES[name_of(h.dtype)]}", (h, h, *inits), a, h, gradient,
                  *inits)
    return found[0], found[1], None if init is None else found[2]


_recur.defvjp(_recur_forward, _recur_backward)


def recurrence(a: Any, b: Any, axis: int = -1, init: Any = None, reverse: bool = False) -> Any:
    """h[i] = a[i] h[i - 1] + b[i] along an axis, with gradients of a, b and init.

    a and b are of one shape and floating-point type; init has the shape without the axis, and is float32
    where these are of 16 bits.
    """
    dtype = name_of(b.dtype)
    if dtype not in FLOATS or name_of(a.dtype) != dtype:
        raise ScanTypeError(f"a recurrence is of one floating-point type; given are {a.dtype}, {b.dtype}")
    axis = _from_end(b, axis)
    if a.shape != b.shape:
        raise ScanValueError(f"a has shape {a.shape}, and b {b.shape}")
    if init is not None:
        shape, wanted = b.shape[:axis] + b.shape[axis:][1:], "float64" if dtype == "float64" else "float32"
        init = jnp.asarray(init)
        if init.shape != shape or name_of(init.dtype) != wanted:
            raise ScanValueError(f"init is {init.dtype} of shape {init.shape}; {wanted} of {shape} is wanted")
    return _recur(a, b, init, axis, reverse)
