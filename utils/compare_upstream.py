#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bounds of values beside those of MLIR's own engine, on MLIR's own tests.

    compare_upstream.py SOURCES [--build=build] [--out=FOLDER] [--all]

SOURCES holds `mlir/test` of the MLIR that is linked (`./bootstrap upstream` fetches
it). Each `test.reify_bound` and `test.compare` of the value-bounds tests is answered
by both engines in one process. How the answers relate:

    same            equal bounds, or the same answer
    tighter         ours says more
    different form  neither is proved to be tighter, and no sampled values tell
    needs no wrap   upstream's holds only if index arithmetic does not wrap (shown by
                    a witness); with assume-no-wrap ours is as tight
    neither         no engine has an answer
    upstream wrong  values of a run break upstream's bound (shown)
    weaker          ours says less; must not happen
    ours wrong      must not happen

Then inference and discharge run over the tests of upstream's features nearby: none may
crash, and what comes out must verify. With --all, over all tests of the dialects that
have rules. Writes report.json and prints a table; exits 1 where something must not
happen and does.
"""

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

BOUNDS = ["Affine/value-bounds-op-interface-impl", "Affine/value-bounds-reification",
          "Arith/value-bounds-op-interface-impl", "Linalg/value-bounds-op-interface-impl",
          "MemRef/value-bounds-op-interface-impl",
          "SCF/value-bounds-op-interface-impl", "Tensor/value-bounds-op-interface-impl",
          "GPU/value-bounds-op-interface-impl", "Vector/value-bounds-op-interface-impl",
          "Vector/test-scalable-bounds"]
REFUSED = "Affine/invalid-reify-bound-dim"  # questions that make no sense
OUTCOMES = ["same", "tighter", "different form", "needs no wrap", "neither", "upstream wrong", "weaker", "ours wrong"]
BAD = ("weaker", "ours wrong")
ADJACENT = ["int-range", "tosa-infer-shapes", "resolve-shaped-type-result-dims", "transform-op-pad",
            "transform-op-hoist-pad", "loop-invariant-subset-hoisting", "eliminate-masks", "make-loop-independent",
            "simplify-min-max", "reify-shapes"]
DIALECTS = ["Affine", "Arith", "Bufferization", "ControlFlow", "Func", "GPU", "Index", "Linalg", "Math", "MemRef",
            "SCF", "Shape", "Tensor", "Tosa", "Vector"]


def mlir_opt(plugin, pipeline, path, *options):
    return subprocess.run(
        ["mlir-opt-22", f"--load-dialect-plugin={plugin}", f"--load-pass-plugin={plugin}", "--split-input-file",
         "--allow-unregistered-dialect", f"--pass-pipeline=builtin.module({pipeline})", str(path), "-o", os.devnull,
         *options],
        capture_output=True, text=True, timeout=300)


def compare(plugin, path):
    """One record per question of a file."""
    over_arguments = "{reify-to-func-args}" if "reify-to-func-args" in path.read_text() else ""
    done = mlir_opt(plugin, f"symshape-compare-bounds{over_arguments}", path)
    if done.returncode:
        sys.exit(f"{path}: {done.stderr[-2000:]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def print_table(counts):
    width = max(map(len, counts))
    print(f"{'file':{width}} " + " ".join(f"{outcome:>14}" for outcome in OUTCOMES))
    for name, row in counts.items():
        print(f"{name:{width}} " + " ".join(f"{row[outcome] or '':>14}" for outcome in OUTCOMES))


def adjacent_files(tests, everything):
    if everything:
        folders = [tests / "Dialect" / dialect for dialect in DIALECTS] + [tests / "Transforms", tests / "Interfaces"]
        return sorted(path for folder in folders for path in folder.rglob("*.mlir"))
    return sorted(path for path in tests.rglob("*.mlir") if any(word in path.name for word in ADJACENT))


def check_adjacent(plugin, path):
    """Empty, or how inference and discharge fail where reading the file alone does not."""
    try:
        plain = mlir_opt(plugin, "", path)
        done = mlir_opt(plugin, "symshape-infer-shapes,symshape-discharge", path)
    except subprocess.TimeoutExpired:
        return "takes more than 300 s"
    if done.returncode == plain.returncode:
        return ""
    errors = [line for line in done.stderr.splitlines() if "error:" in line and "was not produced" not in line]
    return f"exit {done.returncode}: " + "; ".join(errors[:3] or done.stderr.splitlines()[:3])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sources", type=Path)
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--out", type=Path, help="where report.json goes (default: BUILD/upstream)")
    parser.add_argument("--all", action="store_true", help="run the passes over all tests of dialects with rules")
    args = parser.parse_args()
    tests = args.sources / "mlir" / "test"
    if not tests.is_dir():
        sys.exit(f"expected a folder with mlir/test, but got {args.sources}")
    records = {name: compare(args.build / "test/lib/SymShapeTestPasses.so", tests / "Dialect" / f"{name}.mlir")
               for name in BOUNDS}
    counts = {name: Counter(record["outcome"] for record in made) for name, made in records.items()}
    counts["all"] = sum(counts.values(), Counter())
    print_table(counts)
    refused = mlir_opt(args.build / "test/lib/SymShapeTestPasses.so", "symshape-compare-bounds",
                       tests / "Dialect" / f"{REFUSED}.mlir", "--verify-diagnostics")
    print(f"{REFUSED}: {'refused as upstream does' if refused.returncode == 0 else refused.stderr}")
    for name, made in records.items():
        for r in made:
            if r["outcome"] not in ("same", "neither"):
                print(f"\n{r['outcome']}: {name} @{r['function']}\n  {r['query']}\n  upstream: {r['upstream']}\n"
                      f"  ours:     {r['ours']}" + (f"\n  witness:  {r['witness']}" if r["witness"] else ""))
    pairs = Counter(r["materialised"] for made in records.values() for r in made
                    if r["materialised"] and r["outcome"] != "upstream wrong")
    print("\nmaterialised side by side: " + ", ".join(f"{n} {what}" for what, n in sorted(pairs.items())))

    files = adjacent_files(tests, args.all)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        failures = {str(path.relative_to(tests)): failure for path, failure in
                    zip(files, pool.map(lambda p: check_adjacent(args.build / "lib/SymShapePlugin.so", p), files))
                    if failure}
    functions = sum(path.read_text(errors="replace").count("func.func @") for path in files)
    print(f"inference and discharge: {len(files)} files, {functions} functions, {len(failures)} failures")
    for path, failure in failures.items():
        print(f"  {path}: {failure}")
    out = args.out or args.build / "upstream"
    out.mkdir(parents=True, exist_ok=True)
    report = {"bounds": records, "counts": counts, "materialised": pairs, "files": len(files), "functions": functions,
              "failures": failures}
    (out / "report.json").write_text(json.dumps(report, indent=1) + "\n")
    is_bad = any(counts["all"][outcome] for outcome in BAD)
    return 1 if is_bad or failures or refused.returncode or pairs["weaker"] else 0


if __name__ == "__main__":
    sys.exit(main())
