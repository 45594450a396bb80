# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks, each exported once and compiled once, at eight shapes. The oracle is the exported program's `module()`."""

import dataclasses

import networks
import networks_own
import pytest
import symshape

networks_transformers = pytest.importorskip("networks_transformers")
networks_torchvision = pytest.importorskip("networks_torchvision")

TABLES = {"transformers": networks_transformers.NETWORKS, "torchvision": networks_torchvision.NETWORKS, "own": networks_own.NETWORKS}
TABLE = {f"{table}: {name}": network for table, entries in TABLES.items() for name, network in entries.items()}
#: The least of networks of each table that run to their end, and of calls.
NETWORKS = {"transformers": 40, "torchvision": 20, "own": 20}
CALLS, REFUSALS = 450, 100
counts: dict[str, networks.Outcome] = {}


@pytest.mark.parametrize("name", TABLE)
def test_network(name):
    network = TABLE[name]
    assert len(set(network.sizes)) >= 8
    if network.refused:
        with pytest.raises(symshape.CompileError, match=network.refused):
            networks.compare(network)
        return
    outcome = networks.compare(network)
    assert outcome.same >= 3
    counts[name] = outcome


def test_counts(request):
    same, refused, more = (sum(getattr(one, field.name) for one in counts.values())
                           for field in dataclasses.fields(networks.Outcome))
    print(f"{len(counts)} networks: {same} calls equal, {refused} refused as PyTorch refuses them, {more} served beyond")
    ran = [item for item in request.session.items if item.function is test_network]
    if len(ran) < len(TABLE):
        pytest.skip("only some of the networks were asked for")
    for table, least in NETWORKS.items():
        assert sum(name.startswith(table) for name in counts) >= least, table
    assert same >= CALLS and refused >= REFUSALS
