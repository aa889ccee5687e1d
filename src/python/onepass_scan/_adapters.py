"""Which framework an array is of, and what is asked of each.

An adapter is a class with static functions:

* ``open(x, stream, write=False)``: ``(key, pointer, stream, owner)``. The key can be hashed and holds all
  that a call depends on but addresses; the stream is the number of the one to run in, the framework's
  current one where the caller gave None, 0 on the CPU; the owner keeps the memory and has to outlive the
  call.
* ``address(x)``: where an array is that the allocator has made.
* ``describe(key)``: a Described of it.
* ``allocator(x, key, shape, order, dtype, stream)``: a function of x that makes an array of this shape whose
  dimensions lie in memory in this order.
* ``number(x, stream)``: the one integer of an array of no dimensions, once the stream is through; or None.
* ``dense(x, stream)``: a copy in the order of its dimensions, made in this stream.

Nothing is imported here: who passes a tensor has imported its framework.
"""
from __future__ import annotations

import contextlib
import ctypes
import sys
from typing import NamedTuple

from ._errors import ScanTypeError
from ._types import BYTES, name_of


_byte, _address = ctypes.c_char.from_buffer, ctypes.addressof


class Described(NamedTuple):
    """An array but for its address; strides are in elements, the device -1 is the CPU."""

    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    device: int


def element_strides(strides: tuple[int, ...], shape: tuple[int, ...], dtype: str) -> tuple[int, ...]:
    """Strides in elements of those in bytes."""
    size = BYTES[dtype]
    for step, count in zip(strides, shape):
        if step % size and count > 1:
            raise ScanTypeError(f"a stride of {step} bytes is no multiple of the {size} bytes of {dtype}")
    return tuple(step // size for step in strides)


def stream_number(stream: object) -> int:
    """The ``cudaStream_t`` of what a caller gave: a number, or a stream of torch, CuPy or CUDA's own
    packages (``__cuda_stream__``)."""
    if isinstance(stream, int):
        return stream
    protocol = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        return (protocol() if callable(protocol) else protocol)[1]
    for attribute in ("cuda_stream", "ptr", "handle"):
        number = getattr(stream, attribute, None)
        if isinstance(number, int):
            return number
    raise ScanTypeError(f"stream is {stream!r}; a cudaStream_t as a number or a stream object is wanted")


def inverse(order: tuple[int, ...]) -> tuple[int, ...]:
    """The permutation that undoes this one."""
    return tuple(order.index(dim) for dim in range(len(order)))


class NumpyArrays:
    """numpy.ndarray, in the CPU's memory."""

    @staticmethod
    def open(x, stream, write=False):
        try:
            # A third of what x.ctypes.data takes; but it wants an array that may be written, without gaps.
            pointer = _address(_byte(x))
        except (TypeError, ValueError, BufferError):
            if write and not x.flags.writeable:
                raise ScanTypeError("out or total is read-only") from None
            pointer = x.ctypes.data
        return (x.dtype, x.shape, x.strides), pointer, 0 if stream is None else stream_number(stream), None

    @staticmethod
    def address(x):
        try:
            return _address(_byte(x))
        except (TypeError, ValueError, BufferError):
            return x.ctypes.data

    @staticmethod
    def describe(key):
        dtype, shape, strides = key
        name = name_of(dtype)
        return Described(name, shape, element_strides(strides, shape, name), -1)

    @staticmethod
    def allocator(x, key, shape, order, dtype, stream):
        numpy = sys.modules["numpy"]
        if dtype == name_of(key[0]):
            dtype = key[0]
        elif dtype == "bfloat16":
            raise ScanTypeError("NumPy has no bfloat16 of its own: pass out=")
        dtype, empty = numpy.dtype(dtype), numpy.empty
        if order == tuple(range(len(shape))):
            return lambda x: empty(shape, dtype)
        laid, back = tuple(shape[dim] for dim in order), inverse(order)
        return lambda x: empty(laid, dtype).transpose(back)

    @staticmethod
    def dense(x, stream):
        return x.copy(order="C")

    @staticmethod
    def number(x, stream):
        return int(x.reshape(()))


@contextlib.contextmanager
def _cupy_within(device, stream):
    """CuPy's current device and stream are these for a while, if they are not."""
    cupy = sys.modules["cupy"]
    if cupy.cuda.get_current_stream().ptr == stream and cupy.cuda.runtime.getDevice() == device:
        yield
        return
    with cupy.cuda.Device(device), cupy.cuda.ExternalStream(stream):
        yield


class CupyArrays:
    """cupy.ndarray."""

    @staticmethod
    def open(x, stream, write=False):
        data = x.data
        if stream is None:  # the array's device's: of another one, CUDA would refuse it
            stream = sys.modules["cupy"].cuda.get_current_stream(data.device_id).ptr
        elif type(stream) is not int:
            stream = stream_number(stream)
        return (x.dtype, x.shape, x.strides, data.device_id), data.ptr, stream, None

    @staticmethod
    def address(x):
        return x.data.ptr

    @staticmethod
    def describe(key):
        dtype, shape, strides, device = key
        name = name_of(dtype)
        return Described(name, shape, element_strides(strides, shape, name), device)

    @staticmethod
    def allocator(x, key, shape, order, dtype, stream):
        cupy = sys.modules["cupy"]
        dtype = key[0] if dtype == name_of(key[0]) else cupy.dtype(dtype)
        laid, back = tuple(shape[dim] for dim in order), inverse(order)
        device = key[3]

        def allocate(x):
            # On the array's device and in the call's stream, for which CuPy's pool hands it out.
            with cupy.cuda.Device(device), cupy.cuda.ExternalStream(stream):
                return cupy.empty(laid, dtype).transpose(back)

        plain = order == tuple(range(len(shape)))

        def allocate_here(x):
            if cupy.cuda.get_current_stream().ptr != stream or cupy.cuda.runtime.getDevice() != device:
                return allocate(x)
            return cupy.empty(shape, dtype) if plain else cupy.empty(laid, dtype).transpose(back)

        return allocate_here

    @staticmethod
    def dense(x, stream):
        with _cupy_within(x.data.device_id, stream):
            return x.copy(order="C")

    @staticmethod
    def number(x, stream):
        with _cupy_within(x.data.device_id, stream):
            return int(x.reshape(()).get())


def _adapter_for(kind: type) -> type | None:
    """The adapter for a type whose framework is loaded."""
    numpy, torch, cupy = map(sys.modules.get, ("numpy", "torch", "cupy"))
    if torch is not None and issubclass(kind, torch.Tensor):
        from ._torch_arrays import TorchArrays
        return TorchArrays
    if cupy is not None and issubclass(kind, cupy.ndarray):
        return CupyArrays
    if numpy is not None and issubclass(kind, numpy.ndarray):
        if issubclass(kind, numpy.ma.MaskedArray):
            raise ScanTypeError("a numpy.ma.MaskedArray would be scanned without its mask: pass its .data, "
                                "or .filled(value)")
        return NumpyArrays
    return None


ADAPTERS: dict[type, type] = {}  # by the type of arrays seen before


def adapter_of(x: object) -> type:
    """The adapter for an array. Raises ScanTypeError for what is none."""
    kind = type(x)
    adapter = ADAPTERS.get(kind) or _adapter_for(kind)
    if adapter is None:
        from ._foreign_arrays import CudaInterface, DlpackArrays
        if hasattr(x, "__dlpack__") and hasattr(x, "__dlpack_device__"):
            adapter = DlpackArrays
        elif hasattr(x, "__cuda_array_interface__"):
            adapter = CudaInterface
        else:
            raise ScanTypeError(f"{kind.__module__}.{kind.__qualname__} is no array: one of NumPy, torch or "
                                "CuPy is wanted, or what has __dlpack__ or __cuda_array_interface__")
    ADAPTERS[kind] = adapter
    return adapter
