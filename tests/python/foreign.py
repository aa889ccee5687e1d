"""Producers of DLPack and __cuda_array_interface__ that no framework has made."""
import ctypes

import numpy as np

_new_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", ctypes.pythonapi))
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_IsValid", ctypes.pythonapi))
_get_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi))
_Destructor = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class Managed(ctypes.Structure):
    _fields_ = [("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", _Deleter)]


class ManagedVersioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
                ("deleter", _Deleter), ("flags", ctypes.c_uint64), ("tensor", DLTensor)]


_alive = {}  # managed tensors by address, until their deleter is called


@_Deleter
def _delete(address):
    _alive.pop(address)[0].deleted += 1


def _destroy_as(name, structure):
    @_Destructor
    def destroy(capsule):
        if _is_valid(capsule, name):  # nobody took it over
            held = _get_pointer(capsule, name)
            structure.from_address(held).deleter(held)
    return destroy


_NAMES = {False: b"dltensor", True: b"dltensor_versioned"}
_DESTRUCTORS = {is_versioned: _destroy_as(name, ManagedVersioned if is_versioned else Managed)
                for is_versioned, name in _NAMES.items()}
_CODES = {"i": 0, "u": 1, "f": 2, "b": 6}


class Producer:
    """An array as a framework of its own would hand it out."""

    def __init__(self, array, versioned=True, device=(1, 0), read_only=False, strides=True, offset=0,
                 **dtype):
        self.array, self.versioned, self.device, self.read_only = array, versioned, device, read_only
        self.strides, self.offset, self.dtype = strides, offset, dtype
        self.exported = self.deleted = 0
        self.streams = []

    def __dlpack_device__(self):
        return self.device

    def capsule(self, stream):
        self.exported += 1
        self.streams.append(stream)
        x = self.array
        managed = ManagedVersioned() if self.versioned else Managed()
        numbers = ctypes.c_int64 * x.ndim
        shape, strides = numbers(*x.shape), numbers(*(step // x.itemsize for step in x.strides))
        code = self.dtype.get("code", _CODES[x.dtype.kind])
        managed.tensor = DLTensor(x.ctypes.data - self.offset, *self.device, x.ndim, code,
                                  self.dtype.get("bits", 8 * x.itemsize), self.dtype.get("lanes", 1), shape,
                                  strides if self.strides else None, self.offset)
        managed.deleter = _delete
        if self.versioned:
            managed.major, managed.minor, managed.flags = self.dtype.get("major", 1), 1, int(self.read_only)
        address = ctypes.addressof(managed)
        _alive[address] = (self, managed, shape, strides)
        return _new_capsule(address, _NAMES[self.versioned],
                            ctypes.cast(_DESTRUCTORS[self.versioned], ctypes.c_void_p))

    def __dlpack__(self, *, stream=None, max_version=None):
        return self.capsule(stream)


class OldProducer(Producer):
    """From before there were versions."""

    def __init__(self, array, **options):
        super().__init__(array, versioned=False, **options)

    def __dlpack__(self, stream=None):
        return self.capsule(stream)


class Namespaced(Producer):
    """One whose arrays say how to make more of them, as the array API has it."""

    class Namespace:
        int32, int64, float32 = np.int32, np.int64, np.float32

        @staticmethod
        def empty(shape, dtype, device):
            return Namespaced(np.empty(shape, dtype))

    def __array_namespace__(self):
        return self.Namespace


class Interface:
    """What has __cuda_array_interface__."""

    def __init__(self, **interface):
        self.__cuda_array_interface__ = interface


def alive():
    """How many managed tensors have not been deleted."""
    return len(_alive)
