//===- Canonicalizer.h - Canonicalization that is sound ---------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR 22 gives what a loop carries the static type of its initial value,
// whatever the body yields: a loop in which a tensor of static extents grows is
// then wrong. Pipelines and passes of ours use this canonicalizer.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TRANSFORMS_CANONICALIZER_H
#define SYMSHAPE_TRANSFORMS_CANONICALIZER_H

#include "mlir/Pass/Pass.h"
#include <string>
#include <vector>

namespace mlir::symshape {

/// The names under which a pattern of upstream that is a class of an anonymous
/// namespace can be disabled: compilers spell them differently.
std::vector<std::string> namesOfPattern(StringRef className);

/// Patterns of upstream's canonicalization that are wrong, by their names.
std::vector<std::string> unsoundPatterns();

/// MLIR's canonicalizer without these.
std::unique_ptr<Pass> createSoundCanonicalizerPass();

} // namespace mlir::symshape

#endif // SYMSHAPE_TRANSFORMS_CANONICALIZER_H
