//===- Lapack.cpp - Calls of LAPACK ---------------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// JAX exports factorizations for CPUs as calls of LAPACK, with letters in the
// configuration of a call. They become the loops that LAPACK documents, so that
// no library is needed where the program runs.
//
//===----------------------------------------------------------------------===//

#include "Householder.h"
#include "LinearAlgebra.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::symshape::stablehlo;

/// The letter of a call's configuration; 0 if it has none of that name.
static char letter(Node &n, StringRef name) {
  auto config =
      dyn_cast_or_null<DictionaryAttr>(n.attribute("mhlo.backend_config"));
  auto value = config ? config.getAs<IntegerAttr>(name) : nullptr;
  return value && value.getValue().getActiveBits() < 8
             ? static_cast<char>(value.getValue().getZExtValue())
             : 0;
}

/// `potrf`: the other triangle stays as it is.
static LogicalResult factorPositive(Node &n) {
  Value x = n.tensor(0);
  char triangle = letter(n, "uplo");
  if (!x || !areMatrices(n, 0) || !triangle || n.op->getNumResults() != 2)
    return n.fail("expected matrices of floats, and a triangle");
  auto [factor, info] = Cholesky(n, x, triangle == 'L').run(x);
  return failed(n.set(0, factor)) ? failure() : n.set(1, info);
}

/// `trsm`.
static LogicalResult solveTriangle(Node &n) {
  char side = letter(n, "side"), diagonal = letter(n, "diag"),
       form = letter(n, "trans_x"), triangle = letter(n, "uplo");
  if (!side || !diagonal || !form || !triangle || n.op->getNumResults() != 1)
    return n.fail("expected a side, a triangle, its diagonal and form");
  return solveTriangular(n,
                         Triangle{side == 'L', triangle == 'L', diagonal == 'U',
                                  form != 'N', form == 'C'});
}

namespace {
/// `getrf`: a matrix as a unit lower and an upper triangle, with the largest
/// element of each column made its pivot by an exchange of rows.
class Elimination {
public:
  Elimination(Node &n, Value x)
      : m(n, getElementTypeOrSelf(x)), n(n), x(x), i32(n.b.getI32Type()) {}
  LogicalResult run();

private:
  SmallVector<Value> step(ValueRange batch, Value k, ValueRange carried);
  /// The size of an element as LAPACK compares it.
  Value sizeOf(Value v);
  Value findPivot(Value factor, ValueRange batch, Value k);
  Value exchangeRows(Value factor, ValueRange batch, Value one, Value other);
  Value eliminate(Value factor, ValueRange batch, Value k);

  Matrices m;
  Node &n;
  Value x;
  Type i32;
  Value rows, columns;
};
} // namespace

Value Elimination::sizeOf(Value v) {
  if (!isa<ComplexType>(v.getType()))
    return m.s.create<math::AbsFOp>(v);
  Value re = m.s.create<math::AbsFOp>(m.s.create<complex::ReOp>(v));
  Value im = m.s.create<math::AbsFOp>(m.s.create<complex::ImOp>(v));
  return m.s.create<arith::AddFOp>(re, im);
}

Value Elimination::findPivot(Value factor, ValueRange batch, Value k) {
  Value first = sizeOf(m.read(factor, batch, k, k));
  return m
      .loop(k, rows, ValueRange{first, k},
            [&](Value i, ValueRange best) {
              Value size = sizeOf(m.read(factor, batch, i, k));
              Value isLarger = m.s.create<arith::CmpFOp>(
                  arith::CmpFPredicate::OGT, size, best[0]);
              return SmallVector<Value>{m.s.select(isLarger, size, best[0]),
                                        m.s.select(isLarger, i, best[1])};
            })
      .back();
}

Value Elimination::exchangeRows(Value factor, ValueRange batch, Value one,
                                Value other) {
  return m
      .loop(m.index(0), columns, factor,
            [&](Value j, ValueRange carried) {
              Value upper = m.read(carried[0], batch, one, j);
              Value lower = m.read(carried[0], batch, other, j);
              Value half = m.write(lower, carried[0], batch, one, j);
              return SmallVector<Value>{m.write(upper, half, batch, other, j)};
            })
      .front();
}

/// Of the rows below the pivot, which is not 0.
Value Elimination::eliminate(Value factor, ValueRange batch, Value k) {
  Value next = m.next(k);
  Value pivot = m.read(factor, batch, k, k);
  return m
      .loop(next, rows, factor,
            [&](Value i, ValueRange outer) {
              Value part =
                  m.apply("divide", {m.read(outer[0], batch, i, k), pivot});
              Value scaled = m.write(part, outer[0], batch, i, k);
              return m.loop(
                  next, columns, scaled, [&](Value j, ValueRange inner) {
                    Value product = m.apply(
                        "multiply", {part, m.read(inner[0], batch, k, j)});
                    Value rest = m.apply(
                        "subtract", {m.read(inner[0], batch, i, j), product});
                    return SmallVector<Value>{
                        m.write(rest, inner[0], batch, i, j)};
                  });
            })
      .front();
}

/// Carried: the matrices, the pivots, and the first column without a pivot.
SmallVector<Value> Elimination::step(ValueRange batch, Value k,
                                     ValueRange carried) {
  Value pivot = findPivot(carried[0], batch, k);
  Value factor = exchangeRows(carried[0], batch, k, pivot);
  SmallVector<Value> place(batch);
  place.push_back(k);
  auto fromOne = [&](Value index) {
    return m.s.create<arith::IndexCastOp>(
        i32, m.s.create<arith::AddIOp>(index, m.index(1)));
  };
  Value pivots =
      tensor::InsertOp::create(n.b, n.loc, fromOne(pivot), carried[1], place);
  Value size = sizeOf(m.read(factor, batch, k, k));
  Value isZero = m.s.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, size,
                                           m.s.zero(size.getType()));
  Value isPivot = m.s.create<arith::CmpFOp>(arith::CmpFPredicate::UNE, size,
                                            m.s.zero(size.getType()));
  factor = m.where(isPivot, factor, [&] {
              return SmallVector<Value>{eliminate(factor, batch, k)};
            }).front();
  Value none = m.s.create<arith::CmpIOp>(arith::CmpIPredicate::eq, carried[2],
                                         m.s.integer(i32, 0));
  Value isFirst = m.s.create<arith::AndIOp>(none, isZero);
  return {factor, pivots, m.s.select(isFirst, fromOne(k), carried[2])};
}

LogicalResult Elimination::run() {
  SmallVector<OpFoldResult> sizes = n.extents(x);
  rows = n.index(sizes[sizes.size() - 2]);
  columns = n.index(sizes.back());
  SizeMath &math = n.importer.sizes;
  OpFoldResult steps =
      math.expression("min(p, q)", sizes[sizes.size() - 2], sizes.back());
  SmallVector<OpFoldResult> batches(sizes.begin(), sizes.end() - 2),
      pivots(batches);
  pivots.push_back(steps);
  Value zero = m.s.integer(i32, 0);
  SmallVector<Value> inits{x, n.fill(pivots, zero), n.fill(batches, zero)};
  SmallVector<Value> results =
      n.loops(batches, inits, [&](ValueRange batch, ValueRange carried) {
        SmallVector<Value> done = m.loop(
            m.index(0), n.index(steps),
            ValueRange{carried[0], carried[1], zero},
            [&](Value k, ValueRange inner) { return step(batch, k, inner); });
        done[2] =
            tensor::InsertOp::create(n.b, n.loc, done[2], carried[2], batch);
        return done;
      });
  return n.setAll(results);
}

static LogicalResult factorGeneral(Node &n) {
  Value x = n.tensor(0);
  if (!x || !areMatrices(n, 0) || n.op->getNumResults() != 3 ||
      n.element(0).isF16() || n.element(0).isBF16())
    return n.fail("expected matrices of floats of 32 or 64 bits");
  return Elimination(n, x).run();
}

std::optional<LogicalResult>
mlir::symshape::stablehlo::callLapack(Node &n, StringRef target) {
  // lapack_, a letter for the type, the function, _ffi
  if (!target.consume_front("lapack_") || !target.consume_back("_ffi") ||
      target.empty() || n.count() == 0)
    return std::nullopt;
  StringRef function = target.drop_front();
  if (function == "potrf")
    return factorPositive(n);
  if (function == "getrf")
    return factorGeneral(n);
  if (function == "geqrf")
    return factorByReflections(n);
  if (function == "orgqr" && n.count() > 1)
    return expandReflections(n);
  if (function == "syevd" && letter(n, "mode") == 'V')
    return findEigenvectors(n, letter(n, "uplo") == 'L');
  if (function == "gesdd" || function == "gesvd")
    return findSingularValues(n, letter(n, "mode"));
  if (function == "trsm" && n.count() > 1)
    return solveTriangle(n);
  return std::nullopt;
}
