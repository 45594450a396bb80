# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the tests that a page shows, and sees each of them fail once what it expects is gone.

    check_lit_page.py PAGE FOLDER TOOL

A test is a block `mlir` that begins with `// RUN: TOOL`.
"""

import re
import subprocess
import sys
from pathlib import Path

BLOCK = re.compile(r"^```mlir\n(// RUN: (\S+) .*?)^```$", re.M | re.S)
# Lines without which a test must fail: what is checked, then what must not stand there.
EXPECTED = re.compile(r"^(// CHECK-SAME: +(?:symshape|must).*|// CHECK: +(?:affine|cf|remark).*| *// expected-.*)\n", re.M)


def run(text, path):
    path.write_text(text)
    command = " && ".join(re.findall(r"^// RUN: (.*)", text, re.M)).replace("%s", str(path)).replace("%t", f"{path}.out")
    done = subprocess.run(f"set -o pipefail; {command}", shell=True, executable="/bin/bash", capture_output=True, text=True,
                          check=False)
    return done.returncode, done.stderr


def spoil(line):
    """What no program prints; nothing in place of a comment that expects a message."""
    return "" if "expected-" in line else re.sub(r"(CHECK[-A-Z]*: +)", r"\1not this ", line)


def main():
    page, folder, tool = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    folder.mkdir(parents=True, exist_ok=True)
    tests = spoiled = 0
    for number, (text, name) in enumerate(BLOCK.findall(page.read_text())):
        if name != tool:
            continue
        path = folder / f"{number}.mlir"
        status, said = run(text, path)
        assert status == 0, f"{text}: status {status}\n{said}"
        tests += 1
        for line in EXPECTED.finditer(text):
            status, said = run(text[:line.start()] + spoil(line[0]) + text[line.end():], path)
            assert status != 0, f"{text}: passes without {line[0]}"
            spoiled += 1
        path.write_text(text)
    assert tests and spoiled >= tests
    print(f"{tests} tests, which fail in {spoiled} ways")


if __name__ == "__main__":
    main()
