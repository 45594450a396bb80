//===- ArgumentDims.cpp - Dynamic dims of arguments -----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArgumentDims.h"
#include "CloneFunction.h"
#include "CreateDim.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "symshape/IR/SymShape.h"

using namespace mlir;
using namespace mlir::symshape;

SmallVector<ArgumentDim>
mlir::symshape::getArgumentDims(func::FuncOp function) {
  SmallVector<ArgumentDim> dims;
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<ShapedType>(argument.getType());
    if (!type || !type.hasRank())
      continue;
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (type.isDynamicDim(d))
        dims.push_back({argument, d});
  }
  return dims;
}

Extent mlir::symshape::getDeclaredExtent(BlockArgument argument, int64_t dim,
                                         ExprArena &arena) {
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto shape = function.getArgAttrOfType<ShapeAttr>(argument.getArgNumber(),
                                                    SymShapeDialect::kShape);
  return shape ? shape.getExtent(dim, arena) : Extent::unknown();
}

void mlir::symshape::nameArgumentDims(FunctionShapes &shapes) {
  func::FuncOp function = shapes.function();
  // Set all together: setting one argument's attributes copies those of all.
  SmallVector<DictionaryAttr> attributes;
  for (BlockArgument argument : function.getArguments()) {
    attributes.push_back(mlir::function_interface_impl::getArgAttrDict(
        function, argument.getArgNumber()));
    auto type = dyn_cast<ShapedType>(argument.getType());
    if (!type || !type.hasRank() || type.hasStaticShape())
      continue;
    SmallVector<Extent> extents;
    for (int64_t d = 0; d < type.getRank(); ++d) {
      Extent known = getDeclaredExtent(argument, d, shapes.arena());
      extents.push_back(
          known.kind == Extent::Unknown ? shapes.extent(argument, d) : known);
    }
    NamedAttrList named(attributes.back());
    named.set(SymShapeDialect::kShape,
              ShapeAttr::get(function.getContext(), extents));
    attributes.back() = named.getDictionary(function.getContext());
  }
  function.setAllArgAttrs(attributes);
}

SmallVector<Value>
mlir::symshape::emitArgumentDims(OpBuilder &builder, Location loc,
                                 ArrayRef<ArgumentDim> dims) {
  SmallVector<Value> values;
  for (auto [argument, dim] : dims)
    values.push_back(createDim(builder, loc, argument, dim));
  return values;
}

ExprEmitter mlir::symshape::makeDimEmitter(FunctionShapes &shapes,
                                           OpBuilder &builder, Location loc,
                                           ArrayRef<ArgumentDim> dims,
                                           ValueRange values) {
  DenseMap<Expr, Value> known;
  for (auto [dim, value] : llvm::zip_equal(dims, values))
    for (Expr symbol : shapes.symbolsOfDim(dim.argument, dim.dim))
      known[symbol] = value;
  return ExprEmitter(
      builder, loc,
      [known = std::move(known)](Expr symbol) { return known.lookup(symbol); },
      [](Expr) { return symshape::Range::between(0, kMaxExtent); });
}

func::FuncOp mlir::symshape::createFunctionOfDims(
    FunctionShapes &shapes, StringRef suffix, ArrayRef<ArgumentDim> dims,
    TypeRange results, SmallVectorImpl<Value> &clamped) {
  func::FuncOp function = shapes.function();
  Location loc = function.getLoc();
  OpBuilder builder(function);
  SmallVector<Type> types(dims.size(), builder.getIndexType());
  auto created = func::FuncOp::create(
      builder, loc, getUniqueName(function, function.getName() + suffix),
      builder.getFunctionType(types, results));
  created.setVisibility(function.getVisibility());
  created.setNoInline(true);
  Block *block = created.addEntryBlock();
  builder.setInsertionPointToStart(block);
  Value bound = arith::ConstantIndexOp::create(builder, loc, kMaxExtent);
  for (Value dim : block->getArguments())
    clamped.push_back(arith::MinUIOp::create(builder, loc, dim, bound));
  return created;
}
