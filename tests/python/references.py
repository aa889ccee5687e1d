"""Scans one element after another, in Python's own numbers: what the library is held against."""
import itertools
import operator

import numpy as np

FOLDS = {"sum": operator.add, "prod": operator.mul, "min": min, "max": max, "and": operator.and_,
         "or": operator.or_, "xor": operator.xor}


def identity(op, dtype):
    """What an exclusive scan without an init begins with."""
    if op in ("sum", "or", "xor"):
        return dtype.type(0).item()
    if op == "prod":
        return 1
    if op == "and" and dtype.kind != "b":
        return int(np.array(-1).astype(dtype)) if dtype.kind == "i" else int(np.iinfo(dtype).max)
    if dtype.kind == "b":
        return op in ("min", "and")
    if dtype.kind == "f":
        return float("inf") if op == "min" else float("-inf")
    return int(np.iinfo(dtype).max if op == "min" else np.iinfo(dtype).min)


def wrapped(value, dtype):
    """An integer as the type holds it, two's complement."""
    if dtype.kind not in "iu":
        return value
    bits = 8 * dtype.itemsize
    value &= (1 << bits) - 1
    return value - (1 << bits) if dtype.kind == "i" and value >> (bits - 1) else value


def fold_row(row, op, dtype, exclusive=False, reverse=False, init=None, complete=False):
    """(outputs, total) of one sequence."""
    fold, values = FOLDS[op], list(row)[::-1] if reverse else list(row)
    begun = init is not None
    carried = init if begun else identity(op, dtype)
    outputs = []
    for value in values:
        value = wrapped(value, dtype)  # computed in the output's type
        if exclusive:
            outputs.append(carried)
        carried = wrapped(fold(carried, value), dtype) if begun else value
        begun = True
        if not exclusive:
            outputs.append(carried)
    if complete:
        outputs.append(carried)
    return (outputs[::-1] if reverse else outputs), carried


def scan(x, axis=-1, op="sum", dtype=None, exclusive=False, reverse=False, init=None, complete=False):
    """(outputs, totals); init is a number or an array of one value a sequence."""
    dtype = np.dtype(dtype or x.dtype)
    axis %= x.ndim
    shape = list(x.shape)
    shape[axis] += complete
    out = np.empty(shape, dtype)
    totals = np.empty(x.shape[:axis] + x.shape[axis + 1:], dtype)
    for place in itertools.product(*(range(n) for n in totals.shape)):
        row = place[:axis] + (slice(None),) + place[axis:]
        begin = init if init is None or np.isscalar(init) else init[place].item()
        outputs, total = fold_row([v.item() for v in x[row]], op, dtype, exclusive, reverse, begin, complete)
        out[row], totals[place] = outputs, total
    return out, totals


def recurrence(a, b, axis=-1, init=None, reverse=False):
    """(states, the last ones), in double."""
    a, b = (np.moveaxis(np.asarray(side, np.float64), axis, 0) for side in (a, b))
    if reverse:
        a, b = a[::-1], b[::-1]
    h = np.zeros(b.shape)
    state = None if init is None else np.asarray(init, np.float64)
    for i in range(len(b)):
        state = b[i].copy() if state is None else a[i] * state + b[i]
        h[i] = state
    last = h[-1] if len(b) else state
    return np.moveaxis(h[::-1] if reverse else h, 0, axis), last


def numbers(rng, shape, dtype, most=None):
    """Random elements: integers of the whole range; floats that are integers, whose sums are exact."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind == "f":
        return rng.integers(-(most or 3), (most or 3) + 1, shape).astype(dtype)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)
