# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs of a numeric case at other extents, 0 and 1 among them.

The axes that are compiled as `?` and have the same symbol, or without symbols the same
extent, change together.
"""

import itertools
import math
import random

import numpy as np

from vector_programs import constant_axes

# Bindings of several symbols at a time that are tried, after those of one.
MOST = 400


def symbols(case):
    """Per input the symbol of each axis, None where its extent stays."""
    if "symbolic_dims" in case:
        return {name: [None if isinstance(d, int) else d for d in case["symbolic_dims"].get(name, given["shape"])]
                for name, given in case["inputs"].items()}
    literal = constant_axes(case)
    return {name: [None if d in literal.get(name, ()) else extent for d, extent in enumerate(given["shape"])]
            for name, given in case["inputs"].items()}


def bindings(case):
    """Extents by symbol, others than those of the case."""
    own = {symbol: extent for name, axes in symbols(case).items()
           for symbol, extent in zip(axes, case["inputs"][name]["shape"]) if symbol is not None}
    others = {symbol: sorted({0, 1, *range(extent - 2, extent + 4), 2 * extent} - {extent, -1, -2}) for symbol, extent in own.items()}
    found = [{**own, symbol: other} for symbol in own for other in others[symbol]]
    choose, count = random.Random(0), math.prod(len(values) + 1 for values in others.values())
    if count <= MOST:
        together = itertools.product(*([own[symbol], *others[symbol]] for symbol in own))
    else:
        together = ([choose.choice([own[symbol], *others[symbol]]) for symbol in own] for _ in range(MOST))
    for extents in together:
        binding = dict(zip(own, extents))
        if binding != own and binding not in found:
            found.append(binding)
    return found


def resized(case, inputs, binding):
    """The inputs with these extents: their elements, again and again."""
    made = {name: np.resize(inputs[name], [extent if symbol is None else binding[symbol]
                                           for symbol, extent in zip(axes, inputs[name].shape)])
            for name, axes in symbols(case).items()}
    for step in case["program"]:
        keep_promise(step, made)
    return made


def keep_promise(step, made):
    """Moves indices that were promised to be in bounds, or to differ, to where they are."""
    attrs, operands = step.get("attrs", {}), step["operands"]
    if attrs.get("mode") != "promise_in_bounds" and not attrs.get("unique_indices"):
        return
    x, indices = (made.get(name) for name in operands[:2])
    axes = attrs.get("start_index_map", attrs.get("scatter_dims_to_operand_dims"))
    if x is None or indices is None or not indices.size:
        return
    vector = attrs["index_vector_dim"]
    sizes = attrs.get("slice_sizes")
    for component, axis in enumerate(axes):
        size = sizes[axis] if sizes and isinstance(sizes[axis], int) else window_of(step, made, axis)
        room = x.shape[axis] - size + 1
        if room < 1 or (vector < indices.ndim and component >= indices.shape[vector]):
            continue
        at = (slice(None),) * vector + ((component,) if vector < indices.ndim else ())
        indices[at] = np.arange(indices[at].size).reshape(indices[at].shape) % room \
            if attrs.get("unique_indices") else indices[at] % room


def window_of(step, made, axis):
    """The extent of the window along an axis of the operand, where it is not a number."""
    attrs = step["attrs"]
    if step["op"] != "scatter":
        size = attrs["slice_sizes"][axis]
        source = made.get(step["operands"][size["operand"]])
        return 1 if source is None else source.shape[size["axis"]]
    updates = made.get(step["operands"][2])
    gone = [*attrs["inserted_window_dims"], *attrs.get("operand_batching_dims", [])]
    kept = [d for d in range(made[step["operands"][0]].ndim) if d not in gone]
    if updates is None or axis in gone:
        return 1
    return updates.shape[attrs["update_window_dims"][kept.index(axis)]]
