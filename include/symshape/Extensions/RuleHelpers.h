//===- RuleHelpers.h - What rules of ops share ------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rule is a function of an op and its ShapeFacts; this header makes it the
// external model of the op, and holds the requirements that many ops share.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXTENSIONS_RULEHELPERS_H
#define SYMSHAPE_EXTENSIONS_RULEHELPERS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/ShapedOpInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "symshape/IR/SymShape.h"

namespace mlir::symshape {

/// Makes `rule` the model of `OpTy`.
template <typename OpTy, void (*rule)(OpTy, ShapeFacts &)>
struct Rule : ShapeFactsOpInterface::ExternalModel<Rule<OpTy, rule>, OpTy> {
  void populateShapeFacts(Operation *op, ShapeFacts &facts) const {
    rule(cast<OpTy>(op), facts);
  }
};

template <typename OpTy, void (*rule)(OpTy, ShapeFacts &)>
void attachRule(MLIRContext *context) {
  OpTy::template attachInterface<Rule<OpTy, rule>>(*context);
}

/// Index, or a signless integer of at most 64 bits: what has a value.
bool hasIntegerValue(Type type);

/// Whether elements of `shaped` have values.
bool hasIntegerElements(Value shaped);

/// A ranked tensor or memref: what has extents.
bool isRankedShaped(Type type);

/// Sets the elements of a constant, if they are integers; i1 is 0 or 1.
void setConstantElements(ShapeFacts &facts, Value constant, Attribute value);

/// The rule of elementwise ops on tensors: all operands have the same extents,
/// which are those of the results. False: the results are not ranked tensors,
/// and nothing is said.
bool elementwiseRule(Operation *op, ShapeFacts &facts);

/// Requires `0 <= index < extent` for each index of an access to `shaped`.
void requireInBounds(ShapeFacts &facts, Value shaped, ValueRange indices);

/// Requires that `shaped` contains the slice of these offsets, sizes, strides,
/// and that no two of its elements are one. Backwards, with a negative stride,
/// it begins with the last in memory.
void requireSliceInBounds(ShapeFacts &facts, Value shaped,
                          OffsetSizeAndStrideOpInterface slice);

/// Calls `visit` with each dynamic dimension of `part`, the result or the
/// source of a slice, which may lack dimensions of size 1, and with its
/// size.
void visitSliceSizes(Value part, OffsetSizeAndStrideOpInterface slice,
                     llvm::function_ref<void(int64_t d, Value size)> visit);

/// Sets dimension `d` of `result` to `e`, which the op computes in 64 bits, and
/// requires that it fits; where the type is static, that the two agree.
void setOrRequire(ShapeFacts &facts, Value result, int64_t d, Expr e,
                  const Twine &field);

/// `value`, or what it is a cast of if the cast only hid its rank.
Value beforeCasts(Value value);

/// Sets the extents of `result` to those of `source`, seen through casts that
/// hide its rank; where one is static, it requires that they agree, as the
/// ranks must. False, and nothing is said, without ranks.
bool setSameExtents(ShapeFacts &facts, Value source, Value result);

/// The dim that an op asks for.
void setQueriedDim(ShapeFacts &facts, ShapedDimOpInterface op);

/// The extents of a slice, which lies within `source`.
void setSlice(ShapeFacts &facts, Value source, Value result,
              OffsetSizeAndStrideOpInterface slice);

/// Each dimension of `result` is the product of a group of those of `source`.
void setCollapsed(ShapeFacts &facts, Value source, Value result,
                  ArrayRef<SmallVector<int64_t, 2>> groups);

/// Each group of dimensions of `result`, which have these sizes, has the
/// product of one of `source`.
void setExpanded(ShapeFacts &facts, Value source, Value result,
                 ArrayRef<SmallVector<int64_t, 2>> groups,
                 ArrayRef<OpFoldResult> sizes);

/// Sets the dynamic dimensions of `result` to `sizes`, which must be >= 0.
void setDynamicSizes(ShapeFacts &facts, Value result, ValueRange sizes);

/// Gives each of `values` the extents, condition or value of its `source`.
void copyFacts(ShapeFacts &facts, ValueRange sources, ValueRange values);

/// Visits a region that is reached if its op is. If it has one block, `results`
/// have the extents, conditions and values of what that gives.
void visitYielding(ShapeFacts &facts, Region &region, ValueRange results);

/// Requires equal extents of two values of the same rank.
void requireSameExtents(ShapeFacts &facts, Value a, Value b,
                        const Twine &field);

/// The product of extents; 1 for none.
Expr product(ShapeFacts &facts, ArrayRef<Expr> factors);
/// Requires that the product of `factors` is `whole`; if one of them is the
/// quotient of `whole` by the others, that the others divide it.
void requireProduct(ShapeFacts &facts, ArrayRef<Expr> factors, Expr whole,
                    const Twine &field);

/// Whether `e` is proved to be at least `bound`.
bool isAtLeast(ShapeFacts &facts, Expr e, int64_t bound);

/// Whether `symbol` means the same in every iteration of a region that is
/// visited after `marker`, the id of a symbol, was made.
bool isInvariant(ShapeFacts &facts, Expr symbol, unsigned marker);

/// The iterations of a region: declares a counter per extent, each from 0, and
/// tells whether an expression found inside is a function of them alone.
class IterationSpace {
public:
  IterationSpace(ShapeFacts &facts, ArrayRef<Expr> extents);

  ArrayRef<Expr> counters() const { return symbols; }
  /// The condition under which there is an iteration.
  const Formula &premise() const { return isReached; }
  /// `e`, found inside the region, as a function of the counters; null when it
  /// holds a symbol that stands for something inside.
  ElementFn functionOf(Expr e, ArrayRef<unsigned> positionOfCounter) const;

private:
  ShapeFacts &facts;
  ExprArena &arena;
  SmallVector<Expr> symbols;
  Formula isReached = Formula::truth(true);
  unsigned marker; ///< symbols of larger id are of the region, or unknown
};

} // namespace mlir::symshape

#endif // SYMSHAPE_EXTENSIONS_RULEHELPERS_H
