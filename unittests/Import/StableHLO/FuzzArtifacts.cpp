//===- FuzzArtifacts.cpp - Imports arbitrary artifacts --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Any bytes as a portable artifact, or as text where they look like that: a
// module that verifies, or words.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "symshape/Import/StableHLO/Import.h"

using namespace mlir;
using namespace mlir::symshape::stablehlo;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef bytes(reinterpret_cast<const char *>(data), size);
  llvm::StringRef artifact = isText(bytes) ? bytes : findArtifact(bytes);
  if (artifact.empty())
    return 0;
  MLIRContext context(MLIRContext::Threading::DISABLED);
  auto module = importArtifact({artifact, "fuzzed"}, &context);
  bool isGood = module ? succeeded(verify(**module))
                       : !llvm::toString(module.takeError()).empty();
  if (!isGood)
    __builtin_trap();
  return 0;
}
