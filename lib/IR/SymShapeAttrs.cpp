//===- SymShapeAttrs.cpp - Attributes of symshape -------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Text, verification and accessors of #symshape.shape, .symbol, .fact and
// .version.
//
//===----------------------------------------------------------------------===//

#include "TextParsing.h"
#include "mlir/IR/DialectImplementation.h"
#include "symshape/IR/SymShape.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::symshape;

#define GET_ATTRDEF_CLASSES
#include "symshape/IR/SymShapeAttrs.cpp.inc"

void SymShapeDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "symshape/IR/SymShapeAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// ShapeAttr
//===----------------------------------------------------------------------===//

static std::string printExtent(Extent extent) {
  if (extent.kind == Extent::Unknown)
    return "?";
  return (extent.kind == Extent::UpperBound ? "<= " : "") + extent.expr.str();
}

/// The extent that `text` spells; sets `error` when it is malformed.
static Extent readExtent(StringRef text, ExprArena &arena, ParseError &error) {
  StringRef rest = text.ltrim();
  if (rest.rtrim() == "?")
    return Extent::unknown();
  bool isBound = rest.consume_front("<=");
  Expr e = arena.parse(rest, error);
  if (!e)
    error.offset += text.size() - rest.size();
  return isBound ? Extent::upperBound(e) : Extent::exact(e);
}

ShapeAttr ShapeAttr::get(MLIRContext *context, ArrayRef<Extent> extents) {
  SmallVector<StringAttr> texts;
  for (const Extent &extent : extents)
    texts.push_back(StringAttr::get(context, printExtent(extent)));
  return get(context, texts);
}

Extent ShapeAttr::getExtent(int64_t dim, ExprArena &arena) const {
  ParseError error;
  return readExtent(getTexts()[dim].getValue(), arena, error);
}

SmallVector<Extent> ShapeAttr::getExtents(ExprArena &arena) const {
  SmallVector<Extent> extents;
  for (int64_t d = 0, e = getRank(); d < e; ++d)
    extents.push_back(getExtent(d, arena));
  return extents;
}

LogicalResult
ShapeAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                  ArrayRef<StringAttr> texts) {
  ExprArena arena;
  for (StringAttr text : texts) {
    ParseError error;
    Extent extent = readExtent(text.getValue(), arena, error);
    if (extent.kind != Extent::Unknown && !extent.expr)
      return emitError() << error.message << " in extent '" << text.getValue()
                         << "'";
  }
  return success();
}

/// Parses one extent and appends its canonical text.
static ParseResult parseExtent(AsmParser &parser, ExprArena &arena,
                               SmallVectorImpl<StringAttr> &texts) {
  MLIRContext *context = parser.getContext();
  if (succeeded(parser.parseOptionalQuestion())) {
    texts.push_back(StringAttr::get(context, "?"));
    return success();
  }
  bool isBound = succeeded(parser.parseOptionalLess());
  if (isBound && parser.parseEqual())
    return failure();
  LocatedText located;
  if (parseBareExpression(parser, located))
    return failure();
  ParseError error;
  Extent extent;
  if (located.quoted && !isBound) {
    extent = readExtent(located.text, arena, error);
  } else {
    Expr e = arena.parse(located.text, error);
    extent = isBound ? Extent::upperBound(e) : Extent::exact(e);
  }
  if (extent.kind != Extent::Unknown && !extent.expr)
    return emitParseError(parser, located, error);
  texts.push_back(StringAttr::get(context, printExtent(extent)));
  return success();
}

FailureOr<ShapeAttr> ShapeAttr::parseList(AsmParser &parser) {
  ExprArena arena;
  SmallVector<StringAttr> texts;
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square,
          [&] { return parseExtent(parser, arena, texts); }, " in shape"))
    return failure();
  return get(parser.getContext(), texts);
}

void ShapeAttr::printList(AsmPrinter &printer, bool inAttribute) const {
  printer << '[';
  llvm::interleaveComma(getTexts(), printer, [&](StringAttr attr) {
    StringRef text = attr.getValue();
    bool isPlain = llvm::all_of(namesInText(text),
                                [](StringRef n) { return isPlainName(n); });
    // Neither quotes nor named parts (`@1`) are tokens of bare expressions.
    if (isPlain && text.find_first_of("\"@") == StringRef::npos &&
        !(inAttribute && text.starts_with("<=")))
      printer << text;
    else
      printer.printString(text);
  });
  printer << ']';
}

Attribute ShapeAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<ShapeAttr> shape = parseList(parser);
  if (failed(shape) || parser.parseGreater())
    return {};
  return *shape;
}

void ShapeAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printList(printer, /*inAttribute=*/true);
  printer << '>';
}

//===----------------------------------------------------------------------===//
// SymbolAttr
//===----------------------------------------------------------------------===//

SymbolInfo SymbolAttr::getInfo() const {
  SymbolInfo info;
  info.range = Range::all();
  if (getMin())
    info.range.min = llvm::DynamicAPInt(*getMin());
  if (getMax())
    info.range.max = llvm::DynamicAPInt(*getMax());
  info.residue = Residue::of(llvm::DynamicAPInt(getRemainder()),
                             llvm::DynamicAPInt(getModulus()));
  info.likely.append(getLikely().begin(), getLikely().end());
  return info;
}

/// The least member of the residue class that is no smaller than `min`.
static llvm::DynamicAPInt firstMember(int64_t min, int64_t modulus,
                                      int64_t remainder) {
  llvm::DynamicAPInt lo(min), d(modulus), r(remainder);
  return lo + mod(r - lo, d);
}

LogicalResult
SymbolAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                   StringRef name, std::optional<int64_t> min,
                   std::optional<int64_t> max, int64_t modulus,
                   int64_t remainder, SymbolPolicy, ArrayRef<int64_t> likely) {
  ExprArena arena;
  ParseError error;
  Expr e = arena.parse(name, error);
  if (!e || !e.asSymbol() || *e.asSymbol() != name)
    return emitError() << "expected the name of a symbol, but got '" << name
                       << "'";
  if (modulus < 1)
    return emitError() << "expected a modulus of at least 1, but got "
                       << modulus;
  if (remainder < 0 || remainder >= modulus)
    return emitError() << "expected a remainder in [0, " << modulus
                       << "), but got " << remainder;
  if (min && max && *min > *max)
    return emitError() << "expected a range with min <= max, but got [" << *min
                       << ", " << *max << "]";
  if (min && max &&
      firstMember(*min, modulus, remainder) > llvm::DynamicAPInt(*max))
    return emitError() << "expected a value that is " << remainder << " mod "
                       << modulus << " in the range, but got [" << *min << ", "
                       << *max << "]";
  for (int64_t v : likely)
    if ((min && v < *min) || (max && v > *max) ||
        mod(llvm::DynamicAPInt(v), llvm::DynamicAPInt(modulus)) != remainder)
      return emitError()
             << "expected likely values in the range and residue of '" << name
             << "', but got " << v;
  return success();
}

namespace {
/// The fields of a symbol while it is parsed.
struct SymbolFields {
  std::optional<int64_t> min = 0, max;
  int64_t modulus = 1, remainder = 0;
  SymbolPolicy policy = SymbolPolicy::Auto;
  SmallVector<int64_t> likely;
};
} // namespace

/// Parses an integer, `inf` or `-inf`; an infinity is no bound. `isMin` says
/// which of the two infinities is meaningful.
static ParseResult parseRangeEnd(AsmParser &parser, bool isMin,
                                 std::optional<int64_t> &end) {
  SMLoc loc = parser.getCurrentLocation();
  bool isNegative = succeeded(parser.parseOptionalMinus());
  if (succeeded(parser.parseOptionalKeyword("inf"))) {
    if (isNegative != isMin)
      return parser.emitError(
          loc, isMin ? "expected a lower end that is an integer "
                       "or -inf, but got inf"
                     : "expected an upper end that is an integer "
                       "or inf, but got -inf");
    end = std::nullopt;
    return success();
  }
  int64_t value;
  if (parser.parseInteger(value))
    return failure();
  if (isNegative && value < 0)
    return parser.emitError(loc, "expected an integer, but got two signs");
  end = isNegative ? -value : value;
  return success();
}

static ParseResult parsePolicy(AsmParser &parser, SymbolPolicy &policy) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<SymbolPolicy> known = symbolizeSymbolPolicy(keyword);
  if (!known)
    return parser.emitError(loc)
           << "expected auto, dynamic or static, but got '" << keyword << "'";
  policy = *known;
  return success();
}

static ParseResult parseSymbolField(AsmParser &parser, SymbolFields &fields,
                                    llvm::SmallDenseSet<StringRef> &seen) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return failure();
  bool isResidue = keyword == "multiple_of" || keyword == "residue";
  if (!seen.insert(isResidue ? "residue" : keyword).second)
    return parser.emitError(loc) << "expected '" << keyword << "' once";
  if (parser.parseEqual())
    return failure();
  if (keyword == "range")
    return failure(
        parser.parseLSquare() || parseRangeEnd(parser, true, fields.min) ||
        parser.parseComma() || parseRangeEnd(parser, false, fields.max) ||
        parser.parseRSquare());
  if (keyword == "multiple_of")
    return parser.parseInteger(fields.modulus);
  if (keyword == "residue") {
    if (parser.parseLSquare() || parser.parseInteger(fields.remainder) ||
        parser.parseComma() || parser.parseInteger(fields.modulus) ||
        parser.parseRSquare())
      return failure();
    if (fields.modulus > 0) // canonical: 0 <= remainder < modulus
      fields.remainder = int64_t(mod(llvm::DynamicAPInt(fields.remainder),
                                     llvm::DynamicAPInt(fields.modulus)));
    return success();
  }
  if (keyword == "policy")
    return parsePolicy(parser, fields.policy);
  if (keyword == "likely")
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
      return parser.parseInteger(fields.likely.emplace_back());
    });
  return parser.emitError(loc)
         << "expected range, multiple_of, residue, policy or likely, "
            "but got '"
         << keyword << "'";
}

Attribute SymbolAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  std::string name;
  SymbolFields fields;
  llvm::SmallDenseSet<StringRef> seen;
  if (parser.parseLess() || parser.parseString(&name))
    return {};
  while (succeeded(parser.parseOptionalComma()))
    if (parseSymbolField(parser, fields, seen))
      return {};
  if (parser.parseGreater())
    return {};
  return parser.getChecked<SymbolAttr>(
      loc, parser.getContext(), name, fields.min, fields.max, fields.modulus,
      fields.remainder, fields.policy, fields.likely);
}

void SymbolAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printString(getName());
  if (getMin() != 0 || getMax()) {
    printer << ", range = [";
    getMin() ? printer << *getMin() : printer << "-inf";
    printer << ", ";
    getMax() ? printer << *getMax() : printer << "inf";
    printer << ']';
  }
  if (getModulus() != 1 && getRemainder() == 0)
    printer << ", multiple_of = " << getModulus();
  else if (getModulus() != 1)
    printer << ", residue = [" << getRemainder() << ", " << getModulus() << ']';
  if (getPolicy() != SymbolPolicy::Auto)
    printer << ", policy = " << stringifySymbolPolicy(getPolicy());
  if (!getLikely().empty()) {
    printer << ", likely = [";
    llvm::interleaveComma(getLikely(), printer);
    printer << ']';
  }
  printer << '>';
}

//===----------------------------------------------------------------------===//
// FactAttr
//===----------------------------------------------------------------------===//

Formula FactAttr::getFormula(ExprArena &arena) const {
  ParseError error;
  return *Formula::parse(arena, getText(), error); // verified
}

LogicalResult
FactAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                 StringRef text) {
  ExprArena arena;
  ParseError error;
  if (Formula::parse(arena, text, error))
    return success();
  return emitError() << error.message << " in fact '" << text << "'";
}

/// Parses a formula in quotes.
static FailureOr<FactAttr> parseQuotedFact(AsmParser &parser) {
  LocatedText located;
  if (parseQuoted(parser, located))
    return failure();
  ExprArena arena;
  ParseError error;
  std::optional<Formula> formula = Formula::parse(arena, located.text, error);
  if (!formula)
    return emitParseError(parser, located, error);
  return FactAttr::get(parser.getContext(), formula->str());
}

Attribute FactAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<FactAttr> fact = parseQuotedFact(parser);
  if (failed(fact) || parser.parseGreater())
    return {};
  return *fact;
}

void FactAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printString(getText());
  printer << '>';
}

//===----------------------------------------------------------------------===//
// VersionAttr
//===----------------------------------------------------------------------===//

SmallVector<Relation> VersionAttr::getCondition(ExprArena &arena) const {
  SmallVector<Relation> relations;
  for (FactAttr fact : getFacts())
    relations.push_back(fact.getFormula(arena).relation); // verified
  return relations;
}

LogicalResult
VersionAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                    StringRef name, ArrayRef<FactAttr> facts) {
  if (!isPlainName(name))
    return emitError() << "expected the name of a version to be an identifier, "
                          "but got '"
                       << name << "'";
  if (llvm::is_contained({"default", "guard", "prepare", "version"}, name))
    return emitError() << "expected a name of a version that is not taken, but "
                          "got '"
                       << name << "'";
  if (facts.empty())
    return emitError() << "expected a condition of version '" << name
                       << "', but got none";
  ExprArena arena;
  for (FactAttr fact : facts)
    if (Formula f = fact.getFormula(arena); !f.isLiteral() || f.negated)
      return emitError() << "expected a relation in the condition of version '"
                         << name << "', but got '" << fact.getText() << "'";
  return success();
}

Attribute VersionAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  std::string name;
  SmallVector<FactAttr> facts;
  auto parseFact = [&]() -> ParseResult {
    FailureOr<FactAttr> fact = parseQuotedFact(parser);
    if (failed(fact))
      return failure();
    facts.push_back(*fact);
    return success();
  };
  if (parser.parseLess() || parser.parseString(&name) || parser.parseComma() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseFact,
                                     " in version") ||
      parser.parseGreater())
    return {};
  return parser.getChecked<VersionAttr>(loc, parser.getContext(), name, facts);
}

void VersionAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printString(getName());
  printer << ", [";
  llvm::interleaveComma(getFacts(), printer, [&](FactAttr fact) {
    printer.printString(fact.getText());
  });
  printer << "]>";
}
