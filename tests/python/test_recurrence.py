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


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("reverse", [False, True])
def test_one_factor_or_one_a_sequence(dtype, reverse):
    """The bits of an array of the same factors."""
    rng = np.random.default_rng(9)
    state = "float64" if dtype == "float64" else "float32"
    for shape in ((40,), (4, 30), (3, 20, 5), (0, 3), (5, 0)):
        for axis in range(len(shape)):
            b = rng.uniform(-1, 1, shape).astype(dtype)
            rest = shape[:axis] + shape[axis + 1:]
            each = rng.uniform(-1, 1, rest).astype(dtype).astype(state)
            full = np.ascontiguousarray(np.broadcast_to(np.expand_dims(each, axis), shape)).astype(dtype)
            np.testing.assert_array_equal(scan.recurrence(each, b, axis, None, reverse),
                                          scan.recurrence(full, b, axis, None, reverse))
            for number in (0.5, np.float32(0.25), 0):
                np.testing.assert_array_equal(scan.recurrence(number, b, axis, 2, reverse),
                                              scan.recurrence(np.full(shape, number, dtype), b, axis, 2, reverse))


def test_states_that_are_not_rounded():
    rng = np.random.default_rng(10)
    a, b = rng.uniform(-1, 1, (2, 3, 50)).astype(np.float16)
    wanted, _ = references.recurrence(a, b)
    h = scan.recurrence(a, b, dtype="float32")
    assert h.dtype == np.float32
    np.testing.assert_allclose(h, wanted, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(scan.recurrence(a, b, out=np.empty((3, 50), np.float32)), h)
    # A factor of float is what it is.
    last = scan.recurrence(0.9999, np.zeros(3, np.float16), init=1, return_state=True)[1]
    np.testing.assert_allclose(last, 0.9999 ** 3, rtol=1e-6)


def gradient_by_loop(a, h, grad_h, axis, init, reverse, grad_state):
    """(grad_a, grad_b, grad_init), in double."""
    a, h, grad_h = (np.moveaxis(np.asarray(side, np.float64), axis, 0) for side in (a, h, grad_h))
    if reverse:
        a, h, grad_h = a[::-1], h[::-1], grad_h[::-1]
    g = np.zeros(h.shape[1:]) if grad_state is None else np.asarray(grad_state, np.float64)
    before = np.zeros(h.shape[1:]) if init is None else np.broadcast_to(np.asarray(init, np.float64), h.shape[1:])
    of_a, of_b = np.zeros(h.shape), np.zeros(h.shape)
    for i in reversed(range(len(h))):
        of_b[i] = g = grad_h[i] + g
        of_a[i] = g * (h[i - 1] if i > 0 else before)
        g = a[i] * g
    turned = (x[::-1] if reverse else x for x in (of_a, of_b))
    return *(np.moveaxis(x, 0, axis) for x in turned), g


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("init", [None, 0.5, "array"])
def test_gradients_against_the_loop(dtype, reverse, init):
    rng = np.random.default_rng(11)
    state = "float64" if dtype == "float64" else "float32"
    for shape in ((1,), (70,), (4, 30), (3, 20, 5), (0, 3)):
        for axis in range(len(shape)):
            a, h, grad_h = rng.uniform(-1, 1, (3, *shape)).astype(dtype)
            rest = shape[:axis] + shape[axis + 1:]
            first, last = map(np.asarray, rng.uniform(-1, 1, (2, *rest)).astype(state))
            if init != "array":
                first = init
            if shape[axis] == 0:
                continue
            wanted = gradient_by_loop(a, h, grad_h, axis, first, reverse, last)
            found = scan.recurrence_gradient(a, h, grad_h, axis, first, reverse, last, True)
            for got, right in zip(found, wanted):
                np.testing.assert_allclose(got, right, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])
            assert found[0].dtype == dtype and found[2].dtype == state
            plain = scan.recurrence_gradient(a, h, grad_h, axis, first, reverse)
            assert len(plain) == 2
            wanted = gradient_by_loop(a, h, grad_h, axis, first, reverse, None)
            np.testing.assert_allclose(plain[1], wanted[1], rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])
            out = np.empty_like(a), grad_h
            assert scan.recurrence_gradient(a, h, grad_h, axis, first, reverse, out=out)[1] is grad_h  # in place
            for got, right in zip(out, plain):
                np.testing.assert_array_equal(got, right)


def test_chunks_of_gradients_chain():
    rng = np.random.default_rng(12)
    a, b, grad_h = rng.uniform(-1, 1, (3, 4, 60))
    h = scan.recurrence(a, b)
    of_a, of_b = scan.recurrence_gradient(a, h, grad_h)
    later = scan.recurrence_gradient(a[:, 25:], h[:, 25:], grad_h[:, 25:], init=h[:, 24].copy(), return_grad_init=True)
    earlier = scan.recurrence_gradient(a[:, :25], h[:, :25], grad_h[:, :25], grad_state=later[2])
    np.testing.assert_allclose(np.concatenate([earlier[0], later[0]], 1), of_a)
    np.testing.assert_allclose(np.concatenate([earlier[1], later[1]], 1), of_b)


def test_layouts_of_gradients():
    rng = np.random.default_rng(13)
    a, h, grad_h = rng.random((3, 5, 4, 6))
    wanted = gradient_by_loop(a.T, h.T, grad_h.T, 1, None, False, None)
    for got, right in zip(scan.recurrence_gradient(a.T, h.T, grad_h.T, 1), wanted):
        np.testing.assert_allclose(got, right)
    with pytest.raises(scan.LayoutError, match="copy=True"):
        scan.recurrence_gradient(a.T, h.T.copy(), grad_h.T, 1)
    for got, right in zip(scan.recurrence_gradient(a.T, h.T.copy(), grad_h.T, 1, copy=True), wanted):
        np.testing.assert_allclose(got, right)


REFUSED_GRADIENTS = [
    (lambda x: scan.recurrence_gradient(x, x, x.astype(np.float64)), TypeError, "of one floating-point type"),
    (lambda x: scan.recurrence_gradient(x[:3], x, x), ValueError, "a has shape"),
    (lambda x: scan.recurrence_gradient(x, x, x, out=(x, np.empty_like(x))), ValueError, "overlaps"),
    (lambda x: scan.recurrence_gradient(x, x, x, grad_state=np.zeros(2, x.dtype)), ValueError, "grad_state has"),
    (lambda x: scan.recurrence(np.zeros((), np.float64), x), TypeError, "one factor a sequence"),
    (lambda x: scan.recurrence(x, x, dtype="float64"), TypeError, "of one floating-point type"),
]


@pytest.mark.parametrize("call,kind,message", REFUSED_GRADIENTS)
def test_refused_gradients(call, kind, message):
    with pytest.raises(kind, match=message):
        call(np.ones(4, np.float32))
