//===- VhloAttributes.cpp - Attributes of portable artifacts --------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builtin attributes for those of "vhlo": words of enumerations as strings.
// The codes are those of VhloBytecode.cpp of openxla/stablehlo.
//
//===----------------------------------------------------------------------===//

#include "Vhlo.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::symshape::stablehlo;

/// The words of an enumeration; empty for other codes.
static ArrayRef<const char *> wordsOf(uint64_t code) {
  static const char *const directions[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
  static const char *const comparisons[] = {"NOTYPE", "FLOAT", "TOTALORDER",
                                            "SIGNED", "UNSIGNED"};
  static const char *const calls[] = {"unspecified", "original", "status",
                                      "unified", "typed_ffi"};
  static const char *const transforms[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
  static const char *const precisions[] = {"DEFAULT", "HIGH", "HIGHEST"};
  static const char *const algorithms[] = {"DEFAULT", "THREE_FRY", "PHILOX"};
  static const char *const distributions[] = {"", "UNIFORM", "NORMAL"};
  static const char *const transposes[] = {"INVALID", "NO_TRANSPOSE",
                                           "TRANSPOSE", "ADJOINT"};
  static const char *const accuracies[] = {"DEFAULT", "HIGHEST", "TOLERANCE"};
  // clang-format off
  switch (code) {
  case 3: return directions;
  case 4: return comparisons;
  case 5: return calls;
  case 7: return transforms;
  case 11: return precisions;
  case 12: return algorithms;
  case 13: return distributions;
  case 16: return transposes;
  case 19: return accuracies;
  default: return {};
  }
  // clang-format on
}

static Attribute readWord(DialectBytecodeReader &reader, MLIRContext *context,
                          ArrayRef<const char *> words) {
  uint64_t value;
  if (failed(reader.readVarInt(value)))
    return Attribute();
  if (value >= words.size()) {
    reader.emitError("expected a word of StableHLO up to version 1.20, but got "
                     "number ")
        << value << " of a kind of which " << words.front() << " is the first";
    return Attribute();
  }
  return StringAttr::get(context, words[value]);
}

/// One bit per element, or one byte per element, or one byte for all.
static Attribute readBits(RankedTensorType type, ArrayRef<char> blob) {
  size_t count = type.getNumElements();
  if (blob.size() == 1 && count > 8)
    return DenseElementsAttr::get(type, blob[0] != 0);
  bool isPacked = blob.size() == (count + 7) / 8 &&
                  !(blob.size() == 1 && blob[0] == '\xff');
  if (!isPacked && blob.size() != count && blob.size() != 1)
    return Attribute();
  SmallVector<bool> bits(count);
  for (size_t i = 0; i < count; ++i)
    bits[i] = isPacked ? (blob[i / 8] >> (i % 8)) & 1
                       : blob[blob.size() == count ? i : 0] != 0;
  return DenseElementsAttr::get(type, bits);
}

static Attribute readTensor(DialectBytecodeReader &reader) {
  Type type;
  ArrayRef<char> blob;
  if (failed(reader.readType(type)) || failed(reader.readBlob(blob)))
    return Attribute();
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape()) {
    reader.emitError("expected a constant to be a tensor of static extents");
    return Attribute();
  }
  // An element takes a byte at least, or all are equal.
  constexpr int64_t mostElements = int64_t(1) << 36;
  Attribute value;
  bool isSplat = false;
  Type element = tensor.getElementType();
  if (auto quantized = dyn_cast<quant::QuantizedType>(element)) {
    element = IntegerType::get(element.getContext(),
                               quantized.getStorageTypeIntegralWidth());
    tensor = tensor.clone(element);
  }
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  if (tensor.getNumElements() <= mostElements && element.isInteger(1))
    value = readBits(tensor, blob);
  else if (tensor.getNumElements() <= mostElements &&
           element.isIntOrIndexOrFloat() &&
           DenseElementsAttr::isValidRawBuffer(tensor, blob, isSplat))
    value = DenseElementsAttr::getFromRawBuffer(tensor, blob);
  if (!value)
    reader.emitError("expected the bytes of a constant of type ")
        << type << ", but got " << blob.size() << " bytes";
  return value;
}

static LogicalResult readAttributeList(DialectBytecodeReader &reader,
                                       SmallVectorImpl<Attribute> &list) {
  return readListOf(reader, list, [&]() -> FailureOr<Attribute> {
    Attribute value;
    if (failed(reader.readAttribute(value)))
      return failure();
    return value;
  });
}

static Attribute readDictionary(DialectBytecodeReader &reader,
                                MLIRContext *context) {
  using Pair = std::pair<Attribute, Attribute>;
  SmallVector<Pair> pairs;
  auto readPair = [&]() -> FailureOr<Pair> {
    Pair pair;
    if (failed(reader.readAttribute(pair.first)) ||
        failed(reader.readAttribute(pair.second)))
      return failure();
    return pair;
  };
  if (failed(readListOf(reader, pairs, readPair)))
    return Attribute();
  NamedAttrList list;
  for (auto [name, value] : pairs) {
    auto text = dyn_cast<StringAttr>(name);
    if (!text || text.empty() || list.get(text)) {
      reader.emitError("expected a dictionary of different names");
      return Attribute();
    }
    list.append(text, value);
  }
  return list.getDictionary(context);
}

static Attribute readNumber(DialectBytecodeReader &reader, bool isFloat) {
  Type type;
  if (failed(reader.readType(type)))
    return Attribute();
  if (isFloat) {
    auto floats = dyn_cast<FloatType>(type);
    if (!floats)
      return reader.emitError("expected a type of floats"), Attribute();
    auto value =
        reader.readAPFloatWithKnownSemantics(floats.getFloatSemantics());
    return failed(value) ? Attribute() : FloatAttr::get(type, *value);
  }
  if (!type.isIntOrIndex())
    return reader.emitError("expected a type of integers"), Attribute();
  auto value = reader.readAPIntWithKnownWidth(
      type.isIndex() ? IndexType::kInternalStorageBitWidth
                     : type.getIntOrFloatBitWidth());
  return failed(value) ? Attribute() : IntegerAttr::get(type, *value);
}

/// That some results are some operands: three lists.
static Attribute readAlias(DialectBytecodeReader &reader, Builder b) {
  SmallVector<int64_t> result, part;
  int64_t operand;
  if (failed(readIntegers(reader, result)) ||
      failed(reader.readSignedVarInt(operand)) ||
      failed(readIntegers(reader, part)))
    return Attribute();
  return b.getDictionaryAttr(
      {b.getNamedAttr("operand", b.getI64IntegerAttr(operand)),
       b.getNamedAttr("part", b.getDenseI64ArrayAttr(part)),
       b.getNamedAttr("result", b.getDenseI64ArrayAttr(result))});
}

/// How exact a function has to be: its word.
static Attribute readAccuracy(DialectBytecodeReader &reader) {
  int64_t units;
  Attribute word;
  for (int i = 0; i < 2; ++i)
    if (failed(reader.readAPFloatWithKnownSemantics(APFloat::IEEEdouble())))
      return Attribute();
  if (failed(reader.readSignedVarInt(units)) ||
      failed(reader.readAttribute(word)))
    return Attribute();
  return word;
}

/// Meshes and axes of several devices: read over.
static Attribute readDevices(DialectBytecodeReader &reader, uint64_t code,
                             Builder b) {
  Attribute name, other;
  uint64_t more;
  int64_t number;
  bool isRead = true;
  switch (code) {
  case 22:
    isRead = succeeded(reader.readAttribute(name)) &&
             succeeded(reader.readVarInt(more)) &&
             (!more || succeeded(reader.readAttribute(other)));
    break;
  case 23:
    isRead = succeeded(reader.readAttribute(name)) &&
             succeeded(reader.readAttribute(other));
    break;
  case 24:
    isRead = succeeded(reader.readAttribute(name)) &&
             succeeded(reader.readSignedVarInt(number));
    break;
  default:
    isRead = succeeded(reader.readAttribute(name)) &&
             succeeded(reader.readOptionalAttribute(other));
  }
  return isRead ? b.getUnitAttr() : Attribute();
}

Attribute
mlir::symshape::stablehlo::readVhloAttribute(DialectBytecodeReader &reader,
                                             MLIRContext *context) {
  Builder b(context);
  uint64_t code;
  if (failed(reader.readVarInt(code)))
    return Attribute();
  ArrayRef<const char *> words = wordsOf(code);
  if (!words.empty())
    return readWord(reader, context, words);
  SmallVector<Attribute> list;
  SmallVector<int64_t> numbers;
  uint64_t natural;
  int64_t one, two;
  StringRef text;
  Type type;
  // clang-format off
  switch (code) {
  case 1:
    return failed(readAttributeList(reader, list)) ? Attribute() : b.getArrayAttr(list);
  case 2:
    return failed(reader.readVarInt(natural)) ? Attribute() : b.getBoolAttr(natural != 0);
  case 6: return readDictionary(reader, context);
  case 8: return readNumber(reader, /*isFloat=*/true);
  case 9: return readNumber(reader, /*isFloat=*/false);
  case 10: return readAlias(reader, b);
  case 14:
    return failed(reader.readString(text)) ? Attribute() : b.getStringAttr(text);
  case 15: return readTensor(reader);
  case 17:
    return failed(reader.readType(type)) ? Attribute() : TypeAttr::get(type);
  case 18:
    return failed(readIntegers(reader, numbers)) ? Attribute() : b.getDenseI64ArrayAttr(numbers);
  case 20: return readAccuracy(reader);
  case 21:
    return failed(reader.readSignedVarInt(one)) || failed(reader.readSignedVarInt(two))
               ? Attribute() : b.getDenseI64ArrayAttr({one, two});
  case 22: case 23: case 24: case 25: return readDevices(reader, code, b);
  default:
    reader.emitError("expected an attribute of StableHLO up to version 1.20, but got one of kind ")
        << code;
    return Attribute();
  }
  // clang-format on
}
