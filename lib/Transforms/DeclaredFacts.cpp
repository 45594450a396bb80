//===- DeclaredFacts.cpp - Facts of signatures, and of messages -----------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/DeclaredFacts.h"
#include "ArgumentDims.h"

using namespace mlir;
using namespace mlir::symshape;

SmallVector<SymbolAttr> mlir::symshape::getSymbols(func::FuncOp function) {
  auto symbols = function->getAttrOfType<ArrayAttr>(SymShapeDialect::kSymbols);
  if (!symbols)
    return {};
  return llvm::to_vector(symbols.getAsRange<SymbolAttr>());
}

void mlir::symshape::addAssumptions(func::FuncOp function,
                                    ArrayRef<FactAttr> facts) {
  if (facts.empty())
    return;
  SmallVector<Attribute> all;
  if (auto known = function->getAttrOfType<ArrayAttr>(SymShapeDialect::kAssume))
    all.append(known.begin(), known.end());
  for (FactAttr fact : facts)
    if (!llvm::is_contained(all, fact))
      all.push_back(fact);
  function->setAttr(SymShapeDialect::kAssume,
                    ArrayAttr::get(function.getContext(), all));
}

void mlir::symshape::attachChain(InFlightDiagnostic &diag,
                                 ArrayRef<std::string> chain) {
  for (const std::string &step : chain)
    diag.attachNote() << step;
}

/// What `printExtent` prints of an exact extent, or `?`.
static Extent parseExtent(ExprArena &arena, StringRef text) {
  ParseError error;
  Expr e = text == "?" ? Expr() : arena.parse(text, error);
  return e ? Extent::exact(e) : Extent::unknown();
}

ShapeAttr mlir::symshape::withExtent(ShapeAttr shape, ShapedType type,
                                     int64_t dim, StringRef text) {
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

void mlir::symshape::setDeclaredExtent(BlockArgument argument, int64_t dim,
                                       StringRef text) {
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  unsigned number = argument.getArgNumber();
  auto shape =
      function.getArgAttrOfType<ShapeAttr>(number, SymShapeDialect::kShape);
  function.setArgAttr(
      number, SymShapeDialect::kShape,
      withExtent(shape, cast<ShapedType>(argument.getType()), dim, text));
}

SmallVector<UnnamedDim> mlir::symshape::findUnnamed(FunctionShapes &shapes,
                                                    ArrayRef<Expr> symbols) {
  SmallVector<UnnamedDim> unnamed;
  func::FuncOp function = shapes.function();
  unsigned number = 0;
  auto makeName = [&] {
    Expr name;
    do
      name = shapes.arena().symbol("s" + std::to_string(number++));
    while (shapes.definition(name));
    return name;
  };
  for (auto [argument, d] : getArgumentDims(function)) {
    bool isNamed =
        getDeclaredExtent(argument, d, shapes.arena()).kind == Extent::Exact;
    Expr dim = shapes.dim(argument, d);
    if (!isNamed && llvm::is_contained(symbols, dim))
      unnamed.push_back(
          {argument, d, dim, shapes.isNamed(dim) ? dim : makeName()});
  }
  return unnamed;
}

std::string mlir::symshape::describeNaming(FunctionShapes &shapes,
                                           ArrayRef<UnnamedDim> dims) {
  std::string text;
  for (const UnnamedDim &dim : dims)
    text += (text.empty() ? "name dim " : ", dim ") + std::to_string(dim.dim) +
            " of " + shapes.spellingOfArgument(dim.argument.getArgNumber()) +
            " '" + dim.name.str() + "'";
  return text;
}

void mlir::symshape::nameDims(ArrayRef<UnnamedDim> dims) {
  for (const UnnamedDim &dim : dims) {
    auto function = cast<func::FuncOp>(dim.argument.getOwner()->getParentOp());
    ExprArena arena;
    Extent declared = getDeclaredExtent(dim.argument, dim.dim, arena);
    setDeclaredExtent(dim.argument, dim.dim, dim.name.str());
    // The name takes the place of a declared bound, which still holds.
    if (declared.kind == Extent::UpperBound)
      addAssumptions(
          function,
          FactAttr::get(
              function.getContext(),
              declared.relationOf(arena.symbol(dim.name.str())).str()));
  }
}
