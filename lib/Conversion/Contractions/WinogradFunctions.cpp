//===- WinogradFunctions.cpp - What convolutions by patches share ---------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "WinogradFunctions.h"

#include "CallCost.h"
#include "OneThread.h"
#include "Winograd.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::winograd;

static constexpr int64_t anyExtent = ShapedType::kDynamic;

namespace {
/// Arithmetic on numbers of f32, at the insertion point.
struct Numbers {
  OpBuilder &b;
  Location loc;
  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, loc, x, y); }
  Value times(float factor, Value x) {
    Value number = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(factor));
    return arith::MulFOp::create(b, loc, x, number);
  }
};
} // namespace

/// One dimension of a patch: coefficients of the products of (x - point) over
/// all points but one, and over all.
static SmallVector<Value> transformPatch(Numbers n, ArrayRef<Value> x) {
  constexpr double a = nearPoint, b = farPoint;
  auto sumOf = [&](Value low, Value middle, Value high) {
    return n.add(
        n.sub(n.times(a * a * b * b, low), n.times(a * a + b * b, middle)),
        high);
  };
  SmallVector<Value> results{sumOf(x[0], x[2], x[4])};
  for (auto [point, other] : {std::pair(a, b), std::pair(b, a)}) {
    Value even = n.sub(x[4], n.times(other * other, x[2]));
    Value odd = n.times(point, n.sub(x[3], n.times(other * other, x[1])));
    results.push_back(n.add(even, odd));
    results.push_back(n.sub(even, odd));
  }
  results.push_back(sumOf(x[1], x[3], x[5]));
  return results;
}

/// One dimension of the products of a patch: sums of powers of the points.
static SmallVector<Value> transformProducts(Numbers n, ArrayRef<Value> x) {
  constexpr double a = nearPoint, b = farPoint;
  Value near = n.add(x[1], x[2]), nearDifference = n.sub(x[1], x[2]),
        far = n.add(x[3], x[4]), farDifference = n.sub(x[3], x[4]);
  auto sumOf = [&](double factor, Value first, double other, Value second) {
    return n.add(n.times(factor, first), n.times(other, second));
  };
  return {
      n.add(n.add(x[0], near), far), sumOf(a, nearDifference, b, farDifference),
      sumOf(a * a, near, b * b, far),
      n.add(sumOf(a * a * a, nearDifference, b * b * b, farDifference), x[5])};
}

using Transformation = SmallVector<Value> (*)(Numbers, ArrayRef<Value>);

/// Both dimensions of `values`, `size` each.
static SmallVector<Value> transformBoth(Numbers n, ValueRange values,
                                        Transformation transform) {
  constexpr int64_t size = patchSize;
  SmallVector<SmallVector<Value>> columns; // transformed along the first
  for (int64_t j = 0; j < size; ++j) {
    SmallVector<Value> column;
    for (int64_t i = 0; i < size; ++i)
      column.push_back(values[i * size + j]);
    columns.push_back(transform(n, column));
  }
  SmallVector<Value> results;
  for (size_t i = 0; i < columns.front().size(); ++i) {
    SmallVector<Value> row;
    for (const auto &column : columns)
      row.push_back(column[i]);
    llvm::append_range(results, transform(n, row));
  }
  return results;
}

/// Rows whose elements are neighbours; everything else is dynamic.
static MemRefType getStridedType(OpBuilder &b, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), ShapedType::kDynamic);
  strides.back() = 1;
  return MemRefType::get(
      shape, b.getF32Type(),
      StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, strides));
}

/// The (patch, channel) at place (i, j) of all patches of `buffer`: in one with
/// dimensions of its own for places, or in rows, where patches are `outputSize`
/// columns apart.
static Value viewPlace(OpBuilder &b, Location loc, Value buffer, int64_t i,
                       int64_t j, Value patches, Value channels) {
  bool isInRows = cast<MemRefType>(buffer.getType()).getRank() == 3;
  auto number = [&](int64_t value) -> OpFoldResult {
    return b.getIndexAttr(value);
  };
  SmallVector<OpFoldResult> offsets{number(i), number(j), number(0)},
      sizes{number(1), patches, channels},
      strides{number(1), number(outputSize), number(1)};
  if (!isInRows) {
    offsets.push_back(number(0));
    sizes.insert(sizes.begin(), number(1));
    strides.assign(4, number(1));
  }
  auto type = cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
      {ShapedType::kDynamic, ShapedType::kDynamic},
      cast<MemRefType>(buffer.getType()), offsets, sizes, strides));
  return memref::SubViewOp::create(b, loc, type, buffer, offsets, sizes,
                                   strides);
}

/// A structured op that transforms both dimensions of patches, to `places` each
/// way.
static void transformPatches(OpBuilder &b, Location loc, Value source,
                             Value target, int64_t places,
                             Transformation transform) {
  // The one with dimensions of its own for places tells how many patches.
  bool countsSource = cast<MemRefType>(source.getType()).getRank() == 4;
  Value counted = countsSource ? source : target;
  Value patches = memref::DimOp::create(b, loc, counted, 2),
        channels = memref::DimOp::create(b, loc, counted, 3);
  SmallVector<Value> inputs, outputs;
  for (int64_t i = 0; i < patchSize; ++i)
    for (int64_t j = 0; j < patchSize; ++j)
      inputs.push_back(viewPlace(b, loc, source, i, j, patches, channels));
  for (int64_t i = 0; i < places; ++i)
    for (int64_t j = 0; j < places; ++j)
      outputs.push_back(viewPlace(b, loc, target, i, j, patches, channels));
  SmallVector<AffineMap> maps(inputs.size() + outputs.size(),
                              b.getMultiDimIdentityMap(2));
  SmallVector<utils::IteratorType> iterators(2, utils::IteratorType::parallel);
  linalg::GenericOp::create(
      b, loc, TypeRange(), inputs, outputs, maps, iterators,
      [&](OpBuilder &inner, Location loc, ValueRange values) {
        linalg::YieldOp::create(inner, loc,
                                transformBoth({inner, loc}, values, transform));
      });
}

/// The private function of this name; made with `body`, before whose insertion
/// point it returns, if it is missing.
static func::FuncOp
getFunction(ModuleOp module, StringRef name, ArrayRef<Type> arguments,
            bool onOneThread,
            function_ref<void(OpBuilder &, Location, ValueRange)> body) {
  if (auto found = dyn_cast_or_null<func::FuncOp>(
          SymbolTable::lookupSymbolIn(module, name)))
    return found;
  OpBuilder b(module.getBodyRegion());
  b.setInsertionPointToEnd(module.getBody());
  Location loc = module.getLoc();
  auto function =
      func::FuncOp::create(b, loc, name, b.getFunctionType(arguments, {}));
  function.setPrivate();
  function->setAttr("no_inline", b.getUnitAttr());
  if (onOneThread)
    function->setAttr(oneThreadName, b.getUnitAttr());
  b.setInsertionPointToStart(function.addEntryBlock());
  body(b, loc, function.getArguments());
  func::ReturnOp::create(b, loc);
  return function;
}

/// Copies rows of an image to the first of six, makes the others zero, and
/// transforms the patches in them.
static void emitInput(OpBuilder &b, Location loc, Value image, Value rows,
                      Value patches) {
  Value flat = memref::CollapseShapeOp::create(
      b, loc, rows, ArrayRef<ReassociationIndices>{{0}, {1, 2}});
  Value count = memref::DimOp::create(b, loc, image, 0),
        length = memref::DimOp::create(b, loc, image, 1);
  Value all = arith::ConstantIndexOp::create(b, loc, patchSize);
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  auto view = [&](OpFoldResult first, Value size) -> Value {
    return memref::SubViewOp::create(
        b, loc, flat, ArrayRef<OpFoldResult>{first, zero},
        ArrayRef<OpFoldResult>{size, length}, ArrayRef<OpFoldResult>{one, one});
  };
  linalg::CopyOp::create(b, loc, image, view(zero, count));
  Value missing = arith::SubIOp::create(b, loc, all, count);
  Value number = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
  linalg::FillOp::create(b, loc, number, view(count, missing));
  transformPatches(b, loc, rows, patches, patchSize, transformPatch);
}

func::FuncOp winograd::getInputFunction(ModuleOp module) {
  OpBuilder b(module.getContext());
  Type types[] = {
      getStridedType(b, {anyExtent, anyExtent}),
      MemRefType::get({patchSize, anyExtent, anyExtent}, b.getF32Type()),
      getStridedType(b, {patchSize, patchSize, anyExtent, anyExtent})};
  return getFunction(
      module, "symshape.winograd.input", types, /*onOneThread=*/true,
      [](OpBuilder &b, Location loc, ValueRange arguments) {
        emitInput(b, loc, arguments[0], arguments[1], arguments[2]);
      });
}

func::FuncOp winograd::getOutputFunction(ModuleOp module) {
  OpBuilder b(module.getContext());
  Type types[] = {
      getStridedType(b, {patchSize, patchSize, anyExtent, anyExtent}),
      MemRefType::get({outputSize, anyExtent, anyExtent}, b.getF32Type())};
  return getFunction(module, "symshape.winograd.output", types,
                     /*onOneThread=*/true,
                     [](OpBuilder &b, Location loc, ValueRange arguments) {
                       transformPatches(b, loc, arguments[0], arguments[1],
                                        outputSize, transformProducts);
                     });
}

/// One contraction for all places in the patch.
static void emitProduct(OpBuilder &b, Location loc, Value patches,
                        Value weights, Value products, TileAttr tile) {
  SmallVector<AffineExpr> d;
  for (unsigned i = 0; i < 5; ++i)
    d.push_back(b.getAffineDimExpr(i));
  // Loops: place in the patch (two), patch, feature, channel.
  auto map = [&](unsigned row, unsigned column) {
    return AffineMap::get(5, 0, {d[0], d[1], d[row], d[column]},
                          b.getContext());
  };
  auto product = ContractOp::create(
      b, loc, Type(), patches, weights, ValueRange(), products, ValueRange(),
      Value(), Value(), Value(),
      b.getAffineMapArrayAttr({map(2, 4), map(3, 4), map(2, 3)}), tile, nullptr,
      nullptr, nullptr, nullptr, nullptr, nullptr);
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.createBlock(&product.getBody());
  ContractYieldOp::create(b, loc, block->addArgument(b.getF32Type(), loc));
}

func::FuncOp winograd::getProductFunction(ModuleOp module, TileAttr tile) {
  OpBuilder b(module.getContext());
  Type rows = getStridedType(b, {patchSize, patchSize, anyExtent, anyExtent});
  Type weights = getStridedType(
      b, {patchSize, patchSize, anyExtent, anyExtent, tile.getColumns()});
  Type index = b.getIndexType();
  Type types[] = {rows, weights, rows, index, index, index, index};
  std::string name =
      ("symshape.winograd.product." + Twine(tile.getColumns())).str();
  func::FuncOp function = getFunction(
      module, name, types, /*onOneThread=*/false,
      [&](OpBuilder &b, Location loc, ValueRange arguments) {
        emitProduct(b, loc, arguments[0], arguments[1], arguments[2], tile);
      });
  int64_t factor = patchSize * patchSize / tile.getLanes();
  function->setAttr(
      callCostName,
      b.getDenseI64ArrayAttr({std::max<int64_t>(factor, 1), 3, 4, 5, 6}));
  return function;
}
