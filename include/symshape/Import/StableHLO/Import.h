//===- Import.h - From a portable artifact to a program ---------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A portable artifact of StableHLO, such as `jax.export` makes, or its text
// becomes a module with one function, `@main`, on tensors.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IMPORT_STABLEHLO_IMPORT_H
#define SYMSHAPE_IMPORT_STABLEHLO_IMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace mlir::symshape::stablehlo {

/// The portable artifact in a file: bytecode of MLIR whose producer is
/// StableHLO, which is all of the file or, as `Exported.serialize()` of JAX
/// writes it, a vector in a flatbuffer, of several the last: derivatives
/// stand before what they are of. Empty if there is none.
StringRef findArtifact(StringRef bytes);

/// Whether a file is text with ops of StableHLO.
bool isText(StringRef bytes);

/// Imports the entry of an artifact, or of text: `@main`, or else its public
/// function. What the artifact requires of shapes becomes asserts, whose
/// relations are those of its conditions; extents have the names that it gives
/// them. An error names the first op that is not supported, or what is wrong
/// with the file. Needs no dialect of `context`; loads those of the program.
llvm::Expected<OwningOpRef<ModuleOp>>
importArtifact(llvm::MemoryBufferRef bytes, MLIRContext *context);

} // namespace mlir::symshape::stablehlo

#endif // SYMSHAPE_IMPORT_STABLEHLO_IMPORT_H
