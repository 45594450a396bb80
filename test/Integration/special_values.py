# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Float types, their special values, and what ops of math and arith give for them.

The reference is the C library in double precision, through ctypes, rounded once to the
type; it shares nothing with the compiler.
"""

import ctypes
import ctypes.util

import numpy as np

LIBM = ctypes.CDLL(ctypes.util.find_library("m"))


def function_of_c(name, arity):
    function = getattr(LIBM, name)
    function.restype = ctypes.c_double
    function.argtypes = [ctypes.c_double] * arity
    return np.vectorize(function, otypes=[np.float64])


class Float:
    """A float type: NumPy's array of its bits or numbers, and conversions from and to float64."""

    def __init__(self, name, precision, largest, least, ulps):
        self.name, self.precision, self.largest, self.least, self.ulps = name, precision, largest, least, ulps
        self.carrier = {"f16": "i16", "bf16": "i16"}.get(name, name)

    def encode(self, values):
        if self.name == "f64":
            return values.astype(np.float64)
        if self.name == "f32":
            return values.astype(np.float32)
        if self.name == "f16":
            return values.astype(np.float16).view(np.int16)
        return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16).view(np.int16)

    def decode(self, array):
        if self.name == "f16":
            return array.view(np.float16).astype(np.float64)
        if self.name == "bf16":
            return (array.view(np.uint16).astype(np.uint32) << 16).view(np.float32).astype(np.float64)
        return array.astype(np.float64)

    def spacing(self, values):
        """The distance of neighbours around finite values."""
        with np.errstate(divide="ignore"):
            exponent = np.floor(np.log2(np.where(values == 0, 1, np.abs(values))))
        exponent = np.where(values == 0, -2000, exponent)
        return np.maximum(np.ldexp(1.0, np.maximum(exponent - self.precision + 1, -1074).astype(int)), self.least)

    def specials(self):
        p = self.precision
        eps = 2.0 ** (1 - p)
        normal = self.least * 2.0 ** (p - 1)
        positive = [0.0, 1, 2, 3, 4, 5, 0.5, 1.5, 2.5, 0.1, 10, 100, 1.5707963, 3.1415926, self.least, 3 * self.least,
                    normal, normal - self.least, self.largest, 1 + eps, 1 - eps / 2, 2.0**p - 1, 2.0 ** (p - 1) + 1,
                    2.0 ** (p - 2) + 0.5, eps / 4, np.inf]
        values = np.array(positive + [-v for v in positive] + [np.nan], np.float64)
        encoded = self.encode(values)
        bits = np.unique(encoded.view(f"i{encoded.itemsize}"))  # of which both zeros have their own
        return bits.view(encoded.dtype)


TYPES = [Float("f16", 11, 65504.0, 2.0**-24, 1), Float("bf16", 8, (2 - 2.0**-7) * 2.0**127, 2.0**-133, 1),
         Float("f32", 24, float(np.finfo(np.float32).max), 2.0**-149, 4),
         Float("f64", 53, float(np.finfo(np.float64).max), 2.0**-1074, 4)]


def agree(type_, actual, exact, any_zero=False):
    """Where an array of the type is right: NaN, infinities and signs of zero as they must be, numbers near."""
    with np.errstate(all="ignore"):
        rounded = type_.decode(type_.encode_nearest(exact))
        near = np.abs(actual - exact) <= type_.ulps * type_.spacing(rounded)
        fixed = ~np.isfinite(rounded) | (exact == 0)
        same = (actual == rounded) & (any_zero | (np.signbit(actual) == np.signbit(rounded)))
        return np.where(np.isnan(rounded), np.isnan(actual), np.where(fixed, same, near & np.isfinite(actual)))


def encode_nearest(self, values):
    """Rounded once; bf16 by hand, since NumPy has none."""
    if self.name != "bf16":
        return self.encode(values)
    bits = values.astype(np.float32).view(np.uint32)
    rounded = bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
    rounded = np.where(np.isnan(values), np.uint32(0x7FC00000), rounded)
    return (rounded >> np.uint32(16)).astype(np.uint16).view(np.int16)


Float.encode_nearest = encode_nearest


def rounded_even(x):
    return np.copysign(np.rint(x), x)


def maximum(pick):
    def run(x, y):
        result = np.where(x == y, np.where((np.signbit(x) if pick is np.minimum else ~np.signbit(x)), x, y), pick(x, y))
        return np.where(np.isnan(x) | np.isnan(y), np.nan, result)

    return run


def clamp(x, low, high):
    return maximum(np.minimum)(maximum(np.maximum)(x, low), high)


C1 = "acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp2 expm1 floor log log10 log1p log2 round sin " \
     "sinh sqrt tan tanh trunc".split()
UNARY = {f"math.{name}": function_of_c(name, 1) for name in C1}
UNARY |= {"math.absf": np.abs, "math.roundeven": rounded_even, "math.rsqrt": lambda x: 1 / np.sqrt(x),
          "arith.negf": np.negative}
BINARY = {"math.powf": function_of_c("pow", 2), "math.atan2": function_of_c("atan2", 2), "math.copysign": np.copysign,
          "arith.remf": function_of_c("fmod", 2), "arith.addf": np.add, "arith.subf": np.subtract,
          "arith.mulf": np.multiply, "arith.divf": np.divide, "arith.maximumf": maximum(np.maximum),
          "arith.minimumf": maximum(np.minimum), "arith.maxnumf": np.fmax, "arith.minnumf": np.fmin}
ANY_ZERO = {"arith.maxnumf", "arith.minnumf"}  # of two zeros, either
