//===- Ordering.cpp - Order, sums so far, scatters ------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that are one op of the dialect, brought to its form.
//
//===----------------------------------------------------------------------===//

#include "Ordering.h"
#include "Families.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "symshape/IR/SymShape.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

/// The axis given by an operand.
static std::optional<int64_t> axisOperand(Node &n, size_t i, int64_t rank) {
  auto given = n.neededInt(i, "axis");
  return given ? n.axis(*given, rank) : std::nullopt;
}

static LogicalResult cumSum(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.tensor(0);
  auto axis = axisOperand(n, 1, x.rank());
  if (!axis)
    return failure();
  bool backward = n.intAttr("reverse", 0);
  Value sums = CumsumOp::create(e.builder(), e.loc(), x.value.getType(),
                                x.value, *axis, backward);
  Tensor result{sums, x.dims, x.type};
  if (n.intAttr("exclusive", 0)) // less the element itself
    result = isFloat(x.type) ? Tensor() : e.sub(result, x);
  if (result)
    return n.set(0, result);
  // For floats that would not be exact: shifts the sums by one instead.
  Scalars s(e.builder(), e.loc());
  SmallVector<Expr, 4> low(x.rank(), e.constant(0)), high(low);
  low[*axis] = e.constant(backward ? -1 : 1);
  high[*axis] = e.constant(backward ? 1 : -1);
  Value zero = s.number(elementType(e.context(), x.type), 0);
  Tensor moved = e.pad({sums, x.dims, x.type}, zero, low, high);
  return n.set(0, moved);
}

/// Products of all elements so far: at each place, of those up to it.
static LogicalResult cumProd(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.wideTensor(0);
  auto axis = axisOperand(n, 1, x.rank());
  if (!axis)
    return failure();
  bool backward = n.intAttr("reverse", 0), excludes = n.intAttr("exclusive", 0);
  int64_t rank = x.rank();
  SmallVector<AffineExpr> in, out;
  for (int64_t i = 0; i < rank; ++i) {
    in.push_back(e.builder().getAffineDimExpr(i == *axis ? rank : i));
    out.push_back(e.builder().getAffineDimExpr(i));
  }
  AffineMap maps[] = {AffineMap::get(rank + 1, 0, in, e.context()),
                      AffineMap::get(rank + 1, 0, out, e.context())};
  SmallVector<bool> isReduction(rank + 1, false);
  isReduction.back() = true;
  Tensor products =
      e.structured(x, e.fill(x.dims, x.type, 1.0), maps, isReduction,
                   [&](Scalars &s, ArrayRef<Value> v) {
                     Value place = s.loop(*axis), other = s.loop(rank);
                     if (backward)
                       std::swap(place, other);
                     Value counts = excludes ? s.less(other, place)
                                             : s.lessOrEqual(other, place);
                     return s.select(counts, s.mul(v[1], v[0]), v[1]);
                   });
  return n.setRounded(0, products);
}

/// The same order backwards: -x of floats, ~x of integers.
static Tensor turnOrder(Emitter &e, const Tensor &x) {
  return e.unary(x, [](Scalars &s, Value v) {
    if (Scalars::isFloat(v))
      return s.neg(v);
    return s.create<arith::XOrIOp>(v, s.integer(v.getType(), -1));
  });
}

Tensor mlir::symshape::onnx::asSigned(Emitter &e, const Tensor &x) {
  if (!isUnsigned(x.type))
    return x;
  return e.unary(x, [](Scalars &s, Value v) {
    unsigned width = v.getType().getIntOrFloatBitWidth();
    return s.create<arith::XOrIOp>(
        v, s.create<arith::ConstantOp>(
               IntegerAttr::get(v.getType(), APInt::getSignMask(width))));
  });
}

static LogicalResult topK(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.tensor(0);
  Expr size = n.oneInt(1);
  auto axis = n.axisAttr("axis", -1, x.rank());
  if (!size || !axis)
    return failure();
  bool smallest = !n.intAttr("largest", 1);
  Tensor source = asSigned(e, x);
  if (smallest)
    source = turnOrder(e, source);
  SmallVector<Expr, 4> dims(x.dims);
  dims[*axis] = size;
  auto op = TopKOp::create(e.builder(), e.loc(), e.typeOf(dims, x.type),
                           e.typeOf(dims, DataType::Int64), source.value,
                           e.index(size), *axis);
  Tensor values{op.getValues(), dims, x.type};
  if (smallest)
    values = turnOrder(e, values);
  if (failed(n.set(0, asSigned(e, values))))
    return failure();
  return n.set(1, Tensor{op.getPositions(), dims, DataType::Int64});
}

//===----------------------------------------------------------------------===//
// Scatters
//===----------------------------------------------------------------------===//

static std::optional<Combiner> readCombiner(Node &n) {
  StringRef name = n.textAttr("reduction", "none");
  if (name == "none")
    return Combiner::Update;
  if (name == "add")
    return Combiner::Add;
  if (name == "mul")
    return Combiner::Mul;
  if (name == "max")
    return Combiner::Max;
  if (name == "min")
    return Combiner::Min;
  (void)n.fail("expected a known reduction, but got '" + name + "'");
  return std::nullopt;
}

/// Numbers in a form in which symshape.scatter combines them as ONNX does: it
/// takes integers as signed ones, so those without a sign are compared by
/// another order; a sum of bools is one that is set, as in NumPy and ONNX
/// Runtime.
static Tensor toCombine(Emitter &e, const Tensor &x, Combiner &combiner) {
  if (combiner == Combiner::Update)
    return x;
  bool compares = combiner == Combiner::Max || combiner == Combiner::Min;
  if (x.type == DataType::Bool) {
    if (!compares)
      combiner = combiner == Combiner::Add ? Combiner::Max : Combiner::Min;
    return e.cast(x, DataType::Int8);
  }
  return compares ? asSigned(e, x) : x;
}

Tensor mlir::symshape::onnx::scatterInto(Emitter &e, const Tensor &x,
                                         const Tensor &at,
                                         const Tensor &updates,
                                         Combiner combiner, int64_t length) {
  int64_t batch = at.rank() - 1;
  // If one of these axes has extent 0, no update has a place, and x stays;
  // symshape.scatter requires places even if there are no updates.
  Expr places = e.constant(1);
  for (int64_t i = 0; i < length; ++i)
    places = e.arena().min(places, x.dims[i]);
  bool isThere = e.isProvably(Relation::ge(e.simplify(places), e.constant(1)));
  scf::IfOp branch;
  OpBuilder::InsertionGuard guard(e.builder());
  if (!isThere) {
    Value isEmpty =
        arith::CmpIOp::create(e.builder(), e.loc(), arith::CmpIPredicate::eq,
                              e.index(places), e.index(e.constant(0)));
    branch = scf::IfOp::create(e.builder(), e.loc(), x.value.getType(), isEmpty,
                               /*withElse=*/true);
    e.builder().setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(e.builder(), e.loc(), x.value);
    e.builder().setInsertionPointToStart(branch.elseBlock());
  }
  SmallVector<int64_t> inserted, windows;
  for (int64_t i = 0; i < length; ++i)
    inserted.push_back(i);
  for (int64_t i = batch; i < updates.rank(); ++i)
    windows.push_back(i);
  Value result = ScatterOp::create(
      e.builder(), e.loc(), x.value.getType(), x.value, at.value, updates.value,
      combiner, ScatterMode::PromiseInBounds,
      /*unique_indices=*/false, windows, inserted,
      /*operand_batching_dims=*/ArrayRef<int64_t>(),
      /*scatter_indices_batching_dims=*/ArrayRef<int64_t>(), inserted, batch);
  if (branch) {
    scf::YieldOp::create(e.builder(), e.loc(), result);
    result = branch.getResult(0);
  }
  return {result, x.dims, x.type};
}

static LogicalResult scatter(Node &n, const Tensor &x, const Tensor &at,
                             const Tensor &updates, int64_t length) {
  Emitter &e = n.emit();
  auto combiner = readCombiner(n);
  if (!combiner)
    return failure();
  Combiner ofUpdates = *combiner;
  Tensor changes = toCombine(e, updates, ofUpdates);
  Tensor result = scatterInto(e, toCombine(e, x, *combiner), at, changes,
                              ofUpdates, length);
  if (ofUpdates == Combiner::Max || ofUpdates == Combiner::Min)
    result = asSigned(e, result);
  return n.setRounded(0, result);
}

static Value wrappedInt64(Scalars &s, Value at, DataType type, Value extent) {
  Value i = s.toIndex(at, type);
  return s.fromIndex(s.select(s.less(i, s.index(0)), s.add(i, extent), i),
                     DataType::Int64);
}

static LogicalResult scatterND(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.tensor(0), ids = n.tensor(1), updates = n.tensor(2);
  if (!isInteger(ids.type) || ids.rank() == 0 || updates.type != x.type)
    return n.fail("expected vectors of integers to say places, and updates of "
                  "the type of the data");
  // The length of a vector follows from the axes that an update has.
  int64_t length = ids.rank() - 1 + x.rank() - updates.rank();
  if (length < 0 || length > x.rank())
    return n.fail("expected updates of a rank that fits data and places");
  e.require(Relation::eq(ids.dims.back(), e.constant(length)),
            "a place must have a number for each axis that it says");
  for (int64_t i = 0; i < updates.rank(); ++i) {
    int64_t batch = ids.rank() - 1;
    e.require(Relation::eq(updates.dims[i], i < batch
                                                ? ids.dims[i]
                                                : x.dims[i - batch + length]),
              "updates must have the extents of the places, then those of the "
              "data that a place leaves");
  }
  SmallVector<Expr> extents(x.dims.begin(), x.dims.begin() + length);
  Tensor limits = e.fromList(extents, false, DataType::Int64);
  int64_t last = ids.rank() - 1;
  Tensor at = e.map(ids, DataType::Int64, [&](Scalars &s, ArrayRef<Value> v) {
    Value extent =
        s.toIndex(Emitter::at(s, limits, s.loop(last)), DataType::Int64);
    return wrappedInt64(s, v[0], ids.type, extent);
  });
  return scatter(n, x, at, updates, length);
}

static LogicalResult scatterElements(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.tensor(0), ids = n.tensor(1), updates = n.tensor(2);
  auto axis = n.axisAttr("axis", 0, x.rank());
  if (!axis)
    return failure();
  if (!isInteger(ids.type) || ids.rank() != x.rank() ||
      updates.rank() != x.rank() || updates.type != x.type)
    return n.fail("expected places and updates of the rank of the data");
  for (auto [own, other] : llvm::zip(updates.dims, ids.dims))
    e.require(Relation::eq(own, other), "there must be a place per update");
  SmallVector<Expr, 5> dims(ids.dims.begin(), ids.dims.end());
  dims.push_back(e.constant(x.rank()));
  Value extent = e.index(x.dims[*axis]);
  // The full position of each element.
  Tensor at =
      e.generate(dims, DataType::Int64, [&](Scalars &s, ArrayRef<Value> loops) {
        Value id = Emitter::at(s, ids, loops.drop_back());
        Value result = wrappedInt64(s, id, ids.type, extent);
        for (int64_t i = 0; i < x.rank(); ++i)
          if (i != *axis)
            result = s.select(s.equal(loops.back(), s.index(i)),
                              s.fromIndex(loops[i], DataType::Int64), result);
        return result;
      });
  return scatter(n, x, at, updates, x.rank());
}

/// Puts rows one after another into a cache, for each batch from its own place
/// on.
static LogicalResult tensorScatter(Node &n) {
  Emitter &e = n.emit();
  Tensor cache = n.tensor(0), update = n.tensor(1);
  auto axis = n.axisAttr("axis", -2, cache.rank());
  if (!axis)
    return failure();
  if (*axis == 0 || update.rank() != cache.rank() || update.type != cache.type)
    return n.fail("expected rows of the type and rank of the cache, along "
                  "another axis than that of batches");
  bool isCircular = n.textAttr("mode", "linear") == "circular";
  for (int64_t i = 0; i < cache.rank(); ++i)
    e.require(i == *axis ? Relation::le(update.dims[i], cache.dims[i])
                         : Relation::eq(update.dims[i], cache.dims[i]),
              "rows must fit into the cache");
  Scalars outside(e.builder(), e.loc());
  Expr rows = update.dims[*axis], all = cache.dims[*axis];
  Tensor starts = e.fill(cache.dims[0], DataType::Int64, 0.0);
  if (n.has(2)) {
    starts = e.cast(n.tensor(2), DataType::Int64);
    if (starts.rank() != 1)
      return n.fail("expected a place for each batch");
    e.require(Relation::eq(starts.dims[0], cache.dims[0]),
              "there must be a place for each batch");
  }
  auto end = [&](bool greatest) {
    Tensor value =
        e.reduce(starts, 0, false, DataType::Int64, 0,
                 [&](Scalars &s, ArrayRef<Value> v) {
                   return greatest ? s.max(v[0], v[1]) : s.min(v[0], v[1]);
                 });
    return e.bindInteger(outside.toIndex(e.extract(value, {}), DataType::Int64),
                         "_v");
  };
  e.require(Relation::ge(end(false), e.constant(0)),
            "rows must begin in the cache");
  if (!isCircular)
    e.require(Relation::ge(all, end(true) + rows),
              "rows must end in the cache");
  // Only the new rows have places, so that the rest of a cache may stay where
  // it is.
  int64_t length = *axis + 1;
  SmallVector<Expr, 5> dims(update.dims.begin(), update.dims.begin() + length);
  dims.push_back(e.constant(length));
  Value extent = e.index(all);
  Tensor places =
      e.generate(dims, DataType::Int64, [&](Scalars &s, ArrayRef<Value> at) {
        Value start = s.toIndex(Emitter::at(s, starts, at[0]), DataType::Int64);
        Value row = s.add(at[*axis], start);
        if (isCircular) {
          Value turns = s.create<arith::FloorDivSIOp>(row, extent);
          row = s.sub(row, s.mul(turns, extent));
        }
        for (int64_t i = 0; i < *axis; ++i)
          row = s.select(s.equal(at.back(), s.index(i)), at[i], row);
        return s.fromIndex(row, DataType::Int64);
      });
  return n.set(0,
               scatterInto(e, cache, places, update, Combiner::Update, length));
}

//===----------------------------------------------------------------------===//
// Results of sizes that data decides
//===----------------------------------------------------------------------===//

Tensor mlir::symshape::onnx::findNonzero(Emitter &e, const Tensor &x) {
  auto type = RankedTensorType::get({ShapedType::kDynamic, x.rank()},
                                    e.builder().getIndexType());
  return e.wrap(NonzeroOp::create(e.builder(), e.loc(), type, x.value),
                DataType::Int64);
}

static LogicalResult nonZero(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.tensor(0);
  Tensor places = findNonzero(e, x);
  Tensor turned = e.generate({places.dims[1], places.dims[0]}, DataType::Int64,
                             [&](Scalars &s, ArrayRef<Value> at) {
                               Value p = Emitter::at(s, places, {at[1], at[0]});
                               return s.fromIndex(p, DataType::Int64);
                             });
  return n.set(0, turned);
}

static LogicalResult compress(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.tensor(0), keep = n.tensor(1);
  if (keep.type != DataType::Bool || keep.rank() != 1)
    return n.fail("expected a list of bools");
  int64_t axis = 0;
  if (n.attribute("axis")) {
    auto given = n.axisAttr("axis", 0, x.rank());
    if (!given)
      return failure();
    axis = *given;
  } else {
    x = e.reshape(x, e.product(x.dims));
  }
  Tensor places = findNonzero(e, keep);
  SmallVector<Expr, 4> dims(x.dims);
  dims[axis] = places.dims[0];
  return n.set(0, e.generate(dims, x.type, [&](Scalars &s, ArrayRef<Value> at) {
    SmallVector<Value> from(at);
    from[axis] = Emitter::at(s, places, {at[axis], s.index(0)});
    return Emitter::at(s, x, from);
  }));
}

Tensor mlir::symshape::onnx::requireLengths(Emitter &e, const Tensor &lengths,
                                            Expr most, StringRef message) {
  Value last = e.index(most);
  return e.map({lengths}, lengths.type, [&](Scalars &s, ArrayRef<Value> v) {
    Value length = s.toIndex(v[0], lengths.type);
    AssertOp::create(s.b, s.loc, "0 <= a", {{"a", length}}, message);
    AssertOp::create(s.b, s.loc, "a <= b", {{"a", length}, {"b", last}},
                     message);
    return v[0];
  });
}

static LogicalResult reverseSequence(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.tensor(0), lengths = n.tensor(1);
  auto batch = n.axisAttr("batch_axis", 1, x.rank());
  auto time = n.axisAttr("time_axis", 0, x.rank());
  if (!batch || !time || lengths.rank() != 1)
    return n.fail("expected two axes, and a length for each batch");
  e.require(Relation::eq(lengths.dims[0], x.dims[*batch]),
            "there must be a length for each of the batch");
  lengths = requireLengths(e, lengths, x.dims[*time],
                           "a length must lie within the sequence");
  return n.set(
      0, e.generate(x.dims, x.type, [&](Scalars &s, ArrayRef<Value> at) {
        Value length =
            s.toIndex(Emitter::at(s, lengths, at[*batch]), lengths.type);
        Value mirrored = s.sub(s.sub(length, s.index(1)), at[*time]);
        SmallVector<Value> from(at);
        from[*time] = s.select(s.less(at[*time], length), mirrored, at[*time]);
        return Emitter::at(s, x, from);
      }));
}

void mlir::symshape::onnx::addOrderingOps(Registry &registry) {
  registry.add("CumSum", 2, cumSum);
  registry.add("CumProd", 2, cumProd);
  registry.add("TopK", 2, topK);
  registry.add("ScatterND", 3, scatterND);
  registry.add("ScatterElements", 3, scatterElements);
  registry.add("Scatter", 3, scatterElements);
  registry.add("TensorScatter", 2, tensorScatter);
  registry.add("NonZero", 1, nonZero);
  registry.add("Compress", 2, compress);
  registry.add("ReverseSequence", 2, reverseSequence);
}
