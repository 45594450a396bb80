#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs test vectors for derivatives: each case compiled static and dynamic.

    run_vectors.py FILE.json [--only ID,...] [--except ID,...] [--parts primal,jvp,vjp,hvp] [--jobs N]

A numeric case becomes a program (vector_programs.py), whose derivatives
symshape-opt makes; all are compiled and run through the C API, and compared with
what the file says, extents exactly. Extents of metadata cases are inferred and
compared by the prover (vector_extents.py); programs of diagnostic cases are in
vector_diagnostics.py. One line per case that does not pass; a case that cannot be
built is skipped, with the reason. The last line is
`N passed, N failed, N skipped`; exits 1 when one failed.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

import symshape_c
import vector_diagnostics
import vector_extents
from vector_programs import Unsupported, build

ROOT = Path(__file__).resolve().parent.parent
DTYPES = {"f64": np.float64, "f32": np.float32, "i64": np.int64, "i32": np.int32, "i1": np.bool_}
TOLERANCE = 1e-12
PARTS = ["primal", "jvp", "vjp", "hvp"]


class Failure(Exception):
    """What is wrong with a case."""


def read(tensor):
    return np.array(tensor["data"], dtype=DTYPES[tensor["dtype"]]).reshape(tensor["shape"])


def floats(data, like):
    return np.array(data, dtype=like.dtype).reshape(like.shape)


def check(what, actual, expected):
    """Equal extents and integers; floats to a relative difference."""
    for number, (one, two) in enumerate(zip(actual, expected)):
        if one.shape != two.shape:
            raise Failure(f"{what} {number}: expected extents {two.shape}, but got {one.shape}")
        if two.dtype.kind != "f":
            if not np.array_equal(one, two):
                raise Failure(f"{what} {number}: expected {two.tolist()}, but got {one.tolist()}")
            continue
        allowed = TOLERANCE * np.maximum(1.0, np.abs(two))
        with np.errstate(invalid="ignore"):
            same = (one == two) | (np.abs(one - two) <= allowed) | (np.isnan(one) & np.isnan(two))
        if not same.all():
            raise Failure(f"{what} {number}: expected {two.tolist()}, but got {one.tolist()}")


class Runner:
    """Builds, differentiates, compiles and runs the cases of a file."""

    def __init__(self, build_folder, parts):
        self.opt = build_folder / "bin" / "symshape-opt"
        self.prove = build_folder / "bin" / "symshape-prove"
        self.library = symshape_c.load(build_folder / "lib" / "libSymShapeC.so")
        self.parts = parts

    def optimize(self, text, *passes):
        return subprocess.run([str(self.opt), "-", *passes], input=text, capture_output=True, text=True,
                              timeout=120)

    def transform(self, text, *passes):
        done = self.optimize(text, *passes)
        if done.returncode:
            raise Failure(done.stderr.strip().splitlines()[0] if done.stderr.strip() else "symshape-opt failed")
        return done.stdout

    def call(self, text, entry, arrays, whole=False):
        with tempfile.TemporaryDirectory(prefix="vectors") as folder:
            path = Path(folder) / "m.mlir"
            path.write_text(text)
            try:
                return symshape_c.Program(path, library=self.library, entry=entry)(*arrays)
            except symshape_c.Error as error:
                message = str(error) if whole else f"@{entry}: {str(error).splitlines()[0]}"
                raise Failure(message) from None

    def run_numeric(self, case, dynamic):
        text = build(case, dynamic)
        inputs = {name: read(tensor) for name, tensor in case["inputs"].items()}
        arrays = list(inputs.values())
        results = [read(tensor) for tensor in case["primal"]]
        wrt = [list(inputs).index(name) for name in case["active"]]
        wanted = [part for part in self.parts if part in case or part == "primal"]
        if "primal" in wanted:
            check("result", self.call(text, "main", arrays), results)
        option = f"function=main wrt={','.join(map(str, wrt))}"
        real = [i for i, result in enumerate(results) if result.dtype.kind == "f"]
        if "jvp" in wanted:
            tangents = [floats(case["tangents"][name], inputs[name]) for name in case["active"]]
            expected = results + [floats(case["jvp"][i], results[i]) for i in real]
            module = self.transform(text, f"--symshape-jvp={option}")
            check("jvp", self.call(module, "main.jvp", arrays + tangents), expected)
        cotangents = [floats(case["cotangents"][i], results[i]) for i in real]
        expected = [floats(case["vjp"][name], inputs[name]) for name in case["active"]]
        if "vjp" in wanted:
            module = self.transform(text, f"--symshape-vjp={option}")
            check("vjp", self.call(module, "main.vjp", arrays + cotangents), results + expected)
        if "hvp" in wanted:
            second = f"--symshape-jvp=function=main.vjp wrt={','.join(map(str, wrt))}"
            module = self.transform(text, f"--symshape-vjp={option}", second)
            directions = [floats(case["hvp_direction"][name], inputs[name]) for name in case["active"]]
            got = self.call(module, "main.vjp.jvp", arrays + cotangents + directions)
            check("hvp", got[-len(wrt):], [floats(case["hvp"][name], inputs[name]) for name in case["active"]])

    def run_metadata(self, case):
        wrong = vector_extents.mismatch(case, self.transform, self.ask)
        if wrong:
            raise Failure(wrong)

    def ask(self, problem):
        done = subprocess.run([str(self.prove), "-"], input=problem, capture_output=True, text=True)
        return done.stdout.strip()

    def run_diagnostic(self, case):
        """One error with the triple, and no module; or a call that is refused with it."""
        if case["id"] in vector_diagnostics.PROGRAMS:
            passes, text, inputs = vector_diagnostics.PROGRAMS[case["id"]]
            attempts = [(passes, inputs)]
        elif "mlir" in case:
            text = case["mlir"]
            attempts = vector_diagnostics.attempts_of(case, text)
        else:
            raise Unsupported(f"program of {case['id']}")
        for passes, inputs in attempts:
            if inputs is None:
                refusal = self.refused_by_passes(text, passes)
            else:
                refusal = self.refused_at_run_time(text, passes, inputs)
            if refusal:
                return self.check_triple(case, refusal)
        # Some cases may also be computed.
        if not case.get("notes", "").startswith("conditional"):
            raise Failure("expected an error, but there is none")

    def refused_by_passes(self, text, passes):
        """The last note of the one error, None where there is none."""
        done = self.optimize(text, *passes)
        if not done.returncode:
            return None
        notes = [line for line in done.stderr.splitlines() if ": note: " in line]
        if done.stdout.strip() or done.stderr.count(": error: ") != 1:
            raise Failure(f"expected one error and no module, but got {done.stderr.strip()!r}")
        return notes[-1] if notes else done.stderr

    def refused_at_run_time(self, text, passes, inputs):
        entry = "main.jvp" if passes else "main"
        try:
            self.call(self.transform(text, *passes), entry, inputs, whole=True)
        except Failure as failure:
            return str(failure).splitlines()[-1]
        return None

    @staticmethod
    def check_triple(case, line):
        wanted = [vector_diagnostics.PRIMITIVES.get(case["id"], case["primitive"]), case["field"], case["observed"]]
        got = vector_diagnostics.read_triple(line)
        if got is None or not vector_diagnostics.agrees(got, wanted):
            raise Failure(f"expected {wanted}, but got {line!r}")

    def run(self, case):
        """None when the case passes, else ("failed" or "skipped", reason)."""
        try:
            if case["kind"] == "metadata":
                self.run_metadata(case)
            elif case["kind"] == "diagnostic":
                self.run_diagnostic(case)
            else:
                for dynamic in (False, True):
                    self.run_numeric(case, dynamic)
        except Unsupported as what:
            return "skipped", f"no {what}"
        except Failure as failure:
            variant = f"{'dynamic' if dynamic else 'static'}: " if case["kind"] == "numeric" else ""
            return "failed", f"{variant}{failure}"
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--only", default="", help="ids of cases, separated by commas (default: all)")
    parser.add_argument("--except", dest="left_out", default="", help="ids of cases to leave out (default: none)")
    parser.add_argument("--parts", default=",".join(PARTS), help="what is run (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=1, help="cases at a time (default: 1)")
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="folder of the build")
    options = parser.parse_args()
    cases = json.loads(options.file.read_text())["cases"]
    if options.only:
        chosen = options.only.split(",")
        cases = [case for case in cases if case["id"] in chosen]
    left_out = options.left_out.split(",")
    cases = [case for case in cases if case["id"] not in left_out]
    runner = Runner(options.build, options.parts.split(","))
    with ThreadPoolExecutor(options.jobs) as pool:
        outcomes = list(pool.map(runner.run, cases))
    counts = {"failed": 0, "skipped": 0}
    for case, outcome in zip(cases, outcomes):
        if outcome:
            counts[outcome[0]] += 1
            print(f"{case['id']}: {outcome[0]}: {outcome[1]}")
    passed = len(cases) - sum(counts.values())
    print(f"{passed} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
