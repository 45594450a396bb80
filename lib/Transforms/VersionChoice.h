//===- VersionChoice.h - Which version serves which shapes ------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order in which versions are preferred, those that are never chosen, and
// the tests that choose one. Private to Transforms. Not for: clones and calls
// (Specialize).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_TRANSFORMS_VERSIONCHOICE_H
#define SYMSHAPE_LIB_TRANSFORMS_VERSIONCHOICE_H

#include "symshape/Analysis/ShapeAnalysis.h"
#include "symshape/IR/SymShape.h"
#include "symshape/Transforms/Violations.h"

namespace mlir::symshape {

/// A version and its condition, all of whose parts must hold.
struct Version {
  VersionAttr attr;
  SmallVector<Formula> parts;

  Formula getCondition() const;
};

/// The versions that some argument reaches, preferred ones first.
struct VersionOrder {
  SmallVector<Version> versions;
  /// Whether they provably admit all arguments, so that no default is needed.
  bool isComplete = false;
  Violations unused; ///< the others, and why
};

/// Orders the versions that `shapes.function()` declares. Cost: proofs
/// quadratic in their number.
VersionOrder orderVersions(FunctionShapes &shapes);

/// A decision: a test with two outcomes, or a version.
struct DispatchNode {
  Formula test; ///< of an inner node
  std::unique_ptr<DispatchNode> yes, no;
  size_t version = 0; ///< of a leaf; the number of versions stands for default

  bool isLeaf() const { return !yes; }
};

/// The tests that choose the first version whose condition holds. No path tests
/// what the facts and the earlier outcomes decide.
std::unique_ptr<DispatchNode> buildDispatchTree(FunctionShapes &shapes,
                                                ArrayRef<Version> versions);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_TRANSFORMS_VERSIONCHOICE_H
