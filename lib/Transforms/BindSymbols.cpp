//===- BindSymbols.cpp - Symbols bound to values in a signature -----------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The values become facts of the signature; these give the types of arguments.
// Not for: the types of everything else (Fixate).
//
//===----------------------------------------------------------------------===//

#include "ArgumentDims.h"
#include "BoundScalars.h"
#include "CloneFunction.h"
#include "Corrections.h"
#include "StaticTosa.h"
#include "StaticTypes.h"
#include "symshape/Transforms/Fixate.h"

#include "symshape/Analysis/ShapeAnalysis.h"
#include "symshape/IR/SymShape.h"
#include "symshape/Transforms/DeclaredFacts.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::symshape;

static bool isScalar(const SymbolBinding &binding) {
  return binding.dim == SymbolBinding::kScalar;
}

/// `B`, `%x dim 1`, or for a scalar `%s`.
static std::string spell(func::FuncOp function, const SymbolBinding &binding) {
  if (!binding.name.empty())
    return binding.name;
  std::string argument = spellingOfArgument(function, binding.argument);
  return isScalar(binding) ? argument
                           : argument + " dim " + std::to_string(binding.dim);
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
  return binding.name.empty() || isScalar(binding)
             ? function.getArgument(binding.argument).getLoc()
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

/// Whether `symbol` stands for a scalar argument.
static bool isScalarArgument(FunctionShapes &shapes, Expr symbol) {
  const SymbolDef *def = shapes.definition(symbol);
  return def && def->kind == SymbolDef::Scalar &&
         llvm::is_contained(shapes.function().getArguments(), def->value);
}

/// Whether `name` is one that dims of arguments bind.
static bool isNameOfDims(FunctionShapes &shapes, StringRef name) {
  Expr symbol = shapes.arena().symbol(name);
  const SymbolDef *def = shapes.definition(symbol);
  return def && def->backed && isOfSignature(shapes, symbol);
}

/// Finds the arguments that are named: a symbol comes before a scalar of that
/// name.
static SmallVector<SymbolBinding>
resolveScalars(FunctionShapes &shapes, ArrayRef<SymbolBinding> bindings) {
  SmallVector<SymbolBinding> resolved(bindings);
  for (SymbolBinding &binding : resolved) {
    if (binding.name.empty() || isNameOfDims(shapes, binding.name))
      continue;
    if (std::optional<unsigned> number =
            findScalarArgument(shapes.function(), binding.name)) {
      binding.argument = *number;
      binding.dim = SymbolBinding::kScalar;
    }
  }
  return resolved;
}

/// What is bound.
static Expr getBound(FunctionShapes &shapes, const SymbolBinding &binding) {
  if (!binding.name.empty() && !isScalar(binding))
    return shapes.arena().symbol(binding.name);
  Value argument = shapes.function().getArgument(binding.argument);
  return isScalar(binding) ? shapes.value(argument)
                           : shapes.dim(argument, binding.dim);
}

/// Fails, with a diagnostic, if what is named cannot be bound.
static LogicalResult verifyName(FunctionShapes &shapes,
                                const SymbolBinding &binding) {
  func::FuncOp function = shapes.function();
  if (isScalar(binding)) {
    Type type = function.getArgument(binding.argument).getType();
    if (isBindableScalar(type))
      return success();
    return emitError(bindingPlaceOf(function, binding))
           << "expected an index or an integer of at most 64 bits to bind, but "
              "'"
           << spell(function, binding) << "' is " << type;
  }
  if (binding.name.empty() || isNameOfDims(shapes, binding.name))
    return success();
  SmallVector<StringRef> names;
  for (auto [argument, dim] : getArgumentDims(function))
    if (auto name = shapes.dim(argument, dim).asSymbol())
      if (!name->starts_with("%") && !llvm::is_contained(names, *name))
        names.push_back(*name);
  std::string list = names.empty() ? "" : " (" + llvm::join(names, ", ") + ")";
  return function.emitError()
         << "expected a symbol of the dims of arguments" << list
         << ", or a scalar argument, but got '" << binding.name << "'";
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
    Diagnostic &note = diag.attachNote(bindingPlaceOf(function, binding));
    note << spell(function, binding);
    if (!isScalar(binding))
      note << " ("
           << (binding.name.empty() ? bound.str()
                                    : shapes.describeSymbol(bound))
           << ")";
    note << " is " << binding.value;
  }
}

/// Assumes the values in the facts of the signature; fails if one is not
/// possible. Returns what the signature can declare: nothing of scalars.
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
    Relation relation =
        Relation::eq(bound, shapes.arena().constant(binding.value));
    std::vector<std::string> chain;
    if (facts.explain(relation, chain).isNo()) {
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
    facts.assume(relation);
    if (!isScalar(binding))
      relations.push_back(relation);
  }
  if (!ok)
    return failure();
  return relations;
}

static void reportImpossible(FunctionShapes &shapes,
                             const Requirement &requirement,
                             ArrayRef<SymbolBinding> bindings) {
  Operation *at = requirement.call ? requirement.call : requirement.op;
  std::string bound = spell(shapes.function(), bindings);
  InFlightDiagnostic diag = at->emitError()
                            << "cannot hold" << (bound.empty() ? "" : " at ")
                            << bound << ": "
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
    return isUnconditional(requirement) &&
           llvm::all_of(requirement.condition.symbols(),
                        [&](Expr symbol) {
                          return isOfSignature(shapes, symbol) ||
                                 isScalarArgument(shapes, symbol);
                        }) &&
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

LogicalResult mlir::symshape::bindSymbols(func::FuncOp function,
                                          ArrayRef<SymbolBinding> given) {
  auto module = function->getParentOfType<ModuleOp>();
  auto uses = function.getSymbolUses(module);
  if (!uses || !llvm::all_of(*uses, [](SymbolTable::SymbolUse use) {
        return isa<func::CallOp>(use.getUser());
      }))
    return function.emitError() << "expected a function that is only called";
  // What it is called with from outside need not be what it passes on.
  separateRecursion(function);
  DictionaryAttr old = function->getAttrDictionary();
  SmallVector<SymbolBinding> bindings;
  {
    ShapeAnalysis analysis(module);
    FunctionShapes *shapes = analysis.lookup(function);
    if (!shapes)
      return function.emitError() << "expected a function with a body";
    bindings = resolveScalars(*shapes, given);
    auto relations = assumeBindings(*shapes, bindings);
    if (failed(relations))
      return failure();
    assumeBesideOnes(*shapes, *relations);
    if (failed(checkSignature(*shapes, bindings)))
      return failure();
    for (const Relation &relation : *relations)
      declareFact(*shapes, relation).apply();
  }
  SmallVector<std::pair<BlockArgument, SmallVector<Operation *>>> scalars;
  for (const SymbolBinding &binding : bindings)
    if (isScalar(binding))
      scalars.push_back(
          {function.getArgument(binding.argument),
           bindScalar(function, binding.argument, binding.value)});
  SmallVector<Type> types;
  {
    ShapeAnalysis analysis(module);
    FunctionShapes *shapes = analysis.lookup(function);
    if (failed(checkRequirements(*shapes, bindings))) {
      for (const auto &[argument, made] : llvm::reverse(scalars))
        unbindScalar(argument, made);
      function->setAttrs(old);
      return failure();
    }
    types = getBoundTypes(*shapes);
  }
  retypeArguments(function, types);
  retypeCalls(function);
  return success();
}
