//===- InferredTypes.cpp - Result types from operands ---------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The types that builders give the results of our ops on tensors where nobody
// says them, from types and lists of numbers alone. A type that is written may
// differ where an extent is dynamic in one of both: canonicalisation, which
// also asks constants and the shape rule, is RefineResults. What a verifier
// would refuse has no type, and makes nothing here fail.
//
//===----------------------------------------------------------------------===//

#include "TensorOpChecks.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "symshape/IR/ResampleOps.h"
#include "symshape/IR/WindowOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::symshape;

bool symshape::areInferredTypesCompatible(TypeRange a, TypeRange b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](auto pair) {
           auto [left, right] = pair;
           return getElementTypeOrSelf(left) == getElementTypeOrSelf(right) &&
                  succeeded(verifyCompatibleShape(left, right));
         });
}

/// Appends the tensor type of these extents, of which none may be negative.
static LogicalResult appendType(SmallVectorImpl<Type> &types,
                                ArrayRef<int64_t> shape, Type element) {
  if (llvm::any_of(shape, [](int64_t extent) {
        return extent < 0 && !ShapedType::isDynamic(extent);
      }))
    return failure();
  types.push_back(RankedTensorType::get(shape, element));
  return success();
}

/// Appends the type of `source` with another extent at `axis`.
static LogicalResult appendResized(SmallVectorImpl<Type> &types, Value source,
                                   int64_t axis, int64_t extent) {
  RankedTensorType type = tensorTypeOf(source);
  if (axis < 0 || axis >= type.getRank())
    return failure();
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = extent;
  return appendType(types, shape, type.getElementType());
}

//===----------------------------------------------------------------------===//
// Truncation
//===----------------------------------------------------------------------===//

LogicalResult
DynamicTruncateOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                    Adaptor adaptor,
                                    SmallVectorImpl<Type> &types) {
  int64_t axis = adaptor.getAxis(), extent = ShapedType::kDynamic;
  RankedTensorType source = tensorTypeOf(adaptor.getSource());
  std::optional<int64_t> size = getConstantIntValue(adaptor.getSize());
  if (size && axis >= 0 && axis < source.getRank() &&
      !source.isDynamicDim(axis))
    extent = std::clamp<int64_t>(*size, 0, source.getDimSize(axis));
  return appendResized(types, adaptor.getSource(), axis, extent);
}

LogicalResult PadToMatchOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location>,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  int64_t axis = adaptor.getAxis(), extent = ShapedType::kDynamic;
  RankedTensorType source = tensorTypeOf(adaptor.getSource());
  std::optional<int64_t> size = getConstantIntValue(adaptor.getSize());
  auto like = dyn_cast<RankedTensorType>(adaptor.getSize().getType());
  if (like && axis >= 0 && axis < like.getRank() && !like.isDynamicDim(axis))
    size = like.getDimSize(axis);
  if (size && axis >= 0 && axis < source.getRank() &&
      !source.isDynamicDim(axis))
    extent = std::max(*size, source.getDimSize(axis));
  return appendResized(types, adaptor.getSource(), axis, extent);
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

LogicalResult NonzeroOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location>,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  return appendType(types, {ShapedType::kDynamic, rankOf(adaptor.getSource())},
                    IndexType::get(context));
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  SmallVector<int64_t> absent(adaptor.getCollapsedSliceDims());
  llvm::append_range(absent, adaptor.getOperandBatchingDims());
  SmallVector<int64_t> windows = otherAxes(rankOf(adaptor.getSource()), absent);
  SmallVector<int64_t> batch =
      otherAxes(rankOf(adaptor.getIndices()), adaptor.getIndexVectorDim());
  ArrayRef<int64_t> offsets = adaptor.getOffsetDims(),
                    sizes = adaptor.getStaticSliceSizes();
  int64_t rank = batch.size() + offsets.size();
  SmallVector<int64_t> others = otherAxes(rank, offsets);
  if (offsets.size() != windows.size() || others.size() != batch.size() ||
      static_cast<int64_t>(sizes.size()) != rankOf(adaptor.getSource()))
    return failure();
  SmallVector<int64_t> shape(rank, ShapedType::kDynamic);
  for (auto [axis, window] : llvm::zip_equal(offsets, windows))
    shape[axis] = sizes[window];
  for (auto [axis, index] : llvm::zip_equal(others, batch))
    shape[axis] = tensorTypeOf(adaptor.getIndices()).getDimSize(index);
  return appendType(types, shape, getElementTypeOrSelf(adaptor.getSource()));
}

LogicalResult ResampleOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location>,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  RankedTensorType source = tensorTypeOf(adaptor.getSource());
  SmallVector<int64_t> shape(source.getShape());
  for (auto [axis, places] : llvm::zip(adaptor.getAxes(), adaptor.getPlaces()))
    if (axis < 0 || axis >= source.getRank())
      return failure();
    else
      shape[axis] = tensorTypeOf(places).getDimSize(1);
  Type element = adaptor.getWeights().empty()
                     ? source.getElementType()
                     : getElementTypeOrSelf(adaptor.getWeights().front());
  return appendType(types, shape, element);
}

//===----------------------------------------------------------------------===//
// Rearrangement
//===----------------------------------------------------------------------===//

LogicalResult DynamicSliceOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location>,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  return appendType(types, adaptor.getStaticSizes(),
                    getElementTypeOrSelf(adaptor.getSource()));
}

/// The extent of a padded axis, dynamic unless all is known and fits.
static int64_t paddedExtent(int64_t extent, int64_t low, int64_t high,
                            int64_t interior) {
  if (ShapedType::isDynamic(extent) || ShapedType::isDynamic(low) ||
      ShapedType::isDynamic(high) || interior < 0)
    return ShapedType::kDynamic;
  __int128 base = extent == 0 ? 0
                              : static_cast<__int128>(extent - 1) *
                                        (static_cast<__int128>(interior) + 1) +
                                    1;
  __int128 result = base + low + high;
  return result < 0 || result > INT64_MAX ? ShapedType::kDynamic
                                          : static_cast<int64_t>(result);
}

LogicalResult symshape::PadOp::inferReturnTypes(MLIRContext *,
                                                std::optional<Location>,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  RankedTensorType source = tensorTypeOf(adaptor.getSource());
  ArrayRef<int64_t> low = adaptor.getStaticLow(),
                    high = adaptor.getStaticHigh(),
                    interior = adaptor.getInterior();
  size_t rank = source.getRank();
  if (low.size() != rank || high.size() != rank || interior.size() != rank)
    return failure();
  SmallVector<int64_t> shape;
  for (size_t d = 0; d < rank; ++d)
    shape.push_back(
        paddedExtent(source.getDimSize(d), low[d], high[d], interior[d]));
  return appendType(types, shape, source.getElementType());
}

/// A size that is a value equals the extent of the axis that does not expand.
LogicalResult BroadcastOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location>,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  RankedTensorType source = tensorTypeOf(adaptor.getSource());
  SmallVector<int64_t> shape(adaptor.getStaticSizes());
  for (auto [axis, result] : llvm::enumerate(adaptor.getDims()))
    if (static_cast<int64_t>(axis) >= source.getRank() || result < 0 ||
        result >= static_cast<int64_t>(shape.size()))
      return failure();
    else if (ShapedType::isDynamic(shape[result]) &&
             !llvm::is_contained(adaptor.getExpanding(),
                                 static_cast<int64_t>(axis)))
      shape[result] = source.getDimSize(axis);
  return appendType(types, shape, source.getElementType());
}

LogicalResult ReshapeOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location>,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  return appendType(types, adaptor.getStaticSizes(),
                    getElementTypeOrSelf(adaptor.getSource()));
}

/// The number of windows stays open: it is the rule's.
LogicalResult WindowsOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location>,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  RankedTensorType source = tensorTypeOf(adaptor.getSource());
  ArrayRef<int64_t> kernel = adaptor.getStaticKernel();
  if (kernel.empty() ||
      source.getRank() != static_cast<int64_t>(kernel.size()) + 2)
    return failure();
  SmallVector<int64_t> shape{source.getShape().front()};
  shape.append(kernel.size(), ShapedType::kDynamic);
  llvm::append_range(shape, kernel);
  shape.push_back(source.getShape().back());
  return appendType(types, shape, source.getElementType());
}
