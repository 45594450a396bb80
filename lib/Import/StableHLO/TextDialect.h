//===- TextDialect.h - StableHLO as text ------------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// "stablehlo" and "chlo" as far as parsing needs them. Ops are parsed in the
// generic form, and common ones in that which their printer gives; words of
// enumerations become strings, and numbers of dimensions dictionaries. Private
// to the import: no such op outlives it.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_STABLEHLO_TEXTDIALECT_H
#define SYMSHAPE_LIB_IMPORT_STABLEHLO_TEXTDIALECT_H

#include "mlir/IR/Dialect.h"

namespace mlir::symshape::stablehlo {

class TextDialect : public Dialect {
public:
  explicit TextDialect(MLIRContext *context)
      : TextDialect("stablehlo", context, TypeID::get<TextDialect>()) {}
  static StringRef getDialectNamespace() { return "stablehlo"; }
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TextDialect)

  Attribute parseAttribute(DialectAsmParser &parser, Type type) const override;
  Type parseType(DialectAsmParser &parser) const override;
  std::optional<ParseOpHook>
  getParseOperationHook(StringRef opName) const override;

protected:
  TextDialect(StringRef name, MLIRContext *context, TypeID id);
};

class ChloTextDialect : public TextDialect {
public:
  explicit ChloTextDialect(MLIRContext *context)
      : TextDialect("chlo", context, TypeID::get<ChloTextDialect>()) {}
  static StringRef getDialectNamespace() { return "chlo"; }
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ChloTextDialect)
};

} // namespace mlir::symshape::stablehlo

#endif // SYMSHAPE_LIB_IMPORT_STABLEHLO_TEXTDIALECT_H
