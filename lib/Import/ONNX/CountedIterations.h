//===- CountedIterations.h - Loops whose condition counts -------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the import.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_ONNX_COUNTEDITERATIONS_H
#define SYMSHAPE_LIB_IMPORT_ONNX_COUNTEDITERATIONS_H

#include "symshape/Import/ONNX/Node.h"

namespace mlir::symshape::onnx {

/// Finds how often a loop runs whose condition counts: a number that grows by 1
/// in each iteration, from a state, stays below one that never changes. Keras
/// and TensorFlow write loops like this.
///
/// The condition that the loop is given decides the first iteration. After
/// iteration t the body's condition is `start + t < limit`, so the last
/// one is the first t >= 1 with `start + t >= limit`: iteration max(1,
/// limit - start). If two conditions must hold, the one that ends first
/// counts.
///
/// How often the Loop runs if it starts; null if its condition has no such
/// form.
Expr countIterations(Node &loop, std::shared_ptr<const Graph> body);

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_LIB_IMPORT_ONNX_COUNTEDITERATIONS_H
