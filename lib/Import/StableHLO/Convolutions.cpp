//===- Convolutions.cpp - Convolutions ------------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One nest of loops for any layout, over the axes of the result in their
// order, then over the features and places of a window. Groups of features or
// of the batch are a loop of their own.
//
//===----------------------------------------------------------------------===//

#include "Products.h"
#include "Windows.h"
#include "symshape/IR/SymShape.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::stablehlo;

namespace {
class Convolution {
public:
  explicit Convolution(Node &n) : n(n) {}
  LogicalResult read();
  /// Borders: before and after each place, in turn.
  LogicalResult run(ArrayRef<Size> padding);
  int64_t spatial = 0;

private:
  struct Layout {
    int64_t batch,
        feature; ///< of weights: features of the input, of the result
    SmallVector<int64_t> places;
  };
  Layout readLayout(StringRef batch, StringRef feature, StringRef places);
  AffineExpr loop() { return n.b.getAffineDimExpr(numLoops++); }
  OpFoldResult part(OpFoldResult size, int64_t groups) {
    return n.importer.sizes.expression("p floordiv q", size,
                                       n.b.getIndexAttr(groups));
  }
  void addResultLoops();
  /// Reads the kernel backwards along the axes that ask for it.
  void reverseWindow();
  /// Splits an axis of a tensor into groups and what is in one.
  Value split(Value x, int64_t axis, int64_t groups);

  Node &n;
  Layout in, weight, out;
  int64_t featureGroups = 1, batchGroups = 1, groups = 1;
  Window w;
  Value x, kernel;
  unsigned numLoops = 0;
  AffineExpr batchLoop, groupLoop, featureLoop;
  SmallVector<AffineExpr> placeLoops, resultMap;
  SmallVector<OpFoldResult> counts, resultSizes, wholeSizes;
};
} // namespace

Convolution::Layout Convolution::readLayout(StringRef batch, StringRef feature,
                                            StringRef places) {
  int64_t rank = spatial + 2;
  Layout layout{n.integer(batch, 0, rank - 1), n.integer(feature, 0, rank - 1),
                n.axes(places, rank)};
  SmallVector<int64_t> all(layout.places);
  all.push_back(layout.batch);
  all.push_back(layout.feature);
  llvm::sort(all);
  bool isPermutation = static_cast<int64_t>(all.size()) == rank;
  for (size_t i = 0; isPermutation && i < all.size(); ++i)
    isPermutation = all[i] == static_cast<int64_t>(i);
  if (!isPermutation) {
    (void)n.fail("expected a layout that has each axis once");
    layout.places.assign(spatial, 0);
  }
  return layout;
}

LogicalResult Convolution::read() {
  x = n.tensor(0);
  kernel = n.tensor(1);
  auto declared = n.resultType();
  if (!x || !kernel || !declared || n.rank(0) < 2 || n.rank(1) != n.rank(0) ||
      declared.getRank() != n.rank(0))
    return n.fail("expected operands and a result of one rank from 2");
  spatial = n.rank(0) - 2;
  in = readLayout("input_batch_dimension", "input_feature_dimension",
                  "input_spatial_dimensions");
  weight = readLayout("kernel_input_feature_dimension",
                      "kernel_output_feature_dimension",
                      "kernel_spatial_dimensions");
  out = readLayout("output_batch_dimension", "output_feature_dimension",
                   "output_spatial_dimensions");
  featureGroups = n.integer("feature_group_count", 1, 1 << 30);
  batchGroups = n.integer("batch_group_count", 1, 1 << 30);
  groups = std::max(featureGroups, batchGroups);
  if (featureGroups > 1 && batchGroups > 1)
    return n.fail("expected groups of features or of the batch, not of both");
  w.stride = n.ints("window_strides", spatial);
  w.baseDilation = n.ints("lhs_dilation", spatial);
  w.windowDilation = n.ints("rhs_dilation", spatial);
  if (n.hasFailed())
    return failure();
  auto type = cast<RankedTensorType>(kernel.getType());
  for (int64_t axis : weight.places) // an open one may be any
    w.size.push_back(type.isDynamicDim(axis) ? 1 : type.getDimSize(axis));
  return w.check(n) ? success() : failure();
}

Value Convolution::split(Value tensor, int64_t axis, int64_t groups) {
  SmallVector<OpFoldResult> sizes = n.extents(tensor);
  auto whole = getConstantIntValue(sizes[axis]);
  if (whole && *whole % groups != 0) {
    (void)n.fail("expected an extent that " + Twine(groups) +
                 " groups divide, but got " + Twine(*whole));
    return tensor;
  }
  sizes[axis] = part(sizes[axis], groups);
  sizes.insert(sizes.begin() + axis, n.b.getIndexAttr(groups));
  return n.reshape(tensor, sizes);
}

/// One loop per axis of the result, and one for groups before its features.
void Convolution::addResultLoops() {
  OpFoldResult features = n.extent(kernel, weight.feature);
  placeLoops.resize(spatial);
  for (int64_t axis = 0; axis < spatial + 2; ++axis) {
    if (axis == out.batch) {
      batchLoop = loop();
      OpFoldResult batch = n.extent(x, in.batch);
      resultSizes.push_back(batchGroups > 1 ? part(batch, batchGroups) : batch);
      resultMap.push_back(batchLoop);
      wholeSizes.push_back(resultSizes.back());
    } else if (axis == out.feature) {
      if (groups > 1) {
        groupLoop = loop();
        resultSizes.push_back(n.b.getIndexAttr(groups));
        resultMap.push_back(groupLoop);
      }
      featureLoop = loop();
      resultSizes.push_back(groups > 1 ? part(features, groups) : features);
      resultMap.push_back(featureLoop);
      wholeSizes.push_back(features);
    } else {
      int64_t place = llvm::find(out.places, axis) - out.places.begin();
      placeLoops[place] = loop();
      resultSizes.push_back(counts[place]);
      resultMap.push_back(placeLoops[place]);
      wholeSizes.push_back(counts[place]);
    }
  }
}

void Convolution::reverseWindow() {
  SmallVector<int64_t> reversed;
  if (auto flags =
          dyn_cast_or_null<DenseElementsAttr>(n.attribute("window_reversal")))
    if (flags.getElementType().isInteger(1) &&
        flags.getNumElements() == spatial)
      for (auto [i, flag] : llvm::enumerate(flags.getValues<bool>()))
        if (flag)
          reversed.push_back(weight.places[i]);
  if (!reversed.empty())
    kernel = ReverseOp::create(n.b, n.loc, kernel.getType(), kernel,
                               n.b.getDenseI64ArrayAttr(reversed));
}

LogicalResult Convolution::run(ArrayRef<Size> padding) {
  SmallVector<OpFoldResult> low(spatial + 2, n.b.getIndexAttr(0)), high(low);
  SmallVector<int64_t> interior(spatial + 2, 0);
  for (int64_t i = 0; i < spatial; ++i) {
    low[in.places[i]] = padding[2 * i].value;
    high[in.places[i]] = padding[2 * i + 1].value;
    interior[in.places[i]] = w.baseDilation[i] - 1;
  }
  x = n.pad(x, n.zero(getElementTypeOrSelf(x)), low, high, interior);
  reverseWindow();
  if (n.hasFailed())
    return failure();
  for (int64_t i = 0; i < spatial; ++i)
    counts.push_back(countWindows(n, n.extent(x, in.places[i]),
                                  n.extent(kernel, weight.places[i]),
                                  w.windowDilation[i], w.stride[i]));
  addResultLoops();
  SmallVector<AffineExpr> inMap(spatial + 2), weightMap(spatial + 2);
  AffineExpr channel = loop();
  inMap[in.batch] = batchLoop;
  inMap[in.feature] = weightMap[weight.batch] = channel;
  weightMap[weight.feature] = featureLoop;
  for (int64_t i = 0; i < spatial; ++i) {
    AffineExpr k = loop();
    weightMap[weight.places[i]] = k;
    inMap[in.places[i]] = placeLoops[i] * w.stride[i] + k * w.windowDilation[i];
  }
  if (groups > 1) {
    int64_t axis = featureGroups > 1 ? in.feature : in.batch;
    x = split(x, axis, groups);
    inMap.insert(inMap.begin() + axis, groupLoop);
    kernel = split(kernel, weight.feature, groups);
    weightMap.insert(weightMap.begin() + weight.feature, groupLoop);
  }
  if (n.hasFailed())
    return failure();
  SmallVector<bool> isReduction(numLoops, true);
  std::fill_n(isReduction.begin(), resultMap.size(), false);
  auto map = [&](ArrayRef<AffineExpr> places) {
    return AffineMap::get(numLoops, 0, places, n.b.getContext());
  };
  Type element = n.resultElement();
  Value init = n.fill(resultSizes, n.zero(signless(element)));
  SmallVector<Value> sums = n.generic(
      {x, kernel}, init, {map(inMap), map(weightMap), map(resultMap)},
      isReduction, [&](OpBuilder &, Location, ValueRange v) {
        return SmallVector<Value>{addProduct(n, v[2], v[0], n.element(0), v[1],
                                             n.element(1), element)};
      });
  if (n.hasFailed())
    return failure();
  return n.set(0,
               groups > 1 ? n.reshape(sums.front(), wholeSizes) : sums.front());
}

static LogicalResult convolution(Node &n) {
  Convolution c(n);
  if (failed(c.read()))
    return failure();
  SizeList padding;
  for (int64_t number : n.ints("padding", 2 * c.spatial))
    padding.push_back(n.importer.sizes.constant(number));
  return n.hasFailed() ? failure() : c.run(padding);
}

static LogicalResult dynamicConvolution(Node &n) {
  Convolution c(n);
  if (failed(c.read()))
    return failure();
  auto padding = n.list(2, 2 * c.spatial);
  return padding ? c.run(*padding) : failure();
}

void mlir::symshape::stablehlo::addConvolutionOps(Registry &registry) {
  registry["convolution"] = Definition{convolution, 2, 1};
  registry["dynamic_conv"] = Definition{dynamicConvolution, 3, 1};
}
