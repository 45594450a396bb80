//===- SaveSafeTensors.h - Write weight files -------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes .safetensors files. Not for: reading (SafeTensors.h).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXECUTION_SAVESAFETENSORS_H
#define SYMSHAPE_EXECUTION_SAVESAFETENSORS_H

#include "symshape/Execution/TensorBuffer.h"
#include <string>

namespace mlir::symshape {

/// A tensor by its name.
struct NamedTensor {
  std::string name;
  TensorBuffer tensor;
};

/// Prints tensors, whose names differ, so that each is aligned to its elements,
/// and the first to 64 bytes. An index is printed as a signed integer.
void printSafeTensors(llvm::raw_ostream &os,
                      const std::vector<NamedTensor> &tensors);

} // namespace mlir::symshape

#endif // SYMSHAPE_EXECUTION_SAVESAFETENSORS_H
