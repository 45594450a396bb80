# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that entries share, and that calls inside of branches, loops and each other reach with types of
their own: results, or refusals, beside NumPy, in each mode and with memory perturbed.

    check_shared_callees.py
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from checking import Checks

MODES = [[], ["--dynamic=auto"], ["--dynamic=never"], ["--compile=quick", "--threads=2"]]
T = "tensor<?x?xf32>"
SHARED = f"""
func.func private @sq(%x: {T}) -> {T} attributes {{no_inline}} {{
  %0 = arith.mulf %x, %x : {T}
  return %0 : {T}
}}
func.func private @two(%x: {T}) -> ({T}, {T}) attributes {{no_inline}} {{
  %0 = call @sq(%x) : ({T}) -> {T}
  %1 = tensor.concat dim(0) %x, %0 : ({T}, {T}) -> {T}
  return %1, %0 : {T}, {T}
}}
func.func private @square(%x: {T} {{symshape.shape = #symshape.shape<[D, D]>}}) -> {T} attributes {{no_inline}} {{
  %0 = arith.addf %x, %x : {T}
  return %0 : {T}
}}
"""
ENTRIES = SHARED + f"""
func.func @first(%x: tensor<2x?xf32>, %y: tensor<?x3xf32>) -> ({T}, {T}, {T}) {{
  %a = tensor.cast %x : tensor<2x?xf32> to {T}
  %b = tensor.cast %y : tensor<?x3xf32> to {T}
  %0:2 = call @two(%a) : ({T}) -> ({T}, {T})
  %1:2 = call @two(%b) : ({T}) -> ({T}, {T})
  %2:2 = call @two(%1#0) : ({T}) -> ({T}, {T})
  return %0#0, %1#1, %2#0 : {T}, {T}, {T}
}}
func.func @second(%x: tensor<4x3xf32>) -> (tensor<?x3xf32>, tensor<8x?xf32>) {{
  %a = tensor.cast %x : tensor<4x3xf32> to {T}
  %0:2 = call @two(%a) : ({T}) -> ({T}, {T})
  %c = tensor.cast %0#0 : {T} to tensor<8x?xf32>
  %d = tensor.cast %0#1 : {T} to tensor<?x3xf32>
  return %d, %c : tensor<?x3xf32>, tensor<8x?xf32>
}}
func.func @branch(%x: {T}, %y: tensor<3x?xf32>, %n: index) -> {T} {{
  %c2 = arith.constant 2 : index
  %p = arith.cmpi slt, %n, %c2 : index
  %r = scf.if %p -> {T} {{
    %s = tensor.cast %y : tensor<3x?xf32> to {T}
    %0 = func.call @sq(%s) : ({T}) -> {T}
    scf.yield %0 : {T}
  }} else {{
    %0:2 = func.call @two(%x) : ({T}) -> ({T}, {T})
    scf.yield %0#0 : {T}
  }}
  %q = call @sq(%r) : ({T}) -> {T}
  return %q : {T}
}}
func.func @loop(%x: tensor<2x?xf32>, %n: index) -> {T} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = tensor.cast %x : tensor<2x?xf32> to {T}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %s) -> {T} {{
    %0 = func.call @square(%a) : ({T}) -> {T}
    scf.yield %0 : {T}
  }}
  return %r : {T}
}}
func.func private @down(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = arith.cmpi sle, %n, %c0 : index
  %r = scf.if %p -> tensor<?xf32> {{
    scf.yield %x : tensor<?xf32>
  }} else {{
    %d = tensor.concat dim(0) %x, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %k = arith.subi %n, %c1 : index
    %0 = func.call @again(%d, %k) : (tensor<?xf32>, index) -> tensor<?xf32>
    scf.yield %0 : tensor<?xf32>
  }}
  return %r : tensor<?xf32>
}}
func.func @again(%x: tensor<?xf32> {{symshape.shape = #symshape.shape<[N]>}}, %n: index) -> tensor<?xf32>
    attributes {{symshape.symbols = [#symshape.symbol<"N", range = [0, 12], multiple_of = 3>]}} {{
  %y = arith.addf %x, %x : tensor<?xf32>
  %0 = call @down(%y, %n) : (tensor<?xf32>, index) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}}
"""


def array(*shape):
    return (np.arange(int(np.prod(shape)), dtype=np.float32).reshape(shape) + 1) / 8


def two(x):
    return np.concatenate([x, x * x])


def branch(x, y, n):
    return [np.square(y * y if n < 2 else two(x))]


def loop(x, n):
    return None if n > 0 and x.shape[1] != 2 else [x * np.float32(2 ** n)]


def again(x, n):
    for i in range(n + 1):
        if len(x) > 12 or len(x) % 3:
            return None
        x = x + x if i == n else np.concatenate([x + x, x + x])
    return [x]


# Per entry, what NumPy computes (None: refused), and calls.
CALLS = {
    "first": (lambda x, y: [two(x), y * y, two(two(y))],
              [(array(2, 4), array(5, 3)), (array(2, 0), array(0, 3)), (array(2, 1), array(1, 3))]),
    "second": (lambda x: [x * x, two(x)], [(array(4, 3),)]),
    "branch": (branch, [(array(2, 4), array(3, 2), 1), (array(0, 4), array(3, 0), 2), (array(5, 1), array(3, 7), -1)]),
    "loop": (loop, [(array(2, 2), 2), (array(2, 3), 0), (array(2, 0), 0), (array(2, 3), 1), (array(2, 0), 1)]),
    "again": (again, [(array(3), 2), (array(0), 3), (array(12), 0), (array(3), 3), (array(4), 0)]),
}


def run(folder, entry, calls, results, options):
    """The status, and the arrays of each call that gave them."""
    lines = []
    for i, call in enumerate(calls):
        words = []
        for j, value in enumerate(call):
            if isinstance(value, int):
                words.append(f"index={value}")
            else:
                np.save(folder / f"in{i}_{j}.npy", value)
                words.append(f"@{folder}/in{i}_{j}.npy")
        lines.append(" ".join(words))
    (folder / "calls").write_text("\n".join(lines) + "\n")
    outputs = [f"--output={folder}/out{{call}}_{j}.npy" for j in range(results)]
    done = subprocess.run(["symshape-run", folder / "m.mlir", f"--entry={entry}", f"--calls={folder}/calls", *outputs,
                           *options], capture_output=True, text=True, env={**os.environ, "MALLOC_PERTURB_": "165"})
    read = []
    for i in range(len(calls)):
        paths = [folder / f"out{i}_{j}.npy" for j in range(results)]
        read.append([np.load(path) for path in paths if path.exists()])
        for path in paths:
            path.unlink(missing_ok=True)
    return done.returncode, read, done.stderr


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="symshape") as name:
        folder = Path(name)
        (folder / "m.mlir").write_text(ENTRIES)
        for entry, (compute, calls) in CALLS.items():
            served = [call for call in calls if compute(*call) is not None]
            wanted = [compute(*call) for call in served]
            for options in MODES:
                what = f"@{entry} {options}"
                status, read, errors = run(folder, entry, served, len(wanted[0]), options)
                checks.that(status == 0, f"{what} runs", errors)
                for one, other in zip(read, wanted):
                    checks.that(len(one) == len(other), f"{what}: all results")
                    for actual, expected in zip(one, other):
                        checks.close(actual, expected, 0, what)
                for call in calls:
                    if compute(*call) is None:
                        status, _, errors = run(folder, entry, [call], len(wanted[0]), options)
                        checks.that(status == 3, f"{what} refuses {[np.shape(each) for each in call]}", errors)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
