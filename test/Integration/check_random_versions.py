# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs with random versions, on random shapes of a small grid.

    check_random_versions.py LIBRARY PROGRAMS [SEED]

Each program has branches on dims and on data, loops that may not run, calls,
asserts, and slices as long as data says. An interpreter here runs each op with
NumPy and looks at the shapes itself. A call is served exactly if each op is valid
there, with the same results; the version that serves it is the most specific one
whose condition holds (`must_precede`), and the default only where none does.
"""

import functools
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

import symrun
import symshape_c
from checking import Checks

SYMBOLS = ["M", "N", "P", "K"]
SHAPES = {"%a": ["M", "N"], "%b": ["N", "P"], "%c": ["M", "N"], "%v": ["K"], "%w": ["K"]}
EXTENTS = [0, 1, 2, 3, 4]
DATA = "%s"  # two integers, which no guard sees
CALLS = 60
MATRIX, VECTOR = "tensor<?x?xf32>", "tensor<?xf32>"


class Invalid(Exception):
    """An op cannot run on its operands."""


def need(condition):
    if not condition:
        raise Invalid


class Program:
    """Text and interpreter, grown together: `steps` are (result, function of the values)."""

    def __init__(self, rng):
        self.rng = rng
        self.count = 0
        self.lines = []
        self.steps = []
        self.scalars = []
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
            if values[of].shape[0] > limit:
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

    def op_read(self):
        """A number that is data."""
        at, n, result = self.rng.choice([0, 1]), self.fresh(), self.fresh()
        self.lines += [f"{n} = tensor.extract {DATA}[%c{at}] : tensor<2xi64>",
                       f"{result} = arith.index_cast {n} : i64 to index"]
        self.steps.append((result, lambda values: int(values[DATA][at])))
        self.scalars.append(result)

    @staticmethod
    def take_text(result, x, n):
        part = f"{result}_part"
        return [f"{part} = tensor.extract_slice {x}[0] [{n}] [1] : {VECTOR} to {VECTOR}",
                f"{result} = linalg.exp ins({part} : {VECTOR}) outs({part} : {VECTOR}) -> {VECTOR}"]

    @staticmethod
    def take(x, n):
        need(0 <= n <= len(x))
        return np.exp(x[:n])

    def op_take(self):
        x, n = self.pick(1), self.rng.choice(self.scalars)
        self.add(1, self.take_text("%RESULT", x, n), lambda values: self.take(values[x], values[n]))

    def assert_text(self, n, k):
        """An assert of a relation of two numbers, and the relation as a function of them."""
        c = self.rng.choice([0, 1, 2, 3])
        text, holds = self.rng.choice([
            (f"n <= k + {c}", lambda n, k: n <= k + c), (f"n <= {c + 2}", lambda n, k: n <= c + 2),
            (f"n != {c}", lambda n, k: n != c), (f"n >= {c - 2}", lambda n, k: n >= c - 2),
            (f"2 | n * k + {c}", lambda n, k: (n * k + c) % 2 == 0), ("0 <= n + k + 1", lambda n, k: 0 <= n + k + 1)])
        return f'symshape.assert "{text}" (n = {n}, k = {k}), "asserted"' if "k" in text else \
            f'symshape.assert "{text}" (n = {n}), "asserted"', holds

    def op_assert(self):
        x, n, d, result = self.pick(1), self.rng.choice(self.scalars), self.fresh(), self.fresh()
        line, holds = self.assert_text(n, d)
        self.lines += [f"{d} = tensor.dim {x}, %c0 : {VECTOR}", line]
        self.steps.append((result, lambda values: need(holds(values[n], len(values[x])))))

    def op_if_data(self):
        """Branches on data, each with a requirement of its own."""
        x, y, z, n = self.pick(1), self.pick(1), self.pick(1), self.rng.choice(self.scalars)
        limit, k, test, t, e = self.rng.choice(EXTENTS), *(self.fresh() for _ in range(4))

        def run(values):
            if values[n] > limit:
                return self.take(values[z], values[n])
            need(values[x].shape == values[y].shape)
            return values[x] + values[y]

        self.add(1, [f"{k} = arith.constant {limit} : index", f"{test} = arith.cmpi sle, {n}, {k} : index",
                     f"%RESULT = scf.if {test} -> {VECTOR} {{", "  " + self.sum_text(t, x, y, VECTOR),
                     f"  scf.yield {t} : {VECTOR}", "} else {", *("  " + line for line in self.take_text(e, z, n)),
                     f"  scf.yield {e} : {VECTOR}", "}"], run)

    def loop_text(self, kind, turns, start, i, acc, body, last):
        """The lines of a loop of `turns` turns that carries a vector."""
        if kind == "for":
            return [f"%RESULT = scf.for {i} = %c0 to {turns} step %c1 iter_args({acc} = {start}) -> {VECTOR} {{",
                    *("  " + line for line in body), f"  scf.yield {last} : {VECTOR}", "}"]
        j, more, was, count, after = (self.fresh() for _ in range(5))
        return [f"{count}, %RESULT = scf.while ({j} = %c0, {was} = {start}) : (index, {VECTOR}) -> (index, {VECTOR}) {{",
                f"  {more} = arith.cmpi slt, {j}, {turns} : index",
                f"  scf.condition({more}) {j}, {was} : index, {VECTOR}", "} do {", f"^bb0({i}: index, {acc}: {VECTOR}):",
                *("  " + line for line in body), f"  {after} = arith.addi {i}, %c1 : index",
                f"  scf.yield {after}, {last} : index, {VECTOR}", "}"]

    def op_loop(self):
        """A loop as long as data says, with a sum, a slice and an assert that its turns share or not."""
        x, y, z = self.pick(1), self.pick(1), self.pick(1)
        turns, n = self.rng.choice(self.scalars), self.rng.choice(self.scalars)
        i, acc, t, e, d = (self.fresh() for _ in range(5))
        of_turn, has_slice = self.rng.random() < 0.5, self.rng.random() < 0.5
        line, holds = self.assert_text(n, i if of_turn else d)
        body = [f"{d} = tensor.dim {y}, %c0 : {VECTOR}", line]
        body += self.take_text(e, z, n) if has_slice else []
        body += [self.sum_text(t, acc, e if has_slice else y, VECTOR)]

        def run(values):
            result = values[x]
            for turn in range(values[turns]):
                need(holds(values[n], turn if of_turn else len(values[y])))
                added = self.take(values[z], values[n]) if has_slice else values[y]
                need(result.shape == added.shape)
                result = result + added
            return result

        self.add(1, self.loop_text(self.rng.choice(["for", "while"]), turns, x, i, acc, body, t), run)

    def op_call_data(self):
        x, n = self.pick(1), self.rng.choice(self.scalars)

        def run(values):
            need(len(values[x]) <= 1 or values[n] <= 3)
            return self.take(values[x], values[n])

        self.add(1, [f"%RESULT = call @front({x}, {n}) : ({VECTOR}, index) -> {VECTOR}"], run)

    def grow(self, length):
        self.op_read()
        ops = [self.op_add, self.op_call, self.op_matmul, self.op_flatten, self.op_slice, self.op_if, self.op_for]
        of_data = [self.op_read, self.op_take, self.op_assert, self.op_if_data, self.op_loop, self.op_call_data]
        if self.rng.random() < 0.6:
            ops += of_data
        for _ in range(length):
            self.rng.choice(ops)()

    def result(self):
        """The last value that is a tensor."""
        return next((name for name, _ in reversed(self.steps) if name in self.ranks), "%v")

    def run(self, inputs):
        """The result; raises where an op is not valid."""
        values = dict(inputs)
        for name, function in self.steps:
            values[name] = function(values)
        return values[self.result()]

    def text(self, versions):
        arguments = ", ".join(
            f"{name}: {MATRIX if len(dims) == 2 else VECTOR} {{symshape.shape = #symshape.shape<[{', '.join(dims)}]>}}"
            for name, dims in SHAPES.items())
        last = self.result()
        type_ = MATRIX if self.ranks[last] == 2 else VECTOR
        declared = ", ".join('#symshape.version<"{}", [{}]>'.format(
            name, ", ".join(f'"{part}"' for part, _ in parts)) for name, parts in versions)
        body = "\n".join("  " + line for line in self.lines)
        return f"""
func.func private @product(%x: {VECTOR}, %y: {VECTOR}) -> {VECTOR} {{
  %r = linalg.mul ins(%x, %y : {VECTOR}, {VECTOR}) outs(%x : {VECTOR}) -> {VECTOR}
  return %r : {VECTOR}
}}
func.func private @front(%x: {VECTOR}, %n: index) -> {VECTOR} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = tensor.dim %x, %c0 : {VECTOR}
  %long = arith.cmpi sgt, %d, %c1 : index
  scf.if %long {{
    symshape.assert "n <= 3" (n = %n), "of the callee"
  }}
  {self.take_text("%r", "%x", "%n")[0]}
  {self.take_text("%r", "%x", "%n")[1]}
  return %r : {VECTOR}
}}
func.func @main({arguments}, {DATA}: tensor<2xi64>) -> {type_} attributes {{symshape.versions = [{declared}]}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
{body}
  return {last} : {type_}
}}
"""


def random_condition(rng):
    """A relation over dims: its text and its value."""
    (s, t), n = rng.sample(SYMBOLS, 2), rng.choice([1, 2, 3])
    return rng.choice([
        (f"{s} == {n}", lambda d: d[s] == n), (f"{s} <= {n}", lambda d: d[s] <= n),
        (f"{n + 1} | {s}", lambda d: d[s] % (n + 1) == 0), (f"{s} <= {t}", lambda d: d[s] <= d[t]),
        (f"2 | {s} + {t}", lambda d: (d[s] + d[t]) % 2 == 0), (f"{s} * {t} <= {n}", lambda d: d[s] * d[t] <= n),
        (f"{s} != {n}", lambda d: d[s] != n), (f"{s} == {t}", lambda d: d[s] == d[t]),
        (f"{s} + {n} <= 2 * {t}", lambda d: d[s] + n <= 2 * d[t]), (f"3 | {s} + {n}", lambda d: (d[s] + n) % 3 == 0),
        (f"{s} floordiv 2 <= {t}", lambda d: d[s] // 2 <= d[t])])


def random_versions(rng):
    """Some are narrower than one that is declared before them."""
    versions = []
    for i in range(rng.choice([1, 2, 3, 5])):
        parts = [random_condition(rng) for _ in range(rng.choice([1, 1, 2, 3]))]
        if versions and rng.random() < 0.4:
            parts = [*rng.choice(versions)[1], random_condition(rng)]
        versions.append((f"v{i}", parts))
    return versions


# Extents at which conditions are compared: further than all that they tell apart.
GRID = dict(zip(SYMBOLS, np.meshgrid(*[np.arange(17)] * len(SYMBOLS), indexing="ij", sparse=True)))


def must_precede(versions, served):
    """Pairs of versions of which the first must be chosen where both conditions hold, and why.

    What every call has to meet may make conditions equal, or one imply another. So only what `served`, extents
    of calls that were served, has a witness of is asked: a call that one condition admits and the other does not.
    """
    def admits(parts, dims):
        return all(holds(dims) for _, holds in parts)

    shape = (17,) * len(SYMBOLS)
    grids = {name: np.broadcast_to(functools.reduce(np.logical_and, (holds(GRID) for _, holds in parts)), shape)
             for name, parts in versions}
    parts_of, names = dict(versions), [name for name, _ in versions]
    differs = {(a, b) for a in names for b in names
               if any(admits(parts_of[a], d) and not admits(parts_of[b], d) for d in served)}
    found = {}
    for i, a in enumerate(names):
        for j, b in enumerate(names):
            if a != b and (b, a) in differs and not (grids[a] & ~grids[b]).any():
                found[a, b] = "more specific"
            elif i < j and (b, a) in differs and all((c, a) in differs for c in names if c != a):
                found[a, b] = "declared first"
    return found


def random_inputs(rng, numbers):
    dims = {symbol: rng.choice(EXTENTS) for symbol in SYMBOLS}
    if rng.random() < 0.5:  # or hardly any call is valid
        dims["K"] = dims["M"] * dims["N"] if rng.random() < 0.5 else dims["M"]
        dims["N"] = dims["M"] if rng.random() < 0.5 else dims["N"]
    shapes = {name: [dims[symbol] for symbol in symbols] for name, symbols in SHAPES.items()}
    if rng.random() < 0.1:
        shapes["%c"][0] += 1  # breaks what the signature declares
    inputs = {name: numbers.uniform(-1, 1, shape).astype(np.float32) for name, shape in shapes.items()}
    data = [rng.choice([*EXTENTS, *dims.values()]) if rng.random() < 0.95 else -1 for _ in range(2)]
    return dims, {**inputs, DATA: np.array(data, np.int64)}


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
                program.run(inputs)
                checks.that(False, f"{what}: refused at compilation, but valid", program.text(versions))
            except Invalid:  # as it must be
                pass
        return Counter()
    served = []
    for _ in range(CALLS):
        dims, inputs = random_inputs(rng, numbers)
        try:
            need(inputs["%a"].shape == inputs["%c"].shape)
            expected = program.run(inputs)
        except Invalid:
            expected = None
        here = f"{what} at {dims}, {inputs[DATA]}"
        try:
            [actual] = compiled(*inputs.values())
        except symshape_c.Error as error:
            checks.that(expected is None and error.status == 3, f"{here}: a valid call is refused", str(error))
            continue
        if checks.that(expected is not None, f"{here}: an invalid call is served", program.text(versions)):
            checks.close(actual, expected, 1e-4 * (1 + np.abs(expected).max(initial=0)), here)
            served.append((dims, list(inputs.values()), expected))
    counts = Counter({"calls served": len(served)})
    if served:
        run = symrun.run(path, [inputs for _, inputs, _ in served], options=["--guard-pages"])
        checks.that(len(run.versions) == len(served), f"{what}: a version serves each call", run.stderr)
        if checks.ran(run, len(served), what):
            for (dims, _, expected), [actual] in zip(served, run.results):
                checks.close(actual, expected, 1e-4 * (1 + np.abs(expected).max(initial=0)), f"{what} at {dims}")
        pairs = must_precede(versions, [dims for dims, _, _ in served])
        for (dims, _, _), version in zip(served, run.versions):
            holding = [name for name, parts in versions if all(holds(dims) for _, holds in parts)]
            here = f"{what} at {dims}: version {version}, of {holding}"
            checks.that(version in holding if holding else version == "default", here, program.text(versions))
            for (first, second), why in pairs.items():
                if first in holding and second in holding:
                    counts[f"choices of the {why}"] += 1
                    checks.that(version != second, f"{here}: {first} is {why}", program.text(versions))
    return counts


def main():
    library = symshape_c.load(sys.argv[1])
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        counts = Counter()
        for seed in range(first, first + int(sys.argv[2])):
            counts += check_program(checks, library, Path(folder), seed)
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    checks.that(counts["calls served"] > 20 * int(sys.argv[2]) // 4, "enough calls are valid", f"  {counts}")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
