# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that others have lowered to linalg on tensors, with the user's names for extents.

Only the signature of a function is read here, and names are written into it. Not for:
anything else of the text, which the compiler parses.
"""

from __future__ import annotations

import dataclasses
import re

from ._errors import InputError
from ._program import Program, loads

# No dim is larger (include/symshape-c/Execution.h).
LARGEST = 2**48 - 1

CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}


@dataclasses.dataclass
class Argument:
    """One of a signature: its name without %, and where its type and attributes are."""

    name: str
    type: str
    end: int  # of the type
    attributes: int | None  # the place after the brace that opens them


def _scan(text, begin):
    """Each place of a text outside of strings, with the brackets that are open there."""
    opened, at = [], begin
    while at < len(text):
        char = text[at]
        if char == '"':
            at = re.compile(r'"(?:[^"\\]|\\.)*"').match(text, at)
            if at is None:
                return
            at = at.end()
            continue
        yield at, char, opened
        if char in CLOSING:
            opened.append(CLOSING[char])
        elif opened and char == opened[-1] and text[at - 1:at + 1] != "->":
            opened.pop()
        at += 1


def _read_signature(text, entry):
    """The arguments of a function in MLIR's own syntax."""
    name = rf'(?:{re.escape(entry)}|"{re.escape(entry)}")'
    found = re.search(rf"^[ \t]*func\.func\s+(?:public\s+|private\s+)?@{name}\(", text, re.M)
    if not found:
        raise InputError(f"expected a function 'func.func @{entry}(' in the text, but there is none")
    arguments, begin = [], found.end()
    for at, char, opened in _scan(text, begin):
        if opened or char not in ",)":
            continue
        if text[begin:at].strip():
            arguments.append(_read_argument(text, begin, at))
        begin = at + 1
        if char == ")":
            return arguments
    raise InputError(f"expected the arguments of @{entry} to end")


def _read_argument(text, begin, end):
    head = re.compile(r"\s*%([\w$.-]+)\s*:\s*").match(text, begin, end)
    if not head:
        raise InputError(f"expected an argument with a name, but got '{text[begin:end].strip()}'")
    stop, attributes = end, None
    for at, char, opened in _scan(text[:end], head.end()):
        # What follows a type: attributes, or a location.
        if not opened and char == "{":
            stop, attributes = at, at + 1
            break
        if not opened and text.startswith("loc(", at) and text[at - 1].isspace():
            stop = at
            break
    return Argument(head[1], text[head.end():stop].strip(), len(text[:stop].rstrip()), attributes)


def _read_extents(argument):
    """The extents in the type of a tensor, None for dynamic ones; None for other types."""
    found = re.fullmatch(r"tensor<((?:(?:\?|\d+)x)*)[^<>x].*>", argument.type, re.S)
    if not found:
        return None
    return [None if one == "?" else int(one) for one in found[1].split("x")[:-1]]


def _align(arguments, dynamic_shapes):
    """What is declared of each argument, in order."""
    if dynamic_shapes is None:
        return [None] * len(arguments)
    if isinstance(dynamic_shapes, dict):
        names = [one.name for one in arguments]
        given = {str(key).removeprefix("%"): value for key, value in dynamic_shapes.items()}
        if set(given) <= set(names):
            return [given.get(name) for name in names]
        dynamic_shapes = list(given.values())  # those of a module, in order
    if len(dynamic_shapes) != len(arguments):
        raise InputError(f"expected dims of {len(arguments)} arguments "
                         f"({', '.join('%' + one.name for one in arguments)}), but got {len(dynamic_shapes)}")
    return list(dynamic_shapes)


def _is_named(dim):
    return isinstance(dim, str) or hasattr(dim, "__name__")


def _spell(dim, roots):
    """The expression of a dim; notes the named dim that it stems from."""
    if isinstance(dim, str):
        return dim
    root = getattr(dim, "root", None)
    if root is None:
        roots[dim.__name__] = dim
        return dim.__name__
    # Derived dims of PyTorch are affine in their root.
    constant = int(dim.fn(0))
    return f"{int(dim.fn(1)) - constant}*({_spell(root, roots)}) + {constant}"


def _ranges(roots):
    facts = []
    for name, dim in roots.items():
        least, most = getattr(dim, "min", None), getattr(dim, "max", None)
        if least:
            facts.append(f"{name} >= {int(least)}")
        if most is not None and most < LARGEST:
            facts.append(f"{name} <= {int(most)}")
    return facts


def _shape_of(argument, spec, roots):
    """The named shape of an argument, in the dialect's words; None if nothing is named."""
    spec = dict(enumerate(spec)) if isinstance(spec, (list, tuple)) else dict(spec or {})
    dims = {axis: dim for axis, dim in spec.items() if _is_named(dim)}
    if not dims:
        return None
    extents = _read_extents(argument)
    if extents is None:
        raise InputError(f"expected %{argument.name} to be a tensor with a rank, but got {argument.type}")
    for axis, dim in dims.items():
        text = _spell(dim, roots)
        if not 0 <= axis < len(extents):
            raise InputError(f"%{argument.name}: expected an axis from 0 to {len(extents) - 1}, but got {axis}")
        if extents[axis] is not None:
            raise InputError(f"expected dim {axis} ({text}) of %{argument.name} to be dynamic, but it is "
                             f"{extents[axis]}")
        extents[axis] = text
    named = ["?" if one is None else str(one) for one in extents]
    return f"symshape.shape = #symshape.shape<[{', '.join(named)}]>"


def _write_shapes(text, entry, dynamic_shapes):
    """The text with named shapes, and facts about the names."""
    arguments, roots = _read_signature(text, entry), {}
    shapes = [_shape_of(argument, spec, roots)
              for argument, spec in zip(arguments, _align(arguments, dynamic_shapes))]
    for argument, shape in reversed(list(zip(arguments, shapes))):
        if shape is None:
            continue
        if argument.attributes is None:
            text = f"{text[:argument.end]} {{{shape}}}{text[argument.end:]}"
        else:
            text = f"{text[:argument.attributes]}{shape}, {text[argument.attributes:]}"
    return text, _ranges(roots)


def from_linalg(module, dynamic_shapes=None, *, entry: str = "main", name: str = "<linalg>", facts=(),
                **options) -> Program:
    """Compiles a program on tensors that another tool has exported as MLIR.

    module          the text, or an object whose str() is the text: what torch-mlir gives for
                    `output_type="linalg-on-tensors"`, ops of `tm_tensor` included
    dynamic_shapes  the dims of each argument, as {axis: dim} or a sequence with one entry for
                    each axis: a sequence in order, or a dict by the argument's name in the
                    text; a dict by other names is taken in order. A dim is a `Dim` of
                    PyTorch, derived ones included, an expression such as "2*L + 1", or
                    None for a dim without a name
    entry           the function
    name            stands for the file in messages
    facts           as for `symshape.load`, besides the ranges of the `Dim`s
    options         the others of `symshape.load`

    The text is that of MLIR's own syntax, not of its generic form. Names of dims are those of
    the program's symbols; a call that breaks their ranges, in which equal names have
    different values, or that breaks what the program needs is a GuardError. Raises InputError
    where dims do not fit the arguments, and CompileError for what cannot be compiled.
    """
    text = module if isinstance(module, str) else str(module)
    text, ranges = _write_shapes(text, entry, dynamic_shapes)
    return loads(text, name=name, entry=entry, facts=[*ranges, *facts], **options)


__all__ = ["from_linalg"]
