# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How programs grow that derivatives make of `sin(x) * x`, again and again: in proportion to it.

Each factor is used twice, so that a derivative which is computed for each use anew grows as 2^n. The ops are counted
behind the first and the second derivative, and in the code that the processor gets.
"""

import re
import subprocess

LENGTHS = (10, 20, 40)
T = "tensor<?xf32>"
MAPS = "indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>], iterator_types = [\"parallel\"]"


def chain(length):
    lines = [f"func.func @main(%x: {T}) -> {T} {{", "  %c0 = arith.constant 0 : index",
             f"  %n = tensor.dim %x, %c0 : {T}", f"  %e = tensor.empty(%n) : {T}"]
    last = "%x"
    for i in range(length):
        lines += [f"  %s{i} = linalg.generic {{{MAPS}}} ins({last} : {T}) outs(%e : {T}) {{",
                  "  ^bb0(%a: f32, %b: f32):", "    %v = math.sin %a : f32", f"    linalg.yield %v : f32 }} -> {T}",
                  f"  %y{i} = linalg.mul ins(%s{i}, {last} : {T}, {T}) outs(%e : {T}) -> {T}"]
        last = f"%y{i}"
    return "\n".join([*lines, f"  return {last} : {T}", "}"])


def count(length, *passes):
    text = subprocess.run(["symshape-opt", *passes], input=chain(length), capture_output=True, text=True, check=True).stdout
    return len(re.findall(r"^ .*[a-z_]+\.[a-z_]+", text, re.M))


def main():
    derive = "--symshape-vjp=function=main"
    again = "--symshape-vjp=function=main.vjp"
    for name, passes in [("program", ()), ("first", (derive,)), ("second", (derive, again)),
                         ("code", (derive, "--symshape-cpu"))]:
        small, middle, large = (count(length, *passes) for length in LENGTHS)
        assert small > LENGTHS[0], (name, small)
        # Twice as far apart, twice as many more; the code has parts that do not depend on the length.
        assert large - middle <= 2.1 * (middle - small), (name, small, middle, large)
        print(f"{name}: {small} {middle} {large}")


if __name__ == "__main__":
    main()
