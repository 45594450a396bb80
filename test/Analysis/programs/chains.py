# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small programs in which a few ops come again and again, each applied to what came last: towers of min and max,
products of products, slices of slices."""

from .basics import Function, Op, Value
from .regions import Generator

MOST_OPS = 30


def count_ops(lines):
    """All but constants and terminators."""
    others = ("yield", "probe.at", "arith.constant", "scf.condition")
    return sum(not line.strip().startswith(("}", "^")) and not any(word in line for word in others)
               for line in lines)


class Chains(Generator):
    def __init__(self, seed):
        super().__init__(seed)
        self.nearness = self.random.choice([0.3, 1.0, 4.0])

    def pick(self, accepts):
        values = [v for level in self.levels for v in level if accepts(v)]
        if not values:
            return None
        return values[-1 - min(int(self.random.expovariate(self.nearness)), len(values) - 1)]

    def link(self):
        """An op, by one of the ways in which random programs make them."""
        make = self.random.choice(
            [self.binary] * 6 + [self.affine] * 3 + [self.select] * 2 + [self.dim] * 2 + [self.linearize]
            + [self.empty, self.extract_slice, self.insert_slice, self.pad, self.collapse, self.expand, self.concat] * 2
            + [self.reduced_slice, self.subview_dim, self.assertion, self.assumption, self.cast])
        make()

    def nested(self):
        self.random.choice([self.for_op, self.if_op, self.while_op])(self.random.randint(1, 3))

    def chain(self):
        """The same choices for several times, of values that have moved on."""
        length, times = self.random.randint(1, 4), self.random.randint(2, 14)
        pattern, rest = self.random.getrandbits(32), self.random.getrandbits(32)
        for _ in range(times):
            self.random.seed(pattern)
            for _ in range(length):
                self.link()
        self.random.seed(rest)

    def function(self, name):
        kinds = ["index"] * self.random.randint(1, 4)
        for _ in range(self.random.randint(0, 3)):
            kinds.append(tuple(self.random.choice([None, None, None, 1, 4])
                               for _ in range(self.random.choice([1, 2, 2, 3, 4]))))
        self.arguments = [self.add(Value(f"%arg{i}", kind)) for i, kind in enumerate(kinds)]
        self.ops = [Op(["%zero = arith.constant 0.0 : f32"], lambda env, trace: None)]
        for argument in self.arguments:
            if argument.is_tensor:
                self.extent_of(argument, self.random.randrange(len(argument.type)))
        while self.size() < MOST_OPS:
            self.nested() if self.chance(10) else self.chain()
        while self.size() > MOST_OPS:
            self.ops.pop()
        return Function(name, self.arguments, self.ops)

    def size(self):
        return count_ops(line for op in self.ops for line in op.lines)
