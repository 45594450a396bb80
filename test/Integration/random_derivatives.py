# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs whose derivatives are checked (see derivatives.py).

An extent is a number, a symbol, or the name of an extent that data determine;
equal ones are equal at run time. What an op needs of extents beyond that (a row to
read) is noted in `at_least_one`, and bindings are chosen by it.
"""

import numpy as np

from derivatives import Case

MODES = {"gather": ["clip", "fill", "promise_in_bounds"], "scatter": ["clip", "drop", "promise_in_bounds"]}
COMBINERS = ["add", "sub", "mul", "update", "max", "min"]
SYMBOLS = ["M", "N"]


class Value:
    def __init__(self, name, dims, bounds=None):
        self.name, self.dims = name, list(dims)
        # Where an extent is that of a truncation, what it is at most.
        self.bounds = bounds or list(dims)


class Generator:
    """Builds one case from a seed."""

    def __init__(self, seed, second):
        self.rng = np.random.default_rng(seed)
        self.name, self.second = f"seed {seed}", second
        # Second derivatives are compared with differences, for which f32 is too coarse.
        self.dtype = "f32" if not second and seed % 3 == 0 else "f64"
        self.inputs, self.makers, self.program = {}, {}, []
        self.values, self.rows, self.at_least_one, self.count = [], set(), set(), 0

    # --- parts ---------------------------------------------------------------

    def pick(self, options):
        options = list(options)
        return options[self.rng.integers(len(options))]

    def fresh(self, letter="v"):
        self.count += 1
        return f"{letter}{self.count}"

    def dim(self):
        return self.pick([*SYMBOLS, *SYMBOLS, 3, 4])

    def input(self, dims, dtype=None, make=None):
        """A further input; without `dtype`, of floats that are active."""
        dtype = dtype or self.dtype
        name = self.fresh("x")
        self.inputs[name] = (dtype, list(dims))
        if make:
            self.makers[name] = make
        value = Value(name, dims)
        if dtype == self.dtype:
            self.values.append(value)
        return value

    def apply(self, op, operands, extents, row=None, bounds=None, **attrs):
        value = Value(self.fresh(), extents, bounds)
        self.program.append({"result": value.name, "op": op, "operands": [v.name for v in operands], "attrs": attrs})
        self.values.append(value)
        self.rows.add(row or op)
        return value

    def value(self, rank=None, where=lambda v: True):
        """A value that is there, or a new input."""
        found = [v for v in self.values if v.dims and (rank is None or len(v.dims) == rank) and where(v)]
        if found and self.rng.random() < 0.9:
            return found[-1] if self.rng.random() < 0.4 else self.pick(found)
        return self.input([self.dim() for _ in range(self.pick([1, 2]) if rank is None else rank)])

    def like(self, value):
        """A value of the same extents."""
        found = [v for v in self.values if v.dims == value.dims]
        if self.rng.random() < 0.7 or not all(d in SYMBOLS or isinstance(d, int) for d in value.dims):
            return self.pick(found)
        return self.input(value.dims)

    def declared(self, rank, rows=False):
        """One whose extents are symbols or numbers; with `rows`, none of them 0."""
        return self.value(rank, lambda v: all(d in SYMBOLS or isinstance(d, int) and (d or not rows) for d in v.dims))

    def size_of(self, operands, value, axis):
        """How attributes spell an extent; the operand that has it is added."""
        if isinstance(value.dims[axis], int):
            return value.dims[axis]
        operands.append(value)
        return {"operand": len(operands) - 1, "axis": axis}

    def need(self, extent):
        if not isinstance(extent, int):
            self.at_least_one.add(extent)

    # --- elementwise ---------------------------------------------------------

    def op_binary(self):
        a = self.value()
        return self.apply(self.pick(["add", "sub", "mul", "maximum", "minimum"]), [a, self.like(a)], a.dims,
                          bounds=a.bounds)

    def op_div(self):
        a = self.declared(self.pick([1, 2]))
        return self.apply("div", [a, self.input(a.dims)], a.dims)

    def op_neg(self):
        a = self.value()
        return self.apply("neg", [a], a.dims, bounds=a.bounds)

    def op_select(self):
        a = self.declared(self.pick([1, 2]))
        flags = self.input(a.dims, "i1", lambda rng, shape, sizes: rng.random(shape) < 0.5)
        return self.apply("select", [flags, a, self.like(a)], a.dims)

    def op_clamp(self):
        a = self.declared(self.pick([1, 2]))
        low = self.input(a.dims, make=lambda rng, shape, sizes: rng.uniform(-1, -0.2, shape))
        high = self.input(a.dims, make=lambda rng, shape, sizes: rng.uniform(0.2, 1, shape))
        return self.apply("clamp", [low, a, high], a.dims)

    def op_unary(self):
        return self.unary(self.pick(["sin", "cos", "tanh", "abs", "sign", "floor", "round"]), self.value())

    def op_unary_of_input(self):
        """What is finite where the argument is neither large nor small."""
        a = self.input([self.dim() for _ in range(self.pick([1, 2]))])
        name = self.pick(["exp", "expm1", "log", "sqrt", "rsqrt", "log1p", "pow"])
        if name not in ("exp", "expm1"):
            a = self.unary("abs", a)
        if name == "pow":
            return self.apply("pow", [a, self.input(a.dims)], a.dims)
        return self.unary(name, a)

    def unary(self, name, a):
        return self.apply(name, [a], a.dims, bounds=a.bounds)

    def op_compare(self):
        a = self.value()
        flags = self.apply("compare", [a, self.like(a)], a.dims)
        self.values.pop()
        return self.apply("select", [flags, a, self.like(a)], a.dims, bounds=a.bounds)

    def op_constant(self):
        a = self.value()
        constant = self.apply("constant", [a], a.dims, value=self.pick([-2, 0, 0.5]))
        return self.apply("mul", [a, constant], a.dims, bounds=a.bounds)

    def op_iota(self):
        a = self.declared(1)
        numbers = self.apply("iota", [a], a.dims, axis=0)
        return self.apply("mul", [a, numbers], a.dims)

    def op_convert(self):
        if self.dtype == "f32":  # else it rounds more than is allowed
            a = self.value()
            self.apply("convert", [a], a.dims, bounds=a.bounds)

    # --- shapes --------------------------------------------------------------

    def op_transpose(self):
        a = self.value(2)
        return self.apply("transpose", [a], a.dims[::-1], perm=[1, 0], bounds=a.bounds[::-1])

    def op_reverse(self):
        a = self.value()
        axes = [d for d in range(len(a.dims)) if self.rng.random() < 0.7]
        return self.apply("reverse", [a], a.dims, axes=axes, bounds=a.bounds)

    def op_reshape(self):
        a = self.value(2)
        operands = [a]
        shape = [self.size_of(operands, a, 1), self.size_of(operands, a, 0)]
        return self.apply("reshape", operands, a.dims[::-1], shape=shape)

    def op_broadcast(self):
        a, like = self.value(1), self.value()
        operands = [a]
        sizes = [self.size_of(operands, like, 0), self.size_of(operands, a, 0)]
        dims = [like.dims[0], a.dims[0]]
        if self.rng.random() < 0.5:
            sizes, dims = sizes[::-1], dims[::-1]
            return self.apply("broadcast_in_dim", operands, dims, shape=sizes, dims=[0])
        return self.apply("broadcast_in_dim", operands, dims, shape=sizes, dims=[1])

    def op_expand(self):
        a, like = self.input([1, self.dim()]), self.value()
        operands = [a]
        sizes = [self.size_of(operands, a, 1), self.size_of(operands, like, 0)]
        return self.apply("broadcast_in_dim", operands, [a.dims[1], like.dims[0]], row="expanding", shape=sizes,
                          dims=[1, 0], expanding=[0])

    def op_concatenate(self):
        a, axis = self.value(), 0
        b = self.value(len(a.dims), lambda v: v.dims[1:] == a.dims[1:])
        if b.dims[1:] != a.dims[1:]:
            b = a
        return self.apply("concatenate", [a, b], [self.fresh("E"), *a.dims[1:]], axis=axis,
                          bounds=[None, *a.bounds[1:]])

    def op_slice(self):
        a = self.input([self.pick([3, 5]), self.dim()])
        a = self.apply("mul", [a, a], a.dims)
        extent = a.dims[0]
        start = int(self.rng.integers(0, extent))
        limit, stride = int(self.rng.integers(start, extent + 1)), int(self.rng.integers(1, 3))
        flat = self.apply("dot_general", [a, self.input([a.dims[1]])], [extent], lhs_contracting=[1],
                          rhs_contracting=[0], lhs_batch=[], rhs_batch=[])
        return self.apply("slice", [flat], [-((start - limit) // stride)], starts=[start], limits=[limit],
                          strides=[stride])

    def op_pad(self):
        a, rng = self.value(), self.rng
        low, high, interior, dims = [], [], [], []
        for extent in a.dims:
            gap = int(rng.integers(0, 3))
            spread = (extent - 1) * (gap + 1) + 1 if isinstance(extent, int) and extent else 0
            low.append(int(rng.integers(-min(spread, 2), 3)))
            high.append(int(rng.integers(-min(max(spread + low[-1], 0), 2), 3)))
            interior.append(gap)
            known = isinstance(extent, int) and extent
            dims.append(spread + low[-1] + high[-1] if known else self.fresh("E"))
        operands = [a]
        if rng.random() < 0.5:
            operands.append(self.input([]))
        return self.apply("pad", operands, dims, low=low, high=high, interior=interior,
                          bounds=[d if isinstance(d, int) else None for d in dims])

    # --- along an axis ----------------------------------------------------------------

    def op_reduce_sum(self):
        a = self.value()
        axes = [d for d in range(len(a.dims)) if self.rng.random() < 0.6]
        kept = [d for d in range(len(a.dims)) if d not in axes]
        return self.apply("reduce_sum", [a], [a.dims[d] for d in kept], axes=axes, bounds=[a.bounds[d] for d in kept])

    def op_reduce(self):
        a = self.declared(2, rows=True)
        self.need(a.dims[1])
        return self.apply(self.pick(["reduce_max", "reduce_min", "reduce_prod"]), [a], a.dims[:1], axes=[1])

    def op_cumsum(self):
        a = self.value()
        return self.apply("cumsum", [a], a.dims, axis=int(self.rng.integers(len(a.dims))), bounds=a.bounds,
                          reverse=bool(self.rng.random() < 0.5))

    def op_sort(self):
        a = self.value()
        return self.apply("sort", [a], a.dims, axis=int(self.rng.integers(len(a.dims))), bounds=a.bounds)

    def op_top_k(self):
        a = self.declared(self.pick([1, 2]))
        axis = int(self.rng.integers(len(a.dims)))
        self.need(a.dims[axis])
        k = int(self.rng.integers(0, (a.dims[axis] if isinstance(a.dims[axis], int) else 1) + 1))
        dims = list(a.dims)
        dims[axis] = self.fresh("T")
        return self.apply("top_k", [a], dims, axis=axis, k=k, bounds=[*a.dims[:axis], k, *a.dims[axis + 1:]])

    def op_dot(self):
        a = self.declared(2)
        b = self.input([a.dims[1], self.dim()])
        return self.apply("dot_general", [a, b], [a.dims[0], b.dims[1]], lhs_contracting=[1], rhs_contracting=[0],
                          lhs_batch=[], rhs_batch=[])

    # --- truncation and slices -----------------------------------------------

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

    # --- gather and scatter --------------------------------------------------

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
        x, axis, index_dims, sizes, dims, numbers = self.form()
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

    # --- control flow --------------------------------------------------------

    def body(self, names):
        """A few ops on values of one shape."""
        steps = []
        for number in range(int(self.rng.integers(1, 4))):
            op = self.pick(["add", "sub", "mul", "neg", "maximum"])
            operands = [self.pick(names) for _ in range(1 if op == "neg" else 2)]
            steps.append({"result": f"r{number}", "op": op, "operands": operands, "attrs": {}})
            names = [*names, f"r{number}"]
        return steps

    def op_if(self):
        a = self.value()
        b = self.like(a)
        pred = self.input([], "i1", lambda rng, shape, sizes: rng.random() < 0.5)
        sides = {}
        for side in ("then", "else"):
            sides[side] = self.body(["a", "b"])
            sides[side + "_results"] = [sides[side][-1]["result"]]
        return self.control("if", [pred, a, b], [a.dims], {"args": ["a", "b"], **sides})

    def op_for(self):
        a = self.declared(self.pick([1, 2]))
        b = self.like(a)
        trips = self.input([], "i64", lambda rng, shape, sizes: rng.integers(0, 4))
        steps = self.body(["c", "d"])
        grows = len(a.dims) == 1 and self.rng.random() < 0.3
        dims = a.dims
        if grows:
            steps = [{"result": "q", "op": "mul", "operands": ["c", "c"], "attrs": {}},
                     {"result": "r0", "op": "concatenate", "operands": ["q", "d"], "attrs": {"axis": 0}}]
            dims = [self.fresh("E")]
        return self.control("for", [trips, a, b], [dims],
                            {"num_carry": 1, "args": ["i", "c", "d"], "body": steps,
                             "results": [steps[-1]["result"]]}, row="for, new extents" if grows else "for")

    def control(self, op, operands, shapes, attrs, row=None):
        results = [Value(self.fresh(), dims) for dims in shapes]
        self.program.append({"results": [v.name for v in results], "op": op, "operands": [v.name for v in operands],
                             "attrs": attrs})
        self.values += results
        self.rows.add(row or op)
        return results[0]

    # --- all -----------------------------------------------------------------

    def build(self, length):
        ops = [getattr(self, name) for name in sorted(dir(self)) if name.startswith("op_")]
        ops += 4 * [self.op_scatter] + 2 * [self.op_gather]  # of which there are many
        self.input([self.dim(), self.dim()])
        for _ in range(length):
            self.pick(ops)()
        results = [self.values[-1].name]
        if self.rng.random() < 0.3:
            results.append(self.pick(self.values).name)
        floats = [name for name, (dtype, _) in self.inputs.items()
                  if dtype == self.dtype and name + "!" not in self.makers]
        active = [name for name in floats if self.rng.random() < 0.8] or floats[:1]
        makers = self.makers

        def make(rng, name, shape, sizes):
            return makers[name](rng, shape, sizes) if name in makers else None
        return Case(self.name, self.inputs, self.program, results, active, make=make, rows=self.rows,
                    dtype=self.dtype)

    def bindings(self):
        all_ = [{"M": 2, "N": 3}, {"M": 1, "N": 0}, {"M": 0, "N": 1}, {"M": 4, "N": 1}]
        return [{s: max(e, 1) if s in self.at_least_one else e for s, e in sizes.items()} for sizes in all_]
