//===- TellViolations.cpp - Errors, and corrections carried out -----------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is done about violations once they are found.
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/TellViolations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "symshape/IR/DiscardableAttributes.h"
#include "symshape/IR/SymShape.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::symshape;

static void attachCorrection(InFlightDiagnostic &diag,
                             const Violation &violation, Location loc) {
  if (!violation.correction.text.empty())
    diag.attachNote(loc) << "to accept it, " << violation.correction.text;
}

/// One error for all of one function.
static void reportNarrowed(ArrayRef<const Violation *> narrowed) {
  Location loc = narrowed.front()->loc;
  InFlightDiagnostic diag = emitError(loc)
                            << "expected no requirement beyond what is "
                               "declared, but got "
                            << narrowed.size();
  for (const Violation *violation : narrowed) {
    for (const auto &[place, note] : violation->notes)
      diag.attachNote(place) << note;
    attachCorrection(diag, *violation, loc);
  }
}

LogicalResult mlir::symshape::reportViolations(const Violations &violations) {
  llvm::MapVector<Location, SmallVector<const Violation *>> narrowed;
  for (const Violation &violation : violations)
    if (violation.kind == Violation::Narrowed)
      narrowed[violation.loc].push_back(&violation);
  for (const auto &[loc, ofFunction] : narrowed)
    reportNarrowed(ofFunction);
  bool anyError = !narrowed.empty();
  for (const Violation &violation : violations) {
    if (violation.kind == Violation::Narrowed)
      continue;
    bool isWarning = violation.kind == Violation::UnusedVersion;
    anyError |= !isWarning;
    InFlightDiagnostic diag =
        isWarning ? emitWarning(violation.loc) : emitError(violation.loc);
    diag << violation.message;
    for (const auto &[place, note] : violation.notes)
      diag.attachNote(place) << note;
    attachCorrection(diag, violation, violation.loc);
  }
  return failure(anyError);
}

// They may not be loaded unless a pass depends on them.
void mlir::symshape::loadDialectsOfCorrections(ModuleOp module) {
  module.getContext()
      ->loadDialect<arith::ArithDialect, cf::ControlFlowDialect,
                    memref::MemRefDialect, tensor::TensorDialect,
                    SymShapeDialect>();
}

LogicalResult mlir::symshape::checkDeclarations(ModuleOp module,
                                                GuardPlans &plans,
                                                bool frozen) {
  loadDialectsOfCorrections(module);
  if (failed(verifyAttributeNames(module)) || failed(verifySymbolNames(module)))
    return failure();
  Violations violations = findViolations(module, plans, frozen);
  llvm::erase_if(violations, [](const Violation &violation) {
    return violation.kind == Violation::UnusedVersion;
  });
  return reportViolations(violations);
}

FailureOr<std::vector<std::string>>
mlir::symshape::correctViolations(ModuleOp module, bool frozen) {
  std::vector<std::string> written;
  loadDialectsOfCorrections(module);
  // One correction may reveal what it hid, but none brings back what another
  // removed: facts and asserts are added, policies and versions given up.
  constexpr unsigned maxRounds = 16;
  for (unsigned round = 0; round < maxRounds; ++round) {
    ShapeAnalysis analysis(module);
    GuardPlans plans(analysis);
    Violations violations = findViolations(module, plans, frozen);
    if (violations.empty())
      return written;
    bool isCorrectable = llvm::all_of(violations, [](const Violation &v) {
      return v.correction.apply != nullptr;
    });
    if (!isCorrectable || round + 1 == maxRounds) {
      (void)reportViolations(violations);
      return failure();
    }
    for (const Violation &violation : violations) {
      violation.correction.apply();
      written.push_back(violation.correction.text);
    }
  }
  return failure();
}
