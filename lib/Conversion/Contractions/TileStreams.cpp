//===- TileStreams.cpp - Tiles of a row or two ----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums in memory, past which rows of B stream: see the header of TileEmitter.
//
//===----------------------------------------------------------------------===//

#include "TileEmitter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::symshape;

void TileEmitter::forEachVector(
    function_ref<void(Value column, Value mask)> body) {
  Value lanes = constant(kernel.lanes);
  Value rest = remainder(arguments[Columns], lanes);
  Value whole = subtract(arguments[Columns], rest);
  loop(constant(0), whole, lanes, {}, [&](Value column, ValueRange) {
    body(column, nullptr);
    return SmallVector<Value>();
  });
  Value isAny = compare(arith::CmpIPredicate::ne, rest, constant(0));
  auto last = scf::IfOp::create(b, isAny);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(last.thenBlock());
  body(whole, createMask(rest, kernel.lanes));
}

/// Adds `terms` terms to all sums.
void TileEmitter::addStreams(Value sums, int64_t terms, Value a, Value begin) {
  SmallVector<SmallVector<Value>> factors(rows);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t term = 0; term < terms; ++term) {
      Value offset = add(multiply(constant(row), arguments[ARow]),
                         multiply(constant(term), arguments[ATerm]));
      factors[row].push_back(loadFactor(advance(a, kernel.lhs, offset)));
    }
  forEachVector([&](Value column, Value mask) {
    SmallVector<Value> added(rows);
    for (int64_t term = 0; term < terms; ++term) {
      Value row = advance(begin, kernel.rhs, constant(term), arguments[BTerm]);
      Value vector = loadRow(advance(row, kernel.rhs, column), mask);
      for (auto [number, sum] : llvm::enumerate(added))
        sum = sum ? multiplyAdd(factors[number][term], vector, sum)
                  : multiply(factors[number][term], vector);
    }
    for (auto [row, sum] : llvm::enumerate(added)) {
      Value address = getSum(sums, row, column);
      store(add(load(sumType, address), sum), address);
    }
  });
}

void TileEmitter::addSumsToResult(Value sums, Value accumulate) {
  branch(accumulate, [&](bool adds) {
    forEachVector([&](Value column, Value mask) {
      for (int64_t row = 0; row < rows; ++row) {
        Value begin = getRow({arguments[C], arguments[CRow]}, constant(row));
        Value address = advance(begin, kernel.sum, column);
        Value sum = load(sumType, getSum(sums, row, column));
        if (adds)
          sum = add(load(sumType, address, mask), sum);
        store(sum, address, mask);
      }
    });
  });
}

void TileEmitter::emitStreams() {
  Value sums = allocateSums();
  forEachBlock([&](const TermBlock &block) {
    // The sums of a block hold whole vectors, whatever the number of columns.
    Value zero = zeroOf(sumType);
    forEachVector([&](Value column, Value) {
      for (int64_t row = 0; row < rows; ++row)
        store(zero, getSum(sums, row, column));
    });
    Value rest = remainder(block.count, constant(kernel.streams));
    Value whole = subtract(block.count, rest);
    auto addAll = [&](Value from, Value to, int64_t terms) {
      loop(from, to, constant(terms), {}, [&](Value term, ValueRange) {
        addStreams(sums, terms,
                   advance(block.a, kernel.lhs, term, arguments[ATerm]),
                   advance(block.b, kernel.rhs, term, arguments[BTerm]));
        return SmallVector<Value>();
      });
    };
    addAll(constant(0), whole, kernel.streams);
    addAll(whole, block.count, 1);
    addSumsToResult(sums, block.accumulate);
  });
}
