//===- ParseJSON.h - JSON that anybody may have written ---------*- C++ -*-===//
//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one way in which this layer reads JSON. Private to Execution.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_EXECUTION_PARSEJSON_H
#define SYMSHAPE_LIB_EXECUTION_PARSEJSON_H

#include "llvm/Support/JSON.h"

namespace mlir::symshape {

/// The value that `text` is. Also an error if brackets nest deeper than in any
/// file of ours: llvm::json::parse recurses, so a few bytes per level would
/// exhaust the stack.
llvm::Expected<llvm::json::Value> parseJSON(llvm::StringRef text);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXECUTION_PARSEJSON_H
