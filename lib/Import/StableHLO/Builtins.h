//===- Builtins.h - Builtin attributes of artifacts -------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An artifact has few of them: dictionaries of attributes, and locations.
// Private to the reader of artifacts.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_STABLEHLO_BUILTINS_H
#define SYMSHAPE_LIB_IMPORT_STABLEHLO_BUILTINS_H

#include "Tables.h"

namespace mlir::symshape::stablehlo {

/// Null after an error.
Attribute readBuiltinAttribute(Tables &tables, Bytes &bytes);

} // namespace mlir::symshape::stablehlo

#endif // SYMSHAPE_LIB_IMPORT_STABLEHLO_BUILTINS_H
