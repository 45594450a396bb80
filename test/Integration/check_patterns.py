# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each set of upstream's patterns that passes of ours use, alone, on random programs.

Half of the sets are for structured ops and tensors (pattern_programs.py), half for arithmetic,
loops and branches (test/Analysis/programs).

    check_patterns.py PLUGIN [--seed N] [--programs N] [--sets NAME,...] [--show]

A set is applied as a pass of ours applies it (test/lib/ApplyPatterns.cpp); what the programs
that it changes compute then is compared with NumPy: at usual extents, with one of them 0, and
with all of them 1. So are the programs as they are, and after folders alone, which the driver
asks with each set. Fails as well if a set changes none of 40 programs that are always the same, or if
fewer than nine of ten programs are compiled. Prints the seed.
"""

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter

import numpy as np

import symrun
sys.path.insert(0, f"{os.path.dirname(__file__)}/../Analysis")
import check_runs
from checking import Checks
from pattern_programs import Generator, IndexChain

SETS = ["elementwise-to-linalg", "decompose-concat", "fuse-elementwise", "collapse-reshapes", "expand-reshapes",
        "erase-unused", "fold-empty", "generalize", "lower-packs", "linalg", "tensor"]
SCALAR_SETS = ["arith", "index", "scf", "cf", "affine", "expand-divisions"]
FOLDERS = "builtin"  # a dialect without patterns of its own
FUNCTION = re.compile(r"^  func\.func @p(\d+)\(.*?^  }$", re.M | re.S)
ALIAS = re.compile(r"^(#(?:map|set)\d*) = (.*)$", re.M)


def split(text):
    """The functions of a module by number, with maps and sets written out."""
    aliases = dict(ALIAS.findall(text))
    whole = re.sub(r"#(?:map|set)\d*\b", lambda m: aliases.get(m.group(), m.group()), text)
    return {int(m.group(1)): m.group().replace(f"@p{m.group(1)}(", "@main(") for m in FUNCTION.finditer(whole)}


def apply(plugin, text, name):
    """The functions of `text` after the patterns of the set `name`, or those of no set; an error."""
    passes = f"symshape-apply-patterns{{set={name}}}" if name else ""
    done = subprocess.run(["mlir-opt", f"--load-pass-plugin={plugin}", f"--load-dialect-plugin={plugin}",
                           f"--pass-pipeline=builtin.module({passes})"], input=text, capture_output=True, text=True)
    return split(done.stdout) if done.returncode == 0 else {}, done.stderr if done.returncode else ""


def write_all(texts):
    """A module with functions that are all called main."""
    return "".join(text.replace("@main(", f"@p{k}(") for k, text in enumerate(texts))


def extents(seed):
    choose = random.Random(seed)
    usual = [choose.randint(1, 4) for _ in range(3)]
    empty = list(usual)
    empty[choose.randrange(3)] = 0
    return [usual, empty, [1, 1, 1]]


class Comparison:
    def __init__(self, checks, folder, show):
        self.checks, self.path, self.show = checks, f"{folder}/program.mlir", show
        self.refused, self.run = [], 0

    def write(self, text):
        self.run += 1
        with open(self.path, "w") as file:
            file.write(text)

    def refuse(self, what, status, words):
        self.refused.append(f"{what}: {status}, {words.strip()[:300]}")
        self.checks.that(status in (1, 3), f"{what}: words", words[:300])

    def compare_indices(self, what, text, calls):
        """Programs whose results are indices; calls are inputs as symshape-run reads them, and results."""
        self.write(text)
        with open(f"{self.path}.calls", "w") as file:
            file.writelines(f"{words}\n" for words, _ in calls)
        done = subprocess.run(["symshape-run", self.path, f"--calls={self.path}.calls"], capture_output=True, text=True)
        if done.returncode:
            return self.refuse(what, done.returncode, done.stderr)
        seen = [int(line.split()[1]) for line in done.stdout.splitlines() if line.startswith("index:")]
        return self.checks.that(seen == [value for _, results in calls for value in results], what, text if self.show else "")

    def compare(self, what, text, generator, calls):
        self.write(text)
        results = len(generator.results)
        run = symrun.run(self.path, [inputs for inputs, _ in calls], results=results)
        if run.status:
            self.refuse(what, run.status, run.stderr)
            return
        for (_, expected), seen in zip(calls, run.results):
            same = all(np.array_equal(x, y) for x, y in zip(seen, expected))
            self.checks.that(same and len(seen) == results, what, f"{text if self.show else ''}")


def check_sets(comparison, plugin, sets, texts, compare):
    """Compares the programs as they are, after folders, and after each of `sets`."""
    checks, module, changed = comparison.checks, write_all(texts), Counter()
    written, error = apply(plugin, module, None)
    checks.that(len(written) == len(texts), "all programs are read", error[:1000])
    folded, error = apply(plugin, module, FOLDERS)
    checks.that(len(folded) == len(texts), "all programs are folded", error[:1000])
    for name, functions in (("unchanged", written), ("folders", folded)):
        for number, text in functions.items():
            compare(f"program {number}, {name}", text, number)
    for name in sets:
        functions, error = apply(plugin, module, name)
        checks.that(len(functions) == len(folded), f"{name} can be applied", error[:1000])
        for number, text in functions.items():
            if text != folded[number]:
                changed[name] += 1
                compare(f"program {number}, {name}", text, number)
    print(f"changed: {dict(changed)}")


def check_changes(checks, plugin, sets, texts):
    """Each set has programs to change."""
    module = write_all(texts)
    folded, _ = apply(plugin, module, FOLDERS)
    for name in sets:
        functions, error = apply(plugin, module, name)
        changed = [k for k, text in functions.items() if text != folded[k]]
        checks.that(len(folded) == len(texts) and changed, f"{name} changes a program", error[:1000])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("plugin")
    parser.add_argument("--seed", type=int, default=int(time.time()) % 10**6)
    parser.add_argument("--programs", type=int, default=10, help="of each kind")
    parser.add_argument("--sets", default=",".join(SETS + SCALAR_SETS))
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    chosen = options.sets.split(",")
    sets, scalar_sets = ([s for s in group if s in chosen] for group in (SETS, SCALAR_SETS))
    print(f"seed {options.seed}")
    numbers = [options.seed * 10**6 + k for k in range(options.programs)]
    generators = [Generator(number) for number in numbers]
    calls = [[g.call(values, k) for values in extents(k)] for k, g in enumerate(generators)]
    scalar = [(program, program.calls(random.Random(number)))
              for number in numbers for program in (check_runs.Program(number), IndexChain(number))]
    scalar = [(program.text(), made) for program, made in scalar if made]
    checks = Checks()
    check_changes(checks, options.plugin, sets, [Generator(k).text("main") for k in range(40)])
    always = [program.text() for k in range(100) for program in (check_runs.Program(k), IndexChain(k)) if program.results]
    check_changes(checks, options.plugin, scalar_sets, always)
    with tempfile.TemporaryDirectory(prefix="symshape") as folder:
        comparison = Comparison(checks, folder, options.show)
        check_sets(comparison, options.plugin, sets, [g.text("main") for g in generators],
                   lambda what, text, k: comparison.compare(what, text, generators[k], calls[k]))
        check_sets(comparison, options.plugin, scalar_sets, [text for text, _ in scalar],
                   lambda what, text, k: comparison.compare_indices(f"scalar {what}", text, scalar[k][1]))
    print(f"{comparison.run} programs run, {len(comparison.refused)} refused")
    if options.show or len(comparison.refused) * 10 > comparison.run:
        print("\n".join(comparison.refused))
    checks.that(comparison.run >= 4 * options.programs and len(comparison.refused) * 10 <= comparison.run,
                "nine of ten programs are compiled")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
