"""torch.Tensor without capsules. Loaded where torch has been."""
from __future__ import annotations

import torch
from torch.autograd import forward_ad

from ._adapters import Described, stream_number
from ._errors import ScanTypeError, ScanValueError
from ._layout import contiguous_strides, is_dense
from ._types import CODES

_DTYPES = {getattr(torch, name): name for name in CODES if hasattr(torch, name)}
BY_NAME = {name: dtype for dtype, name in _DTYPES.items()}
# The number of the current stream, without an object for it.
_raw_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None) or (
    lambda device: torch.cuda.current_stream(device).cuda_stream)
_grad_is_on = torch.is_grad_enabled
_increment_version = torch.autograd.graph.increment_version


def has_tangent(x):
    """Whether forward-mode differentiation is under way, and x takes part in it."""
    return forward_ad._current_level >= 0 and forward_ad.unpack_dual(x).tangent is not None


class TorchArrays:
    """Tensors on the CPU and on CUDA devices."""

    address = torch.Tensor.data_ptr

    @staticmethod
    def open(x, stream, write=False):
        if x.requires_grad and _grad_is_on():
            raise ScanValueError("the tensor requires a gradient, which this call does not record: "
                                 "onepass_scan.torch does, or pass x.detach()")
        if has_tangent(x):
            raise ScanValueError("the tensor has a tangent, and no call here has forward-mode derivatives")
        if write and not x.is_inference():
            _increment_version(x)  # so that autograd sees a saved tensor that has been written
        device = x.device
        if stream is None:
            stream = _raw_stream(device.index) if x.is_cuda else 0
        elif type(stream) is not int:
            stream = stream_number(stream)
        return (x.dtype, x.shape, x.stride(), device, x.is_neg()), x.data_ptr(), stream, None

    @staticmethod
    def describe(key):
        dtype, shape, strides, device, is_negated = key
        if device.type not in ("cpu", "cuda"):
            raise ScanTypeError(f"a tensor on device {device}: the library scans on the CPU and on CUDA "
                                "devices")
        if dtype not in _DTYPES:
            raise ScanTypeError(f"dtype {dtype} is none that the library scans: {', '.join(CODES)}")
        if is_negated:
            raise ScanTypeError("a tensor that is to be negated when it is read: pass x.resolve_neg()")
        return Described(_DTYPES[dtype], tuple(shape), strides, -1 if device.type == "cpu" else device.index)

    @staticmethod
    def allocator(x, key, shape, order, dtype, stream):
        if dtype not in BY_NAME:
            raise ScanTypeError(f"this torch has no {dtype}")
        dtype, device = BY_NAME[dtype], key[3]
        strides = contiguous_strides(shape, order)
        alike = dtype == key[0] and tuple(shape) == tuple(key[1]) and is_dense(shape, key[2], order)
        if alike and strides == tuple(key[2]):
            allocate = torch.empty_like  # half the time of the other, and the same strides
        else:
            def allocate(x):
                return torch.empty_strided(shape, strides, dtype=dtype, device=device)
        if device.type == "cpu":
            return allocate

        def allocate_for_stream(x):
            # torch hands memory out by streams: what another one may still be using is not ours. (Which one
            # is current is asked in each call: the plan is kept for the stream's number alone.)
            if stream == _raw_stream(device.index):
                return allocate(x)
            with torch.cuda.stream(torch.cuda.ExternalStream(stream, device=device)):
                return allocate(x)

        return allocate_for_stream

    @staticmethod
    def dense(x, stream):
        if not x.is_cuda or stream == _raw_stream(x.device.index):
            return x.clone(memory_format=torch.contiguous_format)
        with torch.cuda.stream(torch.cuda.ExternalStream(stream, device=x.device)):
            return x.clone(memory_format=torch.contiguous_format)

    @staticmethod
    def number(x, stream):
        if not x.is_cuda or stream == _raw_stream(x.device.index):
            return x.item()
        with torch.cuda.stream(torch.cuda.ExternalStream(stream, device=x.device)):
            return x.item()
