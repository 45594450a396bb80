//===- Conditions.h - For which sizes a model is valid ----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IMPORT_EXTENTS_CONDITIONS_H
#define SYMSHAPE_IMPORT_EXTENTS_CONDITIONS_H

#include "symshape/Import/Extents/ModelExtents.h"

namespace mlir::symshape::onnx {

/// For which sizes the model is valid, in a sentence, without an end of line:
/// `valid for H, W >= 1`, `valid for every size`, `valid for no size: ...`.
std::string describeValidity(ModelExtents &extents);

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_IMPORT_EXTENTS_CONDITIONS_H
