//===- InferShapesTest.cpp - Types and attributes from extents ----------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/InferShapes.h"
#include "../Analysis/ModuleFixture.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
struct InferShapesTest : ModuleFixture {
  void analyse(llvm::function_ref<void(FunctionShapes &)> use) {
    ShapeAnalysis analysis(*module);
    use(*analysis.lookup(function("f")));
  }
  static constexpr StringRef kProgram = R"mlir(
    func.func @f(%t: tensor<?xf32> {symshape.shape = #symshape.shape<["<= 8"]>}, %s: tensor<index>)
        -> (tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>) {
      %c4 = arith.constant 4 : index
      %k = tensor.extract %s[] : tensor<index>
      %a = tensor.empty(%c4, %k) : tensor<?x?xf32>
      %b = linalg.exp ins(%t : tensor<?xf32>) outs(%t : tensor<?xf32>) -> tensor<?xf32>
      %c = tensor.empty(%c4) : tensor<?xf32>
      return %a, %b, %c : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>
    })mlir";
};

TEST_F(InferShapesTest, RefinesDimsThatAreConstants) {
  parse(kProgram);
  analyse([&](FunctionShapes &shapes) { EXPECT_EQ(refineTypes(shapes), 2u); });
  EXPECT_TRUE(succeeded(module->verify()));
  // The types of the returned values stay; behind a cast there and back.
  auto back = returned("f", 0).getDefiningOp<tensor::CastOp>();
  ASSERT_TRUE(back);
  auto refined = cast<RankedTensorType>(back.getSource().getType());
  EXPECT_EQ(refined.getDimSize(0), 4);
  EXPECT_TRUE(refined.isDynamicDim(1));
}

TEST_F(InferShapesTest, NeverRefinesByAnUpperBound) {
  parse(kProgram);
  analyse([](FunctionShapes &shapes) { refineTypes(shapes); });
  EXPECT_FALSE(returned("f", 1).getDefiningOp<tensor::CastOp>());
}

TEST_F(InferShapesTest, AnnotatesWhatIsNamed) {
  parse(kProgram);
  analyse([](FunctionShapes &shapes) { annotateExtents(shapes); });
  auto extents = returned("f", 0).getDefiningOp()->getAttrOfType<ArrayAttr>(
      SymShapeDialect::kExtents);
  ASSERT_TRUE(extents);
  ExprArena arena;
  auto shape = cast<ShapeAttr>(extents[0]);
  EXPECT_EQ(shape.getExtent(0, arena).kind, Extent::Exact);
  EXPECT_EQ(shape.getExtent(0, arena).expr, arena.constant(4));
  EXPECT_EQ(shape.getExtent(1, arena).kind, Extent::Unknown);
}

TEST_F(InferShapesTest, ReportsEachUnknownExtent) {
  parse(kProgram);
  unsigned remarks = 0;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diag) {
    remarks += diag.getSeverity() == DiagnosticSeverity::Remark;
    return success();
  });
  analyse([](FunctionShapes &shapes) {
    // The second dim of %a, and that of %b, which has only a bound.
    EXPECT_EQ(reportUnknownExtents(shapes), 2u);
  });
  EXPECT_EQ(remarks, 2u);
}
} // namespace
