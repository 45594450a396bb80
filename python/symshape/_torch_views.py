# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Views at the ends of a graph of ATen: memory that PyTorch would not copy is not copied.

Graphs of training return what backward reads, mostly inputs and transposed weights: results that
are an input seen otherwise are made by PyTorch, outside of what is compiled. And an input whose
dimensions lie in memory in another order, as such a result or an image with channels last, is
taken in that order, from which the graph begins with a transposition that has no copy.
"""

from __future__ import annotations


def _views():
    from torch.ops import aten
    return {aten.alias.default, aten.detach.default, aten.permute.default, aten.t.default, aten.transpose.int,
            aten.unsqueeze.default}


def take_results(graph_module):
    """For each result a function of the list of inputs, where it is a view of one; else None, as it is in the graph then."""
    import torch
    graph, views, found = graph_module.graph, _views(), []
    inputs = {node: number for number, node in enumerate(node for node in graph.nodes if node.op == "placeholder")}

    def view_of(node):
        steps = []
        while isinstance(node, torch.fx.Node) and node.target in views:
            steps.append((node.target, node.args[1:]))
            node = node.args[0]
        if node not in inputs:
            return None
        number, steps = inputs[node], steps[::-1]

        def view(given):
            result = given[number]
            for op, arguments in steps:
                result = op(result, *arguments)
            return result
        return view

    (output,) = (node for node in graph.nodes if node.op == "output")
    found = [view_of(one) for one in output.args[0]]
    output.args = ([one if view is None else None for one, view in zip(output.args[0], found)],)
    graph.eliminate_dead_code()
    return found


def _order_in_memory(value):
    """The dimensions, outermost first, if they are not so already and none is repeated."""
    import torch
    if not isinstance(value, torch.Tensor) or value.layout != torch.strided:
        return None
    strides = [stride if isinstance(stride, int) else stride.node.hint if stride.node.has_hint() else None
               for stride in value.stride()]
    if None in strides or 0 in strides:
        return None
    order = sorted(range(value.dim()), key=lambda dim: -strides[dim])
    return order if order != sorted(order) else None


def take_inputs(graph_module):
    """Makes inputs of the graph those in memory's order; gives the order by the number of the input."""
    import torch
    graph, orders = graph_module.graph, {}
    inputs = [node for node in graph.nodes if node.op == "placeholder"]
    for number, node in enumerate(inputs):
        value = node.meta["val"]
        order = _order_in_memory(value)
        if order is None:
            continue
        orders[number] = order
        back = [order.index(dim) for dim in range(len(order))]
        with graph.inserting_after(inputs[-1]):
            made = graph.call_function(torch.ops.aten.permute.default, (node, back))
        node.replace_all_uses_with(made, delete_user_cb=lambda user, made=made: user is not made)
        made.meta = dict(node.meta)
        node.meta = {**node.meta, "val": value.permute(order)}
    return orders
