//===- Lexer.h - Words, numbers and signs of PTX ----------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cuts the text of a module into tokens. Not for: what they mean together.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_PTXSIMULATOR_LEXER_H
#define SYMSHAPE_PTXSIMULATOR_LEXER_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mlir::symshape::ptx {

/// A token with the line it is on, from 1.
///
/// A word is an identifier, a register, a directive or a whole opcode with its
/// suffixes, such as `ld.global.L1::no_allocate.b32`. `Single` and `Double` are
/// floats; `value` holds their bits, or the integer. A sign has its character
/// as text. `Bad` is a character that PTX has no use for.
struct Token {
  enum Kind { End, Word, Integer, Single, Double, Text, Sign, Bad };
  Kind kind = End;
  std::string_view text;
  uint64_t value = 0;
  uint32_t line = 0;

  bool is(std::string_view other) const {
    return (kind == Word || kind == Sign) && text == other;
  }
};

/// All tokens of `text`, which must outlive them; the last one is `End`.
/// Comments are left out.
std::vector<Token> tokenize(std::string_view text);

} // namespace mlir::symshape::ptx

#endif // SYMSHAPE_PTXSIMULATOR_LEXER_H
