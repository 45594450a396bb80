# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of a few rows with an operand whose terms are neighbours, which is read in place, beside NumPy.

    check_products_in_place.py LIBRARY FOLDER

A program for each element type, with all extents open, is compiled for CPUs with vectors of 64, 32 and 16 bytes, on
one thread or two, and called with 0, 1, odd and so many rows that the operand is packed instead. Extents of sums and
columns are 0, 1, odd, whole vectors, and several blocks. CPUs whose code this machine cannot run are left out. Sums of
integers are exact modulo 2^32; those of floats have the error of blocks that are formed one after the other.
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
CALLS, PROGRAMS, LEAST_IN_PLACE = 70, 20, 500
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


def main():
    library, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    checks, programs, in_place, calls_made, missing = Checks(), 0, 0, 0, set()
    kinds = list(itertools.product(TYPES, [False, True]))
    for number, ((left, right, total), is_batched) in enumerate(kinds):
        file, is_fused = folder / "m.mlir", (number // 2) % 2 == 1
        file.write_text(program_text(left, right, total, is_batched, is_fused))
        random = np.random.default_rng(number)
        for cpu in turn(CPUS, number // 2 + number):
            threads = 1 + (number + CPUS.index(cpu)) % 2
            try:
                program = symshape_c.Program(file, library=library, cpu=cpu, threads=threads)
            except symshape_c.Error as error:
                if cpu and "cannot run code for" in str(error):
                    missing.add(cpu)
                    continue
                checks.that(False, f"{left} {right} {total} compiles for {cpu}", f"  {error}")
                continue
            programs += 1
            for _ in range(CALLS):
                rows, columns, terms = (int(random.choice(x)) for x in (ROWS, COLUMNS, TERMS))
                lead = (int(random.integers(0, 3)),) if is_batched else ()
                a, a_numbers = draw(random, left, (*lead, rows, terms))
                b, b_numbers = draw(random, right, (*lead, columns, terms))
                c, c_numbers = draw(random, total, (columns,))
                result, = program(a, b, c)
                exact, bound = expect(a_numbers, b_numbers, c_numbers if is_fused else 0 * c_numbers, total)
                calls_made += 1
                in_place += result.size > 0 and rows * LEAST_TERMS <= terms and rows <= MOST_ROWS
                difference = np.abs(result.astype(np.float64) - exact)
                checks.that(result.shape == exact.shape and bool((difference <= bound).all()),
                            f"{left} {right} {total} for {cpu} on {threads}: {a.shape}, {b.shape}",
                            f"  error of {difference.max(initial=0)}, {result.shape}, {exact.shape}")
    print(f"{programs} programs, {calls_made} calls, {in_place} of them in place; not run here: {sorted(missing) or 'none'}")
    checks.that(programs >= PROGRAMS and in_place >= LEAST_IN_PLACE, "as many programs and calls as there should be")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
