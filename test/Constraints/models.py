# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small values of the symbols of a problem, all at once: a question is answered by what they say."""

import re

import numpy as np

from oracle import PRECEDENCE_WORDS, Parser

ROWS = 60000
RELATION = {"==": np.equal, "!=": np.not_equal, "<=": np.less_equal, "<": np.less, ">=": np.greater_equal,
            ">": np.greater}
WORDS = {*PRECEDENCE_WORDS, "min", "max", "bc"}


class ArrayParser(Parser):
    """A reading of the grammar as arrays, one value for each row."""

    @staticmethod
    def floordiv(a, b):
        """Nothing may be concluded from what is chosen for b == 0, a function of a."""
        a, b = np.broadcast_arrays(np.asarray(a), np.asarray(b))
        return np.where(b == 0, a % 5 * 3 - 4, a // np.where(b == 0, 1, b))

    def unary(self):
        if self.peek().isdigit():
            return np.int64(self.take())
        return super().unary()

    def call(self, function):
        self.take("(")
        operands = [self.sum()]
        while self.peek() == ",":
            self.take()
            operands.append(self.sum())
        self.take(")")
        if function == "bc":
            return np.where(operands[0] == 1, operands[1], operands[0])
        value = operands[0]
        for operand in operands[1:]:
            value = (np.minimum if function == "min" else np.maximum)(value, operand)
        return value

    def relation(self):
        left, operator, right = self.sum(), self.take(), self.sum()
        if operator != "|":
            return RELATION[operator](left, right)
        return np.where(left == 0, right == 0, right % np.where(left == 0, 1, left) == 0)


def symbols_of(text):
    return {name for name in re.findall(r"[A-Za-z_]\w*", text) if name not in WORDS}


class Declaration:
    def __init__(self, clauses):
        bounds = re.search(r"\bin \[\s*(-?\w+)\s*,\s*(-?\w+)\s*\]", clauses)
        low, high = bounds.groups() if bounds else ("0", "inf")
        self.low = None if low == "-inf" else int(low)
        self.high = None if high == "inf" else int(high)
        self.step, self.rest = 1, 0
        if multiple := re.search(r"multiple_of (\d+)", clauses):
            self.step = int(multiple[1])
        if residue := re.search(r"residue (\d+) mod (\d+)", clauses):
            self.rest, self.step = int(residue[1]), int(residue[2])

    def near(self, count):
        """The values next to 0, or to the end that is next to it."""
        if self.low is None:
            high = count // 2 if self.high is None else self.high
            return self.aligned(np.arange(high - count * self.step, high + 1))[-count:]
        values = np.arange(self.low, self.low + (count + 1) * self.step)
        return self.aligned(values if self.high is None else values[values <= self.high])[:count]

    def far(self, random, count, size):
        """Values of all sizes up to some thousands."""
        sizes = np.exp(random.uniform(0, size, count)).astype(np.int64) * self.step
        low = self.low if self.low is not None else self.high
        if self.low is None and self.high is None:
            return self.aligned(sizes * random.choice([-1, 1], count), keep=True)
        values = low + sizes if self.low is not None else low - sizes
        values = self.aligned(values, keep=True)
        if self.high is not None:
            values = np.minimum(values, self.high)
        return values if self.low is None else np.maximum(values, self.low)

    def aligned(self, values, keep=False):
        if keep:
            return values - (values - self.rest) % self.step
        return values[values % self.step == self.rest]

    def holds(self, values):
        inside = np.ones(values.shape, bool)
        if self.low is not None:
            inside &= values >= self.low
        if self.high is not None:
            inside &= values <= self.high
        return inside & (values % self.step == self.rest % self.step)


class Models:
    """Rows of values that satisfy `facts`, for the symbols that a question and those have."""

    def __init__(self, declarations, facts, question):
        names, connected = symbols_of(question), []
        while True:
            more = [fact for fact in facts if fact not in connected and symbols_of(fact) & names]
            if not more:
                break
            connected += more
            names |= set().union(*map(symbols_of, more))
        self.declared = {name: declarations.get(name, Declaration("")) for name in sorted(names)}
        # A symbol that a fact defines takes the value that it says.
        defined = {}
        for fact in connected:
            left, _, right = fact.partition("==")
            if left.strip() in names and right and left.strip() not in defined:
                used, name = symbols_of(right), left.strip()
                if name not in self.closure(used, defined):
                    defined[name] = right
        self.values = self.fill([name for name in self.declared if name not in defined])
        for name in self.ordered(defined):
            self.values[name] = np.broadcast_to(ArrayParser(defined[name], self.values.__getitem__).sum(),
                                                self.rows()).astype(np.int64)
        kept = np.ones(self.rows(), bool)
        for name, declaration in self.declared.items():
            kept &= declaration.holds(self.values[name])
        for fact in connected:
            kept &= self.holds(fact)
        self.values = {name: value[kept] for name, value in self.values.items()}
        self.count = int(kept.sum())

    @staticmethod
    def closure(used, defined):
        used = set(used)
        while more := {s for name in used if name in defined for s in symbols_of(defined[name])} - used:
            used |= more
        return used

    @staticmethod
    def ordered(defined):
        order = []
        while len(order) < len(defined):
            order += [name for name in defined if name not in order
                      and all(s in order or s not in defined for s in symbols_of(defined[name]))]
        return order

    def fill(self, free):
        if not free:
            return {}
        random = np.random.default_rng(1)
        count = min(120, max(3, int((ROWS / 2) ** (1 / len(free)))))
        # No product of all of them may overflow.
        size = min(8, 30 / len(free))
        grid = np.meshgrid(*[self.declared[name].near(count) for name in free])
        values = {}
        for name, column in zip(free, grid):
            # Half of the far rows are far in some symbols only.
            near, far = self.declared[name].near(6), self.declared[name].far(random, ROWS // 2, size)
            mixed = np.where(random.random(ROWS // 2) < 0.3, random.choice(near, ROWS // 2), far)
            values[name] = np.concatenate([column.ravel(), mixed])
        return values

    def rows(self):
        return next((value.shape for value in self.values.values()), (1,))

    def holds(self, relation):
        return np.broadcast_to(ArrayParser(relation, self.values.__getitem__).relation(),
                               next((value.shape for value in self.values.values()), (1,)))

    def verdict(self, question):
        """What the rows say: yes or no of all of them, else unknown."""
        holds = self.holds(question)
        return "yes" if holds.all() else "no" if not holds.any() else "unknown"
