//===- Node.h - An op that is being imported --------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a definition sees of an op. Nothing in an artifact was verified: what is
// missing or of another kind is an error, which is kept, and a stand-in.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_STABLEHLO_NODE_H
#define SYMSHAPE_LIB_IMPORT_STABLEHLO_NODE_H

#include "Importer.h"
#include "mlir/IR/AffineMap.h"

namespace mlir::symshape::stablehlo {
class Scalars;

class Node {
public:
  Node(Importer &importer, Operation *op, StringRef name)
      : importer(importer), op(op), name(name), b(importer.b),
        loc(op->getLoc()) {}

  // Operands.
  size_t count() const { return op->getNumOperands(); }
  /// Null after an error.
  Operand *operand(size_t i);
  /// The tensor of an operand; null after an error.
  Value tensor(size_t i);
  /// The type that the artifact declares; null, after an error, if it is not a
  /// ranked tensor.
  RankedTensorType type(size_t i);
  /// Its elements, unsigned ones included.
  Type element(size_t i);
  int64_t rank(size_t i);
  /// The element of a tensor of rank 0; null after an error.
  Value scalar(size_t i);
  /// A list of `length` indices, as sizes or from the tensor.
  std::optional<SizeList> list(size_t i, int64_t length);
  bool isList(size_t i) {
    Operand *x = operand(i);
    return x && x->sizes;
  }

  // Attributes.
  Attribute attribute(StringRef attrName) { return op->getAttr(attrName); }
  /// Integers, of any of the forms that versions have; empty, after an error,
  /// if they are none. `length`: how many, if that is known.
  SmallVector<int64_t> ints(StringRef attrName,
                            std::optional<int64_t> length = std::nullopt);
  /// The same, each at least 0 and below `bound`, and none twice.
  SmallVector<int64_t> axes(StringRef attrName, int64_t bound);
  int64_t integer(StringRef attrName, int64_t least, int64_t most);
  StringRef word(StringRef attrName);
  bool flag(StringRef attrName);

  // Results.
  RankedTensorType resultType(size_t i = 0);
  Type resultElement(size_t i = 0);
  /// The extents that its type says; nullopt, after an error, if one is open.
  std::optional<SmallVector<OpFoldResult>> staticSizes(size_t i);
  /// Those that its type says, else those of a list; nullopt after an error.
  std::optional<SmallVector<OpFoldResult>> resultSizes(size_t i, size_t list);
  LogicalResult set(size_t i, Value tensor);
  LogicalResult set(size_t i, SizeList sizes);
  LogicalResult set(size_t i, Operand operand);
  /// All of them.
  LogicalResult setAll(ArrayRef<Operand> operands);
  LogicalResult setAll(ValueRange tensors);

  LogicalResult fail(const Twine &message);
  bool hasFailed() const { return importer.hasFailed(); }

  // Code.
  /// Computes scalars of the body of a structured op.
  using Body =
      llvm::function_ref<SmallVector<Value>(OpBuilder &, Location, ValueRange)>;
  SmallVector<OpFoldResult> extents(Value tensor);
  OpFoldResult extent(Value tensor, int64_t axis);
  Value empty(ArrayRef<OpFoldResult> sizes, Type element);
  Value fill(ArrayRef<OpFoldResult> sizes, Value element);
  Value zero(Type element);
  Value fromScalar(Value element);
  SmallVector<Value> generic(ValueRange inputs, ValueRange inits,
                             ArrayRef<AffineMap> maps,
                             ArrayRef<bool> isReduction, Body body);
  /// Each element from that of `tensor`.
  Value map(Value tensor, Type element,
            llvm::function_ref<Value(Scalars &, Value)> body);
  /// Each element from its coordinates.
  Value
  generate(ArrayRef<OpFoldResult> sizes, Type element,
           llvm::function_ref<Value(OpBuilder &, Location, ValueRange)> body);
  Value index(OpFoldResult value) { return importer.sizes.index(value); }
  Value cast(Value tensor, Type type);
  Value broadcast(Value tensor, ArrayRef<OpFoldResult> sizes,
                  ArrayRef<int64_t> dims);
  Value reshape(Value tensor, ArrayRef<OpFoldResult> sizes);
  Value transpose(Value tensor, ArrayRef<int64_t> permutation);
  Value pad(Value tensor, Value element, ArrayRef<OpFoldResult> low,
            ArrayRef<OpFoldResult> high, ArrayRef<int64_t> interior);
  /// A loop that carries values: its body gives the next ones.
  SmallVector<Value>
  loop(Value from, Value to, Value step, ValueRange inits,
       llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body);
  /// Loops over all coordinates, which carry tensors.
  SmallVector<Value>
  loops(ArrayRef<OpFoldResult> sizes, ValueRange inits,
        llvm::function_ref<SmallVector<Value>(ValueRange, ValueRange)> body);
  /// The body of a region on scalars, in code that computes scalars.
  FailureOr<SmallVector<Value>> inlineScalars(Region &region,
                                              ValueRange inputs);

  Importer &importer;
  Operation *op;
  StringRef name; ///< without a version
  OpBuilder &b;
  Location loc;
  /// Quantized tensors are seen as the floats that they stand for.
  bool isOnFloats = false;
};

/// The sizes as they are used as extents.
SmallVector<OpFoldResult> valuesOf(ArrayRef<Size> sizes);

// Families of definitions.
void addBatchNormOps(Registry &registry);
void addBitcastOps(Registry &registry);
void addBroadcastOps(Registry &registry);
void addDynamicSliceOps(Registry &registry);
void addElementwiseOps(Registry &registry);
void addMovementOps(Registry &registry);
void addSizeOps(Registry &registry);
void addReductionOps(Registry &registry);
void addProductOps(Registry &registry);
void addGatheringOps(Registry &registry);
void addControlFlowOps(Registry &registry);
void addOrderingOps(Registry &registry);
void addWindowOps(Registry &registry);
void addRandomOps(Registry &registry);
void addLinearAlgebraOps(Registry &registry);
void addFourierOps(Registry &registry);
void addCustomCalls(Registry &registry);
void addQuantizedOps(Registry &registry);

} // namespace mlir::symshape::stablehlo

#endif // SYMSHAPE_LIB_IMPORT_STABLEHLO_NODE_H
