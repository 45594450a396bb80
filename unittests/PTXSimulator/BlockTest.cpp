//===- BlockTest.cpp - Warps, barriers and epochs of a block --------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/PTXSimulator/Simulator.h"
#include "gtest/gtest.h"

using namespace mlir::symshape::ptx;

/// What becomes of a kernel without parameters, run by some threads.
static Fault run(const std::string &body, uint32_t threads,
                 SimulatorOptions options = {}) {
  Simulator simulator(options);
  std::string error;
  LoadedModule *module = simulator.load(
      ".version 8.3\n.target sm_80\n.address_size 64\n.visible .entry k() {\n"
      "  .reg .pred %p<4>;\n  .reg .b32 %r<8>;\n  .reg .b32 %i;\n"
      "  .shared .align 4 .b8 s[1024];\n  mov.u32 %i, %tid.x;\n" +
          body + "  ret;\n}\n",
      error);
  EXPECT_NE(module, nullptr) << error;
  if (!module)
    return {};
  LaunchShape shape;
  shape.grid[0] = 2;
  shape.block[0] = threads;
  return simulator.launch(simulator.kernel(module, "k"), shape, {});
}

/// More synchronisations than there are epochs: what was written stays written,
/// and races are found as before.
TEST(BlockTest, epochsAreUsedAgain) {
  const std::string loop =
      "  mov.u32 %r1, s;\n  mad.lo.u32 %r1, %i, 4, %r1;\n"
      "  st.shared.u32 [%r1], %i;\n  mov.u32 %r2, 0;\nLOOP:\n"
      "  bar.warp.sync -1;\n  add.u32 %r2, %r2, 1;\n"
      "  setp.lt.u32 %p1, %r2, 1100000;\n  @%p1 bra LOOP;\n";
  const std::string other = "  xor.b32 %r3, %r1, 4;\n";
  EXPECT_EQ(run(loop + "  ld.shared.u32 %r4, [%r1];\n" + other +
                    "  ld.shared.u32 %r4, [%r3];\n",
                32)
                .message,
            "");
  Fault fault = run(loop + "  st.shared.u32 [%r1], %r2;\n" + other +
                        "  ld.shared.u32 %r4, [%r3];\n",
                    32);
  EXPECT_EQ(fault.kind, Fault::Race) << fault.message;
}

/// Warp 0 hands over to warp 1 by one barrier and warp 1 to warp 2 by another:
/// what warp 0 did comes before what warp 2 does.
TEST(BlockTest, barriersOfSomeWarpsAreTransitive) {
  const std::string chain =
      "  shr.u32 %r1, %i, 5;\n  setp.eq.u32 %p1, %r1, 0;\n"
      "  setp.eq.u32 %p2, %r1, 1;\n  setp.eq.u32 %p3, %r1, 2;\n"
      "  mov.u32 %r2, s;\n  and.b32 %r3, %i, 31;\n"
      "  mad.lo.u32 %r2, %r3, 4, %r2;\n  @%p2 bra SECOND;\n  @%p3 bra THIRD;\n"
      "  st.shared.u32 [%r2], %i;\n  bar.arrive 1, 64;\n  bra DONE;\n"
      "SECOND:\n  bar.sync 1, 64;\n  bar.arrive 2, 64;\n  bra DONE;\n"
      "THIRD:\n";
  for (Order order : {Order::Forward, Order::Backward}) {
    SimulatorOptions options;
    options.order = order;
    EXPECT_EQ(
        run(chain + "  bar.sync 2, 64;\n  ld.shared.u32 %r4, [%r2];\nDONE:\n",
            96, options)
            .message,
        "");
    Fault fault =
        run(chain + "  bar.arrive 2, 64;\n  ld.shared.u32 %r4, [%r2];\nDONE:\n",
            96, options);
    EXPECT_TRUE(fault.kind == Fault::Race || fault.kind == Fault::Uninitialized)
        << fault.message;
  }
}

TEST(BlockTest, threadsThatAreNoWholeWarp) {
  const std::string body = "  mov.u32 %r1, s;\n  mad.lo.u32 %r1, %i, 4, %r1;\n"
                           "  st.shared.u32 [%r1], %i;\n  bar.sync 0;\n"
                           "  ld.shared.u32 %r2, [s];\n";
  for (uint32_t threads : {1, 31, 32, 33, 100, 256})
    EXPECT_EQ(run(body, threads).message, "") << threads;
  EXPECT_EQ(run(body + "  vote.sync.any.pred %p1, %p1, 7;\n", 3).message, "");
}

TEST(BlockTest, switchesOffChecks) {
  SimulatorOptions options;
  EXPECT_EQ(run("  ld.shared.u32 %r1, [s];\n", 1, options).kind,
            Fault::Uninitialized);
  options.checkUninitialized = false;
  EXPECT_EQ(run("  ld.shared.u32 %r1, [s];\n", 1, options).kind, Fault::None);
  EXPECT_EQ(run("  st.shared.u32 [s], %i;\n", 2, options).kind, Fault::Race);
  options.checkRaces = false;
  EXPECT_EQ(run("  st.shared.u32 [s], %i;\n", 2, options).kind, Fault::None);
}

TEST(BlockTest, endsKernelsThatDoNot) {
  SimulatorOptions options;
  options.maxInstructions = 100000;
  EXPECT_EQ(run("L:\n  bra L;\n", 64, options).kind, Fault::Limit);
  EXPECT_EQ(
      run("  st.shared.u32 [s], 0;\nL:\n  ld.volatile.shared.u32 %r1, [s];\n"
          "  setp.eq.u32 %p1, %r1, 0;\n  @%p1 bra L;\n",
          1, options)
          .kind,
      Fault::Limit);
}
