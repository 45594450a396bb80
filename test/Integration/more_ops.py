# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of programs that the test vectors do not have: MLIR text and definitions."""

import numpy as np

import vector_programs

UNARY = {"exp": (np.exp, "exp"), "log": (np.log, "log"), "sin": (np.sin, "sin"), "cos": (np.cos, "cos"),
         "tanh": (np.tanh, "tanh"), "sqrt": (np.sqrt, "sqrt"), "rsqrt": (lambda x: 1 / np.sqrt(x), "rsqrt"),
         "expm1": (np.expm1, "expm1"), "log1p": (np.log1p, "log1p"), "abs": (np.abs, "absf"),
         "floor": (np.floor, "floor"), "round": (lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x), "round")}


class Builder(vector_programs.Builder):
    def unary(self, name, x):
        return self.define(f"math.{UNARY[name][1]} {x.name} : {x.type}", x.dtype, x.shape)

    def filled_like(self, x, number):
        return self.filled(x.dtype, x.shape, [self.dim(x, d) for d in range(len(x.shape))], number)

    def op_sign(self, x):
        one = self.filled_like(x, "1.0")
        return self.define(f"math.copysign {one.name}, {x.name} : {x.type}", x.dtype, x.shape)

    def op_constant(self, x, value):
        return self.filled_like(x, str(float(value)))

    def op_pow(self, x, y):
        return self.define(f"math.powf {x.name}, {y.name} : {x.type}", x.dtype, x.shape)

    def op_compare(self, x, y):
        x, y = self.unify(x, y)
        return self.define(f"arith.cmpf ogt, {x.name}, {y.name} : {x.type}", "i1", x.shape)

    def op_iota(self, x, axis):
        """The numbers from 0, as floats: as many as `x` has along the axis."""
        size = self.dim(x, axis)
        shape = [x.shape[axis]]
        numbers = self.define(f"symshape.iota [0, {size}, 1] : {vector_programs.tensor_type('i64', shape)}", "i64",
                              shape)
        return self.define(f"arith.sitofp {numbers.name} : {numbers.type} to "
                           f"{vector_programs.tensor_type(x.dtype, shape)}", x.dtype, shape)

    def op_convert(self, x):
        """To the other of the two float types, and back."""
        other = vector_programs.tensor_type("f64" if x.dtype == "f32" else "f32", x.shape)
        there, back = ("extf", "truncf") if x.dtype == "f32" else ("truncf", "extf")
        middle = self.scalar(f"arith.{there} {x.name} : {x.type} to {other}")
        return self.define(f"arith.{back} {middle} : {other} to {x.type}", x.dtype, x.shape)

    def op_top_k(self, x, axis, k):
        shape = list(x.shape)
        shape[axis] = None
        value = vector_programs.Value(self.fresh(), x.dtype, shape)
        self.emit(f"{value.name}, {self.fresh()} = symshape.top_k {x.name}, {self.index(k)} axis {axis} : {x.type} to "
                  f"{value.type}, {vector_programs.tensor_type('i64', shape)}")
        return value


for _name in UNARY:
    setattr(Builder, f"op_{_name}", lambda self, x, _name=_name: self.unary(_name, x))

OPS = {
    **{name: function for name, (function, _) in UNARY.items()},
    "sign": lambda x: np.copysign(1.0, x), "constant": lambda x, value: np.full(x.shape, float(value)),
    "pow": np.power, "compare": np.greater, "iota": lambda x, axis: np.arange(x.shape[axis], dtype=np.float64),
    "convert": lambda x: x, "top_k": lambda x, axis, k: np.flip(np.sort(x, axis), axis).take(range(k), axis),
}
