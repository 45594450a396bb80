# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares products with weights of 2, 4 and 8 bits in blocks, by DequantizeLinear, with NumPy, as check_ops.py does.

    check_blocks.py LIBRARY FOLDER
"""

import itertools
import sys
from pathlib import Path

import numpy as np
import symshape_c

from check_microsoft_ops import pack
from check_ops import f32, main, random
from onnx_file import FLOAT, INT8, UINT8, model, node

UINT4, INT4, UINT2, INT2 = 21, 22, 25, 26
TYPES = {"int4": (INT4, 4), "uint4": (UINT4, 4), "int2": (INT2, 2), "uint2": (UINT2, 2), "int8": (INT8, 8),
         "uint8": (UINT8, 8)}
# Terms, columns, terms of a block, whether there are zeros.
SIZES = [(64, 33, 32, True), (100, 5, 16, False), (17, 40, 16, True), (128, 64, 24, True), (31, 1, 64, True),
         (96, 3, 48, False), (0, 4, 16, True), (5, 0, 16, True)]


def constant(numbers, name):
    kind, bits = TYPES[name]
    flat = numbers.reshape(-1) & ((1 << bits) - 1)
    return kind, pack(flat, bits), numbers.shape


def product(name, size, axis):
    terms, columns, block, zeros = size
    bits = TYPES[name][1]
    least = 0 if name.startswith("u") else -(1 << (bits - 1))
    shape = -(-terms // block), columns
    codes = random.integers(least, least + (1 << bits), (terms, columns))
    scales = f32(*shape) / np.float32(1 << bits)
    zero = random.integers(least, least + (1 << bits), shape) if zeros else np.zeros(shape, np.int64)
    weights = ((codes - zero.repeat(block, 0)[:terms]) * scales.astype(float).repeat(block, 0)[:terms])
    turn = (lambda a: np.ascontiguousarray(a.T)) if axis else (lambda a: a)
    constants = {"q": constant(turn(codes), name), "s": turn(scales)}
    if zeros:
        constants["z"] = constant(turn(zero), name)
    nodes = [node("DequantizeLinear", "q s" + (" z" if zeros else ""), "w", axis=axis, block_size=block)]
    nodes += [node("Transpose", "w", "v", perm=[1, 0]), node("MatMul", "x v", "y")] if axis else [node("MatMul", "x w", "y")]
    return (nodes, {"x": (FLOAT, ["M", terms])}, ["y", "w"], constants, lambda x: [x.astype(float) @ weights, turn(weights)],
            [(f32(rows, terms),) for rows in (3, 0, 1, 17)])


CASES = {f"{name}-{axis}-{'-'.join(map(str, size))}": product(name, size, axis)
         for (i, name), axis in itertools.product(enumerate(TYPES), (0, 1)) for size in SIZES[(i + axis) % 2::2]}


def refuse(library, folder):
    """Others than DequantizeLinear would take 4 bits for 8."""
    path = Path(folder) / "refused.onnx"
    path.write_bytes(model([node("QuantizeLinear", "x s z", "y")], {"x": (FLOAT, ["M"])}, ["y"],
                           {"s": np.float32(1), "z": constant(np.zeros(1, int), "int4")}))
    try:
        symshape_c.Program(path, library=library)
    except symshape_c.Error as error:
        assert "expected integers of 2 or 4 bits to be read by DequantizeLinear alone" in str(error), error
    else:
        raise AssertionError("QuantizeLinear to int4 was taken")


if __name__ == "__main__":
    main(CASES)
    refuse(*sys.argv[1:])
