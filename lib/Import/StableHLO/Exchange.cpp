//===- Exchange.cpp - Complex tensors at the entry ------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls exchange real numbers: of a complex tensor the two parts of each
// element, in the order in which NumPy and XLA keep them.
//
//===----------------------------------------------------------------------===//

#include "Exchange.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::symshape::stablehlo;

RankedTensorType
mlir::symshape::stablehlo::exchangedType(RankedTensorType type) {
  auto complex = dyn_cast<ComplexType>(type.getElementType());
  if (!complex)
    return cast<RankedTensorType>(signless(type));
  SmallVector<int64_t> shape(type.getShape());
  shape.push_back(2);
  return RankedTensorType::get(shape, complex.getElementType());
}

Value mlir::symshape::stablehlo::toExchanged(Node &n, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  auto complex = dyn_cast<ComplexType>(type.getElementType());
  if (!complex)
    return tensor;
  SmallVector<OpFoldResult> sizes = n.extents(tensor);
  sizes.push_back(n.b.getIndexAttr(2));
  Value zero = n.index(n.b.getIndexAttr(0));
  return n.generate(
      sizes, complex.getElementType(),
      [&](OpBuilder &b, Location loc, ValueRange at) -> Value {
        Value v = tensor::ExtractOp::create(b, loc, tensor, at.drop_back());
        Value isReal = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                             at.back(), zero);
        return arith::SelectOp::create(b, loc, isReal,
                                       complex::ReOp::create(b, loc, v),
                                       complex::ImOp::create(b, loc, v));
      });
}

Value mlir::symshape::stablehlo::fromExchanged(Node &n, Value tensor,
                                               RankedTensorType type) {
  auto complex = dyn_cast<ComplexType>(type.getElementType());
  if (!complex)
    return tensor;
  SmallVector<OpFoldResult> sizes = n.extents(tensor);
  sizes.pop_back();
  Value zero = n.index(n.b.getIndexAttr(0)), one = n.index(n.b.getIndexAttr(1));
  return n.generate(sizes, complex,
                    [&](OpBuilder &b, Location loc, ValueRange at) -> Value {
                      auto part = [&](Value which) -> Value {
                        SmallVector<Value> place(at);
                        place.push_back(which);
                        return tensor::ExtractOp::create(b, loc, tensor, place);
                      };
                      return complex::CreateOp::create(b, loc, complex,
                                                       part(zero), part(one));
                    });
}
