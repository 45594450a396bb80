//===- BytecodeTest.cpp - Versions of the dialect in bytecode -------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "symshape/IR/BytecodeVersion.h"
#include "symshape/IR/SymShape.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
const char *const kText = R"(
func.func @f(%x: tensor<?x4xf32> {symshape.shape = #symshape.shape<[B, 4]>}, %n: index)
    -> tensor<?x?xf32> attributes {symshape.assume = [#symshape.fact<"B <= 8">]} {
  %m = symshape.assume %n ["n <= 4"] (n) : index
  %r = symshape.dynamic_slice %x[%m, %m] sizes [2, %m] : tensor<?x4xf32> to tensor<2x?xf32>
  %c = tensor.cast %r : tensor<2x?xf32> to tensor<?x?xf32>
  return %c : tensor<?x?xf32>
}
)";

struct BytecodeTest : ::testing::Test {
  BytecodeTest() {
    context.loadDialect<SymShapeDialect, func::FuncDialect>();
    module = parseSourceString<ModuleOp>(kText, &context);
  }

  static std::string print(ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream(text) << module;
    return text;
  }

  /// The program as a file of that version, or of the current one.
  std::string write(std::optional<uint64_t> version) {
    BytecodeWriterConfig config("symshape");
    if (version)
      config.setDialectVersion<SymShapeDialect>(
          std::make_unique<BytecodeVersion>(*version));
    std::string bytes;
    llvm::raw_string_ostream stream(bytes);
    EXPECT_TRUE(succeeded(writeBytecodeToFile(*module, stream, config)));
    return bytes;
  }

  /// What is read of it, as text; what is said instead, if it is not read.
  std::string read(StringRef bytes) {
    MLIRContext other;
    other.loadDialect<SymShapeDialect, func::FuncDialect>();
    std::string said;
    ScopedDiagnosticHandler handler(&other, [&](Diagnostic &diagnostic) {
      said += diagnostic.str() + "\n";
      return success();
    });
    OwningOpRef<ModuleOp> result = parseSourceString<ModuleOp>(bytes, &other);
    return result ? print(*result) : said;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(BytecodeTest, IsReadBack) {
  ASSERT_TRUE(module);
  EXPECT_EQ(read(write(std::nullopt)), print(*module));
}

/// The first files name no version.
TEST_F(BytecodeTest, OfTheFirstVersionIsRead) {
  std::string first = write(0), current = write(std::nullopt);
  EXPECT_NE(first, current);
  EXPECT_EQ(read(first), print(*module));
}

TEST_F(BytecodeTest, OfALaterVersionIsRefused) {
  EXPECT_NE(read(write(BytecodeVersion::kCurrent + 1))
                .find("expected bytecode of dialect 'symshape' in version 1 or "
                      "before, but got version 2"),
            std::string::npos);
}
} // namespace
