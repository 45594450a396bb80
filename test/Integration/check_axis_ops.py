# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops along an axis, and those that make positions, beside NumPy.

    check_axis_ops.py [NAME]...

Each program is compiled once and run under --guard-pages, extents 0, 1, 2 and odd
ones among them. Without names, all groups.
"""

import itertools
import sys

import numpy as np

from checking import Groups
from op_programs import DTYPES, SHAPES, Programs, integers

group = Groups()


class Ops(Programs):
    """The body is one op."""

    def write(self, op, arguments, types):
        names = ", ".join(f"%r{i}" for i in range(len(types)))
        super().write(f"  {names} = {op}", arguments, types)


@group
def reverses(programs):
    for axes, dtype in itertools.product([[0], [1], [0, 1], []], ["f64", "i32"]):
        type_ = f"tensor<?x?x{dtype}>"
        programs.run(f"reverse {axes} {dtype}", f"symshape.reverse %a0 axes {axes} : {type_}", [type_], [type_],
                     [[integers(shape, dtype)] for shape in SHAPES], lambda x: [np.flip(x, axes)])


@group
def cumsums(programs):
    for axis, dtype, backwards in itertools.product([0, 1], ["f64", "f32", "i64"], [False, True]):
        type_ = f"tensor<?x?x{dtype}>"

        def oracle(x):
            return [np.flip(np.cumsum(np.flip(x, axis), axis, dtype=x.dtype), axis) if backwards
                    else np.cumsum(x, axis, dtype=x.dtype)]
        programs.run(f"cumsum {axis} {dtype} {backwards}",
                     f"symshape.cumsum %a0 axis {axis}{' reverse' if backwards else ''} : {type_}", [type_],
                     [type_], [[integers(shape, dtype)] for shape in SHAPES], oracle)
    cube = "tensor<?x?x?xf64>"
    programs.run("cumsum in the middle", f"symshape.cumsum %a0 axis 1 : {cube}", [cube], [cube],
                 [[integers(shape, "f64")] for shape in [(2, 3, 4), (0, 1, 2), (5, 0, 1), (1, 7, 3)]],
                 lambda x: [np.cumsum(x, 1)])


def with_nan(x):
    if x.dtype.kind == "f" and x.size > 3:
        x.flat[[0, x.size // 2]] = np.nan, -0.0
    return x


@group
def sorts(programs):
    for axis, dtype, kind in itertools.product([0, 1], DTYPES, ["i64", "i32"]):
        type_, positions = f"tensor<?x?x{dtype}>", f"tensor<?x?x{kind}>"

        def oracle(x):
            order = np.argsort(x, axis, kind="stable")
            return [np.take_along_axis(x, order, axis), order.astype(DTYPES[kind])]
        programs.run(f"sort {axis} {dtype} {kind}", f"symshape.sort %a0 axis {axis} : {type_}, {positions}",
                     [type_], [type_, positions], [[with_nan(integers(shape, dtype))] for shape in SHAPES], oracle)
    square = "tensor<3x3xi64>"
    programs.run("sort of static extents", f"symshape.sort %a0 axis 1 : {square}, {square}", [square],
                 [square, square], [[integers((3, 3), "i64")], [integers((3, 3), "i64", seed=4)]],
                 lambda x: [np.sort(x, 1), np.argsort(x, 1, kind="stable")])
    line = "tensor<?xf64>"
    programs.run("sort of a line", f"symshape.sort %a0 axis 0 : {line}, tensor<?xi64>", [line],
                 [line, "tensor<?xi64>"], [[np.random.default_rng(1).normal(size=n)] for n in [0, 1, 2, 3, 1000, 1025]],
                 lambda x: [np.sort(x), np.argsort(x, kind="stable")])


@group
def top_ks(programs):
    for axis, dtype in itertools.product([0, 1], ["f64", "i32"]):
        type_, positions = f"tensor<?x?x{dtype}>", "tensor<?x?xi64>"
        calls = [[with_nan(integers(shape, dtype)), np.int64(k)] for shape in SHAPES
                 for k in {0, 1, shape[axis] // 2, shape[axis]} if k <= shape[axis]]

        def oracle(x, k):
            # The first of equal ones first: stable from the back.
            order = np.flip(np.argsort(np.flip(x, axis), axis, kind="stable"), axis)
            order = (x.shape[axis] - 1 - order).take(range(k), axis)
            return [np.take_along_axis(x, order, axis), order]
        programs.run(f"top_k {axis} {dtype}",
                     f"symshape.top_k %a0, %a1 axis {axis} : {type_} to {type_}, {positions}", [type_, "index"],
                     [type_, positions], calls, oracle)
    for k in [-1, 4]:
        programs.refused(f"top_k of {k} of 3",
                         "symshape.top_k %a0, %a1 axis 0 : tensor<?xf64> to tensor<?xf64>, tensor<?xi64>",
                         ["tensor<?xf64>", "index"], ["tensor<?xf64>", "tensor<?xi64>"], [np.zeros(3), np.int64(k)])


@group
def iotas(programs):
    calls = [[np.int64(v) for v in call] for call in
             [(0, 0, 1), (0, 1, 1), (0, 5, 2), (5, 0, -2), (5, 0, 1), (0, 5, -1), (-7, 9, 3), (2, 3, 100),
              (2**63 - 3, 2**63 - 1, 1), (-(2**63) + 1, 2**63 - 1, 2**61), (2**62, -(2**62), -(2**61))]]
    programs.run("iota", "symshape.iota [%a0, %a1, %a2] : tensor<?xi64>", ["index"] * 3, ["tensor<?xi64>"], calls,
                 lambda *bounds: [np.array(range(*map(int, bounds)), dtype=np.int64)])
    programs.run("iota of i32", "symshape.iota [%a0, 9, 2] : tensor<?xi32>", ["index"], ["tensor<?xi32>"],
                 [[np.int64(v)] for v in [-3, 0, 8, 9, 10]], lambda start: [np.arange(start, 9, 2, dtype=np.int32)])
    programs.refused("iota with step 0", "symshape.iota [0, 4, %a0] : tensor<?xi64>", ["index"],
                     ["tensor<?xi64>"], [np.int64(0)])


@group
def nonzeros(programs):
    for dtype in DTYPES:
        programs.run(f"nonzero {dtype}", f"symshape.nonzero %a0 : tensor<?x?x{dtype}> to tensor<?x2xindex>",
                     [f"tensor<?x?x{dtype}>"], ["tensor<?x2xindex>"],
                     [[with_nan(integers(shape, dtype) % 2)] for shape in SHAPES],
                     lambda x: [np.argwhere(x).astype(np.int64)])
    programs.run("nonzero of all and none", "symshape.nonzero %a0 : tensor<?xf64> to tensor<?x1xindex>",
                 ["tensor<?xf64>"], ["tensor<?x1xindex>"], [[np.ones(4)], [np.zeros(4)], [np.zeros(0)], [np.ones(1)]],
                 lambda x: [np.argwhere(x).astype(np.int64)])


if __name__ == "__main__":
    sys.exit(group.run(sys.argv[1:], Ops))
