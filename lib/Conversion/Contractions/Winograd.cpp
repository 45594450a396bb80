//===- Winograd.cpp - Convolutions with fewer products --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// When the algorithm pays, and its three transformations.
//
//===----------------------------------------------------------------------===//

#include "Winograd.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace mlir::symshape;

/// Fewer channels than these are not worth the transformations.
static constexpr int64_t leastWinogradChannels = 16;
/// Transformed weights of more are read from memory in each call; and they take
/// four times the place of those that they stand for.
static constexpr int64_t mostWinogradWeights = 256 * 256;

bool winograd::isPossible(const ContractionMatch &match) {
  auto isFloat = [](Value value) {
    return getElementTypeOrSelf(value.getType()).isF32();
  };
  if (!isFloat(match.a) || !isFloat(match.b) || !match.sumType.isF32() ||
      !isFloat(match.op->getResult(0)) || match.aMap.getNumResults() != 4 ||
      match.bMap.getNumResults() != 4 || match.resultMap.getNumResults() != 4)
    return false;
  MLIRContext *context = match.op->getContext();
  auto getExtent = [&](AffineExpr loop) {
    auto position = match.bMap.getResultPosition(loop);
    return position ? cast<ShapedType>(match.b.getType()).getDimSize(*position)
                    : ShapedType::kDynamic;
  };
  AffineExpr channel = match.aMap.getResult(3);
  auto feature = getAffineDimExpr(match.loops.column, context);
  if (match.aMap.getResult(0) != match.resultMap.getResult(0))
    return false;
  for (unsigned d : {1, 2}) {
    AffineExpr place = match.resultMap.getResult(d);
    unsigned taps = 0;
    bool isPlain = true;
    forEachTerm(match.aMap.getResult(d), [&](unsigned loop, int64_t factor) {
      AffineExpr expr = getAffineDimExpr(loop, context);
      isPlain &= factor == 1;
      taps += expr != place && getExtent(expr) == kernelSize;
      isPlain &= expr == place || getExtent(expr) == kernelSize;
    });
    if (!isPlain || taps != 1)
      return false;
  }
  int64_t channels = getExtent(channel), features = getExtent(feature);
  return channels >= leastWinogradChannels &&
         features >= leastWinogradChannels &&
         channels * features <= mostWinogradWeights;
}

winograd::Costs::Costs(int64_t channels, int64_t features, int64_t tileRows) {
  // A transformed element costs as much as about eight terms of a sum.
  int64_t terms = channels * features;
  int64_t transformed = (16 * 8 * (channels + features) + terms - 1) / terms;
  int64_t places = patchSize * patchSize, taps = kernelSize * kernelSize;
  // Transformed weights are read as fast as some rows are multiplied by them.
  // A quarter more, so that a small gain does not change a result.
  perPatch = places * (16 + transformed) * 5 / 4;
  perCall = places * 16 * tileRows * 5 / 4;
  perTile = taps * 16 * tileRows;
}

/// result[...] = sum over k of matrix[first, k] * operand, where `loops` are
/// the maps of matrix, operand and result, and k is the last of six loops.
static Value multiplyByMatrix(OpBuilder &builder, Location loc, Value matrix,
                              Value operand, ArrayRef<AffineMap> maps,
                              ArrayRef<int64_t> shape) {
  Type type = getElementTypeOrSelf(operand.getType());
  Value empty = tensor::EmptyOp::create(builder, loc, shape, type);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  Value init = linalg::FillOp::create(builder, loc, zero, empty).getResult(0);
  SmallVector<utils::IteratorType> iterators(shape.size(),
                                             utils::IteratorType::parallel);
  iterators.push_back(utils::IteratorType::reduction);
  return linalg::GenericOp::create(
             builder, loc, init.getType(), ValueRange{matrix, operand}, init,
             maps, iterators,
             [](OpBuilder &b, Location loc, ValueRange v) {
               Value product = arith::MulFOp::create(b, loc, v[0], v[1]);
               Value sum = arith::AddFOp::create(b, loc, v[2], product);
               linalg::YieldOp::create(b, loc, sum);
             })
      .getResult(0);
}

Value winograd::transformWeights(OpBuilder &builder, Location loc,
                                 const ContractionMatch &match) {
  static constexpr float rows[patchSize][kernelSize] = {
      {1.0f / 4, 0, 0},
      {-1.0f / 6, -1.0f / 6, -1.0f / 6},
      {-1.0f / 6, 1.0f / 6, -1.0f / 6},
      {1.0f / 24, 1.0f / 12, 1.0f / 6},
      {1.0f / 24, -1.0f / 12, 1.0f / 6},
      {0, 0, 1}};
  auto matrixType =
      RankedTensorType::get({patchSize, kernelSize}, builder.getF32Type());
  Value matrix = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(matrixType,
                             ArrayRef(&rows[0][0], patchSize * kernelSize)));
  // Loops: place in the patch, the other tap, channel, feature, tap.
  MLIRContext *context = builder.getContext();
  SmallVector<AffineExpr> d;
  for (unsigned i = 0; i < 5; ++i)
    d.push_back(getAffineDimExpr(i, context));
  auto getTap = [&](unsigned position) {
    unsigned tap = 0;
    forEachTerm(match.aMap.getResult(position), [&](unsigned loop, int64_t) {
      if (getAffineDimExpr(loop, context) !=
          match.resultMap.getResult(position))
        tap = loop;
    });
    return tap;
  };
  auto weights = cast<RankedTensorType>(match.b.getType());
  int64_t channels = 0, features = 0;
  SmallVector<AffineExpr> read;
  for (auto [position, expr] : llvm::enumerate(match.bMap.getResults())) {
    int64_t extent = weights.getDimSize(position);
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    if (loop == match.loops.column) {
      features = extent;
      read.push_back(d[3]);
    } else if (expr == match.aMap.getResult(3)) {
      channels = extent;
      read.push_back(d[2]);
    } else {
      read.push_back(loop == getTap(1) ? d[4] : d[1]);
    }
  }
  auto map = [&](ArrayRef<AffineExpr> results) {
    return AffineMap::get(5, 0, results, context);
  };
  AffineMap identity = map(ArrayRef(d).take_front(4));
  Value half = multiplyByMatrix(builder, loc, matrix, match.b,
                                {map({d[0], d[4]}), map(read), identity},
                                {patchSize, kernelSize, channels, features});
  return multiplyByMatrix(
      builder, loc, matrix, half,
      {map({d[1], d[4]}), map({d[0], d[4], d[2], d[3]}), identity},
      {patchSize, patchSize, channels, features});
}

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

/// One dimension of a patch.
static SmallVector<Value> transformPatch(Numbers n, ArrayRef<Value> x) {
  Value even = n.sub(x[4], n.times(4, x[2])),
        odd = n.sub(x[3], n.times(4, x[1])), outer = n.sub(x[4], x[2]),
        inner = n.times(2, n.sub(x[3], x[1]));
  return {n.add(n.sub(n.times(4, x[0]), n.times(5, x[2])), x[4]),
          n.add(even, odd),
          n.sub(even, odd),
          n.add(outer, inner),
          n.sub(outer, inner),
          n.add(n.sub(n.times(4, x[1]), n.times(5, x[3])), x[5])};
}

/// One dimension of the products of a patch.
static SmallVector<Value> transformProducts(Numbers n, ArrayRef<Value> x) {
  Value near = n.add(x[1], x[2]), nearDifference = n.sub(x[1], x[2]),
        far = n.add(x[3], x[4]), farDifference = n.sub(x[3], x[4]);
  return {n.add(n.add(x[0], near), far),
          n.add(nearDifference, n.times(2, farDifference)),
          n.add(near, n.times(4, far)),
          n.add(n.add(nearDifference, n.times(8, farDifference)), x[5])};
}

using Transformation = SmallVector<Value> (*)(Numbers, ArrayRef<Value>);

/// Both dimensions of `values`, `size` each.
static SmallVector<Value> transformBoth(Numbers n, ValueRange values,
                                        Transformation transform) {
  constexpr int64_t size = winograd::patchSize;
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
      strides{number(1), number(winograd::outputSize), number(1)};
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

/// A function that transforms both dimensions of patches: `from` and `to` are
/// the shapes of its arguments.
static func::FuncOp getFunction(ModuleOp module, StringRef name,
                                ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                                int64_t places, Transformation transform) {
  if (auto found = dyn_cast_or_null<func::FuncOp>(
          SymbolTable::lookupSymbolIn(module, name)))
    return found;
  OpBuilder b(module.getBodyRegion());
  b.setInsertionPointToEnd(module.getBody());
  Location loc = module.getLoc();
  auto function = func::FuncOp::create(
      b, loc, name,
      b.getFunctionType({getStridedType(b, from), getStridedType(b, to)}, {}));
  function.setPrivate();
  function->setAttr("no_inline", b.getUnitAttr());
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  Value source = entry->getArgument(0), target = entry->getArgument(1);
  // The argument with dimensions of its own for places tells how many patches.
  Value counted = from.size() == 4 ? source : target;
  Value patches = memref::DimOp::create(b, loc, counted, 2),
        channels = memref::DimOp::create(b, loc, counted, 3);
  SmallVector<Value> inputs, outputs;
  for (int64_t i = 0; i < winograd::patchSize; ++i)
    for (int64_t j = 0; j < winograd::patchSize; ++j)
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
  func::ReturnOp::create(b, loc);
  return function;
}

static constexpr int64_t anyExtent = ShapedType::kDynamic;

func::FuncOp winograd::getInputFunction(ModuleOp module) {
  return getFunction(
      module, "symshape.winograd.input", {patchSize, anyExtent, anyExtent},
      {patchSize, patchSize, anyExtent, anyExtent}, patchSize, transformPatch);
}

func::FuncOp winograd::getOutputFunction(ModuleOp module) {
  return getFunction(module, "symshape.winograd.output",
                     {patchSize, patchSize, anyExtent, anyExtent},
                     {outputSize, anyExtent, anyExtent}, outputSize,
                     transformProducts);
}
