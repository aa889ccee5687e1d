"""Arrays on a CUDA device: CuPy's, and others by DLPack and __cuda_array_interface__."""
import threading

import foreign
import numpy as np
import pytest
import references

import onepass_scan as scan

cupy = pytest.importorskip("cupy")
try:
    cupy.zeros(1)
except Exception as problem:
    pytest.skip(f"no usable device: {problem}", allow_module_level=True)


def equal(out, wanted):
    assert isinstance(out, cupy.ndarray)
    np.testing.assert_array_equal(out.get(), wanted)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
                                   "float16", "float32", "float64", "bool"])
def test_types(dtype):
    rng = np.random.default_rng(1)
    for n in (0, 1, 1000, 70_001):
        x = references.numbers(rng, n, dtype)
        for op in ("sum", "min", "max"):
            if op == "sum" and np.dtype(dtype).kind == "f":
                x = (rng.integers(0, 2, n) * (rng.random(n) < 0.01)).astype(dtype)
            wanted, total = references.scan(x, -1, op, "int64" if (dtype, op) == ("bool", "sum") else None)
            out, totals = scan.inclusive(cupy.asarray(x), op=op, total=True)
            equal(out, wanted)
            equal(totals, total)


@pytest.mark.parametrize("init", [None, 7, "array"])
@pytest.mark.parametrize("exclusive,complete", [(False, False), (True, False), (True, True)])
@pytest.mark.parametrize("reverse", [False, True])
def test_options(init, exclusive, complete, reverse):
    rng = np.random.default_rng(2)
    for shape in ((33,), (4, 900), (2, 50, 3), (3, 0, 2)):
        for axis in range(len(shape)):
            for dtype in ("int32", "float64"):
                x = references.numbers(rng, shape, dtype)
                values = shape[:axis] + shape[axis + 1:]
                given = references.numbers(rng, values, dtype) if init == "array" else init
                wanted, totals = references.scan(x, axis, "sum", None, exclusive, reverse, given, complete)
                on_device = cupy.asarray(given) if init == "array" else given
                out, total = scan.inclusive(cupy.asarray(x), axis, "sum", exclusive, reverse, on_device,
                                            complete=complete, total=True)
                equal(out, wanted)
                equal(total, totals)


def test_layouts_and_in_place():
    base = cupy.arange(2 * 30 * 40).reshape(2, 30, 40)
    for x in (base, base.transpose(2, 0, 1), base[:, 3:20], base[:, :, :7], base[::1, ::3][:, :, :]):
        for axis in range(3):
            wanted = np.cumsum(x.get(), axis)
            equal(scan.cumsum(x, axis, copy=True), wanted)
    with pytest.raises(scan.LayoutError):
        scan.cumsum(base[..., ::2])
    x = base.copy()
    assert scan.cumsum(x, 1, out=x) is x
    equal(x, np.cumsum(base.get(), 1))


def test_segments_and_keys():
    x = cupy.arange(10_000, dtype=cupy.int32)
    offsets = np.array([0, 10, 10, 5000, 10_000])
    wanted = np.concatenate([np.cumsum(x.get()[a:b]) for a, b in zip(offsets, offsets[1:])])
    out, totals = scan.segmented(x, cupy.asarray(offsets), total=True)
    equal(out, wanted.astype(np.int32))
    assert totals.shape == (4,) and int(totals[1]) == 0
    keys = np.zeros(10_000, np.int16)
    keys[10:5000] = 1
    equal(scan.by_key(x, cupy.asarray(keys)), wanted.astype(np.int32))
    equal(scan.by_key(x, flags=cupy.asarray(np.diff(keys, prepend=0) != 0)), wanted.astype(np.int32))
    scan.check_segments(cupy.asarray(offsets), 10_000)
    with pytest.raises(scan.ScanValueError) as caught:
        scan.check_segments(cupy.asarray(offsets[::-1].copy()), 10_000)
    assert caught.value.index >= 0


def test_compactions():
    rng = np.random.default_rng(6)
    for n in (0, 1, 1000, 300_001):
        for dtype in ("uint8", "int16", "float32", "int64"):
            x, flags = references.numbers(rng, n, dtype), rng.random(n) < .3
            on_device, marks = cupy.asarray(x), cupy.asarray(flags)
            equal(scan.select(on_device, marks), x[flags])
            inside, outside = scan.partition(on_device, marks)
            equal(inside, x[flags])
            equal(outside, x[~flags])
            equal(scan.indices(marks), np.flatnonzero(flags))
            equal(scan.indices(marks.astype(cupy.int8), dtype="int32"), np.flatnonzero(flags).astype(np.int32))
            begins = np.flatnonzero(np.concatenate([[True], x[1:] != x[:-1]])[:n])
            equal(scan.unique(on_device), x[begins])
            if dtype != "float32":
                values, lengths = scan.runs(on_device)
                equal(values, x[begins])
                equal(lengths, np.diff(np.append(begins, n)))
    rows = cupy.arange(40_000, dtype=cupy.float32).reshape(10_000, 4)
    equal(scan.select(rows, rows[:, 0] % 3 == 0), rows.get()[rows.get()[:, 0] % 3 == 0])
    out, count = scan.select(rows, rows[:, 0] % 3 == 0, size=10)
    assert out.shape == (10, 4) and count.shape == () and int(count) == 3334
    with cupy.cuda.Stream(non_blocking=True) as stream:  # none of it waits
        x = cupy.arange(100_000, dtype=cupy.int32)
        even, count = scan.select(x, x % 2 == 0, size=60_000)
        out, count = scan.select(even, even % 3 == 0, size=60_000, n=count)
        inside, outside = scan.partition(x, x < 10, n=count)
        stream.synchronize()
    assert int(count) == 16_667
    equal(out[:16_667], np.arange(0, 100_000, 6, dtype=np.int32))
    equal(outside, np.arange(10, 16_667, dtype=np.int32))
    with pytest.raises(scan.ScanValueError, match="flags is on the CPU, and x on device 0"):
        scan.select(rows, np.ones(10_000, bool))


def test_recurrences():
    a, b = np.random.default_rng(3).uniform(-1, 1, (2, 4, 500))
    for axis in (0, 1):
        for reverse in (False, True):
            wanted, last = references.recurrence(a, b, axis, np.full(a.shape[1 - axis], .5), reverse)
            h, states = scan.recurrence(cupy.asarray(a), cupy.asarray(b), axis, 0.5, reverse,
                                        return_state=True)
            np.testing.assert_allclose(h.get(), wanted, rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose(states.get(), last, rtol=1e-9, atol=1e-12)


def test_streams():
    streams = [cupy.cuda.Stream(non_blocking=True) for _ in range(3)]
    x = cupy.ones(1 << 20, cupy.int32)
    cupy.cuda.Device().synchronize()
    results = []
    for stream in streams:
        with stream:
            y = x * 2  # in this stream, as the scan has to be
            results.append(scan.cumsum(y))
    given = scan.cumsum(x, stream=streams[0])
    for stream in streams:
        stream.synchronize()
    for result in results:
        assert int(result[-1]) == 2 << 20
    assert int(given[-1]) == 1 << 20


def test_workspaces():
    x = cupy.ones(1 << 22, cupy.int32)
    with scan.Workspace(x.size) as workspace:
        assert workspace.num_bytes > 0
        for _ in range(3):
            assert int(scan.cumsum(x, workspace=workspace)[-1]) == x.size
        with pytest.raises(scan.ScanValueError, match="workspace"):
            scan.cumsum(cupy.ones(1 << 26, cupy.int32), workspace=workspace)
    with scan.Workspace(extents=(8, 1 << 16, 1)) as workspace:
        rows = cupy.ones((8, 1 << 16), cupy.int32)
        assert int(scan.cumsum(rows, workspace=workspace)[-1, -1]) == 1 << 16
    with pytest.raises(ValueError, match="closed"):
        scan.cumsum(x, workspace=workspace)


class Dlpack:
    """A CuPy array of which only DLPack is seen."""

    def __init__(self, array):
        self.array, self.streams = array, []

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, *, stream=None, **options):
        self.streams.append(stream)
        return self.array.__dlpack__(stream=stream)


def test_protocols():
    x, out = cupy.arange(1000.0), cupy.empty(1000)
    producer = Dlpack(x)
    scan.inclusive(producer, out=Dlpack(out))
    equal(out, np.cumsum(x.get()))
    assert producer.streams == [1]  # the legacy default stream
    out[:] = 0
    scan.inclusive(foreign.Interface(**x.__cuda_array_interface__),
                   out=foreign.Interface(**out.__cuda_array_interface__))
    equal(out, np.cumsum(x.get()))
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        y = x + 1
        other = cupy.empty(1000)
    # Its own stream is in what y says; the call's is another one, which has to wait.
    scan.inclusive(foreign.Interface(**{**y.__cuda_array_interface__, "stream": stream.ptr}), stream=0,
                   out=Dlpack(other))
    cupy.cuda.Device().synchronize()
    equal(other, np.cumsum(x.get() + 1))


def test_refused():
    x = cupy.ones(8, cupy.float32)
    for call in (lambda: scan.cumsum(x, out=np.empty(8, np.float32)),
                 lambda: scan.inclusive(x, init=np.zeros((), np.float32)),
                 lambda: scan.segmented(x, np.array([0, 8]))):
        with pytest.raises(scan.ScanValueError, match="is on the CPU, and x on device 0"):
            call()
    with pytest.raises(scan.ScanValueError, match="threads"):
        scan.cumsum(x, threads=2)


def test_threads():
    failures = []

    def work(seed):
        try:
            with cupy.cuda.Stream(non_blocking=True):
                for n in range(seed, 40_000, 997):
                    assert int(scan.cumsum(cupy.ones(n, cupy.int64))[-1]) == n
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(1, 7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]


def test_another_device():
    if cupy.cuda.runtime.getDeviceCount() < 2:
        pytest.skip("one device")
    with cupy.cuda.Device(1):
        x = cupy.arange(100_000)
        cupy.cuda.Device().synchronize()
    before = cupy.cuda.runtime.getDevice()
    out = scan.cumsum(x)
    assert cupy.cuda.runtime.getDevice() == before and out.device.id == 1
    with cupy.cuda.Device(1):
        equal(out, np.cumsum(np.arange(100_000)))
