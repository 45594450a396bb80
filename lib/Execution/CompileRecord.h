//===- CompileRecord.h - What a compilation takes ---------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects what symshape/Execution/CompileReport.h describes. Private to
// Execution.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_EXECUTION_COMPILERECORD_H
#define SYMSHAPE_LIB_EXECUTION_COMPILERECORD_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/Timing.h"
#include "symshape/Constraints/QuestionLog.h"
#include "symshape/Execution/CompileReport.h"
#include <optional>

namespace mlir::symshape {

/// Collects, if it `isWanted`; costs nothing otherwise. For the thread that
/// makes it alone: what others do counts as done beside it.
class CompileRecord {
public:
  explicit CompileRecord(bool isWanted);

  /// Measures a stage until it is destroyed. Passes are measured within it.
  TimingScope measure(llvm::StringRef stage) { return whole.nest(stage); }
  /// What stages are nested in.
  TimingScope &getWhole() { return whole; }

  /// Counts the instructions of a module in the LLVM dialect, by the places in
  /// the program that they come from.
  void countCode(ModuleOp lowered);

  /// The report; null if none is wanted. To be asked once, at the end.
  std::shared_ptr<const llvm::json::Object> finish(llvm::StringRef function);

private:
  bool isWanted;
  uint64_t rewriteStepsBefore = 0;
  llvm::json::Object report;
  DefaultTimingManager manager;
  TimingScope whole;
  std::optional<QuestionLog> questions;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXECUTION_COMPILERECORD_H
