#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Run TOSA's conformance tests, which the package `tosa-tools` generates and judges.

    run_tosa_suite.py --build=build --packages=build/tosa-suite/packages [--seed=N]
                      [--max=N] [--erase=none,all,keep1] [--sample=N] [--filter=REGEX]
                      [--random-const-inputs] [--no-negative] [--no-positive]

Tests are drawn once for the same options (draw_tosa_tests.py) and kept below
build/tosa-suite/tests. Each runs as it is written (none), with every extent open (all,
where an extent that turns out to be 1 expands as in NumPy), or with every extent open but
the literal 1 (keep1). Results are judged by the suite's own checker, against its reference
model. Tests that must be refused run in the form in which symshape is to refuse them.

Prints for each form a table of ops, what failed, by reason, and a line of counts; at the
end `N passed, N failed`. Exits 1 when one failed. What every test answered is in
build/tosa-suite/FORM.json, or in the folder of --results.
"""

import argparse
import collections
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

HERE = Path(__file__).resolve().parent
FORMS = {"none": "static", "all": "erased", "keep1": "keep1"}
WORDS = ("refused", "does not lower", "not read", "crashed", "ran", "wrong", "unjudged")


class Suite:
    def __init__(self, options):
        self.options = options
        self.folder, self.results = options.build / "tosa-suite", options.results or options.build / "tosa-suite"
        self.results.mkdir(parents=True, exist_ok=True)
        self.environment = dict(os.environ, PYTHONPATH=f"{options.packages.resolve()}:{HERE}")
        self.passed = self.failed = 0

    def draw(self, negative):
        """Draws tests, or finds those of an earlier run: their folder, and what drawn.json says."""
        options = self.options
        arguments = [f"--seed={options.seed}", f"--max={options.max}", f"--filter={options.filter}"]
        if options.sample and not negative:
            arguments.append(f"--sample={options.sample}")
        arguments += ["--negative"] * negative + ["--random-const-inputs"] * options.random_const_inputs
        script = HERE / "draw_tosa_tests.py"
        packages = (HERE / "requirements" / "tosa-suite.txt").read_bytes()
        key = hashlib.sha256(" ".join(arguments).encode() + script.read_bytes() + packages).hexdigest()[:12]
        folder = self.folder / "tests" / key
        if not (folder / "drawn.json").exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            print(f"drawing {'tests that must be refused' if negative else 'tests'} (minutes)", flush=True)
            with (folder / "draw.log").open("w") as log:
                done = subprocess.run([sys.executable, script, folder, f"--packages={options.packages}", *arguments],
                                      env=self.environment, stdout=log, stderr=log)
            if done.returncode:
                sys.exit(f"error: could not draw tests (log: {folder / 'draw.log'})")
        return folder, json.loads((folder / "drawn.json").read_text())

    def judge(self, folder, tests, form):
        """What the official runner says of each test: `ok`, or a word of WORDS and a message."""
        (folder / "list.txt").write_text("\n".join(str((folder / test).resolve()) for test in tests) + "\n")
        report = folder / f"{form}.xml"
        report.unlink(missing_ok=True)
        packages = self.options.packages.resolve()
        command = [sys.executable, "-m", "runner.tosa_verif_run_tests", "-T", folder / "list.txt", "-j", self.options.jobs,
                   "--ref-model-path", packages / "bin" / "tosa_reference_model",
                   "--verify-path", packages / "bin" / "tosa_verify", "--flatc-path", packages / "bin" / "flatc",
                   "--schema-path", packages / "bin" / "tosa.fbs",
                   "--generate-lib-path", next(packages.glob("tosa_reference_model/*generate_lib.so")),
                   "--profile", "all", "--no-color", "--sut-module", "symshape_sut",
                   "--sut-module-args", f"symshape_sut:build={self.options.build.resolve()}",
                   f"symshape_sut:form={form}", "--xunit-file", report]
        log = self.results / f"{form}.log"
        with log.open("w") as stream:
            done = subprocess.run([str(part) for part in command], env=self.environment, stdout=stream, stderr=stream)
        if not report.exists():
            sys.exit(f"error: the official runner gave no report but status {done.returncode} (log: {log})")
        answers = {}
        for case in ET.parse(report).getroot().iter("testcase"):
            if case.get("classname") == "symshape_sut":
                name = str(Path(case.get("name")).relative_to(folder.resolve()))
                answers[name] = self.answer_of(case)
        return {test: answers.get(test, "unjudged: no verdict") for test in tests}

    @staticmethod
    def answer_of(case):
        failure = case.find("failure")
        if failure is None:
            return "ok" if case.find("skipped") is None else "unjudged: skipped"
        result, _, message = (failure.text or "").partition(": ")
        if result == "INTERNAL_ERROR":
            return f"unjudged: {message}"
        if result == "UNEXPECTED_PASS":
            return f"ran: {message}"
        if message.startswith((*WORDS, "left out")):
            return message
        return "wrong: " + (message.partition("[Verifier]")[2] or message)

    def run(self, name, folder, drawn, form):
        begin = time.time()
        answers = self.judge(folder, drawn["tests"], form)
        (self.results / f"{name}.json").write_text(json.dumps(
            {"answers": answers, "excluded": drawn["excluded"]}, indent=1) + "\n")
        for test in [test for test, answer in answers.items() if answer.startswith("left out: ")]:
            drawn["excluded"].setdefault(answers.pop(test).removeprefix("left out: "), []).append(Path(test).name)
        self.print_table(name, answers)
        self.print_reasons(answers)
        words = collections.Counter(answer.split(":")[0] for answer in answers.values())
        excluded = sum(map(len, drawn["excluded"].values()))
        for why, names in sorted(drawn["excluded"].items()):
            print(f"excluded: {len(names)} tests of {drawn['listed']} listed: {why}, such as {names[0]}")
        verdict = "rightly refused" if name == "must-refuse" else "passed"
        print(f"{name}: {words['ok']} {verdict}, " + ", ".join(f"{words[word]} {word}" for word in WORDS)
              + f", {excluded} excluded; {time.time() - begin:.0f} s", flush=True)
        self.passed += words["ok"]
        self.failed += len(answers) - words["ok"]

    @staticmethod
    def print_table(name, answers):
        """Of each op, how many tests gave what."""
        ops = collections.defaultdict(collections.Counter)
        for test, answer in answers.items():
            op = re.sub(r"_\d+x\d+(x\d+)?$", "", Path(test).parts[1])
            ops[op][answer.split(":")[0]] += 1
        columns = ["ok", *(word for word in WORDS if any(counts[word] for counts in ops.values()))]
        print(f"\n{name:24}" + "".join(f"{'passed' if word == 'ok' else word:>16}" for word in columns))
        for op, counts in sorted(ops.items()):
            print(f"{op:24}" + "".join(f"{counts[word] or '':>16}" for word in columns))

    @staticmethod
    def print_reasons(answers):
        reasons = collections.defaultdict(list)
        for test, answer in answers.items():
            if answer != "ok":
                line = re.sub(r"\d+(\.\d+)?(e[-+]\d+)?", "N", answer.splitlines()[0])
                reasons[line[:160]].append(Path(test).name)
        for reason, names in sorted(reasons.items(), key=lambda item: -len(item[1])):
            print(f"{len(names):5}  {reason}  [{', '.join(names[:3])}{', ...' if len(names) > 3 else ''}]")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--packages", type=Path, required=True, help="where tosa-tools is")
    parser.add_argument("--erase", default="none", help="forms: some of none, all and keep1 (default: none)")
    parser.add_argument("--sample", type=int, help="how many tests, spread over ops and types (default: all)")
    parser.add_argument("--seed", type=int, default=42, help="of the generator and of the sample (default 42)")
    parser.add_argument("--max", type=int, default=2, help="tests that the generator picks for each rank and types (default 2)")
    parser.add_argument("--filter", default="", help="only tests whose name matches")
    parser.add_argument("--random-const-inputs", action="store_true", help="weights and the like may be arguments")
    parser.add_argument("--no-negative", action="store_true", help="leave out tests that must be refused")
    parser.add_argument("--no-positive", action="store_true", help="leave out tests that must run")
    parser.add_argument("--results", type=Path, help="folder for what each test answered (default: build/tosa-suite)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="tests at once (default: one per core)")
    options = parser.parse_args()
    forms = options.erase.split(",")
    if unknown := set(forms) - set(FORMS):
        parser.error(f"expected --erase to name some of {', '.join(FORMS)}, but got {', '.join(sorted(unknown))}")
    suite = Suite(options)
    if not options.no_positive:
        folder, drawn = suite.draw(negative=False)
        for form in forms:
            suite.run(FORMS[form], folder, drawn, FORMS[form])
    if not options.no_negative:
        folder, drawn = suite.draw(negative=True)
        suite.run("must-refuse", folder, drawn, "must-refuse")
    print(f"{suite.passed} passed, {suite.failed} failed")
    return 1 if suite.failed or not suite.passed else 0


if __name__ == "__main__":
    sys.exit(main())
