# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Assembles the kernels of programs.

    check_nvvm_ptxas.py PTXAS FILE.mlir...

Every public function of the files, for sm_80 and sm_90a: `ptxas` takes the code, spills no
register, and needs no more registers than the threads of a block can have. Products by four warps
(wgmma) as well, which it does not make wait for each other.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from checking import Checks

CHIPS = ["sm_80", "sm_90a"]
REGISTERS = 65536  # of a multiprocessor, CUDA C++ Programming Guide, table "Technical Specifications"
LEAST = 140  # kernels
# Which of them, as --wgmma says.
GROUPS = {"product_bf16": "on", "product_f16": "on", "blocks": "on"}

ENTRY = re.compile(r"Compiling entry function '(\w+)'")
SPILLS = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")
USED = re.compile(r"Used (\d+) registers")


def threads_of(code):
    """The threads of a block of each kernel."""
    kernels = re.split(r"\.entry ", code)[1:]
    return {re.match(r"\w+", kernel)[0]: int(re.search(r"\.(?:max|req)ntid (\d+)", kernel)[1]) for kernel in kernels}


def assemble(checks, ptxas, program, entry, chip, folder, options=()):
    """The number of kernels of a function."""
    what = f"{program.name} @{entry} for {chip}"
    code = folder / "kernels.ptx"
    made = subprocess.run(["symshape-run", program, "--target=nvvm", f"--chip={chip}", f"--entry={entry}",
                           f"--assembly={code}", *options], capture_output=True, text=True)
    if not checks.that(made.returncode == 0, f"{what}: code", made.stderr):
        return 0
    done = subprocess.run([ptxas, f"-arch={chip}", "-v", code, "-o", folder / "kernels.cubin"],
                          capture_output=True, text=True)
    if not checks.that(done.returncode == 0, f"{what}: assembled", done.stderr):
        return 0
    threads = threads_of(code.read_text())
    reports = ENTRY.split(done.stderr)[1:]
    for name, report in zip(reports[::2], reports[1::2]):
        checks.that(SPILLS.search(report).groups() == ("0", "0"), f"{what}, {name}: nothing is spilled", report)
        checks.that(int(USED.search(report)[1]) * threads[name] <= REGISTERS, f"{what}, {name}: a block fits", report)
    if options:
        checks.that("wgmma.mma_async" in code.read_text(), f"{what}: by four warps")
        checks.that("wgmma" not in done.stderr, f"{what}: products are under way together", done.stderr)
    checks.that(len(reports) == 2 * len(threads), f"{what}: all kernels are reported", done.stderr)
    return len(threads)


def main():
    ptxas, *files = sys.argv[1:]
    checks = Checks()
    kernels = 0
    with tempfile.TemporaryDirectory() as name:
        for file in map(Path, files):
            entries = re.findall(r"func\.func @(\w+)\(", file.read_text())
            for entry in entries:
                for chip in CHIPS:
                    kernels += assemble(checks, ptxas, file, entry, chip, Path(name))
                if entry in GROUPS:
                    kernels += assemble(checks, ptxas, file, entry, "sm_90a", Path(name), [f"--wgmma={GROUPS[entry]}"])
    checks.that(kernels >= LEAST, f"at least {LEAST} kernels", kernels)
    print(f"{kernels} kernels")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
