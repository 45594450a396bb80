//===- QuestionsTest.cpp - Prove, guard, default --------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/Questions.h"
#include "../Analysis/ModuleFixture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "symshape/Transforms/InsertGuards.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
constexpr const char *program = R"mlir(
func.func @f(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[L]>}, %n: index)
    attributes {symshape.symbols = [#symshape.symbol<"L", range = [1, 64], likely = [32]>]} {
  %c8 = arith.constant 8 : index
  %small = arith.cmpi sle, %n, %c8 : index
  scf.if %small {
    %1 = arith.addi %n, %n {branch} : index
  }
  %2 = arith.addi %n, %n {end} : index
  return
}
)mlir";

struct QuestionsTest : ModuleFixture {
  QuestionsTest() {
    parse(program);
    analysis = std::make_unique<ShapeAnalysis>(*module);
    shapes = analysis->lookup(function("f"));
    length = shapes->arena().symbol("L");
    number = shapes->value(function("f").getArgument(1));
  }

  Expr constant(int64_t value) { return shapes->arena().constant(value); }
  Formula atMost(Expr e, int64_t value) {
    return Formula::literal(Relation::le(e, constant(value)));
  }

  std::unique_ptr<ShapeAnalysis> analysis;
  FunctionShapes *shapes = nullptr;
  Expr length, number;
};

TEST_F(QuestionsTest, ProofsAreOfAPlace) {
  ShapeQuestions questions(*shapes);
  EXPECT_TRUE(questions.isProved(atMost(number, 8), place("branch")));
  EXPECT_FALSE(questions.isProved(atMost(number, 8), place("end")));
  EXPECT_TRUE(questions.isProved(atMost(length, 64), place("end")));
  EXPECT_FALSE(questions.isProved(atMost(length, 63), place("end")));
}

TEST_F(QuestionsTest, DefaultsAreForWhatIsUnknownAndNoLikelyValueCounts) {
  ShapeQuestions questions(*shapes);
  for (bool whenUnknown : {false, true}) {
    auto ask = [&](const Formula &f) {
      return questions.proveOrDefault(f, place("end"), whenUnknown);
    };
    EXPECT_TRUE(ask(atMost(length, 64)));
    EXPECT_FALSE(ask(atMost(length, 0)));
    EXPECT_EQ(ask(Formula::literal(Relation::eq(length, constant(32)))),
              whenUnknown);
  }
  EXPECT_EQ(count<AssertOp>(), 0u);
}

TEST_F(QuestionsTest, GuardsAreAssertsWhereNothingIsProved) {
  ShapeQuestions questions(*shapes);
  auto guard = [&](const Formula &f) {
    return succeeded(questions.proveOrGuard(f.relation, place("end"), "why"));
  };
  EXPECT_TRUE(guard(atMost(length, 64)));
  EXPECT_EQ(count<AssertOp>(), 0u);
  EXPECT_FALSE(guard(atMost(length, 0)));
  EXPECT_EQ(count<AssertOp>(), 0u);
  EXPECT_TRUE(guard(atMost(length, 32)));
  EXPECT_TRUE(guard(atMost(number, 7)));
  EXPECT_EQ(count<AssertOp>(), 2u);
  ASSERT_TRUE(succeeded(module->verify()));
  // What extents decide is checked at entry, the other where the number is
  // known; it stays a fact of the place.
  FailureOr<InsertGuardsResult> inserted = insertGuards(*module);
  ASSERT_TRUE(succeeded(inserted));
  EXPECT_EQ(inserted->numDeferred, 1u);
  EXPECT_EQ(count<AssertOp>(), 0u);
  EXPECT_EQ(count<AssumeOp>(), 1u);
}

TEST_F(QuestionsTest, FrozenAddsNothing) {
  ShapeQuestions questions(*shapes, /*frozen=*/true);
  Operation *end = place("end");
  EXPECT_TRUE(succeeded(
      questions.proveOrGuard(atMost(length, 64).relation, end, "why")));
  EXPECT_TRUE(
      failed(questions.proveOrGuard(atMost(length, 32).relation, end, "why")));
  EXPECT_EQ(count<AssertOp>(), 0u);
}
} // namespace
