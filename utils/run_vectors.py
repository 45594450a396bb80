#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs test vectors for derivatives: each case compiled static and dynamic.

    run_vectors.py FILE.json [--only ID,...] [--except ID,...] [--parts primal,jvp,vjp,hvp] [--jobs N]

A numeric case becomes a program (vector_programs.py), whose derivatives
symshape-opt makes; all are compiled and run through the C API, and compared with
what the file says, extents exactly, and with each other: the JVP with central
differences, the VJP with the JVP. What is compiled with dynamic types runs also at
other extents (vector_bindings.py), against the definition. Programs that a case
recommends for a VJP are run. Extents of metadata cases are inferred and compared by
the prover (vector_extents.py); programs of diagnostic cases are in
vector_diagnostics.py. One line per case that does not pass; a case that cannot be
built is skipped, with the reason; one that crashes, takes too long or raises has
failed (vector_workers.py). The last line is `N passed, N failed, N skipped`; exits 1
when one failed.
"""

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import symshape_c
import vector_bindings
import vector_diagnostics
import vector_extents
import vector_workers
from vector_numerics import (STEPS, Failure, Numeric, Refused, central_differences, check, check_adjoint, defined,
                             floats, read)
from vector_programs import Unsupported, build

ROOT = Path(__file__).resolve().parent.parent
PARTS = ["primal", "jvp", "vjp", "hvp"]


class Runner:
    """Builds, differentiates, compiles and runs the cases of a file."""

    def __init__(self, build_folder, parts, seconds):
        self.opt = build_folder / "bin" / "symshape-opt"
        self.prove = build_folder / "bin" / "symshape-prove"
        self.library = symshape_c.load(build_folder / "lib" / "libSymShapeC.so")
        self.parts, self.seconds = parts, seconds

    def optimize(self, text, *passes):
        try:
            done = subprocess.run([str(self.opt), "-", *passes], input=text, capture_output=True, text=True,
                                  timeout=max(self.deadline - time.monotonic(), 0.1))
        except subprocess.TimeoutExpired:
            raise Failure(f"symshape-opt took more than {self.seconds} s") from None
        if done.returncode < 0:
            raise Failure(f"symshape-opt ended by {signal.Signals(-done.returncode).name}")
        return done

    def transform(self, text, *passes):
        done = self.optimize(text, *passes)
        if done.returncode:
            raise Failure(done.stderr.strip().splitlines()[0] if done.stderr.strip() else "symshape-opt failed")
        return done.stdout

    def compile(self, text, entry, whole=False):
        """The function, of a list of arrays."""
        def message(error):
            return str(error) if whole else f"@{entry}: {str(error).splitlines()[0]}"

        with tempfile.TemporaryDirectory(prefix="vectors") as folder:
            path = Path(folder) / "m.mlir"
            path.write_text(text)
            try:
                program = symshape_c.Program(path, library=self.library, entry=entry)
            except symshape_c.Error as error:
                raise Failure(message(error)) from None

        def call(arrays):
            try:
                return program(*arrays)
            except symshape_c.Error as error:
                raise Refused(message(error)) from None
        return call

    def run_numeric(self, case, dynamic, report):
        numeric = Numeric(case)
        text = build(case, dynamic)
        for part in PARTS:
            if part in self.parts and numeric.has(part):
                report(f"{part}: ")
                getattr(self, "run_" + part)(numeric, text)
        if {"jvp", "vjp"} <= numeric.got.keys():
            check_adjoint(numeric.cotangents, numeric.got["jvp"], numeric.got["vjp"], numeric.tangents)
        if dynamic and "primal" in self.parts and not vector_bindings.has_undefined(case["program"]):
            report("other extents: ")
            self.run_other_extents(numeric)
        if "vjp" in self.parts:
            for name, recommended in case.get("recommended_vjp_program", {}).items():
                report(f"recommended program of {name}: ")
                self.run_recommended(numeric, name, recommended, dynamic)

    def run_primal(self, numeric, text):
        main = numeric.calls["primal"] = self.compile(text, "main")
        check("result", main(numeric.arrays), numeric.results)
        if numeric.case.get("fd_checkable") and "jvp" in numeric.case and numeric.is_double():
            self.check_differences(numeric, main)

    def check_differences(self, numeric, main):
        """Of the steps one must do: a long one crosses kinks, a short one rounds."""
        def function(active):
            arrays = list(numeric.arrays)
            for i, array in zip(numeric.wrt, active):
                arrays[i] = array
            results = main(arrays)
            return [results[i] for i in numeric.real]

        active = [numeric.arrays[i] for i in numeric.wrt]
        for step in STEPS:
            got = central_differences(function, active, numeric.tangents, step)
            if all(np.allclose(a, b, rtol=1e-6, atol=1e-6) for a, b in zip(got, numeric.jvp)):
                return
        raise Failure(f"expected {[a.tolist() for a in numeric.jvp]} of central differences, but got "
                      f"{[a.tolist() for a in got]}")

    def run_derivative(self, numeric, text, kind, seeds, expected):
        module = self.transform(text, f"--symshape-{kind}={numeric.option}")
        call = numeric.calls[kind] = self.compile(module, f"main.{kind}")
        got = call(numeric.arrays + seeds)
        check("result", got, numeric.results + expected)
        numeric.got[kind] = got[len(numeric.results):]

    def run_jvp(self, numeric, text):
        self.run_derivative(numeric, text, "jvp", numeric.tangents, numeric.jvp)

    def run_vjp(self, numeric, text):
        self.run_derivative(numeric, text, "vjp", numeric.cotangents, numeric.vjp)

    def run_hvp(self, numeric, text):
        case, wrt = numeric.case, numeric.wrt
        second = f"--symshape-jvp=function=main.vjp wrt={','.join(map(str, wrt))}"
        module = self.transform(text, f"--symshape-vjp={numeric.option}", second)
        directions = [floats(case["hvp_direction"][name], numeric.inputs[name]) for name in case["active"]]
        got = self.compile(module, "main.vjp.jvp")(numeric.arrays + numeric.cotangents + directions)
        check("result", got[-len(wrt):], [floats(case["hvp"][name], numeric.inputs[name]) for name in case["active"]])

    def run_other_extents(self, numeric):
        """What is compiled, against the definition, where both accept the extents."""
        if defined(numeric.case, numeric.inputs, numeric.results) is None:
            return
        for binding in vector_bindings.bindings(numeric.case):
            inputs = vector_bindings.resized(numeric.case, numeric.inputs, binding)
            results = defined(numeric.case, inputs)
            if results is None:
                continue
            try:
                check("result", numeric.calls["primal"](list(inputs.values())), results)
                self.check_derivatives(numeric, inputs, results)
            except Refused:
                continue
            except Failure as failure:
                shapes = {name: list(array.shape) for name, array in inputs.items()}
                raise Failure(f"{shapes}: {failure}") from None

    @staticmethod
    def check_derivatives(numeric, inputs, results):
        """Results, extents and the inner products of what is compiled."""
        if not {"jvp", "vjp"} <= numeric.calls.keys():
            return
        active = [inputs[name] for name in numeric.case["active"]]
        real = [results[i] for i in numeric.real]
        tangents, cotangents = ([np.resize(own, like.shape) for own, like in zip(seeds, arrays)]
                                for seeds, arrays in ((numeric.tangents, active), (numeric.cotangents, real)))
        arrays, count = list(inputs.values()), len(results)
        jvp, vjp = numeric.calls["jvp"](arrays + tangents), numeric.calls["vjp"](arrays + cotangents)
        for got, likes in ((jvp, real), (vjp, active)):
            check("result", got[:count], results)
            if [one.shape for one in got[count:]] != [like.shape for like in likes]:
                raise Failure(f"expected extents {[like.shape for like in likes]}, but got "
                              f"{[one.shape for one in got[count:]]}")
        check_adjoint(cotangents, jvp[count:], vjp[count:], tangents)

    def run_recommended(self, numeric, name, recommended, dynamic):
        """The program as a primal one, of the inputs, the cotangents and what it asks for."""
        case = {key: value for key, value in numeric.case.items() if key in ("inputs", "symbolic_dims")}
        cotangents = {f"ct{i}": {**result, "data": data} for i, (result, data) in
                      enumerate(zip(numeric.case["primal"], numeric.case["cotangents"])) if data is not None}
        case.update(inputs={**case["inputs"], **cotangents, **recommended.get("extra_inputs", {})},
                    program=recommended["program"], results=[recommended["result"]])
        arrays = [read(tensor) for tensor in case["inputs"].values()]
        check("result", self.compile(build(case, dynamic), "main")(arrays),
              [floats(numeric.case["vjp"][name], numeric.inputs[name])])

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
            self.compile(self.transform(text, *passes), entry, whole=True)(inputs)
        except Failure as failure:
            return str(failure).splitlines()[-1]
        return None

    @staticmethod
    def check_triple(case, line):
        wanted = [vector_diagnostics.PRIMITIVES.get(case["id"], case["primitive"]), case["field"], case["observed"]]
        got = vector_diagnostics.read_triple(line)
        if got is None or not vector_diagnostics.agrees(got, wanted):
            raise Failure(f"expected {wanted}, but got {line!r}")

    def run(self, case, report):
        """None when the case passes, else ("failed" or "skipped", reason); `report` hears what is run."""
        # Before the process is ended, so that none that it started is left.
        self.deadline = time.monotonic() + self.seconds - 0.5
        part = ""

        def say(text):
            nonlocal part
            part = text
            report(text)

        try:
            if case["kind"] == "metadata":
                self.run_metadata(case)
            elif case["kind"] == "diagnostic":
                self.run_diagnostic(case)
            elif case["kind"] == "numeric":
                for variant, dynamic in (("static: ", False), ("dynamic: ", True)):
                    say(variant)
                    self.run_numeric(case, dynamic, lambda what, variant=variant: say(variant + what))
            else:
                raise Unsupported(f"kind {case['kind']}")
        except Unsupported as what:
            return "skipped", f"no {what}"
        except Failure as failure:
            return "failed", f"{part}{failure}"
        except Exception as error:
            return "failed", f"{part}{type(error).__name__}: {error}"
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--only", default="", help="ids of cases, separated by commas (default: all)")
    parser.add_argument("--except", dest="left_out", default="", help="ids of cases to leave out (default: none)")
    parser.add_argument("--parts", default=",".join(PARTS), help="what is run (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=1, help="cases at a time (default: 1)")
    parser.add_argument("--seconds", type=int, default=120, help="for one case (default: %(default)s)")
    parser.add_argument("--memory", type=int, default=6, help="GiB of a process, 0: any (default: %(default)s)")
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="folder of the build")
    options = parser.parse_args()
    cases = json.loads(options.file.read_text())["cases"]
    if options.only:
        chosen = options.only.split(",")
        cases = [case for case in cases if case.get("id") in chosen]
    left_out = options.left_out.split(",")
    cases = [case for case in cases if case.get("id") not in left_out]
    runner = Runner(options.build, options.parts.split(","), options.seconds)
    counts = {"failed": 0, "skipped": 0}
    for case, outcome in vector_workers.run_all(runner.run, cases, options.jobs, options.seconds,
                                                options.memory << 30):
        if outcome:
            counts[outcome[0]] += 1
            print(f"{case.get('id')}: {outcome[0]}: {outcome[1]}", flush=True)
    passed = len(cases) - sum(counts.values())
    print(f"{passed} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
