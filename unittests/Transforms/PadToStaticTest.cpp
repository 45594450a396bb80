//===- PadToStaticTest.cpp - Tiles of static shape ------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/PadToStatic.h"
#include "../Analysis/ModuleFixture.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
struct PadToStaticTest : ModuleFixture {
  unsigned pad(int64_t maxExtent) {
    ShapeAnalysis analysis(*module);
    unsigned padded = padToStatic(*analysis.lookup(function("f")), maxExtent);
    EXPECT_TRUE(succeeded(module->verify()));
    return padded;
  }
};

TEST_F(PadToStaticTest, BoundIsTheLargestExtent) {
  parse(R"mlir(
    func.func @f(%x: tensor<?xf32>, %n: index, %t: index) {
      %c0 = arith.constant 0 : index
      %c8 = arith.constant 8 : index
      scf.for %i = %c0 to %n step %c8 {
        %size = arith.minsi %t, %c8 : index
        %s = tensor.extract_slice %x[%i] [%size] [1] : tensor<?xf32> to tensor<?xf32>
        %r = linalg.exp ins(%s : tensor<?xf32>) outs(%s : tensor<?xf32>) -> tensor<?xf32>
      }
      return
    })mlir");
  EXPECT_EQ(pad(7), 0u);
  EXPECT_EQ(pad(8), 1u);
  EXPECT_EQ(count<tensor::PadOp>(), 1u);
  auto type =
      cast<RankedTensorType>(first<linalg::ExpOp>()->getResult(0).getType());
  EXPECT_EQ(type.getShape(), ArrayRef<int64_t>(8));
  EXPECT_EQ(pad(8), 0u);
}

// An empty tile is padded to one element, from which nothing is cut.
TEST_F(PadToStaticTest, BoundOfZero) {
  parse(R"mlir(
    func.func @f(%x: tensor<?xf32>, %n: index, %t: index) {
      %c0 = arith.constant 0 : index
      %c8 = arith.constant 8 : index
      scf.for %i = %c0 to %n step %c8 {
        %size = arith.minsi %t, %c0 : index
        %s = tensor.extract_slice %x[%i] [%size] [1] : tensor<?xf32> to tensor<?xf32>
        %r = linalg.exp ins(%s : tensor<?xf32>) outs(%s : tensor<?xf32>) -> tensor<?xf32>
      }
      return
    })mlir");
  EXPECT_EQ(pad(8), 1u);
}
} // namespace
