# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The gradient of examples/ragged where every buffer ends, and then begins, at an inaccessible page, beside NumPy.

    check_ragged.py EXAMPLE-FOLDER

Bags without tokens and no tokens at all among the batches; no block may be left.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import symrun
from checking import Checks

sys.path.insert(0, sys.argv[1])
import train

BAGS = [(1, 6), (7, 6), (32, 6), (5, 0)]  # how many, and the longest


def main():
    rng, checks = np.random.default_rng(2), Checks()
    values = rng.standard_normal(train.VOCABULARY).astype(np.float32)
    table = rng.standard_normal((train.VOCABULARY, train.WIDTH)).astype(np.float32)
    head = rng.standard_normal(train.WIDTH).astype(np.float32)
    calls = [[table, head, *train.make_batch(rng, values, bags, longest)] for bags, longest in BAGS]
    with tempfile.TemporaryDirectory() as folder:
        derived = Path(folder) / "ragged-grad.mlir"
        subprocess.run(["symshape-opt", train.HERE / "ragged.mlir", "--symshape-grad=function=loss wrt=0,1", "-o",
                        derived], check=True)
        run = symrun.run(derived, calls, entry="loss.grad", results=3, options=["--guard-pages"])
    if checks.ran(run, len(calls), "@loss.grad"):
        for bags, call, results in zip(BAGS, calls, run.results):
            away = train.difference(results, train.numpy_gradient(*call))
            checks.that(away <= train.TOLERANCE, f"{bags}: the gradient", f"  {away} away")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
