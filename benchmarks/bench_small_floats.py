# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise ops and ops of rows in bf16 and f16 beside f32: one build of each for all sizes.

Arrays of 16 bits are half as large: where memory bounds a loop, it is asked to be nearly twice
as fast. What an op computes inside is f32 in every type.
"""

import ml_dtypes
import numpy as np
import symshape_c
from onnx import TensorProto

from contest import Group, Ratio, aligned
from onnx_graphs import graph, node

F32, BF16, F16 = "f32", "bf16", "f16"
TYPES = {F32: (TensorProto.FLOAT, np.float32), BF16: (TensorProto.BFLOAT16, ml_dtypes.bfloat16),
         F16: (TensorProto.FLOAT16, np.float16)}
COLUMNS = 1024
ROWS = [7, 512, 65536]  # 28 kB, 2 MB and 256 MB of f32
QUICK_ROWS = [7, 4096]
FROM_MEMORY = 65536
ASKED = 1.7  # of the speed of f32, from memory

# Nodes from x and z (M x 1024) and v (1024) to y, the inputs that they use.
KERNELS = {
    "add": ([node("Add", "x z", "y")], "x z"),
    "chain of five": ([node("Mul", "x v", "a"), node("Add", "a z", "b"), node("Relu", "b", "c"),
                       node("Sub", "c x", "d"), node("Neg", "d", "y")], "x z v"),
    "gelu": ([node("Gelu", "x", "y")], "x"),
    "sigmoid": ([node("Sigmoid", "x", "y")], "x"),
    "softmax": ([node("Softmax", "x", "y", axis=-1)], "x"),
    "layer norm": ([node("LayerNormalization", "x v", "y")], "x v"),
    "sum of rows": ([node("ReduceSum", "x one", "y", keepdims=0)], "x"),
    "sum of columns": ([node("ReduceSum", "x zero", "y", keepdims=0)], "x"),
    "softmax of columns": ([node("Softmax", "x", "y", axis=0)], "x"),
    "transpose": ([node("Transpose", "x", "y")], "x"),
}
AXES = {"one": [1], "zero": [0]}
RESULTS = {"sum of rows": ["m"], "sum of columns": [COLUMNS], "transpose": [COLUMNS, "m"]}


def model(kernel, type_):
    nodes, inputs = KERNELS[kernel]
    shapes = {"x": ["m", COLUMNS], "z": ["m", COLUMNS], "v": [COLUMNS]}
    return graph(nodes, {name: shapes[name] for name in inputs.split()}, ("y", RESULTS.get(kernel, ["m", COLUMNS])),
                 {name: np.array(axis) for name, axis in AXES.items()}, element=TYPES[type_][0])


def groups(bench):
    group = Group("elementwise ops and rows, 16 bits", [Ratio(BF16, F32), Ratio(F16, F32)])
    rng = np.random.default_rng(0)
    for kernel, (_, inputs) in KERNELS.items():
        programs = {}
        for type_ in TYPES:
            path = bench.out / f"small-{kernel.replace(' ', '-')}-{type_}.onnx"
            path.write_bytes(model(kernel, type_))
            programs[type_] = bench.load(path)
        for m in QUICK_ROWS if bench.quick else ROWS:
            shapes = {"x": (m, COLUMNS), "z": (m, COLUMNS), "v": (COLUMNS,)}
            arrays = [rng.standard_normal(shapes[name], np.float32) for name in inputs.split()]
            calls = {type_: symshape_c.Call(program, [aligned(array.astype(TYPES[type_][1]), TYPES[type_][1]) for array in arrays])
                     for type_, program in programs.items()}
            bench.entry(group, f"{kernel}, {m} x {COLUMNS}", calls, m=m)
    from_memory = [row["ratio"][f"{type_}/{F32}"] for row in group.rows if row["m"] == FROM_MEMORY for type_ in (BF16, F16)]
    if from_memory:
        verdict = "met" if min(from_memory) >= ASKED else "missed"
        group.notes.append(f"beside f32, from memory: {min(from_memory):.2f} to {max(from_memory):.2f}, asked {ASKED}: {verdict}")
    yield group
