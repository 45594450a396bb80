//===- SymShape.h - Dialect, attributes and ops of symshape -----*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a user of the dialect includes. Not for: analyses (Analysis) and
// rewrites (Transforms).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IR_SYMSHAPE_H
#define SYMSHAPE_IR_SYMSHAPE_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "symshape/IR/Derivatives.h"
#include "symshape/IR/ShapeFacts.h"

namespace mlir {
class PatternRewriter;
} // namespace mlir

namespace mlir::symshape {
/// What is known of shapes; no memory.
struct FactsResource : SideEffects::Resource::Base<FactsResource> {
  StringRef getName() final { return "<shape facts>"; }
};

/// Whether an op of the dialect may run where it did not stand: it has no
/// effect, all that its rule requires follows from types and constants, nothing
/// that it checks depends on data, and each of its results is static or, but
/// for a small factor, no larger than an operand. So no call fails, or runs out
/// of memory, that would not have.
Speculation::Speculatability getSpeculatabilityByRule(Operation *op);

/// A name in the text of `size` or `assert`, and what it stands for there.
/// Builders take these in any order. A constant becomes a number in the text,
/// and a name that the text does not have is left out. A name of the text
/// without a value is a symbol; the text uses symbols after names of operands.
///
/// Example: "min(p, q) + N" with q = %x and p = 4 is "min(4, q) + N" (q = %x).
using NamedValue = std::pair<StringRef, OpFoldResult>;

/// Whether two lists of types have the same element types, and no different
/// static extents.
bool areInferredTypesCompatible(TypeRange inferred, TypeRange actual);

template <typename ConcreteType>
struct SpeculatableIfValid
    : OpTrait::TraitBase<ConcreteType, SpeculatableIfValid> {
  Speculation::Speculatability getSpeculatability() {
    return getSpeculatabilityByRule(this->getOperation());
  }
};
} // namespace mlir::symshape

#include "symshape/IR/DerivativeInterfaces.h.inc"
#include "symshape/IR/ShapeFactsInterface.h.inc"
#include "symshape/IR/SymShapeDialect.h.inc"
#include "symshape/IR/SymShapeEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "symshape/IR/SymShapeAttrs.h.inc"

#define GET_OP_CLASSES
#include "symshape/IR/SymShapeOps.h.inc"

namespace mlir::symshape {

/// The distinct names of an expression or relation in text, in order of first
/// use. Text that does not parse gives the names before the fault.
SmallVector<StringRef> namesInText(StringRef text);

/// Replaces each `bind_shape` and `assume` under `root` by its operands: for
/// passes, such as bufferization, that do not know them. Run it when no later
/// analysis needs what they say.
void eraseShapeCarriers(Operation *root);

} // namespace mlir::symshape

#endif // SYMSHAPE_IR_SYMSHAPE_H
