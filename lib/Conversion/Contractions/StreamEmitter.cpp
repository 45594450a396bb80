//===- StreamEmitter.cpp - A few rows times streams of B ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row or two of sums cost nothing but the reading of B. It is fastest in long
// runs, so a few rows of B are read side by side from end to end, and the sums,
// which the first-level cache holds, pass through registers once for each such
// group of terms.
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"
#include "KernelEmitter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::symshape;

void StreamEmitter::forEachVector(
    function_ref<void(Value column, Value mask)> body) {
  Value lanes = constant(kernel.lanes);
  Value rest = arith::RemUIOp::create(builder, loc, arguments[Columns], lanes);
  Value whole = arith::SubIOp::create(builder, loc, arguments[Columns], rest);
  auto loop = scf::ForOp::create(builder, loc, constant(0), whole, lanes);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar(), nullptr);
  builder.setInsertionPointAfter(loop);
  Value isAny = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                      rest, constant(0));
  auto branch = scf::IfOp::create(builder, loc, isAny);
  builder.setInsertionPointToStart(branch.thenBlock());
  body(whole, createMask(rest));
}

/// The sums of a block hold whole vectors, whatever the number of columns.
void StreamEmitter::clearSums() {
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(sumType));
  forEachVector([&](Value column, Value) {
    for (int64_t row = 0; row < rows; ++row)
      store(zero, getSum(row, column), nullptr);
  });
}

/// Adds `terms` terms to all sums.
void StreamEmitter::addTerms(int64_t terms, Value a, Value b) {
  SmallVector<SmallVector<Value>> factors(rows);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t term = 0; term < terms; ++term) {
      Value offset = arith::AddIOp::create(
          builder, loc, multiply(constant(row), arguments[ARow]),
          multiply(constant(term), arguments[ATerm]));
      factors[row].push_back(loadFactor(advance(a, kernel.lhs, offset)));
    }
  forEachVector(
      [&](Value column, Value mask) { addColumns(factors, b, column, mask); });
}

void StreamEmitter::addColumns(ArrayRef<SmallVector<Value>> factors, Value b,
                               Value column, Value mask) {
  auto rowType = VectorType::get({kernel.lanes}, kernel.rhs);
  SmallVector<Value> added(rows);
  for (size_t term = 0; term < factors.front().size(); ++term) {
    Value begin =
        advance(b, kernel.rhs, multiply(constant(term), arguments[BTerm]));
    Value vector = load(rowType, advance(begin, kernel.rhs, column), mask);
    vector = extendNumber(builder, loc, vector, sumType);
    for (auto [row, sum] : llvm::enumerate(added))
      sum = sum ? multiplyAdd(factors[row][term], vector, sum)
                : multiplyNumbers(builder, loc, factors[row][term], vector);
  }
  for (auto [row, sum] : llvm::enumerate(added)) {
    Value address = getSum(row, column);
    Value before = load(sumType, address, nullptr);
    store(addNumbers(builder, loc, before, sum), address, nullptr);
  }
}

void StreamEmitter::addSumsToResult(Value accumulate) {
  branch(accumulate, [&](bool adds) {
    forEachVector([&](Value column, Value mask) {
      for (int64_t row = 0; row < rows; ++row) {
        Value begin = advance(arguments[C], kernel.sum,
                              multiply(constant(row), arguments[CRow]));
        Value address = advance(begin, kernel.sum, column);
        Value sum = load(sumType, getSum(row, column), nullptr);
        if (adds)
          sum = addNumbers(builder, loc, load(sumType, address, mask), sum);
        store(sum, address, mask);
      }
    });
  });
}

void StreamEmitter::emit(int64_t numRows) {
  rows = numRows;
  sums = allocateSums(rows * kernel.width);
  forEachBlock([&](const TermBlock &block) {
    Value count = block.count;
    clearSums();
    Value rest =
        arith::RemUIOp::create(builder, loc, count, constant(kernel.streams));
    Value whole = arith::SubIOp::create(builder, loc, count, rest);
    auto addAll = [&](Value from, Value to, int64_t terms) {
      auto loop = scf::ForOp::create(builder, loc, from, to, constant(terms));
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      Value term = loop.getInductionVar();
      addTerms(terms,
               advance(block.a, kernel.lhs, multiply(term, arguments[ATerm])),
               advance(block.b, kernel.rhs, multiply(term, arguments[BTerm])));
    };
    addAll(constant(0), whole, kernel.streams);
    addAll(whole, count, 1);
    addSumsToResult(block.accumulate);
  });
}
