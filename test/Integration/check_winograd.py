# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions of 3 x 3 by patches (Winograd's algorithm) beside NumPy.

    check_winograd.py [--cpu=NAME]

Sizes lie on both sides of the choice, with patches that stick out of the result. The program has the
functions of the algorithm where the numbers of channels repay it, and only there. Threads do not change
a bit; an element differs by at most TOLERANCE of the largest result.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import symrun
from checking import Checks
from onnx_file import FLOAT, model, node

TOLERANCE = 4e-6
# Of inputs and results; with fewer than 16, or many of both, a convolution is computed directly.
BY_PATCHES = [(16, 16), (64, 64), (33, 70), (17, 130), (256, 16)]
DIRECT = [(15, 64), (64, 15), (264, 256)]
IMAGES = [(1, 56, 56), (2, 33, 65), (3, 25, 8), (1, 57, 58), (0, 5, 5), (1, 1, 1), (1, 2, 40), (5, 4, 1), (1, 30, 31), (2, 4, 4)]


def convolve(x, w, bias, pads, residual):
    top, left, bottom, right = pads
    x = np.pad(x.astype(np.float64), [(0, 0), (0, 0), (top, bottom), (left, right)])
    height, width = x.shape[2] - 2, x.shape[3] - 2
    y = bias.reshape(-1, 1, 1).astype(np.float64)
    for i in range(3):
        for j in range(3):
            y = y + np.einsum("nchw,fc->nfhw", x[:, :, i:i + height, j:j + width], w[:, :, i, j].astype(np.float64))
    y = np.maximum(y, 0)
    return y + residual if residual is not None else y


def check(checks, folder, channels, features, pads, options):
    rng = np.random.default_rng(channels * features)
    w = (rng.standard_normal((features, channels, 3, 3)) * (9 * channels)**-0.5).astype(np.float32)
    bias = rng.standard_normal(features).astype(np.float32)
    adds = pads == [1] * 4 and channels == features
    nodes = [node("Conv", "x w b", "c", kernel_shape=[3, 3], pads=pads), node("Relu", "c", "r" if adds else "y")]
    if adds:
        nodes.append(node("Add", "r x", "y"))
    path = folder / "convolution.onnx"
    path.write_bytes(model(nodes, {"x": (FLOAT, ["N", channels, "H", "W"])}, ["y"], {"w": w, "b": bias}))
    images = [rng.standard_normal((n, channels, h, wide)).astype(np.float32) for n, h, wide in IMAGES
              if h + pads[0] + pads[2] > 2 and wide + pads[1] + pads[3] > 2]
    calls = [[image] for image in images]
    what = f"{channels} to {features}, pads {pads}"
    run, threaded = (symrun.run(path, calls, options=[*more, *options]) for more in (["--guard-pages"], ["--threads=2"]))
    if not (checks.ran(run, len(calls), what) and checks.ran(threaded, len(calls), f"{what}, threads")):
        return
    for image, (actual,), (other,) in zip(images, run.results, threaded.results):
        expected = convolve(image, w, bias, pads, image if adds else None)
        scale = np.abs(expected).max(initial=1e-30)
        checks.close(actual / scale, expected / scale, TOLERANCE, f"{what} at {image.shape}")
        checks.that(np.array_equal(actual, other), f"{what} at {image.shape}: threads change nothing")
    imported = folder / "convolution.mlir"
    subprocess.run(["symshape-onnx", "import", path, "-o", imported], check=True)
    lowered = subprocess.run(["symshape-opt", "--symshape-cpu", imported], check=True, capture_output=True, text=True).stdout
    has = "@symshape.winograd.input" in lowered
    checks.that(has == ((channels, features) in BY_PATCHES), f"{what}: by patches or not")


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="winograd") as folder:
        for channels, features in BY_PATCHES + DIRECT:
            check(checks, Path(folder), channels, features, [1] * 4, sys.argv[1:])
        check(checks, Path(folder), 64, 64, [0, 2, 1, 0], sys.argv[1:])
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
