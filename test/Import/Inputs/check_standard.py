# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sentences of the ONNX standard that its node tests leave out, each beside NumPy.

    check_standard.py LIBRARY FOLDER

Early versions of ops, types by their own order, masks, attributes of functions;
and what the standard forbids, which is refused by words of ONNX. Each model is
compiled once, for all sizes.
"""

import sys
from pathlib import Path

import numpy as np
import symshape_c

from onnx_file import (BOOL, DOUBLE, FLOAT, FLOAT16, INT32, INT64, INT8, TYPES, UINT8, Reference, function, graph, model,
                       node)

UINT16, INT16, UINT32, UINT64 = 4, 5, 12, 13
TYPES |= {np.dtype(np.uint16): UINT16, np.dtype(np.int16): INT16, np.dtype(np.uint32): UINT32, np.dtype(np.uint64): UINT64}
random = np.random.default_rng(5)
I64 = np.int64


def f32(*shape):
    return random.standard_normal(shape).astype(np.float32)


def floats(*numbers):
    return np.array(numbers, np.float32)


def batch_norm(x, s, b, m, v, axes=None):
    shape = (1, -1) + (1,) * (x.ndim - 2) if axes is None else (1, *x.shape[1:])
    s, b, m, v = (t.reshape(shape) for t in (s, b, m, v))
    return (x - m) / np.sqrt(v + np.float32(1e-5)) * s + b


def trained(x, s, b, m, v):
    mean, variance = x.mean((0, 2)), x.var((0, 2))
    near = [np.float32(0.9) * old + np.float32(0.1) * new for old, new in ((m, mean), (v, variance))]
    return [batch_norm(x, s, b, mean, variance), *near]


def attend(q, k, v, mask=0.0, scale=None):
    """With a row of zeros where everything is hidden."""
    mask = np.asarray(mask, np.float32)
    scores = q @ k.swapaxes(-1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale) + mask
    most = scores.max(-1, keepdims=True, initial=-np.inf)
    e = np.exp(scores - np.where(np.isinf(most), 0, most))
    total = e.sum(-1, keepdims=True)
    return e / np.where(total == 0, 1, total) @ v


def thirds(x):
    """Three places for each number, from one to the next; rounded to zero."""
    kind = x.dtype
    for axis in (2, 3):
        high = np.concatenate([np.delete(x, 0, axis), x.take([-1], axis)], axis)
        x = np.stack([(3 - i) * x.astype(I64) + i * high for i in range(3)], axis + 1).reshape(
            *x.shape[:axis], 3 * x.shape[axis], *x.shape[axis + 1:])
    return [(x // 9).astype(kind)]


def causal(queries, keys, offset):
    return np.where(np.arange(keys) <= np.arange(queries)[:, None] + offset, 0, -np.inf).astype(np.float32)


def cached(q, k, v, n):
    masks = [causal(q.shape[2], k.shape[2], length - q.shape[2]) + np.where(np.arange(k.shape[2]) < length, 0, -np.inf)
             for length in n]
    return [attend(q, k, v, np.array(masks, np.float32)[:, None])]


def transposed(x, w, b, strides=(1,), dilations=(1,), output_padding=(0,)):
    """Each element adds the kernel where it stands; empty ones leave the bias."""
    step, apart, kernel = strides[0], dilations[0], w.shape[2]
    z = np.zeros((x.shape[0], w.shape[1], (x.shape[2] - 1) * step + (kernel - 1) * apart + 1 + output_padding[0]))
    for i in range(x.shape[2]):
        for k in range(kernel):
            z[:, :, i * step + k * apart] += x[:, :, i] @ w[:, :, k]
    return (z + b[:, None]).astype(np.float32)


def unpooled(x, i):
    """Places of 4 x 4 in each batch, then a row and a column of zeros."""
    z = np.zeros(x.size // 4 * 16, np.float32)
    z[i.ravel()] = x.ravel()
    return [np.pad(z.reshape(*x.shape[:2], 4, 4), ((0, 0), (0, 0), (0, 1), (0, 1)))]


def heads(*shape):
    return [f32(shape[0], shape[1], n, shape[4]) for n in (shape[2], shape[3], shape[3])]


def images(*channels):
    """Arrays of batch norm for 2 x channels x 3."""
    return [(f32(2, c, 3), f32(c), f32(c), f32(c), np.abs(f32(c))) for c in channels]


QKV = {name: (FLOAT, ["B", "H", length, "D"]) for name, length in (("q", "L"), ("k", "S"), ("v", "S"))}
NORM = {"x": (FLOAT, ["N", "C", "L"]), "s": (FLOAT, ["P"]), "b": (FLOAT, ["Q"]), "m": (FLOAT, ["R"]), "v": (FLOAT, ["T"])}
X2, XY = {"x": (FLOAT, ["N", "M"])}, {"x": (FLOAT, ["A", "B"]), "y": (FLOAT, ["C"])}
SUM = graph([node("Add", "s x", "t"), node("Identity", "t", "y")], {"s": (FLOAT, ["M"]), "x": (FLOAT, ["M"])}, ["t", "y"])


def scan(x):
    """Sums of each batch; then all on the way."""
    return [x.sum(1), np.cumsum(x, 1)]


#: name: (opset, nodes, inputs, outputs, constants, NumPy, arrays of each call)
VERSIONS = {
    "concat-1": (1, [node("Concat", "x x", "z")], X2, ["z"], {}, lambda x: [np.concatenate([x, x], 1)],
                 [(f32(2, 3),), (f32(0, 1),)]),
    "cast-1": (1, [node("Cast", "x", "z", to="INT32")], X2, ["z"], {}, lambda x: [x.astype(np.int32)],
               [(f32(2, 3),), (f32(1, 0),)]),
    "cast-5": (5, [node("Cast", "x", "z", to="DOUBLE")], X2, ["z"], {}, lambda x: [x.astype(np.float64)], [(f32(2, 3),)]),
    "pad-1": (1, [node("Pad", "x", "z", paddings=[1, 0, 0, 2], value=2.0)], X2, ["z"], {},
              lambda x: [np.pad(x, ((1, 0), (0, 2)), constant_values=2)], [(f32(2, 3),), (f32(0, 1),)]),
    "pad-2": (2, [node("Pad", "x", "z", pads=[1, 0, 0, 2], mode="edge")], X2, ["z"], {},
              lambda x: [np.pad(x, ((1, 0), (0, 2)), "edge")], [(f32(2, 3),), (f32(1, 1),)]),
    "tile-1": (1, [node("Tile", "x t a", "z")], X2, ["z"], {"t": np.float32(3), "a": np.float32(1)},
               lambda x: [np.tile(x, (1, 3))], [(f32(2, 3),), (f32(1, 0),)]),
    "split-1": (1, [node("Split", "x", "y z", axis=1, split=[1, 2])], X2, ["y", "z"], {},
                lambda x: [x[:, :1], x[:, 1:]], [(f32(2, 3),), (f32(0, 3),)]),
    "split-1-input": (1, [node("Split", "x s", "y z", axis=1)], X2, ["y", "z"], {"s": floats(1, 2)},
                      lambda x: [x[:, :1], x[:, 1:]], [(f32(2, 3),)]),
    "upsample-1": (1, [node("Upsample", "x", "z", height_scale=2.0, width_scale=3.0, mode="nearest")],
                   {"x": (FLOAT, ["N", 1, "H", "W"])}, ["z"], {}, lambda x: [x.repeat(2, 2).repeat(3, 3)],
                   [(f32(2, 1, 2, 3),), (f32(1, 1, 1, 1),)]),
    "upsample-7": (7, [node("Upsample", "x", "z", scales=[1.0, 1.0, 2.0, 1.0], mode="nearest")],
                   {"x": (FLOAT, ["N", 1, "H", "W"])}, ["z"], {}, lambda x: [x.repeat(2, 2)], [(f32(2, 1, 2, 3),)]),
    "lp-pool-1": (1, [node("LpPool", "x", "z", kernel_shape=[2], p=3.0)], {"x": (FLOAT, ["N", 1, "L"])}, ["z"], {},
                  lambda x: [(np.abs(x[:, :, :-1]) ** 3 + np.abs(x[:, :, 1:]) ** 3) ** (1 / 3)],
                  [(f32(2, 1, 4),), (f32(1, 1, 2),)]),
    "global-lp-pool-1": (1, [node("GlobalLpPool", "x", "z", p=1.5)], {"x": (FLOAT, ["N", 1, "L"])}, ["z"], {},
                         lambda x: [(np.abs(x) ** 1.5).sum(2, keepdims=True) ** (1 / 1.5)], [(f32(2, 1, 4),), (f32(1, 1, 1),)]),
    "global-lp-pool-1-default": (1, [node("GlobalLpPool", "x", "z")], {"x": (FLOAT, ["N", 1, "L"])}, ["z"], {},
                                 lambda x: [np.sqrt((x * x).sum(2, keepdims=True))], [(f32(2, 1, 4),)]),
    "batch-norm-7-features": (7, [node("BatchNormalization", "x s b m v", "z", spatial=0)],
                              {"x": (FLOAT, ["N", "C", "L"]), **{k: (FLOAT, ["C", "L"]) for k in "sbmv"}}, ["z"], {},
                              lambda *all_: [batch_norm(*all_, axes=1)],
                              [(f32(2, c, 3), f32(c, 3), f32(c, 3), f32(c, 3), np.abs(f32(c, 3))) for c in (4, 1)]),
    "batch-norm-6": (6, [node("BatchNormalization", "x s b m v", "z", is_test=1)], NORM, ["z"], {},
                     lambda *all_: [batch_norm(*all_)], images(4, 1)),
    "batch-norm-6-trained": (6, [node("BatchNormalization", "x s b m v", "z mean variance saved_mean saved_variance")], NORM,
                             ["z", "mean", "variance"], {}, trained, images(4, 1)),
    "batch-norm-9-trained": (9, [node("BatchNormalization", "x s b m v", "z mean variance")], NORM,
                             ["z", "mean", "variance"], {}, trained, images(3)),
    "batch-norm-9": (9, [node("BatchNormalization", "x s b m v", "z")], NORM, ["z"], {},
                     lambda *all_: [batch_norm(*all_)], images(3)),
    "add-6-axis": (6, [node("Add", "x y", "z", broadcast=1, axis=0)], XY, ["z"], {}, lambda x, y: [x + y[:, None]],
                   [(f32(2, 3), f32(2)), (f32(1, 3), f32(1)), (f32(0, 2), f32(0))]),
    "mul-6-suffix": (6, [node("Mul", "x y", "z", broadcast=1)], XY, ["z"], {}, lambda x, y: [x * y],
                     [(f32(2, 3), f32(3)), (f32(2, 1), f32(1))]),
    "greater-1-axis": (1, [node("Greater", "x y", "z", broadcast=1, axis=0)], XY, ["z"], {}, lambda x, y: [x > y[:, None]],
                       [(f32(2, 3), f32(2))]),
    "gemm-6": (6, [node("Gemm", "x x c", "z", transB=1, broadcast=1)], {"x": (FLOAT, ["N", "M"]), "c": (FLOAT, ["N"])},
               ["z"], {}, lambda x, c: [x @ x.T + c], [(f32(3, 2), f32(3)), (f32(1, 1), f32(1))]),
    "prelu-6": (6, [node("PRelu", "x s", "z")], {"x": (FLOAT, ["N", "C", "L"]), "s": (FLOAT, ["C"])}, ["z"], {},
                lambda x, s: [np.where(x < 0, x * s[:, None], x)], [(f32(2, 3, 4), f32(3)), (f32(1, 1, 2), f32(1))]),
    "selu-1": (1, [node("Selu", "x", "z")], X2, ["z"], {},
               lambda x: [np.float32(1.0507) * np.where(x > 0, x, np.float32(1.6732) * np.expm1(x))], [(f32(2, 3),)]),
    # How far the default is from that of opset 6, enlarged.
    "selu-5-alpha": (5, [node("Selu", "x", "s", gamma=1.0), node("Add", "s c", "t", broadcast=1), node("Mul", "t k", "z", broadcast=1)], X2, ["z"],
                     {"c": np.array([1.6732], np.float32), "k": np.array([1e4], np.float32)}, lambda x: [np.zeros_like(x)], [(np.full((2, 3), -90, np.float32),)]),
    "selu-5-gamma": (5, [node("Selu", "x", "s"), node("Add", "s c", "t", broadcast=1), node("Mul", "t k", "z", broadcast=1)], X2, ["z"],
                     {"c": np.array([-1.0507], np.float32), "k": np.array([1e4], np.float32)}, lambda x: [np.zeros_like(x)], [(np.ones((2, 1), np.float32),)]),
    "clip-6": (6, [node("Clip", "x", "z", min=0.0)], X2, ["z"], {}, lambda x: [np.clip(x, 0, np.finfo(np.float32).max)],
               [(floats(-1, np.inf, -np.inf, 2)[None],)]),
    "dropout-6": (6, [node("Dropout", "x", "z mask", is_test=1)], X2, ["z", "mask"], {}, lambda x: [x, np.ones_like(x)],
                  [(f32(2, 3),)]),
    "one-hot-9": (9, [node("OneHot", "i d v", "z")], {"i": (INT64, ["N"])}, ["z"],
                  {"d": np.array([3], I64), "v": floats(0, 1)}, lambda i: [(i[:, None] == np.arange(3)).astype(np.float32)],
                  [(np.array([0, -1, 2, 3], I64),)]),
    "one-hot-11": (11, [node("OneHot", "i d v", "z")], {"i": (INT64, ["N"])}, ["z"],
                   {"d": np.array([3], I64), "v": floats(0, 1)},
                   lambda i: [(i[:, None] % 3 == np.arange(3)).astype(np.float32)], [(np.array([0, -1, 2], I64),)]),
    "scan-8": (8, [node("Scan", "- s x", "t y", num_scan_inputs=1, body=SUM)],
               {"s": (FLOAT, ["B", 2]), "x": (FLOAT, ["B", "L", 2])}, ["t", "y"], {}, lambda s, x: scan(x),
               [(np.zeros((b, 2), np.float32), f32(b, n, 2)) for b, n in ((3, 4), (1, 1), (2, 0), (0, 3))]),
    "scan-8-back": (8, [node("Scan", "- s x", "t y", num_scan_inputs=1, body=SUM, directions=[1])],
                    {"s": (FLOAT, ["B", 2]), "x": (FLOAT, ["B", "L", 2])}, ["t", "y"], {}, lambda s, x: scan(x[:, ::-1]),
                    [(np.zeros((2, 2), np.float32), f32(2, 4, 2))]),
    # A state of a Scan has the same extents in each turn, though nothing declares so.
    **{f"scan-{opset}-open": (opset, [node("Scan", "s x", "t y", num_scan_inputs=1, body=graph(
        [node("Identity", "b", "t"), node("Identity", "a", "y")], {"a": (FLOAT, ["A"]), "b": (FLOAT, ["B"])}, ["t", "y"]))],
        {"s": (FLOAT, ["N"]), "x": (FLOAT, ["L", "M"])}, ["t", "y"], {}, lambda s, x: [x[-1], np.concatenate([s[None], x[:-1]])],
        [(f32(n), f32(length, n)) for length, n in ((3, 2), (1, 1), (2, 0), (4, 5))]) for opset in (9, 16)},
    "softmax-11": (11, [node("Softmax", "x", "z")], {"x": (FLOAT, ["N", "A", "B"])}, ["z"], {},
                   lambda x: [np.exp(x) / np.exp(x).sum((1, 2), keepdims=True)], [(f32(2, 3, 4),)]),
}

ATTENTION = {
    "hidden-row": (23, [node("Attention", "q k v m", "z")], QKV | {"m": (BOOL, ["L", "S"])}, ["z"], {},
                   lambda q, k, v, m: [attend(q, k, v, np.where(m, 0, -np.inf))],
                   [(*heads(1, 1, 2, 3, 4), np.array([[0, 0, 0], [1, 0, 1]], bool)),
                    (*heads(2, 2, 1, 1, 3), np.zeros((1, 1), bool))]),
    "hidden-row-numbers": (23, [node("Attention", "q k v m", "z")], QKV | {"m": (FLOAT, ["L", "S"])}, ["z"], {},
                           lambda q, k, v, m: [attend(q, k, v, m)],
                           [(*heads(1, 1, 2, 2, 4), floats(-np.inf, -np.inf, 0.5, -np.inf).reshape(2, 2))]),
    "no-keys": (23, [node("Attention", "q k v", "z")], QKV, ["z"], {}, lambda q, k, v: [attend(q, k, v)],
                [heads(1, 1, 2, 0, 4), heads(2, 3, 0, 2, 4), heads(0, 1, 2, 2, 4), heads(1, 1, 3, 1, 1)]),
    "cache": (24, [node("Attention", "q k v - - - n", "z", is_causal=1)], QKV | {"n": (INT64, ["B"])}, ["z"], {}, cached,
              [(*heads(2, 1, 2, 5, 4), np.array([4, 1], I64)), (*heads(1, 2, 3, 3, 4), np.array([3], I64)),
               (*heads(1, 1, 1, 2, 4), np.array([0], I64))]),
    "before-cap": (23, [node("Attention", "q k v", "z keys values scores", softcap=0.5, scale=2.0)], QKV, ["scores"], {},
                   lambda q, k, v: [2 * q @ k.swapaxes(-1, -2)], [heads(1, 2, 3, 4, 2)]),
    "after-cap": (23, [node("Attention", "q k v", "z keys values scores", softcap=0.5, scale=2.0, qk_matmul_output_mode=1)], QKV,
                  ["scores"], {}, lambda q, k, v: [0.5 * np.tanh(4 * q @ k.swapaxes(-1, -2))], [heads(1, 2, 3, 4, 2)]),
    "scale-0": (23, [node("Attention", "q k v", "z", scale=0.0)], QKV, ["z"], {}, lambda q, k, v: [attend(q, k, v, scale=0)],
                [heads(1, 2, 3, 4, 2)]),
    "short-mask": (24, [node("Attention", "q k v m", "z")], QKV | {"m": (BOOL, ["L", "K"])}, ["z"], {},
                   lambda q, k, v, m: [attend(q, k, v, np.where(np.pad(m, ((0, 0), (0, k.shape[2] - m.shape[1]))), 0, -np.inf))],
                   [(*heads(1, 1, 2, 4, 3), np.ones((2, n), bool)) for n in (1, 3, 4)]),
    "short-mask-declared": (24, [node("Attention", "q k v m", "z")], QKV | {"m": (BOOL, ["L", 1])}, ["z"], {},
                            lambda q, k, v, m: [attend(q, k, v, np.array([0, *[-np.inf] * (k.shape[2] - 1)]))],
                            [(*heads(1, 1, 2, n, 3), np.ones((2, 1), bool)) for n in (4, 1)]),
}


def ends(*types):
    """Some numbers of a type, its ends among them."""
    out = {}
    for type_ in types:
        info = np.iinfo(type_)
        out[type_] = np.array([0, 1, 2, 3, info.max, info.max - 1, info.max // 2, info.max // 2 + 1, info.min, 7], type_)
    return out


UNSIGNED = ends(np.uint8, np.uint16, np.uint32, np.uint64)
WIDE = {t: UNSIGNED[t] for t in (np.uint32, np.uint64)}


def of_types(name, op, f, types, opset=20, **attributes):
    """Ops on one operand, on numbers of each type."""
    return {f"{name}-{np.dtype(t).name}": (opset, [node(op, "x", "z", **attributes)], {"x": (TYPES[np.dtype(t)], ["N"])},
                                           ["z"], {}, lambda x: [f(x)], [(x,), (x[:1],)]) for t, x in types.items()}


def scattered(reduction, f, types):
    return {f"scatter-{reduction}-{np.dtype(t).name}": (
        18, [node("ScatterElements", "x i u", "z", reduction=reduction)],
        {"x": (TYPES[np.dtype(t)], ["N"]), "i": (INT64, ["K"]), "u": (TYPES[np.dtype(t)], ["K"])}, ["z"], {},
        lambda x, i, u: [f(x, i, u)], [(x, np.array([0, 3, 0, -1, 4], I64), x[::-1][:5].copy())]) for t, x in types.items()}


def combine(ufunc):
    def at(x, i, u):
        x = x.copy()
        ufunc.at(x, i, u)
        return x
    return at


BOOLS = {np.bool_: np.array([0, 1, 0, 1, 1, 0, 0, 0, 1, 1], bool)}
INTEGERS = UNSIGNED | ends(np.int8, np.int16, np.int32, np.int64)
REDUCED = {t: x for t, x in (INTEGERS | BOOLS).items() if t not in (np.uint16, np.int16)}  # of those, none is reduced
ORDER = {
    **of_types("l1", "ReduceL1", lambda x: x.sum(keepdims=True, dtype=x.dtype), WIDE),
    **of_types("l2", "ReduceL2", lambda x: np.sqrt((x * x).sum(keepdims=True, dtype=x.dtype).astype(float)).astype(x.dtype),
               WIDE),
    **of_types("mean", "ReduceMean", lambda x: x.sum(keepdims=True, dtype=x.dtype) // x.dtype.type(len(x)), WIDE),
    **of_types("log-sum", "ReduceLogSum", lambda x: np.log(x.sum(keepdims=True, dtype=x.dtype).astype(float)).astype(x.dtype),
               {t: x[2:] for t, x in WIDE.items()}),
    **of_types("most", "ReduceMax", lambda x: x.max(keepdims=True), REDUCED),
    **of_types("least", "ReduceMin", lambda x: x.min(keepdims=True), REDUCED),
    **of_types("first", "ArgMax", lambda x: np.array([x.argmax()]), INTEGERS),
    **of_types("sign", "Sign", np.sign, INTEGERS),
    **scattered("max", combine(np.maximum), INTEGERS | BOOLS),
    **scattered("min", combine(np.minimum), INTEGERS | BOOLS),
    **scattered("add", combine(np.add), INTEGERS | BOOLS),
    **scattered("mul", combine(np.multiply), INTEGERS | BOOLS),
    **{f"prelu-{np.dtype(t).name}": (16, [node("PRelu", "x s", "z")], {"x": (TYPES[np.dtype(t)], ["N"]), "s": (TYPES[np.dtype(t)], ["N"])},
                                     ["z"], {}, lambda x, s: [np.where(x < 0, x * s, x)], [(x, x[::-1].copy())])
       for t, x in (WIDE | {np.int32: INTEGERS[np.int32], np.int64: INTEGERS[np.int64]}).items()},
}

EDGES = {
    "max-pool-least": (12, [node("MaxPool", "x", "z i", kernel_shape=[2], strides=[2])], {"x": (UINT8, ["N", 1, "L"])},
                       ["z", "i"], {}, lambda x: [x.reshape(1, 1, -1, 2).max(3), np.array([[[0, 3]]])],
                       [(np.array([[[0, 0, 1, 3]]], np.uint8),)]),
    "max-pool-infinite": (12, [node("MaxPool", "x", "z i", kernel_shape=[3], pads=[1, 1])], {"x": (FLOAT, ["N", 1, "L"])},
                          ["z", "i"], {}, lambda x: [np.full((1, 1, 3), -np.inf, np.float32), np.array([[[0, 0, 1]]])],
                          [(np.full((1, 1, 3), -np.inf, np.float32),)]),
    "erf": (13, [node("Erf", "x", "z")], {"x": (FLOAT, ["N"])}, ["z"], {}, lambda x: [np.sign(x)],
            [(floats(4, -4, 1e6, -1e30, np.inf),)]),
    "trilu": (14, [node("Trilu", "x k", "z")], {"x": (FLOAT, ["N", "M"]), "k": (INT64, [])}, ["z"], {},
              lambda x, k: [np.triu(x, max(min(int(k), 99), -99))],
              [(f32(3, 4), np.array(k, I64)) for k in (2**63 - 1, -2**63, 0, 2, -1)]),
    "clip-nan": (13, [node("Clip", "x a b", "z")], {"x": (FLOAT, ["N"]), "a": (FLOAT, []), "b": (FLOAT, [])}, ["z"], {},
                 lambda x, a, b: [(lambda y: np.where(y > b, b, y))(np.where(x < a, a, x))],
                 [(floats(-1, 0.5, 2, np.nan), np.float32(np.nan), np.float32(1)), (floats(-1, 5), np.float32(3), np.float32(np.nan)),
                  (floats(1, 2), np.float32(3), np.float32(2))]),
    "gemm-halved": (13, [node("Gemm", "a b c", "z", alpha=0.5, beta=0.5)],
                    {"a": (INT32, ["N", "K"]), "b": (INT32, ["K", "M"]), "c": (INT32, ["M"])}, ["z"], {},
                    lambda a, b, c: [np.trunc(0.5 * (a @ b) + 0.5 * c).astype(np.int32)],
                    [(np.array([[3, 4]], np.int32), np.array([[1, 2], [3, 4]], np.int32), np.array([1, -1], np.int32))]),
    **{f"gemm-{kind.__name__}": (13, [node("Gemm", "a b c", "z", alpha=2.0, beta=-1.0)],
                                 {"a": (TYPES[np.dtype(kind)], ["N", "K"]), "b": (TYPES[np.dtype(kind)], ["K", "M"]),
                                  "c": (TYPES[np.dtype(kind)], ["M"])}, ["z"], {}, lambda a, b, c: [a.dtype.type(2) * (a @ b) - c],
                                 [tuple(np.array(t, kind) for t in call) for call in (
                                     ([[1, 2]], [[1, 2], [3, 4]], [0, 25]), ([[2**30, 1]], [[3], [5]], [7]), ([[1]], [[0]], [1]),
                                     (np.zeros((0, 1)), [[1]], [1]), (np.zeros((1, 0)), np.zeros((0, 2)), [3, 0]))])
       for kind in (np.int32, np.int64, np.uint32, np.uint64)},
    **{f"shrink-{kind.__name__}": (9, [node("Shrink", "x", "z", bias=1.5, lambd=2.0)], {"x": (TYPES[np.dtype(kind)], ["N"])}, ["z"], {},
                                   lambda x: [np.trunc(np.where(x > 2, x - 1.5, np.where(x < -2, x + 1.5, 0))).astype(x.dtype)],
                                   [(np.array(x, kind),) for x in ([2**31 - 2, 2**24 + 1, 2**24 + 3, 2, 3, 0], [], [1, 9])] +
                                   [(np.array([-2**31, -2**24 - 1, -3, -2]).astype(kind),)] * (kind != np.uint32))
       for kind in (np.int32, np.uint32, np.int64)},
    # What floats would leave of the mean of the input beside 1e8 is nothing.
    "batch-norm-wide": (15, [node("BatchNormalization", "x s b m v", "z n w", training_mode=1), node("Sub", "n c", "d")],
                        {"x": (FLOAT, ["N", "C"]), **{name: (DOUBLE, ["C"]) for name in "sbmv"}}, ["d"],
                        {"c": np.array([1e8 * float(np.float32(0.9))])},
                        lambda x, s, b, m, v: [(1 - float(np.float32(0.9))) * x.astype(float).mean(0)],
                        [(f32(n, 2), np.ones(2), np.ones(2), np.full(2, 1e8), np.ones(2)) for n in (3, 1)]),
    "columns-bool": (18, [node("Col2Im", "x i b", "z")], {"x": (BOOL, ["N", "C", "L"])}, ["z"],
                     {"i": np.array([1, 4], I64), "b": np.array([1, 2], I64)},
                     lambda x: [np.pad(x[:, 0::2], [(0, 0), (0, 0), (0, 1)])[:, :, None] |
                                np.pad(x[:, 1::2], [(0, 0), (0, 0), (1, 0)])[:, :, None]],
                     [(np.array([1, 1, 0, 1, 0, 1, 1, 1, 0, 0, 1, 1], bool).reshape(1, 4, 3),), (np.ones((2, 2, 3), bool),),
                      (np.ones((0, 2, 3), bool),)]),
    # A third is no double, and three of them are 1.
    **{f"{op}-thirds-{kind.__name__}": (opset, [node(op, inputs, "z", mode="linear", **attributes)],
                                        {"x": (TYPES[np.dtype(kind)], [1, 1, "H", "W"])}, ["z"],
                                        {"s": np.array([1, 1, 3, 3], np.float32)}, thirds,
                                        [(np.arange(h * w, dtype=kind).reshape(1, 1, h, w) * kind(3),) for h, w in ((2, 3), (1, 1), (3, 2))])
       for op, opset, inputs, attributes in (("Upsample", 9, "x s", {}),
                                             ("Resize", 13, "x - s", {"coordinate_transformation_mode": "asymmetric"}))
       for kind in (np.uint8, np.int32, np.int64)},
    "grid-far": (20, [node("GridSample", "x g", "z", mode="cubic", padding_mode="border", align_corners=1)],
                 {"x": (FLOAT, ["N", 1, "H", "W"]), "g": (FLOAT, ["N", 1, 1, 2])}, ["z"], {},
                 lambda x, g: [x[:, :, -1:, -1:]], [(f32(1, 1, 3, 3), np.full((1, 1, 1, 2), 1e20, np.float32))]),
    # The places 2.5e9 + 2 and -2.5e9 + 2 are reflected to 2, by real numbers; in floats they are not even told apart from 2.5e9.
    "grid-reflected": (20, [node("GridSample", "x g", "z", padding_mode="reflection")],
                       {"x": (FLOAT, ["N", 1, 1, 5]), "g": (FLOAT, ["N", 1, 2, 2])}, ["z"], {},
                       lambda x, g: [x[..., [2, 2]]], [(f32(1, 1, 1, 5), np.array([[[[1e9, 0], [-1e9, 0]]]], np.float32))]),
    "unpool-larger": (11, [node("MaxUnpool", "x i s", "z", kernel_shape=[2, 2], strides=[2, 2])],
                      {"x": (FLOAT, ["N", "C", 2, 2]), "i": (INT64, ["N", "C", 2, 2])}, ["z"], {"s": np.array([2, 1, 5, 5], I64)},
                      unpooled, [(f32(2, 1, 2, 2), np.array([5, 7, 13, 15, 21, 23, 29, 31], I64).reshape(2, 1, 2, 2))]),
    **{f"transposed-{name}": (11, [node("ConvTranspose", "x w b", "z", **attributes)],
                              {"x": (FLOAT, ["N", "C", "L"]), "w": (FLOAT, ["C", "F", 3]), "b": (FLOAT, ["F"])}, ["z"], {},
                              lambda x, w, b, attributes=attributes: [transposed(x, w, b, **attributes)],
                              [(f32(2, 2, n), f32(2, 3, 3), f32(3)) for n in (2, 0, 1)] + [(f32(0, 2, 3), f32(2, 3, 3), f32(3)),
                                                                                          (f32(2, 0, 0), f32(0, 3, 3), f32(3))])
       for name, attributes in (("plain", {}), ("phases", {"strides": [2]}), ("spread", {"strides": [2], "dilations": [2]}),
                                ("padded", {"strides": [4], "output_padding": [3]}))},
    "unpool-nothing": (11, [node("MaxUnpool", "x i", "z", kernel_shape=[2], strides=[2])],
                       {"x": (FLOAT, ["N", 1, "L"]), "i": (INT64, ["N", 1, "L"])}, ["z"], {},
                       lambda x, i: [np.where(np.arange(2 * x.shape[2]) % 2 == 0, x.repeat(2, 2), 0).astype(np.float32)],
                       [(f32(1, 1, 2), np.array([[[0, 2]]], I64)), (f32(0, 1, 2), np.zeros((0, 1, 2), I64)),
                        (f32(1, 1, 0), np.zeros((1, 1, 0), I64))]),
    "pad-nothing": (13, [node("Pad", "x p", "z", mode="reflect")], {"x": (FLOAT, ["N", "M"]), "p": (INT64, [4])}, ["z"], {},
                    lambda x, p: [np.pad(x, ((p[0], p[2]), (p[1], p[3])), "reflect")],
                    [(f32(2, 3), np.array([0, 1, 0, 2], I64)), (f32(0, 3), np.array([0, 2, 0, 1], I64)),
                     (f32(2, 0), np.array([1, 0, 0, 0], I64))]),
    "diagonal": (12, [node("Einsum", "x", "d", equation="ii->i"), node("Einsum", "x", "t", equation="ii")],
                 {"x": (FLOAT, ["N", "M"])}, ["d", "t"], {}, lambda x: [np.diag(x), np.trace(x)],
                 [(f32(n, n),) for n in (3, 1, 0)]),
    "ellipsis": (12, [node("Einsum", "x y", "z", equation="...i,...ij->j...")],
                 {"x": (FLOAT, ["A", "B", "I"]), "y": (FLOAT, ["C", "D", "I", "J"])}, ["z"], {},
                 lambda x, y: [np.einsum("...i,...ij->j...", x, y)],
                 [(f32(2, 3, 4), f32(2, 3, 4, 5)), (f32(2, 1, 4), f32(1, 3, 4, 5)), (f32(2, 3, 4), f32(1, 1, 4, 5)),
                  (f32(1, 1, 1), f32(1, 1, 1, 1)), (f32(2, 1, 4), f32(2, 0, 4, 5))]),
    "layer-norm-double": (17, [node("LayerNormalization", "x s", "z mean inverse")],
                          {"x": (DOUBLE, ["N", "M"]), "s": (DOUBLE, ["M"])}, ["mean", "inverse"], {},
                          lambda x, s: [x.mean(1, keepdims=True).astype(np.float32),
                                        (1 / np.sqrt(x.var(1, keepdims=True) + np.float32(1e-5))).astype(np.float32)],
                          [(f32(2, 3).astype(float), np.ones(3))]),
}


def leaky(alpha):
    """A function whose branch refers to its attribute, and a constant of the branch's own."""
    scaled = graph([node("LeakyRelu", "x", "t", alpha=Reference("slope", 1)), node("Constant", "", "k", value=floats(100)),
                    node("Add", "t k", "y")], {}, ["y"])
    nested = graph([node("If", "c", "y", then_branch=scaled, else_branch=graph([node("Neg", "x", "y")], {}, ["y"]))], {}, ["y"])
    other = graph([node("Identity", "x", "y")], {}, ["y"])
    return function("Leaky", "x c", "z", [node("If", "c", "z", then_branch=nested, else_branch=other)], [alpha])


FUNCTIONS = {
    "branch": ([node("Leaky", "x c", "y", domain="mine", slope=0.5), node("Leaky", "x c", "z", domain="mine", slope=0.25)],
               [leaky("slope")], {"x": (FLOAT, ["N"]), "c": (BOOL, [])}, ["y", "z"],
               lambda x, c: [np.where(x < 0, x * a, x) + 100 if c else x for a in (np.float32(0.5), np.float32(0.25))],
               [(floats(-4, 2), np.array(True)), (floats(-1), np.array(False))]),
    "overload": ([node("F", "x", "y", domain="mine", overload="twice"), node("F", "x", "z", domain="mine", overload="thrice"),
                  node("F", "x", "w", domain="mine")],
                 [function("F", "x", "y", [node("Add", "x x", "y")], overload="twice"),
                  function("F", "x", "y", [node("Sum", "x x x", "y")], overload="thrice"),
                  function("F", "x", "y", [node("Neg", "x", "y")])],
                 {"x": (FLOAT, ["N"])}, ["y", "z", "w"], lambda x: [2 * x, 3 * x, -x], [(f32(3),), (f32(0),)]),
}


def logistic(x):
    return 1 / (1 + np.exp(-x))


def mish(x):
    """Of which the derivative is x times that of tanh of softplus, and that itself."""
    soft = np.tanh(np.log1p(np.exp(x)))
    return soft + x * (1 - soft**2) * logistic(x)


#: name: the derivative, which is smooth at 0
DERIVATIVES = {"Sigmoid": lambda x: logistic(x) * logistic(-x), "Softplus": logistic, "Mish": mish, "Tanh": lambda x: 1 - np.tanh(x) ** 2,
               "Softsign": lambda x: 1 / (1 + abs(x)) ** 2}


def check_derivative(derivative, library, path):
    path.write_bytes(model([node(path.stem.split("-")[1], "x", "z")], {"x": (DOUBLE, ["N"])}, ["z"], opset=22))
    derived = symshape_c.Program(path, library=library).derive("jvp")
    x = np.array([0.0, -0.0, 1e-300, -1e-300, 0.5, -2, 3, 30, -30])
    for part in (x, x[:1], x[:0]):
        seen = derived(part, np.ones(len(part)))[-1]
        assert np.allclose(seen, derivative(part), rtol=1e-12, atol=0), f"{path.stem}: {seen} {derivative(part)}"
    return 1


def parameters(op, x, others, **attributes):
    """A node whose operands behind x are parameters, with declared names for all extents."""
    names = "abcdefgh"[:len(others)]
    inputs = {"x": (TYPES[x.dtype], [f"X{i}" for i in range(x.ndim)])}
    inputs |= {n: (TYPES[t.dtype], [f"{n}{i}" for i in range(t.ndim)]) for n, t in zip(names, others, strict=True)}
    return [node(op, " ".join(["x", *names]), "z", **attributes)], inputs


IMAGE, ROWS = f32(1, 1, 2), f32(1, 4)
U8 = np.array([[1, 2]], np.uint8)
#: name: (opset, op, x, parameters, attributes, words)
FORBIDDEN = {
    "batch-norm": (15, "BatchNormalization", IMAGE, [f32(3)] * 4, {}, "a scale and a shift for each channel"),
    "instance-norm": (6, "InstanceNormalization", IMAGE, [f32(3), f32(3)], {}, "a scale and a shift for each channel"),
    "group-norm": (21, "GroupNormalization", IMAGE, [f32(3), f32(3)], {"num_groups": 1}, "a scale and a shift for each channel"),
    "layer-norm": (17, "LayerNormalization", ROWS, [f32(3, 4)], {}, "scale and shift must broadcast to the input"),
    "rms-norm": (23, "RMSNormalization", ROWS, [f32(3, 4)], {}, "scale and shift must broadcast to the input"),
    "prelu": (16, "PRelu", ROWS, [f32(3, 4)], {}, "the slope must broadcast to the input"),
    "gemm": (13, "Gemm", f32(1, 2), [f32(2, 2), f32(3, 2)], {}, "what is added must broadcast to the products"),
    "conv": (11, "Conv", f32(1, 1, 3), [f32(1, 1, 2), f32(3)], {}, "a bias for each feature"),
    "conv-transpose": (11, "ConvTranspose", f32(1, 1, 3), [f32(1, 1, 2), f32(3)], {}, "a bias for each feature"),
    "quantize": (13, "QuantizeLinear", ROWS, [f32(3), np.zeros(3, np.uint8)], {}, "a scale and a zero for each place"),
    "dequantize": (13, "DequantizeLinear", U8, [f32(3), np.zeros(3, np.uint8)], {}, "a scale and a zero for each place"),
    "matmul-integer": (10, "MatMulInteger", U8, [U8.T.copy(), np.zeros(3, np.uint8)], {}, "zeros must broadcast to the numbers"),
    "add-bools": (14, "Add", ROWS > 0, [ROWS > 0], {}, "but got bool"),
    "max-bools": (13, "Max", ROWS > 0, [ROWS > 0], {}, "but got bool"),
    "sum-of-bools": (13, "ReduceSum", ROWS > 0, [np.array([1])], {}, "but got bool"),
    "and-of-numbers": (7, "And", U8, [U8], {}, "but got uint8"),
    "shift-signed": (11, "BitShift", U8.astype(np.int8), [U8.astype(np.int8)], {"direction": "LEFT"}, "expected unsigned integers"),
    "clip": (13, "Clip", ROWS, [f32(4)], {}, "4"),
    "scatter-nd": (18, "ScatterND", f32(4, 3), [np.array([[0], [1]], I64), f32(2, 2)], {}, "updates must have the extents"),
    "scatter-elements": (18, "ScatterElements", f32(4, 3), [np.zeros((2, 3), I64), f32(1, 3)], {}, "a place per update"),
    "one-hot": (11, "OneHot", np.array([0, 1], I64), [np.array(3, I64), f32(3)], {}, "two values, for off and on"),
    "reverse": (10, "ReverseSequence", f32(3, 2), [np.ones(3, I64)], {}, "a length for each of the batch"),
    "loss": (13, "NegativeLogLikelihoodLoss", f32(1, 2), [np.zeros(1, I64), f32(3)], {}, "a weight for each class"),
    "types-activation": (16, "LeakyRelu", np.ones((1, 2), np.int32), [], {}, "operand #0 to be of float, float16, double"),
    "types-bools": (7, "And", np.ones((1, 2), np.int32), [np.ones((1, 2), np.int32)], {}, "operand #0 to be of bool, but got int32"),
    "types-product": (13, "MatMul", np.ones((2, 2), bool), [np.ones((2, 2), bool)], {}, "but got bool"),
    "types-softmax": (13, "Softmax", np.ones((2, 2), np.int64), [], {}, "but got int64"),
    "types-second": (15, "Gather", f32(2, 3), [f32(1)], {}, "operand #1 to be of int32, int64, but got float"),
    "types-many": (13, "Sum", np.ones(2, bool), [np.ones(2, bool)] * 3, {}, "operand #0 to be of"),
    "arg-max": (13, "ArgMax", f32(2, 0), [], {"axis": 1}, "no index in an empty axis"),
    "mod": (13, "Mod", ROWS, [ROWS], {}, "expected fmod to be 1 for floats"),
    "split": (18, "Split", ROWS, [], {"axis": 1, "num_outputs": 3}, "num_outputs to be the number of outputs"),
    "reshape": (14, "Reshape", ROWS, [], {"allowzero": 1, "shape": [0, -1]}, "expected no 0 beside -1"),
    "rotary": (23, "RotaryEmbedding", f32(1, 1, 2, 5), [f32(1, 2, 2), f32(1, 2, 2)], {}, "an even width"),
    "rotary-cache": (23, "RotaryEmbedding", f32(1, 1, 2, 4), [f32(1, 2, 3), f32(1, 2, 3)], {}, "caches must have a row"),
    "diagonal": (12, "Einsum", f32(2, 3), [], {"equation": "ii->i"}, "axes of one index must be equally long"),
    "add-6": (6, "Add", f32(2, 3), [f32(1, 3)], {}, "no attribute says that they broadcast"),
    "attention-batch": (23, "Attention", f32(2, 1, 2, 4), [f32(1, 1, 2, 4), f32(1, 1, 2, 4)], {}, "of one batch"),
    "attention-mask": (23, "Attention", f32(1, 1, 1, 4), [f32(1, 1, 2, 4), f32(1, 1, 2, 4), f32(3, 2)], {},
                       "a mask must broadcast to the scores"),
}


def same(got, want, what):
    assert len(got) == len(want), what
    for a, b in zip(got, want, strict=True):
        b = np.asarray(b)
        assert a.shape == b.shape and a.dtype == b.dtype, f"{what}: expected {b.dtype} {b.shape}, but got {a.dtype} {a.shape}"
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5, err_msg=what)


def refuses(path, library, call, words):
    """Whether the model, or else the call, is refused by these words."""
    try:
        symshape_c.Program(path, library=library, first=call)(*call)
    except symshape_c.Error as error:
        assert words in str(error), f"{path.stem}: expected '{words}', but got {error}"
        return True
    return False


def check_case(case, library, path):
    """Compiles the model of a case and calls it; how often."""
    opset, nodes, inputs, outputs, constants, f, arrays = case
    path.write_bytes(model(nodes, inputs, outputs, constants, opset=opset,
                           functions=FUNCTIONS.get(path.stem, (0, ()))[1]))
    program = symshape_c.Program(path, library=library, first=arrays[0])
    for call in arrays:
        with np.errstate(all="ignore"):
            same(program(*call), f(*call), f"{path.stem} {[array.shape for array in call]}")
    return len(arrays)


def check_forbidden(case, library, path):
    opset, op, x, others, attributes, words = case
    nodes, inputs = parameters(op, x, others, **{k: v for k, v in attributes.items() if k != "shape"})
    constants = {}
    if "shape" in attributes:
        constants = {"shape": np.array(attributes["shape"], I64)}
        nodes = [node(op, "x shape", "z", allowzero=attributes["allowzero"])]
    path.write_bytes(model(nodes, inputs, ["z"], constants, opset=opset))
    assert refuses(path, library, [x, *others], words), f"{path.stem}: expected a refusal"
    return 1


def main():
    library, folder = symshape_c.load(sys.argv[1]), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    cases = {**VERSIONS, **ATTENTION, **ORDER, **EDGES}
    cases |= {name: (20, nodes, inputs, outputs, {}, f, arrays)
              for name, (nodes, _, inputs, outputs, f, arrays) in FUNCTIONS.items()}
    counts, failures = [], []
    for check, group in ((check_case, cases), (check_forbidden, {f"no-{name}": case for name, case in FORBIDDEN.items()}),
                         (check_derivative, {f"d-{name}": case for name, case in DERIVATIVES.items()})):
        count = 0
        for name, case in group.items():
            try:
                count += check(case, library, folder / f"{name}.onnx")
            except (AssertionError, symshape_c.Error) as error:
                failures.append(f"{name}: {error}")
        counts.append(count)
    assert not failures, "\n".join(failures)
    print(f"{len(cases)} models, {counts[0]} calls, {counts[1]} refused, {counts[2]} derivatives")


if __name__ == "__main__":
    main()
