//===- SingularValues.cpp - Singular values and their vectors -------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `gesdd` and `gesvd` of LAPACK on real matrices, by Jacobi's rotations of
// columns (one-sided: Golub and Van Loan, Matrix Computations, 8.6.3) in f64,
// whatever the elements are. A wide matrix is taken as its transpose, so that
// there are as many columns as values. Values descend; the signs of vectors are
// not those of LAPACK.
//
//===----------------------------------------------------------------------===//

#include "Rotations.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::symshape::stablehlo;

namespace {
/// The matrix `w` has `tall` rows and `flat` columns, of which rotations make
/// orthogonal ones: w = x v. Their lengths are the values.
class JacobiColumns {
public:
  JacobiColumns(Node &n, Value x, char mode)
      : m(n, n.b.getF64Type()), n(n), x(x), mode(mode) {}
  LogicalResult run();

private:
  using Body = llvm::function_ref<Value(Value)>;
  /// Of a column: its sum of f(row) over all rows.
  Value sum(Body f);
  Value dot(Value matrix, Value p, Value q);
  /// Makes columns p and q orthogonal: w, v, whether a rotation was needed.
  SmallVector<Value> rotate(Value p, Value q, ValueRange carried);
  /// All pairs once, unless the sweep before needed no rotation.
  SmallVector<Value> sweep(ValueRange carried);
  /// Exchanges columns so that values descend: values, w, v.
  SmallVector<Value> sortStep(Value place, ValueRange carried);
  /// Each row of column `j` by a function of it.
  Value setColumn(Value matrix, Value j, Body f);
  /// Column `j` as one of length 1 that is orthogonal to those before it.
  Value completeStep(Value matrix, Value j);
  /// The `width` vectors of the longer side.
  Value normalize(Value w, Value values, Value width);
  /// The values, then the vectors of either side, of one matrix.
  SmallVector<Value> decompose(Value scale, ValueRange batch);
  SmallVector<Value> writeVectors(Value left, Value right, ValueRange batch,
                                  ValueRange carried);
  Value largest(ValueRange batch);
  Value read(Value list, Value i) {
    return tensor::ExtractOp::create(n.b, n.loc, list, i);
  }
  Value write(Value v, Value list, Value i) {
    return tensor::InsertOp::create(n.b, n.loc, v, list, i);
  }
  Value compare(arith::CmpFPredicate predicate, Value a, Value b) {
    return m.s.create<arith::CmpFOp>(predicate, a, b);
  }
  Value root(Value v) { return m.s.create<math::SqrtOp>(v); }

  Matrices m;
  Node &n;
  Value x, rows, columns, tall, flat, isTall, uColumns, vtRows;
  char mode;
};
} // namespace

Value JacobiColumns::sum(Body f) {
  return m
      .loop(m.index(0), tall, m.s.zero(m.wide),
            [&](Value k, ValueRange carried) {
              return SmallVector<Value>{m.plus(carried[0], f(k))};
            })
      .front();
}

Value JacobiColumns::dot(Value matrix, Value p, Value q) {
  return sum([&](Value k) {
    return m.times(m.read(matrix, {}, k, p), m.read(matrix, {}, k, q));
  });
}

//===----------------------------------------------------------------------===//
// Rotations
//===----------------------------------------------------------------------===//

SmallVector<Value> JacobiColumns::rotate(Value p, Value q, ValueRange carried) {
  Value w = carried[0];
  Value first = dot(w, p, p), second = dot(w, q, q), off = dot(w, p, q);
  // Orthogonal as far as f64 can tell.
  constexpr double tolerance = 1e-15;
  Value least = m.times(m.s.number(m.wide, tolerance),
                        m.times(root(first), root(second)));
  Value isDone =
      compare(arith::CmpFPredicate::OLE, m.s.create<math::AbsFOp>(off), least);
  auto rotation = Rotation::diagonalize(m, first, second, off, isDone);
  Value isNeeded =
      m.s.create<arith::XOrIOp>(isDone, m.s.integer(n.b.getI1Type(), 1));
  return {rotation.turn(m, w, tall, p, q, /*areRows=*/false),
          rotation.turn(m, carried[1], flat, p, q, /*areRows=*/false),
          m.s.create<arith::OrIOp>(carried[2], isNeeded)};
}

SmallVector<Value> JacobiColumns::sweep(ValueRange carried) {
  Value no = m.s.integer(n.b.getI1Type(), 0);
  SmallVector<Value> otherwise{carried[0], carried[1], no};
  return m.where(carried[2], otherwise, [&] {
    return m.loop(m.index(0), flat, otherwise, [&](Value p, ValueRange outer) {
      return m.loop(m.next(p), flat, outer, [&](Value q, ValueRange inner) {
        return rotate(p, q, inner);
      });
    });
  });
}

SmallVector<Value> JacobiColumns::sortStep(Value place, ValueRange carried) {
  Value values = carried[0], first = read(values, place);
  SmallVector<Value> best =
      m.loop(m.next(place), flat, ValueRange{first, place},
             [&](Value i, ValueRange best) {
               Value v = read(values, i);
               Value isMore = compare(arith::CmpFPredicate::OGT, v, best[0]);
               return SmallVector<Value>{m.s.select(isMore, v, best[0]),
                                         m.s.select(isMore, i, best[1])};
             });
  values = write(best[0], write(first, values, best[1]), place);
  return {values, m.exchangeColumns(carried[1], tall, place, best[1]),
          m.exchangeColumns(carried[2], flat, place, best[1])};
}

//===----------------------------------------------------------------------===//
// Vectors of the longer side
//===----------------------------------------------------------------------===//

Value JacobiColumns::setColumn(Value matrix, Value j, Body f) {
  return m
      .loop(m.index(0), tall, matrix,
            [&](Value k, ValueRange carried) {
              return SmallVector<Value>{m.write(f(k), carried[0], {}, k, j)};
            })
      .front();
}

/// From the unit vector that is farthest from the span of the columns before:
/// what is left of it is at least 1 / sqrt(tall) long, so that subtracting its
/// parts in the span twice leaves nothing of them.
Value JacobiColumns::completeStep(Value matrix, Value j) {
  Value zero = m.s.zero(m.wide), one = m.s.number(m.wide, 1);
  auto lengthInSpan = [&](Value k) {
    return m
        .loop(m.index(0), j, zero,
              [&](Value i, ValueRange carried) {
                Value v = m.read(matrix, {}, k, i);
                return SmallVector<Value>{m.plus(carried[0], m.times(v, v))};
              })
        .front();
  };
  Value farthest =
      m.loop(m.index(0), tall, ValueRange{m.s.number(m.wide, 2), m.index(0)},
             [&](Value k, ValueRange best) {
               Value length = lengthInSpan(k);
               Value isLess =
                   compare(arith::CmpFPredicate::OLT, length, best[0]);
               return SmallVector<Value>{m.s.select(isLess, length, best[0]),
                                         m.s.select(isLess, k, best[1])};
             })
          .back();
  matrix = setColumn(matrix, j, [&](Value k) {
    Value isSame =
        m.s.create<arith::CmpIOp>(arith::CmpIPredicate::eq, k, farthest);
    return m.s.select(isSame, one, zero);
  });
  for (int pass = 0; pass < 2; ++pass)
    matrix = m.loop(m.index(0), j, matrix, [&](Value i, ValueRange carried) {
                Value current = carried[0], part = dot(current, i, j);
                return SmallVector<Value>{setColumn(current, j, [&](Value k) {
                  return m.minus(m.read(current, {}, k, j),
                                 m.times(part, m.read(current, {}, k, i)));
                })};
              }).front();
  Value length = root(dot(matrix, j, j));
  Value done = matrix;
  return setColumn(matrix, j, [&](Value k) {
    return m.over(m.read(done, {}, k, j), length);
  });
}

Value JacobiColumns::normalize(Value w, Value values, Value width) {
  Value zero = m.s.zero(m.wide);
  Value vectors = n.fill({OpFoldResult(tall), OpFoldResult(width)}, zero);
  // What is shorter than rounding errors of the longest column has no
  // direction.
  constexpr double tolerance = 1e-15;
  auto column = [&](Value j, ValueRange carried) {
    Value matrix = carried[0], length = read(values, j);
    Value count = m.s.create<arith::IndexCastOp>(n.b.getI64Type(), tall);
    Value least = m.times(
        m.s.create<arith::SIToFPOp>(m.wide, count),
        m.times(m.s.number(m.wide, tolerance), read(values, m.index(0))));
    Value isNone = compare(arith::CmpFPredicate::OLE, length, least);
    Value divisor = m.s.select(isNone, m.s.number(m.wide, 1), length);
    matrix = setColumn(matrix, j, [&](Value k) {
      return m.over(m.read(w, {}, k, j), divisor);
    });
    return m.where(isNone, matrix,
                   [&] { return SmallVector<Value>{completeStep(matrix, j)}; });
  };
  vectors = m.loop(m.index(0), flat, vectors, column).front();
  return m
      .loop(flat, width, vectors,
            [&](Value j, ValueRange carried) {
              return SmallVector<Value>{completeStep(carried[0], j)};
            })
      .front();
}

//===----------------------------------------------------------------------===//
// Matrices of the batch
//===----------------------------------------------------------------------===//

/// The size of the largest element; NaN if there is one.
Value JacobiColumns::largest(ValueRange batch) {
  return m
      .loop(m.index(0), rows, m.s.zero(m.wide),
            [&](Value i, ValueRange outer) {
              return m.loop(
                  m.index(0), columns, outer, [&](Value j, ValueRange inner) {
                    Value size =
                        m.s.create<math::AbsFOp>(m.read(x, batch, i, j));
                    return SmallVector<Value>{
                        m.s.create<arith::MaximumFOp>(inner[0], size)};
                  });
            })
      .front();
}

SmallVector<Value> JacobiColumns::decompose(Value scale, ValueRange batch) {
  Value w = m.matrix(tall, flat, [&](Value i, Value j) {
    return m.over(
        m.read(x, batch, m.s.select(isTall, i, j), m.s.select(isTall, j, i)),
        scale);
  });
  Value unit = m.matrix(flat, flat, [&](Value i, Value j) {
    Value isSame = m.s.create<arith::CmpIOp>(arith::CmpIPredicate::eq, i, j);
    return m.s.select(isSame, m.s.number(m.wide, 1), m.s.zero(m.wide));
  });
  // Quadratic in the end: some ten sweeps are enough for extents of thousands.
  constexpr int64_t mostSweeps = 40;
  SmallVector<Value> turned =
      m.loop(m.index(0), m.index(mostSweeps),
             ValueRange{w, unit, m.s.integer(n.b.getI1Type(), 1)},
             [&](Value, ValueRange carried) { return sweep(carried); });
  Value values = n.fill({OpFoldResult(flat)}, m.s.zero(m.wide));
  values = m.loop(m.index(0), flat, values, [&](Value j, ValueRange carried) {
              return SmallVector<Value>{
                  write(root(dot(turned[0], j, j)), carried[0], j)};
            }).front();
  return m.loop(
      m.index(0), flat, ValueRange{values, turned[0], turned[1]},
      [&](Value j, ValueRange carried) { return sortStep(j, carried); });
}

/// The left vectors as columns, and the right ones as rows.
SmallVector<Value> JacobiColumns::writeVectors(Value left, Value right,
                                               ValueRange batch,
                                               ValueRange carried) {
  Type element = getElementTypeOrSelf(x);
  auto writeAll = [&](Value into, Value height, Value width,
                      llvm::function_ref<Value(Value, Value)> at) {
    return m
        .loop(m.index(0), height, into,
              [&](Value i, ValueRange outer) {
                return m.loop(
                    m.index(0), width, outer, [&](Value j, ValueRange inner) {
                      Value v = m.s.convert(at(i, j), m.wide, element);
                      return SmallVector<Value>{
                          m.write(v, inner[0], batch, i, j)};
                    });
              })
        .front();
  };
  Value u = writeAll(carried[0], rows, uColumns,
                     [&](Value i, Value j) { return m.read(left, {}, i, j); });
  Value vt = writeAll(carried[1], vtRows, columns, [&](Value i, Value j) {
    return m.read(right, {}, j, i);
  });
  return {u, vt};
}

LogicalResult JacobiColumns::run() {
  SmallVector<OpFoldResult> sizes = n.extents(x);
  OpFoldResult height = sizes[sizes.size() - 2], width = sizes.back();
  ArrayRef<OpFoldResult> batches = ArrayRef(sizes).drop_back(2);
  OpFoldResult least = n.importer.sizes.expression("min(p, q)", height, width);
  OpFoldResult most = n.importer.sizes.expression("max(p, q)", height, width);
  rows = n.index(height), columns = n.index(width);
  flat = n.index(least), tall = n.index(most);
  isTall = m.s.create<arith::CmpIOp>(arith::CmpIPredicate::sge, rows, columns);
  // Without vectors, the results that nobody reads may be declared as either.
  auto choose = [&](size_t result, int64_t axis, OpFoldResult all) {
    auto type = n.resultType(result);
    if (mode != 'N' || !type || type.getRank() != n.rank(0))
      return mode == 'A' ? all : least;
    int64_t declared = type.getDimSize(type.getRank() - axis);
    return ShapedType::isDynamic(declared)
               ? least
               : OpFoldResult(n.b.getIndexAttr(declared));
  };
  OpFoldResult uWidth = choose(2, 1, height), vtHeight = choose(3, 2, width);
  uColumns = n.index(uWidth), vtRows = n.index(vtHeight);
  auto shape = [&](ArrayRef<OpFoldResult> last) {
    SmallVector<OpFoldResult> all(batches);
    llvm::append_range(all, last);
    return all;
  };
  Type element = getElementTypeOrSelf(x), i32 = n.b.getI32Type();
  Value zero = m.s.zero(element), none = m.s.integer(i32, 0);
  // The second to fourth result, and the number of an error.
  SmallVector<Value> inits{
      n.fill(shape({least}), zero), n.fill(shape({height, uWidth}), zero),
      n.fill(shape({vtHeight, width}), zero), n.fill(batches, none)};
  auto ofMatrix = [&](ValueRange batch, ValueRange carried) {
    Value size = largest(batch);
    Value isZero = compare(arith::CmpFPredicate::OEQ, size, m.s.zero(m.wide));
    Value scale = m.s.select(isZero, m.s.number(m.wide, 1), size);
    SmallVector<Value> done = decompose(scale, batch);
    Value values =
        m.loop(m.index(0), flat, carried[0], [&](Value i, ValueRange inner) {
           SmallVector<Value> place(batch);
           place.push_back(i);
           Value v =
               m.s.convert(m.times(read(done[0], i), scale), m.wide, element);
           return SmallVector<Value>{
               tensor::InsertOp::create(n.b, n.loc, v, inner[0], place)};
         }).front();
    SmallVector<Value> vectors(carried.slice(1, 2));
    if (mode != 'N') {
      Value longSide = normalize(done[1], done[0], mode == 'A' ? tall : flat);
      Value isWide =
          m.s.create<arith::XOrIOp>(isTall, m.s.integer(n.b.getI1Type(), 1));
      vectors = m.where(isTall, vectors, [&] {
        return writeVectors(longSide, done[2], batch, vectors);
      });
      SmallVector<Value> sofar = vectors;
      vectors = m.where(isWide, sofar, [&] {
        return writeVectors(done[2], longSide, batch, sofar);
      });
    }
    // LAPACK's number for a matrix with a NaN, its fourth argument.
    Value isBad = compare(arith::CmpFPredicate::UNO, size, size);
    Value info = m.s.select(isBad, m.s.integer(i32, -4), none);
    return SmallVector<Value>{
        values, vectors[0], vectors[1],
        tensor::InsertOp::create(n.b, n.loc, info, carried[3], batch)};
  };
  // LAPACK overwrites the matrices; nobody reads what it leaves there.
  SmallVector<Value> results{x};
  llvm::append_range(results, n.loops(batches, inits, ofMatrix));
  return n.setAll(results);
}

LogicalResult mlir::symshape::stablehlo::findSingularValues(Node &n,
                                                            char mode) {
  Value x = n.tensor(0);
  if (!x || !areRealMatrices(n, 0) || n.op->getNumResults() != 5)
    return n.fail("expected matrices of real floats of 32 or 64 bits");
  if (!StringRef("NSA").contains(mode))
    return n.fail("expected the mode 'N', 'S' or 'A' of singular vectors");
  return JacobiColumns(n, x, mode).run();
}
