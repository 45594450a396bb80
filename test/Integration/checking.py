# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the numeric tests share: expectations that are counted and reported."""

import os
import sys
import tempfile

import numpy as np
import symrun


def split_arguments(arguments):
    """(--cpu=NAME if it is there, the other arguments), both lists."""
    cpu = [a for a in arguments if a.startswith("--cpu=")]
    return cpu, [a for a in arguments if a not in cpu]


def turn(items, number):
    """Every other one of `items`, for program `number` the ones, for the next the others. With the variable
    SYMSHAPE_LONG all of them."""
    return items if os.environ.get("SYMSHAPE_LONG") else items[number % 2::2]


class Checks:
    """Collects what does not hold; `finish` prints it and gives the exit status."""

    def __init__(self):
        self.made = 0
        self.failed = 0

    def that(self, condition, what, detail=""):
        self.made += 1
        if not condition:
            self.failed += 1
            print(f"not so: {what}\n{detail}".rstrip(), file=sys.stderr)
        return bool(condition)

    def close(self, actual, expected, tolerance, what):
        difference = symrun.largest_difference(actual, expected)
        self.that(difference <= tolerance, f"{what}: equal to {tolerance}",
                  f"  largest difference {difference}, shapes {actual.shape}, {expected.shape}")

    def near(self, actual, expected, tolerance, what):
        """As `close`, but of the magnitude of elements beyond 1."""
        if not tolerance or actual.shape != expected.shape:
            return self.close(actual, expected, tolerance, what)
        with np.errstate(invalid="ignore"):
            scale = np.where(np.isfinite(expected), np.maximum(1.0, np.abs(expected, dtype=np.float64)), 1.0)
        self.close(actual / scale, expected / scale, tolerance, what)

    def ran(self, run, calls, what):
        self.that(run.live == 0, f"{what}: no block is left", f"  {run.live} blocks")
        return self.that(run.status == 0 and len(run.results) == calls, f"{what}: exit status 0",
                         f"  exit status {run.status}\n{run.stdout}{run.stderr}")

    def refused(self, run, words, what):
        """Exit status 3 and a message with all of `words`; no result was written."""
        self.that(run.status == 3, f"{what}: exit status 3",
                  f"  exit status {run.status}\n{run.stdout}{run.stderr}")
        self.that(not run.results, f"{what}: no result")
        self.that(run.live in (0, None), f"{what}: no block is left", f"  {run.live} blocks")
        for word in words:
            self.that(word in run.stderr, f"{what}: the message has '{word}'", f"  {run.stderr}")

    def finish(self):
        print(f"{self.made - self.failed} checks hold, {self.failed} do not")
        return 1 if self.failed or not self.made else 0


class Groups:
    """Functions of a test by name; as a decorator, adds one. Each takes a runner of programs."""

    def __init__(self):
        self.functions = {}

    def __call__(self, function):
        assert function.__name__ not in self.functions
        self.functions[function.__name__] = function
        return function

    def run(self, names, make_runner):
        """Runs those of `names`, without names all; gives the exit status."""
        checks = Checks()
        with tempfile.TemporaryDirectory(prefix="symshape") as folder:
            for name in names or self.functions:
                self.functions[name](make_runner(checks, folder))
        return checks.finish()
