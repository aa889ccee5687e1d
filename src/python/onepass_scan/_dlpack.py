"""What is behind a DLPack capsule, in both of its versions."""
from __future__ import annotations

import ctypes
import struct

from ._errors import ScanTypeError
from ._layout import contiguous_strides

CPU, CUDA, CUDA_HOST, CUDA_MANAGED = 1, 2, 3, 13  # DLDeviceType
_IS_READ_ONLY = 1                                 # of a versioned tensor's flags

# DLTensor: data, device, ndim, dtype, shape, strides, byte_offset; before it, of versioned ones, what
# DLManagedTensorVersioned begins with: version, manager_ctx, deleter, flags.
_TENSOR = struct.Struct("@PiiiBBHPPQ")
_VERSIONED = struct.Struct("@IIPPQPiiiBBHPPQ")
_TensorBytes, _VersionedBytes = ctypes.c_char * _TENSOR.size, ctypes.c_char * _VERSIONED.size
_NUMBERS = [ctypes.c_int64 * ndim for ndim in range(65)]
_TYPES = {(0, 8): "int8", (0, 16): "int16", (0, 32): "int32", (0, 64): "int64",
          (1, 8): "uint8", (1, 16): "uint16", (1, 32): "uint32", (1, 64): "uint64",
          (2, 16): "float16", (2, 32): "float32", (2, 64): "float64", (4, 16): "bfloat16", (6, 8): "bool"}

# (Not attributes of ctypes.pythonapi, which are everybody's: others say other types of theirs.)
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_IsValid", ctypes.pythonapi))
_get_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi))


def read(capsule: object) -> tuple[int, bool, str, tuple[int, ...], tuple[int, ...]]:
    """(address, whether it is read-only, dtype, shape, strides in elements) of what a capsule holds.

    Raises ScanTypeError for what is no capsule of DLPack, or of elements that the library has not.
    """
    flags = 0
    if _is_valid(capsule, b"dltensor_versioned"):
        held = _VersionedBytes.from_address(_get_pointer(capsule, b"dltensor_versioned"))
        (major, minor, _, _, flags, data, _, _, ndim, code, bits, lanes, shape_at, strides_at,
         offset) = _VERSIONED.unpack(held)
        if major != 1:
            raise ScanTypeError(f"a DLPack tensor of version {major}.{minor}: 1 is known here")
    elif _is_valid(capsule, b"dltensor"):
        held = _TensorBytes.from_address(_get_pointer(capsule, b"dltensor"))
        data, _, _, ndim, code, bits, lanes, shape_at, strides_at, offset = _TENSOR.unpack(held)
    else:
        raise ScanTypeError(f"__dlpack__ returned {capsule!r}, which is no DLPack capsule, or a used one")
    dtype = _TYPES.get((code, bits))
    if dtype is None or lanes != 1:
        raise ScanTypeError(f"DLPack elements of code {code}, {bits} bits and {lanes} lanes are none that "
                            "the library scans")
    shape = strides = ()
    if ndim > 0:
        shape = tuple(_NUMBERS[ndim].from_address(shape_at))
        strides = (tuple(_NUMBERS[ndim].from_address(strides_at)) if strides_at
                   else contiguous_strides(shape, range(ndim)))
    return data + offset, bool(flags & _IS_READ_ONLY), dtype, shape, strides
