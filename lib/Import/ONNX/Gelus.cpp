//===- Gelus.cpp - Gaussian error linear units ----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gelu of ai.onnx, and what ONNX Runtime makes of it when it optimizes a model:
// Gelu, FastGelu, BiasGelu and QuickGelu of com.microsoft. Source: ONNX
// Runtime, docs/ContribOperators.md.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

static Value exactGelu(Scalars &s, Value x) {
  Type type = x.getType();
  // 1 + erf(v) would cancel for x < 0.
  Value scaled = s.mul(x, s.number(type, -0.70710678118654752440));
  return s.mul(s.mul(s.number(type, 0.5), x), s.create<math::ErfcOp>(scaled));
}

static Value tanhGelu(Scalars &s, Value x) {
  Type type = x.getType();
  Value cube = s.mul(s.mul(x, x), x);
  Value inner = s.add(x, s.mul(cube, s.number(type, 0.044715)));
  // (1 + tanh(v)) / 2 is the sigmoid of 2 v.
  Value twice = s.mul(inner, s.number(type, 2 * 0.79788456080286535588));
  return s.mul(x, s.sigmoid(twice));
}

static LogicalResult gelu(Node &n) {
  bool isTanh = n.textAttr("approximate", "none") == "tanh";
  return n.setRounded(
      0, n.emit().unary(n.wideTensor(0), isTanh ? tanhGelu : exactGelu));
}

/// Of x plus a bias, which may be missing: a number for each place along the
/// last axis.
static LogicalResult biasedGelu(Node &n, Value (*f)(Scalars &, Value)) {
  Emitter &e = n.emit();
  Tensor x = n.wideTensor(0);
  if (n.has(1)) {
    Tensor bias = n.wideTensor(1);
    if (bias.rank() != 1 || x.rank() < 1)
      return n.fail("expected a bias of rank 1, and rank 1 or more");
    e.requireBroadcast(bias, x.dims, "there must be a bias for each column");
    x = e.wrap(e.add(x, bias).value, x.dims, x.type);
  }
  return n.setRounded(0, e.unary(x, f));
}

static LogicalResult biasGelu(Node &n) { return biasedGelu(n, exactGelu); }
static LogicalResult fastGelu(Node &n) { return biasedGelu(n, tanhGelu); }

static LogicalResult quickGelu(Node &n) {
  double alpha = n.floatAttr("alpha", 1.702f);
  return n.setRounded(
      0, n.emit().unary(n.wideTensor(0), [=](Scalars &s, Value x) {
        return s.mul(x, s.sigmoid(s.mul(x, s.number(x.getType(), alpha))));
      }));
}

void mlir::symshape::onnx::addGeluOps(Registry &registry) {
  registry.add("Gelu", 1, gelu);
  registry.add("com.microsoft", "Gelu", {1, gelu});
  registry.add("com.microsoft", "FastGelu", {1, fastGelu});
  registry.add("com.microsoft", "BiasGelu", {2, biasGelu});
  registry.add("com.microsoft", "QuickGelu", {1, quickGelu});
}
