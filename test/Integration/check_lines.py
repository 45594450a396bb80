# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sort, top_k, cumsum and nonzero of elements of all types and along long lines, beside NumPy.

    check_lines.py [NAME]...

Each program does all four, is compiled once, and is run under --guard-pages. Without
names, all groups.
"""

import itertools
import sys

import numpy as np

from checking import Groups
from op_programs import SHAPES, Programs

group = Groups()

DTYPES = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "f16": np.float16, "f32": np.float32,
          "f64": np.float64, "bf16": np.float32}  # arrays of bf16 are converted in the program
LEAST = 2000  # checks


def tensor(extents, element):
    return f"tensor<{''.join(f'{extent}x' for extent in extents)}{element}>"


class Four:
    """The program that does all four along an axis of tensors with some static extents."""

    def __init__(self, dtype, axis, reverse=False, extents=("?", "?")):
        self.dtype, self.axis, self.reverse, self.extents = dtype, axis, reverse, extents
        self.outer = "f32" if dtype == "bf16" else dtype
        self.lines, self.types = [], []

    def add(self, op, types):
        """An op, whose results are converted to what NumPy has."""
        first = len(self.types)
        names = [f"%{'n' if 'bf16' in type_ else 'r'}{first + i}" for i, type_ in enumerate(types)]
        self.lines.append(f"  {', '.join(names)} = {op}")
        for name, type_ in zip(names, types):
            wide = type_.replace("bf16", "f32")
            if wide != type_:
                self.lines.append(f"  %r{len(self.types)} = arith.extf {name} : {type_} to {wide}")
            self.types.append(wide)

    def write(self):
        """Body, types of arguments, and of results."""
        rank, axis = len(self.extents), self.axis
        source, outer = tensor(self.extents, self.dtype), tensor(self.extents, self.outer)
        some = [*self.extents[:axis], "?", *self.extents[axis + 1:]]
        convert = "arith.truncf" if outer != source else "tensor.cast"
        self.lines.append(f"  %x = {convert} %a0 : {outer} to {source}")
        order = [source, tensor(self.extents, "i64")], [tensor(some, self.dtype), tensor(some, "i32")]
        self.add(f"symshape.sort %x axis {axis} : {order[0][0]}, {order[0][1]}", order[0])
        self.add(f"symshape.top_k %x, %a1 axis {axis} : {source} to {order[1][0]}, {order[1][1]}", order[1])
        self.add(f"symshape.cumsum %x axis {axis}{' reverse' if self.reverse else ''} : {source}", [source])
        rows = f"tensor<?x{rank}xindex>"
        self.add(f"symshape.nonzero %x : {source} to {rows}", [rows])
        return "\n".join(self.lines), [outer, "index"], self.types

    def call(self, shape, seed=3):
        """Few different values, NaN and zeros of both signs among them; the integers are exact as sums."""
        x = np.random.default_rng(seed).integers(-2, 3, shape).astype(DTYPES[self.dtype])
        if x.dtype.kind == "f":
            x[x == 0] = np.where(np.arange(np.sum(x == 0)) % 2, 0.0, -0.0)
            x.flat[[i for i in (1, 4, x.size - 1) if 0 <= i < x.size]] = np.nan
        return [x, np.int64((shape[self.axis] + 1) // 2)]

    def oracle(self, x, k):
        axis = self.axis
        order = np.argsort(x, axis, kind="stable")
        # Descending, the first of equal ones first: stable from the back.
        down = np.flip(np.argsort(np.flip(x, axis), axis, kind="stable"), axis)
        down = (x.shape[axis] - 1 - down).take(range(k), axis)
        turned = np.flip(x, axis) if self.reverse else x
        sums = np.cumsum(turned, axis, dtype=x.dtype)
        return [np.take_along_axis(x, order, axis), order, np.take_along_axis(x, down, axis), down.astype(np.int32),
                np.flip(sums, axis) if self.reverse else sums, np.argwhere(x).astype(np.int64)]

    def run(self, programs, shapes):
        body, arguments, types = self.write()
        what = f"{self.dtype} along {self.axis} of {tensor(self.extents, '')}{' back' if self.reverse else ''}"
        programs.run(what, body, arguments, types, [self.call(shape) for shape in shapes], self.oracle)


@group
def types(programs):
    for dtype, axis in itertools.product(DTYPES, [0, 1]):
        Four(dtype, axis, reverse=axis == 1).run(programs, SHAPES)


@group
def ranks(programs):
    Four("f32", 0, extents=("?",)).run(programs, [(n,) for n in [0, 1, 2, 3, 15, 16, 17, 255, 256, 257, 1000]])
    for axis in range(3):
        Four("i32", axis, reverse=axis == 1, extents=("?",) * 3).run(
            programs, [(2, 3, 4), (0, 1, 2), (5, 0, 1), (1, 7, 3), (3, 17, 33)])


@group
def static_extents(programs):
    for n in [0, 1, 2, 3, 16, 17, 64, 65]:
        Four("f32", 1, extents=("?", n)).run(programs, [(0, n), (3, n)])
        Four("i64", 0, extents=(n, 3)).run(programs, [(n, 3)])


@group
def long_lines(programs):
    """Through each number of passes, up to where there are sums of sums of sums."""
    Four("f32", 1).run(programs, [(2, n) for n in [1023, 1024, 1025, 4096, 4097]])
    Four("f64", 0, reverse=True).run(programs, [(2049, 2)])
    Four("i16", 0, extents=("?",)).run(programs, [(5000,)])


@group
def signs(programs):
    """Sums of zeros have the sign of zero that those of NumPy have."""
    for dtype in ["f32", "f64"]:
        line = f"tensor<?x{dtype}>"
        calls = [[x.astype(DTYPES[dtype])] for x in (np.full(40, -0.0), np.zeros(40), np.array([-0.0] * 20 + [0.0] * 20))]
        body = f"""  %s = symshape.cumsum %a0 axis 0 : {line}
  %one = arith.constant 1.0 : {dtype}
  %n = tensor.empty(%size) : {line}
  %ones = linalg.fill ins(%one : {dtype}) outs(%n : {line}) -> {line}
  %r0 = math.copysign %ones, %s : {line}"""
        body = f"  %c0 = arith.constant 0 : index\n  %size = tensor.dim %a0, %c0 : {line}\n{body}"
        programs.run(f"signs of {dtype}", body, [line], [line], calls,
                     lambda x: [np.copysign(np.ones_like(x), np.cumsum(x, dtype=x.dtype))])


@group
def roundings(programs):
    """Sums of floats of all magnitudes: as close as adding them one by one may be."""
    for dtype, unit in [("f32", 2.0**-24), ("f64", 2.0**-53)]:
        line = f"tensor<?x{dtype}>"
        calls = [[np.random.default_rng(n).normal(size=n).astype(DTYPES[dtype])] for n in [100, 5000]]
        for call in calls:
            bound = len(call[0]) * unit * np.abs(call[0]).sum(dtype=np.float64)
            programs.run(f"rounding of {dtype}", f"  %r0 = symshape.cumsum %a0 axis 0 : {line}", [line], [line],
                         [call], lambda x: [np.cumsum(x.astype(np.longdouble)).astype(x.dtype)], tolerance=bound)


@group
def loops(programs):
    """Inside of a loop, between other ops, and of results of one another."""
    body = """  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r0 = scf.for %i = %c0 to %a1 step %c1 iter_args(%x = %a0) -> (tensor<?x?xi32>) {
    %sum = symshape.cumsum %x axis 1 : tensor<?x?xi32>
    %twice = arith.addi %sum, %x : tensor<?x?xi32>
    %values, %places = symshape.sort %twice axis 0 : tensor<?x?xi32>, tensor<?x?xi32>
    %next = arith.subi %values, %places : tensor<?x?xi32>
    scf.yield %next : tensor<?x?xi32>
  }
  %r1 = symshape.nonzero %r0 : tensor<?x?xi32> to tensor<?x2xindex>"""

    def oracle(x, count):
        for _ in range(count):
            twice = np.cumsum(x, 1, dtype=x.dtype) + x
            order = np.argsort(twice, 0, kind="stable")
            x = np.take_along_axis(twice, order, 0) - order.astype(x.dtype)
        return [x, np.argwhere(x).astype(np.int64)]
    rng = np.random.default_rng(2)
    programs.run("a loop", body, ["tensor<?x?xi32>", "index"], ["tensor<?x?xi32>", "tensor<?x2xindex>"],
                 [[rng.integers(-3, 4, shape).astype(np.int32), np.int64(count)]
                  for shape, count in [((5, 18), 3), ((0, 4), 2), ((4, 0), 2), ((33, 3), 1), ((2, 2), 0)]], oracle)


def main():
    checks = []

    def make(one, folder):
        checks.append(one)
        return Programs(one, folder)
    status = group.run(sys.argv[1:], make)
    if not sys.argv[1:] and checks[0].made < LEAST:
        print(f"expected at least {LEAST} checks", file=sys.stderr)
        return 1
    return status


if __name__ == "__main__":
    sys.exit(main())
