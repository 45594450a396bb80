//===- SimulatorTest.cpp - Modules and launches on the simulated device ---===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/PTXSimulator/Simulator.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <cstring>

using namespace mlir::symshape::ptx;
using testing::HasSubstr;

static const char *const head =
    ".version 8.3\n.target sm_80\n.address_size 64\n";

/// Adds the number of its thread to each element.
static const std::string addition = std::string(head) + R"(
.visible .global .align 4 .u32 scale = 10;
.visible .entry add(.param .u64 p, .param .u32 n)
.reqntid 32, 1, 1
{
  .reg .b32 %r<4>;
  .reg .b64 %d<2>;
  ld.param.u64 %d1, [p];
  mov.u32 %r1, %tid.x;
  mad.wide.u32 %d1, %r1, 4, %d1;
  ld.global.u32 %r2, [scale];
  ld.global.u32 %r3, [%d1];
  mad.lo.u32 %r3, %r1, %r2, %r3;
  st.global.u32 [%d1], %r3;
  ret;
})";

static std::vector<uint8_t> parametersOf(uint64_t pointer, uint32_t number) {
  std::vector<uint8_t> bytes(12);
  std::memcpy(bytes.data(), &pointer, 8);
  std::memcpy(bytes.data() + 8, &number, 4);
  return bytes;
}

TEST(SimulatorTest, loadsAndRuns) {
  Simulator simulator;
  std::string error;
  LoadedModule *module = simulator.load(addition, error);
  ASSERT_NE(module, nullptr) << error;
  EXPECT_EQ(simulator.kernels(module), std::vector<std::string>{"add"});
  EXPECT_EQ(simulator.kernel(module, "sub"), nullptr);
  const Kernel *kernel = simulator.kernel(module, "add");
  KernelInfo info = Simulator::describe(kernel);
  EXPECT_EQ(info.parameterBytes, 12u);
  EXPECT_EQ(info.parameters[1].place, 8u);
  EXPECT_TRUE(info.hasRequiredThreads);

  uint64_t array = simulator.allocate(128);
  ASSERT_TRUE(simulator.fill(array, 5, 4, 32));
  uint64_t scale = 0, bytes = 0;
  ASSERT_TRUE(simulator.variable(module, "scale", scale, bytes));
  uint32_t three = 3;
  ASSERT_TRUE(simulator.write(scale, &three, bytes));
  LaunchShape shape;
  shape.block[0] = 32;
  EXPECT_EQ(simulator.launch(kernel, shape, parametersOf(array, 0)).message,
            "");
  uint32_t result[32];
  ASSERT_TRUE(simulator.read(result, array, 128));
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(result[i], 5 + 3 * i);
  EXPECT_EQ(simulator.counts.launches, 1u);
  EXPECT_EQ(simulator.counts.threadInstructions, 32u * 7);

  simulator.unload(module);
  EXPECT_FALSE(simulator.read(&three, scale, 4)) << "its variables are freed";
  EXPECT_EQ(simulator.liveAllocations(), 1u);
}

TEST(SimulatorTest, refusesLaunches) {
  Simulator simulator;
  std::string error;
  const Kernel *kernel =
      simulator.kernel(simulator.load(addition, error), "add");
  LaunchShape shape;
  EXPECT_THAT(simulator.launch(kernel, shape, parametersOf(0, 0)).message,
              HasSubstr("expected 32 threads along axis 0, but got 1"));
  shape.block[0] = 32;
  EXPECT_THAT(simulator.launch(kernel, shape, {}).message,
              HasSubstr("expected 12 bytes of parameters, but got 0"));
  shape.grid[1] = 65536;
  EXPECT_THAT(simulator.launch(kernel, shape, parametersOf(0, 0)).message,
              HasSubstr("expected a grid of 1 to 65535 blocks along axis 1"));
  shape.grid[1] = 1;
  shape.sharedBytes = ~uint64_t(0);
  EXPECT_THAT(simulator.launch(kernel, shape, parametersOf(0, 0)).message,
              HasSubstr("bytes of shared memory"));
}

TEST(SimulatorTest, aRefusedModuleLeavesNothing) {
  Simulator simulator;
  std::string error, text = addition;
  text.replace(text.find("mad.wide"), 8, "mad.tall");
  EXPECT_EQ(simulator.load(text, error), nullptr);
  EXPECT_EQ(error, "13: instruction 'mad.tall.u32' is not known");
  EXPECT_EQ(simulator.liveAllocations(), 0u);
}

TEST(SimulatorTest, aFaultDoesNotStopTheNextLaunch) {
  Simulator simulator;
  std::string error;
  const Kernel *kernel =
      simulator.kernel(simulator.load(addition, error), "add");
  LaunchShape shape;
  shape.block[0] = 32;
  uint64_t small = simulator.allocate(4), array = simulator.allocate(128);
  Fault fault = simulator.launch(kernel, shape, parametersOf(small, 0));
  EXPECT_EQ(fault.kind, Fault::Bounds);
  EXPECT_EQ(fault.line, 15u);
  EXPECT_EQ(simulator.launch(kernel, shape, parametersOf(array, 0)).kind,
            Fault::None);
}
