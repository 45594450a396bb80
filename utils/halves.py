# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The numbers of f16 and bf16, for oracles that compute in wider types."""

import numpy as np

#: bits behind the first one, exponents of the least normal number and of the largest
HALVES = {"f16": (10, -14, 15), "bf16": (7, -126, 127)}


def unit(x, kind):
    """The distance of neighbours of the type at x."""
    digits, least, _ = HALVES[kind]
    return 2.0 ** (np.maximum(np.frexp(x)[1] - 1, least) - digits)


def nearest(x, kind):
    """The number of the type that is nearest, halfway cases to even, if it had no end."""
    step = unit(x, kind)
    return np.rint(x / step) * step


def all_numbers(kind):
    """Each as f32, without NaN."""
    bits = np.arange(1 << 16, dtype=np.uint32)
    x = bits.astype(np.uint16).view(np.float16).astype(np.float32) if kind == "f16" else (bits << 16).view(np.float32)
    return x[~np.isnan(x)]
