//===- Reader.h - Reads a portable artifact ---------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's bytecode, as far as artifacts have it: one module of functions, whose
// ops are those of "vhlo", each region one block. MLIR's own reader trusts its
// file; this one is for files from anywhere, and takes time and room in
// proportion to their size.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_STABLEHLO_READER_H
#define SYMSHAPE_LIB_IMPORT_STABLEHLO_READER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace mlir::symshape::stablehlo {

/// Null after an error, which is a diagnostic.
OwningOpRef<ModuleOp> readArtifact(llvm::MemoryBufferRef artifact,
                                   MLIRContext *context);

} // namespace mlir::symshape::stablehlo

#endif // SYMSHAPE_LIB_IMPORT_STABLEHLO_READER_H
