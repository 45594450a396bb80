//===- CountedTurns.h - Loops whose condition counts *- C++ -*-===//
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

#ifndef SYMSHAPE_LIB_IMPORT_ONNX_COUNTEDTURNS_H
#define SYMSHAPE_LIB_IMPORT_ONNX_COUNTEDTURNS_H

#include "symshape/Import/ONNX/Node.h"

namespace mlir::symshape::onnx {

/// Finds out how often a loop turns whose condition counts: a state from which
/// a number grows by 1 in each turn stays below one that never changes. Loops
/// of Keras and TensorFlow are written so.
///
/// The first turn is decided by the condition that the loop is given. After
/// turn t the body's condition is `start + t < limit`, so that the last turn is
/// the first t, of 1 and more, with `start + t >= limit`: turn
/// max(1, limit - start). Of two conditions of which both must hold, the one
/// that ends first counts.
///
/// How often the Loop turns if it begins to; null where its condition has no
/// such form.
Expr countTurns(Node &loop, std::shared_ptr<const Graph> body);

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_LIB_IMPORT_ONNX_COUNTEDTURNS_H
