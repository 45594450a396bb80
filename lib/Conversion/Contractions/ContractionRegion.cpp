//===- ContractionRegion.cpp - What is fused, on a tile -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The region of a contraction as a structured op on the part of its operands
// that belongs to the current tile.
//
//===----------------------------------------------------------------------===//

#include "ContractionLowering.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::symshape;

/// The part of operand `number` that belongs to the current tile, without its
/// dimensions along other loops; `viewMap` maps (row, column) to it.
Value ContractionLowering::view(unsigned number, OpFoldResult width,
                                AffineMap &viewMap) {
  Value buffer = op->getOperand(number);
  SmallVector<OpFoldResult> offsets, extents;
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : op.getMap(number).getResults()) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    offsets.push_back(ivs[loop]);
    if (loop != loops.column && loop != loops.row) {
      extents.push_back(rewriter.getIndexAttr(1));
      continue;
    }
    bool isColumn = loop == loops.column;
    extents.push_back(isColumn ? width : OpFoldResult(rowCount));
    results.push_back(rewriter.getAffineDimExpr(isColumn && loops.row));
  }
  viewMap = AffineMap::get(loops.row ? 2 : 1, 0, results, op.getContext());
  if (offsets.empty())
    return buffer;
  if (loops.row && !loops.outerRows.empty())
    return viewJoinedRows(number, extents);
  return viewPart(buffer, offsets, extents);
}

/// As `view`, where rows may be those of several loops.
Value ContractionLowering::viewJoinedRows(unsigned number,
                                          ArrayRef<OpFoldResult> extents) {
  auto metadata = memref::ExtractStridedMetadataOp::create(
      rewriter, loc, op->getOperand(number));
  SmallVector<OpFoldResult> mixed = metadata.getConstifiedMixedStrides();
  SmallVector<OpFoldResult> shape, strides;
  Value offset = metadata.getOffset();
  for (auto [position, expr] :
       llvm::enumerate(op.getMap(number).getResults())) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    offset = add(offset, multiply(ivs[loop], metadata.getStrides()[position]));
    if (loop != loops.column && loop != loops.row)
      continue;
    shape.push_back(extents[position]);
    strides.push_back(mixed[position]);
  }
  return memref::ReinterpretCastOp::create(
      rewriter, loc, metadata.getBaseBuffer(), offset, shape, strides);
}

/// A part of `buffer` without its dimensions of static extent 1.
Value ContractionLowering::viewPart(Value buffer,
                                    ArrayRef<OpFoldResult> offsets,
                                    ArrayRef<OpFoldResult> extents) {
  SmallVector<OpFoldResult> steps(offsets.size(), rewriter.getIndexAttr(1));
  SmallVector<int64_t> shape;
  for (OpFoldResult extent : extents)
    if (!isOneInteger(extent))
      shape.push_back(
          getConstantIntValue(extent).value_or(ShapedType::kDynamic));
  auto type = cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
      shape, cast<MemRefType>(buffer.getType()), offsets, extents, steps));
  return memref::SubViewOp::create(rewriter, loc, type, buffer, offsets,
                                   extents, steps);
}

/// The region as a structured op on the tile, if it does anything.
void ContractionLowering::applyRegion() {
  Block &body = op.getBody().front();
  if (!tileBuffer && body.getTerminator()->getOperand(0) == body.getArgument(0))
    return;
  OpFoldResult full = rewriter.getIndexAttr(kernel.width);
  if (hasFullPanels())
    return applyRegionTo(full);
  if (kernel.streams > 0)
    return applyRegionTo(columns);
  auto branch = scf::IfOp::create(
      rewriter, loc,
      compare(arith::CmpIPredicate::eq, columns, index(kernel.width)),
      /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(branch.thenBlock());
  applyRegionTo(full);
  rewriter.setInsertionPointToStart(branch.elseBlock());
  applyRegionTo(columns);
}

Value symshape::cloneContractionRegion(OpBuilder &builder, ContractOp op,
                                       Value sum, ValueRange others) {
  Block &body = op.getBody().front();
  IRMapping mapping;
  mapping.map(body.getArgument(0), sum);
  mapping.map(body.getArguments().drop_front(), others);
  for (Operation &inner : body.without_terminator())
    builder.clone(inner, mapping);
  return mapping.lookupOrDefault(body.getTerminator()->getOperand(0));
}

void ContractionLowering::applyRegionTo(OpFoldResult width) {
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  unsigned numOthers = op.getOthers().size();
  for (unsigned number = 0; number < numOthers; ++number)
    inputs.push_back(view(2 + number, width, maps.emplace_back()));
  if (tileBuffer) {
    SmallVector<OpFoldResult> extents{OpFoldResult(rowCount), width};
    if (!loops.row)
      extents.front() = rewriter.getIndexAttr(1);
    SmallVector<OpFoldResult> zeros(2, rewriter.getIndexAttr(0));
    inputs.push_back(viewPart(tileBuffer, zeros, extents));
    maps.push_back(rewriter.getMultiDimIdentityMap(loops.row ? 2 : 1));
  }
  Value target = view(2 + numOthers, width, maps.emplace_back());
  SmallVector<utils::IteratorType> iterators(loops.row ? 2 : 1,
                                             utils::IteratorType::parallel);
  linalg::GenericOp::create(
      rewriter, loc, TypeRange(), inputs, target, maps, iterators,
      [&](OpBuilder &builder, Location, ValueRange arguments) {
        // The sum is in the last input, or in the result.
        Value result = cloneContractionRegion(builder, op, arguments[numOthers],
                                              arguments.take_front(numOthers));
        linalg::YieldOp::create(builder, loc, result);
      });
}
