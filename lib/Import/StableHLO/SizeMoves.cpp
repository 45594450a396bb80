//===- SizeMoves.cpp - Movements that keep sizes --------------------------
//===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is a list of sizes stays one through ops that move its elements.
//
//===----------------------------------------------------------------------===//

#include "SizeMoves.h"

using namespace mlir;
using namespace mlir::symshape::stablehlo;

/// Whether the result of an op on sizes is a list of so many.
static bool canHold(Node &n, int64_t length) {
  auto type = n.resultType();
  if (!type || type.getRank() > 2 || length > mostSizes)
    return false;
  return type.hasStaticShape() ? type.getNumElements() == length
                               : type.getRank() == 1;
}

std::optional<LogicalResult> mlir::symshape::stablehlo::reshapeSizes(Node &n) {
  if (!n.isList(0) || !canHold(n, n.operand(0)->sizes->size()))
    return std::nullopt;
  return n.set(0, *n.operand(0)->sizes);
}

std::optional<LogicalResult>
mlir::symshape::stablehlo::concatenateSizes(Node &n) {
  SizeList all;
  auto axis = dyn_cast_or_null<IntegerAttr>(n.attribute("dimension"));
  if (!axis || !axis.getValue().isZero())
    return std::nullopt;
  for (size_t i = 0; i < n.count(); ++i) {
    if (!n.isList(i) || n.rank(i) == 0)
      return std::nullopt;
    all.append(*n.operand(i)->sizes);
  }
  if (!canHold(n, all.size()))
    return std::nullopt;
  return n.set(0, all);
}

std::optional<LogicalResult> mlir::symshape::stablehlo::sliceSizes(Node &n) {
  if (!n.isList(0) || n.rank(0) != 1)
    return std::nullopt;
  const SizeList &x = *n.operand(0)->sizes;
  int64_t from = n.ints("start_indices", 1)[0];
  int64_t to = n.ints("limit_indices", 1)[0], step = n.ints("strides", 1)[0];
  if (n.hasFailed() || from < 0 || to > static_cast<int64_t>(x.size()) ||
      from > to || step < 1)
    return std::nullopt;
  SizeList part;
  for (int64_t i = from; i < to; i += step)
    part.push_back(x[i]);
  if (!canHold(n, part.size()))
    return std::nullopt;
  return n.set(0, part);
}

std::optional<LogicalResult>
mlir::symshape::stablehlo::broadcastSizes(Node &n) {
  auto type = n.resultType();
  if (!type || !n.isList(0) || n.rank(0) > 1 || type.getRank() != 1 ||
      type.isDynamicDim(0))
    return std::nullopt;
  SizeList x = *n.operand(0)->sizes;
  int64_t length = type.getDimSize(0);
  if (x.size() == 1)
    x.assign(std::min(length, mostSizes + 1), Size(x.front()));
  if (!canHold(n, x.size()))
    return std::nullopt;
  return n.set(0, x);
}
