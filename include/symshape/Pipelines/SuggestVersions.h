//===- SuggestVersions.h - Versions that run faster -------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which versions of a function code generation would make use of.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_PIPELINES_SUGGESTVERSIONS_H
#define SYMSHAPE_PIPELINES_SUGGESTVERSIONS_H

#include "mlir/IR/BuiltinOps.h"
#include "symshape/Pipelines/CPUTarget.h"

namespace mlir::symshape {

/// A version for the multiples of a number, and what gains from it.
struct SuggestedVersion {
  std::string function;  ///< without @
  std::string symbol;    ///< of its signature
  std::string naming;    ///< what to declare first if it has no name
  int64_t divisor;       ///< of the symbol
  unsigned contractions; ///< of these, so many have panels that fit ...
  unsigned all;          ///< ... of so many whose columns are dynamic

  /// `#symshape.version<"L_48", ["48 | L"]>`.
  std::string declaration() const;
};

/// Versions of the public functions of `module` in which contractions have
/// panels of three vectors of columns, all of them whole, where without the
/// version the last panel of two is partly empty. Found by lowering the module
/// three times for each symbol of the dims of arguments: that many times the
/// compile time of `symshape-cpu` up to its plan of memory.
/// Versions that are already declared are ignored. Fails, after a diagnostic,
/// where the module cannot be lowered.
FailureOr<std::vector<SuggestedVersion>>
suggestVersions(ModuleOp module, const CPUTarget &target);

} // namespace mlir::symshape

#endif // SYMSHAPE_PIPELINES_SUGGESTVERSIONS_H
