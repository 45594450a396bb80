//===- FailureTextTest.cpp - Messages of refused calls --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/FailureText.h"
#include "gtest/gtest.h"

using namespace mlir::symshape;

TEST(FailureTextTest, eachGuardIsAFailureWithItsReasons) {
  FailureText text = parseFailures(
      "@f: guard failed: A*B (6) must equal extent of %x dim 0 (N = 7)\n"
      "  A = 2 is extent of %y dim 0\n"
      "  needed by linalg.matmul at a b.mlir:11:13 (contraction dimension)\n"
      "  needed by the signature\n"
      "symshape: {primitive = dot_general, field = operand[1].shape[1], "
      "observed = 6 != 7}\n"
      "@f: guard failed: 2 must divide extent of %x dim 0 (N = 7)\n"
      "and 3 more");
  ASSERT_EQ(text.failures.size(), 2u);
  EXPECT_EQ(text.numLeftOut, 3);
  const Failure &first = text.failures.front();
  EXPECT_EQ(first.kind, Failure::Guard);
  EXPECT_EQ(first.message, "A*B (6) must equal extent of %x dim 0 (N = 7)\n"
                           "  A = 2 is extent of %y dim 0");
  ASSERT_EQ(first.reasons.size(), 2u);
  EXPECT_EQ(first.reasons[0].op, "linalg.matmul");
  EXPECT_EQ(first.reasons[0].file, "a b.mlir");
  EXPECT_EQ(first.reasons[0].line, 11);
  EXPECT_EQ(first.reasons[0].column, 13);
  EXPECT_EQ(first.reasons[0].field, "contraction dimension");
  EXPECT_EQ(first.reasons[1].op, "the signature");
  EXPECT_EQ(first.reasons[1].place, "");
  EXPECT_EQ(first.primitive, "dot_general");
  EXPECT_EQ(first.field, "operand[1].shape[1]");
  EXPECT_EQ(first.observed, "6 != 7");
  EXPECT_TRUE(text.failures.back().reasons.empty());
}

TEST(FailureTextTest, theOtherKinds) {
  auto kindOf = [](llvm::StringRef message) {
    FailureText text = parseFailures(message);
    return text.failures.size() == 1 ? nameOf(text.failures.front().kind)
                                     : llvm::StringRef("not one");
  };
  EXPECT_EQ(kindOf("@f: the result of tensor.extract (9) must be at most 6\n"
                   "  needed by tensor.extract_slice at m.mlir:1:2 (slice)"),
            "check");
  EXPECT_EQ(kindOf("@f: assert failed: too long: N (9) must be at most 6"),
            "assert");
  EXPECT_EQ(kindOf("@f: expected extent 3 of %y dim 0 (tensor<3xf32>), but "
                   "got 4"),
            "type");
  EXPECT_EQ(kindOf("out of memory: could not begin a call"), "other");
  EXPECT_EQ(kindOf(""), "not one");
}

TEST(FailureTextTest, aNodeOfAModelHasNoLine) {
  FailureReason reason =
      FailureReason::parse("linalg.add at m.onnx: node 3 (extent of dim 1)");
  EXPECT_EQ(reason.place, "m.onnx: node 3");
  EXPECT_EQ(reason.file, "m.onnx");
  EXPECT_EQ(reason.line, 0);
  EXPECT_EQ(reason.column, 0);
  EXPECT_EQ(reason.field, "extent of dim 1");
}
