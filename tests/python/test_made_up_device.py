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
        self.contexts, self.stream, self.calls, self.waits = [0], 0, [], []

    # ---- the driver ----
    def cuCtxGetDevice(self, device):
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
            fields = list(OPTIONS.unpack(options))
            place, threads, stream = fields[1], fields[2], fields[7]
            self.calls.append((self.contexts[-1], stream, fields[8]))
            assert (place, threads) == (_library.DEVICE, 0)
            fields[1], fields[7], fields[8] = _library.HOST, 0, 0
            if more:
                return function(operands, shape, *more, OPTIONS.pack(*fields))
            return function(operands, shape, OPTIONS.pack(*fields))
        return call


def made_up_cupy(machine):
    class ndarray(np.ndarray):
        def __array_finalize__(self, other):
            self.device_id = getattr(other, "device_id", machine.contexts[-1])
            self.made_in = getattr(other, "made_in", None)

        @property
        def data(self):
            return types.SimpleNamespace(ptr=self.ctypes.data, device_id=self.device_id)

    @contextlib.contextmanager
    def device(index):
        machine.contexts.append(index)
        yield
        machine.contexts.pop()

    @contextlib.contextmanager
    def stream(number):
        before, machine.stream = machine.stream, number
        yield
        machine.stream = before

    cupy = types.ModuleType("cupy")
    cupy.ndarray, cupy.dtype = ndarray, np.dtype

    def empty(shape, dtype):
        made = np.empty(shape, dtype).view(ndarray)
        made.device_id, made.made_in = machine.contexts[-1], machine.stream
        return made

    cupy.empty = empty
    cupy.cuda = types.SimpleNamespace(
        Device=device, ExternalStream=stream,
        get_current_stream=lambda: types.SimpleNamespace(ptr=machine.stream),
        runtime=types.SimpleNamespace(getDevice=lambda: machine.contexts[-1]))
    return cupy


@pytest.fixture
def machine(monkeypatch):
    made = Machine()
    monkeypatch.setitem(sys.modules, "cupy", made_up_cupy(made))
    monkeypatch.setattr(_cuda, "_driver", lambda: made)
    monkeypatch.setattr(_cuda, "num_devices", lambda: 2)
    monkeypatch.setattr(_cuda, "_primary_context", _cuda._primary_context.__wrapped__)
    for name in ("scan_sequence", "scan_tensor", "scan_segmented", "scan_by_key", "scan_recurrence"):
        monkeypatch.setattr(_library, name, made.on_cpu(getattr(_library, name)))
    from onepass_scan import _recurrence, _scans, _segments
    for module in (_recurrence, _scans, _segments):  # plans hold functions and devices
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


def test_current_streams_are_asked_each_time(machine):
    x = on(machine, 0, np.arange(4))
    for machine.stream in (0, 3, 4, 3):
        scan.cumsum(x)
    assert [stream for _, stream, _ in machine.calls] == [0, 3, 4, 3]


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
    assert machine.waits == [["record", 77, 6], ["wait", 77, 8], ["destroy", 77]]
    producer = foreign.Producer(x, device=(2, 1))
    scan.inclusive(producer, out=foreign.OldProducer(out, device=(2, 1)), stream=8)
    assert machine.calls[-1] == (1, 8, 0) and producer.streams == [8]
    scan.inclusive(producer, out=foreign.OldProducer(out, device=(2, 1)))
    assert machine.calls[-1] == (1, 0, 0) and producer.streams == [8, 1]  # the legacy default stream


def test_a_workspace_is_passed_on(machine):
    kept = types.SimpleNamespace(handle=ctypes.addressof(ctypes.c_int()))
    scan.cumsum(on(machine, 0, np.arange(4)), workspace=kept)
    assert machine.calls == [(0, 0, kept.handle)]
