"""Compaction on the CPU: select, partition, indices, unique, runs."""
import numpy as np
import pytest
import references

import onepass_scan as scan

DTYPES = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32",
          "float64", "bool"]
LENGTHS = (0, 1, 31, 32, 33, 1000, 20_001)
same = np.testing.assert_array_equal


def bits_of(flags):
    """As uint32, of which the last ones are set that stand for nothing."""
    wanted = -(-len(flags) // 32) * 32
    padded = np.concatenate([flags, np.ones(wanted - len(flags), bool)])
    return np.packbits(padded, bitorder="little").view(np.uint32)


def flags_of(rng, n, percent):
    flags = rng.random(n) * 100 < percent
    return flags, (flags, flags * rng.integers(1, 256, n).astype(np.uint8), flags.astype(np.int8), bits_of(flags))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("percent", [0, 1, 50, 100])
def test_select_and_partition(dtype, percent):
    rng = np.random.default_rng(1)
    for n in LENGTHS:
        x = references.numbers(rng, n, dtype)
        kept, kinds = flags_of(rng, n, percent)
        for flags in kinds:
            out = scan.select(x, flags)
            assert out.dtype == x.dtype
            same(out, x[kept])
            inside, outside = scan.partition(x, flags)
            same(inside, x[kept])
            same(outside, x[~kept])


@pytest.mark.parametrize("rest", [(1,), (2,), (2, 2), (1, 4), (16,)])
def test_rows(rest):
    rng = np.random.default_rng(2)
    dtype = "uint8" if rest == (16,) else "float32"
    for n in (0, 5, 1000):
        x = references.numbers(rng, (n, *rest), dtype)
        flags = rng.random(n) < .5
        same(scan.select(x, flags), x[flags])
        inside, outside = scan.partition(x, flags)
        same(inside, x[flags])
        same(outside, x[~flags])
        out, count = scan.select(x, flags, size=3)
        assert out.shape == (3, *rest) and count == flags.sum()


@pytest.mark.parametrize("dtype", [None, "int32", "int64", "uint32", "uint64"])
def test_indices(dtype):
    rng = np.random.default_rng(3)
    for n in LENGTHS:
        for percent in (0, 3, 100):
            kept, kinds = flags_of(rng, n, percent)
            for flags in kinds:
                places = scan.indices(flags, dtype=dtype, n=n)
                assert places.dtype == (dtype or "int64")
                same(places, np.flatnonzero(kept))
    words = bits_of(np.zeros(3, bool))
    same(scan.indices(words), range(3, 32))  # without n all bits of all words


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype != "float16"])
def test_unique_and_runs(dtype):
    rng = np.random.default_rng(4)
    for n in LENGTHS:
        for longest in (1, 2, 100):
            x = np.repeat(rng.integers(0, 2, n), rng.integers(1, longest + 1, n))[:n].astype(dtype)
            begins = np.flatnonzero(np.concatenate([[True], x[1:] != x[:-1]])[:n])
            same(scan.unique(x), x[begins])
            if np.dtype(dtype).kind == "f":
                continue
            for length_type in ("int64", "int32", "uint64", "uint32"):
                values, lengths = scan.runs(x, dtype=length_type)
                assert lengths.dtype == length_type and values.dtype == x.dtype
                same(values, x[begins])
                same(lengths, np.diff(np.append(begins, n)))


def test_floats_are_equal_where_they_compare_equal():
    x = np.array([0, -0., np.nan, np.nan, 1, 1], np.float32)
    same(scan.unique(x), np.array([0, np.nan, np.nan, 1], np.float32))


def test_what_exceeds_the_size_is_counted():
    x, flags = np.arange(100, dtype=np.int32), np.arange(100) % 3 == 0
    for size in (0, 1, 10, 34, 50, 200):
        got = min(size, 34)
        out, count = scan.select(x, flags, size=size)
        assert out.shape == (size,) and count.shape == () and count.dtype == np.int64 and count == 34
        same(out[:got], x[flags][:got])
        inside, outside, count = scan.partition(x, flags, size=size)
        assert count == 34 and inside.shape == outside.shape == (size,)
        same(outside[:min(size, 66)], x[~flags][:size])
        places, count = scan.indices(flags, size=size, dtype="int32")
        assert count == 34
        same(places[:got], np.flatnonzero(flags)[:got])
        first, count = scan.unique(x // 3, size=size)
        assert count == 34
        same(first[:got], np.arange(got))
        values, lengths, count = scan.runs(x // 3, size=size)
        assert count == 34
        same(lengths[:got], ([3] * 33 + [1])[:got])


def test_outs_are_written_and_what_is_behind_stays():
    x, flags = np.arange(10, dtype=np.int16), np.arange(10) % 2 == 0
    out, count = np.full(8, -1, np.int16), np.zeros(1, np.int64)
    got = scan.select(x, flags, out, count=count)
    assert got[0] is out and got[1] is count and count[0] == 5
    same(out, [0, 2, 4, 6, 8, -1, -1, -1])
    outs = np.full(5, -1, np.int16), np.full(5, -1, np.int16)
    assert scan.partition(x, flags, outs)[1] is outs[1]
    same(outs[1], [1, 3, 5, 7, 9])
    places = np.full(6, 99, np.uint32)
    same(scan.indices(flags, places)[0], [0, 2, 4, 6, 8, 99])
    values, lengths, _ = scan.runs(x // 5, (np.empty(2, np.int16), np.empty(2, np.int32)))
    same(lengths, [5, 5])
    out, counted = scan.select(x, flags, count=count)  # of x's length
    assert out.shape == (10,) and counted is count
    y = x.copy()
    assert scan.select(y, flags, y)[0] is y
    same(y, [0, 2, 4, 6, 8, 5, 6, 7, 8, 9])
    y = x // 3
    same(scan.unique(y, y)[0][:4], [0, 1, 2, 3])


@pytest.mark.parametrize("known", [7, 0, 10, 12, -3])
def test_a_count_is_the_next_calls_n(known):
    x, flags = np.arange(10, dtype=np.int32), np.arange(10) % 2 == 1
    there = min(max(known, 0), 10)
    for n in [np.array(known), np.array([known])] + ([known, np.int32(known)] if 0 <= known <= 10 else []):
        same(scan.select(x, flags, n=n), x[:there][flags[:there]])
        same(scan.partition(x, flags, n=n)[1], x[:there][~flags[:there]])
        same(scan.indices(flags, n=n), np.flatnonzero(flags[:there]))
        same(scan.indices(bits_of(flags), n=n, size=10)[0][:there // 2], np.flatnonzero(flags[:there])[:5])
        same(scan.unique(x // 2, n=n), np.arange((there + 1) // 2))
        same(scan.runs(x * 0, n=n)[1], [there][:there])
    out, count = scan.select(x, flags, size=8)
    same(scan.select(out, np.arange(8) < 2, n=count), [1, 3])


def test_threads_and_large_ones():
    rng = np.random.default_rng(5)
    x = rng.integers(0, 9, 3_000_000)
    flags = x > 4
    for threads in (0, 1, 3):
        same(scan.select(x, flags, threads=threads), x[flags])
        same(scan.indices(flags, threads=threads), np.flatnonzero(flags))
        values, lengths = scan.runs(x, threads=threads)
        same(np.repeat(values, lengths), x)


X, FLAGS = np.arange(6, dtype=np.int32), np.arange(6) % 2 == 0
COUNT = np.zeros((), np.int64)
REFUSED = [
    (lambda: scan.select([1], FLAGS), TypeError, "builtins.list is no array"),
    (lambda: scan.select(X, [True]), TypeError, "builtins.list is no array"),
    (lambda: scan.select(X.reshape(2, 3), FLAGS), ValueError, "flags have 6 elements; of 2 in x 2"),
    (lambda: scan.select(X.reshape(2, 3), FLAGS[:2]), TypeError, "elements of x have 12 bytes; those of 1, 2"),
    (lambda: scan.select(X[:0].reshape(6, 0), FLAGS), TypeError, "elements of x have 0 bytes"),
    (lambda: scan.select(np.array(3), FLAGS), ValueError, "x has 0 dimensions"),
    (lambda: scan.select(X[::2], FLAGS[:3]), ValueError, r"x has strides \(2,\)"),
    (lambda: scan.select(X[:3], FLAGS[::2]), ValueError, "flags has a stride of 2"),
    (lambda: scan.select(X, FLAGS[:5]), ValueError, "flags have 5 elements; of 6 in x 6 are wanted"),
    (lambda: scan.select(X, X), TypeError, "flags are of int32; bytes, bools or bits in uint32"),
    (lambda: scan.select(X, X.view(np.uint32)), ValueError, "flags have 6 elements; of 6 in x 1"),
    (lambda: scan.select(X, FLAGS, X[:3].astype(float)), TypeError, "out is of float64, and int32 is written"),
    (lambda: scan.select(X, FLAGS, X.reshape(6, 1).copy()), ValueError, r"out has shape \(6, 1\), and \(6,\)"),
    (lambda: scan.select(X, FLAGS, X.repeat(2)[::2]), ValueError, r"out has strides \(2,\)"),
    (lambda: scan.select(X, FLAGS, X[1:]), ValueError, "an output overlaps"),
    (lambda: scan.select(X, FLAGS, FLAGS.view(np.int8)), TypeError, "out is of int8"),
    (lambda: scan.select(X, FLAGS, X.copy(), size=3), TypeError, "size and out are both given"),
    (lambda: scan.select(X, FLAGS, size=-1), ValueError, "size is -1, which is not from 0"),
    (lambda: scan.select(X, FLAGS, size=1.5), TypeError, "size is 1.5; a whole number"),
    (lambda: scan.select(X, FLAGS, size=3, count=np.zeros(2, int)), ValueError, r"count has shape \(2,\)"),
    (lambda: scan.select(X, FLAGS, size=3, count=np.zeros(1)), TypeError, "count is of float64"),
    (lambda: scan.select(X, FLAGS, n=7), ValueError, "n is 7, which is not from 0 to 6"),
    (lambda: scan.select(X, FLAGS, n=np.zeros(1, np.int32)), TypeError, "n is of int32"),
    (lambda: scan.select(X, FLAGS, n=2.0), TypeError, "n is 2.0; a whole number"),
    (lambda: scan.select(X, FLAGS, threads=-1), ValueError, "threads"),
    (lambda: scan.select(X, FLAGS, stream=7), ValueError, "stream"),
    (lambda: scan.partition(X, FLAGS, (X.copy(),)), ValueError, "out has 1 arrays; two are written"),
    (lambda: scan.partition(X, FLAGS, (X.copy(), X[:5].copy())), ValueError, r"out has shape \(5,\), and \(6,\)"),
    (lambda: scan.indices(X), TypeError, "flags are of int32"),
    (lambda: scan.indices(FLAGS.reshape(2, 3)), ValueError, "flags has 2 dimensions, and one is wanted"),
    (lambda: scan.indices(FLAGS, dtype="int16"), TypeError, "indices are of int16; int32, int64"),
    (lambda: scan.indices(FLAGS, X.copy(), dtype="int64"), TypeError, "out is of int32, and int64 is written"),
    (lambda: scan.unique(X.reshape(6, 1)), ValueError, "x has 2 dimensions"),
    (lambda: scan.unique(X.astype(np.float16)), TypeError, "no unique of float16"),
    (lambda: scan.runs(X.astype(np.float32)), TypeError, "no runs of float32"),
    (lambda: scan.runs(X, (X.copy(), X.astype(float))), TypeError, "runs are of float64"),
]


@pytest.mark.parametrize("call,kind,message", REFUSED)
def test_refused(call, kind, message):
    with pytest.raises(kind, match=message) as caught:
        call()
    assert isinstance(caught.value, scan.ScanError)
    same(X, np.arange(6))
    same(FLAGS, np.arange(6) % 2 == 0)


def test_numbers_in_arrays_are_looked_at_each_time():
    size = np.array(4)
    assert len(scan.select(X, np.ones(6, bool), size=size)[0]) == 4
    size[...] = 2
    assert len(scan.select(X, np.ones(6, bool), size=size)[0]) == 2
    assert len(scan.select(X, FLAGS, n=1, count=False)) == 1
    for n in (True, 1.0):  # (which equal the 1 before)
        with pytest.raises(scan.ScanTypeError, match="a whole number is wanted"):
            scan.select(X, FLAGS, n=n)


def test_protocols():
    import foreign
    x, flags, out = np.arange(6.0), FLAGS.copy(), np.zeros(6)
    got, count = scan.select(foreign.Producer(x), foreign.Producer(flags), foreign.Producer(out),
                             count=np.zeros((), np.int64))
    same(out[:3], [0, 2, 4])
    assert count == 3


def test_torch():
    torch = pytest.importorskip("torch")
    x = torch.arange(1000).to(torch.bfloat16)
    flags = torch.arange(1000) % 7 == 0
    out = scan.select(x, flags)
    assert torch.equal(out, x[flags]) and out.dtype == torch.bfloat16
    assert torch.equal(scan.partition(x, flags)[1], x[~flags])
    assert torch.equal(scan.indices(flags), flags.nonzero()[:, 0])
    out, count = scan.select(x, flags, size=200)
    assert count.shape == () and count == 143 and torch.equal(out[:count], x[flags])
    assert torch.equal(scan.select(out, torch.ones(200, dtype=torch.bool), n=count), x[flags])
    values, lengths = scan.runs(torch.arange(1000) // 3)
    wanted = torch.unique_consecutive(torch.arange(1000) // 3, return_counts=True)
    assert torch.equal(values, wanted[0]) and torch.equal(lengths, wanted[1])
    with pytest.raises(scan.ScanValueError, match="requires a gradient"):
        scan.select(torch.ones(3, requires_grad=True), flags[:3])
