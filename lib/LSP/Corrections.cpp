//===- Corrections.cpp - A text without a problem -------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Corrections.h"
#include "ParsedText.h"

#include "mlir/IR/Verifier.h"
#include "symshape/Execution/EditSource.h"

using namespace mlir;
using namespace mlir::symshape;

/// Applies the correction of one violation.
static LogicalResult correctOne(ModuleOp module, size_t index) {
  ShapeAnalysis analysis(module);
  GuardPlans plans(analysis);
  Violations violations = findViolations(module, plans, /*frozen=*/false);
  if (index >= violations.size() || !violations[index].correction.apply)
    return failure();
  violations[index].correction.apply();
  return success();
}

std::optional<std::string>
mlir::symshape::correctText(StringRef text, const DialectRegistry &registry,
                            std::optional<size_t> index) {
  ParsedText parsed(text, "", registry);
  if (!parsed.module)
    return std::nullopt;
  ModuleOp module = *parsed.module;
  SourceEditor editor(module, text);
  LogicalResult corrected =
      index ? correctOne(module, *index)
            : LogicalResult(correctViolations(module, /*frozen=*/false));
  if (failed(corrected) || failed(verify(module)))
    return std::nullopt;
  if (std::optional<std::string> edited = editor.edit())
    return edited;
  std::string printed;
  llvm::raw_string_ostream os(printed);
  printWithArgumentNames(os, module);
  return printed + "\n";
}
