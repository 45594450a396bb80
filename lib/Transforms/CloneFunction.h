//===- CloneFunction.h - Copies of functions, and unique names --*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What passes add to a module beside a function of the user. Private to
// Transforms. Not for: changing the calls.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_TRANSFORMS_CLONEFUNCTION_H
#define SYMSHAPE_LIB_TRANSFORMS_CLONEFUNCTION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::symshape {

/// `name` if no symbol beside `function` has it, else `name_0`, `name_1`, ...
std::string getUniqueName(func::FuncOp function, const Twine &name);

/// A private copy, after `place`, with a unique name. Nobody outside calls it:
/// it has no versions, no weights and no C interface. Messages spell it as they
/// spell `function`.
func::FuncOp cloneFunction(func::FuncOp function, const Twine &name,
                           Operation *place);

/// Makes what refers to `function` inside of the module refer to a copy of it:
/// what is to be assumed of calls from outside need not hold for these. Fails,
/// and changes nothing, if an op might hide a reference.
LogicalResult separateInnerCalls(func::FuncOp function);

/// The same for the calls that `function` itself leads to, if there are any.
void separateRecursion(func::FuncOp function);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_TRANSFORMS_CLONEFUNCTION_H
