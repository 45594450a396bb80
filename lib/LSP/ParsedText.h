//===- ParsedText.h - A text as a program -----------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to LSP.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_LSP_PARSEDTEXT_H
#define SYMSHAPE_LIB_LSP_PARSEDTEXT_H

#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "symshape/Execution/ArgumentNames.h"
#include "symshape/Transforms/TellViolations.h"
#include "llvm/Support/SourceMgr.h"

namespace mlir::symshape {

/// A text with its module, and where each op stands in it. Errors are kept, and
/// printed nowhere.
struct ParsedText {
  ParsedText(StringRef text, StringRef name, const DialectRegistry &registry)
      : context(registry, MLIRContext::Threading::DISABLED),
        quiet(&context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            errors.push_back({diagnostic.getLocation(), diagnostic.str()});
          return success();
        }) {
    context.allowUnregisteredDialects(); // as upstream's server does
    sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, name),
                               {});
    module = parseWithArgumentNames(sources, &context, &places);
    if (module)
      loadDialectsOfCorrections(*module);
  }

  MLIRContext context;
  std::vector<std::pair<Location, std::string>> errors;
  ScopedDiagnosticHandler quiet;
  llvm::SourceMgr sources;
  AsmParserState places;
  OwningOpRef<ModuleOp> module; ///< null if it does not parse, or is not valid
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_LSP_PARSEDTEXT_H
