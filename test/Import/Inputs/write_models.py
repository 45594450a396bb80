# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the models of the tests beside this folder into a folder.

    write_models.py FOLDER
"""

import sys
from pathlib import Path

import numpy as np

from onnx_file import BOOL, FLOAT, INT64, UINT8, graph, model, node, number, text

random = np.random.default_rng(0)
WEIGHT = random.standard_normal((8, 300)).astype(np.float32)


def endless(nodes, goes):
    """A loop that counts `count` up to 5, and asks `goes`, which `nodes` make, whether to go on."""
    body = graph([node("Add", "count one", "next"), node("Less", "next five", "c0"), *nodes],
                 {"turn": (INT64, []), "on": (BOOL, []), "count": (INT64, [])}, [goes, "next"],
                 {"one": np.array(1, np.int64), "five": np.array(5, np.int64)})
    return model([node("Loop", "- on begin", "end", name="again", body=body)],
                 {"on": (BOOL, []), "begin": (INT64, [])}, ["end"])


def grown(*shapes):
    """The rows of two inputs as heads: their number goes through reshapes of one number, as torch.onnx writes it."""
    reshapes = [node("Reshape", f"n{i} to{i}", f"n{i + 1}") for i in range(len(shapes))]
    return model([node("Shape", "x", "b", end=1), node("Shape", "x", "s1", start=1, end=2), node("Squeeze", "s1", "s"),
                  node("Shape", "past", "p1", start=1, end=2), node("Squeeze", "p1", "p"), node("Add", "p s", "n0"),
                  *reshapes, node("Concat", f"b n{len(shapes)} heads", "shape", axis=0),
                  node("Concat", "past x", "all", axis=1), node("Reshape", "all shape", "z")],
                 {"x": (FLOAT, ["B", "S", 8]), "past": (FLOAT, ["B", "P", 8])}, ["z"],
                 {"heads": np.array([2, 4], np.int64)}
                 | {f"to{i}": np.array(shape, np.int64) for i, shape in enumerate(shapes)})


MODELS = {
    "grown": grown([-1]),
    "grown-one": grown([1]),
    "grown-table": grown([1, -1], [1]),
    "grown-back": grown([-1], [], [1, 1], [], [-1]),
    # Extents broadcast: equal, or one of them is 1.
    "add": model([node("Add", "x y", "z", name="plus")],
                 {"x": (FLOAT, ["B", "L"]), "y": (FLOAT, ["M"])}, ["z"]),
    "cross": model([node("Add", "x y", "z")], {"x": (FLOAT, ["A", "B"]), "y": (FLOAT, ["C", "D"])}, ["z"]),
    # The weight stays in the file; the shape is computed as exporters do.
    "dense": model([node("MatMul", "x w", "t", name="product"),
                    node("Relu", "t", "r"),
                    node("Shape", "x", "s"),
                    node("Gather", "s zero", "b", axis=0),
                    node("Unsqueeze", "b axes", "b1"),
                    node("Concat", "b1 tail", "shape", axis=0),
                    node("Reshape", "r shape", "z", name="heads")],
                   {"x": (FLOAT, ["batch size", "L", 8])}, ["z"],
                   {"w": WEIGHT, "zero": np.array(0, np.int64), "axes": np.array([0], np.int64),
                    "tail": np.array([-1, 3, 100], np.int64)}),
    # Bytes stay bytes, and an output is an input.
    "bytes": model([node("Add", "x x", "z")], {"x": (UINT8, ["N"])}, ["z", "x"]),
    # Axes are an input: the program is for the value of the first call.
    "axes": model([node("ReduceSum", "x a", "z", name="sum", keepdims=0)],
                  {"x": (FLOAT, ["N", "M"]), "a": (INT64, [1])}, ["z"]),
    # Arms of different ranks: one is taken, and its condition is required.
    "arms": model([node("Shape", "x", "s", start=1), node("Equal", "s one", "c"),
                   node("If", "c", "y", name="choose",
                        then_branch=graph([node("Squeeze", "x one", "t")], {}, ["t"]),
                        else_branch=graph([node("Identity", "x", "e")], {}, ["e"]))],
                  {"x": (FLOAT, ["N", "M"])}, ["y"], {"one": np.array([1], np.int64)}),
    # Squeeze without axes: of an extent that the first call, or another node, says.
    "units": model([node("Squeeze", "x", "t", name="drop"), node("Neg", "t", "z")], {"x": (FLOAT, ["N", 3])}, ["z"]),
    "part": model([node("Split", "x one", "t", name="cut"), node("Squeeze", "x", "u", name="drop"), node("Add", "t u", "z")],
                  {"x": (FLOAT, ["N", 3])}, ["z"], {"one": np.array([1], np.int64)}),
    "single": model([node("RNN", "x w r - - h", "y last", name="again", hidden_size=3), node("Squeeze", "last", "z", name="drop")],
                    {"x": (FLOAT, ["T", "B", 2])}, ["z"],
                    {"w": np.zeros((1, 3, 2), np.float32), "r": np.zeros((1, 3, 3), np.float32),
                     "h": np.zeros((1, 1, 3), np.float32)}),
    # Two axes must be left, whatever the first call has.
    "product": model([node("Squeeze", "x", "t", name="drop"), node("Transpose", "t", "z", perm=[1, 0])],
                     {"x": (FLOAT, ["N", 1, 3])}, ["z"]),
    # No extent is -1, which would be what is left of the others.
    "shrunk": model([node("MaxPool", "x", "t", kernel_shape=[3]), node("Shape", "t", "s"),
                     node("Gather", "s last", "l"), node("Concat", "l rest", "to", axis=0),
                     node("Reshape", "t to", "z", name="split")],
                    {"x": (FLOAT, ["N", 2, "L"])}, ["z"],
                    {"last": np.array([2], np.int64), "rest": np.array([-1], np.int64)}),
    # Arms of one rank: both are there.
    "either": model([node("If", "c", "y",
                          then_branch=graph([node("Neg", "x", "t")], {}, ["t"]),
                          else_branch=graph([node("Concat", "x x", "e", axis=0)], {}, ["e"]))],
                    {"c": (BOOL, []), "x": (FLOAT, ["N"])}, ["y"]),
    # What declarations say: names of their own, wrong numbers, expressions, nothing.
    "declared": model([node("Concat", "x y", "t", name="join", axis=0), node("Transpose", "t", "z", name="turn")],
                      {"x": (FLOAT, ["past", 4]), "y": (FLOAT, ["seq", 4])},
                      {"z": (FLOAT, [4, "total"])}, values={"t": (FLOAT, ["total", 4])}),
    "wrong": model([node("Concat", "x x", "t", name="join", axis=0), node("Neg", "t", "z", name="minus")],
                   {"x": (FLOAT, ["N", 4])}, {"z": (FLOAT, ["N", "M"])}, values={"t": (FLOAT, ["2*N", 5])}),
    "rankless": model([node("Neg", "x", "z", name="minus")], {"x": (FLOAT, ["N", 4])}, {"z": (FLOAT, ["N"])}),
    "cache": model([node("Concat", "cache x", "all", name="join", axis=0), node("MatMul", "all w", "scores", name="project")],
                   {"cache": (FLOAT, ["past", 64]), "x": (FLOAT, ["seq", 64])}, {"scores": (FLOAT, ["total", 16])},
                   {"w": np.ones((64, 16), np.float32)}),
    # The number that stands for "none" in attributes of MLIR, as an amount.
    "sentinel": model([node("Pad", "x p", "z", name="crop")], {"x": (FLOAT, ["N"])}, ["z"],
                      {"p": np.array([0, -2**63], np.int64)}),
    # An input with an initializer, whose shape is another one.
    "stored": model([node("Add", "x w", "z")], {"x": (FLOAT, ["N", 3]), "w": (FLOAT, [4])}, ["z"],
                    {"w": np.ones(3, np.float32)}),
    # Extents of inputs that are expressions: H is what 2*H + 1 says.
    "solved": model([node("Concat", "x y", "z", axis=0)],
                    {"x": (FLOAT, ["2*H + 1"]), "y": (FLOAT, ["floor(H/2 - 1/2)"])}, ["z"]),
    "nameless": model([node("MatMul", "x y", "z", name="product")],
                      {"x": (FLOAT, ["?", None]), "y": (FLOAT, ["", "_d0"])}, ["z"]),
    # An output that is known narrows an input: of each op that can be turned round.
    **{f"back_{op}": model([node(op, "x" + operands, "t", **attributes), node("MatMul", "t w", "z", name="product")],
                           {"x": (FLOAT, dims)}, ["z"],
                           {"w": np.zeros((6, 2), np.float32), "p": np.array([0, 1, 0, 3], np.int64),
                            "s": np.array([2, -1], np.int64), "one": np.array([1], np.int64)})
       for op, operands, dims, attributes in (
           ("Transpose", "", ["N", "M"], {}), ("Pad", " p", ["M", "N"], {}), ("Concat", " x", ["M", "N"], {"axis": 1}),
           ("Flatten", "", ["M", 2, "N"], {}), ("Squeeze", " one", ["M", 1, "N"], {}),
           ("Unsqueeze", " one", ["M", "N"], {}), ("Reshape", " s", [1, "N"], {}))},
    "frobnicated": model([node("Neg", "x", "t"), node("Frobnicate", "t", "u", name="first"),
                          node("Neg", "u", "v", name="after"), node("Concat", "x x", "z", axis=0),
                          node("Twist", "t", "k", name="known", domain="mine"), node("Transpose", "k", "q")],
                         {"x": (FLOAT, ["N"])}, ["z", "v", "q"], values={"k": (FLOAT, ["A", 3])}),
    # Bodies: values that inputs, nothing outside, and other turns say.
    "bodies": model([node("If", "c", "y", name="choose",
                          then_branch=graph([node("Neg", "x", "t"), node("Concat", "t x", "u", axis=0),
                                             node("Transpose", "u", "v")], {}, {"v": (FLOAT, [4, "T"])},
                                            values={"u": (FLOAT, ["T", 4])}),
                          else_branch=graph([node("Neg", "x", "t"), node("Transpose", "t", "e")], {}, {"e": (FLOAT, ["W", "T"])})),
                     node("Loop", "turns - x", "last all", name="again", body=graph(
                         [node("Abs", "state", "next"), node("Identity", "on", "goes"),
                          node("Unsqueeze", "turn zero", "end"), node("Slice", "state zero end zero", "few"),
                          node("Size", "few", "added")],
                         {"turn": (INT64, []), "on": (BOOL, []), "state": ()}, ["goes", "next", "added"],
                         values={"few": (FLOAT, ["few"])}))],
                    {"c": (BOOL, []), "x": (FLOAT, ["N", 4]), "turns": (INT64, [])}, ["y", "last", "all"],
                    {"zero": np.array([0], np.int64)}),
    # What values of inputs, elements of data, counters and states of loops must be.
    "values": model([node("TopK", "x k", "best at", name="few"), node("Gather", "x i", "rows", name="some", axis=0),
                     node("Loop", "turns - rows", "last", name="again", body=graph(
                         [node("Identity", "on", "goes"), node("Gather", "x turn", "row", name="next", axis=0),
                          node("Concat", "state state", "double", axis=0), node("Reshape", "double to", "after", name="form")],
                         {"turn": (INT64, []), "on": (BOOL, []), "state": ()}, ["goes", "after"]))],
                    {"x": (FLOAT, ["N", "M"]), "k": (INT64, [1]), "i": (INT64, ["L"]), "turns": (INT64, []), "to": (INT64, [2])}, ["best", "last"]),
    # What contradicts itself without a look at sizes.
    "unfit": model([node("MatMul", "x w", "t", name="product"), node("Neg", "x", "y")], {"x": (FLOAT, [5, 2])},
                   ["t", "y"], {"w": np.zeros((3, 4), np.float32)}),
    "gates": model([node("GRU", "x w r b", "y", name="gates", hidden_size=5)], {"x": (FLOAT, ["T", "B", 3])}, ["y"],
                   {"w": np.zeros((1, 15, 3), np.float32), "r": np.zeros((1, 15, 5), np.float32),
                    "b": np.zeros((1, 2), np.float32)}),
    # Scales for blocks of an axis that a vector does not have.
    "blocks": model([node("QuantizeLinear", "x s", "y", name="steps", axis=1, block_size=2)], {"x": (FLOAT, [4])},
                    ["y"], {"s": np.ones(2, np.float32)}),
    "gaps": model([node("TfIdfVectorizer", "x", "y", name="count", mode="TF", min_gram_length=1, max_gram_length=1,
                        max_skip_count=0, pool_int64s=[4], ngram_counts=[0], ngram_indexes=[2**63 - 1])],
                  {"x": (INT64, [4])}, ["y"]),
    "mask": model([node("Attention", "q q q m", "y", name="look")], {"q": (FLOAT, [2, 3, 4, 8]), "m": (BOOL, [])}, ["y"]),
    # Conditions that a search through the nodes behind them would follow for ever.
    "doubled": endless([node("And", f"c{i} c{i}", f"c{i + 1}") for i in range(60)], "c60"),
    "unsure": endless([node("Identity", "next", "number")], "number"),
    # Each turn appends a longer list.
    "uneven": model([node("Loop", "turns - begin", "end all", name="again", body=graph(
        [node("Concat", "a a", "next", axis=0), node("Neg", "next", "added")],
        {"turn": (INT64, []), "on": (BOOL, []), "a": ()}, ["on", "next", "added"]))],
                    {"turns": (INT64, []), "begin": (FLOAT, ["N"])}, ["end", "all"]),
    "circle": endless([node("Identity", "p", "q"), node("Identity", "q", "p")], "p"),
    "list": model([node("SequenceConstruct", "x x", "y")], {"x": (FLOAT, ["N"])}, ["y"]),
    "far": model([node("SequenceConstruct", "x x", "s"), node("SequenceAt", "s two", "y", name="third")],
                 {"x": (FLOAT, ["N"])}, ["y"], {"two": np.array(2, np.int64)}),
    "odd_sum": model([node("Add", b"\xffx y", "z", name=b"\xfe")], {b"\xffx": (FLOAT, [b"N\xff"]), "y": (FLOAT, ["M"])}, ["z"]),
    "odd": model([node("Neg", "x", b"\xff\n'", name=b"\xfe")], {"x": (FLOAT, [b"N\xff"])}, [b"\xff\n'"]),
    "unknown": model([node("Add", "x x", "t"), node("Frobnicate", "t", "u", name="first"),
                      node("Frobnicate", "u", "v"), node("Twist", "v", "z", domain="mine")],
                     {"x": (FLOAT, ["N"])}, ["z"]),
    "twice": model([node("Relu", "x", "y"), node("Relu", "y", "y")], {"x": (FLOAT, ["N"])}, ["y"]),
    "later": model([node("Relu", "t", "y"), node("Relu", "x", "t")], {"x": (FLOAT, ["N"])}, ["y"]),
    # Nothing broadcasts.
    "gate": model([node("SwiGLU", "x y", "z", name="gate")], {"x": (FLOAT, ["N", 3]), "y": (FLOAT, ["M", 3])}, ["z"]),
    "gates-of-ranks": model([node("SwiGLU", "x y", "z", name="gate")], {"x": (FLOAT, ["N", 3]), "y": (FLOAT, [3])}, ["z"]),
    "halves-of-bytes": model([node("Neg", "x", "z", name="minus")], {"x": (22, ["N"])}, ["z"]),
    "dice": model([node("RandomNormalLike", "x", "t", name="throw"), node("Add", "x t", "z")], {"x": (FLOAT, ["N"])}, ["z"]),
    "missing": model([node("Relu", "t", "y"), node("Relu", "x", "u")], {"x": (FLOAT, ["N"])}, ["y"]),
    "around": model([node("Neg", "b", "y"), node("Add", "x c", "a", name="one"), node("Neg", "a", "b"), node("Neg", "b", "c")],
                    {"x": (FLOAT, ["N"])}, ["y"]),
    "rank": model([node("Relu", "x", "y")], {"x": ()}, ["y"]),
    "flags": model([node("Not", "x", "y")], {"x": (BOOL, ["N"])}, ["y"]),
}

# Its data lies in another file.
BESIDE = number(1, 4) + number(2, FLOAT) + text(8, "w") + number(14, 1) + text(
    13, text(1, "location") + text(2, "beside.bin"))
MODELS["beside"] = number(1, 9) + text(7, text(5, BESIDE) + graph(
    [node("Add", "x w", "z")], {"x": (FLOAT, ["N", 4])}, ["z"])) + text(8, text(1, "") + number(2, 20))

# Inputs that are no tensors: a sequence of floats, and perhaps one.
FLOATS = text(1, number(1, FLOAT))
for kind, field in (("sequence", 4), ("optional", 9)):
    MODELS[kind] = number(1, 9) + text(7, graph([node("Identity", "x", "y")], {}, ["y"]) + text(
        11, text(1, "x") + text(2, text(field, text(1, FLOATS))))) + text(8, text(1, "") + number(2, 20))

# A type in two parts, the extents and what they are of: the wire format joins them.
HALVES = text(2, text(1, text(2, text(1, b"")))) + text(2, text(1, number(1, INT64)))
MODELS["halves"] = number(1, 9) + text(7, graph([node("Concat", "x x", "y", axis=0)], {}, []) + text(
    11, text(1, "x") + HALVES) + text(12, text(1, "y") + HALVES)) + text(8, text(1, "") + number(2, 20))

# A constant that is text.
MODELS["words"] = number(1, 9) + text(7, text(5, number(2, 8) + text(6, "a") + text(8, "w")) + graph(
    [node("Range", "w x x", "y", name="count")], {"x": (FLOAT, [])}, ["y"])) + text(8, text(1, "") + number(2, 20))

#: Files that are no models: what a reader must refuse, each in its own way.
BROKEN = {
    "empty": b"",
    "truncated": MODELS["dense"][:-4000],
    "form": b"\x0f",
    "number": b"\x08" + b"\xff" * 11,
    "huge": number(1, 9) + text(7, text(5, number(1, 1 << 40) + number(1, 1 << 40) + number(2, FLOAT))),
    "short": number(1, 9) + text(7, text(5, number(1, 4) + number(2, FLOAT) + text(9, b"abc"))),
    "outside": number(1, 9) + text(7, text(5, number(1, 1) + number(2, FLOAT) + number(14, 1) + text(
        13, text(1, "location") + text(2, "../secret")))),
    "absolute": number(1, 9) + text(7, text(5, number(1, 1) + number(2, FLOAT) + number(14, 1) + text(
        13, text(1, "location") + text(2, "/etc/passwd")))),
}


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in {**MODELS, **BROKEN}.items():
        (folder / f"{name}.onnx").write_bytes(data)
    (folder / "beside.bin").write_bytes(np.ones(4, np.float32).tobytes())


if __name__ == "__main__":
    main()
