//===- FuzzSettings.h - How long random suites run --------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SYMSHAPE_FUZZ_ITERATIONS is the number of problems of each random suite,
// SYMSHAPE_FUZZ_SEED the first seed.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_UNITTESTS_CONSTRAINTS_FUZZSETTINGS_H
#define SYMSHAPE_UNITTESTS_CONSTRAINTS_FUZZSETTINGS_H

#include "llvm/ADT/Sequence.h"
#include <cstdlib>

namespace mlir::symshape::test {

inline bool isFuzzStandard() {
  return !std::getenv("SYMSHAPE_FUZZ_ITERATIONS");
}

/// The seeds of a suite that runs `standard` problems unless told otherwise.
inline auto fuzzSeeds(unsigned standard) {
  auto setting = [](const char *name, unsigned otherwise) {
    const char *text = std::getenv(name);
    return text ? unsigned(std::atoi(text)) : otherwise;
  };
  unsigned first = setting("SYMSHAPE_FUZZ_SEED", 0);
  return llvm::seq(first,
                   first + setting("SYMSHAPE_FUZZ_ITERATIONS", standard));
}

} // namespace mlir::symshape::test

#endif // SYMSHAPE_UNITTESTS_CONSTRAINTS_FUZZSETTINGS_H
