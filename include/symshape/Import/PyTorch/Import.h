//===- Import.h - From an exported program to a model -----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `torch.export.save` writes: a zip archive with a graph of ATen as JSON,
// and its weights. Nothing of Python runs.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IMPORT_PYTORCH_IMPORT_H
#define SYMSHAPE_IMPORT_PYTORCH_IMPORT_H

#include "symshape/Import/ONNX/Model.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace mlir::symshape::pytorch {

/// Whether a file is to be read as an exported program: a zip archive that has
/// one, or whose name ends in `.pt2`.
bool isExportedProgram(llvm::MemoryBufferRef file);

/// The graph of an exported program in the op set that models are written in,
/// with the ops of Definitions.h where that has none. Weights stay where the
/// file has them. An error says what is wrong with the file, or lists the ops
/// that have no entry.
llvm::Expected<onnx::Model>
readExportedProgram(std::shared_ptr<llvm::MemoryBuffer> bytes,
                    llvm::StringRef path);

} // namespace mlir::symshape::pytorch

#endif // SYMSHAPE_IMPORT_PYTORCH_IMPORT_H
