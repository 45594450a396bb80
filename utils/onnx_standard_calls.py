# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws nodes of ONNX and their inputs: what run_onnx_standard.py calls.

A maker is a generator, given a `Draw`: it sets what all calls share (attributes, ranks, constant operands,
which optional operands are there) and then yields the inputs of one call after the other. None is an
operand that is left out. Extents come from `Draw.extent` alone, so that a model whose extents are declared
gets those of its first call in each later one.
"""

import numpy as np
from ml_dtypes import bfloat16
from onnx import helper

HALVES = (np.dtype(np.float16), np.dtype(bfloat16))
DTYPES = {f"tensor({name})": np.dtype(type_) for name, type_ in {
    "float": np.float32, "double": np.float64, "float16": np.float16, "bfloat16": bfloat16, "bool": np.bool_,
    **{f"{sign}int{bits}": f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}}.items()}
CODES = {"float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "int64": 7, "bool": 9, "float16": 10,
         "float64": 11, "uint32": 12, "uint64": 13, "bfloat16": 16}
I64 = np.int64
EXTENTS = [1, 2, 3, 4, 5, 7, 0, 1, 9]


def is_float(dtype):
    return dtype.kind == "f" or dtype == bfloat16


class Draw:
    """What one model draws from: its schema, the types of its variables, a generator of random numbers."""

    def __init__(self, schema, types, seed, is_declared):
        self.schema, self.types, self.random, self.is_declared = schema, types, np.random.default_rng(seed), is_declared
        self.version, self.op = schema.since_version, schema.name
        self.attributes, self.constants, self.outputs, self.extents = {}, {}, 1, []
        self.nodes, self.define = None, None  # instead of the one of the op
        self.is_first, self.place, self.is_wild, self.isEmptyAllowed = True, 0, False, True

    def begin(self, number):
        self.is_first, self.place = number == 0, 0
        self.is_wild = number % 3 == 2

    def chance(self, probability):
        return self.random.random() < probability

    def pick(self, *choices):
        return choices[self.random.integers(len(choices))]

    def whole(self, low, high):
        """Both ends are possible."""
        return int(self.random.integers(low, high + 1))

    def extent(self, low=0, high=9):
        if self.is_declared and not self.is_first and self.place < len(self.extents):
            drawn = self.extents[self.place]
        else:
            choices = [e for e in EXTENTS if max(low, self.is_first) <= e <= high]
            drawn = self.pick(*choices) if choices else low
            self.extents.append(drawn)
        self.place += 1
        return drawn

    def dims(self, rank, low=0, high=9):
        return [self.extent(low, high) for _ in range(rank)]

    def dtype(self, i):
        """Of the formal input i; the last one if it is variadic."""
        kind = self.schema.inputs[min(i, len(self.schema.inputs) - 1)].type_str
        return DTYPES[self.types.get(kind, kind)]

    def array(self, dims, of=0, low=-3, high=3, wild=None):
        """Numbers of the type of input `of`, or of that dtype; also special ones if the call is a wild one."""
        dtype = np.dtype(of) if not isinstance(of, int) else self.dtype(of)
        wild = self.is_wild if wild is None else wild
        if dtype == np.bool_:
            return self.random.random(dims) < 0.5
        if is_float(dtype):
            # A grid of eighths: ties and zeros among them.
            numbers = np.round(self.random.uniform(low, high, dims) * 8) / 8 if wild else self.random.uniform(low, high, dims)
            numbers = np.asarray(numbers)
            if wild:
                info = np.finfo(np.float32) if dtype == bfloat16 else np.finfo(dtype)
                special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 0.5, -0.5, 1.5, 2.5, float(info.max), -float(info.max),
                                    float(info.smallest_normal), 60, -60, 1000, -1000])
                numbers = np.where(self.random.random(dims) < 0.4, self.random.choice(special, dims), numbers)
            with np.errstate(all="ignore"):
                return np.asarray(numbers).astype(dtype)
        info = np.iinfo(dtype)
        if wild:
            special = np.array([info.min, info.max, info.max - 1, info.min + 1, 0, 1, info.max // 2], dtype)
            small = self.random.integers(max(low, info.min), high + 1, dims).astype(dtype)
            return np.asarray(np.where(self.random.random(dims) < 0.5, self.random.choice(special, dims), small), dtype)
        return self.random.integers(max(low, info.min), high + 1, dims).astype(dtype)

    def set(self, name, *choices, leave=0.3):
        """Sets an attribute, if the version has it and it is not left to its default."""
        if name in self.schema.attributes and (self.schema.attributes[name].required or not self.chance(leave)):
            self.attributes[name] = self.pick(*choices)
            return self.attributes[name]
        return None

    def has(self, name):
        return name in self.schema.attributes

    def axis(self, rank, name="axis", positive=False):
        self.set(name, *range(0 if positive else -rank, rank))

    def constant(self, i, array):
        """Operand i is a constant in most models, and known to the first call alone in others."""
        array = np.asarray(array)
        if self.chance(0.8):
            self.constants[i] = array
        return array


def ints(values):
    return np.array(values, I64).reshape(-1)


MAKERS = {}


def makes(*ops):
    def add(maker):
        MAKERS.update(dict.fromkeys(ops, maker))
        return maker
    return add


#: Ops on each element: the range of ordinary numbers, and attributes.
UNARY = {
    "Acos": (-1, 1), "Asin": (-1, 1), "Atanh": (-1, 1), "Acosh": (1, 5), "Sqrt": (0, 9), "Log": (0.01, 9), "Reciprocal": (0.1, 4),
    **dict.fromkeys(["Abs", "Asinh", "Atan", "BitwiseNot", "Ceil", "Celu", "Cos", "Cosh", "Elu", "Erf", "Exp", "Floor", "Gelu",
                     "HardSigmoid", "HardSwish", "Identity", "IsInf", "IsNaN", "LeakyRelu", "Mish", "Neg", "Not", "Relu", "Round",
                     "Selu", "Shrink", "Sigmoid", "Sign", "Sin", "Sinh", "Softplus", "Softsign", "Swish", "Tan", "Tanh",
                     "ThresholdedRelu", "Shape", "Size", "NonZero", "DynamicQuantizeLinear"], (-3, 3))}
CHOICES = {"alpha": (0.0, 0.5, 1.0, -0.25, 2.0), "gamma": (1.0, 0.0, 2.0), "beta": (0.5, 0.0), "approximate": ("none", "tanh"),
           "detect_negative": (0, 1), "detect_positive": (0, 1), "bias": (0.0, 1.0, -0.5), "lambd": (0.5, 0.0, 1.0),
           "start": (0, 1, -1, -9, 9), "end": (0, 1, -1, -9, 9)}


@makes(*UNARY)
def unary(d):
    for name in d.schema.attributes:
        if name in CHOICES:
            d.set(name, *((0.5, 1.0, 2.0) if d.op == "Celu" else CHOICES[name]))
    low, high = UNARY[d.op]
    rank = 1 if d.op == "DynamicQuantizeLinear" and d.chance(0.5) else d.whole(0, 5)
    d.outputs = 3 if d.op == "DynamicQuantizeLinear" else 1
    while True:
        yield [d.array(d.dims(rank), low=low, high=high, wild=d.is_wild and d.op != "DynamicQuantizeLinear")]


def fitting(d, dims, one_way=False):
    """Extents that broadcast with these: fewer, or some of them 1."""
    return [1 if d.chance(0.3) else e for e in (dims if one_way else dims[d.whole(0, len(dims)):])]


BINARY = ["Add", "Sub", "Mul", "Div", "And", "Or", "Xor", "Equal", "Less", "Greater", "GreaterOrEqual", "LessOrEqual", "BitShift",
          "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Mod", "Pow", "PRelu", "SwiGLU"]


def second(d, dims):
    """The second operand of an op, where it is not any number."""
    dtype = d.dtype(1)
    if is_float(dtype) or dtype == np.bool_:
        return d.array(dims, 1, wild=d.is_wild and d.op not in ("Mod", "Pow"))
    if d.op == "BitShift":
        return d.random.integers(0, 8 * dtype.itemsize, dims).astype(dtype)
    if d.op == "Pow":
        return d.array(dims, 1, 0, 3, wild=False)
    if d.op in ("Div", "Mod"):
        y = d.array(dims, 1)
        return np.where((y == 0) | (y == dtype.type(-1) if dtype.kind == "i" else y == 0), dtype.type(3), y).astype(dtype)
    return d.array(dims, 1)


@makes(*BINARY)
def binary(d):
    d.set("direction", "LEFT", "RIGHT")
    d.set("alpha", 1.0, 1.5)
    if d.op == "Mod" and (is_float(d.dtype(0)) or d.chance(0.3)):
        d.attributes["fmod"] = 1
    rank = d.whole(0, 5)
    begin = None
    other = rank if d.op == "SwiGLU" else d.whole(0, rank)
    if d.has("broadcast"):
        begin = d.whole(0, rank - other) if d.chance(0.7) else None
        if begin is not None and d.chance(0.7) and other:
            d.attributes.update(broadcast=1, axis=begin)
        elif begin is not None:
            d.attributes["broadcast"], begin = 1, rank - other
    ones = [d.chance(0.3) for _ in range(2 * rank)]
    swap = d.chance(0.5) and d.op not in ("PRelu", "SwiGLU") and not d.has("broadcast")
    while True:
        dims = d.dims(rank)
        x = d.array(dims, 0, 0 if d.op == "Pow" and is_float(d.dtype(1)) else -3, 3)
        if d.op == "SwiGLU" or (d.has("broadcast") and begin is None):
            y = second(d, dims)
        elif d.has("broadcast"):
            y = second(d, dims[begin:begin + other])
        elif d.op == "PRelu" and d.version < 7:  # one number, or one for each channel
            y = second(d, [1 if rank < 2 or ones[0] else dims[1]][:rank])
        else:
            y = second(d, [1 if one else e for one, e in zip(ones, dims[rank - other:])])
            if swap and d.dtype(0) == d.dtype(1):
                x, y = d.array(y.shape, 0, 0, 3), second(d, x.shape)
        yield [x, y]


@makes("Max", "Min", "Mean", "Sum")
def several(d):
    rank, count = d.whole(0, 4), d.pick(1, 2, 3, 5)
    ranks = [rank if d.version < 8 else d.whole(0, rank) for _ in range(count)]
    ones = [[d.version >= 8 and d.chance(0.3) for _ in range(rank)] for _ in range(count)]
    while True:
        dims = d.dims(rank)
        yield [d.array([1 if one else e for one, e in zip(flags, dims[rank - r:])], low=-3 if d.dtype(0).kind != "u" else 0)
               for r, flags in zip(ranks, ones)]


@makes("Where")
def where(d):
    rank = d.whole(0, 4)
    ranks = [d.whole(0, rank) for _ in range(3)]
    ones = [[d.chance(0.3) for _ in range(rank)] for _ in range(3)]
    while True:
        dims = d.dims(rank)
        yield [d.array([1 if one else e for one, e in zip(flags, dims[rank - r:])], i)
               for i, (r, flags) in enumerate(zip(ranks, ones))]


@makes("Concat")
def concat(d):
    rank, count = d.whole(1, 4), d.pick(1, 2, 3, 6)
    d.axis(rank, positive=d.version < 11)
    axis = d.attributes.get("axis", 1) % rank if "axis" in d.attributes or rank > 1 else d.attributes.setdefault("axis", 0)
    while True:
        dims = d.dims(rank)
        yield [d.array([d.extent() if i == axis else e for i, e in enumerate(dims)]) for _ in range(count)]


REDUCTIONS = ["ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd",
              "ReduceSum", "ReduceSumSquare"]


@makes(*REDUCTIONS)
def reductions(d):
    rank = d.whole(0, 5)
    low = 0.1 if d.op == "ReduceLogSum" else -3
    d.set("keepdims", 0, 1)
    d.set("noop_with_empty_axes", 0, 1)
    axes = None
    if rank and d.chance(0.8):
        axes = d.random.permutation(rank)[:d.whole(1, rank)]
        axes = [int(a) - (rank if d.version >= 11 and d.chance(0.3) else 0) for a in axes]
    elif d.version >= 13 and d.chance(0.3) and len(d.schema.inputs) > 1:
        axes = []
    if d.has("axes") and axes:
        d.attributes["axes"] = axes
    operand = d.constant(1, ints(axes)) if not d.has("axes") and axes is not None else None
    while True:
        x = d.array(d.dims(rank, 1 if d.op in ("ReduceMax", "ReduceMin", "ReduceMean") else 0),
                    low=low if is_float(d.dtype(0)) else 1, wild=d.is_wild and d.op in ("ReduceMax", "ReduceMin", "ReduceSum"))
        if d.op == "ReduceSum" and is_float(x.dtype):  # what is left of large numbers that cancel depends on the order
            x = np.where(np.isfinite(x) & (np.abs(x) > 1e6), x.dtype.type(1000), x)
        yield [x] if operand is None else [x, operand]


@makes("ArgMax", "ArgMin")
def arguments(d):
    rank = d.whole(1, 4)
    d.axis(rank, positive=d.version < 11)
    d.set("keepdims", 0, 1)
    d.set("select_last_index", 0, 1)
    while True:
        yield [d.array(d.dims(rank, 1), wild=False)]


@makes("CumSum", "CumProd")
def running(d):
    rank = d.whole(1, 4)
    d.set("exclusive", 0, 1)
    d.set("reverse", 0, 1)
    axis = d.constant(1, np.array(d.whole(-rank, rank - 1), d.dtype(1)))
    while True:
        yield [d.array(d.dims(rank), wild=False), axis]


@makes("Softmax", "LogSoftmax", "Hardmax", "LpNormalization", "Flatten")
def along(d):
    rank = d.whole(2, 4) if d.version < 13 else d.whole(1, 4)
    if d.op == "Flatten":
        rank = d.whole(1, 4)
        d.set("axis", *range(-rank if d.version >= 11 else 0, rank + 1))
    else:
        d.axis(rank, positive=d.version < 11)
    d.set("p", 1, 2)
    while True:
        yield [d.array(d.dims(rank), wild=d.is_wild and d.op == "Flatten")]


@makes("Cast")
def cast(d):
    name = d.pick(*CODES)
    if d.version < 13 and name == "bfloat16":
        name = "float32"
    spelled = {"float32": "FLOAT", "float64": "DOUBLE"}.get(name, name.upper())
    d.attributes["to"] = spelled if d.version < 6 else CODES[name]
    rank, to = d.whole(0, 4), np.dtype(name) if name != "bfloat16" else np.dtype(bfloat16)
    # A float out of the range of an integer has no value in the standard.
    isTame = is_float(d.dtype(0)) and not is_float(to) and to != np.bool_
    while True:
        yield [d.array(d.dims(rank), low=0 if isTame and to.kind == "u" else -3, high=100, wild=d.is_wild and not isTame)]


@makes("CastLike")
def cast_like(d):
    rank, to = d.whole(0, 3), d.dtype(1)
    isTame = is_float(d.dtype(0)) and not is_float(to) and to != np.bool_
    while True:
        yield [d.array(d.dims(rank), low=0 if isTame and to.kind == "u" else -3, high=100, wild=d.is_wild and not isTame),
               d.array(d.dims(1), 1)]


@makes("BitCast")
def bit_cast(d):
    size = d.dtype(0).itemsize
    names = [name for name in CODES if name != "bool" and (2 if name == "bfloat16" else np.dtype(name).itemsize) == size]
    d.attributes["to"] = CODES[d.pick(*names)] if d.dtype(0) != np.bool_ else 9
    rank = d.whole(0, 4)
    while True:
        yield [d.array(d.dims(rank))]


@makes("Clip")
def clip(d):
    rank, low, high = d.whole(0, 4), d.chance(0.7), d.chance(0.7)
    if d.has("min"):
        if low:
            d.attributes["min"] = float(d.whole(-2, 0))
        if high:
            d.attributes["max"] = float(d.whole(0, 2))
    while True:
        x = d.array(d.dims(rank))
        if d.has("min"):
            yield [x]
        else:
            yield [x, d.array([], wild=False) if low else None, d.array([], wild=False) if high else None]


@makes("Transpose")
def transpose(d):
    rank = d.whole(0, 5)
    if rank and d.chance(0.8):
        d.attributes["perm"] = [int(a) for a in d.random.permutation(rank)]
    while True:
        yield [d.array(d.dims(rank))]


@makes("Squeeze")
def squeeze(d):
    rank = d.whole(0, 5)
    axes = sorted(int(a) for a in d.random.permutation(rank)[:d.whole(0, rank)])
    given = [a - (rank if d.version >= 11 and d.chance(0.3) else 0) for a in axes]
    isLeft = not axes or d.chance(0.2)
    operand = None
    if not isLeft and d.has("axes"):
        d.attributes["axes"] = given
    elif not isLeft:
        operand = d.constant(1, ints(given))
    while True:
        x = d.array([1 if i in axes else e for i, e in enumerate(d.dims(rank, 2 if isLeft else 0))])
        yield [x] if operand is None else [x, operand]


@makes("Unsqueeze")
def unsqueeze(d):
    rank, count = d.whole(0, 3), d.whole(1, 2)
    axes = [int(a) for a in d.random.permutation(rank + count)[:count]]
    axes = [a - (rank + count if d.version >= 11 and d.chance(0.3) else 0) for a in axes]
    operand = None
    if d.has("axes"):
        d.attributes["axes"] = sorted(axes)
    else:
        operand = d.constant(1, ints(axes))
    while True:
        x = d.array(d.dims(rank))
        yield [x] if operand is None else [x, operand]


@makes("Reshape")
def reshape(d):
    rank = d.whole(0, 4)
    d.set("allowzero", 0, 1, leave=0.8)
    shape = []
    if rank and d.chance(0.5) and not d.attributes.get("allowzero"):
        shape = [0] * d.whole(0, rank - 1) + [-1]
    elif d.chance(0.7):
        shape = [-1] + [1] * d.whole(0, 2) if d.chance(0.5) else [1] * d.whole(0, 2) + [-1]
    else:
        rank, shape = 0, [1] * d.whole(0, 3)
    operand = None
    if d.has("shape"):
        d.attributes["shape"] = shape or [1]
    else:
        operand = d.constant(1, ints(shape))
    while True:
        x = d.array(d.dims(rank, 1))
        yield [x] if operand is None else [x, operand]


@makes("Expand")
def expand(d):
    rank, other = d.whole(0, 4), d.whole(0, 4)
    ones = [d.chance(0.4) for _ in range(rank)]
    shape = [d.pick(1, 2, 3, 0) for _ in range(other)]
    operand = d.constant(1, ints(shape))
    while True:
        dims = d.dims(rank)
        for i in range(1, min(rank, other) + 1):
            if shape[-i] != 1:
                dims[-i] = 1 if ones[-i] else shape[-i]
        yield [d.array(dims), operand]


@makes("Tile")
def tile(d):
    rank = d.whole(1, 4)
    if d.version < 6:
        axis = d.whole(0, rank - 1)
        constants = [np.array(d.whole(0, 3), d.dtype(1)), np.array(axis, d.dtype(2))]
        d.constants = {1: constants[0], 2: constants[1]}
    else:
        constants = [d.constant(1, ints([d.pick(0, 1, 2, 3) for _ in range(rank)]))]
    while True:
        yield [d.array(d.dims(rank)), *constants]


@makes("Slice")
def slices(d):
    rank = d.whole(1, 4)
    axes = [int(a) for a in d.random.permutation(rank)[:d.whole(1, rank)]]
    isLeft = d.chance(0.3)
    if isLeft:
        axes = list(range(len(axes)))
    far = 2**31 - 1 if d.version < 10 or d.dtype(1) == np.int32 else 2**63 - 1
    steps = [d.pick(1, 1, 2, 3) if d.version < 10 or d.chance(0.6) else d.pick(-1, -2, -3) for _ in axes]
    if d.version < 10 or d.chance(0.3):
        steps = [1] * len(axes)
    edges = (0, 1, 2, -1, -2, 5, -20, 20, far, -far)
    starts, ends = ([d.pick(*edges) for _ in axes] for _ in range(2))
    signed = [a - (rank if d.version >= 10 and d.chance(0.3) else 0) for a in axes]
    if d.version < 10:
        d.attributes.update(starts=starts, ends=ends, **({} if isLeft else {"axes": axes}))
    operands = []
    if d.version >= 10:
        lists = [starts, ends, None if isLeft else signed, steps if set(steps) != {1} or d.chance(0.5) else None]
        operands = [None if each is None else d.constant(i + 1, np.array(each, d.dtype(1))) for i, each in enumerate(lists)]
    while True:
        yield [d.array(d.dims(rank)), *operands]


@makes("Split")
def split(d):
    rank, count = d.whole(1, 4), d.whole(1, 4)
    d.axis(rank, positive=d.version < 11)
    axis = d.attributes.get("axis", 0) % rank
    d.outputs = count
    isEqual = d.chance(0.5)
    parts = [d.pick(0, 1, 2, 3) for _ in range(count)]
    operand = None
    if not isEqual and d.has("split"):
        d.attributes["split"] = parts
    elif not isEqual:
        operand = d.constant(1, ints(parts))
    elif d.has("num_outputs"):
        d.attributes["num_outputs"] = count
    while True:
        dims = d.dims(rank)
        dims[axis] = sum(parts) if not isEqual else d.extent() * count if not d.has("num_outputs") or d.chance(0.5) else \
            max(0, d.extent(1) * count - d.whole(0, 1))
        if isEqual and d.is_declared:
            dims[axis] = 2 * count
        x = d.array(dims)
        yield [x] if operand is None else [x, operand]


@makes("Pad")
def pad(d):
    rank = d.whole(1, 4)
    mode = d.set("mode", "constant", "edge", "reflect", *(["wrap"] if d.version >= 19 else [])) or "constant"
    axes = list(range(rank))
    if d.version >= 18 and d.chance(0.4):
        axes = [int(a) for a in d.random.permutation(rank)[:d.whole(1, rank)]]
    amounts = [d.pick(0, 0, 1, 2, -1 if mode == "constant" else 0) for _ in range(2 * len(axes))]
    least = 3 if mode != "constant" else 1
    if d.version < 11:
        d.attributes["paddings" if d.version == 1 else "pads"] = amounts
        d.set("value", 0.0, 1.5, -2.0)
        while True:
            yield [d.array(d.dims(rank, least))]
    operands = [d.constant(1, ints(amounts)), d.array([], wild=False) if d.chance(0.6) and mode == "constant" else None]
    if d.version >= 18 and (len(axes) < rank or axes != sorted(axes)):
        operands.append(d.constant(3, np.array(axes, d.dtype(3))))
    while True:
        yield [d.array(d.dims(rank, least)), *operands]


@makes("Gather")
def gather(d):
    rank, places = d.whole(1, 4), d.whole(0, 3)
    d.axis(rank, positive=d.version < 11)
    axis = d.attributes.get("axis", 0) % rank
    while True:
        dims = d.dims(rank)
        dims[axis] = max(1, dims[axis])
        low = -dims[axis] if d.version >= 11 else 0
        yield [d.array(dims), d.random.integers(low, dims[axis], d.dims(places)).astype(d.dtype(1))]


@makes("GatherElements")
def gather_elements(d):
    rank = d.whole(1, 4)
    d.axis(rank)
    axis = d.attributes.get("axis", 0) % rank
    while True:
        dims = d.dims(rank, 1)
        places = [d.extent() if i == axis else d.whole(0, e) for i, e in enumerate(dims)]
        yield [d.array(dims), d.random.integers(-dims[axis], dims[axis], places).astype(d.dtype(1))]


@makes("GatherND", "ScatterND")
def nested(d):
    rank = d.whole(1, 4)
    batch = d.whole(0, rank - 1) if d.set("batch_dims", 1, leave=0.5) else 0
    if d.has("batch_dims"):
        d.attributes["batch_dims"] = batch
    depth, before = d.whole(1, rank - batch), d.whole(0, 2)
    reduction = d.set("reduction", "none", "add", "mul", *(["max", "min"] if d.version >= 18 else []))
    while True:
        dims = d.dims(rank, 1)
        front = dims[:batch] + d.dims(before, 1, 3)
        places = np.stack([d.random.integers(-dims[batch + i] if d.version >= 11 else 0, dims[batch + i], front)
                           for i in range(depth)], -1).astype(I64)
        if d.op == "GatherND":
            yield [d.array(dims), places]
            continue
        if reduction in (None, "none"):  # places must differ
            count = int(np.prod(front))
            total = int(np.prod(dims[:depth]))
            if count > total:
                front, count = [1] * before, 1
            flat = d.random.permutation(total)[:count]
            places = np.stack(np.unravel_index(flat, dims[:depth]), -1).reshape([*front, depth]).astype(I64)
        yield [d.array(dims, wild=False), places, d.array([*front, *dims[depth:]], 2, wild=False)]


@makes("ScatterElements", "Scatter")
def scatter(d):
    rank = d.whole(1, 4)
    d.axis(rank, positive=d.version < 11)
    axis = d.attributes.get("axis", 0) % rank
    reduction = d.set("reduction", "none", "add", "mul", *(["max", "min"] if d.version >= 18 else []))
    while True:
        dims = d.dims(rank, 1)
        shape = [d.whole(0, e) for e in dims]
        if reduction in (None, "none"):
            order = np.argsort(d.random.random([*shape[:axis], dims[axis], *shape[axis + 1:]]), axis=axis)
            places = np.take(order, range(shape[axis]), axis=axis)
        else:
            places = d.random.integers(-dims[axis], dims[axis], shape)
        yield [d.array(dims, wild=False), places.astype(d.dtype(1)), d.array(places.shape, 2, wild=False)]


@makes("TopK")
def top(d):
    rank = d.whole(1, 4)
    d.axis(rank, positive=d.version < 11)
    axis = d.attributes.get("axis", -1) % rank
    d.set("largest", 0, 1)
    d.set("sorted", 1)
    k, d.outputs = d.whole(0 if d.version > 1 else 1, 3), 2
    operands = []
    if d.has("k"):
        d.attributes["k"] = k
    else:
        operands = [d.constant(1, ints([k]))]
    while True:
        dims = d.dims(rank)
        dims[axis] = max(dims[axis], k, d.is_declared * 5)
        yield [d.array(dims, wild=False), *operands]


@makes("MatMul")
def matmul(d):
    rank = d.whole(1, 4)
    other = d.pick(1, 2, rank) if rank > 1 else d.pick(1, 2, 3)
    ones = [[d.chance(0.3) for _ in range(4)] for _ in range(2)]
    while True:
        inner, batch = d.extent(), d.dims(2)
        shapes = []
        for flags, r, last in zip(ones, (rank, other), ([d.extent(), inner], [inner, d.extent()])):
            outer = [1 if one else e for one, e in zip(flags, batch[4 - r:] if r > 2 else [])]
            shapes.append([inner] if r == 1 else [*outer, *last])
        yield [d.array(shapes[0], 0, wild=False), d.array(shapes[1], 1, wild=False)]


@makes("Gemm")
def gemm(d):
    a, b = d.pick(0, 1), d.pick(0, 1)
    d.attributes.update(transA=a, transB=b)
    d.set("alpha", 0.0, 1.0, 0.5, 2.0)
    d.set("beta", 0.0, 1.0, 0.5, -1.0)
    added = d.pick(None, [0, 0], [1, 0], [0, 1], [0], [1], [1, 1], []) if d.version >= 11 else [0, 0]
    if d.has("broadcast"):
        d.attributes["broadcast"] = 1
    while True:
        n, k, m = d.dims(3)
        x = d.array([k, n] if a else [n, k], wild=False)
        y = d.array([m, k] if b else [k, m], 1, wild=False)
        if added is None:
            yield [x, y]
        else:
            yield [x, y, d.array([1 if one else e for one, e in zip(added, [n, m][2 - len(added):])], 2, wild=False)]


EQUATIONS = ["ij,jk->ik", "ij->ji", "ij->j", "i,i->", "bij,bjk->bik", "...ij,...jk->...ik", "i,j->ij", "ij,ij->i", "ijk->", "ii->i"]


@makes("Einsum")
def einsum(d):
    equation = d.pick(*EQUATIONS)
    d.attributes["equation"] = equation
    left = equation.split("->", 1)[0].split(",")
    while True:
        extents = {letter: d.extent() for letter in "ijkb."}
        yield [d.array([extents[c] for c in term.replace("...", ".")], wild=False) for term in left]


@makes("Trilu")
def trilu(d):
    rank, given = d.whole(2, 4), d.chance(0.6)
    d.set("upper", 0, 1)
    while True:
        yield [d.array(d.dims(rank)), *([np.array(d.pick(0, 1, -1, 3, -9, 2**62), I64)] if given else [])]


@makes("EyeLike")
def eye(d):
    d.set("k", 0, 1, -1, 5)
    d.set("dtype", 1, 6, 7, 11)
    while True:
        yield [d.array(d.dims(2))]


@makes("Det")
def det(d):
    rank = d.whole(2, 4)
    while True:
        dims = d.dims(rank - 1)
        yield [d.array([*dims, dims[-1]], wild=False)]


@makes("OneHot")
def one_hot(d):
    rank = d.whole(0, 3)
    d.set("axis", *range(-rank - 1 if d.version >= 11 else 0, rank + 1))
    depth = d.constant(1, np.array(3, d.dtype(1)) if d.chance(0.5) else np.array([3], d.dtype(1)))
    while True:
        low = -3 if d.dtype(0).kind != "u" and d.version >= 11 else 0
        yield [d.random.integers(low, 3, d.dims(rank)).astype(d.dtype(0)), depth, d.array([2], 2, wild=False)]


@makes("Compress")
def compress(d):
    rank = d.whole(1, 4)
    if d.chance(0.7):
        d.attributes["axis"] = d.whole(-rank if d.version >= 11 else 0, rank - 1)
    while True:
        dims = d.dims(rank)
        size = dims[d.attributes["axis"]] if "axis" in d.attributes else int(np.prod(dims))
        yield [d.array(dims), d.array([d.whole(0, size)], np.bool_)]


@makes("Unique")
def unique(d):
    rank = d.whole(1, 3)
    if d.chance(0.6):
        d.attributes["axis"] = d.whole(-rank, rank - 1)
    d.set("sorted", 0, 1)
    d.outputs = 4
    while True:
        yield [d.array(d.dims(rank, 1), low=0, high=2, wild=False)]


@makes("ReverseSequence")
def reverse(d):
    rank = d.whole(2, 4)
    if d.chance(0.6):
        time = d.whole(0, 1)
        d.attributes.update(time_axis=time, batch_axis=1 - time)
    while True:
        dims = d.dims(rank, 1)
        time = d.attributes.get("time_axis", 0)
        yield [d.array(dims), d.random.integers(0 if d.version > 27 else 1, dims[time] + 1, [dims[1 - time]]).astype(I64)]


@makes("Range")
def ranges(d):
    while True:
        step = d.pick(1, 2, -1) if d.dtype(0).kind == "i" or is_float(d.dtype(0)) else d.pick(1, 2)
        yield [np.array(v, d.dtype(0)) for v in (d.whole(0, 5), d.whole(0, 12), step)]


@makes("ConstantOfShape")
def constant_of_shape(d):
    kind = DTYPES[d.types["T2"]]
    if d.chance(0.8) or kind != np.float32:
        d.attributes["value"] = helper.make_tensor("value", CODES[kind.name], [1], d.array([1], kind))
    shape = d.constant(0, ints(d.dims(d.whole(0, 4))))
    while True:
        yield [shape]


@makes("DepthToSpace", "SpaceToDepth")
def blocks(d):
    b = d.attributes["blocksize"] = d.whole(1, 3)
    d.set("mode", "DCR", "CRD")
    while True:
        n, c, h, w = d.dims(4, 0, 4)
        yield [d.array([n, c * b * b, h, w] if d.op == "DepthToSpace" else [n, c, h * b, w * b])]


@makes("CenterCropPad")
def crop(d):
    rank = d.whole(1, 4)
    axes = [int(a) for a in d.random.permutation(rank)[:d.whole(1, rank)]]
    if d.chance(0.5):
        axes = list(range(rank))
    else:
        d.attributes["axes"] = axes
    shape = d.constant(1, np.array([d.whole(0, 6) for _ in axes], d.dtype(1)))
    while True:
        yield [d.array(d.dims(rank)), shape]


@makes("MeanVarianceNormalization")
def mvn(d):
    rank = 4
    if d.chance(0.6):
        rank = d.whole(1, 4)
        d.attributes["axes"] = sorted(int(a) for a in d.random.permutation(rank)[:d.whole(1, rank)])
    while True:
        yield [d.array(d.dims(rank, 1), wild=False)]


@makes("LRN")
def lrn(d):
    rank = d.whole(3, 5)
    d.attributes["size"] = d.pick(1, 3, 2, 5, 4, 11)
    d.set("alpha", 0.5, 0.0)
    d.set("beta", 0.5, 0.75, 1.0)
    d.set("bias", 1.0, 2.0)
    while True:
        yield [d.array(d.dims(rank), wild=False)]


@makes("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")
def global_pools(d):
    rank = d.whole(3, 5)
    d.set("p", *((1, 2, 3) if d.version > 1 else (1.0, 2.0, 1.5)))
    while True:
        dims = d.dims(2) + d.dims(rank - 2, 1)
        yield [d.array(dims, wild=False)]


def window(d, space, dilations=True):
    """Attributes of a window over that many axes; returns its reach, and whether borders are added."""
    kernel = [d.whole(1, 3) for _ in range(space)]
    if d.chance(0.6):
        d.attributes["strides"] = [d.whole(1, 3) for _ in range(space)]
    spread = [1] * space
    if dilations and d.has("dilations") and d.chance(0.4):
        spread = d.attributes["dilations"] = [d.whole(1, 2) for _ in range(space)]
    if d.chance(0.5):
        d.attributes["pads"] = [d.whole(0, kernel[i % space] - 1) for i in range(2 * space)]
    elif d.chance(0.5):
        d.attributes["auto_pad"] = d.pick("SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET")
    return kernel, [(k - 1) * s + 1 for k, s in zip(kernel, spread)]


@makes("AveragePool", "MaxPool", "LpPool")
def pools(d):
    space = d.whole(1, 3)
    kernel, reach = window(d, space)
    d.attributes["kernel_shape"] = kernel
    d.set("ceil_mode", 0, 1, leave=0.6)
    d.set("count_include_pad", 0, 1)
    d.set("p", *((1, 2, 3) if d.version > 1 else (1.0, 2.0, 1.5)))
    d.set("storage_order", 0, 1)
    d.outputs = 2 if d.op == "MaxPool" and len(d.schema.outputs) > 1 and d.chance(0.5) else 1
    while True:
        yield [d.array([*d.dims(2, 0, 3), *(d.extent(r) for r in reach)], wild=False)]


@makes("Conv", "ConvInteger", "QLinearConv")
def conv(d):
    space, group = d.whole(1, 3), d.pick(1, 1, 2, 3)
    kernel, reach = window(d, space)
    if d.chance(0.5):
        d.attributes["kernel_shape"] = kernel
    if group > 1 or d.chance(0.3):
        d.attributes["group"] = group
    extra, perChannel = [d.chance(0.5) for _ in range(2)], d.chance(0.5)
    while True:
        n, c, m = d.extent(0, 3), d.extent(1, 2), d.extent(1, 2)
        shapes = [n, c * group, *(d.extent(r) for r in reach)], [m * group, c, *kernel]
        channels = [m * group] if perChannel else []
        if d.op == "Conv":
            yield [d.array(shapes[0], wild=False), d.array(shapes[1], wild=False),
                   *([d.array([m * group], wild=False)] if extra[0] else [])]
        elif d.op == "ConvInteger":
            yield [d.array(shapes[0], 0, -100, 100, wild=False), d.array(shapes[1], 1, -100, 100, wild=False),
                   d.array([], 2, wild=False) if extra[0] or extra[1] else None,
                   d.array(channels, 3, wild=False) if extra[1] else None]
        else:
            f32 = np.float32
            yield [d.array(shapes[0], 0, -100, 100, wild=False), d.array([], f32, 0.1, 1, wild=False), d.array([], 2, wild=False),
                   d.array(shapes[1], 3, -100, 100, wild=False), d.array(channels, f32, 0.1, 1, wild=False),
                   np.zeros(channels, d.dtype(5)), d.array([], f32, 1, 50, wild=False), d.array([], 7, wild=False),
                   d.array([m * group], np.int32, -50, 50, wild=False) if extra[0] else None]


@makes("ConvTranspose")
def conv_transpose(d):
    space, group, bias = d.whole(1, 3), d.pick(1, 1, 2), d.chance(0.5)
    kernel, _ = window(d, space)
    strides = d.attributes.get("strides", [1] * space)
    if d.chance(0.3):
        d.attributes["output_padding"] = [d.whole(0, s - 1) for s in strides]
    if group > 1:
        d.attributes["group"] = group
    while True:
        n, c, m = d.extent(0, 3), d.extent(1, 2), d.extent(1, 2)
        yield [d.array([n, c * group, *d.dims(space, 2)], wild=False), d.array([c * group, m, *kernel], wild=False),
               *([d.array([m * group], wild=False)] if bias else [])]


@makes("BatchNormalization")
def batch_norm(d):
    rank = d.whole(2, 4)
    isTraining = d.set("training_mode", 0, 1)
    d.set("epsilon", 1e-5, 0.1)
    d.set("momentum", 0.9, 0.5)
    d.set("spatial", 1)
    if d.has("is_test"):
        d.attributes["is_test"] = 1
    d.outputs = 3 if isTraining else 1
    while True:
        dims = [d.extent(1 if isTraining else 0), d.extent(1), *d.dims(rank - 2, 1)]
        yield [d.array(dims, wild=False), *(d.array([dims[1]], i, 0.1, 2, wild=False) for i in range(1, 5))]


@makes("InstanceNormalization", "GroupNormalization")
def instance_norm(d):
    rank, groups = d.whole(3, 5), d.whole(1, 3)
    d.set("epsilon", 1e-5, 0.1)
    if d.op == "GroupNormalization":
        d.attributes["num_groups"] = groups
    while True:
        dims = [d.extent(), groups * d.extent(1, 3), *d.dims(rank - 2, 1)]
        size = groups if d.op == "GroupNormalization" and d.version < 21 else dims[1]
        yield [d.array(dims, wild=False), d.array([size], wild=False), d.array([size], wild=False)]


@makes("LayerNormalization", "RMSNormalization")
def layer_norm(d):
    rank = d.whole(1, 4)
    axis = d.whole(-rank, rank - 1)
    if axis != -1 or d.chance(0.5):
        d.attributes["axis"] = axis
    d.set("epsilon", 1e-5, 0.1)
    shift = d.op == "LayerNormalization" and d.chance(0.5)
    d.outputs = 3 if d.op == "LayerNormalization" and d.chance(0.5) else 1
    while True:
        dims = d.dims(rank, 1)
        yield [d.array(dims, wild=False), d.array(dims[axis % rank:], 1, wild=False),
               *([d.array(dims[axis % rank:], wild=False)] if shift else [])]


@makes("Dropout")
def dropout(d):
    rank = d.whole(0, 4)
    if d.has("is_test"):
        d.attributes["is_test"] = 1
    if d.has("ratio"):
        d.attributes["ratio"] = 0.5
    d.outputs = d.whole(1, 2)
    while True:
        yield [d.array(d.dims(rank)), *([np.array(0.5, d.dtype(1))] if len(d.schema.inputs) > 1 else [])]


@makes("MatMulInteger")
def matmul_integer(d):
    zeros = d.chance(0.6)
    while True:
        n, k, m = d.dims(3)
        yield [d.array([n, k], 0, -100, 100, wild=False), d.array([k, m], 1, -100, 100, wild=False),
               *([d.array([], 2, wild=False), d.array([], 3, wild=False)] if zeros else [])]


@makes("QLinearMatMul")
def qlinear_matmul(d):
    scale = d.dtype(1)
    while True:
        n, k, m = d.dims(3)
        yield [d.array([n, k], 0, -100, 100, wild=False), d.array([], scale, 0.1, 1, wild=False), d.array([], 2, wild=False),
               d.array([k, m], 3, -100, 100, wild=False), d.array([], scale, 0.1, 1, wild=False), d.array([], 5, wild=False),
               d.array([], scale, 1, 50, wild=False), d.array([], 7, wild=False)]


@makes("QuantizeLinear", "DequantizeLinear")
def quantize(d):
    rank, form, zero = d.whole(1, 4), d.pick("one", "axis", "blocks"), d.chance(0.7)
    if form == "blocks" and not d.has("block_size") or d.version < 13 and form != "one":
        form = "one"
    axis = d.whole(-rank, rank - 1)
    size = d.whole(1, 3)
    if form != "one":
        d.attributes["axis"] = axis
    if form == "blocks":
        d.attributes["block_size"] = size
    kind = 2 if d.op == "QuantizeLinear" else 0
    while True:
        dims = d.dims(rank)
        if form == "blocks":
            dims[axis] *= size
        shape = {"one": [], "axis": [dims[axis]], "blocks": [e // size if i == axis % rank else e for i, e in enumerate(dims)]}[form]
        numbers = d.array(dims, 0, -100, 100, wild=False)
        yield [numbers, d.array(shape, 1, 0.5 if is_float(d.dtype(1)) else 1, 2, wild=False),
               *([np.zeros(shape, d.dtype(kind)) if d.dtype(kind) == np.int32 else d.array(shape, kind, wild=False)] if zero else [])]


@makes("Upsample", "Resize")
def resize(d):
    mode = d.set("mode", "nearest", "linear", *(["cubic"] if d.op == "Resize" and d.version > 10 else [])) or "nearest"
    rank = 4 if mode != "nearest" else d.whole(1, 4)
    scales = [d.pick(1.0, 2.0, 1.5, 3.0, *([0.5] if d.op == "Resize" else [])) for _ in range(rank)]
    if mode != "nearest":
        scales[:2] = [1.0, 1.0]
    d.set("coordinate_transformation_mode", "half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric")
    d.set("nearest_mode", "round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
    d.set("antialias", 0, 1, leave=0.7)
    d.set("exclude_outside", 0, 1) if mode == "cubic" else None
    operands = []
    if d.has("scales"):
        d.attributes["scales"] = scales
    elif d.has("height_scale"):
        rank, d.attributes["height_scale"], d.attributes["width_scale"] = 4, scales[0] * 2, scales[-1] * 2
    else:
        place = 2 if d.op == "Resize" and d.version > 10 else 1
        operands = [None] * (place - 1) + [d.constant(place, np.array(scales, np.float32))]
        if d.version == 11 and d.op == "Resize":
            operands[0] = d.constants[1] = np.zeros(0, d.dtype(1))
    while True:
        yield [d.array(d.dims(rank, 1, 5), wild=False), *operands]


@makes("RNN", "GRU", "LSTM")
def recurrent(d):
    gates = {"RNN": 1, "GRU": 3, "LSTM": 4}[d.op]
    direction = d.set("direction", "forward", "reverse", "bidirectional") or "forward"
    ways, hidden = 2 if direction == "bidirectional" else 1, d.whole(1, 4)
    d.attributes["hidden_size"] = hidden
    if d.set("layout", 0, 1):
        batchFirst = True
    else:
        batchFirst = False
    d.set("linear_before_reset", 0, 1)
    d.set("clip", 0.5, leave=0.7)
    d.set("input_forget", 0, 1, leave=0.6)
    d.set("output_sequence", 1)
    given = [d.chance(0.5) for _ in range(4)]
    if d.op == "LSTM" and not given[2]:
        given[3] = False
    d.outputs = len(d.schema.outputs)
    while True:
        length, batch, width = d.extent(1), d.extent(1), d.extent(1)
        operands = [d.array([batch, length, width] if batchFirst else [length, batch, width], wild=False),
                    d.array([ways, gates * hidden, width], wild=False), d.array([ways, gates * hidden, hidden], wild=False),
                    d.array([ways, 2 * gates * hidden], wild=False) if given[0] else None,
                    d.random.integers(1, length + 1, [batch]).astype(np.int32) if given[1] else None]
        state = [batch, ways, hidden] if batchFirst else [ways, batch, hidden]
        operands.append(d.array(state, wild=False) if given[2] else None)
        if d.op == "LSTM":
            operands += [d.array(state, wild=False) if given[2] else None,
                         d.array([ways, 3 * hidden], wild=False) if given[3] else None]
        yield operands


@makes("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss")
def losses(d):
    rank, weight = d.whole(2, 4), d.chance(0.5)
    d.set("reduction", "none", "mean", "sum")
    ignore = d.set("ignore_index", 0, 1, -1)
    d.outputs = 2 if d.op.startswith("Softmax") and d.chance(0.5) else 1
    while True:
        dims = d.dims(rank, 1, 5)
        labels = d.random.integers(0, dims[1], [dims[0], *dims[2:]])
        if ignore is not None:
            labels = np.where(d.random.random(labels.shape) < 0.2, ignore, labels)
        labels = np.where(labels >= dims[1], 0, labels)
        yield [d.array(dims, wild=False), labels.astype(d.dtype(1)), *([d.array([dims[1]], 2, 0.1, 1, wild=False)] if weight else [])]


@makes("Attention")
def attention(d):
    kind = DTYPES[d.types["U"]]
    mask = d.chance(0.7) and (kind == np.bool_ or kind == d.dtype(0))
    d.set("is_causal", 0, 1)
    d.set("scale", 0.5, 1.0)
    d.set("softcap", 0.0, 2.0)
    d.set("softmax_precision", *([] if d.dtype(0) == np.float64 else [1]), 11, leave=0.7)  # doubles are compared as such
    hasLengths = d.version >= 24 and d.chance(0.4)  # then there is no past, and no present
    d.outputs = d.pick(1, 1, 4) if not hasLengths else 1
    if d.outputs == 4:
        d.set("qk_matmul_output_mode", 0, 1, 2, 3)
    past, kv, group = d.outputs == 4 and d.chance(0.5), d.whole(1, 2), d.whole(1, 3)
    isFlat, form, isShort = d.chance(0.3), d.whole(0, 4), d.version >= 24 and not hasLengths and d.chance(0.3)
    if isFlat:
        d.attributes.update(q_num_heads=kv * group, kv_num_heads=kv)
    while True:
        b, length, keys, width, out, old = d.extent(1, 3), d.extent(1, 4), d.extent(1, 5), d.extent(1, 4), d.extent(1, 4), d.extent(1, 3)
        old = old if past else 0

        def heads(i, count, size, each):
            return d.array([b, size, count * each] if isFlat else [b, count, size, each], i, wild=False)
        total = max(2, keys + old - 1) if isShort and keys + old > 2 else keys + old
        shape = [[length, total], [1, length, total], [b, 1, length, total], [b, kv * group, length, total], [total]][form]
        operands = [heads(0, kv * group, length, width), heads(1, kv, keys, width), heads(2, kv, keys, out),
                    d.array(shape, kind, wild=False) if mask else None,
                    *([d.array([b, kv, old, width], wild=False), d.array([b, kv, old, out], 2, wild=False)] if past else [None] * 2)]
        if hasLengths:
            operands.append(d.random.integers(0, keys + 1, [b]).astype(I64))
        while operands[-1] is None:
            operands.pop()
        yield operands


@makes("RotaryEmbedding")
def rotary(d):
    d.set("interleaved", 0, 1)
    while True:
        b, heads, length, half = d.extent(1, 3), d.extent(1, 3), d.extent(1, 4), d.extent(1, 3)
        yield [d.array([b, heads, length, 2 * half], wild=False), d.array([b, length, half], wild=False),
               d.array([b, length, half], wild=False)]


@makes("GridSample")
def grid_sample(d):
    space = 2 if d.version < 20 else d.whole(2, 3)
    modes = ("bilinear", "nearest", "bicubic") if d.version < 20 else ("linear", "nearest", *(["cubic"] if space == 2 else []))
    d.set("mode", *modes)
    d.set("padding_mode", "zeros", "border", "reflection")
    d.set("align_corners", 0, 1)
    while True:
        n = d.extent(0, 3)
        yield [d.array([n, d.extent(0, 3), *d.dims(space, 1, 5)], wild=False),
               d.array([n, *d.dims(space, 0, 4), space], 1, -1.3, 1.3, wild=False)]


@makes("AffineGrid")
def affine_grid(d):
    space = d.whole(2, 3)
    d.set("align_corners", 0, 1)
    size = d.constant(1, ints([d.whole(1, 3) for _ in range(space + 2)]))
    while True:
        yield [d.array([int(size[0]), space, space + 1], wild=False), size]


@makes("RoiAlign")
def roi_align(d):
    d.set("mode", "avg", "max")
    d.set("output_height", 1, 2, 3)
    d.set("output_width", 1, 2, 3)
    d.set("sampling_ratio", 1, 2)
    d.set("spatial_scale", 1.0, 0.5)
    d.set("coordinate_transformation_mode", "half_pixel", "output_half_pixel")
    while True:
        n, count = d.extent(1, 3), d.extent(0, 4)
        corner = d.random.uniform(0, 2, [count, 2])
        rois = np.concatenate([corner, corner + d.random.uniform(0.5, 3, [count, 2])], 1).astype(d.dtype(1))
        yield [d.array([n, d.extent(1, 3), d.extent(2, 7), d.extent(2, 7)], wild=False), rois,
               d.random.integers(0, n, [count]).astype(I64)]


@makes("NonMaxSuppression")
def suppression(d):
    d.set("center_point_box", 0, 1)
    given = d.whole(0, 3)
    while True:
        b, count = d.extent(1, 3), d.extent(0, 7)
        boxes = d.random.uniform(0, 1, [b, count, 4]).astype(np.float32)
        rest = [np.array(2, I64), np.array(0.5, np.float32), np.array(0.1, np.float32)][:given]
        yield [boxes, d.random.uniform(0, 1, [b, d.extent(1, 3), count]).astype(np.float32), *rest]


@makes("BlackmanWindow", "HammingWindow", "HannWindow")
def windows(d):
    d.set("periodic", 0, 1)
    d.set("output_datatype", 1, 10, 11)
    while True:
        yield [np.array(d.whole(1, 9), d.dtype(0))]


@makes("DFT")
def dft(d):
    last = d.pick(1, 2)
    d.set("onesided", 0, 1) if last == 1 else None
    d.set("inverse", 0, 1) if not d.attributes.get("onesided") else None
    rank = d.whole(2, 4)
    if d.version >= 20:
        rest = [None, d.constant(2, np.array(d.whole(0, rank - 2), I64))]
    else:
        d.attributes["axis"] = d.whole(0, rank - 2)
        rest = []
    while True:
        yield [d.array([*d.dims(rank - 1, 1), last], wild=False), *rest]


@makes("Col2Im")
def col2im(d):
    image, block = [d.whole(3, 5) for _ in range(2)], [d.whole(1, 3) for _ in range(2)]
    if d.chance(0.5):
        d.attributes["strides"] = [d.whole(1, 2) for _ in range(2)]
    strides = d.attributes.get("strides", [1, 1])
    columns = int(np.prod([(i - b) // s + 1 for i, b, s in zip(image, block, strides)]))
    constants = [d.constant(1, ints(image)), d.constant(2, ints(block))]
    while True:
        yield [d.array([d.extent(0, 3), d.extent(0, 3) * int(np.prod(block)), columns], wild=False), *constants]


@makes("MaxUnpool")
def unpool(d):
    space = d.whole(1, 2)
    d.attributes.update(kernel_shape=[2] * space, strides=[2] * space)
    while True:
        dims = d.dims(2, 0, 3) + d.dims(space, 1, 4)
        total = int(np.prod(dims[2:])) * 2**space
        places = np.sort(np.argsort(d.random.random([*dims[:2], total]), -1)[..., :int(np.prod(dims[2:]))], -1)
        start = np.arange(dims[0] * dims[1]).reshape(dims[0], dims[1], 1) * total
        yield [d.array(dims, wild=False), (places + start).reshape(dims).astype(I64)]


@makes("TensorScatter")
def tensor_scatter(d):
    d.set("mode", "linear", "circular")
    while True:
        b, heads, most, width = d.extent(1, 3), d.extent(1, 2), d.extent(3, 7), d.extent(1, 3)
        count = d.whole(1, most)
        yield [d.array([b, heads, most, width]), d.array([b, heads, count, width]),
               d.random.integers(0, most - count + 1, [b]).astype(I64)]


@makes("STFT")
def stft(d):
    d.set("onesided", 0, 1)
    length, step = d.whole(2, 4), d.whole(1, 3)
    d.constants[1] = np.array(step, d.dtype(1))
    d.constants[3] = np.array(length, d.dtype(1))
    while True:
        yield [d.array([d.extent(1, 3), d.extent(4), 1], wild=False), d.constants[1], d.array([length], 0, wild=False), d.constants[3]]


@makes("MelWeightMatrix")
def mel(d):
    d.set("output_datatype", 1, 11)
    numbers = [4, 16, 8000, 0.0, 4000.0]
    d.constants = {i: np.array(v, d.dtype(i)) for i, v in enumerate(numbers)}
    while True:
        yield [d.constants[i] for i in range(5)]


@makes("DeformConv")
def deform(d):
    bias, mask = d.chance(0.5), d.chance(0.5)
    while True:
        n, c, m, k = d.extent(1, 2), d.extent(1, 2), d.extent(1, 2), 2
        h, w = d.extent(3, 5), d.extent(3, 5)
        yield [d.array([n, c, h, w], wild=False), d.array([m, c, k, k], wild=False),
               d.array([n, 2 * k * k, h - 1, w - 1], wild=False, low=-0.7, high=0.7),
               d.array([m], wild=False) if bias else None, d.array([n, k * k, h - 1, w - 1], wild=False) if mask else None]
