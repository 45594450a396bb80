# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of any number of like parts, whose cost for each part should not depend on how many there are.

`KINDS` maps a name to a function that gives the text of a program of so many parts, and `SIZES` to the numbers
that bench_growth.py tries.
"""

import json
import struct

CHAIN = (100, 1000, 10_000)
NUM_WEIGHTS, WEIGHT = 4, (3, 3, 8, 8)  # of convolutions, which take them in turn

CONSTANTS = """
  %f = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index"""
PAD = """
  %t{j} = tensor.pad %t{i} low[{low}] high[1] {{
  ^bb0(%k{i}: index):
    tensor.yield %f : f32
  }} : tensor<?xf32> to tensor<?xf32>"""
CONVOLUTION = """
  %p{i} = tensor.pad %t{i} low[0, 1, 1, 0] high[0, 1, 1, 0] {{
  ^bb0(%k{i}: index, %l{i}: index, %m{i}: index, %o{i}: index):
    tensor.yield %f : f32
  }} : tensor<?x?x?x8xf32> to tensor<?x?x?x8xf32>
  %n{i} = tensor.dim %t{i}, %c0 : tensor<?x?x?x8xf32>
  %h{i} = tensor.dim %t{i}, %c1 : tensor<?x?x?x8xf32>
  %v{i} = tensor.dim %t{i}, %c2 : tensor<?x?x?x8xf32>
  %e{i} = tensor.empty(%n{i}, %h{i}, %v{i}) : tensor<?x?x?x8xf32>
  %z{i} = linalg.fill ins(%f : f32) outs(%e{i} : tensor<?x?x?x8xf32>) -> tensor<?x?x?x8xf32>
  %t{j} = linalg.conv_2d_nhwc_hwcf ins(%p{i}, %w{s} : tensor<?x?x?x8xf32>, tensor<3x3x8x8xf32>)
      outs(%z{i} : tensor<?x?x?x8xf32>) -> tensor<?x?x?x8xf32>"""
RESHAPE = """
  %m{j} = tensor.collapse_shape %t{i} [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
  %e{j} = linalg.add ins(%m{j}, %m{j} : tensor<?xf32>, tensor<?xf32>) outs(%m{j} : tensor<?xf32>) -> tensor<?xf32>
  %t{j} = tensor.expand_shape %e{j} [[0, 1]] output_shape [%n, 4] : tensor<?xf32> into tensor<?x4xf32>"""
CONCATENATION = "\n  %t{j} = tensor.concat dim(0) %t{i}, %u : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>"
ELEMENTWISE = "\n  %t{j} = linalg.add ins(%t{i}, %u : tensor<?x?xf32>, tensor<?x?xf32>) outs(%t{i} : tensor<?x?xf32>) -> tensor<?x?xf32>"
ARGUMENT = "\n  %t{j} = linalg.add ins(%t{i}, %a{i} : tensor<?xf32>, tensor<?xf32>) outs(%t{i} : tensor<?xf32>) -> tensor<?xf32>"
SYMBOL = "\n  %r{i} = linalg.exp ins(%a{i} : tensor<?xf32>) outs(%a{i} : tensor<?xf32>) -> tensor<?xf32>"
FUNCTION = """
func.func @f{i}(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {{
  %r = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}}"""


def chain(link, type_, arguments=""):
    """A function whose link number i makes %t(i+1) of %t(i)."""
    def make(n):
        body = "".join(link.format(i=i, j=i + 1, s=i % NUM_WEIGHTS) for i in range(n))
        return (f"func.func @main(%t0: {type_}{arguments}) -> {type_} {{{CONSTANTS}{body}\n"
                f"  return %t{n} : {type_}\n}}\n")
    return make


def arguments(n):
    types = "".join(f", %a{i}: tensor<?xf32>" for i in range(n))
    return chain(ARGUMENT, "tensor<?xf32>", types)(n)


def symbols(n):
    """Each argument has an extent of its own, and a result."""
    taken = ", ".join(f"%a{i}: tensor<?xf32>" for i in range(n))
    types, results = (", ".join(each.format(i=i) for i in range(n)) for each in ("tensor<?xf32>", "%r{i}"))
    return (f"func.func @main({taken}) -> ({types}) {{{''.join(SYMBOL.format(i=i) for i in range(n))}\n"
            f"  return {results} : {types}\n}}\n")


def write_weights(path):
    """Zeros, as safetensors."""
    size = 4 * WEIGHT[0] * WEIGHT[1] * WEIGHT[2] * WEIGHT[3]
    header = json.dumps({f"w{i}": {"dtype": "F32", "shape": WEIGHT, "data_offsets": [i * size, (i + 1) * size]}
                         for i in range(NUM_WEIGHTS)}).encode()
    path.write_bytes(struct.pack("<Q", len(header)) + header + bytes(NUM_WEIGHTS * size))


def functions(n):
    """Functions that @main calls one after another."""
    calls = "".join(f"\n  %t{i + 1} = call @f{i}(%t{i}, %u) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>" for i in range(n))
    return ("".join(FUNCTION.format(i=i) for i in range(n)).replace("func.func", "func.func private") +
            f"\nfunc.func @main(%t0: tensor<?xf32>, %u: tensor<?xf32>) -> tensor<?xf32> {{{calls}\n"
            f"  return %t{n} : tensor<?xf32>\n}}\n")


WEIGHTS = "".join(f', %w{i}: tensor<3x3x8x8xf32> {{symshape.weight = "w{i}"}}' for i in range(NUM_WEIGHTS))
KINDS = {
    "convolutions": chain(CONVOLUTION, "tensor<?x?x?x8xf32>", WEIGHTS),
    "pads": chain(PAD.replace("{low}", "1"), "tensor<?xf32>"),
    "symbolic pads": lambda n: chain(PAD.replace("{low}", "%a{i}"), "tensor<?xf32>", "".join(f", %a{i}: index" for i in range(n)))(n),
    "reshapes": chain(RESHAPE, "tensor<?x4xf32>", ", %n: index"),
    "concatenations": chain(CONCATENATION, "tensor<?xf32>", ", %u: tensor<?xf32>"),
    "elementwise": chain(ELEMENTWISE, "tensor<?x?xf32>", ", %u: tensor<?x?xf32>"),
    "symbols": symbols,
    "arguments": arguments,
    "functions": functions,
}
SIZES = {**dict.fromkeys(KINDS, CHAIN), "symbols": (100, 1000), "arguments": (50, 500), "functions": (200, 2000)}
