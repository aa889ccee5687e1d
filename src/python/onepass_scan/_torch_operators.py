"""How the operators of torch.py and _torch_compaction.py are made, and called."""
from __future__ import annotations

from typing import Callable, Optional

import torch
from torch import Tensor
from torch.autograd import forward_ad

from ._torch_arrays import has_tangent


def _always() -> bool:
    return True  # (of a torch that cannot be asked)


# What torch answers in a fifth of a microsecond each, where calling an operator takes it twenty.
_is_compiling, _grad_is_on = torch.compiler.is_compiling, torch.is_grad_enabled
_has_modes = getattr(torch._C, "_len_torch_dispatch_stack", _always)
_has_function_modes = getattr(torch._C, "_len_torch_function_stack", _always)
_has_transforms = getattr(torch._C, "_are_functorch_transforms_active", _always)
_tracing = getattr(torch._C, "_get_tracing_state", _always)
_TENSORS = (Tensor, torch.nn.Parameter)
_OTHERS = (int, bool, float, str, type(None))


def operator(schema: str, gradient: Optional[Callable] = None, remember: Optional[Callable] = None,
             plain: Optional[Callable] = None):
    """Makes a function an operator for the CPU and CUDA, with `gradient` of what `remember` has kept, as of
    torch.library.register_autograd; and returns what calls it. (`torch.library.custom_op` would do it in less
    lines, and take twice the time of a call.)

    Where nobody looks on, that is nothing is compiled, traced or transformed and tensors are what they seem, it
    is called without torch's dispatcher: as a function, `plain` if there is one, or by torch.autograd.Function.
    """
    name = f"onepass_scan::{schema.partition('(')[0]}"

    def register(function: Callable) -> Callable:
        torch.library.define(name, schema[schema.index("("):], tags=torch.Tag.pt2_compliant_tag)
        torch.library.impl(name, ("cpu", "cuda"), function)
        by_torch = getattr(torch.ops.onepass_scan, name.partition("::")[2]).default
        here, recorded = plain or function, None
        if gradient is not None:
            torch.library.register_autograd(name, gradient, setup_context=remember)

            def forward(ctx, *arguments):  # (with setup_context of its own it would take five times as long)
                output = here(*arguments)
                remember(ctx, arguments, output)
                return output

            recorded = type(name.replace("::", "_"), (torch.autograd.Function,),
                            {"forward": staticmethod(forward), "backward": staticmethod(gradient)}).apply

        def call(*arguments):
            if (_is_compiling() or _has_modes() or _has_transforms() or _has_function_modes()
                    or _tracing() is not None or forward_ad._current_level >= 0):
                return seen(*arguments)
            has_gradient = False
            for each in arguments:
                kind = type(each)
                if kind in _TENSORS:
                    if not (each.is_cuda or each.is_cpu):
                        return by_torch(*arguments)
                    has_gradient = has_gradient or each.requires_grad
                elif kind not in _OTHERS:
                    return by_torch(*arguments)
            if not has_gradient or not _grad_is_on():
                return here(*arguments)
            return (recorded or by_torch)(*arguments)

        def seen(*arguments):
            # torch hands operators that have a backward alone what is without a tangent, and makes zeros of
            # theirs.
            for each in arguments:
                if isinstance(each, Tensor) and has_tangent(each):
                    raise NotImplementedError("onepass_scan.torch has no forward-mode derivatives")
            return by_torch(*arguments)

        return call

    return register
