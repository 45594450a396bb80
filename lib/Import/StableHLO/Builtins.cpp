//===- Builtins.cpp - Builtin attributes of artifacts ---------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The codes are those of MLIR's BuiltinDialectBytecode.td.
//
//===----------------------------------------------------------------------===//

#include "Builtins.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;
using namespace mlir::symshape::stablehlo;

static StringAttr readName(Tables &tables, Bytes &bytes) {
  Attribute value = tables.attribute(bytes.number());
  auto name = dyn_cast_or_null<StringAttr>(value);
  if (value && !name)
    (void)tables.fail("expected a string, but got another attribute");
  return name;
}

static Attribute readDictionary(Tables &tables, Bytes &bytes) {
  NamedAttrList list;
  for (size_t count = bytes.count(); count > 0; --count) {
    StringAttr name = readName(tables, bytes);
    Attribute value = name ? tables.attribute(bytes.number()) : Attribute();
    if (!value)
      return Attribute();
    if (name.empty() || list.get(name))
      return (void)tables.fail("expected a dictionary of different names"),
             Attribute();
    list.append(name, value);
  }
  return list.getDictionary(tables.loc.getContext());
}

static Attribute readFused(Tables &tables, Bytes &bytes, bool hasMetadata) {
  SmallVector<Location> parts;
  for (size_t count = bytes.count(); count > 0; --count) {
    LocationAttr part = tables.location(bytes.number());
    if (!part)
      return Attribute();
    parts.push_back(part);
  }
  Attribute metadata;
  if (hasMetadata && !(metadata = tables.attribute(bytes.number())))
    return Attribute();
  return FusedLoc::get(parts, metadata, tables.loc.getContext());
}

/// A file and numbers of lines and columns; of a range, its start.
static Attribute readPlace(Tables &tables, Bytes &bytes, bool isRange) {
  StringAttr file = readName(tables, bytes);
  uint64_t numbers[2] = {0, 0};
  size_t count = isRange ? bytes.count() : 2;
  for (size_t i = 0; i < count; ++i)
    if (uint64_t number = bytes.number(); i < 2)
      numbers[i] = number;
  return file ? FileLineColLoc::get(file, static_cast<unsigned>(numbers[0]),
                                    static_cast<unsigned>(numbers[1]))
              : Attribute();
}

Attribute mlir::symshape::stablehlo::readBuiltinAttribute(Tables &tables,
                                                          Bytes &bytes) {
  MLIRContext *context = tables.loc.getContext();
  switch (uint64_t code = bytes.number()) {
  case 1:
    return readDictionary(tables, bytes);
  case 2: {
    StringRef text = tables.string(bytes.number());
    return text.data() ? StringAttr::get(context, text) : Attribute();
  }
  case 10: {
    LocationAttr callee = tables.location(bytes.number());
    LocationAttr caller =
        callee ? tables.location(bytes.number()) : LocationAttr();
    return caller ? CallSiteLoc::get(callee, caller) : Attribute();
  }
  case 11:
  case 22:
    return readPlace(tables, bytes, /*isRange=*/code == 22);
  case 12:
  case 13:
    return readFused(tables, bytes, /*hasMetadata=*/code == 13);
  case 14: {
    StringAttr name = readName(tables, bytes);
    LocationAttr child = name ? tables.location(bytes.number()) : nullptr;
    return child ? NameLoc::get(name, child) : Attribute();
  }
  case 15:
    return UnknownLoc::get(context);
  default:
    (void)tables.fail("expected a builtin attribute that artifacts have, but "
                      "got one of kind " +
                      Twine(code));
    return Attribute();
  }
}
