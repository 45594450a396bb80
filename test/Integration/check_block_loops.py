#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops made of blocks, beside NumPy.

    check_block_loops.py LIBRARY

Loops that double, that nest, that have two exits, that grow a tensor, that have two entries, and
that read a row which may not be there: for several sizes and numbers of turns, 0 among them.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
import symshape_c
from checking import Checks

LEAST = 60
COUNT = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
"""
X = "tensor<?xf64>"
PROGRAMS = {
    "doubles": f"""func.func @main(%x: {X}, %n: index) -> {X} {{{COUNT}
  cf.br ^head(%c0, %x : index, {X})
^head(%i: index, %t: {X}):
  %go = arith.cmpi slt, %i, %n : index
  cf.cond_br %go, ^body, ^exit
^body:
  %u = arith.addf %t, %t : {X}
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %u : index, {X})
^exit:
  return %t : {X}
}}""",
    "nests": f"""func.func @main(%x: {X}, %n: index) -> {X} {{{COUNT}
  cf.br ^outer(%c0, %x : index, {X})
^outer(%i: index, %t: {X}):
  %go = arith.cmpi slt, %i, %n : index
  cf.cond_br %go, ^inner(%c0, %t : index, {X}), ^exit
^inner(%k: index, %v: {X}):
  %more = arith.cmpi slt, %k, %i : index
  cf.cond_br %more, ^body, ^next
^body:
  %u = arith.addf %v, %x : {X}
  %l = arith.addi %k, %c1 : index
  cf.br ^inner(%l, %u : index, {X})
^next:
  %j = arith.addi %i, %c1 : index
  cf.br ^outer(%j, %v : index, {X})
^exit:
  return %t : {X}
}}""",
    "has two exits": f"""func.func @main(%x: {X}, %n: index) -> ({X}, index) {{{COUNT}
  %limit = arith.constant 4 : index
  cf.br ^head(%c0, %x : index, {X})
^head(%i: index, %t: {X}):
  %stop = arith.cmpi sge, %i, %limit : index
  cf.cond_br %stop, ^early, ^check
^check:
  %go = arith.cmpi slt, %i, %n : index
  cf.cond_br %go, ^body, ^exit(%t, %i : {X}, index)
^body:
  %u = arith.addf %t, %t : {X}
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %u : index, {X})
^early:
  %minus = arith.negf %t : {X}
  cf.br ^exit(%minus, %limit : {X}, index)
^exit(%r: {X}, %k: index):
  return %r, %k : {X}, index
}}""",
    "grows": f"""func.func @main(%x: {X}, %n: index) -> {X} {{{COUNT}
  cf.br ^head(%c0, %x : index, {X})
^head(%i: index, %t: {X}):
  %go = arith.cmpi slt, %i, %n : index
  cf.cond_br %go, ^body, ^exit
^body:
  %u = tensor.concat dim(0) %t, %x : ({X}, {X}) -> {X}
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %u : index, {X})
^exit:
  return %t : {X}
}}""",
    "has two entries": f"""func.func @main(%x: {X}, %n: index) -> {X} {{{COUNT}
  %c2 = arith.constant 2 : index
  %odd = arith.remui %n, %c2 : index
  %isOdd = arith.cmpi eq, %odd, %c1 : index
  cf.cond_br %isOdd, ^a(%c0, %x : index, {X}), ^b(%c0, %x : index, {X})
^a(%i: index, %t: {X}):
  %u = arith.addf %t, %t : {X}
  %j = arith.addi %i, %c1 : index
  cf.br ^b(%j, %u : index, {X})
^b(%k: index, %v: {X}):
  %go = arith.cmpi slt, %k, %n : index
  %l = arith.addi %k, %c1 : index
  cf.cond_br %go, ^a(%l, %v : index, {X}), ^exit
^exit:
  return %v : {X}
}}""",
    "sums": f"""func.func @main(%x: {X}, %n: index) -> f64 {{{COUNT}
  %zero = arith.constant 0.0 : f64
  cf.br ^head(%c0, %zero : index, f64)
^head(%i: index, %s: f64):
  %go = arith.cmpi slt, %i, %n : index
  cf.cond_br %go, ^body, ^exit
^body:
  %e = tensor.extract %x[%i] : {X}
  %u = arith.addf %s, %e : f64
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %u : index, f64)
^exit:
  return %s : f64
}}""",
}


def by_two_entries(x, n):
    k = 0
    t = x
    if n % 2:
        t, k = t + t, 1
    while k < n:
        t, k = t + t, k + 2
    return [t]


EXPECTED = {
    "doubles": lambda x, n: [x * 2**n],
    "nests": lambda x, n: [x * (1 + n * (n - 1) // 2)],
    "has two exits": lambda x, n: [x * 2**n, n] if n < 4 else [-x * 16, 4],
    "grows": lambda x, n: [np.concatenate([x] * (n + 1))],
    "has two entries": by_two_entries,
    "sums": lambda x, n: [np.float64(x[:n].sum())] if n <= len(x) else None,
}


def main():
    library, checks, compared = symshape_c.load(sys.argv[1]), Checks(), 0
    with tempfile.TemporaryDirectory(prefix="loops") as folder:
        for name, text in PROGRAMS.items():
            path = Path(folder) / "program.mlir"
            path.write_text(text, encoding="utf-8")
            program = symshape_c.Program(path, library=library)
            for size in (0, 1, 5):
                x = np.arange(size) + 0.5
                for n in (0, 1, 3, 4, 6):
                    wanted, actual = EXPECTED[name](x, n), None
                    try:
                        actual = program(x, np.array(n, np.int64))
                    except symshape_c.Error as error:
                        checks.that(wanted is None, f"{name} for {size} and {n} is refused", str(error))
                    else:
                        checks.that(wanted is not None and all(np.array_equal(a, b) for a, b in zip(wanted, actual)),
                                    f"{name} for {size} and {n}", f"{wanted}\n{actual}")
                    compared += 1
    print(f"{compared} calls compared")
    checks.that(compared >= LEAST, f"{LEAST} calls")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
