# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs with random versions, on random shapes of a small grid.

    check_random_versions.py LIBRARY PROGRAMS [SEED]

Each program has branches on dims, loops that may not run, and calls. An
interpreter here runs each op with NumPy and looks at the shapes itself. A call is
served exactly if it is valid there, with the same results; the version that
serves it is one whose condition holds, and the default only where none does. An
invalid op whose result nobody uses may be refused, or be gone.
"""

import random
import sys
import tempfile
from pathlib import Path

import numpy as np

import symrun
import symshape_c
from checking import Checks

SYMBOLS = ["M", "N", "P", "K"]
SHAPES = {"%a": ["M", "N"], "%b": ["N", "P"], "%c": ["M", "N"], "%v": ["K"], "%w": ["K"]}
EXTENTS = [0, 1, 2, 3, 4]
CALLS = 60
MATRIX, VECTOR = "tensor<?x?xf32>", "tensor<?xf32>"


class Invalid(Exception):
    """An op cannot run on its operands."""


def need(condition):
    if not condition:
        raise Invalid


class Values(dict):
    """The values of a program, computed when they are asked for."""

    def __init__(self, inputs, steps):
        super().__init__(inputs)
        self.functions = dict(steps)

    def __missing__(self, name):
        value = self.functions[name](self)
        self[name] = value
        return value


class Program:
    """Text and interpreter, grown together: `steps` are (result, function of the values)."""

    def __init__(self, rng):
        self.rng = rng
        self.count = 0
        self.lines = []
        self.steps = []
        self.ranks = {name: len(dims) for name, dims in SHAPES.items()}

    def fresh(self):
        self.count += 1
        return f"%x{self.count}"

    def pick(self, rank):
        return self.rng.choice([name for name, r in self.ranks.items() if r == rank])

    def add(self, rank, lines, function):
        result = self.fresh()
        self.lines += [line.replace("%RESULT", result) for line in lines]
        self.steps.append((result, function))
        self.ranks[result] = rank
        return result

    @staticmethod
    def sum_text(result, x, y, type_):
        return f"{result} = linalg.add ins({x}, {y} : {type_}, {type_}) outs({x} : {type_}) -> {type_}"

    def op_add(self):
        rank = self.rng.choice([1, 2])
        x, y = self.pick(rank), self.pick(rank)

        def run(values):
            need(values[x].shape == values[y].shape)
            return values[x] + values[y]

        self.add(rank, [self.sum_text("%RESULT", x, y, MATRIX if rank == 2 else VECTOR)], run)

    def op_call(self):
        x, y = self.pick(1), self.pick(1)

        def run(values):
            need(values[x].shape == values[y].shape)
            return values[x] * values[y]

        self.add(1, [f"%RESULT = call @product({x}, {y}) : ({VECTOR}, {VECTOR}) -> {VECTOR}"], run)

    def op_matmul(self):
        x, y, e, z, m, n = self.pick(2), self.pick(2), *(self.fresh() for _ in range(4))

        def run(values):
            need(values[x].shape[1] == values[y].shape[0])
            return values[x] @ values[y]

        self.add(2, [f"{m} = tensor.dim {x}, %c0 : {MATRIX}", f"{n} = tensor.dim {y}, %c1 : {MATRIX}",
                     f"{e} = tensor.empty({m}, {n}) : {MATRIX}",
                     f"{z} = linalg.fill ins(%zero : f32) outs({e} : {MATRIX}) -> {MATRIX}",
                     f"%RESULT = linalg.matmul ins({x}, {y} : {MATRIX}, {MATRIX}) outs({z} : {MATRIX}) -> {MATRIX}"], run)

    def op_flatten(self):
        x = self.pick(2)
        self.add(1, [f"%RESULT = tensor.collapse_shape {x} [[0, 1]] : {MATRIX} into {VECTOR}"],
                 lambda values: values[x].reshape(-1))

    def op_slice(self):
        x, s, size = self.pick(1), self.fresh(), self.rng.choice([1, 2, 3])

        def run(values):
            need(size <= len(values[x]))
            return values[x][:size]

        self.add(1, [f"{s} = tensor.extract_slice {x}[0] [{size}] [1] : {VECTOR} to tensor<{size}xf32>",
                     f"%RESULT = tensor.cast {s} : tensor<{size}xf32> to {VECTOR}"], run)

    def op_if(self):
        x, y, z = self.pick(1), self.pick(1), self.pick(1)
        of, limit, d, k, test, t = self.pick(1), self.rng.choice(EXTENTS), *(self.fresh() for _ in range(4))

        def run(values):
            if len(values[of]) > limit:
                return values[z]
            need(values[x].shape == values[y].shape)
            return values[x] + values[y]

        self.add(1, [f"{d} = tensor.dim {of}, %c0 : {VECTOR}", f"{k} = arith.constant {limit} : index",
                     f"{test} = arith.cmpi ule, {d}, {k} : index",
                     f"%RESULT = scf.if {test} -> {VECTOR} {{", "  " + self.sum_text(t, x, y, VECTOR),
                     f"  scf.yield {t} : {VECTOR}", "} else {", f"  scf.yield {z} : {VECTOR}", "}"], run)

    def op_for(self):
        x, y, of = self.pick(1), self.pick(1), self.pick(2)
        d, acc, i, t = (self.fresh() for _ in range(4))

        def run(values):
            result = values[x]
            for _ in range(values[of].shape[0]):
                need(result.shape == values[y].shape)
                result = result + values[y]
            return result

        self.add(1, [f"{d} = tensor.dim {of}, %c0 : {MATRIX}",
                     f"%RESULT = scf.for {i} = %c0 to {d} step %c1 iter_args({acc} = {x}) -> {VECTOR} {{",
                     "  " + self.sum_text(t, acc, y, VECTOR), f"  scf.yield {t} : {VECTOR}", "}"], run)

    def grow(self, length):
        ops = [self.op_add, self.op_call, self.op_matmul, self.op_flatten, self.op_slice, self.op_if, self.op_for]
        for _ in range(length):
            self.rng.choice(ops)()

    def run(self, inputs):
        """The result, and whether each op was valid; raises where one that counts is not."""
        values, strict = Values(inputs, self.steps), True
        for name, _ in self.steps:
            try:
                values[name]
            except Invalid:
                strict = False
        return Values(inputs, self.steps)[self.steps[-1][0]], strict

    def text(self, versions):
        arguments = ", ".join(
            f"{name}: {MATRIX if len(dims) == 2 else VECTOR} {{symshape.shape = #symshape.shape<[{', '.join(dims)}]>}}"
            for name, dims in SHAPES.items())
        last = self.steps[-1][0]
        type_ = MATRIX if self.ranks[last] == 2 else VECTOR
        declared = ", ".join('#symshape.version<"{}", [{}]>'.format(
            name, ", ".join(f'"{part}"' for part, _ in parts)) for name, parts in versions)
        body = "\n".join("  " + line for line in self.lines)
        return f"""
func.func private @product(%x: {VECTOR}, %y: {VECTOR}) -> {VECTOR} {{
  %r = linalg.mul ins(%x, %y : {VECTOR}, {VECTOR}) outs(%x : {VECTOR}) -> {VECTOR}
  return %r : {VECTOR}
}}
func.func @main({arguments}) -> {type_} attributes {{symshape.versions = [{declared}]}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
{body}
  return {last} : {type_}
}}
"""


def random_condition(rng):
    """A relation over dims: its text and its value."""
    s, t, n = rng.choice(SYMBOLS), rng.choice(SYMBOLS), rng.choice([1, 2, 3])
    return rng.choice([
        (f"{s} == {n}", lambda d: d[s] == n), (f"{s} <= {n}", lambda d: d[s] <= n),
        (f"{n + 1} | {s}", lambda d: d[s] % (n + 1) == 0), (f"{s} <= {t}", lambda d: d[s] <= d[t]),
        (f"2 | {s} + {t}", lambda d: (d[s] + d[t]) % 2 == 0), (f"{s} * {t} <= {n}", lambda d: d[s] * d[t] <= n),
        (f"{s} != {n}", lambda d: d[s] != n)])


def random_versions(rng):
    return [(f"v{i}", [random_condition(rng) for _ in range(rng.choice([1, 1, 2]))])
            for i in range(rng.choice([1, 2, 3, 5]))]


def random_inputs(rng, numbers):
    dims = {symbol: rng.choice(EXTENTS) for symbol in SYMBOLS}
    if rng.random() < 0.5:  # or hardly any call is valid
        dims["K"] = dims["M"] * dims["N"] if rng.random() < 0.5 else dims["M"]
        dims["N"] = dims["M"] if rng.random() < 0.5 else dims["N"]
    shapes = {name: [dims[symbol] for symbol in symbols] for name, symbols in SHAPES.items()}
    if rng.random() < 0.1:
        shapes["%c"][0] += 1  # breaks what the signature declares
    return dims, {name: numbers.uniform(-1, 1, shape).astype(np.float32) for name, shape in shapes.items()}


def check_program(checks, library, folder, seed):
    rng, numbers = random.Random(seed), np.random.default_rng(seed)
    program = Program(rng)
    program.grow(rng.choice([2, 3, 5, 8]))
    versions = random_versions(rng)
    path = folder / f"program{seed}.mlir"
    path.write_text(program.text(versions))
    what = f"seed {seed}"
    try:
        compiled = symshape_c.Program(path, library=library)
    except symshape_c.Error as error:
        # Only what no call can meet is refused before there is a call.
        checks.that("cannot lower" in str(error), f"{what}: compiles", str(error))
        for _ in range(CALLS):
            _, inputs = random_inputs(rng, numbers)
            try:
                _, strict = program.run(inputs)
                checks.that(not strict, f"{what}: refused at compilation, but valid", program.text(versions))
            except Invalid:
                pass
        return 0
    served = []
    for _ in range(CALLS):
        dims, inputs = random_inputs(rng, numbers)
        try:
            need(inputs["%a"].shape == inputs["%c"].shape)
            expected, strict = program.run(inputs)
        except Invalid:
            expected, strict = None, False
        here = f"{what} at {dims}"
        try:
            [actual] = compiled(*inputs.values())
        except symshape_c.Error as error:
            checks.that(not strict and error.status == 3, f"{here}: a valid call is refused", str(error))
            continue
        if checks.that(expected is not None, f"{here}: an invalid call is served", program.text(versions)):
            checks.close(actual, expected, 1e-4 * (1 + np.abs(expected).max(initial=0)), here)
            served.append((dims, list(inputs.values())))
    if served:
        run = symrun.run(path, [inputs for _, inputs in served], options=["--verbose"])
        checks.that(len(run.versions) == len(served), f"{what}: runs", run.stderr)
        for (dims, _), version in zip(served, run.versions):
            holding = [name for name, parts in versions if all(holds(dims) for _, holds in parts)]
            checks.that(version in holding if holding else version == "default",
                        f"{what} at {dims}: version {version}, of {holding}", program.text(versions))
    return len(served)


def main():
    library = symshape_c.load(sys.argv[1])
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        served = sum(check_program(checks, library, Path(folder), seed)
                     for seed in range(first, first + int(sys.argv[2])))
    checks.that(served > 20 * int(sys.argv[2]) // 4, "enough calls are valid", f"  {served}")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
