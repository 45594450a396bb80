# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each rule of two operands: d/dy of d/dx is d/dx of d/dy, also at special points."""

import itertools
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import symrun

OPS = {"add": "arith.addf", "sub": "arith.subf", "mul": "arith.mulf", "div": "arith.divf",
       "maximum": "arith.maximumf", "minimum": "arith.minimumf", "maxnum": "arith.maxnumf",
       "minnum": "arith.minnumf", "pow": "math.powf", "copysign": "math.copysign"}
NUMBERS = [0.0, 1.0, -1.0, 2.0, 0.5, -3.0, 1e-310, 1e200]
POINTS = np.array(list(itertools.product(NUMBERS, NUMBERS)))
EXACT = {"add": lambda x, y: 0 * x, "sub": lambda x, y: 0 * x, "mul": lambda x, y: 1 + 0 * x,
         "div": lambda x, y: -1 / y**2, "pow": lambda x, y: x**(y - 1) * (1 + y * np.log(x))}


def has_derivatives(name, x, y):
    """Where first and second derivatives exist, and are numbers."""
    if name == "pow":
        # x^y is real on both sides of x only if x > 0. At x = y = 0 both are 0 by convention.
        return ((x > 1e-100) & (x < 1e100) & (abs(y) < 1e100)) | ((x == 0) & (y == 0)) | ((x == 0) & (y == 2))
    if name == "div":
        return (abs(y) > 1e-100) & (abs(y) < 1e100)
    return np.ones(x.shape, bool)


def program():
    size = f"tensor<{len(POINTS)}xf64>"
    functions, passes, calls, results = [], [], [], []
    for name, op in OPS.items():
        for first in (0, 1):
            function = f"{name}_{first}"
            functions.append(f"func.func private @{function}(%x: {size}, %y: {size}) -> {size} {{\n"
                             f"  %r = {op} %x, %y : {size}\n  return %r : {size}\n}}")
            passes += [f"--symshape-jvp=function={function} wrt={first}",
                       f"--symshape-jvp=function={function}.jvp wrt={1 - first} results=1"]
            calls.append(f"  %{function}:3 = call @{function}.jvp.jvp(%x, %y, %t, %t) : "
                         f"({', '.join([size] * 4)}) -> ({', '.join([size] * 3)})")
            results.append(f"%{function}#2")
    types = ", ".join([size] * len(results))
    main = (f"func.func @main(%x: {size}, %y: {size}, %t: {size}) -> ({types}) {{\n" + "\n".join(calls) +
            f"\n  return {', '.join(results)} : {types}\n}}")
    text = "\n".join(functions)
    done = subprocess.run(["symshape-opt", "-", *passes], input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout.rstrip().removesuffix("}") + main + "\n}\n", len(results)


def main():
    text, count = program()
    x, y = POINTS.T.copy()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "orders.mlir"
        path.write_text(text)
        run = symrun.run(path, [[x, y, np.ones(len(x))]], entry="main", results=count)
    if run.status:
        sys.exit(run.stderr)
    compared = failed = 0
    for number, name in enumerate(OPS):
        one, two = run.results[0][2 * number], run.results[0][2 * number + 1]
        where = has_derivatives(name, x, y)
        wanted = [one]
        if name in EXACT:
            with np.errstate(all="ignore"):
                exact = EXACT[name](x, y)
            wanted.append(np.where(x == 0, one, exact) if name == "pow" else exact)
        for other in [two, *wanted]:
            near = np.isclose(other, one, rtol=1e-12, atol=0, equal_nan=False)
            for i in np.flatnonzero(where & ~near):
                failed += 1
                print(f"{name} at {x[i]}, {y[i]}: {one[i]}, but {other[i]}")
            compared += int(where.sum())
    print(f"{compared} second derivatives, {failed} failed")
    return 1 if failed or compared < 1000 else 0


if __name__ == "__main__":
    sys.exit(main())
