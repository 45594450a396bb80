//===- Resize.cpp - Other numbers of pixels -------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One axis after the other: each is a sum of a few weighted elements near the
// place in the input that an element of the result has.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

namespace {
struct ResizeMode {
  StringRef kind;       ///< nearest, linear, cubic
  StringRef coordinate; ///< how places correspond
  StringRef rounding;   ///< of nearest
  double a;             ///< of cubic
  double outside;       ///< for tf_crop_and_resize
  bool antialias, excludeOutside;
};

/// What happens to one axis.
struct AxisResize {
  int64_t axis;
  Expr size;
  std::optional<double> scale; ///< the exact one, if it is known
  Value scaleValue;            ///< f64
  double roiStart = 0, roiEnd = 1;
};
} // namespace

/// The fraction that a scale of f32 stands for, of a small divisor.
static std::optional<std::pair<int64_t, int64_t>> toFraction(double scale) {
  for (int64_t q = 1; q <= 64; ++q) {
    double p = std::round(scale * q);
    if (p >= 1 && p < 1e6 &&
        static_cast<float>(p / q) == static_cast<float>(scale))
      return std::pair<int64_t, int64_t>(p, q);
  }
  return std::nullopt;
}

/// floor(extent * scale).
static Expr scaledExtent(Node &n, Expr extent, double scale) {
  Emitter &e = n.emit();
  if (auto fraction = toFraction(scale))
    return e.arena().floorDiv(extent * fraction->first,
                              e.constant(fraction->second));
  if (extent.asInt64())
    return e.constant(
        static_cast<int64_t>(std::floor(*extent.asInt64() * scale)));
  return Expr();
}

/// The place in the input of element `x` of the result, as f64.
static Value placeOf(Scalars &s, const ResizeMode &mode, const AxisResize &r,
                     Value x, Value in, Value out) {
  auto num = [&](double value) { return s.number(s.b.getF64Type(), value); };
  auto f = [&](Value index) { return s.fromIndex(index, DataType::Double); };
  Value at = f(x), half = num(0.5), one = num(1);
  auto halfPixel = [&] {
    return s.sub(s.div(s.add(at, half), r.scaleValue), half);
  };
  StringRef kind = mode.coordinate;
  if (kind == "asymmetric")
    return s.div(at, r.scaleValue);
  Value isOne = s.equal(out, s.index(1));
  Value span = s.sub(f(in), one);
  Value steps = s.select(isOne, one, s.sub(f(out), one));
  if (kind == "align_corners") {
    // The length before it was rounded down.
    Value whole = s.mul(f(in), r.scaleValue);
    Value isSingle = s.equal(whole, one);
    Value rest = s.select(isSingle, one, s.sub(whole, one));
    return s.select(isSingle, num(0), s.div(s.mul(at, span), rest));
  }
  if (kind == "pytorch_half_pixel")
    return s.select(isOne, num(0), halfPixel());
  if (kind == "tf_crop_and_resize") {
    Value start = s.mul(num(r.roiStart), span);
    Value width = s.mul(num(r.roiEnd - r.roiStart), span);
    Value middle = s.mul(num(0.5 * (r.roiStart + r.roiEnd)), span);
    return s.select(isOne, middle,
                    s.add(start, s.div(s.mul(at, width), steps)));
  }
  if (kind == "half_pixel_symmetric") {
    Value adjustment = s.div(f(out), s.mul(f(in), r.scaleValue));
    Value center = s.div(f(in), num(2));
    Value offset = s.mul(center, s.sub(one, adjustment));
    return s.add(offset, halfPixel());
  }
  return halfPixel();
}

static Value nearestTo(Scalars &s, StringRef rounding, Value x) {
  Value half = s.number(x.getType(), 0.5);
  if (rounding == "floor")
    return s.create<math::FloorOp>(x);
  if (rounding == "ceil")
    return s.create<math::CeilOp>(x);
  if (rounding == "round_prefer_ceil")
    return s.create<math::FloorOp>(s.add(x, half));
  return s.create<math::CeilOp>(s.sub(x, half));
}

/// The weight of an element at a distance.
static Value kernel(Scalars &s, const ResizeMode &mode, Value distance) {
  auto num = [&](double value) { return s.number(s.b.getF64Type(), value); };
  Value t = s.create<math::AbsFOp>(distance);
  if (mode.kind == "linear")
    return s.max(num(0), s.sub(num(1), t));
  // (a+2)t^3 - (a+3)t^2 + 1 up to 1; a t^3 - 5a t^2 + 8a t - 4a up to 2.
  double a = mode.a;
  Value t2 = s.mul(t, t), t3 = s.mul(t2, t);
  Value inner =
      s.add(s.sub(s.mul(num(a + 2), t3), s.mul(num(a + 3), t2)), num(1));
  Value outer = s.sub(s.add(s.sub(s.mul(num(a), t3), s.mul(num(5 * a), t2)),
                            s.mul(num(8 * a), t)),
                      num(4 * a));
  Value result = s.select(s.lessOrEqual(t, num(1)), inner, outer);
  return s.select(s.less(t, num(2)), result, num(0));
}

static Value clampIndex(Scalars &s, Value i, Value extent) {
  Value last = s.sub(extent, s.index(1));
  return s.max(s.index(0), s.min(i, last));
}

/// A sum of elements near the place, weighted by the kernel.
static Value interpolate(Scalars &s, const Tensor &x, const ResizeMode &mode,
                         const AxisResize &r, ArrayRef<Value> at, Value place,
                         Value in) {
  double stretch = mode.antialias && r.scale ? std::min(*r.scale, 1.0) : 1;
  double reach = (mode.kind == "linear" ? 1 : 2) / stretch;
  int64_t low = static_cast<int64_t>(std::floor(-reach)) + 1;
  int64_t high = static_cast<int64_t>(std::ceil(reach));
  bool normalizes = mode.excludeOutside || stretch != 1;
  Type f64 = s.b.getF64Type();
  Value base = s.create<math::FloorOp>(place), rest = s.sub(place, base);
  Value first = s.toIndex(s.cast(base, DataType::Double, DataType::Int64),
                          DataType::Int64);
  Value sum = s.number(f64, 0), all = sum;
  for (int64_t k = low; k <= high; ++k) {
    Value distance =
        s.mul(s.sub(s.number(f64, k), rest), s.number(f64, stretch));
    Value weight = kernel(s, mode, distance);
    Value i = s.add(first, s.index(k));
    if (mode.excludeOutside) {
      Value inside = s.logicalAnd(s.lessOrEqual(s.index(0), i), s.less(i, in));
      weight = s.select(inside, weight, s.number(f64, 0));
    }
    SmallVector<Value> from(at);
    from[r.axis] = clampIndex(s, i, in);
    Value element = s.cast(Emitter::at(s, x, from), x.type, DataType::Double);
    sum = s.add(sum, s.mul(weight, element));
    all = s.add(all, weight);
  }
  return normalizes ? s.div(sum, all) : sum;
}

static Tensor resizeAxis(Emitter &e, const Tensor &x, const ResizeMode &mode,
                         const AxisResize &r) {
  SmallVector<Expr, 4> dims(x.dims);
  dims[r.axis] = r.size;
  Value in = e.index(x.dims[r.axis]), out = e.index(r.size);
  // Whole multiples, as most models ask for: no floats.
  bool isWhole = mode.kind == "nearest" && mode.coordinate == "asymmetric" &&
                 mode.rounding == "floor" && r.scale && *r.scale >= 1 &&
                 *r.scale == std::floor(*r.scale);
  return e.generate(dims, x.type, [&](Scalars &s, ArrayRef<Value> at) {
    SmallVector<Value> from(at);
    if (isWhole) {
      from[r.axis] = s.create<arith::DivUIOp>(
          at[r.axis], s.index(static_cast<int64_t>(*r.scale)));
      return Emitter::at(s, x, from);
    }
    Value place = placeOf(s, mode, r, at[r.axis], in, out);
    Value result;
    if (mode.kind == "nearest") {
      Value near = s.toIndex(s.cast(nearestTo(s, mode.rounding, place),
                                    DataType::Double, DataType::Int64),
                             DataType::Int64);
      from[r.axis] = clampIndex(s, near, in);
      result = Emitter::at(s, x, from);
    } else {
      result = s.cast(interpolate(s, x, mode, r, at, place, in),
                      DataType::Double, x.type);
    }
    if (mode.coordinate != "tf_crop_and_resize")
      return result;
    Value last =
        s.sub(s.fromIndex(in, DataType::Double), s.number(place.getType(), 1));
    Value outside = s.logicalOr(s.less(place, s.number(place.getType(), 0)),
                                s.less(last, place));
    return s.select(outside, s.number(result.getType(), mode.outside), result);
  });
}

/// Sizes that keep the ratio of the axes: all scales are the least or the
/// greatest of them.
static bool keepRatio(Node &n, const Tensor &x, StringRef policy,
                      ArrayRef<int64_t> axes, SmallVectorImpl<Expr> &sizes,
                      std::optional<double> &scale) {
  if (policy == "stretch")
    return true;
  for (auto [axis, size] : llvm::zip(axes, sizes)) {
    if (!size.asInt64() || !x.dims[axis].asInt64() || !*x.dims[axis].asInt64())
      return failed(n.fail("expected constant extents to keep their ratio")) &&
             false;
    double own = static_cast<double>(*size.asInt64()) / *x.dims[axis].asInt64();
    if (!scale)
      scale = own;
    scale =
        policy == "not_larger" ? std::min(*scale, own) : std::max(*scale, own);
  }
  for (auto [axis, size] : llvm::zip(axes, sizes))
    size = n.emit().constant(static_cast<int64_t>(
        std::floor(*scale * *x.dims[axis].asInt64() + 0.5)));
  return true;
}

static std::optional<SmallVector<AxisResize>> readAxes(Node &n, const Tensor &x,
                                                       const ResizeMode &mode) {
  Emitter &e = n.emit();
  SmallVector<int64_t, 4> axes;
  for (int64_t i = 0; i < x.rank(); ++i)
    axes.push_back(i);
  if (auto given = n.intsAttr("axes")) {
    axes = *given;
    for (int64_t &axis : axes) {
      auto counted = n.axis(axis, x.rank());
      if (!counted)
        return std::nullopt;
      axis = *counted;
    }
  }
  SmallVector<AxisResize> all;
  auto refuse = [&](const Twine &message) {
    (void)n.fail(message);
    return std::nullopt;
  };
  bool bySize = n.has(3);
  SmallVector<Expr, 4> sizes;
  SmallVector<double, 4> scales;
  std::optional<double> common;
  if (bySize) {
    auto given = n.ints(3);
    if (!given)
      return std::nullopt;
    sizes = *given;
    if (sizes.size() != axes.size())
      return refuse("expected a size for each axis");
    if (!keepRatio(n, x, n.textAttr("keep_aspect_ratio_policy", "stretch"),
                   axes, sizes, common))
      return std::nullopt;
  } else {
    auto given = n.neededNumbers(2);
    if (!given)
      return std::nullopt;
    scales = *given;
    if (scales.size() != axes.size())
      return refuse("expected a scale for each axis");
  }
  std::optional<SmallVector<double, 4>> roi;
  if (mode.coordinate == "tf_crop_and_resize") {
    roi = n.neededNumbers(1);
    if (!roi || roi->size() != 2 * axes.size())
      return refuse("expected a region of interest for each axis");
  }
  for (auto [i, axis] : llvm::enumerate(axes)) {
    AxisResize r;
    r.axis = axis;
    Expr extent = x.dims[axis];
    Scalars s(e.builder(), e.loc());
    if (bySize) {
      r.size = sizes[i];
      r.scale = common;
      if (!common && r.size.asInt64() && extent.asInt64() && *extent.asInt64())
        r.scale = static_cast<double>(*r.size.asInt64()) / *extent.asInt64();
    } else {
      r.scale = scales[i];
      r.size = scales[i] > 0 ? scaledExtent(n, extent, scales[i]) : Expr();
      if (!r.size)
        return refuse("expected a scale that is a fraction, but got " +
                      std::to_string(scales[i]));
    }
    if (roi) {
      r.roiStart = (*roi)[i];
      r.roiEnd = (*roi)[axes.size() + i];
    }
    if (r.size == extent && (!r.scale || *r.scale == 1) && !roi)
      continue;
    r.scaleValue = r.scale
                       ? s.number(s.b.getF64Type(), *r.scale)
                       : s.div(s.fromIndex(e.index(r.size), DataType::Double),
                               s.fromIndex(e.index(extent), DataType::Double));
    if (mode.antialias && !r.scale)
      return refuse("expected constant extents for antialiasing");
    if (!e.isProvably(Relation::ge(extent, e.constant(1))) && bySize)
      e.require(Relation::ge(extent, e.constant(1)),
                "there is nothing to resize in an empty axis");
    all.push_back(r);
  }
  return all;
}

static LogicalResult resize(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.tensor(0);
  ResizeMode mode{n.textAttr("mode", "nearest"),
                  n.textAttr("coordinate_transformation_mode", "half_pixel"),
                  n.textAttr("nearest_mode", "round_prefer_floor"),
                  n.floatAttr("cubic_coeff_a", -0.75),
                  n.floatAttr("extrapolation_value", 0),
                  n.intAttr("antialias", 0) != 0,
                  n.intAttr("exclude_outside", 0) != 0};
  if (mode.kind != "nearest" && mode.kind != "linear" && mode.kind != "cubic")
    return n.fail("expected a known mode, but got '" + mode.kind + "'");
  auto axes = readAxes(n, x, mode);
  if (!axes)
    return failure();
  for (const AxisResize &r : *axes)
    x = resizeAxis(e, x, mode, r);
  return n.set(0, x);
}

void mlir::symshape::onnx::addResizeOps(Registry &registry) {
  registry.add("Resize", 1, resize);
  registry.add("Upsample", 1, resize); // never comes as such
}
