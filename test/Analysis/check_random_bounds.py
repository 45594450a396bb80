#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bounds of random programs beside those of MLIR's value bounds and integer ranges.

    check_random_bounds.py PLUGIN [--programs N] [--seed N] [--show]

Of each index and each open extent, right where it is made: its equal, its lower and its upper
bound in terms of the values that it is made of, and its range. The programs are those of
check_programs.py (index arithmetic, slices, branches, loops) and, every other one, those of
test/Integration (linalg, windows, calls). Fails where ours says less, or is apart from
upstream's, and where fewer than ten bounds and ranges of a program are compared.
"""

import argparse
import random
import sys
from collections import Counter
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "Integration"))
import random_programs  # noqa: E402
from check_extents import Tool  # noqa: E402
from programs.regions import Generator  # noqa: E402

BATCH = 20
LEAST = 10  # bounds and ranges of a program
BAD = ("weaker", "ours wrong", "apart")


class Module:
    """A program; its functions have names of their own, and so have the records of them."""

    def __init__(self, seed):
        self.name, self.source = f"program {seed}", "random"
        if seed % 2:
            self.body = Generator(seed).function(f"f{seed}").text()
            return
        program = random_programs.Program(random.Random(seed))
        program.grow(8)
        self.body = program.text().replace("@main(", f"@main{seed}(")

    def text(self, probe):
        return self.body


def outcome_of(record):
    """Ranges of counters without a sign, which upstream reads as signed, are not compared."""
    is_other = record.get("unsigned") and record["outcome"] in BAD
    return "another model" if is_other else record["outcome"]


def describe(record):
    what = record.get("query") or f"range of {record['text']}"
    return f"{record['outcome']}: @{record['function']}: {what}: upstream {record['upstream']}, ours {record['ours']}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("plugin")
    parser.add_argument("--programs", type=int, default=40)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--show", action="store_true", help="print the programs of what is weaker")
    args = parser.parse_args()
    print(f"seed {args.seed}", flush=True)
    tool = Tool(args.plugin)
    bounds, ranges, bad, reasons = Counter(), Counter(), [], Counter()
    for first in range(0, args.programs, BATCH):
        numbers = range(first, min(first + BATCH, args.programs))
        modules = [Module(args.seed * 10**6 + number) for number in numbers]
        for outcomes, passes in ((bounds, "symshape-compare-bounds{all}"), (ranges, "symshape-compare-ranges")):
            found = tool.lines_in_halves(modules, None, passes)
            for record in found:
                record["outcome"] = outcome_of(record)
            outcomes.update(record["outcome"] for record in found)
            reasons.update(record["reason"] for record in found if record["outcome"] == "unreachable")
            worse = [describe(record) for record in found if record["outcome"] in BAD]
            bad += worse
            for line in worse:
                print(f"programs {numbers[0]} to {numbers[-1]}: {line}", flush=True)
            if worse and args.show:
                print("\n// -----\n".join(module.body for module in modules))
    for crash in tool.crashes:
        print(f"upstream crashes: {crash}")
    for title, outcomes in (("bounds", bounds), ("ranges", ranges)):
        print(f"{sum(outcomes.values())} {title}: " + ", ".join(f"{n} {what}" for what, n in sorted(outcomes.items())))
    print("unreachable: " + ", ".join(f"{n} {why}" for why, n in sorted(reasons.items())))
    compared = min(sum(counts.values()) - counts["unreachable"] for counts in (bounds, ranges))
    print(f"{args.programs} programs, {len(bad)} weaker")
    return 1 if bad or compared < LEAST * args.programs else 0


if __name__ == "__main__":
    sys.exit(main())
