//===- ShapeProfile.h - Which dims have varied ------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the calls of a program so far say about its dynamic dims. That two dims
// were equal in all of them says nothing: equality is what is proved or
// declared.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXECUTION_SHAPEPROFILE_H
#define SYMSHAPE_EXECUTION_SHAPEPROFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/JSON.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace mlir::symshape {

/// The range of each dim over all calls.
///
/// Invariants: one range per dim, or none at all before the first call; in
/// each, min <= max. A dim has varied if they differ.
class ShapeProfile {
public:
  struct Range {
    int64_t min, max;
    bool operator==(const Range &o) const {
      return min == o.min && max == o.max;
    }
  };

  bool isEmpty() const { return ranges.empty(); }
  llvm::ArrayRef<Range> getRanges() const { return ranges; }
  bool hasVaried(size_t dim) const {
    return ranges[dim].min != ranges[dim].max;
  }

  unsigned countVaried() const;

  /// Whether each dim is in its range.
  bool contains(llvm::ArrayRef<int64_t> dims) const;

  /// Takes in one call; as many dims as in calls before.
  void add(llvm::ArrayRef<int64_t> dims);
  /// Takes in all calls of another profile, of as many dims or without calls.
  void add(const ShapeProfile &other);

  bool operator==(const ShapeProfile &o) const { return ranges == o.ranges; }

  /// `[[1, 64], [128, 128]]`.
  llvm::json::Value toJSON() const;
  /// nullopt unless `value` is a profile of `numDims` dims.
  static std::optional<ShapeProfile> fromJSON(const llvm::json::Value &value,
                                              size_t numDims);

private:
  std::vector<Range> ranges;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_EXECUTION_SHAPEPROFILE_H
