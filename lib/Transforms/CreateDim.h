//===- CreateDim.h - Extents as values --------------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads an extent at run time. Private to lib/Transforms.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_TRANSFORMS_CREATEDIM_H
#define SYMSHAPE_LIB_TRANSFORMS_CREATEDIM_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::symshape {

/// The extent of a ranked tensor or memref along `dim`, as an index.
inline Value createDim(OpBuilder &builder, Location loc, Value shaped,
                       int64_t dim) {
  if (isa<MemRefType>(shaped.getType()))
    return memref::DimOp::create(builder, loc, shaped, dim);
  return tensor::DimOp::create(builder, loc, shaped, dim);
}

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_TRANSFORMS_CREATEDIM_H
