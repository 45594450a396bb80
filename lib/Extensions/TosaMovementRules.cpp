//===- TosaMovementRules.cpp - Rules of tosa ops that move elements -------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Concatenation, reshapes, slices, pads, transposes, gather and scatter. Not
// for: what indices point at, which data decides (LowerTosa.cpp).
//
//===----------------------------------------------------------------------===//

#include "TosaRules.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"

using namespace mlir;
using namespace mlir::symshape;

static int64_t rankOf(Value tensor) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  return type ? type.getRank() : -1;
}

static void concatRule(tosa::ConcatOp op, ShapeFacts &facts) {
  Value output = op.getOutput();
  int64_t axis = op.getAxis(), rank = rankOf(output);
  if (!llvm::all_of(op.getInput1(), [&](Value v) { return rankOf(v) == rank; }))
    return;
  for (int64_t d = 0; d < rank; ++d) {
    std::string field = "dimension " + std::to_string(d);
    Expr extent = facts.dim(op.getInput1().front(), d);
    if (d == axis) {
      for (Value input : llvm::drop_begin(op.getInput1()))
        extent = extent + facts.dim(input, d);
      setOrRequire(facts, output, d, extent, "result " + field);
      continue;
    }
    for (Value input : op.getInput1())
      if (facts.dim(input, d).isConstant())
        extent = facts.dim(input, d);
    for (auto [i, input] : llvm::enumerate(op.getInput1()))
      requireEqual(facts, facts.dim(input, d), extent,
                   field + " of operand " + Twine(i));
    setOrRequire(facts, output, d, extent, "result " + field);
  }
}

/// One target extent may be -1: what the others leave, as in NumPy.
static void reshapeRule(tosa::ReshapeOp op, ShapeFacts &facts) {
  Value input = op.getInput1(), output = op.getOutput();
  int64_t rank = rankOf(output);
  if (rank < 0 || rankOf(input) < 0)
    return;
  Expr count = product(facts, facts.dims(input));
  SmallVector<Expr> target;
  std::optional<int64_t> open;
  for (int64_t d = 0; d < rank; ++d) {
    Expr e = shapeElement(facts, op.getShape(), d);
    if (e && e.isConstant(-1)) {
      open = d;
      e = facts.constant(1);
    }
    target.push_back(e ? e : facts.dim(output, d));
  }
  if (open) {
    SmallVector<Expr> others(target);
    others.erase(others.begin() + *open);
    Expr known = product(facts, others);
    requireAtLeast(facts, known, 1, "extents beside -1");
    target[*open] = facts.arena().floorDiv(count, known);
  }
  for (auto [d, e] : llvm::enumerate(target)) {
    std::string field = "target extent of dimension " + std::to_string(d);
    requireAtLeast(facts, e, 0, field);
    if (e != facts.dim(output, d))
      setOrRequire(facts, output, d, e, field);
  }
  requireProduct(facts, target, count, "element count");
}

/// A size of -1 means up to the end.
static void sliceRule(tosa::SliceOp op, ShapeFacts &facts) {
  Value input = op.getInput1(), output = op.getOutput();
  int64_t rank = rankOf(output);
  if (rank < 0 || rankOf(input) != rank)
    return;
  for (int64_t d = 0; d < rank; ++d) {
    std::string axis = " of dimension " + std::to_string(d);
    Expr extent = facts.dim(input, d);
    Expr start = shapeElement(facts, op.getStart(), d);
    Expr size = shapeElement(facts, op.getSize(), d);
    if (size && size.isConstant(-1))
      size = start ? extent - start : Expr();
    if (!size)
      size = facts.dim(output, d);
    requireAtLeast(facts, size, 0, "size" + axis);
    if (size != facts.dim(output, d))
      setOrRequire(facts, output, d, size, "size" + axis);
    if (!start) {
      facts.require(Formula::opaque(), "start" + axis);
      continue;
    }
    requireAtLeast(facts, start, 0, "start" + axis);
    facts.require(Relation::le(start + size, extent), "slice" + axis);
  }
}

/// The number of elements before and after each dimension.
static void padRule(tosa::PadOp op, ShapeFacts &facts) {
  Value input = op.getInput1(), output = op.getOutput();
  int64_t rank = rankOf(output);
  if (rank < 0 || rankOf(input) != rank)
    return;
  for (int64_t d = 0; d < rank; ++d) {
    std::string field = "padding of dimension " + std::to_string(d);
    Expr extent = facts.dim(input, d);
    for (int64_t side : {0, 1}) {
      Expr e = shapeElement(facts, op.getPadding(), 2 * d + side);
      if (e)
        requireAtLeast(facts, e, 0, field);
      extent = extent && e ? extent + e : Expr();
    }
    if (extent)
      setOrRequire(facts, output, d, extent, "result dimension " + Twine(d));
  }
}

static void tileRule(tosa::TileOp op, ShapeFacts &facts) {
  Value input = op.getInput1(), output = op.getOutput();
  int64_t rank = rankOf(output);
  if (rank < 0 || rankOf(input) != rank)
    return;
  for (int64_t d = 0; d < rank; ++d) {
    Expr times = shapeElement(facts, op.getMultiples(), d);
    if (!times)
      continue;
    requireAtLeast(facts, times, 0, "multiple of dimension " + Twine(d));
    setOrRequire(facts, output, d, facts.dim(input, d) * times,
                 "result dimension " + Twine(d));
  }
}

static void transposeRule(tosa::TransposeOp op, ShapeFacts &facts) {
  Value input = op.getInput1(), output = op.getOutput();
  if (rankOf(output) < 0 || rankOf(input) < 0)
    return;
  for (auto [d, source] : llvm::enumerate(op.getPerms()))
    setOrRequire(facts, output, d, facts.dim(input, source),
                 "result dimension " + Twine(d));
}

static void gatherRule(tosa::GatherOp op, ShapeFacts &facts) {
  Value values = op.getValues(), indices = op.getIndices(),
        output = op.getOutput();
  if (rankOf(values) != 3 || rankOf(indices) != 2 || rankOf(output) != 3)
    return;
  requireEqual(facts, facts.dim(values, 0), facts.dim(indices, 0),
               "batch dimension");
  setOrRequire(facts, output, 0, facts.dim(values, 0), "result dimension 0");
  setOrRequire(facts, output, 1, facts.dim(indices, 1), "result dimension 1");
  setOrRequire(facts, output, 2, facts.dim(values, 2), "result dimension 2");
}

/// No place is written twice: there are at most as many indices as places.
static void scatterRule(tosa::ScatterOp op, ShapeFacts &facts) {
  Value values = op.getValuesIn(), indices = op.getIndices(),
        updates = op.getInput(), output = op.getValuesOut();
  if (rankOf(values) != 3 || rankOf(indices) != 2 || rankOf(updates) != 3)
    return;
  requireEqual(facts, facts.dim(values, 0), facts.dim(indices, 0),
               "batch dimension");
  requireEqual(facts, facts.dim(values, 0), facts.dim(updates, 0),
               "batch dimension");
  requireEqual(facts, facts.dim(indices, 1), facts.dim(updates, 1),
               "number of indices");
  facts.require(Relation::le(facts.dim(indices, 1), facts.dim(values, 1)),
                "indices beside places");
  requireEqual(facts, facts.dim(values, 2), facts.dim(updates, 2), "channels");
  (void)setSameExtents(facts, values, output);
}

void symshape::attachTosaMovementRules(MLIRContext *context) {
  attachRule<tosa::ConcatOp, concatRule>(context);
  attachRule<tosa::GatherOp, gatherRule>(context);
  attachRule<tosa::PadOp, padRule>(context);
  attachRule<tosa::ReshapeOp, reshapeRule>(context);
  attachRule<tosa::ScatterOp, scatterRule>(context);
  attachRule<tosa::SliceOp, sliceRule>(context);
  attachRule<tosa::TileOp, tileRule>(context);
  attachRule<tosa::TransposeOp, transposeRule>(context);
}
