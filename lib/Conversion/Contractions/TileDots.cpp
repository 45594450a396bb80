//===- TileDots.cpp - Tiles whose vectors hold terms ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of an operand that is read in place: the terms of a column are
// neighbours. A sum is a vector, of the terms of each lane; at the end the
// lanes of a group of columns are added up together. At the edge, the last
// column is read again in place of those that do not exist.
//
//===----------------------------------------------------------------------===//

#include "TileEmitter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::symshape;

/// So many vectors are added up before their sum is added to those of other
/// blocks: bounds the growth of rounding errors.
static constexpr int64_t blockVectors = 64;

/// A vector of terms of each column and row, from `term` on, added to `sums`;
/// of lanes of `mask` only, if it is not null.
SmallVector<Value> TileEmitter::addDotTerms(ValueRange columns, Value term,
                                            ValueRange sums, Value mask) {
  auto leftType = VectorType::get(rowType.getShape(), kernel.lhs);
  SmallVector<Value> vectors, next;
  for (Value column : columns)
    vectors.push_back(loadRow(advance(column, kernel.rhs, term), mask));
  for (int64_t row = 0; row < rows; ++row) {
    Value begin =
        advance(arguments[A], kernel.lhs, constant(row), arguments[ARow]);
    Value factor = load(leftType, advance(begin, kernel.lhs, term), mask);
    if (kernel.group == 1)
      factor = extend(factor, sumType);
    for (Value vector : vectors)
      next.push_back(multiplyAdd(factor, vector, sums[next.size()]));
  }
  return next;
}

/// The sums of whole vectors of terms in a block. With few rows, several sets
/// of sums hide the latency of the additions.
SmallVector<Value> TileEmitter::addDots(ValueRange columns, Value begin,
                                        Value end) {
  size_t setSize = rows * dotColumns;
  int64_t step = rowType.getNumElements();
  int64_t unroll =
      llvm::divideCeil(sumsInFlight, static_cast<uint64_t>(setSize));
  Value whole =
      subtract(end, remainder(subtract(end, begin), constant(unroll * step)));
  SmallVector<Value> sums(setSize * unroll, zeroOf(sumType));
  sums =
      loop(begin, whole, constant(unroll * step), sums,
           [&](Value term, ValueRange carried) {
             SmallVector<Value> next;
             for (int64_t set = 0; set < unroll; ++set)
               next.append(addDotTerms(columns, add(term, constant(set * step)),
                                       carried.slice(set * setSize, setSize),
                                       /*mask=*/nullptr));
             return next;
           });
  SmallVector<Value> others(sums.begin() + setSize, sums.end());
  sums.truncate(setSize);
  if (others.empty())
    return sums;
  sums = loop(whole, end, constant(step), sums,
              [&](Value term, ValueRange carried) {
                return addDotTerms(columns, term, carried, /*mask=*/nullptr);
              });
  for (auto [position, other] : llvm::enumerate(others)) {
    Value &sum = sums[position % setSize];
    sum = add(sum, other);
  }
  return sums;
}

/// The sums of all terms: those of whole vectors in blocks, then the rest.
SmallVector<Value> TileEmitter::addColumns(ValueRange columns) {
  int64_t step = rowType.getNumElements();
  Value rest = remainder(arguments[Terms], constant(step));
  Value whole = subtract(arguments[Terms], rest);
  Value block = constant(blockVectors * step);
  SmallVector<Value> sums(rows * dotColumns, zeroOf(sumType));
  sums = loop(constant(0), whole, block, sums,
              [&](Value begin, ValueRange carried) {
                Value end = minimum(add(begin, block), whole);
                SmallVector<Value> next = addDots(columns, begin, end);
                for (auto [sum, total] : llvm::zip_equal(next, carried))
                  sum = add(total, sum);
                return next;
              });
  Value isAny = compare(arith::CmpIPredicate::ne, rest, constant(0));
  auto last = scf::IfOp::create(b, ValueRange(sums).getTypes(), isAny,
                                /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(last.elseBlock());
  scf::YieldOp::create(b, sums);
  b.setInsertionPointToStart(last.thenBlock());
  scf::YieldOp::create(
      b, addDotTerms(columns, whole, sums, createMask(rest, step)));
  return llvm::to_vector(ValueRange(last.getResults()));
}

/// The lanes of each vector added up: a vector of the sums, in their order.
/// Halves of two vectors are added at a time, so that all lanes are of use.
Value TileEmitter::addLanes(ArrayRef<Value> sums) {
  SmallVector<Value> parts(sums);
  int64_t length = kernel.lanes; // of the lanes of one sum
  auto addHalves = [&](Value first, Value second) {
    int64_t lanes = cast<VectorType>(first.getType()).getNumElements();
    SmallVector<int64_t> low, high;
    for (int64_t begin = 0; begin < (first == second ? lanes : 2 * lanes);
         begin += length)
      for (int64_t lane = 0; lane < length / 2; ++lane) {
        low.push_back(begin + lane);
        high.push_back(begin + length / 2 + lane);
      }
    return add(vector::ShuffleOp::create(b, first, second, low),
               vector::ShuffleOp::create(b, first, second, high));
  };
  while (parts.size() > 1) {
    SmallVector<Value> joined;
    for (size_t pair = 0; pair < parts.size(); pair += 2) {
      if (length > 1) {
        joined.push_back(addHalves(parts[pair], parts[pair + 1]));
        continue;
      }
      int64_t lanes = cast<VectorType>(parts[pair].getType()).getNumElements();
      joined.push_back(vector::ShuffleOp::create(
          b, parts[pair], parts[pair + 1],
          llvm::to_vector(llvm::seq<int64_t>(0, 2 * lanes))));
    }
    parts = std::move(joined);
    length = std::max<int64_t>(length / 2, 1);
  }
  for (; length > 1; length /= 2)
    parts.front() = addHalves(parts.front(), parts.front());
  return parts.front();
}

/// Writes the sums of a group of columns, or those of them that there are.
void TileEmitter::storeDots(ArrayRef<Value> sums, Value column) {
  auto type = VectorType::get({dotColumns}, kernel.sum);
  SmallVector<Value> totals;
  for (int64_t row = 0; row < rows; ++row)
    totals.push_back(addLanes(sums.slice(row * dotColumns, dotColumns)));
  Value left = subtract(arguments[Columns], column);
  Value isFull = compare(arith::CmpIPredicate::sge, left, constant(dotColumns));
  branch(isFull, [&](bool full) {
    Value mask = full ? Value() : createMask(left, dotColumns);
    branch(arguments[Accumulate], [&](bool adds) {
      for (auto [row, total] : llvm::enumerate(totals)) {
        Value begin = getRow({arguments[C], arguments[CRow]}, constant(row));
        Value address = advance(begin, kernel.sum, column);
        Value sum = adds ? add(load(type, address, mask), total) : total;
        store(sum, address, mask);
      }
    });
  });
}

void TileEmitter::emitDots() {
  Value last = subtract(arguments[Columns], constant(1));
  loop(constant(0), arguments[Columns], constant(dotColumns), {},
       [&](Value column, ValueRange) {
         SmallVector<Value> columns;
         for (int64_t number = 0; number < dotColumns; ++number)
           columns.push_back(advance(
               arguments[B], kernel.rhs,
               minimum(add(column, constant(number)), last), arguments[BTerm]));
         storeDots(addColumns(columns), column);
         return SmallVector<Value>();
       });
}
