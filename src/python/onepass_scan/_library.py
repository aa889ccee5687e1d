"""libscan_c.so and what its functions are given.

Structs are packed into ``bytes``, which cannot change: one that was packed for one call serves the next,
in whatever thread, and costs less than a ctypes.Structure does.
"""
from __future__ import annotations

import ctypes
import os
import pathlib
import struct

from ._errors import error_of

ENVIRONMENT = "ONEPASS_SCAN_LIBRARY"  # where to load the library from, in place of the package's own
INTERFACE = 2  # minor version of the library (0.2) whose header these structs are of, before 1.0

SEQUENCE, TENSOR, SEGMENTS, KEYS, RECURRENCE = range(5)  # scan_kind
UNIQUE, RUNS = 9, 10                                     # likewise
DEVICE, HOST = range(2)                                  # scan_place
FACTOR_A_STEP, ONE_FACTOR, FACTOR_A_SEQUENCE = range(3)  # scan_factors
FLAG_BYTES, FLAG_BITS = 5, 6                             # scan_key_kind
KEY_KINDS = {1: 1, 2: 2, 4: 3, 8: 4}                     # by the bytes of a key
ALGORITHMS = {"automatic": 0, "wave": 1, "look_back": 2, "ring": 3, "walk": 4}
OPERATORS = {"sum": 0, "plus": 0, "prod": 1, "multiplies": 1, "min": 2, "minimum": 2, "max": 3, "maximum": 3,
             "and": 4, "bit_and": 4, "or": 5, "bit_or": 5, "xor": 6, "bit_xor": 6}

# The structs of c.h, each of which begins with its own size.
_OPERANDS = struct.Struct("@NPPiiii")            # input, output, both types, operator, exclusive
_RECURRENCE = struct.Struct("@NPPPiiii")         # a, b, h, type, 0, factors, output type
_GRADIENT = struct.Struct("@NPPPPPPPii")         # a, h, grad_h, grad_a, grad_b, grad_total, grad_init, type
_EXTENTS = struct.Struct("@Nqqqqq")              # outer, length, inner, in_pitch, out_pitch
_SEGMENTS = struct.Struct("@NPqqii")             # offsets, their number less 1, num_items, type
_KEYS = struct.Struct("@NPii")                   # keys, kind
_OPTIONS = struct.Struct("@NiiiiiiPPPPPPPP")     # place .. algorithm, stream .. allocator_context
_SELECT = struct.Struct("@NPPPPii")              # input, flags, output, rejected, kind of flags, bytes
_INDICES = struct.Struct("@NPPii")               # flags, output, kind of flags, output type
_RUNS = struct.Struct("@NPPPii")                 # input, output, lengths, type, their type
_COMPACTION_OPTIONS = struct.Struct(_OPTIONS.format + "PPq")  # count, known_n, capacity
_NEEDS = struct.Struct("@NqPii")                 # max_items, extents, max_element_bytes, algorithm
OPERANDS_SIZE, RECURRENCE_SIZE, OPTIONS_SIZE = _OPERANDS.size, _RECURRENCE.size, _OPTIONS.size
SELECT_SIZE, INDICES_SIZE, RUNS_SIZE = _SELECT.size, _INDICES.size, _RUNS.size
COMPACTION_OPTIONS_SIZE = _COMPACTION_OPTIONS.size
# Where the caller says the size: one call less.
pack_operands, pack_recurrence, pack_all_options = _OPERANDS.pack, _RECURRENCE.pack, _OPTIONS.pack
pack_select, pack_indices, pack_runs = _SELECT.pack, _INDICES.pack, _RUNS.pack
pack_compaction_options = _COMPACTION_OPTIONS.pack


def pack_gradient(*operands: int) -> bytes:
    return _GRADIENT.pack(_GRADIENT.size, *operands, 0)


def pack_extents(outer: int, length: int, inner: int, in_pitch: int, out_pitch: int) -> bytes:
    return _EXTENTS.pack(_EXTENTS.size, outer, length, inner, in_pitch, out_pitch)


def pack_segments(offsets: int, num_segments: int, num_items: int, offset_type: int) -> bytes:
    return _SEGMENTS.pack(_SEGMENTS.size, offsets, num_segments, num_items, offset_type, 0)


def pack_keys(keys: int, kind: int) -> bytes:
    return _KEYS.pack(_KEYS.size, keys, kind, 0)


def pack_options(place: int, threads: int, reverse: bool, complete: bool, algorithm: int, stream: int,
                 workspace: int = 0, init: int = 0, init_pointer: int = 0, total: int = 0) -> bytes:
    return _OPTIONS.pack(_OPTIONS.size, place, threads, reverse, complete, algorithm, 0, stream, workspace,
                         init, init_pointer, total, 0, 0, 0)


class Status(ctypes.Structure):
    """scan_status."""

    _fields_ = [("code", ctypes.c_int32), ("index", ctypes.c_int64), ("message", ctypes.c_char_p)]


def raise_for(status: Status) -> None:
    """The exception for a status that is no success."""
    raise error_of(status.code, status.message.decode(errors="replace"), status.index)


def _load() -> ctypes.CDLL:
    beside = pathlib.Path(__file__).with_name("libscan_c.so")
    # Beside the package, else where the loader looks: `meson install` puts it into libdir.
    path = os.environ.get(ENVIRONMENT) or (str(beside) if beside.exists() else "libscan_c.so.0")
    try:
        return ctypes.CDLL(path)
    except OSError as problem:
        raise ImportError(f"onepass_scan cannot load its library, {path}: {problem} "
                          f"({ENVIRONMENT} in the environment names another)") from problem


def _declare(name: str, result: object, *arguments: object):
    function = getattr(lib, name)
    function.restype, function.argtypes = result, arguments
    return function


lib = _load()
_pointer = ctypes.c_void_p
scan_sequence = _declare("scan_sequence", Status, _pointer, ctypes.c_int64, _pointer)
scan_tensor = _declare("scan_tensor", Status, _pointer, _pointer, _pointer)
scan_segmented = _declare("scan_segmented", Status, _pointer, _pointer, _pointer)
scan_by_key = _declare("scan_by_key", Status, _pointer, _pointer, ctypes.c_int64, _pointer)
scan_recurrence = _declare("scan_recurrence", Status, _pointer, _pointer, _pointer)
scan_recurrence_gradient = _declare("scan_recurrence_gradient", Status, _pointer, _pointer, _pointer)
scan_select = _declare("scan_select", Status, _pointer, ctypes.c_int64, _pointer)
scan_partition = _declare("scan_partition", Status, _pointer, ctypes.c_int64, _pointer)
scan_indices = _declare("scan_indices", Status, _pointer, ctypes.c_int64, _pointer)
scan_unique = _declare("scan_unique", Status, _pointer, ctypes.c_int64, _pointer)
scan_runs = _declare("scan_runs", Status, _pointer, ctypes.c_int64, _pointer)
scan_check_segments = _declare("scan_check_segments", Status, _pointer, ctypes.c_int32, _pointer)
scan_is_held = _declare("scan_is_held", ctypes.c_int32, *[ctypes.c_int32] * 5)
_workspace_create = _declare("scan_workspace_create", Status, _pointer, ctypes.POINTER(_pointer))
_workspace_destroy = _declare("scan_workspace_destroy", None, _pointer)
_workspace_bytes = _declare("scan_workspace_bytes", ctypes.c_size_t, _pointer)
_version = _declare("scan_version", ctypes.c_int32)
_version_string = _declare("scan_version_string", ctypes.c_char_p)

if not INTERFACE * 100 <= _version() < (INTERFACE + 1) * 100:
    raise ImportError(f"onepass_scan is for version 0.{INTERFACE} of the library, and "
                      f"{lib._name} is {_version_string().decode()}")


def library_version() -> str:
    """The version of the library that is loaded, as ``"0.2.0"``."""
    return _version_string().decode()


class Workspace:
    """Device memory for tile states, to be kept between calls: for one call in flight at a time.

    Without one a call allocates what it needs in the order of its stream (cudaMallocAsync).

    Args:
        max_items: elements of the largest call; or 0 with ``extents``.
        extents: (outer, length, inner) of the largest tensor, the axis scanned in the middle.
        max_element_bytes: of input, output and init.

    It is made on the current device. Raises ScanError where that cannot be.
    """

    def __init__(self, max_items: int = 0, *, extents: tuple[int, int, int] | None = None,
                 max_element_bytes: int = 8) -> None:
        self._handle, self.max_items = _pointer(), max_items
        shape = ctypes.create_string_buffer(pack_extents(*extents, 0, 0)) if extents else None
        needs = _NEEDS.pack(_NEEDS.size, max_items, ctypes.addressof(shape) if shape else 0,
                            max_element_bytes, 0)
        status = _workspace_create(needs, ctypes.byref(self._handle))
        if status.code:
            raise_for(status)

    @property
    def handle(self) -> int:
        """The ``scan_workspace*``."""
        if not self._handle:
            raise ValueError("the workspace is closed")
        return self._handle.value

    @property
    def num_bytes(self) -> int:
        """Bytes of device memory that it holds."""
        return _workspace_bytes(self._handle)

    def close(self) -> None:
        """Gives the memory back; once all calls that were given it are through."""
        handle, self._handle = self._handle, _pointer()
        _workspace_destroy(handle)

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self.close()
