//===- Gathering.cpp - Elements at computed places ------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gathers and scatters. A scatter whose body is not one of ours is a loop over
// its updates.
//
//===----------------------------------------------------------------------===//

#include "Node.h"
#include "Scalars.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "symshape/IR/SymShape.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::stablehlo;

namespace {
/// Dimension numbers of a gather or scatter, by the names of a gather.
struct Places {
  SmallVector<int64_t> windowDims; ///< of the result or the updates
  SmallVector<int64_t> collapsed, batching, indexBatching, startMap;
  int64_t vectorDim = 0;

  bool isWindowAxis(int64_t axis) const {
    return !llvm::is_contained(collapsed, axis) &&
           !llvm::is_contained(batching, axis);
  }
};
} // namespace

/// Nullopt, after an error, if they do not fit the ranks.
static std::optional<Places>
readPlaces(Node &n, bool isGather, int64_t indicesNumber, int64_t windowsRank) {
  int64_t rank = n.rank(0), indexRank = n.rank(indicesNumber);
  Places p;
  auto optionalAxes = [&](StringRef name, int64_t bound) {
    return n.attribute(name) ? n.axes(name, bound) : SmallVector<int64_t>();
  };
  p.windowDims =
      n.axes(isGather ? "offset_dims" : "update_window_dims", windowsRank);
  p.collapsed =
      n.axes(isGather ? "collapsed_slice_dims" : "inserted_window_dims", rank);
  p.batching = optionalAxes(
      isGather ? "operand_batching_dims" : "input_batching_dims", rank);
  p.indexBatching = optionalAxes(isGather ? "start_indices_batching_dims"
                                          : "scatter_indices_batching_dims",
                                 indexRank);
  p.startMap = n.axes(
      isGather ? "start_index_map" : "scatter_dims_to_operand_dims", rank);
  p.vectorDim = n.integer("index_vector_dim", 0, indexRank);
  if (n.hasFailed())
    return std::nullopt;
  int64_t windows = rank - p.collapsed.size() - p.batching.size();
  int64_t batch = indexRank - (p.vectorDim < indexRank);
  auto indices = n.type(indicesNumber);
  int64_t components =
      p.vectorDim < indexRank ? indices.getDimSize(p.vectorDim) : 1;
  if (windows != static_cast<int64_t>(p.windowDims.size()) ||
      batch + windows != windowsRank ||
      p.indexBatching.size() != p.batching.size() ||
      (!ShapedType::isDynamic(components) &&
       components != static_cast<int64_t>(p.startMap.size())) ||
      !llvm::is_sorted(p.windowDims) ||
      llvm::is_contained(p.indexBatching, p.vectorDim)) {
    (void)n.fail("expected dimension numbers that fit the operands");
    return std::nullopt;
  }
  return p;
}

/// Indices of a type with room for all of their values.
static Value readIndices(Node &n, size_t i) {
  Value indices = n.tensor(i);
  if (!indices)
    return indices;
  Type from = n.element(i);
  if (from.isSignlessInteger(32) || from.isSignlessInteger(64))
    return indices;
  auto type = dyn_cast<IntegerType>(from);
  if (!type || type.getWidth() > 64)
    return (void)n.fail("expected integers as indices"), Value();
  int64_t rank = n.rank(i);
  SmallVector<AffineMap> maps(2, n.b.getMultiDimIdentityMap(rank));
  Type to = n.b.getI64Type();
  return n
      .generic(indices, n.empty(n.extents(indices), to), maps,
               SmallVector<bool>(rank, false),
               [&](OpBuilder &b, Location loc, ValueRange v) {
                 Scalars s(b, loc);
                 Value index = v[0];
                 if (type.isUnsigned() && type.getWidth() == 64)
                   index = s.create<arith::MinUIOp>(
                       index,
                       s.integer(to, std::numeric_limits<int64_t>::max()));
                 return SmallVector<Value>{s.convert(index, from, to)};
               })
      .front();
}

/// Indices with as many components as their dimension numbers say.
static Value castIndices(Node &n, Value indices, const Places &p) {
  auto type = cast<RankedTensorType>(indices.getType());
  if (p.vectorDim == type.getRank())
    return indices;
  SmallVector<int64_t> shape(type.getShape());
  shape[p.vectorDim] = p.startMap.size();
  return n.cast(indices, type.clone(shape));
}

static LogicalResult gatherOf(Node &n, std::optional<SizeList> sizes) {
  auto declared = n.resultType();
  Value x = n.tensor(0), indices = readIndices(n, 1);
  if (!x || !indices || !declared || !sizes)
    return failure();
  auto p = readPlaces(n, /*isGather=*/true, 1, declared.getRank());
  if (!p)
    return failure();
  indices = castIndices(n, indices, *p);
  llvm::sort(p->collapsed);
  if (!llvm::is_sorted(p->batching))
    return n.fail("expected batching axes in order");
  SmallVector<OpFoldResult> windowSizes = valuesOf(*sizes);
  for (auto [axis, size] : llvm::enumerate(windowSizes))
    if (!p->isWindowAxis(axis) && isa<Value>(size)) {
      AssertOp::create(n.b, n.loc, "x == 1", {{"x", size}},
                       "a window is 1 along an axis that the result does not "
                       "have");
      size = n.b.getIndexAttr(1);
    }
  auto [statics, dynamics] = decomposeMixedValues(windowSizes);
  auto source = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> shape(declared.getRank(), ShapedType::kDynamic);
  unsigned window = 0, batch = 0;
  auto indexType = cast<RankedTensorType>(indices.getType());
  for (int64_t axis = 0; axis < source.getRank(); ++axis) {
    if (!ShapedType::isDynamic(statics[axis]) &&
        (statics[axis] < 0 || (!source.isDynamicDim(axis) &&
                               statics[axis] > source.getDimSize(axis))))
      return n.fail("expected windows that fit the operand");
    if (p->isWindowAxis(axis))
      shape[p->windowDims[window++]] = statics[axis];
  }
  for (int64_t axis = 0; axis < declared.getRank(); ++axis) {
    if (llvm::is_contained(p->windowDims, axis))
      continue;
    batch += batch == p->vectorDim;
    shape[axis] = indexType.getDimSize(batch++);
  }
  return n.set(0, GatherOp::create(n.b, n.loc, source.clone(shape), x, indices,
                                   dynamics, statics, GatherMode::Clip,
                                   TypedAttr(), p->windowDims, p->collapsed,
                                   p->batching, p->indexBatching, p->startMap,
                                   p->vectorDim));
}

static LogicalResult gather(Node &n) {
  SizeList sizes;
  for (int64_t size : n.ints("slice_sizes", n.rank(0)))
    sizes.push_back(n.importer.sizes.constant(size));
  return gatherOf(n, sizes);
}

static LogicalResult dynamicGather(Node &n) {
  return gatherOf(n, n.list(2, n.rank(0)));
}

/// A gather of whole slices along `dim`, by the batches of both.
static LogicalResult torchIndexSelect(Node &n) {
  Value x = n.tensor(0), indices = readIndices(n, 1);
  int64_t rank = n.rank(0), indexRank = n.rank(1);
  int64_t axis = n.integer("dim", -rank, rank - 1);
  int64_t batch = n.integer("batch_dims", -indexRank, indexRank);
  axis += axis < 0 ? rank : 0;
  batch += batch < 0 ? indexRank : 0;
  if (!x || !indices || n.hasFailed() || batch > axis)
    return n.fail("expected an axis behind those of batches");
  SmallVector<OpFoldResult> sizes = n.extents(x);
  SmallVector<int64_t> windows, batches, shape;
  for (int64_t i = 0; i < rank; ++i) {
    if (i < batch)
      batches.push_back(i);
    else if (i != axis)
      windows.push_back(i < axis ? i : i + indexRank - batch - 1);
    if (i < batch || i == axis)
      sizes[i] = n.b.getIndexAttr(1);
  }
  auto source = cast<RankedTensorType>(x.getType());
  ArrayRef<int64_t> from = source.getShape();
  llvm::append_range(shape, from.take_front(axis));
  llvm::append_range(shape, n.type(1).getShape().drop_front(batch));
  llvm::append_range(shape, from.drop_front(axis + 1));
  auto [statics, dynamics] = decomposeMixedValues(sizes);
  return n.set(0, GatherOp::create(n.b, n.loc, source.clone(shape), x, indices,
                                   dynamics, statics, GatherMode::Clip,
                                   TypedAttr(), windows, axis, batches, batches,
                                   axis, indexRank));
}

//===----------------------------------------------------------------------===//
// Scatter
//===----------------------------------------------------------------------===//

/// The combiner of a body that is one op on the element and the update.
static std::optional<Combiner> findCombiner(Node &n) {
  Region &region = n.op->getRegion(0);
  Type element = n.element(0);
  if (!region.hasOneBlock() || region.getNumArguments() != 2 ||
      n.count() != 3 || element.isInteger(1) || !element.isIntOrFloat())
    return std::nullopt;
  Block &body = region.front();
  if (body.empty())
    return std::nullopt;
  Operation &last = body.back();
  if (last.getNumOperands() != 1)
    return std::nullopt;
  Value left = body.getArgument(0), right = body.getArgument(1);
  if (last.getOperand(0) == right)
    return Combiner::Update;
  Operation &first = body.front();
  if (!llvm::hasNItems(body, 2) || first.getNumResults() != 1 ||
      last.getOperand(0) != first.getResult(0) || first.getNumOperands() != 2)
    return std::nullopt;
  bool isInOrder = first.getOperand(0) == left && first.getOperand(1) == right;
  bool isSwapped = first.getOperand(0) == right && first.getOperand(1) == left;
  StringRef name = first.getName().stripDialect();
  if (!isInOrder && !isSwapped)
    return std::nullopt;
  if (name == "add_v1")
    return Combiner::Add;
  if (name == "multiply_v1")
    return Combiner::Mul;
  if (element.isUnsignedInteger())
    return std::nullopt;
  if (name == "maximum_v1")
    return Combiner::Max;
  return name == "minimum_v1" ? std::optional(Combiner::Min) : std::nullopt;
}

namespace {
/// A loop over updates, one after the other.
class ScatterLoop {
public:
  ScatterLoop(Node &n, const Places &places, ValueRange sources, Value indices,
              ValueRange updates)
      : n(n), p(places), sources(sources), indices(indices), updates(updates),
        s(n.b, n.loc) {}
  LogicalResult run();

private:
  /// Where the update at coordinates goes, and whether its window fits.
  std::pair<SmallVector<Value>, Value> target(ValueRange at);
  SmallVector<Value> combine(ValueRange at, ValueRange from,
                             ValueRange carried);

  Node &n;
  const Places &p;
  SmallVector<Value> sources;
  Value indices;
  SmallVector<Value> updates;
  Scalars s;
  SmallVector<OpFoldResult> sourceSizes, updateSizes;
};
} // namespace

std::pair<SmallVector<Value>, Value> ScatterLoop::target(ValueRange at) {
  SmallVector<Value> batch, starts, result;
  int64_t updateRank = updateSizes.size(), rank = sourceSizes.size();
  for (int64_t axis = 0; axis < updateRank; ++axis)
    if (!llvm::is_contained(p.windowDims, axis))
      batch.push_back(at[axis]);
  int64_t indexRank = cast<RankedTensorType>(indices.getType()).getRank();
  Value fits = s.integer(n.b.getI1Type(), 1),
        zero = n.index(n.b.getIndexAttr(0));
  unsigned window = 0;
  for (int64_t axis = 0; axis < rank; ++axis) {
    Value start = zero, offset = zero, size = n.index(n.b.getIndexAttr(1));
    auto component = llvm::find(p.startMap, axis);
    auto batching = llvm::find(p.batching, axis);
    if (component != p.startMap.end()) {
      SmallVector<Value> place(batch);
      if (p.vectorDim < indexRank)
        place.insert(place.begin() + p.vectorDim,
                     n.index(n.b.getIndexAttr(component - p.startMap.begin())));
      Value index = s.create<tensor::ExtractOp>(indices, place);
      start = s.create<arith::IndexCastOp>(n.b.getIndexType(), index);
    } else if (batching != p.batching.end()) {
      int64_t of = p.indexBatching[batching - p.batching.begin()];
      start = batch[of - (p.vectorDim < of)];
    }
    if (p.isWindowAxis(axis)) {
      int64_t dim = p.windowDims[window++];
      offset = at[dim];
      size = n.index(updateSizes[dim]);
    }
    // The sum cannot overflow: a start beyond the extent is refused first.
    Value extent = n.index(sourceSizes[axis]);
    Value isStart = s.less(start, extent, /*isUnsigned=*/true);
    Value inside = s.select(isStart, start, zero);
    Value end = s.create<arith::AddIOp>(inside, size);
    Value isEnd =
        s.create<arith::CmpIOp>(arith::CmpIPredicate::sle, end, extent);
    fits =
        s.create<arith::AndIOp>(fits, s.create<arith::AndIOp>(isStart, isEnd));
    result.push_back(s.create<arith::AddIOp>(inside, offset));
  }
  return {result, fits};
}

SmallVector<Value> ScatterLoop::combine(ValueRange at, ValueRange from,
                                        ValueRange carried) {
  SmallVector<Value> inputs, results;
  for (Value tensor : carried)
    inputs.push_back(tensor::ExtractOp::create(n.b, n.loc, tensor, at));
  for (Value tensor : updates)
    inputs.push_back(tensor::ExtractOp::create(n.b, n.loc, tensor, from));
  auto combined = n.inlineScalars(n.op->getRegion(0), inputs);
  if (failed(combined) || combined->size() != carried.size())
    return SmallVector<Value>(carried);
  for (auto [element, tensor] : llvm::zip(*combined, carried)) {
    if (element.getType() != getElementTypeOrSelf(tensor)) {
      (void)n.fail("expected a body that gives what it is given");
      return SmallVector<Value>(carried);
    }
    results.push_back(
        tensor::InsertOp::create(n.b, n.loc, element, tensor, at));
  }
  return results;
}

LogicalResult ScatterLoop::run() {
  sourceSizes = n.extents(sources.front());
  updateSizes = n.extents(updates.front());
  SmallVector<Value> results =
      n.loops(updateSizes, sources, [&](ValueRange from, ValueRange carried) {
        auto [at, fits] = target(from);
        auto branch = scf::IfOp::create(n.b, n.loc, TypeRange(carried), fits,
                                        /*addThenBlock=*/true,
                                        /*addElseBlock=*/true);
        OpBuilder::InsertionGuard guard(n.b);
        n.b.setInsertionPointToStart(branch.thenBlock());
        scf::YieldOp::create(n.b, n.loc, combine(at, from, carried));
        n.b.setInsertionPointToStart(branch.elseBlock());
        scf::YieldOp::create(n.b, n.loc, carried);
        return SmallVector<Value>(branch.getResults());
      });
  return n.setAll(results);
}

static LogicalResult scatter(Node &n) {
  size_t count = (n.count() - 1) / 2;
  if (n.count() % 2 == 0 || n.op->getNumResults() != count)
    return n.fail("expected operands, indices, and as many updates");
  Value indices = readIndices(n, count);
  SmallVector<Value> sources, updates;
  for (size_t i = 0; i < count; ++i) {
    sources.push_back(n.tensor(i));
    updates.push_back(n.tensor(count + 1 + i));
    if (!sources.back() || !updates.back() || !indices ||
        n.element(i) != n.element(count + 1 + i) ||
        failed(verifyCompatibleShape(n.type(i), n.type(0))) ||
        failed(verifyCompatibleShape(n.type(count + 1 + i), n.type(count + 1))))
      return n.fail("expected operands and updates of one shape and type each");
  }
  auto p = readPlaces(n, /*isGather=*/false, count, n.rank(count + 1));
  if (!p)
    return failure();
  indices = castIndices(n, indices, *p);
  llvm::sort(p->collapsed);
  auto combiner = findCombiner(n);
  if (!combiner || !llvm::is_sorted(p->batching))
    return ScatterLoop(n, *p, sources, indices, updates).run();
  return n.set(0, ScatterOp::create(n.b, n.loc, sources[0].getType(),
                                    sources[0], indices, updates[0], *combiner,
                                    ScatterMode::Drop,
                                    /*unique_indices=*/false, p->windowDims,
                                    p->collapsed, p->batching, p->indexBatching,
                                    p->startMap, p->vectorDim));
}

void mlir::symshape::stablehlo::addGatheringOps(Registry &registry) {
  registry["dynamic_gather"] = Definition{dynamicGather, 3, 1};
  registry["gather"] = Definition{gather, 2, 1};
  registry["torch_index_select"] = Definition{torchIndexSelect, 2, 1};
  registry["scatter"] = Definition{scatter, ~3, ~1, 1};
}
