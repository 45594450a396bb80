//===- Activations.cpp - Functions that attributes name -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Activations.h.
//
//===----------------------------------------------------------------------===//

#include "Activations.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

std::optional<Activation>
mlir::symshape::onnx::readActivation(StringRef name, ArrayRef<float> &alphas,
                                     ArrayRef<float> &betas) {
  static const StringRef known[] = {
      "tanh",      "relu",       "sigmoid",    "affine",
      "leakyrelu", "softsign",   "elu",        "thresholdedrelu",
      "softplus",  "scaledtanh", "hardsigmoid"};
  Activation f{name.lower(), 0, 0};
  if (!llvm::is_contained(known, f.name))
    return std::nullopt;
  bool takesAlpha = f.name == "affine" || f.name == "leakyrelu" ||
                    f.name == "elu" || f.name == "thresholdedrelu" ||
                    f.name == "scaledtanh" || f.name == "hardsigmoid";
  bool takesBeta =
      f.name == "affine" || f.name == "scaledtanh" || f.name == "hardsigmoid";
  f.alpha = f.name == "leakyrelu" ? 0.01 : f.name == "hardsigmoid" ? 0.2 : 1;
  f.beta = f.name == "hardsigmoid" ? 0.5 : f.name == "affine" ? 0 : 1;
  if (takesAlpha && !alphas.empty())
    f.alpha = alphas.consume_front();
  if (takesBeta && !betas.empty())
    f.beta = betas.consume_front();
  return f;
}

Value mlir::symshape::onnx::apply(Scalars &s, const Activation &f, Value x) {
  Type type = x.getType();
  auto num = [&](double value) { return s.number(type, value); };
  if (f.name == "tanh")
    return s.create<math::TanhOp>(x);
  if (f.name == "relu")
    return s.max(x, num(0));
  if (f.name == "affine")
    return s.add(s.mul(x, num(f.alpha)), num(f.beta));
  if (f.name == "hardsigmoid") {
    Value line = s.add(s.mul(x, num(f.alpha)), num(f.beta));
    return s.max(s.min(line, num(1)), num(0));
  }
  if (f.name == "scaledtanh")
    return s.mul(num(f.alpha), s.create<math::TanhOp>(s.mul(x, num(f.beta))));
  if (f.name == "leakyrelu")
    return s.select(s.less(x, num(0)), s.mul(x, num(f.alpha)), x);
  if (f.name == "thresholdedrelu")
    return s.select(s.less(x, num(f.alpha)), num(0), x);
  if (f.name == "elu")
    return s.select(s.less(x, num(0)),
                    s.mul(num(f.alpha), s.create<math::ExpM1Op>(x)), x);
  if (f.name == "softsign")
    return s.div(x, s.add(num(1), s.create<math::AbsFOp>(x)));
  if (f.name == "softplus")
    return s.softplus(x);
  return s.sigmoid(x);
}

Tensor mlir::symshape::onnx::fusedActivation(Node &n, const Tensor &x,
                                             ArrayRef<float> parameters) {
  Emitter &e = n.emit();
  StringRef name = n.textAttr("activation", "");
  if (name.empty())
    return x;
  if (name == "Clip" && parameters.size() == 2)
    return e.unary(x, [&](Scalars &s, Value v) {
      Type type = v.getType();
      return s.min(s.max(v, s.number(type, parameters[0])),
                   s.number(type, parameters[1]));
    });
  ArrayRef<float> alphas = parameters.take_front(1),
                  betas = parameters.drop_front(alphas.size());
  auto f = readActivation(name, alphas, betas);
  if (!f) {
    (void)n.fail("expected a known activation, but got '" + name + "' with " +
                 Twine(parameters.size()) + " parameters");
    return Tensor();
  }
  return e.unary(x, [&](Scalars &s, Value v) { return apply(s, *f, v); });
}
