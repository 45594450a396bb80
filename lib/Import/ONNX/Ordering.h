//===- Ordering.h - Tensors in order, and places in them --------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_ONNX_ORDERING_H
#define SYMSHAPE_LIB_IMPORT_ONNX_ORDERING_H

#include "symshape/IR/SymShape.h"
#include "symshape/Import/ONNX/Node.h"

namespace mlir::symshape::onnx {

/// Positions of the elements that are not zero, [count, rank]: its elements are
/// of type index, and must not become results.
Tensor findNonzero(Emitter &e, const Tensor &x);
/// The lengths, each of which is required to be from 0 to `most`.
Tensor requireLengths(Emitter &e, const Tensor &lengths, Expr most,
                      StringRef message);
/// Maps unsigned integers so that they are in order when read as signed;
/// applied twice it is the identity.
Tensor asSigned(Emitter &e, const Tensor &x);

/// Combines windows of updates into x at the places given by vectors of `at`,
/// along its first `length` axes, any of which may be empty.
Tensor scatterInto(Emitter &e, const Tensor &x, const Tensor &at,
                   const Tensor &updates, Combiner combiner, int64_t length);

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_LIB_IMPORT_ONNX_ORDERING_H
