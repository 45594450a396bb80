//===- TextParsing.cpp - Expressions in the text of the IR ----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TextParsing.h.
//
//===----------------------------------------------------------------------===//

#include "TextParsing.h"
#include "symshape/Expr/ExprParser.h"
#include "symshape/IR/SymShape.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::symshape;

// In a string, an escape `\"` or `\hh` is one character of the text.
SMLoc LocatedText::at(size_t offset) const {
  const char *p = start.getPointer();
  if (!p || !quoted)
    return SMLoc::getFromPointer(p ? p + offset : p);
  ++p;
  for (size_t i = 0; i < offset && *p && *p != '"'; ++i)
    p += *p != '\\' ? 1 : (p[1] && llvm::isHexDigit(p[1]) ? 3 : 2);
  return SMLoc::getFromPointer(p);
}

ParseResult symshape::parseQuoted(AsmParser &parser, LocatedText &result) {
  result.start = parser.getCurrentLocation();
  result.quoted = true;
  return parser.parseString(&result.text);
}

/// Consumes one token that an expression may hold at this depth of parentheses.
static bool consumeToken(AsmParser &parser, int &depth) {
  StringRef keyword;
  APInt integer;
  if (succeeded(parser.parseOptionalLParen())) {
    ++depth;
    return true;
  }
  if (depth > 0 && succeeded(parser.parseOptionalRParen())) {
    --depth;
    return true;
  }
  if (succeeded(parser.parseOptionalKeyword(&keyword)) ||
      succeeded(parser.parseOptionalMinus()) ||
      succeeded(parser.parseOptionalPlus()) ||
      succeeded(parser.parseOptionalStar()) ||
      (depth > 0 && succeeded(parser.parseOptionalComma())))
    return true;
  return parser.parseOptionalInteger(integer).has_value();
}

ParseResult symshape::parseBareExpression(AsmParser &parser,
                                          LocatedText &result) {
  result.start = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalString(&result.text))) {
    result.quoted = true;
    return success();
  }
  int depth = 0;
  while (consumeToken(parser, depth)) {
  }
  const char *begin = result.start.getPointer();
  const char *end = parser.getCurrentLocation().getPointer();
  if (begin == end)
    return parser.emitError(result.start, "expected an expression");
  result.text = StringRef(begin, end - begin).rtrim().str();
  return success();
}

ParseResult symshape::emitParseError(AsmParser &parser, const LocatedText &text,
                                     const ParseError &error, size_t base) {
  size_t offset = std::min(base + error.offset, text.text.size());
  return parser.emitError(text.at(offset), error.message);
}

ParseResult symshape::parseNamedOperands(
    OpAsmParser &parser, StringRef text,
    SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands) {
  SMLoc start = parser.getCurrentLocation();
  llvm::StringMap<OpAsmParser::UnresolvedOperand> named;
  SmallVector<StringRef> names = namesInText(text);
  auto parseOne = [&]() -> ParseResult {
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult unnamed = parser.parseOptionalOperand(operand);
    if (unnamed.has_value()) {
      operands.push_back(operand);
      return *unnamed;
    }
    std::string name;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeywordOrString(&name) || parser.parseEqual() ||
        parser.parseOperand(operand))
      return failure();
    if (!llvm::is_contained(names, name))
      return parser.emitError(loc, "expected a name in '")
             << text << "', but got '" << name << "'";
    if (!named.try_emplace(name, operand).second)
      return parser.emitError(loc, "expected name '") << name << "' once";
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::OptionalParen,
                                     parseOne))
    return failure();
  if (!named.empty() && !operands.empty())
    return parser.emitError(
        start, "expected a name for each operand, or for none of them");
  for (StringRef name : ArrayRef(names).take_front(named.size())) {
    auto it = named.find(name);
    if (it == named.end())
      return parser.emitError(start, "expected an operand for '")
             << name << "', which '" << text
             << "' uses before the name of an operand";
    operands.push_back(it->second);
  }
  return success();
}

bool symshape::isPlainName(StringRef name) {
  return !name.empty() && (llvm::isAlpha(name[0]) || name[0] == '_') &&
         llvm::all_of(name,
                      [](char c) {
                        return llvm::isAlnum(c) || c == '_' || c == '$' ||
                               c == '.';
                      }) &&
         !isOperatorWord(name);
}

/// Calls `fn` with each name of `text` and the characters that spell it.
static void
forEachName(StringRef text,
            llvm::function_ref<void(StringRef name, StringRef spelling)> fn) {
  while (!text.empty()) {
    StringRef name, spelling = text.take_front();
    if (text[0] == '"') {
      name = text.drop_front().take_until([](char c) { return c == '"'; });
      spelling = text.take_front(name.size() + 2);
    } else if (continuesName(text[0])) {
      spelling = text.take_while(continuesName);
      if (startsName(text[0]) && !isOperatorWord(spelling))
        name = spelling;
    }
    if (!name.empty())
      fn(name, spelling);
    text = text.drop_front(spelling.size());
  }
}

SmallVector<StringRef> symshape::namesInText(StringRef text) {
  llvm::SetVector<StringRef> names;
  forEachName(text, [&](StringRef name, StringRef) { names.insert(name); });
  return names.takeVector();
}

std::string symshape::writeIntegers(
    StringRef text,
    llvm::function_ref<std::optional<int64_t>(StringRef)> valueOf) {
  std::string written;
  const char *rest = text.begin();
  forEachName(text, [&](StringRef name, StringRef spelling) {
    std::optional<int64_t> value = valueOf(name);
    if (!value)
      return;
    written.append(rest, spelling.begin());
    std::string number = std::to_string(*value);
    written += *value < 0 ? "(" + number + ")" : number;
    rest = spelling.end();
  });
  return written.append(rest, text.end());
}
