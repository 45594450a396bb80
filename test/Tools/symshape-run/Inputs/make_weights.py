# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a small .safetensors file: layer.weight [3, 2], layer.bias [3]."""

import json
import struct
import sys

import numpy as np

tensors = {
    "layer.weight": np.array([[1, 2], [2, 3], [3, 4]], np.float32),
    "layer.bias": np.array([11, 21, 31], np.float32),
}
header, data = {"__metadata__": {"format": "np"}}, b""
for name, array in tensors.items():
    begin = len(data)
    data += array.tobytes()
    header[name] = {"dtype": "F32", "shape": array.shape, "data_offsets": [begin, len(data)]}
text = json.dumps(header).encode()
with open(sys.argv[1], "wb") as file:
    file.write(struct.pack("<Q", len(text)) + text + data)
