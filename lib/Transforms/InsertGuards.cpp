//===- InsertGuards.cpp - Checks of what the program requires -------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/InsertGuards.h"
#include "ArgumentDims.h"
#include "BodySlice.h"
#include "CheckEmitter.h"
#include "PassCounters.h"
#include "PlaceChecks.h"
#include "symshape/IR/PassAttributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/Pass.h"
#include "symshape/IR/DiscardableAttributes.h"
#include "symshape/IR/SymShape.h"
#include "symshape/Transforms/Canonicalizer.h"
#include "symshape/Transforms/DeclaredFacts.h"
#include "symshape/Transforms/Passes.h"
#include "symshape/Transforms/Snapshot.h"
#include "symshape/Transforms/TellViolations.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_INSERTGUARDSPASS
#include "symshape/Transforms/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// Emits the guard function of one function, the function that tells which
/// guards fail, and their use.
class EntryGuards {
public:
  EntryGuards(FunctionShapes &shapes, const GuardPlan &plan);
  /// False when there is nothing to check.
  bool isNeeded() const { return !dims.empty(); }
  void emit();

private:
  Value emitVerdict(OpBuilder &builder, ValueRange given, ValueRange clamped);
  func::FuncOp emitGuardFunction();
  func::FuncOp emitTellFunction();
  void emitEntry(func::FuncOp guardFunction, func::FuncOp tellFunction);
  FailMessage messageOfBound(ValueRange values);
  size_t orderOf(const Guard &guard) const;
  SmallVector<const Guard *> collectEarlierDropped() const;
  Value emitCommonBound(OpBuilder &builder, ValueRange values);

  FunctionShapes &shapes;
  func::FuncOp func;
  const GuardPlan &plan;
  ArrayRef<Guard> guards;
  SmallVector<ArgumentDim> dims;
};
} // namespace

EntryGuards::EntryGuards(FunctionShapes &shapes, const GuardPlan &plan)
    : shapes(shapes), func(shapes.function()), plan(plan), guards(plan.guards),
      dims(getArgumentDims(func)) {}

/// Where the first requirement that needs `guard` stands, declarations first.
size_t EntryGuards::orderOf(const Guard &guard) const {
  ArrayRef<Requirement> declared = shapes.declared(),
                        required = shapes.requirements();
  const Requirement *first = guard.reasons.front();
  if (first >= declared.begin() && first < declared.end())
    return first - declared.begin();
  return declared.size() + (first - required.begin());
}

/// Conditions implied by guards that later ops need: `x[0:4]` is no guard
/// beside `x[0:8]`, but if both fail, it fails first. Only the first few, so
/// that messages of a program of many ops stay short.
SmallVector<const Guard *> EntryGuards::collectEarlierDropped() const {
  constexpr size_t most = 64;
  size_t last = 0;
  for (const Guard &guard : guards)
    last = std::max(last, orderOf(guard));
  SmallVector<const Guard *> earlier;
  for (const Guard &guard : plan.dropped)
    if (orderOf(guard) < last && earlier.size() < most)
      earlier.push_back(&guard);
  return earlier;
}

/// Whether each dim is in [0, 2^48 - 1]: so is, read as unsigned, their bitwise
/// or.
Value EntryGuards::emitCommonBound(OpBuilder &builder, ValueRange values) {
  Location loc = func.getLoc();
  Value all = values.front();
  for (Value value : values.drop_front())
    all = arith::OrIOp::create(builder, loc, all, value);
  Value bound = arith::ConstantIndexOp::create(builder, loc, kMaxExtent);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, all,
                               bound);
}

/// The message if one of `values` is out of that range.
FailMessage EntryGuards::messageOfBound(ValueRange values) {
  FailMessage message(func);
  message << "guard failed: each extent must be at most 2^48 - 1:";
  for (auto [i, dim] : llvm::enumerate(dims))
    message << (i ? ", " : " ")
            << shapes.spellingOfArgument(dim.argument.getArgNumber()) << " dim "
            << Twine(dim.dim) << " (" << values[i] << ")";
  return message;
}

/// The number of the first condition that does not hold; if all do, `none`.
static Value emitFirstFailure(OpBuilder &builder, Location loc,
                              ArrayRef<std::pair<int32_t, Value>> conditions,
                              Value none) {
  Value result = none;
  for (auto [number, holds] : llvm::reverse(conditions)) {
    Value failure = arith::ConstantOp::create(
        builder, loc, builder.getI32IntegerAttr(number));
    result = arith::SelectOp::create(builder, loc, holds, result, failure);
  }
  return result;
}

/// -1 when all guards hold, else the number of one that fails; number 0 is the
/// common bound of extents. Divisions and wide products wait until all others
/// hold.
Value EntryGuards::emitVerdict(OpBuilder &builder, ValueRange given,
                               ValueRange clamped) {
  Location loc = func.getLoc();
  ExprEmitter emitter = makeDimEmitter(shapes, builder, loc, dims, clamped);
  SmallVector<std::pair<int32_t, Value>> cheap{
      {0, emitCommonBound(builder, given)}};
  SmallVector<int32_t> others;
  for (auto [i, guard] : llvm::enumerate(guards))
    if (emitter.isCheap(guard.condition))
      cheap.push_back({i + 1, emitter.emitCondition(guard.condition)});
    else
      others.push_back(i + 1);
  Value none =
      arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(-1));
  Value result = emitFirstFailure(builder, loc, cheap, none);
  if (others.empty())
    return result;
  Value holds = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                      result, none);
  auto branch = scf::IfOp::create(builder, loc, result.getType(), holds,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard restore(builder);
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, loc, result);
  builder.setInsertionPointToStart(branch.thenBlock());
  SmallVector<std::pair<int32_t, Value>> dear;
  for (int32_t number : others)
    dear.push_back(
        {number, emitter.emitCondition(guards[number - 1].condition)});
  scf::YieldOp::create(builder, loc,
                       emitFirstFailure(builder, loc, dear, none));
  return branch.getResult(0);
}

/// `@f.guard(dims) -> i32`, with the message of each number.
func::FuncOp EntryGuards::emitGuardFunction() {
  Location loc = func.getLoc();
  // If the common bound does not hold, the others do not count; clamped, no dim
  // makes them overflow.
  SmallVector<Value> values;
  func::FuncOp guardFunction = createFunctionOfDims(
      shapes, ".guard", dims, IntegerType::get(func.getContext(), 32), values);
  guardFunction->setAttr(kGuarded, UnitAttr::get(func.getContext()));
  Block *block = &guardFunction.getBody().front();
  OpBuilder builder = OpBuilder::atBlockEnd(block);
  Value verdict = emitVerdict(builder, block->getArguments(), values);
  func::ReturnOp::create(builder, loc, verdict);
  SmallVector<Attribute> messages{
      builder.getStringAttr(messageOfBound(block->getArguments()).str())};
  for (const Guard &guard : guards)
    messages.push_back(
        builder.getStringAttr(messageOfGuard(shapes, guard).str()));
  guardFunction->setAttr(kMessages, builder.getArrayAttr(messages));
  return guardFunction;
}

/// `@f.guard.tell(dims)`: reports all guards that fail, or only the common
/// bound. An implied condition is reported if its op is the first one that
/// fails. It is a separate function for the same reason as the guard: inside
/// the entry, what is guarded would be taken as known.
func::FuncOp EntryGuards::emitTellFunction() {
  Location loc = func.getLoc();
  SmallVector<Value> values;
  func::FuncOp tellFunction =
      createFunctionOfDims(shapes, ".guard.tell", dims, TypeRange(), values);
  tellFunction.setPrivate();
  tellFunction->setAttr(kGuarded, UnitAttr::get(func.getContext()));
  Block *block = &tellFunction.getBody().front();
  OpBuilder builder = OpBuilder::atBlockEnd(block);
  ExprEmitter emitter = makeDimEmitter(shapes, builder, loc, dims, values);
  Value yes =
      arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  auto tellUnless = [&](Value holds, const FailMessage &message) {
    OpBuilder::InsertionGuard guard(builder);
    builder.restoreInsertionPoint(
        branchUnless(builder, loc, holds).saveInsertionPoint());
    return message.emit(builder, loc, &emitter);
  };
  tellUnless(emitCommonBound(builder, block->getArguments()),
             messageOfBound(block->getArguments()));
  SmallVector<const Guard *> told = collectEarlierDropped();
  auto isDropped =
      [dropped = llvm::SmallPtrSet<const Guard *, 8>(told.begin(), told.end())](
          const Guard *guard) { return dropped.contains(guard); };
  for (const Guard &guard : guards)
    told.push_back(&guard);
  llvm::stable_sort(told, [&](const Guard *a, const Guard *b) {
    return orderOf(*a) < orderOf(*b);
  });
  Value allHold = yes;
  for (const Guard *guard : told) {
    FailMessage message = messageOfGuard(shapes, *guard);
    message.transform([&](Expr e) { return shapes.expand(e); });
    Value holds = emitter.emitCondition(guard->condition);
    Value silent = holds;
    if (isDropped(guard)) {
      Value isLater = arith::XOrIOp::create(builder, loc, allHold, yes);
      silent = arith::OrIOp::create(builder, loc, holds, isLater);
    }
    tellUnless(silent, message).setContinues(true);
    allHold = arith::AndIOp::create(builder, loc, allHold, holds);
  }
  func::ReturnOp::create(builder, loc);
  return tellFunction;
}

void EntryGuards::emitEntry(func::FuncOp guardFunction,
                            func::FuncOp tellFunction) {
  Location loc = func.getLoc();
  OpBuilder builder(&func.getBody().front(), func.getBody().front().begin());
  SmallVector<Value> values = emitArgumentDims(builder, loc, dims);
  Value first =
      func::CallOp::create(builder, loc, guardFunction, values).getResult(0);
  Value none =
      arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(-1));
  Value fails = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                      first, none);
  OpBuilder cold = branchIf(builder, loc, fails);
  func::CallOp::create(cold, loc, tellFunction, values);
  FailMessage().emit(cold, loc);
}

void EntryGuards::emit() {
  func::FuncOp guardFunction = emitGuardFunction();
  func->setAttr(kGuardFunction, FlatSymbolRefAttr::get(guardFunction));
  emitEntry(guardFunction, emitTellFunction());
}

/// Makes the guards facts of the body: names the dims that have no name, and
/// adds them to what the function assumes.
static void declareGuards(FunctionShapes &shapes, ArrayRef<Guard> guards) {
  func::FuncOp func = shapes.function();
  nameArgumentDims(shapes);
  SmallVector<FactAttr> facts;
  for (const Guard &guard : guards) {
    if (guard.condition.isWritable() &&
        llvm::all_of(guard.condition.symbols(),
                     [&](Expr s) { return shapes.isNamed(s); }))
      facts.push_back(FactAttr::get(func.getContext(), guard.condition.str()));
  }
  addAssumptions(func, facts);
}

/// The structured op in whose body `op` stands; null outside of one.
static Operation *structuredParent(Operation *op) {
  Operation *found = nullptr;
  for (Operation *parent = op->getParentOp();
       parent && !isa<func::FuncOp>(parent); parent = parent->getParentOp())
    if (isa<linalg::LinalgOp>(parent))
      found = parent;
  return found;
}

namespace {
/// What is to be emitted in one function.
struct FunctionChecks {
  FunctionShapes *shapes;
  GuardPlan plan;
  /// For each structured op with checks, what decides them.
  SmallVector<std::vector<BodySlice>, 0> bodies;

  LogicalResult planDeferred();
  void emitDeferred();
};
} // namespace

/// Fails, with an error, if a check cannot be computed.
LogicalResult FunctionChecks::planDeferred() {
  llvm::MapVector<Operation *, SmallVector<const Requirement *>> required;
  for (const DeferredCheck &check : plan.deferred) {
    if (Operation *body = structuredParent(check.anchor))
      required[body].push_back(check.reasons.front());
    else if (failed(verifyDeferredCheck(*shapes, check)))
      return failure();
  }
  for (auto &[body, requirements] : required) {
    auto slices = planBodyChecks(*shapes, body, requirements);
    if (failed(slices))
      return failure();
    bodies.push_back(std::move(*slices));
  }
  return success();
}

void FunctionChecks::emitDeferred() {
  for (const DeferredCheck &check : plan.deferred)
    if (!structuredParent(check.anchor))
      emitDeferredCheck(*shapes, check);
  for (std::vector<BodySlice> &slices : bodies)
    emitBodyChecks(slices);
}

/// Erases the user's asserts that are checked elsewhere: by a guard, by the
/// callers, or before them. An assert stays if a part of it is not. What does
/// not become a fact of the function stays as a fact of the place.
static void eraseCheckedAsserts(FunctionShapes &shapes, const GuardPlan &plan) {
  llvm::MapVector<Operation *, SmallVector<const Requirement *, 1>> asserts;
  auto collect = [&](ArrayRef<const Requirement *> requirements,
                     bool isFactOfPlace) {
    for (const Requirement *requirement : requirements) {
      if (!isOwnAssert(*requirement))
        continue;
      auto &facts = asserts[requirement->op];
      if (isFactOfPlace)
        facts.push_back(requirement);
    }
  };
  collect(plan.hoisted, /*isFactOfPlace=*/false);
  collect(plan.takenOver, /*isFactOfPlace=*/false);
  for (const auto *checks : {&plan.deferred, &plan.droppedChecks})
    for (const DeferredCheck &check : *checks)
      collect(check.reasons, !structuredParent(check.anchor));
  for (const DeferredCheck &check : plan.deferred)
    if (check.isAssert)
      asserts.erase(check.reasons.front()->op);
  for (auto &[op, facts] : asserts) {
    for (const Requirement *fact : facts)
      emitAssumption(shapes, fact->condition, op);
    op->erase();
  }
}

/// Integer divisions of tensors, and powers, which divide as well.
static SmallVector<Operation *> findTensorDivisions(ModuleOp module) {
  SmallVector<Operation *> divisions;
  module.walk([&](Operation *op) {
    if ((isIntegerDivision(op) || isa<math::IPowIOp>(op)) &&
        isa<RankedTensorType>(op->getResult(0).getType()))
      divisions.push_back(op);
  });
  return divisions;
}

/// Gives them a body, whose divisors can be checked.
static void makeStructured(ArrayRef<Operation *> divisions) {
  if (divisions.empty())
    return;
  RewritePatternSet patterns(divisions.front()->getContext());
  linalg::populateElementwiseToLinalgConversionPatterns(patterns);
  applySoundPatterns(divisions, std::move(patterns));
}

/// Lets the target of each reshape be numbers that have names, so that what is
/// required of them can be checked before the op.
static void nameTargets(ArrayRef<tensor::ReshapeOp> reshapes) {
  for (tensor::ReshapeOp op : reshapes) {
    OpBuilder b(op);
    Location loc = op.getLoc();
    SmallVector<Value> sizes;
    for (int64_t d = 0; d < op.getResultType().getRank(); ++d) {
      Value at = arith::ConstantIndexOp::create(b, loc, d);
      sizes.push_back(tensor::ExtractOp::create(b, loc, op.getShape(), at));
    }
    op.getShapeMutable().assign(
        tensor::FromElementsOp::create(b, loc, op.getShape().getType(), sizes));
  }
}

/// Reshapes to extents that are not listed one by one.
static SmallVector<tensor::ReshapeOp> findOpenReshapes(ModuleOp module) {
  SmallVector<tensor::ReshapeOp> reshapes;
  module.walk([&](tensor::ReshapeOp op) {
    auto type = dyn_cast<RankedTensorType>(op.getResult().getType());
    bool isListed = isa_and_present<tensor::FromElementsOp, arith::ConstantOp>(
        op.getShape().getDefiningOp());
    if (type && type.getRank() > 0 && !isListed)
      reshapes.push_back(op);
  });
  return reshapes;
}

/// A remark for each guard and check, and for each guard that others make
/// superfluous.
static void remarkOnGuards(FunctionShapes &shapes, const GuardPlan &plan) {
  if (!shapes.function().getContext()->getRemarkEngine())
    return;
  auto options = [](StringRef name) {
    return remark::RemarkOpts::name(name).category("symshape-insert-guards");
  };
  if (!plan.takenOver.empty())
    remark::passed(shapes.function().getLoc(), options("facts"))
        << "callers check what the function requires";
  for (const Guard &guard : plan.guards)
    for (const Requirement *reason : guard.reasons)
      remark::passed(reason->op->getLoc(), options("guard"))
          << "guard: " + describe(shapes, guard.condition, nullptr);
  for (const DeferredCheck &check : plan.deferred)
    for (const Requirement *reason : check.reasons)
      remark::passed(reason->op->getLoc(), options("check"))
          << "check: " + describe(shapes, check.condition, nullptr);
  for (const Guard &guard : plan.dropped) {
    std::string text;
    for (const Requirement *reason : guard.reasons) {
      auto remark = remark::passed(reason->op->getLoc(), options("no-guard"));
      if (!remark) // nobody reads it, and what implies it takes long to find
        continue;
      if (text.empty()) {
        text = "no guard: " + guard.condition.str();
        for (unsigned index : certify(shapes, plan, guard))
          text += ", implied by " + plan.guards[index].condition.str();
      }
      remark << text;
    }
  }
}

/// Nothing is changed before all that can be refused has been looked at.
static LogicalResult insertChecks(ModuleOp module, bool frozen,
                                  GuardPlans *ofSame,
                                  InsertGuardsResult &total) {
  SmallVector<func::FuncOp> unguarded;
  module.walk([&](func::FuncOp func) {
    if (!func.isDeclaration() && !func->hasAttr(kGuarded))
      unguarded.push_back(func);
  });
  if (unguarded.empty())
    return success();
  ShapeAnalysis analysis(module);
  SmallVector<FunctionChecks, 0> functions;
  Violations violations;
  for (func::FuncOp func : unguarded) {
    FunctionShapes *shapes = analysis.lookup(func);
    const GuardPlan *known = ofSame ? ofSame->find(func.getName()) : nullptr;
    functions.push_back({shapes, planGuards(*shapes, known), {}});
    llvm::append_range(
        violations, findPlanViolations(*shapes, functions.back().plan, frozen));
  }
  if (failed(reportViolations(violations)))
    return failure();
  for (FunctionChecks &function : functions)
    if (failed(function.planDeferred()))
      return failure();

  for (FunctionChecks &function : functions) {
    auto &[shapes, plan, bodies] = function;
    total.numGuards += plan.guards.size();
    total.numDeferred += plan.deferred.size();
    total.numProved += plan.numProved;
    function.emitDeferred();
    emitPlaceChecks(shapes->function());
    remarkOnGuards(*shapes, plan);
    EntryGuards entry(*shapes, plan);
    if (!shapes->callersTakeOver() && entry.isNeeded()) {
      entry.emit();
      declareGuards(*shapes, plan.guards);
    }
    shapes->function()->setAttr(kGuarded, UnitAttr::get(module.getContext()));
  }
  for (auto &[shapes, plan, bodies] : functions)
    eraseCheckedAsserts(*shapes, plan);
  return success();
}

FailureOr<InsertGuardsResult>
mlir::symshape::insertGuards(ModuleOp module, bool frozen, GuardPlans *ofSame) {
  InsertGuardsResult total;
  if (failed(verifyAttributeNames(module)) || failed(verifySymbolNames(module)))
    return failure();
  SmallVector<Operation *> divisions = findTensorDivisions(module);
  auto insert = [&] { return insertChecks(module, frozen, ofSame, total); };
  SmallVector<tensor::ReshapeOp> reshapes = findOpenReshapes(module);
  auto prepareAndInsert = [&] {
    nameTargets(reshapes);
    makeStructured(divisions);
    return insert();
  };
  if (failed(divisions.empty() && reshapes.empty()
                 ? insert()
                 : changeOrRestore(module, prepareAndInsert)))
    return failure();
  splitNarrowingCasts(module);
  return total;
}

namespace {
struct InsertGuardsPass
    : symshape::impl::InsertGuardsPassBase<InsertGuardsPass> {
  using InsertGuardsPassBase::InsertGuardsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    CountQuestions questions(*this, numAsked, numNew);
    FailureOr<InsertGuardsResult> result = insertGuards(module, frozen);
    if (failed(result))
      return signalPassFailure();
    count(*this, numProved, "num-proved", result->numProved);
    count(*this, numGuards, "num-guards", result->numGuards);
    count(*this, numChecks, "num-checks", result->numDeferred);
    remark::passed(
        module.getLoc(),
        remark::RemarkOpts::name("summary").category("symshape-insert-guards"))
        << (Twine(result->numProved) + " requirements proved, " +
            Twine(result->numGuards) + " entry guards, " +
            Twine(result->numDeferred) + " checks before ops")
               .str();
  }
};
} // namespace
