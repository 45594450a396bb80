//===- Fixate.cpp - Symbols bound to values for good ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The values become facts of the signature; these give the types of arguments,
// then those of everything else (SpecializeCalls), and the facts become
// redundant.
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/Fixate.h"
#include "ArgumentDims.h"
#include "CloneFunction.h"
#include "Corrections.h"
#include "KeptRequirements.h"
#include "StaticTosa.h"
#include "StaticTypes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
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

/// `B`, or `%x dim 1`.
static std::string spell(func::FuncOp function, const SymbolBinding &binding) {
  if (!binding.name.empty())
    return binding.name;
  return spellingOfArgument(function, binding.argument) + " dim " +
         std::to_string(binding.dim);
}

/// `B = 4, S = 128`.
static std::string spell(func::FuncOp function,
                         ArrayRef<SymbolBinding> bindings) {
  std::string text;
  for (const SymbolBinding &binding : bindings)
    text += (text.empty() ? "" : ", ") + spell(function, binding) + " = " +
            std::to_string(binding.value);
  return text;
}

static Location bindingPlaceOf(func::FuncOp function,
                               const SymbolBinding &binding) {
  return binding.name.empty() ? function.getArgument(binding.argument).getLoc()
                              : function.getLoc();
}

/// Whether the signature has `symbol`: it is a dim of an argument, or a name in
/// what is declared of one. A name that the body binds cannot be declared.
static bool isOfSignature(FunctionShapes &shapes, Expr symbol) {
  func::FuncOp function = shapes.function();
  for (auto [argument, dim] : getArgumentDims(function)) {
    if (shapes.dim(argument, dim) == symbol)
      return true;
    Expr extent = getDeclaredExtent(argument, dim, shapes.arena()).expr;
    if (extent && llvm::is_contained(extent.symbols(), symbol))
      return true;
  }
  return false;
}

/// What is bound.
static Expr getBound(FunctionShapes &shapes, const SymbolBinding &binding) {
  if (!binding.name.empty())
    return shapes.arena().symbol(binding.name);
  return shapes.dim(shapes.function().getArgument(binding.argument),
                    binding.dim);
}

/// Fails, with a diagnostic, if a name is not of the signature.
static LogicalResult verifyName(FunctionShapes &shapes,
                                const SymbolBinding &binding) {
  if (binding.name.empty())
    return success();
  Expr symbol = getBound(shapes, binding);
  const SymbolDef *def = shapes.definition(symbol);
  if (def && def->backed && isOfSignature(shapes, symbol))
    return success();
  SmallVector<StringRef> names;
  for (auto [argument, dim] : getArgumentDims(shapes.function()))
    if (auto name = shapes.dim(argument, dim).asSymbol())
      if (!llvm::is_contained(names, *name))
        names.push_back(*name);
  return shapes.function().emitError()
         << "expected a symbol of the dims of arguments ("
         << llvm::join(names, ", ") << "), but got '" << binding.name << "'";
}

/// Notes which of `bindings` say something of these symbols.
static void attachBindings(InFlightDiagnostic &diag, FunctionShapes &shapes,
                           ArrayRef<Expr> symbols,
                           ArrayRef<SymbolBinding> bindings) {
  func::FuncOp function = shapes.function();
  for (const SymbolBinding &binding : bindings) {
    Expr bound = getBound(shapes, binding);
    if (!llvm::any_of(bound.symbols(), [&](Expr symbol) {
          return llvm::is_contained(symbols, symbol);
        }))
      continue;
    std::string other =
        binding.name.empty() ? bound.str() : shapes.describeSymbol(bound);
    diag.attachNote(bindingPlaceOf(function, binding))
        << spell(function, binding) << " (" << other << ") is "
        << binding.value;
  }
}

/// Assumes the values in the facts of the signature; fails if one is not
/// possible.
static FailureOr<SmallVector<Relation>>
assumeBindings(FunctionShapes &shapes, ArrayRef<SymbolBinding> bindings) {
  ConstraintSet &facts = shapes.entryFacts();
  SmallVector<Relation> relations;
  bool ok = true;
  for (auto [number, binding] : llvm::enumerate(bindings)) {
    if (failed(verifyName(shapes, binding))) {
      ok = false;
      continue;
    }
    Expr bound = getBound(shapes, binding);
    relations.push_back(
        Relation::eq(bound, shapes.arena().constant(binding.value)));
    std::vector<std::string> chain;
    if (facts.explain(relations.back(), chain).isNo()) {
      StringRef quote = binding.name.empty() ? "" : "'";
      InFlightDiagnostic diag =
          emitError(bindingPlaceOf(shapes.function(), binding))
          << quote << spell(shapes.function(), binding) << quote
          << " cannot be " << binding.value;
      attachBindings(diag, shapes, bound.symbols(),
                     bindings.take_front(number));
      attachChain(diag, chain);
      ok = false;
      continue;
    }
    facts.assume(relations.back());
  }
  if (!ok)
    return failure();
  return relations;
}

static void reportImpossible(FunctionShapes &shapes,
                             const Requirement &requirement,
                             ArrayRef<SymbolBinding> bindings) {
  Operation *at = requirement.call ? requirement.call : requirement.op;
  InFlightDiagnostic diag = at->emitError()
                            << "cannot hold at "
                            << spell(shapes.function(), bindings) << ": "
                            << describe(shapes, requirement.condition, nullptr);
  diag.attachNote(requirement.op->getLoc())
      << "needed by " << describeOrigin(requirement);
  attachBindings(diag, shapes, requirement.condition.symbols(), bindings);
  std::vector<std::string> chain;
  if (requirement.condition.isLiteral()) {
    shapes.entryFacts().explain(requirement.condition.relation, chain);
    attachChain(diag, chain);
  }
}

/// Whether every call requires it, whatever the body does.
static bool isUnconditional(const Requirement &requirement) {
  return requirement.premises.empty() && requirement.iterations.empty();
}

/// Whether `requirement` is one of the signature alone, and of every call.
static bool isOfEveryCall(FunctionShapes &shapes,
                          const Requirement &requirement) {
  return isUnconditional(requirement) &&
         llvm::all_of(requirement.condition.symbols(), [&](Expr symbol) {
           return isOfSignature(shapes, symbol);
         });
}

/// Reports the requirements that cannot hold, and fails if there are some.
static LogicalResult
reportThose(FunctionShapes &shapes, ArrayRef<SymbolBinding> bindings,
            llvm::function_ref<bool(const Requirement &)> cannotHold) {
  bool ok = true;
  for (const Requirement &requirement : shapes.requirements())
    if (cannotHold(requirement)) {
      reportImpossible(shapes, requirement, bindings);
      ok = false;
    }
  return success(ok);
}

/// Reports what the values rule out of what is required of every call. Before
/// types say the values: they hide where these come from, and let an extent of
/// 1 expand.
static LogicalResult checkSignature(FunctionShapes &shapes,
                                    ArrayRef<SymbolBinding> bindings) {
  return reportThose(shapes, bindings, [&](const Requirement &requirement) {
    return isOfEveryCall(shapes, requirement) &&
           prove(shapes.entryFacts(), requirement.condition).isNo();
  });
}

/// Reports what the body requires in any case, and the facts of the signature
/// rule out.
static LogicalResult checkRequirements(FunctionShapes &shapes,
                                       ArrayRef<SymbolBinding> bindings) {
  return reportThose(shapes, bindings, [](const Requirement &requirement) {
    return requirement.answer.isNo() && isUnconditional(requirement);
  });
}

/// Adds what broadcasting requires beside an extent that is now 1 to the facts
/// and to `relations`: once its type says so, the extent would expand.
static void assumeBesideOnes(FunctionShapes &shapes,
                             SmallVectorImpl<Relation> &relations) {
  ConstraintSet &facts = shapes.entryFacts();
  auto addsFact = [&](const Requirement &requirement) {
    if (!isOfEveryCall(shapes, requirement) ||
        !requirement.condition.isLiteral() || !isRefinableTosa(requirement.op))
      return false;
    const Relation &relation = requirement.condition.relation;
    return relation.kind == Relation::Eq &&
           (facts.simplify(relation.lhs).isConstant(1) ||
            facts.simplify(relation.rhs).isConstant(1)) &&
           !facts.prove(relation).isYes() && !facts.prove(relation).isNo();
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const Requirement &requirement : shapes.requirements())
      if (addsFact(requirement)) {
        relations.push_back(requirement.condition.relation);
        facts.assume(relations.back());
        changed = true;
      }
  }
}

/// The types of the arguments, with the extents that are constants.
static SmallVector<Type> getBoundTypes(FunctionShapes &shapes) {
  SmallVector<Type> types;
  for (BlockArgument argument : shapes.function().getArguments()) {
    auto type = dyn_cast<ShapedType>(argument.getType());
    if (!isa<RankedTensorType, MemRefType>(argument.getType())) {
      types.push_back(argument.getType());
      continue;
    }
    SmallVector<int64_t> shape(type.getShape());
    for (auto [d, extent] : llvm::enumerate(shape))
      if (std::optional<int64_t> size =
              shapes.entryFacts().simplify(shapes.dim(argument, d)).asInt64();
          size && *size >= 0)
        extent = *size;
    types.push_back(type.clone(shape));
  }
  return types;
}

/// Makes the calls of `function` agree with its types.
static void retypeCalls(func::FuncOp function) {
  auto uses = function.getSymbolUses(function->getParentOp());
  for (SymbolTable::SymbolUse use : *uses)
    retypeCall(cast<func::CallOp>(use.getUser()), function);
}

LogicalResult mlir::symshape::bindSymbols(func::FuncOp function,
                                          ArrayRef<SymbolBinding> bindings) {
  auto module = function->getParentOfType<ModuleOp>();
  auto uses = function.getSymbolUses(module);
  if (!uses || !llvm::all_of(*uses, [](SymbolTable::SymbolUse use) {
        return isa<func::CallOp>(use.getUser());
      }))
    return function.emitError() << "expected a function that is only called";
  // What it is called with from outside need not be what it passes on.
  separateRecursion(function);
  DictionaryAttr old = function->getAttrDictionary();
  {
    ShapeAnalysis analysis(module);
    FunctionShapes *shapes = analysis.lookup(function);
    if (!shapes)
      return function.emitError() << "expected a function with a body";
    auto relations = assumeBindings(*shapes, bindings);
    if (failed(relations))
      return failure();
    assumeBesideOnes(*shapes, *relations);
    if (failed(checkSignature(*shapes, bindings)))
      return failure();
    for (const Relation &relation : *relations)
      declareFact(*shapes, relation).apply();
  }
  SmallVector<Type> types;
  {
    ShapeAnalysis analysis(module);
    FunctionShapes *shapes = analysis.lookup(function);
    if (failed(checkRequirements(*shapes, bindings))) {
      function->setAttrs(old);
      return failure();
    }
    types = getBoundTypes(*shapes);
  }
  retypeArguments(function, types);
  retypeCalls(function);
  return success();
}

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
  bool usesSymbols = false;
  function.walk(
      [&](Operation *op) { usesSymbols |= isa<SizeOp, AssertOp>(op); });
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
// Pass
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

/// Reads `2x?, -, 128`, one for each argument; fails with a diagnostic.
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
    OpPassManager pipeline = makePipeline();
    if (failed(runPipeline(pipeline, module)))
      return failure();
    retypeResults(op, getReturnedTypes(op));
    retypeCalls(op);
    keepNamesOfStaticDims(module, names);
    for (auto each : module.getOps<func::FuncOp>())
      if (!each.isExternal())
        eraseBoundSymbols(each);
    OpPassManager cleanup(ModuleOp::getOperationName());
    cleanup.addPass(createCanonicalizePass());
    if (failed(runPipeline(cleanup, module)))
      return failure();
    visitUnguarded(module, eraseRepeatedAsserts);
    return runPipeline(cleanup, module);
  }
};
} // namespace
