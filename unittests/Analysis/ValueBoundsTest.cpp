//===- ValueBoundsTest.cpp - Bounds of values and dims --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Analysis/ValueBounds.h"
#include "ModuleFixture.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::symshape;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

namespace {
using BoundType = ValueBounds::BoundType;
using Comparison = ValueBounds::Comparison;

/// Questions about the one function of a module, where its op `test.here` or
/// its return stands. Operands of `test.here` are asked about.
struct ValueBoundsTest : ModuleFixture {
  ValueBoundsTest() { context.allowUnregisteredDialects(); }

  void analyse(StringRef text) {
    parse(text);
    analysis = std::make_unique<ShapeAnalysis>(*module);
    func = *module->getOps<func::FuncOp>().begin();
    place = func.getBody().back().getTerminator();
    func.walk([&](Operation *op) {
      if (op->getName().getStringRef() == "test.here")
        place = op;
    });
    bounds = std::make_unique<ValueBounds>(*analysis->lookup(func));
  }
  Value operand(unsigned i = 0) { return place->getOperand(i); }
  Value argument(unsigned i) { return func.getArgument(i); }

  /// Bounds over the arguments of the function, which are spelled %0, %1, and
  /// their dims %0.1.
  std::vector<std::string> overArguments(BoundType type, const Quantity &q) {
    return print(bounds->bounds(place, type, q, [](Value v, auto) {
      auto argument = dyn_cast<BlockArgument>(v);
      return argument && isa<func::FuncOp>(argument.getOwner()->getParentOp());
    }));
  }
  /// Bounds over these scalars, spelled %0, %1 in this order.
  std::vector<std::string> over(ArrayRef<Value> values, BoundType type,
                                const Quantity &q) {
    SmallVector<ValueDim> places;
    for (Value v : values)
      places.push_back({v, std::nullopt});
    names = places;
    auto result = print(bounds->dependentBounds(place, type, q, places));
    names.clear();
    return result;
  }

  std::vector<std::string> print(ArrayRef<SymbolicBound> found) {
    ExprArena &arena = analysis->arena();
    std::vector<std::string> lines;
    for (const SymbolicBound &bound : found)
      lines.push_back(arena
                          .substitute(bound.expr,
                                      [&](Expr symbol) -> Expr {
                                        for (auto [s, v] : bound.operands)
                                          if (s == symbol)
                                            return arena.symbol(spell(v));
                                        return Expr();
                                      })
                          .str());
    return lines;
  }
  std::string spell(ValueDim v) {
    for (auto [i, name] : llvm::enumerate(names))
      if (name == v)
        return "%" + std::to_string(i);
    auto argument = dyn_cast<BlockArgument>(v.first);
    if (!argument)
      return "%other";
    std::string text = "%" + std::to_string(argument.getArgNumber());
    return v.second ? text + "." + std::to_string(*v.second) : text;
  }

  func::FuncOp func;
  Operation *place = nullptr;
  SmallVector<ValueDim> names;
  std::unique_ptr<ShapeAnalysis> analysis;
  std::unique_ptr<ValueBounds> bounds;
};

TEST_F(ValueBoundsTest, BothSidesOfMinAndMax) {
  analyse(R"mlir(
    func.func @f(%a: index, %b: index) {
      %min = affine.min affine_map<(d0, d1) -> (d0, d1, 64)>(%a, %b)
      %max = affine.max affine_map<(d0, d1) -> (d0, d1)>(%a, %b)
      "test.here"(%min, %max) : (index, index) -> ()
      return
    })mlir");
  EXPECT_THAT(overArguments(BoundType::UB, operand(0)),
              UnorderedElementsAre("%0", "%1", "64"));
  EXPECT_THAT(overArguments(BoundType::LB, operand(0)),
              ElementsAre("min(%0, %1, 64)"));
  EXPECT_THAT(overArguments(BoundType::EQ, operand(0)),
              ElementsAre("min(%0, %1, 64)"));
  EXPECT_THAT(overArguments(BoundType::LB, operand(1)),
              UnorderedElementsAre("%0", "%1"));
  // In terms of one of the two.
  EXPECT_THAT(over({argument(1)}, BoundType::UB, operand(0)),
              UnorderedElementsAre("%0", "64"));
  EXPECT_THAT(over({argument(1)}, BoundType::LB, operand(1)),
              ElementsAre("%0"));
  // That an index fits its type is no bound.
  EXPECT_THAT(over({argument(1)}, BoundType::UB, operand(1)), IsEmpty());
  EXPECT_EQ(bounds->constantBound(place, BoundType::UB, operand(1)),
            std::nullopt);
}

TEST_F(ValueBoundsTest, ExactOverIntermediateValues) {
  analyse(R"mlir(
    func.func @f(%t: tensor<?x?xf32>, %n: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %rows = tensor.dim %t, %c0 : tensor<?x?xf32>
      %columns = tensor.dim %t, %c1 : tensor<?x?xf32>
      %sum = arith.addi %rows, %columns : index
      %more = arith.addi %sum, %rows : index
      %x = affine.apply affine_map<(d0)[s0] -> (d0 * 2 + s0 + 3)>(%rows)[%columns]
      %half = affine.apply affine_map<(d0) -> (d0 floordiv 2)>(%sum)
      "test.here"(%x, %half, %sum, %more) : (index, index, index, index) -> ()
      return
    })mlir");
  EXPECT_THAT(overArguments(BoundType::EQ, operand(0)),
              ElementsAre("2*%0.0 + %0.1 + 3"));
  EXPECT_THAT(over({operand(2)}, BoundType::EQ, operand(1)),
              ElementsAre("%0 floordiv 2"));
  EXPECT_THAT(over({operand(3)}, BoundType::EQ, operand(0)),
              ElementsAre("%0 + 3"));
  // Neither value alone gives it, both do.
  EXPECT_THAT(over({operand(2)}, BoundType::EQ, operand(0)), IsEmpty());
  EXPECT_THAT(over({operand(2), operand(3)}, BoundType::EQ,
                   Quantity(place->getOperand(0))),
              ElementsAre("%1 + 3"));
  Value rows = operand(2).getDefiningOp()->getOperand(0);
  EXPECT_THAT(over({operand(2), operand(3)}, BoundType::EQ, rows),
              ElementsAre("-%0 + %1"));
  // A dim is 0 at least.
  EXPECT_THAT(over({operand(2)}, BoundType::LB, operand(0)),
              ElementsAre("%0 + 3"));
}

TEST_F(ValueBoundsTest, CountersAndTheTilesTheyMake) {
  analyse(R"mlir(
    func.func @f(%n: index) {
      %c0 = arith.constant 0 : index
      %c32 = arith.constant 32 : index
      scf.for %i = %c0 to %n step %c32 {
        %size = affine.min affine_map<(d0)[s0] -> (s0 - d0, 32)>(%i)[%n]
        "test.here"(%i, %size) : (index, index) -> ()
      }
      return
    })mlir");
  EXPECT_EQ(bounds->constantBound(place, BoundType::UB, operand(1)), 32);
  EXPECT_EQ(bounds->constantBound(place, BoundType::LB, operand(1)), 1);
  EXPECT_EQ(bounds->constantBound(place, BoundType::LB, operand(0)), 0);
  EXPECT_THAT(overArguments(BoundType::LB, operand(0)), ElementsAre("0"));
  // 32*((n + 31) floordiv 32 - 1), which is the last value.
  EXPECT_THAT(overArguments(BoundType::UB, operand(0)),
              ElementsAre("32*((%0 + 31) floordiv 32) - 32"));
  EXPECT_TRUE(bounds->compare(place, operand(1), Comparison::GT, 0).isYes());
  EXPECT_TRUE(bounds->compare(place, operand(1), Comparison::LE, 32).isYes());
  EXPECT_TRUE(bounds->compare(place, operand(1), Comparison::GT, 32).isNo());
  EXPECT_EQ(bounds->compare(place, operand(1), Comparison::EQ, 32).verdict,
            Verdict::Unknown);
  // In terms of what does not depend on the counter.
  EXPECT_THAT(print(bounds->independentBounds(place, BoundType::UB, operand(1),
                                              operand(0))),
              UnorderedElementsAre("%0", "32"));
}

TEST_F(ValueBoundsTest, FactsOfThePlaceAndNoOthers) {
  analyse(R"mlir(
    func.func @f(%n: index, %m: index) {
      %less = arith.cmpi slt, %n, %m : index
      scf.if %less {
        "test.here"(%n) : (index) -> ()
      }
      return
    })mlir");
  Value m = argument(1);
  EXPECT_THAT(over({m}, BoundType::UB, operand()), ElementsAre("%0 - 1"));
  EXPECT_TRUE(bounds->compare(place, operand(), Comparison::LT, m).isYes());
  Value n = operand();
  place = func.getBody().back().getTerminator();
  EXPECT_THAT(over({m}, BoundType::UB, n), IsEmpty());
  EXPECT_EQ(bounds->compare(place, n, Comparison::LT, m).verdict,
            Verdict::Unknown);
}

TEST_F(ValueBoundsTest, ValuesOfBranchesLieBetweenThem) {
  analyse(R"mlir(
    func.func @f(%a: index, %b: index, %n: index, %c: i1, %d: i1) {
      %one = arith.select %c, %a, %b : index
      %two = scf.if %d -> index {
        scf.yield %one : index
      } else {
        %least = arith.minsi %n, %b : index
        scf.yield %least : index
      }
      "test.here"(%one, %two) : (index, index) -> ()
      return
    })mlir");
  EXPECT_THAT(overArguments(BoundType::UB, operand(0)),
              ElementsAre("max(%0, %1)"));
  EXPECT_THAT(overArguments(BoundType::UB, operand(1)),
              ElementsAre("max(%0, %1, min(%1, %2))"));
  EXPECT_THAT(overArguments(BoundType::EQ, operand(0)), IsEmpty());
  EXPECT_EQ(
      bounds->compare(place, operand(0), Comparison::LE, argument(0)).verdict,
      Verdict::Unknown);
}

TEST_F(ValueBoundsTest, MapsOfDimsAreQuantities) {
  analyse(R"mlir(
    func.func @f(%t: tensor<?x8xf32>, %u: tensor<?x8xf32>) {
      return
    })mlir");
  Builder b(&context);
  AffineMap difference =
      AffineMap::get(2, 0, b.getAffineDimExpr(0) - b.getAffineDimExpr(1));
  Value t = argument(0);
  Quantity zero(difference, {Quantity(t, 0), Quantity(t, 0)});
  EXPECT_TRUE(bounds->compare(place, zero, Comparison::EQ, 0).isYes());
  EXPECT_EQ(bounds->constantBound(place, BoundType::EQ, zero), 0);
  AffineMap mod = AffineMap::get(1, 0, b.getAffineDimExpr(0) % 8);
  Quantity rest(mod, {Quantity(t, 0)});
  EXPECT_EQ(bounds->constantBound(place, BoundType::UB, rest), 7);
  EXPECT_EQ(bounds->constantBound(place, BoundType::UB, rest,
                                  /*closedUB=*/false),
            8);
  EXPECT_TRUE(
      bounds->compare(place, Quantity(t, 1), Comparison::EQ, 8).isYes());
}

// A bound of more than 64 bits is not cut.
TEST_F(ValueBoundsTest, WideConstants) {
  analyse(R"mlir(
    func.func @f(%d: tensor<?xf32>) {
      return
    })mlir");
  Builder b(&context);
  AffineMap scaled =
      AffineMap::get(1, 0, b.getAffineDimExpr(0) * (int64_t(1) << 40));
  Quantity wide(scaled, {Quantity(argument(0), 0)});
  EXPECT_EQ(bounds->constantBound(place, BoundType::UB, wide), std::nullopt);
  symshape::Range range = bounds->range(place, wide);
  ASSERT_TRUE(range.max);
  EXPECT_EQ(*range.max, llvm::DynamicAPInt(kMaxExtent) *
                            llvm::DynamicAPInt(int64_t(1) << 40));
  AffineMap last = AffineMap::get(0, 0, b.getAffineConstantExpr(INT64_MAX));
  EXPECT_EQ(bounds->constantBound(place, BoundType::UB, Quantity(last, {}),
                                  /*closedUB=*/false),
            std::nullopt);
}

TEST_F(ValueBoundsTest, SlicesThatOverlap) {
  analyse(R"mlir(
    func.func @f(%o: index, %n: tensor<?xf32>) {
      return
    })mlir");
  Builder b(&context);
  auto box = [&](OpFoldResult offset, OpFoldResult size, OpFoldResult stride) {
    return SliceBox({offset}, {size}, {stride});
  };
  auto c = [&](int64_t v) -> OpFoldResult { return b.getIndexAttr(v); };
  auto overlap = [&](const SliceBox &x, const SliceBox &y) {
    Verdict verdict = bounds->overlap(place, x, y).verdict;
    EXPECT_EQ(verdict, bounds->overlap(place, y, x).verdict);
    return verdict;
  };
  EXPECT_EQ(overlap(box(c(0), c(4), c(1)), box(c(3), c(4), c(1))),
            Verdict::Yes);
  EXPECT_EQ(overlap(box(c(0), c(4), c(1)), box(c(4), c(4), c(1))), Verdict::No);
  // Interleaved; empty; of one element between two others.
  EXPECT_EQ(overlap(box(c(0), c(8), c(2)), box(c(1), c(8), c(2))), Verdict::No);
  EXPECT_EQ(overlap(box(c(0), c(0), c(1)), box(c(0), c(4), c(1))), Verdict::No);
  EXPECT_EQ(overlap(box(c(1), c(1), c(1)), box(c(0), c(4), c(2))), Verdict::No);
  EXPECT_EQ(overlap(box(c(0), c(5), c(6)), box(c(4), c(5), c(10))),
            Verdict::Yes);
  EXPECT_EQ(overlap(box(c(0), c(4), c(6)), box(c(4), c(2), c(10))),
            Verdict::No);
  // Backwards.
  EXPECT_EQ(overlap(box(c(7), c(4), c(-1)), box(c(0), c(5), c(1))),
            Verdict::Yes);
  // Relative to an unknown offset.
  Value o = argument(0);
  EXPECT_EQ(overlap(box(o, c(4), c(1)), box(o, c(2), c(1))), Verdict::Yes);
  EXPECT_EQ(overlap(box(o, c(4), c(1)), box(c(0), c(4), c(1))),
            Verdict::Unknown);
}

TEST_F(ValueBoundsTest, SymbolicSlices) {
  analyse(R"mlir(
    func.func @f(%o: index, %t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
        attributes {symshape.symbols = [#symshape.symbol<"N", range = [1, 100]>]} {
      %c0 = arith.constant 0 : index
      %n = tensor.dim %t, %c0 : tensor<?xf32>
      %next = affine.apply affine_map<(d0)[s0] -> (d0 + s0)>(%o)[%n]
      %inside = affine.apply affine_map<(d0)[s0] -> (d0 + s0 - 1)>(%o)[%n]
      "test.here"(%n, %next, %inside) : (index, index, index) -> ()
      return
    })mlir");
  Builder b(&context);
  OpFoldResult one = b.getIndexAttr(1), two = b.getIndexAttr(2),
               o = argument(0), n = operand(0), next = operand(1),
               inside = operand(2);
  SliceBox tile({o}, {n}, {one});
  EXPECT_TRUE(
      bounds->overlap(place, tile, SliceBox({next}, {n}, {one})).isNo());
  EXPECT_TRUE(
      bounds->overlap(place, tile, SliceBox({inside}, {n}, {one})).isYes());
  EXPECT_TRUE(bounds->equivalent(place, tile, tile).isYes());
  EXPECT_TRUE(
      bounds->equivalent(place, tile, SliceBox({next}, {n}, {one})).isNo());
  EXPECT_EQ(bounds->equivalent(place, tile, SliceBox({o}, {n}, {two})).verdict,
            Verdict::Unknown);
  // Of one element, the stride makes no difference.
  EXPECT_TRUE(bounds
                  ->equivalent(place, SliceBox({o}, {one}, {one}),
                               SliceBox({o}, {one}, {two}))
                  .isYes());
}

TEST_F(ValueBoundsTest, DependenceFollowsLoopsAndBranches) {
  analyse(R"mlir(
    func.func @f(%n: index, %m: index, %c: i1) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %a = arith.addi %n, %c1 : index
      %carried = scf.for %i = %c0 to %m step %c1 iter_args(%x = %c0) -> index {
        %y = arith.addi %x, %a : index
        scf.yield %y : index
      }
      %chosen = scf.if %c -> index {
        scf.yield %n : index
      } else {
        scf.yield %c0 : index
      }
      "test.here"(%a, %carried, %chosen) : (index, index, index) -> ()
      return
    })mlir");
  EXPECT_TRUE(dependsOn(operand(0), argument(0)));
  EXPECT_FALSE(dependsOn(operand(0), argument(1)));
  EXPECT_TRUE(dependsOn(operand(1), argument(0)));
  EXPECT_TRUE(dependsOn(operand(1), argument(1)));
  EXPECT_TRUE(dependsOn(operand(2), argument(0)));
  EXPECT_TRUE(dependsOn(operand(2), argument(2)));
  EXPECT_FALSE(dependsOn(operand(2), argument(1)));
}
} // namespace
