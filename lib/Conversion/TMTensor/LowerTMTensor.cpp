//===- LowerTMTensor.cpp - From tm_tensor to ops of the dialect -----------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass, scans and scatters. Not for: sort and topk (Orders.cpp), attention
// (Attention.cpp).
//
//===----------------------------------------------------------------------===//

#include "TMTensorLowering.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "symshape/Conversion/Passes.h"
#include "symshape/IR/Slices.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_LOWERTMTENSORPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

static RankedTensorType typeOfTensor(Value tensor) {
  return cast<RankedTensorType>(tensor.getType());
}

//===----------------------------------------------------------------------===//
// What all share
//===----------------------------------------------------------------------===//

LogicalResult TMTensorLowering::requireEqual(Value lhs, int64_t lhsAxis,
                                             Value rhs, int64_t rhsAxis,
                                             StringRef what) {
  int64_t left = typeOfTensor(lhs).getDimSize(lhsAxis);
  int64_t right = typeOfTensor(rhs).getDimSize(rhsAxis);
  bool isStatic = !ShapedType::isDynamic(left) && !ShapedType::isDynamic(right);
  if (isStatic && left != right)
    return op->emitOpError("expected equal extents of ")
           << what << ", but got " << left << " and " << right;
  if (isStatic || (lhs == rhs && lhsAxis == rhsAxis))
    return success();
  AssertOp::create(b, loc, "a == b",
                   {{"a", extent(lhs, lhsAxis)}, {"b", extent(rhs, rhsAxis)}},
                   "extents of " + what + " must be equal");
  return success();
}

LogicalResult TMTensorLowering::requireSameExtents(Value lhs, Value rhs,
                                                   StringRef what,
                                                   int64_t except) {
  for (int64_t d = 0; d < typeOfTensor(lhs).getRank(); ++d)
    if (d != except && failed(requireEqual(lhs, d, rhs, d, what)))
      return failure();
  return success();
}

LogicalResult TMTensorLowering::replace(ValueRange results) {
  SmallVector<Value> casts;
  for (auto [result, type] : llvm::zip_equal(results, op->getResultTypes())) {
    Value signs = llvm::is_contained(flipped, casts.size())
                      ? flipSign(b, loc, result)
                      : result;
    casts.push_back(signs.getType() == type
                        ? signs
                        : tensor::CastOp::create(b, loc, type, signs));
  }
  b.replaceOp(op, casts);
  return success();
}

Value TMTensorLowering::index(int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value TMTensorLowering::extent(Value tensor, int64_t axis) {
  return getValueOrCreateConstantIndexOp(
      b, loc, tensor::getMixedSize(b, loc, tensor, axis));
}

Value TMTensorLowering::constant(Type type, double number) {
  return arith::ConstantOp::create(
      b, loc,
      isa<FloatType>(type) ? TypedAttr(b.getFloatAttr(type, number))
                           : TypedAttr(b.getIntegerAttr(type, number)));
}

Value TMTensorLowering::fill(ArrayRef<OpFoldResult> sizes, Value scalar) {
  Value empty = tensor::EmptyOp::create(b, loc, sizes, scalar.getType());
  return linalg::FillOp::create(b, loc, scalar, empty).getResult(0);
}

Value TMTensorLowering::structured(ValueRange inputs, Value output,
                                   ArrayRef<AffineMap> maps,
                                   ArrayRef<utils::IteratorType> loops,
                                   Body body) {
  return linalg::GenericOp::create(
             b, loc, output.getType(), inputs, output, maps, loops,
             [&](OpBuilder &inner, Location where, ValueRange arguments) {
               linalg::YieldOp::create(inner, where,
                                       body(inner, where, arguments));
             })
      .getResult(0);
}

Value TMTensorLowering::elementwise(ValueRange inputs, Value output,
                                    Body body) {
  int64_t rank = typeOfTensor(output).getRank();
  SmallVector<AffineMap> maps(inputs.size() + 1,
                              b.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  return structured(inputs, output, maps, loops, body);
}

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

/// How arith calls a combiner that is not of sums.
static arith::AtomicRMWKind kindOf(Combiner combiner, Type type) {
  using Kind = arith::AtomicRMWKind;
  bool isFloat = isa<FloatType>(type);
  if (combiner == Combiner::Mul)
    return isFloat ? Kind::mulf : Kind::muli;
  if (combiner == Combiner::Max)
    return isFloat ? Kind::maximumf : Kind::maxs;
  return isFloat ? Kind::minimumf : Kind::mins;
}

/// The input of an exclusive scan, so that an inclusive one does the same: the
/// accumulator, and then the input without its last slice.
Value TMTensorLowering::shiftForward(tm_tensor::TMScanOp scan) {
  Value input = scan.getInputs()[0];
  int64_t axis = scan.getDimension(), rank = typeOfTensor(input).getRank();
  Value size = extent(input, axis);
  Value isEmpty =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, size, index(0));
  auto branch = scf::IfOp::create(b, loc, input.getType(), isEmpty,
                                  /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, loc, input);
  b.setInsertionPointToStart(branch.elseBlock());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, input);
  SmallVector<OpFoldResult> ones(rank, b.getIndexAttr(1));
  SmallVector<OpFoldResult> from(rank, b.getIndexAttr(0)), to = from;
  Value result = tensor::EmptyOp::create(b, loc, sizes,
                                         typeOfTensor(input).getElementType());
  SmallVector<OpFoldResult> row = sizes, rest = sizes;
  row[axis] = b.getIndexAttr(1);
  result = insertSlice(b, loc, scan.getOutputs()[1], result, {from, row, ones});
  rest[axis] = arith::SubIOp::create(b, loc, size, index(1)).getResult();
  to[axis] = b.getIndexAttr(1);
  Value part = extractSlice(b, loc, input, {from, rest, ones});
  result = insertSlice(b, loc, part, result, {to, rest, ones});
  scf::YieldOp::create(b, loc, result);
  return branch.getResult(0);
}

/// An inclusive scan, a slice after the other.
Value TMTensorLowering::combineAlong(Value input, int64_t axis,
                                     Combiner combiner) {
  RankedTensorType type = typeOfTensor(input);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, input);
  SmallVector<OpFoldResult> ones(type.getRank(), b.getIndexAttr(1));
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0));
  Value result = tensor::EmptyOp::create(b, loc, sizes, type.getElementType());
  SmallVector<OpFoldResult> rowSizes = sizes;
  rowSizes.erase(rowSizes.begin() + axis);
  auto kind = kindOf(combiner, type.getElementType());
  Value row = fill(
      rowSizes, arith::getIdentityValue(kind, type.getElementType(), b, loc));
  auto loop = scf::ForOp::create(b, loc, index(0), extent(input, axis),
                                 index(1), ValueRange{result, row});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  offsets[axis] = loop.getInductionVar();
  sizes[axis] = b.getIndexAttr(1);
  Value last = loop.getRegionIterArg(1);
  SliceBounds bounds{offsets, sizes, ones};
  Value part = extractSlice(b, loc, input, bounds, typeOfTensor(last));
  row = elementwise(
      part, last, [&](OpBuilder &inner, Location where, ValueRange v) {
        return arith::getReductionOp(kind, inner, where, v[1], v[0]);
      });
  result = insertSlice(b, loc, row, loop.getRegionIterArg(0), bounds);
  scf::YieldOp::create(b, loc, ValueRange{result, row});
  return loop.getResult(0);
}

/// What a scan leaves in its accumulator, which it writes from its second
/// element on.
Value TMTensorLowering::lastSlice(tm_tensor::TMScanOp scan, Value sums) {
  Value accumulator = scan.getOutputs()[1];
  if (scan.getResults()[1].use_empty())
    return accumulator;
  int64_t axis = scan.getDimension(), rank = typeOfTensor(sums).getRank();
  Value size = extent(sums, axis);
  Value isWritten =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, size, index(2));
  auto branch = scf::IfOp::create(b, loc, accumulator.getType(), isWritten,
                                  /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loc, accumulator);
  b.setInsertionPointToStart(branch.thenBlock());
  SmallVector<OpFoldResult> ones(rank, b.getIndexAttr(1));
  SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0));
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, sums);
  offsets[axis] = arith::SubIOp::create(b, loc, size, index(1)).getResult();
  sizes[axis] = b.getIndexAttr(1);
  SmallVector<int64_t> shape(typeOfTensor(sums).getShape());
  shape.erase(shape.begin() + axis);
  auto type = RankedTensorType::get(shape, typeOfTensor(sums).getElementType());
  Value last = extractSlice(b, loc, sums, {offsets, sizes, ones}, type);
  if (last.getType() != accumulator.getType())
    last = tensor::CastOp::create(b, loc, accumulator.getType(), last);
  scf::YieldOp::create(b, loc, last);
  return branch.getResult(0);
}

LogicalResult TMTensorLowering::lower(tm_tensor::TMScanOp scan) {
  auto read = readRegionCombiner(scan.getRegion(), /*element=*/0);
  if (!read || read->combiner == Combiner::Update ||
      read->update != scan.getRegion().getArgument(1))
    return op->emitOpError("expected a region that adds, multiplies, or takes "
                           "the greatest or least of its arguments");
  Value input = scan.getInputs()[0];
  int64_t axis = scan.getDimension(), rank = typeOfTensor(input).getRank();
  if (failed(requireSameExtents(input, scan.getOutputs()[0],
                                "the input and the output")))
    return failure();
  for (int64_t d = 0; d < rank; ++d)
    if (d != axis && failed(requireEqual(input, d, scan.getOutputs()[1],
                                         d < axis ? d : d - 1,
                                         "the input and the accumulator")))
      return failure();
  // Upstream's verifiers refuse slices of nothing.
  if (llvm::is_contained(typeOfTensor(input).getShape(), 0))
    return replace({input, scan.getOutputs()[1]});
  if (!scan.getInclusive())
    input = shiftForward(scan);
  Value sums = read->combiner == Combiner::Add
                   ? Value(CumsumOp::create(b, loc, input.getType(), input,
                                            axis, /*reverse=*/false))
                   : combineAlong(input, axis, read->combiner);
  return replace({sums, lastSlice(scan, sums)});
}

//===----------------------------------------------------------------------===//
// Scatters
//===----------------------------------------------------------------------===//

LogicalResult TMTensorLowering::lower(tm_tensor::TMScatterOp scatter) {
  Region &region = scatter.getRegion();
  auto read = readRegionCombiner(region, /*element=*/1);
  if (!read)
    return op->emitOpError("expected a region that adds, multiplies, takes the "
                           "greatest or least of its arguments, or replaces");
  Value source = scatter.getOutputs()[0], updates = scatter.getInputs()[0];
  int64_t rank = typeOfTensor(source).getRank();
  SmallVector<int64_t> windows, inserted;
  for (int64_t d = 1; d < typeOfTensor(updates).getRank(); ++d)
    windows.push_back(d);
  for (int64_t d = 0, e = rank - windows.size(); d < e; ++d)
    inserted.push_back(d);
  // symshape.scatter requires places even if there are no updates.
  bool hasPlaces = llvm::all_of(inserted, [&](int64_t d) {
    return typeOfTensor(source).getDimSize(d) > 0; // dynamic ones are negative
  });
  scf::IfOp branch;
  OpBuilder::InsertionGuard guard(b);
  if (!hasPlaces) {
    Value isEmpty = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                          extent(updates, 0), index(0));
    branch = scf::IfOp::create(b, loc, source.getType(), isEmpty,
                               /*withElse=*/true);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, loc, source);
    b.setInsertionPointToStart(branch.elseBlock());
  }
  if (read->update != region.getArgument(0)) // the same for all elements
    updates = fill(tensor::getMixedSizes(b, loc, updates), read->update);
  Value result = ScatterOp::create(
      b, loc, source.getType(), source, scatter.getInputs()[1], updates,
      read->combiner, ScatterMode::PromiseInBounds, scatter.getUniqueIndices(),
      windows, inserted, /*operand_batching_dims=*/ArrayRef<int64_t>(),
      /*scatter_indices_batching_dims=*/ArrayRef<int64_t>(),
      scatter.getDimensionMap(), /*index_vector_dim=*/1);
  if (branch) {
    scf::YieldOp::create(b, loc, result);
    result = branch.getResult(0);
    b.setInsertionPointAfter(branch);
  }
  return replace(result);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

void TMTensorLowering::makeSigned() {
  if (op->getNumRegions() != 1)
    return;
  SmallVector<unsigned> arguments = makeRegionSigned(b, op->getRegion(0));
  if (arguments.empty())
    return;
  SmallVector<unsigned> operands;
  if (isa<tm_tensor::TMSortOp>(op))
    operands = flipped = {arguments[0] / 2};
  else if (auto top = dyn_cast<tm_tensor::TMTopKOp>(op))
    operands = {0, static_cast<unsigned>(top.getInputs().size())},
    flipped = {0};
  else if (isa<tm_tensor::TMScatterOp>(op))
    operands = {0, 2}, flipped = {0};
  else
    operands = {0, 1, 2}, flipped = {0, 1};
  for (unsigned operand : operands)
    op->setOperand(operand, flipSign(b, loc, op->getOperand(operand)));
}

LogicalResult TMTensorLowering::run() {
  b.setInsertionPoint(op);
  makeSigned();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<tm_tensor::TMScanOp, tm_tensor::TMScatterOp, tm_tensor::TMSortOp,
            tm_tensor::TMTopKOp, tm_tensor::TMAttentionOp>(
          [&](auto one) { return lower(one); })
      .Default([](Operation *) { return success(); });
}

LogicalResult mlir::symshape::lowerTMTensor(Operation *root) {
  MLIRContext *context = root->getContext();
  auto *dialect = context->getLoadedDialect<tm_tensor::TMTensorDialect>();
  if (!dialect)
    return success();
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (op->getDialect() == dialect && !isa<tm_tensor::YieldOp>(op))
      ops.push_back(op);
  });
  IRRewriter b(context);
  for (Operation *op : ops)
    if (failed(TMTensorLowering(b, op).run()))
      return failure();
  return success();
}

namespace {
struct LowerTMTensorPass
    : symshape::impl::LowerTMTensorPassBase<LowerTMTensorPass> {
  void runOnOperation() override {
    if (failed(lowerTMTensor(getOperation())))
      signalPassFailure();
  }
};
} // namespace
