# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Extents of metadata cases at all small values of their names: a judge that shares nothing with the product.

Expressions are read by a parser of its own, facts choose the values, and what an op
gives is computed by NumPy (test/Integration/interpreter.py) on arrays of such extents.
"""

import random
import re
import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parent.parent / "test" / "Integration"))
import interpreter  # noqa: E402

TOKEN = re.compile(r'\s*(?:(\d+)|"?([A-Za-z_]\w*)"?|(==|!=|<=|>=|//|[-+*()<>,|]))')
OPERATORS = {"floordiv": "{} // {}", "//": "{} // {}", "mod": "{} % {}", "ceildiv": "-(-{} // {})", "*": "{} * {}"}
RELATIONS = ("==", "!=", "<=", "<", ">=", ">")
FUNCTIONS = {"min": min, "max": max, "bc": lambda *all: next((a for a in all if a != 1), 1)}
LIMIT = 4000  # bindings of one case
RUNS = 12  # of them with NumPy
DTYPES = {"f64": np.float64, "i64": np.int64, "i1": np.bool_}


class Reader:
    """A text of the constraint language as Python; `names` are those in it."""

    def __init__(self, text):
        self.text, self.tokens, self.names, at = text, [], set(), 0
        text = text.rstrip()
        while at < len(text):
            match = TOKEN.match(text, at)
            if not match:
                raise ValueError(f"cannot read {text!r} at {text[at:]!r}")
            self.tokens.append(match[1] or match[2] or match[3])
            at = match.end()
        source = self.sum()
        if self.tokens and self.tokens[0] in RELATIONS:
            relation = self.tokens.pop(0)
            source = f"{source} {relation} {self.sum()}"
        elif self.tokens and self.tokens[0] == "|":
            self.tokens.pop(0)
            source = f"({self.sum()}) % ({source}) == 0"
        if self.tokens:
            raise ValueError(f"cannot read {self.text!r} at {' '.join(self.tokens)!r}")
        self.code = compile(source, text, "eval")

    def sum(self):
        source = self.product()
        while self.tokens and self.tokens[0] in ("+", "-"):
            source = f"{source} {self.tokens.pop(0)} {self.product()}"
        return source

    def product(self):
        source = self.factor()
        while self.tokens and self.tokens[0] in OPERATORS:
            source = "(" + OPERATORS[self.tokens.pop(0)].format(source, self.factor()) + ")"
        return source

    def factor(self):
        token = self.tokens.pop(0) if self.tokens else ""
        if token == "-":
            return f"(-{self.factor()})"
        if token.isdigit():
            return token
        if token == "(" or (token in FUNCTIONS and self.tokens and self.tokens[0] == "("):
            name = "" if token == "(" else token
            if name:
                self.tokens.pop(0)
            parts = [self.sum()]
            while self.tokens and self.tokens[0] == ",":
                self.tokens.pop(0)
                parts.append(self.sum())
            if not self.tokens or self.tokens.pop(0) != ")":
                raise ValueError(f"cannot read {self.text!r}: expected a parenthesis")
            return f"{name}({', '.join(parts)})"
        if not re.fullmatch(r"[A-Za-z_]\w*", token):
            raise ValueError(f"cannot read {self.text!r} at {token!r}")
        self.names.add(token)
        return f"names[{token!r}]"

    def at(self, names):
        return eval(self.code, {"__builtins__": {}, **FUNCTIONS, "names": names})


def bindings(names, facts, texts):
    """Values of the names of which all facts hold: the smallest, and those around the numbers in the texts."""
    readers = [Reader(fact) for fact in facts]
    numbers = {int(n) for text in [*facts, *texts] for n in re.findall(r"\b\d+\b", text)}
    values = sorted({0, 1, 2, 3, 4, *(n + d for n in numbers for d in (-1, 0, 1) if 0 <= n + d < 100)})
    names = sorted(names | set().union(*(reader.names for reader in readers)))
    ready = [[reader for reader in readers if reader.names <= set(names[:i + 1]) and not reader.names <= set(names[:i])]
             for i in range(len(names))]
    choose, found = random.Random(1), []

    def extend(chosen, number):
        if number == len(names):
            found.append(dict(chosen))
            return
        for value in choose.sample(values, len(values)):
            chosen[names[number]] = value
            # No name takes all of the room.
            if len(found) < LIMIT and all(reader.at(chosen) for reader in ready[number]):
                extend(chosen, number + 1)

    if all(reader.at({}) for reader in readers if not reader.names):
        extend({}, 0)
    return found


def spread(found):
    """A few of the bindings, from all over the list."""
    return found[:: max(1, len(found) // RUNS)][:RUNS]


def computed(op, attrs, extents, dtypes, size, names):
    """The extents that NumPy gives at one binding; None where the op is not defined there, or not one of NumPy's."""
    if op not in interpreter.OPS and op not in interpreter.CONTROL:
        return None
    evaluate = lambda text: Reader(text).at(names)  # noqa: E731
    shapes = [[evaluate(extent) for extent in shape] for shape in extents]
    if any(extent < 0 for shape in shapes for extent in shape):
        return None
    operands = [np.zeros(shape, DTYPES[dtype]) for shape, dtype in zip(shapes, dtypes)]
    if op == "dynamic_truncate":
        operands[1] = np.array(evaluate(size), np.int64)
    attrs = {key: [evaluate(v) if isinstance(v, str) else v for v in value] if key in ("shape", "slice_sizes") else
             value for key, value in attrs.items()}
    function = interpreter.OPS.get(op) or interpreter.CONTROL[op]
    with np.errstate(all="ignore"):
        try:
            results = function(*operands, **attrs)
        except (ValueError, IndexError, AssertionError, interpreter.Invalid):
            return None
    return [list(np.shape(result)) for result in (results if op in interpreter.CONTROL else [results])]
