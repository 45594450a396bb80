//===- DeviceMemoryTest.cpp - Addresses of the simulated device -----------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/PTXSimulator/DeviceMemory.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace mlir::symshape::ptx;
using testing::HasSubstr;

TEST(DeviceMemoryTest, allocationsAreAlignedAndApart) {
  DeviceMemory memory;
  uint64_t before = 0;
  for (uint64_t bytes : {0, 1, 255, 4096, 4097, 1 << 20}) {
    uint64_t address = memory.allocate(bytes);
    ASSERT_NE(address, 0u);
    EXPECT_EQ(address % 256, 0u);
    EXPECT_GT(address, before);
    before = address + bytes + 4095;
  }
  EXPECT_EQ(memory.liveCount(), 6u);
}

TEST(DeviceMemoryTest, translatesWhatIsInside) {
  DeviceMemory memory;
  uint64_t address = memory.allocate(100);
  EXPECT_NE(memory.translate(address, 100), nullptr);
  EXPECT_NE(memory.translate(address + 100, 0), nullptr);
  EXPECT_NE(memory.translate(address + 99, 1), nullptr);
  EXPECT_EQ(memory.translate(address + 99, 2), nullptr);
  EXPECT_EQ(memory.translate(address - 1, 1), nullptr);
  EXPECT_EQ(memory.translate(0, 1), nullptr);
  EXPECT_EQ(memory.translate(address, ~uint64_t(0)), nullptr);
}

TEST(DeviceMemoryTest, freedMemoryIsGoneAndNamed) {
  DeviceMemory memory;
  uint64_t address = memory.allocate(100);
  EXPECT_FALSE(memory.free(address + 1));
  EXPECT_TRUE(memory.free(address));
  EXPECT_FALSE(memory.free(address));
  EXPECT_EQ(memory.translate(address, 1), nullptr);
  EXPECT_EQ(memory.liveBytes(), 0u);
  EXPECT_THAT(
      memory.describe(address + 7),
      HasSubstr("byte 7 of an allocation of 100 bytes, which was freed"));
  EXPECT_NE(memory.allocate(100), address) << "addresses are used once";
}

TEST(DeviceMemoryTest, saysWhereAnAddressIs) {
  DeviceMemory memory;
  uint64_t first = memory.allocate(16);
  uint64_t second = memory.allocate(32);
  EXPECT_EQ(memory.describe(0), "a null pointer");
  EXPECT_EQ(memory.describe(0x123456), "not an address of the device");
  EXPECT_EQ(memory.describe(first + 16),
            "0 bytes past the end of an allocation of 16 bytes");
  EXPECT_EQ(memory.describe(second - 8),
            "8 bytes before an allocation of 32 bytes");
}

TEST(DeviceMemoryTest, refusesMoreThanThereIs) {
  DeviceMemory memory;
  EXPECT_EQ(memory.allocate(DeviceMemory::totalBytes + 1), 0u);
  EXPECT_EQ(memory.allocate(~uint64_t(0)), 0u);
  EXPECT_NE(memory.allocate(1), 0u);
}
