# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Breaks the PTX of kernels in one place each, and counts which runs notice.

    check_nvvm_mutants.py

What is dropped: a barrier; a wait for copies to shared memory, or for products by four warps; a fence
or the end of a group of those; a bound: the test that a thread is
within its grid or its loop, or how many bytes copies to shared memory read before they fill with zeros
(all of a kernel together: a product with the zero of the other operand is 0 all the same); and the fact
that rows are whole chunks of 16 bytes (the kernel for those runs on all). Kernels that no call runs, as
one that does nothing shows, are left out. A run notices if the simulated driver refuses it, or results
differ from those of the CPU, as in check_nvvm.py.
"""

import os
import re
import sys
import tempfile
from pathlib import Path

import check_nvvm
import numpy as np

import symrun
from bundles import Bundle, execute, save
from checking import Checks

# Programs, and sizes: rows that are whole chunks of 16 bytes and others, beyond a block of threads and a
# step of terms, so that each kernel runs.
CASES = {"add": [(3, 131), (5, 204)], "transpose": [(35, 67), (5, 67)], "scale": [(3, 131), (5, 204)],
         "softmax": [(3, 131), (5, 204), (2, 1031), (2, 1028)],
         "product": [(66, 161, 70), (72, 168, 80), (577, 35, 641), (577, 36, 640), (1153, 35, 1281), (1153, 36, 1284)],
         "product_bf16": [(66, 261, 70), (72, 264, 80)],
         "product_f16": [(66, 261, 70), (72, 264, 80), (584, 67, 641), (584, 72, 640), (1152, 67, 1281), (1152, 72, 1288)],
         "convolution_f16": [(2, 3, 67)]}
# By four warps (wgmma), for sm_90a; options of symshape-run.
GROUPS = {"product_bf16": ("narrow", [(8, 328, 8), (136, 72, 136)]), "product_f16": ("wide", [(8, 328, 8), (136, 72, 264)])}
# Whose warps hand values on through memory outside of blocks: runs in two orders show it.
BOTH_ORDERS = {"softmax"}

BARRIER = re.compile(r"^\s*bar(rier)?\.(cta\.)?sync\b.*;$")
WAIT = re.compile(r"^\s*(cp\.async\.wait_(group|all)|wgmma\.wait_group\.sync\.aligned)\b.*;$")
FENCE = re.compile(r"^\s*(fence\.proxy\.async|wgmma\.fence|wgmma\.commit_group)\b.*;$")
BYTES = re.compile(r"^(\s*cp\.async\.c[ag]\.shared\.global .*), (%r\d+);$")
BRANCH = re.compile(r"^\s*@(%p\d+) bra\b.*;$")
ENTRY = re.compile(r"^\.visible \.entry (\w+)\(")


def lines_of_kernels(lines):
    """Per kernel, the numbers of its lines."""
    kernels, current = {}, None
    for number, line in enumerate(lines):
        if match := ENTRY.match(line):
            current = kernels.setdefault(match[1], [])
        if current is not None:
            current.append(number)
    return kernels


def stopped(lines, kernel):
    """The text where a kernel does nothing."""
    first = next(i for i in kernel if lines[i].strip() == "{")
    return "\n".join([*lines[:first + 1], "\tret;", *lines[first + 1:]])


def bound_of(lines, kernel):
    """The first branch of a kernel that a comparison with an extent decides."""
    for number in kernel:
        if match := BRANCH.match(lines[number]):
            compared = any(re.match(rf"\s*setp\.g[et]\.[us]64\s+{match[1]},", lines[i]) for i in kernel if i < number)
            return number if compared else None
    return None


def mutants(text, kernels):
    """Kinds and names of mutants of some kernels, and their texts."""
    lines = text.split("\n")

    def with_line(number, line):
        return "\n".join([*lines[:number], line, *lines[number + 1:]])

    for name, kernel in kernels.items():
        copies = {number: BYTES.match(lines[number]) for number in kernel if BYTES.match(lines[number])}
        for number in kernel:
            if BARRIER.match(lines[number]):
                yield "barrier", f"{name}:{number + 1}", with_line(number, "")
            elif copies and WAIT.match(lines[number]):
                yield "wait", f"{name}:{number + 1}", with_line(number, "")
            elif FENCE.match(lines[number]):
                yield "fence", f"{name}:{number + 1}", with_line(number, "")
        if copies:
            dropped = [f"{copies[i][1]};" if i in copies else line for i, line in enumerate(lines)]
            yield "bound", f"copies of {name}", "\n".join(dropped)
        if (number := bound_of(lines, kernel)) is not None:
            yield "bound", f"{name}:{number + 1}", with_line(number, "")
    for wide, narrow in chunked(lines, kernels):
        swapped = re.sub(rf"\b({wide}|{narrow})\b", lambda match: narrow if match[1] == wide else wide, text)
        yield "alignment", wide, swapped


def chunked(lines, kernels):
    """Pairs of kernels of one operation, of which the host picks by whether rows are whole chunks."""
    names = list(kernels)
    for first, second in zip(names, names[1:]):
        wide = [any(".v4." in lines[i] for i in kernels[name]) for name in (first, second)]
        if first.rsplit("_", 1)[0] == second.rsplit("_", 1)[0] and wide[0] != wide[1]:
            yield (first, second) if wide[0] else (second, first)


class Case:
    """A program with calls, and what the CPU makes of them."""

    def __init__(self, name, shapes, options, folder):
        _, _, self.tolerance, make = check_nvvm.PROGRAMS[name]
        self.folder, self.name = folder, name
        calls = [make(np.random.default_rng(7), *shape) for shape in shapes]
        self.expected = [results[0] for results in symrun.run(check_nvvm.FILE, calls, entry=name).results]
        self.inputs = []
        for i, call in enumerate(calls):
            paths = [folder / f"in{i}_{j}.npy" for j in range(len(call))]
            for path, array in zip(paths, call):
                np.save(path, array)
            self.inputs.append([f"--input=@{path}" for path in paths])
        save(check_nvvm.FILE, folder / "whole", [f"--entry={name}", "--target=nvvm", *options], folder)
        self.text = (folder / "whole" / "kernels.ptx").read_text()

    def notices(self, checks, text):
        """Whether a call fails or gives another result where the kernels are `text`."""
        bundle = Bundle(self.folder / "whole", self.folder).replace("kernels.ptx", text.encode())
        return any(self.differs(checks, bundle, inputs, expected)
                   for inputs, expected in zip(self.inputs, self.expected))

    def differs(self, checks, bundle, inputs, expected):
        output = self.folder / "out.npy"
        output.unlink(missing_ok=True)
        os.environ["SYMSHAPE_PTXSIM_ORDER"] = "both" if self.name in BOTH_ORDERS else "forward"
        done = execute(["symshape-bundle-run", bundle.path, *inputs, f"--output={output}"], self.folder)
        checks.that(done.returncode in (0, 1, 3), f"{self.name}: a status", f"{done.returncode}\n{done.stderr}")
        return done.returncode != 0 or not np.allclose(np.load(output), expected, rtol=0, atol=self.tolerance)


def main():
    checks, counts = Checks(), dict.fromkeys(("alignment", "barrier", "bound", "fence", "kernels", "wait"), 0)
    cases = [(name, shapes, []) for name, shapes in CASES.items()]
    cases += [(name, shapes, ["--chip=sm_90a", f"--wgmma={tile}"]) for name, (tile, shapes) in GROUPS.items()]
    for name, shapes, options in cases:
        os.environ["SYMSHAPE_PTXSIM_ARCH"] = "90" if options else "80"
        with tempfile.TemporaryDirectory() as temporary:
            case = Case(name, shapes, options, Path(temporary))
            checks.that(not case.notices(checks, case.text), f"{name}: as it is, it runs")
            lines = case.text.split("\n")
            kernels = {kernel: numbers for kernel, numbers in lines_of_kernels(lines).items()
                       if case.notices(checks, stopped(lines, numbers))}
            counts["kernels"] += len(kernels)
            for kind, place, mutant in mutants(case.text, kernels):
                counts[kind] += 1
                checks.that(case.notices(checks, mutant), f"{name}: {kind} at {place} is noticed")
    print(", ".join(f"{count} of {kind}" for kind, count in sorted(counts.items())))
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
