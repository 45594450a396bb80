//===- KernelEmitter.cpp - Bodies of tile functions -----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//
// Loads, stores, branches, and the loop over blocks of terms.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "Contraction.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::symshape;

/// Terms that are added up before the sum is added to those of other blocks:
/// bounds the growth of rounding errors.
static constexpr int64_t blockTerms = 128;

static unsigned getBytes(Type type) {
  return getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8;
}

Value KernelEmitter::load(Type type, Value address, Value mask) {
  if (!mask)
    return LLVM::LoadOp::create(builder, loc, type, address, getBytes(type));
  Value none =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  return LLVM::MaskedLoadOp::create(builder, loc, type, address, mask, none,
                                    getBytes(type));
}

void KernelEmitter::store(Value vector, Value address, Value mask) {
  unsigned alignment = getBytes(vector.getType());
  if (mask)
    LLVM::MaskedStoreOp::create(builder, loc, vector, address, mask, alignment);
  else
    LLVM::StoreOp::create(builder, loc, vector, address, alignment);
}

Value KernelEmitter::loadFactor(Value address) {
  Value element = extendNumber(builder, loc, load(kernel.lhs, address, nullptr),
                               kernel.sum);
  return vector::BroadcastOp::create(builder, loc, sumType, element);
}

Value KernelEmitter::createMask(Value count) {
  Value index =
      arith::IndexCastOp::create(builder, loc, builder.getIndexType(), count);
  return vector::CreateMaskOp::create(
      builder, loc, VectorType::get({kernel.lanes}, builder.getI1Type()),
      index);
}

Value KernelEmitter::allocateSums(int64_t elements) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(
      cast<BlockArgument>(arguments[Rows]).getOwner());
  return LLVM::AllocaOp::create(builder, loc, pointer, kernel.sum,
                                constant(elements), /*alignment=*/64);
}

Value KernelEmitter::multiplyAdd(Value factor, Value row, Value sum) {
  if (isa<FloatType>(kernel.sum) && kernel.fma)
    return vector::FMAOp::create(builder, loc, factor, row, sum);
  return addNumbers(builder, loc, sum,
                    multiplyNumbers(builder, loc, factor, row));
}

void KernelEmitter::branch(Value condition, function_ref<void(bool)> body) {
  auto op = scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  for (bool holds : {true, false}) {
    builder.setInsertionPointToStart(holds ? op.thenBlock() : op.elseBlock());
    body(holds);
  }
}

void KernelEmitter::forEachBlock(
    function_ref<void(const TermBlock &block)> body) {
  Value one = constant(1), block = constant(blockTerms);
  // No terms at all are one empty block.
  Value end = arith::MaxSIOp::create(builder, loc, arguments[Terms], one);
  auto loop = scf::ForOp::create(
      builder, loc, constant(0), end, block,
      ValueRange{arguments[A], arguments[B], arguments[Accumulate]});
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value a = loop.getRegionIterArg(0), b = loop.getRegionIterArg(1);
  Value left = arith::SubIOp::create(builder, loc, arguments[Terms],
                                     loop.getInductionVar());
  Value count = arith::MinSIOp::create(builder, loc, left, block);
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        loop.getInductionVar(), constant(0));
  Value isLast = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle,
                                       left, block);
  body({a, b, count, loop.getRegionIterArg(2), isFirst, isLast});
  a = advance(a, kernel.lhs, multiply(block, arguments[ATerm]));
  b = advance(b, kernel.rhs, multiply(block, arguments[BTerm]));
  Value yes =
      arith::ConstantIntOp::create(builder, loc, builder.getI1Type(), 1);
  scf::YieldOp::create(builder, loc, ValueRange{a, b, yes});
}
