//===- FactCursor.h - The facts at a place of a function --------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is known where an op stands, after the analysis. For: passes that ask
// inside branches and loops, or that must not rest on what a later op says. Not
// for: what holds in the whole body (FunctionShapes::facts).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_ANALYSIS_FACTCURSOR_H
#define SYMSHAPE_ANALYSIS_FACTCURSOR_H

#include "symshape/Analysis/ShapeAnalysis.h"

namespace mlir::symshape {

/// The facts that hold at a place: what the signature declares, what the ops
/// before it imply, the conditions of the branches and the bounds of the loop
/// counters around it. Facts of later ops are not among them.
///
/// Cost: as much as the facts between this place and the one before, when
/// places are visited in the order of the program.
class FactCursor {
public:
  /// What types and address spaces say of numbers: that an extent is below
  /// 2^48, an i32 below 2^31. Without it, bounds are those that the program
  /// states.
  enum class Limits { Known, Unknown };

  explicit FactCursor(FunctionShapes &shapes, Limits limits = Limits::Known);
  ~FactCursor();

  /// What holds when `op`, an op of the analysed function, is about to run.
  /// Valid until the next call.
  ConstraintSet &before(Operation *op);

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_ANALYSIS_FACTCURSOR_H
