# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The gradient of one encoder layer of examples/minilm by its inputs and weights.

    check_encoder_gradient.py BUILD OPT EXAMPLE-FOLDER

In f64, with random weights, at several shapes from one compilation: the derivative
along a random direction of each argument, by central differences, beside the
product of the direction with the gradient that @layer.vjp gives.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "utils"))

import numpy as np

import symrun
import symshape_c

sys.path.insert(0, sys.argv[3])
import program

SHAPES = [(1, 1), (2, 5)]
STEP = 1e-5
TOLERANCE = 1e-6


def make_derivative(build, opt, folder):
    """@layer.vjp in f64, without what it does not call."""
    text = program.functions().replace("f32", "f64").replace("0xFF800000", "0xFFF0000000000000")
    source, derived = Path(folder) / "layer.mlir", Path(folder) / "derived.mlir"
    source.write_text(text)
    subprocess.run([opt, source, "--symshape-vjp=function=layer", "-o", derived], check=True)
    derived.write_text(derived.read_text().replace("func.func private @layer.vjp(", "func.func @layer.vjp("))
    return derived, symshape_c.Program(derived, library=Path(build) / "lib" / "libSymShapeC.so", entry="layer.vjp")


def check_guarded(module, calls):
    """Each call once more, where every buffer ends, and then begins, at an inaccessible page: the same, and
    nothing is left."""
    run = symrun.run(module, [call for call, _ in calls], entry="layer.vjp", results=len(calls[0][1]),
                     options=["--guard-pages"])
    if run.status or len(run.results) != len(calls) or run.live != 0:
        sys.exit(f"--guard-pages: exit status {run.status}, {run.live} blocks left\n{run.stderr}")
    for (_, expected), actual in zip(calls, run.results):
        if any(symrun.largest_difference(a, e) > 1e-9 for a, e in zip(actual, expected)):
            sys.exit("--guard-pages: other gradients")


def main():
    build, opt = sys.argv[1:3]
    rng = np.random.default_rng(3)
    weights = []
    for _, type_, _ in program.LAYER_WEIGHTS:
        shape = program.shape_of(type_)
        weight = rng.standard_normal(shape) / np.sqrt(shape[-1] if len(shape) > 1 else 4)
        weights.append(weight)
    with tempfile.TemporaryDirectory() as folder:
        module, derivative = make_derivative(build, opt, folder)
        check_at_shapes(derivative, module, weights, rng)


def check_at_shapes(derivative, module, weights, rng):
    worst, count, calls = 0.0, 0, []
    for batch, length in SHAPES:
        hidden = rng.standard_normal((batch, length, 384))
        arguments = [hidden, rng.standard_normal((batch, length)), *weights]
        cotangent = rng.standard_normal(hidden.shape)
        results = derivative(*arguments, cotangent)
        calls.append(([*arguments, cotangent], results))
        gradients = results[1:]
        assert len(gradients) == len(arguments)
        for number, gradient in enumerate(gradients):
            direction = rng.standard_normal(arguments[number].shape)
            direction /= np.linalg.norm(direction)
            ends = []
            for sign in (1, -1):
                moved = list(arguments)
                moved[number] = arguments[number] + sign * STEP * direction
                ends.append((derivative(*moved, cotangent)[0] * cotangent).sum())
            expected, actual = (ends[0] - ends[1]) / (2 * STEP), (gradient * direction).sum()
            scale = max(np.linalg.norm(gradient), np.linalg.norm(cotangent))
            worst, count = max(worst, abs(actual - expected) / scale), count + 1
    check_guarded(module, calls)
    print(f"{count} directions, {len(SHAPES)} shapes: largest difference {worst:.1e}")
    if not worst < TOLERANCE:
        sys.exit(f"expected differences below {TOLERANCE}")


if __name__ == "__main__":
    main()
