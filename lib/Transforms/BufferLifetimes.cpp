//===- BufferLifetimes.cpp - When a buffer is in use ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//
//===----------------------------------------------------------------------===//

#include "BufferLifetimes.h"
#include "BufferUses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "symshape/IR/PassAttributes.h"

using namespace mlir;
using namespace mlir::symshape;

ProgramOrder::ProgramOrder(func::FuncOp function) {
  unsigned next = 0;
  function->walk([&](Operation *op, const WalkStage &stage) {
    Span &span = spans[op];
    if (stage.isBeforeAllRegions())
      span.begin = next++;
    if (stage.isAfterAllRegions())
      span.end = op->getNumRegions() ? next++ : span.begin;
  });
  llvm::DenseMap<std::pair<Block *, Attribute>, Span> groups;
  auto visitGroups = [&](auto visit) {
    function->walk([&](Operation *op) {
      if (Attribute group = op->getAttr(kTogether))
        visit(groups[{op->getBlock(), group}], spans[op]);
    });
  };
  visitGroups([](Span &group, Span &span) {
    bool isFirst = group.end == 0;
    group.begin = isFirst ? span.begin : std::min(group.begin, span.begin);
    group.end = std::max(group.end, span.end);
  });
  visitGroups([](Span &group, Span &span) { span = group; });
}

/// Whether each region of `op` runs at most once when `op` does, in textual
/// order.
static bool runsInOrder(Operation *op) {
  if (!isa<scf::IfOp, scf::IndexSwitchOp, scf::ExecuteRegionOp,
           memref::AllocaScopeOp>(op))
    return false;
  return llvm::all_of(op->getRegions(), [](Region &region) {
    return region.empty() || region.hasOneBlock();
  });
}

namespace {
class LifetimeFinder {
public:
  LifetimeFinder(Operation *alloc, const ProgramOrder &order)
      : alloc(alloc), order(order) {}
  BufferLifetime run();

private:
  bool visit(OpOperand &use);
  void extend(Operation *op);
  bool follow(Operation *terminator, unsigned operand);

  Operation *alloc;
  const ProgramOrder &order;
  BufferLifetime result;
  SmallVector<Value> work;
};
} // namespace

/// Counts an access. In a loop, or a region of several blocks, that does not
/// contain the allocation, an access may come before or after any other.
void LifetimeFinder::extend(Operation *op) {
  Operation *counted = op;
  Operation *outer = op->getParentOp();
  for (; !outer->isProperAncestor(alloc); outer = outer->getParentOp())
    if (!runsInOrder(outer))
      counted = outer;
  // Blocks of the region that holds both run in any order.
  Region *region = alloc->getParentRegion();
  while (region->getParentOp() != outer)
    region = region->getParentRegion();
  if (region->findAncestorBlockInRegion(*alloc->getBlock()) !=
      region->findAncestorBlockInRegion(*op->getBlock()))
    counted = outer;
  ProgramOrder::Span span = order.of(counted);
  result.first = std::min(result.first, span.begin);
  result.last = std::max(result.last, span.end);
}

/// Follows a yielded value to the result of the op with the region.
bool LifetimeFinder::follow(Operation *terminator, unsigned operand) {
  Operation *outer = terminator->getParentOp();
  if (!isa<scf::YieldOp>(terminator) ||
      !isa<scf::IfOp, scf::IndexSwitchOp, scf::ExecuteRegionOp>(outer))
    return false;
  work.push_back(outer->getResult(operand));
  return true;
}

/// False if the buffer escapes.
bool LifetimeFinder::visit(OpOperand &use) {
  Operation *op = use.getOwner();
  for (Operation *outer = op->getParentOp(); !outer->isProperAncestor(alloc);
       outer = outer->getParentOp())
    if (!runsInPlace(outer))
      return false;
  if (isa<memref::DeallocOp>(op)) {
    result.deallocations.push_back(op);
    return true;
  }
  if (isa<memref::DimOp, memref::RankOp>(op))
    return true;
  if (isBufferView(op) || isa<arith::SelectOp>(op)) {
    work.push_back(op->getResult(0));
    return true;
  }
  if (op->hasTrait<OpTrait::IsTerminator>())
    return follow(op, use.getOperandNumber());
  if (auto call = dyn_cast<func::CallOp>(op)) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        call, call.getCalleeAttr());
    if (!callee || callee.isExternal())
      return false;
    // What it returns may be what it is given.
    for (Value value : call.getResults())
      if (isa<BaseMemRefType>(value.getType()))
        work.push_back(value);
  } else if (!isBufferAccess(op) || isStored(use)) {
    return false;
  }
  extend(op);
  return true;
}

BufferLifetime LifetimeFinder::run() {
  llvm::DenseSet<Value> seen;
  work.push_back(alloc->getResult(0));
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    for (OpOperand &use : value.getUses())
      if (!visit(use)) {
        result.escape = use.getOwner();
        return result;
      }
  }
  return result;
}

BufferLifetime mlir::symshape::findLifetime(Operation *op,
                                            const ProgramOrder &order) {
  return LifetimeFinder(op, order).run();
}
