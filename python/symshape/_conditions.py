# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Python code of a module of PyTorch asks of sizes while it is exported, as facts.

PyTorch takes the branch that the example takes. The assertion that stands for the condition
in the exported program is dropped by its exporter to ONNX.
"""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import os
import sys
import warnings

from ._errors import CompileWarning

log = logging.getLogger("symshape.guards")

OPERATORS = {"Equality": "==", "Unequality": "!=", "StrictLessThan": "<", "LessThan": "<=",
             "StrictGreaterThan": ">", "GreaterThan": ">="}


@dataclasses.dataclass(frozen=True)
class Condition:
    """What Python code of the module has asked of sizes, as the example answers it."""

    relation: object  # of sympy
    place: str  # file and line


def _place_of_question():
    """Where Python code asks for what PyTorch is deciding; None where one of its ops asks.

    Between that code and this function are only the frames that make a number of a symbol, and those of
    functions that stand for an assertion of Python, or its `min` and `max`.
    """
    import torch
    package = os.path.dirname(torch.__file__) + os.sep
    layers = package + "nn" + os.sep
    passed = tuple(package + part for part in ("__init__.py", "fx" + os.sep, "utils" + os.sep, "_logging" + os.sep))
    frame, name = sys._getframe(2), ""
    while frame:
        name = frame.f_code.co_filename
        if not name.startswith(package) or name.startswith(layers):
            break
        if frame.f_code.co_name in ("_assert", "_tensor_min_max"):
            passed = (package,)
        if not name.startswith(passed):
            return None
        frame = frame.f_back
    if not frame:
        return None
    return f"{name}:{frame.f_lineno}"


@contextlib.contextmanager
def collect(oblivious=True):
    """Collects the conditions on sizes that code decides while it is traced.

    oblivious  whether sizes may be 0 and 1. Else they are at least 2 without a question:
               `size > 1` is true, `size == 0` false.
    """
    from torch.fx.experimental import _config, symbolic_shapes
    from torch.utils._sympy.symbol import SymT
    ShapeEnv = symbolic_shapes.ShapeEnv
    found = []
    log, make = ShapeEnv._log_guard, symbolic_shapes.make_symbol

    def log_guard(self, prefix, guard, *others, **named):
        place = _place_of_question()
        if place and all(one.relation != guard for one in found):
            found.append(Condition(guard, place))
        return log(self, prefix, guard, *others, **named)

    def make_symbol(prefix, *others, **assumptions):
        if oblivious and prefix == SymT.SIZE and assumptions.pop("positive", False):
            assumptions["nonnegative"] = True
        return make(prefix, *others, **assumptions)

    ShapeEnv._log_guard, symbolic_shapes.make_symbol = log_guard, make_symbol
    try:
        with _config.patch(backed_size_oblivious=oblivious):
            yield found
    finally:
        ShapeEnv._log_guard, symbolic_shapes.make_symbol = log, make


def _without(condition):
    """The symbol of a condition that holds of all sizes but 0, 1 or both, and these; else None.

    Only comparisons of a symbol with a number are read: these change at that number alone.
    """
    relation = condition.relation
    numbers = [int(side) for side in relation.args if side.is_Integer]
    symbols = [side for side in relation.args if side.is_Symbol]
    if type(relation).__name__ not in OPERATORS or len(numbers) != 1 or len(symbols) != 1:
        return None
    around = [numbers[0] + step for step in (-1, 0, 1, 2**50)]
    sizes = [size for size in sorted({0, 1, 2, *around}) if size >= 0 and not bool(relation.subs(symbols[0], size))]
    return (symbols[0], sizes) if sizes and max(sizes) < 2 else None


def _resized(name, value, shapes, args, kwargs):
    """The example with slices of its inputs, for which the symbol is `value`; None if there are none."""
    import torch
    from torch.utils._pytree import tree_flatten, tree_unflatten
    leaves, tree = tree_flatten((args, kwargs))
    places = [number for number, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
    if len(places) != len(shapes):
        return None
    for place, shape in zip(places, shapes):
        for axis, extent in enumerate(shape):
            if isinstance(extent, int):
                continue
            size = extent.subs({symbol: value for symbol in extent.free_symbols if str(symbol) == name})
            if size == extent:
                continue
            if not size.is_Integer or not 0 <= size <= leaves[place].shape[axis]:
                return None
            leaves[place] = leaves[place].narrow(axis, 0, int(size))
    return tree_unflatten(leaves, tree)


def _agree(exported, module, inputs):
    """Whether the exported program, without its assertions, computes what the module does."""
    import torch
    from torch.utils._pytree import tree_flatten
    args, kwargs = inputs
    try:
        program = exported.module(check_guards=False)
        for node in list(program.graph.nodes):
            if "_assert" in str(node.target) and not node.users:
                program.graph.erase_node(node)
        program.recompile()
        with torch.no_grad():
            results = [tree_flatten(one(*args, **kwargs))[0] for one in (module, program)]
    except Exception:  # whichever of the two refuses
        return False
    return len(results[0]) == len(results[1]) and all(
        a.shape == b.shape and torch.allclose(a, b, 1e-4, 1e-5, equal_nan=True)
        if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor) else a == b for a, b in zip(*results))


def needed(conditions, exported, module, args, kwargs, shapes):
    """The conditions, without those that keep out a size of 0 or 1 for which the program is right all the same.

    Code often asks whether a size is 1, to save work. Where the program of the example and
    the module agree on a slice of the example of that size, calls of that size are allowed.
    """
    import sympy
    kept, special = [], {}
    for condition in conditions:
        symbol, sizes = _without(condition) or (None, ())
        for size in sizes:
            special.setdefault((str(symbol), size), Condition(sympy.Ne(symbol, size), condition.place))
        if symbol is None:
            kept.append(condition)
    for (name, size), condition in special.items():
        inputs = _resized(name, size, shapes, args, kwargs)
        if inputs is None or not _agree(exported, module, inputs):
            kept.append(condition)
        else:
            log.info("%s: goes another way for a size of %d, with the same results", condition.place, size)
    return kept


def _relation(expression, solved):
    """A condition in the syntax of facts; None if it has none."""
    kind = type(expression).__name__
    read = _relation if kind in ("And", "Or") else _term
    parts = [read(part, solved) for part in expression.args]
    if None in parts:
        return None
    if kind in OPERATORS:
        return f"{parts[0]} {OPERATORS[kind]} {parts[1]}"
    return f" {kind.lower()} ".join(parts) if kind in ("And", "Or") else None


def _term(expression, solved):
    """An expression of the exporter in the syntax of facts; None if it has none."""
    if expression.is_Symbol:
        name = str(expression)
        return _term(solved[name], {}) if name in solved else name
    if expression.is_Integer:
        return str(expression)
    kind, parts = type(expression).__name__, [_term(part, solved) for part in expression.args]
    if None in parts:
        return None
    if kind in ("Add", "Mul"):
        return "(" + {"Add": " + ", "Mul": "*"}[kind].join(parts) + ")"
    if kind in ("FloorDiv", "CleanDiv"):
        return f"({parts[0]} floordiv {parts[1]})"
    if kind in ("Mod", "PythonMod"):
        return f"({parts[0]} mod {parts[1]})"
    if kind == "ModularIndexing":
        return f"(({parts[0]} floordiv {parts[1]}) mod {parts[2]})"
    if kind in ("Max", "Min"):
        return f"{kind.lower()}({', '.join(parts)})"
    if kind in ("Pow", "PowByNatural") and parts[1].isdigit() and 0 < int(parts[1]) < 9:
        return "(" + "*".join([parts[0]] * int(parts[1])) + ")"
    return None


def sizes_of(shapes):
    """The names of the symbols in the shapes of inputs."""
    return {str(symbol) for shape in shapes for extent in shape if not isinstance(extent, int)
            for symbol in extent.free_symbols}


def is_on(condition, sizes):
    """Whether a condition is one on sizes of inputs alone."""
    return {str(symbol) for symbol in condition.relation.free_symbols} <= sizes


def warn(condition):
    """Tells that a program does not check a condition."""
    warnings.warn(f"{condition.place}: the program does not check that {condition.relation}, as the example "
                  "does: it is no condition on sizes of inputs", CompileWarning, stacklevel=5)


def facts(conditions, shapes, solved, tell=warn):
    """Conditions as facts; tells of those that are no facts.

    Symbols are compared by name: the exporter traces twice, with symbols of other ranges.
    """
    sizes = sizes_of(shapes)
    solved = {str(symbol): expression for symbol, expression in solved.items()}
    texts = []
    for condition in conditions:
        text = _relation(condition.relation, solved) if is_on(condition, sizes) else None
        if text is None:
            tell(condition)
        else:
            texts.append(text)
    return texts
