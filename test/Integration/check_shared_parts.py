# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that have a kernel in common, with caches of their own and with one."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

PRODUCT = """func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> RESULTS {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %b, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %z = arith.constant 0.0 : f32
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%i : tensor<?x?xf32>) -> tensor<?x?xf32>
REST}
"""
PROGRAMS = {"product": ("tensor<?x?xf32>", "  return %p : tensor<?x?xf32>\n"),
            "product and square": ("(tensor<?x?xf32>, tensor<?x?xf32>)", """  %k = tensor.dim %a, %c1 : tensor<?x?xf32>
  %f = tensor.empty(%m, %k) : tensor<?x?xf32>
  %s = linalg.square ins(%a : tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %p, %s : tensor<?x?xf32>, tensor<?x?xf32>
""")}
SIZES = [(0, 3, 4), (1, 1, 1), (5, 0, 7), (37, 65, 129)]


def run(path, cache, m, k, n):
    """What is printed, and what is said."""
    done = subprocess.run(["symshape-run", path, f"--input={m}x{k}xf32=iota", f"--input={k}x{n}xf32=iota"],
                          env={**os.environ, "SYMSHAPE_CACHE": str(cache)}, capture_output=True, text=True, check=True)
    return done.stdout, done.stderr


def entries(cache):
    return sorted([*cache.glob("*.code"), *cache.glob("*.part")]) if cache.exists() else []


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        paths, alone, right = {}, {}, {}
        for name, (results, rest) in PROGRAMS.items():
            paths[name] = folder / f"{name}.mlir"
            paths[name].write_text(PRODUCT.replace("RESULTS", results).replace("REST", rest))
            for sizes in SIZES:
                right[name, sizes], said = run(paths[name], "off", *sizes)
                assert not said, said
            run(paths[name], folder / name, *SIZES[0])
            alone[name] = len(entries(folder / name))
        shared = folder / "shared"
        calls = 0
        for name in PROGRAMS:
            for sizes in SIZES:
                assert run(paths[name], shared, *sizes) == (right[name, sizes], ""), (name, sizes)
                calls += 1
        num_shared = sum(alone.values()) - len(entries(shared))
        if "avx512f" in Path("/proc/cpuinfo").read_text():  # where the kernel is long
            assert num_shared >= 1, (alone, entries(shared))
        # What was damaged is made again, the same to the byte.
        made = {path: path.read_bytes() for path in entries(shared)}
        for path, data in made.items():
            path.write_bytes(data[:-1])
        for name in PROGRAMS:
            for sizes in SIZES:
                assert run(paths[name], shared, *sizes) == (right[name, sizes], ""), (name, sizes)
                calls += 1
        assert made == {path: path.read_bytes() for path in entries(shared)}
    print(f"{num_shared} parts shared, {calls} calls equal")


if __name__ == "__main__":
    sys.exit(main())
