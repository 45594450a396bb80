# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The computation of examples/minilm as an ONNX graph, from the same weights.

LayerNormalization and Gelu are single ops; batch and length are dynamic. For the
comparison in bench.py.
"""

import json
import struct

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

DTYPES = {"F32": np.float32, "I64": np.int64}


def load_safetensors(path):
    """Name to array, for files with float32 and int64 tensors."""
    data = path.read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    tensors = {}
    for name, entry in json.loads(data[8 : 8 + size]).items():
        if name != "__metadata__":
            begin, end = (8 + size + offset for offset in entry["data_offsets"])
            array = np.frombuffer(data[begin:end], DTYPES[entry["dtype"]])
            tensors[name] = array.reshape(entry["shape"])
    return tensors


class Graph:
    """Nodes and constants in the order of use; each helper returns a value's name."""

    def __init__(self):
        self.nodes, self.constants, self.count = [], {}, 0

    def op(self, kind, *inputs, **attributes):
        self.count += 1
        output = f"{kind.lower()}_{self.count}"
        self.nodes.append(helper.make_node(kind, list(inputs), [output], **attributes))
        return output

    def constant(self, name, array):
        self.constants[name] = np.asarray(array)
        return name


def attention(g, x, bias, prefix, weights):
    split = g.constant("split", np.array([0, 0, 12, 32], np.int64))
    merge = g.constant("merge", np.array([0, 0, 384], np.int64))
    scale = g.constant("scale", np.float32(1 / np.sqrt(np.float32(32))))

    def heads(name, permutation):
        projected = linear(g, x, prefix + f"attention.self.{name}", weights)
        return g.op("Transpose", g.op("Reshape", projected, split), perm=permutation)

    scores = g.op("MatMul", heads("query", [0, 2, 1, 3]), heads("key", [0, 2, 3, 1]))
    masked = g.op("Add", g.op("Mul", scores, scale), bias)
    context = g.op("MatMul", g.op("Softmax", masked, axis=-1), heads("value", [0, 2, 1, 3]))
    merged = g.op("Reshape", g.op("Transpose", context, perm=[0, 2, 1, 3]), merge)
    return linear(g, merged, prefix + "attention.output.dense", weights)


def linear(g, x, name, weights):
    weight = g.constant(name + ".weight_t", np.ascontiguousarray(weights[name + ".weight"].T))
    bias = g.constant(name + ".bias", weights[name + ".bias"])
    return g.op("Add", g.op("MatMul", x, weight), bias)


def layer_norm(g, x, name, weights):
    scale = g.constant(name + ".weight", weights[name + ".weight"])
    shift = g.constant(name + ".bias", weights[name + ".bias"])
    return g.op("LayerNormalization", x, scale, shift, axis=-1, epsilon=1e-12)


def embeddings(g, weights):
    word = g.constant("word", weights["embeddings.word_embeddings.weight"])
    position = g.constant("position", weights["embeddings.position_embeddings.weight"])
    type0 = g.constant("type0", weights["embeddings.token_type_embeddings.weight"][0])
    zero, one = g.constant("zero", np.array([0])), g.constant("one", np.array([1]))
    length = g.op("Gather", g.op("Shape", "ids"), one, axis=0)
    positions = g.op("Slice", position, zero, length, zero)
    total = g.op("Add", g.op("Add", g.op("Gather", word, "ids", axis=0), type0), positions)
    return layer_norm(g, total, "embeddings.LayerNorm", weights)


def pooling(g, x, kept):
    axes = {name: g.constant(f"axis_{name}", np.array([value]))
            for name, value in (("1", 1), ("2", 2), ("last", -1))}
    mask = g.op("Unsqueeze", kept, axes["2"])
    total = g.op("ReduceSum", g.op("Mul", x, mask), axes["1"], keepdims=0)
    count = g.op("Max", g.op("ReduceSum", mask, axes["1"], keepdims=0),
                 g.constant("least_count", np.float32(1e-9)))
    mean = g.op("Div", total, count)
    norm = g.op("Max", g.op("ReduceL2", mean, axes["last"], keepdims=1),
                g.constant("least_norm", np.float32(1e-12)))
    return g.op("Div", mean, norm)


def build(weights_path, layers=6):
    """The serialised model: inputs ids and mask, int64 [B, L]; output [B, 384]."""
    weights = load_safetensors(weights_path)
    g = Graph()
    x = embeddings(g, weights)
    kept = g.op("Cast", "mask", to=TensorProto.FLOAT)
    dropped = g.op("Sub", g.constant("float_one", np.float32(1)), kept)
    bias = g.op("Unsqueeze",
                g.op("Mul", dropped, g.constant("least", np.finfo(np.float32).min)),
                g.constant("axes_12", np.array([1, 2])))
    for i in range(layers):
        prefix = f"encoder.layer.{i}."
        mixed = g.op("Add", attention(g, x, bias, prefix, weights), x)
        x = layer_norm(g, mixed, prefix + "attention.output.LayerNorm", weights)
        wide = g.op("Gelu", linear(g, x, prefix + "intermediate.dense", weights))
        narrow = g.op("Add", linear(g, wide, prefix + "output.dense", weights), x)
        x = layer_norm(g, narrow, prefix + "output.LayerNorm", weights)
    result = pooling(g, x, kept)
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["B", "L"])
              for name in ("ids", "mask")]
    output = helper.make_tensor_value_info(result, TensorProto.FLOAT, ["B", 384])
    constants = [numpy_helper.from_array(array, name) for name, array in g.constants.items()]
    graph = helper.make_graph(g.nodes, "minilm", inputs, [output], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    onnx.checker.check_model(model)
    return model.SerializeToString()
