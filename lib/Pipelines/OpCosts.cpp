//===- OpCosts.cpp - Bytes and FLOP of an op ------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Pipelines/OpCosts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "symshape/IR/ResampleOps.h"

using namespace mlir;
using namespace mlir::symshape;

/// The product of the extents of a ranked value.
static Expr elementsOf(FunctionShapes &shapes, Value value) {
  Expr count = shapes.arena().one();
  for (int64_t d = 0, rank = cast<ShapedType>(value.getType()).getRank();
       d < rank; ++d)
    count = count * shapes.dim(value, d);
  return count;
}

/// Null if the size of an element is not known.
static Expr bytesOfTensor(FunctionShapes &shapes, Value value) {
  Type element = cast<ShapedType>(value.getType()).getElementType();
  if (!isa<IntegerType, IndexType, FloatType, ComplexType>(element))
    return Expr();
  Operation *function = shapes.function();
  int64_t bytes = DataLayout::closest(function).getTypeSize(element);
  return elementsOf(shapes, value) * bytes;
}

static bool isRankedTensor(Value value) {
  return isa<RankedTensorType>(value.getType());
}

Expr mlir::symshape::bytesOf(FunctionShapes &shapes, Operation *op) {
  SmallVector<Value> values;
  auto destination = dyn_cast<DestinationStyleOpInterface>(op);
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    if (destination && destination.isDpsInit(&operand))
      continue;
    if (isRankedTensor(value) && !llvm::is_contained(values, value))
      values.push_back(value);
  }
  for (Value result : op->getResults())
    if (isRankedTensor(result))
      values.push_back(result);
  Expr sum;
  for (Value value : values) {
    Expr bytes = bytesOfTensor(shapes, value);
    if (!bytes)
      return Expr();
    sum = sum ? sum + bytes : bytes;
  }
  return sum;
}

static bool isFloat(Type type) {
  return isa<FloatType>(getElementTypeOrSelf(type));
}

/// Operations of one element, or one run of a body, that `op` itself makes.
static int64_t countOperations(Operation *op) {
  if (op->getNumResults() != 1 || !isFloat(op->getResult(0).getType()))
    return 0;
  if (isa<math::FmaOp>(op))
    return 2;
  if (isa<math::MathDialect>(op->getDialect()))
    return 1;
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
             arith::RemFOp, arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp,
             arith::MaxNumFOp, arith::MinNumFOp>(op);
}

static Expr flopOfStructuredOp(FunctionShapes &shapes, linalg::LinalgOp op) {
  AffineMap toLoops = op.getShapesToLoopsMap();
  if (!toLoops || op->getNumRegions() != 1)
    return Expr();
  SmallVector<Expr> dims;
  for (Value operand : op->getOperands())
    if (auto type = dyn_cast<ShapedType>(operand.getType()))
      for (int64_t d = 0; d < type.getRank(); ++d)
        dims.push_back(shapes.dim(operand, d));
  int64_t inBody = 0;
  op->getRegion(0).walk(
      [&](Operation *inner) { inBody += countOperations(inner); });
  Expr iterations = shapes.arena().one();
  for (AffineExpr loop : toLoops.getResults())
    iterations = iterations * shapes.apply(loop, dims, {});
  return iterations * inBody;
}

/// The product of some extents of a value.
static Expr extentsOf(FunctionShapes &shapes, Value value,
                      ArrayRef<int64_t> dims) {
  Expr product = shapes.arena().one();
  for (int64_t d : dims)
    product = product * shapes.dim(value, d);
  return product;
}

/// Products: two operations for each element of the result and step of the sum.
static Expr flopOfTosaProduct(FunctionShapes &shapes, Operation *op) {
  Value weight = op->getNumOperands() > 1 ? op->getOperand(1) : Value();
  Expr steps;
  if (isa<tosa::MatMulOp>(op))
    steps = extentsOf(shapes, weight, {1});
  else if (isa<tosa::Conv2DOp>(op))
    steps = extentsOf(shapes, weight, {1, 2, 3});
  else if (isa<tosa::Conv3DOp>(op))
    steps = extentsOf(shapes, weight, {1, 2, 3, 4});
  else if (isa<tosa::DepthwiseConv2DOp>(op))
    steps = extentsOf(shapes, weight, {0, 1});
  if (!steps)
    return Expr();
  return elementsOf(shapes, op->getResult(0)) * steps * 2;
}

static bool areRanked(TypeRange types) {
  return llvm::all_of(types, [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return !shaped || shaped.hasRank();
  });
}

Expr mlir::symshape::flopOf(FunctionShapes &shapes, Operation *op) {
  ExprArena &arena = shapes.arena();
  if (!areRanked(op->getOperandTypes()) || !areRanked(op->getResultTypes()))
    return Expr();
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return flopOfStructuredOp(shapes, structured);
  if (op->getNumResults() == 0 || llvm::none_of(op->getResultTypes(), isFloat))
    return arena.zero();
  Value result = op->getResult(0);
  if (int64_t perElement = countOperations(op))
    return isRankedTensor(result) ? elementsOf(shapes, result) * perElement
                                  : arena.constant(perElement);
  if (isa<tosa::TosaDialect>(op->getDialect())) {
    if (Expr product = flopOfTosaProduct(shapes, op))
      return product;
    if (isa<tosa::AddOp, tosa::SubOp, tosa::MulOp, tosa::MaximumOp,
            tosa::MinimumOp, tosa::PowOp, tosa::AbsOp, tosa::CeilOp,
            tosa::FloorOp, tosa::ExpOp, tosa::LogOp, tosa::NegateOp,
            tosa::ReciprocalOp, tosa::RsqrtOp, tosa::SinOp, tosa::CosOp,
            tosa::ErfOp, tosa::SigmoidOp, tosa::TanhOp>(op))
      return elementsOf(shapes, result);
    bool onlyMoves =
        isa<tosa::ConstOp, tosa::ReshapeOp, tosa::TransposeOp, tosa::ConcatOp,
            tosa::SliceOp, tosa::PadOp, tosa::TileOp, tosa::ReverseOp,
            tosa::GatherOp, tosa::ScatterOp, tosa::IdentityOp, tosa::CastOp,
            tosa::SelectOp>(op);
    return onlyMoves ? arena.zero() : Expr();
  }
  if (auto resample = dyn_cast<ResampleOp>(op)) {
    Expr perElement = arena.zero(); // that a sum along later axes costs
    for (Value weights : llvm::reverse(resample.getWeights()))
      perElement = shapes.dim(weights, 0) * (perElement + 2) - 1;
    return elementsOf(shapes, result) * perElement;
  }
  if (isa<DequantizeOp>(op))
    return elementsOf(shapes, result) * 2;
  // What moves elements, or makes constants, computes nothing.
  StringRef dialect = op->getName().getDialectNamespace();
  bool onlyMoves = dialect == "tensor" || dialect == "arith" ||
                   dialect == "bufferization" ||
                   (dialect == "symshape" &&
                    !isa<CumsumOp, ScatterOp, DynamicUpdateSliceOp>(op));
  return onlyMoves && op->getNumRegions() == 0 ? arena.zero() : Expr();
}
