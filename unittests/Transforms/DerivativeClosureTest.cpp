//===- DerivativeClosureTest.cpp - Derivatives of derivatives -------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the rule of an op emits has rules itself: for each op of the manifest
// that has one, a program of this op can be differentiated twice, in each order
// of forward and reverse. Not for: values (test/Integration).
//
//===----------------------------------------------------------------------===//

#include "DerivativeManifest.h"
#include "DerivativePrograms.h"

#include "../Analysis/ModuleFixture.h"
#include "mlir/IR/Verifier.h"
#include "symshape/Analysis/FactCursor.h"
#include "symshape/Extensions/AllExtensions.h"
#include "symshape/Transforms/AutoDiff.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
struct DerivativeClosureTest : ModuleFixture {
  DerivativeClosureTest() : programs(makeDerivativePrograms()) {
    DialectRegistry models;
    registerDerivativeExternalModels(models);
    context.appendDialectRegistry(models);
  }

  llvm::StringMap<std::vector<std::string>> programs;

  /// Differentiates forward or in reverse; null where that fails.
  func::FuncOp differentiate(func::FuncOp func, bool inReverse) {
    FailureOr<func::FuncOp> result = inReverse ? buildVjp(func, Request(func))
                                               : buildJvp(func, Request(func));
    return succeeded(result) ? *result : nullptr;
  }

  /// Compares the extents of each argument and result that are active with
  /// those of what stands beside it, results only if theirs are known; how
  /// many.
  unsigned checkExtents(func::FuncOp derived, bool inReverse, bool areKnown,
                        StringRef text) {
    auto isActive = [](Value value) {
      return isa<FloatType>(getElementTypeOrSelf(value.getType()));
    };
    func::FuncOp primal = function("f");
    Operation *end = derived.getBody().front().getTerminator();
    auto arguments = llvm::to_vector_of<Value>(derived.getArguments());
    auto results = llvm::to_vector(end->getOperands());
    ArrayRef<Value> values = ArrayRef(arguments).take_front(
                        primal.getNumArguments()),
                    outer = ArrayRef(arguments).drop_front(values.size()),
                    given =
                        ArrayRef(results).take_front(primal.getNumResults()),
                    gotten = ArrayRef(results).drop_front(given.size());
    auto activeOf = [&](ArrayRef<Value> all) {
      return llvm::filter_to_vector(all, isActive);
    };
    ShapeAnalysis analysis(*module);
    FunctionShapes *shapes = analysis.lookup(derived);
    FactCursor cursor(*shapes);
    ConstraintSet &facts = cursor.before(end);
    unsigned count = 0;
    auto compare = [&](ArrayRef<Value> derivatives, ArrayRef<Value> of) {
      ASSERT_EQ(derivatives.size(), of.size()) << text.str();
      for (auto [derivative, value] : llvm::zip(derivatives, of))
        if (auto type = dyn_cast<RankedTensorType>(value.getType()))
          for (int64_t d = 0; d < type.getRank(); ++d, ++count)
            EXPECT_TRUE(facts.isProvably(Relation::eq(
                shapes->dim(derivative, d), shapes->dim(value, d))))
                << "dimension " << d << (inReverse ? ", in reverse" : "")
                << "\n"
                << text.str();
    };
    compare(outer, inReverse ? activeOf(given) : activeOf(values));
    if (areKnown)
      compare(gotten, inReverse ? activeOf(values) : activeOf(given));
    return count;
  }

  void checkTwice(StringRef name, StringRef text) {
    for (bool first : {false, true})
      for (bool second : {false, true}) {
        parse(text);
        ASSERT_TRUE(module) << name.str();
        func::FuncOp once = differentiate(function("f"), first);
        ASSERT_TRUE(once) << name.str() << "\n" << text.str();
        EXPECT_TRUE(differentiate(once, second))
            << name.str() << ", first " << (first ? "in reverse" : "forward")
            << ", second " << (second ? "in reverse" : "forward") << "\n"
            << text.str();
      }
  }
};

/// Where only the parser has loaded dialects.
TEST_F(DerivativeClosureTest, RulesWorkInAFreshContext) {
  unsigned numDerived = 0;
  for (auto &entry : programs)
    for (const std::string &text : entry.second)
      for (bool inReverse : {false, true}) {
        MLIRContext fresh(context.getDialectRegistry(),
                          MLIRContext::Threading::DISABLED);
        auto parsed = parseSourceString<ModuleOp>(text, &fresh);
        ASSERT_TRUE(parsed) << text;
        func::FuncOp derived =
            differentiate(parsed->lookupSymbol<func::FuncOp>("f"), inReverse);
        EXPECT_TRUE(derived && succeeded(verify(*parsed))) << text;
        ++numDerived;
      }
  EXPECT_GE(numDerived, 300u);
}

/// What a derivative gives and takes for a value has the extents of the value,
/// or the derivative does not come to its end.
TEST_F(DerivativeClosureTest, ExtentsAreThoseOfValues) {
  // Their results have extents that are found while they run: by branch, by a
  // number that is no index, or by what the program promises.
  const llvm::StringSet<> found = {"scf.if", "scf.index_switch",
                                   "symshape.dynamic_truncate",
                                   "symshape.with_extents"};
  unsigned numExtents = 0;
  for (auto &entry : programs)
    for (const std::string &text : entry.second)
      for (bool inReverse : {false, true}) {
        parse(text);
        func::FuncOp derived = differentiate(function("f"), inReverse);
        ASSERT_TRUE(derived) << text;
        numExtents += checkExtents(derived, inReverse,
                                   !found.contains(entry.getKey()), text);
      }
  EXPECT_GE(numExtents, 1500u);
}

TEST_F(DerivativeClosureTest, RulesAreClosed) {
  auto check = [&](StringRef name) {
    auto found = programs.find(name);
    ASSERT_TRUE(found != programs.end()) << "no program of " << name.str();
    for (const std::string &text : found->second)
      checkTwice(name, text);
  };
  for (StringRef name : manifest::kLinear)
    check(name);
  for (StringRef name : manifest::kForward)
    check(name);
}
} // namespace
