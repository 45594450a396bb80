//===- ExprEmitterTest.cpp - Expressions as arith ops -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/ExprEmitter.h"
#include "../Analysis/ModuleFixture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::symshape;
using llvm::DynamicAPInt;

namespace {
/// Emits expressions over x, y and z, and computes them by folding.
struct ExprEmitterTest : ModuleFixture {
  /// What `emit` computes for values of the symbols; nullopt where it emits
  /// nothing, or what does not fold (as a division by zero).
  std::optional<APInt> compute(ArrayRef<int64_t> values,
                               llvm::function_ref<Value(ExprEmitter &)> emit) {
    Location loc = UnknownLoc::get(&context);
    OwningOpRef<ModuleOp> owner = ModuleOp::create(loc);
    OpBuilder builder(owner->getBodyRegion());
    auto func = func::FuncOp::create(builder, loc, "f",
                                     builder.getFunctionType({}, {}));
    builder.setInsertionPointToStart(func.addEntryBlock());
    auto valueOf = [&](Expr symbol) -> Value {
      size_t i = names.find(*symbol.asSymbol());
      if (i >= values.size())
        return Value();
      return arith::ConstantIndexOp::create(builder, loc, values[i]);
    };
    auto rangeOf = [&](Expr) { return range; };
    ExprEmitter emitter(builder, loc, valueOf, rangeOf);
    Value result = emit(emitter);
    if (!result)
      return std::nullopt;
    auto ret = func::ReturnOp::create(builder, loc, result);
    (void)applyPatternsGreedily(func, RewritePatternSet(&context));
    APInt constant;
    if (!matchPattern(ret.getOperand(0), m_ConstantInt(&constant)))
      return std::nullopt;
    return constant;
  }

  std::optional<APInt> index(StringRef text, ArrayRef<int64_t> values) {
    ParseError error;
    Expr e = arena.parse(text, error);
    return compute(values, [&](ExprEmitter &it) { return it.emitIndex(e); });
  }
  std::optional<APInt> condition(const Formula &f, ArrayRef<int64_t> values) {
    return compute(values,
                   [&](ExprEmitter &it) { return it.emitCondition(f); });
  }
  Formula formula(StringRef text) {
    ParseError error;
    return *Relation::parse(arena, text, error);
  }
  auto exactly(ArrayRef<int64_t> values) {
    return [this, values](Expr symbol) -> std::optional<DynamicAPInt> {
      return DynamicAPInt(values[names.find(*symbol.asSymbol())]);
    };
  }

  ExprArena arena;
  symshape::Range range = symshape::Range::between(INT64_MIN, INT64_MAX);
  StringRef names = "xyz";
};

const int64_t kValues[] = {INT64_MIN, INT64_MIN + 1, -7, -2, -1, 0, 1,
                           3,         INT64_MAX};

TEST_F(ExprEmitterTest, IndexAgreesWithExactEvaluation) {
  for (StringRef text :
       {"x + y", "x - y", "3*x*y - 2", "x*x - y*y", "x floordiv y",
        "x ceildiv y", "x mod y", "min(x, y, 2)", "max(x, y - 1)", "bc(x, y)",
        "(x + y) floordiv (x - y)", "(x floordiv 4)*4 + y mod 3"}) {
    ParseError error;
    Expr e = arena.parse(text, error);
    ASSERT_TRUE(e) << text.str();
    for (int64_t x : kValues)
      for (int64_t y : kValues) {
        int64_t values[] = {x, y};
        std::optional<APInt> emitted = index(text, values);
        ASSERT_TRUE(emitted) << text.str() << " " << x << " " << y;
        std::optional<DynamicAPInt> exact =
            arena.evaluateExact(e, exactly(values));
        bool fits = exact && *exact >= DynamicAPInt(INT64_MIN) &&
                    *exact <= DynamicAPInt(INT64_MAX);
        if (fits)
          EXPECT_EQ(emitted->getSExtValue(), static_cast<int64_t>(*exact))
              << text.str() << " " << x << " " << y;
      }
  }
}

TEST_F(ExprEmitterTest, ConditionsAgreeWithExactEvaluation) {
  for (StringRef text :
       {"x + y <= 3", "x*y == 2", "x*x*x != y*y*y", "x - y <= y - x", "x | y",
        "3 | x + y", "0 | x", "x*y | y", "x floordiv y <= 1", "x mod y == 1",
        "min(x, y) + 1 <= max(x, y)", "bc(x, y) == y", "x + 1 <= y"}) {
    Formula f = formula(text);
    for (const Formula &g : {f, Formula::negate(f)})
      for (int64_t x : kValues)
        for (int64_t y : kValues) {
          int64_t values[] = {x, y};
          std::optional<APInt> emitted = condition(g, values);
          ASSERT_TRUE(emitted) << g.str() << " " << x << " " << y;
          std::optional<bool> exact = g.evaluate(exactly(values));
          if (exact)
            EXPECT_EQ(emitted->getBoolValue(), *exact)
                << g.str() << " " << x << " " << y;
        }
  }
}

TEST_F(ExprEmitterTest, ConditionsOfLargeExtents) {
  range = symshape::Range::between(0, (int64_t(1) << 48) - 1);
  int64_t top = (int64_t(1) << 48) - 1;
  for (StringRef text : {"x*y*z <= 100", "x*y*z == x", "x*y - z <= 0",
                         "x*x*x*y*y*y*z*z*z != 0", "x*y | z"}) {
    Formula f = formula(text);
    for (int64_t x : {int64_t(0), int64_t(1), int64_t(1) << 32, top - 1, top})
      for (int64_t y : {int64_t(0), int64_t(1), int64_t(1) << 32, top})
        for (int64_t z : {int64_t(0), int64_t(1), int64_t(4), top}) {
          int64_t values[] = {x, y, z};
          std::optional<APInt> emitted = condition(f, values);
          ASSERT_TRUE(emitted);
          EXPECT_EQ(emitted->getBoolValue(), *f.evaluate(exactly(values)))
              << f.str() << " " << x << " " << y << " " << z;
        }
  }
}

TEST_F(ExprEmitterTest, ConnectivesAndConstants) {
  Formula a = formula("x <= 1"), b = formula("y <= 1");
  for (int64_t x : {0, 2})
    for (int64_t y : {0, 2}) {
      EXPECT_EQ(condition(Formula::conj(a, b), {x, y})->getBoolValue(),
                x == 0 && y == 0);
      EXPECT_EQ(condition(Formula::disj(a, b), {x, y})->getBoolValue(),
                x == 0 || y == 0);
    }
  EXPECT_TRUE(condition(Formula::truth(true), {})->getBoolValue());
  EXPECT_FALSE(condition(Formula::truth(false), {})->getBoolValue());
}

TEST_F(ExprEmitterTest, NothingWithoutValues) {
  EXPECT_FALSE(index("x + z", {1, 2}));
  EXPECT_FALSE(condition(formula("z <= 1"), {1, 2}));
  EXPECT_FALSE(condition(Formula::opaque(), {1, 2}));
  EXPECT_FALSE(
      condition(Formula::conj(formula("x <= 1"), Formula::opaque()), {1, 2}));
}
} // namespace
