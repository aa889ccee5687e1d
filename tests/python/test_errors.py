"""What is refused, and how it is said."""
import numpy as np
import pytest

import onepass_scan as scan

X = np.arange(6, dtype=np.float32)
FROZEN = np.zeros(6, np.float32)
FROZEN.flags.writeable = False
GRID = np.arange(6, dtype=np.float32).reshape(2, 3)

REFUSED = [
    (lambda: scan.cumsum([1, 2]), TypeError, "builtins.list is no array"),
    (lambda: scan.cumsum(None), TypeError, "NoneType is no array"),
    (lambda: scan.cumsum(3.0), TypeError, "builtins.float is no array"),
    (lambda: scan.cumsum(np.float32(3)), TypeError, "float32 is no array|no axis"),
    (lambda: scan.cumsum(np.array(3)), ValueError, "0-dimensional"),
    (lambda: scan.cumsum(X, 1), ValueError, "axis is 1, but the array has 1 dim"),
    (lambda: scan.cumsum(GRID, -3), ValueError, "axis is -3"),
    (lambda: scan.cumsum(X, None), TypeError, "axis is None"),
    (lambda: scan.cumsum(X, 0.5), TypeError, "axis is 0.5"),
    (lambda: scan.cumsum(X.astype(">f4")), TypeError, "byte order"),
    (lambda: scan.cumsum(X.astype(object)), TypeError, "dtype dtype..O.. is none"),
    (lambda: scan.cumsum(X.astype(complex)), TypeError, "complex128"),
    (lambda: scan.cumsum(np.array(["a"])), TypeError, "is none that the library scans"),
    (lambda: scan.cumsum(np.array(["2020"], "M8[D]")), TypeError, "is none that the library scans"),
    (lambda: scan.cumsum(np.ma.masked_array([1, 2])), TypeError, "without its mask"),
    (lambda: scan.cumsum(X, dtype="int128"), TypeError, "dtype 'int128'"),
    (lambda: scan.cumsum(X, dtype="int64"), TypeError, "no sum of float32 into int64 of one sequence"),
    (lambda: scan.cumsum(X, dtype="float64", out=np.empty(6, np.float32)), TypeError, "dtype is float64"),
    (lambda: scan.inclusive(X, op="mean"), ValueError, "op is 'mean'; there are sum"),
    (lambda: scan.inclusive(X, op=len), ValueError, "op is <built-in"),
    (lambda: scan.inclusive(X, op=[]), TypeError, "unhashable"),
    (lambda: scan.inclusive(X, op="xor"), TypeError, "xor of float32"),
    (lambda: scan.inclusive(X, complete=True), ValueError, "complete"),
    (lambda: scan.inclusive(X, init="1"), TypeError, "builtins.str is no array"),
    (lambda: scan.inclusive(X, init=1j), TypeError, "init is 1j"),
    (lambda: scan.inclusive(X.astype(np.int8), init=128), ValueError, "128, which int8 does not hold"),
    (lambda: scan.inclusive(X.astype(np.int8), init=1.5), TypeError, "init is 1.5, and the output"),
    (lambda: scan.inclusive(X > 0, op="max", init=7), ValueError, "7, which bool does not hold"),
    (lambda: scan.inclusive(X > 0, op="max", init=0.5), ValueError, "0.5, which bool does not hold"),
    (lambda: scan.inclusive(X, init=np.zeros(6, np.float32)), ValueError, r"init has shape \(6,\)"),
    (lambda: scan.inclusive(GRID, init=np.zeros(3, np.float32)), ValueError, r"a sequence is \(2,\)"),
    (lambda: scan.inclusive(GRID, init=np.zeros(2)), TypeError, "init is of float64"),
    (lambda: scan.inclusive(X, total=np.zeros(2, np.float32)), ValueError, "total has shape"),
    (lambda: scan.inclusive(GRID, total=np.zeros(4, np.float32)[::2]), ValueError, "total has strides"),
    (lambda: scan.inclusive(GRID, total=FROZEN[:2]), TypeError, "read-only"),
    (lambda: scan.cumsum(X, out=FROZEN), TypeError, "read-only"),
    (lambda: scan.cumsum(X, out=X[:5]), ValueError, r"out has shape \(5,\), and \(6,\) are written"),
    (lambda: scan.exclusive(X, complete=True, out=np.empty(6, np.float32)), ValueError, "out has shape"),
    (lambda: scan.cumsum(X[:5], out=X[1:]), ValueError, "overlaps the input"),
    (lambda: scan.inclusive(X, total=X[:1]), ValueError, "options.total overlaps"),
    (lambda: scan.cumsum(X, stream=7), ValueError, "stream"),
    (lambda: scan.cumsum(X, stream="s"), TypeError, "stream is 's'"),
    (lambda: scan.cumsum(X, threads=-1), ValueError, "threads"),
    (lambda: scan.cumsum(X, threads="2"), TypeError, "threads is '2'"),
    (lambda: scan.cumsum(X, algorithm="fast"), ValueError, "algorithm is 'fast'; there are automatic"),
    (lambda: scan.cumsum(X, algorithm="ring"), ValueError, "algorithm"),
]


@pytest.mark.parametrize("call,kind,message", REFUSED)
def test_refused(call, kind, message):
    before = X.copy()
    with pytest.raises(kind, match=message):
        call()
    np.testing.assert_array_equal(X, before)
    assert not FROZEN.any()


def test_every_refusal_is_a_scan_error():
    for call, _, message in REFUSED:
        if message != "unhashable":  # (which is Python's own)
            with pytest.raises(scan.ScanError) as caught:
                call()
            assert caught.value.code in (1, 801)


def test_read_only_inputs_are_read():
    np.testing.assert_array_equal(scan.cumsum(FROZEN), FROZEN)


def test_a_library_that_is_not_there(monkeypatch):
    import subprocess
    import sys
    run = subprocess.run([sys.executable, "-c", "import onepass_scan"], capture_output=True, text=True,
                         env={"ONEPASS_SCAN_LIBRARY": "/nowhere/lib.so", "PYTHONPATH": ":".join(sys.path)})
    assert run.returncode != 0
    assert "ImportError: onepass_scan cannot load its library, /nowhere/lib.so" in run.stderr


def test_nothing_is_imported_besides():
    """No NumPy, no torch: what an array is of has been imported by its owner."""
    import os
    import subprocess
    import sys
    code = ("import sys, onepass_scan; bad = {'numpy', 'torch', 'cupy', 'jax'} & set(sys.modules); "
            "assert not bad, bad")
    subprocess.run([sys.executable, "-S", "-c", code], check=True,
                   env={**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(scan.__file__))})


def test_versions_are_one():
    """The wheel's, which is the package's, and the library's."""
    assert scan.__version__ == scan.library_version()
