# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the encoder of examples/minilm with versions for some shapes beside NumPy.

    check_minilm_versions.py EXAMPLE-FOLDER LAYERS

Which version serves which call; what each requires; that weights are prepared
once for all of them. Then the encoder fixated at one shape beside the dynamic one.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import symrun
from checking import Checks
from check_minilm import TOLERANCE, encode, make_weights, program
from weights_file import safetensors

VERSIONS = """attributes {symshape.versions = [
    #symshape.version<"token", ["L == 1"]>, #symshape.version<"blocks", ["16 | L"]>,
    #symshape.version<"one", ["B == 1"]>]} {"""
# Of two versions that both admit a call, and neither of which is more specific,
# the first one declared serves it.
CALLS = {(2, 1): "token", (1, 1): "token", (3, 16): "blocks", (1, 32): "blocks", (2, 0): "blocks",
         (1, 7): "one", (2, 7): "default", (0, 5): "default", (8, 128): "blocks"}
FIXED = (8, 128)


def make_call(rng, batch, length):
    mask = rng.integers(0, 2, (batch, length))
    mask[:, :1] = 1
    return rng.integers(0, 30522, (batch, length)), mask


def fixate(text):
    """The program for one shape."""
    bind = "function=encode bind='B = {}, L = {}'".format(*FIXED)
    return subprocess.run(["symshape-opt", f"--symshape-fixate={bind}"], input=text, capture_output=True, text=True,
                          check=True).stdout


def peak(run):
    return int(re.search(r"peak (\d+) KiB", run.stderr)[1])


def main():
    layers = int(sys.argv[2])
    rng = np.random.default_rng(6)
    weights = make_weights(layers)
    calls = [make_call(rng, *shape) for shape in CALLS]
    dynamic = program.program(layers)
    head, body = dynamic.split("-> (!sentences {symshape.shape = #symshape.shape<[B, 384]>}) {\n  %h0")
    versions = f"{head}-> !sentences\n    {VERSIONS}\n  %h0{body}"
    checks = Checks()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "weights.safetensors").write_bytes(safetensors(weights))
        options = [f"--weights={folder}/weights.safetensors", "--verbose"]

        def run(text, calls, *more):
            (folder / "program.mlir").write_text(text)
            return symrun.run(folder / "program.mlir", calls, entry="encode", options=[*options, *more])

        chosen, plain = run(versions, calls), run(dynamic, calls)
        if checks.ran(chosen, len(calls), "versions"):
            for (ids, mask), (actual,) in zip(calls, chosen.results):
                checks.close(actual, encode(ids, mask, weights, layers), TOLERANCE, f"versions at {ids.shape}")
        # One call of each version; its results are those of the run before.
        few = [list(CALLS.values()).index(version) for version in dict.fromkeys(CALLS.values())]
        guarded = run(versions, [calls[place] for place in few], "--guard-pages")
        if checks.ran(guarded, len(few), "versions, guard pages"):
            for place, (actual,) in zip(few, guarded.results):
                checks.close(actual, chosen.results[place][0], 0, f"guard pages at {calls[place][0].shape}")
        checks.that(chosen.versions == list(CALLS.values()), "version of each call", f"  {chosen.versions}")
        checks.that(plain.versions == ["default"] * len(calls), "no version declared", f"  {plain.versions}")
        checks.that(peak(chosen) < 1.02 * peak(plain), "weights are prepared once",
                    f"  {peak(chosen)} KiB, without versions {peak(plain)} KiB")
        text = fixate(dynamic)
        checks.that("?" not in text and "symshape.shape" not in text, "fixated: no dynamic extent", text)
        place = list(CALLS).index(FIXED)
        fixed = run(text, [calls[place]])
        if checks.ran(fixed, 1, "fixated") and checks.ran(plain, len(calls), "dynamic"):
            checks.close(fixed.results[0][0], plain.results[place][0], 1e-6, "fixated, beside dynamic")
        for batch, length in [(2, 1), (2, 7)]:
            ids, mask = np.zeros((batch, length), np.int64), np.ones((batch + 1, length), np.int64)
            checks.refused(run(versions, [(ids, mask)]), [f"(B = {batch})", f"({batch + 1})"],
                           f"unequal batches at {ids.shape}")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
