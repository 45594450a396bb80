#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs each program and command of docs/Upstream with stock MLIR, and compares what they print with the page.

    check_upstream_reports.py FOLDER

A report is a section with one program, commands with what they print, and paragraphs Right, Patch and Test. The
test that it names must be there, with the functions that it names. Where the report is about canonicalization,
`symshape-canonicalize` in its place must give IR that stock MLIR reads, which computes what the program as it is
computes. Fails below FLOOR reports.
"""

import collections
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

FLOOR = 60
SECONDS = 300
OURS = "--symshape-canonicalize"


@dataclass
class Report:
    page: Path
    title: str
    text: str
    program: str
    commands: list  # of pairs: command, what it prints


def read_block(text, language):
    found = re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)
    return found[0] if len(found) == 1 else ""


def read_reports(page):
    for section in re.split(r"^## ", page.read_text(encoding="utf-8"), flags=re.M)[1:]:
        title, text = section.split("\n", 1)
        commands = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", read_block(text, "console"), re.M)
        yield Report(page, title, text, read_block(text, "mlir"), commands)


def without_signal(printed):
    """Memory that was written wrongly may be found by the allocator (134) or by the processor (139)."""
    return re.sub(r"^status 13[49]$", "status 134 or 139", printed, flags=re.M)


def run(definitions, command, folder):
    done = subprocess.run(["bash", "-c", f"{definitions}\n{command}"], cwd=folder, capture_output=True, text=True,
                          timeout=SECONDS, check=False, env={**os.environ, "LLVM_DISABLE_SYMBOLIZATION": "1"})
    assert done.returncode >= 0, command  # what the shell itself ended by; a crash of a tool is a number above 128
    return done.stdout + done.stderr


def name_kind(report):
    """What goes wrong, by what is printed."""
    printed = "".join(text for _, text in report.commands)
    for kind, pattern in (("crashes", "PLEASE submit|status 13"), ("without an end", "status 124"), ("errors", "error: |status 1"),
                          ("wrong values", "")):
        if re.search(pattern, printed):
            return kind
    return ""


class Check:
    def __init__(self, definitions):
        self.definitions, self.failures, self.counts, self.ours = definitions, [], collections.Counter(), 0

    def fail(self, report, words):
        self.failures.append(f"{report.page.name}: {report.title}: {words}")

    def check_words(self, report):
        for word in ("Right", "Patch", "Test"):
            if not re.search(rf"^{word}: \S", report.text, re.M):
                self.fail(report, f"no paragraph {word}")
        if not report.program or not report.commands:
            self.fail(report, "expected one program and one block of commands")
        test = re.search(r"^Test: (.*)", report.text, re.M).group(1)
        paths = re.findall(r"\]\((\.\./[^)]*)\)", test)
        if not paths and not test.startswith("none: "):
            self.fail(report, "no test")
        texts = [path.read_text(encoding="utf-8") if (path := report.page.parent / link).exists() else "" for link in paths]
        if "" in texts:
            self.fail(report, f"a test of {paths} is not there")
        for name in re.findall(r"`@?(\w+)`", test):
            if not any(re.search(rf"(@|def ){name}\(", text) for text in texts):
                self.fail(report, f"no {name} in {paths}")

    def check_commands(self, report, folder):
        Path(folder, "program.mlir").write_text(report.program, encoding="utf-8")
        for command, printed in report.commands:
            found = run(self.definitions, command, folder)
            if without_signal(found) != without_signal(printed):
                self.fail(report, f"{command}: expected\n{printed}but got\n{found}")
        outputs = [printed for _, printed in report.commands]
        if name_kind(report) == "wrong values" and len(set(outputs)) < 2 and len(outputs) > 1:
            self.fail(report, "the commands print the same")

    def check_ours(self, report, folder):
        """Our canonicalizer in the place of theirs."""
        wrong = [command for command, _ in report.commands if re.search(r"--canonicalize\b", command)]
        if not wrong:
            return
        done = subprocess.run(f"symshape-opt program.mlir {OURS} | mlir-opt-22", shell=True, cwd=folder, capture_output=True,
                              text=True, timeout=SECONDS, check=False)
        if done.returncode != 0:
            self.fail(report, f"{OURS}: {done.stderr}")
        first, right = report.commands[0]
        if first.lstrip("O=-2 ").startswith("run") and wrong[-1].lstrip("O=-2( ").startswith("run"):
            ours = self.definitions.replace('mlir-opt-22 program.mlir "$@"', 'symshape-opt program.mlir "$@"', 1)
            command = f"{first} {OURS}" if "--canonicalize" not in first else first.replace("--canonicalize", OURS)
            found = run(ours, command, folder)
            if found != right:
                self.fail(report, f"{command}: expected\n{right}but got\n{found}")
            self.ours += 1

    def check(self, report):
        self.check_words(report)
        with tempfile.TemporaryDirectory(prefix="symshape") as folder:
            self.check_commands(report, folder)
            self.check_ours(report, folder)
        self.counts[name_kind(report)] += 1


def main():
    folder = Path(sys.argv[1])
    check = Check(read_block((folder / "README.md").read_text(encoding="utf-8"), "sh"))
    assert "mlir-runner-22" in check.definitions
    for page in sorted(folder.glob("*.md")):
        if page.name != "README.md":
            for report in read_reports(page):
                check.check(report)
    print("\n".join(check.failures), file=sys.stderr)
    total = sum(check.counts.values())
    kinds = ", ".join(f"{count} {kind}" for kind, count in check.counts.most_common())
    print(f"{total} reports ({kinds}); ours computes what is right in {check.ours}; {len(check.failures)} failures")
    return 1 if check.failures or total < FLOOR else 0


if __name__ == "__main__":
    sys.exit(main())
