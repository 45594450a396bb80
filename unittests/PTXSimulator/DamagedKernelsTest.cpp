//===- DamagedKernelsTest.cpp - Kernels with random edits -----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever the text, there is a result: a complaint, a fault, or a kernel that
// ends. Words are exchanged for others of the same text, so that many edits get
// past the parser.
//
//===----------------------------------------------------------------------===//

#include "symshape/PTXSimulator/Simulator.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir::symshape::ptx;

static const char *const text = R"(.version 8.3
.target sm_80
.address_size 64
.visible .global .align 8 .b8 table[16] = {1, 2, 3, 4};
.const .align 4 .u32 fixed = 7;
.extern .shared .align 16 .b8 room[];
.func (.param .b32 result) twice(.param .b32 value) {
  .reg .b32 %x;
  ld.param.u32 %x, [value];
  add.u32 %x, %x, %x;
  st.param.u32 [result], %x;
  ret;
}
.visible .entry k(.param .u64 pointer, .param .u32 count)
{
  .reg .pred %p<4>;
  .reg .b16 %h<4>;
  .reg .b32 %r<16>;
  .reg .b64 %d<8>;
  .shared .align 16 .b8 tile[512];
  .local .align 8 .b8 own[16];
  ld.param.u64 %d1, [pointer];
  ld.param.u32 %r1, [count];
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %d2, %r2, 4;
  add.s64 %d3, %d1, %d2;
  ld.global.u32 %r3, [%d3];
  mov.u64 %d4, tile;
  mad.wide.u32 %d4, %r2, 16, %d4;
  st.shared.v4.b32 [%d4], {%r1, %r2, %r3, %r3};
  mov.u64 %d5, room;
  setp.eq.u32 %p1, %r2, 0;
  @%p1 st.shared.u32 [%d5+4], 1;
  bar.sync 0;
  ld.shared.u32 %r4, [%d4+4];
  ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r5, %r6}, [%d4];
  mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%r7, %r8, %r9, %r10}, {%r5, %r6}, {%r5}, {%r7, %r8, %r9, %r10};
  cp.async.ca.shared.global [%d4], [%d3], 4, %r1;
  cp.async.commit_group;
  cp.async.wait_group 0;
  shfl.sync.bfly.b32 %r11|%p1, %r3, 1, 31, -1;
  setp.lt.and.u32 %p2|%p3, %r2, 16, !%p1;
  @%p2 bra SKIP;
  cvt.rn.f16.f32 %h1, %r3;
  mov.b32 %r12, {%h1, %h2};
  fma.rn.f32 %r13, %r3, 0f3F800000, %r4;
  st.local.u32 [own+4], %r13;
  atom.global.add.u32 %r14, [table], %r12;
SKIP:
  and.b32 %r15, %r2, 1;
  LIST: .branchtargets ONE, TWO;
  brx.idx %r15, LIST;
ONE:
  ld.const.u32 %r1, [fixed];
TWO:
  {
  .param .b32 value;
  .param .b32 result;
  st.param.b32 [value], %r1;
  call.uni (result), twice, (value);
  ld.param.b32 %r1, [result];
  }
  st.global.u32 [%d3], %r1;
  ret;
}
)";

/// The places of words and signs, as pairs of begin and length.
static std::vector<std::pair<size_t, size_t>> wordsOf(const std::string &text) {
  std::vector<std::pair<size_t, size_t>> words;
  for (size_t i = 0; i < text.size();) {
    size_t begin = i;
    while (i < text.size() && (isalnum(text[i]) || text[i] == '_' ||
                               text[i] == '%' || text[i] == '.'))
      ++i;
    if (i == begin) {
      ++i;
      continue;
    }
    words.push_back({begin, i - begin});
  }
  return words;
}

TEST(DamagedKernelsTest, endSomehow) {
  const std::string whole = text;
  std::mt19937 random(11);
  unsigned refused = 0, faults = 0, ran = 0;
  for (unsigned round = 0; round < 6000; ++round) {
    std::string damaged = whole;
    for (unsigned edits = random() % 4; edits > 0; --edits) {
      auto words = wordsOf(damaged), others = wordsOf(whole);
      auto [place, length] = words[random() % words.size()];
      auto [from, size] = others[random() % others.size()];
      damaged.replace(place, length, whole.substr(from, size));
    }
    SimulatorOptions options;
    options.maxInstructions = 100000;
    options.order = random() % 2 ? Order::Both : Order::Backward;
    options.checkUninitialized = random() % 2;
    Simulator simulator(options);
    std::string error;
    LoadedModule *module = simulator.load(damaged, error);
    const Kernel *kernel = module ? simulator.kernel(module, "k") : nullptr;
    if (!kernel) {
      ++refused;
      continue;
    }
    LaunchShape shape;
    shape.grid[0] = 1;
    shape.block[0] = 32;
    shape.sharedBytes = 64;
    uint64_t array = simulator.allocate(256);
    std::vector<uint8_t> parameters(
        Simulator::describe(kernel).parameterBytes);
    for (unsigned i = 0; i < 8 && i < parameters.size(); ++i)
      parameters[i] = uint8_t(array >> (8 * i));
    Fault fault = simulator.launch(kernel, shape, parameters);
    ++(fault.kind == Fault::None ? ran : faults);
  }
  EXPECT_GT(refused, 500u);
  EXPECT_GT(faults, 100u);
  EXPECT_GT(ran, 500u);
}
