//===- Exchange.cpp - What calls of the entry exchange --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls exchange real numbers: of a complex tensor the two parts of each
// element, in the order in which NumPy and XLA keep them. And the memory of
// arguments, where a program proposes that.
//
//===----------------------------------------------------------------------===//

#include "Exchange.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "symshape/IR/Donation.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace mlir::symshape;
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

void mlir::symshape::stablehlo::proposeDonations(Operation *entry,
                                                 func::FuncOp function) {
  auto attributes = entry->getAttrOfType<ArrayAttr>("arg_attrs");
  if (!attributes || attributes.size() != function.getNumArguments())
    return;
  Builder b(entry->getContext());
  llvm::BitVector isTaken(function.getNumResults());
  auto propose = [&](unsigned argument, uint64_t result) {
    if (result >= isTaken.size() || isTaken.test(result) ||
        function.getArgumentTypes()[argument] !=
            function.getResultTypes()[result])
      return false;
    isTaken.set(result);
    function.setArgAttr(argument, kDonatable, b.getI64IntegerAttr(result));
    return true;
  };
  auto get = [&](unsigned i, StringRef name) -> Attribute {
    auto all = dyn_cast<DictionaryAttr>(attributes[i]);
    return all ? all.get(name) : Attribute();
  };
  for (unsigned i = 0; i < attributes.size(); ++i)
    if (auto number =
            dyn_cast_or_null<IntegerAttr>(get(i, "tf.aliasing_output")))
      propose(i, number.getValue().getLimitedValue());
  for (unsigned i = 0; i < attributes.size(); ++i)
    if (auto donor = dyn_cast_or_null<BoolAttr>(get(i, "jax.buffer_donor"));
        donor && donor.getValue() && !function.getArgAttr(i, kDonatable))
      for (unsigned result = 0; result < isTaken.size(); ++result)
        if (propose(i, result))
          break;
}
