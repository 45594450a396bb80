//===- FramesOp.cpp - An ONNX op of a domain of its own -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FramesOp.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

/// Cuts a signal into windows: row r of the result begins at r * hop.
static LogicalResult frames(Node &n) {
  Emitter &e = n.emit();
  int64_t window = n.intAttr("window", 1), hop = n.intAttr("hop", 1);
  if (n.rank(0) != 1 || window < 0 || hop < 1)
    return n.fail("expected a signal of rank 1, and steps forward");
  Tensor signal = n.tensor(0);
  Expr length = signal.dims[0];
  e.require(Relation::ge(length, e.constant(window)), "length of the signal");
  Expr rows = e.arena().floorDiv(length - window, e.constant(hop)) + 1;
  return n.set(0, e.generate({rows, e.constant(window)}, signal.type,
                             [&](Scalars &s, ArrayRef<Value> at) {
                               Value start = s.mul(at[0], s.index(hop));
                               return e.at(s, signal, {s.add(start, at[1])});
                             }));
}

void audio::addFramesOp(Registry &registry) {
  registry.add("my.audio", "Frames", {/*minInputs=*/1, frames});
}
