# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes what pages for newcomers call `model.onnx`, `network.mlir` and so on: write_newcomers_files.py FOLDER."""

import sys
from pathlib import Path

import numpy as np
import onnx_file

NETWORK = """
func.func @main(%image: tensor<?x?x?x3xf32>) -> tensor<?x?x?x3xf32> {
  %r = tosa.clamp %image {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<?x?x?x3xf32>) -> tensor<?x?x?x3xf32>
  return %r : tensor<?x?x?x3xf32>
}
"""


def main():
    folder = Path(sys.argv[1])
    dims = (onnx_file.INT64, ["batch", "length"])
    (folder / "model.onnx").write_bytes(
        onnx_file.model([onnx_file.node("Add", "ids mask", "hidden")], {"ids": dims, "mask": dims}, ["hidden"]))
    (folder / "network.mlir").write_text(NETWORK)
    for name in ("ids", "mask"):
        np.save(folder / f"{name}.npy", np.ones((2, 16), np.int64))
    np.save(folder / "image.npy", np.ones((1, 8, 8, 3), np.float32))


if __name__ == "__main__":
    main()
