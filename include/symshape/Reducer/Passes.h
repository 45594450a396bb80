//===- Passes.h - Reduction of symshape -------------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass of `symshape-reduce`, by name.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_REDUCER_PASSES_H
#define SYMSHAPE_REDUCER_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::symshape {

#define GEN_PASS_DECL
#include "symshape/Reducer/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "symshape/Reducer/Passes.h.inc"

} // namespace mlir::symshape

#endif // SYMSHAPE_REDUCER_PASSES_H
