//===- Jvp.cpp - Forward derivatives --------------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy of the function in which each active op is followed by the ops that
// compute its tangents.
//
//===----------------------------------------------------------------------===//

#include "Jvp.h"
#include "Functions.h"
#include "symshape/Transforms/AutoDiff.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
class FunctionTangents final : public Tangents {
public:
  FunctionTangents(func::FuncOp func, ArrayRef<int64_t> results, bool separate)
      : rewriter(func.getContext()), separate(separate) {
    findUnneeded(func, results);
  }

  OpBuilder &builder() override { return rewriter; }
  Value of(Value primal) override { return known.lookup(primal); }
  void set(Value primal, Value tangent) override {
    if (!tangent)
      return;
    known[primal] = tangent;
    order.push_back(primal);
  }
  using Tangents::differentiate;
  LogicalResult differentiate(Operation *op) override;
  bool isSeparate() const override { return separate; }

protected:
  size_t numSet() const override { return order.size(); }
  void forgetAfter(size_t size) override {
    for (Value primal : ArrayRef(order).drop_front(size))
      known.erase(primal);
    order.truncate(size);
  }

private:
  void findUnneeded(func::FuncOp func, ArrayRef<int64_t> results);
  bool isActive(Operation &op);

  OpBuilder rewriter;
  bool separate;
  DenseMap<Value, Value> known;
  SmallVector<Value> order; ///< in which they were set
  /// Ops on which no result of the function depends through floats, other than
  /// through a stop_gradient.
  DenseSet<Operation *> unneeded;
};
} // namespace

/// Whether the value may hold what has a derivative: floats, even those without
/// a tangent here, as in complex numbers, vectors and buffers.
static bool holdsFloats(Type type) {
  return !getElementTypeOrSelf(type).isIntOrIndex();
}

void FunctionTangents::findUnneeded(func::FuncOp func,
                                    ArrayRef<int64_t> results) {
  func.walk([&](Operation *op) { unneeded.insert(op); });
  Operation *terminator = func.getBody().front().getTerminator();
  SmallVector<Value> work = llvm::map_to_vector(
      results, [&](int64_t number) { return terminator->getOperand(number); });
  while (!work.empty()) {
    Value value = work.pop_back_val();
    Operation *def = value.getDefiningOp();
    if (!def || !holdsFloats(value.getType()) || !unneeded.contains(def))
      continue;
    // What a region computes may be a result of its op.
    def->walk([&](Operation *inner) {
      if (isa<StopGradientOp>(inner))
        return;
      unneeded.erase(inner);
      llvm::append_range(work, inner->getOperands());
    });
  }
}

bool FunctionTangents::isActive(Operation &op) {
  if (unneeded.contains(&op) || op.hasTrait<OpTrait::IsTerminator>() ||
      llvm::none_of(op.getResultTypes(), holdsFloats))
    return false;
  return usesAny(&op, [&](Value v) { return known.contains(v); });
}

LogicalResult FunctionTangents::differentiate(Operation *op) {
  if (!isActive(*op))
    return success();
  auto rule = dyn_cast<JvpOpInterface>(op);
  auto hasNoTangent = [](Type type) {
    return holdsFloats(type) && !hasTangent(type);
  };
  if (!rule || llvm::any_of(op->getResultTypes(), hasNoTangent))
    return emitMissingRule(op);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointAfter(op);
  return rule.buildJvp(*this);
}

/// Adds an argument for the tangent of each of `wrt`.
static void addTangentArguments(func::FuncOp jvp, ArrayRef<int64_t> wrt,
                                Tangents &tangents) {
  for (int64_t number : wrt) {
    BlockArgument primal = jvp.getArgument(number);
    NamedAttrList attrs;
    if (Attribute shape = jvp.getArgAttr(number, SymShapeDialect::kShape))
      attrs.set(SymShapeDialect::kShape, shape);
    (void)jvp.insertArgument(jvp.getNumArguments(), primal.getType(),
                             attrs.getDictionary(jvp.getContext()),
                             primal.getLoc()); // never fails at the end
    tangents.set(primal, jvp.getArguments().back());
  }
}

/// Returns the tangents of these results after all results.
static void returnTangents(func::FuncOp jvp, ArrayRef<int64_t> numbers,
                           FunctionTangents &tangents) {
  Operation *terminator = jvp.getBody().front().getTerminator();
  tangents.builder().setInsertionPoint(terminator);
  SmallVector<Value> results(terminator->getOperands());
  SmallVector<Type> types(jvp.getResultTypes());
  for (int64_t number : numbers) {
    Value primal = terminator->getOperand(number);
    results.push_back(tangents.orZero(primal));
    types.push_back(primal.getType());
  }
  SmallVector<DictionaryAttr> attrs;
  jvp.getAllResultAttrs(attrs);
  attrs.resize(types.size(), DictionaryAttr::get(jvp.getContext()));
  terminator->setOperands(results);
  jvp.setFunctionType(
      FunctionType::get(jvp.getContext(), jvp.getArgumentTypes(), types));
  jvp.setAllResultAttrs(attrs);
}

FailureOr<func::FuncOp> symshape::differentiateCopy(func::FuncOp func,
                                                    const Request &request,
                                                    const Twine &name,
                                                    bool separate) {
  FailureOr<func::FuncOp> copy = copyInlined(func, name);
  if (failed(copy))
    return failure();
  if (failed(verifyBodyTypes(*copy))) {
    copy->erase();
    return failure();
  }
  eraseDead(*copy);
  FunctionTangents tangents(*copy, request.results, separate);
  addTangentArguments(*copy, request.wrt, tangents);
  // The linear part of a split says so itself.
  OpBuilder builder = OpBuilder::atBlockBegin(&copy->getBody().front());
  for (int64_t number : separate ? ArrayRef<int64_t>() : request.wrt) {
    Value primal = copy->getArgument(number);
    requireExtents(builder, tangents.of(primal),
                   extentsOf(builder, primal.getLoc(), primal), "tangent");
  }
  if (failed(tangents.differentiate(copy->getBody().front()))) {
    copy->erase();
    return failure();
  }
  returnTangents(*copy, request.results, tangents);
  eraseDead(*copy);
  return copy;
}

FailureOr<func::FuncOp> symshape::buildJvp(func::FuncOp func,
                                           const Request &request) {
  loadDialectsOfRules(func.getContext());
  if (failed(verifyRequest(func, request, {".jvp"})))
    return failure();
  return differentiateCopy(func, request, func.getName() + ".jvp",
                           /*separate=*/false);
}
