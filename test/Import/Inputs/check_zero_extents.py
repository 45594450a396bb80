# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A 0 in the shape of a Reshape: one that is computed from extents stands for itself, one of the model copies; so
whether the extents are declared or open, and in every mode. And -1 beside it.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from onnx_file import FLOAT, INT64, model, node

COMMON = [node("Shape", "t", "s"), node("Gather", "s zero", "t0", axis=0), node("Gather", "s one", "t1", axis=0), node("Shape", "x", "xs"),
          node("Slice", "xs zero one", "x0"), node("ReduceProd", "xs", "count", keepdims=1)]
CONSTANTS = {"zero": np.array([0]), "one": np.array([1]), "rest": np.array([-1]), "three": np.array([3])}
# Nodes that make the shape, and what it is of extents of x and t; None copies.
SHAPES = {
    "t0, 1": ([node("Concat", "t0 one", "shape", axis=0)], lambda x, t: (t[0], 1)),
    "1, t0*t1": ([node("Mul", "t0 t1", "p"), node("Concat", "one p", "shape", axis=0)], lambda x, t: (1, t[0] * t[1])),
    "t1-1, t0": ([node("Sub", "t1 one", "d"), node("Concat", "d t0", "shape", axis=0)], lambda x, t: (t[1] - 1, t[0])),
    "t1-1, 1": ([node("Sub", "t1 one", "d"), node("Concat", "d one", "shape", axis=0)], lambda x, t: (t[1] - 1, 1)),
    "0, 0": ([node("Concat", "zero zero", "c", axis=0), node("Cast", "c", "shape", to=INT64)], lambda x, t: (None, None)),
    "t0, 0": ([node("Concat", "t0 zero", "shape", axis=0)], lambda x, t: (t[0], None)),
    "0, t0 as int32": ([node("Concat", "zero t0", "l", axis=0), node("Cast", "l", "i", to=6), node("Cast", "i", "shape", to=INT64)],
                       lambda x, t: (None, t[0])),
    "x0, -1, 3": ([node("Concat", "x0 rest three", "shape", axis=0)], lambda x, t: (x[0], x[1] // 3, 3)),
    # What is left is that of all other sizes where these cancel; beside a 0 of another tensor it could be any number.
    "x0, -1": ([node("Concat", "x0 rest", "shape", axis=0)], lambda x, t: x),
    "x0*x1, -1": ([node("Concat", "count rest", "shape", axis=0)], lambda x, t: (x[0] * x[1], 1)),
    "t0, -1": ([node("Concat", "t0 rest", "shape", axis=0)], lambda x, t: (t[0], x[0] * x[1] // t[0]) if t[0] else None),
    "-1, t0, 1": ([node("Concat", "rest t0 one", "shape", axis=0)], lambda x, t: (x[0] * x[1] // t[0], t[0], 1) if t[0] else None),
}
CALLS = [((0, 3), (0, 4)), ((3, 0), (0, 1)), ((2, 0), (2, 1)), ((2, 3), (2, 4))]


def main():
    checked = failed = served = 0
    with tempfile.TemporaryDirectory(prefix="zeros") as folder:
        path = str(Path(folder) / "m.onnx")
        for name, (nodes, extents_of) in SHAPES.items():
            for x, t in CALLS:
                extents = extents_of(x, t)
                wanted = tuple(x[i] if extent is None else extent for i, extent in enumerate(extents or ()))
                fits = extents and np.prod(wanted) == np.prod(x) and (not name.endswith("3") or x[1] % 3 == 0)
                expected = "x".join(map(str, wanted)) + "xf32" if fits else "refused"
                for dims, modes in (("abcd", ["always", "never"]), ((*x, *t), ["always"]), ((x[0], "b", "c", t[1]), ["never"])):
                    inputs = {"x": (FLOAT, list(dims[:2])), "t": (FLOAT, list(dims[2:]))}
                    Path(path).write_bytes(model([*COMMON, *nodes, node("Reshape", "x shape", "y")], inputs, ["y"], CONSTANTS))
                    for mode in modes:
                        done = subprocess.run(["symshape-run", path, "--compile=quick", f"--dynamic={mode}", "--input=%dx%dxf32=zeros" % x,
                                               "--input=%dx%dxf32=zeros" % t], capture_output=True, text=True, check=False, timeout=60)
                        got = done.stdout.split(":")[0] if done.returncode == 0 else "refused" if "error: " in done.stderr else "no words"
                        checked, served = checked + 1, served + (got != "refused")
                        if got != expected or done.returncode not in (0, 1, 3):
                            failed += 1
                            print(f"[{name}] of {x}, {t}, {dims}, {mode}: expected {expected}, but got {got} {done.stderr[:200]}")
    print(f"{checked} reshapes, {served} served, {failed} failed")
    return 1 if failed or checked != 192 or served < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
