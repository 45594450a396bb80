# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes ONNX files without any package: the wire format, field by field.

    model([node("Add", "x y", "z")], {"x": (FLOAT, ["B", 4])}, ["z"], {"w": array})
"""

import struct
from dataclasses import dataclass

import numpy as np

FLOAT, UINT8, INT8, INT32, INT64, BOOL, FLOAT16, DOUBLE = 1, 2, 3, 6, 7, 9, 10, 11
TYPES = {np.dtype(np.float32): FLOAT, np.dtype(np.uint8): UINT8, np.dtype(np.int8): INT8,
         np.dtype(np.int32): INT32, np.dtype(np.int64): INT64, np.dtype(bool): BOOL,
         np.dtype(np.float16): FLOAT16, np.dtype(np.float64): DOUBLE}


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
    """Of an array, or of the number of a type, an array of its bits, and the extents if these are packed."""
    kind, array, *shape = array if isinstance(array, tuple) else (None, array)
    array = np.asarray(array, order="C")
    dims = b"".join(number(1, extent) for extent in (shape[0] if shape else array.shape))
    return dims + number(2, kind or TYPES[array.dtype]) + text(8, name) + text(9, array.tobytes())


@dataclass
class Reference:
    """The attribute of that name of the function around; `kind` is AttributeProto.AttributeType."""

    name: str
    kind: int


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
    if isinstance(value, Reference):
        return out + text(21, value.name) + number(20, value.kind)
    if value and isinstance(value[0], float):
        return out + b"".join(varint(7 << 3 | 5) + struct.pack("<f", element) for element in value) + number(20, 6)
    if value and isinstance(value[0], str):
        return out + b"".join(text(9, element) for element in value) + number(20, 8)
    return out + b"".join(number(8, element) for element in value) + number(20, 7)


def node(kind, inputs, outputs, name="", domain="", overload="", **attributes):
    outputs = [outputs] if isinstance(outputs, bytes) else outputs.split()
    out = b"".join(text(1, "" if value == "-" else value) for value in inputs.split())
    out += b"".join(text(2, "" if value == "-" else value) for value in outputs)
    out += text(3, name) + text(4, kind)
    out += b"".join(text(5, attribute(*item)) for item in attributes.items())
    return out + (text(7, domain) if domain else b"") + (text(8, overload) if overload else b"")


def constant(name, value):
    """A node that gives a constant."""
    return node("Constant", "", name, value=np.asarray(value))


def function(name, inputs, outputs, nodes, attributes=(), opset=20, domain="mine", overload=""):
    """One of a model, whose nodes may refer to these attributes."""
    out = text(1, name) + b"".join(text(4, each) for each in inputs.split())
    out += b"".join(text(5, each) for each in outputs.split()) + b"".join(text(6, each) for each in attributes)
    out += b"".join(text(7, each) for each in nodes) + text(9, text(1, "") + number(2, opset))
    return out + text(10, domain) + (text(13, overload) if overload else b"")


def fields(message):
    """The fields of a message: pairs of number and value, an integer or bytes."""
    at = 0

    def read():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(message):
        key = read()
        form = key & 7
        if form == 0:
            yield key >> 3, read()
            continue
        size = read() if form == 2 else {1: 8, 5: 4}[form]
        yield key >> 3, message[at:at + size]
        at += size


def field(message, number, otherwise=b""):
    """The last field of that number."""
    return dict(fields(message)).get(number, otherwise)


def declared(file, kind):
    """The shapes that a file declares: of inputs (11), outputs (12) or values (13), by name.

    A dim is a number, a text or None; a shape that is not there is None.
    """
    shapes = {}
    for number, info in fields(field(file, 7)):
        if number != kind:
            continue
        type_ = field(field(info, 2), 1)
        dims = None
        if 2 in dict(fields(type_)):
            dims = []
            for each, dim in fields(field(type_, 2)):
                if each == 1:
                    known = dict(fields(dim))
                    dims.append(known[1] if 1 in known else known[2].decode() if 2 in known else None)
        shapes[field(info, 1).decode()] = dims
    return shapes


def value_info(name, kind=None, dims=None):
    if kind is None:
        return text(1, name)
    shape = b""
    for dim in dims:
        if dim is None:
            shape += text(1, b"")
        else:
            shape += text(1, text(2, dim) if isinstance(dim, (str, bytes)) else number(1, dim))
    return text(1, name) + text(2, text(1, number(1, kind) + text(2, shape)))


def graph(nodes, inputs, outputs, constants=None, values=None):
    """`outputs` are names, or as `inputs` and `values`, which maps names to (type, dims)."""
    out = b"".join(text(1, each) for each in nodes) + text(2, "g")
    out += b"".join(text(5, tensor(array, name)) for name, array in (constants or {}).items())
    out += b"".join(text(11, value_info(name, *declared)) for name, declared in inputs.items())
    if not isinstance(outputs, dict):
        outputs = dict.fromkeys(outputs, ())
    out += b"".join(text(12, value_info(name, *declared)) for name, declared in outputs.items())
    return out + b"".join(text(13, value_info(name, *each)) for name, each in (values or {}).items())


def model(nodes, inputs, outputs, constants=None, opset=20, functions=(), values=None, domains=()):
    """The bytes of a file. `inputs` maps names to (type, dims); a dim is a number, a name or None.
    Of `domains` other than ONNX's own, version 1 is imported."""
    out = number(1, 9) + text(7, graph(nodes, inputs, outputs, constants, values))
    out += text(8, text(1, "") + number(2, opset))
    out += b"".join(text(8, text(1, domain) + number(2, 1)) for domain in domains)
    return out + b"".join(text(25, function) for function in functions)
