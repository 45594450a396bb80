//===- Parser.cpp - Modules, functions and variables ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What stands outside of bodies; they are in ParseBody.cpp.
//
//===----------------------------------------------------------------------===//

#include "Parser.h"

using namespace mlir::symshape::ptx;

unsigned mlir::symshape::ptx::bitsOfType(std::string_view type) {
  static const std::unordered_map<std::string_view, unsigned> bits = {
      {"pred", 1}, {"b8", 8},   {"u8", 8},   {"s8", 8},    {"b16", 16},
      {"u16", 16}, {"s16", 16}, {"f16", 16}, {"bf16", 16}, {"b32", 32},
      {"u32", 32}, {"s32", 32}, {"f32", 32}, {"tf32", 32}, {"f16x2", 32},
      {"b64", 64}, {"u64", 64}, {"s64", 64}, {"f64", 64},  {"bf16x2", 32}};
  auto found = bits.find(type);
  return found == bits.end() ? 0 : found->second;
}

bool Parser::failAt(uint32_t line, const std::string &message) {
  complaint = {line, message};
  return false;
}

bool Parser::fail(const std::string &expected) {
  std::string got = peek().kind == Token::End
                        ? "the end of the text"
                        : "'" + std::string(peek().text) + "'";
  return failAt(peek().line, "expected " + expected + ", but got " + got);
}

bool Parser::expect(std::string_view text) {
  return takeIf(text) || fail("'" + std::string(text) + "'");
}

bool Parser::takeInteger(uint64_t &value) {
  bool negative = takeIf("-");
  if (peek().kind != Token::Integer)
    return fail("an integer");
  value = take().value;
  value = negative ? -value : value;
  return true;
}

/// The number after `.align`.
bool Parser::takeAlignment(uint64_t &alignment) {
  if (!takeInteger(alignment))
    return false;
  bool isPower = alignment != 0 && (alignment & (alignment - 1)) == 0;
  return (isPower && alignment <= 4096) ||
         fail("an alignment that is a power of two up to 4096");
}

bool Parser::parse(Module &module) {
  while (peek().kind != Token::End)
    if (!parseTopLevel(module))
      return false;
  return true;
}

/// Leaves out a directive up to the end of its line; of a section, up to the
/// end of its braces.
bool Parser::skipStatement() {
  bool isSection = peek().is(".section");
  uint32_t line = take().line;
  while (peek().kind != Token::End && peek().line == line && !peek().is("{"))
    take();
  if (!isSection)
    return true;
  if (!expect("{"))
    return false;
  while (!takeIf("}"))
    if (take().kind == Token::End)
      return fail("'}'");
  return true;
}

/// The space that a directive names, if it declares variables.
static bool isSpace(std::string_view word, Space &space) {
  static const std::unordered_map<std::string_view, Space> spaces = {
      {".global", Space::Global},
      {".const", Space::Const},
      {".shared", Space::Shared},
      {".local", Space::Local},
      {".param", Space::Param}};
  auto found = spaces.find(word);
  if (found == spaces.end())
    return false;
  space = found->second;
  return true;
}

bool Parser::parseTopLevel(Module &module) {
  if (peek().is(".target")) {
    module.target = peek(1).text;
    return skipStatement();
  }
  if (peek().is(".version") || peek().is(".address_size") ||
      peek().is(".file") || peek().is(".section") || peek().is(".pragma"))
    return skipStatement();
  bool isExtern = false;
  while (peek().is(".visible") || peek().is(".extern") || peek().is(".weak") ||
         peek().is(".common"))
    isExtern |= take().is(".extern");
  if (takeIf(".entry"))
    return parseFunction(module, /*isEntry=*/true);
  if (takeIf(".func"))
    return parseFunction(module, /*isEntry=*/false);
  Variable variable;
  variable.isExtern = isExtern;
  if (!isSpace(peek().text, variable.space))
    return fail("a directive of a module");
  take();
  return parseVariable(variable, module.variables);
}

/// `.align 4 .b8 name[16] = {...}, name2;` after the word of the space.
bool Parser::parseVariable(Variable variable,
                           std::vector<Variable> &variables) {
  uint64_t alignment = 0;
  while (peek().kind == Token::Word && bitsOfType(peek().text.substr(1)) == 0) {
    if (takeIf(".align")) {
      if (!takeAlignment(alignment))
        return false;
    } else if (takeIf(".attribute")) {
      while (!takeIf(")"))
        if (take().kind == Token::End)
          return fail("')'");
    } else {
      return fail("a type");
    }
  }
  if (peek().kind != Token::Word)
    return fail("a type");
  variable.elementBytes = (bitsOfType(peek().text.substr(1)) + 7) / 8;
  variable.alignment = alignment ? alignment : variable.elementBytes;
  take();
  do {
    Variable one = variable;
    if (!parseVariableName(one))
      return false;
    if (takeIf("=") && !parseInitializer(one))
      return false;
    variables.push_back(std::move(one));
  } while (takeIf(","));
  return expect(";");
}

/// `name`, `name[16]`, `name[]`, `name[2][3]`, or `name<4>`, which is not for
/// variables.
bool Parser::parseVariableName(Variable &variable) {
  if (peek().kind != Token::Word)
    return fail("a name");
  variable.line = peek().line;
  variable.name = function ? declare(peek().text) : std::string(peek().text);
  take();
  while (takeIf("[")) {
    uint64_t extent = 0;
    if (!peek().is("]") && !takeInteger(extent))
      return false;
    if (extent > (uint64_t(1) << 40) ||
        variable.count * extent > (uint64_t(1) << 40))
      return fail("an extent of at most 2^40");
    variable.count *= extent;
    if (!expect("]"))
      return false;
  }
  return true;
}

bool Parser::parseInitializer(Variable &variable) {
  uint64_t at = 0;
  if (!takeIf("{"))
    return parseInitialValue(variable, at);
  unsigned depth = 1;
  while (depth != 0) {
    if (takeIf("{")) {
      ++depth;
    } else if (takeIf("}")) {
      --depth;
    } else if (!takeIf(",") && !parseInitialValue(variable, at)) {
      return false;
    }
  }
  if (variable.count == 0) // name[] = {...}
    variable.count = at / variable.elementBytes;
  return true;
}

/// A number, a symbol, `symbol+4` or `generic(symbol)`; or `mask(symbol)`, one
/// byte of an address, which is refused.
bool Parser::parseInitialValue(Variable &variable, uint64_t &at) {
  uint64_t bytes = variable.elementBytes;
  if (peek().kind == Token::Word) {
    Variable::Relocation relocation{at, bytes, "", 0, takeIf("generic")};
    bool inParens = takeIf("(");
    if (peek().kind != Token::Word)
      return fail("a symbol");
    relocation.symbol = take().text;
    if (inParens && !expect(")"))
      return false;
    if (takeIf("+") && !takeInteger(relocation.addend))
      return false;
    variable.relocations.push_back(relocation);
    at += bytes;
    return true;
  }
  uint64_t value = 0;
  if (peek().kind == Token::Single || peek().kind == Token::Double)
    value = take().value;
  else if (!takeInteger(value))
    return false;
  variable.init.resize(at + bytes);
  for (uint64_t i = 0; i < bytes; ++i)
    variable.init[at + i] = uint8_t(value >> (8 * i));
  at += bytes;
  return true;
}

/// `(.param .u64 .ptr .global .align 16 name, ...)`.
bool Parser::parseParameters(std::vector<Variable> &parameters, Space space) {
  if (!takeIf("("))
    return true;
  while (!takeIf(")")) {
    Variable parameter;
    parameter.space = space;
    if (!expect(".param"))
      return false;
    uint64_t alignment = 0;
    bool isPointer = false;
    while (peek().kind == Token::Word && peek().text[0] == '.') {
      Space pointee;
      if (takeIf(".ptr")) {
        isPointer = true;
      } else if (takeIf(".align")) {
        uint64_t value = 0;
        if (!takeInteger(value))
          return false;
        alignment =
            isPointer ? alignment : value; // that of a pointee is a promise
      } else if (isSpace(peek().text, pointee)) {
        take();
      } else if (unsigned bits = bitsOfType(peek().text.substr(1))) {
        parameter.elementBytes = (bits + 7) / 8;
        take();
      } else {
        return fail("a type");
      }
    }
    parameter.alignment = alignment ? alignment : parameter.elementBytes;
    if (!parseVariableName(parameter))
      return false;
    parameters.push_back(std::move(parameter));
    if (!peek().is(")") && !expect(","))
      return false;
  }
  return true;
}

/// What may stand between the parameters and the body.
bool Parser::parseTuning(Function &function) {
  while (peek().kind == Token::Word && peek().text[0] == '.') {
    uint32_t *extents = peek().is(".maxntid")   ? function.maxThreads
                        : peek().is(".reqntid") ? function.requiredThreads
                                                : nullptr;
    take();
    for (unsigned i = 0; peek().kind == Token::Integer; ++i) {
      uint64_t value = take().value;
      if (extents && i < 3)
        extents[i] = uint32_t(value);
      if (!takeIf(","))
        break;
    }
    for (unsigned i = 1; extents && i < 3; ++i)
      extents[i] = extents[i] ? extents[i] : 1;
    if (peek().kind == Token::Text) // .pragma "nounroll"
      take();
    takeIf(";");
  }
  return true;
}

bool Parser::parseFunction(Module &module, bool isEntry) {
  Function parsed;
  function = nullptr;
  parsed.isEntry = isEntry;
  if (!isEntry && !parseParameters(parsed.results, Space::Param))
    return false;
  if (peek().kind != Token::Word)
    return fail("a name");
  parsed.line = peek().line;
  parsed.name = take().text;
  takeIf(".noreturn");
  if (!parseParameters(parsed.parameters, Space::Param) || !parseTuning(parsed))
    return false;
  if (!takeIf(";")) {
    if (!expect("{"))
      return false;
    parsed.hasBody = true;
    function = &parsed;
    names.clear();
    openScopes.clear();
    openScope();
    if (!parseBody())
      return false;
    function = nullptr;
  }
  Function &known = module.functions[parsed.name];
  if (known.hasBody && parsed.hasBody)
    return failAt(parsed.line, "'" + parsed.name + "' is defined twice");
  if (!known.hasBody)
    known = std::move(parsed);
  return true;
}
