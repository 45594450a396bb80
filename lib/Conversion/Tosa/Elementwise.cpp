//===- Elementwise.cpp - Elementwise ops of tosa --------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One structured op per elementwise op. What it computes of scalars is what
// upstream's patterns say of tensors of rank 0.
//
//===----------------------------------------------------------------------===//

#include "ScalarOps.h"
#include "Structure/Loops.h"
#include "TosaLowering.h"

#include "symshape/Transforms/Canonicalizer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::symshape;

/// How many operands have the extents of the result; 0 for ops that are not
/// elementwise. The others are parameters.
static unsigned countElementwiseOperands(Operation *op) {
  if (isa<tosa::MulOp>(op))
    return 2;
  if (isa<tosa::NegateOp, tosa::CastOp>(op))
    return 1;
  if (isa<tosa::AbsOp, tosa::AddOp, tosa::ArithmeticRightShiftOp,
          tosa::BitwiseAndOp, tosa::BitwiseNotOp, tosa::BitwiseOrOp,
          tosa::BitwiseXorOp, tosa::CeilOp, tosa::ClampOp, tosa::ClzOp,
          tosa::CosOp, tosa::EqualOp, tosa::ErfOp, tosa::ExpOp, tosa::FloorOp,
          tosa::GreaterEqualOp, tosa::GreaterOp, tosa::IntDivOp, tosa::LogOp,
          tosa::LogicalAndOp, tosa::LogicalLeftShiftOp, tosa::LogicalNotOp,
          tosa::LogicalOrOp, tosa::LogicalRightShiftOp, tosa::LogicalXorOp,
          tosa::MaximumOp, tosa::MinimumOp, tosa::PowOp, tosa::ReciprocalOp,
          tosa::RsqrtOp, tosa::SelectOp, tosa::SigmoidOp, tosa::SinOp,
          tosa::SubOp, tosa::TanhOp>(op))
    return op->getNumOperands();
  return 0;
}

/// A function on tensors of rank 0 with a copy of `op`, whose first `count`
/// operands are arguments, and the others constants. Null if they are not.
static OwningOpRef<ModuleOp> makeScalarFunction(Operation *op, unsigned count) {
  MLIRContext *context = op->getContext();
  OwningOpRef<ModuleOp> module = ModuleOp::create(op->getLoc());
  OpBuilder b = OpBuilder::atBlockEnd(module->getBody());
  auto scalar = [](Value v) {
    return RankedTensorType::get(
        {}, cast<ShapedType>(v.getType()).getElementType());
  };
  SmallVector<Type> inputs;
  for (Value v : op->getOperands().take_front(count))
    inputs.push_back(scalar(v));
  auto function = func::FuncOp::create(
      b, op->getLoc(), "scalar",
      FunctionType::get(context, inputs, scalar(op->getResult(0))));
  b.setInsertionPointToStart(function.addEntryBlock());
  IRMapping mapping;
  mapping.map(op->getOperands().take_front(count), function.getArguments());
  for (Value v : op->getOperands().drop_front(count)) {
    ElementsAttr value;
    if (!matchPattern(v, m_Constant(&value)))
      return nullptr;
    mapping.map(v, tosa::ConstOp::create(b, op->getLoc(), v.getType(), value));
  }
  Operation *copy = b.clone(*op, mapping);
  copy->getResult(0).setType(scalar(op->getResult(0)));
  func::ReturnOp::create(b, op->getLoc(), copy->getResults());
  return module;
}

/// What upstream's patterns make of `op` on scalars: an op with `count` inputs
/// whose body can be moved elsewhere. Null if they make something else.
static linalg::GenericOp lowerScalar(ModuleOp module, unsigned count,
                                     const FrozenRewritePatternSet &patterns) {
  ConversionTarget target(*module.getContext());
  target.markUnknownOpDynamicallyLegal(
      [](Operation *op) { return !isTosa(op); });
  ScopedDiagnosticHandler quiet(module.getContext(),
                                [](Diagnostic &) { return success(); });
  if (failed(applySoundConversion(module, target, patterns)))
    return nullptr;
  auto function = cast<func::FuncOp>(module.getBody()->front());
  auto generic = function.front()
                     .getTerminator()
                     ->getOperand(0)
                     .getDefiningOp<linalg::GenericOp>();
  if (!generic || generic.getNumDpsInputs() != count ||
      ValueRange(generic.getInputs()) != ValueRange(function.getArguments()))
    return nullptr;
  // Constants may stand before it.
  Region &body = generic.getRegion();
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(body, captured);
  OpBuilder b = OpBuilder::atBlockBegin(&body.front());
  for (Value v : captured) {
    Operation *constant = v.getDefiningOp<arith::ConstantOp>();
    if (!constant)
      return nullptr;
    replaceAllUsesInRegionWith(v, b.clone(*constant)->getResult(0), body);
  }
  return generic;
}

/// Operand `number`, if one of its dimensions may be 1 and expand: with the
/// sizes of the result.
Value TosaLowering::expand(Operation *op, unsigned number,
                           ArrayRef<OpFoldResult> sizes) {
  Value operand = op->getOperand(number);
  Location loc = op->getLoc();
  SmallVector<int64_t> dims;
  for (auto [which, d] : expanding.lookup(op))
    if (which == number)
      dims.push_back(d);
  if (dims.empty())
    return operand;
  auto type = cast<RankedTensorType>(operand.getType());
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<Value> isOne(type.getRank());
  Value one = makeIndex(b, loc, 1), anyOne;
  for (int64_t d : dims) {
    shape[d] = ShapedType::kDynamic;
    Value extent = tensor::DimOp::create(b, loc, operand, d);
    isOne[d] =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, extent, one);
    anyOne = anyOne ? arith::OrIOp::create(b, loc, anyOne, isOne[d]).getResult()
                    : isOne[d];
  }
  auto wide = RankedTensorType::get(shape, type.getElementType());
  auto branch = scf::IfOp::create(
      b, loc, anyOne,
      [&](OpBuilder &b, Location loc) {
        SmallVector<Value> dynamic;
        for (auto [d, extent] : llvm::enumerate(shape))
          if (ShapedType::isDynamic(extent))
            dynamic.push_back(
                llvm::is_contained(dims, static_cast<int64_t>(d))
                    ? makeIndex(b, loc, sizes[d])
                    : tensor::DimOp::create(b, loc, operand, d).getResult());
        Value all = tensor::GenerateOp::create(
            b, loc, wide, dynamic,
            [&](OpBuilder &b, Location loc, ValueRange position) {
              SmallVector<Value> at(position);
              Value zero = makeIndex(b, loc, 0);
              for (int64_t d : dims)
                at[d] = arith::SelectOp::create(b, loc, isOne[d], zero, at[d]);
              tensor::YieldOp::create(
                  b, loc, tensor::ExtractOp::create(b, loc, operand, at));
            });
        scf::YieldOp::create(b, loc, all);
      },
      [&](OpBuilder &b, Location loc) {
        scf::YieldOp::create(
            b, loc, b.createOrFold<tensor::CastOp>(loc, wide, operand));
      });
  return branch.getResult(0);
}

/// The extents of the result: those of any operand that does not expand; where
/// all may, of the first that is not 1.
static SmallVector<OpFoldResult>
sizesOfResult(OpBuilder &b, Operation *op, ValueRange operands,
              ArrayRef<std::pair<unsigned, int64_t>> mayExpand) {
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<OpFoldResult> sizes;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (!type.isDynamicDim(d)) {
      sizes.push_back(b.getIndexAttr(type.getDimSize(d)));
      continue;
    }
    OpFoldResult size;
    for (auto [i, operand] : llvm::enumerate(operands)) {
      if (cast<ShapedType>(operand.getType()).getDimSize(d) == 1)
        continue;
      OpFoldResult extent = tensor::getMixedSize(b, loc, operand, d);
      if (!llvm::is_contained(mayExpand,
                              std::pair(static_cast<unsigned>(i), d))) {
        size = extent;
        break;
      }
      if (!size) {
        size = extent;
        continue;
      }
      Value before = makeIndex(b, loc, size);
      Value isOne = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                          before, makeIndex(b, loc, 1));
      size = arith::SelectOp::create(b, loc, isOne, makeIndex(b, loc, extent),
                                     before)
                 .getResult();
    }
    sizes.push_back(size ? size : OpFoldResult(b.getIndexAttr(1)));
  }
  return sizes;
}

bool TosaLowering::lowerElementwise(Operation *op) {
  unsigned count = countElementwiseOperands(op);
  if (count == 0)
    return false;
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  OwningOpRef<ModuleOp> scratch = makeScalarFunction(op, count);
  linalg::GenericOp scalar =
      scratch ? lowerScalar(*scratch, count, scalarPatterns) : nullptr;
  if (!scalar)
    return false;
  Location loc = op->getLoc();
  int64_t rank = type.getRank();
  ValueRange operands = op->getOperands().take_front(count);
  SmallVector<OpFoldResult> sizes =
      sizesOfResult(b, op, operands, expanding.lookup(op));
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (unsigned i = 0; i < count; ++i) {
    inputs.push_back(expand(op, i, sizes));
    auto operand = cast<RankedTensorType>(op->getOperand(i).getType());
    SmallVector<AffineExpr> at;
    for (int64_t d = 0; d < rank; ++d)
      at.push_back(operand.getDimSize(d) == 1 ? b.getAffineConstantExpr(0)
                                              : b.getAffineDimExpr(d));
    maps.push_back(AffineMap::get(rank, 0, at, b.getContext()));
  }
  if (checks)
    checkElements(op, inputs, maps, sizes);
  maps.push_back(b.getMultiDimIdentityMap(rank));
  Value init = tensor::EmptyOp::create(b, loc, sizes, type.getElementType());
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(b, loc, init.getType(), inputs, init,
                                           maps, loops);
  generic.getRegion().takeBody(scalar.getRegion());
  if (isa<tosa::LogicalLeftShiftOp, tosa::LogicalRightShiftOp>(op))
    clearFarShifts(generic.getRegion());
  replace(op, generic.getResult(0));
  return true;
}

/// A negation whose zero points are values. Those of floats are 0.
bool TosaLowering::lowerNegate(tosa::NegateOp op) {
  if (matchPattern(op.getInput1Zp(), m_Constant()) &&
      matchPattern(op.getOutputZp(), m_Constant()))
    return false;
  auto type = cast<RankedTensorType>(op.getOutput().getType());
  Type element = type.getElementType();
  if (element.getIntOrFloatBitWidth() > 32)
    return false;
  Location loc = op.getLoc();
  Value inputZero = readScalar(b, loc, op.getInput1Zp());
  Value outputZero = readScalar(b, loc, op.getOutputZp());
  Value init = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, op.getInput1()), element);
  auto build = [&](OpBuilder &b, Location loc, ValueRange args) {
    Value result;
    if (isa<FloatType>(element)) {
      result = arith::NegFOp::create(b, loc, args[0]);
    } else {
      auto extend = [&](Value v) {
        return convertScalarToDtype(b, loc, v, b.getI32Type(),
                                    /*isUnsigned=*/false);
      };
      Value zeros =
          arith::AddIOp::create(b, loc, extend(inputZero), extend(outputZero));
      Value v = arith::SubIOp::create(b, loc, zeros, extend(args[0]));
      result = saturate(b, loc, v, element, /*isUnsigned=*/false);
    }
    linalg::YieldOp::create(b, loc, result);
  };
  int64_t rank = type.getRank();
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      b, loc, init.getType(), op.getInput1(), init, maps, loops, build);
  replace(op, generic.getResult(0));
  return true;
}

/// For x < 0 exp(x) / (1 + exp(x)): upstream's 1 / (1 + exp(-x)) is 0 where
/// exp(-x) overflows.
void TosaLowering::lowerSigmoid(tosa::SigmoidOp op) {
  auto type = cast<RankedTensorType>(op.getOutput().getType());
  Location loc = op.getLoc();
  Value init = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, op.getInput()),
      type.getElementType());
  auto build = [&](OpBuilder &b, Location loc, ValueRange args) {
    auto number = [&](double value) {
      return arith::ConstantOp::create(
          b, loc, b.getFloatAttr(type.getElementType(), value));
    };
    Value x = args[0], one = number(1);
    Value isNegative =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x, number(0));
    Value size = arith::SelectOp::create(b, loc, isNegative, x,
                                         arith::NegFOp::create(b, loc, x));
    Value decay = math::ExpOp::create(b, loc, size);
    Value share = arith::SelectOp::create(b, loc, isNegative, decay, one);
    Value whole = arith::AddFOp::create(b, loc, one, decay);
    linalg::YieldOp::create(
        b, loc, arith::DivFOp::create(b, loc, share, whole).getResult());
  };
  int64_t rank = type.getRank();
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      b, loc, init.getType(), op.getInput(), init, maps, loops, build);
  replace(op, generic.getResult(0));
}

/// Numbers from one scale to another, by a multiplier and a shift. Where the
/// rounding is free, it is that of a single shift.
bool TosaLowering::lowerRescale(tosa::RescaleOp op) {
  auto type = cast<RankedTensorType>(op.getOutput().getType());
  Location loc = op.getLoc();
  int64_t rank = type.getRank();
  if (op.getPerChannel() && rank == 0)
    return false;
  Value inputZero = readScalar(b, loc, op.getInputZp());
  Value outputZero = readScalar(b, loc, op.getOutputZp());
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, loc, op.getInput());
  AffineMap factor =
      AffineMap::get(rank, 0,
                     op.getPerChannel() ? b.getAffineDimExpr(rank - 1)
                                        : b.getAffineConstantExpr(0),
                     b.getContext());
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  SmallVector<AffineMap> maps{identity, factor, factor, identity};
  Value init = tensor::EmptyOp::create(b, loc, sizes, type.getElementType());
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  auto rounding = op.getRoundingMode() == tosa::RoundingMode::DOUBLE_ROUND
                      ? tosa::RoundingMode::DOUBLE_ROUND
                      : tosa::RoundingMode::SINGLE_ROUND;
  auto build = [&](OpBuilder &b, Location loc, ValueRange args) {
    Type wide = args[0].getType().getIntOrFloatBitWidth() > 32 ? b.getI64Type()
                                                               : b.getI32Type();
    Type i32 = b.getI32Type();
    auto extend = [&](Value v, Type type, bool isUnsigned) {
      return convertScalarToDtype(b, loc, v, type, isUnsigned);
    };
    Value v = arith::SubIOp::create(
        b, loc, extend(args[0], wide, op.getInputUnsigned()),
        extend(inputZero, wide, op.getInputUnsigned()));
    v = tosa::ApplyScaleOp::create(b, loc, i32, v,
                                   extend(args[1], i32, /*isUnsigned=*/false),
                                   args[2], rounding);
    v = arith::AddIOp::create(b, loc, v,
                              extend(outputZero, i32, op.getOutputUnsigned()));
    linalg::YieldOp::create(
        b, loc,
        saturate(b, loc, v, type.getElementType(), op.getOutputUnsigned()));
  };
  auto generic = linalg::GenericOp::create(
      b, loc, init.getType(),
      ValueRange{op.getInput(), op.getMultiplier(), op.getShift()}, init, maps,
      loops, build);
  replace(op, generic.getResult(0));
  return true;
}
