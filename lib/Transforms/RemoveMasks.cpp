//===- RemoveMasks.cpp - Vector masks that are always true ----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// First everything is decided, then everything is rewritten: the facts of a
// place belong to the ops that imply them.
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/RemoveMasks.h"
#include "MissingFact.h"
#include "PassCounters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/Pass.h"
#include "symshape/Analysis/FactCursor.h"
#include "symshape/Transforms/Canonicalizer.h"
#include "symshape/Transforms/Passes.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_REMOVEMASKSPASS
#include "symshape/Transforms/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

static constexpr llvm::StringLiteral kMasksCategory = "symshape-remove-masks";

namespace {
/// Decides for one function what can go, and says what stays.
class MaskFinder {
public:
  explicit MaskFinder(FunctionShapes &shapes)
      : shapes(shapes), cursor(shapes) {}

  void visit(vector::CreateMaskOp op);
  void visit(VectorTransferOpInterface op);

  /// The masks that are all true.
  SmallVector<vector::CreateMaskOp> masks;
  /// The dimensions of each transfer that are in bounds.
  SmallVector<std::pair<VectorTransferOpInterface, SmallVector<bool>>>
      transfers;
  RemoveMasksResult result;

private:
  bool isProved(Operation *op, const Relation &wanted, StringRef name);

  FunctionShapes &shapes;
  FactCursor cursor;
};
} // namespace

/// Whether `wanted` holds before `op`. If that is not known, a remark says so;
/// but not if it is known to fail, since no declaration would help.
bool MaskFinder::isProved(Operation *op, const Relation &wanted,
                          StringRef name) {
  ConstraintSet &facts = cursor.before(op);
  Verdict verdict = facts.prove(wanted).verdict;
  if (verdict == Verdict::Unknown)
    remark::missed(op->getLoc(),
                   remark::RemarkOpts::name(name).category(kMasksCategory))
        << describeMissing(shapes, facts, op, wanted);
  return verdict == Verdict::Yes;
}

/// All lanes are on iff each operand is at least the size of its dimension.
void MaskFinder::visit(vector::CreateMaskOp op) {
  VectorType type = op.getType();
  if (type.isScalable())
    return;
  ++result.allMasks;
  for (auto [operand, size] : llvm::zip(op.getOperands(), type.getShape()))
    if (!isProved(
            op,
            Relation::le(shapes.arena().constant(size), shapes.value(operand)),
            "mask"))
      return;
  masks.push_back(op);
}

/// A dimension is in bounds iff the transfer starts at 0 or above and all its
/// elements along that dimension lie before the end.
void MaskFinder::visit(VectorTransferOpInterface op) {
  SmallVector<bool> inBounds = op.getInBoundsValues();
  if (!llvm::is_contained(inBounds, false))
    return;
  ++result.allTransfers;
  VectorType type = op.getVectorType();
  bool changed = false;
  for (auto [i, expr] : llvm::enumerate(op.getPermutationMap().getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (inBounds[i] || !dim || type.getScalableDims()[i])
      continue;
    unsigned d = dim.getPosition();
    Expr start = shapes.value(op.getIndices()[d]);
    inBounds[i] =
        isProved(op, Relation::ge(start, shapes.arena().zero()), "transfer") &&
        isProved(op,
                 Relation::le(start + type.getDimSize(i),
                              shapes.dim(op.getBase(), d)),
                 "transfer");
    changed |= inBounds[i];
  }
  if (changed)
    transfers.push_back({op, std::move(inBounds)});
}

/// Replaces masks by constants, and lets upstream's folders of what they are
/// used by do the rest.
static void eraseMasks(MLIRContext *context,
                       ArrayRef<vector::CreateMaskOp> masks) {
  llvm::SetVector<Operation *> users;
  SmallVector<Operation *> constants;
  for (vector::CreateMaskOp op : masks) {
    users.insert(op->user_begin(), op->user_end());
    OpBuilder builder(op);
    auto all = arith::ConstantOp::create(
        builder, op.getLoc(), DenseElementsAttr::get(op.getType(), true));
    constants.push_back(all);
    op.replaceAllUsesWith(all.getResult());
    op.erase();
  }
  RewritePatternSet patterns(context);
  vector::MaskedLoadOp::getCanonicalizationPatterns(patterns, context);
  vector::MaskedStoreOp::getCanonicalizationPatterns(patterns, context);
  vector::ExpandLoadOp::getCanonicalizationPatterns(patterns, context);
  vector::CompressStoreOp::getCanonicalizationPatterns(patterns, context);
  applySoundPatterns(users.getArrayRef(), std::move(patterns));
  for (Operation *constant : constants)
    if (constant->use_empty())
      constant->erase();
}

RemoveMasksResult mlir::symshape::removeMasks(FunctionShapes &shapes) {
  MaskFinder finder(shapes);
  shapes.function().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto mask = dyn_cast<vector::CreateMaskOp>(op))
      finder.visit(mask);
    else if (auto transfer = dyn_cast<VectorTransferOpInterface>(op))
      finder.visit(transfer);
  });
  RemoveMasksResult result = finder.result;
  for (auto &[op, inBounds] : finder.transfers) {
    OpBuilder builder(op);
    op->setAttr(op.getInBoundsAttrName(), builder.getBoolArrayAttr(inBounds));
    result.transfers += !llvm::is_contained(inBounds, false);
  }
  result.masks = finder.masks.size();
  eraseMasks(shapes.function().getContext(), finder.masks);
  return result;
}

/// One remark that counts what was removed.
static void reportMasks(func::FuncOp func, const RemoveMasksResult &r) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (r.allMasks)
    os << r.masks << " of " << r.allMasks << " masks";
  if (r.allTransfers)
    os << (text.empty() ? "" : ", ") << r.transfers << " of " << r.allTransfers
       << " bounds checks";
  if (!text.empty())
    remark::passed(func.getLoc(), remark::RemarkOpts::name("summary")
                                      .category(kMasksCategory)
                                      .function(func.getName()))
        << ("removed " + text);
}

namespace {
struct RemoveMasksPass : symshape::impl::RemoveMasksPassBase<RemoveMasksPass> {
  void runOnOperation() override {
    CountQuestions questions(*this, numAsked, numNew);
    auto &analysis = getAnalysis<ShapeAnalysis>();
    bool changed = false;
    getOperation()->walk([&](func::FuncOp func) {
      FunctionShapes *shapes = analysis.lookup(func);
      if (!shapes)
        return;
      RemoveMasksResult result = removeMasks(*shapes);
      changed |= result.allMasks || result.allTransfers;
      count(*this, numMasks, "num-masks", result.masks);
      count(*this, numTransfers, "num-transfers", result.transfers);
      reportMasks(func, result);
    });
    if (!changed)
      markAllAnalysesPreserved();
  }
};
} // namespace
