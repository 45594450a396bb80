//===- DiscardableAttributes.h - Our attributes on ops of others -*- C++ -*-==//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the verifier of the dialect cannot check.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IR_DISCARDABLEATTRIBUTES_H
#define SYMSHAPE_IR_DISCARDABLEATTRIBUTES_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::symshape {

/// Fails, after an error, where an attribute of `root` or an op in it has a
/// name of ours with the dialect misspelt, such as `symShape.shape`: the
/// verifier asks no dialect about it.
LogicalResult verifyAttributeNames(Operation *root);

/// Fails, after an error, where a function declares a symbol that is no name in
/// its signature and that no op in it binds: nobody would check what is
/// declared. The verifier cannot refuse it, since an op that binds a name may
/// be erased with code that is never reached.
LogicalResult verifySymbolNames(Operation *root);

/// Whether the signature of `function` declares something that nobody checks
/// where a call of it has been inlined.
bool declaresUnchecked(FunctionOpInterface function);

} // namespace mlir::symshape

#endif // SYMSHAPE_IR_DISCARDABLEATTRIBUTES_H
