//===- Declaration.cpp - Symbols declared as text -------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One clause after another.
//
//===----------------------------------------------------------------------===//

#include "Declaration.h"
#include "symshape/Expr/Integers.h"
#include "llvm/Support/ScopedPrinter.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::symshape;
using llvm::DynamicAPInt;
using llvm::StringRef;
using llvm::Twine;

/// False, with an error at `offset`.
static bool refuse(ExprParser &parser, size_t offset, const Twine &message) {
  parser.fail(offset, message);
  return false;
}

/// An end of a range; nullopt where it is infinite.
static std::optional<DynamicAPInt> parseBound(ExprParser &parser, bool isMin,
                                              bool &failed) {
  size_t start = parser.offset();
  bool isNegative = parser.consume("-");
  if (parser.consumeWord("inf")) {
    if (isNegative != isMin)
      failed = !refuse(parser, start,
                       isMin ? "expected an integer or -inf, but got inf"
                             : "expected an integer or inf, but got -inf");
    return std::nullopt;
  }
  std::optional<DynamicAPInt> value = parser.parseSignedInteger();
  if (!value) {
    failed = true;
    return std::nullopt;
  }
  return isNegative ? -*value : *value;
}

/// `[LO, HI]`
static bool parseRange(ExprParser &parser, Range &range) {
  auto need = [&](StringRef token) {
    if (parser.consume(token))
      return true;
    parser.expected("'" + token + "'");
    return false;
  };
  bool failed = false;
  parser.skipBlanks();
  size_t start = parser.offset();
  if (!need("["))
    return false;
  range.min = parseBound(parser, /*isMin=*/true, failed);
  if (failed || !need(","))
    return false;
  range.max = parseBound(parser, /*isMin=*/false, failed);
  if (failed || !need("]"))
    return false;
  if (!range.isEmpty())
    return true;
  std::string text;
  llvm::raw_string_ostream os(text);
  range.print(os);
  return refuse(parser, start,
                "expected a range with min <= max, but got " + text);
}

/// `R mod D`
static bool parseResidue(ExprParser &parser, Residue &residue) {
  parser.skipBlanks();
  size_t start = parser.offset();
  std::optional<DynamicAPInt> remainder = parser.parseSignedInteger();
  if (!remainder)
    return false;
  if (!parser.consumeWord("mod")) {
    parser.expected("'mod'");
    return false;
  }
  std::optional<DynamicAPInt> modulus = parser.parseSignedInteger();
  if (!modulus)
    return false;
  if (*modulus < 1 || *remainder < 0 || *remainder >= *modulus)
    return refuse(parser, start,
                  "expected a remainder from 0 to below a modulus of at "
                  "least 1, but got " +
                      llvm::to_string(*remainder) + " mod " +
                      llvm::to_string(*modulus));
  residue = Residue::of(*remainder, *modulus);
  return true;
}

/// What the range and residue of a declaration allow, and the likely values.
static bool checkInfo(ExprParser &parser, const SymbolInfo &info,
                      size_t offset) {
  for (int64_t value : info.likely)
    if (!info.range.contains(DynamicAPInt(value)) ||
        !info.residue.contains(DynamicAPInt(value)))
      return refuse(parser, offset,
                    "expected likely values in the range and residue, "
                    "but got " +
                        Twine(value));
  return true;
}

static bool parseClauses(ExprParser &parser, SymbolInfo &info, bool &hasRange) {
  bool hasResidue = false;
  for (parser.skipBlanks(); !parser.atEnd(); parser.skipBlanks()) {
    size_t start = parser.offset();
    auto isNew = [&](bool &seen, StringRef clause) {
      if (!std::exchange(seen, true))
        return true;
      return refuse(parser, start, "expected '" + clause + "' once");
    };
    if (parser.consumeWord("in")) {
      if (!isNew(hasRange, "in") || !parseRange(parser, info.range))
        return false;
    } else if (parser.consumeWord("multiple_of")) {
      if (!isNew(hasResidue, "multiple_of or residue"))
        return false;
      std::optional<DynamicAPInt> modulus = parser.parseSignedInteger();
      if (!modulus)
        return false;
      if (*modulus < 1)
        return refuse(parser, start,
                      "expected a multiple of at least 1, but got " +
                          llvm::to_string(*modulus));
      info.residue = Residue::of(DynamicAPInt(0), *modulus);
    } else if (parser.consumeWord("residue")) {
      if (!isNew(hasResidue, "multiple_of or residue") ||
          !parseResidue(parser, info.residue))
        return false;
    } else if (parser.consumeWord("likely")) {
      bool hasLikely = !info.likely.empty();
      if (!isNew(hasLikely, "likely"))
        return false;
      do {
        std::optional<DynamicAPInt> value = parser.parseSignedInteger();
        if (!value)
          return false;
        std::optional<int64_t> small = tryInt64(*value);
        if (!small)
          return refuse(parser, start, "expected likely values of 64 bits");
        info.likely.push_back(*small);
      } while (parser.consume(","));
    } else {
      parser.expected("in, multiple_of, residue or likely");
      return false;
    }
  }
  return true;
}

std::optional<Declaration>
mlir::symshape::parseDeclaration(ExprParser &parser) {
  Declaration result;
  parser.skipBlanks();
  result.offset = parser.offset();
  std::optional<StringRef> name = parser.parseName();
  if (!name) {
    parser.expected("the name of a symbol");
    return std::nullopt;
  }
  result.name = *name;
  if (!parseClauses(parser, result.info, result.hasRange) ||
      !checkInfo(parser, result.info, result.offset))
    return std::nullopt;
  return result;
}
