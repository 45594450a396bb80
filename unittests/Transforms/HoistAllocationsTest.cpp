//===- HoistAllocationsTest.cpp - One buffer for all iterations -----------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/HoistAllocations.h"
#include "../Analysis/ModuleFixture.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
struct HoistAllocationsTest : ModuleFixture {
  unsigned hoist(int64_t maxBytes, int64_t maxStackBytes) {
    ShapeAnalysis analysis(*module);
    unsigned moved = hoistAllocations(*analysis.lookup(function("f")),
                                      {maxBytes, maxStackBytes});
    EXPECT_TRUE(succeeded(module->verify()));
    return moved;
  }
  template <typename OpT>
  bool isInLoop() {
    return first<OpT>()->template getParentOfType<scf::ForOp>() != nullptr;
  }
};

constexpr llvm::StringLiteral twoBuffers = R"mlir(
    func.func @f(%n: index, %sizes: memref<?xindex>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      scf.for %i = %c0 to %n step %c1 {
        %any = memref.load %sizes[%i] : memref<?xindex>
        %size = arith.minsi %any, %c16 : index
        %a = memref.alloc(%size) : memref<?xf32>
        %b = memref.alloca(%size) : memref<?xf32>
        memref.dealloc %a : memref<?xf32>
      }
      return
    })mlir";

// 16 elements of 4 bytes.
TEST_F(HoistAllocationsTest, LimitsAreInBytes) {
  parse(twoBuffers);
  EXPECT_EQ(hoist(63, 63), 0u);
  EXPECT_EQ(hoist(64, 63), 1u);
  EXPECT_FALSE(isInLoop<memref::AllocOp>());
  EXPECT_FALSE(isInLoop<memref::DeallocOp>());
  EXPECT_TRUE(isInLoop<memref::AllocaOp>());
  EXPECT_EQ(hoist(64, 64), 1u);
  EXPECT_FALSE(isInLoop<memref::AllocaOp>());
}

TEST_F(HoistAllocationsTest, RunningAgainFindsNothing) {
  parse(twoBuffers);
  EXPECT_EQ(hoist(1024, 1024), 2u);
  EXPECT_EQ(hoist(1024, 1024), 0u);
  EXPECT_EQ(count<memref::AllocOp>(), 1u);
  EXPECT_EQ(count<memref::DeallocOp>(), 1u);
}
} // namespace
