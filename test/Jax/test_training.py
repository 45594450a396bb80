# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps of training, with AdamW, exported by JAX and compiled once, at 50 sizes beside jax.jit.

Each side goes its own way from the same parameters: what differs would add up.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import symshape
import symshape.jax
from jax import export
from networks import energy, gpt_logits, gpt_weights, weights

STEPS = 50


def adamw(loss):
    """(parameters, first moments, second moments, count, *data) to the loss and the next of all."""
    def step(parameters, first, second, count, *data):
        value, gradients = jax.value_and_grad(loss)(parameters, *data)
        count = count + 1
        first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradients)
        second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, second, gradients)

        def next_of(p, m, v):
            scaled = (m / (1 - 0.9 ** count)) / (jnp.sqrt(v / (1 - 0.999 ** count)) + 1e-6)
            return p - 1e-3 * (scaled + 0.01 * p)

        return value, jax.tree.map(next_of, parameters, first, second), first, second, count
    return step


def gpt_loss(parameters, ids):
    """Of each token after the first, given those before."""
    logits = jax.nn.log_softmax(gpt_logits(parameters, ids[:, :-1]))
    return -jnp.take_along_axis(logits, ids[:, 1:, None], -1).mean()


def force_loss(parameters, places, energies, forces):
    """Of energies, and of forces, which are derivatives themselves."""
    values, slopes = jax.vmap(jax.value_and_grad(energy, 1), (None, 0))(parameters, places)
    return jnp.mean((values - energies) ** 2) + jnp.mean((slopes + forces) ** 2)


def gpt_data(random, b, s):
    return [random.integers(0, 50, (b, s)).astype(np.int32)]


def force_data(random, b, n):
    return [random.standard_normal((b, n, 3)).astype(np.float32), random.standard_normal(b).astype(np.float32),
            random.standard_normal((b, n, 3)).astype(np.float32)]


TRAININGS = {
    "gpt": (gpt_loss, gpt_weights, ("s >= 2", "s <= 64"), [("b, s", np.int32)], gpt_data, (2, 65)),
    "force_field": (force_loss, lambda: weights(7, up=(4, 16), down=(16, 1)), (),
                    [("b, n, 3", np.float32), ("b", np.float32), ("b, n, 3", np.float32)], force_data, (1, 17)),
}


def start(parameters):
    zeros = jax.tree.map(jnp.zeros_like, parameters)
    return [parameters, zeros, zeros, jnp.zeros((), jnp.float32)]


@pytest.mark.parametrize("name", TRAININGS)
def test_training(name, count):
    loss, make, constraints, shapes, draw, (least, end) = TRAININGS[name]
    step = jax.jit(adamw(loss))
    theirs = start(make())
    scope = export.SymbolicScope(constraints)
    specs = [jax.ShapeDtypeStruct(export.symbolic_shape(shape, scope=scope), dtype) for shape, dtype in shapes]
    exported = export.export(step)(*theirs, *specs)
    program = symshape.from_jax(exported, compile="sync")
    assert list(exported.module_kept_var_idx) == list(range(len(program.inputs)))
    random = np.random.default_rng(1)
    ours = [np.asarray(leaf) for leaf in jax.tree.leaves(theirs)]
    built, first = program.compilations, None
    for number in range(STEPS):
        data = draw(random, int(random.integers(1, 5)), int(random.integers(least, end)))
        value, *theirs = step(*theirs, *data)
        own, *ours = program(*ours, *data)
        first = value if first is None else first
        np.testing.assert_allclose(own, value, rtol=1e-5, atol=1e-6, err_msg=f"step {number}")
        count("steps")
    assert program.compilations == built
    for one, two in zip(ours, jax.tree.leaves(theirs), strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-3, atol=1e-4)
