//===- ExecutionTest.cpp - Programs through the C API ---------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles, calls at several shapes, and fails in every way that has a status.
//
//===----------------------------------------------------------------------===//

#include "symshape-c/Execution.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <cstdio>
#include <fstream>
#include <memory>
#include <unistd.h>
#include <vector>

namespace {

using ::testing::HasSubstr;

struct Destroy {
  void operator()(symshape_program *program) { symshape_destroy(program); }
};
using ProgramPtr = std::unique_ptr<symshape_program, Destroy>;

/// A file that lives as long as this object.
struct TemporaryFile {
  explicit TemporaryFile(const std::string &text) {
    int descriptor = mkstemp(path.data());
    EXPECT_GE(descriptor, 0);
    close(descriptor);
    std::ofstream(path, std::ios::binary) << text;
  }
  ~TemporaryFile() { std::remove(path.c_str()); }
  std::string path = testing::TempDir() + "symshape-XXXXXX";
};

ProgramPtr compile(const std::string &text, symshape_options options = {}) {
  TemporaryFile file(text);
  options.size = sizeof(options);
  return ProgramPtr(symshape_compile(file.path.c_str(), &options));
}

symshape_tensor input(symshape_type type, std::vector<int64_t> extents,
                      void *data) {
  symshape_tensor tensor = {};
  tensor.data = data;
  tensor.type = type;
  tensor.rank = extents.size();
  std::copy(extents.begin(), extents.end(), tensor.extents);
  return tensor;
}

std::string lastError() { return symshape_last_error(nullptr); }

/// Adds two vectors that must be of one length.
const char *const addition = R"(
  func.func @add(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>},
                 %y: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
      -> tensor<?xf32> {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?xf32>
    %e = tensor.empty(%n) : tensor<?xf32>
    %s = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>)
                    outs(%e : tensor<?xf32>) -> tensor<?xf32>
    return %s : tensor<?xf32>
  })";

class AdditionTest : public ::testing::Test {
protected:
  AdditionTest() {
    symshape_options options = {};
    options.entry = "add";
    program = compile(addition, options);
  }
  ~AdditionTest() override { symshape_release_results(&result, 1); }

  symshape_status call(std::vector<int64_t> x, std::vector<int64_t> y,
                       symshape_type type = SYMSHAPE_F32) {
    symshape_tensor inputs[] = {input(type, x, ones), input(type, y, ones)};
    return symshape_call(program.get(), inputs, 2, &result, 1);
  }

  float ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  ProgramPtr program;
  symshape_tensor result = {};
};

TEST_F(AdditionTest, callsAtSeveralShapes) {
  ASSERT_TRUE(program) << lastError();
  EXPECT_EQ(symshape_num_inputs(program.get()), 2);
  EXPECT_EQ(symshape_num_results(program.get()), 1);
  EXPECT_GT(symshape_get_times(program.get()).jit, 0);
  for (int64_t n : {3, 0, 1, 8}) {
    ASSERT_EQ(call({n}, {n}), SYMSHAPE_OK) << lastError();
    EXPECT_EQ(result.type, SYMSHAPE_F32);
    ASSERT_EQ(result.rank, 1);
    ASSERT_EQ(result.extents[0], n);
    for (int64_t i = 0; i < n; ++i)
      EXPECT_EQ(static_cast<float *>(result.data)[i], 2.0f);
  }
}

TEST_F(AdditionTest, freesWhatResultsHold) {
  ASSERT_TRUE(program) << lastError();
  int64_t before = symshape_get_memory().live_bytes;
  ASSERT_EQ(call({4}, {4}), SYMSHAPE_OK);
  int64_t held = symshape_get_memory().live_bytes;
  EXPECT_GE(held, before + 16);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(call({4}, {4}), SYMSHAPE_OK);
    EXPECT_EQ(symshape_get_memory().live_bytes, held);
  }
  symshape_reset_peak();
  EXPECT_EQ(symshape_get_memory().peak_bytes, held);
  symshape_release_results(&result, 1);
  EXPECT_EQ(symshape_get_memory().live_bytes, before);
  EXPECT_EQ(result.data, nullptr);
}

TEST_F(AdditionTest, resultsOutliveTheProgram) {
  ASSERT_TRUE(program) << lastError();
  ASSERT_EQ(call({4}, {4}), SYMSHAPE_OK);
  program.reset();
  EXPECT_EQ(static_cast<float *>(result.data)[3], 2.0f);
}

TEST_F(AdditionTest, reportsAFailedGuard) {
  ASSERT_TRUE(program) << lastError();
  ASSERT_EQ(call({4}, {4}), SYMSHAPE_OK);
  EXPECT_EQ(call({3}, {4}), SYMSHAPE_GUARD_FAILED);
  symshape_status status;
  EXPECT_THAT(symshape_last_error(&status), HasSubstr("@add: guard failed"));
  EXPECT_EQ(status, SYMSHAPE_GUARD_FAILED);
  EXPECT_EQ(result.data, nullptr);
  EXPECT_EQ(call({4}, {4}), SYMSHAPE_OK); // may be called again
}

TEST_F(AdditionTest, reportsBadInputs) {
  ASSERT_TRUE(program) << lastError();
  EXPECT_EQ(call({4}, {4}, SYMSHAPE_F64), SYMSHAPE_BAD_INPUT);
  EXPECT_EQ(lastError(), "@add: expected ?xf32 for %x, but got 4xf64\n"
                         "@add: expected ?xf32 for %y, but got 4xf64");
  EXPECT_EQ(call({4, 1}, {4}), SYMSHAPE_BAD_INPUT);
  EXPECT_EQ(lastError(), "@add: expected ?xf32 for %x, but got 4x1xf32");
  EXPECT_EQ(call({4}, {-1}), SYMSHAPE_BAD_INPUT);
  EXPECT_EQ(lastError(), "input 1: expected extents from 0 and a size of at "
                         "most 2^47 bytes");
  EXPECT_EQ(call({4}, {4}, static_cast<symshape_type>(99)), SYMSHAPE_BAD_INPUT);
  EXPECT_EQ(lastError(),
            "input 0: expected a type of symshape_type, but got 99");
  symshape_tensor deep = input(SYMSHAPE_F32, {4}, ones);
  deep.rank = SYMSHAPE_MAX_RANK + 1;
  EXPECT_EQ(symshape_call(program.get(), &deep, 1, &result, 1),
            SYMSHAPE_BAD_INPUT);
  EXPECT_EQ(lastError(), "input 0: expected a rank from 0 to 16, but got 17");
  EXPECT_EQ(symshape_call(program.get(), nullptr, 0, &result, 1),
            SYMSHAPE_BAD_INPUT);
  EXPECT_THAT(lastError(), HasSubstr("@add: expected 2 inputs, but got 0: "));
  EXPECT_EQ(symshape_call(program.get(), nullptr, 0, nullptr, 0),
            SYMSHAPE_BAD_INPUT);
  EXPECT_EQ(lastError(), "@add: expected 1 results, but got 0");
}

TEST(ExecutionTest, passesScalarsAndRepeatedResults) {
  ProgramPtr program = compile(R"(
    func.func @main(%n: index, %b: i1, %t: tensor<2xi8>)
        -> (tensor<2xi8>, index, tensor<2xi8>, i1) {
      return %t, %n, %t, %b : tensor<2xi8>, index, tensor<2xi8>, i1
    })");
  ASSERT_TRUE(program) << lastError();
  int64_t n = -5;
  uint8_t b = 1;
  int8_t t[2] = {3, 4};
  symshape_tensor inputs[] = {input(SYMSHAPE_INDEX, {}, &n),
                              input(SYMSHAPE_BOOL, {}, &b),
                              input(SYMSHAPE_I8, {2}, t)};
  symshape_tensor results[4] = {};
  ASSERT_EQ(symshape_call(program.get(), inputs, 3, results, 4), SYMSHAPE_OK)
      << lastError();
  EXPECT_EQ(static_cast<int8_t *>(results[0].data)[1], 4);
  EXPECT_EQ(*static_cast<int64_t *>(results[1].data), -5);
  EXPECT_EQ(results[1].type, SYMSHAPE_INDEX);
  EXPECT_EQ(static_cast<int8_t *>(results[2].data)[0], 3);
  EXPECT_NE(results[0].data, results[2].data);
  EXPECT_NE(results[0].data, t);
  EXPECT_EQ(*static_cast<uint8_t *>(results[3].data), 1);
  symshape_release_results(results, 4);
}

TEST(ExecutionTest, bindsWeights) {
  const char *text = R"(
    func.func @main(%x: tensor<?xf32>, %w: f32 {symshape.weight = "w"})
        -> tensor<?xf32> {
      %c0 = arith.constant 0 : index
      %n = tensor.dim %x, %c0 : tensor<?xf32>
      %e = tensor.empty(%n) : tensor<?xf32>
      %s = linalg.fill ins(%w : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
      return %s : tensor<?xf32>
    })";
  EXPECT_FALSE(compile(text));
  EXPECT_EQ(
      lastError(),
      "@main: %w is the weight 'w', but no weights are given (--weights)");
  std::string header =
      R"({"w": {"dtype": "F32", "shape": [], "data_offsets": [0, 4]}})";
  std::string bytes(8, '\0');
  bytes[0] = header.size();
  bytes += header;
  float value = 2.5f;
  bytes.append(reinterpret_cast<char *>(&value), sizeof(value));
  TemporaryFile file(bytes);
  symshape_options options = {};
  options.weights = file.path.c_str();
  ProgramPtr program = compile(text, options);
  ASSERT_TRUE(program) << lastError();
  EXPECT_EQ(symshape_num_inputs(program.get()), 1);
  float zero = 0;
  symshape_tensor x = input(SYMSHAPE_F32, {1}, &zero), result = {};
  ASSERT_EQ(symshape_call(program.get(), &x, 1, &result, 1), SYMSHAPE_OK);
  EXPECT_EQ(*static_cast<float *>(result.data), 2.5f);
  symshape_release_results(&result, 1);
}

TEST(ExecutionTest, reportsProgramsThatCannotBeCompiled) {
  EXPECT_FALSE(symshape_compile("/nonexistent.mlir", nullptr));
  symshape_status status;
  EXPECT_THAT(symshape_last_error(&status), HasSubstr("/nonexistent.mlir"));
  EXPECT_EQ(status, SYMSHAPE_BAD_INPUT);
  EXPECT_FALSE(compile("func.func @f() { return } func.func @g() { return }"));
  EXPECT_EQ(lastError(), "expected a function @main with a body, but there is "
                         "none; public: @f, @g");
  symshape_last_error(&status);
  EXPECT_EQ(status, SYMSHAPE_CANNOT_COMPILE);
}

TEST(ExecutionTest, guardsCanBeLeftOut) {
  symshape_options options = {};
  options.no_guards = 1;
  const char *text = R"(
    func.func @main(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>},
                    %y: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) {
      return
    })";
  ProgramPtr checked = compile(text), trusting = compile(text, options);
  ASSERT_TRUE(checked && trusting) << lastError();
  float data[2] = {};
  symshape_tensor inputs[] = {input(SYMSHAPE_F32, {1}, data),
                              input(SYMSHAPE_F32, {2}, data)};
  EXPECT_EQ(symshape_call(checked.get(), inputs, 2, nullptr, 0),
            SYMSHAPE_GUARD_FAILED);
  EXPECT_EQ(symshape_call(trusting.get(), inputs, 2, nullptr, 0), SYMSHAPE_OK);
}

TEST(ExecutionTest, resultsDoNotDependOnThreads) {
  const char *text = R"(
    func.func @main(%x: tensor<?x?xf32>) -> tensor<?xf32> {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0.0 : f32
      %m = tensor.dim %x, %c0 : tensor<?x?xf32>
      %e = tensor.empty(%m) : tensor<?xf32>
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
      %r = linalg.reduce { arith.addf } ins(%x : tensor<?x?xf32>)
                                        outs(%f : tensor<?xf32>) dimensions = [1]
      return %r : tensor<?xf32>
    })";
  symshape_options options = {};
  options.threads = -1;
  EXPECT_FALSE(compile(text, options));
  EXPECT_EQ(lastError(), "expected threads from 0, but got -1");
  const int64_t rows = 500, columns = 1001;
  std::vector<float> data(rows * columns);
  for (size_t i = 0; i < data.size(); ++i)
    data[i] = 1.0f / (i % 1000 + 1);
  symshape_tensor x = input(SYMSHAPE_F32, {rows, columns}, data.data());
  std::vector<float> expected;
  for (int32_t threads : {1, 2, 3}) {
    options.threads = threads;
    ProgramPtr program = compile(text, options);
    ASSERT_TRUE(program) << lastError();
    symshape_tensor result = {};
    ASSERT_EQ(symshape_call(program.get(), &x, 1, &result, 1), SYMSHAPE_OK);
    auto *sums = static_cast<float *>(result.data);
    if (expected.empty())
      expected.assign(sums, sums + rows);
    EXPECT_EQ(std::vector<float>(sums, sums + rows), expected);
    symshape_release_results(&result, 1);
  }
}

} // namespace
