"""The way to a device without one: a CuPy, a driver and kernels that are made up.

Arrays are NumPy's, which say that they are on a device; the library's calls are looked at and then made on
the CPU. What real devices, streams and frameworks do is for test_device.py.
"""
import contextlib
import ctypes
import struct
import sys
import types

import foreign
import numpy as np
import pytest

import onepass_scan as scan
from onepass_scan import _cuda, _library

OPTIONS = struct.Struct("@NiiiiiiPPPPPPPP")


class Machine:
    """Two devices, their current one, and what has been asked of them."""

    def __init__(self):
        self.contexts, self.streams, self.calls, self.waits, self.copies = [0], [0, 0], [], [], []
        self.waited = []

    @property
    def stream(self):
        """The current one of the current device."""
        return self.streams[self.contexts[-1]]

    @stream.setter
    def stream(self, number):
        self.streams[:] = [number] * 2

    # ---- the driver ----
    def cuCtxGetDevice(self, device):
        if not self.contexts:
            return 201
        device._obj.value = self.contexts[-1]
        return 0

    def cuDevicePrimaryCtxRetain(self, context, device):
        context._obj.value = 1000 + device
        return 0

    def cuCtxPushCurrent_v2(self, context):
        self.contexts.append(context.value - 1000)
        return 0

    def cuCtxPopCurrent_v2(self, context):
        self.contexts.pop()
        return 0

    def cuPointerGetAttribute(self, device, attribute, pointer):
        device._obj.value = 1
        return 0

    def cuEventCreate(self, event, flags):
        self.waits.append(["create", self.contexts[-1]])
        event._obj.value = 77
        return 0

    def cuEventRecord(self, event, stream):
        self.waits.append(["record", event.value, stream.value])
        return 0

    def cuStreamWaitEvent(self, stream, event, flags):
        self.waits.append(["wait", event.value, stream.value])
        return 0

    def cuEventDestroy_v2(self, event):
        self.waits.append(["destroy", event.value])
        return 0

    # ---- the library ----
    def on_cpu(self, function):
        def call(operands, shape, *more):
            *more, options = more or [shape]
            fields, rest = list(OPTIONS.unpack_from(options)), options[OPTIONS.size:]
            place, threads, stream = fields[1], fields[2], fields[7]
            self.calls.append((self.contexts[-1], stream, fields[8]))
            assert (place, threads) == (_library.DEVICE, 0)
            fields[1], fields[7], fields[8] = _library.HOST, 0, 0
            if more:
                return function(operands, shape, *more, OPTIONS.pack(*fields))
            return function(operands, shape, OPTIONS.pack(*fields) + rest)
        return call


def made_up_cupy(machine):
    class ndarray(np.ndarray):
        def __array_finalize__(self, other):
            self.device_id = getattr(other, "device_id", machine.contexts[-1])
            self.made_in = getattr(other, "made_in", None)

        @property
        def data(self):
            return types.SimpleNamespace(ptr=self.ctypes.data, device_id=self.device_id)

        def get(self):  # waits
            machine.waited.append((machine.contexts[-1], machine.stream))
            return np.array(self)

        def copy(self, order):  # to the current device, in its current stream
            made = np.array(self, order=order).view(ndarray)
            made.device_id = machine.contexts[-1]
            machine.copies.append((made.device_id, machine.stream))
            return made

    @contextlib.contextmanager
    def device(index):
        machine.contexts.append(index)
        yield
        machine.contexts.pop()

    @contextlib.contextmanager
    def stream(number):
        device = machine.contexts[-1]
        before, machine.streams[device] = machine.streams[device], number
        yield
        machine.streams[device] = before

    cupy = types.ModuleType("cupy")
    cupy.ndarray, cupy.dtype = ndarray, np.dtype

    def empty(shape, dtype):
        made = np.empty(shape, dtype).view(ndarray)
        made.device_id, made.made_in = machine.contexts[-1], machine.stream
        return made

    cupy.empty = empty
    cupy.cuda = types.SimpleNamespace(
        Device=device, ExternalStream=stream,
        get_current_stream=lambda device=-1: types.SimpleNamespace(
            ptr=machine.stream if device < 0 else machine.streams[device]),
        runtime=types.SimpleNamespace(getDevice=lambda: machine.contexts[-1]))
    return cupy


@pytest.fixture
def machine(monkeypatch):
    made = Machine()
    monkeypatch.setitem(sys.modules, "cupy", made_up_cupy(made))
    monkeypatch.setattr(_cuda, "_driver", lambda: made)
    monkeypatch.setattr(_cuda, "num_devices", lambda: 2)
    monkeypatch.setattr(_cuda, "_primary_context", _cuda._primary_context.__wrapped__)
    for name in ("scan_sequence", "scan_tensor", "scan_segmented", "scan_by_key", "scan_recurrence",
                 "scan_select", "scan_partition", "scan_indices", "scan_unique", "scan_runs"):
        monkeypatch.setattr(_library, name, made.on_cpu(getattr(_library, name)))
    from onepass_scan import _compaction, _recurrence, _scans, _segments
    for module in (_compaction, _recurrence, _scans, _segments):  # plans hold functions and devices
        monkeypatch.setattr(module, "_plans", type(module._plans)())
    return made


def on(machine, device, array):
    array = np.array(array).view(sys.modules["cupy"].ndarray)
    array.device_id = device
    return array


@pytest.mark.parametrize("device", [0, 1])
@pytest.mark.parametrize("stream", [None, 5])
def test_streams_and_devices(machine, device, stream):
    x = on(machine, device, np.arange(24, dtype=np.int32).reshape(2, 3, 4))
    machine.stream = 9
    for axis in range(3):
        out, total = scan.inclusive(x, axis, stream=stream, total=True)
        assert type(out) is type(x) and out.device_id == total.device_id == device
        assert out.made_in == total.made_in == (stream or 9)  # whose memory it is
        np.testing.assert_array_equal(out, np.cumsum(np.asarray(x), axis))
        assert machine.calls[-1][:2] == (device, stream or 9)
    turned = scan.cumsum(x.transpose(2, 0, 1), 0, stream=types.SimpleNamespace(ptr=7))
    np.testing.assert_array_equal(np.asarray(turned), np.cumsum(np.asarray(x).transpose(2, 0, 1), 0))
    assert turned.strides == x.transpose(2, 0, 1).strides and machine.calls[-1][1] == 7
    line = on(machine, device, np.arange(6, dtype=np.float32))
    scan.segmented(line, on(machine, device, [0, 6]))
    scan.by_key(line, line)
    scan.recurrence(line + 1, line, init=on(machine, device, np.float32(1)), out=line)
    assert [call[:2] for call in machine.calls[-3:]] == [(device, 9)] * 3
    assert machine.contexts == [0] and machine.stream == 9  # as they were


@pytest.mark.parametrize("device", [0, 1])
@pytest.mark.parametrize("stream", [None, 5])
def test_compactions_wait_where_they_are_asked_to(machine, device, stream):
    machine.stream = 9
    x = on(machine, device, np.arange(10, dtype=np.int32))
    flags = on(machine, device, np.arange(10) % 3 == 0)
    out, count = scan.select(x, flags, size=6, stream=stream)
    assert type(count) is type(x) and out.device_id == count.device_id == device
    assert out.made_in == count.made_in == (stream or 9) and count.dtype == np.int64
    scan.indices(flags, out, count=count, stream=stream)
    scan.partition(x, flags, n=count, size=3, stream=stream)
    assert not machine.waited and set(call[:2] for call in machine.calls) == {(device, stream or 9)}
    np.testing.assert_array_equal(scan.unique(x // 5, stream=stream), [0, 1])
    assert machine.waited == [(device, stream or 9)]
    np.testing.assert_array_equal(scan.partition(x, flags, n=count, stream=stream)[1], [1, 2])
    assert len(machine.waited) == 3 and set(machine.waited) == {(device, stream or 9)}  # for n, too
    assert machine.contexts == [0] and machine.stream == 9
    with pytest.raises(scan.ScanTypeError, match="size, out or count is missing"):
        scan.select(foreign.Namespaced(np.arange(3), device=(2, device)), flags[:3])
    for call in (lambda: scan.select(x, np.arange(10) > 1), lambda: scan.indices(flags, np.empty(3, int)),
                 lambda: scan.select(x, flags, n=np.array(3)), lambda: scan.select(x, flags, count=np.array(3))):
        with pytest.raises(scan.ScanValueError, match="is on the CPU, and x on device"):
            call()


def test_what_waits_keeps_its_workspace(machine, monkeypatch):
    made = []

    class Workspace:
        def __init__(self, max_items):
            self.max_items, self.device = max_items, machine.contexts[-1]
            made.append(self)
            self.handle = 64 * len(made)

    from onepass_scan import _compaction
    monkeypatch.setattr(_library, "Workspace", Workspace)
    monkeypatch.setattr(_compaction, "_kept", type(_compaction._kept)())
    x, flags = on(machine, 1, np.arange(10)), on(machine, 1, np.arange(10) > 4)
    for _ in range(2):
        scan.select(x, flags)
    scan.select(x, flags, size=3)
    scan.indices(flags, workspace=types.SimpleNamespace(handle=640))
    scan.indices(on(machine, 0, np.arange(10) > 4))
    assert [workspace for _, _, workspace in machine.calls] == [64, 64, 0, 640, 128]
    assert [each.device for each in made] == [1, 0]
    scan.unique(on(machine, 1, np.zeros((1 << 20) + 1, np.int8)))  # for more than there is room
    assert len(made) == 3 and made[2].max_items == (1 << 21) + 2 and machine.calls[-1][2] == 192

    def interrupted(self):
        raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules["cupy"].ndarray, "get", interrupted)
    with pytest.raises(KeyboardInterrupt):
        scan.unique(x)
    before = len(made)
    with pytest.raises(KeyboardInterrupt):
        scan.unique(x)
    assert len(made) == before + 1  # what a call may still be using is not taken again


def test_current_streams_are_asked_each_time(machine):
    x = on(machine, 0, np.arange(4))
    for machine.stream in (0, 3, 4, 3):
        scan.cumsum(x)
    assert [stream for _, stream, _ in machine.calls] == [0, 3, 4, 3]


def test_streams_are_those_of_the_arrays_device(machine):
    machine.streams[:] = [9, 11]
    for device, stream in ((0, 9), (1, 11)):
        out = scan.cumsum(on(machine, device, np.arange(4)))
        assert machine.calls[-1][:2] == (device, stream) and out.made_in == stream


def test_copies_are_made_where_and_when_they_are_read(machine):
    x = on(machine, 1, np.arange(8))[::2]
    machine.stream = 9
    for stream in (None, 5):
        np.testing.assert_array_equal(scan.cumsum(x, copy=True, stream=stream), np.cumsum(np.arange(8)[::2]))
        scan.recurrence(x / 1, x * 1.0 if stream else (x / 1).repeat(2)[::2], copy=True, stream=stream)
    assert set(machine.copies) == {(1, 9), (1, 5)}
    assert {call[:2] for call in machine.calls} == {(1, 9), (1, 5)}


def test_a_thread_without_a_context_gets_one(machine):
    machine.contexts.clear()
    for device in (0, 1):
        with _cuda.on_device(device):
            assert machine.contexts == [device]
        assert not machine.contexts


def test_what_the_driver_returns_is_the_code():
    with pytest.raises(scan.ScanError, match="cuInit failed .* error 100") as caught:
        _cuda._check(100, "cuInit")
    assert caught.value.code == 100


def test_torch_allocates_and_copies_in_the_calls_stream(monkeypatch):
    torch = pytest.importorskip("torch")
    from onepass_scan import _torch_arrays
    arrays, current, made = _torch_arrays.TorchArrays, [5], []

    @contextlib.contextmanager
    def stream(number):
        current.append(number)
        yield
        current.pop()

    monkeypatch.setattr(_torch_arrays, "_raw_stream", lambda device: current[-1])
    monkeypatch.setattr(torch.cuda, "ExternalStream", lambda number, device: number)
    monkeypatch.setattr(torch.cuda, "stream", stream)
    monkeypatch.setattr(torch, "empty_like", lambda x: made.append(current[-1]))
    x = torch.ones(3)
    key = x.dtype, x.shape, x.stride(), torch.device("cuda", 0), False
    for current[0] in (5, 8):  # when the plan is made
        allocate = arrays.allocator(x, key, (3,), (0,), "float32", 5)
        for current[0] in (5, 8):  # and when it is used
            allocate(x)
    assert made == [5] * 4
    on_device = types.SimpleNamespace(is_cuda=True, device=key[3], clone=lambda **_: current[-1])
    assert arrays.dense(on_device, 7) == 7


def test_the_device_is_put_back_after_an_error(machine):
    x = on(machine, 1, np.arange(4))
    with pytest.raises(scan.ScanValueError, match="overlaps the input"):
        scan.cumsum(x[:3], out=x[1:])
    assert machine.contexts == [0]


def test_arrays_of_other_places_are_refused(machine):
    x, elsewhere = on(machine, 0, np.arange(4)), on(machine, 1, np.arange(4))
    for call, message in ((lambda: scan.cumsum(x, out=elsewhere), "out is on device 1, and x on device 0"),
                          (lambda: scan.cumsum(x, out=np.arange(4)), "out is on the CPU, and x on device 0"),
                          (lambda: scan.cumsum(np.arange(4), out=x), "out is on device 0, and x on the CPU"),
                          (lambda: scan.inclusive(x, init=elsewhere[:1]), "init is on device 1"),
                          (lambda: scan.segmented(x, elsewhere), "offsets is on device 1"),
                          (lambda: scan.recurrence(elsewhere / 1, x / 1), "a is on device 1")):
        with pytest.raises(scan.ScanValueError, match=message):
            call()
    assert not machine.calls


def test_interfaces_and_capsules(machine):
    x, out = np.arange(5.0), np.empty(5)

    def interface(array, **more):
        return foreign.Interface(shape=array.shape, typestr="<f8", data=(array.ctypes.data, False), version=3,
                                 **more)

    scan.inclusive(interface(x, stream=6), out=interface(out, stream=6))
    np.testing.assert_array_equal(out, np.cumsum(x))
    assert machine.calls == [(1, 6, 0)] and not machine.waits  # the producer's stream is the call's
    scan.inclusive(interface(x, stream=6), out=interface(out), stream=8)
    assert machine.calls[-1] == (1, 8, 0)
    # Of the device whose streams they are.
    assert machine.waits == [["create", 1], ["record", 77, 6], ["wait", 77, 8], ["destroy", 77]]
    scan.inclusive(interface(x, stream=1), out=interface(out, stream=1), stream=0)
    assert len(machine.waits) == 4  # the legacy stream by either name
    producer = foreign.Producer(x, device=(2, 1))
    scan.inclusive(producer, out=foreign.OldProducer(out, device=(2, 1)), stream=8)
    assert machine.calls[-1] == (1, 8, 0) and producer.streams == [8]
    scan.inclusive(producer, out=foreign.OldProducer(out, device=(2, 1)))
    assert machine.calls[-1] == (1, 0, 0) and producer.streams == [8, 1]  # the legacy default stream


def test_a_workspace_is_passed_on(machine):
    kept = types.SimpleNamespace(handle=ctypes.addressof(ctypes.c_int()))
    scan.cumsum(on(machine, 0, np.arange(4)), workspace=kept)
    assert machine.calls == [(0, 0, kept.handle)]
