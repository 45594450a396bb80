# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Larger random programs through passes of ours and of upstream's in random order: the calls that an interpreter here
serves have its results, those that it refuses are refused.

    check_random_orders.py LIBRARY FOLDER [--programs N] [--orders N] [--seed N] [--least SHARE]

Without a seed it draws one, and prints it; 2000 programs are for the night. Each goes through so many orders (default:
2). A pass may refuse a program, with a place in it. What is unsound of upstream's passes, and not of what stands for
them then, is counted by itself. Fails as well if fewer than SHARE of the orders are compared (default: 0.7).
"""

import argparse
import os
import random
import re
import sys
from collections import Counter
from pathlib import Path

import numpy as np

import modes
from check_random_programs import COUNTERPARTS, as_arrays
from random_programs import Program, draw_calls
from run_passes import OPTIONS, UPSTREAM, our_passes

sys.path.insert(0, f"{os.path.dirname(__file__)}/../Analysis")
from check_orders import transform  # noqa: E402

# Without those that need a name or are no part of an order, and what leaves ops that symshape-run does not read.
OURS = [name + options for name in our_passes() for options in OPTIONS.get(name, [""])[:1] if not re.search(
    r"\(|\{function|tosa-broadcast|-reduce|-verify-|compile-kernels|form-contractions|lower-runtime-checks|insert-timers", name + options)]
# Bufferization does not know what our ops do. Before the removal of dead values, signatures are moved into ops, and
# private functions that nothing calls go: it crashes where one calls another (docs/Rationale/UpstreamPatterns.md).
UPSTREAM = [name for name in UPSTREAM if not name.startswith(("one-shot", "remove-dead-values"))] + [
    "symbol-dce", "symshape-infer-shapes,symbol-dce,remove-dead-values"]
# What says that it loses facts or needs, and tiling: checks stand before them, as in our pipelines.
ERASES = ["symshape-expand-ops", "symshape-erase-annotations", "symshape-fuse-elementwise",
          "symshape-pad-to-static", *(name for name in UPSTREAM if "transform" in name)]
UNSOUND = "by what is unsound of upstream"
# The removal of dead values canonicalizes loops.
SOUND = {**COUNTERPARTS, UPSTREAM[-1]: "symshape-infer-shapes,symbol-dce"}


class Driver:
    def __init__(self, all_modes, folder):
        self.modes, self.folder = all_modes, folder

    def outcome(self, text, passes, calls, width):
        """What becomes of the calls after these passes, and details of the first that goes wrong."""
        after, errors = transform(self.folder, text, passes)
        if after is None and not errors and all(expected is None for _, _, expected in calls):
            return "refused by a pass", ""
        if after is None:
            return "broken", errors or "a program with calls to be served is refused"
        path = self.folder / "after.mlir"
        path.write_text(after)
        inputs = [list(inputs.values()) for _, inputs, _ in calls]
        found = self.modes.run(path, inputs, results=width, modes=["always"])["always"]
        for (dims, _, expected), one in zip(calls, found):
            if one.status == modes.CRASHED:
                return "crash", f"{dims}: {one.message}"
            if (one.status == 0) != (expected is not None):
                return "served" if expected is None else "refused", f"{dims}: {one.message}"
            if expected is not None and not modes.same_results(one.results, as_arrays(expected), 1e-4):
                return "wrong", f"{dims}: {one.results} instead of {expected}"
        return "right", ""

    def check(self, seed, orders):
        rng, numbers = random.Random(seed), np.random.default_rng(seed)
        for _ in range(3):  # or many programs have no call that is served
            program = Program(rng)
            program.grow(rng.choice([3, 5, 8, 12]))
            calls = draw_calls(rng, numbers, program, 3, 2)
            if any(results is not None for _, _, results in calls):
                break
        return Counter(self.check_order(seed, rng, program, calls) for _ in range(orders))

    def check_order(self, seed, rng, program, calls):
        width = len(program.results())
        passes = rng.choices(OURS, k=rng.randint(2, 4)) + rng.choices(UPSTREAM, k=rng.randint(1, 4))
        rng.shuffle(passes)
        if first := next((name for name in passes if name in ERASES), None):
            passes.insert(passes.index(first), "symshape-insert-guards")
        outcome, details = self.outcome(program.text(), passes, calls, width)
        if outcome in ("right", "refused by a pass"):
            return outcome
        sound = [SOUND.get(name, name) for name in passes]
        found, details = self.outcome(program.text(), sound, calls, width)
        if found in ("right", "refused by a pass"):
            return f"{outcome} {UNSOUND}"
        if self.outcome(program.text(), [name for name in passes if name in UPSTREAM], calls, width)[0] == found:
            return f"{found} by upstream's passes alone"
        print(f"seed {seed}: {','.join(sound)}\n{program.text()}{found}: {details}", flush=True)
        return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--programs", type=int, default=40)
    parser.add_argument("--orders", type=int, default=2, help="of passes, for each program")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--least", type=float, default=0.7, help="of the orders must be compared")
    args = parser.parse_args()
    seed = random.randrange(10**6) if args.seed is None else args.seed
    print(f"seed {seed}", flush=True)
    args.folder.mkdir(parents=True, exist_ok=True)
    outcomes = Counter()
    with modes.Modes(args.library, args.folder) as all_modes:
        driver = Driver(all_modes, args.folder)
        for number in range(args.programs):
            outcomes += driver.check(seed * 10000 + number, args.orders)
    print(", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items())))
    bad = sum(outcomes[outcome] for outcome in ("wrong", "served", "refused", "broken", "crash"))
    compared = sum(count for outcome, count in outcomes.items() if outcome == "right" or outcome.endswith(UNSOUND))
    few = compared < args.least * args.programs * args.orders
    print(f"{args.programs * args.orders - bad} passed, {bad} failed" + (", too few compared" if few else ""))
    return 1 if bad or few else 0


if __name__ == "__main__":
    sys.exit(main())
