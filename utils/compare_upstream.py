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
    no witness      the same, but no witness was found; must not happen here
    neither         no engine has an answer
    unreachable     the place is never reached, where every bound holds; counted by
                    what stops a run before: a check that fails in each call, a branch
                    or loop that is never entered, or the facts of the function
    upstream wrong  values of a run break upstream's bound (shown)
    out of scope    upstream's is in terms of values that do not dominate the place
    another model   upstream's holds if loops that compare without a sign did so with one
    weaker          ours says less; must not happen
    ours wrong      must not happen

The ranges of all integers of the tests of dialects that have rules, and of those of
upstream's integer ranges, are compared in the same way; `test.with_bounds`, of which
upstream alone knows the range, becomes clamps of a value, which both read:

    same, tighter   as for bounds
    follows         weaker, as an operand is
    unreachable     as for bounds
    upstream wrong  the op is one of which a wrong result of upstream is known
    another model   upstream's cannot be used, for the reason given in EXPLAINED below
    weaker, apart   ours says less, or no number is in both; must not happen

Then inference and discharge run over the tests of upstream's features nearby: none may
crash, and what comes out must verify. With --all, over all tests of the dialects that
have rules. Writes report.json and prints a table; exits 1 where something must not
happen and does.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

BOUNDS = ["Affine/value-bounds-op-interface-impl", "Affine/value-bounds-reification",
          "Arith/value-bounds-op-interface-impl", "Linalg/value-bounds-op-interface-impl",
          "MemRef/value-bounds-op-interface-impl",
          "SCF/value-bounds-op-interface-impl", "Tensor/value-bounds-op-interface-impl",
          "GPU/value-bounds-op-interface-impl", "Vector/value-bounds-op-interface-impl",
          "Vector/test-scalable-bounds"]
#: Signed divisions that round up, of the least number (lib/Analysis/Defaults.cpp).
WRONG_RANGES = ("arith.ceildivsi", "index.ceildivs")
#: Where upstream's range says more than may be said, and why.
EXPLAINED = {
    "overflow": "of a map, upstream takes each sum inside for one that does not overflow; its own simplification "
                "of maps drops such sums, and the same function has the wider range then",
    "unsigned": "upstream reads the bounds of scf.for as signed where it compares without a sign: from 2^31 - 1 to "
                "2^31 + 15 the counter is 2^31 - 1, which its range leaves out",
    "arguments": "upstream takes what the calls in the module pass for all that is passed; what is known of a "
                 "function holds for each call of it, also of those that passes add",
    "recursion": "a call that never returns has any result",
    "test call": "an op of MLIR's test dialect that calls and converts: its verifier does not say what it gives",
}
CALLED = {"Transforms/sccp-callgraph.mlir": "arguments", "Transforms/inlining-recursive.mlir": "recursion"}
REFUSED = "Affine/invalid-reify-bound-dim"  # questions that make no sense
OUTCOMES = ["same", "tighter", "different form", "needs no wrap", "neither", "unreachable", "upstream wrong",
            "out of scope", "another model", "no witness", "weaker", "ours wrong"]
BAD = ("no witness", "weaker", "ours wrong")
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


def clamps(match):
    """`test.with_bounds` as clamps of any value by its ends, signed and unsigned."""
    name, ends, type_ = match.groups()
    ops = {"smin": "maxsi", "smax": "minsi", "umin": "maxui", "umax": "minui"}
    value, lines = f"%of_{name}", [f'%of_{name} = "test.value"() : () -> {type_}']
    found = re.findall(r"([su](?:min|max)) = (-?\w+) *:", ends)
    for number, (end, text) in enumerate(found):
        constant = f"dense<{int(text, 0)}>" if type_.startswith("vector") else str(int(text, 0))
        result = f"%{name}" if number == len(found) - 1 else f"%of_{name}_{number}"
        lines += [f"%end_{name}_{end} = arith.constant {constant} : {type_}",
                  f"{result} = arith.{ops[end]} {value}, %end_{name}_{end} : {type_}"]
        value = result
    return "\n".join(lines) + "\n"


def compare_ranges(plugin, path):
    """One record per integer of a file; None where upstream crashes on it."""
    lines = [line for line in path.read_text(errors="replace").splitlines()
             if not line.lstrip().startswith("//") or "-----" in line]
    text = re.sub(r"%(\w+) = test\.with_bounds *\{([^}]*)\} *: *([\w<>]+)", clamps, "\n".join(lines))
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        try:
            done = mlir_opt(plugin, "symshape-compare-ranges", file.name)
        except subprocess.TimeoutExpired:
            return None
    if done.returncode < 0:
        return None
    records = [json.loads(line) for line in done.stdout.splitlines()]
    for record in records:
        if record["outcome"] in ("weaker", "apart"):
            record["explained"] = explanation(record, path)
            if record["op"] in WRONG_RANGES:
                record["outcome"] = "upstream wrong"
            elif record["explained"]:
                record["outcome"] = "another model"
        elif record["outcome"] == "another model":
            record["explained"] = "overflow"  # with values of which it is so
    return records


def explanation(record, path):
    """The key in EXPLAINED of why upstream's range is not ours; None: there is no reason."""
    if record["unsigned"]:
        return "unsigned"
    if record["op"] == "func.call":
        return CALLED.get("/".join(path.parts[-2:]))
    return "test call" if record["op"].startswith("test.") and "call" in record["op"] else None


def check_ranges(plugin, tests):
    """What the ranges of all tests are beside upstream's, and whether none is weaker; prints both."""
    files = sorted(set(adjacent_files(tests, True)) | set(tests.rglob("*int-range*.mlir")))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = dict(zip(files, pool.map(lambda path: compare_ranges(plugin, path), files)))
    crashed = [str(path.relative_to(tests)) for path, records in found.items() if records is None]
    counts = Counter(record["outcome"] for records in found.values() for record in records or ())
    for path, records in found.items():
        for r in records or ():
            if r["outcome"] in ("weaker", "apart"):
                print(f"{r['outcome']}: {path.relative_to(tests)} @{r['function']}: {r['text']}: "
                      f"upstream {r['upstream']}, ours {r['ours']}")
    print(f"ranges of {sum(counts.values())} integers of {len(files)} files: "
          + ", ".join(f"{n} {what}" for what, n in sorted(counts.items())))
    print_reasons(record for records in found.values() for record in records or ())
    for key, reason in EXPLAINED.items():
        number = sum(record.get("explained") == key and record["outcome"] == "another model"
                     for records in found.values() for record in records or ())
        print(f"another model, {key}: {number}: {reason}")
    print(f"upstream's analysis crashes on {len(crashed)} files: {', '.join(crashed)}")
    return counts


def print_reasons(records):
    reasons = Counter(record["reason"] for record in records if record["outcome"] == "unreachable")
    print("unreachable: " + (", ".join(f"{n} {why}" for why, n in sorted(reasons.items())) or "none"))


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
    print_reasons(record for made in records.values() for record in made)
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

    ranges = check_ranges(args.build / "test/lib/SymShapeTestPasses.so", tests)

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
    report = {"bounds": records, "counts": counts, "materialised": pairs, "ranges": ranges, "files": len(files), "functions": functions,
              "failures": failures}
    (out / "report.json").write_text(json.dumps(report, indent=1) + "\n")
    is_bad = any(counts["all"][outcome] for outcome in BAD) or ranges["weaker"] or ranges["apart"]
    return 1 if is_bad or failures or refused.returncode or pairs["weaker"] else 0


if __name__ == "__main__":
    sys.exit(main())
