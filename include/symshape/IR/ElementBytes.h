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

} // namespace mlir::symshape

#endif // SYMSHAPE_IR_ELEMENTBYTES_H
