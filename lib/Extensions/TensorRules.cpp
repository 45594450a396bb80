//===- TensorRules.cpp - Shape rules of tensor ----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that make, read, cut and pad tensors. Not for: reshapes
// (TensorReshapeRules.cpp).
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "symshape/Extensions/AllExtensions.h"
#include "symshape/Extensions/RuleHelpers.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::tensor;

namespace {
//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

void dimRule(DimOp op, ShapeFacts &facts) { setQueriedDim(facts, op); }

void rankRule(RankOp op, ShapeFacts &facts) {
  if (auto type = dyn_cast<RankedTensorType>(op.getTensor().getType()))
    facts.setValue(op.getResult(), facts.constant(type.getRank()));
}

void extractRule(ExtractOp op, ShapeFacts &facts) {
  requireInBounds(facts, op.getTensor(), op.getIndices());
  if (!hasIntegerValue(op.getType()) || op.getType().isInteger(1))
    return;
  SmallVector<Expr> position;
  for (Value index : op.getIndices())
    position.push_back(facts.value(index));
  if (Expr e = facts.element(op.getTensor(), position))
    facts.setValue(op.getResult(), e);
}

//===----------------------------------------------------------------------===//
// Making tensors
//===----------------------------------------------------------------------===//

void emptyRule(EmptyOp op, ShapeFacts &facts) {
  setDynamicSizes(facts, op.getResult(), op.getDynamicSizes());
}

void splatRule(SplatOp op, ShapeFacts &facts) {
  setDynamicSizes(facts, op.getResult(), op.getDynamicSizes());
  if (!hasIntegerElements(op.getResult()))
    return;
  Expr e = facts.value(op.getInput());
  facts.setElements(op.getResult(), [e](ArrayRef<Expr>) { return e; });
}

void fromElementsRule(FromElementsOp op, ShapeFacts &facts) {
  auto type = cast<RankedTensorType>(op.getType());
  if (!hasIntegerElements(op))
    return;
  SmallVector<Expr> elements;
  for (Value v : op.getElements())
    elements.push_back(facts.value(v));
  SmallVector<int64_t> sizes(type.getShape());
  facts.setElements(
      op.getResult(), [elements, sizes](ArrayRef<Expr> position) -> Expr {
        int64_t linear = 0;
        for (auto [e, size] : llvm::zip(position, sizes)) {
          std::optional<int64_t> i = e.asInt64();
          if (!i || *i < 0 || *i >= size)
            return llvm::all_equal(elements) && !elements.empty() ? elements[0]
                                                                  : Expr();
          linear = linear * size + *i;
        }
        return linear < int64_t(elements.size()) ? elements[linear] : Expr();
      });
}

/// Whether the body only yields a value from outside. Nothing is required or
/// found in it then, so it needs no counters.
bool yieldsFromOutside(Region &body) {
  return body.hasOneBlock() && llvm::hasSingleElement(body.front()) &&
         llvm::all_of(body.getArguments(),
                      [](BlockArgument a) { return a.use_empty(); });
}

/// A region with one argument per dimension of `result`: its position.
void visitPositions(ShapeFacts &facts, Value result, Region &body,
                    Value yielded) {
  bool hasElements = isa<RankedTensorType>(result.getType()) && yielded &&
                     hasIntegerValue(yielded.getType()) &&
                     !yielded.getType().isInteger(1);
  if (yieldsFromOutside(body)) {
    if (hasElements)
      facts.setElements(
          result, [e = facts.value(yielded)](ArrayRef<Expr>) { return e; });
    return;
  }
  IterationSpace space(facts, facts.dims(result));
  for (auto [arg, counter] : llvm::zip(body.getArguments(), space.counters()))
    facts.setValue(arg, counter);
  facts.visitRegion(body, space.premise());
  if (!hasElements)
    return;
  auto places =
      llvm::to_vector(llvm::seq<unsigned>(0, space.counters().size()));
  if (ElementFn element = space.functionOf(facts.value(yielded), places))
    facts.setElements(result, element);
}

void generateRule(GenerateOp op, ShapeFacts &facts) {
  setDynamicSizes(facts, op.getResult(), op.getDynamicExtents());
  auto yield = dyn_cast<YieldOp>(op.getBody().front().getTerminator());
  visitPositions(facts, op.getResult(), op.getBody(),
                 yield ? yield.getValue() : Value());
}

void padRule(tensor::PadOp op, ShapeFacts &facts) {
  Expr zero = facts.constant(0);
  for (auto [d, l, h] :
       llvm::enumerate(op.getMixedLowPad(), op.getMixedHighPad())) {
    Expr low = facts.value(l), high = facts.value(h);
    facts.require(Relation::ge(low, zero),
                  "low padding of dimension " + Twine(d));
    facts.require(Relation::ge(high, zero),
                  "high padding of dimension " + Twine(d));
    setOrRequire(facts, op.getResult(), d,
                 low + facts.dim(op.getSource(), d) + high,
                 "padded dimension " + Twine(d));
  }
  // The value is that of the padding, not of every element.
  visitPositions(facts, op.getResult(), op.getRegion(), Value());
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

void extractSliceRule(ExtractSliceOp op, ShapeFacts &facts) {
  setSlice(facts, op.getSource(), op.getResult(), op);
  if (!hasIntegerElements(op))
    return;
  // Element p of the slice is element offset + p * stride of the source. If one
  // of several dimensions of size 1 is left out, it does not matter which: p is
  // 0 there.
  SmallVector<int64_t> kept;
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (unsigned d = 0; d < dropped.size(); ++d)
    if (!dropped.test(d))
      kept.push_back(d);
  SmallVector<Expr> offsets, strides;
  for (auto [offset, stride] :
       llvm::zip(op.getMixedOffsets(), op.getMixedStrides())) {
    offsets.push_back(facts.value(offset));
    strides.push_back(facts.value(stride));
  }
  ShapeFacts *all = &facts;
  Value source = op.getSource();
  facts.setElements(op.getResult(), [=](ArrayRef<Expr> position) {
    SmallVector<Expr> at(offsets);
    for (auto [d, from] : llvm::enumerate(kept))
      at[from] = at[from] + position[d] * strides[from];
    return all->element(source, at);
  });
}

/// The source of an insertion has the sizes of the slice.
template <typename OpTy>
void requireSourceSizes(OpTy op, ShapeFacts &facts) {
  visitSliceSizes(op.getSource(), op, [&](int64_t d, Value size) {
    facts.require(Relation::eq(facts.dim(op.getSource(), d), facts.value(size)),
                  "source dimension " + Twine(d));
  });
}

void insertSliceRule(InsertSliceOp op, ShapeFacts &facts) {
  requireSliceInBounds(facts, op.getDest(), op);
  requireSourceSizes(op, facts);
  facts.copyExtents(op.getDest(), op.getResult());
}

void parallelInsertSliceRule(ParallelInsertSliceOp op, ShapeFacts &facts) {
  requireSliceInBounds(facts, op.getDest(), op);
  requireSourceSizes(op, facts);
}

/// Of integers: the new element where it was put, and the old ones where that
/// is certainly elsewhere.
void insertRule(InsertOp op, ShapeFacts &facts) {
  requireInBounds(facts, op.getDest(), op.getIndices());
  facts.copyExtents(op.getDest(), op.getResult());
  if (!hasIntegerElements(op.getResult()))
    return;
  SmallVector<Expr> indices;
  for (Value index : op.getIndices())
    indices.push_back(facts.value(index));
  ShapeFacts *all = &facts;
  Expr inserted = facts.value(op.getScalar());
  Value dest = op.getDest();
  facts.setElements(op.getResult(), [=](ArrayRef<Expr> position) {
    if (ArrayRef<Expr>(indices) == position)
      return inserted;
    bool isElsewhere =
        llvm::any_of(llvm::zip_equal(indices, position), [](auto pair) {
          Expr difference = std::get<0>(pair) - std::get<1>(pair);
          return difference.isConstant() && !difference.isConstant(0);
        });
    return isElsewhere ? all->element(dest, position) : Expr();
  });
}

void concatRule(ConcatOp op, ShapeFacts &facts) {
  int64_t axis = op.getDim();
  Expr sum = facts.constant(0);
  Value first = op.getInputs().front();
  for (Value input : op.getInputs()) {
    sum = sum + facts.dim(input, axis);
    for (int64_t d = 0, rank = op.getType().getRank(); d < rank; ++d)
      if (d != axis && input != first)
        facts.require(Relation::eq(facts.dim(first, d), facts.dim(input, d)),
                      "dimension " + Twine(d));
  }
  for (int64_t d = 0, rank = op.getType().getRank(); d < rank; ++d)
    setOrRequire(facts, op.getResult(), d,
                 d == axis ? sum : facts.dim(first, d),
                 "result dimension " + Twine(d));
  if (!hasIntegerElements(op.getResult()))
    return;
  ShapeFacts *all = &facts;
  SmallVector<Value> inputs(op.getInputs());
  facts.setElements(op.getResult(), [=](ArrayRef<Expr> position) {
    SmallVector<Expr> at(position);
    for (Value input : inputs) {
      Expr behind = at[axis] - all->dim(input, axis);
      if (!at[axis].isConstant() || !behind.isConstant())
        return Expr();
      if (*behind.asConstant() < 0)
        return all->element(input, at);
      at[axis] = behind;
    }
    return Expr();
  });
}

//===----------------------------------------------------------------------===//
// Gather and scatter
//===----------------------------------------------------------------------===//

/// Visits the dimensions of a gathered value: the leading ones are those of the
/// indices without their last, which holds coordinates; the others are those of
/// the source that no coordinate selects. Selected ones are left out or 1.
template <typename Visit>
void visitGathered(ShapeFacts &facts, Value indices, Value source,
                   ArrayRef<int64_t> selected, Value gathered, Visit visit) {
  int64_t batch = cast<RankedTensorType>(indices.getType()).getRank() - 1;
  for (int64_t d = 0; d < batch; ++d)
    visit(d, facts.dim(indices, d), "batch dimension " + Twine(d));
  int64_t rank = cast<RankedTensorType>(source.getType()).getRank();
  bool keepsSelected =
      cast<RankedTensorType>(gathered.getType()).getRank() == batch + rank;
  for (int64_t s = 0, d = batch; s < rank; ++s) {
    bool isSelected = llvm::is_contained(selected, s);
    if (!isSelected)
      visit(d, facts.dim(source, s), "slice dimension " + Twine(s));
    d += !isSelected || keepsSelected;
  }
}

void gatherRule(tensor::GatherOp op, ShapeFacts &facts) {
  visitGathered(facts, op.getIndices(), op.getSource(), op.getGatherDims(),
                op.getResult(), [&](int64_t d, Expr e, const Twine &field) {
                  setOrRequire(facts, op.getResult(), d, e, field);
                });
}

void scatterRule(tensor::ScatterOp op, ShapeFacts &facts) {
  visitGathered(facts, op.getIndices(), op.getDest(), op.getScatterDims(),
                op.getSource(), [&](int64_t d, Expr e, const Twine &field) {
                  facts.require(Relation::eq(facts.dim(op.getSource(), d), e),
                                field);
                });
  facts.copyExtents(op.getDest(), op.getResult());
}
} // namespace

void symshape::registerTensorRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TensorDialect *) {
    attachRule<ConcatOp, concatRule>(context);
    attachRule<DimOp, dimRule>(context);
    attachRule<EmptyOp, emptyRule>(context);
    attachRule<ExtractOp, extractRule>(context);
    attachRule<ExtractSliceOp, extractSliceRule>(context);
    attachRule<FromElementsOp, fromElementsRule>(context);
    attachRule<tensor::GatherOp, gatherRule>(context);
    attachRule<GenerateOp, generateRule>(context);
    attachRule<InsertOp, insertRule>(context);
    attachRule<InsertSliceOp, insertSliceRule>(context);
    attachRule<tensor::PadOp, padRule>(context);
    attachRule<ParallelInsertSliceOp, parallelInsertSliceRule>(context);
    attachRule<RankOp, rankRule>(context);
    attachRule<tensor::ScatterOp, scatterRule>(context);
    attachRule<SplatOp, splatRule>(context);
  });
}
