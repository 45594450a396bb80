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
#include "symshape/Transforms/DeclaredFacts.h"

using namespace mlir;
using namespace mlir::symshape;

static std::string textOf(Attribute attr) {
  std::string text;
  llvm::raw_string_ostream(text) << attr;
  return text;
}

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

/// What `printExtent` prints of an exact extent, or `?`.
static Extent parseExtent(ExprArena &arena, StringRef text) {
  ParseError error;
  Expr e = text == "?" ? Expr() : arena.parse(text, error);
  return e ? Extent::exact(e) : Extent::unknown();
}

/// `shape`, or where there is none what `type` says, with another extent.
static ShapeAttr withExtent(ShapeAttr shape, ShapedType type, int64_t dim,
                            StringRef text) {
  ExprArena arena;
  SmallVector<Extent> extents;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (d == dim)
      extents.push_back(parseExtent(arena, text));
    else if (shape)
      extents.push_back(shape.getExtent(d, arena));
    else if (type.isDynamicDim(d))
      extents.push_back(Extent::unknown());
    else
      extents.push_back(Extent::exact(arena.constant(type.getDimSize(d))));
  }
  return ShapeAttr::get(type.getContext(), extents);
}

/// Declares one extent of an argument, and leaves the others as they are.
static void setDeclaredExtent(BlockArgument argument, int64_t dim,
                              StringRef text) {
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  unsigned number = argument.getArgNumber();
  auto shape =
      function.getArgAttrOfType<ShapeAttr>(number, SymShapeDialect::kShape);
  function.setArgAttr(
      number, SymShapeDialect::kShape,
      withExtent(shape, cast<ShapedType>(argument.getType()), dim, text));
}

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

namespace {
/// A dim of an argument whose symbol only the analysis has named.
struct UnnamedDim {
  BlockArgument argument;
  int64_t dim;
  std::string name;
};
} // namespace

static SmallVector<UnnamedDim> findUnnamed(FunctionShapes &shapes,
                                           const Relation &relation) {
  SmallVector<Expr> symbols;
  for (Expr side : {relation.lhs, relation.rhs})
    shapes.arena().collectSymbols(side, symbols);
  SmallVector<UnnamedDim> unnamed;
  func::FuncOp function = shapes.function();
  for (auto [argument, d] : getArgumentDims(function)) {
    auto shape = function.getArgAttrOfType<ShapeAttr>(argument.getArgNumber(),
                                                      SymShapeDialect::kShape);
    bool isNamed =
        shape && shape.getExtent(d, shapes.arena()).kind == Extent::Exact;
    Expr dim = shapes.dim(argument, d);
    if (!isNamed && llvm::is_contained(symbols, dim))
      unnamed.push_back({argument, d, dim.str()});
  }
  return unnamed;
}

Correction mlir::symshape::declareFact(FunctionShapes &shapes,
                                       const Relation &relation) {
  std::string text;
  SmallVector<UnnamedDim> unnamed = findUnnamed(shapes, relation);
  for (const UnnamedDim &dim : unnamed)
    text += (text.empty() ? "name dim " : ", dim ") + std::to_string(dim.dim) +
            " of " + shapes.spellingOfArgument(dim.argument.getArgNumber()) +
            " '" + dim.name + "'";
  func::FuncOp function = shapes.function();
  auto fact = FactAttr::get(function.getContext(), relation.str());
  text += (text.empty() ? "" : ", and ");
  text += "declare symshape.assume = [" + textOf(fact) + "]";
  return {text, [function, fact, unnamed] {
            for (const UnnamedDim &dim : unnamed)
              setDeclaredExtent(dim.argument, dim.dim, dim.name);
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

/// The extent of an argument that `relation`, about a declared shape, is about,
/// left open.
static Correction withdrawExtent(FunctionShapes &shapes,
                                 const Relation &relation) {
  for (const ArgumentDim &dim : getArgumentDims(shapes.function()))
    if (llvm::is_contained(shapes.symbolsOfDim(dim.argument, dim.dim),
                           relation.lhs))
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
    auto fact = FactAttr::get(context, relation.str());
    return {"remove " + textOf(fact) + " from symshape.assume",
            [function, fact] {
              dropFromArray(function, SymShapeDialect::kAssume,
                            [&](Attribute attr) { return attr == fact; });
            }};
  }
  if (declared.field == "declared shape")
    return withdrawExtent(shapes, relation);
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
    return {"declare " + textOf(wider), [function, symbol, wider] {
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
  return {"declare " + textOf(open),
          [function, symbol, open] { replaceSymbol(function, symbol, open); }};
}

Correction mlir::symshape::removeVersion(func::FuncOp function,
                                         VersionAttr version) {
  return {"remove " + textOf(version) + " from symshape.versions",
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
  if (!condition.isLiteral() || condition.negated)
    return {"assert it before the op, or branch on it", nullptr};
  AssertText assertText = nameValues(shapes, condition.relation);
  std::string text =
      "write symshape.assert \"" + assertText.relation + "\" before the op";
  for (const auto &[name, symbol] : assertText.names)
    text += ", with " + shapes.describeSymbol(symbol) + " as " + name;
  auto apply = [&shapes, anchor = check.anchor, relation = condition.relation] {
    emitAssert(shapes, relation, anchor,
               "what " + anchor->getName().getStringRef().str() + " needs");
  };
  return {text, apply};
}
