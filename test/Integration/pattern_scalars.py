# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random chains of ops on indices, small floats and scaled integers, and what they compute."""

import random

import numpy as np

from pattern_programs import wrap


def unsigned(value):
    return value % 2**64


INDEX_OPS = {
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y, "and": lambda x, y: x & y,
    "or": lambda x, y: x | y, "xor": lambda x, y: x ^ y, "maxs": max, "mins": min,
    "maxu": lambda x, y: max(x, y, key=unsigned), "minu": lambda x, y: min(x, y, key=unsigned),
}
PREDICATES = {
    "eq": lambda x, y: x == y, "ne": lambda x, y: x != y, "slt": lambda x, y: x < y, "sge": lambda x, y: x >= y,
    "ult": lambda x, y: unsigned(x) < unsigned(y), "ugt": lambda x, y: unsigned(x) > unsigned(y),
}
CONSTANTS = [0, 1, -1, 2, 7, 255, 2**31, 2**63 - 1, -(2**63), 2**62]


class IndexChain:
    """Chains of index ops, mostly with constants, and comparisons of differences; all in two arguments."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines, self.results, self.steps = [], [], []
        for k in range(6):
            self.chain(k)

    def chain(self, k):
        name, op = f"%a{k % 2}", self.random.choice(list(INDEX_OPS))
        for n in range(3):
            if self.random.random() < 0.3:
                op = self.random.choice(list(INDEX_OPS))
            other, value = "%a1", self.random.choice(CONSTANTS)
            if self.random.random() < 0.85:
                other = f"%c{k}_{n}"
                self.lines.append(f"{other} = index.constant {value}")
                self.steps.append((other, lambda x, y, value=value: value, "%a0", "%a0"))
            self.lines.append(f"%v{k}_{n} = index.{op} {name}, {other}")
            self.steps.append((f"%v{k}_{n}", INDEX_OPS[op], name, other))
            name = f"%v{k}_{n}"
        predicate = self.random.choice(list(PREDICATES))
        self.lines += [f"%z{k} = index.constant 0", f"%d{k} = index.sub {name}, %a1", f"%p{k} = index.cmp {predicate}(%d{k}, %z{k})",
                       f"%r{k} = index.castu %p{k} : i1 to index"]
        self.steps += [(f"%d{k}", INDEX_OPS["sub"], name, "%a1"),
                       (f"%r{k}", lambda x, y, predicate=predicate: int(PREDICATES[predicate](x, 0)), f"%d{k}", "%a0")]
        self.results += [name, f"%r{k}"]

    def text(self):
        types = ", ".join("index" for _ in self.results)
        body = "\n  ".join(self.lines + [f"return {', '.join(self.results)} : {types}"])
        return f"func.func @main(%a0: index, %a1: index) -> ({types}) {{\n  {body}\n}}\n"

    def calls(self, choose):
        found = []
        for values in [(0, 0)] + [tuple(choose.choice(CONSTANTS) for _ in range(2)) for _ in range(5)]:
            env = {"%a0": values[0], "%a1": values[1]}
            for name, function, x, y in self.steps:
                env[name] = wrap(function(env[x], env[y]))
            found.append((" ".join(f"index={v}" for v in values), [env[r] for r in self.results]))
        return found


def round_to_bf16(values):
    """The nearest bf16, ties to even, as f32; no NaN becomes an infinity."""
    bits = values.astype(np.float32).view(np.uint32)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)
    return np.where(np.isnan(values), np.float32(np.nan), rounded)


FLOAT_OPS = {"addf": np.add, "subf": np.subtract, "mulf": np.multiply, "divf": np.divide}
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.1, 3.0, 1e-7, 65504.0, 1e30, np.inf, -np.inf, np.nan]


class FloatChain:
    """Arithmetic in f16 or bf16: each op rounds once, its operands are exact in f32, and that has more
    than twice as many digits, so that rounding its result is rounding once."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.kind = self.random.choice(("f16", "bf16"))
        self.lines, self.steps, names = [], [], ["%x", "%y"]
        for k in range(6):
            left, right = self.random.choice(names[-3:]), self.random.choice(names)
            what = self.random.choice([*FLOAT_OPS, "negf", "select"])
            if what == "negf":
                self.lines.append(f"%v{k} = arith.negf {left} : T")
                self.steps.append((f"%v{k}", lambda env, left=left: -env[left]))
            elif what == "select":
                self.lines += [f"%p{k} = arith.cmpf olt, {left}, {right} : T", f"%v{k} = arith.select %p{k}, {right}, {left} : tensor<?xi1>, T"]
                self.steps.append((f"%v{k}", lambda env, left=left, right=right: np.where(env[left] < env[right], env[right], env[left])))
            else:
                self.lines.append(f"%v{k} = arith.{what} {left}, {right} : T")
                self.steps.append((f"%v{k}", lambda env, what=what, left=left, right=right: self.round(FLOAT_OPS[what](env[left], env[right]))))
            names.append(f"%v{k}")
        self.results = names[-3:]

    def round(self, values):
        return round_to_bf16(values) if self.kind == "bf16" else values.astype(np.float16).astype(np.float32)

    def text(self):
        wide, small = "tensor<?xf32>", f"tensor<?x{self.kind}>"
        begin = [f"%{n} = arith.truncf %{n}0 : {wide} to {small}" for n in "xy"]
        end = [f"%r{k} = arith.extf {name} : {small} to {wide}" for k, name in enumerate(self.results)]
        body = "\n  ".join(begin + [line.replace(" T", f" {small}") for line in self.lines] + end)
        return (f"func.func @main(%x0: {wide}, %y0: {wide}) -> ({wide}, {wide}, {wide}) {{\n  {body}\n"
                f"  return %r0, %r1, %r2 : {wide}, {wide}, {wide}\n}}\n")

    def calls(self):
        found = []
        for size in (0, 1, 100):
            x, y = (np.float32([self.random.choice(SPECIAL) if self.random.random() < 0.3 else self.random.gauss(0, 10) for _ in range(size)]) for _ in range(2))
            with np.errstate(all="ignore"):
                env = {"%x": self.round(x), "%y": self.round(y)}
                for name, compute in self.steps:
                    env[name] = compute(env)
            found.append(([x, y], [env[name].astype(np.float32) for name in self.results]))
        return found


def scale(value, multiplier, shift, doubled):
    """What TOSA's apply_scale gives; None where it requires something else."""
    rounding = 1 << (shift - 1)
    if doubled and shift > 31:
        rounding += (1 << 30) if value >= 0 else -(1 << 30)
    result = (value * multiplier + rounding) >> shift
    return result if -(2**31) <= result < 2**31 else None


class ScaleChain:
    """tosa.apply_scale of two arguments: what is multiplied, and by how much."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.shifts = [(self.random.randint(2, 62), self.random.random() < 0.5) for _ in range(4)]

    def text(self):
        lines = [f"%{n} = arith.index_cast %{n}0 : index to i32" for n in "vm"]
        for k, (shift, doubled) in enumerate(self.shifts):
            lines += [f"%s{k} = arith.constant {shift} : i8",
                      f"%a{k} = tosa.apply_scale %v, %m, %s{k} {{rounding_mode = {'DOUBLE' if doubled else 'SINGLE'}_ROUND}} : (i32, i32, i8) -> i32",
                      f"%r{k} = arith.index_cast %a{k} : i32 to index"]
        types = ", ".join(["index"] * len(self.shifts))
        body = "\n  ".join(lines + [f"return {', '.join(f'%r{k}' for k in range(len(self.shifts)))} : {types}"])
        return f"func.func @main(%v0: index, %m0: index) -> ({types}) {{\n  {body}\n}}\n"

    def calls(self, choose):
        found = []
        for _ in range(200):
            value, multiplier = choose.randint(-(2**choose.randint(1, 31)), 2**choose.randint(1, 31) - 1), choose.randint(0, 2**choose.randint(1, 31) - 1)
            results = [scale(value, multiplier, *shift) for shift in self.shifts]
            if None not in results and len(found) < 6:
                found.append((f"index={value} index={multiplier}", results))
        return found
