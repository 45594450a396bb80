//===- Given.h - What messages say of a node ------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A node in words, for refusals.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_ONNX_GIVEN_H
#define SYMSHAPE_LIB_IMPORT_ONNX_GIVEN_H

#include "symshape/Import/ONNX/DimText.h"
#include "symshape/Import/ONNX/Node.h"

namespace mlir::symshape::onnx {

/// `node 'name' (Op #3)`.
std::string describe(const NodeData &node);

/// `float[batch, 3], int64[2] with axis = 1`: operands with their extents, `?`
/// where no author named one, and attributes that are short.
std::string describeGiven(const NodeData &node, ArrayRef<Operand> operands,
                          ExprArena &arena, const DimNames &names);

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_LIB_IMPORT_ONNX_GIVEN_H
