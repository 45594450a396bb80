# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exported programs, each compiled once, beside NumPy, at calls that they take and calls that they refuse.

    check_programs.py LIBRARY FOLDER
"""

import math
import sys
from pathlib import Path

import numpy as np
import symshape_c
from exported_program import Program

GUARD_FAILED = 3
F32, I64, BOOL = np.dtype("float32"), np.dtype("int64"), np.dtype("bool")
random = np.random.default_rng(5)


def floats(*extents):
    return random.standard_normal(extents).astype(F32)


def perceptron():
    """Two layers, and a buffer that is a view of another."""
    p = Program()
    one, two, bias, view = floats(16, 8), floats(4, 16), floats(16), floats(2, 5)
    w1, b1 = p.parameter("one.weight", one), p.parameter("one.bias", bias)
    w2 = p.parameter("two.weight", two)
    c = p.parameter("c", view, strides=[2, 4], offset=1, extents=[3, 2])
    x = p.input("x", F32, ["s0", 8])
    h = p.call("aten.linear.default", {"input": x, "weight": w1, "bias": b1}, F32, ["s0", 16])
    h = p.call("aten.relu_.default", {"self": h}, F32, ["s0", 16])
    y = p.call("aten.linear.default", {"input": h, "weight": w2}, F32, ["s0", 4])
    flat = p.call("aten.view.default", {"self": h, "size": [-1]}, F32, [f"Mul(Integer(16), {symbol_of('s0')})"])
    z = p.call("aten.add.Tensor", {"self": c, "other": 1}, F32, [3, 2])
    p.output(y, flat, z)

    def oracle(x):
        hidden = np.maximum(x @ one.T + bias, 0)
        return hidden @ two.T, hidden.reshape(-1), np.array([[view.flat[1 + 2 * i + 4 * j] for j in range(2)]
                                                             for i in range(3)]) + 1
    return p, oracle, [(floats(n, 8),) for n in (0, 1, 3, 64)], [(floats(3, 7),)]


def symbol_of(name):
    return f"Symbol('{name}', positive=True, integer=True)"


def attention():
    p = Program()
    q, k = p.input("q", F32, ["s0", "s1", 8]), p.input("k", F32, ["s0", "s2", 8])
    mask = p.input("mask", BOOL, ["s1", "s2"])
    y = p.call("aten.scaled_dot_product_attention.default",
               {"query": q, "key": k, "value": k, "attn_mask": mask}, F32, ["s0", "s1", 8])
    p.output(p.call("aten.layer_norm.default", {"input": y, "normalized_shape": [8]}, F32, ["s0", "s1", 8]), y)

    def oracle(q, k, mask):
        scores = np.where(mask, q @ np.swapaxes(k, 1, 2) / math.sqrt(8), -np.inf)
        with np.errstate(invalid="ignore"):
            weights = np.exp(scores - scores.max(-1, keepdims=True, initial=-1e30))
            weights = np.nan_to_num(weights / weights.sum(-1, keepdims=True))
        y = weights @ k
        return (y - y.mean(-1, keepdims=True)) / np.sqrt(y.var(-1, keepdims=True) + 1e-5), y

    def call(b, m, n):
        mask = random.random((m, n)) < 0.6
        mask[:1] = False  # a row that sees nothing gives zeros
        return floats(b, m, 8), floats(b, n, 8), mask
    takes = [call(2, 3, 5), call(1, 1, 1), call(3, 4, 1), call(0, 2, 2)]
    return p, oracle, takes, [(floats(2, 3, 8), floats(1, 5, 8), np.ones((3, 5), bool))]


def sizes():
    """Integers computed from extents, and what is required of them, with the line of the program."""
    p = Program()
    p.ranges = {"s0": {"min_val": 3, "max_val": 40}}
    x = p.input("x", F32, ["s0", 3])
    twice = p.input("twice", F32, [f"Add(Mul(Integer(2), {symbol_of('s0')}), Integer(1))"])
    n = p.integer("aten.sym_size.int", {"self": x, "dim": 0}, "s0")
    rest = p.integer("_operator.mod", {"a": n, "b": 5}, f"Mod({symbol_of('s0')}, Integer(5))")
    different = p.condition("torch.sym_not", {"a": p.condition("_operator.eq", {"a": rest, "b": 0})})
    p.node("aten._assert_scalar.default", {"self": different, "assert_msg": "no fives"}, [])
    either = p.condition("_operator.or_", {"a": p.condition("_operator.lt", {"a": n, "b": 12}),
                                           "b": p.condition("torch.sym_not", {"a": p.condition("_operator.and_", {
                                               "a": p.condition("_operator.ge", {"a": n, "b": 16}),
                                               "b": p.condition("_operator.ne", {"a": n, "b": 39})})})})
    p.node("aten._assert_scalar.default", {"self": either, "assert_msg": "few, or not many but 39"}, [])
    sixths = p.integer("_operator.floordiv", {"a": n, "b": 6}, f"FloorDiv({symbol_of('s0')}, Integer(6))")
    left = p.integer("_operator.mod", {"a": n, "b": 6}, f"Mod({symbol_of('s0')}, Integer(6))")
    uneven = p.condition("_operator.ne", {"a": sixths, "b": left})
    p.node("aten._assert_scalar.default", {"self": uneven, "assert_msg": "no sevens"}, [])
    half = p.integer("_operator.floordiv", {"a": n, "b": 2}, f"FloorDiv({symbol_of('s0')}, Integer(2))")
    part = p.call("aten.slice.Tensor", {"self": x, "dim": 0, "start": 0, "end": half}, F32,
                  [f"FloorDiv({symbol_of('s0')}, Integer(2))", 3])
    places = p.call("aten.arange.default", {"end": n}, I64, ["s0"])
    filled = p.call("aten.full.default", {"size": [n, 2], "fill_value": 2.5}, F32, ["s0", 2])
    spread = p.call("aten.expand.default", {"self": part, "size": [2, -1, -1]}, F32,
                    [2, f"FloorDiv({symbol_of('s0')}, Integer(2))", 3])
    p.output(part, places, filled, spread, twice, n)

    def oracle(x, twice):
        half = x[:len(x) // 2]
        return (half, np.arange(len(x)), np.full((len(x), 2), 2.5, F32), np.broadcast_to(half, (2, *half.shape)), twice,
                np.array(len(x)))
    takes = [(floats(n, 3), floats(2 * n + 1)) for n in (3, 4, 39)]
    refused = [(floats(n, 3), floats(m)) for n, m in ((2, 5), (5, 11), (41, 83), (3, 6), (40, 81), (16, 33), (38, 77), (7, 15))]
    return p, oracle, takes, refused


def tokens():
    """A table of vectors, indexing, and a size that data decides."""
    p = Program()
    table = floats(11, 4)
    weight = p.parameter("ids", table)  # as an input is called too
    ids = p.input("ids", I64, ["s0", "s1"])
    e = p.call("aten.embedding.default", {"weight": weight, "indices": ids}, F32, ["s0", "s1", 4])
    first = p.call("aten.select.int", {"self": e, "dim": 1, "index": -1}, F32, ["s0", 4])
    some = p.call("aten.gt.Scalar", {"self": ids, "value": 5, "other": 5}, BOOL, ["s0", "s1"])
    where = p.call("aten.nonzero.default", {"self": some}, I64, ["u0", 2])
    mean = p.call("aten.mean.dim", {"self": e, "dim": [0, 1]}, F32, [4])
    total = p.call("aten.sum.default", {"self": ids}, I64, [])
    joined = p.call("aten.cat.default", {"tensors": [e, e], "dim": 1}, F32,
                    ["s0", f"Mul(Integer(2), {symbol_of('s1')})", 4])
    p.output(first, where, mean, total, joined)

    def oracle(ids):
        e = table[ids]
        return e[:, -1], np.argwhere(ids > 5), e.mean((0, 1)), ids.sum(), np.concatenate([e, e], 1)
    takes = [(random.integers(0, 11, extents),) for extents in ((1, 1), (3, 7), (2, 40))]
    return p, oracle, takes, []


def operands():
    """Promotion of types, and numbers that divide as PyTorch has it."""
    p = Program()
    x, k = p.input("x", F32, ["s0"]), p.input("k", I64, ["s0"])
    p.output(p.call("aten.add.Tensor", {"self": k, "other": 1.5}, F32, ["s0"]),
             p.call("aten.mul.Tensor", {"self": x, "other": k}, F32, ["s0"]),
             p.call("aten.div.Tensor", {"self": k, "other": 2}, F32, ["s0"]),
             p.call("aten.floor_divide.default", {"self": k, "other": 4}, I64, ["s0"]),
             p.call("aten.remainder.Scalar", {"self": k, "other": 4}, I64, ["s0"]),
             p.call("aten.remainder.Scalar", {"self": x, "other": -0.75}, F32, ["s0"]),
             p.call("aten.ge.Tensor", {"self": k, "other": x}, BOOL, ["s0"]),
             p.call("aten.clamp.default", {"self": x, "min": None, "max": 0.5}, F32, ["s0"]),
             p.call("aten.cumsum.default", {"self": k, "dim": 0}, I64, ["s0"]))

    def oracle(x, k):
        return (k.astype(F32) + F32.type(1.5), x * k.astype(F32), k / F32.type(2), k // 4, k % 4, x % F32.type(-0.75),
                k.astype(F32) >= x, np.minimum(x, F32.type(0.5)), np.cumsum(k))
    return p, oracle, [(floats(n) * 3, random.integers(-9, 9, n)) for n in (0, 1, 8, 101)], [(floats(3), np.arange(4))]


def pooled():
    """Bins of adaptive pooling at sizes that they do not divide."""
    p = Program()
    x = p.input("x", F32, ["s0", 2, "s1"])
    p.output(p.call("aten.adaptive_avg_pool1d.default", {"self": x, "output_size": [3]}, F32, ["s0", 2, 3]))

    def oracle(x):
        n = x.shape[2]
        return [np.stack([x[:, :, i * n // 3:-(-(i + 1) * n // 3)].mean(2) for i in range(3)], 2)]
    return p, oracle, [(floats(b, 2, n),) for b, n in ((1, 3), (2, 7), (3, 40), (0, 5))], []


def guarded():
    """Guards of the export, in the Python that it writes."""
    p = Program()
    x = p.input("x", F32, ["s0", "s1"])
    p.output(p.call("aten.neg.default", {"self": x}, F32, ["s0", "s1"]))
    p.guards = ["torch.sym_max(1, L['x'].size()[0] // 2) != 3",
                "L['x'].size()[1] % 2 == 0 and torch.sym_min(8, L['x'].size()[1]) != 6",
                "L['x'].size()[0] > 8 or (L['x'].size()[0] == L['x'].size()[1] or not L['x'].size()[1] > 4)"]

    def oracle(x):
        return (-x,)
    return p, oracle, [(floats(n, m),) for n, m in ((0, 0), (1, 2), (5, 4), (8, 8), (33, 10))], [
        (floats(n, m),) for n, m in ((6, 2), (7, 2), (5, 3), (4, 6), (1, 1), (8, 10), (5, 8))]


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def gated_unit(x, h, wi, wh, bi, bh):
    a, b = np.split(x @ wi.T + bi, 3, -1), np.split(h @ wh.T + bh, 3, -1)
    reset, update = sigmoid(a[0] + b[0]), sigmoid(a[1] + b[1])
    return (1 - update) * np.tanh(a[2] + reset * b[2]) + update * h


def long_memory(x, h, c, wi, wh):
    i, f, g, o = np.split(x @ wi.T + h @ wh.T, 4, -1)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


def recurrent():
    """A GRU of both directions and an LSTM of two layers, of open lengths."""
    p = Program()
    x, h = p.input("x", F32, ["s0", "s1", 3]), p.input("h", F32, [2, "s0", 4])
    states = [p.input(name, F32, [2, "s1", 4]) for name in "ab"]
    both = [[floats(12, 3), floats(12, 4), floats(12), floats(12)] for _ in range(2)]
    layers = [[floats(16, width), floats(16, 4)] for width in (3, 4)]
    of_unit, of_memory = ([p.parameter(f"{name}{i}", each) for i, each in enumerate(sum(lists, []))]
                          for name, lists in (("unit", both), ("memory", layers)))
    unit = [p.tensor("unit", F32, ["s0", "s1", 8]), p.tensor("last", F32, [2, "s0", 4])]
    p.node("aten.gru.input", {"input": x, "hx": h, "params": of_unit, "has_biases": True, "num_layers": 1,
                              "dropout": 0.0, "train": False, "bidirectional": True, "batch_first": True}, unit)
    memory = [p.tensor("memory", F32, ["s0", "s1", 4]), *(p.tensor(name, F32, [2, "s1", 4]) for name in ("hn", "cn"))]
    p.node("aten.lstm.input", {"input": x, "hx": states, "params": of_memory, "has_biases": False, "num_layers": 2,
                               "dropout": 0.0, "train": False, "bidirectional": False, "batch_first": False}, memory)
    p.output(*unit, *memory)

    def oracle(x, h, a, b):
        h, a, b = h.copy(), a.copy(), b.copy()
        n, m = x.shape[:2]
        y, z = np.zeros((n, m, 8), F32), np.zeros((n, m, 4), F32)
        for direction, weights in enumerate(both):
            for t in range(m)[::-1 if direction else 1]:
                h[direction] = gated_unit(x[:, t], h[direction], *weights)
                y[:, t, 4 * direction:4 * direction + 4] = h[direction]
        for t in range(n):
            value = x[t]
            for layer, weights in enumerate(layers):
                a[layer], b[layer] = long_memory(value, a[layer], b[layer], *weights)
                value = a[layer]
            z[t] = value
        return y, h, z, a, b
    return p, oracle, [(floats(n, m, 3), floats(2, n, 4), floats(2, m, 4), floats(2, m, 4))
                       for n, m in ((1, 1), (5, 2), (3, 17), (0, 4), (4, 0), (33, 9))], [
        (floats(3, 2, 3), floats(2, 2, 4), floats(2, 2, 4), floats(2, 2, 4))]


def inner(write, *extents, dtypes=None):
    """A graph of a node: what `write` makes of its inputs."""
    p = Program()
    made = write(p, *(p.input(f"arg{i}", dtype, each) for i, (each, dtype) in
                      enumerate(zip(extents, dtypes or [F32] * len(extents)))))
    p.output(*(made if isinstance(made, (list, tuple)) else [made]))
    return p


def branches():
    """What data and what sizes decide, a constant among the results, and a graph that is called twice."""
    p = Program()
    x, y = p.input("x", F32, ["s0", 3]), p.input("y", F32, ["s0", 3])
    flag = p.call("aten.gt.Scalar", {"self": p.call("aten.sum.default", {"self": x}, F32, []), "other": 0.0}, BOOL, [])
    add = inner(lambda g, a, b: [g.call("aten.add.Tensor", {"self": a, "other": b}, F32, ["s0", 3]), a],
                ["s0", 3], ["s0", 3])
    scale = inner(lambda g, a, b: [g.call("aten.mul.Tensor", {"self": b, "other": 2.0}, F32, ["s0", 3]), b],
                  ["s0", 3], ["s0", 3])
    both = p.calls("higher_order.cond", {"#0": flag, "#1": add, "#2": scale, "#3": [x, y]}, (F32, ["s0", 3]), (F32, ["s0", 3]))
    n = p.integer("aten.sym_size.int", {"self": x, "dim": 0}, "s0")
    many = p.condition("_operator.gt", {"a": n, "b": 4})
    sized = p.calls("higher_order.cond", {"#0": many, "#1": add, "#2": scale, "#3": [y, x]}, (F32, ["s0", 3]), (F32, ["s0", 3]))
    part = inner(lambda g, a: g.call("aten.slice.Tensor", {"self": a, "dim": 0, "start": 1, "end": 9}, F32, ["u1", 3]), ["s0", 3])
    whole = inner(lambda g, a: g.call("aten.neg.default", {"self": a}, F32, ["s0", 3]), ["s0", 3])
    cut = p.call("higher_order.cond", {"#0": flag, "#1": part, "#2": whole, "#3": [x]}, F32, ["u0", 3])
    once = p.call("higher_order.invoke_subgraph", {"#0": whole, "#1": "layer", "#2": [x]}, F32, ["s0", 3])
    p.output(*both, *sized, cut, p.call("higher_order.invoke_subgraph", {"#0": whole, "#1": "layer", "#2": [once]}, F32,
                                        ["s0", 3]))

    def oracle(x, y):
        first = (x + y, x) if x.sum() > 0 else (y * 2, y)
        return *first, *((y + x, y) if len(x) > 4 else (x * 2, x)), x[1:9] if x.sum() > 0 else -x, x

    def call(n, sign):
        return sign * np.abs(floats(n, 3)), floats(n, 3)
    return p, oracle, [call(n, sign) for n in (0, 1, 4, 5, 33) for sign in (-1, 1)], [(floats(3, 3), floats(4, 3))]


def loops():
    """A loop that data ends, scans with a state and without, and one of an op that is associative."""
    p = Program()
    x, start, few = p.input("x", F32, ["s0", "s1"]), p.input("start", F32, ["s1"]), p.input("few", I64, [])
    row = ["s1"]
    below = inner(lambda g, i, a, n: g.call("aten.lt.Tensor", {"self": i, "other": n}, BOOL, []), [], row, [],
                  dtypes=[I64, F32, I64])
    turn = inner(lambda g, i, a, n: [g.call("aten.add.Tensor", {"self": i, "other": 1}, I64, []),
                                     g.call("aten.mul.Tensor", {"self": a, "other": 0.5}, F32, row)],
                 [], row, [], dtypes=[I64, F32, I64])
    zero = p.call("aten.full.default", {"size": [], "fill_value": 0}, I64, [])
    turns, halved = p.calls("higher_order.while_loop", {"#0": below, "#1": turn, "#2": [zero, start], "#3": [few]},
                            (I64, []), (F32, row))
    combine = inner(lambda g, s, a, y: [g.call("aten.add.Tensor", {"self": s, "other": a}, F32, row),
                                        g.call("aten.mul.Tensor", {"self": s, "other": y}, F32, row)], row, row, row)
    last, all_ = p.calls("higher_order.scan", {"#0": combine, "#1": [start], "#2": [x], "#3": [start]},
                         (F32, row), (F32, ["s0", "s1"]))
    squares = inner(lambda g, a, y: g.call("aten.add.Tensor", {"self": g.call("aten.mul.Tensor", {
        "self": a, "other": a}, F32, row), "other": y}, F32, row), row, row)
    mapped = p.call("higher_order.map_impl", {"#0": squares, "#1": [x], "#2": [start]}, F32, ["s0", "s1"])
    most = inner(lambda g, a, b: g.call("aten.maximum.default", {"self": a, "other": b}, F32, row), row, row)
    running = p.call("higher_order.associative_scan", {"#0": most, "#1": [x], "#2": []}, F32, ["s0", "s1"])
    p.output(turns, halved, last, all_, mapped, running)

    def oracle(x, start, few):
        state, states = start, []
        for row in x:
            states.append(state * start)
            state = state + row
        return (max(few, 0), start * F32.type(0.5) ** max(few, 0), state, np.array(states, F32).reshape(x.shape),
                x * x + start, np.maximum.accumulate(x) if len(x) else x)

    def call(n, m, few):
        return floats(n, m), floats(m), np.array(few)
    return p, oracle, [call(*each) for each in ((1, 1, 0), (5, 3, 4), (0, 2, 1), (4, 0, 2), (40, 17, 9), (2, 2, -3))], [
        (floats(2, 3), floats(2), np.array(1))]


def gathered():
    """Sums and means of rows of a table from offset to offset, patches of images and back, and what a mask lets in."""
    p = Program()
    table = floats(6, 3)
    weight = p.parameter("table", table)
    ids, offsets, image = p.input("ids", I64, ["s0"]), p.input("offsets", I64, ["s1"]), p.input("image", F32, ["s2", 2, "s3", 5])
    bags = []
    for mode in (0, 1, 2):
        values = [p.tensor(f"bag{mode}", F32, ["s1", 3]), *(p.tensor(f"rest{mode}{i}", I64, ["s1"]) for i in range(3))]
        p.node("aten._embedding_bag.default", {"weight": weight, "indices": ids, "offsets": offsets, "mode": mode,
                                               "padding_idx": 4 if mode == 1 else -1}, values)
        bags.append(values[0])
    window = {"kernel_size": [2, 3], "dilation": [1, 1], "padding": [1, 0], "stride": [2, 1]}
    count = f"Mul(Integer(3), Add(FloorDiv({symbol_of('s3')}, Integer(2)), Integer(1)))"
    patches = p.call("aten.im2col.default", {"self": image, **window}, F32, ["s2", 12, count])
    rows = p.integer("aten.sym_size.int", {"self": image, "dim": 2}, "s3")
    whole = p.call("aten.col2im.default", {"self": patches, "output_size": [rows, 5], **window}, F32, ["s2", 2, "s3", 5])
    mask = p.call("aten.gt.Scalar", {"self": image, "other": 0.0}, BOOL, ["s2", 2, "s3", 5])
    flat = p.call("aten.neg.default", {"self": image}, F32, ["s2", 2, "s3", 5])
    filled = p.call("aten.masked_scatter.default", {"self": image, "mask": mask, "source": flat}, F32, ["s2", 2, "s3", 5])
    p.output(*bags, patches, whole, filled)

    def oracle(ids, offsets, image):
        ends = [*offsets[1:], len(ids)]
        found = [[table[ids[a:b]] for a, b in zip(offsets, ends)], [table[[i for i in ids[a:b] if i != 4]] for a, b in zip(offsets, ends)]]
        made = [np.array([r.sum(0) for r in found[0]], F32).reshape(-1, 3),
                np.array([r.sum(0) / max(len(r), 1) for r in found[1]], F32).reshape(-1, 3),
                np.array([r.max(0) if len(r) else r.sum(0) for r in found[0]], F32).reshape(-1, 3)]
        n, c, h, w = image.shape
        padded, back = np.pad(image, ((0, 0), (0, 0), (1, 1), (0, 0))), np.zeros((n, c, h + 2, w), F32)
        steps = [(i, j) for i in range(0, h + 1, 2) for j in range(w - 2)]
        patches = np.stack([padded[:, :, i:i + 2, j:j + 3].reshape(n, -1) for i, j in steps], 2)
        for number, (i, j) in enumerate(steps):
            back[:, :, i:i + 2, j:j + 3] += patches[:, :, number].reshape(n, c, 2, 3)
        filled = image.copy()
        filled[image > 0] = -image.reshape(-1)[:(image > 0).sum()]
        return *made, patches, back[:, :, 1:-1], filled

    def call(n, offsets, b, h):
        return random.integers(0, 6, n), np.array(offsets, np.int64), floats(b, 2, h, 5)
    return p, oracle, [call(7, [0, 3, 3, 5], 2, 4), call(1, [0], 1, 1), call(0, [0, 0], 1, 3), call(40, [0, 1, 39, 40], 3, 17)], []


def check_old_form(program, path, library, inputs):
    """The same results, to the bit, of a file as torch before 2.8 writes it: both get quick code."""
    old = path.with_suffix(".old.pt2")
    old.write_bytes(program.old_archive())
    results = [symshape_c.Program(one, library=library, compile="quick")(*inputs) for one in (path, old)]
    for one, two in zip(*results, strict=True):
        np.testing.assert_array_equal(one, two, err_msg=str(old))


def check(make, library, folder):
    program, oracle, takes, refuses = make()
    path = folder / f"{make.__name__}.pt2"
    path.write_bytes(program.archive())
    compiled = symshape_c.Program(path, library=library)
    count = 0
    for inputs in takes:
        results, expected = compiled(*inputs), oracle(*inputs)
        assert len(results) == len(expected), f"{path}: {len(results)} results"
        for i, (one, two) in enumerate(zip(results, expected)):
            two = np.asarray(two)
            assert one.shape == two.shape, f"{make.__name__}, result {i}: {one.shape}, not {two.shape}"
            np.testing.assert_allclose(one, two, rtol=2e-5, atol=2e-5, err_msg=f"{make.__name__}, result {i}")
            count += 1
    if program.weights:
        check_old_form(program, path, library, inputs)
        OLD.append(make.__name__)
    for inputs in refuses:
        try:
            compiled(*inputs)
        except symshape_c.Error as error:
            assert error.status == GUARD_FAILED, f"{make.__name__}: status {error.status}: {error}"
        else:
            raise AssertionError(f"{make.__name__}: expected a refusal of {[each.shape for each in inputs]}")
    return count, len(refuses)


OLD = []  # programs that were read in both forms


def main():
    library, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    counts = [check(make, library, folder) for make in (perceptron, attention, sizes, tokens, operands, pooled, guarded, recurrent,
                                                          branches, loops, gathered)]
    print(f"{len(counts)} programs, {sum(one for one, _ in counts)} results, {sum(two for _, two in counts)} refusals, {len(OLD)} in the form before torch 2.8")


main()
