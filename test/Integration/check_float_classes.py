# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Classes of floats, sines with cosines, and floats that become bools, in all types; sigmoids that
are denormal. Beside NumPy."""

import sys
import tempfile
from pathlib import Path

import numpy as np

import symrun
from checking import Checks

# Of a type: the least normal number, and one below it that the type holds.
LEAST = {"f16": (2.0**-14, 2.0**-20), "bf16": (2.0**-126, 2.0**-130), "f32": (2.0**-126, 2.0**-140), "f64": (2.0**-1022, 2.0**-1050)}
CLASSES = {"isinf": np.isinf, "isnan": np.isnan, "isfinite": np.isfinite}


def program(type_, wide):
    """Each function on tensors, and each in the body of an op on numbers."""
    tensor, flags, given = f"tensor<?x{type_}>", "tensor<?xi1>", f"tensor<?x{wide}>"
    narrow = f"arith.truncf %x : {given} to {tensor}" if type_ != wide else f"arith.addf %x, %minus : {tensor}"
    lines = ["%c0 = arith.constant 0 : index", f"%n = tensor.dim %x, %c0 : {given}", f"%m = arith.constant -0.0 : {type_}",
             f"%e = tensor.empty(%n) : {tensor}", f"%minus = linalg.fill ins(%m : {type_}) outs(%e : {tensor}) -> {tensor}",
             f"%v = {narrow}"]
    names, types = [], []
    for name in (*CLASSES, "isnormal"):
        lines += [f"%{name} = math.{name} %v : {tensor}", f"%flags_{name} = tensor.empty(%n) : {flags}",
                  f"%one_{name} = linalg.map ins(%v : {tensor}) outs(%flags_{name} : {flags}) (%a: {type_}, %o: i1) {{",
                  f"  %r = math.{name} %a : {type_}", "  linalg.yield %r : i1", "}"]
        names += [f"%{name}", f"%one_{name}"]
        types += [flags] * 2
    lines += [f"%sin, %cos = math.sincos %v : {tensor}", f"%size = math.absf %v : {tensor}", f"%h = arith.constant 1.0 : {type_}",
              f"%ones = linalg.fill ins(%h : {type_}) outs(%e : {tensor}) -> {tensor}", f"%cut = arith.minnumf %size, %ones : {tensor}",
              f"%true = arith.fptoui %cut : {tensor} to {flags}", f"%neg = arith.negf %cut : {tensor}",
              f"%less = arith.fptosi %neg : {tensor} to {flags}"]
    for name in ("sin", "cos"):
        lines.append(f"%w{name} = " + (f"arith.extf %{name} : {tensor} to {given}" if type_ != wide else f"arith.addf %{name}, %minus : {tensor}"))
    names += ["%true", "%less", "%wsin", "%wcos"]
    types += [flags] * 2 + [given] * 2
    body = "\n  ".join(lines)
    return f"func.func @main(%x: {given}) -> ({', '.join(types)}) {{\n  {body}\n  return {', '.join(names)} : {', '.join(types)}\n}}\n"


SIGMOID = """func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = tosa.sigmoid %x : (tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
"""


def check_sigmoid(checks, path):
    x = np.array([0, -0.0, 1, -1, 20, -20, -87, -89, -95, -100, -103, -104, -200, 100, np.inf, -np.inf, np.nan], np.float32)
    path.write_text(SIGMOID)
    run = symrun.run(path, [[x], [x[:1]], [x[:0]]])
    with np.errstate(over="ignore"):
        right = 1 / (1 + np.exp(-x.astype(np.float64)))
    for (seen,), count in zip(run.results, (len(x), 1, 0), strict=True):
        unit = np.spacing(right[:count].astype(np.float32)).astype(np.float64)
        checks.that(np.all((abs(seen - right[:count]) <= 3 * unit) | (np.isnan(seen) & np.isnan(right[:count]))), "sigmoid", f"{seen} {right[:count]}")


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        check_sigmoid(checks, Path(folder) / "sigmoid.mlir")
        for type_, (least, below) in LEAST.items():
            wide = np.float64 if type_ == "f64" else np.float32
            x = np.array([0, -0.0, 1, -1, 0.5, -0.25, 3, 100, least, -least, below, -below, np.inf, -np.inf, np.nan], wide)
            path = Path(folder) / f"{type_}.mlir"
            path.write_text(program(type_, "f64" if type_ == "f64" else "f32"))
            for count in (len(x), 1, 0):
                values = x[:count]
                run = symrun.run(path, [[values]], results=12)
                if not checks.that(run.status == 0, f"{type_} of {count}", run.stderr):
                    continue
                results = run.results[0]
                normal = np.isfinite(values) & (np.abs(values) >= wide(least))
                expected = [f(values) for f in CLASSES.values()] + [normal]
                whole = np.minimum(np.nan_to_num(np.abs(values), nan=1), 1) == 1
                for name, seen, right in zip([*CLASSES, "isnormal"], zip(results[0:8:2], results[1:8:2]), expected):
                    for one in seen:
                        checks.that(np.array_equal(one, right), f"{type_} {name} of {count}", f"{one} {right}")
                for one in results[8:10]:
                    checks.that(np.array_equal(one, whole), f"{type_} to i1 of {count}", f"{one} {whole}")
                with np.errstate(invalid="ignore"):
                    near = {"f16": 2e-3, "bf16": 1e-2, "f32": 1e-6, "f64": 1e-14}[type_]
                    for one, function in zip(results[10:], (np.sin, np.cos)):
                        checks.that(np.allclose(one, function(values), rtol=near, atol=near / 8, equal_nan=True), f"{type_} sincos of {count}", str(one))
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
