//===- WriteModel.cpp - Changes to the file of a model --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A message is a list of pieces, most of which are bytes of the file: unchanged
// parts are neither decoded nor copied.
//
//===----------------------------------------------------------------------===//

#include "symshape/Import/Extents/WriteModel.h"

#include "../ONNX/WireReader.h"
#include "llvm/Support/LEB128.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <deque>
#include <set>

using namespace mlir::symshape::onnx;
using llvm::StringRef;

namespace {
/// A message that is being written: pieces of the file, and new ones, which
/// are kept in `store`.
class Message {
public:
  explicit Message(std::deque<std::string> &store) : store(store) {}

  /// Bytes that stay where they are.
  void addBytes(StringRef bytes) {
    pieces.push_back(bytes);
    total += bytes.size();
  }
  void addNumber(unsigned field, uint64_t value) { addKey(field, 0, value); }
  void addText(unsigned field, StringRef text) {
    addKey(field, 2, text.size());
    addBytes(store.emplace_back(text.str()));
  }
  void addMessage(unsigned field, const Message &inner) {
    addKey(field, 2, inner.total);
    pieces.insert(pieces.end(), inner.pieces.begin(), inner.pieces.end());
    total += inner.total;
  }
  void write(llvm::raw_ostream &os) const {
    for (StringRef piece : pieces)
      os << piece;
  }

private:
  void addKey(unsigned field, unsigned form, uint64_t value) {
    std::string &piece = store.emplace_back();
    llvm::raw_string_ostream os(piece);
    llvm::encodeULEB128(uint64_t(field) << 3 | form, os);
    llvm::encodeULEB128(value, os);
    addBytes(piece);
  }

  std::deque<std::string> &store;
  std::vector<StringRef> pieces;
  uint64_t total = 0;
};

class ModelWriter {
public:
  ModelWriter(const Model &model, const ModelChanges &changes)
      : bytes(model.file->getBuffer()), mainGraph(model.graph.offset),
        changes(changes) {
    for (const ModelChanges::NewValue &value : changes.values) {
      added[value.graph].push_back(&value);
      places.insert(value.graph);
    }
    for (const auto &[place, type] : changes.shapes)
      places.insert(place);
  }

  void write(llvm::raw_ostream &os);

private:
  Message make() { return Message(store); }
  WireReader read(StringRef message) {
    return WireReader(message, bytes.data(), fault);
  }
  Message replaceField(WireReader reader, unsigned number,
                       llvm::function_ref<Message(WireReader)> write);
  /// Whether anything changes inside the field.
  bool isChanged(const WireReader &reader) const {
    auto it = places.lower_bound(reader.offset());
    return it != places.end() && *it < reader.offset() + reader.raw().size();
  }
  /// `offset` is where the file has the graph.
  Message writeGraph(WireReader reader, uint64_t offset);
  /// A node with graphs that change.
  Message writeNode(WireReader reader);
  Message writeAttribute(WireReader reader);
  Message writeValueInfo(WireReader reader, const WrittenType &type);
  Message writeType(WireReader reader, const WrittenType &type);
  Message writeTensorType(WireReader reader, const WrittenType &type);
  Message writeShape(WireReader reader, const WrittenShape &shape);
  Message writeDimension(WireReader reader, const WrittenExtent &extent);
  Message writeConstant(const ModelChanges::NewConstant &constant);

  StringRef bytes;
  uint64_t mainGraph;
  const ModelChanges &changes;
  llvm::DenseMap<uint64_t, std::vector<const ModelChanges::NewValue *>> added;
  std::set<uint64_t> places; ///< of changed entries and graphs
  WireFault fault;
  std::deque<std::string> store;
};
} // namespace

/// The extent, and what else the dimension says.
Message ModelWriter::writeDimension(WireReader reader,
                                    const WrittenExtent &extent) {
  Message result = make();
  if (extent.value)
    result.addNumber(1, *extent.value);
  else if (!extent.text.empty())
    result.addText(2, extent.text);
  while (reader.next())
    if (reader.field() != 1 && reader.field() != 2)
      result.addBytes(reader.raw());
  return result;
}

Message ModelWriter::writeShape(WireReader reader, const WrittenShape &shape) {
  Message result = make();
  size_t number = 0;
  while (reader.next()) {
    if (reader.field() != 1)
      result.addBytes(reader.raw());
    else if (number < shape.size())
      result.addMessage(1, writeDimension(reader.message(), shape[number++]));
  }
  for (; number < shape.size(); ++number)
    result.addMessage(1, writeDimension(read(""), shape[number]));
  return result;
}

Message ModelWriter::writeTensorType(WireReader reader,
                                     const WrittenType &type) {
  bool hasType = false;
  for (WireReader each = reader; each.next();)
    hasType |= each.field() == 1;
  Message result = replaceField(
      reader, 2, [&](WireReader old) { return writeShape(old, type.shape); });
  if (!hasType)
    result.addNumber(1, static_cast<uint64_t>(type.type));
  return result;
}

/// The message with the field of that number written anew, or added if there is
/// none. Several such fields become one with the bytes of all of them in turn,
/// as the wire format defines.
Message
ModelWriter::replaceField(WireReader reader, unsigned number,
                          llvm::function_ref<Message(WireReader)> write) {
  Message result = make();
  bool isWritten = false;
  std::string joined;
  for (WireReader each = reader; each.next();)
    if (each.field() == number)
      joined += each.text();
  StringRef all = store.emplace_back(std::move(joined));
  while (reader.next()) {
    if (reader.field() != number)
      result.addBytes(reader.raw());
    else if (!std::exchange(isWritten, true))
      result.addMessage(number, write(read(all)));
  }
  if (!isWritten)
    result.addMessage(number, write(read("")));
  return result;
}

Message ModelWriter::writeType(WireReader reader, const WrittenType &type) {
  return replaceField(
      reader, 1, [&](WireReader old) { return writeTensorType(old, type); });
}

Message ModelWriter::writeValueInfo(WireReader reader,
                                    const WrittenType &type) {
  return replaceField(reader, 2,
                      [&](WireReader old) { return writeType(old, type); });
}

Message ModelWriter::writeConstant(const ModelChanges::NewConstant &constant) {
  Message result = make();
  if (!constant.isScalar)
    result.addNumber(1, constant.values.size());
  result.addNumber(2, static_cast<uint64_t>(constant.type));
  result.addText(8, constant.name);
  std::string raw;
  for (int64_t value : constant.values)
    for (unsigned b = 0; b < bytesOf(constant.type); ++b)
      raw += static_cast<char>(value >> (8 * b));
  result.addText(9, raw);
  return result;
}

Message ModelWriter::writeAttribute(WireReader reader) {
  Message result = make();
  while (reader.next())
    if (reader.field() == 6 && isChanged(reader))
      result.addMessage(6, writeGraph(reader.message(), reader.offset()));
    else
      result.addBytes(reader.raw());
  return result;
}

Message ModelWriter::writeNode(WireReader reader) {
  Message result = make();
  while (reader.next())
    if (reader.field() == 5 && isChanged(reader))
      result.addMessage(5, writeAttribute(reader.message()));
    else
      result.addBytes(reader.raw());
  return result;
}

Message ModelWriter::writeGraph(WireReader reader, uint64_t offset) {
  Message result = make();
  while (reader.next()) {
    auto it = changes.shapes.find(reader.offset());
    if (it != changes.shapes.end())
      result.addMessage(reader.field(),
                        writeValueInfo(reader.message(), it->second));
    else if (changes.nodes.contains(reader.offset()))
      continue;
    else if (reader.field() == 1 && isChanged(reader))
      result.addMessage(1, writeNode(reader.message()));
    else
      result.addBytes(reader.raw());
  }
  if (offset == mainGraph)
    for (const ModelChanges::NewConstant &constant : changes.constants)
      result.addMessage(5, writeConstant(constant));
  for (const ModelChanges::NewValue *value : added.lookup(offset)) {
    Message info = make();
    info.addText(1, value->name);
    info.addMessage(2, writeType(read(""), value->type));
    result.addMessage(13, info);
  }
  return result;
}

void ModelWriter::write(llvm::raw_ostream &os) {
  Message result = make();
  WireReader reader = read(bytes);
  while (reader.next()) {
    if (reader.field() == 7)
      result.addMessage(7, writeGraph(reader.message(), reader.offset()));
    else
      result.addBytes(reader.raw());
  }
  result.write(os);
}

void mlir::symshape::onnx::writeModel(const Model &model,
                                      const ModelChanges &changes,
                                      llvm::raw_ostream &os) {
  ModelWriter(model, changes).write(os);
}
