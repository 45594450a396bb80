//===- Program.cpp - What an exported program says ------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Documents of the archive are found by the folder that all of them are in.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "Pickle.h"
#include "SymExprText.h"
#include "llvm/ADT/Twine.h"

using namespace mlir::symshape;
using namespace mlir::symshape::pytorch;
using llvm::StringRef;
using llvm::Twine;
using onnx::DataType;
namespace json = llvm::json;

/// The schema that this reads; later minor versions only add fields.
static constexpr int64_t majorVersion = 8;

static constexpr llvm::StringLiteral oldProgram =
                                         "serialized_exported_program.json",
                                     weightsFolder = "data/weights/",
                                     constantsFolder = "data/constants/";

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static llvm::Error notProgram(const Twine &what) {
  return llvm::createStringError("expected an exported program, but " + what);
}

llvm::Expected<const json::Object *>
mlir::symshape::pytorch::getObject(const json::Object &object, StringRef key) {
  if (const json::Object *member = object.getObject(key))
    return member;
  return notProgram("its JSON has no object '" + key + "' where one must be");
}

llvm::Expected<const json::Array *>
mlir::symshape::pytorch::getArray(const json::Object &object, StringRef key) {
  if (const json::Array *member = object.getArray(key))
    return member;
  return notProgram("its JSON has no array '" + key + "' where one must be");
}

std::pair<StringRef, const json::Value *>
mlir::symshape::pytorch::openUnion(const json::Value &value) {
  const json::Object *object = value.getAsObject();
  if (!object)
    return {};
  // Writers may give the other members as null.
  for (const auto &[key, member] : *object)
    if (member.kind() != json::Value::Null)
      return {key, &member};
  return {};
}

StringRef mlir::symshape::pytorch::nameIn(const json::Value *argument,
                                          StringRef key) {
  const json::Object *object = argument ? argument->getAsObject() : nullptr;
  if (!object)
    return "";
  return object->getString(key).value_or("");
}

const json::Object *
mlir::symshape::pytorch::graphOf(const json::Value &argument) {
  auto [kind, member] = openUnion(argument);
  const json::Object *named =
      kind == "as_graph" ? member->getAsObject() : nullptr;
  return named ? named->getObject("graph") : nullptr;
}

/// The parser recurses: how deep `text` goes is found out before.
static unsigned depthOf(StringRef text) {
  unsigned depth = 0, deepest = 0;
  bool isString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (isString && c == '\\')
      ++i;
    else if (c == '"')
      isString = !isString;
    else if (!isString && (c == '{' || c == '['))
      deepest = std::max(deepest, ++depth);
    else if (!isString && (c == '}' || c == ']') && depth > 0)
      --depth;
  }
  return deepest;
}

llvm::Expected<json::Value> Program::parse(StringRef file) {
  std::string path = folder + file.str();
  std::optional<StringRef> text = archive.find(path);
  if (!text)
    return notProgram("the archive has no file '" + onnx::escaped(path) + "'");
  constexpr unsigned mostDepth = 256;
  if (unsigned depth = depthOf(*text); depth > mostDepth)
    return notProgram("'" + file + "' is nested " + Twine(depth) + " deep");
  auto value = json::parse(*text);
  if (!value)
    return notProgram("'" + file +
                      "' is not JSON: " + llvm::toString(value.takeError()));
  if (!value->getAsObject())
    return notProgram("'" + file + "' is not an object");
  return value;
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

static llvm::Error checkVersion(const json::Object &program) {
  auto version = getObject(program, "schema_version");
  if (!version)
    return version.takeError();
  int64_t major = (*version)->getInteger("major").value_or(0),
          minor = (*version)->getInteger("minor").value_or(0);
  if (major == majorVersion)
    return llvm::Error::success();
  std::string torch = program.getString("torch_version").value_or("?").str();
  return llvm::createStringError(
      "expected an exported program of schema " + Twine(majorVersion) +
      ", but got " + Twine(major) + "." + Twine(minor) + ", written by torch " +
      onnx::escaped(torch) +
      (major < majorVersion ? ": export it with torch 2.6 or later"
                            : ": a later version of symshape may read it"));
}

llvm::Expected<std::shared_ptr<Program>> Program::read(StringRef bytes) {
  auto archive = Archive::open(bytes);
  if (!archive)
    return archive.takeError();
  auto program = std::make_shared<Program>();
  program->archive = std::move(*archive);
  if (llvm::Error error = program->readDocuments())
    return std::move(error);
  return program;
}

static llvm::Error checkGraph(const json::Object &graph) {
  for (StringRef key : {"tensor_values", "sym_int_values", "sym_bool_values"})
    if (auto values = getObject(graph, key); !values)
      return values.takeError();
  for (StringRef key : {"inputs", "outputs", "nodes"})
    if (auto values = getArray(graph, key); !values)
      return values.takeError();
  return llvm::Error::success();
}

/// The form before torch 2.8, whose tensors are pickled.
llvm::Error Program::readOldDocuments() {
  auto program = parse(oldProgram.str());
  if (!program)
    return program.takeError();
  root = std::move(*program);
  for (auto [file, document, place] :
       {std::tuple{"serialized_state_dict.pt", &weights, weightsFolder},
        std::tuple{"serialized_constants.pt", &constants, constantsFolder}}) {
    std::optional<StringRef> bytes = archive.find(folder + file);
    *document = json::Object{{"config", json::Object{}}};
    if (!bytes || bytes->empty())
      continue;
    auto read = readPickledTensors(*bytes, archive, (folder + place).str());
    if (!read)
      return notProgram("'" + Twine(file) + "' cannot be read: " +
                        llvm::toString(read.takeError()));
    *document = std::move(*read);
  }
  return llvm::Error::success();
}

llvm::Error Program::readNewDocuments() {
  std::vector<std::string> names;
  for (const auto &file : archive.getFiles()) {
    StringRef path = file.getKey();
    if (path.consume_front(folder) && path.consume_front("models/") &&
        path.consume_back(".json"))
      names.push_back(path.str());
  }
  if (names.empty())
    return notProgram("the archive has no 'models/*.json': expected what "
                      "torch.export.save writes");
  if (names.size() > 1)
    return notProgram("the archive has " + Twine(names.size()) +
                      " programs, and one must be alone");
  if (auto order = archive.find(folder + "byteorder"))
    if (order->trim() != "little")
      return notProgram("its numbers have the byte order '" +
                        onnx::escaped(*order) + "'");
  const std::string &name = names.front();
  struct {
    json::Value &value;
    std::string path;
  } documents[] = {
      {root, "models/" + name + ".json"},
      {weights, (Twine(weightsFolder) + name + "_weights_config.json").str()},
      {constants,
       (Twine(constantsFolder) + name + "_constants_config.json").str()}};
  for (auto &document : documents) {
    auto value = parse(document.path);
    if (!value)
      return value.takeError();
    document.value = std::move(*value);
  }
  return llvm::Error::success();
}

llvm::Error Program::readDocuments() {
  bool isOld = false;
  for (const auto &file : archive.getFiles()) {
    StringRef path = file.getKey();
    bool isSign = path.consume_back("archive_format");
    if (path.consume_back(oldProgram))
      isSign = isOld = true;
    if (isSign && (path.empty() || path.ends_with("/")))
      folder = path.str();
  }
  if (llvm::Error error = isOld ? readOldDocuments() : readNewDocuments())
    return error;
  if (llvm::Error error = checkVersion(getRoot()))
    return error;
  auto module = getObject(getRoot(), "graph_module");
  if (!module)
    return module.takeError();
  for (auto [key, place] :
       {std::pair{"graph", &graph}, std::pair{"signature", &signature}}) {
    auto object = getObject(**module, key);
    if (!object)
      return object.takeError();
    *place = *object;
  }
  return checkGraph(*graph);
}

llvm::Expected<const json::Object *> Program::enter(const json::Object &other) {
  if (llvm::Error error = checkGraph(other))
    return std::move(error);
  return std::exchange(graph, &other);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

DataType mlir::symshape::pytorch::typeOfScalar(int64_t scalarType) {
  switch (scalarType) {
  case 1:
    return DataType::UInt8;
  case 2:
    return DataType::Int8;
  case 3:
    return DataType::Int16;
  case 4:
    return DataType::Int32;
  case 5:
    return DataType::Int64;
  case 6:
    return DataType::Float16;
  case 7:
    return DataType::Float;
  case 8:
    return DataType::Double;
  case 12:
    return DataType::Bool;
  case 13:
    return DataType::BFloat16;
  case 28:
    return DataType::UInt16;
  case 34:
    return DataType::UInt32;
  case 35:
    return DataType::UInt64;
  default:
    return DataType::Undefined;
  }
}

/// Reads a SymInt.
static std::optional<Extent> readExtent(const json::Value &value) {
  auto [kind, member] = openUnion(value);
  Extent extent;
  if (kind == "as_int") {
    extent.value = member->getAsInteger();
    return extent.value ? std::optional(extent) : std::nullopt;
  }
  if (kind != "as_expr")
    return std::nullopt;
  extent.text = toInfix(nameIn(member, "expr_str")).value_or("");
  return extent;
}

static llvm::Expected<TensorMeta> readMeta(const json::Object &object,
                                           const Twine &of) {
  TensorMeta meta;
  int64_t type = object.getInteger("dtype").value_or(0);
  meta.type = typeOfScalar(type);
  if (meta.type == DataType::Undefined)
    return llvm::createStringError("expected " + of +
                                   " to be of a type that symshape has, but "
                                   "got scalar type " +
                                   Twine(type));
  constexpr int64_t strided = 7;
  if (object.getInteger("layout").value_or(strided) != strided)
    return llvm::createStringError("expected " + of + " to be dense");
  for (auto [key, list] :
       {std::pair{"sizes", &meta.sizes}, std::pair{"strides", &meta.strides}}) {
    auto values = getArray(object, key);
    if (!values)
      return values.takeError();
    for (const json::Value &value : **values) {
      auto extent = readExtent(value);
      if (!extent)
        return notProgram("the extents of " + of + " are no integers");
      list->push_back(std::move(*extent));
    }
  }
  if (const json::Value *offset = object.get("storage_offset"))
    meta.offset = readExtent(*offset).value_or(Extent());
  return meta;
}

llvm::Expected<TensorMeta> Program::metaOf(StringRef value) const {
  const json::Object *all = graph->getObject("tensor_values");
  const json::Object *meta = all->getObject(value);
  if (!meta)
    return notProgram("nothing is said of tensor '" + onnx::escaped(value) +
                      "'");
  return readMeta(*meta, "'" + onnx::escaped(value) + "'");
}

std::optional<Extent> Program::integerOf(StringRef value) const {
  const json::Value *found = graph->getObject("sym_int_values")->get(value);
  return found ? readExtent(*found) : std::nullopt;
}

llvm::Expected<const json::Object *>
Program::findPayload(StringRef name, StringRef &place) const {
  for (auto [document, within] : {std::pair{&weights, weightsFolder},
                                  std::pair{&constants, constantsFolder}}) {
    auto config = getObject(*document->getAsObject(), "config");
    if (!config)
      return config.takeError();
    place = within;
    if (const json::Object *payload = (*config)->getObject(name))
      return payload;
  }
  return notProgram("the archive has no tensor '" + onnx::escaped(name) + "'");
}

bool Program::isGivenByCalls(StringRef name) const {
  StringRef place;
  auto payload = findPayload(name, place);
  if (!payload) {
    llvm::consumeError(payload.takeError());
    return false;
  }
  const json::Value *path = (*payload)->get("path_name");
  return path && path->kind() == json::Value::Null;
}

/// Copies elements row by row, or nothing if some lie outside.
static std::optional<std::string> gatherDense(StringRef bytes, unsigned size,
                                              llvm::ArrayRef<int64_t> extents,
                                              llvm::ArrayRef<int64_t> strides,
                                              int64_t offset, int64_t count) {
  std::string dense;
  dense.reserve(count * size);
  llvm::SmallVector<int64_t, 4> at(extents.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    uint64_t place = offset;
    for (auto [coordinate, stride] : llvm::zip(at, strides))
      place += uint64_t(coordinate) * uint64_t(stride);
    if (place > bytes.size() / size || bytes.size() - place * size < size)
      return std::nullopt;
    dense += bytes.substr(place * size, size);
    for (size_t axis = extents.size(); axis-- > 0;) {
      if (++at[axis] < extents[axis])
        break;
      at[axis] = 0;
    }
  }
  return dense;
}

llvm::Expected<onnx::TensorData> Program::findTensor(StringRef name) {
  std::string shown = "tensor '" + onnx::escaped(name) + "'";
  StringRef place;
  auto payload = findPayload(name, place);
  if (!payload)
    return payload.takeError();
  if ((*payload)->getBoolean("use_pickle").value_or(false))
    return llvm::createStringError(
        "expected " + shown + " to be stored as numbers, but it is pickled");
  auto object = getObject(**payload, "tensor_meta");
  if (!object)
    return object.takeError();
  auto meta = readMeta(**object, shown);
  if (!meta)
    return meta.takeError();
  std::string path = folder + place.str() +
                     (*payload)->getString("path_name").value_or("").str();
  std::optional<StringRef> bytes = archive.find(path);
  if (!bytes)
    return notProgram("the archive has no file '" + onnx::escaped(path) + "'");

  onnx::TensorData data;
  data.name = name;
  data.type = meta->type;
  llvm::SmallVector<int64_t, 4> strides;
  unsigned size = onnx::bytesOf(data.type);
  constexpr int64_t mostBytes = int64_t(1) << 40;
  int64_t count = 1;
  bool isDense = true;
  for (const Extent &extent : meta->sizes) {
    if (!extent.value || *extent.value < 0 || *extent.value > mostBytes ||
        (count != 0 && *extent.value > mostBytes / size / count))
      return notProgram(shown + " has no extents that are possible");
    data.dims.push_back(*extent.value);
    count *= *extent.value;
  }
  if (count == 0)
    return data;
  if (meta->strides.size() != meta->sizes.size())
    return notProgram(shown + " has other strides than extents");
  int64_t expected = 1;
  for (size_t i = meta->sizes.size(); i-- > 0;) {
    std::optional<int64_t> stride = meta->strides[i].value;
    if (!stride || *stride < 0 || *stride > mostBytes)
      return notProgram(shown + " has no strides that are possible");
    strides.insert(strides.begin(), *stride);
    isDense &= *stride == expected || data.dims[i] == 1;
    expected *= data.dims[i];
  }
  int64_t offset = meta->offset.value.value_or(0);
  if (offset < 0 || offset > mostBytes)
    return notProgram(shown + " has no offset that is possible");
  auto tooShort = [&] {
    return notProgram(shown + " reaches outside of '" + path + "', which has " +
                      Twine(bytes->size()) + " bytes");
  };
  if (isDense) {
    uint64_t begin = uint64_t(offset) * size, length = uint64_t(count) * size;
    if (begin > bytes->size() || length > bytes->size() - begin)
      return tooShort();
    data.bytes = bytes->substr(begin, length);
    return data;
  }
  // What repeats elements could ask for much more than the file has.
  constexpr int64_t mostCopied = int64_t(1) << 30;
  if (count > mostCopied / size)
    return notProgram(shown + " is not dense, and too large to be copied");
  auto dense = gatherDense(*bytes, size, data.dims, strides, offset, count);
  if (!dense)
    return tooShort();
  auto kept = std::make_shared<std::string>(std::move(*dense));
  data.bytes = *kept;
  data.owner = kept;
  return data;
}
