# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Derivatives of convolutions by their weights, of random forms, beside NumPy.

    check_filter_gradients.py SEED COUNT

Each form (axes, steps, holes, the order of dimensions and operands, element type) is compiled
once, for a processor and a number of threads by turns, and called at several sizes, 0 and 1
among them. Prints what is wrong, and at the end the counts.
"""

import sys
import tempfile
from itertools import product
from pathlib import Path

import numpy as np

import symrun

PLACES = [0, 1, 2, 3, 5, 8, 17, 33]
CALLS = 6
CPUS = [None, "x86-64", "x86-64-v3", "x86-64-v4"]
TYPES = {"f32": (np.float32, 2e-5), "f64": (np.float64, 1e-12), "f16": (np.float16, 2e-5)}  # f16: sums are of f32


class Form:
    """out[tap..., c, f] = sum of image[n, place * step + tap * hole..., c] * gradient[n, place..., f]."""

    def __init__(self, rng):
        self.type = str(rng.choice(list(TYPES)))
        self.sums = "f64" if self.type == "f64" else "f32"
        self.axes = int(rng.integers(1, 4))
        self.steps, self.holes = (rng.integers(1, 4, self.axes).tolist() for _ in range(2))
        self.taps = rng.integers(1, 6, self.axes).tolist()
        self.channels, self.features = int(rng.choice([1, 3, 8, 17, 32])), int(rng.choice([1, 7, 8, 20, 64]))
        self.orders = [rng.permutation(self.axes + 2).tolist() for _ in range(3)]  # of image, gradient, result
        self.image_first = bool(rng.integers(2))

    def text(self):
        axes = range(self.axes)
        loops = ["n", "f", "c", *(f"p{i}" for i in axes), *(f"t{i}" for i in axes)]
        parts = [["n", *(f"p{i} * {self.steps[i]} + t{i} * {self.holes[i]}" for i in axes), "c"],
                 ["n", *(f"p{i}" for i in axes), "f"], [*(f"t{i}" for i in axes), "c", "f"]]
        extents = [["?"] * (self.axes + 1) + [self.channels], ["?"] * (self.axes + 1) + [self.features],
                   [*self.taps, self.channels, self.features]]
        maps, types = [], []
        for order, part, extent in zip(self.orders, parts, extents):
            maps.append(f"affine_map<({', '.join(loops)}) -> ({', '.join(part[d] for d in order)})>")
            element = self.sums if part is parts[2] else self.type
            types.append("tensor<" + "".join(f"{extent[d]}x" for d in order) + element + ">")
        kinds = ["parallel" if loop[0] in "fct" else "reduction" for loop in loops]
        first, second = (0, 1) if self.image_first else (1, 0)
        t, e, s = types, self.type, self.sums
        factors, widened = "ab", ""
        if e != s:
            factors = ("wide_a", "wide_b")
            widened = "".join(f"    %wide_{x} = arith.extf %{x} : {e} to {s}\n" for x in "ab")
        return f"""
func.func @main(%image: {t[0]}, %gradient: {t[1]}) -> {t[2]} {{
  %zero = arith.constant 0.0 : {s}
  %empty = tensor.empty() : {t[2]}
  %start = linalg.fill ins(%zero : {s}) outs(%empty : {t[2]}) -> {t[2]}
  %sums = linalg.generic {{indexing_maps = [{maps[first]}, {maps[second]}, {maps[2]}],
      iterator_types = [{', '.join(f'"{kind}"' for kind in kinds)}]}}
      ins(%{'image, %gradient' if self.image_first else 'gradient, %image'} : {t[first]}, {t[second]}) outs(%start : {t[2]}) {{
  ^bb0(%a: {e}, %b: {e}, %sum: {s}):
{widened}    %product = arith.mulf %{factors[0]}, %{factors[1]} : {s}
    %next = arith.addf %sum, %product : {s}
    linalg.yield %next : {s}
  }} -> {t[2]}
  return %sums : {t[2]}
}}
"""

    def draw(self, rng):
        """Operands with channels last, and the result."""
        dtype, _ = TYPES[self.type]
        batch, places = int(rng.integers(0, 4)), [int(rng.choice(PLACES[:8 if self.axes < 3 else 5])) for _ in range(self.axes)]
        reach = [max((p - 1) * s + (t - 1) * h + 1, 0)
                 for p, s, t, h in zip(places, self.steps, self.taps, self.holes)]
        image = rng.standard_normal([batch, *reach, self.channels]).astype(dtype)
        gradient = rng.standard_normal([batch, *places, self.features]).astype(dtype)
        result = np.zeros([*self.taps, self.channels, self.features])
        flat = gradient.astype(np.float64).reshape(-1, self.features)
        for tap in product(*map(range, self.taps)):
            if flat.size:
                part = tuple(slice(t * h, t * h + (p - 1) * s + 1, s)
                             for t, h, p, s in zip(tap, self.holes, places, self.steps))
                result[tap] = image[(slice(None), *part)].astype(np.float64).reshape(-1, self.channels).T @ flat
        return [v.transpose(order) for v, order in zip((image, gradient, result), self.orders)]


def main():
    seed, count = map(int, sys.argv[1:])
    right = bad = 0
    with tempfile.TemporaryDirectory(prefix="gradients") as name:
        for index in range(count):
            rng = np.random.default_rng([seed, index])
            form = Form(rng)
            path = Path(name) / "form.mlir"
            path.write_text(form.text())
            cases = [form.draw(rng) for _ in range(CALLS)]
            options = [f"--threads={1 + index % 2}", *(["--guard-pages"] if index % 2 == 0 else []),
                       *(f"--cpu={cpu}" for cpu in CPUS[index % 4:][:1] if cpu)]
            run = symrun.run(path, [case[:2] for case in cases], options=options)
            if run.status:
                bad += 1
                print(f"form {index} ({' '.join(options)}): exit status {run.status}\n{run.stderr[:1500]}")
                continue
            for (image, _, expected), (actual,) in zip(cases, run.results, strict=True):
                scale = max(np.abs(expected).max(initial=0), 1e-3)
                error = symrun.largest_difference(actual / scale, expected / scale)
                good = actual.shape == expected.shape and error <= TYPES[form.type][1]
                right, bad = right + good, bad + (not good)
                if not good:
                    print(f"form {index} ({' '.join(options)}) at {image.shape}: {actual.shape}, differs by {error:.1e}")
    print(f"{count} forms, {right} calls right, {bad} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
