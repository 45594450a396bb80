//===- FlatPoints.cpp - Elementwise ops without rows ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where no operand is repeated along a dimension, arrays are as good as lines:
// nothing is divided by an extent, and rows may have any number of elements.
//
//===----------------------------------------------------------------------===//

#include "GPU/FlatPoints.h"

#include "GPU/Chunks.h"
#include "GPU/Kernels.h"
#include "Structure/Loops.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::symshape;

bool mlir::symshape::isFlat(linalg::LinalgOp op) {
  unsigned loops = op.getNumLoops();
  if (loops == 0 || op.getNumParallelLoops() != loops || getPlainWidth(op) == 1)
    return false;
  for (OpOperand &operand : op->getOpOperands())
    if (auto type = dyn_cast<MemRefType>(operand.get().getType()))
      if (!type.getLayout().isIdentity() ||
          !op.getMatchingIndexingMap(&operand).isIdentity())
        return false;
  return llvm::all_of(*op.getBlock(), [](Operation &inside) {
    return inside.getNumRegions() == 0 && !isa<linalg::IndexOp>(inside);
  });
}

/// `op` on lines of all elements.
static linalg::GenericOp flatten(OpBuilder &builder, linalg::LinalgOp op) {
  Location loc = op.getLoc();
  MLIRContext *context = builder.getContext();
  SmallVector<AffineMap> maps;
  auto flattenAll = [&](ValueRange operands) {
    return llvm::map_to_vector(operands, [&](Value operand) -> Value {
      auto type = dyn_cast<MemRefType>(operand.getType());
      maps.push_back(type ? builder.getMultiDimIdentityMap(1)
                          : AffineMap::get(1, 0, context));
      if (!type || type.getRank() == 1)
        return operand;
      ReassociationIndices all =
          llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
      return memref::CollapseShapeOp::create(
          builder, loc, operand, ArrayRef<ReassociationIndices>(all));
    });
  };
  SmallVector<Value> inputs = flattenAll(op.getDpsInputs());
  SmallVector<Value> outputs = flattenAll(op.getDpsInits());
  auto flat =
      linalg::GenericOp::create(builder, loc, inputs, outputs, maps,
                                ArrayRef(utils::IteratorType::parallel));
  flat.getRegion().takeBody(op->getRegion(0));
  builder.setInsertionPoint(flat);
  op.erase();
  return flat;
}

void mlir::symshape::formFlatPoints(OpBuilder &builder, linalg::LinalgOp op,
                                    StringRef name) {
  Location loc = op.getLoc();
  builder.setInsertionPoint(op);
  linalg::GenericOp flat = flatten(builder, op);
  auto structured = cast<linalg::LinalgOp>(*flat);
  Value width = makeIndex(builder, loc, getPlainWidth(structured));
  Value size = makeIndex(builder, loc,
                         structured.createLoopRanges(builder, loc)[0].size);
  Value chunks = arith::CeilDivUIOp::create(builder, loc, size, width);
  gpu::LaunchOp launch = beginKernel(
      builder, loc, name,
      arith::CeilDivUIOp::create(builder, loc, chunks,
                                 makeIndex(builder, loc, pointThreads)),
      pointThreads);
  // Of threads past the end, the place is so, too.
  Value number = arith::MulIOp::create(builder, loc, launch.getBlockIds().x,
                                       makeIndex(builder, loc, pointThreads));
  number = arith::AddIOp::create(builder, loc, number, launch.getThreadIds().x);
  Value begin = arith::MulIOp::create(builder, loc, number, width);
  Value end = arith::AddIOp::create(builder, loc, begin, width);
  Value isWhole =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, end, size);
  auto branch =
      scf::IfOp::create(builder, loc, isWhole, /*withElseRegion=*/true);
  builder.setInsertionPointToStart(branch.thenBlock());
  emitElementwiseChunk(builder, structured, begin, getPlainWidth(structured));
  builder.setInsertionPointToStart(branch.elseBlock());
  makeLoop(builder, loc, begin, size, makeIndex(builder, loc, 1), {},
           [&](Value place, ValueRange) -> SmallVector<Value> {
             emitElementwiseChunk(builder, structured, place, 1);
             return {};
           });
  flat.erase();
}
