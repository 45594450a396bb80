//===- ProgramTest.cpp - Compile once, call at many shapes ----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The library behind symshape-run: signatures, calls, results, names.
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/Program.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "symshape/Execution/ArgumentNames.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#ifdef __GLIBC__
#include <malloc.h>
#endif

using namespace mlir;
using namespace mlir::symshape;

namespace {

/// Compiles @main of `text`; null, after a test failure, if that fails.
std::unique_ptr<Program> compile(StringRef text) {
  // Tests run side by side: each has a file of its own.
  llvm::SmallString<128> path;
  int descriptor;
  if (llvm::sys::fs::createTemporaryFile("program", "mlir", descriptor, path)) {
    ADD_FAILURE() << "cannot write a temporary file";
    return nullptr;
  }
  llvm::FileRemover remover(path);
  llvm::raw_fd_ostream(descriptor, /*shouldClose=*/true) << text;
  auto program = Program::compile(path.str().str(), {});
  if (program)
    return std::move(*program);
  ADD_FAILURE() << llvm::toString(program.takeError());
  return nullptr;
}

TensorBuffer iota(StringRef type, llvm::ArrayRef<int64_t> shape) {
  auto tensor =
      cantFail(TensorBuffer::allocate(*ElementType::parse(type), shape));
  char *data = tensor.getData();
  for (int64_t i = 0; i < tensor.getNumElements(); ++i) {
    if (tensor.getElementType().isFloat())
      writeFloat(tensor.getElementType(), i, data);
    else
      writeInteger(tensor.getElementType(), i, data);
    data += tensor.getElementType().getBytes();
  }
  return tensor;
}

/// The results of a call, one per line, or its error.
std::string call(const Program &program, llvm::ArrayRef<TensorBuffer> inputs) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto weights = program.bindWeights(nullptr);
  if (!weights)
    return "error: " + llvm::toString(weights.takeError());
  auto results = program.call(*weights, inputs);
  if (!results)
    return "error: " + llvm::toString(results.takeError());
  for (const TensorBuffer &tensor : results->tensors) {
    printTensor(os, tensor);
    os << '\n';
  }
  return text;
}

TEST(ProgramTest, callsAtManyShapes) {
  auto program = compile(R"(
    func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %m = tensor.dim %x, %c0 : tensor<?x?xf32>
      %n = tensor.dim %x, %c1 : tensor<?x?xf32>
      %e = tensor.empty(%n, %m) : tensor<?x?xf32>
      %t = linalg.transpose ins(%x : tensor<?x?xf32>)
             outs(%e : tensor<?x?xf32>) permutation = [1, 0]
      return %t : tensor<?x?xf32>
    })");
  ASSERT_TRUE(program);
  EXPECT_EQ(call(*program, {iota("f32", {2, 3})}),
            "3x2xf32: [[0, 3], [1, 4], [2, 5]]\n");
  EXPECT_EQ(call(*program, {iota("f32", {1, 1})}), "1x1xf32: [[0]]\n");
  EXPECT_EQ(call(*program, {iota("f32", {0, 3})}), "3x0xf32: []\n");
  EXPECT_EQ(symshape_rt_get_counters().live_allocations, 0);
}

#ifdef __GLIBC__
/// KiB of memory of this process that no file backs.
int64_t getAnonymousMemory() {
  auto status = cantFail(llvm::errorOrToExpected(
      llvm::MemoryBuffer::getFileAsStream("/proc/self/status")));
  StringRef text = status->getBuffer().split("RssAnon:").second.ltrim();
  int64_t size = 0;
  EXPECT_FALSE(text.consumeInteger(10, size));
  return size;
}

TEST(ProgramTest, givesBackWhatTheCompilerUsed) {
  std::string text = "func.func @main(%x0: tensor<?x64xf32>, "
                     "%w: tensor<64x64xf32>) -> tensor<?x64xf32> {\n";
  for (int i = 0; i < 24; ++i)
    text +=
        llvm::formatv("%p{0} = linalg.matmul ins(%x{0}, %w : tensor<?x64xf32>, "
                      "tensor<64x64xf32>) outs(%x{0} : tensor<?x64xf32>) -> "
                      "tensor<?x64xf32>\n%x{1} = linalg.tanh ins(%p{0} : "
                      "tensor<?x64xf32>) outs(%p{0} : tensor<?x64xf32>) -> "
                      "tensor<?x64xf32>\n",
                      i, i + 1);
  text += "return %x24 : tensor<?x64xf32> }";
  auto program = compile(text);
  ASSERT_TRUE(program);
  int64_t kept = getAnonymousMemory();
  malloc_trim(/*pad=*/0);
  EXPECT_LT(kept - getAnonymousMemory(), 2048);
}
#endif

TEST(ProgramTest, passesScalarsAndSeveralResults) {
  auto program = compile(R"(
    func.func @main(%a: i64, %b: f32, %c: i1, %d: index, %t: tensor<?xi8>)
        -> (i1, tensor<?xi8>, f32, i64, index) {
      %s = arith.addi %a, %a : i64
      %f = arith.addf %b, %b : f32
      return %c, %t, %f, %s, %d : i1, tensor<?xi8>, f32, i64, index
    })");
  ASSERT_TRUE(program);
  auto scalar = [](StringRef type, double value) {
    TensorBuffer tensor = iota(type, {});
    if (tensor.getElementType().isFloat())
      writeFloat(tensor.getElementType(), value, tensor.getData());
    else
      writeInteger(tensor.getElementType(), value, tensor.getData());
    return tensor;
  };
  EXPECT_EQ(
      call(*program, {scalar("i64", -4), scalar("f32", 1.25), scalar("i1", 1),
                      scalar("index", 9), iota("i8", {3})}),
      "i1: true\n3xi8: [0, 1, 2]\nf32: 2.5\ni64: -8\nindex: 9\n");
}

TEST(ProgramTest, returnsOneScalarOrNothing) {
  auto one = compile("func.func @main(%a: f64) -> f64 { return %a : f64 }");
  ASSERT_TRUE(one);
  EXPECT_EQ(call(*one, {iota("f64", {})}), "f64: 0\n");
  auto nothing = compile("func.func @main() { return }");
  ASSERT_TRUE(nothing);
  EXPECT_EQ(call(*nothing, {}), "");
}

TEST(ProgramTest, leavesItsInputsAlone) {
  auto program = compile(R"(
    func.func @main(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
      %y = linalg.add ins(%x, %x : tensor<?xf32>, tensor<?xf32>)
                      outs(%x : tensor<?xf32>) -> tensor<?xf32>
      return %y, %x : tensor<?xf32>, tensor<?xf32>
    })");
  ASSERT_TRUE(program);
  TensorBuffer input = iota("f32", {3});
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(call(*program, {input}), "3xf32: [0, 2, 4]\n3xf32: [0, 1, 2]\n");
  EXPECT_EQ(symshape_rt_get_counters().live_allocations, 0);
}

TEST(ProgramTest, checksInputs) {
  auto program =
      compile("func.func @main(%x: tensor<?x4xf32>, %n: i64) { return }");
  ASSERT_TRUE(program);
  TensorBuffer n = iota("i64", {});
  EXPECT_EQ(call(*program, {n}), "error: @main: expected 2 inputs, but got 1: "
                                 "%x: [?, 4] f32; %n: i64");
  EXPECT_EQ(call(*program, {iota("f32", {4}), n}),
            "error: @main: expected ?x4xf32 for %x, but got 4xf32");
  EXPECT_EQ(call(*program, {iota("f64", {1, 4}), n}),
            "error: @main: expected ?x4xf32 for %x, but got 1x4xf64");
  EXPECT_EQ(
      call(*program, {iota("f32", {1, 5}), n}),
      "error: @main: expected extent 4 of %x dim 1 (tensor<?x4xf32>), but "
      "got 5");
  // A wrong type counts before a wrong extent.
  EXPECT_EQ(call(*program, {iota("f32", {1, 5}), iota("f32", {})}),
            "error: @main: expected i64 for %n, but got f32\n"
            "@main: expected extent 4 of %x dim 1 (tensor<?x4xf32>), but got "
            "5");
}

TEST(ArgumentNamesTest, comeFromLocationAttributeTextOrNumber) {
  MLIRContext context;
  context.loadDialect<func::FuncDialect>();
  llvm::SourceMgr sourceMgr;
  sourceMgr.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(
          R"(func.func @f(%query: i64, %0: i64 loc("located"), %k: i64 {symshape.name = "given"}) {
               return
             }
             func.func private @declared(i64)
          )"),
      llvm::SMLoc());
  OwningOpRef<ModuleOp> module = parseWithArgumentNames(sourceMgr, &context);
  ASSERT_TRUE(module);
  auto f = cast<FunctionOpInterface>(module->lookupSymbol("f"));
  EXPECT_EQ(getArgumentName(f, 0), "%query");
  EXPECT_EQ(getArgumentName(f, 1), "located");
  EXPECT_EQ(getArgumentName(f, 2), "given");
  auto declared = cast<FunctionOpInterface>(module->lookupSymbol("declared"));
  EXPECT_EQ(getArgumentName(declared, 0), "argument #0");
}

} // namespace
