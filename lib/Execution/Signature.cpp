//===- Signature.cpp - What an entry function exchanges -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reading a signature and checking tensors against it.
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/Signature.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "symshape/Execution/ArgumentNames.h"
#include "symshape/Execution/Status.h"
#include "symshape/IR/Donation.h"
#include "symshape/IR/PassAttributes.h"
#include "symshape/IR/SymShape.h"
#include "symshape/IR/WrittenNames.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/ScopedPrinter.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::symshape;

/// Where the elements of a buffer lie; nullopt if they have no strides, or lie
/// in memory that is no caller's.
static std::optional<BufferLayout> readLayout(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (type.getMemorySpace() ||
      failed(type.getStridesAndOffset(strides, offset)))
    return std::nullopt;
  auto known = [](int64_t number) {
    return ShapedType::isDynamic(number) ? std::nullopt : std::optional(number);
  };
  BufferLayout layout;
  for (int64_t stride : strides)
    layout.strides.push_back(known(stride));
  layout.offset = known(offset);
  return layout;
}

static llvm::Expected<ValueSignature> readValue(Type type, std::string name,
                                                StringRef functionName,
                                                bool isUnsigned,
                                                bool isResult) {
  ValueSignature result;
  result.name = std::move(name);
  result.typeText = llvm::to_string(type);
  Type element = type;
  // Lowered to a tensor of indices, and only as a result.
  if (auto shape = dyn_cast<tosa::shapeType>(type); shape && isResult) {
    result.shape.push_back(shape.getRank());
    result.isTensor = true;
    element = IndexType::get(type.getContext());
  }
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    result.isTensor = true;
    element = tensor.getElementType();
    for (int64_t extent : tensor.getShape())
      result.shape.push_back(ShapedType::isDynamic(extent) ? -1 : extent);
  }
  auto buffer = dyn_cast<MemRefType>(type);
  if (buffer && !isResult)
    result.layout = readLayout(buffer);
  if (result.layout) {
    result.isTensor = true;
    element = buffer.getElementType();
    for (int64_t extent : buffer.getShape())
      result.shape.push_back(ShapedType::isDynamic(extent) ? -1 : extent);
  }
  std::optional<ElementType> elementType = ElementType::get(element);
  if (isa<IntegerType>(element) && elementType &&
      element.getIntOrFloatBitWidth() < elementType->width)
    result.valueBits = element.getIntOrFloatBitWidth();
  if (!elementType || (result.valueBits && (isUnsigned || result.layout)))
    return makeRunError(
        RunStatus::CannotCompile,
        "@" + functionName + ": expected " + result.name +
            " to be a ranked tensor or a scalar of type i1 to i64, f16, "
            "bf16, f32, f64 or index, but got " +
            result.typeText + (isUnsigned ? " without a sign" : ""));
  result.type = *elementType;
  result.isSignless = element.isSignlessInteger() && !result.valueBits;
  if (isUnsigned && result.type.kind == ElementType::Kind::Signed) {
    result.type.kind = ElementType::Kind::Unsigned;
    result.isSignless = false;
  }
  return result;
}

std::string ValueSignature::describe() const {
  std::string extents;
  for (auto [dim, extent] : llvm::enumerate(shape))
    extents += (dim ? ", " : "") + (extent >= 0        ? std::to_string(extent)
                                    : declared.empty() ? "?"
                                                       : declared[dim]);
  return name + (isTensor ? ": [" + extents + "] " : ": ") + type.getName();
}

std::string ValueSignature::getRecord() const {
  std::string text = isTensor ? "tensor " : "scalar ";
  text += tensorTypeToString(type, shape);
  if (isSignless)
    text += " signless";
  if (valueBits)
    text += " of " + std::to_string(*valueBits) + " bits";
  if (layout)
    text += " as " + typeText;
  if (weight)
    text += " weight " + *weight;
  return text;
}

std::optional<unsigned>
ValueSignature::findUnfit(llvm::ArrayRef<int64_t> extents,
                          llvm::ArrayRef<int64_t> strides) const {
  if ((strides.empty() && !layout) || llvm::is_contained(extents, 0))
    return std::nullopt;
  llvm::SmallVector<int64_t, 4> dense = rowMajorStrides(extents);
  if (strides.empty())
    strides = dense;
  for (size_t i = 0; i < extents.size(); ++i) {
    int64_t wanted =
        layout ? layout->strides[i].value_or(strides[i]) : dense[i];
    if (extents[i] != 1 && strides[i] != wanted)
      return i;
  }
  return std::nullopt;
}

llvm::Expected<FunctionSignature>
FunctionSignature::read(FunctionOpInterface function) {
  FunctionSignature result;
  result.name = SymbolTable::getSymbolName(function).str();
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    auto argument = readValue(type, getArgumentName(function, i), result.name,
                              function.getArgAttr(i, kUnsigned) != nullptr,
                              /*isResult=*/false);
    if (!argument)
      return argument.takeError();
    if (auto weight =
            function.getArgAttrOfType<StringAttr>(i, SymShapeDialect::kWeight))
      argument->weight = weight.str();
    if (auto shape =
            function.getArgAttrOfType<ShapeAttr>(i, SymShapeDialect::kShape))
      for (StringAttr text : shape.getTexts())
        argument->declared.push_back(text.str());
    if (argument->weight && argument->layout)
      return makeRunError(RunStatus::CannotCompile,
                          "@" + result.name + ": expected the weight " +
                              argument->name +
                              " to be a ranked tensor or a "
                              "scalar, but got " +
                              argument->typeText);
    if (auto number = function.getArgAttrOfType<IntegerAttr>(i, kDonated))
      argument->donatedTo = number.getInt();
    result.arguments.push_back(std::move(*argument));
  }
  for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
    auto value = readValue(type, getResultName(function, i), result.name,
                           function.getResultAttr(i, kUnsigned) != nullptr,
                           /*isResult=*/true);
    if (!value)
      return value.takeError();
    result.results.push_back(std::move(*value));
  }
  return result;
}

/// Whether elements of type `got` may be read as elements of the argument.
static bool isCompatible(const ValueSignature &argument, ElementType got) {
  using Kind = ElementType::Kind;
  if (argument.type == got)
    return true;
  auto isInteger = [](ElementType type) {
    return type.kind == Kind::Signed || type.kind == Kind::Unsigned ||
           type.kind == Kind::Index;
  };
  // A signless integer has no sign of its own; a file has no index type.
  return argument.type.width == got.width && isInteger(argument.type) &&
         isInteger(got) &&
         (argument.isSignless || argument.type.kind == Kind::Index ||
          got.kind == Kind::Index);
}

/// The first element that the type of the argument does not have; null if there
/// is none, or if elements are not known yet.
static const char *findOutside(const ValueSignature &argument,
                               TensorView tensor) {
  if (!argument.valueBits || !tensor.data)
    return nullptr;
  const char *begin = static_cast<const char *>(tensor.data);
  int64_t size = tensor.type.getBytes();
  int64_t count = checkedByteSize(tensor.type, tensor.shape).value_or(0) / size;
  for (int64_t i = 0; i < count; ++i)
    if (!llvm::isIntN(*argument.valueBits,
                      readAsInteger(tensor.type, begin + i * size)))
      return begin + i * size;
  return nullptr;
}

/// What is wrong with the stride along dimension `d`.
static llvm::Error makeStrideError(const FunctionSignature &signature,
                                   const ValueSignature &argument,
                                   TensorView tensor, unsigned d) {
  llvm::SmallVector<int64_t, 4> dense = rowMajorStrides(tensor.shape);
  int64_t wanted = argument.layout ? *argument.layout->strides[d] : dense[d];
  int64_t got = tensor.strides.empty() ? dense[d] : tensor.strides[d];
  return makeRunError(
      argument.layout ? RunStatus::GuardFailed : RunStatus::BadInput,
      "@" + signature.name + ": expected stride " + llvm::Twine(wanted) +
          " of " + argument.name + " dim " + llvm::Twine(d) + " (" +
          argument.typeText + "), but got " + llvm::Twine(got));
}

llvm::Error FunctionSignature::check(const ValueSignature &argument,
                                     TensorView tensor) const {
  llvm::ArrayRef<int64_t> shape = tensor.shape;
  if (shape.size() != argument.getRank() ||
      !isCompatible(argument, tensor.type))
    return makeInputError("@" + name + ": expected " +
                          tensorTypeToString(argument.type, argument.shape) +
                          " for " + argument.name + ", but got " +
                          tensorTypeToString(tensor.type, shape));
  llvm::Error wrong = llvm::Error::success();
  for (size_t i = 0; i < shape.size(); ++i)
    if (argument.shape[i] >= 0 && argument.shape[i] != shape[i])
      wrong = llvm::joinErrors(
          std::move(wrong),
          makeRunError(RunStatus::GuardFailed,
                       "@" + name + ": expected extent " +
                           llvm::Twine(argument.shape[i]) + " of " +
                           argument.name + " dim " + llvm::Twine(i) + " (" +
                           argument.typeText + "), but got " +
                           llvm::Twine(shape[i])));
  std::optional<unsigned> unfit = argument.findUnfit(shape, tensor.strides);
  if (unfit && !wrong)
    return makeStrideError(*this, argument, tensor, *unfit);
  const char *bad = wrong ? nullptr : findOutside(argument, tensor);
  if (bad)
    return makeInputError("@" + name + ": expected values of " +
                          argument.typeText + " for " + argument.name +
                          ", but got " + elementToString(tensor.type, bad));
  return wrong;
}

static bool isInput(const ValueSignature &argument) { return !argument.weight; }

size_t FunctionSignature::countInputs() const {
  return llvm::count_if(arguments, isInput);
}

std::vector<std::string> FunctionSignature::getInputNames() const {
  std::vector<std::string> names;
  for (const ValueSignature &argument : arguments) {
    if (argument.weight)
      continue;
    llvm::StringRef name = argument.name;
    name.consume_front("%");
    if (name.starts_with("argument #")) // it has no name
      return {};
    names.push_back(name.str());
  }
  return names;
}

llvm::Error FunctionSignature::checkNumInputs(size_t number) const {
  size_t expected = countInputs();
  if (number == expected)
    return llvm::Error::success();
  std::string inputs;
  for (const ValueSignature &argument :
       llvm::make_filter_range(arguments, isInput))
    inputs += (inputs.empty() ? ": " : "; ") + argument.describe();
  return makeInputError("@" + name + ": expected " + llvm::Twine(expected) +
                        (expected == 1 ? " input" : " inputs") + ", but got " +
                        llvm::Twine(number) + inputs);
}

/// What is wrong with inputs whose number is right; `get` gives one by its
/// number, or nothing.
template <typename Get>
static llvm::Error checkEach(const FunctionSignature &signature, Get get) {
  llvm::Error wrongTypes = llvm::Error::success();
  llvm::Error wrongExtents = llvm::Error::success();
  for (auto [i, argument] :
       llvm::enumerate(llvm::make_filter_range(signature.arguments, isInput))) {
    std::optional<TensorView> input = get(i);
    if (!input)
      continue;
    llvm::Error wrong = signature.check(argument, *input);
    if (!wrong)
      continue;
    llvm::handleAllErrors(std::move(wrong), [&](std::unique_ptr<RunError> e) {
      bool isExtent = e->getStatus() == RunStatus::GuardFailed;
      llvm::Error &list = isExtent ? wrongExtents : wrongTypes;
      list = llvm::joinErrors(std::move(list), llvm::Error(std::move(e)));
    });
  }
  return llvm::joinErrors(std::move(wrongTypes), std::move(wrongExtents));
}

llvm::Error
FunctionSignature::checkInputs(llvm::ArrayRef<TensorView> inputs) const {
  if (llvm::Error error = checkNumInputs(inputs.size()))
    return error;
  return checkEach(*this, [&](size_t i) { return std::optional(inputs[i]); });
}

llvm::Error FunctionSignature::checkInputs(
    llvm::ArrayRef<std::optional<TensorBuffer>> inputs) const {
  if (llvm::Error error = checkNumInputs(inputs.size()))
    return error;
  return checkEach(*this, [&](size_t i) {
    return inputs[i] ? std::optional<TensorView>(*inputs[i]) : std::nullopt;
  });
}
