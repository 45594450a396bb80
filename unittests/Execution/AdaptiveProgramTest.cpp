//===- AdaptiveProgramTest.cpp - Code for the shapes that there are -------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls from several threads. How often sequences of calls compile is in
// test/Integration/automatic.test.
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/AdaptiveProgram.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "gtest/gtest.h"
#include <chrono>
#include <thread>

using namespace mlir;
using namespace mlir::symshape;

namespace {

constexpr llvm::StringLiteral programText = R"(
  func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
    %r = linalg.add ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>)
        outs(%x : tensor<?x?xf32>) -> tensor<?x?xf32>
    return %r : tensor<?x?xf32>
  }
)";

std::unique_ptr<AdaptiveProgram> open(DynamicMode mode, bool async = false) {
  llvm::SmallString<128> path;
  int descriptor;
  if (llvm::sys::fs::createTemporaryFile("adaptive", "mlir", descriptor,
                                         path)) {
    ADD_FAILURE() << "cannot write a temporary file";
    return nullptr;
  }
  llvm::FileRemover remover(path);
  llvm::raw_fd_ostream(descriptor, /*shouldClose=*/true) << programText;
  AdaptiveOptions options;
  options.dynamic = mode;
  options.when = async ? CompileWhen::Async : CompileWhen::Sync;
  auto program = AdaptiveProgram::open(path, options);
  if (program)
    return std::move(*program);
  ADD_FAILURE() << llvm::toString(program.takeError());
  return nullptr;
}

TensorBuffer filled(llvm::ArrayRef<int64_t> shape, float value) {
  auto tensor =
      cantFail(TensorBuffer::allocate(*ElementType::parse("f32"), shape));
  auto *data = reinterpret_cast<float *>(tensor.getData());
  std::fill_n(data, tensor.getNumElements(), value);
  return tensor;
}

/// Whether a call returns `x + y` at this shape.
bool callsRight(AdaptiveProgram &program, llvm::ArrayRef<int64_t> shape,
                float x, float y) {
  auto results = program.call({filled(shape, x), filled(shape, y)});
  if (!results) {
    llvm::consumeError(results.takeError());
    return false;
  }
  return results->tensors.front().isIdentical(filled(shape, x + y));
}

/// Calls from eight threads; the number of wrong results.
unsigned callFromThreads(AdaptiveProgram &program,
                         llvm::ArrayRef<std::vector<int64_t>> shapes,
                         unsigned numCalls) {
  std::atomic<unsigned> wrong{0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (unsigned i = t; i < numCalls; i += 8)
        wrong +=
            !callsRight(program, shapes[(i * 7 + t) % shapes.size()], i, t);
    });
  for (std::thread &thread : threads)
    thread.join();
  return wrong;
}

TEST(AdaptiveProgramTest, manyThreadsCompileEachVariantOnce) {
  std::vector<std::vector<int64_t>> shapes;
  for (int64_t m : {0, 1, 5})
    for (int64_t n : {0, 1, 17})
      shapes.push_back({m, n});
  auto never = open(DynamicMode::Never);
  ASSERT_TRUE(never);
  EXPECT_EQ(callFromThreads(*never, shapes, 10000), 0u);
  EXPECT_EQ(never->getNumCompilations(), shapes.size());

  // Four dims vary.
  auto automatic = open(DynamicMode::Auto);
  ASSERT_TRUE(automatic);
  EXPECT_EQ(callFromThreads(*automatic, shapes, 10000), 0u);
  EXPECT_LE(automatic->getNumCompilations(), 5u);

  auto always = open(DynamicMode::Always);
  ASSERT_TRUE(always);
  EXPECT_EQ(callFromThreads(*always, shapes, 10000), 0u);
  EXPECT_EQ(always->getNumCompilations(), 1u);
}

TEST(AdaptiveProgramTest, manyThreadsWhileOneCompilesInTheBackground) {
  auto program = open(DynamicMode::Auto, /*async=*/true);
  ASSERT_TRUE(program);
  EXPECT_EQ(callFromThreads(*program, {{3, 4}, {3, 5}, {3, 0}}, 10000), 0u);
  program->finish();
  // One of them quick.
  EXPECT_LE(program->getNumCompilations(), 5u);
}

TEST(AdaptiveProgramTest, quickCodeServesUntilOtherCodeIsThere) {
  for (DynamicMode mode : {DynamicMode::Always, DynamicMode::Auto}) {
    auto program = open(mode, /*async=*/true);
    ASSERT_TRUE(program);
    auto isQuick = [&] {
      TensorBuffer x = filled({2, 3}, 1);
      return cantFail(program->serve({x, x})).variant->isQuick;
    };
    EXPECT_TRUE(isQuick());
    EXPECT_TRUE(callsRight(*program, {5, 1}, 1, 2));
    EXPECT_EQ(program->getGeneral(), nullptr);
    program->finish();
    EXPECT_FALSE(isQuick());
    EXPECT_TRUE(callsRight(*program, {0, 7}, 1, 2));
    EXPECT_GE(program->getNumCompilations(), 2u);
    EXPECT_LE(program->getNumCompilations(), 3u);
  }
}

/// What is said of a call does not depend on the code that refuses it.
TEST(AdaptiveProgramTest, quickCodeRefusesAsOtherCodeDoes) {
  auto program = open(DynamicMode::Always, /*async=*/true);
  ASSERT_TRUE(program);
  auto refuse = [&] {
    auto results = program->call({filled({2, 3}, 1), filled({2, 4}, 1)});
    return results ? "" : llvm::toString(results.takeError());
  };
  std::string message = refuse();
  EXPECT_NE(message.find("guard failed"), std::string::npos) << message;
  program->finish();
  EXPECT_EQ(refuse(), message);
}

TEST(AdaptiveProgramTest, aProgramGoesWhileItCompiles) {
  for (unsigned i = 0; i < 4; ++i) {
    auto program = open(DynamicMode::Always, /*async=*/true);
    ASSERT_TRUE(program);
    std::this_thread::sleep_for(std::chrono::milliseconds(5 * i));
  }
}

TEST(AdaptiveProgramTest, whatServesACall) {
  auto program = open(DynamicMode::Auto);
  ASSERT_TRUE(program);
  auto serve = [&](llvm::ArrayRef<int64_t> shape) {
    TensorBuffer tensor = filled(shape, 1);
    auto served = cantFail(program->serve({tensor, tensor}));
    return (served.isNew ? "new " : "") + program->describe(*served.variant);
  };
  EXPECT_EQ(serve({2, 3}), "new %x: 2x3xf32, %y: 2x3xf32");
  EXPECT_EQ(serve({2, 3}), "%x: 2x3xf32, %y: 2x3xf32");
  EXPECT_EQ(serve({4, 3}), "new %x: ?x3xf32, %y: ?x3xf32");
  EXPECT_EQ(serve({2, 3}), "%x: ?x3xf32, %y: ?x3xf32");
}

/// A call that is refused says so as in code for all shapes, and does no harm.
TEST(AdaptiveProgramTest, aCallThatIsRefused) {
  auto program = open(DynamicMode::Auto);
  ASSERT_TRUE(program);
  auto refuse = [&](TensorBuffer x, TensorBuffer y) {
    auto results = program->call({std::move(x), std::move(y)});
    return results ? "" : llvm::toString(results.takeError());
  };
  std::string message = refuse(filled({2, 3}, 1), filled({2, 4}, 1));
  EXPECT_NE(message.find("guard failed"), std::string::npos) << message;
  EXPECT_TRUE(callsRight(*program, {2, 3}, 1, 2));
  message = refuse(filled({2, 3}, 1), filled({5, 3}, 1));
  EXPECT_NE(message.find("guard failed"), std::string::npos) << message;
  EXPECT_TRUE(callsRight(*program, {0, 3}, 1, 2));
}

} // namespace
