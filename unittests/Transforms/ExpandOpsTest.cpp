//===- ExpandOpsTest.cpp - Ops of the dialect as arith ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/ExpandOps.h"
#include "../Analysis/ModuleFixture.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
using ExpandOpsTest = ModuleFixture;

TEST_F(ExpandOpsTest, LeavesOnlyFailures) {
  parse(R"mlir(
    func.func @f(%t: tensor<?xf32>, %x: index, %ok: i1) -> (tensor<?xf32>, index) {
      %u = symshape.bind_shape %t [N] : tensor<?xf32>
      %y = symshape.assume %x ["y <= 4"] (y) : index
      symshape.assert "N <= y" (N = %y), "no value"
      cf.assert %ok, "upstream"
      %s = symshape.size "2*N"
      return %u, %s : tensor<?xf32>, index
    })mlir");
  // `N` stands for the operand; `y` has no value.
  ScopedDiagnosticHandler handler(&context,
                                  [](Diagnostic &) { return success(); });
  ShapeAnalysis analysis(*module);
  EXPECT_TRUE(failed(
      expandOps(*module, [&]() -> ShapeAnalysis & { return analysis; })));
}

TEST_F(ExpandOpsTest, ExpandsInsideRegions) {
  parse(R"mlir(
    func.func @f(%t: tensor<?xf32>, %x: index, %ok: i1) -> (tensor<?xf32>, index) {
      %u = symshape.bind_shape %t [N] : tensor<?xf32>
      %y = symshape.assume %x ["y <= 4"] (y) : index
      scf.if %ok {
        symshape.assert "y >= N" (y = %y), "inside"
      }
      cf.assert %ok, "upstream"
      %s = symshape.size "2*N"
      return %u, %s : tensor<?xf32>, index
    })mlir");
  ShapeAnalysis analysis(*module);
  ASSERT_TRUE(succeeded(
      expandOps(*module, [&]() -> ShapeAnalysis & { return analysis; })));
  EXPECT_TRUE(succeeded(module->verify()));
  EXPECT_EQ(count<FailOp>(), 2u);
  unsigned others = 0;
  module->walk([&](Operation *op) {
    others += isa<SymShapeDialect>(op->getDialect()) && !isa<FailOp>(op);
  });
  EXPECT_EQ(others, 0u);
  EXPECT_EQ(count<cf::AssertOp>(), 0u);
  EXPECT_EQ(returned("f", 0), function("f").getArgument(0));
}

// What operands say takes no analysis.
TEST_F(ExpandOpsTest, AsksForNothingThatOperandsSay) {
  parse(R"mlir(
    func.func @f(%x: index, %ok: i1) -> index {
      symshape.assert "n <= 7" (n = %x), "inside"
      cf.assert %ok, "upstream"
      %s = symshape.size "2*n + 1" (n = %x)
      return %s : index
    })mlir");
  unsigned asked = 0;
  ShapeAnalysis analysis(*module);
  ASSERT_TRUE(succeeded(expandOps(*module, [&]() -> ShapeAnalysis & {
    ++asked;
    return analysis;
  })));
  EXPECT_EQ(asked, 0u);
  EXPECT_TRUE(succeeded(module->verify()));
  EXPECT_EQ(count<FailOp>(), 2u);
  EXPECT_EQ(count<SizeOp>(), 0u);
}
} // namespace
