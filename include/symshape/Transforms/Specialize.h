//===- Specialize.h - Versions of a function and their choice ---*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clones functions under extra conditions and dispatches between the clones.
// Not for: binding symbols to values for good.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TRANSFORMS_SPECIALIZE_H
#define SYMSHAPE_TRANSFORMS_SPECIALIZE_H

#include "symshape/Transforms/Violations.h"
#include "llvm/Support/LogicalResult.h"

namespace mlir::symshape {

/// Builds the versions that the functions of `module` declare in
/// `symshape.versions`. A version `@f.name` is a private clone of `@f` that
/// assumes its condition, `@f.default` one that does not; `@f` keeps its name
/// and signature, and calls the most specific version whose condition holds: a
/// version is tried before those whose conditions its own implies, else in
/// order of declaration. The public `@f.version` takes the dynamic dims of the
/// arguments, in order, and returns the number of the version in
/// `symshape.versions` of `@f.version`, in which the default is the last.
///
/// Drops a version that no argument reaches, with a warning if `warn`. There is
/// no default where the others provably admit all arguments. Fails, with a
/// diagnostic, where a condition is not a function of dims of arguments.
///
/// What a program requires does not depend on its version: guards of a function
/// that has them already stay where they are, before the choice. Where guards
/// are inserted afterwards, those of each version are conditional on its
/// choice.
LogicalResult specialize(ModuleOp module, bool warn = true);

/// A version and its condition, which the default does not have.
struct ChosenVersion {
  std::string name, condition;
};

/// The versions of a function that declares some, as `specialize` chooses among
/// them: preferred ones first, the default last where there is one. Those that
/// are never chosen are added to `unused`.
SmallVector<ChosenVersion> listVersions(FunctionShapes &shapes,
                                        Violations &unused);

} // namespace mlir::symshape

#endif // SYMSHAPE_TRANSFORMS_SPECIALIZE_H
