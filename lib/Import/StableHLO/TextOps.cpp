//===- TextOps.cpp - Ops of StableHLO as they are printed -----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most ops are printed alike: operands, words and `name = value` with commas
// between, attributes, and types, of which those that follow from others are
// left out. Names that are short in text become those of the attribute.
//
//===----------------------------------------------------------------------===//

#include "TextOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::symshape::stablehlo;

namespace {
class PrettyOp {
public:
  PrettyOp(OpAsmParser &parser, OperationState &state)
      : p(parser), state(state), name(state.name.stripDialect()),
        b(parser.getBuilder()) {}
  ParseResult parse();

private:
  using Operand = OpAsmParser::UnresolvedOperand;
  ParseResult parseConstant();
  ParseResult parseReduce();
  ParseResult parseWhile();
  ParseResult parseScan();
  ParseResult parseItem();
  ParseResult parseValue(StringRef key);
  ParseResult parseSlice();
  /// Integers as an array, words as strings; after the bracket.
  ParseResult parseListBody(Attribute &list);
  ParseResult parseTypes();
  /// From the types that are written to those of all operands and results.
  ParseResult spreadTypes(ArrayRef<Type> types);
  StringRef attributeOf(StringRef key) const;

  OpAsmParser &p;
  OperationState &state;
  StringRef name;
  Builder b;
  SmallVector<Operand> operands;
  SmallVector<Type> operandTypes;
  unsigned numWords = 0;
};
} // namespace

StringRef PrettyOp::attributeOf(StringRef key) const {
  if (key == "dim")
    return name.contains("iota") ? "iota_dimension" : "dimension";
  if (key == "dims")
    return name.contains("broadcast") ? "broadcast_dimensions"
           : name == "reverse"        ? "dimensions"
                                      : "permutation";
  return llvm::StringSwitch<StringRef>(key)
      .Case("low", "edge_padding_low")
      .Case("high", "edge_padding_high")
      .Case("interior", "interior_padding")
      .Case("sizes", name == "broadcast" ? "broadcast_sizes" : "slice_sizes")
      .Case("type", "fft_type")
      .Case("length", "fft_length")
      .Case("algorithm", name == "rng_bit_generator" ? "rng_algorithm" : key)
      .Case("precision", "precision_config")
      .Case("config", name.ends_with("einsum") ? "einsum_config" : key)
      .Default(key);
}

ParseResult PrettyOp::parseListBody(Attribute &list) {
  SmallVector<int64_t> numbers;
  SmallVector<Attribute> words;
  auto one = [&]() -> ParseResult {
    int64_t number;
    StringRef word;
    OptionalParseResult isNumber = p.parseOptionalInteger(number);
    if (isNumber.has_value()) {
      numbers.push_back(number);
      return *isNumber;
    }
    if (p.parseKeyword(&word))
      return failure();
    words.push_back(b.getStringAttr(word));
    return success();
  };
  if (failed(p.parseOptionalRSquare()) &&
      (p.parseCommaSeparatedList(one) || p.parseRSquare()))
    return failure();
  list = words.empty() ? Attribute(b.getDenseI64ArrayAttr(numbers))
                       : b.getArrayAttr(words);
  return success();
}

/// After `key =`.
ParseResult PrettyOp::parseValue(StringRef key) {
  Attribute value, other;
  StringRef word;
  int64_t number;
  OptionalParseResult isNumber = p.parseOptionalInteger(number);
  if (isNumber.has_value()) {
    state.attributes.set(attributeOf(key), b.getI64IntegerAttr(number));
    return *isNumber;
  }
  if (succeeded(p.parseOptionalKeyword(&word, {"true", "false"}))) {
    state.attributes.set(attributeOf(key), b.getBoolAttr(word == "true"));
    return success();
  }
  if (succeeded(p.parseOptionalKeyword(&word))) {
    state.attributes.set(attributeOf(key), b.getStringAttr(word));
    return success();
  }
  std::string text; // as an attribute, it would take the types behind it
  if (succeeded(p.parseOptionalString(&text))) {
    value = b.getStringAttr(text);
  } else if (succeeded(p.parseOptionalLSquare())) {
    if (parseListBody(value))
      return failure();
  } else if (p.parseAttribute(value)) {
    return failure();
  }
  bool isPair = key == "batching_dims" || key == "contracting_dims";
  if (!isPair) {
    state.attributes.set(attributeOf(key), value);
    return success();
  }
  if (p.parseKeyword("x") || p.parseLSquare() || parseListBody(other))
    return failure();
  StringRef kind = key == "batching_dims" ? "batching" : "contracting";
  state.attributes.set(("lhs_" + kind + "_dimensions").str(), value);
  state.attributes.set(("rhs_" + kind + "_dimensions").str(), other);
  return success();
}

/// `[1:5, 0:8:2]`
ParseResult PrettyOp::parseSlice() {
  SmallVector<int64_t> starts, limits, strides;
  auto one = [&]() -> ParseResult {
    int64_t start, limit, stride = 1;
    if (p.parseInteger(start) || p.parseColon() || p.parseInteger(limit) ||
        (succeeded(p.parseOptionalColon()) && p.parseInteger(stride)))
      return failure();
    starts.push_back(start);
    limits.push_back(limit);
    strides.push_back(stride);
    return success();
  };
  if (p.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, one))
    return failure();
  state.attributes.set("start_indices", b.getDenseI64ArrayAttr(starts));
  state.attributes.set("limit_indices", b.getDenseI64ArrayAttr(limits));
  state.attributes.set("strides", b.getDenseI64ArrayAttr(strides));
  return success();
}

ParseResult PrettyOp::parseItem() {
  Operand operand;
  OptionalParseResult isOperand = p.parseOptionalOperand(operand);
  if (isOperand.has_value()) {
    operands.push_back(operand);
    if (failed(*isOperand))
      return failure();
    // Of a slice, no comma stands between.
    return name == "slice" ? parseSlice() : success();
  }
  StringAttr symbol;
  if (succeeded(p.parseOptionalSymbolName(symbol))) {
    state.attributes.set("call_target_name", symbol);
    return p.parseOperandList(operands, OpAsmParser::Delimiter::Paren);
  }
  std::string text;
  if (succeeded(p.parseOptionalString(&text))) { // of a composite
    state.attributes.set("name", b.getStringAttr(text));
    return p.parseOperandList(operands);
  }
  StringRef key;
  if (p.parseKeyword(&key))
    return failure();
  if (succeeded(p.parseOptionalEqual()))
    return parseValue(key);
  if (name != "compare" && name != "custom_call")
    return p.emitError(p.getNameLoc(), "expected the generic form of '")
           << state.name << "'";
  state.attributes.set(numWords++ == 0 ? "comparison_direction"
                                       : "compare_type",
                       b.getStringAttr(key));
  return success();
}

ParseResult PrettyOp::spreadTypes(ArrayRef<Type> types) {
  if (!state.types.empty()) { // of chlo: `tensor<2xf32> -> tensor<2xf32>`
    operandTypes.assign(types.begin(), types.end());
    return success();
  }
  if (types.size() == 1)
    if (auto function = dyn_cast<FunctionType>(types.front())) {
      operandTypes.assign(function.getInputs().begin(),
                          function.getInputs().end());
      state.addTypes(function.getResults());
      return success();
    }
  if (name == "return" || name == "optimization_barrier") {
    operandTypes.assign(types.begin(), types.end());
    if (name != "return")
      state.addTypes(types);
    return success();
  }
  if (types.empty())
    return p.emitError(p.getNameLoc(), "expected types of '")
           << state.name << "'";
  Type last = types.back();
  operandTypes.assign(operands.size(), last);
  auto tensor = dyn_cast<RankedTensorType>(last);
  auto complex =
      tensor ? dyn_cast<ComplexType>(tensor.getElementType()) : nullptr;
  if (name == "complex" && complex)
    operandTypes.assign(operands.size(),
                        tensor.clone(complex.getElementType()));
  else if (types.size() == 2 && name == "select" && operands.size() == 3)
    operandTypes.front() = types.front();
  state.addTypes(last);
  return success();
}

ParseResult PrettyOp::parseTypes() {
  SmallVector<Type> types;
  if (p.parseOptionalAttrDict(state.attributes))
    return failure();
  if (succeeded(p.parseOptionalColon()) &&
      (p.parseTypeList(types) || p.parseOptionalArrowTypeList(state.types)))
    return failure();
  if (types.empty() && operands.empty() && name == "return")
    return success();
  return failure(spreadTypes(types) ||
                 p.resolveOperands(operands, operandTypes, p.getNameLoc(),
                                   state.operands));
}

/// The value says the type, unless that is quantized.
ParseResult PrettyOp::parseConstant() {
  if (succeeded(p.parseOptionalLParen()))
    return failure(p.parseRParen() || parseTypes());
  Attribute value;
  if (p.parseOptionalAttrDict(state.attributes) || p.parseAttribute(value))
    return failure();
  auto typed = dyn_cast<TypedAttr>(value);
  if (!typed)
    return p.emitError(p.getNameLoc(), "expected a constant with a type");
  state.attributes.set("value", value);
  state.addTypes(typed.getType());
  return success();
}

/// `(%x init: %zero) applies stablehlo.add across dimensions = [1] : types`
ParseResult PrettyOp::parseReduce() {
  Operand input, init;
  StringRef body;
  Attribute axes;
  SmallVector<Type> types;
  if (p.parseLParen() || p.parseOperand(input) || p.parseKeyword("init") ||
      p.parseColon() || p.parseOperand(init) || p.parseRParen())
    return failure();
  if (failed(p.parseOptionalKeyword("applies")))
    return p.emitError(p.getNameLoc(), "expected the generic form of '")
           << state.name << "', since its body is no single op";
  operands = {input, init};
  if (p.parseKeyword(&body) || p.parseKeyword("across") ||
      p.parseKeyword("dimensions") || p.parseEqual() || p.parseLSquare() ||
      parseListBody(axes))
    return failure();
  state.attributes.set("dimensions", axes);
  if (parseTypes() || state.types.empty())
    return failure();
  auto type = dyn_cast<RankedTensorType>(operandTypes.back());
  if (!type || type.getRank() != 0)
    return p.emitError(p.getNameLoc(), "expected an initial scalar");
  OpBuilder builder(p.getContext());
  Location loc = state.location;
  Block *block = builder.createBlock(state.addRegion());
  block->addArguments({type, type}, {loc, loc});
  OperationState reducer(loc, body, block->getArguments(), TypeRange(type));
  OperationState end(loc, "stablehlo.return");
  end.addOperands(builder.create(reducer)->getResults());
  builder.create(end);
  return success();
}

/// `(%i = %x, ...) : types cond { ... } do { ... }`
ParseResult PrettyOp::parseWhile() {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Type> types;
  auto one = [&]() -> ParseResult {
    return failure(p.parseArgument(arguments.emplace_back()) ||
                   p.parseEqual() || p.parseOperand(operands.emplace_back()));
  };
  if (p.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, one) ||
      p.parseOptionalColonTypeList(types) ||
      p.parseOptionalAttrDictWithKeyword(state.attributes) ||
      p.resolveOperands(operands, types, p.getNameLoc(), state.operands))
    return failure();
  for (auto [argument, type] : llvm::zip(arguments, types))
    argument.type = type;
  state.addTypes(types);
  return failure(
      p.parseKeyword("cond") || p.parseRegion(*state.addRegion(), arguments) ||
      p.parseKeyword("do") || p.parseRegion(*state.addRegion(), arguments));
}

/// Of chlo: `(%x, ...) inits(%a, ...) dimension=0 { ... } : types`
ParseResult PrettyOp::parseScan() {
  using Delimiter = OpAsmParser::Delimiter;
  SmallVector<Operand> inits;
  IntegerAttr dimension;
  Type index = b.getI64Type();
  if (p.parseOperandList(operands, Delimiter::Paren) ||
      p.parseKeyword("inits") || p.parseOperandList(inits, Delimiter::Paren) ||
      p.parseKeyword("dimension") || p.parseEqual() ||
      p.parseAttribute(dimension, index, "dimension", state.attributes) ||
      p.parseOptionalAttrDictWithKeyword(state.attributes) ||
      p.parseRegion(*state.addRegion()))
    return failure();
  int32_t numInits = inits.size(), numInputs = operands.size();
  operands.append(inits);
  if (parseTypes())
    return failure();
  int32_t numOutputs = static_cast<int32_t>(state.types.size()) - numInits;
  state.attributes.set("operandSegmentSizes",
                       b.getDenseI32ArrayAttr({numInputs, numInits}));
  state.attributes.set("resultSegmentSizes",
                       b.getDenseI32ArrayAttr({numOutputs, numInits}));
  return success();
}

ParseResult PrettyOp::parse() {
  if (name == "scan")
    return parseScan();
  if (name == "constant")
    return parseConstant();
  if (name == "reduce")
    return parseReduce();
  if (name == "while")
    return parseWhile();
  if (name == "return")
    return failure(p.parseOperandList(operands) || parseTypes());
  // Of `chlo.top_k`, parentheses stand around.
  bool isInside = succeeded(p.parseOptionalLParen());
  if (p.parseCommaSeparatedList([&] { return parseItem(); }) ||
      (isInside && p.parseRParen()))
    return failure();
  return parseTypes();
}

ParseResult mlir::symshape::stablehlo::parsePrettyOp(OpAsmParser &parser,
                                                     OperationState &state) {
  return PrettyOp(parser, state).parse();
}
