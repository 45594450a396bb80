# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quantised exports: weights of 8 and 4 bits, bytes for activations. The oracle is the quantised module itself."""

import copy
import warnings

import numpy as np
import pytest
import symshape
import symshape.torch
import torch
from torch.export import Dim

SIZES = (0, 1, 3, 17, 64)
counts = {"programs": 0, "results": 0}


def words():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.GELU(), torch.nn.Linear(128, 32)).eval()


def images():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
                               torch.nn.Conv2d(8, 8, 3, stride=2), torch.nn.ReLU(), torch.nn.Flatten(),
                               torch.nn.Linear(8 * 9, 10)).eval()


def check(program, module, make, step, sizes=SIZES, most=0.0):
    """step: how far one integer more or less moves a result; most: the share of results that may be so far off.

    A float that is half-way between two integers may go to either, and moves all results of its row.
    """
    counts["programs"] += 1
    for size in sizes:
        torch.manual_seed(size)
        x = make(size)
        with torch.no_grad():
            want = module(x).numpy()
        result, = program(x)
        assert result.shape == want.shape
        off = np.abs(np.asarray(result) - want)
        assert np.all(off < step) and np.sum(off > 1e-4) <= most * off.size, (size, off.max())
        counts["results"] += 1


def torchao():
    """Configurations of torchao by name."""
    from torchao import quantization as ao
    from torchao.quantization.granularity import PerGroup
    return {"int8 weights": ao.Int8WeightOnlyConfig(),
            "int4 weights": ao.IntxWeightOnlyConfig(torch.int4),
            "int4 weights in groups": ao.IntxWeightOnlyConfig(torch.int4, granularity=PerGroup(32)),
            "int2 weights in groups": ao.IntxWeightOnlyConfig(torch.int2, granularity=PerGroup(16)),
            "int8 rows": ao.Int8DynamicActivationInt8WeightConfig(),
            "int8 rows, groups": ao.Int8DynamicActivationIntxWeightConfig(),
            "int8 rows, int4 groups": ao.Int8DynamicActivationIntxWeightConfig(
                weight_dtype=torch.int4, weight_granularity=PerGroup(64))}


NAMES = ["int8 weights", "int4 weights", "int4 weights in groups", "int2 weights in groups", "int8 rows",
         "int8 rows, groups", "int8 rows, int4 groups"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", ["module", "file", "decomposed file"])
def test_torchao(name, form, tmp_path):
    from torchao.quantization import quantize_
    module = words()
    quantize_(module, torchao()[name])
    x, shapes = torch.randn(4, 64), {"input": {0: Dim("b", max=64)}}
    if form == "module":
        program = symshape.from_torch(module, (x,), dynamic_shapes=shapes)
    else:
        exported = torch.export.export(module, (x,), dynamic_shapes=shapes)
        torch.export.save(exported.run_decompositions({} if form == "file" else None), tmp_path / "program.pt2")
        program = symshape.load(tmp_path / "program.pt2")
    rounds = "rows" in name  # PyTorch has no zero points of no rows
    check(program, module, lambda size: torch.randn(size, 64), 0.02, SIZES[rounds:], 0.5 * rounds)


@pytest.mark.parametrize("is_dynamic", [False, True])
@pytest.mark.parametrize("make, extents", [(words, (64,)), (images, (3, 16, 16))], ids=["words", "images"])
def test_pt2e(make, extents, is_dynamic, tmp_path):
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
    from torchao.quantization.pt2e.quantizer import x86_inductor_quantizer as x86
    torch.manual_seed(1)
    batch = Dim("b", max=64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exported = torch.export.export(make(), (torch.randn(4, *extents),), dynamic_shapes={"input": {0: batch}})
        quantizer = x86.X86InductorQuantizer()
        quantizer.set_global(x86.get_default_x86_inductor_quantization_config(is_dynamic=is_dynamic))
        prepared = prepare_pt2e(exported.module(), quantizer)
        for _ in range(3):
            prepared(torch.randn(16, *extents))
        module = convert_pt2e(prepared)
        exported = torch.export.export(module, (torch.randn(4, *extents),), dynamic_shapes=({0: batch},))
    kinds = {str(node.target) for node in exported.graph.nodes if node.op == "call_function"}
    assert any("quantized_decomposed.quantize" in kind for kind in kinds)
    torch.export.save(exported, tmp_path / "program.pt2")
    check(symshape.load(tmp_path / "program.pt2"), module, lambda size: torch.randn(size, *extents), 0.05,
          SIZES[is_dynamic:], most=0.5)  # of no elements there is no greatest one


def test_ops():
    """Ops that quantised programs hold one by one, where rounding has no choice."""
    from torch.ao.quantization.fx import _decomposed  # noqa: F401  defines them
    ops = torch.ops.quantized_decomposed

    class Ops(torch.nn.Module):
        def forward(self, x, q, scales, zeros):
            byte, least = (-128, 127, torch.int8), dict(quant_min=-100, quant_max=90, dtype=torch.int8)
            token = x[:, 3:4].abs() + 1, q[:, 3:4].to(torch.int64)
            return (ops.quantize_per_tensor(x, 0.25, 3, *byte), ops.quantize_per_tensor(x, 0.25, 3, **least),
                    ops.dequantize_per_tensor(q, 0.25, 3, *byte),
                    ops.quantize_per_channel(x, scales, zeros, 1, **least),
                    ops.dequantize_per_channel(q, scales, zeros, 1, *byte),
                    ops.dequantize_per_channel(q, scales, None, 1, *byte),
                    ops.quantize_per_token(x, *token, **least),
                    ops.dequantize_per_token(q, *token, *byte, torch.float32),
                    ops.dequantize_per_channel_group(q, x[:, :2].abs() + 1, None, *byte, 4, torch.float32),
                    torch.ops.aten._weight_int8pack_mm(x[:, :8], q[:3], scales[:3]))

    def inputs(rows):
        x = torch.randint(-1000, 1000, (rows, 8)) * 0.125 + 0.0625
        q = torch.randint(-128, 127, (rows, 8), dtype=torch.int8)
        return x, q, 2.0 ** torch.arange(-4, 4), torch.arange(-4, 4)

    rows = Dim("rows", min=3)
    program = symshape.from_torch(Ops(), inputs(5), ({0: rows}, {0: rows}, None, None))
    for size in (3, 4, 5, 33):
        given = inputs(size)
        for number, (result, want) in enumerate(zip(program(*given), Ops()(*given), strict=True)):
            assert result.dtype == want.dtype, number
            np.testing.assert_allclose(result, want, rtol=1e-6, err_msg=str(number))
            counts["results"] += 1


def test_counts():
    """Of a whole run."""
    if counts["programs"] < 3 * len(NAMES) + 4:
        pytest.skip("a part of the programs")
    print(counts)
    assert counts["results"] >= 150
