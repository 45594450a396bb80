# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of chlo, as check_text.py has those of StableHLO.

    check_chlo.py LIBRARY FOLDER
"""

import functools
import math

import numpy as np
from text_programs import PROGRAMS, SIZES, floats, main, program, random


def digamma(x):
    """By the asymptotic series, behind as many steps of the recurrence."""
    if x < 0.5:
        return digamma(1 - x) - np.pi / np.tan(np.pi * x)
    below = 0
    while x < 20:
        below, x = below + 1 / x, x + 1
    return np.log(x) - 1 / (2 * x) - 1 / (12 * x**2) + 1 / (120 * x**4) - 1 / (252 * x**6) - below


def bessel_i1e(x):
    terms = [math.exp((2 * k + 1) * math.log(abs(x) / 2) - math.lgamma(k + 1) - math.lgamma(k + 2) - abs(x))
             for k in range(120)] if x else [0]
    return math.copysign(math.fsum(terms), x)


def zeta(x, q):
    """By its first terms, and half of the next one with the integral from there."""
    terms = [(q + k) ** -x for k in range(20000)]
    return math.fsum(terms + [(q + 20000) ** (1 - x) / (x - 1), (q + 20000) ** -x / 2])


# Each with its function of a float, and where its arguments lie.
FUNCTIONS = {"acos": (math.acos, -1, 1), "acosh": (math.acosh, 1, 90), "asin": (math.asin, -1, 1),
             "asinh": (math.asinh, -90, 90), "atan": (math.atan, -90, 90), "atanh": (math.atanh, -0.99, 0.99),
             "cosh": (math.cosh, -4, 4), "sinh": (math.sinh, -4, 4), "tan": (math.tan, -1.5, 1.5),
             "erf": (math.erf, -3, 3), "erfc": (math.erfc, -3, 3), "square": (lambda x: x * x, -9, 9),
             "bessel_i1e": (bessel_i1e, -40, 40),
             "lgamma": (math.lgamma, -4.9, 40), "digamma": (digamma, -4.9, 40)}


def functions_text(type_):
    calls = "\n".join(f"  %{name} = chlo.{name} %x : {type_} -> {type_}" for name in (*FUNCTIONS, "erf_inv"))
    return f"""
func.func @main(%x: {type_}) -> ({", ".join([type_] * (len(FUNCTIONS) + 1))}) {{
{calls}
  return {", ".join("%" + name for name in (*FUNCTIONS, "erf_inv"))} : {", ".join([type_] * (len(FUNCTIONS) + 1))}
}}"""


def check_functions(run, dtype, precision):
    for n in (0, 1, 7, 200):
        for number, (function, low, high) in enumerate(FUNCTIONS.values()):
            x = random.uniform(low, high, n).astype(dtype)
            expected = np.array([function(float(each)) for each in x]).reshape(x.shape)
            scale = np.maximum(1, np.abs(expected))
            # Beside poles, what is rounded in the argument counts.
            slope = np.array([abs(function(float(each) * (1 + 1e-9)) - function(float(each))) for each in x]) * 1e9 if (
                low == -4.9) else np.zeros(n)
            result = run(x)[number]
            assert result.dtype == dtype
            yield (result / (scale + slope),), (expected / (scale + slope),), precision
        x = (1 - 10 ** random.uniform(-15 if dtype == np.float64 else -6, 0, n)).astype(dtype) * random.choice([-1, 1], n)
        x = x.astype(dtype)
        y = run(x)[-1].astype(np.float64)
        # erfc of the result, relative to what is left to 1: as well as an error of the result allows.
        left = np.array([math.erfc(abs(each)) for each in y]) / (1 - np.abs(x.astype(np.float64)))
        yield (left / (1 + y * y),), (np.ones(n) / (1 + y * y),), 4 * precision
        assert (np.sign(y) == np.sign(x)).all()
    with np.errstate(invalid="ignore"):
        x = np.array([np.inf, -np.inf, np.nan, 0, -1, -2, 1], dtype)
        of = dict(zip((*FUNCTIONS, "erf_inv"), run(x)))
    same = {"lgamma": [np.inf, np.inf, np.nan, np.inf, np.inf, np.inf, 0], "erf": [1, -1, np.nan, 0, *of["erf"][4:]],
            "erf_inv": [np.nan] * 3 + [0, -np.inf, np.nan, np.inf]}
    for name, expected in same.items():
        np.testing.assert_allclose(of[name], np.array(expected, dtype), atol=8 * precision, err_msg=name)
    assert np.isnan(of["digamma"][3:6]).all() and of["digamma"][0] == np.inf


for letter, (name, precision) in {"f32": ("float32", 4e-6), "f64": ("float64", 1e-13)}.items():
    PROGRAMS[f"functions_{letter}"] = functions_text(f"tensor<?x{letter}>"), functools.partial(
        check_functions, dtype=np.dtype(name).type, precision=precision)


def sums_of_powers_text(type_):
    return f"""
func.func @main(%x: {type_}, %q: {type_}, %n: {type_}) -> ({type_}, {type_}) {{
  %0 = chlo.zeta %x, %q : {type_}, {type_} -> {type_}
  %1 = "chlo.polygamma"(%n, %q) : ({type_}, {type_}) -> {type_}
  return %0, %1 : {type_}, {type_}
}}"""


def check_sums_of_powers(run, dtype, precision):
    for count in (0, 1, 7, 40):
        x, q = random.uniform(2, 20, count).astype(dtype), random.uniform(0.3, 30, count).astype(dtype)
        n = random.integers(0, 6, count).astype(dtype)
        pairs = [(float(a), float(b)) for a, b in zip(x, q)]
        sums = np.array([zeta(a, b) for a, b in pairs]).reshape(count)
        derivatives = np.array([digamma(b) if m == 0 else (-1) ** (m + 1) * math.gamma(m + 1) * zeta(m + 1, b)
                                for m, b in zip(n.astype(float), q.astype(float))]).reshape(count)
        results = run(x, q, n)
        assert all(result.dtype == dtype for result in results)
        # What is rounded in the exponent counts.
        scale = np.abs(sums) * (1 + x * np.abs(np.log(q.astype(float))))
        yield (results[0] / scale,), (sums / scale,), precision
        yield (results[1] / (1 + np.abs(derivatives)),), (derivatives / (1 + np.abs(derivatives)),), 10 * precision
    # Where it is no sum, with poles or none, and where the exponent is large.
    x, q = np.array([[1, 0.5, 2, 3, 2.5, 2, np.nan, 900], [2, 2, -1, -1, -0.5, -0.5, 1, 1]], dtype)
    with np.errstate(all="ignore"):
        sums, derivatives = run(x, q, np.array([-1, 0.5, 1, 2, 3, 4, 1, 2], dtype))
    np.testing.assert_allclose(sums, [np.inf, np.nan, np.inf, np.nan, np.nan, 4 + math.pi**2 / 2, np.nan, 1], 8 * precision)
    np.testing.assert_allclose(derivatives[[0, 1, 2]], [np.nan, np.nan, np.inf], 8 * precision)
    np.testing.assert_allclose(derivatives[7], -2 * 1.2020569031595942, 8 * precision)


for letter, (name, precision) in {"f32": ("float32", 4e-6), "f64": ("float64", 1e-13)}.items():
    PROGRAMS[f"sums_of_powers_{letter}"] = sums_of_powers_text(f"tensor<?x{letter}>"), functools.partial(
        check_sums_of_powers, dtype=np.dtype(name).type, precision=precision)


@program("""
func.func @main(%a: tensor<?xi8>, %b: tensor<?xi8>, %c: tensor<?xui32>, %d: tensor<?xui32>, %e: tensor<?xi64>,
    %f: tensor<?xi64>, %g: tensor<?xui64>, %h: tensor<?xui64>) -> (tensor<?xi8>, tensor<?xui32>, tensor<?xi64>, tensor<?xui64>) {
  %0 = chlo.mulhi %a, %b : tensor<?xi8>, tensor<?xi8> -> tensor<?xi8>
  %1 = chlo.mulhi %c, %d : tensor<?xui32>, tensor<?xui32> -> tensor<?xui32>
  %2 = chlo.mulhi %e, %f : tensor<?xi64>, tensor<?xi64> -> tensor<?xi64>
  %3 = "chlo.mulhi"(%g, %h) : (tensor<?xui64>, tensor<?xui64>) -> tensor<?xui64>
  return %0, %1, %2, %3 : tensor<?xi8>, tensor<?xui32>, tensor<?xi64>, tensor<?xui64>
}""")
def upper_halves(run):
    for n in (0, 1, 7, 130):
        arrays = []
        for dtype in (np.int8, np.uint32, np.int64, np.uint64):
            limits = np.iinfo(dtype)
            arrays += [random.integers(limits.min, limits.max, n, dtype, endpoint=True) for _ in range(2)]
        expected = [np.array([int(x) * int(y) >> (8 * a.itemsize) for x, y in zip(a, b)], object).astype(a.dtype)
                    for a, b in zip(arrays[::2], arrays[1::2])]
        yield run(*arrays), tuple(expected), 0


@program("""
func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %i: tensor<?x?xi16>)
    -> (tensor<?x2xf32>, tensor<?x2xi32>, tensor<?x1xi16>, tensor<?x1xi32>, tensor<?x?xf32>, tensor<?x?xi1>,
        tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xf32>, tensor<2xf32>) {
  %v, %p = chlo.top_k(%x, k = 2) : tensor<?x?xf32> -> (tensor<?x2xf32>, tensor<?x2xi32>)
  %w, %q = chlo.top_k(%i, k = 1) : tensor<?x?xi16> -> (tensor<?x1xi16>, tensor<?x1xi32>)
  %n = chlo.next_after %x, %y : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  %a = chlo.is_inf %x : tensor<?x?xf32> -> tensor<?x?xi1>
  %b = chlo.is_pos_inf %x : tensor<?x?xf32> -> tensor<?x?xi1>
  %c = chlo.is_neg_inf %x : tensor<?x?xf32> -> tensor<?x?xi1>
  %l = "chlo.constant_like"(%x) <{value = 2.5 : f32}> : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %d = chlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  return %v, %p, %w, %q, %n, %a, %b, %c, %l, %d : tensor<?x2xf32>, tensor<?x2xi32>, tensor<?x1xi16>, tensor<?x1xi32>,
      tensor<?x?xf32>, tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xf32>, tensor<2xf32>
}""")
def other_ops_of_chlo(run):
    special = np.array([0, -0.0, 1, -1, np.inf, -np.inf, 1e-45, -1e-45, 3e38, 1.5], np.float32)
    for rows, columns in ((0, 2), (1, 2), (3, 5), (2, 33)):
        x, y = (random.choice(special, (rows, columns)) for _ in range(2))
        i = random.integers(-300, 300, (rows, columns)).astype(np.int16)
        order = np.argsort(-x, 1, kind="stable")[:, :2].astype(np.int32)
        most = np.argmax(i, 1)[:, None].astype(np.int32) if rows else np.zeros((0, 1), np.int32)
        values = run(x, y, i)
        with np.errstate(all="ignore"):
            after = np.nextafter(x, y)
        np.testing.assert_array_equal(values[4].view(np.int32), after.view(np.int32))
        finite = [np.nan_to_num(each, posinf=1, neginf=-1) for each in (values[0], np.take_along_axis(x, order, 1))]
        yield (finite[0], *values[1:4], *values[5:]), (
            finite[1], order, np.take_along_axis(i, most, 1), most, np.isinf(x), np.isposinf(x), np.isneginf(x),
            np.full_like(x, 2.5), np.array([1, 2], np.float32)), 0


@program("""
func.func @main(%x: tensor<?xcomplex<f32>>) -> (tensor<?xcomplex<f32>>, tensor<?xcomplex<f32>>) {
  %a = chlo.conj %x : tensor<?xcomplex<f32>> -> tensor<?xcomplex<f32>>
  %b = chlo.square %x : tensor<?xcomplex<f32>> -> tensor<?xcomplex<f32>>
  return %a, %b : tensor<?xcomplex<f32>>, tensor<?xcomplex<f32>>
}""")
def complex_functions(run):
    for n in SIZES:
        x = floats(n, 2)
        z = x.view(np.complex64)[:, 0]
        yield run(x), [each.astype(np.complex64).view(np.float32).reshape(n, 2) for each in (z.conj(), z * z)], 1e-4


@program("""
func.func @main(%x: tensor<?x?xf32>, %y: tensor<?xf32>, %i: tensor<?x1xi16>, %j: tensor<1x?xi16>, %s: tensor<ui8>,
                %u: tensor<?xui8>, %p: tensor<?x1xi1>)
    -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xi16>, tensor<?x?xi1>, tensor<?xui8>, tensor<?x?xf32>,
        tensor<?x3xf32>, tensor<?x?xcomplex<f32>>) {
  %0 = chlo.broadcast_add %x, %y : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  %1 = chlo.broadcast_subtract %y, %x {broadcast_dimensions = array<i64: 0>} : (tensor<?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %2 = chlo.broadcast_maximum %i, %j : (tensor<?x1xi16>, tensor<1x?xi16>) -> tensor<?x?xi16>
  %3 = "chlo.broadcast_compare"(%i, %j) {comparison_direction = #chlo<comparison_direction LT>}
      : (tensor<?x1xi16>, tensor<1x?xi16>) -> tensor<?x?xi1>
  %4 = chlo.broadcast_shift_right_logical %u, %s : (tensor<?xui8>, tensor<ui8>) -> tensor<?xui8>
  %5 = chlo.broadcast_select %p, %x, %y : (tensor<?x1xi1>, tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  %c = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %6 = chlo.broadcast_power %x, %c : (tensor<?x?xf32>, tensor<3xf32>) -> tensor<?x3xf32>
  %7 = chlo.broadcast_complex %x, %y : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xcomplex<f32>>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xi16>, tensor<?x?xi1>, tensor<?xui8>,
      tensor<?x?xf32>, tensor<?x3xf32>, tensor<?x?xcomplex<f32>>
}""")
def broadcasting(run):
    for m, n, own in ((0, 3, 3), (0, 3, 1), (0, 1, 0), (1, 1, 1), (3, 3, 3), (3, 1, 3), (1, 3, 1), (3, 3, 1), (3, 1, 1)):
        # `own`: of the operand with one axis, which is the last one, or, in %1, the first.
        x, y = floats(m, n), floats(own)
        i, j = (random.integers(-9, 9, shape).astype(np.int16) for shape in ((m, 1), (1, own)))
        u, s = random.integers(0, 255, n).astype(np.uint8), np.array(random.integers(0, 9), np.uint8)
        p = random.integers(0, 2, (m, 1)).astype(bool)
        shifted = (u.astype(int) >> int(s)).astype(np.uint8)
        if m != own and 1 not in (m, own):
            continue
        parts = np.stack(np.broadcast_arrays(x, y), -1).astype(np.float32)
        with np.errstate(all="ignore"):
            powers = np.nan_to_num(np.power(x, np.array([1, 2, 3], np.float32)))
        results = run(x, y, i, j, s, u, p)
        yield results, (x + y, y[:, None] - x, np.maximum(i, j), i < j, shifted, np.where(p, x, y), powers, parts), (
            0, 0, 0, 0, 0, 0, 1e-2, 0)


@program("""
func.func @main(%x: tensor<?x?xi32>, %v: tensor<?xi32>, %s: tensor<?xf32>)
    -> (tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xf32>, tensor<?xi32>, tensor<f32>,
        tensor<i32>) {
  %0:2 = chlo.scan(%x) inits (%v) dimension=1 {
  ^bb0(%a: tensor<?xi32>, %sum: tensor<?xi32>):
    %1 = stablehlo.add %a, %sum : tensor<?xi32>
    stablehlo.return %1, %1 : tensor<?xi32>, tensor<?xi32>
  } : (tensor<?x?xi32>, tensor<?xi32>) -> (tensor<?x?xi32>, tensor<?xi32>)
  %2:3 = chlo.scan(%x) inits (%v, %v) dimension=0 attributes {is_reverse = true} {
  ^bb0(%a: tensor<?xi32>, %most: tensor<?xi32>, %last: tensor<?xi32>):
    %1 = stablehlo.maximum %a, %most : tensor<?xi32>
    stablehlo.return %1, %1, %a : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  } : (tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32>) -> (tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32>)
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %4:4 = "chlo.scan"(%s, %s, %zero, %n) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 2, 2>,
      resultSegmentSizes = array<i32: 2, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %sum: tensor<f32>, %count: tensor<i32>):
    %1 = stablehlo.multiply %a, %b : tensor<f32>
    %3 = stablehlo.add %1, %sum : tensor<f32>
    %5 = stablehlo.add %count, %one : tensor<i32>
    stablehlo.return %sum, %count, %3, %5 : tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>
  }) : (tensor<?xf32>, tensor<?xf32>, tensor<f32>, tensor<i32>) -> (tensor<?xf32>, tensor<?xi32>, tensor<f32>, tensor<i32>)
  return %0#0, %0#1, %2#2, %2#0, %2#1, %4#0, %4#1, %4#2, %4#3 : tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?x?xi32>,
      tensor<?xi32>, tensor<?xf32>, tensor<?xi32>, tensor<f32>, tensor<i32>
}""")
def scans(run):
    # The first scan carries a column, the second a row.
    for n in SIZES:
        x, v = (random.integers(-99, 99, shape).astype(np.int32) for shape in ((n, n), n))
        s = floats(n)
        sums = v[:, None] + np.cumsum(x, 1, dtype=np.int32)
        most = np.maximum(v, np.maximum.accumulate(x[::-1], 0)[::-1])
        squares = np.concatenate([[0], np.cumsum(s * s, dtype=np.float32)]).astype(np.float32)
        yield run(x, v, s), (sums, sums[:, -1] if n else v, x[0] if n else v, most, most[0] if n else v, squares[:-1],
                             np.arange(n, dtype=np.int32), squares[-1], np.array(n, np.int32)), 1e-3


def ragged_text(axes, types, sizes):
    return f"""
func.func @main(%x: tensor<{types[0]}>, %y: tensor<{types[1]}>, %s: tensor<{sizes}>) -> tensor<{types[2]}> {{
  %0 = "chlo.ragged_dot"(%x, %y, %s) <{{ragged_dot_dimension_numbers = #chlo.ragged_dot<{axes}>,
      precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>]}}>
      : (tensor<{types[0]}>, tensor<{types[1]}>, tensor<{sizes}>) -> tensor<{types[2]}>
  return %0 : tensor<{types[2]}>
}}"""


def group_sizes(count, extent, *lines, dtype=np.int32):
    """Random ones: some are 0, some reach beyond the axis, some leave a part of it out."""
    return random.integers(0, 2 + 2 * extent // max(count, 1), (*lines, count)).astype(dtype)


def bounds(sizes, extent):
    ends = np.minimum(np.cumsum(sizes.astype(int)), extent)
    return zip(np.concatenate([[0], ends]), ends)


RAGGED_EXTENTS = ((0, 3, 2, 4), (5, 0, 2, 4), (5, 3, 0, 4), (5, 3, 2, 0), (1, 1, 1, 1), (17, 5, 3, 4), (33, 8, 7, 2))
NAMES = ("lhs_batching_dimensions", "rhs_batching_dimensions", "lhs_contracting_dimensions", "rhs_contracting_dimensions",
         "lhs_ragged_dimensions", "rhs_group_dimensions")


def ragged_axes(*lists):
    return ", ".join(f"{name} = {list(each)}" for name, each in zip(NAMES, lists))


def check_ragged_rows(run):
    for m, k, n, groups in RAGGED_EXTENTS:
        x, y, sizes = floats(m, k), floats(groups, k, n), group_sizes(groups, m)
        result = np.zeros((m, n), np.float32)
        for g, (start, end) in enumerate(bounds(sizes, m)):
            result[start:end] = x[start:end] @ y[g]
        yield run(x, y, sizes), (result,), 1e-3


def check_ragged_lines(run):
    """A batch whose lines each have groups of their own; the axis of groups lies between others."""
    for m, k, n, groups in RAGGED_EXTENTS:
        for b in (0, 1, 3):
            x, y, sizes = floats(b, m, k), floats(b, k, groups, n), group_sizes(groups, m, b, dtype=np.uint8)
            result = np.zeros((b, m, n), np.float32)
            for line in range(b):
                for g, (start, end) in enumerate(bounds(sizes[line], m)):
                    result[line, start:end] = x[line, start:end] @ y[line, :, g]
            yield run(x, y, sizes), (result,), 1e-3


def check_ragged_sums(run):
    for m, k, n, groups in RAGGED_EXTENTS:
        for b in (0, 1, 3):
            x, y, sizes = floats(b, k, m), floats(b, k, n), group_sizes(groups, k, dtype=np.int64)
            result = np.zeros((groups, b, m, n), np.float32)
            for g, (start, end) in enumerate(bounds(sizes, k)):
                result[g] = np.einsum("bkm,bkn->bmn", x[:, start:end], y[:, start:end])
            yield run(x, y, sizes), (result,), 1e-3


def check_ragged_batches(run):
    for m, k, n, groups in RAGGED_EXTENTS:
        x, y = floats(3, m, k), floats(3, k, n)
        yield run(x, y, group_sizes(groups, 3)), (x @ y,), 1e-3


PROGRAMS["ragged_rows"] = ragged_text(ragged_axes((), (), [1], [1], [0], [0]), (
    "?x?xf32", "?x?x?xf32", "?x?xf32"), "?xi32"), check_ragged_rows
PROGRAMS["ragged_lines"] = ragged_text(ragged_axes([0], [0], [2], [1], [1], [2]), (
    "?x?x?xf32", "?x?x?x?xf32", "?x?x?xf32"), "?x?xui8"), check_ragged_lines
PROGRAMS["ragged_sums"] = ragged_text(ragged_axes([0], [0], [1], [1], [1], ()), (
    "?x?x?xf32", "?x?x?xf32", "?x?x?x?xf32"), "?xi64"), check_ragged_sums
PROGRAMS["ragged_batches"] = ragged_text(ragged_axes([0], [0], [2], [1], [0], ()), (
    "3x?x?xf32", "3x?x?xf32", "3x?x?xf32"), "?xi32"), check_ragged_batches


if __name__ == "__main__":
    main()
