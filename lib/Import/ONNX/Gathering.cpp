//===- Gathering.cpp - Places given by data -------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Look-ups. The op that reads a place requires that it is inside.
//
//===----------------------------------------------------------------------===//

#include "Gathering.h"
#include "Families.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

/// A position that counts from the end if it is negative.
static Value wrapped(Scalars &s, Value at, DataType type, Value extent) {
  Value i = s.toIndex(at, type);
  if (isUnsigned(type))
    return i;
  return s.select(s.less(i, s.index(0)), s.add(i, extent), i);
}

Tensor mlir::symshape::onnx::gatherAlong(Emitter &e, const Tensor &x,
                                         int64_t axis, const Tensor &ids) {
  int64_t batch = ids.rank(), rank = x.rank() - 1 + batch;
  SmallVector<Expr, 4> dims;
  SmallVector<AffineExpr> loops;
  for (int64_t i = 0; i < axis; ++i)
    dims.push_back(x.dims[i]);
  for (int64_t i = 0; i < batch; ++i) {
    loops.push_back(e.builder().getAffineDimExpr(dims.size()));
    dims.push_back(ids.dims[i]);
  }
  for (int64_t i = axis + 1; i < x.rank(); ++i)
    dims.push_back(x.dims[i]);
  Value extent = e.index(x.dims[axis]);
  AffineMap maps[] = {AffineMap::get(rank, 0, loops, e.context()),
                      e.builder().getMultiDimIdentityMap(rank)};
  return e.structured(ids, {e.empty(dims, x.type), dims, x.type}, maps,
                      SmallVector<bool>(rank, false),
                      [&](Scalars &s, ArrayRef<Value> v) {
                        SmallVector<Value> at;
                        for (int64_t i = 0; i < axis; ++i)
                          at.push_back(s.loop(i));
                        at.push_back(wrapped(s, v[0], ids.type, extent));
                        for (int64_t i = axis + 1; i < x.rank(); ++i)
                          at.push_back(s.loop(i + batch - 1));
                        return Emitter::at(s, x, at);
                      });
}

static LogicalResult gather(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.tensor(0), ids = n.tensor(1);
  auto axis = n.axisAttr("axis", 0, x.rank());
  if (!axis)
    return failure();
  if (!isInteger(ids.type))
    return n.fail("expected integers to say places");
  if (auto constant = n.constantInts(1); constant && n.rank(1) == 0) {
    // One place: a slice.
    Expr at = e.constant(constant->front());
    if (constant->front() < 0)
      at = at + x.dims[*axis];
    return n.set(0, e.squeeze(e.slice(x, *axis, at, e.constant(1)), *axis));
  }
  return n.set(0, gatherAlong(e, x, *axis, ids));
}

static LogicalResult gatherElements(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.tensor(0), ids = n.tensor(1);
  auto axis = n.axisAttr("axis", 0, x.rank());
  if (!axis)
    return failure();
  if (!isInteger(ids.type) || ids.rank() != x.rank())
    return n.fail("expected places of the rank of the data");
  Value extent = e.index(x.dims[*axis]);
  return n.set(0, e.map(ids, x.type, [&](Scalars &s, ArrayRef<Value> v) {
    SmallVector<Value> at;
    for (int64_t i = 0; i < x.rank(); ++i)
      at.push_back(i == *axis ? wrapped(s, v[0], ids.type, extent) : s.loop(i));
    return Emitter::at(s, x, at);
  }));
}

static LogicalResult gatherND(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.tensor(0), ids = n.tensor(1);
  int64_t batch = n.intAttr("batch_dims", 0);
  if (!isInteger(ids.type) || ids.rank() == 0)
    return n.fail("expected vectors of integers to say places");
  std::optional<int64_t> length = n.neededExtent(1, ids.rank() - 1);
  if (!length)
    return failure();
  if (batch < 0 || batch >= ids.rank() || batch + *length > x.rank())
    return n.fail("expected vectors of a known length that fits the data");
  SmallVector<Expr, 4> dims(ids.dims.begin(), ids.dims.end() - 1);
  for (int64_t i = batch + *length; i < x.rank(); ++i)
    dims.push_back(x.dims[i]);
  for (int64_t i = 0; i < batch; ++i)
    e.require(Relation::eq(x.dims[i], ids.dims[i]), "batches must be equal");
  SmallVector<Value> extents;
  for (Expr dim : x.dims)
    extents.push_back(e.index(dim));
  int64_t outer = ids.rank() - 1;
  return n.set(0, e.generate(dims, x.type, [&](Scalars &s, ArrayRef<Value> at) {
    SmallVector<Value> from(at.begin(), at.begin() + batch);
    for (int64_t k = 0; k < *length; ++k) {
      SmallVector<Value> where(at.begin(), at.begin() + outer);
      where.push_back(s.index(k));
      from.push_back(
          wrapped(s, Emitter::at(s, ids, where), ids.type, extents[batch + k]));
    }
    llvm::append_range(from, at.drop_front(outer));
    return Emitter::at(s, x, from);
  }));
}

static LogicalResult oneHot(Node &n) {
  Emitter &e = n.emit();
  Tensor ids = n.tensor(0), values = n.tensor(2);
  auto axis = n.axisAttr("axis", -1, ids.rank() + 1);
  if (!axis)
    return failure();
  Expr depth;
  if (n.isKnownList(1)) {
    depth = n.oneInt(1);
  } else if (Value given = n.oneElement(1)) {
    Scalars s(e.builder(), e.loc());
    if (isFloat(n.type(1)))
      e.requireThat(s.logicalNot(s.isNaN(given)), "a depth must be a number");
    given = s.cast(given, n.type(1), DataType::Int64);
    depth = e.bind(s.toIndex(given, DataType::Int64), "_v");
  }
  if (!depth)
    return failure();
  if (values.rank() != 1)
    return n.fail("expected two values: off and on");
  e.require(Relation::eq(values.dims[0], e.constant(2)),
            "there must be two values, for off and on");
  SmallVector<Expr, 4> dims(ids.dims);
  dims.insert(dims.begin() + *axis, depth);
  Value off = e.extract(values, e.constant(0));
  Value on = e.extract(values, e.constant(1)), extent = e.index(depth);
  return n.set(
      0, e.generate(dims, values.type, [&](Scalars &s, ArrayRef<Value> at) {
        SmallVector<Value> from(at);
        from.erase(from.begin() + *axis);
        Value id = s.cast(Emitter::at(s, ids, from), ids.type, DataType::Int64);
        // Negative ones count from the end since opset 11.
        Value place = n.opset() < 11 ? s.toIndex(id, DataType::Int64)
                                     : wrapped(s, id, DataType::Int64, extent);
        return s.select(s.equal(place, at[*axis]), on, off);
      }));
}

void mlir::symshape::onnx::addGatheringOps(Registry &registry) {
  registry.add("Gather", 2, gather);
  registry.add("GatherElements", 2, gatherElements);
  registry.add("GatherND", 2, gatherND);
  registry.add("OneHot", 3, oneHot);
}
