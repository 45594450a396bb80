//===- RemoveMasksTest.cpp - Vector masks that are always true ------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/RemoveMasks.h"
#include "../Analysis/ModuleFixture.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
struct RemoveMasksTest : ModuleFixture {
  RemoveMasksResult remove() {
    ShapeAnalysis analysis(*module);
    RemoveMasksResult result = removeMasks(*analysis.lookup(function("f")));
    EXPECT_TRUE(succeeded(module->verify()));
    return result;
  }
};

TEST_F(RemoveMasksTest, CountsWhatIsRemoved) {
  parse(R"mlir(
    func.func @f(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[M + 8, N]>}, %z: f32) -> (vector<8xf32>, vector<8xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %m = tensor.dim %t, %c0 : tensor<?x?xf32>
      %n = tensor.dim %t, %c1 : tensor<?x?xf32>
      %rows = vector.create_mask %m : vector<8xi1>
      %columns = vector.create_mask %n : vector<8xi1>
      %a = vector.transfer_read %t[%c0, %c0], %z, %rows {permutation_map = affine_map<(d0, d1) -> (d0)>} : tensor<?x?xf32>, vector<8xf32>
      %b = vector.transfer_read %t[%c0, %c0], %z, %columns : tensor<?x?xf32>, vector<8xf32>
      return %a, %b : vector<8xf32>, vector<8xf32>
    })mlir");
  RemoveMasksResult result = remove();
  EXPECT_EQ(result.allMasks, 2u);
  EXPECT_EQ(result.masks, 1u);
  EXPECT_EQ(result.allTransfers, 2u);
  EXPECT_EQ(result.transfers, 1u);
  EXPECT_EQ(count<vector::CreateMaskOp>(), 1u);
  RemoveMasksResult again = remove();
  EXPECT_EQ(again.allMasks, 1u);
  EXPECT_EQ(again.masks, 0u);
  EXPECT_EQ(again.allTransfers, 1u);
  EXPECT_EQ(again.transfers, 0u);
}
} // namespace
