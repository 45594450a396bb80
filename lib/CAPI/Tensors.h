//===- Tensors.h - Tensors of C callers -------------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to CAPI.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CAPI_TENSORS_H
#define SYMSHAPE_LIB_CAPI_TENSORS_H

#include "symshape-c/Execution.h"
#include "symshape/Execution/TensorBuffer.h"

namespace mlir::symshape::capi {

/// The inputs of a call, or an error that names the first that is not a tensor.
/// Without `withData`, only types and extents are looked at.
llvm::Error readInputs(const symshape_tensor *inputs, int64_t count,
                       llvm::SmallVectorImpl<TensorView> &views,
                       bool withData = true);
llvm::Expected<TensorView> readTensor(const symshape_tensor &tensor,
                                      const llvm::Twine &name,
                                      bool withData = true);
int32_t toTypeNumber(ElementType type);

} // namespace mlir::symshape::capi

#endif // SYMSHAPE_LIB_CAPI_TENSORS_H
