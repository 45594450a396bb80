//===- Normalise.h - One form of each op ------------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_ONNX_NORMALISE_H
#define SYMSHAPE_LIB_IMPORT_ONNX_NORMALISE_H

#include "symshape/Import/ONNX/Model.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::symshape::onnx {

/// The attribute of a Scan of opset 8 that has the form of opset 9.
inline constexpr StringRef isWithoutBatch = "\1without_batch";

/// The attribute of a Resize that was an Upsample, whose scales are at least 1.
inline constexpr StringRef isUpsample = "\1upsample";

/// Brings a node to the form that the newest opset gives it; nullopt if it has
/// it already. An operand that was an attribute is put into `constants` under
/// the name that the node gives it.
std::optional<NodeData>
normalise(const NodeData &node, int64_t opset,
          llvm::function_ref<StringRef(TensorData)> addConstant);

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_LIB_IMPORT_ONNX_NORMALISE_H
