# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The .npy files that symshape-run writes, byte by byte as strict readers want them."""

import ast
import re
import struct
import subprocess
import tempfile
from pathlib import Path

import numpy as np

# What Python prints for a tuple of integers: (), (8,), (2, 3).
TUPLE = r"\((?:|\d+,|\d+(?:, \d+)+)\)"
HEADER = re.compile(rf"\{{'descr': '([<|][a-zV]\d)', 'fortran_order': False, 'shape': ({TUPLE}), \}} *\n")
SHAPES = [(), (1,), (8,), (0,), (2, 3), (0, 5), (1, 1), (2, 1, 3), (4, 0, 2), (2, 1, 2, 1, 2)]
# What has no type in NumPy is stored in another: a bf16 in two bytes.
TYPES = {"f32": "<f4", "f64": "<f8", "i1": "|b1", "i8": "|i1", "ui16": "<u2", "i64": "<i8", "i4": "|i1", "i48": "<i8",
         "index": "<i8", "bf16": "<V2"}


def check(folder, shape, name):
    type_ = "x".join(["?"] * len(shape) + [name])
    program, output = folder / "m.mlir", folder / "o.npy"
    program.write_text(f"func.func @main(%x: tensor<{type_}>) -> tensor<{type_}> {{\n"
                       f"  return %x : tensor<{type_}>\n}}\n")
    values = (np.arange(np.prod(shape, dtype=int)) % 2).reshape(shape)
    values = (values * 0x3f80).astype("<u2").view("<V2") if name == "bf16" else values.astype(TYPES[name])
    np.save(folder / "i.npy", values)
    subprocess.run(["symshape-run", program, f"--input=@{folder}/i.npy", f"--output={output}"], check=True)
    data = output.read_bytes()
    assert data[:8] == b"\x93NUMPY\x01\x00", data[:8]
    (length,) = struct.unpack("<H", data[8:10])
    assert (10 + length) % 64 == 0, length
    header = data[10:10 + length].decode("latin1")
    match = HEADER.fullmatch(header)
    assert match and match.groups() == (TYPES[name], str(shape)), header
    assert ast.literal_eval(header.strip())["shape"] == shape
    with open(output, "rb") as file:
        np.lib.format.read_magic(file)
        read, fortran, dtype = np.lib.format.read_array_header_1_0(file)
    assert (read, fortran, dtype) == (shape, False, values.dtype), (read, fortran, dtype)
    loaded = np.load(output)
    assert loaded.dtype == values.dtype and loaded.shape == shape
    assert loaded.tobytes() == values.tobytes()


def main():
    checked = 0
    with tempfile.TemporaryDirectory() as folder:
        for shape in SHAPES:
            check(Path(folder), shape, "f32")
            checked += 1
        for name in TYPES:
            check(Path(folder), (3,), name)
            checked += 1
    print(f"{checked} files")
    assert checked == len(SHAPES) + len(TYPES) == 20


if __name__ == "__main__":
    main()
