# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The VJP that symshape derives of a network's export, and JAX's own one as an export, beside jax.vjp."""

import jax
import numpy as np
import pytest
import symshape
import symshape.jax
from jax import export
from networks import NETWORKS
from test_networks import check, export_network


def sizes_of(network):
    """The least, the middle and the most of each symbol."""
    for part in (0, 1, 2):
        yield {name: least + (most - least) * part // 2 for name, (least, most) in network.symbols.items()}


NOT_EXPORTED = ("cnn",)  # by JAX: paddings of its gradient depend on extents


@pytest.mark.parametrize("name", ["mlp", "encoder", "gpt", "experts", "lstm", "graph", "unet", "force_field", "cnn"])
def test_vjp(name, count):
    network = NETWORKS[name]()
    exported = export_network(network)
    kept = list(exported.module_kept_var_idx)
    wanted = [i for i in kept if exported.in_avals[i].dtype.kind == "f"]
    tree = jax.tree.structure((network.parameters, *range(len(network.shapes))))

    def pull(leaves, cotangent):
        def first_result(*chosen):
            own = list(leaves)
            for i, leaf in zip(wanted, chosen):
                own[i] = leaf
            return jax.tree.leaves(network.function(*jax.tree.unflatten(tree, own)))[0]
        return jax.vjp(first_result, *(leaves[i] for i in wanted))[1](cotangent)

    program = symshape.from_jax(exported, compile="sync")
    derived = program.vjp(wrt=[program.inputs[kept.index(i)].name for i in wanted], results=[0])
    jitted, read = jax.jit(pull), None
    if name not in NOT_EXPORTED:
        theirs = export.export(jitted)(list(exported.in_avals), exported.out_avals[0])
        read = symshape.from_jax(theirs, compile="sync")
    random = np.random.default_rng(3)
    for sizes in sizes_of(network):
        data = network.draw(random, sizes)
        leaves = [np.asarray(leaf) for leaf in jax.tree.leaves((network.parameters, *data))]
        result, *_ = program(*(leaves[i] for i in kept))
        cotangent = random.standard_normal(result.shape).astype(result.dtype)
        expected = jitted(leaves, cotangent)
        for one, two in zip(derived(*(leaves[i] for i in kept), cotangent)[-len(wanted):], expected, strict=True):
            check(one, two)
        count("gradients")
        if not read:
            continue
        arguments = [*leaves, cotangent]
        for one, two in zip(read(*(arguments[i] for i in theirs.module_kept_var_idx)), expected, strict=True):
            check(one, two)
        count("exported gradients")
