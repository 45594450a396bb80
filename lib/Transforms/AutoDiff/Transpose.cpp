//===- Transpose.cpp - Transposes linear functions ------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ops of a linear function in reverse order, each replaced by its
// transpose; what is not linear is copied first.
//
//===----------------------------------------------------------------------===//

#include "Functions.h"
#include "LinearExtents.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "symshape/IR/PassAttributes.h"
#include "symshape/Transforms/AutoDiff.h"

using namespace mlir;
using namespace mlir::symshape;

/// What says the dims of a tangent is no linear op: its extents are known.
static void replaceDims(BlockArgument tangent) {
  SmallVector<OpFoldResult> extents = residualExtents(tangent);
  for (Operation *user : llvm::make_early_inc_range(tangent.getUsers())) {
    auto dim = dyn_cast<tensor::DimOp>(user);
    if (!dim || !dim.getConstantIndex())
      continue;
    OpBuilder builder(dim);
    dim.replaceAllUsesWith(getValueOrCreateConstantIndexOp(
        builder, dim.getLoc(), extents[*dim.getConstantIndex()]));
    dim.erase();
  }
}

//===----------------------------------------------------------------------===//
// Cotangents
//===----------------------------------------------------------------------===//

namespace {
class FunctionCotangents final : public Cotangents {
public:
  FunctionCotangents(OpBuilder &builder, const DenseSet<Value> &linear,
                     const LinearExtents &known)
      : b(builder), linear(linear), known(known) {}

  OpBuilder &builder() override { return b; }
  Value of(Value result) override { return cotangents.lookup(result); }
  void add(Value operand, Value cotangent) override;
  void replace(Value operand, Value sum) override { cotangents[operand] = sum; }
  bool isLinear(Value value) override { return linear.contains(value); }
  Value residual(Value value) override { return mapping.lookup(value); }
  SmallVector<OpFoldResult> extents(Value value) override;
  FailureOr<SmallVector<Value>>
  transposeBody(Block &body, ArrayRef<Value> arguments, ArrayRef<Value> results,
                ArrayRef<Value> captured, ArrayRef<Value> sums) override;

  /// Copies what is not linear, then transposes the rest; the cotangents of
  /// what the terminator returns are known.
  LogicalResult transpose(Block &block);

  IRMapping mapping; ///< of values that are not linear

private:
  OpBuilder &b;
  DenseSet<Value> linear;
  const LinearExtents &known;
  DenseMap<Value, Value> cotangents;
};
} // namespace

void FunctionCotangents::add(Value operand, Value cotangent) {
  Location loc = operand.getLoc();
  if (cotangent.getType() != operand.getType())
    cotangent = tensor::CastOp::create(b, loc, operand.getType(), cotangent);
  Value &sum = cotangents[operand];
  sum = sum ? makeSum(b, loc, sum, cotangent) : cotangent;
}

/// An extent that is known better than by its type is a value too: ops built
/// from extents and types need the two to agree.
SmallVector<OpFoldResult> FunctionCotangents::extents(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return {};
  Location loc = value.getLoc();
  SmallVector<OpFoldResult> result =
      isLinear(value) ? SmallVector<OpFoldResult>(known.of(value))
                      : tensor::getMixedSizes(b, loc, residual(value));
  for (auto [extent, dim] : llvm::zip(result, type.getShape())) {
    if (!ShapedType::isDynamic(dim))
      extent = b.getIndexAttr(dim);
    else if (isa<Attribute>(extent))
      extent = getValueOrCreateConstantIndexOp(b, loc, extent);
    else if (isLinear(value))
      extent = residual(cast<Value>(extent));
  }
  return result;
}

LogicalResult FunctionCotangents::transpose(Block &block) {
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator()) {
    if (usesAny(&op, linear))
      ops.push_back(&op);
    else
      b.clone(op, mapping);
  }
  for (Operation *op : llvm::reverse(ops)) {
    if (llvm::none_of(op->getResults(), [&](Value v) { return of(v); }))
      continue;
    auto rule = dyn_cast<LinearTransposeOpInterface>(op);
    if (!rule)
      return emitMissingRule(op);
    if (failed(rule.buildTranspose(*this)))
      return failure();
  }
  return success();
}

FailureOr<SmallVector<Value>> FunctionCotangents::transposeBody(
    Block &body, ArrayRef<Value> arguments, ArrayRef<Value> results,
    ArrayRef<Value> captured, ArrayRef<Value> sums) {
  SmallVector<Value> roots(captured);
  for (auto [argument, value] : llvm::zip(body.getArguments(), arguments))
    if (!value)
      roots.push_back(argument);
  FunctionCotangents inner(b, dependentsOf(roots, body), known);
  inner.mapping = mapping;
  for (auto [argument, value] : llvm::zip(body.getArguments(), arguments))
    if (value)
      inner.mapping.map(argument, value);
  for (auto [value, sum] : llvm::zip_equal(captured, sums))
    if (sum)
      inner.replace(value, sum);
  for (auto [yielded, cotangent] :
       llvm::zip(body.getTerminator()->getOperands(), results))
    if (cotangent && inner.isLinear(yielded))
      inner.add(yielded, cotangent);
  if (failed(inner.transpose(body)))
    return failure();
  SmallVector<Value> cotangentsOfRoots(arguments.size());
  for (auto [i, argument] : llvm::enumerate(body.getArguments()))
    if (!arguments[i])
      cotangentsOfRoots[i] = inner.sumOf(argument);
  for (Value value : captured)
    cotangentsOfRoots.push_back(inner.sumOf(value));
  return cotangentsOfRoots;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Builds the body of `transposed` from that of `linear`, which it may change.
static LogicalResult transposeBlock(func::FuncOp linear,
                                    func::FuncOp transposed) {
  Block &source = linear.getBody().front();
  SmallVector<Value> tangents;
  for (BlockArgument argument : source.getArguments())
    if (linear.getArgAttr(argument.getArgNumber(), kExtentResiduals)) {
      replaceDims(argument);
      tangents.push_back(argument);
    }
  DenseSet<Value> dependents = dependentsOf(tangents, source);
  LinearExtents extents(dependents);
  for (Value tangent : tangents)
    extents.setArgument(cast<BlockArgument>(tangent));
  for (Operation &op : llvm::make_early_inc_range(source.without_terminator()))
    if (usesAny(&op, dependents) && failed(extents.visit(&op)))
      return failure();
  Block *body = transposed.addEntryBlock();
  OpBuilder builder = OpBuilder::atBlockBegin(body);
  FunctionCotangents cotangents(builder, dependents, extents);
  size_t numResiduals = source.getNumArguments() - tangents.size();
  cotangents.mapping.map(source.getArguments().take_front(numResiduals),
                         body->getArguments().take_front(numResiduals));
  for (auto [result, cotangent] :
       llvm::zip(source.getTerminator()->getOperands(),
                 body->getArguments().drop_front(numResiduals)))
    if (cotangents.isLinear(result))
      cotangents.add(result, cotangent);
  if (failed(cotangents.transpose(source)))
    return failure();
  for (auto [result, cotangent] :
       llvm::zip(source.getTerminator()->getOperands(),
                 body->getArguments().drop_front(numResiduals)))
    if (cotangents.isLinear(result))
      requireExtents(builder, cotangent, cotangents.extents(result),
                     "cotangent");
  SmallVector<Value> results;
  for (Value tangent : tangents) {
    Value cotangent = cotangents.of(tangent);
    results.push_back(cotangent ? cotangent : cotangents.zeros(tangent));
  }
  func::ReturnOp::create(builder, linear.getLoc(), results);
  return success();
}

FailureOr<func::FuncOp> symshape::transposeLinear(func::FuncOp linear,
                                                  StringRef name) {
  loadDialectsOfRules(linear.getContext());
  SmallVector<Type> types, resultTypes;
  for (auto [i, type] : llvm::enumerate(linear.getArgumentTypes()))
    (linear.getArgAttr(i, kExtentResiduals) ? resultTypes : types)
        .push_back(type);
  llvm::append_range(types, linear.getResultTypes());
  OpBuilder builder(linear);
  builder.setInsertionPointAfter(linear);
  auto copy = cast<func::FuncOp>(builder.clone(*linear));
  auto transposed =
      func::FuncOp::create(builder, linear.getLoc(), name,
                           builder.getFunctionType(types, resultTypes));
  transposed.setVisibility(linear.getVisibility());
  LogicalResult result = transposeBlock(copy, transposed);
  copy.erase();
  if (succeeded(result)) {
    eraseDead(transposed);
    return transposed;
  }
  transposed.erase();
  return failure();
}
