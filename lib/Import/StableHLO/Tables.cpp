//===- Tables.cpp - What the ops of an artifact refer to ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sections of MLIR's bytecode before that of the ops. An attribute or type
// that is a part of itself is an error, and so are too many inside one another.
//
//===----------------------------------------------------------------------===//

#include "Tables.h"
#include "Builtins.h"
#include "Vhlo.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::symshape::stablehlo;

namespace {
/// An entry as what defines attributes and types reads it.
class EntryReader : public DialectBytecodeReader {
public:
  EntryReader(Tables &tables, Bytes &bytes) : tables(tables), bytes(bytes) {}

  InFlightDiagnostic emitError(const Twine &message) const override {
    return mlir::emitError(tables.loc, message);
  }
  FailureOr<const DialectVersion *>
  getDialectVersion(StringRef) const override {
    return failure();
  }
  MLIRContext *getContext() const override { return tables.loc.getContext(); }
  uint64_t getBytecodeVersion() const override { return tables.version; }

  LogicalResult readAttribute(Attribute &result) override {
    uint64_t index = bytes.number();
    result = bytes.isBroken() ? Attribute() : tables.attribute(index);
    return success(result != nullptr);
  }
  LogicalResult readOptionalAttribute(Attribute &result) override {
    auto [index, isThere] = bytes.numberAndFlag();
    if (isThere)
      result = tables.attribute(index);
    return success(!bytes.isBroken() && (result || !isThere));
  }
  LogicalResult readType(Type &result) override {
    uint64_t index = bytes.number();
    result = bytes.isBroken() ? Type() : tables.type(index);
    return success(result != nullptr);
  }
  LogicalResult readVarInt(uint64_t &result) override {
    result = bytes.number();
    return success(!bytes.isBroken());
  }
  LogicalResult readSignedVarInt(int64_t &result) override {
    result = bytes.signedNumber();
    return success(!bytes.isBroken());
  }
  FailureOr<APInt> readAPIntWithKnownWidth(unsigned width) override {
    if (width > 64)
      return failure();
    int64_t value = width <= 8 ? bytes.byte() : bytes.signedNumber();
    if (bytes.isBroken())
      return failure();
    return APInt(64, static_cast<uint64_t>(value)).trunc(width);
  }
  FailureOr<APFloat>
  readAPFloatWithKnownSemantics(const llvm::fltSemantics &kind) override {
    auto bits = readAPIntWithKnownWidth(APFloat::getSizeInBits(kind));
    if (failed(bits))
      return failure();
    return APFloat(kind, *bits);
  }
  LogicalResult readString(StringRef &result) override {
    uint64_t index = bytes.number();
    result = tables.string(index);
    return success(!bytes.isBroken() && result.data());
  }
  LogicalResult readBlob(ArrayRef<char> &result) override {
    StringRef data = bytes.take(bytes.number());
    result = ArrayRef(data.data(), data.size());
    return success(!bytes.isBroken());
  }
  LogicalResult readBool(bool &result) override {
    result = bytes.byte();
    return success(!bytes.isBroken());
  }

private:
  FailureOr<AsmDialectResourceHandle> readResourceHandle() override {
    return failure();
  }

  Tables &tables;
  Bytes &bytes;
};
} // namespace

Attribute mlir::symshape::stablehlo::foreignAttribute(MLIRContext *context) {
  return UnknownLoc::get(context);
}

LogicalResult Tables::fail(const Twine &message) {
  return mlir::emitError(loc, message);
}

StringRef Tables::string(uint64_t index) {
  if (index < strings.size())
    return strings[index];
  (void)fail("expected the number of a string, but got " + Twine(index));
  return StringRef();
}

const Tables::OpName *Tables::opName(uint64_t index) {
  if (index < opNames.size())
    return &opNames[index];
  (void)fail("expected the number of a name of an op, but got " + Twine(index));
  return nullptr;
}

std::optional<Bytes> Tables::properties(uint64_t index) {
  if (index < propertyLists.size())
    return propertyLists[index];
  (void)fail("expected the number of properties of an op, but got " +
             Twine(index));
  return std::nullopt;
}

LocationAttr Tables::location(uint64_t index) {
  constexpr unsigned most = 50;
  if (depth >= most)
    return UnknownLoc::get(loc.getContext());
  Attribute value = attribute(index);
  auto location = dyn_cast_or_null<LocationAttr>(value);
  if (value && !location)
    (void)fail("expected a location, but got another attribute");
  return location;
}

template <typename T>
T Tables::resolve(std::vector<Entry<T>> &entries, uint64_t index) {
  constexpr unsigned most = 100;
  constexpr bool isType = std::is_same_v<T, Type>;
  const char *what = isType ? "type" : "attribute";
  if (index >= entries.size())
    return (void)fail("expected the number of one of " + Twine(entries.size()) +
                      " " + what + "s, but got " + Twine(index)),
           T();
  Entry<T> &entry = entries[index];
  if (entry.value)
    return entry.value;
  if (entry.isOpen || depth >= most)
    return (void)fail(Twine("expected each ") + what +
                      " not to be a part of itself, and at most " +
                      Twine(most) + " inside one another"),
           T();
  bool isForeign = entry.kind == Kind::Other;
  if constexpr (!isType)
    if (isForeign)
      return entry.value = foreignAttribute(loc.getContext());
  if (!entry.isCustom || isForeign || (isType && entry.kind == Kind::Builtin))
    return (void)fail(Twine("expected each ") + what + " to be one of 'vhlo'"),
           T();
  entry.isOpen = true;
  ++depth;
  Bytes bytes = entry.bytes;
  EntryReader reader(*this, bytes);
  T value;
  if constexpr (isType)
    value = readVhloType(reader, loc.getContext());
  else
    value = entry.kind == Kind::Vhlo
                ? readVhloAttribute(reader, loc.getContext())
                : readBuiltinAttribute(*this, bytes);
  --depth;
  entry.isOpen = false;
  if (!value || !bytes.isRead())
    return (void)fail(Twine("expected ") + what + " " + Twine(index) +
                      " to take " + Twine(entry.bytes.left()) + " bytes"),
           T();
  return entry.value = value;
}

Attribute Tables::attribute(uint64_t index) {
  return resolve(attributes, index);
}

Type Tables::type(uint64_t index) { return resolve(types, index); }

/// Their lengths, of the last one first, and then all of them with a 0 each.
LogicalResult Tables::readStrings(Bytes bytes) {
  SmallVector<uint64_t> lengths;
  for (size_t count = bytes.count(); count > 0; --count)
    lengths.push_back(bytes.number());
  for (uint64_t length : llvm::reverse(lengths)) {
    StringRef text = bytes.take(length);
    if (!text.consume_back(StringRef("\0", 1)))
      return fail("expected strings that a 0 ends");
    if (!llvm::json::isUTF8(text))
      text = repaired.emplace_back(llvm::json::fixUTF8(text));
    strings.push_back(text);
  }
  return bytes.isRead() ? success() : fail("expected the section of strings");
}

LogicalResult Tables::readDialects(Bytes bytes) {
  for (size_t count = bytes.count(); count > 0; --count) {
    bool hasVersion = false;
    uint64_t index = bytes.number();
    if (version >= bytecode::kDialectVersioning) {
      hasVersion = index & 1;
      index >>= 1;
    }
    dialects.push_back(string(index));
    if (!dialects.back().data())
      return failure();
    // What it says is in the versions of the ops as well.
    if (hasVersion)
      (void)bytes.section();
  }
  if (version >= bytecode::kElideUnknownBlockArgLocation)
    (void)bytes.number(); // how many names follow
  while (!bytes.isRead() && !bytes.isBroken()) {
    uint64_t dialect = bytes.number();
    size_t count = bytes.count();
    if (dialect >= dialects.size())
      return fail("expected the number of a dialect");
    for (; count > 0; --count) {
      bool isRegistered = true;
      uint64_t index = bytes.number();
      if (version >= bytecode::kNativePropertiesEncoding) {
        isRegistered = index & 1;
        index >>= 1;
      }
      StringRef name = string(index);
      if (!name.data())
        return failure();
      opNames.push_back({(dialects[dialect] + "." + name).str(), isRegistered});
    }
  }
  return bytes.isRead() ? success() : fail("expected the section of dialects");
}

LogicalResult Tables::readProperties(Bytes bytes) {
  for (size_t count = bytes.count(); count > 0; --count) {
    StringRef list = bytes.take(bytes.number());
    propertyLists.push_back(Bytes(list, list.data()));
  }
  return bytes.isRead() ? success()
                        : fail("expected the section of properties");
}

template <typename T>
LogicalResult Tables::readEntries(std::vector<Entry<T>> &entries, size_t count,
                                  Bytes &offsets, Bytes &data) {
  while (entries.size() < count) {
    uint64_t dialect = offsets.number();
    size_t group = offsets.count();
    if (dialect >= dialects.size() || group == 0 ||
        group > count - entries.size())
      return fail("expected attributes and types, dialect by dialect");
    Kind kind = dialects[dialect] == "builtin" ? Kind::Builtin
                : dialects[dialect] == "vhlo"  ? Kind::Vhlo
                                               : Kind::Other;
    for (; group > 0; --group) {
      auto [length, isCustom] = offsets.numberAndFlag();
      StringRef part = data.take(length);
      entries.push_back(
          Entry<T>{T(), Bytes(part, part.data()), kind, isCustom});
    }
  }
  return data.isBroken() || offsets.isBroken()
             ? fail("expected the section of attributes and types")
             : success();
}

LogicalResult Tables::read(Sections &sections) {
  Bytes offsets = sections[bytecode::Section::kAttrTypeOffset];
  Bytes data = sections[bytecode::Section::kAttrType];
  if (failed(readStrings(sections[bytecode::Section::kString])) ||
      failed(readDialects(sections[bytecode::Section::kDialect])))
    return failure();
  if (sections.count(bytecode::Section::kProperties) &&
      failed(readProperties(sections[bytecode::Section::kProperties])))
    return failure();
  size_t numAttributes = offsets.count(), numTypes = offsets.count();
  if (failed(readEntries(attributes, numAttributes, offsets, data)) ||
      failed(readEntries(types, numTypes, offsets, data)))
    return failure();
  return offsets.isRead() ? success() : fail("expected the section of offsets");
}
