# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a module or a function of PyTorch to an exported program, with the user's names for extents."""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import logging

from . import _conditions
from ._exported import rename
from ._export import _declared, _facts, _shapes, _solve

log = logging.getLogger("symshape.guards")


@dataclasses.dataclass
class Exported:
    """An exported program, names for its symbols, and what calls must meet beside what it says."""

    program: object
    names: dict[str, str]
    facts: list[str]
    drop: tuple[str, ...]  # nodes that are not needed
    keeps_ranges: bool


def as_module(function):
    """A function as a module, whose arguments have its names."""
    import torch
    if isinstance(function, torch.nn.Module):
        return function

    class Function(torch.nn.Module):
        def forward(self, *args, **kwargs):
            return function(*args, **kwargs)

    made = Function()
    made.forward = function  # for its signature
    return made


@contextlib.contextmanager
def unchanged(module):
    """Evaluation mode; afterwards modes and buffers are those from before."""
    import torch
    modes = [(one, one.training) for one in module.modules()]
    buffers = [(one, one.detach().clone()) for one in module.buffers()]
    module.eval()
    try:
        yield
    finally:
        for one, training in modes:
            one.training = training
        with torch.no_grad():
            for one, before in buffers:
                one.copy_(before)


def _needless(exported, shapes, kept):
    """Assertions on sizes of inputs: what code of the module asks is a fact, and an op asks for what it needs."""
    import torch
    sizes = _conditions.sizes_of(shapes)
    relations = {str(condition.relation) for condition in kept}
    found, present = [], set()
    for node in exported.graph.nodes:
        if node.target is torch.ops.aten._assert_scalar.default and isinstance(node.args[0], torch.fx.Node):
            value = node.args[0].meta.get("val")
            expression = getattr(getattr(value, "node", None), "expr", None)
            symbols = {str(symbol) for symbol in getattr(expression, "free_symbols", ())}
            present.add(str(expression))
            if symbols and symbols <= sizes and str(expression) not in relations:
                found.append(node.name)
                log.info("not checked, as ops of the program ask for what they need: %s", expression)
    for condition in kept:
        if str(condition.relation) not in present and _conditions.is_on(condition, sizes):
            _conditions.warn(condition)
    return tuple(found)


def _names(shapes, solved):
    """What symbols are called, where the user's name stands for the same."""
    taken = {str(symbol) for shape in shapes for extent in shape if not isinstance(extent, int)
             for symbol in extent.free_symbols} - {str(symbol) for symbol in solved}
    names = {}
    for symbol, expression in solved.items():
        if expression.is_Symbol:
            names[str(symbol)] = rename(str(expression), taken)
            taken.add(names[str(symbol)])
    return names


def _renamed(solved, names):
    """The same with the names that symbols have got."""
    import sympy
    return {symbol: sympy.Symbol(names[str(symbol)], integer=True) for symbol in solved if str(symbol) in names}


def _rename_dims(named, solved, names):
    return {names[str(symbol)]: named[str(expression)] for symbol, expression in solved.items()
            if str(symbol) in names and str(expression) in named}


def export(function, args, kwargs, dynamic_shapes) -> Exported:
    """Exports a module or a function in evaluation mode."""
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel
    module = as_module(function)
    with unchanged(module):
        # What the exporter would ask of dims beyond what is declared, such as that none is 1,
        # is asked by the ops of the program, if by anything. Attention is traced as products:
        # kernels lay their result out otherwise, which fits no later view.
        with sdpa_kernel(SDPBackend.MATH), _conditions.collect() as asked:
            exported = torch.export.export(module, args, kwargs, dynamic_shapes=dynamic_shapes,
                                           prefer_deferred_runtime_asserts_over_guards=True)
        shapes = _shapes(exported)
        asked = _conditions.needed(asked, exported, module, args, kwargs or {}, shapes)
    declared = _declared(module, args, kwargs, dynamic_shapes)
    solved, named = _solve(shapes, declared)
    names = _names(shapes, solved)
    solved, named = _renamed(solved, names), _rename_dims(named, solved, names)
    # Conditions on data are assertions of the graph, and so are those that facts have no words for.
    kept: list[_conditions.Condition] = []
    facts = _facts(exported, shapes, declared, solved, named)
    facts += _conditions.facts(asked, shapes, solved, kept.append)
    return Exported(exported, names, facts, _needless(exported, shapes, kept), False)
