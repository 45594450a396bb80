//===- LinalgDerivatives.cpp - Derivatives of linalg ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A structured op on tensors is differentiated through its body. The tangent is
// a structured op of the same loops, which reads the inputs and their tangents.
// A linear one is transposed operand by operand: a structured op of the same
// loops reads the cotangent and writes, by the map of the operand, what the
// transposed body gives. Reductions are sums, or one of maximum, minimum and
// product.
//
//===----------------------------------------------------------------------===//

#include "LinalgDerivatives.h"
#include "LinalgReductionDerivatives.h"

#include "DerivativeHelpers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "symshape/Extensions/AllExtensions.h"
#include "symshape/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::symshape;

//===----------------------------------------------------------------------===//
// What a body is
//===----------------------------------------------------------------------===//

StructuredKind symshape::structuredKind(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op->getNumResults() != 1)
    return StructuredKind::Other;
  Block *body = op.getBlock();
  Value accumulator = body->getArguments().back();
  AffineMap map = op.getIndexingMapsArray().back();
  if (accumulator.use_empty())
    return map.isPermutation() ? StructuredKind::Elementwise
                               : StructuredKind::Other;
  Operation *combiner = body->getTerminator()->getOperand(0).getDefiningOp();
  if (!accumulator.hasOneUse() || !combiner ||
      *accumulator.user_begin() != combiner)
    return StructuredKind::Other;
  if (isa<arith::AddFOp>(combiner))
    return StructuredKind::Sum;
  if (!map.isProjectedPermutation())
    return StructuredKind::Other;
  if (isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
          arith::MinNumFOp>(combiner))
    return StructuredKind::Extremum;
  return isa<arith::MulFOp>(combiner) ? StructuredKind::Product
                                      : StructuredKind::Other;
}

LogicalResult symshape::refuseBody(linalg::LinalgOp op) {
  return emitMissingRule(op,
                         "a derivative rule for this body: elementwise, "
                         "or a sum, maximum, minimum or product",
                         "split the op, or write its body as one of these");
}

LogicalResult symshape::refuseCaptured(linalg::LinalgOp op, Value value,
                                       Operation *user) {
  std::string what;
  if (auto argument = dyn_cast<BlockArgument>(value))
    what = "argument #" + std::to_string(argument.getArgNumber());
  else
    what = "the result of '" +
           value.getDefiningOp()->getName().getStringRef().str() + "'";
  if (Operation *own = op.getBlock()->findAncestorOpInBlock(*user))
    user = own;
  return emitMissingRule(
      op,
      "a derivative rule for a body that uses " + what + " from outside in '" +
          user->getName().getStringRef() + "'",
      "read it by tensor.extract, outside of branches and loops, or make it an "
      "operand");
}

namespace {
/// Checks that the body reads tensors with tangents from outside as their
/// transposes need it.
LogicalResult verifyCaptured(linalg::LinalgOp op, Tangents &tangents) {
  Region *body = op.getBlock()->getParent();
  WalkResult result = body->walk([&](Operation *user) {
    for (Value value : user->getOperands())
      if (isa<TensorType>(value.getType()) && tangents.of(value) &&
          value.getParentRegion()->isProperAncestor(body) &&
          !(isa<tensor::ExtractOp>(user) && user->getParentRegion() == body)) {
        (void)refuseCaptured(op, value, user);
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Replaces the op by one without the inputs that its body does not use, so
/// that they are not residuals. Those that determine the extent of a loop are
/// replaced by empty tensors of their extents.
linalg::GenericOp dropUnusedInputs(OpBuilder &b, linalg::GenericOp op) {
  SmallVector<Value> inputs(op.getInputs());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  Location loc = op.getLoc();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(op);
  Block &body = *op.getBlock();
  for (size_t i = inputs.size(); i-- > 0;) {
    if (!body.getArgument(i).use_empty())
      continue;
    SmallVector<AffineMap> others = maps;
    others.erase(others.begin() + i);
    if (inversePermutation(concatAffineMaps(others, b.getContext()))) {
      inputs.erase(inputs.begin() + i);
      body.eraseArgument(i);
      maps = others;
    } else if (!inputs[i].getDefiningOp<tensor::EmptyOp>()) {
      inputs[i] = tensor::EmptyOp::create(
          b, loc, tensor::getMixedSizes(b, loc, inputs[i]),
          getElementTypeOrSelf(inputs[i]));
    }
  }
  if (llvm::equal(inputs, op.getInputs()))
    return op;
  auto smaller = linalg::GenericOp::create(b, loc, op.getResultTypes(), inputs,
                                           op.getOutputs(), maps,
                                           op.getIteratorTypesArray());
  smaller.getRegion().takeBody(op.getRegion());
  op.erase();
  return smaller;
}

} // namespace

//===----------------------------------------------------------------------===//
// Forward
//===----------------------------------------------------------------------===//

FailureOr<Value> TangentOp::build(Value init, YieldFn finish) {
  OpBuilder &b = tangents.builder();
  SmallVector<Value> inputs(op.getDpsInputs()), active;
  SmallVector<AffineMap> maps;
  for (OpOperand *input : op.getDpsInputOperands())
    maps.push_back(op.getMatchingIndexingMap(input));
  SmallVector<unsigned> numbers;
  for (auto [number, input] : llvm::enumerate(op.getDpsInputs()))
    if (Value tangent = tangents.of(input); tangent && readsTangents) {
      numbers.push_back(number);
      inputs.push_back(tangent);
      maps.push_back(maps[number]);
    }
  for (auto [tensor, map] : further) {
    inputs.push_back(tensor);
    maps.push_back(map);
  }
  maps.push_back(op.getIndexingMapsArray().back());
  unsigned numInputs = op.getNumDpsInputs();
  Tangents::Scope scope(tangents);
  bool ok = true, isZero = false;
  auto tangentOp = linalg::GenericOp::create(
      b, op.getLoc(), init.getType(), inputs, init, maps,
      op.getIteratorTypesArray(),
      [&](OpBuilder &inner, Location loc, ValueRange args) {
        IRMapping mapping;
        mapping.map(op.getBlock()->getArguments().take_front(numInputs),
                    args.take_front(numInputs));
        mapping.map(op.getBlock()->getArguments().back(), args.back());
        for (Operation &primal : op.getBlock()->without_terminator())
          inner.clone(primal, mapping);
        for (auto [i, number] : llvm::enumerate(numbers))
          tangents.set(args[number], args[numInputs + i]);
        ok = succeeded(tangents.differentiate(*inner.getInsertionBlock()));
        Value primal = mapping.lookupOrDefault(source);
        inner.setInsertionPointToEnd(inner.getInsertionBlock());
        Value yielded = args.back();
        isZero = readsTangents && !tangents.of(primal);
        if (!isZero)
          yielded = finish(
              inner, primal, tangents.of(primal),
              args.drop_front(numInputs + numbers.size()).drop_back(), yielded);
        linalg::YieldOp::create(inner, loc, yielded);
      });
  if (!ok || isZero) {
    tangentOp.erase();
    if (ok)
      return Value();
    return failure();
  }
  eraseDeadOps(*tangentOp.getBlock());
  return dropUnusedInputs(b, tangentOp).getResult(0);
}

Value symshape::makeScalar(OpBuilder &b, Location loc, Type type,
                           double value) {
  return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
}

namespace {
/// Elementwise, and sums: `combined` is what is yielded, or what is added.
LogicalResult sumJvp(linalg::LinalgOp op, Tangents &tangents, bool isSum) {
  OpBuilder &b = tangents.builder();
  Location loc = op.getLoc();
  Value result = op->getResult(0);
  Value init = op.getDpsInits().front();
  Value source = op.getBlock()->getTerminator()->getOperand(0);
  Value start;
  if (isSum) {
    Value accumulator = op.getBlock()->getArguments().back();
    Operation *add = source.getDefiningOp();
    source = add->getOperand(add->getOperand(0) == accumulator ? 1 : 0);
    start =
        tangents.of(init) ? tangents.of(init) : makeConstant(b, loc, 0, result);
  } else {
    start =
        tensor::EmptyOp::create(b, loc, tensor::getMixedSizes(b, loc, result),
                                getElementTypeOrSelf(result));
  }
  auto finish = [&](OpBuilder &inner, Value, Value tangent, ValueRange,
                    Value accumulator) -> Value {
    return isSum ? makeSum(inner, loc, accumulator, tangent) : tangent;
  };
  FailureOr<Value> tangent =
      TangentOp{op, tangents, source, {}}.build(start, finish);
  if (failed(tangent))
    return failure();
  tangents.set(result, *tangent || !isSum ? *tangent : tangents.of(init));
  return success();
}

LogicalResult structuredJvp(linalg::LinalgOp op, Tangents &tangents);

/// Whether the op is one of several results, or reads what its destinations
/// hold, each element once.
bool mayBeSplit(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics())
    return false;
  return op->getNumResults() > 1 ||
         (structuredKind(op) == StructuredKind::Other &&
          op.getNumParallelLoops() == op.getNumLoops() &&
          op.getIndexingMapsArray().back().isPermutation());
}

/// The op of one of its results. The element of a destination that loops in
/// parallel read is an input. Null if the result depends on more.
linalg::GenericOp makeSingle(OpBuilder &b, linalg::LinalgOp op,
                             unsigned number) {
  bool isParallel = op.getNumParallelLoops() == op.getNumLoops();
  Block &body = *op.getBlock();
  SmallVector<Value> inputs(op.getDpsInputs());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap written = maps[inputs.size() + number];
  if (isParallel)
    llvm::append_range(inputs, op.getDpsInits());
  maps.resize(inputs.size());
  maps.push_back(written);
  Value init = op.getDpsInits()[number];
  auto single = linalg::GenericOp::create(
      b, op.getLoc(), init.getType(), inputs, init, maps,
      op.getIteratorTypesArray(),
      [&](OpBuilder &inner, Location loc, ValueRange args) {
        IRMapping mapping;
        mapping.map(body.getArguments().take_front(inputs.size()),
                    args.drop_back());
        if (!isParallel)
          mapping.map(body.getArgument(inputs.size() + number), args.back());
        for (Operation &primal : body.without_terminator())
          inner.clone(primal, mapping);
        linalg::YieldOp::create(
            inner, loc,
            mapping.lookupOrDefault(body.getTerminator()->getOperand(number)));
      });
  eraseDeadOps(*single.getBlock());
  bool isAlone = !usesAny(
      single, [&](Value value) { return value.getParentBlock() == &body; });
  if (isAlone && structuredKind(single) != StructuredKind::Other)
    return single;
  single.erase();
  return nullptr;
}

/// Each result as one of an op of its own.
LogicalResult splitJvp(linalg::LinalgOp op, Tangents &tangents) {
  OpBuilder &b = tangents.builder();
  for (OpResult result : op->getResults()) {
    if (!hasTangent(result.getType()))
      continue;
    linalg::GenericOp single = makeSingle(b, op, result.getResultNumber());
    if (!single)
      return refuseBody(op);
    Value tangent;
    {
      Tangents::Scope scope(tangents);
      if (failed(structuredJvp(single, tangents)))
        return failure();
      tangent = tangents.of(single.getResult(0));
    }
    single.getResult(0).replaceAllUsesWith(result);
    single.erase();
    tangents.set(result, tangent);
  }
  return success();
}

LogicalResult structuredJvp(linalg::LinalgOp op, Tangents &tangents) {
  if (tangents.isSeparate() && failed(verifyCaptured(op, tangents)))
    return failure();
  if (mayBeSplit(op))
    return splitJvp(op, tangents);
  switch (structuredKind(op)) {
  case StructuredKind::Elementwise:
    return sumJvp(op, tangents, /*isSum=*/false);
  case StructuredKind::Sum:
    return sumJvp(op, tangents, /*isSum=*/true);
  case StructuredKind::Extremum:
    return extremumJvp(op, tangents);
  case StructuredKind::Product:
    return productJvp(op, tangents);
  case StructuredKind::Other:
    return refuseBody(op);
  }
  llvm_unreachable("a kind of body");
}

} // namespace

template <typename OpTy>
static LogicalResult namedJvp(OpTy op, Tangents &tangents) {
  return structuredJvp(cast<linalg::LinalgOp>(op.getOperation()), tangents);
}

template <typename OpTy>
static LogicalResult namedTranspose(OpTy op, Cotangents &cotangents) {
  return structuredTranspose(cast<linalg::LinalgOp>(op.getOperation()),
                             cotangents);
}

template <typename... OpTys>
static void attachAll(MLIRContext *context) {
  (attachDerivatives<OpTys, namedJvp<OpTys>, namedTranspose<OpTys>>(context),
   ...);
}

void symshape::registerLinalgDerivatives(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, linalg::LinalgDialect *) {
    using namespace mlir::linalg;
    attachAll<GenericOp, MapOp, ReduceOp, linalg::TransposeOp,
              linalg::BroadcastOp, FillOp, CopyOp, ElementwiseOp>(context);
    attachAll<MatmulOp, BatchMatmulOp, MatvecOp, VecmatOp, DotOp, BatchMatvecOp,
              BatchVecmatOp, BatchReduceMatmulOp, linalg::ContractOp>(context);
    attachAll<Conv1DOp, Conv1DNcwFcwOp, Conv1DNwcWcfOp, Conv2DOp,
              Conv2DNchwFchwOp, Conv2DNgchwFgchwOp, Conv2DNgchwGfchwOp,
              Conv2DNhwcFhwcOp, Conv2DNhwcHwcfOp, Conv2DNhwgcGfhwcOp, Conv3DOp,
              Conv3DNcdhwFcdhwOp, Conv3DNdhwcDhwcfOp>(context);
    attachAll<DepthwiseConv1DNcwCwOp, DepthwiseConv1DNwcWcOp,
              DepthwiseConv1DNwcWcmOp, DepthwiseConv2DNchwChwOp,
              DepthwiseConv2DNhwcHwcOp, DepthwiseConv2DNhwcHwcmOp,
              DepthwiseConv3DNcdhwCdhwOp, DepthwiseConv3DNdhwcDhwcOp,
              DepthwiseConv3DNdhwcDhwcmOp>(context);
    attachAll<PoolingNchwMaxOp, PoolingNchwSumOp, PoolingNcwMaxOp,
              PoolingNcwSumOp, PoolingNdhwcMaxOp, PoolingNdhwcMinOp,
              PoolingNdhwcSumOp, PoolingNhwcMaxOp, PoolingNhwcMinOp,
              PoolingNhwcSumOp, PoolingNwcMaxOp, PoolingNwcMinOp,
              PoolingNwcSumOp>(context);
    attachAll<linalg::AbsOp, linalg::AddOp, linalg::CeilOp, linalg::DivOp,
              linalg::ErfOp, linalg::ExpOp, linalg::FloorOp, linalg::LogOp,
              linalg::MaxOp, linalg::MinOp, linalg::MulOp, NegFOp,
              linalg::PowFOp, ReciprocalOp, linalg::RoundOp, linalg::RsqrtOp,
              linalg::SelectOp, linalg::SqrtOp, SquareOp, linalg::SubOp,
              linalg::TanhOp>(context);
  });
}
