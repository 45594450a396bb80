//===- Vhlo.h - The dialect of portable artifacts ---------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// "vhlo" as far as reading needs it: ops by their names alone, whose types and
// attributes are read as builtin ones. Words of enumerations become strings.
// Private to the import: no such op outlives it.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_STABLEHLO_VHLO_H
#define SYMSHAPE_LIB_IMPORT_STABLEHLO_VHLO_H

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/Dialect.h"
#include <optional>

namespace mlir::symshape::stablehlo {

class VhloDialect : public Dialect {
public:
  explicit VhloDialect(MLIRContext *context);
  static StringRef getDialectNamespace() { return "vhlo"; }
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VhloDialect)
};

/// The attributes that bytecode has as properties of an op, with blanks
/// between; nullopt for what is no op of the dialect.
std::optional<StringRef> attributesOf(StringRef opName);

/// Reads a list whose length stands before it, as
/// DialectBytecodeReader::readList does, which makes room for any length that a
/// broken file may say.
template <typename T, typename ReadOne>
LogicalResult readListOf(DialectBytecodeReader &reader,
                         SmallVectorImpl<T> &list, ReadOne readOne) {
  uint64_t length;
  if (failed(reader.readVarInt(length)))
    return failure();
  for (; length > 0; --length) {
    FailureOr<T> element = readOne();
    if (failed(element))
      return failure();
    list.push_back(std::move(*element));
  }
  return success();
}
inline LogicalResult readIntegers(DialectBytecodeReader &reader,
                                  SmallVectorImpl<int64_t> &list) {
  return readListOf(reader, list, [&]() -> FailureOr<int64_t> {
    int64_t value;
    if (failed(reader.readSignedVarInt(value)))
      return failure();
    return value;
  });
}

/// Null after an error.
Type readVhloType(DialectBytecodeReader &reader, MLIRContext *context);
Attribute readVhloAttribute(DialectBytecodeReader &reader,
                            MLIRContext *context);

} // namespace mlir::symshape::stablehlo

#endif // SYMSHAPE_LIB_IMPORT_STABLEHLO_VHLO_H
