# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs of symshape.from_torch keep of a module. The oracle is PyTorch, run eagerly."""

import collections
import copy

import numpy as np
import pytest
import symshape
import symshape.torch
import torch
import torch.nn.functional as F
from torch.export import Dim


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


class Module(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


def export(function, *example, dims, **options):
    return symshape.from_torch(Module(function), example, dynamic_shapes=(tuple(dims),), **options)


def same(results, expected, tolerance=1e-5):
    expected = torch.utils._pytree.tree_leaves(expected)
    assert len(results) == len(expected)
    for result, want in zip(results, expected):
        assert tuple(result.shape) == tuple(want.shape)
        np.testing.assert_allclose(np.asarray(result), want.detach().numpy(), rtol=tolerance, atol=tolerance)
    return len(expected)


# --- assertions ------------------------------------------------------------


def takes_few(x, k):
    k = k.item()
    torch._check(k >= 0)
    torch._check(k <= x.shape[0])
    return x[:k] * 2


def takes_all(x, k):
    k = k.item()
    torch._check(k == x.shape[0])
    return x * k


def asserts_async(x, k):
    torch._assert_async((k > 0).all(), "k is positive")
    return x * k


@pytest.mark.parametrize("function, is_taken", [(takes_few, lambda n, k: 0 <= k <= n), (takes_all, lambda n, k: k == n),
                                                (asserts_async, lambda n, k: k > 0)])
def test_conditions_on_data(function, is_taken):
    program, counts = export(function, torch.randn(6, 3), torch.tensor(6), dims=[{0: Dim("n")}, None]), [0, 0]
    for n in (0, 1, 5, 6, 40):
        for k in (-1, 0, 1, n, n + 1):
            x, given, fits = torch.randn(n, 3), torch.tensor(k), is_taken(n, k)
            if fits:
                same(program(x, given), function(x, given))
            else:
                with pytest.raises(symshape.GuardError):
                    program(x, given)
            counts[fits] += 1
    assert min(counts) >= 5


# --- state -----------------------------------------------------------------


class Cache(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(()))
        self.register_buffer("rows", torch.zeros(5, 3))

    def forward(self, x):
        self.total.add_(x.sum())
        self.rows.copy_(self.rows * 0.5 + x[:1])
        return x * self.total, self.rows.sum(0)


def test_buffers_are_state():
    module = Cache()
    program = symshape.from_torch(module, (torch.randn(4, 3),), dynamic_shapes={"x": {0: Dim("n", min=1)}})
    assert sorted(program.state) == ["rows", "total"] and float(module.total) == 0
    assert [one.name for one in program.inputs] == ["x"]
    for n in (4, 1, 7, 4):
        x = torch.randn(n, 3)
        same(program(x), module(x))
        for name, value in program.state.items():
            np.testing.assert_allclose(np.asarray(value), getattr(module, name).numpy(), rtol=1e-5)
    program.state["total"] = torch.zeros(())
    x = torch.randn(2, 3)
    same(program(x)[:1], x * x.sum())


def changes(x, y):
    x.add_(y)
    return x * 2


@pytest.mark.parametrize("library", ["torch", "numpy"])
def test_inputs_that_change_are_written(library):
    program = export(changes, torch.randn(4, 3), torch.randn(4, 3), dims=[{0: Dim("n")}] * 2)
    for n in (0, 1, 9):
        x, y = torch.randn(n, 3), torch.randn(n, 3)
        ours = x.clone() if library == "torch" else x.clone().numpy()
        results = program(ours, y if library == "torch" else y.numpy())
        same(results, changes(x, y))
        np.testing.assert_allclose(np.asarray(ours), x.numpy(), rtol=1e-6)


# --- arguments -------------------------------------------------------------


class Named(torch.nn.Module):
    def forward(self, x, mask, scale, *, shift):
        return x * scale + shift - mask


def test_arguments_by_name_in_any_order():
    x, other = Dim("n"), Dim("m")
    program = symshape.from_torch(
        Named(), (torch.randn(4, 3),), kwargs=dict(shift=torch.randn(5, 1, 1), scale=torch.randn(4, 1), mask=torch.randn(4, 3)),
        dynamic_shapes={"shift": {0: other}, "mask": {0: x}, "x": {0: x}, "scale": {0: x}})
    for n, m in ((4, 5), (1, 1), (3, 7), (0, 2), (2, 0)):
        given = dict(x=torch.randn(n, 3), mask=torch.randn(n, 3), scale=torch.randn(n, 1), shift=torch.randn(m, 1, 1))
        names = list(given)
        for order in (names, names[::-1], names[2:] + names[:2]):
            same(program(**{name: given[name] for name in order}), Named()(**given))
    with pytest.raises(symshape.GuardError):
        program(x=torch.randn(2, 3), mask=torch.randn(3, 3), scale=torch.randn(2, 1), shift=torch.randn(1, 1, 1))


class Tree(torch.nn.Module):
    def forward(self, pairs, options, count):
        return {"sum": pairs[0][0] + pairs[1][1], "more": [options["bias"] * count, pairs[0][1]]}


def test_trees_of_arguments():
    n = Dim("n")
    row = {0: n}
    program = symshape.from_torch(
        Tree(), ([(torch.randn(3, 2), torch.randn(3)), (torch.randn(3), torch.randn(3, 2))], {"bias": torch.randn(3)}, 4),
        dynamic_shapes={"pairs": [(row, row), (row, row)], "options": {"bias": row}, "count": None})
    for size in (0, 1, 5):
        pairs = [(torch.randn(size, 2), torch.randn(size)), (torch.randn(size), torch.randn(size, 2))]
        options = {"bias": torch.randn(size)}
        same(program(pairs, options, 4), Tree()(pairs, options, 4))
        with pytest.raises(symshape.InputError, match="4"):
            program(pairs, options, 5)


Pair = collections.namedtuple("Pair", "a b")


class Pairs(torch.nn.Module):
    def forward(self, given):
        return Pair(given.a + given.b, {"product": given.a * given.b})


def test_trees_that_pytorch_cannot_write():
    program = symshape.from_torch(Pairs(), (Pair(torch.randn(3), torch.randn(3)),),
                                  dynamic_shapes={"given": Pair({0: Dim.AUTO}, {0: Dim.AUTO})})
    for size in (0, 1, 5):
        given = Pair(torch.randn(size), torch.randn(size))
        same(program(given), Pairs()(given))


def test_functions_and_exported_programs():
    def function(x, y=2.0):
        return x.sin() * y

    program = symshape.from_torch(function, (torch.randn(3),), dynamic_shapes={"x": {0: Dim("n")}})
    exported = torch.export.export(Module(lambda x: x.cos()), (torch.randn(3),), dynamic_shapes=(({0: Dim("k", max=9)},),))
    other = symshape.from_torch(exported)
    for size in (0, 1, 7):
        x = torch.randn(size)
        same(program(x), function(x))
        same(other(x), x.cos())
    with pytest.raises(symshape.GuardError):
        other(torch.randn(10))
    with pytest.raises(symshape.InputError, match="module, a function or an exported program"):
        symshape.from_torch(3, ())


@pytest.mark.parametrize("name", ["max", "min", "mod", "bc", "floordiv"])
def test_dims_of_any_name(name):
    program = export(lambda x: x.sum(1), torch.randn(4, 3), dims=[{0: Dim(name, max=20)}])
    for size in (0, 1, 20):
        x = torch.randn(size, 3)
        same(program(x), x.sum(1))
    with pytest.raises(symshape.GuardError, match=name):
        program(torch.randn(21, 3))


DERIVED = {"2*b": (lambda b: 2 * b, lambda b: 2 * b), "b + 1": (lambda b: b + 1, lambda b: b + 1),
           "3*b + 2": (lambda b: 3 * b + 2, lambda b: 3 * b + 2)}


@pytest.mark.parametrize("name", DERIVED)
def test_derived_dims(name):
    make, size = DERIVED[name]
    b = Dim("b", min=2, max=10)
    program = export(lambda x: x * 2, torch.randn(size(4), 3), dims=[{0: make(b)}])
    assert [one.name for one in program.symbols] == ["b"]
    taken = {size(n) for n in range(2, 11)}
    for rows in range(40):
        x = torch.randn(rows, 3)
        if rows in taken:
            same(program(x), x * 2)
        else:
            with pytest.raises(symshape.GuardError):
                program(x)


@pytest.mark.parametrize("name", DERIVED)
@pytest.mark.parametrize("bounds", [{}, {"min": 2, "max": 10}, {"min": 4}, {"min": 0, "max": 6}, {"min": 1}])
def test_derived_dims_of_files(name, bounds, tmp_path):
    exported = torch.export.export(Module(lambda x: x * 2), (torch.randn(DERIVED[name][1](5), 3),),
                                   dynamic_shapes=(({0: DERIVED[name][0](Dim("b", **bounds))},),))
    torch.export.save(exported, tmp_path / "m.pt2")
    program, oracle, taken = symshape.load(tmp_path / "m.pt2"), exported.module(), 0
    sizes = {DERIVED[name][1](b) for b in range(40)}  # `module()` takes others too
    for rows in range(40):
        x = torch.randn(rows, 3)
        try:
            expected = oracle(x) if rows in sizes else None
        except Exception:
            expected = None
        if expected is None:
            with pytest.raises(symshape.GuardError):
                program(x)
        else:
            same(program(x), expected)
            taken += 1
    assert taken >= 5


def test_sizes_beside_their_tensor():
    """A number that the exporter found to be a size is one: nothing is left to ask where it is used."""
    class Ones(torch.nn.Module):
        def forward(self, x, rows: int):
            return x * x.new_ones(rows, 3)

    exported = torch.export.export(Ones(), (torch.ones(4, 3), 4),
                                   dynamic_shapes={"x": {0: Dim.DYNAMIC}, "rows": Dim.DYNAMIC})
    program, oracle = symshape.from_torch(exported), exported.module()
    assert [one.name for one in program.symbols] == [str(*exported.range_constraints)]
    for rows in (2, 5, 33):
        x = torch.randn(rows, 3)
        same(program(x, rows), oracle(x, rows))
    for given in (4, 6):
        with pytest.raises(AssertionError):
            oracle(torch.randn(5, 3), given)
        with pytest.raises(symshape.GuardError, match="rows must be s"):
            program(torch.randn(5, 3), given)


def test_sums_of_sizes_are_results():
    """`sym_sum` has no form in a file; what is written in its place keeps its name, by which results are called."""
    program = export(lambda x: (x + 1, torch.sym_sum([x.shape[0], 1, x.shape[1]])), torch.ones(4, 3),
                     dims=[{0: Dim("a"), 1: Dim("b")}])
    for shape in ((2, 3), (5, 2), (3, 17)):
        x = torch.ones(shape)
        result, size = program(x)
        same([result], x + 1)
        assert int(size) == sum(shape) + 1


# --- ops -------------------------------------------------------------------

IMAGES = [(1, 3, 4, 4), (2, 3, 7, 5), (1, 3, 16, 33), (0, 3, 5, 6)]
OPEN = {0: Dim("b"), 2: Dim("h", min=4), 3: Dim("w", min=4)}
RESIZES = {
    "adaptive": lambda x: F.adaptive_avg_pool2d(x, (2, 2)),
    "area": lambda x: F.interpolate(x, size=(3, 5), mode="area"),
    "nearest-exact": lambda x: F.interpolate(x, size=(7, 9), mode="nearest-exact"),
    "corners": lambda x: F.interpolate(x, scale_factor=1.7, mode="bilinear", align_corners=True),
    "scale": lambda x: F.interpolate(x, scale_factor=0.7, mode="nearest"),
    "recomputed": lambda x: F.interpolate(x, scale_factor=1.3, mode="bicubic", recompute_scale_factor=True)}


@pytest.mark.parametrize("name", RESIZES)
def test_images_of_open_sizes(name):
    program = export(RESIZES[name], torch.randn(2, 3, 8, 10), dims=[OPEN])
    for shape in IMAGES:
        x = torch.randn(*shape)
        if x.numel() or name in ("adaptive", "area"):
            same(program(x), RESIZES[name](x), 1e-4)


REFUSED = {"_upsample_bilinear2d_aa": lambda x: F.interpolate(x, size=(3, 3), mode="bilinear", antialias=True),
           "fft": lambda x: torch.fft.rfft(x).abs()}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_is_named(name):
    with pytest.raises(symshape.CompileError, match=name):
        export(REFUSED[name], torch.randn(2, 3, 8, 10), dims=[OPEN])


def smoothed(x, y):
    return F.cross_entropy(x, y, label_smoothing=0.1)


def reduced(x, y):
    return torch.zeros(7, 5).scatter_reduce(0, y[:, None].expand(-1, 5), x, "mean", include_self=False)


def repeated(x, y):
    return x.repeat_interleave(x.shape[0], 0), x.repeat_interleave(2, 1)


def bags(x, y):
    return F.embedding_bag(y, TABLE, torch.arange(0, y.shape[0], 2), mode="sum")


TABLE = torch.randn(7, 3)


@pytest.mark.parametrize("function, least", [(smoothed, 1), (reduced, 0), (repeated, 0), (bags, 1)])
def test_ops(function, least):
    program = export(function, torch.randn(4, 5), torch.randint(0, 5, (4,)), dims=[{0: Dim("n")}] * 2)
    for n in (0, 1, 3, 64):
        if n >= least:
            x, y = torch.randn(n, 5), torch.randint(0, 5, (n,))
            same(program(x, y), function(x, y))


def test_rows_that_see_nothing_are_zeros():
    def attend(x, mask):
        return F.scaled_dot_product_attention(x, x, x, attn_mask=mask)

    length = Dim("L")
    program = export(attend, torch.randn(2, 5, 8), torch.ones(5, 5, dtype=torch.bool), dims=[{1: length}, {0: length, 1: length}])
    for n in (1, 4, 33):
        x, mask = torch.randn(2, n, 8), torch.rand(n, n) > 0.5
        mask[0] = False
        (result,) = program(x, mask)
        same([result], attend(x, mask))
        assert not np.asarray(result)[:, 0].any()


# --- weights ---------------------------------------------------------------


class Tied(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.words = torch.nn.Embedding(40, 16)
        self.small = torch.nn.Parameter(torch.randn(16))
        self.head = torch.nn.Linear(16, 40, bias=False)
        self.head.weight = self.words.weight

    def forward(self, ids):
        return self.head(self.words(ids) * self.small)


def test_tied_weights_are_one_parameter():
    module = Tied()
    program = symshape.from_torch(module, (torch.randint(0, 40, (2, 3)),), dynamic_shapes={"ids": {0: Dim("b"), 1: Dim("l")}},
                                  parameters="inputs")
    assert sorted(program.parameters) == ["small", "words.weight"]
    weights, call = dict(module.named_parameters()), symshape.torch.as_function(program)
    for shape in ((1, 1), (3, 7), (0, 2)):
        ids = torch.randint(0, 40, shape)
        kept = []
        for run in (lambda: call(ids, *(weights[name] for name in program.parameters)), lambda: module(ids)):
            module.zero_grad()
            result = run()
            result.square().sum().backward()
            kept.append([result.detach(), *(one.grad.clone() for one in weights.values())])
        for one, two in zip(*kept, strict=True):
            torch.testing.assert_close(one, two, rtol=1e-4, atol=1e-5)


def test_other_weights():
    module = Tied()
    program = symshape.from_torch(module, (torch.randint(0, 40, (2, 3)),), dynamic_shapes={"ids": {0: Dim("b"), 1: Dim("l")}})
    other, ids = copy.deepcopy(module), torch.randint(0, 40, (3, 5))
    with torch.no_grad():
        for parameter in other.parameters():
            parameter.copy_(torch.randn_like(parameter))
    same(program(ids), module(ids), 1e-4)
    program.load_state_dict(other.state_dict())
    same(program(ids), other(ids), 1e-4)
    with pytest.raises(symshape.InputError, match="small"):
        program.load_state_dict({name: one for name, one in other.state_dict().items() if name != "small"})
    same(program(ids), other(ids), 1e-4)


KINDS = {
    "a view": lambda: torch.randn(8, 6)[1:6:2, ::2],
    "transposed": lambda: torch.randn(3, 5).T,
    "an offset": lambda: torch.randn(40)[7:22].view(5, 3),
    "expanded": lambda: torch.randn(1, 3).expand(5, 3),
    "with a gradient": lambda: torch.randn(5, 3, requires_grad=True),
    "a parameter": lambda: torch.nn.Parameter(torch.randn(5, 3)),
    "a parameter that is a view": lambda: torch.nn.Parameter(torch.randn(3, 5).T),
    # Its memory has the other sign.
    "negated when it is read": lambda: torch.randn(5, 3, dtype=torch.complex64).conj().imag,
    "of nothing": lambda: torch.randn(0, 3),
}


@pytest.mark.parametrize("kind", KINDS)
def test_tensors_of_each_kind(kind):
    program = symshape.from_torch(lambda x: (x * 2 + 1, x.sum(0)), (torch.randn(2, 3),), dynamic_shapes=({0: Dim("n")},))
    x = KINDS[kind]()
    x = x if x.shape[-1] == 3 else x.detach().reshape(-1, 3)
    for results in (program(x), program.prepare(x)()):
        assert all(type(one) is torch.Tensor and not one.requires_grad for one in results)
        same(results, (x * 2 + 1, x.sum(0)), 1e-5)
    results = program(x)
    del program  # results hold on to what they lie in
    same(results, (x * 2 + 1, x.sum(0)), 1e-5)
    results[0].add_(1)


def test_tensors_without_memory_are_refused():
    program = symshape.from_torch(lambda x: x * 2, (torch.randn(2, 3),), dynamic_shapes=({0: Dim("n")},))
    for x in (torch.randn(2, 3, device="meta"), torch.randn(2, 3).to_sparse()):
        with pytest.raises(symshape.InputError, match="expected a (dense )?tensor"):
            program(x)
    with pytest.raises(symshape.InputError, match="in memory"):
        torch.func.vmap(lambda x: program(x)[0])(torch.randn(4, 2, 3))
    same(program(torch.ones(2, 3)), torch.ones(2, 3) * 2)
