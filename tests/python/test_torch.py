"""Tensors on the CPU, and the operators of torch."""
import itertools

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import onepass_scan as scan  # noqa: E402 (once torch is known to be there)

ops = scan.torch
FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
INTEGERS = [torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64]


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS, ids=str)
def test_types(dtype):
    x = torch.randint(-3, 4, (60,), generator=torch.Generator().manual_seed(1)).to(dtype)
    wanted = torch.cumsum(x.to(torch.int64 if dtype in INTEGERS else torch.float64), 0).to(dtype)
    out = scan.cumsum(x)
    assert out.dtype == dtype and out.device == x.device
    torch.testing.assert_close(out, wanted, rtol=0, atol=0)
    out, total = scan.inclusive(x, init=5, total=True, reverse=True)
    assert total.shape == () and total == out[0] == wanted[-1] + 5
    if dtype in (torch.float16, torch.bfloat16):
        assert scan.cumsum(x, dtype=torch.float32).dtype == torch.float32
    counted = scan.cumsum(x != 0)
    assert counted.dtype == torch.int64
    torch.testing.assert_close(counted, torch.cumsum(x != 0, 0), rtol=0, atol=0)


def test_init_is_rounded_as_torch_does():
    values = torch.randn(200, dtype=torch.float64).mul(1e3).tolist()
    values += [1 + 2**-8, 1 + 3 * 2**-8, 1 + 2**-8 + 2**-20, -1e-40, 3.4e38, -1e39]
    values += [float("inf"), float("nan")]
    for dtype in FLOATS:
        for value in values:
            out = scan.exclusive(torch.ones(1, dtype=dtype), init=value)
            wanted = torch.tensor([value], dtype=torch.float32).to(dtype)  # 16 bits by way of float
            if dtype == torch.float64:
                wanted = torch.tensor([value], dtype=dtype)
            torch.testing.assert_close(out, wanted, rtol=0, atol=0, equal_nan=True)


def test_layouts():
    base = torch.randint(-9, 9, (2, 3, 4, 5))
    for order in itertools.permutations(range(4)):
        x = base.permute(order)
        for axis in range(-4, 4):
            out = scan.cumsum(x, axis)
            torch.testing.assert_close(out, torch.cumsum(x, axis))
            assert out.stride() == x.stride()
            torch.testing.assert_close(ops.cumsum(x, axis), torch.cumsum(x, axis))
    images = torch.rand(2, 3, 4, 5).contiguous(memory_format=torch.channels_last)
    torch.testing.assert_close(scan.cumsum(images, 3), torch.cumsum(images, 3))
    torch.testing.assert_close(scan.cumsum(base[:, :, 1:3], 2), torch.cumsum(base[:, :, 1:3], 2))
    with pytest.raises(scan.LayoutError):
        scan.cumsum(base[..., ::2])
    torch.testing.assert_close(scan.cumsum(base[..., ::2], copy=True), torch.cumsum(base[..., ::2], -1))
    torch.testing.assert_close(ops.cumsum(base[..., ::2]), torch.cumsum(base[..., ::2], -1))
    torch.testing.assert_close(ops.cumsum(base[:1].expand(3, 3, 4, 5), 0),
                               torch.cumsum(base[:1].expand(3, 3, 4, 5), 0))


def test_other_calls():
    x = torch.rand(7, dtype=torch.float64)
    torch.testing.assert_close(scan.recurrence(torch.ones_like(x), x), torch.cumsum(x, 0))
    out = scan.segmented(x, torch.tensor([0, 3, 7]))
    torch.testing.assert_close(out, torch.cat([torch.cumsum(x[:3], 0), torch.cumsum(x[3:], 0)]))
    heads = torch.tensor([1, 0, 0, 1, 0, 0, 0], dtype=torch.bool)
    torch.testing.assert_close(scan.by_key(x, flags=heads), out)
    out = np.empty(7)  # of another framework, in the same memory
    torch.testing.assert_close(torch.from_numpy(scan.cumsum(x, out=out)), torch.cumsum(x, 0))
    assert scan.cumsum(x, out=x) is x


def test_refused():
    x = torch.ones(4, requires_grad=True)
    with pytest.raises(scan.ScanValueError, match="requires a gradient"):
        scan.cumsum(x)
    with torch.no_grad():
        assert not scan.cumsum(x).requires_grad
    assert not scan.cumsum(torch.nn.Parameter(x).detach()).requires_grad
    for odd, message in ((torch.ones(4, device="meta"), "device meta"),
                         (torch.ones(4, dtype=torch.complex64), "complex64"),
                         (torch.conj(torch.ones(4, dtype=torch.complex64)).imag.reshape(4), "negated|stride"),
                         (torch.tensor(1.0), "0-dimensional")):
        with pytest.raises(scan.ScanError, match=message):
            scan.cumsum(odd)
    with pytest.raises((RuntimeError, TypeError)):
        scan.cumsum(torch.ones(4).to_sparse())
    with pytest.raises(scan.ScanTypeError, match="no sum of float32 into int64"):
        scan.cumsum(torch.ones(4), dtype=torch.int64)
    with pytest.raises(IndexError):
        torch.compile(ops.cumsum, backend="eager")(torch.ones(4), 3)


def test_forward_mode_is_refused():
    """Rather than tangents of 0."""
    x, tangent = torch.rand(2, 4)
    forward = torch.autograd.forward_ad
    for call in (ops.cumsum, ops.scan, ops.cumprod, lambda x: ops.recurrence(x, tangent),
                 lambda x: ops.recurrence(tangent, tangent, 0, x[0]), scan.cumsum):
        with pytest.raises((NotImplementedError, scan.ScanValueError), match="forward-mode"):
            with forward.dual_level():
                call(forward.make_dual(x, tangent))
        with pytest.raises((NotImplementedError, scan.ScanValueError), match="forward-mode"):
            torch.func.jvp(call, (x,), (tangent,))
    with forward.dual_level():
        torch.testing.assert_close(ops.cumsum(x), torch.cumsum(x, 0))  # which has none


def sides(shape=(3, 5, 2), seed=0):
    made = torch.Generator().manual_seed(seed)
    return [torch.randn(shape, dtype=torch.float64, generator=made, requires_grad=True) for _ in range(2)]


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("reverse", [False, True])
def test_gradients(axis, reverse):
    a, b = sides()
    init = sides([n for dim, n in enumerate(b.shape) if dim != axis % 3], 1)[0]
    check, again = torch.autograd.gradcheck, torch.autograd.gradgradcheck
    for exclusive in (False, True):
        assert check(lambda b: ops.cumsum(b, axis, exclusive, reverse), b)
        assert again(lambda b: ops.cumsum(b, axis, exclusive, reverse), b)
    assert check(lambda b: ops.cumprod(b, axis, reverse), b)
    assert again(lambda b: ops.cumprod(b, axis, reverse), b)
    for call, inputs in ((lambda a, b: ops.recurrence(a, b, axis, None, reverse), (a, b)),
                         (lambda a, b, init: ops.recurrence(a, b, axis, init, reverse), (a, b, init))):
        assert check(call, inputs) and again(call, inputs)
    turned = a.detach().transpose(0, 2).requires_grad_()
    assert check(lambda a, b: ops.recurrence(a, b, axis, None, reverse), (turned, b.detach().transpose(0, 2)))


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("reverse", [False, True])
def test_gradients_of_one_factor(axis, reverse):
    _, b = sides()
    each, init = sides([n for dim, n in enumerate(b.shape) if dim != axis % 3], 1)
    check, again = torch.autograd.gradcheck, torch.autograd.gradgradcheck
    for call, inputs in ((lambda b, init: ops.recurrence(0.7, b, axis, init, reverse), (b, init)),
                         (lambda b: ops.recurrence(0.7, b, axis, None, reverse), (b,)),
                         (lambda a, b: ops.recurrence(a, b, axis, None, reverse), (each, b)),
                         (lambda a, b, init: ops.recurrence(a, b, axis, init, reverse), (each, b, init))):
        assert check(call, inputs) and again(call, inputs)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("reverse", [False, True])
def test_the_gradient_is_one_call(axis, reverse, monkeypatch):
    """And what torch makes of the steps."""
    from onepass_scan import _gradient, _recurrence
    a, b = sides()
    init = sides([n for dim, n in enumerate(b.shape) if dim != axis % 3], 1)[0]
    weights = torch.randn(b.shape, dtype=b.dtype)
    steps = zip(*(side.flip(axis).unbind(axis) if reverse else side.unbind(axis) for side in (a, b)))
    h, states = init, []
    for factor, offset in steps:
        h = factor * h + offset
        states.append(h)
    states = torch.stack(states[::-1] if reverse else states, axis)
    wanted = torch.autograd.grad((states * weights).sum(), (a, b, init))
    found = ops.recurrence(a, b, axis, init, reverse)
    calls = []
    for module, name in ((_gradient, "recurrence_gradient"), (_recurrence, "recurrence")):
        real = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *given, real=real, name=name: calls.append(name) or real(*given))
    for got, right in zip(torch.autograd.grad((found * weights).sum(), (a, b, init)), wanted):
        torch.testing.assert_close(got, right)
    assert calls == ["recurrence_gradient"]


def test_products_with_zeros():
    x = torch.tensor([2.0, 0.0, 3.0, 0.0, 4.0], dtype=torch.float64, requires_grad=True)
    same = x.detach().clone().requires_grad_()
    weights = torch.arange(1.0, 6, dtype=torch.float64)
    for call, of in ((lambda x: ops.cumprod(x, 0), x), (lambda x: torch.cumprod(x, 0), same)):
        (call(of) * weights).sum().backward()
    torch.testing.assert_close(x.grad, same.grad)
    torch.testing.assert_close(ops.cumprod(x), torch.cumprod(x, 0))


def test_bits_are_the_plain_calls():
    x = torch.rand(3, 50_000)
    assert torch.equal(ops.cumsum(x), scan.cumsum(x))
    assert torch.equal(ops.scan(x, 1, "max"), scan.cummax(x, 1))
    assert torch.equal(ops.recurrence(x, x), scan.recurrence(x, x))
    with pytest.raises(NotImplementedError, match="'max'"):
        ops.scan(x.requires_grad_(), 1, "max").sum().backward()


def test_what_torch_checks_of_operators():
    a, b = sides()
    check = torch.library.opcheck
    check(torch.ops.onepass_scan.scan, (b, 1, "sum", False, True))
    check(torch.ops.onepass_scan.scan, (torch.ones(4, dtype=torch.bool), 0, "sum", False, False))
    check(torch.ops.onepass_scan.recurrence, (a, b, -1, None, False))
    check(torch.ops.onepass_scan.recurrence, (a, b, 0, sides((5, 2))[0], True))
    check(torch.ops.onepass_scan.recurrence, (sides((3, 5))[0], b, -1, None, False))
    check(torch.ops.onepass_scan.recurrence_by, (0.5, b, 1, sides((3, 2))[0], False))
    a, b, grad_h = (side.detach() for side in (a, b, *sides(seed=3)[:1]))
    check(torch.ops.onepass_scan.recurrence_gradient, (a, b, grad_h, 1, None, False))
    turned = b.transpose(0, 2).contiguous().transpose(0, 2)  # with other strides than the others
    check(torch.ops.onepass_scan.recurrence_gradient, (a, turned, grad_h, 1, None, True))
    a, b = sides()
    check(torch.ops.onepass_scan.cumprod, (b.detach().transpose(0, 2).requires_grad_(), 1, False))


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_compile(backend):
    def model(a, x):
        return ops.recurrence(torch.sigmoid(a), ops.cumsum(x * 2, 1), 1).sin().sum()

    def run(call):
        a, x = (torch.linspace(-1, 1, 12).reshape(3, 4).clone().requires_grad_() for _ in range(2))
        call(a, x).backward()
        return a.grad, x.grad

    try:
        compiled = run(torch.compile(model, backend=backend, fullgraph=True))
    except Exception as problem:
        if backend == "inductor" and "ompiler" in str(problem):
            pytest.skip("no compiler for inductor")
        raise
    for got, wanted in zip(compiled, run(model)):
        torch.testing.assert_close(got, wanted)


def test_axes_that_change_are_read_in_each_call():
    x, axis = torch.arange(6.).reshape(2, 3), torch.tensor(0)
    assert torch.equal(scan.cumsum(x, axis), x.cumsum(0))
    axis.fill_(1)
    assert torch.equal(scan.cumsum(x, axis), x.cumsum(1))
    with pytest.raises(scan.ScanTypeError, match="reverse is tensor"):
        scan.cumsum(x, reverse=torch.tensor(True))


def test_autograd_sees_what_is_written_in_place():
    weight, x = torch.ones(3, requires_grad=True), torch.ones(3)
    product = (weight * x).sum()
    scan.cumsum(x, out=x)
    with pytest.raises(RuntimeError, match="inplace operation"):
        product.backward()


def test_products_of_nothing():
    assert scan.torch.cumprod(torch.ones(2, 0), 1).shape == (2, 0)


def test_compactions():
    for shape in ((40,), (40, 2), (0,)):
        x = torch.randn(*shape, dtype=torch.float64, requires_grad=True)
        flags = torch.arange(shape[0]) % 3 == 0
        for size in (0, 5, 14, 60):
            kept, count = ops.select(x, flags, size)
            wanted = x[flags][:size]
            assert count == flags.sum() and kept.shape == (size, *shape[1:])
            assert torch.equal(kept[:len(wanted)], wanted) and not kept[len(wanted):].any()
            if shape[0]:
                assert torch.autograd.gradcheck(lambda x: ops.select(x, flags, size)[0], x)
                torch.library.opcheck(torch.ops.onepass_scan.select, (x, flags, size))
            places, count = ops.indices(flags.to(torch.uint8), size)
            at = flags.nonzero()[:size, 0]
            assert count == flags.sum() and torch.equal(places[:len(at)], at) and not places[len(at):].any()
            torch.library.opcheck(torch.ops.onepass_scan.indices, (flags, size))
    for bits in (flags.to(torch.int32), flags.new_zeros(1, dtype=torch.uint32)):
        with pytest.raises(scan.ScanTypeError, match="bools or bytes are taken"):
            ops.indices(bits, 3)
    with pytest.raises(scan.ScanValueError, match="flags have 2 elements; of 3 in x 3"):
        ops.select(torch.ones(3), torch.ones(2, dtype=torch.bool), 3)
    flags = torch.arange(40) % 3 == 0
    strided = torch.arange(80.)[::2]
    assert torch.equal(ops.select(strided, flags.new_ones(40), 40)[0], strided)
    with torch.autograd.forward_ad.dual_level(), pytest.raises(NotImplementedError, match="forward-mode"):
        ops.select(torch.autograd.forward_ad.make_dual(strided, strided), flags.new_ones(40), 3)


def test_compactions_are_compiled():
    def model(x, flags):
        kept, count = ops.select(x * 2, flags, 6)
        return kept.sin(), count + ops.indices(flags, 3)[0]

    x, flags = torch.arange(20.), torch.arange(20) % 4 == 0
    compiled = torch.compile(model, backend="aot_eager", fullgraph=True)
    for mine, theirs in zip(compiled(x, flags), model(x, flags)):
        assert torch.equal(mine, theirs)


def test_who_looks_on_sees_operators():
    from torch.utils._python_dispatch import TorchDispatchMode
    seen = []

    class Looks(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            seen.append(str(function))
            return function(*args, **(kwargs or {}))

    x = torch.arange(6.0)
    calls = [lambda x: ops.cumsum(x), lambda x: ops.scan(x, op="max"), lambda x: ops.recurrence(x, x),
             lambda x: ops.recurrence(.5, x)]
    with Looks():
        for call in calls:
            call(x)
    names = ["onepass_scan.scan.default"] * 2 + ["onepass_scan.recurrence.default",
                                                 "onepass_scan.recurrence_by.default"]
    assert seen == names
    for call in calls:
        assert call(x.to("meta")).shape == (6,)
        assert call(torch.nn.Parameter(x)).grad_fn is not None
        with torch.no_grad():
            assert torch.equal(call(torch.nn.Parameter(x)), call(x))
        rows = torch.rand(2, 6)
        assert torch.equal(torch.vmap(call)(rows), call(rows))
    with torch.profiler.profile() as profile:  # (which sees what goes through the dispatcher)
        for call in calls:
            call(x)
        h = ops.recurrence(*(x.clone().requires_grad_() for _ in range(2)))
        h.sum().backward()
    assert "aten::empty_like" in str(events := [event.name for event in profile.events()])
    assert not any(name.startswith("onepass_scan::") and "Backward" not in name for name in events), set(events)
    assert torch.equal(ops.cumsum(torch.arange(12.)[::2]), torch.cumsum(torch.arange(12.)[::2], 0))
