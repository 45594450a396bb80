# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Resize by scales that are no short fractions, and lengths of sequences beyond them."""

import sys
import tempfile
from fractions import Fraction
from math import ceil, floor
from pathlib import Path

import numpy as np

import symrun
from onnx_file import FLOAT, INT32, INT64, model, node

HALF = Fraction(1, 2)
SCALES = [Fraction(1, 3), Fraction(1, 10), Fraction(17, 10), Fraction(1, 100), Fraction(1, 300), Fraction(320, 441),
          Fraction(7, 10), Fraction(5, 2)]
MODES = {("asymmetric", "floor"): lambda x, s: floor(x / s),
         ("half_pixel", "round_prefer_floor"): lambda x, s: ceil((x + HALF) / s - HALF - HALF),
         ("half_pixel", "ceil"): lambda x, s: ceil((x + HALF) / s - HALF)}
EXTENTS = [0, 1, 9, 10, 12, 301, 441, 882]


def run(folder, name, text, calls):
    path = Path(folder) / f"{name}.onnx"
    path.write_bytes(text)
    return symrun.run(path, calls, options=["--compile=quick"])


def check_scales(folder):
    compared = failed = 0
    for number, scale in enumerate(SCALES):
        (coordinate, rounding), place = list(MODES.items())[number % len(MODES)]
        resize = node("Resize", "x - s", "y", mode="nearest", coordinate_transformation_mode=coordinate,
                      nearest_mode=rounding)
        text = model([resize], {"x": (FLOAT, [2, "n"])}, ["y"], {"s": np.array([1, float(scale)], np.float32)})
        arrays = [np.arange(2 * n, dtype=np.float32).reshape(2, n) for n in EXTENTS]
        done = run(folder, f"resize{number}", text, [[array] for array in arrays])
        if done.status:
            sys.exit(f"{scale}: status {done.status} {done.stderr}")
        for array, (result,) in zip(arrays, done.results):
            n = array.shape[1]
            places = [min(max(place(x, scale), 0), n - 1) for x in range(floor(n * scale))]
            compared += 1
            if not np.array_equal(result, array[:, places]):
                failed += 1
                print(f"{scale} of {n} {coordinate}: expected places {places[:9]}, but got {result[0, :9].tolist()}")
    return compared, failed


def recurrent(kind, gates):
    weights = np.random.default_rng(gates).standard_normal
    return model([node(kind, "x w r - l", "y", hidden_size=2)], {"x": (FLOAT, ["t", "b", 3]), "l": (INT32, ["b"])},
                 ["y"], {"w": weights((1, 2 * gates, 3)).astype(np.float32),
                         "r": weights((1, 2 * gates, 2)).astype(np.float32)}, opset=14)


def check_lengths(folder):
    x = np.ones((4, 2, 3), np.float32)
    programs = [(kind, recurrent(kind, gates), x, np.int32) for kind, gates in (("GRU", 3), ("LSTM", 4), ("RNN", 1))]
    reverse = model([node("ReverseSequence", "x l", "y", batch_axis=1, time_axis=0)],
                    {"x": (FLOAT, ["t", "b", 3]), "l": (INT64, ["b"])}, ["y"])
    programs.append(("ReverseSequence", reverse, x, np.int64))
    checked = failed = 0
    for kind, text, array, dtype in programs:
        for wrong in ([5, 1], [2, -1]):
            done = run(folder, kind, text, [[array, np.array(lengths, dtype)] for lengths in ([4, 0], wrong)])
            checked += 1
            if done.status != 3 or len(done.results) != 1 or "must lie within the sequence" not in done.stderr:
                failed += 1
                print(f"{kind} {wrong}: status {done.status}, {len(done.results)} served, {done.stderr[:300]}")
    return checked, failed


def main():
    with tempfile.TemporaryDirectory() as folder:
        (scales, wrong), (lengths, served) = check_scales(folder), check_lengths(folder)
    print(f"{scales} resizes, {lengths} lengths, {wrong + served} failed")
    return 1 if wrong + served else 0


if __name__ == "__main__":
    sys.exit(main())
