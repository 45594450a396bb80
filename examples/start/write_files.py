#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the small files that pages begin with, which stand beside this script: write_files.py [FOLDER].

`model.onnx` adds two tensors `ids` and `mask`, `network.mlir` is a program in TOSA, and `scores.mlir` names
its dimensions; `.npy` files are inputs of them, `.safetensors` weights of programs that pages show. `cache.onnx` joins
two tensors; those after it in MODELS have what pages say is refused.
"""

import json
import re
import struct
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
for folder in "utils", "test/Import/Inputs":
    sys.path.insert(0, str(ROOT / folder))
import onnx_file  # noqa: E402
import write_models  # noqa: E402
from onnx_file import FLOAT, model, node  # noqa: E402

NETWORK = """func.func @main(%image: tensor<?x?x?x3xf32>) -> tensor<?x?x?x3xf32> {
  %r = tosa.clamp %image {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<?x?x?x3xf32>) -> tensor<?x?x?x3xf32>
  return %r : tensor<?x?x?x3xf32>
}
"""
DIMS = (onnx_file.INT64, ["batch", "length"])
MODELS = {
    "model": model([node("Add", "ids mask", "hidden")], {"ids": DIMS, "mask": DIMS}, ["hidden"]),
    **{name: write_models.MODELS[name] for name in ("cache", "unknown", "axes", "sequence")},
    "static": model([node("Add", "x y", "z", name="plus")], {"x": (FLOAT, [3]), "y": (FLOAT, [4])}, ["z"]),
    "small": model([node("Conv", "image w", "z", name="edges", kernel_shape=[3, 3])], {"image": (FLOAT, [1, 1, 2, "W"])}, ["z"],
                   {"w": np.zeros((2, 1, 3, 3), np.float32)}),
}


def safetensors(name, array):
    head = json.dumps({name: {"dtype": "F32", "shape": array.shape, "data_offsets": [0, array.nbytes]}}).encode()
    return struct.pack("<Q", len(head)) + head + array.tobytes()


def files():
    """Contents by name."""
    page = (ROOT / "docs/GettingStarted.md").read_text()
    scores = re.search(r"^`scores\.mlir`.*:\n\n```mlir\n(.*?)^```$", page, re.M | re.S)[1]
    return {"network.mlir": NETWORK.encode(), "scores.mlir": scores.encode(), "notes.pdf": b"%PDF-1.7\n",
            "w.safetensors": safetensors("w", np.zeros((8, 40), np.float32)),
            "scale.safetensors": safetensors("scale", np.array([1, 2, 3], np.float32)),
            **{f"{name}.onnx": data for name, data in MODELS.items()}}


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    for name, data in files().items():
        (folder / name).write_bytes(data)
    np.save(folder / "nine.npy", np.array([9]))
    for name in ("ids", "mask"):
        np.save(folder / f"{name}.npy", np.ones((2, 16), np.int64))
    np.save(folder / "image.npy", np.ones((1, 8, 8, 3), np.float32))


if __name__ == "__main__":
    main()
