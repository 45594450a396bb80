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
import gc
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np

import symrun
import symshape_c
import vector_bindings
import vector_diagnostics
import vector_extents
import vector_workers
from vector_numerics import (STEPS, Failure, Numeric, Refused, central_differences, check, check_adjoint, defined,
                             floats, interpreter, read)
from vector_programs import Unsupported, build

ROOT = Path(__file__).resolve().parent.parent
PARTS = ["primal", "jvp", "vjp", "hvp"]
REFUSED = 3  # the status of a call, and of a tool
# Calls at other extents of one case: no more than are enough, no fewer than the least if as many have a meaning.
ENOUGH, FEW, LEAST = 12, 4, 3


class Runner:
    """Builds, differentiates, compiles and runs the cases of a file."""

    def __init__(self, build_folder, parts, seconds, guarded):
        self.opt = build_folder / "bin" / "symshape-opt"
        self.prove = build_folder / "bin" / "symshape-prove"
        self.library = symshape_c.load(build_folder / "lib" / "libSymShapeC.so")
        self.run_tool = build_folder / "bin" / "symshape-run"
        self.parts, self.seconds, self.guarded = parts, seconds, guarded

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
        if done.returncode or not done.stdout:
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
                # Anything but the status of a refusal is an error of its own.
                raise (Refused if error.status == REFUSED else Failure)(message(error)) from None
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
        if dynamic and self.guarded:
            report("guard pages: ")
            self.run_guarded(numeric, {"primal": (text, "main"), **numeric.modules})
        if dynamic and "primal" in self.parts:
            report("other extents: ")
            self.run_other_extents(numeric)
        if "vjp" in self.parts:
            for name, recommended in case.get("recommended_vjp_program", {}).items():
                report(f"recommended program of {name}: ")
                self.run_recommended(numeric, name, recommended, dynamic)

    def check_released(self):
        """What the case has allocated was released, now that its arrays are gone."""
        gc.collect()
        live = self.library.symshape_get_memory().live_bytes
        if live:
            raise Failure(f"expected all memory to be released, but {live} bytes are left")

    def run_guarded(self, numeric, texts):
        """What is compiled once more, in a process of its own, where each buffer ends, and then begins, at an
        inaccessible page: the same results, and no block is left."""
        extra = {"primal": [], "jvp": numeric.tangents, "vjp": numeric.cotangents}
        expected = {"primal": numeric.results, "jvp": numeric.results + numeric.jvp,
                    "vjp": numeric.results + numeric.vjp}
        for kind, (text, entry) in texts.items():
            with tempfile.TemporaryDirectory(prefix="vectors") as folder:
                path = Path(folder) / "m.mlir"
                path.write_text(text)
                run = symrun.run(path, [numeric.arrays + extra[kind]], tool=self.run_tool, entry=entry,
                                 results=len(expected[kind]), options=["--guard-pages"])
            if run.status or run.live != 0 or len(run.results) != 1:
                raise Failure(f"{kind}: exit status {run.status}, {run.live} blocks left: {run.stderr.strip()}")
            check("result", run.results[0], expected[kind])
            self.counts["calls with guard pages"] += 1

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
        numeric.modules[kind] = module, f"main.{kind}"
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
        """What is compiled, against the definition: the results where it has some, a refusal where it has none."""
        check("definition", defined(numeric.case, numeric.inputs), numeric.results)
        counts = Counter()
        for binding in vector_bindings.bindings(numeric.case):
            if counts["served"] >= ENOUGH and counts["refused"] >= FEW:
                break
            inputs = vector_bindings.resized(numeric.case, numeric.inputs, binding)
            try:
                counts[self.run_at(numeric, inputs)] += 1
            except Failure as failure:
                shapes = {name: list(array.shape) for name, array in inputs.items()}
                raise Failure(f"{shapes}: {failure}") from None
        self.counts += Counter({f"calls {outcome}": count for outcome, count in counts.items()})
        self.counts["cases at other extents" if counts["served"] >= LEAST else f"cases that fewer than {LEAST} fit"] += 1

    def run_at(self, numeric, inputs):
        """`served`, `refused` or `undefined`."""
        arrays = list(inputs.values())
        try:
            results = defined(numeric.case, inputs)
        except interpreter.Undefined:
            return "undefined"
        except interpreter.Invalid as why:
            self.must_refuse(numeric, inputs, why, numeric.calls.keys() & {"primal", "jvp", "vjp"})
            return "refused"
        check("result", numeric.calls["primal"](arrays), results)
        if interpreter.has_derivatives(numeric.case["program"], inputs):
            self.check_derivatives(numeric, inputs, results)
        else:
            self.must_refuse(numeric, inputs, "no derivative", numeric.calls.keys() & {"jvp", "vjp"})
        return "served"

    @staticmethod
    def must_refuse(numeric, inputs, why, kinds):
        """Each of the functions refuses the call."""
        arrays = list(inputs.values())
        tangents = [np.resize(own, inputs[name].shape) for own, name in zip(numeric.tangents, numeric.case["active"])]
        for kind, seeds in (("primal", []), ("jvp", tangents), ("vjp", numeric.cotangents)):
            if kind not in kinds:
                continue
            try:
                numeric.calls[kind](arrays + seeds)
            except Refused:
                continue
            raise Failure(f"{kind}: expected a refusal ({why}), but got results")

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
        wrong = vector_extents.mismatch(case, self.transform, self.ask, self.counts)
        if wrong:
            raise Failure(wrong)

    def ask(self, facts, questions):
        """The answers of the prover, as many as there are questions."""
        problem = "\n".join([*facts, *(f"prove {question}" for question in questions)]) + "\n"
        done = subprocess.run([str(self.prove), "-"], input=problem, capture_output=True, text=True)
        answers = done.stdout.split()
        if done.returncode or len(answers) != len(questions):
            raise Failure(f"expected {len(questions)} answers of the prover, but got exit status {done.returncode}: "
                          f"{done.stdout}{done.stderr}")
        return answers

    def run_diagnostic(self, case):
        """One error with the triple, no module, and the IR as it was; or a call that is refused with it."""
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
                self.counts["calls refused" if inputs is not None else "modules refused"] += 1
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
        if done.returncode != 1 or done.stdout.strip() or done.stderr.count(": error: ") != 1:
            raise Failure(f"expected one error and no module, but got exit status {done.returncode}: "
                          f"{done.stderr.strip()!r}")
        if passes:
            self.check_unchanged(text, passes)
        return notes[-1] if notes else done.stderr

    def check_unchanged(self, text, passes):
        """A pass that fails leaves the module as it was."""
        done = self.optimize(text, *passes, "--mlir-print-ir-after-failure", "--mlir-print-ir-module-scope",
                             "--mlir-disable-threading")
        _, marker, after = done.stderr.partition("// -----// IR Dump After ")
        before = self.transform(text)
        after = self.transform(after.partition("\n")[2]) if marker else ""
        self.counts["modules unchanged"] += 1
        if after != before:
            raise Failure(f"expected the module as it was, but got {after!r}")

    def refused_at_run_time(self, text, passes, inputs):
        """The message of the call, None where it is served. What does not compile is no refusal."""
        call = self.compile(self.transform(text, *passes), "main.jvp" if passes else "main", whole=True)
        try:
            call(inputs)
        except Refused as refusal:
            return str(refusal).splitlines()[-1]
        return None

    @staticmethod
    def check_triple(case, line):
        wanted = [vector_diagnostics.PRIMITIVES.get(case["id"], case["primitive"]), case["field"], case["observed"]]
        got = vector_diagnostics.read_triple(line)
        if got is None or not vector_diagnostics.agrees(got, wanted):
            raise Failure(f"expected {wanted}, but got {line!r}")

    def run(self, case, report):
        """("passed", counts), or ("failed" or "skipped", reason); `report` hears what is run."""
        self.counts = Counter()
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
            self.check_released()
        except Unsupported as what:
            return "skipped", f"no {what}"
        except Failure as failure:
            return "failed", f"{part}{failure}"
        except Exception as error:
            return "failed", f"{part}{type(error).__name__}: {error}"
        return "passed", self.counts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--only", default="", help="ids of cases, separated by commas (default: all)")
    parser.add_argument("--except", dest="left_out", default="", help="ids of cases to leave out (default: none)")
    parser.add_argument("--parts", default=",".join(PARTS), help="what is run (default: %(default)s)")
    parser.add_argument("--guard-pages", action="store_true", help="run what is dynamic once more at guard pages")
    parser.add_argument("--jobs", type=int, default=1, help="cases at a time (default: 1)")
    parser.add_argument("--seconds", type=int, default=120, help="for one case (default: %(default)s)")
    # The address sanitizer reserves terabytes that it never touches.
    limit = 0 if "asan" in os.environ.get("LD_PRELOAD", "") else 6
    parser.add_argument("--memory", type=int, default=limit, help="GiB of a process, 0: any (default: %(default)s)")
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="folder of the build")
    options = parser.parse_args()
    cases = json.loads(options.file.read_text())["cases"]
    if options.only:
        chosen = options.only.split(",")
        cases = [case for case in cases if case.get("id") in chosen]
    left_out = options.left_out.split(",")
    cases = [case for case in cases if case.get("id") not in left_out]
    runner = Runner(options.build, options.parts.split(","), options.seconds, options.guard_pages)
    outcomes, counts = Counter(), Counter()
    for case, (outcome, what) in vector_workers.run_all(runner.run, cases, options.jobs, options.seconds,
                                                        options.memory << 30):
        outcomes[outcome] += 1
        if outcome == "passed":
            counts += what
        else:
            print(f"{case.get('id')}: {outcome}: {what}", flush=True)
    print(", ".join(f"{counts[what]} {what}" for what in sorted(counts)))
    print(f"{outcomes['passed']} passed, {outcomes['failed']} failed, {outcomes['skipped']} skipped")
    return 1 if outcomes["failed"] or not outcomes["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
