# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a module of PyTorch to a model in ONNX that has the user's names for extents."""

from __future__ import annotations

import dataclasses
import inspect
import re
from typing import Any

from . import _conditions
from ._errors import InputError

# No dim is larger (include/symshape-c/Execution.h).
LARGEST = 2**48 - 1


@dataclasses.dataclass
class Exported:
    """A model of onnx_ir, and facts about the names in the shapes of its inputs."""

    model: object
    facts: list[str]


def _leaves(value, spec):
    """Each tensor of an argument, in order, with what is declared of its dims."""
    import torch
    if isinstance(value, torch.Tensor):
        yield value, spec
        return
    if isinstance(value, dict):
        items = [(one, spec.get(key) if spec else None) for key, one in value.items()]
    elif isinstance(value, (list, tuple)):
        items = [(one, spec[number] if spec else None) for number, one in enumerate(value)]
    else:
        return
    for one, part in items:
        yield from _leaves(one, part)


def _declared(module, args, kwargs, dynamic_shapes):
    """Of each tensor among the arguments, in order, its declared `Dim`s and hints by axis."""
    bound = inspect.signature(module.forward).bind(*args, **(kwargs or {}))
    if dynamic_shapes is not None and not isinstance(dynamic_shapes, dict):
        dynamic_shapes = dict(zip(bound.arguments, dynamic_shapes))
    found = []
    for _, spec in _leaves(dict(bound.arguments), dynamic_shapes):
        spec = dict(enumerate(spec)) if isinstance(spec, (list, tuple)) else spec or {}
        found.append({axis: dim for axis, dim in spec.items() if hasattr(dim, "min") or hasattr(dim, "root")})
    return found


def _shapes(exported):
    """Of each input of the user, in order, the expressions of its extents."""
    values = {node.name: node.meta.get("val") for node in exported.graph.nodes if node.op == "placeholder"}
    shapes = []
    for name in exported.graph_signature.user_inputs:
        shape = getattr(values.get(name), "shape", None)
        if shape is not None:
            shapes.append([extent if isinstance(extent, int) else extent.node.expr for extent in shape])
    return shapes


def _solve(shapes, declared):
    """What the exporter's symbols are in terms of the user's names, and the named dims."""
    import sympy
    solved, named, derived = {}, {}, []
    for shape, dims in zip(shapes, declared):
        for axis, dim in dims.items():
            extent = shape[axis]
            if not hasattr(dim, "__name__"):
                continue  # a hint, such as Dim.DYNAMIC
            if isinstance(extent, int):
                raise InputError(f"expected dim {axis} ({dim.__name__}) of an input to be dynamic, but the "
                                 f"module is for {extent} alone")
            if hasattr(dim, "root"):
                derived.append((extent, dim))
                continue
            named[dim.__name__] = dim
            (symbol, *others) = sorted(extent.free_symbols, key=str)
            name = sympy.Symbol(dim.__name__, integer=True)
            solutions = [] if others or symbol in solved else sympy.solve(sympy.Eq(extent, name), symbol)
            if len(solutions) == 1:
                solved[symbol] = solutions[0]
    for extent, dim in derived:  # where the one that it is derived from has no place of its own
        symbols = sorted(extent.free_symbols, key=str)
        if dim.root.__name__ not in named and len(symbols) == 1 and symbols[0] not in solved:
            name = sympy.Symbol(dim.root.__name__, integer=True)
            solutions = sympy.solve(sympy.Eq(extent, dim.fn(name)), symbols[0])
            if len(solutions) == 1:
                named[dim.root.__name__] = dim.root
                solved[symbols[0]] = solutions[0]
    return solved, named


def _spell(expression, solved):
    """An extent as ONNX files have it."""
    if isinstance(expression, int):
        return expression
    import sympy
    text = str(sympy.expand(expression.subs(solved)))
    return int(text) if text.isdigit() else text


def _facts(exported, shapes, declared, solved, named):
    """The ranges of the user's dims, and of others what the export has found out.

    The exporter takes 0 and 1 for special cases unless it is told otherwise: a lower bound
    of 2 that nobody declares does not come from the module.
    """
    facts = []
    for name, dim in named.items():
        if dim.min:
            facts.append(f"{name} >= {int(dim.min)}")
        if dim.max is not None and dim.max < LARGEST:
            facts.append(f"{name} <= {int(dim.max)}")
    for shape, dims in zip(shapes, declared):
        for axis, dim in dims.items():
            if not hasattr(dim, "__name__") and dim.min and not isinstance(shape[axis], int):
                facts.append(f"{_spell(shape[axis], solved)} >= {int(dim.min)}")
    for symbol, found in exported.range_constraints.items():
        if symbol.free_symbols & set(solved) or not symbol.is_Symbol or str(symbol).startswith("u"):
            continue
        if found.lower.is_Integer and found.lower > 2:
            facts.append(f"{symbol} >= {found.lower}")
        if found.upper.is_Integer and found.upper < LARGEST:
            facts.append(f"{symbol} <= {found.upper}")
    return facts


def _rename(graph, shapes, solved):
    """Writes the names into the shapes of inputs; forgets others that are more than a name."""
    import onnx_ir
    for value, shape in zip(graph.inputs, shapes):
        value.shape = onnx_ir.Shape([_spell(extent, solved) for extent in shape])
    names = {str(symbol): str(name) for symbol, name in solved.items()}

    def rename(dim):
        text = getattr(dim, "value", dim)
        if not isinstance(text, str):
            return dim
        words = re.findall(r"[A-Za-z_]\w*", text)
        if not all(names.get(word, word).isidentifier() for word in words):
            return None
        return re.sub(r"[A-Za-z_]\w*", lambda word: names.get(word[0], word[0]), text)

    others = [value for node in graph for value in node.outputs if value.shape is not None]
    for value in {id(value): value for value in [*others, *graph.outputs]}.values():
        if value.shape is not None:
            value.shape = onnx_ir.Shape([rename(dim) for dim in value.shape])


def export(module, args, kwargs, dynamic_shapes) -> Exported:
    """Exports a module in evaluation mode."""
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel
    modes = [(one, one.training) for one in module.modules()]
    module.eval()
    try:
        # What the exporter would ask of dims beyond what is declared, such as that none is 1,
        # is asked by the ops of the program, if by anything. Attention is traced as what ONNX
        # gets of it: kernels lay their result out otherwise, which fits no later view.
        with sdpa_kernel(SDPBackend.MATH), _conditions.collect() as asked:
            exported = torch.export.export(module, args, kwargs, dynamic_shapes=dynamic_shapes,
                                           prefer_deferred_runtime_asserts_over_guards=True)
        with sdpa_kernel(SDPBackend.MATH):
            program: Any = torch.onnx.export(exported, dynamo=True, verbose=False)  # its type says that it may be None
        shapes = _shapes(exported)
        asked = _conditions.needed(asked, exported, module, args, kwargs or {}, shapes)
    finally:
        for one, training in modes:
            one.training = training
    declared = _declared(module, args, kwargs, dynamic_shapes)
    solved, named = _solve(shapes, declared)
    _rename(program.model.graph, shapes, solved)
    facts = _facts(exported, shapes, declared, solved, named) + _conditions.facts(asked, shapes, solved)
    return Exported(program.model, facts)
