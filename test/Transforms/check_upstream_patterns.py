# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every pattern and folder of upstream that canonicalizes is one that was looked at.

    check_upstream_patterns.py PAGE PLUGIN

PAGE lists, in two blocks of code, the patterns per op and the ops with a folder. The
plug-in prints the first of these lists; MLIR's headers say the second.
"""

import re
import subprocess
import sys
from pathlib import Path

DIALECTS = "Affine Arith Bufferization ControlFlow Func Index Linalg Math MemRef SCF Tensor UB Vector".split()
FLOOR = {"patterns": 270, "folders": 270}


def listed(page, kind):
    """'OP: NAME NAME' lines; a line that begins with a blank goes on."""
    block = re.search(rf"^```{kind}\n(.*?)^```", page, re.S | re.M).group(1)
    entries = re.sub(r"\n\s+", " ", block).strip().split("\n")
    return {(op, name) for op, names in (entry.split(":") for entry in entries) for name in names.split()}


def printed_patterns(plugin):
    done = subprocess.run(["mlir-opt-22", f"--load-dialect-plugin={plugin}", f"--load-pass-plugin={plugin}",
                           "--pass-pipeline=builtin.module(symshape-print-patterns)", "-o", "/dev/null", "-"],
                          input="", capture_output=True, text=True, check=True)
    return {tuple(line.split()) for line in done.stdout.splitlines()}


def declared_folders():
    include = Path(subprocess.run(["llvm-config-22", "--includedir"], capture_output=True, text=True,
                                  check=True).stdout.strip())
    found = set()
    for dialect in DIALECTS:
        for header in (include / "mlir/Dialect" / dialect / "IR").glob("*.h.inc"):
            for op in re.split(r"^class (?=\w+Op : public ::mlir::Op<)", header.read_text(), flags=re.M)[1:]:
                name = re.search(r'StringLiteral\("([\w.]+)"\)', op)
                if name and "fold(FoldAdaptor" in op:
                    found.add(tuple(name.group(1).split(".", 1)))
    return found


def main():
    page, plugin = Path(sys.argv[1]).read_text(), sys.argv[2]
    failed = False
    for kind, found in (("patterns", printed_patterns(plugin)), ("folders", declared_folders())):
        known = listed(page, kind)
        print(f"{kind}: {len(found)} found, {len(known)} listed")
        for what, names in (("was not looked at", found - known), ("does not exist", known - found)):
            for name in sorted(names):
                failed = True
                print(f"{kind}: {' '.join(name)} {what}")
        failed |= len(found) < FLOOR[kind]
    return failed


if __name__ == "__main__":
    sys.exit(main())
