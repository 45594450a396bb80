//===- Defaults.cpp - Ops without a rule of ours --------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is said of an op that does not implement ShapeFactsOpInterface, from the
// upstream interfaces it has, in this order: value bounds, one op deep;
// destination style; integer ranges; else nothing.
//
//===----------------------------------------------------------------------===//

#include "IntegerRanges.h"
#include "Internal.h"
#include "OpRanges.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Index/IR/IndexOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// What upstream's model says of one op, in exact arithmetic; it is not asked
/// where the operands come from.
class OneOpBounds
    : public llvm::RTTIExtends<OneOpBounds, ValueBoundsConstraintSet> {
public:
  static char ID;
  explicit OneOpBounds(Operation *op)
      : RTTIExtends(op->getContext(), stopOutside(op)) {}

  static StopConditionFn stopOutside(Operation *op) {
    return [op](Value v, std::optional<int64_t>, ValueBoundsConstraintSet &) {
      return v.getDefiningOp() != op;
    };
  }
};
char OneOpBounds::ID = 0;
} // namespace

/// Asks the upstream model for each dynamic dim and index of the results, in
/// terms of the operands. Upstream's models are unsound where
///  - a loop carries a scalar: the step of one iteration is taken for that of
///    all, and a trip count may be negative. Loops are not asked;
///  - index arithmetic wraps. A value is set only where it provably fits;
///  - a coefficient does not fit 64 bits, and is cut. Each answer is proved
///    again from the model, in exact arithmetic.
bool FunctionShapes::applyValueBounds(Operation *op) {
  if (!isa<ValueBoundsOpInterface>(op) || isa<LoopLikeOpInterface>(op))
    return false;
  using Variable = ValueBoundsConstraintSet::Variable;
  auto ask = [&](const Variable &var) -> Expr {
    AffineMap map;
    ValueDimList operands;
    if (failed(ValueBoundsConstraintSet::computeBound(
            map, operands, presburger::BoundType::EQ, var,
            OneOpBounds::stopOutside(op))))
      return Expr();
    SmallVector<Expr> known;
    SmallVector<Variable> variables;
    for (auto [v, d] : operands) {
      known.push_back(d ? dim(v, *d) : value(v));
      variables.push_back(d ? Variable(v, *d) : Variable(v));
    }
    if (!OneOpBounds(op).populateAndCompare(var, ValueBoundsConstraintSet::EQ,
                                            Variable(map, variables)))
      return Expr();
    ArrayRef<Expr> all(known);
    return apply(map.getResult(0), all.take_front(map.getNumDims()),
                 all.drop_front(map.getNumDims()));
  };
  for (Value result : op->getResults()) {
    if (result.getType().isIndex()) {
      // How the op wraps is not known.
      Expr e = ask(result);
      if (e && fitsType(e, result.getType()))
        setValue(result, e);
      continue;
    }
    auto type = dyn_cast<ShapedType>(result.getType());
    if (!type || !type.hasRank())
      continue;
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (type.isDynamicDim(d))
        if (Expr e = ask({result, d}))
          setExact(result, d, e);
  }
  return true;
}

bool FunctionShapes::applyDestinationStyle(Operation *op) {
  auto style = dyn_cast<DestinationStyleOpInterface>(op);
  if (!style)
    return false;
  for (OpResult result : op->getResults()) {
    OpOperand *init = style.getTiedOpOperand(result);
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (init && type)
      copyExtents(init->get(), result);
  }
  return true;
}

static bool isVectorOfIntegers(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getElementType().isSignlessIntOrIndex();
}

symshape::Range FunctionShapes::rangeOf(Value scalar) const {
  Range all = rangeOfType(scalar.getType());
  auto it = integerRanges.find(scalar);
  if (it == integerRanges.end() || scalar.getType().isInteger(1))
    return all;
  Range known = signedRange(it->second);
  return known.isEmpty() ? all : known;
}

bool FunctionShapes::isReached(Operation *op) const {
  Block *block = op->getBlock();
  return reached.contains(block) &&
         llvm::all_of(block->without_terminator(), [&](Operation &other) {
           return &other == op || op->isBeforeInBlock(&other) ||
                  llvm::all_of(other.getResults(), [&](Value result) {
                    return !hasIntegerRange(result) ||
                           integerRanges.contains(result);
                  });
         });
}

/// What the returns of a callee that was analysed give.
std::optional<ConstantIntRanges>
FunctionShapes::rangeOfResult(OpResult ofCall) const {
  auto call = dyn_cast<func::CallOp>(ofCall.getOwner());
  FunctionShapes *callee = call ? calleeLookup(call).shapes : nullptr;
  if (!callee)
    return std::nullopt;
  std::optional<ConstantIntRanges> joined;
  for (Block &block : callee->func.getBody()) {
    auto end = dyn_cast<func::ReturnOp>(block.getTerminator());
    if (!end)
      continue;
    auto it =
        callee->integerRanges.find(end.getOperand(ofCall.getResultNumber()));
    if (it != callee->integerRanges.end())
      joined = joined ? joined->rangeUnion(it->second) : it->second;
  }
  return joined;
}

/// The range of an integer, or of the elements of a vector of integers, as
/// upstream's interface has it. nullopt for other types.
std::optional<ConstantIntRanges> FunctionShapes::integerRange(Value value) {
  if (!hasIntegerRange(value))
    return std::nullopt;
  Type type = value.getType();
  unsigned width = ConstantIntRanges::getStorageBitwidth(type);
  auto it = integerRanges.find(value);
  ConstantIntRanges own = it == integerRanges.end()
                              ? ConstantIntRanges::maxRange(width)
                              : it->second;
  if (isVectorOfIntegers(type)) {
    auto found = vectorRanges.find(value);
    return found == vectorRanges.end() ? own : found->second;
  }
  if (type.isInteger(1))
    return own;
  Range known = Range::intersect(set.bounds(this->value(value), Effort::Quick),
                                 rangeOf(value));
  if (known.isEmpty())
    return own;
  auto end = [&](const llvm::DynamicAPInt &v) {
    return APInt(width, static_cast<int64_t>(v), /*isSigned=*/true);
  };
  return ConstantIntRanges::fromSigned(end(*known.min), end(*known.max))
      .intersection(own);
}

/// Whether the rule of the op leaves an integer without a range: as a symbol of
/// its own, or in a vector.
bool FunctionShapes::isRangeUnknown(Operation *op) {
  return isa<InferIntRangeInterface>(op) && !isRangeWrong(op) &&
         llvm::any_of(op->getResults(), [&](Value result) {
           if (isVectorOfIntegers(result.getType()))
             return true;
           if (!isScalarInteger(result.getType()) ||
               result.getType().isInteger(1))
             return false;
           // The expression of an unsigned one may hide its range.
           if (isa<arith::DivUIOp, arith::CeilDivUIOp, arith::MaxUIOp,
                   index::DivUOp, index::CeilDivUOp, index::MaxUOp>(op))
             return true;
           const SymbolDef *own = definition(value(result));
           return own && own->kind == SymbolDef::Scalar && own->value == result;
         });
}

void FunctionShapes::applyIntegerRanges(Operation *op) {
  auto ranges = dyn_cast<InferIntRangeInterface>(op);
  if (!ranges)
    return;
  SmallVector<ConstantIntRanges> operands;
  for (Value v : op->getOperands()) {
    std::optional<ConstantIntRanges> range = integerRange(v);
    if (!range)
      return;
    operands.push_back(*range);
  }
  ranges.inferResultRanges(operands, [&](Value v,
                                         const ConstantIntRanges &range) {
    if (isVectorOfIntegers(v.getType())) {
      auto it = integerRanges.find(v);
      vectorRanges.insert_or_assign(v, it == integerRanges.end()
                                           ? range
                                           : range.intersection(it->second));
      return;
    }
    if (!isScalarInteger(v.getType()) || v.getType().isInteger(1))
      return;
    Range known = signedRange(range);
    if (!known.isEmpty()) // else an overflow that the op rules out
      implyRange(v, known);
  });
}

void FunctionShapes::implyRange(Value scalar, const symshape::Range &known) {
  Expr e = value(scalar);
  Range all = rangeOfType(scalar.getType());
  if (known.min != all.min)
    imply(Relation::le(exprs.constant(*known.min), e));
  if (known.max != all.max)
    imply(Relation::le(e, exprs.constant(*known.max)));
}

/// What is carried out of the regions of the op: the ranges of all that may be,
/// where its rule found less.
void FunctionShapes::applyCarriedRanges(Operation *op) {
  for (Value result : op->getResults()) {
    if (!isScalarInteger(result.getType()) || result.getType().isInteger(1))
      continue;
    Range known = rangeOf(result),
          found = set.bounds(value(result), Effort::Quick);
    if (!(Range::intersect(known, found) == found))
      implyRange(result, known);
  }
}

void FunctionShapes::applyDefaults(Operation *op) {
  bool known = applyValueBounds(op);
  known |= applyDestinationStyle(op);
  if (isa<InferIntRangeInterface>(op)) {
    applyIntegerRanges(op);
    known = true;
  }
  bool speaksOfShapes = llvm::any_of(op->getResultTypes(), [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return shaped && shaped.hasRank() && !shaped.hasStaticShape();
  });
  if (!known && speaksOfShapes)
    noRule.push_back(op);
  for (Region &region : op->getRegions())
    visitRegion(region, Formula::opaque());
}
