# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""H1 to H6 (see ../../Integration/derivatives.py) on ONNX nodes, in f64.

    check_derivatives.py [--only=NAME,...] [--every=N]

The definition is onnx's own, in NumPy. `--every=N` takes each Nth case.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import onnx
from derivative_cases import Raw
from derivatives import check, report
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

TYPES = {"f64": TensorProto.DOUBLE, "f32": TensorProto.FLOAT, "i64": TensorProto.INT64}
SIZES = [{"A": 3, "B": 4, "K": 5}, {"A": 1, "B": 1, "K": 1}, {"A": 2, "B": 3, "K": 0}, {"A": 0, "B": 2, "K": 1}]
FULL = SIZES[:2] + [{"A": 2, "B": 5, "K": 3}, {"A": 0, "B": 2, "K": 1}]  # of which no axis that is read is empty

EVEN = [{"A": 3, "B": 4}, {"A": 1, "B": 2}, {"A": 2, "B": 6}]  # scales and weights are exact, as the definition rounds them


def indices(rng, shape, sizes):
    """Some are equal, and some count from the end; the axis that is read has the extent A or more."""
    last = max(sizes["A"], 1)
    return rng.integers(-last, last, shape) if np.prod(shape) else np.zeros(shape)


def grid(rng, shape, sizes):
    """Some places are outside; all are exact in f32, to which the definition rounds them, and between elements."""
    return rng.integers(-10, 11, shape) / 8 + 1 / 16


def node(name, op, inputs, constants=(), sizes=SIZES, values=None, active=None, second=True, **attrs):
    """A case of one node, whose operands are `inputs` and then `constants`, None where there is none."""
    spelled = {one: dims if isinstance(dims, tuple) else ("f64", dims) for one, dims in inputs.items()}
    operands = [*inputs, *("" if one is None else f"c{i}" for i, one in enumerate(constants))]
    graph = helper.make_graph(
        [helper.make_node(op, operands, ["result"], **attrs)], name,
        [helper.make_tensor_value_info(one, TYPES[dtype], dims) for one, (dtype, dims) in spelled.items()],
        [helper.make_tensor_value_info("result", TensorProto.DOUBLE, None)],
        [numpy_helper.from_array(np.asarray(one), f"c{i}") for i, one in enumerate(constants) if one is not None])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    evaluator = ReferenceEvaluator(model)
    made = values or {}
    return (name, model, spelled, evaluator, active or [one for one, (dtype, _) in spelled.items() if dtype == "f64"],
            lambda rng, one, shape, at: made[one](rng, shape, at) if one in made else None, sizes, second)


def movements():
    by_index = {"values": {"i": indices}}
    yield node("gather", "Gather", {"x": ["A", "B"], "i": ("i64", ["K"])}, sizes=FULL[:3], **by_index)
    yield node("gather_of_columns", "Gather", {"x": ["K", "A", 2], "i": ("i64", [2, "B"])}, axis=1, sizes=FULL[:3], **by_index)
    yield node("gather_elements", "GatherElements", {"x": ["A", "B"], "i": ("i64", ["K", "B"])}, sizes=FULL[:3], **by_index)
    yield node("gather_nd", "GatherND", {"x": ["A", "A", "B"], "i": ("i64", ["K", 2])}, sizes=FULL[:3], **by_index)
    yield node("tile", "Tile", {"x": ["A", "B"]}, [np.array([2, 3])])
    yield node("tile_none", "Tile", {"x": ["A", "B"]}, [np.array([2, 0])])
    yield node("expand", "Expand", {"x": ["A", 1, "B"]}, [np.array([2, 1, 3, 1])])
    for mode in ("reflect", "edge", "wrap"):
        yield node(f"pad_{mode}", "Pad", {"x": ["A", "B"]}, [np.array([1, 2, 0, 1])], mode=mode,
                   sizes=[{"A": 3, "B": 4}, {"A": 2, "B": 3}] + [{"A": 1, "B": 1}] * (mode != "reflect"))
    yield node("pad_constant", "Pad", {"x": ["A", "B"]}, [np.array([1, 0, 0, 2]), np.array(0.5)])
    yield node("trilu", "Trilu", {"x": ["A", "B"]}, upper=0)
    yield node("depth_to_space", "DepthToSpace", {"x": ["A", 4, "B", 2]}, blocksize=2, mode="CRD")
    yield node("scatter_elements", "ScatterElements", {"x": ["A", "B"], "i": ("i64", ["K", "B"]), "u": ["K", "B"]},
               reduction="add", sizes=FULL[:3], **by_index)
    yield node("scatter_nd", "ScatterND", {"x": ["A", "B"], "i": ("i64", ["K", 1]), "u": ["K", "B"]}, reduction="add",
               sizes=FULL[:3], **by_index)
    yield node("cumulative_sum", "CumSum", {"x": ["A", "B"]}, [np.array(1)], reverse=1)


def samples():
    for mode, nearest in [("nearest", "floor"), ("linear", None), ("cubic", None)]:
        yield node(f"resize_{mode}", "Resize", {"x": [1, 2, "A", "B"]}, [None, np.array([1, 1, 2, 0.5], np.float32)],
                   mode=mode, sizes=EVEN, **({"nearest_mode": nearest} if nearest else {}))
    yield node("resize_to_sizes", "Resize", {"x": ["A", "B"]}, [None, None, np.array([6, 1])], mode="linear",
               coordinate_transformation_mode="align_corners", sizes=[{"A": 6, "B": 4}, {"A": 1, "B": 1}])
    for mode, padding in [("linear", "zeros"), ("linear", "border"), ("cubic", "reflection"), ("nearest", "zeros")]:
        yield node(f"grid_sample_{mode}_{padding}", "GridSample", {"x": ["A", 2, 3, "B"], "g": ["A", 2, "K", 2]}, mode=mode,
                   padding_mode=padding, values={"g": grid}, active=["x"], sizes=FULL[:3])


def functions():
    inside = {"x": lambda rng, shape, sizes: rng.uniform(-0.9, 0.9, shape)}
    for op in ("Acos", "Asin", "Atan", "Atanh", "Asinh", "Sinh", "Cosh", "Tan"):
        yield node(op.lower(), op, {"x": ["A", "B"]}, values=inside)
    yield node("acosh", "Acosh", {"x": ["A", "B"]}, values={"x": lambda rng, shape, sizes: rng.uniform(1.2, 3, shape)})
    yield node("mod", "Mod", {"x": ["A", "B"], "y": ["B"]}, fmod=1)
    yield node("softmax", "Softmax", {"x": ["A", "B"]})
    yield node("maximum_at_ties", "Max", {"x": ["A", "B"], "y": ["A", "B"]},
               values={"x": lambda rng, shape, sizes: np.full(shape, 0.5), "y": lambda rng, shape, sizes: np.full(shape, 0.5)},
               second=False)
    yield node("layer_normalization", "LayerNormalization", {"x": ["A", "B"], "s": ["B"], "b": ["B"]}, sizes=[{"A": 3, "B": 4}])
    yield node("top", "ReduceMax", {"x": ["A", "B"]}, [np.array([1])], sizes=FULL)
    # By phases, and with zeros between elements.
    for name, dilation in (("phases", 1), ("spread", 2)):
        yield node(f"transposed_convolution_{name}", "ConvTranspose", {"x": ["A", 2, "B"], "w": [2, 3, 3]}, sizes=FULL[:2], second=False,
                   strides=[2], dilations=[dilation], pads=[1, 0])


def all_cases():
    for group in (movements, samples, functions):
        yield from group()


def plain(text):
    """The functions of a module, without names for attributes."""
    names = dict(re.findall(r"^(#\w+) = (.*)$", text, re.M))
    body = text.split("module {\n", 1)[1].rstrip().removesuffix("}")
    return re.sub(r"#\w+", lambda match: names.get(match.group(0), match.group(0)), body)


def run(one, seed):
    name, model, inputs, evaluator, active, make, sizes, second = one
    with tempfile.TemporaryDirectory(prefix="onnx") as folder:
        path = Path(folder)
        onnx.save(model, path / "m.onnx")
        subprocess.run(["symshape-onnx", "import", path / "m.onnx", "-o", path / "m.mlir"], check=True)
        text = subprocess.run(["symshape-opt", path / "m.mlir"], check=True, capture_output=True, text=True).stdout
    case = Raw(name, inputs, [], [], active, make=make, mlir=plain(text),
               definition=lambda *arrays: evaluator.run(None, dict(zip(inputs, arrays))))
    return check(case, sizes, seed, second=second)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--every", type=int, default=1)
    args = parser.parse_args()
    only = [name for name in args.only.split(",") if name]
    cases = [(number, one) for number, one in enumerate(all_cases()) if not only or one[0] in only]
    return report("cases", [(one[0], partial(run, one, number)) for number, one in cases[::args.every]])


if __name__ == "__main__":
    sys.exit(main())
