//===- VhloTypes.cpp - Types of portable artifacts ------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builtin types for those of "vhlo": signless integers for signed ones, types
// of "quant" for quantized ones, none for tokens. The codes are those of
// VhloBytecode.cpp of openxla/stablehlo. A type that its file makes up of parts
// that do not fit is an error, not a type.
//
//===----------------------------------------------------------------------===//

#include "Vhlo.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::symshape::stablehlo;

static LogicalResult readTypeList(DialectBytecodeReader &reader,
                                  SmallVectorImpl<Type> &list) {
  return readListOf(reader, list, [&]() -> FailureOr<Type> {
    Type type;
    if (failed(reader.readType(type)))
      return failure();
    return type;
  });
}

/// The type of a code without parameters; null for other codes.
static Type readPlainType(uint64_t code, MLIRContext *c) {
  auto integer = [&](unsigned width) { return IntegerType::get(c, width); };
  auto natural = [&](unsigned width) {
    return IntegerType::get(c, width, IntegerType::Unsigned);
  };
  // clang-format off
  switch (code) {
  case 0: return integer(1);
  case 2: return BFloat16Type::get(c);
  case 3: return Float16Type::get(c);
  case 4: return Float32Type::get(c);
  case 5: return Float64Type::get(c);
  case 6: return Float8E4M3FNType::get(c);
  case 7: return Float8E5M2Type::get(c);
  case 9: return IndexType::get(c);
  case 10: return integer(4);
  case 11: return integer(8);
  case 12: return integer(16);
  case 13: return integer(32);
  case 14: return integer(64);
  case 15: return natural(4);
  case 16: return natural(8);
  case 17: return natural(16);
  case 18: return natural(32);
  case 19: return natural(64);
  case 22: case 26: case 33: return NoneType::get(c);
  case 27: return Float8E4M3FNUZType::get(c);
  case 28: return Float8E5M2FNUZType::get(c);
  case 29: return Float8E4M3B11FNUZType::get(c);
  case 31: return integer(2);
  case 32: return natural(2);
  case 34: return FloatTF32Type::get(c);
  case 35: return Float8E4M3Type::get(c);
  case 36: return Float8E3M4Type::get(c);
  case 37: return Float4E2M1FNType::get(c);
  case 38: return Float6E2M3FNType::get(c);
  case 39: return Float6E3M2FNType::get(c);
  case 40: return Float8E8M0FNUType::get(c);
  default: return Type();
  }
  // clang-format on
}

static Type readTensor(DialectBytecodeReader &reader, bool hasEncoding) {
  Attribute encoding;
  SmallVector<int64_t> shape;
  Type element;
  if ((hasEncoding && failed(reader.readAttribute(encoding))) ||
      failed(readIntegers(reader, shape)) || failed(reader.readType(element)))
    return Type();
  int64_t size = 1;
  for (int64_t extent : shape)
    if (extent < 0 ? extent != ShapedType::kDynamic
                   : llvm::MulOverflow(size, extent, size)) {
      reader.emitError("expected extents of a tensor that can be");
      return Type();
    }
  if (!RankedTensorType::isValidElementType(element)) {
    reader.emitError("expected a tensor of elements");
    return Type();
  }
  // Bounds of extents say nothing that is needed.
  return RankedTensorType::get(shape, element);
}

static FailureOr<double> readDouble(DialectBytecodeReader &reader) {
  auto value = reader.readAPFloatWithKnownSemantics(APFloat::IEEEdouble());
  if (failed(value))
    return failure();
  return value->convertToDouble();
}

static FailureOr<int64_t> readInteger(DialectBytecodeReader &reader) {
  int64_t value;
  if (failed(reader.readSignedVarInt(value)))
    return failure();
  return value;
}

/// Numbers that quantized types have in common, and either lists of one.
static Type readQuantized(DialectBytecodeReader &reader, bool perAxis) {
  uint64_t flags, axis = 0;
  int64_t least, most;
  Type storage, expressed;
  SmallVector<double> scales;
  SmallVector<int64_t> zeros;
  if (failed(reader.readVarInt(flags)) || failed(reader.readType(storage)) ||
      failed(reader.readType(expressed)))
    return Type();
  if (!perAxis) {
    auto scale = readDouble(reader);
    auto zero = succeeded(scale) ? readInteger(reader) : FailureOr<int64_t>();
    if (failed(scale) || failed(zero))
      return Type();
    scales.push_back(*scale);
    zeros.push_back(*zero);
  }
  if ((perAxis && failed(reader.readVarInt(axis))) ||
      failed(reader.readSignedVarInt(least)) ||
      failed(reader.readSignedVarInt(most)))
    return Type();
  if (perAxis &&
      (failed(readListOf(reader, scales, [&] { return readDouble(reader); })) ||
       failed(readListOf(reader, zeros, [&] { return readInteger(reader); }))))
    return Type();
  auto emitError = [&] { return reader.emitError("invalid quantized type: "); };
  // Storage without a sign is a type of its own here, and a flag there.
  if (auto integer = dyn_cast<IntegerType>(storage))
    storage = IntegerType::get(storage.getContext(), integer.getWidth());
  if (perAxis)
    return quant::UniformQuantizedPerAxisType::getChecked(
        emitError, flags, storage, expressed, scales, zeros,
        static_cast<int32_t>(axis), least, most);
  return quant::UniformQuantizedType::getChecked(
      emitError, flags, storage, expressed, scales[0], zeros[0], least, most);
}

Type mlir::symshape::stablehlo::readVhloType(DialectBytecodeReader &reader,
                                             MLIRContext *context) {
  uint64_t code;
  if (failed(reader.readVarInt(code)))
    return Type();
  if (Type plain = readPlainType(code, context))
    return plain;
  SmallVector<Type> types, results;
  Type element;
  switch (code) {
  case 1:
    if (failed(reader.readType(element)))
      return Type();
    return ComplexType::getChecked(
        [&] { return reader.emitError("invalid complex type: "); }, element);
  case 8:
    if (failed(readTypeList(reader, types)) ||
        failed(readTypeList(reader, results)))
      return Type();
    return FunctionType::get(context, types, results);
  case 20:
  case 21:
    return readTensor(reader, /*hasEncoding=*/code == 21);
  case 23:
  case 42: // a future, of which no op is supported
    if (failed(readTypeList(reader, types)))
      return Type();
    return TupleType::get(context, types);
  case 24:
  case 30:
    return readQuantized(reader, /*perAxis=*/code == 30);
  case 25:
    if (failed(reader.readType(element)))
      return Type();
    return UnrankedTensorType::getChecked(
        [&] { return reader.emitError("invalid tensor: "); }, element);
  case 41: // a buffer, of which no op is supported
    return readTensor(reader, /*hasEncoding=*/false);
  default:
    reader.emitError("expected a type of StableHLO up to version 1.20, but got "
                     "one of kind ")
        << code;
    return Type();
  }
}
