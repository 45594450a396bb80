# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the sentence encoder on a GPU, or its simulator, beside NumPy.

    check_nvvm_minilm.py FOLDER LAYERS BxL...

FOLDER is that of the example. Weights are random.
"""

import sys
import tempfile
from pathlib import Path

import check_minilm
import numpy as np

import symrun
from checking import Checks
from weights_file import safetensors

TOLERANCE = 1e-5


def main():
    layers = int(sys.argv[2])
    rng = np.random.default_rng(5)
    weights = check_minilm.make_weights(layers)
    calls = []
    for shape in sys.argv[3:]:
        batch, length = map(int, shape.split("x"))
        mask = rng.integers(0, 2, (batch, length))
        mask[:, :1] = 1
        calls.append((rng.integers(0, 30522, (batch, length)), mask))
    checks = Checks()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "weights.safetensors").write_bytes(safetensors(weights))
        (folder / "dynamic.mlir").write_text(check_minilm.program.program(layers))
        run = symrun.run(folder / "dynamic.mlir", calls, entry="encode",
                         options=[f"--weights={folder}/weights.safetensors", "--target=nvvm"])
        if checks.ran(run, len(calls), "encoder"):
            for (ids, mask), (actual,) in zip(calls, run.results):
                checks.close(actual, check_minilm.encode(ids, mask, weights, layers), TOLERANCE,
                             f"encoder at {ids.shape}")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
