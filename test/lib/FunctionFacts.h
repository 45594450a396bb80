//===- FunctionFacts.h - What is known where a function returns -*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The facts of a module's functions in words that a pass does not change: the
// extents of arguments and results by their numbers. For drivers that ask
// whether a pass loses one.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TEST_LIB_FUNCTIONFACTS_H
#define SYMSHAPE_TEST_LIB_FUNCTIONFACTS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::symshape::test {

/// What holds where a function returns: what is stated of arguments or known of
/// results, and what ops need. `argument0` is a scalar, `argument0_1` an
/// extent, `result0_1` one of what is returned.
struct FactsOfFunction {
  unsigned numArguments = 0, numResults = 0;
  std::vector<std::string> stated, needed;
};

/// By the names of the functions; of those that return in one place.
using FunctionFacts = llvm::StringMap<FactsOfFunction>;

FunctionFacts collectFacts(ModuleOp module);

struct LostFacts {
  unsigned numCompared = 0;
  /// `needed`: what ops need, and what follows from it alone.
  std::vector<std::string> stated, needed;
};

/// The facts that cannot be proved of `module`. A function that is gone, or has
/// another number of arguments or results, is not looked at.
LostFacts findLostFacts(ModuleOp module, const FunctionFacts &facts);

} // namespace mlir::symshape::test

#endif // SYMSHAPE_TEST_LIB_FUNCTIONFACTS_H
