//===- TransposeSquares.cpp - Elements that change places -----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header. The last square along a dimension begins where it ends with
// the dimension: what it shares with the one before is copied twice.
//
//===----------------------------------------------------------------------===//

#include "TransposeSquares.h"

#include "Arithmetic.h"
#include "Structure/Loops.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::symshape;

/// What a cache fetches at once: squares next to each other read all of it.
static constexpr int64_t lineBytes = 64;

static int64_t getElementBytes(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getElementTypeBitWidth() / 8;
}

/// Transposes by log2(size) rounds of interleaving row i with row i + size/2:
/// each round rotates the bits of the position (row, lane) by one.
SmallVector<Value> symshape::transposeSquare(OpBuilder &builder, Location loc,
                                             SmallVector<Value> rows) {
  int64_t size = rows.size();
  SmallVector<int64_t> low, high;
  for (int64_t lane = 0; lane < size / 2; ++lane) {
    low.append({lane, lane + size});
    high.append({lane + size / 2, lane + size / 2 + size});
  }
  for (int64_t round = 1; round < size; round *= 2) {
    SmallVector<Value> next;
    for (int64_t row = 0; row < size / 2; ++row) {
      Value a = rows[row], b = rows[row + size / 2];
      next.push_back(vector::ShuffleOp::create(builder, loc, a, b, low));
      next.push_back(vector::ShuffleOp::create(builder, loc, a, b, high));
    }
    rows = std::move(next);
  }
  return rows;
}

bool symshape::fitsSquares(Type type) {
  return type.isIntOrFloat() &&
         llvm::is_contained({8, 16, 32}, type.getIntOrFloatBitWidth());
}

bool symshape::isTransposition(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops() || op.getNumLoops() < 2 ||
      op.getBody()->getTerminator()->getOperand(0) !=
          op.getRegionInputArgs().front())
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type || !fitsSquares(type.getElementType()) ||
        !type.isLastDimUnitStride() ||
        !op.getMatchingIndexingMap(&operand).isPermutation())
      return false;
  }
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  return maps[0].getResults().back() != maps[1].getResults().back();
}

namespace {
/// The loops of one copy.
class SquareNest : Arithmetic {
public:
  SquareNest(RewriterBase &rewriter, linalg::GenericOp op)
      : Arithmetic(rewriter, op.getLoc()), b(rewriter),
        source(op.getDpsInputs()[0]), target(op.getDpsInits()[0]),
        from(op.getIndexingMapsArray()[0]), to(op.getIndexingMapsArray()[1]) {}

  /// Makes one dimension of neighbours that are neighbours in both.
  void collapse();
  /// Whether a square fits.
  Value fits(int64_t size);
  void build(int64_t size, bool onThreads);

private:
  unsigned loopOf(AffineMap map, unsigned position) {
    return map.getDimPosition(position);
  }
  Value extentOf(unsigned loop) {
    unsigned position = *from.getResultPosition(b.getAffineDimExpr(loop));
    return memref::DimOp::create(b, loc, source, position);
  }
  Value collapseDims(Value buffer, unsigned first);
  void copySquare(int64_t size, ValueRange places);

  RewriterBase &b;
  Value source, target;
  AffineMap from, to; ///< of the loops
};
} // namespace

Value SquareNest::collapseDims(Value buffer, unsigned first) {
  unsigned rank = cast<MemRefType>(buffer.getType()).getRank();
  SmallVector<ReassociationIndices> groups;
  for (unsigned d = 0; d < rank; ++d) {
    if (d != first + 1)
      groups.emplace_back();
    groups.back().push_back(d);
  }
  return memref::CollapseShapeOp::create(b, loc, buffer, groups);
}

void SquareNest::collapse() {
  for (Value buffer : {source, target})
    if (!cast<MemRefType>(buffer.getType()).getLayout().isIdentity())
      return;
  for (unsigned first = 0; first + 1 < from.getNumResults();) {
    unsigned loop = loopOf(from, first), next = loopOf(from, first + 1);
    unsigned place = *to.getResultPosition(b.getAffineDimExpr(loop));
    if (place + 1 >= to.getNumResults() || loopOf(to, place + 1) != next) {
      ++first;
      continue;
    }
    source = collapseDims(source, first);
    target = collapseDims(target, place);
    auto drop = [&](AffineMap map) {
      SmallVector<AffineExpr> results, loops;
      for (unsigned d = 0; d < map.getNumDims(); ++d)
        loops.push_back(b.getAffineDimExpr(d - (d > next)));
      for (AffineExpr result : map.getResults())
        if (cast<AffineDimExpr>(result).getPosition() != next)
          results.push_back(result.replaceDims(loops));
      return AffineMap::get(map.getNumDims() - 1, 0, results, b.getContext());
    };
    from = drop(from);
    to = drop(to);
  }
}

Value SquareNest::fits(int64_t size) {
  unsigned rank = from.getNumResults();
  Value least =
      minimum(extentOf(loopOf(from, rank - 1)), extentOf(loopOf(to, rank - 1)));
  return compare(arith::CmpIPredicate::sge, least, index(size));
}

void SquareNest::copySquare(int64_t size, ValueRange places) {
  unsigned rank = from.getNumResults();
  auto type = VectorType::get({size}, getElementTypeOrSelf(source.getType()));
  /// Of `map`, where loop `moved` is `by` further.
  auto indicesOf = [&](AffineMap map, unsigned moved, int64_t by) {
    SmallVector<Value> indices;
    for (unsigned position = 0; position < rank; ++position) {
      unsigned loop = loopOf(map, position);
      indices.push_back(loop == moved ? add(places[loop], index(by))
                                      : places[loop]);
    }
    return indices;
  };
  SmallVector<Value> rows;
  for (int64_t row = 0; row < size; ++row)
    rows.push_back(vector::LoadOp::create(
        b, loc, type, source, indicesOf(from, loopOf(to, rank - 1), row)));
  rows = transposeSquare(b, loc, rows);
  for (auto [row, vector] : llvm::enumerate(rows))
    vector::StoreOp::create(b, loc, vector, target,
                            indicesOf(to, loopOf(from, rank - 1), row));
}

void SquareNest::build(int64_t size, bool onThreads) {
  unsigned rank = from.getNumResults();
  unsigned across = loopOf(from, rank - 1), along = loopOf(to, rank - 1);
  int64_t lineElements = lineBytes / getElementBytes(source);
  int64_t inLine = std::max<int64_t>(lineElements / size, 1);
  auto divide = [&](Value extent, int64_t by) -> Value {
    return arith::DivUIOp::create(b, loc, add(extent, index(by - 1)),
                                  index(by));
  };
  // In the order of the result: lines of the input, squares along the result.
  SmallVector<unsigned> order;
  for (unsigned position = 0; position + 1 < rank; ++position)
    if (loopOf(to, position) != across)
      order.push_back(loopOf(to, position));
  SmallVector<Value> counts =
      llvm::map_to_vector(order, [&](unsigned loop) { return extentOf(loop); });
  Value width = extentOf(across), length = extentOf(along);
  counts.append({divide(width, inLine * size), divide(length, size)});
  Value squares = divide(width, size);
  auto placeOf = [&](Value number, Value extent) {
    return minimum(multiply(number, index(size)),
                   subtract(extent, index(size)));
  };
  auto body = [&](ValueRange counters) {
    SmallVector<Value> places(rank);
    for (auto [loop, counter] : llvm::zip(order, counters.drop_back(2)))
      places[loop] = counter;
    places[along] = placeOf(counters.back(), length);
    Value first = multiply(counters.drop_back().back(), index(inLine));
    Value last = minimum(add(first, index(inLine)), squares);
    makeLoop(b, loc, first, last, index(1), {}, [&](Value square, ValueRange) {
      places[across] = placeOf(square, width);
      copySquare(size, places);
      return SmallVector<Value>();
    });
  };
  if (!onThreads) {
    makePositionLoops(b, loc, getAsOpFoldResult(counts), {},
                      [&](ValueRange counters, ValueRange) {
                        body(counters);
                        return scf::ValueVector();
                      });
    return;
  }
  SmallVector<Value> zeros(counts.size(), index(0)),
      ones(counts.size(), index(1));
  OpBuilder::InsertionGuard guard(b);
  auto loop = scf::ParallelOp::create(b, loc, zeros, counts, ones);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVars());
}

void symshape::transposeInSquares(RewriterBase &rewriter, linalg::GenericOp op,
                                  int64_t vectorBits, bool onThreads) {
  rewriter.setInsertionPoint(op);
  SquareNest nest(rewriter, op);
  nest.collapse();
  int64_t bits = 8 * getElementBytes(op.getDpsInputs()[0]);
  // A square of bytes is 16 x 16 at most, of what is wider a register's.
  int64_t largest = std::min<int64_t>(16, vectorBits / bits);
  for (int64_t size = largest; size >= 4 && 2 * size >= largest; size /= 2) {
    auto branch = scf::IfOp::create(rewriter, op.getLoc(), nest.fits(size),
                                    /*withElseRegion=*/true);
    rewriter.setInsertionPointToStart(branch.thenBlock());
    nest.build(size, onThreads);
    rewriter.setInsertionPointToStart(branch.elseBlock());
  }
  rewriter.moveOpBefore(op, rewriter.getInsertionBlock(),
                        rewriter.getInsertionPoint());
}
