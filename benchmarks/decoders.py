# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decoders of language models as ONNX models, in the form of Llama: RMS norms, rotary embeddings, keys and
values of before as inputs, groups of heads that share keys, and a gated feed-forward layer.

Batch, length, and the length of what came before are open. Weights are random.
"""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

HEAD, WORDS = 16, 256


class Decoder:
    def __init__(self, layers, width):
        self.layers, self.width, self.heads = layers, width, width // HEAD
        self.shared = max(1, self.heads // 2)  # heads of keys and values
        self.nodes, self.weights, self.rng = [], [], np.random.default_rng(layers)

    def op(self, kind, *inputs, results=1, **attributes):
        names = [f"v{len(self.nodes)}_{i}" for i in range(results)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, **attributes))
        return names[0] if results == 1 else names

    def constant(self, array):
        self.weights.append(numpy_helper.from_array(np.asarray(array), f"w{len(self.weights)}"))
        return self.weights[-1].name

    def linear(self, x, rows, columns):
        weight = self.rng.standard_normal((rows, columns), np.float32) / np.float32(rows**0.5)
        return self.op("MatMul", x, self.constant(weight))

    def norm(self, x):
        square = self.op("ReduceMean", self.op("Mul", x, x), self.constant(np.array([-1])), keepdims=1)
        root = self.op("Sqrt", self.op("Add", square, self.constant(np.float32(1e-6))))
        return self.op("Mul", self.op("Div", x, root), self.constant(np.ones(self.width, np.float32)))

    def split_heads(self, x, heads):
        shape = self.constant(np.array([0, 0, heads, HEAD]))
        return self.op("Transpose", self.op("Reshape", x, shape), perm=[0, 2, 1, 3])

    def rotate(self, x, cos, sin):
        left, right = self.op("Split", x, results=2, axis=-1, num_outputs=2)
        turned = self.op("Concat", self.op("Neg", right), left, axis=-1)
        return self.op("Add", self.op("Mul", x, cos), self.op("Mul", turned, sin))

    def repeat(self, x):
        """Each head of keys for all heads that share it: [B, G, L, h] as [B, G, n, L, h], then [B, G n, L, h]."""
        count = self.heads // self.shared
        lifted = self.op("Unsqueeze", x, self.constant(np.array([2])))
        wide = self.op("Expand", lifted, self.constant(np.array([1, 1, count, 1, 1])))
        sizes = self.op("Shape", x)
        batch = self.op("Slice", sizes, *(self.constant(np.array([n])) for n in (0, 1)))
        rest = self.op("Slice", sizes, *(self.constant(np.array([n])) for n in (2, 4)))
        shape = self.op("Concat", batch, self.constant(np.array([self.heads])), rest, axis=0)
        return self.op("Reshape", wide, shape)

    def layer(self, x, cos, sin, keys, values):
        h = self.norm(x)
        q = self.rotate(self.split_heads(self.linear(h, self.width, self.width), self.heads), cos, sin)
        k = self.rotate(self.split_heads(self.linear(h, self.width, self.shared * HEAD), self.shared), cos, sin)
        v = self.split_heads(self.linear(h, self.width, self.shared * HEAD), self.shared)
        k, v = self.op("Concat", keys, k, axis=2), self.op("Concat", values, v, axis=2)
        scores = self.op("MatMul", q, self.op("Transpose", self.repeat(k), perm=[0, 1, 3, 2]))
        scores = self.op("Add", self.op("Mul", scores, self.constant(np.float32(HEAD**-0.5))), "mask")
        mixed = self.op("MatMul", self.op("Softmax", scores, axis=-1), self.repeat(v))
        joined = self.op("Reshape", self.op("Transpose", mixed, perm=[0, 2, 1, 3]),
                         self.constant(np.array([0, 0, self.width])))
        x = self.op("Add", x, self.linear(joined, self.width, self.width))
        h, inner = self.norm(x), 2 * self.width
        gate = self.linear(h, self.width, inner)
        gate = self.op("Mul", gate, self.op("Sigmoid", gate))
        return self.op("Add", x, self.linear(self.op("Mul", gate, self.linear(h, self.width, inner)), inner, self.width)), k, v

    def build(self):
        """The serialised model."""
        cache, state = ["B", self.shared, "P", HEAD], ["B", self.shared, "T", HEAD]
        info = helper.make_tensor_value_info
        inputs = [info("ids", TensorProto.INT64, ["B", "S"]), info("mask", TensorProto.FLOAT, ["B", 1, "S", "T"]),
                  info("positions", TensorProto.FLOAT, ["B", 1, "S", 1])]
        words = self.rng.standard_normal((WORDS, self.width), np.float32)
        x = self.op("Gather", self.constant(words), "ids", axis=0)
        turns = 1 / 10000 ** (np.arange(0, HEAD, 2, dtype=np.float32) / HEAD)
        angles = self.op("Mul", "positions", self.constant(np.tile(turns, 2)))
        cos, sin, outputs = self.op("Cos", angles), self.op("Sin", angles), []
        for i in range(self.layers):
            inputs += [info(f"{what}{i}", TensorProto.FLOAT, cache) for what in ("keys", "values")]
            x, *kept = self.layer(x, cos, sin, f"keys{i}", f"values{i}")
            outputs += [info(name, TensorProto.FLOAT, state) for name in kept]
        words = self.linear(self.norm(x), self.width, WORDS)
        outputs.insert(0, info(words, TensorProto.FLOAT, ["B", "S", WORDS]))
        graph = helper.make_graph(self.nodes, "decoder", inputs, outputs, self.weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9).SerializeToString()

    def call(self, batch, length, before):
        """Inputs by name."""
        inputs = {"ids": self.rng.integers(0, WORDS, (batch, length)),
                  "mask": np.zeros((batch, 1, length, before + length), np.float32),
                  "positions": np.broadcast_to(np.arange(before, before + length, dtype=np.float32)[:, None],
                                               (batch, 1, length, 1)).copy()}
        for i in range(self.layers):
            for what in ("keys", "values"):
                inputs[f"{what}{i}"] = self.rng.standard_normal((batch, self.shared, before, HEAD), np.float32)
        return inputs
