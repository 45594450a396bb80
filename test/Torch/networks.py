# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a network is compared with PyTorch: what test_networks.py has its tables in."""

import copy
import dataclasses
from collections.abc import Callable

import numpy as np
import symshape
import torch
from torch.utils import _pytree


@dataclasses.dataclass
class Network:
    """A module, arguments by sizes, and the sizes: of the example, of another in which all that may differ does, and of calls."""

    make: Callable[[], torch.nn.Module]
    inputs: Callable[..., tuple]
    example: tuple
    other: tuple
    sizes: list[tuple]
    tolerance: float = 1e-4
    #: What PyTorch's kernels refuse although neither the network nor its export asks for it, such as an empty batch.
    served: tuple = ()
    #: What the message says where symshape does not have what the network needs.
    refused: str = ""


@dataclasses.dataclass
class Outcome:
    """How many calls were the same as PyTorch's, were refused by both, and were served though PyTorch has no kernel for them."""

    same: int = 0
    refused: int = 0
    more: int = 0


def ids(*shape, words=100):
    return torch.randint(0, words, shape)


def perturb(module):
    """No weight is 0 or 1 and no statistics are trivial, so that none can be left out."""
    with torch.no_grad():
        for value in module.parameters():
            if value.is_floating_point():
                value.add_(torch.randn_like(value), alpha=0.05)
        for name, value in module.named_buffers():
            if name.endswith("running_mean"):
                value.normal_(0, 0.1)
            elif name.endswith("running_var"):
                value.uniform_(0.5, 1.5)
    return module.eval()


def export(network, module):
    """The exported program: what differs between the two sets of arguments is open."""
    shapes = torch.export.AdditionalInputs()
    shapes.add(network.inputs(*network.other))
    example = network.inputs(*network.example)
    with torch.no_grad():
        return torch.export.export(module, example, dynamic_shapes=shapes.dynamic_shapes(module, example),
                                   prefer_deferred_runtime_asserts_over_guards=True)


def attempt(function, arguments):
    """The leaves of the results, or the error."""
    try:
        with torch.no_grad():
            results = function(*arguments)
            results = list(results) if isinstance(function, symshape.Program) else results
            return [one for one in _pytree.tree_leaves(results) if one is not None], None
    except (RuntimeError, AssertionError, ArithmeticError, ValueError, IndexError, symshape.Error) as error:
        return None, error


def copied(arguments):
    return _pytree.tree_map_only(torch.Tensor, torch.clone, arguments)


def difference(results, expected, tolerance):
    """In what results differ, in words; nothing if they are the same."""
    if len(results) != len(expected):
        return f"{len(results)} results, not {len(expected)}"
    for number, (result, want) in enumerate(zip(results, expected)):
        result, want = np.asarray(result), np.asarray(want)
        if result.shape != want.shape or result.dtype != want.dtype:
            return f"result {number} is {result.shape} {result.dtype}, not {want.shape} {want.dtype}"
        if want.size == 0 or not np.isfinite(want).any():
            scale = 1.0
        else:
            scale = max(1.0, float(np.abs(want[np.isfinite(want)]).max()))  # sums of large terms cancel
        if not np.allclose(result, want, rtol=tolerance, atol=tolerance * scale, equal_nan=True):
            return f"result {number}, of numbers up to {scale:g}, is off by {np.abs(result.astype(float) - want).max():g}"
    return ""


def compare(network) -> Outcome:
    """Calls the network at its sizes."""
    torch.manual_seed(0)
    module = perturb(network.make())
    exported = export(network, copy.deepcopy(module))
    oracle, program, outcome = exported.module(), symshape.from_torch(exported, compile="sync"), Outcome()
    for sizes in network.sizes:
        arguments = network.inputs(*sizes)
        expected, error = attempt(oracle, copied(arguments))
        results, ours = attempt(program, copied(arguments))
        if error is None:
            assert ours is None, f"at {sizes}, which PyTorch takes: {ours}"
            said = difference(results, expected, network.tolerance)
            assert not said, f"at {sizes}: {said}"
            eager, broken = attempt(module, copied(arguments))
            said = broken or difference(results, eager, network.tolerance)
            assert not said, f"at {sizes}, eagerly: {said}"
            outcome.same += 1
        elif sizes in network.served:
            assert ours is None, f"at {sizes}: {ours}"
            outcome.more += 1
        else:
            assert isinstance(ours, (symshape.GuardError, symshape.InputError)), \
                f"at {sizes}, which PyTorch refuses ({type(error).__name__}: {str(error)[:300]}): {ours}"
            outcome.refused += 1
    assert program.compilations == 1, program.compilations
    return outcome
