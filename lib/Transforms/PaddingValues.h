//===- PaddingValues.h - What a structured op may be padded with *- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values for the elements that padding adds to the operands of a structured op,
// such that no element of its result changes. Not for: extents.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_TRANSFORMS_PADDINGVALUES_H
#define SYMSHAPE_LIB_TRANSFORMS_PADDINGVALUES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::symshape {

/// For each operand of the op.
struct PaddingValues {
  SmallVector<TypedAttr> values;
  /// Whether another value would change a result. Elsewhere any element does,
  /// since it only enters results that are cut away.
  llvm::SmallBitVector matters;
};

/// Values for the case that the loops of `padded` run further than the op's,
/// and each operand that a loop indexes directly is padded along it. On failure
/// `reason` says why there are none.
FailureOr<PaddingValues> choosePadding(linalg::LinalgOp op,
                                       const llvm::SmallBitVector &padded,
                                       std::string &reason);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_TRANSFORMS_PADDINGVALUES_H
