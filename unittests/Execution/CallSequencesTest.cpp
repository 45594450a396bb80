//===- CallSequencesTest.cpp - What is compiled as it is ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/Execution/CallSequences.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

using namespace mlir::symshape;

namespace {
/// A module of an exported @wrapper, which calls @inner, which calls @main;
/// with this many stores in @main, or a loop of them.
struct Chain {
  Chain(unsigned numStores, bool hasLoop, const char *attributes = "") {
    std::string stores;
    for (unsigned i = 0; i < numStores; ++i)
      stores += "  store i64 " + std::to_string(i) + ", ptr %p\n";
    std::string end = hasLoop ? "  %v = load i1, ptr %p\n"
                                "  br i1 %v, label %body, label %end\n"
                                "end:\n  ret void\n"
                              : "  ret void\n";
    std::string text = "define internal void @main(ptr %p) " +
                       std::string(attributes) +
                       " {\n  br label %body\nbody:\n" + stores + end +
                       "}\n"
                       "define internal void @inner(ptr %p) {\n"
                       "  call void @main(ptr %p)\n  ret void\n}\n"
                       "define void @wrapper(ptr %p) {\n"
                       "  call void @inner(ptr %p)\n  ret void\n}\n"
                       "define void @other(ptr %p) {\n"
                       "  store i64 1, ptr %p\n  ret void\n}\n";
    llvm::SMDiagnostic error;
    module = llvm::parseAssemblyString(text, error, context);
    EXPECT_TRUE(module) << error.getMessage().str();
    llvm::StringSet<> exports;
    exports.insert("wrapper");
    exports.insert("other");
    leaveCallSequences(*module, exports);
  }

  bool isLeft(llvm::StringRef name) const {
    llvm::Function *function = module->getFunction(name);
    EXPECT_EQ(function->hasOptNone(),
              function->hasFnAttribute(llvm::Attribute::NoInline));
    return function->hasOptNone();
  }

  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
};

// A call spends its time in what the long function calls, and what only calls
// that one is not worth a pass either.
TEST(CallSequencesTest, LongOnesAreLeftWithTheirWrappers) {
  Chain chain(3000, /*hasLoop=*/false);
  EXPECT_TRUE(chain.isLeft("main"));
  EXPECT_TRUE(chain.isLeft("inner"));
  EXPECT_TRUE(chain.isLeft("wrapper"));
  EXPECT_FALSE(chain.isLeft("other"));
}

// Calls of small programs take some of their time in them; loops compute.
TEST(CallSequencesTest, ShortOnesAndLoopsAreOptimized) {
  for (bool hasLoop : {false, true}) {
    Chain chain(hasLoop ? 3000 : 100, hasLoop);
    for (const char *name : {"main", "inner", "wrapper", "other"})
      EXPECT_FALSE(chain.isLeft(name)) << name << hasLoop;
  }
}

// The stack is no place for the values of so many instructions.
TEST(CallSequencesTest, VeryLongOnesAreOptimized) {
  Chain chain(100001, /*hasLoop=*/false);
  EXPECT_FALSE(chain.isLeft("main"));
  EXPECT_FALSE(chain.isLeft("wrapper"));
}

TEST(CallSequencesTest, WhatRunsOnceIsLeftEvenIfShort) {
  Chain chain(100, /*hasLoop=*/false, "\"symshape-runs-once\"");
  EXPECT_TRUE(chain.isLeft("main"));
  EXPECT_TRUE(chain.isLeft("wrapper"));
  EXPECT_FALSE(chain.isLeft("other"));
  Chain loop(100, /*hasLoop=*/true, "\"symshape-runs-once\"");
  EXPECT_FALSE(loop.isLeft("main"));
}
} // namespace
