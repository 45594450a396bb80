# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which sizes TOSA programs allow, beside the reference model of TOSA and NumPy.

    check_tosa_verdicts.py LIBRARY PROGRAMS.mlir VERDICTS.json numpy|strict [NAME]...

VERDICTS.json is what utils/make_tosa_verdicts.py wrote. The reference model takes a 1 that turns
up at run time as NumPy does. By default only a 1 of the type expands: what is allowed then is also
said in utils/tosa_programs.py, by conditions on extents. Extents of 0, which the reference model refuses, are NumPy's.
"""

import itertools
import json
import random
import sys
import tempfile
from pathlib import Path

import numpy as np

import symshape_c
from checking import Checks
from tosa_programs import MODES, PROGRAMS, read_functions

ZEROS = 20


def expected_with_zeros(program, function):
    """(extents, result of NumPy or None) for some extents of which one is 0."""
    candidates = [e for e in itertools.product(*(values[:4] for values in program.tried_extents(0))) if 0 in e]
    random.Random(function.name).shuffle(candidates)
    for extents in candidates[:ZEROS]:
        try:
            yield extents, program.numpy(*function.inputs(extents))
        except ValueError:
            yield extents, None


class Replay:
    def __init__(self, checks, library):
        self.checks, self.library = checks, library
        self.allowed, self.refused = 0, 0

    def call(self, compiled, function, extents, shape, what, expected=None):
        """Checks that the call gives a result of `shape`, or is refused if that is None."""
        what = f"{what} of {extents}"
        try:
            (result,) = compiled(*function.inputs(extents))
        except symshape_c.Error as error:
            self.refused += 1
            if self.checks.that(shape is None and error.status == 3, f"{what}: {shape}", f"  {error}"):
                self.checks.that("needed by tosa." in str(error), f"{what}: names an op", f"  {error}")
            return
        self.allowed += 1
        if self.checks.that(shape == result.shape, f"{what}: {shape}", f"  result of {result.shape}") and expected is not None:
            self.checks.close(result, expected, 1e-5, what)

    def program(self, text, mode, function, verdicts):
        program = PROGRAMS[function.name]
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
            file.write(MODES[mode] % text)
            file.flush()
            compiled = symshape_c.Program(file.name, library=self.library, entry=function.name)
        what = f"{mode} {function.name}"

        def is_allowed(extents):
            return mode == "numpy" or program.strict(*extents)
        for key, shape in verdicts.items():
            extents = tuple(map(int, key.split()))
            shape = tuple(map(int, shape.split("x"))) if shape and is_allowed(extents) else None
            expected = program.numpy(*function.inputs(extents)) if shape and program.numpy else None
            self.call(compiled, function, extents, shape, what, expected)
        if not program.numpy:
            return
        for extents, expected in expected_with_zeros(program, function):
            expected = None if expected is None or not is_allowed(extents) else expected
            self.call(compiled, function, extents, None if expected is None else expected.shape, what, expected)


def main():
    library, programs, verdicts, mode, *names = sys.argv[1:]
    functions, verdicts = read_functions(Path(programs)), json.loads(Path(verdicts).read_text())
    checks = Checks()
    replay = Replay(checks, symshape_c.load(library))
    for name in names or functions:
        replay.program(functions[name].text, mode, functions[name], verdicts[name])
    print(f"{mode}: {replay.allowed} calls allowed, {replay.refused} refused")
    if not names:
        refused = [list(v.values()).count(None) for v in verdicts.values() if len(v) == 30]
        checks.that(sum(8 <= count <= 22 for count in refused) >= 48, "48 programs at 30 sizes, 8 of each verdict")
        checks.that(min(replay.allowed, replay.refused) >= 400, "400 calls of each verdict")
    return checks.finish()


if __name__ == "__main__":
    with np.errstate(all="ignore"):
        sys.exit(main())
