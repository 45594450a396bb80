# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Node tests of ONNX whose inputs have other ranks and types: imported, or refused with one error.

    check_changed_models.py [--sample=N]

Of each op two models are taken, and one input is changed at a time. Every Nth is imported.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import onnx
from run_onnx_suite import node_tests

MODELS_PER_OP, LEAST = 2, 200


def changes(rank, type):
    """Names of changes, and what each does to the type of a tensor, of which `rank` and element `type` are now."""
    extents = type.shape.dim
    yield "another dimension", lambda t: t.shape.dim.add(dim_value=2)
    if rank > 0:
        yield "no dimensions", lambda t: t.shape.dim.__delitem__(slice(None))
        yield "an empty dimension", lambda t: setattr(t.shape.dim[rank - 1], "dim_value", 0)
    if rank > 1:
        yield "one dimension", lambda t: t.shape.dim.__delitem__(slice(1, None))
        yield "a dimension less", lambda t: t.shape.dim.__delitem__(len(extents) - 1)
    for name, number in [("f32", 1), ("i64", 7), ("bool", 9), ("f64", 11)]:
        if number != type.elem_type:
            yield name, lambda t, number=number: setattr(t, "elem_type", number)


def changed_models():
    """Pairs of what was changed and the bytes of the model."""
    ops = Counter()
    for path in node_tests():
        model = onnx.load(path / "model.onnx")
        op = model.graph.node[0].op_type
        if len(model.graph.node) != 1 or ops[op] == MODELS_PER_OP:
            continue
        ops[op] += 1
        for i, value in enumerate(model.graph.input):
            if not value.type.HasField("tensor_type"):
                continue
            for name, change in changes(len(value.type.tensor_type.shape.dim), value.type.tensor_type):
                other = onnx.ModelProto()
                other.CopyFrom(model)
                change(other.graph.input[i].type.tensor_type)
                yield f"{path.name}: {value.name}: {name}", other.SerializeToString()


def answer(what, data, folder):
    """`imported`, `refused`, or what went wrong."""
    path = Path(folder) / f"{abs(hash(what))}.onnx"
    path.write_bytes(data)
    done = subprocess.run(["symshape-onnx", "import", str(path), "-o", os.devnull], capture_output=True, text=True,
                          check=False, timeout=60, errors="replace")
    if done.returncode == 0:
        return "imported"
    isRefused = done.returncode == 1 and done.stderr.startswith("error: ")
    return "refused" if isRefused else f"{what}: exit status {done.returncode}: {done.stderr[:300]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", type=int, default=1, help="take every Nth (default: all)")
    options = parser.parse_args()
    models = list(changed_models())[::options.sample]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        answers = Counter(pool.map(lambda one: answer(*one, folder), models))
    imported, refused = answers.pop("imported", 0), answers.pop("refused", 0)
    for wrong in answers:
        print(wrong)
    print(f"{len(models)} models: {imported} imported, {refused} refused, {len(answers)} otherwise")
    return 1 if answers or min(imported, refused) < LEAST // 4 or len(models) < LEAST else 0


if __name__ == "__main__":
    sys.exit(main())
