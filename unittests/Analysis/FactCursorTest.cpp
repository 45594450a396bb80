//===- FactCursorTest.cpp - The facts at a place of a function ------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Analysis/FactCursor.h"

#include "ModuleFixture.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {

struct FactCursorTest : ModuleFixture {};

constexpr const char *program = R"mlir(
func.func @f(%a: index, %b: index, %n: index) {
  %c0 = arith.constant {start} 0 : index
  %c1 = arith.constant 1 : index
  %0 = symshape.assume %a ["5 <= a"] (a) : index
  %less = arith.cmpi slt, %a, %b : index
  scf.for %i = %c0 to %n step %c1 {
    scf.if %less {
      %1 = arith.addi %i, %a {branch} : index
    } else {
      %2 = arith.addi %i, %a {other} : index
    }
    %3 = symshape.assume %b ["b <= 20"] (b) : index
    %4 = arith.addi %i, %a {body} : index
  }
  %5 = symshape.assume %b ["b <= 30"] (b) : index
  return {end}
}
)mlir";

TEST_F(FactCursorTest, KnowsWhatHoldsAtEachPlace) {
  parse(program);
  ShapeAnalysis analysis(*module);
  FunctionShapes &shapes = *analysis.lookup(function("f"));
  Expr a = shapes.value(function("f").getArgument(0));
  Expr b = shapes.value(function("f").getArgument(1));
  Expr n = shapes.value(function("f").getArgument(2));
  auto constant = [&](int64_t v) { return shapes.arena().constant(v); };
  struct {
    Relation relation;
    SmallVector<StringRef> places;
  } facts[] = {
      {Relation::le(constant(5), a), {"branch", "other", "body", "end"}},
      {Relation::lt(a, b), {"branch"}},
      {Relation::le(b, a), {"other"}},
      {Relation::le(constant(1), n), {"branch", "other", "body"}},
      {Relation::le(b, constant(20)), {"body"}},
      {Relation::le(b, constant(30)), {"body", "end"}},
  };
  SmallVector<StringRef> places{"start", "branch", "other", "body", "end"};
  auto check = [&](FactCursor &cursor, StringRef name) {
    ConstraintSet &set = cursor.before(place(name));
    for (auto &[relation, holdsAt] : facts)
      EXPECT_EQ(set.isProvably(relation), llvm::is_contained(holdsAt, name))
          << name.str();
  };
  // In the order of the program, against it, and each by itself.
  FactCursor forward(shapes), backward(shapes);
  for (StringRef name : places)
    check(forward, name);
  for (StringRef name : llvm::reverse(places))
    check(backward, name);
  for (StringRef name : places) {
    FactCursor alone(shapes);
    check(alone, name);
  }
}

TEST_F(FactCursorTest, KnowsSymbolsMadeLater) {
  parse(program);
  ShapeAnalysis analysis(*module);
  FunctionShapes &shapes = *analysis.lookup(function("f"));
  FactCursor cursor(shapes);
  cursor.before(place("body"));
  Value sum = place("body")->getResult(0);
  Expr e = shapes.value(sum);
  ConstraintSet &set = cursor.before(place("body"));
  EXPECT_TRUE(
      set.isProvably(Relation::le(e, shapes.arena().constant(INT64_MAX))));
}

TEST_F(FactCursorTest, BlocksSeeTheEntryBlockAndThemselves) {
  parse(R"mlir(
func.func @f(%a: index, %c: i1) {
  %0 = symshape.assume %a ["a <= 10"] (a) : index
  cf.cond_br %c, ^left, ^right
^left:
  %1 = symshape.assume %a ["a <= 5"] (a) : index
  cf.br ^right
^right:
  return {end}
}
)mlir");
  ShapeAnalysis analysis(*module);
  FunctionShapes &shapes = *analysis.lookup(function("f"));
  Expr a = shapes.value(function("f").getArgument(0));
  FactCursor cursor(shapes);
  ConstraintSet &set = cursor.before(place("end"));
  EXPECT_TRUE(set.isProvably(Relation::le(a, shapes.arena().constant(10))));
  EXPECT_FALSE(set.isProvably(Relation::le(a, shapes.arena().constant(5))));
}

} // namespace
