# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a program keeps of its weights: nothing twice, and nothing that calls do not read.

    check_memory.py LIBRARY

The weights lie unaligned in their file, so that the library copies them. Each program is
compiled, and then loaded from the cache; results are what NumPy says both times.
"""

import json
import os
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from checking import Checks

MIB = 1 << 20
ROWS, COLUMNS = 4096, 4096
WEIGHT_MIB = 64  # far more than what a compilation leaves behind, some 15 MiB
WEIGHT = f"tensor<{ROWS}x{COLUMNS}xf32>"
X, Y = f"tensor<?x{ROWS}xf32>", f"tensor<?x{COLUMNS}xf32>"

PRODUCT = f"""
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : {X}
  %e = tensor.empty(%n) : {Y}
  %f = linalg.fill ins(%zero : f32) outs(%e : {Y}) -> {Y}
  %p = linalg.matmul ins(%x, %w : {X}, {WEIGHT}) outs(%f : {Y}) -> {Y}
"""


def function(body, results, arguments=f'%w: {WEIGHT} {{symshape.weight = "w"}}'):
    values, types = zip(*results)
    return (f"func.func @main(%x: {X}, {arguments}) -> ({', '.join(types)}) {{{body}"
            f"  return {', '.join(values)} : {', '.join(types)}\n}}\n")


SCALED = f"""
  %m = tensor.empty() : {WEIGHT}
  %s = linalg.add ins(%w, %w : {WEIGHT}, {WEIGHT}) outs(%m : {WEIGHT}) -> {WEIGHT}
"""
FLAT = f"""
  %flat = tensor.collapse_shape %w [[0, 1]] : {WEIGHT} into tensor<{ROWS * COLUMNS}xf32>
"""
TURNED = f"""
  %t = tensor.empty() : {WEIGHT}
  %k = linalg.transpose ins(%w : {WEIGHT}) outs(%t : {WEIGHT}) permutation = [1, 0]
  %q = linalg.matmul ins(%p, %k : {Y}, {WEIGHT}) outs(%f : {Y}) -> {Y}
"""
HALF = f"tensor<{ROWS}x8xf32>"
SLICED = f"""
  %h = tensor.extract_slice %w[0, 8] [{ROWS}, 8] [1, 1] : {WEIGHT} to {HALF}
"""
TWO = f'%w: {WEIGHT} {{symshape.weight = "w"}}, %v: {WEIGHT} {{symshape.weight = "w"}}'
# Name: program, what it gives, and how many arrays of the weight's size it may keep beside the first (half of one
# is never written: MALLOC_PERTURB_ alone does, so that it counts here).
PROGRAMS = {
    "product": (function(PRODUCT, [("%p", Y)]), lambda x, w: [x @ w], 0),
    "product and the weight itself": (function(PRODUCT, [("%p", Y), ("%w", WEIGHT)]), lambda x, w: [x @ w, w], 1),
    "twice the weight": (function(PRODUCT + SCALED, [("%p", Y), ("%s", WEIGHT)]), lambda x, w: [x @ w, w + w], 1.5),
    "the weight in another shape": (function(FLAT, [("%flat", f"tensor<{ROWS * COLUMNS}xf32>")]),
                                    lambda x, w: [w.reshape(-1)], 0),
    "the weight turned as well": (function(PRODUCT + TURNED, [("%q", Y)]), lambda x, w: [x @ w @ w.T], 1.5),
    "a slice as well": (function(PRODUCT + SLICED, [("%p", Y), ("%h", HALF)]), lambda x, w: [x @ w, w[:, 8:16]], 1),
    "an element as well": (function(PRODUCT + f"  %r = tensor.extract %w[%c0, %c0] : {WEIGHT}\n",
                                    [("%p", Y), ("%r", "f32")]), lambda x, w: [x @ w, w[0, 0]], 1),
    "a weight by two names": (function(PRODUCT, [("%p", Y)], TWO), lambda x, w: [x @ w], 0),
    "a product with two names": (function(
        PRODUCT + f"  %q = linalg.matmul ins(%p, %v : {Y}, {WEIGHT}) outs(%f : {Y}) -> {Y}\n", [("%q", Y)], TWO),
        lambda x, w: [x @ w @ w], 1.5),
}


def write_weights(path, array):
    """As .safetensors, whose data begins at an odd place."""
    data = array.tobytes()
    header = json.dumps({"w": {"dtype": "F32", "shape": list(array.shape), "data_offsets": [0, len(data)]}})
    header += " " * ((1 - 8 - len(header)) % 4)
    path.write_bytes(struct.pack("<Q", len(header)) + header.encode() + data)
    assert (8 + len(header)) % 4 == 1


def anonymous():
    return int(re.search(r"^RssAnon:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.M)[1]) * 1024


def child(library, folder, name):
    """In a process of its own: the bytes that the program keeps, and what it gives."""
    import symshape_c
    rng = np.random.default_rng(1)
    x = rng.integers(-2, 3, (3, ROWS)).astype(np.float32)
    # A first program takes what the library needs itself.
    symshape_c.Program(Path(folder) / "small.mlir", library=library)
    before = anonymous()
    program = symshape_c.Program(Path(folder) / f"{name}.mlir", library=library, weights=Path(folder) / "w.safetensors")
    kept = anonymous() - before
    results = [np.array(result) for result in program(x)]
    np.savez(Path(folder) / "results.npz", *results, x=x)
    print(kept)
    sys.stdout.flush()
    os._exit(0)


def main():
    if len(sys.argv) == 4:
        return child(*sys.argv[1:])
    checks = Checks()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        weight = np.random.default_rng(0).integers(-2, 3, (ROWS, COLUMNS)).astype(np.float32)
        write_weights(folder / "w.safetensors", weight)
        (folder / "small.mlir").write_text("func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                                           "  return %x : tensor<2xf32>\n}\n")
        environment = {**os.environ, "SYMSHAPE_CACHE": str(folder / "cache")}
        for program, (text, expected, more) in PROGRAMS.items():
            (folder / f"{program}.mlir").write_text(text)
            for state in "compiled", "loaded":
                done = subprocess.run([sys.executable, __file__, sys.argv[1], name, program], capture_output=True,
                                      text=True, check=False, env=environment)
                if not checks.that(done.returncode == 0, f"{program}, {state}: ran", done.stderr):
                    continue
                with np.load(folder / "results.npz") as file:
                    x = file["x"]
                    results = [file[f"arr_{i}"] for i in range(len(file.files) - 1)]
                for actual, wanted in zip(results, expected(x, weight), strict=True):
                    checks.close(actual, wanted, 0, f"{program}, {state}")  # small integers: exact
                kept = int(done.stdout) / MIB
                checks.that(kept < WEIGHT_MIB * (1.5 + more), f"{program}, {state}: at most {1.5 + more} weights",
                            f"  {kept:.0f} MiB")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
