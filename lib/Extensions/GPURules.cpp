//===- GPURules.cpp - Shape rules of gpu ----------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body of a launch. Not for: ids and sizes outside a launch, which have the
// integer ranges that upstream gives them.
//
//===----------------------------------------------------------------------===//

#include "LoopRules.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "symshape/Extensions/AllExtensions.h"

using namespace mlir;
using namespace mlir::symshape;

/// The most blocks, or threads, along one axis: what upstream's integer ranges
/// of the op have.
static constexpr int64_t maxSize = std::numeric_limits<uint32_t>::max();

/// The sizes inside are those given; each id takes the values from 0 up to its
/// size.
static Formula setIds(ShapeFacts &facts, gpu::KernelDim3 ids,
                      gpu::KernelDim3 sizes, gpu::KernelDim3 given) {
  Formula isReached = Formula::truth(true);
  for (auto [id, size, operand] : {std::tuple(ids.x, sizes.x, given.x),
                                   std::tuple(ids.y, sizes.y, given.y),
                                   std::tuple(ids.z, sizes.z, given.z)}) {
    Expr extent = facts.value(operand);
    facts.setValue(size, extent);
    isReached =
        Formula::conj(isReached, setLoopVariable(facts, id, facts.constant(0),
                                                 extent, facts.constant(1)));
    facts.implyOfIteration(Relation::le(extent, facts.constant(maxSize)));
  }
  return isReached;
}

static void launchRule(gpu::LaunchOp op, ShapeFacts &facts) {
  Formula blocks = setIds(facts, op.getBlockIds(), op.getGridSize(),
                          op.getGridSizeOperandValues());
  Formula threads = setIds(facts, op.getThreadIds(), op.getBlockSize(),
                           op.getBlockSizeOperandValues());
  facts.visitRegion(op.getBody(), Formula::conj(blocks, threads));
}

void symshape::registerGPURules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, gpu::GPUDialect *) {
    attachRule<gpu::LaunchOp, launchRule>(context);
  });
}
