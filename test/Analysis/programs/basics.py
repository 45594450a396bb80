# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random functions over index values and tensor shapes, with their meaning.

Each op is its text and a Python function that runs it. Tensors are their shapes:
contents never decide a shape here. A run ends with `Undefined` where the program
has no meaning (a division by zero, a slice out of bounds, a failed assertion); what
was seen before that counts.
"""

import random

MAX_TRIPS = 40
MAX_ELEMENTS = 2**40
WIDTHS = {"index": 64, "i64": 64, "i32": 32, "i16": 16, "i8": 8}


class Undefined(Exception):
    pass


def require(condition):
    if not condition:
        raise Undefined


def wrap(value, width=64):
    return (value + 2 ** (width - 1)) % 2**width - 2 ** (width - 1)


def unsigned(value, width):
    return value % 2**width


def truncated_div(a, b):
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def ceil_div(a, b):
    return -(-a // b)


def on_unsigned(operation):
    return lambda a, b, width: operation(unsigned(a, width), unsigned(b, width))


def shift(operation):
    def run(a, b, width):
        require(0 <= b < width)
        return operation(a, b, width)

    return run


def division(operation):
    def run(a, b, width):
        require(b != 0 and not (b == -1 and a == -(2 ** (width - 1))))
        return operation(a, b)

    return run


BINARY = {
    "addi": lambda a, b, width: a + b,
    "subi": lambda a, b, width: a - b,
    "muli": lambda a, b, width: a * b,
    "divsi": division(truncated_div),
    "remsi": division(lambda a, b: a - b * truncated_div(a, b)),
    "floordivsi": division(lambda a, b: a // b),
    "ceildivsi": division(ceil_div),
    "divui": lambda a, b, width: division(lambda x, y: x // y)(unsigned(a, width), unsigned(b, width), 128),
    "remui": lambda a, b, width: division(lambda x, y: x % y)(unsigned(a, width), unsigned(b, width), 128),
    "ceildivui": lambda a, b, width: division(ceil_div)(unsigned(a, width), unsigned(b, width), 128),
    "minsi": lambda a, b, width: min(a, b),
    "maxsi": lambda a, b, width: max(a, b),
    "minui": on_unsigned(min),
    "maxui": on_unsigned(max),
    "andi": lambda a, b, width: a & b,
    "ori": lambda a, b, width: a | b,
    "xori": lambda a, b, width: a ^ b,
    "shli": shift(lambda a, b, width: a << b),
    "shrsi": shift(lambda a, b, width: a >> b),
    "shrui": shift(lambda a, b, width: unsigned(a, width) >> b),
}
USUAL = ["addi", "subi", "muli", "minsi", "maxsi", "floordivsi", "remsi", "divsi"]
# What the index dialect calls them.
INDEX = {"addi": "add", "subi": "sub", "muli": "mul", "minsi": "mins", "maxsi": "maxs", "minui": "minu",
         "maxui": "maxu", "andi": "and", "ori": "or", "xori": "xor", "shli": "shl", "shrsi": "shrs", "shrui": "shru",
         "divsi": "divs", "divui": "divu", "remsi": "rems", "remui": "remu", "floordivsi": "floordivs",
         "ceildivsi": "ceildivs", "ceildivui": "ceildivu"}
COMPARE = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "slt": lambda a, b: a < b,
    "sle": lambda a, b: a <= b,
    "sgt": lambda a, b: a > b,
    "sge": lambda a, b: a >= b,
    "ult": lambda a, b: a % 2**64 < b % 2**64,
    "ule": lambda a, b: a % 2**64 <= b % 2**64,
    "ugt": lambda a, b: a % 2**64 > b % 2**64,
    "uge": lambda a, b: a % 2**64 >= b % 2**64,
}


def tensor_type(dims):
    return "tensor<" + "".join(f"{'?' if d is None else d}x" for d in dims) + "f32>"


class Value:
    """A name with a type: a word, or a tuple of extents, None where dynamic."""

    def __init__(self, name, type):
        self.name, self.type = name, type

    @property
    def is_tensor(self):
        return isinstance(self.type, tuple)

    @property
    def text(self):
        return tensor_type(self.type) if self.is_tensor else self.type


class Op:
    """`lines` without indentation of its own; `run(env, trace)`."""

    def __init__(self, lines, run):
        self.lines, self.run = lines, run


def indented(ops):
    return ["  " + line for op in ops for line in op.lines]


def run_all(ops, env, trace):
    for op in ops:
        op.run(env, trace)


class Function:
    def __init__(self, name, arguments, ops):
        self.name, self.arguments, self.ops = name, arguments, ops

    def text(self):
        arguments = ", ".join(f"{a.name}: {a.text}" for a in self.arguments)
        return "\n".join([f"func.func @{self.name}({arguments}) {{", *indented(self.ops), "  return", "}"])

    def run(self, inputs):
        """(probe, quantities, conditions) for each probe that is reached."""
        trace = []
        try:
            run_all(self.ops, {a.name: v for a, v in zip(self.arguments, inputs)}, trace)
        except Undefined:  # what was seen before counts
            pass
        return trace

    def random_inputs(self, choose):
        """Small values, now and then one at the end of the type."""
        inputs = []
        for argument in self.arguments:
            if argument.is_tensor:
                inputs.append(tuple(choose.choice([0, 1, 2, 3, 4, 5, 6, 8, 12]) if d is None else d
                                    for d in argument.type))
            elif choose.random() < 0.08:
                inputs.append(wrap(2**63 + choose.randint(-6, 5)))
            else:
                inputs.append(choose.randint(-9, 12))
        return inputs


class Scope:
    """Which values an op may use, and how results are named."""

    def __init__(self, seed, no_wrap=False):
        self.random = random.Random(seed)
        self.no_wrap = no_wrap  # an index that wraps has no meaning
        self.levels = [[]]
        self.names = 0
        self.probes = 0

    def result(self, exact, type):
        """What an op of arithmetic gives."""
        value = wrap(exact, WIDTHS[type])
        require(value == exact or type != "index" or not self.no_wrap)
        return value

    def name(self):
        self.names += 1
        return f"%v{self.names}"

    def chance(self, percent):
        return self.random.random() * 100 < percent

    def add(self, value):
        self.levels[-1].append(value)
        return value

    def pick(self, accepts):
        """One of the visible values, a late one more often; or None."""
        values = [v for level in self.levels for v in level if accepts(v)]
        if not values:
            return None
        return values[-1 - min(int(self.random.expovariate(0.25)), len(values) - 1)]

    def pick_type(self, type):
        return self.pick(lambda v: v.type == type)
