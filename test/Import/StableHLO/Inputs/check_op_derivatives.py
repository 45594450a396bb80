# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Derivatives of StableHLO's ops by difference quotients of the programs themselves, which other tests compare.

    check_op_derivatives.py LIBRARY FOLDER

Each op is a program of doubles of open sizes, derived in reverse and forward; along random directions both must be
the quotient. Those of REFUSED have no derivative, and a message says so.
"""

import functools
import sys
from pathlib import Path

import numpy as np
import symshape_c

SIZES = (0, 1, 2, 5)
STEP = 1e-6
ROW, PLANE = "tensor<?xf64>", "tensor<?x3xf64>"
random = np.random.default_rng(11)


def normal(*shape):
    return random.standard_normal(shape)


def positive(*shape):
    return random.uniform(0.5, 2.5, shape)


def apart(*shape):
    """Numbers of which no two are near each other, nor near a whole number."""
    count = int(np.prod(shape))
    return (random.permutation(count) - count / 2 + 0.3).reshape(shape)


def function(arguments, result, body):
    given = ", ".join(f"%{name}: {type_}" for name, type_ in arguments.items())
    return f"func.func @main({given}) -> {result} {{\n{body}\n  return %r : {result}\n}}\n"


def unary(op, draw=normal, dialect="stablehlo"):
    type_ = PLANE if dialect == "stablehlo" else f"{PLANE} -> {PLANE}"
    return function({"x": PLANE}, PLANE, f"  %r = {dialect}.{op} %x : {type_}"), lambda n: [draw(n, 3)]


def binary(op, draw=normal, dialect="stablehlo"):
    type_ = PLANE if dialect == "stablehlo" else f"{PLANE}, {PLANE} -> {PLANE}"
    return (function({"x": PLANE, "y": PLANE}, PLANE, f"  %r = {dialect}.{op} %x, %y : {type_}"),
            lambda n: [draw(n, 3), draw(n, 3)])


def scalar(value):
    return f"  %c = stablehlo.constant dense<{value}> : tensor<f64>\n"


def region(op, type_="f64"):
    return (f"({{\n  ^bb0(%a: tensor<{type_}>, %b: tensor<{type_}>):\n    %s = stablehlo.{op} %a, %b : tensor<{type_}>\n"
            f"    stablehlo.return %s : tensor<{type_}>\n  }})")


def reduction(op, start, draw=normal):
    return (function({"x": PLANE}, ROW, scalar(start) + '  %r = "stablehlo.reduce"(%x, %c) ' + region(op) +
                     f" {{dimensions = array<i64: 1>}} : ({PLANE}, tensor<f64>) -> {ROW}"), lambda n: [draw(n, 3)])


def window(op, start, draw=normal):
    return (function({"x": "tensor<?x7xf64>"}, PLANE, scalar(start) + '  %r = "stablehlo.reduce_window"(%x, %c) ' +
                     region(op) + " {window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 2>} "
                     f": (tensor<?x7xf64>, tensor<f64>) -> {PLANE}"), lambda n: [draw(n, 7)])


def generic(op, arguments, result, attributes="", head="", extra="", more=""):
    """`extra`: operands that `head` makes, with their types."""
    given = ", ".join([f"%{name}" for name in arguments] + [name for name, _ in extra])
    types = ", ".join(list(arguments.values()) + [type_ for _, type_ in extra])
    return function(arguments, result, f'{head}  %r = "stablehlo.{op}"({given}) {more}{{{attributes}}} : ({types}) -> {result}')


ROWS = '  %{} = "stablehlo.get_dimension_size"(%x) {{dimension = 0 : i64}} : (tensor<?x3xf64>) -> tensor<i32>\n'
INDEX = '  %i = stablehlo.constant dense<[[2], [0], [2]]> : tensor<3x1xi64>\n'
GATHER = ("dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], "
          "index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>, indices_are_sorted = false")
SCATTER = ("scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], "
           "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false")
CONV = ("dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, batch_group_count = 1 : i64, "
        "feature_group_count = 1 : i64, window_strides = array<i64: 2>, padding = dense<[[1, 0]]> : tensor<1x2xi64>")

OPS = {
    **{op: unary(op) for op in ("cosine", "exponential", "exponential_minus_one", "logistic", "negate", "sine", "tanh")},
    **{op: unary(op, positive) for op in ("cbrt", "log", "log_plus_one", "rsqrt", "sqrt")},
    **{op: unary(op, apart) for op in ("abs", "ceil", "floor", "round_nearest_afz", "round_nearest_even", "sign")},
    "tan": unary("tan", lambda *shape: random.uniform(-1, 1, shape)),
    **{f"chlo.{op}": unary(op, functools.partial(lambda low, high, *shape: random.uniform(low, high, shape), *ends), "chlo")
       for op, ends in {"acos": (-0.9, 0.9), "acosh": (1.1, 9), "asin": (-0.9, 0.9), "asinh": (-2, 2), "atan": (-2, 2),
                        "atanh": (-0.9, 0.9), "bessel_i1e": (-12, 12), "cosh": (-2, 2), "digamma": (0.5, 9), "erf": (-2, 2), "erf_inv": (-0.9, 0.9),
                        "erfc": (-2, 2), "lgamma": (0.6, 9), "sinh": (-2, 2), "square": (-2, 2)}.items()},
    **{op: binary(op) for op in ("add", "maximum", "minimum", "multiply", "subtract")},
    **{op: binary(op, positive) for op in ("atan2", "divide", "power", "remainder")},
    "chlo.zeta": binary("zeta", lambda *shape: random.uniform(1.5, 6, shape), "chlo"),
    **{f"reduce of {op}": reduction(op, start) for op, start in
       (("add", 0.0), ("maximum", "0xFFF0000000000000"), ("minimum", "0x7FF0000000000000"), ("multiply", 1.0))},
    **{f"reduce_window of {op}": window(op, start) for op, start in
       (("add", 0.0), ("maximum", "0xFFF0000000000000"), ("minimum", "0x7FF0000000000000"))},
    "broadcast_in_dim": (generic("broadcast_in_dim", {"x": "tensor<3xf64>"}, "tensor<2x3xf64>",
                                 "broadcast_dimensions = array<i64: 1>"), lambda n: [normal(3)]),
    "clamp": (generic("clamp", {"l": "tensor<f64>", "x": PLANE, "h": "tensor<f64>"}, PLANE),
              lambda n: [np.array(-0.5), normal(n, 3), np.array(0.7)]),
    "concatenate": (generic("concatenate", {"x": PLANE, "y": PLANE}, PLANE, "dimension = 0 : i64"),
                    lambda n: [normal(n, 3), normal(2, 3)]),
    "convert": (function({"x": PLANE}, PLANE, f"  %f = stablehlo.convert %x : ({PLANE}) -> tensor<?x3xf64>\n"
                         f"  %r = stablehlo.multiply %f, %x : {PLANE}"), lambda n: [normal(n, 3)]),
    "convolution": (generic("convolution", {"x": "tensor<?x7x2xf64>", "w": "tensor<3x2x4xf64>"}, "tensor<?x3x4xf64>", CONV),
                    lambda n: [normal(n, 7, 2), normal(3, 2, 4)]),
    "dot_general": (generic("dot_general", {"x": "tensor<?x2x3xf64>", "y": "tensor<?x3x4xf64>"}, "tensor<?x2x4xf64>",
                            "dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], "
                            "rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], "
                            "rhs_contracting_dimensions = [1]>"), lambda n: [normal(n, 2, 3), normal(n, 3, 4)]),
    "einsum": (generic("einsum", {"x": "tensor<?x2x3xf64>", "y": "tensor<3x?xf64>"}, "tensor<2x?xf64>",
                       'einsum_config = "abc,ca->ba"'), lambda n: [normal(n, 2, 3), normal(3, n)]),
    "torch_index_select": (generic("torch_index_select", {"x": PLANE}, "tensor<?x2xf64>", "dim = 1 : i64, batch_dims = 0 : i64",
                                   "  %i = stablehlo.constant dense<[2, 0]> : tensor<2xi64>\n", [("%i", "tensor<2xi64>")]),
                           lambda n: [normal(n, 3)]),
    "dynamic_slice": (generic("dynamic_slice", {"x": PLANE}, "tensor<?x2xf64>", "slice_sizes = array<i64: 1, 2>",
                              "  %i = stablehlo.constant dense<0> : tensor<i64>\n"
                              "  %j = stablehlo.constant dense<1> : tensor<i64>\n",
                              [("%i", "tensor<i64>"), ("%j", "tensor<i64>")]), lambda n: [normal(n + 1, 3)]),
    "dynamic_update_slice": (generic("dynamic_update_slice", {"x": PLANE, "u": "tensor<1x2xf64>"}, PLANE, "",
                                     "  %i = stablehlo.constant dense<0> : tensor<i64>\n"
                                     "  %j = stablehlo.constant dense<1> : tensor<i64>\n",
                                     [("%i", "tensor<i64>"), ("%j", "tensor<i64>")]),
                             lambda n: [normal(n + 1, 3), normal(1, 2)]),
    "gather": (generic("gather", {"x": PLANE}, "tensor<3x3xf64>", GATHER, INDEX, [("%i", "tensor<3x1xi64>")]),
               lambda n: [normal(n + 3, 3)]),
    "pad": (generic("pad", {"x": PLANE, "v": "tensor<f64>"}, "tensor<?x6xf64>",
                    "edge_padding_low = array<i64: 1, 2>, edge_padding_high = array<i64: 0, -1>, "
                    "interior_padding = array<i64: 0, 1>"), lambda n: [normal(n, 3), np.array(1.5)]),
    "reshape": (generic("reshape", {"x": "tensor<4x3xf64>"}, "tensor<2x6xf64>"), lambda n: [normal(4, 3)]),
    "reverse": (generic("reverse", {"x": PLANE}, PLANE, "dimensions = array<i64: 0, 1>"), lambda n: [normal(n, 3)]),
    "scatter of add": (generic("scatter", {"x": PLANE, "u": "tensor<3x3xf64>"}, PLANE, SCATTER, INDEX).replace(
        "(%x, %u) {", "(%x, %i, %u) " + region("add") + " {").replace(
        f"({PLANE}, tensor<3x3xf64>)", f"({PLANE}, tensor<3x1xi64>, tensor<3x3xf64>)"),
        lambda n: [normal(n + 3, 3), normal(3, 3)]),
    "scatter of what is given": (generic("scatter", {"x": PLANE, "u": "tensor<3x3xf64>"}, PLANE, SCATTER,
                                         INDEX.replace("[2], [0], [2]", "[2], [0], [1]")).replace(
        "(%x, %u) {", "(%x, %i, %u) ({\n  ^bb0(%a: tensor<f64>, %b: tensor<f64>):\n"
        "    stablehlo.return %b : tensor<f64>\n  }) {").replace(
        f"({PLANE}, tensor<3x3xf64>)", f"({PLANE}, tensor<3x1xi64>, tensor<3x3xf64>)"),
        lambda n: [normal(n + 3, 3), normal(3, 3)]),
    "select": (function({"x": PLANE, "y": PLANE}, PLANE,
                        f"  %p = stablehlo.compare GT, %x, %y, FLOAT : ({PLANE}, {PLANE}) -> tensor<?x3xi1>\n"
                        f"  %r = stablehlo.select %p, %x, %y : tensor<?x3xi1>, {PLANE}"), lambda n: [normal(n, 3), normal(n, 3)]),
    "slice": (generic("slice", {"x": "tensor<?x6xf64>"}, PLANE,
                      "start_indices = array<i64: 0, 1>, limit_indices = array<i64: 2, 6>, strides = array<i64: 1, 2>")
              .replace(PLANE, "tensor<2x3xf64>"), lambda n: [normal(n + 2, 6)]),
    "sort": (function({"x": PLANE}, PLANE, '  %r = "stablehlo.sort"(%x) ({\n  ^bb0(%a: tensor<f64>, %b: tensor<f64>):\n'
                      "    %s = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>\n"
                      f"    stablehlo.return %s : tensor<i1>\n  }}) {{dimension = 0 : i64, is_stable = true}} : ({PLANE}) -> {PLANE}"),
             lambda n: [apart(n, 3)]),
    "transpose": (generic("transpose", {"x": PLANE}, "tensor<3x?xf64>", "permutation = array<i64: 1, 0>"),
                  lambda n: [normal(n, 3)]),
    "triangular_solve": (generic("triangular_solve", {"a": "tensor<?x3x3xf64>", "b": "tensor<?x3x2xf64>"},
                                 "tensor<?x3x2xf64>", "left_side = true, lower = true, unit_diagonal = false, "
                                 "transpose_a = #stablehlo<transpose NO_TRANSPOSE>"),
                         lambda n: [normal(n, 3, 3) + 4 * np.eye(3), normal(n, 3, 2)]),
    "cholesky": (generic("cholesky", {"x": "tensor<?x3x3xf64>"}, "tensor<?x3x3xf64>", "lower = true"),
                 lambda n: [(lambda a: a @ a.transpose(0, 2, 1) + 4 * np.eye(3))(normal(n, 3, 3))]),
    "while": (function({"x": PLANE}, PLANE, "  %z = stablehlo.constant dense<0> : tensor<i64>\n"
                       "  %o = stablehlo.constant dense<1> : tensor<i64>\n  %e = stablehlo.constant dense<3> : tensor<i64>\n"
                       f"  %k, %r = stablehlo.while(%i = %z, %v = %x) : tensor<i64>, {PLANE}\n  cond {{\n"
                       "    %p = stablehlo.compare LT, %i, %e, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>\n"
                       "    stablehlo.return %p : tensor<i1>\n  } do {\n    %n = stablehlo.add %i, %o : tensor<i64>\n"
                       f"    %w = stablehlo.sine %v : {PLANE}\n    %m = stablehlo.multiply %w, %x : {PLANE}\n"
                       f"    stablehlo.return %n, %m : tensor<i64>, {PLANE}\n  }}"), lambda n: [normal(n, 3)]),
    "case": (function({"x": PLANE}, PLANE, ROWS.format("z") +
                      '  %r = "stablehlo.case"(%z) ({\n' f"    stablehlo.return %x : {PLANE}\n  }}, {{\n"
                      f"    %s = stablehlo.sine %x : {PLANE}\n    stablehlo.return %s : {PLANE}\n  }}) : (tensor<i32>) -> {PLANE}"),
             lambda n: [normal(n, 3)]),
    "if": (function({"x": PLANE}, PLANE, ROWS.format("n") + "  %o = stablehlo.constant dense<1> : tensor<i32>\n"
                    "  %z = stablehlo.compare GT, %n, %o, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n" +
                    '  %r = "stablehlo.if"(%z) ({\n' f"    %s = stablehlo.sine %x : {PLANE}\n    stablehlo.return %s : {PLANE}\n"
                    f"  }}, {{\n    stablehlo.return %x : {PLANE}\n  }}) : (tensor<i1>) -> {PLANE}"), lambda n: [normal(n, 3)]),
    "map": (function({"x": PLANE, "y": PLANE}, PLANE, '  %r = "stablehlo.map"(%x, %y) ' + region("multiply") +
                     f" {{dimensions = array<i64: 0, 1>}} : ({PLANE}, {PLANE}) -> {PLANE}"), lambda n: [normal(n, 3), normal(n, 3)]),
    "batch_norm_inference": (generic("batch_norm_inference", {"x": PLANE, **{name: "tensor<3xf64>" for name in "sbmv"}}, PLANE,
                                     "epsilon = 1.0e-3 : f32, feature_index = 1 : i64"),
                             lambda n: [normal(n, 3), normal(3), normal(3), normal(3), positive(3)]),
    "batch_norm_training": (function({"x": PLANE, "s": "tensor<3xf64>", "b": "tensor<3xf64>"}, PLANE,
                                     '  %r, %m, %v = "stablehlo.batch_norm_training"(%x, %s, %b) '
                                     "{epsilon = 1.0e-3 : f32, feature_index = 1 : i64} "
                                     f": ({PLANE}, tensor<3xf64>, tensor<3xf64>) -> ({PLANE}, tensor<3xf64>, tensor<3xf64>)"),
                            lambda n: [normal(n + 2, 3), normal(3), normal(3)]),
    "dot": (generic("dot", {"x": PLANE, "y": "tensor<3x4xf64>"}, "tensor<?x4xf64>"), lambda n: [normal(n, 3), normal(3, 4)]),
    "dynamic_broadcast_in_dim": (generic("dynamic_broadcast_in_dim", {"x": "tensor<1x3xf64>"}, PLANE,
                                         "broadcast_dimensions = array<i64: 0, 1>",
                                         "  %s = stablehlo.constant dense<[4, 3]> : tensor<2xi64>\n",
                                         [("%s", "tensor<2xi64>")]), lambda n: [normal(1, 3)]),
    "dynamic_reshape": (generic("dynamic_reshape", {"x": "tensor<?x6xf64>"}, "tensor<?x4xf64>", "",
                                "  %s = stablehlo.constant dense<[3, 4]> : tensor<2xi64>\n",
                                [("%s", "tensor<2xi64>")]), lambda n: [normal(2, 6)]),
    "dynamic_pad": (generic("dynamic_pad", {"x": PLANE, "v": "tensor<f64>"}, "tensor<?x6xf64>", "",
                            "".join(f"  %{name} = stablehlo.constant dense<{values}> : tensor<2xi64>\n"
                                    for name, values in (("l", [1, 2]), ("h", [0, -1]), ("i", [0, 1]))),
                            [(f"%{name}", "tensor<2xi64>") for name in "lhi"]), lambda n: [normal(n, 3), np.array(1.5)]),
    "real_dynamic_slice": (generic("real_dynamic_slice", {"x": "tensor<?x6xf64>"}, PLANE, "",
                                   "".join(f"  %{name} = stablehlo.constant dense<{values}> : tensor<2xi64>\n"
                                           for name, values in (("l", [0, 1]), ("h", [2, 6]), ("i", [1, 2]))),
                                   [(f"%{name}", "tensor<2xi64>") for name in "lhi"]), lambda n: [normal(n + 2, 6)]),
    "reduce_precision": (generic("reduce_precision", {"x": PLANE}, PLANE, "exponent_bits = 11 : i32, mantissa_bits = 52 : i32"),
                         lambda n: [normal(n, 3)]),
    "select_and_scatter": (function({"x": "tensor<?x7xf64>", "u": PLANE}, "tensor<?x7xf64>", scalar(0.0) +
                                    '  %r = "stablehlo.select_and_scatter"(%x, %u, %c) ' +
                                    "({\n  ^bb0(%a: tensor<f64>, %b: tensor<f64>):\n"
                                    "    %s = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>\n"
                                    "    stablehlo.return %s : tensor<i1>\n  }, " + region("add")[1:] +
                                    " {window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 2>} "
                                    f": (tensor<?x7xf64>, {PLANE}, tensor<f64>) -> tensor<?x7xf64>"),
                           lambda n: [apart(n, 7), normal(n, 3)]),
}

#: Ops of floats without a derivative.
REFUSED = {
    "complex, real and imag": (function({"x": PLANE, "y": PLANE}, PLANE,
                                        f"  %z = stablehlo.complex %x, %y : ({PLANE}, {PLANE}) -> tensor<?x3xcomplex<f64>>\n"
                                        "  %w = stablehlo.multiply %z, %z : tensor<?x3xcomplex<f64>>\n"
                                        f"  %p = stablehlo.real %w : (tensor<?x3xcomplex<f64>>) -> {PLANE}\n"
                                        f"  %q = stablehlo.imag %w : (tensor<?x3xcomplex<f64>>) -> {PLANE}\n"
                                        f"  %r = stablehlo.multiply %p, %q : {PLANE}"), lambda n: [normal(n, 3), normal(n, 3)]),
    "fft": (function({"x": PLANE.replace("3", "8")}, "tensor<?x5xf64>",
                     '  %z = "stablehlo.fft"(%x) {fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 8>} '
                     ": (tensor<?x8xf64>) -> tensor<?x5xcomplex<f64>>\n"
                     "  %r = stablehlo.real %z : (tensor<?x5xcomplex<f64>>) -> tensor<?x5xf64>"), lambda n: [normal(n, 8)]),
}


def check(name, text, draw, library, folder):
    """How many quotients were compared."""
    path = folder / (name.replace(" ", "-") + ".mlir")
    path.write_text(text)
    program = symshape_c.Program(path, library=library)
    vjp, jvp = program.derive("vjp"), program.derive("jvp")
    for n in SIZES:
        given = draw(n)
        along = [normal(*x.shape) for x in given]
        ends = [program(*(np.asarray(x + side * d) for x, d in zip(given, along)))[0] for side in (STEP, -STEP)]
        quotient = (ends[0] - ends[1]) / (2 * STEP)
        weights = normal(*quotient.shape)
        back = sum(float((x * d).sum()) for x, d in zip(vjp(*given, weights)[1:], along, strict=True))
        forward = jvp(*given, *along)[1]
        for side, value, expected in (("reverse", back, float((quotient * weights).sum())), ("forward", forward, quotient)):
            assert np.allclose(value, expected, rtol=1e-5, atol=1e-5), f"{name}, {side}, size {n}: {value}, not {expected}"
    return 2 * len(SIZES)


def check_refusal(name, text, _, library, folder):
    path = folder / (name.replace(" ", "-") + ".mlir")
    path.write_text(text)
    try:
        symshape_c.Program(path, library=library).derive("vjp")
    except symshape_c.Error as error:
        assert "expected a derivative rule" in str(error), f"{name}: {error}"
    else:
        raise AssertionError(f"{name} has a derivative")


def check_rounding(library, folder):
    """A rounding to fewer bits has the derivative of what it rounds, but where that is below all but 0."""
    path = folder / "rounding.mlir"
    path.write_text(generic("reduce_precision", {"x": "tensor<?xf32>"}, "tensor<?xf32>",
                            "exponent_bits = 5 : i32, mantissa_bits = 10 : i32").replace("f64", "f32"))
    x = np.array([0, -0.0, 1, -1.0004, 3.14159, 1e-4, 7e4, -7e4, np.inf, -1e-9, np.nan], np.float32)
    with np.errstate(over="ignore"):
        expected = x.astype(np.float16).astype(np.float32)
    expected[np.abs(expected) < 2.0 ** -14] *= 0
    results = symshape_c.Program(path, library=library).derive("jvp")(x, np.arange(len(x), dtype=np.float32))
    assert results[0].tobytes() == expected.tobytes(), (results[0], expected)
    slopes = np.arange(len(x), dtype=np.float32) * ~((expected == 0) & (x != 0))
    assert np.array_equal(results[1], slopes), (results[1], slopes)


def main():
    library, folder = symshape_c.load(sys.argv[1]), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    compared = sum(check(name, *made, library, folder) for name, made in OPS.items())
    for name, made in REFUSED.items():
        check_refusal(name, *made, library, folder)
    check_rounding(library, folder)
    print(f"{len(OPS)} ops, {compared} quotients, {len(REFUSED)} refused")


if __name__ == "__main__":
    main()
