# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What random programs do with the result of a contraction: see check_contractions.py.

An evaluation maps pairs (value, bound of its error) to such a pair.
"""

import math

import numpy as np

from tensors import EPSILON

ERF = np.vectorize(math.erf, otypes=[np.float64])
SLOPE = 1.13  # the steepest that gelu is


def transpose(program, value, order):
    """The tensor whose dimension i is dimension order[i] of `value`."""
    return program.generic(value.dims, [(value, range(len(order)))], order, [], lambda x: x)


def append(g, value):
    """`value`, a tensor, after one more op; `g` is the generator."""
    integer = value.element[0] == "i"
    kinds = [broadcast, broadcast, broadcast, residual, relu, scale, mask, second_user, onto_own_output]
    if not integer:
        kinds += [gelu_erf, gelu_tanh]
    if value.element == "f32":
        kinds += [through_bf16]
    return g.pick(*kinds)(g, value)


def elementwise(g, value, body, evaluate, others=(), out=None):
    """An op over the dimensions of `value`, at times one that permutes them."""
    rank = len(value.dims)
    result = list(range(rank))
    if g.chance(10) and not out:
        result = g.shuffled(result)
    return g.program.generic(value.dims, [(value, range(rank)), *others], result, body, evaluate, out=out)


def suffix(value):
    return "i" if value.element[0] == "i" else "f"


def larger(x, y):
    return np.maximum(x[0], y[0]), np.maximum(x[1], y[1])


def plus(x, y):
    return x[0] + y[0], x[1] + y[1]


def broadcast(g, value):
    """A bias by columns or rows, a scalar, or any other part of the dimensions in any order."""
    rank = len(value.dims)
    some = g.shuffled(range(rank))[: g.rng.integers(rank + 1)]
    if rank and g.chance(40):
        some = [rank - 1]
    other = g.program.argument([value.dims[i] for i in some], value.element)
    kind, type_ = suffix(value), value.element
    op = g.pick("add", "sub", "max")
    body = {"add": f"arith.add{kind} %0, %1", "sub": f"arith.sub{kind} %1, %0",
            "max": f"arith.max{'si' if kind == 'i' else 'imumf'} %0, %1"}[op]
    evaluate = {"add": plus, "sub": lambda x, y: (y[0] - x[0], x[1] + y[1]), "max": larger}[op]
    return elementwise(g, value, [f"%r = {body} : {type_}"], evaluate, [(other, some)])


def residual(g, value):
    """Adds a tensor that is there, such as what the contraction reads, or an argument."""
    fitting = [v for v in g.program.values if v.element == value.element and len(v.dims) and
               len(set(v.dims)) == len(v.dims) and all(value.dims.count(d) == 1 for d in v.dims)]
    whole = [v for v in fitting if len(v.dims) == len(value.dims)]
    other = g.pick(*(whole or fitting)) if fitting else g.program.argument(value.dims, value.element)
    positions = [value.dims.index(d) for d in other.dims] if fitting else range(len(value.dims))
    return elementwise(g, value, [f"%r = arith.add{suffix(value)} %0, %1 : {value.element}"], plus,
                       [(other, positions)])


def relu(g, value):
    zero = g.program.constant("0" if suffix(value) == "i" else "0.0", value.element)
    op = "maxsi" if suffix(value) == "i" else "maximumf"
    return elementwise(g, value, [f"%r = arith.{op} %0, {zero} : {value.element}"],
                       lambda x: (np.maximum(x[0], 0), x[1]))


def scale(g, value):
    factor = 3 if suffix(value) == "i" else 0.375
    constant = g.program.constant(factor, value.element)
    return elementwise(g, value, [f"%r = arith.mul{suffix(value)} %0, {constant} : {value.element}"],
                       lambda x: (x[0] * factor, x[1] * factor))


def mask(g, value):
    rank = len(value.dims)
    some = g.shuffled(range(rank))[: g.rng.integers(rank + 1)]
    chosen = g.program.argument([value.dims[i] for i in some], "i1")
    number = -7 if suffix(value) == "i" else -7.0
    constant = g.program.constant(number, value.element)
    return elementwise(g, value, [f"%r = arith.select %1, %0, {constant} : {value.element}"],
                       lambda x, m: (np.where(m[0], x[0], number), np.where(m[0], x[1], 0)), [(chosen, some)])


def second_user(g, value):
    g.program.results.append(value)
    return value


def onto_own_output(g, value):
    """Reads what its output held before."""
    kind = suffix(value)
    like = [v for v in g.program.arguments if v.dims == value.dims and v.element == value.element]
    out = g.pick(*like) if like and g.chance(50) else g.program.argument(value.dims, value.element)
    return g.program.generic(value.dims, [(value, range(len(value.dims)))], range(len(value.dims)),
                             [f"%r = arith.add{kind} %0, %out : {value.element}"], plus, out=out)


def gelu_erf(g, value):
    t = value.element
    half, root = g.program.constant(0.5, t), g.program.constant(0.70710678118654752, t)
    one = g.program.constant(1.0, t)
    body = [f"%p = arith.mulf %0, {root} : {t}", f"%q = math.erf %p : {t}", f"%s = arith.addf %q, {one} : {t}",
            f"%u = arith.mulf %0, {half} : {t}", f"%r = arith.mulf %u, %s : {t}"]

    def evaluate(x):
        return x[0] * (1 + ERF(x[0] * math.sqrt(0.5))) / 2, SLOPE * x[1] + 4 * EPSILON[t] * np.abs(x[0])

    return elementwise(g, value, body, evaluate)


def gelu_tanh(g, value):
    t = value.element
    half, one = g.program.constant(0.5, t), g.program.constant(1.0, t)
    cubic, root = g.program.constant(0.044715, t), g.program.constant(0.7978845608028654, t)
    body = [f"%c = arith.mulf %0, %0 : {t}", f"%d = arith.mulf %c, {cubic} : {t}", f"%e = arith.addf %d, {one} : {t}",
            f"%f = arith.mulf %0, %e : {t}", f"%h = arith.mulf %f, {root} : {t}", f"%i = math.tanh %h : {t}",
            f"%j = arith.addf %i, {one} : {t}", f"%u = arith.mulf %0, {half} : {t}", f"%r = arith.mulf %u, %j : {t}"]

    def evaluate(x):
        v = x[0]
        inner = math.sqrt(2 / math.pi) * v * (1 + 0.044715 * v * v)
        # The argument of tanh is good to a few roundings, which its slope may pass on.
        return v * (1 + np.tanh(inner)) / 2, SLOPE * x[1] + 8 * EPSILON[t] * np.abs(v)

    return elementwise(g, value, body, evaluate)


def through_bf16(g, value):
    t = value.element
    body = [f"%b = arith.truncf %0 : {t} to bf16", f"%r = arith.extf %b : bf16 to {t}"]
    return elementwise(g, value, body, lambda x: (x[0], x[1] + EPSILON["bf16"] * (np.abs(x[0]) + x[1])))


def softmax(program, value):
    t, last = value.element, len(value.dims) - 1
    all_, rows = range(last + 1), range(last)
    largest = program.reduction(value, "-inf", f"%r = arith.maximumf %0, %out : {t}")
    e = program.generic(value.dims, [(value, all_), (largest, rows)], all_,
                        [f"%d = arith.subf %0, %1 : {t}", f"%r = math.exp %d : {t}"], None)
    total = program.reduction(e, "0.0", f"%r = arith.addf %0, %out : {t}")

    program.hide(largest, e, total)

    def evaluate(x, *_):
        v, bound = x
        if not v.size:
            return v, bound
        p = np.exp(v - v.max(-1, keepdims=True))
        p = p / p.sum(-1, keepdims=True)
        large = lambda y: np.abs(y).max(-1, keepdims=True)
        relative = 2 * large(bound) + EPSILON[t] * (4 * large(v) + v.shape[-1] + 16)
        return p, np.minimum(p * np.expm1(np.minimum(relative, 99)) + 1e-37, 1)

    return program.generic(value.dims, [(value, all_), (e, all_), (total, rows)], all_,
                           [f"%r = arith.divf %1, %2 : {t}"], evaluate)


def layer_norm(program, value):
    """Around the mean, over the root of one and the variance."""
    t, last = value.element, len(value.dims) - 1
    all_, rows = range(last + 1), range(last)
    one = program.constant("1.0", t)
    extent = program.length(value.dims[-1], t)
    add = f"%r = arith.addf %0, %out : {t}"
    total = program.reduction(value, "0.0", add)
    centred = program.generic(value.dims, [(value, all_), (total, rows)], all_,
                              [f"%m = arith.divf %1, {extent} : {t}", f"%r = arith.subf %0, %m : {t}"], None)
    square = program.generic(value.dims, [(centred, all_)], all_, [f"%r = arith.mulf %0, %0 : {t}"], None)
    squares = program.reduction(square, "0.0", add)

    program.hide(total, centred, square, squares)

    def evaluate(x, *_):
        v, bound = x
        if not v.size:
            return v, bound
        v = v - v.mean(-1, keepdims=True)
        y = v / np.sqrt(1 + (v * v).mean(-1, keepdims=True))
        n = EPSILON[t] * (v.shape[-1] + 16)
        off = bound.max(-1, keepdims=True) + n * np.abs(x[0]).max(-1, keepdims=True)
        return y, 2 * off * (1 + np.abs(y) * (1 + off)) + n * np.abs(y)

    body = [f"%v = arith.divf %1, {extent} : {t}", f"%w = arith.addf %v, {one} : {t}", f"%s = math.sqrt %w : {t}",
            f"%r = arith.divf %2, %s : {t}"]
    return program.generic(value.dims, [(value, all_), (squares, rows), (centred, all_)], all_, body, evaluate)
