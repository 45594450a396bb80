//===- Images.h - Steps of ops on images ------------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Images have channels last. Private to Conversion.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_TOSA_IMAGES_H
#define SYMSHAPE_LIB_CONVERSION_TOSA_IMAGES_H

#include "mlir/IR/Builders.h"

namespace mlir::symshape {

/// A number as one of the type in which sums are formed, or back.
Value convertNumber(OpBuilder &b, Location loc, Value v, Type type);

/// What stands for 0 in integers; null for floats, where 0 does.
Value readZeroPoint(OpBuilder &b, Location loc, Value tensor);

/// A number less its zero point, if it has one, in the type of sums.
Value centerNumber(OpBuilder &b, Location loc, Value v, Value zeroPoint,
                   Type sumType);

Value makeZeroScalar(OpBuilder &b, Location loc, Type type);

/// What the border of an image is made of.
Value makeBorder(OpBuilder &b, Location loc, Value image, Value zeroPoint);

/// A tensor of these sizes and of elements of `type`: what `body` gives for
/// each element of `source`.
Value mapElements(OpBuilder &b, Location loc, Value source,
                  ArrayRef<OpFoldResult> sizes, Type type,
                  function_ref<Value(OpBuilder &, Location, Value)> body);

/// A border of `value` around the spatial axes of an image.
Value padImage(OpBuilder &b, Location loc, Value image, ArrayRef<int64_t> pad,
               Value value);

/// `(extent + pad - reach) / stride + 1`, where the window reaches over
/// `(kernel - 1) * dilation + 1` places.
OpFoldResult countPlaces(OpBuilder &b, Location loc, OpFoldResult extent,
                         int64_t pad, OpFoldResult kernel, int64_t dilation,
                         int64_t stride);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_TOSA_IMAGES_H
