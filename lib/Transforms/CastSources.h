//===- CastSources.h - Ops that read what casts are of ----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What upstream's rewrites make of ops whose operands are casts. Not for: which
// of these rewrites may be applied (UpstreamTensors.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_TRANSFORMS_CASTSOURCES_H
#define SYMSHAPE_LIB_TRANSFORMS_CASTSOURCES_H

#include "mlir/IR/OwningOpRef.h"

namespace mlir::symshape {

/// What upstream reads instead of `value`, a cast: a tensor of a type that says
/// more, or a buffer of any type that has a rank. `value` itself if there is
/// none.
Value skipCast(Value value);

/// Whether an operand of `op` is such a cast.
bool readsCasts(Operation *op);

/// A copy before `op`, as long as it is held, with other operands. Results that
/// are tied to operands change their types with these.
OwningOpRef<Operation *> cloneReading(Operation *op,
                                      function_ref<Value(OpOperand &)> operand);

/// A copy that reads what casts are of.
OwningOpRef<Operation *> cloneReadingSources(Operation *op);

/// Whether the verifier of `op` accepts it, without words.
bool isValidAlone(Operation *op);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_TRANSFORMS_CASTSOURCES_H
