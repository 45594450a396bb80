//===- TextGlobals.h - Text that the runtime is passed ----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_RUNTIME_TEXTGLOBALS_H
#define SYMSHAPE_LIB_CONVERSION_RUNTIME_TEXTGLOBALS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::symshape {

/// Constants of a symbol table that end in a 0, one for each distinct text.
class TextGlobals {
public:
  explicit TextGlobals(SymbolTable &symbols) : symbols(symbols) {}

  /// A pointer to the text, where `builder` is.
  Value get(OpBuilder &builder, Location loc, StringRef text) {
    LLVM::GlobalOp &global = globals[text];
    if (!global) {
      OpBuilder::InsertionGuard guard(builder);
      Operation *table = symbols.getOp();
      builder.setInsertionPointToStart(&table->getRegion(0).front());
      std::string terminated = text.str();
      terminated.push_back('\0');
      auto type =
          LLVM::LLVMArrayType::get(builder.getI8Type(), terminated.size());
      global = LLVM::GlobalOp::create(
          builder, table->getLoc(), type, /*isConstant=*/true,
          LLVM::Linkage::Private, "symshape_message",
          builder.getStringAttr(terminated));
      symbols.insert(global);
    }
    return LLVM::AddressOfOp::create(builder, loc, global);
  }

private:
  SymbolTable &symbols;
  llvm::StringMap<LLVM::GlobalOp> globals;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_RUNTIME_TEXTGLOBALS_H
