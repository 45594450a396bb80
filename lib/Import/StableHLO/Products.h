//===- Products.h - Sums of products ----------------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_STABLEHLO_PRODUCTS_H
#define SYMSHAPE_LIB_IMPORT_STABLEHLO_PRODUCTS_H

#include "Node.h"
#include "Scalars.h"

namespace mlir::symshape::stablehlo {

/// sum + x * y in the type of the result, given the types of the artifact;
/// `sum` after an error.
Value addProduct(Node &n, Value sum, Value x, Type xType, Value y, Type yType,
                 Type resultType);

/// Which axes of two tensors belong together.
struct DotAxes {
  SmallVector<int64_t> leftBatch, rightBatch, leftSum, rightSum;
};
/// As the attributes of an op say; an error unless both sides have as many.
DotAxes readDotAxes(Node &n);
/// The sums of products of two tensors with the elements of operands 0 and 1
/// of the op, over the axes `sum`; added to `init`, if that is given. Null
/// after an error.
Value dotOver(Node &n, Value x, Value y, const DotAxes &axes,
              Value init = Value());

void addRaggedDotOps(Registry &registry);
void addConvolutionOps(Registry &registry);

} // namespace mlir::symshape::stablehlo

#endif // SYMSHAPE_LIB_IMPORT_STABLEHLO_PRODUCTS_H
