//===- Model.cpp - An ONNX file as plain structs --------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which field of which message is what. Tensors are checked here: as many bytes
// as type and extents ask for. Not for: data in other files (ExternalData.cpp).
//
//===----------------------------------------------------------------------===//

#include "symshape/Import/ONNX/Model.h"
#include "ExternalData.h"
#include "NodeOrder.h"
#include "WireReader.h"
#include "symshape/Process/Files.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir::symshape::onnx;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

namespace {
struct TypeTraits {
  DataType type;
  const char *name;
  unsigned bytes;
};
} // namespace

static const TypeTraits types[] = {
    {DataType::Float, "float", 4},        {DataType::UInt8, "uint8", 1},
    {DataType::Int8, "int8", 1},          {DataType::UInt16, "uint16", 2},
    {DataType::Int16, "int16", 2},        {DataType::Int32, "int32", 4},
    {DataType::Int64, "int64", 8},        {DataType::String, "string", 0},
    {DataType::Bool, "bool", 1},          {DataType::Float16, "float16", 2},
    {DataType::Double, "double", 8},      {DataType::UInt32, "uint32", 4},
    {DataType::UInt64, "uint64", 8},      {DataType::BFloat16, "bfloat16", 2},
    {DataType::Undefined, "undefined", 0}};

/// The names of the types that nothing here reads, of these numbers.
static const std::pair<int32_t, const char *> otherTypes[] = {
    {14, "complex64"},      {15, "complex128"}, {17, "float8e4m3fn"},
    {18, "float8e4m3fnuz"}, {19, "float8e5m2"}, {20, "float8e5m2fnuz"},
    {21, "uint4"},          {22, "int4"},       {23, "float4e2m1"},
    {24, "float8e8m0"},     {25, "uint2"},      {26, "int2"}};

static const TypeTraits *find(DataType type) {
  for (const TypeTraits &traits : types)
    if (traits.type == type)
      return &traits;
  return nullptr;
}

std::string mlir::symshape::onnx::nameOf(DataType type) {
  if (const TypeTraits *traits = find(type))
    return traits->name;
  auto number = static_cast<int32_t>(type);
  for (auto [other, name] : otherTypes)
    if (other == number)
      return name;
  return "type #" + std::to_string(number);
}

std::string mlir::symshape::onnx::nameOf(TypeInfo::Kind kind) {
  switch (kind) {
  case TypeInfo::None:
    return "a value without a type";
  case TypeInfo::Tensor:
    return "a tensor";
  case TypeInfo::Sequence:
    return "a sequence";
  case TypeInfo::Optional:
    return "an optional value";
  case TypeInfo::Other:
    return "another type";
  }
  llvm_unreachable("all kinds are above");
}

unsigned mlir::symshape::onnx::bytesOf(DataType type) {
  const TypeTraits *traits = find(type);
  return traits ? traits->bytes : 0;
}

bool mlir::symshape::onnx::isFloat(DataType type) {
  return type == DataType::Float || type == DataType::Double ||
         type == DataType::Float16 || type == DataType::BFloat16;
}

bool mlir::symshape::onnx::isUnsigned(DataType type) {
  return type == DataType::UInt8 || type == DataType::UInt16 ||
         type == DataType::UInt32 || type == DataType::UInt64;
}

bool mlir::symshape::onnx::isInteger(DataType type) {
  return isUnsigned(type) || type == DataType::Int8 ||
         type == DataType::Int16 || type == DataType::Int32 ||
         type == DataType::Int64;
}

int64_t TensorData::getNumElements() const {
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= dim; // checked where it was read
  return count;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

namespace {
/// Reads messages. Nested ones are bounded in depth, so that no file exhausts
/// the stack.
class ModelReader {
public:
  ModelReader(Model &model, ExternalFolder folder)
      : model(model), folder(std::move(folder)) {}

  llvm::Error read(StringRef bytes);

private:
  void readModel(WireReader reader);
  OpsetId readOpset(WireReader reader);
  void readGraph(WireReader reader, Graph &graph, unsigned depth);
  void readFunction(WireReader reader, Function &function);
  void readNode(WireReader reader, NodeData &node, unsigned depth);
  void readAttribute(WireReader reader, AttributeData &attribute,
                     unsigned depth);
  void readTensor(WireReader reader, TensorData &tensor);
  ValueInfo readValueInfo(WireReader &field);
  void readType(WireReader reader, TypeInfo &type);
  void readTensorType(WireReader reader, TypeInfo &type);
  void readShape(WireReader reader, TypeInfo &type);

  Model &model;
  ExternalFolder folder;
  WireFault fault;
  static constexpr unsigned maxDepth = 64;
};

/// The payload of a tensor in whichever field it is.
struct Payload {
  bool isRaw = false;
  std::string kept;
  std::vector<int64_t> integers; ///< int32_data, int64_data and uint64_data
  ExternalPlace external;
  bool isExternal = false;
};
} // namespace

/// Writes integers as elements of `size` bytes.
static std::string packIntegers(llvm::ArrayRef<int64_t> values, unsigned size) {
  std::string packed(values.size() * size, 0);
  for (size_t i = 0; i < values.size(); ++i)
    for (unsigned b = 0; b < size; ++b)
      packed[i * size + b] = values[i] >> (8 * b);
  return packed;
}

/// The number of bytes of a tensor; nullopt if an extent is negative or the
/// number overflows.
static std::optional<uint64_t> getNumBytes(const TensorData &tensor) {
  // An extent of 0 must not hide an overflow of the others.
  int64_t count = 1;
  bool isEmpty = false;
  for (int64_t dim : tensor.dims) {
    if (dim < 0)
      return std::nullopt;
    isEmpty |= dim == 0;
    auto product = llvm::checkedMul<int64_t>(count, dim ? dim : 1);
    if (!product)
      return std::nullopt;
    count = *product;
  }
  auto bytes =
      llvm::checkedMul<int64_t>(count, std::max(bytesOf(tensor.type), 1u));
  if (!bytes || *bytes > int64_t(1) << 47)
    return std::nullopt;
  return isEmpty ? 0 : *bytes;
}

/// The bits of integers that share bytes, and the type that holds one; 0 bits
/// for other types.
static std::pair<unsigned, DataType> findNarrow(DataType type) {
  switch (static_cast<int32_t>(type)) {
  case 21:
    return {4, DataType::UInt8};
  case 22:
    return {4, DataType::Int8};
  case 25:
    return {2, DataType::UInt8};
  case 26:
    return {2, DataType::Int8};
  }
  return {0, type};
}

/// A byte for each of `count` integers of so many bits; the first one is in the
/// lowest bits.
static std::string unpackNarrow(StringRef packed, uint64_t count, unsigned bits,
                                bool isSigned) {
  std::string unpacked(count, 0);
  unsigned inByte = 8 / bits;
  for (uint64_t i = 0; i < count; ++i) {
    unsigned number =
        static_cast<uint8_t>(packed[i / inByte]) >> (i % inByte * bits) &
        ((1u << bits) - 1);
    bool isNegative = isSigned && number >> (bits - 1);
    unpacked[i] = isNegative ? number - (1u << bits) : number;
  }
  return unpacked;
}

void ModelReader::readTensor(WireReader reader, TensorData &tensor) {
  Payload payload;
  WireReader whole = reader;
  std::vector<int64_t> dims;
  while (reader.next()) {
    switch (reader.field()) {
    case 1:
      reader.appendIntegers(dims);
      break;
    case 2:
      tensor.type = static_cast<DataType>(reader.integer());
      break;
    case 4:
      reader.appendFixed(4, tensor.bytes, payload.kept);
      break;
    case 5:
    case 7:
    case 11:
      reader.appendIntegers(payload.integers);
      break;
    case 6:
      tensor.strings.push_back(reader.text());
      break;
    case 8:
      tensor.name = reader.text();
      break;
    case 9:
      tensor.bytes = reader.text();
      payload.isRaw = true;
      break;
    case 10:
      reader.appendFixed(8, tensor.bytes, payload.kept);
      break;
    case 13:
      if (!payload.external.readEntry(reader.message()))
        reader.fail("expected a number in the place of external data");
      break;
    case 14:
      payload.isExternal = reader.integer() == 1;
      break;
    }
  }
  tensor.dims.assign(dims.begin(), dims.end());
  if (fault.found)
    return;
  std::tie(tensor.narrowBits, tensor.type) = findNarrow(tensor.type);
  std::optional<uint64_t> size = getNumBytes(tensor);
  uint64_t count = size.value_or(0);
  if (size && tensor.narrowBits)
    size = llvm::divideCeil(*size * tensor.narrowBits, 8);
  if (!size)
    return whole.fail("expected the extents of tensor '" + tensor.name.str() +
                      "' to be at least 0 and their product to be small");
  if (bytesOf(tensor.type) == 0)
    return; // strings, and types that nothing here reads
  if (payload.isExternal) {
    model.hasExternalData = true;
    auto data = folder.find(payload.external, *size);
    if (!data)
      return whole.fail("tensor '" + tensor.name.str() +
                        "': " + llvm::toString(data.takeError()));
    tensor.bytes = data->bytes;
    tensor.owner = data->file;
  } else if (!payload.isRaw && !payload.kept.empty()) {
    auto kept = std::make_shared<std::string>(std::move(payload.kept));
    tensor.bytes = *kept;
    tensor.owner = kept;
  } else if (!payload.isRaw && !payload.integers.empty()) {
    auto kept = std::make_shared<std::string>(
        packIntegers(payload.integers, bytesOf(tensor.type)));
    tensor.bytes = *kept;
    tensor.owner = kept;
  }
  if (tensor.bytes.size() != *size)
    return whole.fail("expected tensor '" + tensor.name.str() + "' to hold " +
                      std::to_string(*size) + " bytes, but got " +
                      std::to_string(tensor.bytes.size()));
  if (tensor.narrowBits) {
    auto kept = std::make_shared<std::string>(
        unpackNarrow(tensor.bytes, count, tensor.narrowBits,
                     /*isSigned=*/tensor.type == DataType::Int8));
    tensor.bytes = *kept;
    tensor.owner = kept;
  }
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

void ModelReader::readShape(WireReader reader, TypeInfo &type) {
  type.hasShape = true;
  while (reader.next()) {
    if (reader.field() != 1)
      continue;
    Dimension &dim = type.dims.emplace_back();
    WireReader fields = reader.message();
    while (fields.next()) {
      if (fields.field() == 1)
        dim.value = fields.integer();
      else if (fields.field() == 2)
        dim.param = fields.text();
    }
  }
}

void ModelReader::readTensorType(WireReader reader, TypeInfo &type) {
  while (reader.next()) {
    if (reader.field() == 1)
      type.element = static_cast<DataType>(reader.integer());
    else if (reader.field() == 2)
      readShape(reader.message(), type);
  }
}

void ModelReader::readType(WireReader reader, TypeInfo &type) {
  while (reader.next()) {
    switch (reader.field()) {
    case 1:
      type.kind = TypeInfo::Tensor;
      readTensorType(reader.message(), type);
      break;
    case 4:
      type.kind = TypeInfo::Sequence;
      break;
    case 9:
      type.kind = TypeInfo::Optional;
      break;
    case 5:
    case 7:
    case 8:
      type.kind = TypeInfo::Other;
      break;
    }
  }
}

ValueInfo ModelReader::readValueInfo(WireReader &field) {
  ValueInfo info;
  info.offset = field.offset();
  WireReader reader = field.message();
  while (reader.next()) {
    if (reader.field() == 1)
      info.name = reader.text();
    else if (reader.field() == 2)
      readType(reader.message(), info.type);
  }
  return info;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

void ModelReader::readAttribute(WireReader reader, AttributeData &attribute,
                                unsigned depth) {
  while (reader.next()) {
    switch (reader.field()) {
    case 1:
      attribute.name = reader.text();
      break;
    case 2:
      attribute.f = reader.number32();
      break;
    case 3:
      attribute.i = reader.integer();
      break;
    case 4:
      attribute.s = reader.text();
      break;
    case 5:
      attribute.tensor = std::make_shared<TensorData>();
      readTensor(reader.message(), *attribute.tensor);
      break;
    case 6:
      attribute.graph = std::make_shared<Graph>();
      attribute.graph->offset = reader.offset();
      readGraph(reader.message(), *attribute.graph, depth + 1);
      break;
    case 7:
      reader.appendFloats(attribute.floats);
      break;
    case 8:
      reader.appendIntegers(attribute.ints);
      break;
    case 9:
      attribute.strings.push_back(reader.text());
      break;
    case 20:
      attribute.type = reader.integer();
      break;
    case 21:
      attribute.reference = reader.text();
      break;
    }
  }
}

void ModelReader::readNode(WireReader reader, NodeData &node, unsigned depth) {
  while (reader.next()) {
    switch (reader.field()) {
    case 1:
      node.inputs.push_back(reader.text());
      break;
    case 2:
      node.outputs.push_back(reader.text());
      break;
    case 3:
      node.name = reader.text();
      break;
    case 4:
      node.opType = reader.text();
      break;
    case 5:
      readAttribute(reader.message(), node.attributes.emplace_back(), depth);
      break;
    case 7:
      node.domain = reader.text();
      break;
    case 8:
      node.overload = reader.text();
      break;
    }
  }
}

void ModelReader::readGraph(WireReader reader, Graph &graph, unsigned depth) {
  if (depth > maxDepth)
    return reader.fail("expected graphs nested at most " +
                       std::to_string(maxDepth) + " deep");
  while (reader.next()) {
    switch (reader.field()) {
    case 1: {
      NodeData &node = graph.nodes.emplace_back();
      node.offset = reader.offset();
      node.number = graph.nodes.size() - 1;
      readNode(reader.message(), node, depth);
      break;
    }
    case 2:
      graph.name = reader.text();
      break;
    case 5:
      readTensor(reader.message(), graph.initializers.emplace_back());
      break;
    case 11:
      graph.inputs.push_back(readValueInfo(reader));
      break;
    case 12:
      graph.outputs.push_back(readValueInfo(reader));
      break;
    case 13:
      graph.values.push_back(readValueInfo(reader));
      break;
    case 15:
      reader.fail("expected no sparse initializers");
      break;
    }
  }
}

void ModelReader::readFunction(WireReader reader, Function &function) {
  while (reader.next()) {
    switch (reader.field()) {
    case 1:
      function.name = reader.text();
      break;
    case 4:
      function.inputs.push_back(reader.text());
      break;
    case 5:
      function.outputs.push_back(reader.text());
      break;
    case 7: {
      NodeData &node = function.nodes.emplace_back();
      node.offset = reader.offset();
      node.number = function.nodes.size() - 1;
      readNode(reader.message(), node, 1);
      break;
    }
    case 9:
      function.opsets.push_back(readOpset(reader.message()));
      break;
    case 10:
      function.domain = reader.text();
      break;
    case 11:
      readAttribute(reader.message(), function.defaults.emplace_back(), 1);
      break;
    case 13:
      function.overload = reader.text();
      break;
    }
  }
}

OpsetId ModelReader::readOpset(WireReader reader) {
  OpsetId id;
  while (reader.next()) {
    if (reader.field() == 1)
      id.domain = reader.text();
    else if (reader.field() == 2)
      id.version = reader.integer();
  }
  return id;
}

void ModelReader::readModel(WireReader reader) {
  bool hasGraph = false;
  while (reader.next()) {
    switch (reader.field()) {
    case 1:
      model.irVersion = reader.integer();
      break;
    case 7:
      if (hasGraph)
        return reader.fail("expected one graph, but got another one");
      hasGraph = true;
      model.graph.offset = reader.offset();
      readGraph(reader.message(), model.graph, 0);
      break;
    case 8:
      model.opsets.push_back(readOpset(reader.message()));
      break;
    case 25:
      readFunction(reader.message(), model.functions.emplace_back());
      break;
    }
  }
  if (!hasGraph)
    reader.fail("expected a graph, but the model has none");
}

llvm::Error ModelReader::read(StringRef bytes) {
  readModel(WireReader(bytes, bytes.data(), fault));
  if (!fault.found)
    return llvm::Error::success();
  return llvm::createStringError("'" + model.path + "': byte " +
                                 llvm::Twine(fault.offset) + ": " +
                                 escaped(fault.message));
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

std::string mlir::symshape::onnx::escaped(StringRef text) {
  std::string result;
  const auto *at = reinterpret_cast<const llvm::UTF8 *>(text.begin());
  const auto *end = reinterpret_cast<const llvm::UTF8 *>(text.end());
  while (at != end) {
    unsigned length = llvm::getNumBytesForUTF8(*at);
    bool isText = length <= static_cast<size_t>(end - at) &&
                  llvm::isLegalUTF8Sequence(at, at + length) &&
                  (length > 1 || llvm::isPrint(*at));
    if (isText) {
      result.append(at, at + length);
      at += length;
    } else {
      result += "\\x" + llvm::utohexstr(*at++, /*LowerCase=*/true, /*Width=*/2);
    }
  }
  return result;
}

std::string mlir::symshape::onnx::escapedLines(StringRef message) {
  llvm::SmallVector<StringRef> lines;
  message.split(lines, '\n');
  return llvm::join(llvm::map_range(lines, escaped), "\n");
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

StringRef mlir::symshape::onnx::canonicalDomain(StringRef domain) {
  return domain == "ai.onnx" ? StringRef() : domain;
}

std::optional<int64_t> Model::getOpset(StringRef domain) const {
  for (const OpsetId &id : opsets)
    if (canonicalDomain(id.domain) == canonicalDomain(domain))
      return id.version;
  return std::nullopt;
}

std::vector<const ValueInfo *> Model::getInputs() const {
  llvm::StringSet<> constants;
  for (const TensorData &data : graph.initializers)
    constants.insert(data.name);
  std::vector<const ValueInfo *> result;
  for (const ValueInfo &input : graph.inputs)
    if (!constants.contains(input.name))
      result.push_back(&input);
  return result;
}

/// What a file is that is no model; empty if that is not known. The first bytes
/// of a model hold small numbers.
static StringRef nameKind(StringRef bytes) {
  StringRef kind = nameForeignKind(bytes);
  bool isText = llvm::all_of(bytes.take_front(64), [](char c) {
    return llvm::isPrint(c) || llvm::isSpace(c);
  });
  return kind.empty() && isText ? "text" : kind;
}

llvm::Expected<Model> Model::parse(std::shared_ptr<llvm::MemoryBuffer> bytes,
                                   StringRef path) {
  Model model;
  model.file = std::move(bytes);
  model.path = path.str();
  ModelReader reader(model, ExternalFolder(llvm::sys::path::parent_path(path)));
  StringRef buffer = model.file->getBuffer();
  llvm::Error error = reader.read(buffer);
  if (!error) {
    sortNodes(model);
    return model;
  }
  StringRef kind = nameKind(buffer);
  if (kind.empty())
    return std::move(error);
  llvm::consumeError(std::move(error));
  return llvm::createStringError("expected a model of ONNX, but '" + path +
                                 "' is " + kind);
}

llvm::Expected<Model> Model::read(StringRef path) {
  auto file = readPlainFile(path);
  if (!file) {
    std::string message;
    std::error_code problem;
    llvm::handleAllErrors(file.takeError(), [&](const llvm::ErrorInfoBase &e) {
      message = e.message();
      problem = e.convertToErrorCode();
    });
    return llvm::createStringError(problem,
                                   "cannot read '" + path + "': " + message);
  }
  return parse(std::move(*file), path);
}

bool mlir::symshape::onnx::isModelPath(StringRef path) {
  return path.ends_with(".onnx");
}
