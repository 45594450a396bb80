//===- ParseBody.cpp - Bodies of functions --------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Statements, their operands, and the scopes of names. A name that an inner
// scope declares is renamed to one that occurs once in the function.
//
//===----------------------------------------------------------------------===//

#include "Parser.h"

using namespace mlir::symshape::ptx;

void Parser::openScope() {
  uint32_t scope = uint32_t(function->parentScopes.size());
  function->parentScopes.push_back(openScopes.empty() ? scope
                                                      : openScopes.back());
  openScopes.push_back(scope);
  names.emplace_back();
}

/// Makes a name of the innermost scope known; returns the unique one.
std::string Parser::declare(std::string_view name) {
  std::string unique(name);
  if (openScopes.back() != 0)
    unique += "#" + std::to_string(openScopes.back());
  names.back()[std::string(name)] = unique;
  return unique;
}

/// The unique name for one that occurs in an operand.
std::string Parser::resolve(std::string_view name) const {
  std::string text(name);
  for (size_t i = names.size(); i-- > 0;) {
    auto found = names[i].find(text);
    if (found != names[i].end())
      return found->second;
  }
  return text;
}

bool Parser::parseBody() {
  while (true) {
    if (peek().kind == Token::End)
      return fail("'}'");
    if (takeIf("{")) {
      openScope();
    } else if (takeIf("}")) {
      names.pop_back();
      openScopes.pop_back();
      if (names.empty())
        return true;
    } else if (peek().kind == Token::Word && peek().text[0] == '.') {
      if (!parseDirective())
        return false;
    } else if (peek().kind == Token::Word && peek(1).is(":")) {
      std::string label(take().text);
      take();
      if (peek().is(".branchtargets") || peek().is(".callprototype") ||
          peek().is(".calltargets")) {
        if (!parseBranchTargets(label))
          return false;
        continue;
      }
      auto place = std::make_pair(openScopes.back(), label);
      if (!function->labels.emplace(place, uint32_t(function->body.size()))
               .second)
        return fail("'" + label + "' to be defined once");
    } else if (!takeIf(";") && !parseInstruction()) {
      return false;
    }
  }
}

/// The targets of an indexed branch. Prototypes of calls are left out: what is
/// called through a pointer is refused by the decoder.
bool Parser::parseBranchTargets(const std::string &label) {
  bool isBranch = take().is(".branchtargets");
  std::vector<std::string> targets;
  while (!takeIf(";")) {
    Token token = take();
    if (token.kind == Token::End)
      return fail("';'");
    if (token.kind == Token::Word)
      targets.emplace_back(token.text);
  }
  if (isBranch)
    function->branchTargets[{openScopes.back(), label}] = std::move(targets);
  return true;
}

bool Parser::parseDirective() {
  if (takeIf(".reg"))
    return parseRegisters();
  Variable variable;
  takeIf(".extern");
  if (takeIf(".shared"))
    variable.space = Space::Shared;
  else if (takeIf(".local"))
    variable.space = Space::Local;
  else if (takeIf(".param"))
    variable.space = Space::Param;
  else if (peek().is(".loc") || peek().is(".pragma") || peek().is(".file"))
    return skipStatement();
  else
    return fail("a directive of a function");
  return parseVariable(variable, function->variables);
}

/// `.reg .b32 %r<9>, %x;`
bool Parser::parseRegisters() {
  unsigned bits = peek().text.empty() ? 0 : bitsOfType(peek().text.substr(1));
  if (bits == 0)
    return fail("a type of registers");
  take();
  do {
    if (peek().kind != Token::Word)
      return fail("a register");
    std::string name(take().text);
    if (!takeIf("<")) {
      function->registers[declare(name)] = bits;
      continue;
    }
    uint64_t count = 0;
    if (!takeInteger(count) || !expect(">"))
      return false;
    if (count > 1000000)
      return fail("at most 1000000 registers");
    for (uint64_t i = 0; i < count; ++i)
      function->registers[declare(name + std::to_string(i))] = bits;
  } while (takeIf(","));
  return expect(";");
}

bool Parser::parseInstruction() {
  Statement statement;
  statement.line = peek().line;
  statement.scope = openScopes.back();
  if (takeIf("@")) {
    statement.guardNegated = takeIf("!");
    statement.guard = resolve(take().text);
  }
  if (peek().kind != Token::Word)
    return fail("an instruction");
  statement.opcode = take().text;
  while (!takeIf(";")) {
    Operand operand;
    if (!parseOperand(operand))
      return false;
    statement.operands.push_back(std::move(operand));
    if (!peek().is(";") && !expect(","))
      return false;
  }
  function->body.push_back(std::move(statement));
  return true;
}

bool Parser::parseOperand(Operand &operand) {
  if (takeIf("["))
    return parseAddress(operand);
  if (takeIf("{"))
    return parseGroup(operand, "}");
  if (takeIf("("))
    return parseGroup(operand, ")");
  if (!parseSimpleOperand(operand))
    return false;
  if (!takeIf("|"))
    return true;
  Operand pair, second;
  pair.kind = Operand::Group;
  if (!parseSimpleOperand(second))
    return false;
  pair.parts = {operand, second};
  operand = std::move(pair);
  return true;
}

bool Parser::parseSimpleOperand(Operand &operand) {
  operand.negated = takeIf("!");
  bool negative = takeIf("-");
  takeIf("+");
  const Token &token = peek();
  switch (token.kind) {
  case Token::Word:
    if (negative)
      return fail("a number");
    operand.text = resolve(take().text);
    return parseOffset(operand);
  case Token::Integer:
    operand.kind = Operand::Integer;
    break;
  case Token::Single:
    operand.kind = Operand::Single;
    break;
  case Token::Double:
    operand.kind = Operand::Double;
    break;
  default:
    return fail("an operand");
  }
  operand.value = take().value;
  if (negative && operand.kind == Operand::Integer)
    operand.value = -operand.value;
  else if (negative)
    operand.value ^= uint64_t(1) << (operand.kind == Operand::Single ? 31 : 63);
  return true;
}

/// `+4`, `+-4` or `-4` after a name; nothing is 0.
bool Parser::parseOffset(Operand &operand) {
  if (takeIf("+"))
    return takeInteger(operand.value);
  return !peek().is("-") || takeInteger(operand.value);
}

bool Parser::parseAddress(Operand &operand) {
  if (peek().kind == Token::Integer) {
    operand.value = take().value;
  } else {
    if (peek().kind != Token::Word)
      return fail("an address");
    operand.text = resolve(take().text);
    if (!parseOffset(operand))
      return false;
  }
  operand.kind = Operand::Address;
  return expect("]");
}

bool Parser::parseGroup(Operand &operand, std::string_view close) {
  operand.kind = Operand::Group;
  while (!takeIf(close)) {
    Operand part;
    if (!parseSimpleOperand(part))
      return false;
    operand.parts.push_back(std::move(part));
    if (!peek().is(close) && !expect(","))
      return false;
  }
  return true;
}
