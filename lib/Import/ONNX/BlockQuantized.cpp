//===- BlockQuantized.cpp - Products with weights of few bits -------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MatMulNBits of com.microsoft: weights of 2, 4 or 8 bits, a scale and a zero
// for each block along the terms; and DequantizeLinear of such weights. Source:
// ONNX Runtime, docs/ContribOperators.md.
//
//===----------------------------------------------------------------------===//

#include "BlockQuantized.h"
#include "Families.h"

#include "symshape/IR/SymShape.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

namespace {
/// Weights of `columns` columns and `terms` terms.
struct Blocks {
  int64_t bits, size, terms, columns;
  int64_t count() const { return llvm::divideCeil(terms, size); }
  int64_t bytes() const { return size * bits / 8; }
  int64_t zeroBytes() const { return llvm::divideCeil(count() * bits, 8); }
};
} // namespace

/// Number `i` of some of `bits` bits that lie in bytes, the first in the low
/// bits; `byteAt` gives a byte.
static Value unpack(Scalars &s, const Blocks &blocks, Value i,
                    llvm::function_ref<Value(Value)> byteAt) {
  Type type = s.b.getI32Type();
  Value inByte = s.index(8 / blocks.bits);
  Value byte = byteAt(s.create<arith::DivUIOp>(i, inByte));
  byte = s.create<arith::ExtUIOp>(type, byte);
  Value place =
      s.create<arith::IndexCastOp>(type, s.create<arith::RemUIOp>(i, inByte));
  Value shift = s.mul(place, s.integer(type, blocks.bits));
  return s.create<arith::AndIOp>(
      s.create<arith::ShRUIOp>(byte, shift),
      s.integer(type, (int64_t(1) << blocks.bits) - 1));
}

/// `t` with these extents, which are required of a constant's or an input's;
/// one row after the other where it has another rank.
static Tensor withExtents(Node &n, size_t i, ArrayRef<int64_t> extents,
                          StringRef what) {
  Emitter &e = n.emit();
  Tensor t = n.tensor(i);
  SmallVector<Expr, 4> dims;
  for (int64_t extent : extents)
    dims.push_back(e.constant(extent));
  e.require(Relation::eq(e.product(t.dims), e.product(dims)),
            "there must be " + what + " for each column and block");
  return e.reshape(t, dims);
}

/// The zeros of blocks: one byte for each, or floats.
static Tensor zerosOf(Node &n, const Blocks &blocks) {
  Emitter &e = n.emit();
  bool arePacked = n.type(3) == DataType::UInt8;
  Tensor zeros = withExtents(
      n, 3, {blocks.columns, arePacked ? blocks.zeroBytes() : blocks.count()},
      "a zero");
  if (!arePacked || blocks.bits == 8)
    return zeros;
  return e.generate({e.constant(blocks.columns), e.constant(blocks.count())},
                    DataType::UInt8, [&](Scalars &s, ArrayRef<Value> at) {
                      Value zero = unpack(s, blocks, at[1], [&](Value byte) {
                        return Emitter::at(s, zeros, {at[0], byte});
                      });
                      return s.cast(zero, DataType::Int32, DataType::UInt8);
                    });
}

/// Codes as floats, columns by terms. `zeros` may be null.
static Tensor makeNumbers(Emitter &e, const Tensor &codes, Tensor scales,
                          Tensor zeros, const Blocks &blocks, DataType type) {
  bool fits = !zeros || isInteger(zeros.type) || zeros.type == scales.type;
  if (!fits || bytesOf(scales.type) > bytesOf(type))
    scales = e.cast(scales, type);
  if (zeros && isFloat(zeros.type))
    zeros = e.cast(zeros, scales.type);
  SmallVector<Expr, 4> dims{codes.dims[0], e.constant(blocks.terms)};
  Value numbers = DequantizeOp::create(
      e.builder(), e.loc(), e.typeOf(dims, type), codes.value, scales.value,
      zeros ? zeros.value : Value(), blocks.bits, blocks.size);
  return {numbers, dims, type};
}

/// The weights as floats: terms by columns.
static Tensor expand(Node &n, const Blocks &blocks, DataType type) {
  Emitter &e = n.emit();
  Tensor codes = withExtents(
      n, 1, {blocks.columns, blocks.count() * blocks.bytes()}, "bytes");
  Tensor scales =
      withExtents(n, 2, {blocks.columns, blocks.count()}, "a scale");
  Tensor zeros = n.has(3) ? zerosOf(n, blocks) : Tensor();
  return e.transpose(makeNumbers(e, codes, scales, zeros, blocks, type),
                     {1, 0});
}

/// Integers of few bits from 0 on: those of a signed type with an offset.
static Value codeAt(Scalars &s, const Tensor &t, ArrayRef<Value> at,
                    int64_t bits) {
  Value code = s.cast(Emitter::at(s, t, at), t.type, DataType::Int32);
  return isUnsigned(t.type)
             ? code
             : s.add(code, s.integer(s.b.getI32Type(), 1 << (bits - 1)));
}

/// The elements of `t`, of rank 2, as codes in bytes.
static Tensor packCodes(Emitter &e, const Tensor &t, const Blocks &blocks) {
  int64_t inByte = 8 / blocks.bits;
  return e.generate(
      {t.dims[0], e.constant(llvm::divideCeil(blocks.terms, inByte))},
      DataType::UInt8, [&](Scalars &s, ArrayRef<Value> at) {
        Type type = s.b.getI32Type();
        Value byte = s.integer(type, 0);
        for (int64_t place = 0; place < inByte; ++place) {
          Value term = s.add(s.mul(at[1], s.index(inByte)), s.index(place));
          term = s.min(term, s.index(blocks.terms - 1)); // behind it: any code
          Value code = codeAt(s, t, {at[0], term}, blocks.bits);
          byte = s.create<arith::OrIOp>(
              byte, s.create<arith::ShLIOp>(
                        code, s.integer(type, place * blocks.bits)));
        }
        return s.cast(byte, DataType::Int32, DataType::UInt8);
      });
}

Tensor mlir::symshape::onnx::dequantizeBlocks(Node &n, int64_t axis,
                                              int64_t block, DataType type) {
  const Operand &operand = n.operand(0);
  if (block == 0 || block % DequantizeOp::blockMultiple != 0 ||
      operand.kind != Operand::IsConstant ||
      operand.constant->dims.size() != 2 || bytesOf(operand.type) != 1 ||
      n.rank(1) != 2)
    return {};
  Emitter &e = n.emit();
  auto getTurned = [&](size_t i) {
    Tensor t = n.tensor(i);
    return axis == 0 ? e.transpose(t, {1, 0}) : t;
  };
  Tensor x = getTurned(0), scales = getTurned(1);
  ArrayRef<int64_t> dims = operand.constant->dims;
  unsigned narrow = operand.constant->narrowBits;
  Blocks blocks{narrow ? narrow : 8, block, dims[axis], dims[1 - axis]};
  int64_t counts[] = {blocks.columns, blocks.count()};
  for (auto [extent, count] : llvm::zip(scales.dims, counts))
    e.require(Relation::eq(extent, e.constant(count)),
              "there must be a scale and a zero for each block");
  Tensor zeros;
  if (n.has(2)) {
    Tensor own = getTurned(2);
    zeros = e.generate(own.dims, DataType::UInt8,
                       [&](Scalars &s, ArrayRef<Value> at) {
                         return s.cast(codeAt(s, own, at, blocks.bits),
                                       DataType::Int32, DataType::UInt8);
                       });
  } else if (isUnsigned(x.type)) {
    zeros = e.fill(scales.dims, DataType::UInt8, 0);
  }
  Tensor numbers =
      makeNumbers(e, packCodes(e, x, blocks), scales, zeros, blocks, type);
  return axis == 0 ? e.transpose(numbers, {1, 0}) : numbers;
}

static LogicalResult matmulNBits(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.tensor(0);
  Blocks blocks{n.intAttr("bits", 4), n.intAttr("block_size", 0),
                n.intAttr("K", 0), n.intAttr("N", 0)};
  if (blocks.bits != 2 && blocks.bits != 4 && blocks.bits != 8)
    return n.fail("expected weights of 2, 4 or 8 bits, but got " +
                  Twine(blocks.bits));
  if (blocks.size < 16 || !llvm::isPowerOf2_64(blocks.size))
    return n.fail("expected a power of 2 from 16 as block_size, but got " +
                  Twine(blocks.size));
  if (blocks.terms < 1 || blocks.columns < 1 ||
      blocks.terms > (int64_t(1) << 31) || blocks.columns > (int64_t(1) << 31))
    return n.fail("expected K and N from 1");
  if (n.has(4))
    return n.fail("expected no g_idx: the order of the terms is that of the "
                  "weights");
  if (x.rank() < 1 || !isFloat(x.type))
    return n.fail("expected floats of rank 1 or more");
  e.require(Relation::eq(x.dims.back(), e.constant(blocks.terms)),
            "rows must have K elements");
  DataType type = sumType(x.type);
  SmallVector<Expr, 4> dims(x.dims);
  dims.back() = e.constant(blocks.terms);
  Tensor rows = e.wrap(x.value, dims, x.type);
  Tensor result = e.matmul(e.cast(rows, type), expand(n, blocks, type), type);
  if (n.has(5)) {
    Tensor bias = e.cast(n.tensor(5), type);
    e.requireBroadcast(bias, result.dims, "there must be a bias per column");
    result = e.wrap(e.add(result, bias).value, result.dims, type);
  }
  return n.setRounded(0, result);
}

void mlir::symshape::onnx::addBlockQuantizedOps(Registry &registry) {
  registry.add("com.microsoft", "MatMulNBits", {3, matmulNBits});
}
