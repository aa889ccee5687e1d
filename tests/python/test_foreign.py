"""Arrays of frameworks that the package does not know, by DLPack and __cuda_array_interface__."""
import gc

import foreign
import numpy as np
import pytest

import onepass_scan as scan


@pytest.mark.parametrize("kind", [foreign.Producer, foreign.OldProducer])
@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "uint64", "float16", "float32", "float64",
                                   "bool"])
def test_round_trip(kind, dtype):
    array = np.random.default_rng(1).integers(0, 2, 50).astype(dtype)
    x, out = kind(array), np.empty(50, "int64" if dtype == "bool" else dtype)
    assert scan.inclusive(x, out=out) is out
    np.testing.assert_array_equal(out, np.cumsum(array))
    both = kind(np.empty(50, out.dtype))
    assert scan.inclusive(x, out=both, init=1) is both
    np.testing.assert_array_equal(both.array, np.cumsum(array) + 1)
    gc.collect()
    assert (x.exported, x.deleted, both.exported, both.deleted) == (2, 2, 1, 1)
    assert foreign.alive() == 0


def test_capsules_outlive_the_call(monkeypatch):
    from onepass_scan import _library, _scans
    alive = []

    def watched(*arguments, call=_library.scan_sequence):
        alive.append(foreign.alive())
        return call(*arguments)

    monkeypatch.setattr(_library, "scan_sequence", watched)
    monkeypatch.setattr(_scans, "_plans", type(_scans._plans)())  # which hold functions
    values = [np.arange(4.0), np.empty(4), np.ones(()), np.empty(())]
    x, out, init, total = (foreign.Producer(array) for array in values)
    scan.inclusive(x, out=out)
    scan.inclusive(x, out=out, init=init, total=total)
    assert alive == [2, 4] and total.array == 7
    assert foreign.alive() == 0


def test_shapes_strides_and_offsets():
    array = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
    for x in (foreign.Producer(array, strides=False), foreign.OldProducer(array, offset=64)):
        for axis in (0, 1, 2):
            out = np.empty_like(array)
            scan.inclusive(x, axis, out=out)
            np.testing.assert_array_equal(out, np.cumsum(array, axis))
    turned = foreign.Producer(array.transpose(2, 0, 1))
    out = np.empty_like(array).transpose(2, 0, 1)
    scan.inclusive(turned, 1, out=out)
    np.testing.assert_array_equal(out, np.cumsum(turned.array, 1))
    with pytest.raises(scan.LayoutError):
        scan.inclusive(foreign.Producer(array[:, :, ::2]), 2, out=np.empty((2, 3, 2), np.int32))
    gc.collect()
    assert foreign.alive() == 0


def test_every_call_takes_them():
    values = np.arange(6, dtype=np.float32)
    out = np.empty(6, np.float32)
    scan.segmented(foreign.Producer(values), foreign.OldProducer(np.array([0, 2, 6])), out=out)
    np.testing.assert_array_equal(out, [0, 1, 2, 5, 9, 14])
    scan.by_key(values, foreign.Producer(np.array([0, 0, 1, 1, 1, 0])), out=foreign.Producer(out))
    np.testing.assert_array_equal(out, [0, 1, 2, 5, 9, 5])
    total = np.empty((), np.float32)
    scan.recurrence(foreign.Producer(np.ones(6, np.float32)), foreign.Producer(values), out=out,
                    init=foreign.Producer(np.array(1, np.float32)), return_state=foreign.Producer(total))
    np.testing.assert_array_equal(out, 1 + np.cumsum(values))
    assert total == out[-1]
    gc.collect()
    assert foreign.alive() == 0


def test_new_arrays_by_the_array_api():
    x = foreign.Namespaced(np.arange(4, dtype=np.int32))
    out, total = scan.cumsum(x, total=True)
    assert type(out) is foreign.Namespaced and type(total) is foreign.Namespaced
    np.testing.assert_array_equal(out.array, [0, 1, 3, 6])
    assert total.array == 6
    with pytest.raises(scan.ScanTypeError, match="out is missing: of foreign.Producer"):
        scan.cumsum(foreign.Producer(np.arange(4, dtype=np.int32)))  # of the same key, but its type


def test_refused():
    values = np.arange(4, dtype=np.float32)
    out = np.empty_like(values)
    for x, message in ((foreign.Producer(values, code=5), "code 5, 32 bits"),
                       (foreign.Producer(values, lanes=2), "2 lanes"),
                       (foreign.Producer(values, major=2), "version 2.1"),
                       (foreign.Producer(values, device=(7, 0)), "device of type 7"),
                       (foreign.OldProducer(values, bits=128), "128 bits")):
        with pytest.raises(scan.ScanTypeError, match=message):
            scan.inclusive(x, out=out)
    with pytest.raises(scan.ScanTypeError, match="read-only"):
        scan.inclusive(values, out=foreign.Producer(out, read_only=True))
    scan.inclusive(foreign.Producer(values, read_only=True), out=out)
    with pytest.raises(scan.ScanTypeError, match="copy=True wants"):
        scan.inclusive(foreign.Producer(values[::2]), out=out[:2], copy=True)

    class Wrong:
        def __dlpack_device__(self):
            return 1, 0

        def __dlpack__(self, **_):
            return 3

    with pytest.raises(scan.ScanTypeError, match="no DLPack capsule"):
        scan.inclusive(Wrong(), out=out)

    class Broken(Wrong):
        def __dlpack__(self, **_):
            raise TypeError("of its own")

    with pytest.raises(TypeError, match="of its own"):
        scan.inclusive(Broken(), out=out)
    gc.collect()
    assert foreign.alive() == 0


def test_what_others_make_of_ctypes():
    """JAX, for one, says types of functions of ctypes.pythonapi, which are the same for all."""
    import ctypes
    function, out = ctypes.pythonapi.PyCapsule_GetPointer, np.empty(3, np.int32)
    before = function.argtypes, function.restype
    try:
        function.argtypes, function.restype = (ctypes.c_char_p,), None
        scan.inclusive(foreign.Producer(np.arange(3, dtype=np.int32)), out=out)
    finally:
        function.argtypes, function.restype = before
    np.testing.assert_array_equal(out, [0, 1, 3])


def test_arrays_of_numpy_as_producers():
    """What NumPy exports, wrapped so that it is not known for NumPy's."""
    class Wrapped:
        def __init__(self, array):
            self.__dlpack__, self.__dlpack_device__ = array.__dlpack__, array.__dlpack_device__

    x, out = np.arange(5.0), np.empty(5)
    scan.inclusive(Wrapped(x), out=Wrapped(out))
    np.testing.assert_array_equal(out, np.cumsum(x))


def test_streams_are_exchanged():
    """Without a GPU as well: the producer is asked before CUDA is."""
    x = foreign.Producer(np.zeros(0, np.float32), device=(2, 0))
    for stream, said in ((None, 1), (0, 1), (2, 2), (12345678, 12345678)):
        try:
            scan.inclusive(x, out=x, stream=stream)
        except scan.ScanError:
            pass  # no driver, or no such stream
        assert x.streams[-2:] == [said, said]
    on_host = foreign.Producer(np.zeros(3, np.float32))
    scan.inclusive(on_host, out=on_host)
    assert on_host.streams == [None, None]


def test_interfaces_of_cuda_are_read():
    described = {"shape": (4,), "typestr": "<f4", "data": (4096, True), "version": 3}
    x = np.empty(4, np.float32)
    for change, message in (({"typestr": ">f4"}, "typestr '>f4'"), ({"typestr": "<c8"}, "typestr '<c8'"),
                            ({"mask": x}, "mask"), ({"stream": 0}, "stream of 0")):
        with pytest.raises(scan.ScanTypeError, match=message):
            scan.inclusive(foreign.Interface(**{**described, **change}))
    with pytest.raises(scan.ScanTypeError, match="read-only"):
        scan.inclusive(x, out=foreign.Interface(**described))
