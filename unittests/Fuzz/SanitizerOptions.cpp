//===- SanitizerOptions.cpp - What the fuzzers ask of the sanitizers ------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shared libraries of LLVM and MLIR have no sanitizer: memory that their
// allocators share with ours is poisoned by one side only.
//
//===----------------------------------------------------------------------===//

extern "C" const char *__asan_default_options() {
  return "detect_leaks=0:allow_user_poisoning=0";
}
