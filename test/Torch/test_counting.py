# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops whose results count elements, and what they refuse. The oracle is PyTorch, run eagerly."""

import numpy as np
import pytest
import symshape
import torch
from torch.export import Dim

LENGTHS = [0, 1, 2, 5, 33, 1000]


def numbers(count, most=7):
    return torch.randint(0, most, (count,))


#: The function, and its inputs by a length.
CASES = {
    "where": (lambda x: torch.where(x > 3), lambda n: (numbers(n),)),
    "repeats": (lambda x: torch.repeat_interleave(x), lambda n: (numbers(n, 4),)),
    "repeated rows": (lambda x, t: torch.repeat_interleave(x, t, dim=1), lambda n: (torch.randn(3, n), numbers(n, 3))),
    "repeated elements": (lambda x, t: torch.repeat_interleave(x, t), lambda n: (torch.randn(n), numbers(n, 3))),
    "one number of times": (lambda x, t: torch.repeat_interleave(x, t, dim=0), lambda n: (torch.randn(n, 2), torch.tensor([3]))),
    "unique": (lambda x: torch.unique(x, return_inverse=True, return_counts=True), lambda n: (numbers(2 * n).reshape(n, 2),)),
    "unique floats": (lambda x: torch.unique(x), lambda n: (numbers(n).float() / 2,)),
    "bincount": (lambda x: torch.bincount(x), lambda n: (numbers(n),)),
    "at least": (lambda x: torch.bincount(x, minlength=9), lambda n: (numbers(n, 20),)),
    "weighted": (lambda x, w: torch.bincount(x, w), lambda n: (numbers(n), torch.randn(n))),
    "histc": (lambda x: torch.histc(x, bins=5, min=-1, max=1.5), lambda n: (torch.randn(n),)),
    "histc of ends": (lambda x: torch.histc(x, bins=7, min=0, max=6), lambda n: (numbers(n, 9).float(),)),
    "index_copy": (lambda x, y: x.index_copy(1, torch.tensor([2, 0]), y), lambda n: (torch.randn(n, 3), torch.randn(n, 2))),
}


def compiled(function, inputs):
    class Module(torch.nn.Module):
        def forward(self, *inputs):
            return function(*inputs)

    def dims(one, other):
        return {axis: Dim.AUTO for axis, sizes in enumerate(zip(one.shape, other.shape)) if sizes[0] != sizes[1]}
    example = inputs(6)
    return symshape.from_torch(Module(), example, dynamic_shapes=(tuple(map(dims, example, inputs(9))),))


@pytest.mark.parametrize("name", CASES)
def test_beside_eager(name):
    torch.manual_seed(0)
    function, inputs = CASES[name]
    program = compiled(function, inputs)
    for length in LENGTHS:
        if name == "weighted" and length == 0:
            continue  # PyTorch gives integers, whatever the weights are
        given = inputs(length)
        expected = torch.utils._pytree.tree_leaves(function(*given))
        for result, want in zip(program(*given), expected, strict=True):
            assert tuple(result.shape) == tuple(want.shape) and np.asarray(result).dtype == want.numpy().dtype
            np.testing.assert_allclose(result, want, rtol=1e-5, atol=1e-5)


#: What PyTorch refuses of some inputs: the function, and inputs that it takes and that it does not.
REFUSED = {
    "repeats": (lambda x: torch.repeat_interleave(x), torch.tensor([1, 0, 2]), torch.tensor([1, -1, 2])),
    "bincount": (lambda x: torch.bincount(x), torch.tensor([1, 0, 2]), torch.tensor([1, -1, 2])),
    "max": (lambda x: x.max(), torch.ones(3), torch.ones(0)),
    "amax": (lambda x: x.amax(), torch.ones(3), torch.ones(0)),
    "min along": (lambda x: x.min(0), torch.ones(3, 2), torch.ones(0, 2)),
    "argmax": (lambda x: x.argmax(), torch.ones(3), torch.ones(0)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_as_by_pytorch(name):
    function, taken, refused = REFUSED[name]
    program = compiled(function, lambda n: (torch.ones(n, *taken.shape[1:]).to(taken.dtype),))
    for result, want in zip(program(taken), torch.utils._pytree.tree_leaves(function(taken)), strict=True):
        np.testing.assert_allclose(result, want)
    with pytest.raises((RuntimeError, IndexError)):
        function(refused)
    with pytest.raises(symshape.GuardError):
        program(refused)


@pytest.mark.parametrize("ends", [(2, 2, 9), (0, 0, 0), (9, 9, 9), (1, 5, 7)])
def test_products_of_groups(ends):
    """Rows behind the last end are zeros, as in the way that transformers has without a kernel."""
    pytest.importorskip("transformers.integrations.moe")
    weight = torch.randn(3, 4, 5)
    program = compiled(lambda x, at: torch.ops.transformers.grouped_mm_fallback(x, weight, at),
                       lambda n: (torch.randn(n, 4), torch.tensor([1, 2, 3])))
    x, at = torch.randn(9, 4), torch.tensor(ends)
    (result,) = program(x, at)
    np.testing.assert_allclose(result, torch.ops.transformers.grouped_mm_fallback(x, weight, at), rtol=1e-5, atol=1e-5)
