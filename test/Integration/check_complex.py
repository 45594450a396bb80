# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of complex numbers beside NumPy in the next precision, at numbers of all sizes and at the edges.

    check_complex.py [OPTION of symshape-run...]

The error is that of the number, not of its parts: a few units in the last place of its size.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

import symrun


from checking import Checks



def log1p(z):
    """NumPy adds 1 first."""
    return np.log1p(2 * z.real + z.real**2 + z.imag**2) / 2 + 1j * np.arctan2(z.imag, 1 + z.real)


UNARY = {"abs": np.abs, "angle": np.angle, "conj": np.conj, "cos": np.cos, "exp": np.exp, "expm1": np.expm1, "log": np.log,
         "log1p": log1p, "neg": np.negative, "rsqrt": lambda z: 1 / np.sqrt(z), "sign": lambda z: np.where(z == 0, 0, z / np.abs(z)),
         "sin": np.sin, "sqrt": np.sqrt, "tan": np.tan, "tanh": np.tanh}
BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "pow": np.power}
TYPES = {"f32": (np.float32, np.complex128), "f64": (np.float64, np.clongdouble)}
# Units in the last place of the size; what upstream computes by way of other functions loses more.
ULPS = {"pow": 400, "tan": 40, "tanh": 40, "log": 8, "log1p": 8, "expm1": 16, "rsqrt": 16}
SIZES = [0, 1, 7, 64]
OPTIONS = [sys.argv[1:]] if sys.argv[1:] else [[], ["--compile=quick"], ["--threads=2", "--guard-pages"]]


def program(op, element):
    """A function of one or two complex tensors that come, and go, as their parts."""
    names = ["a", "b"][:2 if op in BINARY else 1]
    tensor, number = f"tensor<?x{element}>", f"complex<{element}>"
    is_real = op in ("abs", "angle")
    parts = [f"%{n}{p}" for n in names for p in "ri"]
    results = ["%r"] if is_real else ["%r", "%i"]
    count = len(parts) + len(results)
    body = [f"%{n} = complex.create %{n}r_, %{n}i_ : {number}" for n in names]
    body.append(f"%z = complex.{op} {', '.join('%' + n for n in names)} : {number}")
    body += [f"%{p}_ = complex.{'re' if p == 'r' else 'im'} %z : {number}" for p in "ri"[:0 if is_real else 2]]
    yields = "%z" if is_real else "%r_, %i_"
    types, elements = ", ".join([tensor] * len(results)), ", ".join([element] * len(results))
    maps = ", ".join(["affine_map<(d) -> (d)>"] * count)
    bodies = "\n    ".join(body)
    outs = ", ".join(["%e"] * len(results))
    return f"""func.func @main({', '.join(f'{p}: {tensor}' for p in parts)}) -> ({types}) {{
  %c0 = arith.constant 0 : index
  %n = tensor.dim %ar, %c0 : {tensor}
  %e = tensor.empty(%n) : {tensor}
  %all:{len(results)} = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}}
    ins({', '.join(parts)} : {', '.join([tensor] * len(parts))}) outs({outs} : {types}) {{
  ^bb0({', '.join(f'{p}_: {element}' for p in parts)}, {', '.join(f'%o{k}: {element}' for k in range(len(results)))}):
    {bodies}
    linalg.yield {yields} : {elements}
  }} -> ({types})
  return {', '.join(f'%all#{k}' for k in range(len(results)))} : {types}
}}
"""


def numbers(rng, size, real, op):
    """Numbers of many sizes, of all that there are where the result is finite."""
    wide = {"abs", "angle", "conj", "neg", "sign", "add", "sub", "sqrt", "div", "log", "rsqrt"}
    spread = np.log10(np.finfo(real).max) * (0.45 if op == "div" else 0.9)
    low, high = (-spread, spread) if op in wide else (-1, 0.5) if op == "pow" else (-6, 0.8)
    z = 10 ** rng.uniform(low, high, size) * np.exp(1j * rng.uniform(-np.pi, np.pi, size))
    if op in wide and op not in ("div", "rsqrt", "log", "sign") and size > 3:
        z[:3] = [0, 1, -1j]
    return z.real.astype(real), z.imag.astype(real)


def main():
    checks, rng = Checks(), np.random.default_rng(20)
    with tempfile.TemporaryDirectory(prefix="complex") as folder:
        for op, function in {**UNARY, **BINARY}.items():
            for element, (real, wide) in TYPES.items():
                path = Path(folder) / f"{op}-{element}.mlir"
                path.write_text(program(op, element))
                calls = [[part for _ in range(2 if op in BINARY else 1) for part in numbers(rng, size, real, op)] for size in SIZES]
                for options in OPTIONS:
                    run = symrun.run(path, calls, results=1 if op in ("abs", "angle") else 2, options=options)
                    if not checks.ran(run, len(calls), f"{op} of {element} {options}"):
                        continue
                    for call, parts in zip(calls, run.results):
                        with np.errstate(all="ignore"):
                            complexes = [re.astype(wide) + 1j * im.astype(wide) for re, im in zip(call[::2], call[1::2])]
                            expected = function(*complexes)
                        actual = parts[0].astype(wide) + (1j * parts[1].astype(wide) if len(parts) > 1 else 0)
                        limit = ULPS.get(op, 4) * np.finfo(real).eps * np.abs(expected) + np.finfo(real).tiny
                        worst = np.abs(actual - expected) / limit
                        checks.that(actual.shape == expected.shape and not (~(worst <= 1)).any(), f"{op} of {element} {options}, {len(expected)} numbers",
                                    f"  {[(c[k], actual[k], expected[k], worst[k]) for c in complexes for k in np.flatnonzero(~(worst <= 1))[:3]]}")
    least = len(UNARY | BINARY) * len(TYPES) * len(OPTIONS) * len(SIZES)
    return checks.finish() or int(checks.made < least)


if __name__ == "__main__":
    sys.exit(main())
