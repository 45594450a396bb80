//===- ParseJSON.cpp - JSON of files that anybody may have written --------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParseJSON.h"
#include "symshape/Execution/Status.h"

using namespace mlir::symshape;

static constexpr int maxDepth = 64;

/// Whether some bracket has more than `maxDepth` open around it. Exact as far
/// as the text is JSON, and the parser gets no further.
static bool nestsTooDeep(llvm::StringRef json) {
  int depth = 0;
  bool inString = false;
  for (size_t i = 0; i < json.size(); ++i) {
    char c = json[i];
    if (inString) {
      if (c == '\\')
        ++i;
      inString = c != '"';
    } else if (c == '"') {
      inString = true;
    } else if (c == '[' || c == '{') {
      if (++depth > maxDepth)
        return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

llvm::Expected<llvm::json::Value>
mlir::symshape::parseJSON(llvm::StringRef text) {
  if (nestsTooDeep(text))
    return makeInputError("nested too deep");
  return llvm::json::parse(text);
}
