#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each pass of ours alone, and random orders, over MLIR's own tests.

    run_passes.py SOURCES [--build=build] [--out=FOLDER] [--filter=REGEX] [--passes=REGEX] [--orders=N] [--jobs=N] [--facts] [--nested]

SOURCES holds `mlir/test` of the MLIR that is linked (`./bootstrap upstream` fetches
it), or is a folder of tests. Files are split at `// -----`, and each pass runs over each
section, in a context of its own where only the parser and the pass's dependent dialects have
loaded dialects; then N orders of three to eight passes of ours and of upstream's. How a run
ends:

    ok        it succeeds
    refused   it fails, with errors that have a place inside the program
    no place  an error has none
    words     an error speaks of what only the author of a pass knows
    silent    it fails without an error
    odd       it succeeds although it told an error
    invalid   the pass left IR that does not verify
    crash     the process dies
    late      it takes more than 20 s of the processor
    lost      with --facts: after it, something is not known any more that was known where a
              function returns, and no remark called "facts" says so: what is declared and stated of arguments, an extent of a
              result in terms of these, what ops need

Only the first two may happen, but for what EXPLAINED explains, and what a pass of upstream's
does in an order. Writes passes.json, prints
a table and what must not happen, and exits 1 where it does.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STATUSES = ["ok", "refused", "no place", "words", "silent", "odd", "invalid", "crash", "late", "lost"]
GOOD = ("ok", "refused")
CHUNK = 16  # files for one process

# Options with which a pass runs, where its defaults are not all or mean nothing.
# "{function}" is the name of each of up to four functions of the section.
FUNCTION = ["{function={function}}"]
OPTIONS = {
    "symshape-assume-extents": FUNCTION,
    "symshape-fixate": FUNCTION,
    "symshape-grad": FUNCTION,
    "symshape-hoist-allocations": ["", "{static-only}"],
    "symshape-hoist-invariants": ["", "{on-buffers}"],
    "symshape-infer-shapes": ["", "{annotate report-unknown}"],
    "symshape-insert-guards": ["", "{frozen}"],
    "symshape-jvp": FUNCTION,
    "symshape-linearize": FUNCTION,
    "symshape-lower-tensor-ops": ["", "{points}", "{checks=false}"],
    "symshape-reduce": ["{test=/bin/false}"],
    "symshape-share-ops": ["", "{any-shape}"],
    "symshape-specialize": ["", "{function={function} versions='small: s0 <= 4'}"],
    "symshape-tosa-broadcast": ["{numpy}"],
    "symshape-transpose": FUNCTION,
    "symshape-verify-lowerable": ["", "{tensors-last}"],
    "symshape-vjp": FUNCTION,
}

# Why what must not happen does: by messages, and by files.
DEAD = "removes dead code that an op around it requires, as upstream's canonicalization does"
EXPLAINED = {
    r"'spirv\.(mlir\.(loop|selection)|SpecConstantOperation)' op ": DEAD,
    r"'omp\.loop' op loop wrapper does not contain": DEAD,
    r"failed to find enough loop-like operations inside container-like acc\.loop": DEAD,
    r"^@\w*poison\w*: result0": "poison is no value",
    # Ours fails then, and that is not odd.
    r"^(modulo|division) by non-positive value is not supported": "upstream's lower-affine goes on after an error",
    r"'builtin\.module' op expects at most one data layout attribute": "does not verify once its dialects are loaded",
}
PLACELESS = "Transforms/location-snapshot.mlir"  # says itself that its ops have no place

# Passes after which extents are arithmetic on indices, which may wrap, or come out of a kernel's memory.
LEAVES_LEVEL = ("symshape-lower-", "symshape-form-kernels")
# Passes that keep what ops need, too. For others an op may disappear with what it requires,
# and symshape-insert-guards runs before.
KEEPS_NEEDS = ["symshape-insert-guards", "symshape-discharge", "symshape-check-policies", "symshape-declare",
               "symshape-specialize-calls", "symshape-inline-single-calls"]

# Passes of upstream's that stand in orders, and how tensors become tiles.
UPSTREAM = ["canonicalize", "cse", "inline", "sccp", "remove-dead-values", "loop-invariant-code-motion",
            "one-shot-bufferize{bufferize-function-boundaries}", "linalg-fuse-elementwise-ops",
            "int-range-optimizations", "lower-affine", "transform-preload-library{transform-library-paths=%s},"
            "transform-interpreter" % (ROOT / "test/Integration/Inputs/tile.mlir")]


def our_passes():
    """Our passes, as text: those on an op of their own around them."""
    names = ["symshape-tosa-broadcast"]  # has no definition
    for path in sorted((ROOT / "include/symshape").glob("*/*Passes.td")):
        for name, root in re.findall(r'^def \w+\s*:\s*Pass<"([\w-]+)"(?:, "([\w:]+)")?', path.read_text(), re.M):
            nested = {"func::FuncOp": "func.func(%s)", "gpu::GPUModuleOp": "gpu.module(%s)"}
            names.append(nested.get(root.removeprefix("::mlir::"), "%s") % name)
    return names


def pipelines(wanted):
    """The text of each run."""
    texts = []
    for text in our_passes():
        name = re.search(r"symshape-[\w-]+", text)[0]
        if re.search(wanted, name):
            texts += [text.replace(name, name + options) for options in OPTIONS.get(name, [""])]
    return texts


def orders(number, seed):
    """The text of `number` random orders. Passes on kernels have no place in them."""
    choose = random.Random(seed)
    ours = [text for text in our_passes() if "(" not in text
            and not re.search(r"tosa-broadcast|reduce$|verify-|compile-kernels", text)]
    ours = [text + OPTIONS.get(text, [""])[0] for text in ours if "{function}" not in OPTIONS.get(text, [""])[0]]
    texts = []
    for _ in range(number):
        passes = choose.choices(ours, k=choose.randint(2, 5)) + choose.choices(UPSTREAM, k=choose.randint(1, 3))
        choose.shuffle(passes)
        texts.append(",".join(passes))
    return texts


def is_explained(record):
    """Whether this may happen."""
    if record["file"] == PLACELESS and record["status"] == "no place":
        return True
    message = record.get("message", "")
    if record["status"] == "lost" and (
            f"] facts | Category:{record['pass']}" in record["remarks"]
            or record["pass"].startswith(LEAVES_LEVEL)
            or message.startswith("needs ") and record["pass"] not in KEEPS_NEEDS):
        return True
    return any(re.search(pattern, message) for pattern in EXPLAINED) or (
        "," in record["pipeline"] and not record.get("pass", "").startswith("symshape-"))


def run_chunk(args, texts, paths):
    """The records of some files."""
    # A block that was freed, of a cache of a thread, is not filled when it is given out again.
    environment = dict(os.environ, GLIBC_TUNABLES="glibc.malloc.tcache_count=0", MALLOC_PERTURB_="165")
    command = [args.build / "test/lib/SymShapeRunPasses", f"--seconds={args.seconds}",
               f"--one-in={args.one_in}", f"--seed={args.seed}", *["--facts"] * args.facts, *["--nested"] * args.nested,
               *(f"--{'order' if ',' in text else 'run'}={text}" for text in texts), *paths]
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, text=True, env=environment)
    if done.returncode:
        sys.exit(f"{command[0]}: exit {done.returncode} on {paths[0]} ...")
    return [json.loads(line) for line in done.stdout.splitlines()]


def collect(args, texts, tests):
    """The records of all files, and their number."""
    files = [path for path in sorted(tests.rglob("*.mlir")) if re.search(args.filter, str(path.relative_to(tests)))]
    chunks = [files[i:i + CHUNK] for i in range(0, len(files), CHUNK)]
    records = []
    with ThreadPoolExecutor(args.jobs) as pool:
        jobs = [pool.submit(run_chunk, args, texts, chunk) for chunk in chunks]
        for number, job in enumerate(as_completed(jobs), 1):
            # Told as it is found: a run of hours may be cut.
            for record in job.result():
                record["file"] = str(Path(record["file"]).relative_to(tests))
                records.append(record)
                if "pipeline" in record and not is_explained(record):
                    print(describe(record), file=sys.stderr, flush=True)
            if number % 20 == 0:
                print(f"... {number * CHUNK} of {len(files)} files", file=sys.stderr, flush=True)
    records.sort(key=lambda record: (record.get("pipeline", ""), record["file"], record["line"]))
    return len(files), records


def print_table(records):
    """The table; the number of runs."""
    rows = {}
    for record in records:
        for text, counts in record.get("counts", {}).items():
            rows.setdefault("random orders" if "," in text else text, Counter()).update(counts)
    width = max(map(len, rows), default=0)
    print(f"{'':{width}}" + "".join(f"{status:>9}" for status in STATUSES))
    for text, row in sorted(rows.items()):
        print(f"{text:{width}}" + "".join(f"{row[status] or '.':>9}" for status in STATUSES))
    return sum(sum(row.values()) for row in rows.values())


def describe(record):
    text = f"{record['status']}: {record['file']}:{record['line']}: {record['pipeline']}"
    if record.get("pass", "") not in record["pipeline"]:
        text += f" in {record['pass']}"
    message = record.get("placeless") or record.get("message", "")
    return text + (f"\n    {message.splitlines()[0][:160]}" if message else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sources", type=Path)
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--out", type=Path, help="where passes.json goes (default: BUILD/upstream)")
    parser.add_argument("--filter", default="", help="only files whose path matches")
    parser.add_argument("--passes", default="", help="only passes whose name matches")
    parser.add_argument("--one-in", type=int, default=1, help="run one of so many pairs of section and pass")
    parser.add_argument("--seed", type=int, help="of the draw and the orders (default: another one each time)")
    parser.add_argument("--orders", type=int, default=0, help="random orders of passes")
    parser.add_argument("--seconds", type=int, default=20, help="of the processor for one run")
    parser.add_argument("--facts", action="store_true", help="ask what is known before and after")
    parser.add_argument("--nested", action="store_true", help="put each section into a module in a module")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    tests = args.sources / "mlir" / "test"
    if not tests.is_dir():
        tests = args.sources
    if args.seed is None:
        args.seed = random.SystemRandom().randrange(2**31)
    print(f"--seed={args.seed}")
    texts = pipelines(args.passes) + orders(args.orders, args.seed)
    num_files, records = collect(args, texts, tests)
    out = args.out or args.build / "upstream"
    out.mkdir(parents=True, exist_ok=True)
    (out / "passes.json").write_text(json.dumps(records, indent=0) + "\n")
    unread = sum(record["status"] == "not parsed" for record in records)
    sections = sum(record["status"] == "done" for record in records)
    print(f"{num_files} files, {sections} sections; {unread} do not parse\n")
    num_runs = print_table(records)
    num_facts = sum(record.get("compared", 0) for record in records)
    if args.facts:
        print(f"{num_facts} facts compared")
    bad = [record for record in records if "pipeline" in record
           and not is_explained(record)]
    for record in bad:
        print(describe(record))
    print(f"{num_runs - len(bad)} passed, {len(bad)} failed")
    return 1 if bad or not num_runs or (args.facts and not num_facts) else 0


if __name__ == "__main__":
    sys.exit(main())
