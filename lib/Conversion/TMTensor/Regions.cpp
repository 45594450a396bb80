//===- Regions.cpp - What functions of scalars do -------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Regions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::symshape;

static std::optional<Combiner> namedCombiner(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Combiner>>(op)
      .Case<arith::AddFOp, arith::AddIOp>([](auto) { return Combiner::Add; })
      .Case<arith::MulFOp, arith::MulIOp>([](auto) { return Combiner::Mul; })
      .Case<arith::MaximumFOp, arith::MaxSIOp>(
          [](auto) { return Combiner::Max; })
      .Case<arith::MinimumFOp, arith::MinSIOp>(
          [](auto) { return Combiner::Min; })
      .Default([](Operation *) { return std::nullopt; });
}

/// The only op of a region besides its terminator, which yields its result.
static Operation *readOnlyOp(Region &region) {
  Block &block = region.front();
  Value yielded = block.getTerminator()->getOperand(0);
  if (!llvm::hasNItems(block, 2) || yielded.getDefiningOp() != &block.front())
    return nullptr;
  return &block.front();
}

std::optional<RegionCombiner>
mlir::symshape::readRegionCombiner(Region &region, unsigned element) {
  Block &block = region.front();
  Value old = block.getArgument(element),
        other = block.getArgument(1 - element);
  if (llvm::hasSingleElement(block) &&
      block.getTerminator()->getOperand(0) == other)
    return RegionCombiner{Combiner::Update, other};
  Operation *op = readOnlyOp(region);
  std::optional<Combiner> combiner =
      op ? namedCombiner(op) : std::optional<Combiner>();
  if (!combiner || llvm::count(op->getOperands(), old) != 1)
    return std::nullopt;
  Value update = op->getOperand(op->getOperand(0) == old ? 1 : 0);
  return RegionCombiner{*combiner, update};
}

Value mlir::symshape::flipSign(OpBuilder &b, Location loc, Value value) {
  Type type = value.getType();
  auto element = cast<IntegerType>(getElementTypeOrSelf(type));
  // So that a constant stays one.
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    return linalg::FillOp::create(b, loc, flipSign(b, loc, fill.getInputs()[0]),
                                  fill.getOutputs()[0])
        .getResult(0);
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    AffineMap map = b.getMultiDimIdentityMap(tensor.getRank());
    SmallVector<utils::IteratorType> loops(tensor.getRank(),
                                           utils::IteratorType::parallel);
    return linalg::GenericOp::create(
               b, loc, type, value, value, {map, map}, loops,
               [](OpBuilder &inner, Location where, ValueRange v) {
                 linalg::YieldOp::create(inner, where,
                                         flipSign(inner, where, v[0]));
               })
        .getResult(0);
  }
  APInt number, sign = APInt::getSignMask(element.getWidth());
  auto constant = [&](const APInt &bits) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, bits));
  };
  if (matchPattern(value, m_ConstantInt(&number)))
    return constant(number ^ sign);
  return arith::XOrIOp::create(b, loc, value, constant(sign));
}

/// The predicate of signed integers in place of one of unsigned ones.
static std::optional<arith::CmpIPredicate>
signedPredicate(arith::CmpIPredicate predicate) {
  using Is = arith::CmpIPredicate;
  switch (predicate) {
  case Is::ult:
    return Is::slt;
  case Is::ule:
    return Is::sle;
  case Is::ugt:
    return Is::sgt;
  case Is::uge:
    return Is::sge;
  default:
    return std::nullopt;
  }
}

SmallVector<unsigned> mlir::symshape::makeRegionSigned(RewriterBase &b,
                                                       Region &region) {
  Operation *op = readOnlyOp(region);
  if (!op || op->getNumOperands() != 2 ||
      !isa<IntegerType>(op->getOperand(0).getType()))
    return {};
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(op);
  ValueRange both = op->getOperands();
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    auto predicate = signedPredicate(compare.getPredicate());
    if (!predicate)
      return {};
    compare.setPredicate(*predicate);
  } else if (isa<arith::MaxUIOp>(op)) {
    op = b.replaceOpWithNewOp<arith::MaxSIOp>(op, both[0], both[1]);
  } else if (isa<arith::MinUIOp>(op)) {
    op = b.replaceOpWithNewOp<arith::MinSIOp>(op, both[0], both[1]);
  } else {
    return {};
  }
  SmallVector<unsigned> arguments;
  b.setInsertionPoint(region.getParentOp());
  for (OpOperand &operand : op->getOpOperands()) {
    auto argument = dyn_cast<BlockArgument>(operand.get());
    if (argument && argument.getOwner() == &region.front())
      arguments.push_back(argument.getArgNumber());
    else // from outside of the region
      operand.set(flipSign(b, op->getLoc(), operand.get()));
  }
  return arguments;
}

/// Whether a comparison holds for the lesser and for equal elements: for its
/// operands in order.
static std::optional<std::pair<bool, bool>> readPredicate(Operation *op) {
  using Float = arith::CmpFPredicate;
  using Int = arith::CmpIPredicate;
  if (auto compare = dyn_cast_or_null<arith::CmpFOp>(op)) {
    Float is = compare.getPredicate();
    if (is == Float::OLT || is == Float::OLE)
      return std::pair(true, is == Float::OLE);
    if (is == Float::OGT || is == Float::OGE)
      return std::pair(false, is == Float::OGE);
  }
  if (auto compare = dyn_cast_or_null<arith::CmpIOp>(op)) {
    Int is = compare.getPredicate();
    if (is == Int::slt || is == Int::sle)
      return std::pair(true, is == Int::sle);
    if (is == Int::sgt || is == Int::sge)
      return std::pair(false, is == Int::sge);
  }
  return std::nullopt;
}

std::optional<RegionOrder> mlir::symshape::readRegionOrder(Region &region) {
  Operation *op = readOnlyOp(region);
  auto predicate = readPredicate(op);
  if (!predicate)
    return std::nullopt;
  auto lhs = dyn_cast<BlockArgument>(op->getOperand(0));
  auto rhs = dyn_cast<BlockArgument>(op->getOperand(1));
  Block *block = &region.front();
  if (!lhs || !rhs || lhs.getOwner() != block || rhs.getOwner() != block ||
      lhs == rhs || lhs.getArgNumber() / 2 != rhs.getArgNumber() / 2)
    return std::nullopt;
  bool isSwapped = lhs.getArgNumber() > rhs.getArgNumber();
  return RegionOrder{lhs.getArgNumber() / 2, predicate->first == isSwapped,
                     !predicate->second};
}
