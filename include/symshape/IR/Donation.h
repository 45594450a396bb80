//===- Donation.h - Results in the memory of arguments ----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names of attributes of arguments that a call may overwrite. Not for: which
// results are written so, which bufferization finds out.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IR_DONATION_H
#define SYMSHAPE_IR_DONATION_H

#include "llvm/ADT/StringRef.h"

namespace mlir::symshape {

/// On an argument of an entry: the number of the result that may be returned in
/// its memory. What a call leaves there otherwise is not specified.
inline constexpr llvm::StringLiteral kDonated = "symshape.donated";

/// The same, as what wrote the program proposes. It does nothing by itself: the
/// caller decides.
inline constexpr llvm::StringLiteral kDonatable = "symshape.donatable";

} // namespace mlir::symshape

#endif // SYMSHAPE_IR_DONATION_H
