//===- LinearAlgebra.cpp - Factors and solutions of systems ---------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `cholesky` and `triangular_solve`: loops over rows. Floats of 16 bits are
// computed as floats of 32.
//
//===----------------------------------------------------------------------===//

#include "LinearAlgebra.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::symshape::stablehlo;

Value Matrices::as(Value tensor, Type to) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.getElementType() == to)
    return tensor;
  return n.map(tensor, to, [&](Scalars &scalars, Value v) {
    return scalars.convert(v, type.getElementType(), to);
  });
}

Value Matrices::subtractProducts(
    Value init, Value from, Value to,
    llvm::function_ref<std::pair<Value, Value>(Value)> factors) {
  return loop(from, to, init,
              [&](Value k, ValueRange sum) {
                auto [x, y] = factors(k);
                Value product = apply("multiply", {x, y});
                return SmallVector<Value>{apply("subtract", {sum[0], product})};
              })
      .front();
}

SmallVector<Value>
Matrices::where(Value condition, ValueRange otherwise,
                llvm::function_ref<SmallVector<Value>()> then) {
  auto branch = scf::IfOp::create(n.b, n.loc, TypeRange(otherwise), condition,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(n.b);
  n.b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(n.b, n.loc, then());
  n.b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(n.b, n.loc, otherwise);
  return SmallVector<Value>(branch.getResults());
}

Value Matrices::matrix(Value rows, Value columns,
                       llvm::function_ref<Value(Value, Value)> element) {
  return n.generate({OpFoldResult(rows), OpFoldResult(columns)}, wide,
                    [&](OpBuilder &, Location, ValueRange at) -> Value {
                      return element(at[0], at[1]);
                    });
}

Value Matrices::exchangeColumns(Value matrix, Value rows, Value one,
                                Value other) {
  return loop(index(0), rows, matrix,
              [&](Value k, ValueRange carried) {
                Value left = read(carried[0], {}, k, one);
                Value right = read(carried[0], {}, k, other);
                Value half = write(right, carried[0], {}, k, one);
                return SmallVector<Value>{write(left, half, {}, k, other)};
              })
      .front();
}

//===----------------------------------------------------------------------===//
// Cholesky
//===----------------------------------------------------------------------===//

SmallVector<Value> Cholesky::column(ValueRange batch, Value j,
                                    ValueRange carried) {
  Value factor = carried[0];
  Value diagonal = m.subtractProducts(
      readFactor(x, batch, j, j), m.index(0), j, [&](Value k) {
        Value v = readFactor(factor, batch, j, k);
        return std::pair(v, m.conjugate(v));
      });
  Value size = diagonal;
  if (auto complex = dyn_cast<ComplexType>(m.wide))
    size = m.s.create<complex::ReOp>(diagonal);
  Value isPositive = m.s.create<arith::CmpFOp>(arith::CmpFPredicate::OGT, size,
                                               m.s.zero(size.getType()));
  Value root = m.s.create<math::SqrtOp>(size);
  if (isa<ComplexType>(m.wide))
    root =
        m.s.create<complex::CreateOp>(m.wide, root, m.s.zero(size.getType()));
  factor = writeFactor(root, factor, batch, j, j);
  Value next = m.s.create<arith::AddIOp>(j, m.index(1));
  factor =
      m.loop(next, extent, factor, [&](Value i, ValueRange inner) {
         Value sum = m.subtractProducts(
             readFactor(x, batch, i, j), m.index(0), j, [&](Value k) {
               return std::pair(readFactor(inner[0], batch, i, k),
                                m.conjugate(readFactor(inner[0], batch, j, k)));
             });
         Value v = m.apply("divide", {sum, root});
         return SmallVector<Value>{writeFactor(v, inner[0], batch, i, j)};
       }).front();
  // The first minor that fails.
  Value number = m.s.create<arith::IndexCastOp>(n.b.getI32Type(), next);
  Value isFirst = m.s.create<arith::CmpIOp>(
      arith::CmpIPredicate::eq, carried[1], m.s.integer(n.b.getI32Type(), 0));
  Value isNew = m.s.create<arith::AndIOp>(
      isFirst,
      m.s.create<arith::XOrIOp>(isPositive, m.s.integer(n.b.getI1Type(), 1)));
  return {factor, m.s.select(isNew, number, carried[1])};
}

std::pair<Value, Value> Cholesky::run(Value result) {
  SmallVector<OpFoldResult> sizes = n.extents(x);
  extent = n.index(sizes.back());
  ArrayRef<OpFoldResult> batches = ArrayRef(sizes).drop_back(2);
  Value zero = m.s.integer(n.b.getI32Type(), 0);
  SmallVector<Value> inits{result, n.fill(batches, zero)};
  SmallVector<Value> results =
      n.loops(batches, inits, [&](ValueRange batch, ValueRange carried) {
        SmallVector<Value> done = m.loop(
            m.index(0), extent, ValueRange{carried[0], zero},
            [&](Value j, ValueRange inner) { return column(batch, j, inner); });
        return SmallVector<Value>{
            done[0],
            tensor::InsertOp::create(n.b, n.loc, done[1], carried[1], batch)};
      });
  return {results[0], results[1]};
}

bool mlir::symshape::stablehlo::areMatrices(Node &n, size_t i) {
  return n.type(i) && n.rank(i) >= 2 &&
         isa<FloatType, ComplexType>(n.element(i));
}

bool mlir::symshape::stablehlo::areRealMatrices(Node &n, size_t i) {
  return areMatrices(n, i) && (n.element(i).isF32() || n.element(i).isF64());
}

static LogicalResult cholesky(Node &n) {
  Value x = n.tensor(0);
  if (!x || !areMatrices(n, 0))
    return n.fail("expected matrices of floats");
  Matrices m(n, n.element(0));
  Value zeros = n.fill(n.extents(x), n.zero(m.wide));
  Value factor = Cholesky(n, m.as(x, m.wide), n.flag("lower")).run(zeros).first;
  return n.set(0, m.as(factor, m.element));
}

//===----------------------------------------------------------------------===//
// Triangular systems
//===----------------------------------------------------------------------===//

LogicalResult mlir::symshape::stablehlo::solveTriangular(Node &n,
                                                         const Triangle &t) {
  Value a = n.tensor(0), right = n.tensor(1);
  if (!a || !right || !areMatrices(n, 0) || !areMatrices(n, 1) ||
      n.rank(0) != n.rank(1) || n.element(0) != n.element(1))
    return n.fail("expected matrices of one type of floats");
  Matrices m(n, n.element(0));
  // op(a) x = b, or x op(a) = b, which is transpose(op(a)) x' = b'.
  bool left = t.left, swapped = t.isTransposed == left;
  bool forward = t.lower != swapped;
  SmallVector<OpFoldResult> sizes = n.extents(right);
  Value extent = n.index(sizes[sizes.size() - (left ? 2 : 1)]);
  Value last = m.s.create<arith::SubIOp>(extent, m.index(1));
  auto coefficient = [&](ValueRange batch, Value row, Value column) {
    Value v =
        swapped ? m.read(a, batch, column, row) : m.read(a, batch, row, column);
    return t.isConjugated ? m.conjugate(v) : v;
  };
  auto place = [&](Value step) -> Value {
    return forward ? step : m.s.create<arith::SubIOp>(last, step);
  };
  // The right-hand sides, one after the other, beside the batch.
  SmallVector<OpFoldResult> lines(sizes);
  lines.erase(lines.end() - (left ? 2 : 1));
  SmallVector<Value> results = n.loops(
      lines, m.as(right, m.wide), [&](ValueRange line, ValueRange outer) {
        ValueRange batch = line.drop_back();
        auto at = [&](Value tensor, Value row) {
          return left ? m.read(tensor, batch, row, line.back())
                      : m.read(tensor, batch, line.back(), row);
        };
        return m.loop(
            m.index(0), extent, outer, [&](Value step, ValueRange inner) {
              Value row = place(step);
              Value sum = m.subtractProducts(
                  at(inner[0], row), m.index(0), step, [&](Value k) {
                    Value other = place(k);
                    return std::pair(coefficient(batch, row, other),
                                     at(inner[0], other));
                  });
              if (!t.unit)
                sum = m.apply("divide", {sum, coefficient(batch, row, row)});
              return SmallVector<Value>{
                  left ? m.write(sum, inner[0], batch, row, line.back())
                       : m.write(sum, inner[0], batch, line.back(), row)};
            });
      });
  return n.set(0, m.as(results.front(), m.element));
}

static LogicalResult triangularSolve(Node &n) {
  StringRef form = n.word("transpose_a");
  return solveTriangular(
      n, Triangle{n.flag("left_side"), n.flag("lower"), n.flag("unit_diagonal"),
                  form == "TRANSPOSE" || form == "ADJOINT", form == "ADJOINT"});
}

void mlir::symshape::stablehlo::addLinearAlgebraOps(Registry &registry) {
  registry["cholesky"] = Definition{cholesky, 1, 1};
  registry["triangular_solve"] = Definition{triangularSolve, 2, 1};
}
