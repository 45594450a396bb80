//===- SaveBundle.h - Programs that run without a compiler ------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes a program to a folder that symshape-bundle-run runs (lib/Bundle);
// docs/HowTo/ShipABundle.md lists the files. Not for: reading it again.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXECUTION_SAVEBUNDLE_H
#define SYMSHAPE_EXECUTION_SAVEBUNDLE_H

#include "symshape/Execution/Compile.h"
#include "symshape/Execution/ProgramSource.h"

namespace mlir::symshape {

/// What goes into a bundle beside the code.
struct BundleContents {
  /// The weights that the program names are copied from it; null: none.
  const WeightFile *weights = nullptr;
  std::vector<std::string> inputNames; ///< of a model, in order
  /// GPUs to assemble the kernels for, by `ptxas`; others compile the PTX.
  std::vector<GPUTarget> cubins;
};

/// Compiles `source` and writes it to the folder: a new one, an empty one, or
/// one that holds a bundle, which is replaced. Until all is
/// written, its manifest says so. Weights have been checked
/// (`checkWeights`).
llvm::Error saveBundle(const ProgramSource &source,
                       const CompileOptions &options,
                       const BundleContents &contents, llvm::StringRef folder);

} // namespace mlir::symshape

#endif // SYMSHAPE_EXECUTION_SAVEBUNDLE_H
