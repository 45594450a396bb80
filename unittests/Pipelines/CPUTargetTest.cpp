//===- CPUTargetTest.cpp - The CPU that code is generated for -------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names, the facts that follow from them, and which machine runs what.
//
//===----------------------------------------------------------------------===//

#include "symshape/Pipelines/CPUTarget.h"

#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Target/TargetMachine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace mlir::symshape;
using testing::HasSubstr;

static CPUTarget get(llvm::StringRef cpu,
                     llvm::StringRef triple = "x86_64-linux-gnu") {
  return llvm::cantFail(CPUTarget::get(cpu, triple));
}

static std::string errorOf(llvm::StringRef cpu, llvm::StringRef triple) {
  auto target = CPUTarget::get(cpu, triple);
  return target ? "" : llvm::toString(target.takeError());
}

TEST(CPUTargetTest, FactsOfX86) {
  for (const char *cpu : {"x86-64-v4", "skylake-avx512", "znver4"}) {
    CPUTarget target = get(cpu);
    EXPECT_EQ(target.vectorBits, 512) << cpu;
    EXPECT_EQ(target.vectorRegisters, 32) << cpu;
    EXPECT_TRUE(target.fma && target.scaleInstruction) << cpu;
    EXPECT_TRUE(target.permutations) << cpu;
    EXPECT_TRUE(target.halfConversions) << cpu;
    EXPECT_EQ(target.maskedBits, 8) << cpu;
    EXPECT_EQ(target.getBlockRows(), 4 * 14) << cpu;
  }
  for (const char *cpu : {"x86-64-v3", "haswell"}) {
    CPUTarget target = get(cpu);
    EXPECT_EQ(target.vectorBits, 256) << cpu;
    EXPECT_EQ(target.vectorRegisters, 16) << cpu;
    EXPECT_TRUE(target.fma && !target.scaleInstruction) << cpu;
    EXPECT_FALSE(target.permutations) << cpu;
    EXPECT_TRUE(target.halfConversions) << cpu;
    EXPECT_EQ(target.maskedBits, 32) << cpu;
    EXPECT_EQ(target.getBlockRows(), 4 * 6) << cpu;
  }
  for (const char *cpu : {"generic", "x86-64-v2", "nehalem", "sandybridge"}) {
    CPUTarget target = get(cpu);
    EXPECT_EQ(target.vectorBits, 128) << cpu;
    EXPECT_FALSE(target.fma || target.scaleInstruction) << cpu;
    EXPECT_FALSE(target.halfConversions) << cpu;
    EXPECT_EQ(target.maskedBits, 0) << cpu;
  }
}

TEST(CPUTargetTest, ProductsOfBytes) {
  for (const char *cpu : {"cascadelake", "znver4", "alderlake"})
    EXPECT_TRUE(get(cpu).dotProducts) << cpu;
  EXPECT_EQ(get("alderlake").vectorBits, 256);
  for (const char *cpu : {"skylake-avx512", "x86-64-v4", "haswell", "x86-64"})
    EXPECT_FALSE(get(cpu).dotProducts) << cpu;
}

TEST(CPUTargetTest, ProductsOfBF16) {
  for (const char *cpu : {"cooperlake", "sapphirerapids", "znver4"})
    EXPECT_TRUE(get(cpu).bfloatProducts) << cpu;
  // Some have such products for vectors of 256 bits alone, or none.
  for (const char *cpu : {"cascadelake", "alderlake", "x86-64-v4", "x86-64-v3"})
    EXPECT_FALSE(get(cpu).bfloatProducts) << cpu;
  EXPECT_FALSE(get("neoverse-v1", "aarch64-linux-gnu").bfloatProducts);
}

TEST(CPUTargetTest, FactsOfAArch64) {
  for (const char *cpu : {"", "generic", "neoverse-n1"}) {
    CPUTarget target = get(cpu, "aarch64-linux-gnu");
    EXPECT_EQ(target.vectorBits, 128) << cpu;
    EXPECT_TRUE(target.fma && !target.scaleInstruction) << cpu;
    EXPECT_EQ(target.getBlockRows(), 4 * 13) << cpu;
    EXPECT_TRUE(bool(target.createMachine())) << cpu;
  }
}

TEST(CPUTargetTest, NativeIsTheHost) {
  CPUTarget host = CPUTarget::getHost(), native = get("native", "");
  EXPECT_EQ(native.cpu, host.cpu);
  EXPECT_EQ(native.features, host.features);
  EXPECT_EQ(get("", "").cpu, host.cpu);
  EXPECT_EQ(llvm::toString(native.checkRunsHere()), "");
}

TEST(CPUTargetTest, UnknownNames) {
  std::string message = errorOf("fast", "x86_64-linux-gnu");
  EXPECT_THAT(message, HasSubstr("expected the CPU to be "));
  EXPECT_THAT(message, HasSubstr("haswell, "));
  EXPECT_THAT(message, HasSubstr(", but got 'fast'"));
  EXPECT_THAT(message, testing::Not(HasSubstr("i386"))); // has no 64 bits
  message = errorOf("x86-64-v3", "aarch64-linux-gnu");
  EXPECT_THAT(message, HasSubstr("expected the CPU to be generic, "));
  EXPECT_THAT(message, HasSubstr("neoverse-n1"));
  EXPECT_EQ(errorOf("", "sparc-linux-gnu"),
            "expected a triple of x86_64 or aarch64, but got "
            "'sparc-unknown-linux-gnu'");
}

// They take denormals as zero.
TEST(CPUTargetTest, NoConversionsToBF16) {
  for (const char *cpu : {"cooperlake", "sapphirerapids", "sierraforest"}) {
    llvm::Expected<CPUTarget> target = CPUTarget::get(cpu, "x86_64-linux-gnu");
    ASSERT_TRUE(static_cast<bool>(target)) << cpu;
    auto machine = target->createMachine();
    ASSERT_TRUE(static_cast<bool>(machine)) << cpu;
    const llvm::MCSubtargetInfo &info = *(*machine)->getMCSubtargetInfo();
    EXPECT_FALSE(info.checkFeatures("+avx512bf16")) << cpu;
    EXPECT_FALSE(info.checkFeatures("+avxneconvert")) << cpu;
    EXPECT_TRUE(info.checkFeatures("+avx2")) << cpu;
  }
}

TEST(CPUTargetTest, WhatAMachineRuns) {
  CPUTarget haswell = get("haswell");
  llvm::StringMap<bool> features;
  EXPECT_EQ(llvm::toString(haswell.checkRunsOn(features)), "");
  features["avx2"] = features["fma"] = true;
  EXPECT_EQ(llvm::toString(haswell.checkRunsOn(features)), "");
  features["fma"] = false;
  EXPECT_EQ(llvm::toString(haswell.checkRunsOn(features)),
            "this machine cannot run code for haswell: it lacks fma");
  EXPECT_EQ(llvm::toString(get("nehalem").checkRunsOn(features)), "");
  // A system may keep it to itself, and no code uses it.
  features["pku"] = false;
  features["fma"] = true;
  EXPECT_EQ(llvm::toString(get("skylake-avx512").checkRunsOn(features)), "");
}

TEST(CPUTargetTest, AnotherArchitectureDoesNotRunHere) {
  bool isArm = CPUTarget::getHost().triple.isAArch64();
  CPUTarget target = get("", isArm ? "x86_64-linux-gnu" : "aarch64-linux-gnu");
  EXPECT_THAT(llvm::toString(target.checkRunsHere()),
              HasSubstr("this machine cannot run code for '"));
}
