"""Arrays of frameworks that are not known by name: through DLPack or __cuda_array_interface__."""
from __future__ import annotations

import sys

from . import _cuda, _dlpack
from ._adapters import Described, element_strides, stream_number
from ._errors import ScanTypeError
from ._layout import contiguous_strides
from ._types import CODES

_HOST_TYPES = (_dlpack.CPU, _dlpack.CUDA_HOST)
_DEVICE_TYPES = (_dlpack.CUDA, _dlpack.CUDA_MANAGED)
_LEGACY, _PER_THREAD = 1, 2  # how both protocols call CUDA's default streams
_VERSIONLESS: set[type] = set()  # types whose __dlpack__ takes no max_version


def _capsule(x, **stream):
    if type(x) not in _VERSIONLESS:
        try:
            return x.__dlpack__(max_version=(1, 1), **stream)
        except TypeError as problem:
            if "max_version" not in str(problem):
                raise
            _VERSIONLESS.add(type(x))
    return x.__dlpack__(**stream)


def _allocator(x, key, shape, dtype):
    """By the array API's namespace of x, where arrays may be written."""
    kind = type(x)
    module = kind.__module__.partition(".")[0]
    if not hasattr(x, "__array_namespace__") or module in ("jax", "jaxlib"):
        raise ScanTypeError(f"out is missing: of {kind.__module__}.{kind.__qualname__} nothing is known that "
                            "makes an array to be written")
    namespace = x.__array_namespace__()
    return lambda x: namespace.empty(shape, dtype=getattr(namespace, dtype), device=x.device)


class DlpackArrays:
    """What has ``__dlpack__`` and ``__dlpack_device__``."""

    @staticmethod
    def open(x, stream, write=False):
        device_type, device = x.__dlpack_device__()
        if device_type in _HOST_TYPES:
            stream = 0 if stream is None else stream_number(stream)
            capsule = _capsule(x)
        elif device_type in _DEVICE_TYPES:
            # The producer makes the stream wait for what it has under way.
            stream = 0 if stream is None else stream_number(stream)
            capsule = _capsule(x, stream=stream or _LEGACY)
        else:
            raise ScanTypeError(f"a DLPack tensor on a device of type {int(device_type)}: the library scans "
                                "on the CPU and on CUDA devices")
        pointer, is_read_only, dtype, shape, strides = _dlpack.read(capsule)
        if write and (is_read_only or type(x).__module__.startswith("jax")):  # (whose capsules do not say so)
            raise ScanTypeError("out or total is read-only")
        # The capsule owns the memory: it calls its deleter when it goes, as long as nobody renames it.
        where = -1 if device_type in _HOST_TYPES else device
        return (dtype, shape, strides, where, type(x)), pointer, stream, capsule  # (the type: see allocator)

    @staticmethod
    def address(x):
        return DlpackArrays.open(x, None, True)[1]  # (which x owns)

    @staticmethod
    def describe(key):
        return Described(*key[:4])

    @staticmethod
    def allocator(x, key, shape, order, dtype, stream):
        if order != tuple(range(len(shape))):
            raise ScanTypeError("out is missing: x does not lie in memory in the order of its dimensions")
        return _allocator(x, key, shape, dtype)

    number = None  # (nothing says how to wait)

    @staticmethod
    def dense(x, stream):
        raise ScanTypeError("copy=True wants an array of NumPy, torch or CuPy")


class CudaInterface:
    """What has ``__cuda_array_interface__`` (version 3, or 2 without a stream) alone."""

    @staticmethod
    def open(x, stream, write=False):
        interface = x.__cuda_array_interface__
        pointer, is_read_only = interface["data"]
        if write and is_read_only:
            raise ScanTypeError("out or total is read-only")
        if interface.get("mask") is not None:
            raise ScanTypeError("an array with a mask would be scanned without it")
        shape = tuple(interface["shape"])
        dtype = _type_of(interface["typestr"])
        strides = interface.get("strides")
        strides = (contiguous_strides(shape, range(len(shape))) if strides is None
                   else element_strides(tuple(strides), shape, dtype))
        theirs = interface.get("stream")
        if theirs == 0:
            raise ScanTypeError("__cuda_array_interface__ has a stream of 0, which version 3 does not allow")
        device = _cuda.device_of(pointer) if pointer else _cuda.current_device()
        if stream is None:
            stream = theirs or 0
        else:
            stream = stream_number(stream)
            if theirs is not None and theirs != (stream or _LEGACY):
                with _cuda.on_device(device):  # (an event is of one device, as the streams are)
                    _cuda.wait_for(stream, theirs)
        return (dtype, shape, strides, device, type(x)), pointer or 0, stream, interface

    describe = DlpackArrays.describe
    address = None  # (it allocates nothing)

    @staticmethod
    def allocator(x, key, shape, order, dtype, stream):
        raise ScanTypeError("out is missing: __cuda_array_interface__ says nothing of how to make an array")

    dense, number = DlpackArrays.dense, None


_KINDS = {"i": "int", "u": "uint", "f": "float", "b": "bool"}


def _type_of(typestr: str) -> str:
    order, kind, size = typestr[0], typestr[1], int(typestr[2:])
    name = "bool" if kind == "b" else f"{_KINDS.get(kind, kind)}{8 * size}"
    if name not in CODES or (size > 1 and order not in ("=", "<" if sys.byteorder == "little" else ">")):
        raise ScanTypeError(f"typestr {typestr!r} is none that the library scans")
    return name
