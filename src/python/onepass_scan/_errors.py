"""The library's status as exceptions."""
from __future__ import annotations

INVALID_VALUE, MEMORY, NOT_SUPPORTED = 1, 2, 801  # of cudaError_t


class ScanError(RuntimeError):
    """What the library refused or CUDA returned.

    ``code`` is the ``cudaError_t``; ``index`` the entry of the offsets that the message is about, or -1.
    """

    def __init__(self, message: str, code: int = INVALID_VALUE, index: int = -1) -> None:
        super().__init__(message)
        self.code, self.index = code, index


class ScanValueError(ScanError, ValueError):
    """An argument is wrong: nothing has been enqueued or written."""


class ScanTypeError(ScanError, TypeError):
    """A combination of types and operator that the library does not hold, or no array at all."""


class ScanMemoryError(ScanError, MemoryError):
    """There is no memory for the tile states."""


_BY_CODE = {INVALID_VALUE: ScanValueError, MEMORY: ScanMemoryError, NOT_SUPPORTED: ScanTypeError}


def error_of(code: int, message: str, index: int) -> ScanError:
    """The exception for a status, to be raised by the caller."""
    if index >= 0:
        message = message.replace("; i is the status's index", f" (i = {index})")
    return _BY_CODE.get(code, ScanError)(message, code, index)
