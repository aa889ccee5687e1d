"""What the operators of torch.py and _torch_compaction.py have in common."""
from __future__ import annotations

from typing import Optional

import torch
from torch import Tensor
from torch.autograd import forward_ad

from ._torch_arrays import has_tangent


def operator(schema: str):
    """Registers a function as an operator, for the CPU and for CUDA. (`torch.library.custom_op` would do it
    in less lines, and take twice the time of a call.)"""
    name = f"onepass_scan::{schema.partition('(')[0]}"

    def register(function):
        torch.library.define(name, schema[schema.index("("):], tags=torch.Tag.pt2_compliant_tag)
        torch.library.impl(name, ("cpu", "cuda"), function)
        return getattr(torch.ops.onepass_scan, name.partition("::")[2]).default

    return register


def _never() -> bool:
    return True  # (a torch without this has to be taken for one that looks on)


# What torch answers in a fifth of a microsecond each, where an operator takes twenty to be called.
_is_compiling, _grad_is_on = torch.compiler.is_compiling, torch.is_grad_enabled
_has_modes = getattr(torch._C, "_len_torch_dispatch_stack", _never)
_has_function_modes = getattr(torch._C, "_len_torch_function_stack", _never)
_has_transforms = getattr(torch._C, "_are_functorch_transforms_active", _never)
_tracing = getattr(torch._C, "_get_tracing_state", _never)


def is_plain(*tensors: Optional[Tensor]) -> bool:
    """Whether nobody looks on for whom a call has to be an operator: no gradient is recorded, nothing is
    compiled, traced or transformed, and tensors are what they seem."""
    if (_is_compiling() or _has_modes() or _has_transforms() or _has_function_modes()
            or _tracing() is not None or forward_ad._current_level >= 0):
        return False
    records = _grad_is_on()
    for x in tensors:
        if x is not None and (type(x) is not Tensor or not (x.is_cuda or x.is_cpu)
                              or (records and x.requires_grad)):
            return False
    return True


def refuse_tangents(*tensors: Optional[Tensor]) -> None:
    # torch hands operators that have a backward alone what is without a tangent, and makes zeros of theirs.
    if any(x is not None and has_tangent(x) for x in tensors):
        raise NotImplementedError("onepass_scan.torch has no forward-mode derivatives")
