//===- WrittenNames.h - Names of values in a program's text -----*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR forgets what the text calls a value. Messages name it so; its location
// keeps the name, which passes carry along. Not for: arguments of functions
// (`symshape.name`).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IR_WRITTENNAMES_H
#define SYMSHAPE_IR_WRITTENNAMES_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::symshape {

/// Keeps the names of the results of `op`, one for each, such as `%x` or
/// `%y#1`.
void setWrittenNames(Operation *op, ArrayRef<std::string> names);
/// Keeps the name of an argument of a block.
void setWrittenName(BlockArgument argument, StringRef name);

/// What the text calls `value`; empty if that is not known. An op of another
/// name that took the place of the one in the text, and an op that was inlined
/// from another function, have none.
StringRef getWrittenName(Value value);

/// How messages and reports call a result of a function: its `symshape.name`,
/// or `result #0`.
std::string getResultName(FunctionOpInterface function, unsigned index);

} // namespace mlir::symshape

#endif // SYMSHAPE_IR_WRITTENNAMES_H
