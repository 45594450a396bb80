//===- OpCosts.h - Bytes and FLOP of an op ----------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What one op of a program on tensors reads, writes and computes, as it is
// written: before any fusion. For reports.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_PIPELINES_OPCOSTS_H
#define SYMSHAPE_PIPELINES_OPCOSTS_H

#include "symshape/Analysis/FunctionShapes.h"

namespace mlir::symshape {

/// Bytes of the tensors that `op` takes and gives, each once and in full; those
/// that it only writes over count once, as results. Null for an op without
/// tensors, or with elements of unknown size.
Expr bytesOf(FunctionShapes &shapes, Operation *op);

/// Operations on floating-point numbers that `op` makes: arithmetic and each
/// function of math counts as one, a fused multiply-add as two; comparisons,
/// selections and conversions as none. Known of structured ops, whose body is
/// counted for each iteration, of elementwise ops, and of the products and
/// convolutions of TOSA; null for other ops on floating-point numbers that
/// compute.
Expr flopOf(FunctionShapes &shapes, Operation *op);

} // namespace mlir::symshape

#endif // SYMSHAPE_PIPELINES_OPCOSTS_H
