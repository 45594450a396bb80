# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operands of ops with no elements, or with one too many, where an op expects a number: words, and no crash.

    check_operand_sizes.py [--all]

Each constant operand of each node below is replaced in turn. Of the models that are still imported, every fifth one
is compiled and called, or each with --all.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx_file
from onnx_file import model, node

F, I = np.float32, np.int64
X = np.arange(24, dtype=F).reshape(2, 3, 4)
BOXES, SCORES = np.zeros((1, 3, 4), F), np.zeros((1, 2, 3), F)


def i64(*values):
    return np.array(values, I)


# (op, its operands, its attributes, the operands that are to be of one element)
NODES = [
    ("Range", [I(0), I(5), I(1)], {}, (0, 1, 2)), ("Range", [F(0), F(5), F(1)], {}, (0, 1, 2)),
    ("OneHot", [i64(1, 2), I(3), np.array([0, 1], F)], {}, (1,)), ("TopK", [X, i64(2)], {}, (1,)), ("Trilu", [X, I(1)], {}, (1,)),
    ("NonMaxSuppression", [BOXES, SCORES, I(2), F(0.5), F(0.1)], {}, (2, 3, 4)),
    ("Pad", [X, i64(1, 0, 0, 0, 0, 1), F(3)], {}, (2,)), ("HannWindow", [I(8)], {}, (0,)), ("HammingWindow", [I(8)], {}, (0,)),
    ("BlackmanWindow", [I(8)], {}, (0,)), ("MelWeightMatrix", [I(3), I(8), I(100), F(1), F(40)], {}, (0, 1, 2, 3, 4)),
    ("DFT", [X.reshape(2, 12, 1), I(12), I(1)], {}, (1, 2)), ("STFT", [X.reshape(1, 24, 1), I(4), np.ones(8, F), I(8)], {}, (1, 3)),
    ("CumSum", [X, I(1)], {}, (1,)), ("SplitToSequence", [X, I(1)], {}, ()),
    ("Dropout", [X, F(0.5), np.array(False)], {}, ()), ("Clip", [X, F(1), F(3)], {}, ()), ("Slice", [X, i64(0), i64(1), i64(0), i64(1)], {}, ()),
    ("Squeeze", [X[None], i64(0)], {}, ()), ("Unsqueeze", [X, i64(0)], {}, ()), ("ReduceSum", [X, i64(0)], {}, ()),
    ("Tile", [X, i64(1, 2, 1)], {}, ()), ("Expand", [X, i64(2, 3, 4)], {}, ()), ("Reshape", [X, i64(6, 4)], {}, ()),
    ("Resize", [X[None], np.zeros(0, F), np.ones(4, F)], {}, ()), ("Resize", [X[None], np.zeros(0, F), np.zeros(0, F), i64(1, 2, 3, 4)], {}, ()),
    ("ConstantOfShape", [i64(2, 3)], {}, ()), ("Split", [X, i64(2)], {}, ()), ("Gather", [X, I(1)], {}, ()), ("GatherND", [X, i64(1, 2)], {}, ()),
    ("QuantizeLinear", [X, F(2), np.uint8(3)], {}, ()), ("DequantizeLinear", [X.astype(np.uint8), F(2), np.uint8(3)], {}, ()),
    ("Compress", [X, np.array([True, False])], {}, ()), ("ScatterND", [X, i64(0, 1).reshape(1, 2), np.zeros((1, 4), F)], {}, ()),
    ("CenterCropPad", [X, i64(2, 2, 2)], {}, ()), ("Where", [np.array(True), X, X], {}, ()), ("Mod", [i64(4), I(3)], {}, ()),
    ("AffineGrid", [np.zeros((1, 2, 3), F), i64(1, 1, 2, 2)], {}, ()), ("Col2Im", [np.zeros((1, 4, 4), F), i64(3, 3), i64(2, 2)], {}, ()),
    ("BitShift", [np.uint8(4), np.uint8(1)], {"direction": "LEFT"}, ()), ("Concat", [i64(1), I(1).reshape(1)], {"axis": 0}, ()),
    ("ReverseSequence", [X, i64(1, 2, 1)], {}, ()), ("Upsample", [X[None], np.ones(4, F)], {}, ()), ("EyeLike", [X[0]], {}, ()),
    ("Loop", [I(2), np.array(True), X], "loop", (0, 1)), ("If", [np.array(True)], "if", (0,)),
    ("SequenceAt", [I(0)], "sequence", (0,)), ("SequenceInsert", [I(0)], "sequence", (0,)),
    ("SequenceErase", [I(0)], "sequence", (0,)),
]


def graph(nodes, inputs, outputs):
    """A body, whose values have no declared types."""
    return onnx_file.graph(nodes, dict.fromkeys(inputs, ()), outputs)


def build(kind, operands, attributes):
    weights = {f"w{i}": np.asarray(value) for i, value in enumerate(operands)}
    names = " ".join(weights)
    if attributes == "loop":
        body = graph([node("Identity", "c", "d"), node("Identity", "s", "t")], ["n", "c", "s"], ["d", "t"])
        nodes = [node(kind, names, "y", "it", body=body)]
    elif attributes == "if":
        nodes = [node(kind, names, "y", "it", then_branch=graph([node("Neg", "x", "a")], [], ["a"]),
                      else_branch=graph([node("Abs", "x", "b")], [], ["b"]))]
    elif attributes == "sequence":
        nodes = [node("SequenceConstruct", "x x", "q")]
        nodes += [node(kind, "q " + ("x " if kind == "SequenceInsert" else "") + names, "y" if kind == "SequenceAt" else "p", "it")]
        nodes += [] if kind == "SequenceAt" else [node("SequenceLength", "p", "y")]
    elif kind == "SplitToSequence":
        nodes = [node(kind, names, "p", "it"), node("SequenceLength", "p", "y")]
    else:
        nodes = [node(kind, names, "y i" if kind == "TopK" else "y", "it", **attributes)]
    return model(nodes, {"x": (onnx_file.FLOAT, [3])}, ["y"], weights)


def changed(kind, operands, attributes, singles):
    """(what it is, the model, whether it must be refused)"""
    yield kind, build(kind, operands, attributes), None
    for i, value in enumerate(operands):
        value = np.asarray(value)
        for size in (0, 2) if value.size == 1 else (0,):
            other = list(operands)
            other[i] = np.resize(value, size) if size else np.zeros(0, value.dtype)
            yield f"{kind}, operand {i} of {size} elements", build(kind, other, attributes), i in singles


def special():
    """Products that wrap, and steps that lead nowhere."""
    one = np.array([5], I)
    seven = i64(7, pow(7, -1, 1 << 64))
    assert int(seven[0]) * int(seven[1]) % (1 << 64) == 1
    for name, shape in [("wraps to 1", seven), ("wraps to 1 after -1", i64(*seven, -1)), ("wraps to 0", i64(1 << 32, 1 << 32)),
                        ("is negative", i64(1 << 31, 1 << 32)), ("is too large", i64(1 << 62, 2))]:
        for data in (one, np.array([5], F)):
            yield f"a product that {name}, {data.dtype}", build("Reshape", [data, shape], {}), True
    for step in (I(0), F(0), F(-0.0), np.int32(0), np.float64(0)):
        bounds = [step.dtype.type(0), step.dtype.type(5), step]
        yield f"a range of step {step!r}", build("Range", bounds, {}), True


def execute(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, stdin=subprocess.DEVNULL)


def main():
    failed = refused = made = ran = 0
    compiles_all = sys.argv[1:] == ["--all"]
    with tempfile.TemporaryDirectory(prefix="operands") as folder:
        path = str(Path(folder) / "m.onnx")
        for what, data, must_refuse in [c for each in NODES for c in changed(*each)] + list(special()):
            Path(path).write_bytes(data)
            done = execute("symshape-onnx", "import", path, "-o", "/dev/null", "--bytecode")
            made += 1
            statuses = (0, 1)
            # What only the extents tell is found when it is compiled.
            if done.returncode == 0 and (must_refuse or compiles_all or made % 5 == 0):
                done = execute("symshape-run", path, "--input=3xf32=iota", "--compile=quick")
                ran += 1
                statuses = (1,) if must_refuse else (0, 1, 3)
            if must_refuse is None:
                statuses = (0,)
            refused += done.returncode == 1
            if done.returncode not in statuses or (done.returncode != 0 and "error: " not in done.stderr):
                failed += 1
                print(f"not so: {what}: exit status in {statuses}\n  {done.returncode} {done.stderr[:300]}")
    print(f"{made} models, {ran} compiled, {refused} refused, {failed} failed")
    return 1 if failed or made < 230 or refused < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
