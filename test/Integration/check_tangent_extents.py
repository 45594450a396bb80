# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A tangent or cotangent of other extents than its value is refused, whatever the rules look at.

A function for each rule that passes on a tangent as it is, moves it, or looks at its
type alone; each called with tangents as long as their values, and with longer or
shorter ones.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import symrun

V = "tensor<?xf64>"
PREFIX = ("  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %z = arith.constant 0.0 : f64\n"
          f"  %n = tensor.dim %x, %c0 : {V}\n")
# The body, of %x; the length of the result for %x of 3.
RULES = {
    "identity": ("", "%x", 3),
    "neg": (f"  %r = arith.negf %x : {V}\n", "%r", 3),
    "sin": (f"  %r = math.sin %x : {V}\n", "%r", 3),
    "add": (f"  %r = arith.addf %x, %x : {V}\n", "%r", 3),
    "floor": (f"  %q = math.floor %x : {V}\n  %r = arith.addf %q, %x : {V}\n", "%r", 3),
    "concat": (f"  %r = tensor.concat dim(0) %x, %x : ({V}, {V}) -> {V}\n", "%r", 6),
    "cumsum": (f"  %r = symshape.cumsum %x axis 0 : {V}\n", "%r", 3),
    "reverse": (f"  %r = symshape.reverse %x axes [0] : {V}\n", "%r", 3),
    "stop": (f"  %q = symshape.stop_gradient %x : {V}\n  %r = arith.mulf %q, %x : {V}\n", "%r", 3),
    "truncate": (f"  %r = symshape.dynamic_truncate %x, %c1 axis 0 : {V} to {V}\n", "%r", 1),
    "slice": (f"  %r = tensor.extract_slice %x[1] [1] [1] : {V} to tensor<1xf64>\n"
              f"  %s = tensor.cast %r : tensor<1xf64> to {V}\n", "%s", 1),
    "pad": (f"  %r = symshape.pad %x, %z low [1] high [0] interior [0] : {V} to {V}\n", "%r", 4),
    "reshape": (f"  %r = tensor.expand_shape %x [[0, 1]] output_shape [%n, 1] : {V} into tensor<?x1xf64>\n"
                f"  %s = tensor.collapse_shape %r [[0, 1]] : tensor<?x1xf64> into {V}\n", "%s", 3),
    "branch": (f"  %p = arith.cmpi ne, %n, %c0 : index\n  %r = scf.if %p -> ({V}) {{\n    scf.yield %x : {V}\n"
               f"  }} else {{\n    %q = arith.negf %x : {V}\n    scf.yield %q : {V}\n  }}\n", "%r", 3),
    "none": (f"  %r = tensor.empty(%n) : {V}\n  %s = linalg.fill ins(%z : f64) outs(%r : {V}) -> {V}\n", "%s", 3),
}


def build():
    functions = [f"func.func @{name}(%x: {V}) -> {V} {{\n{PREFIX}{body}  return {result} : {V}\n}}"
                 for name, (body, result, _) in RULES.items()]
    passes = [f"--symshape-{kind}=function={name}" for name in RULES for kind in ("jvp", "vjp")]
    done = subprocess.run(["symshape-opt", "-", *passes], input="\n".join(functions), capture_output=True, text=True,
                          check=False)
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout


def main():
    served = refused = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rules.mlir"
        path.write_text(build())
        for number, (name, (_, _, length)) in enumerate(RULES.items()):
            for kind, right in (("jvp", 3), ("vjp", length)):
                wrong = right + 2 if number % 2 else right - 1
                run = symrun.run(path, [[np.ones(3), np.ones(right)], [np.ones(3), np.ones(wrong)]],
                                 entry=f"{name}.{kind}", results=2, options=["--compile=quick"])
                served, refused = served + len(run.results), refused + (run.status == 3)
                if run.status != 3 or len(run.results) != 1:
                    failed += 1
                    print(f"{name}.{kind}: {wrong} for {right}: status {run.status} {run.stderr[:300]}")
    print(f"{served} served, {refused} refused, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
