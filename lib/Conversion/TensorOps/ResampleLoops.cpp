//===- ResampleLoops.cpp - Sums of elements at places ---------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A resampling becomes one structured op, which reads the source at the places
// of all taps. The tables of places and weights are operands of this op. It
// computes the elements of a table that tensor.generate makes instead of
// loading them: integer arithmetic costs less. If the number of taps is not
// constant, they are a reduction loop.
//
//===----------------------------------------------------------------------===//

#include "ResampleLoops.h"
#include "GatherWindows.h"
#include "Structure/Loops.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// A structured op in the making, and how its body reads the source.
struct Taps {
  /// Adds what is read for tap `tap` of the axis of number `i`, in loops of
  /// this number, as operands.
  void add(size_t i, AffineExpr tap, unsigned loops);
  /// The sum at the position `at` along the axes from number `i` on. `args` are
  /// the operands; `tapLoop` is the index of the loop over taps, if there is
  /// one.
  Value sum(OpBuilder &b, ValueRange args, Value tapLoop,
            SmallVector<Value> &at, size_t i = 0);

  ResampleOp op;
  SmallVector<Value> lasts; ///< the last place of the source, by axis
  SmallVector<Value> inputs = {};
  SmallVector<AffineMap> maps = {};
  /// By axis: its first operand, and how many taps were added.
  SmallVector<size_t> begins = SmallVector<size_t>(lasts.size());
  SmallVector<size_t> numTaps = SmallVector<size_t>(lasts.size());
};
} // namespace

/// What computes the elements of a table, if it does nothing else.
static tensor::GenerateOp generatorOf(Value table) {
  while (auto cast = table.getDefiningOp<tensor::CastOp>())
    table = cast.getSource();
  auto made = table.getDefiningOp<tensor::GenerateOp>();
  return made && llvm::all_of(made.getBody().front(),
                              [](Operation &inner) {
                                return isMemoryEffectFree(&inner);
                              })
             ? made
             : tensor::GenerateOp();
}

void Taps::add(size_t i, AffineExpr tap, unsigned loops) {
  AffineExpr place = getAffineDimExpr(op.getAxes()[i], op.getContext());
  if (numTaps[i]++ == 0)
    begins[i] = inputs.size();
  for (Value table : op.getTables(i))
    if (!generatorOf(table)) {
      inputs.push_back(table);
      maps.push_back(AffineMap::get(loops, 0, {tap, place}, op.getContext()));
    }
}

/// An element of a table: what its generator computes, or the next operand.
static Value readTable(OpBuilder &b, Value table, Value tap, Value place,
                       ValueRange &args) {
  tensor::GenerateOp made = generatorOf(table);
  if (!made) {
    Value element = args.front();
    args = args.drop_front();
    return element;
  }
  IRMapping mapping;
  Block &body = made.getBody().front();
  mapping.map(body.getArguments(), ValueRange{tap, place});
  for (Operation &inner : body.without_terminator())
    b.clone(inner, mapping);
  return mapping.lookupOrDefault(body.getTerminator()->getOperand(0));
}

Value Taps::sum(OpBuilder &b, ValueRange args, Value tapLoop,
                SmallVector<Value> &at, size_t i) {
  Location loc = op.getLoc();
  if (i == lasts.size()) {
    Value element = tensor::ExtractOp::create(b, loc, op.getSource(), at);
    return convertScalarToDtype(b, loc, element, op.getType().getElementType(),
                                /*isUnsignedCast=*/false);
  }
  ArithBuilder numbers(b, loc);
  Value all, &coordinate = at[op.getAxes()[i]], here = coordinate;
  ValueRange own = args.drop_front(begins[i]);
  for (size_t k = 0; k < numTaps[i]; ++k) {
    Value tap = tapLoop ? tapLoop : makeIndex(b, loc, k);
    Value place = readTable(b, op.getPlaces()[i], tap, here, own);
    if (!place.getType().isIndex())
      place = arith::IndexCastOp::create(b, loc, b.getIndexType(), place);
    place = arith::MaxSIOp::create(b, loc, place, makeIndex(b, loc, 0));
    coordinate = arith::MinSIOp::create(b, loc, place, lasts[i]);
    Value part = sum(b, args, tapLoop, at, i + 1);
    if (!op.getWeights().empty())
      part =
          numbers.mul(part, readTable(b, op.getWeights()[i], tap, here, own));
    all = all ? numbers.add(all, part) : part;
  }
  coordinate = here;
  return all;
}

void mlir::symshape::lower(RewriterBase &b, ResampleOp op, bool) {
  Location loc = op.getLoc();
  ReifiedRankedShapedTypeDims shapes;
  (void)op.reifyResultShapes(b, shapes); // never fails
  Type type = op.getType().getElementType();
  Value init = tensor::EmptyOp::create(b, loc, shapes.front(), type);
  SmallVector<Value> lasts;
  for (int64_t axis : op.getAxes())
    lasts.push_back(arith::SubIOp::create(
        b, loc, tensor::DimOp::create(b, loc, op.getSource(), axis),
        makeIndex(b, loc, 1)));
  Taps taps{op, lasts};
  unsigned rank = op.getType().getRank();
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  bool hasTapLoop = ShapedType::isDynamic(op.getNumTaps(0));
  if (hasTapLoop) {
    loops.push_back(utils::IteratorType::reduction);
    taps.add(0, b.getAffineDimExpr(rank), loops.size());
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    init = linalg::FillOp::create(b, loc, zero, init).getResult(0);
  }
  for (size_t i = 0; i < lasts.size() && !hasTapLoop; ++i)
    for (int64_t k = 0; k < op.getNumTaps(i); ++k)
      taps.add(i, b.getAffineConstantExpr(k), rank);
  taps.maps.push_back(
      b.getMultiDimIdentityMap(loops.size()).getMajorSubMap(rank));
  auto body = [&](OpBuilder &b, Location loc, ValueRange args) {
    SmallVector<Value> at;
    for (size_t d = 0; d < loops.size(); ++d)
      at.push_back(linalg::IndexOp::create(b, loc, d));
    Value tap = hasTapLoop ? at.pop_back_val() : Value();
    Value sum = taps.sum(b, args, tap, at);
    if (hasTapLoop)
      sum = ArithBuilder(b, loc).add(args.back(), sum);
    linalg::YieldOp::create(b, loc, sum);
  };
  auto made = linalg::GenericOp::create(b, loc, init.getType(), taps.inputs,
                                        init, taps.maps, loops, body);
  replaceCast(b, op, made.getResult(0));
}
