//===- CallTest.cpp - Calls, failures and their messages ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests of lib/Runtime/Call.c and Message.c.
//
//===----------------------------------------------------------------------===//

#include "symshape-c/Runtime.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallString.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <atomic>
#include <csetjmp>
#include <random>
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

TEST(CallTest, formatsNumbersOfSeveralWords) {
  EXPECT_EQ(format("{0:2}", {0, 1}), "18446744073709551616");
  EXPECT_EQ(format("{0:2}", {-1, -1}), "-1");
  EXPECT_EQ(format("{0:2}", {-1, 0}), "18446744073709551615");
  EXPECT_EQ(format("{0:2}", {0, 0}), "0");
  EXPECT_EQ(format("{0:2}", {0, INT64_MIN}),
            "-170141183460469231731687303715884105728");
  EXPECT_EQ(format("{2} {0:2}", {0, 5, 7}), "7 92233720368547758080");
  EXPECT_EQ(format("{1:2} {0:0} {0:65} {0:x} {0:}", {1, 2}),
            "{1:2} {0:0} {0:65} {0:x} {0:}");
}

TEST(CallTest, formatsAsArithmeticOfAnyWidthDoes) {
  std::mt19937_64 random(1);
  for (unsigned numWords = 1; numWords <= 64; ++numWords)
    for (int i = 0; i < 20; ++i) {
      std::vector<uint64_t> words(numWords);
      for (uint64_t &word : words)
        word = i % 4 == 0 ? random() % 2 * ~uint64_t(0) : random();
      llvm::APInt number(64 * numWords, llvm::ArrayRef<uint64_t>(words));
      number.ashrInPlace(i % 3 * random() % number.getBitWidth());
      llvm::SmallString<64> expected;
      number.toStringSigned(expected);
      struct {
        std::string message;
        const llvm::APInt &number;
      } failure{"{0:" + std::to_string(numWords) + "}", number};
      EXPECT_EQ(symshape_rt_call(
                    [](void *argument) {
                      auto *f = static_cast<decltype(failure) *>(argument);
                      symshape_rt_fail(f->message.c_str(),
                                       reinterpret_cast<const int64_t *>(
                                           f->number.getRawData()),
                                       f->number.getNumWords());
                    },
                    &failure),
                1);
      ASSERT_EQ(std::string(symshape_rt_last_message()), expected.str().str());
    }
}

TEST(CallTest, tellsSeveralMessages) {
  auto tellMany = [](void *count) {
    for (int64_t i = 0; i < *static_cast<int *>(count); ++i)
      symshape_rt_tell("number {0}", &i, 1);
    symshape_rt_fail("", nullptr, 0);
  };
  int count = 3;
  EXPECT_EQ(symshape_rt_call(tellMany, &count), 1);
  EXPECT_STREQ(symshape_rt_last_message(), "number 0\nnumber 1\nnumber 2");
  // What is told does not outlive its failure.
  EXPECT_EQ(format("alone", {}), "alone");
  count = 5000;
  EXPECT_EQ(symshape_rt_call(tellMany, &count), 1);
  std::string text = symshape_rt_last_message();
  int told = std::count(text.begin(), text.end(), '\n');
  EXPECT_GT(told, 100);
  std::string last = "\nand " + std::to_string(count - told) + " more";
  EXPECT_EQ(text.substr(text.size() - last.size()), last);
  EXPECT_EQ(format("", {}), "");
}

TEST(CallTest, forgetsWhatWasToldByACallThatEnded) {
  EXPECT_EQ(symshape_rt_call(
                [](void *) { symshape_rt_tell("not a failure", nullptr, 0); },
                nullptr),
            0);
  EXPECT_EQ(format("alone", {}), "alone");
}

//===----------------------------------------------------------------------===//
// Calls that are left by a signal, here by a jump
//===----------------------------------------------------------------------===//

std::jmp_buf outside;

/// Allocates, and leaves `depth` calls by a jump.
void leaveByJump(void *depth) {
  (void)_mlir_memref_to_llvm_alloc(1000);
  int64_t left = *static_cast<int64_t *>(depth) - 1;
  if (left == 0)
    std::longjmp(outside, 1);
  symshape_rt_call(leaveByJump, &left);
}

/// Calls, comes back by a jump, and gives up what is above `kept` calls.
void comeBack(int64_t depth, int64_t kept) {
  if (!setjmp(outside)) {
    symshape_rt_call(leaveByJump, &depth);
    FAIL() << "nothing was left by a jump";
  }
  symshape_rt_abandon(kept);
}

TEST(CallTest, freesWhatAbandonedCallsHaveAllocated) {
  int64_t before = symshape_rt_get_counters().live_bytes;
  for (int64_t depth : {1, 2, 5}) {
    comeBack(depth, 0);
    EXPECT_EQ(symshape_rt_depth(), 0);
    EXPECT_EQ(symshape_rt_get_counters().live_bytes, before);
    EXPECT_EQ(format("later {0}", {depth}), "later " + std::to_string(depth));
  }
}

TEST(CallTest, keepsTheCallsAroundAbandonedOnes) {
  int64_t before = symshape_rt_get_counters().live_bytes;
  void *kept = nullptr;
  int status = symshape_rt_call(
      [](void *result) {
        *static_cast<void **>(result) = _mlir_memref_to_llvm_alloc(8);
        comeBack(3, symshape_rt_depth());
        EXPECT_EQ(symshape_rt_depth(), 1);
      },
      &kept);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(symshape_rt_get_counters().live_bytes, before + 8);
  EXPECT_TRUE(symshape_rt_owns(kept));
  _mlir_memref_to_llvm_free(kept);
  EXPECT_EQ(symshape_rt_get_counters().live_bytes, before);
}

TEST(CallTest, aHandlerMayAbandonCalls) {
  symshape_rt_set_handler(
      [](void *, const char *) { comeBack(2, symshape_rt_depth()); }, nullptr);
  EXPECT_EQ(format("told", {}), "told");
  symshape_rt_set_handler(nullptr, nullptr);
  EXPECT_EQ(symshape_rt_depth(), 0);
}

TEST(CallTest, parallelLoopsGoOnAfterAnAbandonedOne) {
  symshape_rt_set_threads(4);
  for (int round = 0; round < 20; ++round) {
    std::thread::id self = std::this_thread::get_id();
    if (!setjmp(outside)) {
      symshape_rt_call(
          [](void *context) {
            symshape_rt_parallel(
                [](void *self, int64_t, int64_t) {
                  if (*static_cast<std::thread::id *>(self) ==
                      std::this_thread::get_id())
                    std::longjmp(outside, 1);
                },
                context, 1000, 1);
          },
          &self);
    }
    symshape_rt_abandon(0);
    std::atomic<int64_t> sum{0};
    symshape_rt_parallel(
        [](void *sum, int64_t begin, int64_t end) {
          *static_cast<std::atomic<int64_t> *>(sum) += end - begin;
        },
        &sum, 1000, 1);
    EXPECT_EQ(sum, 1000);
  }
  symshape_rt_set_threads(1);
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
