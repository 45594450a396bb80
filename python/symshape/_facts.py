# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The engine: facts about integers, and what they imply; and expressions as objects."""

from __future__ import annotations

import dataclasses
import json
import re

from . import _core
from ._errors import InputError, in_python


def call(function, *arguments):
    """Calls a function of the C API; its errors become ours."""
    try:
        return function(*arguments)
    except _core.Error as error:
        raise InputError(*error.args) from None


def _check_relation(relation):
    if not isinstance(relation, str):
        raise InputError(f"expected a relation such as 'L <= S', but got {relation!r}")


@dataclasses.dataclass(frozen=True)
class Answer:
    """What the engine says of a relation; true where it is proved.

    `verdict` is "yes" (it holds for all values that the facts allow), "no" (for none) or
    "unknown". `reason` is the rule that decided, or the missing fact; `facts` are the
    relations that the verdict rests on.
    """

    verdict: str
    reason: str
    facts: tuple[str, ...]

    def __bool__(self):
        return self.verdict == "yes"


class Facts:
    """A set of facts about named integers.

        facts = symshape.Facts("L <= S", B=(1, 64))
        facts.prove("B*L <= 64*S")          # Answer(verdict='yes', ...)

    Positional arguments are relations, `a OP b` with OP one of == != <= < >= > |, where
    `d | e` says that d divides e. `//` (or `floordiv`) and `%` (or `mod`) round down. Keywords are symbols with their ranges, closed; None is
    no bound. A name that is not declared is any integer of at least 0. Raises InputError
    for text that is no relation, and for facts that cannot hold together. Several threads
    may use one object.
    """

    def __init__(self, *relations: str, **ranges):
        self._facts = _core.Facts()
        for name, ends in ranges.items():
            if not isinstance(ends, (tuple, list)) or len(ends) != 2:
                raise InputError(f"expected a range such as {name}=(1, 64), but got {ends!r}")
            self.declare(name, *ends)
        for relation in relations:
            self.assume(relation)

    @classmethod
    def _of(cls, facts):
        made = cls.__new__(cls)
        made._facts = facts
        return made

    def declare(self, name: str, min: int | None = None, max: int | None = None, *,
                multiple_of: int = 1, remainder: int = 0) -> None:
        """Declares or narrows a symbol: its closed range, and `remainder` mod `multiple_of`."""
        if min is not None and max is not None and min > max:
            raise InputError(f"expected a range with min <= max, but got ({min}, {max}) of {name!r}")
        call(self._facts.declare, name, min, max, multiple_of, remainder)

    def assume(self, relation: str) -> None:
        """Adds a relation."""
        _check_relation(relation)
        call(self._facts.assume, relation)

    def prove(self, relation: str) -> Answer:
        """Whether the facts imply a relation."""
        _check_relation(relation)
        answer = json.loads(call(self._facts.prove, relation))
        return Answer(answer["verdict"], answer["reason"], tuple(answer["facts"]))

    def simplify(self, expression) -> str:
        """An equal expression, under the facts, that is no larger."""
        return call(self._facts.simplify, str(expression))

    def bounds(self, expression) -> tuple[int | None, int | None]:
        """Closed bounds of an expression; None where there is none. Sound, not always tight."""
        found = json.loads(call(self._facts.bounds, str(expression)))
        least, most = (None if found[end] is None else int(found[end]) for end in ("min", "max"))
        return least, most

    def residue(self, expression) -> tuple[int, int]:
        """(modulus, remainder) of a class that contains each value of an expression."""
        found = json.loads(call(self._facts.bounds, str(expression)))
        return int(found["modulus"]), int(found["remainder"])

    def scope(self) -> _Scope:
        """A `with` block at whose end what it declared and assumed is forgotten."""
        return _Scope(self._facts)


class _Scope:
    def __init__(self, facts):
        self._facts = facts

    def __enter__(self):
        call(self._facts.push)

    def __exit__(self, *_):
        call(self._facts.pop)


def prove(relation: str, *facts: str, **ranges) -> Answer:
    """Whether facts imply a relation: `prove("A <= C", "A <= B", "B <= C")`.

    Facts and ranges are those of `Facts`.
    """
    return Facts(*facts, **ranges).prove(relation)


def _text(value):
    """An extent, an integer or a text as an expression of the engine."""
    return value.expression if isinstance(value, Extent) else str(value)


class Extent:
    """An extent of an argument or result: an expression over the symbols of a program.

    `kind` is "exact", "at most" (`text` is a bound) or "unknown" (`text` is "?").

    `+ - * // %` with extents, integers and expressions in text make extents of the same
    program; what a bound does not bound is unknown. `<`, `<=`, `>` and `>=` are answers of
    the facts, as `compare` gives them. `==` is equality of kind and text;
    `provably_equal` asks the facts.
    """

    def __init__(self, text: str, facts):
        self.kind = "unknown" if text == "?" else "at most" if text.startswith("<= ") else "exact"
        self.text = in_python(text)
        self.expression = text.removeprefix("<= ")
        self._facts = facts  # gives the facts of the program

    def __str__(self):
        return self.text

    def __repr__(self):
        return f"Extent({self.text!r})"

    def __eq__(self, other):
        return (self.kind, self.text) == (other.kind, other.text) if isinstance(other, Extent) else NotImplemented

    def __hash__(self):
        return hash((self.kind, self.text))

    def __index__(self):
        if self.kind == "exact" and self.expression.lstrip("-").isdigit():
            return int(self.expression)
        raise TypeError(f"expected an extent that is a number, but got {self.text}")

    def _known(self):
        if self.kind == "unknown":
            raise InputError("expected an extent that is known before the call, but got ?")
        return self.expression

    @property
    def symbols(self) -> list[str]:
        """The symbols in the expression, in order."""
        return [] if self.kind == "unknown" else json.loads(call(_core.expression_symbols, self.expression))

    def evaluate(self, **values: int) -> int:
        """The value, or the bound, for values of the symbols; exact.

        Raises InputError where a symbol has no value, or the extent is unknown.
        """
        return int(call(_core.evaluate, self._known(), values))

    def substitute(self, values=None, **named) -> Extent:
        """The extent where symbols are replaced by integers, extents or expressions.

        Names that are no keywords come as a dictionary. Raises InputError where the extent
        is unknown, or a symbol is replaced by a bound.
        """
        values = {**(values or {}), **named}
        for name, value in values.items():
            if isinstance(value, Extent) and value.kind != "exact":
                raise InputError(f"expected an exact extent for {name!r}, but got {value}")

        def replaced(match):
            name = match[0].strip('"')
            return f"({_text(values[name])})" if name in values else match[0]

        return self._made(self.kind, re.sub(r'"[^"]*"|[A-Za-z_$%#.][\w$%#.]*', replaced, self._known()))

    def _made(self, kind, expression):
        if kind == "unknown":
            return Extent("?", self._facts)
        return Extent(("<= " if kind == "at most" else "") + self._facts().simplify(expression), self._facts)

    def _combine(self, operator, other, swapped=False):
        """`self operator other`, or the other way round."""
        if not isinstance(other, (Extent, int, str)):
            return NotImplemented
        kinds = self.kind, getattr(other, "kind", "exact")
        sides = f"({_text(self)})", f"({_text(other)})"
        if swapped:
            kinds, sides = kinds[::-1], sides[::-1]
        return self._made(self._kind_of(operator, kinds, sides), f" {operator} ".join(sides))

    def _kind_of(self, operator, kinds, sides):
        """Whether bounds of the sides, which are read as `at most`, bound the whole."""
        if "unknown" in kinds:
            return "unknown"
        if "at most" not in kinds:
            return "exact"
        bounds = operator == "+" or (operator == "-" and kinds[1] == "exact")
        if operator in ("*", "floordiv") and "exact" in kinds[operator == "floordiv":]:
            least, _ = self._facts().bounds(sides[kinds.index("exact")])
            bounds = least is not None and least >= (operator == "floordiv")
        return "at most" if bounds else "unknown"

    def __add__(self, other):
        return self._combine("+", other)

    def __radd__(self, other):
        return self._combine("+", other, swapped=True)

    def __sub__(self, other):
        return self._combine("-", other)

    def __rsub__(self, other):
        return self._combine("-", other, swapped=True)

    def __mul__(self, other):
        return self._combine("*", other)

    def __rmul__(self, other):
        return self._combine("*", other, swapped=True)

    def __floordiv__(self, other):
        return self._combine("floordiv", other)

    def __rfloordiv__(self, other):
        return self._combine("floordiv", other, swapped=True)

    def __mod__(self, other):
        return self._combine("mod", other)

    def __rmod__(self, other):
        return self._combine("mod", other, swapped=True)

    def __lt__(self, other):
        return self.compare("<", other)

    def __le__(self, other):
        return self.compare("<=", other)

    def __gt__(self, other):
        return self.compare(">", other)

    def __ge__(self, other):
        return self.compare(">=", other)

    def compare(self, operator: str, other) -> Answer:
        """What the facts of the program say of `self operator other`."""
        text = other._known() if isinstance(other, Extent) else str(other)
        inexact = self.kind != "exact" or (isinstance(other, Extent) and other.kind != "exact")
        if inexact:
            return Answer("unknown", "one of the extents is not exact", ())
        return self._facts().prove(f"({self.expression}) {operator} ({text})")

    def provably_equal(self, other) -> bool:
        """Whether the extent equals another, a number or an expression, in every call."""
        if self.kind == "unknown" or getattr(other, "kind", "") == "unknown":
            return False
        return bool(self.compare("==", other))
