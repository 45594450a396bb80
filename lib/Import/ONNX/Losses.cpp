//===- Losses.cpp - How wrong a classification is -------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "Reductions.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

/// -weight[target] * scores[n, target, ...], 0 where the target is ignored, and
/// reduced as the node says.
static LogicalResult pickLoss(Node &n, const Tensor &scores) {
  Emitter &e = n.emit();
  Tensor target = n.tensor(1), weight;
  if (scores.rank() < 2 || target.rank() != scores.rank() - 1 ||
      !isInteger(target.type))
    return n.fail("expected scores with an axis of classes more than the "
                  "targets, which are integers");
  if (n.has(2))
    weight = n.wideTensor(2);
  if (weight && weight.rank() != 1)
    return n.fail("expected weights of rank 1");
  if (weight)
    e.require(Relation::eq(weight.dims[0], scores.dims[1]),
              "there must be a weight for each class");
  const AttributeData *ignored = n.attribute("ignore_index");
  auto isIgnored = [&](Scalars &s, Value t) {
    return s.equal(t, s.integer(t.getType(), ignored->i));
  };
  // The axes of the target are those of the scores without the second one.
  for (int64_t i = 0; i < target.rank(); ++i)
    e.require(Relation::eq(target.dims[i], scores.dims[i == 0 ? 0 : i + 1]),
              "scores and targets must agree");
  auto place = [&](Scalars &s, Value t) {
    if (ignored)
      t = s.select(isIgnored(s, t), s.integer(t.getType(), 0), t);
    return s.toIndex(t, target.type);
  };
  Type element = elementType(e.context(), scores.type);
  Tensor weights =
      e.map(target, scores.type, [&](Scalars &s, ArrayRef<Value> v) {
        Value w = weight ? Emitter::at(s, weight, place(s, v[0]))
                         : s.number(element, 1);
        return ignored ? s.select(isIgnored(s, v[0]), s.number(element, 0), w)
                       : w;
      });
  Tensor losses =
      e.map({target, weights}, scores.type, [&](Scalars &s, ArrayRef<Value> v) {
        SmallVector<Value> at{s.loop(0), place(s, v[0])};
        for (int64_t i = 1; i < target.rank(); ++i)
          at.push_back(s.loop(i));
        Value loss = s.neg(s.mul(Emitter::at(s, scores, at), v[1]));
        // Even an infinite score must not count.
        return ignored
                   ? s.select(isIgnored(s, v[0]), s.number(element, 0), loss)
                   : loss;
      });
  StringRef reduction = n.textAttr("reduction", "mean");
  if (reduction == "none")
    return n.setRounded(0, losses);
  SmallVector<int64_t> axes;
  for (int64_t i = 0; i < losses.rank(); ++i)
    axes.push_back(i);
  Tensor sum = sumOf(e, losses, axes, false);
  if (reduction == "sum")
    return n.setRounded(0, sum);
  return n.setRounded(0, e.div(sum, sumOf(e, weights, axes, false)));
}

static LogicalResult negativeLogLikelihoodLoss(Node &n) {
  return pickLoss(n, n.wideTensor(0));
}

static LogicalResult softmaxCrossEntropyLoss(Node &n) {
  Tensor x = n.tensor(0);
  if (x.rank() < 2)
    return n.fail("expected an axis of classes");
  Tensor logs = softmaxOf(n.emit(), x, 1, /*logs=*/true);
  return failed(n.setRounded(1, logs)) ? failure() : pickLoss(n, logs);
}

void mlir::symshape::onnx::addLossOps(Registry &registry) {
  registry.add("NegativeLogLikelihoodLoss", 2, negativeLogLikelihoodLoss);
  registry.add("SoftmaxCrossEntropyLoss", 2, softmaxCrossEntropyLoss);
}
