# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reduces programs of 400 ops with one planted mistake each.

    check_reduce.py FOLDER

The mistake takes a few ops: an extent that is one larger than it is said to be, a
slice beyond the end, a divisor that is 0. It is told by what symshape-opt prints.
What is left must print it still, hold at most 15 ops, and be made within two
minutes. Programs of open extents whose test calls them must keep what they take, and
hold at most 10 ops; so must ONNX models of one op whose calls are refused, with what
they take. A script that finds nothing interesting must make the reducer say so.
"""

import re
import subprocess
import sys
import time
from pathlib import Path

from onnx_file import FLOAT, INT64, model, node

OPS = 400
MOST = 15  # ops that may be left, func.func, return and the module among them
SECONDS = 120

# Lines of the mistake, and a part of the message that tells it. %x: tensor<?x16xf32> of B rows.
MISTAKES = {
    "concat": ("""
  %bad0 = tensor.concat dim(0) %x, %x : (tensor<?x16xf32>, tensor<?x16xf32>) -> tensor<?x16xf32>
  %bad1 = tensor.concat dim(0) %bad0, %one : (tensor<?x16xf32>, tensor<1x16xf32>) -> tensor<?x16xf32>
  %bad2 = linalg.add ins(%bad0, %bad1 : tensor<?x16xf32>, tensor<?x16xf32>) outs(%bad0 : tensor<?x16xf32>) -> tensor<?x16xf32>
""", "%bad2", "requirement can never hold: 2[*]B must equal 2[*]B [+] 1"),
    "slice": ("""
  %bad0 = tensor.extract_slice %x[0, 0] [%d, 16] [1, 1] : tensor<?x16xf32> to tensor<?x16xf32>
  %bad1 = arith.addi %d, %c1 : index
  %bad2 = tensor.extract_slice %bad0[0, 0] [%bad1, 16] [1, 1] : tensor<?x16xf32> to tensor<?x16xf32>
""", "%bad2", "requirement can never hold: "),
}

MOST_KEPT = 10  # the same where the signature stays
KEPT_OPS = 60
CALL = 'symshape-opt "$1" "--symshape-fixate=function=main shapes=\'5x16, 1x16, 2x3\'"'
# As MISTAKES; what symshape-fixate says of a call.
KEPT = {
    "concat": (MISTAKES["concat"][0], "%bad2", "2[*]B must equal 2[*]B [+] 1"),
    "slice": (MISTAKES["slice"][0], "%bad2", "must be less than extent of argument #0 dim 0"),
    "divide": ("""
  %bad0 = arith.subi %d, %d : index
  %bad1 = arith.divui %d, %bad0 : index
  %bad2 = tensor.extract_slice %x[0, 0] [%bad1, 16] [1, 1] : tensor<?x16xf32> to tensor<?x16xf32>
""", "%bad2", "0 must not be 0"),
}

# Models of which nothing is planted: nodes, inputs, a call and what is said of it.
MODELS = {
    "gemm": ([node("Gemm", "a b c", "y")],
             {"a": (FLOAT, ["M", "K"]), "b": (FLOAT, ["K", "N"]), "c": (FLOAT, ["P", "Q"])},
             "1x2xf32 2x2xf32 3x2xf32", "what is added must broadcast to the products"),
    "normalization": ([node("BatchNormalization", "x s b m v", "y")],
                      {"x": (FLOAT, ["N", "C", "L"]), **{name: (FLOAT, [name.upper()]) for name in "sbmv"}},
                      "1x1x1xf32 3xf32 3xf32 3xf32 3xf32", "extent of v dim 0 .* must equal"),
    "scatter": ([node("ScatterND", "x i u", "y")],
                {"x": (FLOAT, ["A", "B"]), "i": (INT64, ["I", "K"]), "u": (FLOAT, ["I", "W"])},
                "4x3xf32 2x1xi64 2x2xf32", "updates must have the extents of the places"),
    "sequences": ([node("ReverseSequence", "x l", "y", time_axis=1, batch_axis=0)],
                  {"x": (FLOAT, ["A", "B", "C"]), "l": (INT64, ["L"])},
                  "2x3x1xf32 3xi64", "must equal extent of x dim 0"),
}


def program(mistake, ops=OPS):
    """`ops` ops in a function and its loop, and the mistake among them."""
    lines, value, number = [], "%x", 0
    planted, bad, _ = mistake
    tensor = "tensor<?x16xf32>"
    while len(lines) < ops:
        name = f"%v{number}"
        number += 1
        if number == ops // 4:
            lines.extend(planted.strip("\n").split("\n"))
            value = bad
        if number % 7 == 3:
            lines.append(f"  {name} = tensor.extract_slice {value}[0, 0] [%d, 16] [1, 1] : {tensor} to {tensor}")
        elif number % 7 == 5:
            lines.append(f"  {name}t = tensor.empty(%d) : {tensor}")
            lines.append(f"  {name} = linalg.exp ins({value} : {tensor}) outs({name}t : {tensor}) -> {tensor}")
        elif number % 50 == 20:
            lines += [f"  {name} = scf.for %i{number} = %c0 to %d step %c1 iter_args(%a{number} = {value}) -> ({tensor}) {{",
                      f"    %w{number} = linalg.sub ins(%a{number}, {value} : {tensor}, {tensor}) outs(%a{number} : {tensor}) -> {tensor}",
                      f"    scf.yield %w{number} : {tensor}",
                      "  }"]
        else:
            lines.append(f"  {name} = linalg.add ins({value}, %x : {tensor}, {tensor}) outs(%x : {tensor}) -> {tensor}")
        value = name
    body = "\n".join(lines)
    return f"""func.func @main(%x: {tensor} {{symshape.shape = #symshape.shape<[B, 16]>, test.of_no_use}},
                %one: tensor<1x16xf32>, %other: tensor<?x?xf32>) -> ({tensor}, tensor<?x?xf32>)
    attributes {{symshape.symbols = [#symshape.symbol<"B", range = [1, 512]>]}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = tensor.dim %x, %c0 : {tensor}
{body}
  return {value}, %other : {tensor}, tensor<?x?xf32>
}}
func.func private @of_no_use(%x: tensor<?xf32>) -> tensor<?xf32> {{
  return %x : tensor<?xf32>
}}
"""


def count_ops(path):
    """Ops outside of bodies of structured ops: one a line in the text of symshape-opt."""
    printed = subprocess.run(["symshape-opt", path], capture_output=True, text=True, check=True)
    return sum(re.match(r"\s*[%a-z]", line) is not None for line in printed.stdout.splitlines())


def reduce(folder, name, text, pattern, command='symshape-opt "$1" --symshape-insert-guards'):
    source, script, result = folder / f"{name}.mlir", folder / f"{name}.sh", folder / f"{name}-small.mlir"
    source.write_text(text)
    script.write_text(f"#!/bin/sh\nif {command} 2>&1 | grep -qE '{pattern}'\n"
                      "then exit 1 # interesting\nfi\nexit 0\n")
    script.chmod(0o755)
    begin = time.monotonic()
    done = subprocess.run(["symshape-reduce", source, f"--symshape-reduce=test={script}", "-o", result],
                          capture_output=True, text=True, timeout=10 * SECONDS)
    return done.returncode, done.stderr, result, script, time.monotonic() - begin


def ranks(text):
    """Those of the tensors that the function takes, and their elements."""
    taken = re.search(r"func.func @main\((.*?)\) ?(?:->|attributes|\{\n)", text, re.S)[1]
    return [(extents.count("x"), element)
            for extents, element in re.findall(r"tensor<((?:[0-9?]+x)*)(\w+)", taken)]


def check_kept(folder, name, text, pattern, command):
    """What is left is refused in the same call still."""
    status, errors, result, script, seconds = reduce(folder, f"{name}-kept", text, pattern, command)
    assert status == 0, f"{name}: {errors[:2000]}"
    before, after, small = count_ops(folder / f"{name}-kept.mlir"), count_ops(result), result.read_text()
    print(f"{name}: {before} ops, {after} left with all arguments, {seconds:.0f} s")
    assert after <= MOST_KEPT < before, small
    assert ranks(small) == ranks(text), small
    assert subprocess.run([script, result]).returncode == 1, "what is left says something else"


def check_models(folder):
    """Reduces the programs of models whose calls are refused; how many."""
    for name, (nodes, inputs, call, pattern) in MODELS.items():
        source, imported = folder / f"{name}.onnx", folder / f"{name}.mlir"
        source.write_bytes(model(nodes, inputs, ["y"]))
        subprocess.run(["symshape-onnx", "import", source, "-o", imported], check=True)
        arguments = " ".join(f"--input={one}=zeros" for one in call.split())
        check_kept(folder, name, imported.read_text(), pattern, f'symshape-run "$1" {arguments}')
    return len(MODELS)


def main():
    folder = Path(sys.argv[1])
    for name, (_, _, pattern) in KEPT.items():
        check_kept(folder, name, program(KEPT[name], KEPT_OPS), pattern, CALL)
    reduced = len(KEPT) + check_models(folder)
    for name, mistake in MISTAKES.items():
        pattern = mistake[2]
        status, errors, result, script, seconds = reduce(folder, name, program(mistake), pattern)
        assert status == 0, f"{name}: {errors[:2000]}"
        before, after = count_ops(folder / f"{name}.mlir"), count_ops(result)
        print(f"{name}: {before} ops, {after} left, {seconds:.0f} s")
        assert before >= OPS, before
        assert after <= MOST, result.read_text()
        assert seconds <= SECONDS, seconds
        assert subprocess.run([script, result]).returncode == 1, "what is left says something else"
        small = result.read_text()
        assert not re.search(r"\b16\b|of_no_use|scf|exp", small), small
        reduced += 1
    status, errors, *_ = reduce(folder, "nothing", program(MISTAKES["concat"]), "no such message")
    assert status == 1 and "expected a program that the test finds interesting" in errors, errors
    done = subprocess.run(["symshape-reduce", folder / "concat.mlir", "--symshape-reduce=test=/no/such/program"],
                          capture_output=True, text=True)
    assert done.returncode == 1 and "expected test to be a program, but got '/no/such/program'" in done.stderr, done
    print(f"{reduced} programs reduced")


if __name__ == "__main__":
    main()
