#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of TOSA from before its version 1.0, as TensorFlow 2.18 makes them from
networks of TF Lite, in the form of version 1.0, and with extents of the image open.

    tosa_old_form.py OLD.mlir NEW.mlir [--open=N|NHW] [--size=NxHxW]

OLD.mlir is in MLIR's generic form, of floats only. With --open the first extents of
what is computed from the argument become `?`; targets of reshapes and slices follow,
where they can: a target (1, M, C) is (N, -1, C), and a slice takes all of an axis
that it took all of. With --size the argument gets these extents instead, and what is
computed from it is left to be inferred.
"""

import argparse
import re
import sys
from pathlib import Path

LINE = re.compile(r'\s*(%\w+) = "tosa\.(\w+)"\(([^)]*)\)(.*) : \(([^)]*)\) -> (tensor<[^>]*>)$')
FUNCTION = re.compile(r"function_type = \(([^)]*)\) -> ")


def extents(type_):
    return type_[len("tensor<"):-1].split("x")[:-1]


def element(type_):
    return type_[len("tensor<"):-1].split("x")[-1]


def tensor(shape, kind):
    return f"tensor<{''.join(f'{extent}x' for extent in shape)}{kind}>"


class Op:
    """One line: `results` of the old type, attributes as text."""

    def __init__(self, match):
        self.result, self.name, operands, self.attributes, inputs, self.type = match.groups()
        self.operands = [operand for operand in operands.split(", ") if operand]
        self.inputs = inputs.split(", ") if inputs else []

    def array(self, name):
        found = re.search(name + r" = array<i64: ?([^>]*)>", self.attributes)
        return [int(value) for value in found.group(1).split(",")]

    def number(self, name):
        return re.search(name + r" = (\S+ : f32)", self.attributes).group(1)


class Upgrade:
    """Rewrites line by line; `open_axes` are those of the image that get open."""

    def __init__(self, open_axes, size=None):
        self.open_axes, self.size, self.count = open_axes, size, 0
        self.lines, self.constants = [], {}
        self.types = {}  # of values that are computed from the argument

    def fresh(self, text, type_):
        self.count += 1
        name = f"%u{self.count}"
        self.lines.append(f"  {name} = {text}{type_}")
        return name, type_

    def shape(self, values):
        rank = len(values)
        return self.fresh(f'"tosa.const_shape"() <{{values = dense<{list(values)}> : tensor<{rank}xindex>}}> : () -> ',
                          f"!tosa.shape<{rank}>")

    def scalar(self, value, kind):
        type_ = f"tensor<1x{kind}>"
        return self.fresh(f'"tosa.const"() <{{values = dense<{value}> : {type_}}}> : () -> ', type_)

    def opened(self, type_):
        shape = extents(type_)
        if self.size:
            return tensor("?" * len(shape), element(type_))
        return tensor(["?" if axis in self.open_axes and axis < max(len(shape) - 1, 1) else extent
                       for axis, extent in enumerate(shape)], element(type_))

    def emit(self, op, extra=(), keep=None, attributes=None):
        """`extra` are pairs (value, type) behind the first `keep` operands."""
        operands, inputs = op.operands[:keep], op.inputs[:keep]
        type_ = op.type
        if any(operand in self.types for operand in operands):
            type_ = self.types[op.result] = self.opened(op.type)
        inputs = [self.types.get(operand, own) for operand, own in zip(operands, inputs)]
        operands, inputs = operands + [value for value, _ in extra], inputs + [own for _, own in extra]
        self.lines.append(f'  {op.result} = "tosa.{op.name}"({", ".join(operands)})'
                          f'{op.attributes if attributes is None else attributes} : ({", ".join(inputs)}) -> {type_}')

    def is_open(self, op):
        return op.operands[0] in self.types and bool(self.open_axes or self.size)

    def constant(self, op):
        value = op.attributes[op.attributes.index("value = ") + len("value = "):].rstrip("}> ")
        value += ">"
        if op.type.endswith(("xi32>", "<f32>")):
            self.constants[op.result] = re.findall(r"-?\d[\d.e+-]*", value.split(" : ")[0])
        self.lines.append(f'  {op.result} = "tosa.const"() <{{values = {value}}}> : () -> {op.type}')

    def reshape(self, op):
        target = op.array("new_shape")
        if not self.is_open(op):
            return self.emit(op, [self.shape(target)], attributes="")
        if target[0] != 1:
            raise ValueError(f"expected a batch of 1 in {op.result}, but got {target}")
        if len(target) != 3 or 1 not in self.open_axes:
            return self.emit(op, [self.shape([-1, *target[1:]])], attributes="")
        image, rest = op.operands[0], self.shape([-1, *target[2:]])
        batch = self.fresh(f'"tosa.dim"({image}) <{{axis = 0 : i32}}> : ({self.types[image]}) -> ', "!tosa.shape<1>")
        whole = self.fresh(f'"tosa.concat_shape"({batch[0]}, {rest[0]}) : ({batch[1]}, {rest[1]}) -> ',
                           f"!tosa.shape<{len(target)}>")
        return self.emit(op, [whole], attributes="")

    def slice(self, op):
        start, size = op.array("start"), op.array("size")
        if self.is_open(op):
            size = [-1 if first == 0 and str(taken) == extent and axis in self.open_axes else taken
                    for axis, (first, taken, extent) in enumerate(zip(start, size, extents(op.inputs[0])))]
        self.emit(op, [self.shape(start), self.shape(size)], attributes="")

    def pad(self, op):
        values = [int(value) for value in self.constants[op.operands[1]]]
        rank = len(extents(op.inputs[0]))
        padding = values if len(values) == 2 * rank else values * (2 * rank)
        value = self.constants[op.operands[2]][0] if len(op.operands) > 2 else "0.0"
        self.emit(op, [self.shape(padding), self.scalar(value, element(op.inputs[0]))], keep=1, attributes="")

    def resize(self, op):
        """The mode is not written: that of these networks is bilinear."""
        extra = [self.shape(op.array(name)) for name in ("scale", "offset", "border")]
        self.emit(op, extra, attributes=" <{mode = #tosa.resize_mode<BILINEAR>}>")

    def window(self, op):
        zeros = [self.scalar("0.0", element(type_)) for type_ in (op.inputs[0], (op.inputs + [op.type])[1])]
        attributes = op.attributes
        if "acc_type" not in attributes:
            attributes = attributes.replace("<{", "<{acc_type = f32, ", 1)
        self.emit(op, zeros, attributes=attributes)

    def convolution(self, op):
        """A window must end where the image does: rows and columns behind the last are cut off."""
        image, kernel = extents(op.inputs[0]), extents(op.inputs[1])
        first = 1 if op.name == "conv2d" else 0
        pad, stride, dilation = op.array("pad"), op.array("stride"), op.array("dilation")
        taken = [int(image[1 + i]) - (int(image[1 + i]) + pad[2 * i] + pad[2 * i + 1]
                                      - (int(kernel[first + i]) - 1) * dilation[i] - 1) % stride[i] for i in range(2)]
        if [str(extent) for extent in taken] != image[1:3]:
            if len(self.open_axes) > 1:
                raise ValueError(f"expected windows that end at the end of the image in {op.result}")
            size = [-1, *taken, -1]
            self.count += 1
            cut = Op.__new__(Op)
            cut.result, cut.name, cut.operands, cut.attributes = f"%u{self.count}", "slice", op.operands[:1], ""
            cut.inputs = op.inputs[:1]
            cut.type = tensor([image[0], *taken, image[3]], element(op.inputs[0]))
            self.emit(cut, [self.shape([0] * 4), self.shape(size)])
            op.operands[0], op.inputs[0] = cut.result, cut.type
        self.window(op)

    def clamp(self, op):
        self.emit(op, attributes=f" <{{max_val = {op.number('max_fp')}, min_val = {op.number('min_fp')}, "
                                 "nan_mode = #tosa.nan_mode<PROPAGATE>}>")

    def op(self, op):
        if op.name == "const":
            self.constant(op)
        elif op.name in ("conv2d", "depthwise_conv2d"):
            self.convolution(op)
        elif op.name == "avg_pool2d":
            self.window(op)
        elif op.name in ("reshape", "slice", "pad", "resize", "clamp"):
            getattr(self, op.name)(op)
        elif op.name == "mul":
            self.emit(op, [self.scalar("0", "i8")], attributes="")
        elif op.name in ("add", "cast", "concat", "greater_equal", "max_pool2d", "reduce_sum", "select", "sigmoid"):
            self.emit(op)
        else:
            raise ValueError(f"expected an op that is known here, but got {op.name}")

    def program(self, text):
        for line in text.splitlines():
            if found := LINE.match(line):
                self.op(Op(found))
            elif line.lstrip().startswith("^bb0("):
                name, type_ = re.match(r"\s*\^bb0\((%\w+): (tensor<[^>]*>)\):$", line).groups()
                shape = extents(type_)
                self.types[name] = (tensor([*self.size, shape[3]], element(type_)) if self.size else self.opened(type_))
                self.lines.append(f"func.func @main({name}: {self.types[name]}) -> RESULTS {{")
            elif "func.return" in line:
                values = re.search(r"\(([^)]*)\)", line).group(1).split(", ")
                results = ", ".join(self.types[value] for value in values)
                self.lines = [known.replace("RESULTS", f"({results})") if known.startswith("func.func") else known
                              for known in self.lines]
                self.lines.append(f"  return {', '.join(values)} : {results}")
            elif "tosa." in line:
                raise ValueError(f"expected an op of one line, but got {line[:200]}")
        return "\n".join([*self.lines, "}", ""])


def upgrade(text, open_axes=(), size=None):
    return Upgrade(open_axes, size).program(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--open", default="", choices=["", "N", "NHW"])
    parser.add_argument("--size", default="", help="NxHxW")
    arguments = parser.parse_args()
    size = [int(extent) for extent in arguments.size.split("x")] if arguments.size else None
    arguments.new.write_text(upgrade(arguments.old.read_text(), range(len(arguments.open)), size))
    return 0


if __name__ == "__main__":
    sys.exit(main())
