//===- InsertGuardsTest.cpp - Checks of what the program requires -------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/InsertGuards.h"
#include "../Analysis/ModuleFixture.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
using InsertGuardsTest = ModuleFixture;

TEST_F(InsertGuardsTest, CountsGuardsDeferredAndProved) {
  parse(R"mlir(
    func.func @f(%a: tensor<?xf32>, %b: tensor<?xf32>, %s: tensor<index>) -> tensor<?xf32> {
      %r = linalg.add ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
      %c0 = arith.constant 0 : index
      %n = tensor.dim %a, %c0 : tensor<?xf32>
      %m = tensor.dim %b, %c0 : tensor<?xf32>
      symshape.assert "n == m" (n = %n, m = %m), "proved by the op"
      %x = tensor.extract %s[] : tensor<index>
      symshape.assert "x <= 4" (x = %x), "data"
      return %r : tensor<?xf32>
    })mlir");
  FailureOr<InsertGuardsResult> result = insertGuards(*module);
  ASSERT_TRUE(succeeded(result));
  EXPECT_EQ(result->numGuards, 1u);
  EXPECT_EQ(result->numDeferred, 1u);
  EXPECT_GE(result->numProved, 1u);
  EXPECT_TRUE(succeeded(module->verify()));
  EXPECT_TRUE(function("f.guard"));
  EXPECT_TRUE(function("f")->hasAttr("symshape.guarded"));
}

TEST_F(InsertGuardsTest, RunningAgainChangesNothing) {
  parse(R"mlir(
    func.func private @callee(%t: tensor<?xf32>) -> tensor<4xf32> {
      %r = tensor.cast %t : tensor<?xf32> to tensor<4xf32>
      return %r : tensor<4xf32>
    }
    func.func @f(%t: tensor<?xf32>) -> tensor<4xf32> {
      %r = call @callee(%t) : (tensor<?xf32>) -> tensor<4xf32>
      return %r : tensor<4xf32>
    })mlir");
  ASSERT_TRUE(succeeded(insertGuards(*module)));
  OwningOpRef<ModuleOp> once = module->clone();
  FailureOr<InsertGuardsResult> again = insertGuards(*module);
  ASSERT_TRUE(succeeded(again));
  EXPECT_EQ(again->numGuards, 0u);
  EXPECT_TRUE(OperationEquivalence::isEquivalentTo(once->getOperation(),
                                                   module->getOperation(),
                                                   OperationEquivalence::None));
}

TEST_F(InsertGuardsTest, PrivateFunctionsLeaveGuardsToTheirCallers) {
  parse(R"mlir(
    func.func private @callee(%t: tensor<?xf32>) -> tensor<4xf32> {
      %r = tensor.cast %t : tensor<?xf32> to tensor<4xf32>
      return %r : tensor<4xf32>
    }
    func.func @f(%t: tensor<?xf32>) -> tensor<4xf32> {
      %r = call @callee(%t) : (tensor<?xf32>) -> tensor<4xf32>
      return %r : tensor<4xf32>
    }
    func.func @g(%t: tensor<4xf32>) -> tensor<4xf32> {
      %c = tensor.cast %t : tensor<4xf32> to tensor<?xf32>
      %r = call @callee(%c) : (tensor<?xf32>) -> tensor<4xf32>
      return %r : tensor<4xf32>
    })mlir");
  FailureOr<InsertGuardsResult> result = insertGuards(*module);
  ASSERT_TRUE(succeeded(result));
  EXPECT_EQ(result->numGuards, 1u);
  EXPECT_FALSE(function("callee.guard"));
  EXPECT_TRUE(function("f.guard"));
  EXPECT_FALSE(function("g.guard"));
}

TEST_F(InsertGuardsTest, FailsOnWhatCanNeverHold) {
  parse(R"mlir(
    func.func @f(%t: tensor<8xf32>) -> tensor<4xf32> {
      %d = tensor.cast %t : tensor<8xf32> to tensor<?xf32>
      %r = tensor.cast %d : tensor<?xf32> to tensor<4xf32>
      return %r : tensor<4xf32>
    })mlir");
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diag) {
    message = diag.str();
    return success();
  });
  EXPECT_TRUE(failed(insertGuards(*module)));
  EXPECT_THAT(message, ::testing::HasSubstr("requirement can never hold"));
}
} // namespace
