//===- Text.h - Reads StableHLO as text -------------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_STABLEHLO_TEXT_H
#define SYMSHAPE_LIB_IMPORT_STABLEHLO_TEXT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace mlir::symshape::stablehlo {

/// A module of "stablehlo" as an artifact of it would be read (Reader.h). Null
/// after an error, which is a diagnostic.
OwningOpRef<ModuleOp> readText(llvm::MemoryBufferRef text,
                               MLIRContext *context);

} // namespace mlir::symshape::stablehlo

#endif // SYMSHAPE_LIB_IMPORT_STABLEHLO_TEXT_H
