# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs whose derivatives are checked (see derivatives.py)."""

from derivatives import Case
from random_elementwise import Elementwise
from random_parts import Parts, Value
from random_shapes import Axes, Shapes
from random_windows import Gathers, Slices


class Control:
    """Branches and loops of a random program, which has the methods of `Parts`."""

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


class Generator(Elementwise, Shapes, Axes, Slices, Gathers, Control, Parts):
    """Builds one case from a seed."""

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
