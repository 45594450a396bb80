# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exported programs in `.pt2` files. The oracle is the exported program's own `.module()`, run by PyTorch."""

import io
import re
import zipfile

import numpy as np
import pytest
import symshape
import torch
import torch.nn.functional as F
from torch import nn
from torch.export import Dim

ROWS = [dict(b=n) for n in (0, 1, 5, 64)]
TOKENS = [dict(b=b, l=l) for b, l in ((0, 3), (1, 1), (2, 7), (3, 40), (2, 0))]
IMAGES = [dict(b=b, h=h, w=w) for b, h, w in ((1, 16, 16), (0, 16, 20), (2, 17, 33), (1, 40, 19))]
LARGE = dict(b={}, h=dict(min=12), w=dict(min=12))


def ids(*extents):
    return torch.randint(0, 50, extents)


def truth(*extents):
    return torch.rand(*extents) > 0.4


class Block(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.one, self.two = (nn.Conv2d(channels, channels, 3, padding=1, bias=False) for _ in range(2))
        self.norm1, self.norm2 = nn.BatchNorm2d(channels), nn.BatchNorm2d(channels)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        y = self.norm2(self.two(self.relu(self.norm1(self.one(x)))))
        y += x
        return self.relu(y)


class Decoder(nn.Module):
    def __init__(self, words=50, width=16, heads=4):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(64, width)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.head = nn.Linear(width, words, bias=False)
        self.head.weight = self.words.weight
        self.heads = heads

    def forward(self, x):
        b, length = x.shape
        x = self.words(x) + self.places(torch.arange(length))
        q, k, v = (part.view(b, length, self.heads, -1).transpose(1, 2) for part in self.qkv(self.norm1(x)).chunk(3, -1))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(b, length, -1))
        return self.head(x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh")))


class Function(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


def unary(x):
    return (x.sin(), x.cos().tanh(), x.exp(), x.abs().log1p(), x.erf(), x.sigmoid(), x.expm1(), x.floor(), x.round(),
            x.trunc(), x.sign(), x.rsqrt(), F.silu(x), F.elu(x), F.leaky_relu(x, .2), F.softplus(x), F.hardtanh(x),
            F.gelu(x), F.mish(x), F.hardswish(x), F.relu6(x), F.logsigmoid(x), x.square(), x.reciprocal(), x.abs().log2(),
            torch.isnan(x), x.neg(), F.hardsigmoid(x), F.celu(x), F.selu(x))


def binary(x, y):
    return (x + y, torch.sub(x, y, alpha=3), x / y, x // y, x % y, torch.fmod(x, y), torch.maximum(x, y), x > y, x <= y,
            x != y, torch.where(x > 0, x, y), x.clamp(-.5, .5), x.clamp(min=.1), x ** 2, x.abs() ** .5, 2 - x, 1 / x,
            x.masked_fill(y > 0, -1), torch.addcmul(x, x, y, value=.5), torch.lerp(x, y, .3), (x > 0) & (y > 0), ~(x > 0))


def integers(x, y):
    return (x + y, x * 2, x // 3, x % 3, x / 2, x.sum(), x.float().mean(), x.max(), x.to(torch.int32),
            torch.div(-x, y + 1, rounding_mode="floor"), torch.div(-x, y + 1, rounding_mode="trunc"), x * 1.5, x.bool(),
            x & y, x | y, x ^ y, -x)


def folds(x):
    return (x.sum(), x.sum(1), x.mean(-1, keepdim=True), x.amax(1), x.amin((0, 2)), x.argmax(1), x.max(1)[0], x.max(1)[1],
            x.var(1), x.std((1, 2)), x.prod(1), x.any(1), (x > 0).all(1), x.cumsum(1), x.softmax(1), x.log_softmax(-1),
            x.logsumexp(1), x.norm(dim=1), torch.linalg.vector_norm(x, 1, 1), x.topk(2, 1)[0], x.sort(1)[0],
            x.sort(1, descending=True)[1], torch.var_mean(x, 1)[1], x.argmax())


def moves(x):
    return (x.view(-1, 30), x.permute(2, 0, 1), x.unsqueeze(1), x[:, 1], x[:, ::2], x[:, -2:], torch.cat([x, x], 0),
            torch.stack([x, x], 1), x.flatten(1), x.expand(3, -1, -1, -1), x.repeat(2, 1, 3), x.flip(1), x.roll(2, 1),
            x.split(2, 1)[1], x.chunk(2, 1)[0], x.unbind(1)[2], x.unflatten(2, (2, 3)), F.pad(x, (1, 1, 2, 0), value=3.),
            F.pad(x, (1, 1), mode="reflect"), F.pad(x, (1, 1), mode="replicate"), x.tril(), x.triu(1), x.narrow(1, 1, 2),
            x.movedim(0, 2), x.mT, x.select(1, -1))


def picks(x, i):
    return (x[i], x[:, i % 5], x[i, i % 5], x[:, i % 5, i % 6], x[i, :, i % 6], x[i, None],
            torch.zeros_like(x).index_put((i,), x[i]), torch.index_select(x, 1, torch.tensor([0, 2])),
            x.index_add(0, i, x[i]), x.scatter_add(1, torch.zeros(2, 5, 6, dtype=torch.long), x[:2]))


def makes(x):
    n = x.shape[0]
    return (torch.zeros(n, 3), torch.full((n,), 2.5), torch.arange(n), torch.arange(2, n + 5, 2), torch.arange(0, 1, .25),
            torch.linspace(0, 1, 5), torch.eye(4), x.new_full((n, 2), 7), torch.tensor([1., 2.]) + x.sum(), n * 2, x.numel())


def pools(x):
    return (F.max_pool2d(x, 3, 2, 1), F.avg_pool2d(x, 3, 2, 1), F.avg_pool2d(x, 2, ceil_mode=True),
            F.adaptive_avg_pool2d(x, (3, 2)), F.adaptive_avg_pool2d(x, 1), F.adaptive_max_pool2d(x, 1),
            F.avg_pool2d(x, 3, 1, 1, count_include_pad=False))


def resizes(x):
    return (F.interpolate(x, scale_factor=2), F.interpolate(x, size=(7, 9)), F.interpolate(x, size=(20, 20), mode="bicubic"),
            F.interpolate(x, size=(7, 9), mode="bilinear", align_corners=True), F.interpolate(x, size=(7, 9), mode="nearest-exact"),
            F.interpolate(x, scale_factor=1.3, mode="bilinear"))


def products(x, y):
    return (x @ y, torch.bmm(x, y), torch.einsum("bij,bjk->bik", x, y), torch.baddbmm(x @ y, x, y, beta=.5, alpha=2),
            x[0, 0] @ y[0, :, 0], torch.outer(x[0, 0], y[0, 0]), x[0] @ y[0, :, 0])


def at_most(x):
    torch._check(x.shape[0] <= 20, lambda: "at most twenty")
    return x * 2


def branch(x, y):
    x = x + 1 if x.shape[0] > 4 else x - 1
    return x * 2 if x.shape[0] + y.shape[0] < 20 and y.shape[0] % 5 != 0 else x


#: Module or function, the extents of its inputs, what makes these, ranges of symbols, calls.
CASES = {
    "convolutions": (nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), Block(8), nn.MaxPool2d(2), nn.AdaptiveAvgPool2d((2, 3)),
                                   nn.Flatten(), nn.Linear(48, 5)), ["b 3 h w"], torch.randn, LARGE, IMAGES),
    "encoder": (nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 4, 32, batch_first=True), 2,
                                      enable_nested_tensor=False), ["b l 16"], torch.randn, dict(b={}, l={}), TOKENS),
    "decoder": (Decoder(), ["b l"], ids, dict(b={}, l=dict(max=64)), [*TOKENS, dict(b=1, l=64)]),
    "masks": (lambda x, mask: F.scaled_dot_product_attention(x, x, x, attn_mask=mask), ["b 2 l 8", "l l"],
              [torch.randn, truth], dict(b={}, l={}), TOKENS),
    "lstm": (nn.LSTM(5, 7, 2, batch_first=True, bidirectional=True), ["b 6 5"], torch.randn, dict(b={}), ROWS[1:]),
    "gru": (nn.GRU(5, 7), ["6 b 5"], torch.randn, dict(b={}), ROWS[1:]),
    "unary": (unary, ["b 9"], torch.randn, dict(b={}), ROWS),
    "binary": (binary, ["b 9", "b 9"], torch.randn, dict(b={}), ROWS),
    "integers": (integers, ["b 9", "b 9"], ids, dict(b=dict(min=1)), ROWS[1:]),
    "folds": (folds, ["b 5 6"], torch.randn, dict(b=dict(min=1)), ROWS[1:]),
    "moves": (moves, ["b 5 6"], torch.randn, dict(b={}), ROWS),
    "picks": (picks, ["b 5 6", "k"], [torch.randn, lambda n: torch.randint(0, 2, (n,))], dict(b=dict(min=2), k={}),
              [dict(b=3, k=2), dict(b=9, k=0), dict(b=2, k=20)]),
    "makes": (makes, ["b 9"], torch.randn, dict(b={}), ROWS),
    "pools": (pools, ["b 3 h w"], torch.randn, LARGE, IMAGES),
    "resizes": (resizes, ["b 3 h w"], torch.randn, LARGE, IMAGES),
    "products": (products, ["b 4 k", "b k 5"], torch.randn, dict(b=dict(min=1), k=dict(min=1)),
                 [dict(b=1, k=1), dict(b=3, k=17)]),
    "data": (lambda x: (x.nonzero(), x[x > 0], x.masked_select(x > 0.3)), ["b 4"], torch.randn, dict(b={}), ROWS),
    "check": (at_most, ["b 3"], torch.randn, dict(b=None), [dict(b=n) for n in (2, 3, 20, 21, 300)]),
    "branch": (branch, ["b 3", "k 3"], torch.randn, dict(b=None, k=None),
               [dict(b=b, k=k) for b, k in ((5, 3), (3, 3), (4, 5), (12, 8), (12, 7), (100, 3))]),
    "scales": (lambda x, k: (x * x.shape[0] ** 0.5 + x.shape[0] / 2, k + x.shape[0] ** 2 / 3), ["b 3", "b"],
               [torch.randn, ids], dict(b=None), [dict(b=n) for n in (2, 5, 33)]),
    "range": (lambda x: x + 1, ["b 3"], torch.randn, dict(b=dict(min=2, max=8)), [dict(b=n) for n in (0, 1, 2, 8, 9)]),
}


def inputs_of(extents, makers, sizes):
    makers = makers if isinstance(makers, list) else [makers] * len(extents)
    return tuple(make(*[sizes[each] if each in sizes else int(each) for each in text.split()])
                 for make, text in zip(makers, extents))


def save_in_old_form(exported, path):
    """As torch before 2.8: weights are pickled."""
    torch.export.save(exported, path)
    with zipfile.ZipFile(path) as archive:
        (name,) = (one for one in archive.namelist() if re.search(r"models/[^/]*\.json$", one))
        files = {"serialized_exported_program.json": archive.read(name), "version": b"8.2"}
    for name, tensors in (("state_dict", exported.state_dict), ("constants", exported.constants)):
        stream = io.BytesIO()
        torch.save(tensors, stream)
        files[f"serialized_{name}.pt"] = stream.getvalue()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)


@pytest.mark.parametrize("form", ["asserts", "guards", "decomposed", "old"])
@pytest.mark.parametrize("name", CASES)
def test_program(name, form, tmp_path):
    torch.manual_seed(0)
    module, extents, makers, ranges, calls = CASES[name]
    takes_any = not isinstance(module, nn.Module)
    module = (Function(module) if takes_any else module).eval()
    # None: whatever the export finds out about it.
    # Guards that the exporter cannot prove are no guards of a range: of `ceil_mode`, one that always holds.
    hint = Dim.AUTO if (name, form) == ("pools", "guards") else None
    dims = {symbol: hint or (Dim.DYNAMIC if bounds is None else Dim(symbol, **bounds)) for symbol, bounds in ranges.items()}
    example = {symbol: (bounds or {}).get("min", 3) + 3 + i for i, (symbol, bounds) in enumerate(ranges.items())}
    dynamic = tuple({axis: dims[each] for axis, each in enumerate(text.split()) if each in dims} for text in extents)
    exported = torch.export.export(module, inputs_of(extents, makers, example),
                                   dynamic_shapes=(dynamic,) if takes_any else dynamic,
                                   prefer_deferred_runtime_asserts_over_guards=form != "guards")
    if form == "decomposed":
        exported = exported.run_decompositions()
    (save_in_old_form if form == "old" else torch.export.save)(exported, tmp_path / "program.pt2")
    program, oracle, compared = symshape.load(tmp_path / "program.pt2"), exported.module(), 0
    for sizes in calls:
        inputs = inputs_of(extents, makers, sizes)
        try:
            with torch.no_grad():
                expected = oracle(*inputs)
        except (AssertionError, RuntimeError):
            with pytest.raises(symshape.GuardError):
                program(*inputs)
            continue
        results, expected = program(*inputs), torch.utils._pytree.tree_leaves(expected)
        assert len(results) == len(expected)
        for i, (one, two) in enumerate(zip(results, expected)):
            one, two = np.asarray(one), np.asarray(two)
            assert one.shape == two.shape and one.dtype == two.dtype, f"{sizes}, result {i}"
            np.testing.assert_allclose(one, two, rtol=2e-5, atol=2e-5, err_msg=f"{sizes}, result {i}")
            compared += 1
    assert compared
