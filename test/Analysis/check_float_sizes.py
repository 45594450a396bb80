# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes that are computed in floats: what is claimed is what NumPy computes.

    check_float_sizes.py PLUGIN [--seed N] [--programs N] [--least-exact N] [--least-bounded N] [--show]

Random chains of arithmetic and roundings in f32 or f64, from an index of a random range to an
integer, whose constants are halves, thirds, tenths and the like. Each claim is compared at the
ends of the range, at values of all sizes, and at those where the result jumps. Fails as well if
less than --least-exact results are claimed to be an expression, or if less than --least-bounded
have both bounds in terms of the index.
"""

import argparse
import random
import sys
from fractions import Fraction

import numpy as np
from check_programs import claims_of, holds

FLOATS = {"f32": np.float32, "f64": np.float64}
INTEGERS = {"i32": 32, "i64": 64}
SCALES = [0.5, 2.0, 0.25, 1.5, 0.75, 3.0, 4.0, 0.1, 0.3, 1 / 3, 2 / 3, 1.3, 0.7, 10.0, 7.0, 100.0, 1e-3, 0.625, -0.5]
STEPS = [0.5, 1.0, -0.5, -1.0, 2.0, 0.25, 1e-5, 0.1, 3.0, -2.0, 0.999]
ENDS = [3, 17, 100, 1000, 4096, 65535, 2**20, 2**24, 2**24 + 9, 2**31 - 1, 2**40, 2**48 - 1]


def round_half_away(x):
    """Exact: the sum of x and a half may round."""
    whole = Fraction(float(x))
    sign = -1 if whole < 0 else 1
    return type(x)(sign * ((abs(whole) * 2 + 1) // 2))


ROUNDINGS = {"floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "roundeven": np.rint, "round": round_half_away}


class Function:
    def __init__(self, name, seed):
        self.name, self.random = name, random.Random(seed)
        self.high = self.random.choice(ENDS)
        self.low = self.random.choice([0, 0, 0, 1, -5, -self.high])
        self.lines, self.steps = [], []
        float_type = self.random.choice(list(FLOATS))
        integer = "i64" if self.high >= 2**31 else self.random.choice(list(INTEGERS))
        self.lines += [f'%n = symshape.assume %arg0 ["{self.low} <= n", "n <= {self.high}"] (n) : index',
                       f"%i = arith.index_cast %n : index to {integer}",
                       f"%v0 = arith.sitofp %i : {integer} to {float_type}"]
        self.type = self.first = float_type
        for number in range(1, self.random.randint(2, 5)):
            self.step(number)
        self.result = self.random.choice(["i32", "i64"])
        last = f"%v{len(self.steps)}"
        self.lines += [f"%r = arith.fptosi {last} : {self.type} to {self.result}",
                       f"%k = arith.index_cast %r : {self.result} to index",
                       '"probe.at"(%k) {id = 0} : (index) -> ()', "return"]

    def step(self, number):
        given, made, kind = f"%v{number - 1}", f"%v{number}", self.random.random()
        type, cast = self.type, FLOATS[self.type]
        if kind < 0.35:
            name = self.random.choice(list(ROUNDINGS))
            self.lines.append(f"{made} = math.{name} {given} : {type}")
            self.steps.append(ROUNDINGS[name])
        elif kind < 0.42:
            self.type = "f64" if type == "f32" else "f32"
            other = FLOATS[self.type]
            word = "extf" if self.type == "f64" else "truncf"
            self.lines.append(f"{made} = arith.{word} {given} : {type} to {self.type}")
            self.steps.append(lambda x: other(x))
        else:
            word = self.random.choice(["mulf", "mulf", "divf", "addf", "subf"])
            value = cast(self.random.choice(SCALES if word in ("mulf", "divf") else STEPS))
            bits = int(value.view(np.uint32 if type == "f32" else np.uint64))
            constant = f"%c{number}"
            self.lines.append(f"{constant} = arith.constant 0x{bits:0{8 if type == 'f32' else 16}X} : {type}")
            operation = {"mulf": np.multiply, "divf": np.divide, "addf": np.add, "subf": np.subtract}[word]
            turned = word in ("addf", "mulf") and self.random.random() < 0.3
            operands = f"{constant}, {given}" if turned else f"{given}, {constant}"
            self.lines.append(f"{made} = arith.{word} {operands} : {type}")
            self.steps.append(lambda x: operation(x, value))

    def text(self):
        body = "\n".join("  " + line for line in self.lines)
        return f"func.func @{self.name}(%arg0: index) {{\n{body}\n}}"

    def value(self, n):
        """The integer; None if the float has none of the type."""
        x = FLOATS[self.first](n)
        for step in self.steps:
            x = step(x)
        if not np.isfinite(x):
            return None
        end = 2 ** (INTEGERS[self.result] - 1)
        whole = int(x)
        return whole if -end <= whole < end else None

    def inputs(self):
        near = {self.low, self.low + 1, self.high, self.high - 1, *range(-8, 70)}
        for power in range(2, 49):
            near |= {2**power - 1, 2**power, 2**power + 1, -(2**power)}
        for _ in range(200):
            size = self.random.choice([100, 5000, 2**20, 2**26, self.high])
            near.add(self.random.randint(-size, size))
            near.add(self.random.randint(0, size // 3) * 3)
        return [n for n in near if self.low <= n <= self.high]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("plugin")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--programs", type=int, default=300)
    parser.add_argument("--least-exact", type=int, default=1)
    parser.add_argument("--least-bounded", type=int, default=1)
    parser.add_argument("--show", action="store_true")
    args = parser.parse_args()
    functions = [Function(f"f{i}", args.seed * 1000003 + i) for i in range(args.programs)]
    claims = claims_of(functions, args.plugin, no_wrap=False)
    exact = bounded = compared = 0
    failures = []
    for function in functions:
        made = claims.get((function.name, 0), [])
        kinds = {claim[0] for claim in made}
        exact += "equal" in kinds
        bounded += {"lower", "upper"} <= kinds
        if args.show:
            print(function.text(), made)
        for n in function.inputs():
            value = function.value(n)
            if value is None:
                continue
            compared += len(made)
            wrong = [claim for claim in made if not holds(claim, [value], [], {"arg0": n})]
            if wrong:
                failures.append(f"{function.text()}\n{n} gives {value}, but claimed is {wrong[0]}")
                break
    print("\n\n".join(failures))
    print(f"{len(functions)} programs, {exact} exact, {bounded} with bounds, {compared} comparisons, "
          f"{len(failures)} failures")
    return 1 if failures or exact < args.least_exact or bounded < args.least_bounded else 0


if __name__ == "__main__":
    sys.exit(main())
