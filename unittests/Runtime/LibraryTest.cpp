//===- LibraryTest.cpp - What the code generator calls --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests of lib/Runtime/Library.c: beside LLVM's own list of the functions that
// it may call, and its arithmetic.
//
//===----------------------------------------------------------------------===//

#include "symshape-c/Runtime.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/bit.h"
#include "llvm/IR/RuntimeLibcalls.h"
#include "llvm/Support/Regex.h"
#include "llvm/TargetParser/Host.h"
#include "gtest/gtest.h"
#include <random>

namespace {

using Address = void (*)();

llvm::StringMap<Address> getFunctions() {
  llvm::StringMap<Address> functions;
  int64_t count = 0;
  const symshape_rt_function *list = symshape_rt_functions(&count);
  for (const symshape_rt_function &entry : llvm::ArrayRef(list, count))
    EXPECT_TRUE(functions.insert({entry.name, entry.address}).second)
        << entry.name;
  return functions;
}

template <typename Function>
Function *find(const char *name) {
  return reinterpret_cast<Function *>(getFunctions().lookup(name));
}

TEST(LibraryTest, hasWhatLLVMMayCall) {
  llvm::StringMap<Address> functions = getFunctions();
  // What no program of ours leads to: other types than integers and floats of
  // 16 to 128 bits, what this machine has instructions for, atomics, memory,
  // exceptions, other systems and C libraries, and the state of the FPU.
  llvm::Regex unused(
      "^(.*f128|.*_finite|.*_chk|"
      "__(atomic|sync|aarch64|arm|llvm|safestack|stack)_.*|"
      "__(eq|ge|gt|le|lt|ne|unord)[ds]f2|"
      "__(add|sub|mul|div)[dsx]f3|__.*[qhsd]i[234]|"
      "__(fix|fixuns)[hsdx]f[sd]i|__(float|floatun)si[hsdx]f|"
      "__(float|floatun)di[sdx]f|__extendsfdf2|__truncxf[sd]f2|__truncdfsf2|"
      "_Unwind_Resume|__cxa_end_cleanup|__clear_cache|"
      "malloc|calloc|free|fe[gs]et(env|mode)|nan[fl]?|"
      "f(maxi|mini)mum(_num)?[fl]?|nexttoward[fl]?)$");
  llvm::RTLIB::RuntimeLibcallsInfo info{
      llvm::Triple(llvm::sys::getProcessTriple())};
  int numWanted = 0;
  for (llvm::RTLIB::LibcallImpl impl : llvm::RTLIB::libcall_impls()) {
    llvm::StringRef name =
        llvm::RTLIB::RuntimeLibcallsInfo::getLibcallImplName(impl);
    bool isLong = name.ends_with("l") && functions.count(name.drop_back());
    if (!info.isAvailable(impl) || isLong || unused.match(name))
      continue;
    ++numWanted;
    EXPECT_TRUE(functions.count(name)) << name.str();
  }
  EXPECT_GT(numWanted, 100);
}

TEST(LibraryTest, dividesIn128Bits) {
  auto *divide = find<__int128(__int128, __int128)>("__divti3");
  auto *modulo = find<unsigned __int128(unsigned __int128, unsigned __int128)>(
      "__umodti3");
  ASSERT_TRUE(divide && modulo);
  __int128 big = __int128(1) << 100;
  EXPECT_TRUE(divide(-big, 3) == -(big / 3));
  EXPECT_TRUE(modulo(big, 7) == 2u);
}

/// A float whose lower half is `half`.
float pass(uint16_t half) { return llvm::bit_cast<float>(uint32_t(half)); }
uint16_t take(float value) { return llvm::bit_cast<uint32_t>(value); }

uint16_t convert(llvm::APFloat value, const llvm::fltSemantics &to) {
  bool losesInfo;
  value.convert(to, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return value.bitcastToAPInt().getZExtValue();
}

bool isNaN(uint16_t bits, const llvm::fltSemantics &type) {
  return llvm::APFloat(type, llvm::APInt(16, bits)).isNaN();
}

TEST(LibraryTest, convertsEveryShortFloat) {
  for (auto [type, name] :
       {std::pair(&llvm::APFloat::IEEEhalf(), "__extendhfsf2"),
        std::pair(&llvm::APFloat::BFloat(), "__extendbfsf2")}) {
    auto *extend = find<float(float)>(name);
    ASSERT_TRUE(extend);
    for (unsigned bits = 0; bits < 65536; ++bits) {
      llvm::APFloat exact(*type, llvm::APInt(16, bits));
      float value = extend(pass(bits));
      if (exact.isNaN())
        ASSERT_NE(value, value) << bits;
      else
        ASSERT_EQ(double(value), exact.convertToDouble()) << bits;
    }
  }
}

TEST(LibraryTest, roundsToShortFloats) {
  std::mt19937_64 random(1);
  std::vector<double> values;
  // Numbers, ties between two of them, and what lies closely beside.
  for (int i = 0; i < 20000; ++i) {
    uint32_t bits = uint32_t(random()) & ~(i % 2 ? 0x7fffu : 0xfffu);
    double value = llvm::bit_cast<float>(bits);
    for (double by : {0.0, 0x1p-30, -0x1p-30, 0x1p-52, -0x1p-52})
      values.push_back(value + value * by);
    values.push_back(std::ldexp(double(random() % (1 << 14)), -27 + i % 16));
  }
  for (auto [type, suffix] : {std::pair(&llvm::APFloat::IEEEhalf(), "hf2"),
                              std::pair(&llvm::APFloat::BFloat(), "bf2")}) {
    std::string suffixText = suffix;
    auto *fromDouble = find<float(double)>(("__truncdf" + suffixText).c_str());
    auto *fromFloat = find<float(float)>(("__truncsf" + suffixText).c_str());
    ASSERT_TRUE(fromDouble && fromFloat);
    for (double value : values) {
      uint16_t expected = convert(llvm::APFloat(value), *type);
      uint16_t actual = take(fromDouble(value));
      if (isNaN(expected, *type))
        ASSERT_TRUE(isNaN(actual, *type)) << value;
      else
        ASSERT_EQ(actual, expected) << value << " to " << suffix;
      expected = convert(llvm::APFloat(float(value)), *type);
      actual = take(fromFloat(float(value)));
      if (isNaN(expected, *type))
        ASSERT_TRUE(isNaN(actual, *type)) << value;
      else
        ASSERT_EQ(actual, expected) << float(value) << " to " << suffix;
    }
  }
}

TEST(LibraryTest, roundsIntegersToShortFloats) {
  std::mt19937_64 random(2);
  for (auto [type, suffix] : {std::pair(&llvm::APFloat::IEEEhalf(), "hf"),
                              std::pair(&llvm::APFloat::BFloat(), "bf")}) {
    std::string end = suffix;
    auto *fromSigned = find<float(int64_t)>(("__floatdi" + end).c_str());
    auto *fromUnsigned = find<float(uint64_t)>(("__floatundi" + end).c_str());
    ASSERT_TRUE(fromSigned && fromUnsigned);
    for (int i = 0; i < 100000; ++i) {
      // Ties and their neighbours: few bits, far apart.
      uint64_t value = random() >> random() % 64;
      if (i % 2)
        value = (value & (value - 1) & ~uint64_t(0) << random() % 64) +
                random() % 3 - 1;
      for (bool isSigned : {false, true}) {
        llvm::APFloat exact(*type);
        exact.convertFromAPInt(llvm::APInt(64, value), isSigned,
                               llvm::APFloat::rmNearestTiesToEven);
        uint16_t actual =
            take(isSigned ? fromSigned(value) : fromUnsigned(value));
        ASSERT_EQ(actual, exact.bitcastToAPInt().getZExtValue())
            << value << " to " << end << (isSigned ? ", signed" : "");
      }
    }
  }
}

} // namespace
