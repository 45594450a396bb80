# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`--help` of each tool, and of each verb, fits a few screens; what is not the tool's own is in --help-hidden.

    check_help.py FOLDER
"""

import re
import subprocess
import sys
from pathlib import Path

# The most lines that each --help may have; those of MLIR's drivers list all our passes.
MOST = {"opt": 340, "reduce": 260, "run": 80, "report": 50, "ptx-run": 40, "bundle-run": 40, "onnx": 35, "prove": 35,
        "lsp-server": 30}
MOST_OF_VERB = 35
# A word that stands in the help of each tool, and one that LLVM's options have.
OWN = {"opt": "--symshape-infer-shapes", "reduce": "--symshape-reduce", "run": "--entry", "report": "--brief", "ptx-run": "--kernel",
       "bundle-run": "--input", "onnx": "show", "prove": "--explain", "lsp-server": "--seconds"}
FOREIGN = "--print-after-all"


def ask(tool, *arguments):
    done = subprocess.run([tool, *arguments], capture_output=True, text=True, check=False)
    return done.returncode, (done.stdout + done.stderr).splitlines()


def check(name, tool, wrong):
    status, lines = ask(tool, "--help")
    text = "\n".join(lines)
    print(f"{name}: {len(lines)} lines")
    if status or not 3 < len(lines) <= MOST[name] or OWN[name] not in text or FOREIGN in text:
        wrong.append(f"{name}: status {status}, {len(lines)} lines; {OWN[name]} must be there, {FOREIGN} not")
    if name == "bundle-run":
        return
    status, hidden = ask(tool, "--help-hidden")
    if status or len(hidden) < len(lines) + 100:
        wrong.append(f"{name}: {len(hidden)} lines of --help-hidden, status {status}")


def check_verbs(tool, wrong):
    lines = ask(tool, "--help")[1]
    verbs = [match[1] for line in lines if (match := re.match(r"  (\w+) +- ", line))]
    for verb in verbs:
        status, lines = ask(tool, verb, "--help")
        print(f"onnx {verb}: {len(lines)} lines")
        if status or not 3 < len(lines) <= MOST_OF_VERB or FOREIGN in "\n".join(lines):
            wrong.append(f"onnx {verb}: status {status}, {len(lines)} lines")
    if len(verbs) < 8:
        wrong.append(f"verbs: {verbs}")


def main():
    wrong = []
    tools = {path.name.removeprefix("symshape-"): path for path in Path(sys.argv[1]).glob("symshape-*")}
    if tools.keys() != MOST.keys():
        wrong.append(f"tools: {sorted(tools)} beside {sorted(MOST)}")
    for name in sorted(tools.keys() & MOST.keys()):
        check(name, tools[name], wrong)
    check_verbs(tools["onnx"], wrong)
    print("\n".join(wrong))
    print(f"{len(tools)} tools, {len(wrong)} wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
