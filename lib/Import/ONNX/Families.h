//===- Families.h - Families of definitions ---------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_ONNX_FAMILIES_H
#define SYMSHAPE_LIB_IMPORT_ONNX_FAMILIES_H

#include "symshape/Import/ONNX/Node.h"

namespace mlir::symshape::onnx {

void addBoxOps(Registry &registry);
void addCol2ImOps(Registry &registry);
void addComparisonOps(Registry &registry);
void addControlFlowOps(Registry &registry);
void addConvolutionOps(Registry &registry);
void addCountingOps(Registry &registry);
void addElementwiseOps(Registry &registry);
void addEmbedLayerNormalizationOps(Registry &registry);
void addGatheringOps(Registry &registry);
void addGeluOps(Registry &registry);
void addLoopOps(Registry &registry);
void addGroupQueryAttentionOps(Registry &registry);
void addMovementOps(Registry &registry);
void addBlockQuantizedOps(Registry &registry);
void addMultiHeadAttentionOps(Registry &registry);
void addNormalizationOps(Registry &registry);
void addOrderingOps(Registry &registry);
void addPackedAttentionOps(Registry &registry);
void addProductOps(Registry &registry);
void addQLinearOps(Registry &registry);
void addQuantizationOps(Registry &registry);
void addRecurrentOps(Registry &registry);
void addReductionOps(Registry &registry);
void addRegionPoolOps(Registry &registry);
void addResizeOps(Registry &registry);
void addRotaryEmbeddingOps(Registry &registry);
void addSamplingOps(Registry &registry);
void addSequenceOps(Registry &registry);
void addShapeOps(Registry &registry);
void addSignalOps(Registry &registry);
void addStateOps(Registry &registry);
void addTransposedConvolutionOps(Registry &registry);
void addWindowOps(Registry &registry);

void addLossOps(Registry &registry);
void addAttentionOps(Registry &registry);

/// The floats in which numbers of a type are normalised or quantized.
inline DataType wideType(DataType type) {
  return type == DataType::Double ? DataType::Double : DataType::Float;
}

// Numbers of double precision.
inline Value f64(Scalars &s, double value) {
  return s.number(s.b.getF64Type(), value);
}
inline Value toF64(Scalars &s, Value index) {
  return s.fromIndex(index, DataType::Double);
}

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_LIB_IMPORT_ONNX_FAMILIES_H
