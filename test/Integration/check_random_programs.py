# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Larger random programs in every mode, with static types, and after upstream's passes: the same
verdict, message and result of each call, which are those of an interpreter here.

    check_random_programs.py LIBRARY FOLDER [--programs N] [--first N] [--seed N] [--long]

Without a seed it draws one, and prints it. --long makes more calls of each program, each refused
one in every mode, and runs all of upstream's passes on each: for the night, with 2000 programs.
"""

import argparse
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np

import modes
from checking import Checks
from random_programs import Program, draw_calls

# Patterns of upstream that take for granted what need not be (docs/Rationale/UpstreamPatterns.md): that a loop's tensor
# keeps its extents, that a slice is as long as a later op wants, that the operands of an op that is never reached
# agree, that an op may have a result of a narrower type (it does not verify any more).
UNSOUND = ("(anonymous namespace)::ForOpTensorCastFolder,(anonymous namespace)::TensorCastExtractSlice,"
           "(anonymous namespace)::InferStaticShapeOfOperands,(anonymous namespace)::FoldTensorCastConsumerOp,"
           "FoldTensorCastProducerOp")
SOUND = f"canonicalize{{disable-patterns={{{UNSOUND}}}}}"
# What says the same without them; nor does upstream ask whether a loop has a turn before a slice leaves it.
COUNTERPARTS = {"canonicalize": SOUND, "inline": f"inline{{default-pipeline=}},{SOUND}",
                "loop-invariant-code-motion": "symshape-hoist-invariants"}
# Folds of upstream, which it has no name for, erase ops and what these need: before them stand checks.
GUARDED = "symshape-insert-guards,"
PASSES = ["canonicalize", "cse", "inline", "loop-invariant-code-motion", "sccp"]


def as_arrays(results):
    return [np.asarray(result, np.float32) for result in results]


class Driver:
    def __init__(self, all_modes, args):
        self.modes, self.folder, self.is_long = all_modes, args.folder, args.long
        self.checks, self.counts = Checks(), Counter()

    def run(self, path, calls, results, which):
        return self.modes.run(path, [list(inputs.values()) for _, inputs, _ in calls], results=results, modes=which,
                              last_refused=not self.is_long)

    def after(self, path, passes, calls, width, first):
        """In words, what passes change."""
        target = path.with_name("rewritten.mlir")
        done = subprocess.run(["symshape-opt", path, "-o", target, f"--pass-pipeline=builtin.module({passes})"],
                              capture_output=True, text=True)
        if done.returncode and GUARDED in passes and all(one.status == first[0].status == 1 for one in first):
            return []  # what can never hold
        if done.returncode:
            return [f"{passes}: {done.stderr}"]
        found = self.run(target, calls, width, ["always"])["always"]
        return modes.differences({"always": first, passes: found}, exact=False)

    def after_passes(self, path, calls, width, first, rng):
        """In words, what passes of upstream change and their sound counterparts, too."""
        wrong = []
        for names in [[name] for name in PASSES] if self.is_long else [rng.sample(PASSES, 2)]:
            if self.after(path, ",".join(names), calls, width, first):
                sound = ",".join(COUNTERPARTS.get(name, name) for name in names)
                found = self.after(path, sound, calls, width, first)
                self.counts["changes by what is unsound of upstream"] += not found
                if found and not self.after(path, GUARDED + sound, calls, width, first):
                    self.counts["changes by folds that lose what an op needs"] += 1
                    continue
                wrong += found
        return wrong

    def static(self, program, calls, count):
        """The outcomes of calls of programs whose types say the extents, None for other calls."""
        found, kinds = [], Counter()
        for dims, inputs, results in calls:
            kinds[results is None] += 1
            # Types that contradict each other are not of one static program.
            fits = all(inputs[name].shape == tuple(dims[d] for d in letters) for name, letters in
                       (("%a", "MN"), ("%b", "NP"), ("%c", "MN"), ("%v", "K"), ("%w", "K")))
            if not fits or kinds[results is None] > count or any(dims[s] != n for s, n in program.static.items()):
                found.append(None)
                continue
            path = self.folder / "static.mlir"
            path.write_text(program.text(dims))
            found += self.run(path, [(dims, inputs, results)], len(program.results()), ["always"])["always"]
        return found

    def check(self, seed):
        rng, numbers = random.Random(seed), np.random.default_rng(seed)
        program = Program(rng)
        program.grow(rng.choice([3, 5, 8, 12]))
        calls = draw_calls(rng, numbers, program, *((4, 4) if self.is_long else (3, 2)))
        path, width = self.folder / "program.mlir", len(program.results())
        path.write_text(program.text())
        outcomes = self.run(path, calls, width, modes.ALL)
        wrong = modes.differences(outcomes)
        static = self.static(program, calls, 4 if self.is_long else 1)
        wrong += modes.differences({"always": outcomes["always"], "static": static}, exact=False)
        wrong += self.after_passes(path, calls, width, outcomes["always"], rng)
        self.checks.that(not wrong, f"seed {seed}: the same in every mode", "\n".join(wrong) + "\n" + program.text())
        for (dims, inputs, expected), outcome in zip(calls, outcomes["always"]):
            self.counts["calls served" if expected is not None else "calls refused"] += 1
            here = f"seed {seed} at {dims}, {inputs['%s']}"
            verdict = (outcome.status == 0) == (expected is not None)
            if self.checks.that(verdict, f"{here}: served or refused", outcome.message + "\n" + program.text()) and \
                    expected is not None:
                self.checks.that(modes.same_results(outcome.results, as_arrays(expected), 1e-4), f"{here}: the results",
                                 f"  {outcome.results}\n  {expected}\n{program.text()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--programs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--first", type=int, default=0, help="the number of the first program")
    args = parser.parse_args()
    seed = random.randrange(10**6) if args.seed is None else args.seed
    print(f"seed {seed}", flush=True)
    args.folder.mkdir(parents=True, exist_ok=True)
    with modes.Modes(args.library, args.folder) as all_modes:
        driver = Driver(all_modes, args)
        for number in range(args.first, args.first + args.programs):
            driver.check(seed * 10000 + number)
    print(", ".join(f"{count} {what}" for what, count in sorted(driver.counts.items())))
    for what in ("served", "refused"):
        driver.checks.that(driver.counts[f"calls {what}"] >= args.programs, f"enough calls are {what}")
    return driver.checks.finish()


if __name__ == "__main__":
    sys.exit(main())
