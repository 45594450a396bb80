//===- Convolutions.cpp - Convolutions as structured ops ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of any number of axes, in groups. The border is padded first; what is left is
// one structured op.
//
//===----------------------------------------------------------------------===//

#include "Convolutions.h"
#include "Activations.h"
#include "Families.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

/// The body that adds products of numbers of these types to a sum of `type`.
static auto addProducts(DataType left, DataType right, DataType type) {
  return [=](Scalars &s, ArrayRef<Value> v) {
    return s.add(v[2],
                 s.mul(s.cast(v[0], left, type), s.cast(v[1], right, type)));
  };
}

/// Loops: batch, [group,] feature, places of windows, [channel of a group,]
/// places in a window. Groups of one channel and one feature have no loops over
/// these.
static Tensor convolveAllAxes(Emitter &e, const Tensor &x, const Tensor &w,
                              const Window &window, int64_t groups,
                              DataType type) {
  Expr count = e.constant(groups);
  Expr channels = e.divideExactly(x.dims[1], count);
  Expr features = e.divideExactly(w.dims[0], count);
  bool grouped = groups != 1;
  bool single = grouped && channels.isConstant(1) && features.isConstant(1);
  SmallVector<Expr, 6> inDims, weightDims, outDims;
  SmallVector<AffineExpr> in, weight, out;
  unsigned next = 0;
  // Another loop, over an axis of each tensor for which an extent is given.
  auto loop = [&](Expr ofInput, Expr ofWeights, Expr ofResult) {
    AffineExpr index = e.builder().getAffineDimExpr(next++);
    for (auto [extent, dims, places] :
         {std::tuple(ofInput, &inDims, &in),
          std::tuple(ofWeights, &weightDims, &weight),
          std::tuple(ofResult, &outDims, &out)})
      if (extent) {
        dims->push_back(extent);
        places->push_back(index);
      }
    return index;
  };
  loop(x.dims[0], {}, x.dims[0]);
  if (single)
    loop(x.dims[1], w.dims[0], w.dims[0]);
  else if (grouped)
    loop(count, count, count);
  if (!single)
    loop({}, features, features);
  SmallVector<AffineExpr> at;
  for (Expr places : window.count)
    at.push_back(loop({}, {}, places));
  SmallVector<bool> isReduction(next, false);
  if (!single)
    loop(channels, w.dims[1], {});
  for (size_t i = 0; i < at.size(); ++i) {
    AffineExpr k = loop({}, w.dims[2 + i], {});
    in.push_back(placeRead(window, i, at[i], k));
    inDims.push_back(x.dims[2 + i]);
  }
  isReduction.resize(next, true);
  AffineMap maps[] = {AffineMap::get(next, 0, in, e.context()),
                      AffineMap::get(next, 0, weight, e.context()),
                      AffineMap::get(next, 0, out, e.context())};
  Tensor input = e.reshape(x, inDims), filter = e.reshape(w, weightDims);
  Tensor sums = e.structured({input, filter}, e.fill(outDims, type, 0.0), maps,
                             isReduction, addProducts(x.type, w.type, type));
  SmallVector<Expr, 6> whole{x.dims[0], w.dims[0]};
  llvm::append_range(whole, window.count);
  return e.reshape(sums, whole);
}

Tensor mlir::symshape::onnx::convolve(Emitter &e, const Tensor &x,
                                      const Tensor &w, const Window &window,
                                      int64_t groups, DataType type) {
  SmallVector<Expr, 6> in(x.dims.begin(), x.dims.begin() + 2),
      weights(w.dims.begin(), w.dims.begin() + 2), out{x.dims[0], w.dims[0]};
  Window kept;
  for (size_t i = 0; i < window.kernel.size(); ++i) {
    Expr extent = x.dims[i + 2], kernel = window.kernel[i];
    if (extent.isConstant(1) && kernel.isConstant(1) &&
        w.dims[i + 2].isConstant(1) && window.count[i].isConstant(1))
      continue;
    in.push_back(extent);
    weights.push_back(w.dims[i + 2]);
    kept.kernel.push_back(kernel);
    kept.strides.push_back(window.strides[i]);
    kept.dilations.push_back(window.dilations[i]);
    kept.count.push_back(window.count[i]);
  }
  if (kept.kernel.size() == window.kernel.size())
    return convolveAllAxes(e, x, w, window, groups, type);
  Tensor sums = convolveAllAxes(e, e.reshape(x, in), e.reshape(w, weights),
                                kept, groups, type);
  llvm::append_range(out, window.count);
  return e.reshape(sums, out);
}

std::optional<SmallVector<Expr, 4>>
mlir::symshape::onnx::kernelOf(Node &n, const Tensor &w) {
  Emitter &e = n.emit();
  SmallVector<Expr, 4> kernel(w.dims.begin() + 2, w.dims.end());
  if (auto given = n.intsAttr("kernel_shape")) {
    if (given->size() != kernel.size()) {
      (void)n.fail("expected a kernel for the axes from the third on");
      return std::nullopt;
    }
    for (auto [own, declared] : llvm::zip(kernel, *given)) {
      e.require(Relation::eq(own, e.constant(declared)),
                "the weights must have the kernel shape");
      own = e.constant(declared);
    }
  }
  for (Expr extent : kernel) {
    if (extent.isConstant(0)) {
      (void)n.fail("expected a kernel of extents from 1, but got 0");
      return std::nullopt;
    }
    e.require(Relation::ge(extent, e.constant(1)),
              "a kernel must have an element");
  }
  return kernel;
}

LogicalResult mlir::symshape::onnx::requireGroups(Node &n, Expr channels,
                                                  Expr ofWeights,
                                                  int64_t groups,
                                                  Expr features) {
  Emitter &e = n.emit();
  Expr count = e.constant(groups);
  for (Expr split : {channels, features ? features : channels})
    if (split.asInt64() && *split.asInt64() % groups != 0)
      return n.fail("expected channels and features in " + Twine(groups) +
                    " groups, but got " + split.str());
  e.require(Relation::eq(ofWeights, channels),
            "the weights must have the channels of the input");
  if (features && groups != 1)
    e.require(Relation::divides(count, features),
              "features must form groups of one size");
  return success();
}

Tensor mlir::symshape::onnx::addBias(Emitter &e, const Tensor &sums,
                                     const Tensor &bias) {
  if (bias.rank() != 1) {
    e.refuse("expected a bias of rank 1, but got rank " + Twine(bias.rank()));
    return sums;
  }
  e.require(Relation::eq(bias.dims[0], sums.dims[1]),
            "there must be a bias for each feature");
  SmallVector<int64_t> axes;
  for (int64_t i = 1; i + 1 < sums.rank(); ++i)
    axes.push_back(i);
  return e.wrap(e.add(sums, e.unsqueeze(bias, axes)).value, sums.dims,
                sums.type);
}

Tensor mlir::symshape::onnx::convolution(Node &n, const Tensor &x,
                                         const Tensor &w) {
  Emitter &e = n.emit();
  int64_t groups = n.intAttr("group", 1);
  if (x.rank() < 3 || x.rank() != w.rank() || x.type != w.type || groups < 1) {
    (void)n.fail("expected input and weights of one type and of one rank from "
                 "3, and a number of groups");
    return Tensor();
  }
  auto kernel = kernelOf(n, w);
  if (!kernel || failed(requireGroups(n, x.dims[1], w.dims[1] * groups, groups,
                                      w.dims[0])))
    return Tensor();
  auto window = readWindow(n, x, *kernel, /*isPool=*/false);
  if (!window)
    return Tensor();
  Scalars s(e.builder(), e.loc());
  Value zero = s.number(elementType(e.context(), x.type), 0);
  return convolve(e, padWindow(e, x, *window, zero), w, *window, groups,
                  x.type);
}

/// Null after an error.
static Tensor convolutionWithBias(Node &n) {
  if (n.type(0) != n.type(1)) {
    (void)n.fail("expected input and weights of one type");
    return Tensor();
  }
  Tensor sums = convolution(n, n.wideTensor(0), n.wideTensor(1));
  return sums && n.has(2) ? addBias(n.emit(), sums, n.wideTensor(2)) : sums;
}

static LogicalResult conv(Node &n) {
  Tensor sums = convolutionWithBias(n);
  return sums ? n.setRounded(0, sums) : failure();
}

/// Of com.microsoft: a convolution, what is added to it, and an activation.
/// Source: ONNX Runtime, docs/ContribOperators.md.
static LogicalResult fusedConv(Node &n) {
  Emitter &e = n.emit();
  Tensor y = convolutionWithBias(n);
  if (!y)
    return failure();
  if (n.has(3)) {
    Tensor added = n.wideTensor(3);
    if (added.rank() != y.rank())
      return n.fail("expected what is added to be of rank " + Twine(y.rank()));
    for (auto [one, other] : llvm::zip(added.dims, y.dims))
      e.require(Relation::eq(one, other),
                "what is added must have the extents of the convolution");
    y = e.wrap(e.add(y, added).value, y.dims, y.type);
  }
  auto parameters =
      n.floatsAttr("activation_params").value_or(std::vector<float>());
  Tensor activated = fusedActivation(n, y, parameters);
  return activated ? n.setRounded(0, activated) : failure();
}

void mlir::symshape::onnx::addConvolutionOps(Registry &registry) {
  registry.add("Conv", 2, conv);
  registry.add("com.microsoft", "FusedConv", {2, fusedConv});
}
