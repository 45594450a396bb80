//===- TosaShapeRules.cpp - Rules of shape values -------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value of type `!tosa.shape<n>` is n numbers of 64 bits; facts know them as
// the elements of the value.
//
//===----------------------------------------------------------------------===//

#include "TosaRules.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::symshape;

static int64_t shapeRankOf(Value shape) {
  return cast<tosa::shapeType>(shape.getType()).getRank();
}

/// Sets the elements of a shape value, null where one is not known.
static void setShape(ShapeFacts &facts, Value shape,
                     SmallVector<Expr> elements) {
  facts.setElements(
      shape, [elements = std::move(elements)](ArrayRef<Expr> position) -> Expr {
        std::optional<int64_t> i =
            position.empty() ? std::nullopt : position.front().asInt64();
        return i && *i >= 0 && *i < static_cast<int64_t>(elements.size())
                   ? elements[*i]
                   : Expr();
      });
}

static void constShapeRule(tosa::ConstShapeOp op, ShapeFacts &facts) {
  SmallVector<Expr> elements;
  for (const APInt &value : op.getValues().getValues<APInt>())
    elements.push_back(facts.constant(value.getSExtValue()));
  setShape(facts, op.getOutput(), std::move(elements));
}

static void dimRule(tosa::DimOp op, ShapeFacts &facts) {
  if (isRankedShaped(op.getInput1().getType()))
    setShape(facts, op.getOutput(),
             {facts.dim(op.getInput1(), static_cast<int64_t>(op.getAxis()))});
}

static void concatShapeRule(tosa::ConcatShapeOp op, ShapeFacts &facts) {
  SmallVector<Expr> elements;
  for (Value part : op.getInput())
    for (int64_t i = 0, rank = shapeRankOf(part); i < rank; ++i)
      elements.push_back(shapeElement(facts, part, i));
  setShape(facts, op.getOutput(), std::move(elements));
}

/// As verified, start and size are constants, and the part lies in the whole.
static void sliceShapeRule(tosa::SliceShapeOp op, ShapeFacts &facts) {
  Expr start = facts.element(op.getStart(), {facts.constant(0)});
  SmallVector<Expr> elements;
  for (int64_t i = 0, rank = shapeRankOf(op.getOutput()); i < rank; ++i)
    elements.push_back(start ? facts.element(op.getInput(), {start + i})
                             : Expr());
  setShape(facts, op.getOutput(), std::move(elements));
}

/// `compute` gives an element of the result from those of the operands, or null
/// where that cannot be said; it may require what it needs. What is computed
/// fits 64 bits.
static void
elementwiseShapeRule(Operation *op, ShapeFacts &facts,
                     llvm::function_ref<Expr(ArrayRef<Expr>)> compute) {
  Value result = op->getResult(0);
  Type index = IndexType::get(op->getContext());
  SmallVector<Expr> elements;
  for (int64_t i = 0, rank = shapeRankOf(result); i < rank; ++i) {
    SmallVector<Expr> operands;
    for (Value operand : op->getOperands())
      operands.push_back(shapeElement(facts, operand, i));
    Expr e = llvm::all_of(operands, [](Expr e) { return bool(e); })
                 ? compute(operands)
                 : Expr();
    if (e && !facts.fitsType(e, index))
      facts.require(Formula::conj(Relation::le(e, facts.constant(INT64_MAX)),
                                  Relation::ge(e, facts.constant(INT64_MIN))),
                    "element " + Twine(i));
    elements.push_back(e);
  }
  setShape(facts, result, std::move(elements));
}

template <typename OpTy, Expr (ExprArena::*compute)(Expr, Expr)>
static void arithmeticRule(OpTy op, ShapeFacts &facts) {
  elementwiseShapeRule(op, facts, [&](ArrayRef<Expr> v) {
    return (facts.arena().*compute)(v[0], v[1]);
  });
}

/// Division by a number from 1; of a negative number, it rounds down or up.
template <typename OpTy, Expr (ExprArena::*compute)(Expr, Expr)>
static void divisionRule(OpTy op, ShapeFacts &facts) {
  elementwiseShapeRule(op, facts, [&](ArrayRef<Expr> v) {
    requireAtLeast(facts, v[1], 1, "divisor");
    return (facts.arena().*compute)(v[0], v[1]);
  });
}

static void exp2Rule(tosa::Exp2ShapeOp op, ShapeFacts &facts) {
  elementwiseShapeRule(op, facts, [&](ArrayRef<Expr> v) {
    facts.require(Formula::conj(Relation::ge(v[0], facts.constant(0)),
                                Relation::le(v[0], facts.constant(62))),
                  "exponent");
    std::optional<int64_t> exponent = v[0].asInt64();
    return exponent && *exponent >= 0 && *exponent <= 62
               ? facts.constant(int64_t(1) << *exponent)
               : Expr();
  });
}

template <typename OpTy>
static void log2Rule(OpTy op, ShapeFacts &facts) {
  elementwiseShapeRule(op, facts, [&](ArrayRef<Expr> v) {
    facts.require(Relation::ge(v[0], facts.constant(1)), "operand");
    std::optional<int64_t> value = v[0].asInt64();
    if (!value || *value < 1)
      return Expr();
    return facts.constant(std::is_same_v<OpTy, tosa::Log2CeilShapeOp>
                              ? llvm::Log2_64_Ceil(*value)
                              : llvm::Log2_64(*value));
  });
}

void symshape::attachTosaShapeRules(MLIRContext *context) {
  attachRule<tosa::ConstShapeOp, constShapeRule>(context);
  attachRule<tosa::DimOp, dimRule>(context);
  attachRule<tosa::ConcatShapeOp, concatShapeRule>(context);
  attachRule<tosa::SliceShapeOp, sliceShapeRule>(context);
  attachRule<tosa::AddShapeOp,
             arithmeticRule<tosa::AddShapeOp, &ExprArena::add>>(context);
  attachRule<tosa::SubShapeOp,
             arithmeticRule<tosa::SubShapeOp, &ExprArena::sub>>(context);
  attachRule<tosa::MulShapeOp,
             arithmeticRule<tosa::MulShapeOp, &ExprArena::mul>>(context);
  attachRule<tosa::MaxShapeOp,
             arithmeticRule<tosa::MaxShapeOp, &ExprArena::max>>(context);
  attachRule<tosa::MinShapeOp,
             arithmeticRule<tosa::MinShapeOp, &ExprArena::min>>(context);
  attachRule<tosa::DivFloorShapeOp,
             divisionRule<tosa::DivFloorShapeOp, &ExprArena::floorDiv>>(
      context);
  attachRule<tosa::DivCeilShapeOp,
             divisionRule<tosa::DivCeilShapeOp, &ExprArena::ceilDiv>>(context);
  attachRule<tosa::ModShapeOp, divisionRule<tosa::ModShapeOp, &ExprArena::mod>>(
      context);
  attachRule<tosa::Exp2ShapeOp, exp2Rule>(context);
  attachRule<tosa::Log2CeilShapeOp, log2Rule<tosa::Log2CeilShapeOp>>(context);
  attachRule<tosa::Log2FloorShapeOp, log2Rule<tosa::Log2FloorShapeOp>>(context);
}
