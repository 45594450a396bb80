//===- Counting.cpp - What occurs, and how often --------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Unique and TfIdfVectorizer.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "Ordering.h"
#include "symshape/IR/SymShape.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

//===----------------------------------------------------------------------===//
// Unique
//===----------------------------------------------------------------------===//

/// For the elements of x, of rank 1, in ascending order, where each comes from.
/// Equal ones stay in order.
static Tensor orderOf(Emitter &e, const Tensor &x) {
  Tensor keys =
      x.type == DataType::Bool ? e.cast(x, DataType::Int8) : asSigned(e, x);
  auto op = SortOp::create(e.builder(), e.loc(), keys.value.getType(),
                           e.typeOf(x.dims, DataType::Int64), keys.value, 0);
  return {op.getPermutation(), x.dims, DataType::Int64};
}

/// The element of a tensor of int64 of rank 1 as an index.
static Value indexAt(Scalars &s, const Tensor &x, Value place) {
  return s.toIndex(Emitter::at(s, x, place), DataType::Int64);
}

/// x[at[i]] for all i.
static Tensor take(Emitter &e, const Tensor &x, const Tensor &at) {
  return e.generate(at.dims, x.type, [&](Scalars &s, ArrayRef<Value> i) {
    return Emitter::at(s, x, indexAt(s, at, i[0]));
  });
}

/// The rows of x, of rank 2, in lexicographic order: sorted by their columns
/// from the last to the first, each sort keeping the order of equal ones.
static Tensor orderOfRows(Emitter &e, const Tensor &x) {
  if (x.dims[1].isConstant(1))
    return orderOf(e, e.squeeze(x, 1));
  Scalars s(e.builder(), e.loc());
  Type i64 = s.b.getI64Type();
  Tensor order =
      e.iota(s.integer(i64, 0), s.integer(i64, 1), x.dims[0], DataType::Int64);
  Value last = e.index(x.dims[1] - 1);
  return e
      .repeat(x.dims[1], order,
              [&](Value iteration, ArrayRef<Tensor> old) {
                Scalars inside(e.builder(), e.loc());
                Tensor column = e.pick(x, 1, inside.sub(last, iteration));
                Tensor sorted = orderOf(e, take(e, column, old[0]));
                return SmallVector<Tensor>{take(e, old[0], sorted)};
              })
      .front();
}

/// Whether each row in that order differs from the row before it.
static Tensor beginsOf(Emitter &e, const Tensor &x, const Tensor &order) {
  OpBuilder &b = e.builder();
  Tensor columns{e.empty(x.dims[1], x.type), {x.dims[1]}, x.type};
  AffineMap maps[] = {AffineMap::get(2, 0, b.getAffineDimExpr(1), e.context()),
                      AffineMap::get(2, 0, b.getAffineDimExpr(0), e.context())};
  Tensor differs = e.structured(
      columns, e.fill(x.dims[0], DataType::Bool, 0.0), maps, {false, true},
      [&](Scalars &s, ArrayRef<Value> v) {
        Value row = s.loop(0), column = s.loop(1);
        Value before = s.sub(s.max(row, s.index(1)), s.index(1));
        Value now = Emitter::at(s, x, {indexAt(s, order, row), column});
        Value other = Emitter::at(s, x, {indexAt(s, order, before), column});
        Value isSame = s.equal(now, other);
        if (Scalars::isFloat(now)) // all NaN count as one
          isSame =
              s.logicalOr(isSame, s.logicalAnd(s.isNaN(now), s.isNaN(other)));
        return s.logicalOr(v[1], s.logicalNot(isSame));
      });
  return e.unary(differs, [](Scalars &s, Value v) {
    return s.logicalOr(v, s.equal(s.loop(0), s.index(0)));
  });
}

/// The place of each element of a permutation.
static Tensor inverseOf(Emitter &e, const Tensor &order) {
  return orderOf(e, order);
}

static LogicalResult unique(Node &n) {
  Emitter &e = n.emit();
  OpBuilder &b = e.builder();
  Tensor given = n.tensor(0), x = given;
  int64_t axis = 0;
  if (n.attribute("axis")) {
    auto counted = n.axisAttr("axis", 0, x.rank());
    if (!counted)
      return failure();
    axis = *counted;
  } else {
    x = given = e.reshape(x, e.product(x.dims));
  }
  x = e.moveAxis(x, axis, 0);
  Expr width = e.product(ArrayRef<Expr>(x.dims).drop_front());
  x = e.reshape(x, {x.dims[0], width});
  Tensor order = orderOfRows(e, x), begins = beginsOf(e, x, order);
  // The rows of a run are equal, and the first of it is the first in x.
  Tensor starts = findNonzero(e, begins);
  Expr count = starts.dims[0];
  Value total = e.index(x.dims[0]), numRuns = e.index(count);
  auto startOf = [&](Scalars &s, Value run) {
    return Emitter::at(s, starts, {run, s.index(0)});
  };
  Tensor firsts =
      e.generate(count, DataType::Int64, [&](Scalars &s, ArrayRef<Value> at) {
        return Emitter::at(s, order, startOf(s, at[0]));
      });
  Tensor sizes =
      e.generate(count, DataType::Int64, [&](Scalars &s, ArrayRef<Value> at) {
        Value next = s.add(at[0], s.index(1)),
              last = s.sub(numRuns, s.index(1));
        Value end = s.select(s.less(next, numRuns),
                             startOf(s, s.min(next, last)), total);
        return s.fromIndex(s.sub(end, startOf(s, at[0])), DataType::Int64);
      });
  Tensor flags = e.cast(begins, DataType::Int64);
  Tensor runs{CumsumOp::create(b, e.loc(), flags.value.getType(), flags.value,
                               0, /*reverse=*/false),
              flags.dims, flags.type};
  Tensor runOf = take(e, runs, inverseOf(e, order)); // from 1
  Tensor minusOne = e.scalarInt(DataType::Int64, -1);
  runOf = e.add(runOf, minusOne);
  if (!n.intAttr("sorted", 1)) { // in the order in which they occur
    Tensor byPlace = orderOf(e, firsts);
    firsts = take(e, firsts, byPlace);
    sizes = take(e, sizes, byPlace);
    runOf = take(e, inverseOf(e, byPlace), runOf);
  }
  SmallVector<Expr, 4> dims(given.dims);
  dims[axis] = count;
  Tensor values =
      e.generate(dims, given.type, [&](Scalars &s, ArrayRef<Value> at) {
        SmallVector<Value> from(at);
        from[axis] = indexAt(s, firsts, at[axis]);
        return Emitter::at(s, given, from);
      });
  if (failed(n.set(0, values)) || failed(n.set(1, firsts)) ||
      failed(n.set(2, runOf)))
    return failure();
  return n.set(3, sizes);
}

//===----------------------------------------------------------------------===//
// TfIdfVectorizer
//===----------------------------------------------------------------------===//

namespace {
/// Sequences of integers that are counted.
struct Grams {
  SmallVector<SmallVector<int64_t>> items;
  SmallVector<int64_t> columns; ///< of the result
};
} // namespace

/// Of a result, so many columns may belong to no sequence: a small file does
/// not ask for much memory.
static constexpr int64_t mostGaps = 1 << 20;

static std::optional<Grams> readGrams(Node &n, int64_t least, int64_t most) {
  auto pool = n.intsAttr("pool_int64s"), counts = n.intsAttr("ngram_counts"),
       columns = n.intsAttr("ngram_indexes");
  auto refuse = [&](const Twine &message) {
    (void)n.fail(message);
    return std::nullopt;
  };
  if (!pool || !counts || !columns)
    return refuse("expected a pool of integers, with counts and indexes");
  Grams grams;
  size_t next = 0;
  for (size_t i = 0; i < counts->size(); ++i) {
    int64_t length = i + 1, begin = (*counts)[i];
    int64_t end = i + 1 < counts->size() ? (*counts)[i + 1] : pool->size();
    if (begin < 0 || end < begin || end > static_cast<int64_t>(pool->size()) ||
        (end - begin) % length != 0)
      return refuse("expected counts that divide the pool");
    for (; begin < end; begin += length, ++next) {
      if (next >= columns->size() || (*columns)[next] < 0)
        return refuse("expected an index for each part of the pool");
      if (length < least || length > most)
        continue;
      grams.items.emplace_back(pool->begin() + begin,
                               pool->begin() + begin + length);
      grams.columns.push_back((*columns)[next]);
    }
  }
  return grams;
}

static Tensor constantInts(Emitter &e, ArrayRef<int64_t> values,
                           ArrayRef<int64_t> dims) {
  TensorData data;
  data.type = DataType::Int64;
  data.dims.assign(dims.begin(), dims.end());
  data.bytes = StringRef(reinterpret_cast<const char *>(values.data()),
                         values.size() * sizeof(int64_t));
  return e.constantTensor(data);
}

/// How often each sequence occurs in each row of x, of rank 2: with up
/// to `skips` other elements between neighbours, the same number
/// everywhere.
static Tensor countGrams(Emitter &e, const Tensor &x, const Grams &grams,
                         int64_t skips) {
  OpBuilder &b = e.builder();
  size_t longest = 0, numGrams = grams.items.size();
  for (const auto &gram : grams.items)
    longest = std::max(longest, gram.size());
  SmallVector<int64_t> table, lengths;
  for (const auto &gram : grams.items) {
    table.append(gram.begin(), gram.end());
    table.append(longest - gram.size(), 0);
    lengths.push_back(gram.size());
  }
  int64_t rows = numGrams, columns = longest;
  Tensor items = constantInts(e, table, {rows, columns});
  Tensor sizes = constantInts(e, lengths, rows);
  SmallVector<Expr, 4> extents{e.constant(skips + 1), x.dims[1]};
  SmallVector<Expr, 2> dims{x.dims[0], e.constant(rows)};
  SmallVector<AffineExpr> loops;
  for (int64_t i = 0; i < 4; ++i)
    loops.push_back(b.getAffineDimExpr(i));
  AffineMap maps[] = {
      AffineMap::get(4, 0, ArrayRef(loops).take_back(2), e.context()),
      AffineMap::get(4, 0, ArrayRef(loops).take_front(2), e.context())};
  Tensor shape{e.empty(extents, x.type), extents, x.type};
  Value length = e.index(x.dims[1]);
  return e.structured(
      shape, e.fill(dims, DataType::Int64, 0.0), maps,
      {false, false, true, true}, [&](Scalars &s, ArrayRef<Value> v) {
        Value row = s.loop(0), gram = s.loop(1), skip = s.loop(2);
        Value distance = s.add(skip, s.index(1)), place = s.loop(3);
        Value size = s.toIndex(Emitter::at(s, sizes, gram), DataType::Int64);
        // A single element has no neighbours to skip to.
        Value hits =
            s.logicalOr(s.equal(skip, s.index(0)), s.less(s.index(1), size));
        for (size_t k = 0; k < longest; ++k) {
          Value isBehind = s.lessOrEqual(size, s.index(k));
          Value isThere = s.less(place, length);
          Value safe = s.select(isThere, place, s.index(0));
          Value element =
              s.cast(Emitter::at(s, x, {row, safe}), x.type, DataType::Int64);
          Value item = Emitter::at(s, items, {gram, s.index(k)});
          Value isEqual = s.logicalAnd(isThere, s.equal(element, item));
          hits = s.logicalAnd(hits, s.logicalOr(isBehind, isEqual));
          place = s.add(place, distance);
        }
        Value one = s.integer(v[1].getType(), 1);
        return s.select(hits, s.add(v[1], one), v[1]);
      });
}

static LogicalResult tfIdfVectorizer(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.tensor(0);
  int64_t least = n.intAttr("min_gram_length", 1);
  int64_t most = n.intAttr("max_gram_length", 1);
  int64_t skips = n.intAttr("max_skip_count", 0);
  StringRef mode = n.textAttr("mode", "TF");
  if (!isInteger(x.type) || (x.rank() != 1 && x.rank() != 2))
    return n.fail("expected integers of rank 1 or 2");
  if (least < 1 || most < least || skips < 0 || skips > INT32_MAX ||
      (mode != "TF" && mode != "IDF" && mode != "TFIDF"))
    return n.fail("expected lengths, a number of skips, and a known mode");
  auto grams = readGrams(n, least, most);
  if (!grams)
    return failure();
  int64_t width = 0;
  auto all = n.intsAttr("ngram_indexes");
  for (int64_t column : *all) {
    if (column >= mostGaps + static_cast<int64_t>(all->size()))
      return n.fail("expected indexes without large gaps, but got " +
                    Twine(column));
    width = std::max(width, column + 1);
  }
  SmallVector<int64_t> gramOf(width, -1);
  for (auto [gram, column] : llvm::enumerate(grams->columns)) {
    if (gramOf[column] >= 0)
      return n.fail("expected each index once");
    gramOf[column] = gram;
  }
  bool isFlat = x.rank() == 1;
  if (isFlat)
    x = e.unsqueeze(x, 0);
  SmallVector<Expr, 2> dims{x.dims[0], e.constant(width)};
  Tensor result;
  if (grams->items.empty()) {
    result = e.fill(dims, DataType::Float, 0.0);
  } else {
    Tensor counts = countGrams(e, x, *grams, skips);
    Tensor owner = constantInts(e, gramOf, width);
    result =
        e.generate(dims, DataType::Float, [&](Scalars &s, ArrayRef<Value> at) {
          Value gram = indexAt(s, owner, at[1]);
          Value isNone = s.less(gram, s.index(0));
          Value safe = s.max(gram, s.index(0));
          Value count = s.cast(Emitter::at(s, counts, {at[0], safe}),
                               DataType::Int64, DataType::Float);
          Value zero = s.number(count.getType(), 0);
          return s.select(isNone, zero, count);
        });
  }
  if (mode == "IDF")
    result = e.unary(result, [](Scalars &s, Value v) {
      Value zero = s.number(v.getType(), 0), one = s.number(v.getType(), 1);
      return s.select(s.less(zero, v), one, zero);
    });
  if (auto weights = n.floatsAttr("weights"); weights && mode != "TF") {
    if (static_cast<int64_t>(weights->size()) != width)
      return n.fail("expected a weight for each index");
    TensorData data;
    data.type = DataType::Float;
    data.dims = {width};
    data.bytes = StringRef(reinterpret_cast<const char *>(weights->data()),
                           weights->size() * sizeof(float));
    result = e.mul(result, e.constantTensor(data));
  }
  return n.set(0, isFlat ? e.squeeze(result, 0) : result);
}

void mlir::symshape::onnx::addCountingOps(Registry &registry) {
  registry.add("Unique", 1, unique);
  registry.add("TfIdfVectorizer", 1, tfIdfVectorizer);
}
