#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draw conformance tests of TOSA with the official generator (package `tosa-tools`).

    draw_tosa_tests.py FOLDER --packages=build/tosa-suite/packages [--negative]
                       [--sample=N] [--seed=N] [--max=N] [--filter=REGEX]
                       [--random-const-inputs]

The generator lists all tests of an op and picks at most --max for each rank and each
types. Of these all, or as many as --sample says, spread over ops and types, are written
as FOLDER/OP/TEST. FOLDER/drawn.json says which, how many there were to choose
from, and what was left out and why. With --negative: tests that must be refused.
"""

import argparse
import collections
import itertools
import json
import math
import random
import re
import sys
import traceback
from pathlib import Path

EXTENSIONS = ("bf16", "controlflow", "doubleround", "dynamic", "fft", "fp8e4m3", "fp8e5m2", "inexactround", "int16",
              "int4", "variable", "int64", "shape")

# What neither MLIR 22's dialect nor symshape has, by name of the test.
EXCLUDED = [(re.compile(pattern), why) for pattern, why in (
    (r"(^|_|x)(out)?(mx)?f8e", "floats of 8 bits"),
    (r"block_scaled", "block-scaled numbers"),
    (r"^(assert_equal_shape|matmul_t|row_gather|(avg|max)_pool2d_adaptive)(_|$)", "an op that MLIR 22 does not have"),
)]

# Extents of each draw, its ops, and its share of a sample: tests of sums of floats need many
# numbers, so that small extents give none of these ops.
DRAWS = {"fft": ("32,65", "r?fft2d", 0.01), "large": ("9,17", "matmul$|avg_pool2d$", 0.04), "small": ("1,9", "", 1)}


def reason_to_exclude(name):
    return next((why for pattern, why in EXCLUDED if pattern.search(name)), None)


def spread(tests, count, seed):
    """`count` of the tests: one of each op and types first, then a second one of each, ..."""
    buckets = collections.defaultdict(list)
    for test in sorted(tests, key=str):
        buckets[re.sub(r"_\d+x\d+(x\d+)?$", "", test.opName), str(test.error or test.dtype)].append(test)
    generator = random.Random(seed)
    for bucket in buckets.values():
        generator.shuffle(bucket)
    chosen = []
    for layer in itertools.zip_longest(*buckets.values()):
        layer = [test for test in layer if test is not None]
        left = count - len(chosen)
        chosen += layer if len(layer) <= left else generator.sample(layer, left)
    return chosen


class Draw:
    def __init__(self, options):
        from generator.tosa_test_gen import TosaTestGen
        self.options, self.left, self.share = options, options.sample, 1  # left: None without a sample
        # A convolution has an entry for all kernels here: as upstream picks its tests, all that there are.
        rule = {"permutes": ["rank", "type"], "maximum": options.max, "groups": ["s"], "num_errorifs": options.max}
        self.rules = {op: {"selection": {"default": rule}} for op in TosaTestGen.TOSA_OP_LIST}
        self.listed, self.excluded = 0, collections.defaultdict(list)

    def choose(self, tests):
        """Of what the generator has picked, what to write."""
        self.listed += len(tests)
        plain = []
        for test in tests:
            name = str(test)
            if why := reason_to_exclude(name):
                self.excluded[why].append(name)
            elif re.search(self.options.filter, name):
                plain.append(test)
        if self.left is None:
            return plain
        count = min(len(plain), self.left, math.ceil(self.options.sample * self.share))
        self.left -= count
        return spread(plain, count, self.options.seed)

    def take_part(self, build):
        """Makes the generator `build` write what is chosen here, and go on where it fails."""
        draw, write = self, build.TosaTestGen.serializeTest

        class Chosen(build.TosaTestSelectList):
            def select(self, *arguments, **named):
                return draw.choose(super().select(*arguments, **named))

        def write_or_exclude(self, test):
            try:
                if write(self, test):
                    return True
            except Exception:
                traceback.print_exc()
            draw.excluded["the generator fails to write it"].append(str(test))
            return True

        build.TosaTestSelectList, build.TosaTestGen.serializeTest = Chosen, write_or_exclude

    def run(self, build, name, dims, ops, share):
        """Runs the generator; tests of one draw may have names of another."""
        options, self.share = self.options, share
        folder = options.folder / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "rules.json").write_text(json.dumps(self.rules))
        arguments = ["--seed", str(options.seed), "--profile", "all",
                     "--extension", *(f"tosa-ext-{name}" for name in EXTENSIONS),
                     "--tensor-dim-range", dims, "--max-batch-size", "2", "--max-resize-output-dim", "40",
                     "--num-const-inputs-concat", "1", "--no-special-tests",
                     "--test-type", "negative" if options.negative else "positive",
                     "--test-selection-config", str(folder / "rules.json"),
                     "--generate-lib-path", str(next(options.packages.glob("tosa_reference_model/*generate_lib.so"))),
                     "-o", str(folder)]
        if ops:
            arguments += ["--filter", f"({ops})"]
        if options.random_const_inputs:
            arguments += ["--random-const-inputs"]
        if status := build.main(arguments):
            sys.exit(status)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--packages", type=Path, required=True, help="where tosa-tools is")
    parser.add_argument("--negative", action="store_true", help="tests that must be refused")
    parser.add_argument("--sample", type=int, help="how many (default: all that the generator picks)")
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--max", type=int, default=1, help="tests for each rank and types (default 1)")
    parser.add_argument("--filter", default="", help="only tests whose name matches")
    parser.add_argument("--random-const-inputs", action="store_true", help="weights and the like may be arguments")
    options = parser.parse_args()
    sys.path.insert(0, str(options.packages))
    import generator.tosa_verif_build_tests as build
    draw = Draw(options)
    draw.take_part(build)
    for name, (dims, ops, share) in DRAWS.items():
        if not options.negative or name == "small":
            draw.run(build, name, dims, ops, share)
    tests = sorted(str(path.parent.relative_to(options.folder)) for path in options.folder.rglob("desc.json"))
    (options.folder / "drawn.json").write_text(json.dumps(
        {"listed": draw.listed, "tests": tests, "excluded": draw.excluded}, indent=1))


if __name__ == "__main__":
    main()
