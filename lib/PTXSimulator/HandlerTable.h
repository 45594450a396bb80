//===- HandlerTable.h - From opcodes to what runs them ----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each spelling of an instruction that is supported, with all its suffixes, is
// an entry: what is not in the table is refused by its text. Instructions with
// many independent suffixes (memory, conversions) are looked up by a short name
// that the decoder makes of them.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_PTXSIMULATOR_HANDLERTABLE_H
#define SYMSHAPE_PTXSIMULATOR_HANDLERTABLE_H

#include "Kernel.h"

namespace mlir::symshape::ptx {

/// What runs an opcode. `operands` has a letter per operand, groups flattened:
/// h, w, d for 16, 32 and 64 bits, p for a predicate.
struct HandlerEntry {
  Handler run = nullptr;
  std::string operands;
  uint32_t extra = 0;
  Flow flow = Flow::Plain;
  /// Of `Converge`: the operand that has the mask of the lanes that take part;
  /// -1: all lanes of the warp.
  int member = -1;
};

class HandlerTable {
public:
  void add(const std::string &opcode, const std::string &operands, Handler run,
           uint32_t extra = 0);
  void addConverging(const std::string &opcode, const std::string &operands,
                     Handler run, int member, uint32_t extra = 0);
  /// Null if there is none.
  const HandlerEntry *find(const std::string &opcode) const;
  size_t size() const { return entries.size(); }

private:
  std::unordered_map<std::string, HandlerEntry> entries;
};

/// The table for the processor that this runs on.
const HandlerTable &getHandlerTable();

} // namespace mlir::symshape::ptx

#endif // SYMSHAPE_PTXSIMULATOR_HANDLERTABLE_H
