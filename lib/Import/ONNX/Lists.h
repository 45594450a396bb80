//===- Lists.h - Arithmetic on sizes ----------------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What exporters compute from shapes, element by element, stays expressions.
// Not for: data.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_ONNX_LISTS_H
#define SYMSHAPE_LIB_IMPORT_ONNX_LISTS_H

#include "symshape/Import/ONNX/Node.h"

namespace mlir::symshape::onnx {

/// The least and the most that a type of integers holds; of uint64, the most
/// that int64 holds.
std::pair<int64_t, int64_t> rangeOf(DataType type);

/// Requires that no number of a list overflows its type: expressions do not
/// wrap.
void requireInRange(Node &n, ArrayRef<Expr> list, DataType type);

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// One element that is known: an integer, or of a float the quotient that it is
/// rounded from.
struct Number {
  Expr value;
  Expr divisor; ///< at least 1; null: 1
  bool isGiven = true;
};

/// The elements of a small tensor, row by row, all of which are known.
struct Sizes {
  SmallVector<int64_t, 4> shape; ///< at most three
  SmallVector<Number, 4> numbers;
};

/// Of a list, a table, floats that come from sizes, or a constant.
std::optional<Sizes> readSizes(Node &n, size_t i);
/// Makes integers a result.
LogicalResult setSizes(Node &n, size_t result, const Sizes &sizes,
                       DataType type);

/// One element from one of each operand; null if there is no expression.
using ListBody = llvm::function_ref<Expr(ArrayRef<Expr>)>;

/// Computes the first result on expressions: true if that was possible, which
/// needs all operands to be known integers of one type and of shapes that
/// broadcast, and no constants that wrap.
bool mapLists(Node &n, DataType type, ListBody body);

/// Arithmetic on numbers of one type. Of floats, what comes out equals what is
/// computed with rounding if each of `steps` is at most `largest` in size.
///
/// Proof. A float with a precision of p bits holds each a / 2^k with |a| <= 2^p
/// (here of few sizes, so that no exponent is out of range); what such an
/// operation gives is exact. Another quotient a / d, rounded once, has the
/// floor and the ceiling of the exact one if |a| <= 2^p and d <= 2^p. Let
/// a >= 0, and a = q*d + r with 1 <= r < d. q and q + 1 are floats, and
/// rounding is monotone, so it gives a number in [q, q + 1], and q + 1 only if
/// (q + 1) - a/d >= 1/d is at most half the distance u of floats below q + 1,
/// and q only if 1/d is at most half of that above q; in both cases
/// u/2 <= q * 2^-p, so q*d >= 2^p, yet q*d < a <= 2^p. Signs do not matter.
class SizeMath {
public:
  SizeMath(Emitter &e, DataType type);

  using Result = std::optional<Number>; ///< nullopt: not known
  Result add(const Number &x, const Number &y);
  Result mul(const Number &x, const Number &y);
  Result div(const Number &x, const Number &y);
  Result max(const Number &x, const Number &y);
  Result neg(const Number &x);
  Result min(const Number &x, const Number &y);
  Result floor(const Number &x);
  Result ceil(const Number &x);
  Result sqrt(const Number &x);
  /// A float that holds this integer.
  Number fromInteger(Expr value);

  SmallVector<Expr, 0> steps;
  int64_t largest;

private:
  bool isExact(const Number &x) const;
  Number reduced(Expr value, Expr divisor) const;
  Expr over(const Number &x, Expr common) const;
  Expr divisorOf(const Number &x) const;

  Emitter &e;
  bool isFloats;
};

/// Sizes that go through floats, as exporters scale them: if the operands of a
/// node are known, so are its results, tensors that hold the same numbers as
/// the list beside it if these are small enough to be exact.
void keepExactFloats(Node &n, llvm::function_ref<Operand *(size_t)> result);
/// Makes integers of such a tensor, which is required to be exact: true if that
/// was possible.
bool castExactFloats(Node &n, DataType type);
/// Requires what makes float operands equal to what is known of them.
void requireExact(Node &n, size_t i);

/// Rounds to zero; null if it is not known which way that is.
Expr divideToZero(Emitter &e, Expr x, Expr y);

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_LIB_IMPORT_ONNX_LISTS_H
