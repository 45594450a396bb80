# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What random programs are made of (see random_derivatives.py): values, inputs, ops.

An extent is a number, a symbol, or the name of an extent that data determine;
equal ones are equal at run time. What an op needs of extents beyond that (a row to
read) is noted in `at_least_one`, and bindings are chosen by it.
"""

import numpy as np

SYMBOLS = ["M", "N"]


class Value:
    def __init__(self, name, dims, bounds=None):
        self.name, self.dims = name, list(dims)
        # Where an extent is that of a truncation, what it is at most.
        self.bounds = bounds or list(dims)


class Parts:
    """A program that grows from a seed."""

    def __init__(self, seed, second, attempt=0):
        self.rng = np.random.default_rng([seed, attempt] if attempt else seed)
        self.name, self.second = f"seed {seed}", second
        # Second derivatives are compared with differences, for which f32 is too coarse.
        self.dtype = "f32" if not second and seed % 3 == 0 else "f64"
        self.inputs, self.makers, self.program = {}, {}, []
        self.values, self.rows, self.at_least_one, self.count = [], set(), set(), 0

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
