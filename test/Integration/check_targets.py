# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each op on each type gives the same bits however a program is compiled, on a CPU and on a GPU, where that is promised.

    check_targets.py PAGE [--table] [TYPE...]

PAGE, docs/Targets.md, is what `--table` writes: by how much each way to compile differs from the default. It has to
have each op and type, and may have differences where `promise` allows them; elsewhere bits must be the same. What
differs by less than that differs by machine, since some functions of a CPU are those of its C library. Short tensors,
whose elements are not all parts of vectors, are compared as well.
"""

import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import numpy as np

import symrun
from checking import Checks
from target_ops import FLOATS, programs

MODES = {"quick": ["--compile=quick"], "2 threads": ["--compile=quick", "--threads=2"], "x86-64-v2": ["--cpu=x86-64-v2"],
         "x86-64-v3": ["--cpu=x86-64-v3"], "GPU": ["--target=nvvm"]}
FLOOR = 540
OTHERS = {"arith.constant", "arith.scaling_extf", "arith.scaling_truncf"}  # scales are floats of 8 bits, which are refused
STEP = 59  # of the elements that are computed once more
#: Functions that a CPU without fused products and sums computes by other roundings.
POLYNOMIALS = {f"{dialect}.{name}" for dialect in ("math", "tosa") for name in "erf erfc exp exp2 expm1 log log1p tanh sigmoid".split()}
#: Functions of the C library, which a GPU computes by its own series.
SERIES = {f"{dialect}.{name}" for dialect in ("math", "tosa") for name in
          "acos acosh asin asinh atan atanh cbrt cos cosh sin sincos sinh tan log10 log2 atan2 powf pow fpowi".split()}
ZEROS = 2.0**-10  # in place of units: zeros of both signs
#: Ops that skip NaN, and give either one of two zeros.
EITHER_ZERO = {"arith.maxnumf", "arith.minnumf"}


def promise(mode, op, type_):
    """In units in the last place."""
    if op in EITHER_ZERO or op.endswith("IGNORE"):
        return ZEROS
    if op == "arith.divf of a number" and mode in ("x86-64-v2", "GPU") and type_ in ("f32", "f64"):
        return 2  # a CPU multiplies vectors by the reciprocal
    if mode == "x86-64-v2":
        return 4 if op in POLYNOMIALS and type_ == "f32" else 0
    if mode == "GPU" and op in SERIES:
        return {"f32": 1, "f64": 4}.get(type_, 0)
    return 4 if mode == "GPU" and op in POLYNOMIALS and type_ == "f64" else 0


HEAD = """# Ops on targets

Written by `test/Integration/check_targets.py --table`: by how many units in the last place the results of an op differ at most from those of the default, a CPU with fused products and sums, at all pairs of special values and at others. A type that is not named, and `=`, stand for the same bits (one pattern stands for all that is no number). *zeros*: either one of two zeros. The function `promise` in that file says where something else than `=` may stand.

Not in the table are sums and products of floats along an axis, which each target adds up in an order of its own ([CPU](Rationale/CpuCodegen.md), [GPU](Rationale/GPUCodegen.md#arithmetic)). Which types of operands are multiplied how, on which processor: [a table](HowTo/UseLowPrecision.md#what-runs-how).
"""


def decoded(array, type_):
    """Numbers, and bits of which one pattern stands for all NaN."""
    if type_ not in FLOATS:
        return array, array
    carried = array.view(np.int16) if type_ in ("f16", "bf16") else array
    numbers = FLOATS[type_].decode(carried)
    return numbers, np.where(np.isnan(numbers), 0x7FF1, carried.view(f"i{carried.itemsize}"))


def distance(one, other, type_):
    """Units in the last place, at most; infinite where one of both is not finite."""
    (x, x_bits), (y, y_bits) = decoded(one, type_), decoded(other, type_)
    if one.shape != other.shape or one.dtype != other.dtype:
        return np.inf
    if type_ not in FLOATS:
        return 0 if np.array_equal(x, y) else np.inf
    with np.errstate(all="ignore"):
        units = np.abs(x - y) / FLOATS[type_].spacing(np.where(np.isfinite(x), x, 1))
    units = np.where(x_bits == y_bits, 0, np.where(x == y, ZEROS, np.where(np.isfinite(units), units, np.inf)))
    return units.max(initial=0)


def results_of(program, path, options):
    """By call: all elements, some of them, one."""
    arrays = program.arrays()
    calls = [arrays, [a[::STEP] for a in arrays], [a[:1] for a in arrays]]
    return symrun.run(path, calls, results=sum(len(case.results) for case in program.cases), options=options)


def compare(program, base, run, checks, what):
    """op: the largest distance of any result and call."""
    found, k = defaultdict(float), 0
    for case in program.cases:
        for type_ in case.results:
            for one, other in zip(base, run.results, strict=True):
                found[case.op, case.type] = max(found[case.op, case.type], distance(one[k], other[k], type_))
            full, some = run.results[0][k], run.results[1][k]
            if len(full) == len(program.arrays()[0]) and checks.that(len(some) == len(full[::STEP]), f"{case.op} {what}: extent"):
                apart, allowed = distance(full[::STEP], some, type_), promise(what, case.op, case.type)
                checks.that(apart <= allowed, f"{case.op} on {case.type}, {what}: the same bits in long and short tensors", f"  {apart} ulp apart")
            k += 1
    return found


def measure(checks, folder, wanted):
    """(op, type): the differences by mode."""
    table = defaultdict(dict)
    for type_, program in programs():
        if wanted and type_ not in wanted:
            continue
        path = folder / f"{type_}.mlir"
        path.write_text(program.text())
        base = results_of(program, path, [])
        if not checks.ran(base, 3, f"{type_} default"):
            continue
        compare(program, base.results, base, checks, "default")
        for mode, options in MODES.items():
            # What differs little by CPU, and takes long to compile.
            hasty = ["--compile=quick"] * (mode == "x86-64-v3" or (mode == "x86-64-v2" and type_ not in FLOATS))
            run = results_of(program, path, options + hasty)
            if not checks.ran(run, 3, f"{type_} {mode}"):
                continue
            for (op, kind), apart in compare(program, base.results, run, checks, mode).items():
                table[op, kind][mode] = apart
                allowed = promise(mode, op, kind)
                checks.that(apart <= allowed, f"{op} on {kind}, {mode}: at most {allowed} ulp from the default", f"  {apart}")
    return table


def check_all(checks, table):
    """Each op that upstream defines has been tried."""
    include = subprocess.run(["llvm-config", "--includedir"], capture_output=True, text=True, check=True).stdout.strip()
    for dialect in ("Arith", "Math"):
        text = (Path(include) / f"mlir/Dialect/{dialect}/IR/{dialect}Ops.td").read_text()
        names = re.findall(r'^def (?:Math|Arith)_\w+\s*:\s*\w+<(?:\w+_Dialect, )?"(\w+)"', text, re.M)
        checks.that(len(names) > 40, f"upstream defines ops of {dialect}")
        missing = {f"{dialect.lower()}.{name}" for name in names} - {op for op, _ in table} - OTHERS
        checks.that(not missing, f"all ops of {dialect} are tried", f"  {missing}")


def rows_of(table):
    ops = defaultdict(dict)
    for (op, type_), modes in table.items():
        ops[op][type_] = modes
    for op, types in sorted(ops.items()):
        cells = []
        for mode in MODES:
            apart = [f"{type_} {'zeros' if modes[mode] == ZEROS else int(np.ceil(modes[mode]))}"
                     for type_, modes in types.items() if modes.get(mode)]
            cells.append(", ".join(apart) or "=")
        yield [op, " ".join(types), *cells]


def read_page(path):
    """(op, type, mode) that differ."""
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in path.read_text().splitlines() if line.startswith("| ")]
    said, types = set(), {}
    for op, kinds, *cells in lines[2:]:
        types[op] = kinds.split()
        for mode, cell in zip(MODES, cells, strict=True):
            said |= {(op, part.split()[0], mode) for part in cell.split(", ") if part != "="}
    return types, said


def main():
    page, wanted = Path(sys.argv[1]), [a for a in sys.argv[2:] if a != "--table"]
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="targets") as folder:
        table = measure(checks, Path(folder), wanted)
    if "--table" in sys.argv:
        rows = [["op", "types", *MODES], ["---"] * (len(MODES) + 2), *rows_of(table)]
        page.write_text(HEAD + "\n" + "".join(f"| {' | '.join(row)} |\n" for row in rows))
    types, said = read_page(page)
    for op, type_ in table:
        checks.that(type_ in types.get(op, []), f"the page has {op} on {type_}")
    for op, type_, mode in said:
        checks.that(promise(mode, op, type_), f"{op} on {type_} may differ, {mode}, as the page says")
    print(f"{len(table)} ops on types")
    if not wanted:
        check_all(checks, table)
    checks.that(wanted or len(table) >= FLOOR, f"at least {FLOOR} ops on types")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
