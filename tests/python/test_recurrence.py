"""Recurrences against a loop in double."""
import numpy as np
import pytest
import references

import onepass_scan as scan

TOLERANCE = {"float64": 1e-12, "float32": 1e-5, "float16": 1e-2}


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("init", [None, 0.5, "array"])
def test_against_the_loop(dtype, reverse, init):
    rng = np.random.default_rng(6)
    state = "float64" if dtype == "float64" else "float32"
    for shape in ((1,), (70,), (4, 30), (3, 20, 5), (0, 3), (5, 0)):
        for axis in range(len(shape)):
            a = rng.uniform(-1, 1, shape).astype(dtype)
            b = rng.uniform(-1, 1, shape).astype(dtype)
            first = init
            if init == "array":
                first = rng.uniform(-1, 1, shape[:axis] + shape[axis + 1:]).astype(state)
            begin = None if first is None else np.broadcast_to(first, shape[:axis] + shape[axis + 1:])
            if shape[axis] == 0 and begin is None:
                continue
            wanted, last = references.recurrence(a, b, axis, begin, reverse)
            h, states = scan.recurrence(a, b, axis, first, reverse, return_state=True)
            assert h.dtype == dtype and states.dtype == state
            np.testing.assert_allclose(h, wanted, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])
            np.testing.assert_allclose(states, last, rtol=1e-3 if dtype == "float16" else TOLERANCE[dtype],
                                       atol=TOLERANCE[dtype])
            np.testing.assert_array_equal(scan.recurrence(a, b, axis, first, reverse), h)
            held = np.empty_like(states)
            assert scan.recurrence(a, b, axis, first, reverse, out=b, return_state=held)[1] is held
            np.testing.assert_array_equal(b, h)  # in place
            np.testing.assert_array_equal(held, states)


def test_exact_numbers_and_a_factor_of_zero():
    a = np.array([2, 2, 0, 2], np.float32)
    b = np.array([1, 1, np.inf, 1], np.float32)
    np.testing.assert_array_equal(scan.recurrence(a, b, init=3), [7, 15, np.inf, np.inf])
    b[:3] = [np.nan, np.inf, 5]
    np.testing.assert_array_equal(scan.recurrence(a, b)[2:], [5, 11])


def test_layouts():
    rng = np.random.default_rng(8)
    a, b = rng.random((2, 5, 4, 6))
    for axis in (0, 1, 2):
        wanted, _ = references.recurrence(a.T, b.T, axis)
        np.testing.assert_allclose(scan.recurrence(a.T, b.T, axis), wanted)
    wanted, _ = references.recurrence(a[:, :2], b[:, :2], 1)
    np.testing.assert_allclose(scan.recurrence(a[:, :2], b[:, :2], 1), wanted)
    for odd_a, odd_b in ((a.T, b.T.copy()), (a[:, :2], b[:, :2].copy()), (a[:, ::2], b[:, ::2])):
        with pytest.raises(scan.LayoutError, match="copy=True"):
            scan.recurrence(odd_a, odd_b, 1)
        wanted, _ = references.recurrence(odd_a, odd_b, 1)
        np.testing.assert_allclose(scan.recurrence(odd_a, odd_b, 1, copy=True), wanted)


REFUSED = [
    (lambda x: scan.recurrence(x, x.astype(np.float64)), TypeError, "of one floating-point type"),
    (lambda x: scan.recurrence(x.astype(int), x.astype(int)), TypeError, "of one floating-point type"),
    (lambda x: scan.recurrence(x, x, out=np.empty(4)), TypeError, "of one floating-point type"),
    (lambda x: scan.recurrence(x[:3], x), ValueError, "a has shape"),
    (lambda x: scan.recurrence(x, x[::-1].copy(), out=x), ValueError, "overlap"),
    (lambda x: scan.recurrence(x, x, init=np.zeros(2, x.dtype)), ValueError, "init has shape"),
    (lambda x: scan.recurrence(x, x, init=np.zeros(())), TypeError, "init is of float64"),
    (lambda x: scan.recurrence(x, x, 1), ValueError, "axis is 1"),
]


@pytest.mark.parametrize("call,kind,message", REFUSED)
def test_refused(call, kind, message):
    with pytest.raises(kind, match=message):
        call(np.ones(4, np.float32))
