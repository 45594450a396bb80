# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The VJP that symshape derives of a network's export, beside that of JAX."""

import jax
import numpy as np
import pytest
import symshape
import symshape.jax
from networks import NETWORKS
from test_networks import check, export_network


@pytest.mark.parametrize("name", ["mlp", "encoder", "gpt", "experts", "lstm", "graph", "cnn", "force_field"])
def test_vjp(name):
    network = NETWORKS[name]()
    exported = export_network(network)
    program = symshape.from_jax(exported)
    random = np.random.default_rng(3)
    sizes = {name: (least + most) // 2 for name, (least, most) in network.symbols.items()}
    data = network.draw(random, sizes)
    leaves, tree = jax.tree.flatten((network.parameters, *data))
    kept = list(exported.module_kept_var_idx)
    wanted = [i for i in kept if np.asarray(leaves[i]).dtype.kind == "f"]
    arrays = [np.asarray(leaves[i]) for i in kept]

    def function(*chosen):
        own = list(leaves)
        for i, leaf in zip(wanted, chosen):
            own[i] = leaf
        first, *_ = jax.tree.leaves(network.function(*jax.tree.unflatten(tree, own)))
        return first

    result, pull = jax.vjp(function, *(leaves[i] for i in wanted))
    cotangent = random.standard_normal(result.shape).astype(result.dtype)
    derivative = program.vjp(wrt=[program.inputs[kept.index(i)].name for i in wanted], results=[0])
    for one, two in zip(derivative(*arrays, cotangent)[-len(wanted):], pull(cotangent), strict=True):
        check(one, two)
