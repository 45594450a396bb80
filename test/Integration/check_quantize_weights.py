# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of f32 by weights that the precisions int8 and int4 keep in codes, beside NumPy.

    check_quantize_weights.py LIBRARY FOLDER

Codes of the oracle are those of the page: a scale for each 32 terms of a column, by which the number of the largest
magnitude becomes the code farthest from that of zero, and the nearest code, ties to even. Terms are none of 1, few,
blocks and parts of blocks; columns are first or last in memory, and open. Each program is compiled for this machine
and in one of four other ways, small ones for a GPU too, and called with 0, 1, odd and many rows. The error of a sum
is at most BOUND of the sum of |x||w|. A second reader of the weight sees its f32.
"""

import sys
from pathlib import Path

import numpy as np

from check_dequantize import BOUND, ROWS, Programs
from checking import Checks

BLOCK = 32
#: Columns, terms, whether columns are last in memory, whether their number is open.
WEIGHTS = [(33, 1, True, False), (1, 31, False, False), (64, 32, True, False), (31, 33, False, True), (100, 100, True, True),
           (16, 1024, False, False), (48, 200, False, False), (0, 64, False, True), (5, 128, True, False)]
PROGRAMS, CALLS = 30, 190
#: Weights with fewer elements are also tried on a GPU, or its simulator.
SIMULATED = 1500


def numbers_of(weight, bits):
    """What the codes of columns by terms stand for, in f64; NaN in all of a block that has one."""
    half, made = 2 ** (bits - 1), np.zeros(weight.shape)
    for column, terms in enumerate(weight):
        for start in range(0, len(terms), BLOCK):
            block = terms[start:start + BLOCK]
            if np.isnan(block).any():
                made[column, start:start + BLOCK] = np.nan
                continue
            far = block[np.abs(block).argmax()]
            if -far in block and far < 0:  # the positive one of two that are as large
                far = -far
            scale = np.float32(far) / np.float32(-half)
            with np.errstate(all="ignore"):
                steps = np.rint(block / scale) if scale else np.zeros_like(block)
                codes = np.where(np.isnan(steps), -half, steps.clip(-half, half - 1))
                made[column, start:start + BLOCK] = codes.astype(np.float64) * scale
    return made


def draw(random, columns, terms):
    """Normal numbers; here and there a block of zeros, two numbers as large, tiny ones, and half steps."""
    weight = random.standard_normal((columns, terms)).astype(np.float32)
    weight[1::7, :BLOCK] = 0
    weight[2::7] *= np.float32(2.0**-140)
    weight[3::7, :2] = [[3, -3]][:terms] if terms > 1 else 3
    weight[4::7, -2:] = [[-5, 5]] if terms > 1 else -5
    weight[5::7] = np.round(4 * weight[5::7]) / 2
    return weight


def program_text(columns, terms, are_last, is_open):
    columns = "?" if is_open else columns
    weight = f"tensor<{terms}x{columns}xf32>" if are_last else f"tensor<{columns}x{terms}xf32>"
    right = "(m, n, k) -> (k, n)" if are_last else "(m, n, k) -> (n, k)"
    rows, sums = f"tensor<?x{terms}xf32>", f"tensor<?x{columns}xf32>"
    extent = f"  %n = tensor.dim %w, %c{1 if are_last else 0} : {weight}\n" if is_open else ""
    return (f'func.func @main(%x: {rows}, %w: {weight} {{symshape.weight = "w"}}) -> ({sums}, {weight}) {{\n'
            f"  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %zero = arith.constant 0.0 : f32\n"
            f"  %m = tensor.dim %x, %c0 : {rows}\n{extent}  %e = tensor.empty(%m{', %n' if is_open else ''}) : {sums}\n"
            f"  %f = linalg.fill ins(%zero : f32) outs(%e : {sums}) -> {sums}\n"
            f"  %r = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<{right}>, "
            f"affine_map<(m, n, k) -> (m, n)>] ins(%x, %w : {rows}, {weight}) outs(%f : {sums}) -> {sums}\n"
            f"  %d = arith.addf %w, %w : {weight}\n  return %r, %d : {sums}, {weight}\n}}\n")


def check_products(programs, bits):
    for number, (columns, terms, are_last, is_open) in enumerate(WEIGHTS):
        random = np.random.default_rng([bits, number])
        weight = draw(random, columns, terms)
        numbers, given = numbers_of(weight, bits).T, weight.T.copy() if are_last else weight
        text = f'module attributes {{symshape.precision = "int{bits}"}} {{\n{program_text(columns, terms, are_last, is_open)}}}\n'
        more = [{"target": "nvvm"}] if weight.size < SIMULATED else []
        for program, what in programs.compile(text, {"w": given}, more):
            for rows in ROWS:
                x = random.standard_normal((rows, terms)).astype(np.float32)
                programs.compare(what, program, [x], [x.astype(np.float64) @ numbers, given.astype(np.float64) * 2],
                                 [BOUND * (np.abs(x).astype(np.float64) @ np.abs(numbers)) + 1e-44 * terms, 0])


def check_special(programs, bits):
    """A NaN, which sums are then too, and infinities: no sum of a block with one is finite."""
    random = np.random.default_rng(bits)
    weight = random.standard_normal((6, 96)).astype(np.float32)
    weight[0, 3], weight[1, 40], weight[2, 95] = np.nan, np.inf, -np.inf
    weight[3, 64:] = np.inf
    numbers = numbers_of(weight, bits).T
    text = f'module attributes {{symshape.precision = "int{bits}"}} {{\n{program_text(6, 96, False, False)}}}\n'
    for program, what in programs.compile(text, {"w": weight}):
        x = np.abs(random.standard_normal((3, 96))).astype(np.float32)
        programs.calls += 1
        result = program(x)[0]
        expected = x.astype(np.float64) @ numbers
        programs.checks.that(np.isnan(result[:, 0]).all() and not np.isfinite(result[:, 1:4]).any()
                             and np.allclose(result[:, 4:], expected[:, 4:], rtol=1e-5, atol=1e-5),
                             f"{what}: no numbers", f"  {result}\n  {expected}")


def main():
    folder = Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    checks = Checks()
    programs = Programs(checks, sys.argv[1], folder)
    for bits in (8, 4):
        check_products(programs, bits)
        check_special(programs, bits)
    print(f"{programs.compiled} programs, {programs.calls} calls; not run here: {sorted(programs.missing) or 'none'}")
    checks.that(programs.compiled >= PROGRAMS and programs.calls >= CALLS, "as many as there should be")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
