# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far results are from exact ones, computed in f64: of sums of 1 to 1,000,000 terms along each
axis in f32, bf16 and f16, and of networks in each precision, beside ONNX Runtime and OpenVINO.

Of an op, errors are in units of the last place of the exact number in the type of the result,
or of 1/128 of the largest number where that is more: 0.5 is one rounding. Terms are drawn from [0, 1/32),
of products from [0, 1/4), so that f16 has the sums; those of a layer norm less 1/64, so that their mean is about 0. Of a network, they are parts of the largest number,
and exact results come from ONNX's own evaluator on the model in f64.
"""

import warnings

import numpy as np
import onnx
import onnx_graphs
import peers
import symshape_c
from ml_dtypes import bfloat16, finfo
from onnx import numpy_helper
from onnx.reference import ReferenceEvaluator

import bench_network_precision
import decoders
import encoders
import networks
from bench_precision import error_of
from onnx_file import FLOAT, FLOAT16, model, node

BFLOAT16 = 16
TYPES = {"f32": (np.float32, FLOAT), "bf16": (bfloat16, BFLOAT16), "f16": (np.float16, FLOAT16)}
TERMS, QUICK_TERMS = [1, 10, 1000, 100_000, 1_000_000], [1, 10, 1000]
AXES, RANK, OTHERS = (0, 1, 2), 3, (2, 3)  # extents of the axes that are not summed
SMALLEST = 128  # part of the largest number, below which errors are of that
PRECISIONS = ["f32", "bf16", "int8", "int4"]


def normalised(x, axis):
    centred = x - x.mean(axis, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis, keepdims=True) + 1e-5)


def softmax(x, axis):
    power = np.exp(x - x.max(axis, keepdims=True))
    return power / power.sum(axis, keepdims=True)


# Nodes of an op along an axis, and what it is in f64.
OPS = {
    "sum": (lambda axis: [node("ReduceSum", "x axes", "y", keepdims=0)], lambda x, axis: x.sum(axis)),
    "mean": (lambda axis: [node("ReduceMean", "x axes", "y", keepdims=0)], lambda x, axis: x.mean(axis)),
    "norm": (lambda axis: [node("ReduceL2", "x axes", "y", keepdims=0)], lambda x, axis: np.sqrt((x**2).sum(axis))),
    "running sum": (lambda axis: [node("CumSum", "x axis", "y")], lambda x, axis: x.cumsum(axis)),
    "softmax": (lambda axis: [node("Softmax", "x", "y", axis=axis)], softmax),
    "product": (lambda axis: [node("MatMul", "x w", "y")], None),
    "layer norm": (lambda axis: [node("LayerNormalization", "x w", "y", axis=axis)], normalised),
}


def last_place(exact, type_):
    """The distance of numbers of `type_` at `exact`."""
    info = finfo(type_)
    exponent = np.floor(np.log2(np.maximum(np.abs(exact), float(info.smallest_normal))))
    return np.exp2(exponent) * float(info.eps)


def error_in_places(result, exact, type_):
    floor = np.abs(exact).max(initial=0) / SMALLEST
    places = last_place(np.maximum(np.abs(exact), floor), type_)
    return float((np.abs(result.astype(np.float64) - exact) / places).max(initial=0))


class AccuracyBench:
    def __init__(self, bench):
        self.bench, self.terms = bench, QUICK_TERMS if bench.quick else TERMS

    def program(self, name, axis, type_name):
        kind = TYPES[type_name][1]
        inputs, weights = {"x": (kind, ["a", "b", "c"])}, {}
        if name in ("sum", "mean", "norm"):
            weights["axes"] = np.array([axis])
        elif name == "running sum":
            weights["axis"] = np.array(axis)
        elif name == "product":
            inputs = {"x": (kind, ["m", "k"]), "w": (kind, ["k", "n"])}
        elif name == "layer norm":
            inputs["w"] = (kind, ["c"])
        path = self.bench.out / f"accuracy-{name.replace(' ', '-')}-{axis}-{type_name}.onnx"
        path.write_bytes(model(OPS[name][0](axis), inputs, ["y"], weights))
        return self.bench.load(path)

    def op(self, name, axis, type_name):
        """The error for each number of terms."""
        type_, program, errors = TYPES[type_name][0], self.program(name, axis, type_name), []
        for terms in self.terms:
            rng = np.random.default_rng(terms)
            if name == "product":
                arrays = [(rng.random(shape) / 4).astype(type_) for shape in ((2, terms), (terms, 3))]
                exact = arrays[0].astype(np.float64) @ arrays[1].astype(np.float64)
            else:
                shape = list(OTHERS)
                shape.insert(axis, terms)
                arrays = [(rng.random(shape) / 32 - (name == "layer norm") / 64).astype(type_)]
                exact = OPS[name][1](arrays[0].astype(np.float64), axis)
                if name == "layer norm":
                    arrays.append(np.ones(terms, type_))
            result = symshape_c.Call(program, arrays)
            result()
            errors.append(error_in_places(result.results()[0], exact, type_))
        return errors

    def ops(self):
        rows = []
        for name in OPS:
            for axis in AXES if name not in ("product", "layer norm") else AXES[-1:]:
                rows.append({"entry": name if name == "product" else f"{name}, axis {axis}",
                             "errors": {type_name: self.op(name, axis, type_name) for type_name in TYPES}})
        return rows

    def networks(self):
        small = decoders.Decoder(3, 64)
        picture, sentence = bench_network_precision.image, bench_network_precision.words(2, 33)
        made = {**{name: (networks.build(name), picture(1, 64, 96)) for name in ("ResNet-18", "MobileNetV3-Large", "U-Net")},
                "BERT, 3 layers": (encoders.build("BERT, 3 layers"), {**sentence, "ids": sentence["ids"] % 1000}),
                "ViT, 3 layers": (encoders.build("ViT, 3 layers"), picture(1, 96, 64)),
                "decoder, 3 layers": (small.build(), small.call(2, 5, 7))}
        return [self.network(name, *of) for name, of in (list(made.items())[3:4] if self.bench.quick else made.items())]

    def network(self, name, data, inputs):
        path = self.bench.out / f"accuracy-{name.replace(', ', '-').replace(' ', '-')}.onnx"
        path.write_bytes(data)
        exact = exact_result(data, inputs)
        results = {}
        for precision in PRECISIONS:
            call = symshape_c.Call(self.bench.load(path, precision=precision), list(inputs.values()))
            call()
            results[precision] = call.results()[0]
        results["onnxruntime"] = onnx_graphs.session(str(path), 1).run(None, inputs)[0]
        for engine, precision in (("OpenVINO", None), ("OpenVINO f32", "f32")):
            call = peers.OpenVINO(path, 1, precision).call(inputs)
            call()
            results[engine] = call.results()[0]
        return {"entry": name, "error": {engine: error_of(result, exact) for engine, result in results.items()}}


def exact_result(data, inputs):
    """The first result, of the model with all floats in f64."""
    made = onnx.load_from_string(data)
    graph = made.graph
    for weight in graph.initializer:
        if weight.data_type == onnx.TensorProto.FLOAT:
            weight.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(weight).astype(np.float64), weight.name))
    for info in [*graph.input, *graph.output]:
        if info.type.tensor_type.elem_type == onnx.TensorProto.FLOAT:
            info.type.tensor_type.elem_type = onnx.TensorProto.DOUBLE
    for each in graph.node:
        for attribute in each.attribute:
            if each.op_type == "Cast" and attribute.name == "to" and attribute.i == onnx.TensorProto.FLOAT:
                attribute.i = onnx.TensorProto.DOUBLE
    wide = {name: array.astype(np.float64) if array.dtype == np.float32 else array for name, array in inputs.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ReferenceEvaluator(made).run(None, wide)[0]


def run(bench):
    made = AccuracyBench(bench)
    return {"terms": made.terms, "ops": made.ops(), "networks": made.networks()}


def report(result):
    print("\nErrors in units of the last place of exact results, by terms: " + ", ".join(map(str, result["terms"])))
    for row in result["ops"]:
        cells = "".join(f"  {name}: {' '.join(format(error, '.2g') for error in errors)}" for name, errors in row["errors"].items())
        print(f"  {row['entry']:<20}{cells}")
    print("Errors of networks, of the largest number of the result")
    for row in result["networks"]:
        print(f"  {row['entry']:<20}" + ", ".join(f"{engine} {error:.1e}" for engine, error in row["error"].items()))
