//===- DerivativePrograms.cpp - Programs of one op with a derivative ------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DerivativePrograms.h"

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;

namespace {
/// Ops of one and of two operands of one type, as `NAME %x, ... : type`.
const StringRef kUnary[] = {
    "arith.negf",     "math.absf",  "math.ceil",  "math.cos",   "math.erf",
    "math.erfc",      "math.exp",   "math.exp2",  "math.expm1", "math.floor",
    "math.log",       "math.log10", "math.log1p", "math.log2",  "math.round",
    "math.roundeven", "math.rsqrt", "math.sin",   "math.sqrt",  "math.tanh",
    "math.trunc",     "math.acos",  "math.acosh", "math.asin",  "math.asinh",
    "math.atan",      "math.atanh", "math.cbrt",  "math.cosh",  "math.sinh",
    "math.tan"};
const StringRef kBinary[] = {
    "arith.addf",     "arith.subf",    "arith.mulf",     "arith.divf",
    "arith.maximumf", "arith.maxnumf", "arith.minimumf", "arith.minnumf",
    "math.copysign",  "math.powf",     "math.atan2",     "arith.remf"};
/// Named structured ops on tensors of rank 1.
const StringRef kUnaryStructured[] = {
    "linalg.abs",  "linalg.ceil",       "linalg.copy",  "linalg.erf",
    "linalg.exp",  "linalg.floor",      "linalg.log",   "linalg.negf",
    "linalg.sqrt", "linalg.reciprocal", "linalg.round", "linalg.rsqrt",
    "linalg.tanh", "linalg.square"};
const StringRef kBinaryStructured[] = {
    "linalg.add", "linalg.div",  "linalg.max", "linalg.min",
    "linalg.mul", "linalg.powf", "linalg.sub"};

/// Contractions: the types of the two operands and of the result.
const StringRef kContractions[][4] = {
    {"linalg.matmul", "?x?", "?x?", "?x?"},
    {"linalg.batch_matmul", "?x?x?", "?x?x?", "?x?x?"},
    {"linalg.batch_reduce_matmul", "?x?x?", "?x?x?", "?x?"},
    {"linalg.batch_matvec", "?x?x?", "?x?", "?x?"},
    {"linalg.batch_vecmat", "?x?", "?x?x?", "?x?"},
    {"linalg.matvec", "?x?", "?", "?"},
    {"linalg.vecmat", "?", "?x?", "?"},
    {"linalg.dot", "?", "?", ""}};

/// Convolutions and pooling: the ranks of image, window and result.
struct WindowOp {
  StringRef name;
  unsigned image, window, result;
};
const WindowOp kWindows[] = {{"linalg.conv_1d", 1, 1, 1},
                             {"linalg.conv_2d", 2, 2, 2},
                             {"linalg.conv_3d", 3, 3, 3},
                             {"linalg.conv_1d_ncw_fcw", 3, 3, 3},
                             {"linalg.conv_1d_nwc_wcf", 3, 3, 3},
                             {"linalg.conv_2d_nchw_fchw", 4, 4, 4},
                             {"linalg.conv_2d_nhwc_hwcf", 4, 4, 4},
                             {"linalg.conv_2d_nhwc_fhwc", 4, 4, 4},
                             {"linalg.conv_2d_ngchw_fgchw", 5, 5, 5},
                             {"linalg.conv_2d_ngchw_gfchw", 5, 5, 5},
                             {"linalg.conv_2d_nhwgc_gfhwc", 5, 5, 5},
                             {"linalg.conv_3d_ncdhw_fcdhw", 5, 5, 5},
                             {"linalg.conv_3d_ndhwc_dhwcf", 5, 5, 5},
                             {"linalg.depthwise_conv_1d_ncw_cw", 3, 2, 3},
                             {"linalg.depthwise_conv_1d_nwc_wc", 3, 2, 3},
                             {"linalg.depthwise_conv_1d_nwc_wcm", 3, 3, 4},
                             {"linalg.depthwise_conv_2d_nchw_chw", 4, 3, 4},
                             {"linalg.depthwise_conv_2d_nhwc_hwc", 4, 3, 4},
                             {"linalg.depthwise_conv_2d_nhwc_hwcm", 4, 4, 5},
                             {"linalg.depthwise_conv_3d_ncdhw_cdhw", 5, 4, 5},
                             {"linalg.depthwise_conv_3d_ndhwc_dhwc", 5, 4, 5},
                             {"linalg.depthwise_conv_3d_ndhwc_dhwcm", 5, 5, 6},
                             {"linalg.pooling_nchw_sum", 4, 2, 4},
                             {"linalg.pooling_ncw_sum", 3, 1, 3},
                             {"linalg.pooling_ndhwc_sum", 5, 3, 5},
                             {"linalg.pooling_nhwc_sum", 4, 2, 4},
                             {"linalg.pooling_nwc_sum", 3, 1, 3},
                             {"linalg.pooling_nchw_max", 4, 2, 4},
                             {"linalg.pooling_ncw_max", 3, 1, 3},
                             {"linalg.pooling_ndhwc_max", 5, 3, 5},
                             {"linalg.pooling_nhwc_max", 4, 2, 4},
                             {"linalg.pooling_nwc_max", 3, 1, 3},
                             {"linalg.pooling_ndhwc_min", 5, 3, 5},
                             {"linalg.pooling_nhwc_min", 4, 2, 4},
                             {"linalg.pooling_nwc_min", 3, 1, 3}};

/// The rest: arguments, the type of the result, and the ops that give `%r`.
const StringRef kPrograms[][4] = {
    {"symshape.bind_shape", "%x: tensor<?xf64>", "tensor<?xf64>",
     "%y = symshape.bind_shape %x [N] : tensor<?xf64>\n"
     "%r = arith.mulf %y, %y : tensor<?xf64>"},
    {"symshape.broadcast", "%x: tensor<?x1xf64>, %n: index",
     "tensor<?x?x?xf64>",
     "%c0 = arith.constant 0 : index\n"
     "%m = tensor.dim %x, %c0 : tensor<?x1xf64>\n"
     "%r = symshape.broadcast %x to [%n, %m, %n] dims [1, 2] expanding [1] : "
     "tensor<?x1xf64> to tensor<?x?x?xf64>"},
    {"symshape.cumsum", "%x: tensor<?x?xf64>", "tensor<?x?xf64>",
     "%r = symshape.cumsum %x axis 1 : tensor<?x?xf64>"},
    {"symshape.dequantize", "%x: tensor<?x2xf64>, %c: tensor<?x4xi8>",
     "tensor<?x7xf64>",
     "%r = symshape.dequantize %c scales %x bits 4 block 4 : tensor<?x4xi8>, "
     "tensor<?x2xf64> to tensor<?x7xf64>"},
    {"symshape.dynamic_slice", "%x: tensor<?xf64>, %i: index, %n: index",
     "tensor<?xf64>",
     "%r = symshape.dynamic_slice %x[%i] sizes [%n] : tensor<?xf64> to "
     "tensor<?xf64>"},
    {"symshape.dynamic_truncate", "%x: tensor<?xf64>, %n: f64", "tensor<?xf64>",
     "%r = symshape.dynamic_truncate %x, %n axis 0 : tensor<?xf64>, f64 to "
     "tensor<?xf64>"},
    {"symshape.dynamic_update_slice",
     "%x: tensor<?xf64>, %u: tensor<?xf64>, %i: index", "tensor<?xf64>",
     "%r = symshape.dynamic_update_slice %u into %x[%i] : tensor<?xf64> into "
     "tensor<?xf64>"},
    {"symshape.gather", "%x: tensor<?x?xf64>, %i: tensor<?x1xi64>, %n: index",
     "tensor<?x?xf64>",
     "%r = symshape.gather fill %x[%i] slice_sizes [1, %n] {offset_dims = "
     "array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = "
     "array<i64: 0>, index_vector_dim = 1 : i64, fill_value = 1.0 : f64} : "
     "tensor<?x?xf64>[tensor<?x1xi64>] to tensor<?x?xf64>"},
    {"symshape.pad", "%x: tensor<?xf64>, %v: f64", "tensor<?xf64>",
     "%r = symshape.pad %x, %v low [-1] high [2] interior [1] : tensor<?xf64> "
     "to tensor<?xf64>"},
    {"symshape.pad_to_match", "%x: tensor<?xf64>, %n: index", "tensor<?xf64>",
     "%r = symshape.pad_to_match %x, %n axis 0 : tensor<?xf64>, index to "
     "tensor<?xf64>"},
    {"symshape.resample", "%x: tensor<?x?xf64>, %i: tensor<1x?xi64>",
     "tensor<?x?xf64>",
     "%r = symshape.resample %x along [1] at %i : tensor<?x?xf64> at "
     "tensor<1x?xi64> to tensor<?x?xf64>"},
    {"symshape.reshape", "%x: tensor<?x?xf64>, %n: index", "tensor<?xf64>",
     "%r = symshape.reshape %x to [%n] : tensor<?x?xf64> to tensor<?xf64>"},
    {"symshape.reverse", "%x: tensor<?xf64>", "tensor<?xf64>",
     "%r = symshape.reverse %x axes [0] : tensor<?xf64>"},
    {"symshape.sort", "%x: tensor<?xf64>", "tensor<?xf64>",
     "%r, %p = symshape.sort %x axis 0 : tensor<?xf64>, tensor<?xi64>"},
    {"symshape.windows", "%x: tensor<?x?x?xf64>, %v: f64, %n: index",
     "tensor<?x?x?x?xf64>",
     "%r = symshape.windows %x, %v kernel [%n] low [1] high [%n] stride [%n] "
     "dilation [2] spread [%n] : tensor<?x?x?xf64> to tensor<?x?x?x?xf64>"},
    {"symshape.top_k", "%x: tensor<?xf64>, %k: index", "tensor<?xf64>",
     "%r, %p = symshape.top_k %x, %k axis 0 : tensor<?xf64> to tensor<?xf64>, "
     "tensor<?xi64>"},
    {"symshape.stop_gradient", "%x: tensor<?xf64>", "tensor<?xf64>",
     "%r = symshape.stop_gradient %x : tensor<?xf64>"},
    {"symshape.with_extents", "%x: tensor<?xf64>, %n: index", "tensor<?xf64>",
     "%r = symshape.with_extents %x [%n] : tensor<?xf64>"},
    {"arith.select", "%p: i1, %x: f64, %y: f64", "f64",
     "%r = arith.select %p, %x, %y : f64"},
    {"arith.extf", "%x: tensor<?xf32>", "tensor<?xf64>",
     "%r = arith.extf %x : tensor<?xf32> to tensor<?xf64>"},
    {"arith.truncf", "%x: tensor<?xf64>", "tensor<?xf32>",
     "%r = arith.truncf %x : tensor<?xf64> to tensor<?xf32>"},
    {"math.clampf", "%x: f64, %a: f64, %b: f64", "f64",
     "%r = math.clampf %x to [%a, %b] : f64"},
    {"math.fma", "%x: f64, %a: f64, %b: f64", "f64",
     "%r = math.fma %x, %a, %b : f64"},
    {"tensor.cast", "%x: tensor<?xf64>", "tensor<4xf64>",
     "%r = tensor.cast %x : tensor<?xf64> to tensor<4xf64>"},
    {"tensor.collapse_shape", "%x: tensor<?x3xf64>", "tensor<?xf64>",
     "%r = tensor.collapse_shape %x [[0, 1]] : tensor<?x3xf64> into "
     "tensor<?xf64>"},
    {"tensor.expand_shape", "%x: tensor<?xf64>, %n: index", "tensor<?x3xf64>",
     "%r = tensor.expand_shape %x [[0, 1]] output_shape [%n, 3] : "
     "tensor<?xf64> into tensor<?x3xf64>"},
    {"tensor.concat", "%x: tensor<?xf64>, %y: tensor<?xf64>", "tensor<?xf64>",
     "%r = tensor.concat dim(0) %x, %y : (tensor<?xf64>, tensor<?xf64>) -> "
     "tensor<?xf64>"},
    {"tensor.extract", "%x: tensor<?xf64>, %i: index", "f64",
     "%r = tensor.extract %x[%i] : tensor<?xf64>"},
    {"tensor.extract_slice", "%x: tensor<?xf64>, %i: index, %n: index",
     "tensor<?xf64>",
     "%r = tensor.extract_slice %x[%i] [%n] [2] : tensor<?xf64> to "
     "tensor<?xf64>"},
    {"tensor.from_elements", "%x: f64, %y: f64", "tensor<2x2xf64>",
     "%r = tensor.from_elements %x, %y, %y, %x : tensor<2x2xf64>"},
    {"tensor.insert", "%x: tensor<?xf64>, %v: f64, %i: index", "tensor<?xf64>",
     "%r = tensor.insert %v into %x[%i] : tensor<?xf64>"},
    {"tensor.insert_slice",
     "%x: tensor<?xf64>, %y: tensor<?xf64>, %i: index, %n: index",
     "tensor<?xf64>",
     "%r = tensor.insert_slice %x into %y[%i] [%n] [1] : tensor<?xf64> into "
     "tensor<?xf64>"},
    {"tensor.pad", "%x: tensor<?xf64>", "tensor<?xf64>",
     "%c = arith.constant 0.0 : f64\n"
     "%r = tensor.pad %x low[1] high[2] {\n^bb0(%i: index):\n"
     "tensor.yield %c : f64\n} : tensor<?xf64> to tensor<?xf64>"},
    {"linalg.map", "%x: tensor<?xf64>, %y: tensor<?xf64>", "tensor<?xf64>",
     "%r = linalg.map { arith.mulf } ins(%x, %x : tensor<?xf64>, "
     "tensor<?xf64>) outs(%y : tensor<?xf64>)"},
    {"linalg.transpose", "%x: tensor<?x?xf64>, %y: tensor<?x?xf64>",
     "tensor<?x?xf64>",
     "%r = linalg.transpose ins(%x : tensor<?x?xf64>) outs(%y : "
     "tensor<?x?xf64>) permutation = [1, 0]"},
    {"linalg.broadcast", "%x: tensor<?xf64>, %y: tensor<?x?xf64>",
     "tensor<?x?xf64>",
     "%r = linalg.broadcast ins(%x : tensor<?xf64>) outs(%y : "
     "tensor<?x?xf64>) dimensions = [0]"},
    {"linalg.fill", "%x: f64, %y: tensor<?xf64>", "tensor<?xf64>",
     "%r = linalg.fill ins(%x : f64) outs(%y : tensor<?xf64>) -> "
     "tensor<?xf64>"},
    {"linalg.elementwise", "%x: tensor<?xf64>, %y: tensor<?xf64>",
     "tensor<?xf64>",
     "%r = linalg.elementwise kind=#linalg.elementwise_kind<exp> ins(%x : "
     "tensor<?xf64>) outs(%y : tensor<?xf64>) -> tensor<?xf64>"},
    {"linalg.select", "%p: tensor<?xi1>, %x: tensor<?xf64>, %y: tensor<?xf64>",
     "tensor<?xf64>",
     "%r = linalg.select ins(%p, %x, %y : tensor<?xi1>, tensor<?xf64>, "
     "tensor<?xf64>) outs(%y : tensor<?xf64>) -> tensor<?xf64>"},
    {"linalg.contract",
     "%x: tensor<?x?xf64>, %y: tensor<?x?xf64>, %z: tensor<?x?xf64>",
     "tensor<?x?xf64>",
     "%r = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (k, m)>, "
     "affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>] "
     "ins(%x, %y : tensor<?x?xf64>, tensor<?x?xf64>) outs(%z : "
     "tensor<?x?xf64>) -> tensor<?x?xf64>"},
    {"scf.if", "%p: i1, %x: tensor<?xf64>", "tensor<?xf64>",
     "%r = scf.if %p -> tensor<?xf64> {\n"
     "%y = arith.mulf %x, %x : tensor<?xf64>\n"
     "scf.yield %y : tensor<?xf64>\n} else {\n"
     "scf.yield %x : tensor<?xf64>\n}"},
    {"scf.index_switch", "%i: index, %x: tensor<?xf64>", "tensor<?xf64>",
     "%r = scf.index_switch %i -> tensor<?xf64>\n"
     "case 0 {\n%y = math.sin %x : tensor<?xf64>\n"
     "scf.yield %y : tensor<?xf64>\n}\n"
     "case 4 {\n%z = arith.mulf %x, %x : tensor<?xf64>\n"
     "scf.yield %z : tensor<?xf64>\n}\n"
     "default {\nscf.yield %x : tensor<?xf64>\n}"},
    {"scf.for", "%n: index, %x: tensor<?xf64>", "tensor<?xf64>",
     "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"
     "%r = scf.for %i = %c0 to %n step %c1 iter_args(%c = %x) -> "
     "(tensor<?xf64>) {\n%y = arith.mulf %c, %x : tensor<?xf64>\n"
     "scf.yield %y : tensor<?xf64>\n}"},
    {"scf.while", "%x: f64, %e: f64", "f64",
     "%r = scf.while (%c = %x) : (f64) -> f64 {\n"
     "%p = arith.cmpf olt, %c, %e : f64\nscf.condition(%p) %c : f64\n} do {\n"
     "^bb0(%c: f64):\n%y = arith.mulf %c, %x : f64\nscf.yield %y : f64\n}"}};

std::string makeFunction(const Twine &arguments, const Twine &result,
                         const Twine &ops) {
  return ("func.func @f(" + arguments + ") -> " + result + " {\n" + ops +
          "\nreturn %r : " + result + "\n}\n")
      .str();
}

std::string tensorOf(StringRef extents) {
  return ("tensor<" + extents + (extents.empty() ? "f64>" : "xf64>")).str();
}

/// All extents are dynamic.
std::string tensorOf(unsigned rank) {
  std::string extents;
  for (unsigned d = 0; d < rank; ++d)
    extents += "?x";
  return "tensor<" + extents + "f64>";
}

/// Reductions: one per combiner, and per kind of start.
std::vector<std::string> makeReductions(bool generic) {
  std::vector<std::string> programs;
  for (StringRef combiner :
       {"arith.addf", "arith.maximumf", "arith.minimumf", "arith.mulf"}) {
    std::string op =
        generic
            ? "%r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, "
              "j)>, affine_map<(i, j) -> (i)>], iterator_types = [\"parallel\","
              " \"reduction\"]} ins(%x : tensor<?x?xf64>) outs(%s : "
              "tensor<?xf64>) {\n^bb0(%a: f64, %o: f64):\n"
              "%q = arith.mulf %a, %a : f64\n%v = " +
                  combiner.str() +
                  " %o, %q : f64\nlinalg.yield %v : f64\n} -> tensor<?xf64>"
            : "%r = linalg.reduce { " + combiner.str() +
                  " } ins(%x : tensor<?x?xf64>) outs(%s : tensor<?xf64>) "
                  "dimensions = [1]";
    programs.push_back(makeFunction("%x: tensor<?x?xf64>, %s: tensor<?xf64>",
                                    "tensor<?xf64>", op));
  }
  return programs;
}

/// Scatters: one per combiner, with and without unique indices.
std::vector<std::string> makeScatters() {
  std::vector<std::string> programs;
  for (StringRef combiner : {"add", "sub", "mul", "update", "max", "min"})
    for (StringRef unique : {"", ", unique_indices"})
      programs.push_back(makeFunction(
          "%x: tensor<?x?xf64>, %i: tensor<?x1xi64>, %u: tensor<?x?xf64>",
          "tensor<?x?xf64>",
          "%r = symshape.scatter " + combiner +
              " drop %u into %x[%i] {update_window_dims = array<i64: 1>, "
              "inserted_window_dims = array<i64: 0>, "
              "scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim "
              "= 1 : i64" +
              unique +
              "} : tensor<?x?xf64> into tensor<?x?xf64>[tensor<?x1xi64>]"));
  return programs;
}

/// A body that reads a tensor at places, and uses a scalar, from outside.
const StringRef kCaptures =
    "%c0 = arith.constant 0 : index\n"
    "%n = tensor.dim %i, %c0 : tensor<?xindex>\n"
    "%e = tensor.empty(%n) : tensor<?xf64>\n"
    "%r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, "
    "affine_map<(i) -> (i)>], iterator_types = [\"parallel\"]} ins(%i : "
    "tensor<?xindex>) outs(%e : tensor<?xf64>) {\n"
    "^bb0(%a: index, %o: f64):\n"
    "  %v = tensor.extract %x[%a] : tensor<?xf64>\n"
    "  %p = arith.mulf %v, %s : f64\n"
    "  %q = arith.mulf %p, %v : f64\n"
    "  linalg.yield %q : f64\n"
    "} -> tensor<?xf64>";

using Programs = llvm::StringMap<std::vector<std::string>>;

/// An op on two inputs and a destination of these types.
void addProduct(Programs &programs, StringRef name, const std::string &x,
                const std::string &y, const std::string &z) {
  programs[name] = {makeFunction("%x: " + x + ", %y: " + y + ", %z: " + z, z,
                                 "%r = " + name + " ins(%x, %y : " + x + ", " +
                                     y + ") outs(%z : " + z + ") -> " + z)};
}

} // namespace

llvm::StringMap<std::vector<std::string>> symshape::makeDerivativePrograms() {
  Programs programs;
  const std::string line = "tensor<?xf64>";
  for (StringRef name : kUnary)
    programs[name] = {
        makeFunction("%x: " + line, line, "%r = " + name + " %x : " + line)};
  for (StringRef name : kBinary)
    programs[name] = {makeFunction("%x: " + line + ", %y: " + line, line,
                                   "%r = " + name + " %x, %y : " + line)};
  for (StringRef name : kUnaryStructured)
    programs[name] = {makeFunction("%x: " + line + ", %y: " + line, line,
                                   "%r = " + name + " ins(%x : " + line +
                                       ") outs(%y : " + line + ") -> " + line)};
  for (StringRef name : kBinaryStructured)
    programs[name] = {makeFunction("%x: " + line + ", %y: " + line, line,
                                   "%r = " + name + " ins(%x, %y : " + line +
                                       ", " + line + ") outs(%y : " + line +
                                       ") -> " + line)};
  for (auto [name, one, two, three] : kContractions)
    addProduct(programs, name, tensorOf(one), tensorOf(two), tensorOf(three));
  for (const WindowOp &op : kWindows)
    addProduct(programs, op.name, tensorOf(op.image), tensorOf(op.window),
               tensorOf(op.result));
  for (auto [name, arguments, result, ops] : kPrograms)
    programs[name] = {makeFunction(arguments, result, ops)};
  programs["linalg.reduce"] = makeReductions(/*generic=*/false);
  programs["linalg.generic"] = makeReductions(/*generic=*/true);
  programs["linalg.generic"].push_back(
      makeFunction("%x: tensor<?xf64>, %i: tensor<?xindex>, %s: f64",
                   "tensor<?xf64>", kCaptures.str()));
  programs["symshape.scatter"] = makeScatters();
  return programs;
}
