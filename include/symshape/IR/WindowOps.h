//===- WindowOps.h - Windows over a tensor ----------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops of the dialect that few passes look at by name.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IR_WINDOWOPS_H
#define SYMSHAPE_IR_WINDOWOPS_H

#include "symshape/IR/SymShape.h"

#define GET_OP_CLASSES
#include "symshape/IR/WindowOps.h.inc"

#endif // SYMSHAPE_IR_WINDOWOPS_H
