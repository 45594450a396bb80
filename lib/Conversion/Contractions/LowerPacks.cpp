//===- LowerPacks.cpp - Packing as loops ----------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Packing of weights of one shape shares a function. Not for: the loops
// (PackLoops), and whether an operand is packed (TileChoice).
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"

#include "PackLoops.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_LOWERPACKSPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// The packing of one kind: its number, how often it is there, and the function
/// that all of it shares.
struct SharedPacking {
  unsigned number, count = 0;
  func::FuncOp function;
};
} // namespace

/// Equal for what one function can do.
static std::string getKey(linalg::PackOp op) {
  std::string key;
  llvm::raw_string_ostream(key)
      << op.getSourceType() << op.getDestType() << op->getAttrDictionary();
  return key;
}

/// Moves the packing of a function's argument, as for weights, and that of
/// which there is more than one, to a private function that all packing of that
/// kind shares; returns the op to lower, null if there is one already.
static linalg::PackOp outline(RewriterBase &rewriter, linalg::PackOp op,
                              llvm::StringMap<SharedPacking> &packings) {
  auto caller = op->getParentOfType<func::FuncOp>();
  SharedPacking &packing = packings[getKey(op)];
  if (!caller || op.getSource().getParentBlock() != &caller.getBody().front() ||
      (!isa<BlockArgument>(op.getSource()) && packing.count < 2) ||
      !isa_and_nonnull<tensor::EmptyOp, bufferization::AllocTensorOp>(
          op.getDest().getDefiningOp()))
    return op;
  // The function makes the padding itself.
  if (Value padding = op.getPaddingValue();
      padding && !padding.getDefiningOp<arith::ConstantOp>())
    return op;
  func::FuncOp &function = packing.function;
  bool isNew = !function;
  OpBuilder::InsertionGuard guard(rewriter);
  linalg::PackOp inner;
  if (isNew) {
    rewriter.setInsertionPoint(caller);
    auto type = rewriter.getFunctionType({op.getSourceType(), op.getDestType()},
                                         op.getDestType());
    function = func::FuncOp::create(
        rewriter, op.getLoc(),
        "symshape.pack." + std::to_string(packing.number), type);
    function.setPrivate();
    function->setAttr("no_inline", rewriter.getUnitAttr());
    rewriter.setInsertionPointToStart(function.addEntryBlock());
    IRMapping mapping;
    mapping.map(op.getSource(), function.getArgument(0));
    mapping.map(op.getDest(), function.getArgument(1));
    if (Value padding = op.getPaddingValue())
      rewriter.clone(*padding.getDefiningOp(), mapping);
    inner = cast<linalg::PackOp>(rewriter.clone(*op, mapping));
    func::ReturnOp::create(rewriter, op.getLoc(), inner.getResult());
  }
  rewriter.setInsertionPoint(op);
  rewriter.replaceOpWithNewOp<func::CallOp>(
      op, function, ValueRange{op.getSource(), op.getDest()});
  return inner;
}

/// Lowers a packing whose tiles have sizes that are values: each element is
/// read, or is padding.
static void lowerByElements(RewriterBase &rewriter, linalg::PackOp op) {
  Location loc = op.getLoc();
  int64_t rank = op.getSourceRank();
  SmallVector<OpFoldResult> tiles = op.getMixedTiles();
  SmallVector<Value> extents, tileOf(rank);
  for (int64_t d = 0; d < rank; ++d)
    extents.push_back(tensor::DimOp::create(rewriter, loc, op.getSource(), d));
  for (auto [d, tile] : llvm::zip(op.getInnerDimsPos(), tiles))
    tileOf[d] = getValueOrCreateConstantIndexOp(rewriter, loc, tile);
  auto build = [&](OpBuilder &b, Location loc, ValueRange) {
    SmallVector<Value> at(rank);
    for (int64_t place = 0; place < rank; ++place) {
      int64_t d =
          op.getOuterDimsPerm().empty() ? place : op.getOuterDimsPerm()[place];
      at[d] = linalg::IndexOp::create(b, loc, place);
      if (tileOf[d])
        at[d] = arith::MulIOp::create(b, loc, at[d], tileOf[d]);
    }
    for (auto [k, d] : llvm::enumerate(op.getInnerDimsPos()))
      at[d] = arith::AddIOp::create(b, loc, at[d],
                                    linalg::IndexOp::create(b, loc, rank + k));
    Value padding = op.getPaddingValue(), isInside;
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    for (int64_t d : padding ? op.getInnerDimsPos() : ArrayRef<int64_t>()) {
      Value holds = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                          at[d], extents[d]);
      isInside =
          isInside ? arith::AndIOp::create(b, loc, isInside, holds).getResult()
                   : holds;
      Value last = arith::SubIOp::create(b, loc, extents[d], one);
      at[d] = arith::MinSIOp::create(b, loc, at[d], last);
    }
    Value element = tensor::ExtractOp::create(b, loc, op.getSource(), at);
    if (isInside)
      element = arith::SelectOp::create(b, loc, isInside, element, padding);
    linalg::YieldOp::create(b, loc, element);
  };
  int64_t packedRank = op.getDestType().getRank();
  SmallVector<utils::IteratorType> loops(packedRank,
                                         utils::IteratorType::parallel);
  rewriter.replaceOp(op,
                     linalg::GenericOp::create(
                         rewriter, loc, TypeRange{op.getDestType()},
                         ValueRange(), ValueRange{op.getDest()},
                         ArrayRef{rewriter.getMultiDimIdentityMap(packedRank)},
                         loops, build)
                         .getResults());
}

/// Whether it becomes a transposition, a reshape and a slice, or loops.
template <typename OpT>
static LogicalResult verifyLowerable(OpT op) {
  if (!op.hasPureTensorSemantics())
    return op.emitOpError("expected a packing that loops can express");
  return success();
}

/// Replaces those of `ops` that write no element by what they write to.
template <typename OpT>
static void eraseEmpty(RewriterBase &rewriter, SmallVectorImpl<OpT> &ops) {
  llvm::erase_if(ops, [&](OpT op) {
    if (!op.hasPureTensorSemantics() ||
        !llvm::is_contained(op.getDestType().getShape(), 0))
      return false;
    rewriter.replaceOp(op, op.getDest());
    return true;
  });
}

namespace {
struct LowerPacksPass : symshape::impl::LowerPacksPassBase<LowerPacksPass> {
  using LowerPacksPassBase::LowerPacksPassBase;

  void runOnOperation() override {
    SmallVector<linalg::PackOp> ops;
    SmallVector<linalg::UnPackOp> inverses;
    getOperation()->walk([&](Operation *op) {
      if (auto pack = dyn_cast<linalg::PackOp>(op))
        ops.push_back(pack);
      else if (auto unpack = dyn_cast<linalg::UnPackOp>(op))
        inverses.push_back(unpack);
    });
    // Upstream makes slices of nothing, which do not verify.
    IRRewriter rewriter(&getContext());
    eraseEmpty(rewriter, ops);
    eraseEmpty(rewriter, inverses);
    auto isRefused = [&](linalg::PackOp op) {
      return !isPanelPack(op, vectorBits) && failed(verifyLowerable(op));
    };
    if (llvm::any_of(ops, isRefused) ||
        llvm::any_of(inverses, [](linalg::UnPackOp op) {
          return failed(verifyLowerable(op));
        }))
      return signalPassFailure();
    for (linalg::UnPackOp op : inverses) {
      rewriter.setInsertionPoint(op);
      if (failed(linalg::lowerUnPack(rewriter, op, false))) {
        op.emitOpError("expected a packing that loops can express");
        return signalPassFailure();
      }
    }
    llvm::StringMap<SharedPacking> packings;
    for (linalg::PackOp op : ops) {
      SharedPacking &packing = packings[getKey(op)];
      if (++packing.count == 1)
        packing.number = packings.size();
    }
    for (linalg::PackOp op : ops) {
      if (!isPanelPack(op, vectorBits)) {
        rewriter.setInsertionPoint(op);
        if (!op.getInnerTiles().empty()) {
          lowerByElements(rewriter, op);
        } else if (failed(linalg::lowerPack(rewriter, op))) {
          op.emitOpError("expected a packing that loops can express");
          return signalPassFailure();
        }
        continue;
      }
      if (linalg::PackOp remaining = outline(rewriter, op, packings))
        lowerPanelPack(rewriter, remaining, vectorBits);
    }
  }
};
} // namespace
