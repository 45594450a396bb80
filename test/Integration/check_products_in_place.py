# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of a few rows with an operand whose terms are neighbours, which is read in place, beside NumPy.

    check_products_in_place.py LIBRARY FOLDER

A program for each element type, and one of two products in a loop over blocks of rows, with all extents open, is
compiled for CPUs with vectors of 64, 32 and 16 bytes, on one thread or two, and called with 0, 1, odd and so many rows
that the operand is packed instead. Extents of sums and columns are 0, 1, odd, whole vectors, and several blocks. CPUs
whose code this machine cannot run are left out. Sums of integers are exact modulo 2^32; those of floats have the error
of blocks that are formed one after the other.
"""

import itertools
import sys
from pathlib import Path

import numpy as np
import symshape_c

from checking import Checks, turn

CPUS = [None, "x86-64-v4", "x86-64-v3", "x86-64-v2"]
#: Elements of both operands, the type of the sums, and whether rows are in batches.
TYPES = [("f32", "f32", "f32"), ("f64", "f64", "f64"), ("f16", "f16", "f32"), ("bf16", "bf16", "f32"),
         ("i8", "i8", "i32"), ("ui8", "i8", "i32"), ("i32", "i32", "i32")]
ROWS = [0, 1, 2, 3, 4, 5, 6, 7, 13, 32, 33]
COLUMNS = [1, 0, 3, 4, 5, 31, 64, 70]
TERMS = [0, 1, 8, 9, 16, 31, 64, 65, 130, 264, 1100, 3000]
CALLS, PROGRAMS, LEAST_IN_PLACE = 60, 20, 400
#: What a row must have for it to be read in place, and the most rows.
LEAST_TERMS, MOST_ROWS = 8, 32
EPSILON = {"f32": 2.0**-24, "f64": 2.0**-53, "i32": 0}


def widen(name, element, total):
    if element == total:
        return f"    %{name}w = arith.addi %{name}, %zero : {total}\n" if total[0] == "i" else ""
    op = "extf" if total[0] == "f" else "extui" if element[0] == "u" else "extsi"
    return f"    %{name}w = arith.{op} %{name} : {element.lstrip('u')} to {total}\n"


def program_text(left, right, total, is_batched, is_fused):
    """(batches of) rows and rows of terms to sums; with `is_fused` a number for each column is added to them."""
    dims, b = ("b, m, n, k", "?x") if is_batched else ("m, n, k", "")
    lead = "b, " if is_batched else ""
    first, second, result = (f"tensor<{b}?x?x{x.lstrip('u')}>" for x in (left, right, total))
    kinds = '"parallel", ' * (dims.count(",")) + '"reduction"'
    product = "arith.mulf" if total[0] == "f" else "arith.muli"
    sum_ = "arith.addf" if total[0] == "f" else "arith.addi"
    zero = "0.0" if total[0] == "f" else "0"
    names = ["%xw" if widen("x", left, total) else "%x", "%yw" if widen("y", right, total) else "%y"]
    rank = 3 if is_batched else 2
    given, (a, b) = [first, second], ("a", "b")
    if left == "bf16":  # which NumPy has not got
        given, (a, b) = [x.replace("bf16", "f32") for x in given], ("ah", "bh")
    text = f"func.func @main(%a: {given[0]}, %b: {given[1]}, %c: tensor<?x{total}>) -> {result} {{\n"
    text += f"  %zero = arith.constant {zero} : {total}\n"
    if left == "bf16":
        text += "".join(f"  %{x}h = arith.truncf %{x} : {y} to {z}\n" for x, y, z in zip("ab", given, (first, second)))
    extents = []
    for place, (source, at, type_) in enumerate([(a, 0, first), (a, rank - 2, first), (b, rank - 2, second)][3 - rank:]):
        text += (f"  %i{place} = arith.constant {at} : index\n"
                 f"  %d{place} = tensor.dim %{source}, %i{place} : {type_}\n")
        extents.append(f"%d{place}")
    maps = [f"affine_map<({dims}) -> ({lead}{x})>" for x in ("m, k", "n, k", "m, n")]
    text += (f"  %e = tensor.empty({', '.join(extents)}) : {result}\n"
             f"  %f = linalg.fill ins(%zero : {total}) outs(%e : {result}) -> {result}\n"
             f"  %r = linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{kinds}]}}\n"
             f"      ins(%{a}, %{b} : {first}, {second}) outs(%f : {result}) {{\n"
             f"  ^bb0(%x: {left.lstrip('u')}, %y: {right.lstrip('u')}, %o: {total}):\n"
             f"{widen('x', left, total)}{widen('y', right, total)}"
             f"    %p = {product} {names[0]}, {names[1]} : {total}\n    %s = {sum_} %o, %p : {total}\n"
             f"    linalg.yield %s : {total}\n  }} -> {result}\n")
    if not is_fused:
        return text + f"  return %r : {result}\n}}\n"
    outer = dims.rsplit(",", 1)[0]
    kinds = ", ".join(['"parallel"'] * rank)
    return text + (f"  %t = linalg.generic {{indexing_maps = [affine_map<({outer}) -> ({outer})>, "
                   f"affine_map<({outer}) -> (n)>, affine_map<({outer}) -> ({outer})>], iterator_types = [{kinds}]}}\n"
                   f"      ins(%r, %c : {result}, tensor<?x{total}>) outs(%e : {result}) {{\n"
                   f"  ^bb0(%x: {total}, %y: {total}, %o: {total}):\n    %s = {sum_} %x, %y : {total}\n"
                   f"    linalg.yield %s : {total}\n  }} -> {result}\n  return %t : {result}\n}}\n")


def blocks_text(total):
    """Rows by rows of terms, less the sum of each row, by rows of terms again: both products in one loop over rows."""
    matrix = f"tensor<?x?x{total}>"
    text = f"func.func @main(%a: {matrix}, %b: {matrix}, %c: {matrix}) -> {matrix} {{\n"
    text += (f"  %zero = arith.constant 0.0 : {total}\n  %i = arith.constant 0 : index\n"
             + "".join(f"  %d{x} = tensor.dim %{x}, %i : {matrix}\n" for x in "abc")
             + f"  %es = tensor.empty(%da) : tensor<?x{total}>\n"
             f"  %fs = linalg.fill ins(%zero : {total}) outs(%es : tensor<?x{total}>) -> tensor<?x{total}>\n")
    for left, right, made in (("a", "b", "r"), ("t", "c", "u")):
        text += (f"  %e{made} = tensor.empty(%da, %d{right}) : {matrix}\n"
                 f"  %f{made} = linalg.fill ins(%zero : {total}) outs(%e{made} : {matrix}) -> {matrix}\n"
                 f"  %{made} = linalg.generic {{indexing_maps = [affine_map<(m, n, k) -> (m, k)>, "
                 f"affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], "
                 f'iterator_types = ["parallel", "parallel", "reduction"]}}\n'
                 f"      ins(%{left}, %{right} : {matrix}, {matrix}) outs(%f{made} : {matrix}) {{\n"
                 f"  ^bb0(%x: {total}, %y: {total}, %o: {total}):\n    %p = arith.mulf %x, %y : {total}\n"
                 f"    %s = arith.addf %o, %p : {total}\n    linalg.yield %s : {total}\n  }} -> {matrix}\n")
        if made == "r":
            text += (f"  %sums = linalg.generic {{indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>], "
                     f'iterator_types = ["parallel", "reduction"]}}\n'
                     f"      ins(%r : {matrix}) outs(%fs : tensor<?x{total}>) {{\n  ^bb0(%x: {total}, %o: {total}):\n"
                     f"    %p = arith.addf %x, %o : {total}\n    linalg.yield %p : {total}\n  }} -> tensor<?x{total}>\n"
                     f"  %t = linalg.generic {{indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, "
                     f'affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}}\n'
                     f"      ins(%r, %sums : {matrix}, tensor<?x{total}>) outs(%er : {matrix}) {{\n"
                     f"  ^bb0(%x: {total}, %y: {total}, %o: {total}):\n    %p = arith.subf %x, %y : {total}\n"
                     f"    linalg.yield %p : {total}\n  }} -> {matrix}\n")
    return text + f"  return %u : {matrix}\n}}\n"


def draw(random, element, shape):
    """The array of a call, and its numbers."""
    if element in ("i8", "ui8"):
        array = random.integers(-128, 128, shape).astype(np.int8)
        return array, (array.view(np.uint8) if element == "ui8" else array).astype(np.int64)
    if element == "i32":
        array = random.integers(-2**31, 2**31, shape).astype(np.int32)
        return array, array.astype(np.int64)
    array = (random.standard_normal(shape) * 2.0**random.integers(-3, 4, shape))
    if element == "bf16":
        array = (array.astype(np.float32).view(np.uint32) & 0xFFFF0000).view(np.float32)
        return array, array.astype(np.float64)
    array = array.astype({"f16": np.float16, "f32": np.float32, "f64": np.float64}[element])
    return array, array.astype(np.float64)


def expect(left, right, column, total):
    """Exact sums, and how far from them a result may be."""
    sums = np.einsum("...mk,...nk->...mn", left, right)
    if total == "i32":
        return ((sums + column).astype(np.int64) & 0xFFFFFFFF).astype(np.uint32).view(np.int32), 0
    sizes = np.einsum("...mk,...nk->...mn", np.abs(left), np.abs(right)) + np.abs(column)
    terms = left.shape[-1]
    return sums + column, sizes * EPSILON[total] * (min(terms, 200) + terms / 64 + 3)


class Programs:
    def __init__(self, checks, library, folder):
        self.checks, self.library, self.file = checks, library, folder / "m.mlir"
        self.compiled = self.calls = self.in_place = 0
        self.missing = set()

    def compile(self, number, text):
        """Programs for some of the CPUs, each with what it is for."""
        self.file.write_text(text)
        for cpu in turn(CPUS, number):
            threads = 1 + (number // 2 + CPUS.index(cpu)) % 2
            try:
                program = symshape_c.Program(self.file, library=self.library, cpu=cpu, threads=threads)
            except symshape_c.Error as error:
                if cpu and "cannot run code for" in str(error):
                    self.missing.add(cpu)
                else:
                    self.checks.that(False, f"program {number} compiles for {cpu}", f"  {error}")
                continue
            self.compiled += 1
            yield program, f"for {cpu} on {threads}"

    def call(self, what, program, inputs, exact, bound):
        rows, terms = inputs[0].shape[-2:]
        result, = program(*inputs)
        self.calls += 1
        self.in_place += result.size > 0 and rows * LEAST_TERMS <= terms and rows <= MOST_ROWS
        difference = np.abs(result.astype(np.float64) - exact)
        self.checks.that(result.shape == exact.shape and bool((difference <= bound).all()),
                         f"{what}: {[x.shape for x in inputs]}",
                         f"  error of {difference.max(initial=0)}, {result.shape}, {exact.shape}")


def check_products(programs):
    for number, ((left, right, total), is_batched) in enumerate(itertools.product(TYPES, [False, True])):
        is_fused, random = (number // 2) % 2 == 1, np.random.default_rng(number)
        text = program_text(left, right, total, is_batched, is_fused)
        for program, where in programs.compile(number + number // 2, text):
            for _ in range(CALLS):
                rows, columns, terms = (int(random.choice(x)) for x in (ROWS, COLUMNS, TERMS))
                lead = (int(random.integers(0, 3)),) if is_batched else ()
                a, a_numbers = draw(random, left, (*lead, rows, terms))
                b, b_numbers = draw(random, right, (*lead, columns, terms))
                c, c_numbers = draw(random, total, (columns,))
                exact, bound = expect(a_numbers, b_numbers, c_numbers if is_fused else 0 * c_numbers, total)
                programs.call(f"{left} {right} {total} {where}", program, [a, b, c], exact, bound)


def check_blocks(programs):
    for number, total in enumerate(("f32", "f64")):
        random = np.random.default_rng([2, number])
        for program, where in programs.compile(number, blocks_text(total)):
            for _ in range(CALLS):
                rows, columns, terms, inner = (int(random.choice(x)) for x in (ROWS + [57, 130], COLUMNS, TERMS, TERMS))
                (a, x), (b, y), (c, z) = (draw(random, total, shape)
                                          for shape in ((rows, terms), (inner, terms), (columns, inner)))
                first, sizes = x @ y.T, np.abs(x) @ np.abs(y).T
                middle = first - first.sum(1, keepdims=True)
                sizes = (sizes + sizes.sum(1, keepdims=True)) @ np.abs(z).T
                programs.call(f"blocks of {total} {where}", program, [a, b, c], middle @ z.T,
                              sizes * EPSILON[total] * (600 + (terms + inner) / 64))


def main():
    folder = Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    checks = Checks()
    programs = Programs(checks, sys.argv[1], folder)
    check_products(programs)
    check_blocks(programs)
    print(f"{programs.compiled} programs, {programs.calls} calls, {programs.in_place} of them in place; "
          f"not run here: {sorted(programs.missing) or 'none'}")
    checks.that(programs.compiled >= PROGRAMS and programs.in_place >= LEAST_IN_PLACE, "as many as there should be")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
