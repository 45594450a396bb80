# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random arithmetic on sizes, of every type of integers, beside NumPy or ONNX Runtime.

    check_size_arithmetic.py LIBRARY FOLDER [--seed N] [--programs N] [--onnxruntime] [--show]

A program computes integers from the shape of its input and from constants, then a tensor with such
an extent. Each call gives what arithmetic that wraps does, or is refused because a number would
overflow its type, which then one really does. Each program is compiled with open extents, and
with those of the first call.
"""

import argparse
import random
import sys
import time
from pathlib import Path

import numpy as np
import symshape_c

from onnx_file import FLOAT, INT64, TYPES, model, node

TYPES |= {np.dtype(np.uint16): 4, np.dtype(np.int16): 5, np.dtype(np.uint32): 12, np.dtype(np.uint64): 13}
INTEGERS = [np.int64] * 4 + [np.int32] * 2 + [np.int16, np.int8, np.uint8, np.uint16, np.uint32, np.uint64]
CONSTANTS = [0, 1, 2, 3, 5, -1, -2, 7, 16, 100, 200, 255, 2**15, 2**31 - 1, 2**31, 2**53 + 1, 2**62, 2**63 - 1, -(2**63), 2**64 - 1]
SIZES = [(3, 4), (1, 1), (0, 5), (200, 2), (2, 70000)]


def quotient(x, y):
    """Rounded to zero."""
    result = abs(x) // abs(y)
    return result if (x < 0) == (y < 0) else -result


BINARY = {"Add": lambda x, y: x + y, "Sub": lambda x, y: x - y, "Mul": lambda x, y: x * y, "Div": quotient,
          "Mod": lambda x, y: x % y, "Max": max, "Min": min}
COMPARISONS = {"Less": lambda x, y: x < y, "Equal": lambda x, y: x == y, "GreaterOrEqual": lambda x, y: x >= y}


class Value:
    """A list of numbers of a type, computed of those before; whether its rank is 0."""

    def __init__(self, name, kind, length, is_scalar, compute):
        self.name, self.kind, self.length, self.is_scalar, self.compute = name, np.dtype(kind), length, is_scalar, compute


class Overflow:
    seen = False


def wrap(value, kind):
    """The number of the type, and notes if it is another one."""
    if kind == np.bool_:
        return int(value)
    info = np.iinfo(kind)
    wrapped = (value - int(info.min)) % (int(info.max) - int(info.min) + 1) + int(info.min)
    Overflow.seen |= wrapped != value
    return wrapped


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.nodes, self.constants, self.values = [node("Shape", "x", "s")], {}, []
        self.values.append(Value("s", np.int64, 2, False, lambda env: list(env["x"])))
        for _ in range(self.random.randint(3, 8)):
            self.random.choice([self.binary] * 6 + [self.cast] * 3 + [self.pick_one, self.pick_one, self.concat, self.slice, self.where,
                                                    self.negate, self.product, self.constant_of_shape, self.compare])()
        last = self.values[-1]
        self.nodes.append(node("Cast", last.name, "out", to=INT64))
        self.result = Value("out", np.int64, last.length, last.is_scalar, lambda env: [wrap(v, np.int64) for v in env[last.name]])
        self.values.append(self.result)
        self.fill(self.result)

    def add(self, kind, length, is_scalar, compute, op, inputs, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(node(op, inputs, name, **attributes))
        self.values.append(Value(name, kind, length, is_scalar, compute))

    def pick(self, accepts=lambda v: True):
        found = [v for v in self.values if v.kind != np.bool_ and accepts(v)]
        return self.random.choice(found[-3:]) if found else None

    def constant(self, kind, length=None, nonzero=False):
        """A constant of the type; -1 is no divisor, for the least number has no negation."""
        info = np.iinfo(kind)
        fitting = [c for c in CONSTANTS if int(info.min) <= c <= int(info.max) and not (nonzero and c in (0, -1))]
        chosen = [self.random.choice(fitting) for _ in range(length or 1)]
        name = f"c{len(self.constants)}"
        self.constants[name] = np.array(chosen if length else chosen[0], kind)
        return Value(name, kind, length or 1, not length, lambda env: chosen)

    def binary(self):
        x, op = self.pick(), self.random.choice(list(BINARY))
        divides = op in ("Div", "Mod")
        others = [v for v in self.values if v.kind == x.kind and (v.length in (1, x.length) or x.length == 1)]
        y = self.constant(x.kind, nonzero=divides) if divides or self.random.random() < 0.6 else self.random.choice(others)
        if not divides and self.random.random() < 0.2:
            x, y = y, x

        def compute(env):
            a, b = self.numbers(x, env), self.numbers(y, env)
            length = max(len(a), len(b))
            a, b = a * (length if len(a) == 1 else 1), b * (length if len(b) == 1 else 1)
            return [wrap(BINARY[op](p, q), x.kind) for p, q in zip(a, b)]
        self.add(x.kind, max(x.length, y.length), x.is_scalar and y.is_scalar, compute, op, f"{x.name} {y.name}")

    @staticmethod
    def numbers(value, env):
        return env[value.name] if value.name in env else value.compute(env)

    def cast(self):
        x, kind = self.pick(), np.dtype(self.random.choice(INTEGERS))
        self.add(kind, x.length, x.is_scalar, lambda env: [wrap(v, kind) for v in env[x.name]], "Cast", x.name, to=TYPES[kind])

    def pick_one(self):
        x = self.pick(lambda v: not v.is_scalar)
        at, is_scalar = self.random.randrange(x.length), self.random.random() < 0.5
        name = f"c{len(self.constants)}"
        self.constants[name] = np.array(at if is_scalar else [at], np.int64)
        self.add(x.kind, 1, is_scalar, lambda env: [env[x.name][at]], "Gather", f"{x.name} {name}", axis=self.random.choice((0, -1)))

    def concat(self):
        x = self.pick(lambda v: not v.is_scalar)
        y = self.pick(lambda v: not v.is_scalar and v.kind == x.kind)
        self.add(x.kind, x.length + y.length, False, lambda env: env[x.name] + env[y.name], "Concat", f"{x.name} {y.name}", axis=0)

    def slice(self):
        x = self.pick(lambda v: not v.is_scalar and v.length > 1)
        if not x:
            return
        start = self.random.randrange(x.length - 1)
        names = []
        for number in (start, self.random.choice((start + 1, 2**63 - 1))):
            names.append(f"c{len(self.constants)}")
            self.constants[names[-1]] = np.array([number], np.int64)
        end = int(self.constants[names[1]][0])
        self.add(x.kind, len(range(x.length)[start:end]), False, lambda env: env[x.name][start:end], "Slice", f"{x.name} {' '.join(names)}")

    def negate(self):
        x = self.pick(lambda v: v.kind.kind == "i")
        if x:
            self.add(x.kind, x.length, x.is_scalar, lambda env: [wrap(-v, x.kind) for v in env[x.name]], "Neg", x.name)

    def product(self):
        x = self.pick(lambda v: not v.is_scalar and v.kind in (np.dtype(np.int64), np.dtype(np.int32)))
        if not x:
            return

        def compute(env):
            result = 1
            for v in env[x.name]:
                result = wrap(result * v, x.kind)
            return [result]
        self.add(x.kind, 1, True, compute, "ReduceProd", x.name, keepdims=0)

    def compare(self):
        x, op = self.pick(), self.random.choice(list(COMPARISONS))
        y = self.constant(x.kind)
        self.add(np.bool_, x.length, x.is_scalar, lambda env: [int(COMPARISONS[op](v, y.compute(env)[0])) for v in env[x.name]], op, f"{x.name} {y.name}")
        bools = self.values[-1]
        kind = np.dtype(self.random.choice(INTEGERS))
        self.add(kind, x.length, x.is_scalar, lambda env: env[bools.name], "Cast", bools.name, to=TYPES[kind])

    def where(self):
        x = self.pick()
        y, z = self.constant(x.kind), self.constant(x.kind)
        name = f"v{len(self.nodes)}"
        self.nodes.append(node("Less", f"{x.name} {y.name}", name))
        self.add(x.kind, x.length, x.is_scalar, lambda env: [v if v < y.compute(env)[0] else z.compute(env)[0] for v in env[x.name]],
                 "Where", f"{name} {x.name} {z.name}")

    def constant_of_shape(self):
        value, length, name = self.random.choice((2**63 - 1, 2**53 + 1, -(2**63), 3)), self.random.randint(1, 3), f"c{len(self.constants)}"
        self.constants[name] = np.array([length], np.int64)
        self.add(np.int64, length, False, lambda env: [value] * length, "ConstantOfShape", name, value=np.array([value], np.int64))

    def fill(self, x):
        """A tensor with an extent of 0 to 6."""
        for name, number in (("seven", 7), ("at", 0)):
            self.constants[name] = np.array([number], np.int64)
        self.nodes += [node("Reshape", f"{x.name} minus", "flat"), node("Gather", "flat at", "one"), node("Mod", "one seven", "extent"),
                       node("ConstantOfShape", "extent", "filled", value=np.array([5], np.int64))]
        self.constants["minus"] = np.array([-1], np.int64)

    def write(self, dims):
        return model(self.nodes, {"x": (FLOAT, dims)}, ["out", "filled"], self.constants)

    def expected(self, shape):
        """The results, and whether a number has overflowed on the way."""
        Overflow.seen, env = False, {"x": shape}
        for value in self.values:
            env[value.name] = value.compute(env)
        out = env["out"]
        result = np.array(out[0] if self.result.is_scalar else out, np.int64)
        return [result, np.full(out[0] % 7, 5, np.int64)], Overflow.seen


def run(path, library, shape):
    """The results, or the words of the refusal."""
    try:
        return symshape_c.Program(path, library=library)(np.zeros(shape, np.float32))
    except symshape_c.Error as error:
        return str(error)


def is_refusal(words, overflows):
    return overflows and ("must not overflow" in words or "holds, but got" in words)


def same(seen, expected):
    return all(a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a, b) for a, b in zip(seen, expected))


def in_onnxruntime(path, shape):
    """None where it has no kernel."""
    import onnxruntime
    try:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        return session.run(None, {"x": np.zeros(shape, np.float32)})
    except Exception as error:  # of types that its module does not name
        return None if "NOT_IMPLEMENTED" in str(error) or "Type 'tensor" in str(error) else str(error)


def check(seed, options, library, counts):
    generator, failures = Generator(seed), []
    path = options.folder / f"sizes{seed}.onnx"
    path.write_bytes(generator.write(["N", "M"]))
    shapes = random.Random(seed).sample(SIZES, 3)
    try:
        program = symshape_c.Program(path, library=library, first=[np.zeros(shapes[0], np.float32)])
        refusal = None
    except symshape_c.Error as error:
        refusal = str(error)
    for shape in shapes:
        expected, overflows = generator.expected(shape)
        if options.onnxruntime and shape == shapes[0]:
            theirs = in_onnxruntime(path, shape)
            counts["onnxruntime"] += isinstance(theirs, list)
            # It multiplies 64 bits in floats.
            exact = not any(b"ReduceProd" in each for each in generator.nodes) or not overflows
            if theirs is not None and exact and not (isinstance(theirs, list) and same(theirs, expected)):
                failures.append(f"{path} {shape}: expected {expected}, but ONNX Runtime has {theirs}")
        try:
            seen = refusal or program(np.zeros(shape, np.float32))
        except symshape_c.Error as error:
            seen = str(error)
        if isinstance(seen, str):
            counts["refused"] += 1
            if not is_refusal(seen, overflows):
                failures.append(f"{path} {shape}: expected {expected}, but got {seen}")
        else:
            counts["served"] += 1
            counts["wrapped"] += overflows
            if not same(seen, expected):
                failures.append(f"{path} {shape}: expected {expected}, but got {seen}")
    path.write_bytes(generator.write(list(shapes[0])))
    seen, (expected, overflows) = run(path, library, shapes[0]), generator.expected(shapes[0])
    if not is_refusal(seen, overflows) if isinstance(seen, str) else not same(seen, expected):
        failures.append(f"{path}, declared {shapes[0]}: expected {expected}, but got {seen}")
    return failures


# What no tensor allows, of sizes: nodes from s to z.
FORBIDDEN = {
    "concat": [node("Concat", "s s", "z", axis=5)], "gather": [node("Gather", "s zero", "z", axis=1)],
    "mixed": [node("Cast", "s", "t", to=6), node("Add", "s t", "z")],
    "mixed-concat": [node("Cast", "s", "t", to=6), node("Concat", "s t", "z", axis=0)],
    "mixed-where": [node("Cast", "s", "t", to=6), node("Less", "s zero", "c"), node("Where", "c s t", "z")],
    "squeeze": [node("Gather", "s zeros", "t"), node("Squeeze", "t one", "z")],
    "unsqueeze": [node("Gather", "s zero", "t"), node("Unsqueeze", "t one", "z")],
    "slice": [node("Slice", "s zeros one one", "z")],
}


def check_forbidden(folder, library):
    failures = []
    for name, nodes in FORBIDDEN.items():
        path = folder / f"{name}.onnx"
        constants = {"zero": np.array(0), "zeros": np.array([0]), "one": np.array([1])}
        path.write_bytes(model([node("Shape", "x", "s"), *nodes], {"x": (FLOAT, ["N", "M"])}, ["z"], constants))
        seen = run(path, library, (2, 3))
        if not isinstance(seen, str) or "crash" in seen:
            failures.append(f"{name}: expected words, but got {seen}")
    return failures


def read_options():
    """Of the command line; the folder exists then."""
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=int(time.time()) % 10**6)
    parser.add_argument("--programs", type=int, default=20)
    parser.add_argument("--onnxruntime", action="store_true")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    return options


def main():
    options = read_options()
    library = symshape_c.load(options.library)
    counts, failures = {"served": 0, "refused": 0, "wrapped": 0, "onnxruntime": 0}, check_forbidden(options.folder, library)
    for k in range(options.programs):
        failures += check(options.seed * 10**5 + k, options, library, counts)
    print("\n".join(failures))
    print(f"seed {options.seed}: {options.programs} programs, {counts}, {len(failures)} failed")
    return 1 if failures or counts["served"] < options.programs or not counts["refused"] else 0


if __name__ == "__main__":
    sys.exit(main())
