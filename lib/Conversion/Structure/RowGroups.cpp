//===- RowGroups.cpp - Structured ops that share their rows ---------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A group grows from a reduction along the tensors that its ops produce and
// read. An op that does not fit is left out, and so is what depends on it.
//
//===----------------------------------------------------------------------===//

#include "RowGroups.h"

#include "Contraction.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::symshape;

using LoopIndices = SmallVector<unsigned>;

/// Where each loop stands among the results of a map; nullopt if one does not.
static std::optional<SmallVector<unsigned>>
getPositions(AffineMap map, ArrayRef<unsigned> loops) {
  SmallVector<unsigned> positions;
  for (unsigned loop : loops) {
    std::optional<unsigned> position =
        map.getResultPosition(getAffineDimExpr(loop, map.getContext()));
    if (!position)
      return std::nullopt;
    positions.push_back(*position);
  }
  return positions;
}

/// The loops at `positions` of a map; nullopt if one is not a loop index.
static std::optional<LoopIndices> getLoops(AffineMap map,
                                           ArrayRef<unsigned> positions) {
  LoopIndices loops;
  for (unsigned position : positions) {
    auto dim = dyn_cast<AffineDimExpr>(map.getResult(position));
    if (!dim || llvm::is_contained(loops, dim.getPosition()))
      return std::nullopt;
    loops.push_back(dim.getPosition());
  }
  return loops;
}

/// True if each slice of rows of an operand is runs of neighbouring elements:
/// its last dimension is not a row, unless all are.
static bool hasWholeRuns(AffineMap map, ArrayRef<unsigned> loops) {
  auto isRow = [&](AffineExpr expr) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    return dim && llvm::is_contained(loops, dim.getPosition());
  };
  return map.getNumResults() == 0 || !isRow(map.getResults().back()) ||
         llvm::all_of(map.getResults(), isRow);
}

/// Whether an op may be run for some of its rows.
static bool isDivisible(linalg::LinalgOp op, ArrayRef<unsigned> loops) {
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  for (unsigned loop : loops)
    if (iterators[loop] != utils::IteratorType::parallel)
      return false;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!map.isProjectedPermutation(/*allowZeroInResults=*/true) ||
        !hasWholeRuns(map, loops))
      return false;
    if (op.isDpsInit(&operand) && !getPositions(map, loops))
      return false;
  }
  return op.hasPureTensorSemantics() && isMemoryEffectFree(op);
}

namespace {
class GroupBuilder {
public:
  GroupBuilder(linalg::GenericOp seed, bool withContractions)
      : seed(seed), withContractions(withContractions) {}
  RowGroup build();

private:
  void grow();
  void addProducer(linalg::LinalgOp op, Value operand, AffineMap map,
                   ArrayRef<unsigned> loops);
  void addConsumer(OpOperand &use, ArrayRef<unsigned> positions);
  void add(linalg::LinalgOp op, LoopIndices loops);
  bool readsConsistently(linalg::LinalgOp op);
  RowGroup makeConvex();

  linalg::GenericOp seed;
  bool withContractions;
  llvm::MapVector<Operation *, LoopIndices> accepted;
  SmallVector<linalg::LinalgOp> worklist;
};
} // namespace

void GroupBuilder::add(linalg::LinalgOp op, LoopIndices loops) {
  if (op->getBlock() != seed->getBlock() || accepted.contains(op))
    return;
  bool fits = isa<linalg::GenericOp>(op.getOperation());
  if (isContraction(op))
    fits = withContractions;
  if (!fits || !isDivisible(op, loops))
    return;
  accepted[op] = std::move(loops);
  worklist.push_back(op);
}

void GroupBuilder::addProducer(linalg::LinalgOp op, Value operand,
                               AffineMap map, ArrayRef<unsigned> loops) {
  auto producer = operand.getDefiningOp<linalg::LinalgOp>();
  std::optional<SmallVector<unsigned>> positions = getPositions(map, loops);
  if (!producer || !positions)
    return;
  AffineMap resultMap =
      producer.getIndexingMapMatchingResult(cast<OpResult>(operand));
  if (std::optional<LoopIndices> found = getLoops(resultMap, *positions))
    add(producer, *found);
}

void GroupBuilder::addConsumer(OpOperand &use, ArrayRef<unsigned> positions) {
  auto consumer = dyn_cast<linalg::LinalgOp>(use.getOwner());
  if (!consumer)
    return;
  if (std::optional<LoopIndices> found =
          getLoops(consumer.getMatchingIndexingMap(&use), positions))
    add(consumer, *found);
}

void GroupBuilder::grow() {
  while (!worklist.empty()) {
    linalg::LinalgOp op = worklist.pop_back_val();
    LoopIndices loops = accepted[op];
    for (OpOperand *operand : op.getDpsInputOperands())
      addProducer(op, operand->get(), op.getMatchingIndexingMap(operand),
                  loops);
    for (OpResult result : op->getResults()) {
      auto positions =
          getPositions(op.getIndexingMapMatchingResult(result), loops);
      for (OpOperand &use : result.getUses())
        addConsumer(use, *positions);
    }
  }
}

/// True if an accepted op reads other accepted ops only at its own rows.
bool GroupBuilder::readsConsistently(linalg::LinalgOp op) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured)
    if (accepted.contains(value.getDefiningOp()))
      return false;
  for (OpOperand &operand : op->getOpOperands()) {
    auto producer = operand.get().getDefiningOp<linalg::LinalgOp>();
    if (!producer || !accepted.contains(producer))
      continue;
    auto positions = getPositions(
        producer.getIndexingMapMatchingResult(cast<OpResult>(operand.get())),
        accepted[producer]);
    std::optional<LoopIndices> loops =
        getLoops(op.getMatchingIndexingMap(&operand), *positions);
    if (!loops || *loops != accepted[op])
      return false;
  }
  return true;
}

/// The accepted ops in block order, without those that read others through
/// something outside the group.
RowGroup GroupBuilder::makeConvex() {
  RowGroup group;
  group.numRows = accepted[seed].size();
  DenseSet<Operation *> outside; // depends on the group and is not of it
  for (Operation &op : *seed->getBlock()) {
    auto isOf = [&](auto &&set) {
      bool found = false;
      op.walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          found |= operand.getDefiningOp() && set(operand.getDefiningOp());
      });
      return found;
    };
    bool isTainted =
        isOf([&](Operation *def) { return outside.contains(def); });
    auto found = accepted.find(&op);
    if (found != accepted.end() && !isTainted) {
      group.loops.insert({&op, found->second});
      continue;
    }
    if (isTainted || isOf([&](Operation *def) { return group.contains(def); }))
      outside.insert(&op);
  }
  return group;
}

RowGroup GroupBuilder::build() {
  LoopIndices rows;
  seed.getParallelDims(rows);
  if (rows.empty() || rows.size() == seed.getNumLoops())
    return {};
  add(seed, rows);
  grow();
  for (bool changed = true; changed;) {
    changed = false;
    SmallVector<Operation *> ops =
        llvm::to_vector(llvm::make_first_range(accepted));
    for (Operation *op : ops)
      if (!readsConsistently(cast<linalg::LinalgOp>(op)))
        changed |= accepted.erase(op) != 0;
  }
  if (!accepted.contains(seed))
    return {};
  return makeConvex();
}

SmallVector<Operation *> RowGroup::getDependents() const {
  SmallVector<Operation *> dependents;
  DenseSet<Operation *> known;
  Operation *first = loops.front().first;
  for (Operation *op = first; op != last(); op = op->getNextNode()) {
    if (contains(op))
      continue;
    bool depends = false;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        depends |= contains(operand.getDefiningOp()) ||
                   known.contains(operand.getDefiningOp());
    });
    if (depends) {
      known.insert(op);
      dependents.push_back(op);
    }
  }
  return dependents;
}

unsigned RowGroup::countContractions() const {
  return llvm::count_if(loops, [](const auto &entry) {
    return isContraction(cast<linalg::LinalgOp>(entry.first));
  });
}

Value symshape::getShapeSource(Value value) {
  while (auto op = value.getDefiningOp<linalg::LinalgOp>())
    value =
        op.getDpsInitOperand(cast<OpResult>(value).getResultNumber())->get();
  return value;
}

bool symshape::overwrites(linalg::LinalgOp op, OpOperand &init) {
  return !op.payloadUsesValueFromOperand(&init) &&
         op.getMatchingIndexingMap(&init).isPermutation();
}

RowGroup symshape::findRowGroup(linalg::GenericOp reduction,
                                bool withContractions) {
  return GroupBuilder(reduction, withContractions).build();
}
