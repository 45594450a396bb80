//===- Broadcasts.cpp - Elementwise ops that broadcast --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `broadcast_add` and the like of chlo: as NumPy does it, the last axes of the
// operands are those of the result, unless the op says which ones are. An open
// extent may be 1 at run time, and then repeats.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::symshape::stablehlo;

namespace {
struct Broadcasted {
  Value tensor;
  SmallVector<int64_t> dims; ///< the axis of the result of each of its axes
  SmallVector<OpFoldResult> sizes;
};
} // namespace

static FailureOr<Broadcasted> readOperand(Node &n, size_t i, int64_t rank) {
  Value x = n.tensor(i);
  int64_t own = n.rank(i);
  if (!x || own > rank)
    return n.fail("expected operands of no higher rank than the result");
  Broadcasted result{x, {}, n.extents(x)};
  if (own < rank && n.attribute("broadcast_dimensions"))
    result.dims = n.axes("broadcast_dimensions", rank);
  else
    result.dims = llvm::to_vector(llvm::seq(rank - own, rank));
  if (static_cast<int64_t>(result.dims.size()) != own)
    return n.fail("expected an axis of the result per axis of operand " +
                  Twine(i));
  return result;
}

/// A constant other than 1 is the extent. Null, after an error, where two are.
static OpFoldResult joinExtents(Node &n, OpFoldResult x, OpFoldResult y) {
  auto left = getConstantIntValue(x), right = getConstantIntValue(y);
  if (left == 1 || (right && right != 1 && !left))
    return y;
  if (left && right && right != 1 && left != right)
    return (void)n.fail("expected extents that broadcast, but got " +
                        Twine(*left) + " and " + Twine(*right)),
           OpFoldResult();
  return left || right || x == y
             ? x
             : n.importer.sizes.expression("bc(p, q)", x, y);
}

/// `x` with axis `axis` repeated up to `extent` if its own one is 1 in a run.
static Value stretch(Node &n, Value x, int64_t axis, OpFoldResult extent) {
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<OpFoldResult> sizes = n.extents(x);
  Value isOne =
      arith::CmpIOp::create(n.b, n.loc, arith::CmpIPredicate::eq,
                            n.index(sizes[axis]), n.index(n.b.getIndexAttr(1)));
  sizes[axis] = extent;
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = 1;
  Type unit = type.clone(shape);
  shape[axis] = getConstantIntValue(extent).value_or(ShapedType::kDynamic);
  auto branch = scf::IfOp::create(n.b, n.loc, type.clone(shape), isOne, true);
  OpBuilder::InsertionGuard guard(n.b);
  n.b.setInsertionPointToStart(branch.thenBlock());
  Value repeated = n.broadcast(n.cast(x, unit), sizes,
                               llvm::to_vector(llvm::seq(type.getRank())));
  scf::YieldOp::create(n.b, n.loc, n.cast(repeated, type.clone(shape)));
  n.b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(n.b, n.loc, n.cast(x, type.clone(shape)));
  return branch.getResult(0);
}

static LogicalResult broadcasting(Node &n) {
  auto declared = n.resultType();
  if (!declared)
    return failure();
  int64_t rank = declared.getRank();
  SmallVector<Broadcasted> operands;
  OpFoldResult one = n.b.getIndexAttr(1);
  SmallVector<OpFoldResult> sizes(rank, one);
  for (size_t i = 0; i < n.count(); ++i) {
    auto operand = readOperand(n, i, rank);
    if (failed(operand))
      return failure();
    for (auto [dim, size] : llvm::zip(operand->dims, operand->sizes)) {
      sizes[dim] = joinExtents(n, sizes[dim], size);
      if (!sizes[dim])
        return failure();
    }
    operands.push_back(std::move(*operand));
  }
  SmallVector<Value> tensors;
  for (Broadcasted &operand : operands) {
    Value x = operand.tensor;
    auto type = cast<RankedTensorType>(x.getType());
    bool repeats = type.getRank() < rank;
    for (auto [axis, dim] : llvm::enumerate(operand.dims)) {
      if (type.isDynamicDim(axis) && operand.sizes[axis] != sizes[dim])
        x = stretch(n, x, axis, sizes[dim]);
      repeats |= type.getDimSize(axis) == 1 && sizes[dim] != one;
    }
    tensors.push_back(repeats ? n.broadcast(x, sizes, operand.dims) : x);
  }
  return computeElementwise(n, n.name.drop_front(strlen("broadcast_")),
                            std::move(tensors));
}

void mlir::symshape::stablehlo::addBroadcastOps(Registry &registry) {
  constexpr StringLiteral names =
      "add and atan2 compare complex divide maximum minimum multiply "
      "next_after or polygamma power remainder shift_left "
      "shift_right_arithmetic shift_right_logical subtract xor zeta";
  for (StringRef name : llvm::split(names, ' '))
    registry[("broadcast_" + name).str()] = Definition{broadcasting, 2, 1};
  registry["broadcast_select"] = Definition{broadcasting, 3, 1};
}
