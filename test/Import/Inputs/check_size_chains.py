# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chains of up to six random ops over a shape, of ranks 0 to 3, integers and floats, beside NumPy.

    check_size_chains.py LIBRARY FOLDER [--seed N] [--programs N] [--onnxruntime]

Floats are rounded as NumPy rounds them. A call gives the numbers of NumPy, and a tensor of a size
that is made of them, or is refused, which needs a number that overflows its type, or a float that
is large. --onnxruntime compares NumPy with that, too.
"""

import random
import re
import subprocess
import sys

import numpy as np
import symshape_c

from check_size_arithmetic import read_options
from onnx_file import DOUBLE, FLOAT, INT32, INT64, TYPES, model, node

KINDS = [np.dtype(kind) for kind in (np.int64, np.int32, np.float32, np.float64)]
SIZES = [(3, 4, 2), (1, 1, 1), (0, 5, 8), (200, 2, 17), (2, 70000, 3), (6, 6, 6)]
CONSTANTS = [0, 1, 2, 3, 5, 7, 8, 16, 32, -1, -2, 100]
FACTORS = [0.5, 2, 1.5, 0.25, 3, 0.1, 0.7, -1, 32, 1, 0.75, -0.5]
LARGE = {np.dtype(np.float32): 2**20, np.dtype(np.float64): 2**49}


class Unspecified(Exception):
    """A number that no type defines."""


class State:
    overflows = large = False


def settle(numbers, kind):
    """The numbers of the type; notes those that overflow, and large floats."""
    if kind.kind == "i":
        info = np.iinfo(kind)
        least, most = int(info.min), int(info.max)
        wrapped = [(int(v) - least) % (most - least + 1) + least for v in np.ravel(numbers)]
        State.overflows |= any(int(v) != w for v, w in zip(np.ravel(numbers), wrapped))
        out = np.empty(np.shape(numbers), object)
        out[...] = np.array(wrapped + [0], object)[:-1].reshape(np.shape(numbers))
        return out
    out = np.asarray(numbers, kind)
    if not np.all(np.isfinite(out)):
        raise Unspecified
    State.large |= bool(np.any(np.abs(out) > LARGE[kind]))
    return out


class Value:
    def __init__(self, name, kind, shape, compute):
        self.name, self.kind, self.shape, self.compute = name, np.dtype(kind), shape, compute


class Chain:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.nodes, self.constants = [node("Shape", "x", "s")], {}
        self.values = [Value("s", np.int64, (3,), lambda env: np.array(env["x"], object))]
        ops = [getattr(self, name) for name in dir(self) if name.startswith("op_")] + [self.op_binary, self.op_cast] * 4
        steps = self.random.randint(1, 6)
        for _ in range(40):
            if len(self.values) > steps:
                break
            self.random.choice(ops)(self.random.choice(self.values[-2:]))
        last = self.values[-1]
        self.append("Cast", [last], INT64, lambda a: self.to_int(a, np.dtype(np.int64)), kind=np.int64, to=INT64)
        self.append("Reshape", [self.values[-1], self.constant(np.array([-1]))], None, lambda a, b: a.reshape(-1))
        self.nodes += [node("Slice", f"{self.values[-1].name} zero three", "few"), node("Mod", "few seven", "size"),
                       node("ConstantOfShape", "size", "filled", value=np.array([5], np.int64))]
        self.constants |= {"zero": np.array([0]), "three": np.array([3]), "seven": np.array([7])}

    def append(self, op, operands, _, compute, kind=None, outputs=1, which=0, **attributes):
        """A node; the shape of its result is that of a first try."""
        name, kind = f"v{len(self.nodes)}", np.dtype(kind or operands[0].kind)

        def evaluate(env):
            return settle(compute(*[self.numbers(each, env) for each in operands]), kind)
        env = {"x": (3, 4, 2)}
        try:
            for value in self.values:
                env[value.name] = value.compute(env)
            shape = np.shape(evaluate(env))
        except Unspecified:
            return
        if len(shape) > 3 or np.prod(shape, dtype=int) > 24:
            return
        names = [f"{name}_{i}" for i in range(outputs)]
        names[which] = name
        self.nodes.append(node(op, " ".join(each.name for each in operands), " ".join(names), **attributes))
        self.values.append(Value(name, kind, shape, evaluate))

    @staticmethod
    def numbers(value, env):
        return env[value.name] if value.name in env else value.compute(env)

    def constant(self, array):
        name = f"c{len(self.constants)}"
        array = np.asarray(array)
        self.constants[name] = array
        kept = array.astype(object) if array.dtype.kind == "i" else array
        return Value(name, array.dtype, array.shape, lambda env: kept)

    def numbers_like(self, x, shape):
        choices = CONSTANTS if x.kind.kind == "i" else FACTORS
        return self.constant(np.array([self.random.choice(choices) for _ in range(int(np.prod(shape, dtype=int)))], x.kind).reshape(shape))

    def axis(self, x):
        return self.random.randrange(-len(x.shape), len(x.shape)) if x.shape else None

    # Movement.
    def op_reshape(self, x):
        count, rank = int(np.prod(x.shape, dtype=int)), self.random.randint(0, 3)
        shape, rest = [], count
        for _ in range(rank - 1):
            shape.append(self.random.choice([d for d in range(1, rest + 1) if rest % d == 0] or [1]))
            rest //= shape[-1]
        if rank == 0 and count != 1 or count == 0:
            return
        shape += [rest] if rank else []
        written = list(shape)
        if shape and self.random.random() < 0.5:
            written[self.random.randrange(rank)] = -1
        self.append("Reshape", [x, self.constant(np.array(written, np.int64))], None, lambda a, b: a.reshape(shape))

    def op_flatten(self, x):
        axis = self.random.randint(0, len(x.shape))
        self.append("Flatten", [x], None, lambda a: a.reshape(int(np.prod(x.shape[:axis], dtype=int)), -1), axis=axis)

    def op_transpose(self, x):
        order = self.random.sample(range(len(x.shape)), len(x.shape))
        self.append("Transpose", [x], None, lambda a: np.transpose(a, order), **({"perm": order} if order else {}))

    def op_unsqueeze(self, x):
        axis = self.random.randint(0, len(x.shape))
        self.append("Unsqueeze", [x, self.constant(np.array([axis]))], None, lambda a, b: np.expand_dims(a, axis))

    def op_squeeze(self, x):
        units = [i for i, extent in enumerate(x.shape) if extent == 1]
        if units:
            axis = self.random.choice(units)
            self.append("Squeeze", [x, self.constant(np.array([axis]))], None, lambda a, b: np.squeeze(a, axis))

    def op_split(self, x):
        axis = self.axis(x)
        if axis is None or x.shape[axis] < 2:
            return
        first = self.random.randrange(1, x.shape[axis])
        which = self.random.randrange(2)
        sizes = self.constant(np.array([first, x.shape[axis] - first]))
        self.append("Split", [x, sizes], None, lambda a, b: np.split(a, [first], axis)[which], outputs=2, which=which, axis=axis)

    def op_gather(self, x):
        axis = self.axis(x)
        if axis is None or x.shape[axis] == 0:
            return
        shape = self.random.choice([(), (1,), (2,), (2, 2)])
        at = np.array([self.random.randrange(-x.shape[axis], x.shape[axis]) for _ in range(int(np.prod(shape, dtype=int)))], np.int64).reshape(shape)
        self.append("Gather", [x, self.constant(at)], None, lambda a, b: np.take(a, at, axis), axis=axis)

    def op_gather_elements(self, x):
        axis = self.axis(x)
        if axis is None or 0 in x.shape:
            return
        at = np.array([self.random.randrange(-x.shape[axis], x.shape[axis]) for _ in range(int(np.prod(x.shape)))], np.int64).reshape(x.shape)
        self.append("GatherElements", [x, self.constant(at)], None, lambda a, b: np.take_along_axis(a, at % x.shape[axis], axis), axis=axis)

    def vectors(self, x):
        length = self.random.randint(1, len(x.shape))
        rows = [tuple(self.random.randrange(extent) for extent in x.shape[:length]) for _ in range(self.random.randint(1, 2))]
        return list(dict.fromkeys(rows))

    def op_gather_nd(self, x):
        if x.shape and 0 not in x.shape:
            rows = self.vectors(x)
            self.append("GatherND", [x, self.constant(np.array(rows, np.int64))], None, lambda a, b: np.stack([a[row] for row in rows]) if np.ndim(a[rows[0]])
                        else np.array([a[row] for row in rows], a.dtype))

    def op_scatter_nd(self, x):
        if not x.shape or 0 in x.shape:
            return
        rows = self.vectors(x)
        updates = self.numbers_like(x, (len(rows), *x.shape[len(rows[0]):]))

        def compute(a, b, c):
            a = a.copy()
            for row, update in zip(rows, c):
                a[row] = update
            return a
        self.append("ScatterND", [x, self.constant(np.array(rows, np.int64)), updates], None, compute)

    def op_concat(self, x):
        axis = self.axis(x)
        others = [v for v in self.values if v.kind == x.kind and len(v.shape) == len(x.shape) and axis is not None
                  and all(p == q for i, (p, q) in enumerate(zip(v.shape, x.shape)) if i != axis % len(x.shape))]
        if axis is not None and others:
            self.append("Concat", [x, self.random.choice(others)], None, lambda a, b: np.concatenate([a, b], axis), axis=axis)

    def op_slice(self, x):
        axis = self.axis(x)
        if axis is None:
            return
        start, end, step = self.random.randint(-4, 4), self.random.choice([-3, -1, 1, 2, 3, 2**63 - 1, -(2**63)]), self.random.choice([1, 1, 2, -1])
        if step < 0 and end > 3:
            return  # ONNX Runtime takes that end for the beginning
        index = [slice(None)] * len(x.shape)
        extent = x.shape[axis]
        positive = step > 0
        first = min(max(start + extent if start < 0 else start, 0), extent if positive else extent - 1)
        last = min(max(end + extent if end < 0 else end, 0 if positive else -1), extent if positive else extent - 1)
        index[axis] = list(range(first, last, step))
        self.append("Slice", [x] + [self.constant(np.array([v], np.int64)) for v in (start, end, axis, step)], None,
                    lambda a, *rest: a[tuple(index)])

    def op_tile(self, x):
        times = [self.random.choice([1, 1, 2]) for _ in x.shape]
        if times:
            self.append("Tile", [x, self.constant(np.array(times, np.int64))], None, lambda a, b: np.tile(a, times))

    def op_expand(self, x):
        shape = [2 if extent == 1 else extent for extent in x.shape] or [3]
        self.append("Expand", [x, self.constant(np.array(shape, np.int64))], None, lambda a, b: np.broadcast_to(a, shape))

    # Arithmetic.
    def op_reduce(self, x):
        if 0 in x.shape or not x.shape:
            return
        kind = self.random.choice(["Max", "Min"] + (["Sum", "Prod"] if x.kind.kind == "i" else []))
        axes = sorted(self.random.sample(range(len(x.shape)), self.random.randint(1, len(x.shape))))
        keep = self.random.randrange(2)
        fold = {"Max": np.max, "Min": np.min, "Sum": np.sum, "Prod": np.prod}[kind]
        self.append(f"Reduce{kind}", [x, self.constant(np.array(axes, np.int64))], None, lambda a, b: fold(a, axis=tuple(axes), keepdims=bool(keep)), keepdims=keep)

    def op_cumsum(self, x):
        if x.shape and x.kind.kind == "i":
            axis = self.axis(x)
            self.append("CumSum", [x, self.constant(np.array(axis))], None, lambda a, b: np.cumsum(a, axis))

    def op_binary(self, x):
        op = self.random.choice(["Add", "Sub", "Mul", "Mul", "Div", "Max", "Min"])
        others = [v for v in self.values if v.kind == x.kind and op != "Div" and self.broadcasts(v.shape, x.shape)]
        y = self.random.choice(others) if others and self.random.random() < 0.3 else self.numbers_like(x, self.random.choice([(), (1,), x.shape]))
        if op == "Div" and np.any(self.constants[y.name] == 0) or op == "Div" and x.kind.kind == "i" and np.any(self.constants[y.name] == -1):
            return

        def divide(a, b):
            if x.kind.kind == "f":
                return a / b
            return np.array([abs(int(p)) // abs(int(q)) * (1 if (p < 0) == (q < 0) else -1) for p, q in np.broadcast(a, b)], object).reshape(np.broadcast(a, b).shape)
        compute = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": divide, "Max": np.maximum, "Min": np.minimum}[op]
        self.append(op, [x, y], None, compute)

    @staticmethod
    def broadcasts(a, b):
        return all(p == q or 1 in (p, q) for p, q in zip(reversed(a), reversed(b)))

    def op_unary(self, x):
        op = self.random.choice(["Neg", "Abs", "Relu", "Clip"] + ["Floor", "Ceil", "Round"] * (x.kind.kind == "f") * 3)
        low, high = self.random.choice([(0, 3), (-2, 100), (1, 1)])
        operands = [x] + ([self.constant(np.array(low, x.kind)), self.constant(np.array(high, x.kind))] if op == "Clip" else [])
        compute = {"Neg": np.negative, "Abs": np.abs, "Relu": lambda a: np.maximum(a, 0), "Floor": np.floor, "Ceil": np.ceil, "Round": np.round,
                   "Clip": lambda a, b, c: np.minimum(np.maximum(a, low), high)}[op]
        self.append(op, operands, None, compute)

    def op_sqrt(self, x):
        if x.kind.kind == "f":
            self.append("Mul", [x, x], None, np.multiply)
            self.append("Sqrt", [self.values[-1]], None, np.sqrt)

    @staticmethod
    def to_int(a, kind):
        if a.dtype == object:
            return a
        if np.any(np.abs(a.astype(np.float64)) >= 2.0**(8 * kind.itemsize - 1)):
            raise Unspecified
        return np.trunc(a).astype(np.int64).astype(object)

    def op_cast(self, x):
        kind = self.random.choice(KINDS)
        if kind != x.kind:
            self.append("Cast", [x], None, lambda a: self.to_int(a, kind) if kind.kind == "i" else a.astype(np.float64).astype(kind) if a.dtype != object
                        else np.array([float(kind.type(int(v))) for v in np.ravel(a)], kind).reshape(np.shape(a)), kind=kind, to=TYPES[kind])

    def write(self, dims):
        return model(self.nodes, {"x": (FLOAT, dims)}, [self.values[-1].name, "filled"], self.constants)

    def expected(self, shape):
        """The results; whether a number overflows, or a float is large."""
        State.overflows = State.large = False
        env = {"x": shape}
        with np.errstate(all="ignore"):
            for value in self.values:
                env[value.name] = value.compute(env)
        out = np.array(env[self.values[-1].name].tolist(), np.int64)
        return [out, np.full([v % 7 for v in out.tolist()[:3]], 5, np.int64)], State.overflows, State.large


def in_onnxruntime(path, shape):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        return session.run(None, {"x": np.zeros(shape, np.float32)})
    except Exception as error:  # of types that its module does not name
        return str(error)


def same(seen, expected):
    return all(a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a, b) for a, b in zip(seen, expected))


def check(seed, options, library, counts):
    chain, failures = Chain(seed), []
    path = options.folder / f"chain{seed}.onnx"
    path.write_bytes(chain.write(["N", "M", "K"]))
    refusal = None
    shapes = random.Random(seed).sample(SIZES, 4)
    try:
        program = symshape_c.Program(path, library=library, first=[np.zeros(shapes[0], np.float32)])
    except symshape_c.Error as error:
        refusal = str(error)
    report = subprocess.run(["symshape-report", path], capture_output=True, text=True)
    if report.returncode and not refusal:
        failures.append(f"{path}: {report.stderr}")
    extents = re.search(r"filled: \S+(?: *\[(.*)\])?", report.stdout)
    if not extents and not report.returncode:
        failures.append(f"{path}: no 'filled' in the report")
    counts["known"] += not extents or "?" not in (extents.group(1) or "")
    for shape in shapes:
        try:
            expected, overflows, large = chain.expected(shape)
        except Unspecified:
            continue
        if options.onnxruntime and shape == shapes[0] and not overflows:
            theirs = in_onnxruntime(path, shape)
            counts["onnxruntime"] += isinstance(theirs, list)
            if isinstance(theirs, list) and not same(theirs, expected):
                failures.append(f"{path} {shape}: expected {expected}, but ONNX Runtime has {theirs}")
        try:
            seen = refusal or program(np.zeros(shape, np.float32))
        except symshape_c.Error as error:
            seen = str(error)
        counts["served"] += not isinstance(seen, str)
        if isinstance(seen, str):
            counts["refused"] += 1
            may = overflows and ("must not overflow" in seen or "holds, but got" in seen) or large and "floats are exact" in seen
            if not may:
                failures.append(f"{path} {shape}: expected {expected}, but got {seen}")
        elif not same(seen, expected):
            failures.append(f"{path} {shape}: expected {expected}, but got {seen}")
    return failures


def main():
    options = read_options()
    library = symshape_c.load(options.library)
    counts, failures = {"served": 0, "refused": 0, "known": 0, "onnxruntime": 0}, []
    for k in range(options.programs):
        failures += check(options.seed * 10**5 + k, options, library, counts)
    print("\n".join(failures))
    print(f"seed {options.seed}: {options.programs} programs, {counts}, {len(failures)} failed")
    few = counts["served"] < 2 * options.programs or counts["known"] < options.programs // 2
    return 1 if failures or few else 0


if __name__ == "__main__":
    sys.exit(main())
