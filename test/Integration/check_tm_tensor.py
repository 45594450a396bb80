# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of tm_tensor, which torch-mlir leaves in its exports, beside NumPy.

    check_tm_tensor.py [NAME]...

Each program is compiled once and run under --guard-pages, extents 0, 1, 2 and odd
ones among them. The oracles are plain loops of the op's definition, or NumPy's own
function. Without names, all groups.
"""

import itertools
import sys

import numpy as np

import symrun
from checking import Groups
from op_programs import DTYPES, SHAPES, Programs, integers

group = Groups()


# Scans ---------------------------------------------------------------------

COMBINERS = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}
OPS = {"add": ("arith.addf", "arith.addi"), "mul": ("arith.mulf", "arith.muli"),
       "max": ("arith.maximumf", "arith.maxsi"), "min": ("arith.minimumf", "arith.minsi")}


def op_of(combiner, dtype):
    return OPS[combiner][dtype.startswith("i")]


def scan(combiner, dtype, axis, inclusive, tensor, row):
    return f"""  %r0, %r1 = tm_tensor.scan dimension({axis}) inclusive({str(inclusive).lower()})
      ins(%a0 : {tensor}) outs(%a1, %a2 : {tensor}, {row}) {{
  ^bb0(%last: {dtype}, %element: {dtype}):
    %s = {op_of(combiner, dtype)} %last, %element : {dtype}
    tm_tensor.yield %s : {dtype}
  }} -> {tensor}, {row}"""


def scan_oracle(combiner, axis, inclusive):
    def oracle(x, _, accumulator):
        x, result = np.moveaxis(x, axis, 0), np.empty_like(np.moveaxis(x, axis, 0))
        last = accumulator.copy()
        for i in range(len(x)):
            if i == 0:
                result[0] = x[0] if inclusive else accumulator
            else:
                last = result[i] = COMBINERS[combiner](result[i - 1], x[i] if inclusive else x[i - 1])
        return [np.moveaxis(result, 0, axis), last]
    return oracle


def row_of(x, axis):
    return np.delete(x.shape, axis)


@group
def scans(programs):
    for combiner, axis, inclusive in itertools.product(COMBINERS, [0, 1], [True, False]):
        for dtype in ["f32", "i64"]:
            tensor, row = f"tensor<?x?x{dtype}>", f"tensor<?x{dtype}>"
            xs = [with_special(integers(shape, dtype), combiner) for shape in SHAPES]
            calls = [[x, np.zeros_like(x), integers(row_of(x, axis), dtype, seed=5)] for x in xs]
            programs.run(f"scan {combiner} {axis} {inclusive} {dtype}",
                         scan(combiner, dtype, axis, inclusive, tensor, row), [tensor, tensor, row], [tensor, row],
                         calls, scan_oracle(combiner, axis, inclusive))


def with_special(x, combiner):
    """NaN in one line, which all later elements become."""
    if x.dtype.kind == "f" and x.size > 8 and combiner in ("max", "min"):
        x[0, 1] = np.nan
    return x


@group
def scans_of_static_extents(programs):
    for shape in [(0, 3), (3, 0), (1, 4), (3, 5)]:
        tensor, row = f"tensor<{shape[0]}x{shape[1]}xf64>", f"tensor<{shape[0]}xf64>"
        for combiner, inclusive in itertools.product(["add", "mul"], [True, False]):
            x = integers(shape, "f64")
            programs.run(f"static scan {shape} {combiner} {inclusive}",
                         scan(combiner, "f64", 1, inclusive, tensor, row), [tensor, tensor, row], [tensor, row],
                         [[x, x, integers(shape[:1], "f64")]], scan_oracle(combiner, 1, inclusive))


@group
def signs_of_zeros(programs):
    line = "tensor<?xf32>"
    programs.write(scan("add", "f32", 0, True, line, "tensor<f32>"), [line, line, "tensor<f32>"],
                   [line, "tensor<f32>"])
    x = np.float32([-0.0, -0.0, 0.0, 1.0])
    run = symrun.run(programs.path, [[x, x, np.float32(0)]], results=2)
    if programs.checks.ran(run, 1, "sums of zeros"):
        programs.checks.that(np.array_equal(np.signbit(run.results[0][0]), np.signbit(np.cumsum(x))), "signs of zeros")


@group
def scans_refused(programs):
    tensor, row = "tensor<?x?xf32>", "tensor<?xf32>"
    body = scan("add", "f32", 1, True, tensor, row)
    arguments, x = [tensor, tensor, row], np.zeros((2, 3), np.float32)
    programs.refused("an output of other extents", body, arguments, [tensor, row],
                     [x, np.zeros((2, 4), np.float32), np.zeros(2, np.float32)],
                     ["extents of the input and the output must be equal"])
    programs.refused("an accumulator of other extents", body, arguments, [tensor, row],
                     [x, x, np.zeros(3, np.float32)], ["extents of the input and the accumulator must be equal"])


# Scatters ------------------------------------------------------------------


def scatter(combiner, dtype, axes, types, unique=False):
    updates, rows, output = types
    made = "" if combiner == "update" else f"    %s = {op_of(combiner, dtype)} %update, %element : {dtype}\n"
    return f"""  %r0 = tm_tensor.scatter {{dimension_map = array<i64: {', '.join(map(str, axes))}>}}
      unique_indices({str(unique).lower()}) ins(%a0, %a1 : {updates}, {rows}) outs(%a2 : {output}) {{
  ^bb0(%update: {dtype}, %element: {dtype}):
{made}    tm_tensor.yield {'%s' if made else '%update'} : {dtype}
  }} -> {output}"""


def scatter_oracle(combiner, axes):
    def oracle(updates, rows, output):
        result = output.copy()
        first = output.ndim - (updates.ndim - 1)
        for place in np.ndindex(updates.shape):
            at = [0] * first + list(place[1:])
            for number, axis in enumerate(axes):
                at[axis] += rows[place[0], number]
            at = tuple(at)
            result[at] = updates[place] if combiner == "update" else COMBINERS[combiner](updates[place], result[at])
        return [result]
    return oracle


@group
def scatters(programs):
    random = np.random.default_rng(1)
    for combiner, dtype, kind in itertools.product(["update", *COMBINERS], ["f64", "i32"], ["i64", "i32"]):
        # Single elements, at places that occur more than once.
        types = [f"tensor<?x{dtype}>", f"tensor<?x2x{kind}>", f"tensor<?x?x{dtype}>"]
        calls = []
        for count, shape in [(0, (3, 4)), (0, (0, 4)), (1, (1, 1)), (5, (2, 1)), (9, (3, 5)), (40, (4, 3))]:
            rows = np.stack([random.integers(0, max(1, extent), count) for extent in shape], 1)
            calls.append([integers(count, dtype), rows.astype(DTYPES[kind]), integers(shape, dtype, seed=2)])
        programs.run(f"scatter {combiner} {dtype} {kind}", scatter(combiner, dtype, [0, 1], types), types,
                     types[2:], calls, scatter_oracle(combiner, [0, 1]))


@group
def scatters_of_windows(programs):
    for combiner in ["update", "add"]:
        types = ["tensor<?x?xf64>", "tensor<?x1xi64>", "tensor<?x?xf64>"]
        calls = [[integers((n, width), "f64"), np.array(rows, np.int64).reshape(n, 1), integers(shape, "f64", seed=2)]
                 for n, width, rows, shape in [(0, 3, [], (2, 3)), (1, 1, [0], (1, 1)), (3, 2, [1, 0, 1], (2, 5)),
                                               (2, 4, [2, 2], (3, 4)), (2, 0, [0, 1], (2, 3))]]
        programs.run(f"scatter of rows {combiner}", scatter(combiner, "f64", [0], types), types, types[2:], calls,
                     scatter_oracle(combiner, [0]))
        # Windows that move along an axis along which they extend, and another order of axes.
        types = ["tensor<?x?x?xf64>", "tensor<?x2xi64>", "tensor<2x?x?xf64>"]
        calls = [[integers((n, 1, 3), "f64"), np.array(rows, np.int64).reshape(n, 2), integers((2, 7, 5), "f64")]
                 for n, rows in [(0, []), (1, [[4, 1]]), (3, [[6, 0], [0, 1], [6, 0]])]]
        programs.run(f"scatter of moved windows {combiner}", scatter(combiner, "f64", [1, 0], types), types,
                     types[2:], calls, scatter_oracle(combiner, [1, 0]))


@group
def scatters_refused(programs):
    types = ["tensor<?xf64>", "tensor<?x1xi64>", "tensor<?xf64>"]
    for row in [-1, 4, 2**40]:
        programs.refused(f"a place {row}", scatter("add", "f64", [0], types), types, types[2:],
                         [np.ones(2), np.array([[0], [row]]), np.zeros(4)], [str(row)])
    programs.refused("fewer rows than updates", scatter("add", "f64", [0], types), types, types[2:],
                     [np.ones(3), np.array([[0], [1]]), np.zeros(4)], ["extent of %a0 dim 0"])
    programs.refused("no place", scatter("add", "f64", [0], types), types, types[2:],
                     [np.ones(1), np.array([[0]]), np.zeros(0)], ["extent of %a2 dim 0"])
    programs.refused("a place twice", scatter("add", "f64", [0], types, unique=True), types, types[2:],
                     [np.ones(2), np.array([[1], [1]]), np.zeros(4)], ["written twice"])


# Orders --------------------------------------------------------------------


def sort(predicate, dtype, axis):
    compare = "arith.cmpi s" if dtype.startswith("i") else "arith.cmpf o"
    key, value = f"tensor<?x?x{dtype}>", "tensor<?x?xi64>"
    return f"""  %r0, %r1 = tm_tensor.sort dimension({axis}) outs(%a0, %a1 : {key}, {value}) {{
  ^bb0(%a: {dtype}, %b: {dtype}, %v: i64, %w: i64):
    %c = {compare}{predicate}, %a, %b : {dtype}
    tm_tensor.yield %c : i1
  }} -> {key}, {value}"""


def order(x, axis, descending):
    """NaN last in ascending order, first in descending; ties in order."""
    if not descending:
        return np.argsort(x, axis, kind="stable")
    backwards = np.flip(np.argsort(np.flip(x, axis), axis, kind="stable"), axis)
    return x.shape[axis] - 1 - backwards


def with_nan(x):
    if x.dtype.kind == "f" and x.size > 3:
        x.flat[[0, x.size // 2]] = np.nan, -0.0
    return x


@group
def sorts(programs):
    for predicate, dtype, axis in itertools.product(["le", "ge"], DTYPES, [0, 1]):
        calls = [[with_nan(integers(shape, dtype)), integers(shape, "i64", seed=9) * 100] for shape in SHAPES]

        def oracle(x, y):
            at = order(x, axis, predicate == "ge")
            return [np.take_along_axis(x, at, axis), np.take_along_axis(y, at, axis)]
        types = [f"tensor<?x?x{dtype}>", "tensor<?x?xi64>"]
        programs.run(f"sort {predicate} {dtype} {axis}", sort(predicate, dtype, axis), types, types, calls, oracle)
    types = ["tensor<?x?xf32>", "tensor<?x?xi64>"]
    programs.refused("outputs of other extents", sort("le", "f32", 1), types, types,
                     [np.zeros((2, 3), np.float32), np.zeros((2, 4), np.int64)],
                     ["extents of the outputs must be equal"])


def topk(dtype, largest, kind):
    line, values, places = f"tensor<?x?x{dtype}>", f"tensor<?x?x{dtype}>", f"tensor<?x?x{kind}>"
    if dtype.startswith("i"):
        last, compare = (-2**31 if largest else 2**31 - 1), "arith.cmpi s"
    else:
        last, compare = ("0xFF800000" if largest else "0x7F800000"), "arith.cmpf o"
    return f"""  %c0 = arith.constant 0 : index
  %m = tensor.dim %a0, %c0 : {line}
  %last = arith.constant {last} : {dtype}
  %e = tensor.empty(%m, %a1) : {values}
  %v = linalg.fill ins(%last : {dtype}) outs(%e : {values}) -> {values}
  %p = tensor.empty(%m, %a1) : {places}
  %r0, %r1 = tm_tensor.topk dimension(1) ins(%a0 : {line}) outs(%v, %p : {values}, {places}) {{
  ^bb0(%a: {dtype}, %b: {dtype}):
    %c = {compare}{'gt' if largest else 'lt'}, %a, %b : {dtype}
    tm_tensor.yield %c : i1
  }} -> {values}, {places}"""


@group
def tops(programs):
    for dtype, largest, kind in itertools.product(["f32", "i32"], [True, False], ["i32", "i64"]):
        calls = [[with_nan(integers(shape, dtype)), np.int64(k)] for shape in SHAPES
                 for k in sorted({0, 1, shape[1] // 2, shape[1]}) if k <= shape[1]]

        def oracle(x, k):
            at = order(x, 1, largest)[:, :k]
            return [np.take_along_axis(x, at, 1), at.astype(DTYPES[kind])]
        types = [f"tensor<?x?x{dtype}>", f"tensor<?x?x{kind}>"]
        programs.run(f"topk {dtype} {largest} {kind}", topk(dtype, largest, kind), [types[0], "index"], types, calls,
                     oracle)
    for largest in [True, False]:
        programs.refused("more than there are", topk("f32", largest, "i64"), ["tensor<?x?xf32>", "index"],
                         ["tensor<?x?xf32>", "tensor<?x?xi64>"], [np.zeros((2, 3), np.float32), np.int64(4)], ["4"])


# Attention -----------------------------------------------------------------


@group
def attentions(programs):
    tensor, random = "tensor<?x?x?xf64>", np.random.default_rng(4)
    for attribute, mask in itertools.product(["", "{scale = 2.5e-01 : f64} "], [None, "f64", "i1"]):
        names = ["%a0", "%a1", "%a2"] + ["%a4"] * bool(mask)
        types = [tensor] * 3 + [f"tensor<?x?x?x{mask}>"] * bool(mask)
        body = (f"  %r0 = tm_tensor.attention {attribute}ins({', '.join(names)} : {', '.join(types)}) "
                f"outs(%a3 : {tensor}) -> {tensor}")

        def oracle(q, k, v, o, m=None):
            scale = 0.25 if attribute else 1 / np.sqrt(q.shape[2])
            scores = q @ k.swapaxes(1, 2) * scale
            if mask == "i1":
                scores = np.where(m, scores, -np.inf)
            elif mask:
                scores = scores + m
            if scores.shape[2]:
                scores = np.exp(scores - scores.max(2, keepdims=True))
                scores = scores / scores.sum(2, keepdims=True)
            return [scores @ v]
        calls = []
        for b, n, s, d, e in [(1, 1, 1, 1, 1), (2, 3, 5, 4, 4), (3, 1, 7, 8, 2), (0, 3, 2, 4, 4), (2, 0, 3, 4, 4),
                              (2, 3, 0, 4, 5), (1, 17, 33, 16, 16)]:
            call = [random.normal(size=shape) for shape in [(b, n, d), (b, s, d), (b, s, e), (b, n, e)]]
            if mask:
                call.append(random.normal(size=(b, n, s)))
            if mask == "i1":
                call[-1] = call[-1] > -1
                call[-1][..., :1] = True
            calls.append(call)
        programs.run(f"attention {attribute}{mask}", body, [tensor] * 4 + types[3:], [tensor], calls, oracle, 1e-12)
    programs.refused("keys of another width", body, [tensor] * 4 + types[3:], [tensor],
                     [np.zeros((1, 2, 3)), np.zeros((1, 2, 4)), np.zeros((1, 2, 3)), np.zeros((1, 2, 3)),
                      np.ones((1, 2, 2), bool)], ["extent of %a0 dim 2"])


if __name__ == "__main__":
    sys.exit(group.run(sys.argv[1:], Programs))
