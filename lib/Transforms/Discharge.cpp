//===- Discharge.cpp - Removal of what is proved --------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/Discharge.h"
#include "Discharged.h"
#include "GuardCall.h"
#include "PassCounters.h"
#include "ResolveReshape.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/Pass.h"
#include "symshape/Analysis/FactCursor.h"
#include "symshape/IR/SymShape.h"
#include "symshape/Transforms/Canonicalizer.h"
#include "symshape/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_DISCHARGEPASS
#include "symshape/Transforms/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

static constexpr llvm::StringLiteral kDischargeCategory = "symshape-discharge";

/// Conditions of more parts are not asked, only what they consist of: each part
/// is proved from all others, and the ops of the parts are asked anyway.
static constexpr size_t maxParts = 8;

static bool isClamp(Operation *op) {
  return isa<arith::SelectOp, arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp,
             arith::MaxUIOp, affine::AffineMinOp, affine::AffineMaxOp>(op);
}

/// Whether the name of `op` determines its body, which then is not printed and
/// must not change.
static bool hasImpliedBody(Operation *op) {
  return isa<linalg::LinalgOp>(op) &&
         !isa<linalg::GenericOp, linalg::MapOp, linalg::ReduceOp>(op);
}

static bool isDim(Operation *op) {
  return isa<tensor::DimOp, memref::DimOp>(op);
}

namespace {
/// Rewrites one function.
class Discharger {
public:
  explicit Discharger(FunctionShapes &shapes)
      : shapes(shapes), dominance(shapes.function()) {
    for (const Requirement &requirement : shapes.requirements())
      if (!requirement.answer.isYes())
        unproved.insert(requirement.op);
  }

  DischargeResult run();

private:
  void decideConditions();
  void eraseProvedAsserts();
  void replaceScalar(Operation *op);
  bool replaceDecided(Operation *op);
  bool replaceByEqual(Operation *op);
  void resolveReshapes();

  FunctionShapes &shapes;
  DominanceInfo dominance;
  /// Ops that require what is not proved: it would be gone with the op.
  llvm::DenseSet<Operation *> unproved;
  /// The conditions that are decided where they are computed.
  llvm::DenseMap<Operation *, bool> decided;
  /// For each expression and type, the values that have it, in order.
  llvm::DenseMap<std::pair<Expr, Type>, SmallVector<Value, 2>> known;
  DischargeResult result;
};
} // namespace

void Discharger::eraseProvedAsserts() {
  // An assert may state several requirements; all must be proved.
  llvm::MapVector<Operation *, bool> proved;
  for (const Requirement &requirement : shapes.requirements())
    if (requirement.isUserAssert && !requirement.call) {
      auto it = proved.insert({requirement.op, true}).first;
      it->second &= requirement.answer.isYes();
    }
  result.allAsserts = proved.size();
  for (auto [op, isProved] : proved) {
    if (isProved) {
      op->erase();
      ++result.asserts;
      result.changed = true;
      continue;
    }
    remark::missed(op->getLoc(), remark::RemarkOpts::name("assert").category(
                                     kDischargeCategory))
        << "not proved";
  }
}

/// Runs before any change: what is known at an op comes from earlier ones.
void Discharger::decideConditions() {
  FactCursor cursor(shapes);
  shapes.function().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->getNumResults() != 1 || !op->getResult(0).getType().isInteger(1))
      return;
    Formula condition = shapes.condition(op->getResult(0));
    if (condition.kind == Formula::Opaque || condition.parts.size() > maxParts)
      return;
    Answer answer = prove(cursor.before(op), condition);
    if (answer.verdict != Verdict::Unknown)
      decided[op] = answer.isYes();
  });
}

bool Discharger::replaceDecided(Operation *op) {
  auto it = decided.find(op);
  if (it == decided.end())
    return false;
  OpBuilder builder(op);
  Value constant = arith::ConstantOp::create(builder, op->getLoc(),
                                             builder.getBoolAttr(it->second));
  op->getResult(0).replaceAllUsesWith(constant);
  return true;
}

bool Discharger::replaceByEqual(Operation *op) {
  Value value = op->getResult(0);
  Type type = value.getType();
  Expr e = shapes.value(value);
  if (std::optional<int64_t> number = e.asInt64()) {
    unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
    if (width < 64 && !llvm::isIntN(width, *number))
      return false;
    OpBuilder builder(op);
    Value constant = arith::ConstantOp::create(
        builder, op->getLoc(), builder.getIntegerAttr(type, *number));
    value.replaceAllUsesWith(constant);
    return true;
  }
  SmallVector<Value, 2> &candidates = known[{e, type}];
  for (Value candidate : candidates)
    if (dominance.properlyDominates(candidate, op)) {
      value.replaceAllUsesWith(candidate);
      return true;
    }
  candidates.push_back(value);
  return false;
}

void Discharger::replaceScalar(Operation *op) {
  if (op->getNumResults() != 1 || isa<arith::ConstantOp>(op) ||
      unproved.contains(op) || op->hasTrait<OpTrait::IsTerminator>())
    return;
  Type type = op->getResult(0).getType();
  if (isa<AssumeOp>(op) && op->use_empty())
    return;
  bool isInteger = type.isIndex() || (type.isSignlessInteger() &&
                                      type.getIntOrFloatBitWidth() <= 64);
  if (!isInteger || (!isMemoryEffectFree(op) && !isa<AssumeOp>(op)) ||
      op->getNumRegions() != 0)
    return;
  bool replaced = type.isInteger(1) ? replaceDecided(op) : replaceByEqual(op);
  auto count = [&](unsigned &done, unsigned &all) {
    ++all;
    done += replaced;
  };
  if (isa<arith::CmpIOp>(op))
    count(result.comparisons, result.allComparisons);
  else if (isClamp(op))
    count(result.clamps, result.allClamps);
  else if (isDim(op))
    count(result.dims, result.allDims);
  if (replaced && !isa<AssumeOp>(op)) // what it says holds of the value
    op->erase();
  result.changed |= replaced;
}

void Discharger::resolveReshapes() {
  SmallVector<Operation *> reshapes;
  shapes.function().walk([&](Operation *op) {
    if (isa<tensor::ReshapeOp, symshape::ReshapeOp>(op))
      reshapes.push_back(op);
  });
  result.allReshapes = reshapes.size();
  // The last one first: the source of each is as it was analysed.
  for (Operation *op : llvm::reverse(reshapes)) {
    if (succeeded(resolveReshape(shapes, op))) {
      ++result.reshapes;
      result.changed = true;
      continue;
    }
    remark::missed(op->getLoc(), remark::RemarkOpts::name("reshape").category(
                                     kDischargeCategory))
        << "equal element counts are not proved";
  }
}

DischargeResult Discharger::run() {
  decideConditions();
  resolveReshapes();
  eraseProvedAsserts();
  for (BlockArgument argument : shapes.function().getArguments())
    if (argument.getType().isIndex() ||
        argument.getType().isSignlessInteger(64))
      known[{shapes.value(argument), argument.getType()}].push_back(argument);
  SmallVector<Operation *> ops;
  for (Block &block : shapes.function().getBody())
    for (Operation &op : llvm::make_range(
             block.isEntryBlock() ? getEndOfGuards(shapes.function())
                                  : block.begin(),
             block.end()))
      op.walk<WalkOrder::PreOrder>([&](Operation *inner) {
        ops.push_back(inner);
        return hasImpliedBody(inner) ? WalkResult::skip()
                                     : WalkResult::advance();
      });
  for (Operation *op : ops)
    replaceScalar(op);
  return result;
}

DischargeResult mlir::symshape::dischargeFunction(FunctionShapes &shapes) {
  return Discharger(shapes).run();
}

/// One remark that counts what was resolved.
static void reportDischarge(func::FuncOp func, const DischargeResult &r) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto add = [&](StringRef what, unsigned done, unsigned all) {
    if (all)
      os << (text.empty() ? "" : ", ") << done << " of " << all << " " << what;
  };
  add("asserts", r.asserts, r.allAsserts);
  add("comparisons", r.comparisons, r.allComparisons);
  add("clamps", r.clamps, r.allClamps);
  add("dims", r.dims, r.allDims);
  add("reshapes", r.reshapes, r.allReshapes);
  if (!text.empty())
    remark::passed(func.getLoc(), remark::RemarkOpts::name("summary")
                                      .category(kDischargeCategory)
                                      .function(func.getName()))
        << ("resolved " + text);
}

namespace {
struct DischargePass : symshape::impl::DischargePassBase<DischargePass> {
  using DischargePassBase::DischargePassBase;

  void runOnOperation() override {
    if (ifChanged && getCachedAnalysis<Discharged>())
      return markAllAnalysesPreserved();
    CountQuestions questions(*this, numAsked, numNew);
    std::optional<ShapeAnalysis> own;
    if (assumeNoWrap)
      own.emplace(getOperation(), ShapeAnalysisOptions{assumeNoWrap});
    ShapeAnalysis &analysis = own ? *own : getAnalysis<ShapeAnalysis>();
    bool changed = false;
    getOperation()->walk([&](func::FuncOp func) {
      FunctionShapes *shapes = analysis.lookup(func);
      if (!shapes)
        return;
      DischargeResult result = dischargeFunction(*shapes);
      changed |= result.changed;
      count(*this, numAsserts, "num-asserts", result.asserts);
      count(*this, numScalars, "num-scalars",
            result.comparisons + result.clamps + result.dims);
      count(*this, numReshapes, "num-reshapes", result.reshapes);
      reportDischarge(func, result);
    });
    if (!splitNarrowingCasts(getOperation()) && !changed)
      markAllAnalysesPreserved();
    getAnalysis<Discharged>();
    markAnalysesPreserved<Discharged>();
  }
};
} // namespace
