# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What goes wrong, as exceptions with fields."""

from __future__ import annotations

import dataclasses

CANNOT_COMPILE, BAD_INPUT, GUARD_FAILED, INTERNAL = 1, 2, 3, 70
SEVERITIES = ("error", "warning", "note", "remark")


class Error(Exception):
    """Anything that symshape refuses or cannot do.

    `status` is the exit status that symshape-run would have: 1 cannot compile, 2 wrong
    input, 3 a guard failed, 70 the compiler crashed.
    """

    def __init__(self, message, status=BAD_INPUT):
        super().__init__(message)
        self.status = status


class InputError(Error, ValueError):
    """A file, an option, or an argument that cannot be used: its type, rank or number."""


@dataclasses.dataclass(frozen=True)
class Diagnostic:
    """A message of the compiler about a place of a program.

    `file` is "" where no place is known; `line` and `column` count from 1, and are 0
    where they are not known. `notes` are diagnostics that belong to this one.
    """

    severity: str
    message: str
    file: str = ""
    line: int = 0
    column: int = 0
    notes: tuple[Diagnostic, ...] = ()

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file

    def __str__(self):
        head = f"{self.place}: " if self.place else ""
        return "\n".join([f"{head}{self.severity}: {self.message}", *map(str, self.notes)])


def read_diagnostics(told):
    """Diagnostics from (severity, message, file, line, column), notes with what they belong to."""
    found = []
    for number, message, file, line, column in told:
        one = Diagnostic(SEVERITIES[number], message, file, line, column)
        if one.severity == "note" and found:
            found[-1] = dataclasses.replace(found[-1], notes=(*found[-1].notes, one))
        else:
            found.append(one)
    return found


class CompileError(Error):
    """A program that does not parse or cannot be compiled; `diagnostics` say where and why."""

    def __init__(self, message, diagnostics=(), status=CANNOT_COMPILE):
        self.diagnostics = list(diagnostics)
        super().__init__("\n".join([message, *map(str, self.diagnostics)]), status)


class CompileWarning(UserWarning):
    """What the compiler warns of."""


@dataclasses.dataclass(frozen=True)
class Reason:
    """Who needs what did not hold: an op or the signature, its place, and the part of it."""

    text: str
    op: str
    place: str
    file: str
    line: int
    column: int
    field: str


@dataclasses.dataclass(frozen=True)
class SymbolValue:
    """A symbol in a failed relation: its name, its value in the call, and where it comes from."""

    name: str
    value: int | None
    origin: str


@dataclasses.dataclass(frozen=True)
class Failure:
    """One condition that a call did not meet.

    `kind` is "guard" (of extents, at entry), "check" (of data, inside), "assert" (written
    by the user), "type" (an extent that the type rules out) or "other". `message` has the
    values seen; `relation` and `symbols` are known of guards. `primitive`, `field` and
    `observed` name the op in one word, its part, and what was found there.
    """

    kind: str
    message: str
    relation: str
    symbols: tuple[SymbolValue, ...]
    reasons: tuple[Reason, ...]
    primitive: str
    field: str
    observed: str

    @property
    def values(self) -> dict[str, int | None]:
        """The values of the symbols, by name."""
        return {symbol.name: symbol.value for symbol in self.symbols}


def in_python(text):
    """Expressions of a condition, or of an extent, in the syntax of Python."""
    return text.replace(" floordiv ", " // ").replace(" mod ", " % ")


def say_conditions(message):
    """The message of a refused call with its conditions in the syntax of Python; what people wrote stays."""
    return "\n".join(line if line.startswith("  needed by ") or "assert failed: " in line else in_python(line)
                     for line in message.split("\n"))


class GuardError(Error):
    """A call that the program refuses: nothing was computed that anybody sees.

    `failures` are all conditions that did not hold, in the order of the ops that need
    them; `function` is the name of the entry.
    """

    def __init__(self, message, function="", failures=()):
        super().__init__(message, GUARD_FAILED)
        self.function = function
        self.failures = list(failures)

    @classmethod
    def read(cls, message, described):
        failures = []
        for fields in described["failures"]:
            fields = {key: fields[key] for key in (one.name for one in dataclasses.fields(Failure))}
            fields["symbols"] = tuple(SymbolValue(**symbol) for symbol in fields["symbols"])
            fields["reasons"] = tuple(Reason(**reason) for reason in fields["reasons"])
            if fields["kind"] in ("guard", "check"):
                fields["relation"], fields["message"] = in_python(fields["relation"]), say_conditions(fields["message"])
            failures.append(Failure(**fields))
        return cls(message, described["function"], failures)
