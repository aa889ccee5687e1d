"""Element types, by the names that NumPy gives them, and values of these in memory."""
from __future__ import annotations

import ctypes
import numbers
import operator
import struct

from ._errors import ScanTypeError, ScanValueError

CODES = {"int8": 1, "int16": 2, "int32": 3, "int64": 4, "uint8": 5, "uint16": 6, "uint32": 7, "uint64": 8,
         "float32": 9, "float64": 10, "float16": 11, "bfloat16": 12, "bool": 13}  # scan_type
BYTES = {"int8": 1, "int16": 2, "int32": 4, "int64": 8, "uint8": 1, "uint16": 2, "uint32": 4, "uint64": 8,
         "float32": 4, "float64": 8, "float16": 2, "bfloat16": 2, "bool": 1}
_FORMATS = {"int8": "b", "int16": "h", "int32": "i", "int64": "q", "uint8": "B", "uint16": "H",
            "uint32": "I", "uint64": "Q", "bool": "?"}
FLOATS = {"float16", "bfloat16", "float32", "float64"}
_ALIASES = {"bool_": "bool", "half": "float16", "float": "float64", "int": "int64", "double": "float64",
            "single": "float32"}


def name_of(dtype: object) -> str:
    """The name of a dtype that a caller gave: a string, a Python type, or one of NumPy's, CuPy's, torch's
    or JAX's. Raises ScanTypeError where the library knows no such type."""
    if isinstance(dtype, str):
        name = dtype
    elif isinstance(dtype, type):
        name = dtype.__name__  # int, numpy.float32, jax.numpy.float32
    else:
        name = getattr(dtype, "name", None) or str(dtype).removeprefix("torch.")
        if not getattr(dtype, "isnative", True):
            raise ScanTypeError(f"dtype {dtype!r} is not in this machine's byte order")
    name = _ALIASES.get(name, name)
    if name not in CODES:
        raise ScanTypeError(f"dtype {dtype!r} is none that the library scans: {', '.join(CODES)}")
    return name


def default_output(input_type: str, op: int, counts: tuple[int, ...] = (0, 1)) -> str:
    """The output's type where the caller does not say: the input's; of bools that are added up int64."""
    return "int64" if input_type == "bool" and op in counts else input_type


_OTHER_SCALARS = ("bool", "bool_", "bfloat16")  # of NumPy's scalars those that are no numbers.Number


def is_scalar(value: object) -> bool:
    """Whether it is one number, of Python or NumPy, and no array."""
    kind = type(value)
    return (kind is float or kind is int or isinstance(value, numbers.Number)
            or kind.__name__ in _OTHER_SCALARS)


def _bfloat16_bits(value: float) -> int:
    try:
        bits = struct.unpack("<I", struct.pack("<f", value))[0]
    except OverflowError:
        bits = 0x7F800000 | (0x80000000 if value < 0 else 0)
    if bits & 0x7FFFFFFF > 0x7F800000:
        return bits >> 16 | 0x40  # a NaN stays one
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def value_in_memory(value: object, name: str) -> object:
    """One value of a type, as an object of ctypes, for ``options.init``. Raises where the type does not hold
    it: integers are not wrapped, and floats are not cut off to integers."""
    if name in FLOATS:
        try:
            number = float(value)
        except TypeError:
            raise ScanTypeError(f"init is {value!r}, and the output is of {name}") from None
        except OverflowError:  # an integer past the largest double; as for floats, which become infinite
            number = float("inf") if value > 0 else float("-inf")
        if name == "float32":
            return ctypes.c_float(number)  # (what is too large becomes infinite)
        if name == "float64":
            return ctypes.c_double(number)
        if name == "bfloat16":
            return ctypes.c_uint16(_bfloat16_bits(number))
        try:
            return ctypes.c_uint16.from_buffer_copy(struct.pack("@e", number))
        except OverflowError:
            return ctypes.c_uint16(0x7C00 if number > 0 else 0xFC00)
    try:
        if name == "bool" and not (value == 0 or value == 1):
            raise ScanValueError(f"init is {value!r}, which bool does not hold")
        integer = bool(value) if name == "bool" else operator.index(value)
        packed = struct.pack("@" + _FORMATS[name], integer)
    except TypeError:
        raise ScanTypeError(f"init is {value!r}, and the output is of {name}") from None
    except struct.error:
        raise ScanValueError(f"init is {value!r}, which {name} does not hold") from None
    return ctypes.create_string_buffer(packed, len(packed))
