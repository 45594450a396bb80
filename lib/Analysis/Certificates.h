//===- Certificates.h - What guards are minimised over ----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Analysis.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_ANALYSIS_CERTIFICATES_H
#define SYMSHAPE_LIB_ANALYSIS_CERTIFICATES_H

#include "symshape/Analysis/GuardAnalysis.h"

namespace mlir::symshape {

/// Declares what holds of dims once only their common bound is checked, and so
/// of the symbols of `guards`, which are functions of them.
void declareDims(FunctionShapes &shapes, ArrayRef<Guard> guards,
                 ConstraintSet &set);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_ANALYSIS_CERTIFICATES_H
