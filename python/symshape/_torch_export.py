# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a module or a function of PyTorch to an exported program, with the user's names for extents."""

from __future__ import annotations

import contextlib
import dataclasses
import logging
from typing import Any

from . import _conditions
from ._exported import rename
from ._export import _declared, _facts, _shapes, _solve
from ._torch_flex import as_ops

log = logging.getLogger("symshape.guards")


@dataclasses.dataclass
class Exported:
    """An exported program, names for its symbols, and what calls must meet beside what it says."""

    program: Any
    names: dict[str, str] = dataclasses.field(default_factory=dict)
    facts: list[str] = dataclasses.field(default_factory=list)
    sizes: set[str] = dataclasses.field(default_factory=set)  # symbols of inputs, whose ranges are facts
    kept: list[_conditions.Condition] = dataclasses.field(default_factory=list)  # that are no facts


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


def _assertions(program):
    """The nodes that assert conditions, and these."""
    import torch
    for node in program.graph.nodes:
        if node.target is torch.ops.aten._assert_scalar.default and isinstance(node.args[0], torch.fx.Node):
            value = node.args[0].meta.get("val")
            yield node, getattr(getattr(value, "node", None), "expr", None)


def _is_on_sizes(condition, sizes):
    """Whether these symbols decide it, and none is missing."""
    symbols = {str(symbol) for symbol in getattr(condition, "free_symbols", ())}
    return bool(symbols) and symbols <= sizes


def decomposed(exported, table):
    """The program by simpler ops, traced without derivatives.

    What the exporter asserts of sizes for the sake of the simpler ops is left out, unless it has put what
    it asserted before in another way: `exported` is the measure of what calls are taken."""
    import torch
    with torch.no_grad():
        made = exported.run_decompositions(table)
    before = {str(condition) for _, condition in _assertions(exported)}
    after = list(_assertions(made))
    if before <= {str(condition) for _, condition in after}:
        sizes = _conditions.sizes_of(_shapes(exported))
        for node, condition in after:
            if _is_on_sizes(condition, sizes) and str(condition) not in before:
                made.graph.erase_node(node)
    return made


def functional(exported):
    """The program in a form that can be written: inputs and buffers that it changes in place become results of it."""
    import torch
    # Weights become the tensors that stand for them, regions with other types casts, and axes of `vmap` plain ones.
    if any(str(node.target).startswith(("export.access_subclass", "wrap_with_autocast"))
           or getattr(node.target, "__module__", "") == "torch._functorch.predispatch" for node in exported.graph.nodes):
        return decomposed(exported, {})
    for node in exported.graph.nodes:
        schema = getattr(node.target, "_schema", None)
        if node.op != "call_function" or schema is None or not schema.is_mutable:
            continue
        root, changed = node.args[0] if node.args else None, False
        while isinstance(root, torch.fx.Node) and root.op == "call_function":
            own = getattr(root.target, "_schema", None)
            is_view = own is None or not own.is_mutable and any(one.alias_info for one in own.returns)
            if not is_view and not own.is_mutable:
                changed |= root.target.namespace != "aten"  # of which the compiler does not know what it aliases
                break
            changed |= is_view
            root = root.args[0] if root.args else None
        if changed or not isinstance(root, torch.fx.Node) or root.op != "call_function":
            return decomposed(exported, {})
    return exported


def without(exported, ops):
    """The program in which ops of these names, such as `aten.glu.default`, are decomposed; None if none can be."""
    import torch
    table = torch.export.default_decompositions()
    wanted = {op: rule for op, rule in table.items() if str(op) in ops}
    return decomposed(exported, wanted) if wanted else None


def needless(made: Exported):
    """Names of assertions on sizes of inputs that nothing needs: what code of the module asks is a fact,
    and an op asks for what it needs."""
    relations = {str(condition.relation) for condition in made.kept}
    found, present = [], set()
    for node, expression in _assertions(made.program):
        present.add(str(expression))
        if _is_on_sizes(expression, made.sizes) and str(expression) not in relations:
            found.append(node.name)
            log.info("not checked, as ops of the program ask for what they need: %s", expression)
    for condition in made.kept:
        if str(condition.relation) not in present and _conditions.is_on(condition, made.sizes):
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


def export(function, args, kwargs, dynamic_shapes, oblivious=True, asserts="user") -> Exported:
    """Exports a module or a function in evaluation mode; see `collect`."""
    import sympy
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel
    module = as_module(function)
    with unchanged(module):
        # What the exporter would ask of dims beyond what is declared, such as that none is 1,
        # is asked by the ops of the program, if by anything. Attention is traced as products:
        # kernels lay their result out otherwise, which fits no later view.
        with sdpa_kernel(SDPBackend.MATH), as_ops(), _conditions.collect(oblivious) as asked:
            exported = torch.export.export(module, args, kwargs, dynamic_shapes=dynamic_shapes,
                                           prefer_deferred_runtime_asserts_over_guards=True)
        exported = functional(exported)
        shapes = _shapes(exported)
        asked = _conditions.needed(asked, exported, module, args, kwargs or {}, shapes)
        if asserts == "user" and not oblivious:  # what holds without a question is a condition all the same
            sizes = {symbol for shape in shapes for extent in shape if not isinstance(extent, int)
                     for symbol in extent.free_symbols}
            asked += [_conditions.Condition(sympy.Ge(symbol, 2), "") for symbol in sizes]
    declared = _declared(module, args, kwargs, dynamic_shapes)
    solved, named = _solve(shapes, declared)
    names = _names(shapes, solved)
    solved, named = _renamed(solved, names), _rename_dims(named, solved, names)
    # Conditions on data are assertions of the graph, and so are those that facts have no words for.
    kept: list[_conditions.Condition] = []
    facts = _facts(exported, shapes, declared, solved, named)
    facts += _conditions.facts(asked, shapes, solved, kept.append)
    return Exported(exported, names, facts, _conditions.sizes_of(shapes), kept)
