//===- ProgramInspector.h - Questions about a program -----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The analysis of a program, kept for those who call it: what it is, what a
// call would return, why one was refused. Not for: compiling, or whole reports
// as text (Report.h).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXECUTION_PROGRAMINSPECTOR_H
#define SYMSHAPE_EXECUTION_PROGRAMINSPECTOR_H

#include "symshape/Analysis/GuardAnalysis.h"
#include "symshape/Execution/ProgramSource.h"
#include "llvm/Support/JSON.h"

namespace mlir::symshape {

class SourceFile;
struct Failure;

/// The forms of a report: to read, for programs, a page to look at, and a
/// screen of text without what lowering the program would tell.
enum class ReportForm { Text, Json, Html, Brief };

/// What an op that is written in the entry costs in a call.
struct OpCost {
  std::string place; ///< as Places.h describes it, or the name of the op
  llvm::StringRef op;
  std::optional<double> bytes, flop; ///< nothing where it is not known
};

/// An analysed program. `dims` are the extents that a call passes for
/// `ProgramSource::dims`, negative where they are not known. One thread at a
/// time may use it.
class ProgramInspector {
public:
  /// Parses and analyses the program.
  static llvm::Expected<std::unique_ptr<ProgramInspector>>
  open(const ProgramSource &source, const DiagnosticSink &diagnostics);
  ~ProgramInspector();

  /// The fields that include/symshape-c/Inspect.h lists.
  llvm::json::Object describe();

  /// The report of the module, with the profile if there is one; an error if it
  /// cannot be made.
  llvm::Expected<std::string> report(ReportForm form);

  /// Of a call (Profile.h).
  void setProfile(llvm::json::Object newProfile) {
    profile = std::move(newProfile);
  }

  /// All guards that calls of these dims do not meet; a message like that of
  /// the call, without the lines for tools.
  llvm::Error checkGuards(llvm::ArrayRef<int64_t> dims);

  /// The extents of each result, negative where they are not known before the
  /// call.
  std::vector<std::vector<int64_t>>
  computeResults(llvm::ArrayRef<int64_t> dims);

  /// Of all ops on tensors, in order; nothing is known of those in loops, which
  /// run any number of times.
  std::vector<OpCost> computeCosts(llvm::ArrayRef<int64_t> dims);

  /// The failures of a message with what is known of guards and symbols.
  llvm::json::Object explain(llvm::StringRef message,
                             llvm::ArrayRef<int64_t> dims);

  /// What holds in every call that the program accepts.
  ConstraintSet &facts() { return shapes->facts(); }

private:
  explicit ProgramInspector(const ProgramSource &source);

  using Number = std::optional<llvm::DynamicAPInt>;
  Number evaluate(Expr e, llvm::ArrayRef<int64_t> dims);
  Number valueOf(Expr symbol, llvm::ArrayRef<int64_t> dims);
  std::string instantiate(const Guard &guard, llvm::ArrayRef<int64_t> dims);
  const Guard *find(const Failure &failure, llvm::ArrayRef<int64_t> dims);
  void addGuard(const Guard &guard, llvm::ArrayRef<int64_t> dims,
                llvm::json::Object &object);

  FunctionSignature signature;
  std::vector<DynamicDim> dynamicDims;
  std::string name; ///< of the file
  std::unique_ptr<SourceFile> file;
  std::unique_ptr<ShapeAnalysis> analysis;
  std::unique_ptr<GuardPlans> plans;
  FunctionShapes *shapes = nullptr;
  std::optional<llvm::json::Object> profile;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_EXECUTION_PROGRAMINSPECTOR_H
