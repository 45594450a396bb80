# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs through passes of ours and of upstream's in random order.

    check_orders.py [--seed N] [--programs N] [--least SHARE]

Each program goes through three to eight passes, and is then compiled and called: it must
compute what an interpretation of the program that was written does. Where it does not, and
it does not either through the passes of upstream among them, that is counted by itself. A
pass that refuses a program, with a place in it, ends the order; one that crashes, or
leaves what does not verify, is a failure. Fails as well if fewer than SHARE of the programs
are compared (default: 0.5).
"""

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from check_runs import Program, run

OURS = ["symshape-canonicalize", "symshape-infer-shapes", "symshape-insert-guards", "symshape-discharge",
        "symshape-convert-elementwise", "symshape-widen-integers", "symshape-expand-divisions",
        "symshape-lower-affine-ops", "symshape-inline-single-calls", "symshape-expand-batches",
        "symshape-fold-transposes", "symshape-fuse-elementwise", "symshape-hoist-invariants",
        "symshape-pad-to-static", "symshape-remove-masks", "symshape-specialize-calls", "symshape-lower-tensor-ops",
        "symshape-expand-pads", "symshape-prepare-bufferization", "symshape-expand-small-floats",
        "symshape-approximate-math", "symshape-specialize", "symshape-check-policies", "symshape-erase-annotations"]
UPSTREAM = ["canonicalize", "cse", "inline", "sccp", "remove-dead-values", "loop-invariant-code-motion",
            "int-range-optimizations", "lower-affine", "linalg-fuse-elementwise-ops", "symbol-dce"]


def transform(folder, text, passes):
    """The program after the passes as far as none refuses it, or None and what went wrong."""
    (folder / "before.mlir").write_text(text)
    done = subprocess.run(["symshape-opt", folder / "before.mlir", f"--pass-pipeline=builtin.module({','.join(passes)})"],
                          capture_output=True, text=True)
    if done.returncode == 0:
        return done.stdout, ""
    invalid = re.search(r"does not dominate|failed to verify|does not reference|unresolved materialization", done.stderr)
    placed = re.search(r"before\.mlir:\d+:\d+: error: ", done.stderr)
    refused = done.returncode == 1 and placed and not invalid
    return None, "" if refused else done.stderr


class Order:
    """A program, calls of it, and passes in random order."""

    def __init__(self, seed):
        self.program = Program(seed)
        choose = random.Random(seed)
        self.calls = self.program.calls(choose)
        self.passes = choose.choices(OURS, k=choose.randint(2, 4)) + choose.choices(UPSTREAM, k=choose.randint(1, 4))
        choose.shuffle(self.passes)

    def check(self, folder, passes):
        """(outcome, details) of these passes."""
        text, errors = transform(folder, self.program.text(), passes)
        if text is None:
            return ("broken", errors) if errors else ("refused by a pass", "")

        class After:
            """The program that is compiled."""

            @staticmethod
            def text():
                return text

        return run(After, self.calls, folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**31))
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--least", type=float, default=0.5, help="of the programs must be compared")
    args = parser.parse_args()
    # Passes of upstream read what nobody has written: it is the same each time, as in lit.
    os.environ.setdefault("MALLOC_PERTURB_", "165")
    print(f"--seed={args.seed}")
    outcomes = Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for i in range(args.programs):
            order = Order(args.seed * 1000003 + i)
            outcome, details = order.check(folder, order.passes) if order.calls else ("without a run", "")
            if outcome not in ("right", "refused by a pass", "refused as expected", "without a run"):
                theirs = [each for each in order.passes if each in UPSTREAM]
                if order.check(folder, theirs)[0] == outcome:
                    outcome = f"{outcome} by upstream's passes alone"
                else:
                    print(f"{order.program.text()}\n{','.join(order.passes)}\n{outcome}: {details}")
            outcomes[outcome] += 1
    print(", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items())))
    bad = sum(outcomes[outcome] for outcome in ("wrong", "refused", "broken"))
    few = outcomes["right"] < args.least * args.programs
    print(f"{args.programs - bad} passed, {bad} failed" + (", too few compared" if few else ""))
    return 1 if bad or few else 0


if __name__ == "__main__":
    sys.exit(main())
