# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The engine: facts about integers, and what they imply; and expressions as objects."""

from __future__ import annotations

import dataclasses
import json

from . import _core
from ._errors import InputError


def call(function, *arguments):
    """Calls a function of the C API; its errors become ours."""
    try:
        return function(*arguments)
    except _core.Error as error:
        raise InputError(*error.args) from None


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
    `d | e` says that d divides e. Keywords are symbols with their ranges, closed; None is
    no bound. A name that is not declared is any integer of at least 0. Raises InputError
    for text that is no relation, and for facts that cannot hold together. Several threads
    may use one object.
    """

    def __init__(self, *relations: str, **ranges):
        self._facts = _core.Facts()
        for name, (low, high) in ranges.items():
            self.declare(name, low, high)
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
        call(self._facts.declare, name, min, max, multiple_of, remainder)

    def assume(self, relation: str) -> None:
        """Adds a relation."""
        call(self._facts.assume, relation)

    def prove(self, relation: str) -> Answer:
        """Whether the facts imply a relation."""
        answer = json.loads(call(self._facts.prove, relation))
        return Answer(answer["verdict"], answer["reason"], tuple(answer["facts"]))

    def simplify(self, expression) -> str:
        """An equal expression, under the facts, that is no larger."""
        return call(self._facts.simplify, str(expression))

    def bounds(self, expression) -> tuple[int | None, int | None]:
        """Closed bounds of an expression; None where there is none. Sound, not always tight."""
        found = json.loads(call(self._facts.bounds, str(expression)))
        return tuple(None if found[end] is None else int(found[end]) for end in ("min", "max"))

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


class Extent:
    """An extent of an argument or result: an expression over the symbols of a program.

    `kind` is "exact", "at most" (`text` is a bound) or "unknown" (`text` is "?").
    """

    def __init__(self, text: str, facts):
        self.kind = "unknown" if text == "?" else "at most" if text.startswith("<= ") else "exact"
        self.text = text
        self.expression = text.removeprefix("<= ")
        self._facts = facts  # gives the facts of the program

    def __str__(self):
        return self.text

    def __repr__(self):
        return f"Extent({self.text!r})"

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
