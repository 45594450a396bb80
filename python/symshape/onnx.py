# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Extents of the values of ONNX models, with rules for ops that symshape does not define.

    @symshape.onnx.rule("my.audio", "Frames", since=2)
    def frames(node):
        length, = node.inputs[0].shape
        window = node.attributes["window"]
        return [((length - window) // node.attributes["hop"] + 1, window)]

    symshape.onnx.infer("model.onnx")["frames"].shape
"""

from __future__ import annotations

import ast
import dataclasses
import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from . import _core
from ._errors import InputError
from ._facts import Extent, Facts

# The numbers that TensorProto.DataType has for the names of elements.
_TYPES = {"f32": 1, "ui8": 2, "i8": 3, "ui16": 4, "i16": 5, "i32": 6, "i64": 7, "i1": 9, "f16": 10, "f64": 11,
          "ui32": 12, "ui64": 13, "bf16": 16}
_OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "floordiv", ast.Mod: "mod"}


@dataclasses.dataclass(frozen=True)
class Value:
    """What is known of a value: its element type, such as "f32", and its extents; None where not even that.

    `elements` are those of a list of integers, where they are known.
    """

    name: str
    element: str | None
    shape: tuple[Extent, ...] | None
    elements: tuple[Extent, ...] | None = None


@dataclasses.dataclass(frozen=True)
class Node:
    """A node whose op has no definition. Inputs that are left out are None."""

    name: str
    op: str
    domain: str
    version: int
    attributes: dict
    inputs: tuple[Value | None, ...]
    outputs: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Result:
    """What a rule says of one result: its extents, and its element type unless that is the first input's."""

    shape: Sequence[Extent | int | str]
    element: str | None = None


Rule = Callable[[Node], Sequence]


class Rules:
    """Rules by domain, op and version: those of one user do not meet those of another."""

    def __init__(self):
        self._rules: dict[tuple[str, str], dict[int, Rule]] = {}

    def rule(self, domain: str, op: str, since: int = 1) -> Callable[[Rule], Rule]:
        """A decorator: the function is the rule of an op, from this version of its domain on.

        It takes a `Node` and gives, for each output, its extents or a `Result`. A node has
        the rule with the largest `since` that is not above its version.
        """
        if isinstance(since, bool) or not isinstance(since, int) or since < 1:
            raise InputError(f"expected since to be a version from 1, but got {since!r}")

        def add(function):
            self._rules.setdefault((domain or "ai.onnx", op), {})[since] = function
            return function

        return add

    def find(self, domain: str, op: str, version: int) -> Rule | None:
        """The rule of that version, or None."""
        versions = self._rules.get((domain or "ai.onnx", op), {})
        fitting = [since for since in versions if since <= version]
        return versions[max(fitting)] if fitting else None


default_rules = Rules()
rule = default_rules.rule


def _expression(text):
    """An extent as symshape-onnx writes it, in the syntax of the engine."""

    def spell(node):
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return str(node.value)
        if isinstance(node, ast.Name):
            return node.id
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return f"(-1 * {spell(node.operand)})"
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            return f"({spell(node.left)} {_OPERATORS[type(node.op)]} {spell(node.right)})"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            name = node.func.id.lower()
            if name in ("min", "max"):
                return f"{name}({', '.join(map(spell, node.args))})"
            (inner,) = node.args
            word = {"floor": "floordiv", "ceiling": "ceildiv"}[name]
            if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Div):
                return f"({spell(inner.left)} {word} {spell(inner.right)})"
        raise SyntaxError(text)

    try:
        return spell(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, KeyError):
        return '"' + text.replace('"', "'") + '"'  # a name that only the author of the model can read


class _Reader:
    """Makes objects of what symshape-onnx prints. Extents know that names are at least 0."""

    def __init__(self):
        self._facts = Facts()

    def _extents(self, texts):
        return None if texts is None else tuple(
            Extent("?" if text is None else str(text) if isinstance(text, int) else _expression(text),
                   lambda: self._facts) for text in texts)

    def value(self, fields):
        return fields and Value(fields["name"], fields["element"], self._extents(fields["extents"]),
                                self._extents(fields.get("elements")))

    def node(self, fields):
        return Node(fields["name"], fields["op"], fields["domain"], fields["version"], fields["attributes"],
                    tuple(map(self.value, fields["inputs"])), tuple(fields["outputs"]))


def _describe(node):
    return f"{node.domain}.{node.op} at node {node.name!r}"


def _extent_of(extent, node):
    if isinstance(extent, Extent):
        return extent.expression if extent.kind == "exact" else None
    if isinstance(extent, str) or (isinstance(extent, int) and not isinstance(extent, bool) and extent >= 0):
        return extent
    raise InputError(f"the rule of {_describe(node)}: expected an extent, a number from 0 or a text, but got {extent!r}")


def _apply(function, node):
    """What a rule says of the outputs of a node, by their names, for symshape-onnx."""
    results = function(node)
    if not isinstance(results, (list, tuple)) or len(results) != len(node.outputs):
        raise InputError(f"the rule of {_describe(node)}: expected a list of {len(node.outputs)} results, but got {results!r}")
    given = {}
    for name, result in zip(node.outputs, results):
        result = result if isinstance(result, Result) else Result(result)
        if not isinstance(result.shape, (list, tuple)):
            raise InputError(f"the rule of {_describe(node)}: expected a list of extents for {name!r}, but got {result.shape!r}")
        element = result.element or next((one.element for one in node.inputs if one), None)
        if element not in _TYPES:
            raise InputError(f"the rule of {_describe(node)}: expected an element type such as f32, but got {element!r}")
        if name:  # not left out
            given[name] = {"type": _TYPES[element], "dims": [_extent_of(extent, node) for extent in result.shape]}
    return given


def _show(model, results, folder, options):
    """The fields that symshape-onnx prints of a model."""
    path = Path(folder) / "results.json"
    path.write_text(json.dumps(results), encoding="utf-8")
    tool = Path(_core.__file__).parent / "bin" / "symshape-onnx"
    done = subprocess.run([tool, "show", os.fspath(model), "--json", "--all", f"--results={path}", *options],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        raise InputError(done.stderr.strip().removeprefix("error: "))
    return json.loads(done.stdout)


def infer(model: str | os.PathLike, *, rules: Rules = default_rules, fallback: str = "none") -> dict[str, Value]:
    """What is known of each value of a model, by its name: sizes that inputs leave open stay names.

    A node whose op symshape does not define takes what its rule says, or with
    `fallback="onnx"` else what the package onnx infers. Nobody checks these: they are
    believed. Raises InputError for a file that cannot be read, and where a rule, or the
    package, gives no extents.
    """
    if fallback not in ("none", "onnx"):
        raise InputError(f"expected a fallback that is 'none' or 'onnx', but got {fallback!r}")
    reader = _Reader()
    results: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        # With each round, what follows from the last results is known.
        while True:
            fields = _show(model, results, folder, [])
            new: dict[str, Any] = {}
            for node in map(reader.node, fields["unknownNodes"]):
                function = rules.find(node.domain, node.op, node.version)
                if function and all(one is None or one.shape is not None for one in node.inputs):
                    new |= _apply(function, node)
            if not new:
                break
            results |= new
        if fallback == "onnx" and fields["unknownNodes"]:
            fields = _show(model, results, folder, ["--fallback=onnx"])
    return {name: reader.value(one) for name, one in fields["values"].items()}
