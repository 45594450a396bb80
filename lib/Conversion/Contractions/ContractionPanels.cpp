//===- ContractionPanels.cpp - Panels packed at run time ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether the current panel of an operand that is not packed is copied, and the
// copy.
//
//===----------------------------------------------------------------------===//

#include "ContractionLowering.h"
#include "TileChoice.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::symshape;

/// How many terms ahead packing fetches.
static constexpr int64_t packAheadTerms = 8;

SmallVector<unsigned> ContractionLowering::getPanelLoops() {
  SmallVector<unsigned> dims;
  for (unsigned loop : loops.reductions)
    if (op.getMap(1).isFunctionOfDim(loop))
      dims.push_back(loop);
  return dims;
}

/// Sets `panel`: where the current panel begins and how far apart its terms
/// are. A panel of an operand that is not packed is packed here if more than
/// `mostDirectReaders` tiles read it, if vectors would reach past its last
/// column, or if terms are grouped.
void ContractionLowering::choosePanel() {
  panel.pointer = getAddress(b, 1);
  panel.steps = b.steps;
  if (!panelBuffer)
    return;
  Value readers = tileCount;
  for (unsigned loop : loops.outerRows)
    readers = multiply(readers, sizes[loop]);
  Value isFull =
      compare(arith::CmpIPredicate::eq, columns, index(kernel.width));
  Value areFew =
      compare(arith::CmpIPredicate::ule, readers, index(mostDirectReaders));
  Value isDirect = arith::AndIOp::create(rewriter, loc, isFull, areFew);
  if (kernel.group > 1) {
    packPanel();
    panel.pointer = getPointer(panelBuffer);
    Value step = integer(kernel.width * kernel.group);
    for (unsigned loop : llvm::reverse(getPanelLoops())) {
      panel.steps[loop] = step;
      step = multiply(step, integer(countPanelSteps(loop)));
    }
    return;
  }

  SmallVector<Value> direct{panel.pointer}, packed(1);
  SmallVector<unsigned> dims = getPanelLoops();
  Value step = integer(kernel.width);
  for (unsigned loop : llvm::reverse(dims)) {
    direct.push_back(b.steps.lookup(loop));
    packed.push_back(step);
    step = multiply(step, integer(sizes[loop]));
  }
  auto choice = scf::IfOp::create(rewriter, loc, ValueRange(direct).getTypes(),
                                  isDirect, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(rewriter, loc, direct);
    rewriter.setInsertionPointToStart(choice.elseBlock());
    packPanel();
    packed.front() = getPointer(panelBuffer);
    scf::YieldOp::create(rewriter, loc, packed);
  }
  panel.pointer = choice.getResult(0);
  for (auto [loop, result] :
       llvm::zip(llvm::reverse(dims), choice.getResults().drop_front()))
    panel.steps[loop] = result;
}

/// Prefetches the columns of a later term: each may lie on a page of its own,
/// which the hardware does not fetch ahead.
void ContractionLowering::prefetchTerm(ArrayRef<Value> present, Value term) {
  unsigned loop = getPanelLoops().back();
  Value last = subtract(sizes[loop], index(1));
  SmallVector<Value> indices(present);
  for (auto [position, expr] : llvm::enumerate(op.getMap(1).getResults()))
    if (cast<AffineDimExpr>(expr).getPosition() == loop)
      indices[position] =
          minimum(add(term, index(packAheadTerms * kernel.group)), last);
  memref::PrefetchOp::create(rewriter, loc, op.getRhs(), indices,
                             /*isWrite=*/false, /*localityHint=*/3,
                             /*isDataCache=*/true);
}

/// How many terms or groups of them a packed panel has along `loop`.
Value ContractionLowering::countPanelSteps(unsigned loop) {
  if (kernel.group == 1 || loop != loops.reductions.back())
    return sizes[loop];
  return ceilDivide(sizes[loop], index(kernel.group));
}

/// A vector of the term at `indices` of B, zeros unless it `exists` and past
/// the last column.
Value ContractionLowering::readTerm(SmallVector<Value> indices, Value exists) {
  auto type = VectorType::get({kernel.lanes}, kernel.rhs);
  Value zero = arith::ConstantOp::create(rewriter, loc,
                                         rewriter.getZeroAttr(kernel.rhs));
  Value row =
      vector::TransferReadOp::create(rewriter, loc, type, op.getRhs(), indices,
                                     zero, ArrayRef<bool>{hasFullPanels()});
  if (!exists)
    return row;
  Value zeros =
      arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(type));
  return select(exists, row, zeros);
}

/// Copies the current panel, with zeros past its last column and, in groups,
/// past its last term.
void ContractionLowering::packPanel() {
  SmallVector<unsigned> dims = getPanelLoops();
  SmallVector<Value> dimSizes;
  for (unsigned loop : dims)
    dimSizes.push_back(countPanelSteps(loop));
  nest(dimSizes, [&](ValueRange counters) {
    Value at = index(0);
    for (auto [size, counter] : llvm::zip(dimSizes, counters))
      at = add(multiply(at, size), counter);
    at = multiply(at, index(kernel.width * kernel.group));
    for (auto [dim, counter] : llvm::zip(dims, counters))
      ivs[dim] = counter;
    Value second, exists; // of a pair
    if (kernel.group == 2) {
      Value &first = ivs[dims.back()];
      first = multiply(first, index(2));
      second = add(first, index(1));
      exists = compare(arith::CmpIPredicate::ult, second, sizes[dims.back()]);
      second = select(exists, second, first);
    }
    auto placeOf = [&] {
      SmallVector<Value> indices;
      for (AffineExpr expr : op.getMap(1).getResults())
        indices.push_back(ivs[cast<AffineDimExpr>(expr).getPosition()]);
      return indices;
    };
    SmallVector<Value> indices = placeOf(), others;
    if (!dims.empty())
      prefetchTerm(indices, ivs[dims.back()]);
    if (second) {
      ivs[dims.back()] = second;
      others = placeOf();
      prefetchTerm(others, second);
    }
    for (int64_t lane = 0; lane < kernel.width; lane += kernel.lanes) {
      indices.back() = add(ivs[loops.column], index(lane));
      Value row = readTerm(indices, nullptr);
      if (second) {
        others.back() = indices.back();
        row = vector::InterleaveOp::create(rewriter, loc, row,
                                           readTerm(others, exists));
      }
      vector::TransferWriteOp::create(
          rewriter, loc, row, panelBuffer,
          ValueRange{add(at, index(lane * kernel.group))},
          ArrayRef<bool>{true});
    }
    for (unsigned dim : dims)
      ivs[dim] = nullptr;
  });
}
