//===- ShapeFacts.cpp - What an op's rule reads and writes ----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts of ShapeFacts that follow from its virtual functions.
//
//===----------------------------------------------------------------------===//

#include "symshape/IR/ShapeFacts.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineExprVisitor.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::symshape;

Expr ShapeFacts::value(OpFoldResult v) {
  if (auto scalar = dyn_cast<Value>(v))
    return value(scalar);
  return arena().constant(
      llvm::DynamicAPInt(cast<IntegerAttr>(cast<Attribute>(v)).getValue()));
}

SmallVector<Expr> ShapeFacts::dims(Value shaped) {
  SmallVector<Expr> result;
  for (int64_t d = 0, e = cast<ShapedType>(shaped.getType()).getRank(); d < e;
       ++d)
    result.push_back(dim(shaped, d));
  return result;
}

/// "dimension 0 of the result", or of which result.
static std::string describeDim(Value shaped, int64_t dim) {
  std::string text = "dimension " + std::to_string(dim) + " of ";
  auto result = dyn_cast<OpResult>(shaped);
  if (!result)
    return text + "a block argument";
  if (result.getOwner()->getNumResults() == 1)
    return text + "the result";
  return text + "result #" + std::to_string(result.getResultNumber());
}

void ShapeFacts::setExtent(Value shaped, int64_t dim, Extent extent) {
  auto type = cast<ShapedType>(shaped.getType());
  if (type.isDynamicDim(dim))
    return setDynamicExtent(shaped, dim, extent);
  if (extent.kind == Extent::Unknown ||
      extent.expr.isConstant(type.getDimSize(dim)))
    return;
  require(extent.relationOf(constant(type.getDimSize(dim))),
          describeDim(shaped, dim));
}

void ShapeFacts::copyExtents(Value source, Value result) {
  for (int64_t d = 0, e = cast<ShapedType>(result.getType()).getRank(); d < e;
       ++d)
    setExact(result, d, dim(source, d));
}

namespace {
/// Builds an expression from an affine one, operands first, without recursion.
struct AffineBuilder : AffineExprVisitor<AffineBuilder> {
  AffineBuilder(ExprArena &arena, ArrayRef<Expr> dims, ArrayRef<Expr> symbols)
      : arena(arena), dims(dims), symbols(symbols) {}

  void visitConstantExpr(AffineConstantExpr e) {
    stack.push_back(arena.constant(e.getValue()));
  }
  void visitDimExpr(AffineDimExpr e) { stack.push_back(dims[e.getPosition()]); }
  void visitSymbolExpr(AffineSymbolExpr e) {
    stack.push_back(symbols[e.getPosition()]);
  }
  void visitAddExpr(AffineBinaryOpExpr) {
    combine([&](Expr a, Expr b) { return arena.add(a, b); });
  }
  void visitMulExpr(AffineBinaryOpExpr) {
    combine([&](Expr a, Expr b) { return arena.mul(a, b); });
  }
  void visitModExpr(AffineBinaryOpExpr) {
    combine([&](Expr a, Expr b) { return arena.mod(a, b); });
  }
  void visitFloorDivExpr(AffineBinaryOpExpr) {
    combine([&](Expr a, Expr b) { return arena.floorDiv(a, b); });
  }
  void visitCeilDivExpr(AffineBinaryOpExpr) {
    combine([&](Expr a, Expr b) { return arena.ceilDiv(a, b); });
  }

  void combine(llvm::function_ref<Expr(Expr, Expr)> op) {
    Expr b = stack.pop_back_val();
    Expr a = stack.pop_back_val();
    stack.push_back(op(a, b));
  }

  ExprArena &arena;
  ArrayRef<Expr> dims, symbols;
  SmallVector<Expr> stack;
};
} // namespace

Expr ShapeFacts::apply(AffineExpr e, ArrayRef<Expr> dims,
                       ArrayRef<Expr> symbols) {
  AffineBuilder builder(arena(), dims, symbols);
  builder.walkPostOrder(e);
  return builder.stack.back();
}
