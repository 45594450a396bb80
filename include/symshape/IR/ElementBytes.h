//===- ElementBytes.h - How large an element in memory is -------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IR_ELEMENTBYTES_H
#define SYMSHAPE_IR_ELEMENTBYTES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::symshape {

/// Bytes of an element of an array of `type` where `op` stands; 0 if that is
/// not known, as for a type of another dialect or a scalable vector.
inline int64_t bytesOfElement(Operation *op, MemRefType type) {
  Type element = type.getElementType();
  if (!isa<IntegerType, IndexType, FloatType, ComplexType, VectorType>(element))
    return 0;
  llvm::TypeSize size = DataLayout::closest(op).getTypeSize(element);
  return size.isScalable() ? 0 : size.getFixedValue();
}

/// Bytes of an array for each element of the dynamic dims of `type`, or `limit`
/// if there are more, though they may not fit 64 bits; -1 if the bytes of an
/// element are not known.
inline int64_t staticBytes(Operation *op, MemRefType type, int64_t limit) {
  int64_t bytes = bytesOfElement(op, type);
  if (bytes == 0)
    return -1;
  bytes = std::min(bytes, limit);
  for (int64_t extent : type.getShape())
    if (!ShapedType::isDynamic(extent) &&
        (llvm::MulOverflow(bytes, extent, bytes) || bytes > limit))
      bytes = limit;
  return bytes;
}

} // namespace mlir::symshape

#endif // SYMSHAPE_IR_ELEMENTBYTES_H
