# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes ONNX files without any package: the wire format, field by field.

    model([node("Add", "x y", "z")], {"x": (FLOAT, ["B", 4])}, ["z"], {"w": array})
"""

import struct

import numpy as np

FLOAT, UINT8, INT8, INT32, INT64, BOOL, DOUBLE = 1, 2, 3, 6, 7, 9, 11
TYPES = {np.dtype(np.float32): FLOAT, np.dtype(np.uint8): UINT8, np.dtype(np.int8): INT8,
         np.dtype(np.int32): INT32, np.dtype(np.int64): INT64, np.dtype(bool): BOOL,
         np.dtype(np.float64): DOUBLE}


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def text(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def tensor(array, name=""):
    array = np.asarray(array, order="C")
    dims = b"".join(number(1, extent) for extent in array.shape)
    return dims + number(2, TYPES[array.dtype]) + text(8, name) + text(9, array.tobytes())


def attribute(name, value):
    out = text(1, name)
    if isinstance(value, bool) or isinstance(value, int):
        return out + number(3, int(value)) + number(20, 2)
    if isinstance(value, float):
        return out + varint(2 << 3 | 5) + struct.pack("<f", value) + number(20, 1)
    if isinstance(value, str):
        return out + text(4, value) + number(20, 3)
    if isinstance(value, bytes):  # a graph
        return out + text(6, value) + number(20, 5)
    if isinstance(value, np.ndarray):
        return out + text(5, tensor(value)) + number(20, 4)
    return out + b"".join(number(8, element) for element in value) + number(20, 7)


def node(kind, inputs, outputs, name="", domain="", **attributes):
    out = b"".join(text(1, "" if value == "-" else value) for value in inputs.split())
    out += b"".join(text(2, value) for value in outputs.split())
    out += text(3, name) + text(4, kind)
    out += b"".join(text(5, attribute(*item)) for item in attributes.items())
    return out + (text(7, domain) if domain else b"")


def value_info(name, kind=None, dims=None):
    if kind is None:
        return text(1, name)
    shape = b""
    for dim in dims:
        if dim is None:
            shape += text(1, b"")
        else:
            shape += text(1, text(2, dim) if isinstance(dim, str) else number(1, dim))
    return text(1, name) + text(2, text(1, number(1, kind) + text(2, shape)))


def graph(nodes, inputs, outputs, constants=None):
    out = b"".join(text(1, each) for each in nodes) + text(2, "g")
    out += b"".join(text(5, tensor(array, name)) for name, array in (constants or {}).items())
    out += b"".join(text(11, value_info(name, *declared)) for name, declared in inputs.items())
    return out + b"".join(text(12, value_info(name)) for name in outputs)


def model(nodes, inputs, outputs, constants=None, opset=20, functions=()):
    """The bytes of a file. `inputs` maps names to (type, dims); a dim is a number, a name or None."""
    out = number(1, 9) + text(7, graph(nodes, inputs, outputs, constants))
    out += text(8, text(1, "") + number(2, opset))
    return out + b"".join(text(25, function) for function in functions)
