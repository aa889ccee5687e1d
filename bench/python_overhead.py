"""What a call from Python takes on the host, of one float32 on the CPU: a Markdown table, in microseconds.

With the package on PYTHONPATH (or installed), and torch if its rows are wanted. The best of many rounds,
since other processes can only add to it.
"""
import timeit

import numpy as np

import onepass_scan as scan
from onepass_scan import _library


class Producer:
    """An array of which only DLPack is seen."""

    def __init__(self, array):
        self.__dlpack__, self.__dlpack_device__ = array.__dlpack__, array.__dlpack_device__


def microseconds(call, rounds=1000, number=200):
    call()
    return min(timeit.repeat(call, number=number, repeat=rounds)) / number * 1e6


def rows():
    x, out = np.ones(1, np.float32), np.empty(1, np.float32)
    packed = _library.pack_operands(_library.OPERANDS_SIZE, x.ctypes.data, out.ctypes.data, 9, 9, 0, 0)
    options = _library.pack_options(_library.HOST, 0, False, False, 0, 0)
    bare = microseconds(lambda: _library.scan_sequence(packed, 1, options))
    yield "the call in C, by ctypes", bare, bare
    foreign, foreign_out = Producer(x), Producer(out)
    calls = {"NumPy: `scan.cumsum(x)`": lambda: scan.cumsum(x),
             "NumPy: `scan.inclusive(x, out=out)`": lambda: scan.inclusive(x, out=out),
             "NumPy: `numpy.cumsum(x)`": lambda: np.cumsum(x),
             "DLPack: `scan.inclusive(x, out=out)`": lambda: scan.inclusive(foreign, out=foreign_out)}
    try:
        import torch
    except ImportError:
        torch = None
    if torch is not None:
        y, y_out, y_grad = torch.ones(1), torch.empty(1), torch.ones(1, requires_grad=True)
        calls |= {"torch: `scan.cumsum(x)`": lambda: scan.cumsum(y),
                  "torch: `scan.inclusive(x, out=out)`": lambda: scan.inclusive(y, out=y_out),
                  "torch: `scan.inclusive(x, init=1.0, total=True)`":
                      lambda: scan.inclusive(y, init=1.0, total=True),
                  "torch: `scan.recurrence(a, x)`": lambda: scan.recurrence(y, y),
                  "torch: `torch.cumsum(x, 0)`": lambda: torch.cumsum(y, 0),
                  "torch: `scan.torch.cumsum(x)`": lambda: scan.torch.cumsum(y),
                  "torch: the same, with a gradient to record": lambda: scan.torch.cumsum(y_grad),
                  "torch: `torch.cumsum(x, 0)`, likewise": lambda: torch.cumsum(y_grad, 0)}
    for name, call in calls.items():
        yield name, microseconds(call), bare


if __name__ == "__main__":
    print("| call | us | above the call in C |\n|---|---|---|")
    for name, taken, bare in rows():
        print(f"| {name} | {taken:.1f} | {taken - bare:.1f} |", flush=True)
