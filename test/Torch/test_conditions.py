# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What modules ask of sizes in Python: branches, `torch._check` and assertions. The oracle is PyTorch, run eagerly."""

import warnings

import numpy as np
import pytest
import symshape
import symshape.torch
import torch
from torch.export import Dim

EXAMPLE = (4, 6)
SIZES = [(0, 6), (1, 6), (2, 6), (3, 6), (4, 6), (5, 6), (6, 6), (8, 6), (9, 6), (4, 0), (4, 1), (4, 4), (4, 5), (4, 12),
         (8, 12), (12, 24), (16, 16), (1, 1), (0, 0), (64, 3), (98, 6)]  # rows of x and of y


def checked(condition):
    def run(x, y):
        torch._check(condition(x, y))
        return x + 1
    return run


def asserted(x, y):
    assert x.shape[0] % 2 == 0, "rows come in pairs"
    return x.reshape(-1, 6) + 1


def twice(x, y):
    if x.shape[0] > 2:
        x = x + 1
    return x * 3 if y.shape[0] % 3 == 0 else x


class Inner(torch.nn.Module):
    """A module of PyTorch's own kind whose code branches."""

    def forward(self, x):
        return x * 2 if x.shape[0] < 8 else x


inner = Inner()
#: Of each module, which sizes go the way of the example; others must be refused.
BRANCHES = {
    "even": (lambda x, y: x * 2 if x.shape[0] % 2 == 0 else x + 1, lambda b, c: b % 2 == 0),
    "more than one": (lambda x, y: x * 2 if x.shape[0] > 1 else x + 1, lambda b, c: b != 1),  # of no rows both are empty
    "not empty": (lambda x, y: x.sum(0) if x.shape[0] else y.sum(0), lambda b, c: b != 0),
    "not one": (lambda x, y: x * 2 if x.shape[0] != 1 else x + 1, lambda b, c: b != 1),
    # Of sizes up to 97, only 1 goes the other way.
    "remainder": (lambda x, y: x * 2 if x.shape[0] % 97 != 1 else x + 1, lambda b, c: b % 97 != 1),
    "equal": (lambda x, y: x * 2 if x.shape[0] == y.shape[0] else x + 1, lambda b, c: b != c),
    "ordered": (lambda x, y: x * 2 if x.shape[0] <= y.shape[0] else x + 1, lambda b, c: b <= c),
    "quotient": (lambda x, y: x * 2 if y.shape[0] // 2 == 3 else x + 1, lambda b, c: c // 2 == 3),
    "both": (lambda x, y: x * 2 if x.shape[0] > 3 and y.shape[0] > 4 else x + 1, lambda b, c: b > 3 and c > 4),
    "one of two": (lambda x, y: x * 2 if x.shape[0] > 5 or y.shape[0] > 4 else x + 1, lambda b, c: b <= 5 and c > 4),
    "sum": (lambda x, y: x * 2 if x.shape[0] + y.shape[0] < 12 else x + 1, lambda b, c: b + c < 12),
    "product": (lambda x, y: x * 2 if x.numel() >= y.numel() else x + 1, lambda b, c: b < c),
    "largest": (lambda x, y: x * max(x.shape[0], y.shape[0]), None),
    "count of turns": (lambda x, y: sum(x * i for i in range(min(y.shape[0], 3))), lambda b, c: c >= 3),
    "twice": (twice, lambda b, c: b > 2 and c % 3 == 0),
    "module": (lambda x, y: inner(x), lambda b, c: b < 8),
    "list": (lambda x, y: x * len([r for r in (2, 3, 5) if y.shape[0] % r == 0]), None),
    "check of multiples": (checked(lambda x, y: x.shape[0] % 4 == 0), lambda b, c: b % 4 == 0),
    "check of order": (checked(lambda x, y: x.shape[0] <= y.shape[0]), lambda b, c: b <= c),
    "check of a limit": (checked(lambda x, y: x.shape[0] <= 8), lambda b, c: b <= 8),
    "assertion": (asserted, lambda b, c: b % 2 == 0),
    "no condition": (lambda x, y: (x.T.reshape(-1), x.reshape(-1, 3, 2).sum(1), x.expand(2, -1, -1), y[:1] * 2), lambda b, c: True),
    "the same for one": (lambda x, y: x.sum(0) if x.shape[0] > 1 else x.reshape(6), lambda b, c: b != 0),
    "the same for none": (lambda x, y: x * 2 if x.shape[0] != 0 else x, lambda b, c: True),
    "squeeze": (lambda x, y: torch.nn.functional.softmax(x.unsqueeze(0).squeeze(0), 0), lambda b, c: True),
}


class Module(torch.nn.Module):
    def __init__(self, f):
        super().__init__()
        self.f = f

    def forward(self, x, y):
        return self.f(x, y)


def export(f, example=EXAMPLE, exporter="aten", asserts="user", **dims):
    dims = dims or {"b": Dim.AUTO, "c": Dim.AUTO}
    inputs = tuple(torch.randn(rows, 6) for rows in example)
    return symshape.from_torch(Module(f), inputs, dynamic_shapes={"x": {0: dims["b"]}, "y": {0: dims["c"]}},
                               exporter=exporter, asserts=asserts)


@pytest.mark.parametrize("name", BRANCHES)
def test_a_size_that_goes_another_way_is_refused(name):
    f, goes = BRANCHES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error", symshape.CompileWarning)
        program = export(f)
    served = 0
    for rows, others in SIZES:
        x, y = torch.randn(rows, 6), torch.randn(others, 6)
        try:
            results = program(x, y)
        except symshape.GuardError:
            assert not goes or not goes(rows, others), f"{rows} and {others} rows are refused"
            continue
        assert not goes or goes(rows, others), f"{rows} and {others} rows are served"
        wanted = f(x, y)
        for result, want in zip(results, wanted if isinstance(wanted, tuple) else (wanted,), strict=True):
            np.testing.assert_allclose(result, want.numpy(), rtol=1e-5, atol=1e-6)
        served += 1
    assert served >= 1


def counted(x, y):
    count = y[:, 0].to(torch.int64).sum().item()
    torch._check(count >= 0)
    torch._check(count <= 3)
    return x * count


def test_a_condition_on_data_is_checked():
    program = export(counted)
    for count in (-1, 0, 3, 4):
        x, y = torch.randn(4, 6), torch.zeros(6, 6)
        y[0] = count
        if 0 <= count <= 3:
            np.testing.assert_allclose(program(x, y)[0], (x * count).numpy(), rtol=1e-6)
        else:
            with pytest.raises(symshape.GuardError):
                program(x, y)


def test_a_condition_on_data_is_told_by_the_way_through_onnx():
    with pytest.warns(symshape.CompileWarning, match=r"test_conditions.py:\d+: the program does not check that u0 <= 3"):
        export(counted, exporter="onnx")


ALL = {"view": (lambda x, y: x.reshape(-1, 2) + 1, lambda b, c: b % 1 == 0),
       "odd": (lambda x, y: x * 2 if x.shape[0] % 2 else x, lambda b, c: b % 2 == 0)}


@pytest.mark.parametrize("name", ALL)
def test_all_assertions(name):
    """What the exporter asserts is asserted, and what code of the module asks as well."""
    f, _ = ALL[name]
    programs = {asserts: export(f, asserts=asserts) for asserts in ("user", "all")}
    exported = torch.export.export(Module(f), tuple(torch.randn(rows, 6) for rows in EXAMPLE),
                                   dynamic_shapes={"x": {0: Dim.AUTO}, "y": {0: Dim.AUTO}},
                                   prefer_deferred_runtime_asserts_over_guards=True).module()
    for size in SIZES:
        inputs = tuple(torch.randn(rows, 6) for rows in size)
        taken = {}
        for asserts, program in programs.items():
            try:
                program(*inputs)
                taken[asserts] = True
            except symshape.GuardError:
                taken[asserts] = False
        assert taken["user"] or not taken["all"], size
        try:
            exported(*inputs)
        except (AssertionError, RuntimeError):
            assert not taken["all"], size


@pytest.mark.parametrize("rows", [0, 1, 2])
def test_sizes_of_the_example_do_not_matter(rows):
    program = export(lambda x, y: x @ y.T + y.sum(), example=(rows, 1))
    for size in SIZES:
        x, y = (torch.randn(n, 6) for n in size)
        np.testing.assert_allclose(program(x, y)[0], (x @ y.T + y.sum()).numpy(), rtol=1e-4, atol=1e-4)


def test_hints():
    program = export(lambda x, y: (x + 1, y), b=Dim.DYNAMIC(min=2, max=5), c=Dim.AUTO)
    for rows, others in SIZES:
        x, y = torch.randn(rows, 6), torch.randn(others, 6)
        if 2 <= rows <= 5:
            np.testing.assert_allclose(program(x, y)[0], (x + 1).numpy())
        else:
            with pytest.raises(symshape.GuardError):
                program(x, y)
    fixed = export(lambda x, y: x + 1, b=Dim.STATIC, c=Dim.DYNAMIC)
    assert [str(one) for one in fixed.inputs][0].endswith("[4, 6] f32")


def test_modes_of_submodules_are_kept():
    module = torch.nn.Sequential(torch.nn.Linear(6, 6), torch.nn.BatchNorm1d(6), torch.nn.Dropout())
    module.train()
    module[1].eval()
    symshape.from_torch(module, (torch.randn(4, 6),), dynamic_shapes={"input": {0: Dim("B")}})
    assert [one.training for one in module.modules()] == [True, True, False, True]
