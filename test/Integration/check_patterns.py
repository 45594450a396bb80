# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each set of upstream's patterns that passes of ours use, alone, on random programs.

Some sets are for structured ops and tensors (pattern_programs.py), or for what becomes of these on
buffers; for vectors and buffers (pattern_vectors.py); for TOSA (check_tosa_random.py); for small
floats, indices and arithmetic (pattern_scalars.py), loops and branches (test/Analysis/programs).

    check_patterns.py PLUGIN [--seed N] [--programs N] [--kinds NAME,...] [--sets NAME,...] [--show]

A set is applied as a pass of ours applies it (test/lib/ApplyPatterns.cpp); what the programs
that it changes compute then is compared with NumPy: at usual extents, with one of them 0, and
with all of them 1. So are the programs as they are, and after folders alone, which the driver
asks with each set. Fails as well if a set changes none of 40 programs that are always the same, or if
fewer than nine of ten programs are compiled. Prints the seed. utils/check_rewrites.py refuses
functions of upstream that rewrite and are in no set.
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
from dataclasses import dataclass

import numpy as np

import symrun
sys.path.insert(0, f"{os.path.dirname(__file__)}/../Analysis")
import check_runs
from checking import Checks
from check_tosa_random import Generator as TosaGenerator
from pattern_programs import Generator
from pattern_scalars import FloatChain, IndexChain, ScaleChain
from pattern_vectors import VectorProgram

# Kinds of programs, and the sets that are applied to them.
SETS = {
    "tensors": ["elementwise-to-linalg", "decompose-concat", "fuse-elementwise", "collapse-reshapes", "expand-reshapes",
                "erase-unused", "fold-empty", "generalize", "lower-packs", "linalg", "tensor"],
    "buffers": ["memref", "bufferization", "linalg-to-loops", "affine-to-std"],
    "vectors": ["vector", "memref", "affine-to-std", "forall-to-parallel", "linalg-to-loops", "vector-masks",
                "vector-to-scf", "vector-permutations", "vector-reductions", "vector-scans"],
    "tosa": ["tosa", "tosa-to-arith", "tosa-to-linalg", "tosa-to-linalg-named"],
    "floats": ["arith", "emulate-floats"],
    "scalars": ["arith", "index", "scf", "cf", "affine", "affine-to-std", "expand-divisions", "tosa-to-arith"],
}
ALL_SETS = sorted({name for sets in SETS.values() for name in sets})
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


def bufferize(texts):
    """The programs on buffers. A result is a buffer of its own: no two are the same one."""
    done = subprocess.run(["mlir-opt", "-", "--one-shot-bufferize=allow-unknown-ops"], input=write_all(texts),
                          capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return [re.sub(r"(bufferization\.to_tensor %\w+) :", r"\1 restrict :", text) for _, text in sorted(split(done.stdout).items())]


def extents(seed):
    choose = random.Random(seed)
    usual = [choose.randint(1, 4) for _ in range(3)]
    empty = list(usual)
    empty[choose.randrange(3)] = 0
    return [usual, empty, [1, 1, 1]]


@dataclass
class Case:
    """A program, and pairs of inputs and results: arrays, or words and indices."""
    text: str
    calls: list
    are_indices: bool = False


def make_tensors(number, **options):
    generator = Generator(number, **options)
    return [Case(generator.text("main"), [generator.call(values, number) for values in extents(number)])]


def make_buffers(number):
    """Without types that say 0: upstream's bufferization makes views of them that its verifiers refuse."""
    return make_tensors(number, has_zeros=False)


def make_vectors(number):
    program = VectorProgram(number)
    return [Case(program.text(), [program.call(number + k) for k in range(3)])]


def make_tosa(number):
    """The calls that are refused at no op."""
    generator = TosaGenerator(random.Random(number))
    text = generator.program()
    tried = [generator.inputs() for _ in range(12)]
    results = [generator.expected(call, strict=True) for call in tried]
    return [Case(text, [(call, [result]) for call, result in zip(tried, results) if result is not None][:4])]


def make_floats(number):
    chain = FloatChain(number)
    return [Case(chain.text(), chain.calls())]


def make_scalars(number):
    return [Case(program.text(), calls, are_indices=True)
            for program in (check_runs.Program(number), IndexChain(number), ScaleChain(number))
            if (calls := program.calls(random.Random(number)))]


MAKERS = {"tensors": make_tensors, "buffers": make_buffers, "vectors": make_vectors, "tosa": make_tosa,
          "floats": make_floats, "scalars": make_scalars}


def make_cases(kind, numbers):
    cases = [case for number in numbers for case in MAKERS[kind](number) if case.calls]
    if kind == "buffers":
        for case, text in zip(cases, bufferize([case.text for case in cases])):
            case.text = text
    return cases


class Comparison:
    def __init__(self, checks, folder, show):
        self.checks, self.path, self.show = checks, f"{folder}/program.mlir", show
        self.refused, self.run = [], 0

    def refuse(self, what, status, words):
        self.refused.append(f"{what}: {status}, {words.strip()[:300]}")
        self.checks.that(status in (1, 3), f"{what}: words", words[:300])

    def compare(self, what, text, case):
        """Runs what has become of a program."""
        self.run += 1
        with open(self.path, "w") as file:
            file.write(text)
        if case.are_indices:
            return self.compare_indices(what, text, case.calls)
        results = len(case.calls[0][1])
        run = symrun.run(self.path, [inputs for inputs, _ in case.calls], results=results)
        if run.status:
            return self.refuse(what, run.status, run.stderr)
        same = [len(seen) == results and all(x.dtype == y.dtype and np.array_equal(x, y, equal_nan=y.dtype.kind == "f") for x, y in zip(seen, expected))
                for (_, expected), seen in zip(case.calls, run.results)]
        return self.checks.that(all(same) and len(run.results) == len(case.calls), what, text if self.show else "")

    def compare_indices(self, what, text, calls):
        with open(f"{self.path}.calls", "w") as file:
            file.writelines(f"{words}\n" for words, _ in calls)
        done = subprocess.run(["symshape-run", self.path, f"--calls={self.path}.calls"], capture_output=True, text=True)
        if done.returncode:
            return self.refuse(what, done.returncode, done.stderr)
        seen = [int(line.split()[1]) for line in done.stdout.splitlines() if line.startswith("index:")]
        return self.checks.that(seen == [value for _, results in calls for value in results], what, text if self.show else "")


def check_kind(comparison, plugin, kind, sets, cases):
    """Compares the programs as they are, after folders, and after each of `sets`."""
    checks, module, changed = comparison.checks, write_all(case.text for case in cases), Counter()
    written, error = apply(plugin, module, None)
    checks.that(len(written) == len(cases), f"all {kind} are read", error[:1000])
    folded, error = apply(plugin, module, FOLDERS)
    checks.that(len(folded) == len(cases), f"all {kind} are folded", error[:1000])
    for name, functions in (("unchanged", written), ("folders", folded)):
        for number, text in functions.items():
            if name == "unchanged" or text != written[number]:
                comparison.compare(f"{kind} {number}, {name}", text, cases[number])
    for name in sets:
        functions, error = apply(plugin, module, name)
        checks.that(len(functions) == len(cases), f"{name} can be applied to {kind}", error[:1000])
        for number, text in functions.items():
            if text not in (written[number], folded[number]):
                changed[name] += 1
                comparison.compare(f"{kind} {number}, {name}", text, cases[number])
    print(f"{kind}: {len(cases)}, changed: {dict(changed)}")


def check_changes(checks, plugin, kind, sets):
    """Each set has programs to change."""
    module = write_all(case.text for case in make_cases(kind, range(100 if kind == "scalars" else 40)))
    written, folded = apply(plugin, module, None)[0], apply(plugin, module, FOLDERS)[0]
    for name in sets:
        functions, error = apply(plugin, module, name)
        changed = [k for k, text in functions.items() if text not in (written[k], folded[k])]
        checks.that(changed, f"{name} changes a program of {kind}", error[:1000])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("plugin")
    parser.add_argument("--seed", type=int, default=int(time.time()) % 10**6)
    parser.add_argument("--programs", type=int, default=10, help="of each kind")
    parser.add_argument("--kinds", default=",".join(SETS))
    parser.add_argument("--sets", default=",".join(ALL_SETS))
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    print(f"seed {options.seed}")
    numbers = [options.seed * 10**6 + k for k in range(options.programs)]
    checks, share = Checks(), os.environ.get("SYMRUN_EMPTY", "0")
    with tempfile.TemporaryDirectory(prefix="symshape") as folder:
        comparison = Comparison(checks, folder, options.show)
        for kind in options.kinds.split(","):
            # Upstream's bufferization, which makes buffers, takes what a structured op does not read for overwritten.
            os.environ["SYMRUN_EMPTY"] = "0" if kind == "buffers" else share
            sets = [name for name in SETS[kind] if name in options.sets.split(",")]
            check_changes(checks, options.plugin, kind, sets)
            check_kind(comparison, options.plugin, kind, sets, make_cases(kind, numbers))
    print(f"{comparison.run} programs run, {len(comparison.refused)} refused")
    if options.show or len(comparison.refused) * 10 > comparison.run:
        print("\n".join(comparison.refused))
    checks.that(comparison.run >= 2 * options.programs and len(comparison.refused) * 10 <= comparison.run,
                "nine of ten programs are compiled")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
