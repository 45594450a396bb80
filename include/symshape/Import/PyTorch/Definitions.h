//===- Definitions.h - Ops that models have no word for ---------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes as integers, what is required of them, and a few ops on tensors. Not
// for: models of ONNX.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IMPORT_PYTORCH_DEFINITIONS_H
#define SYMSHAPE_IMPORT_PYTORCH_DEFINITIONS_H

#include "symshape/Import/ONNX/Node.h"

namespace mlir::symshape::pytorch {

/// The ops that only graphs of exported programs use.
void addOps(onnx::Registry &registry);

} // namespace mlir::symshape::pytorch

#endif // SYMSHAPE_IMPORT_PYTORCH_DEFINITIONS_H
