//===- UnusedRequirements.h - What unused ops require -----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to Transforms.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_TRANSFORMS_UNUSEDREQUIREMENTS_H
#define SYMSHAPE_LIB_TRANSFORMS_UNUSEDREQUIREMENTS_H

#include "symshape/Analysis/FunctionShapes.h"

namespace mlir::symshape {

/// Asserts what is required, and not proved, by ops of which nothing but
/// extents is used: canonicalisation erases them, and with them their
/// requirements. For a pass that checks nothing itself but says that what was
/// required still is.
void assertOfUnused(FunctionShapes &shapes);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_TRANSFORMS_UNUSEDREQUIREMENTS_H
