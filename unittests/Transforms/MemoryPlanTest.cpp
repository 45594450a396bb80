//===- MemoryPlanTest.cpp - One arena per function ------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/MemoryPlan.h"
#include "../Analysis/ModuleFixture.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/FormatVariadic.h"
#include <random>

using namespace mlir;
using namespace mlir::symshape;
using llvm::DynamicAPInt;

namespace {
struct MemoryPlanTest : ModuleFixture {
  /// The value of an expression where the scalar arguments have these values.
  static int64_t valueAt(FunctionShapes &shapes, Expr e,
                         ArrayRef<int64_t> arguments) {
    auto value = shapes.arena().evaluateExact(
        e, [&](Expr symbol) -> std::optional<DynamicAPInt> {
          auto argument =
              dyn_cast_or_null<BlockArgument>(shapes.definition(symbol)->value);
          if (!argument)
            return std::nullopt;
          return DynamicAPInt(arguments[argument.getArgNumber()]);
        });
    EXPECT_TRUE(value.has_value());
    return value ? static_cast<int64_t>(*value) : 0;
  }
};

/// A function of straight-line code, and when each of its buffers is in use.
struct RandomProgram {
  explicit RandomProgram(unsigned seed) : random(seed) {
    unsigned numBuffers = 2 + random() % 9, numOps = 3 + random() % 14;
    for (unsigned i = 0; i < numBuffers; ++i)
      buffers.push_back({unsigned(random() % 5), ~0u, 0});
    for (unsigned op = 0; op < numOps; ++op) {
      unsigned source = random() % numBuffers, target = random() % numBuffers;
      for (unsigned used : {source, target}) {
        buffers[used].first = std::min(buffers[used].first, op);
        buffers[used].last = op;
      }
      body += llvm::formatv("  memref.copy %v{0}, %v{1} : memref<?xf32, "
                            "strided<[1]>> to memref<?xf32, strided<[1]>>\n",
                            source, target);
    }
  }

  std::string text() const {
    // Extents: m, n, m + n, 3*m and a constant.
    std::string result = "func.func @f(%m: index, %n: index) {\n"
                         "  %c0 = arith.constant 0 : index\n"
                         "  %c3 = arith.constant 3 : index\n"
                         "  %s4 = arith.constant 100 : index\n"
                         "  %s0 = arith.maxsi %m, %c0 : index\n"
                         "  %s1 = arith.maxsi %n, %c0 : index\n"
                         "  %s2 = arith.addi %s0, %s1 overflow<nsw> : index\n"
                         "  %s3 = arith.muli %s0, %c3 overflow<nsw> : index\n";
    for (auto [i, buffer] : llvm::enumerate(buffers))
      result += llvm::formatv(
          "  %b{0} = memref.alloc(%s{1}) : memref<?xf32>\n  %v{0} = "
          "memref.subview %b{0}[0] [%c0] [1] : memref<?xf32> to memref<?xf32, "
          "strided<[1]>>\n",
          i, buffer.kind);
    return result + body + "  return\n}\n";
  }

  static int64_t bytesOf(unsigned kind, int64_t m, int64_t n) {
    int64_t extents[] = {m, n, m + n, 3 * m, 100};
    return 4 * extents[kind];
  }

  struct Buffer {
    unsigned kind, first, last;
  };
  std::mt19937 random;
  std::vector<Buffer> buffers;
  std::string body;
};

TEST_F(MemoryPlanTest, BuffersInUseTogetherLieApart) {
  for (unsigned seed = 0; seed < 150; ++seed) {
    RandomProgram program(seed);
    parse(program.text());
    ShapeAnalysis analysis(*module);
    ModuleMemoryPlan plans(*module, analysis);
    FunctionShapes &shapes = *analysis.lookup(function("f"));
    const MemoryPlan &plan = *plans.lookup(function("f"));
    ASSERT_EQ(plan.buffers.size(), program.buffers.size());
    EXPECT_TRUE(plan.heap.empty());
    for (std::pair<int64_t, int64_t> at :
         {std::pair(0, 0), {1, 0}, {0, 17}, {16, 16}, {5, 1000}, {999, 3}}) {
      auto [m, n] = at;
      int64_t arena = valueAt(shapes, plan.bytes, {m, n});
      SmallVector<int64_t> offsets;
      for (auto [i, buffer] : llvm::enumerate(program.buffers)) {
        const PlannedBuffer &planned = plan.buffers[i];
        offsets.push_back(valueAt(shapes, planned.offset, {m, n}));
        if (buffer.first > buffer.last)
          continue;
        EXPECT_EQ(offsets[i] % kBufferAlignment, 0);
        EXPECT_LE(offsets[i] + program.bytesOf(buffer.kind, m, n), arena);
        EXPECT_LE(program.bytesOf(buffer.kind, m, n),
                  valueAt(shapes, planned.bytes, {m, n}));
      }
      for (auto [i, a] : llvm::enumerate(program.buffers))
        for (auto [j, b] :
             llvm::enumerate(ArrayRef(program.buffers).take_front(i)))
          if (a.first <= b.last && b.first <= a.last && a.first <= a.last &&
              b.first <= b.last)
            EXPECT_TRUE(
                offsets[i] + program.bytesOf(a.kind, m, n) <= offsets[j] ||
                offsets[j] + program.bytesOf(b.kind, m, n) <= offsets[i])
                << "seed " << seed << ", buffers " << i << " and " << j
                << " at " << m << ", " << n;
      int64_t used = valueAt(shapes, plans.mostInUse(function("f")), {m, n});
      EXPECT_LE(used, arena) << "seed " << seed;
      EXPECT_LE(arena, valueAt(shapes, plans.sumOfAll(function("f")), {m, n}));
    }
  }
}

// Sizes of a callee are those of what it is called with.
TEST_F(MemoryPlanTest, ACallNeedsWhatItsCalleeNeeds) {
  parse(R"mlir(
    func.func private @g(%x: memref<?xf32>) {
      %c0 = arith.constant 0 : index
      %n = memref.dim %x, %c0 : memref<?xf32>
      %a = memref.alloc(%n) : memref<?xf32>
      %b = memref.alloc(%n) : memref<?xf32>
      memref.copy %x, %a : memref<?xf32> to memref<?xf32>
      memref.copy %a, %b : memref<?xf32> to memref<?xf32>
      memref.copy %b, %x : memref<?xf32> to memref<?xf32>
      return
    }
    func.func @f(%n: index, %unused: index) {
      %c0 = arith.constant 0 : index
      %m = arith.maxsi %n, %c0 : index
      %x = memref.alloc(%m) : memref<?xf32>
      call @g(%x) : (memref<?xf32>) -> ()
      return
    })mlir");
  ShapeAnalysis analysis(*module);
  ModuleMemoryPlan plans(*module, analysis);
  FunctionShapes &shapes = *analysis.lookup(function("f"));
  EXPECT_TRUE(plans.lookup(function("g"))->isFromCaller);
  EXPECT_FALSE(plans.lookup(function("f"))->isFromCaller);
  EXPECT_EQ(valueAt(shapes, plans.lookup(function("f"))->bytes, {16, 0}), 192);
  EXPECT_EQ(valueAt(shapes, plans.mostInUse(function("f")), {17, 0}), 384);
  EXPECT_EQ(valueAt(shapes, plans.sumOfAll(function("f")), {16, 0}), 192);
}
} // namespace
