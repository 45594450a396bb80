//===- WireReader.cpp - The wire format of protocol buffers ---------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A field is a key, which holds its number and form, and a value of that form.
//
//===----------------------------------------------------------------------===//

#include "WireReader.h"

#include "llvm/Support/Endian.h"
#include <cstring>

using namespace mlir::symshape::onnx;
using llvm::StringRef;

void WireReader::fail(const std::string &message) {
  if (!fault.found)
    fault = {true, static_cast<uint64_t>((start ? start : at) - begin),
             message};
  at = end;
}

uint64_t WireReader::readVarint() {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    if (at == end) {
      fail("expected a number, but the message ends");
      return 0;
    }
    uint8_t byte = *at++;
    if (shift == 63 && byte > 1)
      break;
    value |= uint64_t(byte & 127) << shift;
    if (byte < 128)
      return value;
  }
  fail("expected a number of 64 bits, but got a longer one");
  return 0;
}

bool WireReader::next() {
  if (fault.found || at == end)
    return false;
  start = at;
  uint64_t key = readVarint();
  number = key >> 3;
  form = static_cast<Form>(key & 7);
  if (fault.found)
    return false;
  if (key >> 3 == 0 || key >> 32 != 0) {
    fail("expected the number of a field, but got " + std::to_string(key >> 3));
    return false;
  }
  uint64_t left = end - at, size = 0;
  switch (form) {
  case Varint:
    scalar = readVarint();
    return !fault.found;
  case Fixed64:
    size = 8;
    break;
  case Fixed32:
    size = 4;
    break;
  case Bytes:
    size = readVarint();
    if (fault.found)
      return false;
    left = end - at;
    break;
  default:
    fail("expected a field of a known form, but got form " +
         std::to_string(key & 7));
    return false;
  }
  if (size > left) {
    fail("expected " + std::to_string(size) +
         " bytes, but the message ends after " + std::to_string(left));
    return false;
  }
  bytes = StringRef(at, size);
  at += size;
  return true;
}

bool WireReader::expect(Form wanted) {
  if (form == wanted)
    return true;
  fail("expected field " + std::to_string(number) + " to have form " +
       std::to_string(wanted) + ", but got form " + std::to_string(form));
  return false;
}

int64_t WireReader::integer() { return expect(Varint) ? scalar : 0; }

float WireReader::number32() {
  if (!expect(Fixed32))
    return 0;
  uint32_t bits = llvm::support::endian::read32le(bytes.data());
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

StringRef WireReader::text() { return expect(Bytes) ? bytes : StringRef(); }

void WireReader::appendIntegers(std::vector<int64_t> &values) {
  if (form != Bytes) {
    values.push_back(integer());
    return;
  }
  WireReader packed(bytes, begin, fault);
  packed.start = start;
  while (!fault.found && packed.at != packed.end)
    values.push_back(packed.readVarint());
}

void WireReader::appendFloats(std::vector<float> &values) {
  if (form != Bytes) {
    values.push_back(number32());
    return;
  }
  if (bytes.size() % 4)
    return fail("expected packed floats, but got " +
                std::to_string(bytes.size()) + " bytes");
  size_t first = values.size();
  values.resize(first + bytes.size() / 4);
  if (!bytes.empty())
    std::memcpy(values.data() + first, bytes.data(), bytes.size());
}

void WireReader::appendFixed(unsigned size, StringRef &all, std::string &kept) {
  if (form == Varint || (form == Fixed32 && size != 4) ||
      (form == Fixed64 && size != 8) || bytes.size() % size)
    return fail("expected elements of " + std::to_string(size) + " bytes");
  if (all.empty() && kept.empty()) {
    all = bytes;
    return;
  }
  if (kept.empty())
    kept = all.str();
  kept += bytes;
  all = StringRef();
}

WireReader WireReader::message() {
  expect(Bytes);
  return WireReader(fault.found ? StringRef() : bytes, begin, fault);
}
