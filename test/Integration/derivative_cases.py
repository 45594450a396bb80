# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that break implementations of derivatives: cases and traps by name.

Each is a `Case` with the extents that its symbols are bound to. The names say what
goes wrong elsewhere. Not for: how they are checked (derivatives.py).
"""

from dataclasses import dataclass

import numpy as np

from derivatives import Case

SMALL = [{"N": 3}, {"N": 1}, {"N": 0}]
ROWS = {"offset_dims": [1], "collapsed_slice_dims": [0], "start_index_map": [0], "index_vector_dim": 1}
ELEMENTS = {"offset_dims": [], "collapsed_slice_dims": [0], "start_index_map": [0], "index_vector_dim": 1}
TO_SCATTER = {"offset_dims": "update_window_dims", "collapsed_slice_dims": "inserted_window_dims",
              "start_index_map": "scatter_dims_to_operand_dims",
              "start_indices_batching_dims": "scatter_indices_batching_dims"}


def scattered(numbers):
    return {TO_SCATTER.get(key, key): value for key, value in numbers.items()}


@dataclass
class Raw(Case):
    """A program that is MLIR text, with its definition."""
    mlir: str = ""
    definition: object = None  # of arrays, in order

    def text(self):
        return self.mlir

    def evaluate(self, arrays):
        return [np.asarray(r) for r in self.definition(*arrays.values())]


def case(name, inputs, steps, results, bindings=SMALL, active=None, values=None, second=True):
    """`steps` are (result, op, operands, attributes); `values` fixes inputs, by name."""
    program = [{("results" if isinstance(result, list) else "result"): result, "op": op, "operands": operands.split(),
                "attrs": attrs} for result, op, operands, attrs in steps]
    spelled = {name_: ("f64", dims) if isinstance(dims, list) else dims for name_, dims in inputs.items()}
    active = active or [name_ for name_, (dtype, _) in spelled.items() if dtype == "f64"]
    fixed = values or {}

    def make(rng, name_, shape, sizes):
        value = fixed.get(name_)
        return value(rng, shape, sizes) if callable(value) else value
    return Case(name, spelled, program, results.split(), active, make=make), bindings, second


def constant(*numbers):
    return lambda rng, shape, sizes: np.resize(np.array(numbers), shape) if np.prod(shape) else np.zeros(shape)


I = "i64"  # noqa: E741
OUT_OF_RANGE = constant(-7, 0, 2, 2, 3, 99, -1, 1)


def gathers():
    for mode in ("clip", "fill"):
        fill = {"fill_value": 2.0} if mode == "fill" else {}
        yield case(f"gather_{mode}_of_rows_below_above_and_twice", {"x": [3, "N"], "i": (I, [8, 1])},
                   [("s", "mul", "x x", {}),
                    ("r", "gather_dynamic_slice_sizes", "s i x",
                     {**ROWS, "slice_sizes": [1, {"operand": 2, "axis": 1}], "mode": mode, **fill})], "r",
                   values={"i": OUT_OF_RANGE})
        yield case(f"gather_{mode}_negative_index_is_no_index_from_the_end", {"x": ["M"], "i": (I, [2, 1])},
                   [("s", "mul", "x x", {}),
                    ("r", "gather", "s i", {**ELEMENTS, "slice_sizes": [1], "mode": mode, **fill})], "r",
                   [{"M": 3}, {"M": 1}], values={"i": constant(-1, -2)})
        yield case(f"gather_{mode}_window_partly_outside", {"x": [5], "w": ["N"], "i": (I, [3, 1])},
                   [("s", "mul", "x x", {}),
                    ("r", "gather_dynamic_slice_sizes", "s i w",
                     {"offset_dims": [1], "collapsed_slice_dims": [], "start_index_map": [0], "index_vector_dim": 1,
                      "slice_sizes": [{"operand": 2, "axis": 0}], "mode": mode, **fill})], "r",
                   [{"N": 3}, {"N": 1}, {"N": 0}, {"N": 5}], values={"i": constant(4, -1, 1)})
    yield case("gather_without_indices", {"x": [3, 2], "i": (I, ["N", 1])},
               [("s", "mul", "x x", {}), ("r", "gather", "s i", {**ROWS, "slice_sizes": [1, 2], "mode": "clip"})], "r",
               [{"N": 0}, {"N": 2}], values={"i": OUT_OF_RANGE})
    yield case("gather_from_an_axis_of_none", {"x": ["N", 2], "i": (I, [2, 1])},
               [("s", "mul", "x x", {}),
                ("r", "gather_dynamic_slice_sizes", "s i x",
                 {"offset_dims": [1, 2], "collapsed_slice_dims": [], "start_index_map": [0], "index_vector_dim": 1,
                  "slice_sizes": [{"operand": 2, "axis": 0}, 2], "mode": "clip"})], "r", values={"i": OUT_OF_RANGE})
    yield case("gather_from_rank_0", {"x": [], "i": (I, ["N", 0])},
               [("s", "mul", "x x", {}),
                ("r", "gather", "s i", {"offset_dims": [], "collapsed_slice_dims": [], "start_index_map": [],
                                        "index_vector_dim": 1, "slice_sizes": [], "mode": "clip"})], "r")
    yield case("gather_at_an_index_of_rank_0", {"x": ["M", "N"], "i": (I, [])},
               [("s", "mul", "x x", {}),
                ("r", "gather_dynamic_slice_sizes", "s i x",
                 {"offset_dims": [0], "collapsed_slice_dims": [0], "start_index_map": [0], "index_vector_dim": 0,
                  "slice_sizes": [1, {"operand": 2, "axis": 1}], "mode": "clip"})], "r",
               [{"M": 2, "N": 3}, {"M": 1, "N": 0}], values={"i": constant(5)})
    yield case("gather_with_the_index_vector_first", {"x": ["M", 3], "i": (I, [2, "N"])},
               [("s", "mul", "x x", {}),
                ("r", "gather", "s i", {"offset_dims": [], "collapsed_slice_dims": [0, 1], "start_index_map": [1, 0],
                                        "index_vector_dim": 0, "slice_sizes": [1, 1], "mode": "fill"})], "r",
               [{"M": 2, "N": 3}, {"M": 1, "N": 0}], values={"i": OUT_OF_RANGE})
    yield case("indices_computed_from_active_floats", {"x": ["N"], "p": [2, 1]},
               [("i", "convert_f_to_i", "p", {}),
                ("g", "gather", "x i", {**ELEMENTS, "slice_sizes": [1], "mode": "fill"}),
                ("q", "reshape", "p", {"shape": [2]}), ("r", "mul", "g q", {})], "r", [{"N": 3}, {"N": 1}],
               values={"p": constant(0.25, 1.75)})


def scatters():
    for combiner in ("add", "sub", "mul", "update", "max", "min"):
        for mode in ("clip", "drop"):
            yield case(f"scatter_{combiner}_{mode}_twice_below_and_above",
                       {"x": [3, "N"], "i": (I, [8, 1]), "u": [8, "N"]},
                       [("s", "mul", "x x", {}), ("v", "mul", "u u", {}),
                        ("r", "scatter", "s i v", {**scattered(ROWS), "combiner": combiner, "mode": mode})], "r",
                       values={"i": OUT_OF_RANGE})
    yield case("scatter_without_updates", {"x": [3], "i": (I, ["N", 1]), "u": ["N"]},
               [("s", "mul", "x x", {}),
                ("r", "scatter", "s i u", {**scattered(ELEMENTS), "combiner": "mul", "mode": "drop"})], "r",
               [{"N": 0}, {"N": 1}], values={"i": constant(1)})
    yield case("scatter_into_an_axis_of_none", {"x": ["N", 2], "i": (I, [2, 1]), "u": [2, "N", 2]},
               [("s", "mul", "x x", {}),
                ("r", "scatter", "s i u", {"update_window_dims": [1, 2], "inserted_window_dims": [],
                                           "scatter_dims_to_operand_dims": [0], "index_vector_dim": 1,
                                           "combiner": "update", "mode": "drop"})], "r", values={"i": constant(0, 1)})
    yield case("scatter_drops_the_whole_window", {"x": [4], "i": (I, [3, 1]), "u": [3, "N"]},
               [("v", "mul", "u u", {}),
                ("r", "scatter", "x i v", {"update_window_dims": [1], "inserted_window_dims": [],
                                           "scatter_dims_to_operand_dims": [0], "index_vector_dim": 1,
                                           "combiner": "add", "mode": "drop"})], "r",
               [{"N": 2}, {"N": 0}, {"N": 4}], values={"i": constant(3, -1, 1)})
    yield case("segments_with_numbers_out_of_range_have_no_gradient", {"data": [6, "N"], "ids": (I, [6, 1])},
               [("zero", "constant", "data", {"value": 0}), ("d", "mul", "data data", {}),
                ("r", "scatter", "zero ids d", {**scattered(ROWS), "combiner": "add", "mode": "drop"})], "r",
               values={"ids": constant(-1, 0, 99, 1, 1, 6)})
    yield case("negative_indices_are_not_moved_again_by_each_derivative", {"x": [4], "i": (I, [3, 1])},
               [("g", "gather", "x i", {**ELEMENTS, "slice_sizes": [1], "mode": "fill"}), ("h", "mul", "g g", {}),
                ("r", "scatter", "x i h", {**scattered(ELEMENTS), "combiner": "update", "mode": "drop"})], "r", [{}],
               values={"i": constant(-1, -2, 1)})
    yield case("scatter_of_batches_that_do_not_lead", {"x": [3, "N"], "i": (I, [2, "N", 1]), "u": [2, "N"]},
               [("s", "mul", "x x", {}),
                ("r", "scatter", "s i u", {"update_window_dims": [], "inserted_window_dims": [0],
                                           "operand_batching_dims": [1], "scatter_indices_batching_dims": [1],
                                           "scatter_dims_to_operand_dims": [0], "index_vector_dim": 2,
                                           "combiner": "mul", "mode": "clip"})], "r", values={"i": OUT_OF_RANGE})


def truncations():
    for name, dtype, size in [("to_none", I, 0), ("to_a_negative_size", I, -5), ("to_the_largest_size", I, 2**63 - 1),
                              ("by_a_float_that_is_huge", "f64", 1e30), ("by_a_half", "f64", 2.5)]:
        yield case(f"truncate_{name}", {"x": ["N", 2], "n": (dtype, [])},
                   [("s", "mul", "x x", {}), ("r", "dynamic_truncate", "s n", {"axis": 0})], "r", active=["x"],
                   values={"n": (lambda value: lambda rng, shape, sizes: np.array(value))(size)})
    yield case("truncate_again_to_more", {"x": ["N"], "a": (I, []), "b": (I, [])},
               [("s", "mul", "x x", {}), ("t", "dynamic_truncate", "s a", {"axis": 0}),
                ("r", "dynamic_truncate", "t b", {"axis": 0})], "r", values={"a": constant(2), "b": constant(4)})
    yield case("bounded_value_with_two_consumers", {"x": ["N"], "a": (I, [])},
               [("t", "dynamic_truncate", "x a", {"axis": 0}), ("p", "mul", "t t", {}), ("q", "sin", "t", {}),
                ("r", "add", "p q", {})], "r", values={"a": constant(2)})
    yield case("bound_of_one_may_be_none", {"x": [1], "a": (I, [])},
               [("t", "dynamic_truncate", "x a", {"axis": 0}), ("r", "mul", "t t", {})], "r", [{}],
               values={"a": constant(0)})
    yield case("pad_to_match_of_what_is_larger", {"x": ["N", 2], "y": [2, 2]},
               [("s", "mul", "x x", {}), ("r", "pad_to_match", "s y", {"axis": 0})], "r",
               [{"N": 3}, {"N": 2}, {"N": 1}, {"N": 0}], active=["x"])
    yield case("slice_of_what_is_truncated_is_padded_to_its_own_extent", {"x": ["N"], "a": (I, []), "i": (I, [1])},
               [("t", "dynamic_truncate", "x a", {"axis": 0}), ("s", "mul", "t t", {}),
                ("r", "dynamic_slice", "s i x", {"slice_sizes": [1]})], "r", [{"N": 5}, {"N": 2}],
               values={"a": constant(2), "i": constant(9)})
    yield case("concatenation_of_symbolic_pieces_has_all_cotangents", {"x": ["N"], "y": ["M"], "a": (I, [])},
               [("t", "dynamic_truncate", "x a", {"axis": 0}), ("c", "concatenate", "t y x", {"axis": 0}),
                ("r", "mul", "c c", {})], "r", [{"N": 3, "M": 2}, {"N": 0, "M": 1}, {"N": 1, "M": 0}],
               values={"a": constant(2)})
    yield case("update_of_a_symbolic_slice_has_both_cotangents", {"x": ["N"], "y": ["N"], "a": (I, []), "i": (I, [1])},
               [("t", "dynamic_truncate", "y a", {"axis": 0}), ("u", "mul", "t t", {}),
                ("s", "dynamic_update_slice", "x u i", {}), ("r", "mul", "s s", {})], "r",
               values={"a": constant(2), "i": constant(7)})
    yield case("slice_of_a_slice_clamps_twice", {"x": [5], "y": [3], "z": [2], "i": (I, [1]), "j": (I, [1])},
               [("s", "mul", "x x", {}), ("a", "dynamic_slice", "s i y", {"slice_sizes": [3]}),
                ("r", "dynamic_slice", "a j z", {"slice_sizes": [2]})], "r", [{}], active=["x"],
               values={"i": constant(9), "j": constant(-4)})


def rearrangements():
    for name, dims, low, high, interior in [
            ("negative_with_interior", [4, "N"], [-1, 1], [-2, 0], [2, 1]),
            ("that_crops_all", [2, "N"], [-2, 0], [1, 1], [0, 0]),
            ("that_crops_all_at_the_end", [2, 1], [0, 1], [-2, -2], [0, 1]),
            ("that_leaves_none", [2, "N"], [-2, 0], [0, 0], [0, 0]),
            ("of_none_with_interior", [0, "N"], [1, 0], [2, 0], [3, 1])]:
        yield case(f"pad_{name}", {"x": dims, "v": []},
                   [("s", "mul", "x x", {}), ("p", "pad", "s v", {"low": low, "high": high, "interior": interior}),
                    ("r", "mul", "p p", {})], "r")
    yield case("slice_with_a_stride_that_does_not_divide", {"x": [7, "N"]},
               [("s", "mul", "x x", {}), ("w", "reduce_sum", "s", {"axes": [1]}),
                ("r", "slice", "w", {"starts": [1], "limits": [7], "strides": [4]})], "r")
    yield case("slice_of_none_at_the_end", {"x": [3]},
               [("s", "mul", "x x", {}), ("e", "slice", "s", {"starts": [3], "limits": [3], "strides": [1]}),
                ("r", "concatenate", "e s", {"axis": 0})], "r", [{}])
    yield case("reshape_without_elements", {"x": ["N", 3]},
               [("s", "mul", "x x", {}), ("r", "reshape", "s x", {"shape": [3, {"operand": 1, "axis": 0}]})], "r")
    yield case("bias_is_summed_over_a_batch_of_one_or_none", {"x": ["N", 2], "b": [2]},
               [("w", "broadcast_in_dim", "b x", {"shape": [{"operand": 1, "axis": 0}, 2], "dims": [1]}),
                ("s", "add", "x w", {}), ("r", "mul", "s s", {})], "r")
    yield case("one_expands_to_none", {"x": [1, 2], "y": ["N"]},
               [("s", "mul", "x x", {}),
                ("r", "broadcast_in_dim", "s y", {"shape": [{"operand": 1, "axis": 0}, 2], "dims": [0, 1],
                                                  "expanding": [0]})], "r", active=["x"])
    yield case("broadcast_in_another_order", {"x": ["N", "M"], "y": [2]},
               [("s", "mul", "x x", {}),
                ("r", "broadcast_in_dim", "s x", {"shape": [{"operand": 1, "axis": 1}, 2, {"operand": 1, "axis": 0}],
                                                  "dims": [2, 0]})], "r",
               [{"N": 2, "M": 3}, {"N": 0, "M": 1}, {"N": 1, "M": 1}], active=["x"])
    yield case("sum_over_none", {"x": [2, "N"]},
               [("s", "mul", "x x", {}), ("r", "reduce_sum", "s", {"axes": [1]})], "r")
    yield case("contraction_over_none", {"x": [2, "N"], "y": ["N", 3]},
               [("r", "dot_general", "x y", {"lhs_contracting": [1], "rhs_contracting": [0], "lhs_batch": [],
                                             "rhs_batch": []})], "r")
    for name, zeros in [("one_zero", 1), ("two_zeros", 2), ("zeros_alone", 4)]:
        yield case(f"product_with_{name}", {"x": [4]}, [("r", "reduce_prod", "x", {"axes": [0]})], "r", [{}],
                   values={"x": np.array([0.0] * zeros + [2.0, 3.0, 0.5, 4.0][zeros:])})
    yield case("product_over_none", {"x": [2, "N"]}, [("r", "reduce_prod", "x", {"axes": [1]})], "r")
    yield case("product_over_two_axes", {"x": [2, "N", 2]},
               [("s", "sin", "x", {}), ("r", "reduce_prod", "s", {"axes": [0, 2]})], "r")
    yield case("power_of_zero", {"x": ["N"]},
               [("two", "constant", "x", {"value": 2}), ("one", "constant", "x", {"value": 1}),
                ("p", "pow", "x two", {}), ("q", "pow", "x one", {}), ("r", "mul", "p q", {})], "r",
               values={"x": constant(0.0, 0.0, 2.0)})
    yield case("chosen_before_a_value_that_is_infinite", {"x": ["N"]},
               [("zero", "constant", "x", {"value": 0}), ("one", "constant", "x", {"value": 1}),
                ("p", "compare", "x zero", {}), ("safe", "select", "p x one", {}), ("l", "log", "safe", {}),
                ("r", "select", "p l zero", {})], "r", values={"x": constant(2.0, -1.0, 0.5)})


def functions():
    yield case("unused_input_has_zeros_of_its_own_extents", {"x": ["N"], "y": ["M", 2]},
               [("r", "mul", "x x", {})], "r", [{"N": 2, "M": 3}, {"N": 0, "M": 1}, {"N": 1, "M": 0}])
    yield case("result_that_is_an_input", {"x": ["N"]}, [("s", "mul", "x x", {})], "x s")
    yield case("value_returned_twice", {"x": ["N"]}, [("s", "mul", "x x", {})], "s s")
    yield case("integer_in_the_middle", {"x": ["N"]},
               [("s", "mul", "x x", {}), ("i", "convert_f_to_i", "s", {}), ("f", "convert_i_to_f", "i", {}),
                ("r", "add", "f s", {})], "r", values={"x": constant(0.7, 1.1, 1.6)})


def control():
    step = {"result": "q", "op": "mul", "operands": ["c", "d"], "attrs": {}}
    for trips in (0, 1, 3):
        yield case(f"loop_of_{trips}_trips_with_an_invariant", {"n": (I, []), "x": ["N"], "y": ["N"]},
                   [(["r"], "for", "n x y", {"num_carry": 1, "args": ["i", "c", "d"], "body": [step],
                                             "results": ["q"]})], "r", values={"n": constant(trips)})
        body = [{"result": "m", "op": "mul", "operands": ["c", "c"], "attrs": {}},
                {"result": "q", "op": "dynamic_truncate", "operands": ["m", "k"], "attrs": {"axis": 0}}]
        yield case(f"loop_of_{trips}_trips_that_shrinks", {"n": (I, []), "x": ["N"], "k": (I, [])},
                   [(["r"], "for", "n x k", {"num_carry": 1, "args": ["i", "c", "k"], "body": body,
                                             "results": ["q"]})], "r", values={"n": constant(trips), "k": constant(2)})
        body = [{"result": "q", "op": "concatenate", "operands": ["c", "d"], "attrs": {"axis": 0}}]
        yield case(f"loop_of_{trips}_trips_that_grows_from_static_extents", {"n": (I, []), "x": [2], "y": [2]},
                   [("x2", "mul", "x x", {}), ("y2", "mul", "y y", {}),
                    (["r"], "for", "n x2 y2", {"num_carry": 1, "args": ["i", "c", "d"], "body": body,
                                               "results": ["q"]})], "r", [{}], values={"n": constant(trips)})
    for flag in (0, 1):
        yield case(f"branch_that_is_constant_taken_{flag}", {"p": ("i1", []), "x": ["N"]},
                   [(["r"], "if", "p x", {"args": ["a"],
                                          "then": [{"result": "t", "op": "constant", "operands": ["a"],
                                                    "attrs": {"value": 2}}], "then_results": ["t"],
                                          "else": [{"result": "e", "op": "mul", "operands": ["a", "a"], "attrs": {}}],
                                          "else_results": ["e"]})], "r", values={"p": constant(flag)})
    yield case("loop_that_data_end", {"c": [], "x": ["N"]},
               [(["e", "r"], "while_lt", "c x",
                 {"bound": 20, "args": ["c", "x"],
                  "body": [{"result": "d", "op": "mul", "operands": ["c", "c"], "attrs": {}},
                           {"result": "y", "op": "mul", "operands": ["x", "x"], "attrs": {}}],
                  "results": ["d", "y"]})], "e r", values={"c": np.array(1.7)})
    yield Raw("loop_with_another_step", {"x": ("f64", ["N"]), "n": ("i64", [])}, [], [], ["x"],
              make=lambda rng, name, shape, sizes: np.array(7) if name == "n" else None,
              mlir=STEPS, definition=lambda x, n: [np.prod([np.sin(x) + i for i in range(1, int(n), 3)], axis=0)]), \
        SMALL, True


def reductions():
    """Of which the start is a value: a candidate, or a factor, of its own."""
    start = lambda rng, name, shape, sizes: np.array([0.3, -1.2, 5.0]) if name == "s" else None  # noqa: E731
    for name, combiner, function in [("maximum", "maximumf", np.maximum), ("minimum", "minimumf", np.minimum),
                                     ("product", "mulf", np.multiply), ("sum", "addf", np.add)]:
        def definition(x, s, function=function):
            return [function.reduce(np.concatenate([s[:, None], np.sin(x)], 1), axis=1)]
        yield Raw(f"{name}_that_starts_with_a_value", {"x": ("f64", [3, "N"]), "s": ("f64", [3])}, [], [], ["x", "s"],
                  make=start, mlir=START.format(combiner=combiner), definition=definition), SMALL, True


START = """func.func @main(%x: tensor<3x?xf64> {{symshape.shape = #symshape.shape<[3, N]>}}, %s: tensor<3xf64>) -> tensor<3xf64> {{
  %r = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}} ins(%x : tensor<3x?xf64>) outs(%s : tensor<3xf64>) {{
  ^bb0(%a: f64, %o: f64):
    %q = math.sin %a : f64
    %v = arith.{combiner} %o, %q : f64
    linalg.yield %v : f64
  }} -> tensor<3xf64>
  return %r : tensor<3xf64>
}}
"""


STEPS = """func.func @main(%x: tensor<?xf64> {symshape.shape = #symshape.shape<[N]>}, %m: tensor<i64>) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1.0 : f64
  %n0 = tensor.extract %m[] : tensor<i64>
  %n = arith.index_cast %n0 : i64 to index
  %d = tensor.dim %x, %c0 : tensor<?xf64>
  %e = tensor.empty(%d) : tensor<?xf64>
  %init = linalg.fill ins(%one : f64) outs(%e : tensor<?xf64>) -> tensor<?xf64>
  %r = scf.for %i = %c1 to %n step %c3 iter_args(%c = %init) -> (tensor<?xf64>) {
    %s = math.sin %x : tensor<?xf64>
    %k0 = arith.index_cast %i : index to i64
    %k = arith.sitofp %k0 : i64 to f64
    %f = linalg.fill ins(%k : f64) outs(%e : tensor<?xf64>) -> tensor<?xf64>
    %t = arith.addf %s, %f : tensor<?xf64>
    %y = arith.mulf %c, %t : tensor<?xf64>
    scf.yield %y : tensor<?xf64>
  }
  return %r : tensor<?xf64>
}
"""


def all_cases():
    for group in (gathers, scatters, truncations, rearrangements, functions, reductions, control):
        yield from group()
