//===- TextParsing.h - Expressions in the text of the IR --------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reading expressions and relations from strings and bare text of the IR, with
// errors at the place inside the text, and operands that their names stand for.
// Not for: the grammar of expressions (Expr).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IR_TEXTPARSING_H
#define SYMSHAPE_LIB_IR_TEXTPARSING_H

#include "mlir/IR/OpImplementation.h"
#include "symshape/Expr/Relation.h"

namespace mlir::symshape {

/// Text read by a parser, and where its characters stand.
struct LocatedText {
  std::string text;
  llvm::SMLoc start; ///< of the first character, or of the opening quote
  bool quoted = false;

  /// The place of the character at `offset` of `text`.
  llvm::SMLoc at(size_t offset) const;
};

/// Parses a quoted string.
ParseResult parseQuoted(AsmParser &parser, LocatedText &result);

/// Parses the tokens of one expression, up to a comma, bracket or other token
/// outside parentheses that no expression holds; or a quoted string.
ParseResult parseBareExpression(AsmParser &parser, LocatedText &result);

/// Emits `error`, found `base` characters into `text`, at its place.
ParseResult emitParseError(AsmParser &parser, const LocatedText &text,
                           const ParseError &error, size_t base = 0);

/// Parses `(a = %x, b = %y)`, in any order of names, or without names
/// `(%x, %y)`, in that of first use in `text`; or nothing.
ParseResult
parseNamedOperands(OpAsmParser &parser, StringRef text,
                   SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands);

/// `text` with an integer for each name that has one.
std::string
writeIntegers(StringRef text,
              llvm::function_ref<std::optional<int64_t>(StringRef)> valueOf);

/// Whether `name` may be written without quotes.
bool isPlainName(StringRef name);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_IR_TEXTPARSING_H
