# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs whose branches and loops are not reached with sizes that would be
wrong there: nothing in them may be computed, allocated or refused.

    check_unreached.py

Each program has one kind of control flow around all bodies, which are the same in
each iteration. A call that does not reach them gives zeros; one that does gives
what stands beside the body, or fails.
"""

import subprocess
import sys
import tempfile
from itertools import zip_longest
from pathlib import Path

from checking import Checks

# Name, ops that define %r : f32, and its value for a = 6 and x = 0, 1, ..., 7.
BODIES = [
    ("empty", """
      %e = tensor.empty(%s) : tensor<?xf32>
      %f = linalg.fill ins(%one : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
      %r = tensor.extract %f[%last] : tensor<?xf32>""", 1),
    ("pad", """
      %p = tensor.pad %x low[%s] high[%s] { ^bb0(%k: index): tensor.yield %one : f32 }
        : tensor<?xf32> to tensor<?xf32>
      %r = tensor.extract %p[%last] : tensor<?xf32>""", 1),
    ("extract", """
      %r = tensor.extract %x[%a] : tensor<?xf32>""", 6),
    ("slice", """
      %p = tensor.extract_slice %x[%a] [%s] [1] : tensor<?xf32> to tensor<?xf32>
      %q = arith.addf %p, %p : tensor<?xf32>
      %r = tensor.extract %q[%last] : tensor<?xf32>""", 12),
    ("insert", """
      %p = tensor.insert_slice %ones into %x[%a] [2] [1] : tensor<2xf32> into tensor<?xf32>
      %r = tensor.extract %p[%a] : tensor<?xf32>""", 1),
    ("generate", """
      %p = tensor.generate %s { ^bb0(%k: index): tensor.yield %one : f32 } : tensor<?xf32>
      %r = tensor.extract %p[%last] : tensor<?xf32>""", 1),
    ("square", """
      %e = tensor.empty(%s, %s) : tensor<?x?xf32>
      %f = linalg.fill ins(%one : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
      %r = tensor.extract %f[%last, %last] : tensor<?x?xf32>""", 1),
    ("outer", """
      %d = tensor.dim %x, %c0 : tensor<?xf32>
      %e = tensor.empty(%d, %s) : tensor<?x?xf32>
      %p = linalg.broadcast ins(%x : tensor<?xf32>) outs(%e : tensor<?x?xf32>) dimensions = [1]
      %q = arith.addf %p, %p : tensor<?x?xf32>
      %r = tensor.extract %q[%a, %last] : tensor<?x?xf32>""", 12),
    ("cast", """
      %p = tensor.cast %x : tensor<?xf32> to tensor<8xf32>
      %q = arith.addf %p, %p : tensor<8xf32>
      %r = tensor.extract %q[%a] : tensor<8xf32>""", 12),
    ("gather", """
      %p = tensor.from_elements %a : tensor<1xindex>
      %e = tensor.empty() : tensor<1xf32>
      %q = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>],
          iterator_types = ["parallel"]} ins(%p : tensor<1xindex>) outs(%e : tensor<1xf32>) {
      ^bb0(%k: index, %o: f32):
        %z = tensor.extract %x[%k] : tensor<?xf32>
        linalg.yield %z : f32
      } -> tensor<1xf32>
      %r = tensor.extract %q[%c0] : tensor<1xf32>""", 6),
    ("sum", """
      %p = tensor.extract_slice %x[%a] [2] [1] : tensor<?xf32> to tensor<2xf32>
      %e = tensor.empty() : tensor<f32>
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
      %q = linalg.reduce { arith.addf } ins(%p : tensor<2xf32>) outs(%f : tensor<f32>) dimensions = [0]
      %r = tensor.extract %q[] : tensor<f32>""", 13),
    ("quotient", """
      %q = arith.divsi %a, %s : index
      %e = tensor.empty(%q) : tensor<?xf32>
      %f = linalg.fill ins(%one : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
      %r = tensor.extract %f[%c0] : tensor<?xf32>""", 1),
]

# Around BODY, a text that defines %r; turns at most once more than `n` says.
FLOWS = {
    "for": """
    %v = scf.for %i = %c0 to %n step %c1 iter_args(%before = %zero) -> (f32) {BODY
      scf.yield %r : f32
    }""",
    "affine": """
    %v = affine.for %i = 0 to %n iter_args(%before = %zero) -> (f32) {BODY
      affine.yield %r : f32
    }""",
    "while": """
    %v:2 = scf.while (%j = %c0, %before = %zero) : (index, f32) -> (f32, index) {
      %more = arith.cmpi slt, %j, %n : index
      scf.condition(%more) %before, %j : f32, index
    } do {
    ^bb0(%b: f32, %j: index):BODY
      %next = arith.addi %j, %c1 : index
      scf.yield %next, %r : index, f32
    }""",
    "if": """
    %v = scf.if %some -> (f32) {BODY
      scf.yield %r : f32
    } else {
      scf.yield %zero : f32
    }""",
    "if_unsigned": """
    %other = arith.cmpi uge, %c0, %n : index
    %v = scf.if %other -> (f32) {
      scf.yield %zero : f32
    } else {BODY
      scf.yield %r : f32
    }""",
    "affine_if": """
    %v = affine.if affine_set<(d0) : (d0 - 1 >= 0)>(%n) -> f32 {BODY
      affine.yield %r : f32
    } else {
      affine.yield %zero : f32
    }""",
    "switch": """
    %v = scf.index_switch %n -> f32
    case 0 {
      scf.yield %zero : f32
    }
    default {BODY
      scf.yield %r : f32
    }""",
    "if_in_for": """
    %v = scf.for %i = %c0 to %c5 step %c1 iter_args(%before = %zero) -> (f32) {
      %t = scf.if %some -> (f32) {BODY
        scf.yield %r : f32
      } else {
        scf.yield %before : f32
      }
      scf.yield %t : f32
    }""",
    "for_in_for": """
    %v = scf.for %i = %c0 to %n step %c1 iter_args(%outer = %zero) -> (f32) {
      %t = scf.for %j = %c0 to %n step %c1 iter_args(%before = %outer) -> (f32) {BODY
        scf.yield %r : f32
      }
      scf.yield %t : f32
    }""",
    "call": """
    %v = scf.if %some -> (f32) {
      %r = func.call @NAME(%a, %x, %ones) : (index, tensor<?xf32>, tensor<2xf32>) -> f32
      scf.yield %r : f32
    } else {
      scf.yield %zero : f32
    }""",
}

CONSTANTS = """
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32"""
SIZES = """
    %s = arith.subi %a, %c5 : index
    %last = arith.subi %s, %c1 : index"""


def program(flow):
    """One function with `flow` around each body, and a result for each."""
    text, names = "", [name for name, _, _ in BODIES]
    for name, body, _ in BODIES:
        around = FLOWS[flow]
        if flow == "call":
            text += (f"  func.func private @{name}(%a: index, %x: tensor<?xf32>, "
                     f"%ones: tensor<2xf32>) -> f32 {{{CONSTANTS}{SIZES}{body}\n"
                     "    return %r : f32\n  }\n")
            around = around.replace("NAME", name)
        result = "%v#0" if flow == "while" else "%v"
        text += (f"  func.func private @in_{name}(%n: index, %a: index, "
                 f"%x: tensor<?xf32>, %ones: tensor<2xf32>) -> f32 {{{CONSTANTS}{SIZES}\n"
                 f"    %some = arith.cmpi sgt, %n, %c0 : index{around.replace('BODY', body)}\n"
                 f"    return {result} : f32\n  }}\n")
    types = ", ".join(["f32"] * len(names))
    calls = "".join(f"    %{name} = call @in_{name}(%n, %a, %x, %ones) : "
                    "(index, index, tensor<?xf32>, tensor<2xf32>) -> f32\n"
                    for name in names)
    return (f"{text}  func.func @main(%n: index, %a: index, %x: tensor<?xf32>) -> "
            f"({types}) {{\n    %ones = arith.constant dense<1.0> : tensor<2xf32>\n{calls}"
            f"    return {', '.join('%' + name for name in names)} : {types}\n  }}\n")


UNREACHED = [(-900000000000000000, 4), (300000, 4), (-2**63, 4), (10**15, 4), (3, 0),
             (2**63 - 1, 5), (5, 1), (-1, 300000)]
MODES = [[], ["--plan-memory=off"], ["--guard-pages"], ["--threads=2"]]


def run(path, calls, options):
    lines = [f"index={n} index={a} {size}xf32=iota" for n, a, size in calls]
    file = path.with_suffix(".calls")
    file.write_text("\n".join(lines) + "\n")
    return subprocess.run(["symshape-run", path, f"--calls={file}", *options],
                          capture_output=True, text=True, timeout=120)


def results(done):
    lines = [line for line in done.stdout.splitlines() if line.startswith("f32: ")]
    values = [float(line.split()[1]) for line in lines]
    width = len(BODIES)
    return [values[i:i + width] for i in range(0, len(values), width)]


def main():
    checks = Checks()
    reached = [float(value) for _, _, value in BODIES]
    expected = [[0.0] * len(BODIES) for _ in UNREACHED] + [reached]
    calls = [(0, a, size) for a, size in UNREACHED] + [(1, 6, 8)]
    with tempfile.TemporaryDirectory() as folder:
        for flow in FLOWS:
            path = Path(folder) / f"{flow}.mlir"
            path.write_text(program(flow))
            for options in MODES:
                done = run(path, calls, options)
                found = results(done)
                where = f"{flow} {' '.join(options)}"
                checks.that(done.returncode == 0, where, done.stderr)
                for call, values, right in zip_longest(calls, found, expected):
                    checks.that(values == right, f"{where}: {call}", f"  {values}")
            for a, size in UNREACHED:
                done = run(path, [(1, a, size)], [])
                checks.that(done.returncode == 3, f"{flow}, reached with {a}, {size}", done.stderr)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
