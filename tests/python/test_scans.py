"""Every type, operator and option along an axis, in NumPy's arrays."""
import itertools

import numpy as np
import pytest
import references

import onepass_scan as scan
from onepass_scan import _library, _plans, _scans, _types

TYPES = [name for name in _types.CODES if name != "bfloat16"]
OPERATORS = list(references.FOLDS)


def is_held(kind, given, result, op):
    if given == result == "bool":  # of which these are the same, and held
        op = {"and": "min", "or": "max"}.get(op, op)
    return _library.scan_is_held(_library.HOST, kind, _types.CODES[given], _types.CODES[result],
                                 _library.OPERATORS[op])


@pytest.mark.parametrize("op", OPERATORS)
@pytest.mark.parametrize("result", TYPES)
@pytest.mark.parametrize("given", TYPES)
def test_types_and_operators(given, result, op):
    rng = np.random.default_rng(1)
    num_held = 0
    for kind, shape in ((_library.SEQUENCE, (77,)), (_library.TENSOR, (3, 40))):
        x = references.numbers(rng, shape, given)
        if op == "prod" and np.dtype(given).kind == "f":
            x = np.where(x < 0, -1, 1).astype(given)
        if not is_held(kind, given, result, op):
            with pytest.raises(scan.ScanTypeError, match=f"{given} into {result}"):
                scan.inclusive(x, op=op, dtype=result)
            continue
        num_held += 1
        for exclusive, reverse in itertools.product((False, True), repeat=2):
            wanted, totals = references.scan(x, -1, op, result, exclusive, reverse)
            out, total = scan.inclusive(x, -1, op, exclusive, reverse, dtype=result, total=True)
            assert out.dtype == result and total.dtype == result
            np.testing.assert_array_equal(out, wanted)
            np.testing.assert_array_equal(total, totals)
    if op == "sum" and given == result and given != "bool":
        assert num_held > 0  # that this test is about something


@pytest.mark.parametrize("n", [0, 1, 2, 1000, 100_003])
def test_lengths(n):
    x = references.numbers(np.random.default_rng(n), n, "int32")
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(scan.cumsum(x), np.cumsum(x, dtype=np.int32))
    np.testing.assert_array_equal(scan.cummax(x), np.maximum.accumulate(x))
    np.testing.assert_array_equal(scan.cummin(x), np.minimum.accumulate(x))


def test_sums_of_floats():
    x = np.random.default_rng(3).random(200_000)
    np.testing.assert_allclose(scan.cumsum(x), np.cumsum(x), rtol=1e-12)
    narrow = x.astype(np.float32)
    np.testing.assert_allclose(scan.cumsum(narrow), np.cumsum(narrow.astype(np.float64)), rtol=1e-5)
    np.testing.assert_allclose(scan.cumsum(narrow, dtype="float64"), np.cumsum(narrow.astype(np.float64)),
                               rtol=1e-12)


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint64", "float32", "float64", "float16"])
@pytest.mark.parametrize("exclusive,complete", [(False, False), (True, False), (True, True)])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("init", [None, 7, "array"])
def test_options(dtype, exclusive, complete, reverse, init):
    rng = np.random.default_rng(5)
    for shape in ((33,), (4, 9), (2, 5, 3), (3, 0, 2), (0, 4)):
        for axis in range(len(shape)):
            x = references.numbers(rng, shape, dtype)
            values = shape[:axis] + shape[axis + 1:]
            given = references.numbers(rng, values, dtype) if init == "array" else init
            wanted, totals = references.scan(x, axis, "sum", None, exclusive, reverse, given, complete)
            out, total = scan.inclusive(x, axis, "sum", exclusive, reverse, given, complete=complete,
                                        total=True)
            np.testing.assert_array_equal(out, wanted)
            np.testing.assert_array_equal(total, totals)
            into, held = np.empty_like(wanted), np.empty_like(totals)
            assert scan.inclusive(x, axis, "sum", exclusive, reverse, given, into, complete=complete,
                                  total=held)[0] is into
            np.testing.assert_array_equal(into, wanted)
            np.testing.assert_array_equal(held, totals)


def test_in_place_and_names():
    x = np.arange(10)
    wanted = np.cumsum(x)
    assert scan.cumsum(x, out=x) is x
    np.testing.assert_array_equal(x, wanted)
    y = np.arange(1, 7, dtype=np.int32).reshape(2, 3)
    np.testing.assert_array_equal(scan.exclusive(y, 0), [[0, 0, 0], [1, 2, 3]])
    np.testing.assert_array_equal(scan.inclusive(y, np.int64(0), "plus"), np.cumsum(y, 0, np.int32))
    np.testing.assert_array_equal(scan.inclusive(y, op="maximum", reverse=True), [[3, 3, 3], [6, 6, 6]])


def test_what_is_counted_and_what_is_not():
    """The output's type is the input's, but of bools that are added up."""
    flags = np.array([True, False, True])
    assert scan.cumsum(flags).dtype == np.int64
    np.testing.assert_array_equal(scan.cumsum(flags), [1, 1, 2])
    np.testing.assert_array_equal(scan.exclusive(flags, complete=True), [0, 1, 1, 2])
    assert scan.cumsum(np.full(300, 1, np.uint8)).dtype == np.uint8  # NumPy's own would widen
    assert scan.cumsum(np.full(300, 1, np.uint8))[-1] == 300 - 256
    assert scan.cumsum(np.full(300, 1, np.uint8), dtype=np.int64)[-1] == 300
    assert scan.cumsum(np.ones(3, np.float16), dtype="float32").dtype == np.float32


def test_numbers_as_init():
    x = np.ones(2, np.float16)
    np.testing.assert_array_equal(scan.inclusive(x, init=np.float32(2.5)), [3.5, 4.5])
    np.testing.assert_array_equal(scan.inclusive(x, init=1e9), [np.inf, np.inf])
    np.testing.assert_array_equal(scan.inclusive(np.ones(2, np.float32), init=-1e300), [-np.inf, -np.inf])
    np.testing.assert_array_equal(scan.inclusive(np.ones(1), init=True), [2])
    np.testing.assert_array_equal(scan.inclusive(np.ones(1, np.uint64), init=2**64 - 1), [0])
    assert np.signbit(scan.exclusive(np.ones(1))[0])  # the identity of such sums is -0.0
    assert not np.signbit(scan.exclusive(np.ones(1), init=0.0)[0])


def test_nan():
    x = np.array([1, np.nan, 0, 5], np.float32)
    np.testing.assert_array_equal(scan.cummax(x), [1, np.nan, np.nan, np.nan])
    np.testing.assert_array_equal(scan.cumsum(x), [1, np.nan, np.nan, np.nan])


def test_many_calls_of_other_shapes():
    """More than there are plans kept."""
    for n in range(1, 1300):
        assert scan.cumsum(np.ones(n, np.int32))[-1] == n
        assert len(_scans._plans) <= _plans._MOST_PLANS


def test_bfloat16_of_ml_dtypes():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.arange(8).astype(ml_dtypes.bfloat16)
    out = scan.inclusive(x, init=ml_dtypes.bfloat16(2))
    assert out.dtype == x.dtype
    np.testing.assert_array_equal(out.astype(np.float32), 2 + np.cumsum(np.arange(8)))


def test_threads_and_repeated_bits():
    x = np.random.default_rng(9).random((3, 400_000)).astype(np.float32)
    first = scan.cumsum(x)
    for threads in (1, 2, 3):
        np.testing.assert_array_equal(scan.cumsum(x, threads=threads), first)
