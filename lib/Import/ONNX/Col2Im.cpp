//===- Col2Im.cpp - Windows at computed places ----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the elements of a window come from, or go to, is computed: Col2Im,
// MaxUnpool, DeformConv. Windows whose places are affine are in Windows.cpp.
//
//===----------------------------------------------------------------------===//

#include "Convolutions.h"
#include "Families.h"
#include "Ordering.h"
#include "Sampling.h"
#include "symshape/IR/SymShape.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

static SmallVector<Value> indices(Emitter &e, ArrayRef<Expr> list) {
  return llvm::map_to_vector(list, [&](Expr dim) { return e.index(dim); });
}

//===----------------------------------------------------------------------===//
// Col2Im
//===----------------------------------------------------------------------===//

/// Each element of the image is the sum over the places in a window at which
/// some window covers it.
static LogicalResult col2Im(Node &n) {
  Emitter &e = n.emit();
  OpBuilder &b = e.builder();
  ExprArena &arena = e.arena();
  Tensor x = n.wideTensor(0);
  auto image = n.ints(1), block = n.ints(2);
  if (!image || !block)
    return failure();
  int64_t spatial = image->size();
  if (x.rank() != 3 || static_cast<int64_t>(block->size()) != spatial)
    return n.fail("expected an input of rank 3, and a block of the rank of the "
                  "image");
  auto steps = readSteps(n, spatial);
  if (!steps)
    return failure();
  SmallVector<Expr, 4> counts;
  for (int64_t i = 0; i < spatial; ++i) {
    Expr room = (*image)[i] + steps->pads[i] + steps->pads[spatial + i] -
                ((*block)[i] - 1) * steps->dilations[i] - 1;
    counts.push_back(arena.floorDiv(room, e.constant(steps->strides[i])) + 1);
    e.require(Relation::ge((*block)[i], e.constant(1)),
              "a block has an element");
    e.require(Relation::ge(room, arena.zero()),
              "a block must fit into the image and its border");
  }
  Expr size = e.product(*block);
  SmallVector<Expr, 6> dims{x.dims[0], e.divideExactly(x.dims[1], size)};
  e.require(Relation::eq(dims[1] * size, x.dims[1]),
            "a column must hold whole blocks");
  llvm::append_range(dims, *image);
  // After the windows along each axis comes one of zeros, for places that no
  // window covers.
  SmallVector<Expr, 8> apart{dims[0], dims[1]};
  llvm::append_range(apart, *block);
  llvm::append_range(apart, counts);
  SmallVector<Expr, 8> none(apart.size(), arena.zero()), behind(none);
  std::fill_n(behind.end() - spatial, spatial, arena.one());
  Scalars outside(b, e.loc());
  Type element = elementType(e.context(), x.type);
  Tensor columns =
      e.pad(e.reshape(x, apart), outside.number(element, 0), none, behind);

  // Which window along an axis covers a place of the image with a place of the
  // block.
  int64_t parallel = 2 + spatial, loops = parallel + spatial;
  SmallVector<Tensor> windows;
  SmallVector<AffineMap> maps;
  SmallVector<AffineExpr> out;
  for (int64_t i = 0; i < parallel; ++i)
    out.push_back(b.getAffineDimExpr(i));
  for (int64_t i = 0; i < spatial; ++i) {
    Value count = e.index(counts[i]);
    SmallVector<Expr, 2> places{(*image)[i], (*block)[i]};
    windows.push_back(e.generate(
        places, DataType::Int64, [&](Scalars &s, ArrayRef<Value> at) {
          Value offset = s.mul(at[1], s.index(steps->dilations[i]));
          Value place = s.sub(s.add(at[0], s.index(steps->pads[i])), offset);
          Value stride = s.index(steps->strides[i]);
          Value window = s.create<arith::FloorDivSIOp>(place, stride);
          Value isThere = s.logicalAnd(s.equal(s.mul(window, stride), place),
                                       s.less(window, count));
          isThere = s.logicalAnd(isThere, s.lessOrEqual(s.index(0), window));
          return s.fromIndex(s.select(isThere, window, count), DataType::Int64);
        }));
    maps.push_back(AffineMap::get(
        loops, 0, {b.getAffineDimExpr(2 + i), b.getAffineDimExpr(parallel + i)},
        e.context()));
  }
  maps.push_back(AffineMap::get(loops, 0, out, e.context()));
  SmallVector<bool> isReduction(loops, true);
  std::fill_n(isReduction.begin(), parallel, false);
  Tensor sums =
      e.structured(windows, e.fill(dims, x.type, 0.0), maps, isReduction,
                   [&](Scalars &s, ArrayRef<Value> v) {
                     SmallVector<Value> from{s.loop(0), s.loop(1)};
                     for (int64_t i = 0; i < spatial; ++i)
                       from.push_back(s.loop(parallel + i));
                     for (Value window : v.drop_back())
                       from.push_back(s.toIndex(window, DataType::Int64));
                     Value more = Emitter::at(s, columns, from);
                     // A sum of bools is whether one is set.
                     return columns.type == DataType::Bool
                                ? s.logicalOr(v.back(), more)
                                : s.add(v.back(), more);
                   });
  return n.setRounded(0, sums);
}

//===----------------------------------------------------------------------===//
// MaxUnpool
//===----------------------------------------------------------------------===//

static LogicalResult maxUnpool(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.tensor(0), at = n.tensor(1);
  int64_t spatial = x.rank() - 2;
  auto kernel = n.intsAttr("kernel_shape");
  if (spatial < 1 || !kernel || at.type != DataType::Int64 ||
      static_cast<int64_t>(kernel->size()) != spatial || at.rank() != x.rank())
    return n.fail("expected input and places of one rank from 3, and a kernel "
                  "for the axes from the third on");
  auto steps = readSteps(n, spatial);
  if (!steps)
    return failure();
  SmallVector<Expr, 4> dims{x.dims[0], x.dims[1]};
  for (int64_t i = 0; i < spatial; ++i) {
    Expr reach = (x.dims[i + 2] - 1) * steps->strides[i] + (*kernel)[i];
    dims.push_back(reach - steps->pads[i] - steps->pads[spatial + i]);
    e.require(Relation::ge(dims.back(), e.constant(0)),
              "a border must lie inside");
  }
  for (int64_t i = 0; i < x.rank(); ++i)
    e.require(Relation::eq(x.dims[i], at.dims[i]),
              "there must be a place for each element");
  // Places count elements of the whole result.
  Expr count = e.product(x.dims), whole = e.product(dims);
  Tensor spread = scatterInto(e, e.fill(whole, x.type, 0.0),
                              e.reshape(at, {count, e.constant(1)}),
                              e.reshape(x, count), Combiner::Update, 1);
  Tensor result = e.reshape(spread, dims);
  if (!n.has(2))
    return n.set(0, result);
  auto wanted = n.ints(2);
  if (!wanted || static_cast<int64_t>(wanted->size()) != x.rank())
    return n.fail("expected an extent of the result for each axis");
  SmallVector<Expr, 4> low(x.rank(), e.constant(0)), high;
  for (auto [i, to, from] : llvm::enumerate(*wanted, dims)) {
    if (i < 2)
      e.require(Relation::eq(to, from),
                "the result must have the batch and channels of the input");
    else
      e.require(Relation::ge(to, from), "the result must hold all places");
    high.push_back(to - from);
  }
  Scalars s(e.builder(), e.loc());
  Value zero = s.number(elementType(e.context(), x.type), 0);
  return n.set(0, e.pad(result, zero, low, high));
}

//===----------------------------------------------------------------------===//
// DeformConv
//===----------------------------------------------------------------------===//

/// The extents of the result: those of the offsets, which are required to be
/// the numbers of windows.
static std::optional<SmallVector<Expr, 4>>
deformedExtents(Node &n, const Tensor &x, const Tensor &w, const Tensor &moved,
                const Steps &steps) {
  const auto &[strides, dilations, pads] = steps;
  Emitter &e = n.emit();
  auto kernel = n.intsAttr("kernel_shape");
  size_t spatial = strides.size();
  if (kernel && kernel->size() != spatial) {
    (void)n.fail("expected a kernel for the axes from the third on");
    return std::nullopt;
  }
  SmallVector<Expr, 4> extents;
  for (size_t i = 0; i < spatial; ++i) {
    if (kernel)
      e.require(Relation::eq(w.dims[i + 2], e.constant((*kernel)[i])),
                "the weights must have the kernel shape");
    Expr room = x.dims[i + 2] + pads[i] + pads[spatial + i] -
                (w.dims[i + 2] - 1) * dilations[i] - 1;
    e.require(Relation::ge(room, e.constant(0)),
              "a window must fit into the input and its border");
    extents.push_back(moved.dims[i + 2]);
    Expr count = e.arena().floorDiv(room, e.constant(strides[i])) + 1;
    e.require(Relation::eq(extents.back(), count),
              "there must be offsets for each place of a window");
    e.require(Relation::ge(x.dims[i + 2], e.constant(1)),
              "there is nothing to sample in an empty axis");
  }
  return extents;
}

static LogicalResult deformConv(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.wideTensor(0), w = n.wideTensor(1), moved = n.tensor(2), mask;
  if (n.has(4))
    mask = n.tensor(4);
  int64_t rank = x.rank(), spatial = rank - 2;
  int64_t groups = n.intAttr("group", 1);
  int64_t offsetGroups = n.intAttr("offset_group", 1);
  if (spatial < 1 || w.rank() != rank || moved.rank() != rank ||
      (mask && mask.rank() != rank) || groups < 1 || offsetGroups < 1 ||
      !isFloat(x.type) || w.type != x.type)
    return n.fail("expected input, weights, offsets and mask of one rank from "
                  "3, and numbers of groups");
  auto steps = readSteps(n, spatial);
  if (!steps)
    return failure();
  if (failed(
          requireGroups(n, x.dims[1], w.dims[1] * groups, groups, w.dims[0])))
    return failure();
  auto places = deformedExtents(n, x, w, moved, *steps);
  if (!places)
    return failure();
  SmallVector<Expr, 4> kernel(w.dims.begin() + 2, w.dims.end());
  Expr size = e.product(kernel), ofOffsets = e.constant(offsetGroups);
  Expr perOffset = e.divideExactly(x.dims[1], ofOffsets);
  e.require(Relation::eq(perOffset * offsetGroups, x.dims[1]),
            "groups of offsets must have equally many channels");
  e.require(Relation::eq(moved.dims[1], size * (offsetGroups * spatial)),
            "there must be an offset for each element of a window");
  if (mask)
    e.require(Relation::eq(mask.dims[1], size * offsetGroups),
              "there must be a factor for each element of a window");
  // [batch, channel, places in a window, places of windows]
  SmallVector<Expr, 8> dims{x.dims[0], x.dims[1]};
  llvm::append_range(dims, kernel);
  llvm::append_range(dims, *places);
  SampleMode mode{"linear", "zeros", true};
  SmallVector<Value> extents = indices(e, ArrayRef(x.dims).drop_front(2));
  Value channels = e.index(perOffset);
  // [batch, group, places in a window, axis of the offset, places of windows]
  SmallVector<Expr, 8> apart{x.dims[0], ofOffsets};
  llvm::append_range(apart, kernel);
  if (mask) {
    SmallVector<Expr, 8> ofMask(apart);
    llvm::append_range(ofMask, *places);
    mask = e.reshape(mask, ofMask);
  }
  apart.push_back(e.constant(spatial));
  llvm::append_range(apart, *places);
  moved = e.reshape(moved, apart);
  Tensor sampled =
      e.generate(dims, x.type, [&](Scalars &s, ArrayRef<Value> at) {
        ArrayRef<Value> inside = at.slice(2, spatial),
                        window = at.take_back(spatial);
        Value group = s.create<arith::DivUIOp>(at[1], channels);
        auto read = [&](const Tensor &t, std::optional<int64_t> axis) {
          SmallVector<Value> where{at[0], group};
          llvm::append_range(where, inside);
          if (axis)
            where.push_back(s.index(*axis));
          llvm::append_range(where, window);
          return s.cast(Emitter::at(s, t, where), t.type, DataType::Double);
        };
        SmallVector<SmallVector<Tap>> taps;
        for (int64_t i = 0; i < spatial; ++i) {
          Value start = s.sub(s.mul(window[i], s.index(steps->strides[i])),
                              s.index(steps->pads[i]));
          Value regular =
              s.add(start, s.mul(inside[i], s.index(steps->dilations[i])));
          Value place =
              s.add(s.fromIndex(regular, DataType::Double), read(moved, i));
          taps.push_back(findTaps(s, mode, place, extents[i]));
        }
        Value sum = sumTaps(s, x, mode, taps, at.take_front(2));
        if (mask)
          sum = s.mul(sum, read(mask, std::nullopt));
        return s.cast(sum, DataType::Double, x.type);
      });
  // What is left is one product over all places of a window: with one matrix of
  // weights for each group.
  Expr count = e.constant(groups), all = e.product(*places);
  Expr features = e.divideExactly(w.dims[0], count);
  Expr depth = w.dims[1] * size;
  Tensor columns = e.reshape(sampled, {x.dims[0], count, depth, all});
  Tensor weights = e.reshape(w, {count, features, depth});
  Tensor sums = e.matmul(weights, columns, x.type);
  SmallVector<Expr, 6> result{x.dims[0], w.dims[0]};
  llvm::append_range(result, *places);
  Tensor folded = e.reshape(sums, result);
  return n.setRounded(0,
                      n.has(3) ? addBias(e, folded, n.wideTensor(3)) : folded);
}

void mlir::symshape::onnx::addCol2ImOps(Registry &registry) {
  registry.add("Col2Im", 3, col2Im);
  registry.add("MaxUnpool", 2, maxUnpool);
  registry.add("DeformConv", 3, deformConv);
}
