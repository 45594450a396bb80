# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A pass that refuses a program leaves it as it was.

    check_refusals.py TESTS

Runs symshape-opt as each test of TESTS does that expects it to refuse programs, with the IR
printed before each pass and after one that fails: the two must be the same. A function that
every pass of checks and versions would rewrite stands before each program as well, so that
a refusal that comes late shows.
"""

import difflib
import re
import shlex
import subprocess
import sys
from pathlib import Path

PRINT = ["--mlir-print-ir-before-all", "--mlir-print-ir-after-failure", "--mlir-print-ir-module-scope",
         "--mlir-disable-threading", "-o", "/dev/null"]
DUMP = re.compile(r"^// -----// IR Dump (Before|After) .*?\((symshape-[\w-]+|[\w-]+)\).*? //----- //\n", re.M)
# Where the printed IR ends and a message begins.
MESSAGE = re.compile(r"^(?:\S*:\d+:\d+|<unknown>:0|\S+:0:0|loc\(.*\)): ", re.M)
# Per pass, how many refusals must at least have been looked at.
FLOOR = {"symshape-assume-extents": 4, "symshape-check-policies": 4, "symshape-declare": 20,
         "symshape-expand-ops": 10, "symshape-fixate": 18, "symshape-form-contractions": 2,
         "symshape-fuse-rows": 2, "symshape-grad": 4, "symshape-infer-shapes": 10,
         "symshape-insert-guards": 50, "symshape-jvp": 6, "symshape-linearize": 2,
         "symshape-parallelize-loops": 4, "symshape-specialize": 12,
         "symshape-verify-lowerable": 100, "symshape-verify-lowered": 2, "symshape-vjp": 40}

BESIDE = """
func.func @stands_beside(%a: tensor<?x4xf32> {symshape.shape = #symshape.shape<[N, 4]>}, %b: tensor<?x4xf32>,
                         %i: tensor<?xi32>, %n: tensor<index>) -> (tensor<?x4xf32>, tensor<?xi32>, index, i32)
    attributes {symshape.versions = [#symshape.version<"one", ["N == 1"]>]} {
  %sum = linalg.add ins(%a, %b : tensor<?x4xf32>, tensor<?x4xf32>) outs(%a : tensor<?x4xf32>) -> tensor<?x4xf32>
  %quotient = arith.divsi %i, %i : tensor<?xi32>
  %m = tensor.extract %n[] : tensor<index>
  symshape.assert "k <= N" (k = %m), "at most"
  %size = symshape.size "k * N" (k = %m)
  %narrow = arith.index_cast %m : index to i32
  scf.forall (%j) in (%m) {
  }
  return %sum, %quotient, %size, %narrow : tensor<?x4xf32>, tensor<?xi32>, index, i32
}
"""


def commands(path):
    """The arguments of symshape-opt, and its input, of each run that expects a refusal."""
    text = re.sub(r"\\\n\s*(?://)?\s*RUN:", " ", path.read_text())
    defined = {}
    for kind, line in re.findall(r"(RUN|DEFINE):(.*)", text):
        if kind == "DEFINE":
            name, _, value = line.partition("=")
            defined[name.strip()] = value.strip()
            continue
        for name, value in reversed(defined.items()):
            line = line.replace(name, value)
        line = line.replace("%%", "%")
        before, tool, after = line.partition("symshape-opt")
        if not tool or not ("verify-diagnostics" in after or before.rstrip().endswith("not")):
            continue
        given = shlex.split(before.split("|")[0])[1] if "echo" in before else path.read_text()
        after = re.split(r"\||2>|>", after.replace("->", "-]"))[0].replace("-]", "->")
        yield [word for word in shlex.split(after) if word not in ("%s", "-") and "print-ir" not in word
               and not word.startswith("%t") and not word.startswith("--mlir-disable")], given


def with_beside(text):
    """`text` with the function before each program that has no module of its own around it."""
    programs = re.split(r"^// -----.*\n", text, flags=re.M)
    return "// -----\n".join(program if re.search(r"^(module|builtin.module)\b", program, re.M) else BESIDE + program
                             for program in programs)


def refusals(arguments, text):
    """The pass, and the IR before and after it, of each refusal."""
    done = subprocess.run(["symshape-opt", "-"] + arguments + PRINT, input=text, capture_output=True, text=True)
    if done.returncode < 0 or "Stack dump" in done.stderr:
        raise SystemExit(f"symshape-opt {arguments} crashed:\n{done.stderr[-4000:]}")
    pieces = DUMP.split(done.stderr)
    before = []  # of the passes that are open: one pass may run others
    for kind, name, body in zip(pieces[1::3], pieces[2::3], pieces[3::3]):
        ir = MESSAGE.split(body)[0].strip()
        if kind == "Before":
            before.append((name, ir))
            continue
        while before and before[-1][0] != name:
            before.pop()
        yield (name, before.pop()[1], ir)


def main():
    root = Path(sys.argv[1])
    seen, failed = {}, False
    for path in sorted(root.rglob("*.mlir")):
        if "Inputs" in path.parts:
            continue
        for arguments, text in commands(path):
            for program in (text, with_beside(text)):
                for name, before, after in refusals(arguments, program):
                    seen[name] = seen.get(name, 0) + 1
                    if before == after:
                        continue
                    failed = True
                    print(f"{path.relative_to(root)}: {name} has changed what it refused:")
                    print(*list(difflib.unified_diff(before.split("\n"), after.split("\n"), lineterm="", n=2))[:40],
                          sep="\n")
    for name, count in sorted(seen.items()):
        print(f"{name}: {count} refusals")
    for name, floor in FLOOR.items():
        if seen.get(name, 0) < floor:
            failed = True
            print(f"expected at least {floor} refusals by {name}, but got {seen.get(name, 0)}")
    print(f"{sum(seen.values())} refusals left the IR as it was" if not failed else "failed")
    return failed


if __name__ == "__main__":
    sys.exit(main())
