//===- CodeInterfaceTest.cpp - What code says of itself -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/CodeInterface.h"
#include "gtest/gtest.h"

using namespace mlir::symshape;

TEST(CodeInterfaceTest, listsWhatOnlyPrepareReads) {
  CodeInterface said;
  said.preparedRanks = {4, 0};
  said.arguments = {"tensor ?xf32", "tensor 2xf32", "tensor f32"};
  said.functions = {"f", "f.prepare"};
  std::string without = said.serialize();
  said.onlyPrepared = {0, 2};
  std::string with = said.serialize();
  EXPECT_EQ(CodeInterface::parse(with), said);
  // Without, it is what linkers have read so far.
  EXPECT_EQ(with.size(), without.size() + 3 * 8);
  EXPECT_EQ(CodeInterface::parse(without)->onlyPrepared.size(), 0u);
  said.onlyPrepared = {3}; // there are three arguments
  EXPECT_EQ(CodeInterface::parse(said.serialize()), std::nullopt);
  for (size_t size = 0; size < with.size(); ++size)
    EXPECT_EQ(CodeInterface::parse(with.substr(0, size)), std::nullopt) << size;
}

TEST(CodeInterfaceTest, listsNoArgumentWhereThereIsNone) {
  CodeInterface said;
  said.functions = {"f"};
  said.onlyPrepared = {0};
  EXPECT_EQ(CodeInterface::parse(said.serialize()), std::nullopt);
}
