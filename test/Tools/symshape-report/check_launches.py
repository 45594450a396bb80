# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The blocks that a report says are launched, beside those that the simulated driver counts.

    check_launches.py FILE.mlir FUNCTION:SIZES...

SIZES are those of the dims M, N, or M, K, N of a product. The report's expressions are evaluated
by Python, at symbols that the extents of the arguments give.
"""

import json
import os
import re
import subprocess
import sys

from report_values import of_text

INPUTS = {"whole": ["{M}x{N}xf32", "{M}x{N}xf32"], "open": ["{M}x{N}xf32", "{M}x{N}xf32"],
          "product": ["{M}x{K}xbf16", "{K}x{N}xbf16", "{M}x{N}xf32"]}


def counted(file, function, sizes):
    """How many blocks ran, as the driver says."""
    inputs = [f"--input={spec.format(**sizes)}=zeros" for spec in INPUTS[function]]
    done = subprocess.run(["symshape-run", file, f"--entry={function}", "--target=nvvm", *inputs], text=True,
                          capture_output=True, env=dict(os.environ, SYMSHAPE_PTXSIM_REPORT="1"))
    assert done.returncode == 0, done.stderr
    return int(re.search(r"^symshape-ptxsim: (\d+) blocks", done.stderr, re.M)[1])


def main():
    file = sys.argv[1]
    report = json.loads(subprocess.run(["symshape-report", file, "--target=nvvm", "--format=json"], check=True,
                                       capture_output=True, text=True).stdout)
    kernels = {function["name"]: function["kernels"] for function in report["functions"]}
    launches, wrong = 0, 0
    for argument in sys.argv[2:]:
        function, _, text = argument.partition(":")
        numbers = list(map(int, text.split("x")))
        sizes = dict(zip("MKN" if len(numbers) == 3 else "MN", numbers))
        symbols = dict(sizes, N=sizes["N"] // 4) if function == "whole" else sizes
        launched = [kernel for kernel in kernels[function]
                    if all(of_text(condition, symbols) for condition in kernel.get("conditions", []))]
        launches += len(launched)
        expected = sum(of_text(kernel["blocks"], symbols) for kernel in launched)
        got = counted(file, function, sizes)
        if got != expected:
            wrong += 1
            print(f"{argument}: the report says {expected} blocks, the driver {got}", file=sys.stderr)
    print(f"{len(sys.argv) - 2} calls, {launches} launches, {wrong} with other numbers of blocks")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
