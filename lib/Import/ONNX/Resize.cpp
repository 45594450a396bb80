//===- Resize.cpp - Other numbers of pixels -------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the places of a result lie in the input, and which elements near them
// count how much, as tables for symshape.resample.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "Normalise.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "symshape/IR/ResampleOps.h"

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

struct Fraction {
  int64_t p, q;
};

/// What happens to one axis. Extents and places follow from one scale, p/q: a
/// place is computed as x*q/p, which is exact where the result is an integer.
struct AxisResize {
  int64_t axis;
  Expr size;
  std::optional<Fraction> scale; ///< if it is known
  Value p, q;                    ///< f64
  double roiStart = 0, roiEnd = 1;
};
} // namespace

/// The simplest fraction between lo and hi, both >= 0 and given as fractions:
/// that with the least denominator, and of these the least numerator.
static Fraction simplestBetween(Fraction lo, Fraction hi) {
  int64_t whole = lo.p / lo.q;
  // The next integer lies below hi.
  if (whole < hi.p / hi.q - (hi.p % hi.q == 0))
    return {whole + 1, 1};
  // Both are in (whole, whole + 1], and 1 / (x - whole) turns their order.
  Fraction below{hi.q, hi.p - whole * hi.q}, above{lo.q, lo.p - whole * lo.q};
  if (above.q == 0) // lo is an integer: whole + 1/k for the least k that fits
    return {whole * (below.p / below.q + 1) + 1, below.p / below.q + 1};
  Fraction rest = simplestBetween(below, above);
  return {whole * rest.p + rest.q, rest.p};
}

/// The fraction that a scale of f32 stands for: of all that round to it, the
/// simplest. So 1/3, 0.1 and 320/441 are what the exporter rounded.
static Fraction toFraction(double scale) {
  int exponent;
  double mantissa = std::frexp(scale, &exponent); // 24 bits, in [1/2, 1)
  if (exponent > 24)
    return {static_cast<int64_t>(std::min(scale, 0x1p62)), 1};
  if (exponent < -30)
    return {1, static_cast<int64_t>(std::min(std::round(1 / scale), 0x1p62))};
  auto digits = static_cast<int64_t>(std::ldexp(mantissa, 24));
  int64_t q = int64_t(1) << (25 - exponent);
  return simplestBetween({2 * digits - 1, q}, {2 * digits + 1, q});
}

/// The place in the input of element `x` of the result, as f64.
static Value placeOf(Scalars &s, const ResizeMode &mode, const AxisResize &r,
                     Value x, Value in, Value out) {
  auto num = [&](double value) { return s.number(s.b.getF64Type(), value); };
  auto f = [&](Value index) { return s.fromIndex(index, DataType::Double); };
  Value at = f(x), half = num(0.5), one = num(1);
  auto unscale = [&](Value v) { return s.div(s.mul(v, r.q), r.p); };
  auto halfPixel = [&] { return s.sub(unscale(s.add(at, half)), half); };
  // The length of the result before rounding down.
  auto whole = [&] { return s.div(s.mul(f(in), r.p), r.q); };
  StringRef kind = mode.coordinate;
  if (kind == "asymmetric")
    return unscale(at);
  Value isOne = s.equal(out, s.index(1));
  Value span = s.sub(f(in), one);
  Value steps = s.select(isOne, one, s.sub(f(out), one));
  if (kind == "align_corners") {
    Value isSingle = s.equal(whole(), one);
    Value rest = s.select(isSingle, one, s.sub(whole(), one));
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
    Value adjustment = s.div(f(out), whole());
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

/// Where elements of the result are read from, along one axis.
static Tensor makeNearest(Emitter &e, const Tensor &x, const ResizeMode &mode,
                          const AxisResize &r) {
  Value in = e.index(x.dims[r.axis]), out = e.index(r.size);
  return e.generate({e.constant(1), r.size}, DataType::Int64,
                    [&](Scalars &s, ArrayRef<Value> at) {
                      Value place = placeOf(s, mode, r, at[1], in, out);
                      return s.cast(nearestTo(s, mode.rounding, place),
                                    DataType::Double, DataType::Int64);
                    });
}

namespace {
/// How far the kernel reaches along an axis. If that gets shorter, and with
/// `antialias`, the kernel gets longer by as much: how many elements it reaches
/// is known only at run time.
struct Reach {
  Expr taps;
  Value width, stretch; ///< stretch: null for 1
};
} // namespace

static Reach makeReach(Emitter &e, const ResizeMode &mode,
                       const AxisResize &r) {
  Scalars s(e.builder(), e.loc());
  int64_t width = mode.kind == "linear" ? 1 : 2;
  if (!mode.antialias)
    return {e.constant(2 * width), s.index(width), Value()};
  Value stretch = s.min(s.div(r.p, r.q), f64(s, 1));
  Value longer = s.create<math::CeilOp>(s.div(f64(s, width), stretch));
  longer = s.toIndex(s.cast(longer, DataType::Double, DataType::Int64),
                     DataType::Int64);
  Value taps = s.max(s.add(longer, longer), s.index(0));
  return {e.bind(taps, "_v"), longer, stretch};
}

/// Elements before, at and after the place, as many as the kernel reaches, and
/// the weight of each.
static SmallVector<Tensor> makeTaps(Emitter &e, const Tensor &x,
                                    const ResizeMode &mode,
                                    const AxisResize &r) {
  Value in = e.index(x.dims[r.axis]), out = e.index(r.size);
  Reach reach = makeReach(e, mode, r);
  SmallVector<Expr, 4> dims{reach.taps, r.size};
  Tensor inits[] = {{e.empty(dims, DataType::Int64), dims, DataType::Int64},
                    {e.empty(dims, DataType::Double), dims, DataType::Double}};
  AffineMap identity = e.builder().getMultiDimIdentityMap(2);
  return e.structured(
      {}, inits, {identity, identity}, {false, false},
      [&](Scalars &s, ArrayRef<Value>) {
        Value place = placeOf(s, mode, r, s.loop(1), in, out);
        Value base = s.create<math::FloorOp>(place), rest = s.sub(place, base);
        Value offset = s.add(s.sub(s.loop(0), reach.width), s.index(1));
        Value distance = s.sub(toF64(s, offset), rest);
        if (reach.stretch)
          distance = s.mul(distance, reach.stretch);
        Value weight = kernel(s, mode, distance);
        Value i = s.add(s.cast(base, DataType::Double, DataType::Int64),
                        s.fromIndex(offset, DataType::Int64));
        if (mode.excludeOutside) {
          Value at = s.toIndex(i, DataType::Int64);
          Value inside =
              s.logicalAnd(s.lessOrEqual(s.index(0), at), s.less(at, in));
          weight = s.select(inside, weight, f64(s, 0));
        }
        return SmallVector<Value>{i, weight};
      });
}

static Tensor resample(Emitter &e, const Tensor &x, ArrayRef<AxisResize> axes,
                       ValueRange places, ValueRange weights) {
  SmallVector<Expr, 4> dims(x.dims);
  SmallVector<int64_t> numbers;
  for (const AxisResize &r : axes) {
    dims[r.axis] = r.size;
    numbers.push_back(r.axis);
  }
  DataType type = weights.empty() ? x.type : DataType::Double;
  return {ResampleOp::create(e.builder(), e.loc(), e.typeOf(dims, type),
                             x.value, places, weights, numbers),
          dims, type};
}

/// A table for the places along one axis, as a tensor that the others repeat.
static Tensor alongAxis(Emitter &e, const Tensor &x, const Tensor &table,
                        const AxisResize &r) {
  SmallVector<Expr, 4> shape(x.rank(), e.constant(1));
  shape[r.axis] = r.size;
  return e.reshape(table, shape);
}

/// Sums of elements near the places, weighted by the kernel.
static Tensor interpolate(Emitter &e, const Tensor &x, const ResizeMode &mode,
                          const AxisResize &r) {
  auto taps = makeTaps(e, x, mode, r);
  Tensor sums = resample(e, x, r, taps[0].value, taps[1].value);
  if (mode.antialias || mode.excludeOutside) {
    // Sums of weights are formed as those of elements.
    AxisResize only = r;
    only.axis = 0;
    Tensor ones = e.fill({e.constant(1)}, DataType::Double, 1);
    Tensor all = resample(e, ones, only, taps[0].value, taps[1].value);
    sums = e.div(sums, alongAxis(e, x, all, r));
  }
  return e.cast(sums, x.type);
}

/// `result` with the value for places outside of x put there.
static Tensor extrapolate(Emitter &e, const Tensor &x, const Tensor &result,
                          const ResizeMode &mode, const AxisResize &r) {
  Value in = e.index(x.dims[r.axis]), out = e.index(r.size);
  Tensor places = e.generate({r.size}, DataType::Double,
                             [&](Scalars &s, ArrayRef<Value> at) {
                               return placeOf(s, mode, r, at[0], in, out);
                             });
  return e.map({result, alongAxis(e, x, places, r)}, x.type,
               [&](Scalars &s, ArrayRef<Value> v) {
                 Value last = s.sub(toF64(s, in), f64(s, 1));
                 Value isOutside =
                     s.logicalOr(s.less(v[1], f64(s, 0)), s.less(last, v[1]));
                 Value number = s.number(v[0].getType(), mode.outside);
                 return s.select(isOutside, number, v[0]);
               });
}

/// Copies along all axes at once; sums along one after the other.
static Tensor resizeAxes(Emitter &e, const Tensor &x, const ResizeMode &mode,
                         ArrayRef<AxisResize> axes) {
  bool isNearest = mode.kind == "nearest";
  SmallVector<Value> places;
  if (isNearest)
    for (const AxisResize &r : axes)
      places.push_back(makeNearest(e, x, mode, r).value);
  Tensor result = isNearest ? resample(e, x, axes, places, {}) : x;
  for (const AxisResize &r : axes) {
    if (!isNearest)
      result = interpolate(e, result, mode, r);
    if (mode.coordinate == "tf_crop_and_resize")
      result = extrapolate(e, x, result, mode, r);
  }
  return result;
}

/// Sizes that keep the ratio of the axes: all scales are the least or the
/// greatest of them, which is returned.
static Value keepRatio(Node &n, const Tensor &x, bool isLeast,
                       ArrayRef<int64_t> axes, SmallVectorImpl<Expr> &sizes) {
  Emitter &e = n.emit();
  Scalars s(e.builder(), e.loc());
  Value scale;
  for (auto [axis, size] : llvm::zip(axes, sizes)) {
    e.require(Relation::ge(x.dims[axis], e.constant(1)),
              "there is nothing to resize in an empty axis");
    Value own = s.div(toF64(s, e.index(size)), toF64(s, e.index(x.dims[axis])));
    scale = !scale ? own : isLeast ? s.min(scale, own) : s.max(scale, own);
  }
  for (auto [axis, size] : llvm::zip(axes, sizes)) {
    Value wanted = s.mul(scale, toF64(s, e.index(x.dims[axis])));
    wanted = s.create<math::FloorOp>(s.add(wanted, f64(s, 0.5)));
    wanted = s.toIndex(s.cast(wanted, DataType::Double, DataType::Int64),
                       DataType::Int64);
    size = e.bind(s.max(wanted, s.index(0)), "_v");
  }
  return scale;
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
    if (!n.axes(axes, x.rank()))
      return std::nullopt;
  }
  SmallVector<AxisResize> all;
  auto refuse = [&](const Twine &message) {
    (void)n.fail(message);
    return std::nullopt;
  };
  // Exporters leave one out by an empty list.
  auto length = [&](size_t i) {
    auto dims = n.operand(i).extents(e.arena());
    return dims && dims->size() == 1 ? dims->front() : e.constant(0);
  };
  Expr none = e.constant(0);
  bool bySize = length(3) != none;
  bool isTwice = bySize && length(2) != none && length(2).isConstant();
  if (isTwice || (!bySize && length(2) == none && !axes.empty()))
    return refuse("expected scales or sizes, and not both");
  if (bySize)
    e.require(Relation::eq(length(2), none),
              "there must be scales or sizes, and not both");
  SmallVector<Expr, 4> sizes;
  SmallVector<double, 4> scales;
  Value common;
  if (bySize) {
    auto given = n.ints(3);
    if (!given)
      return std::nullopt;
    sizes = *given;
    if (sizes.size() != axes.size())
      return refuse("expected a size for each axis");
    StringRef policy = n.textAttr("keep_aspect_ratio_policy", "stretch");
    if (policy != "stretch" && policy != "not_larger" &&
        policy != "not_smaller")
      return refuse("expected a known policy, but got '" + policy + "'");
    if (policy != "stretch")
      common = keepRatio(n, x, policy == "not_larger", axes, sizes);
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
      auto to = r.size.asInt64(), from = extent.asInt64();
      if (!common && to && from && *from > 0 && *to % *from == 0 && *to > 0)
        r.scale = Fraction{*to / *from, 1};
    } else {
      if (!(scales[i] > 0) || std::isinf(scales[i]))
        return refuse("expected a scale above 0, but got " +
                      std::to_string(scales[i]));
      if (scales[i] < 1 && n.attribute(isUpsample))
        return refuse("expected a scale of at least 1, but got " +
                      std::to_string(scales[i]));
      r.scale = toFraction(scales[i]);
      r.size = e.arena().floorDiv(extent * r.scale->p, e.constant(r.scale->q));
    }
    if (roi) {
      r.roiStart = (*roi)[i];
      r.roiEnd = (*roi)[axes.size() + i];
    }
    bool keeps = !r.scale || (r.scale->p == 1 && r.scale->q == 1);
    if (r.size == extent && keeps && !roi)
      continue;
    bool bySizes = !common && !r.scale;
    r.p = common    ? common
          : bySizes ? toF64(s, e.index(r.size))
                    : f64(s, static_cast<double>(r.scale->p));
    r.q = bySizes ? toF64(s, e.index(extent))
                  : f64(s, common ? 1.0 : static_cast<double>(r.scale->q));
    Relation isThere =
        Relation::le(e.arena().min(r.size, e.constant(1)), extent);
    if (!e.isProvably(isThere) && bySize)
      e.require(isThere, "there is nothing to resize in an empty axis");
    all.push_back(r);
  }
  return all;
}

/// The integer that `v` would be if weights such as 1/3 were exact, or `v`.
static Value toNearInteger(Scalars &s, Value v) {
  Value near = s.create<math::RoundEvenOp>(v);
  Value room = s.mul(f64(s, 1e-9), s.add(s.create<math::AbsFOp>(v), f64(s, 1)));
  Value isNear = s.lessOrEqual(s.create<math::AbsFOp>(s.sub(v, near)), room);
  return s.select(isNear, near, v);
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
  // Rounded once, not after each axis.
  DataType type = x.type;
  bool isWeighted = mode.kind != "nearest" && !axes->empty();
  if (isWeighted)
    x = isFloat(type) ? n.wideTensor(0) : e.cast(x, DataType::Double);
  if (!axes->empty())
    x = resizeAxes(e, x, mode, *axes);
  // Integers are truncated, but for these, as in ONNX Runtime.
  bool isRounded = mode.antialias || mode.kind == "cubic";
  if (isWeighted && !isFloat(type))
    x = e.unary(x, [=](Scalars &s, Value v) {
      if (!isRounded)
        return toNearInteger(s, v);
      return s.create<math::FloorOp>(toNearInteger(s, s.add(v, f64(s, 0.5))));
    });
  return n.set(0, e.cast(x, type));
}

void mlir::symshape::onnx::addResizeOps(Registry &registry) {
  registry.add("Resize", 1, resize);
  registry.add("Upsample", 1, resize); // never comes as such
}
