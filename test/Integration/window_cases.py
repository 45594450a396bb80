# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions, pooling, and generic ops that read windows, to be differentiated.

Letters name axes: n batch, g group, c and f channels, m multiplier, dhw the image
and kij the window. Image and window are dynamic, the other axes of some. Not for:
how derivatives are checked (derivatives.py).
"""

import itertools

import numpy as np

from derivative_cases import Raw

CONVOLUTIONS = {
    "conv_1d": ("w", "j", "w"),
    "conv_2d": ("hw", "ij", "hw"),
    "conv_3d": ("dhw", "kij", "dhw"),
    "conv_1d_ncw_fcw": ("ncw", "fcj", "nfw"),
    "conv_1d_nwc_wcf": ("nwc", "jcf", "nwf"),
    "conv_2d_nchw_fchw": ("nchw", "fcij", "nfhw"),
    "conv_2d_nhwc_hwcf": ("nhwc", "ijcf", "nhwf"),
    "conv_2d_nhwc_fhwc": ("nhwc", "fijc", "nhwf"),
    "conv_2d_ngchw_fgchw": ("ngchw", "fgcij", "ngfhw"),
    "conv_2d_ngchw_gfchw": ("ngchw", "gfcij", "ngfhw"),
    "conv_2d_nhwgc_gfhwc": ("nhwgc", "gfijc", "nhwgf"),
    "conv_3d_ncdhw_fcdhw": ("ncdhw", "fckij", "nfdhw"),
    "conv_3d_ndhwc_dhwcf": ("ndhwc", "kijcf", "ndhwf"),
    "depthwise_conv_1d_ncw_cw": ("ncw", "cj", "ncw"),
    "depthwise_conv_1d_nwc_wc": ("nwc", "jc", "nwc"),
    "depthwise_conv_1d_nwc_wcm": ("nwc", "jcm", "nwcm"),
    "depthwise_conv_2d_nchw_chw": ("nchw", "cij", "nchw"),
    "depthwise_conv_2d_nhwc_hwc": ("nhwc", "ijc", "nhwc"),
    "depthwise_conv_2d_nhwc_hwcm": ("nhwc", "ijcm", "nhwcm"),
    "depthwise_conv_3d_ncdhw_cdhw": ("ncdhw", "ckij", "ncdhw"),
    "depthwise_conv_3d_ndhwc_dhwc": ("ndhwc", "kijc", "ndhwc"),
    "depthwise_conv_3d_ndhwc_dhwcm": ("ndhwc", "kijcm", "ndhwcm"),
}
WINDOWS = {"w": "j", "hw": "ij", "dhw": "kij"}
POOLS = {f"pooling_{layout}_{kind}": (layout, WINDOWS["".join(c for c in layout if c in "dhw")], layout)
         for kind, layouts in (("sum", "nchw ncw ndhwc nhwc nwc"), ("max", "nchw ncw ndhwc nhwc nwc"),
                               ("min", "ndhwc nhwc nwc"))
         for layout in layouts.split()}
AXIS = {"j": "w", "i": "h", "k": "d"}
# Of the window, of the result, and how much of the image is beyond the last one.
SIZES = [(3, 2, 0), (2, 3, 1), (1, 1, 0), (2, 0, 0), (0, 2, 1), (3, 1, 2)]
STEPS = [(1, 1), (2, 1), (1, 2), (3, 2)]
# Of the axes that are neither image nor window.
OTHERS = {"N": 2, "G": 2, "C": 3, "F": 2, "M": 2}


class Window:
    """One op with one stride and one dilation."""

    def __init__(self, name, letters, stride=1, dilation=1, dynamic=False, before="mulf"):
        self.op, self.letters, self.stride, self.dilation = name, letters, stride, dilation
        self.before = before  # what is done to the image and itself
        self.extents = {} if dynamic else OTHERS
        self.name = f"{name}_stride_{stride}_dilation_{dilation}{'_dynamic' * dynamic}"
        self.has_steps = "_n" in name  # conv_1d, conv_2d and conv_3d have neither

    def dims(self, operand):
        """The extents of image, window or result: symbols, or numbers."""
        return [{"x": "X", "k": "K", "y": "Y"}[operand] + AXIS.get(letter, letter) if letter in "dhwkij"
                else self.extents.get(letter.upper(), letter.upper())
                for letter in self.letters["xky".index(operand)]]

    def type(self, operand):
        dims = ("?" if isinstance(dim, str) else str(dim) for dim in self.dims(operand))
        return f"tensor<{'x'.join([*dims, 'f64'])}>"

    def argument(self, operand):
        dims = ", ".join(map(str, self.dims(operand)))
        return f"%{operand}: {self.type(operand)} {{symshape.shape = #symshape.shape<[{dims}]>}}"

    def text(self):
        x, k, y = map(self.type, "xky")
        spatial = sum(letter in "dhw" for letter in self.letters[0])
        steps = (f" {{strides = dense<{self.stride}> : tensor<{spatial}xi64>,"
                 f" dilations = dense<{self.dilation}> : tensor<{spatial}xi64>}}" if self.has_steps else "")
        return f"""func.func @main({', '.join(map(self.argument, 'xky'))}) -> {y} {{
  %s = arith.{self.before} %x, %x : {x}
  %r = linalg.{self.op}{steps} ins(%s, %k : {x}, {k}) outs(%y : {y}) -> {y}
  return %r : {y}
}}
"""

    def bindings(self):
        for window, result, rest in SIZES:
            sizes = dict(OTHERS)
            # The last axis is odd where others are even.
            for number, letter in enumerate(letter for letter in self.letters[0] if letter in "dhw"):
                ker, res = window + number % 2 * (window > 1), result + number % 2 * (result > 1)
                sizes |= {"K" + letter: ker, "Y" + letter: res,
                          "X" + letter: max(res - 1, 0) * self.stride + max(ker - 1, 0) * self.dilation + 1 + rest}
            yield sizes
        if not self.extents:
            yield sizes | {"N": 0, "C": 0}

    def definition(self, x, k, y):
        x, result, of_x, of_k, of_y = x * x if self.before == "mulf" else x + x, y.copy(), *self.letters
        spatial = [letter for letter in of_y if letter in "dhw"]
        window = {AXIS[letter]: n for letter, n in zip(of_k, k.shape) if letter in AXIS}
        combine = {"max": np.maximum, "min": np.minimum}.get(self.op[-3:], np.add)
        if not all(y.shape[of_y.index(letter)] for letter in spatial):
            return [result]
        for at in itertools.product(*(range(window[letter]) for letter in spatial)):
            at = dict(zip(spatial, at))
            steps = [slice(None)] * x.ndim
            for letter, place in at.items():
                begin, count = place * self.dilation, y.shape[of_y.index(letter)]
                steps[of_x.index(letter)] = slice(begin, begin + (count - 1) * self.stride + 1, self.stride)
            part = x[tuple(steps)]
            if self.op.startswith("pooling"):
                result = combine(result, part)
                continue
            filter_at = tuple(at[AXIS[letter]] if letter in AXIS else slice(None) for letter in of_k)
            rest = "".join(letter for letter in of_k if letter not in AXIS)
            result = result + np.einsum(f"{of_x},{rest}->{of_y}", part, k[filter_at])
        return [result]

    def make(self, rng, name, shape, sizes):
        # What extrema start with is beyond some elements, and not beyond others.
        return rng.uniform(0.5, 1.5, shape) if name == "y" else None

    def case(self):
        inputs = {operand: ("f64", self.dims(operand)) for operand in "xky"}
        active = ["x", "y"] if self.op.startswith("pooling") else ["x", "k", "y"]
        return Raw(self.name, inputs, [], [], active, make=self.make, mlir=self.text(),
                   definition=self.definition), list(self.bindings()), True


def named(ops):
    """Each op once, in turn with each stride and dilation."""
    for number, (name, letters) in enumerate(ops.items()):
        yield Window(name, letters, *STEPS[number % len(STEPS)] if "_n" in name else ()).case()


def convolutions():
    yield from named(CONVOLUTIONS)
    for steps in STEPS:
        yield Window("conv_1d_ncw_fcw", CONVOLUTIONS["conv_1d_ncw_fcw"], *steps, dynamic=True).case()


def pools():
    yield from named(POOLS)
    # The derivative of two that are equal is the mean, as it is of differences.
    window = Window("pooling_nwc_max", POOLS["pooling_nwc_max"], before="addf")
    window.name = "pooling_of_equal_maxima"
    window.make = lambda rng, name, shape, sizes: np.full(shape, 2.0 if name == "x" else 0.0)
    yield window.case()[0], [{"Kw": 2, "Yw": n, "Xw": n + 1} for n in (1, 3)], False


GENERIC = """func.func @main(%x: tensor<{x}xf64> {{symshape.shape = #symshape.shape<{xs}>}}, %k: tensor<{k}xf64> {{symshape.shape = #symshape.shape<{ks}>}}, %y: tensor<{y}xf64> {{symshape.shape = #symshape.shape<{ys}>}}) -> tensor<{y}xf64> {{
  %r = linalg.generic {{indexing_maps = [affine_map<({loops}) -> ({xm})>, affine_map<({loops}) -> ({km})>, affine_map<({loops}) -> ({ym})>], iterator_types = [{iterators}]}} ins(%x, %k : tensor<{x}xf64>, tensor<{k}xf64>) outs(%y : tensor<{y}xf64>) {{
  ^bb0(%a: f64, %b: f64, %o: f64):
    %q = math.sin %a : f64
    %p = arith.mulf %q, %b : f64
    %v = arith.addf %o, %p : f64
    linalg.yield %v : f64
  }} -> tensor<{y}xf64>
  return %r : tensor<{y}xf64>
}}
"""


def generic(name, maps, dims, iterators, bindings, definition):
    loops = sorted({c for m in maps for c in m if c.isalpha() and c not in "mod floordiv"})
    fields = {"loops": ", ".join(loops), "iterators": ", ".join(f'"{it}"' for it in iterators)}
    for operand, map_, of in zip("xky", maps, dims):
        fields |= {operand: "x".join("?" * len(of)), operand + "s": f"[{', '.join(of)}]", operand + "m": map_}
    inputs = {operand: ("f64", list(of)) for operand, of in zip("xky", dims)}
    return Raw(name, inputs, [], [], ["x", "k", "y"], mlir=GENERIC.format(**fields), definition=definition), \
        bindings, True


def generics():
    """Maps that are neither permutations nor those of a named op."""
    def windows(x, k, y):
        return [y + sum(np.sin(x[2 * np.arange(len(y)) + 3 * b + 1]) * k[b] for b in range(len(k)))]
    yield generic("image_between_others", ["a * 2 + b * 3 + 1", "b", "a"], ["X", "K", "Y"],
                  ["parallel", "reduction"], [{"X": 12, "K": 3, "Y": 2}, {"X": 2, "K": 1, "Y": 1},
                                              {"X": 3, "K": 0, "Y": 2}, {"X": 0, "K": 2, "Y": 0}], windows)

    def diagonal(x, k, y):
        n = np.arange(len(y))
        return [y + np.sin(x[n, n]) * k]
    yield generic("diagonal_of_a_matrix", ["a, a", "a", "a"], [["M", "M"], "M", "M"], ["parallel"],
                  [{"M": 3}, {"M": 1}, {"M": 0}], diagonal)

    def reversed_windows(x, k, y):
        return [y + sum(np.sin(x[np.arange(len(y)) - b + 2]) * k[b] for b in range(len(k)))]
    yield generic("window_that_runs_backwards", ["a - b + 2", "b", "a"], ["X", "K", "Y"], ["parallel", "reduction"],
                  [{"X": 6, "K": 3, "Y": 4}, {"X": 5, "K": 1, "Y": 1}, {"X": 4, "K": 0, "Y": 2}], reversed_windows)

    def halves(x, k, y):
        return [y + np.sin(x[np.arange(len(y)) // 2]) * k]
    yield generic("each_element_twice", ["a floordiv 2", "a", "a"], ["X", "Y", "Y"], ["parallel"],
                  [{"X": 3, "Y": 5}, {"X": 1, "Y": 1}, {"X": 1, "Y": 0}], halves)

    def first(x, k, y):
        return [y + np.sin(x[:1]) * k if len(y) else y]
    yield generic("one_element_for_all", ["0", "a", "a"], ["X", "Y", "Y"], ["parallel"],
                  [{"X": 1, "Y": 3}, {"X": 2, "Y": 1}, {"X": 0, "Y": 0}], first)

    def spread(x, k, y):
        result = y.copy()
        for a in range(len(x)):
            for b in range(len(k)):
                result[a + b] += np.sin(x[a]) * k[b]
        return [result]
    yield generic("result_in_windows", ["a", "b", "a + b"], ["X", "K", "Y"], ["reduction", "reduction"],
                  [{"X": 3, "K": 2, "Y": 4}, {"X": 1, "K": 1, "Y": 3}, {"X": 0, "K": 2, "Y": 2}], spread)
