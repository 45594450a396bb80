//===- TileEmitter.cpp - One register tile --------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//
// A loop over blocks of terms, and in it the loop over terms, which carries the
// sums in vectors. With few rows, several sets of sums hide the latency of the
// additions.
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"
#include "KernelEmitter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::symshape;

/// How many terms ahead of its use B is fetched into the first-level cache.
static constexpr int64_t prefetchTerms = 16;
static constexpr int64_t cacheLineBytes = 64;
/// Sums that must be under way to keep two units of latency 4 busy.
static constexpr int64_t sumsInFlight = 8;

/// Rows of A that have a pointer of their own. Each other row of a tile of 14
/// is 1, 2, 4 or 8 rows from one of them: an x86 address without arithmetic.
static constexpr int64_t baseRows[] = {0, 3, 5, 10};

/// The base of `row`, by position, and how many rows there are between them.
static std::pair<size_t, int64_t> findBase(int64_t row) {
  for (auto [position, base] : llvm::enumerate(baseRows))
    if (row == base || llvm::is_contained({1, 2, 4, 8}, row - base))
      return {position, row - base};
  return {0, row};
}

/// One term for the whole tile; `bases` points into the base rows of A.
SmallVector<Value> TileEmitter::addTerm(int64_t rows, ValueRange bases, Value b,
                                        ValueRange sums) {
  SmallVector<Value> columns;
  auto rowType = VectorType::get({kernel.lanes}, kernel.rhs);
  for (int64_t vector = 0; vector < vectors; ++vector)
    columns.push_back(extendNumber(
        builder, loc,
        load(rowType, advance(b, kernel.rhs, vector * kernel.lanes), nullptr),
        sumType));
  SmallVector<Value> next;
  for (int64_t row = 0; row < rows; ++row) {
    auto [base, distance] = findBase(row);
    Value offset = multiply(constant(distance), arguments[ARow]);
    Value factor = loadFactor(advance(bases[base], kernel.lhs, offset));
    for (Value column : columns)
      next.push_back(multiplyAdd(factor, column, sums[next.size()]));
  }
  return next;
}

void TileEmitter::prefetchRow(Value address, Type type, bool isWritten) {
  int64_t bytes = kernel.width * type.getIntOrFloatBitWidth() / 8;
  for (int64_t at = 0; at < bytes; at += cacheLineBytes)
    LLVM::Prefetch::create(builder, loc,
                           advance(address, builder.getI8Type(), at), isWritten,
                           /*hint=*/3, /*cache=*/1);
}

/// A loop over terms, `unroll` at a time, each added to a set of sums of its
/// own. Carries these sets, the base rows of A, and B.
SmallVector<Value> TileEmitter::emitLoop(int64_t rows, int64_t unroll,
                                         Value begin, Value end,
                                         ValueRange carried) {
  size_t setSize = rows * vectors;
  auto loop =
      scf::ForOp::create(builder, loc, begin, end, constant(unroll), carried);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  ValueRange sums = loop.getRegionIterArgs().take_front(setSize * unroll);
  SmallVector<Value> bases(
      loop.getRegionIterArgs().drop_front(sums.size()).drop_back());
  Value b = loop.getRegionIterArgs().back();
  Value ahead = multiply(constant(prefetchTerms), arguments[BTerm]);
  SmallVector<Value> next;
  for (int64_t term = 0; term < unroll; ++term) {
    prefetchRow(advance(b, kernel.rhs, ahead), kernel.rhs,
                /*isWritten=*/false);
    next.append(addTerm(rows, bases, b, sums.slice(term * setSize, setSize)));
    for (Value &base : bases)
      base = advance(base, kernel.lhs, arguments[ATerm]);
    b = advance(b, kernel.rhs, arguments[BTerm]);
  }
  next.append(bases);
  next.push_back(b);
  scf::YieldOp::create(builder, loc, next);
  return loop.getResults();
}

/// The sums of `count` terms: whole groups of `unroll` terms, and what is left
/// added to the first set.
SmallVector<Value> TileEmitter::addTerms(int64_t rows, int64_t unroll, Value a,
                                         Value b, Value count) {
  size_t setSize = rows * vectors;
  Value none =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(sumType));
  SmallVector<Value> carried(setSize * unroll, none);
  for (int64_t row : baseRows)
    if (row < rows)
      carried.push_back(LLVM::LaunderInvariantGroupOp::create(
          builder, loc,
          advance(a, kernel.lhs, multiply(constant(row), arguments[ARow]))));
  carried.push_back(b);
  if (unroll == 1) {
    carried = emitLoop(rows, 1, constant(0), count, carried);
    carried.truncate(setSize);
    return carried;
  }
  Value rest = arith::RemUIOp::create(builder, loc, count, constant(unroll));
  Value whole = arith::SubIOp::create(builder, loc, count, rest);
  carried = emitLoop(rows, unroll, constant(0), whole, carried);
  SmallVector<Value> others(carried.begin() + setSize,
                            carried.begin() + setSize * unroll);
  carried.erase(carried.begin() + setSize, carried.begin() + setSize * unroll);
  carried = emitLoop(rows, 1, whole, count, carried);
  carried.truncate(setSize);
  for (auto [position, other] : llvm::enumerate(others)) {
    Value &sum = carried[position % setSize];
    sum = addNumbers(builder, loc, sum, other);
  }
  return carried;
}

TileEmitter::Place TileEmitter::choose(Value condition, Place yes, Place no) {
  auto select = [&](Value a, Value b) -> Value {
    return arith::SelectOp::create(builder, loc, condition, a, b);
  };
  return {select(yes.pointer, no.pointer), select(yes.rowStep, no.rowStep)};
}

/// Writes the columns that there are one by one, by way of memory.
void TileEmitter::storeColumns(int64_t rows, ValueRange sums, Place from,
                               Place to, bool adds) {
  auto at = [&](Value base, Value row, Value stride, Value column) {
    return advance(advance(base, kernel.sum, multiply(row, stride)), kernel.sum,
                   column);
  };
  for (auto [number, sum] : llvm::enumerate(sums))
    store(sum, advance(staged, kernel.sum, number * kernel.lanes), nullptr);
  Value zero = constant(0), one = constant(1);
  scf::buildLoopNest(
      builder, loc, {zero, zero}, {constant(rows), arguments[Columns]},
      {one, one}, [&](OpBuilder &inner, Location, ValueRange ivs) {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPoint(inner.getInsertionBlock(),
                                  inner.getInsertionPoint());
        Value sum =
            load(kernel.sum, at(staged, ivs[0], constant(kernel.width), ivs[1]),
                 nullptr);
        Value before = at(from.pointer, ivs[0], from.rowStep, ivs[1]);
        if (adds)
          sum =
              addNumbers(builder, loc, sum, load(kernel.sum, before, nullptr));
        store(sum, at(to.pointer, ivs[0], to.rowStep, ivs[1]), nullptr);
      });
}

/// Writes a tile, added to the sums at `from` if `accumulate`; the one at the
/// end of the columns through masks, if there are any.
void TileEmitter::storeTile(int64_t rows, ValueRange sums, Place from, Place to,
                            Value accumulate) {
  auto emitStores = [&](bool isFull, bool adds) {
    SmallVector<Value> masks(vectors);
    for (int64_t vector = 0; vector < vectors && !isFull; ++vector)
      masks[vector] = createMask(arith::SubIOp::create(
          builder, loc, arguments[Columns], constant(vector * kernel.lanes)));
    for (auto [number, sum] : llvm::enumerate(sums)) {
      int64_t row = number / vectors, vector = number % vectors;
      auto at = [&](Place place) {
        Value begin = advance(place.pointer, kernel.sum,
                              multiply(constant(row), place.rowStep));
        return advance(begin, kernel.sum, vector * kernel.lanes);
      };
      Value total = sum;
      if (adds)
        total = addNumbers(builder, loc, sum,
                           load(sumType, at(from), masks[vector]));
      store(total, at(to), masks[vector]);
    }
  };
  Value isFull =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                            arguments[Columns], constant(kernel.width));
  branch(isFull, [&](bool full) {
    branch(accumulate, [&](bool adds) {
      if (full || kernel.masks)
        emitStores(full, adds);
      else
        storeColumns(rows, sums, from, to, adds);
    });
  });
}

void TileEmitter::emit(int64_t rows) {
  int64_t unroll =
      llvm::divideCeil(sumsInFlight, static_cast<uint64_t>(rows * vectors));
  if (!kernel.masks)
    staged = allocateSums(rows * kernel.width);
  // Sums of parts of the terms stay close together: rows of the result may be
  // far apart, and then share few sets of the first-level cache.
  Place result{arguments[C], arguments[CRow]};
  Place parts{allocateSums(rows * kernel.width), constant(kernel.width)};
  // Rows of the result arrive while the terms are added.
  for (int64_t row = 0; row < rows; ++row)
    prefetchRow(advance(result.pointer, kernel.sum,
                        multiply(constant(row), result.rowStep)),
                kernel.sum, /*isWritten=*/true);
  forEachBlock([&](const TermBlock &block) {
    SmallVector<Value> sums =
        addTerms(rows, unroll, block.a, block.b, block.count);
    storeTile(rows, sums, choose(block.isFirst, result, parts),
              choose(block.isLast, result, parts), block.accumulate);
  });
}
