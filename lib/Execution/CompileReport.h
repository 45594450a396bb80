//===- CompileReport.h - What a compilation took ----------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Seconds by stage and pass, and code by op of the program. Private to
// Execution.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_EXECUTION_COMPILEREPORT_H
#define SYMSHAPE_LIB_EXECUTION_COMPILEREPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/Timing.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace mlir::symshape {

/// A report in plain text, if `isWanted`. Costs nothing otherwise. For the
/// thread that makes it alone: what others do counts as done beside it.
class CompileReport {
public:
  explicit CompileReport(bool isWanted);

  /// Measures until it is destroyed. Passes are measured within it.
  TimingScope measure(llvm::StringRef stage) { return whole.nest(stage); }

  /// Counts the instructions of a module in the LLVM dialect, by the places in
  /// the program that they come from.
  void countCode(ModuleOp lowered);

  /// The report; empty if none is wanted. To be asked once, at the end.
  std::string finish();

private:
  bool isWanted;
  std::string code, times;
  llvm::raw_string_ostream out{times}; ///< outlives the manager
  DefaultTimingManager manager;
  TimingScope whole;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXECUTION_COMPILEREPORT_H
