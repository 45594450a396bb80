# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Floats of four formats as exact numbers, and rounding in all directions.

A value is a Fraction, or one of the words "inf", "-inf", "nan", "-0". Bits go in and
out as integers. Nothing here is done in floating point.
"""

import math
from fractions import Fraction

NAN, INF, MINUS_INF, MINUS_ZERO = "nan", "inf", "-inf", "-0"
# Bits of the mantissa, of the exponent, and the NaN that arithmetic makes.
FORMATS = {
    "f16": (10, 5, 0x7FFF),
    "bf16": (7, 8, 0x7FFF),
    "f32": (23, 8, 0x7FFFFFFF),
    "f64": (52, 11, 0xFFF8000000000000),
}
BITS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}


def decode(bits, form):
    mantissa, exponent, _ = FORMATS[form]
    sign = bits >> (mantissa + exponent) & 1
    field, fraction = bits >> mantissa & (1 << exponent) - 1, bits & (1 << mantissa) - 1
    bias = (1 << (exponent - 1)) - 1
    if field == (1 << exponent) - 1:
        return NAN if fraction else (MINUS_INF if sign else INF)
    if field == 0 and fraction == 0:
        return MINUS_ZERO if sign else Fraction(0)
    scale = max(field, 1) - bias - mantissa
    size = fraction + ((1 << mantissa) if field else 0)
    value = Fraction(size) * Fraction(2) ** scale
    return -value if sign else value


def is_nan(bits, form):
    return decode(bits, form) == NAN


def round_integer(value, mode):
    """A Fraction to an integer; `mode` is rn, rz, rm, rp or rna."""
    floor = value.numerator // value.denominator
    rest = value - floor
    if mode == "rm" or rest == 0:
        return floor
    if mode == "rp":
        return floor + 1
    if mode == "rz":
        return floor if value > 0 else floor + 1
    half = Fraction(1, 2)
    if rest != half:
        return floor + (rest > half)
    if mode == "rna":
        return floor + 1 if value > 0 else floor
    return floor + floor % 2


def encode(value, form, mode="rn", zero_sign=0):
    """The bits of a value, rounded. A result of 0 that comes from numbers other than 0
    keeps their sign; `zero_sign` is that of an exact one."""
    mantissa, exponent, nan = FORMATS[form]
    bias, sign_bit = (1 << (exponent - 1)) - 1, 1 << (mantissa + exponent)
    infinity = (1 << exponent) - 1 << mantissa
    if value == NAN:
        return nan
    if value in (INF, MINUS_INF):
        return infinity | (sign_bit if value == MINUS_INF else 0)
    if value == MINUS_ZERO:
        return sign_bit
    if value == 0:
        return sign_bit if zero_sign else 0
    sign, size = value < 0, abs(value)
    power = size.numerator.bit_length() - size.denominator.bit_length()
    if Fraction(2) ** power > size:
        power -= 1
    power = max(power, 1 - bias)
    scale = Fraction(2) ** (power - mantissa)
    count = round_integer((-size if sign else size) / scale, mode)
    count = abs(count)
    if count >> (mantissa + 1):
        count >>= 1
        power += 1
    if power > bias:
        to_infinity = mode in ("rn", "rna") or mode == ("rm" if sign else "rp")
        bits = infinity if to_infinity else infinity - 1
    elif count >> mantissa:
        bits = (power + bias << mantissa) | count & (1 << mantissa) - 1
    else:
        bits = count
    return bits | (sign_bit if sign else 0)


def flush(bits, form):
    """A subnormal as the zero of its sign."""
    mantissa, exponent, _ = FORMATS[form]
    sign_bit = 1 << (mantissa + exponent)
    return bits & sign_bit if bits & ((1 << exponent) - 1 << mantissa) == 0 else bits


def is_negative(bits, form):
    return bool(bits >> (BITS[form] - 1))


def number(value):
    return Fraction(0) if value == MINUS_ZERO else value


def add(x, y, form, mode):
    a, b = decode(x, form), decode(y, form)
    if NAN in (a, b) or {a, b} == {INF, MINUS_INF}:
        return encode(NAN, form)
    for infinite in (INF, MINUS_INF):
        if infinite in (a, b):
            return encode(infinite, form)
    total = number(a) + number(b)
    if total == 0:  # x + -x is +0, but -0 downwards; two zeros of a sign keep it
        both = is_negative(x, form) and is_negative(y, form)
        same = is_negative(x, form) == is_negative(y, form)
        return encode(total, form, zero_sign=both if same else mode == "rm")
    return encode(total, form, mode)


def multiply_exact(x, y, form):
    """The exact product as a value, and its sign."""
    a, b = decode(x, form), decode(y, form)
    sign = is_negative(x, form) != is_negative(y, form)
    infinite, zeros = {INF, MINUS_INF}, (Fraction(0), MINUS_ZERO)
    if NAN in (a, b) or (a in infinite and b in zeros) or (b in infinite and a in zeros):
        return NAN, sign
    if a in infinite or b in infinite:
        return (MINUS_INF if sign else INF), sign
    return number(a) * number(b), sign


def multiply(x, y, form, mode):
    product, sign = multiply_exact(x, y, form)
    return encode(product, form, mode, zero_sign=sign)


def fused(x, y, z, form, mode):
    product, sign = multiply_exact(x, y, form)
    c = decode(z, form)
    if NAN in (product, c) or {product, c} == {INF, MINUS_INF}:
        return encode(NAN, form)
    for infinite in (INF, MINUS_INF):
        if infinite in (product, c):
            return encode(infinite, form)
    total = product + number(c)
    if total == 0:
        if product == 0 and c in (Fraction(0), MINUS_ZERO) and sign == is_negative(z, form):
            return encode(total, form, zero_sign=sign)
        return encode(total, form, zero_sign=mode == "rm")
    return encode(total, form, mode)


def divide(x, y, form, mode):
    a, b = decode(x, form), decode(y, form)
    sign = is_negative(x, form) != is_negative(y, form)
    infinite = (INF, MINUS_INF)
    if NAN in (a, b) or (a in infinite and b in infinite) or (number(a) == 0 and number(b) == 0):
        return encode(NAN, form)
    if a in infinite or number(b) == 0:
        return encode(MINUS_INF if sign else INF, form)
    if b in infinite:
        return encode(Fraction(0), form, zero_sign=sign)
    return encode(number(a) / number(b), form, mode, zero_sign=sign)


def square_root(x, form, mode):
    a = decode(x, form)
    if a in (Fraction(0), MINUS_ZERO):
        return x
    if a in (NAN, MINUS_INF) or (a != INF and a < 0):
        return encode(NAN, form)
    if a == INF:
        return x
    # Far more digits than any format has, and the rest as one digit more.
    power = a.numerator.bit_length() - a.denominator.bit_length()
    shift = 400 - power // 2 * 2
    scaled = a * Fraction(2) ** shift
    whole = scaled.numerator // scaled.denominator
    low = math.isqrt(whole)
    exact = Fraction(low * low) == scaled
    root = Fraction(2 * low + (0 if exact else 1), 2) / Fraction(2) ** (shift // 2)
    return encode(root, form, mode)
