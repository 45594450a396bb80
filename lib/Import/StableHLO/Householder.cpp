//===- Householder.cpp - Factors by reflections ---------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `geqrf` and `orgqr` of LAPACK on real matrices, by the loops of its unblocked
// forms (geqr2, larfg, org2r): the signs are those of LAPACK.
//
//===----------------------------------------------------------------------===//

#include "Householder.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::symshape::stablehlo;

namespace {
/// A reflection I - tau v v' is kept below the diagonal of its column, where v
/// has an implicit 1.
class Reflections {
public:
  Reflections(Node &n, Value x) : m(n, getElementTypeOrSelf(x)), n(n) {
    SmallVector<OpFoldResult> sizes = n.extents(x);
    rows = n.index(sizes[sizes.size() - 2]);
    columns = n.index(sizes.back());
  }
  /// Carried: the matrices, and tau of each reflection.
  SmallVector<Value> factorStep(ValueRange batch, Value k, ValueRange carried);
  /// The columns from the one of reflection `k` on become those of Q.
  Value expandStep(ValueRange batch, Value k, Value tau, Value matrix);

  Matrices m;
  Value rows, columns;

private:
  /// Multiplies rows of a column below `k` by `factor`.
  Value scaleBelow(ValueRange batch, Value k, Value factor, Value matrix);
  /// Applies reflection `k` to the columns behind its own.
  Value apply(ValueRange batch, Value k, Value tau, Value matrix);
  Value normBelow(ValueRange batch, Value k, Value matrix);

  Node &n;
};
} // namespace

Value Reflections::scaleBelow(ValueRange batch, Value k, Value factor,
                              Value matrix) {
  return m
      .loop(m.next(k), rows, matrix,
            [&](Value i, ValueRange carried) {
              Value v = m.read(carried[0], batch, i, k);
              return SmallVector<Value>{
                  m.write(m.times(v, factor), carried[0], batch, i, k)};
            })
      .front();
}

Value Reflections::apply(ValueRange batch, Value k, Value tau, Value matrix) {
  auto column = [&](Value j, ValueRange outer) {
    Value first = m.read(outer[0], batch, k, j);
    Value sum =
        m.loop(m.next(k), rows, first, [&](Value i, ValueRange carried) {
           Value product = m.times(m.read(outer[0], batch, i, k),
                                   m.read(outer[0], batch, i, j));
           return SmallVector<Value>{m.plus(carried[0], product)};
         }).front();
    Value scaled = m.times(sum, tau);
    Value changed = m.write(m.minus(first, scaled), outer[0], batch, k, j);
    return m.loop(m.next(k), rows, changed, [&](Value i, ValueRange carried) {
      Value product = m.times(m.read(carried[0], batch, i, k), scaled);
      Value rest = m.minus(m.read(carried[0], batch, i, j), product);
      return SmallVector<Value>{m.write(rest, carried[0], batch, i, j)};
    });
  };
  return m.loop(m.next(k), columns, matrix, column).front();
}

/// Scaled by the largest element, so that no square overflows.
Value Reflections::normBelow(ValueRange batch, Value k, Value matrix) {
  Value zero = m.s.zero(m.wide);
  auto sizeAt = [&](Value i) {
    return m.s.create<math::AbsFOp>(m.read(matrix, batch, i, k));
  };
  Value largest = m.loop(m.next(k), rows, zero, [&](Value i, ValueRange most) {
                     return SmallVector<Value>{
                         m.s.create<arith::MaximumFOp>(most[0], sizeAt(i))};
                   }).front();
  Value isZero =
      m.s.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, largest, zero);
  Value scale = m.s.select(isZero, m.s.number(m.wide, 1), largest);
  Value sum =
      m.loop(m.next(k), rows, zero, [&](Value i, ValueRange carried) {
         Value part = m.over(sizeAt(i), scale);
         return SmallVector<Value>{m.plus(carried[0], m.times(part, part))};
       }).front();
  return m.times(scale, m.s.create<math::SqrtOp>(sum));
}

SmallVector<Value> Reflections::factorStep(ValueRange batch, Value k,
                                           ValueRange carried) {
  Value matrix = carried[0], zero = m.s.zero(m.wide);
  Value alpha = m.read(matrix, batch, k, k);
  Value norm = normBelow(batch, k, matrix);
  Value isDone =
      m.s.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, norm, zero);
  // hypot(alpha, norm), with the sign that makes no difference cancel.
  Value size = m.s.create<math::AbsFOp>(alpha);
  Value most = m.s.create<arith::MaximumFOp>(size, norm);
  Value least = m.s.create<arith::MinimumFOp>(size, norm);
  Value one = m.s.number(m.wide, 1);
  Value ratio = m.over(least, m.s.select(isDone, one, most));
  Value root = m.s.create<math::SqrtOp>(m.plus(one, m.times(ratio, ratio)));
  Value length = m.times(most, root);
  Value beta =
      m.s.create<arith::NegFOp>(m.s.create<math::CopySignOp>(length, alpha));
  auto orNot = [&](Value otherwise, Value v) {
    return m.s.select(isDone, otherwise, v);
  };
  Value safe = orNot(one, beta);
  Value tau = orNot(zero, m.over(m.minus(beta, alpha), safe));
  Value factor = orNot(one, m.over(one, orNot(one, m.minus(alpha, beta))));
  matrix = scaleBelow(batch, k, factor, matrix);
  matrix = m.write(orNot(alpha, beta), matrix, batch, k, k);
  matrix = apply(batch, k, tau, matrix);
  SmallVector<Value> place(batch);
  place.push_back(k);
  return {matrix, tensor::InsertOp::create(n.b, n.loc, tau, carried[1], place)};
}

Value Reflections::expandStep(ValueRange batch, Value k, Value tau,
                              Value matrix) {
  matrix = apply(batch, k, tau, matrix);
  Value one = m.s.number(m.wide, 1), zero = m.s.zero(m.wide);
  matrix = scaleBelow(batch, k, m.s.create<arith::NegFOp>(tau), matrix);
  matrix = m.write(m.minus(one, tau), matrix, batch, k, k);
  return m
      .loop(m.index(0), k, matrix,
            [&](Value i, ValueRange carried) {
              return SmallVector<Value>{m.write(zero, carried[0], batch, i, k)};
            })
      .front();
}

LogicalResult mlir::symshape::stablehlo::factorByReflections(Node &n) {
  Value x = n.tensor(0);
  if (!x || !areRealMatrices(n, 0) || n.op->getNumResults() != 2)
    return n.fail("expected matrices of real floats of 32 or 64 bits");
  Reflections r(n, x);
  SmallVector<OpFoldResult> sizes = n.extents(x);
  ArrayRef<OpFoldResult> batches = ArrayRef(sizes).drop_back(2);
  OpFoldResult steps = n.importer.sizes.expression(
      "min(p, q)", sizes[sizes.size() - 2], sizes.back());
  SmallVector<OpFoldResult> taus(batches);
  taus.push_back(steps);
  SmallVector<Value> inits{x, n.fill(taus, r.m.s.zero(r.m.wide))};
  SmallVector<Value> results =
      n.loops(batches, inits, [&](ValueRange batch, ValueRange carried) {
        return r.m.loop(r.m.index(0), n.index(steps), carried,
                        [&](Value k, ValueRange inner) {
                          return r.factorStep(batch, k, inner);
                        });
      });
  return n.setAll(results);
}

LogicalResult mlir::symshape::stablehlo::expandReflections(Node &n) {
  Value x = n.tensor(0), taus = n.tensor(1);
  if (!x || !taus || !areRealMatrices(n, 0) || n.element(1) != n.element(0) ||
      n.rank(1) != n.rank(0) - 1 || n.op->getNumResults() != 1)
    return n.fail("expected matrices of real floats of 32 or 64 bits, and a "
                  "factor for each reflection");
  Reflections r(n, x);
  SmallVector<OpFoldResult> sizes = n.extents(x);
  ArrayRef<OpFoldResult> batches = ArrayRef(sizes).drop_back(2);
  Value count = n.index(n.extent(taus, n.rank(1) - 1));
  Value last = r.m.s.create<arith::SubIOp>(count, r.m.index(1));
  // Columns behind the reflections are those of the unit matrix.
  Value zero = r.m.s.zero(r.m.wide), one = r.m.s.number(r.m.wide, 1);
  SmallVector<Value> results =
      n.loops(batches, x, [&](ValueRange batch, ValueRange carried) {
        Value matrix =
            r.m.loop(count, r.columns, carried[0],
                     [&](Value j, ValueRange outer) {
                       return r.m.loop(
                           r.m.index(0), r.rows, outer,
                           [&](Value i, ValueRange inner) {
                             Value isOne = r.m.s.create<arith::CmpIOp>(
                                 arith::CmpIPredicate::eq, i, j);
                             return SmallVector<Value>{
                                 r.m.write(r.m.s.select(isOne, one, zero),
                                           inner[0], batch, i, j)};
                           });
                     })
                .front();
        return r.m.loop(
            r.m.index(0), count, matrix, [&](Value step, ValueRange inner) {
              Value k = r.m.s.create<arith::SubIOp>(last, step);
              SmallVector<Value> place(batch);
              place.push_back(k);
              Value tau = tensor::ExtractOp::create(n.b, n.loc, taus, place);
              return SmallVector<Value>{r.expandStep(batch, k, tau, inner[0])};
            });
      });
  return n.set(0, results.front());
}
