//===- SizeOps.cpp - Constants and extents -------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where sizes come from.
//
//===----------------------------------------------------------------------===//

#include "Scalars.h"
#include "SizeMoves.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::symshape::stablehlo;

/// The sizes of a small constant of integers with a sign, or booleans.
static std::optional<SizeList> sizesOf(Node &n, DenseElementsAttr value) {
  auto type = cast<RankedTensorType>(value.getType());
  Type element = type.getElementType();
  if (type.getRank() > 2 || type.getNumElements() > mostSizes ||
      !element.isSignlessInteger())
    return std::nullopt;
  SizeList sizes;
  for (const APInt &number : value.getValues<APInt>())
    sizes.push_back(element.isInteger(1)
                        ? n.importer.sizes.truth(number.isOne())
                        : n.importer.sizes.constant(number.getSExtValue()));
  return sizes;
}

static LogicalResult constant(Node &n) {
  auto value = dyn_cast_or_null<DenseElementsAttr>(n.attribute("value"));
  auto declared = n.resultType();
  bool isQuantized =
      declared && isa<quant::QuantizedType>(declared.getElementType());
  // Of a quantized one, what is stored.
  if (!value || !declared ||
      (isQuantized ? signless(value.getType()) != signless(declared)
                   : value.getType() != declared))
    return n.fail("expected a value of the type of the result");
  auto sizes = isQuantized ? std::nullopt : sizesOf(n, value);
  Type element = value.getElementType();
  if (element != signless(element))
    value = value.bitcast(signless(element));
  Value tensor = arith::ConstantOp::create(n.b, n.loc, value);
  return n.set(
      0, Operand{tensor, sizes, SmallVector<int64_t, 2>(declared.getShape())});
}

static LogicalResult getDimensionSize(Node &n) {
  Value x = n.tensor(0);
  if (!x)
    return failure();
  int64_t axis = n.integer("dimension", 0, n.rank(0) - 1);
  if (n.hasFailed() || n.rank(0) == 0)
    return failure();
  return n.set(0, SizeList{n.importer.sizes.extent(n.extent(x, axis))});
}

void mlir::symshape::stablehlo::addSizeOps(Registry &registry) {
  registry["constant"] = Definition{constant, 0, 1};
  registry["get_dimension_size"] = Definition{getDimensionSize, 1, 1};
}
