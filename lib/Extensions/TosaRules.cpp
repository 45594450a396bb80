//===- TosaRules.cpp - Shape rules of tosa --------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elementwise ops, reductions and products. Not for: shape values
// (TosaShapeRules.cpp), ops that move elements (TosaMovementRules.cpp), windows
// (TosaWindowRules.cpp).
//
//===----------------------------------------------------------------------===//

#include "TosaRules.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "symshape/Extensions/AllExtensions.h"

using namespace mlir;
using namespace mlir::symshape;

//===----------------------------------------------------------------------===//
// Requirements
//===----------------------------------------------------------------------===//

void symshape::requireEqual(ShapeFacts &facts, Expr a, Expr b,
                            const Twine &field) {
  if (a != b)
    facts.require(Relation::eq(a, b), field);
}

void symshape::requireAtLeast(ShapeFacts &facts, Expr e, int64_t bound,
                              const Twine &field) {
  if (!isAtLeast(facts, e, bound))
    facts.require(Relation::ge(e, facts.constant(bound)), field);
}

//===----------------------------------------------------------------------===//
// Broadcasting
//===----------------------------------------------------------------------===//

/// Whether an extent that turns out to be 1 expands, as in NumPy.
static bool expandsAtRunTime(Operation *op) {
  auto module = op->getParentOfType<ModuleOp>();
  return module && module->hasAttr(SymShapeDialect::kTosaNumPyBroadcast);
}

void symshape::requireExpandsTo(Operation *op, ShapeFacts &facts, Expr from,
                                Expr to, const Twine &field) {
  if (from.isConstant(1) || from == to)
    return;
  Formula fits = Relation::eq(from, to);
  if (expandsAtRunTime(op))
    fits = Formula::disj(fits, Relation::eq(from, facts.constant(1)));
  facts.require(fits, field);
}

Expr symshape::broadcast(Operation *op, ShapeFacts &facts,
                         ArrayRef<Expr> extents, const Twine &field) {
  Expr one = facts.constant(1);
  // A constant says most: the others are required to be equal to it.
  Expr all;
  for (Expr e : extents)
    if (!e.isConstant(1) && (!all || (e.isConstant() && !all.isConstant())))
      all = e;
  if (!all)
    return one;
  if (!expandsAtRunTime(op) || all.isConstant()) {
    for (Expr e : extents)
      requireExpandsTo(op, facts, e, all, field);
    return all;
  }
  all = one;
  for (Expr e : extents) {
    if (!all.isConstant(1) && !e.isConstant(1) && all != e)
      facts.require(Formula::disj(Relation::eq(all, e),
                                  Formula::disj(Relation::eq(all, one),
                                                Relation::eq(e, one))),
                    field);
    all = facts.arena().bc(all, e);
  }
  return all;
}

bool symshape::areRankedTensors(ValueRange values) {
  return llvm::all_of(values.getTypes(), llvm::IsaPred<RankedTensorType>);
}

//===----------------------------------------------------------------------===//
// Elementwise ops
//===----------------------------------------------------------------------===//

/// Extents of `result` are those of `operands`, which have its rank.
static void broadcastTo(Operation *op, ShapeFacts &facts, ValueRange operands,
                        Value result) {
  if (!areRankedTensors(operands) || !areRankedTensors(result))
    return;
  for (int64_t d = 0, rank = cast<ShapedType>(result.getType()).getRank();
       d < rank; ++d) {
    SmallVector<Expr> extents;
    for (Value operand : operands)
      extents.push_back(facts.dim(operand, d));
    Expr all = broadcast(op, facts, extents, "broadcast dimension " + Twine(d));
    setOrRequire(facts, result, d, all, "result dimension " + Twine(d));
  }
}

template <typename OpTy>
static void elementwiseRule(OpTy op, ShapeFacts &facts) {
  broadcastTo(op, facts, op->getOperands(), op->getResult(0));
}

/// The first operand is what the op works on; the others are parameters.
template <typename OpTy>
static void unaryRule(OpTy op, ShapeFacts &facts) {
  (void)setSameExtents(facts, op->getOperand(0), op->getResult(0));
}

static void mulRule(tosa::MulOp op, ShapeFacts &facts) {
  broadcastTo(op, facts, {op.getInput1(), op.getInput2()}, op.getOutput());
}

/// Per channel, there is a factor for each element of the last axis.
static void rescaleRule(tosa::RescaleOp op, ShapeFacts &facts) {
  (void)setSameExtents(facts, op.getInput(), op.getOutput());
  auto type = dyn_cast<RankedTensorType>(op.getInput().getType());
  if (!type || !areRankedTensors({op.getMultiplier(), op.getShift()}))
    return;
  Expr channels = op.getPerChannel() && type.getRank() > 0
                      ? facts.dim(op.getInput(), type.getRank() - 1)
                      : facts.constant(1);
  for (auto [factor, name] :
       {std::pair<Value, StringRef>{op.getMultiplier(), "multiplier"},
        {op.getShift(), "shift"}}) {
    requireEqual(facts, facts.dim(factor, 0), channels, name);
  }
}

static void constRule(tosa::ConstOp op, ShapeFacts &facts) {
  setConstantElements(facts, op.getOutput(), op.getValues());
}

static void identityRule(tosa::IdentityOp op, ShapeFacts &facts) {
  Value source = op.getInput1();
  if (!setSameExtents(facts, source, op.getOutput()) ||
      !hasIntegerElements(source))
    return;
  ShapeFacts *all = &facts;
  facts.setElements(op.getOutput(), [all, source](ArrayRef<Expr> position) {
    return all->element(source, position);
  });
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

template <typename OpTy>
static void reduceRule(OpTy op, ShapeFacts &facts) {
  Value input = op.getInput(), output = op.getOutput();
  if (!areRankedTensors({input, output}))
    return;
  int64_t axis = op.getAxis();
  if (isa<tosa::ReduceMaxOp, tosa::ReduceMinOp>(op.getOperation()))
    requireAtLeast(facts, facts.dim(input, axis), 1, "axis");
  for (int64_t d = 0, rank = cast<ShapedType>(output.getType()).getRank();
       d < rank; ++d)
    setOrRequire(facts, output, d,
                 d == axis ? facts.constant(1) : facts.dim(input, d),
                 "result dimension " + Twine(d));
}

static void argMaxRule(tosa::ArgMaxOp op, ShapeFacts &facts) {
  Value input = op.getInput(), output = op.getOutput();
  if (!areRankedTensors({input, output}))
    return;
  int64_t axis = op.getAxis();
  requireAtLeast(facts, facts.dim(input, axis), 1, "axis");
  for (int64_t d = 0, rank = cast<ShapedType>(output.getType()).getRank();
       d < rank; ++d)
    setOrRequire(facts, output, d, facts.dim(input, d < axis ? d : d + 1),
                 "result dimension " + Twine(d));
}

//===----------------------------------------------------------------------===//
// Products and transforms
//===----------------------------------------------------------------------===//

static void matMulRule(tosa::MatMulOp op, ShapeFacts &facts) {
  Value a = op.getA(), b = op.getB(), output = op.getOutput();
  if (!areRankedTensors({a, b, output}))
    return;
  Expr batch = facts.dim(a, 0), columns = facts.dim(a, 2);
  requireEqual(facts, batch, facts.dim(b, 0), "batch dimension");
  requireEqual(facts, columns, facts.dim(b, 1), "contraction dimension");
  setOrRequire(facts, output, 0, batch, "result dimension 0");
  setOrRequire(facts, output, 1, facts.dim(a, 1), "result dimension 1");
  setOrRequire(facts, output, 2, facts.dim(b, 2), "result dimension 2");
}

/// Requires that a transform has an extent of 1, 2, 4, ...: what divides a
/// power of two that no tensor with elements reaches.
static void requirePowerOfTwo(ShapeFacts &facts, Expr extent, int64_t axis) {
  facts.require(Relation::divides(extent, facts.constant(int64_t(1) << 47)),
                "power of two, dimension " + Twine(axis));
}

static void fftRule(tosa::FFT2dOp op, ShapeFacts &facts) {
  Value real = op.getInputReal(), imaginary = op.getInputImag();
  if (!areRankedTensors(op->getOperands()) ||
      !areRankedTensors(op->getResults()))
    return;
  requireSameExtents(facts, real, imaginary, "imaginary part");
  for (int64_t d = 0; d < 3; ++d) {
    Expr extent = facts.dim(real, d);
    if (d > 0)
      requirePowerOfTwo(facts, extent, d);
    for (Value result : op->getResults())
      setOrRequire(facts, result, d, extent, "result dimension " + Twine(d));
  }
}

/// Half of the last axis is kept: the rest is its mirror image.
static void rfftRule(tosa::RFFT2dOp op, ShapeFacts &facts) {
  Value input = op.getInputReal();
  if (!areRankedTensors(input) || !areRankedTensors(op->getResults()))
    return;
  for (int64_t d = 0; d < 3; ++d) {
    Expr extent = facts.dim(input, d);
    if (d > 0)
      requirePowerOfTwo(facts, extent, d);
    if (d == 2)
      extent = facts.arena().floorDiv(extent, facts.constant(2)) + 1;
    for (Value result : op->getResults())
      setOrRequire(facts, result, d, extent, "result dimension " + Twine(d));
  }
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

template <typename... Ops>
static void attachElementwiseTosa(MLIRContext *context) {
  (attachRule<Ops, elementwiseRule<Ops>>(context), ...);
}

template <typename... Ops>
static void attachUnary(MLIRContext *context) {
  (attachRule<Ops, unaryRule<Ops>>(context), ...);
}

template <typename... Ops>
static void attachReductions(MLIRContext *context) {
  (attachRule<Ops, reduceRule<Ops>>(context), ...);
}

void symshape::registerTosaRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tosa::TosaDialect *) {
    attachElementwiseTosa<
        tosa::AddOp, tosa::ArithmeticRightShiftOp, tosa::BitwiseAndOp,
        tosa::BitwiseOrOp, tosa::BitwiseXorOp, tosa::EqualOp,
        tosa::GreaterEqualOp, tosa::GreaterOp, tosa::IntDivOp,
        tosa::LogicalAndOp, tosa::LogicalLeftShiftOp, tosa::LogicalOrOp,
        tosa::LogicalRightShiftOp, tosa::LogicalXorOp, tosa::MaximumOp,
        tosa::MinimumOp, tosa::PowOp, tosa::SelectOp, tosa::SubOp>(context);
    attachUnary<tosa::AbsOp, tosa::BitwiseNotOp, tosa::CastOp, tosa::CeilOp,
                tosa::ClampOp, tosa::ClzOp, tosa::CosOp, tosa::ErfOp,
                tosa::ExpOp, tosa::FloorOp, tosa::LogOp, tosa::LogicalNotOp,
                tosa::NegateOp, tosa::ReciprocalOp, tosa::ReverseOp,
                tosa::RsqrtOp, tosa::SigmoidOp, tosa::SinOp, tosa::TableOp,
                tosa::TanhOp>(context);
    attachReductions<tosa::ReduceAllOp, tosa::ReduceAnyOp, tosa::ReduceMaxOp,
                     tosa::ReduceMinOp, tosa::ReduceProductOp,
                     tosa::ReduceSumOp>(context);
    attachRule<tosa::ArgMaxOp, argMaxRule>(context);
    attachRule<tosa::ConstOp, constRule>(context);
    attachRule<tosa::FFT2dOp, fftRule>(context);
    attachRule<tosa::IdentityOp, identityRule>(context);
    attachRule<tosa::MatMulOp, matMulRule>(context);
    attachRule<tosa::MulOp, mulRule>(context);
    attachRule<tosa::RFFT2dOp, rfftRule>(context);
    attachRule<tosa::RescaleOp, rescaleRule>(context);
    attachTosaShapeRules(context);
    attachTosaMovementRules(context);
    attachTosaWindowRules(context);
  });
}
