#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the coefficients of lib/Conversion/Math/Float32Functions.cpp.

    minimax.py [NAME]...

Each polynomial has nearly the smallest largest weighted error over a dense grid
of its interval. Its coefficients are rounded to float32 one by one, from the
lowest power on; after each rounding the others are fitted anew.
"""

import math
import sys
from dataclasses import dataclass
from typing import Callable

import numpy as np

POINTS = 1001
ROUNDS = 150


@dataclass
class Polynomial:
    """Approximates target(x) by the sum of c[i] * (x - center)**powers[i]."""

    target: Callable
    weight: Callable
    powers: list
    low: float
    high: float
    center: float = 0.0


def erf(x):
    return np.vectorize(math.erf)(x)


def relative(target):
    return lambda x: 1 / np.abs(target(x))


HALF = math.log(2) / 2 * 1.001  # of the interval that remains after reduction
SPLIT, END = 1.0, 3.925  # of erf; the second is where erf rounds to 1
MIDDLE = 2.4375

STRETCH = 2.0  # of erfc: half of all arguments are below


def scaled_erfc(u):
    a = STRETCH * (1 + u) / (1 - u)
    return np.vectorize(math.erfc)(a) * np.exp(a * a) * (1 + 2 * a)


POLYNOMIALS = {
    # exp(r) - 1 - r, relative to exp(r)
    "exp": Polynomial(lambda r: np.exp(r) - 1 - r, lambda r: np.exp(-r), [2, 3, 4, 5, 6],
                      -HALF, HALF),
    # tanh(x) - x, relative to tanh(x)
    "tanh near": Polynomial(lambda x: np.tanh(x) - x, relative(np.tanh), [3, 5, 7, 9, 11],
                            1e-3, 0.625),
    # erf(x) - x, relative to erf(x)
    "erf near": Polynomial(lambda x: erf(x) - x, relative(erf), [1, 3, 5, 7, 9, 11, 13],
                           1e-3, SPLIT),
    "erf far": Polynomial(erf, np.ones_like, list(range(13)), SPLIT, END, MIDDLE),
    # erfc(a) * exp(a**2) * (1 + 2 * a), by u = (a - 2) / (a + 2), up to a = 10.1
    "erfc": Polynomial(scaled_erfc, relative(scaled_erfc), list(range(11)), -1, 0.67),
    # log1p(f) - f + f**2 / 2, relative to log1p(f)
    "log": Polynomial(lambda f: np.log1p(f) - f + f * f / 2, relative(np.log1p),
                      list(range(3, 12)), math.sqrt(0.5) - 1, math.sqrt(2) - 1),
}


def fit(matrix, values):
    """Coefficients whose largest error over the grid is nearly the smallest.

    Lawson's iteration: least squares with weights that grow where the error is
    large. Unlike an exchange of extrema, it needs no Haar condition, which fails
    once the lowest powers are fixed.
    """
    scale = np.abs(matrix).max(axis=0)
    importance = np.full(len(values), 1 / len(values))
    best = (np.inf, None)
    for _ in range(ROUNDS):
        root = np.sqrt(importance)[:, None]
        solved = np.linalg.lstsq(matrix / scale * root, values * root[:, 0], rcond=None)[0]
        error = np.abs(values - matrix / scale @ solved)
        best = min(best, (error.max(), list(solved / scale)))
        importance = importance * error
        importance /= importance.sum()
    return best[1]


def coefficients(polynomial):
    """Rounded to float32, lowest power first, and the largest weighted error."""
    nodes = np.cos(np.pi * (np.arange(POINTS) + 0.5) / POINTS)[::-1]
    x = (polynomial.low + polynomial.high) / 2 + (polynomial.high - polynomial.low) / 2 * nodes
    x = x[np.abs(x) > 1e-5]  # the weights may be singular at 0
    weight = polynomial.weight(x)
    matrix = np.stack([(x - polynomial.center) ** p * weight for p in polynomial.powers], axis=1)
    values = polynomial.target(x) * weight
    rounded = []
    for i in range(len(polynomial.powers)):
        free = fit(matrix[:, i:], values)
        rounded.append(np.float32(free[0]))
        values = values - matrix[:, i] * float(rounded[-1])
    return rounded, np.abs(values).max()


def main():
    for name in sys.argv[1:] or POLYNOMIALS:
        rounded, error = coefficients(POLYNOMIALS[name])
        print(f"{name}: error {error * 2**24:.3f} * 2^-24")
        print("  " + ", ".join(float(c).hex() for c in rounded))


if __name__ == "__main__":
    main()
