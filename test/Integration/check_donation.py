# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results in the memory of donated arguments: in place where that is safe, and right wherever they are.

    check_donation.py LIBRARY FOLDER [--programs=N] [--seed=N]

A cache, of which a step writes only the new rows: nothing else changes, and what is allocated does not grow with the
cache. Then programs of random ops on two donated arguments, which read old contents at random places, beside NumPy in
each mode. The last line says how many results were in place.
"""

import argparse
from pathlib import Path

import numpy as np
import onnx_file
import symshape_c

PROGRAMS, FLOOR_IN_PLACE = 40, 20

CACHE = """
func.func @main(%past: tensor<?x?x8xf32> {symshape.donated = 0 : i64}, %rows: tensor<?x1x8xf32>, %at: index)
    -> (tensor<?x?x8xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %present = symshape.dynamic_update_slice %rows into %past[%c0, %at, %c0]
      : tensor<?x1x8xf32> into tensor<?x?x8xf32>
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %past, %c0 : tensor<?x?x8xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.reduce ins(%present : tensor<?x?x8xf32>) outs(%init : tensor<?xf32>) dimensions = [1, 2]
    (%x: f32, %y: f32) { %z = arith.addf %x, %y : f32 linalg.yield %z : f32 }
  return %present, %sum : tensor<?x?x8xf32>, tensor<?xf32>
}
"""


def address(array):
    return array.ctypes.data


def peak_of(library, call):
    """What a call allocates at most, after one that fills the caches."""
    call()
    call.results()
    before = library.symshape_get_memory().live_bytes
    library.symshape_reset_peak()
    call()
    return library.symshape_get_memory().peak_bytes - before


def check_cache(library, folder):
    """How many results were in place."""
    path, in_place, peaks = folder / "cache.mlir", 0, []
    path.write_text(CACHE)
    program = symshape_c.Program(path, library=library)
    random = np.random.default_rng(0)
    for length in (1, 2, 33, 4096):
        past = random.standard_normal((2, length, 8)).astype(np.float32)
        expected = past.copy()
        for step in range(3):
            rows = random.standard_normal((2, 1, 8)).astype(np.float32)
            at = min(step, length - 1)
            expected[:, at : at + 1] = rows
            call = symshape_c.Call(program, [past, rows, np.array(at)])
            call()
            present, sums = call.results()
            assert address(present) == address(past), f"{length}: not in place"
            np.testing.assert_array_equal(past, expected)
            np.testing.assert_allclose(sums, expected.sum((1, 2)), rtol=1e-4, atol=1e-3)
            in_place += 1
        peaks.append(peak_of(library, symshape_c.Call(program, [past, rows, np.array(0)])))
    assert max(peaks) == min(peaks) < 1024, f"bytes for each length: {peaks}"
    # One memory for two inputs: the other one stays.
    square = np.arange(64, dtype=np.float32).reshape(8, 1, 8)
    kept = square.copy()
    present, _ = program(square, square, np.array(0))
    assert address(present) != address(square)
    np.testing.assert_array_equal(square, kept)
    return in_place


FLOAT, INT64 = 1, 7  # of ONNX


def check_model(library, path, node, axis, make_place):
    """A cache of rows along `axis` in ONNX, by the names of an input and a result: how many results were in place.

    The node takes the cache, new rows and their place, which `make_place` makes of a number.
    """
    shape = ["b", "t", 4] if axis else ["t", 4]
    new = [1 if extent == "t" else extent for extent in shape]
    inputs = {"past": (FLOAT, shape), "new": (FLOAT, new), "at": (INT64, list(make_place(0).shape))}
    path.write_bytes(onnx_file.model([node], inputs, {"present": (FLOAT, shape)}, opset=24))
    program = symshape_c.Program(path, library=library, donate={"past": "present"})
    in_place, peaks = 0, []
    for length in (1, 5, 300, 5000):
        cache = memory = np.zeros((2, length, 4) if axis else (length, 4), np.float32)  # which results do not keep
        expected = cache.copy()
        for step in range(min(length, 3)):
            rows = np.full_like(np.take(cache, [0], axis), step + 1)
            expected[(slice(None),) * axis + (step,)] = step + 1
            result, = program(cache, rows, make_place(step))
            np.testing.assert_array_equal(result, expected)
            in_place += address(result) == address(memory)
            cache = result
        peaks.append(peak_of(library, symshape_c.Call(program, [memory, rows, make_place(0)])))
    assert max(peaks) == min(peaks) < 1024, f"{path.name}: bytes for each length: {peaks}"
    return in_place


MODELS = {
    "scatter": (onnx_file.node("ScatterND", "past at new", "present"), 0, lambda step: np.array([[step]])),
    "linear": (onnx_file.node("TensorScatter", "past new at", "present"), 1, lambda step: np.array([step, step])),
    "circular": (onnx_file.node("TensorScatter", "past new at", "present", mode="circular"), 1,
                 lambda step: np.array([step, step])),
}


class RandomProgram:
    """Ops on two donated matrices and what became of them; some read what others have overwritten."""

    OPS = ("row", "row", "add", "scale", "column")

    def __init__(self, random):
        self.random, self.lines, self.steps = random, [], []
        self.values = ["x", "y"]
        for number in range(int(random.integers(1, 7))):
            op = self.OPS[random.integers(len(self.OPS))]
            operands = [self.values[random.integers(len(self.values))] for _ in range(2)]
            place = int(random.integers(0, 3))
            self.steps.append((op, operands, place))
            self.values.append(f"v{number}")
        self.results = [self.values[random.integers(len(self.values))] for _ in range(2)]

    def text(self):
        type_ = "tensor<?x4xf32>"
        lines = ["  %c0 = arith.constant 0 : index", "  %c1 = arith.constant 1 : index",
                 f"  %n = tensor.dim %x, %c0 : {type_}",
                 *(f"  %p{place} = arith.constant {place} : index" for place in range(3))]
        for number, (op, (one, two), place) in enumerate(self.steps):
            name = f"%v{number}"
            if op == "row":
                lines += [f"  %s{number} = symshape.dynamic_slice %{two}[%p{place}, %c0] sizes [1, 4] : {type_} to tensor<1x4xf32>",
                          f"  {name} = symshape.dynamic_update_slice %s{number} into %{one}[%c1, %c0] : tensor<1x4xf32> into {type_}"]
            elif op == "column":
                lines += [f"  %s{number} = symshape.dynamic_slice %{two}[%c0, %p{place}] sizes [%n, 2] : {type_} to tensor<?x2xf32>",
                          f"  {name} = symshape.dynamic_update_slice %s{number} into %{one}[%c0, %c0] : tensor<?x2xf32> into {type_}"]
            else:
                arith = "addf" if op == "add" else "mulf"
                lines.append(f"  {name} = arith.{arith} %{one}, %{two} : {type_}")
        arguments = ", ".join(f"%{name}: {type_} {{symshape.donated = {i} : i64, symshape.shape = #symshape.shape<[N, 4]>}}"
                              for i, name in enumerate("xy"))
        returned = ", ".join(f"%{name}" for name in self.results)
        return "\n".join([f"func.func @main({arguments}) -> ({type_}, {type_}) attributes "
                          "{symshape.symbols = [#symshape.symbol<\"N\", range = [1, 1000]>]} {", *lines,
                          f"  return {returned} : {type_}, {type_}", "}"])

    def expected(self, x, y):
        values = {"x": x, "y": y}
        for number, (op, (one, two), place) in enumerate(self.steps):
            first, second = values[one], values[two]
            if op in ("row", "column"):
                first = first.copy()
            if op == "row":
                first[min(1, len(first) - 1)] = second[min(place, len(second) - 1)]
            elif op == "column":
                at = min(place, 2)
                first[:, :2] = second[:, at : at + 2]
            else:
                first = first + second if op == "add" else first * second
            values[f"v{number}"] = first
        return [values[name] for name in self.results]


MODES = ({}, {"memory_plan": False}, {"threads": 2}, {"dynamic": "auto"})


def check_random(library, folder, count, seed):
    in_place = compared = 0
    for number in range(count):
        random = np.random.default_rng([seed, number])
        made = RandomProgram(random)
        path = folder / f"random-{number}.mlir"
        path.write_text(made.text())
        program = symshape_c.Program(path, library=library, **MODES[number % len(MODES)])
        for rows in (1, 2, 7, 64):
            x, y = (random.standard_normal((rows, 4)).astype(np.float32) for _ in range(2))
            expected = made.expected(x.copy(), y.copy())
            for result, wanted, own in zip(program(x, y), expected, (x, y), strict=True):
                np.testing.assert_array_equal(result, wanted, err_msg=f"{path}, seed {seed}, {rows} rows")
                in_place += address(result) == address(own)
                compared += 1
    return compared, in_place


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--programs", type=int, default=PROGRAMS)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    library = symshape_c.load(options.library)
    cache = check_cache(library, options.folder)
    models = sum(check_model(library, options.folder / f"{name}.onnx", *made) for name, made in MODELS.items())
    compared, in_place = check_random(library, options.folder, options.programs, options.seed)
    assert in_place >= FLOOR_IN_PLACE * options.programs // PROGRAMS, f"{in_place} in place"
    print(f"cache: {cache} in place; models: {models} in place; "
          f"{options.programs} random programs: {compared} results, {in_place} in place")


if __name__ == "__main__":
    main()
