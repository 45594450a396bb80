# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs on which the cost of the analysis is measured.

`python analysis_programs.py pads 400` prints a program; `programs()` lists all
of them with the time each may take. The chains are those on which upstream's
ValueBoundsOpInterface grows faster than linearly.
"""

import sys


def pads(n, symbolic=False):
    """n pads in a chain, each by a constant, or by an index argument of its own."""
    amounts = [f"%a{i}: index" for i in range(n)] if symbolic else []
    arguments = ", ".join(["%t0: tensor<?x?xf32>"] + amounts)
    yield f"func.func @pads({arguments}) -> tensor<?x?xf32> {{"
    yield "  %zero = arith.constant 0.0 : f32"
    for i in range(n):
        low = f"%a{i}" if symbolic else "1"
        yield (
            f"  %t{i + 1} = tensor.pad %t{i} low[0, {low}] high[1, 0] {{\n"
            "  ^bb0(%i: index, %j: index):\n"
            "    tensor.yield %zero : f32\n"
            "  } : tensor<?x?xf32> to tensor<?x?xf32>"
        )
    yield f"  return %t{n} : tensor<?x?xf32>"
    yield "}"


def symbolic_pads(n):
    return pads(n, symbolic=True)


def loops(n):
    """n loops, each inserting into the tensor of the one before; one equality."""
    yield "func.func @loops(%t0: tensor<?xf32>, %f: f32, %n: index) {"
    yield "  %c0 = arith.constant 0 : index"
    yield "  %c1 = arith.constant 1 : index"
    for i in range(n):
        yield (
            f"  %t{i + 1} = scf.for %i = %c0 to %n step %c1"
            f" iter_args(%t = %t{i}) -> (tensor<?xf32>) {{\n"
            "    %next = tensor.insert %f into %t[%i] : tensor<?xf32>\n"
            "    scf.yield %next : tensor<?xf32>\n"
            "  }"
        )
    yield "  %first = tensor.dim %t0, %c0 : tensor<?xf32>"
    yield f"  %last = tensor.dim %t{n}, %c0 : tensor<?xf32>"
    yield '  symshape.assert "a == b" (a = %first, b = %last), "the loops keep it"'
    yield "  return"
    yield "}"


def selects(n):
    """n selects in a chain, each between the last value and a larger one."""
    arguments = "".join(f", %t{i}: tensor<?xf32>, %c{i}: i1" for i in range(n))
    yield f"func.func @selects(%t: tensor<?xf32>{arguments}) {{"
    yield "  %zero = arith.constant 0 : index"
    yield "  %x0 = tensor.dim %t, %zero : tensor<?xf32>"
    for i in range(n):
        yield f"  %a{i} = tensor.dim %t{i}, %zero : tensor<?xf32>"
        yield f"  %s{i} = arith.addi %x{i}, %a{i} : index"
        yield f"  %x{i + 1} = arith.select %c{i}, %x{i}, %s{i} : index"
    yield f'  symshape.assert "a <= b" (a = %x0, b = %x{n}), "none is smaller"'
    yield "  return"
    yield "}"


def branches(n):
    """n branches in a chain, each yielding an index and a tensor, or larger ones."""
    arguments = "".join(f", %s{i}: tensor<?xf32>, %b{i}: i1" for i in range(n))
    yield f"func.func @branches(%t0: tensor<?xf32>{arguments}) -> tensor<?xf32> {{"
    yield "  %fill = arith.constant 0.0 : f32"
    yield "  %zero = arith.constant 0 : index"
    yield "  %x0 = tensor.dim %t0, %zero : tensor<?xf32>"
    for i in range(n):
        yield (
            f"  %x{i + 1}, %t{i + 1} = scf.if %b{i} -> (index, tensor<?xf32>) {{\n"
            f"    scf.yield %x{i}, %t{i} : index, tensor<?xf32>\n"
            "  } else {\n"
            f"    %a = tensor.dim %s{i}, %zero : tensor<?xf32>\n"
            f"    %sum = arith.addi %x{i}, %a : index\n"
            f"    %pad = tensor.pad %t{i} low[0] high[1] {{\n"
            "    ^bb0(%i: index):\n"
            "      tensor.yield %fill : f32\n"
            "    } : tensor<?xf32> to tensor<?xf32>\n"
            "    scf.yield %sum, %pad : index, tensor<?xf32>\n"
            "  }"
        )
    yield f'  symshape.assert "a <= b" (a = %x0, b = %x{n}), "none is smaller"'
    yield f"  return %t{n} : tensor<?xf32>"
    yield "}"


KINDS = {
    "pads": pads,
    "symbolic_pads": symbolic_pads,
    "loops": loops,
    "selects": selects,
    "branches": branches,
}


def programs():
    """(kind, size, seconds that the pass may take)."""
    return [
        ("pads", 400, 0.03),
        ("pads", 40_000, 1.0),
        ("symbolic_pads", 400, 0.03),
        ("symbolic_pads", 40_000, 2.0),
        ("loops", 64, 0.05),
        ("selects", 128, 0.05),
        ("branches", 48, 0.05),
    ]


def text(kind, size):
    return "\n".join(KINDS[kind](size)) + "\n"


if __name__ == "__main__":
    sys.stdout.write(text(sys.argv[1], int(sys.argv[2])))
