# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What sentences of the standard allow is served, and what they forbid is refused in words that name node and reason.

    check_sentences.py [OP...]

The nodes are those of utils/onnx_sentence_cases.py. Every other model has its extents open, so that what they must be is
checked in the call.
"""

import os
import subprocess
import sys
import tempfile
import re
from pathlib import Path

import numpy as np
from onnx_file import TYPES, model, node
from onnx_sentence_cases import GROUPS

#: Names of ops and types of MLIR.
OPS = re.compile(r"\b(arith|cf|func|index|linalg|math|memref|scf|symshape|tensor)\.[a-z]\w+|\b(tensor|memref)<")


def build(op, opset, operands, attributes, change, is_open):
    """A model of one node `it`, whose operands are inputs `w0`, ..., and their values."""
    operands, attributes = dict(enumerate(operands)), dict(attributes)
    for key, value in change.items():
        (operands if isinstance(key, int) else attributes)[key] = value
    opset, outputs = attributes.pop("opset", opset), attributes.pop("outputs", "y")
    names = " ".join(f"w{i}" if operands.get(i) is not None else "-" for i in range(max(operands) + 1))
    values = {f"w{i}": np.asarray(value, order="C") for i, value in operands.items() if value is not None}
    inputs = {name: (TYPES[each.dtype], [f"{name}_{i}" for i in range(each.ndim)] if is_open else list(each.shape))
              for name, each in values.items()}
    attributes = {name: value for name, value in attributes.items() if value is not None}
    return model([node(op, names, outputs, "it", **attributes)], inputs, outputs.split(), opset=opset), values


def call(op, group, change, is_open, folder):
    data, values = build(op, *group[1:4], change, is_open)
    path = Path(folder) / "m.onnx"
    path.write_bytes(data)
    inputs = []
    for name, value in values.items():
        np.save(Path(folder) / f"{name}.npy", value)
        inputs.append(f"--input={name}=@{folder}/{name}.npy")
    return subprocess.run(["symshape-run", path, "--compile=quick", *inputs], capture_output=True, text=True, check=False, timeout=60,
                          env={**os.environ, "MALLOC_PERTURB_": "165"})


def fault(done, words):
    """What is wrong; `words` are None for an allowed node."""
    if words is None:
        return "" if done.returncode == 0 else f"refused: {done.returncode} {done.stderr[:300]}"
    if done.returncode not in (1, 3):
        return f"served: {done.returncode} {done.stdout[:80]}{done.stderr[:200]}"
    if "'it'" not in done.stderr:
        return f"does not name the node: {done.stderr[:300]}"
    if OPS.search(done.stderr):
        return f"has words of MLIR: {done.stderr[:400]}"
    return "" if re.search(words, re.sub(r"'it' \(\w+", "", done.stderr)) else f"not about '{words}': {done.stderr[:300]}"


def shown(change):
    return {key: f"{value.dtype}{list(value.shape)}" if isinstance(value, (np.ndarray, np.generic)) else value for key, value in change.items()}


def main():
    counts, failed = {True: 0, False: 0}, 0
    with tempfile.TemporaryDirectory(prefix="sentences") as folder:
        for group in GROUPS:
            for op in group[0].split():
                if sys.argv[1:] and op not in sys.argv[1:]:
                    continue
                for sentence, allowed, forbidden, words in group[4]:
                    for number, change in enumerate([allowed, *forbidden]):
                        is_open = sum(counts.values()) % 2 == 0
                        counts[number == 0] += 1
                        wrong = fault(call(op, group, change, is_open, folder), words if number else None)
                        if wrong:
                            failed += 1
                            print(f"{op}, {shown(change)}{', open' if is_open else ''}: {sentence}: {wrong}".replace("\n", " "))
    print(f"{counts[True]} nodes allowed, {counts[False]} not, {failed} failed")
    return 1 if failed or not sys.argv[1:] and (counts[True] < 250 or counts[False] < 380) else 0


if __name__ == "__main__":
    sys.exit(main())
