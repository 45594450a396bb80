//===- EmbedLayerNormalization.cpp - What encoders begin with -------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// EmbedLayerNormalization of com.microsoft: the sum of the embeddings of words,
// places and segments, and its norm. Source: ONNX Runtime,
// docs/ContribOperators.md.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "Gathering.h"
#include "Normalization.h"
#include "Reductions.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

namespace {
struct EmbedInput {
  enum : size_t {
    Words,
    Segments,
    WordTable,
    PlaceTable,
    SegmentTable,
    Scale,
    Shift,
    Mask,
    Places,
  };
};
} // namespace

/// Rows of the table at operand `table`.
static Tensor embed(Node &n, size_t table, const Tensor &ids) {
  return n.emit().cast(gatherAlong(n.emit(), n.tensor(table), 0, ids),
                       wideType(n.type(table)));
}

/// The rows 0, 1, ... as long as a sentence is; broadcasts to the batch.
static Tensor embedInOrder(Node &n, Expr length) {
  Emitter &e = n.emit();
  Tensor table = n.wideTensor(EmbedInput::PlaceTable);
  e.require(Relation::le(length, table.dims[0]),
            "there must be an embedding for each place");
  return e.slice(table, 0, e.constant(0), length);
}

/// How many elements of each row of the mask are 1; without one, 0.
static Tensor countShown(Node &n, const Tensor &words) {
  Emitter &e = n.emit();
  if (!n.has(EmbedInput::Mask))
    return e.generate(words.dims[0], DataType::Int32,
                      [](Scalars &s, ArrayRef<Value>) {
                        return s.integer(s.b.getI32Type(), 0);
                      });
  Tensor mask = n.tensor(EmbedInput::Mask);
  e.requireBroadcast(mask, words.dims, "the mask must be one of the words");
  Tensor isShown = e.unary(mask, [](Scalars &s, Value v) {
    Value one = s.integer(v.getType(), 1);
    return s.select(s.equal(v, one), one, s.integer(v.getType(), 0));
  });
  return e.cast(sumOf(e, isShown, {1}, false), DataType::Int32);
}

static LogicalResult embedLayerNormalization(Node &n) {
  Emitter &e = n.emit();
  Tensor words = n.tensor(EmbedInput::Words);
  for (size_t i : {EmbedInput::WordTable, EmbedInput::PlaceTable,
                   EmbedInput::Scale, EmbedInput::Shift})
    if (!n.has(i))
      return n.fail("expected an input #" + Twine(i));
  bool hasSegments = n.has(EmbedInput::Segments);
  if (words.rank() != 2 || !isInteger(words.type) ||
      n.rank(EmbedInput::WordTable) != 2 || n.rank(EmbedInput::PlaceTable) != 2)
    return n.fail("expected numbers of words of rank 2, and tables of rank 2");
  if (hasSegments && (!n.has(EmbedInput::SegmentTable) ||
                      n.rank(EmbedInput::SegmentTable) != 2 ||
                      !isInteger(n.type(EmbedInput::Segments))))
    return n.fail("expected a table of rank 2 for numbers of segments");
  Tensor sum = embed(n, EmbedInput::WordTable, words);
  SmallVector<Expr, 4> dims(sum.dims);
  auto add = [&](const Tensor &part) {
    e.requireBroadcast(part, dims, "embeddings must have the same extents");
    sum = e.wrap(e.add(sum, part).value, dims, sum.type);
  };
  add(n.has(EmbedInput::Places)
          ? embed(n, EmbedInput::PlaceTable, n.tensor(EmbedInput::Places))
          : embedInOrder(n, words.dims[1]));
  if (hasSegments)
    add(embed(n, EmbedInput::SegmentTable, n.tensor(EmbedInput::Segments)));
  LayerNorm norm{sum, 2, /*isCentred=*/true, n.floatAttr("epsilon", 1e-12f)};
  norm.scale = EmbedInput::Scale;
  norm.shift = EmbedInput::Shift;
  norm.typedAs = EmbedInput::WordTable;
  return success(
      succeeded(normaliseLayer(n, norm)) &&
      succeeded(n.set(1, countShown(n, words))) &&
      succeeded(n.set(2, e.cast(sum, n.type(EmbedInput::WordTable)))));
}

void mlir::symshape::onnx::addEmbedLayerNormalizationOps(Registry &registry) {
  registry.add("com.microsoft", "EmbedLayerNormalization",
               {1, embedLayerNormalization});
}
