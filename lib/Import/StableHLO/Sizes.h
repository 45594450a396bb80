//===- Sizes.h - Integers that shapes are made of ---------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program with open extents computes with them in small tensors of integers.
// Such a tensor is a list of index values here, so that an extent stays an
// expression in extents. Not for data: what an op outside this table computes
// is a tensor.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_STABLEHLO_SIZES_H
#define SYMSHAPE_LIB_IMPORT_STABLEHLO_SIZES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include <optional>

namespace mlir::symshape::stablehlo {

/// A relation between two indices, `a <relation> b`.
struct Comparison {
  StringRef relation;
  OpFoldResult left, right;
};

/// An element of a list: of an integer tensor an index, of booleans an i1.
///
/// Invariants: an index is congruent to the element modulo 2 to the bits of
/// the element's type, and lies between `least` and `most`; where it is not
/// within the range of that type, the tensor's element has wrapped and the
/// index has not. A boolean with comparisons holds where all of them do.
///
/// Example: in `2 * b + 1` of i32, the index is a value of the expression, and
/// most is 2^49 + 1 for an extent b that nothing more is known of.
struct Size {
  OpFoldResult value;
  int64_t least = 0, most = 0;
  SmallVector<Comparison, 0> comparisons;
};
using SizeList = SmallVector<Size, 0>;

/// Computes with sizes at the place of a builder.
class SizeMath {
public:
  SizeMath(OpBuilder &builder, Location loc) : b(builder), loc(loc) {}
  void setLoc(Location place) { loc = place; }

  Size constant(int64_t value);
  Size truth(bool value);
  /// An extent: at least 0.
  Size extent(OpFoldResult value);
  /// Any index.
  Size any(Value index);

  /// The op `name` on elements of a type, whose result is of another. Nullopt
  /// where sizes do not do it.
  std::optional<Size> compute(StringRef name, ArrayRef<Size> operands,
                              StringRef direction, Type type, Type resultType);

  /// The size, which has not wrapped in integers of `type`: required where it
  /// is not known.
  Size exact(const Size &size, Type type);
  /// An expression whose names p and q stand for x and y.
  OpFoldResult expression(StringRef text, OpFoldResult x,
                          OpFoldResult y = OpFoldResult());
  Value index(OpFoldResult value);
  /// Forgets what was learned since `earlier` was copied.
  void restore(const SizeMath &earlier) { bounds = earlier.bounds; }
  /// What follows from comparisons that were checked.
  void assume(const Size &condition);

private:
  Size add(const Size &x, const Size &y);
  Size subtract(const Size &x, const Size &y);
  Size multiply(const Size &x, const Size &y);
  std::optional<Size> divide(const Size &x, const Size &y);
  std::optional<Size> remainder(const Size &x, const Size &y);
  Size extreme(const Size &x, const Size &y, bool isMost);
  std::optional<Size> compare(const Size &x, const Size &y, StringRef direction,
                              bool areTruths);
  std::optional<Size> combine(const Size &x, const Size &y, bool isAnd);
  std::optional<Size> select(const Size &condition, const Size &x,
                             const Size &y);
  std::optional<Size> arithmetic(StringRef name, ArrayRef<Size> operands,
                                 Type type);
  /// With the bounds that were learned since it was made.
  Size refine(Size size);

  OpBuilder &b;
  Location loc;
  /// Bounds of values that hold from here on.
  DenseMap<Value, std::pair<int64_t, int64_t>> bounds;
};

} // namespace mlir::symshape::stablehlo

#endif // SYMSHAPE_LIB_IMPORT_STABLEHLO_SIZES_H
