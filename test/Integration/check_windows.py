# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions and pooling beside NumPy: every layout, stride, dilation and tail.

    check_windows.py [--cpu=NAME] KIND...

Each variant is one program with dynamic height and width, run with guard pages
and, every other one, again with all buffers in one arena.
"""

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import symrun
from checking import Checks, split_arguments, turn

TOLERANCE = 2e-5
# Height and width of the result: nothing, single elements, and around the number
# of lanes and of lanes in a tile.
RESULTS = [(0, 3), (3, 0), (1, 1), (2, 2), (3, 15), (4, 16), (5, 17), (1, 31), (2, 32), (9, 33), (3, 47),
           (2, 64), (2, 79)]


@dataclass
class Variant:
    """One op. `x`, `f`, `y`: the letters of input, filter and result."""

    op: str
    x: str
    f: str
    y: str
    kernel: tuple = (3, 3)
    stride: int = 1
    dilation: int = 1
    padding: int = 0
    channels: tuple = (5, 7)  # of input and result, per group
    epilogue: bool = False
    batch: int = 2
    groups: int = 3
    dynamic: bool = False  # channels and window too

    def extents(self, letters, height, width):
        of = {"n": self.batch, "g": self.groups, "c": self.channels[0], "f": self.channels[1],
              "h": height, "w": width, "i": self.kernel[0], "j": self.kernel[1]}
        return tuple(of[letter] for letter in letters)

    def type(self, letters):
        shape = self.extents(letters, "?", "?")
        known = [e if letter in "ng" or not self.dynamic else "?" for letter, e in zip(letters, shape)]
        return f"tensor<{'x'.join(map(str, known))}xf32>"

    def name(self):
        return (f"{self.op} {self.kernel} stride {self.stride} dilation {self.dilation} padding {self.padding}"
                f" channels {self.channels}{' epilogue' * self.epilogue}{' dynamic' * self.dynamic}")

    def initial(self):
        return {"max": "0xFF800000", "min": "0x7F800000"}.get(self.op[-3:], "0.25")

    def program(self):
        x, f, y = self.type(self.x), self.type(self.f), self.type(self.y)
        pads = ", ".join(str(self.padding if letter in "hw" else 0) for letter in self.x)
        indices = ", ".join(f"%p{i}: index" for i in range(len(self.x)))
        padded = "" if not self.padding else f"""
  %q = tensor.pad %x low[{pads}] high[{pads}] {{
  ^bb0({indices}):
    tensor.yield %zero : f32
  }} : {x} to {x}"""
        last = "r"
        after = ""
        if self.epilogue:
            letters = ", ".join(f"d{i}" for i in range(len(self.y)))
            last, after = "s", f"""
  %s = linalg.generic {{indexing_maps = [affine_map<({letters}) -> ({letters})>,
                                        affine_map<({letters}) -> ({letters})>],
                       iterator_types = [{', '.join(['"parallel"'] * len(self.y))}]}}
      ins(%r : {y}) outs(%e : {y}) {{
  ^bb0(%a: f32, %out: f32):
    %0 = arith.addf %a, %a : f32
    %1 = arith.maximumf %0, %zero : f32
    linalg.yield %1 : f32
  }} -> {y}"""
        return f"""func.func @main(%x: {x}, %f: {f}, %e: {y}) -> {y} {{
  %zero = arith.constant 0.0 : f32
  %start = arith.constant {self.initial()} : f32{padded}
  %init = linalg.fill ins(%start : f32) outs(%e : {y}) -> {y}
  %r = linalg.{self.op} {{strides = dense<{self.stride}> : tensor<2xi64>,
                         dilations = dense<{self.dilation}> : tensor<2xi64>}}
      ins(%{'q' if self.padding else 'x'}, %f : {x}, {f}) outs(%init : {y}) -> {y}{after}
  return %{last} : {y}
}}
"""

    def call(self, rng, height, width):
        reach = [(k - 1) * self.dilation + 1 for k in self.kernel]
        size = [max((n - 1) * self.stride + r - 2 * self.padding, 0) if n else max(r - 1 - 2 * self.padding, 0)
                for n, r in zip((height, width), reach)]
        x = rng.integers(-8, 9, self.extents(self.x, *size)).astype(np.float32) / 8
        f = rng.integers(-8, 9, self.extents(self.f, 0, 0)).astype(np.float32) / 8
        grown = [e + 2 * self.padding if letter in "hw" else e for e, letter in zip(x.shape, self.x)]
        result = [max((grown[self.x.index(letter)] - r) // self.stride + 1, 0) for letter, r in zip("hw", reach)]
        return [x, f, np.zeros(self.extents(self.y, *result), np.float32)]

    def expected(self, x, f, e):
        pads = [(self.padding, self.padding) if letter in "hw" else (0, 0) for letter in self.x]
        x = np.pad(x, pads)
        size = [e.shape[self.y.index(letter)] for letter in "hw"]
        y = np.full(e.shape, np.float32(0.25) if self.initial() == "0.25" else
                    (-np.inf if self.op.endswith("max") else np.inf), np.float32)
        combine = {"max": np.maximum, "min": np.minimum}.get(self.op[-3:], np.add)
        for i in range(self.kernel[0]):
            for j in range(self.kernel[1]):
                steps = [slice(None)] * x.ndim
                for letter, at, n in zip("hw", (i, j), size):
                    begin = at * self.dilation
                    steps[self.x.index(letter)] = slice(begin, begin + (n - 1) * self.stride + 1 if n else begin,
                                                        self.stride)
                part = x[tuple(steps)]
                if self.op.startswith("pooling"):
                    y = combine(y, np.einsum(f"{self.x}->{self.y}", part))
                    continue
                at = tuple({"i": i, "j": j}.get(letter, slice(None)) for letter in self.f)
                rest = self.f.replace("i", "").replace("j", "")
                y = y + np.einsum(f"{self.x},{rest}->{self.y}", part.astype(np.float64), f[at].astype(np.float64))
        return np.maximum(2 * y, 0) if self.epilogue else y


def around(kind, x, f, y, **fixed):
    """A kind with each stride, dilation, padding and epilogue, and odd windows."""
    def make(**more):
        return Variant(kind, x, f, y, **{**fixed, **more})
    return [make(), make(stride=2), make(stride=3, epilogue=True), make(dilation=2, epilogue=True),
            make(padding=1, epilogue=True), make(stride=2, dilation=2, padding=1), make(kernel=(1, 1)),
            make(kernel=(2, 5), epilogue=True), make(kernel=(7, 7), stride=2),
            make(dynamic=True, epilogue=True)]


def pools(layout, kinds):
    return [v for kind in kinds
            for v in around(f"pooling_{layout}_{kind}", layout, "ij", layout)
            if not (v.padding and kind != "sum")]


KINDS = {
    "nchw": around("conv_2d_nchw_fchw", "nchw", "fcij", "nfhw")
            + [Variant("conv_2d_nchw_fchw", "nchw", "fcij", "nfhw", channels=c, batch=1, epilogue=True)
               for c in ((1, 1), (3, 11), (2, 12), (4, 25), (16, 32))],
    "nhwc": around("conv_2d_nhwc_hwcf", "nhwc", "ijcf", "nhwf")
            + [Variant("conv_2d_nhwc_hwcf", "nhwc", "ijcf", "nhwf", channels=c, batch=1, epilogue=True)
               for c in ((1, 16), (3, 32), (2, 33), (4, 64), (16, 15))],
    "grouped": around("conv_2d_ngchw_gfchw", "ngchw", "gfcij", "ngfhw", channels=(2, 3)),
    "depthwise-nchw": around("depthwise_conv_2d_nchw_chw", "nchw", "cij", "nchw"),
    "depthwise-nhwc": around("depthwise_conv_2d_nhwc_hwc", "nhwc", "ijc", "nhwc", channels=(19, 0)),
    "pooling-nchw": pools("nchw", ["max", "sum"]),
    "pooling-nhwc": [v for kind in ("max", "sum", "min")
                     for v in around(f"pooling_nhwc_{kind}", "nhwc", "ij", "nhwc", channels=(35, 0))
                     if not (v.padding and kind != "sum")],
}


def check(checks, variant, number, folder, cpu):
    rng = np.random.default_rng(7)
    calls = [variant.call(rng, *size) for size in RESULTS]
    path = folder / "program.mlir"
    path.write_text(variant.program())
    for option in ("--guard-pages", *turn(["--plan-memory=on"], number)):
        what = f"{variant.name()} {option}"
        run = symrun.run(path, calls, options=[option, *cpu])
        if not checks.ran(run, len(calls), what):
            continue
        for call, (actual,) in zip(calls, run.results):
            checks.close(actual, variant.expected(*call), TOLERANCE, f"{what} at {call[2].shape}")


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="windows") as folder:
        cpu, kinds = split_arguments(sys.argv[1:])
        for kind in kinds:
            for number, variant in enumerate(KINDS[kind]):
                check(checks, variant, number, Path(folder), cpu)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
