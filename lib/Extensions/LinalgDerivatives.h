//===- LinalgDerivatives.h - Derivatives of linalg --------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the derivatives of structured ops share: what a body is, and the op that
// computes a tangent by it.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_EXTENSIONS_LINALGDERIVATIVES_H
#define SYMSHAPE_LIB_EXTENSIONS_LINALGDERIVATIVES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "symshape/IR/SymShape.h"

namespace mlir::symshape {

/// What the body of a structured op does with the element of its destination.
enum class StructuredKind { Elementwise, Sum, Extremum, Product, Other };

StructuredKind structuredKind(linalg::LinalgOp op);

/// The error of a body that has no rule.
LogicalResult refuseBody(linalg::LinalgOp op);

/// The error of a body in which `user`, an op of it or in one of its regions,
/// uses a tensor from outside otherwise than by reading it in each iteration.
LogicalResult refuseCaptured(linalg::LinalgOp op, Value value, Operation *user);

Value makeScalar(OpBuilder &builder, Location loc, Type type, double value);

using YieldFn = function_ref<Value(OpBuilder &, Value yielded, Value tangent,
                                   ValueRange further, Value accumulator)>;

/// The tangent op: the loops of `op` over its inputs, their tangents and
/// further tensors, each with the map by which it is read. It yields `finish`
/// of three things: what the body of `op` gives for `source`, its tangent
/// (never null if tangents are read), and the elements of further tensors.
struct TangentOp {
  linalg::LinalgOp op;
  Tangents &tangents;
  Value source; ///< a value of the body
  SmallVector<std::pair<Value, AffineMap>> further;
  bool readsTangents = true;

  /// Null if the tangent of the source is zero.
  FailureOr<Value> build(Value init, YieldFn finish);
};

LogicalResult structuredTranspose(linalg::LinalgOp op, Cotangents &cotangents);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXTENSIONS_LINALGDERIVATIVES_H
