//===- StaticTypes.cpp - Signatures with more static extents --------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StaticTypes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::symshape;

Value mlir::symshape::castTo(OpBuilder &builder, Location loc, Value value,
                             Type type) {
  if (value.getType() == type)
    return value;
  if (auto cast = value.getDefiningOp<tensor::CastOp>();
      cast && cast.getSource().getType() == type)
    return cast.getSource();
  if (isa<MemRefType>(type))
    return memref::CastOp::create(builder, loc, type, value);
  return tensor::CastOp::create(builder, loc, type, value);
}

ShapedType mlir::symshape::mergeStatic(ShapedType a, ShapedType b) {
  SmallVector<int64_t> shape(a.getShape());
  for (auto [extent, other] : llvm::zip_equal(shape, b.getShape())) {
    if (ShapedType::isDynamic(extent))
      extent = other;
    else if (!ShapedType::isDynamic(other) && other != extent)
      return nullptr;
  }
  return a.clone(shape);
}

/// Null unless extents are all that a cast of such a type may forget.
static ShapedType plainType(Type type) {
  auto buffer = dyn_cast<MemRefType>(type);
  return isa<RankedTensorType>(type) ||
                 (buffer && buffer.getLayout().isIdentity())
             ? cast<ShapedType>(type)
             : ShapedType();
}

Type mlir::symshape::getStaticType(Value value) {
  Type type = value.getType();
  while (
      isa_and_present<tensor::CastOp, memref::CastOp>(value.getDefiningOp())) {
    value = value.getDefiningOp()->getOperand(0);
    ShapedType source = plainType(value.getType()), known = plainType(type);
    if (!source || !known)
      break;
    ShapedType merged = mergeStatic(known, source);
    if (!merged)
      break; // never reached at run time
    type = merged;
  }
  return type;
}

SmallVector<Type> mlir::symshape::getReturnedTypes(func::FuncOp function) {
  SmallVector<Type> types(function.getResultTypes());
  SmallVector<func::ReturnOp> returns(
      function.getBody().getOps<func::ReturnOp>());
  for (auto [number, type] : llvm::enumerate(types)) {
    ShapedType declared = plainType(type);
    if (!declared || returns.empty())
      continue;
    SmallVector<int64_t> shape;
    for (func::ReturnOp op : returns) {
      auto known = cast<ShapedType>(getStaticType(op.getOperand(number)));
      if (shape.empty())
        shape.assign(known.getShape().begin(), known.getShape().end());
      for (auto [extent, here] : llvm::zip_equal(shape, known.getShape()))
        extent = extent == here ? here : ShapedType::kDynamic;
    }
    type = declared.clone(shape);
  }
  return types;
}

void mlir::symshape::retypeArguments(func::FuncOp function,
                                     ArrayRef<Type> types) {
  OpBuilder builder(&function.getBody().front(),
                    function.getBody().front().begin());
  for (auto [argument, type] :
       llvm::zip_equal(function.getArguments(), types)) {
    Type old = argument.getType();
    if (old == type)
      continue;
    argument.setType(type);
    Value back = castTo(builder, argument.getLoc(), argument, old);
    argument.replaceAllUsesExcept(back, back.getDefiningOp());
  }
  function.setType(FunctionType::get(function.getContext(), types,
                                     function.getResultTypes()));
}

void mlir::symshape::retypeResults(func::FuncOp function,
                                   ArrayRef<Type> types) {
  function.walk([&](func::ReturnOp op) {
    OpBuilder builder(op);
    for (auto [operand, type] : llvm::zip_equal(op->getOpOperands(), types))
      operand.set(castTo(builder, op.getLoc(), operand.get(), type));
  });
  function.setType(FunctionType::get(function.getContext(),
                                     function.getArgumentTypes(), types));
}

void mlir::symshape::retypeCall(func::CallOp call, func::FuncOp callee) {
  OpBuilder builder(call);
  for (auto [operand, type] :
       llvm::zip_equal(call->getOpOperands(), callee.getArgumentTypes()))
    operand.set(castTo(builder, call.getLoc(), operand.get(), type));
  builder.setInsertionPointAfter(call);
  for (auto [result, type] :
       llvm::zip_equal(call.getResults(), callee.getResultTypes())) {
    Type old = result.getType();
    if (old == type)
      continue;
    result.setType(type);
    Value back = castTo(builder, call.getLoc(), result, old);
    result.replaceAllUsesExcept(back, back.getDefiningOp());
  }
  call.setCallee(callee.getName());
}

void mlir::symshape::retypeCalls(func::FuncOp function) {
  auto uses = function.getSymbolUses(function->getParentOp());
  for (SymbolTable::SymbolUse use : *uses)
    retypeCall(cast<func::CallOp>(use.getUser()), function);
}
