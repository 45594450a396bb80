# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The arrays of the numeric cases of the test vectors, and how they are compared."""

import sys
import warnings
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parent.parent / "test" / "Integration"))
import interpreter  # noqa: E402

DTYPES = {"f64": np.float64, "f32": np.float32, "i64": np.int64, "i32": np.int32, "i1": np.bool_}
# Relative; of f32 some units in the last place.
TOLERANCES = {np.dtype(np.float64): 1e-12, np.dtype(np.float32): 1e-6}
# Lengths of steps of central differences.
STEPS = [1e-3, 1e-4, 1e-5]


class Failure(Exception):
    """What is wrong with a case."""


class Refused(Failure):
    """The error of a call."""


def read(tensor):
    return np.array(tensor["data"], dtype=DTYPES[tensor["dtype"]]).reshape(tensor["shape"])


def floats(data, like):
    return np.array(data, dtype=like.dtype).reshape(like.shape)


def check(what, actual, expected):
    """Equal extents and integers; floats to a relative difference."""
    if len(actual) != len(expected):
        raise Failure(f"{what}: expected {len(expected)} results, but got {len(actual)}")
    for number, (one, two) in enumerate(zip(actual, expected)):
        if one.shape != two.shape:
            raise Failure(f"{what} {number}: expected extents {two.shape}, but got {one.shape}")
        if two.dtype.kind != "f":
            if not np.array_equal(one, two):
                raise Failure(f"{what} {number}: expected {two.tolist()}, but got {one.tolist()}")
            continue
        allowed = TOLERANCES[two.dtype] * np.maximum(1.0, np.abs(two))
        with np.errstate(invalid="ignore"):
            near = np.isfinite(two) & (np.abs(one - two) <= allowed)
        same = (one == two) | near | (np.isnan(one) & np.isnan(two))
        if not same.all():
            raise Failure(f"{what} {number}: expected {two.tolist()}, but got {one.tolist()}")


def inner(one, two):
    """The inner product of two lists of arrays, and the sum of the absolute values in it."""
    with np.errstate(all="ignore"):
        products = [np.multiply(a, b) for a, b in zip(one, two)]
        return sum(float(p.sum()) for p in products), sum(float(abs(p).sum()) for p in products)


def check_adjoint(cotangents, jvp, vjp, tangents):
    """<cotangents, jvp> == <vjp, tangents>."""
    (left, size), (right, other) = inner(cotangents, jvp), inner(vjp, tangents)
    tolerance = max((TOLERANCES[array.dtype] for array in [*cotangents, *tangents]), default=0.0)
    if np.isfinite(size + other) and abs(left - right) > tolerance * max(1.0, size, other):
        raise Failure(f"<cotangents, jvp> is {left}, but <vjp, tangents> is {right}")


def defined(case, inputs):
    """The results by definition. Raises `interpreter.Invalid` where the extents have none, and
    `interpreter.Undefined` where the data break a promise."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            values = interpreter.evaluate(case["program"], inputs)
        except (ValueError, IndexError) as error:
            raise interpreter.Invalid(str(error)) from None
    return [np.asarray(values[name]) for name in case["results"]]


def central_differences(function, inputs, tangents, step):
    """The directional derivative, extrapolated from two steps (Richardson)."""
    def difference(h):
        ends = [function([x + sign * h * t for x, t in zip(inputs, tangents)]) for sign in (1, -1)]
        if any(a.shape != b.shape for a, b in zip(*ends)):
            raise Failure("central differences: the extents depend on the active inputs")
        return [(a - b) / (2 * h) for a, b in zip(*ends)]
    return [(4 * fine - coarse) / 3 for coarse, fine in zip(difference(step), difference(step / 2))]


class Numeric:
    """The arrays of a case, and what a run of it has given."""

    def __init__(self, case):
        self.case, self.got, self.calls, self.modules = case, {}, {}, {}
        self.inputs = {name: read(tensor) for name, tensor in case["inputs"].items()}
        self.arrays = list(self.inputs.values())
        self.results = [read(tensor) for tensor in case["primal"]]
        self.wrt = [list(self.inputs).index(name) for name in case["active"]]
        self.option = f"function=main wrt={','.join(map(str, self.wrt))}"
        self.real = [i for i, result in enumerate(self.results) if result.dtype.kind == "f"]
        self.tangents, self.vjp = self.of_active("tangents"), self.of_active("vjp")
        self.cotangents, self.jvp = self.of_results("cotangents"), self.of_results("jvp")

    def has(self, part):
        return part == "primal" or bool(part in self.case and self.wrt)

    def is_double(self):
        return all(array.dtype == np.float64 for array in [*self.tangents, *self.jvp])

    def of_active(self, key):
        return [floats(self.case[key][name], self.inputs[name]) for name in self.case["active"]
                if key in self.case]

    def of_results(self, key):
        return [floats(self.case[key][i], self.results[i]) for i in self.real if key in self.case]
