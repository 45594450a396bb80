//===- SafeTensors.cpp - Weight files -------------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format: the length of the header as 64 bits, the header in JSON, data.
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/SafeTensors.h"
#include "ParseJSON.h"
#include "symshape/Execution/Status.h"
#include "symshape/Process/Files.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir::symshape;
using llvm::StringRef;

static constexpr uint64_t maxHeaderBytes = 100 << 20;

static std::optional<ElementType> parseDtype(StringRef dtype) {
  return ElementType::parse(llvm::StringSwitch<StringRef>(dtype)
                                .Case("BOOL", "i1")
                                .Case("I8", "i8")
                                .Case("I16", "i16")
                                .Case("I32", "i32")
                                .Case("I64", "i64")
                                .Case("U8", "ui8")
                                .Case("U16", "ui16")
                                .Case("U32", "ui32")
                                .Case("U64", "ui64")
                                .Case("F16", "f16")
                                .Case("BF16", "bf16")
                                .Case("F32", "f32")
                                .Case("F64", "f64")
                                .Default(""));
}

/// The non-negative integers of a JSON array, or none.
static std::optional<llvm::SmallVector<int64_t, 4>>
readExtents(const llvm::json::Array *array) {
  if (!array)
    return std::nullopt;
  llvm::SmallVector<int64_t, 4> result;
  for (const llvm::json::Value &value : *array) {
    std::optional<int64_t> extent = value.getAsInteger();
    if (!extent || *extent < 0)
      return std::nullopt;
    result.push_back(*extent);
  }
  return result;
}

llvm::Expected<llvm::StringMap<SafeTensors::Entry>>
SafeTensors::parseHeader(StringRef header, uint64_t dataBytes) {
  llvm::Expected<llvm::json::Value> json = parseJSON(header);
  if (!json)
    return makeInputError("malformed header: " +
                          llvm::toString(json.takeError()));
  const llvm::json::Object *object = json->getAsObject();
  if (!object)
    return makeInputError("malformed header: expected a JSON object");
  llvm::StringMap<Entry> entries;
  for (const auto &[key, value] : *object) {
    StringRef name = key;
    if (name == "__metadata__")
      continue;
    const llvm::json::Object *tensor = value.getAsObject();
    auto dtype = tensor ? tensor->getString("dtype") : std::nullopt;
    auto shape = readExtents(tensor ? tensor->getArray("shape") : nullptr);
    auto offsets =
        readExtents(tensor ? tensor->getArray("data_offsets") : nullptr);
    if (!dtype || !shape || !offsets || offsets->size() != 2)
      return makeInputError("malformed header: expected dtype, shape and "
                            "data_offsets of tensor '" +
                            name + "'");
    uint64_t begin = (*offsets)[0], end = (*offsets)[1];
    if (begin > end || end > dataBytes)
      return makeInputError("expected the data of tensor '" + name +
                            "' inside the " + llvm::Twine(dataBytes) +
                            " bytes of data, but got [" + llvm::Twine(begin) +
                            ", " + llvm::Twine(end) + ")");
    // Tensors of unknown types are an error only if asked for.
    if (std::optional<ElementType> type = parseDtype(*dtype)) {
      std::optional<int64_t> size = checkedByteSize(*type, *shape);
      if (!size || static_cast<uint64_t>(*size) != end - begin)
        return makeInputError("expected the data of tensor '" + name +
                              "' to hold " + tensorTypeToString(*type, *shape) +
                              ", but got " + llvm::Twine(end - begin) +
                              " bytes");
    }
    entries[name] = Entry{dtype->str(), *shape, begin, end};
  }
  return entries;
}

llvm::Expected<SafeTensors>
SafeTensors::parse(std::unique_ptr<llvm::MemoryBuffer> bytes) {
  StringRef content = bytes->getBuffer();
  if (content.size() < 8)
    return makeInputError("expected a .safetensors file, but got " +
                          llvm::Twine(content.size()) + " bytes");
  uint64_t length = llvm::support::endian::read64le(content.data());
  if (length > maxHeaderBytes || length > content.size() - 8)
    return makeInputError("expected a .safetensors file, but its header would "
                          "have " +
                          llvm::Twine(length) + " bytes");
  StringRef header = content.substr(8, length);
  llvm::Expected<llvm::StringMap<Entry>> entries =
      parseHeader(header, content.size() - 8 - length);
  if (!entries)
    return entries.takeError();
  SafeTensors result;
  result.data = content.data() + 8 + length;
  result.entries = std::move(*entries);
  result.file = std::move(bytes);
  return result;
}

llvm::Expected<SafeTensors> SafeTensors::open(StringRef path) {
  auto file = readPlainFile(path);
  if (!file)
    return makeInputError("cannot read '" + path +
                          "': " + llvm::toString(file.takeError()));
  llvm::Expected<SafeTensors> result = parse(std::move(*file));
  if (!result)
    return makeInputError("'" + path +
                          "': " + llvm::toString(result.takeError()));
  return result;
}

llvm::Expected<std::pair<ElementType, const SafeTensors::Entry *>>
SafeTensors::find(StringRef name) const {
  auto it = entries.find(name);
  if (it == entries.end())
    return makeInputError("expected a tensor '" + name +
                          "' in the weights, but there is none");
  const Entry &entry = it->second;
  std::optional<ElementType> type = parseDtype(entry.dtype);
  if (!type)
    return makeInputError("tensor '" + name + "' has dtype " + entry.dtype +
                          ", which is not supported");
  return std::pair(*type, &entry);
}

llvm::Expected<TensorBuffer> SafeTensors::get(StringRef name) const {
  auto found = find(name);
  if (!found)
    return found.takeError();
  auto [type, entry] = *found;
  return readTensor(type, entry->shape, data + entry->begin, file);
}

llvm::Expected<TensorBuffer> SafeTensors::describe(StringRef name) const {
  auto found = find(name);
  if (!found)
    return found.takeError();
  return TensorBuffer::view(found->first, found->second->shape, nullptr,
                            nullptr);
}

void SafeTensors::releasePages() const {
  // Memory that is not mapped would lose its contents.
  if (file->getBufferKind() == llvm::MemoryBuffer::MemoryBuffer_MMap)
    releaseMappedPages(file->getBuffer());
}
