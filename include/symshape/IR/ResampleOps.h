//===- ResampleOps.h - Sums of elements at places ---------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The op behind every resize of an image.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IR_RESAMPLEOPS_H
#define SYMSHAPE_IR_RESAMPLEOPS_H

#include "symshape/IR/SymShape.h"

#define GET_OP_CLASSES
#include "symshape/IR/ResampleOps.h.inc"

#endif // SYMSHAPE_IR_RESAMPLEOPS_H
