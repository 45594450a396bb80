# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What sentences of the standard allow is served, and what they forbid is refused in words that name node and reason.

    check_sentences.py [--part[=NUMBER] | OP...]

The nodes are those of utils/onnx_sentence_cases.py. Every other model has its extents open, so that what they must be is
checked in the call. With --part one in three is tried, from a number below three on that is printed.
"""

import os
import random
import re
import subprocess
import sys
import tempfile
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
    before, after = attributes.pop("before", None) or [], attributes.pop("after", None)
    first = [node(*each) for each in (before if isinstance(before, list) else [before])]
    results = (after or ("", "", outputs))[2]
    names = " ".join(f"w{i}" if operands.get(i) is not None else "-" for i in range(max(operands) + 1))
    names = attributes.pop("inputs", names)
    values = {f"w{i}": np.asarray(value, order="C") for i, value in operands.items() if value is not None}
    inputs = {name: (TYPES[each.dtype], [f"{name}_{i}" for i in range(each.ndim)] if is_open else list(each.shape))
              for name, each in values.items()}
    attributes = {name: value for name, value in attributes.items() if value is not None}
    nodes = [*first, node(op, names, outputs, "it", **attributes), *([node(*after)] if after else [])]
    return model(nodes, inputs, results.split(), opset=opset), values


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


def models():
    """(op, group, sentences, what changes, the words that refuse it or None)"""
    for group in GROUPS:
        for op in group[0].split():
            for sentence, allowed, forbidden, words in group[4]:
                yield op, group, sentence, allowed, None
                yield from ((op, group, sentence, change, words) for change in forbidden)


def main():
    part = next((each for each in sys.argv[1:] if each.startswith("--part")), None)
    ops = [each for each in sys.argv[1:] if each != part]
    first = int(part.partition("=")[2] or random.randrange(3)) if part else None
    counts, failed = {True: 0, False: 0}, 0
    with tempfile.TemporaryDirectory(prefix="sentences") as folder:
        for number, (op, group, sentence, change, words) in enumerate(models()):
            if ops and op not in ops or part and number % 3 != first:
                continue
            counts[words is None] += 1
            is_open = number % 2 == 0
            if wrong := fault(call(op, group, change, is_open, folder), words):
                failed += 1
                print(f"{op}, {shown(change)}{', open' if is_open else ''}: {sentence}: {wrong}".replace("\n", " "))
    print(f"{f'--part={first}: ' if part else ''}{counts[True]} nodes allowed, {counts[False]} not, {failed} failed")
    least = {True: 100, False: 180} if part else {True: 340, False: 600}
    return 1 if failed or not ops and any(counts[kind] < least[kind] for kind in least) else 0


if __name__ == "__main__":
    sys.exit(main())
