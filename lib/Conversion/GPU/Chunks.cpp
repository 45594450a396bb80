//===- Chunks.cpp - Neighbours that a thread accesses at once -------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Buffers with the identity as layout begin where memory was allocated, so at a
// multiple of 16 bytes. Not for: tiles of contractions.
//
//===----------------------------------------------------------------------===//

#include "GPU/Chunks.h"

#include "GPU/Buffers.h"
#include "GPU/Kernels.h"
#include "Structure/Loops.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::symshape;

Chunks mlir::symshape::findChunks(OpBuilder &builder, Operation *op,
                                  Value buffer, AffineMap map, int64_t width) {
  auto type = cast<MemRefType>(buffer.getType());
  Chunks chunks;
  if (!type.getLayout().isIdentity() || type.getRank() == 0)
    return chunks;
  int64_t last = type.getRank() - 1;
  if (!type.isDynamicDim(last)) {
    chunks.always = type.getDimSize(last) % width == 0;
    return chunks;
  }
  auto divisors = op->getAttrOfType<DenseI64ArrayAttr>(divisorsAttr);
  auto loop = dyn_cast<AffineDimExpr>(map.getResult(last));
  chunks.always = divisors && loop && divisors[loop.getPosition()] % width == 0;
  if (chunks.always)
    return chunks;
  Location loc = op->getLoc();
  Value extent =
      makeIndex(builder, loc, memref::getMixedSize(builder, loc, buffer, last));
  Value rest = arith::RemUIOp::create(builder, loc, extent,
                                      makeIndex(builder, loc, width));
  chunks.test = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                      rest, makeIndex(builder, loc, 0));
  return chunks;
}

Value mlir::symshape::combineTests(OpBuilder &builder, Location loc, Value a,
                                   Value b) {
  if (!a || !b)
    return a ? a : b;
  return arith::AndIOp::create(builder, loc, a, b);
}

/// Whether an operand is read or written once per chunk: `Same` element for all
/// its points, or `Neighbours`.
enum class Access { Same, Neighbours, Other };

static Access getAccess(AffineMap map, unsigned lastLoop) {
  if (!map.isFunctionOfDim(lastLoop))
    return Access::Same;
  unsigned last = map.getNumResults() - 1;
  auto dim = dyn_cast<AffineDimExpr>(map.getResult(last));
  bool isLast = dim && dim.getPosition() == lastLoop &&
                !map.dropResult(last).isFunctionOfDim(lastLoop);
  return isLast ? Access::Neighbours : Access::Other;
}

bool mlir::symshape::isAlongLastLoop(linalg::LinalgOp op, OpOperand &operand) {
  return getAccess(op.getMatchingIndexingMap(&operand), op.getNumLoops() - 1) ==
         Access::Neighbours;
}

/// True for elements that vectors in memory hold as buffers do.
static bool isPlain(Type type) {
  if (!type.isIntOrFloat())
    return false;
  unsigned bits = type.getIntOrFloatBitWidth();
  return bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

int64_t mlir::symshape::getPlainWidth(linalg::LinalgOp op) {
  int64_t bytes = 1;
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<MemRefType>(operand.getType());
    if (!type)
      continue;
    if (!isPlain(type.getElementType()))
      return 1;
    bytes = std::max(bytes, bytesOf(type.getElementType()));
  }
  return chunkBytes / bytes;
}

/// True for an operand of which each chunk has its own elements, or that it
/// reads: the result of a reduction is neither.
static bool isOfChunk(linalg::LinalgOp op, OpOperand &operand) {
  return !op.isDpsInit(&operand) || op.getNumReductionLoops() == 0;
}

LoopChunks mlir::symshape::findLoopChunks(OpBuilder &builder,
                                          linalg::LinalgOp op) {
  unsigned loops = op.getNumLoops();
  if (loops == 0)
    return {};
  // A body with loops has its own order of accesses, and is long.
  for (Operation &inside : *op.getBlock())
    if (inside.getNumRegions() != 0)
      return {};
  LoopChunks result;
  bool hasNeighbours = false;
  int64_t width = getPlainWidth(op);
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()) || !isOfChunk(op, operand))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    Access access = getAccess(map, loops - 1);
    // What is elsewhere for each point costs no more than without chunks; a
    // result must not be stored so.
    if (access == Access::Other ||
        (access == Access::Same && op.isDpsInit(&operand)))
      return {};
    if (access == Access::Same)
      continue;
    Chunks chunks = findChunks(builder, op, operand.get(), map, width);
    if (!chunks.always && !chunks.test)
      return {};
    hasNeighbours = true;
    result.test = combineTests(builder, op.getLoc(), result.test, chunks.test);
  }
  if (hasNeighbours)
    result.width = width;
  return result;
}

/// The alignment of a chunk of `operand`, in bytes.
static int64_t alignmentOf(OpOperand &operand, int64_t width) {
  auto type = cast<MemRefType>(operand.get().getType());
  return width * bytesOf(type.getElementType());
}

ChunkReader::ChunkReader(OpBuilder &builder, linalg::LinalgOp op,
                         ArrayRef<Value> ivs, int64_t width,
                         const IRMapping &known)
    : op(op), read(op->getNumOperands()) {
  Location loc = op.getLoc();
  for (OpOperand &operand : op->getOpOperands()) {
    Value &value = read[operand.getOperandNumber()];
    value = known.lookupOrNull(op.getMatchingBlockArgument(&operand));
    if (value)
      continue;
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type) {
      value = operand.get();
      continue;
    }
    if (op.getMatchingBlockArgument(&operand).use_empty() ||
        !isOfChunk(op, operand))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    SmallVector<Value> place = getElementPlace(builder, loc, map, ivs);
    if (width == 1 || getAccess(map, op.getNumLoops() - 1) == Access::Same) {
      value = memref::LoadOp::create(builder, loc, operand.get(), place);
      continue;
    }
    auto load = vector::LoadOp::create(
        builder, loc, VectorType::get(width, type.getElementType()),
        operand.get(), place);
    load.setAlignment(alignmentOf(operand, width));
    value = load;
  }
}

void mlir::symshape::readBeforeLoop(OpBuilder &builder, linalg::LinalgOp op,
                                    ArrayRef<Value> ivs, IRMapping &known) {
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    BlockArgument argument = op.getMatchingBlockArgument(input);
    if (isa<MemRefType>(input->get().getType()) && !argument.use_empty() &&
        getAccess(map, op.getNumLoops() - 1) == Access::Same)
      known.map(argument, memref::LoadOp::create(
                              builder, op.getLoc(), input->get(),
                              getElementPlace(builder, op.getLoc(), map, ivs))
                              .getResult());
  }
}

void ChunkReader::map(OpBuilder &builder, int64_t point, IRMapping &mapping) {
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = read[operand.getOperandNumber()];
    if (!value)
      continue;
    if (isa<VectorType>(value.getType()))
      value = vector::ExtractOp::create(builder, op.getLoc(), value, point);
    mapping.map(op.getMatchingBlockArgument(&operand), value);
  }
}

void mlir::symshape::emitElementwiseChunk(OpBuilder &builder,
                                          linalg::LinalgOp op,
                                          ArrayRef<Value> ivs, int64_t width,
                                          const IRMapping &known) {
  ChunkReader reader(builder, op, ivs, width, known);
  emitElementwiseChunk(builder, op, reader, ivs, width);
}

void mlir::symshape::emitElementwiseChunk(OpBuilder &builder,
                                          linalg::LinalgOp op,
                                          ChunkReader &reader,
                                          ArrayRef<Value> ivs, int64_t width) {
  Location loc = op.getLoc();
  SmallVector<SmallVector<Value>> results(op.getNumDpsInits());
  for (int64_t point = 0; point < width; ++point) {
    SmallVector<Value> at(ivs);
    if (point > 0)
      at.back() = arith::AddIOp::create(builder, loc, at.back(),
                                        makeIndex(builder, loc, point));
    IRMapping mapping;
    reader.map(builder, point, mapping);
    for (auto [values, value] :
         llvm::zip(results, cloneStructuredBody(builder, op, at, mapping)))
      values.push_back(value);
  }
  for (auto [init, values] : llvm::zip(op.getDpsInitsMutable(), results)) {
    SmallVector<Value> place =
        getElementPlace(builder, loc, op.getMatchingIndexingMap(&init), ivs);
    if (width == 1) {
      memref::StoreOp::create(builder, loc, values.front(), init.get(), place);
      continue;
    }
    auto type = VectorType::get(width, values.front().getType());
    Value vector = vector::FromElementsOp::create(builder, loc, type, values);
    auto store =
        vector::StoreOp::create(builder, loc, vector, init.get(), place);
    store.setAlignment(alignmentOf(init, width));
  }
}

void mlir::symshape::chooseOnHost(OpBuilder &builder, Operation *op, Value test,
                                  function_ref<void(Operation *)> wide,
                                  function_ref<void(Operation *)> narrow) {
  auto branch = scf::IfOp::create(builder, op->getLoc(), test,
                                  /*withElseRegion=*/true);
  builder.setInsertionPointToStart(branch.thenBlock());
  wide(builder.clone(*op));
  op->moveBefore(branch.elseBlock(), branch.elseBlock()->begin());
  builder.setInsertionPoint(op);
  narrow(op);
}
