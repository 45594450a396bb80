//===- DischargeTest.cpp - Removal of what is proved --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/Discharge.h"
#include "../Analysis/ModuleFixture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
struct DischargeTest : ModuleFixture {
  DischargeResult discharge() {
    ShapeAnalysis analysis(*module);
    return dischargeFunction(*analysis.lookup(function("f")));
  }
};

TEST_F(DischargeTest, CountsWhatIsResolved) {
  parse(R"mlir(
    func.func @f(%t: tensor<?x12xf32>, %x: index) -> (tensor<?x3x4xf32>, index, i1) {
      %c0 = arith.constant 0 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %n = tensor.dim %t, %c0 : tensor<?x12xf32>
      %m = tensor.dim %t, %c0 : tensor<?x12xf32>
      %clamp = arith.maxsi %m, %c0 : index
      %yes = arith.cmpi sge, %n, %c0 : index
      symshape.assert "n <= x" (n = %n, x = %x), "unknown"
      symshape.assert "n - 1 <= x" (n = %n, x = %x), "proved"
      %s = tensor.from_elements %n, %c3, %c4 : tensor<3xindex>
      %r = tensor.reshape %t(%s) : (tensor<?x12xf32>, tensor<3xindex>) -> tensor<?x3x4xf32>
      return %r, %clamp, %yes : tensor<?x3x4xf32>, index, i1
    })mlir");
  DischargeResult result = discharge();
  EXPECT_EQ(result.allAsserts, 2u);
  EXPECT_EQ(result.asserts, 1u);
  EXPECT_EQ(result.allComparisons, 1u);
  EXPECT_EQ(result.comparisons, 1u);
  EXPECT_EQ(result.allClamps, 1u);
  EXPECT_EQ(result.clamps, 1u);
  EXPECT_EQ(result.allDims, 2u);
  EXPECT_EQ(result.dims, 1u);
  EXPECT_EQ(result.allReshapes, 1u);
  EXPECT_EQ(result.reshapes, 1u);
  EXPECT_EQ(count<AssertOp>(), 1u);
  EXPECT_EQ(count<tensor::ReshapeOp>(), 0u);
  EXPECT_EQ(count<tensor::DimOp>(), 1u);
  EXPECT_TRUE(succeeded(module->verify()));
}

TEST_F(DischargeTest, UnknownChangesNothing) {
  StringRef text = R"mlir(
    func.func @f(%t: tensor<?xf32>, %x: index, %s: tensor<2xindex>) -> (tensor<?x?xf32>, index, i1) {
      %c0 = arith.constant 0 : index
      %n = tensor.dim %t, %c0 : tensor<?xf32>
      %clamp = arith.minsi %x, %n : index
      %less = arith.cmpi slt, %x, %n : index
      symshape.assert "x <= 4" (x = %x), "unknown"
      %r = tensor.reshape %t(%s) : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
      return %r, %clamp, %less : tensor<?x?xf32>, index, i1
    })mlir";
  parse(text);
  OwningOpRef<ModuleOp> before = module->clone();
  DischargeResult result = discharge();
  EXPECT_EQ(result.asserts + result.comparisons + result.clamps + result.dims +
                result.reshapes,
            0u);
  EXPECT_TRUE(OperationEquivalence::isEquivalentTo(before->getOperation(),
                                                   module->getOperation(),
                                                   OperationEquivalence::None));
}

TEST_F(DischargeTest, RunningAgainFindsNothing) {
  parse(R"mlir(
    func.func @f(%t: tensor<?xf32>) -> index {
      %c0 = arith.constant 0 : index
      %n = tensor.dim %t, %c0 : tensor<?xf32>
      %m = tensor.dim %t, %c0 : tensor<?xf32>
      symshape.assert "n >= 0" (n = %n), "extent"
      return %m : index
    })mlir");
  EXPECT_EQ(discharge().asserts, 1u);
  DischargeResult again = discharge();
  EXPECT_EQ(again.allAsserts, 0u);
  EXPECT_EQ(again.dims, 0u);
}
} // namespace
