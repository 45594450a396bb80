# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops of products and windows copy and allocate no buffers: what is packed is written where it is read.

Counted is what stands in loops, as soon as there are buffers and until vectors are lowered, the most of all
passes. CONTROL has a copy in a loop, so that the count is known to see one.
"""

import re
import subprocess
import sys

PRODUCT = """
func.func @main(%a: {a}, %b: {b}, %c: {c}) -> {c} {{
  %r = {op} ins(%a, %b : {a}, {b}) outs(%c : {c}) -> {c}
  return %r : {c}
}}"""
MATRIX, STACK = "tensor<?x?xf32>", "tensor<?x?x?xf32>"
PROGRAMS = {
    "matmul": PRODUCT.format(op="linalg.matmul", a=MATRIX, b=MATRIX, c=MATRIX),
    "matmul, static": PRODUCT.format(op="linalg.matmul", a="tensor<200x300xf32>", b="tensor<300x100xf32>", c="tensor<200x100xf32>"),
    "matmul, bf16": PRODUCT.format(op="linalg.matmul", a="tensor<?x?xbf16>", b="tensor<?x?xbf16>", c=MATRIX),
    "batch_matmul": PRODUCT.format(op="linalg.batch_matmul", a=STACK, b=STACK, c=STACK),
    "conv": PRODUCT.format(op="linalg.conv_2d_nhwc_hwcf", a="tensor<?x?x?x?xf32>", b="tensor<3x3x16x32xf32>", c="tensor<?x?x?x32xf32>"),
}
CONTROL = """
func.func @main(%x: tensor<?xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> f32 {
    %y = tensor.insert %zero into %x[%i] : tensor<?xf32>
    %v = tensor.extract %y[%c0] : tensor<?xf32>
    %w = tensor.extract %x[%c0] : tensor<?xf32>
    %t = arith.addf %v, %w : f32
    %u = arith.addf %s, %t : f32
    scf.yield %u : f32
  }
  return %r : f32
}"""
LOOP = re.compile(r"(scf\.(for|forall|while|parallel)|affine\.for)\b.*\{$")
COUNTED = re.compile(r"memref\.copy |linalg\.copy |memref\.alloca?\(|memref\.alloca? ")


def count(text):
    """What is counted in loops of one state of the program."""
    found, loops = 0, []
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip())
        while loops and indent <= loops[-1]:
            loops.pop()
        found += bool(loops and COUNTED.search(line))
        if LOOP.search(line):
            loops.append(indent)
    return found


def most(program):
    done = subprocess.run(["symshape-opt", "-", "--symshape-cpu", "--mlir-print-ir-after=symshape-canonicalize", "--mlir-disable-threading"],
                          input=program, check=True, capture_output=True, text=True)
    states = done.stderr.split("// -----// IR Dump")[1:]
    assert len(states) > 5, "expected the program after each pass"
    return max(map(count, states))


def main():
    found = {name: most(program) for name, program in PROGRAMS.items()}
    control = most(CONTROL)
    for name, number in found.items():
        print(f"{name}: {number} in loops")
    print(f"{len(found)} programs, {sum(found.values())} copies in loops, {'some' if control else 'none'} in the control")


if __name__ == "__main__":
    sys.exit(main())
