//===- NodeLimits.h - Attributes and ranks that nodes may have --*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the import: restrictions that are the same words for many ops.
// Those of one op stand in its definition.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_ONNX_NODELIMITS_H
#define SYMSHAPE_LIB_IMPORT_ONNX_NODELIMITS_H

#include "symshape/Import/ONNX/Model.h"

namespace mlir::symshape::onnx {

/// What is wrong with the attributes of a node of ai.onnx; empty if nothing is.
std::string describeAttributeFault(const NodeData &node, int64_t opset);

/// The rank that the standard requires of operand `i`; nullopt: it leaves that
/// open, or to the definition.
std::optional<int64_t> requiredRank(llvm::StringRef opType, int64_t opset,
                                    size_t i);

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_LIB_IMPORT_ONNX_NODELIMITS_H
