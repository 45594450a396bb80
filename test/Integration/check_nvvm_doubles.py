# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares functions of f64 on a GPU with Python's decimal numbers of 60 digits, and with the C library.

    check_nvvm_doubles.py

exp, log and powers are within 1 ulp; powers whose exact value is a number are that number, so
that those of whole numbers are exact. The others are within 4 ulp of the C library's, angles of
every size among them.
"""

import sys
import tempfile
from decimal import Decimal, getcontext

import numpy as np

import symrun
from checking import Checks
from special_values import function_of_c

LIMIT = 1.0  # ulp of the exact result
LEAST = 4000  # results that are compared
LIBRARY_LIMIT = 4.0  # ulp

# Of the C library: arguments between two numbers, as they are or as exponents of 2 with either sign.
OTHERS = {"sin": "angle", "cos": "angle", "tan": "angle", "erf": (-7, 7), "erfc": (-6, 26.5), "sinh": (-711, 711),
          "cosh": (-711, 711), "tanh": (-25, 25), "asinh": "any", "acosh": (1, 2000), "atanh": (-1, 1), "cbrt": "any",
          "exp2": (-1074, 1024), "log2": (0, 1e6), "log10": (0, 1e6), "log1p": (-1, 50), "expm1": (-40, 700),
          "asin": (-1, 1), "acos": (-1, 1), "atan": "any"}
EXPONENTS = {"angle": (-30, 1024), "any": (-1074, 1024)}

PROGRAM = """
func.func @main(%x: tensor<?xf64>, %y: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) {
  %0 = math.exp %y : tensor<?xf64>
  %1 = math.log %x : tensor<?xf64>
  %2 = math.powf %x, %y : tensor<?xf64>
  return %0, %1, %2 : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
}
"""


def arguments(rng, count):
    """Whole numbers, numbers of middling size, exponents that nearly overflow, and all magnitudes."""
    whole = rng.integers(1, 200, count), rng.integers(-8, 8, count)
    middling = np.exp(rng.uniform(-30, 30, count)), rng.uniform(-20, 20, count)
    large = rng.uniform(0.5, 2, count), rng.uniform(-700, 700, count)
    wide = 2.0 ** rng.uniform(-1074, 1023, count), rng.uniform(-1, 1, count)
    x, y = zip(whole, middling, large, wide)
    return np.concatenate(x).astype(np.float64), np.concatenate(y).astype(np.float64)


def error(actual, exact):
    """In ulp of the exact value."""
    rounded = float(exact)
    if not np.isfinite(rounded) or not np.isfinite(actual):
        return 0.0 if rounded == actual else np.inf
    return float(abs(Decimal(float(actual)) - exact) / Decimal(float(np.spacing(abs(rounded)))))


def compare(checks, name, actual, exact, x, y):
    errors = [error(a, e) for a, e in zip(actual, exact)]
    worst = int(np.argmax(errors))
    print(f"{name}: {errors[worst]:.3f} ulp at {x[worst]!r}, {y[worst]!r}, {len(errors)} arguments")
    checks.that(errors[worst] <= LIMIT, f"{name} at {x[worst]!r}, {y[worst]!r} is {actual[worst]!r}")
    return len(errors)


def other_arguments(rng, domain, count):
    if domain in EXPONENTS:
        return rng.choice([-1, 1], count) * 2.0 ** rng.uniform(*EXPONENTS[domain], count)
    return rng.uniform(*domain, count)


def check_others(checks, count):
    """All in one program, beside the C library."""
    rng = np.random.default_rng(4)
    calls = [other_arguments(rng, domain, count) for domain in OTHERS.values()]
    types = ", ".join(["tensor<?xf64>"] * len(OTHERS))
    body = "\n".join(f"  %{i} = math.{name} %x{i} : tensor<?xf64>" for i, name in enumerate(OTHERS))
    text = (f"func.func @main({', '.join(f'%x{i}: tensor<?xf64>' for i in range(len(OTHERS)))}) -> ({types}) {{\n"
            f"{body}\n  return {', '.join(f'%{i}' for i in range(len(OTHERS)))} : {types}\n}}\n")
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        run = symrun.run(file.name, [calls], results=len(OTHERS), options=["--target=nvvm"])
    if not checks.ran(run, 1, "functions of the C library"):
        return
    for name, x, actual in zip(OTHERS, calls, run.results[0]):
        expected = function_of_c(name, 1)(x)
        with np.errstate(invalid="ignore"):
            ulp = np.abs(actual - expected) / np.spacing(np.abs(expected))
        ulp = np.where(actual == expected, 0, np.where(np.isfinite(ulp), ulp, np.inf))
        worst = int(np.argmax(ulp))
        print(f"{name}: {ulp[worst]:.2f} ulp at {x[worst]!r}, {len(x)} arguments")
        checks.that(len(actual) == count and ulp[worst] <= LIBRARY_LIMIT,
                    f"{name} at {x[worst]!r} is {actual[worst]!r}", f"  instead of {expected[worst]!r}")


def main():
    getcontext().prec = 60
    checks = Checks()
    x, y = arguments(np.random.default_rng(3), 500)
    calls = [[x[:n], y[:n]] for n in (0, 1, 31, len(x))]
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(PROGRAM)
        file.flush()
        run = symrun.run(file.name, calls, results=3, options=["--target=nvvm"])
    if not checks.ran(run, len(calls), "doubles"):
        return checks.finish()
    xs, ys = ([Decimal(float(v)) for v in values] for values in (x, y))
    exact = {"exp": [v.exp() for v in ys], "log": [v.ln() for v in xs], "pow": [a**b for a, b in zip(xs, ys)]}
    compared = 0
    for (few, _), results in zip(calls, run.results):
        for (name, values), actual in zip(exact.items(), results):
            checks.that(actual.shape == few.shape, f"{name}: {actual.shape} for {few.shape}")
            if len(few):
                compared += compare(checks, name, actual, values[:len(few)], x, y)
    powers = run.results[-1][2][:500]
    whole = [i for i in range(500) if y[i] >= 0]
    wrong = [i for i in whole if powers[i] != float(int(x[i]) ** int(y[i]))]
    checks.that(not wrong, f"powers of whole numbers that are not exact: {[(x[i], y[i]) for i in wrong][:5]}")
    checks.that(compared >= LEAST and len(whole) > 200, f"{compared} results compared, {len(whole)} powers")
    check_others(checks, 1000)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
