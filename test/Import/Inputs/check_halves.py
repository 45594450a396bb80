# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of several steps on f16 and bf16 beside NumPy's f64: all in f32 inside, and one rounding at the end.

    check_halves.py LIBRARY FOLDER [TARGET]

Values go in and out as f32, which holds each number of both types. A result
may be off by half a unit in the last place, and by what f32 adds to that. Sums
are along each axis and several; functions are of each number that there is.
"""

import sys
from pathlib import Path

import numpy as np
import symshape_c
from math import erf, erfc

from halves import HALVES, all_numbers, nearest, unit
from onnx_file import FLOAT, FLOAT16, INT64, fields, model, node

BFLOAT16 = 16
#: numbers in ONNX
KINDS = {"f16": FLOAT16, "bf16": BFLOAT16}
ERF, ERFC = np.vectorize(erf), np.vectorize(erfc)
random = np.random.default_rng(3)


def rounded(x, kind):
    """Numbers near x that the type has."""
    return nearest(x, kind).astype(np.float32)


def errors(got, want, kind, cancelled):
    """Distances in units in the last place, less `cancelled`; infinite where one of both is not finite alone."""
    digits, _, most = HALVES[kind]
    with np.errstate(all="ignore"):
        step = unit(want, kind)
        largest = (2 - 2.0 ** -digits) * 2.0 ** most
        overflows = np.abs(want) > largest * (1 + 2.0 ** -digits / 4)
        want = np.where(overflows, np.copysign(np.inf, want), want)
        off = np.maximum(np.abs(got.astype(np.float64) - want) - cancelled, 0) / step
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    near = np.isinf(got) & (np.abs(want) >= largest * (1 - 2.0 ** -digits))  # rounds to infinity or not
    return np.where(same | near, 0, np.where(np.isnan(off), np.inf, off))


def log_sum_exp(x, axes):
    most = x.max(axes, keepdims=True, initial=-np.inf)
    return np.log(np.exp(x - most).sum(axes, keepdims=True)) + most


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True, initial=-np.inf))
    return e / e.sum(axis, keepdims=True)


def normal(x, axes, epsilon=1e-5):
    centred = x - x.mean(axes, keepdims=True)
    return centred / np.sqrt((centred ** 2).mean(axes, keepdims=True) + epsilon)


#: op: what NumPy makes of x and axes
REDUCTIONS = {
    "ReduceSum": lambda x, a: x.sum(a, keepdims=True),
    "ReduceMean": lambda x, a: x.mean(a, keepdims=True),
    "ReduceL1": lambda x, a: np.abs(x).sum(a, keepdims=True),
    "ReduceL2": lambda x, a: np.sqrt((x * x).sum(a, keepdims=True)),
    "ReduceSumSquare": lambda x, a: (x * x).sum(a, keepdims=True),
    "ReduceLogSum": lambda x, a: np.log(x.sum(a, keepdims=True)),
    "ReduceLogSumExp": log_sum_exp,
}
AXES = [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]


def along(axis):
    """Ops with one axis: (op, attributes, whether the axis is an operand, what NumPy makes of x)."""
    return [
        ("Softmax", {"axis": axis}, False, lambda x: softmax(x, axis)),
        ("LogSoftmax", {"axis": axis}, False, lambda x: x - log_sum_exp(x, axis)),
        ("LpNormalization", {"axis": axis, "p": 1}, False, lambda x: x / np.abs(x).sum(axis, keepdims=True)),
        ("LpNormalization", {"axis": axis, "p": 2}, False, lambda x: x / np.sqrt((x * x).sum(axis, keepdims=True))),
        ("CumSum", {}, True, lambda x: np.cumsum(x, axis)),
        ("CumSum", {"reverse": 1}, True, lambda x: np.flip(np.cumsum(np.flip(x, axis), axis), axis)),
        ("LayerNormalization", {"axis": axis}, None, lambda x: normal(x, tuple(range(axis, 3)))),
        ("MeanVarianceNormalization", {"axes": [axis]}, False,
         lambda x: (lambda c: c / (np.sqrt((c * c).mean(axis, keepdims=True)) + 1e-9))(x - x.mean(axis, keepdims=True))),
    ]


OTHERS = [
    (node("Einsum", "h", "einsum", equation="ijk->k"), lambda x: x.sum((0, 1))),
    (node("Einsum", "h h", "gram", equation="ijk,ilk->ijl"), lambda x: x @ x.swapaxes(1, 2)),
    (node("MatMul", "h ht", "matmul"), lambda x: x @ x.swapaxes(1, 2)),
    (node("Einsum", "h h", "product", equation="ijk,ijk->k"), lambda x: (x * x).sum((0, 1))),
    (node("InstanceNormalization", "h ones zeros", "instance"), lambda x: normal(x, (2,))),
    (node("GroupNormalization", "h ones zeros", "group", num_groups=1), lambda x: normal(x, (1, 2))),
    (node("Mean", "h h h h h", "mean"), lambda x: x),
    (node("Sum", "h h h h h", "sum"), lambda x: 5 * x),
    (node("GlobalAveragePool", "h", "average"), lambda x: x.mean(2, keepdims=True)),
    (node("AveragePool", "h", "pool", kernel_shape=[3]), lambda x: (x[:, :, :-2] + x[:, :, 1:-1] + x[:, :, 2:]) / 3),
    (node("LRN", "h", "lrn", size=3, alpha=1.0, beta=0.5, bias=2.0), None),
]


def name_of(node):
    """Of the result."""
    return next(value for number, value in fields(node) if number == 2).decode()


def lrn(x):
    squares = np.pad(x * x, ((0, 0), (1, 1), (0, 0)))
    return x / np.sqrt(2 + (squares[:, :-2] + squares[:, 1:-1] + squares[:, 2:]) / 3)


def sigmoid(x):
    e = np.exp(-np.abs(x))
    return np.where(x < 0, e, 1) / (1 + e)


def softplus(x):
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def gelu_tanh(x):
    return x * sigmoid(2 * np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3))


#: op: (attributes, what NumPy makes of each number)
FUNCTIONS = [
    ("Sigmoid", {}, sigmoid),
    ("Swish", {}, lambda x: x * sigmoid(x)),
    ("Swish", {"alpha": 1.702}, lambda x: x * sigmoid(np.float32(1.702).astype(np.float64) * x)),
    ("Gelu", {}, lambda x: 0.5 * x * ERFC(-x / np.sqrt(2))),
    ("Gelu", {"approximate": "tanh"}, gelu_tanh),
    ("Mish", {}, lambda x: x * np.tanh(softplus(x))),
    ("Softplus", {}, softplus),
    ("Softsign", {}, lambda x: x / (1 + np.abs(x))),
    ("Elu", {"alpha": 0.3}, lambda x: np.where(x > 0, x, np.float64(np.float32(0.3)) * np.expm1(np.minimum(x, 0)))),
    ("HardSigmoid", {}, lambda x: np.clip(np.float64(np.float32(0.2)) * x + 0.5, 0, 1)),
    ("HardSwish", {}, lambda x: x * np.clip(x / 6 + 0.5, 0, 1)),
    ("LeakyRelu", {}, lambda x: np.where(x < 0, np.float64(np.float32(0.01)) * x, x)),
    ("Selu", {}, None),
    ("Exp", {}, np.exp), ("Tanh", {}, np.tanh), ("Sqrt", {}, np.sqrt), ("Log", {}, np.log),
    ("Erf", {}, ERF),
]


def selu(x):
    alpha, gamma = 1.67326319217681884765625, 1.05070102214813232421875
    return gamma * np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


def sums(kind):
    """Nodes and what NumPy makes of x, by the name of a result."""
    nodes, wanted = [], {}
    for op, f in REDUCTIONS.items():
        for axes in AXES:
            name = f"{op}{''.join(map(str, axes))}"
            nodes.append(node(op, f"h a{''.join(map(str, axes))}", name))
            wanted[name] = lambda x, f=f, axes=axes: f(x, axes)
    for axis in range(3):
        for i, (op, attributes, takes_axis, f) in enumerate(along(axis)):
            name = f"{op}{axis}.{i}"
            inputs = f"h axis{axis}" if takes_axis else "h" if takes_axis is False else "h one"
            nodes.append(node(op, inputs, name, **attributes))
            wanted[name] = f
    for each, f in OTHERS:
        name = name_of(each)
        nodes.append(each)
        wanted[name] = f or lrn
    return nodes, wanted


def functions(kind):
    nodes, wanted = [], {}
    for i, (op, attributes, f) in enumerate(FUNCTIONS):
        nodes.append(node(op, "h", f"{op}{i}", **attributes))
        wanted[f"{op}{i}"] = f or selu
    return nodes, wanted


def cross_entropy(x):
    return np.mean(log_sum_exp(x, (1,))[:, 0] - x[:, 0])


def bilinear(x):
    """Each row at twice its length, by the centres of elements."""
    at = np.clip((np.arange(2 * x.shape[1]) + 0.5) / 2 - 0.5, 0, x.shape[1] - 1)
    low = np.minimum(at.astype(int), max(x.shape[1] - 2, 0))
    return x[:, low] * (1 - (at - low)) + x[:, np.minimum(low + 1, x.shape[1] - 1)] * (at - low)


def steps(kind):
    """Ops whose steps, each rounded or cut off at the end of the type, would be others: of rows of 16 to 32."""
    small = lambda value: float(rounded(np.float64(value), kind))
    every = [
        (node("Gemm", "h ht", "gemm", alpha=0.0078125), lambda x: x @ x.T * 0.0078125),
        (node("Gemm", "h ht one1", "gemm_c", alpha=0.0078125, beta=-3.0), lambda x: x @ x.T * 0.0078125 - 3),
        (node("Resize", "h - scales", "resize", mode="linear"), bilinear),
        (node("DequantizeLinear", "whole scale", "dequantize"), lambda x: np.floor(x * 1000) * small(0.003)),
        (node("SoftmaxCrossEntropyLoss", "h targets", "loss"), cross_entropy),
        (node("Mean", "h h h h h h h h", "mean"), lambda x: x),
        (node("ReduceL2", "h all", "norm", keepdims=0), lambda x: np.sqrt((x * x).sum())),
        (node("LogSoftmax", "h", "logs", axis=0), lambda x: x - log_sum_exp(x, (0,))),
    ]
    shrink = node("Shrink", "h", "shrink", bias=0.1, lambd=20.0)  # not defined for bf16
    return every + [(shrink, lambda x: np.where(x > 20, x - np.float64(np.float32(0.1)), 0))] * (kind == "f16")


def check_steps(kind, library, path):
    """Two shapes of `steps`; gives how many results were compared."""
    nodes, number = steps(kind), KINDS[kind]
    before = [node("Cast", "x", "h", to=number), node("Transpose", "h", "ht", perm=[1, 0]), node("Cast", "f1", "one1", to=number),
              node("Mul", "x thousand", "large"), node("Floor", "large", "floor"), node("Cast", "floor", "whole", to=6),
              node("Cast", "f003", "scale", to=number), node("ReduceSum", "x one", "sums", keepdims=0), node("Mul", "sums nothing", "zeros"),
              node("Cast", "zeros", "targets", to=INT64)]
    behind = [node("Cast", name_of(each), f"y{i}", to=FLOAT) for i, (each, _) in enumerate(nodes)]
    constants = {"f1": np.ones(1, np.float32), "thousand": np.array(1000, np.float32), "f003": np.array(0.003, np.float32),
                 "one": np.array([1]), "nothing": np.array(0, np.float32), "all": np.array([0, 1]), "scales": np.array([1, 2], np.float32)}
    path.write_bytes(model(before + [each for each, _ in nodes] + behind, {"x": (FLOAT, ["N", "M"])}, [f"y{i}" for i in range(len(nodes))],
                           constants, opset=23))
    program = symshape_c.Program(path, library=library, target=target())
    for shape in [(3, 301), (1, 7)]:
        x = rounded(random.uniform(16, 32, shape), kind)
        compare(program, {name_of(each): f for each, f in nodes}, x, kind, 2e-6)
    return 2 * len(nodes)


def target():
    return sys.argv[3] if len(sys.argv) > 3 else None


def compile_model(kind, nodes, wanted, dims, library, path):
    number = KINDS[kind]
    constants = {f"a{''.join(map(str, axes))}": np.array(axes, np.int64) for axes in AXES}
    constants |= {f"axis{axis}": np.array(axis, np.int64) for axis in range(3)}
    constants |= {"f1": np.ones(1, np.float32), "f5": np.ones(5, np.float32), "f0": np.zeros(5, np.float32)}
    before = [node("Cast", "x", "h", to=number), *[node("Transpose", "h", "ht", perm=[0, 2, 1])][:len(dims) // 3], node("Cast", "f1", "one", to=number),
              node("Cast", "f5", "ones", to=number), node("Cast", "f0", "zeros", to=number)]
    behind = [node("Cast", name, f"{name}.f32", to=FLOAT) for name in wanted]
    path.write_bytes(model(before + nodes + behind, {"x": (FLOAT, dims)}, [f"{name}.f32" for name in wanted],
                           constants, opset=26))
    return symshape_c.Program(path, library=library, target=target())


def compare(program, wanted, x, kind, cancelled=0):
    """The largest error of each op, less what differences lose, as a share of the largest result."""
    worst = {}
    with np.errstate(all="ignore"):
        for (name, f), got in zip(wanted.items(), program(x), strict=True):
            want = np.asarray(f(x.astype(np.float64)))
            assert got.shape == want.shape, f"{kind} {name} {x.shape}: expected {want.shape}, but got {got.shape}"
            off = errors(got, want, kind, cancelled and cancelled * np.abs(want).max(initial=0))
            worst[name] = off.max(initial=0)
            at = np.unravel_index(off.argmax(), off.shape) if off.size else ()
            assert worst[name] <= 0.51, \
                f"{kind} {name} {x.shape}: off by {worst[name]} at {at}: expected {want[at]}, but got {got[at]}"
    return worst


def main():
    library, folder = symshape_c.load(sys.argv[1]), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    checked = 0
    for kind in KINDS:
        program = compile_model(kind, *sums(kind), ["N", 5, "M"], library, folder / f"sums-{kind}.onnx")
        for shape in [(300, 5, 7), (2, 5, 301), (1, 5, 3), (3, 5, 4)][2 * (len(sys.argv) > 3):]:
            x = rounded(random.uniform(0.25, 2, shape), kind)
            checked += len(compare(program, sums(kind)[1], x, kind, 5e-6))
        program = compile_model(kind, *functions(kind), ["N"], library, folder / f"functions-{kind}.onnx")
        numbers = all_numbers(kind)
        worst = compare(program, functions(kind)[1], numbers[np.isfinite(numbers)], kind)
        checked += len(worst) + check_steps(kind, library, folder / f"steps-{kind}.onnx")
        print(kind, ", ".join(f"{name.rstrip('0123456789')} {off:.3f}" for name, off in worst.items()))
    print(f"{checked} results")
    assert checked >= 2 * ((4 if len(sys.argv) == 3 else 2) * 80 + 18)


if __name__ == "__main__":
    main()
