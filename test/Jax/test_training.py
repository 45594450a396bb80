# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps of training, exported by JAX and compiled once, at 50 sizes beside jax.jit.

Each side goes its own way from the same parameters: what differs would add up.
"""

import jax
import numpy as np
import pytest
import symshape
import symshape.jax
from jax import export
from trainings import TRAININGS

STEPS = 50


@pytest.mark.parametrize("name", TRAININGS)
def test_training(name, count):
    network = TRAININGS[name]()
    step, theirs = jax.jit(network.function), network.parameters
    scope = export.SymbolicScope(network.constraints)
    specs = [jax.ShapeDtypeStruct(export.symbolic_shape(", ".join(map(str, shape)), scope=scope), dtype)
             for shape, dtype in network.shapes]
    exported = export.export(step)(theirs, *specs)
    program = symshape.from_jax(exported, compile="sync")
    assert list(exported.module_kept_var_idx) == list(range(len(program.inputs)))
    random = np.random.default_rng(1)
    ours = [np.asarray(leaf) for leaf in jax.tree.leaves(theirs)]
    built = program.compilations
    for number in range(STEPS):
        sizes = {name: int(random.integers(least, most + 1)) for name, (least, most) in network.symbols.items()}
        data = network.draw(random, sizes)
        value, theirs = step(theirs, *data)
        own, *ours = program(*ours, *data)
        np.testing.assert_allclose(own, value, rtol=1e-5, atol=1e-6, err_msg=f"step {number}")
        count("steps")
    assert program.compilations == built
    for one, two in zip(ours, jax.tree.leaves(theirs), strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-3, atol=1e-4)
