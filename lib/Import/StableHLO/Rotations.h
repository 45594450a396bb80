//===- Rotations.h - Rotations of two lines of a matrix ---------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What Jacobi's methods for eigenvalues and for singular values have in common
// (Golub and Van Loan, Matrix Computations, 8.5 and 8.6).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_STABLEHLO_ROTATIONS_H
#define SYMSHAPE_LIB_IMPORT_STABLEHLO_ROTATIONS_H

#include "LinearAlgebra.h"

namespace mlir::symshape::stablehlo {

struct Rotation {
  /// The one that makes the symmetric matrix [[first, off], [off, second]]
  /// diagonal, by an angle of at most 45 degrees; none where `isDone`.
  static Rotation diagonalize(Matrices &m, Value first, Value second, Value off,
                              Value isDone);
  /// Turns two columns, or rows, of `length` elements.
  Value turn(Matrices &m, Value matrix, Value length, Value one, Value other,
             bool areRows) const;

  Value cosine, sine;
};

} // namespace mlir::symshape::stablehlo

#endif // SYMSHAPE_LIB_IMPORT_STABLEHLO_ROTATIONS_H
