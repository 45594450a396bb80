//===- Scans.cpp - Windows that reach from the first element --------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// JAX exports a cumulative sum over an open extent as a call whose window is
// as long as its axis. That is a scan: each result is made of the one before
// it. That the window is that long is required. A window whose size is a number
// has open borders.
//
//===----------------------------------------------------------------------===//

#include "Scans.h"
#include "CustomCalls.h"
#include "Reductions.h"
#include "Scalars.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "symshape/IR/SymShape.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::stablehlo;

namespace {
struct DynamicWindow {
  SizeList size, stride, baseDilation, windowDilation, padding;
};
} // namespace

static void requireEqual(Node &n, OpFoldResult p, OpFoldResult q,
                         StringRef text) {
  AssertOp::create(n.b, n.loc, text, {{"p", p}, {"q", q}},
                   "a window must reach over its axis");
}

/// Whether the body is one sum of its arguments.
static bool isSum(Region &body) {
  if (!llvm::hasNItems(body.front(), 2) || body.getNumArguments() != 2)
    return false;
  Operation &first = body.front().front(), &last = body.front().back();
  return first.getName().getStringRef() == "vhlo.add_v1" &&
         first.getNumOperands() == 2 && last.getNumOperands() == 1 &&
         first.getNumResults() == 1 &&
         first.getOperand(0) != first.getOperand(1) &&
         isa<BlockArgument>(first.getOperand(0)) &&
         isa<BlockArgument>(first.getOperand(1)) &&
         last.getOperand(0) == first.getResult(0);
}

/// The scan along an axis; `reverse`: from the last element.
static Value scan(Node &n, Region &body, Value x, Value init, int64_t axis,
                  bool reverse) {
  SmallVector<OpFoldResult> sizes = n.extents(x);
  Value extent = n.index(sizes[axis]), one = n.index(n.b.getIndexAttr(1));
  Scalars s(n.b, n.loc);
  Value last = s.create<arith::SubIOp>(extent, one);
  // Each line with one loop inside, which carries what it has so far.
  SmallVector<OpFoldResult> lines(sizes);
  lines.erase(lines.begin() + axis);
  Value result = n.empty(sizes, init.getType());
  return n.loops(lines, result, [&](ValueRange line, ValueRange outer) {
    SmallVector<Value> inits{outer.front(), init};
    SmallVector<Value> done =
        n.loops(sizes[axis], inits, [&](ValueRange step, ValueRange carried) {
          SmallVector<Value> at(line);
          Value place = reverse ? s.create<arith::SubIOp>(last, step.front())
                                : Value(step.front());
          at.insert(at.begin() + axis, place);
          Value element = tensor::ExtractOp::create(n.b, n.loc, x, at);
          auto sum = n.inlineScalars(body, {carried[1], element});
          bool fits = succeeded(sum) && sum->size() == 1 &&
                      sum->front().getType() == init.getType();
          if (!fits)
            (void)n.fail("expected a body that gives one element");
          Value next = fits ? sum->front() : element;
          return SmallVector<Value>{
              tensor::InsertOp::create(n.b, n.loc, next, carried[0], at), next};
        });
    return SmallVector<Value>{done.front()};
  })[0];
}

/// The window, if all but its borders are numbers.
static std::optional<Window> findFixedWindow(const DynamicWindow &given) {
  auto take = [](const SizeList &list, SmallVector<int64_t> &numbers) {
    for (const Size &size : list)
      if (std::optional<int64_t> number = getConstantIntValue(size.value))
        numbers.push_back(*number);
    return numbers.size() == list.size();
  };
  Window w;
  if (!take(given.size, w.size) || !take(given.stride, w.stride) ||
      !take(given.baseDilation, w.baseDilation) ||
      !take(given.windowDilation, w.windowDilation))
    return std::nullopt;
  for (size_t i = 0; i < given.padding.size(); i += 2) {
    w.low.push_back(given.padding[i].value);
    w.high.push_back(given.padding[i + 1].value);
  }
  return w;
}

static LogicalResult importWindow(Node &n, const DynamicWindow &given,
                                  Region &body) {
  int64_t rank = n.rank(0);
  Value x = n.tensor(0), init = n.scalar(1);
  if (!x || !init || init.getType() != getElementTypeOrSelf(x))
    return n.fail("expected an initial value of the type of the operand");
  if (std::optional<Window> fixed = findFixedWindow(given))
    return fixed->check(n) ? reduceWindows(n, x, init, *fixed, body)
                           : failure();
  std::optional<int64_t> open;
  for (int64_t i = 0; i < rank; ++i) {
    auto is = [&](const Size &size, int64_t value) {
      return getConstantIntValue(size.value) == value;
    };
    if (!is(given.stride[i], 1) || !is(given.baseDilation[i], 1) ||
        !is(given.windowDilation[i], 1))
      return n.fail("expected strides and dilations of 1");
    if (is(given.size[i], 1) && is(given.padding[2 * i], 0) &&
        is(given.padding[2 * i + 1], 0))
      continue;
    if (open)
      return n.fail("expected a window along one axis");
    open = i;
  }
  if (!open)
    return n.fail("expected a window along one axis");
  OpFoldResult extent = n.extent(x, *open),
               low = given.padding[2 * *open].value,
               high = given.padding[2 * *open + 1].value;
  bool reverse = getConstantIntValue(low) == 0;
  if (!reverse && getConstantIntValue(high) != 0)
    return n.fail("expected a window that begins or ends at its element");
  requireEqual(n, given.size[*open].value, extent, "p == q");
  requireEqual(n, reverse ? high : low, extent, "p + 1 == q");
  Type element = init.getType();
  bool isZero = element.isIntOrFloat() && !element.isInteger(1) && isSum(body);
  if (isZero) {
    Attribute value;
    isZero =
        matchPattern(init, m_Constant(&value)) &&
        (matchPattern(init, m_AnyZeroFloat()) || matchPattern(init, m_Zero()));
  }
  if (isZero)
    return n.set(0,
                 CumsumOp::create(n.b, n.loc, x.getType(), x, *open, reverse));
  Value result = scan(n, body, x, init, *open, reverse);
  return n.hasFailed() ? failure() : n.set(0, result);
}

LogicalResult mlir::symshape::stablehlo::dynamicReduceWindow(Node &n) {
  if (n.count() != 7 || n.op->getNumResults() != 1 || !n.type(0))
    return n.fail("expected one operand, its initial value and five lists");
  int64_t rank = n.rank(0);
  auto size = n.list(2, rank), stride = n.list(3, rank), base = n.list(4, rank),
       dilation = n.list(5, rank), padding = n.list(6, 2 * rank);
  if (!size || !stride || !base || !dilation || !padding)
    return failure();
  Region *body = calledComputation(n);
  if (!body)
    return failure();
  return importWindow(n, {*size, *stride, *base, *dilation, *padding}, *body);
}
