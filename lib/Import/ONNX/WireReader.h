//===- WireReader.h - The wire format of protocol buffers -------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fields of a message, one after the other, each checked against the end of the
// message it lies in. Not for: what fields mean (Model.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_ONNX_WIREREADER_H
#define SYMSHAPE_LIB_IMPORT_ONNX_WIREREADER_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace mlir::symshape::onnx {

/// What a reader of a file found wrong first. Readers of nested messages share
/// it: after the first fault all of them are at their end.
struct WireFault {
  bool found = false;
  uint64_t offset = 0;
  std::string message;
};

/// Reads the fields of one message:
///
///   WireReader reader(bytes, begin, fault);
///   while (reader.next())
///     switch (reader.field()) { case 1: name = reader.text(); ... }
///
/// A field that is not asked for is skipped. Repeated scalars may be packed or
/// not.
class WireReader {
public:
  /// `begin` is the first byte of the file, from which faults are counted.
  WireReader(llvm::StringRef message, const char *begin, WireFault &fault)
      : at(message.begin()), end(message.end()), begin(begin), fault(fault) {}

  /// Goes on to the next field; false at the end and after a fault.
  bool next();
  unsigned field() const { return number; }
  /// All of the field, as it lies in the file.
  llvm::StringRef raw() const {
    return {start, static_cast<size_t>(at - start)};
  }
  /// Where the field begins in the file.
  uint64_t offset() const { return start - begin; }

  /// The value of the field. If it has another form, a fault, and the value is
  /// 0 or the empty text.
  int64_t integer();
  float number32();
  llvm::StringRef text();
  /// Appends the value or values of a repeated field.
  void appendIntegers(std::vector<int64_t> &values);
  void appendFloats(std::vector<float> &values);
  /// The bytes of a packed field of elements of `size` bytes; if it is not
  /// packed, or there is more than one such field, they go through `kept`.
  void appendFixed(unsigned size, llvm::StringRef &bytes, std::string &kept);
  /// A reader of the message that is the value.
  WireReader message();

  void fail(const std::string &message);

private:
  enum Form { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };
  uint64_t readVarint();
  bool expect(Form wanted);

  const char *at, *end, *begin, *start = nullptr;
  WireFault &fault;
  unsigned number = 0;
  Form form = Varint;
  uint64_t scalar = 0;
  llvm::StringRef bytes;
};

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_LIB_IMPORT_ONNX_WIREREADER_H
