//===- MemoryTest.cpp - Blocks, counters and guard pages ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests of lib/Runtime/Memory.c, GuardPages.c and Copy.c.
//
//===----------------------------------------------------------------------===//

#include "symshape-c/Runtime.h"
#include "gtest/gtest.h"
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

/// Runs `body` as a call; returns its status.
template <typename Body>
int call(Body body) {
  return symshape_rt_call([](void *p) { (*static_cast<Body *>(p))(); }, &body);
}

class MemoryTest : public testing::Test {
protected:
  void SetUp() override { before = symshape_rt_get_counters(); }
  void TearDown() override {
    symshape_rt_set_guard_mode(SYMSHAPE_RT_GUARD_NONE);
    EXPECT_EQ(symshape_rt_get_counters().live_allocations,
              before.live_allocations);
    EXPECT_EQ(symshape_rt_get_counters().live_bytes, before.live_bytes);
  }
  int64_t live() const {
    return symshape_rt_get_counters().live_allocations -
           before.live_allocations;
  }
  symshape_rt_counters before;
};

TEST_F(MemoryTest, blocksAreAlignedAndDistinct) {
  std::vector<char *> blocks;
  for (int64_t bytes : {0, 1, 63, 64, 65, 1000, 4096, 1 << 20, 5 << 20}) {
    auto *block = static_cast<char *>(_mlir_memref_to_llvm_alloc(bytes));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 64, 0u);
    std::memset(block, bytes & 127, bytes);
    blocks.push_back(block);
  }
  for (char *block : blocks)
    _mlir_memref_to_llvm_free(block);
  _mlir_memref_to_llvm_free(nullptr);
}

TEST_F(MemoryTest, honoursAlignment) {
  for (int64_t alignment = 1; alignment <= 1 << 16; alignment *= 2) {
    void *block = _mlir_memref_to_llvm_aligned_alloc(alignment, 100);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % alignment, 0u);
    std::memset(block, 1, 100);
    _mlir_memref_to_llvm_free(block);
  }
}

TEST_F(MemoryTest, reusesBlocks) {
  void *first = _mlir_memref_to_llvm_alloc(10 << 20);
  _mlir_memref_to_llvm_free(first);
  void *second = _mlir_memref_to_llvm_alloc(10 << 20);
  EXPECT_EQ(first, second);
  _mlir_memref_to_llvm_free(second);
  symshape_rt_trim();
}

// Every size gets a block that holds it, with blocks of all classes in reuse.
TEST_F(MemoryTest, everySizeFits) {
  for (int round = 0; round < 2; ++round)
    for (int64_t bytes = 0; bytes < 5000; bytes += 7) {
      auto *block = static_cast<char *>(_mlir_memref_to_llvm_alloc(bytes));
      std::memset(block, 0x5a, bytes);
      _mlir_memref_to_llvm_free(block);
    }
}

TEST_F(MemoryTest, refusesAbsurdSizes) {
  for (int64_t bytes : {int64_t(-1), INT64_MIN, (int64_t(1) << 47) + 1}) {
    EXPECT_EQ(call([&] { _mlir_memref_to_llvm_alloc(bytes); }), 1);
    EXPECT_NE(std::string(symshape_rt_last_message()).find("refused"),
              std::string::npos);
  }
  EXPECT_EQ(call([&] { _mlir_memref_to_llvm_aligned_alloc(3, 8); }), 1);
}

#if !defined(__has_feature)
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
constexpr bool hasAsan = true;
#else
constexpr bool hasAsan = false;
#endif

TEST_F(MemoryTest, saysThatMemoryIsExhausted) {
  if (hasAsan)
    GTEST_SKIP() << "the sanitizer's allocator does not return null";
  EXPECT_EQ(call([&] { _mlir_memref_to_llvm_alloc(int64_t(1) << 47); }), 1);
  EXPECT_NE(std::string(symshape_rt_last_message()).find("out of memory"),
            std::string::npos);
}

TEST_F(MemoryTest, refusesForeignPointers) {
  alignas(64) char memory[256] = {};
  EXPECT_EQ(call([&] { _mlir_memref_to_llvm_free(memory + 128); }), 1);
  EXPECT_EQ(call([&] {
              void *block = _mlir_memref_to_llvm_alloc(8);
              _mlir_memref_to_llvm_free(block);
              _mlir_memref_to_llvm_free(block);
            }),
            1);
}

TEST_F(MemoryTest, failureFreesWhatTheCallAllocated) {
  void *outside = _mlir_memref_to_llvm_alloc(16);
  EXPECT_EQ(call([&] {
              for (int i = 0; i < 100; ++i)
                _mlir_memref_to_llvm_alloc(i * 100);
              _mlir_memref_to_llvm_free(_mlir_memref_to_llvm_alloc(5));
              symshape_rt_fail("stop", nullptr, 0);
            }),
            1);
  EXPECT_EQ(live(), 1);
  EXPECT_TRUE(symshape_rt_owns(outside));
  _mlir_memref_to_llvm_free(outside);
}

TEST_F(MemoryTest, resultsOfNestedCallsBelongToTheOuterOne) {
  EXPECT_EQ(call([&] {
              EXPECT_EQ(call([] { _mlir_memref_to_llvm_alloc(8); }), 0);
              EXPECT_EQ(live(), 1);
              symshape_rt_fail("stop", nullptr, 0);
            }),
            1);
  EXPECT_EQ(live(), 0);
}

TEST_F(MemoryTest, ownsResultsOnly) {
  void *result = nullptr;
  EXPECT_EQ(call([&] { result = _mlir_memref_to_llvm_alloc(8); }), 0);
  EXPECT_TRUE(symshape_rt_owns(result));
  EXPECT_FALSE(symshape_rt_owns(reinterpret_cast<void *>(0xdeadbeef)));
  EXPECT_FALSE(symshape_rt_owns(nullptr));
  _mlir_memref_to_llvm_free(result);
  EXPECT_FALSE(symshape_rt_owns(result));
}

TEST_F(MemoryTest, resultsMayBeFreedElsewhere) {
  void *result = nullptr;
  EXPECT_EQ(call([&] { result = _mlir_memref_to_llvm_alloc(8); }), 0);
  int64_t there = 0;
  std::thread([&] {
    _mlir_memref_to_llvm_free(result);
    there = symshape_rt_get_counters().live_allocations;
  }).join();
  EXPECT_EQ(live() + there, 0);
  before.live_allocations += 1; // this thread's share of the sum
  before.live_bytes += 8;
}

TEST_F(MemoryTest, countsPeakAndTotal) {
  symshape_rt_counters begin = symshape_rt_get_counters();
  void *a = _mlir_memref_to_llvm_alloc(1 << 24);
  void *b = _mlir_memref_to_llvm_alloc(1 << 24);
  symshape_rt_counters both = symshape_rt_get_counters();
  EXPECT_EQ(both.live_bytes - begin.live_bytes, 2 << 24);
  EXPECT_GE(both.peak_bytes, both.live_bytes);
  EXPECT_EQ(both.total_allocations - begin.total_allocations, 2);
  _mlir_memref_to_llvm_free(a);
  _mlir_memref_to_llvm_free(b);
}

class GuardPageTest : public MemoryTest,
                      public testing::WithParamInterface<int> {
protected:
  symshape_rt_guard_mode mode() const {
    return static_cast<symshape_rt_guard_mode>(GetParam());
  }
};

TEST_P(GuardPageTest, insideIsAccessible) {
  symshape_rt_set_guard_mode(mode());
  for (int64_t bytes : {0, 1, 4, 4095, 4096, 4097, 100000}) {
    auto *block = static_cast<char *>(_mlir_memref_to_llvm_alloc(bytes));
    std::memset(block, 1, bytes);
    EXPECT_EQ(call([&] { EXPECT_TRUE(symshape_rt_owns(block)); }), 0);
    _mlir_memref_to_llvm_free(block);
  }
}

TEST_P(GuardPageTest, outsideIsNot) {
  symshape_rt_set_guard_mode(mode());
  auto *block = static_cast<volatile char *>(_mlir_memref_to_llvm_alloc(12));
  EXPECT_DEATH(block[mode() == SYMSHAPE_RT_GUARD_END ? 12 : -1] = 1, "");
  _mlir_memref_to_llvm_free(const_cast<char *>(block));
}

TEST_P(GuardPageTest, failureFrees) {
  symshape_rt_set_guard_mode(mode());
  EXPECT_EQ(call([&] {
              _mlir_memref_to_llvm_alloc(12);
              symshape_rt_fail("stop", nullptr, 0);
            }),
            1);
}

TEST_P(GuardPageTest, ordinaryBlocksMayBeFreedMeanwhile) {
  void *ordinary = _mlir_memref_to_llvm_alloc(12);
  symshape_rt_set_guard_mode(mode());
  void *guarded = _mlir_memref_to_llvm_alloc(12);
  _mlir_memref_to_llvm_free(ordinary);
  symshape_rt_set_guard_mode(SYMSHAPE_RT_GUARD_NONE);
  _mlir_memref_to_llvm_free(guarded);
}

INSTANTIATE_TEST_SUITE_P(Modes, GuardPageTest,
                         testing::Values(SYMSHAPE_RT_GUARD_END,
                                         SYMSHAPE_RT_GUARD_BEGIN));

/// Descriptor of rank 2.
struct Matrix {
  void *allocated, *aligned;
  int64_t offset, extents[2], strides[2];
};

TEST(CopyTest, matchesElementwiseCopy) {
  for (int64_t rows : {0, 1, 3})
    for (int64_t columns : {0, 1, 4})
      for (bool transposed : {false, true}) {
        std::vector<int> source(40), target(40, -1), expected(40, -1);
        for (int i = 0; i < 40; ++i)
          source[i] = i;
        Matrix from{nullptr, source.data(), 2, {rows, columns}, {5, 1}};
        Matrix to{nullptr, target.data(), 1, {rows, columns}, {6, 1}};
        if (transposed)
          std::swap(from.strides[0], from.strides[1]);
        for (int64_t i = 0; i < rows; ++i)
          for (int64_t j = 0; j < columns; ++j)
            expected[1 + i * 6 + j] =
                source[2 + i * from.strides[0] + j * from.strides[1]];
        symshape_rt_unranked_memref fromAny{2, &from}, toAny{2, &to};
        symshape_rt_copy(sizeof(int), &fromAny, &toAny);
        EXPECT_EQ(target, expected);
      }
}

} // namespace
