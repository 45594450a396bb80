//===- Scalars.h - Arithmetic on elements -----------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IMPORT_ONNX_SCALARS_H
#define SYMSHAPE_IMPORT_ONNX_SCALARS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "symshape/Import/ONNX/Model.h"

namespace mlir::symshape::onnx {

/// Arithmetic on elements, in the body of an op or on scalars beside it.
class Scalars {
public:
  Scalars(OpBuilder &builder, Location loc) : b(builder), loc(loc) {}

  /// A number of an element type, rounded to it.
  Value number(Type type, double value);
  Value integer(Type type, int64_t value);
  Value index(int64_t value);
  /// The coordinate along a loop of the structured op around.
  Value loop(int64_t dim);

  // Floats and integers alike; `isUnsigned` of the latter.
  Value add(Value x, Value y);
  Value sub(Value x, Value y);
  Value mul(Value x, Value y);
  Value div(Value x, Value y, bool isUnsigned = false);
  /// As ONNX compares: NaN is passed on.
  Value max(Value x, Value y, bool isUnsigned = false);
  Value min(Value x, Value y, bool isUnsigned = false);
  Value less(Value x, Value y, bool isUnsigned = false);
  Value lessOrEqual(Value x, Value y, bool isUnsigned = false);
  Value equal(Value x, Value y);
  Value select(Value condition, Value x, Value y);
  Value isNaN(Value x);
  Value neg(Value x);
  // Functions of floats without overflow or cancellation.
  Value sigmoid(Value x);
  /// log(1 + exp(x)).
  Value softplus(Value x);
  Value logicalAnd(Value x, Value y);
  Value logicalOr(Value x, Value y);
  Value logicalNot(Value x);

  /// From one element type to another, as Cast does.
  Value cast(Value x, DataType from, DataType to);
  Value toIndex(Value x, DataType from);
  Value fromIndex(Value x, DataType to);
  /// Requires that an integer is not 0, or a boolean true.
  void requireNonzero(Value x, DataType type, const Twine &message);

  template <typename OpT, typename... Args>
  Value create(Args &&...args) {
    return OpT::create(b, loc, std::forward<Args>(args)...);
  }
  Type floatType(DataType type);
  static bool isFloat(Value x);

  OpBuilder &b;
  Location loc;
};

/// The type in which numbers are added up, and a composed op computes: float
/// for halves.
DataType sumType(DataType type);

/// The element type of tensors of a type; null if there is none.
Type elementType(MLIRContext *context, DataType type);

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_IMPORT_ONNX_SCALARS_H
