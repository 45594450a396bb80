# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that move, repeat and combine elements along axes (see random_derivatives.py)."""


class Shapes:
    """Ops of a random program, which has the methods of `Parts`."""

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


class Axes:
    """The same, along one axis."""

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
