#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the small files that pages begin with, which stand beside this script: write_files.py [FOLDER].

`model.onnx` adds two tensors `ids` and `mask`, `network.mlir` is a program in TOSA, and `scores.mlir` names
its dimensions; `.npy` files are inputs of them.
"""

import re
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "utils"))
import onnx_file  # noqa: E402

NETWORK = """func.func @main(%image: tensor<?x?x?x3xf32>) -> tensor<?x?x?x3xf32> {
  %r = tosa.clamp %image {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<?x?x?x3xf32>) -> tensor<?x?x?x3xf32>
  return %r : tensor<?x?x?x3xf32>
}
"""


def files():
    """Contents by name."""
    dims = (onnx_file.INT64, ["batch", "length"])
    model = onnx_file.model([onnx_file.node("Add", "ids mask", "hidden")], {"ids": dims, "mask": dims}, ["hidden"])
    page = (ROOT / "docs/GettingStarted.md").read_text()
    scores = re.search(r"^`scores\.mlir`.*:\n\n```mlir\n(.*?)^```$", page, re.M | re.S)[1]
    return {"model.onnx": model, "network.mlir": NETWORK.encode(), "scores.mlir": scores.encode()}


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    for name, data in files().items():
        (folder / name).write_bytes(data)
    for name in ("ids", "mask"):
        np.save(folder / f"{name}.npy", np.ones((2, 16), np.int64))
    np.save(folder / "image.npy", np.ones((1, 8, 8, 3), np.float32))


if __name__ == "__main__":
    main()
