# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One build of each network with open sizes, beside jax.jit at eight shapes; and what JAX refuses is refused."""

import equinox_networks  # noqa: F401, adds to NETWORKS
import haiku_networks  # noqa: F401, adds to NETWORKS
import jax
import numpy as np
import pytest
import symshape
import symshape.jax
from jax import export
from networks import NETWORKS

SHAPES = 8


def shapes_of(network, sizes):
    return [[eval(str(extent), {}, dict(sizes)) for extent in extents] for extents, _ in network.shapes]


def export_network(network):
    names = list(network.symbols)
    dims = dict(zip(names, export.symbolic_shape(", ".join(names), constraints=network.constraints)))
    specs = [jax.ShapeDtypeStruct([eval(str(extent), {}, dims) for extent in extents], dtype)
             for extents, dtype in network.shapes]
    return export.export(jax.jit(network.function))(network.parameters, *specs)


def draw_sizes(network, random):
    """The least ones, the most ones, and others between."""
    bounds = network.symbols.items()
    yield {name: least for name, (least, _) in bounds}
    yield {name: most for name, (_, most) in bounds}
    for _ in range(SHAPES - 2):
        yield {name: int(random.integers(least, most + 1)) for name, (least, most) in bounds}


def check(actual, expected):
    expected = np.asarray(expected)
    if expected.dtype.kind in "biu":
        np.testing.assert_array_equal(actual, expected)
    else:
        np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-5 * max(1, np.abs(expected).max(initial=0)))


def refused_sizes(network, exported):
    """Those next to what is tried, 0 among them, that JAX refuses."""
    least = {name: low for name, (low, _) in network.symbols.items()}
    most = {name: high for name, (_, high) in network.symbols.items()}
    for name in network.symbols:
        for sizes in (least | {name: least[name] - 1}, least | {name: 0}, most | {name: most[name] + 1}):
            specs = [jax.ShapeDtypeStruct(shape, dtype)
                     for shape, (_, dtype) in zip(shapes_of(network, sizes), network.shapes)]
            try:
                jax.eval_shape(exported.call, network.parameters, *specs)
            except ValueError:
                yield specs


@pytest.mark.parametrize("name", NETWORKS)
def test_network(name, count):
    network = NETWORKS[name]()
    exported = export_network(network)
    program = symshape.from_jax(exported, compile="sync")
    jitted = jax.jit(network.function)
    random = np.random.default_rng(11)
    for sizes in draw_sizes(network, random):
        data = network.draw(random, sizes)
        leaves = jax.tree.leaves((network.parameters, *data))
        expected = jax.tree.leaves(jitted(network.parameters, *data))
        results = program(*(np.asarray(leaves[i]) for i in exported.module_kept_var_idx))
        for one, two in zip(results, expected, strict=True):
            check(one, two)
        count("shapes")
    refused = 0
    for specs in refused_sizes(network, exported):
        leaves = jax.tree.leaves((network.parameters, *(np.zeros(spec.shape, spec.dtype) for spec in specs)))
        with pytest.raises(symshape.GuardError):
            program(*(np.asarray(leaves[i]) for i in exported.module_kept_var_idx))
        refused += 1
    assert refused >= len(network.symbols)
    count("networks")
    count("refusals", refused)
