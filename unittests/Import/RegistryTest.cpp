//===- RegistryTest.cpp - Definitions of ONNX ops by version --------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Import/ONNX/Node.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::symshape::onnx;

static LogicalResult emitNothing(Node &) { return success(); }

namespace {
TEST(RegistryTest, ANodeHasTheNewestDefinitionThatItsVersionKnows) {
  Registry ops;
  ops.add("my.audio", "Frames", {/*minInputs=*/2, emitNothing, /*since=*/3});
  ops.add("my.audio", "Frames", {/*minInputs=*/4, emitNothing, /*since=*/7});
  ops.add("my.audio", "Frames", {/*minInputs=*/3, emitNothing, /*since=*/5});
  auto inputsAt = [&](int64_t version) -> int {
    const Definition *found = ops.find("my.audio", "Frames", version);
    return found ? int(found->minInputs) : -1;
  };
  EXPECT_EQ(inputsAt(1), -1);
  EXPECT_EQ(inputsAt(2), -1);
  EXPECT_EQ(inputsAt(3), 2);
  EXPECT_EQ(inputsAt(4), 2);
  EXPECT_EQ(inputsAt(5), 3);
  EXPECT_EQ(inputsAt(6), 3);
  EXPECT_EQ(inputsAt(7), 4);
  EXPECT_EQ(inputsAt(99), 4);
  EXPECT_EQ(ops.find("", "Frames", 7), nullptr);
  ops.add("my.audio", "Frames", {/*minInputs=*/9, emitNothing, /*since=*/5});
  EXPECT_EQ(inputsAt(5), 9);
  EXPECT_EQ(inputsAt(7), 4);
}

TEST(RegistryTest, AiOnnxHasTwoSpellings) {
  EXPECT_EQ(Registry::standard().find("", "Add", 14),
            Registry::standard().find("ai.onnx", "Add", 14));
  EXPECT_NE(Registry::standard().find("", "Add", 1), nullptr);
}
/// Two users in one process, each with definitions of its own.
TEST(RegistryTest, RegistriesDoNotMeet) {
  auto one = Registry::standardAnd([](Registry &ops) {
    ops.add("my.audio", "Frames", {/*minInputs=*/1, emitNothing});
    ops.add("Add", 7, emitNothing);
  });
  auto other = Registry::standardAnd([](Registry &ops) {
    ops.add("my.audio", "Frames", {/*minInputs=*/2, emitNothing});
  });
  EXPECT_EQ(one->find("my.audio", "Frames", 1)->minInputs, 1u);
  EXPECT_EQ(other->find("my.audio", "Frames", 1)->minInputs, 2u);
  EXPECT_EQ(Registry::standard().find("my.audio", "Frames", 1), nullptr);
  EXPECT_EQ(one->find("", "Add", 14)->minInputs, 7u);
  EXPECT_EQ(other->find("", "Add", 14)->minInputs,
            Registry::standard().find("", "Add", 14)->minInputs);
  EXPECT_NE(Registry::standard().find("", "Add", 14)->minInputs, 7u);
}
} // namespace
