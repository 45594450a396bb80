# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A value per row that is read while the row is reduced, and again afterwards, beside NumPy.

    check_empty_rows.py

Rows may have no elements: along one reduced axis, along two, or there are no rows. What is
allocated is filled with a pattern, so that a value which nobody has written shows; half of the
runs have results at inaccessible pages, and half two threads.
"""

import os
import sys

import numpy as np

import symrun
from checking import Groups

test = Groups()
DTYPES = {"f16": (np.float16, 2e-2), "f32": (np.float32, 1e-5), "f64": (np.float64, 1e-12)}
# The loops of the input, and those that are reduced.
FORMS = [(2, (1,)), (2, (0,)), (3, (2,)), (3, (1, 2))]
SIZES = [2, 3, 5]
os.environ["MALLOC_PERTURB_"] = "165"


class Text:
    """Ops on `%x` over `rank` loops, of which some are reduced; values per row lack these."""

    def __init__(self, rank, reduced, kind):
        self.rank, self.kind = rank, kind
        self.rows = [d for d in range(rank) if d not in reduced]
        self.lines = [f"%c{d} = arith.constant {d} : index\n  %d{d} = tensor.dim %x, %c{d} : {self.type(range(rank))}"
                      for d in range(rank)]
        self.lines.append(f"%e = tensor.empty({', '.join(f'%d{d}' for d in self.rows)}) : {self.type(self.rows)}")

    def type(self, dims):
        return f"tensor<{'?x' * len(list(dims))}{self.kind}>"

    def constant(self, name, value):
        value = {-np.inf: {"f16": "0xFC00", "f32": "0xFF800000", "f64": "0xFFF0000000000000"}[self.kind]}.get(value, repr(value))
        self.lines.append(f"{name} = arith.constant {value} : {self.kind}")

    def generic(self, name, loops, inputs, init, body):
        maps = [dims for _, dims in inputs] + [self.rows]
        order = ", ".join(f"i{d}" for d in loops)
        maps = ", ".join(f"affine_map<({order}) -> ({', '.join(f'i{d}' for d in dims)})>" for dims in maps)
        kinds = ", ".join('"parallel"' if d in self.rows else '"reduction"' for d in loops)
        arguments = ", ".join([f"%a{k}: {self.kind}" for k in range(len(inputs))] + [f"%out: {self.kind}"])
        self.lines.append(
            f"{name} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} "
            f"ins({', '.join(n for n, _ in inputs)} : {', '.join(self.type(d) for _, d in inputs)}) outs({init} : {self.type(self.rows)}) {{\n"
            f"  ^bb0({arguments}):\n    " + "\n    ".join(line.replace("T", self.kind) for line in body) +
            f"\n    linalg.yield %r : {self.kind}\n  }} -> {self.type(self.rows)}")

    def reduce(self, name, start, values, body):
        """Reduces %x, and `values` per row beside it."""
        self.constant(f"{name}s", start)
        rows = self.type(self.rows)
        self.lines.append(f"{name}f = linalg.fill ins({name}s : {self.kind}) outs(%e : {rows}) -> {rows}")
        everything = list(range(self.rank))
        self.generic(name, everything, [("%x", everything)] + [(v, self.rows) for v in values], f"{name}f", body)

    def per_row(self, name, values, body, init="%e"):
        self.generic(name, self.rows, [(v, self.rows) for v in values], init, body)

    def function(self, results):
        types = ", ".join(self.type(self.rows) for _ in results)
        body = "\n  ".join(self.lines + [f"return {', '.join(results)} : {types}"])
        return f"func.func @main(%x: {self.type(range(self.rank))}) -> ({types}) {{\n  {body}\n}}\n"


class Runner:
    def __init__(self, checks, folder):
        self.checks, self.path, self.count = checks, f"{folder}/program.mlir", 0

    def compare(self, what, write, results, expected, scale=1.0):
        for kind, (dtype, tolerance) in DTYPES.items():
            for rank, reduced in FORMS:
                text = Text(rank, reduced, kind)
                write(text)
                with open(self.path, "w") as file:
                    file.write(text.function(results))
                shapes = [SIZES[:rank], [1] * rank] + [[0 if d == z else 40 if d == (z + 1) % rank else 3 for d in range(rank)]
                                                       for z in range(rank)]
                inputs = [(np.arange(np.prod(s, dtype=int)).reshape(s) % 7 * scale).astype(dtype) for s in shapes]
                self.count += 1
                option = ("--guard-pages", "--threads=2")[self.count % 2]
                run = symrun.run(self.path, [[x] for x in inputs], results=len(results), options=[option])
                if not self.checks.ran(run, len(inputs), f"{what} of {kind}, {reduced} of {rank}, {option}"):
                    continue
                for x, seen in zip(inputs, run.results):
                    with np.errstate(all="ignore"):
                        right = expected(x.astype(np.float64), reduced)
                    for actual, value in zip(seen, right):
                        self.checks.near(actual.astype(np.float64), value, tolerance, f"{what} of {kind}, {x.shape} by {reduced}, {option}")


def over(values, x, axes):
    return np.expand_dims(values, axes) * np.ones_like(x)


@test
def log_sum_exp(runner):
    def write(text):
        text.constant("%inf", -np.inf)
        text.constant("%zero", 0.0)
        text.reduce("%m", -np.inf, [], ["%r = arith.maximumf %a0, %out : T"])
        text.per_row("%n", ["%m"], ["%c = arith.cmpf oeq, %a0, %inf : T", "%r = arith.select %c, %zero, %a0 : T"])
        text.reduce("%s", 0.0, ["%n"], ["%d = arith.subf %a0, %a1 : T", "%p = math.exp %d : T", "%r = arith.addf %p, %out : T"])
        text.per_row("%l", ["%s", "%n"], ["%g = math.log %a0 : T", "%r = arith.addf %g, %a1 : T"])

    def expected(x, axes):
        m = np.max(x, axes, initial=-np.inf)
        n = np.where(m == -np.inf, 0, m)
        return [np.log(np.sum(np.exp(x - over(n, x, axes)), axes)) + n]

    runner.compare("log-sum-exp", write, ["%l"], expected)


@test
def variance_and_mean(runner):
    def write(text):
        text.constant("%q", 0.125)
        text.reduce("%s", 0.0, [], ["%r = arith.addf %a0, %out : T"])
        text.per_row("%n", ["%s"], ["%r = arith.mulf %a0, %q : T"])
        text.reduce("%v", 0.0, ["%n"], ["%d = arith.subf %a0, %a1 : T", "%p = arith.mulf %d, %d : T", "%r = arith.addf %p, %out : T"])
        text.per_row("%l", ["%v", "%n"], ["%r = arith.addf %a0, %a1 : T"])

    def expected(x, axes):
        mean = np.sum(x, axes) * 0.125
        return [np.sum((x - over(mean, x, axes)) ** 2, axes) + mean, mean]

    runner.compare("variance and mean", write, ["%l", "%n"], expected)


@test
def norm_with_a_floor(runner):
    def write(text):
        text.constant("%floor", 0.25)
        text.reduce("%s", 0.0, [], ["%p = arith.mulf %a0, %a0 : T", "%r = arith.addf %p, %out : T"])
        text.per_row("%n", ["%s"], ["%p = math.sqrt %a0 : T", "%r = arith.maximumf %p, %floor : T"])
        text.reduce("%t", 0.0, ["%n"], ["%p = arith.divf %a0, %a1 : T", "%r = arith.addf %p, %out : T"])
        text.per_row("%l", ["%t", "%n"], ["%r = arith.addf %a0, %a1 : T"])

    def expected(x, axes):
        norm = np.maximum(np.sqrt(np.sum(x * x, axes)), 0.25)
        return [np.sum(x / over(norm, x, axes), axes) + norm]

    runner.compare("norm with a floor", write, ["%l"], expected, scale=0.25)


@test
def added_to_what_is_there(runner):
    """The value per row is added to the tensor that it is written to."""
    def write(text):
        text.reduce("%s", 2.0, [], ["%r = arith.addf %a0, %out : T"])
        text.per_row("%n", ["%s"], ["%r = arith.addf %a0, %out : T"], init="%s")
        text.reduce("%t", 1.0, ["%n"], ["%p = arith.subf %a0, %a1 : T", "%r = arith.maximumf %p, %out : T"])
        text.per_row("%l", ["%t", "%n"], ["%r = arith.addf %a0, %a1 : T"])

    def expected(x, axes):
        n = 2 * (np.sum(x, axes) + 2)
        return [np.max(x - over(n, x, axes), axes, initial=1.0) + n]

    runner.compare("added", write, ["%l"], expected, scale=0.25)


@test
def all_were_made(runner):
    floor = 3 * len(FORMS) * 2 + 3 * 9 * 5  # each program ran, four with one result and one with two
    runner.checks.that(runner.checks.made >= floor, f"at least {floor} checks")


if __name__ == "__main__":
    sys.exit(test.run(sys.argv[1:], Runner))
