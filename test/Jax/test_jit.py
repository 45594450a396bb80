# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""symshape.jax.jit: what it builds, and what it leaves to JAX. The oracle is the function without it."""

import functools
import logging

import jax
import jax.numpy as jnp
import numpy as np
import symshape.jax


def check(actual, expected):
    assert jax.tree.structure(actual) == jax.tree.structure(expected)
    for one, two in zip(jax.tree.leaves(actual), jax.tree.leaves(expected), strict=True):
        assert isinstance(one, jax.Array) and one.dtype == two.dtype
        np.testing.assert_allclose(one, two, rtol=1e-5, atol=1e-6)


def layer(p, x, mask=None):
    y = jnp.tanh(x @ p["w"] + p["b"])
    if mask is not None:
        y = y * mask[:, None]
    return {"y": y, "more": (y.mean(), y.argmax(-1))}


PARAMETERS = {"w": jnp.linspace(-1, 1, 12).reshape(4, 3), "b": jnp.arange(3.0)}


def test_dims_that_vary_become_symbols():
    jitted = symshape.jax.jit(layer)
    builds = []
    for b in (2, 2, 5, 7, 1, 2, 0):
        x, mask = jax.random.normal(jax.random.key(b), (b, 4)), jnp.arange(b, dtype=jnp.float32)
        check(jitted(PARAMETERS, x, mask=mask), layer(PARAMETERS, x, mask=mask))
        builds.append(jitted.builds)
    # One for the first extents, one for all.
    assert builds == [1, 1, 2, 2, 2, 2, 2]
    x = jnp.ones((3, 4))
    check(jitted(PARAMETERS, x), layer(PARAMETERS, x))
    assert jitted.builds == 3  # another structure of arguments


def test_dims_that_were_equal_share_a_symbol_until_they_differ():
    jitted = symshape.jax.jit(lambda x, y: (x.sum(), y * 2))
    for n, m in ((2, 2), (3, 3), (4, 4), (4, 5), (6, 7)):
        x, y = jnp.arange(n, dtype=jnp.float32), jnp.arange(m, dtype=jnp.float32)
        check(jitted(x, y), (x.sum(), y * 2))
    assert jitted.builds == 3


def test_inside_of_a_transformation_it_is_the_function():
    jitted = symshape.jax.jit(layer)
    x = jnp.ones((2, 4))
    check(jax.grad(lambda x: jitted(PARAMETERS, x)["y"].sum())(x),
          jax.grad(lambda x: layer(PARAMETERS, x)["y"].sum())(x))
    assert jitted.builds == 0


def test_static_and_donated_arguments():
    @symshape.jax.jit(static_argnums=1, donate_argnums=0)
    def scaled(x, n):
        return x * n, x.at[0].set(n)

    for size, n in ((3, 2), (4, 2), (5, 3)):
        x = jnp.arange(size, dtype=jnp.float32)
        expected = x * n, x.at[0].set(n)
        check(scaled(x, n), expected)
        assert x.is_deleted()
    assert scaled.builds == 3


def put_rows(cache, rows, at):
    """A cache of keys and values, of which a step writes its new rows."""
    put = functools.partial(jax.lax.dynamic_update_slice_in_dim, start_index=at, axis=1)
    cache = jax.tree.map(put, cache, rows)
    return cache, sum(leaf.shape[1] for leaf in jax.tree.leaves(cache))


def test_donated_caches_stay_where_they_are():
    step, theirs = symshape.jax.jit(put_rows, donate_argnums=0), jax.jit(put_rows)
    for length in (4, 9, 100):
        cache = {name: jnp.ones((2, length, 8)) * length for name in ("keys", "values")}
        wanted = jax.tree.map(jnp.copy, cache)
        places = [leaf.unsafe_buffer_pointer() for leaf in jax.tree.leaves(cache)]
        for at in range(4):
            rows = {"keys": jnp.full((2, 1, 8), at), "values": jnp.full((2, 1, 8), -1.0 - at)}
            rows = jax.tree.map(lambda x: x.astype(jnp.float32), rows)
            wanted, count = theirs(wanted, rows, at)
            before = cache
            cache, own = step(before, rows, at)
            assert own == count
            check(cache, wanted)
            assert all(leaf.is_deleted() for leaf in jax.tree.leaves(before))
            assert [leaf.unsafe_buffer_pointer() for leaf in jax.tree.leaves(cache)] == places
    assert step.builds == 2


def test_what_others_see_of_a_donated_array_stays():
    step = symshape.jax.jit(lambda x: x.at[0].set(7.0), donate_argnums=0)
    behind = np.zeros(1040, np.float32)
    behind = behind[-behind.ctypes.data // 4 % 16 :][:1024]  # where JAX takes it as it is
    x = jax.device_put(behind)
    assert x.unsafe_buffer_pointer() == behind.ctypes.data
    viewed = jnp.arange(1024.0) + 1
    view = np.asarray(viewed)
    for each in (x, viewed):
        assert step(each)[0] == 7
    assert behind[0] == 0 and view[0] == 1
    both = symshape.jax.jit(lambda x, y: (x.at[0].set(7.0), x + y), donate_argnums=0)
    x = jnp.ones(8)
    check(both(x, jnp.copy(x)), (jnp.ones(8).at[0].set(7.0), jnp.full(8, 2.0)))


def test_complex_numbers():
    jitted = symshape.jax.jit(lambda x: (jnp.fft.fft(x), x.conj()))
    x = jnp.asarray([[1 + 2j, -3j, 4, 0.5]], jnp.complex64)
    check(jitted(x), (jnp.fft.fft(x), x.conj()))
    assert jitted.builds == 1


def test_what_cannot_be_exported_runs_in_jax(caplog):
    @symshape.jax.jit
    def shaped(x):
        return x.reshape(-1, 3) if x.shape[0] > 4 else x

    with caplog.at_level(logging.WARNING, "symshape.jax"):
        for n in (3, 6, 9):
            x = jnp.arange(n)
            check(shaped(x), shaped.function(x))
    assert shaped.builds == 1
    assert [record.message.partition(": ")[0] for record in caplog.records] == ["shaped"]
    assert "falls back to jax.jit: it cannot be exported for all sizes" in caplog.text
