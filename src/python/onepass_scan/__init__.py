"""Prefix scans, linear recurrences and compactions of arrays, on CUDA devices and CPU threads.

``import onepass_scan as scan``; then ``scan.cumsum(x)`` of a NumPy, torch or CuPy array, or of what has
``__dlpack__`` or ``__cuda_array_interface__``. ``onepass_scan.torch`` and ``onepass_scan.jax`` have operators
for what these transform: gradients, ``torch.compile``, ``jax.jit``. They are loaded when first asked for.
"""
from __future__ import annotations

from ._compaction import indices, partition, runs, select, unique
from ._errors import ScanError, ScanMemoryError, ScanTypeError, ScanValueError
from ._gradient import recurrence_gradient
from ._layout import LayoutError
from ._library import Workspace, library_version
from ._recurrence import recurrence
from ._scans import cummax, cummin, cumprod, cumsum, exclusive, inclusive
from ._segments import by_key, check_segments, segmented

__version__ = "0.2.0"
__all__ = ["LayoutError", "ScanError", "ScanMemoryError", "ScanTypeError", "ScanValueError", "Workspace",
           "by_key", "check_segments", "cummax", "cummin", "cumprod", "cumsum", "exclusive", "inclusive", "indices",
           "library_version", "partition", "recurrence", "recurrence_gradient", "runs", "segmented", "select",
           "unique"]


def __getattr__(name: str):
    if name in ("jax", "torch"):  # which import these
        import importlib
        return importlib.import_module("." + name, __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
