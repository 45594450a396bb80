# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that upstream's patterns would change, run: beside Python and NumPy.

    check_folds.py

Casts to fewer bits and back decide where is read; loops have bounds at the ends of their
type; contractions are of constants. Inputs end at an inaccessible page.
"""

import sys

import numpy as np

import onnx_file
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


ONCE = "affine_map<(i) -> (i)>"


def write_generic(name, maps, kinds, inputs, init, body, elements):
    """A generic op on tensors of `elements`; inputs and init are pairs of name and type."""
    names = ", ".join(n for n, _ in inputs), ", ".join(t for _, t in inputs)
    arguments = ", ".join([f"%a{k}: {elements}" for k in range(len(inputs))] + [f"%out: {elements}"])
    return (f"{name} = linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{kinds}]}} "
            f"ins({names[0]} : {names[1]}) outs({init[0]} : {init[1]}) {{\n  ^bb0({arguments}):\n    {body}\n  }} -> {init[1]}")


@test
def accumulated_and_repeated(runner):
    """What an op adds to (or multiplies with) its init, repeated along a new dimension."""
    for elements, dtype in (("f64", np.float64), ("i32", np.int32)):
        suffix = elements[0]
        for op, function in ((f"add{suffix}", np.add), (f"mul{suffix}", np.multiply)):
            for axis, order in ((1, "(i, j) -> (i)"), (0, "(i, j) -> (j)")):
                for rows in ("?", "3"):
                    vector, matrix = f"tensor<{rows}x{elements}>", f"tensor<{rows}x?x{elements}>" if axis else f"tensor<?x{rows}x{elements}>"
                    opened = [d for d in (["%d", "%n"] if axis else ["%n", "%d"]) if d != "%d" or rows == "?"]
                    first = write_generic("%s", [ONCE, ONCE], '"parallel"', [("%x", vector)], ("%f", vector),
                                          f"%r = arith.{op} %out, %a0 : {elements}\n    linalg.yield %r : {elements}", elements)
                    second = write_generic("%t", [f"affine_map<{order}>", "affine_map<(i, j) -> (i, j)>"], '"parallel", "parallel"',
                                           [("%s", vector)], ("%e", matrix), f"linalg.yield %a0 : {elements}", elements)
                    if op.startswith("mul"):
                        second = f"%t = linalg.broadcast ins(%s : {vector}) outs(%e : {matrix}) dimensions = [{axis}]"
                    text = f"""func.func @main(%x: {vector}, %n: index) -> {matrix} {{
  %c0 = arith.constant 0 : index
  %three = arith.constant 3{".0" if suffix == "f" else ""} : {elements}
  %d = tensor.dim %x, %c0 : {vector}
  %b = tensor.empty({"%d" if rows == "?" else ""}) : {vector}
  %f = linalg.fill ins(%three : {elements}) outs(%b : {vector}) -> {vector}
  {first}
  %e = tensor.empty({", ".join(opened)}) : {matrix}
  {second}
  return %t : {matrix}
}}
"""
                    calls = [[np.arange(r, dtype=dtype), np.int64(n)] for r, n in ((3, 4), (3, 0), (3, 1), (0, 4), (1, 3))
                             if rows == "?" or r == 3]
                    for (x, n), (seen,) in zip(calls, runner.run(text, calls, f"{op} repeated")):
                        expected = np.repeat(np.expand_dims(function(x, dtype(3)), axis), n, axis)
                        runner.checks.that(np.array_equal(seen, expected), f"{op} of {len(x)} repeated {n} times", f"  {seen.tolist()}")


@test
def left_by_loops_without_turns(runner):
    """Reductions that yield what they do not read, from an initial value that is read again."""
    for value, kept in (("%a0", True), ("%zero", True), ("%a0", False)):
        last = write_generic("%t", ["affine_map<(i, j) -> (i, j)>", "affine_map<(i, j) -> (i)>"], '"parallel", "reduction"',
                             [("%x", "tensor<?x?xi64>")], ("%f", "tensor<?xi64>"), f"linalg.yield {value} : i64", "i64")
        text = f"""func.func @main(%x: tensor<?x?xi64>) -> (tensor<?xi64>, tensor<?xi64>) {{
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %three = arith.constant 3 : i64
  %d = tensor.dim %x, %c0 : tensor<?x?xi64>
  %b = tensor.empty(%d) : tensor<?xi64>
  %f = linalg.fill ins(%three : i64) outs(%b : tensor<?xi64>) -> tensor<?xi64>
  {last}
  return %t, {"%f" if kept else "%t"} : tensor<?xi64>, tensor<?xi64>
}}
"""
        calls = [[np.arange(r * c).reshape(r, c)] for r, c in ((4, 0), (40, 0), (0, 3), (1, 1), (5, 3))]
        for (x,), (seen, init) in zip(calls, runner.run(text, calls, f"left, yields {value}", results=2)):
            expected = np.full(len(x), 3)
            if x.shape[1]:
                expected = x[:, -1] if value == "%a0" else np.zeros(len(x))
            right = np.array_equal(seen, expected) and np.array_equal(init, np.full(len(x), 3) if kept else expected)
            runner.checks.that(right, f"{value} from {x.shape}", f"  {seen.tolist()}, {init.tolist()}")


@test
def compared_with_itself(runner):
    """A tensor with itself: upstream's folder makes a constant, of an open type too."""
    ops = {f"cmpi {p},": (lambda x, p=p: np.full(x.shape, p in ("eq", "sle", "sge", "ule", "uge")), "i1")
           for p in ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")}
    ops |= {"xori": (np.zeros_like, "i32"), "subi": (np.zeros_like, "i32"), "maxsi": (np.copy, "i32"), "andi": (np.copy, "i32")}
    lines = [f"%r{k} = arith.{op} %x, %x : tensor<?xi32>" for k, op in enumerate(ops)]
    types = ", ".join(f"tensor<?x{kind}>" for _, kind in ops.values())
    body = "\n  ".join(lines)
    text = f"""func.func @main(%x: tensor<?xi32>) -> ({types}) {{
  {body}
  return {", ".join(f"%r{k}" for k in range(len(ops)))} : {types}
}}
"""
    calls = [[np.arange(n, dtype=np.int32)] for n in (0, 1, 5)]
    for (x,), results in zip(calls, runner.run(text, calls, "with itself", results=len(ops))):
        for (op, (function, _)), seen in zip(ops.items(), results):
            runner.checks.that(np.array_equal(seen, function(x)), f"{op} of {len(x)} elements", f"  {seen.tolist()}")


def chain(x, y, count):
    for _ in range(count):
        x, y = y, x - y
    return y


@test
def each_read_twice(runner):
    """Chains in which each value is read by the next two."""
    for count, kind in ((12, "?"), (80, "?"), (12, "3"), (80, "3")):
        names = ["%x", "%y"]
        lines = []
        for k in range(count):
            lines.append(f"%v{k} = arith.subi {names[-2]}, {names[-1]} : tensor<{kind}xi64>")
            names.append(f"%v{k}")
        body = "\n  ".join(lines)
        text = f"""func.func @main(%x: tensor<{kind}xi64>, %y: tensor<{kind}xi64>) -> tensor<{kind}xi64> {{
  {body}
  return {names[-1]} : tensor<{kind}xi64>
}}
"""
        calls = [[np.arange(n) - 5, np.arange(n)] for n in ((0, 1, 3, 20) if kind == "?" else (3,))]
        for (x, y), (seen,) in zip(calls, runner.run(text, calls, f"chain of {count}")):
            runner.checks.that(np.array_equal(seen, chain(x, y, count)), f"chain of {count}, {kind}", f"  {seen.tolist()}")


@test
def each_read_twice_in_onnx(runner):
    for count in (12, 40):
        names = ["x", "y"] + [f"v{k}" for k in range(count)]
        nodes = [onnx_file.node("Sub", f"{names[k]} {names[k + 1]}", names[k + 2], f"n{k}") for k in range(count)]
        runner.path = runner.path.replace(".mlir", ".onnx")
        with open(runner.path, "wb") as file:
            file.write(onnx_file.model(nodes, {"x": (7, ["N"]), "y": (7, ["N"])}, names[-1:]))
        calls = [[np.arange(n) - 5, np.arange(n)] for n in (0, 1, 20)]
        run = symrun.run(runner.path, calls)
        for (x, y), (seen,) in zip(calls, run.results if runner.checks.ran(run, len(calls), "chain of ONNX") else []):
            runner.checks.that(np.array_equal(seen, chain(x, y, count)), f"chain of {count} in ONNX", f"  {seen.tolist()}")


FLOOR = 2 * 2 * 2 * (5 + 3) + 3 * 5 + 3 * 14 + 10 + 6  # repeated, left, with itself, chains
FLOOR += (18 + 5) * len(NUMBERS) + 8 + 90 + 1  # casts, ceilings, loops, contractions, an insertion


@test
def all_were_made(runner):
    runner.checks.that(runner.checks.made >= FLOOR, f"at least {FLOOR} checks")


if __name__ == "__main__":
    sys.exit(test.run(sys.argv[1:], Runner))
