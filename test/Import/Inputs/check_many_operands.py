# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is made of each operand of an op does not grow with the number of operands.

    check_many_operands.py FOLDER

Each operand has names of its own for its extents. Counts are the same on every machine: for each operand of many, at
most a quarter more than for each of few.
"""

import subprocess
import sys
from pathlib import Path

from onnx_file import FLOAT, model, node

MOST_GROWTH = 1.25
FEW, MANY, MOST = 30, 120, 300


def operands(op, count, **attributes):
    names = [f"x{i}" for i in range(count)]
    return model([node(op, " ".join(names), "y", **attributes)], {n: (FLOAT, [f"{n}_rows", f"{n}_columns"]) for n in names}, ["y"], {}, opset=13)


def chain(op, count):
    """Each op has the result before it and one more operand."""
    nodes = [node(op, f"y{i} x{i}", f"y{i + 1}") for i in range(count)]
    names = ["y0", *(f"x{i}" for i in range(count))]
    return model(nodes, {n: (FLOAT, [f"{n}_rows"]) for n in names}, [f"y{count}"], {}, opset=13)


MODELS = {
    "concat": lambda n: operands("Concat", n, axis=0), "concat of columns": lambda n: operands("Concat", n, axis=-1),
    "sum": lambda n: operands("Sum", n), "mean": lambda n: operands("Mean", n), "max": lambda n: operands("Max", n),
    "min": lambda n: operands("Min", n), "additions": lambda n: chain("Add", n),
}
COMPILED = ["concat", "sum"]


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command[0]} failed: {done.stderr[:4000]}")
    return done.stdout


def counts(folder, name, make):
    """For each number of operands: what is counted, by name."""
    for n in (FEW, MANY, MOST):
        path, program = folder / f"{name}-{n}.onnx".replace(" ", "-"), folder / "program.mlir"
        path.write_bytes(make(n))
        text = run("symshape-onnx", "import", str(path))
        program.write_text(text)
        said = run("symshape-onnx", "check", "--all", str(path)).splitlines()
        yield n, "ops", text.count(" = ")
        yield n, "requirements", sum(line.startswith(("valid if", "checked on the way")) for line in said)
        yield n, "words", sum(len(line.split()) for line in said)
        if n != MOST and name in COMPILED:
            yield n, "quick ops", run("symshape-opt", "--symshape-cpu=quick", str(program)).count("llvm.")


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    failures = kinds = 0
    for name, make in MODELS.items():
        found = {}
        for n, kind, count in counts(folder, name, make):
            found.setdefault(kind, []).append(count / n)
        for kind, (few, *many) in found.items():
            grows = few == 0 or max(many) > MOST_GROWTH * few
            kinds, failures = kinds + 1, failures + grows
            print(f"{name}: {few:.1f} {kind} an operand of {FEW}, then {', '.join(f'{count:.1f}' for count in many)}{', too many' * grows}")
    print(f"{len(MODELS)} models, {kinds} counts, {failures} grow")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
