#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every function of MLIR's own tests through our pipelines.

    run_upstream.py SOURCES [--build=build] [--out=FOLDER] [--filter=REGEX] [--jobs=N]

SOURCES holds `mlir/test` of the MLIR that is linked (`./bootstrap upstream` fetches
it). Its files are split at `// -----`, and each function with a body runs, alone in a
module with the symbols that it uses, through inference, `symshape-shapes`,
`symshape-cpu`, both directions of AD, and the report. How a run ends:

    ok        it succeeds
    refused   it fails; each of its errors has a place inside the program
    no place  an error has none
    silent    it fails without an error
    odd       it succeeds although it told an error
    invalid   a pass left IR that does not verify
    crash     the process dies
    late      it takes more than 20 s of the processor

Only the first two may happen. Where stock lowering takes the function as well, and its
arguments and results are numbers or arrays of numbers, both are called with the same
arguments: the results must be the same, or stand in EXPLAINED. Writes functions.json,
prints a table and what must not happen, and exits 1 where it does.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

MODES = ["infer", "shapes", "cpu", "jvp", "vjp", "report", "stock"]
STATUSES = ["ok", "refused", "no place", "silent", "odd", "invalid", "crash", "late"]
GOOD = ("ok", "refused")
CHUNK = 16  # files for one process

# Why results differ from those of stock lowering, a call does not end in time, or IR does
# not verify, by file and function. What is not here: results of stock lowering that change with what
# memory holds, and calls that stock lowering does not end either.
UNWRITTEN = "returns memory that nothing wrote"
POISON = "its addition wraps in spite of nuw"
DEAD = "upstream's canonicalization removes dead code that an op around it requires"
EXPLAINED = {
    ("Dialect/Affine/affine-loop-normalize.mlir", "tiled_matmul"): "four calls with 10^9 multiplications each",
    ("Dialect/Affine/constant-fold.mlir", "affine_apply_poison_division_zero_2"): "divides by 0",
    ("Dialect/Arith/ops.mlir", "test_fptoui_tensor"): "converts floats that do not fit",
    ("Dialect/Bufferization/Transforms/one-shot-bufferize-analysis.mlir", "read_of_alloc_tensor_is_not_a_conflict"):
        UNWRITTEN,
    ("Dialect/Bufferization/Transforms/one-shot-bufferize-analysis.mlir", "read_of_undef_is_not_a_conflict"): UNWRITTEN,
    ("Dialect/Bufferization/Transforms/one-shot-bufferize-empty-tensor-elimination.mlir",
     "multi_use_of_the_same_tensor_empty_creates_non_existent_read"): UNWRITTEN,
    ("Dialect/Linalg/drop-unit-extent-dims.mlir", "fold_unit_dim_for_init_memref"): "adds to memory that nothing wrote",
    ("Dialect/Linalg/erase-unused-operands-and-results.mlir", "argmax_lowering"): UNWRITTEN,
    ("Dialect/OpenACC/ops.mlir", "acc_loop_container"): DEAD,
    ("Dialect/OpenMP/ops.mlir", "omp_loop"): DEAD,
    ("Dialect/OpenMP/ops.mlir", "omp_target_host_eval"): DEAD,
    ("Dialect/SCF/trip_count.mlir", "trip_count_arith_add_negative_nuw_loop_unsigned"): POISON,
    ("Dialect/SCF/trip_count.mlir", "trip_count_arith_add_negative_nuw_loop_unsigned_step_dyn"): POISON,
    ("Dialect/SPIRV/IR/control-flow-ops.mlir", "in_loop"): DEAD,
    ("Dialect/Tensor/fold-consecutive-insert-extract-slice.mlir", "insert_slice_rank_reducing"):
        "four calls with 1 GB each",
    ("Transforms/canonicalize.mlir", "view"): UNWRITTEN,
}


def run_chunk(driver, modes, seconds, paths):
    """The records of some files."""
    # A block that was freed, of a cache of a thread, is not filled when it is given out again.
    environment = dict(os.environ, GLIBC_TUNABLES="glibc.malloc.tcache_count=0")
    done = subprocess.run([driver, f"--mode={','.join(modes)}", f"--seconds={seconds}", *map(str, paths)],
                          stdout=subprocess.PIPE, text=True, env=environment)
    if done.returncode:
        sys.exit(f"{driver}: exit {done.returncode} on {paths[0]} ...")
    return [json.loads(line) for line in done.stdout.splitlines()]


def collect(args, tests):
    files = [path for path in sorted(tests.rglob("*.mlir")) if re.search(args.filter, str(path.relative_to(tests)))]
    chunks = [files[i:i + CHUNK] for i in range(0, len(files), CHUNK)]
    driver = args.build / "test/lib/SymShapeRunFunctions"
    records = []
    with ThreadPoolExecutor(args.jobs) as pool:
        jobs = [pool.submit(run_chunk, driver, args.modes, args.seconds, chunk) for chunk in chunks]
        for number, job in enumerate(as_completed(jobs), 1):
            records += job.result()
            if number % 20 == 0:
                print(f"... {number * CHUNK} of {len(files)} files", file=sys.stderr, flush=True)
    records.sort(key=lambda record: (record["file"], record["line"], record.get("function", "")))
    for record in records:
        record["file"] = str(Path(record["file"]).relative_to(tests))
    return len(files), records


def print_table(runs, modes):
    counts = {mode: Counter() for mode in modes}
    for run in runs:
        counts[run["mode"]][run["status"]] += 1
    print(f"{'mode':8}" + "".join(f"{status:>10}" for status in STATUSES))
    for mode, row in counts.items():
        print(f"{mode:8}" + "".join(f"{row[status]:>10}" for status in STATUSES))
    return counts


def comparison(run):
    """How the results of a run of the mode `stock` relate, where that is known; else None."""
    if run["mode"] == "stock" and run["status"] not in GOOD and run["pass"].startswith("stock"):
        return "stock fails"  # in its passes or in its code, perhaps without end
    return run.get("stock")


def is_explained(run):
    return (run["file"], run["function"]) in EXPLAINED


def is_bad(run):
    """Whether this must not happen."""
    if is_explained(run) or comparison(run) == "stock fails":
        return False
    return run["status"] not in GOOD or comparison(run) == "differs"


def print_comparison(runs):
    """How results relate to those of stock lowering."""
    outcomes = Counter(filter(None, map(comparison, runs)))
    print("\nbeside stock lowering: " + ", ".join(f"{n} {outcome}" for outcome, n in outcomes.most_common()))
    print(f"{sum(run.get('compared', 0) for run in runs)} calls compared")
    for run in runs:
        if is_explained(run) and (comparison(run) == "differs" or run["status"] not in GOOD):
            print(f"{outcome_of(run)}: {run['file']} @{run['function']}: {EXPLAINED[run['file'], run['function']]}")


def outcome_of(run):
    return "differs" if comparison(run) == "differs" else run["status"]


def describe(run):
    text = f"{outcome_of(run)}: {run['mode']}: {run['file']}:{run['line']} @{run['function']}"
    if run.get("pass"):
        text += f" in {run['pass']}"
    message = run.get("placeless") or run.get("message", "")
    return text + (f"\n    {message.splitlines()[0][:160]}" if message else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sources", type=Path)
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--out", type=Path, help="where functions.json goes (default: BUILD/upstream)")
    parser.add_argument("--filter", default="", help="only files whose path matches")
    parser.add_argument("--modes", type=lambda text: text.split(","), default=MODES)
    parser.add_argument("--seconds", type=int, default=20, help="of the processor for one run")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    tests = args.sources / "mlir" / "test"
    if not tests.is_dir():
        sys.exit(f"expected a folder with mlir/test, but got {args.sources}")
    num_files, records = collect(args, tests)
    runs = [record for record in records if "mode" in record and record["status"] != "not alone"]
    functions = {(run["file"], run["line"], run["function"]) for run in runs}
    unread = sum(record["status"] == "not parsed" for record in records)
    alone = sum(record["status"] == "not alone" for record in records) // len(args.modes)
    print(f"{num_files} files, {len(functions)} functions; {unread} sections do not parse, "
          f"{alone} functions do not verify alone\n")
    counts = print_table(runs, args.modes)
    bad = [run for run in runs if is_bad(run)]
    print_comparison(runs)
    for run in bad:
        print(describe(run))
    out = args.out or args.build / "upstream"
    out.mkdir(parents=True, exist_ok=True)
    (out / "functions.json").write_text(json.dumps({"counts": counts, "runs": runs}, indent=0) + "\n")
    print(f"{len(runs) - len(bad)} passed, {len(bad)} failed")
    return 1 if bad or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
