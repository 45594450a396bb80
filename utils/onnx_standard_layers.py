# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plain definitions of ONNX ops that are more than one formula, from the text of the standard.

As in onnx_standard_numpy.py, which has the others. Where the text gives an integer no value (a logarithm of 0, a
negative number without a sign) the answer is a float that is NaN: any number will do.
"""

import itertools
from fractions import Fraction

import numpy as np


def truncated(numbers, like):
    """Doubles as results of that integer type, NaN where it has no such number."""
    numbers = np.trunc(numbers)
    info = np.iinfo(like.dtype)
    return np.where((numbers >= info.min) & (numbers <= info.max), numbers, np.nan)


def reduction(f, isRounded=False):
    """`f` is given an array, axes and whether they are kept; its result is truncated where it is a function of sums."""
    def run(a, x, axes=None):
        axes = a("axes") if axes is None else axes
        if axes is None or not len(axes):
            axes = () if a("noop_with_empty_axes") else range(x.ndim)
        y = f(x, axis=tuple(int(axis) for axis in axes), keepdims=bool(a("keepdims")))
        return truncated(y, x) if isRounded and x.dtype.kind in "iu" else np.asarray(y).astype(x.dtype)
    return run


def log_of_exponentials(x, axis, keepdims):
    x = x.astype(float)
    high = np.max(x, axis=axis, keepdims=True, initial=-np.inf)
    shift = np.where(np.isfinite(high), high, 0)
    y = np.log(np.sum(np.exp(x - shift), axis=axis, keepdims=True)) + shift
    return y if keepdims else np.squeeze(y, axis)


def mean_of(x, axis, keepdims):
    count = np.prod([x.shape[i] for i in axis])
    total = np.sum(x, axis=axis, keepdims=keepdims, dtype=x.dtype)
    return total / count if x.dtype.kind == "f" else np.trunc(total.astype(float) / count)


REDUCTIONS = {
    "ReduceL1": reduction(lambda x, **k: np.sum(np.abs(x), dtype=x.dtype, **k)),
    "ReduceL2": reduction(lambda x, **k: np.sqrt(np.sum(x.astype(float)**2, **k)), isRounded=True),
    "ReduceLogSum": reduction(lambda x, **k: np.log(np.sum(x, dtype=x.dtype, **k)), isRounded=True),
    "ReduceLogSumExp": reduction(log_of_exponentials, isRounded=True),
    "ReduceMax": reduction(np.max), "ReduceMin": reduction(np.min), "ReduceMean": reduction(mean_of),
    "ReduceProd": reduction(lambda x, **k: np.prod(x, dtype=x.dtype, **k)),
    "ReduceSum": reduction(lambda x, **k: np.sum(x, dtype=x.dtype, **k)),
    "ReduceSumSquare": reduction(lambda x, **k: np.sum(x * x, dtype=x.dtype, **k)),
}


def softmax(a, x, isLog=False):
    """Before opset 13 of the input as a matrix, whose columns begin at the axis."""
    axis = a("axis") % x.ndim
    axes = tuple(range(axis, x.ndim)) if a.version < 13 else (axis,)
    y = x - np.max(x, axis=axes, keepdims=True, initial=-np.inf)
    total = np.sum(np.exp(y), axis=axes, keepdims=True)
    return y - np.log(total) if isLog else np.exp(y) / total


def normalized(a, x):
    axes = tuple(a("axes"))
    centred = x - x.mean(axis=axes, keepdims=True)
    return centred / (np.sqrt((centred**2).mean(axis=axes, keepdims=True)) + float(np.float32(1e-9)))


def gemm(a, x, y, c=None):
    alpha, beta = a("alpha"), a("beta")
    x, y = x.T if a("transA") else x, y.T if a("transB") else y
    if x.dtype.kind == "f":
        return alpha * (x @ y) + (beta * c if c is not None else 0)
    isWhole = alpha == int(alpha) and (c is None or beta == int(beta))
    def scaled(t, factor):
        return t * np.array(int(factor)).astype(t.dtype) if isWhole else factor * t.astype(float)
    result = scaled(x @ y, alpha) + (scaled(c, beta) if c is not None else np.zeros((), x.dtype))
    return result if isWhole else truncated(result, x)


def unique(a, x):
    axis = a("axis")
    x, along = (x.reshape(-1), 0) if axis is None else (x, axis % x.ndim)
    rows = np.moveaxis(x, along, 0)
    seen, inverse = [], []
    for row in rows:
        row = row.reshape(-1).tolist()
        if row not in seen:
            seen.append(row)
        inverse.append(seen.index(row))
    first = [inverse.index(i) for i in range(len(seen))]
    order = sorted(range(len(seen)), key=lambda i: seen[i]) if a("sorted") else list(range(len(seen)))
    back = {old: new for new, old in enumerate(order)}
    counts = [inverse.count(old) for old in order]
    places = [first[old] for old in order]
    return [np.moveaxis(rows[places], 0, along), *(np.array(each, np.int64).reshape(-1)
                                                   for each in (places, [back[i] for i in inverse], counts))]


def nonzero(_, x):
    """A scalar has places without coordinates."""
    return np.zeros([0, int(x != 0)], np.int64) if x.ndim == 0 else np.stack(np.nonzero(x)).astype(np.int64)


def heads(x, count):
    """[batch, length, heads * width] as [batch, heads, length, width]."""
    return x.reshape(*x.shape[:2], count, x.shape[2] // count).transpose(0, 2, 1, 3)


def attention(a, q, k, v, mask=None, pastKey=None, pastValue=None, valid=None):
    isFlat = q.ndim == 3
    if isFlat:
        q, k, v = heads(q, a("q_num_heads")), heads(k, a("kv_num_heads")), heads(v, a("kv_num_heads"))
    past = 0
    if pastKey is not None:
        past = pastKey.shape[2]
        k, v = np.concatenate([pastKey, k], 2), np.concatenate([pastValue, v], 2)
    present = [k, v]
    batch, _, length, width = q.shape
    total, groups = k.shape[2], q.shape[1] // k.shape[1]
    k, v = np.repeat(k, groups, 1), np.repeat(v, groups, 1)
    scale = a("scale")
    raw = q @ k.swapaxes(2, 3) * (1 / np.sqrt(width) if scale is None else scale)
    capped = a("softcap") * np.tanh(raw / a("softcap")) if a("softcap") else raw
    bias = np.zeros([batch, 1, length, total])
    if mask is not None:
        wide = np.where(mask, 0.0, -np.inf) if mask.dtype == bool else mask
        short = total - wide.shape[-1] if wide.shape[-1] != 1 or total == 1 else 0
        bias = bias + np.pad(wide, [(0, 0)] * (wide.ndim - 1) + [(0, max(0, short))], constant_values=-np.inf)
    key = np.arange(total)
    if a("is_causal"):
        offset = np.full(batch, past) if valid is None or pastKey is not None else valid - length
        isSeen = key <= np.arange(length)[:, None] + offset[:, None, None]
        bias = bias + np.where(isSeen[:, None], 0, -np.inf)
    if valid is not None:
        bias = bias + np.where(key < valid[:, None, None, None], 0, -np.inf)
    biased = capped + bias
    high = np.max(biased, axis=-1, keepdims=True, initial=-np.inf)
    weights = np.exp(biased - np.where(high == -np.inf, 0, high))
    sums = weights.sum(-1, keepdims=True)
    weights = weights / np.where(sums == 0, 1, sums)
    y = weights @ v
    if isFlat:
        y = y.transpose(0, 2, 1, 3).reshape(batch, length, -1)
    return [y, *present, (raw, capped, biased, weights)[a("qk_matmul_output_mode")]]


class Windows:
    """Places of windows over the axes behind the second: `steps` and borders in the order of the standard."""

    def __init__(self, a, space, kernel, sizes):
        self.kernel = kernel
        self.strides = a("strides") or [1] * space
        self.spread = a("dilations") or [1] * space
        self.reach = [(k - 1) * d + 1 for k, d in zip(kernel, self.spread)]
        pads, mode, self.counts, self.low, self.high = a("pads") or [0] * (2 * space), a("auto_pad", "NOTSET"), [], [], []
        for i, size in enumerate(sizes):
            stride, reach = self.strides[i], self.reach[i]
            low, high = (pads[i], pads[space + i]) if mode == "NOTSET" else (0, 0)
            if mode.startswith("SAME"):
                count = -(-size // stride)
                room = max(0, (count - 1) * stride + reach - size)
                low, high = (room // 2, room - room // 2) if mode == "SAME_UPPER" else (room - room // 2, room // 2)
            elif a("ceil_mode"):  # with VALID as well: as shapes are inferred, not by the formula of the text
                count = -(-(size + low + high - reach) // stride) + 1
                count -= (count - 1) * stride >= size + low  # begins in the border at the end
            else:
                count = (size + low + high - reach) // stride + 1
            self.counts.append(count), self.low.append(low), self.high.append(high)

    def __iter__(self):
        """Places of a result, and where its window begins."""
        for at in itertools.product(*map(range, self.counts)):
            yield at, [i * s - low for i, s, low in zip(at, self.strides, self.low)]

    def inside(self, begin, sizes):
        """Pairs of places in the kernel and in the input, those in the border left out."""
        for at in itertools.product(*map(range, self.kernel)):
            place = [b + k * d for b, k, d in zip(begin, at, self.spread)]
            if all(0 <= p < size for p, size in zip(place, sizes)):
                yield at, place


def lp_pool(a, x):
    p = a("p", 2.0)
    space = x.ndim - 2
    windows = Windows(a, space, a("kernel_shape"), x.shape[2:])
    y = np.zeros([*x.shape[:2], *windows.counts])
    for at, begin in windows:
        seen = [np.abs(x[(..., *place)])**p for _, place in windows.inside(begin, x.shape[2:])]
        y[(..., *at)] = sum(seen, np.zeros(x.shape[:2]))**(1 / p)
    return y


def average_pool(a, x):
    windows = Windows(a, x.ndim - 2, a("kernel_shape"), x.shape[2:])
    y = np.zeros([*x.shape[:2], *windows.counts])
    for at, begin in windows:
        seen = [x[(..., *place)] for _, place in windows.inside(begin, x.shape[2:])]
        count = len(seen)
        if a("count_include_pad"):  # but not what lies beyond the border
            count = int(np.prod([len([k for k in range(kernel) if b + k * d < size + high]) for b, kernel, d, size, high in
                                 zip(begin, windows.kernel, windows.spread, x.shape[2:], windows.high)]))
        y[(..., *at)] = sum(seen, np.zeros(x.shape[:2])) / count
    return y


def max_pool(a, x):
    sizes = x.shape[2:]
    windows = Windows(a, x.ndim - 2, a("kernel_shape"), sizes)
    y, places = np.zeros([*x.shape[:2], *windows.counts], x.dtype), np.zeros([*x.shape[:2], *windows.counts], np.int64)
    order = "F" if a("storage_order") else "C"
    start = np.arange(x.shape[0] * x.shape[1]).reshape(x.shape[:2]) * int(np.prod(sizes))
    for at, begin in windows:
        inside = [place for _, place in windows.inside(begin, sizes)]
        seen = np.stack([x[(..., *place)] for place in inside])
        best = seen.argmax(0)
        y[(..., *at)] = seen.max(0)
        flat = np.array([np.ravel_multi_index(place, sizes, order=order) for place in inside])
        places[(..., *at)] = start + flat[best]
    return [y, places]


def convolution(a, x, w, b=None):
    group, kernel = a("group"), w.shape[2:]
    windows = Windows(a, x.ndim - 2, kernel, x.shape[2:])
    per, each = w.shape[1], w.shape[0] // group
    y = np.zeros([x.shape[0], w.shape[0], *windows.counts], x.dtype)
    for at, begin in windows:
        for k, place in windows.inside(begin, x.shape[2:]):
            for g in range(group):
                rows = slice(g * each, (g + 1) * each)
                y[(slice(None), rows, *at)] += x[(slice(None), slice(g * per, (g + 1) * per), *place)] @ w[(rows, slice(None), *k)].T
    return y if b is None else y + b.reshape(-1, *[1] * (x.ndim - 2))


def integer_convolution(a, x, w, xZero=None, wZero=None):
    x, w = x.astype(np.int32), w.astype(np.int32)
    if xZero is not None:
        x = x - xZero.astype(np.int32)
    if wZero is not None:
        w = w - wZero.astype(np.int32).reshape(-1, *[1] * (w.ndim - 1))
    return convolution(a, x, w)


def transposed_convolution(a, x, w, b=None):
    space, group, kernel = x.ndim - 2, a("group"), w.shape[2:]
    strides, spread = a("strides") or [1] * space, a("dilations") or [1] * space
    more, mode, pads = a("output_padding") or [0] * space, a("auto_pad"), a("pads") or [0] * (2 * space)
    low, sizes, wanted = [], [], a("output_shape")
    for i in range(space):
        full = strides[i] * (x.shape[2 + i] - 1) + more[i] + (kernel[i] - 1) * spread[i] + 1
        start, size = (pads[i], full - pads[i] - pads[space + i]) if mode == "NOTSET" else (0, full)
        if mode.startswith("SAME") or wanted:
            size = wanted[i - space] if wanted else x.shape[2 + i] * strides[i]
            room = full - size  # negative where the result goes beyond what is added to
            start = room // 2 if mode == "SAME_UPPER" else room - room // 2
        low.append(start), sizes.append(size)
    per = w.shape[1]
    y = np.zeros([x.shape[0], per * group, *sizes])
    each = x.shape[1] // group
    for place in itertools.product(*map(range, x.shape[2:])):
        for k in itertools.product(*map(range, kernel)):
            at = [p * s + kk * d - lo for p, s, kk, d, lo in zip(place, strides, k, spread, low)]
            if not all(0 <= i < size for i, size in zip(at, sizes)):
                continue
            for g in range(group):
                rows = slice(g * each, (g + 1) * each)
                y[(slice(None), slice(g * per, (g + 1) * per), *at)] += x[(slice(None), rows, *place)] @ w[(rows, slice(None), *k)]
    return y if b is None else y + b.reshape(-1, *[1] * space)


def columns_to_image(a, x, image, block):
    """Bools are set where one is."""
    image, block = [int(i) for i in image], [int(i) for i in block]
    space = len(image)
    windows = Windows(a, space, block, image)
    parts = x.reshape(x.shape[0], x.shape[1] // int(np.prod(block)), *block, *windows.counts)
    y = np.zeros([x.shape[0], parts.shape[1], *image], x.dtype)
    for at, begin in windows:
        for k, place in windows.inside(begin, image):
            y[(..., *place)] += parts[(slice(None), slice(None), *k, *at)]
    return y


def upsample(a, x, scales=None):
    """Coordinates are fractions, integers truncated: of exact sums, so that equal neighbours give what they are."""
    if scales is None:
        scales = a("scales")
    if scales is None:
        scales = [1, 1, a("height_scale"), a("width_scale")]
    scales = [Fraction(float(s)).limit_denominator(1000) for s in scales]
    y = x if a("mode") == "nearest" or x.dtype.kind == "f" else np.vectorize(lambda v: Fraction(int(v)), otypes=[object])(x)
    for axis, scale in enumerate(scales):
        size, rows = y.shape[axis], []
        for i in range(int(size * scale)):
            place = i / scale
            low = min(int(place), size - 1)
            if a("mode") == "nearest":
                rows.append(y.take(low, axis))
                continue
            part, high = place - low, min(low + 1, size - 1)
            part = float(part) if x.dtype.kind == "f" else part
            rows.append(y.take(low, axis) * (1 - part) + y.take(high, axis) * part if high > low else y.take(low, axis))
        y = np.stack(rows, axis)
    return y if y.dtype == x.dtype else np.vectorize(bool if x.dtype == bool else int, otypes=[object])(y).astype(x.dtype)


LAYERS = REDUCTIONS | {
    "Attention": attention, "AveragePool": average_pool, "Col2Im": columns_to_image, "Conv": convolution,
    "ConvInteger": integer_convolution, "ConvTranspose": transposed_convolution, "Gemm": gemm, "LpPool": lp_pool,
    "LogSoftmax": lambda a, x: softmax(a, x, isLog=True), "MaxPool": max_pool, "MeanVarianceNormalization": normalized,
    "NonZero": nonzero, "Softmax": softmax, "Unique": unique, "Upsample": upsample,
}
