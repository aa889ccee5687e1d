"""JAX's arrays, and the operators for its transformations, on the CPU or where JAX computes."""
import numpy as np
import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402 (once JAX is known to be there)

import onepass_scan as scan  # noqa: E402
import references  # noqa: E402
from onepass_scan import _library  # noqa: E402
from onepass_scan._types import CODES  # noqa: E402

ops = scan.jax


def uniform(*shape, seed=0):
    return jnp.asarray(np.random.default_rng(seed).uniform(-1, 1, shape), jnp.float32)


def test_sums():
    x = jnp.asarray(references.numbers(np.random.default_rng(1), (3, 4, 50), "int32"))
    for axis in (0, 1, 2, -1):
        for exclusive in (False, True):
            for reverse in (False, True):
                wanted, _ = references.scan(np.asarray(x), axis, "sum", None, exclusive, reverse)
                np.testing.assert_array_equal(ops.cumsum(x, axis, exclusive, reverse), wanted)
                compiled = jax.jit(lambda x: ops.cumsum(x + 0, axis, exclusive, reverse) * 1)
                np.testing.assert_array_equal(compiled(x), wanted)
        np.testing.assert_array_equal(ops.scan(x, axis, "max"), np.maximum.accumulate(x, axis))
    counted = ops.cumsum(x > 0)
    assert counted.dtype == jnp.cumsum(x > 0).dtype
    np.testing.assert_array_equal(counted, np.cumsum(np.asarray(x) > 0, -1))
    half = uniform(7).astype(jnp.bfloat16)
    assert ops.cumsum(half).dtype == jnp.bfloat16
    np.testing.assert_allclose(ops.cumsum(half).astype(jnp.float32), jnp.cumsum(half.astype(jnp.float32)),
                               rtol=2e-2, atol=1e-2)


def test_vmap():
    x = uniform(3, 4, 5)
    for batch in range(3):
        for axis in (0, 1):
            np.testing.assert_allclose(jax.vmap(lambda row: ops.cumsum(row, axis), batch)(x),
                                       jax.vmap(lambda row: jnp.cumsum(row, axis), batch)(x), rtol=1e-5)
    a, init = uniform(4, 5, seed=1), uniform(4, seed=2)
    got = jax.vmap(lambda b: ops.recurrence(a, b, 1, init))(x)  # of which two are not mapped
    for one, b in zip(got, x):
        np.testing.assert_array_equal(one, ops.recurrence(a, b, 1, init))


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("reverse", [False, True])
def test_gradients(axis, reverse):
    a, b, c = uniform(2, 3, 4), uniform(2, 3, 4, seed=1), uniform(2, 3, 4, seed=2)
    init = uniform(*(n for dim, n in enumerate(a.shape) if dim != axis), seed=3)

    def loop(a, b, init):
        """The same by JAX's own scan."""
        def step(h, sides):
            h = sides[0] * h + sides[1]
            return h, h
        first = jnp.zeros_like(init) if init is None else init
        sides = (jnp.moveaxis(a, axis, 0), jnp.moveaxis(b, axis, 0))
        h = jax.lax.scan(step, first, sides, reverse=reverse)[1]
        return jnp.moveaxis(h, 0, axis)

    for call in (jax.grad, lambda *given: jax.jit(jax.grad(*given))):
        got = call(lambda *sides: (ops.recurrence(*sides[:2], axis, sides[2], reverse) * c).sum(), (0, 1, 2))
        wanted = jax.grad(lambda *sides: (loop(*sides) * c).sum(), (0, 1, 2))
        for mine, theirs in zip(got(a, b, init), wanted(a, b, init)):
            np.testing.assert_allclose(mine, theirs, rtol=1e-4, atol=1e-5)
        got = call(lambda *sides: (ops.recurrence(*sides, axis, None, reverse) * c).sum(), (0, 1))
        wanted = jax.grad(lambda a, b: (loop(a, b, jnp.zeros_like(init)) * c).sum(), (0, 1))
        for mine, theirs in zip(got(a, b), wanted(a, b)):
            np.testing.assert_allclose(mine, theirs, rtol=1e-4, atol=1e-5)
        for exclusive in (False, True):
            got = call(lambda b: (ops.cumsum(b, axis, exclusive, reverse) * c).sum())(b)
            np.testing.assert_allclose(got, ops.cumsum(c, axis, exclusive, not reverse), rtol=1e-5)


def test_a_recurrence_s_gradient_is_one_call(monkeypatch):
    calls = []
    for name in ("scan_recurrence", "scan_recurrence_gradient"):
        held = getattr(_library, name)
        monkeypatch.setattr(_library, name, lambda *given, name=name, held=held: calls.append(name) or held(*given))
    a, b, init = uniform(2, 40), uniform(2, 40, seed=1), uniform(2, seed=2)
    of_all = jax.grad(lambda a, b, init: ops.recurrence(a, b, 1, init).sum(), (0, 1, 2))
    found = jax.block_until_ready(of_all(a, b, init))
    assert calls == ["scan_recurrence", "scan_recurrence_gradient"]
    half = [each.astype(jnp.bfloat16) for each in (a, b)]  # whose states are float32
    for mine, theirs in zip(of_all(*half, init), found):
        np.testing.assert_allclose(mine.astype(jnp.float32), theirs, rtol=.1, atol=.1)
    batched = jax.vmap(of_all, (0, None, None))(jnp.stack([a, a * 0]), b, init)  # b and init are not mapped
    for mine, theirs in zip(batched, found):
        np.testing.assert_array_equal(mine[0], theirs)
    nothing = jax.grad(lambda b: ops.recurrence(b, b, 1).sum())(jnp.zeros((3, 0)))
    assert nothing.shape == (3, 0)


def test_refused():
    x = uniform(3, 4)
    with pytest.raises(scan.ScanTypeError, match="no xor of float32"):
        ops.scan(x, op="xor")
    with pytest.raises(scan.ScanValueError, match="axis is 2"):
        ops.cumsum(x, 2)
    with pytest.raises(scan.ScanValueError, match="a has shape"):
        ops.recurrence(x[:2], x)
    with pytest.raises(scan.ScanValueError, match="init is float32 of shape"):
        ops.recurrence(x, x, init=x)
    with pytest.raises(scan.ScanTypeError, match="of one floating-point type"):
        ops.recurrence(x.astype(int), x)
    rows_are_held = _library.scan_is_held(_library.HOST, _library.TENSOR, CODES["int16"], CODES["int16"],
                                          _library.OPERATORS["max"])
    if not rows_are_held:  # one is, which is what is seen when it is traced
        with pytest.raises(Exception, match="onepass_scan: .*this build of the library holds no scan"):
            jax.block_until_ready(jax.vmap(lambda row: ops.scan(row, op="max"))(x.astype(jnp.int16)))


def test_plain_calls_read_them():
    with jax.default_device(jax.devices("cpu")[0]):  # where out is
        x = uniform(6)
    out = np.empty(6, np.float32)
    np.testing.assert_array_equal(scan.cumsum(x, out=out), ops.cumsum(x))
    with pytest.raises(scan.ScanTypeError, match="out is missing"):
        scan.cumsum(x)
    with pytest.raises(scan.ScanTypeError, match="read-only"):
        scan.cumsum(out, out=x)


def test_gradients_of_recurrences_of_nothing():
    nothing, init = jax.numpy.ones((2, 0)), jax.numpy.ones(2)
    found = jax.grad(lambda *all: scan.jax.recurrence(*all[:2], -1, all[2]).sum(), (0, 1, 2))(
        nothing, nothing, init)
    assert [side.shape for side in found] == [(2, 0), (2, 0), (2,)] and not found[2].any()


def test_an_interrupt_is_no_success(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt
    monkeypatch.setattr(ops, "_run", interrupted)
    with pytest.raises(Exception, match="onepass_scan: KeyboardInterrupt"):
        jax.block_until_ready(jax.jit(ops.cumsum)(uniform(3)))
