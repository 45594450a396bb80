//===- Fixate.cpp - Symbols bound to values for good ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the types of arguments say is carried on to everything else
// (SpecializeCalls), and the facts become redundant.
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/Fixate.h"
#include "ArgumentDims.h"
#include "BoundScalars.h"
#include "KeptRequirements.h"
#include "PassedTypes.h"
#include "StaticTypes.h"

#include "mlir/Pass/PassManager.h"
#include "symshape/Analysis/ShapeAnalysis.h"
#include "symshape/IR/PassAttributes.h"
#include "symshape/IR/SymShape.h"
#include "symshape/Transforms/DeclaredFacts.h"
#include "symshape/Transforms/Passes.h"
#include "symshape/Transforms/Snapshot.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_FIXATEPASS
#include "symshape/Transforms/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

//===----------------------------------------------------------------------===//
// What has become redundant
//===----------------------------------------------------------------------===//

/// Whether each extent that `op` states is a constant that its type has.
static bool isSaidByType(FunctionShapes &shapes, BindShapeOp op) {
  for (int64_t d = 0, rank = op.getShape().getRank(); d < rank; ++d) {
    Extent extent = op.getShape().getExtent(d, shapes.arena());
    if (extent.kind == Extent::Unknown)
      continue;
    Expr stated = shapes.facts().simplify(extent.expr);
    Expr actual = shapes.dim(op.getSource(), d);
    if (!stated.isConstant() || !actual.isConstant() ||
        !shapes.facts().isProvably(
            Extent{extent.kind, stated}.relationOf(actual)))
      return false;
  }
  return true;
}

/// Whether each fact of `op` is one about constants that holds.
static bool isSaidByConstants(FunctionShapes &shapes, AssumeOp op) {
  DenseMap<Expr, Expr> operands;
  for (auto [name, operand] : llvm::zip_equal(
           op.getNames().getAsValueRange<StringAttr>(), op.getSources()))
    operands[shapes.arena().symbol(name)] = shapes.value(operand);
  auto valueOf = [&](Expr symbol) -> std::optional<llvm::DynamicAPInt> {
    Expr e = operands.lookup(symbol);
    return shapes.facts().simplify(e ? e : symbol).asConstant();
  };
  return llvm::all_of(op.getFormulas(shapes.arena()), [&](const Formula &fact) {
    return fact.evaluate(valueOf).value_or(false);
  });
}

static bool isStaticType(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return !shaped || (shaped.hasRank() && shaped.hasStaticShape());
}

void mlir::symshape::eraseBoundSymbols(func::FuncOp function) {
  // A name without an operand that stands for it.
  auto usesSymbol = [](auto op) {
    return op && op.getNames().size() > op.getOperands().size();
  };
  bool usesSymbols = false;
  function.walk([&](Operation *op) {
    usesSymbols |=
        usesSymbol(dyn_cast<SizeOp>(op)) || usesSymbol(dyn_cast<AssertOp>(op));
  });
  if (usesSymbols)
    return;
  {
    ShapeAnalysis analysis(function->getParentOfType<ModuleOp>());
    FunctionShapes &shapes = *analysis.lookup(function);
    SmallVector<Operation *> erased;
    function.walk([&](Operation *op) {
      auto bind = dyn_cast<BindShapeOp>(op);
      auto assume = dyn_cast<AssumeOp>(op);
      if ((bind && isSaidByType(shapes, bind)) ||
          (assume && isSaidByConstants(shapes, assume)))
        erased.push_back(op);
      else
        usesSymbols |= bind || assume;
    });
    for (Operation *op : erased) {
      op->replaceAllUsesWith(op->getOperands());
      op->erase();
    }
  }
  if (usesSymbols || !llvm::all_of(function.getArgumentTypes(), isStaticType))
    return;
  for (StringRef name : {SymShapeDialect::kSymbols, SymShapeDialect::kAssume,
                         SymShapeDialect::kVersions})
    function->removeAttr(name);
  for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
    function.removeArgAttr(i, SymShapeDialect::kShape);
  for (unsigned i = 0, e = function.getNumResults(); i < e; ++i)
    function.removeResultAttr(
        i, StringAttr::get(function.getContext(), SymShapeDialect::kShape));
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

/// Reads `B = 4, S = 128`; fails with a diagnostic at `function`.
static FailureOr<SmallVector<SymbolBinding>>
parseBindings(func::FuncOp function, StringRef text) {
  SmallVector<SymbolBinding> bindings;
  SmallVector<StringRef> pieces;
  text.split(pieces, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/!text.trim().empty());
  for (StringRef piece : pieces) {
    auto [name, number] = piece.split('=');
    SymbolBinding &binding = bindings.emplace_back();
    binding.name = name.trim().str();
    if (binding.name.empty() || number.trim().getAsInteger(10, binding.value))
      return function.emitError()
             << "bind: expected 'symbol = integer', but got '" << piece.trim()
             << "'";
  }
  return bindings;
}

/// Reads `2x?, -, 128`, one for each argument, and for a scalar its value;
/// fails with a diagnostic.
static LogicalResult parseShapes(func::FuncOp function, StringRef text,
                                 SmallVectorImpl<SymbolBinding> &bindings) {
  if (text.trim().empty())
    return success();
  SmallVector<StringRef> pieces;
  text.split(pieces, ',');
  if (pieces.size() != function.getNumArguments())
    return function.emitError()
           << "shapes: expected " << function.getNumArguments()
           << " shapes, one per argument, but got " << pieces.size();
  for (auto [number, piece] : llvm::enumerate(pieces)) {
    piece = piece.trim();
    if (piece == "-")
      continue;
    if (isBindableScalar(function.getArgumentTypes()[number])) {
      SymbolBinding &binding = bindings.emplace_back();
      binding.argument = number;
      binding.dim = SymbolBinding::kScalar;
      if (piece.getAsInteger(10, binding.value))
        return function.emitError()
               << "shapes: expected an integer, or '-', for "
               << spellingOfArgument(function, number) << ", but got '" << piece
               << "'";
      continue;
    }
    SmallVector<StringRef> extents;
    piece.split(extents, 'x', /*MaxSplit=*/-1, /*KeepEmpty=*/!piece.empty());
    auto type = dyn_cast<ShapedType>(function.getArgumentTypes()[number]);
    bool fits = type && type.hasRank() &&
                type.getRank() == static_cast<int64_t>(extents.size());
    for (auto [dim, extent] : llvm::enumerate(extents)) {
      if (extent == "?")
        continue;
      SymbolBinding &binding = bindings.emplace_back();
      binding.argument = number;
      binding.dim = dim;
      fits &= !extent.getAsInteger(10, binding.value) && binding.value >= 0;
    }
    if (!fits)
      return function.emitError()
             << "shapes: expected a shape like '2x?', or '-', for "
             << spellingOfArgument(function, number) << ", but got '" << piece
             << "'";
  }
  return success();
}

namespace {
/// A dim of an argument without a name, and the one that the analysis gives it.
struct GeneratedName {
  std::string function;
  unsigned argument;
  int64_t dim;
  std::string name;
};
} // namespace

static std::vector<GeneratedName> collectGeneratedNames(ModuleOp module) {
  std::vector<GeneratedName> names;
  ShapeAnalysis analysis(module);
  for (auto function : module.getOps<func::FuncOp>()) {
    FunctionShapes *shapes = analysis.lookup(function);
    if (!shapes)
      continue;
    for (auto [argument, dim] : getArgumentDims(function)) {
      bool isDeclared =
          getDeclaredExtent(argument, dim, shapes->arena()).kind !=
          Extent::Unknown;
      Expr name = shapes->dim(argument, dim);
      if (!isDeclared && shapes->isNamed(name))
        names.push_back({function.getName().str(), argument.getArgNumber(), dim,
                         name.str()});
    }
  }
  return names;
}

/// Declares the names of the dims that are static now: otherwise the next dim
/// would get the name, and a user who means the first would bind another.
static void keepNamesOfStaticDims(ModuleOp module,
                                  ArrayRef<GeneratedName> names) {
  for (const GeneratedName &name : names) {
    auto function = module.lookupSymbol<func::FuncOp>(name.function);
    if (!function)
      continue;
    BlockArgument argument = function.getArgument(name.argument);
    if (!cast<ShapedType>(argument.getType()).isDynamicDim(name.dim))
      setDeclaredExtent(argument, name.dim, name.name);
  }
}

/// Calls `visit` with each function whose checks are not in place.
static void
visitUnguarded(ModuleOp module,
               llvm::function_ref<void(FunctionShapes &shapes)> visit) {
  ShapeAnalysis analysis(module);
  for (auto function : module.getOps<func::FuncOp>())
    if (FunctionShapes *shapes = analysis.lookup(function);
        shapes && !function->hasAttr(kGuarded))
      visit(*shapes);
}

/// How many dims of values in `module` are dynamic.
static uint64_t countDynamicDims(ModuleOp module) {
  uint64_t count = 0;
  auto add = [&](Type type) {
    if (auto shaped = dyn_cast<ShapedType>(type); shaped && shaped.hasRank())
      count += shaped.getNumDynamicDims();
  };
  module.walk([&](Operation *op) {
    llvm::for_each(op->getResultTypes(), add);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArgumentTypes(), add);
  });
  return count;
}

namespace {
struct FixatePass : symshape::impl::FixatePassBase<FixatePass> {
  using FixatePassBase::FixatePassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    FixatePassBase::getDependentDialects(registry);
    makePipeline().getDependentDialects(registry);
  }

  void runOnOperation() override {
    if (failed(changeOrRestore(getOperation(), [&] { return run(); })))
      signalPassFailure();
  }

private:
  static OpPassManager makePipeline() {
    OpPassManager manager(ModuleOp::getOperationName());
    manager.addPass(createInferShapesPass());
    manager.addPass(createSpecializeCallsPass());
    manager.addPass(createDischargePass());
    return manager;
  }

  LogicalResult run() {
    ModuleOp module = getOperation();
    auto op = module.lookupSymbol<func::FuncOp>(function);
    if (!op)
      return module.emitError()
             << "expected a function of this module, but got '" << function
             << "'";
    auto bindings = parseBindings(op, bind);
    if (failed(bindings) || failed(parseShapes(op, shapes, *bindings)))
      return failure();
    std::vector<GeneratedName> names = collectGeneratedNames(module);
    if (failed(bindSymbols(op, *bindings)))
      return failure();
    visitUnguarded(module, assertRequirements);
    OpPassManager cleanup(ModuleOp::getOperationName());
    cleanup.addPass(createCanonicalizePass());
    if (failed(carryTypes(op, names)) || failed(runPipeline(cleanup, module)))
      return failure();
    visitUnguarded(module, eraseRepeatedAsserts);
    if (failed(runPipeline(cleanup, module)))
      return failure();
    // Canonicalisation has found constants, such as sizes that were computed:
    // what follows from them is carried on while extents become static.
    for (uint64_t left = countDynamicDims(module), before = left + 1;
         left != 0 && left < before;) {
      if (failed(carryTypes(op, names)) || failed(runPipeline(cleanup, module)))
        return failure();
      before = left;
      left = countDynamicDims(module);
    }
    return success();
  }

  /// Carries types and constants through bodies and calls, and erases what then
  /// says nothing any more.
  LogicalResult carryTypes(func::FuncOp op, ArrayRef<GeneratedName> names) {
    ModuleOp module = getOperation();
    carryConstants(module);
    OpPassManager pipeline = makePipeline();
    if (failed(runPipeline(pipeline, module)))
      return failure();
    refinePassedTypes(module);
    retypeResults(op, getReturnedTypes(op));
    retypeCalls(op);
    keepNamesOfStaticDims(module, names);
    for (auto each : module.getOps<func::FuncOp>())
      if (!each.isExternal())
        eraseBoundSymbols(each);
    return success();
  }
};
} // namespace
