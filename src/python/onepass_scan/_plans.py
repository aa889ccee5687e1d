"""What a call comes to, worked out once for arrays that differ in nothing but their addresses."""
from __future__ import annotations

from . import _cuda, _library
from ._adapters import ADAPTERS, Described, adapter_of
from ._errors import ScanTypeError, ScanValueError
from ._layout import Extents, contiguous_strides, extents_of, is_dense, normal_axis, order_of
from ._types import CODES, is_scalar, name_of, value_in_memory

_BIT_AND, _BIT_OR = 4, 5
_MOST_PLANS = 1024  # kept; a program whose shapes keep changing begins anew


class Plans(dict):
    """Plans by what they are for. Safe from many threads: at worst two make the same one."""

    def keep(self, key: object, plan: Plan) -> Plan:
        if len(self) >= _MOST_PLANS:
            self.clear()
        self[key] = plan
        return plan


class Plan:
    """The bytes that a call gives the library, but for addresses."""

    __slots__ = ("function", "codes", "shape", "options", "allocate", "guarded", "device", "stream", "place",
                 "option_values", "value_type", "values_shape", "values_order", "adapter", "make_values",
                 "allocator_of_values", "num_items", "capacity", "init")

    def choose_place(self, device: int, stream: int, threads: int, reverse: bool, complete: bool,
                     algorithm: str) -> None:
        """The options, for calls that have none besides."""
        if algorithm not in _library.ALGORITHMS:
            raise ScanValueError(f"algorithm is {algorithm!r}; there are {', '.join(_library.ALGORITHMS)}")
        if not isinstance(threads, int):
            raise ScanTypeError(f"threads is {threads!r}; an integer is wanted")
        if not -1 << 31 <= threads < 1 << 31:
            raise ScanValueError(f"threads is {threads}, which is no number of threads")
        check_flag("reverse", reverse)
        check_flag("complete", complete)
        self.device, self.stream = device, stream
        self.place = _library.HOST if device < 0 else _library.DEVICE
        values = self.place, threads, bool(reverse), bool(complete), _library.ALGORITHMS[algorithm]
        self.option_values = (_library.OPTIONS_SIZE, *values, 0, stream)  # how all options begin
        # Without a workspace the library has tile states from cudaMallocAsync, for every framework: it is in
        # the order of the stream, as their own allocators are, and calls nothing of Python's. torch's would
        # have to be called back, with Python's lock, for some kilobytes that are free again at once.
        self.options = _library.pack_options(*values, stream)
        # With one device there is nothing to switch to.
        self.guarded = device >= 0 and _cuda.num_devices() > 1

    def call(self, *arguments: object) -> None:
        """On the array's device."""
        if self.guarded:
            with _cuda.on_device(self.device):
                status = self.function(*arguments)
        else:
            status = self.function(*arguments)
        if status.code:
            _library.raise_for(status)

    def options_with(self, x: object, init: object, total: object, workspace: object) -> tuple:
        """(options, total's array or None, what has to outlive the call)."""
        init_at = init_pointer = 0
        init_owner = None
        if init is not None:
            known = self.init
            if init is known[0]:  # one object, so one value
                _, init_at, init_owner = known
            elif is_scalar(init):
                init_owner = value_in_memory(init, self.value_type)
                init_at = _library.ctypes.addressof(init_owner)
                self.init = init, init_at, init_owner
            else:
                init_pointer, init_owner = self.values("init", init, False)
        if total is True and self.make_values is not None:  # (as values_wanted, a Python call less)
            total, total_owner = self.make_values(x), None
            total_at = self.adapter.address(total)
        else:
            total_at, total, total_owner = self.values_wanted("total", total, x)
        handle = 0 if workspace is None else workspace.handle
        packed = _library.pack_all_options(*self.option_values, handle, init_at, init_pointer, total_at, 0, 0, 0)
        return packed, total, (init_owner, total_owner, init)

    def values_wanted(self, name: str, wanted: object, x: object) -> tuple[int, object, object]:
        """The address, array and owner of values that are written: made where True is given, none without."""
        if wanted is True:
            if self.make_values is None:
                self.make_values = self.allocator_of_values(x)
            made = self.make_values(x)
            return self.adapter.address(made), made, None
        if wanted is None or wanted is False:
            return 0, None, None
        pointer, owner = self.values(name, wanted, True)
        return pointer, wanted, owner

    def values(self, name: str, values: object, write: bool) -> tuple[int, object]:
        """The address of an array of one value a sequence."""
        adapter = ADAPTERS.get(type(values)) or adapter_of(values)
        key, pointer, _, owner = adapter.open(values, self.stream, write)
        given = adapter.describe(key)
        shape = self.values_shape
        if given.dtype != self.value_type:
            raise ScanTypeError(f"{name} is of {given.dtype}, and what it holds is of {self.value_type}")
        if tuple(given.shape) != shape and not (shape == () and tuple(given.shape) == (1,)):
            raise ScanValueError(f"{name} has shape {tuple(given.shape)}; one value a sequence is {shape}")
        if shape and not is_dense(shape, given.strides, self.values_order):
            raise ScanValueError(f"{name} has strides {given.strides}; values of these sequences lie at "
                                 f"{contiguous_strides(shape, self.values_order)}")
        check_device(name, given, self.device)
        return pointer, owner

    def choose_values(self, dtype: str, shape: tuple[int, ...], order: tuple[int, ...], adapter: type,
                      key: object) -> None:
        """What init and total are: one value of this type a sequence."""
        self.value_type, self.values_shape, self.values_order = dtype, shape, order
        self.init = None, 0, None  # the last number, where it is, and its owner
        self.adapter, self.make_values = adapter, None
        self.allocator_of_values = lambda x: adapter.allocator(x, key, shape, order, dtype, self.stream)


def check_flag(name: str, flag: object) -> None:
    """Raises for a flag that may change after its plan has been kept, as a tensor of one bool does."""
    if flag is not None and not isinstance(flag, int) and type(flag).__name__ not in ("bool", "bool_"):
        raise ScanTypeError(f"{name} is {flag!r}; True or False is wanted")


def check_device(name: str, given: Described, device: int) -> None:
    """Raises where an array is elsewhere than x."""
    if given.device != device:
        places = ["the CPU" if index < 0 else f"device {index}" for index in (given.device, device)]
        raise ScanValueError(f"{name} is on {places[0]}, and x on {places[1]}")


def operator_code(op: object) -> int:
    """The scan_operator that a caller names."""
    try:
        return _library.OPERATORS[op]
    except (KeyError, TypeError):
        raise ScanValueError(f"op is {op!r}; there are {', '.join(_library.OPERATORS)}") from None


def held_operator(code: int, given: str, result: str) -> int:
    """Of bools minimum and maximum are "and" and "or", and held by every build."""
    return code - 2 if given == result == "bool" and code in (_BIT_AND, _BIT_OR) else code


def without(dims: tuple[int, ...], axis: int) -> tuple[int, ...]:
    """A shape without its axis."""
    return dims[:axis] + dims[axis + 1:]


def order_without(order: tuple[int, ...], axis: int) -> tuple[int, ...]:
    """An order of dimensions without one of them."""
    return tuple(dim - (dim > axis) for dim in order if dim != axis)


class Sides:
    """The axis that a call goes along, in x and in what is written."""

    __slots__ = ("x", "axis", "order", "read", "out_shape")

    def __init__(self, x: Described, axis: object, complete: bool, name: str = "x") -> None:
        self.x = x
        self.axis = normal_axis(axis, len(x.shape))
        self.order = order_of(x.shape, x.strides, self.axis)
        self.read = extents_of(name, x.shape, x.strides, self.axis, self.order)
        shape = list(x.shape)
        shape[self.axis] += bool(complete)
        self.out_shape = tuple(shape)

    def of_output(self, out: Described | None) -> Extents:
        """Its extents, after its shape has been checked."""
        if out is None:
            return Extents(self.read.outer, self.read.length, self.read.inner, 0)
        if tuple(out.shape) != self.out_shape:
            raise ScanValueError(f"out has shape {tuple(out.shape)}, and {self.out_shape} are written")
        check_device("out", out, self.x.device)
        return extents_of("out", out.shape, out.strides, self.axis, self.order)


def output_type(dtype: object, out: Described | None, usual: str) -> str:
    """The element type of what is written."""
    wanted = None if dtype is None else name_of(dtype)
    if out is None:
        return wanted or usual
    if wanted is not None and wanted != out.dtype:
        raise ScanTypeError(f"dtype is {wanted}, and out is of {out.dtype}")
    return out.dtype


def check_held(place: int, kind: int, input_type: str, output: str, op: int, what: str) -> None:
    """Raises where the library has no such scan, which it says of codes; here it is said of names."""
    if not _library.scan_is_held(place, kind, CODES[input_type], CODES[output], op):
        name = next(name for name, code in _library.OPERATORS.items() if code == op)
        raise ScanTypeError(f"this build of the library holds no {name} of {input_type} into {output} of "
                            f"{what}: dtype= asks for another output, x.astype or x.to for another "
                            "input; built with -Dprebuilt=full it holds them all")
