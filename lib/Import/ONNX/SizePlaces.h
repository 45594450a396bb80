//===- SizePlaces.h - Sizes at places, and folded ---------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to SizeMoves.cpp and SizePlaces.cpp: ops that gather, scatter or fold
// elements of small tensors, each for a node whose operand 0 is `x`, and what
// all moves share. Nullopt: not known, or no valid node.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_ONNX_SIZEPLACES_H
#define SYMSHAPE_LIB_IMPORT_ONNX_SIZEPLACES_H

#include "Lists.h"

namespace mlir::symshape::onnx {

using Ints = SmallVector<int64_t, 4>;

/// Of tensors that are followed.
constexpr int64_t mostNumbers = 64;
constexpr size_t largestRank = 3;

/// An operand that is constant integers, with its shape.
std::optional<Sizes> readPlaces(Node &n, size_t i);
/// The same of rank 1, or 0 for a single one.
std::optional<Ints> readConstants(Node &n, size_t i);
std::optional<int64_t> wrapAxis(int64_t axis, int64_t rank);
/// As axes of a tensor of that rank; nullopt unless each is one, once.
std::optional<llvm::SmallBitVector> toAxes(ArrayRef<int64_t> given,
                                           int64_t rank);
/// The numbers of x at the places that `from` says for coordinates of a result.
std::optional<Sizes>
take(const Sizes &x, Ints shape,
     llvm::function_ref<SmallVector<int64_t>(SmallVector<int64_t>)> from);

std::optional<Sizes> gatherSizes(Node &n, const Sizes &x);
std::optional<Sizes> gatherSizeElements(Node &n, const Sizes &x);
std::optional<Sizes> gatherSizesND(Node &n, const Sizes &x);
std::optional<Sizes> scatterSizeElements(Node &n, Sizes x, SizeMath &math);
std::optional<Sizes> scatterSizesND(Node &n, Sizes x, SizeMath &math);

using SizeStep = SizeMath::Result (SizeMath::*)(const Number &, const Number &);
std::optional<Sizes> reduceSizes(Node &n, const Sizes &x, SizeMath &math,
                                 SizeStep step);
/// CumSum.
std::optional<Sizes> sumSizesUp(Node &n, Sizes x, SizeMath &math);

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_LIB_IMPORT_ONNX_SIZEPLACES_H
