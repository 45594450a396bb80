//===- Archive.cpp - The files in a zip archive ---------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The directory at the end says where each file is; its header there says
// where its bytes begin. Numbers that do not fit have wider ones behind them
// (zip64).
//
//===----------------------------------------------------------------------===//

#include "Archive.h"
#include "symshape/Import/ONNX/Model.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Endian.h"

using namespace mlir::symshape;
using namespace mlir::symshape::pytorch;
using llvm::StringRef;
using llvm::Twine;
using namespace llvm::support::endian;

namespace {
/// Numbers one after the other; `isBroken` once they end too early.
class Fields {
public:
  explicit Fields(StringRef bytes) : rest(bytes) {}
  uint64_t take(unsigned size) {
    uint64_t value = 0;
    StringRef bytes = takeBytes(size);
    for (size_t i = 0; i < bytes.size(); ++i)
      value |= uint64_t(uint8_t(bytes[i])) << (8 * i);
    return value;
  }
  StringRef takeBytes(uint64_t size) {
    if (size > rest.size()) {
      isBroken = true;
      rest = "";
      return "";
    }
    StringRef bytes = rest.take_front(size);
    rest = rest.drop_front(size);
    return bytes;
  }
  bool isBroken = false;

private:
  StringRef rest;
};

struct Directory {
  uint64_t count = 0, size = 0, offset = 0;
};
} // namespace

static constexpr uint64_t notHere32 = 0xFFFFFFFF, notHere16 = 0xFFFF;

static llvm::Error notArchive(const Twine &what) {
  return llvm::createStringError("expected a zip archive, but " + what);
}

/// What the last record says, found from the end: a comment may follow it.
static llvm::Expected<Directory> findDirectory(StringRef bytes) {
  constexpr size_t size = 22, longestComment = 0xFFFF;
  StringRef end = bytes.take_back(size + longestComment);
  size_t at = end.rfind("PK\5\6");
  if (at == StringRef::npos || end.size() - at < size)
    return notArchive("its directory is missing: the file may be cut off");
  Fields fields(end.drop_front(at));
  fields.take(4);
  uint64_t disk = fields.take(2), directoryDisk = fields.take(2);
  fields.take(2);
  Directory directory;
  directory.count = fields.take(2);
  directory.size = fields.take(4);
  directory.offset = fields.take(4);
  bool isWide = directory.count == notHere16 || directory.size == notHere32 ||
                directory.offset == notHere32;
  if ((disk != 0 && disk != notHere16) ||
      (directoryDisk != 0 && directoryDisk != notHere16))
    return notArchive("it has several parts");
  if (!isWide)
    return directory;
  constexpr size_t locatorSize = 20;
  size_t position = bytes.size() - end.size() + at;
  if (position < locatorSize)
    return notArchive("its directory is missing");
  Fields locator(bytes.substr(position - locatorSize, locatorSize));
  if (locator.take(4) != 0x07064b50)
    return notArchive("its directory is missing");
  locator.take(4);
  uint64_t wide = locator.take(8);
  if (wide > bytes.size())
    return notArchive("its directory is outside of the file");
  Fields record(bytes.drop_front(wide));
  if (record.take(4) != 0x06064b50)
    return notArchive("its directory is missing");
  record.takeBytes(8 + 2 + 2 + 4 + 4 + 8);
  directory.count = record.take(8);
  directory.size = record.take(8);
  directory.offset = record.take(8);
  if (record.isBroken)
    return notArchive("its directory is cut off");
  return directory;
}

/// Replaces sizes and offset by those of the extra field of zip64.
static void widen(StringRef extra, uint64_t &size, uint64_t &packed,
                  uint64_t &offset) {
  Fields fields(extra);
  while (!fields.isBroken) {
    uint64_t id = fields.take(2), length = fields.take(2);
    Fields body(fields.takeBytes(length));
    if (fields.isBroken || id != 1)
      continue;
    for (uint64_t *value : {&size, &packed, &offset})
      if (*value == notHere32)
        *value = body.take(8);
    return;
  }
}

/// The bytes of the file whose header is at `offset`.
static llvm::Expected<StringRef> findBytes(StringRef bytes, StringRef name,
                                           uint64_t offset, uint64_t size) {
  auto outside = [&] {
    return notArchive("file '" + onnx::escaped(name) +
                      "' reaches outside of it: it may be cut off");
  };
  if (offset > bytes.size())
    return outside();
  StringRef rest = bytes.drop_front(offset);
  Fields header(rest);
  uint64_t signature = header.take(4);
  header.takeBytes(22);
  uint64_t nameLength = header.take(2), extraLength = header.take(2);
  StringRef sameName = header.takeBytes(nameLength);
  header.takeBytes(extraLength);
  if (header.isBroken)
    return outside();
  if (signature != 0x04034b50 || sameName != name)
    return notArchive("file '" + onnx::escaped(name) +
                      "' is not where the directory says");
  constexpr size_t headerSize = 30;
  StringRef content = rest.drop_front(headerSize + nameLength + extraLength);
  if (size > content.size())
    return outside();
  return content.take_front(size);
}

llvm::Expected<Archive> Archive::open(StringRef bytes) {
  auto directory = findDirectory(bytes);
  if (!directory)
    return directory.takeError();
  if (directory->offset > bytes.size() ||
      directory->size > bytes.size() - directory->offset)
    return notArchive("its directory is outside of the file");
  constexpr uint64_t mostFiles = 1 << 20;
  if (directory->count > mostFiles)
    return notArchive("it says that it has " + Twine(directory->count) +
                      " files");
  Archive archive;
  Fields fields(bytes.substr(directory->offset, directory->size));
  for (uint64_t i = 0; i < directory->count; ++i) {
    uint64_t signature = fields.take(4);
    fields.take(4);
    uint64_t flags = fields.take(2), method = fields.take(2);
    fields.takeBytes(8);
    uint64_t packed = fields.take(4), size = fields.take(4);
    uint64_t nameLength = fields.take(2), extraLength = fields.take(2),
             commentLength = fields.take(2);
    fields.takeBytes(8);
    uint64_t offset = fields.take(4);
    StringRef name = fields.takeBytes(nameLength);
    StringRef extra = fields.takeBytes(extraLength);
    fields.takeBytes(commentLength);
    if (fields.isBroken || signature != 0x02014b50)
      return notArchive("entry #" + Twine(i) + " of its directory is cut off");
    widen(extra, size, packed, offset);
    constexpr uint64_t isEncrypted = 1;
    if (method != 0 || (flags & isEncrypted) || packed != size)
      return notArchive("file '" + onnx::escaped(name) +
                        "' is compressed or encrypted: write it with "
                        "torch.export.save");
    auto content = findBytes(bytes, name, offset, size);
    if (!content)
      return content.takeError();
    if (!archive.files.try_emplace(name, *content).second)
      return notArchive("it has file '" + onnx::escaped(name) + "' twice");
  }
  return archive;
}

std::optional<StringRef> Archive::find(StringRef name) const {
  auto it = files.find(name);
  if (it == files.end())
    return std::nullopt;
  return it->second;
}
