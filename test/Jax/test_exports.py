# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One build of each export, beside the same export in JAX: the same results, and the same refusals."""

import itertools

import jax
import numpy as np
import pytest
import symshape
import symshape.jax
from exports import EXPORTS
from jax import export
from test_networks import check

SIZES = {"b": (4, 1, 7), "s": (16, 8, 12, 24), "h": (8, 13, 7), "w": (9, 8), "n": (7, 5, 1), "m": (3, 6), "t": (9, 3, 4, 2)}
CALLS = 5


def draw_calls(example, specs):
    """As many calls as there are sizes to try, in an order that mixes them."""
    random = np.random.default_rng(7)
    names = example.symbols.split(", ")
    choices = list(itertools.product(*(SIZES[name] for name in names)))
    words = {"floordiv": lambda x, y: x // y, "mod": lambda x, y: x % y}
    for k in random.permutation(len(choices))[:CALLS]:
        sizes = dict(zip(names, choices[k])) | words
        yield [draw(example, random, [eval(str(extent), {}, sizes) for extent in spec.shape], spec.dtype)
               for spec in specs]


def draw(example, random, shape, dtype):
    if dtype.kind == "b":
        return random.random(shape) > 0.3
    if dtype.kind in "iu":
        return np.asarray(random.integers(0, 3, shape)).astype(dtype)
    chosen = example.draw(random, shape, dtype) if example.draw else random.standard_normal(shape)
    return np.asarray(chosen).astype(dtype)


def as_exchanged(result):
    result = np.asarray(result)
    return np.stack([result.real, result.imag], -1) if result.dtype.kind == "c" else result


@pytest.mark.parametrize("name", EXPORTS)
def test_export(name, count):
    example = EXPORTS[name]()
    scope = export.SymbolicScope(example.constraints)
    specs = [jax.ShapeDtypeStruct(export.symbolic_shape(text, scope=scope), np.dtype(dtype))
             for text, dtype in example.shapes]
    exported = export.export(jax.jit(example.function))(*specs)
    program = symshape.from_jax(exported, compile="sync")
    accepted = 0
    for arguments in draw_calls(example, specs):
        kept = [arguments[i] for i in exported.module_kept_var_idx]
        try:
            expected = jax.tree.leaves(exported.call(*arguments))
        except ValueError:
            with pytest.raises(symshape.GuardError):
                program(*kept)
            count("refusals")
            continue
        for one, two in zip(program(*kept), expected, strict=True):
            check(one, as_exchanged(two))
        accepted += 1
    assert accepted
    count("exports")
    count("calls", accepted)


def test_serialized_export():
    """The file around an artifact: the program is read, not the gradient that the file may hold too."""
    exported = export.export(jax.jit(lambda x: x.sum(0) * x.shape[0]))(
        jax.ShapeDtypeStruct(export.symbolic_shape("b, 3"), np.float32))
    for order in (0, 1):
        data = exported.serialize(vjp_order=order)
        assert not data.startswith(b"ML\xefR")
        y, = symshape.loads(bytes(data), name="exported.bin")(np.ones((4, 3), np.float32))
        np.testing.assert_array_equal(y, np.full(3, 16, np.float32))


def test_donated_arguments_are_read():
    spec = jax.ShapeDtypeStruct(export.symbolic_shape("b, 3"), np.float32)
    exported = export.export(jax.jit(lambda x, y: (x.at[0].set(y[0]), x + y), donate_argnums=0))(spec, spec)
    assert "tf.aliasing_output" in exported.mlir_module() or "jax.buffer_donor" in exported.mlir_module()
    program = symshape.from_jax(exported)
    x, y = np.ones((4, 3), np.float32), np.full((4, 3), 2, np.float32)
    first, second = program(x, y)
    np.testing.assert_array_equal(first[0], y[0])
    np.testing.assert_array_equal(second, np.full((4, 3), 3))
    np.testing.assert_array_equal(x, np.ones((4, 3)))
