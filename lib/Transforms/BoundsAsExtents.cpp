//===- BoundsAsExtents.cpp - Upper bounds that stand for extents ----------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Refuses ops that take the bound of an extent for the extent: such a program
// would run only for the largest input. Not for: other requirements, which are
// checked at run time.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "symshape/IR/Diagnostics.h"
#include "symshape/IR/SymShape.h"
#include "symshape/Transforms/InferShapes.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// A dimension with a known bound, and the bound.
struct BoundedDim {
  Expr symbol;
  Value value;
  int64_t axis;
  Expr bound;
};
} // namespace

/// The bounded dimension that a symbol stands for.
static std::optional<BoundedDim> findBound(FunctionShapes &shapes,
                                           Expr symbol) {
  const SymbolDef *def = shapes.definition(symbol);
  if (!def || def->kind != SymbolDef::Dim)
    return std::nullopt;
  Extent extent = shapes.extent(def->value, def->dim);
  if (extent.kind != Extent::UpperBound)
    return std::nullopt;
  return BoundedDim{symbol, def->value, def->dim, extent.expr};
}

/// The bounded dimension that is required to equal something exact, where the
/// equality holds if the bound is taken for the extent and is not proved
/// otherwise.
static std::optional<BoundedDim> findBoundAsExtent(FunctionShapes &shapes,
                                                   const Relation &relation) {
  if (relation.kind != Relation::Eq)
    return std::nullopt;
  std::optional<BoundedDim> found;
  auto takeBounds = [&](Expr symbol) -> Expr {
    std::optional<BoundedDim> bounded = findBound(shapes, symbol);
    if (!bounded)
      return Expr();
    found = bounded;
    return bounded->bound;
  };
  Expr lhs = shapes.arena().substitute(relation.lhs, takeBounds);
  Expr rhs = shapes.arena().substitute(relation.rhs, takeBounds);
  bool isOneExact = lhs == relation.lhs || rhs == relation.rhs;
  return found && isOneExact && lhs == rhs ? found : std::nullopt;
}

/// Whether the op states its extents, so that a mere bound is at fault.
/// Elementwise ops and contractions do not: their bounded operand must have the
/// extent of the others, which is checked, and is exact from then on.
static bool needsExactExtents(Operation *op) {
  return isa<symshape::ReshapeOp, symshape::BroadcastOp, tensor::ConcatOp>(op);
}

/// The size of a reshape that no exact extent of its source explains.
static std::string fieldOf(FunctionShapes &shapes, symshape::ReshapeOp reshape,
                           StringRef otherwise) {
  SmallVector<Expr> exact;
  auto type = cast<RankedTensorType>(reshape.getSource().getType());
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (shapes.extent(reshape.getSource(), d).kind == Extent::Exact)
      exact.push_back(shapes.dim(reshape.getSource(), d));
  for (auto [d, size] : llvm::enumerate(reshape.getMixedSizes())) {
    auto value = dyn_cast<Value>(size);
    Expr e = value ? shapes.value(value)
                   : shapes.arena().constant(*getConstantIntValue(size));
    auto *place = llvm::find(exact, e);
    if (place == exact.end())
      return "target_shape[" + std::to_string(d) + "]";
    exact.erase(place);
  }
  return otherwise.str();
}

static std::string fieldOf(FunctionShapes &shapes,
                           const Requirement &requirement,
                           const BoundedDim &bounded) {
  if (auto reshape = dyn_cast<symshape::ReshapeOp>(requirement.op))
    return fieldOf(shapes, reshape, requirement.field);
  if (isa<symshape::BroadcastOp>(requirement.op))
    return requirement.field;
  std::string part = partOf(shapes, requirement.op, bounded.symbol);
  return part.empty() ? requirement.field : part;
}

LogicalResult symshape::verifyNoBoundsAsExtents(FunctionShapes &shapes) {
  for (const Requirement &requirement : shapes.requirements()) {
    Operation *op = requirement.op;
    if (requirement.call || requirement.answer.isYes() ||
        requirement.answer.isNo() ||
        requirement.condition.kind != Formula::Literal ||
        !needsExactExtents(op))
      continue;
    std::optional<BoundedDim> bounded =
        findBoundAsExtent(shapes, requirement.condition.relation);
    if (!bounded)
      continue;
    std::string field = fieldOf(shapes, requirement, *bounded);
    InFlightDiagnostic diag = op->emitOpError("expected field '")
                              << field << "' to be exact, but got upper_bound";
    diag.attachNote(bounded->value.getLoc())
        << "dimension " << bounded->axis << " of this value is at most "
        << shapes.expand(bounded->bound).str();
    diag.attachNote() << "use the extent itself, as of tensor.dim, or pad the "
                         "value to its bound";
    diag.attachNote() << makeTriple(primitiveName(op), field, "upper_bound");
    return diag;
  }
  return success();
}
