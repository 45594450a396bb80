//===- TosaFixups.h - What upstream refuses without need -------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to Execution.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_EXECUTION_TOSAFIXUPS_H
#define SYMSHAPE_LIB_EXECUTION_TOSAFIXUPS_H

#include "mlir/IR/Block.h"

namespace mlir::symshape {

/// Rewrites ops of tosa that are right, but that upstream's verifier refuses:
///
///   tosa.pad %x, %p      where tosa.concat_shape joins %p from constants: the
///                        numbers become one constant
///   tosa.rescale %x, %m  per channel, where only one type says how many there
///                        are: tensor.cast says so of the others
///
/// Nothing in `block` need be verified, and what is wrong stays as it is.
void fixTosaOps(Block &block);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXECUTION_TOSAFIXUPS_H
