//===- NpyTest.cpp - Files of NumPy's .npy format -------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Good files of every kind, and broken ones.
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/Npy.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace mlir::symshape;

namespace {

/// The bytes of a file with this header and data.
std::string makeNpy(llvm::StringRef header, llvm::StringRef data,
                    unsigned version = 1) {
  std::string bytes("\x93NUMPY", 6);
  bytes += static_cast<char>(version);
  bytes += '\0';
  char length[4];
  llvm::support::endian::write32le(length, header.size());
  bytes.append(length, version == 1 ? 2 : 4);
  return bytes + header.str() + data.str();
}

std::string header(llvm::StringRef descr, llvm::StringRef shape,
                   bool fortran = false) {
  return ("{'descr': '" + descr + "', 'fortran_order': " +
          (fortran ? "True" : "False") + ", 'shape': " + shape + ", }   \n")
      .str();
}

std::string print(llvm::Expected<TensorBuffer> tensor) {
  if (!tensor)
    return "error: " + llvm::toString(tensor.takeError());
  std::string text;
  llvm::raw_string_ostream os(text);
  printTensor(os, *tensor);
  return text;
}

llvm::StringRef bytes(const char *data, size_t size) { return {data, size}; }

TEST(NpyTest, readsVersions) {
  for (unsigned version : {1, 2, 3})
    EXPECT_EQ(
        print(parseNpy(makeNpy(header("|i1", "(3,)"), "\1\2\3", version))),
        "3xi8: [1, 2, 3]");
}

TEST(NpyTest, readsTypes) {
  auto one = [](llvm::StringRef descr, llvm::StringRef data) {
    return print(parseNpy(makeNpy(header(descr, "()"), data)));
  };
  EXPECT_EQ(one("|b1", "\2"), "i1: true");
  EXPECT_EQ(one("<i2", "\xfe\xff"), "i16: -2");
  EXPECT_EQ(one("<u2", "\xfe\xff"), "ui16: 65534");
  EXPECT_EQ(one("<i4", bytes("\1\0\0\0", 4)), "i32: 1");
  EXPECT_EQ(one("<u8", "\xff\xff\xff\xff\xff\xff\xff\xff"),
            "ui64: 18446744073709551615");
  EXPECT_EQ(one("<f2", bytes("\0\x3e", 2)), "f16: 1.5");
  EXPECT_EQ(one("<f4", bytes("\0\0\xc0\x7f", 4)), "f32: nan");
  EXPECT_EQ(one("<f8", bytes("\0\0\0\0\0\0\xf0\xff", 8)), "f64: -inf");
}

TEST(NpyTest, swapsBytes) {
  EXPECT_EQ(print(parseNpy(
                makeNpy(header(">i4", "(2,)"), bytes("\0\0\0\1\0\0\1\0", 8)))),
            "2xi32: [1, 256]");
}

TEST(NpyTest, transposesFortranOrder) {
  EXPECT_EQ(
      print(parseNpy(makeNpy(header("|i1", "(2, 3)", true), "\1\4\2\5\3\6"))),
      "2x3xi8: [[1, 2, 3], [4, 5, 6]]");
  EXPECT_EQ(print(parseNpy(makeNpy(header("|i1", "(2, 2, 2)", true),
                                   bytes("\0\4\2\6\1\5\3\7", 8)))),
            "2x2x2xi8: [[[0, 1], [2, 3]], [[4, 5], [6, 7]]]");
}

TEST(NpyTest, readsEmptyArrays) {
  EXPECT_EQ(print(parseNpy(makeNpy(header("<f4", "(0, 7)"), ""))),
            "0x7xf32: []");
  EXPECT_EQ(print(parseNpy(makeNpy(header("<f4", "(0, 7)", true), ""))),
            "0x7xf32: []");
}

TEST(NpyTest, readsEmptyArraysOfHugeExtents) {
  for (bool fortran : {false, true})
    for (llvm::StringRef shape :
         {"(0, 4611686018427387904, 4611686018427387904)",
          "(9223372036854775807, 9223372036854775807, 0)",
          "(9223372036854775807, 0, 3, 9223372036854775807)"})
      EXPECT_EQ(print(parseNpy(makeNpy(header("<f8", shape, fortran), "")))
                        .substr(0, 5) == "error",
                false)
          << shape.str();
}

/// The header of the file that is written for this shape.
std::string writtenHeader(llvm::ArrayRef<int64_t> shape) {
  llvm::SmallString<128> path;
  EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("written", "npy", path));
  llvm::FileRemover remover(path);
  auto tensor =
      cantFail(TensorBuffer::allocate(*ElementType::parse("i8"), shape));
  std::memset(tensor.getData(), 0, tensor.getNumBytes());
  cantFail(writeNpy(path, tensor));
  auto file = llvm::MemoryBuffer::getFile(path);
  llvm::StringRef bytes = (*file)->getBuffer();
  uint16_t length = llvm::support::endian::read16le(bytes.data() + 8);
  EXPECT_EQ((10 + length) % 64, 0u);
  EXPECT_EQ(bytes[9 + length], '\n');
  EXPECT_EQ(print(parseNpy(bytes)), print(std::move(tensor)));
  return bytes.substr(10, length).rtrim().str();
}

TEST(NpyTest, writesShapesAsPythonDoes) {
  llvm::StringRef before = "{'descr': '|i1', 'fortran_order': False, 'shape': ";
  for (auto &[shape, text] :
       std::vector<std::pair<std::vector<int64_t>, llvm::StringRef>>{
           {{}, "()"},
           {{8}, "(8,)"},
           {{0}, "(0,)"},
           {{2, 3}, "(2, 3)"},
           {{1, 0, 5}, "(1, 0, 5)"},
           {{1, 1, 1, 1, 1, 1}, "(1, 1, 1, 1, 1, 1)"}})
    EXPECT_EQ(writtenHeader(shape), (before + text + ", }").str());
}

TEST(NpyTest, readsKeysInAnyOrder) {
  EXPECT_EQ(
      print(parseNpy(makeNpy(
          "{\"shape\": (1L,), 'fortran_order':True,'descr':\"|u1\"}", "\7"))),
      "1xui8: [7]");
}

TEST(NpyTest, refusesBrokenFiles) {
  std::string good = makeNpy(header("<f4", "(2, 3)"), std::string(24, '\0'));
  ASSERT_EQ(print(parseNpy(good)).find("error"), std::string::npos);
  // Every proper prefix is an error, never a crash.
  for (size_t i = 0; i < good.size(); ++i)
    EXPECT_EQ(print(parseNpy(bytes(good.data(), i))).substr(0, 5), "error");
  for (llvm::StringRef text :
       {"", "{", "{}", "{'descr': '<f4'}", "{'shape': (1,)", "{'shape': (-1,)}",
        "{'shape': (1 2)}", "{'shape': (99999999999999999999,)}",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': ()}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': ()} x",
        "{'other': 1}"})
    EXPECT_EQ(print(parseNpy(makeNpy(text, ""))).substr(0, 5), "error")
        << text.str();
  for (llvm::StringRef descr : {"<c8", "|O", "<U4", "<f1", "<i3", "", "<f16"})
    EXPECT_EQ(print(parseNpy(makeNpy(header(descr, "()"), "\1"))).substr(0, 5),
              "error")
        << descr.str();
}

TEST(NpyTest, refusesSizesThatOverflow) {
  EXPECT_EQ(
      print(parseNpy(makeNpy(header("<f4", "(4294967296, 4294967296)"), ""))),
      "error: expected data for 4294967296x4294967296xf32, but got 0 "
      "bytes");
}

TEST(NpyTest, refusesWrongLengths) {
  EXPECT_EQ(print(parseNpy(makeNpy(header("<f4", "(2,)"), "1234567"))),
            "error: expected data for 2xf32, but got 7 bytes");
  EXPECT_EQ(print(parseNpy(makeNpy(header("<f4", "(2,)"), "123456789"))),
            "error: expected data for 2xf32, but got 9 bytes");
}

TEST(NpyTest, roundTrips) {
  std::string path = testing::TempDir() + "/symshape-roundtrip.npy";
  const std::vector<std::vector<int64_t>> shapes{{}, {3}, {2, 0}, {2, 1, 3}};
  for (const char *name : {"i1", "i8", "i16", "i32", "i64", "ui8", "ui64",
                           "f16", "bf16", "f32", "f64"})
    for (const std::vector<int64_t> &shape : shapes) {
      ElementType type = *ElementType::parse(name);
      auto tensor = TensorBuffer::allocate(type, shape);
      ASSERT_TRUE(bool(tensor));
      char *data = tensor->getData();
      for (int64_t i = 0; i < tensor->getNumElements(); ++i) {
        if (type.isFloat())
          writeFloat(type, i - 1.5, data);
        else
          writeInteger(type, i - 1, data);
        data += type.getBytes();
      }
      ASSERT_FALSE(bool(writeNpy(path, *tensor)));
      auto again = readNpy(path);
      ASSERT_TRUE(bool(again));
      EXPECT_TRUE(again->isIdentical(*tensor));
    }
}

TEST(NpyTest, saysWhatCannotBeWritten) {
  auto tensor = TensorBuffer::allocate(*ElementType::parse("f32"), {1});
  EXPECT_NE(llvm::toString(writeNpy("/nonexistent/x.npy", *tensor))
                .find("cannot write '/nonexistent/x.npy'"),
            std::string::npos);
}

} // namespace
