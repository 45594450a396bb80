//===- ArgumentNames.h - Names of arguments in messages ---------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recovers the names that arguments have in the source text, which MLIR
// forgets.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXECUTION_ARGUMENTNAMES_H
#define SYMSHAPE_EXECUTION_ARGUMENTNAMES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include <string>

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace mlir {
class AsmParserState;
} // namespace mlir

namespace mlir::symshape {

/// Parses the main file of `sourceMgr`, text or bytecode, and annotates the
/// arguments of its functions (`annotateArgumentNames`); other values keep their
/// names, too (WrittenNames.h). Null, after a diagnostic, if it does not parse. `places`, if there is one, is told where
/// in the text all that the module holds stands.
OwningOpRef<ModuleOp> parseWithArgumentNames(llvm::SourceMgr &sourceMgr,
                                             MLIRContext *context,
                                             AsmParserState *places = nullptr);

/// Gives every argument of a function with a body under `module` the attribute
/// `symshape.name = "%q"`, its name in the source text, unless it carries a
/// name already: a NameLoc, or the attribute.
void annotateArgumentNames(ModuleOp module, const AsmParserState &state);

/// Prints `module` with those names, and without the attributes that hold them.
void printWithArgumentNames(llvm::raw_ostream &os, ModuleOp module);

/// The spelling of an argument in messages: its NameLoc, the argument attribute
/// `symshape.name`, else `argument #N`.
std::string getArgumentName(FunctionOpInterface function, unsigned index);

} // namespace mlir::symshape

#endif // SYMSHAPE_EXECUTION_ARGUMENTNAMES_H
