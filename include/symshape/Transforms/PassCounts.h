//===- PassCounts.h - What passes have counted ------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The statistics of our passes, also where MLIR was built without any, as in
// packages: there a Pass::Statistic counts nothing.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TRANSFORMS_PASSCOUNTS_H
#define SYMSHAPE_TRANSFORMS_PASSCOUNTS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"

namespace mlir::symshape {

/// From now on what passes count is kept, for all runs of the process.
void enablePassCounts();
/// Adds to a count of a pass, by the names that the option
/// `--mlir-pass-statistics` shows. Several threads may call it.
void addToPassCounts(StringRef pass, StringRef name, uint64_t number);
/// What was counted, as MLIR prints it, by pass and name.
void printPassCounts(raw_ostream &os);

} // namespace mlir::symshape

#endif // SYMSHAPE_TRANSFORMS_PASSCOUNTS_H
