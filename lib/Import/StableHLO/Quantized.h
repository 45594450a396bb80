//===- Quantized.h - Numbers that integers stand for ------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A quantized tensor is one of its stored integers here, also at the entry.
// Ops that move elements take these as they are; others compute on the numbers
// that they stand for, as the specification of StableHLO says:
// dequantize, compute, quantize.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_STABLEHLO_QUANTIZED_H
#define SYMSHAPE_LIB_IMPORT_STABLEHLO_QUANTIZED_H

#include "Node.h"
#include "Scalars.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"

namespace mlir::symshape::stablehlo {

/// Whether an op of this name takes its operands as floats, tensor by tensor,
/// where one of its types is quantized.
bool isComputedOnFloats(StringRef name);
/// The type of the numbers that elements stand for; others as they are.
Type expressed(Type type);

/// (x - zero) * scale, in the type of the scale.
Value dequantize(Scalars &s, quant::QuantizedType type, Value x, Value scale,
                 Value zero);
/// x / scale + zero, within the bounds of the type, to the nearest, ties to
/// even.
Value quantize(Scalars &s, quant::QuantizedType type, Value x, Value scale,
               Value zero);

/// A tensor of integers as one of floats. Null after an error.
Value dequantizeTensor(Node &n, Value x, quant::QuantizedType type);
Value quantizeTensor(Node &n, Value x, quant::QuantizedType type);

} // namespace mlir::symshape::stablehlo

#endif // SYMSHAPE_LIB_IMPORT_STABLEHLO_QUANTIZED_H
