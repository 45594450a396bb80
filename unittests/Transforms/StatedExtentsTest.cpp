//===- StatedExtentsTest.cpp - What an op says of its extents -------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op of ours states the extents of its results three times: as shape facts,
// as ops (ReifyRankedShapedTypeOpInterface) and as bounds for upstream
// (ValueBoundsOpInterface). The facts prove what the other two say.
//
//===----------------------------------------------------------------------===//

#include "DerivativePrograms.h"

#include "../Analysis/ModuleFixture.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "symshape/Analysis/ValueBounds.h"

using namespace mlir;
using namespace mlir::symshape;
using BoundType = presburger::BoundType;

namespace {
struct StatedExtentsTest : ModuleFixture {
  /// A dim of a result, and the ops that compute it.
  struct Reified {
    Value result;
    int64_t dim;
    OpFoldResult size;
  };

  /// Gives sizes that are no integers names.
  void canonicalize() {
    PassManager passes(&context);
    passes.addPass(createCanonicalizerPass());
    ASSERT_TRUE(succeeded(passes.run(*module)));
  }

  /// Writes the extents of all results of ops of ours behind them.
  std::vector<Reified> reifyAll() {
    std::vector<Reified> all;
    SmallVector<Operation *> ops;
    module->walk([&](ReifyRankedShapedTypeOpInterface op) {
      if (isa<SymShapeDialect>(op->getDialect()))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      OpBuilder builder(&context);
      builder.setInsertionPointAfter(op);
      ReifiedRankedShapedTypeDims shapes;
      if (failed(reifyResultShapes(builder, op, shapes))) {
        ADD_FAILURE() << "expected extents of "
                      << op->getName().getStringRef().str();
        continue;
      }
      for (auto [result, sizes] : llvm::zip(op->getResults(), shapes))
        for (auto [d, size] : llvm::enumerate(sizes))
          all.push_back({result, int64_t(d), size});
    }
    return all;
  }

  /// Whether a bound that upstream finds from what the op states is proved;
  /// nullopt where it finds none.
  std::optional<bool> isProvedBound(ValueBounds &bounds, const Reified &of,
                                    BoundType type) {
    AffineMap map;
    ValueDimList operands;
    auto stop = [&](Value value, std::optional<int64_t>,
                    ValueBoundsConstraintSet &) { return value != of.result; };
    if (failed(ValueBoundsConstraintSet::computeBound(map, operands, type,
                                                      {of.result, of.dim}, stop,
                                                      /*closedUB=*/true)))
      return std::nullopt;
    SmallVector<Quantity> quantities(operands.begin(), operands.end());
    Operation *end = Value(of.result).getParentBlock()->getTerminator();
    auto comparison = type == BoundType::LB ? ValueBounds::Comparison::GE
                                            : ValueBounds::Comparison::LE;
    return bounds
        .compare(end, Quantity(of.result, of.dim), comparison,
                 Quantity(map, quantities))
        .isYes();
  }
};

TEST_F(StatedExtentsTest, FactsProveWhatIsReifiedAndBounded) {
  unsigned numReified = 0, numBounds = 0;
  for (const auto &program : makeDerivativePrograms())
    for (const std::string &text : program.getValue()) {
      parse(text);
      canonicalize();
      std::vector<Reified> all = reifyAll();
      // Bounds are those of integers, which do not wrap.
      ShapeAnalysis analysis(*module, ShapeAnalysisOptions{true});
      for (const Reified &each : all) {
        auto parent =
            each.result.getDefiningOp()->getParentOfType<func::FuncOp>();
        ValueBounds bounds(*analysis.lookup(parent));
        Operation *end = Value(each.result).getParentBlock()->getTerminator();
        EXPECT_TRUE(bounds
                        .compare(end, Quantity(each.result, each.dim),
                                 ValueBounds::Comparison::EQ,
                                 Quantity(each.size))
                        .isYes())
            << "dim " << each.dim << " as reified in\n"
            << text;
        ++numReified;
        for (BoundType type : {BoundType::LB, BoundType::UB})
          if (auto isProved = isProvedBound(bounds, each, type)) {
            EXPECT_TRUE(*isProved)
                << (type == BoundType::LB ? "lower" : "upper")
                << " bound of dim " << each.dim << " in\n"
                << text;
            ++numBounds;
          }
      }
    }
  EXPECT_GE(numReified, 45u);
  EXPECT_GE(numBounds, 90u);
}
} // namespace
