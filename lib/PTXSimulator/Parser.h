//===- Parser.h - Reads PTX modules -----------------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recursive descent over tokens. Knows directives and the forms of operands;
// not for opcodes, which are words here and have a meaning in the decoder.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_PTXSIMULATOR_PARSER_H
#define SYMSHAPE_PTXSIMULATOR_PARSER_H

#include "Lexer.h"
#include "Module.h"

namespace mlir::symshape::ptx {

/// Bits of a fundamental type without its dot (`u32`, `f16x2`, `pred`); 0 if it
/// is none.
unsigned bitsOfType(std::string_view type);

/// Reads one module. Every method that returns a bool returns false after it
/// has set `complaint`.
class Parser {
public:
  explicit Parser(std::string_view text) : tokens(tokenize(text)) {}

  /// Reads all of the text into `module`.
  bool parse(Module &module);

  Complaint complaint;

private:
  const Token &peek(size_t ahead = 0) const {
    size_t index = place + ahead;
    return tokens[index < tokens.size() ? index : tokens.size() - 1];
  }
  Token take() {
    return place + 1 < tokens.size() ? tokens[place++] : tokens[place];
  }
  bool takeIf(std::string_view text) {
    bool found = peek().is(text);
    place += found;
    return found;
  }
  bool expect(std::string_view text);
  bool fail(const std::string &expected);
  bool failAt(uint32_t line, const std::string &message);
  bool takeInteger(uint64_t &value);
  bool takeAlignment(uint64_t &alignment);

  // Of a module.
  bool parseTopLevel(Module &module);
  bool skipStatement();
  bool parseFunction(Module &module, bool isEntry);
  bool parseParameters(std::vector<Variable> &parameters, Space space);
  bool parseTuning(Function &function);
  bool parseVariable(Variable variable, std::vector<Variable> &variables);
  bool parseVariableName(Variable &variable);
  bool parseInitializer(Variable &variable);
  bool parseInitialValue(Variable &variable, uint64_t &place);

  // Of a function's body.
  bool parseBody();
  bool parseDirective();
  bool parseRegisters();
  bool parseBranchTargets(const std::string &label);
  bool parseInstruction();
  bool parseOperand(Operand &operand);
  bool parseSimpleOperand(Operand &operand);
  bool parseAddress(Operand &operand);
  bool parseOffset(Operand &operand);
  bool parseGroup(Operand &operand, std::string_view close);
  void openScope();
  std::string declare(std::string_view name);
  std::string resolve(std::string_view name) const;

  std::vector<Token> tokens;
  size_t place = 0;
  Function *function = nullptr;
  std::vector<std::unordered_map<std::string, std::string>>
      names; ///< by open scope
  std::vector<uint32_t> openScopes;
};

} // namespace mlir::symshape::ptx

#endif // SYMSHAPE_PTXSIMULATOR_PARSER_H
