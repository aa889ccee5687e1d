"""Tensors on a CUDA device, and the operators of torch there."""
import pytest

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("no device that torch can use", allow_module_level=True)

import onepass_scan as scan  # noqa: E402 (once torch is known to be there)

ops = scan.torch


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64,
                                   torch.float16, torch.bfloat16, torch.float32, torch.float64], ids=str)
def test_types(dtype):
    for n in (1, 1000, 100_003):
        x = (torch.rand(n, device="cuda") < 0.001).to(dtype)
        out, total = scan.inclusive(x, total=True)
        wanted = torch.cumsum(x.to(torch.int64), 0).to(dtype)
        assert torch.equal(out, wanted) and torch.equal(total, wanted[-1])
        assert torch.equal(scan.cumsum(x != 0), torch.cumsum(x != 0, 0))


def test_layouts():
    base = torch.randint(-9, 9, (3, 40, 50), device="cuda")
    for x in (base, base.permute(2, 0, 1), base[:, 5:20], base[..., :7]):
        for axis in range(3):
            assert torch.equal(scan.cumsum(x, axis, copy=True), torch.cumsum(x, axis))
            assert torch.equal(ops.cumsum(x, axis), torch.cumsum(x, axis))


def test_other_calls():
    x = torch.rand(1000, dtype=torch.float64, device="cuda")
    torch.testing.assert_close(scan.recurrence(torch.ones_like(x), x), torch.cumsum(x, 0))
    out = scan.segmented(x, torch.tensor([0, 300, 1000], device="cuda"))
    torch.testing.assert_close(out, torch.cat([torch.cumsum(x[:300], 0), torch.cumsum(x[300:], 0)]))
    init = torch.tensor(5.0, dtype=torch.float64, device="cuda")
    torch.testing.assert_close(scan.inclusive(x, init=init), torch.cumsum(x, 0) + 5)
    with pytest.raises(scan.ScanValueError, match="init is on the CPU, and x on device 0"):
        scan.inclusive(x, init=init.cpu())


def test_compactions():
    for n in (0, 5, 200_003):
        for dtype in (torch.uint8, torch.bfloat16, torch.int32, torch.float64):
            x, flags = (torch.rand(n, device="cuda") * 9).to(dtype), torch.rand(n, device="cuda") < .4
            assert torch.equal(scan.select(x, flags), torch.masked_select(x, flags))
            assert torch.equal(scan.partition(x, flags)[1], x[~flags])
            assert torch.equal(scan.indices(flags), flags.nonzero()[:, 0])
            if dtype == torch.int32:
                values, lengths = scan.runs(x)
                wanted = torch.unique_consecutive(x, return_counts=True)
                assert torch.equal(values, wanted[0]) and torch.equal(lengths, wanted[1])
            kept, count = ops.select(x, flags, 1000)
            got = min(1000, int(flags.sum()))
            assert torch.equal(kept[:got], x[flags][:got]) and not kept[got:].any() and count == flags.sum()
    y, marks = torch.randn(50, device="cuda", dtype=torch.float64, requires_grad=True), torch.arange(50).cuda() % 3 == 0
    assert torch.autograd.gradcheck(lambda y: ops.select(y, marks, 10)[0], y)
    torch.library.opcheck(torch.ops.onepass_scan.select, (y, marks, 10))


def test_compactions_in_a_graph():
    x = torch.arange(1 << 20, device="cuda", dtype=torch.int32)
    flags = x % 2 == 0
    scan.indices(flags, size=1)  # (kernels are loaded by the first call)
    scan.select(x, flags, size=1)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out, count = scan.select(x, flags, size=1 << 20)
        places, again = scan.indices(flags, size=1 << 20, n=count)
    for step in (2, 5):
        flags.copy_(x % step == 0)
        graph.replay()
        kept = -(-(1 << 20) // step)
        assert count == kept and torch.equal(out[:count], x[::step])
        assert torch.equal(places[:again], x[:kept:step].long())


def test_streams():
    stream = torch.cuda.Stream()
    x = torch.ones(1 << 22, dtype=torch.int64, device="cuda")
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        out = scan.cumsum(x * 2)  # both in this stream
    given = scan.cumsum(x, stream=stream)
    stream.synchronize()
    assert out[-1] == 2 << 22 and given[-1] == 1 << 22


def test_graphs():
    x = torch.ones(1 << 20, device="cuda", dtype=torch.int32)
    out = torch.empty_like(x)
    scan.cumsum(x, out=out)  # (kernels are loaded by the first call)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        scan.cumsum(x, out=out)
        twice = scan.cumsum(out)
    x.fill_(2)
    graph.replay()
    torch.cuda.synchronize()
    assert out[-1] == 2 << 20
    assert torch.equal(twice, torch.cumsum(out, 0, dtype=torch.int32))


def test_gradients_and_operators():
    a, b = (torch.randn(3, 20, 2, dtype=torch.float64, device="cuda", requires_grad=True) for _ in range(2))
    init = torch.randn(3, 2, dtype=torch.float64, device="cuda", requires_grad=True)
    for reverse in (False, True):
        assert torch.autograd.gradcheck(lambda b: ops.cumsum(b, 1, False, reverse), b)
        assert torch.autograd.gradcheck(lambda b: ops.cumprod(b, 1, reverse), b)
        assert torch.autograd.gradcheck(lambda a, b, i: ops.recurrence(a, b, 1, i, reverse), (a, b, init))
    torch.library.opcheck(torch.ops.onepass_scan.scan, (b, 1, "sum", False, False))
    torch.library.opcheck(torch.ops.onepass_scan.recurrence, (a, b, 1, init, False))


def test_compile():
    def model(a, x):
        return ops.recurrence(torch.sigmoid(a), ops.cumsum(x * 2, 1), 1).sin()

    a, x = torch.rand(2, 8, 300, device="cuda")
    torch.testing.assert_close(torch.compile(model, backend="aot_eager", fullgraph=True)(a, x), model(a, x))


def test_more_elements_than_32_bits_count():
    n, part = 2**32 + 5, 1 << 28
    if torch.cuda.mem_get_info()[0] < 6 * n:
        pytest.skip("less memory than they take")
    x = torch.ones(n, dtype=torch.uint8, device="cuda")
    out = scan.cumsum(x)  # which wraps around
    for begin in range(0, n, part):
        wanted = torch.arange(begin + 1, min(begin + part, n) + 1, device="cuda").to(torch.uint8)
        assert torch.equal(out[begin:begin + part], wanted)
    x.zero_()
    places = [0, 2**31 - 1, 2**31, 2**32, n - 1]
    x[places] = 1
    found, count = scan.indices(x, size=8)
    assert found[:count].tolist() == places
    rows = torch.ones(2, 2**30 + 3, dtype=torch.float32, device="cuda")  # exact up to 2^24
    rows[:, 2**24:] = 0
    sums = scan.cumsum(rows, 1)
    assert torch.equal(sums[:, :2**24], torch.arange(1, 2**24 + 1, device="cuda").float().expand(2, -1))
    assert bool((sums[:, 2**24:] == 2**24).all())


def test_another_device():
    if torch.cuda.device_count() < 2:
        pytest.skip("one device")
    x = torch.ones(100_000, dtype=torch.int64, device="cuda:1")
    assert scan.cumsum(x)[-1] == 100_000 and torch.cuda.current_device() == 0
