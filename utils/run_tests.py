#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the unit tests (CTest) and the lit tests of a build folder.

Prints what failed, and as its last line `N passed, N failed`, with `, N skipped`
after it when tests were skipped or are unsupported in this build. Exits 1 when a
test failed, or when there was nothing to run.
"""

import argparse
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

LIT = "/usr/lib/llvm-22/bin/lit"
LINES = 30  # of the output of a unit test that fails; lit prints its own
SLOWEST = 10  # tests that are named with their seconds, so that growth is seen


def outcome(case):
    """The outcome of one <testcase>: passed, failed or skipped."""
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    if case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
        return "skipped"
    return "passed"


def case_name(case):
    """Folder and file of a lit test, or the name of a unit test."""
    group = case.get("classname", "").split(".")[-1]
    return f"{group}/{case.get('name')}" if case.get("name", "").endswith((".mlir", ".test", ".prove")) else case.get("name")


def run(name, command, report):
    """Runs `command`, which writes JUnit XML to `report`; counts the outcomes."""
    report.unlink(missing_ok=True)
    print(f"tests: {name}", flush=True)
    status = subprocess.run(command, stdin=subprocess.DEVNULL).returncode
    counts, times = Counter(), []
    if report.exists():
        for case in ElementTree.parse(report).iter("testcase"):
            counts[outcome(case)] += 1
            times.append((float(case.get("time", 0)), case_name(case)))
            if outcome(case) == "failed":
                print(f"tests: failed: {case.get('name')} after {times[-1][0]:.0f} s")
                print("\n".join((case.findtext("system-out") or "").splitlines()[-LINES:]))
    print(f"tests: slowest of {sum(time for time, _ in times):.0f} s:",
          ", ".join(f"{case} {time:.0f}" for time, case in sorted(times, reverse=True)[:SLOWEST]))
    if status != 0 and counts["failed"] == 0:
        print(f"tests: {name} itself failed with exit status {status}")
        counts["failed"] += 1
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path, help="the build folder")
    parser.add_argument("--filter", default="", help="run only lit tests whose path matches")
    args = parser.parse_args()
    build = args.build.resolve()
    jobs = str(os.cpu_count() or 1)
    counts = Counter()
    if not args.filter:
        report = build / "ctest.xml"
        counts += run("unit tests", ["ctest", "--test-dir", str(build), "-j", jobs, "--quiet",
                                     "--output-on-failure", "--output-junit", str(report)], report)
    report = build / "lit.xml"
    command = [LIT, "-sv", "-j", jobs, "--xunit-xml-output", str(report), str(build / "test")]
    counts += run("lit tests", command + (["--filter", args.filter] if args.filter else []), report)
    summary = f"{counts['passed']} passed, {counts['failed']} failed"
    if counts["skipped"]:
        summary += f", {counts['skipped']} skipped"
    print(summary)
    return 0 if counts["passed"] and not counts["failed"] else 1


if __name__ == "__main__":
    sys.exit(main())
