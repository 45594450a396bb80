//===- GuardAnalysisTest.cpp - What is checked where ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Analysis/GuardAnalysis.h"
#include "ModuleFixture.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
struct GuardAnalysisTest : ModuleFixture {
  GuardPlan plan(StringRef text, StringRef name = "f") {
    parse(text);
    analysis = std::make_unique<ShapeAnalysis>(*module);
    shapes = analysis->lookup(function(name));
    return planGuards(*shapes);
  }
  std::unique_ptr<ShapeAnalysis> analysis;
  FunctionShapes *shapes = nullptr;
};

TEST_F(GuardAnalysisTest, SortsObligations) {
  GuardPlan result = plan(R"mlir(
    func.func @f(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}, %s: tensor<index>) {
      %x = tensor.extract %s[] : tensor<index>
      symshape.assert "N >= 0", "proved"
      symshape.assert "N <= 4", "guard"
      symshape.assert "x <= 4" (x = %x), "data"
      symshape.assert "N <= -1", "violated"
      return
    })mlir");
  EXPECT_EQ(result.numProved, 1u);
  ASSERT_EQ(result.guards.size(), 1u);
  EXPECT_EQ(result.guards[0].condition.str(), "N <= 4");
  ASSERT_EQ(result.guards[0].reasons.size(), 1u);
  EXPECT_EQ(result.guards[0].reasons[0]->message, "guard");
  ASSERT_EQ(result.deferred.size(), 1u);
  EXPECT_EQ(result.deferred[0].reasons[0]->message, "data");
  // Where the number is known, not where the assert stands.
  Operation *known = result.deferred[0].anchor->getPrevNode();
  ASSERT_TRUE(known);
  EXPECT_EQ(known->getName().getStringRef(), "tensor.extract");
  ASSERT_EQ(result.violated.size(), 1u);
  EXPECT_EQ(result.violated[0]->message, "violated");
  EXPECT_EQ(result.hoisted.size(), 1u);
  EXPECT_TRUE(result.takenOver.empty());
}

TEST_F(GuardAnalysisTest, GuardsAreMinimalAndCombined) {
  GuardPlan result = plan(R"mlir(
    func.func @f(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>},
                 %u: tensor<?xf32> {symshape.shape = #symshape.shape<[M]>}, %flag: i1) {
      symshape.assert "N <= 64", "implied by the next"
      symshape.assert "N <= 4", "stays"
      %c = arith.constant 5 : index
      %c0 = arith.constant 0 : index
      %m = tensor.dim %u, %c0 : tensor<?xf32>
      %large = arith.cmpi sge, %m, %c : index
      scf.if %large {
        symshape.assert "N <= 2", "where M >= 5"
      }
      scf.if %flag {
        symshape.assert "N <= 1", "where the flag is set"
      }
      return
    })mlir");
  ASSERT_EQ(result.guards.size(), 2u);
  EXPECT_EQ(result.guards[0].condition.str(), "N <= 4");
  EXPECT_EQ(result.guards[1].condition.kind, Formula::Or);
  EXPECT_EQ(result.hoisted.size(), 3u);
  EXPECT_EQ(result.deferred.size(), 1u);
}

TEST_F(GuardAnalysisTest, CallersTakeOverWhatIsOfArguments) {
  GuardPlan result = plan(R"mlir(
    func.func private @f(%x: index, %s: tensor<index>) {
      %y = tensor.extract %s[] : tensor<index>
      symshape.assert "x <= 4" (x = %x), "argument"
      symshape.assert "y <= 4" (y = %y), "data"
      return
    }
    func.func @g(%x: index, %s: tensor<index>) {
      call @f(%x, %s) : (index, tensor<index>) -> ()
      return
    })mlir");
  EXPECT_TRUE(result.guards.empty());
  ASSERT_EQ(result.takenOver.size(), 1u);
  EXPECT_EQ(result.takenOver[0]->message, "argument");
  ASSERT_EQ(result.deferred.size(), 1u);
  EXPECT_EQ(result.deferred[0].reasons[0]->message, "data");
  // A scalar of the caller is data there: the check stands before the call.
  GuardPlan ofCaller = planGuards(*analysis->lookup(function("g")));
  ASSERT_EQ(ofCaller.deferred.size(), 1u);
  EXPECT_TRUE(isa<func::CallOp>(ofCaller.deferred[0].anchor));
}

TEST_F(GuardAnalysisTest, OverDimsReplacesSolvedNames) {
  plan(R"mlir(
    func.func @f(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[8*K]>}) { return })mlir");
  ExprArena &arena = shapes->arena();
  Formula f =
      overDims(*shapes, Relation::le(arena.symbol("K"), arena.constant(4)));
  SmallVector<Expr> symbols = f.symbols();
  for (Expr s : symbols) {
    ASSERT_TRUE(shapes->definition(s));
    EXPECT_EQ(shapes->definition(s)->kind, SymbolDef::Dim);
  }
  EXPECT_FALSE(symbols.empty());
}
} // namespace
