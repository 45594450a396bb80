//===- Tables.h - What the ops of an artifact refer to ----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Strings, names of ops, attributes and types by their numbers. Attributes and
// types are read when they are asked for. Private to the reader of artifacts.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_STABLEHLO_TABLES_H
#define SYMSHAPE_LIB_IMPORT_STABLEHLO_TABLES_H

#include "Bytes.h"
#include "mlir/Bytecode/Encoding.h"
#include "mlir/IR/Location.h"
#include <deque>
#include <map>
#include <optional>
#include <vector>

namespace mlir::symshape::stablehlo {

using Sections = std::map<unsigned, Bytes>;

/// What stands for any attribute of another dialect, such as the rules of
/// sharding that JAX adds to calls of LAPACK. A location is no value of an
/// attribute of vhlo.
Attribute foreignAttribute(MLIRContext *context);

class Tables {
public:
  Tables(Location loc, uint64_t version) : loc(loc), version(version) {}
  LogicalResult read(Sections &sections);

  // Null or empty after an error.
  StringRef string(uint64_t index);
  Attribute attribute(uint64_t index);
  Type type(uint64_t index);
  /// Unknown where it is made of too many others.
  LocationAttr location(uint64_t index);

  struct OpName {
    std::string name;
    bool hasNativeProperties;
  };
  const OpName *opName(uint64_t index);
  std::optional<Bytes> properties(uint64_t index);

  /// Always failure.
  LogicalResult fail(const Twine &message);

  const Location loc;
  const uint64_t version; ///< of bytecode

private:
  enum class Kind { Builtin, Vhlo, Other };
  template <typename T>
  struct Entry {
    T value;
    Bytes bytes;
    Kind kind;
    bool isCustom; ///< by a code of the dialect, not as text
    bool isOpen = false;
  };
  LogicalResult readStrings(Bytes bytes);
  LogicalResult readDialects(Bytes bytes);
  LogicalResult readProperties(Bytes bytes);
  template <typename T>
  LogicalResult readEntries(std::vector<Entry<T>> &entries, size_t count,
                            Bytes &offsets, Bytes &data);
  template <typename T>
  T resolve(std::vector<Entry<T>> &entries, uint64_t index);

  std::vector<StringRef> strings;
  std::deque<std::string> repaired; ///< strings that were no UTF-8
  std::vector<StringRef> dialects;
  std::vector<OpName> opNames;
  std::vector<Bytes> propertyLists;
  std::vector<Entry<Attribute>> attributes;
  std::vector<Entry<Type>> types;
  unsigned depth = 0;
};

} // namespace mlir::symshape::stablehlo

#endif // SYMSHAPE_LIB_IMPORT_STABLEHLO_TABLES_H
