# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tensor ops of the dialect at many shapes beside their definitions.

    check_tensor_ops.py [NAME]...

Each program is compiled once and run under --guard-pages, extents 0, 1, 2 and odd
ones among them. Without names, all groups.
"""

import itertools
import sys
from pathlib import Path

import numpy as np

import reference
import symrun
from checking import Groups

group = Groups()


class Programs:
    """Runs programs, each given as the text of one function."""

    def __init__(self, checks, folder):
        self.checks, self.path = checks, Path(folder) / "m.mlir"

    def run(self, what, text, calls, expected):
        self.path.write_text(text)
        run = symrun.run(self.path, calls, options=["--guard-pages"])
        if self.checks.ran(run, len(calls), what):
            for call, (results, oracle) in enumerate(zip(run.results, expected)):
                self.checks.close(results[0], np.asarray(oracle), 0.0, f"{what}, call {call}")

    def refused(self, what, text, call, triple):
        """The triple is the last line."""
        self.path.write_text(text)
        run = symrun.run(self.path, [call])
        self.checks.refused(run, [], what)
        last = run.stderr.rstrip().splitlines()[-1] if run.stderr.strip() else ""
        self.checks.that(last == f"symshape: {triple}", f"{what}: the last line", f"  {run.stderr}")


def axes(numbers):
    return f"array<i64: {', '.join(map(str, numbers))}>" if numbers else "array<i64>"


def attributes(numbers):
    return ", ".join(f"{key} = {axes(value) if isinstance(value, (list, tuple)) else f'{value} : i64'}"
                     for key, value in numbers.items())


# Rows of a matrix; windows before the batch; a window at two permuted starts;
# batching axes that are not the first; an implicit index vector.
FORMS = [
    ("rows", (None, None), (None,), [1, "w"],
     {"offset_dims": [1], "collapsed_slice_dims": [0], "start_index_map": [0], "index_vector_dim": 1}),
    ("windows_first", (None, None), (None, 1), ["w", 1],
     {"offset_dims": [0], "collapsed_slice_dims": [1], "start_index_map": [1], "index_vector_dim": 1}),
    ("overlapping_first", (None, None), (None, 1), ["w", 1],
     {"offset_dims": [0], "collapsed_slice_dims": [1], "start_index_map": [0], "index_vector_dim": 1}),
    ("permuted", (None, None), (2, None), ["w", "w"],
     {"offset_dims": [0, 2], "collapsed_slice_dims": [], "start_index_map": [1, 0], "index_vector_dim": 0}),
    ("batching", (None, None), (None, None), [1, "w"],
     {"offset_dims": [2], "collapsed_slice_dims": [], "operand_batching_dims": [0],
      "start_indices_batching_dims": [1], "start_index_map": [1], "index_vector_dim": 2}),
]
TO_SCATTER = {"offset_dims": "update_window_dims", "collapsed_slice_dims": "inserted_window_dims",
              "start_index_map": "scatter_dims_to_operand_dims",
              "start_indices_batching_dims": "scatter_indices_batching_dims"}


def shape_text(shape, dtype):
    return "tensor<" + "".join(f"{'?' if e is None else e}x" for e in shape) + dtype + ">"


def data(rng, name, form_indices, rows, columns, count, width):
    """A source, indices with some out of range, and the window."""
    x = rng.integers(-9, 9, (rows, columns)).astype(np.float64)
    shape = [count if e is None else e for e in form_indices]
    if name == "batching":
        shape[1] = rows
    indices = rng.integers(-2, max(rows, columns) + 2, shape).astype(np.int64)
    return x, indices, width


SHAPES = [(1, 1, 0, 0), (1, 1, 1, 1), (2, 3, 2, 2), (5, 7, 3, 1), (7, 5, 6, 3), (9, 33, 5, 5), (33, 9, 4, 0)]


def gather_text(form, mode, width=None):
    """A gather of windows as wide as its last argument; with `width`, as a
    constant, which the type of the result has too."""
    _, source, indices, sizes, numbers = form
    slices = ", ".join("%w" if size == "w" else str(size) for size in sizes)
    result = [None] * (len(numbers["offset_dims"]) + len(indices) - (numbers["index_vector_dim"] < len(indices)))
    argument, constant = ", %w: index", ""
    if width is not None:
        argument, constant = "", f"%w = arith.constant {width} : index"
        window = [size for axis, size in enumerate(sizes)
                  if axis not in numbers["collapsed_slice_dims"] + numbers.get("operand_batching_dims", [])]
        for axis, size in zip(numbers["offset_dims"], window):
            result[axis] = width if size == "w" else size
    fill = ", fill_value = -7.0 : f64" if mode == "fill" else ""
    x, i, r = (shape_text(source, "f64"), shape_text(indices, "i64"), shape_text(result, "f64"))
    return f"""func.func @main(%x: {x}, %i: {i}{argument}) -> {r} {{
  {constant}
  %r = symshape.gather {mode} %x[%i] slice_sizes [{slices}] {{{attributes(numbers)}{fill}}} : {x}[{i}] to {r}
  return %r : {r}
}}
"""


@group
def gathers(programs):
    for form, mode in itertools.product(FORMS, ["clip", "fill"]):
        name, _, indices, sizes, numbers = form
        rng, calls, expected = np.random.default_rng(7), [], []
        for shape in SHAPES:
            x, at, width = data(rng, name, indices, *shape)
            calls.append([x, at, np.int64(width)])
            expected.append(reference.gather(x, at, [width if s == "w" else s for s in sizes], mode,
                                             fill_value=-7.0, **numbers))
        programs.run(f"gather {mode} {name}", gather_text(form, mode), calls, expected)


@group
def gathers_of_constant_windows(programs):
    for form, mode, width in itertools.product(FORMS, ["clip", "fill"], [0, 1, 3]):
        name, _, indices, sizes, numbers = form
        rng, calls, expected = np.random.default_rng(8), [], []
        for rows, columns, count, _ in SHAPES:
            if min(rows, columns) < width:
                continue
            x, at, _ = data(rng, name, indices, rows, columns, count, width)
            calls.append([x, at])
            expected.append(reference.gather(x, at, [width if s == "w" else s for s in sizes], mode,
                                             fill_value=-7.0, **numbers))
        programs.run(f"gather {mode} {name} of {width}", gather_text(form, mode, width), calls, expected)


@group
def scatters(programs):
    for form, mode, combiner in itertools.product(FORMS, ["clip", "drop"], reference.COMBINERS):
        name, source, indices, sizes, numbers = form
        rng, calls, expected = np.random.default_rng(7), [], []
        renamed = {TO_SCATTER.get(key, key): value for key, value in numbers.items()}
        for shape in SHAPES:
            x, at, width = data(rng, name, indices, *shape)
            like = reference.gather(x, at, [width if s == "w" else s for s in sizes], "clip", **numbers)
            updates = rng.integers(-3, 4, like.shape).astype(np.float64)
            calls.append([x, at, updates])
            expected.append(reference.scatter(x, at, updates, combiner, mode, **renamed))
        xs, ix, us = (shape_text(source, "f64"), shape_text(indices, "i64"),
                      shape_text([None] * like.ndim, "f64"))
        text = f"""func.func @main(%x: {xs}, %i: {ix}, %u: {us}) -> {xs} {{
  %r = symshape.scatter {combiner} {mode} %u into %x[%i] {{{attributes(renamed)}}} : {us} into {xs}[{ix}]
  return %r : {xs}
}}
"""
        programs.run(f"scatter {combiner} {mode} {name}", text, calls, expected)


UNIQUE = """func.func @main(%x: tensor<?x?xf64>, %i: tensor<?xi64>, %u: tensor<?x?xf64>) -> tensor<?x?xf64> {{
  %r = symshape.scatter update {mode} %u into %x[%i]
      {{update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, unique_indices,
       scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64}}
      : tensor<?x?xf64> into tensor<?x?xf64>[tensor<?xi64>]
  return %r : tensor<?x?xf64>
}}
"""


@group
def unique_scatters(programs):
    x, u = np.zeros((4, 3)), np.arange(1.0, 7).reshape(2, 3)
    triple = "{primitive = scatter, field = unique_indices, observed = false}"
    numbers = {"update_window_dims": [1], "inserted_window_dims": [0], "scatter_dims_to_operand_dims": [0],
               "index_vector_dim": 1}
    for mode in ("clip", "drop", "promise_in_bounds"):
        # What is dropped is not written; no window, no column and no row is unique.
        calls = [[x, np.array([3, 1]), u], [x, np.array([2]), u[:1, :0]], [x[:1], np.array([], np.int64), u[:0]]]
        calls += [[x, np.array([7, 7]), u]] if mode == "drop" else []
        programs.run(f"unique scatter {mode}", UNIQUE.format(mode=mode), calls,
                     [reference.scatter(*call, "update", "drop", **numbers) for call in calls])
        programs.refused(f"scatter {mode} twice to a row", UNIQUE.format(mode=mode), [x, np.array([2, 2]), u], triple)
    # Moved to the last row, both of them.
    programs.refused("scatter clip to what is moved", UNIQUE.format(mode="clip"), [x, np.array([3, 9]), u], triple)


@group
def truncations(programs):
    sizes = {"f64": [2.5, 3.49, 0.3, -7.2, 6.0, 1e30], "f32": [2.5, 0.5, 1e30, -0.5],
             "i64": [-1, 2**63 - 1, 3, 0], "i32": [-(2**31), 2, 9]}
    dtypes = {"f64": np.float64, "f32": np.float32, "i64": np.int64, "i32": np.int32}
    for (kind, values), axis in itertools.product(sizes.items(), [0, 1]):
        calls, expected = [], []
        for value, extent in itertools.product(values, [0, 1, 2, 5, 33]):
            x = np.arange(extent * 3.0).reshape((extent, 3) if axis == 0 else (3, extent))
            size = dtypes[kind](value)
            calls.append([x, size])
            expected.append(x.take(range(reference.truncate_size(size, extent)), axis))
        text = f"""func.func @main(%x: tensor<?x?xf64>, %n: {kind}) -> tensor<?x?xf64> {{
  %r = symshape.dynamic_truncate %x, %n axis {axis} : tensor<?x?xf64>, {kind} to tensor<?x?xf64>
  return %r : tensor<?x?xf64>
}}
"""
        programs.run(f"truncate {kind} axis {axis}", text, calls, expected)
    calls, expected = [], []
    for extent, size in itertools.product([0, 1, 2, 5], [0, 1, 3, 17, -4]):
        x = np.arange(extent * 2.0).reshape(extent, 2)
        calls.append([x, np.int64(size)])
        expected.append(np.vstack([x, np.zeros((max(size - extent, 0), 2))]))
    programs.run("pad_to_match", """func.func @main(%x: tensor<?x2xf64>, %n: index) -> tensor<?x2xf64> {
  %r = symshape.pad_to_match %x, %n axis 0 : tensor<?x2xf64> to tensor<?x2xf64>
  return %r : tensor<?x2xf64>
}
""", calls, expected)


@group
def pads(programs):
    cases = [([1, 2], [0, 1], [0, 0]), ([-1, 0], [0, -2], [0, 0]), ([0, 1], [2, -1], [1, 2]),
             ([-2, 3], [3, -3], [1, 0]), ([5, -5], [-4, 6], [0, 3])]
    for low, high, interior in cases:
        calls, expected = [], []
        for shape in [(0, 0), (0, 5), (1, 1), (2, 3), (5, 2), (17, 9)]:
            try:
                x = np.arange(1.0, 1 + np.prod(shape)).reshape(shape)
                expected.append(reference.pad(x, -1.0, low, high, interior))
                calls.append([x])
            except ValueError:  # a negative extent
                continue
        text = f"""func.func @main(%x: tensor<?x?xf64>) -> tensor<?x?xf64> {{
  %v = arith.constant -1.0 : f64
  %r = symshape.pad %x, %v low {low} high {high} interior {interior} : tensor<?x?xf64> to tensor<?x?xf64>
  return %r : tensor<?x?xf64>
}}
"""
        programs.run(f"pad {low} {high} {interior}", text, calls, expected)


@group
def slices(programs):
    calls, expected, updates, updated = [], [], [], []
    for shape, start in itertools.product([(0, 3), (1, 1), (2, 5), (9, 33)], [-3, 0, 1, 99]):
        x = np.arange(1.0 * np.prod(shape)).reshape(shape)
        sizes = [min(shape[0], 2), max(shape[1] - 1, 0)]
        calls.append([x, np.int64(start), np.int64(sizes[0]), np.int64(sizes[1])])
        expected.append(reference.dynamic_slice(x, [start, start], sizes))
        update = -np.ones(sizes)
        updates.append([x, update, np.int64(start)])
        updated.append(reference.dynamic_update_slice(x, update, [start, start]))
    programs.run("dynamic_slice", """func.func @main(%x: tensor<?x?xf64>, %i: index, %m: index, %n: index) -> tensor<?x?xf64> {
  %r = symshape.dynamic_slice %x[%i, %i] sizes [%m, %n] : tensor<?x?xf64> to tensor<?x?xf64>
  return %r : tensor<?x?xf64>
}
""", calls, expected)
    programs.run("dynamic_update_slice", """func.func @main(%x: tensor<?x?xf64>, %u: tensor<?x?xf64>, %i: index) -> tensor<?x?xf64> {
  %r = symshape.dynamic_update_slice %u into %x[%i, %i] : tensor<?x?xf64> into tensor<?x?xf64>
  return %r : tensor<?x?xf64>
}
""", updates, updated)


@group
def reshapes(programs):
    calls, expected = [], []
    for shape, size in [((0, 3), 0), ((1, 3), 1), ((2, 3), 2), ((5, 6), 10), ((4, 0), 0)]:
        x = np.arange(1.0 * np.prod(shape)).reshape(shape)
        calls.append([x, np.int64(size)])
        expected.append(x.reshape(size, 3))
    programs.run("reshape", """func.func @main(%x: tensor<?x?xf64>, %n: index) -> tensor<?x3xf64> {
  %r = symshape.reshape %x to [%n, 3] : tensor<?x?xf64> to tensor<?x3xf64>
  return %r : tensor<?x3xf64>
}
""", calls, expected)
    calls, expected = [], []
    for rows, new, wide in [(0, 2, 3), (1, 0, 5), (1, 1, 1), (2, 3, 0), (7, 2, 5)]:
        x = np.arange(1.0 * rows).reshape(1, rows)
        calls.append([x, np.int64(rows), np.int64(new), np.int64(wide)])
        expected.append(np.broadcast_to(x.T[:, None], (rows, new, wide)))
    programs.run("broadcast", """func.func @main(%x: tensor<1x?xf64>, %m: index, %n: index, %w: index) -> tensor<?x?x?xf64> {
  %r = symshape.broadcast %x to [%m, %n, %w] dims [2, 0] expanding [0] : tensor<1x?xf64> to tensor<?x?x?xf64>
  return %r : tensor<?x?x?xf64>
}
""", calls, expected)


@group
def refusals(programs):
    truncate = """func.func @main(%x: tensor<?xf64>, %n: f64) -> tensor<?xf64> {
  %r = symshape.dynamic_truncate %x, %n axis 0 : tensor<?xf64>, f64 to tensor<?xf64>
  return %r : tensor<?xf64>
}
"""
    triple = "{primitive = dynamic_truncate, field = size, observed = non-finite}"
    for size in [np.nan, np.inf, -np.inf]:
        programs.refused(f"truncate to {size}", truncate, [np.zeros(3), np.float64(size)], triple)
    rows = FORMS[0]
    x = np.zeros((3, 4))
    programs.refused("a window wider than the source", gather_text(rows, "clip"),
                     [x, np.array([0]), np.int64(5)], "{primitive = gather, field = slice_sizes[1], observed = 5 > 4}")
    programs.refused("a promise that does not hold", gather_text(rows, "promise_in_bounds"),
                     [x, np.array([1, 3]), np.int64(2)],
                     "{primitive = gather, field = indices, observed = 3 > 2}")
    programs.refused("a promise that is broken below", gather_text(rows, "promise_in_bounds"),
                     [x, np.array([1, -2]), np.int64(2)],
                     "{primitive = gather, field = indices, observed = 0 > -2}")
    programs.refused("a row of none", gather_text(rows, "clip"), [np.zeros((0, 4)), np.zeros(0, np.int64), np.int64(2)],
                     "{primitive = gather, field = slice_sizes[0], observed = 1 > 0}")


LINE = "tensor<?xf64>"
SCATTER = ("%r = symshape.scatter add {mode} %b into %a[%c] {{update_window_dims = array<i64: 1>, inserted_window_dims = "
           "array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64{more}}} : "
           "tensor<?x?xf64> into tensor<?x?xf64>[tensor<?x1xi64>]")
GRID, AT = "tensor<?x?xf64>", "tensor<?x1xi64>"
# What is violated: the types of %a, %b, ..., the op, the type of its result, inputs and the triple.
VIOLATIONS = [
    ("a reshape to another number of elements", [GRID, "index"], f"%r = symshape.reshape %a to [%b] : {GRID} to {LINE}",
     LINE, [np.zeros((2, 3)), np.int64(5)], ("reshape", "target_shape", "5 != 6")),
    ("a broadcast to another extent", [LINE, "index"],
     f"%r = symshape.broadcast %a to [2, %b] dims [1] expanding [] : {LINE} to tensor<2x?xf64>", "tensor<2x?xf64>",
     [np.zeros(3), np.int64(4)], ("broadcast", "shape[1]", "4 != 3")),
    ("an extent of one is no expansion", [LINE, "index"],
     f"%r = symshape.broadcast %a to [2, %b] dims [1] expanding [] : {LINE} to tensor<2x?xf64>", "tensor<2x?xf64>",
     [np.zeros(1), np.int64(4)], ("broadcast", "shape[1]", "4 != 1")),
    ("a slice larger than its source", [LINE, "index", "index"],
     f"%r = symshape.dynamic_slice %a[%b] sizes [%c] : {LINE} to {LINE}", LINE,
     [np.zeros(3), np.int64(0), np.int64(4)], ("dynamic_slice", "sizes[0]", "4 > 3")),
    ("a slice of a negative size", [LINE, "index", "index"],
     f"%r = symshape.dynamic_slice %a[%b] sizes [%c] : {LINE} to {LINE}", LINE,
     [np.zeros(3), np.int64(0), np.int64(-1)], ("dynamic_slice", "sizes[0]", "0 > -1")),
    ("an update larger than its source", [LINE, LINE, "index"],
     f"%r = symshape.dynamic_update_slice %b into %a[%c] : {LINE} into {LINE}", LINE,
     [np.zeros(3), np.zeros(4), np.int64(0)], ("dynamic_update_slice", "update.shape[0]", "4 > 3")),
    ("a window of updates that is too wide", [GRID, GRID, AT], SCATTER.format(mode="drop", more=""), GRID,
     [np.zeros((3, 2)), np.zeros((1, 4)), np.zeros((1, 1), np.int64)], ("scatter", "updates.shape[1]", "4 > 2")),
    ("more updates than indices", [GRID, GRID, AT], SCATTER.format(mode="drop", more=""), GRID,
     [np.zeros((3, 2)), np.zeros((2, 2)), np.zeros((1, 1), np.int64)], ("scatter", "updates.shape[0]", "2 != 1")),
    ("rows into none", [GRID, GRID, AT], SCATTER.format(mode="drop", more=""), GRID,
     [np.zeros((0, 2)), np.zeros((1, 2)), np.zeros((1, 1), np.int64)], ("scatter", "operand.shape[0]", "1 > 0")),
    ("an element that is written twice", [GRID, GRID, AT], SCATTER.format(mode="drop", more=", unique_indices"), GRID,
     [np.zeros((3, 2)), np.zeros((2, 2)), np.zeros((2, 1), np.int64)], ("scatter", "unique_indices", "false")),
    ("a pad that crops more than there is", [LINE, "index", "f64"],
     f"%r = symshape.pad %a, %c low [%b] high [0] interior [0] : {LINE} to {LINE}", LINE,
     [np.zeros(3), np.int64(-5), np.float64(0)], ("pad", "result.shape[0]", "0 > -2")),
    ("more of the largest than there are", [LINE, "index"],
     f"%r, %p = symshape.top_k %a, %b axis 0 : {LINE} to {LINE}, tensor<?xi64>", LINE, [np.zeros(3), np.int64(4)],
     ("top_k", "size", "4 > 3")),
    ("a step of none", ["index"], "%r = symshape.iota [0, 4, %a] : tensor<?xi64>", "tensor<?xi64>", [np.int64(0)],
     ("iota", "step", "0")),
]


@group
def violations(programs):
    for what, types, op, result, call, (primitive, field, observed) in VIOLATIONS:
        arguments = ", ".join(f"%{name}: {type_}" for name, type_ in zip("abcd", types))
        programs.refused(what, f"func.func @main({arguments}) -> {result} {{\n  {op}\n  return %r : {result}\n}}\n",
                         call, f"{{primitive = {primitive}, field = {field}, observed = {observed}}}")


if __name__ == "__main__":
    sys.exit(group.run(sys.argv[1:], Programs))
