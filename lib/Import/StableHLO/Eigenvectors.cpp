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

#include "LinearAlgebra.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::symshape::stablehlo;

namespace {
class Jacobi {
public:
  Jacobi(Node &n, Value x, bool lower)
      : m(n, n.b.getF64Type()), n(n), x(x), lower(lower) {}
  LogicalResult run();

private:
  /// A rotation of rows and columns p and q that makes their element 0.
  SmallVector<Value> rotate(Value p, Value q, ValueRange carried);
  /// Combines two columns, or rows, of a matrix.
  Value combine(Value p, Value q, Value cosine, Value sine, Value matrix,
                bool areRows);
  /// Exchanges columns so that eigenvalues ascend: matrix, vectors.
  SmallVector<Value> sortStep(Value place, ValueRange carried);
  Value times(Value a, Value b) { return m.s.create<arith::MulFOp>(a, b); }
  Value plus(Value a, Value b) { return m.s.create<arith::AddFOp>(a, b); }
  Value minus(Value a, Value b) { return m.s.create<arith::SubFOp>(a, b); }
  Value next(Value index) {
    return m.s.create<arith::AddIOp>(index, m.index(1));
  }
  Value square(Value extent, llvm::function_ref<Value(Value, Value)> element);

  Matrices m;
  Node &n;
  Value x, extent;
  bool lower;
};
} // namespace

Value Jacobi::combine(Value p, Value q, Value cosine, Value sine, Value matrix,
                      bool areRows) {
  auto read = [&](Value from, Value line, Value k) {
    return areRows ? m.read(from, {}, line, k) : m.read(from, {}, k, line);
  };
  auto write = [&](Value v, Value into, Value line, Value k) {
    return areRows ? m.write(v, into, {}, line, k)
                   : m.write(v, into, {}, k, line);
  };
  return m
      .loop(m.index(0), extent, matrix,
            [&](Value k, ValueRange carried) {
              Value one = read(carried[0], p, k), two = read(carried[0], q, k);
              Value half = write(minus(times(cosine, one), times(sine, two)),
                                 carried[0], p, k);
              return SmallVector<Value>{write(
                  plus(times(sine, one), times(cosine, two)), half, q, k)};
            })
      .front();
}

SmallVector<Value> Jacobi::rotate(Value p, Value q, ValueRange carried) {
  Value a = carried[0], one = m.s.number(m.wide, 1), zero = m.s.zero(m.wide);
  Value off = m.read(a, {}, p, q);
  Value isDone =
      m.s.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, off, zero);
  Value safe = m.s.select(isDone, one, off);
  Value half =
      m.s.create<arith::DivFOp>(minus(m.read(a, {}, q, q), m.read(a, {}, p, p)),
                                times(m.s.number(m.wide, 2), safe));
  // t = sign(half) / (|half| + sqrt(half^2 + 1)), the smaller root.
  Value root = m.s.create<math::SqrtOp>(plus(times(half, half), one));
  Value size = plus(m.s.create<math::AbsFOp>(half), root);
  Value tangent =
      m.s.create<math::CopySignOp>(m.s.create<arith::DivFOp>(one, size), half);
  tangent = m.s.select(isDone, zero, tangent);
  Value cosine = m.s.create<arith::DivFOp>(
      one, m.s.create<math::SqrtOp>(plus(times(tangent, tangent), one)));
  Value sine = times(tangent, cosine);
  a = combine(p, q, cosine, sine, a, /*areRows=*/false);
  a = combine(p, q, cosine, sine, a, /*areRows=*/true);
  return {a, combine(p, q, cosine, sine, carried[1], /*areRows=*/false)};
}

SmallVector<Value> Jacobi::sortStep(Value place, ValueRange carried) {
  Value first = m.read(carried[0], {}, place, place);
  Value least =
      m.loop(next(place), extent, ValueRange{first, place},
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
  Value vectors =
      m.loop(m.index(0), extent, carried[1], [&](Value k, ValueRange inner) {
         Value one = m.read(inner[0], {}, k, place);
         Value two = m.read(inner[0], {}, k, least);
         Value half = m.write(two, inner[0], {}, k, place);
         return SmallVector<Value>{m.write(one, half, {}, k, least)};
       }).front();
  return {a, vectors};
}

Value Jacobi::square(Value extent,
                     llvm::function_ref<Value(Value, Value)> element) {
  SmallVector<OpFoldResult> sizes(2, extent);
  return n.generate(sizes, m.wide,
                    [&](OpBuilder &, Location, ValueRange at) -> Value {
                      return element(at[0], at[1]);
                    });
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
    Value a = square(extent, [&](Value i, Value j) {
      // The other triangle is not read.
      Value row = lower ? m.s.create<arith::MaxSIOp>(i, j)
                        : m.s.create<arith::MinSIOp>(i, j);
      Value column = lower ? m.s.create<arith::MinSIOp>(i, j)
                           : m.s.create<arith::MaxSIOp>(i, j);
      return m.read(x, batch, row, column);
    });
    Value unit = square(extent, [&](Value i, Value j) {
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
                                 return m.loop(next(p), extent, middle,
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
  if (!x || !areMatrices(n, 0) || n.op->getNumResults() != 3 ||
      !(n.element(0).isF32() || n.element(0).isF64()))
    return n.fail("expected matrices of real floats of 32 or 64 bits");
  return Jacobi(n, x, lower).run();
}
