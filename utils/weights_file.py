# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes .safetensors files."""

import json
import struct

import numpy as np

TYPES = {np.dtype(np.float64): "F64", np.dtype(np.float32): "F32", np.dtype(np.float16): "F16", np.dtype(np.int64): "I64",
         np.dtype(np.int32): "I32", np.dtype(np.int16): "I16", np.dtype(np.int8): "I8"}


def safetensors(arrays):
    """The bytes of a file of arrays by name; of a type that NumPy lacks, (its name, an array of its bits)."""
    header, data = {}, b""
    for name, array in arrays.items():
        kind, array = array if isinstance(array, tuple) else (TYPES[array.dtype], array)
        raw = array.tobytes()
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data
