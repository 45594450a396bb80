//===- ContractionRemarks.cpp - How a contraction is lowered --------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Remarks follow from the op and the tile alone, by the same tests as in the
// lowering.
//
//===----------------------------------------------------------------------===//

#include "ContractionRemarks.h"

#include "ContractionKernel.h"
#include "SharedFunctions.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::symshape;

static remark::RemarkOpts getOptions() {
  return remark::RemarkOpts::name("contraction")
      .category("symshape-lower-contractions");
}

void symshape::reportContractionNeed(ContractOp op, const Twine &need) {
  remark::missed(op.getLoc(), getOptions()) << ("needs: " + need).str();
}

/// The argument of the function around `op` that is, as a whole, its right
/// operand; null if none is. A part of an argument may be computed by the
/// function: its arena is an argument too.
static BlockArgument findArgument(ContractOp op) {
  Value buffer = op.getRhs();
  while (isa_and_nonnull<memref::CastOp, memref::CollapseShapeOp,
                         memref::ExpandShapeOp>(buffer.getDefiningOp()))
    buffer = buffer.getDefiningOp()->getOperand(0);
  auto argument = dyn_cast<BlockArgument>(buffer);
  auto function = op->getParentOfType<func::FuncOp>();
  bool isOfFunction =
      argument && function && argument.getOwner()->getParentOp() == function;
  return isOfFunction ? argument : nullptr;
}

static StringRef describeRightOperand(ContractOp op) {
  switch (findTile(op).getPacking()) {
  case Packing::ByPanel:
    if (op.isGrouped())
      return "right operand copied panel by panel, in groups of terms";
    return "right operand copied panel by panel, or read in place where the "
           "panel is whole and three tiles of rows at most read it";
  case Packing::InPlace:
    return "right operand read in place, its terms in vectors";
  case Packing::InCall:
    return "right operand packed in the call";
  case Packing::BeforeLoop:
    return "right operand packed before the loop";
  case Packing::BeforeCall:
    return "right operand packed before the call";
  }
  llvm_unreachable("all cases return");
}

static void describeColumns(raw_ostream &os, ContractOp op, int64_t width) {
  int64_t columns = cast<MemRefType>(op.getInit().getType()).getShape().back();
  if (hasWholePanels(op, width))
    os << "every panel whole";
  else if (ShapedType::isDynamic(columns))
    os << "last panel bounded";
  else
    os << "last panel of " << columns % width << " columns";
}

static void describeRegion(raw_ostream &os, ContractOp op) {
  size_t number = llvm::range_size(op.getBody().front().without_terminator());
  if (number == 0)
    os << "nothing fused";
  else
    os << number << (number == 1 ? " operation" : " operations")
       << " fused, on each tile";
}

/// A weight is packed ahead of the calls. Only an argument of a public function
/// can be declared one.
static void reportMissingWeight(ContractOp op) {
  BlockArgument argument = findArgument(op);
  if (op.isPacked() || !argument ||
      op->getParentOfType<func::FuncOp>().isPrivate())
    return;
  reportContractionNeed(
      op, "argument #" + Twine(argument.getArgNumber()) +
              " declared a symshape.weight, if all calls pass the "
              "same; it is then packed once");
}

static void reportMissingColumns(ContractOp op, const TileKernel &kernel) {
  auto type = cast<MemRefType>(op.getInit().getType());
  if (!type.isDynamicDim(type.getRank() - 1) ||
      hasWholePanels(op, kernel.width) ||
      isSharedFunction(op->getParentOfType<func::FuncOp>()))
    return;
  std::string widths = std::to_string(kernel.width);
  if (op.isPacked()) // as wide as forming them chooses by such a fact
    widths += " or " + std::to_string(3 * kernel.lanes);
  reportContractionNeed(
      op, widths + " must divide the number of columns, for panels that "
                   "are all whole");
}

void mlir::symshape::reportContraction(ContractOp op,
                                       const TileKernel &kernel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "tiles of at most " << kernel.maxRows << " x " << kernel.width
     << " sums in " << kernel.sum;
  if (kernel.group > 1)
    os << ", " << kernel.group << " terms at a time";
  if (std::optional<TileKernel> stream = getTileForFewRows(op, kernel))
    os << " (one or two rows: sums in memory, " << stream->streams
       << " rows of the right operand at a time)";
  os << "; " << describeRightOperand(op) << "; ";
  describeColumns(os, op, kernel.width);
  os << "; ";
  describeRegion(os, op);
  remark::passed(op.getLoc(), getOptions()) << text;
  reportMissingWeight(op);
  reportMissingColumns(op, kernel);
}
