//===- SpecializeCalls.cpp - Functions for what calls pass ----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/SpecializeCalls.h"
#include "ArgumentDims.h"
#include "CloneFunction.h"
#include "StaticTypes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"
#include "symshape/Analysis/FactCursor.h"
#include "symshape/Analysis/ModuleCalls.h"
#include "symshape/Transforms/DeclaredFacts.h"
#include "symshape/Transforms/InferShapes.h"
#include "symshape/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_SPECIALIZECALLSPASS
#include "symshape/Transforms/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

/// A divisor below this affects no tile and no vector.
static constexpr int64_t kLeastDivisor = 8;

namespace {
/// For each dynamic dim of a function's arguments, a number that divides what a
/// call passes; 1 if the function knows it, or if none is known.
using Divisors = SmallVector<int64_t>;

/// Carries types and divisors across the calls of a module once.
class CallCarrier {
public:
  explicit CallCarrier(ModuleOp module) : module(module), table(module) {
    collectCalls();
    removeRecursive();
  }

  /// Whether some call passes or returns a tensor.
  bool hasTensors() const;
  /// Whether anything changed; then there may be more to do.
  bool carryTypes();
  bool carryDivisors();

private:
  void collectCalls();
  bool isOpen(func::FuncOp function) const { return !calls.count(function); }
  func::FuncOp cloneFunction(func::FuncOp function);
  void removeRecursive();
  bool carryArguments(func::FuncOp function);
  bool carryResults(func::FuncOp function);
  bool carryDivisors(func::FuncOp function, FunctionShapes &shapes,
                     const DenseMap<Operation *, Divisors> &passed);

  ModuleOp module;
  SymbolTable table;
  /// The private functions whose every use is a call, and these calls.
  llvm::MapVector<func::FuncOp, SmallVector<func::CallOp>> calls;
  SmallVector<func::FuncOp> order; ///< these functions, callers first
};
} // namespace

bool CallCarrier::hasTensors() const {
  return llvm::any_of(calls, [](const auto &entry) {
    FunctionType type = func::FuncOp(entry.first).getFunctionType();
    return llvm::any_of(type.getInputs(), llvm::IsaPred<ShapedType>) ||
           llvm::any_of(type.getResults(), llvm::IsaPred<ShapedType>);
  });
}

void CallCarrier::collectCalls() {
  ModuleCalls all(module);
  for (auto function : module.getOps<func::FuncOp>())
    if (ArrayRef<func::CallOp> sites = all.callsOf(function);
        all.areKnown(function) && !sites.empty())
      calls[function] = llvm::to_vector(sites);
}

/// Leaves out the functions on cycles of calls, which could need types without
/// end, and those that only they call.
void CallCarrier::removeRecursive() {
  DenseMap<Operation *, unsigned> pending;
  SmallVector<func::FuncOp> ready;
  for (auto function : module.getOps<func::FuncOp>()) {
    auto sites = calls.find(function);
    pending[function] = sites == calls.end() ? 0 : sites->second.size();
    if (pending[function] == 0)
      ready.push_back(function);
  }
  while (!ready.empty())
    ready.pop_back_val().walk([&](func::CallOp call) {
      auto callee = table.lookup<func::FuncOp>(call.getCallee());
      if (!callee || isOpen(callee) || --pending[callee] != 0)
        return;
      ready.push_back(callee);
      order.push_back(callee);
    });
  calls.remove_if(
      [&](auto &entry) { return pending.lookup(entry.first) != 0; });
}

/// A clone, whose calls count as well.
func::FuncOp CallCarrier::cloneFunction(func::FuncOp function) {
  func::FuncOp clone =
      symshape::cloneFunction(function, function.getName(), function);
  clone.walk([&](func::CallOp call) {
    auto callee = table.lookup<func::FuncOp>(call.getCallee());
    if (auto sites = calls.find(callee); sites != calls.end())
      sites->second.push_back(call);
  });
  return clone;
}

/// The types that `call` passes, as far as the function has tensors of that
/// rank.
static SmallVector<Type> getPassedTypes(func::FuncOp function,
                                        func::CallOp call) {
  SmallVector<Type> types;
  for (auto [type, operand] :
       llvm::zip_equal(function.getArgumentTypes(), call.getOperands())) {
    auto declared = dyn_cast<RankedTensorType>(type);
    auto passed = dyn_cast<RankedTensorType>(getStaticType(operand));
    ShapedType merged =
        declared && passed ? mergeStatic(declared, passed) : nullptr;
    types.push_back(merged ? Type(merged) : type);
  }
  return types;
}

bool CallCarrier::carryArguments(func::FuncOp function) {
  llvm::MapVector<FunctionType, SmallVector<func::CallOp>> groups;
  for (func::CallOp call : calls[function])
    groups[FunctionType::get(function.getContext(),
                             getPassedTypes(function, call),
                             function.getResultTypes())]
        .push_back(call);
  FunctionType old = function.getFunctionType();
  if (groups.size() == 1 && groups.front().first == old)
    return false;
  // The function itself serves the calls that pass nothing new, or else the
  // first types. All clones are made before it changes.
  FunctionType kept = groups.count(old) ? old : groups.front().first;
  SmallVector<func::FuncOp> targets;
  for (const auto &group : groups)
    targets.push_back(group.first == kept ? function : cloneFunction(function));
  for (auto [group, target] : llvm::zip_equal(groups, targets)) {
    if (group.first == old)
      continue;
    retypeArguments(target, group.first.getInputs());
    for (func::CallOp call : group.second)
      retypeCall(call, target);
  }
  calls[function] = groups[kept];
  return true;
}

bool CallCarrier::carryResults(func::FuncOp function) {
  SmallVector<Type> types = getReturnedTypes(function);
  if (TypeRange(types) == function.getResultTypes())
    return false;
  retypeResults(function, types);
  for (func::CallOp call : calls[function])
    retypeCall(call, function);
  return true;
}

bool CallCarrier::carryTypes() {
  bool changed = false;
  for (auto &entry : calls)
    changed |= carryArguments(entry.first);
  for (auto &entry : calls)
    changed |= carryResults(entry.first);
  return changed;
}

/// The divisors that each call in the function of `shapes` passes.
static void collectDivisors(FunctionShapes &shapes,
                            const ShapeAnalysis &analysis, SymbolTable &table,
                            DenseMap<Operation *, Divisors> &passed) {
  FactCursor cursor(shapes);
  shapes.function().walk<WalkOrder::PreOrder>([&](func::CallOp call) {
    auto callee = table.lookup<func::FuncOp>(call.getCallee());
    FunctionShapes *inner = callee ? analysis.lookup(callee) : nullptr;
    if (!inner)
      return;
    ConstraintSet &facts = cursor.before(call);
    for (auto [argument, dim] : getArgumentDims(callee)) {
      Value operand = call.getOperand(argument.getArgNumber());
      Residue residue = facts.residue(shapes.dim(operand, dim));
      bool isKnown = residue.remainder != 0 ||
                     residue.modulus < kLeastDivisor ||
                     residue.modulus > kMaxExtent;
      int64_t divisor = isKnown ? 1 : int64_t(residue.modulus);
      isKnown |= inner->entryFacts().isProvably(
          Relation::divides(inner->arena().constant(divisor),
                            inner->dim(argument, dim)),
          Effort::Quick);
      passed[call].push_back(isKnown ? 1 : divisor);
    }
  });
}

bool CallCarrier::carryDivisors(func::FuncOp function, FunctionShapes &shapes,
                                const DenseMap<Operation *, Divisors> &passed) {
  SmallVector<ArgumentDim> dims = getArgumentDims(function);
  const Divisors none(dims.size(), 1);
  std::map<Divisors, SmallVector<func::CallOp>> groups;
  for (func::CallOp call : calls[function]) {
    auto found = passed.find(call);
    groups[found == passed.end() ? none : found->second].push_back(call);
  }
  if (groups.size() == 1 && groups.begin()->first == none)
    return false;
  nameArgumentDims(shapes);
  // In the order of the divisors, the calls that pass none come first: they
  // keep the function, which is changed last, once all clones are made.
  func::FuncOp target = function;
  for (auto &[divisors, sites] : llvm::reverse(groups)) {
    bool isLast = &divisors == &groups.begin()->first;
    target = isLast ? function : cloneFunction(function);
    SmallVector<FactAttr> facts;
    for (auto [dim, divisor] : llvm::zip_equal(dims, divisors))
      if (divisor != 1)
        facts.push_back(
            FactAttr::get(function.getContext(),
                          Relation::divides(shapes.arena().constant(divisor),
                                            shapes.dim(dim.argument, dim.dim))
                              .str()));
    addAssumptions(target, facts);
    for (func::CallOp call : sites)
      call.setCallee(target.getName());
  }
  return true;
}

bool CallCarrier::carryDivisors() {
  ShapeAnalysis analysis(module);
  DenseMap<Operation *, Divisors> passed;
  for (auto function : module.getOps<func::FuncOp>())
    if (FunctionShapes *shapes = analysis.lookup(function))
      collectDivisors(*shapes, analysis, table, passed);
  // What a function passes on depends on what it is passed, and is asked for
  // again when that has changed.
  DenseSet<Operation *> changed;
  auto isInChanged = [&](func::CallOp call) {
    return changed.contains(call->getParentOfType<func::FuncOp>());
  };
  for (func::FuncOp function : order) {
    FunctionShapes *shapes = analysis.lookup(function);
    if (shapes && llvm::none_of(calls[function], isInChanged) &&
        carryDivisors(function, *shapes, passed))
      changed.insert(function);
  }
  return !changed.empty();
}

/// Whether a signature says what divides an extent. If none does, each function
/// is left to find products in extents itself.
static bool declaresDivisors(ModuleOp module) {
  ExprArena arena;
  auto declares = [&](func::FuncOp function) {
    auto facts = function->getAttrOfType<ArrayAttr>(SymShapeDialect::kAssume);
    return llvm::any_of(
               getSymbols(function),
               [](SymbolAttr symbol) { return symbol.getModulus() != 1; }) ||
           (facts &&
            llvm::any_of(facts.getAsRange<FactAttr>(), [&](FactAttr fact) {
              Formula f = fact.getFormula(arena);
              return f.isLiteral() && f.relation.kind == Relation::Divides;
            }));
  };
  return llvm::any_of(module.getOps<func::FuncOp>(), declares);
}

LogicalResult mlir::symshape::specializeCalls(ModuleOp module) {
  auto carry = [&] {
    bool changed = false;
    while (CallCarrier(module).carryTypes())
      changed = true;
    return changed;
  };
  while (carry())
    inferShapes(module);
  if (declaresDivisors(module))
    while (CallCarrier(module).carryDivisors()) {
    }
  return success();
}

namespace {
struct SpecializeCallsPass
    : symshape::impl::SpecializeCallsPassBase<SpecializeCallsPass> {
  void runOnOperation() override {
    if (!CallCarrier(getOperation()).hasTensors())
      return markAllAnalysesPreserved();
    if (failed(specializeCalls(getOperation())))
      signalPassFailure();
  }
};
} // namespace
