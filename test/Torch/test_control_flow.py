# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Higher-order ops in exported programs: branches, loops and scans. The oracle is PyTorch, run eagerly."""

import numpy as np
import pytest
import symshape
import torch
from torch._higher_order_ops import associative_scan, map as hop_map, scan, while_loop
from torch.export import Dim

SIZES = [0, 1, 2, 5, 33, 128]


def by_data(x, y):
    return torch.cond(x.sum() > 0, lambda x, y: x + y, lambda x, y: x * y - 1, (x, y))


def several_results(x, y):
    return torch.cond((x > 0).all(), lambda x, y: (x + 1, y.sum(0)), lambda x, y: (x.sin(), y[0] * 0), (x, y))


def by_size(x, y):
    return torch.cond(x.shape[0] > 4, lambda x, y: x.cos() + y, lambda x, y: x.sin() - y, (x, y))


def nested(x, y):
    def inner(x, y):
        return torch.cond(y.sum() > 0, lambda x, y: x + y, lambda x, y: x - y, (x, y))
    return torch.cond(x.sum() > 0, inner, lambda x, y: x.clone(), (x, y))


def captured(x, y):
    z = y.tanh()
    return torch.cond(x.max() > 0.5, lambda x: x + z, lambda x: x - z, (x,))


def halves(x, y):
    def more(i, x):
        return (x.abs().sum() > 1) & (i < 50)

    def turn(i, x):
        return i + 1, x / 2
    return while_loop(more, turn, (torch.zeros((), dtype=torch.int64), x))


def counted(x, y):
    return while_loop(lambda i, x: i < 7, lambda i, x: (i + 1, x * 0.5 + y), (torch.tensor(0), x))


def running_sum(x, y):
    def step(state, row):
        state = state + row
        return state, state * 2
    return scan(step, torch.zeros(4), x, dim=0)


def two_scanned(x, y):
    def step(state, rows):
        a, b = rows
        state = torch.tanh(state + a * b)
        return state, [state - a, b.sum()]
    last, made = scan(step, torch.zeros(4), [x, y], dim=0)
    return last, *made


def backwards(x, y):
    return scan(lambda s, a: (s * 0.5 + a, s + a), torch.zeros(4), x, dim=0, reverse=True)


def rows(x, y):
    return hop_map(lambda row, w: row * w.sum() + row.sum(), x, y)


def maxima(x, y):
    return associative_scan(torch.maximum, x, 0, combine_mode="pointwise")


# What PyTorch runs only where it is compiled.
EAGER = {"rows": lambda x, y: torch.stack([row * y.sum() + row.sum() for row in x]),
         "maxima": lambda x, y: x.cummax(0).values}
#: The function, and the least number of rows that it takes.
CASES = {"by data": (by_data, 0), "several results": (several_results, 1), "by size": (by_size, 0), "nested": (nested, 0),
         "captured": (captured, 1), "halves": (halves, 0), "counted": (counted, 0), "running sum": (running_sum, 1),
         "two scanned": (two_scanned, 1), "backwards": (backwards, 1), "rows": (rows, 1), "maxima": (maxima, 0)}


class Module(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x, y):
        return self.function(x, y)


class Mapped(Module):
    """Of one input."""

    def forward(self, x):
        return self.function(x)


@pytest.mark.parametrize("name", CASES)
def test_beside_eager(name, tmp_path):
    torch.manual_seed(0)
    function, least = CASES[name]
    module = Module(function)
    dims = {0: Dim.DYNAMIC}
    exported = torch.export.export(module, (torch.randn(6, 4), torch.randn(6, 4)), dynamic_shapes=(dims, dims),
                                   prefer_deferred_runtime_asserts_over_guards=True)
    torch.export.save(exported, tmp_path / "program.pt2")
    program, compared = symshape.load(tmp_path / "program.pt2"), 0
    for size in SIZES:
        if size < least:
            continue
        for sign in (1, -1):
            x, y = sign * torch.rand(size, 4), torch.randn(size, 4)
            expected = torch.utils._pytree.tree_leaves(EAGER.get(name, function)(x, y))
            results = program(x, y)
            assert len(results) == len(expected)
            for result, want in zip(results, expected):
                assert tuple(result.shape) == tuple(want.shape) and np.asarray(result).dtype == want.numpy().dtype
                np.testing.assert_allclose(result, want, rtol=1e-5, atol=1e-5)
                compared += 1
    assert compared >= 2 * (len(SIZES) - 1)
    assert program.compilations == 1


#: Functions that PyTorch maps over an axis by `vmap`, with the sizes for which their export takes the way of the example.
MAPPED = {
    "a generic scan": (lambda x: associative_scan(lambda a, b: a * 0.5 + b, x, 0, combine_mode="generic"), {6}),
    "one backwards": (lambda x: associative_scan(lambda a, b: a * 0.5 + b, x, 0, combine_mode="generic", reverse=True), {6}),
    "vmap": (lambda x: torch.vmap(lambda row: row.softmax(0) * row.sum())(x), {1, 2, 6, 7, 33}),
}


@pytest.mark.parametrize("name", MAPPED)
def test_mapped_over_an_axis(name):
    function, taken = MAPPED[name]
    exported = torch.export.export(Mapped(function), (torch.randn(6, 4),), dynamic_shapes=({0: Dim.DYNAMIC},),
                                   prefer_deferred_runtime_asserts_over_guards=True)
    oracle = exported.module()
    for program in symshape.from_torch(exported), symshape.from_torch(Mapped(function), (torch.randn(6, 4),), ({0: Dim.DYNAMIC},)):
        for size in (1, 2, 6, 7, 33):
            x = torch.randn(size, 4)
            if size in taken:
                np.testing.assert_allclose(program(x)[0], oracle(x), rtol=1e-5, atol=1e-5)
                np.testing.assert_allclose(program(x)[0], function(x), rtol=1e-5, atol=1e-5)
                continue
            with pytest.raises((RuntimeError, AssertionError)):
                oracle(x)
            with pytest.raises(symshape.GuardError):
                program(x)
