//===- MarkRows.cpp - Ops that work row by row, together ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looks for a reduction along rows, and takes along what is before and after
// it, as long as it has provably as many rows, and a row of it needs nothing of
// other rows. It runs before buffers get their places, since the rows of two
// ops are at work at the same time from then on. Not for: kernels (RowKernels).
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/GPUPasses.h"

#include "GPU/Buffers.h"
#include "GPU/Kernels.h"
#include "GPU/RowKernels.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "symshape/Analysis/FactCursor.h"
#include "symshape/Analysis/ShapeAnalysis.h"
#include "symshape/IR/PassAttributes.h"
#include "symshape/IR/SymShape.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_MARKROWSPASS
#include "symshape/Conversion/GPUPasses.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

namespace {
class RowMarker {
public:
  explicit RowMarker(FunctionShapes &shapes)
      : shapes(shapes), cursor(shapes), builder(shapes.function()) {}
  void mark(Block &block);

private:
  using Ops = SmallVector<linalg::LinalgOp>;
  void markRun(MutableArrayRef<linalg::LinalgOp> run);
  bool fits(linalg::LinalgOp op);
  bool hasSameRows(linalg::LinalgOp op);
  bool keepsRows(linalg::LinalgOp op, linalg::LinalgOp other);

  FunctionShapes &shapes;
  FactCursor cursor;
  Builder builder;
  Ops group;         ///< the ops found so far
  unsigned rows = 0; ///< their loops that count rows
  int64_t numGroups = 0;
};
} // namespace

/// The extent of loop `loop` of `op`.
static Expr findExtent(FunctionShapes &shapes, linalg::LinalgOp op,
                       unsigned loop) {
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [d, expr] : llvm::enumerate(map.getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (dim && dim.getPosition() == loop)
        return shapes.expand(shapes.dim(operand.get(), d));
    }
  }
  return Expr();
}

bool RowMarker::hasSameRows(linalg::LinalgOp op) {
  ConstraintSet &facts = cursor.before(op);
  for (unsigned loop = 0; loop < rows; ++loop) {
    Expr a = findExtent(shapes, group.front(), loop);
    Expr b = findExtent(shapes, op, loop);
    if (!a || !b || (a != b && !facts.isProvably(Relation::eq(a, b))))
      return false;
  }
  return true;
}

/// Whether row `i` of `other` accesses nothing that `op` writes but in its own
/// row `i`.
bool RowMarker::keepsRows(linalg::LinalgOp op, linalg::LinalgOp other) {
  for (OpOperand &written : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&written);
    for (OpOperand &operand : other->getOpOperands()) {
      if (!isa<MemRefType>(operand.get().getType()) ||
          getRoot(operand.get()) != getRoot(written.get()))
        continue;
      AffineMap otherMap = other.getMatchingIndexingMap(&operand);
      if (operand.get() != written.get())
        return false;
      for (unsigned loop = 0; loop < rows; ++loop) {
        auto isOfLoop = [&](AffineExpr expr) {
          auto dim = dyn_cast<AffineDimExpr>(expr);
          return dim && dim.getPosition() == loop;
        };
        ArrayRef<AffineExpr> results = map.getResults();
        auto place = llvm::find_if(results, isOfLoop);
        if (place == results.end() ||
            !isOfLoop(otherMap.getResult(place - results.begin())))
          return false;
      }
    }
  }
  return true;
}

/// Whether the body of `op` accesses no memory of its own accord, and checks
/// nothing; and each result has an element per iteration or row.
static bool isPlain(linalg::LinalgOp op) {
  if (llvm::any_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
        return !op.getMatchingIndexingMap(&init).isProjectedPermutation();
      }))
    return false;
  return !op.getBlock()
              ->walk([](Operation *inside) {
                return WalkResult(
                    failure(!isMemoryEffectFree(inside) ||
                            llvm::any_of(inside->getOperandTypes(),
                                         llvm::IsaPred<BaseMemRefType>)));
              })
              .wasInterrupted();
}

/// Whether `op` may be a part of the group.
bool RowMarker::fits(linalg::LinalgOp op) {
  return hasRows(op, rows) && isPlain(op) && keepsRows(op, op) &&
         hasSameRows(op) && llvm::all_of(group, [&](linalg::LinalgOp other) {
           return keepsRows(op, other) && keepsRows(other, op);
         });
}

/// Marks the groups among ops of which each follows the one before.
void RowMarker::markRun(MutableArrayRef<linalg::LinalgOp> run) {
  size_t free = 0; // the first op without a group
  for (size_t i = 0; i < run.size(); ++i) {
    if (!reducesRows(run[i]))
      continue;
    rows = run[i].getNumLoops() - 1;
    group.assign({run[i]});
    if (!fits(run[i]))
      continue;
    for (size_t before = i; before-- > free && fits(run[before]);)
      group.push_back(run[before]);
    for (; i + 1 < run.size() && fits(run[i + 1]); ++i)
      group.push_back(run[i + 1]);
    free = i + 1;
    Attribute number = builder.getI64ArrayAttr({numGroups++, int64_t(rows)});
    for (linalg::LinalgOp op : group)
      op->setAttr(kTogether, number);
  }
}

void RowMarker::mark(Block &block) {
  Ops run;
  for (Operation &op : block) {
    if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
      run.push_back(structured);
      continue;
    }
    if (isa<memref::AllocOp>(op) ||
        (op.getNumRegions() == 0 && isMemoryEffectFree(&op)))
      continue;
    markRun(run);
    run.clear();
  }
  markRun(run);
}

namespace {
struct MarkRowsPass : symshape::impl::MarkRowsPassBase<MarkRowsPass> {
  void runOnOperation() override {
    getOperation()->walk([&](func::FuncOp function) {
      FunctionShapes *shapes = getAnalysis<ShapeAnalysis>().lookup(function);
      if (!shapes)
        return;
      RowMarker marker(*shapes);
      function.walk([&](Block *block) {
        if (!isa<linalg::LinalgOp>(block->getParentOp()))
          marker.mark(*block);
      });
    });
    markAllAnalysesPreserved();
  }
};
} // namespace
