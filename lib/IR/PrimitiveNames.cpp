//===- PrimitiveNames.cpp - What diagnostics call an op -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream ops that are a primitive of the table in docs/Primitives.md go by
// its name, however they are written: a `linalg.reduce` and a `linalg.generic`
// that take a maximum are both `reduce_max`.
//
//===----------------------------------------------------------------------===//

#include "symshape/IR/Diagnostics.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "symshape/IR/Places.h"
#include "symshape/IR/SymShape.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::symshape;

/// The name of an op that is one primitive by itself; empty if it is not.
static StringRef nameOfPlainOp(Operation *op) {
  return llvm::StringSwitch<StringRef>(op->getName().getStringRef())
      .Case("arith.addf", "add")
      .Case("arith.subf", "sub")
      .Case("arith.negf", "neg")
      .Case("arith.mulf", "mul")
      .Case("arith.divf", "div")
      .Cases({"arith.maximumf", "arith.maxnumf"}, "maximum")
      .Cases({"arith.minimumf", "arith.minnumf"}, "minimum")
      .Case("arith.select", "select")
      .Cases({"arith.cmpf", "arith.cmpi"}, "compare")
      .Case("arith.constant", "constant")
      .Cases({"arith.extf", "arith.truncf", "arith.sitofp", "arith.uitofp",
              "arith.fptosi", "arith.fptoui"},
             "convert")
      .Case("math.exp", "exp")
      .Case("math.log", "log")
      .Case("math.sin", "sin")
      .Case("math.cos", "cos")
      .Case("math.tanh", "tanh")
      .Case("math.sqrt", "sqrt")
      .Case("math.rsqrt", "rsqrt")
      .Case("math.expm1", "expm1")
      .Case("math.log1p", "log1p")
      .Case("math.powf", "pow")
      .Case("math.absf", "abs")
      .Case("math.floor", "floor")
      .Case("math.round", "round")
      .Case("math.clampf", "clamp")
      .Case("linalg.transpose", "transpose")
      .Case("linalg.broadcast", "broadcast")
      .Case("tensor.dim", "dim")
      .Cases({"tensor.reshape", "tensor.expand_shape", "tensor.collapse_shape"},
             "reshape")
      .Case("tensor.extract_slice", "slice")
      .Case("tensor.pad", "pad")
      .Case("tensor.concat", "concatenate")
      .Case("func.call", "func.call")
      .Default("");
}

/// The name of a structured op, by its body.
static StringRef nameOfStructuredOp(linalg::LinalgOp op) {
  if (linalg::isaContractionOpInterface(op))
    return "dot_general";
  Block *body = op.getBlock();
  if (!body || !llvm::hasNItems(*body, 2) || op.getNumDpsInits() != 1)
    return "";
  StringRef name = nameOfPlainOp(&body->front());
  if (op.getNumReductionLoops() == 0)
    return name;
  return llvm::StringSwitch<StringRef>(name)
      .Case("add", "reduce_sum")
      .Case("maximum", "reduce_max")
      .Case("minimum", "reduce_min")
      .Case("mul", "reduce_prod")
      .Default("");
}

StringRef symshape::primitiveName(Operation *op) {
  if (isa_and_nonnull<SymShapeDialect>(op->getDialect()))
    return op->getName().stripDialect();
  StringRef name = nameOfPlainOp(op);
  if (auto structured = dyn_cast<linalg::LinalgOp>(op); structured)
    if (name.empty())
      name = nameOfStructuredOp(structured);
  if (!name.empty())
    return name;
  // For a node of a model, the name of its op: Conv of `node 'x' (Conv #3)`.
  auto node = op->getLoc()->findInstanceOf<NameLoc>();
  if (node && !describeNode(op->getLoc()).empty())
    return node.getName().strref().rsplit('(').second.split(' ').first;
  return op->getName().getStringRef();
}
