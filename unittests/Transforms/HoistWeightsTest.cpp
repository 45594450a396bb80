//===- HoistWeightsTest.cpp - What depends on weights alone -------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/HoistWeights.h"
#include "../Analysis/ModuleFixture.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
using HoistWeightsTest = ModuleFixture;

TEST_F(HoistWeightsTest, ReturnsTheNumberOfPreparedValues) {
  parse(R"mlir(
    func.func @f(%x: tensor<?x8xf32>, %w: tensor<8x8xf32> {symshape.weight = "w"}) -> tensor<?x8xf32> {
      %e = tensor.empty() : tensor<8x8xf32>
      %t = linalg.transpose ins(%w : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) permutation = [1, 0]
      %r = linalg.matmul ins(%x, %t : tensor<?x8xf32>, tensor<8x8xf32>) outs(%x : tensor<?x8xf32>) -> tensor<?x8xf32>
      return %r : tensor<?x8xf32>
    })mlir");
  EXPECT_EQ(hoistWeights(*module), 1u);
  EXPECT_TRUE(succeeded(module->verify()));
  func::FuncOp prepare = function("f.prepare");
  ASSERT_TRUE(prepare);
  EXPECT_EQ(prepare.getNumArguments(), 1u);
  EXPECT_EQ(prepare.getNumResults(), 1u);
  EXPECT_EQ(function("f").getNumArguments(), 3u);
}

TEST_F(HoistWeightsTest, WithoutWeightsNothingChanges) {
  parse(R"mlir(
    func.func @f(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
      %r = linalg.exp ins(%x : tensor<?x8xf32>) outs(%x : tensor<?x8xf32>) -> tensor<?x8xf32>
      return %r : tensor<?x8xf32>
    })mlir");
  EXPECT_EQ(hoistWeights(*module), 0u);
  EXPECT_FALSE(function("f.prepare"));
  EXPECT_EQ(function("f").getNumArguments(), 1u);
}
} // namespace
