"""The few things that are asked of CUDA's driver, which is there wherever a device is.

The library's own CUDA runtime is linked into it; what a context is current in the driver it shares with
whoever else calls CUDA in the process. So a device is made the current one in the same way for every
framework, by the driver.
"""
from __future__ import annotations

import contextlib
import ctypes
import functools
from typing import Iterator

from ._errors import ScanError

_NO_CONTEXT = 201  # CUDA_ERROR_INVALID_CONTEXT: nothing of CUDA has run in this thread
_DEVICE_ORDINAL = 9  # CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
_DISABLE_TIMING = 2


@functools.lru_cache(maxsize=None)
def _driver() -> ctypes.CDLL:
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError as problem:
        raise ScanError(f"CUDA's driver is not there: {problem}", 35) from problem
    _check(driver.cuInit(0), "cuInit")
    return driver


def _check(code: int, what: str) -> None:
    if code != 0:
        raise ScanError(f"{what} failed with the driver's error {code}", code)  # (the runtime's, too)


@functools.lru_cache(maxsize=None)
def num_devices() -> int:
    """How many devices the process sees."""
    count = ctypes.c_int()
    _check(_driver().cuDeviceGetCount(ctypes.byref(count)), "cuDeviceGetCount")
    return count.value


def current_device() -> int:
    """The device that CUDA's calls of this thread are about."""
    return _device_of_context() or 0


def _device_of_context() -> int | None:
    # None in a thread without a context: the runtime would take device 0's there, the driver refuses.
    device = ctypes.c_int()
    code = _driver().cuCtxGetDevice(ctypes.byref(device))
    if code == _NO_CONTEXT:
        return None
    _check(code, "cuCtxGetDevice")
    return device.value


def device_of(pointer: int) -> int:
    """The device whose memory a pointer is to."""
    device = ctypes.c_int()
    _check(_driver().cuPointerGetAttribute(ctypes.byref(device), _DEVICE_ORDINAL, ctypes.c_uint64(pointer)),
           "cuPointerGetAttribute")
    return device.value


@functools.lru_cache(maxsize=None)
def _primary_context(device: int) -> ctypes.c_void_p:
    # (Kept for as long as the process is: so is every framework's.)
    context = ctypes.c_void_p()
    _check(_driver().cuDevicePrimaryCtxRetain(ctypes.byref(context), device), "cuDevicePrimaryCtxRetain")
    return context


@contextlib.contextmanager
def on_device(device: int) -> Iterator[None]:
    """Makes a device the current one for a while, if it is not."""
    if _device_of_context() == device:
        yield
        return
    driver = _driver()
    _check(driver.cuCtxPushCurrent_v2(_primary_context(device)), "cuCtxPushCurrent")
    try:
        yield
    finally:
        driver.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p()))


def wait_for(stream: int, other: int) -> None:
    """Has what is enqueued in `stream` from now on wait for what is in `other`."""
    driver = _driver()
    event = ctypes.c_void_p()
    _check(driver.cuEventCreate(ctypes.byref(event), _DISABLE_TIMING), "cuEventCreate")
    try:
        _check(driver.cuEventRecord(event, ctypes.c_void_p(other)), "cuEventRecord")
        _check(driver.cuStreamWaitEvent(ctypes.c_void_p(stream), event, 0), "cuStreamWaitEvent")
    finally:
        driver.cuEventDestroy_v2(event)  # (once it has taken place)
