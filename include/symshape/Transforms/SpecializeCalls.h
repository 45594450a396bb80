//===- SpecializeCalls.h - Functions for what calls pass --------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Carries extents that are proved constants, and numbers that divide extents,
// across calls of private functions.
// Not for: public functions, whose types are a contract.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TRANSFORMS_SPECIALIZECALLS_H
#define SYMSHAPE_TRANSFORMS_SPECIALIZECALLS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/LogicalResult.h"

namespace mlir::symshape {

/// Refines types where extents are proved constants, as `symshape-infer-shapes`
/// does, and carries them into private functions that are only called and not
/// recursive, and back into the types of results. A function whose calls pass
/// different static types becomes one function for each of them; one that is no
/// longer called is erased. Then, where a signature of the module declares a
/// divisor, does the same for numbers from 8 up that provably divide what calls
/// pass: the function assumes them (`symshape.assume`). Repeats this until
/// nothing changes: at most once for each level of the call graph, each time an
/// analysis.
LogicalResult specializeCalls(ModuleOp module);

} // namespace mlir::symshape

#endif // SYMSHAPE_TRANSFORMS_SPECIALIZECALLS_H
