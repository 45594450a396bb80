# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far the results of a program are from those of the same program in f32."""

from __future__ import annotations

import dataclasses

import numpy as np

from ._errors import InputError
from ._program import Program


@dataclasses.dataclass(frozen=True)
class Difference:
    """One result of `compare`, beside that of f32.

    `largest` and `mean` (the root mean square) are of the differences between finite
    numbers, as parts of the `scale`, the largest finite number of the result in f32;
    `misplaced` counts elements of which just one is finite, or that are different
    infinities or NaN. A result of no floats has the number of unequal elements there, and
    differences between its numbers. `without` is what the largest error is with single layers in
    f32, by their names.
    """

    name: str
    shape: tuple[int, ...]
    scale: float
    largest: float
    mean: float
    misplaced: int
    without: dict[str, float] = dataclasses.field(default_factory=dict)

    def __str__(self):
        text = (f"{self.name}: largest error {self.largest:.2e}, root mean square {self.mean:.2e}, "
                f"of {self.scale:.4g}")
        return text + (f"; {self.misplaced} elements are others" if self.misplaced else "")


def _numbers(array, element):
    """As f64; bf16 comes as its bits if `ml_dtypes` is not installed."""
    array = np.asarray(array)
    if element == "bf16" and array.dtype == np.uint16:
        array = (array.astype(np.uint32) << 16).view(np.float32)
    return np.asarray(array).astype(np.float64)


def _measure(name, element, result, reference):
    if result.shape != reference.shape:
        raise InputError(f"expected results of equal shapes, but got {result.shape} and {reference.shape} of {name}")
    is_float = element in ("f16", "bf16", "f32", "f64")
    result, reference = _numbers(result, element), _numbers(reference, element)
    both = np.isfinite(result) & np.isfinite(reference)
    same = both | (result == reference) | (np.isnan(result) & np.isnan(reference))
    misplaced = int((~same).sum()) if is_float else int((result != reference).sum())
    scale = float(np.abs(reference[both]).max(initial=0))
    errors = np.abs(result[both] - reference[both]) / (scale or 1.0)
    mean = float(np.sqrt(np.mean(errors**2))) if errors.size else 0.0
    return Difference(name, reference.shape, scale, float(errors.max(initial=0)), mean, misplaced)


def _call(program, inputs):
    return program(**inputs) if hasattr(inputs, "keys") else program(*inputs)


def _measure_all(program, results, exact):
    return [_measure(tensor.name or f"result {number}", tensor.element, one, other)
            for number, (one, other, tensor) in enumerate(zip(results, exact, program.results, strict=True))]


def compare(program: Program, inputs, layers=()) -> list[Difference]:
    """Runs a program and the same one in f32 on `inputs`, prints the error of each result, and returns it.

    The program, made by `load` or `loads`, is compiled once more, with `precision="f32"`
    and its other options. `inputs` are the arguments of a call, in order or by name.

    `layers` are names of layers: the program is compiled for each, with that layer in f32
    too, and a line says what that makes of the largest error. A layer that makes it much
    smaller is one to leave out.
    """
    layers = [layers] if isinstance(layers, str) else list(layers)
    precision = program._get_source("recompile").options.get("precision")
    if layers and not precision:
        raise InputError("expected a program that was loaded with a precision, but got none: layers are left out of one")
    exact = _call(program._with(precision="f32"), inputs)
    differences = _measure_all(program, _call(program, inputs), exact)
    for one in differences:
        print(one)
    for layer in layers:
        results = _call(program._with(precision=f"{precision},-{layer}"), inputs)
        for one, other in zip(differences, _measure_all(program, results, exact), strict=True):
            one.without[layer] = other.largest
            print(f"{one.name}: largest error {other.largest:.2e} with {layer} in f32")
    return differences


__all__ = ["Difference", "compare"]
