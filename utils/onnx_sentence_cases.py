# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""For sentences of the standard that restrict: a node that is allowed, and nodes that are not.

A group is (ops, opset, operands, attributes, cases); a case is (sentences, what changes in the allowed node, what changes
in each forbidden one, words of the message that refuses them). Sentences are a regular expression. What changes is a
dict: a number is an operand, a text is an attribute (None: without it), "opset" and "outputs" are what they say; "before" is a
node, or a list of nodes, before it, "after" one behind it.
"""

import numpy as np
from onnx_file import graph, node

F, I, U = np.float32, np.int64, np.uint8
X = np.arange(24, dtype=F).reshape(2, 3, 4)
X4, BYTES = X[None], np.arange(24, dtype=U).reshape(2, 3, 4)
ALL, NONE = np.ones((2, 3, 4), bool), np.zeros(0, F)


def i64(*values):
    return np.array(values, I)


def f32(*values):
    return np.array(values, F)


def ones(*shape, type_=F):
    return np.ones(shape, type_)


def zeros(*shape, type_=I):
    return np.zeros(shape, type_)


AXIS = r"[Aa]ccepted range is \[-r(ank)?, ?r(ank)?-1\]|[Aa]ccepted range is `?\[-r, r-1\]|allowed range is \[-r, r\)"
SHAPES = r"(same shape|Numpy-style|multidirectional)"
WIDER = r"supported \(with broadcast|When broadcasting is specified|B is an? (1-element|scalar) tensor"
SCATTER = [(AXIS, {"axis": -3}, [{"axis": 3}, {"axis": -4}], "axis"),
           (r"within bounds|error if any of the index", {1: zeros(1, 3, 4) - 2},
            [{1: zeros(1, 3, 4) + 2}, {1: zeros(1, 3, 4) - 3}], "index|must be|at least|less"),
           (r"r >= ?1|same rank", {0: X[0, 0], 1: i64(0), 2: f32(1)},
            [{0: F(1), 1: I(0), 2: F(1)}, {1: zeros(3, 4), 2: ones(3, 4)}, {2: ones(1, 3, 3)}], "rank|update|axis")]
PADS = [(r"any value greater than or equal to 0", {"pads": [0, 1, 0, 1]}, [{"pads": [0, -1, 0, 0]}], "pads"),
        (r"pads` format should be", {"pads": [1, 0, 0, 1]}, [{"pads": [1, 0, 0]}], "pads"),
        (r"cannot be used simultaneously with auto_pad", {"auto_pad": "SAME_UPPER"},
         [{"auto_pad": "SAME_UPPER", "pads": [1, 0, 0, 1]}], "auto_pad"),
        (r"auto_pad must be either", {"auto_pad": "VALID"}, [{"auto_pad": "SAME"}], "auto_pad")]
AXES = (r"[Aa]ccepted range is \[-r, r-1\]", {1: i64(-3)}, [{1: i64(3)}, {1: i64(-4)}], "axis")
LATE = {"opset": 11, 1: None}
TIMES = {"hidden_size": 2}


def cell(gates):
    """Operands of a recurrent op: 3 steps, 2 batches, 4 inputs, 2 hidden numbers."""
    return [ones(3, 2, 4), ones(1, gates * 2, 4), ones(1, gates * 2, 2)]


def turned(gates):
    return {0: ones(2, 3, 4), "layout": 1, 5: ones(2, 1, 2), 3: None, 4: None, **({6: ones(2, 1, 2)} if gates == 4 else {})}


def recurrent(op, gates, functions):
    cases = [(r"If 0, the following shapes", {5: ones(1, 2, 2)}, [{5: ones(2, 1, 2)}, {1: ones(1, gates * 2, 3)}], "extent|recurrence|weights"),
             (r"If 1, the following shapes", turned(gates), [{**turned(gates), 5: ones(1, 2, 2)}], "extent|recurrence"),
             (r"[Mm]ust be one of forward", {"direction": "reverse"}, [{"direction": "back"}], "direction"),
             (r"must be one of the activation functions", {"activations": functions}, [{"activations": functions[:-1] + ["Sine"]}],
              "activation")]
    return op, 22, cell(gates), TIMES, cases


def weights(gates):
    """The operands of a recurrent op beside those that `cell` gives: of the right shapes, and of wrong ones."""
    wrong = [{0: ones(3, 2)}, {1: ones(2, gates * 2, 4)}, {1: ones(1, gates * 2, 3)}, {2: ones(1, gates * 2, 3)},
             {3: ones(1, gates * 2)}, {4: np.ones(3, np.int32)}, {5: ones(1, 3, 2)}]
    right = {3: ones(1, gates * 4), 4: np.ones(2, np.int32), 5: ones(1, 2, 2)}
    return [(r"ha(s|ve) shape|with the shape of", right, [{**right, **each} for each in wrong], "extent|rank|weights|bias|length|state")]


def on_sequence(inputs, after=None):
    """A node that reads a sequence `q` of w0 and w1."""
    return {"before": ("SequenceConstruct", "w0 w1", "q"), "inputs": inputs, "after": after, "outputs": "p" if after else "y"}


LENGTH = ("SequenceLength", "p", "y")
PAIR = graph([node("Add", "a b", "c")], {"a": (), "b": ()}, ["c"])
INSIDE = r"[Aa]ccepted range|error if any of the index|must be a scalar"
EMPTY_ARM = {"then_branch": graph([node("Neg", "w1", "a")], {}, ["a"]), "else_branch": graph([node("Abs", "w1", "b")], {}, ["b"])}
TWO = graph([node("Abs", "w1", "b"), node("Abs", "w1", "c")], {}, ["b", "c"])
OTHER = graph([node("Cast", "w1", "b", to=7)], {}, ["b"])


def scan(nodes, outputs="t u"):
    return {"body": graph(nodes, dict.fromkeys(["s", "e"], ()), outputs.split()), "num_scan_inputs": 1, "outputs": "y z"}


STEP = [node("Add", "s e", "t"), node("Neg", "e", "u")]
DEEP = ones(1, 2, 3, 4)
LINEAR = {"q_num_heads": 2, "kv_num_heads": 2, "update_rule": "linear", "outputs": "y z"}

GROUPS = [
    ("Add Sub Mul Div Pow", 14, [X + 1, X + 1], {}, [
        (SHAPES, {1: X[:, :1] + 1}, [{1: X[:, :2] + 1}], "extent"),
        (WIDER, {"opset": 6, "broadcast": 1, "axis": 1, 1: ones(3)}, [{"opset": 6, "broadcast": 1, "axis": 1, 1: ones(4)}], "extent"),
        (r"If broadcasting is disabled", {"opset": 6}, [{"opset": 6, 1: ones(2, 3, 1)}, {"opset": 6, 1: ones(4)}], "equal|axes")]),
    ("Add Sub Mul Div", 14, [X + 1, X + 1], {}, [(r"should share the type", {"opset": 6}, [{"opset": 6, 1: X.astype(I)}], "type")]),
    ("BitwiseAnd BitwiseOr BitwiseXor", 20, [BYTES, BYTES], {}, [(SHAPES, {1: BYTES[:1]}, [{1: BYTES[:, :2]}], "extent")]),
    ("BitShift", 20, [BYTES, BYTES], {"direction": "RIGHT"}, [
        (SHAPES, {1: BYTES[:1]}, [{1: BYTES[:, :2]}], "extent"),
        (r"either \"RIGHT\"", {"direction": "LEFT"}, [{"direction": "UP"}, {"direction": None}], "direction")]),
    ("And Or Xor", 20, [ALL, ALL], {}, [(SHAPES, {1: ALL[0]}, [{1: ALL[0, :2]}], "extent")]),
    ("And Or Xor Equal", 20, [ALL, ALL], {}, [
        (WIDER, {"opset": 1, "broadcast": 1, "axis": 1, 1: ones(3, type_=bool)}, [{"opset": 1, "broadcast": 1, "axis": 1, 1: ones(4, type_=bool)}], "extent"),
        (r"If broadcasting is disabled", {"opset": 1}, [{"opset": 1, 1: ones(2, 3, 1, type_=bool)}], "equal|axes"),
        (r"should share the type", {}, [{"opset": 1, 1: X.astype(I)}], "type|bool")]),
    ("Greater Less", 20, [X, X], {}, [
        (WIDER, {"opset": 1, "broadcast": 1, "axis": 1, 1: ones(3)}, [{"opset": 1, "broadcast": 1, "axis": 1, 1: ones(4)}], "extent"),
        (r"If broadcasting is disabled", {"opset": 1}, [{"opset": 1, 1: ones(2, 3, 1)}], "equal|axes"),
        (r"should share the type", {}, [{"opset": 1, 1: X.astype(I)}], "type|bool")]),
    ("Equal Greater GreaterOrEqual Less LessOrEqual Mod", 20, [BYTES + 1, BYTES + 1], {}, [
        (SHAPES, {1: BYTES[0] + 1}, [{1: BYTES[:, :2] + 1}], "extent")]),
    ("Max Mean Min Sum", 13, [X, X], {}, [
        (r"must have the same data type", {}, [{1: X.astype(np.float64)}], "type"),
        (r"must have the same shape and data type", {"opset": 6}, [{"opset": 6, 1: X[:1]}], "equal|extent"),
        (r"Numpy-style", {1: X[:1]}, [{1: X[:, :2]}], "extent")]),
    ("Where", 16, [ALL, X, X], {}, [(r"Numpy-style", {0: ALL[0]}, [{0: ALL[:, :2]}, {2: X[:, :2]}], "extent")]),
    ("PRelu", 16, [X, ones(4)], {}, [(r"unidirectional|any shape|can be smaller", {1: ones(3, 1)}, [{1: ones(3)}, {0: X[:1], 1: X}], "slope")]),
    ("Mod", 13, [i64(5, 6), i64(2, 3)], {}, [
        (r"must be `?0`? \(default\)|must be set to 1|supported data types depend", {"fmod": 1}, [{"fmod": 2}, {0: f32(5, 6), 1: f32(2, 3)}], "fmod")]),
    ("Clip", 13, [X, F(1), F(3)], {}, [(r"must be a scalar", {1: None}, [{1: f32(1, 2)}, {2: f32(1, 2)}], "bound")]),
    ("ArgMax ArgMin", 13, [X], {}, [
        (AXIS, {"axis": -3}, [{"axis": 3}, {"axis": -4}], "axis"),
        (r"must not be empty", {}, [{0: X[:, :0], "axis": 1}], "empty|at least one")]),
    ("Hardmax LogSoftmax Softmax", 13, [X], {}, [
        (AXIS, {"axis": -3}, [{"axis": 3}, {"axis": -4}], "axis"),
        (r"tensor of rank >= axis|must be matched correctly|we must have", {"opset": 11, "axis": 2}, [{"opset": 11, "axis": 4}], "axis")]),
    ("ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare", 18,
     [X + 1, i64(0)], {}, [AXES]),
    ("CumSum CumProd", 26, [X, I(1)], {}, [(r"in the range \[-rank\(x\)", {1: I(-3)}, [{1: I(3)}, {1: I(-4)}], "axis")]),
    ("TopK", 24, [X, i64(2)], {"outputs": "y z"}, [
        (AXIS, {"axis": -3}, [{"axis": 3}, {"axis": -4}], "axis"),
        (r"single positive value", {1: i64(4)}, [{1: i64(5)}, {1: i64(-1)}, {1: i64(1, 2)}], "w1|one integer")]),
    ("Gather", 13, [X, i64(1, 0)], {}, [
        (AXIS, {"axis": -3}, [{"axis": 3}, {"axis": -4}], "axis"),
        (r"within bounds|error if any of the index", {1: i64(-2, 1)}, [{1: i64(2, 0)}, {1: i64(0, -3)}], "index|must be|at least|less"),
        (r"rank r >= 1", {0: X[0, 0]}, [{0: F(1)}], "axis")]),
    ("GatherElements", 13, [X, zeros(1, 3, 4)], {}, [
        (AXIS, {"axis": -3}, [{"axis": 3}, {"axis": -4}], "axis"),
        (r"within bounds|error if any of the index", {1: zeros(1, 3, 4) - 2}, [{1: zeros(1, 3, 4) + 2}, {1: zeros(1, 3, 4) - 3}], "index|must be|at least|less"),
        (r"rank r >= 1|same rank r", {0: X[0, 0], 1: i64(0)}, [{0: F(1), 1: I(0)}, {1: zeros(3, 4)}], "rank|axis")]),
    ("GatherND", 13, [X, i64(1, 2)], {}, [
        (r"r >= 1|`r` >= 1|q >= 1", {0: X[0, 0], 1: i64(0)}, [{0: F(1), 1: i64(0)}, {1: I(0)}], "vector|length"),
        (r"expected to be within bounds|error if any|error condition|b < min|batch dims", {1: i64(-2, -3)},
         [{1: i64(2, 0)}, {1: i64(-3, 0)}, {1: i64(0, 0, 0, 0)}, {"batch_dims": 1}, {1: zeros(3, 1), "batch_dims": 1}],
         "ind(ex|ices)|vector|batch")]),
    ("Scatter", 18, [X, zeros(1, 3, 4), ones(1, 3, 4)], {}, SCATTER),
    ("ScatterElements", 18, [X, zeros(1, 3, 4), ones(1, 3, 4)], {}, SCATTER + [
        (r"`?reduction`? is|attribute allows", {"reduction": "add"}, [{"reduction": "mean"}], "reduction")]),
    ("ScatterND", 18, [X, i64(0, 1).reshape(1, 2), ones(1, 4)], {}, [
        (r"must (match|equal)|updates. tensor of rank|Tensor of rank q \+|rank >= 1|of rank [rq] >= 1", {1: i64(1), 2: ones(3, 4)},
         [{2: ones(1, 3)}, {2: ones(4)}, {2: ones(2, 4)}, {0: F(1)}, {1: I(0)}], "update|vector|place"),
        (r"at most the rank", {1: i64(0, 1, 2).reshape(1, 3), 2: ones(1)}, [{1: zeros(1, 4), 2: ones(1)}], "rank|axis|vector|place"),
        (r"expected in the valid range", {1: i64(-2, -3).reshape(1, 2)}, [{1: i64(2, 0).reshape(1, 2)}, {1: i64(0, -4).reshape(1, 2)}], "index|must be|at least|less")]),
    ("OneHot", 20, [i64(1, 2), I(3), f32(0, 1)], {}, [
        (r"Accepted range is \[-r-1, r\]", {"axis": -2}, [{"axis": 2}, {"axis": -3}], "axis"),
        (r"two-element tensor", {2: f32(3, 4)}, [{2: f32(1)}, {2: f32(0, 1, 2)}], "two values"),
        (r"required scalar input 'depth'|[Ss]calar or rank 1", {1: i64(4)}, [{1: i64(3, 4)}], "one")]),
    ("Concat", 13, [X, X], {"axis": 1}, [
        (AXIS, {"axis": -3}, [{"axis": 3}, {"axis": -4}], "axis"),
        (r"must have the same shape, except", {1: X[:, :1]}, [{1: X[:1]}, {1: X[0]}], "extent|rank")]),
    ("Split", 18, [X, i64(1, 2)], {"axis": 1, "outputs": "y z"}, [
        (r"Accepted range is \[-rank", {"axis": -2}, [{"axis": 3}, {"axis": -4}], "axis"),
        (r"Either input 'split' or the attribute", {1: None, "num_outputs": 2}, [{"num_outputs": 2}, {1: None}], "split|num_outputs"),
        (r"Values should be >= 0|Sum of the values must", {1: i64(3, 0)}, [{1: i64(1, 1)}, {1: i64(-1, 4)}], "add up|negative")]),
    ("Slice", 13, [X, i64(0), i64(2), i64(1), i64(1)], {}, [
        (r"Accepted range is \[-r, r-1\]", {3: i64(-3)}, [{3: i64(3)}, {3: i64(-4)}], "axis"),
        (r"cannot be 0", {4: i64(-1)}, [{4: i64(0)}], "step"),
        (r"if an axis is repeated", {}, [{1: i64(0, 0), 2: i64(1, 1), 3: i64(1, 1), 4: i64(1, 1)}], "axis|axes"),
        (r"^1-D tensor", {1: i64(0, 0), 2: i64(1, 1), 3: i64(0, 1), 4: i64(1, 1)}, [{1: I(0)}, {2: i64(1, 1)}, {3: i64(0, 1)}, {4: i64(1, 1)}],
         "start|rank|length|one")]),
    ("Squeeze", 21, [X[:1], i64(0)], {}, [
        (r"Accepted range|at least max\(dims\)", {1: i64(-3)}, [{1: i64(3)}, {1: i64(-4)}], "axis"),
        (r"shape entry not equal to one", {}, [{1: i64(1)}, {1: i64(0, 2)}], "1"),
        (r"List of non-negative", {"opset": 1, 1: None, "axes": [0]}, [{"opset": 1, 1: None, "axes": [3]}], "axis")]),
    ("Unsqueeze", 21, [X, i64(0)], {}, [
        (r"duplicate", {1: i64(0, 1)}, [{1: i64(1, 1)}, {1: i64(0, -5)}], "axis|axes"),
        (r"range", {1: i64(-4)}, [{1: i64(4)}, {1: i64(-5)}], "axis"),
        (r"required (input|argument) `axes`|List of non-negative", {"opset": 1, 1: None, "axes": [0]}, [{1: None}], "axes|input")]),
    ("Transpose", 21, [X], {"perm": [2, 0, 1]}, [
        (r"perm|Its length must be", {"perm": None}, [{"perm": [0, 1]}, {"perm": [0, 1, 3]}, {"perm": [0, 1, 1]}], "perm|axis")]),
    ("Reshape", 21, [X, i64(6, 4)], {}, [
        (r"At most one", {1: i64(-1, 4)}, [{1: i64(-1, -1)}], "-1|must equal"),
        (r"required to have the same number", {1: i64(24)}, [{1: i64(7, 4)}, {1: i64(5, -1)}], "elements|must equal"),
        (r"allowzero' is set", {"allowzero": 1, 1: i64(2, -1)}, [{"allowzero": 1, 1: i64(0, -1)}], "-1|must equal")]),
    ("Flatten", 21, [X], {"axis": 1}, [
        (r"range \[-r, r\]", {"axis": -3}, [{"axis": 4}, {"axis": -4}], "axis"),
        (r"range \[0, R\]|rank >= axis", {"opset": 9, "axis": 3}, [{"opset": 9, "axis": 4}, {"opset": 9, "axis": -1}], "axis")]),
    ("Expand", 13, [X, i64(2, 3, 4)], {}, [
        (r"must have the same value", {1: i64(1, 1, 1)}, [{1: i64(2, 2, 4)}, {1: i64(3, 3, 4)}], "broadcast"),
        (r"1-D tensor", {1: i64(5, 1, 1, 1)}, [{1: i64(2, 3, 4).reshape(1, 3)}], "rank|list|1-D")]),
    ("Tile", 13, [X, i64(1, 2, 1)], {}, [(r"same (length|size)|1D int64", {1: i64(0, 1, 1)}, [{1: i64(1, 2)}, {1: i64(1, -1, 1)}], "repetition")]),
    ("Pad", 21, [X, i64(0, 0, 0, 0, 0, 1)], {}, [
        (r"^`pads` should be a 1D|format should be", {1: i64(1, 0), 3: i64(1)}, [{1: i64(1, 0)}, {1: i64(1, 0, 1, 0), 3: i64(1)}], "amount"),
        (r"Accepted range is", {1: i64(1, 0), 3: i64(-3)}, [{1: i64(1, 0), 3: i64(3)}, {1: i64(1, 0), 3: i64(-4)}], "axis"),
        (r"if an axis is repeated", {1: i64(1, 0), 3: i64(1)}, [{1: i64(1, 0, 0, 0), 3: i64(1, 1)}], "axis|axes"),
        (r"supported `modes`|Supported modes|Three modes|rank should be double", {"mode": "edge"}, [{"mode": "mirror"}], "mode"),
        (r"scalar value to be used|1-D tensor of axes", {2: F(3)}, [{2: f32(1, 2)}, {1: i64(1, 0), 3: i64(1).reshape(1, 1)}], "one|rank")]),
    ("ConstantOfShape", 20, [i64(2, 3)], {}, [
        (r"values must be >= 0|1D tensor", {0: i64(0, 3)}, [{0: i64(-1, 3)}], "extent|negative"),
        (r"one-element tensor", {"value": f32(2)}, [{"value": f32(1, 2)}], "one")]),
    ("EyeLike", 20, [X[0]], {}, [
        (r"rank 2", {"k": 1}, [{0: X}], "rank|matrix"), (r"must be one of the data types", {"dtype": 7}, [{"dtype": 99}], "type")]),
    ("Trilu", 14, [X, I(1)], {}, [(r"rank 2 or higher", {0: X[0]}, [{0: X[0, 0]}], "rank|matri")]),
    ("Cast", 19, [X], {"to": 7}, [(r"must be one of the (data )?types", {"to": 11}, [{"to": 99}, {"to": None}], "to")]),
    ("BitCast", 26, [X], {"to": 6}, [
        (r"same bit-width", {"to": 12}, [{"to": 7}, {"to": 2}], "width"), (r"non-string", {"to": 6}, [{"to": 8}], "type|width")]),
    ("Range", 20, [I(0), I(5), I(1)], {}, [(r"^Scalar|same type", {2: I(-1)}, [{0: i64(0, 1)}, {2: F(1)}], "one|type")]),
    ("Compress", 20, [X, np.array([True, False])], {"axis": 0}, [
        (r"Accepted range is", {"axis": -3}, [{"axis": 3}, {"axis": -4}], "axis"),
        (r"Rank 1 tensor|length can be less", {1: np.array([True])}, [{1: np.array([True, False, True])}, {1: np.array([[True]])}], "rank|must be"),
        (r"rank r >= 1", {0: X[0]}, [{0: F(1)}], "axis")]),
    ("Unique", 20, [X], {}, [
        (r"Accepted range is", {"axis": -3}, [{"axis": 3}, {"axis": -4}], "axis"),
        (r"Must be one of 0, or 1", {"sorted": 0}, [{"sorted": 2}], "sorted")]),
    ("ReverseSequence", 20, [X, i64(1, 2, 1)], {}, [
        (r"Must be one of", {"batch_axis": 0, "time_axis": 1, 1: i64(1, 2)}, [{"batch_axis": 0}, {"batch_axis": 2}, {"time_axis": 2}], "axis|batch"),
        (r"rank r >= 2", {0: X[0].T.copy(), 1: i64(4, 0, 1)}, [{0: X[0, 0]}], "rank|axes")]),
    ("Dropout", 20, [X, F(.5), np.array(False)], {}, [(r"scalar", {1: None}, [{1: f32(.5, .5)}, {2: np.array([True, False])}], "one|ratio")]),
    ("MatMul", 13, [X, ones(4, 2)], {}, [(r"Matrix product", {}, [{1: ones(3, 2)}, {1: F(1)}], "extent|rank")]),
    ("Gemm", 13, [X[0], ones(4, 2), ones(2)], {}, [
        (r"shape of A should be", {"transA": 1, 1: ones(3, 2)}, [{0: X}, {"transA": 1}], "rank|extent|matri"),
        (r"shape of B should be|input tensor A has shape", {"transB": 1, 1: ones(2, 4)}, [{1: ones(3, 2)}, {1: ones(4)}], "rank|extent|matri"),
        (r"unidirectional|match the dimension", {2: ones(3, 1)}, [{2: ones(3)}, {2: ones(1, 3, 2)}], "added|broadcast")]),
    ("Einsum", 20, [X, X], {"equation": "...ij,...ij->...i"}, [
        (r"Ellipsis must indicate|every occurrence of ellipsis", {1: X[:1]}, [{1: X[0, 0], "equation": "...ij,...j->...i"}], "ellipsis|rank|axes"),
        (r"at most one|exactly one ellipsis|may contain", {"equation": "aij,aij->i"}, [{"equation": "aij,aij->......"}, {"equation": "aij,aij->ii"}],
         "equation"),
        (r"Each term|characters within|dimensions corresponding", {"equation": "aij,aij->aj"}, [{"equation": "aij,ij->i"}, {"equation": "aij,akj->a", 1: X[:, :, :2]}],
         "equation|extent|rank")]),
    ("Conv", 22, [ones(1, 2, 5, 5), ones(2, 2, 3, 3)], {}, PADS + [
        (r"should be inferred", {"kernel_shape": [3, 3]}, [{"kernel_shape": [2, 2]}], "kernel"),
        (r"FILTER_IN_CHANNEL", {1: ones(2, 1, 3, 3), "group": 2}, [{1: ones(2, 3, 3, 3)}, {"group": 3}, {1: ones(3, 1, 3, 3), "group": 2}], "channel|group"),
        (r"Optional 1D bias|1D", {2: ones(2)}, [{2: ones(3)}, {2: ones(1)}], "bias")]),
    ("ConvTranspose", 22, [ones(1, 2, 3, 3), ones(2, 2, 3, 3)], {"strides": [2, 2]}, PADS + [
        (r"should be inferred", {"kernel_shape": [3, 3]}, [{"kernel_shape": [2, 2]}], "kernel"),
        (r"output_padding.* must be less", {"output_padding": [1, 1]}, [{"output_padding": [2, 2]}], "output_padding"),
        (r"output_shape attribute value should not", {"output_shape": [6, 6]}, [{"output_shape": [1, 2, 6]}], "output shape"),
        (r"number of channels in the output", {"group": 2}, [{1: ones(3, 2, 3, 3)}, {"group": 3}], "channel|group|extent")]),
    ("AveragePool MaxPool LpPool", 22, [ones(1, 1, 4, 4)], {"kernel_shape": [2, 2]}, PADS),
    ("ConvInteger", 10, [ones(1, 2, 5, 5, type_=U), ones(2, 2, 3, 3, type_=U), U(1), U(1)], {}, PADS + [
        (r"should be inferred", {"kernel_shape": [3, 3]}, [{"kernel_shape": [2, 2]}], "kernel"),
        (r"FILTER_IN_CHANNEL", {}, [{1: ones(2, 3, 3, 3, type_=U)}], "channel|extent"),
        (r"a scalar|1-D tensor", {3: ones(2, type_=U)}, [{3: ones(3, type_=U)}, {2: ones(2, type_=U)}], "zero")]),
    ("QLinearConv", 10, [ones(1, 2, 5, 5, type_=U), F(.5), U(1), ones(2, 2, 3, 3, type_=U), F(.5), U(1), F(2), U(3)], {}, PADS + [
        (r"should be inferred", {"kernel_shape": [3, 3]}, [{"kernel_shape": [2, 2]}], "kernel"),
        (r"FILTER_IN_CHANNEL", {}, [{3: ones(2, 3, 3, 3, type_=U)}], "channel|extent"),
        (r"[Ss]cale.* must have same shape|scalars? |number of elements should|scalar,", {4: f32(.5, .5), 5: ones(2, type_=U)},
         [{4: f32(.5, .5, .5)}, {4: f32(.5, .5), 5: ones(3, type_=U)}, {1: f32(.5, .5)}, {6: f32(1, 1)}], "scale|zero|number"),
        (r"zero point must have same type", {}, [{2: np.int8(1)}, {5: np.int8(1)}], "type")]),
    ("MatMulInteger", 10, [ones(2, 3, type_=U), ones(3, 2, type_=U), U(1), U(1)], {}, [
        (r"scalar or", {3: ones(2, type_=U)}, [{3: ones(3, type_=U)}, {2: ones(3, type_=U)}], "zero")]),
    ("QLinearMatMul", 21, [ones(2, 3, type_=U), F(.5), U(1), ones(3, 2, type_=U), F(.5), U(1), F(2), U(3)], {}, [
        (r"must have same shape|must be either scalar", {4: f32(.5, .5), 5: ones(2, type_=U)},
         [{4: f32(.5, .5, .5)}, {4: f32(.5, .5), 5: ones(3, type_=U)}, {1: f32(1, 1, 1)}], "scale|zero|number")]),
    ("QuantizeLinear", 21, [X, F(.5), U(3)], {}, [
        (r"Accepted range is", {"axis": -3, 1: f32(1, 1), 2: ones(2, type_=U)}, [{"axis": 3, 1: f32(1, 1), 2: ones(2, type_=U)}], "axis"),
        (r"must have (the )?same shape|must match|1-D tensor|granularities", {1: f32(1, 1, 1), 2: ones(3, type_=U)},
         [{1: f32(1, 1, 1)}, {1: f32(1, 1), 2: ones(2, type_=U)}, {2: ones(3, type_=U)}], "zero|scale"),
        (r"must have (the )?same type|must be `T[23]`", {"output_dtype": 2}, [{"output_dtype": 3}], "type"),
        (r"positive integer|accepted range is `\[ceil|blocked quantization", {"block_size": 2, "axis": 2, 1: ones(2, 3, 2), 2: ones(2, 3, 2, type_=U)},
         [{"block_size": -1, "axis": 2, 1: ones(2, 3, 2), 2: ones(2, 3, 2, type_=U)}, {"block_size": 5, "axis": 2, 1: ones(2, 3, 2), 2: ones(2, 3, 2, type_=U)},
          {"block_size": 2, "axis": 2, 1: ones(2, 3, 3), 2: ones(2, 3, 3, type_=U)}], "block")]),
    ("DequantizeLinear", 21, [BYTES, F(.5), U(3)], {}, [
        (r"Accepted range is", {"axis": -3, 1: f32(1, 1), 2: ones(2, type_=U)}, [{"axis": 3, 1: f32(1, 1), 2: ones(2, type_=U)}], "axis"),
        (r"must have (the )?same shape|must match|1-[Dd] [Tt]ensor|both scalars", {1: f32(1, 1, 1), 2: ones(3, type_=U)},
         [{1: f32(1, 1, 1)}, {1: f32(1, 1), 2: ones(2, type_=U)}, {2: ones(3, type_=U)}], "zero|scale"),
        (r"must have (the )?same type", {}, [{2: np.int8(3)}], "type"),
        (r"positive integer|accepted range is `\[ceil|blocked quantization", {"block_size": 2, "axis": 2, 1: ones(2, 3, 2), 2: ones(2, 3, 2, type_=U)},
         [{"block_size": -1, "axis": 2, 1: ones(2, 3, 2), 2: ones(2, 3, 2, type_=U)}, {"block_size": 5, "axis": 2, 1: ones(2, 3, 2), 2: ones(2, 3, 2, type_=U)}],
         "block")]),
    ("BatchNormalization", 15, [X4, ones(2), ones(2), ones(2), ones(2)], {}, [
        (r"extra outputs are invalid|five required", {"training_mode": 1, "outputs": "y z w"}, [{"outputs": "y z w"}, {4: None}], "output|input"),
        (r"of the same shape as X", {}, [{1: ones(3)}, {1: ones(1)}], "channel")]),
    ("GroupNormalization", 21, [ones(2, 4, 3), ones(4), ones(4)], {"num_groups": 2}, [
        (r"divisor of|divisible by", {"num_groups": 4}, [{"num_groups": 3}, {"num_groups": 0}], "group"),
        (r"specified for each channel", {}, [{1: ones(2)}, {2: ones(1)}], "channel")]),
    ("LayerNormalization", 17, [X, ones(4), ones(4)], {}, [
        (r"\[-r, r\)", {"axis": -1}, [{"axis": 3}, {"axis": -4}], "axis"),
        (r"unidirectional", {1: ones(1, 4)}, [{1: ones(3)}, {1: ones(2, 1, 3, 4)}, {0: X[..., :1]}], "scale|broadcast")]),
    ("RMSNormalization", 23, [X, ones(4)], {}, [
        (r"\[-r, r\)", {"axis": -1}, [{"axis": 3}, {"axis": -4}], "axis"),
        (r"unidirectional|broadcastable", {1: ones(1)}, [{1: ones(3)}, {0: X[..., :1]}], "scale|broadcast")]),
    ("InstanceNormalization", 22, [X4, ones(2), ones(2)], {}, [(r"same shape|of shape NCHW", {}, [{1: ones(3)}, {2: ones(1)}], "channel")]),
    ("LpNormalization", 22, [X], {}, [(r"only 1 or 2", {"p": 1}, [{"p": 3}, {"p": 0}], "p")]),
    ("Attention", 24, [ones(1, 2, 3, 4), ones(1, 2, 3, 4), ones(1, 2, 3, 4)], {}, [
        (r"[Mm]ust be used together|used together", {4: ones(1, 2, 1, 4), 5: ones(1, 2, 1, 4), "outputs": "y p q"}, [{4: ones(1, 2, 1, 4)}, {5: ones(1, 2, 1, 4)}], "past"),
        (r"should not be used( together)?", {6: i64(2)}, [{4: ones(1, 2, 1, 4), 5: ones(1, 2, 1, 4), 6: i64(2)}, {6: i64(2), "outputs": "y p q"}], "length|past|present"),
        (r"broadcastable", {3: ones(3, 3)}, [{3: ones(2, 3)}, {3: ones(2, 2, 3, 3)}, {3: ones(3, 4)}], "mask"),
        (r"types? of masks|boolean mask|float mask", {3: np.ones((3, 3), bool)}, [{3: ones(3, 3, type_=I)}], "type|mask"),
        (r"Supported values are", {"softmax_precision": 11}, [{"softmax_precision": 7}], "precision"),
        (r"needs to be at least as long", {3: ones(3, 2), 6: i64(2)}, [{3: ones(3, 1), 6: i64(2)}], "mask"),
        (r"shape `\(batch_size,\)`", {6: i64(3)}, [{6: i64(2, 2)}, {6: i64(4)}], "length"),
        (r"Must be used with 3D|used with 3D", {0: ones(1, 3, 8), 1: ones(1, 3, 8), 2: ones(1, 3, 8), "q_num_heads": 2, "kv_num_heads": 2},
         [{0: ones(1, 3, 8), 1: ones(1, 3, 8), 2: ones(1, 3, 8), "q_num_heads": 2}], "head")]),
    ("RotaryEmbedding", 23, [ones(1, 2, 3, 4), ones(3, 2), ones(3, 2), i64(0, 1, 2).reshape(1, 3)], {}, [
        (r"Must be provided when|attribute must be provided", {0: ones(1, 3, 8), "num_heads": 2}, [{0: ones(1, 3, 8)}, {0: ones(1, 3, 6), "num_heads": 2}], "head|even"),
        (r"has to be even", {}, [{0: ones(1, 2, 3, 5)}], "even")]),
    ("TensorScatter", 24, [zeros(1, 2, 5, 4, type_=F), ones(1, 2, 3, 4), i64(0)], {"axis": -2}, [
        (r"<= ?max_sequence_length|only differs", {2: i64(2)}, [{2: i64(3)}, {1: ones(1, 2, 6, 4)}, {1: ones(1, 1, 3, 4)}], "cache|row|extent"),
        (r"Supported modes", {"mode": "circular"}, [{"mode": "ring"}], "mode"),
        (r"cannot be 0", {"axis": 2}, [{"axis": 0}, {"axis": -4}, {"axis": 4}], "axis")]),
    ("Resize", 19, [X4, NONE, f32(1, 1, 1, 2)], {}, [
        (r"Accepted range is", {"axes": [-1], 2: f32(2)}, [{"axes": [4], 2: f32(2)}], "axis"),
        (r"if an axis is repeated", {"axes": [3], 2: f32(2)}, [{"axes": [3, 3], 2: f32(2, 2)}], "axis|axes"),
        (r"value greater than 0", {2: f32(1, 1, 1, .5)}, [{2: f32(1, 1, 1, 0)}, {2: f32(1, 1, 1, -1)}], "scale"),
        (r"number of elements of '(scales|sizes)'|should be the same as the rank", {2: NONE, 3: i64(1, 2, 3, 8)}, [{2: f32(1, 1, 2)}, {2: NONE, 3: i64(1, 2, 3)}], "axis"),
        (r"MUST be specified|Only one of|May only be set|must set 'scales'", {2: NONE, 3: i64(1, 2, 3, 8)}, [{3: i64(1, 2, 3, 8)}, {2: NONE}], "scale"),
        (r"^1-D tensor given as|valid only", {1: f32(0, 0, 0, 0, 1, 1, 1, 1), "coordinate_transformation_mode": "tf_crop_and_resize"},
         [{1: f32(0, 0, 1, 1), "coordinate_transformation_mode": "tf_crop_and_resize"}], "region")]),
    ("Upsample", 9, [X4, f32(1, 1, 1, 2)], {}, [
        (r"greater than or equal to 1", {1: f32(1, 1, 2, 1)}, [{1: f32(1, 1, 1, .5)}], "scale"),
        (r"number of elements", {}, [{1: f32(1, 1, 2)}], "axis")]),
    ("CenterCropPad", 18, [X, i64(2, 2, 2)], {}, [
        (r"Accepted range is", {"axes": [-1], 1: i64(2)}, [{"axes": [3], 1: i64(2)}], "axis"),
        (r"if an axis is repeated", {"axes": [1], 1: i64(2)}, [{"axes": [1, 1], 1: i64(2, 2)}], "axis|axes"),
        (r"1-D tensor", {1: i64(5, 0, 1)}, [{1: i64(2, 2)}, {1: i64(-1, 2, 2)}], "axis|extent")]),
    ("Col2Im", 18, [ones(1, 4, 4), i64(3, 3), i64(2, 2)], {}, [
        (r"any value greater", {"pads": [0, 0, 0, 0]}, [{"pads": [-1, 0, 0, 0]}], "pads"),
        (r"format should be", {"pads": [0, 0, 0, 0]}, [{"pads": [0, 0, 0]}], "pads"),
        (r"size of at least 2|only supports", {}, [{2: i64(2)}, {1: i64(3)}], "block|axis|image|axes")]),
    ("GridSample", 22, [ones(1, 1, 3, 3), ones(1, 2, 2, 2)], {}, [
        (r"of rank r\+2|4-D tensor of shape", {}, [{1: ones(1, 2, 2, 3)}, {1: ones(1, 2, 2)}, {1: ones(2, 2, 2, 2)}], "grid|place|batch|extent|rank"),
        (r"padding modes", {"padding_mode": "border"}, [{"padding_mode": "wrap"}], "padding_mode|mode"),
        (r"mode|only spatial", {"mode": "nearest"}, [{"mode": "round"}], "mode")]),
    ("RoiAlign", 22, [ones(1, 1, 4, 4), f32(0, 0, 1, 1).reshape(1, 4), i64(0)], {}, [
        (r"modes are supported", {"mode": "max"}, [{"mode": "min"}], "mode"),
        (r"1-D tensor of shape", {}, [{2: i64(0, 0)}, {2: i64(1)}], "batch|w2")]),
    ("MaxUnpool", 22, [ones(1, 1, 2, 2), i64(0, 1, 2, 3).reshape(1, 1, 2, 2)], {"kernel_shape": [2, 2], "strides": [2, 2]}, PADS[:2] + [
        (r"cannot be used simultaneously with auto_pad", {"pads": [0, 0, 0, 0]}, [{"auto_pad": "SAME_UPPER"}], "attribute"),
        (r"Dimensions must be the same", {}, [{1: zeros(1, 1, 2, 1)}, {1: zeros(1, 1, 1, 2)}], "place"),
        (r"in the range \[0", {1: i64(15, 1, 2, 3).reshape(1, 1, 2, 2)}, [{1: i64(16, 1, 2, 3).reshape(1, 1, 2, 2)}, {1: i64(-1, 1, 2, 3).reshape(1, 1, 2, 2)}],
         "index|must be|at least|less")]),
    ("DeformConv", 22, [ones(1, 2, 4, 4), ones(2, 2, 2, 2), zeros(1, 8, 3, 3, type_=F)], {}, [
        (r"format should be", {"pads": [1, 0, 0, 0], 2: zeros(1, 8, 4, 3, type_=F)}, [{"pads": [1, 0, 0]}], "pads"),
        (r"divisible by offset_group", {}, [{"offset_group": 3, 2: zeros(1, 24, 3, 3, type_=F)}], "group"),
        (r"divisible by group", {"group": 2, 1: ones(2, 1, 2, 2)}, [{"group": 3}, {"group": 2, 1: ones(3, 1, 2, 2)}], "group|channel|extent")]),
    ("NonMaxSuppression", 11, [zeros(1, 3, 4, type_=F), ones(1, 1, 3), I(2), F(.5), F(0)], {}, [
        (r"range \[0, 1\]", {3: F(1)}, [{3: F(1.5)}, {3: F(-.5)}], "threshold"),
        (r"scalar|single", {2: i64(1)}, [{2: i64(1, 2)}], "one")]),
    ("NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss", 22, [ones(2, 3), i64(0, 1)], {}, [
        (r"in range of \[0, C\)|may have a value outside", {1: i64(5, 1), "ignore_index": 5}, [{1: i64(5, 1)}, {1: i64(-1, 1), "ignore_index": 5}], "must be"),
        (r"has to be a (1D )?[Tt]ensor", {2: ones(3)}, [{2: ones(2)}, {2: ones(1)}], "weight")]),
    ("DFT", 20, [ones(1, 8, 1), I(8), I(1)], {}, [
        (r"shape is expected", {0: ones(1, 8, 2)}, [{0: ones(1, 8, 3)}], "complex|part|extent"),
        (r"only (real|complex) input", {"onesided": 1}, [{"onesided": 1, 0: ones(1, 8, 2)}, {"onesided": 1, "inverse": 1}], "onesided|complex|real|part"),
        (r"Accepted range is|invalid axis|as a scalar", {2: I(-2)}, [{2: I(2)}, {2: I(-1)}, {2: I(-4)}, {2: i64(0, 1)}, {1: i64(8, 8)}], "axis|one")]),
    ("STFT", 17, [ones(1, 24, 1), I(4), ones(8), I(8)], {}, [
        (r"must be a scalar|A scalar|optional scalar", {1: i64(4)}, [{1: i64(4, 4)}, {3: i64(8, 8)}], "one"),
        (r"1-D tensor", {}, [{2: ones(8, 1)}], "rank"), (r"must equal", {}, [{3: I(6)}], "window"),
        (r"shape is expected|rank 3", {0: ones(1, 24, 2), "onesided": 0}, [{0: ones(1, 24, 3)}, {0: ones(1, 24, 1, 1)}], "signal|part|rank")]),
    ("HannWindow HammingWindow BlackmanWindow", 17, [I(8)], {}, [
        (r"must be one of the values", {"output_datatype": 11}, [{"output_datatype": 99}, {"output_datatype": 8}], "type"),
        (r"scalar value", {0: i64(8)}, [{0: i64(8, 8)}], "one")]),
    ("MelWeightMatrix", 17, [I(3), I(8), I(100), F(1), F(40)], {}, [
        (r"must be one of the values", {"output_datatype": 11}, [{"output_datatype": 99}, {"output_datatype": 8}], "type")]),
    ("TfIdfVectorizer", 9, [i64(1, 2, 1)], {"mode": "TF", "min_gram_length": 1, "max_gram_length": 1, "max_skip_count": 0, "ngram_counts": [0],
                                            "ngram_indexes": [0, 1], "pool_int64s": [1, 2]}, [
        (r"1-D or 2-D", {0: i64(1, 2).reshape(1, 2)}, [{0: zeros(1, 1, 1)}, {0: I(1)}], "rank"),
        (r"can be one of \"TF\"", {"mode": "IDF"}, [{"mode": "DF"}], "mode"),
        (r"pool_int64s|pool_strings", {}, [{"pool_int64s": None}], "pool")]),
    ("CausalConvWithState", 27, [ones(1, 2, 4), ones(2, 1, 3)], {"outputs": "y z"}, [
        (r"One of: ", {"activation": "silu"}, [{"activation": "relu"}], "activation"),
        (r"rank-[13]|depthwise", {2: ones(2)}, [{1: ones(3, 1, 3)}, {0: ones(2, 4)}, {2: ones(3)}, {3: ones(1, 2, 3)}], "kernel|rank|extent|state")]),
    recurrent("RNN", 1, ["Tanh"]), recurrent("GRU", 3, ["Sigmoid", "Tanh"]), recurrent("LSTM", 4, ["Sigmoid", "Tanh", "Tanh"]),
    ("RNN", 22, cell(1), TIMES, weights(1)), ("GRU", 22, cell(3), TIMES, weights(3)),
    ("LSTM", 22, cell(4), TIMES, weights(4) + [(r"3\*hidde_size", {7: ones(1, 6)}, [{7: ones(1, 5)}], "extent|weights|peep")]),
    ("Attention", 24, [DEEP, DEEP, DEEP], {"outputs": "y p q"}, [
        (r"4D tensor with shape|cache for (key|value) with shape|four optional inputs", {4: ones(1, 2, 1, 4), 5: ones(1, 2, 1, 4)},
         [{0: ones(3, 4)}, {1: ones(1, 2, 3, 5)}, {2: ones(1, 2, 4, 4)}, {4: ones(1, 3, 1, 4), 5: ones(1, 2, 1, 4)}, {4: ones(1, 2, 1, 4), 5: ones(2, 1, 4)}],
         "extent|rank|keys|values|equal|heads")]),
    ("AffineGrid", 20, [ones(1, 2, 3), i64(1, 1, 2, 2)], {}, [
        (r"affine matrices with shape", {0: ones(1, 3, 4), 1: i64(1, 1, 2, 2, 2)}, [{0: ones(1, 2, 4)}, {0: ones(1, 3, 3)}], "column|matri")]),
    ("BatchNormalization", 15, [X4, ones(2), ones(2), ones(2), ones(2)], {}, [
        (r"of shape \(C\)|are expected to be the estimated|of shape NCHW", {}, [{1: ones(3)}, {2: ones(1)}, {3: ones(3)}, {4: ones(2, 1)}], "channel|rank")]),
    ("GroupNormalization", 21, [ones(2, 4, 3), ones(4), ones(4)], {"num_groups": 2}, [
        (r"of shape `\(C\)`", {}, [{1: ones(2)}, {2: ones(1)}, {1: ones(4, 1)}], "channel|rank")]),
    ("CausalConvWithState", 27, [ones(1, 2, 4), ones(2, 1, 3)], {"outputs": "y z"}, [
        (r"with shape", {2: ones(2), 3: ones(1, 2, 2)}, [{1: ones(2, 2, 3)}, {3: ones(1, 2, 1)}, {3: ones(2, 2, 2)}, {2: ones(1)}],
         "kernel|state|extent|bias")]),
    ("DeformConv", 22, [ones(1, 2, 4, 4), ones(2, 2, 2, 2), zeros(1, 8, 3, 3, type_=F)], {}, [
        (r"(has|the) shape|length oC", {3: ones(2), 4: ones(1, 4, 3, 3)},
         [{1: ones(2, 2, 2)}, {2: zeros(1, 6, 3, 3, type_=F)}, {2: zeros(1, 8, 2, 3, type_=F)}, {3: ones(3)}, {4: ones(1, 3, 3, 3)}],
         "rank|offset|window|bias|feature|factor")]),
    ("ConvTranspose", 22, [ones(1, 2, 3, 3), ones(2, 2, 3, 3)], {}, [(r"1D bias", {2: ones(2)}, [{2: ones(3)}, {2: ones(1)}], "bias")]),
    ("QLinearConv", 10, [ones(1, 2, 5, 5, type_=U), F(.5), U(1), ones(2, 2, 3, 3, type_=U), F(.5), U(1), F(2), U(3)], {}, [
        (r"1D bias", {8: np.ones(2, np.int32)}, [{8: np.ones(3, np.int32)}, {8: np.ones(1, np.int32)}], "bias")]),
    ("EyeLike", 20, [X[0]], {}, [(r"2D input", {}, [{0: X}], "rank|matri")]),
    ("NonMaxSuppression", 11, [zeros(1, 3, 4, type_=F), ones(1, 1, 3), I(2), F(.5), F(0)], {}, [
        (r"tensor with shape", {}, [{0: ones(1, 3, 5)}, {0: ones(3, 4)}, {1: ones(1, 1, 2)}, {1: ones(2, 1, 3)}], "box|score|number|rank|extent")]),
    ("NegativeLogLikelihoodLoss", 22, [ones(2, 3), i64(0, 1)], {}, [
        (r"tensor of shape", {0: ones(2, 3, 2), 1: zeros(2, 2)}, [{1: i64(0, 1, 2)}, {1: zeros(2, 1)}, {0: ones(3)}], "score|target|class|rank")]),
    ("RoiAlign", 22, [ones(1, 1, 4, 4), f32(0, 0, 1, 1).reshape(1, 4), i64(0)], {}, [
        (r"of shape|2-D input", {}, [{0: ones(1, 4, 4)}, {1: ones(1, 5)}, {1: ones(4)}], "rank|region")]),
    ("MaxRoiPool", 22, [ones(1, 1, 4, 4), f32(0, 0, 0, 1, 1).reshape(1, 5)], {"pooled_shape": [1, 1]}, [
        (r"2-D tensor of shape", {}, [{0: ones(1, 4, 4)}, {1: ones(1, 4)}, {1: ones(5)}], "rank|region")]),
    ("RotaryEmbedding", 23, [DEEP, ones(3, 2), ones(3, 2), i64(0, 1, 2).reshape(1, 3)], {}, [
        (r"2D tensor with shape", {}, [{3: i64(0, 1, 2)}, {3: i64(0, 1).reshape(1, 2)}], "rank|position")]),
    ("ReverseSequence", 20, [X, i64(1, 2, 1)], {}, [(r"has shape", {}, [{1: i64(1, 2)}, {1: zeros(3, 1)}], "length|rank")]),
    ("TensorScatter", 24, [zeros(1, 2, 5, 4, type_=F), ones(1, 2, 3, 4), i64(0)], {"axis": -2}, [
        (r"[Ss]hape is|with shape", {}, [{1: ones(1, 2, 3, 5)}, {2: i64(0, 0)}, {1: ones(2, 3, 4)}], "rows|place|rank")]),
    ("MatMulInteger", 10, [ones(2, 3, type_=U), ones(3, 2, type_=U), U(1), U(1)], {}, [
        (r"zero point tensor may|Scalar refers", {2: ones(2, type_=U)}, [{2: ones(3, type_=U)}, {3: ones(3, type_=U)}], "zero")]),
    ("ConcatFromSequence", 11, [X, X], {**on_sequence("q"), "axis": 1}, [
        (r"must have the same shape", {1: X[:, :1]}, [{1: X[:1]}], "extent"),
        (r"Accepted range in", {"axis": -3}, [{"axis": 3}, {"axis": -4}], "axis"),
        (r"`new_axis` is 1", {"axis": 3, "new_axis": 1}, [{"axis": 4, "new_axis": 1}, {"axis": -5, "new_axis": 1}], "axis")]),
    ("SequenceAt", 11, [X, X, I(1)], on_sequence("q w2"), [(INSIDE, {2: I(-2)}, [{2: I(2)}, {2: I(-3)}, {2: i64(0, 1)}], "place|input|position|element")]),
    ("SequenceErase", 11, [X, X, I(1)], on_sequence("q w2", LENGTH), [
        (INSIDE, {2: I(-2)}, [{2: I(2)}, {2: I(-3)}, {2: i64(0, 1)}], "place|input|position|element")]),
    ("SequenceInsert", 11, [X, X, X, I(2)], on_sequence("q w2 w3", LENGTH), [
        (INSIDE, {3: I(-2)}, [{3: I(3)}, {3: I(-3)}, {3: i64(0, 1)}], "place|input|position|element"),
        (r"must have the same data type", {}, [{2: X.astype(I)}], "type")]),
    ("SequenceMap", 17, [X, X], {"before": [("SequenceConstruct", "w0 w1", "q"), ("SequenceConstruct", "w1 w0", "r")], "inputs": "q r", "body": PAIR,
                                 "outputs": "p", "after": LENGTH}, [
        (r"exception of the first input which must be a sequence", {"inputs": "q w0"}, [{"inputs": "w0 q"}, {"inputs": "w0 w1"}], "sequence"),
        (r"should have the same number of samples", {"inputs": "q q"},
         [{"before": [("SequenceConstruct", "w0 w1", "q"), ("SequenceConstruct", "w0", "r")]}, {"before": [("SequenceConstruct", "w0", "q"), ("SequenceConstruct", "w0 w1", "r")]}],
         "sequences of one length")]),
    ("OptionalGetElement", 18, [X], {"before": ("Optional", "w0", "o"), "inputs": "o"}, [
        (r"is an error if the input", {"before": ("Identity", "w0", "o")}, [{"before": ("Optional", "", "o")}], "element")]),
    ("SequenceConstruct", 11, [X, X], {"outputs": "p", "after": LENGTH}, [(r"must have the same data type", {}, [{1: X.astype(I)}], "type")]),
    ("SplitToSequence", 11, [X, i64(1, 2)], {"axis": 1, "outputs": "p", "after": LENGTH}, [
        (r"Accepted range", {"axis": -2}, [{"axis": 3}, {"axis": -4}], "axis"),
        (r"must contain only positive|must be >= 0|sum of entries", {1: i64(2, 1)}, [{1: i64(1, 1)}, {1: i64(-1, 4)}, {1: I(0)}], "add up|negative|part|split")]),
    ("If", 20, [np.array(True), X], {"inputs": "w0", **EMPTY_ARM}, [
        (r"single element", {0: np.array([True])}, [{0: np.array([True, False])}], "one"),
        (r"must match the number", {}, [{"then_branch": TWO}, {"else_branch": TWO}], "output|result"),
        (r"same data type|same shape and data type", {}, [{"else_branch": OTHER}], "type")]),
    ("Scan", 20, [ones(4), ones(3, 4)], scan(STEP), [
        (r"Accepted range is|axis is required to be", {"scan_input_axes": [-2]}, [{"scan_input_axes": [2]}, {"scan_input_axes": [-3]}, {"scan_output_axes": [2]}], "axis"),
        (r"must return|required to have the same shape|dimensions of these values change|must be a graph", {},
         [scan(STEP, "t"), {0: ones(3)}, {"body": None}], "body|result|extent|output|state")]),
    ("LinearAttention", 27, [ones(1, 3, 8), ones(1, 3, 8), ones(1, 3, 8)], LINEAR, [
        (r"One of: ", {}, [{"update_rule": "square"}], "rule"),
        (r"multiple of kv_num_heads|Always required|always required", {"q_num_heads": 4, 0: ones(1, 3, 16)}, [{"q_num_heads": 3, 0: ones(1, 3, 12)}, {"kv_num_heads": None}], "head"),
        (r"Required for '(gated|delta)|log-space", {"update_rule": "gated", 4: zeros(1, 3, 2, type_=F)}, [{"update_rule": "gated"}, {"update_rule": "delta"}], "decay|beta|rule"),
        (r"packed shape|with shape", {3: zeros(1, 2, 4, 4, type_=F)}, [{1: ones(1, 2, 8)}, {3: zeros(1, 2, 4, 3, type_=F)}, {0: ones(1, 3, 7)}, {2: ones(3, 8)}],
         "extent|rank|state|head|for each step")]),
]
