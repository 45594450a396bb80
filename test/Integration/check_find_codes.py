# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of f32 by weights that the program makes of bytes, beside NumPy.

    check_find_codes.py LIBRARY FOLDER

Bytes with and without a sign are widened, less a zero, by a scale, in each form that FORMS names; columns are first
or last in memory. Each program is compiled for this machine and in one of four other ways, and called with 0, 1, odd
and many rows. The error of a sum is at most BOUND of the sum of |x||w|. A second reader of the numbers sees them to
the bit.
"""

import sys
from pathlib import Path

import numpy as np

from check_dequantize import BOUND, ROWS, Programs
from checking import Checks

#: The lines that make %n of a byte %q, a zero %z of the column and a scale %s of the column, and their types.
INTEGER = "%a = arith.{ext} %q : i8 to i32\n%b = arith.{ext} %z : i8 to i32\n%c = arith.subi %a, %b : i32\n%d = arith.sitofp %c : i32 to f32\n"
FLOAT = "%a = arith.{to} %q : i8 to f32\n%b = arith.{to} %z : i8 to f32\n%d = arith.subf %a, %b : f32\n"
PLAIN = "%d = arith.{to} %q : i8 to f32\n"
FIXED = "%a = arith.{ext} %q : i8 to i32\n%b = arith.constant 100 : i32\n%c = arith.subi %a, %b : i32\n%d = arith.sitofp %c : i32 to f32\n"
ANY = "%a = arith.{to} %q : i8 to f32\n%d = arith.subf %a, %z : f32\n"
NARROW = "%a = arith.subi %q, %z : i8\n%d = arith.{to} %a : i8 to f32\n"  # wraps: is no code
BY_SCALE, BY_HALF = "%n = arith.mulf %d, %s : f32\n", "%t = arith.extf %s : f16 to f32\n%n = arith.mulf %t, %d : f32\n"
BY_FIXED, BY_NONE = "%t = arith.constant 0.3 : f32\n%n = arith.mulf %d, %t : f32\n", "%o = arith.constant 1.0 : f32\n%n = arith.mulf %d, %o : f32\n"
FORMS = [(INTEGER, "i8", BY_SCALE, "f32"), (FLOAT, "i8", BY_HALF, "f16"), (PLAIN, None, BY_SCALE, "f32"), (FIXED, None, BY_SCALE, "f32"),
         (ANY, "f32", BY_SCALE, "f32"), (NARROW, "i8", BY_SCALE, "f32"), (INTEGER, "i8", BY_FIXED, None), (PLAIN, None, BY_NONE, None)]
#: Columns and terms.
SIZES = [(33, 48), (1, 17), (100, 1), (64, 100), (31, 1023)]
PROGRAMS, CALLS = 24, 160


def program_text(form, unsigned, columns, terms, are_last):
    make, zero, by, scale = form
    words = {"ext": "extui" if unsigned else "extsi", "to": "uitofp" if unsigned else "sitofp"}
    shape = f"{terms}x{columns}" if are_last else f"{columns}x{terms}"
    here, column = ("(m, n, k) -> (k, n)", 1) if are_last else ("(m, n, k) -> (n, k)", 0)
    names = [("q", "i8", "(i, j) -> (i, j)")] + [(name, kind, f"(i, j) -> ({'ij'[column]})")
                                               for name, kind in (("z", zero), ("s", scale)) if kind]
    types = {name: f"tensor<{shape if name == 'q' else columns}x{kind}>" for name, kind, _ in names}
    arguments = ", ".join(f'%{name}s: {types[name]} {{symshape.weight = "{name}"}}' for name, _, _ in names)
    rows, sums, numbers = f"tensor<?x{terms}xf32>", f"tensor<?x{columns}xf32>", f"tensor<{shape}xf32>"
    maps = ", ".join(f"affine_map<{m}>" for *_, m in [*names, (0, 0, "(i, j) -> (i, j)")])
    inputs = ", ".join(f"%{name}s" for name, _, _ in names)
    body = ", ".join(f"%{name}: {kind}" for name, kind, _ in names)
    return (f"func.func @main(%x: {rows}, {arguments}) -> ({sums}, {numbers}) {{\n"
            f"  %c0 = arith.constant 0 : index\n  %zero = arith.constant 0.0 : f32\n"
            f"  %u = tensor.empty() : {numbers}\n"
            f'  %w = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel"]}} '
            f"ins({inputs} : {', '.join(types.values())}) outs(%u : {numbers}) {{\n  ^bb0({body}, %out: f32):\n"
            f"{(make + by).format(**words)}linalg.yield %n : f32\n}} -> {numbers}\n"
            f"  %m = tensor.dim %x, %c0 : {rows}\n  %e = tensor.empty(%m) : {sums}\n"
            f"  %f = linalg.fill ins(%zero : f32) outs(%e : {sums}) -> {sums}\n"
            f"  %r = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<{here}>, "
            f"affine_map<(m, n, k) -> (m, n)>] ins(%x, %w : {rows}, {numbers}) outs(%f : {sums}) -> {sums}\n"
            f"  return %r, %w : {sums}, {numbers}\n}}\n")


def numbers_of(form, arrays, unsigned, are_last):
    """In f32, rounded as the lines round."""
    make, _, by, _ = form
    kind = np.uint8 if unsigned else np.int8
    along = (lambda x: x) if are_last else (lambda x: x[:, None])
    codes = arrays["q"].view(kind)
    if make == NARROW:
        steps = (codes - along(arrays["z"].view(kind))).astype(np.float32)
    elif make in (INTEGER, FLOAT):
        steps = (codes.astype(np.int32) - along(arrays["z"].view(kind))).astype(np.float32)
    elif make == ANY:
        steps = codes.astype(np.float32) - along(arrays["z"])
    else:
        steps = codes.astype(np.float32) - np.float32(100 if make == FIXED else 0)
    scale = {BY_FIXED: np.float32(0.3), BY_NONE: np.float32(1)}.get(by)
    return steps * (along(arrays["s"].astype(np.float32)) if scale is None else scale)


def main():
    folder = Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    checks = Checks()
    programs = Programs(checks, sys.argv[1], folder)
    for number, form in enumerate(FORMS):
        for unsigned, are_last in ((False, number % 2 == 1), (True, number // 2 % 2 == 1)):
            columns, terms = SIZES[(number + 2 * unsigned + are_last) % len(SIZES)]
            random = np.random.default_rng([number, unsigned, are_last])
            arrays = {"q": random.integers(-128, 128, (terms, columns) if are_last else (columns, terms)).astype(np.int8)}
            if form[1] == "i8":
                arrays["z"] = random.integers(-128, 128, columns).astype(np.int8)
            elif form[1]:
                arrays["z"] = (100 * random.standard_normal(columns)).astype(np.float32)
            if form[3]:
                arrays["s"] = random.standard_normal(columns).astype({"f32": np.float32, "f16": np.float16}[form[3]])
            numbers = numbers_of(form, arrays, unsigned, are_last)
            weight = numbers.astype(np.float64) if are_last else numbers.astype(np.float64).T
            text = program_text(form, unsigned, columns, terms, are_last)
            for program, what in programs.compile(text, arrays):
                for rows in ROWS:
                    x = random.standard_normal((rows, terms)).astype(np.float32)
                    programs.compare(what, program, [x], [x.astype(np.float64) @ weight, numbers.astype(np.float64)],
                                     [BOUND * (np.abs(x).astype(np.float64) @ np.abs(weight)), 0])
    print(f"{programs.compiled} programs, {programs.calls} calls; not run here: {sorted(programs.missing) or 'none'}")
    checks.that(programs.compiled >= PROGRAMS and programs.calls >= CALLS, "as many as there should be")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
