//===- InputSpecTest.cpp - Inputs described in text -----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The language of --input, and what it fills in.
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/InputSpec.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace mlir::symshape;

namespace {

std::string load(llvm::StringRef text) {
  llvm::Expected<InputSpec> spec = InputSpec::parse(text);
  if (!spec)
    return "error: " + llvm::toString(spec.takeError());
  llvm::Expected<TensorBuffer> tensor = spec->load();
  if (!tensor)
    return "error: " + llvm::toString(tensor.takeError());
  std::string result;
  llvm::raw_string_ostream os(result);
  printTensor(os, *tensor);
  return result;
}

TEST(InputSpecTest, fills) {
  EXPECT_EQ(load("2x3xi64=iota"), "2x3xi64: [[0, 1, 2], [3, 4, 5]]");
  EXPECT_EQ(load("2xf16=iota"), "2xf16: [0, 1]");
  EXPECT_EQ(load("2x1xf32=zeros"), "2x1xf32: [[0], [0]]");
  EXPECT_EQ(load("3xi1=iota"), "3xi1: [false, true, true]");
  EXPECT_EQ(load("0x3xf32=random:1"), "0x3xf32: []");
  EXPECT_EQ(load("2xindex=iota"), "2xindex: [0, 1]");
  // Integers of other widths are stored in the next wider one.
  EXPECT_EQ(load("2xi4=iota"), "2xi8: [0, 1]");
  EXPECT_EQ(load("2xi9=iota"), "2xi16: [0, 1]");
  EXPECT_EQ(load("i48=-140737488355328"), "i64: -140737488355328");
  for (const char *type : {"i0", "i65", "i", "si48", "ui4", "i4x"})
    EXPECT_NE(load(std::string("2x") + type + "=iota").find("error"),
              std::string::npos);
}

TEST(InputSpecTest, readsScalars) {
  EXPECT_EQ(load("i64=5"), "i64: 5");
  EXPECT_EQ(load("i8=-128"), "i8: -128");
  EXPECT_EQ(load("ui64=18446744073709551615"), "ui64: 18446744073709551615");
  EXPECT_EQ(load("f32=-1.5e3"), "f32: -1500");
  EXPECT_EQ(load("f64=-inf"), "f64: -inf");
  EXPECT_EQ(load("bf16=nan"), "bf16: nan");
  EXPECT_EQ(load("i1=true"), "i1: true");
  EXPECT_EQ(load("index=-3"), "index: -3");
}

TEST(InputSpecTest, readsValues) {
  EXPECT_EQ(load("2x2xf32=[[1, 2], [3, -4.5]]"),
            "2x2xf32: [[1, 2], [3, -4.5]]");
  EXPECT_EQ(load("3xi8=[-128,0,127]"), "3xi8: [-128, 0, 127]");
  EXPECT_EQ(load("1x2x1xi64= [ [[5] ,[ 6 ]] ] "), "error: input '1x2x1xi64= [ "
                                                  "[[5] ,[ 6 ]] ] ': expected "
                                                  "random:SEED, zeros, iota or "
                                                  "[VALUES] for a tensor, but "
                                                  "got ' [ [[5] ,[ 6 ]] ] '");
  EXPECT_EQ(load("1x2x1xi64=[ [[5] ,[ 6 ]] ] "), "1x2x1xi64: [[[5], [6]]]");
  EXPECT_EQ(load("2xi1=[true, 0]"), "2xi1: [true, false]");
  EXPECT_EQ(load("2xf64=[inf, nan]"), "2xf64: [inf, nan]");
  EXPECT_EQ(load("0x3xf32=[]"), "0x3xf32: []");
  EXPECT_EQ(load("2x0xf32=[[], []]"), load("2x0xf32=zeros"));
  const std::pair<const char *, const char *> wrong[] = {
      {"2xf32=[1]", "expected 2 entries along dimension 0, but got 1"},
      {"2xf32=[]", "expected 2 entries along dimension 0, but got 0"},
      {"2xf32=[1, 2", "expected ',' or ']' after a value, but got ''"},
      {"2xf32=[1 2]", "expected values of type f32, but got '1 2'"},
      {"2xf32=[1, 2,]", "expected values of type f32, but got ''"},
      {"2xf32=[1, 2]]", "expected nothing after the last bracket, but got ']'"},
      {"2xf32=[[1, 2]]", "expected values in 1 brackets, one for each "
                         "dimension, but got 2"},
      {"2x2xf32=[1, 2]", "expected values in 2 brackets, one for each "
                         "dimension, but got 1"},
      {"2x2xf32=[[1, 2], [3]]", "expected 2 entries along dimension 1, but got "
                                "1"},
      {"2x2xf32=[[1, 2], []]", "expected 2 entries along dimension 1, but got "
                               "0"},
      {"1xi8=[128]", "expected values of type i8, but got '128'"},
      {"1xi64=[1.5]", "expected values of type i64, but got '1.5'"},
      {"f32=[1]", "expected a value of type f32"}};
  for (auto [text, message] : wrong)
    EXPECT_NE(load(text).find(message), std::string::npos)
        << text << ": " << load(text);
}

TEST(InputSpecTest, randomStaysInItsRange) {
  EXPECT_EQ(load("4xf32=random:7"), load("4xf32=random:7"));
  EXPECT_NE(load("4xf32=random:7"), load("4xf32=random:8"));
  for (const char *text :
       {"1000xf32=random:1", "1000xf64=random:2", "1000xf16=random:3",
        "1000xbf16=random:4", "1000xf32=random:5:-1:1"}) {
    auto tensor = cantFail(cantFail(InputSpec::parse(text)).load());
    double sum = 0;
    for (int64_t i = 0; i < 1000; ++i) {
      double value = readAsDouble(tensor.getElementType(),
                                  tensor.getData() +
                                      i * tensor.getElementType().getBytes());
      EXPECT_GE(value, -1);
      EXPECT_LT(value, 1);
      sum += value;
    }
    EXPECT_LT(std::abs(sum), 100);
  }
  auto tensor =
      cantFail(cantFail(InputSpec::parse("1000xi64=random:1")).load());
  int64_t ones = 0;
  for (int64_t i = 0; i < 1000; ++i) {
    double value =
        readAsDouble(tensor.getElementType(), tensor.getData() + 8 * i);
    EXPECT_TRUE(value == 0 || value == 1);
    ones += value == 1;
  }
  EXPECT_GT(ones, 400);
  EXPECT_LT(ones, 600);
  EXPECT_EQ(load("3xi64=random:1:-5:-4"), "3xi64: [-5, -5, -5]");
}

TEST(InputSpecTest, refuses) {
  for (const char *text : {"",
                           "@",
                           "@x.txt",
                           "2x3xf32",
                           "2x3xf32=",
                           "2x3xf32=1",
                           "x3xf32=zeros",
                           "2xx3xf32=zeros",
                           "-2xf32=zeros",
                           "2x3x=zeros",
                           "2xf31=zeros",
                           "99999999999999999999xf32=zeros",
                           "4294967296x4294967296xf32=zeros",
                           "f32=random",
                           "f32=random:",
                           "f32=random:-1",
                           "f32=random:1:2",
                           "f32=random:1:2:1",
                           "f32=random:1:2:2",
                           "f32=random:1:0:inf",
                           "f32=random:1:2:3:4",
                           "i8=random:1:0:300",
                           "i64=random:1:0:1.5",
                           "i64=1.5",
                           "i8=128",
                           "i1=2",
                           "ui8=-1",
                           "f32=one",
                           "2xf32=ones"})
    EXPECT_EQ(load(text).substr(0, 5), "error") << text;
  EXPECT_EQ(load("2xf31=zeros"),
            "error: input '2xf31=zeros': expected an element type such as f32, "
            "i64, i1 or index, but got 'f31'");
  EXPECT_NE(load("@/nonexistent.npy").find("cannot read '/nonexistent.npy'"),
            std::string::npos);
}

} // namespace
