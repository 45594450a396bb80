//===- Convolutions.cpp - Convolutions of tosa ----------------------------===//
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

#include "Convolutions.h"

#include "Constants.h"
#include "Images.h"
#include "ScalarOps.h"
#include "Structure/Contraction.h"
#include "Structure/Loops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "symshape/IR/SumType.h"
#include "symshape/IR/SymShape.h"
#include "symshape/IR/TransposedConvolution.h"
#include "symshape/IR/WindowExtents.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// A convolution of an image with channels last, without a border.
struct TosaConvolution {
  Location loc;
  Value image, weights;
  Value bias; ///< null if there is none
  /// What stands for 0; null for floats.
  Value imageZero = Value(), weightZero = Value();
  SmallVector<int64_t> stride = {}, dilation = {};
  Type sumType = Type(), resultType = Type();
  /// The extents of the places of windows.
  SmallVector<OpFoldResult> places = {};
  /// Whether a bias of one number may turn up, which is for all channels.
  bool biasMayExpand = false;
  /// Whether the bias is added to the sums, which else begin with it.
  bool isBiasLast = false;
  /// Whether each channel has weights of its own, as (spatial axes, channel,
  /// multiplier); else they are (feature, spatial axes, channel), or with the
  /// feature last, so that those of all features are a vector.
  bool isDepthwise = false, isFeatureLast = false;

  Value build(OpBuilder &b);
  Value startAtBias(OpBuilder &b, ArrayRef<OpFoldResult> sizes,
                    bool hasMultiplier);
  Value asResult(OpBuilder &b, Value sums, ArrayRef<OpFoldResult> sizes);
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

/// A tensor of these sizes with the bias of each channel, or zeros.
Value TosaConvolution::startAtBias(OpBuilder &b, ArrayRef<OpFoldResult> sizes,
                                   bool hasMultiplier) {
  Value empty = tensor::EmptyOp::create(b, loc, sizes, sumType);
  if (!bias)
    return linalg::FillOp::create(b, loc, makeZeroScalar(b, loc, sumType),
                                  empty)
        .getResult(0);
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
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, empty.getType(), bias, empty, ArrayRef{ofBias, identity},
             loops,
             [&](OpBuilder &b, Location loc, ValueRange args) {
               linalg::YieldOp::create(b, loc,
                                       convertNumber(b, loc, args[0], sumType));
             })
      .getResult(0);
}

/// Loops: batch, places, feature (or channel and multiplier), places in the
/// window, and channel unless each has weights of its own. A multiplier of 1 is
/// no loop: channels are the elements of a vector.
Value TosaConvolution::build(OpBuilder &b) {
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
        Value x = centerNumber(b, loc, args[0], imageZero, sumType);
        Value w = centerNumber(b, loc, args[1], weightZero, sumType);
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
  return asResult(b, result, sizes);
}

Value TosaConvolution::asResult(OpBuilder &b, Value sums,
                                ArrayRef<OpFoldResult> sizes) {
  if (isBiasLast) {
    Value start = startAtBias(b, sizes, /*hasMultiplier=*/false);
    if (isa<FloatType>(sumType))
      sums = arith::AddFOp::create(b, loc, start, sums);
    else
      sums = arith::AddIOp::create(b, loc, start, sums);
  }
  if (resultType == sumType)
    return sums;
  return mapElements(b, loc, sums, sizes, resultType,
                     [&](OpBuilder &b, Location loc, Value v) {
                       return convertNumber(b, loc, v, resultType);
                     });
}

/// A convolution with the operands and types of `op`, without dilation or
/// places.
template <typename OpTy>
static TosaConvolution makeConvolution(OpBuilder &b, OpTy op) {
  Location loc = op.getLoc();
  TosaConvolution c{loc, op.getInput(), op.getWeight(), op.getBias()};
  c.isDepthwise = std::is_same_v<OpTy, tosa::DepthwiseConv2DOp>;
  if (Value moved =
          c.isDepthwise || std::is_same_v<OpTy, tosa::TransposeConv2DOp>
              ? Value()
              : moveFirstAxisLast(b, loc, op.getWeight())) {
    c.weights = moved;
    c.isFeatureLast = true;
  }
  c.biasMayExpand = cast<ShapedType>(c.bias.getType()).isDynamicDim(0) &&
                    op->template getParentOfType<ModuleOp>()->hasAttr(
                        SymShapeDialect::kTosaNumPyBroadcast);
  c.imageZero = readZeroPoint(b, loc, op.getInputZp());
  c.weightZero = readZeroPoint(b, loc, op.getWeightZp());
  c.stride.assign(op.getStride().begin(), op.getStride().end());
  c.sumType = getSumType(op.getAccType());
  c.resultType = getElementTypeOrSelf(op.getOutput());
  return c;
}

template <typename OpTy>
static Value convolve(OpBuilder &b, OpTy op) {
  Location loc = op.getLoc();
  TosaConvolution c = makeConvolution(b, op);
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

//===----------------------------------------------------------------------===//
// Transposed convolutions
//===----------------------------------------------------------------------===//

/// With phases, the bias comes last. The image has elements, as is required.
static Value convolveTransposed(OpBuilder &b, tosa::TransposeConv2DOp op) {
  Location loc = op.getLoc();
  TosaConvolution c = makeConvolution(b, op);
  ExprArena arena;
  DenseMap<Expr, OpFoldResult> values;
  auto measure = [&](Value tensor) {
    SizedTensor sized{tensor, {}};
    for (OpFoldResult size : tensor::getMixedSizes(b, loc, tensor)) {
      std::optional<int64_t> known = getConstantIntValue(size);
      sized.dims.push_back(known ? arena.constant(*known)
                                 : arena.freshSymbol("d"));
      values[sized.dims.back()] = size;
    }
    return sized;
  };
  auto fold = [&](Expr e) {
    OpFoldResult sum = b.getIndexAttr(0);
    for (const Expr::Term &term : e.terms()) {
      OpFoldResult product = b.getIndexAttr(int64_t(term.coefficient));
      for (auto [atom, power] : term.powers)
        product = mulIndices(b, loc, product, values.lookup(atom.asExpr()));
      sum = addIndices(b, loc, sum, product);
    }
    return sum;
  };
  SizedTensor image = measure(op.getInput()), kernel = measure(op.getWeight());
  ArrayRef<int64_t> stride = op.getStride(), pad = op.getOutPad();
  TransposedConvolution t{
      loc,   image, kernel, kernel.dims[0], SmallVector<int64_t, 4>(stride),
      {1, 1}};
  t.imageZero = c.imageZero;
  t.weightZero = c.weightZero;
  t.mayBeEmpty = false;
  for (size_t i = 0; i < 2; ++i) {
    t.before.push_back(arena.constant(-pad[2 * i]));
    t.count.push_back(transposedExtent(image.dims[1 + i], kernel.dims[1 + i],
                                       stride[i], /*dilation=*/1) +
                      pad[2 * i] + pad[2 * i + 1]);
  }
  c.stride = c.dilation = {1, 1};
  c.isBiasLast = t.hasPhases();
  auto convolve = [&](const SizedTensor &image, const SizedTensor &weights,
                      ArrayRef<Expr> places) {
    TosaConvolution direct = c;
    direct.image = image.value;
    direct.weights = weights.value;
    direct.places = llvm::map_to_vector(places, fold);
    if (std::exchange(direct.isBiasLast, false)) {
      direct.bias = Value();
      direct.resultType = c.sumType;
    }
    return direct.build(b);
  };
  Value sums = t.build(b, fold, convolve);
  Expr sizes[] = {image.dims[0], t.count[0], t.count[1], kernel.dims[0]};
  return c.isBiasLast ? c.asResult(b, sums, llvm::map_to_vector(sizes, fold))
                      : sums;
}

Value symshape::lowerConvolution(OpBuilder &b, Operation *op) {
  return TypeSwitch<Operation *, Value>(op)
      .Case<tosa::Conv2DOp, tosa::Conv3DOp, tosa::DepthwiseConv2DOp>(
          [&](auto op) { return convolve(b, op); })
      .Case(
          [&](tosa::TransposeConv2DOp op) { return convolveTransposed(b, op); })
      .Default([](Operation *) { return Value(); });
}
