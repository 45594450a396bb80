//===- Importer.cpp - Walks the ops of an artifact ------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the entry of an artifact to @main.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"
#include "Exchange.h"
#include "Quantized.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "symshape/Expr/ExprParser.h"
#include "symshape/IR/PassAttributes.h"
#include "symshape/IR/SymShape.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::stablehlo;

Type mlir::symshape::stablehlo::signless(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.clone(signless(tensor.getElementType()));
  if (auto integer = dyn_cast<IntegerType>(type))
    return IntegerType::get(type.getContext(), integer.getWidth());
  if (auto quantized = dyn_cast<quant::QuantizedType>(type))
    return IntegerType::get(type.getContext(),
                            quantized.getStorageTypeIntegralWidth());
  return type;
}

bool mlir::symshape::stablehlo::isWithoutSign(Type element) {
  auto quantized = dyn_cast<quant::QuantizedType>(element);
  return quantized ? !quantized.isSigned() : element.isUnsignedInteger();
}

const Registry &mlir::symshape::stablehlo::getRegistry() {
  static const Registry registry = [] {
    Registry all;
    addBatchNormOps(all);
    addBitcastOps(all);
    addBroadcastOps(all);
    addDynamicSliceOps(all);
    addElementwiseOps(all);
    addMovementOps(all);
    addSizeOps(all);
    addReductionOps(all);
    addProductOps(all);
    addGatheringOps(all);
    addControlFlowOps(all);
    addOrderingOps(all);
    addWindowOps(all);
    addRandomOps(all);
    addLinearAlgebraOps(all);
    addFourierOps(all);
    addCustomCalls(all);
    addQuantizedOps(all);
    return all;
  }();
  return registry;
}

Importer::Importer(ModuleOp source, MLIRContext *context)
    : b(context), sizes(b, b.getUnknownLoc()), source(source) {
  for (Operation &op : *source.getBody())
    if (auto name = op.getAttrOfType<StringAttr>("sym_name"))
      functions[name.getValue()] = &op;
}

LogicalResult Importer::fail(const Twine &message) {
  if (error.empty())
    error = message.str();
  return failure();
}

Value Importer::tensorOf(Operand &operand, Type sourceElement) {
  if (operand.tensor || !operand.sizes)
    return operand.tensor;
  Type element = signless(sourceElement);
  SmallVector<Value> elements;
  Location loc = b.getUnknownLoc();
  for (const Size &size : *operand.sizes) {
    if (element.isInteger(1)) {
      auto constant = dyn_cast<Attribute>(size.value);
      elements.push_back(constant ? arith::ConstantOp::create(
                                        b, loc, llvm::cast<BoolAttr>(constant))
                                        .getResult()
                                  : llvm::cast<Value>(size.value));
    } else if (auto number = getConstantIntValue(size.value)) {
      APInt bits(64, *number);
      unsigned width = element.getIntOrFloatBitWidth();
      elements.push_back(arith::ConstantOp::create(
          b, loc, b.getIntegerAttr(element, bits.sextOrTrunc(width))));
    } else {
      elements.push_back(arith::IndexCastOp::create(
          b, loc, element, llvm::cast<Value>(size.value)));
    }
  }
  return tensor::FromElementsOp::create(
      b, loc, RankedTensorType::get(operand.shape, element), elements);
}

void Importer::addResult(Value tensor, StringRef name, bool isUnsigned) {
  moreResults.push_back(Result{tensor, name.str(), isUnsigned});
}

Operation *Importer::findFunction(StringRef name) {
  Operation *found = functions.lookup(name);
  return found && found->getNumRegions() == 1 &&
                 found->getRegion(0).hasOneBlock()
             ? found
             : nullptr;
}

LogicalResult Importer::importOp(Operation *op) {
  constexpr unsigned mostOps = 1000000;
  if (++numImported > mostOps)
    return fail("expected at most " + Twine(mostOps) +
                " ops, those of a function for each of its calls");
  StringRef versioned = op->getName().stripDialect();
  StringRef name = versioned.take_front(versioned.rfind("_v"));
  sizes.setLoc(op->getLoc());
  auto known = getRegistry().find(name);
  if (op->getName().getDialectNamespace() != "vhlo")
    return fail("'" + op->getName().getStringRef() + "' is not supported");
  if (known == getRegistry().end())
    return fail("'stablehlo." + name + "' is not supported");
  const Definition &definition = known->second;
  Node node(*this, op, name);
  auto fits = [](int expected, unsigned got) {
    return expected < 0 ? static_cast<int>(got) >= ~expected
                        : static_cast<int>(got) == expected;
  };
  if (!fits(definition.operands, op->getNumOperands()) ||
      !fits(definition.results, op->getNumResults()) ||
      op->getNumRegions() < definition.regions)
    return node.fail("expected another number of operands, results or regions");
  node.isOnFloats = isComputedOnFloats(name);
  if (failed(definition.import(node)) || hasFailed()) {
    if (!hasFailed())
      return node.fail("expected what its definition asks for");
    return failure();
  }
  for (Value result : op->getResults())
    if (!lookup(result))
      return node.fail("expected a value for each result");
  return success();
}

FailureOr<SmallVector<Operand>>
Importer::importBlock(Block &block, ArrayRef<Operand> inputs) {
  if (block.getNumArguments() != inputs.size())
    return fail("expected " + Twine(block.getNumArguments()) +
                " values for a block, but got " + Twine(inputs.size()));
  for (auto [argument, input] : llvm::zip(block.getArguments(), inputs)) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    auto given = input.tensor
                     ? llvm::cast<RankedTensorType>(input.tensor.getType())
                     : RankedTensorType();
    bool fits =
        type && succeeded(verifyCompatibleShape(
                    given ? given.getShape() : ArrayRef<int64_t>(input.shape),
                    type.getShape()));
    if (!fits ||
        (given ? given.getElementType() != signless(type.getElementType())
               : !type.getElementType().isInteger()))
      return fail("expected values of the types of a block, but got another");
    define(argument, input);
  }
  for (Operation &op : block) {
    if (op.getName().getStringRef() == "vhlo.return_v1") {
      SmallVector<Operand> results;
      for (Value value : op.getOperands()) {
        Operand *known = lookup(value);
        if (!known)
          return fail("expected a block to return values that are defined");
        results.push_back(*known);
      }
      return results;
    }
    if (failed(importOp(&op)))
      return failure();
  }
  return fail("expected a block that returns");
}

FailureOr<SmallVector<Operand>>
Importer::importRegion(Region &region, ArrayRef<Operand> inputs) {
  constexpr unsigned mostDepth = 64;
  if (!region.hasOneBlock() || ++depth > mostDepth)
    return fail("expected regions of one block, at most " + Twine(mostDepth) +
                " inside one another");
  // What is checked inside holds inside alone.
  SizeMath outside = sizes;
  auto results = importBlock(region.front(), inputs);
  sizes.restore(outside);
  --depth;
  return results;
}

/// Extents of arguments that are passed on as constants with a name are called
/// by that name.
void Importer::nameArguments(Operation *callee, ArrayRef<Operand> inputs) {
  auto attributes = callee->getAttrOfType<ArrayAttr>("arg_attrs");
  if (!attributes)
    return;
  for (auto [attribute, input] : llvm::zip(attributes, inputs)) {
    auto dictionary = dyn_cast<DictionaryAttr>(attribute);
    auto name = dictionary ? dictionary.getAs<StringAttr>("jax.global_constant")
                           : nullptr;
    if (!name || !isBareName(name) || !input.sizes || input.sizes->size() != 1)
      continue;
    auto value = dyn_cast<Value>(input.sizes->front().value);
    auto dim = value ? value.getDefiningOp<tensor::DimOp>() : nullptr;
    auto argument = dim ? dyn_cast<BlockArgument>(dim.getSource()) : nullptr;
    if (argument && argument.getOwner() == &function.front())
      if (auto axis = dim.getConstantIndex())
        dimNames.insert({{argument.getArgNumber(), *axis}, name.str()});
  }
}

FailureOr<SmallVector<Operand>>
Importer::importCall(Node &node, StringRef callee, ArrayRef<Operand> inputs) {
  Operation *function = findFunction(callee);
  if (!function)
    return node.fail("expected a function '" + callee + "' with a body");
  if (llvm::is_contained(calls, function))
    return node.fail("expected no recursion, but '" + callee +
                     "' calls itself");
  nameArguments(function, inputs);
  calls.push_back(function);
  auto results = importBlock(function->getRegion(0).front(), inputs);
  calls.pop_back();
  return results;
}

void Importer::describeArgument(unsigned number, RankedTensorType sourceType) {
  if (isWithoutSign(sourceType.getElementType()))
    function.setArgAttr(number, kUnsigned, b.getUnitAttr());
  bool isNamed = false;
  SmallVector<Attribute> texts;
  for (int64_t axis = 0; axis < sourceType.getRank(); ++axis) {
    auto name = dimNames.find({number, static_cast<unsigned>(axis)});
    isNamed |= name != dimNames.end();
    if (name != dimNames.end())
      texts.push_back(b.getStringAttr(name->second));
    else if (sourceType.isDynamicDim(axis))
      texts.push_back(b.getStringAttr("?"));
    else
      texts.push_back(
          b.getStringAttr(std::to_string(sourceType.getDimSize(axis))));
  }
  if (!isNamed)
    return;
  if (isa<ComplexType>(sourceType.getElementType()))
    texts.push_back(b.getStringAttr("2"));
  SmallVector<StringAttr> strings = llvm::map_to_vector(
      texts, [](Attribute text) { return llvm::cast<StringAttr>(text); });
  function.setArgAttr(number, SymShapeDialect::kShape,
                      ShapeAttr::get(b.getContext(), strings));
}

LogicalResult Importer::finishEntry(Operation *entry,
                                    ArrayRef<Operand> results) {
  auto type = entry->getAttrOfType<TypeAttr>("function_type");
  auto signature = type ? dyn_cast<FunctionType>(type.getValue()) : nullptr;
  if (!signature || signature.getNumResults() != results.size())
    return fail("expected an entry that returns what its type says");
  Node node(*this, entry, "return");
  SmallVector<Value> returned;
  SmallVector<bool> isUnsigned;
  for (auto [operand, declared] : llvm::zip(results, signature.getResults())) {
    auto tensorType = dyn_cast<RankedTensorType>(declared);
    Operand copy = operand;
    Value tensor =
        tensorType ? tensorOf(copy, tensorType.getElementType()) : Value();
    auto expected = tensorType
                        ? llvm::cast<RankedTensorType>(signless(tensorType))
                        : RankedTensorType();
    auto given = tensor ? llvm::cast<RankedTensorType>(tensor.getType())
                        : RankedTensorType();
    if (!tensor || given.getElementType() != expected.getElementType() ||
        failed(verifyCompatibleShape(given, expected)))
      return fail("expected results of the types of the entry");
    returned.push_back(toExchanged(node, tensor));
    isUnsigned.push_back(isWithoutSign(tensorType.getElementType()));
  }
  for (const Result &result : moreResults) {
    returned.push_back(toExchanged(node, result.tensor));
    isUnsigned.push_back(result.isUnsigned);
  }
  func::ReturnOp::create(b, entry->getLoc(), returned);
  function.setType(b.getFunctionType(function.getArgumentTypes(),
                                     TypeRange(ValueRange(returned))));
  for (auto [i, is] : llvm::enumerate(isUnsigned))
    if (is)
      function.setResultAttr(i, kUnsigned, b.getUnitAttr());
  for (auto [i, result] : llvm::enumerate(moreResults))
    function.setResultAttr(results.size() + i, "symshape.name",
                           b.getStringAttr(result.name));
  return success();
}

LogicalResult Importer::importEntry(Operation *entry, StringRef name,
                                    ModuleOp into) {
  b.setInsertionPointToEnd(into.getBody());
  Block &block = entry->getRegion(0).front();
  SmallVector<Type> types;
  for (BlockArgument argument : block.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type)
      return fail("expected arguments that are tensors");
    types.push_back(exchangedType(type));
  }
  function = func::FuncOp::create(b, entry->getLoc(), name,
                                  b.getFunctionType(types, {}));
  Block *body = function.addEntryBlock();
  b.setInsertionPointToStart(body);
  SmallVector<Operand> inputs;
  Node node(*this, entry, "func");
  for (auto [argument, own] :
       llvm::zip(block.getArguments(), body->getArguments())) {
    own.setLoc(argument.getLoc());
    auto type = llvm::cast<RankedTensorType>(argument.getType());
    inputs.push_back(Operand{fromExchanged(node, own, type), std::nullopt, {}});
  }
  calls.push_back(entry);
  auto results = importBlock(block, inputs);
  if (failed(results) || failed(finishEntry(entry, *results)))
    return failure();
  for (BlockArgument argument : block.getArguments())
    describeArgument(argument.getArgNumber(),
                     llvm::cast<RankedTensorType>(argument.getType()));
  proposeDonations(entry, function);
  return success();
}

llvm::Expected<OwningOpRef<ModuleOp>> Importer::run() {
  OwningOpRef<ModuleOp> module = ModuleOp::create(source.getLoc());
  Operation *entry = findFunction("main");
  for (auto &known : functions) {
    auto visibility = known.second->getAttrOfType<StringAttr>("sym_visibility");
    if (!entry && visibility && visibility.getValue() == "public")
      entry = findFunction(known.first());
  }
  if (!entry)
    return llvm::createStringError("expected a function '@main'");
  if (failed(importEntry(entry, "main", *module)))
    return llvm::createStringError(
        error.empty() ? "expected a program of StableHLO" : error);
  for (Operation &op : *source.getBody()) {
    auto name = op.getAttrOfType<StringAttr>("sym_name");
    if (&op == entry || !name || name.getValue() == "main" ||
        findFunction(name) != &op || op.getRegion(0).getNumArguments() != 0)
      continue;
    Importer other(source, b.getContext());
    LogicalResult imported = other.importEntry(&op, name, *module);
    if (succeeded(imported))
      other.function.setPrivate();
    else if (other.function)
      other.function.erase();
  }
  if (failed(verify(*module)))
    return llvm::createStringError("expected an artifact whose types fit");
  return std::move(module);
}
