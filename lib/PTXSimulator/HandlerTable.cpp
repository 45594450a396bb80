//===- HandlerTable.cpp - From opcodes to what runs them ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses what was compiled for the processor that this runs on.
//
//===----------------------------------------------------------------------===//

#include "HandlerTable.h"
#include <cstdlib>
#include <cstring>

using namespace mlir::symshape::ptx;

namespace mlir::symshape::ptx {
namespace lanesBase {
void addAll(HandlerTable &table);
} // namespace lanesBase
namespace lanesAvx2 {
void addAll(HandlerTable &table);
} // namespace lanesAvx2
} // namespace mlir::symshape::ptx

void HandlerTable::add(const std::string &opcode, const std::string &operands,
                       Handler run, uint32_t extra) {
  entries[opcode] = {run, operands, extra, Flow::Plain, -1};
}

void HandlerTable::addConverging(const std::string &opcode,
                                 const std::string &operands, Handler run,
                                 int member, uint32_t extra) {
  entries[opcode] = {run, operands, extra, Flow::Converge, member};
}

const HandlerEntry *HandlerTable::find(const std::string &opcode) const {
  auto found = entries.find(opcode);
  return found == entries.end() ? nullptr : &found->second;
}

static HandlerTable makeTable() {
  HandlerTable table;
#ifdef SYMSHAPE_PTX_HAS_AVX2
  const char *wanted = std::getenv("SYMSHAPE_PTXSIM_LANES"); // "base", in tests
  bool isBase = wanted && std::strcmp(wanted, "base") == 0;
  if (!isBase && __builtin_cpu_supports("avx2") &&
      __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2") &&
      __builtin_cpu_supports("lzcnt")) {
    lanesAvx2::addAll(table);
    return table;
  }
#endif
  lanesBase::addAll(table);
  return table;
}

const HandlerTable &mlir::symshape::ptx::getHandlerTable() {
  static const HandlerTable table = makeTable();
  return table;
}
