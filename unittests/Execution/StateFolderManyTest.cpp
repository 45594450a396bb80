//===- StateFolderManyTest.cpp - A folder with ten thousand programs ------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Entries are written by StateFolder itself, each under the name of a program
// of its own: code of two programs, which differ from others in a comment. Each
// is compiled where it counts in test/Integration/cache-programs.test.
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/AdaptiveProgram.h"
#include "symshape/Execution/StateFolder.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

using namespace mlir::symshape;

namespace {

constexpr unsigned numPrograms = 10000;

/// The square of each number, or twice the number.
std::string writeProgram(bool squares) {
  return std::string("func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
                     "  %r = arith.") +
         (squares ? "mulf" : "addf") +
         " %x, %x : tensor<?xf32>\n  return %r : tensor<?xf32>\n}\n";
}

class ManyProgramsTest : public testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> path;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("many", path));
    options.cacheFolder = (path + "/kept").str();
    root = path.str().str();
    options.compile.entry = "main";
    for (bool squares : {false, true}) {
      auto bytes =
          llvm::MemoryBuffer::getMemBufferCopy(writeProgram(squares), "m.mlir");
      sources.push_back(cantFail(ProgramSource::parse(
          std::move(bytes), /*isModel=*/false, options.compile.entry)));
      codes.push_back(cantFail(compileCode(sources.back(), options.compile)));
    }
  }
  void TearDown() override { llvm::sys::fs::remove_directories(root); }

  /// Program `number`: odd ones square.
  ProgramSource makeSource(unsigned number) const {
    ProgramSource source = sources[number % 2];
    source.bytes = llvm::MemoryBuffer::getMemBufferCopy(
        source.bytes->getBuffer().str() + "// " + std::to_string(number),
        "m.mlir");
    return source;
  }

  StateFolder open(unsigned number, uint64_t limit = 0) {
    return StateFolder(
        options.cacheFolder, makeSource(number), options.compile.entry, limit,
        [](const ProgramDiagnostic &said) { ADD_FAILURE() << said.message; });
  }
  void store(unsigned number, uint64_t limit = 0) {
    open(number, limit).storeCode(options.compile, codes[number % 2]);
  }
  bool has(unsigned number) { return open(number).hasCode(options.compile); }

  /// Compilations of a process that calls program `number`, whose result is
  /// checked.
  unsigned call(unsigned number) {
    auto program = cantFail(AdaptiveProgram::open(makeSource(number), options));
    ElementType f32 = *ElementType::parse("f32");
    TensorBuffer x = cantFail(TensorBuffer::allocate(f32, {3}));
    auto *data = reinterpret_cast<float *>(x.getData());
    for (int i = 0; i < 3; ++i)
      data[i] = i + 3;
    CallResults results = cantFail(program->call({x}));
    const auto *numbers =
        reinterpret_cast<const float *>(results.tensors[0].getData());
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(numbers[i], number % 2 ? data[i] * data[i] : 2 * data[i])
          << number;
    return program->getNumCompilations();
  }

  /// Bytes and number of entries.
  std::pair<uint64_t, unsigned> measure() const {
    std::pair<uint64_t, unsigned> all(0, 0);
    std::error_code problem;
    for (llvm::sys::fs::directory_iterator it(options.cacheFolder, problem),
         end;
         !problem && it != end; it.increment(problem)) {
      if (!llvm::StringRef(it->path()).ends_with(".code"))
        continue;
      uint64_t size = 0;
      EXPECT_FALSE(llvm::sys::fs::file_size(it->path(), size));
      all.first += size;
      ++all.second;
    }
    return all;
  }

  std::string root;
  AdaptiveOptions options;
  std::vector<ProgramSource> sources;
  std::vector<CompiledCode> codes;
};

TEST_F(ManyProgramsTest, eachHasItsOwn) {
  for (unsigned number = 0; number < numPrograms; ++number)
    store(number, number + 3 < numPrograms ? 0 : cacheLimit);
  EXPECT_EQ(measure().second, numPrograms);
  unsigned compilations = 0;
  for (unsigned number = 0; number < numPrograms; number += 201)
    compilations += call(number);
  EXPECT_EQ(compilations, 0u);
  EXPECT_FALSE(has(numPrograms));
  EXPECT_EQ(call(numPrograms), 1u);
  EXPECT_EQ(call(numPrograms), 0u);

  // A third of the room is left: what was kept first goes, and no more.
  uint64_t limit = measure().first / 3;
  store(numPrograms + 1, limit);
  auto [bytes, number] = measure();
  EXPECT_LE(bytes, limit);
  EXPECT_GT(bytes, limit - 100000);
  EXPECT_GT(number, numPrograms / 3 - 100);
  unsigned found = 0;
  for (unsigned kept = numPrograms - number + 100; kept < numPrograms; ++kept)
    found += has(kept);
  EXPECT_EQ(found, number - 100);
  EXPECT_EQ(call(0), 0u); // which a call above made young again
  EXPECT_EQ(call(1), 1u);
  EXPECT_EQ(call(numPrograms - 1), 0u);
}

} // namespace
