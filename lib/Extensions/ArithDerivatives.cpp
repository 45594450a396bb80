//===- ArithDerivatives.cpp - Derivatives of arith ------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For floats and tensors of them. Masks are selects, never factors: 0 times
// infinity is NaN.
//
//===----------------------------------------------------------------------===//

#include "DerivativeHelpers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "symshape/Extensions/AllExtensions.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::arith;

namespace {
//===----------------------------------------------------------------------===//
// Linear ops
//===----------------------------------------------------------------------===//

LogicalResult addJvp(AddFOp op, Tangents &tangents) {
  Value a = tangents.of(op.getLhs()), b = tangents.of(op.getRhs());
  tangents.set(op.getResult(),
               a && b ? makeSum(tangents.builder(), op.getLoc(), a, b)
               : a    ? a
                      : b);
  return success();
}

LogicalResult addTranspose(AddFOp op, Cotangents &cotangents) {
  for (Value operand : op->getOperands())
    if (cotangents.isLinear(operand))
      cotangents.add(operand, cotangents.of(op.getResult()));
  return success();
}

LogicalResult subJvp(SubFOp op, Tangents &tangents) {
  OpBuilder &builder = tangents.builder();
  Value a = tangents.of(op.getLhs()), b = tangents.of(op.getRhs());
  if (a && b)
    a = SubFOp::create(builder, op.getLoc(), a, b);
  else if (b)
    a = NegFOp::create(builder, op.getLoc(), b);
  tangents.set(op.getResult(), a);
  return success();
}

LogicalResult subTranspose(SubFOp op, Cotangents &cotangents) {
  Value cotangent = cotangents.of(op.getResult());
  if (cotangents.isLinear(op.getLhs()))
    cotangents.add(op.getLhs(), cotangent);
  if (cotangents.isLinear(op.getRhs()))
    cotangents.add(op.getRhs(), NegFOp::create(cotangents.builder(),
                                               op.getLoc(), cotangent));
  return success();
}

LogicalResult negTranspose(NegFOp op, Cotangents &cotangents) {
  cotangents.add(op.getOperand(),
                 NegFOp::create(cotangents.builder(), op.getLoc(),
                                cotangents.of(op.getResult())));
  return success();
}

/// A scalar condition may choose between tensors that differ in extents.
LogicalResult selectTranspose(SelectOp op, Cotangents &cotangents) {
  OpBuilder &builder = cotangents.builder();
  Value cotangent = cotangents.of(op.getResult());
  Value condition = cotangents.residual(op.getCondition());
  for (bool ofTrue : {true, false}) {
    Value operand = ofTrue ? op.getTrueValue() : op.getFalseValue();
    if (!cotangents.isLinear(operand))
      continue;
    Value zeros = cotangents.zeros(operand), own = cotangent;
    if (own.getType() != zeros.getType())
      own = tensor::CastOp::create(builder, op.getLoc(), zeros.getType(), own);
    cotangents.add(operand, SelectOp::create(builder, op.getLoc(), condition,
                                             ofTrue ? own : zeros,
                                             ofTrue ? zeros : own));
  }
  return success();
}

/// Between types of floats.
template <typename OpTy, typename BackTy>
LogicalResult convertTranspose(OpTy op, Cotangents &cotangents) {
  cotangents.add(op.getIn(), BackTy::create(cotangents.builder(), op.getLoc(),
                                            op.getIn().getType(),
                                            cotangents.of(op.getResult())));
  return success();
}

template <typename OpTy>
LogicalResult linearJvp(OpTy op, Tangents &tangents) {
  return applyToTangents(op, tangents);
}

//===----------------------------------------------------------------------===//
// Products and quotients
//===----------------------------------------------------------------------===//

LogicalResult mulJvp(MulFOp op, Tangents &tangents) {
  OpBuilder &builder = tangents.builder();
  Location loc = op.getLoc();
  Value sum;
  if (Value a = tangents.of(op.getLhs()))
    sum = MulFOp::create(builder, loc, a, op.getRhs());
  if (Value b = tangents.of(op.getRhs())) {
    Value part = MulFOp::create(builder, loc, op.getLhs(), b);
    sum = sum ? makeSum(builder, loc, sum, part) : part;
  }
  tangents.set(op.getResult(), sum);
  return success();
}

LogicalResult mulTranspose(MulFOp op, Cotangents &cotangents) {
  bool ofLhs = cotangents.isLinear(op.getLhs());
  Value factor = cotangents.residual(ofLhs ? op.getRhs() : op.getLhs());
  cotangents.add(ofLhs ? op.getLhs() : op.getRhs(),
                 MulFOp::create(cotangents.builder(), op.getLoc(),
                                cotangents.of(op.getResult()), factor));
  return success();
}

LogicalResult divJvp(DivFOp op, Tangents &tangents) {
  OpBuilder &builder = tangents.builder();
  Location loc = op.getLoc();
  Value a = tangents.of(op.getLhs());
  if (Value b = tangents.of(op.getRhs())) {
    Value part = MulFOp::create(builder, loc, b, op.getResult());
    a = a ? SubFOp::create(builder, loc, a, part).getResult()
          : NegFOp::create(builder, loc, part).getResult();
  }
  tangents.set(op.getResult(), DivFOp::create(builder, loc, a, op.getRhs()));
  return success();
}

LogicalResult divTranspose(DivFOp op, Cotangents &cotangents) {
  cotangents.add(op.getLhs(), DivFOp::create(cotangents.builder(), op.getLoc(),
                                             cotangents.of(op.getResult()),
                                             cotangents.residual(op.getRhs())));
  return success();
}

/// What is left of a by b: a less b times a whole number, which is flat.
LogicalResult remJvp(RemFOp op, Tangents &tangents) {
  OpBuilder &builder = tangents.builder();
  Location loc = op.getLoc();
  Value a = tangents.of(op.getLhs());
  if (Value b = tangents.of(op.getRhs())) {
    Value rest = SubFOp::create(builder, loc, op.getLhs(), op.getResult());
    Value times = DivFOp::create(builder, loc, rest, op.getRhs());
    Value part = MulFOp::create(builder, loc, times, b);
    a = a ? SubFOp::create(builder, loc, a, part).getResult()
          : NegFOp::create(builder, loc, part).getResult();
  }
  tangents.set(op.getResult(), a);
  return success();
}

//===----------------------------------------------------------------------===//
// Extrema
//===----------------------------------------------------------------------===//

/// The tangent of the operand that is chosen; at a tie, the mean of both.
template <typename OpTy, CmpFPredicate isFirst>
LogicalResult extremumJvp(OpTy op, Tangents &tangents) {
  OpBuilder &builder = tangents.builder();
  Location loc = op.getLoc();
  Value a = op.getLhs(), b = op.getRhs();
  Value first = CmpFOp::create(builder, loc, isFirst, a, b);
  Value second = CmpFOp::create(builder, loc, isFirst, b, a);
  Value ofA = tangents.orZero(a), ofB = tangents.orZero(b);
  Value mean = MulFOp::create(builder, loc, makeSum(builder, loc, ofA, ofB),
                              makeConstant(builder, loc, 0.5, a));
  Value rest = SelectOp::create(builder, loc, second, ofB, mean);
  tangents.set(op.getResult(),
               SelectOp::create(builder, loc, first, ofA, rest));
  return success();
}
} // namespace

void symshape::registerArithDerivatives(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, ArithDialect *) {
    attachDerivatives<AddFOp, addJvp, addTranspose>(context);
    attachDerivatives<SubFOp, subJvp, subTranspose>(context);
    attachDerivatives<NegFOp, linearJvp<NegFOp>, negTranspose>(context);
    attachDerivatives<SelectOp, linearJvp<SelectOp>, selectTranspose>(context);
    attachDerivatives<ExtFOp, linearJvp<ExtFOp>,
                      convertTranspose<ExtFOp, TruncFOp>>(context);
    attachDerivatives<TruncFOp, linearJvp<TruncFOp>,
                      convertTranspose<TruncFOp, ExtFOp>>(context);
    attachDerivatives<MulFOp, mulJvp, mulTranspose>(context);
    attachDerivatives<DivFOp, divJvp, divTranspose>(context);
    attachJvp<MaximumFOp, extremumJvp<MaximumFOp, CmpFPredicate::OGT>>(context);
    attachJvp<MaxNumFOp, extremumJvp<MaxNumFOp, CmpFPredicate::OGT>>(context);
    attachJvp<MinimumFOp, extremumJvp<MinimumFOp, CmpFPredicate::OLT>>(context);
    attachJvp<RemFOp, remJvp>(context);
    attachJvp<MinNumFOp, extremumJvp<MinNumFOp, CmpFPredicate::OLT>>(context);
  });
}
