//===- ElementType.cpp - Types of tensor elements at run time -------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names, sizes, and conversion of single elements.
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/ElementType.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/ScopedPrinter.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mlir::symshape;
using Kind = ElementType::Kind;

std::optional<ElementType> ElementType::parse(llvm::StringRef text) {
  auto make = [](Kind kind, unsigned width) {
    return std::optional<ElementType>(ElementType{kind, width});
  };
  unsigned width;
  StringRef digits = text;
  if (digits.consume_front("i") && !digits.getAsInteger(10, width) &&
      width > 1 && width < 64)
    return make(Kind::Signed,
                static_cast<unsigned>(llvm::PowerOf2Ceil(std::max(width, 8u))));
  return llvm::StringSwitch<std::optional<ElementType>>(text)
      .Case("i1", make(Kind::Bool, 1))
      .Case("si8", make(Kind::Signed, 8))
      .Case("si16", make(Kind::Signed, 16))
      .Case("si32", make(Kind::Signed, 32))
      .Cases({"i64", "si64"}, make(Kind::Signed, 64))
      .Case("ui8", make(Kind::Unsigned, 8))
      .Case("ui16", make(Kind::Unsigned, 16))
      .Case("ui32", make(Kind::Unsigned, 32))
      .Case("ui64", make(Kind::Unsigned, 64))
      .Case("f16", make(Kind::Float, 16))
      .Case("bf16", make(Kind::BFloat, 16))
      .Case("f32", make(Kind::Float, 32))
      .Case("f64", make(Kind::Float, 64))
      .Case("index", make(Kind::Index, 64))
      .Default(std::nullopt);
}

std::optional<ElementType> ElementType::get(Type type) {
  if (!isa<IntegerType, FloatType, IndexType>(type))
    return std::nullopt;
  return parse(llvm::to_string(type));
}

std::string ElementType::getName() const {
  switch (kind) {
  case Kind::Bool:
    return "i1";
  case Kind::Signed:
    return "i" + std::to_string(width);
  case Kind::Unsigned:
    return "ui" + std::to_string(width);
  case Kind::Float:
    return "f" + std::to_string(width);
  case Kind::BFloat:
    return "bf16";
  case Kind::Index:
    return "index";
  }
  return "";
}

/// The value of type T that begins at `data`, which need not be aligned.
template <typename T>
static T readAs(const char *data) {
  T value;
  std::memcpy(&value, data, sizeof(T));
  return value;
}

template <typename T>
static void writeAs(T value, char *data) {
  std::memcpy(data, &value, sizeof(T));
}

static const llvm::fltSemantics &halfSemantics(ElementType type) {
  return type.kind == Kind::BFloat ? llvm::APFloat::BFloat()
                                   : llvm::APFloat::IEEEhalf();
}

int64_t mlir::symshape::readAsInteger(ElementType type, const char *data) {
  switch (type.width) {
  case 8:
    return readAs<int8_t>(data);
  case 16:
    return readAs<int16_t>(data);
  case 32:
    return readAs<int32_t>(data);
  default:
    return readAs<int64_t>(data);
  }
}

static uint64_t readUnsigned(ElementType type, const char *data) {
  switch (type.width) {
  case 1:
  case 8:
    return readAs<uint8_t>(data);
  case 16:
    return readAs<uint16_t>(data);
  case 32:
    return readAs<uint32_t>(data);
  default:
    return readAs<uint64_t>(data);
  }
}

double mlir::symshape::readAsDouble(ElementType type, const char *data) {
  switch (type.kind) {
  case Kind::Bool:
  case Kind::Unsigned:
    return static_cast<double>(readUnsigned(type, data));
  case Kind::Signed:
  case Kind::Index:
    return static_cast<double>(readAsInteger(type, data));
  case Kind::Float:
    if (type.width == 64)
      return readAs<double>(data);
    if (type.width == 32)
      return readAs<float>(data);
    [[fallthrough]];
  case Kind::BFloat:
    break;
  }
  llvm::APFloat half(halfSemantics(type),
                     llvm::APInt(16, readAs<uint16_t>(data)));
  return half.convertToDouble();
}

void mlir::symshape::writeFloat(ElementType type, double value, char *data) {
  if (type.kind == Kind::Float && type.width == 64)
    return writeAs<double>(value, data);
  if (type.kind == Kind::Float && type.width == 32)
    return writeAs<float>(static_cast<float>(value), data);
  llvm::APFloat half(value);
  bool losesInfo;
  half.convert(halfSemantics(type), llvm::APFloat::rmNearestTiesToEven,
               &losesInfo);
  writeAs<uint16_t>(half.bitcastToAPInt().getZExtValue(), data);
}

void mlir::symshape::writeInteger(ElementType type, int64_t value, char *data) {
  switch (type.width) {
  case 1:
    return writeAs<uint8_t>(value != 0, data);
  case 8:
    return writeAs<uint8_t>(value, data);
  case 16:
    return writeAs<uint16_t>(value, data);
  case 32:
    return writeAs<uint32_t>(value, data);
  default:
    return writeAs<int64_t>(value, data);
  }
}

std::string mlir::symshape::elementToString(ElementType type,
                                            const char *data) {
  if (type.kind == Kind::Bool)
    return readUnsigned(type, data) ? "true" : "false";
  if (type.kind == Kind::Unsigned)
    return std::to_string(readUnsigned(type, data));
  if (!type.isFloat())
    return std::to_string(readAsInteger(type, data));
  double value = readAsDouble(type, data);
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  int digits = type.width == 64            ? 17
               : type.width == 32          ? 9
               : type.kind == Kind::BFloat ? 4
                                           : 5;
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.*g", digits, value);
  return text;
}
