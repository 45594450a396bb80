//===- Nests.cpp - Loops over single elements on many threads -------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Iterations are independent if every access to a buffer that is written has
// the loop's variable itself as the same subscript: then each iteration has a
// part of the buffer of its own. Two buffers that are live at once do not
// overlap unless one is a view of the other. Not for: the kernels.
//
//===----------------------------------------------------------------------===//

#include "GPU/Nests.h"

#include "GPU/Buffers.h"
#include "Structure/Loops.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "symshape/IR/SymShape.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// An access to an element, in terms of the buffer whose views it goes through.
struct Access {
  Operation *op;
  Value buffer;
  SmallVector<OpFoldResult> subscripts;
  bool isStore;
};

class NestAnalysis {
public:
  NestAnalysis(OpBuilder &builder, scf::ForOp nest)
      : builder(builder), nest(nest) {}
  NestThreads run();

private:
  bool collectAccesses();
  void addAccess(Operation *op, Value buffer, ValueRange subscripts,
                 bool isStore);
  bool hasViewsOfWritten();
  Value findExtent(scf::ForOp loop);
  bool isIndependent(ArrayRef<scf::ForOp> loops);
  void findOuter(NestThreads &threads);
  void findInner(NestThreads &threads);

  OpBuilder &builder;
  scf::ForOp nest;
  SmallVector<Access> accesses;
  llvm::SetVector<Value> written;
};
} // namespace

/// Looks through the views of which elements' places are known.
void NestAnalysis::addAccess(Operation *op, Value buffer, ValueRange subscripts,
                             bool isStore) {
  SmallVector<OpFoldResult> at = getAsOpFoldResult(subscripts);
  while (Operation *view = buffer.getDefiningOp()) {
    if (auto cast = dyn_cast<memref::CastOp>(view)) {
      buffer = cast.getSource();
      continue;
    }
    auto part = dyn_cast<memref::SubViewOp>(view);
    if (!part || !part.hasUnitStride())
      break;
    llvm::SmallBitVector dropped = part.getDroppedDims();
    SmallVector<OpFoldResult> outside;
    ArrayRef<OpFoldResult> rest = at;
    for (auto [d, offset] : llvm::enumerate(part.getMixedOffsets())) {
      if (dropped.test(d)) {
        outside.push_back(offset);
        continue;
      }
      // A sum is no subscript that says anything.
      bool isSame = isZeroInteger(offset);
      bool isOffset = isOneInteger(part.getMixedSizes()[d]);
      outside.push_back(isSame     ? rest.front()
                        : isOffset ? offset
                                   : OpFoldResult(Value()));
      rest = rest.drop_front();
    }
    at = outside;
    buffer = part.getSource();
  }
  accesses.push_back({op, buffer, at, isStore});
  if (isStore)
    written.insert(buffer);
}

/// Fails at an op that reads or writes memory in other ways.
bool NestAnalysis::collectAccesses() {
  WalkResult walk = nest->walk([&](Operation *op) {
    if (auto load = dyn_cast<vector::LoadOp>(op))
      addAccess(op, load.getBase(), load.getIndices(), false);
    else if (auto store = dyn_cast<vector::StoreOp>(op))
      addAccess(op, store.getBase(), store.getIndices(), true);
    else if (auto load = dyn_cast<memref::LoadOp>(op))
      addAccess(op, load.getMemRef(), load.getIndices(), false);
    else if (auto store = dyn_cast<memref::StoreOp>(op))
      addAccess(op, store.getMemRef(), store.getIndices(), true);
    else if (op->getNumRegions() == 0 && !isMemoryEffectFree(op) &&
             !isa<FailOp, cf::AssertOp>(op))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return !walk.wasInterrupted();
}

/// True if something that is written is also accessed as another view.
bool NestAnalysis::hasViewsOfWritten() {
  return llvm::any_of(accesses, [&](const Access &access) {
    return llvm::any_of(written, [&](Value other) {
      return other != access.buffer &&
             getArray(other) == getArray(access.buffer);
    });
  });
}

/// The number of iterations of a loop from 0 by 1, as a value that there is
/// before the nest; null if it is another loop or its extent arises inside.
Value NestAnalysis::findExtent(scf::ForOp loop) {
  if (!loop || loop.getNumResults() != 0 ||
      getConstantIntValue(loop.getLowerBound()) != 0 ||
      getConstantIntValue(loop.getStep()) != 1)
    return Value();
  OpFoldResult extent = loop.getUpperBound();
  std::optional<int64_t> divisor;
  auto finish = [&](OpFoldResult extent) -> Value {
    Value value = makeIndex(builder, nest.getLoc(), extent);
    return divisor ? arith::DivUIOp::create(
                         builder, nest.getLoc(), value,
                         makeIndex(builder, nest.getLoc(), *divisor))
                   : value;
  };
  while (auto value = dyn_cast<Value>(extent)) {
    if (!isInside(nest, value))
      return finish(value);
    auto quotient = value.getDefiningOp<arith::DivUIOp>();
    if (quotient && !divisor) {
      divisor = getConstantIntValue(quotient.getRhs());
      if (!divisor)
        return Value();
      extent = quotient.getLhs();
      continue;
    }
    if (std::optional<int64_t> constant = getConstantIntValue(value)) {
      extent = builder.getIndexAttr(*constant);
      continue;
    }
    auto dim = value.getDefiningOp<memref::DimOp>();
    std::optional<int64_t> axis = dim ? dim.getConstantIndex() : std::nullopt;
    if (!axis)
      return Value();
    if (!isInside(nest, dim.getSource()))
      return finish(
          memref::getMixedSize(builder, nest.getLoc(), dim.getSource(), *axis));
    auto part = dim.getSource().getDefiningOp<memref::SubViewOp>();
    if (!part)
      return Value();
    llvm::SmallBitVector dropped = part.getDroppedDims();
    for (auto [d, size] : llvm::enumerate(part.getMixedSizes()))
      if (!dropped.test(d) && (*axis)-- == 0)
        extent = size;
  }
  return finish(extent);
}

/// The loop of `loops` that `op` is in.
static scf::ForOp findAround(ArrayRef<scf::ForOp> loops, Operation *op) {
  auto around = llvm::find_if(
      loops, [&](scf::ForOp loop) { return loop->isProperAncestor(op); });
  return around == loops.end() ? scf::ForOp() : *around;
}

/// Of which number `subscript` begins the chunk, if `op` accesses a chunk
/// there; else `subscript`.
static OpFoldResult getChunk(OpFoldResult subscript, Operation *op) {
  VectorType type;
  if (auto load = dyn_cast<vector::LoadOp>(op))
    type = load.getVectorType();
  else if (auto store = dyn_cast<vector::StoreOp>(op))
    type = store.getVectorType();
  if (!type)
    return subscript;
  // With a vector, only the product says that chunks are apart.
  auto value = dyn_cast<Value>(subscript);
  auto product = value ? value.getDefiningOp<arith::MulIOp>() : nullptr;
  if (!product ||
      getConstantIntValue(product.getRhs()) != type.getNumElements())
    return OpFoldResult();
  return product.getLhs();
}

/// Whether different iterations of `loops`, which all accesses to what is
/// written are in, have parts of it of their own.
bool NestAnalysis::isIndependent(ArrayRef<scf::ForOp> loops) {
  llvm::DenseMap<Value, llvm::SmallBitVector> own;
  for (const Access &access : accesses) {
    if (!written.contains(access.buffer))
      continue;
    scf::ForOp loop = findAround(loops, access.op);
    if (!loop)
      return false;
    llvm::SmallBitVector here(access.subscripts.size());
    OpFoldResult variable = loop.getInductionVar();
    for (auto [d, subscript] : llvm::enumerate(access.subscripts)) {
      bool isLast = d + 1 == access.subscripts.size();
      here[d] =
          (isLast ? getChunk(subscript, access.op) : subscript) == variable;
    }
    auto [entry, isNew] = own.try_emplace(access.buffer, here);
    if (!isNew)
      entry->second &= here;
    if (entry->second.none())
      return false;
  }
  return true;
}

bool mlir::symshape::isFailure(Operation *op) {
  return isa<scf::IfOp>(op) && op->walk([](FailOp) {
                                   return WalkResult::interrupt();
                                 }).wasInterrupted();
}

/// The loop that is all of the body of `loop` but for ops that read, compute or
/// check.
static scf::ForOp getOnlyLoop(scf::ForOp loop) {
  scf::ForOp only;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (op.getNumRegions() == 0 || isFailure(&op))
      continue;
    if (only || !isa<scf::ForOp>(op))
      return nullptr;
    only = cast<scf::ForOp>(op);
  }
  return only;
}

void NestAnalysis::findOuter(NestThreads &threads) {
  for (scf::ForOp loop = nest; loop; loop = getOnlyLoop(loop)) {
    Value extent = findExtent(loop);
    if (!extent || !isIndependent(loop))
      return;
    threads.outer.push_back(loop);
    threads.outerExtents.push_back(extent);
  }
}

void NestAnalysis::findInner(NestThreads &threads) {
  llvm::SetVector<scf::ForOp> loops;
  for (const Access &access : accesses) {
    if (!access.isStore)
      continue;
    auto loop = access.op->getParentOfType<scf::ForOp>();
    Value extent = findExtent(loop);
    if (!extent || llvm::is_contained(threads.outer, loop))
      return;
    if (loops.insert(loop))
      threads.innerExtents.push_back(extent);
  }
  bool isNested = llvm::any_of(loops, [&](scf::ForOp loop) {
    return findAround(loops.getArrayRef(), loop) != nullptr;
  });
  if (!isNested && isIndependent(loops.getArrayRef()))
    llvm::append_range(threads.inner, loops);
}

NestThreads NestAnalysis::run() {
  NestThreads threads;
  if (!collectAccesses() || written.empty() || hasViewsOfWritten())
    return threads;
  findOuter(threads);
  findInner(threads);
  return threads;
}

NestThreads mlir::symshape::findThreads(OpBuilder &builder, scf::ForOp nest) {
  return NestAnalysis(builder, nest).run();
}
