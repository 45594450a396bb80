//===- PaddingValues.cpp - What a structured op may be padded with --------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An added iteration of a loop that indexes a result computes elements that are
// cut away: it must only be harmless. One of a reduced loop combines what it
// computes into an element that stays: that must be the neutral value of the
// reduction. Folding the body finds which padding gives that.
//
//===----------------------------------------------------------------------===//

#include "PaddingValues.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::symshape;
using linalg::LinalgOp;

/// The first op of the body that could trap, be undefined or be seen for some
/// elements; null if there is none.
static Operation *findHarmful(Block &body) {
  for (Operation &op : body.without_terminator())
    if (!isa<linalg::IndexOp>(op) &&
        (!isa<arith::ArithDialect, complex::ComplexDialect, math::MathDialect>(
             op.getDialect()) ||
         !isPure(&op)))
      return &op;
  return nullptr;
}

/// Whether `operand` ends where `loop` of the op ends.
static bool isPaddedAlong(OpOperand *operand, unsigned loop) {
  auto op = cast<LinalgOp>(operand->getOwner());
  return llvm::any_of(op.getMatchingIndexingMap(operand).getResults(),
                      [&](AffineExpr e) {
                        auto dim = dyn_cast<AffineDimExpr>(e);
                        return dim && dim.getPosition() == loop;
                      });
}

namespace {
/// A loop that runs further, and a result into which it is reduced.
struct PaddedReduction {
  unsigned loop;
  Operation *combiner;
  /// What an iteration combines into the result.
  Value contribution;
  TypedAttr neutral;
};
} // namespace

/// Whether values of the type are integers, or floats with all special values.
static bool isPlainType(Type type) {
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType)
    return isa<IntegerType>(type);
  const llvm::fltSemantics &semantics = floatType.getFloatSemantics();
  return APFloat::semanticsHasInf(semantics) &&
         APFloat::semanticsHasNaN(semantics) &&
         APFloat::semanticsHasZero(semantics) &&
         APFloat::semanticsHasSignedRepr(semantics);
}

/// x + 0.0 is 0.0 for x = -0.0, so the neutral value of a sum is -0.0.
static TypedAttr neutralOf(Operation *combiner) {
  Type type = combiner->getResult(0).getType();
  if (!isPlainType(type))
    return {};
  if (isa<arith::AddFOp>(combiner))
    return FloatAttr::get(
        type, APFloat::getZero(cast<FloatType>(type).getFloatSemantics(),
                               /*Negative=*/true));
  return arith::getNeutralElement(combiner).value_or(TypedAttr());
}

static FailureOr<SmallVector<PaddedReduction>>
findReductions(LinalgOp op, const llvm::SmallBitVector &padded,
               std::string &reason) {
  SmallVector<PaddedReduction> result;
  for (auto [i, init] : llvm::enumerate(op.getDpsInitsMutable()))
    for (unsigned loop : padded.set_bits()) {
      if (isPaddedAlong(&init, loop))
        continue;
      SmallVector<Operation *, 4> combiners;
      if (!matchReduction(op.getRegionOutputArgs(), i, combiners) ||
          combiners.size() != 1 || combiners.front()->getNumOperands() != 2) {
        reason = "the reduction is not a single op";
        return failure();
      }
      Operation *combiner = combiners.front();
      bool isFirst = combiner->getOperand(0) == op.getRegionOutputArgs()[i];
      TypedAttr neutral = neutralOf(combiner);
      if (!neutral) {
        reason = "'" + combiner->getName().getStringRef().str() +
                 "' has no neutral value";
        return failure();
      }
      result.push_back(
          {loop, combiner, combiner->getOperand(isFirst ? 1 : 0), neutral});
    }
  return result;
}

/// What the added iterations of a loop contribute, if it is a constant.
static Attribute fold(LinalgOp op, const PaddedReduction &reduction,
                      ArrayRef<TypedAttr> values) {
  DenseMap<Value, Attribute> known;
  for (OpOperand &operand : op->getOpOperands())
    if (isPaddedAlong(&operand, reduction.loop))
      known[op.getMatchingBlockArgument(&operand)] =
          values[operand.getOperandNumber()];
  for (Operation &inner : op.getBlock()->without_terminator()) {
    // Folding may also change an op in place.
    Operation *clone = inner.clone();
    SmallVector<Attribute> operands;
    for (Value operand : clone->getOperands())
      operands.push_back(known.lookup(operand));
    SmallVector<OpFoldResult> folded;
    if (auto constant = dyn_cast<arith::ConstantOp>(inner))
      known[constant] = constant.getValue();
    else if (succeeded(clone->fold(operands, folded)))
      for (auto [value, to] : llvm::zip(inner.getResults(), folded))
        known[value] = isa<Attribute>(to) ? cast<Attribute>(to)
                                          : known.lookup(cast<Value>(to));
    clone->destroy();
  }
  return known.lookup(reduction.contribution);
}

/// Values that an element of the type may be padded with: zero first, then
/// those that are neutral for reductions, also in a wider type.
static SmallVector<TypedAttr> candidatesFor(Type type,
                                            ArrayRef<PaddedReduction> all) {
  SmallVector<TypedAttr> result;
  auto add = [&](TypedAttr value) {
    if (value.getType() == type && !llvm::is_contained(result, value))
      result.push_back(value);
  };
  Builder builder(type.getContext());
  if (!isPlainType(type) && !type.isIndex())
    return result;
  add(builder.getZeroAttr(type));
  for (const PaddedReduction &reduction : all)
    add(reduction.neutral);
  add(builder.getOneAttr(type));
  if (auto floatType = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = floatType.getFloatSemantics();
    add(FloatAttr::get(type, APFloat::getZero(semantics, /*Negative=*/true)));
    for (bool negative : {true, false})
      add(FloatAttr::get(type, APFloat::getInf(semantics, negative)));
  }
  return result;
}

FailureOr<PaddingValues>
mlir::symshape::choosePadding(LinalgOp op, const llvm::SmallBitVector &padded,
                              std::string &reason) {
  if (Operation *harmful = findHarmful(*op.getBlock())) {
    reason = "'" + harmful->getName().getStringRef().str() +
             "' may be undefined for the added elements";
    return failure();
  }
  auto reductions = findReductions(op, padded, reason);
  if (failed(reductions))
    return failure();
  PaddingValues result;
  result.matters.resize(op->getNumOperands());
  SmallVector<SmallVector<TypedAttr>> choices;
  size_t combinations = 1;
  for (OpOperand &operand : op->getOpOperands()) {
    Type type = getElementTypeOrSelf(operand.get());
    SmallVector<TypedAttr> choice = candidatesFor(type, *reductions);
    if (choice.empty()) {
      llvm::raw_string_ostream(reason)
          << "no padding is known for elements of type '" << type << "'";
      return failure();
    }
    bool matters = llvm::any_of(*reductions, [&](const PaddedReduction &r) {
      return isPaddedAlong(&operand, r.loop);
    });
    if (!matters)
      choice.resize(1);
    result.matters[operand.getOperandNumber()] = matters;
    combinations *= choice.size();
    choices.push_back(std::move(choice));
  }
  // An op with more than a few operands is not a contraction.
  for (size_t n = 0; n < std::min<size_t>(combinations, 256); ++n) {
    result.values.clear();
    size_t rest = n;
    for (ArrayRef<TypedAttr> choice : choices) {
      result.values.push_back(choice[rest % choice.size()]);
      rest /= choice.size();
    }
    if (llvm::all_of(*reductions, [&](const PaddedReduction &reduction) {
          return fold(op, reduction, result.values) == reduction.neutral;
        }))
      return result;
  }
  reason = "no padding is known to leave the reduction as it is";
  return failure();
}
