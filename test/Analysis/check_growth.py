# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The fact engine takes as many steps for each op of a long program as of a short one.

    check_growth.py PLUGIN

Chains and rows of one kind of op; steps are the same on every machine. Analysis and guards together may take
at most half as many again for each op of the longest as of the shortest.
"""

import os
import subprocess
import sys

MOST_GROWTH = 1.5


def chain(n, before, link, after="", arguments=""):
    """A function whose op number i makes %t(i+1) of %t(i)."""
    yield f"func.func @f(%t0: {before}{arguments}) -> {before} {{"
    yield after
    for i in range(n):
        yield link.format(i=i, j=i + 1, type=before)
    yield f"return %t{n} : {before}\n}}"


def rows(n, amounts):
    return ", ".join([""] + [f"%a{i}: {amounts}" for i in range(n)])


PAD = "%t{j} = tensor.pad %t{i} low[{low}] high[1] {{{{\n^bb0(%x: index):\ntensor.yield %f : f32\n}}}} : {{type}} to {{type}}"
ADD = "%t{j} = linalg.add ins(%t{i}, %u : {type}, {type}) outs(%t{i} : {type}) -> {type}"
KINDS = {
    "pads": lambda n: chain(n, "tensor<?xf32>", PAD.format(i="{i}", j="{j}", low="1"), "%f = arith.constant 0.0 : f32"),
    "symbolic pads": lambda n: chain(n, "tensor<?xf32>", PAD.format(i="{i}", j="{j}", low="%a{i}"), "%f = arith.constant 0.0 : f32", rows(n, "index")),
    "concatenations": lambda n: chain(n, "tensor<?xf32>", "%t{j} = tensor.concat dim(0) %t{i}, %a{i} : ({type}, {type}) -> {type}", "", rows(n, "tensor<?xf32>")),
    "elementwise": lambda n: chain(n, "tensor<?x?xf32>", ADD, "", ", %u: tensor<?x?xf32>"),
    "arguments": lambda n: chain(n, "tensor<?xf32>", ADD.replace("%u", "%a{i}"), "", rows(n, "tensor<?xf32>")),
    "reshapes": lambda n: chain(n, "tensor<?x4xf32>", "%c{j} = tensor.collapse_shape %t{i} [[0, 1]] : {type} into tensor<?xf32>\n"
                                "%t{j} = tensor.expand_shape %c{j} [[0, 1]] output_shape [%n, 4] : tensor<?xf32> into {type}", "", ", %n: index"),
    "functions": lambda n: (line.replace("@f(", f"@f{i}(") for i in range(n) for line in chain(1, "tensor<?xf32>", ADD, "", ", %u: tensor<?xf32>")),
    "symbols": lambda n: ["func.func @f(" + ", ".join(f"%a{i}: tensor<?xf32>, %b{i}: tensor<?xf32>" for i in range(n)) + ") {",
                          *(f"%r{i} = linalg.add ins(%a{i}, %b{i} : tensor<?xf32>, tensor<?xf32>) outs(%a{i} : tensor<?xf32>) -> tensor<?xf32>" for i in range(n)), "return\n}"],
}
SIZES = {"symbolic pads": (30, 120), "concatenations": (60, 250), "arguments": (100, 800), "symbols": (100, 1000)}


def steps(plugin, text):
    done = subprocess.run(["mlir-opt-22", f"--load-dialect-plugin={plugin}", f"--load-pass-plugin={plugin}", "-o", os.devnull,
                           "--pass-pipeline=builtin.module(symshape-print-costs)"], input=text, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"mlir-opt-22 failed: {done.stderr[:4000]}")
    counts = [int(line.split()[1]) for line in done.stdout.splitlines()]
    if not counts:
        sys.exit("expected the steps of each function, but got none")
    return sum(counts)


def main():
    failures = 0
    for kind, make in KINDS.items():
        short, long = SIZES.get(kind, (50, 800))
        # What a function costs at all is no part of its ops.
        before, after = ((steps(sys.argv[1], "\n".join(make(n))) - steps(sys.argv[1], "\n".join(make(1)))) / (n - 1) for n in (short, long))
        grows = after > MOST_GROWTH * max(before, 1)
        failures += grows
        print(f"{kind}: {before:.1f} steps an op of {short}, {after:.1f} of {long}{', too many' * grows}")
    print(f"{len(KINDS)} kinds, {failures} grow")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
