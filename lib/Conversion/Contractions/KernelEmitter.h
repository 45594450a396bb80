//===- KernelEmitter.h - Bodies of tile functions ---------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the two kinds of tile function have in common: their arguments, and
// steps of a few ops. Private to Conversion.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_CONTRACTIONS_KERNELEMITTER_H
#define SYMSHAPE_LIB_CONVERSION_CONTRACTIONS_KERNELEMITTER_H

#include "ContractionKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::symshape {

/// Emits into a function with the arguments of TileKernel::getOrCreate.
class KernelEmitter {
public:
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
    Accumulate
  };

  KernelEmitter(OpBuilder &builder, Location loc, const TileKernel &kernel,
                ValueRange arguments)
      : builder(builder), loc(loc), kernel(kernel), arguments(arguments),
        sumType(VectorType::get({kernel.lanes}, kernel.sum)),
        pointer(LLVM::LLVMPointerType::get(builder.getContext())) {}

protected:
  Value constant(int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, builder.getI64Type(),
                                        value);
  }
  Value multiply(Value lhs, Value rhs) {
    return arith::MulIOp::create(builder, loc, lhs, rhs);
  }
  Value advance(Value base, Type type, Value elements) {
    return LLVM::GEPOp::create(builder, loc, pointer, type, base,
                               ArrayRef<LLVM::GEPArg>{elements});
  }
  Value advance(Value base, Type type, int64_t elements) {
    return LLVM::GEPOp::create(
        builder, loc, pointer, type, base,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(elements)});
  }
  /// A number or vector; of a vector, only lanes of `mask` if it is not null.
  Value load(Type type, Value address, Value mask);
  void store(Value vector, Value address, Value mask);
  /// The element of A at `address` in each lane.
  Value loadFactor(Value address);
  Value multiplyAdd(Value factor, Value row, Value sum);
  /// Lanes below `count`.
  Value createMask(Value count);
  /// Memory for `elements` sums, for as long as the function runs.
  Value allocateSums(int64_t elements);
  /// `body` for either outcome of `condition`, in a branch of its own.
  void branch(Value condition, function_ref<void(bool holds)> body);
  /// Some terms: where they begin in A and B, how many there are, and whether
  /// there is a sum to add to.
  struct TermBlock {
    Value a, b, count, accumulate;
    Value isFirst, isLast;
  };
  void forEachBlock(function_ref<void(const TermBlock &block)> body);

  OpBuilder &builder;
  Location loc;
  const TileKernel &kernel;
  ValueRange arguments;
  VectorType sumType;
  Type pointer;
};

/// The sums of a tile of a few vectors, which stay in registers.
class TileEmitter : KernelEmitter {
public:
  TileEmitter(OpBuilder &builder, Location loc, const TileKernel &kernel,
              ValueRange arguments)
      : KernelEmitter(builder, loc, kernel, arguments),
        vectors(kernel.width / kernel.lanes) {}

  void emit(int64_t rows);

private:
  SmallVector<Value> addTerm(int64_t rows, ValueRange bases, Value b,
                             ValueRange sums);
  SmallVector<Value> emitLoop(int64_t rows, int64_t unroll, Value begin,
                              Value end, ValueRange carried);
  SmallVector<Value> addTerms(int64_t rows, int64_t unroll, Value a, Value b,
                              Value count);
  /// Asks for the columns of one row of the panel.
  void prefetchRow(Value address, Type type, bool isWritten);
  /// Where the first row of a tile begins, and how far the next one is.
  struct Place {
    Value pointer, rowStep;
  };
  Place choose(Value condition, Place yes, Place no);
  void storeTile(int64_t rows, ValueRange sums, Place from, Place to,
                 Value accumulate);
  void storeColumns(int64_t rows, ValueRange sums, Place from, Place to,
                    bool adds);

  int64_t vectors; ///< per row
  Value staged;    ///< memory for a tile, where part of one has no instruction
};

/// The sums of a few rows, which stay in memory while the rows of B pass by.
class StreamEmitter : KernelEmitter {
public:
  using KernelEmitter::KernelEmitter;

  void emit(int64_t rows);

private:
  void clearSums();
  void addTerms(int64_t terms, Value a, Value b);
  void addColumns(ArrayRef<SmallVector<Value>> factors, Value b, Value column,
                  Value mask);
  void addSumsToResult(Value accumulate);
  /// Of the block's sums.
  Value getSum(int64_t row, Value column) {
    Value begin = advance(sums, kernel.sum, row * kernel.width);
    return advance(begin, kernel.sum, column);
  }
  /// Whole vectors of columns, and then the lanes that are left.
  void forEachVector(function_ref<void(Value column, Value mask)> body);

  int64_t rows = 0;
  Value sums; ///< of a block of terms: `width` for each row
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_CONTRACTIONS_KERNELEMITTER_H
