//===- BytecodeVersion.h - The version of the dialect's bytecode *- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What bytecode says of the form that ops and attributes of the dialect have in
// it. Not for: the encoding of bytecode itself, which is MLIR's.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IR_BYTECODEVERSION_H
#define SYMSHAPE_IR_BYTECODEVERSION_H

#include "mlir/Bytecode/BytecodeImplementation.h"

namespace mlir::symshape {

/// Grows by one whenever an op or an attribute changes so that its properties
/// of before have to be upgraded. 0 is what files have that name no version, as
/// those of the first builds.
struct BytecodeVersion : DialectVersion {
  static constexpr uint64_t kCurrent = 1;
  explicit BytecodeVersion(uint64_t number) : number(number) {}
  uint64_t number;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_IR_BYTECODEVERSION_H
