//===- Iterations.h - Loops over the body of a node -------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the import: the loop that Scan and Loop become.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_ONNX_ITERATIONS_H
#define SYMSHAPE_LIB_IMPORT_ONNX_ITERATIONS_H

#include "symshape/Import/ONNX/Emitter.h"
#include "symshape/Import/ONNX/Node.h"

namespace mlir::symshape::onnx {

/// A loop to be made.
struct Iterations {
  Expr count; ///< how many there are at most; null: as many as the body wants
  SmallVector<Tensor> states;
  /// Results of the body before the states: 1 if it says whether to go on.
  size_t skipped = 0;
  bool isCounted = false; ///< `count` is also when the body's condition ends
                          ///< it, or that is ignored
  Expr starts;            ///< 0: there is no iteration; null: there may be
  SmallVector<bool> isBackward; ///< which collected result is filled from the
                                ///< end
};

/// Operands of the body from the number of the iteration and the states.
using MakeInputs =
    llvm::function_ref<std::vector<Operand>(Value counter, ArrayRef<Tensor>)>;

/// The states at the end, then what was collected along axis 0. Nullopt after
/// an error.
///
/// An extent of a state stays as it is, which is required, except where the
/// body makes another one of it: that extent is whatever it is in each
/// iteration.
std::optional<SmallVector<Tensor>> runIterations(Node &n, const Graph &body,
                                                 const Iterations &iterations,
                                                 MakeInputs makeInputs);

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_LIB_IMPORT_ONNX_ITERATIONS_H
