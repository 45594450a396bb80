# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random ops of tensor, as what they do to shapes."""

import math

from .basics import MAX_ELEMENTS, require, tensor_type
from .casts import Casts


def checked(shape):
    require(all(extent >= 0 for extent in shape) and math.prod(shape) <= MAX_ELEMENTS and max(shape) <= MAX_ELEMENTS)
    return shape


class Tensors(Casts):
    def tensor(self, rank=None):
        found = self.pick(lambda v: v.is_tensor and rank in (None, len(v.type)))
        return found or self.empty(rank or self.random.choice([1, 2, 2, 3]))

    def mixed(self, percent, numbers):
        """(text, static number or None, value or None): a number, or an index value."""
        if self.chance(percent):
            number = self.random.choice(numbers)
            return str(number), number, None
        value = self.index()
        return value.name, None, value

    def shape_op(self, type, text, mixed, sources, run):
        """`run` takes the shapes of `sources`, then one number per element of `mixed`."""
        values = [value for _, _, value in mixed if value]

        def execute(*arguments):
            dynamic = iter(arguments[len(sources):])
            numbers = [number if value is None else next(dynamic) for _, number, value in mixed]
            return checked(tuple(run(*arguments[:len(sources)], numbers)))

        return self.define(type, text, execute, (*sources, *values))

    def dim(self):
        source = self.tensor()
        axis = self.random.randrange(len(source.type))
        position = self.constant(axis)
        return self.define("index", f"tensor.dim {source.name}, {position.name} : {source.text}",
                           lambda shape, _: shape[axis], (source, position))

    def empty(self, rank=None):
        extents = [self.mixed(20, [0, 1, 2, 4, 5]) for _ in range(rank or self.random.randint(1, 2))]
        type = tuple(number for _, number, _ in extents)
        dynamic = ", ".join(text for text, _, value in extents if value)
        return self.shape_op(type, f"tensor.empty({dynamic}) : {tensor_type(type)}", extents, (), lambda n: n)

    def slice_parts(self, type):
        # A number as offset into a static extent may be refused by the verifier.
        parts = [[self.mixed(60 if extent is None else 0, [0, 0, 1, 2]), self.mixed(35, [0, 1, 2, 4]),
                  self.mixed(85, [1, 1, 2, 3])] for extent in type]
        text = " ".join("[" + ", ".join(part[i][0] for part in parts) + "]" for i in range(3))
        # Operands in the order of the text: offsets, sizes, strides.
        return parts, text, [part[i] for i in range(3) for part in parts]

    @staticmethod
    def require_inside(shape, numbers):
        rank = len(shape)
        for extent, offset, size, stride in zip(shape, numbers, numbers[rank:], numbers[2 * rank:]):
            last = offset + (size - 1) * stride
            require(offset >= 0 and size >= 0 and stride >= 1)
            require(last < extent if size else offset <= extent)

    def extract_slice(self):
        source = self.tensor()
        rank = len(source.type)
        parts, text, mixed = self.slice_parts(source.type)
        type = tuple(size[1] for _, size, _ in parts)

        def run(shape, numbers):
            self.require_inside(shape, numbers)
            return numbers[rank:2 * rank]

        return self.shape_op(type, f"tensor.extract_slice {source.name}{text} : {source.text} to {tensor_type(type)}",
                             mixed, (source,), run)

    def insert_slice(self):
        target = self.tensor()
        rank = len(target.type)
        source = self.tensor(rank)
        parts, text, mixed = self.slice_parts(target.type)
        if source.type != tuple(size[1] for _, size, _ in parts):
            return self.extract_slice()

        def run(inserted, shape, numbers):
            self.require_inside(shape, numbers)
            require(inserted == tuple(numbers[rank:2 * rank]))
            return shape

        return self.shape_op(target.type, f"tensor.insert_slice {source.name} into {target.name}{text} : "
                             f"{source.text} into {target.text}", mixed, (source, target), run)

    def pad(self):
        source = self.tensor()
        rank = len(source.type)
        low = [self.mixed(60, [0, 0, 1, 3]) for _ in range(rank)]
        high = [self.mixed(50, [0, 1, 2, 4]) for _ in range(rank)]
        type = tuple(None if None in (extent, l[1], h[1]) else extent + l[1] + h[1]
                     for extent, l, h in zip(source.type, low, high))
        arguments = ", ".join(f"{self.name()}: index" for _ in range(rank))
        texts = [", ".join(text for text, _, _ in side) for side in (low, high)]

        def run(shape, numbers):
            require(all(number >= 0 for number in numbers))
            return [extent + l + h for extent, l, h in zip(shape, numbers, numbers[rank:])]

        text = (f"tensor.pad {source.name} low[{texts[0]}] high[{texts[1]}] {{ ^bb0({arguments}): "
                f"tensor.yield %zero : f32 }} : {source.text} to {tensor_type(type)}")
        return self.shape_op(type, text, low + high, (source,), run)

    def collapse(self):
        source = self.tensor(2)
        type = (None if None in source.type else math.prod(source.type),)
        return self.shape_op(type, f"tensor.collapse_shape {source.name} [[0, 1]] : {source.text} into "
                             f"{tensor_type(type)}", [], (source,), lambda shape, _: [math.prod(shape)])

    def expand(self):
        """Into an inner extent that is a number, and an outer that is the quotient, or any value."""
        source = self.tensor(1)
        if source.type[0] is not None:
            return self.collapse()
        inner = self.random.choice([1, 2, 4])
        if self.chance(75):
            zero, factor = self.constant(0), self.constant(inner)
            extent = self.define("index", f"tensor.dim {source.name}, {zero.name} : {source.text}",
                                 lambda shape, _: shape[0], (source, zero))
            outer = self.define("index", f"arith.divsi {extent.name}, {factor.name} : index",
                                lambda a, b: a // b, (extent, factor))
        else:
            outer = self.index()

        def run(shape, numbers):
            require(numbers[0] * inner == shape[0])
            return [numbers[0], inner]

        text = (f"tensor.expand_shape {source.name} [[0, 1]] output_shape [{outer.name}, {inner}] : "
                f"{source.text} into {tensor_type((None, inner))}")
        return self.shape_op((None, inner), text, [(outer.name, None, outer)], (source,), run)

    def concat(self):
        a = self.tensor()
        b = self.pick(lambda v: v.is_tensor and len(v.type) == len(a.type)) or a
        axis = self.random.randrange(len(a.type))
        if any(x != y for i, (x, y) in enumerate(zip(a.type, b.type)) if i != axis):
            b = a
        total = None if None in (a.type[axis], b.type[axis]) else a.type[axis] + b.type[axis]
        type = a.type[:axis] + (total,) + a.type[axis + 1:]

        def run(x, y, _):
            require(all(p == q for i, (p, q) in enumerate(zip(x, y)) if i != axis))
            return x[:axis] + (x[axis] + y[axis],) + x[axis + 1:]

        return self.shape_op(type, f"tensor.concat dim({axis}) {a.name}, {b.name} : ({a.text}, {b.text}) -> "
                             f"{tensor_type(type)}", [], (a, b), run)

    def tensor_cast(self):
        source = self.tensor()
        type = tuple(self.random.choice([None, extent, extent if extent is not None else 4]) for extent in source.type)

        def run(shape, _):
            require(all(wanted in (None, extent) for wanted, extent in zip(type, shape)))
            return shape

        return self.shape_op(type, f"tensor.cast {source.name} : {source.text} to {tensor_type(type)}", [], (source,),
                             run)
