//===- TosaWindowRules.cpp - Rules of tosa ops with windows ---------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Convolutions, pools and resize, with channels last. A window must fit into
// the padded input, and the last one must end where it ends: steps divide the
// rest. Specification: TOSA 1.0, ERROR_IF of each op.
//
//===----------------------------------------------------------------------===//

#include "TosaRules.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "symshape/IR/WindowExtents.h"

using namespace mlir;
using namespace mlir::symshape;

/// `e` without the multiples of `step` in its constant: of H - 2, H if the step
/// is 2. It divides both or neither.
static Expr withoutMultiples(Expr e, Expr step) {
  std::optional<int64_t> n = step.asInt64();
  if (!n || *n < 1)
    return e;
  for (const Expr::Term &term : e.terms())
    if (term.powers.empty())
      return e - e.arena().constant(
                     term.coefficient -
                     llvm::mod(term.coefficient, llvm::DynamicAPInt(*n)));
  return e;
}

/// Requires that `step` divides `e`. Of an exact quotient, this is said of the
/// dividend: 2 divides H floordiv 2 where 4 divides H, if 2 divides H. In a
/// chain of strides the last requirement then implies the others.
static void requireDivides(ShapeFacts &facts, Expr step, Expr e,
                           const Twine &field) {
  e = withoutMultiples(e, step);
  while (Atom atom = e.asAtom()) {
    if (atom.kind() != AtomKind::FloorDiv)
      break;
    Expr whole = atom.operands()[0], divisor = atom.operands()[1];
    std::optional<int64_t> d = divisor.asInt64();
    if (!d || *d < 1 ||
        !facts.constraints().isProvably(Relation::divides(divisor, whole)))
      break;
    step = step * divisor;
    e = withoutMultiples(whole, step);
  }
  facts.require(Relation::divides(step, e), field);
}

/// `distance / step + 1`, which must be exact, of a distance from 0.
static Expr countPlaces(ShapeFacts &facts, Expr distance, Expr step,
                        StringRef axis, StringRef wanted) {
  requireAtLeast(facts, distance, 0, wanted + " in " + axis);
  if (!step.isConstant(1))
    requireDivides(facts, step, distance, "stride in " + axis);
  return windowsWithin(distance, step);
}

/// How many windows there are along an axis.
static Expr countWindows(ShapeFacts &facts, Expr extent, int64_t padding,
                         Expr reach, int64_t stride, StringRef axis) {
  return countPlaces(facts, extent + padding - reach, facts.constant(stride),
                     axis, "kernel");
}

/// The names of the last axes before the channels.
static ArrayRef<StringRef> spatialAxes(size_t count) {
  static const StringRef names[] = {"depth", "height", "width"};
  return ArrayRef(names).take_back(count);
}

/// Requires one number per channel, or one for all.
static void requireBias(Operation *op, ShapeFacts &facts, Value bias,
                        Expr channels) {
  if (areRankedTensors(bias))
    requireExpandsTo(op, facts, facts.dim(bias, 0), channels, "bias");
}

/// `kernelDim` is the first spatial axis of the weights.
static void setConvolution(Operation *op, ShapeFacts &facts, Value bias,
                           unsigned kernelDim, ArrayRef<int64_t> pad,
                           ArrayRef<int64_t> stride, ArrayRef<int64_t> dilation,
                           Expr channels) {
  Value input = op->getOperand(0), weights = op->getOperand(1),
        output = op->getResult(0);
  setOrRequire(facts, output, 0, facts.dim(input, 0), "batch dimension");
  for (auto [i, axis] : llvm::enumerate(spatialAxes(stride.size()))) {
    Expr kernel = facts.dim(weights, kernelDim + i);
    requireAtLeast(facts, kernel, 1, "kernel in " + axis);
    Expr count = countWindows(facts, facts.dim(input, 1 + i),
                              pad[2 * i] + pad[2 * i + 1],
                              spanOf(kernel, dilation[i]), stride[i], axis);
    setOrRequire(facts, output, 1 + i, count,
                 "result dimension " + Twine(1 + i));
  }
  int64_t last = stride.size() + 1;
  setOrRequire(facts, output, last, channels,
               "result dimension " + Twine(last));
  requireBias(op, facts, bias, channels);
}

/// Weights are (output channels, spatial axes, input channels).
template <typename OpTy>
static void convRule(OpTy op, ShapeFacts &facts) {
  Value input = op.getInput(), weights = op.getWeight();
  if (!areRankedTensors({input, weights, op.getOutput()}))
    return;
  int64_t last = cast<ShapedType>(input.getType()).getRank() - 1;
  requireEqual(facts, facts.dim(input, last), facts.dim(weights, last),
               "input channels");
  setConvolution(op, facts, op.getBias(), /*kernelDim=*/1, op.getPad(),
                 op.getStride(), op.getDilation(), facts.dim(weights, 0));
}

/// Weights are (height, width, input channels, multiplier).
static void depthwiseRule(tosa::DepthwiseConv2DOp op, ShapeFacts &facts) {
  Value input = op.getInput(), weights = op.getWeight();
  if (!areRankedTensors({input, weights, op.getOutput()}))
    return;
  requireEqual(facts, facts.dim(input, 3), facts.dim(weights, 2),
               "input channels");
  setConvolution(op, facts, op.getBias(), /*kernelDim=*/0, op.getPad(),
                 op.getStride(), op.getDilation(),
                 facts.dim(weights, 2) * facts.dim(weights, 3));
}

/// Padding may be negative: it takes from what the windows cover.
static void transposeConvRule(tosa::TransposeConv2DOp op, ShapeFacts &facts) {
  Value input = op.getInput(), weights = op.getWeight(),
        output = op.getOutput();
  if (!areRankedTensors({input, weights, output}))
    return;
  requireEqual(facts, facts.dim(input, 3), facts.dim(weights, 3),
               "input channels");
  setOrRequire(facts, output, 0, facts.dim(input, 0), "batch dimension");
  ArrayRef<int64_t> pad = op.getOutPad(), stride = op.getStride();
  for (auto [i, axis] : llvm::enumerate(spatialAxes(2))) {
    Expr kernel = facts.dim(weights, 1 + i), extent = facts.dim(input, 1 + i);
    requireAtLeast(facts, kernel, 1, "kernel in " + axis);
    requireAtLeast(facts, extent, 1, "input " + axis.str());
    Expr count = transposedExtent(extent, kernel, stride[i], /*dilation=*/1) +
                 pad[2 * i] + pad[2 * i + 1];
    requireAtLeast(facts, count, 1, "padding in " + axis.str());
    setOrRequire(facts, output, 1 + i, count,
                 "result dimension " + Twine(1 + i));
  }
  setOrRequire(facts, output, 3, facts.dim(weights, 0), "result dimension 3");
  requireBias(op, facts, op.getBias(), facts.dim(weights, 0));
}

template <typename OpTy>
static void poolRule(OpTy op, ShapeFacts &facts) {
  Value input = op.getInput(), output = op.getOutput();
  if (!areRankedTensors({input, output}))
    return;
  ArrayRef<int64_t> kernel = op.getKernel(), pad = op.getPad();
  setOrRequire(facts, output, 0, facts.dim(input, 0), "batch dimension");
  for (auto [i, axis] : llvm::enumerate(spatialAxes(2))) {
    Expr count = countWindows(
        facts, facts.dim(input, 1 + i), pad[2 * i] + pad[2 * i + 1],
        facts.constant(kernel[i]), op.getStride()[i], axis);
    setOrRequire(facts, output, 1 + i, count,
                 "result dimension " + Twine(1 + i));
  }
  setOrRequire(facts, output, 3, facts.dim(input, 3), "result dimension 3");
}

/// What the specification asks of a scale of n / d, and of where the first and
/// the last place are read, in nths.
static void requireScale(ShapeFacts &facts, Expr n, Expr d, Expr offset,
                         Expr border, StringRef axis) {
  requireAtLeast(facts, n, 1, "scale in " + axis);
  requireAtLeast(facts, d, 1, "scale in " + axis);
  auto requireFrom = [&](Expr e, Expr low, Expr end, const Twine &field) {
    facts.require(Relation::le(low, e), field + " in " + axis);
    facts.require(Relation::le(e, end - 1), field + " in " + axis);
  };
  facts.require(Relation::le(n, facts.constant(2048)), "scale in " + axis);
  facts.require(Relation::le(d, n * 16 - 1), "scale in " + axis);
  requireFrom(offset, n * -1, n * 16, "offset");
  requireFrom(border, n * -16, n, "border");
}

/// Extents that are known are below the specification's limit. Of others, no
/// guard asks for it: it is one of devices.
static void requireBelowLimit(ShapeFacts &facts, Expr extent, StringRef axis) {
  if (extent.asInt64())
    facts.require(Relation::le(extent, facts.constant(16383)),
                  "largest " + axis);
}

/// Place `o` of the result is place `(o * d + offset) / n` of the input, for a
/// scale of n / d.
static void resizeRule(tosa::ResizeOp op, ShapeFacts &facts) {
  Value input = op.getInput(), output = op.getOutput();
  if (!areRankedTensors({input, output}))
    return;
  setOrRequire(facts, output, 0, facts.dim(input, 0), "batch dimension");
  setOrRequire(facts, output, 3, facts.dim(input, 3), "result dimension 3");
  for (auto [i, axis] : llvm::enumerate(spatialAxes(2))) {
    Expr n = shapeElement(facts, op.getScale(), 2 * i);
    Expr d = shapeElement(facts, op.getScale(), 2 * i + 1);
    Expr offset = shapeElement(facts, op.getOffset(), i);
    Expr border = shapeElement(facts, op.getBorder(), i);
    if (!n || !d || !offset || !border)
      continue;
    Expr extent = facts.dim(input, 1 + i);
    requireScale(facts, n, d, offset, border, axis);
    requireAtLeast(facts, extent, 1, "input " + axis);
    requireBelowLimit(facts, extent, axis);
    requireBelowLimit(facts, facts.dim(output, 1 + i), axis);
    Expr count = countPlaces(facts, (extent - 1) * n - offset + border, d, axis,
                             "border");
    setOrRequire(facts, output, 1 + i, count,
                 "result dimension " + Twine(1 + i));
  }
}

void symshape::attachTosaWindowRules(MLIRContext *context) {
  attachRule<tosa::AvgPool2dOp, poolRule<tosa::AvgPool2dOp>>(context);
  attachRule<tosa::Conv2DOp, convRule<tosa::Conv2DOp>>(context);
  attachRule<tosa::Conv3DOp, convRule<tosa::Conv3DOp>>(context);
  attachRule<tosa::DepthwiseConv2DOp, depthwiseRule>(context);
  attachRule<tosa::MaxPool2dOp, poolRule<tosa::MaxPool2dOp>>(context);
  attachRule<tosa::ResizeOp, resizeRule>(context);
  attachRule<tosa::TransposeConv2DOp, transposeConvRule>(context);
}
