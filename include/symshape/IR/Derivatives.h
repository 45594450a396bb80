//===- Derivatives.h - What derivative rules read and write -----*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The words in which the rule of one op speaks of derivatives; the arguments of
// JvpOpInterface and LinearTransposeOpInterface. Not for: the order in which
// rules run (Transforms/AutoDiff).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IR_DERIVATIVES_H
#define SYMSHAPE_IR_DERIVATIVES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace mlir::symshape {

/// Whether values of the type have derivatives: floats, and tensors of them.
bool hasTangent(Type type);

/// Whether the op, or one in its regions, uses a value for which `isOne` holds.
bool usesAny(Operation *op, function_ref<bool(Value)> isOne);

/// Erases ops of the block, and of regions inside, that nothing needs.
void eraseDeadOps(Block &block);

/// The extents of a tensor; of a scalar, none.
SmallVector<OpFoldResult> extentsOf(OpBuilder &builder, Location loc,
                                    Value value);

/// A number, or a tensor of the type `type` filled with it; a tensor has these
/// extents, one per dimension.
Value makeFilled(OpBuilder &builder, Location loc, double value, Type type,
                 ArrayRef<OpFoldResult> extents);

/// The same of zero.
Value makeZero(OpBuilder &builder, Location loc, Type type,
               ArrayRef<OpFoldResult> extents);

/// A float of the type of `like`, or a tensor of its extents, filled with it.
Value makeConstant(OpBuilder &builder, Location loc, double value, Value like);

/// A tensor of floats as `type`, which has its shape: other floats, or extents
/// that are static in one type and dynamic in the other.
Value convertTensor(OpBuilder &builder, Location loc, Value tensor,
                    RankedTensorType type);

/// The sum of two values of one type.
Value makeSum(OpBuilder &builder, Location loc, Value a, Value b);

/// The sum of a tensor over all axes but `kept`, which are those of the result,
/// in this order.
Value sumOver(OpBuilder &builder, Location loc, Value tensor,
              ArrayRef<int64_t> kept);

/// The derivatives of the values of one function along one direction.
class Tangents {
public:
  virtual ~Tangents() = default;
  /// Builds after the op whose rule runs.
  virtual OpBuilder &builder() = 0;
  /// The tangent of a value; null: zero.
  virtual Value of(Value primal) = 0;
  /// Null: zero.
  virtual void set(Value primal, Value tangent) = 0;
  /// Gives the results of an op their tangents.
  virtual LogicalResult differentiate(Operation *op) = 0;
  /// The same for the ops of a block, whose arguments have been set.
  LogicalResult differentiate(Block &block);

  /// Whether ops that compute tangents must compute nothing else, so that they
  /// can be transposed; else one loop may carry values and their tangents.
  virtual bool isSeparate() const = 0;

  /// The tangent, made of zeros of the extents of `primal` where it is null.
  Value orZero(Value primal);

  /// Forgets the tangents that were set in its lifetime: those of values in a
  /// body that the rule of one op has built and may erase.
  class Scope {
  public:
    Scope(Tangents &tangents) : tangents(tangents), size(tangents.numSet()) {}
    ~Scope() { tangents.forgetAfter(size); }

  private:
    Tangents &tangents;
    size_t size;
  };

protected:
  virtual size_t numSet() const = 0;
  virtual void forgetAfter(size_t size) = 0;
};

/// The derivatives of one number by the linear values of another function.
class Cotangents {
public:
  virtual ~Cotangents() = default;
  virtual OpBuilder &builder() = 0;
  /// The cotangent of a result of the op; null: zero.
  virtual Value of(Value result) = 0;
  /// Adds to the cotangent of a linear operand. It has the operand's extents.
  virtual void add(Value operand, Value cotangent) = 0;
  /// Makes `sum` the cotangent of a linear operand: what it was, `sumOf`, and
  /// what an op has added to a part of it, in place.
  virtual void replace(Value operand, Value sum) = 0;
  /// Whether the value exists only as a type and extents.
  virtual bool isLinear(Value value) = 0;
  /// What stands for a value that is not linear.
  virtual Value residual(Value value) = 0;
  /// The extents of a value, linear or not: attributes where its type is
  /// static, else values.
  virtual SmallVector<OpFoldResult> extents(Value value) = 0;

  /// Builds the cotangents of the arguments of a block, and of linear values
  /// from outside that it uses, from those of what its terminator yields. A
  /// null argument is linear; another is a residual, stands for the argument,
  /// and has the cotangent null. To what is captured it adds: `sums` has the
  /// cotangents so far, null where there is none.
  virtual FailureOr<SmallVector<Value>>
  transposeBody(Block &body, ArrayRef<Value> arguments, ArrayRef<Value> results,
                ArrayRef<Value> captured = {}, ArrayRef<Value> sums = {}) = 0;

  OpFoldResult residual(OpFoldResult value);
  SmallVector<Value> residuals(ValueRange values);
  SmallVector<OpFoldResult> residuals(ArrayRef<OpFoldResult> values);
  /// Zeros of the extents of `value`.
  Value zeros(Value value);
  /// The cotangent of a linear value so far, zeros where there is none.
  Value sumOf(Value value);
};

} // namespace mlir::symshape

#endif // SYMSHAPE_IR_DERIVATIVES_H
