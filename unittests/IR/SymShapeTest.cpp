//===- SymShapeTest.cpp - Attributes and text of the dialect --------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/IR/SymShape.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "llvm/ADT/StringSet.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::symshape;
using ::testing::ElementsAre;

namespace {
struct SymShapeTest : ::testing::Test {
  SymShapeTest() { context.loadDialect<SymShapeDialect>(); }
  MLIRContext context;
};

TEST(NamesInText, AreInOrderOfFirstUse) {
  EXPECT_THAT(namesInText("C == B + C"), ElementsAre("C", "B"));
  EXPECT_THAT(namesInText("min(x, 2) floordiv %q.0"), ElementsAre("x", "%q.0"));
  EXPECT_TRUE(namesInText("3 + 4").empty());
}

TEST_F(SymShapeTest, BuildersOrderOperandsByTheirNames) {
  Block block;
  OpBuilder b(&context);
  b.setInsertionPointToStart(&block);
  Location loc = b.getUnknownLoc();
  Value x = block.addArgument(b.getIndexType(), loc);
  Value y = block.addArgument(b.getIndexType(), loc);
  auto size = SizeOp::create(b, loc, "-q + \"a b\" * q + N",
                             {{"unused", x}, {"a b", x}, {"q", y}});
  EXPECT_EQ(size.getExpression(), "-q + \"a b\" * q + N");
  EXPECT_THAT(llvm::to_vector(size.getOperands()), ElementsAre(y, x));
  auto check = AssertOp::create(
      b, loc, "min(p, q) - \"a b\" <= x",
      {{"p", b.getIndexAttr(4)}, {"a b", b.getIndexAttr(-3)}, {"q", y}},
      "constants");
  EXPECT_EQ(check.getRelation(), "min(4, q) - (-3) <= x");
  EXPECT_THAT(llvm::to_vector(check.getOperands()), ElementsAre(y));
}

TEST_F(SymShapeTest, ExtentsOfAShapeRoundTrip) {
  ExprArena arena;
  Expr b = arena.symbol("B");
  auto shape =
      ShapeAttr::get(&context, {Extent::exact(b * 2), Extent::upperBound(b),
                                Extent::unknown()});
  SmallVector<Extent> extents = shape.getExtents(arena);
  ASSERT_EQ(extents.size(), 3u);
  EXPECT_EQ(extents[0].kind, Extent::Exact);
  EXPECT_EQ(extents[0].expr, b * 2);
  EXPECT_EQ(extents[1].kind, Extent::UpperBound);
  EXPECT_EQ(extents[1].expr, b);
  EXPECT_EQ(extents[2].kind, Extent::Unknown);
}

TEST_F(SymShapeTest, InfoOfASymbol) {
  auto symbol =
      SymbolAttr::get(&context, "S", 0, 4096, 8, 0, SymbolPolicy::Auto, {128});
  SymbolInfo info = symbol.getInfo();
  EXPECT_EQ(info.range, symshape::Range::between(0, 4096));
  EXPECT_EQ(info.residue, Residue::multipleOf(8));
  EXPECT_THAT(info.likely, ElementsAre(128));
}

/// What the extents of a tensor are is known to our analysis, and to upstream's
/// passes.
TEST_F(SymShapeTest, OpsOnTensorsHaveAllInterfacesOfExtents) {
  const llvm::StringSet<> withoutTensors = {"assert", "assume", "fail", "size",
                                            "truncate_size"};
  unsigned checked = 0;
  for (RegisteredOperationName op : context.getRegisteredOperations()) {
    if (op.getDialectNamespace() != SymShapeDialect::getDialectNamespace())
      continue;
    std::string name = op.getStringRef().str();
    EXPECT_TRUE(op.hasInterface<ShapeFactsOpInterface>()) << name;
    if (withoutTensors.contains(op.stripDialect()))
      continue;
    EXPECT_TRUE(op.hasInterface<ReifyRankedShapedTypeOpInterface>()) << name;
    EXPECT_TRUE(op.hasInterface<ValueBoundsOpInterface>()) << name;
    ++checked;
  }
  EXPECT_GE(checked, 17u);
}

TEST_F(SymShapeTest, RelationOfAFact) {
  ExprArena arena;
  Relation relation =
      FactAttr::get(&context, "L <= S").getFormula(arena).relation;
  EXPECT_EQ(relation, Relation::le(arena.symbol("L"), arena.symbol("S")));
}
} // namespace
