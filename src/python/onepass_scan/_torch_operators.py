"""What the operators of torch.py and _torch_compaction.py have in common."""
from __future__ import annotations

from typing import Optional

import torch
from torch import Tensor

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


def refuse_tangents(*tensors: Optional[Tensor]) -> None:
    # torch hands operators that have a backward alone what is without a tangent, and makes zeros of theirs.
    if any(x is not None and has_tangent(x) for x in tensors):
        raise NotImplementedError("onepass_scan.torch has no forward-mode derivatives")
