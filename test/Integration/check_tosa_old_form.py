# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A network in TOSA from before version 1.0, upgraded with open extents, beside NumPy.

    check_tosa_old_form.py
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

import symrun
import tosa_old_form
from checking import Checks

# Height and width are halved by a convolution and doubled again; what is left of four
# channels becomes rows of two. Its ops are those of MediaPipe's networks.
OLD = """"builtin.module"() ({
  "func.func"() <{arg_attrs = [{ml_program.identifier = "i"}], function_type = (tensor<1x4x6x2xf32>) -> (tensor<1x48x2xf32>, tensor<1x2x3x1xf32>), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<1x4x6x2xf32>):
    %0 = "tosa.const"() {value = dense<WEIGHTS> : tensor<3x2x2x2xf16>} : () -> tensor<3x2x2x2xf16>
    %1 = "tosa.const"() {value = dense<[1.0, -2.0, 0.5]> : tensor<3xf32>} : () -> tensor<3xf32>
    %2 = "tosa.const"() {value = dense<[[0, 0], [0, 0], [0, 0], [0, 1]]> : tensor<4x2xi32>} : () -> tensor<4x2xi32>
    %3 = "tosa.const"() {value = dense<7.5> : tensor<f32>} : () -> tensor<f32>
    %4 = "tosa.const"() {value = dense<0.25> : tensor<1x1x1x4xf32>} : () -> tensor<1x1x1x4xf32>
    %5 = "tosa.const"() {value = dense<0.0> : tensor<1x1x1x1xf32>} : () -> tensor<1x1x1x1xf32>
    %6 = "tosa.cast"(%0) : (tensor<3x2x2x2xf16>) -> tensor<3x2x2x2xf32>
    %7 = "tosa.conv2d"(%arg0, %6, %1) <{dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>}> : (tensor<1x4x6x2xf32>, tensor<3x2x2x2xf32>, tensor<3xf32>) -> tensor<1x2x3x3xf32>
    %8 = "tosa.clamp"(%7) <{nan_mode = #tosa.nan_mode<PROPAGATE>}> {max_fp = 6.0 : f32, max_int = 6 : i64, min_fp = -1.0 : f32, min_int = -1 : i64} : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
    %9 = "tosa.pad"(%8, %2, %3) : (tensor<1x2x3x3xf32>, tensor<4x2xi32>, tensor<f32>) -> tensor<1x2x3x4xf32>
    %10 = "tosa.mul"(%9, %4) {shift = 0 : i8} : (tensor<1x2x3x4xf32>, tensor<1x1x1x4xf32>) -> tensor<1x2x3x4xf32>
    %11 = "tosa.greater_equal"(%9, %5) : (tensor<1x2x3x4xf32>, tensor<1x1x1x1xf32>) -> tensor<1x2x3x4xi1>
    %12 = "tosa.select"(%11, %9, %10) : (tensor<1x2x3x4xi1>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
    %13 = "tosa.resize"(%12) {border = array<i64: 1, 1>, offset = array<i64: -1, -1>, scale = array<i64: 4, 2, 4, 2>} : (tensor<1x2x3x4xf32>) -> tensor<1x4x6x4xf32>
    %14 = "tosa.reshape"(%13) {new_shape = array<i64: 1, 48, 2>} : (tensor<1x4x6x4xf32>) -> tensor<1x48x2xf32>
    %15 = "tosa.slice"(%12) {size = array<i64: 1, 2, 3, 1>, start = array<i64: 0, 0, 0, 2>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x1xf32>
    "func.return"(%14, %15) : (tensor<1x48x2xf32>, tensor<1x2x3x1xf32>) -> ()
  }) : () -> ()
}) : () -> ()
"""
WEIGHTS = np.random.default_rng(0).integers(-4, 5, (3, 2, 2, 2)).astype(np.float32) / 4


def nested(array):
    return str(array.tolist())


def double(x, axis):
    """Between two neighbours, a quarter of the way from each; the ends stay."""
    before, behind = np.take(x, [0, *range(x.shape[axis] - 1)], axis), np.take(x, [*range(1, x.shape[axis]), -1], axis)
    pairs = np.stack([(before + 3 * x) / 4, (3 * x + behind) / 4], axis + 1)
    return pairs.reshape([2 * extent if i == axis else extent for i, extent in enumerate(x.shape)])


def network(x):
    n, height, width, _ = x.shape
    blocks = x.reshape(n, height // 2, 2, width // 2, 2, 2)
    y = np.einsum("nyixjc,oijc->nyxo", blocks, WEIGHTS) + np.float32([1, -2, 0.5])
    y = np.concatenate([np.clip(y, -1, 6), np.full((*y.shape[:3], 1), 7.5, np.float32)], 3)
    y = np.where(y >= 0, y, y / 4)
    return double(double(y, 1), 2).reshape(n, -1, 2), y[..., 2:3]


def main():
    checks = Checks()
    old = OLD.replace("WEIGHTS", nested(WEIGHTS))
    rng = np.random.default_rng(1)
    sizes = {"NHW": [(1, 4, 6), (3, 2, 10), (2, 8, 2)], "N": [(1, 4, 6), (5, 4, 6)], "": [(1, 4, 6)]}
    refused = {"NHW": [(1, 5, 6), (1, 4, 0)], "N": [(2, 4, 8)], "": [(2, 4, 6)]}
    with tempfile.TemporaryDirectory(prefix="symshape") as folder:
        path = Path(folder) / "new.mlir"
        for axes, extents in sizes.items():
            path.write_text(tosa_old_form.upgrade(old, range(len(axes))))
            calls = [[rng.random((*size, 2), np.float32) * 4 - 2] for size in extents]
            run = symrun.run(path, calls, results=2, options=["--guard-pages"])
            if checks.ran(run, len(calls), f"open {axes}"):
                for (images,), results in zip(calls, run.results):
                    for result, expected in zip(results, network(images)):
                        checks.close(result, expected.astype(np.float32), 1e-5, f"open {axes}, {images.shape}")
            for size in refused[axes]:
                run = symrun.run(path, [[np.zeros((*size, 2), np.float32)]], results=2)
                checks.refused(run, ["%arg0"], f"open {axes}, {size}")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
