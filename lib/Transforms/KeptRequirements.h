//===- KeptRequirements.h - What ops require that fold -----------*- C++
//-*-===//
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

#ifndef SYMSHAPE_LIB_TRANSFORMS_KEPTREQUIREMENTS_H
#define SYMSHAPE_LIB_TRANSFORMS_KEPTREQUIREMENTS_H

#include "symshape/Analysis/FunctionShapes.h"

namespace mlir::symshape {

/// For a pass that checks nothing itself but says that what was required still
/// is: canonicalisation erases an op of which nothing but extents is used, or
/// replaces it by what it reads, as a reshape back or a copy to a type that
/// says no more, and with it its requirements.

/// Asserts what ops without effects require, where it is not proved.
void assertRequirements(FunctionShapes &shapes);

/// Erases the asserts that the above made before an op that still requires the
/// same. `shapes` is that of the function as it is now.
void eraseRepeatedAsserts(FunctionShapes &shapes);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_TRANSFORMS_KEPTREQUIREMENTS_H
