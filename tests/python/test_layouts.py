"""Strides: what goes without a copy, what is refused, and that results lie where they should."""
import itertools

import numpy as np
import pytest

import onepass_scan as scan


def test_every_axis_of_every_order():
    rng = np.random.default_rng(0)
    for shape in ((5,), (3, 4), (2, 3, 4), (2, 1, 3, 2), (1, 1), (4, 1)):
        base = rng.integers(-9, 9, shape)
        for order in itertools.permutations(range(len(shape))):
            x = base.transpose(order)
            for axis in range(len(shape)):
                wanted = np.cumsum(x, axis)
                out, total = scan.inclusive(x, axis, total=True)  # nothing here wants copy=True
                np.testing.assert_array_equal(out, wanted)
                np.testing.assert_array_equal(total, x.sum(axis))
                real = [d for d in range(x.ndim) if x.shape[d] > 1]
                assert [out.strides[d] for d in real] == [x.strides[d] for d in real]  # as x lies
                np.testing.assert_array_equal(scan.exclusive(x, axis, complete=True, init=3),
                                              np.concatenate([np.full_like(wanted.take([0], axis), 3),
                                                              wanted + 3], axis))


def test_init_lies_as_the_sequences_do():
    x = np.arange(24).reshape(2, 3, 4).transpose(2, 0, 1)  # in memory 2, 3, 4
    init = np.arange(8).reshape(4, 2)
    with pytest.raises(scan.ScanValueError, match="init has strides"):
        scan.inclusive(x, 2, init=init)
    as_x = np.ascontiguousarray(init.T).T
    np.testing.assert_array_equal(scan.inclusive(x, 2, init=as_x), np.cumsum(x, 2) + init[:, :, None])


def test_pitched():
    wide = np.arange(6 * 10, dtype=np.int32).reshape(6, 10)
    for x in (wide[:, 2:7], wide[1:4, :], wide[::2], wide[::3, 1:4]):
        np.testing.assert_array_equal(scan.cumsum(x), np.cumsum(x, 1, dtype=np.int32))
        out = np.full((len(x), 20), -1, np.int32)
        scan.cumsum(x, out=out[:, 3:3 + x.shape[1]])
        np.testing.assert_array_equal(out[:, 3:3 + x.shape[1]], np.cumsum(x, 1, dtype=np.int32))
        assert (out[:, :3] == -1).all() and (out[:, 3 + x.shape[1]:] == -1).all()
    block = np.arange(4 * 5 * 6).reshape(4, 5, 6)
    np.testing.assert_array_equal(scan.cumsum(block[:, 1:4], 1), np.cumsum(block[:, 1:4], 1))
    in_place = wide[:, 2:7]
    wanted = np.cumsum(in_place, 1, dtype=np.int32)
    scan.cumsum(in_place, out=in_place)
    np.testing.assert_array_equal(wide[:, 2:7], wanted)


REFUSED = [
    (np.arange(10)[::2], 0, "dimension 0 .* stride 2 where .* axis 0 wants 1"),
    (np.arange(10)[::-1], 0, "stride -1 where .* wants a positive one .*reverse=True"),
    (np.arange(12).reshape(3, 4)[:, ::-1], 1, "dimension 1 .* stride -1"),
    (np.arange(12).reshape(3, 4)[::-1], 1, "dimension 0 .* stride -4"),
    (np.arange(24).reshape(2, 3, 4)[:, :, ::2], 1, "dimension 2 .* stride 2"),
    (np.arange(24).reshape(2, 3, 4)[:, :2, :3], 2, "dimension 0 .* stride 12 .* wants 8"),
    (np.broadcast_to(np.arange(4), (3, 4)), 1, "dimension 0 .* stride 0"),
    (np.broadcast_to(np.arange(3)[:, None], (3, 4)), 1, "dimension 1 .* stride 0"),
    (np.lib.stride_tricks.sliding_window_view(np.arange(9), 4), 1, "stride 1 where"),
]


@pytest.mark.parametrize("x,axis,message", REFUSED)
def test_other_strides_are_refused_or_copied(x, axis, message):
    with pytest.raises(scan.LayoutError, match=message):
        scan.cumsum(x, axis)
    np.testing.assert_array_equal(scan.cumsum(x, axis, copy=True), np.cumsum(x, axis))
    np.testing.assert_array_equal(scan.inclusive(x, axis, init=2, reverse=True, copy=True),
                                  np.flip(np.cumsum(np.flip(x, axis), axis), axis) + 2)


def test_random_slices():
    """With copy=True everything is scanned; without it the same or a LayoutError."""
    rng = np.random.default_rng(11)
    refused = taken = 0
    for _ in range(600):
        ndim = int(rng.integers(1, 5))
        base = rng.integers(-9, 9, rng.integers(0, 6, ndim))
        x = base.transpose(rng.permutation(ndim))
        x = x[tuple(slice(int(first), None, int(step)) for first, step in
                    zip(rng.integers(0, 2, ndim), rng.choice([1, 1, 1, 2, -1], ndim)))]
        axis = int(rng.integers(-ndim, ndim))
        wanted = np.cumsum(x, axis)
        np.testing.assert_array_equal(scan.cumsum(x, axis, copy=True), wanted)
        try:
            np.testing.assert_array_equal(scan.cumsum(x, axis), wanted)
            taken += 1
        except scan.LayoutError:
            refused += 1
    assert taken > 100 and refused > 100


def test_outputs_that_do_not_fit():
    x = np.arange(12).reshape(3, 4)
    with pytest.raises(scan.LayoutError, match="^out: dimension 1 .* stride 2 where .* wants 1$"):
        scan.cumsum(x, out=np.empty((3, 8), x.dtype)[:, ::2])
    with pytest.raises(scan.LayoutError, match="^out: "):
        scan.cumsum(x, out=np.empty((4, 3), x.dtype).T)
    with pytest.raises(scan.LayoutError, match="^out: "):
        scan.cumsum(x[:, ::-1], out=np.empty((4, 3), x.dtype).T, copy=True)


def test_misaligned():
    raw = np.zeros(8 * 4 + 1, np.uint8)
    x = raw[1:].view(np.int64)
    with pytest.raises(scan.ScanValueError, match="not aligned"):
        scan.cumsum(x)
    odd = np.zeros(3, np.dtype([("a", np.int32), ("b", np.int16)]))["a"]
    with pytest.raises(scan.ScanTypeError, match="stride of 6 bytes"):
        scan.cumsum(odd)
