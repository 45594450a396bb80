# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs of a numeric case at other extents, 0 and 1 among them.

The axes that are compiled as `?` and have the same symbol, or without symbols the same
extent, change together.
"""

import numpy as np

from vector_programs import constant_axes


def symbols(case):
    """Per input the symbol of each axis, None where its extent stays."""
    if "symbolic_dims" in case:
        return {name: [None if isinstance(d, int) else d for d in case["symbolic_dims"].get(name, given["shape"])]
                for name, given in case["inputs"].items()}
    literal = constant_axes(case)
    return {name: [None if d in literal.get(name, ()) else extent for d, extent in enumerate(given["shape"])]
            for name, given in case["inputs"].items()}


def has_undefined(program):
    """Whether indices must be in bounds, or differ, which others need not."""
    text = str(program)
    return "promise_in_bounds" in text or "'unique_indices': True" in text


def bindings(case):
    """Extents by symbol, of which one is not that of the case."""
    own = {symbol: extent for name, axes in symbols(case).items()
           for symbol, extent in zip(axes, case["inputs"][name]["shape"]) if symbol is not None}
    for symbol, extent in own.items():
        for other in sorted({0, 1, extent + 1} - {extent}):
            yield {**own, symbol: other}


def resized(case, inputs, binding):
    """The inputs with these extents: their elements, again and again."""
    return {name: np.resize(inputs[name], [extent if symbol is None else binding[symbol]
                                           for symbol, extent in zip(axes, inputs[name].shape)])
            for name, axes in symbols(case).items()}
