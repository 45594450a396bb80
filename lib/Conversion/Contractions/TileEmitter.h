//===- TileEmitter.h - Bodies of tile functions -----------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is in a case of a tile function, for one number of rows: a loop over
// blocks of terms. There are three kinds.
//
// Sums in registers: the loop over the terms of a block carries the sums of the
// tile in vectors. With few rows, several sets of sums hide the latency of the
// additions.
//
// Sums in memory: a row or two of sums cost nothing but the reading of B, which
// is fastest in long runs. So a few rows of B are read side by side from end to
// end, and the sums, which the first-level cache holds, pass through registers
// once for each such group of terms.
//
// Terms in vectors: if the terms of a column are neighbours, so many of them as
// a vector holds are multiplied at a time, and the lanes are added up at the
// end. Nothing is copied, which a few rows would not pay for.
//
// Bytes are multiplied four terms at a time, numbers of bf16 two, if the CPU
// adds so many products in one instruction: then a step is a group of terms, a
// factor the 32 bits of a group in a row of A, and a vector of B holds a group
// for each of its columns.
//
// Codes of few bits are made numbers when a row of B is loaded, which then has
// the terms of its bytes (TileCodes).
//
// Private to Conversion.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_CONTRACTIONS_TILEEMITTER_H
#define SYMSHAPE_LIB_CONVERSION_CONTRACTIONS_TILEEMITTER_H

#include "Arithmetic.h"
#include "ContractionKernel.h"
#include "Structure/Loops.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <numeric>

namespace mlir::symshape {

/// Sums that must be under way to keep two units of latency 4 busy.
inline constexpr int64_t sumsInFlight = 8;
/// The same where a number takes as long again until it is read from its code.
inline constexpr int64_t codeSumsInFlight = 16;

/// Emits one case of a tile function.
class TileEmitter : Arithmetic {
public:
  /// The arguments of TileKernel::getOrCreate.
  enum Argument {
    Rows,
    A,
    ARow,
    ATerm,
    B,
    BTerm,
    Terms,
    C,
    CRow,
    Columns,
    Accumulate,
    Scales,
    Zeros
  };

  TileEmitter(ImplicitLocOpBuilder &builder, const TileKernel &kernel,
              ValueRange arguments, int64_t rows)
      : Arithmetic(builder, builder.getLoc()), b(builder), kernel(kernel),
        arguments(arguments), rows(rows), vectors(kernel.width / kernel.lanes),
        sumType(VectorType::get({kernel.lanes}, kernel.sum)),
        rowType(VectorType::get({kernel.lanes * kernel.group}, kernel.rhs)),
        factorType(kernel.lhs), factorStep(arguments[ATerm]),
        pointer(LLVM::LLVMPointerType::get(builder.getContext())) {}

  void emit() {
    kernel.isInPlace     ? emitDots()
    : kernel.streams > 0 ? emitStreams()
                         : emitRegisters();
  }

private:
  Value constant(int64_t value) {
    return arith::ConstantIntOp::create(b, b.getI64Type(), value);
  }
  Value remainder(Value lhs, Value rhs) {
    return arith::RemUIOp::create(b, lhs, rhs);
  }
  Value zeroOf(Type type) {
    return arith::ConstantOp::create(b, b.getZeroAttr(type));
  }
  /// As `type`, of floats or of signed integers.
  Value extend(Value value, Type type);
  Value advance(Value base, Type type, LLVM::GEPArg elements) {
    return LLVM::GEPOp::create(b, pointer, type, base, elements);
  }
  /// The place `number` steps from `base`.
  Value advance(Value base, Type type, Value number, Value step) {
    return advance(base, type, multiply(number, step));
  }
  /// A number or vector; of a vector, only lanes of `mask` if it is not null.
  Value load(Type type, Value address, Value mask = nullptr);
  void store(Value value, Value address, Value mask = nullptr);
  /// The element of A at `address` in each lane; with groups, the group there.
  Value loadFactor(Value address);
  /// The `rest` elements at `address` that are left of a group. What follows
  /// them is multiplied by zeros; of floats, it is zero as well.
  Value loadLastFactor(Value address, Value rest);
  /// The 32 bits of a group in each lane.
  Value spread(Value unit);
  /// How many steps make so many terms.
  int64_t countSteps(int64_t terms) const {
    return terms / kernel.getTermsPerStep();
  }
  /// How far apart steps are in A, whose terms are `term` apart: 1 in groups.
  Value getStepOfA(Value term) {
    int64_t terms = kernel.getTermsPerStep();
    return terms == 1         ? term
           : kernel.group > 1 ? constant(terms)
                              : multiply(term, constant(terms));
  }
  /// Sums that are rounded, which is why they are formed in blocks.
  bool isRounded() const { return isa<FloatType>(kernel.sum); }
  /// Elements of B as vectors of the type of the sums; groups as they are.
  Value loadRow(Value address, Value mask = nullptr) {
    Value row = load(rowType, address, mask);
    return kernel.group > 1 ? row : extend(row, sumType);
  }
  Value multiplyAdd(Value factor, Value row, Value sum);
  /// Of `lanes` lanes, those below `count`.
  Value createMask(Value count, int64_t lanes);
  /// Memory for as long as the function runs.
  Value allocate(Type type, int64_t elements);
  /// Memory for a tile of sums.
  Value allocateSums() { return allocate(kernel.sum, rows * kernel.width); }
  SmallVector<Value>
  loop(Value begin, Value end, Value step, ValueRange carried,
       function_ref<SmallVector<Value>(Value, ValueRange)> body) {
    return makeLoop(b, b.getLoc(), begin, end, step, carried, body);
  }
  /// `body` for either outcome of `condition`, in a branch of its own.
  void branch(Value condition, function_ref<void(bool holds)> body);

  /// Some steps, of a term or a group: where they begin in A and B, how far the
  /// rows of A are apart, how many steps there are, and whether there is a sum
  /// to add to.
  struct TermBlock {
    Value a, aRow, b, count, accumulate;
    Value isFirst, isLast;
    Value begin; ///< the first step
  };
  void forEachBlock(function_ref<void(const TermBlock &block)> body);

  // Sums in registers.
  void emitRegisters();
  /// Whether elements of A are widened ahead: one by one, in each lane, that
  /// would take longer than the sums.
  bool widensRows() const {
    return isRounded() && kernel.group == 1 && kernel.lhs != kernel.sum;
  }
  Value areRowsInOneSet();
  void copyRows(TermBlock &block, Value isCopied, Value copies);
  void widenRows(TermBlock &block, Value copies);
  void copyRow(Value from, Value to, Value terms);
  Value getFactor(ValueRange bases, Value aRow, int64_t number,
                  int64_t term = 0);
  SmallVector<Value> addTerm(ValueRange bases, Value aRow, Value row,
                             ValueRange sums, Value rest = nullptr);
  SmallVector<Value> addGroups(int64_t unroll, Value aRow, Value begin,
                               Value end, ValueRange carried);
  SmallVector<Value> addTerms(int64_t unroll, const TermBlock &block);
  SmallVector<Value> addLastTerms(const TermBlock &block, ValueRange sums);
  SmallVector<Value> addSets(int64_t unroll, Value aRow, Value count,
                             SmallVector<Value> carried);

  // Codes.
  int64_t getChunkTerms() const {
    return std::gcd(kernel.blockTerms, int64_t(32));
  }
  Value loadAsFloat(Type type, Value address);
  Value splat(TypedAttr number);
  void loadChunk(Value number);
  bool permutesCodes() const;
  Value permuteCodes(Value lanes);
  Value decode(Value bytes, int64_t vector, int64_t place);
  SmallVector<Value> addCodes(ValueRange bases, Value aRow, Value row,
                              ValueRange sums);
  SmallVector<Value> addChunks(int64_t unroll, const TermBlock &block);

  /// The rows of A that have a pointer of their own.
  SmallVector<Value> getBases(Value a, Value aRow);
  /// Asks for one row of a panel.
  void prefetchRow(Value address, int64_t bytes, bool isWritten);
  /// Where the first row of a tile begins, and how far the next one is.
  struct Place {
    Value pointer, rowStep;
  };
  Place choose(Value condition, Place yes, Place no);
  Value getRow(Place place, Value row) {
    return advance(place.pointer, kernel.sum, row, place.rowStep);
  }
  void storeTile(ValueRange sums, Place from, Place to, Value accumulate);
  void storeVectors(ValueRange sums, Place from, Place to, bool adds,
                    bool isFull);
  void storeColumns(ValueRange sums, Place from, Place to, bool adds);

  // Sums in memory.
  void emitStreams();
  void addStreams(Value sums, int64_t terms, Value a, Value begin);
  void addSumsToResult(Value sums, Value accumulate);
  Value getSum(Value sums, int64_t row, Value column) {
    return advance(advance(sums, kernel.sum, row * kernel.width), kernel.sum,
                   column);
  }
  /// Whole vectors of columns, and then the lanes that are left.
  void forEachVector(function_ref<void(Value column, Value mask)> body);

  // Terms in vectors.
  void emitDots();
  SmallVector<Value> addDotTerms(ValueRange columns, Value term,
                                 ValueRange sums, Value mask);
  SmallVector<Value> addDots(ValueRange columns, Value begin, Value end);
  SmallVector<Value> addColumns(ValueRange columns);
  Value addLanes(ArrayRef<Value> sums);
  void storeDots(ArrayRef<Value> sums, Value column);

  ImplicitLocOpBuilder &b;
  const TileKernel &kernel;
  ValueRange arguments;
  int64_t rows, vectors; ///< of the tile, and of a row
  VectorType sumType, rowType;
  Type factorType;  ///< of elements of A where sums read them
  Value factorStep; ///< from one of them to the next
  Type pointer;
  /// Of codes in the present chunk: a vector for each vector of columns. Zeros
  /// that are integers are so many more than the float that codes count from,
  /// unless codes are permuted.
  SmallVector<Value> scales, zeros;
  bool scalesSums = false; ///< sums of a chunk are scaled, not each number
  Value staged; ///< memory for a tile, where part of one has no instruction
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_CONTRACTIONS_TILEEMITTER_H
