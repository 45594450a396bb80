# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ways to compute sizes: what is known of each, and what it is, beside Python.

    check_size_forms.py LIBRARY FOLDER

Each of `size_forms.py` becomes a tensor of that size. symshape-report says its extents, which must be
expressions in those of the input, and calls give it these extents: those of Python.
"""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import symshape_c

from onnx_file import FLOAT, model, node
from size_forms import FORMS

SIZES = [(3, 4), (1, 1), (0, 5), (7, 64), (33, 2), (1000, 13)]


def check(name, library, folder):
    nodes, constants, wanted, compute = FORMS[name]
    path = folder / f"{name}.onnx"
    path.write_bytes(model([node("Shape", "x", "s"), *nodes, node("ConstantOfShape", "size", "filled"), node("Shape", "filled", "out")],
                           {"x": (FLOAT, ["N", "M"])}, ["filled", "out"], constants))
    report = subprocess.run(["symshape-report", path], capture_output=True, text=True, check=True).stdout
    seen = re.search(r"filled: \S+ *\[(.*)\]", report).group(1)
    failures = [] if seen == wanted else [f"{name}: expected extents {wanted}, but got {seen}"]
    program = symshape_c.Program(path, library=library)
    for shape in SIZES:
        expected = compute(*shape)
        if min(expected) < 0 or np.prod(expected, dtype=float) > 1e7:
            continue
        filled, out = program(np.zeros(shape, np.float32))
        if list(out) != expected or list(filled.shape) != expected:
            failures.append(f"{name} {shape}: expected {expected}, but got {list(out)}")
    return failures


def main():
    library, folder = symshape_c.load(sys.argv[1]), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    failures = [failure for name in FORMS for failure in check(name, library, folder)]
    print("\n".join(failures))
    print(f"{len(FORMS)} forms, {len(failures)} failed")
    return 1 if failures or len(FORMS) < 70 else 0


if __name__ == "__main__":
    sys.exit(main())
