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
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "symshape/Constraints/QuestionLog.h"
#include "symshape/Transforms/Passes.h"
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
/// `count` buffers that are all in use at the last op, of extents that are
/// `kinds` arguments in turn, or one of them each.
std::string manyBuffers(unsigned count, unsigned kinds) {
  std::string text = "func.func @f(", body, last;
  for (unsigned k = 0; k < kinds; ++k)
    text += llvm::formatv("{0}%n{1}: index", k ? ", " : "", k);
  text += ") {\n  %c0 = arith.constant 0 : index\n";
  for (unsigned k = 0; k < kinds; ++k)
    text += llvm::formatv("  %m{0} = arith.maxsi %n{0}, %c0 : index\n", k);
  for (unsigned i = 0; i < count; ++i) {
    text += llvm::formatv(
        "  %b{0} = memref.alloc(%m{1}) : memref<?x16xf32>\n  %v{0} = "
        "memref.subview %b{0}[0, 0] [%c0, 16] [1, 1] : memref<?x16xf32> to "
        "memref<?x16xf32, strided<[16, 1]>>\n",
        i, i % kinds);
    for (std::string *part : {&body, &last})
      *part += llvm::formatv("  memref.copy %v{0}, %v{1} : memref<?x16xf32, "
                             "strided<[16, 1]>> to memref<?x16xf32, "
                             "strided<[16, 1]>>\n",
                             i, part == &body ? i : (i + 1) % count);
  }
  return text + body + last + "  return\n}\n";
}

// What a plan costs grows with the number of buffers: expressions, ends that
// are compared, text, and ops.
TEST_F(MemoryPlanTest, CostGrowsWithTheNumberOfBuffers) {
  for (unsigned kinds : {1u, 3u, 300u})
    for (unsigned count : {30u, 100u, 300u}) {
      parse(manyBuffers(count, kinds));
      func::FuncOp f = function("f");
      auto numOps = [&] {
        return std::distance(f.getBody().front().begin(),
                             f.getBody().front().end());
      };
      size_t before = numOps();
      ShapeAnalysis analysis(*module);
      ModuleMemoryPlan plans(*module, analysis);
      FunctionShapes &shapes = *analysis.lookup(f);
      const MemoryPlan &plan = *plans.lookup(f);
      ASSERT_EQ(plan.buffers.size(), count);
      size_t comparisons = plan.top.size(), text = 0;
      SmallVector<int64_t> arguments(kinds, 5);
      arguments[0] = 0;
      arguments.back() = 1000;
      std::vector<std::pair<int64_t, int64_t>> places;
      int64_t sum = 0;
      for (const PlannedBuffer &buffer : plan.buffers) {
        comparisons += buffer.below.size();
        text += spellOverArguments(shapes, buffer.offset).size();
        int64_t offset = valueAt(shapes, buffer.offset, arguments);
        int64_t bytes = valueAt(shapes, buffer.bytes, arguments);
        places.push_back({offset, offset + bytes});
        sum += bytes;
      }
      // All in use at once: one upon the other, without gaps.
      EXPECT_EQ(comparisons, count) << kinds;
      EXPECT_EQ(valueAt(shapes, plan.bytes, arguments), sum);
      EXPECT_EQ(valueAt(shapes, plans.mostInUse(f), arguments), sum);
      llvm::sort(places);
      for (size_t i = 1; i < places.size(); ++i)
        EXPECT_LE(places[i - 1].second, places[i].first);
      EXPECT_LE(text, (kinds == 1 ? 40 : 1200) * size_t(count));
      applyMemoryPlan(plans, analysis);
      ASSERT_TRUE(succeeded(verify(*module)));
      EXPECT_LE(numOps(), before + 2 * count + 12 * std::min(kinds, count) + 8);
    }
}

// What comes behind the place of the arena, but can be computed before.
TEST_F(MemoryPlanTest, SizesAreComputedEarly) {
  parse(R"mlir(
    func.func @f(%n: index, %x: memref<?xi32>) {
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %m = arith.maxsi %n, %c0 : index
      %a = memref.alloc(%m) : memref<?xi32>
      memref.copy %x, %a : memref<?xi32> to memref<?xi32>
      %p = arith.muli %m, %m : index
      %q = arith.maxsi %p, %c2 : index
      %b = memref.alloc(%q) : memref<?xi32>
      memref.copy %a, %b : memref<?xi32> to memref<?xi32>
      %first = memref.load %a[%c0] : memref<?xi32>
      %i = arith.index_cast %first : i32 to index
      %j = arith.floordivsi %i, %c2 : index
      %k = arith.maxsi %j, %c0 : index
      %c = memref.alloc(%k) : memref<?xi32>
      memref.copy %a, %c : memref<?xi32> to memref<?xi32>
      memref.copy %c, %x : memref<?xi32> to memref<?xi32>
      memref.copy %b, %x : memref<?xi32> to memref<?xi32>
      return
    })mlir");
  ShapeAnalysis analysis(*module);
  ModuleMemoryPlan plans(*module, analysis);
  const MemoryPlan &plan = *plans.lookup(function("f"));
  // What an i32 is at most is no reason to reserve 4 GB.
  EXPECT_EQ(plan.buffers.size(), 2u);
  ASSERT_EQ(plan.heap.size(), 1u);
  EXPECT_NE(plan.heap[0].reason.find("memref.load"), std::string::npos);
  EXPECT_FALSE(plan.early.empty());
  for (const PlannedBuffer &buffer : plan.buffers)
    EXPECT_TRUE(buffer.bounds.empty());
  applyMemoryPlan(plans, analysis);
  EXPECT_TRUE(succeeded(verify(*module)));
}

/// A buffer whose rows are worked on four at a time, by `work`; a call that
/// needs memory, so that something is asked; and a function that does not.
static std::string loopOf(StringRef work) {
  return llvm::formatv(R"mlir(
    func.func private @tile(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>,
                            %n: index) {{
      memref.copy %x, %x : memref<?x?xf32, strided<[?, 1], offset: ?>> to
          memref<?x?xf32, strided<[?, 1], offset: ?>>
      return
    }
    func.func private @needy(%x: memref<?xf32>, %n: index) {{
      %a = memref.alloc(%n) : memref<?xf32>
      memref.copy %x, %a : memref<?xf32> to memref<?xf32>
      memref.copy %a, %x : memref<?xf32> to memref<?xf32>
      return
    }
    func.func @f(%x: memref<?x?xf32>, %y: memref<?xf32>) {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %m = memref.dim %x, %c0 : memref<?x?xf32>
      %n = memref.dim %x, %c1 : memref<?x?xf32>
      %a = memref.alloc(%m, %n) : memref<?x?xf32>
      memref.copy %x, %a : memref<?x?xf32> to memref<?x?xf32>
      %k = arith.ceildivui %m, %c4 : index
      scf.for %i = %c0 to %k step %c1 {{
        %from = arith.muli %i, %c4 : index
        %left = arith.subi %m, %from : index
        %rows = arith.minsi %left, %c4 : index
        %s = memref.subview %a[%from, 0] [%rows, %n] [1, 1] : memref<?x?xf32>
            to memref<?x?xf32, strided<[?, 1], offset: ?>>
        {0}
      }
      memref.copy %a, %x : memref<?x?xf32> to memref<?x?xf32>
      func.call @needy(%y, %m) : (memref<?xf32>, index) -> ()
      return
    })mlir",
                       work)
      .str();
}

// What a function without buffers is called with is nobody's question: loops
// that call kernels are not looked into.
TEST_F(MemoryPlanTest, CallsThatNeedNoMemoryAreNotAskedAbout) {
  StringRef type = "memref<?x?xf32, strided<[?, 1], offset: ?>>";
  std::string works[] = {
      llvm::formatv("memref.copy %s, %s : {0} to {0}", type).str(),
      llvm::formatv("func.call @tile(%s, %rows) : ({0}, index) -> ()", type)
          .str(),
      "func.call @needy(%y, %rows) : (memref<?xf32>, index) -> ()"};
  uint64_t numAsked[3];
  for (auto [work, asked] : llvm::zip_equal(works, numAsked)) {
    parse(loopOf(work));
    PassManager manager(&context);
    manager.addPass(createPlanMemoryPass());
    QuestionLog log;
    ASSERT_TRUE(succeeded(manager.run(*module)));
    asked = log.getTotal().numAsked;
    EXPECT_EQ(function("tile").getNumArguments(), 2u);
    EXPECT_EQ(function("needy").getNumArguments(), 3u);
    // One arena, in @f.
    EXPECT_EQ(count<memref::AllocOp>(), 1u);
  }
  EXPECT_GT(numAsked[0], 0u);
  EXPECT_EQ(numAsked[1], numAsked[0]);
  EXPECT_GT(numAsked[2], numAsked[0]);
}
} // namespace
