//===- RotaryEmbedding.cpp - Positions as rotations -----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// RotaryEmbedding of ai.onnx, and that of com.microsoft, whose operands are in
// another order. Source of the latter: ONNX Runtime, docs/ContribOperators.md.
//
//===----------------------------------------------------------------------===//

#include "RotaryEmbedding.h"
#include "Families.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

Tensor mlir::symshape::onnx::rotateHeads(Emitter &e, const Tensor &x,
                                         const Tensor &cos, const Tensor &sin,
                                         bool isInterleaved) {
  Expr size = x.dims[3], half = cos.dims[2], part = half * 2;
  e.require(Relation::le(part, size),
            "the rotated part must not be wider than a head");
  SmallVector<Expr, 4> ofCache{x.dims[0], x.dims[1], e.constant(1), half};
  Tensor factors[] = {e.unsqueeze(cos, 2), e.unsqueeze(sin, 2)};
  for (Tensor &factor : factors) {
    for (auto [own, wanted] : llvm::zip(factor.dims, ofCache))
      e.require(Relation::eq(own, wanted),
                "caches must have a row of half the rotated width for each "
                "position");
    factor = e.wrap(factor.value, ofCache, factor.type);
  }
  SmallVector<Expr, 4> offsets(4, e.constant(0)), sizes(x.dims);
  SmallVector<int64_t, 4> steps{1, 1, 1, isInterleaved ? 2 : 1};
  sizes[3] = half;
  Tensor first = e.slice(x, offsets, sizes, steps);
  offsets[3] = isInterleaved ? e.constant(1) : half;
  Tensor second = e.slice(x, offsets, sizes, steps);
  auto combine = [&](const Tensor &a, const Tensor &b, bool subtract) {
    return e.map({first, a, second, b}, x.type,
                 [=](Scalars &s, ArrayRef<Value> v) {
                   Value left = s.mul(v[0], v[1]), right = s.mul(v[2], v[3]);
                   return subtract ? s.sub(left, right) : s.add(left, right);
                 });
  };
  Tensor real = combine(factors[0], factors[1], true);
  Tensor imaginary = combine(factors[1], factors[0], false);
  Tensor turned;
  if (isInterleaved) {
    turned = e.concat({e.unsqueeze(real, 4), e.unsqueeze(imaginary, 4)}, 4);
    sizes[3] = part;
    turned = e.reshape(turned, sizes);
  } else {
    turned = e.concat({real, imaginary}, 3);
  }
  if (part == size)
    return turned;
  return e.concat({turned, e.slice(x, 3, part, size - part)}, 3);
}

Tensor mlir::symshape::onnx::pickRows(Emitter &e, const Tensor &cache,
                                      const Tensor &positions) {
  return e.generate({positions.dims[0], positions.dims[1], cache.dims[1]},
                    cache.type, [&](Scalars &s, ArrayRef<Value> at) {
                      Value place = Emitter::at(s, positions, {at[0], at[1]});
                      return Emitter::at(
                          s, cache, {s.toIndex(place, positions.type), at[2]});
                    });
}

/// x of rank 3 or 4 as [batch, length, heads, size]; of rank 4 it is [batch,
/// heads, length, size].
static Tensor apart(Emitter &e, const Tensor &x, Expr heads) {
  if (x.rank() == 4)
    return e.transpose(x, {0, 2, 1, 3});
  return e.reshape(
      x, {x.dims[0], x.dims[1], heads, e.divideExactly(x.dims[2], heads)});
}

/// The reverse.
static Tensor together(Emitter &e, const Tensor &x, ArrayRef<Expr> given) {
  return given.size() == 3 ? e.reshape(x, given) : e.transpose(x, {0, 2, 1, 3});
}

static LogicalResult rotaryEmbedding(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.wideTensor(0), cos = n.wideTensor(1), sin = n.wideTensor(2);
  SmallVector<Expr, 4> given(x.dims);
  int64_t heads = n.intAttr("num_heads", 0);
  if (x.rank() == 3 && heads < 1)
    return n.fail("expected num_heads from 1 for an input of rank 3");
  if (x.rank() != 3 && x.rank() != 4)
    return n.fail("expected rank 3 or 4");
  x = apart(e, x, e.constant(heads));
  // The caches have a row for each position; without positions, rows for each
  // element of the batch.
  if (n.has(3)) {
    Tensor ids = n.tensor(3);
    if (ids.rank() != 2 || cos.rank() != 2 || sin.rank() != 2)
      return n.fail("expected positions and caches of rank 2");
    cos = pickRows(e, cos, ids);
    sin = pickRows(e, sin, ids);
  }
  if (cos.rank() != 3 || sin.rank() != 3)
    return n.fail("expected caches of rank 3 without positions");
  int64_t rotated = n.intAttr("rotary_embedding_dim", 0);
  Expr part = rotated ? e.constant(rotated) : x.dims[3];
  Expr half = e.divideExactly(part, e.constant(2));
  e.require(Relation::eq(half * 2, part),
            "the rotated part must have an even width");
  for (Tensor *cache : {&cos, &sin}) {
    e.require(Relation::eq(cache->dims[2], half),
              "caches must have a row of half the rotated width for each "
              "position");
    SmallVector<Expr, 4> dims{cache->dims[0], cache->dims[1], half};
    *cache = e.wrap(cache->value, dims, cache->type);
  }
  Tensor turned = rotateHeads(e, x, cos, sin, n.intAttr("interleaved", 0));
  return n.setRounded(0, together(e, turned, given));
}

/// Positions [batch, length], from those or, of one number, counted from it.
static Tensor readPositions(Node &n, size_t i, Expr batch, Expr length) {
  Emitter &e = n.emit();
  Tensor ids = n.tensor(i);
  if (ids.rank() == 2)
    return ids;
  e.require(Relation::eq(ids.dims[0], e.constant(1)),
            "there must be one first position");
  return e.generate({batch, length}, ids.type,
                    [&](Scalars &s, ArrayRef<Value> at) {
                      Value first = Emitter::at(s, ids, {s.index(0)});
                      return s.add(first, s.fromIndex(at[1], ids.type));
                    });
}

static LogicalResult microsoftRotaryEmbedding(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.wideTensor(0), cos = n.wideTensor(2), sin = n.wideTensor(3);
  SmallVector<Expr, 4> given(x.dims);
  if (x.rank() != 3 && x.rank() != 4)
    return n.fail("expected rank 3 or 4");
  if (n.rank(1) != 1 && n.rank(1) != 2)
    return n.fail("expected positions of rank 1 or 2");
  if (cos.rank() != 2 || sin.rank() != 2)
    return n.fail("expected caches of rank 2");
  if (n.intAttr("is_packed_batching", 0) || n.floatAttr("scale", 1) != 1)
    return n.fail("expected is_packed_batching of 0 and a scale of 1");
  int64_t heads = n.intAttr("num_heads", 0);
  // Heads are as wide as their caches say, if their number is not given.
  Expr count = heads ? e.constant(heads)
                     : e.divideExactly(x.dims.back(), cos.dims[1] * 2);
  if (!heads && x.rank() == 3)
    e.require(Relation::eq(count * cos.dims[1] * 2, x.dims[2]),
              "heads must be twice as wide as the caches");
  x = apart(e, x, count);
  Tensor ids = readPositions(n, 1, x.dims[0], x.dims[1]);
  Tensor turned =
      rotateHeads(e, x, pickRows(e, cos, ids), pickRows(e, sin, ids),
                  n.intAttr("interleaved", 0));
  return n.setRounded(0, together(e, turned, given));
}

void mlir::symshape::onnx::addRotaryEmbeddingOps(Registry &registry) {
  registry.add("RotaryEmbedding", 3, rotaryEmbedding);
  registry.add("com.microsoft", "RotaryEmbedding",
               {4, microsoftRotaryEmbedding});
}
