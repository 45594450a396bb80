//===- Combiners.cpp - How parts of a reduction are combined --------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GPU/Combiners.h"

#include "GPU/Kernels.h"
#include "mlir/Analysis/SliceAnalysis.h"

using namespace mlir;
using namespace mlir::symshape;

Operation *mlir::symshape::findCombiner(linalg::LinalgOp op, unsigned number) {
  SmallVector<Operation *> combiners;
  if (!matchReduction(op.getRegionOutputArgs(), number, combiners) ||
      combiners.size() != 1 || !arith::getNeutralElement(combiners.front()))
    return nullptr;
  return combiners.front();
}

bool mlir::symshape::combinesInWarp(linalg::LinalgOp op) {
  return llvm::all_of(
      llvm::enumerate(op.getRegionOutputArgs()), [&](auto output) {
        Type type = output.value().getType(); // may be an index
        return type.isIntOrFloat() && type.getIntOrFloatBitWidth() == 32 &&
               findCombiner(op, output.index());
      });
}

Value mlir::symshape::combineTwo(OpBuilder &builder, Operation *combiner,
                                 Value lhs, Value rhs) {
  Operation *clone = builder.clone(*combiner);
  clone->setOperands({lhs, rhs});
  return clone->getResult(0);
}

Value mlir::symshape::combineWarp(OpBuilder &builder, Location loc,
                                  Operation *combiner, Value part) {
  for (int32_t offset = warpThreads / 2; offset > 0; offset /= 2) {
    Value other = gpu::ShuffleOp::create(builder, loc, part, offset,
                                         warpThreads, gpu::ShuffleMode::XOR)
                      .getShuffleResult();
    part = combineTwo(builder, combiner, part, other);
  }
  return part;
}
