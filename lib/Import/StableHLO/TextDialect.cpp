//===- TextDialect.cpp - StableHLO as text --------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributes and types: `#stablehlo<comparison_direction LT>` is the string
// "LT", `#stablehlo.dot<lhs_batching_dimensions = [0], ...>` the dictionary of
// these names, which are those that artifacts have.
//
//===----------------------------------------------------------------------===//

#include "TextDialect.h"
#include "TextOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace mlir::symshape::stablehlo;

TextDialect::TextDialect(StringRef name, MLIRContext *context, TypeID id)
    : Dialect(name, context, id) {
  allowUnknownOperations();
}

/// Integers in brackets, a number, or an attribute.
static ParseResult parseField(AsmParser &parser, Attribute &value) {
  Builder b = parser.getBuilder();
  SmallVector<int64_t> list;
  if (succeeded(parser.parseOptionalLSquare())) {
    auto one = [&] { return parser.parseInteger(list.emplace_back()); };
    if (succeeded(parser.parseOptionalRSquare())) {
      value = b.getDenseI64ArrayAttr(list);
      return success();
    }
    value = {};
    if (parser.parseCommaSeparatedList(one) || parser.parseRSquare())
      return failure();
    value = b.getDenseI64ArrayAttr(list);
    return success();
  }
  int64_t number;
  OptionalParseResult isNumber = parser.parseOptionalInteger(number);
  if (isNumber.has_value()) {
    value = b.getI64IntegerAttr(number);
    return *isNumber;
  }
  return parser.parseAttribute(value);
}

/// `name = value, ...`, up to `>`.
static Attribute parseFields(AsmParser &parser) {
  NamedAttrList fields;
  auto one = [&]() -> ParseResult {
    StringRef name;
    Attribute value;
    if (parser.parseKeyword(&name) || parser.parseEqual() ||
        parseField(parser, value))
      return failure();
    fields.set(name, value);
    return success();
  };
  if (succeeded(parser.parseOptionalGreater()))
    return fields.getDictionary(parser.getContext());
  if (parser.parseCommaSeparatedList(one) || parser.parseGreater())
    return Attribute();
  return fields.getDictionary(parser.getContext());
}

namespace {
/// `[b, 0, 1, f]`: where each axis of a convolution lies.
struct Layout {
  ParseResult parse(AsmParser &parser) {
    int64_t axis = 0; // of the tensor
    auto one = [&]() -> ParseResult {
      int64_t number; // of a spatial axis
      StringRef letter;
      OptionalParseResult isNumber = parser.parseOptionalInteger(number);
      if (isNumber.has_value()) {
        constexpr int64_t most = 16;
        if (failed(*isNumber))
          return failure();
        if (number < 0 || number > most)
          return parser.emitError(parser.getCurrentLocation(),
                                  "expected the number of a spatial axis from "
                                  "0 to ")
                 << most << ", but got " << number;
        if (places.size() <= static_cast<size_t>(number))
          places.resize(number + 1, -1);
        places[number] = axis++;
        return success();
      }
      if (parser.parseKeyword(&letter))
        return failure();
      if (letter.size() != 1)
        return parser.emitError(parser.getCurrentLocation(),
                                "expected one of b, f, i and o, but got '")
               << letter << "'";
      letters[letter.front()] = axis++;
      return success();
    };
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, one);
  }
  int64_t at(char letter) const {
    auto known = letters.find(letter);
    return known == letters.end() ? -1 : known->second;
  }

  SmallVector<int64_t> places; ///< of spatial axes; -1 where none is said
  DenseMap<char, int64_t> letters;
};
} // namespace

/// `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`
static Attribute parseConvolution(AsmParser &parser) {
  Layout input, kernel, output;
  if (input.parse(parser) || parser.parseKeyword("x") || kernel.parse(parser) ||
      parser.parseArrow() || output.parse(parser) || parser.parseGreater())
    return Attribute();
  Builder b = parser.getBuilder();
  NamedAttrList fields;
  auto number = [&](StringRef name, int64_t value) {
    fields.set(name, b.getI64IntegerAttr(value));
  };
  number("input_batch_dimension", input.at('b'));
  number("input_feature_dimension", input.at('f'));
  number("kernel_input_feature_dimension", kernel.at('i'));
  number("kernel_output_feature_dimension", kernel.at('o'));
  number("output_batch_dimension", output.at('b'));
  number("output_feature_dimension", output.at('f'));
  fields.set("input_spatial_dimensions", b.getDenseI64ArrayAttr(input.places));
  fields.set("kernel_spatial_dimensions",
             b.getDenseI64ArrayAttr(kernel.places));
  fields.set("output_spatial_dimensions",
             b.getDenseI64ArrayAttr(output.places));
  return fields.getDictionary(parser.getContext());
}

Attribute TextDialect::parseAttribute(DialectAsmParser &parser, Type) const {
  StringRef kind, word;
  if (parser.parseKeyword(&kind))
    return Attribute();
  // A word of an enumeration, which `#stablehlo<` or the kind stands before.
  if (succeeded(parser.parseOptionalKeyword(&word)))
    return parser.getBuilder().getStringAttr(word);
  if (parser.parseLess())
    return Attribute();
  if (kind.ends_with("_mode") && succeeded(parser.parseOptionalKeyword(&word)))
    return parser.parseGreater() ? Attribute()
                                 : parser.getBuilder().getStringAttr(word);
  return kind == "conv" ? parseConvolution(parser) : parseFields(parser);
}

/// Tokens, which no op takes that is supported.
Type TextDialect::parseType(DialectAsmParser &parser) const {
  StringRef name;
  if (parser.parseKeyword(&name))
    return Type();
  if (name == "token")
    return NoneType::get(parser.getContext());
  parser.emitError(parser.getNameLoc(),
                   "expected a type of StableHLO, but got '")
      << name << "'";
  return Type();
}

std::optional<Dialect::ParseOpHook>
TextDialect::getParseOperationHook(StringRef) const {
  return ParseOpHook(parsePrettyOp);
}
