# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares functions and quotients of f32 with float64 over the whole range.

    check_functions.py [STEP]

Takes each STEP-th of all bit patterns (default: 4099), and the neighbours of the
arguments where something changes. Each of exp, erf, erfc, tanh and log runs in vectors
and in scalar code, which must give the same bits. A vector is divided by divisors
of every size.
"""

import math
import sys
import tempfile

import numpy as np

import symrun
from checking import Checks

LIMIT = 2.0  # ulp of the exact result
OTHER_LIMITS = {"erfc": 4.0}

FUNCTIONS = {
    "exp": (np.exp, [0, 88.72283, 88.72284, -87.33654, -103.2789, -103.9721, 0.34657, -0.34657]),
    "erf": (np.vectorize(math.erf, otypes=[np.float64]), [0, 1, 3.9192059, 3.925, 1.1754944e-38]),
    "erfc": (np.vectorize(math.erfc, otypes=[np.float64]), [0, 2, 0.47, 9.19455, 9.3, 10.05, 10.06, 10.1]),
    "tanh": (np.tanh, [0, 0.17328, 0.51986, 9.01, 9.1, 1.1754944e-38]),
    "log": (np.log, [0, 1, 0.70710678, 1.41421356, 1.1754944e-38, 1e-45, 3.4028235e38]),
}

PROGRAM = """
func.func @main(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %vectors = math.{name} %x : tensor<?xf32>
  %scalars = scf.for %i = %c0 to %n step %c1 iter_args(%t = %e) -> tensor<?xf32> {{
    %v = tensor.extract %x[%i] : tensor<?xf32>
    %f = math.{name} %v : f32
    %u = tensor.insert %f into %t[%i] : tensor<?xf32>
    scf.yield %u : tensor<?xf32>
  }}
  return %vectors, %scalars : tensor<?xf32>, tensor<?xf32>
}}
"""


QUOTIENT_LIMIT = 1.5  # ulp: by a reciprocal
DIVISORS = [1, -3, 7e-3, 0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-40, 1.1754944e-38, 1.1754942e-38,
            8.507059e37, 8.5070603e37, 3.4028235e38, -1e38]
QUOTIENT = """
func.func @main(%x: tensor<?xf32>, %y: f32) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%x, %y : tensor<?xf32>, f32) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  return %q : tensor<?xf32>
}
"""


def arguments(step, places):
    """Each step-th bit pattern, special values, and ten neighbours of places."""
    bits = np.arange(0, 2**32, step, dtype=np.uint64).astype(np.uint32).view(np.float32)
    around = np.array(places + [-p for p in places], np.float32).view(np.int32)
    around = (around[:, None] + np.arange(-10, 11, dtype=np.int32)).ravel().view(np.float32)
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan], np.float32)
    nans = np.array([0x7FC00001, 0xFFC00001, 0x7FFFFFFF], np.uint32).view(np.float32)
    return np.concatenate([bits, around, special, nans])


def distance(actual, exact):
    """In ulp of the exact value; 0 for what must be, and is, the same."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        expected = exact.astype(np.float32)
        unit = np.spacing(np.abs(np.where(np.isfinite(expected), expected, 1)))
        ulp = np.abs(actual.astype(np.float64) - exact) / unit
        same = (actual == expected) & (np.signbit(actual) == np.signbit(expected))
    same |= np.isnan(actual) & np.isnan(expected)
    fixed = ~np.isfinite(expected) | ~np.isfinite(actual) | (expected == 0)
    # What rounds to zero may be the least denormal: one ulp.
    fixed &= ~((expected == 0) & (exact != 0))
    return np.where(fixed, np.where(same, 0.0, np.inf), ulp)


def check(checks, name, step):
    exact, places = FUNCTIONS[name]
    x = arguments(step, places)
    with tempfile.NamedTemporaryFile("w", suffix=".mlir", prefix=name) as file:
        file.write(PROGRAM.format(name=name))
        file.flush()
        run = symrun.run(file.name, [[x]], results=2)
    if not checks.ran(run, 1, name):
        return
    vectors, scalars = run.results[0]
    same = (vectors.view(np.int32) == scalars.view(np.int32)) | np.isnan(x)
    checks.that(same.all(), f"{name}: vectors and scalars agree, but not at {x[~same][:3]}")
    with np.errstate(all="ignore"):
        ulp = distance(vectors, exact(x.astype(np.float64)))
    worst = int(np.argmax(ulp))
    print(f"{name}: {ulp[worst]:.3f} ulp at {x[worst]!r}, {len(x)} arguments")
    checks.that(ulp[worst] <= OTHER_LIMITS.get(name, LIMIT),
                f"{name}({x[worst]!r}) is {vectors[worst]!r}, {ulp[worst]:.2f} ulp from exact")


def check_quotients(checks, step):
    x = arguments(step, [1, 1.1754944e-38])
    divisors = [np.float32(d) for d in DIVISORS]
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(QUOTIENT)
        file.flush()
        run = symrun.run(file.name, [[x, d] for d in divisors])
    if not checks.ran(run, len(divisors), "quotients"):
        return
    for divisor, (actual,) in zip(divisors, run.results):
        with np.errstate(all="ignore"):
            ulp = distance(actual, x.astype(np.float64) / np.float64(divisor))
        worst = int(np.argmax(ulp))
        checks.that(ulp[worst] <= QUOTIENT_LIMIT,
                    f"{x[worst]!r} / {divisor!r} is {actual[worst]!r}, {ulp[worst]:.2f} ulp from exact")


def main():
    checks = Checks()
    for name in FUNCTIONS:
        check(checks, name, int(sys.argv[1]) if len(sys.argv) > 1 else 4099)
    check_quotients(checks, 40009)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
