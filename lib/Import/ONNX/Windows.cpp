//===- Windows.cpp - Windows over the last axes, and pools ----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Windows that move over the axes from the third on. The border is padded
// first; what is left is one structured op. Not for: convolutions.
//
//===----------------------------------------------------------------------===//

#include "Windows.h"
#include "Families.h"
#include "Reductions.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

//===----------------------------------------------------------------------===//
// Geometry
//===----------------------------------------------------------------------===//

std::optional<SmallVector<int64_t, 4>>
mlir::symshape::onnx::listAttr(Node &n, StringRef name, size_t count,
                               int64_t otherwise, int64_t least) {
  SmallVector<int64_t, 4> list =
      n.intsAttr(name).value_or(SmallVector<int64_t, 4>(count, otherwise));
  if (list.size() == count &&
      llvm::all_of(list, [&](int64_t value) { return value >= least; }))
    return list;
  (void)n.fail("expected '" + name + "' to be " + Twine(count) +
               " numbers from " + Twine(least));
  return std::nullopt;
}

std::optional<Steps> mlir::symshape::onnx::readSteps(Node &n, size_t count) {
  auto strides = listAttr(n, "strides", count, 1, 1);
  auto dilations = listAttr(n, "dilations", count, 1, 1);
  auto pads = listAttr(n, "pads", 2 * count, 0, 0);
  if (!strides || !dilations || !pads)
    return std::nullopt;
  return Steps{*strides, *dilations, *pads};
}

/// Places of windows without a border of their own: as many as there are steps
/// in the axis; the border is what that takes, the odd one before or after.
static void padSame(Emitter &e, Window &w, size_t i, Expr extent, bool upper) {
  ExprArena &arena = e.arena();
  w.count[i] = arena.ceilDiv(extent, e.constant(w.strides[i]));
  Expr needed = (w.count[i] - 1) * w.strides[i] + w.reach(i) - extent;
  Expr all = e.simplify(arena.max(needed, arena.zero()));
  Expr half = arena.floorDiv(all, e.constant(2));
  w.low[i] = e.simplify(upper ? half : all - half);
  w.high[i] = e.simplify(all - w.low[i]);
}

/// How many windows fit; with `ceil` also one that ends past the border, if it
/// begins before that. With `part`, the only window may end past the border by
/// less than a step: the quotient is rounded up, or to zero as in ONNX Runtime
/// and in the shape inference of ONNX. Where a whole step is missing, a
/// pool has no window; a convolution is refused, as ONNX Runtime does. Other
/// windows that do not fit are refused: of less than a step, the text of the
/// standard makes no window, and its inference one.
static void countWindows(Emitter &e, Window &w, size_t i, Expr extent,
                         bool isPool, bool part, bool ceil) {
  ExprArena &arena = e.arena();
  Expr stride = e.constant(w.strides[i]), one = e.constant(1);
  Expr room = extent + w.low[i] + w.high[i] - w.reach(i);
  bool fits = e.isNonNegative(room);
  // One that fits into the border around one element always does.
  bool mayStickOut =
      part && !fits && w.strides[i] > 1 && !e.isNonNegative(room - extent + 1);
  if (mayStickOut)
    e.require(Relation::ge(e.simplify(arena.min(extent - 1, room + stride)),
                           arena.zero()),
              "a window must fit into the input and its border, but for a step "
              "at most");
  else if (isPool && w.strides[i] == 1 && !e.isNonNegative(room + 1))
    e.require(Relation::ge(room + 1, arena.zero()),
              "a window must fit into the input and its border, but for one "
              "element at most");
  else if (!fits && !(isPool && w.strides[i] == 1))
    e.require(Relation::ge(room, arena.zero()),
              "a window must fit into the input and its border");
  if (ceil && w.strides[i] > 1) {
    // The last one begins inside the input or the border before it.
    Expr all = arena.ceilDiv(room, stride) + 1;
    Expr inside = windowsWithin(extent + w.low[i] - 1, stride);
    w.count[i] = e.simplify(arena.min(all, inside));
  } else {
    Expr all = windowsWithin(room, stride);
    Expr first = arena.min(one, room + stride);
    w.count[i] = mayStickOut ? e.simplify(arena.max(all, first)) : all;
    if (!mayStickOut)
      return;
  }
  Expr needed =
      (w.count[i] - 1) * w.strides[i] + w.reach(i) - extent - w.low[i];
  w.high[i] = e.simplify(arena.max(w.high[i], needed));
}

std::optional<Window> mlir::symshape::onnx::readWindow(Node &n, const Tensor &x,
                                                       ArrayRef<Expr> kernel,
                                                       bool isPool) {
  Emitter &e = n.emit();
  size_t count = kernel.size();
  auto steps = readSteps(n, count);
  if (!steps)
    return std::nullopt;
  Window w;
  w.kernel.assign(kernel.begin(), kernel.end());
  w.strides = steps->strides;
  w.dilations = steps->dilations;
  StringRef mode = n.textAttr("auto_pad", "NOTSET");
  bool isCeil = isPool && n.intAttr("ceil_mode", 0);
  for (size_t i = 0; i < count; ++i) {
    bool explicitPads = mode == "NOTSET" || mode.empty();
    w.low.push_back(e.constant(explicitPads ? steps->pads[i] : 0));
    w.high.push_back(e.constant(explicitPads ? steps->pads[count + i] : 0));
    w.count.push_back(Expr());
    Expr extent = x.dims[i + 2];
    if (mode == "SAME_UPPER" || mode == "SAME_LOWER")
      padSame(e, w, i, extent, mode == "SAME_UPPER");
    else
      countWindows(e, w, i, extent, isPool,
                   isPool && (isCeil || n.opType() != "MaxPool"), isCeil);
  }
  return w;
}

Tensor mlir::symshape::onnx::padWindow(Emitter &e, const Tensor &x,
                                       const Window &w, Value value) {
  SmallVector<Expr, 4> low(x.rank(), e.constant(0)), high(low);
  std::copy(w.low.begin(), w.low.end(), low.begin() + 2);
  std::copy(w.high.begin(), w.high.end(), high.begin() + 2);
  return e.pad(x, value, low, high);
}

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

/// Folds each window: loops are batch, channel, places of windows, places in a
/// window; the latter have no operand except an empty one.
static SmallVector<Tensor> foldWindows(
    Emitter &e, const Tensor &padded, const Window &w, ArrayRef<Tensor> inits,
    llvm::function_ref<SmallVector<Value>(Scalars &, ArrayRef<Value>)> body) {
  OpBuilder &b = e.builder();
  size_t spatial = w.kernel.size();
  unsigned loops = 2 + 2 * spatial;
  SmallVector<AffineExpr> in, out, inside;
  for (unsigned i = 0; i < 2 + spatial; ++i)
    out.push_back(b.getAffineDimExpr(i));
  in = {out[0], out[1]};
  SmallVector<Expr, 4> extents;
  for (size_t i = 0; i < spatial; ++i) {
    AffineExpr k = b.getAffineDimExpr(2 + spatial + i);
    in.push_back(placeRead(w, i, out[2 + i], k));
    inside.push_back(k);
    extents.push_back(w.kernel[i]);
  }
  Tensor shape{e.empty(extents, padded.type), extents, padded.type};
  SmallVector<AffineMap> maps{AffineMap::get(loops, 0, in, e.context()),
                              AffineMap::get(loops, 0, inside, e.context())};
  maps.append(inits.size(), AffineMap::get(loops, 0, out, e.context()));
  SmallVector<bool> isReduction(loops, true);
  std::fill_n(isReduction.begin(), 2 + spatial, false);
  return e.structured({padded, shape}, inits, maps, isReduction, body);
}

static SmallVector<Expr, 4> pooledDims(const Tensor &x, const Window &w) {
  SmallVector<Expr, 4> dims{x.dims[0], x.dims[1]};
  llvm::append_range(dims, w.count);
  return dims;
}

static std::optional<Window> readPool(Node &n, const Tensor &x) {
  auto kernel = n.intsAttr("kernel_shape");
  if (!kernel || x.rank() < 3 ||
      static_cast<int64_t>(kernel->size()) != x.rank() - 2 ||
      llvm::any_of(*kernel, [](int64_t k) { return k < 1; })) {
    (void)n.fail("expected a kernel shape for the axes from the third on");
    return std::nullopt;
  }
  SmallVector<Expr, 4> extents;
  for (int64_t extent : *kernel)
    extents.push_back(n.emit().constant(extent));
  return readWindow(n, x, extents, /*isPool=*/true);
}

static LogicalResult maxPool(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.tensor(0);
  auto w = readPool(n, x);
  if (!w)
    return failure();
  Scalars outside(e.builder(), e.loc());
  bool noSign = isUnsigned(x.type);
  Value least = leastOf(outside, x.type, false);
  Tensor padded = padWindow(e, x, *w, least);
  SmallVector<Expr, 4> dims = pooledDims(x, *w);
  Tensor init = e.fill(dims, x.type, least);
  if (!n.wants(1))
    return n.set(
        0, foldWindows(e, padded, *w, init, [=](Scalars &s, ArrayRef<Value> v) {
             return SmallVector<Value>{s.max(v[2], v[0], noSign)};
           }).front());
  // Places in the whole input, without its border; `column` counts columns
  // first.
  bool column = n.intAttr("storage_order", 0);
  SmallVector<Value> extents, low;
  for (size_t i = 0; i < w->kernel.size(); ++i) {
    extents.push_back(e.index(x.dims[i + 2]));
    low.push_back(e.index(w->low[i]));
  }
  Value channels = e.index(x.dims[1]);
  size_t spatial = w->kernel.size();
  Tensor inits[] = {init, e.fill(dims, DataType::Int64, -1.0)};
  auto results =
      foldWindows(e, padded, *w, inits, [&](Scalars &s, ArrayRef<Value> v) {
        Value at = s.add(s.mul(s.loop(0), channels), s.loop(1));
        Value size = s.index(1), inner = s.index(0);
        Value isInside = s.integer(s.b.getI1Type(), 1);
        for (size_t i = 0; i < spatial; ++i) {
          size_t axis = column ? spatial - 1 - i : i;
          Value o = s.mul(s.loop(2 + axis), s.index(w->strides[axis]));
          Value k =
              s.mul(s.loop(2 + spatial + axis), s.index(w->dilations[axis]));
          Value place = s.sub(s.add(o, k), low[axis]);
          inner = s.add(s.mul(inner, extents[axis]), place);
          isInside = s.logicalAnd(
              isInside, s.less(place, extents[axis], /*isUnsigned=*/true));
          size = s.mul(size, extents[axis]);
        }
        Value place =
            s.fromIndex(s.add(s.mul(at, size), inner), DataType::Int64);
        Value isFirst = s.equal(v[3], s.integer(v[3].getType(), -1));
        // All may be the least number, as the border is.
        Value better = s.logicalAnd(
            isInside, s.logicalOr(isFirst, s.less(v[2], v[0], noSign)));
        return SmallVector<Value>{s.select(better, v[0], v[2]),
                                  s.select(better, place, v[3])};
      });
  return failed(n.set(0, results[0])) ? failure() : n.set(1, results[1]);
}

/// How many elements of a window along axis i count: those of the input, with
/// `border` also those of the border that was asked for.
static Value countInWindow(Scalars &s, const Window &w, size_t i, Value place,
                           Value extent, Value low, Value high, bool border) {
  // Elements k with begin <= o * stride + k * dilation - low < end.
  Value start = s.sub(s.mul(place, s.index(w.strides[i])), low);
  Value begin = border ? s.sub(s.index(0), low) : s.index(0);
  Value end = border ? s.add(extent, high) : extent;
  Value d = s.index(w.dilations[i]), zero = s.index(0);
  auto below = [&](Value bound) { // how many k >= 0 lie before the bound
    Value distance = s.max(s.sub(bound, start), zero);
    Value steps = s.create<arith::CeilDivSIOp>(distance, d);
    return s.min(steps, s.index(*w.kernel[i].asInt64()));
  };
  return s.sub(below(end), below(begin));
}

static LogicalResult averagePool(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.wideTensor(0);
  // The requested border, before a last window that sticks out widens it.
  auto pads = n.intsAttr("pads").value_or(
      SmallVector<int64_t, 4>(2 * std::max<int64_t>(x.rank() - 2, 0), 0));
  auto w = readPool(n, x);
  if (!w)
    return failure();
  Scalars outside(e.builder(), e.loc());
  Type element = elementType(e.context(), x.type);
  Tensor padded = padWindow(e, x, *w, outside.number(element, 0));
  SmallVector<Expr, 4> dims = pooledDims(x, *w);
  Tensor sums = foldWindows(e, padded, *w, e.fill(dims, x.type, 0.0),
                            [](Scalars &s, ArrayRef<Value> v) {
                              return SmallVector<Value>{s.add(v[2], v[0])};
                            })
                    .front();
  bool border = n.intAttr("count_include_pad", 0);
  StringRef mode = n.textAttr("auto_pad", "NOTSET");
  size_t spatial = w->kernel.size();
  SmallVector<Value> extents, low, high;
  for (size_t i = 0; i < spatial; ++i) {
    Expr asked = w->high[i];
    if (!mode.starts_with("SAME"))
      asked = e.constant(mode == "VALID" ? 0 : pads[spatial + i]);
    extents.push_back(e.index(x.dims[i + 2]));
    low.push_back(e.index(w->low[i]));
    high.push_back(e.index(asked));
  }
  Tensor means = e.unary(sums, [&](Scalars &s, Value sum) {
    Value count = s.index(1);
    for (size_t i = 0; i < spatial; ++i)
      count = s.mul(count, countInWindow(s, *w, i, s.loop(2 + i), extents[i],
                                         low[i], high[i], border));
    return s.div(sum, s.fromIndex(count, x.type));
  });
  return n.setRounded(0, means);
}

/// |v|^p.
static Value powerOfSize(Scalars &s, Value v, double p) {
  Value size = s.create<math::AbsFOp>(v);
  return s.create<math::PowFOp>(size, s.number(v.getType(), p));
}

/// Before opset 2 it is a float.
static double readPower(Node &n) {
  return n.opset() < 2 ? n.floatAttr("p", 2) : n.intAttr("p", 2);
}

static LogicalResult lpPool(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.wideTensor(0);
  auto w = readPool(n, x);
  if (!w)
    return failure();
  double p = readPower(n);
  Scalars outside(e.builder(), e.loc());
  Type element = elementType(e.context(), x.type);
  Tensor padded = padWindow(e, x, *w, outside.number(element, 0));
  Tensor sums =
      foldWindows(e, padded, *w, e.fill(pooledDims(x, *w), x.type, 0.0),
                  [=](Scalars &s, ArrayRef<Value> v) {
                    return SmallVector<Value>{
                        s.add(v[2], powerOfSize(s, v[0], p))};
                  })
          .front();
  Tensor roots = e.unary(
      sums, [=](Scalars &s, Value v) { return powerOfSize(s, v, 1 / p); });
  return n.setRounded(0, roots);
}

static LogicalResult
globalPool(Node &n,
           llvm::function_ref<Tensor(const Tensor &, ArrayRef<int64_t>)> f) {
  Tensor x = n.wideTensor(0);
  SmallVector<int64_t> axes;
  for (int64_t i = 2; i < x.rank(); ++i)
    axes.push_back(i);
  return n.setRounded(0, f(x, axes));
}

static LogicalResult globalAveragePool(Node &n) {
  return globalPool(n, [&](const Tensor &x, ArrayRef<int64_t> axes) {
    return meanOf(n.emit(), x, axes, true);
  });
}
static LogicalResult globalMaxPool(Node &n) {
  return globalPool(n, [&](const Tensor &x, ArrayRef<int64_t> axes) {
    return maxOf(n.emit(), x, axes, true);
  });
}
static LogicalResult globalLpPool(Node &n) {
  double p = readPower(n);
  return globalPool(n, [&](const Tensor &x, ArrayRef<int64_t> axes) {
    Emitter &e = n.emit();
    Tensor powers =
        e.unary(x, [=](Scalars &s, Value v) { return powerOfSize(s, v, p); });
    return e.unary(sumOf(e, powers, axes, true), [=](Scalars &s, Value v) {
      return powerOfSize(s, v, 1 / p);
    });
  });
}

void mlir::symshape::onnx::addWindowOps(Registry &registry) {
  registry.add("MaxPool", 1, maxPool);
  registry.add("AveragePool", 1, averagePool);
  registry.add("LpPool", 1, lpPool);
  registry.add("GlobalAveragePool", 1, globalAveragePool);
  registry.add("GlobalMaxPool", 1, globalMaxPool);
  registry.add("GlobalLpPool", 1, globalLpPool);
}
