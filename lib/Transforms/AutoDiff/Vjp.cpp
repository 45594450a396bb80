//===- Vjp.cpp - Reverse derivatives --------------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linearizes, transposes, and joins the two parts in a function that runs both.
//
//===----------------------------------------------------------------------===//

#include "Functions.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "symshape/IR/PassAttributes.h"
#include "symshape/Transforms/AutoDiff.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// The two functions that a reverse derivative calls.
struct Parts {
  func::FuncOp forward, transposed;
};
} // namespace

static FailureOr<Parts> buildParts(func::FuncOp func, const Request &request) {
  FailureOr<Linearization> parts = linearize(func, request);
  if (failed(parts))
    return failure();
  FailureOr<func::FuncOp> transposed =
      transposeLinear(parts->linear, (func.getName() + ".transpose").str());
  parts->linear.erase();
  if (failed(transposed)) {
    parts->forward.erase();
    return failure();
  }
  parts->forward.setPrivate();
  transposed->setPrivate();
  return Parts{parts->forward, *transposed};
}

/// A function `name` with the arguments of `func` and further ones; calls the
/// forward part and sets `results` to all that it returns.
static func::FuncOp addWrapper(func::FuncOp func, Parts parts, StringRef name,
                               TypeRange further, TypeRange results,
                               OpBuilder &builder) {
  builder.setInsertionPointAfter(parts.transposed);
  SmallVector<Type> types(func.getArgumentTypes());
  llvm::append_range(types, further);
  auto wrapper = func::FuncOp::create(builder, func.getLoc(), name,
                                      builder.getFunctionType(types, results));
  wrapper.setVisibility(func.getVisibility());
  for (NamedAttribute attr : func->getDiscardableAttrs())
    if (!llvm::is_contained(kOfOneFunction, attr.getName()))
      wrapper->setDiscardableAttr(attr.getName(), attr.getValue());
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    if (DictionaryAttr attrs = func.getArgAttrDict(i))
      for (NamedAttribute attr : attrs)
        wrapper.setArgAttr(i, attr.getName(), attr.getValue());
  builder.setInsertionPointToStart(wrapper.addEntryBlock());
  return wrapper;
}

FailureOr<func::FuncOp> symshape::buildVjp(func::FuncOp func,
                                           const Request &request) {
  loadDialectsOfRules(func.getContext());
  if (failed(
          verifyRequest(func, request, {".fwd", ".lin", ".transpose", ".vjp"})))
    return failure();
  FailureOr<Parts> parts = buildParts(func, request);
  if (failed(parts))
    return failure();
  OpBuilder builder(func.getContext());
  Location loc = func.getLoc();
  size_t numResults = func.getNumResults();
  SmallVector<Type> cotangentTypes, types(func.getResultTypes());
  for (int64_t number : request.results)
    cotangentTypes.push_back(func.getResultTypes()[number]);
  llvm::append_range(types, parts->transposed.getResultTypes());
  func::FuncOp wrapper =
      addWrapper(func, *parts, (func.getName() + ".vjp").str(), cotangentTypes,
                 types, builder);
  unsigned next = func.getNumArguments();
  for (int64_t number : request.results) {
    if (Attribute shape = func.getResultAttr(number, SymShapeDialect::kShape))
      wrapper.setArgAttr(next, SymShapeDialect::kShape, shape);
    ++next;
  }
  auto forward = func::CallOp::create(
      builder, loc, parts->forward,
      wrapper.getArguments().take_front(func.getNumArguments()));
  for (auto [number, cotangent] :
       llvm::zip(request.results,
                 wrapper.getArguments().drop_front(func.getNumArguments()))) {
    Value primal = forward.getResult(number);
    requireExtents(builder, cotangent, extentsOf(builder, loc, primal),
                   "cotangent");
  }
  SmallVector<Value> operands(forward.getResults().drop_front(numResults));
  llvm::append_range(operands,
                     wrapper.getArguments().drop_front(func.getNumArguments()));
  auto backward =
      func::CallOp::create(builder, loc, parts->transposed, operands);
  SmallVector<Value> results(forward.getResults().take_front(numResults));
  llvm::append_range(results, backward.getResults());
  func::ReturnOp::create(builder, loc, results);
  return wrapper;
}

FailureOr<func::FuncOp> symshape::buildGradient(func::FuncOp func,
                                                const Request &request) {
  loadDialectsOfRules(func.getContext());
  if (failed(verifyRequest(func, request,
                           {".fwd", ".lin", ".transpose", ".grad"})))
    return failure();
  auto rankOf = [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return shaped ? shaped.getRank() : 0;
  };
  if (request.results.size() != 1 ||
      rankOf(func.getResultTypes()[request.results[0]]) != 0)
    return func.emitOpError(
        "expected one result, a float or a tensor of rank 0, for a gradient");
  FailureOr<Parts> parts = buildParts(func, request);
  if (failed(parts))
    return failure();
  OpBuilder builder(func.getContext());
  Location loc = func.getLoc();
  SmallVector<Type> types(func.getResultTypes());
  llvm::append_range(types, parts->transposed.getResultTypes());
  func::FuncOp wrapper = addWrapper(
      func, *parts, (func.getName() + ".grad").str(), {}, types, builder);
  auto forward = func::CallOp::create(builder, loc, parts->forward,
                                      wrapper.getArguments());
  Type type = func.getResultTypes()[request.results[0]];
  Value seed = arith::ConstantOp::create(
      builder, loc, builder.getFloatAttr(getElementTypeOrSelf(type), 1.0));
  if (isa<RankedTensorType>(type))
    seed = tensor::FromElementsOp::create(builder, loc, type, seed);
  SmallVector<Value> operands(
      forward.getResults().drop_front(func.getNumResults()));
  operands.push_back(seed);
  auto backward =
      func::CallOp::create(builder, loc, parts->transposed, operands);
  SmallVector<Value> results(
      forward.getResults().take_front(func.getNumResults()));
  llvm::append_range(results, backward.getResults());
  func::ReturnOp::create(builder, loc, results);
  return wrapper;
}
