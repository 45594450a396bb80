//===- Npy.h - Files of NumPy's .npy format ---------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes single arrays. Not for: .npz archives, structured or object
// types, which are errors.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXECUTION_NPY_H
#define SYMSHAPE_EXECUTION_NPY_H

#include "symshape/Execution/TensorBuffer.h"

namespace mlir::symshape {

/// Reads an array from the bytes of a .npy file of version 1, 2 or 3. Foreign
/// byte order and Fortran order are converted; bytes of a bool become 0 or 1.
llvm::Expected<TensorBuffer> parseNpy(llvm::StringRef bytes);

/// Reads a .npy file; errors begin with its path.
llvm::Expected<TensorBuffer> readNpy(llvm::StringRef path);

/// The type and extents of a .npy file that `readNpy` can read, as a tensor
/// without elements.
llvm::Expected<TensorBuffer> readNpyType(llvm::StringRef path);

/// Writes a .npy file of version 1, replacing what was there. An index is
/// written as a 64-bit integer, a bf16 as the ml_dtypes package does it: `<V2`.
llvm::Error writeNpy(llvm::StringRef path, const TensorBuffer &tensor);

} // namespace mlir::symshape

#endif // SYMSHAPE_EXECUTION_NPY_H
