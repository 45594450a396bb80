//===- KeptExtents.cpp - Which tensors have the extents of another --------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which values of the body of a loop have all extents of what it carries, found
// from the ops alone, in a program that is being changed. Not for: what is
// known of a program (CarriedExtents.cpp).
//
//===----------------------------------------------------------------------===//

#include "KeptExtents.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "symshape/Extensions/RuleHelpers.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// Whether the body of a loop keeps the extents of an argument that it carries:
/// independent of who asks, and asked by each loop around it.
using KnownAnswers = llvm::SmallDenseMap<Value, bool>;

/// The values of the body of a loop that have the extents of one of its
/// arguments, found from there on in the order of the ops.
class KeptExtents {
public:
  KeptExtents(BlockArgument argument, KnownAnswers &answers)
      : answers(answers), type(cast<ShapedType>(argument.getType())) {
    kept.insert(argument);
    Operation *loop = argument.getOwner()->getParentOp();
    for (Region &region : loop->getRegions())
      visit(region);
  }
  bool contains(Value value) const { return kept.contains(value); }

private:
  void visit(Region &region);
  void visit(Operation *op);
  bool isOfKept(Operation *op, OpResult result) const;
  bool keepsInBody(Value yielded, BlockArgument argument);

  KnownAnswers &answers;
  ShapedType type; ///< of the argument
  llvm::SmallDenseSet<Value> kept;
};
} // namespace

void KeptExtents::visit(Region &region) {
  if (!region.hasOneBlock())
    return;
  // The second region of a loop gets what the first passes on.
  auto loop = dyn_cast<scf::WhileOp>(region.getParentOp());
  if (loop && &region == &loop.getAfter())
    for (auto [from, to] :
         llvm::zip(loop.getConditionOp().getArgs(), loop.getAfterArguments()))
      if (contains(from))
        kept.insert(to);
  for (Operation &op : region.front())
    visit(&op);
}

bool KeptExtents::keepsInBody(Value yielded, BlockArgument argument) {
  if (auto known = answers.find(argument); known != answers.end())
    return known->second;
  bool keeps = KeptExtents(argument, answers).contains(yielded);
  answers[argument] = keeps;
  return keeps;
}

/// An inner loop yields its initial extents if its own body keeps them.
void KeptExtents::visit(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  if (loop)
    for (auto [init, argument, yielded, result] :
         llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs(),
                   loop.getYieldedValues(), loop.getResults()))
      if (contains(init) && keepsInBody(yielded, argument)) {
        kept.insert(argument);
        kept.insert(result);
      }
  for (Region &region : op->getRegions())
    visit(region);
  if (!loop)
    for (OpResult result : op->getResults())
      if (isRankedShaped(result.getType()) && isOfKept(op, result))
        kept.insert(result);
}

/// Whether a result has kept extents by the meaning of its op.
bool KeptExtents::isOfKept(Operation *op, OpResult result) const {
  unsigned number = result.getResultNumber();
  if (auto style = dyn_cast<DestinationStyleOpInterface>(op)) {
    OpOperand *init = style.getTiedOpOperand(result);
    return init && contains(init->get());
  }
  if (isa<tensor::CastOp, BindShapeOp, CumsumOp, ReverseOp, SortOp,
          StopGradientOp>(op))
    return contains(op->getOperand(0));
  if (auto scatter = dyn_cast<ScatterOp>(op))
    return contains(scatter.getSource());
  if (auto update = dyn_cast<DynamicUpdateSliceOp>(op))
    return contains(update.getSource());
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return contains(branch.thenYield().getOperand(number)) &&
           contains(branch.elseYield().getOperand(number));
  if (auto loop = dyn_cast<scf::ForallOp>(op))
    return contains(loop.getOutputs()[number]);
  if (auto select = dyn_cast<arith::SelectOp>(op)) // of whole tensors, or not
    return contains(select.getTrueValue()) && contains(select.getFalseValue());
  // Its operands have equal extents.
  if (OpTrait::hasElementwiseMappableTraits(op))
    return llvm::any_of(op->getOperands(),
                        [&](Value operand) { return contains(operand); });
  auto empty = dyn_cast<tensor::EmptyOp>(op);
  if (!empty)
    return false;
  if (!type.hasRank() || empty.getType().getRank() != type.getRank())
    return false;
  for (auto [d, size] : llvm::enumerate(empty.getMixedSizes())) {
    // A number is the extent of the argument if its type says the same.
    if (std::optional<int64_t> number = getConstantIntValue(size)) {
      if (type.getDimSize(d) != *number)
        return false;
      continue;
    }
    auto dim = cast<Value>(size).getDefiningOp<tensor::DimOp>();
    if (!dim || dim.getConstantIndex() != static_cast<int64_t>(d) ||
        !contains(dim.getSource()))
      return false;
  }
  return true;
}

bool symshape::keepsExtentsOf(Value value, BlockArgument argument) {
  KnownAnswers answers;
  return KeptExtents(argument, answers).contains(value);
}
