//===- Scalars.h - Elementwise ops on single elements -----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What StableHLO says of one element: total functions, where the ops below
// have poison or traps. Integers are signless values; their types in the
// artifact say whether they have a sign.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_STABLEHLO_SCALARS_H
#define SYMSHAPE_LIB_IMPORT_STABLEHLO_SCALARS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace mlir::symshape::stablehlo {

/// An elementwise op as far as its elements are concerned.
struct ScalarOp {
  StringRef name;
  /// Of the artifact, operand by operand.
  ArrayRef<Type> types;
  Type resultType;
  DictionaryAttr attributes;

  /// The type that the operands have in common.
  Type type() const { return types[types.size() == 3 ? 1 : 0]; }
  StringRef word(StringRef attribute) const;
  int64_t integer(StringRef attribute) const;
};

class Scalars {
public:
  Scalars(OpBuilder &builder, Location loc) : b(builder), loc(loc) {}

  /// The element of the result. Null where the op has no such types.
  Value compute(const ScalarOp &op, ArrayRef<Value> x);

  Value number(Type type, double value);
  Value integer(Type type, int64_t value);
  Value integer(Type type, const APInt &value);
  /// The element 0 of any type.
  Value zero(Type type);
  Value select(Value condition, Value x, Value y);
  Value convert(Value x, Type from, Type to);
  /// The same bits as another type; null if that has not as many.
  Value recast(Value x, Type to);
  Value less(Value x, Value y, bool isUnsigned);

  template <typename OpT, typename... Args>
  Value create(Args &&...args) {
    return b.createOrFold<OpT>(loc, std::forward<Args>(args)...);
  }
  OpBuilder &b;
  Location loc;

  /// A function that makes an op of its operands, for a table of names.
  template <typename OpT>
  static Value of(Scalars &s, ArrayRef<Value> x) {
    if constexpr (OpT::template hasTrait<OpTrait::OneOperand>())
      return s.create<OpT>(x[0]);
    else
      return s.create<OpT>(x[0], x[1]);
  }
  using Maker = Value (*)(Scalars &, ArrayRef<Value>);

private:
  Value ofFloats(const ScalarOp &op, ArrayRef<Value> x);
  Value ofIntegers(const ScalarOp &op, ArrayRef<Value> x);
  Value ofTruths(const ScalarOp &op, ArrayRef<Value> x);
  Value ofComplex(const ScalarOp &op, ArrayRef<Value> x);
  Value ofQuantized(const ScalarOp &op, ArrayRef<Value> x);
  Value function(const ScalarOp &op, Value x);
  Value divide(Value x, Value y, bool isUnsigned);
  Value remainder(Value x, Value y, bool isUnsigned);
  Value highHalf(Value x, Value y, bool isUnsigned);
  Value power(Value x, Value y, bool isUnsigned);
  Value shift(StringRef name, Value x, Value y);
  Value compare(const ScalarOp &op, Value x, Value y);
  Value totalOrder(Value x);
  Value toInteger(Value x, IntegerType to, bool isUnsigned);
  Value reducePrecision(const ScalarOp &op, Value x);
  Value sign(Value x);
};

} // namespace mlir::symshape::stablehlo

#endif // SYMSHAPE_LIB_IMPORT_STABLEHLO_SCALARS_H
