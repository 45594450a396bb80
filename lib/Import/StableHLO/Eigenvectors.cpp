//===- Eigenvectors.cpp - Eigenvectors of symmetric matrices --------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `syevd` of LAPACK on real matrices, by Jacobi's rotations (Golub and Van
// Loan, Matrix Computations, 8.5) in f64, whatever the elements are.
// Eigenvalues ascend; the signs of eigenvectors are not those of LAPACK.
//
//===----------------------------------------------------------------------===//

#include "Rotations.h"

using namespace mlir;
using namespace mlir::symshape::stablehlo;

namespace {
/// Carried: a symmetric matrix that becomes diagonal, and the product of the
/// rotations so far, whose columns become its eigenvectors.
class Jacobi {
public:
  Jacobi(Node &n, Value x, bool lower)
      : m(n, n.b.getF64Type()), n(n), x(x), lower(lower) {}
  LogicalResult run();

private:
  /// A rotation of rows and columns p and q that makes their element 0.
  SmallVector<Value> rotate(Value p, Value q, ValueRange carried);
  /// Exchanges columns so that eigenvalues ascend: matrix, vectors.
  SmallVector<Value> sortStep(Value place, ValueRange carried);

  Matrices m;
  Node &n;
  Value x, extent;
  bool lower;
};
} // namespace

SmallVector<Value> Jacobi::rotate(Value p, Value q, ValueRange carried) {
  Value a = carried[0], off = m.read(a, {}, p, q);
  Value isDone = m.s.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, off,
                                           m.s.zero(m.wide));
  auto rotation = Rotation::diagonalize(m, m.read(a, {}, p, p),
                                        m.read(a, {}, q, q), off, isDone);
  a = rotation.turn(m, a, extent, p, q, /*areRows=*/false);
  a = rotation.turn(m, a, extent, p, q, /*areRows=*/true);
  return {a, rotation.turn(m, carried[1], extent, p, q, /*areRows=*/false)};
}

SmallVector<Value> Jacobi::sortStep(Value place, ValueRange carried) {
  Value first = m.read(carried[0], {}, place, place);
  Value least =
      m.loop(m.next(place), extent, ValueRange{first, place},
             [&](Value i, ValueRange best) {
               Value v = m.read(carried[0], {}, i, i);
               Value isLess = m.s.create<arith::CmpFOp>(
                   arith::CmpFPredicate::OLT, v, best[0]);
               return SmallVector<Value>{m.s.select(isLess, v, best[0]),
                                         m.s.select(isLess, i, best[1])};
             })
          .back();
  Value value = m.read(carried[0], {}, least, least);
  Value a = m.write(first, carried[0], {}, least, least);
  a = m.write(value, a, {}, place, place);
  return {a, m.exchangeColumns(carried[1], extent, place, least)};
}

LogicalResult Jacobi::run() {
  SmallVector<OpFoldResult> sizes = n.extents(x);
  extent = n.index(sizes.back());
  ArrayRef<OpFoldResult> batches = ArrayRef(sizes).drop_back(2);
  SmallVector<OpFoldResult> lines(ArrayRef(sizes).drop_back());
  Type element = getElementTypeOrSelf(x);
  Value none = m.s.integer(n.b.getI32Type(), 0);
  SmallVector<Value> inits{n.empty(sizes, element), n.empty(lines, element),
                           n.fill(batches, none)};
  auto narrow = [&](Value v) { return m.s.convert(v, m.wide, element); };
  auto ofMatrix = [&](ValueRange batch, ValueRange carried) {
    Value a = m.matrix(extent, extent, [&](Value i, Value j) {
      // The other triangle is not read.
      Value row = lower ? m.s.create<arith::MaxSIOp>(i, j)
                        : m.s.create<arith::MinSIOp>(i, j);
      Value column = lower ? m.s.create<arith::MinSIOp>(i, j)
                           : m.s.create<arith::MaxSIOp>(i, j);
      return m.read(x, batch, row, column);
    });
    Value unit = m.matrix(extent, extent, [&](Value i, Value j) {
      Value isSame = m.s.create<arith::CmpIOp>(arith::CmpIPredicate::eq, i, j);
      return m.s.select(isSame, m.s.number(m.wide, 1), m.s.zero(m.wide));
    });
    // Quadratic in the end: ten sweeps are enough for extents of thousands.
    constexpr int64_t sweeps = 16;
    SmallVector<Value> done =
        m.loop(m.index(0), m.index(sweeps), ValueRange{a, unit},
               [&](Value, ValueRange outer) {
                 return m.loop(m.index(0), extent, outer,
                               [&](Value p, ValueRange middle) {
                                 return m.loop(m.next(p), extent, middle,
                                               [&](Value q, ValueRange inner) {
                                                 return rotate(p, q, inner);
                                               });
                               });
               });
    done = m.loop(m.index(0), extent, done, [&](Value k, ValueRange inner) {
      return sortStep(k, inner);
    });
    SmallVector<Value> results = m.loop(
        m.index(0), extent, carried.take_front(2),
        [&](Value i, ValueRange outer) {
          SmallVector<Value> place(batch);
          place.push_back(i);
          Value values = tensor::InsertOp::create(
              n.b, n.loc, narrow(m.read(done[0], {}, i, i)), outer[1], place);
          Value vectors = m.loop(m.index(0), extent, outer[0],
                                 [&](Value j, ValueRange inner) {
                                   Value v = narrow(m.read(done[1], {}, i, j));
                                   return SmallVector<Value>{
                                       m.write(v, inner[0], batch, i, j)};
                                 })
                              .front();
          return SmallVector<Value>{vectors, values};
        });
    results.push_back(carried[2]);
    return results;
  };
  return n.setAll(n.loops(batches, inits, ofMatrix));
}

LogicalResult mlir::symshape::stablehlo::findEigenvectors(Node &n, bool lower) {
  Value x = n.tensor(0);
  if (!x || !areRealMatrices(n, 0) || n.op->getNumResults() != 3)
    return n.fail("expected matrices of real floats of 32 or 64 bits");
  return Jacobi(n, x, lower).run();
}
