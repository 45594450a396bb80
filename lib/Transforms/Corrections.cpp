//===- Corrections.cpp - Changes of what is declared ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Corrections.h"
#include "ArgumentDims.h"
#include "CheckEmitter.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/Dominance.h"
#include "symshape/IR/Places.h"
#include "symshape/Transforms/DeclaredFacts.h"
#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;
using namespace mlir::symshape;

/// The array attribute `name` without the elements that `drops` holds of.
static void dropFromArray(func::FuncOp function, StringRef name,
                          llvm::function_ref<bool(Attribute)> drops) {
  auto array = function->getAttrOfType<ArrayAttr>(name);
  if (!array)
    return;
  SmallVector<Attribute> kept(array.getValue());
  llvm::erase_if(kept, drops);
  if (kept.empty())
    function->removeAttr(name);
  else
    function->setAttr(name, ArrayAttr::get(function.getContext(), kept));
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

Correction mlir::symshape::redeclareResultExtent(func::FuncOp function,
                                                 unsigned result, int64_t dim,
                                                 StringRef text) {
  return {("declare dim " + Twine(dim) + " of result #" + Twine(result) +
           " as '" + text + "'")
              .str(),
          [function, result, dim, text = text.str()]() mutable {
            auto shape = function.getResultAttrOfType<ShapeAttr>(
                result, SymShapeDialect::kShape);
            auto type = cast<ShapedType>(function.getResultTypes()[result]);
            function.setResultAttr(result, SymShapeDialect::kShape,
                                   withExtent(shape, type, dim, text));
          }};
}

/// What the signature declares of the dim for which `symbol`, unknown to the
/// user, stands; null if that is nothing, or a bound.
static Expr declaredExtentOf(FunctionShapes &shapes, Expr symbol) {
  if (shapes.isNamed(symbol))
    return Expr();
  for (auto [argument, dim] : getArgumentDims(shapes.function())) {
    Extent declared = getDeclaredExtent(argument, dim, shapes.arena());
    if (declared.kind == Extent::Exact &&
        llvm::is_contained(shapes.symbolsOfDim(argument, dim), symbol))
      return declared.expr;
  }
  return Expr();
}

Correction mlir::symshape::declareFact(FunctionShapes &shapes,
                                       const Relation &relation) {
  SmallVector<UnnamedDim> unnamed = findUnnamed(shapes, relation.symbols());
  Relation named = relation.substitute([&](Expr symbol) {
    for (const UnnamedDim &dim : unnamed)
      if (dim.symbol == symbol)
        return dim.name;
    return declaredExtentOf(shapes, symbol);
  });
  std::string text = describeNaming(shapes, unnamed);
  func::FuncOp function = shapes.function();
  auto fact = FactAttr::get(function.getContext(), named.str());
  text += (text.empty() ? "" : ", and ");
  text += "declare symshape.assume = [" + llvm::to_string(fact) + "]";
  return {text, [function, fact, unnamed] {
            nameDims(unnamed);
            addAssumptions(function, fact);
          }};
}

static void replaceSymbol(func::FuncOp function, SymbolAttr old,
                          SymbolAttr replacement) {
  SmallVector<Attribute> symbols;
  for (SymbolAttr symbol : getSymbols(function))
    symbols.push_back(symbol.getName() == old.getName() ? replacement : symbol);
  function->setAttr(SymShapeDialect::kSymbols,
                    ArrayAttr::get(function.getContext(), symbols));
}

/// The argument's extent that `condition`, of a declared shape, is about, left
/// open.
static Correction withdrawExtent(FunctionShapes &shapes,
                                 const Formula &condition) {
  SmallVector<Expr> used = condition.symbols();
  auto isOf = [&](const ArgumentDim &dim) {
    auto shape = shapes.function().getArgAttrOfType<ShapeAttr>(
        dim.argument.getArgNumber(), SymShapeDialect::kShape);
    if (!shape)
      return false;
    // The name of another dim may be part of this one's declaration.
    Expr declared = shape.getExtent(dim.dim, shapes.arena()).expr;
    return llvm::any_of(
        shapes.symbolsOfDim(dim.argument, dim.dim), [&](Expr symbol) {
          return symbol != declared && llvm::is_contained(used, symbol);
        });
  };
  for (const ArgumentDim &dim : getArgumentDims(shapes.function()))
    if (isOf(dim))
      return {"declare dim " + std::to_string(dim.dim) + " of " +
                  shapes.spellingOfArgument(dim.argument.getArgNumber()) +
                  " as '?'",
              [dim] { setDeclaredExtent(dim.argument, dim.dim, "?"); }};
  return {};
}

Correction mlir::symshape::withdraw(FunctionShapes &shapes,
                                    const Requirement &declared) {
  func::FuncOp function = shapes.function();
  MLIRContext *context = function.getContext();
  const Relation &relation = declared.condition.relation;
  if (declared.field == "declared assumption") {
    auto fact = FactAttr::get(context, declared.condition.str());
    return {"remove " + llvm::to_string(fact) + " from symshape.assume",
            [function, fact] {
              dropFromArray(function, SymShapeDialect::kAssume,
                            [&](Attribute attr) { return attr == fact; });
            }};
  }
  if (declared.field == "declared shape")
    return withdrawExtent(shapes, declared.condition);
  for (SymbolAttr symbol : getSymbols(function)) {
    Expr e = shapes.arena().symbol(symbol.getName());
    bool isMin = relation.kind == Relation::Le && relation.rhs == e;
    bool isMax = relation.kind == Relation::Le && relation.lhs == e;
    bool isResidue =
        declared.field == "declared residue" &&
        llvm::is_contained(relationsOf(e, symbol.getInfo()), relation);
    if (!isMin && !isMax && !isResidue)
      continue;
    auto wider =
        SymbolAttr::get(context, symbol.getName(), isMin ? 0 : symbol.getMin(),
                        isMax ? std::nullopt : symbol.getMax(),
                        isResidue ? 1 : symbol.getModulus(),
                        isResidue ? 0 : symbol.getRemainder(),
                        symbol.getPolicy(), symbol.getLikely());
    return {"declare " + llvm::to_string(wider), [function, symbol, wider] {
              replaceSymbol(function, symbol, wider);
            }};
  }
  return {};
}

Correction mlir::symshape::leaveOpen(func::FuncOp function, SymbolAttr symbol) {
  auto open = SymbolAttr::get(function.getContext(), symbol.getName(),
                              symbol.getMin(), symbol.getMax(),
                              symbol.getModulus(), symbol.getRemainder(),
                              SymbolPolicy::Auto, symbol.getLikely());
  return {"declare " + llvm::to_string(open),
          [function, symbol, open] { replaceSymbol(function, symbol, open); }};
}

Correction mlir::symshape::removeVersion(func::FuncOp function,
                                         VersionAttr version) {
  return {"remove " + llvm::to_string(version) + " from symshape.versions",
          [function, version] {
            dropFromArray(function, SymShapeDialect::kVersions,
                          [&](Attribute attr) { return attr == version; });
          }};
}

//===----------------------------------------------------------------------===//
// Asserts
//===----------------------------------------------------------------------===//

Correction mlir::symshape::assertAtEntry(FunctionShapes &shapes,
                                         const Formula &condition) {
  auto apply = [&shapes, condition] {
    func::FuncOp function = shapes.function();
    OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
    ExprEmitter emitter = emitterFor(shapes, builder, function.getLoc());
    if (Value holds = emitter.emitCondition(condition))
      cf::AssertOp::create(builder, function.getLoc(), holds, condition.str());
  };
  return {"begin the body with an assert of " + condition.str(), apply};
}

Correction mlir::symshape::assertBefore(FunctionShapes &shapes,
                                        const DeferredCheck &check) {
  const Formula &condition = check.condition;
  DominanceInfo dominance;
  if (!condition.isLiteral() || condition.negated ||
      !isKnownBefore(shapes, dominance, condition, check.anchor))
    return {"assert it before the op, or branch on it", nullptr};
  AssertText assertText = nameValues(shapes, condition);
  std::string text =
      "write symshape.assert \"" + assertText.text + "\" before the op";
  for (const auto &[name, symbol] : assertText.names)
    text += ", with " + shapes.describeSymbol(symbol) + " as " + name;
  // Not the anchor: a check may stand before an op other than those that need
  // it.
  std::string message =
      "what " +
      findPlaced(check.reasons.front()->op)->getName().getStringRef().str() +
      " needs";
  auto apply = [&shapes, anchor = check.anchor, relation = condition.relation,
                message] { emitAssert(shapes, relation, anchor, message); };
  return {text, apply};
}
