//===- TransposedConvolutions.cpp - ConvTranspose, with channels first ----===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Convolutions.h"
#include "Families.h"
#include "symshape/IR/TransposedConvolution.h"
#include "symshape/IR/WindowExtents.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

/// The strides and extents that a node asks for.
static FailureOr<TransposedConvolution> readExtents(Node &n, const Tensor &x,
                                                    const Tensor &w,
                                                    ArrayRef<Expr> kernel,
                                                    int64_t groups) {
  Emitter &e = n.emit();
  size_t axes = kernel.size();
  auto steps = readSteps(n, axes);
  auto extra = listAttr(n, "output_padding", axes, 0, 0);
  if (!steps || !extra)
    return failure();
  for (size_t i = 0; i < axes; ++i)
    if ((*extra)[i] >= std::max(steps->strides[i], steps->dilations[i]))
      return n.fail("expected output_padding less than stride or dilation, but "
                    "got " +
                    Twine((*extra)[i]));
  if (failed(requireGroups(n, x.dims[1], w.dims[0], groups)))
    return failure();
  auto shape = n.intsAttr("output_shape");
  StringRef mode = n.textAttr("auto_pad", "NOTSET");
  bool same = mode == "SAME_UPPER" || mode == "SAME_LOWER";
  if (shape && shape->size() != axes && shape->size() != axes + 2)
    return n.fail("expected an output shape of the spatial axes");
  // Weights are [C, F / groups, ...].
  SmallVector<Expr, 4> split{e.constant(groups),
                             e.divideExactly(w.dims[0], e.constant(groups)),
                             w.dims[1]};
  llvm::append_range(split, kernel);
  SizedTensor image{x.value, x.dims};
  SizedTensor weights{e.reshape(w, split).value, split};
  TransposedConvolution c{e.loc(),        image,
                          weights,        w.dims[1] * groups,
                          steps->strides, steps->dilations};
  for (size_t i = 0; i < axes; ++i) {
    Expr extent = x.dims[i + 2];
    Expr full =
        transposedExtent(extent, kernel[i], c.strides[i], c.dilations[i]) +
        (*extra)[i];
    Expr before = e.constant(steps->pads[i]),
         behind = e.constant(steps->pads[axes + i]);
    if (shape || same) {
      Expr wanted = shape ? e.constant((*shape)[shape->size() - axes + i])
                          : extent * c.strides[i];
      Expr all = full - wanted;
      Expr half = e.arena().floorDiv(all, e.constant(2));
      before = mode == "SAME_UPPER" ? half : all - half;
      behind = all - before;
    }
    c.before.push_back(before);
    c.count.push_back(full - before - behind);
  }
  return c;
}

static LogicalResult convTranspose(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.wideTensor(0), w = n.wideTensor(1);
  int64_t groups = n.intAttr("group", 1);
  if (x.rank() < 3 || x.rank() != w.rank() || n.type(0) != n.type(1) ||
      groups < 1)
    return n.fail("expected input and weights of one type and of one rank from "
                  "3, and a number of groups");
  auto kernel = kernelOf(n, w);
  if (!kernel)
    return failure();
  auto c = readExtents(n, x, w, *kernel, groups);
  if (failed(c))
    return failure();
  Window direct;
  direct.strides.assign(kernel->size(), 1);
  direct.dilations = c->dilations;
  Value result = c->build(
      e.builder(), [&](Expr extent) { return e.fold(e.simplify(extent)); },
      [&](const SizedTensor &image, const SizedTensor &weights,
          ArrayRef<Expr> places) {
        direct.kernel.assign(weights.dims.begin() + 2, weights.dims.end());
        direct.count.assign(places.begin(), places.end());
        return convolve(e, e.wrap(image.value, image.dims, x.type),
                        e.wrap(weights.value, weights.dims, x.type), direct,
                        groups, x.type)
            .value;
      });
  SmallVector<Expr, 6> dims{x.dims[0], c->features};
  llvm::append_range(dims, c->count);
  Tensor sums = e.wrap(result, dims, x.type);
  if (n.has(2))
    sums = addBias(e, sums, n.wideTensor(2));
  return n.setRounded(0, sums);
}

void mlir::symshape::onnx::addTransposedConvolutionOps(Registry &registry) {
  registry.add("ConvTranspose", 2, convTranspose);
}
