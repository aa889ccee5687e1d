"""Segments by offsets, runs of keys, flags."""
import numpy as np
import pytest
import references

import onepass_scan as scan


def random_offsets(rng, n, num_segments, dtype):
    inside = np.sort(rng.integers(0, n, num_segments - 1, endpoint=True))
    return np.concatenate([[0], inside, [n]]).astype(dtype)


def by_segment(x, offsets, op, exclusive, reverse, init, dtype=None):
    dtype = np.dtype(dtype or x.dtype)
    out, totals = np.empty(len(x), dtype), np.empty(len(offsets) - 1, dtype)
    for s, (begin, end) in enumerate(zip(offsets, offsets[1:])):
        first = init if init is None or np.isscalar(init) else init[s].item()
        row = [v.item() for v in x[int(begin):int(end)]]
        out[int(begin):int(end)], totals[s] = references.fold_row(row, op, dtype, exclusive, reverse, first)
    return out, totals


@pytest.mark.parametrize("offset_type", ["int32", "int64", "uint32", "uint64"])
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("init", [None, 3, "array"])
def test_segments(offset_type, exclusive, reverse, init):
    rng = np.random.default_rng(2)
    for n, num_segments in ((0, 1), (0, 4), (1, 3), (500, 60), (5000, 3)):
        for dtype, op in (("int32", "sum"), ("float32", "max"), ("int64", "sum"), ("float64", "sum")):
            x = references.numbers(rng, n, dtype)
            offsets = random_offsets(rng, n, num_segments, offset_type)
            first = references.numbers(rng, num_segments, dtype) if init == "array" else init
            wanted, totals = by_segment(x, offsets, op, exclusive, reverse, first)
            out, total = scan.segmented(x, offsets, op, exclusive, reverse, first, total=True)
            np.testing.assert_array_equal(out, wanted)
            np.testing.assert_array_equal(total, totals)
            np.testing.assert_array_equal(scan.segmented(x, offsets, op, exclusive, reverse, first), wanted)


def test_what_is_in_no_segment_is_left_alone():
    out = np.full(6, -1, np.int32)
    scan.segmented(np.ones(6, np.int32), np.array([1, 3, 5]), out=out)
    np.testing.assert_array_equal(out, [-1, 1, 2, 1, 2, -1])


def test_bools_are_counted():
    flags = np.array([1, 1, 0, 1], bool)
    out = scan.segmented(flags, np.array([0, 1, 4]))
    assert out.dtype == np.int64
    np.testing.assert_array_equal(out, [1, 1, 1, 2])


@pytest.mark.parametrize("key_type", ["int8", "uint16", "int32", "float32", "uint64", "bool"])
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("init", [None, 5])
def test_keys_and_flags(key_type, exclusive, reverse, init):
    rng = np.random.default_rng(4)
    for n in (0, 1, 31, 32, 33, 1000):
        x = references.numbers(rng, n, "int32")
        keys = np.repeat(rng.integers(0, 2, n), rng.integers(1, 6, n))[:n].astype(key_type)
        heads = np.concatenate([[True], keys[1:] != keys[:-1]])[:n]
        offsets = np.concatenate([np.flatnonzero(heads), [n]])
        wanted, _ = by_segment(x, offsets, "sum", exclusive, reverse, init)
        np.testing.assert_array_equal(scan.by_key(x, keys, "sum", exclusive, reverse, init), wanted)
        for flags in (heads, heads.astype(np.uint8) * 7, heads.astype(np.int8)):
            out = scan.by_key(x, op="sum", exclusive=exclusive, reverse=reverse, init=init, flags=flags)
            np.testing.assert_array_equal(out, wanted)
        packed = np.packbits(heads, bitorder="little")
        bits = np.zeros((n + 31) // 32 * 4, np.uint8)
        bits[:len(packed)] = packed
        out = np.empty_like(x)
        assert scan.by_key(x, None, "sum", exclusive, reverse, init, out, flags=bits.view(np.uint32)) is out
        np.testing.assert_array_equal(out, wanted)


REFUSED = [
    (lambda x: scan.segmented(x.reshape(2, 3), np.array([0, 6])), ValueError, "x has 2 dimensions"),
    (lambda x: scan.segmented(x[::2], np.array([0, 3])), ValueError, "x has a stride of 2"),
    (lambda x: scan.segmented(x, np.array([0.0, 6])), TypeError, "offsets are of float64"),
    (lambda x: scan.segmented(x, np.array([0, 6], np.int16)), TypeError, "offsets are of int16"),
    (lambda x: scan.segmented(x, np.array([], int)), ValueError, "offsets are empty"),
    (lambda x: scan.segmented(x, np.array([[0, 6]])), ValueError, "offsets has 2 dimensions"),
    (lambda x: scan.segmented(x, np.array([0, 4, 2])), ValueError, r"less than the entry before .*i = 2"),
    (lambda x: scan.segmented(x, np.array([0, 7])), ValueError, r"\(i = 1\)|exceeds"),
    (lambda x: scan.segmented(x, np.array([0, 6]), init=np.zeros(2, x.dtype)), ValueError, "init has shape"),
    (lambda x: scan.segmented(x, np.array([0, 6]), out=np.empty(5, x.dtype)), ValueError, "out has shape"),
    (lambda x: scan.segmented(x, np.array([0, 6]), op="mean"), ValueError, "op is 'mean'"),
    (lambda x: scan.by_key(x), TypeError, "either keys or flags"),
    (lambda x: scan.by_key(x, x, flags=x), TypeError, "either keys or flags"),
    (lambda x: scan.by_key(x, x[:5]), ValueError, "keys have 5 elements; of 6 in x 6"),
    (lambda x: scan.by_key(x, flags=np.zeros(6, np.int64)), TypeError, "flags are of int64"),
    (lambda x: scan.by_key(x, flags=np.zeros(6, np.uint32)), ValueError, "flags have 6 elements; of 6"),
    (lambda x: scan.by_key(x, x, init=x), TypeError, "init is an array"),
    (lambda x: scan.by_key(x, x, out=x), ValueError, "overlap"),
    (lambda x: scan.check_segments(np.array([0, 3, 7]), 6), ValueError, "segments.offsets"),
    (lambda x: scan.check_segments(np.array([-1, 3]), 6), ValueError, "segments.offsets"),
]


@pytest.mark.parametrize("call,kind,message", REFUSED)
def test_refused(call, kind, message):
    x = np.arange(6, dtype=np.int32)
    with pytest.raises(kind, match=message) as caught:
        call(x)
    assert isinstance(caught.value, scan.ScanError) and caught.value.code != 0
    np.testing.assert_array_equal(x, np.arange(6))


def test_checked():
    scan.check_segments(np.array([0, 3, 3, 6]), 6)
    with pytest.raises(scan.ScanValueError) as caught:
        scan.check_segments(np.array([0, 3, 2, 6]), 6)
    assert caught.value.index == 2
