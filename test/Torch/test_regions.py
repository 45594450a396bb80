# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`flex_attention` with functions of scores and masks, and regions of autocast. The oracle is eager."""

import numpy as np
import pytest
import symshape
import symshape.torch
import torch
from torch.export import Dim
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

SIZES = [(1, 1, 1), (1, 5, 5), (3, 33, 33), (2, 128, 128), (2, 7, 200), (0, 4, 4), (1, 200, 7)]  # batch, queries, keys
SLOPES = torch.tensor([0.5, 0.25])


def none(q, k, v):
    return flex_attention(q, k, v)


def relative(q, k, v):
    return flex_attention(q, k, v, score_mod=lambda score, b, h, i, j: score + (i - j), scale=0.5)


def slopes(q, k, v):
    return flex_attention(q, k, v, score_mod=lambda s, b, h, i, j: torch.tanh(s + SLOPES[h] * (j - i) - b * 0.1))


def causal(q, k, v):
    mask = create_block_mask(lambda b, h, i, j: i >= j, None, None, q.shape[2], k.shape[2], device="cpu")
    return flex_attention(q, k, v, block_mask=mask)


def window(q, k, v):
    """Rows in front of a window see nothing: zeros."""
    def sees(b, h, i, j):
        return (i - j < 3) & (j + h < i)
    mask = create_block_mask(sees, None, None, q.shape[2], k.shape[2], device="cpu")
    return flex_attention(q, k, v, block_mask=mask, score_mod=lambda score, b, h, i, j: score * 2)


def documents(q, k, v):
    ids = torch.arange(256) // 5

    def same(b, h, i, j):
        return (ids[i] == ids[j]) & (i >= j)
    mask = create_block_mask(same, q.shape[0], None, q.shape[2], k.shape[2], device="cpu")
    return flex_attention(q, k, v, block_mask=mask)


def groups(q, k, v):
    return flex_attention(q, k[:, :1], v[:, :1], enable_gqa=True, score_mod=lambda score, b, h, i, j: score - h)


def sums(q, k, v):  # PyTorch has none of an empty batch
    return flex_attention(q, k, v, return_lse=True)


class Module(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


def wanted(name, inputs):
    """PyTorch compiles `flex_attention` for each size; its own form in ops is eager."""
    from torch.nn.attention import flex_attention as flex
    before, flex._FLEX_ATTENTION_DISABLE_COMPILE_DEBUG = flex._FLEX_ATTENTION_DISABLE_COMPILE_DEBUG, True
    try:
        results = name(*inputs)
    finally:
        flex._FLEX_ATTENTION_DISABLE_COMPILE_DEBUG = before
    return results if isinstance(results, tuple) else (results,)


@pytest.mark.parametrize("function", [none, relative, slopes, causal, window, documents, groups, sums])
def test_flex_attention(function):
    torch.manual_seed(0)
    b, i, j = Dim("b", max=8), Dim("i", max=256), Dim("j", max=256)
    program = symshape.from_torch(Module(function), (torch.randn(2, 2, 9, 8), *torch.randn(2, 2, 2, 11, 8)),
                                  dynamic_shapes={"inputs": ({0: b, 2: i}, {0: b, 2: j}, {0: b, 2: j})})
    compared = 0
    for batch, queries, keys in SIZES:
        inputs = torch.randn(batch, 2, queries, 8), *torch.randn(2, batch, 2, keys, 8)
        if batch == 0 and function is sums:
            continue
        results = program(*inputs)
        try:
            expected = wanted(function, inputs)
        except Exception:  # PyTorch's own masks and checks have no empty batch
            assert batch == 0
            continue
        for result, want in zip(results, expected, strict=True):
            np.testing.assert_allclose(result, want.numpy(), rtol=1e-4, atol=1e-5)
            compared += 1
    assert program.compilations == 1 and compared >= len(SIZES) - 1


class Regions(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.inner, self.norm = torch.nn.Linear(8, 8), torch.nn.LayerNorm(8)

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = self.norm(torch.relu(self.inner(x))).softmax(-1)
            with torch.autocast("cpu", enabled=False):
                z = self.inner(y.float())
        return z + 1, y @ y.T


def test_autocast():
    module = Regions().eval()
    program = symshape.from_torch(module, (torch.randn(4, 8),), dynamic_shapes={"x": {0: Dim("b")}})
    for rows in (0, 1, 5, 64):
        x = torch.randn(rows, 8)
        with torch.no_grad():
            for result, want in zip(program(x), module(x), strict=True):
                assert torch.as_tensor(result).dtype == want.dtype
                np.testing.assert_allclose(torch.as_tensor(result).float(), want.float(), rtol=2e-2, atol=2e-2)


def test_autocast_in_a_file(tmp_path):
    class Off(torch.nn.Module):
        def forward(self, x):
            with torch.autocast("cpu", enabled=False):
                return x @ x.T + 1

    exported = torch.export.export(Off(), (torch.randn(4, 8),), dynamic_shapes={"x": {0: Dim("b")}})
    torch.export.save(exported, tmp_path / "off.pt2")
    x = torch.randn(7, 8)
    np.testing.assert_allclose(symshape.load(tmp_path / "off.pt2")(x)[0], x @ x.T + 1, rtol=1e-5)

    exported = torch.export.export(Regions().eval(), (torch.randn(4, 8),), dynamic_shapes={"x": {0: Dim("b")}})
    torch.export.save(exported, tmp_path / "on.pt2")
    with pytest.raises(symshape.CompileError, match=r"run_decompositions\(\{\}\) makes casts"):
        symshape.load(tmp_path / "on.pt2")
    torch.export.save(exported.run_decompositions({}), tmp_path / "casts.pt2")
    symshape.load(tmp_path / "casts.pt2")
