//===- SafeTensorsTest.cpp - Weight files ---------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Good files, and hostile ones.
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/SafeTensors.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <cstdio>
#include <fstream>

using namespace mlir::symshape;

namespace {

std::string makeFile(llvm::StringRef header, llvm::StringRef data) {
  char length[8];
  llvm::support::endian::write64le(length, header.size());
  return std::string(length, 8) + header.str() + data.str();
}

llvm::Expected<SafeTensors> parse(llvm::StringRef bytes) {
  return SafeTensors::parse(
      llvm::MemoryBuffer::getMemBufferCopy(bytes, "weights"));
}

/// The tensor `name` of a file, or the error, as text.
std::string get(llvm::StringRef bytes, llvm::StringRef name = "w") {
  llvm::Expected<SafeTensors> file = parse(bytes);
  if (!file)
    return "error: " + llvm::toString(file.takeError());
  llvm::Expected<TensorBuffer> tensor = file->get(name);
  if (!tensor)
    return "error: " + llvm::toString(tensor.takeError());
  std::string text;
  llvm::raw_string_ostream os(text);
  printTensor(os, *tensor);
  return text;
}

std::string entry(llvm::StringRef dtype, llvm::StringRef shape,
                  llvm::StringRef offsets) {
  return ("{\"w\": {\"dtype\": \"" + dtype + "\", \"shape\": " + shape +
          ", \"data_offsets\": " + offsets + "}}")
      .str();
}

TEST(SafeTensorsTest, readsTypes) {
  llvm::StringRef data("\x80\xbf\1\2\3\4\5\6", 8);
  auto read = [&](llvm::StringRef dtype, llvm::StringRef offsets) {
    return get(makeFile(entry(dtype, "[1]", offsets), data));
  };
  EXPECT_EQ(read("BF16", "[0, 2]"), "1xbf16: [-1]");
  EXPECT_EQ(read("I8", "[1, 2]"), "1xi8: [-65]");
  EXPECT_EQ(read("U8", "[1, 2]"), "1xui8: [191]");
  EXPECT_EQ(read("BOOL", "[7, 8]"), "1xi1: [true]");
  EXPECT_EQ(read("I16", "[2, 4]"), "1xi16: [513]");
  EXPECT_EQ(read("I16", "[3, 5]"), "1xi16: [770]"); // not aligned: a copy
  EXPECT_EQ(read("F8_E4M3", "[0, 1]"),
            "error: tensor 'w' has dtype F8_E4M3, which is not supported");
}

TEST(SafeTensorsTest, readsSeveralTensorsAndMetadata) {
  std::string file = makeFile(
      "{\"__metadata__\": {\"format\": \"pt\"},"
      " \"b\": {\"dtype\": \"U8\", \"shape\": [2, 2], \"data_offsets\": [1, "
      "5]},"
      " \"a\": {\"dtype\": \"U8\", \"shape\": [], \"data_offsets\": [0, 1]},"
      " \"z\": {\"dtype\": \"F32\", \"shape\": [0, 3], \"data_offsets\": [5, "
      "5]}}",
      "\1\2\3\4\5");
  EXPECT_EQ(get(file, "a"), "ui8: 1");
  EXPECT_EQ(get(file, "b"), "2x2xui8: [[2, 3], [4, 5]]");
  EXPECT_EQ(get(file, "z"), "0x3xf32: []");
  EXPECT_EQ(get(file, "c"),
            "error: expected a tensor 'c' in the weights, but there is none");
}

TEST(SafeTensorsTest, refusesBrokenFiles) {
  std::string good = makeFile(entry("F32", "[2]", "[0, 8]"), "12345678");
  ASSERT_EQ(get(good).find("error"), std::string::npos);
  for (size_t i = 0; i < good.size(); ++i)
    EXPECT_EQ(get(llvm::StringRef(good).take_front(i)).substr(0, 5), "error");
  for (llvm::StringRef header :
       {"", "[]", "1", "{", "{\"w\": 1}", "{\"w\": {}}", "{\"w\": []}",
        "\xff\xfe", "{\"w\": {\"dtype\": 1}}"})
    EXPECT_EQ(get(makeFile(header, "")).substr(0, 5), "error") << header.str();
}

TEST(SafeTensorsTest, refusesDataOutsideOfTheFile) {
  EXPECT_EQ(
      get(makeFile(entry("F32", "[2]", "[0, 8]"), "1234567")),
      "error: expected the data of tensor 'w' inside the 7 bytes of data, "
      "but got [0, 8)");
  for (llvm::StringRef offsets :
       {"[8, 0]", "[-8, 0]", "[0]", "[0, 8, 9]", "[0, 1e300]", "[0.5, 8.5]",
        "[9223372036854775807, 9223372036854775807]", "\"x\"", "null"})
    EXPECT_EQ(
        get(makeFile(entry("F32", "[2]", offsets), "12345678")).substr(0, 5),
        "error")
        << offsets.str();
}

TEST(SafeTensorsTest, refusesLengthsThatDisagree) {
  EXPECT_EQ(get(makeFile(entry("F32", "[3]", "[0, 8]"), "12345678")),
            "error: expected the data of tensor 'w' to hold 3xf32, but got 8 "
            "bytes");
  for (llvm::StringRef shape :
       {"[-2]", "[4294967296, 4294967296, 2]", "[\"2\"]", "2", "[[2]]"})
    EXPECT_EQ(
        get(makeFile(entry("F32", shape, "[0, 8]"), "12345678")).substr(0, 5),
        "error")
        << shape.str();
}

TEST(SafeTensorsTest, refusesDeepNesting) {
  std::string deep = "{\"w\": " + std::string(1 << 20, '[') + "}";
  EXPECT_EQ(get(makeFile(deep, "")),
            "error: malformed header: nested too deep");
  // Brackets in strings do not nest.
  std::string name(100, '[');
  EXPECT_EQ(get(makeFile("{\"" + name +
                             "\\\"\": {\"dtype\": \"U8\", \"shape\": [], "
                             "\"data_offsets\": [0, 1]}}",
                         "\1"),
                name + "\""),
            "ui8: 1");
}

TEST(SafeTensorsTest, refusesHugeHeaders) {
  char length[8];
  llvm::support::endian::write64le(length, ~uint64_t(0));
  EXPECT_EQ(get(std::string(length, 8) + "{}").substr(0, 5), "error");
}

/// Elements stay what they are, whether their memory can be released or not.
TEST(SafeTensorsTest, releasesPagesAndReadsAgain) {
  constexpr int64_t count = 1 << 20; // large enough to be mapped
  std::string data(count, '\0');
  for (int64_t i = 0; i < count; ++i)
    data[i] = static_cast<char>(i * 7);
  std::string bytes = makeFile(entry("I8", "[1048576]", "[0, 1048576]"), data);
  std::string path = testing::TempDir() + "releases-pages.safetensors";
  std::ofstream(path, std::ios::binary) << bytes;
  auto mapped = SafeTensors::open(path);
  auto copied = SafeTensors::parse(llvm::MemoryBuffer::getMemBufferCopy(bytes));
  std::remove(path.c_str());
  ASSERT_TRUE(bool(mapped) && bool(copied));
  for (const SafeTensors *file : {&*mapped, &*copied}) {
    auto tensor = file->get("w");
    ASSERT_TRUE(bool(tensor));
    file->releasePages();
    EXPECT_EQ(llvm::StringRef(tensor->getData(), count), data);
  }
}

TEST(SafeTensorsTest, namesTheFile) {
  llvm::Expected<SafeTensors> file =
      SafeTensors::open("/nonexistent.safetensors");
  ASSERT_FALSE(bool(file));
  EXPECT_NE(llvm::toString(file.takeError()).find("'/nonexistent.safetensors'"),
            std::string::npos);
}

} // namespace
