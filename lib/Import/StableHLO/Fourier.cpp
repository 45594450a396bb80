//===- Fourier.cpp - Fourier transforms -----------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `fft` of static lengths, axis by axis. A length that is a product is split
// in two (Cooley and Tukey 1965), down to products with small matrices.
//
//===----------------------------------------------------------------------===//

#include "Node.h"
#include "Scalars.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <cmath>
#include <complex>

using namespace mlir;
using namespace mlir::symshape::stablehlo;

namespace {
constexpr double pi = 3.14159265358979323846;
constexpr int64_t mostMatrix = 1024; ///< rows of a matrix of roots

class Fourier {
public:
  Fourier(Node &n, ComplexType type, bool inverse)
      : n(n), type(type), inverse(inverse) {}
  /// Along an axis of static extent, without the factor of an inverse.
  Value along(Value x, int64_t axis);

private:
  /// rows x columns numbers exp(-2 pi i row column / length).
  Value roots(int64_t rows, int64_t columns, int64_t length);
  Value product(Value x, int64_t axis, int64_t length);
  Value twist(Value x, int64_t axis, int64_t rows, int64_t columns);

  Node &n;
  ComplexType type;
  bool inverse;
};
} // namespace

Value Fourier::roots(int64_t rows, int64_t columns, int64_t length) {
  SmallVector<std::complex<APFloat>> numbers;
  auto &semantics = cast<FloatType>(type.getElementType()).getFloatSemantics();
  auto rounded = [&](double value) {
    APFloat number(value);
    bool isInexact;
    number.convert(semantics, APFloat::rmNearestTiesToEven, &isInexact);
    return number;
  };
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      double angle = 2 * pi * ((i * j) % length) / length;
      numbers.emplace_back(
          rounded(std::cos(angle)),
          rounded(inverse ? std::sin(angle) : -std::sin(angle)));
    }
  return arith::ConstantOp::create(
      n.b, n.loc,
      DenseElementsAttr::get(RankedTensorType::get({rows, columns}, type),
                             numbers));
}

/// The sum over the axis with the matrix of all roots.
Value Fourier::product(Value x, int64_t axis, int64_t length) {
  int64_t rank = cast<RankedTensorType>(x.getType()).getRank();
  SmallVector<AffineExpr> in, out;
  for (int64_t i = 0; i < rank; ++i) {
    out.push_back(n.b.getAffineDimExpr(i));
    in.push_back(n.b.getAffineDimExpr(i == axis ? rank : i));
  }
  MLIRContext *context = n.b.getContext();
  AffineMap maps[] = {
      AffineMap::get(rank + 1, 0, in, context),
      AffineMap::get(rank + 1, 0, {out[axis], in[axis]}, context),
      AffineMap::get(rank + 1, 0, out, context)};
  SmallVector<bool> isReduction(rank, false);
  isReduction.push_back(true);
  Value init = n.fill(n.extents(x), n.zero(type));
  return n
      .generic({x, roots(length, length, length)}, init, maps, isReduction,
               [&](OpBuilder &b, Location loc, ValueRange v) {
                 Value product = complex::MulOp::create(b, loc, v[0], v[1]);
                 return SmallVector<Value>{
                     complex::AddOp::create(b, loc, v[2], product)};
               })
      .front();
}

/// Each element along two axes times its root.
Value Fourier::twist(Value x, int64_t axis, int64_t rows, int64_t columns) {
  int64_t rank = cast<RankedTensorType>(x.getType()).getRank();
  AffineMap identity = n.b.getMultiDimIdentityMap(rank);
  AffineMap both = AffineMap::get(
      rank, 0, {n.b.getAffineDimExpr(axis), n.b.getAffineDimExpr(axis + 1)},
      n.b.getContext());
  return n
      .generic({x, roots(rows, columns, rows * columns)},
               n.empty(n.extents(x), type), {identity, both, identity},
               SmallVector<bool>(rank, false),
               [&](OpBuilder &b, Location loc, ValueRange v) {
                 return SmallVector<Value>{
                     complex::MulOp::create(b, loc, v[0], v[1])};
               })
      .front();
}

/// With length = p q, element q i + j comes from row i and column j: transforms
/// of the columns, a factor each, and transforms of the rows give the element
/// of row k and column l of what is element k + p l of the result.
Value Fourier::along(Value x, int64_t axis) {
  constexpr int64_t smallest = 32;
  int64_t length = cast<RankedTensorType>(x.getType()).getDimSize(axis);
  int64_t divisor = 1;
  for (int64_t d = 2; length > smallest && d * d <= length; ++d)
    if (length % d == 0)
      divisor = d;
  if (divisor == 1)
    return product(x, axis, length);
  int64_t rows = divisor, columns = length / divisor;
  SmallVector<OpFoldResult> whole = n.extents(x), parts(whole);
  parts[axis] = n.b.getIndexAttr(rows);
  parts.insert(parts.begin() + axis + 1, n.b.getIndexAttr(columns));
  Value split = along(n.reshape(x, parts), axis);
  split = along(twist(split, axis, rows, columns), axis + 1);
  SmallVector<int64_t> permutation(
      llvm::to_vector(llvm::seq<int64_t>(0, parts.size())));
  std::swap(permutation[axis], permutation[axis + 1]);
  return n.reshape(n.transpose(split, permutation), whole);
}

/// The first elements along the last axis.
static Value takeFirst(Node &n, Value x, int64_t count) {
  SmallVector<OpFoldResult> sizes = n.extents(x);
  SmallVector<OpFoldResult> zeros(sizes.size(), n.b.getIndexAttr(0)),
      ones(sizes.size(), n.b.getIndexAttr(1));
  sizes.back() = n.b.getIndexAttr(count);
  return tensor::ExtractSliceOp::create(n.b, n.loc, x, zeros, sizes, ones);
}

/// All of a spectrum of real numbers, of which the first half is given.
static Value mirror(Node &n, Value x, int64_t length) {
  SmallVector<OpFoldResult> sizes = n.extents(x);
  sizes.back() = n.b.getIndexAttr(length);
  auto type = cast<ComplexType>(getElementTypeOrSelf(x));
  return n.generate(
      sizes, type, [&](OpBuilder &b, Location loc, ValueRange at) {
        Scalars s(b, loc);
        auto constant = [&](int64_t value) {
          return s.integer(b.getIndexType(), value);
        };
        SmallVector<Value> from(at);
        Value other = s.create<arith::SubIOp>(constant(length), at.back());
        Value isFirst = s.create<arith::CmpIOp>(arith::CmpIPredicate::ule,
                                                at.back(), other);
        from.back() = s.select(isFirst, at.back(), other);
        // Element 0 is its own mirror image, and so is one in the middle.
        Value isZero = s.create<arith::CmpIOp>(arith::CmpIPredicate::eq,
                                               at.back(), constant(0));
        from.back() = s.select(isZero, at.back(), from.back());
        Value isMiddle =
            s.create<arith::CmpIOp>(arith::CmpIPredicate::eq, at.back(), other);
        Value isReal = s.create<arith::OrIOp>(isZero, isMiddle);
        Value v = tensor::ExtractOp::create(b, loc, x, from);
        Value re = s.create<complex::ReOp>(v), im = s.create<complex::ImOp>(v);
        Value opposite = s.create<arith::NegFOp>(im);
        im = s.select(isFirst, im, opposite);
        im = s.select(isReal, s.zero(type.getElementType()), im);
        return s.create<complex::CreateOp>(type, re, im);
      });
}

static int64_t largestFactor(int64_t number) {
  int64_t largest = 1;
  for (int64_t d = 2; d * d <= number; ++d)
    for (; number % d == 0; number /= d)
      largest = d;
  return std::max(largest, number);
}

static LogicalResult fft(Node &n) {
  Value x = n.tensor(0);
  auto declared = n.resultType();
  if (!x || !declared)
    return failure();
  StringRef kind = n.word("fft_type");
  SmallVector<int64_t> lengths = n.ints("fft_length");
  int64_t rank = n.rank(0), count = lengths.size();
  bool fromReal = kind == "RFFT", toReal = kind == "IRFFT";
  auto complex = dyn_cast<ComplexType>(fromReal ? declared.getElementType()
                                                : n.element(0));
  if (n.hasFailed() || count < 1 || count > rank || !complex ||
      !(complex.getElementType().isF32() || complex.getElementType().isF64()) ||
      (fromReal && n.element(0) != complex.getElementType()))
    return n.fail("expected complex numbers, and lengths of the last axes");
  constexpr int64_t most = 1 << 20;
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> shape(type.getShape());
  for (int64_t i = 0; i < count; ++i) {
    int64_t &extent = shape[rank - count + i];
    bool isHalf = toReal && i + 1 == count;
    int64_t expected = isHalf ? lengths[i] / 2 + 1 : lengths[i];
    if (lengths[i] < 1 || lengths[i] > most ||
        (!ShapedType::isDynamic(extent) && extent != expected))
      return n.fail("expected extents that are the lengths");
    extent = expected;
    if (largestFactor(lengths[i]) > mostMatrix)
      return n.fail("a length with a prime factor above " + Twine(mostMatrix) +
                    " is not supported");
  }
  x = n.cast(x, type.clone(shape));
  Fourier f(n, complex, kind == "IFFT" || toReal);
  if (fromReal)
    x = n.map(x, complex, [&](Scalars &s, Value v) {
      return s.convert(v, v.getType(), complex);
    });
  double scale = 1;
  if (fromReal)
    x = takeFirst(n, f.along(x, rank - 1), lengths.back() / 2 + 1);
  for (int64_t i = 0; i < count - (fromReal || toReal); ++i)
    x = f.along(x, rank - count + i);
  if (toReal)
    x = f.along(mirror(n, x, lengths.back()), rank - 1);
  if (kind == "IFFT" || toReal)
    for (int64_t length : lengths)
      scale /= length;
  Type part = complex.getElementType();
  if (toReal)
    return n.set(0, n.map(x, part, [&](Scalars &s, Value v) {
      return s.create<arith::MulFOp>(s.create<complex::ReOp>(v),
                                     s.number(part, scale));
    }));
  if (scale == 1)
    return n.set(0, x);
  return n.set(0, n.map(x, complex, [&](Scalars &s, Value v) {
    Value factor = s.number(part, scale);
    Value re = s.create<arith::MulFOp>(s.create<complex::ReOp>(v), factor);
    Value im = s.create<arith::MulFOp>(s.create<complex::ImOp>(v), factor);
    return s.create<complex::CreateOp>(complex, re, im);
  }));
}

void mlir::symshape::stablehlo::addFourierOps(Registry &registry) {
  registry["fft"] = Definition{fft, 1, 1};
}
