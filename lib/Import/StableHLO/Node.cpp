//===- Node.cpp - An op that is being imported ----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands, attributes and results. Code that ops have in common is in
// NodeCode.cpp.
//
//===----------------------------------------------------------------------===//

#include "Node.h"
#include "Quantized.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;
using namespace mlir::symshape::stablehlo;

LogicalResult Node::fail(const Twine &message) {
  return importer.fail("cannot import '" + name + "': " + message);
}

SmallVector<OpFoldResult>
mlir::symshape::stablehlo::valuesOf(ArrayRef<Size> sizes) {
  return llvm::map_to_vector(sizes, [](const Size &s) { return s.value; });
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Operand *Node::operand(size_t i) {
  Operand *known = i < count() ? importer.lookup(op->getOperand(i)) : nullptr;
  if (!known)
    (void)fail("expected operand " + Twine(i) + " to be a tensor");
  return known;
}

RankedTensorType Node::type(size_t i) {
  auto type = i < count()
                  ? dyn_cast<RankedTensorType>(op->getOperand(i).getType())
                  : nullptr;
  if (!type)
    (void)fail("expected operand " + Twine(i) + " to be a tensor");
  return type && isOnFloats ? llvm::cast<RankedTensorType>(expressed(type))
                            : type;
}

Type Node::element(size_t i) {
  auto tensor = type(i);
  return tensor ? tensor.getElementType() : b.getF32Type();
}

int64_t Node::rank(size_t i) {
  auto tensor = type(i);
  return tensor ? tensor.getRank() : 0;
}

Value Node::tensor(size_t i) {
  Operand *known = operand(i);
  Value made =
      known && type(i) ? importer.tensorOf(*known, element(i)) : Value();
  if (!made || !isOnFloats)
    return made;
  auto quantized = dyn_cast<quant::QuantizedType>(
      getElementTypeOrSelf(op->getOperand(i).getType()));
  return quantized ? dequantizeTensor(*this, made, quantized) : made;
}

Value Node::scalar(size_t i) {
  Value x = tensor(i);
  if (!x)
    return x;
  if (llvm::cast<RankedTensorType>(x.getType()).getRank() != 0)
    return (void)fail("expected operand " + Twine(i) + " to be a scalar"),
           Value();
  return b.createOrFold<tensor::ExtractOp>(loc, x, ValueRange());
}

std::optional<SizeList> Node::list(size_t i, int64_t length) {
  Operand *known = operand(i);
  auto source = type(i);
  if (!known || !source)
    return std::nullopt;
  bool fits = source.hasStaticShape() && source.getNumElements() == length;
  if (!fits || !source.getElementType().isInteger()) {
    (void)fail("expected operand " + Twine(i) + " to be " + Twine(length) +
               " integers");
    return std::nullopt;
  }
  if (known->sizes) {
    SizeList exact;
    for (const Size &size : *known->sizes)
      exact.push_back(importer.sizes.exact(size, source.getElementType()));
    return exact;
  }
  Value x = tensor(i);
  SizeList sizes;
  for (int64_t k = 0; k < length; ++k) {
    SmallVector<Value> at;
    int64_t rest = length, place = k;
    for (int64_t extent : source.getShape()) {
      rest /= extent;
      at.push_back(index(b.getIndexAttr(place / rest)));
      place %= rest;
    }
    Value element = b.createOrFold<tensor::ExtractOp>(loc, x, at);
    bool noSign = source.getElementType().isUnsignedInteger();
    sizes.push_back(importer.sizes.any(
        noSign ? b.createOrFold<arith::IndexCastUIOp>(loc, b.getIndexType(),
                                                      element)
               : b.createOrFold<arith::IndexCastOp>(loc, b.getIndexType(),
                                                    element)));
  }
  return sizes;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

SmallVector<int64_t> Node::ints(StringRef attrName,
                                std::optional<int64_t> length) {
  Attribute value = attribute(attrName);
  SmallVector<int64_t> list;
  if (auto array = dyn_cast_or_null<DenseI64ArrayAttr>(value)) {
    list.assign(array.asArrayRef().begin(), array.asArrayRef().end());
  } else if (auto dense = dyn_cast_or_null<DenseIntElementsAttr>(value)) {
    if (dense.getElementType().getIntOrFloatBitWidth() <= 64 &&
        dense.getNumElements() < (1 << 16))
      for (const APInt &number : dense.getValues<APInt>())
        list.push_back(number.getSExtValue());
  } else {
    (void)fail("expected integers as '" + attrName + "'");
    return SmallVector<int64_t>(length.value_or(0), 1);
  }
  if (length && static_cast<int64_t>(list.size()) != *length) {
    (void)fail("expected " + Twine(*length) + " integers as '" + attrName +
               "', but got " + Twine(list.size()));
    list.resize(*length, 1);
  }
  return list;
}

SmallVector<int64_t> Node::axes(StringRef attrName, int64_t bound) {
  SmallVector<int64_t> list = ints(attrName);
  for (size_t i = 0; i < list.size(); ++i)
    if (list[i] < 0 || list[i] >= bound ||
        llvm::is_contained(ArrayRef(list).take_front(i), list[i])) {
      (void)fail("expected different axes from 0 to " + Twine(bound - 1) +
                 " as '" + attrName + "'");
      return {};
    }
  return list;
}

int64_t Node::integer(StringRef attrName, int64_t least, int64_t most) {
  auto number = dyn_cast_or_null<IntegerAttr>(attribute(attrName));
  if (number && number.getValue().getSignificantBits() <= 64) {
    int64_t value = number.getValue().getSExtValue();
    if (value >= least && value <= most)
      return value;
  }
  (void)fail("expected a number from " + Twine(least) + " to " + Twine(most) +
             " as '" + attrName + "'");
  return least;
}

StringRef Node::word(StringRef attrName) {
  auto text = dyn_cast_or_null<StringAttr>(attribute(attrName));
  return text ? text.getValue() : "";
}

bool Node::flag(StringRef attrName) {
  auto value = dyn_cast_or_null<BoolAttr>(attribute(attrName));
  return value && value.getValue();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

RankedTensorType Node::resultType(size_t i) {
  auto type = i < op->getNumResults()
                  ? dyn_cast<RankedTensorType>(op->getResult(i).getType())
                  : nullptr;
  if (!type)
    (void)fail("expected result " + Twine(i) + " to be a tensor");
  return type && isOnFloats ? llvm::cast<RankedTensorType>(expressed(type))
                            : type;
}

Type Node::resultElement(size_t i) {
  auto tensor = resultType(i);
  return tensor ? tensor.getElementType() : b.getF32Type();
}

std::optional<SmallVector<OpFoldResult>> Node::staticSizes(size_t i) {
  auto type = resultType(i);
  if (!type || !type.hasStaticShape()) {
    (void)fail("expected a result of static extents");
    return std::nullopt;
  }
  return getAsIndexOpFoldResult(b.getContext(), type.getShape());
}

std::optional<SmallVector<OpFoldResult>> Node::resultSizes(size_t i,
                                                           size_t list) {
  auto type = resultType(i);
  if (!type)
    return std::nullopt;
  auto sizes = this->list(list, type.getRank());
  if (!sizes)
    return std::nullopt;
  SmallVector<OpFoldResult> values = valuesOf(*sizes);
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    if (!type.isDynamicDim(axis))
      values[axis] = b.getIndexAttr(type.getDimSize(axis));
  return values;
}

LogicalResult Node::set(size_t i, Value tensor) {
  return set(i, Operand{tensor, std::nullopt, {}});
}

LogicalResult Node::set(size_t i, SizeList sizes) {
  auto declared = resultType(i);
  SmallVector<int64_t, 2> shape;
  if (declared)
    shape.assign(declared.getShape().begin(), declared.getShape().end());
  if (shape.size() == 1)
    shape[0] = sizes.size();
  return set(i, Operand{Value(), std::move(sizes), shape});
}

/// Keeps extents that the artifact declares, and those that are known here.
LogicalResult Node::set(size_t i, Operand operand) {
  auto declared = resultType(i);
  if (hasFailed() || !declared)
    return failure();
  if (operand.tensor) {
    auto type = llvm::cast<RankedTensorType>(operand.tensor.getType());
    auto expected = llvm::cast<RankedTensorType>(signless(declared));
    if (type.getElementType() != expected.getElementType() ||
        failed(verifyCompatibleShape(type, expected)))
      return fail("expected a result of type " + llvm::to_string(declared) +
                  ", but got " + llvm::to_string(type));
    SmallVector<int64_t> shape(type.getShape());
    for (auto [extent, other] : llvm::zip(shape, expected.getShape()))
      if (ShapedType::isDynamic(extent))
        extent = other;
    operand.tensor = cast(operand.tensor, type.clone(shape));
    auto quantized = dyn_cast<quant::QuantizedType>(
        getElementTypeOrSelf(op->getResult(i).getType()));
    if (isOnFloats && quantized)
      operand.tensor = quantizeTensor(*this, operand.tensor, quantized);
    if (!operand.tensor)
      return failure();
  } else if (operand.sizes) {
    int64_t length = operand.sizes->size();
    auto own = RankedTensorType::get(operand.shape, b.getI64Type());
    bool fits = own.hasStaticShape() && own.getNumElements() == length &&
                succeeded(verifyCompatibleShape(own, declared));
    if (!fits)
      return fail("expected a result of type " + llvm::to_string(declared) +
                  ", but got " + Twine(length) + " integers");
  }
  importer.define(op->getResult(i), std::move(operand));
  return success();
}

LogicalResult Node::setAll(ArrayRef<Operand> operands) {
  if (operands.size() != op->getNumResults())
    return fail("expected " + Twine(op->getNumResults()) +
                " results, but got " + Twine(operands.size()));
  for (auto [i, operand] : llvm::enumerate(operands))
    if (failed(set(i, operand)))
      return failure();
  return success();
}

LogicalResult Node::setAll(ValueRange tensors) {
  return setAll(llvm::map_to_vector(
      tensors, [](Value tensor) { return Operand{tensor, std::nullopt, {}}; }));
}
