# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ops need of a divisor, a shift, a step, a size or a position, where the values are arguments.

    check_conditions.py [--all] [--list] [NAME]...

Each program is called with values that its op allows, whose results are compared with Python's
integers and NumPy, and with values that it does not, which must be refused: exit status 3 and
a message. The modes are dealt out in turn; with --all, each call runs in each mode. NAME: the
rows whose names begin so.
"""

import itertools
import sys

import numpy as np

import symrun
from checking import Checks

MODES = [[], ["--dynamic=auto"], ["--dynamic=never"], ["--compile=quick"]]
FLOOR = 3000  # checks that must at least have been made
ROWS = []


def row(name, text, oracle, calls):
    """`oracle` gives the list of results of a call, or None for one that must be refused."""
    ROWS.append((name, text, oracle, calls))


def refused_unless(condition, compute):
    return lambda *call: [compute(*call)] if condition(*call) else None


# ---------------------------------------------------------------------------
# Integers
# ---------------------------------------------------------------------------

BITS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}


def dtype(type, signed=True):
    return np.dtype(f"{'int' if signed else 'uint'}{BITS[type]}")


def wrap(value, type):
    bits = BITS[type]
    value &= (1 << bits) - 1
    return dtype(type).type(value - (1 << bits) if value >> (bits - 1) else value)


def truncated(a, b):
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def unsigned(compute):
    return lambda a, b, bits: compute(a & ((1 << bits) - 1), b & ((1 << bits) - 1))


# Name of the op: (whether it is signed, what it computes of mathematical integers).
DIVISIONS = {
    "divsi": (True, lambda a, b, bits: truncated(a, b)),
    "remsi": (True, lambda a, b, bits: a - b * truncated(a, b)),
    "floordivsi": (True, lambda a, b, bits: a // b),
    "ceildivsi": (True, lambda a, b, bits: -(-a // b)),
    "divui": (False, unsigned(lambda a, b: a // b)),
    "remui": (False, unsigned(lambda a, b: a % b)),
    "ceildivui": (False, unsigned(lambda a, b: -(-a // b))),
}
INDEX_NAMES = {"divsi": "divs", "remsi": "rems", "floordivsi": "floordivs", "ceildivsi": "ceildivs",
               "divui": "divu", "remui": "remu", "ceildivui": "ceildivu"}


def division(signed, compute, type):
    """None if the divisor is 0, or the quotient of the least number and -1 does not fit."""
    least = -(1 << (BITS[type] - 1))

    def oracle(a, b):
        if b == 0 or signed and (a, b) == (least, -1):
            return None
        return wrap(compute(a, b, BITS[type]), type)
    return oracle


def pairs(type):
    bits = BITS[type]
    least, most = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    return [(least, 7), (least, -7), (least, 1), (least, least), (most, -1), (most, most), (7, 2), (-7, 2),
            (7, -2), (-7, -2), (0, 3), (1, least), (6, 3), (-6, -3), (-6, 4), (most, 2), (least, 2),
            (5, 0), (0, 0), (least, -1)]


def scalars(type, numbers):
    return [dtype(type).type(n) for n in numbers]


def scalar_row(name, op, type, meaning):
    text = (f"func.func @main(%a: {type}, %b: {type}) -> {type} {{\n"
            f"  %r = {op} %a, %b{'' if op.startswith('index.') else ' : ' + type}\n  return %r : {type}\n}}\n")
    row(name, text, lambda a, b: None if (r := meaning(int(a), int(b))) is None else [r],
        [scalars(type, pair) for pair in pairs(type)])


def elements(meaning, type):
    """`meaning` of each pair of elements; None if one is refused."""
    def oracle(a, b):
        a, b = np.broadcast_arrays(a, b)
        values = [meaning(int(x), int(y)) for x, y in zip(a.reshape(-1), b.reshape(-1))]
        return None if None in values else [np.array(values, dtype(type)).reshape(a.shape)]
    return oracle


def tensor_calls(type, meaning):
    """One call of all pairs that are allowed; one for each that is not, in the middle; none at all."""
    good = [pair for pair in pairs(type) if meaning(*pair) is not None]
    calls = [good, good[:1], []]
    calls += [good[:5] + [pair] + good[5:8] for pair in pairs(type) if meaning(*pair) is None]
    return [[np.array([p[k] for p in call], dtype(type)) for k in (0, 1)] for call in calls]


def tensor_row(name, lines, type, meaning):
    tensor = f"tensor<?x{type}>"
    text = f"func.func @main(%a: {tensor}, %b: {tensor}) -> {tensor} {{\n  {lines}\n  return %r : {tensor}\n}}\n"
    row(name, text.replace("TENSOR", tensor), elements(meaning, type), tensor_calls(type, meaning))


for op, (signed, compute) in DIVISIONS.items():
    for type in ("index", "i64", "i8"):
        scalar_row(f"arith.{op} {type}", f"arith.{op}", type, division(signed, compute, type))
    scalar_row(f"index.{op}", f"index.{INDEX_NAMES[op]}", "index", division(signed, compute, "index"))
    for type in ("i32", "i8"):
        meaning = division(signed, compute, type)
        tensor_row(f"arith.{op} tensor {type}", f"%r = arith.{op} %a, %b : TENSOR", type, meaning)
    vector = f"""func.func @main(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {{
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %a = vector.transfer_read %x[%c0], %z {{in_bounds = [true]}} : tensor<4xi32>, vector<4xi32>
  %b = vector.transfer_read %y[%c0], %z {{in_bounds = [true]}} : tensor<4xi32>, vector<4xi32>
  %q = arith.{op} %a, %b : vector<4xi32>
  %e = tensor.empty() : tensor<4xi32>
  %r = vector.transfer_write %q, %e[%c0] {{in_bounds = [true]}} : vector<4xi32>, tensor<4xi32>
  return %r : tensor<4xi32>
}}
"""
    row(f"arith.{op} vector", vector, elements(division(signed, compute, "i32"), "i32"),
        [[np.array(a, np.int32), np.array(b, np.int32)] for a, b in
         (([7, -7, 6, -2**31], [2, 2, -3, 7]), ([7, 1, 1, 1], [2, 3, 0, 1]), ([7, 1, 1, -2**31], [2, 3, 4, -1]))])
tensor_row("linalg.div", "%r = linalg.div ins(%a, %b : TENSOR, TENSOR) outs(%a : TENSOR) -> TENSOR", "i32",
           division(*DIVISIONS["divsi"], "i32"))
tensor_row("linalg.div_unsigned",
           "%r = linalg.div_unsigned ins(%a, %b : TENSOR, TENSOR) outs(%a : TENSOR) -> TENSOR", "i32",
           division(*DIVISIONS["divui"], "i32"))
tensor_row("tosa.intdiv", "%r = tosa.intdiv %a, %b : (TENSOR, TENSOR) -> TENSOR", "i32",
           division(*DIVISIONS["divsi"], "i32"))


def power(a, b, bits):
    """math.ipowi: a negative exponent divides 1."""
    if b < 0:
        return None if a == 0 else 1 // a if abs(a) == 1 and a == 1 else (-1) ** (b % 2) if a == -1 else 0
    return pow(a, b, 1 << bits)


for type in ("i64", "i32", "i8"):
    def meaning(a, b, type=type):
        value = power(a, b, BITS[type])
        return None if value is None else wrap(value, type)
    text = (f"func.func @main(%a: {type}, %b: {type}) -> {type} {{\n  %r = math.ipowi %a, %b : {type}\n"
            f"  return %r : {type}\n}}\n")
    row(f"math.ipowi {type}", text, lambda a, b, f=meaning: None if (r := f(int(a), int(b))) is None else [r],
        [scalars(type, pair) for pair in [(2, 3), (-2, 3), (3, 0), (0, 0), (0, 5), (1, -3), (-1, -3), (-1, -4), (2, -1),
                                          (3, 100), (-3, 5), (0, -1)]])

# ---------------------------------------------------------------------------
# Shifts
# ---------------------------------------------------------------------------

TOSA_SHIFTS = {
    "logical_left_shift": lambda a, b, bits: a << b,
    "logical_right_shift": unsigned(lambda a, b: a >> b),
    "arithmetic_right_shift": lambda a, b, bits: a >> b,
}
for op, compute in TOSA_SHIFTS.items():
    for type in ("i8", "i16", "i32", "i64"):
        bits = BITS[type]

        def meaning(a, b, bits=bits, type=type, compute=compute, op=op):
            most = bits if op == "arithmetic_right_shift" else max(bits, 32)
            return wrap(compute(a, b, bits), type) if 0 <= b < most else None
        amounts = [(5, 0), (-7, 1), (1, bits - 1), (-1, bits - 1), (100, 3), (5, bits), (-5, bits + 1), (5, 31),
                   (5, 32), (5, -1), (0, -128)]
        more = " {round = false}" if op == "arithmetic_right_shift" else ""
        text = (f"func.func @main(%a: tensor<?x{type}>, %b: tensor<?x{type}>) -> tensor<?x{type}> {{\n"
                f"  %r = tosa.{op} %a, %b{more} : (tensor<?x{type}>, tensor<?x{type}>) -> tensor<?x{type}>\n"
                f"  return %r : tensor<?x{type}>\n}}\n")
        good = [p for p in amounts if meaning(*p) is not None]
        calls = [good, [], *[good[:2] + [p] + good[2:] for p in amounts if meaning(*p) is None]]
        row(f"tosa.{op} {type}", text, elements(meaning, type),
            [[np.array([p[k] for p in call], dtype(type)) for k in (0, 1)] for call in calls])

# ---------------------------------------------------------------------------
# Affine maps, and loops
# ---------------------------------------------------------------------------


def index(*numbers):
    return [np.int64(n) for n in numbers]


AFFINE = {"floordiv": lambda a, b: a // b, "ceildiv": lambda a, b: -(-a // b), "mod": lambda a, b: a % b}
AFFINE_USES = {
    "apply": "%r = affine.apply affine_map<(d0)[s0] -> (d0 OP s0)>(%a)[%b]",
    "min": "%r = affine.min affine_map<(d0)[s0] -> (d0 OP s0, 100)>(%a)[%b]",
    "max": "%r = affine.max affine_map<(d0)[s0] -> (d0 OP s0, -100)>(%a)[%b]",
    "for": """%r = affine.for %i = 0 to affine_map<(d0)[s0] -> (d0 OP s0)>(%a)[%b] iter_args(%k = %c0) -> index {
    %q = arith.addi %k, %c1 : index
    affine.yield %q : index
  }""",
    "if": """%r = affine.if affine_set<(d0)[s0] : ((d0 OP s0) - 2 >= 0)>(%a)[%b] -> index {
    affine.yield %c1 : index
  } else {
    affine.yield %c0 : index
  }""",
    "load": "%r = affine.load %m[symbol(%b) * 0 + (%a OP symbol(%b))] : memref<50xindex>",
    "vector_load": """%v = affine.vector_load %m[symbol(%b) * 0 + (%a OP symbol(%b))] : memref<50xindex>, vector<4xindex>
  %r = vector.extract %v[0] : index from vector<4xindex>""",
}


def affine_oracle(use, compute, a, b):
    if b < 1:
        return None
    value = compute(a, b)
    if use in ("load", "vector_load"):
        return [np.int64(value)] if 0 <= value <= (50 if use == "load" else 47) - 1 else None
    return [np.int64({"apply": value, "min": min(value, 100), "max": max(value, -100), "for": max(value, 0),
                      "if": int(value >= 2)}[use])]


for (op, compute), (use, lines) in itertools.product(AFFINE.items(), AFFINE_USES.items()):
    fill = """%m = memref.alloc() : memref<50xindex>
  scf.for %i = %c0 to %c50 step %c1 {
    memref.store %i, %m[%i] : memref<50xindex>
  }
  """ if "load" in use else ""
    for divisor in (None, 3, 0):
        text = f"""func.func @main(%a: index, %b: index) -> index {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c50 = arith.constant 50 : index
  {fill}{lines.replace("OP", op)}
  return %r : index
}}
"""
        calls = [index(17, 5), index(0, 1), index(49, 1), index(9, 4), index(17, 0), index(17, -5)]
        if divisor is not None:
            if "load" in use:
                continue
            text = text.replace("s0))", f"{divisor}))").replace("s0)>", f"{divisor})>").replace("s0,", f"{divisor},") \
                .replace(f"{op} s0", f"{op} {divisor}")
            calls = [[a, np.int64(divisor)] for a, _ in calls]
        if divisor == 0:
            row(f"affine.{use} {op} 0", text, lambda a, b: None, calls[:1])
        else:
            row(f"affine.{use} {op}{'' if divisor is None else ' 3'}", text,
                lambda a, b, use=use, f=compute: affine_oracle(use, f, int(a), int(b)), calls)


def unsigned_loop(lower, upper, step, bits=64):
    """How often the body runs, or None: no step, or a counter that wraps."""
    if step == 0:
        return None
    lower, upper, step = [n % 2**bits for n in (lower, upper, step)]
    if lower >= upper:
        return [np.int64(0)]
    trips = -(-(upper - lower) // step)
    return [np.int64(trips)] if lower + trips * step < 2**bits else None


for type, least in (("index", -2**63), ("i8", -128)):
    text = f"""func.func @main(%l: {type}, %u: {type}, %s: {type}) -> i64 {{
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %r = scf.for unsigned %i = %l to %u step %s iter_args(%k = %c0) -> (i64) {": " + type if type != "index" else ""} {{
    %q = arith.addi %k, %c1 : i64
    scf.yield %q : i64
  }}
  return %r : i64
}}
"""
    row(f"scf.for unsigned {type}", text,
        lambda l, u, s, bits=BITS[type]: unsigned_loop(int(l), int(u), int(s), bits),
        [scalars(type, call) for call in [(0, 10, 3), (0, 0, 1), (5, 2, 1), (0, -1, -1), (-6, -1, 2), (-10, -1, 3),
                                          (0, least, least), (-4, -1, 1), (0, 5, 0), (-6, -1, 10), (0, -1, -2),
                                          (3, -2, least)]])

# ---------------------------------------------------------------------------
# Slices, views and casts
# ---------------------------------------------------------------------------

IOTA = np.arange(10, dtype=np.float32)


def cut(x, offset, size, step):
    """The places of the slice; None if it leaves `x`, or has no step from one place to the next."""
    if offset < 0 or size < 0 or step == 0 and size > 1 or step == 1 and offset + size > len(x) or \
            size > 0 and not max(offset, offset + (size - 1) * step) < len(x) or offset + max(size - 1, 0) * step < 0:
        return None
    return offset + step * np.arange(size)


SLICES = [index(0, 5, 2), index(9, 1, 7), index(3, 0, 1), index(0, 10, 1), index(1, 3, 3), index(5, 5, 0), index(9, 3, -1), index(1, 3, -1),
          index(2, 1, 0), index(0, 6, 2), index(-1, 2, 1), index(0, -1, 1), index(0, 2, -2**63), index(0, 2, 2**62)]
EXTRACT = """func.func @main(%x: tensor<?xf32>, %o: index, %n: index, %s: index) -> tensor<?xf32> {
  %r = tensor.extract_slice %x[%o] [%n] [%s] : tensor<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}
"""
INSERT = """func.func @main(%x: tensor<?xf32>, %o: index, %n: index, %s: index) -> tensor<?xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.fill ins(%one : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = tensor.insert_slice %y into %x[%o] [%n] [%s] : tensor<?xf32> into tensor<?xf32>
  return %r : tensor<?xf32>
}
"""
PARALLEL_INSERT = INSERT.replace("  %r = tensor.insert_slice %y into %x[%o] [%n] [%s] : tensor<?xf32> into tensor<?xf32>", """\
  %r = scf.forall (%i) in (1) shared_outs(%w = %x) -> (tensor<?xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %y into %w[%o] [%n] [%s] : tensor<?xf32> into tensor<?xf32>
    }
  }""")


def inserted(x, o, n, s):
    places = cut(x, int(o), int(n), int(s))
    if places is None:
        return None
    x = x.copy()
    x[places] = 1
    return [x]


def extracted(x, o, n, s):
    places = cut(x, int(o), int(n), int(s))
    return None if places is None else [x[places]]


for name, text, oracle in (("extract_slice", EXTRACT, extracted), ("insert_slice", INSERT, inserted),
                           ("parallel_insert_slice", PARALLEL_INSERT, inserted)):
    row(f"tensor.{name}", text, oracle, [[IOTA, *call] for call in SLICES])

EXPAND = """func.func @main(%x: tensor<4x?xf32>, %a: index, %b: index) -> tensor<2x?x?xf32> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<4x?xf32>
  %d = tensor.cast %x : tensor<4x?xf32> to tensor<?x?xf32>
  %e = tensor.expand_shape %d [[0, 1], [2]] output_shape [%a, %b, %n] : tensor<?x?xf32> into tensor<2x?x?xf32>
  return %e : tensor<2x?x?xf32>
}
"""


def expanded(x, a, b):
    return [x.reshape(2, 2, x.shape[1])] if (a, b) == (2, 2) else None


MATRICES = [np.arange(4 * n, dtype=np.float32).reshape(4, n) for n in (3, 0, 1)]
row("tensor.expand_shape", EXPAND, expanded, [[x, *index(2, 2)] for x in MATRICES] +
    [[MATRICES[0], *index(*ab)] for ab in ((4, 1), (1, 4), (2, 1), (-2, -2))])
row("tensor.expand_shape constants", EXPAND.replace(", %a: index, %b: index", "").replace("%a, %b", "%two, %two")
    .replace("  %c1 =", "  %two = arith.constant 2 : index\n  %c1 ="), lambda x: expanded(x, 2, 2), [[x] for x in MATRICES])
CAST = """func.func @main(%x: tensor<?x?xf32>) -> TYPE {
  %u = tensor.cast %x : tensor<?x?xf32> to tensor<*xf32>
  %w = tensor.cast %u : tensor<*xf32> to TYPE
  return %w : TYPE
}
"""
CASTS = [[np.arange(a * b, dtype=np.float32).reshape(a, b)] for a, b in ((3, 4), (0, 4), (1, 4), (3, 5), (4, 0), (4, 3))]
row("tensor.cast extent", CAST.replace("TYPE", "tensor<?x4xf32>"), lambda x: [x] if x.shape[1] == 4 else None, CASTS)
row("tensor.cast rank", CAST.replace("TYPE", "tensor<?xf32>"), lambda x: None, CASTS[:2])
HIDDEN = """func.func private @hide(%x: tensor<?x?xf32>, %y: tensor<?xf32>, %c: i1) -> tensor<*xf32> {
  %u = tensor.cast %x : tensor<?x?xf32> to tensor<*xf32>
  %v = tensor.cast %y : tensor<?xf32> to tensor<*xf32>
  %r = arith.select %c, %u, %v : tensor<*xf32>
  return %r : tensor<*xf32>
}
func.func @main(%x: tensor<?x?xf32>, %y: tensor<?xf32>, %n: index) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c = arith.cmpi sgt, %n, %c0 : index
  %u = call @hide(%x, %y, %c) : (tensor<?x?xf32>, tensor<?xf32>, i1) -> tensor<*xf32>
  %w = tensor.cast %u : tensor<*xf32> to tensor<?x4xf32>
  return %w : tensor<?x4xf32>
}
"""
row("tensor.cast of unknown rank", HIDDEN, lambda x, y, n: [x] if x.shape[1] == 4 and n > 0 else None,
    [[x, IOTA, np.int64(n)] for [x] in CASTS for n in (1, 0)])
RESHAPE = """func.func @main(%x: tensor<?xf32>, %s: tensor<2xTYPE>) -> tensor<?x?xf32> {
  %r = tensor.reshape %x(%s) : (tensor<?xf32>, tensor<2xTYPE>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
"""
for type in ("i32", "i64", "i8", "index"):
    row(f"tensor.reshape {type}", RESHAPE.replace("TYPE", type),
        lambda x, s: [x.reshape(s)] if min(s) >= 0 and int(s[0]) * int(s[1]) == x.size else None,
        [[IOTA, np.array(s, dtype(type))] for s in ((2, 5), (10, 1), (3, 3), (-2, -5), (0, 10))] +
        [[IOTA[:0], np.array(s, dtype(type))] for s in ((0, 5), (3, 0), (0, -1))])

BUFFER = """func.func @main(%x: tensor<?xf32>, ARGS) -> RESULT {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %m = bufferization.to_buffer %x : tensor<?xf32> to memref<?xf32>
  LINES
  return %r : RESULT
}
"""


def buffer_row(name, args, result, lines, oracle, calls):
    row(name, BUFFER.replace("ARGS", args).replace("RESULT", result).replace("LINES", lines), oracle,
        [[IOTA, *call] for call in calls])


def picked(x, offset, size, stride, place):
    """An element of a strided view of `x`; None if the view leaves `x`, or the place the view."""
    reach = (size - 1) * stride
    if size < 0 or not 0 <= place < size or offset + min(reach, 0) < 0 or offset + max(reach, 0) >= len(x):
        return None
    return [x[offset + place * stride]]


buffer_row("memref.reinterpret_cast", "%o: index, %n: index, %s: index, %p: index", "f32", """\
%v = memref.reinterpret_cast %m to offset: [%o], sizes: [%n], strides: [%s] : memref<?xf32> to memref<?xf32, strided<[?], offset: ?>>
  %r = memref.load %v[%p] : memref<?xf32, strided<[?], offset: ?>>""",
           lambda x, *call: picked(x, *map(int, call)),
           [index(*c) for c in ((0, 10, 1, 9), (9, 1, 5, 0), (9, 10, -1, 3), (0, 5, 2, 4), (4, 7, 0, 6), (0, 11, 1, 0),
                                (0, 6, 2, 1), (8, 10, -1, 0), (-1, 3, 1, 1), (0, -3, 1, 0), (0, 2**62, 2**62, 0),
                                (0, 5, 1, 5))])
buffer_row("memref.subview", "%o: index, %n: index, %s: index, %p: index", "f32", """\
%v = memref.subview %m[%o] [%n] [%s] : memref<?xf32> to memref<?xf32, strided<[?], offset: ?>>
  %r = memref.load %v[%p] : memref<?xf32, strided<[?], offset: ?>>""",
           lambda x, *call: None if call[2] == 0 and call[1] > 1 else picked(x, *map(int, call)),
           [index(*c) for c in ((0, 10, 1, 9), (9, 1, 5, 0), (9, 10, -1, 3), (0, 5, 2, 4), (4, 7, 0, 6), (0, 11, 1, 0),
                                (0, 6, 2, 1), (8, 10, -1, 0), (-1, 3, 1, 1), (0, 2, -2**63, 1), (0, 2, 2**63 - 1, 1))])
buffer_row("memref.cast stride", "%s: index, %p: index", "f32", """\
%c3 = arith.constant 3 : index
  %v = memref.subview %m[0] [%c3] [%s] : memref<?xf32> to memref<?xf32, strided<[?]>>
  %w = memref.cast %v : memref<?xf32, strided<[?]>> to memref<?xf32, strided<[2]>>
  %r = memref.load %w[%p] : memref<?xf32, strided<[2]>>""",
           lambda x, s, p: [x[2 * p]] if s == 2 and 0 <= p < 3 else None,
           [index(2, 0), index(2, 2), index(1, 2), index(3, 0), index(2, 3)])
buffer_row("memref.cast rank", "%n: index", "f32", """\
%u = memref.cast %m : memref<?xf32> to memref<*xf32>
  %w = memref.cast %u : memref<*xf32> to memref<9xf32>
  %r = memref.load %w[%n] : memref<9xf32>""", lambda x, n: None, [index(0)])

# ---------------------------------------------------------------------------
# Vectors
# ---------------------------------------------------------------------------

VECTOR = "tensor<4xf32>"
WRITE = """
  %e = tensor.empty() : tensor<4xf32>
  %r = vector.transfer_write %v, %e[%c0] {in_bounds = [true]} : vector<4xf32>, tensor<4xf32>"""


def window(x, i):
    return [x[i:i + 4]] if 0 <= i <= len(x) - 4 else None


PLACES = [index(i) for i in (0, 3, 6, 7, 9, -1, 10, 2**62, -2**63)]
buffer_row("vector.load", "%i: index", VECTOR, "%v = vector.load %m[%i] : memref<?xf32>, vector<4xf32>" + WRITE, window, PLACES)
buffer_row("vector.transfer_read in bounds", "%i: index", VECTOR,
           "%v = vector.transfer_read %x[%i], %zero {in_bounds = [true]} : tensor<?xf32>, vector<4xf32>" + WRITE, window, PLACES)
buffer_row("vector.transfer_read", "%i: index", VECTOR,
           "%v = vector.transfer_read %x[%i], %zero : tensor<?xf32>, vector<4xf32>" + WRITE,
           lambda x, i: [np.concatenate([x[i:i + 4], np.zeros(4, np.float32)])[:4]] if i >= 0 else None,
           [index(i) for i in (0, 3, 6, 7, 9, 10, 12, -1, -2**63)])
buffer_row("vector.store", "%i: index", "tensor<?xf32>", """\
%v = vector.broadcast %zero : f32 to vector<4xf32>
  %b = memref.alloc(%d) : memref<?xf32>
  memref.copy %m, %b : memref<?xf32> to memref<?xf32>
  vector.store %v, %b[%i] : memref<?xf32>, vector<4xf32>
  %r = bufferization.to_tensor %b restrict writable : memref<?xf32> to tensor<?xf32>""",
           lambda x, i: [np.where((np.arange(10) >= i) & (np.arange(10) < i + 4), 0, x).astype(np.float32)]
           if 0 <= i <= 6 else None, PLACES)


def gathered(x, i, j):
    places = [int(i), int(i) + 1, int(i) + int(j)]
    lanes = [0 <= p < len(x) for p in places]
    return [np.array([*x[[int(p) for p in places]], 0], np.float32)] if all(lanes) else None


buffer_row("vector.gather", "%i: index, %j: index", VECTOR, """\
%c1 = arith.constant 1 : index
  %far = arith.constant 1000000000000 : index
  %places = vector.from_elements %c0, %c1, %j, %far : vector<4xindex>
  %mask = arith.constant dense<[true, true, true, false]> : vector<4xi1>
  %none = vector.broadcast %zero : f32 to vector<4xf32>
  %v = vector.gather %m[%i] [%places], %mask, %none : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>""" + WRITE,
           gathered, [index(*c) for c in ((0, 5), (8, 1), (8, -8), (0, 9), (0, 10), (9, 0), (3, -4), (-1, 3), (2, 2**62))])
buffer_row("vector.maskedload", "%i: index, %n: index", VECTOR, """\
%mask = vector.create_mask %n : vector<4xi1>
  %none = vector.broadcast %zero : f32 to vector<4xf32>
  %v = vector.maskedload %m[%i], %mask, %none : memref<?xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>""" + WRITE,
           lambda x, i, n: [np.concatenate([x[i:i + n], np.zeros(4 - n, np.float32)])] if n == 0 or 0 <= i <= 10 - n else None,
           [index(*c) for c in ((0, 4), (8, 2), (9, 0), (6, 4), (7, 4), (10, 1), (-1, 1))])

def masked(x, i, n):
    """Lanes from i on of which the first n are not masked."""
    n = min(max(n, 0), 4)
    return [np.concatenate([x[i:i + n], np.zeros(4 - n, np.float32)])] if n == 0 or 0 <= i <= len(x) - n else None


def kept_together(x, i, n):
    """The same of every other lane; what is not there stays as it was."""
    lanes = np.array([lane < n and lane % 2 == 0 for lane in range(4)])
    count = int(lanes.sum())
    if count and not 0 <= i <= len(x) - count:
        return None
    result = np.zeros(4, np.float32)
    result[lanes] = x[i:i + count] if count else []
    return [result]


def spread(x, i, n):
    count = int(sum(lane < n and lane % 2 == 0 for lane in range(4)))
    if count and not 0 <= i <= len(x) - count:
        return None
    result = x.copy()
    result[i if count else 0:i + count if count else 0] = 7
    return [result]


LANES = [index(*c) for c in ((0, 4), (8, 2), (9, 1), (6, 4), (7, 4), (10, 1), (3, 0), (9, 2), (0, 2**62), (7, 9), (2**62, 4))]
ODD = [*LANES, *(index(*c) for c in ((8, 4), (9, 4), (10, 0), (-1, 1), (-7, 0), (2**62, 0), (-2**63, 3)))]
MASK = "%mask = vector.create_mask %n : vector<4xi1>\n  %none = vector.broadcast %zero : f32 to vector<4xf32>\n  "
EVERY_OTHER = MASK.replace("%mask", "%first") + """%even = arith.constant dense<[true, false, true, false]> : vector<4xi1>
  %mask = arith.andi %first, %even : vector<4xi1>
  """
COPIED = """%b = memref.alloc(%d) : memref<?xf32>
  memref.copy %m, %b : memref<?xf32> to memref<?xf32>
  %seven = arith.constant dense<7.0> : vector<4xf32>
  """
WRITTEN = "\n  %r = bufferization.to_tensor %b restrict writable : memref<?xf32> to tensor<?xf32>"
buffer_row("vector.transfer_read with a mask", "%i: index, %n: index", VECTOR,
           MASK + "%v = vector.transfer_read %x[%i], %zero, %mask {in_bounds = [true]} : tensor<?xf32>, vector<4xf32>" + WRITE, masked, LANES)
buffer_row("vector.transfer_read within a mask", "%i: index, %n: index", VECTOR,
           MASK + "%v = vector.mask %mask { vector.transfer_read %m[%i], %zero {in_bounds = [true]} : memref<?xf32>, vector<4xf32> }"
           " : vector<4xi1> -> vector<4xf32>" + WRITE, masked, LANES)
buffer_row("vector.transfer_write within a mask", "%i: index, %n: index", "tensor<?xf32>",
           MASK + COPIED + "vector.mask %mask { vector.transfer_write %seven, %b[%i] {in_bounds = [true]} : vector<4xf32>, memref<?xf32> }"
           " : vector<4xi1>" + WRITTEN,
           lambda x, i, n: [np.where((np.arange(10) >= i) & (np.arange(10) < i + min(n, 4)), 7, x).astype(np.float32)]
           if n <= 0 or 0 <= i <= 10 - min(n, 4) else None, LANES)
buffer_row("vector.transfer_read of a row within a mask", "%i: index, %n: index", VECTOR, """\
%ten = memref.cast %m : memref<?xf32> to memref<10xf32>
  %rows = memref.expand_shape %ten [[0, 1]] output_shape [2, 5] : memref<10xf32> into memref<2x5xf32>
  %c1 = arith.constant 1 : index
  %mask = vector.create_mask %n : vector<4xi1>
  %v = vector.mask %mask { vector.transfer_read %rows[%c1, %i], %zero {in_bounds = [true]} : memref<2x5xf32>, vector<4xf32> }
    : vector<4xi1> -> vector<4xf32>""" + WRITE,
           lambda x, i, n: masked(x[5:], i, n), [index(*c) for c in ((0, 4), (1, 4), (2, 4), (4, 1), (5, 1), (5, 0), (0, 1), (2**62, 1))])
buffer_row("vector.expandload", "%i: index, %n: index", VECTOR,
           EVERY_OTHER + "%v = vector.expandload %m[%i], %mask, %none : memref<?xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>" + WRITE,
           kept_together, ODD)
buffer_row("vector.compressstore", "%i: index, %n: index", "tensor<?xf32>",
           EVERY_OTHER + COPIED + "vector.compressstore %b[%i], %mask, %seven : memref<?xf32>, vector<4xi1>, vector<4xf32>" + WRITTEN, spread, ODD)

KINDS = {
    "add": (np.add, "if"), "mul": (np.multiply, "if"), "minui": (np.minimum, "u"), "minsi": (np.minimum, "i"),
    "maxui": (np.maximum, "u"), "maxsi": (np.maximum, "i"), "and": (np.bitwise_and, "i"), "or": (np.bitwise_or, "i"),
    "xor": (np.bitwise_xor, "i"), "minimumf": (np.minimum, "f"), "maximumf": (np.maximum, "f"),
    "minnumf": (np.fmin, "f"), "maxnumf": (np.fmax, "f"),
}


def reduced(kind, form, start):
    function, _ = KINDS[kind]

    def oracle(x, n):
        lanes = x[:max(0, min(int(n), 4))]
        if form == "u":
            lanes = lanes.view(f"uint{8 * x.itemsize}")
        value = np.array(start, lanes.dtype)
        for lane in lanes:
            value = function(value, lane)
        return [value.astype(value.dtype).view(x.dtype)]
    return oracle


for kind, (_, forms) in KINDS.items():
    for form in forms:
        for type in ("f32", "f64") if form == "f" else ("i32", "i8"):
            start = {"mul": 1, "and": -1, "minsi": 100, "minui": 100, "minimumf": 100, "minnumf": 100, "maximumf": -100,
                     "maxnumf": -100, "maxsi": -100}.get(kind, 0)
            constant = f"{start}.0" if form == "f" else start
            text = f"""func.func @main(%x: tensor<4x{type}>, %n: index) -> {type} {{
  %c0 = arith.constant 0 : index
  %z = arith.constant {"0.0" if form == "f" else 0} : {type}
  %acc = arith.constant {constant} : {type}
  %k = vector.create_mask %n : vector<4xi1>
  %v = vector.transfer_read %x[%c0], %z {{in_bounds = [true]}} : tensor<4x{type}>, vector<4x{type}>
  %r = vector.mask %k {{ vector.reduction <{kind}>, %v, %acc : vector<4x{type}> into {type} }} : vector<4xi1> -> {type}
  return %r : {type}
}}
"""
            kindless = np.dtype(type.replace("f", "float").replace("i", "int"))
            values = [-9, -3, -7, -2] if kind != "mul" else [-2, 3, 2, -1]
            row(f"vector.mask reduction {kind} {type}", text, reduced(kind, form, start),
                [[np.array(sign * np.array(values), kindless), np.int64(n)] for sign in (1, -1) for n in (0, 1, 3, 4, 9, -1)])

# ---------------------------------------------------------------------------
# Packs
# ---------------------------------------------------------------------------

PACK = """func.func @main(%x: tensor<?xf32>, %t: index, %n: index) -> tensor<?x?xf32> {
  %pad = arith.constant -1.0 : f32
  %e = tensor.empty(%n, %t) : tensor<?x?xf32>
  %r = linalg.pack %x PADDED inner_dims_pos = [0] inner_tiles = [%t] into %e : tensor<?xf32> -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
"""


def packed(padded):
    def oracle(x, t, n):
        t, n = int(t), int(n)
        if t < 1 or n != -(-len(x) // t) or not padded and len(x) % t:
            return None
        return [np.concatenate([x, np.full(n * t - len(x), -1, np.float32)]).reshape(n, t)]
    return oracle


PACKS = [[IOTA[:k], *index(t, n)] for k, t, n in ((10, 5, 2), (10, 1, 10), (10, 10, 1), (0, 4, 0), (9, 4, 3), (10, 4, 3), (10, 4, 2),
                                                 (10, 0, 3), (10, -5, -2), (1, 20, 1), (10, 5, 3))]
row("linalg.pack padded", PACK.replace("PADDED", "padding_value(%pad : f32)"), packed(True), PACKS)
row("linalg.pack", PACK.replace("PADDED", ""), packed(False), PACKS)
UNPACK = """func.func @main(%x: tensor<?x?xf32>, %n: index) -> tensor<?xf32> {
  %c1 = arith.constant 1 : index
  %t = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.unpack %x inner_dims_pos = [0] inner_tiles = [%t] into %e : tensor<?x?xf32> -> tensor<?xf32>
  return %r : tensor<?xf32>
}
"""


def unpacked(x, n):
    """What is cut off is less than a tile."""
    if x.shape[1] < 1 or not (x.shape[0] - 1) * x.shape[1] < n <= x.size and not n == x.size == 0:
        return None
    return [x.reshape(-1)[:n]]


row("linalg.unpack", UNPACK, unpacked,
    [[np.arange(a * t, dtype=np.float32).reshape(a, t), np.int64(n)] for a, t, n in
     ((3, 4, 12), (3, 4, 9), (2, 1, 2), (0, 4, 0), (1, 5, 1), (3, 4, 13), (3, 4, -1), (3, 0, 0), (3, 4, 8), (3, 4, 0))])

# ---------------------------------------------------------------------------
# Windows
# ---------------------------------------------------------------------------

WINDOW = """func.func @main(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (MAP)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
"""
WINDOWS = {"d0 floordiv 4 * 4 + d0 mod 4": lambda d: d, "d0 + 3": lambda d: d + 3, "d0 * 2 + 1": lambda d: 2 * d + 1,
           "d0 floordiv 3": lambda d: d // 3, "d0 mod 3": lambda d: d % 3, "d0 ceildiv 2": lambda d: -(-d // 2)}


def windowed(places, x, n):
    at = places(np.arange(n))
    return [x[at]] if n >= 0 and (n == 0 or max(at) < len(x)) else None


for text, places in WINDOWS.items():
    row(f"linalg.generic {text}", WINDOW.replace("MAP", text),
        lambda x, n, f=places: windowed(f, x, int(n)),
        [[IOTA[:k], np.int64(n)] for k, n in ((7, 7), (10, 7), (7, 4), (3, 3), (10, 4), (1, 1), (5, 0), (0, 0), (2, 9), (0, 1), (4, -1))])

# ---------------------------------------------------------------------------
# Memory that the program frees
# ---------------------------------------------------------------------------

FREE = """func.func @main(%n: index, %k: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.alloc(%n) : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %t = arith.index_cast %i : index to i64
    %v = arith.sitofp %t : i64 to f32
    memref.store %v, %m[%i] : memref<?xf32>
  }
  LINES
  return %r : f32
}
"""
FREES = [index(5, 3), index(1, 0), index(100000, 99999), index(5, 5), index(5, -1), index(-2, 0), index(2**62, 0)]
for name, lines in (("dealloc", """%r = memref.load %m[%k] : memref<?xf32>
  memref.dealloc %m : memref<?xf32>"""), ("realloc", """%c = arith.addi %n, %n : index
  %l = memref.realloc %m(%c) : memref<?xf32> to memref<?xf32>
  %inside = arith.cmpi ult, %k, %n : index
  cf.assert %inside, "inside"
  %r = memref.load %l[%k] : memref<?xf32>
  memref.dealloc %l : memref<?xf32>""")):
    row(f"memref.{name}", FREE.replace("LINES", lines),
        lambda n, k: [np.float32(k)] if 0 <= n <= 2**44 and 0 <= k < n else None, FREES)
STACK = FREE.replace("memref.alloc(", "memref.alloca(").replace("LINES", "%r = memref.load %m[%k] : memref<?xf32>")
row("memref.alloca", STACK, lambda n, k: [np.float32(k)] if 0 <= n <= 2**44 and 0 <= k < n else None, FREES)


def main(names):
    checks, modes = Checks(), itertools.cycle(MODES)
    everywhere, listed = "--all" in names, "--list" in names
    names = [name for name in names if not name.startswith("--")]
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/row.mlir"
        for name, text, oracle, calls in ROWS:
            if names and not any([name.startswith(n) for n in names]):
                continue
            if listed:
                print(name, len(calls))
                continue
            with open(path, "w") as file:
                file.write(text)
            expected = [oracle(*call) for call in calls]
            good = [k for k in range(len(calls)) if expected[k] is not None]
            for options in (MODES if everywhere else [next(modes)]) if good else []:
                check_results(checks, path, f"{name} {options}", [calls[k] for k in good], [expected[k] for k in good], options)
            for k in range(len(calls)):
                if expected[k] is None:
                    for options in MODES if everywhere else [next(modes)]:
                        run = symrun.run(path, [calls[k]], options=options)
                        check_refused(checks, run, f"{name}, {calls[k]} {options}")
    if not names and not listed:
        checks.that(checks.made >= FLOOR, f"at least {FLOOR} checks", f"  {checks.made}")
    return checks.finish()


def check_refused(checks, run, what):
    """Exit status 3 and a message; what constants show to be wrong may be refused before."""
    if run.status == 1 and "requirement can never hold: " in run.stderr:
        return checks.that(not run.results, f"{what}: no result")
    return checks.refused(run, ["error: symshape: "], what)


def check_results(checks, path, what, calls, expected, options):
    run = symrun.run(path, calls, results=len(expected[0]), options=options)
    if not checks.ran(run, len(calls), what):
        return
    for call, results, right in zip(calls, run.results, expected):
        for result, value in zip(results, right):
            checks.that(np.shape(result) == np.shape(value) and np.array_equal(result, value, equal_nan=True),
                        f"{what}: {call}", f"  {result}, not {value}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
