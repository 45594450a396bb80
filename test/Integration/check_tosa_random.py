# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs in TOSA with open extents: each call gives what NumPy does, or is refused.

    check_tosa_random.py SEED COUNT LIBRARY

By NumPy's rule of broadcasting a call is refused exactly where NumPy raises an error; by the strict
rule also where an extent of 1 that is none of the type would have to expand.
"""

import random
import sys
import tempfile
from pathlib import Path

import numpy as np

import symshape_c
from checking import Checks

CALLS = 24
FLOOR = 0.15  # of all calls, at least as many are accepted, and refused
ZERO = '%zero = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>'
SHIFT = '%shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>'
BINARY = {"add": np.add, "sub": np.subtract, "maximum": np.maximum, "minimum": np.minimum}


def need(condition):
    if not condition:
        raise ValueError


def type_of(dims, element="f32"):
    return "tensor<" + "".join(f"{'?' if d is None else d}x" for d in dims) + element + ">"


class Value:
    """A tensor of the program: its name, the extents of its type (None: open), and how to compute it.

    `compute(strict)` looks at the arrays of the call; it raises ValueError where the call is refused."""

    def __init__(self, name, dims, compute):
        self.name, self.dims, self.compute = name, tuple(dims), compute

    @property
    def type(self):
        return type_of(self.dims)


class Generator:
    def __init__(self, rng):
        self.rng, self.lines, self.count, self.arrays = rng, [ZERO, SHIFT], 0, None
        self.cache = {}
        rank = rng.choice((1, 2, 3, 3, 3, 4))
        self.arguments = []
        for i in range(rng.randint(2, 3)):
            dims = [rng.choice((None, None, None, None, 1, 1, 3)) for _ in range(rank)]
            self.arguments.append(Value(f"%a{i}", dims, lambda strict, i=i: self.arrays[i]))
        self.values = list(self.arguments)

    def emit(self, text, dims, compute):
        name = f"%v{self.count}"
        self.count += 1

        def cached(strict):
            key = name, strict
            if key not in self.cache:
                try:
                    self.cache[key] = compute(strict)
                except ValueError as error:
                    self.cache[key] = error
            if isinstance(self.cache[key], ValueError):
                raise self.cache[key]
            return self.cache[key]
        value = Value(name, dims, cached)
        self.lines.append(f"{name} = {text} -> {value.type}")
        self.values.append(value)
        return value

    def shape(self, *numbers):
        name = f"%s{self.count}_{len(self.lines)}"
        self.lines.append(f"{name} = tosa.const_shape {{values = dense<{list(numbers)}> : tensor<{len(numbers)}xindex>}} "
                          f": () -> !tosa.shape<{len(numbers)}>")
        return name, f"!tosa.shape<{len(numbers)}>"

    def pick(self, rank=None):
        fitting = [v for v in self.values if rank is None or len(v.dims) == rank]
        return self.rng.choice(fitting) if fitting else None

    def arrays_of(self, operands, strict):
        """The operands, if their extents may be broadcast."""
        arrays = [v.compute(strict) for v in operands]
        if strict:
            for d in range(len(operands[0].dims)):
                need(len({a.shape[d] for a, v in zip(arrays, operands) if v.dims[d] != 1}) <= 1)
        return arrays

    def joined(self, operands):
        """Extents of the type of a broadcast; an open one where nothing is known."""
        dims = []
        for extents in zip(*(v.dims for v in operands)):
            known = {e for e in extents if e is not None and e != 1}
            dims.append(known.pop() if known else 1 if all(e == 1 for e in extents) else None)
        return dims

    def binary(self):
        a = self.pick()
        b = self.pick(len(a.dims))
        types = f"({a.type}, {b.type}"
        name = self.rng.choice((*BINARY, "mul"))
        if name == "mul":
            return self.emit(f"tosa.mul {a.name}, {b.name}, %shift : {types}, tensor<1xi8>)", self.joined((a, b)),
                             lambda strict: np.multiply(*self.arrays_of((a, b), strict)))
        return self.emit(f"tosa.{name} {a.name}, {b.name} : {types})", self.joined((a, b)),
                         lambda strict: BINARY[name](*self.arrays_of((a, b), strict)))

    def select(self):
        a = self.pick()
        b, c = self.pick(len(a.dims)), self.pick(len(a.dims))
        between = self.joined((a, b))
        flag = f"%c{self.count}"
        kind = type_of(between, "i1")
        self.lines.append(f"{flag} = tosa.greater {a.name}, {b.name} : ({a.type}, {b.type}) -> {kind}")
        condition = Value(flag, between, lambda strict: np.greater(*self.arrays_of((a, b), strict)))
        return self.emit(f"tosa.select {flag}, {a.name}, {c.name} : ({kind}, {a.type}, {c.type})", self.joined((condition, a, c)),
                         lambda strict: np.where(*self.arrays_of((condition, a, c), strict)))

    def reduce(self):
        a = self.pick()
        axis = self.rng.randrange(len(a.dims))
        name, of = self.rng.choice((("reduce_sum", np.sum), ("reduce_max", np.max), ("reduce_min", np.min)))
        return self.emit(f"tosa.{name} {a.name} {{axis = {axis} : i32}} : ({a.type})", [1 if d == axis else e for d, e in enumerate(a.dims)],
                         lambda strict: of(a.compute(strict), axis=axis, keepdims=True))

    def concat(self):
        a = self.pick()
        b = self.pick(len(a.dims))
        axis = self.rng.randrange(len(a.dims))
        dims = []
        for d, (x, y) in enumerate(zip(a.dims, b.dims)):
            if d == axis:
                dims.append(None if None in (x, y) else x + y)
            elif None not in (x, y) and x != y:
                return None  # no such program
            else:
                dims.append(x if y is None else y)
        return self.emit(f"tosa.concat {a.name}, {b.name} {{axis = {axis} : i32}} : ({a.type}, {b.type})", dims,
                         lambda strict: np.concatenate([a.compute(strict), b.compute(strict)], axis))

    def slice(self):
        a = self.pick()
        part = [(0, -1) if self.rng.random() < 0.6 else (self.rng.randint(0, 1), self.rng.choice((1, 2, -1))) for _ in a.dims]
        dims, ranges = [], part
        for extent, (start, size) in zip(a.dims, part):
            if extent is not None and (start >= extent or start + max(size, 1) > extent):
                return None
            dims.append(size if size > 0 else None if extent is None else extent - start)
        (start, kind), (size, _) = self.shape(*(s for s, _ in part)), self.shape(*(s for _, s in part))

        def compute(strict):
            x = a.compute(strict)
            for extent, (first, count) in zip(x.shape, ranges):
                need(first + max(count, 0) <= extent)
            return x[tuple(slice(first, None if count < 0 else first + count) for first, count in ranges)]
        return self.emit(f"tosa.slice {a.name}, {start}, {size} : ({a.type}, {kind}, {kind})", dims, compute)

    def reshape(self):
        a = self.pick()
        target = self.rng.choice(([-1], [1, -1], [-1, 3], [2, -1, 1], [1, -1, 1, 2]))
        known = int(np.prod([t for t in target if t > 0]))
        if None not in a.dims and int(np.prod(a.dims)) % known:
            return None
        name, kind = self.shape(*target)
        whole = None if None in a.dims else int(np.prod(a.dims)) // known
        return self.emit(f"tosa.reshape {a.name}, {name} : ({a.type}, {kind})", [whole if t < 0 else t for t in target],
                         lambda strict: a.compute(strict).reshape(target))

    def move(self):
        a = self.pick()
        rank = len(a.dims)
        kind = self.rng.choice(("transpose", "reverse", "tile", "pad"))
        if kind == "transpose":
            order = self.rng.sample(range(rank), rank)
            return self.emit(f"tosa.transpose {a.name} {{perms = array<i32: {', '.join(map(str, order))}>}} : ({a.type})",
                             [a.dims[d] for d in order], lambda strict: a.compute(strict).transpose(order))
        if kind == "reverse":
            axis = self.rng.randrange(rank)
            return self.emit(f"tosa.reverse {a.name} {{axis = {axis} : i32}} : ({a.type})", a.dims, lambda strict: np.flip(a.compute(strict), axis))
        if kind == "tile":
            times = [self.rng.randint(1, 2) for _ in range(rank)]
            name, shape = self.shape(*times)
            return self.emit(f"tosa.tile {a.name}, {name} : ({a.type}, {shape})", [None if d is None else d * t for d, t in zip(a.dims, times)],
                             lambda strict: np.tile(a.compute(strict), times))
        pads = [(self.rng.randint(0, 1), self.rng.randint(0, 1)) for _ in range(rank)]
        name, shape = self.shape(*(p for pair in pads for p in pair))
        return self.emit(f"tosa.pad {a.name}, {name}, %zero : ({a.type}, {shape}, tensor<1xf32>)",
                         [None if d is None else d + sum(p) for d, p in zip(a.dims, pads)], lambda strict: np.pad(a.compute(strict), pads))

    def matmul(self):
        a, b = self.pick(3), self.pick(3)
        if a is None or any(None not in pair and pair[0] != pair[1] for pair in ((a.dims[0], b.dims[0]), (a.dims[2], b.dims[1]))):
            return None

        def compute(strict):
            x, y = a.compute(strict), b.compute(strict)
            need(x.shape[0] == y.shape[0])
            return x @ y
        batch = a.dims[0] if b.dims[0] is None else b.dims[0]
        return self.emit(f"tosa.matmul {a.name}, {b.name}, %zero, %zero : ({a.type}, {b.type}, tensor<1xf32>, tensor<1xf32>)",
                         [batch, a.dims[1], b.dims[2]], compute)

    def program(self):
        kinds = [self.binary] * 4 + [self.select, self.reduce, self.reduce, self.concat, self.slice, self.reshape, self.move, self.move, self.matmul]
        length = self.rng.randint(2, 7)
        while self.count < length:
            self.rng.choice(kinds)()
        result = self.values[-1]
        arguments = ", ".join(f"{v.name}: {v.type}" for v in self.arguments)
        body = "\n".join("  " + line for line in self.lines)
        return f"func.func @main({arguments}) -> {result.type} {{\n{body}\n  return {result.name} : {result.type}\n}}\n"

    def inputs(self):
        """Small numbers; extents that often fit together."""
        usual = [self.rng.choice((0, 1, 1, 2, 3, 3, 4, 5, 17)) for _ in range(4)]
        arrays = []
        for i, v in enumerate(self.arguments):
            extents = [d if d is not None else self.rng.choice((usual[k], usual[k], usual[k], usual[k], 1, 3)) for k, d in enumerate(v.dims)]
            arrays.append(np.random.default_rng([i, *extents]).integers(-3, 4, extents).astype(np.float32))
        return arrays

    def expected(self, arrays, strict):
        """What the call gives; None where it is refused. All ops count, though nobody may read them."""
        self.arrays, self.cache = arrays, {}
        try:
            for value in self.values:
                value.compute(strict)
        except ValueError:
            return None
        return self.values[-1].compute(strict)


def check(checks, library, rng, path, what, counts):
    generator = Generator(rng)
    text = generator.program()
    path.write_text(text)
    calls = [generator.inputs() for _ in range(CALLS)]
    for rule in ("strict", "numpy"):
        try:
            program = symshape_c.Program(path, library=library, tosa_broadcast=rule)
        except symshape_c.Error as error:
            # No call is valid: this is said when it is compiled.
            impossible = all(generator.expected(call, rule == "strict") is None for call in calls)
            checks.that(impossible, f"{what}, {rule}: compiles", f"  {error}\n{text}")
            continue
        for number, call in enumerate(calls):
            expected = generator.expected(call, rule == "strict")
            counts[expected is not None] += 1
            place = f"{what}, {rule}, call {number}, {[a.shape for a in call]}"
            try:
                (actual,) = program(*call)
            except symshape_c.Error as error:
                checks.that(expected is None and error.status == 3 and "needed by" in str(error), f"{place}: runs", f"  {error}\n{text}")
                continue
            if checks.that(expected is not None, f"{place}: is refused", text):
                checks.that(actual.shape == expected.shape and np.array_equal(actual, expected), f"{place}: as NumPy",
                            f"  {actual.shape}, {expected.shape}\n{text}")


def main():
    seed, count, library = int(sys.argv[1]), int(sys.argv[2]), symshape_c.load(sys.argv[3])
    checks, counts = Checks(), [0, 0]
    with tempfile.TemporaryDirectory(prefix="symshape") as folder:
        for number in range(seed, seed + count):
            check(checks, library, random.Random(number), Path(folder) / "m.mlir", f"program {number}", counts)
    print(f"{counts[1]} calls accepted, {counts[0]} refused")
    checks.that(min(counts) >= FLOOR * sum(counts), "enough of each", f"  {counts}")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
