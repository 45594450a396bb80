//===- ReifyBoundsTest.cpp - Bounds of values in the IR -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/ReifyBounds.h"
#include "../Analysis/ModuleFixture.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
using BoundType = ValueBounds::BoundType;

/// Bounds of the operand of `test.here`, in @f, over the arguments; the op gets
/// them as a second operand.
struct ReifyBoundsTest : ModuleFixture {
  ReifyBoundsTest() { context.allowUnregisteredDialects(); }

  FailureOr<OpFoldResult> reify(StringRef text, BoundType type,
                                ReifyWith ops = ReifyWith::AffineOps,
                                bool closedUB = true) {
    parse(text);
    ShapeAnalysis analysis(*module);
    module->walk([&](Operation *op) {
      if (op->getName().getStringRef() == "test.here")
        place = op;
    });
    ValueBounds bounds(*analysis.lookup(function("f")));
    OpBuilder builder(place);
    auto isArgument = [&](Value v, auto) {
      return llvm::is_contained(function("f").getArguments(), v);
    };
    FailureOr<OpFoldResult> bound =
        reifyBound(builder, place->getLoc(), bounds, place, type,
                   place->getOperand(0), isArgument, ops, closedUB);
    if (succeeded(bound))
      if (auto value = dyn_cast<Value>(*bound))
        place->insertOperands(1, value);
    EXPECT_TRUE(succeeded(verify(*module)));
    return bound;
  }

  /// The bound and the value for given arguments: all ops folded.
  std::pair<int64_t, int64_t> evaluate(ArrayRef<int64_t> arguments) {
    OwningOpRef<ModuleOp> copy(module->clone());
    auto func = copy->lookupSymbol<func::FuncOp>("f");
    OpBuilder builder = OpBuilder::atBlockBegin(&func.getBody().front());
    for (auto [argument, v] : llvm::zip(func.getArguments(), arguments))
      argument.replaceAllUsesWith(
          arith::ConstantIndexOp::create(builder, func.getLoc(), v));
    PassManager passes(&context);
    passes.addPass(createLowerAffinePass());
    passes.addPass(createCanonicalizerPass());
    EXPECT_TRUE(succeeded(passes.run(*copy)));
    std::pair<int64_t, int64_t> result(0, 0);
    copy->walk([&](Operation *op) {
      if (op->getName().getStringRef() == "test.here")
        result = {getConstantIntValue(op->getOperand(1)).value_or(-999),
                  getConstantIntValue(op->getOperand(0)).value_or(-999)};
    });
    return result;
  }

  Operation *place = nullptr;
};

TEST_F(ReifyBoundsTest, ConstantsAndExistingValues) {
  auto bound = reify(R"mlir(
    func.func @f(%a: index) {
      %c8 = arith.constant 8 : index
      %x = arith.remui %a, %c8 : index
      "test.here"(%x) : (index) -> ()
      return
    })mlir",
                     BoundType::UB);
  ASSERT_TRUE(succeeded(bound));
  EXPECT_EQ(getConstantIntValue(*bound), 7);
  bound = reify(R"mlir(
    func.func @f(%a: index, %b: index) {
      %x = arith.minsi %a, %b : index
      %less = arith.cmpi sle, %a, %b : index
      scf.if %less {
        "test.here"(%x) : (index) -> ()
      }
      return
    })mlir",
                BoundType::EQ);
  ASSERT_TRUE(succeeded(bound));
  EXPECT_EQ(dyn_cast<Value>(*bound), function("f").getArgument(0));
}

TEST_F(ReifyBoundsTest, BothSidesInOneOp) {
  const char *text = R"mlir(
    func.func @f(%n: index, %o: index) {
      %x = affine.min affine_map<(d0)[s0] -> (s0 floordiv 2, d0, 32)>(%o)[%n]
      "test.here"(%x) : (index) -> ()
      return
    })mlir";
  ASSERT_TRUE(succeeded(reify(text, BoundType::UB)));
  EXPECT_EQ(count<affine::AffineMinOp>(), 2u);
  EXPECT_EQ(evaluate({9, 32}), (std::pair<int64_t, int64_t>(4, 4)));
  EXPECT_EQ(evaluate({100, 3}), (std::pair<int64_t, int64_t>(3, 3)));
  EXPECT_EQ(evaluate({100, 90}), (std::pair<int64_t, int64_t>(32, 32)));
}

// Both kinds of ops round to minus infinity.
TEST_F(ReifyBoundsTest, DivisionRoundsDown) {
  const char *text = R"mlir(
    func.func @f(%a: index) {
      %x = affine.apply affine_map<(d0) -> (d0 floordiv 2 + d0 mod 3)>(%a)
      "test.here"(%x) : (index) -> ()
      return
    })mlir";
  for (ReifyWith ops : {ReifyWith::AffineOps, ReifyWith::ArithOps}) {
    ASSERT_TRUE(succeeded(reify(text, BoundType::EQ, ops)));
    EXPECT_EQ(count<affine::AffineApplyOp>(),
              ops == ReifyWith::AffineOps ? 2u : 1u);
    for (int64_t a = -9; a <= 9; ++a) {
      auto [bound, value] = evaluate({a});
      EXPECT_EQ(bound, value) << a;
    }
  }
}

TEST_F(ReifyBoundsTest, DimsAndProducts) {
  const char *text = R"mlir(
    func.func @f(%t: tensor<?x?xf32>, %m: memref<?xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %rows = tensor.dim %t, %c0 : tensor<?x?xf32>
      %columns = tensor.dim %t, %c1 : tensor<?x?xf32>
      %n = memref.dim %m, %c0 : memref<?xf32>
      %size = arith.muli %rows, %columns : index
      %x = arith.addi %size, %n : index
      "test.here"(%x) : (index) -> ()
      return
    })mlir";
  ASSERT_TRUE(succeeded(reify(text, BoundType::EQ)));
  EXPECT_EQ(count<tensor::DimOp>(), 4u);
  EXPECT_EQ(count<affine::AffineApplyOp>(), 1u);
}

// What may not fit is computed wide, and cut.
TEST_F(ReifyBoundsTest, BoundsThatDoNotFit) {
  const char *text = R"mlir(
    func.func @f(%a: index, %b: index) {
      %sum = affine.apply affine_map<(d0) -> (d0 + 1)>(%b)
      %less = arith.cmpi sle, %a, %sum : index
      %clamped = affine.min affine_map<(d0)[s0] -> (d0, s0 + 1)>(%a)[%b]
      "test.here"(%clamped) : (index) -> ()
      return
    })mlir";
  ASSERT_TRUE(succeeded(reify(text, BoundType::UB)));
  EXPECT_EQ(evaluate({5, 3}), (std::pair<int64_t, int64_t>(4, 4)));
  EXPECT_EQ(evaluate({5, 9}), (std::pair<int64_t, int64_t>(5, 5)));
  // An open bound cannot be cut.
  EXPECT_TRUE(failed(
      reify(text, BoundType::UB, ReifyWith::AffineOps, /*closedUB=*/false)));
}

TEST_F(ReifyBoundsTest, ValuesMustBeUsable) {
  parse(R"mlir(
    func.func @f(%t: tensor<?xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = tensor.dim %t, %c0 : tensor<?xf32>
      scf.for %i = %c0 to %n step %c1 {
        %x = affine.apply affine_map<(d0) -> (d0 floordiv 2)>(%i)
        "test.here"(%x) : (index) -> ()
      }
      return
    })mlir");
  ShapeAnalysis analysis(*module);
  module->walk([&](Operation *op) {
    if (op->getName().getStringRef() == "test.here")
      place = op;
  });
  ValueBounds bounds(*analysis.lookup(function("f")));
  OpBuilder builder(place->getParentOp());
  auto any = [&](Value v, auto) { return v != place->getOperand(0); };
  auto bound = reifyBound(builder, place->getLoc(), bounds, place,
                          BoundType::UB, place->getOperand(0), any);
  ASSERT_TRUE(succeeded(bound));
  auto apply = cast<Value>(*bound).getDefiningOp<affine::AffineApplyOp>();
  ASSERT_TRUE(apply);
  EXPECT_EQ(apply->getParentOp(), function("f"));
  EXPECT_TRUE(apply.getOperand(0).getDefiningOp<tensor::DimOp>());
  EXPECT_TRUE(failed(reifyBound(builder, place->getLoc(), bounds, place,
                                BoundType::EQ, place->getOperand(0), any)));
}
} // namespace
