# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ways in which exporters compute a size: nodes from `s`, the shape [N, M] of the input, to `size`, a list.

Each has constants, the extents that follow, and how they are computed; numbers of 32-bit floats where it says so.
"""

import numpy as np

from onnx_file import BOOL, DOUBLE, FLOAT, INT32, INT64, node

I, F = np.int64, np.float32


def ints(*values):
    return np.array(values, I)


def floats(*values):
    return np.array(values, F)


def scalar(value, kind=I):
    return np.array(value, kind)


def through_floats(*middle, kind=FLOAT, to=INT64):
    """Sizes to floats, some ops from f to g, and back."""
    return [node("Cast", "s", "f", to=kind), *middle, node("Cast", "g", "size", to=to)]


FIRST, ONE, MINUS = {"zero": scalar(0)}, {"one": ints(1)}, {"minus": ints(-1)}

# Name: nodes, constants, extents, what they are for n and m.
FORMS = {
    "reshape-scalar": ([node("Gather", "s zero", "a"), node("Reshape", "a minus", "size")], {**FIRST, **MINUS}, "N", lambda n, m: [n]),
    "reshape-two": ([node("Reshape", "s shape", "a"), node("Reshape", "a minus", "size")], {"shape": ints(2, 1), **MINUS}, "N, M", lambda n, m: [n, m]),
    "reshape-three": ([node("Reshape", "s shape", "a"), node("Reshape", "a minus", "size")], {"shape": ints(1, 2, 1), **MINUS}, "N, M", lambda n, m: [n, m]),
    "reshape-copy": ([node("Reshape", "s shape", "a"), node("Reshape", "a minus", "size")], {"shape": ints(0, 1), **MINUS}, "N, M", lambda n, m: [n, m]),
    "flatten": ([node("Flatten", "s", "a", axis=0), node("Squeeze", "a axis", "size")], {"axis": ints(0)}, "N, M", lambda n, m: [n, m]),
    "flatten-two": ([node("Reshape", "s shape", "a"), node("Flatten", "a", "b", axis=1), node("Reshape", "b minus", "size")], {"shape": ints(1, 2), **MINUS}, "N, M", lambda n, m: [n, m]),
    "unsqueeze-two": ([node("Unsqueeze", "s axes", "a"), node("Squeeze", "a axes", "size")], {"axes": ints(0)}, "N, M", lambda n, m: [n, m]),
    "unsqueeze-three": ([node("Unsqueeze", "s axes", "a"), node("Squeeze", "a", "size")], {"axes": ints(0, 2)}, "N, M", lambda n, m: [n, m]),
    "squeeze-all": ([node("Slice", "s at1 at2", "a"), node("Squeeze", "a", "b"), node("Unsqueeze", "b at1", "size")], {"at1": ints(0), "at2": ints(1)}, "N", lambda n, m: [n]),
    "transpose": ([node("Concat", "s s", "a", axis=0), node("Reshape", "a shape", "b"), node("Transpose", "b", "c"), node("Reshape", "c minus", "size")],
                  {"shape": ints(2, 2), **MINUS}, "N, N, M, M", lambda n, m: [n, n, m, m]),
    "transpose-three": ([node("Concat", "s s", "a", axis=0), node("Reshape", "a shape", "b"), node("Transpose", "b", "c", perm=[2, 1, 0]), node("Reshape", "c minus", "size")],
                        {"shape": ints(2, 1, 2), **MINUS}, "N, N, M, M", lambda n, m: [n, n, m, m]),
    "split": ([node("Split", "s", "a b", axis=0, num_outputs=2), node("Concat", "b a", "size", axis=0)], {}, "M, N", lambda n, m: [m, n]),
    "split-sizes": ([node("Concat", "s s", "c", axis=0), node("Split", "c sizes", "a b", axis=0), node("Identity", "b", "size")], {"sizes": ints(1, 3)}, "M, N, M", lambda n, m: [m, n, m]),
    "split-two": ([node("Unsqueeze", "s axis", "c"), node("Split", "c", "a b", axis=1, num_outputs=2), node("Reshape", "b minus", "size")], {"axis": ints(0), **MINUS}, "M", lambda n, m: [m]),
    "gather-table": ([node("Unsqueeze", "s axis", "c"), node("Gather", "c at", "a", axis=1), node("Reshape", "a minus", "size")], {"axis": ints(0), "at": ints(1), **MINUS}, "M", lambda n, m: [m]),
    "gather-by-table": ([node("Gather", "s at", "a"), node("Reshape", "a minus", "size")], {"at": np.array([[1, 0], [0, 0]]), **MINUS}, "M, N, N, N", lambda n, m: [m, n, n, n]),
    "gather-elements": ([node("GatherElements", "s at", "size", axis=0)], {"at": ints(1, -2)}, "M, N", lambda n, m: [m, n]),
    "gather-nd": ([node("GatherND", "s at", "size")], {"at": np.array([[1], [0]])}, "M, N", lambda n, m: [m, n]),
    "gather-nd-table": ([node("Unsqueeze", "s axis", "c"), node("GatherND", "c at", "size")], {"axis": ints(0), "at": np.array([[0, 1]])}, "M", lambda n, m: [m]),
    "scatter-nd": ([node("Gather", "s at", "v"), node("ScatterND", "s where v", "size")], {"at": ints(0), "where": np.array([[1]])}, "N, N", lambda n, m: [n, n]),
    "scatter-elements": ([node("Gather", "s at", "v"), node("ScatterElements", "s where v", "size", axis=0)], {"at": ints(0), "where": ints(-1)}, "N, N", lambda n, m: [n, n]),
    "scatter-into-constant": ([node("Gather", "s at", "v"), node("ScatterND", "ones where v", "size")], {"at": ints(1), "where": np.array([[0]]), "ones": ints(1, 1)}, "M, 1", lambda n, m: [m, 1]),
    "scatter-add": ([node("ScatterND", "s where s", "size", reduction="add")], {"where": np.array([[1], [0]])}, "M + N, M + N", lambda n, m: [n + m, n + m]),
    "expand": ([node("Gather", "s zero", "a"), node("Expand", "a shape", "size")], {**FIRST, "shape": ints(2)}, "N, N", lambda n, m: [n, n]),
    "tile": ([node("Tile", "s times", "size")], {"times": ints(2)}, "N, M, N, M", lambda n, m: [n, m, n, m]),
    "concat-table": ([node("Unsqueeze", "s axis", "a"), node("Concat", "a a", "b", axis=1), node("Reshape", "b minus", "size")], {"axis": ints(0), **MINUS}, "N, M, N, M", lambda n, m: [n, m, n, m]),
    "slice-table": ([node("Unsqueeze", "s axis", "a"), node("Slice", "a one two one", "b"), node("Reshape", "b minus", "size")], {"axis": ints(0), **ONE, "two": ints(2), **MINUS}, "M", lambda n, m: [m]),
    "slice-back": ([node("Slice", "s minus far zeros minus", "size")], {**MINUS, "far": ints(-(2**63)), "zeros": ints(0)}, "M, N", lambda n, m: [m, n]),
    "add-table": ([node("Unsqueeze", "s axis", "a"), node("Add", "a table", "b"), node("Reshape", "b minus", "size")], {"axis": ints(1), "table": np.array([[1, 2]]), **MINUS},
                  "N + 1, N + 2, M + 1, M + 2", lambda n, m: [n + 1, n + 2, m + 1, m + 2]),
    "where-table": ([node("Unsqueeze", "s axis", "a"), node("Where", "c a two", "b"), node("Reshape", "b minus", "size")], {"axis": ints(0), "c": np.array([[True, False]]), "two": ints(2), **MINUS}, "N, 2", lambda n, m: [n, 2]),
    "reduce-prod": ([node("ReduceProd", "s", "size", keepdims=1)], {}, "M*N", lambda n, m: [n * m]),
    "reduce-prod-axes": ([node("ReduceProd", "s axes", "size", keepdims=1)], {"axes": ints(0)}, "M*N", lambda n, m: [n * m]),
    "reduce-prod-table": ([node("Reshape", "s shape", "a"), node("ReduceProd", "a axes", "size", keepdims=0)], {"shape": ints(2, 1), "axes": ints(0)}, "M*N", lambda n, m: [n * m]),
    "reduce-sum": ([node("ReduceSum", "s axes", "size", keepdims=1)], {"axes": ints(0)}, "M + N", lambda n, m: [n + m]),
    "reduce-max": ([node("ReduceMax", "s axes", "size", keepdims=1)], {"axes": ints(0)}, "max(M, N)", lambda n, m: [max(n, m)]),
    "reduce-min": ([node("ReduceMin", "s", "size", keepdims=1)], {}, "min(M, N)", lambda n, m: [min(n, m)]),
    "cumsum": ([node("CumSum", "s zero", "size")], FIRST, "N, M + N", lambda n, m: [n, n + m]),
    "cumsum-exclusive": ([node("CumSum", "s zero", "size", exclusive=1, reverse=1)], FIRST, "M, 0", lambda n, m: [m, 0]),
    "clip": ([node("Clip", "s low high", "size")], {"low": scalar(1), "high": scalar(512)}, "min(max(N, 1), 512), min(max(M, 1), 512)",
             lambda n, m: [max(1, min(512, n)), max(1, min(512, m))]),
    "clip-low": ([node("Clip", "s low", "size")], {"low": scalar(4)}, "max(N, 4), max(M, 4)", lambda n, m: [max(4, n), max(4, m)]),
    "abs": ([node("Neg", "s", "a"), node("Abs", "a", "size")], {}, "N, M", lambda n, m: [n, m]),
    "relu": ([node("Sub", "s four", "a"), node("Relu", "a", "size")], {"four": scalar(4)}, "max(0, N - 4), max(0, M - 4)", lambda n, m: [max(n - 4, 0), max(m - 4, 0)]),
    "sign": ([node("Sign", "s", "a"), node("Add", "a s", "size")], {}, "N + min(N, 1), M + min(M, 1)", lambda n, m: [n + min(n, 1), m + min(m, 1)]),
    "pow": ([node("Pow", "s two", "size")], {"two": scalar(2)}, "N*N, M*M", lambda n, m: [n * n, m * m]),
    "cast-like": ([node("Cast", "s", "a", to=INT32), node("CastLike", "a minus", "size")], MINUS, "N, M", lambda n, m: [n, m]),
    "bool": ([node("Cast", "s", "a", to=BOOL), node("Cast", "a", "size", to=INT64)], {}, "min(N, 1), min(M, 1)", lambda n, m: [min(1, n), min(1, m)]),
    "size": ([node("Size", "x", "a"), node("Unsqueeze", "a at", "size")], {"at": ints(0)}, "M*N", lambda n, m: [n * m]),
    "sequence": ([node("SequenceConstruct", "s s", "q"), node("SequenceAt", "q zero", "size")], FIRST, "N, M", lambda n, m: [n, m]),
    "split-sequence": ([node("SplitToSequence", "s one", "q", axis=0), node("SequenceAt", "q place", "size")], {"one": scalar(1), "place": scalar(1)}, "M", lambda n, m: [m]),
    "concat-sequence": ([node("SequenceConstruct", "s s", "q"), node("ConcatFromSequence", "q", "size", axis=0)], {}, "N, M, N, M", lambda n, m: [n, m, n, m]),
    "constant-table": ([node("ConstantOfShape", "shape", "a", value=ints(3)), node("Mul", "a s", "b"), node("Reshape", "b minus", "size")], {"shape": ints(1, 2), **MINUS}, "3*N, 3*M", lambda n, m: [3 * n, 3 * m]),
    # Floats.
    "float-half": (through_floats(node("Mul", "f half", "h"), node("Floor", "h", "g")), {"half": floats(0.5)}, "N // 2, M // 2", lambda n, m: [n // 2, m // 2]),
    "float-truncated": (through_floats(node("Mul", "f half", "g")), {"half": scalar(0.5, F)}, "N // 2, M // 2", lambda n, m: [n // 2, m // 2]),
    "float-twice": (through_floats(node("Mul", "f two", "h"), node("Floor", "h", "g")), {"two": floats(2, 2)}, "2*N, 2*M", lambda n, m: [2 * n, 2 * m]),
    "float-half-up": (through_floats(node("Mul", "f half", "h"), node("Ceil", "h", "g")), {"half": floats(0.5)}, "(N + 1) // 2, (M + 1) // 2", lambda n, m: [-(-n // 2), -(-m // 2)]),
    "float-quotient": (through_floats(node("Div", "f d", "h"), node("Floor", "h", "g")), {"d": scalar(3, F)}, "N // 3, M // 3", lambda n, m: [n // 3, m // 3]),
    "float-pad-to": (through_floats(node("Div", "f d", "h"), node("Ceil", "h", "c"), node("Mul", "c d", "g")), {"d": scalar(32, F)}, "32*((N + 31) // 32), 32*((M + 31) // 32)",
                     lambda n, m: [32 * -(-n // 32), 32 * -(-m // 32)]),
    "float-scaled": (through_floats(node("Mul", "f d", "h"), node("Floor", "h", "g")), {"d": scalar(1.5, F)}, "N + N // 2, M + M // 2", lambda n, m: [3 * n // 2, 3 * m // 2]),
    "float-sum": (through_floats(node("Add", "f d", "h"), node("Floor", "h", "g")), {"d": scalar(0.5, F)}, "N, M", lambda n, m: [n, m]),
    "float-convolution": (through_floats(node("Sub", "f three", "a"), node("Div", "a two", "b"), node("Add", "b one", "h"), node("Floor", "h", "g")),
                          {"three": scalar(3, F), "two": scalar(2, F), "one": scalar(1, F)}, "(N + 1) // 2 - 1, (M + 1) // 2 - 1", lambda n, m: [(n - 1) // 2, (m - 1) // 2]),
    "float-double": (through_floats(node("Mul", "f half", "h"), node("Floor", "h", "g"), kind=DOUBLE), {"half": scalar(0.5, np.float64)}, "N // 2, M // 2", lambda n, m: [n // 2, m // 2]),
    "float-int32": (through_floats(node("Mul", "f half", "g"), to=INT32)[:-1] + [node("Cast", "g", "i", to=INT32), node("Cast", "i", "size", to=INT64)], {"half": scalar(0.5, F)}, "N // 2, M // 2", lambda n, m: [n // 2, m // 2]),
    "float-gather": (through_floats(node("Gather", "f at", "g")), {"at": ints(1)}, "M", lambda n, m: [m]),
    "float-slice": (through_floats(node("Slice", "f one two", "h"), node("Mul", "h d", "g")), {**ONE, "two": ints(2), "d": floats(2)}, "2*M", lambda n, m: [2 * m]),
    "float-concat": (through_floats(node("Concat", "f f", "g", axis=0)), {}, "N, M, N, M", lambda n, m: [n, m, n, m]),
    "float-unsqueeze": (through_floats(node("Gather", "f zero", "h"), node("Unsqueeze", "h at", "g")), {**FIRST, "at": ints(0)}, "N", lambda n, m: [n]),
    "float-max": (through_floats(node("Max", "f four", "g")), {"four": scalar(4, F)}, "max(N, 4), max(M, 4)", lambda n, m: [max(4, n), max(4, m)]),
    "float-clip": (through_floats(node("Clip", "f four", "g")), {"four": scalar(4, F)}, "max(N, 4), max(M, 4)", lambda n, m: [max(4, n), max(4, m)]),
    "float-negated": (through_floats(node("Neg", "f", "h"), node("Abs", "h", "g")), {}, "N, M", lambda n, m: [n, m]),
    "float-rounded": (through_floats(node("Mul", "f two", "h"), node("Round", "h", "g")), {"two": scalar(2, F)}, "2*N, 2*M", lambda n, m: [2 * n, 2 * m]),
    "float-product": (through_floats(node("ReduceProd", "f", "g", keepdims=1)), {}, "M*N", lambda n, m: [n * m]),
    "float-sqrt": (through_floats(node("Mul", "f f", "h"), node("Sqrt", "h", "g")), {}, "N, M", lambda n, m: [n, m]),
    "range-of-floats": ([node("Cast", "s", "f", to=FLOAT), node("Gather", "f zero", "a"), node("Range", "none a step", "r"), node("Shape", "r", "size")],
                        {**FIRST, "none": scalar(0, F), "step": scalar(1, F)}, "N", lambda n, m: [n]),
    "range-of-halves": ([node("Cast", "s", "f", to=FLOAT), node("Gather", "f zero", "a"), node("Range", "none a step", "r"), node("Shape", "r", "size")],
                        {**FIRST, "none": scalar(0, F), "step": scalar(2, F)}, "(N + 1) // 2", lambda n, m: [-(-n // 2)]),
    "range-of-steps": ([node("Gather", "s zero", "a"), node("Range", "zero a step", "r"), node("Shape", "r", "size")],
                       {**FIRST, "step": scalar(2)}, "(N + 1) // 2", lambda n, m: [-(-n // 2)]),
}
