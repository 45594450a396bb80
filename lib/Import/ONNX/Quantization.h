//===- Quantization.h - Products of quantized tensors -----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_ONNX_QUANTIZATION_H
#define SYMSHAPE_LIB_IMPORT_ONNX_QUANTIZATION_H

#include "symshape/Import/ONNX/Node.h"

namespace mlir::symshape::onnx {

/// round(x / scale) + zero, cut off at the ends of the type. The division is
/// one of `precision`.
Value quantize(Scalars &s, Value x, Value scale, Value zero, DataType type,
               DataType precision = DataType::Double);

/// A quantized tensor x less its zero, in int32; x itself if it has no zero.
Tensor centred(Emitter &e, const Tensor &x, const Tensor &zero);

/// x times int8 weights; x is quantized to uint8 first.
Tensor dynamicProduct(Emitter &e, const Tensor &x, const Tensor &weight,
                      const Tensor &scale, const Tensor &zero);

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_LIB_IMPORT_ONNX_QUANTIZATION_H
