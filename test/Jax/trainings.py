# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps of training, with AdamW, as networks: their parameters are all that a step gives back.

`TRAININGS[name]()` gives a Network whose function gives the loss and the next parameters.
"""

import jax
import jax.numpy as jnp
import numpy as np
from networks import Network, energy, gpt_logits, gpt_weights, weights


def adamw(loss):
    """((parameters, first moments, second moments, count), *data) to the loss and the next of all."""
    def step(state, *data):
        parameters, first, second, count = state
        value, gradients = jax.value_and_grad(loss)(parameters, *data)
        count = count + 1
        first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradients)
        second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, second, gradients)

        def next_of(p, m, v):
            scaled = (m / (1 - 0.9 ** count)) / (jnp.sqrt(v / (1 - 0.999 ** count)) + 1e-6)
            return p - 1e-3 * (scaled + 0.01 * p)

        return value, (jax.tree.map(next_of, parameters, first, second), first, second, count)
    return step


def training(loss, parameters, *rest):
    zeros = jax.tree.map(jnp.zeros_like, parameters)
    return Network(adamw(loss), (parameters, zeros, zeros, jnp.zeros((), jnp.float32)), *rest)


def gpt_loss(parameters, ids):
    """Of each token after the first, given those before."""
    logits = jax.nn.log_softmax(gpt_logits(parameters, ids[:, :-1]))
    return -jnp.take_along_axis(logits, ids[:, 1:, None], -1).mean()


def force_loss(parameters, places, energies, forces):
    """Of energies, and of forces, which are derivatives themselves."""
    values, slopes = jax.vmap(jax.value_and_grad(energy, 1), (None, 0))(parameters, places)
    return jnp.mean((values - energies) ** 2) + jnp.mean((slopes + forces) ** 2)


TRAININGS = {
    "train_gpt": lambda: training(gpt_loss, gpt_weights(), {"b": (1, 4), "s": (2, 64)}, [(("b", "s"), np.int32)],
                                  ("s >= 2", "s <= 64"), {0: lambda random, shape, _: random.integers(0, 50, shape)}),
    "train_force_field": lambda: training(
        force_loss, weights(7, up=(4, 16), down=(16, 1)), {"b": (1, 4), "n": (1, 16)},
        [(("b", "n", 3), np.float32), (("b",), np.float32), (("b", "n", 3), np.float32)]),
}
