# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that upstream's patterns would change, run: beside Python and NumPy.

    check_folds.py

Casts to fewer bits and back decide where is read; loops have bounds at the ends of their
type; contractions are of constants. Inputs end at an inaccessible page.
"""

import sys

import numpy as np

import symrun
from checking import Groups

test = Groups()


class Runner:
    def __init__(self, checks, folder):
        self.checks, self.path = checks, f"{folder}/program.mlir"

    def run(self, text, calls, what, results=1):
        with open(self.path, "w") as file:
            file.write(text)
        run = symrun.run(self.path, calls, results=results, options=["--guard-pages"])
        return run.results if self.checks.ran(run, len(calls), what) else []


def wrapped(value, bits, is_signed):
    value %= 2**bits
    return value - 2**bits if is_signed and value >= 2 ** (bits - 1) else value


NUMBERS = [0, 1, 44, 127, 128, 200, 255, 256, 300, 65535, 65536 + 7, 2**31 - 1, 2**31, 2**32 + 5, 2**40 + 3, 2**62 + 9,
           -1, -128, -129, -300, -(2**31), -(2**31) - 1, -(2**63), 2**63 - 1]


@test
def narrowing(runner):
    """index to fewer bits and back, clamped into a tensor, and read there."""
    lines, names, cases = [], [], []
    for bits in (8, 16, 32):
        for suffix in ("", "ui"):
            for via in ("cast", "split", "i64"):
                k, cast = len(cases), f"arith.index_cast{suffix}"
                lines.append({"cast": f"%a{k} = {cast} %n : index to i{bits}",
                              "split": f"%w{k} = arith.index_cast %n : index to i64\n"
                                       f"  %a{k} = arith.trunci %w{k} : i64 to i{bits}",
                              "i64": f"%w{k} = {cast} %n : index to i64\n"
                                     f"  %a{k} = arith.trunci %w{k} : i64 to i{bits}"}[via])
                lines.append({"cast": f"%b{k} = {cast} %a{k} : i{bits} to index",
                              "split": f"%b{k} = {cast} %a{k} : i{bits} to index",
                              "i64": f"%e{k} = arith.ext{'ui' if suffix else 'si'} %a{k} : i{bits} to i64\n"
                                     f"  %b{k} = arith.index_cast %e{k} : i64 to index"}[via])
                lines.append(f"%l{k} = arith.maxsi %b{k}, %c0 : index")
                at = f"%l{k}"
                if bits > 8:  # those of 8 bits lie in the tensor by themselves
                    lines.append(f"%m{k} = arith.minsi %l{k}, %last : index")
                    at = f"%m{k}"
                lines.append(f"%v{k} = tensor.extract %t[{at}] : tensor<256xi64>")
                names += [f"%b{k}", f"%v{k}"]
                cases.append((bits, suffix, via))
    body, types = "\n  ".join(lines), ", ".join(["index", "i64"] * len(cases))
    text = f"""func.func @main(%t: tensor<256xi64>, %n: index) -> ({types}) {{
  %c0 = arith.constant 0 : index
  %last = arith.constant 255 : index
  {body}
  return {", ".join(names)} : {types}
}}
"""
    data = np.arange(256, dtype=np.int64)
    runs = runner.run(text, [[data, np.int64(n)] for n in NUMBERS], "casts", results=len(names))
    for number, results in zip(NUMBERS, runs):
        for k, (bits, suffix, via) in enumerate(cases):
            exact = wrapped(number, bits, not suffix)
            at = min(max(exact, 0), 255)
            seen, value = int(results[2 * k]), int(results[2 * k + 1])
            runner.checks.that(seen == exact and value == at, f"{number} by i{bits}, index_cast{suffix}, {via}",
                               f"  {seen} at {value}, not {exact} at {at}")


@test
def bounds_of_loops(runner):
    """How often a loop runs whose bounds are constants of 8 bits."""
    cases = [(-128, 127, 1, ""), (-128, 127, 85, ""), (-100, 100, 100, ""), (5, 5, 1, ""), (3, -3, 1, ""), (0, 1, 1, ""),
             (0, 127, 127, ""), (-127, 127, 127, "")]
    lines = []
    for k, (low, high, step, word) in enumerate(cases):
        for name, value in (("a", low), ("b", high), ("c", step)):
            lines.append(f"%{name}{k} = arith.constant {value} : i8")
        lines.append(f"""%r{k} = scf.for {word}%i = %a{k} to %b{k} step %c{k} iter_args(%n = %zero) -> i64 : i8 {{
    %e = arith.extsi %i : i8 to i64
    %s = arith.addi %n, %e : i64
    %m = arith.addi %s, %one : i64
    scf.yield %m : i64
  }}""")
    body, types = "\n  ".join(lines), ", ".join(["i64"] * len(cases))
    text = f"""func.func @main(%t: tensor<1xi64>) -> ({types}) {{
  %zero = arith.constant 0 : i64
  %one = arith.constant 1000 : i64
  {body}
  return {", ".join(f"%r{k}" for k in range(len(cases)))} : {types}
}}
"""
    for results in runner.run(text, [[np.zeros(1, np.int64)]], "loops", results=len(cases)):
        for (low, high, step, word), seen in zip(cases, results):
            expected = sum(1000 + i for i in range(low, high, step))
            runner.checks.that(int(seen) == expected, f"{word}{low} to {high} step {step}", f"  {seen}, not {expected}")


@test
def contractions_of_constants(runner):
    """Products of splat constants, from a constant."""
    kinds = {"i8": (np.int8, np.int32, "i32"), "i32": (np.int32, np.int32, "i32"), "i64": (np.int64, np.int64, "i64"),
             "f32": (np.float32, np.float32, "f32"), "f16": (np.float16, np.float32, "f32")}
    ops = {"matmul": ("2x3", "3x2", "2x2", np.matmul), "batch_matmul": ("2x2x3", "2x3x2", "2x2x2", np.matmul),
           "matvec": ("2x3", "3", "2", np.matmul), "vecmat": ("3", "3x2", "2", np.matmul), "dot": ("3", "3", "", np.dot),
           "conv_1d": ("5", "2", "4", lambda a, b: np.convolve(a, b[::-1], "valid"))}
    lines, types, cases = [], [], []
    for op, (left, right, result, product) in ops.items():
        for kind, (dtype, wide, wide_kind) in kinds.items():
            for values in ((2, 3, 0), (0, 5, 1), (1, 1, 7)):
                k, dot = len(cases), "" if kind.startswith("i") else ".0"
                shapes = (left, right, result)
                of = [f"tensor<{s}{'x' if s else ''}{t}>" for s, t in zip(shapes, (kind, kind, wide_kind))]
                for name, value, type_ in zip("abc", values, of):
                    lines.append(f"%{name}{k} = arith.constant dense<{value}{dot}> : {type_}")
                lines.append(f"%r{k} = linalg.{op} ins(%a{k}, %b{k} : {of[0]}, {of[1]}) outs(%c{k} : {of[2]}) -> {of[2]}")
                types.append(of[2])
                a, b = (np.full(tuple(map(int, s.split("x"))), v, dtype).astype(wide) for s, v in zip(shapes[:2], values))
                cases.append((f"{op} of {values} in {kind}", product(a, b) + values[2]))
    body = "\n  ".join(lines)
    text = f"""func.func @main(%d: tensor<1xf32>) -> ({", ".join(types)}) {{
  {body}
  return {", ".join(f"%r{k}" for k in range(len(cases)))} : {", ".join(types)}
}}
"""
    for results in runner.run(text, [[np.zeros(1, np.float32)]], "contractions", results=len(cases)):
        for (what, expected), seen in zip(cases, results):
            runner.checks.that(np.array_equal(seen, expected), what, f"  {seen.tolist()}, not {expected}")


@test
def ceilings(runner):
    """Quotients of an affine map, rounded up, at the ends of the type."""
    divisors = [1, 2, 3, 8, 1000]
    body = "\n  ".join(f"%r{d} = affine.apply affine_map<(d0) -> (d0 ceildiv {d})>(%n)" for d in divisors)
    types = ", ".join(["index"] * len(divisors))
    text = f"""func.func @main(%n: index) -> ({types}) {{
  {body}
  return {", ".join(f"%r{d}" for d in divisors)} : {types}
}}
"""
    runs = runner.run(text, [[np.int64(n)] for n in NUMBERS], "ceilings", results=len(divisors))
    for number, results in zip(NUMBERS, runs):
        for d, seen in zip(divisors, results):
            runner.checks.that(int(seen) == -(-number // d), f"{number} ceildiv {d}", f"  {seen}")


@test
def stepped_insertion(runner):
    """What is padded, inserted with a step into what is filled with the padding."""
    text = """func.func @main(%t: tensor<2xf32>) -> tensor<8xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %p = tensor.pad %t low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %z : f32
  } : tensor<2xf32> to tensor<4xf32>
  %r = tensor.insert_slice %p into %f[0] [4] [2] : tensor<4xf32> into tensor<8xf32>
  return %r : tensor<8xf32>
}
"""
    for (seen,) in runner.run(text, [[np.array([5, 6], np.float32)]], "insertion"):
        runner.checks.that(seen.tolist() == [0, 0, 5, 0, 6, 0, 0, 0], "insertion", f"  {seen.tolist()}")


FLOOR = (18 + 5) * len(NUMBERS) + 8 + 90 + 1  # casts, ceilings, loops, contractions, an insertion


@test
def all_were_made(runner):
    runner.checks.that(runner.checks.made >= FLOOR, f"at least {FLOOR} checks")


if __name__ == "__main__":
    sys.exit(test.run(sys.argv[1:], Runner))
