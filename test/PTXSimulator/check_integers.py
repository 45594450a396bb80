# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arithmetic, logic and comparisons of integers, against integers of Python."""

import sys

from lanes import Check, operands

check = Check(sys.argv[1])


def signed(value, bits):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def reader(kind, bits):
    """Bits to the number that they are, and back."""
    mask = (1 << bits) - 1
    read = (lambda x: signed(x, bits)) if kind == "s" else (lambda x: x & mask)
    return read, mask


def divide(a, b):  # toward zero
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def arithmetic(kind, bits):
    read, mask = reader(kind, bits)
    pairs, triples = operands(bits, 2, bits), operands(bits, 3, bits)
    ones = operands(bits, 1, bits)

    def binary(op, function):
        check.add(f"{op}.{kind}{bits} %d, %a, %b;", [bits, bits], bits, pairs,
                  lambda a, b: function(read(a), read(b)) & mask)

    binary("add", lambda a, b: a + b)
    binary("sub", lambda a, b: a - b)
    binary("mul.lo", lambda a, b: a * b)
    binary("mul.hi", lambda a, b: a * b >> bits)
    binary("min", min)
    binary("max", max)
    nonzero = [row for row in pairs if row[1]]
    nonzero = nonzero[:len(nonzero) // 256 * 256]
    check.add(f"div.{kind}{bits} %d, %a, %b;", [bits, bits], bits, nonzero,
              lambda a, b: divide(read(a), read(b)) & mask)
    check.add(f"rem.{kind}{bits} %d, %a, %b;", [bits, bits], bits, nonzero,
              lambda a, b: (read(a) - read(b) * divide(read(a), read(b))) & mask)
    for op, function in [("mad.lo", lambda a, b, c: a * b + c),
                         ("mad.hi", lambda a, b, c: (a * b >> bits) + c),
                         ("sad", lambda a, b, c: abs(a - b) + c)]:
        check.add(f"{op}.{kind}{bits} %d, %a, %b, %c;", [bits] * 3, bits, triples,
                  lambda a, b, c, f=function: f(read(a), read(b), read(c)) & mask)
    if kind == "s":
        check.add(f"abs.s{bits} %d, %a;", [bits], bits, ones, lambda a: abs(read(a)) & mask)
        check.add(f"neg.s{bits} %d, %a;", [bits], bits, ones, lambda a: -read(a) & mask)
    if bits < 64:
        wide = (1 << 2 * bits) - 1
        check.add(f"mul.wide.{kind}{bits} %d, %a, %b;", [bits, bits], 2 * bits, pairs,
                  lambda a, b: read(a) * read(b) & wide)
        mixed = [[a, b, c] for (a, b), (c,) in zip(pairs, operands(2 * bits, 1, 5) * 9)]
        mixed = mixed[:len(mixed) // 256 * 256]
        check.add(f"mad.wide.{kind}{bits} %d, %a, %b, %c;", [bits, bits, 2 * bits], 2 * bits, mixed,
                  lambda a, b, c: read(a) * read(b) + c & wide)


def comparisons(kind, bits):
    read, _ = reader(kind, bits)
    pairs = operands(bits, 2, bits + 1)
    relations = {"eq": lambda a, b: a == b, "ne": lambda a, b: a != b}
    if kind != "b":
        relations |= {"lt": lambda a, b: a < b, "le": lambda a, b: a <= b, "gt": lambda a, b: a > b,
                      "ge": lambda a, b: a >= b}
    if kind == "u":
        relations |= {"lo": relations["lt"], "ls": relations["le"], "hi": relations["gt"], "hs": relations["ge"]}
    for name, relation in relations.items():
        check.add(f"setp.{name}.{kind}{bits} %p, %a, %b;\n  selp.b32 %d, 7, 9, %p;", [bits, bits], 32, pairs,
                  lambda a, b, f=relation: 7 if f(read(a), read(b)) else 9)
    # With a third operand and the opposite.
    for how, combine in [("and", lambda x, y: x and y), ("or", lambda x, y: x or y), ("xor", lambda x, y: x != y)]:
        check.add(f"setp.ne.b{bits} %p, %b, 0;\n  setp.eq.{how}.{kind}{bits} %p|%q, %a, %b, !%p;\n"
                  "  selp.b32 %d, 1, 0, %p;\n  selp.b32 %t, 2, 0, %q;\n  or.b32 %d, %d, %t;", [bits, bits], 32, pairs,
                  lambda a, b, f=combine: f(a == b, b == 0) | f(a != b, b == 0) << 1)


def logic(bits):
    mask = (1 << bits) - 1
    pairs, ones = operands(bits, 2, 3), operands(bits, 1, 3)
    for op, function in [("and", lambda a, b: a & b), ("or", lambda a, b: a | b), ("xor", lambda a, b: a ^ b)]:
        check.add(f"{op}.b{bits} %d, %a, %b;", [bits, bits], bits, pairs, function)
    check.add(f"not.b{bits} %d, %a;", [bits], bits, ones, lambda a: ~a & mask)
    check.add(f"cnot.b{bits} %d, %a;", [bits], bits, ones, lambda a: int(a == 0))
    shifts = [[a, b] for (a, _), (b, _) in zip(pairs, operands(32, 2, 4, [0, 1, 5, 15, 16, 31, 32, 63, 64, 255, 1 << 31]))]
    shifts = shifts[:len(shifts) // 256 * 256]
    check.add(f"shl.b{bits} %d, %a, %b;", [bits, 32], bits, shifts, lambda a, b: a << min(b, 64) & mask)
    for kind in "us":
        check.add(f"shr.{kind}{bits} %d, %a, %b;", [bits, 32], bits, shifts,
                  lambda a, b, k=kind: ((signed(a, bits) if k == "s" else a) >> min(b, 64)) & mask)


def counts(bits):
    mask = (1 << bits) - 1
    ones = operands(bits, 1, 6)
    check.add(f"popc.b{bits} %d, %a;", [bits], 32, ones, lambda a: bin(a).count("1"))
    check.add(f"clz.b{bits} %d, %a;", [bits], 32, ones, lambda a: bits - a.bit_length())
    check.add(f"brev.b{bits} %d, %a;", [bits], bits, ones, lambda a: int(f"{a:0{bits}b}"[::-1], 2))
    for kind in "us":
        def top(a, k=kind):
            value = signed(a, bits) if k == "s" else a
            return (value if value >= 0 else ~value).bit_length() - 1
        check.add(f"bfind.{kind}{bits} %d, %a;", [bits], 32, ones, lambda a, f=top: f(a) & 0xFFFFFFFF)
        check.add(f"bfind.shiftamt.{kind}{bits} %d, %a;", [bits], 32, ones,
                  lambda a, f=top: bits - 1 - f(a) if f(a) >= 0 else 0xFFFFFFFF)
    places = [0, 1, 7, 8, 30, 31, 32, 33, 63, 64, 255]
    for place in places:
        for length in places:
            def extract(a, k, place=place, length=length):
                if length == 0:
                    return 0
                value = signed(a, bits)
                sign = value >> min(place + length - 1, bits - 1) & 1
                filled = a if k == "u" or not sign else a | ~mask
                field = filled >> min(place, bits) & (1 << length) - 1
                if k == "s" and sign:
                    field |= -1 << length
                    if place >= bits:
                        field = -1
                return field & mask
            if place % 3 == 0 or length % 3 == 0:
                continue  # every other one is enough
            for kind in "us":
                check.add(f"bfe.{kind}{bits} %d, %a, {place}, {length};", [bits], bits, ones[:256],
                          lambda a, f=extract, k=kind: f(a, k))
            def insert(a, b, place=place, length=length):
                field = ((1 << length) - 1 << place) & mask
                return b & ~field | a << place & field
            check.add(f"bfi.b{bits} %d, %a, %b, {place}, {length};", [bits, bits], bits, operands(bits, 2, 8)[:256], insert)


def carries(bits):
    mask = (1 << bits) - 1
    pairs = operands(bits, 2, 9)
    check.add(f"add.cc.u{bits} %d, %a, %b;\n  addc.u{bits} %d, %a, 0;", [bits, bits], bits, pairs,
              lambda a, b: a + (a + b >> bits) & mask)
    check.add(f"sub.cc.u{bits} %d, %a, %b;\n  subc.cc.u{bits} %d, %b, %a;\n  subc.u{bits} %d, %d, 0;",
              [bits, bits], bits, pairs,
              lambda a, b: b - a - (a < b) - (b - a - (a < b) < 0) & mask)
    check.add(f"mad.lo.cc.u{bits} %d, %a, %b, %c;\n  madc.hi.u{bits} %d, %a, %b, 0;", [bits] * 3, bits,
              operands(bits, 3, 10), lambda a, b, c: (a * b + c >> bits) & mask)


def words():
    triples, pairs = operands(32, 3, 11), operands(32, 2, 12)
    for table in (0x80, 0xFE, 0x96, 0xE8, 0x1B, 0):
        def lop(a, b, c, table=table):
            return sum((table >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | c >> i & 1) & 1) << i for i in range(32))
        check.add(f"lop3.b32 %d, %a, %b, %c, {table};", [32] * 3, 32, triples[:512], lop)
    for mode, limit in (("wrap", lambda n: n & 31), ("clamp", lambda n: min(n, 32))):
        check.add(f"shf.l.{mode}.b32 %d, %a, %b, %c;", [32] * 3, 32, triples,
                  lambda a, b, c, f=limit: ((b << 32 | a) << f(c) >> 32) & 0xFFFFFFFF)
        check.add(f"shf.r.{mode}.b32 %d, %a, %b, %c;", [32] * 3, 32, triples,
                  lambda a, b, c, f=limit: (b << 32 | a) >> f(c) & 0xFFFFFFFF)

    def permute(a, b, c):
        pool = [(b << 32 | a) >> 8 * i & 255 for i in range(8)]
        picks = [c >> 4 * i & 15 for i in range(4)]
        return sum((255 * (pool[p & 7] >> 7) if p & 8 else pool[p & 7]) << 8 * i for i, p in enumerate(picks))
    check.add("prmt.b32 %d, %a, %b, %c;", [32] * 3, 32, triples, permute)
    modes = {"f4e": [0x3210, 0x4321, 0x5432, 0x6543], "b4e": [0x5670, 0x6701, 0x7012, 0x0123],
             "rc8": [0, 0x1111, 0x2222, 0x3333], "ecl": [0x3210, 0x3211, 0x3222, 0x3333],
             "ecr": [0, 0x1110, 0x2210, 0x3210], "rc16": [0x1010, 0x3232] * 2}
    for mode, selectors in modes.items():
        check.add(f"prmt.b32.{mode} %d, %a, %b, %c;", [32] * 3, 32, triples[:512],
                  lambda a, b, c, s=selectors: permute(a, b, s[c & 3]))
    for name, first, second in (("u32.u32", 0, 0), ("u32.s32", 0, 1), ("s32.u32", 1, 0), ("s32.s32", 1, 1)):
        def dot(a, b, c, first=first, second=second):
            read = lambda x, s, i: signed(x >> i, 8) if s else x >> i & 255
            return c + sum(read(a, first, i) * read(b, second, i) for i in (0, 8, 16, 24)) & 0xFFFFFFFF
        check.add(f"dp4a.{name} %d, %a, %b, %c;", [32] * 3, 32, triples, dot)
    for sign, name in ((1, "add"), (-1, "sub")):
        check.add(f"{name}.sat.s32 %d, %a, %b;", [32, 32], 32, pairs,
                  lambda a, b, s=sign: max(-2**31, min(2**31 - 1, signed(a, 32) + s * signed(b, 32))) & 0xFFFFFFFF)
    for kind in "us":
        def low(x, k=kind):
            return signed(x, 24) if k == "s" else x & 0xFFFFFF
        check.add(f"mul24.lo.{kind}32 %d, %a, %b;", [32, 32], 32, pairs, lambda a, b, f=low: f(a) * f(b) & 0xFFFFFFFF)
        check.add(f"mul24.hi.{kind}32 %d, %a, %b;", [32, 32], 32, pairs, lambda a, b, f=low: (f(a) * f(b) >> 16) & 0xFFFFFFFF)
    check.add("mov.b32 {%h, %g}, %a;\n  mov.b32 %d, {%g, %h};", [32], 32, operands(32, 1, 13),
              lambda a: (a << 16 | a >> 16) & 0xFFFFFFFF)
    check.add("mov.b64 {%t, %u}, %a;\n  mov.b64 %d, {%u, %t};", [64], 64, operands(64, 1, 14),
              lambda a: (a << 32 | a >> 32) & (1 << 64) - 1)


for width in (16, 32, 64):
    for sign in "us":
        arithmetic(sign, width)
        comparisons(sign, width)
    comparisons("b", width)
    logic(width)
for width in (32, 64):
    counts(width)
    carries(width)
words()
check.run(floor=150000)
