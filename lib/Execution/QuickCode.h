//===- QuickCode.h - LLVM's part of code that is soon there -----*- C++ -*-===//
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

#ifndef SYMSHAPE_LIB_EXECUTION_QUICKCODE_H
#define SYMSHAPE_LIB_EXECUTION_QUICKCODE_H

namespace llvm {
class Module;
class PassBuilder;
template <typename IRUnitT, typename... ExtraArgTs>
class AnalysisManager;
} // namespace llvm

namespace mlir::symshape {

/// Makes `module` smaller, for a code generator that optimises nothing. With
/// `fma`, a product that may be fused with the sum that alone uses it is: the
/// generator would do so in vectors and not in scalars, and a function would
/// give other bits for the same argument.
void optimizeQuickly(llvm::Module &module, llvm::PassBuilder &builder,
                     llvm::AnalysisManager<llvm::Module> &analyses, bool fma);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXECUTION_QUICKCODE_H
