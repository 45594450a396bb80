//===- ValueBounds.h - Bounds of values and dims ----------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an index value, a dimension or an affine map of these is, at most and at
// least, where an op stands: as constants, or in terms of other values. For:
// passes that size, compare or move things. Not for: creating ops
// (Transforms/ReifyBounds.h), or deciding relations between symbols
// (ConstraintSet).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_ANALYSIS_VALUEBOUNDS_H
#define SYMSHAPE_ANALYSIS_VALUEBOUNDS_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "symshape/Analysis/FactCursor.h"

namespace mlir::symshape {

/// A scalar (no dim), or a dimension of a shaped value.
using ValueDim = std::pair<Value, std::optional<int64_t>>;

/// What bounds are asked of: an integer, a scalar, a dimension of a ranked
/// shaped value, or a map of these with one result. Maps are evaluated in exact
/// arithmetic. Scalars are of index or signless integer type, read as signed.
class Quantity {
public:
  Quantity(Value scalar) : place(scalar, std::nullopt) {}
  Quantity(Value shaped, int64_t dim) : place(shaped, dim) {}
  Quantity(ValueDim place) : place(place) {}
  Quantity(int64_t constant) : constant(constant) {}
  Quantity(OpFoldResult value);
  Quantity(AffineMap map, ArrayRef<Quantity> operands)
      : map(map), operands(operands.begin(), operands.end()) {}

  /// Its expression over the symbols of the function.
  Expr expr(FunctionShapes &shapes) const;
  /// The scalars and dims that it is a function of.
  void collectPlaces(SmallVectorImpl<ValueDim> &places) const;
  /// Whether it is a scalar or a dim itself, which fits 64 bits.
  bool isPlace() const { return place.first != nullptr; }

private:
  ValueDim place;
  int64_t constant = 0;
  AffineMap map;
  std::vector<Quantity> operands;
};

/// A bound in terms of values: `expr`, in which each symbol of `operands`
/// stands for a scalar or a dim.
struct SymbolicBound {
  Expr expr;
  SmallVector<std::pair<Expr, ValueDim>, 2> operands;
  /// Whether each part of `expr`, wherever the place is reached, fits 64 bits.
  bool fits = false;
  /// Whether it is an exclusive upper bound.
  bool isOpen = false;
};

/// A slice of a shaped value: per dimension, the elements at
/// `offset + k*stride` for 0 <= k < size.
struct SliceBox {
  SmallVector<Quantity> offsets, sizes, strides;

  SliceBox(ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
           ArrayRef<OpFoldResult> strides)
      : offsets(offsets.begin(), offsets.end()),
        sizes(sizes.begin(), sizes.end()),
        strides(strides.begin(), strides.end()) {}
  explicit SliceBox(OffsetSizeAndStrideOpInterface op)
      : SliceBox(op.getMixedOffsets(), op.getMixedSizes(),
                 op.getMixedStrides()) {}
};

/// Bounds of the quantities of one function.
///
/// Each question names a place, an op: what is asked holds whenever that op is
/// about to run, and may rest on everything known there (FactCursor). The
/// quantities' values must dominate the place. Upper bounds are closed unless
/// asked for as open. Arithmetic on indices may wrap: a sum that is not proved
/// to fit is a number of its own (ShapeAnalysisOptions::assumeNoWrap).
///
/// Questions at places in the order of the program are cheap: facts are shared
/// from one to the next.
///
/// Values may be created while it lives, but not erased: it remembers those
/// that the analysis saw.
///
/// Example: `bounds.dependentBounds(op, BoundType::UB, {tensor, 0}, {{n, {}}})`
/// are upper bounds of the first extent of `tensor` in terms of `n`.
class ValueBounds {
public:
  using BoundType = presburger::BoundType;
  using Comparison = ValueBoundsConstraintSet::ComparisonOperator;
  /// Whether bounds may be said in terms of this scalar or dim.
  using StopCondition =
      llvm::function_ref<bool(Value, std::optional<int64_t> dim)>;

  explicit ValueBounds(FunctionShapes &shapes)
      : shapes(shapes), cursor(shapes), dominance(shapes.function()) {}

  /// The least and the greatest value, as sharp as the engine finds them; an
  /// end is missing where nothing bounds it. Ends are exact, of any size.
  Range range(Operation *place, const Quantity &q);
  /// One end of `range`; of EQ, the one value. nullopt: none was found, it does
  /// not fit 64 bits, or it says no more than that this is a dim or an index
  /// (BoundSearch::isLimit).
  std::optional<int64_t> constantBound(Operation *place, BoundType type,
                                       const Quantity &q, bool closedUB = true);

  /// Bounds in terms of values for which `stop` holds, looked for among those
  /// that `q` is computed from, what facts relate to these, and the arguments
  /// of the function; and of those, among the ones that dominate `place`. There
  /// may be several bounds, none of which implies another: of min(a, b), a and
  /// b are upper bounds. For EQ, at most one, and it is exact.
  SmallVector<SymbolicBound, 2> bounds(Operation *place, BoundType type,
                                       const Quantity &q, StopCondition stop,
                                       bool closedUB = true);
  /// In terms of these scalars and dims alone.
  SmallVector<SymbolicBound, 2>
  dependentBounds(Operation *place, BoundType type, const Quantity &q,
                  ArrayRef<ValueDim> dependencies, bool closedUB = true);
  /// In terms of values that do not depend on any of these.
  SmallVector<SymbolicBound, 2>
  independentBounds(Operation *place, BoundType type, const Quantity &q,
                    ValueRange independencies, bool closedUB = true);

  Answer compare(Operation *place, const Quantity &lhs, Comparison comparison,
                 const Quantity &rhs);
  /// Whether two slices of one value share an element. Empty slices share none.
  Answer overlap(Operation *place, const SliceBox &a, const SliceBox &b);
  /// Whether two slices of one value have the same elements at the same
  /// positions.
  Answer equivalent(Operation *place, const SliceBox &a, const SliceBox &b);

  FunctionShapes &getShapes() { return shapes; }
  /// What is known before `place`; valid until the next question.
  ConstraintSet &factsBefore(Operation *place) { return cursor.before(place); }

private:
  SmallVector<SymbolicBound, 2> search(Operation *place, BoundType type,
                                       const Quantity &q, StopCondition stop,
                                       ArrayRef<ValueDim> candidates,
                                       bool closedUB);

  FunctionShapes &shapes;
  FactCursor cursor;
  DominanceInfo dominance;
};

/// Whether `value` is computed from one of `sources`, or is one of them:
/// through operands, loops and branches. Yes in doubt.
bool dependsOn(Value value, ValueRange sources);

} // namespace mlir::symshape

#endif // SYMSHAPE_ANALYSIS_VALUEBOUNDS_H
