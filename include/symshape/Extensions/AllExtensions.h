//===- AllExtensions.h - Shape rules of upstream dialects -------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// External models of ShapeFactsOpInterface, one registration function per
// family of ops. Each adds a dialect extension: the models attach when the
// dialect is loaded, and never load it. Not for: ops of our own dialect, which
// implement the interface themselves.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXTENSIONS_ALLEXTENSIONS_H
#define SYMSHAPE_EXTENSIONS_ALLEXTENSIONS_H

namespace mlir {
class DialectRegistry;

namespace symshape {

void registerAffineRules(DialectRegistry &registry);
void registerArithRules(DialectRegistry &registry);
void registerBufferizationRules(DialectRegistry &registry);
void registerControlFlowRules(DialectRegistry &registry);
void registerGPURules(DialectRegistry &registry);
void registerIndexRules(DialectRegistry &registry);
void registerLLVMRules(DialectRegistry &registry);
void registerLinalgRules(DialectRegistry &registry);
void registerMathRules(DialectRegistry &registry);
void registerMemRefRules(DialectRegistry &registry);
void registerSCFRules(DialectRegistry &registry);
void registerShapeRules(DialectRegistry &registry);
void registerTensorRules(DialectRegistry &registry);
void registerTensorReshapeRules(DialectRegistry &registry);
void registerTosaRules(DialectRegistry &registry);
void registerVectorRules(DialectRegistry &registry);

/// All of the above.
void registerShapeFactsExternalModels(DialectRegistry &registry);

/// The models of JvpOpInterface and LinearTransposeOpInterface.
void registerArithDerivatives(DialectRegistry &registry);
void registerLinalgDerivatives(DialectRegistry &registry);
void registerMathDerivatives(DialectRegistry &registry);
void registerSCFDerivatives(DialectRegistry &registry);
void registerTensorDerivatives(DialectRegistry &registry);

/// All of these.
void registerDerivativeExternalModels(DialectRegistry &registry);

/// Lets MLIR's inliner keep calls whose inlining would lose what the signature
/// declares, also where mlir::registerAllExtensions comes before. The registry
/// must be complete before a context loads the func dialect from it.
void registerFuncInlining(DialectRegistry &registry);

} // namespace symshape
} // namespace mlir

#endif // SYMSHAPE_EXTENSIONS_ALLEXTENSIONS_H
