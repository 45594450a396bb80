# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A 0 in the shape of a Reshape: one that is computed from extents stands for itself, one of the model copies; so
whether the extents are declared or open, and in every mode.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from onnx_file import FLOAT, INT64, model, node

COMMON = [node("Shape", "t", "s"), node("Gather", "s zero", "t0", axis=0), node("Gather", "s one", "t1", axis=0), node("Shape", "x", "xs"),
          node("Slice", "xs zero one", "x0")]
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
}
CALLS = [((0, 3), (0, 4)), ((3, 0), (0, 1)), ((2, 0), (2, 1)), ((2, 3), (2, 4))]


def main():
    checked = failed = served = 0
    with tempfile.TemporaryDirectory(prefix="zeros") as folder:
        path = str(Path(folder) / "m.onnx")
        for name, (nodes, extents_of) in SHAPES.items():
            for x, t in CALLS:
                wanted = tuple(x[i] if extent is None else extent for i, extent in enumerate(extents_of(x, t)))
                fits = np.prod(wanted) == np.prod(x) and (name[0] != "x" or x[1] % 3 == 0)
                expected = "x".join(map(str, wanted)) + "xf32" if fits else "refused"
                for dims, modes in ((["a", "b"], ["always", "never"]), (x, ["always"])):
                    inputs = {"x": (FLOAT, list(dims)), "t": (FLOAT, ["c", "d"] if dims is not x else list(t))}
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
    return 1 if failed or checked != 96 or served < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
