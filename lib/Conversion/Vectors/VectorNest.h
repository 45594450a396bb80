//===- VectorNest.h - Vector loops of one structured op ---------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parallel dimensions outside, reductions inside with their results carried in
// registers, one dimension in vectors.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_VECTORS_VECTORNEST_H
#define SYMSHAPE_LIB_CONVERSION_VECTORS_VECTORNEST_H

#include "Arithmetic.h"
#include "LanePartials.h"
#include "PayloadEmitter.h"
#include "Structure/Loops.h"

namespace mlir::symshape {

/// Builds the loops of one op.
class VectorNest : Arithmetic {
public:
  VectorNest(RewriterBase &rewriter, linalg::GenericOp op,
             std::optional<unsigned> vectorDim, int64_t width,
             bool hasScalarTail);
  void build() { buildParallel(0); }
  /// The same, with the outermost dimensions in one parallel loop.
  void buildOnThreads();

private:
  /// A loop over `size` points with a body that maps carried values.
  using Body = function_ref<SmallVector<Value>(Value, ValueRange)>;
  SmallVector<Value> loop(Value begin, Value end, int64_t step,
                          ValueRange carried, Body body) {
    return makeLoop(rewriter, loc, begin, end, index(step), carried, body);
  }
  void onThreads(ValueRange ends, ArrayRef<int64_t> steps,
                 function_ref<void(ValueRange)> body);
  bool indexesAllResults(unsigned dim);
  void buildParallel(unsigned depth);
  void buildVectorLoop(unsigned dim);
  void buildPoint(int64_t width, Value count, const IRMapping &uniform);
  SmallVector<Value> buildReductions(unsigned depth, ValueRange carried,
                                     int64_t width, Value count,
                                     const IRMapping &uniform);
  Value getReductionEnd(unsigned depth);
  bool isFloatSum(OpOperand &init);
  Value getIterationsOfSum(unsigned depth);
  SmallVector<Value> buildVectorReduction(ValueRange carried);
  std::pair<Value, SmallVector<Value>>
  buildWideReduction(Value end, const IRMapping &uniform);
  SmallVector<Value> buildBoundedReduction(Value mainEnd, ValueRange lanes,
                                           const IRMapping &uniform);
  SmallVector<Value> emitLanes(ValueRange lanes, Value count,
                               const IRMapping &uniform);
  SmallVector<Value> emit(ValueRange carried, int64_t width, Value count,
                          const IRMapping &uniform);
  Place makePlace(int64_t width, Value count = nullptr);
  Value getMainEnd(unsigned dim);
  bool fillsVectors(unsigned dim);

  RewriterBase &rewriter;
  linalg::GenericOp op;
  std::optional<unsigned> vectorDim;
  int64_t width;
  bool hasScalarTail; ///< what whole vectors leave is done one by one
  bool isVectorReduction = false;
  bool vectorsOnThreads = false;
  SmallVector<unsigned> parallels, reductions;
  SmallVector<Value> sizes, ivs;
  SmallVector<int64_t> extents;
  SmallVector<OpOperand *> carriedInits, storedInits;
  SmallVector<LanePartials> reducers; ///< per carried init
  /// Inputs in vectors, and their next rows, which are fetched meanwhile.
  SmallVector<std::pair<OpOperand *, Value>> nextRows;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_VECTORS_VECTORNEST_H
