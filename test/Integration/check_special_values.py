# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every op of math and arith on floats at all pairs of special values, beside the C library.

    check_special_values.py [TYPE...]

In f16, bf16, f32 and f64; in vectors (of 1, 7, 64 and all pairs), in scalar code, with one
operand that is a constant, and with constants alone, which are folded.
"""

import struct
import sys
import tempfile
from pathlib import Path

import numpy as np

import symrun
from checking import Checks
from special_values import ANY_ZERO, BINARY, TYPES, UNARY, agree, clamp, function_of_c

FLOOR = 100000  # comparisons
CONSTANTS = [0.0, -0.0, 1.0, -1.0, 2.0, 3.0, -2.0, 0.5, -0.5, 4.0, -3.0, 2.5, float("inf"), float("-inf"), float("nan")]
WHOLE = [0, 1, -1, 2, -2, 3, -3, 5, 16777217, -16777217, 2**31 - 1, -(2**31)]


def literal(type_, value):
    """Bits, which can write all values."""
    bits = type_.encode(np.array([value])).tobytes()
    number = int.from_bytes(bits, sys.byteorder)
    return f"0x{number:0{2 * len(bits)}X} : {type_.name}"


class Program:
    """A function that returns a tensor for each op; each op's body reads some of x, y, z (and n)."""

    def __init__(self, type_):
        self.type, self.lines, self.results, self.expected = type_, [], [], []

    def body(self, op, operands, name):
        """Lines that compute `op` of values %xf, %yf, %zf of the float type, or literals."""
        lines, names = [], []
        for i, operand in enumerate(operands):
            if isinstance(operand, str):
                names.append(operand)
            else:
                lines.append(f"%k{i} = arith.constant {literal(self.type, operand)}")
                names.append(f"%k{i}")
        kind = f"{self.type.name}, i32" if op == "math.fpowi" else self.type.name
        return lines + [f"{name} = {op} {', '.join(names)} : {kind}"]

    def unpack(self, value, name):
        if self.type.carrier == self.type.name:
            return [], value
        return [f"{name} = arith.bitcast {value} : {self.type.carrier} to {self.type.name}"], name

    def pack(self):
        if self.type.carrier == self.type.name:
            return [], "%r"
        return [f"%p = arith.bitcast %r : {self.type.name} to {self.type.carrier}"], "%p"

    def compute(self, op, operands, extract):
        """Lines from x, y, z, n to a value of the carrier."""
        lines, names = [], {}
        for name in dict.fromkeys(o for o in operands if isinstance(o, str)):
            if name == "n":
                names[name] = extract(name)
            else:
                more, names[name] = self.unpack(extract(name), f"%{name}f")
                lines += more
        lines += self.body(op, [names.get(o, o) if isinstance(o, str) else o for o in operands], "%r")
        more, result = self.pack()
        return lines + more, result

    def vector(self, op, operands):
        kind, k = self.type.carrier, len(self.results)
        lines, result = self.compute(op, operands, lambda name: f"%{name}e")
        body = "\n    ".join(lines)
        maps = ", ".join(["affine_map<(i) -> (i)>"] * 5)
        self.lines.append(f"""  %v{k} = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}}
      ins(%x, %y, %z, %n : tensor<?x{kind}>, tensor<?x{kind}>, tensor<?x{kind}>, tensor<?xi32>)
      outs(%e : tensor<?x{kind}>) {{
  ^bb0(%xe: {kind}, %ye: {kind}, %ze: {kind}, %ne: i32, %oe: {kind}):
    {body}
    linalg.yield {result} : {kind}
  }} -> tensor<?x{kind}>""")
        self.results.append(f"%v{k}")

    def scalar(self, op, operands):
        kind, k = self.type.carrier, len(self.results)
        lines, result = self.compute(op, operands, lambda name: f"%{name}e")
        names = dict.fromkeys(o for o in operands if isinstance(o, str))
        reads = [f"%{name}e = tensor.extract %{name}[%i] : tensor<?x{'i32' if name == 'n' else kind}>" for name in names]
        body = "\n    ".join(reads + lines)
        self.lines.append(f"""  %v{k} = scf.for %i = %c0 to %size step %c1 iter_args(%t = %e) -> tensor<?x{kind}> {{
    {body}
    %u = tensor.insert {result} into %t[%i] : tensor<?x{kind}>
    scf.yield %u : tensor<?x{kind}>
  }}""")
        self.results.append(f"%v{k}")

    def expect(self, op, exact):
        self.expected.append((op, exact))

    def text(self):
        kind, body = self.type.carrier, "\n".join(self.lines)
        types = ", ".join([f"tensor<?x{kind}>"] * len(self.results))
        return f"""func.func @main(%x: tensor<?x{kind}>, %y: tensor<?x{kind}>, %z: tensor<?x{kind}>, %n: tensor<?xi32>)
    -> ({types}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %size = tensor.dim %x, %c0 : tensor<?x{kind}>
  %e = tensor.empty(%size) : tensor<?x{kind}>
{body}
  return {', '.join(self.results)} : {types}
}}
"""


def cases(type_):
    """(op, operands, exact function of x, y, z, n)."""
    for op, exact in UNARY.items():
        yield op, ["x"], lambda x, y, z, n, f=exact: f(x)
    for op, exact in BINARY.items():
        yield op, ["x", "y"], lambda x, y, z, n, f=exact: f(x, y)
    yield "math.fpowi", ["x", "n"], lambda x, y, z, n: function_of_c("pow", 2)(x, n.astype(np.float64))
    if type_.name == "f64":
        yield "math.fma", ["x", "y", "z"], lambda x, y, z, n: function_of_c("fma", 3)(x, y, z)
    else:  # a product of two is exact in double
        yield "math.fma", ["x", "y", "z"], lambda x, y, z, n: x * y + z
    constants = CONSTANTS if type_.name in ("f32", "f64") else CONSTANTS[:10:3]
    for op in ("math.powf", "math.atan2", "arith.divf", "arith.remf", "arith.maximumf", "arith.mulf"):
        for value in constants if op == "math.powf" else constants[::4]:
            yield op, ["x", value], lambda x, y, z, n, f=BINARY[op], v=value: f(x, np.float64(v))
            if op != "arith.mulf":
                yield op, [value, "y"], lambda x, y, z, n, f=BINARY[op], v=value: f(np.float64(v), y)


def run_forms(checks, type_, folder, form):
    program = Program(type_)
    for op, operands, exact in cases(type_):
        if form == "scalar" and any(not isinstance(o, str) for o in operands) and op != "math.powf":
            continue
        getattr(program, form)(op, operands)
        program.expect(f"{op}({', '.join(map(str, operands))}) in {type_.name}, {form}", exact)
        program.op = op
    path = folder / f"{form}.mlir"
    path.write_text(program.text())
    specials = type_.specials()
    x, y = (a.ravel() for a in np.meshgrid(specials, specials))
    z = np.roll(x, 7)
    n = np.resize(np.array(WHOLE, np.int32), len(x))
    n = n[(np.arange(len(x)) // len(specials) + np.arange(len(x))) % len(x)]
    lengths = [len(x)] if form == "scalar" else [len(x), 1, 7, 64]
    run = symrun.run(path, [[a[:length] for a in (x, y, z, n)] for length in lengths], results=len(program.results))
    if not checks.ran(run, len(lengths), f"{type_.name} {form}"):
        return 0
    compared = 0
    numbers = [type_.decode(a) for a in (x, y, z)]
    for k, (what, exact) in enumerate(program.expected):
        with np.errstate(all="ignore"):
            values = np.asarray(exact(*numbers, n), np.float64)
        for results, length in zip(run.results, lengths):
            actual = type_.decode(results[k])
            right = agree(type_, actual, values[:length], what.split("(")[0] in ANY_ZERO)
            compared += length
            bad = np.flatnonzero(~right)
            checks.that(not len(bad), what, "" if not len(bad) else
                        "\n".join(f"  {len(bad)} of {length}: x = {numbers[0][i]!r}, y = {numbers[1][i]!r}, n = {n[i]}: "
                                  f"{actual[i]!r} instead of {values[i]!r}" for i in bad[:3]))
    return compared


def run_folded(checks, type_, folder):
    """Ops of constants alone."""
    lines, names, expected = [], [], []
    pairs = [(a, b) for a in CONSTANTS for b in CONSTANTS]
    for op, exact in [*BINARY.items(), *UNARY.items()]:
        some = pairs if op in BINARY else [(a,) for a in CONSTANTS]
        for operands in some if op in ("math.powf", "math.atan2") else some[::7 if op in BINARY else 1]:
            k = len(names)
            for i, value in enumerate(operands):
                lines.append(f"  %k{k}_{i} = arith.constant {literal(type_, value)}")
            arguments = ", ".join(f"%k{k}_{i}" for i in range(len(operands)))
            lines.append(f"  %r{k} = {op} {arguments} : {type_.name}")
            name = f"%r{k}"
            if type_.carrier != type_.name:
                lines.append(f"  %p{k} = arith.bitcast %r{k} : {type_.name} to {type_.carrier}")
                name = f"%p{k}"
            names.append(name)
            with np.errstate(all="ignore"):
                expected.append((op, operands, np.float64(exact(*map(np.float64, operands)))))
    kind = f"tensor<{len(names)}x{type_.carrier}>"
    text = "\n".join([f"func.func @main(%d: tensor<1xf32>) -> {kind} {{", *lines, f"  %t = tensor.from_elements {', '.join(names)} : {kind}",
                      f"  return %t : {kind}", "}"])
    path = folder / "folded.mlir"
    path.write_text(text + "\n")
    run = symrun.run(path, [[np.zeros(1, np.float32)]], results=1)
    if not checks.ran(run, 1, f"{type_.name} folded"):
        return 0
    actual = type_.decode(run.results[0][0])
    values = np.array([value for _, _, value in expected])
    any_zero = np.array([op in ANY_ZERO for op, _, _ in expected])
    right = np.where(any_zero, agree(type_, actual, values, True), agree(type_, actual, values))
    for i in np.flatnonzero(~right):
        op, operands, value = expected[i]
        checks.that(False, f"{op}{operands} in {type_.name}, folded", f"  {actual[i]!r} instead of {value!r}")
    checks.that(True, "folded")
    return len(expected)


def main():
    checks, compared = Checks(), 0
    wanted = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="special-values") as name:
        for type_ in TYPES:
            if wanted and type_.name not in wanted:
                continue
            for form in ("vector", "scalar"):
                compared += run_forms(checks, type_, Path(name), form)
            compared += run_folded(checks, type_, Path(name))
    print(f"{compared} results compared")
    if not wanted:
        checks.that(compared >= FLOOR, f"at least {FLOOR} results")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
