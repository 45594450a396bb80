# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arithmetic on sizes that overflows its type: one verdict for each call, whether extents are declared or open, and in
every mode. Either it is refused, or the result is what integers of that type have; without an overflow it is served.
The same arithmetic on integers that a call gives always has that result.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from onnx_file import FLOAT, INT32, INT64, UINT8, model, node

WIDTHS = {INT64: 64, INT32: 32, UINT8: 8}
TYPES = {INT64: np.int64, INT32: np.int32, UINT8: np.uint8}
MOST = 2**62

#: name: steps of (op, number) from the number of rows on, an op that is a type being a cast
PROGRAMS = {
    "cast": [("Mul", 2**30), (INT32, None)],
    "product": [(INT32, None), ("Mul", 2**30)],
    "there and back": [(INT32, None), ("Mul", 2**30), ("Div", 2**30), (INT64, None)],
    "bytes": [(UINT8, None), ("Add", 254)],
    "less than nothing": [(UINT8, None), ("Sub", 1)],
    "long product": [("Mul", MOST)],
    "long product and back": [("Mul", MOST), ("Div", MOST)],
    "long sum": [("Mul", MOST), ("Add", MOST)],
    "long difference": [("Sub", 2**63 - 1), ("Sub", 1), ("Sub", 1)],
    "absolute": [("Sub", 2**63 - 1), ("Sub", 1), ("Abs", None)],
}
SIZES = (0, 1, 2, 3)


def wrap(value, kind):
    bits = WIDTHS[kind]
    value &= (1 << bits) - 1
    return value - (1 << bits) if kind != UINT8 and value >> (bits - 1) else value


def compute(steps, value):
    """The result in the types, and whether a step overflows."""
    kind, overflows = INT64, False
    for op, number in steps:
        if op in WIDTHS:
            kind, exact = op, value
        elif op == "Div":
            exact = abs(value) // number * (1 if value >= 0 else -1)
        else:
            exact = {"Mul": lambda x: x * number, "Add": lambda x: x + number, "Sub": lambda x: x - number, "Abs": abs}[op](value)
        value = wrap(exact, kind)
        overflows |= value != exact
    return value, overflows


def make(steps, first):
    nodes, kind = list(first), INT64
    for i, (op, number) in enumerate(steps):
        if op in WIDTHS:
            kind = op
            nodes.append(node("Cast", f"n{i}", f"n{i + 1}", to=op))
            continue
        operands = f"n{i}"
        if number is not None:
            nodes.append(node("Constant", "", f"k{i}", value=np.array(number, TYPES[kind])))
            operands += f" k{i}"
        nodes.append(node(op, operands, f"n{i + 1}"))
    return [*nodes, node("Identity", f"n{len(steps)}", "y")]


ROWS = [node("Shape", "x", "s"), node("Constant", "", "zero", value=np.array(0)), node("Gather", "s zero", "n0")]


def main():
    checked = failed = refused = 0
    with tempfile.TemporaryDirectory(prefix="overflow") as folder:
        path = Path(folder) / "m.onnx"
        for name, steps in PROGRAMS.items():
            for size in SIZES:
                wanted, overflows = compute(steps, size)
                verdicts = []
                for form, dims, mode in (("open", ["N"], "always"), ("open", ["N"], "never"), ("declared", [size], "always"), ("data", None, "always")):
                    inputs = {"n0": (INT64, [])} if form == "data" else {"x": (FLOAT, dims)}
                    path.write_bytes(model(make(steps, [] if form == "data" else ROWS), inputs, ["y"]))
                    given = f"i64={size}" if form == "data" else f"{size}xf32=zeros"
                    done = subprocess.run(["symshape-run", str(path), "--compile=quick", f"--dynamic={mode}", f"--input={given}"],
                                          capture_output=True, text=True, check=False, timeout=60)
                    checked += 1
                    served = done.returncode == 0
                    refused += not served
                    right = int(done.stdout.split(": ")[1]) == wanted if served else \
                        overflows and form != "data" and done.returncode in (1, 3) and "node (" in done.stderr
                    if form != "data":
                        verdicts.append(served)
                    if not right:
                        failed += 1
                        print(f"[{name}] of {size}, {form}, {mode}: expected {wanted}, but got {done.stdout}{done.stderr[:300]}")
                if len(set(verdicts)) != 1:
                    failed += 1
                    print(f"[{name}] of {size}: expected one verdict, but got {verdicts}")
    print(f"{checked} calls, {refused} refused, {failed} failed")
    return 1 if failed or checked != 160 or not 20 < refused < 80 else 0


if __name__ == "__main__":
    sys.exit(main())
