//===- MarkDivisors.cpp - What divides extents, for kernels ---------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Facts are about tensors; kernels are formed from buffers. Not for: extents
// that types give.
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/GPUPasses.h"

#include "GPU/Kernels.h"
#include "symshape/Analysis/FactCursor.h"
#include "symshape/Analysis/ShapeAnalysis.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_MARKDIVISORSPASS
#include "symshape/Conversion/GPUPasses.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

/// The largest power of two, up to the bytes that a thread reads at once, that
/// is known to divide dimension `dim` of `value`.
static int64_t findDivisor(FunctionShapes &shapes, ConstraintSet &facts,
                           Value value, int64_t dim) {
  for (int64_t divisor = chunkBytes; divisor > 1; divisor /= 2) {
    Expr number = shapes.arena().constant(divisor);
    if (facts.isProvably(Relation::divides(number, shapes.dim(value, dim))))
      return divisor;
  }
  return 1;
}

/// What divides the dynamic extent of each dimension of `op`'s operands that
/// varies fastest, per loop; empty if that is nothing.
static SmallVector<int64_t> findDivisors(FunctionShapes &shapes,
                                         FactCursor &cursor, Operation *op,
                                         ArrayRef<AffineMap> maps) {
  SmallVector<int64_t> divisors(maps.front().getNumDims(), 1);
  for (auto [operand, map] : llvm::zip(op->getOperands(), maps)) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    // Dims of a packed operand are not those of its map.
    if (!type || type.getRank() == 0 || type.getRank() != map.getNumResults())
      continue;
    int64_t last = type.getRank() - 1;
    auto loop = dyn_cast<AffineDimExpr>(map.getResult(last));
    if (!loop || !type.isDynamicDim(last))
      continue;
    int64_t &divisor = divisors[loop.getPosition()];
    divisor = std::max(divisor,
                       findDivisor(shapes, cursor.before(op), operand, last));
  }
  bool isNothing = llvm::all_of(divisors, [](int64_t d) { return d == 1; });
  return isNothing ? SmallVector<int64_t>() : divisors;
}

namespace {
struct MarkDivisorsPass
    : symshape::impl::MarkDivisorsPassBase<MarkDivisorsPass> {
  void runOnOperation() override {
    Builder builder(&getContext());
    getOperation()->walk([&](func::FuncOp function) {
      FunctionShapes *shapes = getAnalysis<ShapeAnalysis>().lookup(function);
      if (!shapes)
        return;
      FactCursor cursor(*shapes);
      function.walk<WalkOrder::PreOrder>([&](Operation *op) {
        SmallVector<AffineMap> maps;
        if (auto structured = dyn_cast<linalg::LinalgOp>(op))
          maps = structured.getIndexingMapsArray();
        else if (auto contract = dyn_cast<ContractOp>(op))
          maps = llvm::to_vector(
              contract.getMaps().getAsValueRange<AffineMapAttr>());
        if (maps.empty())
          return;
        SmallVector<int64_t> divisors = findDivisors(*shapes, cursor, op, maps);
        if (!divisors.empty())
          op->setAttr(divisorsAttr, builder.getDenseI64ArrayAttr(divisors));
      });
    });
    markAllAnalysesPreserved();
  }
};
} // namespace
