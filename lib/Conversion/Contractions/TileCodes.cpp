//===- TileCodes.cpp - Tiles of codes of few bits -------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers of codes, in registers: see the header of TileEmitter.
//
// A code becomes a float without a conversion: as the last bits of the float
// 2^23, whose last bit counts 1, it makes 2^23 + q, from which 2^23 + z is
// subtracted. Both are exact, and so is what is left. Codes of up to 4 bits are
// the places of their numbers in a vector, if one instruction permutes it.
//
//===----------------------------------------------------------------------===//

#include "TileEmitter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::symshape;

/// The float 2^23, and its bits.
static constexpr double magicNumber = 8388608;
static constexpr int64_t magicBits = 0x4B000000;
/// With so many sums at most, those of a chunk have registers of their own.
static constexpr int64_t mostScaledSums = 8;
/// How many chunks ahead of its use B is fetched.
static constexpr int64_t prefetchChunks = 16;

/// Whether the last four bits of a code's lane are its place in a vector of
/// numbers.
bool TileEmitter::permutesCodes() const {
  return kernel.permutes && kernel.lanes == 16 && kernel.codeBits <= 4;
}

/// The number in each lane.
Value TileEmitter::splat(TypedAttr number) {
  auto type = VectorType::get({kernel.lanes}, number.getType());
  return arith::ConstantOp::create(b, DenseElementsAttr::get(type, number));
}

/// Numbers at `address`, integers without sign, as floats.
Value TileEmitter::loadAsFloat(Type type, Value address) {
  Value numbers = load(VectorType::get({kernel.lanes}, type), address);
  if (isa<IntegerType>(type))
    return arith::UIToFPOp::create(b, sumType, numbers);
  return extend(numbers, sumType);
}

/// Scales and zeros of block `number`.
void TileEmitter::loadChunk(Value number) {
  scales.clear();
  zeros.clear();
  Value width = constant(kernel.width);
  for (int64_t vector = 0; vector < vectors; ++vector) {
    auto load = [&](Argument of, Type type) {
      Value row = advance(arguments[of], type, number, width);
      return loadAsFloat(type, advance(row, type, vector * kernel.lanes));
    };
    scales.push_back(load(Scales, kernel.scale));
    if (!kernel.zero)
      continue;
    Value zero = load(Zeros, kernel.zero);
    if (isa<IntegerType>(kernel.zero) && !permutesCodes())
      zero = add(zero, splat(b.getF32FloatAttr(magicNumber)));
    zeros.push_back(zero);
  }
}

/// What codes are in lanes whose last four bits begin with them, less the zero
/// if all have the same.
Value TileEmitter::permuteCodes(Value lanes) {
  int64_t count = 1 << kernel.codeBits;
  SmallVector<float> numbers;
  for (int64_t place = 0; place < kernel.lanes; ++place)
    numbers.push_back(place % count - (kernel.zero ? 0 : count / 2));
  Value table = arith::ConstantOp::create(
      b, DenseElementsAttr::get(sumType, ArrayRef<float>(numbers)));
  return LLVM::CallIntrinsicOp::create(
             b, sumType, b.getStringAttr("llvm.x86.avx512.permvar.sf.512"),
             ValueRange{table, lanes})
      .getResult(0);
}

/// The numbers of one place in each byte of a vector of them.
Value TileEmitter::decode(Value bytes, int64_t vector, int64_t place) {
  auto bits = [&](int64_t value) { return splat(b.getI32IntegerAttr(value)); };
  auto number = [&](double value) { return splat(b.getF32FloatAttr(value)); };
  int64_t shift = place * kernel.codeBits;
  if (shift)
    bytes = arith::ShRUIOp::create(b, bytes, bits(shift));
  Value code;
  auto subtractZero = [&](Value zero) {
    code = arith::SubFOp::create(b, code, zero);
  };
  if (permutesCodes()) {
    code = permuteCodes(bytes);
  } else {
    if (shift + kernel.codeBits < 8)
      bytes = arith::AndIOp::create(b, bytes, bits((1 << kernel.codeBits) - 1));
    bytes = arith::OrIOp::create(b, bytes, bits(magicBits));
    code = arith::BitcastOp::create(b, sumType, bytes);
    if (!kernel.zero)
      subtractZero(number(magicNumber + (1 << (kernel.codeBits - 1))));
    else if (isa<FloatType>(kernel.zero))
      subtractZero(number(magicNumber));
  }
  if (kernel.zero)
    subtractZero(zeros[vector]);
  return scalesSums ? code : multiply(code, scales[vector]);
}

/// One row of bytes for the whole tile.
SmallVector<Value> TileEmitter::addCodes(ValueRange bases, Value aRow,
                                         Value row, ValueRange sums) {
  SmallVector<Value> bytes, next(sums);
  for (int64_t vector = 0; vector < vectors; ++vector) {
    Value loaded =
        load(rowType, advance(row, kernel.rhs, vector * kernel.lanes));
    bytes.push_back(arith::ExtUIOp::create(
        b, VectorType::get({kernel.lanes}, b.getI32Type()), loaded));
  }
  for (int64_t place = 0; place < kernel.getTermsPerStep(); ++place) {
    SmallVector<Value> columns;
    for (int64_t vector = 0; vector < vectors; ++vector)
      columns.push_back(decode(bytes[vector], vector, place));
    for (int64_t number = 0; number < rows; ++number) {
      Value factor = loadFactor(getFactor(bases, aRow, number, place));
      for (auto [vector, column] : llvm::enumerate(columns)) {
        Value &sum = next[number * vectors + vector];
        sum = multiplyAdd(factor, column, sum);
      }
    }
  }
  return next;
}

/// The sums of a block, chunk by chunk: all terms of a chunk have the same
/// scales.
SmallVector<Value> TileEmitter::addChunks(int64_t unroll,
                                          const TermBlock &block) {
  size_t setSize = rows * vectors;
  scalesSums = setSize <= mostScaledSums;
  int64_t chunkSteps = countSteps(getChunkTerms());
  int64_t stepsOfBlock = countSteps(kernel.blockTerms);
  Value size = constant(chunkSteps);
  SmallVector<Value> carried(setSize, zeroOf(sumType));
  carried.append(getBases(block.a, block.aRow));
  carried.push_back(block.b);
  carried = loop(
      constant(0), block.count, size, carried, [&](Value at, ValueRange now) {
        loadChunk(arith::DivUIOp::create(b, add(block.begin, at),
                                         constant(stepsOfBlock)));
        Value count = minimum(subtract(block.count, at), size);
        Value ahead =
            multiply(constant(prefetchChunks * chunkSteps), arguments[BTerm]);
        prefetchRow(advance(now.back(), kernel.rhs, ahead),
                    chunkSteps * kernel.width, /*isWritten=*/false);
        SmallVector<Value> next(now);
        if (scalesSums)
          llvm::fill(MutableArrayRef(next).take_front(setSize),
                     zeroOf(sumType));
        next = addSets(scalesSums ? unroll : 1, block.aRow, count, next);
        for (size_t number = 0; scalesSums && number < setSize; ++number)
          next[number] =
              multiplyAdd(next[number], scales[number % vectors], now[number]);
        return next;
      });
  carried.truncate(setSize);
  return carried;
}
