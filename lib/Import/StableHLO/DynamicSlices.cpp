//===- DynamicSlices.cpp - Slices at starts that are data -----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Start indices are clamped, so that each slice lies within its operand.
//
//===----------------------------------------------------------------------===//

#include "Node.h"
#include "symshape/IR/SymShape.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::stablehlo;

/// The starts, which are the operands from `first` on.
static std::optional<SmallVector<Value>> readStarts(Node &n, size_t first) {
  SmallVector<Value> starts;
  if (static_cast<int64_t>(n.count() - first) != n.rank(0)) {
    (void)n.fail("expected a start per axis");
    return std::nullopt;
  }
  for (size_t i = first; i < n.count(); ++i) {
    auto start = n.list(i, 1);
    if (!start)
      return std::nullopt;
    starts.push_back(n.index(start->front().value));
  }
  return starts;
}

static LogicalResult dynamicSlice(Node &n) {
  Value x = n.tensor(0);
  auto starts = readStarts(n, 1);
  if (!x || !starts)
    return failure();
  auto source = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> sizes = n.ints("slice_sizes", source.getRank());
  for (auto [size, extent] : llvm::zip(sizes, source.getShape()))
    if (size < 0 || (!ShapedType::isDynamic(extent) && size > extent))
      return n.fail("expected a slice that fits the operand");
  return n.set(0,
               n.b.createOrFold<DynamicSliceOp>(n.loc, source.clone(sizes), x,
                                                *starts, ValueRange(), sizes));
}

static LogicalResult dynamicUpdateSlice(Node &n) {
  Value x = n.tensor(0), update = n.tensor(1);
  auto starts = readStarts(n, 2);
  if (!x || !update || !starts)
    return failure();
  if (n.rank(0) != n.rank(1) || n.element(0) != n.element(1))
    return n.fail("expected an update of the rank and type of the operand");
  for (int64_t i = 0; i < n.rank(0); ++i)
    if (!n.type(0).isDynamicDim(i) && !n.type(1).isDynamicDim(i) &&
        n.type(1).getDimSize(i) > n.type(0).getDimSize(i))
      return n.fail("expected an update that fits the operand");
  return n.set(0, n.b.createOrFold<DynamicUpdateSliceOp>(n.loc, x.getType(),
                                                         update, x, *starts));
}

void mlir::symshape::stablehlo::addDynamicSliceOps(Registry &registry) {
  registry["dynamic_slice"] = Definition{dynamicSlice, ~1, 1};
  registry["dynamic_update_slice"] = Definition{dynamicUpdateSlice, ~2, 1};
}
