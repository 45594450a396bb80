//===- LinearAlgebra.h - Factors of matrices --------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_STABLEHLO_LINEARALGEBRA_H
#define SYMSHAPE_LIB_IMPORT_STABLEHLO_LINEARALGEBRA_H

#include "Node.h"
#include "Scalars.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::symshape::stablehlo {

/// Matrices in the last two axes, and functions on their elements.
struct Matrices {
  Matrices(Node &n, Type element)
      : n(n), s(n.b, n.loc), element(element),
        wide(element.isF16() || element.isBF16() ? n.b.getF32Type() : element) {
  }

  Value index(int64_t value) { return n.index(n.b.getIndexAttr(value)); }
  Value apply(StringRef name, ArrayRef<Value> x) {
    SmallVector<Type> types(x.size(), wide);
    return s.compute(ScalarOp{name, types, wide, n.b.getDictionaryAttr({})}, x);
  }
  // Of real numbers.
  Value plus(Value x, Value y) { return s.create<arith::AddFOp>(x, y); }
  Value minus(Value x, Value y) { return s.create<arith::SubFOp>(x, y); }
  Value times(Value x, Value y) { return s.create<arith::MulFOp>(x, y); }
  Value over(Value x, Value y) { return s.create<arith::DivFOp>(x, y); }
  Value next(Value index) {
    return s.create<arith::AddIOp>(index, this->index(1));
  }
  Value conjugate(Value x) {
    if (!isa<ComplexType>(wide))
      return x;
    return s.create<complex::ConjOp>(x);
  }
  /// The element of a matrix of the batch, in the wide type.
  Value read(Value tensor, ValueRange batch, Value row, Value column) {
    SmallVector<Value> at(batch);
    at.append({row, column});
    Value x = tensor::ExtractOp::create(n.b, n.loc, tensor, at);
    return x.getType() == wide ? x : s.convert(x, x.getType(), wide);
  }
  Value write(Value x, Value tensor, ValueRange batch, Value row,
              Value column) {
    SmallVector<Value> at(batch);
    at.append({row, column});
    return tensor::InsertOp::create(n.b, n.loc, x, tensor, at);
  }
  SmallVector<Value>
  loop(Value from, Value to, ValueRange inits,
       llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
    return n.loop(from, to, index(1), inits, body);
  }
  /// What `then` gives where the condition holds, else these values.
  SmallVector<Value> where(Value condition, ValueRange otherwise,
                           llvm::function_ref<SmallVector<Value>()> then);
  /// The matrix of these extents, in the wide type, from a function of row and
  /// column.
  Value matrix(Value rows, Value columns,
               llvm::function_ref<Value(Value, Value)> element);
  /// Exchanges two columns of a matrix of `rows` rows.
  Value exchangeColumns(Value matrix, Value rows, Value one, Value other);
  /// A tensor in another element type.
  Value as(Value tensor, Type to);
  /// init - sum of products over k from `from` to `to`.
  Value
  subtractProducts(Value init, Value from, Value to,
                   llvm::function_ref<std::pair<Value, Value>(Value)> factors);

  Node &n;
  Scalars s;
  Type element, wide;
};

/// Factors of `x`, with the other triangle as it is in `result` already, and,
/// if `wantsInfo`, the number of the first minor that is not positive, or 0.
class Cholesky {
public:
  Cholesky(Node &n, Value x, bool lower)
      : m(n, getElementTypeOrSelf(x)), n(n), x(x), lower(lower) {}
  std::pair<Value, Value> run(Value result);

private:
  SmallVector<Value> column(ValueRange batch, Value j, ValueRange carried);
  /// An element of the lower factor, wherever it is kept.
  Value readFactor(Value factor, ValueRange batch, Value row, Value column) {
    return lower ? m.read(factor, batch, row, column)
                 : m.conjugate(m.read(factor, batch, column, row));
  }
  Value writeFactor(Value v, Value factor, ValueRange batch, Value row,
                    Value column) {
    return lower ? m.write(v, factor, batch, row, column)
                 : m.write(m.conjugate(v), factor, batch, column, row);
  }

  Matrices m;
  Node &n;
  Value x;
  bool lower;
  Value extent;
};

/// Which half of a matrix is read, and how it multiplies.
struct Triangle {
  bool left, lower, unit, isTransposed, isConjugated;
};
/// Solves a system: operands 0 and 1, result 0.
LogicalResult solveTriangular(Node &n, const Triangle &triangle);

bool areMatrices(Node &n, size_t i);
/// The same of real floats of 32 or 64 bits.
bool areRealMatrices(Node &n, size_t i);

/// `syevd`: eigenvectors as columns, eigenvalues, 0 for each matrix.
LogicalResult findEigenvectors(Node &n, bool lower);

/// `gesdd` and `gesvd`. `mode` is that of LAPACK: `N` for values alone, `S` for
/// as many vectors as values, `A` for all.
LogicalResult findSingularValues(Node &n, char mode);

/// A call of LAPACK that JAX exports for CPUs; nullopt if it is no such call.
std::optional<LogicalResult> callLapack(Node &n, StringRef target);

} // namespace mlir::symshape::stablehlo

#endif // SYMSHAPE_LIB_IMPORT_STABLEHLO_LINEARALGEBRA_H
