//===- InitAllTest.cpp - Registration beside other projects ---------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tool that has the dialect of torch-mlir registers ours beside it.
//
//===----------------------------------------------------------------------===//

#include "symshape/InitAll.h"
#include "gtest/gtest.h"

using namespace mlir;

namespace {
/// Has the name of torch-mlir's dialect, and is not ours.
struct ForeignDialect : Dialect {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ForeignDialect)
  static constexpr StringLiteral getDialectNamespace() { return "tm_tensor"; }
  explicit ForeignDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<ForeignDialect>()) {
  }
};

bool hasForeign(const DialectRegistry &registry) {
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  return context.getLoadedDialect<ForeignDialect>();
}

TEST(InitAllTest, ForeignDialectFirst) {
  DialectRegistry registry;
  registry.insert<ForeignDialect>();
  symshape::registerAllDialects(registry);
  EXPECT_TRUE(hasForeign(registry));
}

TEST(InitAllTest, ForeignDialectLast) {
  DialectRegistry registry;
  symshape::registerAllDialects(registry);
  registry.insert<ForeignDialect>();
  EXPECT_TRUE(hasForeign(registry));
}

TEST(InitAllTest, ReaderGivesWay) {
  DialectRegistry registry;
  registry.insert<ForeignDialect>();
  symshape::registerTMTensorReader(registry);
  EXPECT_TRUE(hasForeign(registry));
}

TEST(InitAllTest, ReaderIsThere) {
  DialectRegistry registry;
  symshape::registerTMTensorReader(registry);
  symshape::registerTMTensorReader(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  EXPECT_TRUE(context.getOrLoadDialect("tm_tensor"));
}
} // namespace
