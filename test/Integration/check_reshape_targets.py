# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tensor.reshape to extents that the program is given, or computes as a tensor, against NumPy.

    check_reshape_targets.py LIBRARY

Sizes 0, 1 and odd; targets with another number of elements, or with a negative extent, are refused.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
import symshape_c
from checking import Checks

FLOOR = 190

# Arguments beside %x, and ops that make %s, of TYPE.
TARGETS = {
    "an argument": ("%s: tensor<2xTYPE>", ""),
    "a cast of an argument": ("%d: tensor<?xTYPE>", "%s = tensor.cast %d : tensor<?xTYPE> to tensor<2xTYPE>"),
    "a concat": ("%a: tensor<1xTYPE>, %b: tensor<1xTYPE>",
                 "%s = tensor.concat dim(0) %b, %a : (tensor<1xTYPE>, tensor<1xTYPE>) -> tensor<2xTYPE>"),
    "a concat of what is computed": ("%a: tensor<1xTYPE>, %b: tensor<1xTYPE>",
                                     "%b2 = arith.addi %b, %a : tensor<1xTYPE>\n%b3 = arith.subi %b2, %a : tensor<1xTYPE>\n"
                                     "%s = tensor.concat dim(0) %a, %b3 : (tensor<1xTYPE>, tensor<1xTYPE>) -> tensor<2xTYPE>"),
    "an insert": ("%a: tensor<2xTYPE>, %n: TYPE", "%c1 = arith.constant 1 : index\n%s = tensor.insert %n into %a[%c1] : tensor<2xTYPE>"),
    "a slice": ("%a: tensor<3xTYPE>", "%s = tensor.extract_slice %a[1] [2] [1] : tensor<3xTYPE> to tensor<2xTYPE>"),
    "a choice": ("%p: i1, %a: tensor<2xTYPE>, %b: tensor<2xTYPE>", "%s = arith.select %p, %a, %b : tensor<2xTYPE>"),
    "a loop": ("%a: tensor<2xTYPE>",
               "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c2 = arith.constant 2 : index\n"
               "%s = scf.for %i = %c0 to %c2 step %c1 iter_args(%t = %a) -> (tensor<2xTYPE>) {\n"
               "%u = tensor.extract %t[%c0] : tensor<2xTYPE>\n%v = tensor.extract %t[%c1] : tensor<2xTYPE>\n"
               "%w = tensor.from_elements %v, %u : tensor<2xTYPE>\nscf.yield %w : tensor<2xTYPE>\n}"),
}
# Extents of %x, and targets: those that fit, and those that do not.
CALLS = [(12, (3, 4)), (12, (12, 1)), (1, (1, 1)), (0, (0, 7)), (0, (5, 0)), (15, (5, 3)),
         (12, (3, 5)), (12, (-3, -4)), (0, (2, 3)), (1, (0, 1)), (0, (0, -1)), (6, (-1, 6))]


def inputs(name, dtype, target):
    a = np.array(target, dtype)
    return {"an argument": [a], "a cast of an argument": [a], "an insert": [np.array([a[0], 99], dtype), a[1]],
            "a slice": [np.concatenate([a[:1], a])], "a choice": [np.array(True), a, a + 1], "a loop": [a],
            "a concat": [a[1:], a[:1]], "a concat of what is computed": [a[:1], a[1:]]}[name]


def main():
    checks = Checks()
    library = symshape_c.load(sys.argv[1])
    served = refused = 0
    with tempfile.TemporaryDirectory(prefix="reshape") as folder:
        path = Path(folder) / "m.mlir"
        for type_, dtype in (("index", np.int64), ("i32", np.int32)):
            for name, (arguments, ops) in TARGETS.items():
                text = (f"func.func @main(%x: tensor<?xf32>, {arguments}) -> tensor<?x?xf32> {{\n{ops}\n"
                        "%r = tensor.reshape %x(%s) : (tensor<?xf32>, tensor<2xTYPE>) -> tensor<?x?xf32>\n"
                        "return %r : tensor<?x?xf32>\n}\n")
                path.write_text(text.replace("TYPE", type_))
                what = f"reshape to {name} of {type_}"
                try:
                    program = symshape_c.Program(path, library=library)
                except symshape_c.Error as error:
                    checks.that(False, f"{what} is compiled", str(error))
                    continue
                for extent, target in CALLS:
                    x = np.arange(extent, dtype=np.float32)
                    fits = min(target) >= 0 and np.prod(target) == extent
                    try:
                        (got,) = program(x, *inputs(name, dtype, target))
                    except symshape_c.Error as error:
                        refused += checks.that(not fits and "tensor.reshape" in str(error), f"{what}: {extent} as {target}", str(error))
                        continue
                    served += checks.that(fits and np.array_equal(got, x.reshape(target)), f"{what}: {extent} as {target}", f"{got}")
    checks.that(served + refused >= FLOOR, f"{FLOOR} calls", f"  {served} served, {refused} refused")
    print(f"{served} reshapes equal, {refused} refused")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
