//===- SymShapeOps.cpp - Ops of symshape ----------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Text, verifiers, folders and interfaces of the ops. Not for: their rules for
// shapes (SymShapeRules.cpp).
//
//===----------------------------------------------------------------------===//

#include "ShapeChecks.h"
#include "TextParsing.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "symshape/IR/SymShape.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::symshape;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static ParseResult parseExtentList(OpAsmParser &parser, ShapeAttr &shape) {
  FailureOr<ShapeAttr> parsed = ShapeAttr::parseList(parser);
  if (failed(parsed))
    return failure();
  shape = *parsed;
  return success();
}

static void printExtentList(OpAsmPrinter &printer, Operation *,
                            ShapeAttr shape) {
  shape.printList(printer, /*inAttribute=*/false);
}

static ParseResult
parseText(OpAsmParser &parser, StringAttr &text,
          llvm::function_ref<bool(StringRef, ParseError &)> isRead) {
  LocatedText located;
  ParseError error;
  if (parseQuoted(parser, located))
    return failure();
  if (!isRead(located.text, error))
    return emitParseError(parser, located, error);
  text = parser.getBuilder().getStringAttr(located.text);
  return success();
}

// The text of `size` and `assert` is kept as written: its order of names is the
// order of the operands.
static ParseResult
parseExpressionText(OpAsmParser &parser, StringAttr &text,
                    SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands) {
  if (parseText(parser, text, [](StringRef text, ParseError &error) {
        return bool(ExprArena().parse(text, error));
      }))
    return failure();
  return parseNamedOperands(parser, text, operands);
}

static void printExpressionText(OpAsmPrinter &printer, Operation *,
                                StringAttr text, OperandRange operands) {
  printer.printString(text.getValue());
  if (operands.empty())
    return;
  printer << " (";
  llvm::interleaveComma(llvm::zip(namesInText(text), operands), printer,
                        [&](auto pair) {
                          auto [name, operand] = pair;
                          printer.printKeywordOrString(name);
                          printer << " = " << operand;
                        });
  printer << ")";
}

static ParseResult
parseRelationText(OpAsmParser &parser, StringAttr &text,
                  SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands) {
  if (parseText(parser, text, [](StringRef text, ParseError &error) {
        ExprArena arena;
        return Relation::parse(arena, text, error).has_value();
      }))
    return failure();
  return parseNamedOperands(parser, text, operands);
}

static void printRelationText(OpAsmPrinter &printer, Operation *op,
                              StringAttr text, OperandRange operands) {
  printExpressionText(printer, op, text, operands);
}

static ParseResult parseNames(OpAsmParser &parser, ArrayAttr &names) {
  SmallVector<Attribute> parsed;
  if (parser.parseCommaSeparatedList([&] {
        std::string name;
        if (parser.parseKeywordOrString(&name))
          return failure();
        parsed.push_back(parser.getBuilder().getStringAttr(name));
        return success();
      }))
    return failure();
  names = parser.getBuilder().getArrayAttr(parsed);
  return success();
}

static void printNames(OpAsmPrinter &printer, Operation *, ArrayAttr names) {
  llvm::interleaveComma(
      names.getAsValueRange<StringAttr>(), printer,
      [&](StringRef name) { printer.printKeywordOrString(name); });
}

static ParseResult parseFactTexts(OpAsmParser &parser, ArrayAttr &facts) {
  SmallVector<Attribute> parsed;
  auto parseOne = [&]() -> ParseResult {
    StringAttr text;
    if (parseText(parser, text, [](StringRef text, ParseError &error) {
          ExprArena arena;
          return Formula::parse(arena, text, error).has_value();
        }))
      return failure();
    parsed.push_back(text);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  facts = parser.getBuilder().getArrayAttr(parsed);
  return success();
}

static void printFactTexts(OpAsmPrinter &printer, Operation *,
                           ArrayAttr facts) {
  printer << facts;
}

// The type of a size is given if it is not index.
static ParseResult parseSizeType(OpAsmParser &parser, Type &type) {
  if (succeeded(parser.parseOptionalComma()))
    return parser.parseType(type);
  type = parser.getBuilder().getIndexType();
  return success();
}

static void printSizeType(OpAsmPrinter &printer, Operation *, Type type) {
  if (!type.isIndex())
    printer << ", " << type;
}

#define GET_OP_CLASSES
#include "symshape/IR/SymShapeOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Shared
//===----------------------------------------------------------------------===//

/// Erases what `function` declares of symbols that neither its signature nor a
/// condition of its versions names.
static void eraseUnnamedSymbols(FunctionOpInterface function) {
  llvm::StringSet<> names;
  collectSignatureNames(function, names);
  if (auto versions =
          function->getAttrOfType<ArrayAttr>(SymShapeDialect::kVersions))
    for (auto version : versions.getAsRange<VersionAttr>())
      for (FactAttr condition : version.getFacts())
        for (StringRef name : namesInText(condition.getText()))
          names.insert(name);
  auto keep = [&](StringRef attribute, auto isNamed) {
    auto all = function->getAttrOfType<ArrayAttr>(attribute);
    if (all && !llvm::all_of(all, isNamed))
      function->setAttr(attribute,
                        ArrayAttr::get(function.getContext(),
                                       llvm::filter_to_vector(all, isNamed)));
  };
  keep(SymShapeDialect::kSymbols, [&](Attribute symbol) {
    return names.contains(cast<SymbolAttr>(symbol).getName());
  });
  keep(SymShapeDialect::kAssume, [&](Attribute fact) {
    return llvm::all_of(namesInText(cast<FactAttr>(fact).getText()),
                        [&](StringRef name) { return names.contains(name); });
  });
}

void symshape::eraseShapeCarriers(Operation *root) {
  root->walk([](Operation *op) {
    if (auto function = dyn_cast<FunctionOpInterface>(op))
      return eraseUnnamedSymbols(function);
    if (!isa<BindShapeOp, AssumeOp>(op))
      return;
    op->replaceAllUsesWith(op->getOperands());
    op->erase();
  });
}

//===----------------------------------------------------------------------===//
// BindShapeOp
//===----------------------------------------------------------------------===//

LogicalResult BindShapeOp::verify() {
  // C1: one extent per dimension. C2: constants agree with the type.
  return verifyShapeOfType(getShape(), getSource().getType(),
                           [&] { return emitOpError(); });
}

LogicalResult
BindShapeOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  auto type = cast<ShapedType>(getType());
  SmallVector<OpFoldResult> &dims = shapes.emplace_back();
  for (int64_t d = 0, e = type.getRank(); d < e; ++d) {
    if (!type.isDynamicDim(d))
      dims.push_back(builder.getIndexAttr(type.getDimSize(d)));
    else if (isa<TensorType>(type))
      dims.push_back(
          tensor::DimOp::create(builder, getLoc(), getSource(), d).getResult());
    else
      dims.push_back(
          memref::DimOp::create(builder, getLoc(), getSource(), d).getResult());
  }
  return success();
}

/// The tangent has the dims of the value, which are named.
LogicalResult BindShapeOp::buildJvp(Tangents &tangents) {
  tangents.set(getResult(), tangents.of(getSource()));
  return success();
}

//===----------------------------------------------------------------------===//
// AssumeOp
//===----------------------------------------------------------------------===//

LogicalResult AssumeOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                         ValueRange operands, DictionaryAttr,
                                         OpaqueProperties, RegionRange,
                                         SmallVectorImpl<Type> &types) {
  llvm::append_range(types, operands.getTypes());
  return success();
}

LogicalResult AssumeOp::verify() {
  // C1: one plain name per operand, each once.
  if (getSources().empty())
    return emitOpError("expected at least one operand");
  if (getNames().size() != getSources().size())
    return emitOpError() << "expected one name per operand ("
                         << getSources().size() << "), but got "
                         << getNames().size();
  llvm::StringSet<> seen;
  for (StringRef name : getNames().getAsValueRange<StringAttr>()) {
    if (!isPlainName(name))
      return emitOpError() << "expected a plain name, but got '" << name << "'";
    if (!seen.insert(name).second)
      return emitOpError() << "expected name '" << name << "' once";
  }
  // C2: each fact is a formula.
  ExprArena arena;
  for (StringRef fact : getFacts().getAsValueRange<StringAttr>()) {
    ParseError error;
    if (!Formula::parse(arena, fact, error))
      return emitOpError() << error.message << " in fact '" << fact << "'";
  }
  return success();
}

SmallVector<Formula> AssumeOp::getFormulas(ExprArena &arena) {
  SmallVector<Formula> formulas;
  ParseError error;
  for (StringRef fact : getFacts().getAsValueRange<StringAttr>())
    formulas.push_back(*Formula::parse(arena, fact, error)); // verified
  return formulas;
}

SmallVector<Relation> AssumeOp::getRelations(ExprArena &arena) {
  SmallVector<Relation> relations;
  for (const Formula &fact : getFormulas(arena))
    if (fact.isLiteral() && !fact.negated)
      relations.push_back(fact.relation);
  return relations;
}

//===----------------------------------------------------------------------===//
// AssertOp
//===----------------------------------------------------------------------===//

SmallVector<StringRef> AssertOp::getNames() {
  return namesInText(getRelation());
}

/// Adds those of `values` that `text` names as operands, in order of first use;
/// constants become part of the text that is returned.
static StringAttr addOperands(OpBuilder &builder, OperationState &state,
                              StringRef text, ArrayRef<NamedValue> values) {
  llvm::SetVector<StringRef> names; // of operands
  std::string written =
      writeIntegers(text, [&](StringRef name) -> std::optional<int64_t> {
        const NamedValue *found =
            llvm::find_if(values, [&](const NamedValue &value) {
              return value.first == name;
            });
        if (found == values.end())
          return std::nullopt; // a symbol
        std::optional<int64_t> constant = getConstantIntValue(found->second);
        if (!constant && names.insert(name))
          state.addOperands(cast<Value>(found->second));
        return constant;
      });
  assert(ArrayRef(namesInText(written)).take_front(names.size()) ==
             names.getArrayRef() &&
         "symbols are used after the names of operands");
  return builder.getStringAttr(written);
}

void AssertOp::build(OpBuilder &builder, OperationState &state,
                     StringRef relation, ArrayRef<NamedValue> values,
                     const Twine &message) {
  auto &properties = state.getOrAddProperties<Properties>();
  properties.relation = addOperands(builder, state, relation, values);
  properties.message = builder.getStringAttr(message);
}

static LogicalResult verifyOperandCount(Operation *op, size_t numNames) {
  if (op->getNumOperands() <= numNames)
    return success();
  return op->emitOpError() << "expected at most one operand per name ("
                           << numNames << "), but got " << op->getNumOperands();
}

LogicalResult AssertOp::verify() {
  // C1: a relation.
  ExprArena arena;
  ParseError error;
  if (!Relation::parse(arena, getRelation(), error))
    return emitOpError() << error.message << " in relation '" << getRelation()
                         << "'";
  // C2: operands stand for names.
  return verifyOperandCount(*this, getNames().size());
}

Relation AssertOp::getParsedRelation(ExprArena &arena) {
  ParseError error;
  return *Relation::parse(arena, getRelation(), error); // verified
}

/// The values of the constant operands among `operands`, by name.
static llvm::StringMap<llvm::DynamicAPInt>
constantOperands(ArrayRef<StringRef> names, ValueRange operands) {
  llvm::StringMap<llvm::DynamicAPInt> values;
  for (auto [name, operand] : llvm::zip(names, operands)) {
    APInt value;
    if (matchPattern(operand, m_ConstantInt(&value)))
      values[name] = llvm::DynamicAPInt(value);
  }
  return values;
}

/// Erases an assert of constants that holds.
LogicalResult AssertOp::canonicalize(AssertOp op, PatternRewriter &rewriter) {
  ExprArena arena;
  auto values = constantOperands(op.getNames(), op.getOperands());
  std::optional<bool> holds = op.getParsedRelation(arena).evaluate(
      [&](Expr symbol) -> std::optional<llvm::DynamicAPInt> {
        auto it = values.find(*symbol.asSymbol());
        return it == values.end() ? std::nullopt : std::optional(it->second);
      });
  if (holds != true)
    return failure();
  rewriter.eraseOp(op);
  return success();
}

//===----------------------------------------------------------------------===//
// SizeOp
//===----------------------------------------------------------------------===//

void SizeOp::build(OpBuilder &builder, OperationState &state,
                   StringRef expression, ArrayRef<NamedValue> values) {
  state.getOrAddProperties<Properties>().expression =
      addOperands(builder, state, expression, values);
  state.addTypes(builder.getIndexType());
}

SmallVector<StringRef> SizeOp::getNames() {
  return namesInText(getExpression());
}

LogicalResult SizeOp::verify() {
  // C1: an expression.
  ExprArena arena;
  ParseError error;
  if (!arena.parse(getExpression(), error))
    return emitOpError() << error.message << " in expression '"
                         << getExpression() << "'";
  // C2: operands stand for names.
  return verifyOperandCount(*this, getNames().size());
}

Expr SizeOp::getParsedExpression(ExprArena &arena) {
  ParseError error;
  return arena.parse(getExpression(), error); // verified
}

OpFoldResult SizeOp::fold(FoldAdaptor adaptor) {
  ExprArena arena;
  Expr e = getParsedExpression(arena);
  SmallVector<StringRef> names = getNames();
  if (std::optional<StringRef> name = e.asSymbol()) {
    size_t index = llvm::find(names, *name) - names.begin();
    return index < getOperands().size() ? OpFoldResult(getOperands()[index])
                                        : OpFoldResult();
  }
  llvm::StringMap<llvm::DynamicAPInt> values;
  for (auto [name, operand] : llvm::zip(names, adaptor.getOperands()))
    if (auto constant = dyn_cast_or_null<IntegerAttr>(operand))
      values[name] = llvm::DynamicAPInt(constant.getValue());
  std::optional<llvm::DynamicAPInt> value = arena.evaluateExact(
      e, [&](Expr symbol) -> std::optional<llvm::DynamicAPInt> {
        auto it = values.find(*symbol.asSymbol());
        return it == values.end() ? std::nullopt : std::optional(it->second);
      });
  if (!value || !symshape::Range::exactly(*value).fitsInt64())
    return {};
  return IntegerAttr::get(IndexType::get(getContext()), int64_t(*value));
}

//===----------------------------------------------------------------------===//
// FailOp
//===----------------------------------------------------------------------===//

LogicalResult FailOp::verify() {
  // C1: each brace is escaped or a placeholder of an operand.
  StringRef text = getMessage();
  for (size_t i = text.find('{'); i != StringRef::npos; i = text.find('{', i)) {
    if (text.substr(i).starts_with("{{")) {
      i += 2;
      continue;
    }
    StringRef place = text.substr(i + 1).split('}').first;
    auto [first, count] = place.split(':');
    unsigned index, numWords = 1;
    if (i + 1 + place.size() == text.size() || first.getAsInteger(10, index) ||
        (place.contains(':') &&
         (count.getAsInteger(10, numWords) || numWords == 0)))
      return emitOpError() << "expected '{{', '{N}' or '{N:M}' at offset " << i
                           << " of the message";
    if (uint64_t(index) + numWords > getOperands().size())
      return emitOpError()
             << "expected a placeholder below the number of operands ("
             << getOperands().size() << "), but got {" << place << "}";
    i += place.size() + 2;
  }
  return success();
}
