# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise ops of random programs (see random_derivatives.py)."""


class Elementwise:
    """Ops of a random program, which has the methods of `Parts`."""

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
