//===- Promotion.h - The type that operands are computed in -----*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands of several types are brought to one.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_PYTORCH_PROMOTION_H
#define SYMSHAPE_LIB_IMPORT_PYTORCH_PROMOTION_H

#include "GraphWriter.h"

namespace mlir::symshape::pytorch {

/// The type that PyTorch computes in with these operands, of which some are
/// numbers of Python.
struct Promoted {
  GraphValue value;
  bool isNumber = false;
};
onnx::DataType promote(llvm::ArrayRef<Promoted> operands);

} // namespace mlir::symshape::pytorch

#endif // SYMSHAPE_LIB_IMPORT_PYTORCH_PROMOTION_H
