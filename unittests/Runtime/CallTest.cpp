//===- CallTest.cpp - Calls, failures and their messages ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests of lib/Runtime/Call.c.
//
//===----------------------------------------------------------------------===//

#include "symshape-c/Runtime.h"
#include "gtest/gtest.h"
#include <string>
#include <thread>

namespace {

/// Formats through a failing call.
std::string format(const char *message, std::initializer_list<int64_t> values) {
  struct Failure {
    const char *message;
    std::initializer_list<int64_t> values;
  } failure{message, values};
  int status = symshape_rt_call(
      [](void *argument) {
        auto *failure = static_cast<Failure *>(argument);
        symshape_rt_fail(failure->message, failure->values.begin(),
                         failure->values.size());
      },
      &failure);
  EXPECT_EQ(status, 1);
  return symshape_rt_last_message();
}

TEST(CallTest, runsToTheEnd) {
  int x = 1;
  EXPECT_EQ(symshape_rt_call([](void *p) { ++*static_cast<int *>(p); }, &x), 0);
  EXPECT_EQ(x, 2);
}

TEST(CallTest, formatsPlaceholders) {
  EXPECT_EQ(format("plain", {}), "plain");
  EXPECT_EQ(format("B = {0}, C = {1}, B again {0}", {4, -3}),
            "B = 4, C = -3, B again 4");
  EXPECT_EQ(format("{{0} and {{", {7}), "{0} and {");
  EXPECT_EQ(format("{0}", {INT64_MIN}), "-9223372036854775808");
  EXPECT_EQ(format("", {}), "");
}

TEST(CallTest, leavesWhatIsNoPlaceholder) {
  EXPECT_EQ(format("{1} {x} {} {", {7}), "{1} {x} {} {");
  EXPECT_EQ(format("{99999999999999999999}", {7}), "{99999999999999999999}");
  EXPECT_EQ(format("}}", {}), "}}");
}

TEST(CallTest, cutsLongMessages) {
  std::string text(100000, 'x');
  std::string cut = format(text.c_str(), {});
  EXPECT_GT(cut.size(), 1000u);
  EXPECT_EQ(cut, text.substr(0, cut.size()));
}

TEST(CallTest, failureEndsInnermostCall) {
  static int reached;
  reached = 0;
  int status = symshape_rt_call(
      [](void *) {
        EXPECT_EQ(
            symshape_rt_call([](void *) { symshape_rt_fail("x", nullptr, 0); },
                             nullptr),
            1);
        ++reached;
      },
      nullptr);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(reached, 1);
}

TEST(CallTest, handlerSeesMessage) {
  std::string seen;
  symshape_rt_set_handler(
      [](void *context, const char *message) {
        *static_cast<std::string *>(context) += message;
      },
      &seen);
  format("n = {0}", {3});
  symshape_rt_set_handler(nullptr, nullptr);
  format("not seen", {});
  EXPECT_EQ(seen, "n = 3");
}

TEST(CallTest, handlerMayCall) {
  symshape_rt_set_handler(
      [](void *, const char *) {
        void *kept = nullptr;
        EXPECT_EQ(symshape_rt_call(
                      [](void *p) {
                        *static_cast<void **>(p) =
                            _mlir_memref_to_llvm_alloc(8);
                      },
                      &kept),
                  0);
        EXPECT_TRUE(symshape_rt_owns(kept));
        _mlir_memref_to_llvm_free(kept);
      },
      nullptr);
  format("x", {});
  symshape_rt_set_handler(nullptr, nullptr);
}

TEST(CallTest, handlersBelongToThreads) {
  int count = 0;
  symshape_rt_set_handler(
      [](void *context, const char *) { ++*static_cast<int *>(context); },
      &count);
  std::thread([] { format("elsewhere", {}); }).join();
  symshape_rt_set_handler(nullptr, nullptr);
  EXPECT_EQ(count, 0);
}

TEST(CallDeathTest, abortsOutsideOfCalls) {
  const int64_t value = 5;
  EXPECT_DEATH(symshape_rt_fail("n = {0}", &value, 1),
               "error: symshape: n = 5");
}

} // namespace
