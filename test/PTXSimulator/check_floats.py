# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arithmetic and comparisons of floats, against exact rational arithmetic: all special values
with one another, then random bits, in every rounding."""

import math
import random
import struct
import sys

import exact
from lanes import Check, THREADS

check = Check(sys.argv[1])

# Zeros, subnormals, powers around the limits, ones, neighbours, infinities, NaNs; by format.
SPECIAL = {
    "f32": [0, 1, 2, 0x007FFFFF, 0x00800000, 0x00800001, 0x33800000, 0x3F000000, 0x3F7FFFFF, 0x3F800000,
            0x3F800001, 0x40000000, 0x40490FDB, 0x4B800000, 0x5F000000, 0x7F000000, 0x7F7FFFFF, 0x7F800000, 0x7FC00000, 0x7F800001],
    "f64": [0, 1, 0x000FFFFFFFFFFFFF, 0x0010000000000000, 0x3FEFFFFFFFFFFFFF, 0x3FF0000000000000, 0x3FF0000000000001,
            0x4340000000000000, 0x7FE0000000000000, 0x7FEFFFFFFFFFFFFF, 0x7FF0000000000000, 0x7FF8000000000000],
    "f16": [0, 1, 0x3FF, 0x400, 0x401, 0x1400, 0x3BFF, 0x3C00, 0x3C01, 0x4248, 0x7800, 0x7BFF, 0x7C00, 0x7E00],
    "bf16": [0, 1, 0x7F, 0x80, 0x81, 0x3380, 0x3F7F, 0x3F80, 0x3F81, 0x4049, 0x7F00, 0x7F7F, 0x7F80, 0x7FC0],
}


def rows_of(form, count, extra=THREADS):
    bits, draw = exact.BITS[form], random.Random(len(form) + 8 * count)
    values = SPECIAL[form] + [value | 1 << (bits - 1) for value in SPECIAL[form]]
    rows = [[a] for a in values]
    if count == 2:
        rows = [[a, b] for a in values for b in values]
    elif count == 3:
        rows = [[draw.choice(values) for _ in range(3)] for _ in range(3 * THREADS)]
        # a * b - (a * b, nearly): what one rounding shows.
        for _ in range(THREADS):
            a, b = draw.getrandbits(bits - 3) + (1 << (bits - 3)), draw.getrandbits(bits - 3) + (1 << (bits - 3))
            rows.append([a, b, exact.multiply(a, b, form, "rn") ^ 1 << (bits - 1)])
    rows += [[draw.getrandbits(bits) for _ in range(count)] for _ in range(extra)]
    return rows + [rows[0]] * (-len(rows) % THREADS)


def same(form):
    """Equal bits; any NaN for f64, whose NaNs carry what they came from."""
    if form != "f64":
        return None
    return lambda got, want: got == want or (exact.is_nan(got, form) and exact.is_nan(want, form))


def saturated(bits, form):
    value = exact.decode(bits, form)
    if value in (exact.NAN, exact.MINUS_INF, exact.MINUS_ZERO) or (value != exact.INF and value <= 0):
        return 0
    one = exact.encode(exact.Fraction(1), form)
    return one if value == exact.INF or value > 1 else bits


def arithmetic(form):
    bits = exact.BITS[form]
    modes = ("rn", "rz", "rm", "rp") if bits >= 32 else ("rn",)
    ones, pairs, triples = rows_of(form, 1), rows_of(form, 2), rows_of(form, 3)
    for mode in modes:
        for flags in ("", ".ftz", ".sat", ".ftz.sat"):
            if flags and (form not in ("f32", "f16") or (mode not in ("rn", "rp") and flags != ".ftz")):
                continue

            def wrap(function, flags=flags, mode=mode):
                def run(*row):
                    if ".ftz" in flags:
                        row = [exact.flush(one, form) for one in row]
                    result = function(*row, form, mode)
                    result = exact.flush(result, form) if ".ftz" in flags else result
                    return saturated(result, form) if ".sat" in flags else result
                return run
            text = f".{mode}{flags}.{form}"
            check.add(f"add{text} %d, %a, %b;", [bits] * 2, bits, pairs, wrap(exact.add), same(form))
            check.add(f"mul{text} %d, %a, %b;", [bits] * 2, bits, pairs, wrap(exact.multiply), same(form))
            check.add(f"sub{text} %d, %a, %b;", [bits] * 2, bits, pairs,
                      wrap(lambda a, b, form, mode: exact.add(a, b ^ (1 << bits - 1), form, mode)
                           if not exact.is_nan(b, form) else exact.encode("nan", form)), same(form))
            check.add(f"fma{text} %d, %a, %b, %c;", [bits] * 3, bits, triples, wrap(exact.fused), same(form))
            if bits >= 32 and ".sat" not in flags:
                one = exact.encode(exact.Fraction(1), form)
                check.add(f"div{text} %d, %a, %b;", [bits] * 2, bits, pairs, wrap(exact.divide), same(form))
                check.add(f"sqrt{text} %d, %a;", [bits], bits, ones, wrap(exact.square_root), same(form))
                check.add(f"rcp{text} %d, %a;", [bits], bits, ones,
                          wrap(lambda a, form, mode, one=one: exact.divide(one, a, form, mode)), same(form))


def order(bits, form):
    """A number that compares as the float does, -0 below +0."""
    value = exact.decode(bits, form)
    if value in (exact.INF, exact.MINUS_INF):
        return (math.inf if value == exact.INF else -math.inf, 0)
    return (exact.number(value), -1 if value == exact.MINUS_ZERO else 0)


def selections(form):
    bits, nan = exact.BITS[form], exact.FORMATS[form][2]
    sign = 1 << (bits - 1)
    pairs, ones = rows_of(form, 2), rows_of(form, 1)

    def select(choose, keeps, a, b):
        if exact.is_nan(a, form) or exact.is_nan(b, form):
            if keeps or (exact.is_nan(a, form) and exact.is_nan(b, form)):
                return nan
            return b if exact.is_nan(a, form) else a
        return choose((a, b), key=lambda one: order(one, form))
    for name, choose in (("min", min), ("max", max)):
        for suffix in ("", ".NaN") if form != "f64" else ("",):
            check.add(f"{name}{suffix}.{form} %d, %a, %b;", [bits] * 2, bits, pairs,
                      lambda a, b, f=choose, keeps=bool(suffix): select(f, keeps, a, b), same(form))
            if form != "f64":
                def signed(a, b, f=choose, keeps=bool(suffix)):
                    result = select(f, keeps, a & ~sign, b & ~sign)
                    return result if exact.is_nan(result, form) else result | (a ^ b) & sign
                check.add(f"{name}{suffix}.xorsign.abs.{form} %d, %a, %b;", [bits] * 2, bits, pairs, signed)
    check.add(f"abs.{form} %d, %a;", [bits], bits, ones, lambda a: a & ~sign)
    check.add(f"neg.{form} %d, %a;", [bits], bits, ones, lambda a: a ^ sign)
    if bits >= 32:
        check.add(f"copysign.{form} %d, %a, %b;", [bits] * 2, bits, pairs, lambda a, b: a & sign | b & ~sign)


def comparisons(form):
    bits = exact.BITS[form]
    pairs = rows_of(form, 2)
    relations = {"eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b,
                 "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b}
    for name in [*relations, *[one + "u" for one in relations], "num", "nan"]:
        def holds(a, b, name=name):
            unordered = exact.is_nan(a, form) or exact.is_nan(b, form)
            if name in ("num", "nan"):
                return 1 + (unordered == (name == "nan"))
            if unordered:
                return 1 + (len(name) == 3)
            return 1 + relations[name[:2]](order(a, form)[0], order(b, form)[0])
        check.add(f"setp.{name}.{form} %p, %a, %b;\n  selp.b32 %d, 2, 1, %p;", [bits] * 2, 32, pairs, holds)


def pairs_of_halves(form):
    """Two numbers in a word are as two alone."""
    rows = [[a[0] | b[0] << 16, a[1] | b[1] << 16] for a, b in zip(rows_of(form, 2), reversed(rows_of(form, 2)))]
    for op, function in (("fma.rn", lambda a, b: exact.fused(a, b, a, form, "rn")),):
        check.add(f"{op}.{form}x2 %d, %a, %b, %a;", [32, 32], 32, rows,
                  lambda a, b, f=function: f(a & 0xFFFF, b & 0xFFFF) | f(a >> 16, b >> 16) << 16)
    less = lambda a, b: not exact.is_nan(a, form) and not exact.is_nan(b, form) and order(a, form)[0] < order(b, form)[0]
    check.add(f"setp.lt.{form}x2 %p|%q, %a, %b;\n  selp.b32 %d, 1, 0, %p;\n  selp.b32 %t, 2, 0, %q;\n  or.b32 %d, %d, %t;",
              [32, 32], 32, rows, lambda a, b: less(a & 0xFFFF, b & 0xFFFF) | less(a >> 16, b >> 16) << 1)


def single(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def approximations():
    ones = rows_of("f32", 1, 4 * THREADS)
    functions = {"ex2": lambda x: 2.0 ** x, "lg2": math.log2, "sin": math.sin, "cos": math.cos, "tanh": math.tanh,
                 "rsqrt": lambda x: 1 / math.sqrt(x), "rcp": lambda x: 1 / x, "sqrt": math.sqrt}

    def close(got, want):
        a, b = single(got), single(want)
        return abs(a - b) <= 2.0 ** -22 * abs(b) + 2.0 ** -149
    for name, function in functions.items():
        def value(a, f=function):
            x = single(a)
            try:
                return struct.unpack("<I", struct.pack("<f", f(x)))[0] if math.isfinite(x) and abs(x) < 1e4 else None
            except (ValueError, OverflowError, ZeroDivisionError):
                return None  # the special values below
        check.add(f"{name}.approx.f32 %d, %a;", [32], 32, ones, value, close)
    inf, nan = 0x7F800000, 0x7FFFFFFF
    special = {"ex2": {inf: inf, inf | 1 << 31: 0, 0: 0x3F800000}, "lg2": {0: inf | 1 << 31, inf: inf, 0xBF800000: nan},
               "rsqrt": {0: inf, inf: 0, 0xBF800000: nan}, "rcp": {0: inf, 1 << 31: inf | 1 << 31, inf: 0},
               "tanh": {inf: 0x3F800000}, "sqrt": {0xBF800000: nan, inf: inf}}
    for name, table in special.items():
        rows = [[key] for key in table]
        rows += [rows[0]] * (THREADS - len(rows))
        check.add(f"{name}.approx.f32 %d, %a;", [32], 32, rows, lambda a, t=table: t[a])


for one in ("f32", "f64", "f16", "bf16"):
    arithmetic(one)
    selections(one)
    comparisons(one)
for one in ("f16", "bf16"):
    pairs_of_halves(one)
approximations()
check.run(floor=200000)
