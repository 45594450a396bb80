//===- Passes.h - What a pipeline asks of its input -------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes that prepare for all the passes after them. Not for: steps of a
// lowering (Conversion).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_PIPELINES_PASSES_H
#define SYMSHAPE_PIPELINES_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include <memory>

namespace mlir::symshape {
#define GEN_PASS_DECL
#include "symshape/Pipelines/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "symshape/Pipelines/Passes.h.inc"
} // namespace mlir::symshape

#endif // SYMSHAPE_PIPELINES_PASSES_H
