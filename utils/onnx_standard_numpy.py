# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plain definitions of ONNX ops, in doubles: what decides in run_onnx_standard.py where an op has one.

Each is given the attributes of the node (`Attributes`) and the operands: floats as doubles, others as they are.
"""

import math

import numpy as np
from onnx import helper
from onnx_standard_layers import LAYERS, truncated

ERF = np.vectorize(math.erf, otypes=[float])


class Attributes:
    """Attributes of a node by name, those left out as the schema has them, numbers as a model can hold them."""

    def __init__(self, schema, given):
        self.schema, self.given, self.version = schema, given, schema.since_version

    def __call__(self, name, otherwise=None):
        value = self.given.get(name)
        if value is None and name in self.schema.attributes:
            default = self.schema.attributes[name].default_value
            value = helper.get_attribute_value(default) if default.name else None
        value = otherwise if value is None else value
        if isinstance(value, bytes):
            return value.decode()
        return float(np.float32(value)) if isinstance(value, float) else value


def sigmoid(x):
    return np.where(x < 0, np.exp(np.minimum(x, 0)) / (1 + np.exp(np.minimum(x, 0))), 1 / (1 + np.exp(-np.maximum(x, 0))))


def prelu(a, x, slope):
    if a.version < 7 and x.ndim > 2:  # a number for each channel
        slope = slope.reshape(-1, *[1] * (x.ndim - 2))
    return np.where(x < 0, slope * x, x)


def softplus(x):
    return np.where(np.isnan(x), x, np.log1p(np.exp(-np.abs(x))) + np.maximum(x, 0))


def gelu(a, x):
    if a("approximate") == "tanh":
        return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
    return 0.5 * x * (1 + ERF(x / np.sqrt(2)))


def batch_norm(a, x, scale, shift, mean, variance):
    shape = (1, -1) + (1,) * (x.ndim - 2)
    old, keep = (mean, variance), a("momentum")
    if a("training_mode"):
        axes = (0, *range(2, x.ndim))
        mean, variance = x.mean(axes), x.var(axes)
    y = (x - mean.reshape(shape)) / np.sqrt(variance.reshape(shape) + a("epsilon")) * scale.reshape(shape) + shift.reshape(shape)
    return [y, *(keep * before + (1 - keep) * now for before, now in zip(old, (mean, variance)))]


def local_norm(a, x):
    size, below = a("size"), (a("size") - 1) // 2
    if not x.shape[1]:
        return x
    squares = np.stack([np.sum(x[:, max(0, c - below):c - below + size]**2, axis=1) for c in range(x.shape[1])], 1)
    return x / (a("bias") + a("alpha") / size * squares)**a("beta")


def lp_norm(a, x):
    sizes = np.abs(x).sum(a("axis"), keepdims=True) if a("p") == 1 else np.sqrt((x**2).sum(a("axis"), keepdims=True))
    return np.where(sizes == 0, 0, x / sizes)


def global_pool(f):
    return lambda a, x: f(a, x, tuple(range(2, x.ndim)))


def lp_of_all(a, x, axes):
    p = a("p", 2.0)
    return np.sum(np.abs(x)**p, axis=axes, keepdims=True)**(1 / p)


def shrink(a, x):
    bias, edge = a("bias"), a("lambd")
    y = np.where(x < -edge, x.astype(float) + bias, np.where(x > edge, x.astype(float) - bias, 0))
    return y if x.dtype.kind == "f" else np.where(np.abs(y) < 2.0**53, truncated(y, x), np.nan)


def power(_, x, y):
    """Of integers where they are exact in doubles; beyond there is no value."""
    z = np.power(x.astype(float), y.astype(float))
    if x.dtype.kind == "f":
        return z
    z = truncated(z, x)
    return np.where(np.abs(z) < 2.0**53, z, np.nan)


def take(a, x, at):
    axis = a("axis") % x.ndim
    return np.take(x, np.where(at < 0, at + x.shape[axis], at), axis)


def take_each(a, x, at):
    axis = a("axis") % x.ndim
    at = np.where(at < 0, at + x.shape[axis], at)
    y = np.zeros(at.shape, x.dtype)
    for place in np.ndindex(at.shape):
        y[place] = x[(*place[:axis], at[place], *place[axis + 1:])]
    return y


def float_only(f):
    """A definition of floats, whose result has the type of the first operand."""
    return lambda a, x, *rest: f(a, x, *rest) if x.dtype.kind == "f" else None


UNARY = {
    "Acos": np.arccos, "Acosh": np.arccosh, "Asin": np.arcsin, "Asinh": np.arcsinh, "Atan": np.arctan, "Atanh": np.arctanh,
    "Ceil": np.ceil, "Cos": np.cos, "Cosh": np.cosh, "Erf": ERF, "Exp": np.exp, "Floor": np.floor, "Log": np.log,
    "Round": np.rint, "Sigmoid": sigmoid, "Sin": np.sin, "Sinh": np.sinh, "Softplus": softplus,
    "Softsign": lambda x: x / (1 + np.abs(x)), "Sqrt": np.sqrt, "Tan": np.tan, "Tanh": np.tanh, "Reciprocal": lambda x: 1 / x,
    "Mish": lambda x: x * np.tanh(softplus(x)),
}
DEFINITIONS = LAYERS | {op: float_only(lambda a, x, f=f: f(x)) for op, f in UNARY.items()}
DEFINITIONS |= {
    "Elu": float_only(lambda a, x: np.where(x < 0, a("alpha") * np.expm1(np.minimum(x, 0)), x)),
    "LeakyRelu": float_only(lambda a, x: np.where(x < 0, a("alpha") * x, x)),
    "PRelu": prelu,
    "ThresholdedRelu": float_only(lambda a, x: np.where(x > a("alpha"), x, 0)),
    "HardSigmoid": float_only(lambda a, x: np.clip(a("alpha") * x + a("beta"), 0, 1)),
    "Gelu": float_only(gelu),
    "Swish": float_only(lambda a, x: x * sigmoid(a("alpha") * x)),
    "Not": lambda a, x: ~x, "BitwiseNot": lambda a, x: ~x,
    "Add": lambda a, x, y: x + y, "Sub": lambda a, x, y: x - y, "Mul": lambda a, x, y: x * y,
    "And": lambda a, x, y: x & y, "Or": lambda a, x, y: x | y, "Xor": lambda a, x, y: x ^ y,
    "BitwiseAnd": lambda a, x, y: x & y, "BitwiseOr": lambda a, x, y: x | y, "BitwiseXor": lambda a, x, y: x ^ y,
    "Equal": lambda a, x, y: x == y, "Less": lambda a, x, y: x < y, "Greater": lambda a, x, y: x > y,
    "LessOrEqual": lambda a, x, y: x <= y, "GreaterOrEqual": lambda a, x, y: x >= y,
    "Div": lambda a, x, y: x / y if x.dtype.kind == "f" else (np.sign(x) * np.sign(y) * (np.abs(x) // np.abs(y))).astype(x.dtype)
    if x.dtype.kind == "i" and x.size and x.min() > np.iinfo(x.dtype).min and y.min(initial=0) > np.iinfo(x.dtype).min
    else x // y if x.dtype.kind == "u" else None,
    "Mod": lambda a, x, y: np.fmod(x, y) if a("fmod", 0) else np.mod(x, y),
    "IsNaN": lambda a, x: np.isnan(x), "Where": lambda a, c, x, y: np.where(c, x, y),
    "Neg": lambda a, x: -x, "Identity": lambda a, x: x,
    "Transpose": lambda a, x: x.transpose(a("perm", None)),
    "BatchNormalization": batch_norm, "LRN": local_norm, "LpNormalization": lp_norm, "Shrink": shrink, "Pow": power,
    "GlobalAveragePool": global_pool(lambda a, x, axes: x.mean(axes, keepdims=True)),
    "GlobalMaxPool": global_pool(lambda a, x, axes: x.max(axes, keepdims=True)), "GlobalLpPool": global_pool(lp_of_all),
    "Gather": take, "GatherElements": take_each,
    "Size": lambda a, x: np.int64(x.size),
    "MatMul": lambda a, x, y: np.matmul(x, y),
    "Max": lambda a, *xs: np.maximum.reduce(np.broadcast_arrays(*xs)), "Min": lambda a, *xs: np.minimum.reduce(np.broadcast_arrays(*xs)),
    "Sum": lambda a, *xs: sum(xs[1:], xs[0]), "Mean": lambda a, *xs: sum(xs[1:], xs[0]) / len(xs),
}


def step_of(op, a, gates, r, rb, p, clip, state):
    """The next state of one sequence from the products of its input; (h, c)."""
    def f(x, squash=sigmoid):
        return squash(np.clip(x, -clip, clip))
    h, c = state
    size = len(h)
    part = [slice(i * size, (i + 1) * size) for i in range(4)]
    if op == "RNN":
        return f(gates + r @ h + rb, np.tanh), c
    if op == "GRU":
        z, reset = (f(gates[k] + r[k] @ h + rb[k]) for k in part[:2])
        k = part[2]
        inner = reset * (r[k] @ h + rb[k]) if a("linear_before_reset", 0) else r[k] @ (reset * h) + rb[k]
        return (1 - z) * f(gates[k] + inner, np.tanh) + z * h, c
    gates = gates + r @ h + rb
    i = f(gates[part[0]] + p[part[0]] * c)
    forget = 1 - i if a("input_forget", 0) else f(gates[part[2]] + p[part[2]] * c)
    c = forget * c + i * f(gates[part[3]], np.tanh)
    return f(gates[part[1]] + p[part[1]] * c) * np.tanh(c), c


def recurrent(op):
    def run(a, x, w, r, b=None, lengths=None, h0=None, c0=None, p=None):
        batchFirst, direction = a("layout", 0), a("direction", "forward")
        if batchFirst:
            x = x.swapaxes(0, 1)
            h0, c0 = (None if s is None else s.swapaxes(0, 1) for s in (h0, c0))
        ways, size = r.shape[0], r.shape[2]
        length, batch = x.shape[:2]
        y, last = np.zeros((length, ways, batch, size)), [np.zeros((ways, batch, size)) for _ in range(2)]
        for way in range(ways):
            rows = w.shape[1]
            wb, rb = (np.zeros(rows), np.zeros(rows)) if b is None else (b[way, :rows], b[way, rows:])
            peep = np.zeros(3 * size) if p is None else p[way]
            for n in range(batch):
                count = length if lengths is None else int(lengths[n])
                state = tuple(np.zeros(size) if s is None else s[way, n] for s in (h0, c0))
                steps = range(count)
                for t in reversed(steps) if direction == "reverse" or way else steps:
                    state = step_of(op, a, w[way] @ x[t, n] + wb, r[way], rb, peep, a("clip", np.inf), state)
                    y[t, way, n] = state[0]
                last[0][way, n], last[1][way, n] = state
        results = [y, *last[:2 if op == "LSTM" else 1]]
        return [y.transpose(2, 0, 1, 3), *(s.swapaxes(0, 1) for s in results[1:])] if batchFirst else results
    return run


DEFINITIONS |= {op: recurrent(op) for op in ("RNN", "GRU", "LSTM")}
