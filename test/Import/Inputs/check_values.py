# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operands whose values the standard restricts: what it allows is served, and the rest refused in words, both where
the value is a constant of the model and where a call gives it.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from onnx_file import BOOL, FLOAT, INT32, INT64, UINT8, model, node

F, I, U = np.float32, np.int64, np.uint8
KINDS = {np.dtype(F): FLOAT, np.dtype(I): INT64, np.dtype(np.int32): INT32, np.dtype(U): UINT8, np.dtype(bool): BOOL}
NAN, INF = F(np.nan), F(np.inf)
X = np.arange(24, dtype=F).reshape(2, 3, 4)
X4, EMPTY = X[None], np.zeros(0, F)


def i64(*values):
    return np.array(values, I)


def f32(*values):
    return np.array(values, F)


PLACES = np.zeros((1, 3, 4), I)
BOXES, SCORES = np.zeros((1, 3, 4), F), np.ones((1, 1, 3), F)
SIGNAL, WINDOW = X.reshape(1, 24, 1), np.ones(8, F)
MEL = [I(3), I(8), I(100), F(1), F(40)]
KEYS = np.ones((1, 2, 3, 4), F)
CACHE, ROWS = np.zeros((1, 2, 5, 4), F), np.ones((1, 2, 3, 4), F)
ROI = [X.reshape(1, 2, 3, 4), f32(0, 0, 1, 1).reshape(1, 4), i64(0)]
POOLED = [np.ones((1, 1, 2, 2), F), i64(0, 1, 2, 3).reshape(1, 1, 2, 2)]
LOSS = [np.ones((2, 3), F), i64(0, 1)]
INTS = [i64(7, -7), i64(2, 2)]

# (op, attributes, opset, operands, the one that changes, values that are allowed, values that are not)
ROWS_OF_TABLE = [
    ("OneHot", {}, 20, [i64(1, 2), I(3), f32(0, 1)], 1, [I(0)], [I(-1)]),
    ("OneHot", {}, 20, [i64(1, 2), F(3), f32(0, 1)], 1, [F(2.5)], [F(-1), NAN, INF]),
    ("OneHot", {}, 20, [i64(1, 2), I(3), f32(0, 1)], 2, [f32(2, 3)], [f32(0), f32(0, 1, 2)]),
    ("Split", {"axis": 1}, 20, [X, i64(1, 2)], 1, [i64(3, 0)], [i64(1, 1), i64(2, 2), i64(-1, 4)]),
    ("Pad", {}, 20, [X, i64(0, 0, 0, 0, 0, 1)], 1, [i64(-1, 0, 0, -1, 0, 0)], [i64(-3, 0, 0, 0, 0, 0), i64(1, 0)]),
    ("Pad", {"mode": "edge"}, 20, [X, i64(0, 0, 0, 0, 0, 1)], 1, [i64(3, 0, 0, 0, 0, 3)], [i64(-2, 0, 0, 1, 0, 0)]),
    ("Tile", {}, 20, [X, i64(1, 2, 1)], 1, [i64(0, 1, 1)], [i64(-1, 2, 1), i64(1, 2)]),
    ("Expand", {}, 20, [X, i64(2, 3, 4)], 1, [i64(1, 1, 1)], [i64(2, 2, 4), i64(-1, 3, 4), i64(0)]),
    ("Range", {}, 20, [I(0), I(5), I(1)], 2, [I(-1)], [I(0)]),
    ("Range", {}, 20, [F(0), F(5), F(1)], 2, [INF], [F(0), NAN]),
    ("Range", {}, 20, [F(0), F(5), F(1)], 1, [F(-3)], [NAN, INF]),
    ("Range", {}, 20, [F(0), F(5), F(1)], 0, [F(7)], [NAN]),
    ("Resize", {}, 20, [X4, EMPTY, f32(1, 1, 1, 1)], 2, [f32(1, 1, .5, 1)], [f32(1, 1, 0, 1), f32(1, 1, -1, 1), f32(1, 1, NAN, 1)]),
    ("Resize", {}, 20, [X4, EMPTY, EMPTY, i64(1, 2, 3, 4)], 3, [i64(1, 2, 6, 4)], [i64(1, 2, -1, 4), i64(1, 2, 3)]),
    ("Upsample", {}, 9, [X4, f32(1, 1, 1, 1)], 1, [f32(1, 1, 2, 1)], [f32(1, 1, .5, 1), f32(1, 1, 0, 1)]),
    ("Slice", {}, 20, [X, i64(0), i64(2), i64(0), i64(1)], 4, [i64(-1)], [i64(0)]),
    ("Slice", {}, 20, [X, i64(0), i64(2), i64(0), i64(1)], 3, [i64(-3)], [i64(3), i64(-4)]),
    ("Slice", {}, 20, [X, i64(0), i64(2), i64(0), i64(1)], 1, [i64(-9), i64(9)], []),
    ("Gather", {}, 20, [X, i64(1, 0)], 1, [i64(-2, 1)], [i64(2, 0), i64(-3, 0), i64(2**40, 0)]),
    ("Gather", {}, 20, [X, I(1)], 1, [I(-2)], [I(2), I(-3)]),
    ("GatherElements", {}, 20, [X, PLACES], 1, [PLACES - 2], [PLACES + 2, PLACES - 3]),
    ("GatherND", {}, 20, [X, i64(1, 2)], 1, [i64(-2, -3)], [i64(2, 0), i64(-3, 0), i64(1, 3)]),
    ("ScatterElements", {}, 18, [X, PLACES, np.ones((1, 3, 4), F)], 1, [PLACES - 2], [PLACES + 2, PLACES - 3]),
    ("ScatterElements", {"reduction": "add"}, 18, [X, PLACES, np.ones((1, 3, 4), F)], 1, [PLACES + 1], [PLACES + 2]),
    ("ScatterND", {}, 18, [X, i64(0, 1).reshape(1, 2), np.ones((1, 4), F)], 1, [i64(-2, -3).reshape(1, 2)], [i64(2, 0).reshape(1, 2)]),
    ("ScatterND", {}, 18, [X, i64(0, 1).reshape(1, 2), np.ones((1, 4), F)], 2, [f32(1, 2, 3, 4).reshape(1, 4)], [np.ones((1, 3), F)]),
    ("TopK", {}, 20, [X, i64(2)], 1, [i64(0), i64(4)], [i64(-1), i64(5)]),
    ("CumSum", {}, 20, [X, I(1)], 1, [I(-3)], [I(3), I(-4)]),
    ("Trilu", {}, 20, [X, I(1)], 1, [I(-9), I(2**62)], []),
    ("NonMaxSuppression", {}, 20, [BOXES, SCORES, I(2), F(.5), F(0)], 3, [F(0), F(1)], [F(-.1), F(1.5), NAN]),
    ("NonMaxSuppression", {}, 20, [BOXES, SCORES, I(2), F(.5), F(0)], 2, [I(0), I(2**40)], []),
    ("Unsqueeze", {}, 20, [X, i64(0)], 1, [i64(-4)], [i64(4), i64(-5), i64(0, 0), i64(1, -4)]),
    ("Squeeze", {}, 20, [X4, i64(0)], 1, [i64(-4)], [i64(1), i64(4)]),
    ("ReduceSum", {}, 20, [X, i64(0)], 1, [i64(-1)], [i64(3), i64(-4)]),
    ("ConstantOfShape", {}, 20, [i64(2, 3)], 0, [i64(0, 3)], [i64(-1, 3), i64(-2, -3), i64(2**40, 2**40)]),
    ("AffineGrid", {}, 20, [np.ones((1, 2, 3), F), i64(1, 1, 2, 2)], 1, [i64(1, 1, 3, 1)], [i64(1, 1, -1, 2), i64(2, 1, 2, 2), i64(1, 1, 2)]),
    ("MaxUnpool", {"kernel_shape": [2, 2], "strides": [2, 2]}, 20, POOLED, 1, [POOLED[1] * 0 + 15], [POOLED[1] + 100, POOLED[1] - 100]),
    ("MaxUnpool", {"kernel_shape": [2, 2], "strides": [2, 2]}, 20, [*POOLED, i64(1, 1, 5, 5)], 2, [i64(1, 1, 4, 4)],
     [i64(1, 1, 3, 3), i64(2, 1, 4, 4), i64(1, 2, 4, 4)]),
    ("Div", {}, 20, INTS, 1, [i64(-1, 3)], [i64(0, 2), i64(1, 0)]),
    ("Mod", {}, 20, INTS, 1, [i64(-1, 3)], [i64(0, 2)]),
    ("Mod", {"fmod": 1}, 20, INTS, 1, [i64(-1, 3)], [i64(0, 2)]),
    ("Div", {}, 20, [U(7), U(2)], 1, [U(255)], [U(0)]),
    ("Mod", {}, 20, [np.int32(7), np.int32(2)], 1, [np.int32(-1)], [np.int32(0)]),
    ("Div", {}, 20, [f32(7), f32(2)], 1, [f32(0)], []),
    ("BitShift", {"direction": "LEFT"}, 20, [U(3), U(1)], 1, [U(7), U(8), U(200)], []),
    ("DFT", {}, 20, [SIGNAL, I(12), I(1)], 1, [I(1)], [I(0), I(-1)]),
    ("DFT", {}, 20, [SIGNAL, I(12), I(1)], 2, [I(-2)], [I(2), I(3), I(-4)]),
    ("STFT", {}, 20, [SIGNAL, I(4), WINDOW, I(8)], 1, [I(24)], [I(0), I(-1)]),
    ("STFT", {}, 20, [SIGNAL, I(4), WINDOW, I(8)], 3, [], [I(0), I(-1), I(25)]),
    ("HannWindow", {}, 20, [I(8)], 0, [I(1)], [I(-1)]),
    ("MelWeightMatrix", {}, 20, MEL, 1, [I(9)], [I(-1), I(-3)]), ("MelWeightMatrix", {}, 20, MEL, 2, [I(81)], [I(0), I(-1), I(10)]),
    ("MelWeightMatrix", {}, 20, MEL, 3, [F(0)], [F(-1), NAN]), ("MelWeightMatrix", {}, 20, MEL, 4, [F(50)], [F(60), F(-1), INF]),
    ("Reshape", {}, 20, [X, i64(6, 4)], 1, [i64(0, -1)], [i64(-1, -1), i64(-2, 4), i64(7, 4), i64(5, -1)]),
    ("Reshape", {"allowzero": 1}, 20, [X, i64(6, 4)], 1, [i64(2, -1)], [i64(0, 4), i64(0, -1)]),
    ("CenterCropPad", {}, 20, [X, i64(2, 2, 2)], 1, [i64(5, 0, 1)], [i64(-1, 2, 2)]),
    ("Attention", {}, 24, [KEYS, KEYS, KEYS, None, None, None, i64(3)], 6, [i64(0), i64(2)], [i64(4), i64(-1)]),
    ("RotaryEmbedding", {}, 23, [KEYS, np.ones((5, 2), F), np.ones((5, 2), F), i64(0, 1, 2).reshape(1, 3)], 3,
     [i64(4, 4, 4).reshape(1, 3)], [i64(0, 1, 5).reshape(1, 3), i64(-1, 1, 2).reshape(1, 3)]),
    ("TensorScatter", {"axis": -2}, 24, [CACHE, ROWS, i64(0)], 2, [i64(2)], [i64(3), i64(-1)]),
    ("TensorScatter", {"axis": -2, "mode": "circular"}, 24, [CACHE, ROWS, i64(0)], 2, [i64(4), i64(9)], [i64(-1)]),
    ("RoiAlign", {}, 20, ROI, 2, [], [i64(1), i64(-1)]),
    ("RoiAlign", {}, 20, ROI, 1, [f32(1, 1, 9, 9).reshape(1, 4)], [f32(0, NAN, 1, 1).reshape(1, 4), f32(0, 0, 1, INF).reshape(1, 4)]),
    ("NegativeLogLikelihoodLoss", {}, 20, LOSS, 1, [i64(2, 2)], [i64(3, 0), i64(-1, 0)]),
    ("SoftmaxCrossEntropyLoss", {"ignore_index": 5}, 20, LOSS, 1, [i64(5, 1)], [i64(3, 0), i64(-1, 0)]),
    ("ReverseSequence", {}, 20, [X, i64(1, 2, 1)], 1, [i64(0, 2, 2)], [i64(3, 1, 1), i64(-1, 1, 1)]),
    ("Dropout", {}, 20, [X, F(0), np.array(True)], 1, [], [F(.5), F(-1), NAN]),
    ("Compress", {"axis": 0}, 20, [X, np.array([True, False])], 1, [np.array([True])], [np.array([True, False, True])]),
    ("LRN", {"size": 2**62}, 20, [X4], 0, [X4], []),
    ("Col2Im", {}, 20, [np.ones((1, 4, 4), F), i64(3, 3), i64(2, 2)], 1, [], [i64(3, 4), i64(0, 3), i64(-1, 3)]),
]


def build(row, value, is_constant):
    op, attributes, opset, operands, changed, _, _ = row
    constants, names = {"unused": f32(0)}, []
    inputs = {}
    for number, operand in enumerate(operands):
        names.append("-" if operand is None else f"w{number}")
        if number == changed and not is_constant:
            inputs[names[-1]] = (KINDS[value.dtype], list(value.shape))
        elif operand is not None:
            constants[names[-1]] = np.asarray(value if number == changed else operand)
    if is_constant:
        inputs["unused"] = (FLOAT, [1])
        del constants["unused"]
    outputs = {"Split": "y z", "TopK": "y z"}.get(op, "y")
    return model([node(op, " ".join(names), outputs, "it", **attributes)], inputs, outputs.split(), constants, opset=opset)


def check(row, value, is_allowed, is_constant, folder):
    """What is wrong, or nothing."""
    value = np.asarray(value)
    path, data = Path(folder) / "m.onnx", Path(folder) / "v.npy"
    path.write_bytes(build(row, value, is_constant))
    np.save(data, f32(0) if is_constant else value)
    done = subprocess.run(["symshape-run", path, "--compile=quick", f"--input=@{data}"], capture_output=True, text=True, check=False,
                          timeout=60, env={**os.environ, "MALLOC_PERTURB_": "165"})
    statuses = (0,) if is_allowed else (1, 3)
    has_words = done.returncode == 0 or "error: " in done.stderr and ("'it'" in done.stderr or "refused" in done.stderr)
    return "" if done.returncode in statuses and has_words else f"status {done.returncode} {done.stderr[:300]}"


def main():
    counts, failed = {True: 0, False: 0}, 0
    with tempfile.TemporaryDirectory(prefix="values") as folder:
        for number, row in enumerate(ROWS_OF_TABLE):
            for is_allowed, values in ((True, row[5]), (False, row[6])):
                for place, value in enumerate(values):
                    # Of several values, every third one is a constant too.
                    for is_constant in (False, True) if (number + place) % 3 == 0 else (False,):
                        counts[is_allowed] += 1
                        if what := check(row, value, is_allowed, is_constant, folder):
                            failed += 1
                            print(f"{row[0]} {row[1]}, operand {row[4]} = {np.asarray(value).tolist()}"
                                  f"{', a constant' if is_constant else ''}: {'served' if is_allowed else 'refused'} expected, {what}")
    print(f"{counts[True]} values allowed, {counts[False]} not, {failed} failed")
    return 1 if failed or counts[True] < 95 or counts[False] < 165 else 0


if __name__ == "__main__":
    sys.exit(main())
