# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cvt between all types, in every rounding, against exact rational arithmetic."""

import random
import sys

import exact
from lanes import Check, THREADS

check = Check(sys.argv[1])
INTEGERS = [kind + str(bits) for kind in "us" for bits in (8, 16, 32, 64)]
FLOATS = ["f16", "bf16", "f32", "f64"]
INTEGER_ROUNDINGS = {"rni": "rn", "rzi": "rz", "rmi": "rm", "rpi": "rp"}


def bits_of(name):
    return exact.BITS[name] if name in FLOATS else int(name[1:])


def register(name):
    """PTX has no registers of 8 bits."""
    return max(16, bits_of(name))


def range_of(name):
    bits = bits_of(name)
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if name[0] == "s" else (0, (1 << bits) - 1)


def sources(name):
    bits, draw = bits_of(name), random.Random(name)
    if name in FLOATS:
        mantissa = exact.FORMATS[name][0]
        values = [exact.encode(exact.Fraction(n, d), name) for n in (0, 1, 3, 5, 7, 9, 255, 257, 511, 65503, 65519, 65520, 65521)
                  for d in (1, 2, 4)]
        values += [exact.encode(exact.Fraction(2) ** p + o, name) for p in (7, 8, 15, 16, 31, 32, 63, 64) for o in (-1, 0, 1)]
        values += [exact.encode(exact.Fraction(2) ** -p * o, name) for p in (14, 24, 25, 126, 133, 149, 150) for o in (1, 3)]
        values += [0, 1, (1 << mantissa) - 1, 1 << mantissa, exact.encode("inf", name), exact.FORMATS[name][2]]
        values += [0x3F800000 | n << 12 for n in range(16)] if name == "f32" else []
        values += [value | 1 << bits - 1 for value in values]
    else:
        values = [0, 1, 2, 127, 128, 255, 256, 2048, 2049, 4097, 4098, 65504, 65520] + [(1 << p) + o for p in range(7, bits) for o in (-1, 0, 1)]
        values += [(0x81 << p) + o for p in range(0, bits, 5) for o in (0, 1)] + [-value for value in values]
        values = [value & (1 << bits) - 1 for value in values]
    values += [draw.getrandbits(bits) for _ in range(64)]
    values = values[:2 * THREADS]
    garbage = 0xAB00 if bits == 8 else 0  # above the type, in its register
    rows = [[value | garbage] for value in values]
    return rows + [rows[0]] * (-len(rows) % THREADS)


def read(bits, name):
    """An exact value."""
    if name in FLOATS:
        return exact.decode(bits, name)
    bits &= (1 << bits_of(name)) - 1
    return exact.Fraction(bits - (1 << bits_of(name)) if name[0] == "s" and bits >> bits_of(name) - 1 else bits)


def to_integer(value, name, mode, source):
    low, high = range_of(name)
    bits = bits_of(name)
    if value == exact.NAN:
        result = 1 << bits - 1 if bits == 64 or source == "f64" else 0
        return result - (1 << bits) if name[0] == "s" and result >> bits - 1 else result
    if value in (exact.INF, exact.MINUS_INF):
        return high if value == exact.INF else low
    return max(low, min(high, exact.round_integer(exact.number(value), mode)))


def add(text, target, source, function):
    mask = (1 << register(target)) - 1
    check.add(f"cvt{text}.{target}.{source} %d, %a;", [register(source)], register(target), sources(source),
              lambda a: function(a) & mask)


for target in INTEGERS:
    for source in INTEGERS:
        low, high = range_of(target)
        def wrap(a, s=source, t=target):
            bits = bits_of(t)
            value = int(read(a, s)) & (1 << bits) - 1
            return value - (1 << bits) if t[0] == "s" and value >> bits - 1 else value
        add("", target, source, wrap)
        if range_of(source)[0] < low or range_of(source)[1] > high:
            add(".sat", target, source, lambda a, s=source, low=low, high=high: max(low, min(high, int(read(a, s)))))
    for source in FLOATS:
        if source == "bf16" and bits_of(target) == 8:
            continue
        for suffix, mode in INTEGER_ROUNDINGS.items():
            add("." + suffix, target, source,
                lambda a, s=source, t=target, m=mode: to_integer(read(a, s), t, m, s))

for target in FLOATS:
    for source in INTEGERS:
        if target == "bf16" and bits_of(source) == 8:
            continue
        for mode in ("rn", "rz", "rm", "rp"):
            add("." + mode, target, source, lambda a, s=source, t=target, m=mode: exact.encode(read(a, s), t, m))
    for source in FLOATS:
        if target == source:
            for suffix, mode in INTEGER_ROUNDINGS.items():
                def whole(a, t=target, m=mode):
                    value = exact.decode(a, t)
                    if value in (exact.NAN, exact.INF, exact.MINUS_INF, exact.MINUS_ZERO):
                        return None if value == exact.NAN and t == "f64" else exact.encode(value, t)
                    return exact.encode(exact.Fraction(exact.round_integer(value, m)), t, zero_sign=value < 0)
                check.add(f"cvt.{suffix}.{target}.{source} %d, %a;", [bits_of(source)], bits_of(target), sources(source), whole)
        narrowing = bits_of(target) < bits_of(source)
        if target == source or (bits_of(target) == bits_of(source)):
            continue
        for mode in ("rn", "rz", "rm", "rp") if narrowing else ("",):
            def convert(a, t=target, s=source, m=mode or "rn"):
                value = exact.decode(a, s)
                return None if value == exact.NAN and t == "f64" else exact.encode(value, t, m)
            check.add(f"cvt{'.' + mode if mode else ''}.{target}.{source} %d, %a;", [bits_of(source)], bits_of(target),
                      sources(source), convert)

for form in ("f16", "bf16"):
    for mode in ("rn", "rz"):
        check.add(f"neg.f32 %t, %a;\n  cvt.{mode}.{form}x2.f32 %d, %a, %t;", [32], 32, sources("f32"),
                  lambda a, f=form, m=mode: exact.encode(exact.decode(a, "f32"), f, m) << 16
                  | exact.encode(exact.decode(a ^ 1 << 31, "f32"), f, m))
    def positive(a, f=form):
        value = exact.decode(a, "f32")
        return 0 if value not in (exact.NAN, exact.INF) and (value in (exact.MINUS_INF, exact.MINUS_ZERO) or value <= 0) \
            else exact.encode(value, f)
    check.add(f"cvt.rn.relu.{form}.f32 %d, %a;", [32], 16, sources("f32"), positive)


def tf32(a):
    value = exact.decode(a, "f32")
    if value in (exact.NAN, exact.INF, exact.MINUS_INF, exact.MINUS_ZERO) or a & 0x7F800000 == 0:
        return None if value != exact.MINUS_ZERO and a & 0x7F800000 == 0 else exact.encode(value, "f32")
    scale = exact.Fraction(2) ** ((a >> 23 & 255) - 127 - 10)
    return exact.encode(exact.round_integer(value / scale, "rna") * scale, "f32")


check.add("cvt.rna.tf32.f32 %d, %a;", [32], 32, sources("f32"), tf32)
# A result is extended to a wider register.
check.add("cvt.s8.s32 %d, %a;", [32], 32, sources("s32"), lambda a: int(read(a, "s8")) & 0xFFFFFFFF)
check.add("cvt.u8.s32 %d, %a;", [32], 64, sources("s32"), lambda a: a & 0xFF)
check.run(floor=60000)
