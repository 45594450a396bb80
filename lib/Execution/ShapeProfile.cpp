//===- ShapeProfile.cpp - Which dims have varied --------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/ShapeProfile.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::symshape;

unsigned ShapeProfile::countVaried() const {
  return llvm::count_if(
      ranges, [](const Range &range) { return range.min != range.max; });
}

bool ShapeProfile::contains(llvm::ArrayRef<int64_t> dims) const {
  if (isEmpty())
    return false;
  for (auto [range, dim] : llvm::zip_equal(ranges, dims))
    if (dim < range.min || dim > range.max)
      return false;
  return true;
}

void ShapeProfile::add(llvm::ArrayRef<int64_t> dims) {
  if (isEmpty())
    for (int64_t dim : dims)
      ranges.push_back({dim, dim});
  for (auto [range, dim] : llvm::zip_equal(ranges, dims))
    range = {std::min(range.min, dim), std::max(range.max, dim)};
}

void ShapeProfile::add(const ShapeProfile &other) {
  if (other.isEmpty())
    return;
  if (isEmpty())
    ranges = other.ranges;
  for (auto [range, more] : llvm::zip_equal(ranges, other.ranges))
    range = {std::min(range.min, more.min), std::max(range.max, more.max)};
}

llvm::json::Value ShapeProfile::toJSON() const {
  llvm::json::Array array;
  for (const Range &range : ranges)
    array.push_back(llvm::json::Array{range.min, range.max});
  return array;
}

std::optional<ShapeProfile>
ShapeProfile::fromJSON(const llvm::json::Value &value, size_t numDims) {
  const llvm::json::Array *array = value.getAsArray();
  if (!array || (!array->empty() && array->size() != numDims))
    return std::nullopt;
  ShapeProfile profile;
  for (const llvm::json::Value &entry : *array) {
    const llvm::json::Array *ends = entry.getAsArray();
    if (!ends || ends->size() != 2)
      return std::nullopt;
    std::optional<int64_t> min = (*ends)[0].getAsInteger();
    std::optional<int64_t> max = (*ends)[1].getAsInteger();
    // Nothing is known of a dim of a weight: -1.
    if (!min || !max || *min < -1 || *min > *max)
      return std::nullopt;
    profile.ranges.push_back({*min, *max});
  }
  return profile;
}
