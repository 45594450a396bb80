# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Truncations, slices, gathers and scatters (see random_derivatives.py)."""

import numpy as np

from random_parts import SYMBOLS

MODES = {"gather": ["clip", "fill", "promise_in_bounds"], "scatter": ["clip", "drop", "promise_in_bounds"]}
COMBINERS = ["add", "sub", "mul", "update", "max", "min"]


class Slices:
    """Ops of a random program, which has the methods of `Parts`."""

    def op_truncate(self):
        a = self.value()
        axis = int(self.rng.integers(len(a.dims)))
        if self.rng.random() < 0.5:
            size = self.input([], "i64", lambda rng, shape, sizes: rng.integers(-1, 5))
        else:
            size = self.input([], make=lambda rng, shape, sizes: rng.integers(-1, 5) + 0.25)
            self.values.pop()
            self.makers[size.name + "!"] = True  # has no derivative
        dims = list(a.dims)
        dims[axis] = self.fresh("T")
        return self.apply("dynamic_truncate", [a, size], dims, axis=axis, bounds=a.bounds)

    def op_pad_to_match(self):
        a = self.value()
        axis = int(self.rng.integers(len(a.dims)))
        ref = self.value(len(a.dims))
        dims = list(a.dims)
        dims[axis] = a.dims[axis] if a.dims[axis] == ref.dims[axis] else self.fresh("E")
        bounds = list(a.bounds)
        bounds[axis] = a.bounds[axis] if dims[axis] == a.dims[axis] else None
        return self.apply("pad_to_match", [a, ref], dims, axis=axis, bounds=bounds)

    def starts(self, rank):
        return self.input([rank], "i64", lambda rng, shape, sizes: rng.integers(-2, 5, shape))

    def window(self, a):
        """A value that is no larger than `a` along any axis: itself, cut off."""
        axis = int(self.rng.integers(len(a.dims)))
        size = self.input([], "i64", lambda rng, shape, sizes: rng.integers(0, 4))
        dims = list(a.dims)
        dims[axis] = self.fresh("T")
        return self.apply("dynamic_truncate", [a, size], dims, axis=axis, bounds=a.dims)

    def op_dynamic_slice(self):
        a = self.value()
        cut, operands = self.window(a), [a, self.starts(len(a.dims))]
        sizes = [self.size_of(operands, cut, d) for d in range(len(a.dims))]
        return self.apply("dynamic_slice", operands, cut.dims, slice_sizes=sizes)

    def op_dynamic_update_slice(self):
        a = self.value()
        return self.apply("dynamic_update_slice", [a, self.window(a), self.starts(len(a.dims))], a.dims)


class Gathers:
    """The same, beside `Slices`."""

    def indices(self, dims, extent, window, mode, unique=False):
        """Of windows of `window` elements in `extent`; some are out of range unless that is promised."""
        def make(rng, shape, sizes):
            last = sizes.get(extent, extent) - window
            if unique:
                count = int(np.prod(shape))
                assert count <= last + 1
                return rng.permutation(last + 1)[:count].reshape(shape)
            if mode == "promise_in_bounds":
                return rng.integers(0, last + 1, shape)
            return rng.integers(-2, last + 3, shape)
        return self.input(dims, "i64", make)

    def form(self):
        """A form of windows, as numbers of gather: rows, elements, batches, or windows at two places."""
        kind = self.pick(["rows", "elements", "batching", "windows", "columns"])
        count = self.pick(SYMBOLS + [2])
        if kind == "elements":
            x = self.declared(1, rows=True)
            numbers = {"offset_dims": [], "collapsed_slice_dims": [0], "start_index_map": [0], "index_vector_dim": 1}
            return x, 0, [count], [1], [count], numbers
        x = self.declared(2, rows=True)
        if kind == "rows":
            numbers = {"offset_dims": [1], "collapsed_slice_dims": [0], "start_index_map": [0], "index_vector_dim": 1}
            return x, 0, [count], [1, "all"], [count, x.dims[1]], numbers
        if kind == "columns":
            numbers = {"offset_dims": [0], "collapsed_slice_dims": [1], "start_index_map": [1], "index_vector_dim": 0}
            return x, 1, [1, count], ["all", 1], [x.dims[0], count], numbers
        if kind == "batching":
            numbers = {"offset_dims": [], "collapsed_slice_dims": [1], "operand_batching_dims": [0],
                       "start_indices_batching_dims": [1], "start_index_map": [1], "index_vector_dim": 2}
            return x, 1, [count, x.dims[0]], [1, 1], [count, x.dims[0]], numbers
        numbers = {"offset_dims": [1, 2], "collapsed_slice_dims": [], "start_index_map": [0], "index_vector_dim": 1}
        return x, 0, [count], [1, "cut"], [count, 1, None], numbers

    def op_gather(self):
        x, axis, index_dims, sizes, dims, numbers = self.form()
        mode = self.pick(MODES["gather"])
        self.need(x.dims[axis])
        indices = self.indices(index_dims, x.dims[axis], 1, mode)
        operands, texts = [x, indices], []
        for d, size in enumerate(sizes):
            if size == "cut":
                cut = self.window(x)
                dims = [cut.dims[1] if e is None else e for e in dims]
                texts.append(self.size_of(operands, cut, 1))
                self.rows.add("symbolic window")
            else:
                texts.append(self.size_of(operands, x, d) if size == "all" else size)
        fill = {"fill_value": 0.5} if mode == "fill" else {}
        return self.apply("gather_dynamic_slice_sizes", operands, dims, row=f"gather {mode}", slice_sizes=texts,
                          mode=mode, **fill, **numbers)

    def op_scatter(self):
        x, axis, index_dims, _, dims, numbers = self.form()
        mode, combiner = self.pick(MODES["scatter"]), self.pick(COMBINERS)
        self.need(x.dims[axis])
        unique = index_dims == [2] and x.dims[axis] in (3, 4) and self.rng.random() < 0.5
        indices = self.indices(index_dims, x.dims[axis], 1, mode, unique)
        if None in dims:  # updates that are cut off have a window narrower than the source
            wide = self.input([*dims[:2], x.dims[1]])
            size = self.input([], "i64", lambda rng, shape, sizes: rng.integers(0, 4))
            updates = self.apply("dynamic_truncate", [wide, size], [*dims[:2], self.fresh("T")], axis=2)
            self.rows.add("symbolic window")
        else:
            updates = self.input(dims)
        renamed = {{"offset_dims": "update_window_dims", "collapsed_slice_dims": "inserted_window_dims",
                    "start_index_map": "scatter_dims_to_operand_dims",
                    "start_indices_batching_dims": "scatter_indices_batching_dims"}.get(k, k): v
                   for k, v in numbers.items()}
        return self.apply("scatter", [x, indices, updates], x.dims, row=f"scatter {combiner} {mode}", mode=mode,
                          combiner=combiner, **({"unique_indices": True} if unique else {}), **renamed)
