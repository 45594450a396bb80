//===- ArenaPacking.cpp - Offsets of buffers ------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//
//===----------------------------------------------------------------------===//

#include "ArenaPacking.h"

using namespace mlir;
using namespace mlir::symshape;
using llvm::DynamicAPInt;

// Questions to the engine for one function; beyond that, buffers are stacked.
static constexpr unsigned maxQuestions = 2000;

namespace {
class Packer {
public:
  explicit Packer(ConstraintSet &facts) : facts(facts) {}

  Expr pack(MutableArrayRef<PlannedBuffer> buffers);

private:
  DynamicAPInt estimate(Expr e, int64_t typical);
  bool isAtMost(Expr a, Expr b);
  bool isFree(Expr offset, const PlannedBuffer &buffer);
  void place(PlannedBuffer &buffer);
  Expr largest(SmallVector<Expr> ends);

  ConstraintSet &facts;
  SmallVector<PlannedBuffer *> placed;
  unsigned questionsLeft = maxQuestions;
};
} // namespace

/// The value of `e` where each symbol is `typical`, or as near as it can be.
DynamicAPInt Packer::estimate(Expr e, int64_t typical) {
  auto value = [&](Expr symbol) -> std::optional<DynamicAPInt> {
    symshape::Range range = facts.info(symbol).range;
    DynamicAPInt result(typical);
    if (range.min && result < *range.min)
      result = *range.min;
    if (range.max && result > *range.max)
      result = *range.max;
    return result;
  };
  return facts.arena().evaluateExact(e, value).value_or(DynamicAPInt(0));
}

/// Whether a <= b is proved. Values that refute it spare the question.
bool Packer::isAtMost(Expr a, Expr b) {
  if (a == b)
    return true;
  for (int64_t typical : {1, 7, 64, 1000})
    if (estimate(a, typical) > estimate(b, typical))
      return false;
  if (questionsLeft == 0)
    return false;
  --questionsLeft;
  return facts.isProvably(Relation::le(a, b));
}

/// Whether `buffer` at `offset` overlaps none of those that are in use with it.
bool Packer::isFree(Expr offset, const PlannedBuffer &buffer) {
  return llvm::all_of(placed, [&](PlannedBuffer *other) {
    return !other->isLiveWith(buffer) ||
           isAtMost(other->offset + other->bytes, offset) ||
           isAtMost(offset + buffer.bytes, other->offset);
  });
}

/// The maximum of `ends`, without those that are proved to be no larger than
/// others.
Expr Packer::largest(SmallVector<Expr> ends) {
  SmallVector<Expr> kept;
  for (Expr end : ends) {
    if (llvm::any_of(kept, [&](Expr other) { return isAtMost(end, other); }))
      continue;
    llvm::erase_if(kept, [&](Expr other) { return isAtMost(other, end); });
    kept.push_back(end);
  }
  return facts.arena().max(kept);
}

void Packer::place(PlannedBuffer &buffer) {
  SmallVector<Expr> candidates{facts.arena().zero()}, ends;
  for (PlannedBuffer *other : placed) {
    Expr end = other->offset + other->bytes;
    candidates.push_back(end);
    if (other->isLiveWith(buffer))
      ends.push_back(end);
  }
  if (ends.empty()) {
    buffer.offset = facts.arena().zero();
    return;
  }
  llvm::sort(candidates, [&](Expr a, Expr b) {
    return std::make_pair(estimate(a, 64), a.id()) <
           std::make_pair(estimate(b, 64), b.id());
  });
  auto it =
      llvm::find_if(candidates, [&](Expr c) { return isFree(c, buffer); });
  buffer.offset = it != candidates.end() ? *it : largest(std::move(ends));
}

Expr Packer::pack(MutableArrayRef<PlannedBuffer> buffers) {
  SmallVector<PlannedBuffer *> order;
  for (PlannedBuffer &buffer : buffers)
    order.push_back(&buffer);
  llvm::sort(order, [&](PlannedBuffer *a, PlannedBuffer *b) {
    return std::make_pair(-estimate(a->bytes, 64), a->first) <
           std::make_pair(-estimate(b->bytes, 64), b->first);
  });
  SmallVector<Expr> ends{facts.arena().zero()};
  for (PlannedBuffer *buffer : order) {
    place(*buffer);
    placed.push_back(buffer);
    ends.push_back(buffer->offset + buffer->bytes);
  }
  return largest(std::move(ends));
}

Expr mlir::symshape::packArena(ConstraintSet &facts,
                               MutableArrayRef<PlannedBuffer> buffers) {
  return Packer(facts).pack(buffers);
}
