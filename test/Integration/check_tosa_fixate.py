# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TOSA programs made static for sizes, beside the programs that allow all sizes.

    check_tosa_fixate.py LIBRARY PROGRAMS.mlir VERDICTS.json [NAME]...

Without names, every second program.

With sizes that the reference model allows (utils/make_tosa_verdicts.py), the static program has no
open extent, the result's type is the shape that the open program gives, which is that of the
reference model, and both compute the same. Sizes that it refuses are refused with the op and the
arguments they come from.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import symshape_c
from checking import Checks
from tosa_programs import MODES, PROGRAMS, read_functions

NUMPY = MODES["numpy"]


class Fixate:
    def __init__(self, checks, library, folder):
        self.checks, self.library, self.folder = checks, library, Path(folder)
        self.equal, self.refused, self.two_places = 0, 0, 0

    def fixate(self, function, text, extents):
        """(exit status, the program, messages)"""
        (self.folder / "open.mlir").write_text(text)
        shapes = ", ".join("x".join(map(str, shape)) for shape in function.shapes(extents))
        done = subprocess.run(["symshape-opt", self.folder / "open.mlir", "--mlir-print-op-on-diagnostic=false",
                               f"--symshape-fixate=function={function.name} shapes='{shapes}'"], capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    def run(self, function, text, inputs):
        path = self.folder / "run.mlir"
        path.write_text(text)
        return symshape_c.Program(path, library=self.library, entry=function.name)(*inputs)[0]

    def agree(self, function, extents, shape):
        what = f"{function.name} for {extents}"
        status, text, messages = self.fixate(function, NUMPY % function.text, extents)
        if not self.checks.that(status == 0, f"{what} becomes static", messages):
            return
        types = re.findall(r"tensor<([^>]*)>", re.search(r"\) -> (tensor<.*?>) \{", text)[1])
        self.checks.that(types[0].split("x")[:-1] == shape.split("x"), f"{what} gives {shape}", f"  {types}")
        self.checks.that("?" not in text and "tensor.cast" not in text and "tosa.dim" not in text, f"{what} is static", text)
        inputs = function.inputs(extents)
        open_result = self.run(function, NUMPY % function.text, inputs)
        self.checks.that(list(open_result.shape) == [int(e) for e in shape.split("x")], f"{what}: the open program gives {shape}")
        self.checks.close(self.run(function, text, inputs), open_result, 1e-6, what)
        self.equal += 1

    def refuse(self, function, text, extents):
        what = f"{function.name} for {extents}"
        status, _, messages = self.fixate(function, text, extents)
        self.checks.that(status == 1, f"{what}: exit status 1", f"  {status}\n{messages}")
        self.checks.that("cannot hold at argument #" in messages and "needed by tosa." in messages,
                         f"{what}: the message names an op", messages)
        places = set(re.findall(r"note: (argument #\d+ dim \d+) \(", messages))
        self.checks.that(places, f"{what}: the message names an argument", messages)
        self.refused += 1
        self.two_places += len(places) > 1


def main():
    library, programs, verdicts, *names = sys.argv[1:]
    functions, verdicts = read_functions(Path(programs)), json.loads(Path(verdicts).read_text())
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="fixate") as folder:
        fixate = Fixate(checks, symshape_c.load(library), folder)
        for name in names or list(functions)[::2]:
            sizes = [(tuple(map(int, key.split())), shape) for key, shape in verdicts[name].items()]
            allowed = [(extents, shape) for extents, shape in sizes if shape]
            fixate.agree(functions[name], *allowed[len(allowed) // 2])
            fixate.refuse(functions[name], NUMPY % functions[name].text, [e for e, shape in sizes if not shape][-1])
            for extents in [e for e, _ in allowed if not PROGRAMS[name].strict(*e)][:1]:
                fixate.refuse(functions[name], functions[name].text, extents)
        print(f"{fixate.equal} programs equal, {fixate.refused} calls refused, {fixate.two_places} with more than one place")
        if not names:
            checks.that(fixate.equal >= 26 and fixate.refused >= 36 and fixate.two_places >= 28, "26 programs, 36 refused")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
