//===- LinalgRules.cpp - Shape rules of structured ops --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One rule for every structured op, from its indexing maps: equal extents,
// accesses in bounds, extents of results, and the positions and elements that
// its body sees. Not for: ops of linalg without indexing maps
// (LinalgOtherRules.cpp).
//
//===----------------------------------------------------------------------===//

#include "LinalgRules.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "symshape/Extensions/AllExtensions.h"
#include "symshape/Extensions/RuleHelpers.h"
#include "symshape/IR/AffineExprs.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::linalg;

namespace {
/// What messages call each loop: its role in a contraction, or its number.
SmallVector<std::string> nameLoops(LinalgOp op) {
  SmallVector<std::string> names;
  for (unsigned d = 0; d < op.getNumLoops(); ++d)
    names.push_back("extent of dimension " + std::to_string(d));
  if (!isaContractionOpInterface(op))
    return names;
  FailureOr<ContractionDimensions> roles = inferContractionDims(op);
  if (failed(roles))
    return names;
  auto name = [&](ArrayRef<unsigned> loops, StringRef role) {
    for (unsigned loop : loops)
      names[loop] = role.str();
  };
  name(roles->batch, "batch dimension");
  name(roles->m, "row dimension");
  name(roles->n, "column dimension");
  name(roles->k, "contraction dimension");
  return names;
}

/// The extent of each loop: that of the first operand dimension that is the
/// loop itself, a static one before a dynamic one. Requires the others to be
/// equal.
SmallVector<Expr> unifyLoops(LinalgOp op, ShapeFacts &facts) {
  SmallVector<Expr> extents(op.getNumLoops());
  SmallVector<std::string> names = nameLoops(op);
  auto forEach = [&](llvm::function_ref<void(unsigned, Expr)> visit) {
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isRankedShaped(operand.get().getType()))
        continue;
      for (auto [r, e] :
           llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
        if (auto loop = dyn_cast<AffineDimExpr>(e))
          visit(loop.getPosition(), facts.dim(operand.get(), r));
    }
  };
  forEach([&](unsigned loop, Expr e) {
    if (!extents[loop] || (!extents[loop].isConstant() && e.isConstant()))
      extents[loop] = e;
  });
  forEach([&](unsigned loop, Expr e) {
    if (e != extents[loop])
      facts.require(Relation::eq(extents[loop], e), names[loop]);
  });
  return extents;
}

/// The least and the greatest value of a map result over the iterations.
struct Reach {
  Expr lo, hi;
  explicit operator bool() const { return lo && hi; }
};

/// Exact for sums of multiples of distinct loops; else never too narrow. Null
/// if it is not known. Maps are small: the recursion is as deep as the text.
Reach reachOf(AffineExpr e, ShapeFacts &facts, ArrayRef<Expr> extents) {
  ExprArena &arena = facts.arena();
  if (auto constant = dyn_cast<AffineConstantExpr>(e))
    return {arena.constant(constant.getValue()),
            arena.constant(constant.getValue())};
  if (auto loop = dyn_cast<AffineDimExpr>(e))
    return extents[loop.getPosition()]
               ? Reach{arena.zero(), extents[loop.getPosition()] - 1}
               : Reach();
  auto binary = dyn_cast<AffineBinaryOpExpr>(e);
  if (!binary)
    return {};
  Reach a = reachOf(binary.getLHS(), facts, extents);
  if (!a)
    return {};
  if (e.getKind() == AffineExprKind::Add) {
    Reach b = reachOf(binary.getRHS(), facts, extents);
    return b ? Reach{a.lo + b.lo, a.hi + b.hi} : Reach();
  }
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (!factor)
    return {};
  int64_t c = factor.getValue();
  if (e.getKind() == AffineExprKind::Mul)
    return c >= 0 ? Reach{a.lo * c, a.hi * c} : Reach{a.hi * c, a.lo * c};
  if (c <= 0)
    return {};
  Expr divisor = arena.constant(c);
  if (e.getKind() == AffineExprKind::FloorDiv)
    return {arena.floorDiv(a.lo, divisor), arena.floorDiv(a.hi, divisor)};
  if (e.getKind() == AffineExprKind::CeilDiv)
    return {arena.ceilDiv(a.lo, divisor), arena.ceilDiv(a.hi, divisor)};
  return {arena.zero(), isAtLeast(facts, a.lo, 0) ? arena.min(a.hi, divisor - 1)
                                                  : divisor - 1};
}

/// `e` as a sum of multiples of distinct loops, if it is one: a tile and the
/// place in it, (d0 floordiv 4) * 4 + d0 mod 4, are d0. Else as it is.
AffineExpr withoutDivisions(AffineExpr e, ShapeFacts &facts, unsigned loops) {
  auto divides = [](AffineExpr part) {
    return part.getKind() == AffineExprKind::FloorDiv ||
           part.getKind() == AffineExprKind::CeilDiv ||
           part.getKind() == AffineExprKind::Mod;
  };
  auto contains = [&](AffineExpr whole) {
    bool found = false;
    whole.walk([&](AffineExpr part) { found |= divides(part); });
    return found;
  };
  if (!contains(e))
    return e;
  SmallVector<Expr> counters;
  for (unsigned d = 0; d < loops; ++d)
    counters.push_back(facts.arena().freshSymbol("%loop"));
  AffineExpr sum = toAffineExpr(
      facts.apply(e, counters, {}), e.getContext(), [&](Expr monomial) {
        auto loop = llvm::find(counters, monomial);
        return loop == counters.end()
                   ? AffineExpr()
                   : getAffineDimExpr(loop - counters.begin(), e.getContext());
      });
  return sum && !contains(sum) ? sum : e;
}

/// Requires that map results other than a loop stay inside their dimension: the
/// windows of convolutions and pools, the 0 of a broadcast. Vacuous if nothing
/// is iterated.
void requireWindows(LinalgOp op, ShapeFacts &facts, ArrayRef<Expr> extents) {
  // Most ops have none: do not ask which of their loops may be empty.
  if (llvm::all_of(op.getIndexingMapsArray(),
                   [](AffineMap map) { return map.isProjectedPermutation(); }))
    return;
  Formula isEmpty = Formula::truth(false);
  auto isReached = [&](Expr extent) {
    return facts.constraints().isProvably(
        Relation::ge(extent, facts.constant(1)), Effort::Quick);
  };
  for (Expr extent : extents)
    if (extent && !isReached(extent))
      isEmpty = Formula::disj(isEmpty, Relation::le(extent, facts.constant(0)));
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isRankedShaped(operand.get().getType()))
      continue;
    for (auto [r, e] :
         llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults())) {
      if (isa<AffineDimExpr>(e))
        continue;
      std::string field = "window of operand " +
                          std::to_string(operand.getOperandNumber()) +
                          ", dimension " + std::to_string(r);
      Reach reach =
          reachOf(withoutDivisions(e, facts, op.getNumLoops()), facts, extents);
      if (!reach) {
        facts.require(Formula::opaque(), field);
        continue;
      }
      Formula inside = Relation::lt(reach.hi, facts.dim(operand.get(), r));
      if (!reach.lo.isConstant(0) && !isAtLeast(facts, reach.lo, 0))
        inside =
            Formula::conj(inside, Relation::ge(reach.lo, facts.constant(0)));
      facts.require(Formula::disj(isEmpty, inside), field);
    }
  }
}

/// Whether each iteration has its own element of each result.
bool isPointwise(LinalgOp op) {
  return op.getNumParallelLoops() == op.getNumLoops() &&
         llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
           return op.getMatchingIndexingMap(&init).isPermutation();
         });
}

/// Sets the indices and the arguments that the body sees in one iteration.
void setBodyValues(LinalgOp op, ShapeFacts &facts, ArrayRef<Expr> counters) {
  Block &body = op->getRegion(0).front();
  body.walk([&](IndexOp index) {
    if (index->getParentOfType<LinalgOp>() == op &&
        index.getDim() < counters.size())
      facts.setValue(index.getResult(), counters[index.getDim()]);
  });
  bool pointwise = isPointwise(op);
  for (OpOperand &operand : op->getOpOperands()) {
    if (operand.getOperandNumber() >= body.getNumArguments())
      break; // a body that does not see the inits
    BlockArgument arg = body.getArgument(operand.getOperandNumber());
    if (!hasIntegerValue(arg.getType()) || arg.getType().isInteger(1))
      continue;
    if (op.isDpsInit(&operand) && !pointwise)
      continue; // changes from iteration to iteration
    Value v = operand.get();
    if (v.getType() == arg.getType()) {
      facts.setValue(arg, facts.value(v));
      continue;
    }
    if (!isa<RankedTensorType>(v.getType()))
      continue;
    SmallVector<Expr> position;
    for (AffineExpr e : op.getMatchingIndexingMap(&operand).getResults())
      position.push_back(facts.apply(e, counters, {}));
    if (Expr e = facts.element(v, position))
      facts.setValue(arg, e);
  }
}

/// The elements of the results of a pointwise op are what its body yields.
void setResultElements(LinalgOp op, ShapeFacts &facts,
                       const IterationSpace &space) {
  if (!op.hasPureTensorSemantics() || !isPointwise(op))
    return;
  Operation *yield = op->getRegion(0).front().getTerminator();
  for (OpResult result : op->getResults()) {
    if (result.getResultNumber() >= yield->getNumOperands())
      break;
    Value yielded = yield->getOperand(result.getResultNumber());
    if (!hasIntegerValue(yielded.getType()) || yielded.getType().isInteger(1))
      continue;
    AffineMap map = op.getMatchingIndexingMap(
        op.getDpsInitOperand(result.getResultNumber()));
    SmallVector<unsigned> placeOfLoop(map.getNumDims());
    for (unsigned r = 0; r < map.getNumResults(); ++r)
      placeOfLoop[map.getDimPosition(r)] = r;
    if (ElementFn element = space.functionOf(facts.value(yielded), placeOfLoop))
      facts.setElements(result, element);
  }
}

void structuredRule(LinalgOp op, ShapeFacts &facts) {
  SmallVector<Expr> extents = unifyLoops(op, facts);
  requireWindows(op, facts, extents);
  for (OpResult result : op->getResults())
    if (isRankedShaped(result.getType()))
      facts.copyExtents(op.getDpsInitOperand(result.getResultNumber())->get(),
                        result);
  if (op->getNumRegions() == 0 || op->getRegion(0).empty())
    return;
  // A loop that no operand dimension bounds: not met in verified ops.
  if (!llvm::all_of(extents, [](Expr e) { return bool(e); })) {
    facts.visitRegion(op->getRegion(0), Formula::opaque());
    return;
  }
  IterationSpace space(facts, extents);
  setBodyValues(op, facts, space.counters());
  facts.visitRegion(op->getRegion(0), space.premise());
  setResultElements(op, facts, space);
}

template <typename OpTy>
void structuredRuleOf(OpTy op, ShapeFacts &facts) {
  structuredRule(cast<LinalgOp>(op.getOperation()), facts);
}

template <typename... Ops>
void attachStructured(MLIRContext *context) {
  (attachRule<Ops, structuredRuleOf<Ops>>(context), ...);
}

/// Set by the rule of the enclosing op.
void indexRule(IndexOp, ShapeFacts &) {}
} // namespace

void symshape::registerLinalgRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, LinalgDialect *) {
    attachStructured<
#define GET_OP_LIST
#include "mlir/Dialect/Linalg/IR/LinalgStructuredOps.cpp.inc"
        >(context);
    attachRule<IndexOp, indexRule>(context);
    attachOtherLinalgRules(context);
  });
}
