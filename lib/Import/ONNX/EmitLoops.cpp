//===- EmitLoops.cpp - Loops over tensors ---------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// scf.for over states, and what an iteration reads from or writes to a tensor.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "symshape/IR/Slices.h"
#include "symshape/Import/ONNX/Emitter.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

/// x, which is required to have these extents.
static Tensor keepExtents(Emitter &e, const Tensor &x, ArrayRef<Expr> dims) {
  if (x.rank() != static_cast<int64_t>(dims.size())) {
    e.refuse("expected what a loop changes to keep its rank");
    return {e.empty(dims, x.type), SmallVector<Expr, 4>(dims), x.type};
  }
  for (auto [own, wanted] : llvm::zip_equal(x.dims, dims))
    e.require(Relation::eq(own, wanted),
              "what a loop changes must keep its extents");
  return e.wrap(x.value, dims, x.type);
}

SmallVector<Tensor> Emitter::asStates(ValueRange values,
                                      ArrayRef<Tensor> states) {
  SmallVector<Tensor> result;
  for (auto [value, state] : llvm::zip_equal(values, states))
    result.push_back({value, state.dims, state.type});
  return result;
}

scf::ForOp Emitter::beginLoop(Expr count, ArrayRef<Tensor> states) {
  SmallVector<Value> inits;
  for (const Tensor &state : states)
    inits.push_back(state.value);
  Value zero = index(constant(0)), one = index(constant(1));
  auto loop = scf::ForOp::create(b, place, zero, index(count), one, inits);
  Block *block = loop.getBody();
  if (block->mightHaveTerminator())
    block->getTerminator()->erase();
  b.setInsertionPointToEnd(block);
  return loop;
}

SmallVector<Tensor> Emitter::repeat(
    Expr count, ArrayRef<Tensor> states,
    llvm::function_ref<SmallVector<Tensor>(Value, ArrayRef<Tensor>)> body) {
  scf::ForOp loop;
  {
    OpBuilder::InsertionGuard guard(b);
    loop = beginLoop(count, states);
    SmallVector<Value> next;
    for (auto [now, state] :
         llvm::zip_equal(body(loop.getInductionVar(),
                              asStates(loop.getRegionIterArgs(), states)),
                         states))
      next.push_back(keepExtents(*this, now, state.dims).value);
    scf::YieldOp::create(b, place, next);
  }
  return asStates(loop.getResults(), states);
}

namespace {
/// One element of an axis as a slice.
struct Cut {
  SmallVector<Expr, 4> dims;
  SliceBounds bounds; ///< without the sizes
};
} // namespace

static Cut cutAt(OpBuilder &b, Expr one, const Tensor &x, int64_t axis,
                 Value place) {
  Cut cut;
  cut.dims.assign(x.dims.begin(), x.dims.end());
  cut.dims[axis] = one;
  cut.bounds.offsets.assign(x.rank(), b.getIndexAttr(0));
  cut.bounds.offsets[axis] = place;
  cut.bounds.strides.assign(x.rank(), b.getIndexAttr(1));
  return cut;
}

Tensor Emitter::pick(const Tensor &x, int64_t axis, Value place) {
  if (!areAxes(axis, x.rank()))
    return x;
  Cut cut = cutAt(b, constant(1), x, axis, place);
  cut.bounds.sizes = fold(cut.dims);
  Value slice =
      extractSlice(b, loc(), x.value, cut.bounds, typeOf(cut.dims, x.type));
  return squeeze({slice, cut.dims, x.type}, axis);
}

Tensor Emitter::put(const Tensor &x, int64_t axis, Value place,
                    const Tensor &part) {
  if (!areAxes(axis, x.rank()))
    return x;
  Cut cut = cutAt(b, constant(1), x, axis, place);
  Tensor slice = keepExtents(*this, unsqueeze(part, axis), cut.dims);
  cut.bounds.sizes = fold(cut.dims);
  Value whole = insertSlice(b, loc(), slice.value, x.value, cut.bounds);
  return {whole, x.dims, x.type};
}
