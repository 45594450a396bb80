//===- TosaLowering.h - Lowering of one op of tosa ------------ -*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the files of this folder share. Each function replaces one op, which is
// ranked, by ops of linalg, tensor and symshape; what the op requires has been
// checked. False: the op is left to upstream's patterns, and nothing changed.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_TOSA_TOSALOWERING_H
#define SYMSHAPE_LIB_CONVERSION_TOSA_TOSALOWERING_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mlir::symshape {

inline bool isTosa(Operation *op) {
  return isa_and_nonnull<tosa::TosaDialect>(op->getDialect());
}

/// Whether operand 1 of `op` is weights, and operand 2 a bias.
inline bool isConvolution(Operation *op) {
  return isa<tosa::Conv2DOp, tosa::Conv3DOp, tosa::DepthwiseConv2DOp,
             tosa::TransposeConv2DOp>(op);
}

/// Values as ones of these types: extents may be known on one side only.
inline SmallVector<Value> castTo(OpBuilder &b, Location loc, ValueRange values,
                                 TypeRange types) {
  SmallVector<Value> result;
  for (auto [value, type] : llvm::zip(values, types))
    result.push_back(b.createOrFold<tensor::CastOp>(loc, type, value));
  return result;
}

/// Refuses attributes and types that the specification forbids, and upstream's
/// verifiers do not look at. `op` is of any dialect.
LogicalResult verifyTosa(Operation *op);

/// The elements of shape values, as indices.
class ShapeValues {
public:
  /// Computes the results of an op on shapes, after the op. False for others.
  bool compute(OpBuilder &b, Operation *op);
  /// Empty for a shape that was not computed, such as an argument.
  SmallVector<OpFoldResult> elementsOf(Value shape) const;
  /// A tensor of indices with the elements of a shape; null if it was not
  /// computed.
  Value makeTensor(OpBuilder &b, RankedTensorType type, Value shape) const;

private:
  DenseMap<Value, SmallVector<Value>> elements;
};

/// Operands of elementwise ops, and dimensions along which one may expand
/// because it turns out to be 1, as NumPy has it.
using ExpandingDims =
    DenseMap<Operation *, SmallVector<std::pair<unsigned, int64_t>>>;

struct TosaLowering {
  explicit TosaLowering(MLIRContext *context);

  bool lower(Operation *op);

  IRRewriter b;
  ShapeValues shapes;
  ExpandingDims expanding;
  /// Whether elements that an op requires something of are checked.
  bool checks = true;
  /// Patterns of upstream for what this leaves.
  FrozenRewritePatternSet otherPatterns;

private:
  bool lowerElementwise(Operation *op);
  bool lowerInSumType(Operation *op);
  bool lowerNegate(tosa::NegateOp op);
  void lowerSigmoid(tosa::SigmoidOp op);
  bool lowerRescale(tosa::RescaleOp op);
  bool lowerFourier(Operation *op);
  bool lowerMovement(Operation *op);
  bool lowerWindows(Operation *op);

  void replace(Operation *op, ValueRange results);
  Value expand(Operation *op, unsigned operand, ArrayRef<OpFoldResult> sizes);
  void expandBias(Operation *op);
  /// Ends the call where elements are not what an elementwise op requires.
  void checkElements(Operation *op, ValueRange inputs,
                     ArrayRef<AffineMap> inputMaps,
                     ArrayRef<OpFoldResult> sizes);
  /// Lets a shift of an integer by its width or more leave 0.
  static void clearFarShifts(Region &body);
  Value reshape(tosa::ReshapeOp op);
  Value slice(tosa::SliceOp op);
  Value pad(tosa::PadOp op);
  Value tile(tosa::TileOp op);
  Value concat(tosa::ConcatOp op);
  Value gather(tosa::GatherOp op);
  Value scatter(tosa::ScatterOp op);
  Value reverse(tosa::ReverseOp op);
  Value resize(tosa::ResizeOp op);
  Value averagePool(tosa::AvgPool2dOp op);

  TypeConverter converter; ///< of the patterns
  FrozenRewritePatternSet scalarPatterns;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_TOSA_TOSALOWERING_H
