//===- BlockQuantized.cpp - Products with weights of few bits -------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MatMulNBits of com.microsoft: weights of 2, 4 or 8 bits, a scale and a zero
// for each block along the terms. Source: ONNX Runtime,
// docs/ContribOperators.md.
//
//===----------------------------------------------------------------------===//

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

/// The weights as floats: terms by columns.
static Tensor expand(Node &n, const Blocks &blocks, DataType type) {
  Emitter &e = n.emit();
  Tensor codes = withExtents(
      n, 1, {blocks.columns, blocks.count() * blocks.bytes()}, "bytes");
  Tensor scales =
      withExtents(n, 2, {blocks.columns, blocks.count()}, "a scale");
  Tensor zeros = n.has(3) ? zerosOf(n, blocks) : Tensor();
  bool fits = !zeros || isInteger(zeros.type) || zeros.type == scales.type;
  if (!fits || bytesOf(scales.type) > bytesOf(type))
    scales = e.cast(scales, type);
  if (zeros && isFloat(zeros.type))
    zeros = e.cast(zeros, scales.type);
  SmallVector<Expr, 4> dims{e.constant(blocks.columns),
                            e.constant(blocks.terms)};
  Value numbers = DequantizeOp::create(
      e.builder(), e.loc(), e.typeOf(dims, type), codes.value, scales.value,
      zeros ? zeros.value : Value(), blocks.bits, blocks.size);
  return e.transpose({numbers, dims, type}, {1, 0});
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
