# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sentence and the conditions of `symshape-onnx check`, beside the sizes that a model is valid for.

Each condition is evaluated at sizes of a grid; all of them must hold exactly where the model is valid. So
must those of `--json`, which Python evaluates.
"""

import ast
import contextlib
import itertools
import json
import subprocess
import sys
from pathlib import Path

import numpy as np

import onnx_extents
from onnx_file import FLOAT, INT64, model, node

WINDOW = np.zeros((2, 1, 3, 3), np.float32)
EIGHT = np.zeros((8, 2), np.float32)


def shaped(*sizes):
    return np.array(sizes, np.int64)


# Every second row, and every fourth one twice.
HALVES = [node("Slice", "x from to from step", "half"), node("Slice", "half from to from step", "quarter"),
          node("Concat", "quarter quarter", "twice", axis=0)]
STEPS = {"from": shaped(0), "to": shaped(2**62), "step": shaped(2)}
ROWS = {"x": (FLOAT, ["N", 4])}
# How many of these, as a float.
COUNT = [node("Shape", "twice", "all"), node("Slice", "all from one", "rows"), node("Squeeze", "rows", "row"),
         node("Cast", "row", "count", to=FLOAT), node("Range", "zero count unit", "z")]
NUMBERS = {"one": shaped(1), "zero": np.float32(0), "unit": np.float32(1)}


# A model, the first line for it, and where it is valid.
CASES = [
    (model([node("Neg", "x", "z")], {"x": (FLOAT, [2, 3])}, ["z"]), "valid for its fixed sizes", lambda: True),
    # What rounds twice is a set of residues; the first numbers may be others.
    (model([*HALVES, node("Concat", "half twice", "z", axis=1)], ROWS, ["z"], STEPS), "valid for N in {0, 3} mod 4",
     lambda N: N % 4 in (0, 3)),
    (model([*HALVES, node("Add", "half twice", "z")], ROWS, ["z"], STEPS),
     "valid for sizes where N in {0, 3} mod 4 or 1 <= N <= 2", lambda N: N % 4 in (0, 3) or N in (1, 2)),
    (model([*HALVES, node("Slice", "quarter from to from step", "eighth"), node("Concat", "eighth eighth eighth eighth", "more", axis=0),
            node("Concat", "half twice", "z", axis=1), node("Concat", "half more", "v", axis=1)], ROWS, ["z", "v"], STEPS),
     "valid for N in {0, 7} mod 8", lambda N: N % 8 in (0, 7)),
    (model([*HALVES, *COUNT], ROWS, ["z"], {**STEPS, **NUMBERS}), "valid for N <= 33554432", lambda N: N <= 2**25),
    (model([node("Neg", "x", "z")], {"x": (FLOAT, ["N", "M"])}, ["z"]), "valid for every size", lambda N, M: True),
    (model([node("Conv", "x w", "z", kernel_shape=[3, 3])], {"x": (FLOAT, [1, 1, "H", "W"])}, ["z"], {"w": WINDOW}),
     "valid for H, W >= 3", lambda H, W: H >= 3 and W >= 3),
    # Names of tools that export say less than the place; one that only looks like such a name is the author's.
    (model([node("Conv", "x w", "z", kernel_shape=[3, 3])], {"x": (FLOAT, [1, 1, "unk__749", "p2o.DynamicDimension.1"])}, ["z"],
           {"w": WINDOW}), "valid for x.dim2, x.dim3 >= 3", lambda **at: at["x.dim2"] >= 3 and at["x.dim3"] >= 3),
    (model([node("Conv", "x w", "z", kernel_shape=[3, 3])], {"x": (FLOAT, [1, 1, "x_dynamic_axes_2", "unk__W"])}, ["z"],
           {"w": WINDOW}), "valid for x.dim2, unk__W >= 3", lambda unk__W, **at: at["x.dim2"] >= 3 and unk__W >= 3),
    (model([node("MaxPool", "x", "z", kernel_shape=[2], strides=[2])], {"x": (FLOAT, [1, 1, "L"])}, ["z"]),
     "valid for L >= 2", lambda L: L >= 2),
    (model([node("Reshape", "x to", "z")], {"x": (FLOAT, ["N"])}, ["z"], {"to": shaped(-1, 32)}),
     "valid for N a multiple of 32", lambda N: N % 32 == 0),
    (model([node("Reshape", "x to", "z"), node("Reshape", "y to", "v")], {"x": (FLOAT, ["H"]), "y": (FLOAT, ["W"])},
           ["z", "v"], {"to": shaped(-1, 8)}), "valid for H, W multiples of 8", lambda H, W: H % 8 == 0 and W % 8 == 0),
    (model([node("Add", "x y", "z")], {"x": (FLOAT, ["L"]), "y": (FLOAT, ["M"])}, ["z"]),
     "valid for sizes where L == M or L == 1 or M == 1", lambda L, M: L == M or 1 in (L, M)),
    # What Squeeze removes without axes is what the outputs' declared ranks ask for; without them, what is 1 for sure.
    (model([node("Squeeze", "x", "t"), node("Neg", "t", "z")], {"x": (FLOAT, ["N", 1])}, {"z": (FLOAT, [])}),
     "valid for sizes where N == 1", lambda N: N == 1),
    (model([node("Squeeze", "x", "t"), node("Neg", "t", "z")], {"x": (FLOAT, ["N", 1])}, {"z": (FLOAT, ["N"])}),
     "valid for sizes where N != 1", lambda N: N != 1),
    (model([node("Squeeze", "x", "t"), node("Neg", "t", "z")], {"x": (FLOAT, ["N", 1])}, ["z"]),
     "valid for sizes where N != 1", lambda N: N != 1),
    # A long condition is said where the sentence stays within 160 characters, and counted where it does not.
    (model([node("Add", "x y", "z")], {"x": (FLOAT, ["length_of_the_prompt"]), "y": (FLOAT, ["length_of_the_answer"])}, ["z"]),
     "valid for sizes where length_of_the_prompt == length_of_the_answer or length_of_the_prompt == 1 or length_of_the_answer == 1",
     lambda length_of_the_prompt, length_of_the_answer: length_of_the_prompt == length_of_the_answer
     or 1 in (length_of_the_prompt, length_of_the_answer)),
    (model([node("Add", "x y", "z")], {"x": (FLOAT, ["P" * 40]), "y": (FLOAT, ["Q" * 40])}, ["z"]),
     "valid for sizes where 1 condition holds", lambda **at: len(set(at.values())) == 1 or 1 in at.values()),
    (model([node("MatMul", "x y", "z")], {"x": (FLOAT, [4, "K"]), "y": (FLOAT, ["K", 5])}, ["z"]),
     "valid for sizes where y.dim0 == K", lambda K, **rest: rest["y.dim0"] == K),
    (model([node("MatMul", "x y", "z")], {"x": (FLOAT, [4, "K"]), "y": (FLOAT, ["L", 5])}, ["z"]),
     "valid for sizes where K == L", lambda K, L: K == L),
    (model([node("Slice", "x from to", "t"), node("Add", "t y", "z")], {"x": (FLOAT, ["N"]), "y": (FLOAT, [7])}, ["z"],
           {"from": shaped(2), "to": shaped(2**62)}), None, lambda N: N in (3, 9)),
    # What Python has no sign for: bc, min, and a division by what may be 0.
    (model([node("Add", "x y", "t"), node("MatMul", "t w", "z")], {"x": (FLOAT, ["L"]), "y": (FLOAT, ["M"])}, ["z"],
           {"w": EIGHT}), "valid for sizes where (L == M or L == 1 or M == 1) and bc(L, M) == 8",
     lambda L, M: (L, M) in ((8, 8), (1, 8), (8, 1))),
    (model([node("Slice", "x from to", "t"), node("Concat", "t y", "c", axis=0), node("MatMul", "c w", "z")],
           {"x": (FLOAT, ["N"]), "y": (FLOAT, ["M"])}, ["z"], {"from": shaped(0), "to": shaped(4), "w": EIGHT}),
     "valid for sizes where M + min(N, 4) == 8", lambda N, M: M == 8 - sorted((N, 4))[0]),
    (model([node("Shape", "y", "k"), node("Concat", "k rest", "to", axis=0), node("Reshape", "x to", "z")],
           {"x": (FLOAT, ["N"]), "y": (FLOAT, ["K"])}, ["z"], {"rest": shaped(-1)}),
     "valid for K >= 1, where K*(N // K) == N", lambda N, K: K > 0 and N % K == 0),
    (model([node("MaxPool", "x", "t", kernel_shape=[2], strides=[2]), node("MatMul", "t w", "z")],
           {"x": (FLOAT, [1, 1, "L"])}, ["z"], {"w": EIGHT}), "valid for sizes where 16 <= L <= 17", lambda L: L in (16, 17)),
    (model([node("TopK", "x k", "z i")], {"x": (FLOAT, ["N"]), "k": (INT64, [1])}, ["z"]),
     "valid for every size, and data that a call checks", lambda N: True),
    (model([node("Neg", "x", "t"), node("Frobnicate", "t", "z")], {"x": (FLOAT, ["N"])}, ["z"]),
     "valid for every size, as far as nodes are known", lambda N: True),
    (model([node("ReduceSum", "x a", "z")], {"x": (FLOAT, ["N"]), "a": (INT64, ["A"])}, ["z"]),
     "valid for every size, as far as is known before the first call", lambda N: True),
    (model([node("Conv", "x w", "z", kernel_shape=[3, 3])], {"x": (FLOAT, [1, 1, 2, "W"])}, ["z"], {"w": WINDOW}),
     "valid for no size: node (Conv #0) cannot run", lambda W: False),
]


def main():
    folder = Path(sys.argv[1])
    folder.mkdir()
    compared, needed, wrong = 0, 0, []
    for number, (data, sentence, is_valid) in enumerate(CASES):
        path = folder / f"{number}.onnx"
        path.write_bytes(data)
        done = subprocess.run(["symshape-onnx", "check", path], capture_output=True, text=True)
        said = done.stdout
        first = said.splitlines()[0]
        if sentence and first != sentence:
            wrong.append(f"{number}: expected {sentence!r}, but got {first!r}")
        never = first.startswith("valid for no size: ")
        if (done.returncode == 3) != (never or first.endswith(", as far as nodes are known")):
            wrong.append(f"{number}: {first}: exit status {done.returncode}")
        conditions = onnx_extents.guards(said)
        names = sorted({name for each in conditions for name in onnx_extents.names(each)}
                       | set(is_valid.__code__.co_varnames[:is_valid.__code__.co_argcount]))
        spare = set() if never else set(conditions)
        printed = subprocess.run(["symshape-onnx", "check", path, "--json"], capture_output=True, text=True)
        found = json.loads(printed.stdout)
        if printed.returncode != done.returncode or found["sentence"] != first or found["valid"] == never:
            wrong.append(f"{number}: --json: status {printed.returncode}, {found['sentence']!r}, valid {found['valid']}")
        for sizes in itertools.product([0, 1, 2, 3, 4, 8, 9, 16, 32, 33, 64, 2**27], repeat=len(names)):
            values = dict(zip(names, sizes))
            failed = []
            for each in conditions:
                # A divisor is 0 only where a condition before says that it must not be.
                with contextlib.suppress(ZeroDivisionError) if failed else contextlib.nullcontext():
                    failed += [] if onnx_extents.evaluate(each, values) else [each]
            holds = not never and not failed
            spare -= set(failed) if len(failed) == 1 else set()
            compared += 1
            plain = {one["name"]: values[one["text"]] for one in found["names"] if one.get("text") in values}
            if holds != (found["valid"] and all(eval(each, {}, plain) for each in found["conditions"])):
                wrong.append(f"{number}: {found['conditions']} at {plain}: expected {holds}")
                break
            if holds != is_valid(**values):
                wrong.append(f"{number}: {first}: {values}: expected {is_valid(**values)}, but got {holds}")
                break
        needed += len(conditions) - len(spare)
        wrong += [f"{number}: {each} follows from the others" for each in sorted(map(ast.unparse, spare))]
    print("\n".join(wrong))
    print(f"{len(CASES)} models, {compared} sizes, {needed} conditions needed, {len(wrong)} wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
