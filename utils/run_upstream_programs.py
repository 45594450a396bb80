#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of MLIR's integration tests, in every mode of symshape-run, beside what these tests expect.

    run_upstream_programs.py SOURCES [--build=build] [--filter=REGEX] [--verbose]

SOURCES holds `mlir/test` of the MLIR that is linked (`./bootstrap upstream` fetches it). Of Integration/Dialect, what
runs on a CPU: each program goes through its transform script, if it has one, then through symshape-run, which prints
what upstream's runner libraries print; FileCheck compares. How a run ends:

    same      as upstream's test expects
    refused   with a place in the program; REFUSED says which may be, and why
    differs   anything else

Prints a table by mode, and exits 1 where something differs, is refused without a reason, or fewer than FLOOR are the
same.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

LLVM = Path("/usr/lib/llvm-22")
MODES = {"default": [], "quick": ["--compile=quick"], "two threads": ["--threads=2"], "guard pages": ["--guard-pages"],
         "static": ["--dynamic=never"]}
ELSEWHERE = re.compile(r"GPU|Sparse|XeG|XeV|ArmS|ArmN|X86|AMX|Async|LLVMIR|PDL|runtime-verification|Transform/match")
# Why a program may be refused, by what the message says.
REFUSED = {
    r"expected an op that symshape can lower, but got 'arith\.": "floats of 8 bits",
    r"expected f16, bf16, f32 or f64": "floats of 8 bits",
    r"assert always fails": "the program asserts what is false",
    r"unknown memory side effects": "intrinsics of LLVM that say nothing of memory",
    r"requirement can never hold": "the program reads beyond what it says is in bounds",
    r"crashed on '.*rewrite-narrow-types": "LLVM 22 crashes in SimplifyDemandedVectorElts, on vectors of i1 made of i5",
}
FLOOR = 80  # in each mode


class Program:
    """One command of a test that runs a program: its file, entry and what FileCheck looks for."""

    def __init__(self, path, command):
        self.path = path
        entry = re.search(r"(?:-e|--?entry-point)[= ]+(\w+)", command)
        prefixes = re.search(r"check-prefix(?:es)?[= ]+([\w,-]+)", command)
        self.entry = entry[1] if entry else "main"
        self.prefixes = [f"--check-prefixes={prefixes[1]}"] if prefixes else []
        self.has_script = "transform-interpreter" in command


def programs_of(path):
    """A program for each of the file's commands that differ in entry or prefix."""
    lines = re.findall(r"//\s*RUN:\s*(.*?)(\\?)$", path.read_text(), re.M)
    commands, found = [""], {}
    for text, continues in lines:
        commands[-1] += text + " "
        if not continues:
            commands.append("")
    for command in commands:
        # EMULATED: what a pass of MLIR's tests makes of integers.
        if "mlir-runner" in command and "FileCheck" in command and not re.search("not mlir-|EMULATED", command):
            program = Program(path, command)
            found.setdefault((program.entry, *program.prefixes), program)
    return list(found.values())


def transformed(program, tools, folder):
    """The file to run: where there is a script, what it makes of the program, without the script."""
    if not program.has_script:
        return program.path, ""
    done = subprocess.run([tools / "symshape-opt", program.path, "--transform-interpreter"], capture_output=True, text=True)
    text = re.sub(r"^  (?:transform\.\w+|module attributes \{transform)[^\n]*\{\n.*?^  \}\n", "", done.stdout, flags=re.M | re.S)
    path = folder / "transformed.mlir"
    path.write_text(text.replace(" attributes {transform.with_named_sequence}", ""))
    return path, done.stderr if done.returncode else ""


def run(program, path, options, tools):
    """How it ends, and what was said."""
    libraries = ":".join(str(LLVM / "lib" / f"libmlir_{name}.so") for name in ("runner_utils", "c_runner_utils"))
    try:
        done = subprocess.run([tools / "symshape-run", path, f"--entry={program.entry}", *options], capture_output=True, text=True,
                              timeout=120, env={**os.environ, "LD_PRELOAD": libraries, "SYMSHAPE_CACHE": "off"})
    except subprocess.TimeoutExpired:
        return "differs", "no end in 120 s"
    if done.returncode:
        isPlaced = program.path.name in done.stderr or path.name in done.stderr
        return "refused" if done.returncode in (1, 3, 70) and isPlaced else "differs", done.stderr
    checked = subprocess.run([LLVM / "bin" / "FileCheck", program.path, *program.prefixes], input=done.stdout, capture_output=True, text=True)
    return ("differs", checked.stderr) if checked.returncode else ("same", "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", type=Path)
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--filter", default="")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    root = options.sources / "mlir" / "test" / "Integration" / "Dialect"
    root = root if root.is_dir() else options.sources / "Integration" / "Dialect"
    tools, counts, reasons, isBad = options.build.resolve() / "bin", {mode: Counter() for mode in MODES}, Counter(), False
    with tempfile.TemporaryDirectory(prefix="programs") as folder:
        for path in sorted(root.rglob("*.mlir")):
            name = str(path.relative_to(root))
            if ELSEWHERE.search(name) or not re.search(options.filter, name):
                continue
            for program in programs_of(path):
                source, error = transformed(program, tools, Path(folder))
                for mode, flags in MODES.items():
                    end, text = ("differs", error) if error else run(program, source, flags, tools)
                    reason = next((why for words, why in REFUSED.items() if re.search(words, text)), None)
                    counts[mode][end] += 1
                    if end == "refused" and reason:
                        reasons[reason] += 1
                    elif end != "same":
                        isBad = True
                        print(f"{name} @{program.entry}, {mode}: {end}: {text.strip()[:2000 if options.verbose else 300]}")
    for mode, ends in counts.items():
        print(f"{mode}: {', '.join(f'{count} {end}' for end, count in sorted(ends.items()))}")
    for reason, count in reasons.items():
        print(f"  refused {count} times: {reason}")
    isFew = not options.filter and any(ends["same"] < FLOOR for ends in counts.values())
    return int(isBad or isFew)


if __name__ == "__main__":
    sys.exit(main())
