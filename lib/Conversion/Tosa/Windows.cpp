//===- Windows.cpp - Convolutions, pools and resize of tosa ---------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The border is padded first; what is left is one structured op, with channels
// last. Upstream's patterns take weights of static extents, or images of static
// extents, only.
//
//===----------------------------------------------------------------------===//

#include "Constants.h"
#include "Loops.h"
#include "ScalarOps.h"
#include "TosaLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "symshape/IR/SymShape.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::symshape;

/// A number as one of the type in which sums are formed, or back.
static Value convert(OpBuilder &b, Location loc, Value v, Type type) {
  return convertScalarToDtype(b, loc, v, type, /*isUnsignedCast=*/false);
}

/// What stands for 0 in integers; null for floats, where 0 does.
static Value readZeroPoint(OpBuilder &b, Location loc, Value tensor) {
  return isa<IntegerType>(getElementTypeOrSelf(tensor))
             ? readScalar(b, loc, tensor)
             : Value();
}

/// A number less its zero point, if it has one, in the type of sums.
static Value center(OpBuilder &b, Location loc, Value v, Value zeroPoint,
                    Type sumType) {
  v = convert(b, loc, v, sumType);
  return zeroPoint
             ? ArithBuilder(b, loc).sub(v, convert(b, loc, zeroPoint, sumType))
             : v;
}

static Value makeZeroScalar(OpBuilder &b, Location loc, Type type) {
  return arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
}

/// What the border of an image is made of.
static Value makeBorder(OpBuilder &b, Location loc, Value image,
                        Value zeroPoint) {
  return zeroPoint ? zeroPoint
                   : makeZeroScalar(b, loc, getElementTypeOrSelf(image));
}

/// A tensor of these sizes and of elements of `type`: what `body` gives for
/// each element of `source`.
static Value
mapElements(OpBuilder &b, Location loc, Value source,
            ArrayRef<OpFoldResult> sizes, Type type,
            function_ref<Value(OpBuilder &, Location, Value)> body) {
  AffineMap identity = b.getMultiDimIdentityMap(sizes.size());
  SmallVector<utils::IteratorType> loops(sizes.size(),
                                         utils::IteratorType::parallel);
  Value init = tensor::EmptyOp::create(b, loc, sizes, type);
  return linalg::GenericOp::create(
             b, loc, init.getType(), source, init, ArrayRef{identity, identity},
             loops,
             [&](OpBuilder &b, Location loc, ValueRange args) {
               linalg::YieldOp::create(b, loc, body(b, loc, args[0]));
             })
      .getResult(0);
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

namespace {
/// A convolution of an image with channels last, without a border.
struct Convolution {
  Location loc;
  Value image, weights, bias;
  /// What stands for 0; null for floats.
  Value imageZero = Value(), weightZero = Value();
  SmallVector<int64_t> stride = {}, dilation = {};
  Type sumType = Type(), resultType = Type();
  /// The extents of the places of windows.
  SmallVector<OpFoldResult> places = {};
  /// Whether a bias of one number may turn up, which is for all channels.
  bool biasMayExpand = false;
  /// Whether each channel has weights of its own, as (spatial axes, channel,
  /// multiplier); else they are (feature, spatial axes, channel), or with the
  /// feature last, so that those of all features are a vector.
  bool isDepthwise = false, isFeatureLast = false;

  Value build(OpBuilder &b);

private:
  Value startAtBias(OpBuilder &b, ArrayRef<OpFoldResult> sizes,
                    bool hasMultiplier);
};
} // namespace

/// A number per channel: that of the channel, or the only one.
static Value spreadBias(OpBuilder &b, Location loc, Value bias,
                        OpFoldResult channels) {
  SmallVector<Value> dynamic;
  SmallVector<int64_t> shape;
  dispatchIndexOpFoldResults(channels, dynamic, shape);
  Value zero = makeIndex(b, loc, 0);
  Value isOne = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                      tensor::DimOp::create(b, loc, bias, 0),
                                      makeIndex(b, loc, 1));
  return tensor::GenerateOp::create(
      b, loc, RankedTensorType::get(shape, getElementTypeOrSelf(bias)), dynamic,
      [&](OpBuilder &b, Location loc, ValueRange at) {
        Value place = arith::SelectOp::create(b, loc, isOne, zero, at.front());
        tensor::YieldOp::create(b, loc,
                                tensor::ExtractOp::create(b, loc, bias, place));
      });
}

/// A tensor of these sizes with the bias of each channel.
Value Convolution::startAtBias(OpBuilder &b, ArrayRef<OpFoldResult> sizes,
                               bool hasMultiplier) {
  ArrayRef<OpFoldResult> features = sizes.drop_front(1 + stride.size());
  if (biasMayExpand) {
    OpFoldResult channels = b.getIndexAttr(1);
    for (OpFoldResult size : features)
      channels = mulIndices(b, loc, channels, size);
    bias = spreadBias(b, loc, bias, channels);
  }
  bool isOne = cast<ShapedType>(bias.getType()).getDimSize(0) == 1;
  if (hasMultiplier && !isOne)
    bias = symshape::ReshapeOp::create(b, loc, bias, features);
  unsigned rank = sizes.size();
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  AffineMap ofBias = isOne ? AffineMap::get(rank, 0, b.getAffineConstantExpr(0))
                           : identity.getMinorSubMap(features.size());
  Value empty = tensor::EmptyOp::create(b, loc, sizes, sumType);
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, empty.getType(), bias, empty, ArrayRef{ofBias, identity},
             loops,
             [&](OpBuilder &b, Location loc, ValueRange args) {
               linalg::YieldOp::create(b, loc,
                                       convert(b, loc, args[0], sumType));
             })
      .getResult(0);
}

/// Loops: batch, places, feature (or channel and multiplier), places in the
/// window, and channel unless each has weights of its own. A multiplier of 1 is
/// no loop: channels are the elements of a vector.
Value Convolution::build(OpBuilder &b) {
  unsigned spatial = stride.size(), next = 0;
  bool hasMultiplier =
      isDepthwise &&
      cast<ShapedType>(weights.getType()).getDimSize(spatial + 1) != 1;
  if (isDepthwise && !hasMultiplier) {
    SmallVector<ReassociationIndices> groups;
    for (unsigned i = 0; i < spatial; ++i)
      groups.push_back({i});
    groups.push_back({spatial, spatial + 1});
    weights = tensor::CollapseShapeOp::create(b, loc, weights, groups);
  }
  auto loop = [&] { return b.getAffineDimExpr(next++); };
  SmallVector<AffineExpr> in{loop()}, weight, out{in[0]};
  SmallVector<AffineExpr> at;
  for (unsigned i = 0; i < spatial; ++i)
    at.push_back(loop());
  llvm::append_range(out, at);
  SmallVector<OpFoldResult> sizes{tensor::getMixedSize(b, loc, image, 0)};
  llvm::append_range(sizes, places);
  AffineExpr channel, multiplier, feature;
  if (isDepthwise) {
    channel = loop();
    out.push_back(channel);
    sizes.push_back(tensor::getMixedSize(b, loc, weights, spatial));
    if (hasMultiplier) {
      multiplier = loop();
      out.push_back(multiplier);
      sizes.push_back(tensor::getMixedSize(b, loc, weights, spatial + 1));
    }
  } else {
    feature = loop();
    if (!isFeatureLast)
      weight.push_back(feature);
    out.push_back(feature);
    sizes.push_back(
        tensor::getMixedSize(b, loc, weights, isFeatureLast ? spatial + 1 : 0));
  }
  unsigned parallel = next;
  for (unsigned i = 0; i < spatial; ++i) {
    AffineExpr k = loop();
    weight.push_back(k);
    in.push_back(at[i] * stride[i] + k * dilation[i]);
  }
  if (!isDepthwise)
    channel = loop();
  in.push_back(channel);
  weight.push_back(channel);
  if (hasMultiplier)
    weight.push_back(multiplier);
  if (isFeatureLast)
    weight.push_back(feature);
  auto mapOf = [&](ArrayRef<AffineExpr> results, unsigned loops) {
    return AffineMap::get(loops, 0, results, b.getContext());
  };
  SmallVector<utils::IteratorType> loops(next, utils::IteratorType::reduction);
  std::fill_n(loops.begin(), parallel, utils::IteratorType::parallel);

  Value init = startAtBias(b, sizes, hasMultiplier);
  AffineMap maps[] = {mapOf(in, next), mapOf(weight, next), mapOf(out, next)};
  auto sums = linalg::GenericOp::create(
      b, loc, init.getType(), ValueRange{image, weights}, init, maps, loops,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        ArithBuilder numbers(b, loc);
        Value x = center(b, loc, args[0], imageZero, sumType);
        Value w = center(b, loc, args[1], weightZero, sumType);
        linalg::YieldOp::create(b, loc,
                                numbers.add(args[2], numbers.mul(x, w)));
      });
  Value result = sums.getResult(0);
  if (hasMultiplier) {
    SmallVector<OpFoldResult> flat(ArrayRef(sizes).drop_back(2));
    flat.push_back(mulIndices(b, loc, sizes[sizes.size() - 2], sizes.back()));
    result = symshape::ReshapeOp::create(b, loc, result, flat);
    sizes = flat;
  }
  if (resultType == sumType)
    return result;
  return mapElements(b, loc, result, sizes, resultType,
                     [&](OpBuilder &b, Location loc, Value v) {
                       return convert(b, loc, v, resultType);
                     });
}

/// A border of `value` around the spatial axes of an image.
static Value padImage(OpBuilder &b, Location loc, Value image,
                      ArrayRef<int64_t> pad, Value value) {
  if (llvm::all_of(pad, [](int64_t p) { return p == 0; }))
    return image;
  int64_t rank = cast<ShapedType>(image.getType()).getRank();
  SmallVector<OpFoldResult> low(rank, b.getIndexAttr(0)), high(low);
  for (size_t i = 0; i < pad.size() / 2; ++i) {
    low[1 + i] = b.getIndexAttr(pad[2 * i]);
    high[1 + i] = b.getIndexAttr(pad[2 * i + 1]);
  }
  return tensor::PadOp::create(b, loc, Type(), image, low, high, value);
}

/// `(extent + pad - reach) / stride + 1`, where the window reaches over
/// `(kernel - 1) * dilation + 1` places.
static OpFoldResult countPlaces(OpBuilder &b, Location loc, OpFoldResult extent,
                                int64_t pad, OpFoldResult kernel,
                                int64_t dilation, int64_t stride) {
  auto number = [&](int64_t value) -> OpFoldResult {
    return b.getIndexAttr(value);
  };
  OpFoldResult reach = mulIndices(b, loc, subIndices(b, loc, kernel, number(1)),
                                  number(dilation));
  OpFoldResult room =
      subIndices(b, loc, addIndices(b, loc, extent, number(pad - 1)), reach);
  return addIndices(b, loc, divIndices(b, loc, room, number(stride)),
                    number(1));
}

/// A convolution with the operands and types of `op`, without dilation or
/// places.
template <typename OpTy>
static Convolution makeConvolution(OpBuilder &b, OpTy op) {
  Location loc = op.getLoc();
  Convolution c{loc, op.getInput(), op.getWeight(), op.getBias()};
  c.isDepthwise = std::is_same_v<OpTy, tosa::DepthwiseConv2DOp>;
  if (Value moved =
          c.isDepthwise ? Value() : moveFirstAxisLast(b, loc, op.getWeight())) {
    c.weights = moved;
    c.isFeatureLast = true;
  }
  c.biasMayExpand = cast<ShapedType>(c.bias.getType()).isDynamicDim(0) &&
                    op->template getParentOfType<ModuleOp>()->hasAttr(
                        SymShapeDialect::kTosaNumPyBroadcast);
  c.imageZero = readZeroPoint(b, loc, op.getInputZp());
  c.weightZero = readZeroPoint(b, loc, op.getWeightZp());
  c.stride.assign(op.getStride().begin(), op.getStride().end());
  c.sumType = op.getAccType();
  c.resultType = getElementTypeOrSelf(op.getOutput());
  return c;
}

template <typename OpTy>
static Value convolve(OpBuilder &b, OpTy op) {
  Location loc = op.getLoc();
  Convolution c = makeConvolution(b, op);
  c.dilation.assign(op.getDilation().begin(), op.getDilation().end());
  ArrayRef<int64_t> pad = op.getPad();
  for (size_t i = 0; i < c.stride.size(); ++i)
    c.places.push_back(
        countPlaces(b, loc, tensor::getMixedSize(b, loc, op.getInput(), 1 + i),
                    pad[2 * i] + pad[2 * i + 1],
                    tensor::getMixedSize(b, loc, op.getWeight(),
                                         (c.isDepthwise ? 0 : 1) + i),
                    c.dilation[i], c.stride[i]));
  Value border = makeBorder(b, loc, c.image, c.imageZero);
  c.image = padImage(b, loc, c.image, pad, border);
  return c.build(b);
}

/// A convolution of the input, with zeros between its elements and a border,
/// with the kernel reversed. The border may be negative: it crops.
static Value convolveTransposed(OpBuilder &b, tosa::TransposeConv2DOp op) {
  Location loc = op.getLoc();
  Convolution c = makeConvolution(b, op);
  SmallVector<int64_t> between(c.stride);
  c.stride = {1, 1};
  c.dilation = {1, 1};
  ArrayRef<int64_t> pad = op.getOutPad();
  SmallVector<OpFoldResult> low(4, b.getIndexAttr(0)), high(low), sizes;
  SmallVector<int64_t> interior(4, 0);
  sizes = tensor::getMixedSizes(b, loc, op.getInput());
  auto number = [&](int64_t value) -> OpFoldResult {
    return b.getIndexAttr(value);
  };
  for (size_t i = 0; i < 2; ++i) {
    OpFoldResult kernel = tensor::getMixedSize(b, loc, op.getWeight(), 1 + i);
    OpFoldResult reach = subIndices(b, loc, kernel, number(1));
    low[1 + i] = addIndices(b, loc, reach, number(pad[2 * i]));
    high[1 + i] = addIndices(b, loc, reach, number(pad[2 * i + 1]));
    interior[1 + i] = between[i] - 1;
    OpFoldResult spread = addIndices(
        b, loc,
        mulIndices(b, loc, subIndices(b, loc, sizes[1 + i], number(1)),
                   number(between[i])),
        number(1));
    sizes[1 + i] =
        addIndices(b, loc, addIndices(b, loc, spread, low[1 + i]), high[1 + i]);
    c.places.push_back(countPlaces(b, loc, sizes[1 + i], 0, kernel, 1, 1));
  }
  Value border = makeBorder(b, loc, c.image, c.imageZero);
  SmallVector<Value> dynamicLow, dynamicHigh, dynamic;
  SmallVector<int64_t> staticLow, staticHigh, fixed;
  dispatchIndexOpFoldResults(low, dynamicLow, staticLow);
  dispatchIndexOpFoldResults(high, dynamicHigh, staticHigh);
  dispatchIndexOpFoldResults(sizes, dynamic, fixed);
  c.image = symshape::PadOp::create(
      b, loc, RankedTensorType::get(fixed, getElementTypeOrSelf(op.getInput())),
      op.getInput(), border, dynamicLow, dynamicHigh, staticLow, staticHigh,
      interior);
  int64_t first = c.isFeatureLast ? 0 : 1;
  c.weights =
      symshape::ReverseOp::create(b, loc, c.weights.getType(), c.weights,
                                  ArrayRef<int64_t>{first, first + 1});
  return c.build(b);
}

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

/// How many places of a window from `first` on lie in the image.
static Value countInside(OpBuilder &b, Location loc, Value first,
                         int64_t kernel, Value extent) {
  Value end = arith::MinSIOp::create(
      b, loc, arith::AddIOp::create(b, loc, first, makeIndex(b, loc, kernel)),
      extent);
  Value begin = arith::MaxSIOp::create(b, loc, first, makeIndex(b, loc, 0));
  return arith::SubIOp::create(b, loc, end, begin);
}

/// An integer sum divided by `count`, from 1, as the specification divides: by
/// a multiplier of 31 bits and a shift.
static Value divideSum(OpBuilder &b, Location loc, Value sum, Value count) {
  Type i32 = b.getI32Type(), i64 = b.getI64Type(), i8 = b.getI8Type();
  auto number = [&](int64_t value, unsigned width) -> Value {
    return arith::ConstantIntOp::create(b, loc, value, width);
  };
  Value n = arith::IndexCastOp::create(b, loc, i32, count);
  Value zeros = math::CountLeadingZerosOp::create(
      b, loc, arith::SubIOp::create(b, loc, n, number(1, 32)));
  Value k = arith::SubIOp::create(b, loc, number(32, 32), zeros);
  Value numerator =
      arith::ShLIOp::create(b, loc, number((int64_t(1) << 30) + 1, 64),
                            arith::ExtUIOp::create(b, loc, i64, k));
  Value multiplier = arith::TruncIOp::create(
      b, loc, i32,
      arith::DivUIOp::create(b, loc, numerator,
                             arith::ExtUIOp::create(b, loc, i64, n)));
  Value shift = arith::TruncIOp::create(
      b, loc, i8, arith::AddIOp::create(b, loc, k, number(30, 32)));
  return tosa::ApplyScaleOp::create(b, loc, i32, sum, multiplier, shift,
                                    tosa::RoundingMode::SINGLE_ROUND);
}

Value TosaLowering::averagePool(tosa::AvgPool2dOp op) {
  Location loc = op.getLoc();
  Value input = op.getInput();
  Type element = getElementTypeOrSelf(input), sumType = op.getAccType();
  ArrayRef<int64_t> kernel = op.getKernel(), pad = op.getPad(),
                    stride = op.getStride();
  Value inputZero = readZeroPoint(b, loc, op.getInputZp());
  Value outputZero = readZeroPoint(b, loc, op.getOutputZp());
  Value image =
      padImage(b, loc, input, pad, makeBorder(b, loc, input, inputZero));
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, input);
  SmallVector<Value> extents;
  for (size_t i = 0; i < 2; ++i) {
    extents.push_back(makeIndex(b, loc, sizes[1 + i]));
    sizes[1 + i] =
        countPlaces(b, loc, sizes[1 + i], pad[2 * i] + pad[2 * i + 1],
                    b.getIndexAttr(kernel[i]), 1, stride[i]);
  }
  Value empty = tensor::EmptyOp::create(b, loc, sizes, sumType);
  Value zero = makeZeroScalar(b, loc, sumType);
  Value init = linalg::FillOp::create(b, loc, zero, empty).getResult(0);
  Value window = tensor::EmptyOp::create(
      b, loc, {b.getIndexAttr(kernel[0]), b.getIndexAttr(kernel[1])}, sumType);
  AffineExpr n, y, x, c, ky, kx;
  bindDims(b.getContext(), n, y, x, c, ky, kx);
  AffineMap maps[] = {
      AffineMap::get(6, 0, {n, y * stride[0] + ky, x * stride[1] + kx, c},
                     b.getContext()),
      AffineMap::get(6, 0, {ky, kx}, b.getContext()),
      AffineMap::get(6, 0, {n, y, x, c}, b.getContext())};
  SmallVector<utils::IteratorType> loops(6, utils::IteratorType::parallel);
  loops[4] = loops[5] = utils::IteratorType::reduction;
  auto sums = linalg::GenericOp::create(
      b, loc, empty.getType(), ValueRange{image, window}, init, maps, loops,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Value v = center(b, loc, args[0], inputZero, sumType);
        linalg::YieldOp::create(b, loc, ArithBuilder(b, loc).add(args[2], v));
      });
  auto divide = [&](OpBuilder &b, Location loc, Value sum) {
    Value count = makeIndex(b, loc, 1);
    for (int64_t i = 0; i < 2; ++i) {
      Value place = linalg::IndexOp::create(b, loc, 1 + i);
      Value first = arith::SubIOp::create(
          b, loc,
          arith::MulIOp::create(b, loc, place, makeIndex(b, loc, stride[i])),
          makeIndex(b, loc, pad[2 * i]));
      count = arith::MulIOp::create(
          b, loc, count, countInside(b, loc, first, kernel[i], extents[i]));
    }
    if (!outputZero) {
      Value divisor = arith::SIToFPOp::create(
          b, loc, sumType,
          arith::IndexCastOp::create(b, loc, b.getI32Type(), count));
      return convert(b, loc, arith::DivFOp::create(b, loc, sum, divisor),
                     element);
    }
    Value quotient = divideSum(b, loc, sum, count);
    Value v = arith::AddIOp::create(
        b, loc, quotient, convert(b, loc, outputZero, quotient.getType()));
    return saturate(b, loc, v, element);
  };
  return mapElements(b, loc, sums.getResult(0), sizes, element, divide);
}

//===----------------------------------------------------------------------===//
// Resize
//===----------------------------------------------------------------------===//

namespace {
/// Where one axis of a result is read from.
struct ResizeAxis {
  Value n, d, offset, last; ///< scale n / d, and the last place of the input
};

/// The two places between which one lies, and how far behind the first, in
/// parts of n.
struct Between {
  Value first, second, part;
};
} // namespace

static Between findPlaces(OpBuilder &b, Location loc, const ResizeAxis &axis,
                          Value place) {
  Value zero = makeIndex(b, loc, 0), one = makeIndex(b, loc, 1);
  Value scaled = arith::AddIOp::create(
      b, loc, arith::MulIOp::create(b, loc, place, axis.d), axis.offset);
  Value whole = arith::FloorDivSIOp::create(b, loc, scaled, axis.n);
  Value part = arith::SubIOp::create(
      b, loc, scaled, arith::MulIOp::create(b, loc, whole, axis.n));
  auto clamp = [&](Value v) -> Value {
    return arith::MinSIOp::create(
        b, loc, arith::MaxSIOp::create(b, loc, v, zero), axis.last);
  };
  return {clamp(whole), clamp(arith::AddIOp::create(b, loc, whole, one)), part};
}

/// An element of the image, in the batch and the channel of the loops around.
static Value readPlace(OpBuilder &b, Location loc, Value image, Value y,
                       Value x) {
  Value n = linalg::IndexOp::create(b, loc, 0);
  Value c = linalg::IndexOp::create(b, loc, 3);
  return tensor::ExtractOp::create(b, loc, image, ValueRange{n, y, x, c});
}

static Value readNearest(OpBuilder &b, Location loc, Value image,
                         ArrayRef<ResizeAxis> axes, ArrayRef<Between> found) {
  SmallVector<Value> near;
  for (auto [axis, place] : llvm::zip(axes, found)) {
    Value twice = arith::AddIOp::create(b, loc, place.part, place.part);
    Value isSecond =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, twice, axis.n);
    near.push_back(
        arith::SelectOp::create(b, loc, isSecond, place.second, place.first));
  }
  return readPlace(b, loc, image, near[0], near[1]);
}

/// How much a place counts: in parts of n for integers, of 1 for floats.
static Value makeWeight(OpBuilder &b, Location loc, Value part, Value n,
                        Type type) {
  auto bits = [&](Value v) -> Value {
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), v);
  };
  if (isa<IntegerType>(type))
    return convert(b, loc, bits(part), type);
  Type exact = type.getIntOrFloatBitWidth() > 32 ? type : b.getF32Type();
  Value quotient = arith::DivFOp::create(
      b, loc, arith::SIToFPOp::create(b, loc, exact, bits(part)),
      arith::SIToFPOp::create(b, loc, exact, bits(n)));
  return convert(b, loc, quotient, type);
}

static Value interpolate(OpBuilder &b, Location loc, Value image,
                         ArrayRef<ResizeAxis> axes, ArrayRef<Between> found,
                         Type type) {
  ArithBuilder numbers(b, loc);
  auto mix = [&](Value first, Value second, size_t i) {
    Value rest = arith::SubIOp::create(b, loc, axes[i].n, found[i].part);
    return numbers.add(
        numbers.mul(first, makeWeight(b, loc, rest, axes[i].n, type)),
        numbers.mul(second,
                    makeWeight(b, loc, found[i].part, axes[i].n, type)));
  };
  auto row = [&](Value y) {
    auto read = [&](Value x) {
      return convert(b, loc, readPlace(b, loc, image, y, x), type);
    };
    return mix(read(found[1].first), read(found[1].second), 1);
  };
  return mix(row(found[0].first), row(found[0].second), 0);
}

Value TosaLowering::resize(tosa::ResizeOp op) {
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> scale = shapes.elementsOf(op.getScale());
  SmallVector<OpFoldResult> offset = shapes.elementsOf(op.getOffset());
  SmallVector<OpFoldResult> border = shapes.elementsOf(op.getBorder());
  if (scale.size() != 4 || offset.size() != 2 || border.size() != 2)
    return Value();
  Value input = op.getInput();
  auto type = cast<RankedTensorType>(op.getType());
  Type element = type.getElementType();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, input);
  SmallVector<ResizeAxis> axes;
  OpFoldResult one = b.getIndexAttr(1);
  for (size_t i = 0; i < 2; ++i) {
    OpFoldResult last = subIndices(b, loc, sizes[1 + i], one);
    axes.push_back({makeIndex(b, loc, scale[2 * i]),
                    makeIndex(b, loc, scale[2 * i + 1]),
                    makeIndex(b, loc, offset[i]), makeIndex(b, loc, last)});
    OpFoldResult reach = addIndices(
        b, loc,
        subIndices(b, loc, mulIndices(b, loc, last, scale[2 * i]), offset[i]),
        border[i]);
    sizes[1 + i] =
        addIndices(b, loc, divIndices(b, loc, reach, scale[2 * i + 1]), one);
    if (!type.isDynamicDim(1 + i))
      sizes[1 + i] = b.getIndexAttr(type.getDimSize(1 + i));
  }
  bool isNearest = op.getMode() == tosa::ResizeMode::NEAREST_NEIGHBOR;
  Value init = tensor::EmptyOp::create(b, loc, sizes, element);
  SmallVector<utils::IteratorType> loops(4, utils::IteratorType::parallel);
  auto body = [&](OpBuilder &b, Location loc, ValueRange) {
    SmallVector<Between> found;
    for (auto [i, axis] : llvm::enumerate(axes))
      found.push_back(
          findPlaces(b, loc, axis, linalg::IndexOp::create(b, loc, 1 + i)));
    linalg::YieldOp::create(
        b, loc,
        isNearest ? readNearest(b, loc, input, axes, found)
                  : interpolate(b, loc, input, axes, found, element));
  };
  return linalg::GenericOp::create(b, loc, init.getType(), ValueRange(), init,
                                   b.getMultiDimIdentityMap(4), loops, body)
      .getResult(0);
}

/// Gives a bias that may turn out to have one number one per channel.
void TosaLowering::expandBias(Operation *op) {
  if (!isConvolution(op) || !expanding.contains(op))
    return;
  bool isDepthwise = isa<tosa::DepthwiseConv2DOp>(op);
  Location loc = op->getLoc();
  Value weights = op->getOperand(1);
  OpFoldResult channels =
      tensor::getMixedSize(b, loc, weights, isDepthwise ? 2 : 0);
  if (isDepthwise)
    channels =
        mulIndices(b, loc, channels, tensor::getMixedSize(b, loc, weights, 3));
  op->setOperand(2, expand(op, 2, channels));
}

bool TosaLowering::lowerWindows(Operation *op) {
  expandBias(op);
  Value result =
      TypeSwitch<Operation *, Value>(op)
          .Case<tosa::Conv2DOp, tosa::Conv3DOp, tosa::DepthwiseConv2DOp>(
              [&](auto op) { return convolve(b, op); })
          .Case([&](tosa::TransposeConv2DOp op) {
            return convolveTransposed(b, op);
          })
          .Case([&](tosa::AvgPool2dOp op) { return averagePool(op); })
          .Case([&](tosa::ResizeOp op) {
            return useGathers && isa<FloatType>(getElementTypeOrSelf(op))
                       ? resizeByGathers(op)
                       : resize(op);
          })
          .Default([](Operation *) { return Value(); });
  if (result)
    replace(op, result);
  return bool(result);
}
