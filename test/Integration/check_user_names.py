# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs whose functions have the names that the compiler gives its own.

    check_user_names.py LIBRARY FOLDER

An entry that has a guard, two versions and a function that prepares weights calls
a chain of functions of the user, each of which adds 1; and entries have such names
themselves. What is computed, or refused, is compared with NumPy in each mode, as a
bundle, on the simulated GPU (SYMSHAPE_CUDA_LIBRARY) and from the C API.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

from bundles import execute, save
from checking import Checks
from symshape_c import Error, Program

# What a name of the entry is followed by; {0} is the entry.
NAMES = ["{0}.guard", "{0}.guard.tell", "{0}.version", "{0}.version0", "{0}.prepare", "{0}.few", "{0}.default",
         "{0}.guard_0", "{0}_0", "{0}_kernel", "packed._mlir_ciface_{0}",
         "symshape.interface", "symshape_gpu.program", "symshape_gpu.code", "malloc", "memrefCopy"]
ENTRIES = ["main", "main.guard", "main.prepare", "malloc"]
RESERVED = ["symshape.interface", "symshape_gpu.program", "packed.main", "_mlir_ciface_main"]
MODES = [[], ["--compile=quick"], ["--threads=2"], ["--dynamic=never"], ["--dynamic=auto"], ["--plan-memory=off"],
         ["--guard-pages"], ["--target=nvvm"]]
BUNDLES = ["--threads=2", "--target=nvvm"]
SERVED = [3, 0, 8]
WEIGHT = np.array([[1, 2], [2, 3], [3, 4]], np.float32)

ENTRY = """
func.func @{0}(%w: tensor<3x2xf32> {{symshape.weight = "layer.weight"}},
               %x: tensor<?x2xf32> {{symshape.shape = #symshape.shape<[N, 2]>}}) -> tensor<?x3xf32>
    attributes {{symshape.symbols = [#symshape.symbol<"N", range = [0, 8]>],
                symshape.versions = [#symshape.version<"few", ["N <= 4"]>]}} {{
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x2xf32>
  %te = tensor.empty() : tensor<2x3xf32>
  %t = linalg.transpose ins(%w : tensor<3x2xf32>) outs(%te : tensor<2x3xf32>) permutation = [1, 0]
  %e = tensor.empty(%n) : tensor<?x3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x3xf32>) -> tensor<?x3xf32>
  %v0 = linalg.matmul ins(%x, %t : tensor<?x2xf32>, tensor<2x3xf32>) outs(%f : tensor<?x3xf32>) -> tensor<?x3xf32>
{1}
  return %v{2} : tensor<?x3xf32>
}}
"""
# Memory has a name, too.
MEMORY = """memref.global "private" constant @packed._mlir_ciface_main : memref<2xf32> = dense<[5.0, 6.0]>
memref.global "private" constant @malloc : memref<2xf32> = dense<[7.0, 8.0]>
func.func @main(%i: index) -> (f32, f32) {
  %m = memref.get_global @packed._mlir_ciface_main : memref<2xf32>
  %f = memref.load %m[%i] : memref<2xf32>
  %n = memref.get_global @malloc : memref<2xf32>
  %g = memref.load %n[%i] : memref<2xf32>
  return %f, %g : f32, f32
}
"""
STEP = """func.func {1} @{0}(%x: tensor<?x3xf32>) -> tensor<?x3xf32> attributes {{no_inline}} {{
  %one = arith.constant dense<1.0> : tensor<3xf32>
  %b = linalg.broadcast ins(%one : tensor<3xf32>) outs(%x : tensor<?x3xf32>) dimensions = [0]
  %0 = arith.addf %x, %b : tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}}
"""


def program(entry, names, visibility):
    calls = "\n".join(f"  %v{i + 1} = call @{name}(%v{i}) : (tensor<?x3xf32>) -> tensor<?x3xf32>"
                      for i, name in enumerate(names))
    return ENTRY.format(entry, calls, len(names)) + "".join(STEP.format(name, visibility) for name in names)


def wanted(rows, names):
    return np.arange(2 * rows, dtype=np.float32).reshape(rows, 2) @ WEIGHT.T + np.float32(len(names))


def check_calls(checks, folder, what, command, entry, names):
    """Three calls that are served, and one that is refused."""
    for path in folder.glob("y*.npy"):
        path.unlink()
    done = execute([*command, f"--weights={folder / 'w'}", f"--calls={folder / 'calls'}", "--output=y{call}.npy"],
                   folder)
    for i, rows in enumerate(SERVED):
        path = folder / f"y{i}.npy"
        if checks.that(path.exists(), f"{what}: {rows} rows are served", done.stderr):
            checks.close(np.load(path), wanted(rows, names), 0, f"{what}: {rows} rows")
    checks.that(done.returncode == 3 and f"@{entry}: guard failed: extent of %x dim 0 (N = 9)" in done.stderr,
                f"{what}: 9 rows are refused", done.stderr)


def check_tools(checks, folder, what, path, entry, names, modes):
    for options in modes:
        options = [f"--entry={entry}", *options]
        check_calls(checks, folder, f"{what} {options}", ["symshape-run", path, *options], entry, names)
        if options[-1] in BUNDLES:
            bundle = folder / "bundle"
            shutil.rmtree(bundle, ignore_errors=True)
            save(path, bundle, options, folder)
            check_calls(checks, folder, f"{what} {options} bundle", ["symshape-bundle-run", bundle], entry, names)


def check_library(checks, folder, what, path, entry, names, library):
    for dynamic in ("always", "auto") if entry == "main" else ("never",):
        made = Program(path, library=library, entry=entry, weights=folder / "w", dynamic=dynamic)
        for rows in SERVED:
            result, = made(np.arange(2 * rows, dtype=np.float32).reshape(rows, 2))
            checks.close(result, wanted(rows, names), 0, f"{what}: C API, {dynamic}, {rows} rows")
        try:
            made(np.zeros((9, 2), np.float32))
            checks.that(False, f"{what}: C API, {dynamic}: 9 rows are refused")
        except Error as error:
            checks.that(f"@{entry}: guard failed: extent of %x dim 0 (N = 9)" in str(error), f"{what}: words", str(error))


def main():
    library, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    maker = Path(__file__).parent.parent / "Tools/symshape-run/Inputs/make_weights.py"
    subprocess.run([sys.executable, maker, folder / "w"], check=True)
    checks = Checks()
    (folder / "calls").write_text("".join(f"{rows}x2xf32=iota\n" for rows in [*SERVED, 9]))
    for entry in ENTRIES:
        names = [name for name in (each.format(entry) for each in [*NAMES, *ENTRIES]) if name != entry]
        names = list(dict.fromkeys(names))
        visibility = "public" if entry == "main.guard" else "private"
        path = folder / f"{entry}.mlir"
        path.write_text(program(entry, names, visibility))
        modes = MODES if entry == "main" else [["--threads=2"], ["--target=nvvm"]]
        check_tools(checks, folder, f"@{entry}", path, entry, names, modes)
        check_library(checks, folder, f"@{entry}", path, entry, names, library)
    path = folder / "memory.mlir"
    path.write_text(MEMORY)
    done = execute(["symshape-run", path, "--input=index=1"], folder)
    checks.that(done.stdout == "f32: 6\nf32: 8\n", "constants in memory", done.stdout + done.stderr)
    for entry in RESERVED:
        path.write_text(program(entry, [], ""))
        done = execute(["symshape-run", path, f"--entry={entry}"], folder)
        checks.that(done.returncode == 1 and f"@{entry}: the name is reserved" in done.stderr, f"@{entry}", done.stderr)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
