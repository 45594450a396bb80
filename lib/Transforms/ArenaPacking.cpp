//===- ArenaPacking.cpp - Offsets of buffers ------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Packs rectangles, times by bytes, for typical numbers of bytes; then keeps
// only their order from below to above.
//
//===----------------------------------------------------------------------===//

#include "ArenaPacking.h"

#include "llvm/ADT/BitVector.h"
#include <numeric>

using namespace mlir;
using namespace mlir::symshape;
using llvm::DynamicAPInt;

// Questions to the engine for one function, and the largest expression, in
// symbols and operations, to ask about: answers only make offsets simpler.
static constexpr unsigned maxQuestions = 200;
static constexpr unsigned maxAskedOffsetSize = 100;

// The most that a size counts as: a sum of 2^14 of them fits 64 bits.
static constexpr int64_t maxTypicalBytes = int64_t(1) << 48;

namespace {
class Packer {
public:
  Packer(ConstraintSet &facts, MemoryPlan &plan)
      : facts(facts), plan(plan), buffers(plan.buffers) {}

  void pack();

private:
  /// Where each buffer begins for typical sizes, and where the last one ends.
  struct Layout {
    SmallVector<int64_t> offsets;
    int64_t end = 0;
  };

  std::optional<DynamicAPInt> valueAt(Expr e, int64_t typical);
  int64_t typicalBytes(Expr e);
  void findNeighbours();
  Layout layOut(ArrayRef<unsigned> order);
  Layout bestLayout();
  void stack(const Layout &layout);
  bool isAtMost(Expr a, Expr b);
  Expr largestEnd(SmallVectorImpl<unsigned> &numbers);

  ConstraintSet &facts;
  MemoryPlan &plan;
  MutableArrayRef<PlannedBuffer> buffers;
  SmallVector<int64_t> bytes; ///< typical
  /// The buffers that are in use with each one.
  std::vector<SmallVector<unsigned>> neighbours;
  llvm::DenseMap<Expr, bool> isNotNegative; ///< by difference
  /// Buffers that every call reaches, as it does all that they stand on.
  std::vector<bool> isFixed;
  unsigned questionsLeft = maxQuestions;
};
} // namespace

/// The value of `e` if each symbol is `typical`, or as near as possible.
std::optional<DynamicAPInt> Packer::valueAt(Expr e, int64_t typical) {
  return facts.arena().evaluateExact(
      e, [&](Expr symbol) -> std::optional<DynamicAPInt> {
        symshape::Range range = facts.info(symbol).range;
        DynamicAPInt result(typical);
        if (range.min && result < *range.min)
          result = *range.min;
        if (range.max && result > *range.max)
          result = *range.max;
        return result;
      });
}

int64_t Packer::typicalBytes(Expr e) {
  DynamicAPInt value = valueAt(e, 64).value_or(DynamicAPInt(0));
  value = std::max(value, DynamicAPInt(0));
  return int64_t(std::min(value, DynamicAPInt(maxTypicalBytes)));
}

/// Sweeps over the positions at which buffers begin to be used.
void Packer::findNeighbours() {
  neighbours.resize(buffers.size());
  SmallVector<unsigned> byFirst(buffers.size()), open;
  std::iota(byFirst.begin(), byFirst.end(), 0);
  llvm::stable_sort(byFirst, [&](unsigned a, unsigned b) {
    return buffers[a].first < buffers[b].first;
  });
  for (unsigned number : byFirst) {
    const PlannedBuffer &buffer = buffers[number];
    llvm::erase_if(open, [&](unsigned other) {
      return buffers[other].last < buffer.first;
    });
    if (buffer.first > buffer.last)
      continue;
    for (unsigned other : open)
      if (buffer.isLiveWith(buffers[other])) {
        neighbours[number].push_back(other);
        neighbours[other].push_back(number);
      }
    open.push_back(number);
  }
}

/// Places one buffer after another, each at the least free offset.
Packer::Layout Packer::layOut(ArrayRef<unsigned> order) {
  Layout layout;
  layout.offsets.assign(buffers.size(), 0);
  llvm::BitVector placed(buffers.size());
  for (unsigned number : order) {
    SmallVector<std::pair<int64_t, int64_t>> taken;
    for (unsigned other : neighbours[number])
      if (placed[other])
        taken.push_back(
            {layout.offsets[other], layout.offsets[other] + bytes[other]});
    llvm::sort(taken);
    int64_t offset = 0;
    for (auto [begin, end] : taken) {
      if (offset + bytes[number] <= begin)
        break;
      offset = std::max(offset, end);
    }
    layout.offsets[number] = offset;
    layout.end = std::max(layout.end, offset + bytes[number]);
    placed.set(number);
  }
  return layout;
}

/// The largest first; or those that are in use for longest, weighed by size; or
/// in the order of the program: whichever layout is smallest.
Packer::Layout Packer::bestLayout() {
  SmallVector<unsigned> inProgram(buffers.size());
  std::iota(inProgram.begin(), inProgram.end(), 0);
  llvm::stable_sort(inProgram, [&](unsigned a, unsigned b) {
    return buffers[a].first < buffers[b].first;
  });
  auto ordered = [&](auto weight) {
    SmallVector<unsigned> order = inProgram;
    llvm::stable_sort(
        order, [&](unsigned a, unsigned b) { return weight(a) > weight(b); });
    return order;
  };
  Layout best = layOut(ordered([&](unsigned i) { return bytes[i]; }));
  auto area = [&](unsigned i) {
    return double(bytes[i]) * (double(buffers[i].last) - buffers[i].first + 1);
  };
  for (const SmallVector<unsigned> &order : {ordered(area), inProgram}) {
    Layout other = layOut(order);
    if (other.end < best.end)
      best = std::move(other);
  }
  return best;
}

/// Whether a <= b is proved. Values that refute it spare the question.
bool Packer::isAtMost(Expr a, Expr b) {
  Expr difference = b - a;
  if (std::optional<DynamicAPInt> constant = difference.asConstant())
    return *constant >= 0;
  auto [it, isNew] = isNotNegative.try_emplace(difference, false);
  if (!isNew)
    return it->second;
  for (int64_t typical : {1, 7, 64, 1000})
    if (std::optional<DynamicAPInt> value = valueAt(difference, typical))
      if (*value < 0)
        return false;
  if (questionsLeft == 0 || difference.size() > maxAskedOffsetSize)
    return false;
  --questionsLeft;
  bool holds = facts.isProvably(Relation::le(facts.arena().zero(), difference));
  return isNotNegative[difference] = holds;
}

/// The largest of some ends. Drops those that are proved to be no larger than
/// others that every call reaches.
Expr Packer::largestEnd(SmallVectorImpl<unsigned> &numbers) {
  SmallVector<Expr> ends;
  SmallVector<unsigned> kept;
  auto endOf = [&](unsigned number) {
    return buffers[number].offset + buffers[number].bytes;
  };
  for (unsigned number : numbers) {
    Expr end = endOf(number);
    auto isCovered = [&](unsigned other) {
      return isFixed[other] && isAtMost(end, endOf(other));
    };
    if (llvm::any_of(kept, isCovered))
      continue;
    llvm::erase_if(kept, [&](unsigned other) {
      return isFixed[number] && isAtMost(endOf(other), end);
    });
    kept.push_back(number);
  }
  for (unsigned number : kept)
    ends.push_back(endOf(number));
  numbers.assign(kept.begin(), kept.end());
  return ends.empty() ? facts.arena().zero() : facts.arena().max(ends);
}

// Soundness. Let the buffers be numbered by place in the layout, from below to
// above. Of two that are in use together, a before b, either b stands on a, and
// then offset(b) >= offset(a) + bytes(a); or a is reached from a buffer c on
// which b stands, over buffers each of which stands on the next. As sizes are
// not negative, the ends grow from a to c, so offset(b) >= end(c) >= end(a).
// That holds for all sizes; the layout only chose the order.
void Packer::stack(const Layout &layout) {
  plan.upwards.resize(buffers.size());
  std::iota(plan.upwards.begin(), plan.upwards.end(), 0);
  llvm::stable_sort(plan.upwards, [&](unsigned a, unsigned b) {
    return layout.offsets[a] < layout.offsets[b];
  });
  SmallVector<unsigned> rank(buffers.size());
  for (auto [i, number] : llvm::enumerate(plan.upwards))
    rank[number] = i;
  // The ranks of those that each buffer stands on, also over others.
  std::vector<llvm::BitVector> carriers(buffers.size());
  llvm::BitVector isTop(buffers.size());
  for (unsigned number : plan.upwards) {
    PlannedBuffer &buffer = buffers[number];
    llvm::BitVector &below = carriers[number];
    below.resize(buffers.size());
    SmallVector<unsigned> candidates;
    for (unsigned other : neighbours[number])
      if (rank[other] < rank[number])
        candidates.push_back(other);
    // Down from the highest: what that one stands on is then covered.
    llvm::sort(candidates,
               [&](unsigned a, unsigned b) { return rank[a] > rank[b]; });
    for (unsigned other : candidates) {
      if (below[rank[other]])
        continue;
      buffer.below.push_back(other);
      isTop.reset(other);
      below |= carriers[other];
      below.set(rank[other]);
    }
    buffer.offset = largestEnd(buffer.below);
    isFixed[number] =
        buffer.reach.isAlways() &&
        llvm::all_of(buffer.below, [&](unsigned b) { return isFixed[b]; });
    if (buffer.first <= buffer.last)
      isTop.set(number);
  }
  for (unsigned number : plan.upwards)
    if (isTop[number])
      plan.top.push_back(number);
}

void Packer::pack() {
  for (const PlannedBuffer &buffer : buffers)
    bytes.push_back(typicalBytes(buffer.bytes));
  isFixed.resize(buffers.size());
  findNeighbours();
  stack(bestLayout());
  plan.bytes = largestEnd(plan.top);
}

void mlir::symshape::packArena(ConstraintSet &facts, MemoryPlan &plan) {
  Packer(facts, plan).pack();
}
